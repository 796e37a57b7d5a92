"""Trust-region reflective least squares, one large problem or many, with bounds or without.

M. A. Branch, T. F. Coleman, Y. Li, A subspace, interior, and conjugate gradient method for
large-scale bound-constrained minimization problems, SIAM J. Sci. Comput. 21(1), 1999; scaling and
model from T. F. Coleman, Y. Li, An interior trust region approach for nonlinear minimization
subject to bounds, SIAM J. Optim. 6(2), 1996. Iterates stay strictly inside the bounds.

With a dense Jacobian the subproblem is solved in all unknowns from the normal matrix, of which an
iteration needs one product and a few Cholesky factors; without one, in the plane of the gradient
and of an inexact Gauss-Newton step by LSMR.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...solving._callback import Callback
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ...sparse.linalg._bidiagonal import trusted
from ...transforms import cond
from .._steps._loss import Rho, robust
from .._steps._system import System
from .._steps._trust_region import dot, norm, trust_region_step
from ._reflection import Bounds, Model, inside, reflected
from ._units import Units, in_units, units_at

__all__ = [
    "Setting",
    "Solution",
    "Tolerances",
    "leaving",
    "optimality",
    "trust_region_reflective",
]

_NEAR = 1e-6  # of an unknown's size: from there its bound is where it is going
_NOISE = 8  # times eps: relative changes of the cost that are rounding
_CLOSE = 1e-3  # the same, where it has ended because of the bound alone
_LOOKS = 3  # evaluations in the end, of which unknowns are on their bounds
_SEEN = 1e-2  # of the cost: what the first step should take off it, by its slope
_STAY = 0.995  # of the way to a bound: the least that a step may go, section 4 of the paper


class Tolerances(NamedTuple):
    ftol: float
    xtol: float
    gtol: float
    max_nfev: int
    inner: int  # steps of LSMR; 0: dense


class Solution(NamedTuple):
    """Hold the values at a point; also the state of the iteration."""

    x: Any  # (B, p)
    fun: Any  # (B, n)
    jac: Any  # (B, n, p), scaled by the loss; no rows if it is not formed
    gram: Any  # (B, p, p)
    grad: Any  # (B, p)
    cost: Any  # (B,)
    scale: Any  # (B, p)
    radius: Any  # (B,)
    status: Any  # (B,)
    nfev: Any
    njev: Any


class Setting(NamedTuple):
    """Hold the settings that all problems share, and their bounds."""

    system: System
    bounds: Bounds | None
    rho: Rho | None
    f_scale: float
    tolerances: Tolerances
    batch: tuple[int, ...] | None
    joint: bool  # whether the functions take all problems alone
    callback: Callback | None


class _Data(NamedTuple):
    """Hold the data that differ between problems."""

    bounds: Bounds | None  # in units
    limits: Bounds | None  # as they are
    f_scale: Any  # a number, or (B, 1)
    units: Units | None


class _Task(NamedTuple):
    system: System
    bounds: Bounds | None
    rho: Rho | None
    f_scale: Any  # a number, or (B, 1)
    by_columns: bool  # x_scale='jac'
    tolerances: Tolerances


def _weighed(task: _Task, f: Any) -> tuple[Any, Any, Any]:
    """Return the cost, and the factors of residuals and Jacobian for the loss."""
    xp = array_namespace(f)
    if task.rho is None:
        one = xp.ones_like(f)
        return 0.5 * dot(xp, f, f), one, one
    value, factor_r, factor_j = robust(task.rho, f, task.f_scale)
    return 0.5 * xp.sum(value, axis=1), factor_r, factor_j


def _derivatives(task: _Task, x: Any, f: Any, jac: Any = None) -> tuple[Any, Any, Any]:
    """Jacobian, normal matrix, gradient; the first two empty if they are not formed.

    `jac` is the Jacobian where it is known, without the loss.
    """
    xp = array_namespace(x)
    _, factor_r, factor_j = _weighed(task, f)
    if task.tolerances.inner:
        grad = task.system.pullback(x)(factor_j * factor_r * f)
        none = xp.zeros((x.shape[0], 0, x.shape[1]), dtype=x.dtype, device=device(x))
        return none, none, grad
    jac = task.system.jacobian(x) if jac is None else jac
    if task.rho is not None:
        jac = jac * factor_j[:, :, None]
        f = factor_r * f
    gram = xp.matmul(xp.matrix_transpose(jac), jac)
    return jac, gram, xp.matmul(f[:, None, :], jac)[:, 0, :]


def _distances(bounds: Bounds | None, x: Any, grad: Any) -> tuple[Any, Any]:
    """Coleman and Li's v, 1 where there is no bound in the way, and whether there is one."""
    xp = array_namespace(x)
    if bounds is None:
        return xp.ones_like(x), xp.zeros_like(x, dtype=xp.bool)
    lower, upper = bounds
    v = xp.where(grad < 0, upper - x, x - lower)
    bounded = xp.isfinite(v) & (grad != 0)
    return xp.where(bounded, v, xp.ones_like(v)), bounded


def optimality(bounds: Bounds | None, x: Any, grad: Any) -> Any:
    """Return the largest element of the gradient times v."""
    xp = array_namespace(x)
    return xp.max(xp.abs(grad * _distances(bounds, x, grad)[0]), axis=1)


def _column_scale(xp: Any, gram: Any, before: Any) -> Any:
    """Parameters' scales: one over the largest norm so far of their columns."""
    eye = xp.eye(gram.shape[-1], dtype=gram.dtype, device=device(gram))
    norms = xp.sqrt(xp.sum(gram * eye, axis=-1))
    inverse = xp.where(norms > 0, 1 / xp.where(norms > 0, norms, xp.ones_like(norms)), before)
    return xp.where(before < inverse, before, inverse)


def trust_region_reflective(
    setting: Setting,
    x0: Any,
    x_scale: Any,
    spent: Any = 0,
    units: Units | None = None,
    wanted: Any = None,
) -> tuple[Solution, Any, Units | None]:
    """Minimise the costs from `x0`, (B, p); return the solution, its optimality and its units.

    `x_scale` is an array (B, p), 1 for units, or None for scales by the Jacobian's columns.
    `spent`, (B,), counts earlier evaluations. `units` default to those that suit the start; None if
    they are all 1. Tolerances and results are in these units. Only problems of the mask `wanted`
    are solved, by default all.
    """
    xp, tolerances, bounds = array_namespace(x0), setting.tolerances, setting.bounds
    x = inside(bounds, x0, float(xp.finfo(x0.dtype).eps) ** (2 / 3))
    system = setting.system.within(bounds)
    f = system.residuals(x)
    jac = None if tolerances.inner else system.jacobian(x)
    units = units_at(x, f, f[:, :0, None] if jac is None else jac) if units is None else units
    data = _Data(bounds, bounds, setting.f_scale, None)
    if units is not None:
        u, h = units.unknowns, units.residuals[:, None]
        data = _Data(units.pair(bounds), bounds, setting.f_scale / h, units)
        x, f = x / u, f / h
        jac = jac if jac is None else jac * (u / h)[:, None, :]
        x_scale = x_scale if x_scale is None or isinstance(x_scale, int) else x_scale / u
    by_columns = x_scale is None
    task = _task(setting, by_columns, data)
    first = _first(task, x, f, jac, x_scale, units)
    nfev = first.nfev + spent
    late = (first.status == Outcome.RUNNING) & (nfev >= tolerances.max_nfev)
    status = xp.where(late, xp.full_like(nfev, Outcome.LIMIT), first.status)
    first = first._replace(nfev=nfev, njev=nfev, status=status)
    if wanted is not None:
        first = first._replace(status=xp.where(wanted, first.status, Outcome.AGAIN))
    end = _iterated(setting, by_columns, data, first)
    if task.bounds is not None and not tolerances.inner:
        end = _finished(task, task.bounds, end)
    return end, optimality(task.bounds, end.x, end.grad), units


def _task(setting: Setting, by_columns: bool, data: _Data) -> _Task:
    system = setting.system.within(data.limits)
    system = system if data.units is None else in_units(system, data.units)
    tolerances = setting.tolerances
    return _Task(system, data.bounds, setting.rho, data.f_scale, by_columns, tolerances)


def _first(task: _Task, x: Any, f: Any, jac: Any, x_scale: Any, units: Units | None) -> Solution:
    """The state at the start, with the radius of the first trust region."""
    xp = array_namespace(x, f)
    cost = _weighed(task, f)[0]
    jac, gram, grad = _derivatives(task, x, f, jac)
    scale = xp.ones_like(x)
    scale = _column_scale(xp, gram, xp.full_like(x, xp.inf)) if x_scale is None else x_scale * scale
    scale = xp.where(xp.isfinite(scale), scale, xp.ones_like(scale))
    v, bounded = _distances(task.bounds, x, grad)
    radius = norm(xp, x / (scale * xp.sqrt(v)))
    radius = xp.where((radius > 0) & xp.isfinite(radius), radius, xp.ones_like(radius))
    # A start may tell nothing of how far it is to go: the first step is to be seen in the cost.
    slope = norm(xp, grad * xp.where(bounded, xp.sqrt(v * scale), scale))
    least = _SEEN * cost / xp.where(slope > 0, slope, xp.ones_like(slope))
    radius = xp.where((slope > 0) & (radius < least), least, radius)
    if units is not None:  # a start may be as good as 0 there
        rare = xp.any(units.unknowns != 1, axis=1) | (units.residuals != 1)
        radius = xp.where(rare & (radius < 1), xp.ones_like(radius), radius)
    level = optimality(task.bounds, x, grad) < task.tolerances.gtol
    status = outcomes(cost, (level, Outcome.GRADIENT))
    one = xp.ones_like(status)
    return Solution(x, f, jac, gram, grad, cost, scale, radius, status, one, one)


def _iterated(setting: Setting, by_columns: bool, data: _Data, first: Solution) -> Solution:
    def step(data: _Data, state: Solution) -> Solution:
        return _step(_task(setting, by_columns, data), state)

    method = Method(lambda _: first, step, value=lambda s: (s.cost, s.grad), holds=True)
    limit = setting.tolerances.max_nfev - 1
    callback = setting.callback
    if callback is None:
        return iterate(method, data, limit, joint=setting.joint)

    def fields(state: Solution) -> dict[str, Any]:
        x, f, cost, grad = state.x, state.fun, state.cost, state.grad
        if data.units is not None:
            u, h = data.units
            wide = h[:, None]
            x, f, cost, grad = u * x, wide * f, h * h * cost, wide * wide * grad / u
        level = optimality(data.limits, x, grad)
        found = {"x": x, "fun": f, "cost": cost, "optimality": level, "nfev": state.nfev}
        batch, ns = setting.batch or (), array_namespace(x)
        return {k: ns.reshape(a, (*batch, *a.shape[1:])) for k, a in found.items()}

    return iterate(callback.told(method, fields), data, limit, joint=True, watch=callback.watch)


def _products(task: _Task, state: Solution) -> Callable[[list[Any]], list[Any]]:
    """Multiply directions (B, p) by the Jacobian (scaled by the loss)."""
    xp = array_namespace(state.x)
    if not task.tolerances.inner:

        def dense(directions: list[Any]) -> list[Any]:
            out = xp.matmul(state.jac, xp.stack(directions, axis=-1))
            return [out[..., k] for k in range(len(directions))]

        return dense
    factor = _weighed(task, state.fun)[2]
    return lambda directions: [factor * task.system.forward(state.x, v) for v in directions]


def _direction(task: _Task, state: Solution, d: Any, bent: Any, apply: Any) -> Any:
    """The step of the trust region, in scaled unknowns."""
    if task.tolerances.inner:
        return _in_plane(task, state, d, bent, apply)
    xp = array_namespace(d)
    eye = xp.eye(d.shape[1], dtype=d.dtype, device=device(d))
    hessian = state.gram * d[:, :, None] * d[:, None, :] + bent[:, :, None] * eye
    running = state.status == Outcome.RUNNING
    return trust_region_step(hessian, d * state.grad, state.radius, running)


def _in_plane(task: _Task, state: Solution, d: Any, bent: Any, apply: Any) -> Any:
    """Solve in the plane of the gradient and an inexact Gauss-Newton step."""
    xp = array_namespace(d)
    g = d * state.grad
    _, factor_r, factor_j = _weighed(task, state.fun)
    pull, n, root = task.system.pullback(state.x), state.fun.shape[1], xp.sqrt(bent)

    def forward(v: Any) -> Any:
        return xp.concat([apply([d * v])[0], root * v], axis=1)

    def backward(u: Any) -> Any:
        return d * pull(factor_j * u[:, :n]) + root * u[:, n:]

    right = xp.concat([-factor_r * state.fun, xp.zeros_like(d)], axis=1)
    exact = xp.minimum(xp.full_like(state.cost, 0.1), xp.sqrt(norm(xp, g)))
    most = min(task.tolerances.inner, d.shape[1])
    newton = trusted(forward, backward, right, 0.1 * exact, state.radius, most)
    size = norm(xp, g)[:, None]
    first = g / xp.where(size > 0, size, xp.ones_like(size))
    second = newton - dot(xp, newton, first)[:, None] * first
    second = second - dot(xp, second, first)[:, None] * first
    size = norm(xp, second)[:, None]
    second = second / xp.where(size > 0, size, xp.ones_like(size))
    a, b = apply([d * first, d * second])
    cross = dot(xp, a, b) + dot(xp, bent * first, second)
    rows = [
        [dot(xp, a, a) + dot(xp, bent * first, first), cross],
        [cross, dot(xp, b, b) + dot(xp, bent * second, second)],
    ]
    hessian = xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)
    gradient = xp.stack([dot(xp, g, first), dot(xp, g, second)], axis=-1)
    y = trust_region_step(hessian, gradient, state.radius, state.status == Outcome.RUNNING)
    return y[:, :1] * first + y[:, 1:] * second


def _step(task: _Task, state: Solution) -> Solution:
    x, f, cost, grad, tol = state.x, state.fun, state.cost, state.grad, task.tolerances
    xp = array_namespace(x)
    running = state.status == Outcome.RUNNING
    d, s, product = _tried_step(task, state)
    x1 = inside(task.bounds, x + d * s)
    f1 = task.system.residuals(x1)
    cost1 = _weighed(task, f1)[0]
    usable = xp.isfinite(cost1) & xp.all(xp.isfinite(f1), axis=1)
    # What the model of the cost alone, without the bounds' share, says.
    predicted = -(dot(xp, d * grad, s) + 0.5 * dot(xp, product, product))
    if task.rho is None:  # the difference of the two sums of squares, without their cancellation
        actual = 0.5 * xp.sum((f - f1) * (f + f1), axis=1)
    else:
        actual = cost - cost1
    actual = xp.where(usable, actual, -xp.ones_like(actual))
    ratio = actual / xp.where(predicted > 0, predicted, xp.ones_like(predicted))
    ratio = xp.where(predicted > 0, ratio, xp.astype(actual == 0, ratio.dtype))
    length = norm(xp, s)
    grown = (ratio > 0.75) & (length > 0.95 * state.radius)
    radius = xp.where(grown, 2 * state.radius, state.radius)
    radius = xp.where((ratio < 0.25) | ~usable, 0.25 * length, radius)
    good = running & usable & (actual > 0)

    # Where a step is short because its region still grows, it tells nothing.
    ends = usable & ~(grown & good)
    flat = ends & (actual < tol.ftol * cost) & (ratio > 0.25)
    small = ends & (norm(xp, x1 - x) < tol.xtol * (tol.xtol + norm(xp, x)))
    x, f = xp.where(good[:, None], x1, x), xp.where(good[:, None], f1, f)
    # The Jacobian anew, if anything has moved.
    jac, gram, grad = cond(
        xp.any(good),
        lambda x, f, *old: _derivatives(task, x, f),
        lambda x, f, *old: old,
        x, f, state.jac, state.gram, grad,
    )  # fmt: skip
    now = outcomes(
        cost,
        (state.nfev + 1 >= tol.max_nfev, Outcome.LIMIT),
        (small, Outcome.STEP),
        (flat, Outcome.COST),
        (flat & small, Outcome.COST_AND_STEP),
        (good & (optimality(task.bounds, x, grad) < tol.gtol), Outcome.GRADIENT),
    )
    scale = state.scale
    if task.by_columns:  # a loss may take Jacobians for next to nothing until residuals are small
        scale = _column_scale(xp, gram, scale)
        before = norm(xp, x / state.scale)
        grows = norm(xp, x / scale) / xp.where(before > 0, before, xp.ones_like(before))
        radius = xp.where(before > 0, radius * grows, radius)
    return Solution(
        x, f, jac, gram, grad,
        xp.where(good, cost1, cost),
        scale,
        xp.where(running, radius, state.radius),
        xp.where(running, now, state.status),
        xp.where(running, state.nfev + 1, state.nfev),
        xp.where(good, state.njev + 1, state.njev),
    )  # fmt: skip


def _tried_step(task: _Task, state: Solution) -> tuple[Any, Any, Any]:
    """The scale, the step in scaled unknowns within the bounds, its product with the Jacobian."""
    x, grad = state.x, state.grad
    xp = array_namespace(x)
    v, bounded = _distances(task.bounds, x, grad)
    d = xp.where(bounded, xp.sqrt(v * state.scale), state.scale)
    bent = xp.where(bounded, xp.abs(grad) * state.scale, xp.zeros_like(grad))
    apply = _products(task, state)
    s = _direction(task, state, d, bent, apply)
    if task.bounds is None:
        return d, s, apply([d * s])[0]
    stay = xp.maximum(xp.full_like(state.cost, _STAY), 1 - optimality(task.bounds, x, grad))
    model = Model(d * grad, d, bent, apply)
    s, product = reflected(task.bounds, model, x, s, state.radius, stay)
    return d, s, product


def leaving(bounds: Bounds, x: Any, grad: Any, gram: Any) -> tuple[Any, Any]:
    """Find unknowns that a Gauss-Newton step in each alone would move across a bound."""
    xp = array_namespace(x)
    lower, upper = bounds
    eye = xp.eye(x.shape[1], dtype=x.dtype, device=device(x))
    curvature = xp.sum(gram * eye, axis=-1)
    curvature = xp.where(curvature > 0, curvature, xp.ones_like(curvature))
    aim = x - grad / curvature
    return (aim < lower) & (grad > 0), (aim > upper) & (grad < 0)


def _finished(task: _Task, bounds: Bounds, state: Solution) -> Solution:
    """Put active unknowns on their bounds, and move the others to their minimum.

    The interior iteration only converges towards the bounds. The Gauss-Newton matrix, which may
    lack curvature, only proposes active unknowns: on the bound, the gradient must still point out
    of the box. The result is kept if the cost doesn't rise beyond rounding; otherwise it is tried
    without moving the others. Problems that ended only because a near bound makes the scaled
    gradient small are moved, too.
    """
    xp = array_namespace(state.x)
    tests = task.tolerances
    proposed = leaving(bounds, state.x, state.grad, state.gram)
    steep = xp.max(xp.abs(state.grad), axis=1) >= tests.gtol
    short = (state.status == Outcome.GRADIENT) & steep
    ended = (state.status > 0) & (short | xp.any(proposed[0] | proposed[1], axis=1))
    ended = ended & (state.nfev + _LOOKS <= tests.max_nfev)

    def look(state: Solution, low: Any, high: Any, short: Any) -> Solution:
        state = _counted(state, 2, short | xp.any(low | high, axis=1))
        held = _put(bounds, state.x, low, high)
        grad = _derivatives(task, held, task.system.residuals(held))[2]
        near = xp.abs(held - state.x) <= _NEAR * (xp.abs(held) + xp.abs(state.x))
        aim = _others_moved(state, state.x, low & ~low)
        close = xp.abs(aim - state.x) <= _CLOSE * (xp.abs(aim) + xp.abs(state.x))
        anyway = short[:, None] & xp.all(close, axis=1, keepdims=True)
        low = low & (near | (grad >= 0)) | (anyway & (aim < bounds[0]))
        high = high & (near | (grad <= 0)) | (anyway & (aim > bounds[1]))
        fixed = low | high
        moved = _others_moved(state, _put(bounds, state.x, low, high), fixed)
        moved = xp.where(anyway, xp.clip(moved, bounds[0], bounds[1]), moved)
        state = _tried(task, bounds, state, moved, fixed | anyway)
        # Where that costs more, those on their bounds alone.
        held = _put(bounds, state.x, low, high)
        left = xp.any(held != state.x, axis=1)
        return cond(
            xp.any(left),
            lambda state, held: _tried(task, bounds, _counted(state, 1, left), held, fixed),
            lambda state, _: state,
            state, held,
        )  # fmt: skip

    low, high = (a & ended[:, None] for a in proposed)
    end: Solution = cond(
        xp.any(ended), look, lambda state, *_: state, state, low, high, short & ended
    )
    return end


def _counted(state: Solution, evaluations: int, where: Any) -> Solution:
    xp = array_namespace(state.nfev)
    more = xp.where(where, xp.full_like(state.nfev, evaluations), xp.zeros_like(state.nfev))
    return state._replace(nfev=state.nfev + more, njev=state.njev + more)


def _put(bounds: Bounds, x: Any, low: Any, high: Any) -> Any:
    xp = array_namespace(x)
    return xp.where(low, bounds[0], xp.where(high, bounds[1], x))


def _others_moved(state: Solution, held: Any, fixed: Any) -> Any:
    """`held`, with what isn't fixed at its minimum by the Gauss-Newton model."""
    xp = array_namespace(held)
    by = held - state.x
    eye = xp.eye(held.shape[1], dtype=held.dtype, device=device(held))
    pair = fixed[:, :, None] | fixed[:, None, :]
    matrix = xp.where(pair, eye, state.gram)
    right = -(state.grad + xp.matmul(state.gram, by[:, :, None])[..., 0])
    right = xp.where(fixed, xp.zeros_like(right), right)
    if right.shape[0] == 1:  # a single large matrix has quicker routines
        moves = cho_solve(cho_factor(matrix[0, ...], lower=True), right[0, :])[None, :]
    else:
        moves = cho_solve(cho_factor(matrix, lower=True), right[:, :, None])[..., 0]
    return xp.where(fixed, held, state.x + moves)


def _tried(task: _Task, bounds: Bounds, state: Solution, x: Any, some: Any) -> Solution:
    """Return the state at `x`, where it isn't worse and `some` of the unknowns change."""
    xp = array_namespace(x)
    within = xp.all((x >= bounds[0]) & (x <= bounds[1]), axis=1)
    wanted = within & xp.any(some & (x != state.x), axis=1)
    x = xp.where(wanted[:, None], x, state.x)
    f = task.system.residuals(x)
    cost = _weighed(task, f)[0]
    noise = _NOISE * float(xp.finfo(x.dtype).eps) * state.cost
    kept = wanted & (cost <= state.cost + noise)
    x = xp.where(kept[:, None], x, state.x)
    f = xp.where(kept[:, None], f, state.fun)
    jac, gram, grad = _derivatives(task, x, f)
    cost = xp.where(kept, cost, state.cost)
    return state._replace(x=x, fun=f, jac=jac, gram=gram, grad=grad, cost=cost)
