"""Bisection and Brent's methods for roots in brackets, for a whole batch at once.

R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4; the hyperbolic step
is that of J. C. P. Bus, T. J. Dekker, ACM Transactions on Mathematical Software 1 (1975) 330-345.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, filled
from ...solving._outcome import Outcome, outcomes

__all__ = ["bisect", "brent"]

Found = tuple[tuple[Any, ...], tuple[Any, ...]]  # the root; status, evaluations, iterations


def _first(fa: Any, fb: Any, a: Any, b: Any) -> Any:
    """The status of brackets before the first step."""
    xp = array_namespace(a, b)
    known = xp.isfinite(a) & xp.isfinite(b) & ~xp.isnan(fa) & ~xp.isnan(fb)
    zero = (fa == 0) | (fb == 0)
    return outcomes(
        a,
        (xp.sign(fa) == xp.sign(fb), Outcome.BAD_BRACKET),
        (zero, Outcome.CONVERGED),
        (~known, Outcome.NOT_FINITE),
    )


def _last(x: Any, code: Any, nfev: Any, nit: Any) -> Found:
    xp = array_namespace(x)
    lost = (code == Outcome.BAD_BRACKET) | (code == Outcome.NOT_FINITE)
    return (xp.where(lost, xp.full_like(x, xp.nan), x),), (code, nfev, nit)


class _Halves(NamedTuple):
    a: Any
    fa: Any
    width: Any
    x: Any
    status: Any
    nfev: Any
    nit: Any


def bisect(
    fun: Elementwise, a: Any, b: Any, args: tuple[Any, ...], xtol: float, rtol: float, most: int
) -> Found:
    """Halve brackets until half of one is shorter than ``xtol + rtol |x|``."""
    xp = array_namespace(a, b)
    fa, fb = fun(a, args), fun(b, args)
    x = xp.where(fa == 0, a, b)
    start = _Halves(a, fa, b - a, x, _first(fa, fb, a, b), filled(a, 2), filled(a, 0))

    def step(args: tuple[Any, ...], s: _Halves) -> _Halves:
        width = 0.5 * s.width
        x = s.a + width
        f = fun(x, args)
        same = xp.sign(f) == xp.sign(s.fa)
        code = outcomes(
            x,
            ((f == 0) | (xp.abs(width) < xtol + rtol * xp.abs(x)), Outcome.CONVERGED),
            (xp.isnan(f), Outcome.NOT_FINITE),
        )
        a, fa = xp.where(same, x, s.a), xp.where(same, f, s.fa)
        return _Halves(a, fa, width, x, code, s.nfev + 1, s.nit + 1)

    end = iterate(Method(lambda _: start, step, lean=True), args, most, share=8)
    return _last(end.x, end.status, end.nfev, end.nit)


class _Brent(NamedTuple):
    a: Any  # the best point before
    fa: Any
    b: Any  # the best point
    fb: Any
    c: Any  # the other end of the bracket
    fc: Any
    d: Any  # the last step
    e: Any  # the step before
    status: Any
    nfev: Any
    nit: Any


def brent(
    fun: Elementwise,
    a: Any,
    b: Any,
    args: tuple[Any, ...],
    xtol: float,
    rtol: float,
    most: int,
    hyperbolic: bool = False,
) -> Found:
    """Interpolate by inverse parabolas (or hyperbolas) and lines, with bisection as a safeguard."""
    xp = array_namespace(a, b)
    fa, fb = fun(a, args), fun(b, args)
    first = _first(fa, fb, a, b)
    step0 = b - a
    start = _Brent(a, fa, b, fb, a, fa, step0, step0, first, filled(a, 2), filled(a, 0))
    start = _judged(xp, start, xtol, rtol)
    start = start._replace(status=xp.where(first == Outcome.RUNNING, start.status, first))

    def step(args: tuple[Any, ...], s: _Brent) -> _Brent:
        tol, m = 0.5 * (xtol + rtol * xp.abs(s.b)), 0.5 * (s.c - s.b)
        r = s.fb / s.fa
        if hyperbolic:
            da, dc = (s.fa - s.fb) / (s.a - s.b), (s.fc - s.fb) / (s.c - s.b)
            third = -s.fb * (s.fc - s.fa) / (s.fc * da - s.fa * dc)
        else:
            q, v = s.fa / s.fc, s.fb / s.fc
            p = r * (2 * m * q * (q - v) - (s.b - s.a) * (v - 1))
            third = -p / ((q - 1) * (v - 1) * (r - 1))
        d = xp.where(s.a == s.c, (s.b - s.a) * r / (1 - r), third)
        # Into the bracket, by at most three quarters of it, and less than half the step before the
        # last; not where the steps have become small, or the last one did not help.
        short = (d * m > 0) & (xp.abs(d) < 1.5 * xp.abs(m) - 0.5 * tol)
        short = short & (xp.abs(d) < 0.5 * xp.abs(s.e))
        short = short & (xp.abs(s.e) >= tol) & (xp.abs(s.fa) > xp.abs(s.fb))
        d = xp.where(short, d, m)
        e = xp.where(short, s.d, m)
        x = s.b + xp.where(xp.abs(d) > tol, d, xp.where(m > 0, tol, -tol))
        f = fun(x, args)
        now = _Brent(s.b, s.fb, x, f, s.c, s.fc, d, e, s.status, s.nfev + 1, s.nit + 1)
        return _judged(xp, now, xtol, rtol)

    method = Method(lambda _: start, step, value=lambda s: s.fb == s.fb, lean=True)
    end = iterate(method, args, most, share=8)
    return _last(end.b, end.status, end.nfev, end.nit)


def _judged(xp: Any, s: _Brent, xtol: float, rtol: float) -> _Brent:
    """The state with the root between b, the better, and c, and with its status."""
    left = xp.sign(s.fb) == xp.sign(s.fc)
    c, fc = xp.where(left, s.a, s.c), xp.where(left, s.fa, s.fc)
    d, e = xp.where(left, s.b - s.a, s.d), xp.where(left, s.b - s.a, s.e)
    swap = xp.abs(fc) < xp.abs(s.fb)
    a, fa = xp.where(swap, s.b, s.a), xp.where(swap, s.fb, s.fa)
    b, fb = xp.where(swap, c, s.b), xp.where(swap, fc, s.fb)
    c, fc = xp.where(swap, s.b, c), xp.where(swap, s.fb, fc)
    near = xp.abs(c - b) <= xtol + rtol * xp.abs(b)
    code = outcomes(b, (near | (fb == 0), Outcome.CONVERGED))
    return _Brent(a, fa, b, fb, c, fc, d, e, code, s.nfev, s.nit)
