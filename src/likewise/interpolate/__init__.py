"""Interpolation with SciPy's names and meaning, many data sets at once, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "PPoly",
]

if TYPE_CHECKING:
    from ._piecewise._ppoly import PPoly
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_piecewise._ppoly": "PPoly",
        },
    )
