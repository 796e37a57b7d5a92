"""A batch of fits: chunks of it, the loop over each, derivatives, covariances."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NamedTuple

from ..._creation import memory_budget
from ..._namespace import array_namespace, device, hooks_of, is_lazy, quiet
from ...linalg import solve_triangular
from ...transforms import cond, stop_gradient, while_loop
from ...transforms import map as map_
from ...transforms._columns import columns_error, passes
from ...transforms._implicit import recorded, refined
from ...transforms._lanes import constants
from .._steps._lanes import (
    Solution,
    Watch,
    again_in_rounds,
    again_in_stream,
    in_rounds,
    in_stream,
    joined,
    replaced,
    taken,
    unbegun,
)
from .._steps._marquardt import (
    CAREFUL,
    INTERRUPTED,
    MAX_NFEV,
    NOT_FINITE,
    STALLED,
    Limits,
    State,
    careful_step,
    step,
)
from .._steps._normal_equations import diagonal, inverted
from ._beyond import onward, undetermined
from ._covariance import covariance, size
from ._model import Model, Rows, turned

__all__ = ["Fitted", "Options", "fitted"]

# Bytes of an array on the host: larger ones leave the caches, smaller ones wait for calls.
_BLOCK = 1 << 22
_FEW = 64  # problems at once, at least, to make a function call worth its overhead
_WIDE = 1 << 13  # in a compiled loop
_SPANS = 8  # times that steps begin anew in other units
_UNSURE = -100  # a status that leads to another run, and never to a caller


class Options(NamedTuple):
    """Hashable, without arrays."""

    tests: Limits
    absolute_sigma: bool
    further: bool = True  # go on from ends that are no sure minimum, rather than say _UNSURE


class Fitted(NamedTuple):
    """The outcome of fits, a row a problem."""

    popt: Any
    pcov: Any
    rss: Any
    chi2: Any
    r_squared: Any
    nit: Any
    status: Any

    def by_row(self) -> set[str]:
        """Whose problems are the first axis."""
        return {"popt", "pcov"}


def fitted(
    model: Model,
    x: Any,
    rows: Rows,
    options: Options,
    chunk_size: int | None = None,
    workers: int = 1,
    progress: Callable[..., Any] | None = None,
) -> Fitted:
    """All problems, in chunks where memory asks for it."""
    count = rows.y.shape[0]
    watch = Watch(progress, count, model.single)
    # Under the interpreter its arrays, so that the model may close over some of them.
    given = [a for a in rows if a is not None]
    lifted = iter(constants([*given, x] if hasattr(x, "dtype") else given))
    rows = turned(Rows(*(None if a is None else next(lifted) for a in rows)))
    x = next(lifted, x)
    if is_lazy(rows.y):
        return _fit(model, x, rows, options, watch)
    library = hooks_of(rows.y)
    chunk = chunk_size or _fitting(rows)
    if library.compiles:  # nothing is told, or stops, within a chunk there
        chunk = min(chunk, 64 * _WIDE)
    chunk = -(-count // -(-count // chunk)) if count else 1  # of one size, as far as that goes
    found: list[Fitted] = []
    begun = 0
    while begun < count or not found:
        part = taken(rows, slice(begun, min(begun + chunk, count)))
        try:
            if watch.halted:
                found.append(_blank(part))
            else:
                found.append(_chunk(model, x, part, options, workers, watch))
        except KeyboardInterrupt as stop:
            watch.halt(stop)
            continue
        except Exception as error:
            # Some other program took the memory, or the model needs more than was planned for.
            if chunk == 1 or not library.out_of_memory(error):
                raise
            chunk = (chunk + 1) // 2
            continue
        begun += chunk
    return joined(found)


def _blank(rows: Rows) -> Fitted:
    """Return the outcome of problems that were not begun."""
    xp = array_namespace(rows.start)
    p, count = rows.start.shape
    nothing = xp.full_like(rows.start[0, :], xp.nan)
    status = xp.astype(xp.zeros_like(nothing), xp.int32)
    pcov = xp.broadcast_to(nothing[:, None, None], (count, p, p))
    return Fitted(
        xp.matrix_transpose(rows.start),
        pcov,
        nothing,
        nothing,
        nothing,
        status,
        status + INTERRUPTED,
    )


def _fitting(rows: Rows) -> int:
    """Return how many problems fit in memory, by what the evaluation of all holds at once."""
    xp = array_namespace(rows.y)
    itemsize = int(xp.finfo(rows.y.dtype).bits) // 8
    each = int(rows.y.shape[1]) * (5 * int(rows.start.shape[0]) + 8) * itemsize
    return max(1, memory_budget(rows.y) // each)


def _chunk(
    model: Model, x: Any, rows: Rows, options: Options, workers: int, watch: Watch
) -> Fitted:
    library = hooks_of(rows.y)
    count = rows.y.shape[0]
    if library.compiles:
        traced, consts = _traced(library, model, x, rows)
        of_arrays = hasattr(x, "dtype")

        def solved(options: Options) -> Fitted:
            key = (traced, options, None if of_arrays else 0)
            return Fitted(*library.keyed(_compiled)(key, consts, x if of_arrays else None, rows))

        # To look for a way on takes seconds to compile, and few fits need it.
        found = solved(options._replace(further=traced.followed))
        xp = array_namespace(found.status)
        if not traced.followed and bool(xp.any(found.status == _UNSURE)):
            found = solved(options)
        watch.tell(found.status)
        return found
    if workers == 1 or count < 2 * _FEW or library.one_thread:
        return _fit(model, x, rows, options, watch)
    size = -(-count // workers)
    with ThreadPoolExecutor(workers) as pool:
        waiting = [
            pool.submit(
                copy_context().run,
                _fit,
                model,
                x,
                taken(rows, slice(i, min(i + size, count))),
                options,
                watch,
            )
            for i in range(0, count, size)
        ]
        try:
            return joined([w.result() for w in waiting])
        except KeyboardInterrupt as stop:
            watch.halt(stop)
            return joined([w.result() for w in waiting])


class _Traced(NamedTuple):
    """A model for a library that compiles: its functions as they were traced for some widths."""

    model: Model
    f: tuple[tuple[int, Any], ...]
    jac: tuple[tuple[int, Any], ...]
    followed: bool  # whether what it closes over is followed by a transform


def _widths(count: int) -> tuple[int, int]:
    """How many problems at once in a compiled loop of quick steps, and of careful ones."""
    wide = min(_WIDE, max(256, (1 << count.bit_length()) // 8))
    return min(wide, count), min(wide, max(256, wide // 16), count)


def _traced(library: Any, model: Model, x: Any, rows: Rows) -> tuple[_Traced, Any]:
    """The model as it is now, and the arrays that it closes over."""
    p, count = rows.start.shape
    fs: list[tuple[int, Any]] = []
    jacs, consts = [], []
    of_arrays = hasattr(x, "dtype") or rows.x is not None
    # Of one problem too, which shows an array with a batch axis that the model closes over.
    widths = [1, *_widths(count)]
    for width in widths:
        if width in (w for w, _ in fs):
            continue
        parts = [rows.start[j, :width, None] for j in range(p)]
        given = model.predictors(x, taken(rows, slice(0, width)))

        def of_all(fun: Any, given: Any = given, parts: Any = parts) -> Any:
            if of_arrays:
                return library.closed(fun, given, *parts)
            return library.closed(lambda *v: fun(given, *v), *parts)

        f, held = of_all(model)
        fs.append((width, f))
        consts.append(held)
        if callable(model.jac):
            jac, held = of_all(model.jacobian)
            jacs.append((width, jac))
            consts.append(held)
        if width == 1:
            followed = any(is_lazy(a) for held in consts for a in held)
            widths.append(count if followed else min(count, _WIDE))
    key = _Traced(
        model._replace(f=_nothing, jac=_nothing if callable(model.jac) else model.jac),
        tuple(fs),
        tuple(jacs),
        followed,
    )
    return key, consts


def _nothing() -> None:
    """In place of a function that was traced."""


def _compiled(key: Any, consts: Any, x: Any, rows: Rows) -> tuple[Any, ...]:
    traced, options, shared = key
    held = iter(consts)
    fs, jacs = {}, {}
    for i, (width, f) in enumerate(traced.f):
        fs[width] = (f, next(held))
        if traced.jac:
            jacs[width] = (traced.jac[i][1], next(held))
    own = rows.x is not None

    def among(which: Any) -> Any:
        def call(x: Any, *parts: Any) -> Any:
            fun, consts = which[parts[0].shape[0]]
            return fun(consts, *((x,) if own or shared is None else ()), *parts)

        return call

    model = traced.model._replace(
        f=among(fs),
        jac=among(jacs) if jacs else traced.model.jac,
        single=False,
        vectorized=True,
    )
    return tuple(_fit(model, x, rows, options, Watch(None, 0), traced.followed))


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
    p = rows.start.shape[0]
    library = hooks_of(rows.y)
    with quiet(rows.y):  # trial steps may overflow the model, and are rejected for it
        rows = rows._replace(height=_in_parts(_height, rows).height)
        traced, live, eager = is_lazy(rows.y), followed is not False, model
        if not traced:
            # Of one problem's values: what the model closes over may be followed by a transform.
            first = taken(rows, slice(0, 1))
            parts = [first.start[j, :, None] for j in range(p)]
            given = model.predictors(x, first)
            value = model(given, *parts)
            traced = is_lazy(value)
            live = traced or any(recorded(a) for a in (value, *rows) if a is not None)
            if not traced:
                in_one = model.jac is None and passes(model, (given,), parts)
                eager = model._replace(in_one=in_one, plain=_plain(stop_gradient(rows)))

        def of_jacobian(rows: Rows, popt: Any) -> _Description:
            try:
                return _described(eager, x, rows, popt, options)
            except KeyboardInterrupt as stop:  # what was found is worth more
                watch.halt(stop)
                nothing = xp.full_like(popt[0, :], xp.nan)
                pcov = xp.broadcast_to(nothing[:, None, None], (nothing.shape[0], p, p))
                return _Description(pcov, nothing, nothing, nothing)

        with library.unrecorded():
            still = stop_gradient(rows)
            if traced:
                found, units = _streamed(eager, stop_gradient(x), still, options)
            else:
                found, units = _in_rounds(eager, stop_gradient(x), still, options, watch)
        rows = rows._replace(**units._asdict())
        popt = stop_gradient(found.x)
        if live:
            turn = xp.matrix_transpose
            ended = found.status <= 0
            popt = turn(refined(turn(popt), _equations(model, x, rows, popt, ended)))
            described = _described(model, x, rows, popt, options)
        elif traced or model.loss is not None or model.fixed or rows.precision is not None:
            described = _in_parts(of_jacobian, rows, popt)
        else:
            described, vague = _at_solution(rows, found, options)

            def again(some: Any) -> Any:
                return _in_parts(of_jacobian, taken(rows, some), xp.take(popt, some, axis=-1))

            described = replaced(described, vague, again)
    nit = xp.where(found.nfev > 0, found.nfev - 1, found.nfev)
    popt = xp.stack([popt[j, :] for j in range(p)], axis=-1)
    solved = (found.status > 0)[:, None, None]
    pcov = xp.where(solved, described.pcov, xp.full_like(described.pcov, xp.nan))
    return Fitted(popt, *described._replace(pcov=pcov), nit, found.status)


def _in_parts(fun: Callable[..., Any], rows: Rows, *others: Any) -> Any:
    """A NamedTuple of arrays by a function of problems, some at a time, of which memory has less.

    `others` have the problems on the last axis.
    """
    xp = array_namespace(rows.y)
    count, traced = rows.y.shape[0], is_lazy(rows.y)
    width = _WIDE if traced else _width(rows)
    if count <= width:
        return fun(rows, *others)
    if not traced:
        parts = (slice(i, min(i + width, count)) for i in range(0, count, width))
        return joined([fun(taken(rows, some), *(a[..., some] for a in others)) for some in parts])
    lanes = xp.arange(width, device=device(rows.y))

    def part(begin: Any) -> Any:
        some = xp.minimum(begin + lanes, count - 1)
        return fun(taken(rows, some), *(xp.take(a, some, axis=-1) for a in others))

    found = map_(part, xp.arange(0, count, width, device=device(rows.y)))
    return type(found)(*(xp.reshape(a, (-1, *a.shape[2:]))[:count, ...] for a in found))


class _Height(NamedTuple):
    """The size of the data of each problem."""

    height: Any


def _height(rows: Rows) -> _Height:
    xp = array_namespace(rows.y)
    return _Height(size(xp, rows.y if rows.weight is None else rows.y * rows.weight))


class _Units(NamedTuple):
    """The units of parameters, (p, B), and of residuals, (B,)."""

    unit: Any
    height: Any


def _ordinary(rows: Rows) -> Any:
    """Return whether products of data and parameters can do without units, (B,)."""
    xp = array_namespace(rows.y)
    most = float(xp.finfo(rows.y.dtype).max) ** 0.125
    every = xp.concat([rows.unit, rows.height[None, :]], axis=0)
    return (xp.min(every, axis=0) > 1 / most) & (xp.max(every, axis=0) < most)


def _plain(rows: Rows) -> bool:
    """Return whether all are ordinary."""
    return bool(array_namespace(rows.y).all(_ordinary(rows)))  # likewise: ignore[LW203]: at hand


def _measured(model: Model, x: Any, rows: Rows) -> _Units:
    """The units in which residuals and columns at the start have squares that are numbers.

    Those of the rows where they do it, else those that make them 1.
    """
    xp = array_namespace(rows.y)
    far = float(xp.finfo(rows.y.dtype).max) ** 0.25
    bare = rows._replace(height=None, unit=None)
    r, columns = model.weighted(model.predictors(x, rows), bare, rows.start)
    left = xp.max(xp.abs(r), axis=1)
    height = xp.where(xp.isfinite(left) & (left / far > rows.height), left, rows.height)
    every = [xp.broadcast_to(c, r.shape) for c in model.every(columns, r)]
    tops = xp.stack([xp.max(xp.abs(c), axis=1) for c in every], axis=0)
    size = rows.unit / height * tops
    known = xp.isfinite(tops) & (tops > 0)
    unfit = known & ~((size < far) & (size > 1 / far))
    unit = height / xp.where(unfit, tops, xp.ones_like(tops))
    return _Units(xp.where(unfit & xp.isfinite(unit) & (unit > 0), unit, rows.unit), height)


def _far_from(new: _Units, old: _Units) -> Any:
    """Tell which problems' units have changed by more than what is left of a number's range."""
    xp = array_namespace(new.unit)
    near = float(xp.finfo(new.unit.dtype).max) ** 0.0625
    every = xp.concat([new.unit / old.unit, (new.height / old.height)[None, :]], axis=0)
    return (xp.max(every, axis=0) > near) | (xp.min(every, axis=0) < 1 / near)


def _goes_on(found: Solution) -> Any:
    """Tell which fits have evaluations left, and nobody has stopped."""
    return (found.status != INTERRUPTED) & (found.status != MAX_NFEV)


def _walks(
    model: Model, x: Any, options: Options
) -> tuple[Callable[[Rows, State], State], Callable[[Rows, State], State]]:
    """Quick steps and careful ones."""

    def quick(now: Rows, state: State) -> State:
        return step(model.problem(model.predictors(x, now), now), state, options.tests)

    def careful(now: Rows, state: State) -> State:
        return careful_step(model.problem(model.predictors(x, now), now), state, options.tests)

    return quick, careful


def _streamed(model: Model, x: Any, rows: Rows, options: Options) -> tuple[Solution, _Units]:
    """In a compiled program, and in which units.

    Problems of data or parameters that are far from 1 begin anew from where they end, while their
    units don't fit there.
    """
    xp = array_namespace(rows.y)
    wide, narrow = _widths(rows.y.shape[0])
    quick, careful = _walks(model, x, options)
    given, rare = _Units(rows.unit, rows.height), ~_ordinary(rows)

    def walked(rows: Rows, which: Any) -> Solution:
        found = stop_gradient(in_stream(quick, rows, wide, which))
        if which is not None:
            found = found._replace(status=xp.where(which, found.status, 0))
        return again_in_stream(careful, rows, found, narrow)

    if not options.further:
        found = walked(rows, None)
        unsure = _lost(model, rows, found) | rare
        return found._replace(status=xp.where(unsure, _UNSURE, found.status)), given

    def span(carry: Any) -> Any:
        found, old, again, count = carry
        now = rows._replace(start=found.x)
        new: _Units = cond(xp.any(rare), lambda r: _measured(model, x, r), lambda r: given, now)
        again = again & ((count == 0) | _far_from(new, old))
        units = _Units(*(xp.where(again, a, b) for a, b in zip(new, old, strict=True)))
        other = walked(now._replace(**units._asdict()), again)
        other = other._replace(nfev=other.nfev + found.nfev)
        found = Solution(*(xp.where(again, a, b) for a, b in zip(other, found, strict=True)))
        return found, units, again & rare & _goes_on(found), count + 1

    count = xp.zeros((), dtype=xp.int32, device=device(rows.y))
    found, units, *_ = while_loop(
        lambda carry: xp.any(carry[2]) & (carry[3] < _SPANS),
        span,
        (unbegun(rows), given, rare | True, count),
    )
    return _beyond(model, x, rows._replace(**units._asdict()), found, options, narrow, None), units


def _in_rounds(
    model: Model, x: Any, rows: Rows, options: Options, watch: Watch
) -> tuple[Solution, _Units]:
    """By single steps, and in which units, as `_streamed`."""
    xp = array_namespace(rows.y)
    units, first = _Units(rows.unit, rows.height), not model.plain
    if first:
        found, again = unbegun(rows), rows.height > 0
    else:
        found = _solution(model, x, rows, options, watch)
        again = found.status == NOT_FINITE  # products may have overflowed
        model, watch = model._replace(plain=False), watch.aside()
    for count in range(_SPANS):
        if not xp.any(again):  # likewise: ignore[LW204]: values are at hand
            break
        begin = rows._replace(start=found.x)

        def measured(some: Any, begin: Rows = begin) -> _Units:
            return _measured(model, x, taken(begin, some))

        new = replaced(units, again, measured)
        if count:
            again = again & _far_from(new, units)
        units = _Units(*(xp.where(again, a, b) for a, b in zip(new, units, strict=True)))
        begin = begin._replace(**units._asdict())

        part = watch if first and not count else watch.aside()

        def anew(
            some: Any, begin: Rows = begin, found: Solution = found, part: Watch = part
        ) -> Solution:
            other = _solution(model, x, taken(begin, some), options, part)
            return other._replace(nfev=other.nfev + xp.take(found.nfev, some, axis=0))

        found = replaced(found, again, anew)
        again = again & _goes_on(found)
    return found, units


def _solution(model: Model, x: Any, rows: Rows, options: Options, watch: Watch) -> Solution:
    """Quick steps for all, and careful ones, from the start again, for those that need them."""
    quick, careful = _walks(model, x, options)
    found = in_rounds(quick, rows, _width(rows), watch)
    was_careful = found.status == CAREFUL
    found = again_in_rounds(careful, rows, found, _width(rows), watch)
    xp = array_namespace(found.normal)
    found = _beyond(model, x, rows, found, options, _width(rows), watch)
    # Of careful steps it is from the step before.
    return found._replace(normal=xp.where(was_careful, xp.nan, found.normal))


def _beyond(
    model: Model,
    x: Any,
    rows: Rows,
    found: Solution,
    options: Options,
    width: int,
    watch: Watch | None,
) -> Solution:
    """Fits that ended at no sure minimum, and go on if there is a way."""
    xp = array_namespace(found.x)
    free = xp.where(_fixed(model, found.x), xp.zeros_like(found.x[:, :1]), 1.0)
    lost, stalled = _lost(model, rows, found), found.status == STALLED
    rows = rows._replace(start=found.x, origin=rows.start, stalled=stalled)

    def advance(now: Rows, state: State) -> State:
        problem = model.problem(model.predictors(x, now), now)
        return onward(problem, now.start, now.origin, free, now.stalled, state, options.tests)

    def lower(new: Solution, old: Solution) -> Solution:
        # It began where a stalled one had ended, and is as low.
        better = (new.cost < old.cost) | ((old.status == STALLED) & (new.status > 0))
        better = better & (new.status != INTERRUPTED)
        nfev = old.nfev + new.nfev
        chosen = Solution(*(xp.where(better, a, b) for a, b in zip(new, old, strict=True)))
        return chosen._replace(nfev=nfev)

    if watch is None:
        new = lower(in_stream(advance, rows, width, lost), found)
        return Solution(*(xp.where(lost, a, b) for a, b in zip(new, found, strict=True)))

    def anew(some: Any) -> Solution:
        new = in_rounds(advance, taken(rows, some), width, watch.aside())
        return lower(new, taken(found, some))

    whole: Solution = replaced(found, lost, anew)
    return whole


def _fixed(model: Model, x: Any) -> Any:
    """Tell which parameters stay, (p, 1)."""
    return array_namespace(x).asarray(
        [[j in model.fixed] for j in range(x.shape[0])], device=device(x)
    )


def _lost(model: Model, rows: Rows, found: Solution) -> Any:
    """Tell which fits ended where the data don't determine a parameter, or stalled."""
    xp = array_namespace(found.x)
    normal = found.normal
    if model.fixed:
        still = _fixed(model, found.x)
        eye = xp.eye(found.x.shape[0], dtype=found.x.dtype, device=device(found.x))
        normal = xp.where(still[:, None, :] | still[None, :, :], eye[:, :, None], normal)
    vague = undetermined(normal, found.x, rows.unit)
    return (found.status == STALLED) | ((found.status > 0) & vague)


def _width(rows: Rows) -> int:
    """How many problems at once make good use of caches and calls; of other devices all."""
    library = hooks_of(rows.y)
    if not library.is_host(rows.y):
        return max(_FEW, int(rows.y.shape[0]))
    xp = array_namespace(rows.y)
    each = int(rows.y.shape[1]) * int(xp.finfo(rows.y.dtype).bits) // 8
    return max(_FEW, _BLOCK // each)


def _equations(model: Model, x: Any, rows: Rows, popt: Any, failed: Any) -> Callable[[Any], Any]:
    """Return a function that is 0 at the solution: the gradient, or the distance to a bound.

    What failed is where it is, whatever the data: no solution, no derivative.
    """
    xp = array_namespace(popt)
    still = xp.broadcast_to(failed, popt.shape)
    place = popt
    if model.fixed:
        fixed = _fixed(model, popt)
        still, place = still | fixed, xp.where(fixed, rows.start, place)
    if rows.low is not None:
        at_low = (popt <= stop_gradient(rows.low)) & ~still
        at_high = (popt >= stop_gradient(rows.high)) & ~still
        place = xp.where(at_low, rows.low, xp.where(at_high, rows.high, place))
        still = still | at_low | at_high

    def equations(values: Any) -> Any:
        values = xp.matrix_transpose(values)
        gradient = model.normal(model.predictors(x, rows), rows, values)[1]
        ns = array_namespace(gradient, values)
        return ns.matrix_transpose(ns.where(still, values - place, gradient))

    return equations


class _Description(NamedTuple):
    """Covariance, sum of squares, reduced chi-square, share of the variance explained."""

    pcov: Any  # (B, p, p)
    rss: Any
    chi2: Any
    r_squared: Any

    def by_row(self) -> set[str]:
        """Whose problems are the first axis."""
        return {"pcov"}


def _at_solution(rows: Rows, found: Solution, options: Options) -> tuple[_Description, Any]:
    """From the normal matrix of the last step; and where that is too near to singular for it."""
    xp = array_namespace(found.x)
    p = found.x.shape[0]
    norms = xp.sqrt(diagonal(found.normal))
    safe = xp.where(norms > 0, norms, 1.0)
    inverse, pivot = inverted(found.normal / (safe[:, None, :] * safe))
    vague = ~(pivot > float(xp.finfo(norms.dtype).eps) ** 0.25)
    height = rows.height
    share = 1 - 2 * found.cost / _in_parts(_spread_of_data, rows).spread
    rss = 2 * found.cost * height * height
    variance, enough = _variance(xp, rows, 2 * found.cost, p)
    each = rows.unit / safe
    if options.absolute_sigma:
        each = each / height
    else:
        each = each * xp.sqrt(variance)
        vague = vague | ~enough
    entries = [inverse[i, j, :] * each[i, :] * each[j, :] for i in range(p) for j in range(p)]
    pcov = xp.reshape(xp.stack(entries, axis=-1), (-1, p, p))
    return _Description(pcov, rss, variance * height * height, share), vague


def _variance(xp: Any, rows: Rows, twice: Any, free: int) -> tuple[Any, Any]:
    """The reduced chi-square in units of the problems, and where there are enough data for it."""
    points = xp.full_like(twice, rows.y.shape[1])
    if rows.weight is not None:
        points = xp.sum(xp.astype(rows.weight != 0, twice.dtype), axis=1)
    if rows.precision is not None:  # each is one more observation
        points = points + xp.sum(xp.astype(rows.precision > 0, twice.dtype), axis=0)
    freedom = points - free
    enough = freedom > 0
    safe = xp.where(enough, freedom, xp.ones_like(freedom))
    return xp.where(enough, twice / safe, xp.full_like(twice, xp.inf)), enough


def _described(model: Model, x: Any, rows: Rows, popt: Any, options: Options) -> _Description:
    """From the Jacobian at the solution."""
    xp = array_namespace(popt)
    p, count = popt.shape
    r, columns = model.weighted(model.predictors(x, rows), rows, popt)
    height = rows.height
    twice = model.reweighted(rows, r, [])[2]
    columns = model.curved(rows, r, columns)
    data = r[:, : model.n]  # without the priors'
    rss = xp.vecdot(data, data)
    free = p - len(model.fixed)
    variance, enough = _variance(xp, rows, twice, free)
    pcov = xp.zeros((count, p, p), dtype=popt.dtype, device=device(popt))
    if free:
        eps = float(xp.finfo(popt.dtype).eps)
        error = eps if callable(model.jac) else columns_error(popt, model.jac)
        pcov = covariance([xp.broadcast_to(c, r.shape) for c in columns], error)
        infinite = xp.isinf(pcov)
        if not options.absolute_sigma:
            infinite = infinite | ~enough[:, None, None]
            pcov = pcov * xp.where(enough, variance, xp.ones_like(variance))[:, None, None]
        unit = xp.matrix_transpose(rows.unit)
        if options.absolute_sigma:
            unit = unit / height[:, None]
        if model.fixed:
            pcov, infinite = (
                _spread(xp, pcov, model.fixed, p),
                _spread(xp, infinite, model.fixed, p),
            )
        pcov = pcov * unit[:, :, None] * unit[:, None, :]
        pcov = xp.where(infinite, xp.full_like(pcov, xp.inf), pcov)
    r_squared = 1 - rss / _spread_of_data(rows).spread
    return _Description(pcov, rss * height * height, variance * height * height, r_squared)


def _spread(xp: Any, a: Any, fixed: tuple[int, ...], p: int) -> Any:
    """Rows and columns of zeros for what is fixed."""
    free = iter(range(p))
    places = [None if j in fixed else next(free) for j in range(p)]
    lines = []
    for i in places:
        zero = xp.zeros_like(a[:, 0, 0])
        lines += [zero if i is None or j is None else a[:, i, j] for j in places]
    return xp.reshape(xp.stack(lines, axis=-1), (a.shape[0], p, p))


class _Spread(NamedTuple):
    """The (weighted) sum of squares of the data around their mean, in units of the problem.

    NaN where that is 0.
    """

    spread: Any


def _spread_of_data(rows: Rows) -> _Spread:
    xp = array_namespace(rows.y)
    y, ones = rows.y, xp.ones_like(rows.y)
    if rows.weight is not None:
        y = xp.where(rows.weight > 0, y, xp.zeros_like(y)) * rows.weight
        ones = rows.weight
    if rows.factor is not None:
        both = solve_triangular(rows.factor, xp.stack([y, ones], axis=-1), lower=True)
        y, ones = both[:, :, 0], both[:, :, 1]
    total = xp.vecdot(ones, ones)
    mean = xp.vecdot(ones, y) / xp.where(total > 0, total, xp.ones_like(total))
    off = (y - mean[:, None] * ones) / rows.height[:, None]
    spread = xp.vecdot(off, off)
    return _Spread(xp.where(spread > 0, spread, xp.nan))
