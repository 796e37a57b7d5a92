"""Nonlinear least squares with bounds and losses, for one large problem or many small ones."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

from ..._namespace import array_namespace, is_lazy, quiet
from ..._native import public
from ...solving._blocks import in_blocks, sides
from ...solving._callback import Callback
from ...solving._fallback import of_row, or_differenced
from ...solving._few import Views, rows_one_by_one
from ...solving._options import count
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiles
from ...transforms import stop_gradient
from .._constraints._stated import Stated, stated
from .._quadratic._squares import Tests, constrained_least_squares, planned_rows
from .._steps._loss import Loss
from .._steps._system import (
    NoMatrixError,
    System,
    bounds_of,
    first_offender,
    make_system,
    start_of,
    stopped,
)
from ._arguments import (
    method_of,
    plan_inner,
    plan_loss,
    plan_rest,
    plan_scale,
    plan_tolerances,
    plan_values,
    products_alone,
)
from ._solve import Ended, solved
from ._table import Table
from ._trust_region_reflective import Setting, Tolerances

__all__ = ["LeastSquaresResult", "least_squares"]


@result
class LeastSquaresResult(Result):
    """Hold the results of `least_squares`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., p)
        The solution.
    cost : array, shape (...)
        Half the sum of the losses at `x`.
    fun : array, shape (..., n)
        The residuals.
    jac : array, shape (..., n, p), or None
        The Jacobian with rows scaled by the loss, so that ``jac^T jac`` is the Gauss-Newton matrix
        of the cost; None with ``tr_solver='lsmr'``.
    grad : array, shape (..., p)
        The gradient of the cost.
    optimality : array, shape (...)
        The largest element of the gradient, after multiplying each element by the distance to the
        bound towards which the cost falls, if there is one.
    active_mask : array of int32, shape (..., p)
        -1, 0, 1: at the lower bound, free, at the upper bound.
    nfev, njev : array of int32, shape (...)
        Evaluations of the residuals (without those for finite differences) and of the Jacobian.
    status : array of int32, shape (...)
        Why it ended, SciPy's codes, explained by `advice` and `summary`; -4: no step lowers the
        cost ('lm'); -5: infeasible.
    multipliers : array, shape (..., m), or None
        Of the constraints, in the order in which they were given, positive at the lower side:
        ``grad = multipliers @ J + bound_multipliers``, if J holds the constraints' derivatives.
    bound_multipliers : array, shape (..., p), or None
        Of the bounds if there are constraints, positive at the lower one.
    constr_violation : array, shape (...), or None
        By how much a constraint is broken at most.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.GRADIENT: 1,
        Outcome.COST: 2,
        Outcome.STEP: 3,
        Outcome.COST_AND_STEP: 4,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.INTERRUPTED: -2,
        Outcome.STALLED: -4,
        Outcome.INFEASIBLE: -5,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.GRADIENT: "converged: the gradient, scaled by the bounds, is within gtol",
        Outcome.LIMIT: "max_nfev was reached: raise it, start closer, or scale the unknowns by "
        "x_scale",
        Outcome.NOT_FINITE: "the residuals are not finite at x0, or their Jacobian on the way: "
        "check data and x0",
        Outcome.INTERRUPTED: "ended by the callback (StopIteration)",
        Outcome.STALLED: "no step lowers the cost, whose gradient isn't 0 (method 'lm'): move x0, "
        "or take 'trf'",
    }

    x: Any
    cost: Any
    fun: Any
    jac: Any
    grad: Any
    optimality: Any
    active_mask: Any
    nfev: Any
    njev: Any
    outcome: Any
    multipliers: Any = None
    bound_multipliers: Any = None
    constr_violation: Any = None

    def tell(self) -> None:
        """Print how it ended; for one problem with its cost and evaluations."""
        super().tell()
        if not is_lazy(self.outcome) and not self.outcome.ndim:
            sys.stdout.write(
                f"Function evaluations {int(self.nfev)}, final cost {float(self.cost):.4e}, "
                f"first-order optimality {float(self.optimality):.2e}.\n"
            )


@public
def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    jac: Callable[..., Any] | str | None = None,
    bounds: Any = (-math.inf, math.inf),
    method: Literal["trf", "lm", "dogbox"] | str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    x_scale: Any = None,
    loss: Loss | str | Callable[..., Any] = "linear",
    f_scale: float = 1.0,
    diff_step: Any = None,
    tr_solver: Literal["exact", "lsmr"] | str | None = None,
    tr_options: Mapping[str, Any] | None = None,
    jac_sparsity: Any = None,
    max_nfev: int | None = None,
    verbose: int = 0,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    workers: Any = None,
    *,
    constraints: Any = (),
    vectorized: bool = False,
    lsmr_maxiter: int | None = None,
) -> LeastSquaresResult:
    """Minimise half the sum of squares (or another loss) of a function's values within bounds.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args, **kwargs)``, residuals (n,) of unknowns (p,), in functions of
        ``likewise.array_namespace(x)``.
    x0 : array, shape (p,) or (..., p)
        Start values; leading dimensions are a batch of problems.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args, **kwargs)``, shape (n, p), or a scheme of finite differences. It may return
        a `likewise.sparse.linalg.LinearOperator` of that shape: then ``tr_solver`` is 'lsmr', and
        only products with it are used ('trf' without constraints, `x_scale` of numbers). Default:
        exact, by the library's transforms; for one problem whose `fun` can't be traced, '2-point'
        with a `DerivativeWarning`.
    bounds : pair of array or float, array (2, p), or an object with ``lb`` and ``ub``, optional
        Lower and upper bounds, (p,), (..., p) or numbers; infinite where there is none.
    method : {'trf', 'lm', 'dogbox'}, optional
        The trust-region reflective algorithm, or Levenberg-Marquardt with an active set, which is
        faster for many small problems. 'dogbox' runs 'trf'; `note` of the result says so.
    ftol, xtol, gtol : float or None, optional
        Tolerances of convergence: relative change of the cost, relative change of the unknowns, and
        size of the gradient. None switches a test off ('lm' always makes all). In single precision
        the default is eps^(3/4). If residuals or unknowns are so far from 1 that their squares
        overflow or underflow, the tests apply in units in which they are 1.
    x_scale : float, array (p,) or (..., p), or 'jac', optional
        Sizes of the unknowns, or 'jac' for the inverse norms of the Jacobian's columns. Default: 1
        for 'trf'; 'lm' always uses 'jac'.
    loss : {'linear', 'soft_l1', 'huber', 'cauchy', 'arctan'} or callable, optional
        The function of the squared residuals z that is summed: z, ``2 (sqrt(1 + z) - 1)``, z up to
        1 and ``2 sqrt(z) - 1`` above, ``log(1 + z)``, ``atan(z)``; a callable returns its value and
        two derivatives, stacked along the first axis.
    f_scale : float, optional
        Size of residuals above which a loss differs from the linear one.
    diff_step : float or array (p,), optional
        Steps of finite differences relative to the unknowns.
    tr_solver : {'exact', 'lsmr'}, optional
        'exact' uses a dense Jacobian; 'lsmr' uses only products with it, by forward and reverse
        mode or by `jac`, and doesn't form it (unless `jac` is finite differences or a callable
        that returns matrices; then x_scale='jac' uses 'exact'). Default: 'exact', and 'lsmr' if
        `jac` returns an operator. No effect with 'lm'.
    tr_options : dict, optional
        Options of LSMR. ``maxiter`` is `lsmr_maxiter`; SciPy's others are accepted without effect.
    jac_sparsity : array or sparse matrix, shape (n, p), optional
        Accepted for SciPy's sake, without effect, as `note` of the result says: Jacobians are
        dense. For very many unknowns use ``tr_solver='lsmr'``, which forms no Jacobian.
    max_nfev : int, optional
        Maximum number of evaluations of `fun`. Default: 100 p.
    verbose : int, optional
        1: print how it ended, if arrays have values; 2: for one problem by 'trf', also print a line
        per iteration (not on JAX). Default: 0.
    args, kwargs : tuple and dict, optional
        Further arguments of `fun` and `jac`, the same for all problems. A single one needs no
        tuple. A function that writes to these arrays writes to copies.
    callback : callable, optional
        ``callback(x)`` or ``callback(intermediate_result=...)`` (with
        ``x, fun, cost, optimality, nfev, nit``), called after each step if arrays have values;
        StopIteration ends the iteration with status -2. 'lm' doesn't call it.
    workers : optional
        Accepted for SciPy's sake, without effect.
    constraints : LinearConstraint, NonlinearConstraint, dictionary, or a list of them, optional
        As of `minimize`; on Dask the same for all problems. With constraints `method`, `x_scale`
        and `tr_solver` have no effect.
    vectorized : bool, optional
        Whether `fun` and `jac` take a batch of B problems, (B, p) to (B, n) and (B, n, p), row by
        row. Default: they take one problem, and are mapped over the batch.
    lsmr_maxiter : int, optional
        Maximum number of steps of LSMR per iteration. Default: min(n, p), at most 200.

    Returns
    -------
    LeastSquaresResult
        ``x, cost, fun, jac, grad, optimality, active_mask, nfev, njev, status, success``.

    Raises
    ------
    ArrayTypeError, DtypeError, ShapeError
        If x0, or a result of `fun` or `jac`, is not a real array of the right library, dtype and
        shape.
    ArgumentError
        If an option is unknown or out of range; if bounds cross or x0 is outside them (checked only
        for eager arrays on the host; otherwise x0 is moved inside).
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile), or if
        there is a callback and arrays have no values.

    Notes
    -----
    M. A. Branch, T. F. Coleman, Y. Li, SIAM J. Sci. Comput. 21(1), 1999, The subproblem in all
    unknowns is solved from the scaled normal matrix, with a rounding term on its diagonal, by
    Cholesky factors (J. J. Moré, D. C. Sorensen, 1983): n p^2 + p^3 operations per iteration. At
    the end, an unknown is put exactly on its bound if its Gauss-Newton step would cross the bound
    and if, on the bound, the cost falls only outwards; the others move to their minimum. This is
    kept only if the cost doesn't rise. Steps of 'lm' are bounded as MINPACK's are (J. J. Moré,
    1978); if they stall, 'trf' continues. With 'lsmr': D. C.-L. Fong, M. Saunders, SIAM J. Sci.
    Comput. 33(5), 2011. Losses: see B. Triggs et al., Bundle adjustment, 2000, section 4.3. Each
    problem of a batch converges separately; a failure is a status. Runs under jax.jit; outside
    jax.jit, JAX reuses compiled code if the trace of the functions is the same.

    With constraints the steps are quadratic programmes of `solve_qp`'s active set, with the damped
    Gauss-Newton matrix (J. Nocedal, S. Wright, Numerical Optimization, 2006, section 18.3); they
    are relaxed where linear parts contradict each other, and corrected for curvature. A problem
    whose violations can't be lowered ends as infeasible; success means that all are within
    eps^(3/4). Each step evaluates functions and derivatives once. Derivatives of solution and
    multipliers follow from the conditions of optimality with the active constraints held.

    Differentiable, also twice, with respect to the bounds and all arrays that `fun` depends on, by
    the implicit function theorem on the free unknowns, which needs the cost's second derivatives;
    with 'lsmr' only once, by LSMR with products with the second derivatives. If their matrix is
    singular, or the iteration has not converged, the derivative is undefined, and 0 is returned.

    Differs from SciPy: batches; exact derivatives; active bounds are met exactly; 'lm' accepts
    bounds and losses; sparse Jacobians become dense, and ``jac_sparsity`` has no effect; a start on
    a bound is moved off it by eps^(2/3).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import array_namespace
    >>> from likewise.optimize import least_squares
    >>> def rosenbrock(x):
    ...     return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])
    >>> least_squares(rosenbrock, np.asarray([-1.2, 1.0])).x.round(6)
    array([1., 1.])
    >>> found = least_squares(
    ...     lambda x, t: x[0] * t - t**2, np.asarray([1.0]), bounds=(0, 2), args=(np.arange(5.0),)
    ... )
    >>> found.x, found.active_mask
    (array([2.]), array([1], dtype=int32))
    """
    name = "least_squares"
    algorithm, note = method_of(method)

    def call(x0: Any, bounds: Any, x_scale: Any, args: Any, kwargs: Any) -> LeastSquaresResult:
        return least_squares(
            *(fun, x0, jac, bounds, method, ftol, xtol, gtol, x_scale, loss, f_scale, diff_step),
            *(tr_solver, tr_options, jac_sparsity, max_nfev, verbose, args, kwargs),
            constraints=constraints,
            vectorized=vectorized and getattr(given, "ndim", 1) > 1,
            lsmr_maxiter=lsmr_maxiter,
        )

    given = x0
    arrays = {
        "x0": (x0, 1),
        "bounds": (sides(bounds), 1),
        "x_scale": (x_scale, None if isinstance(x_scale, str) else 1),
        "args": (args, None),
        "kwargs": (kwargs, None),
    }
    users = {"fun": fun, "jac": jac, "loss": loss}
    blocks = in_blocks(name, call, arrays, users, callback)
    if blocks is not None:
        return blocks
    xp, x, batch = start_of(name, x0)
    limits = bounds_of(name, bounds, x, batch)
    if limits is not None:
        outside = (x < limits[0]) | (x > limits[1])
        text = "x0 must lie within the bounds, got {:g} with bounds {:g} and {:g}: move it, or them"
        first_offender(name, outside, batch, text, x, *limits)
    inner = plan_inner(tr_options, lsmr_maxiter)
    tests = {"ftol": ftol, "xtol": xtol, "gtol": gtol}
    rho = plan_loss(loss, f_scale)
    scale = plan_scale(x_scale, x, batch)
    note = plan_rest(jac_sparsity, workers, algorithm, callback, note)
    told = count(name, "verbose", verbose, 0)
    lm = algorithm == "lm"
    rows = vectorized and batch is not None
    fits = partial(plan_values, lm, jac_sparsity)
    teller = None if callback is None or lm else Callback(name, callback)
    if told > 1 and not lm and batch is None and not is_lazy(x) and not compiles(x):
        teller = Table(callback)
    edges = None if limits is None else stop_gradient(limits)
    every = stated(name, constraints)

    def solve(jac: Any, operator: bool = False) -> Any:
        free = operator or products_alone(algorithm, tr_solver, jac, x_scale)
        tolerances = plan_tolerances(xp, x, algorithm, tests, max_nfev, inner if free else False)
        system = make_system(
            name, fun, jac, args, kwargs, x, batch, vectorized, diff_step, fits, free
        )
        if every:
            return _with_constraints(
                system, x, limits, every, rho, f_scale, tolerances, batch, rows
            )
        setting = Setting(stopped(system), edges, rho, f_scale, tolerances, batch, rows, teller)
        with quiet(x):  # trial steps may overflow, and are rejected for it
            given, status = (system, limits, setting, scale, lm), Ended._fields.index("outcome")

            def seen(views: Views) -> tuple[Any, ...]:
                one = setting.system.seen(views)
                return one, limits, setting._replace(system=one), scale, lm

            solver, user = f"{name} {algorithm}", (fun, jac, args, *(kwargs or {}).items())
            return rows_one_by_one(solver, solved, x, batch, given, status, user, seen)

    try:
        fields = or_differenced(name, solve, jac, x, batch is None, of_row(fun, args, kwargs))
    except NoMatrixError:
        if lm or every or tr_solver == "exact" or isinstance(x_scale, str):
            raise
        fields = solve(jac, operator=True)
    found = _shaped(fields, batch).noted(note)
    if told:
        found.tell()
    return found


def _with_constraints(
    system: System,
    x: Any,
    limits: Any,
    constraints: list[Stated],
    rho: Any,
    f_scale: float,
    tolerances: Tolerances,
    batch: tuple[int, ...] | None,
    joint: bool,
) -> tuple[Any, ...]:
    """Return the fields of the result, of problems with constraints."""
    xp = array_namespace(x)
    known, rows = planned_rows("least_squares", x, constraints, limits, batch, joint)
    tests = Tests(*tolerances[:4])
    with quiet(x):
        end = constrained_least_squares(stopped(system), system, known, rows, rho, f_scale, tests)
    mask = xp.zeros_like(end.x, dtype=xp.int32)
    if limits is not None:
        mask = xp.where(end.x <= limits[0], mask - 1, xp.where(end.x >= limits[1], mask + 1, mask))
    fields = (end.x, end.cost, end.fun, end.jac, end.grad, end.level, stop_gradient(mask))
    return (*fields, end.nfev, end.nfev, end.outcome, end.y, end.z, end.apart)


def _shaped(found: Sequence[Any], batch: tuple[int, ...] | None) -> LeastSquaresResult:
    def shaped(a: Any) -> Any:
        if a is None or batch is None:
            return a if a is None else a[0, ...]
        return array_namespace(a).reshape(a, (*batch, *a.shape[1:]))

    same = batch is not None and len(batch) == 1
    return LeastSquaresResult(*(found if same else map(shaped, found)))
