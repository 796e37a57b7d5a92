"""Newton's, Halley's and the secant method for one unknown, for a whole batch at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, filled
from ...solving._outcome import Outcome, outcomes

__all__ = ["newton", "secant"]

_BESIDE = 1e-3  # how near the two points are, relative to 1 + |x|, that tell a slope

Found = tuple[tuple[Any, ...], tuple[Any, ...]]  # the root; status, evaluations, iterations


class _Newton(NamedTuple):
    x: Any
    status: Any
    nfev: Any
    nit: Any


def newton(
    fun: Elementwise,
    slopes: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]],
    order: int,
    x0: Any,
    args: tuple[Any, ...],
    xtol: float,
    rtol: float,
    most: int,
) -> Found:
    """Take steps with the first `order` derivatives: Newton's for 1, Halley's for 2.

    ``slopes(x, args)`` returns the value and the derivatives. A problem has converged when its step
    is at most ``xtol + rtol |x|``.
    """
    xp = array_namespace(x0)

    def step(args: tuple[Any, ...], s: _Newton) -> _Newton:
        f, *derivatives = slopes(s.x, args)
        d = derivatives[0]
        move = f / d
        if order == 2:  # Halley's denominator, where it shortens or lengthens by a factor at most
            bend = 0.5 * move * derivatives[1] / d
            usable = xp.abs(bend) < 1
            move = xp.where(usable, move / xp.where(usable, 1 - bend, xp.ones_like(bend)), move)
        root = f == 0
        move = xp.where(root, xp.zeros_like(move), move)
        x = s.x - move
        code = outcomes(
            x,
            (xp.abs(move) <= xtol + rtol * xp.abs(x), Outcome.CONVERGED),
            ((d == 0) & ~root, Outcome.FLAT),
        )
        x = xp.where(code == Outcome.FLAT, s.x, x)
        each = 1 if fun.joined >= order else order + 1
        calls = xp.where(root, xp.ones_like(s.nfev), xp.full_like(s.nfev, each))
        return _Newton(x, code, s.nfev + calls, xp.where(root, s.nit, s.nit + 1))

    zero = filled(x0, 0)
    start = _Newton(x0, zero, zero, zero)
    end = iterate(
        Method(lambda _: start, step, value=lambda s: s.x, lean=True), args, most, share=8
    )
    return (end.x,), (end.status, end.nfev, end.nit)


class _Secant(NamedTuple):
    x: Any  # where the function is evaluated next
    old: Any
    fold: Any
    first: Any  # the magnitude of the first value
    status: Any
    nfev: Any
    nit: Any


def secant(
    fun: Elementwise, x0: Any, x1: Any, args: tuple[Any, ...], xtol: float, rtol: float, most: int
) -> Found:
    """Find roots by the secant method from two points.

    Short steps alone don't prove convergence: if the function is large at one point, steps from the
    other are short, however far away a root is.
    """
    xp = array_namespace(x0, x1)
    f0 = fun(x0, args)
    first = outcomes(
        x0,
        (f0 == 0, Outcome.CONVERGED),
        (~(xp.isfinite(x0) & xp.isfinite(x1)) | xp.isnan(f0), Outcome.NOT_FINITE),
    )
    x = xp.where(f0 == 0, x0, x1)
    start = _Secant(x, x0, f0, xp.abs(f0), first, filled(x0, 1), filled(x0, 0))

    def step(args: tuple[Any, ...], s: _Secant) -> _Secant:
        f = fun(s.x, args)
        # Divided by the larger value, so that nothing overflows.
        ratio, inverse = f / s.fold, s.fold / f
        ours = (s.x - ratio * s.old) / (1 - ratio)
        theirs = (s.old - inverse * s.x) / (1 - inverse)
        x = xp.where(xp.abs(ratio) <= 1, ours, theirs)
        found = f == 0
        x = xp.where(found, s.x, x)
        flat = (f == s.fold) & ~found
        near, size = xtol + rtol * xp.abs(x), 1 + xp.abs(x)
        sure = (xp.abs(f) <= 0.5 * s.first) | (xp.abs(s.x - s.old) <= _BESIDE * size)
        code = outcomes(
            x,
            (found | (sure & (xp.abs(x - s.x) <= near)), Outcome.CONVERGED),
            (flat, Outcome.FLAT),
        )
        return _Secant(xp.where(flat, s.x, x), s.x, f, s.first, code, s.nfev + 1, s.nit + 1)

    end = iterate(
        Method(lambda _: start, step, value=lambda s: s.x, lean=True), args, most, share=8
    )
    return (end.x,), (end.status, end.nfev, end.nit)
