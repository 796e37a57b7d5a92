"""Quantiles by a bracketing solver, for distributions that have no inverse in closed form."""

from typing import Any

from ..._namespace import array_namespace
from ...optimize import bracket_root, find_root
from ...transforms import stop_gradient
from ._line import place

__all__ = ["inverse", "polished"]


def inverse(row: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> Any:
    """Return where a tail of a distribution is q, by the smaller of both tails.

    Chandrupatla's method on the logarithm of the tail, then two steps of Newton's method, which
    have the implicit derivative in all arguments.
    """
    xp = array_namespace(q, *shapes)
    shapes = row._within(xp, *shapes)
    shape = xp.broadcast_shapes(q.shape, *(s.shape for s in shapes))
    q, *shapes = (xp.broadcast_to(a, shape) for a in (q, *shapes))  # type: ignore[assignment]
    fixed = [stop_gradient(a) for a in (q, *shapes)]
    small = float(xp.finfo(q.dtype).smallest_normal)

    def gap(u: Any, q: Any, *rest: Any) -> Any:
        shapes = rest[: len(fixed) - 1]
        x, _ = place(u, *row._support(xp, *shapes))
        tail, level, sign = _tails(row, x, q, shapes, upper)
        tail = xp.where(tail > small, tail, small)
        return xp.astype(sign * (xp.log(tail) - xp.log(level)), u.dtype)

    start = xp.zeros_like(q)
    found = bracket_root(gap, start - 1.0, start + 1.0, args=tuple(fixed))
    u = find_root(gap, found.bracket, args=tuple(fixed)).x
    return polished(row, place(u, *row._support(xp, *fixed[1:]))[0], q, shapes, upper)


def polished(row: Any, x: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> Any:
    """Return a quantile after two steps of Newton's method, which have the implicit derivative in
    the probability and all parameters."""
    xp = array_namespace(x, q, *shapes)
    x = stop_gradient(x)
    low, high = row._support(xp, *shapes)
    for _ in range(2):
        tail, level, sign = _tails(row, x, q, shapes, upper)
        moved = x - sign * (tail - level) / row._pdf(x, *shapes)
        good = (moved > low) & (moved < high)  # not where the density vanishes
        x = xp.where(good, moved, x)
    return x


def _tails(row: Any, x: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> tuple[Any, Any, Any]:
    """The tail that is the smaller at the root, its value there, and its direction."""
    xp = array_namespace(x, q, *shapes)
    lower = (q <= 0.5) != upper
    tail = xp.where(lower, row._cdf(x, *shapes), row._sf(x, *shapes))
    return tail, xp.where(q <= 0.5, q, 1 - q), 2 * xp.astype(lower, q.dtype) - 1
