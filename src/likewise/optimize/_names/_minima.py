"""SciPy's functions for minima by single methods, which call `minimize` and other solvers."""

import math
import sys
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_lazy
from ..._native import public
from ...linalg import pinv
from .._least_squares import least_squares
from .._minimize import minimize
from .._scalar import minimize_scalar
from ._warn import several, warn

__all__ = ["fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "fmin_slsqp", "fminbound", "leastsq"]


def _given(args: Any) -> tuple[Any, ...]:
    return args if isinstance(args, tuple) else (args,)


def _told(function: str, found: Any, disp: Any) -> int:
    """Return SciPy's flag: 0 converged, 1 maximum of iterations, 2 something else."""
    if is_lazy(found.outcome):
        return 0
    flag = 0 if bool(found.success) else 1 if int(found.status) == 1 else 2
    if disp and flag:
        warn(f"{function}: {found.message}")
    return flag


def _kept(function: str, x0: Any, callback: Any, retall: Any) -> tuple[list[Any], Any]:
    """Return a list for the iterates, and the callback that appends them."""
    points: list[Any] = []
    if retall:
        xp = array_namespace(x0)
        points.append(_plan.common_floating(function, xp, ("x0",), x0)[0])

    def told(xk: Any) -> Any:
        points.append(xk)
        return None if callback is None else callback(xk)

    return points, told if retall else callback


def _with(found: Any, points: list[Any], retall: Any) -> Any:
    """Return the result, and the iterates if requested."""
    if not retall:
        return found
    return (*found, points) if isinstance(found, tuple) else (found, points)


@public
def fmin(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    xtol: float = 1e-4,
    ftol: float = 1e-4,
    maxiter: int | None = None,
    maxfun: int | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: Callable[..., Any] | None = None,
    initial_simplex: Any = None,
) -> Any:
    """Minimise a function of several variables by Nelder and Mead's simplex.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    args : tuple, optional
        Arguments of `func`.
    xtol, ftol : float, optional
        Tolerances of the simplex's corners and of the values at the end.
    maxiter, maxfun : int, optional
        The maximum numbers of iterations and evaluations. Default: 200 n.
    full_output : bool, optional
        Whether to return more than the minimizer.
    disp : bool, optional
        Whether to warn if no minimum was found; nothing is printed.
    retall : bool, optional
        Whether to also return a list of the iterates, as the last value.
    callback : callable, optional
        As for `minimize`.
    initial_simplex : array, shape (n + 1, n), optional
        The initial corners.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, iterations, funcalls, warnflag
        With `full_output`: the minimum, the numbers of iterations and evaluations, and a flag: 0 if
        the minimum was found, 1 if a maximum number was reached.

    Notes
    -----
    Calls `minimize` with 'Nelder-Mead'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin
    >>> fmin(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2)).round(3)
    array([1., 1.])
    """
    options = {"xatol": xtol, "fatol": ftol, "maxiter": maxiter, "maxfev": maxfun}
    options["initial_simplex"] = initial_simplex
    points, told = _kept("fmin", x0, callback, retall)
    found = minimize(func, x0, _given(args), "Nelder-Mead", callback=told, options=options)
    flag = _told("fmin", found, disp)
    made = (found.x, found.fun, found.nit, found.nfev, flag) if full_output else found.x
    return _with(made, points, retall)


@public
def fmin_bfgs(
    f: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    gtol: float = 1e-5,
    norm: float = math.inf,
    epsilon: Any = None,
    maxiter: int | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: Callable[..., Any] | None = None,
    xrtol: float = 0,
    c1: float = 1e-4,
    c2: float = 0.9,
    hess_inv0: Any = None,
) -> Any:
    """Minimise a function of several variables by the BFGS method.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    fprime : callable, optional
        The gradient. Default: exact, by the library's derivatives.
    args : tuple, optional
        Arguments of the functions.
    gtol : float, optional
        The tolerance of the gradient's norm.
    norm : float, optional
        The order of that norm.
    epsilon : optional
        Accepted for SciPy's sake, without effect.
    maxiter : int, optional
        The maximum number of iterations. Default: 200 n.
    full_output, disp, retall : bool, optional
        As for `fmin`.
    callback : callable, optional
        As for `minimize`.
    xrtol : float, optional
        Accepted for SciPy's sake, without effect.
    c1, c2 : float, optional
        The constants of the Wolfe conditions in the line search.
    hess_inv0 : optional
        Accepted for SciPy's sake, without effect.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, gopt, Bopt, func_calls, grad_calls, warnflag
        With `full_output`: the minimum; gradient and inverse Hessian at the minimizer; evaluations;
        and the flag of `fmin`.

    Notes
    -----
    Calls `minimize` with 'BFGS'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_bfgs
    >>> fmin_bfgs(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2)).round(6)
    array([1., 1.])
    """
    options = {"gtol": gtol, "norm": norm, "maxiter": maxiter, "c1": c1, "c2": c2}
    points, told = _kept("fmin_bfgs", x0, callback, retall)
    found = minimize(f, x0, _given(args), "BFGS", fprime, callback=told, options=options)
    flag = _told("fmin_bfgs", found, disp)
    if not full_output:
        return _with(found.x, points, retall)
    made = found.x, found.fun, found.jac, found.hess_inv, found.nfev, found.njev, flag
    return _with(made, points, retall)


@public
def fmin_cg(
    f: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    gtol: float = 1e-5,
    norm: float = math.inf,
    epsilon: Any = None,
    maxiter: int | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: Callable[..., Any] | None = None,
    c1: float = 1e-4,
    c2: float = 0.4,
) -> Any:
    """Minimise a function of several variables by conjugate gradients.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    fprime, args, gtol, norm, epsilon, maxiter, full_output, disp, retall, callback, c1, c2
        As for `fmin_bfgs`.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, func_calls, grad_calls, warnflag
        With `full_output`: the minimum, evaluations, and the flag of `fmin`.

    Notes
    -----
    Calls `minimize` with 'CG'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_cg
    >>> fmin_cg(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2)).round(6)
    array([1., 1.])
    """
    options = {"gtol": gtol, "norm": norm, "maxiter": maxiter, "c1": c1, "c2": c2}
    points, told = _kept("fmin_cg", x0, callback, retall)
    found = minimize(f, x0, _given(args), "CG", fprime, callback=told, options=options)
    flag = _told("fmin_cg", found, disp)
    made = (found.x, found.fun, found.nfev, found.njev, flag) if full_output else found.x
    return _with(made, points, retall)


@public
def fmin_l_bfgs_b(
    func: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    approx_grad: bool = False,
    bounds: Any = None,
    m: int = 10,
    factr: float = 1e7,
    pgtol: float = 1e-5,
    epsilon: float = 1e-8,
    iprint: Any = None,
    maxfun: int = 15000,
    maxiter: int = 15000,
    disp: Any = None,
    callback: Callable[..., Any] | None = None,
    maxls: int = 20,
) -> tuple[Any, Any, dict[str, Any]]:
    """Minimise a function of several variables within bounds by L-BFGS-B.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``; the value, or value and gradient if there is neither `fprime` nor
        `approx_grad`.
    x0 : array, shape (n,)
        The start.
    fprime : callable, optional
        The gradient.
    args : tuple, optional
        Arguments of the functions.
    approx_grad : bool, optional
        Whether `func` returns only the value; its gradient is then exact, by the library's
        derivatives.
    bounds : sequence of (min, max), optional
        As for `minimize`.
    m : int, optional
        The number of stored steps.
    factr, pgtol : float, optional
        The tolerances of the value, in units of the dtype's resolution, and of the projected
        gradient.
    epsilon, iprint : optional
        Accepted for SciPy's sake, without effect.
    maxfun, maxiter : int, optional
        The maximum numbers of evaluations and iterations.
    disp : optional
        Accepted for SciPy's sake, without effect.
    callback : callable, optional
        As for `minimize`.
    maxls : int, optional
        The maximum number of steps of a line search.

    Returns
    -------
    x : array, shape (n,)
    f : float or array
        The value there.
    d : dict
        ``grad``, ``task``, ``funcalls``, ``nit`` and ``warnflag`` (as for `fmin`).

    Notes
    -----
    Calls `minimize` with 'L-BFGS-B'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_l_bfgs_b
    >>> x, f, d = fmin_l_bfgs_b(
    ...     lambda x: np.sum((x - 1.0) ** 2), np.zeros(2), approx_grad=True, bounds=[(0.0, 0.5)] * 2
    ... )
    >>> x, d["warnflag"]
    (array([0.5, 0.5]), 0)
    """
    jac = fprime if fprime is not None else None if approx_grad else True
    options = {
        "maxcor": m,
        "ftol": factr * sys.float_info.epsilon,
        "gtol": pgtol,
        "maxfun": maxfun,
        "maxiter": maxiter,
        "maxls": maxls,
    }
    found = minimize(
        func, x0, _given(args), "L-BFGS-B", jac, bounds=bounds, callback=callback, options=options
    )
    info = {
        "grad": found.jac,
        "task": found.message,
        "funcalls": found.nfev,
        "nit": found.nit,
        "warnflag": _told("fmin_l_bfgs_b", found, False),
    }
    return found.x, found.fun, info


@public
def fmin_slsqp(
    func: Callable[..., Any],
    x0: Any,
    eqcons: Any = (),
    f_eqcons: Callable[..., Any] | None = None,
    ieqcons: Any = (),
    f_ieqcons: Callable[..., Any] | None = None,
    bounds: Any = (),
    fprime: Callable[..., Any] | None = None,
    fprime_eqcons: Callable[..., Any] | None = None,
    fprime_ieqcons: Callable[..., Any] | None = None,
    args: Any = (),
    iter: int = 100,
    acc: float = 1e-6,
    iprint: int = 1,
    disp: Any = None,
    full_output: Any = 0,
    epsilon: float = 1.4901161193847656e-08,
    callback: Callable[..., Any] | None = None,
) -> Any:
    """Minimise a function of several variables within constraints by SLSQP.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``.
    x0 : array, shape (n,)
        The start.
    eqcons : sequence of callables, optional
        Functions ``f(x, *args)`` that are to be 0.
    f_eqcons : callable, optional
        A function that returns several such values, shape (m,).
    ieqcons : sequence of callables, optional
        Functions ``f(x, *args)`` that are to be at least 0.
    f_ieqcons : callable, optional
        A function that returns several such values, shape (m,).
    bounds : sequence of (min, max), optional
        As for `minimize`.
    fprime : callable, optional
        The gradient. Default: exact.
    fprime_eqcons, fprime_ieqcons : callable, optional
        Derivatives of `f_eqcons` and `f_ieqcons`, shape (m, n). Default: exact.
    args : tuple, optional
        Arguments of all functions.
    iter : int, optional
        The maximum number of iterations.
    acc : float, optional
        The tolerance, `ftol` of `minimize`.
    iprint, disp : optional
        Whether to print how it ended: `disp`, or by default whether `iprint` is above 0.
    full_output : bool, optional
        Whether to return more than x.
    epsilon : optional
        Accepted for SciPy's sake, without effect.
    callback : callable, optional
        As for `minimize`.

    Returns
    -------
    out : array, shape (n,)
        The minimiser.
    fx, its, imode, smode
        With `full_output`: the minimum; iterations; the status of `minimize`; its message.

    Notes
    -----
    Calls `minimize` with 'SLSQP'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_slsqp
    >>> fmin_slsqp(
    ...     lambda x: np.sum(x**2), np.zeros(2), eqcons=[lambda x: x[0] + x[1] - 1], iprint=0
    ... ).round(6)
    array([0.5, 0.5])
    """
    given = _given(args)
    known = [
        {"type": kind, "fun": fun, "args": given}
        for kind, some in (("eq", eqcons), ("ineq", ieqcons))
        for fun in some
    ]
    known += [
        {"type": kind, "fun": fun, "jac": slope, "args": given}
        for kind, fun, slope in (
            ("eq", f_eqcons, fprime_eqcons),
            ("ineq", f_ieqcons, fprime_ieqcons),
        )
        if fun is not None
    ]
    found = minimize(
        func,
        x0,
        given,
        "SLSQP",
        fprime,
        bounds=bounds if len(bounds) else None,
        constraints=known,
        callback=callback,
        options={"ftol": acc, "maxiter": iter, "disp": iprint > 0 if disp is None else disp},
    )
    if not full_output:
        return found.x
    return found.x, found.fun, found.nit, found.status, found.message


@public
def fminbound(
    func: Callable[..., Any],
    x1: Any,
    x2: Any,
    args: Any = (),
    xtol: float = 1e-5,
    maxfun: int = 500,
    full_output: bool = False,
    disp: int = 1,
) -> Any:
    """Minimise a function of one variable between two bounds.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, elementwise, as for `minimize_scalar`.
    x1, x2 : float or array
        The bounds.
    args : tuple, optional
        Arguments of `func`.
    xtol : float, optional
        The tolerance of the minimizer.
    maxfun : int, optional
        The maximum number of evaluations.
    full_output : bool, optional
        Whether to return more than the minimizer.
    disp : int, optional
        Whether to warn if no minimum was found; nothing is printed.

    Returns
    -------
    xopt : float or array
    fval, ierr, numfunc
        With `full_output`: the minimum; 0 if it was found, else 1; and the number of evaluations.

    Notes
    -----
    Calls `minimize_scalar` with 'bounded'.

    Examples
    --------
    >>> from likewise.optimize import fminbound
    >>> round(float(fminbound(lambda x: (x - 1.0) ** 2, 0.0, 3.0)), 6)
    1.0
    """
    options = {"xatol": xtol, "maxiter": maxfun}
    found = minimize_scalar(func, bounds=(x1, x2), args=args, method="bounded", options=options)
    x = found.x
    lazy = is_lazy(found.outcome) or found.x.ndim
    flag = 0 if lazy or bool(found.success) else 1
    if disp and flag:
        warn(f"fminbound: {found.message}")
    return (x, found.fun, flag, found.nfev) if full_output else x


@public
def leastsq(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    Dfun: Callable[..., Any] | None = None,
    full_output: bool = False,
    col_deriv: bool = False,
    ftol: float = 1.49012e-8,
    xtol: float = 1.49012e-8,
    gtol: float = 0.0,
    maxfev: int = 0,
    epsfcn: Any = None,
    factor: float = 100,
    diag: Any = None,
) -> Any:
    """Minimise the sum of squares of a function's values by the Levenberg-Marquardt method.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, the residuals, as for `least_squares`.
    x0 : array, shape (n,), or float
        The start.
    args : tuple, optional
        Arguments of `func`.
    Dfun : callable, optional
        The Jacobian. Default: exact, by the library's derivatives.
    full_output : bool, optional
        Whether to return more than the solution and a flag.
    col_deriv : bool, optional
        Whether `Dfun` returns the transpose.
    ftol, xtol, gtol : float, optional
        Tolerances of the sum of squares, of the step, and of the cosine of the angle between
        residuals and Jacobian.
    maxfev : int, optional
        The maximum number of evaluations. Default: 100 (n + 1), or 200 (n + 1) without `Dfun`.
    epsfcn : float, optional
        The relative error of `func`; its square root is the step of finite differences if `func`
        can't be traced. Default: the dtype's resolution.
    factor, diag : optional
        Accepted for SciPy's sake, without effect.

    Returns
    -------
    x : array, shape (n,)
    cov_x : array, shape (n, n), or None
        With `full_output`: the inverse of ``J^T J``; multiply it by the variance of the residuals
        to get the covariance. None if it is singular, or if no minimum was found.
    infodict : dict
        With `full_output`: ``nfev``, ``fvec`` (the residuals) and ``fjac`` (their Jacobian).
    mesg : str
        With `full_output`: how it ended.
    ier : int
        1 to 4 if a minimum was found: by the sum of squares, the step, both, or the gradient. With
        `full_output`, 0 if there are no unknowns.

    Raises
    ------
    ShapeError
        If there are fewer residuals than unknowns.

    Notes
    -----
    Calls `least_squares` with 'lm'.

    Differs from SciPy: ``infodict`` has the Jacobian in place of its factors.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import leastsq
    >>> t = np.asarray([0.0, 1.0, 2.0])
    >>> x, ier = leastsq(lambda x: x[0] * t + x[1] - 2.0 * t, np.zeros(2))
    >>> x.round(9) + 0.0, ier in (1, 2, 3, 4)
    (array([2., 0.]), True)
    """
    start = several(x0)
    jac = Dfun
    if Dfun is not None and col_deriv:

        def jac(x: Any, *given: Any) -> Any:
            return Dfun(x, *given).T

    n = len(start) if isinstance(start, list | tuple) else start.shape[-1]
    if n == 0 and full_output:
        (start,) = _plan.common_floating("leastsq", array_namespace(start), ("x0",), start)
        info = {"nfev": 1, "fvec": func(start, *_given(args)), "fjac": None}
        return start, None, info, "Improper input parameters: there are no unknowns", 0
    most = maxfev or (100 if Dfun is not None else 200) * (n + 1)
    step = None
    if epsfcn is not None:
        xp = array_namespace(start)
        (x,) = _plan.common_floating("leastsq", xp, ("x0",), start)
        step = math.sqrt(max(epsfcn, float(array_namespace(x).finfo(x.dtype).eps)))
    found = least_squares(
        func,
        start,
        jac,
        method="lm",
        ftol=ftol,
        xtol=xtol,
        gtol=gtol,
        diff_step=step,
        max_nfev=most,
        args=_given(args),
    )
    lazy = is_lazy(found.status)
    ier = {1: 4, 2: 1, 3: 2, 4: 3, 0: 5}.get(0 if lazy else int(found.status), 6)
    if ier > 4 and not lazy and not full_output:
        warn(f"leastsq: {found.message}")
    if not full_output:
        return found.x, ier
    info = {"nfev": found.nfev, "fvec": found.fun, "fjac": found.jac}
    covariance = _covariance(found.jac) if ier <= 4 else None
    return found.x, covariance, info, found.message, ier


def _covariance(jac: Any) -> Any:
    """Return ``(J^T J)^-1``; None if it has values and is singular or not finite."""
    xp = array_namespace(jac)
    size = xp.sqrt(xp.sum(jac * jac, axis=0))
    size = xp.where(size == 0, xp.ones_like(size), size)
    jac = jac / size
    if not is_lazy(jac) and not bool(xp.all(xp.isfinite(jac))):
        return None
    inverse: Any = pinv(jac)
    rank = xp.sum(inverse * jac.T)
    if not is_lazy(jac) and float(rank) < jac.shape[1] - 0.5:
        return None
    inverse = inverse / size[:, None]
    return inverse @ inverse.T
