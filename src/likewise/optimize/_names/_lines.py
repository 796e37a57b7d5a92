"""Minima of functions of one variable, by SciPy's function of each method, and Newton's of several.

As in `_minima`, where the others are.
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
        Three points, the middle one the lowest, or two from which the search goes downhill.
        Default: 0 and 1.
    tol : float, optional
        The relative tolerance of the minimum's place.
    full_output : bool, optional
        Whether more is returned than that.
    maxiter : int, optional
        The most iterations.

    Returns
    -------
    xmin : float or array
    fval, iter, funcalls
        With `full_output`: the value, iterations and evaluations.

    Notes
    -----
    `minimize_scalar` with 'brent'.

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
    """Minimise a function of one variable by golden sections, and by parabolas where they help.

    Parameters
    ----------
    func, args, brack, tol, full_output, maxiter
        As for `brent`.

    Returns
    -------
    xmin : float or array
    fval, funcalls
        With `full_output`: the value, and evaluations.

    Notes
    -----
    `minimize_scalar` with 'golden', for which 'brent' stands in.

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
    avextol: float | None = None,
    epsilon: Any = None,
    maxiter: int | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: Callable[..., Any] | None = None,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> Any:
    """Minimise a function of several variables by a Newton method of conjugate gradients.

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
        Arguments of all.
    avextol, epsilon : optional
        Taken for SciPy's sake, without effect.
    maxiter : int, optional
        The most iterations. Default: 200 n.
    full_output : bool, optional
        Whether more is returned than the minimum's place.
    disp : bool, optional
        Whether a warning tells of a minimum that wasn't found; nothing is printed.
    retall : bool, optional
        Whether a list of the points of all iterations is returned last.
    callback : callable, optional
        As for `minimize`.
    c1, c2 : float, optional
        Taken for SciPy's sake, without effect.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, fcalls, gcalls, hcalls, warnflag
        With `full_output`: the value; evaluations of `f`, and of the gradient with products with
        the Hessian, which are not counted apart, so 0; and as for `fmin`.

    Notes
    -----
    `minimize` with 'trust-ncg', whose steps stay within a region of trust; SciPy's function
    searches along the directions instead. Ends by the norm of the gradient, 1e-8 of which is left.

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
        "trust-ncg",
        fprime,
        fhess,
        fhess_p,
        callback=told,
        options={"maxiter": maxiter, "gtol": 1e-8},
    )
    flag = _told("fmin_ncg", found, disp)
    made = (found.x, found.fun, found.nfev, found.njev, 0, flag) if full_output else found.x
    return _with(made, points, retall)
