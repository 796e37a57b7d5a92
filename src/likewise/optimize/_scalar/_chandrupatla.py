"""Chandrupatla's bracketing algorithms for a whole batch: roots (1997) and minima (1998).

T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
function without using derivatives, Advances in Engineering Software 28 (1997) 145-149.
T. R. Chandrupatla, An efficient quadratic fit-sectioning algorithm for minimization without
derivatives, Computer Methods in Applied Mechanics and Engineering 152 (1998) 211-217.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, filled
from ...solving._outcome import Outcome, outcomes

__all__ = ["Bracketed", "minima", "roots"]

_GOLDEN = (3 - 5**0.5) / 2  # of the longer part of a bracket: where it is cut


class _Root(NamedTuple):
    x1: Any  # the newest point; the root lies between it and the second
    f1: Any
    x2: Any
    f2: Any
    x3: Any  # the point that was left last
    f3: Any
    t: Any  # where the next point lies, from 0 at x1 to 1 at x2
    status: Any
    nfev: Any
    nit: Any


class Bracketed(NamedTuple):
    """Hold the tolerances of SciPy's `find_root` and `find_minimum`."""

    xatol: float
    xrtol: float
    fatol: float
    frtol: float


def roots(
    fun: Elementwise, a: Any, b: Any, args: tuple[Any, ...], tol: Bracketed, most: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return best point and value, bracket and its values; status, evaluations, iterations."""
    xp = array_namespace(a, b)
    fa, fb = fun(a, args), fun(b, args)
    least = tol.fatol + xp.minimum(xp.abs(fa), xp.abs(fb)) * tol.frtol
    half = xp.full_like(a, 0.5)
    start = _Root(a, fa, b, fb, b, fb, half, filled(a, Outcome.RUNNING), filled(a, 2), filled(a, 0))
    same = xp.sign(fa) == xp.sign(fb)
    first = outcomes(
        a,
        (same & (fa != 0), Outcome.BAD_BRACKET),
        (xp.isnan(fa) | xp.isnan(fb) | ~(xp.isfinite(a) & xp.isfinite(b)), Outcome.NOT_FINITE),
    )
    # `least` has a value per batch element, and elements may be dropped: pass it as an argument.
    judged = _judged(xp, start, least, tol)
    start = judged._replace(status=xp.where(first == Outcome.RUNNING, judged.status, first))

    def step(more: tuple[Any, ...], s: _Root) -> _Root:
        least, args = more[0], more[1:]
        x = s.x1 + s.t * (s.x2 - s.x1)
        f = fun(x, args)
        same = xp.sign(f) == xp.sign(s.f1)
        now = _Root(
            x,
            f,
            xp.where(same, s.x2, s.x1),
            xp.where(same, s.f2, s.f1),
            xp.where(same, s.x1, s.x2),
            xp.where(same, s.f1, s.f2),
            s.t,
            s.status,
            s.nfev + 1,
            s.nit + 1,
        )
        return _judged(xp, now, least, tol)

    method = Method(lambda _: start, step, value=lambda s: s.f1 == s.f1, lean=True)
    end = iterate(method, (least, *args), most, share=8)
    code = end.status
    nearer = xp.abs(end.f1) < xp.abs(end.f2)
    nan = xp.full_like(a, xp.nan)
    lost = (code == Outcome.BAD_BRACKET) | (code == Outcome.NOT_FINITE)
    swap = end.x1 > end.x2
    return (
        xp.where(lost, nan, xp.where(nearer, end.x1, end.x2)),
        xp.where(lost, nan, xp.where(nearer, end.f1, end.f2)),
        xp.where(swap, end.x2, end.x1),
        xp.where(swap, end.x1, end.x2),
        xp.where(swap, end.f2, end.f1),
        xp.where(swap, end.f1, end.f2),
    ), (code, end.nfev, end.nit)


def _judged(xp: Any, s: _Root, least: Any, tol: Bracketed) -> _Root:
    """The state with its status, and the place of the next point (1997, equations 6 to 8)."""
    nearer = xp.abs(s.f1) < xp.abs(s.f2)
    best = xp.abs(xp.where(nearer, s.x1, s.x2))
    small = xp.where(nearer, xp.abs(s.f1), xp.abs(s.f2))
    wide = s.x2 - s.x1
    width, allowed = xp.abs(wide), tol.xatol + best * tol.xrtol
    code = outcomes(s.x1, ((width < allowed) | (small <= least), Outcome.CONVERGED))
    # Inverse quadratic interpolation where it is monotonic between the points, else bisection.
    d12, d32 = s.f1 - s.f2, s.f3 - s.f2
    xi, phi = wide / (s.x2 - s.x3), d12 / d32
    monotonic = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi)
    d31 = s.f3 - s.f1
    t = s.f1 / d12 * (s.f3 / d32) + (s.x3 - s.x1) / wide * (s.f1 / d31) * (s.f2 / d32)
    edge = 0.5 * allowed / width
    t = xp.where(monotonic, t, xp.full_like(t, 0.5))
    t = xp.minimum(xp.maximum(t, edge), 1 - edge)
    return s._replace(t=t, status=code)


class _Minimum(NamedTuple):
    x1: Any
    f1: Any
    x2: Any  # the middle, and the best
    f2: Any
    x3: Any  # the farther of the ends
    f3: Any
    q: Any  # the last minimum of a parabola
    status: Any
    nfev: Any
    nit: Any


def _first(
    points: tuple[Any, Any, Any], values: tuple[Any, Any, Any], nfev: Any, tol: Bracketed
) -> _Minimum:
    """The points in order, and whether they are a bracket."""
    xp = array_namespace(*points)
    a, m, b = points
    fa, fm, fb = values
    swap = a > b
    a, b = xp.where(swap, b, a), xp.where(swap, a, b)
    fa, fb = xp.where(swap, fb, fa), xp.where(swap, fa, fb)
    ordered = (a <= m) & (m <= b) & (fa >= fm) & (fm <= fb)
    finite = xp.isfinite(a) & xp.isfinite(b) & ~xp.isnan(fa + fb + fm)
    first = outcomes(m, (~ordered, Outcome.BAD_BRACKET), (~finite, Outcome.NOT_FINITE))
    zero = filled(m, 0)
    start = _measured(xp, _Minimum(a, fa, m, fm, b, fb, b, zero, nfev, zero), tol)
    code = xp.where(first == Outcome.RUNNING, start.status, first)
    return start._replace(q=start.x3, status=code)


def minima(
    fun: Elementwise,
    points: tuple[Any, Any, Any],
    values: tuple[Any, Any, Any],
    nfev: Any,
    args: tuple[Any, ...],
    tol: Bracketed,
    most: int,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return middle and value, the bracket's points and values; status, evaluations, iterations."""
    xp = array_namespace(*points)
    start = _first(points, values, nfev, tol)

    def step(args: tuple[Any, ...], s: _Minimum) -> _Minimum:
        # The minimum of the parabola through the three points (1998, equation 6).
        u, v = (s.x1 - s.x2) * (s.f3 - s.f2), (s.x3 - s.x2) * (s.f1 - s.f2)
        share = u / (u - v)
        q = 0.5 * (share * (s.x1 - s.x3) + s.x2 + s.x3)
        fits = xp.abs(q - s.q) < 0.5 * xp.abs(s.x2 - s.x1)
        near = xp.abs(s.x2) * tol.xrtol + tol.xatol
        beside = xp.abs(q - s.x2) <= near
        aside = xp.where(beside, s.x2 + xp.sign(s.x3 - s.x2) * near, q)
        x = xp.where(fits, aside, s.x2 + _GOLDEN * (s.x3 - s.x2))
        f = fun(x, args)
        far = xp.sign(x - s.x2) == xp.sign(s.x3 - s.x2)
        worse = f > s.f2
        now = _Minimum(
            xp.where(far, xp.where(worse, s.x1, s.x2), xp.where(worse, x, s.x1)),
            xp.where(far, xp.where(worse, s.f1, s.f2), xp.where(worse, f, s.f1)),
            xp.where(worse, s.x2, x),
            xp.where(worse, s.f2, f),
            xp.where(far, xp.where(worse, x, s.x3), xp.where(worse, s.x3, s.x2)),
            xp.where(far, xp.where(worse, f, s.f3), xp.where(worse, s.f3, s.f2)),
            q,
            s.status,
            s.nfev + 1,
            s.nit + 1,
        )
        return _measured(xp, now, tol)

    end = iterate(
        Method(lambda _: start, step, value=lambda s: s.f2 == s.f2, lean=True), args, most, share=8
    )
    code = end.status
    nan = xp.full_like(end.x2, xp.nan)
    lost = (code == Outcome.BAD_BRACKET) | (code == Outcome.NOT_FINITE)
    swap = end.x1 > end.x3
    return (
        xp.where(lost, nan, end.x2),
        xp.where(lost, nan, end.f2),
        xp.where(swap, end.x3, end.x1),
        end.x2,
        xp.where(swap, end.x1, end.x3),
        xp.where(swap, end.f3, end.f1),
        end.f2,
        xp.where(swap, end.f1, end.f3),
    ), (code, end.nfev, end.nit)


def _measured(xp: Any, s: _Minimum, tol: Bracketed) -> _Minimum:
    """The state with the longer part of the bracket at its end, and its status."""
    swap = xp.abs(s.x3 - s.x2) < xp.abs(s.x2 - s.x1)
    s = s._replace(
        x1=xp.where(swap, s.x3, s.x1),
        f1=xp.where(swap, s.f3, s.f1),
        x3=xp.where(swap, s.x1, s.x3),
        f3=xp.where(swap, s.f1, s.f3),
    )
    narrow = xp.abs(s.x3 - s.x2) <= 2 * (xp.abs(s.x2) * tol.xrtol + tol.xatol)
    flat = s.f1 - 2 * s.f2 + s.f3 <= 2 * (xp.abs(s.f2) * tol.frtol + tol.fatol)
    return s._replace(status=outcomes(s.x2, (narrow | flat, Outcome.CONVERGED)))
