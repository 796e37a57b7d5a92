"""Integrals of waves over infinite ranges, QAWF of QUADPACK: cycles, and extrapolation of sums.

R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, QUADPACK, 1983.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device
from ..solving._driver import Method, iterate
from ..solving._outcome import Outcome
from ..transforms import stop_gradient
from ._bisecting import Problems, Way, begun, bisected, concluded, measured, nodes_of
from ._kronrod import extrapolated
from ._weights import ruled, weighing

__all__ = ["by_cycles", "started", "tail"]

_TABLE = 20
_FACTOR = 0.9  # of the tolerance of a cycle and of the next


class _Cycles(NamedTuple):
    start: Any  # (B,) the finite end, as a lower one
    length: Any
    omega: Any
    args: tuple[Any, ...]  # the first is the direction, (B, 1)


class _State(NamedTuple):
    cycle: Any  # of (B,), how many are done
    share: Any  # the tolerance of the next cycle
    area: Any
    errors: Any
    worst: Any
    table: Any  # (B, _TABLE) sums
    count: Any
    before: Any  # (B, 3)
    limit: Any
    doubt: Any
    idle: Any
    result: Any
    error: Any
    last: Any
    calls: Any
    code: Any
    status: Any


def by_cycles(
    way: Way, fun: Callable[..., Any], ends: tuple[Any, Any], omega: Any, args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Integrals, errors, status, intervals in all cycles, and evaluations."""
    a, b = ends
    xp = array_namespace(a)
    one = xp.ones_like(a)
    finite, turn = started(a, b)
    cycles = _Cycles(turn * finite, _length(omega), omega, (turn[:, None], *args))
    # Cycles need no more than the shortest tolerances, and no relative ones.
    inner = way._replace(cycles=0, epsrel=0.0)

    def turned(x: Any, args: tuple[Any, ...]) -> Any:
        return fun(args[0] * x, args[1:])

    def start(cycles: _Cycles) -> _State:
        zero = xp.zeros_like(cycles.start)
        whole = xp.zeros(tuple(zero.shape), dtype=xp.int32, device=device(zero))
        huge = xp.full_like(zero, xp.inf)
        share = xp.full_like(zero, way.epsabs * (1 - _FACTOR))
        table = xp.zeros((zero.shape[0], _TABLE), dtype=zero.dtype, device=device(zero))
        return _State(
            *(whole, share, zero, zero, zero, table, whole, table[:, :3], zero, huge, whole),
            *(zero, huge, whole, whole, whole, whole),
        )

    def step(cycles: _Cycles, s: _State) -> _State:
        return _step(way, inner, turned, cycles, s)

    s = iterate(Method(start, step, lean=True), cycles)
    sign = xp.where(a > b, -one, one)
    if way.weight == "sin":
        sign = sign * turn
    return sign * s.result, s.error, s.code, s.last, s.calls


def started(a: Any, b: Any) -> tuple[Any, Any]:
    """Return finite ends of ranges, and the directions to infinity, 1 or -1."""
    xp = array_namespace(a)
    one = xp.ones_like(a)
    return (
        xp.where(xp.isfinite(a), a, b),
        xp.where((a == xp.inf) | (b == xp.inf), one, -one),
    )


def _length(omega: Any) -> Any:
    """Return the length of a cycle, an odd number of half waves."""
    xp = array_namespace(omega)
    speed = xp.abs(omega)
    return (2 * xp.floor(speed) + 1) * math.pi / xp.where(speed == 0, xp.ones_like(speed), speed)


def _alternating(n: int) -> list[float]:
    """Return weights of the first terms of an alternating sum.

    H. Cohen, F. Rodriguez Villegas, D. Zagier, Experimental Mathematics 9 (2000) 3.
    """
    d = (3 + math.sqrt(8)) ** n
    d = (d + 1 / d) / 2
    b, c, found = -1.0, -d, []
    for k in range(n):
        c = b - c
        found.append(c / d * (-1) ** k)
        b = (k + n) * (k - n) * b / ((k + 0.5) * (k + 1))
    return found


_NEAR = 6  # cycles that are integrated as finite ranges are
_WEIGHTS = _alternating(20)


def tail(
    way: Way, fun: Any, points: tuple[Any, ...], args: tuple[Any, ...]
) -> tuple[tuple[Any, Any], Any, Any]:
    """Return a sum that can be differentiated: of the first cycles, and the rest's.

    These are the ends of the first cycles, the sign of the integral, and the alternating sum of the
    other cycles.
    """
    a, b, omega = points
    xp = array_namespace(a)
    start, turn = started(a, b)
    fixed, where = stop_gradient(start), device(a)
    length = _length(stop_gradient(omega))
    middle = fixed + turn * (_NEAR * length)
    number = xp.arange(len(_WEIGHTS), dtype=a.dtype, device=where)
    near = middle[:, None] + (turn * length)[:, None] * number
    far = middle[:, None] + (turn * length)[:, None] * (number + 1)
    lo, hi = xp.minimum(near, far), xp.maximum(near, far)
    rule = weighing(lo)
    first, last = xp.reshape(lo, (-1,)), xp.reshape(hi, (-1,))
    by = ruled(way.weight, (xp.repeat(omega, len(_WEIGHTS), axis=0),), first, last, rule)
    y = xp.reshape(fun.plain(nodes_of(lo, hi, rule.nodes), args), (-1, way.nodes))
    each = xp.reshape(xp.sum(y * by[:, : way.nodes], axis=1), tuple(lo.shape))
    weights = xp.asarray(_WEIGHTS, dtype=a.dtype, device=where)
    up = turn > 0
    ends = xp.where(up, start, middle), xp.where(up, middle, start)
    sign = xp.where(stop_gradient(a) > stop_gradient(b), -xp.ones_like(turn), xp.ones_like(turn))
    return ends, sign, xp.sum(each * weights, axis=1)


def _step(way: Way, inner: Way, fun: Callable[..., Any], cycles: _Cycles, s: _State) -> _State:
    xp = array_namespace(s.area)
    eps = float(xp.finfo(s.area.dtype).eps)
    number = xp.astype(s.cycle, s.area.dtype)
    lo = cycles.start + number * cycles.length
    hi = cycles.start + (number + 1) * cycles.length
    problems = Problems(lo, lo, cycles.args, (cycles.omega,), s.share)
    first = begun(
        *(inner, problems, lo[:, None], hi[:, None]),
        measured(inner, fun, problems, lo[:, None], hi[:, None], weighing(lo)),
    )
    found = bisected(inner, fun, problems, first)
    value, error, code, _ = concluded(found)
    done = s.cycle + 1
    one, zero = xp.ones_like(done), xp.zeros_like(done)
    area, errors = s.area + value, s.errors + error
    rest = 50 * xp.abs(value)
    bad = code != 0
    worst = xp.maximum(s.worst, error)
    share = _FACTOR * s.share
    share = xp.where(bad, xp.maximum(share, worst * (1 - _FACTOR)), share)
    table = xp.concat([s.table[:, 1:], area[:, None]], axis=1)
    count = xp.minimum(s.count + 1, one * _TABLE)
    limit, doubt, settled, keep = extrapolated(table, count)
    change = xp.sum(xp.abs(limit[:, None] - s.before), axis=1)
    huge = xp.full_like(doubt, xp.inf)
    doubt = xp.where(settled, doubt, xp.where((done >= 6) & (count >= 3), change, huge))
    doubt = xp.where(count >= 3, xp.maximum(doubt, 5 * eps * xp.abs(limit)), huge)
    before = xp.concat([s.before[:, 1:], limit[:, None]], axis=1)
    better = doubt < s.doubt
    limit, doubt = xp.where(better, limit, s.limit), xp.where(better, doubt, s.doubt)
    idle = xp.where(better, zero, s.idle + 1)

    summed = (done >= 6) & ((errors + rest <= way.epsabs) | (area == 0) & (value == 0))
    reached = doubt + 10 * worst <= way.epsabs
    stuck = (idle >= 15) & (doubt <= 1e-3 * (errors + rest))
    code = xp.where(bad & (s.code == 0), one * 7, s.code)
    code = xp.where(stuck, one * 4, code)
    code = xp.where(done >= way.cycles, one, code)
    finite = xp.isfinite(area)
    ends = summed | reached | stuck | (done >= way.cycles) | ~finite
    code = xp.where(summed | reached, zero, xp.where(finite, code, one * 6))
    by_sum = summed | ~finite | (~reached & (errors + rest < doubt + 10 * worst))
    return _State(
        *(done, share, area, errors, worst, table, keep, before, limit, doubt, idle),
        xp.where(by_sum, area, limit),
        xp.where(by_sum, errors + rest, doubt + 10 * worst),
        s.last + found.last,
        s.calls + way.nodes * (2 * found.last - 1),
        code,
        xp.where(ends, one * Outcome.CONVERGED, s.status),
    )
