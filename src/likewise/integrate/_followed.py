"""Sums over the intervals that were found, which can be differentiated."""

from typing import Any

from .._namespace import array_namespace
from ..solving._elementwise import Lanes
from ..transforms import stop_gradient
from ._bisecting import Problems, Way, nodes_of, placed
from ._kronrod import doubly_exponential, rule_of
from ._weights import prepared, ruled, weighing

__all__ = ["at_end", "constant", "is_array", "moving", "sums_of"]


def is_array(x: Any) -> bool:
    return getattr(x, "ndim", 0) > 0  # NumPy's scalars go to functions as they came


def constant(x: Any) -> Any:
    return stop_gradient(x) if is_array(x) else x


def sums_of(way: Way, fun: Any, problems: Problems, lanes: Lanes, followed: Any, args: Any) -> Any:
    """The sum over intervals, which can be differentiated in what the function depends on."""
    low, high, there, smooth = followed
    xp = array_namespace(low)
    half = (high - low) / 2
    if smooth:
        nodes, weights, _ = rule_of(low, way.nodes)
        places = nodes_of(low, high, nodes)
    else:  # at their ends there may be singularities
        near, weights = doubly_exponential(low)
        by = half[:, :, None] * near
        places = xp.concat([low[:, :, None] + by, high[:, :, None] - by], axis=2)
        inside = (places != low[:, :, None]) & (places != high[:, :, None])
        places = xp.where(inside, places, (low + half)[:, :, None])
        weights = xp.where(inside, weights, xp.zeros_like(weights))
        places = xp.reshape(places, (low.shape[0], -1))
    x, slope = placed(problems, places, way.curved)
    y = fun.plain(x, args) * slope
    half = xp.where(there, half, xp.zeros_like(half))
    each = xp.reshape(y, (*half.shape, -1)) * weights * half[:, :, None]
    return xp.sum(each, axis=(1, 2))


def moving(way: Way, fun: Any, problems: Problems, lanes: Lanes, followed: Any, args: Any) -> Any:
    """The sum over intervals that move with the limits, by weights that follow their numbers."""
    low, high, there, _ = followed
    xp = array_namespace(low)
    a, b, *wvar = lanes.points
    turned = stop_gradient(a) > stop_gradient(b)
    a, b = xp.where(turned, b, a)[:, None], xp.where(turned, a, b)[:, None]
    first, last = stop_gradient(a), stop_gradient(b)
    span = xp.where(first == last, xp.ones_like(first), last - first)

    def moved(v: Any) -> Any:
        return xp.where(v == last, b, a + (b - a) * ((v - first) / span))

    lo, hi = moved(low), moved(high)
    rule = weighing(low)
    m = low.shape[1]
    more = tuple(
        xp.repeat(v, m, axis=0) for v in prepared(way.weight, a[:, 0], b[:, 0], tuple(wvar))
    )
    y = xp.reshape(fun.plain(nodes_of(lo, hi, rule.nodes), args), (-1, way.nodes))
    weights = ruled(way.weight, more, xp.reshape(lo, (-1,)), xp.reshape(hi, (-1,)), rule)
    each = xp.reshape(xp.sum(y * weights[:, : way.nodes], axis=1), tuple(low.shape))
    return xp.sum(xp.where(there, each, xp.zeros_like(each)), axis=1)


def at_end(xp: Any, fun: Any, end: Any, args: tuple[Any, ...], both: Any) -> Any:
    """Nothing, with the derivative of the integral in one of its limits: the integrand there."""
    now = stop_gradient(end)
    a, b = (stop_gradient(v) for v in both)
    inner = xp.where(xp.isfinite(a), a, xp.zeros_like(a))
    inner = inner + xp.where(xp.isfinite(a) & xp.isfinite(b), (b - a) / 2, xp.ones_like(a))
    finite = xp.isfinite(now)
    there = xp.where(finite, now, inner)
    tried = stop_gradient(fun.plain(there[:, None], tuple(map(constant, args))))[:, 0]
    good = finite & xp.isfinite(tried)
    by = xp.where(good, end, xp.zeros_like(now)) - xp.where(good, now, xp.zeros_like(now))
    # Between both places, so that the second derivative is right.
    point = xp.where(good, now, inner) + by / 2
    return by * fun.plain(point[:, None], args)[:, 0]
