"""Nonlinear least squares: `least_squares`."""

from ._least_squares import LeastSquaresResult, least_squares

__all__ = [
    "LeastSquaresResult",
    "least_squares",
]
