"""Quantiles by Newton's method in a bracket, where a distribution has no inverse of its own."""

import math
from typing import Any

from ..._namespace import array_namespace, hooks_of
from ...special import ndtri
from ...special._function import at_hand, looped
from ...transforms import stop_gradient
from ._line import infinite, place, position

__all__ = ["inverse", "polished"]

_ROUNDS = 200  # halvings of a bracket take some 60


def inverse(row: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> Any:
    """Return where a tail of a distribution is q, by the smaller of both tails.

    Newton's method on the logarithm of the tail, inside of the bracket found so far, then steps for
    the last digits, that have the implicit derivative in all arguments.
    """
    xp = array_namespace(q, *shapes)
    shapes = row._within(xp, *shapes)
    shape = xp.broadcast_shapes(q.shape, *(s.shape for s in shapes))
    q, *shapes = (xp.broadcast_to(a, shape) for a in (q, *shapes))  # type: ignore[assignment]
    level, *rest = (stop_gradient(a) for a in (q, *shapes))
    fixed = tuple(rest)
    info = xp.finfo(q.dtype)
    small, eps = float(info.smallest_normal), float(info.eps)
    ends = row.turn or row._support(xp, *fixed)
    # Away from the ends the lower tail has digits enough for all but the last step.
    tails = _lower if _moderate(xp, level) else _tails

    def step(state: Any) -> Any:
        u, low, high, _, k = state
        x, rate = place(u, *ends)
        tail, share, sign = tails(row, x, level, fixed, upper)
        tail = xp.where(tail > small, tail, small)
        gap = sign * (xp.log(tail) - xp.log(share))
        low, high = xp.where(gap < 0, u, low), xp.where(gap < 0, high, u)
        far = 4 + 0.5 * xp.abs(u)
        move = -gap * tail / (row._pdf(x, *fixed) * rate)
        move = xp.where(xp.abs(move) < far, move, xp.where(gap < 0, far, -far))
        newton = (u + move >= low) & (u + move <= high)
        middle = 0.5 * (xp.where(low == -math.inf, high - 2 * far, low) + high)
        middle = xp.where(high == math.inf, low + far, middle)
        there = xp.where(newton, u + move, middle)
        size = 1 + xp.abs(u)
        near = xp.abs(there - u) <= xp.where(newton, 0.1 * eps**0.5 * size, 64 * eps * size)
        return there, low, high, near, k + 1

    u = _start(row, xp, level, fixed, ends, upper)
    none = xp.full_like(u, math.inf)
    state = (u, -none, none, xp.zeros_like(u, dtype=xp.bool), 0)
    u = looped(lambda s: ~xp.all(s[3]) & (s[4] < _ROUNDS), step, state)[0]
    return polished(row, place(u, *ends)[0], q, shapes, upper)


def _start(row: Any, xp: Any, q: Any, shapes: Any, ends: Any, upper: bool) -> Any:
    """Return a start: the quantile of a normal distribution of the same mean and variance, of a
    lognormal one where the support begins somewhere; the middle where these aren't known."""
    zero = xp.zeros_like(q)
    mean, var = row._moments(xp, *shapes)[:2]
    if mean is None or var is None or not infinite(ends[1]):
        return zero
    z = -ndtri(q) if upper else ndtri(q)
    if infinite(ends[0]):
        u = position(mean + xp.sqrt(zero + var) * z, *ends)
    else:
        mean = zero + mean - ends[0]
        square = xp.log1p(var / (mean * mean))
        u = xp.log(mean) - 0.5 * square + xp.sqrt(square) * z
    return xp.where(xp.isfinite(u), u, zero)


def polished(row: Any, x: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> Any:
    """Return a quantile after steps of Newton's method, which have the implicit derivative in the
    probability and all parameters: two, for its second one; one where no derivative is followed."""
    xp = array_namespace(x, q, *shapes)
    x = stop_gradient(x)
    low, high = row._support(xp, *shapes)
    followed = not at_hand(q, *shapes) or any(hooks_of(a).recorded(a) for a in (q, *shapes))
    for _ in range(1 + followed):
        tail, level, sign = _tails(row, x, q, shapes, upper)
        moved = x - sign * (tail - level) / row._pdf(x, *shapes)
        good = (moved > low) & (moved < high)  # not where the density vanishes
        x = xp.where(good, moved, x)
    return x


def _moderate(xp: Any, q: Any) -> bool:
    """Tell if all probabilities can be read, and none is next to 0 or 1."""
    good = xp.all((q > 0.01) & (q < 0.99))
    return at_hand(q) and bool(good)  # likewise: ignore[LW203]: values are at hand


def _lower(row: Any, x: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> tuple[Any, Any, Any]:
    """The lower tail, its value at the root, and its direction."""
    return row._cdf(x, *shapes), 1 - q if upper else q, 1.0


def _tails(row: Any, x: Any, q: Any, shapes: tuple[Any, ...], upper: bool) -> tuple[Any, Any, Any]:
    """The tail that is the smaller at the root, its value there, and its direction."""
    xp = array_namespace(x, q, *shapes)
    lower = (q <= 0.5) != upper
    return (
        row._either(x, shapes, lower),
        xp.where(q <= 0.5, q, 1 - q),
        2 * xp.astype(lower, q.dtype) - 1,
    )
