"""A batch of fits: chunks of it, the loop over each, derivatives, covariances."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from typing import Any, NamedTuple

from .._creation import memory_budget
from .._namespace import array_namespace, device, is_lazy, library_of, quiet
from ..missing import solve_triangular
from ..transforms import stop_gradient
from ..transforms._columns import columns_error, passes
from ..transforms._implicit import recorded, refined
from ..transforms._lanes import constants
from ._covariance import covariance
from ._lanes import (
    Solution,
    Watch,
    again_in_rounds,
    again_in_stream,
    in_rounds,
    in_stream,
    replaced,
    taken,
)
from ._marquardt import INTERRUPTED, Limits, State, careful_step, step
from ._model import Model, Rows
from ._normal_equations import inverted

__all__ = ["Fitted", "Options", "fitted"]

_CACHE = 1 << 20  # bytes of one array on the host, some of which fit in a processor's cache
_FEW = 64  # problems at once, at least, to make a function call worth its overhead
_WIDE = 1 << 13  # in a compiled loop


class Options(NamedTuple):
    """Hashable, without arrays."""

    tests: Limits
    absolute_sigma: bool


class Fitted(NamedTuple):
    """Of each problem."""

    popt: Any
    pcov: Any
    rss: Any
    chi2: Any
    r_squared: Any
    nit: Any
    status: Any


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
    watch = Watch(progress, count)
    # Under the interpreter its arrays, so that the model may close over some of them.
    given = [a for a in rows if a is not None]
    lifted = iter(constants([*given, x] if hasattr(x, "dtype") else given))
    rows = Rows(*(None if a is None else next(lifted) for a in rows))
    x = next(lifted, x)
    if is_lazy(rows.y):
        return _fit(model, x, rows, options, watch)
    library: Any = library_of(rows.y)
    chunk = chunk_size or _fitting(rows)
    if hasattr(library, "closed"):  # derivatives and covariances are of a whole chunk there
        chunk = min(chunk, 8 * _WIDE)
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
        except KeyboardInterrupt:
            watch.halted = True
            continue
        except Exception as error:
            # Some other program took the memory, or the model needs more than was planned for.
            if chunk == 1 or not getattr(library, "out_of_memory", _out_of_memory)(error):
                raise
            chunk = (chunk + 1) // 2
            continue
        begun += chunk
    return _all(found)


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError)


def _all(found: list[Fitted]) -> Fitted:
    if len(found) == 1:
        return found[0]
    return Fitted(
        *(array_namespace(*field).concat(list(field), axis=0) for field in zip(*found, strict=True))
    )


def _blank(rows: Rows) -> Fitted:
    """Of problems that were not begun."""
    xp = array_namespace(rows.start)
    count, p = rows.start.shape
    nothing = xp.full_like(rows.start[:, 0], xp.nan)
    status = xp.astype(xp.zeros_like(nothing), xp.int32)
    pcov = xp.broadcast_to(nothing[:, None, None], (count, p, p))
    return Fitted(rows.start, pcov, nothing, nothing, nothing, status, status + INTERRUPTED)


def _fitting(rows: Rows) -> int:
    """As many problems as fit in memory: what the evaluation of all holds at once."""
    xp = array_namespace(rows.y)
    itemsize = int(xp.finfo(rows.y.dtype).bits) // 8
    each = int(rows.y.shape[1]) * (5 * int(rows.start.shape[1]) + 8) * itemsize
    return max(1, memory_budget(rows.y) // each)


def _chunk(
    model: Model, x: Any, rows: Rows, options: Options, workers: int, watch: Watch
) -> Fitted:
    library: Any = library_of(rows.y)
    count = rows.y.shape[0]
    if hasattr(library, "closed"):
        traced, consts = _traced(library, model, x, rows)
        of_arrays = hasattr(x, "dtype")
        key = (traced, options, None if of_arrays else 0)
        found = library.keyed(_compiled)(key, consts, x if of_arrays else None, rows)
        watch.tell(found[-1])
        return Fitted(*found)
    if workers == 1 or count < 2 * _FEW or getattr(library, "one_thread", False):
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
            return _all([w.result() for w in waiting])
        except KeyboardInterrupt:
            watch.halted = True
            return _all([w.result() for w in waiting])


class _Traced(NamedTuple):
    """A model for a library that compiles: its functions as they were traced for some widths."""

    model: Model
    f: tuple[tuple[int, Any], ...]
    jac: tuple[tuple[int, Any], ...]


def _traced(library: Any, model: Model, x: Any, rows: Rows) -> tuple[_Traced, Any]:
    """The model as it is now, and the arrays that it closes over."""
    count, p = rows.start.shape
    fs, jacs, consts = [], [], []
    of_arrays = hasattr(x, "dtype") or rows.x is not None
    # Of one problem too, which shows an array with a batch axis that the model closes over.
    for width in sorted({1, min(count, _WIDE), count}):
        parts = [rows.start[:width, j : j + 1] for j in range(p)]
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
    key = _Traced(
        model._replace(f=_nothing, jac=_nothing if callable(model.jac) else model.jac),
        tuple(fs),
        tuple(jacs),
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
    return tuple(_fit(model, x, rows, options, Watch(None, 0), compiled=True))


def _fit(
    model: Model, x: Any, rows: Rows, options: Options, watch: Watch, compiled: bool = False
) -> Fitted:
    xp = array_namespace(rows.y)
    p = rows.start.shape[1]
    library: Any = library_of(rows.y)
    with quiet(rows.y):  # trial steps may overflow the model, and are rejected for it
        traced, eager = compiled or is_lazy(rows.y), model
        live = traced
        if not traced:
            # Of one problem's values: what the model closes over may be followed by a transform.
            first = taken(rows, slice(0, 1))
            parts = [first.start[:, j : j + 1] for j in range(p)]
            value = model(model.predictors(x, first), *parts)
            traced = is_lazy(value)
            live = traced or any(recorded(a) for a in (value, *rows) if a is not None)
            if not traced and model.jac is None:
                given = model.predictors(x, first)
                eager = model._replace(in_one=passes(model, (given,), parts))
        with getattr(library, "unrecorded", nullcontext)():
            found = _solution(eager, stop_gradient(x), stop_gradient(rows), options, watch, traced)
        popt = stop_gradient(found.x)
        if live:
            popt = refined(popt, _equations(model, x, rows, popt))
        if live or model.loss is not None or model.fixed or rows.precision is not None:
            described = _described(model, x, rows, popt, options, traced)
        else:
            described, vague = _at_solution(rows, found, options)
            described = replaced(
                described,
                vague,
                lambda some: _described(
                    eager, x, taken(rows, some), xp.take(popt, some, axis=0), options, False
                ),
            )
    nit = xp.where(found.nfev > 0, found.nfev - 1, found.nfev)
    return Fitted(popt, *described, nit, found.status)


def _solution(
    model: Model, x: Any, rows: Rows, options: Options, watch: Watch, traced: bool
) -> Solution:
    """Quick steps for all, and careful ones, from the start again, for those that need them."""

    def quick(now: Rows, state: State) -> State:
        return step(model.problem(model.predictors(x, now), now), state, options.tests)

    def careful(now: Rows, state: State) -> State:
        return careful_step(model.problem(model.predictors(x, now), now), state, options.tests)

    if traced:
        found = stop_gradient(in_stream(quick, rows, rows.start, _WIDE))
        return again_in_stream(careful, rows, found, _WIDE)
    found = in_rounds(quick, rows, rows.start, _width(rows), watch)
    return again_in_rounds(careful, rows, found, _width(rows), watch)


def _width(rows: Rows) -> int:
    """How many problems at once make good use of caches and calls; of other devices all."""
    library: Any = library_of(rows.y)
    if not library.is_host(rows.y):
        return max(_FEW, int(rows.y.shape[0]))
    xp = array_namespace(rows.y)
    each = int(rows.y.shape[1]) * int(xp.finfo(rows.y.dtype).bits) // 8
    return max(_FEW, _CACHE // each)


def _equations(model: Model, x: Any, rows: Rows, popt: Any) -> Callable[[Any], Any]:
    """What is 0 at the solution: the gradient; what is fixed, or at a bound, moves with that."""
    xp = array_namespace(popt)
    still = xp.zeros_like(popt, dtype=xp.bool)
    place = popt
    if model.fixed:
        fixed = [j in model.fixed for j in range(popt.shape[1])]
        fixed = xp.asarray(fixed, device=device(popt))
        still, place = still | fixed, xp.where(fixed, rows.start, place)
    if rows.low is not None:
        at_low = (popt <= stop_gradient(rows.low)) & ~still
        at_high = (popt >= stop_gradient(rows.high)) & ~still
        place = xp.where(at_low, rows.low, xp.where(at_high, rows.high, place))
        still = still | at_low | at_high

    def equations(values: Any) -> Any:
        gradient = model.normal(model.predictors(x, rows), rows, values)[1]
        return array_namespace(gradient, values).where(still, values - place, gradient)

    return equations


class _Description(NamedTuple):
    """Covariance, sum of squares, reduced chi-square, share of the variance explained."""

    pcov: Any
    rss: Any
    chi2: Any
    r_squared: Any


def _at_solution(rows: Rows, found: Solution, options: Options) -> tuple[_Description, Any]:
    """From the normal matrix of the last step; and where that is too near to singular for it."""
    xp = array_namespace(found.x)
    p = found.x.shape[1]
    norms = xp.sqrt(xp.stack([found.normal[:, j, j] for j in range(p)], axis=-1))
    safe = xp.where(norms > 0, norms, xp.ones_like(norms))
    both = safe[:, :, None] * safe[:, None, :]
    inverse, pivot = inverted(found.normal / both)
    vague = ~(pivot > float(xp.finfo(norms.dtype).eps) ** 0.25)
    height = rows.height
    rss = 2 * found.cost * height * height
    variance, enough = _variance(xp, rows, 2 * found.cost, p)
    pcov = inverse / both * rows.unit[:, :, None] * rows.unit[:, None, :]
    if options.absolute_sigma:
        pcov = pcov / height[:, None, None] / height[:, None, None]
    else:
        pcov = pcov * variance[:, None, None]
        vague = vague | ~enough
    r_squared = 1 - rss / _spread_of_data(xp, rows)
    return _Description(pcov, rss, variance * height * height, r_squared), vague


def _variance(xp: Any, rows: Rows, twice: Any, free: int) -> tuple[Any, Any]:
    """The reduced chi-square in units of the problems, and where there are enough data for it."""
    points = xp.full_like(twice, rows.y.shape[1])
    if rows.weight is not None:
        points = xp.sum(xp.astype(rows.weight != 0, twice.dtype), axis=1)
    if rows.precision is not None:  # each is one more observation
        points = points + xp.sum(xp.astype(rows.precision > 0, twice.dtype), axis=1)
    freedom = points - free
    enough = freedom > 0
    safe = xp.where(enough, freedom, xp.ones_like(freedom))
    return xp.where(enough, twice / safe, xp.full_like(twice, xp.inf)), enough


def _described(
    model: Model, x: Any, rows: Rows, popt: Any, options: Options, whole: bool
) -> _Description:
    """From the Jacobian at the solution; on eager libraries a part after another."""
    if not whole:
        count, width = rows.y.shape[0], _width(rows)
        if count > width:
            xp = array_namespace(popt)
            parts = [
                _described(model, x, taken(rows, part), popt[part, ...], options, True)
                for part in (slice(i, min(i + width, count)) for i in range(0, count, width))
            ]
            return _Description(
                *(xp.concat(list(field), axis=0) for field in zip(*parts, strict=True))
            )
    xp = array_namespace(popt)
    count, p = popt.shape
    r, columns = model.weighted(model.predictors(x, rows), rows, popt)
    height = rows.height
    twice = model.reweighted(rows, r, [])[2]
    columns = model.curved(rows, r, columns)
    data = r[:, : model.n]  # without the priors'
    rss = xp.vecdot(data, data) * height * height
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
        else:
            pcov = pcov / height[:, None, None] / height[:, None, None]
        unit = rows.unit
        if model.fixed:
            pcov, infinite = (
                _spread(xp, pcov, model.fixed, p),
                _spread(xp, infinite, model.fixed, p),
            )
        pcov = pcov * unit[:, :, None] * unit[:, None, :]
        pcov = xp.where(infinite, xp.full_like(pcov, xp.inf), pcov)
    r_squared = 1 - rss / _spread_of_data(xp, rows)
    return _Description(pcov, rss, variance * height * height, r_squared)


def _spread(xp: Any, a: Any, fixed: tuple[int, ...], p: int) -> Any:
    """Rows and columns of zeros for what is fixed."""
    free = iter(range(p))
    places = [None if j in fixed else next(free) for j in range(p)]
    lines = []
    for i in places:
        zero = xp.zeros_like(a[:, 0, 0])
        lines += [zero if i is None or j is None else a[:, i, j] for j in places]
    return xp.reshape(xp.stack(lines, axis=-1), (a.shape[0], p, p))


def _spread_of_data(xp: Any, rows: Rows) -> Any:
    """The (weighted) sum of squares of the data around their mean; NaN where that is 0."""
    y, ones = rows.y, xp.ones_like(rows.y)
    if rows.weight is not None:
        y = xp.where(rows.weight > 0, y, xp.zeros_like(y)) * rows.weight
        ones = rows.weight
    if rows.factor is not None:
        both = solve_triangular(rows.factor, xp.stack([y, ones], axis=-1), lower=True)
        y, ones = both[:, :, 0], both[:, :, 1]
    total = xp.vecdot(ones, ones)
    mean = xp.vecdot(ones, y) / xp.where(total > 0, total, xp.ones_like(total))
    off = y - mean[:, None] * ones
    spread = xp.vecdot(off, off)
    return xp.where(spread > 0, spread, xp.full_like(spread, xp.nan))
