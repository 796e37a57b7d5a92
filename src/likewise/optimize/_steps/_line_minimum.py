"""Minima along lines without derivatives, for many problems at once.

R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 5: parabolas, with the
golden section as a safeguard, in a bracket. Where a side is open the bracket is found by strides
that grow by the golden ratio or to the minimum of a parabola: W. H. Press et al., Numerical
Recipes, 3rd ed., section 10.1.

A search is a state that gives a step, and takes the value there to give the next.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes

__all__ = ["Line", "line_minimum"]

_GATE, _FIRST, _SECOND, _INNER, _PLAIN, _BEYOND, _BRENT = range(7)
_GOLDEN = 0.5 * (5**0.5 - 1)
_SECTION = 1 - _GOLDEN
_LIMIT = 110.0  # of a stride: how far a parabola's minimum may lie
_MOST = 500


class Line(NamedTuple):
    """Hold lines, (B,): steps are at least `low` and at most `high`, which may be infinite."""

    f: Any  # the value at 0
    low: Any
    high: Any
    wanted: Any  # of the others the step is 0
    gate: Callable[[Any], Any] | None = None
    """Of the value at the step 1, or at `high` if that is less: whether there is a search."""
    gated: Any = None  # for which problems


class _State(NamedTuple):
    kind: Any  # what the next step is for
    t: Any  # the next step
    a: Any  # the bracket: ends, and the point between
    b: Any
    c: Any
    fa: Any
    fb: Any
    fc: Any
    edge_a: Any  # whether there is no value at the bracket's ends, as far as is known
    edge_c: Any
    w: Any  # Brent's second and third best points
    v: Any
    fw: Any
    fv: Any
    d: Any  # his last step, and the one before
    e: Any
    status: Any
    count: Any


class _Tolerance(NamedTuple):
    relative: Any
    absolute: Any


def line_minimum(
    value: Callable[[Any], Any], line: Line, open_tol: float, closed_tol: float
) -> tuple[Any, Any, Any, Any]:
    """Return steps, values and numbers of evaluations, (B,), of ``value(step)``.

    Last is a mask of the steps next to which the value isn't finite.

    The tolerance is relative to the step, `open_tol`, on lines that are open at both ends, else
    absolute, `closed_tol`.
    """
    xp = array_namespace(line.f)
    no_low, no_high = ~xp.isfinite(line.low), ~xp.isfinite(line.high)
    endless, half = no_low & no_high, no_low ^ no_high
    eps = float(xp.finfo(line.f.dtype).eps)
    zero = xp.zeros_like(line.f)
    tolerance = _Tolerance(
        xp.where(endless, open_tol + zero, eps**0.5 + zero),
        xp.where(endless, 1e-11 + zero, closed_tol / 3 + zero),
    )
    # Where one side is open, the bracket is that of the step's arcus tangens.
    low = xp.where(half, xp.atan(line.low), xp.where(endless, zero, line.low))
    high = xp.where(half, xp.atan(line.high), xp.where(endless, zero, line.high))

    def step_of(s: _State) -> Any:
        inner = half & (s.kind == _BRENT)
        return xp.where(inner, xp.tan(xp.where(inner, s.t, zero)), s.t)

    plain = _first(xp, line, low, high, endless)
    first, gated, worth = plain, line.gated, line.gate
    if gated is not None:
        probe = xp.minimum(xp.ones_like(zero), line.high)
        first = plain._replace(
            kind=xp.where(gated, xp.full_like(plain.kind, _GATE), plain.kind),
            t=xp.where(gated, probe, plain.t),
        )

    def step(_: Any, s: _State) -> _State:
        t = step_of(s)
        f = value(xp.minimum(xp.maximum(t, line.low), line.high))
        f = xp.where(xp.isnan(f), xp.full_like(f, xp.inf), f)
        if gated is None or worth is None:
            return _step(xp, s, f, tolerance)
        gate = s.kind == _GATE
        # Where the search begins at that step its value is not asked again.
        kind = xp.where(gate & endless, xp.full_like(s.kind, _FIRST), s.kind)
        new = _step(xp, s._replace(kind=kind), f, tolerance)
        begun = gate & ~endless
        new = _State(*(xp.where(begun, a, b) for a, b in zip(plain, new, strict=True)))
        ended = outcomes(f, (gate & ~worth(f), Outcome.CONVERGED))
        status = xp.where(ended != Outcome.RUNNING, ended, new.status)
        back = xp.where(ended != Outcome.RUNNING, line.f, new.fb)
        return new._replace(status=status, fb=back, count=s.count + 1)

    # The values are of all problems: none are dropped.
    end: _State = iterate(Method(lambda _: first, step), (), _MOST, joint=True)
    inner = half & (end.kind == _BRENT)
    best = xp.where(inner, xp.tan(xp.where(inner, end.b, zero)), end.b)
    lower = line.wanted & (end.fb < line.f)
    edge = line.wanted & (end.kind == _BRENT) & (end.edge_a | end.edge_c)
    return xp.where(lower, best, zero), xp.where(lower, end.fb, line.f), end.count, edge


def _first(xp: Any, line: Line, low: Any, high: Any, endless: Any) -> _State:
    zero = xp.zeros_like(line.f)
    none = xp.zeros_like(zero, dtype=xp.int32)
    infinite = xp.full_like(zero, xp.inf)
    # Between two ends nothing is known; else from 0 on.
    middle = low + _SECTION * (high - low)
    t = xp.where(endless, xp.ones_like(zero), middle)
    empty = ~endless & ~(high > low)
    return _State(
        kind=xp.where(endless, none + _FIRST, none + _BRENT),
        t=t,
        a=low,
        b=xp.where(endless, zero, t),
        c=high,
        fa=line.f,
        fb=xp.where(endless, line.f, infinite),
        fc=infinite,
        edge_a=zero != 0,
        edge_c=zero != 0,
        w=t,
        v=t,
        fw=infinite,
        fv=infinite,
        d=zero,
        e=zero,
        status=outcomes(zero, (~line.wanted | empty, Outcome.CONVERGED)),
        count=none,
    )


def _step(xp: Any, s: _State, f: Any, tolerance: _Tolerance) -> _State:
    """Take in the value at the step, and choose the next."""
    strides = _strides(xp, s, f)
    inner = _narrowed(xp, s, f)
    brent = s.kind == _BRENT
    s = _State(*(xp.where(brent, a, b) for a, b in zip(inner, strides, strict=True)))
    return _next(xp, s, s.kind == _BRENT, tolerance)


def _strides(xp: Any, s: _State, f: Any) -> _State:
    """Take in a value of the search for a bracket."""
    first, second = s.kind == _FIRST, s.kind == _SECOND
    inner, beyond = s.kind == _INNER, s.kind == _BEYOND
    # The first step is up: the other way.
    up = first & (f > s.fb)
    a, fa = xp.where(up, s.t, s.a), xp.where(up, f, s.fa)
    b, fb = xp.where(first & ~up, s.t, s.b), xp.where(first & ~up, f, s.fb)
    c, fc = s.c, s.fc
    between = inner & (f < fc)
    rises = inner & ~between & (f > fb)
    further = inner & ~between & ~rises
    on = beyond & (f < fc)
    shift = (s.kind == _PLAIN) | (beyond & ~on)
    old_b, old_fb, old_c, old_fc = b, fb, c, fc
    a = xp.where(shift | between, old_b, a)
    fa = xp.where(shift | between, old_fb, fa)
    b = xp.where(shift | on, old_c, xp.where(between, s.t, b))
    fb = xp.where(shift | on, old_fc, xp.where(between, f, fb))
    new_c = second | shift | on | rises
    c, fc = xp.where(new_c, s.t, c), xp.where(new_c, f, fc)
    known = second | shift | between | rises
    done = known & ~(fc < fb)

    stride = c + (1 + _GOLDEN) * (c - b)
    # The parabola's minimum, at most so far.
    p1, p2 = (b - a) * (fb - fc), (b - c) * (fb - fa)
    bend = p2 - p1
    bend = xp.where(xp.abs(bend) < 1e-21, xp.full_like(bend, 1e-21), bend)
    w = b - ((b - c) * p2 - (b - a) * p1) / (2 * bend)
    far = b + _LIMIT * (c - b)
    within = (w - c) * (b - w) > 0
    over = ~within & ((w - far) * (far - c) >= 0)
    out = ~within & ~over & ((w - far) * (c - w) > 0)
    w = xp.where(within | out, w, xp.where(over, far, stride))
    kind = xp.full_like(s.kind, _PLAIN)
    for mask, code in ((out, _BEYOND), (within, _INNER)):
        kind = xp.where(mask, xp.full_like(kind, code), kind)
    plain = further | on
    t = xp.where(first, b + (1 + _GOLDEN) * (b - a), xp.where(plain, stride, w))
    kind = xp.where(
        first, xp.full_like(kind, _SECOND), xp.where(plain, xp.full_like(kind, _PLAIN), kind)
    )
    lower, upper = xp.minimum(a, c), xp.maximum(a, c)
    turned, no_a, no_c = a > c, ~xp.isfinite(fa), ~xp.isfinite(fc)
    zero = xp.zeros_like(f)
    return s._replace(
        kind=xp.where(done, xp.full_like(kind, _BRENT), kind),
        t=t,
        a=xp.where(done, lower, a),
        b=b,
        c=xp.where(done, upper, c),
        fa=fa,
        fb=fb,
        fc=fc,
        edge_a=done & xp.where(turned, no_c, no_a),
        edge_c=done & xp.where(turned, no_a, no_c),
        w=xp.where(done, b, s.w),
        v=xp.where(done, b, s.v),
        fw=xp.where(done, fb, s.fw),
        fv=xp.where(done, fb, s.fv),
        d=xp.where(done, zero, s.d),
        e=xp.where(done, zero, s.e),
        count=s.count + 1,
    )


def _narrowed(xp: Any, s: _State, f: Any) -> _State:
    """Take in a value within a bracket."""
    u, x, fx = s.t, s.b, s.fb
    lower = (f <= fx) | (s.fw == xp.inf)  # the first value replaces nothing
    right = u >= x
    a = xp.where(lower, xp.where(right, x, s.a), xp.where(right, s.a, u))
    c = xp.where(lower, xp.where(right, s.c, x), xp.where(right, u, s.c))
    left, out = ~right, ~xp.isfinite(f)
    edge_a = xp.where(lower, left & s.edge_a, xp.where(right, s.edge_a, out))
    edge_c = xp.where(lower, right & s.edge_c, xp.where(right, out, s.edge_c))
    new = s.fw == xp.inf
    a, c = xp.where(new, s.a, a), xp.where(new, s.c, c)
    second = ~lower & ((f <= s.fw) | (s.w == x))
    third = ~lower & ~second & ((f <= s.fv) | (s.v == x) | (s.v == s.w))
    moves = lower | second
    return s._replace(
        a=a,
        b=xp.where(lower, u, x),
        c=c,
        edge_a=xp.where(new, out, edge_a),
        edge_c=xp.where(new, out, edge_c),
        fb=xp.where(lower, f, fx),
        w=xp.where(new, u, xp.where(lower, x, xp.where(second, u, s.w))),
        fw=xp.where(new, f, xp.where(lower, fx, xp.where(second, f, s.fw))),
        v=xp.where(new, u, xp.where(moves, s.w, xp.where(third, u, s.v))),
        fv=xp.where(new, f, xp.where(moves, s.fw, xp.where(third, f, s.fv))),
        count=s.count + 1,
    )


def _next(xp: Any, s: _State, brent: Any, tolerance: _Tolerance) -> _State:
    """Choose the next step within a bracket, or end."""
    x = s.b
    tol = tolerance.relative * xp.abs(x) + tolerance.absolute
    middle = 0.5 * (s.a + s.c)
    near = xp.abs(x - middle) <= 2 * tol - 0.5 * (s.c - s.a)
    r, q = (x - s.w) * (s.fb - s.fv), (x - s.v) * (s.fb - s.fw)
    p = (x - s.v) * q - (x - s.w) * r
    q = 2 * (q - r)
    p = xp.where(q > 0, -p, p)
    q = xp.abs(q)
    fits = (xp.abs(s.e) > tol) & (xp.abs(p) < xp.abs(0.5 * q * s.e)) & xp.isfinite(p)
    fits = fits & (p > q * (s.a - x)) & (p < q * (s.c - x)) & (q > 0)
    move = p / xp.where(q > 0, q, xp.ones_like(q))
    u = x + move
    at_end = (u - s.a < 2 * tol) | (s.c - u < 2 * tol)
    move = xp.where(at_end, xp.where(middle >= x, tol, -tol), move)
    section = xp.where(x >= middle, s.a - x, s.c - x)
    e = xp.where(fits, s.d, section)
    d = xp.where(fits, move, _SECTION * section)
    short = xp.where(d >= 0, tol, -tol)
    t = x + xp.where(xp.abs(d) >= tol, d, short)
    lost = ~xp.isfinite(s.a) | ~xp.isfinite(s.c)
    code = outcomes(x, (brent & (near | lost), Outcome.CONVERGED))
    return s._replace(
        t=xp.where(brent, t, s.t),
        d=xp.where(brent, d, s.d),
        e=xp.where(brent, e, s.e),
        status=xp.where(s.status == Outcome.RUNNING, code, s.status),
    )
