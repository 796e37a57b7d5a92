"""Polynomials and rational functions of one variable, by Horner's rule."""

from collections.abc import Sequence
from typing import Any

__all__ = ["polynomial", "ratio", "rational"]


def polynomial(coefficients: Sequence[float], t: Any) -> Any:
    """A polynomial, the constant first."""
    *rest, out = coefficients
    for c in reversed(rest):
        out = out * t + c
    return out


def ratio(above: Sequence[float], below: Sequence[float], t: Any) -> Any:
    """A quotient of polynomials, the constants first."""
    return polynomial(above, t) / polynomial(below, t)


def rational(way: Sequence[Sequence[float]], t: Any) -> Any:
    """A quotient of polynomials, whose coefficients come as a pair."""
    return ratio(way[0], way[1], t)
