"""Roots of one or many systems of equations."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

from ... import _plan
from ..._namespace import array_namespace, quiet
from ..._native import native, public
from ...errors import FitShapeError, _level
from ...solving._blocks import in_blocks
from ...solving._callback import Callback
from ...solving._fallback import of_row, or_differenced
from ...solving._few import Views, rows_one_by_one
from ...solving._following import recordable, recorded
from ...solving._function import carried
from ...solving._options import tolerance
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiled, compiled_of, compiles
from ...transforms import stop_gradient
from .._steps._system import System, make_system, start_of, stopped
from ._krylov import KRYLOV
from ._levenberg_marquardt import LM
from ._method import Root, Row, Run, options_of
from ._mixing import ANDERSON, BROYDEN1, BROYDEN2, DIAGBROYDEN, EXCITINGMIXING, LINEARMIXING
from ._newton import NEWTON
from ._spectral import DF_SANE

__all__ = ["RootResult", "root"]

_METHODS = {
    row.name: row
    for row in (
        NEWTON, LM, ANDERSON, BROYDEN1, BROYDEN2, LINEARMIXING, DIAGBROYDEN, EXCITINGMIXING,
        KRYLOV, DF_SANE,
    )
}  # fmt: skip
_SERVED = {name: row for row in _METHODS.values() for name in row.instead_of}


@result
class RootResult(Result):
    """Hold the results of `root`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., p)
        The solution.
    fun : array, shape (..., n)
        The function's values at `x`.
    nit, nfev : array of int32, shape (...)
        Iterations, and evaluations of the function (not counting its Jacobian).
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 1, 2, converged; 0, maxiter reached; 3,
        no root; -1, not finite; -2, no step reduces the residuals; -3, the residuals grew; -4,
        ended by the callback.
    method : str
        The requested method; `note` says which one ran.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 1,
        Outcome.ROUNDED: 2,
        Outcome.NO_ROOT: 3,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.STALLED: -2,
        Outcome.DIVERGED: -3,
        Outcome.INTERRUPTED: -4,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: the last step, or the residual, is within the tolerance",
        Outcome.ROUNDED: "converged: the residuals are as small as rounding lets them become",
        Outcome.LIMIT: "the most iterations were done: raise options['maxiter'], start closer, or "
        "try 'lm'",
        Outcome.NOT_FINITE: "the function is not finite at x0, or its Jacobian on the way: check "
        "x0",
        Outcome.STALLED: "no step reduces the residuals, which are not zero: start elsewhere",
        Outcome.DIVERGED: "the steps grew until the function was not finite: give alpha, or take "
        "'newton'",
        Outcome.INTERRUPTED: "ended by the callback (StopIteration)",
    }
    method = ""

    x: Any
    fun: Any
    nit: Any
    nfev: Any
    outcome: Any

    def keys(self) -> list[str]:
        """Return the names of the fields, including SciPy's `method`."""
        return list(dict.fromkeys([*super().keys(), "method"]))


@public
def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: Literal["newton", "lm", "krylov", "broyden1", "anderson", "df-sane"] | str = "newton",
    jac: Callable[..., Any] | str | bool | None = None,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
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
        Start values; leading dimensions are a batch of problems.
    args : tuple, optional
        Further arguments of `fun` and `jac`, the same for all problems. A single one needs no
        tuple. A function that writes to these arrays writes to copies.
    method : str, optional
        'newton': Newton's method with a line search, which SciPy's 'hybr' runs, too. 'lm':
        Levenberg-Marquardt, which also takes n > p. 'krylov': Newton's method by products with the
        Jacobian, for large systems. Without derivatives: 'broyden1', 'broyden2', 'anderson',
        'df-sane', 'linearmixing', 'diagbroyden', 'excitingmixing'.
    jac : callable, True or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args)``, shape (n, p); or True if `fun` returns its values and the Jacobian; or a
        scheme of finite differences. Default: exact, by the library's transforms; for one problem
        whose `fun` can't be traced, '2-point' with a `DerivativeWarning`.
    tol : float, optional
        The tolerance. Newton: the next step, relative to x. Default eps^(3/4). 'lm': relative
        changes of unknowns and sum of squares, and the gradient's cosines. Default eps^(3/4).
        Others: the largest residual, default 1.5e-8, of float32 6e-6; where rounding is in the way
        6e-6 does, of float32 3.5e-4. 'df-sane': the norm of the residuals relative to that at the
        start, default 1e-8, of float32 3.6e-6.
    callback : callable, optional
        ``callback(x, fun)`` or ``callback(intermediate_result=...)``, called after each step of
        all but 'lm' if arrays have values; StopIteration ends the iteration with status -4.
    options : dict, optional
        'newton': maxiter (200), xtol. 'lm': maxiter (100 (p + 1)), xtol, ftol, gtol. 'df-sane':
        maxfev (1000), ftol, fatol, M (10), sigma_eps, sigma_0, eta_strategy, fnorm, line_search
        ('cruz', 'cheng'). Others: nit, maxiter (100 (p + 1)), fatol, ftol, xatol, xtol, tol_norm,
        line_search, and the further arguments of the function of that name ('krylov':
        `newton_krylov`), also in a dict 'jac_options'. All: maxfev, the maximum of evaluations of
        `fun`, after which a last step may take one more; disp, whether to print how it ended. Other
        options give an `OptimizeWarning`.
    vectorized : bool, optional
        Whether `fun` and `jac` take a batch of B problems, (B, p) to (B, n) and (B, n, p), row by
        row. Default: they take one problem, and are mapped over the batch.

    Returns
    -------
    RootResult
        ``x, fun, nit, nfev, status, success``.

    Raises
    ------
    ArrayTypeError, DtypeError, ShapeError
        If x0, or a result of `fun` or `jac`, is not a real array of the right library, dtype and
        shape, or if n and p differ (method 'lm': if n < p).
    ArgumentError
        If a method is unknown, or an option is out of range.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    Newton: J. E. Dennis, R. B. Schnabel, Numerical Methods for Unconstrained Optimization and
    Nonlinear Equations, 1996, sections 6.3 and 6.5: one Jacobian and p^3 operations per iteration.
    If its line search fails, 'lm' starts from x0. 'lm': see `curve_fit`. 'df-sane': W. La Cruz, J.
    M. Martinez, M. Raydan, Math. Comp. 75(255), 2006. Others: see `broyden1`, `newton_krylov` and
    their like. Each problem converges separately; a failure is a status. Differentiable, also
    twice, with respect to all arrays that `fun` depends on, by the implicit function theorem; for n
    > p, as the least-squares solution. If the Jacobian is singular (a root of even order), the
    derivative is undefined, and 0 is returned.

    Differs from SciPy: batches; 'newton'; a stationary point that is no root is a failure.

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
    row, note = _row(method)

    def call(x0: Any, args: Any) -> RootResult:
        joint = vectorized and getattr(start, "ndim", 1) > 1
        return root(fun, x0, args, method, jac, tol, options=options, vectorized=joint)

    start = x0
    arrays = {"x0": (x0, 1), "args": (args, None)}
    blocks = in_blocks(name, call, arrays, {"fun": fun, "jac": jac}, callback)
    if blocks is not None:
        return blocks
    given = options_of(row, options)
    tol = None if tol is None else tolerance(name, "tol", tol, 0.0)
    _, x, batch = start_of(name, x0)
    if not row.jacobian and jac is not None:
        message = f"Method {method} does not use the jacobian (jac)."
        warnings.warn(message, RuntimeWarning, stacklevel=_level())
        jac = True if jac is True else None
    jac, fits = None if jac is False else jac, partial(_fits, row)
    teller = None if callback is None or row is LM else Callback(name, callback, "fun")

    def solve(jac: Any) -> tuple[Any, ...]:
        system = make_system(name, fun, jac, args, None, x, batch, vectorized, fits=fits)
        run = Run(tol, given, vectorized and batch is not None, batch, teller, [])
        with quiet(x):  # trial steps may overflow, and are rejected for it
            status = Root._fields.index("status")
            rest = system, row, run

            def seen(views: Views) -> tuple[Any, ...]:
                return system.seen(views), row, run

            user = fun, jac, args
            out = rows_one_by_one(name, _found, x, batch, rest, status, user, seen)
            found = Root(*out)
            values = found.x, found.fun
            if not run.held or any(map(recorded, run.held[0])):
                square = found.fun.shape[1] == x.shape[1]
                values = _carried(system, *values, found.status, square)
        return (*values, found.nit, found.nfev, found.status)

    if row.followed and given["rdiff"] is not None:
        jac = "2-point"
    first = of_row(fun, args) if row.jacobian or row.followed else None
    out = or_differenced(name, solve, jac, x, batch is None, first)
    made = RootResult(*(_shaped(a, batch) for a in out)).noted(note)
    made.method = method
    if given["disp"]:
        made.tell()
    return made


def _alone(x: Any, system: System, row: Row, run: Run) -> bool:
    """one problem of float64 by 'newton', outside of transforms."""
    if row.name != NEWTON.name:
        return False
    usual = run.callback is None
    free = all(run.options[k] == NEWTON.options[k] for k in ("maxiter", "maxfev"))
    return usual and free and system.alone(x)


@native(numpy="likewise._libs.numpy._systems:root", when=_alone)
def _found(x: Any, system: System, row: Row, run: Run) -> tuple[Any, ...]:
    """Where problems have ended, a `Root`."""
    if system.of_user is None or run.callback is not None or not compiles(x):
        inner = stopped(system)
        return tuple(compiled(x, lambda x: row.solve(inner, x, run), x)[0])
    settings = row.name, run.tol, tuple(run.options.items()), run.joint, run.batch
    found, held = compiled_of(x, _traced, settings, system.of_user(x), x)
    if run.held is not None:
        run.held.append(held)
    return tuple(found)


def _traced(settings: tuple[Any, ...], functions: Sequence[Any], x: Any) -> Root:
    """The end of the iterations, of the user's functions as they were traced."""
    (name, tol, options, joint, batch), (fun, jac) = settings, functions
    system = stopped(make_system("root", fun, jac, (), None, x, batch, joint))
    return _METHODS[name].solve(system, x, Run(tol, dict(options), joint, batch, None))


def _shaped(a: Any, batch: tuple[int, ...] | None) -> Any:
    if batch is None:
        return a[0, ...]
    return array_namespace(a).reshape(a, (*batch, *a.shape[1:]))


def _row(method: Any) -> tuple[Row, str]:
    """Return the row of a method, and a note if it replaces another."""
    wanted = method.lower() if isinstance(method, str) else method
    _plan.choice("root", "method", wanted, (*_METHODS, *_SERVED))
    if wanted in _METHODS:
        return _METHODS[wanted], ""
    row = _SERVED[wanted]
    return row, f"{method!r} is served by {row.name!r}"


def _fits(row: Row, n: int, p: int) -> None:
    """Refuse more equations than the method takes, or too few."""
    if not row.more and n != p:
        raise FitShapeError(
            f"root: method {row.name!r} takes as many equations as unknowns, got n = {n} and p = "
            f"{p}; 'lm' takes more equations"
        )
    if n < p:
        raise FitShapeError(
            f"root: at least as many equations as unknowns are needed, got n = {n}, p = {p}"
        )


def _carried(system: System, x: Any, fun: Any, status: Any, square: bool) -> tuple[Any, Any]:
    """Return the solution and the values there with implicit derivatives, if needed."""
    x = stop_gradient(x)
    if not recordable(x):
        return x, fun
    f = system.residuals(x)
    if not recorded(f):
        return x, fun
    good = status > 0 if square else (status > 0) | (status == Outcome.NO_ROOT)

    def residuals(v: Any) -> Any:
        """Return the equations; if overdetermined, the gradient of half their sum of squares."""
        f = system.residuals(v)
        return f if square else system.pullback(v)(f)

    moved = carried(x, residuals, good)
    return moved, system.residuals(moved)
