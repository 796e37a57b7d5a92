"""The solution of a batch of fits: chunks, steps, derivatives and covariances."""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NamedTuple

from ..._memory import out_of_memory
from ..._namespace import array_namespace, device, is_lazy, quiet
from ...solving._driver import joined, replaced, taken
from ...solving._following import constants, passes, recorded
from ...solving._function import carried
from ...solving._lanes import Laned, once_for
from ...solving._outcome import Outcome
from ...solving._running import compiles, run_for, small, threads, traced, unrecorded
from ...solving._watch import KEEPS, Watch
from ...transforms import stop_gradient
from .._steps._marquardt import Limits, Solution
from ._description import Description, at_solution, described
from ._model import Keeping, Model, Rows, turned
from ._portions import FEW, WIDE, fitting, in_portions, portion, widths
from ._units import height, plain, unit
from ._walk import Walk, compiled_walk, eager_walk, fixed

__all__ = ["Fitted", "Options", "blank", "fitted", "without_failed"]


class Options(NamedTuple):
    """Hold the options; hashable, without arrays."""

    tests: Limits
    absolute_sigma: bool
    further: bool = True  # go on from ends that are no sure minimum, rather than leave them
    chunk_size: int | None = None
    workers: int = 1


class Fitted(NamedTuple):
    """Hold the results of fits, one row per problem."""

    popt: Any
    pcov: Any
    rss: Any
    chi2: Any
    r_squared: Any
    nit: Any
    outcome: Any

    def by_row(self) -> set[str]:
        """Name the fields whose first axis is the problems."""
        return {"popt", "pcov"}


def fitted(
    model: Model,
    x: Any,
    rows: Rows,
    options: Options,
    progress: Callable[..., Any] | None = None,
) -> Fitted:
    """Fit all problems, in chunks if memory requires it."""
    count = rows.y.shape[0]
    keeps = not is_lazy(rows.y) and bool(KEEPS.get()) and not model.single
    watch = Watch(progress, count, keeps, "fits")
    # Under the interpreter its arrays, so that the model may close over some of them.
    given = [a for a in rows if a is not None]
    lifted = iter(constants([*given, x] if hasattr(x, "dtype") else given))
    rows = turned(Rows(*(None if a is None else next(lifted) for a in rows)))
    x = next(lifted, x)
    if is_lazy(rows.y):
        return _fit(model, x, rows, options, watch)
    options = options._replace(workers=threads(rows.y, options.workers))
    chunk = options.chunk_size or fitting(rows)
    if compiles(rows.y):  # nothing is told, or stops, within a chunk there
        chunk = min(chunk, 64 * WIDE)
    chunk = -(-count // -(-count // chunk)) if count else 1  # of one size, as far as that goes
    found: list[Fitted] = []
    begun = 0
    while begun < count or not found:
        part = taken(rows, slice(begun, min(begun + chunk, count)), -1)
        try:
            found.append(blank(part) if watch.halted else _chunk(model, x, part, options, watch))
        except KeyboardInterrupt as stop:
            watch.halt(stop)
            continue
        except Exception as error:
            # Some other program took the memory, or the model needs more than was planned for.
            if chunk == 1 or not out_of_memory(error, rows.y):
                raise
            chunk = (chunk + 1) // 2
            continue
        begun += chunk
    return _collected(found)


def _collected(found: list[Fitted]) -> Fitted:
    """Join the results of chunks; each field's are freed before the next field is joined."""
    if len(found) == 1:
        return found[0]
    fields = [list(parts) for parts in zip(*found, strict=True)]
    found.clear()

    def whole(parts: list[Any]) -> Any:
        made = array_namespace(parts[0]).concat(parts, axis=0)
        parts.clear()
        return made

    return Fitted(*map(whole, fields))


def without_failed(found: Fitted) -> Fitted:
    """Return the same, with NaN as parameters where the fit failed."""
    xp = array_namespace(found.popt)
    done = (found.outcome > 0)[:, None]
    return found._replace(popt=xp.where(done, found.popt, xp.full_like(found.popt, xp.nan)))


def blank(rows: Rows) -> Fitted:
    """Return the result of problems that were not started."""
    xp = array_namespace(rows.start)
    p, count = rows.start.shape
    nothing = xp.full_like(rows.start[0, :], xp.nan)
    none = xp.astype(xp.zeros_like(nothing), xp.int32)
    pcov = xp.broadcast_to(nothing[:, None, None], (count, p, p))
    popt = xp.matrix_transpose(rows.start)
    return Fitted(popt, pcov, nothing, nothing, nothing, none, none + Outcome.INTERRUPTED)


def _chunk(model: Model, x: Any, rows: Rows, options: Options, watch: Watch) -> Fitted:
    count = rows.y.shape[0]
    if compiles(rows.y):
        found = _of_compiled(model, x, rows, options)
        watch.tell(found.outcome)
        return found
    if options.workers == 1 or count < 2 * FEW:
        return _fit(model, x, rows, options, watch)
    size = -(-count // options.workers)
    with ThreadPoolExecutor(options.workers) as pool:
        waiting = []
        for i in range(0, count, size):
            part = taken(rows, slice(i, min(i + size, count)), -1)
            run = copy_context().run
            waiting.append(pool.submit(run, _fit, model, x, part, options, watch))
        try:
            return joined([w.result() for w in waiting], -1)
        except KeyboardInterrupt as stop:
            watch.halt(stop)
            return joined([w.result() for w in waiting], -1)


# -- where the library compiles --------------------------------------------------------------------


class _Traced(NamedTuple):
    """A model for a library that compiles: its functions, traced for some widths."""

    model: Model
    f: tuple[tuple[int, Any], ...]
    jac: tuple[tuple[int, Any], ...]
    followed: bool  # whether what it closes over is followed by a transform
    shared: bool  # whether all problems have one array of predictors, or rows of them


def _of_compiled(model: Model, x: Any, rows: Rows, options: Options) -> Fitted:
    """Fit by a compiled program for the model's trace."""
    x_of_all = x if hasattr(x, "dtype") else None

    def solved(rows: Rows, further: bool) -> Fitted:
        key, consts = _traced(model, x, rows)
        settings = options._replace(further=further or key.followed)
        quick = small(rows.y)
        found = run_for(rows.y, _compiled, (key, settings), consts, x_of_all, rows, quick=quick)
        return Fitted(*found)

    # To look for a way on takes seconds to compile, and few fits need it.
    found = solved(rows, False)
    if is_lazy(found.outcome):
        return found

    def few(left: int) -> int:
        """Round a number so that few programs are compiled: 1, 8, 64 ..."""
        return min(8 ** -(-(left - 1).bit_length() // 3), rows.y.shape[0])

    def anew(some: Any) -> Fitted:
        return solved(taken(rows, some, -1), True)

    made: Fitted = replaced(found, found.outcome == Outcome.AGAIN, anew, -1, few)
    return made


def _traced(model: Model, x: Any, rows: Rows) -> tuple[_Traced, Any]:
    """Return the model's current trace, and the arrays that it closes over."""
    xp, (p, count) = array_namespace(rows.start), rows.start.shape
    shared = hasattr(x, "dtype") or rows.x is not None
    functions = {"f": model.__call__}
    of = {"f": (model.f, *model.called_by())}
    if callable(model.jac):
        functions["jac"] = model.jacobian
        of["jac"] = (model.jac, *model.called_by())
    made: dict[str, list[tuple[int, Any]]] = {"f": [], "jac": []}
    consts = []
    # Of one problem too, which shows an array with a batch axis that the model closes over.
    sizes, followed = [1, *widths(rows, True)], False
    for i, width in enumerate(sizes):
        if width in sizes[:i]:
            continue
        # Of parameters it takes shape and dtype alone.
        parts = [xp.zeros((width, 1), dtype=rows.start.dtype, device=device(rows.start))] * p
        some = rows if rows.x is None else taken(rows, slice(0, width), -1)
        given = model.predictors(x, some)
        for name, fun in functions.items():
            if shared:
                one, held = traced(rows.y, fun, given, *parts, of=of[name])
            else:
                one, held = traced(rows.y, functools.partial(fun, given), *parts)
            made[name].append((width, one))
            consts.append(held)
        if width == 1:
            followed = any(is_lazy(a) for held in consts for a in held)
            sizes.append(count if followed else portion(count))
    without = model._replace(f=_nothing, jac=_nothing if made["jac"] else model.jac)
    return _Traced(without, tuple(made["f"]), tuple(made["jac"]), followed, shared), consts


def _nothing() -> None:
    """In place of a function that was traced."""


def _compiled(key: tuple[_Traced, Options], consts: Any, x: Any, rows: Rows) -> tuple[Any, ...]:
    trace, options = key
    held = iter(consts)
    fs, jacs = {}, {}
    for i, (width, f) in enumerate(trace.f):
        fs[width] = (f, next(held))
        if trace.jac:
            jacs[width] = (trace.jac[i][1], next(held))

    def among(which: Any) -> Any:
        def call(x: Any, *parts: Any) -> Any:
            fun, consts = which[parts[0].shape[0]]
            return fun(consts, *((x,) if trace.shared else ()), *parts)

        return call

    model = trace.model._replace(
        f=among(fs),
        jac=among(jacs) if jacs else trace.model.jac,
        single=False,
        vectorized=True,
    )
    return tuple(_fit(model, x, rows, options, Watch(None, 0), trace.followed))


# -- one chunk -------------------------------------------------------------------------------------


class _Kind(NamedTuple):
    """Hold how to compute a chunk."""

    model: Model
    lazy: bool  # without a look at values
    live: bool  # with derivatives, for somebody may ask for them


def _kind(model: Model, x: Any, rows: Rows, followed: bool | None) -> _Kind:
    if is_lazy(rows.y):
        return _Kind(model, True, followed is not False)
    # Of one problem's values: what the model closes over may be followed by a transform.
    first = taken(rows, slice(0, min(1, rows.y.shape[0])), -1)
    parts = [first.start[j, :, None] for j in range(rows.start.shape[0])]
    given = model.predictors(x, first)

    def looked() -> tuple[bool, bool, bool]:
        value = model(given, *parts)
        if is_lazy(value):
            return True, False, True
        in_one = model.jac is None and passes(model, (given,), parts)
        return False, in_one, recorded(value)

    lazy, in_one, live = once_for((model.f, model.jac, *model.called_by()), rows.y, looked)
    if lazy:
        return _Kind(model, True, True)
    kept = Keeping() if model.single and model.jac is None else None
    lanes = None if model.single else Laned()
    model = model._replace(in_one=in_one, plain=plain(stop_gradient(rows)), kept=kept, lanes=lanes)
    arrays = [a for a in (x, *rows) if hasattr(a, "dtype")]
    return _Kind(model, False, live or any(map(recorded, arrays)))


def _fit(
    model: Model,
    x: Any,
    rows: Rows,
    options: Options,
    watch: Watch,
    followed: bool | None = None,
) -> Fitted:
    """`followed`: in a compiled function, whether a transform may ask for derivatives."""
    xp = array_namespace(rows.y)
    with quiet(rows.y):  # trial steps may overflow the model, and are rejected for it
        rows = rows._replace(height=in_portions(height, rows).height, unit=unit(rows))
        kind = _kind(model, x, rows, followed)
        with unrecorded(rows.y):
            at_once = widths(rows, kind.lazy)
            walk = Walk(kind.model, stop_gradient(x), options.tests, *at_once)
            still = stop_gradient(rows)
            if kind.lazy:
                found, units = compiled_walk(walk, still, options.further)
            else:
                found, units = eager_walk(walk._replace(watch=watch), still)
        rows = rows._replace(**units._asdict())
        popt = stop_gradient(found.x)
        if kind.live:
            turn, equations = xp.matrix_transpose, _equations(model, x, rows, popt)
            moved = turn(carried(turn(popt / rows.unit), equations, found.status > 0))
            popt = popt + rows.unit * (moved - stop_gradient(moved))
            told = described(model, x, rows, popt, options.absolute_sigma)
        else:
            told = _told(kind, x, rows, found, options.absolute_sigma, watch)
    nit = xp.where(found.nfev > 0, found.nfev - 1, found.nfev)
    popt = xp.stack([popt[j, :] for j in range(rows.start.shape[0])], axis=-1)
    solved = (found.status > 0)[:, None, None]
    pcov = xp.where(solved, told.pcov, xp.full_like(told.pcov, xp.nan))
    return Fitted(popt, *told._replace(pcov=pcov), nit, found.status)


def _told(
    kind: _Kind, x: Any, rows: Rows, found: Solution, absolute_sigma: bool, watch: Watch
) -> Description:
    """Return the description, from the last step if possible, else from the Jacobian."""
    model, popt = kind.model, stop_gradient(found.x)

    def of_jacobian(rows: Rows, popt: Any) -> Description:
        try:
            return described(model, x, rows, popt, absolute_sigma)
        except KeyboardInterrupt as stop:  # what was found is worth more
            watch.halt(stop)
            xp, p = array_namespace(popt), popt.shape[0]
            nothing = xp.full_like(popt[0, :], xp.nan)
            pcov = xp.broadcast_to(nothing[:, None, None], (nothing.shape[0], p, p))
            return Description(pcov, nothing, nothing, nothing)

    if kind.lazy or model.loss is not None or model.fixed or rows.precision is not None:
        every: Description = in_portions(of_jacobian, rows, popt)
        return every
    whole, vague = at_solution(rows, found, absolute_sigma)

    def again(some: Any) -> Any:
        take = array_namespace(popt).take
        return in_portions(of_jacobian, taken(rows, some, -1), take(popt, some, axis=-1))

    made: Description = replaced(whole, vague, again, -1)
    return made


def _equations(model: Model, x: Any, rows: Rows, popt: Any) -> Callable[[Any], Any]:
    """Return a function that is 0 at the solution: the gradient, or the distance to a bound.

    Parameters are in units, because products of Jacobian elements overflow for parameters of 1e160.
    """
    xp = array_namespace(popt)
    still, place = xp.zeros(popt.shape, dtype=xp.bool, device=device(popt)), popt
    if model.fixed:
        stays = fixed(model, popt)
        still, place = still | stays, xp.where(stays, rows.start, place)
    if rows.low is not None:
        at_low = (popt <= stop_gradient(rows.low)) & ~still
        at_high = (popt >= stop_gradient(rows.high)) & ~still
        place = xp.where(at_low, rows.low, xp.where(at_high, rows.high, place))
        still = still | at_low | at_high

    def equations(parts: Any) -> Any:
        parts = xp.matrix_transpose(parts)
        gradient = model.normal(model.predictors(x, rows), rows, rows.unit * parts)[1]
        ns = array_namespace(gradient, parts)
        return ns.matrix_transpose(ns.where(still, parts - place / rows.unit, gradient))

    return equations
