"""Fits of a model to data: `curve_fit`."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "FitResult",
    "curve_fit",
]

if TYPE_CHECKING:
    from ._curve_fit import FitResult, curve_fit
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_curve_fit": "FitResult curve_fit",
        },
    )
