"""The solution of the problems of `minimize`: all at once, in parts, or by blocks."""

from collections.abc import Callable, Sequence
from typing import Any

from ..._memory import at_once
from ..._namespace import array_namespace, device, is_concrete, is_lazy, quiet
from ..._native import native
from ...errors import TransformError
from ...solving._callback import Callback
from ...solving._driver import Method, iterate, taken
from ...solving._few import Views, by_one, few
from ...solving._following import constants, is_open, recorded
from ...solving._function import Function, carried
from ...solving._outcome import Outcome
from ...solving._running import compiled, compiled_of, compiles
from ...solving._watch import Watch
from ...transforms import stop_gradient
from .._constraints._canonical import rebuilt
from .._constraints._optimality import following, optimality
from .._constraints._stated import Stated
from ._arguments import Functions, Problem
from ._method import Found, Row, Rows, inside
from ._methods import METHODS, ROUTINE
from ._objective import Objective

__all__ = ["insist_on_slope", "solve_all"]

_LEVEL = 1e-5  # a slope below which the start may be a minimum


def solve_all(
    problem: Problem, functions: Functions, result: Callable[..., Any]
) -> tuple[Any, ...]:
    """Return the fields of a `result`.

    A callback gets the intermediate `result` of one problem.
    """
    fields = _solve_parts(problem, functions, result)
    xp = array_namespace(*fields[:1])
    tail = () if problem.batch is None else problem.batch
    return tuple(None if a is None else xp.reshape(a, tail + tuple(a.shape[1:])) for a in fields)


def insist_on_slope(problem: Problem, functions: Functions, fields: tuple[Any, ...]) -> None:
    """Refuse an exact gradient of 0 at the start of one problem where values next to it differ.

    A function that keeps results of other calls has that, for it returns what it kept.
    """
    x, f, g, *_ = fields
    if problem.batch is not None or g is None or is_open() or is_lazy(x) or compiles(x):
        return
    xp = array_namespace(x)
    x0 = problem.rows.x0
    if bool(xp.any(g != 0)) or not bool(xp.all(x == x0[0, ...])):
        return
    step = float(xp.finfo(x.dtype).eps) ** (1 / 3) * xp.maximum(xp.abs(x0), xp.ones_like(x0))
    fun = Function("minimize", "fun", functions.fun, lending=True)
    ends = (inside(x0 + side, problem.rows, xp)[0, ...] for side in (step, -step))
    with quiet(x0):
        ahead, behind = (float(fun(end, *functions.args, wanted=())) for end in ends)
    rounding = float(xp.finfo(x.dtype).eps) ** (2 / 3) * (1 + abs(float(f)))
    width = 2 * float(xp.min(step))
    if not abs(ahead - behind) <= 10 * rounding + width * _LEVEL:
        raise TransformError(
            "minimize: fun has other values next to x0, but its gradient there is 0 by what was "
            "followed: does it keep results of other calls?"
        )


def _solve_parts(
    problem: Problem, functions: Functions, result: Callable[..., Any]
) -> tuple[Any, ...]:
    """Solve in parts if a batch would not fit in memory and `fun` can be called on parts."""
    x0 = problem.rows.x0
    count, p = int(x0.shape[0]), int(x0.shape[1])
    single = problem.batch is None
    if (single and not problem.row.constrained) or functions.vectorized or is_lazy(x0):
        return _solve_rows(problem, functions, result)
    views = None
    if functions.callback is None:
        views = few(problem.row.name, x0, count, *functions[:5], *_parts(functions.constraints))
    if views is not None and views.whole(problem.rows):
        return _solve_few(problem, functions, result, views)
    if single:
        return _solve_rows(problem, functions, result)
    xp = array_namespace(x0)
    # Vectors of the state and of a step, and what a method remembers, twice.
    vectors = 40 + problem.row.vectors(p, problem.options)
    part = at_once(x0, vectors * p * int(xp.finfo(x0.dtype).bits) // 8, count)
    if part >= count:
        return _solve_rows(problem, functions, result)
    found = []
    for begin in range(0, count, part):
        some = taken(problem.rows, slice(begin, min(begin + part, count)))
        found.append(_solve_rows(problem._replace(rows=some), functions, result))
    return tuple(
        None if field[0] is None else xp.concat(list(field), axis=0)
        for field in zip(*found, strict=True)
    )


def _solve_rows(
    problem: Problem, functions: Functions, result: Callable[..., Any]
) -> tuple[Any, ...]:
    fun, args, jac, hess, hessp, vectorized, callback, _ = functions
    batch, step, known = problem.batch, problem.diff_step, problem.constraints
    objective = Objective("minimize", fun, args, jac, hess, hessp, batch, vectorized, step, known)
    teller = None
    if callback is not None:
        teller = Callback("minimize", callback, made=result, state=problem.row.stateful)
    with quiet(problem.rows.x0):  # trial steps may overflow, and are rejected for it
        return _solved(problem.rows.x0, problem, objective, teller)


def _solve_few(
    problem: Problem, functions: Functions, result: Callable[..., Any], views: Views
) -> tuple[Any, ...]:
    """Solve problems one after the other, as far as the routine for one takes them."""
    fun, args, jac, hess, hessp, *_ = functions
    x0 = problem.rows.x0
    step = problem.diff_step
    known = problem.constraints
    limits = None if known is None else known.alone()
    one = Objective("minimize", fun, args, jac, hess, hessp, None, False, step, limits).seen(views)
    seen = problem._replace(
        rows=Rows(*(None if a is None else views.of(a) for a in problem.rows)), batch=None
    )

    def alone(i: int) -> Any:
        some = seen._replace(rows=taken(seen.rows, slice(i, i + 1)))
        return _solved.quick(some.rows.x0, some, one, None)  # type: ignore[attr-defined]

    def part(ids: Sequence[int]) -> Problem:
        if problem.batch is None:  # the routine was tried
            return problem._replace(row=problem.row._replace(routine=False))
        which = array_namespace(x0).asarray(ids, device=device(x0))
        return problem._replace(rows=taken(problem.rows, which), batch=(len(ids),))

    def together(ids: Sequence[int]) -> tuple[Any, ...]:
        return _solve_rows(part(ids), functions, result)

    with quiet(x0):
        return by_one(
            int(x0.shape[0]),
            alone,
            together,
            3,
            packed=views.joined,
        )


def _parts(constraints: Sequence[Stated]) -> list[Any]:
    """Return the functions of constraints, and their arguments."""
    return [part for c in constraints for part in (c.fun, c.args, c.jac, c.hess)]


def _alone(x0: Any, problem: Problem, objective: Objective, teller: Callback | None) -> bool:
    known = problem.row.routine and teller is None
    plain = problem.batch is None and x0.dtype == array_namespace(x0).float64
    steps = not objective.differs or objective.forward
    return bool(known and plain and steps and not is_open())


_alone.__doc__ = f"one problem of float64 by one of {ROUTINE}, outside of transforms."


@native(numpy="likewise._libs.numpy._solvers:minimized", when=_alone)
def _solved(
    x0: Any, problem: Problem, objective: Objective, teller: Callback | None
) -> tuple[Any, ...]:
    """The fields of the result."""
    row, batch = problem.row, problem.batch
    # Under a transform that is open elsewhere, arrays that can meet those that it follows.
    rows = Rows(*(None if a is None else constants([a])[0] for a in problem.rows))
    fixed = [None if a is None else stop_gradient(a) for a in rows]
    live = True  # somebody may ask for derivatives
    if not compiles(rows.x0) or teller is not None or objective.differs:
        method = row.make(objective, **problem.options)
        if teller is not None:
            method = _telling(method, teller, row.first)
        watch = None if teller is None else teller.watch
        found, _ = compiled(
            rows.x0, lambda *a: _iterated(method, row, objective, Rows(*a), watch), *fixed
        )
    else:
        jac = objective.jac is True
        known = None if objective.constraints is None else objective.constraints.settings
        settings = (row.name, tuple(problem.options.items()), batch, objective.joint, jac, known)
        functions = objective.of_user(rows.x0)
        found, held = compiled_of(rows.x0, _traced, settings, functions, *fixed)
        live = any(recorded(a) for a in (*held, *problem.rows) if a is not None)
    return _differentiable(objective, found, rows, live)


def _iterated(
    method: Method, row: Row, objective: Objective, rows: Rows, watch: Watch | None = None
) -> Found:
    joint = objective.joint or objective.batch is None
    if objective.joint and row.some and is_concrete(rows.x0) and _alike(objective, rows):
        numbers = array_namespace(rows.x0).arange(rows.x0.shape[0], device=device(rows.x0))
        joint, rows = False, rows._replace(which=numbers, every=rows.x0[None, ...])
    found: Found = iterate(method, rows, joint=joint, watch=watch)
    return _believed(found)


def _alike(objective: Objective, rows: Rows) -> bool:
    """Tell if the functions' derivatives take no data of the problems besides x."""
    return not objective.differs and (rows.matrix is None or rows.matrix.shape[0] == 1)


def _believed(found: Found) -> Found:
    """Return the end, which is no success where numbers aren't finite, whatever a method says."""
    xp = array_namespace(found.x)
    sure = xp.isfinite(found.f) & xp.all(xp.isfinite(found.x), axis=1)
    if found.g is not None:
        sure = sure & xp.all(xp.isfinite(found.g), axis=1)
    wrong = (found.status == Outcome.CONVERGED) & ~sure
    lost = xp.full_like(found.status, Outcome.NOT_FINITE)
    return found._replace(status=xp.where(wrong, lost, found.status))


def _traced(settings: tuple[Any, ...], functions: Sequence[Any], *arrays: Any) -> Found:
    """The end of the iterations, of the user's functions as they were traced."""
    name, options, batch, joint, jac, known = settings
    fun, slope, hess, hessp, *rest = functions
    jac = True if jac is True else slope
    limits = None if known is None else rebuilt(known, rest, batch, joint)
    objective = Objective("minimize", fun, (), jac, hess, hessp, batch, joint, None, limits)
    row = METHODS[name]
    return _iterated(row.make(objective, **dict(options)), row, objective, Rows(*arrays))


def _telling(method: Method, callback: Callback, first: int) -> Method:
    """Return the method, which calls the callback after each iteration of its one problem."""
    names = "x fun jac outcome nit nfev njev hess_inv multipliers bound_multipliers"
    more = "constr_violation optimality tr_radius constr_penalty barrier_parameter cg_niter"

    def fields(state: Any) -> dict[str, Any]:
        now = (None if a is None else a[0, ...] for a in method.end(state))
        return dict(zip(f"{names} {more}".split(), now, strict=True))

    def moved(before: Any, after: Any) -> bool:
        return int(after.nit[0]) > max(int(before.nit[0]), first)

    return callback.told(method, fields, moved)


def _differentiable(objective: Objective, found: Found, rows: Rows, live: bool) -> tuple[Any, ...]:
    """Return the result with implicit derivatives by gradient = 0."""
    p = int(found.x.shape[1])
    cost = objective.cost(p)
    nfev = found.nfev * cost if found.g is not None else found.nfev
    x, value = stop_gradient(found.x), stop_gradient(found.f)
    y, z, *rest = (None if a is None else stop_gradient(a) for a in found[8:])
    if y is None and z is not None:
        y = x[:, :0]
    if z is None and y is not None:
        z = array_namespace(x).zeros_like(x)
    if live and _recorded(objective, rows, x):
        exact = objective.with_exact_gradient()
        if objective.constraints is None:
            x = carried(x, _stationary(exact, x, rows.lower, rows.upper), leave=True)
        else:
            both = array_namespace(x).concat([x, y], axis=1)
            equations, _ = optimality(exact.live_gradient, objective.constraints, rows, x, y, z)
            both = carried(both, equations, _is_solution(found.status), leave=True)
            x, y = both[:, :p], both[:, p:]
        if z is not None and rows.lower is not None:
            z = _of_bounds(exact, rows, x, y, z)
        value = objective.live_value(x)
    counts = (found.status, found.nit, nfev, found.njev)
    g = found.g
    if rows.lower is not None and objective.differs:  # of a fixed unknown there is no difference
        g, z = (_unknown(a, rows.lower == rows.upper) for a in (g, z))
    return x, value, g, *counts, found.extra, y, z, *rest


def _is_solution(status: Any) -> Any:
    """Tell if an end may be a minimum: of others derivatives are 0."""
    return (
        (status != Outcome.INFEASIBLE)
        & (status != Outcome.UNBOUNDED)
        & (status != Outcome.NOT_FINITE)
    )


def _of_bounds(objective: Objective, rows: Rows, x: Any, y: Any, z: Any) -> Any:
    """Return the multipliers z of bounds with derivatives: what constraints leave of slopes."""
    slope, known = objective.live_gradient(x), objective.constraints
    return following(z, slope if known is None else slope - known.pulled(x, y, rows.matrix))


def _unknown(a: Any, where: Any) -> Any:
    """Return an array, or None, with NaN in some places."""
    if a is None:
        return None
    xp = array_namespace(a)
    return xp.where(where, xp.full_like(a, xp.nan), a)


def _recorded(objective: Objective, rows: Rows, x: Any) -> bool:
    """Tell if somebody may ask for derivatives."""
    known, found = objective.constraints, [objective.live_value(x), rows.lower, rows.upper]
    if known is not None:
        found += [known.live_values(x, rows.matrix), rows.low, rows.high]
    return any(recorded(a) for a in found if a is not None)


def _stationary(exact: Objective, x: Any, lower: Any, upper: Any) -> Callable[[Any], Any]:
    """Return the gradient, and for variables at bounds the distance from these."""
    held = None if lower is None else _held(exact, x, stop_gradient(lower), stop_gradient(upper))

    def residual(x: Any) -> Any:
        g = exact.live_gradient(x)
        if held is None:
            return g
        xp = array_namespace(g)
        return xp.where(held[0], x - lower, xp.where(held[1], x - upper, g))

    return residual


def _held(objective: Objective, x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Find the variables that are on their lower or upper bounds at the minimum.

    A step along the negative gradient reaches the bound, and there it still points out of the box.
    """
    xp = array_namespace(x)
    there = x - stop_gradient(objective.live_gradient(x))
    low, high = there <= lower, there >= upper
    g = stop_gradient(objective.live_gradient(xp.where(low, lower, xp.where(high, upper, x))))
    return low & (g >= 0), high & (g <= 0)
