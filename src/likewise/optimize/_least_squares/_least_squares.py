"""Nonlinear least squares, one large problem or many small ones, with bounds and losses."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral, quiet
from ..._native import public
from ...errors import ArgumentError
from ...transforms import cond, stop_gradient
from ...transforms._implicit import recorded, refined, refined_by_products
from .._steps._levenberg_marquardt import STALLED, by_levenberg_marquardt
from .._steps._loss import Rho, loss_function, robust
from .._steps._options import count, tolerance
from .._steps._result import Coded, result
from .._steps._system import System, bounds_of, first_offender, make_system, start_of, stopped
from ._lsmr import lsmr
from ._trust_region_reflective import (
    Solution,
    Tolerances,
    leaving,
    optimality,
    trust_region_reflective,
)
from ._units import Units, in_units, units_at

__all__ = ["LeastSquaresResult", "least_squares"]

_INSTEAD = {"dogbox": "'trf' honours bounds, too"}


@result
class LeastSquaresResult(Coded):
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
        Why it ended, in words by `advice` and `summary`.
    """

    x: Any
    cost: Any
    fun: Any
    jac: Any
    grad: Any
    optimality: Any
    active_mask: Any
    nfev: Any
    njev: Any
    status: Any

    ADVICE: ClassVar[dict[int, str]] = {
        -4: "no step lowers the cost, whose gradient isn't 0 (method 'lm'): move x0, or take 'trf'",
        -1: "the residuals are not finite at x0, or their Jacobian on the way: check data and x0",
        0: "max_nfev was reached: raise it, start closer, or scale the unknowns by x_scale",
        1: "converged: the gradient, scaled by the bounds, is within gtol",
        2: "converged: the cost changes relatively by no more than ftol",
        3: "converged: the unknowns change relatively by no more than xtol",
        4: "converged: cost and unknowns change by no more than ftol and xtol",
    }
    CONVERGED: ClassVar[tuple[int, ...]] = (1, 2, 3, 4)


@public
def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    jac: Callable[..., Any] | str | None = None,
    bounds: Any = (-math.inf, math.inf),
    method: str = "trf",
    ftol: float | None = None,
    xtol: float | None = None,
    gtol: float | None = None,
    x_scale: Any = None,
    loss: str | Callable[..., Any] = "linear",
    f_scale: float = 1.0,
    tr_solver: str | None = None,
    max_nfev: int | None = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
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
        the library's transforms.
    bounds : pair of array or float, or an object with ``lb`` and ``ub``, optional
        Lower and upper bounds, which broadcast to the shape of x0; infinite where there is none.
    method : {'trf', 'lm'}, optional
        The trust-region reflective algorithm, or Levenberg-Marquardt with an active set, which is
        quicker for many small problems.
    ftol, xtol, gtol : float, optional
        Relative change of the cost, relative change of the unknowns, and size of the gradient at
        which a problem has converged. Default: 1e-8 in double precision, eps^(3/4) in single. Of
        residuals and unknowns so far from 1 that their squares are no numbers, in units in which
        they are 1.
    x_scale : float, array (p,) or (..., p), or 'jac', optional
        Sizes of the unknowns, or 'jac' for one over the norms of the Jacobian's columns. Default:
        1 for 'trf', 'jac' for 'lm', which knows nothing else.
    loss : {'linear', 'soft_l1', 'huber', 'cauchy', 'arctan'} or callable, optional
        What is summed up of the squared residuals z: z, ``2 (sqrt(1 + z) - 1)``, z up to 1 and
        ``2 sqrt(z) - 1`` above, ``log(1 + z)``, ``atan(z)``; a callable returns it and its two
        derivatives, stacked in front.
    f_scale : float, optional
        Residuals of this size are where a loss begins to differ from the linear one.
    tr_solver : {'exact', 'lsmr'}, optional
        A dense Jacobian; or only products with it, by forward and reverse mode, so that it is never
        formed (with a callable or differences as `jac` it is). Default: 'exact'.
    max_nfev : int, optional
        Most evaluations of `fun`. Default: 100 p.
    args, kwargs : sequence and dict, optional
        Further arguments of `fun` and `jac`, the same for all problems.
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
        If the arrays are lazy and their library has no loop for them (Dask, torch.compile).

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
    fails is a status. Runs under jax.jit, and is compiled anew by each call outside of it.

    Differentiable with respect to all that `fun` depends on and to the bounds, once and twice, by
    the implicit function theorem on the free unknowns, which needs the cost's second derivatives;
    with 'lsmr' by products with these alone, solved for by LSMR, and once only.

    Differs from SciPy: batches; exact derivatives; active bounds are met exactly; no 'dogbox', and
    no ``jac_sparsity``, ``diff_step``, ``tr_options``, ``verbose``, ``callback``, ``workers``; a
    start on a bound is moved off it by eps^(2/3).

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
    if method in _INSTEAD:
        raise ArgumentError(f"{name}: method {method!r} isn't offered; {_INSTEAD[method]}")
    _plan.choice(name, "method", method, ("trf", "lm"))
    xp, x, batch = start_of(name, x0)
    limits = bounds_of(name, bounds, x, batch)
    if limits is not None:
        outside = (x < limits[0]) | (x > limits[1])
        first_offender(name, outside, batch, "x0 must lie within the bounds")
    if tr_solver is not None:
        _plan.choice(name, "tr_solver", tr_solver, ("exact", "lsmr"))
    free = tr_solver == "lsmr"
    rho = None if loss == "linear" else loss_function(name, loss)
    if method == "lm" and free:
        raise ArgumentError(f"{name}: method 'lm' forms the Jacobian; 'lsmr' goes with 'trf'")
    if not isinstance(f_scale, int | float) or not f_scale > 0:
        raise ArgumentError(f"{name}: f_scale must be a positive number, got {f_scale!r}")
    scale = _scale(xp, x_scale, x, batch, method, free)
    eps = float(xp.finfo(x.dtype).eps)
    default = 1e-8 if eps < 1e-12 else eps**0.75
    p = int(x.shape[1])
    tolerances = Tolerances(
        tolerance(name, "ftol", ftol, default),
        tolerance(name, "xtol", xtol, default),
        tolerance(name, "gtol", gtol, default),
        count(name, "max_nfev", max_nfev, 100 * p, 1),
        count(name, "lsmr_maxiter", lsmr_maxiter, min(p, 200), 1) if free else 0,
    )
    system = make_system(name, fun, jac, args, kwargs, x, batch, vectorized, limits)
    edges = None if limits is None else stop_gradient(limits)
    with quiet(x):  # trial steps may overflow, and are rejected for it
        if method == "lm":
            end, level, units = _levenberg_marquardt(
                stopped(system), x, edges, rho, f_scale, tolerances
            )
        else:
            end, level, units = trust_region_reflective(
                stopped(system), x, edges, rho, f_scale, scale, tolerances
            )
        inner, near, far = system, limits, edges
        bend: Any = f_scale
        if units is not None:
            inner, near, far = in_units(system, units), units.pair(limits), units.pair(edges)
            bend = f_scale / units.residuals[:, None]
        mask = _active(xp, end, far, tolerances.xtol, free)
        values = _carried(inner, end, near, rho, bend, mask, free)
    found = LeastSquaresResult(
        *values, None if free else end.jac, end.grad, level, mask, end.nfev, end.njev, end.status
    )
    if units is not None:
        with quiet(x):  # a cost may be too large for numbers
            found = _without_units(found, units, limits)
    return found if batch is not None and len(batch) == 1 else _shaped(found, batch)


def _without_units(
    found: LeastSquaresResult, units: Units, bounds: tuple[Any, Any] | None
) -> LeastSquaresResult:
    xp = array_namespace(found.x)
    u, h = units.unknowns, units.residuals
    x, within = u * found.x, units.pair(bounds)
    if bounds is not None and within is not None:
        x = xp.where(found.x <= within[0], bounds[0], x)
        x = xp.where(found.x >= within[1], bounds[1], x)
    grad = found.grad / u * h[:, None] * h[:, None]
    return dataclasses.replace(
        found,
        x=x,
        cost=found.cost * h * h,
        fun=found.fun * h[:, None],
        jac=None if found.jac is None else found.jac * (h[:, None] / u)[:, None, :],
        grad=grad,
        optimality=optimality(bounds, stop_gradient(x), grad),
    )


def _shaped(found: LeastSquaresResult, batch: tuple[int, ...] | None) -> LeastSquaresResult:
    def shaped(a: Any) -> Any:
        shape = (*(batch or ()), *a.shape[1:]) if a is not None else ()
        return None if a is None else array_namespace(a).reshape(a, shape)

    return LeastSquaresResult(
        **{f.name: shaped(getattr(found, f.name)) for f in dataclasses.fields(LeastSquaresResult)}
    )


def _scale(
    xp: Any, x_scale: Any, x: Any, batch: tuple[int, ...] | None, method: str, free: bool
) -> Any:
    """Sizes of the unknowns as (B, p); 1 by default; None for those of the Jacobian's columns."""
    if isinstance(x_scale, str) and x_scale == "jac":
        if free:
            raise ArgumentError(
                "least_squares: x_scale='jac' needs the Jacobian, which tr_solver='lsmr' doesn't "
                "form; give sizes"
            )
        return None
    if x_scale is None:
        return 1
    if isinstance(x_scale, str):
        raise ArgumentError(
            f"least_squares: x_scale must be 'jac' or positive numbers, got {x_scale!r}"
        )
    if method == "lm":
        raise ArgumentError("least_squares: method 'lm' scales by the Jacobian's columns")
    if is_neutral(x_scale):  # at the precision of x0, whatever the library's default
        x_scale = _plan.from_lists(
            "least_squares", "x_scale", xp, x_scale, dtype=x.dtype, device=device(x)
        )
    _, scale = _plan.common_floating("least_squares", xp, ("x0", "x_scale"), x, x_scale, real=True)
    shape = (*(batch or ()), x.shape[1])
    _plan.broadcast("least_squares", x0=shape, x_scale=tuple(scale.shape))
    scale = xp.reshape(xp.broadcast_to(xp.astype(scale, x.dtype, copy=False), shape), x.shape)
    first_offender("least_squares", ~(scale > 0), batch, "x_scale must be positive")
    return scale


def _levenberg_marquardt(
    system: System,
    x: Any,
    bounds: Any,
    rho: Rho | None,
    f_scale: float,
    tolerances: Tolerances,
) -> tuple[Solution, Any, Units | None]:
    """Use the solver of curve_fit, and where it stalls go on by the other method."""
    xp = array_namespace(x)
    found = by_levenberg_marquardt(system, x, bounds, rho, f_scale, *tolerances[:4])
    none = xp.zeros((0,), dtype=x.dtype, device=device(x))
    f = system.residuals(found.x)
    jac = system.jacobian(found.x)
    units = units_at(found.x, f, jac)
    if rho is not None:
        jac = robust(rho, f, f_scale)[2][:, :, None] * jac
    end = Solution(
        found.x, f, jac, xp.moveaxis(found.normal, -1, 0), found.gradient, found.cost, none, none,
        found.status, found.nfev, found.nfev, none,
    )  # fmt: skip
    stalled = found.status == STALLED
    if units is not None:  # its squares may have over- or underflowed
        u, h = units
        stalled = stalled | xp.any(u != 1, axis=1) | (h != 1)
        end = end._replace(x=found.x / u, fun=f / h[:, None])

    def further(end: Solution) -> Solution:
        other, *_ = trust_region_reflective(
            system, found.x, bounds, rho, f_scale, None, tolerances, end.nfev, units
        )
        names = ("x", "fun", "jac", "gram", "grad", "cost", "status", "nfev", "njev")

        def chosen(new: Any, old: Any) -> Any:
            return xp.where(xp.reshape(stalled, (-1, *[1] * (old.ndim - 1))), new, old)

        return end._replace(**{n: chosen(getattr(other, n), getattr(end, n)) for n in names})

    end = cond(xp.any(stalled), further, lambda end: end, end)
    within = bounds if units is None else units.pair(bounds)
    return end, optimality(within, end.x, end.grad), units


def _active(xp: Any, end: Solution, bounds: Any, xtol: float, free: bool) -> Any:
    """-1, 0, 1: at the lower bound, free, at the upper.

    That is on it, or so near as the unknowns are known, and drawn there.
    """
    zero = xp.zeros(tuple(end.x.shape), dtype=xp.int32, device=device(end.x))
    if bounds is None:
        return zero
    lower, upper = bounds
    one = xp.ones_like(end.x)
    to_lower, to_upper = end.x - lower, upper - end.x
    near = xp.maximum(one, xp.abs(lower)) * xtol, xp.maximum(one, xp.abs(upper)) * xtol
    less, more = (
        (end.grad > 0, end.grad < 0) if free else leaving(bounds, end.x, end.grad, end.gram)
    )
    low = (to_lower <= xp.minimum(to_upper, near[0])) & less | (to_lower <= 0)
    high = (to_upper <= xp.minimum(to_lower, near[1])) & more | (to_upper <= 0)
    return xp.where(low, zero - 1, xp.where(high, zero + 1, zero))


def _carried(
    system: System,
    end: Solution,
    bounds: Any,
    rho: Rho | None,
    f_scale: float,
    mask: Any,
    free: bool,
) -> tuple[Any, Any, Any]:
    """The solution, its cost and residuals with their derivatives, if somebody asks for them.

    `free` of the matrix of second derivatives: by products with it.
    """
    x = stop_gradient(end.x)
    f = system.residuals(x)
    edges = [] if bounds is None else list(bounds)
    if not any(recorded(a) for a in (f, *edges)):
        return end.x, end.cost, end.fun
    good = (end.status > 0)[:, None]
    # What is on a bound, and not drawn off it, stays there.
    held = (mask < 0) & (end.grad >= 0), (mask > 0) & (end.grad <= 0)

    def cost(f: Any) -> Any:
        xp = array_namespace(f)
        if rho is None:
            return 0.5 * xp.sum(f * f, axis=1)
        return 0.5 * xp.sum(robust(rho, f, f_scale)[0], axis=1)

    def gradient(v: Any) -> Any:
        """Return the cost's gradient; of unknowns that aren't free, how far they are off bounds."""
        f = system.residuals(v)
        xp = array_namespace(f, v)
        if rho is not None:
            _, factor_r, factor_j = robust(rho, f, f_scale)
            f = factor_r * factor_j * f
        if system.exact:
            g = system.pullback(v)(f)
        else:
            g = xp.matmul(f[:, None, :], system.jacobian(v))[:, 0, :]
        if bounds is not None:
            lower, upper = bounds  # an infinite one is not looked at
            g = xp.where(held[0], v - lower, xp.where(held[1], v - upper, g))
        return xp.where(good, g, v - x)  # no solution has no derivative

    if free:
        moved = refined_by_products(x, gradient, _solved, (held[0] | held[1]) & good)
    else:
        moved = refined(x, gradient)
    xp = array_namespace(moved)
    moved = xp.where(xp.isnan(moved), x, moved)  # nor has one where the matrix is singular
    f = system.residuals(moved)
    return moved, cost(f), f


def _solved(product: Any, b: Any) -> Any:
    """The x of ``product(x) = b`` of least norm, of a symmetric matrix that may be singular."""
    xp = array_namespace(b)
    none = xp.zeros_like(b[:, 0])
    rtol = none + float(xp.finfo(b.dtype).eps) ** 0.75
    p = int(b.shape[1])
    return lsmr(product, product, b, rtol, none + xp.inf, 4 * p + 20)
