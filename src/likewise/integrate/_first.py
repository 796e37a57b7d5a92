"""The first rule on the ranges of many problems, with which most smooth ones end.

Arrays are of pieces that stay in the cache, and there are no lists of intervals.
"""

from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace, device, is_concrete, quiet
from ..solving._driver import taken
from ..solving._elementwise import Lanes
from ..solving._following import recorded
from ._bisecting import Way
from ._kronrod import estimated, rule_of

__all__ = ["at_first"]

_PIECE = 720  # problems at once, whose arrays are below what allocation maps anew each time


def at_first(
    way: Way, fun: Callable[[Any, tuple[Any, ...]], Any], lanes: Lanes
) -> tuple[tuple[Any, ...], Any] | None:
    """Return results, and which of them hold, or None if all do.

    Returns None where it can't tell: without values, for derivatives, or for infinite ranges that
    differ in kind.
    """
    a, b = lanes.points
    size = int(a.shape[0])
    if not (size and is_concrete(a) and is_concrete(b)) or recorded(a) or recorded(b):
        return None
    xp, where = array_namespace(a), device(a)
    rule = rule_of(a, way.nodes)
    ranges = _infinite(xp, a, b, rule[0]) if way.curved else ()
    if ranges is None:
        return None
    args = tuple(v[:, None] if getattr(v, "ndim", 0) > 0 else v for v in lanes.args)
    parts = []
    with quiet(a):
        for i in range(0, size, _PIECE):
            some = a, b, args
            if size > _PIECE:
                some = taken(some, slice(i, i + _PIECE))
            part = _one(xp, way, fun, *some, rule, ranges)
            if part is None:
                return None
            parts.append(part)
    value, error, good = parts[0] if len(parts) == 1 else map(xp.concat, zip(*parts, strict=True))
    code = xp.zeros((size,), dtype=xp.int32, device=where)
    last = code + 1
    return (value, error, code, last, last * way.nodes), None if bool(xp.all(good)) else good


def _one(
    xp: Any,
    way: Way,
    fun: Callable[[Any, tuple[Any, ...]], Any],
    a: Any,
    b: Any,
    args: tuple[Any, ...],
    rule: tuple[Any, Any, Any],
    ranges: tuple[Any, ...],
) -> tuple[Any, Any, Any] | None:
    """Values, errors and whether they hold, of a piece."""
    if ranges:
        side, places, slope, half = ranges
        bound = a if side > 0 else b
        x = (bound + places[:, None] if side else xp.zeros_like(a) + places[:, None]).T
    else:
        half = (b - a) / 2
        x = ((a + half) + half * rule[0][:, None]).T  # by node, as lanes are the long side
    y = fun(x, args)
    if not is_concrete(y) or recorded(y):
        return None
    value, error, _, spread = estimated(y * slope if ranges else y, half, rule)
    good = error <= way.epsabs
    if way.epsrel > 0:
        good = good | (error <= way.epsrel * abs(value))
    good = good & ((error != spread) | (error == 0)) & xp.isfinite(value)
    return value, error, good


def _infinite(xp: Any, a: Any, b: Any, nodes: Any) -> tuple[Any, ...] | None:
    """Return which limit is finite (1, -1 or 0), places, slopes, and half the length of places.

    None if that isn't the same for all problems.
    """
    up, down = b == xp.inf, a == -xp.inf
    one = xp.ones_like(nodes[:1])

    def every(mask: Any) -> bool:
        return bool(xp.all(mask))  # likewise: ignore[LW203]: values are at hand

    if every(up & down):
        w = 1 - nodes * nodes
        return 0, nodes / w, (1 + nodes * nodes) / (w * w), one
    u = one / 2 + nodes / 2
    far = (1 - u) / u
    if every(up & xp.isfinite(a)):
        return 1, far, 1 / (u * u), one / 2
    if every(down & xp.isfinite(b)):
        return -1, -far, 1 / (u * u), one / 2
    return None
