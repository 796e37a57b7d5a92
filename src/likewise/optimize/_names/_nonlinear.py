"""SciPy's functions for large systems of equations, which call `root`."""

from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_lazy
from ..._native import public
from ..._plan import is_complex
from ...errors import ConvergenceError
from .._systems import root
from .._systems._quasi_newton import USUAL

__all__ = [
    "anderson",
    "broyden1",
    "broyden2",
    "diagbroyden",
    "excitingmixing",
    "linearmixing",
    "newton_krylov",
]


def _solved(
    function: str,
    F: Callable[[Any], Any],
    xin: Any,
    steps: int | None,
    verbose: Any,
    options: dict[str, Any],
    own: dict[str, Any],
    callback: Callable[..., Any] | None,
) -> Any:
    """Solve one system of any shape, of complex numbers by their real and imaginary parts."""
    xp = array_namespace(xin)
    (start,) = _plan.common_floating(function, xp, ("xin",), xin)
    xp = array_namespace(start)
    shape, size = tuple(start.shape), 1
    for n in shape:
        size *= n
    wide = is_complex(xp, start.dtype)

    def flat(a: Any) -> Any:
        ns = array_namespace(a)
        a = ns.reshape(a, (-1,))
        if not wide:
            return a
        if not is_complex(ns, a.dtype):
            return ns.concat([a, ns.zeros_like(a)])
        return ns.concat([ns.real(a), ns.imag(a)])

    def whole(v: Any) -> Any:
        ns = array_namespace(v)
        if not wide:
            return ns.reshape(v, shape)
        dtype = ns.complex64 if v.dtype == ns.float32 else ns.complex128
        parts = ns.astype(v[:size], dtype), ns.astype(v[size:], dtype)
        return ns.reshape(parts[0] + 1j * parts[1], shape)

    def told(x: Any, fun: Any) -> Any:
        assert callback is not None
        return callback(whole(x), whole(fun))

    def of_vector(v: Any) -> Any:
        out = F(whole(v))
        return flat(out if hasattr(out, "shape") else array_namespace(v).asarray(out))

    fun, tell = F, callback
    if tuple(start.shape) == () or wide or start.ndim > 1:
        fun, tell = of_vector, None if callback is None else told
    given = {k: v for k, v in (options | own).items() if v is not None}
    if float(xp.finfo(start.dtype).eps) ** 0.5 < USUAL:
        given.setdefault("fatol", USUAL)
    given |= {"nit": steps, "disp": bool(verbose), "line_search": options["line_search"]}
    way = "krylov" if function == "newton_krylov" else function
    found = root(fun, flat(start), method=way, callback=tell, options=given)
    if steps is None and not is_lazy(found.outcome) and not bool(found.success):
        raise ConvergenceError(
            f"{function}: {found.message} (the largest residual is {_worst(found.fun):.3g}; "
            f"root(..., method={way!r}) returns where it ended)"
        )
    return whole(found.x)


def _worst(f: Any) -> float:
    xp = array_namespace(f)
    return float(xp.max(xp.abs(f)))


@public
def broyden1(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    reduction_method: str = "restart",
    max_rank: int | None = None,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations by Broyden's first method.

    Parameters
    ----------
    F : callable
        ``F(x) -> array`` of the shape of `x`, in functions of ``likewise.array_namespace(x)``.
    xin : array
        Where to start, of any shape: all its elements are the unknowns of one system.
    iter : int, optional
        The number of iterations to take, whatever the residuals. Default: until they are small.
    alpha : float, optional
        Minus the inverse Jacobian at the start. Default: half the start's size, or 1, by that of
        its residuals.
    reduction_method : {'restart', 'simple'}, optional
        What happens where the changes exceed `max_rank`: all are dropped, or the oldest.
    max_rank : int, optional
        How many changes of rank one are kept. Default: all, for more than 512 unknowns 64.
    verbose : bool, optional
        Whether to print how it ended.
    maxiter : int, optional
        Maximum number of iterations. Default: 100 (n + 1).
    f_tol, f_rtol : float, optional
        The largest residual at the end: absolute, by default 6e-6, and relative to the first. By
        default, in float32 3.5e-4 does where rounding is in the way.
    x_tol, x_rtol : float, optional
        The largest component of the last step: absolute, and relative to x. Default: any.
    tol_norm : callable, optional
        The norm for these tests. Default: the largest component.
    line_search : {'armijo', 'wolfe', None}, optional
        Whether steps are shortened; 'wolfe' does as 'armijo'.
    callback : callable, optional
        ``callback(x, f)``, called after each iteration if arrays have values.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    C. G. Broyden, Math. Comp. 19(92), 1965: the approximate Jacobian changes least with each step.
    A product with an n x n matrix per iteration. Calls `root`, which solves many systems at once.
    Differentiable by the implicit function theorem.

    Differs from SciPy: `reduction_method` 'svd' is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import broyden1
    >>> broyden1(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha, "reduction_method": reduction_method, "max_rank": max_rank}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("broyden1", F, xin, iter, verbose, options, own | kw, callback)


@public
def broyden2(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    reduction_method: str = "restart",
    max_rank: int | None = None,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations by Broyden's second method.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    alpha, reduction_method, max_rank : optional
        As of `broyden1`.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    C. G. Broyden, Math. Comp. 19(92), 1965: the approximate inverse changes least with each step.
    Calls `root`, which solves many systems at once. Differentiable by the implicit function
    theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import broyden2
    >>> broyden2(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha, "reduction_method": reduction_method, "max_rank": max_rank}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("broyden2", F, xin, iter, verbose, options, own | kw, callback)


@public
def anderson(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    w0: float = 0.01,
    M: int = 5,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations by Anderson mixing.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    alpha : float, optional
        Minus the inverse Jacobian at the start. Default: half the start's size, or 1, by that of
        its residuals.
    w0 : float, optional
        Its square is added to the diagonal of the least-squares problem, relative to it.
    M : int, optional
        How many steps are mixed.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    D. G. Anderson, J. ACM 12(4), 1965; V. Eyert, J. Comput. Phys. 124(2), 1996. Calls `root`, which
    solves many systems at once. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import anderson
    >>> anderson(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha, "w0": w0, "M": M}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("anderson", F, xin, iter, verbose, options, own | kw, callback)


@public
def linearmixing(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations by steps along the residuals.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    alpha : float, optional
        Minus the inverse Jacobian at the start. Default: half the start's size, or 1, by that of
        its residuals.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    The Jacobian is taken as ``-1 / alpha``: for functions of which that is nearly so. Calls `root`,
    which solves many systems at once. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import linearmixing
    >>> linearmixing(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("linearmixing", F, xin, iter, verbose, options, own | kw, callback)


@public
def diagbroyden(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations with a diagonal approximate Jacobian.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    alpha : float, optional
        Minus the inverse Jacobian at the start. Default: half the start's size, or 1, by that of
        its residuals.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    The diagonal changes by Broyden's rule. Calls `root`, which solves many systems at once.
    Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import diagbroyden
    >>> diagbroyden(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("diagbroyden", F, xin, iter, verbose, options, own | kw, callback)


@public
def excitingmixing(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    alpha: float | None = None,
    alphamax: float = 1.0,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a system of equations by steps of which each component grows.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    alpha : float, optional
        Minus the inverse Jacobian at the start. Default: half the start's size, or 1, by that of
        its residuals.
    alphamax : float, optional
        The largest of them.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Options that don't exist, which give an OptimizeWarning.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    An unknown's pace grows by `alpha` as long as its residual keeps its sign. Calls `root`, which
    solves many systems at once. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import excitingmixing
    >>> excitingmixing(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {"alpha": alpha, "alphamax": alphamax}
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("excitingmixing", F, xin, iter, verbose, options, own | kw, callback)


@public
def newton_krylov(
    F: Callable[[Any], Any],
    xin: Any,
    iter: int | None = None,
    rdiff: float | None = None,
    method: str = "lgmres",
    inner_maxiter: int = 20,
    inner_M: Any = None,
    outer_k: int = 10,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Callable[[Any], Any] | None = None,
    line_search: str | bool | None = "armijo",
    callback: Callable[..., Any] | None = None,
    **kw: Any,
) -> Any:
    """Solve a large system of equations by products with the Jacobian alone.

    Parameters
    ----------
    F, xin, iter : optional
        As of `broyden1`.
    rdiff : float, optional
        The relative step of differences. Default: products are exact, by the library's transforms;
        where `F` can't be traced, differences of eps^(1/2) with a `DerivativeWarning`.
    method : {'lgmres', 'gmres', 'bicgstab', 'cgs', 'minres'}, optional
        How steps are found; 'lgmres' does as 'gmres'.
    inner_maxiter : int, optional
        The most products per step.
    inner_M : array or LinearOperator, optional
        A preconditioner for the vectors of all unknowns: approximately the Jacobian's inverse.
    outer_k : int, optional
        SciPy's argument, without effect.
    verbose, maxiter, f_tol, f_rtol, x_tol, x_rtol, tol_norm, line_search, callback : optional
        As of `broyden1`.
    **kw
        Other options of inner methods (`inner_...`) have no effect.

    Returns
    -------
    sol : array
        The solution, of the shape of `xin`.

    Raises
    ------
    ConvergenceError
        If there is none within `maxiter` iterations, unless `iter` is given.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    D. A. Knoll, D. E. Keyes, J. Comput. Phys. 193(2), 2004; steps are as exact as the last one was
    worth (S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17(1), 1996). Calls `root`, which
    solves many systems at once. Differentiable by the implicit function theorem.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import newton_krylov
    >>> newton_krylov(lambda x: 1.0 - x - 0.1 * x**3, np.zeros(2), f_tol=1e-9).round(6)
    array([0.921699, 0.921699])
    """
    own = {
        "rdiff": rdiff, "method": method, "inner_maxiter": inner_maxiter, "inner_M": inner_M,
        "outer_k": outer_k,
    }  # fmt: skip
    options = {
        "maxiter": maxiter, "fatol": f_tol, "ftol": f_rtol, "xatol": x_tol, "xtol": x_rtol,
        "tol_norm": tol_norm, "line_search": line_search,
    }  # fmt: skip
    return _solved("newton_krylov", F, xin, iter, verbose, options, own | kw, callback)
