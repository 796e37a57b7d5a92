"""Polynomials and rational functions of one variable, by Horner's rule."""

from collections.abc import Sequence
from typing import Any

from .._namespace import array_namespace, device

__all__ = ["columns", "polynomial", "ratio", "ratio_slope", "rational"]


def polynomial(coefficients: Sequence[float], t: Any) -> Any:
    """A polynomial, the constant first."""
    *rest, out = coefficients
    for c in reversed(rest):
        out = out * t + c
    return out


def ratio(above: Sequence[float], below: Sequence[float], t: Any) -> Any:
    """A quotient of polynomials, the constants first."""
    return polynomial(above, t) / polynomial(below, t)


def _slope(coefficients: Sequence[float], s: Any, t: Any) -> tuple[Any, Any, Any]:
    """A polynomial at s and at t, and the slope of its chord, without their difference."""
    *rest, one = coefficients
    at_s, at_t, slope = one + 0 * s, one + 0 * t, 0 * s
    for c in reversed(rest):
        slope, at_s, at_t = slope * s + at_t, at_s * s + c, at_t * t + c
    return at_s, at_t, slope


def ratio_slope(
    above: Sequence[float], below: Sequence[float], s: Any, t: Any
) -> tuple[Any, Any, Any]:
    """A quotient of polynomials at s and at t, and the slope of its chord."""
    over_s, over_t, rise = _slope(above, s, t)
    under_s, under_t, other = _slope(below, s, t)
    at_t = over_t / under_t
    return over_s / under_s, at_t, (rise - at_t * other) / under_s


def rational(way: Sequence[Sequence[float]], t: Any) -> Any:
    """A quotient of polynomials, whose coefficients come as a pair."""
    return ratio(way[0], way[1], t)


def columns(rows: Sequence[Sequence[float]], t: Any) -> Any:
    """Several polynomials of one variable, stacked along a first dimension, to give a compiler
    fewer operations."""
    xp = array_namespace(t)
    most = max(map(len, rows))
    shape = (len(rows), *(1,) * t.ndim)

    def column(k: int) -> Any:
        found = [float(row[k]) if k < len(row) else 0.0 for row in rows]
        return xp.reshape(xp.asarray(found, dtype=t.dtype, device=device(t)), shape)

    out = column(most - 1) + xp.zeros_like(t) if most == 1 else column(most - 1)
    for k in reversed(range(most - 1)):
        out = out * t + column(k)
    return out
