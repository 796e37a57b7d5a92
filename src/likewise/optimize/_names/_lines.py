"""SciPy's functions `brent`, `golden` and `fmin_ncg`.

`_minima` has the others.
"""

import sys
from collections.abc import Callable
from typing import Any

from ..._native import public
from .._minimize import minimize
from .._scalar import minimize_scalar
from ._minima import _given, _kept, _told, _with

__all__ = ["brent", "fmin_ncg", "golden"]


@public
def brent(
    func: Callable[..., Any],
    args: Any = (),
    brack: Any = None,
    tol: float = 1.48e-8,
    full_output: bool = False,
    maxiter: int = 500,
) -> Any:
    """Minimise a function of one variable by Brent's method.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, elementwise, as for `minimize_scalar`.
    args : tuple, optional
        Arguments of `func`.
    brack : tuple of two or three floats or arrays, optional
        Three points, lowest in the middle, or two points from which a search for such a bracket
        goes downhill. Default: 0 and 1.
    tol : float, optional
        The relative tolerance of the minimizer.
    full_output : bool, optional
        Whether to return more than the minimizer.
    maxiter : int, optional
        The maximum number of iterations.

    Returns
    -------
    xmin : float or array
    fval, iter, funcalls
        With `full_output`: the minimum, iterations and evaluations.

    Notes
    -----
    Calls `minimize_scalar` with 'brent'.

    Examples
    --------
    >>> from likewise.optimize import brent
    >>> round(float(brent(lambda x: (x - 1.0) ** 2)), 6)
    1.0
    """
    options = {"maxiter": maxiter, "xtol": tol}
    found = minimize_scalar(func, bracket=brack, args=args, method="brent", options=options)
    return (found.x, found.fun, found.nit, found.nfev) if full_output else found.x


@public
def golden(
    func: Callable[..., Any],
    args: Any = (),
    brack: Any = None,
    tol: float = sys.float_info.epsilon**0.5,
    full_output: bool = False,
    maxiter: int = 5000,
) -> Any:
    """Minimise a function of one variable by golden sections and parabolas.

    Parameters
    ----------
    func, args, brack, tol, full_output, maxiter
        As for `brent`.

    Returns
    -------
    xmin : float or array
    fval, funcalls
        With `full_output`: the minimum, and evaluations.

    Notes
    -----
    Calls `minimize_scalar` with 'golden', which runs 'brent'.

    Examples
    --------
    >>> from likewise.optimize import golden
    >>> round(float(golden(lambda x: (x - 1.0) ** 2)), 6)
    1.0
    """
    options = {"maxiter": maxiter, "xtol": tol}
    found = minimize_scalar(func, bracket=brack, args=args, method="golden", options=options)
    return (found.x, found.fun, found.nfev) if full_output else found.x


@public
def fmin_ncg(
    f: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    fhess_p: Callable[..., Any] | None = None,
    fhess: Callable[..., Any] | None = None,
    args: Any = (),
    avextol: float = 1e-5,
    epsilon: Any = None,
    maxiter: int | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: Callable[..., Any] | None = None,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> Any:
    """Minimise a function of several variables by Newton's method with conjugate gradients.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    fprime : callable, optional
        The gradient. Default: exact, by the library's derivatives.
    fhess_p, fhess : callable, optional
        ``fhess_p(x, p, *args)``, the Hessian's product with a vector, or ``fhess(x, *args)``, the
        Hessian. Default: exact.
    args : tuple, optional
        Arguments of these functions.
    avextol : float, optional
        It ends where the mean size of a step's elements is at most this.
    epsilon : optional
        Accepted for SciPy's sake, without effect.
    maxiter : int, optional
        The maximum number of iterations. Default: 200 n.
    full_output : bool, optional
        Whether to return more than the minimizer.
    disp : bool, optional
        Whether to warn if no minimum was found; nothing is printed.
    retall : bool, optional
        Whether to also return a list of the iterates, as the last value.
    callback : callable, optional
        As for `minimize`.
    c1, c2 : float, optional
        The conditions that a step must meet: of the value and of the slope.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, fcalls, gcalls, hcalls, warnflag
        With `full_output`: the minimum; evaluations of `f`; evaluations of the gradient, including
        products with the Hessian; 0; and the flag of `fmin`.

    Notes
    -----
    Calls `minimize` with 'Newton-CG'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_ncg
    >>> fmin_ncg(lambda x: np.sum((x - 1.0) ** 4 + x**2), np.zeros(2)).round(6)
    array([0.410245, 0.410245])
    """
    points, told = _kept("fmin_ncg", x0, callback, retall)
    found = minimize(
        f,
        x0,
        _given(args),
        "Newton-CG",
        fprime,
        fhess,
        fhess_p,
        callback=told,
        options={"xtol": avextol, "maxiter": maxiter, "c1": c1, "c2": c2},
    )
    flag = _told("fmin_ncg", found, disp)
    made = (found.x, found.fun, found.nfev, found.njev, 0, flag) if full_output else found.x
    return _with(made, points, retall)
