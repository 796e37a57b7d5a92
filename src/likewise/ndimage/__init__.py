"""Images of any number of dimensions: filters, interpolation, morphology and measurements."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
]

if TYPE_CHECKING:
    from ._filters._correlation import convolve, convolve1d, correlate, correlate1d
    from ._filters._gaussian import gaussian_filter, gaussian_filter1d
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_filters._correlation": "convolve convolve1d correlate correlate1d",
            "_filters._gaussian": "gaussian_filter gaussian_filter1d",
        },
    )
