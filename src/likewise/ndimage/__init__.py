"""Images of any number of dimensions: filters, interpolation, morphology and measurements."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "fourier_ellipsoid",
    "fourier_gaussian",
    "fourier_shift",
    "fourier_uniform",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generate_binary_structure",
    "generic_gradient_magnitude",
    "generic_laplace",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "iterate_structure",
    "laplace",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
    "white_tophat",
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
    from ._filters._ranks import median_filter, percentile_filter, rank_filter
    from ._filters._uniform import uniform_filter, uniform_filter1d
    from ._morphology._binary import (
        binary_closing,
        binary_dilation,
        binary_erosion,
        binary_fill_holes,
        binary_hit_or_miss,
        binary_opening,
        binary_propagation,
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
            "_filters._ranks": "median_filter percentile_filter rank_filter",
            "_filters._uniform": "uniform_filter uniform_filter1d",
            "_morphology._binary": (
                "binary_closing binary_dilation binary_erosion binary_fill_holes "
                "binary_hit_or_miss binary_opening binary_propagation"
            ),
            "_morphology._grey": (
                "black_tophat grey_closing grey_dilation grey_erosion grey_opening "
                "morphological_gradient morphological_laplace white_tophat"
            ),
            "_morphology._structures": "generate_binary_structure iterate_structure",
        },
    )
