"""SciPy's `bracket` and `line_search`, for one problem with values."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, is_lazy, scalar
from ..._native import public
from ...errors import ConvergenceError, NotSupported
from .._steps._line_search import advance, begin, longest
from ._minima import _given
from ._warn import warn

__all__ = ["bracket", "line_search"]

_GOLDEN = 1.618034  # how much farther than before a step downhill goes
_TINY = 1e-21  # the least that a parabola's bend is divided by


def _at_hand(function: str, value: Any, instead: str) -> None:
    """Refuse arrays without values."""
    if hasattr(value, "shape") and is_lazy(value):
        raise NotSupported(
            f"{function}: it looks at values, and there are none under a transform or of a lazy "
            f"array: take {instead}"
        )


@public
def bracket(
    func: Callable[..., Any],
    xa: Any = 0.0,
    xb: Any = 1.0,
    args: Any = (),
    grow_limit: float = 110.0,
    maxiter: int = 1000,
) -> tuple[Any, ...]:
    """Find three points around a minimum of a function of one variable by a downhill search.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, a number.
    xa, xb : float or array of shape (), optional
        Start values.
    args : tuple, optional
        Arguments of `func`.
    grow_limit : float, optional
        The maximum ratio of a step to the previous one.
    maxiter : int, optional
        The maximum number of steps.

    Returns
    -------
    xa, xb, xc : float or array
        Points in ascending or descending order; the function is lowest at the middle one.
    fa, fb, fc : float or array
        The values at these points.
    funcalls : int
        The number of evaluations.

    Raises
    ------
    ConvergenceError
        If `maxiter` steps find no bracket, or points are no longer finite.
    NotSupported
        If arrays are lazy, or under a transform.

    Notes
    -----
    A step goes to the vertex of the parabola through the last three points if that lies ahead;
    otherwise it grows by the golden ratio: W. H. Press et al., Numerical Recipes, 3rd edition,
    section 10.1. The points equal SciPy's. The function reads each value; use `bracket_minimum` for
    lazy arrays and for batches.

    Examples
    --------
    >>> from likewise.optimize import bracket
    >>> xa, xb, xc, fa, fb, fc, _ = bracket(lambda x: (x - 5.0) ** 2)
    >>> xa < 5.0 < xc, fb <= fa and fb <= fc
    (True, True)
    """
    more = _given(args)
    xa, xb = (scalar(x) if hasattr(x, "shape") else x for x in (xa, xb))
    fa, fb = func(xa, *more), func(xb, *more)
    _at_hand("bracket", fb, "bracket_minimum")
    if fa < fb:
        xa, xb, fa, fb = xb, xa, fb, fa
    xc = xb + _GOLDEN * (xb - xa)
    fc, calls, steps = func(xc, *more), 3, 0
    while fc < fb:
        if steps > maxiter:
            raise ConvergenceError(
                f"bracket: No valid bracket was found before the iteration limit was reached, "
                f"{maxiter}: raise maxiter, or begin elsewhere"
            )
        steps += 1
        x = _lowest(xa, xb, xc, fa, fb, fc)
        limit = xb + grow_limit * (xc - xb)
        inside = (x - xc) * (xb - x) > 0  # between b and c
        downhill = (x - limit) * (xc - x) > 0  # farther than c
        if not inside and (x - limit) * (limit - xc) >= 0:
            x = limit
        elif not inside and not downhill:
            x = xc + _GOLDEN * (xc - xb)
        fx, calls = func(x, *more), calls + 1
        if inside:
            if fx < fc:
                xa, fa, xb, fb = xb, fb, x, fx
                break
            if fx > fb:
                xc, fc = x, fx
                break
            x = xc + _GOLDEN * (xc - xb)
            fx, calls = func(x, *more), calls + 1
        elif downhill and fx < fc:  # one step farther
            xb, fb, xc, fc = xc, fc, x, fx
            x = xc + _GOLDEN * (xc - xb)
            fx, calls = func(x, *more), calls + 1
        xa, fa, xb, fb, xc, fc = xb, fb, xc, fc, x, fx
    low = (fb < fc and fb <= fa) or (fb < fa and fb <= fc)
    ordered = -math.inf < xa < xb < xc < math.inf or math.inf > xa > xb > xc > -math.inf
    if not (low and ordered):
        raise ConvergenceError("bracket: The algorithm terminated without finding a valid bracket")
    return xa, xb, xc, fa, fb, fc, calls


def _lowest(xa: Any, xb: Any, xc: Any, fa: Any, fb: Any, fc: Any) -> Any:
    """Return where a parabola through three points has its vertex."""
    left, right = (xb - xa) * (fb - fc), (xb - xc) * (fb - fa)
    twice = 2.0 * (right - left)
    if abs(right - left) < _TINY:
        twice = 2.0 * _TINY
    return xb - ((xb - xc) * right - (xb - xa) * left) / twice


@public
def line_search(
    f: Callable[..., Any],
    myfprime: Callable[..., Any],
    xk: Any,
    pk: Any,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    args: Any = (),
    c1: float = 1e-4,
    c2: float = 0.9,
    amax: float | None = None,
    extra_condition: Callable[..., Any] | None = None,
    maxiter: int = 10,
) -> tuple[Any, ...]:
    """Find a step along a direction that meets the strong Wolfe conditions.

    Parameters
    ----------
    f, myfprime : callable
        ``f(x, *args)``, a number, and its gradient.
    xk, pk : array, shape (n,)
        The start, and the direction.
    gfk, old_fval, old_old_fval : optional
        The gradient and value at the start, and the value at the previous point.
    args : tuple, optional
        Arguments of both.
    c1, c2 : float, optional
        Fractions of the slope at the start: `c1` for the sufficient decrease, `c2` for the slope
        that may remain.
    amax : float, optional
        The longest step. Default: none.
    extra_condition : callable, optional
        ``extra_condition(alpha, x, f, g)`` says whether to accept a step.
    maxiter : int, optional
        The maximum number of steps to try.

    Returns
    -------
    alpha : float or array, or None
        The step; None, with a warning, if none was found.
    fc, gc : int
        Evaluations of the function and of the gradient.
    new_fval, old_fval : float or array
        The values after and before the step; the first is None if no step was found.
    new_slope : array, or None
        The product of the gradient after the step with the direction.

    Raises
    ------
    NotSupported
        If arrays are lazy, or under a transform.

    Warns
    -----
    OptimizeWarning
        If no step was found.

    Notes
    -----
    J. J. Moré, D. J. Thuente, ACM TOMS 20(3), 1994, as in `minimize`. The function reads each
    value, so it doesn't take lazy arrays.

    Differs from SciPy: another algorithm with the same conditions; the last value is always the
    product.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import line_search
    >>> f, g = lambda x: np.sum(x**2), lambda x: 2.0 * x
    >>> line_search(f, g, np.asarray([1.8, 1.7]), np.asarray([-1.0, -1.0]))[0]
    np.float64(1.0)
    """
    xp, more = array_namespace(xk, pk), _given(args)
    calls = slopes = 0
    _at_hand("line_search", xk, "minimize")
    if old_fval is None:
        old_fval, calls = f(xk, *more), 1
    if gfk is None:
        gfk, slopes = myfprime(xk, *more), 1
    slope, value = xp.sum(gfk * pk), xp.sum(0 * xk) + old_fval
    step = xp.ones_like(value)
    if old_old_fval is not None:
        guess = 1.01 * 2 * (value - old_old_fval) / slope
        step = xp.where(guess > 0, xp.minimum(step, guess), step)
    cap = xp.full_like(value, longest(xp, value) if amax is None else amax)
    search = begin(xp, step[None], value[None], slope[None], cap[None])
    for _ in range(maxiter):
        alpha = search.step[0]
        x = xk + alpha * pk
        new, gradient = f(x, *more), myfprime(x, *more)
        calls, slopes = calls + 1, slopes + 1
        slope, value = xp.sum(gradient * pk), xp.sum(0 * x) + new
        usable = xp.isfinite(value) & xp.isfinite(slope)
        search, told = advance(xp, search, value[None], slope[None], usable[None], c1, c2, maxiter)
        if bool(told.good[0]) and (
            extra_condition is None or extra_condition(alpha, x, new, gradient)
        ):
            return alpha, calls, slopes, new, old_fval, slope
        if bool(told.failed[0]) or bool(told.best[0]):
            break
    warn("The line search algorithm did not converge: no step met the conditions")
    return None, calls, slopes, None, old_fval, None
