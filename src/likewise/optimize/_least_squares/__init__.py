"""Nonlinear least squares: `least_squares`."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "LeastSquaresResult",
    "least_squares",
]

if TYPE_CHECKING:
    from ._least_squares import LeastSquaresResult, least_squares
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_least_squares": "LeastSquaresResult least_squares",
        },
    )
