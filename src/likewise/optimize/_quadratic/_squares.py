"""Least squares with linear and nonlinear constraints, many at once.

Sequential quadratic programmes with the Gauss-Newton matrix of the squares, damped as by Levenberg
and Marquardt (J. Nocedal, S. Wright, Numerical Optimization, 2006, sections 10.3 and 18.3). After
a step that gains little, as where residuals stay large, the matrix is updated by BFGS's formula
with the Lagrangian's gradients instead, damped (section 18.3; R. Fletcher, C. Xu, Hybrid methods
for nonlinear least squares, IMA J. Numer. Anal. 7, 1987). A step is taken if it lowers the cost
plus weighted violations (S.-P. Han, 1977). If it doesn't, it is corrected once for the constraints'
curvature (section 18.3: second-order correction), then the damping rises. Linear parts of
constraints that contradict each other are relaxed as by M. J. D. Powell (1978): one more unknown,
from 0 to 1, is the share of the violations that a step leaves.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...errors import ShapeError
from ...solving._driver import Method, iterate
from ...solving._function import carried
from ...solving._outcome import Outcome, outcomes
from ...solving._running import compiled
from ...transforms import stop_gradient
from .._constraints._canonical import Constraints, Planned, planned
from .._constraints._optimality import following, optimality
from .._constraints._stated import Stated, arrays_of, leading
from .._steps._loss import Rho, robust
from ._dual import quadratic

__all__ = ["Constrained", "Tests", "constrained_least_squares", "planned_rows"]

_LEAST, _MOST = 1e-10, 1e16  # of the damping, relative to the normal matrix
_ENOUGH = 1e-3  # of what the model promises: what a step must reach
_NOTICED = 1e-3  # of violations: the least change by a step that goes on
_FAST = 0.2  # of the merit function: what a step gains where the Gauss-Newton matrix serves
_TOP = 1e8  # of the penalty of relaxed steps, relative to the gradient


class Rows(NamedTuple):
    """Hold what differs between problems."""

    x0: Any  # (B, p)
    low: Any  # (B, m)
    high: Any
    matrix: Any
    lower: Any  # (B, p), or None
    upper: Any
    data: tuple[Any, ...] = ()  # further arguments of the system, of (B, ...)


class Tests(NamedTuple):
    ftol: float
    xtol: float
    gtol: float
    most: int
    scaled: bool = False  # by the Jacobian's columns, and of the gradient by the residuals too


class Constrained(NamedTuple):
    """Hold the results of problems (B, ...)."""

    x: Any
    cost: Any
    fun: Any
    jac: Any  # scaled by the loss
    grad: Any
    slopes: Any  # (B, m, p): the constraints' derivatives
    active: Any  # (B, m): which of them are held at a side
    y: Any  # multipliers of constraints
    z: Any  # of bounds
    apart: Any  # (B,), the largest violation
    level: Any  # (B,), the largest element of the Lagrangian's gradient
    nfev: Any
    outcome: Any


class _Point(NamedTuple):
    x: Any
    fun: Any  # (B, n)
    jac: Any  # (B, n, p), scaled by the loss
    grad: Any
    cost: Any
    values: Any  # (B, m)
    slopes: Any  # (B, m, p)


class _State(NamedTuple):
    at: _Point
    matrix: Any  # (B, p, p): of the model
    bend: Any  # (B, m): what the constraints' curvature adds to the values
    bent: Any  # (B,): whether it is a correction that is tried
    y: Any
    z: Any
    weight: Any  # (B,): of violations
    damping: Any  # (B,)
    penalty: Any  # (B,)
    level: Any
    status: Any
    nfev: Any


def planned_rows(
    function: str,
    x: Any,
    every: Sequence[Stated],
    limits: Any,
    batch: tuple[int, ...] | None,
    joint: bool,
    start: str = "x0",
) -> tuple[Constraints, Rows]:
    """Return the constraints of problems with starts x (B, p) and bounds, and their data."""
    xp = array_namespace(x)
    every = arrays_of(function, xp, x, list(every))
    for name, lead in leading(every).items():
        if lead and batch is None:
            raise ShapeError(
                f"{function}: {name} has leading dimensions {lead}, but {start} is one problem: "
                f"give {start} the same"
            )
    found = planned(function, x, every, batch, joint)
    if found is None:
        found = Planned(Constraints([], (), batch, joint), x[:, :0], x[:, :0], None)
    lower, upper = (None, None) if limits is None else limits
    return found.constraints, Rows(x, found.low, found.high, found.matrix, lower, upper)


def constrained_least_squares(
    system: Any,
    live: Any,
    constraints: Constraints,
    rows: Rows,
    rho: Rho | None,
    f_scale: Any,
    tests: Tests,
) -> Constrained:
    """Minimise half the sum of squares, or of losses, with constraints.

    `system` has `residuals` and `jacobian` as of a `System`, of x and `rows.data`. It gives
    constants, for the iterations; `live`, with `pullback` too, the same with derivatives.
    """
    fixed = stop_gradient(tuple(rows))
    problem = _Problem(system, constraints, rho, f_scale, tests)

    def steps(*arrays: Any) -> Any:
        joint = constraints.joint or constraints.batch is None
        return iterate(Method(problem.first, problem.step), Rows(*arrays), joint=joint)

    end, _ = compiled(rows.x0, steps, *fixed)
    return _told(live, constraints, rows, rho, f_scale, end)


class _Problem(NamedTuple):
    system: Any
    constraints: Constraints
    rho: Rho | None
    f_scale: Any
    tests: Tests

    def at(self, rows: Rows, x: Any) -> _Point:
        xp = array_namespace(x)
        fun, jac = self.system.residuals(x, *rows.data), self.system.jacobian(x, *rows.data)
        pull, cost = fun, 0.5 * xp.sum(fun * fun, axis=1)
        if self.rho is not None:
            value, factor_r, factor_j = robust(self.rho, fun, self.f_scale)
            pull, jac, cost = (
                factor_r * fun,
                factor_j[:, :, None] * jac,
                0.5 * xp.sum(value, axis=1),
            )
        grad = xp.matmul(pull[:, None, :], jac)[:, 0, :]
        values, slopes = self.constraints.values_and_jacobian(
            x, rows.matrix, rows.lower, rows.upper
        )
        return _Point(x, fun, jac, grad, cost, values, slopes)

    def first(self, rows: Rows) -> _State:
        x = rows.x0
        xp = array_namespace(x)
        if rows.lower is not None:
            x = xp.clip(x, rows.lower, rows.upper)
        at = self.at(rows, x)
        none, nothing = xp.zeros_like(at.values), xp.zeros_like(at.cost)
        no = nothing > 0
        good = xp.isfinite(at.cost) & xp.all(xp.isfinite(at.jac), axis=(1, 2))
        good = good & xp.all(xp.isfinite(at.values), axis=1)
        good = good & xp.all(xp.isfinite(at.slopes), axis=(1, 2))
        status = outcomes(nothing, (~good, Outcome.NOT_FINITE))
        size = 1 + xp.max(xp.abs(at.grad), axis=1)
        penalty = xp.where(xp.isfinite(size), 10 * size, nothing + 1)
        one = xp.ones_like(status)
        level = xp.full_like(nothing, xp.inf)
        damping = nothing + 1e-3
        matrix = xp.matmul(xp.matrix_transpose(at.jac), at.jac)
        return _State(
            at, matrix, none, no, none, 0 * x, nothing, damping, penalty, level, status, one
        )

    def step(self, rows: Rows, s: _State) -> _State:
        xp, at, tests = array_namespace(s.at.x), s.at, self.tests
        eps = float(xp.finfo(at.x.dtype).eps)
        p = int(at.x.shape[1])
        eye = xp.eye(p, dtype=at.x.dtype, device=device(at.x))
        diagonal = xp.sum(at.jac * at.jac, axis=1)
        least = (0 if tests.scaled else eps**0.5) * xp.max(diagonal, axis=1)[:, None]
        diagonal = xp.where(diagonal > least, diagonal, xp.where(least > 0, least, 1 + 0 * least))
        added = s.damping[:, None] * diagonal

        apart = _apart(rows, at.values)
        d, share, y, z = _direction(
            rows, at, s.matrix + added[:, :, None] * eye, s.bend, s.penalty, apart
        )
        x = at.x + d
        if rows.lower is not None:
            x = xp.clip(x, rows.lower, rows.upper)
        new = self.at(rows, x)
        usable = xp.isfinite(new.cost) & xp.all(xp.isfinite(new.values), axis=1)
        usable = usable & xp.all(xp.isfinite(new.jac), axis=(1, 2))
        usable = usable & xp.all(xp.isfinite(new.slopes), axis=(1, 2))

        # What the model promises, and what the merit function says.
        curved = 0.5 * xp.sum(d * xp.matmul(s.matrix, d[:, :, None])[..., 0], axis=1)
        rise = xp.sum(at.grad * d, axis=1) + curved
        lack, left = xp.sum(xp.abs(apart), axis=1), xp.sum(xp.abs(_apart(rows, new.values)), axis=1)
        fall = (1 - share) * lack
        # As much weight as makes violations pay for the cost (section 18.3), and no more for long.
        needed = rise / xp.where(fall > 0, 0.7 * fall, 1 + 0 * fall)
        needed = xp.where(fall > 0, xp.maximum(needed, 0 * needed), 0 * needed)
        weight = xp.maximum(
            xp.maximum(needed, 0.5 * s.weight), 1e-3 * xp.max(xp.abs(at.grad), axis=1)
        )
        size, after = weight * lack, weight * left
        promised = (1 - share) * size - rise
        gained = at.cost + size - new.cost - after
        noise = xp.sum(xp.abs(at.values), axis=1) + lack
        noise = 10 * eps * (at.cost + weight * noise)
        tiny = (promised <= noise) & (gained >= -noise)
        good = usable & ((gained >= _ENOUGH * promised) | tiny) & (promised > -noise)

        # The next step: from there, with a correction, or with more damping.
        lost = ~good & usable & ~s.bent & (left > lack * share)
        line = at.values + xp.sum(at.slopes * d[:, None, :], axis=2)
        bend = xp.where(lost[:, None], new.values - line, 0 * line)
        ratio = gained / xp.where(promised > 0, promised, 1 + 0 * promised)
        less = xp.where((ratio > 0.75) | tiny, s.damping / 10, s.damping)
        less = xp.where((ratio < 0.25) & ~tiny, 4 * s.damping, less)
        damping = xp.where(good, less, xp.where(lost, s.damping, 10 * s.damping))
        damping = xp.clip(damping, _LEAST, 10 * _MOST)
        relaxed = share > eps**0.5
        most = _TOP * (1 + xp.max(xp.abs(at.grad), axis=1))
        penalty = xp.where(relaxed & (s.penalty < most), 10 * s.penalty, s.penalty)

        now = _chosen(xp, good, new, at)
        normal = xp.matmul(xp.matrix_transpose(now.jac), now.jac)
        slow = (good & (gained < _FAST * (at.cost + size)))[:, None, None]
        waits = (~good & (damping <= 1))[:, None, None]
        matrix = xp.where(slow, _updated(s.matrix, at, now, y), normal)
        matrix = xp.where(waits, s.matrix, matrix)
        broken = xp.max(xp.abs(_apart(rows, now.values)), axis=1) if y.shape[1] else 0 * now.cost
        room = 1 + (xp.max(xp.abs(now.values), axis=1) if y.shape[1] else 0 * now.cost)
        fits = broken <= eps**0.75 * room
        slope = now.grad - xp.sum(now.slopes * y[:, :, None], axis=1) - z
        size, unit = xp.ones_like(slope), xp.ones_like(slope)
        if tests.scaled:
            unit = xp.sqrt(diagonal)
            size = unit * xp.sqrt(2 * now.cost)[:, None]
            size = xp.where(size > 0, size, xp.ones_like(size))
        level = xp.max(xp.abs(slope / size), axis=1)
        length = xp.sqrt(xp.sum((unit * (x - at.x)) ** 2, axis=1))
        far = xp.sqrt(xp.sum((unit * now.x) ** 2, axis=1))
        free = s.damping <= 1
        by_gradient = good & fits & (level <= tests.gtol)
        by_step = good & fits & free & (length <= tests.xtol * (tests.xtol + far))
        small = (promised <= tests.ftol * at.cost) & (gained <= tests.ftol * at.cost)
        by_cost = good & fits & free & small
        stuck = ~good & (damping > _MOST)
        nothing = stuck & ~fits
        # Even the dearest violations aren't worth a step that lowers them noticeably.
        nothing = nothing | (~fits & (share > 1 - _NOTICED) & (penalty >= most))
        cases = (
            (s.nfev + 1 >= tests.most, Outcome.LIMIT),
            (stuck & fits, Outcome.STALLED),
            (nothing, Outcome.INFEASIBLE),
            (by_cost, Outcome.COST),
            (by_step, Outcome.STEP),
            (by_gradient, Outcome.GRADIENT),
        )
        status = outcomes(level, *cases)
        return _State(
            now, matrix, bend, lost, y, z, weight, damping, penalty, level, status, s.nfev + 1
        )


def _apart(rows: Rows, values: Any) -> Any:
    """Return what is missing at lower sides, and with a minus what is too much at upper ones."""
    xp = array_namespace(values)
    none = xp.zeros_like(values)
    return xp.maximum(rows.low - values, none) - xp.maximum(values - rows.high, none)


def _updated(matrix: Any, at: _Point, now: _Point, y: Any) -> Any:
    """Return the matrix with the curvature of the Lagrangian along a step, positive definite."""
    xp = array_namespace(matrix)
    step = now.x - at.x
    turn = now.grad - at.grad - xp.sum((now.slopes - at.slopes) * y[:, :, None], axis=1)
    old = xp.matmul(matrix, step[:, :, None])[..., 0]
    curved, met = xp.sum(step * old, axis=1), xp.sum(step * turn, axis=1)
    weak = met < 0.2 * curved
    share = 0.8 * curved / xp.where(weak, curved - met, xp.ones_like(met))
    share = xp.where(weak, share, xp.ones_like(share))[:, None]
    turn = share * turn + (1 - share) * old
    met = xp.sum(step * turn, axis=1)
    sound = (curved > 0) & (met > 0)
    curved, met = (xp.where(sound, v, xp.ones_like(v))[:, None, None] for v in (curved, met))
    change = turn[:, :, None] * turn[:, None, :] / met - old[:, :, None] * old[:, None, :] / curved
    return xp.where(sound[:, None, None], matrix + change, matrix)


def _chosen(xp: Any, mask: Any, yes: Any, no: Any) -> Any:
    return type(no)(
        *(
            xp.where(xp.reshape(mask, (-1, *[1] * (b.ndim - 1))), a, b)
            for a, b in zip(yes, no, strict=True)
        )
    )


def _direction(
    rows: Rows, at: _Point, matrix: Any, bend: Any, penalty: Any, apart: Any
) -> tuple[Any, Any, Any, Any]:
    """Return a step, the share of violations that it leaves, and multipliers."""
    xp = array_namespace(at.x)
    p = int(at.x.shape[1])
    row, one = xp.zeros_like(at.x)[:, None, :], xp.ones_like(at.cost)[:, None]
    corner = penalty[:, None, None] + 0 * row[:, :, :1]
    column = xp.matrix_transpose(row)
    h = xp.concat([xp.concat([matrix, column], axis=2), xp.concat([row, corner], axis=2)], axis=1)
    g = xp.concat([at.grad, penalty[:, None]], axis=1)
    a = xp.concat([at.slopes, apart[:, :, None]], axis=2)
    values = at.values + bend
    lower = -xp.inf * one + 0 * at.x if rows.lower is None else rows.lower - at.x
    upper = xp.inf * one + 0 * at.x if rows.upper is None else rows.upper - at.x
    lower, upper = xp.concat([lower, 0 * one], axis=1), xp.concat([upper, one], axis=1)
    found = quadratic(h, g, a, rows.low - values, rows.high - values, lower, upper)
    return found.x[:, :p], found.x[:, p], found.y, found.z[:, :p]


def _told(
    system: Any, constraints: Constraints, rows: Rows, rho: Rho | None, f_scale: Any, end: _State
) -> Constrained:
    """Return the results, with derivatives of solutions and multipliers."""
    x, y = stop_gradient(end.at.x), stop_gradient(end.y)
    z = stop_gradient(end.z)
    xp, p = array_namespace(x), int(x.shape[1])

    def gradient(v: Any) -> Any:
        f = system.residuals(v, *rows.data)
        if rho is not None:
            _, factor_r, factor_j = robust(rho, f, f_scale)
            f = factor_r * factor_j * f
        return system.pullback(v, *rows.data)(f)

    both = xp.concat([x, y], axis=1)
    equations, held = optimality(gradient, constraints, rows, x, y, z)
    both = carried(both, equations, end.status > 0, leave=True)
    moved, y = both[:, :p], both[:, p:]
    f = system.residuals(moved, *rows.data)
    xp = array_namespace(f)
    z = following(z, gradient(moved) - constraints.pulled(moved, y, rows.matrix))
    losses = f * f if rho is None else robust(rho, f, f_scale)[0]
    values = constraints.live_values(moved, rows.matrix)
    apart = _apart(rows, values)
    worst = xp.max(xp.abs(apart), axis=1) if int(apart.shape[1]) else 0 * moved[:, 0]
    cost = 0.5 * xp.sum(losses, axis=1)
    return Constrained(
        moved, cost, f, end.at.jac, end.at.grad, end.at.slopes, held, y, z, worst,
        end.level, end.nfev, end.status,
    )  # fmt: skip
