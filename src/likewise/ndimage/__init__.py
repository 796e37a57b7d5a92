"""Images of any number of dimensions: filters, interpolation, morphology and measurements."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "affine_transform",
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "distance_transform_bf",
    "distance_transform_cdt",
    "distance_transform_edt",
    "extrema",
    "find_objects",
    "fourier_ellipsoid",
    "fourier_gaussian",
    "fourier_shift",
    "fourier_uniform",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generate_binary_structure",
    "generic_filter",
    "generic_filter1d",
    "generic_gradient_magnitude",
    "generic_laplace",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "histogram",
    "iterate_structure",
    "label",
    "labeled_comprehension",
    "laplace",
    "map_coordinates",
    "maximum",
    "maximum_filter",
    "maximum_filter1d",
    "maximum_position",
    "mean",
    "median",
    "median_filter",
    "minimum",
    "minimum_filter",
    "minimum_filter1d",
    "minimum_position",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "standard_deviation",
    "sum",
    "sum_labels",
    "uniform_filter",
    "uniform_filter1d",
    "value_indices",
    "variance",
    "vectorized_filter",
    "watershed_ift",
    "white_tophat",
    "zoom",
]

if TYPE_CHECKING:
    from ._filters._correlation import convolve, convolve1d, correlate, correlate1d
    from ._filters._derivatives import (
        gaussian_gradient_magnitude,
        gaussian_laplace,
        generic_gradient_magnitude,
        generic_laplace,
        laplace,
        prewitt,
        sobel,
    )
    from ._filters._extremes import (
        maximum_filter,
        maximum_filter1d,
        minimum_filter,
        minimum_filter1d,
    )
    from ._filters._fourier import (
        fourier_ellipsoid,
        fourier_gaussian,
        fourier_shift,
        fourier_uniform,
    )
    from ._filters._gaussian import gaussian_filter, gaussian_filter1d
    from ._filters._generic import generic_filter, generic_filter1d, vectorized_filter
    from ._filters._ranks import median_filter, percentile_filter, rank_filter
    from ._filters._uniform import uniform_filter, uniform_filter1d
    from ._interpolating._mapping import affine_transform, geometric_transform, map_coordinates
    from ._interpolating._resampling import rotate, shift, zoom
    from ._interpolating._splines import spline_filter, spline_filter1d
    from ._measuring._extremes import (
        extrema,
        maximum,
        maximum_position,
        median,
        minimum,
        minimum_position,
    )
    from ._measuring._functions import histogram, labeled_comprehension
    from ._measuring._labels import find_objects, label, value_indices
    from ._measuring._sums import (
        center_of_mass,
        mean,
        standard_deviation,
        sum,
        sum_labels,
        variance,
    )
    from ._measuring._watershed import watershed_ift
    from ._morphology._binary import (
        binary_closing,
        binary_dilation,
        binary_erosion,
        binary_fill_holes,
        binary_hit_or_miss,
        binary_opening,
        binary_propagation,
    )
    from ._morphology._distances import (
        distance_transform_bf,
        distance_transform_cdt,
        distance_transform_edt,
    )
    from ._morphology._grey import (
        black_tophat,
        grey_closing,
        grey_dilation,
        grey_erosion,
        grey_opening,
        morphological_gradient,
        morphological_laplace,
        white_tophat,
    )
    from ._morphology._structures import generate_binary_structure, iterate_structure
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_filters._correlation": "convolve convolve1d correlate correlate1d",
            "_filters._derivatives": (
                "gaussian_gradient_magnitude gaussian_laplace generic_gradient_magnitude "
                "generic_laplace laplace prewitt sobel"
            ),
            "_filters._extremes": "maximum_filter maximum_filter1d minimum_filter minimum_filter1d",
            "_filters._fourier": "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
            "_filters._gaussian": "gaussian_filter gaussian_filter1d",
            "_filters._generic": "generic_filter generic_filter1d vectorized_filter",
            "_filters._ranks": "median_filter percentile_filter rank_filter",
            "_filters._uniform": "uniform_filter uniform_filter1d",
            "_interpolating._mapping": "affine_transform geometric_transform map_coordinates",
            "_interpolating._resampling": "rotate shift zoom",
            "_interpolating._splines": "spline_filter spline_filter1d",
            "_measuring._extremes": (
                "extrema maximum maximum_position median minimum minimum_position"
            ),
            "_measuring._functions": "histogram labeled_comprehension",
            "_measuring._labels": "find_objects label value_indices",
            "_measuring._sums": "center_of_mass mean standard_deviation sum sum_labels variance",
            "_measuring._watershed": "watershed_ift",
            "_morphology._binary": (
                "binary_closing binary_dilation binary_erosion binary_fill_holes "
                "binary_hit_or_miss binary_opening binary_propagation"
            ),
            "_morphology._distances": (
                "distance_transform_bf distance_transform_cdt distance_transform_edt"
            ),
            "_morphology._grey": (
                "black_tophat grey_closing grey_dilation grey_erosion grey_opening "
                "morphological_gradient morphological_laplace white_tophat"
            ),
            "_morphology._structures": "generate_binary_structure iterate_structure",
        },
    )
