"""SciPy's functions `fmin_powell`, `fmin_tnc` and `fmin_cobyla`, which call `minimize`."""

from collections.abc import Callable, Sequence
from typing import Any

from ..._native import public
from ...errors import ArgumentError
from .._minimize import minimize
from ._minima import _given, _kept, _told, _with

__all__ = ["fmin_cobyla", "fmin_powell", "fmin_tnc"]


@public
def fmin_powell(
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
    direc: Any = None,
) -> Any:
    """Minimise a function of several variables along conjugate directions, without derivatives.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    args : tuple, optional
        Arguments of `func`.
    xtol, ftol : float, optional
        The tolerances of line searches, and of the value's relative decrease in a round.
    maxiter, maxfun : int, optional
        The maximum numbers of iterations and evaluations. Default: 1000 n each; if one is given,
        the other has no limit.
    full_output : bool, optional
        Whether to return more than the minimizer.
    disp : bool, optional
        Whether to warn if no minimum was found; nothing is printed.
    retall : bool, optional
        Whether to also return a list of the iterates, as the last value.
    callback : callable, optional
        As for `minimize`.
    direc : array, shape (n, n), optional
        The first directions, in rows. Default: along the axes.

    Returns
    -------
    xopt : array, shape (n,)
    fopt, iterations, func_calls, warnflag
        With `full_output`: the minimum, iterations and evaluations, and the flag of `fmin`.

    Notes
    -----
    Calls `minimize` with 'Powell'. Differs from SciPy: the last directions are not returned.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_powell
    >>> fmin_powell(lambda x: np.sum((x - 1.0) ** 2), np.zeros(2)).round(6)
    array([1., 1.])
    """
    options = {"xtol": xtol, "ftol": ftol, "maxiter": maxiter, "maxfev": maxfun}
    if direc is not None:
        options["direc"] = direc
    points, told = _kept("fmin_powell", x0, callback, retall)
    found = minimize(func, x0, _given(args), "Powell", callback=told, options=options)
    flag = _told("fmin_powell", found, disp)
    made = (found.x, found.fun, found.nit, found.nfev, flag) if full_output else found.x
    return _with(made, points, retall)


@public
def fmin_tnc(
    func: Callable[..., Any],
    x0: Any,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    approx_grad: bool = False,
    bounds: Any = None,
    epsilon: float = 1e-8,
    scale: Any = None,
    offset: Any = None,
    messages: Any = None,
    maxCGit: int = -1,
    maxfun: int | None = None,
    eta: float = -1,
    stepmx: float = 0,
    accuracy: float = 0,
    fmin: float = 0,
    ftol: float = -1,
    xtol: float = -1,
    pgtol: float = -1,
    rescale: float = -1,
    disp: Any = None,
    callback: Callable[..., Any] | None = None,
) -> tuple[Any, Any, int]:
    """Minimise a function of several variables within bounds by truncated Newton steps.

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
    epsilon, scale, offset, messages : optional
        Accepted for SciPy's sake, without effect.
    maxCGit : int, optional
        As `minimize`'s option of 'TNC'.
    maxfun : int, optional
        The maximum number of evaluations. Default: ``max(100, 10 n)``.
    eta : float, optional
        As `minimize`'s option of 'TNC'.
    stepmx, accuracy, fmin : optional
        Accepted for SciPy's sake, without effect.
    ftol, xtol, pgtol : float, optional
        As `minimize`'s options of 'TNC'; `pgtol` is gtol.
    rescale, disp : optional
        Accepted for SciPy's sake, without effect.
    callback : callable, optional
        As for `minimize`.

    Returns
    -------
    x : array, shape (n,)
    nfeval : int
        Evaluations of `func`.
    rc : int
        The flag of `fmin`, 0 if it converged; SciPy has other codes.

    Notes
    -----
    Calls `minimize` with 'TNC'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_tnc
    >>> x, nfeval, rc = fmin_tnc(
    ...     lambda x: np.sum((x - 1.0) ** 2), np.zeros(2), approx_grad=True, bounds=[(0.0, 0.5)] * 2
    ... )
    >>> x, rc
    (array([0.5, 0.5]), 0)
    """
    jac = fprime if fprime is not None else None if approx_grad else True
    options = {
        "maxCGit": maxCGit,
        "maxfun": maxfun,
        "eta": eta,
        "ftol": ftol,
        "xtol": xtol,
        "gtol": pgtol,
    }
    found = minimize(
        func, x0, _given(args), "TNC", jac, bounds=bounds, callback=callback, options=options
    )
    return found.x, found.nfev, _told("fmin_tnc", found, False)


@public
def fmin_cobyla(
    func: Callable[..., Any],
    x0: Any,
    cons: Any,
    args: Any = (),
    consargs: Any = None,
    rhobeg: float = 1.0,
    rhoend: float = 1e-4,
    maxfun: int = 1000,
    disp: Any = None,
    catol: float = 2e-4,
    *,
    callback: Callable[..., Any] | None = None,
) -> Any:
    """Minimise a function of several variables within constraints, without derivatives.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`.
    x0 : array, shape (n,)
        The start.
    cons : callable or sequence of these
        Each is at least 0 where its constraints are fulfilled.
    args : tuple, optional
        Arguments of `func`.
    consargs : tuple, optional
        Arguments of `cons`. Default: `args`.
    rhobeg, rhoend : float, optional
        The first and the last radius of the models.
    maxfun : int, optional
        The maximum number of evaluations.
    disp : optional
        Accepted for SciPy's sake, without effect.
    catol : float, optional
        How far constraints may be broken.
    callback : callable, optional
        As for `minimize`.

    Returns
    -------
    array, shape (n,)
        The minimizer.

    Raises
    ------
    ArgumentError
        If `cons` is no function and no sequence of functions.

    Notes
    -----
    Calls `minimize` with 'COBYLA'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import fmin_cobyla
    >>> within = lambda x: 1.0 - x[0] ** 2 - x[1] ** 2
    >>> fmin_cobyla(lambda x: x[0] * x[1], np.asarray([0.0, 1.0]), within, rhoend=1e-7).round(2)
    array([-0.71,  0.71])
    """
    every = list(cons) if isinstance(cons, Sequence) else [cons]
    if not all(map(callable, every)):
        raise ArgumentError(
            f"fmin_cobyla: cons must be a function or a sequence of functions, got {cons!r}"
        )
    own = _given(args if consargs is None else consargs)
    rows = [{"type": "ineq", "fun": c, "args": own} for c in every]
    options = {"rhobeg": rhobeg, "tol": rhoend, "maxiter": maxfun, "catol": catol}
    found = minimize(
        func,
        x0,
        _given(args),
        "COBYLA",
        constraints=rows,
        callback=callback,
        options=options,
    )
    _told("fmin_cobyla", found, False)
    return found.x
