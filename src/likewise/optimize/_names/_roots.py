"""SciPy's functions for roots by single methods, which call `root_scalar` and `root`."""

import sys
from collections.abc import Callable
from typing import Any

from ..._namespace import is_lazy
from ..._native import public
from ...errors import ConvergenceError
from ...solving._watch import keeping
from .._scalar import root_scalar
from .._systems import root
from ._warn import several, warn

__all__ = ["bisect", "brenth", "brentq", "fsolve", "newton", "ridder", "toms748"]


def _returned(function: str, found: Any, full_output: bool, disp: bool) -> Any:
    """Return a root, and the full result if requested."""
    done = found.success
    if disp and not is_lazy(found.outcome):
        if found.outcome.ndim == 0 and not bool(done):
            raise ConvergenceError(f"{function}: Failed to converge: {found.message}")
        if found.outcome.ndim and not bool(done.all() if hasattr(done, "all") else True):
            warn(f"{function}: {found.summary()}")
    return (found.root, found) if full_output else found.root


@public
def brentq(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = 4 * sys.float_info.epsilon,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root in a bracket by Brent's method.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise, as for `root_scalar`.
    a, b : float or array
        The ends of a bracket, or of a batch of brackets; `f` must have opposite signs there.
    args : tuple, optional
        Arguments of `f`.
    xtol, rtol : float, optional
        The error of the root is at most ``xtol + rtol |root|``.
    maxiter : int, optional
        The maximum number of iterations.
    full_output : bool, optional
        Whether to also return the result of `root_scalar`.
    disp : bool, optional
        Whether to raise an error if `maxiter` is reached; a batch gives a warning instead.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ArgumentError
        If `f` has the same sign at both ends.
    ConvergenceError
        If `maxiter` is reached, with `disp`.

    Notes
    -----
    Calls `root_scalar` with ``method='brentq'``. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> from likewise.optimize import brentq
    >>> round(float(brentq(lambda x: x**2 - 2.0, 0.0, 2.0)), 9)
    1.414213562
    """
    with keeping(full_output, a, b):
        found = root_scalar(f, args, "brentq", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    return _returned("brentq", found, full_output, disp)


@public
def brenth(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = 4 * sys.float_info.epsilon,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root in a bracket by Brent's method with hyperbolic interpolation.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise, as for `root_scalar`.
    a, b : float or array
        The ends of a bracket, or of a batch of brackets; `f` must have opposite signs there.
    args : tuple, optional
        Arguments of `f`.
    xtol, rtol : float, optional
        The error of the root is at most ``xtol + rtol |root|``.
    maxiter : int, optional
        The maximum number of iterations.
    full_output : bool, optional
        Whether to also return the result of `root_scalar`.
    disp : bool, optional
        Whether to raise an error if `maxiter` is reached; a batch gives a warning instead.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ArgumentError
        If `f` has the same sign at both ends.
    ConvergenceError
        If `maxiter` is reached, with `disp`.

    Notes
    -----
    Calls `root_scalar` with ``method='brenth'``. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> from likewise.optimize import brenth
    >>> round(float(brenth(lambda x: x**2 - 2.0, 0.0, 2.0)), 9)
    1.414213562
    """
    with keeping(full_output, a, b):
        found = root_scalar(f, args, "brenth", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    return _returned("brenth", found, full_output, disp)


@public
def bisect(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = 4 * sys.float_info.epsilon,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root in a bracket by bisection.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise, as for `root_scalar`.
    a, b : float or array
        The ends of a bracket, or of a batch of brackets; `f` must have opposite signs there.
    args : tuple, optional
        Arguments of `f`.
    xtol, rtol : float, optional
        The error of the root is at most ``xtol + rtol |root|``.
    maxiter : int, optional
        The maximum number of iterations.
    full_output : bool, optional
        Whether to also return the result of `root_scalar`.
    disp : bool, optional
        Whether to raise an error if `maxiter` is reached; a batch gives a warning instead.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ArgumentError
        If `f` has the same sign at both ends.
    ConvergenceError
        If `maxiter` is reached, with `disp`.

    Notes
    -----
    Calls `root_scalar` with ``method='bisect'``. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> from likewise.optimize import bisect
    >>> round(float(bisect(lambda x: x**2 - 2.0, 0.0, 2.0)), 9)
    1.414213562
    """
    with keeping(full_output, a, b):
        found = root_scalar(f, args, "bisect", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    return _returned("bisect", found, full_output, disp)


@public
def ridder(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = 4 * sys.float_info.epsilon,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root in a bracket by Chandrupatla's method, in place of Ridders's.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise, as for `root_scalar`.
    a, b : float or array
        The ends of a bracket, or of a batch of brackets; `f` must have opposite signs there.
    args : tuple, optional
        Arguments of `f`.
    xtol, rtol : float, optional
        The error of the root is at most ``xtol + rtol |root|``.
    maxiter : int, optional
        The maximum number of iterations.
    full_output : bool, optional
        Whether to also return the result of `root_scalar`.
    disp : bool, optional
        Whether to raise an error if `maxiter` is reached; a batch gives a warning instead.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ArgumentError
        If `f` has the same sign at both ends.
    ConvergenceError
        If `maxiter` is reached, with `disp`.

    Notes
    -----
    Calls `root_scalar` with ``method='chandrupatla'``, which takes about as many evaluations.
    Differentiable by the implicit function theorem.

    Examples
    --------
    >>> from likewise.optimize import ridder
    >>> round(float(ridder(lambda x: x**2 - 2.0, 0.0, 2.0)), 9)
    1.414213562
    """
    with keeping(full_output, a, b):
        found = root_scalar(f, args, "chandrupatla", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    return _returned("ridder", found, full_output, disp)


@public
def toms748(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    k: int = 1,
    xtol: float = 2e-12,
    rtol: float = 4 * sys.float_info.epsilon,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root in a bracket by Chandrupatla's method, in place of algorithm 748.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, elementwise, as for `root_scalar`.
    a, b : float or array
        The ends of a bracket, or of a batch of brackets; `f` must have opposite signs there.
    args : tuple, optional
        Arguments of `f`.
    k : int, optional
        Accepted for SciPy's sake, without effect.
    xtol, rtol : float, optional
        The error of the root is at most ``xtol + rtol |root|``.
    maxiter : int, optional
        The maximum number of iterations.
    full_output : bool, optional
        Whether to also return the result of `root_scalar`.
    disp : bool, optional
        Whether to raise an error if `maxiter` is reached; a batch gives a warning instead.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ArgumentError
        If `f` has the same sign at both ends.
    ConvergenceError
        If `maxiter` is reached, with `disp`.

    Notes
    -----
    Calls `root_scalar` with ``method='chandrupatla'``, which takes about as many evaluations.
    Differentiable by the implicit function theorem.

    Examples
    --------
    >>> from likewise.optimize import toms748
    >>> round(float(toms748(lambda x: x**2 - 2.0, 0.0, 2.0)), 9)
    1.414213562
    """
    with keeping(full_output, a, b):
        found = root_scalar(f, args, "chandrupatla", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    return _returned("toms748", found, full_output, disp)


@public
def newton(
    func: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    tol: float = 1.48e-8,
    maxiter: int = 50,
    fprime2: Callable[..., Any] | None = None,
    x1: Any = None,
    rtol: float = 0.0,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Find a root from a start by Newton's, Halley's or the secant method.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, elementwise, as for `root_scalar`.
    x0 : float or array
        The start, or a batch of them.
    fprime : callable, optional
        The derivative. Without it the secant method runs, as in SciPy.
    args : tuple, optional
        Arguments of the functions.
    tol : float, optional
        The tolerance of the step.
    maxiter : int, optional
        The maximum number of iterations.
    fprime2 : callable, optional
        The second derivative, for Halley's method.
    x1 : float or array, optional
        A second start for the secant method.
    rtol : float, optional
        The tolerance of the step relative to the root.
    full_output, disp : bool, optional
        As for `brentq`.

    Returns
    -------
    root : float or array
    r : RootResults
        With `full_output`.

    Raises
    ------
    ConvergenceError
        If `maxiter` iterations find no root, with `disp`.

    Notes
    -----
    Calls `root_scalar` with 'newton', 'halley' or 'secant'. Differentiable by the implicit function
    theorem.

    Differs from SciPy: for a batch, `r` has an array in each field.

    Examples
    --------
    >>> from likewise.optimize import newton
    >>> round(float(newton(lambda x: x**2 - 2.0, 1.0)), 9)
    1.414213562
    """
    method = "secant" if fprime is None else "newton" if fprime2 is None else "halley"
    more = {"fprime": fprime, "fprime2": fprime2, "x1": x1}
    with keeping(full_output, x0):
        found = root_scalar(
            func,
            args,
            method,
            x0=x0,
            xtol=tol,
            rtol=rtol,
            maxiter=maxiter,
            **{k: v for k, v in more.items() if v is not None},
        )
    return _returned("newton", found, full_output, disp)


@public
def fsolve(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    fprime: Callable[..., Any] | None = None,
    full_output: bool = False,
    col_deriv: bool = False,
    xtol: float = 1.49012e-8,
    maxfev: int = 0,
    band: Any = None,
    epsfcn: Any = None,
    factor: float = 100,
    diag: Any = None,
) -> Any:
    """Solve a system of equations from a start.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `root`; or an elementwise function if `x0` is a number.
    x0 : array, shape (n,), or float
        The start.
    args : tuple, optional
        Arguments of `func`.
    fprime : callable, optional
        The Jacobian. Default: exact, by the library's derivatives.
    full_output : bool, optional
        Whether to return more than the solution.
    col_deriv : bool, optional
        Whether `fprime` returns the transpose.
    xtol : float, optional
        The tolerance of the step relative to the solution.
    maxfev, band, epsfcn, factor, diag : optional
        Accepted for SciPy's sake, without effect.

    Returns
    -------
    x : array, shape (n,)
    infodict : dict
        With `full_output`: ``nfev`` and ``fvec``, the function's values at `x`.
    ier : int
        With `full_output`: 1 if a solution was found.
    mesg : str
        With `full_output`: how it ended.

    Warns
    -----
    OptimizeWarning
        If no solution was found, without `full_output`.

    Notes
    -----
    Calls `root` with Newton's method. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fsolve
    >>> fsolve(lambda x: x**2 - np.asarray([1.0, 4.0]), np.asarray([2.0, 1.0])).round(9)
    array([1., 2.])
    """
    start = several(x0)
    jac = fprime
    if fprime is not None and col_deriv:

        def jac(x: Any, *given: Any) -> Any:
            return fprime(x, *given).T

    given = args if isinstance(args, tuple) else (args,)
    found = root(func, start, given, jac=jac, tol=xtol)
    done = is_lazy(found.outcome) or bool(found.success)
    if not full_output:
        if not done:
            warn(f"fsolve: {found.message}")
        return found.x
    return found.x, {"nfev": found.nfev, "fvec": found.fun}, 1 if done else 5, found.message
