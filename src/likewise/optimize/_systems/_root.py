"""Roots of systems of equations, one system or many."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace, device, quiet
from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...transforms import cond, stop_gradient
from ...transforms._implicit import recorded, refined
from .._steps._levenberg_marquardt import STALLED as LM_STALLED
from .._steps._levenberg_marquardt import by_levenberg_marquardt
from .._steps._options import count, table, tolerance
from .._steps._outcome import Outcome
from .._steps._result import Coded, result
from .._steps._system import System, make_system, start_of, stopped
from ._anderson import mixed
from ._newton import STALLED, Root, newton

__all__ = ["RootResult", "root"]

_INSTEAD = {
    "hybr": "'newton' is for the same systems, 'lm' more patient",
    **dict.fromkeys(
        ("broyden1", "broyden2", "linearmixing", "diagbroyden", "excitingmixing", "krylov"),
        "'anderson' needs no Jacobian either",
    ),
    "df-sane": "'anderson' needs no Jacobian either",
}
_OPTIONS: dict[str, dict[str, Any]] = {
    "newton": {"maxiter": 200, "xtol": None},
    "lm": {"maxiter": None, "xtol": None, "ftol": None, "gtol": None},
    "anderson": {"maxiter": 1000, "fatol": None, "M": 5, "alpha": None},
}


@result
class RootResult(Coded):
    """Holds what `root` found; arrays of the caller's library, one entry a problem.

    Attributes
    ----------
    x : array, shape (..., p)
        The solution.
    fun : array, shape (..., n)
        The function's values there.
    nit, nfev : array of int32, shape (...)
        Iterations, and evaluations of the function without those of its Jacobian.
    status : array of int32, shape (...)
        Why it ended, in words by `advice` and `summary`.
    """

    x: Any
    fun: Any
    nit: Any
    nfev: Any
    status: Any

    ADVICE: ClassVar[dict[int, str]] = {
        -3: "the steps grew until the function was not finite: give alpha, or take 'newton'",
        -2: "no step reduces the residuals, which are not zero: start elsewhere",
        -1: "the function is not finite at x0, or its Jacobian on the way: check x0",
        0: "the most iterations were done: raise options['maxiter'], start closer, or try 'lm'",
        1: "converged: the last step, or the residual, is within the tolerance",
        2: "converged: the residuals are as small as rounding lets them become",
        3: "the sum of squares is least, but not zero: a least-squares solution, and no root",
    }
    CONVERGED: ClassVar[tuple[int, ...]] = (1, 2)


@public
def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Sequence[Any] = (),
    method: str = "newton",
    jac: Callable[..., Any] | str | None = None,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    vectorized: bool = False,
) -> RootResult:
    """Solve a system of equations, one or many at once.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, values (n,) of unknowns (p,), in functions of
        ``likewise.array_namespace(x)``.
    x0 : array, shape (p,) or (..., p)
        Where to start; leading dimensions are a batch of problems.
    args : sequence, optional
        Further arguments of `fun` and `jac`, the same for all problems.
    method : {'newton', 'lm', 'anderson'}, optional
        Newton's method with a line search; Levenberg-Marquardt, which takes n > p, too; Anderson
        mixing, without a Jacobian, for large systems that are nearly fixed points.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args)``, shape (n, p), or the differences to take. Default: exact, by the
        library's transforms.
    tol : float, optional
        Newton: the next step, relative to x. Default eps^(3/4). 'lm': relative changes of
        unknowns and sum of squares, and the gradient's cosines. Default eps^(3/4). 'anderson': the
        largest residual. Default eps^(1/2).
    options : dict, optional
        'newton': maxiter (200), xtol. 'lm': maxiter (100 (p + 1)), xtol, ftol, gtol. 'anderson':
        maxiter (1000), fatol, M (5, steps that are mixed), alpha (minus the Jacobian's inverse at
        the start).
    vectorized : bool, optional
        Whether `fun` and `jac` map a batch at once, (B, p) to (B, n) and (B, n, p), row by row, B
        being the number of problems. Default: they are functions of one problem, and are mapped.

    Returns
    -------
    RootResult
        ``x, fun, nit, nfev, status, success``.

    Raises
    ------
    ArrayTypeError, DtypeError, ShapeError
        If x0, or what `fun` or `jac` returns, is not a real array of the one library, dtype and
        shape, or if n and p differ (method 'lm': if n < p).
    ArgumentError
        If a method or an option is none of those offered.
    NotSupported
        If the arrays are lazy and their library has no loop for them (Dask, torch.compile).

    Notes
    -----
    Newton: J. E. Dennis, R. B. Schnabel, Numerical Methods for Unconstrained Optimization and
    Nonlinear Equations, 1996, sections 6.3 and 6.5: one Jacobian and p^3 operations an iteration.
    Where its line search finds nothing better, 'lm' is tried from x0.
    'lm': see `curve_fit`. 'anderson': D. G. Anderson, J. ACM 12(4), 1965; H. F. Walker, P. Ni, SIAM
    J. Numer. Anal. 49(4), 2011. Each problem ends by itself, and one that fails is a status.
    Differentiable with respect to all that `fun` depends on, once and twice, by the implicit
    function theorem; where n > p, as the least-squares solution.

    Differs from SciPy: batches; the methods; a stationary point that is no root is no success.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import array_namespace
    >>> from likewise.optimize import root
    >>> def circle_and_line(x):
    ...     return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])
    >>> found = root(circle_and_line, np.asarray([[2.0, 0.5], [-3.0, -1.0]]))
    >>> found.x.round(6)
    array([[ 1.,  1.],
           [-1., -1.]])
    """
    name = "root"
    if method in _INSTEAD:
        raise ArgumentError(f"{name}: method {method!r} isn't offered; {_INSTEAD[method]}")
    _plan.choice(name, "method", method, tuple(_OPTIONS))
    given = _options(method, options)
    tol = None if tol is None else tolerance(name, "tol", tol, 0.0)
    _, x, batch = start_of(name, x0)
    system = make_system(name, fun, jac, args, None, x, batch, vectorized)
    inner = stopped(system)
    with quiet(x):  # trial steps may overflow, and are rejected for it
        n = _equations(system, inner, x, method)
        found = _METHODS[method](inner, x, tol, given)
        x = found.x
        values = _carried(system, x, found.fun, found.status, square=n == x.shape[1])
    out = RootResult(*values, found.nit, found.nfev, found.status)

    def shaped(a: Any) -> Any:
        return array_namespace(a).reshape(a, (*(batch or ()), *a.shape[1:]))

    return RootResult(**{f.name: shaped(getattr(out, f.name)) for f in dataclasses.fields(out)})


def _options(method: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    out = dict(_OPTIONS[method])
    for key, value in table("root", "options", options).items():
        if key not in out:
            raise ArgumentError(
                f"root: options of method {method!r} are {', '.join(out)}, got {key!r}"
            )
        label = f"option {key!r}"
        if key in ("maxiter", "M"):
            out[key] = count("root", label, value, out[key], 1)
            continue
        out[key] = None if value is None else tolerance("root", label, value, 0.0)
        if out[key] is not None and not 0 < out[key] < math.inf:
            raise ArgumentError(f"root: {label} must be a positive number, got {value!r}")
    return out


def _equations(system: System, inner: System, x: Any, method: str) -> int:
    """How many equations there are, if the method takes as many."""
    n, p = int(inner.residuals(x).shape[1]), int(x.shape[1])
    if method != "lm" and n != p:
        raise ShapeError(
            f"root: method {method!r} takes as many equations as unknowns, but n = {n} and p = "
            f"{p}; 'lm' takes more equations"
        )
    if n < p:
        raise ShapeError(f"root: at least as many equations as unknowns, but n = {n} and p = {p}")
    return n


def _newton(system: System, x: Any, tol: float | None, options: dict[str, Any]) -> Root:
    eps = float(array_namespace(x).finfo(x.dtype).eps)
    xtol = options["xtol"] or (eps**0.75 if tol is None else tol)
    end = newton(system, x, float(xtol), int(options["maxiter"]))
    xp = array_namespace(x)
    lost = end.status == STALLED

    def again(end: Root) -> Root:
        start = xp.where(lost[:, None], x, end.x)
        other = _levenberg_marquardt(system, start, tol, dict(_OPTIONS["lm"]))
        better = lost & (other.status == 1)
        nit, nfev = end.nit + other.nit, end.nfev + other.nfev
        return end._replace(
            x=xp.where(better[:, None], other.x, end.x),
            fun=xp.where(better[:, None], other.fun, end.fun),
            status=xp.where(better, other.status, end.status),
            nit=xp.where(lost, nit, end.nit),
            nfev=xp.where(lost, nfev, end.nfev),
        )

    out: Root = cond(xp.any(lost), again, lambda end: end, end)
    return out


_CODES = {Outcome.LIMIT: 0, Outcome.NOT_FINITE: -1, Outcome.DIVERGED: -3, Outcome.CONVERGED: 1}


def _anderson(system: System, x: Any, tol: float | None, options: dict[str, Any]) -> Any:
    fatol = options["fatol"] or tol
    end = mixed(
        system.residuals, x, fatol, int(options["maxiter"]), int(options["M"]), options["alpha"]
    )
    xp = array_namespace(end.status)
    status = end.status
    for known, code in _CODES.items():
        status = xp.where(end.status == known, xp.full_like(status, code), status)
    return end._replace(status=status)


def _levenberg_marquardt(
    system: System, x: Any, tol: float | None, options: dict[str, Any]
) -> Root:
    """By the solver of curve_fit; a root is where the residuals are zero up to rounding."""
    xp = array_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    usual = eps**0.75 if tol is None else float(tol)
    found = by_levenberg_marquardt(
        system,
        x,
        None,
        None,
        1.0,
        options["ftol"] or usual,
        options["xtol"] or usual,
        options["gtol"] or usual,
        int(options["maxiter"] or 100 * (x.shape[1] + 1)),
    )
    f, jac = system.residuals(found.x), system.jacobian(found.x)
    rows = xp.sqrt(xp.sum(jac * jac, axis=(1, 2)))
    reach = rows * (xp.sqrt(xp.sum(x * x, axis=1)) + xp.sqrt(xp.sum(found.x**2, axis=1)))
    zero = xp.sqrt(xp.sum(f * f, axis=1)) <= eps ** (2 / 3) * reach
    one = xp.ones_like(found.status)
    status = xp.where(found.status > 0, xp.where(zero, one, 3 * one), found.status)
    # At a root that rounding keeps it from reaching further, it stalls.
    stalled = found.status == LM_STALLED
    status = xp.where(stalled, xp.where(zero, one, STALLED * one), status)
    count = xp.asarray(0, dtype=xp.int32, device=device(x))
    return Root(found.x, f, f, reach, status, found.nfev - 1, found.nfev, count)


_METHODS: dict[str, Callable[..., Any]] = {
    "newton": _newton,
    "lm": _levenberg_marquardt,
    "anderson": _anderson,
}


def _carried(system: System, x: Any, fun: Any, status: Any, square: bool) -> tuple[Any, Any]:
    """The solution and the values there, with their derivatives if somebody asks for them."""
    x = stop_gradient(x)
    f = system.residuals(x)
    if not recorded(f):
        return x, fun
    good = ((status == 1) | (status == 2) if square else status > 0)[:, None]

    def residuals(v: Any) -> Any:
        """The equations; of too many, the gradient of half the sum of their squares."""
        f = system.residuals(v)
        xp = array_namespace(f, v)
        if not square:
            if system.exact:
                f = system.pullback(v)(f)
            else:
                f = xp.matmul(f[:, None, :], system.jacobian(v))[:, 0, :]
        return xp.where(good, f, v - x)  # no solution, no derivative

    moved = refined(x, residuals)
    xp = array_namespace(moved)
    moved = xp.where(xp.isnan(moved), x, moved)  # nor where the Jacobian is singular
    return moved, system.residuals(moved)
