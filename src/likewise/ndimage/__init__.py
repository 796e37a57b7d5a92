"""Images of any number of dimensions: filters, interpolation, morphology and measurements."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
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
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
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
        },
    )
