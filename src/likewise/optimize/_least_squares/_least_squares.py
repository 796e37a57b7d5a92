"""Nonlinear least squares, one large problem or many small ones, with bounds and losses."""

import math
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Literal

from ..._namespace import array_namespace, is_lazy, quiet
from ..._native import public
from ...transforms import stop_gradient
from ...transforms._running import compiles
from .._steps._callback import Callback
from .._steps._fallback import of_row, or_differenced
from .._steps._loss import Loss
from .._steps._options import count
from .._steps._outcome import Outcome
from .._steps._result import Result, result
from .._steps._system import bounds_of, first_offender, make_system, start_of, stopped
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
from ._trust_region_reflective import Setting

__all__ = ["LeastSquaresResult", "least_squares"]


@result
class LeastSquaresResult(Result):
    """Holds what `least_squares` found; arrays of the caller's library, one entry a problem.

    Attributes
    ----------
    x : array, shape (..., p)
        The solution.
    cost : array, shape (...)
        Half the sum of the losses there.
    fun : array, shape (..., n)
        The residuals.
    jac : array, shape (..., n, p), or None
        The Jacobian, its rows scaled by the loss, so that ``jac^T jac`` is the Gauss-Newton matrix
        of the cost; None with ``tr_solver='lsmr'``.
    grad : array, shape (..., p)
        The gradient of the cost.
    optimality : array, shape (...)
        The largest entry of the gradient, each multiplied by the distance to the bound that it
        points away from, if there is one.
    active_mask : array of int32, shape (..., p)
        -1, 0, 1: at the lower bound, free, at the upper bound.
    nfev, njev : array of int32, shape (...)
        Evaluations of the residuals (without those for differences) and of the Jacobian.
    status : array of int32, shape (...)
        Why it ended, SciPy's codes, in words by `advice` and `summary`; -4: no step lowers the cost
        ('lm').
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
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.GRADIENT: "converged: the gradient, scaled by the bounds, is within gtol",
        Outcome.LIMIT: "max_nfev was reached: raise it, start closer, or scale the unknowns by "
        "x_scale",
        Outcome.NOT_FINITE: "the residuals are not finite at x0, or their Jacobian on the way: "
        "check data and x0",
        Outcome.INTERRUPTED: "ended by the callback (StopIteration), or interrupted",
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

    def tell(self) -> None:
        """Print how it ended; of one problem with its figures."""
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
        Where to start; leading dimensions are a batch of problems.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args, **kwargs)``, shape (n, p), or the differences to take. Default: exact, by
        the library's transforms; of one problem whose `fun` can't be followed '2-point', with a
        `DerivativeWarning`.
    bounds : pair of array or float, array (2, p), or an object with ``lb`` and ``ub``, optional
        Lower and upper bounds, (p,), (..., p) or numbers; infinite where there is none.
    method : {'trf', 'lm', 'dogbox'}, optional
        The trust-region reflective algorithm, or Levenberg-Marquardt with an active set, which is
        quicker for many small problems. 'dogbox' is served by 'trf'; `note` of the result says so.
    ftol, xtol, gtol : float or None, optional
        Relative change of the cost, relative change of the unknowns, and size of the gradient at
        which a problem has converged; None for a test that is not made ('lm' makes all). In single
        precision the default is eps^(3/4). Of residuals and unknowns so far from 1 that their
        squares are no numbers, in units in which they are 1.
    x_scale : float, array (p,) or (..., p), or 'jac', optional
        Sizes of the unknowns, or 'jac' for one over the norms of the Jacobian's columns. Default:
        1 for 'trf'; 'lm' always takes those of the columns.
    loss : {'linear', 'soft_l1', 'huber', 'cauchy', 'arctan'} or callable, optional
        What is summed up of the squared residuals z: z, ``2 (sqrt(1 + z) - 1)``, z up to 1 and
        ``2 sqrt(z) - 1`` above, ``log(1 + z)``, ``atan(z)``; a callable returns it and its two
        derivatives, stacked in front.
    f_scale : float, optional
        Residuals of this size are where a loss begins to differ from the linear one.
    diff_step : float or array (p,), optional
        Steps of differences relative to the unknowns.
    tr_solver : {'exact', 'lsmr'}, optional
        A dense Jacobian; or only products with it, by forward and reverse mode, so that it is never
        formed (with a callable or differences as `jac` it is; then x_scale='jac' takes 'exact').
        Default: 'exact'. Of no effect with 'lm'.
    tr_options : dict, optional
        Options of LSMR. ``maxiter`` is `lsmr_maxiter`; SciPy's others are taken, without effect.
    jac_sparsity : array or sparse matrix, shape (n, p), optional
        Taken for SciPy's sake, without effect, as `note` of the result says: Jacobians are dense.
        For very many unknowns take ``tr_solver='lsmr'``, which forms none.
    max_nfev : int, optional
        Most evaluations of `fun`. Default: 100 p.
    verbose : int, optional
        1: print how it ended, where that has a value; 2: also a line for each iteration, of one
        problem by 'trf', where arrays have values (not on JAX). Default: 0.
    args, kwargs : tuple and dict, optional
        Further arguments of `fun` and `jac`, the same for all problems. A single one needs no
        tuple. A function that writes to arrays of these writes to copies.
    callback : callable, optional
        ``callback(x)`` or ``callback(intermediate_result=...)`` (with ``x, fun, cost, optimality,
        nfev, nit``), called after each step, where arrays have values; StopIteration ends it, with
        status -2. By 'lm' it isn't called.
    workers : optional
        Taken for SciPy's sake, without effect.
    vectorized : bool, optional
        Whether `fun` and `jac` map a batch at once, (B, p) to (B, n) and (B, n, p), row by row, B
        being the number of problems. Default: they are functions of one problem, and are mapped.
    lsmr_maxiter : int, optional
        Most steps of LSMR an iteration. Default: min(n, p), at most 200.

    Returns
    -------
    LeastSquaresResult
        ``x, cost, fun, jac, grad, optimality, active_mask, nfev, njev, status, success``.

    Raises
    ------
    ArrayTypeError, DtypeError, ShapeError
        If x0, or what `fun` or `jac` returns, is not a real array of the one library, dtype and
        shape.
    ArgumentError
        If an option is none of those offered or out of range; if bounds are crossed or x0 is
        outside of them (looked at where arrays are on the host and eager; elsewhere x0 is moved
        inside).
    NotSupported
        If the arrays are lazy and their library has no loop for them (Dask, torch.compile), or
        there is a callback for arrays without values.

    Notes
    -----
    M. A. Branch, T. F. Coleman, Y. Li, SIAM J. Sci. Comput. 21(1), 1999, with the subproblem in all
    unknowns solved from the normal matrix by Cholesky factors (J. J. Moré, D. C. Sorensen, 1983),
    scaled and with what rounding needs on the diagonal: n p^2 + p^3 operations an iteration. In the
    end unknowns whose Gauss-Newton step would leave the bounds, and that are drawn out of them
    there, too, are put on them, and the others moved to their minimum, if that costs no more: so
    active bounds are met exactly, and nothing is clipped. Where 'lm' stalls, 'trf' goes on.
    With 'lsmr': D. C.-L. Fong, M. Saunders, SIAM J. Sci. Comput. 33(5), 2011. Losses: see B. Triggs
    et al., Bundle adjustment, 2000, section 4.3. Each problem of a batch ends by itself; one that
    fails is a status. Runs under jax.jit; outside of it JAX uses what was compiled for functions
    that read the same.

    Differentiable with respect to all that `fun` depends on and to the bounds, once and twice, by
    the implicit function theorem on the free unknowns, which needs the cost's second derivatives;
    with 'lsmr' by products with these alone, solved for by LSMR, and once only. Where their matrix
    is singular, or the iteration has not converged, there is no derivative, and 0 is returned.

    Differs from SciPy: batches; exact derivatives; active bounds are met exactly; 'lm' takes bounds
    and losses; sparse Jacobians become dense, and ``jac_sparsity`` has no effect; a start on a
    bound is moved off it by eps^(2/3).

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
    teller = None if callback is None or lm else Callback(name, callback, batch)
    if told > 1 and not lm and batch is None and not is_lazy(x) and not compiles(x):
        teller = Table(callback)
    edges = None if limits is None else stop_gradient(limits)

    def solve(jac: Any) -> Any:
        steps = inner if products_alone(algorithm, tr_solver, jac, x_scale) else False
        tolerances = plan_tolerances(xp, x, algorithm, tests, max_nfev, steps)
        system = make_system(name, fun, jac, args, kwargs, x, batch, vectorized, diff_step, fits)
        setting = Setting(stopped(system), edges, rho, f_scale, tolerances, batch, rows, teller)
        with quiet(x):  # trial steps may overflow, and are rejected for it
            return solved(x, system, limits, setting, scale, lm)

    fields = or_differenced(name, solve, jac, x, batch is None, of_row(fun, args, kwargs))
    found = _shaped(Ended(*fields), batch).noted(note)
    if told:
        found.tell()
    return found


def _shaped(found: Ended, batch: tuple[int, ...] | None) -> LeastSquaresResult:
    def shaped(a: Any) -> Any:
        if a is None or batch is None:
            return a if a is None else a[0, ...]
        return array_namespace(a).reshape(a, (*batch, *a.shape[1:]))

    same = batch is not None and len(batch) == 1
    return LeastSquaresResult(*(found if same else map(shaped, found)))
