"""Code that the solvers of one equation in one unknown share, for many problems at once.

If reading values is free, finished problems are dropped (see `_driver`), and the function is called
only on the others.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import _creation, _plan
from .._namespace import array_namespace, device, is_concrete, is_neutral, library_of, quiet
from ..errors import ArrayTypeError, MixedLibrariesError
from ..transforms import jvp, stop_gradient
from ..transforms._following._interpreter import is_open
from ..transforms._following._lanes import constants
from ..transforms._implicit import recorded
from ._driver import taken
from ._few import Views, by_one, few
from ._function import Function, arguments, carried, check_callable
from ._kept import Kept
from ._numbers import on_numbers
from ._outcome import Outcome
from ._running import compiled_of, compiles
from ._stepping import whole

__all__ = ["Elementwise", "Kernel", "Lanes", "filled", "implicit", "plan_lanes", "solve_lanes"]


class Lanes(NamedTuple):
    """Hold the points and arguments of B problems."""

    points: tuple[Any, ...]  # (B,) each
    args: tuple[Any, ...]  # arrays (B,) or (1,); anything else as it came
    shape: tuple[int, ...]  # of the batch, B elements

    def shaped(self, x: Any) -> Any:
        if not self.shape:
            return x[0, ...] if x.ndim else x
        return x if x.shape == self.shape else array_namespace(x).reshape(x, self.shape)

    def alone(self) -> bool:
        """Tell if this is one problem of float64."""
        first = self.points[0]
        return self.shape == () and bool(first.dtype == array_namespace(first).float64)


def plan_lanes(function: str, f: Any, points: Mapping[str, Any], args: Any) -> Lanes:
    """Return arrays of one library, dtype and device, broadcast and flattened."""
    check_callable(function, f)
    args = arguments(args)
    if all(type(a) is float for a in points.values()) and all(
        type(a) in (float, int) for a in args
    ):
        # One array for all: to make one costs more than to find a root.
        (made,) = constants([_creation.xp.asarray(list(points.values()))])
        return Lanes(tuple(made[i : i + 1] for i in range(len(points))), args, ())
    alike = _alike(tuple(points.values()), args)
    if alike is not None:
        return alike
    moving = [i for i, a in enumerate(args) if hasattr(a, "shape") or isinstance(a, list)]
    # NumPy's scalars have a shape, and no batch.
    moving = [i for i in moving if not is_neutral(args[i]) or isinstance(args[i], list)]
    given = dict(points) | {f"args[{i}]": args[i] for i in moving}
    try:
        xp = array_namespace(*given.values())
    except (ArrayTypeError, MixedLibrariesError) as error:
        raise _named(error, function, list(given)) from None
    made = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    xp = array_namespace(*made)
    shape = _plan.broadcast(
        function, **{name: tuple(a.shape) for name, a in zip(given, made, strict=True)}
    )
    size = math.prod(shape)
    made = tuple(constants(list(made)))
    xp = array_namespace(*made)
    rest = list(args)
    for i, a in zip(moving, made[len(points) :], strict=True):
        one = math.prod(a.shape) == 1
        rest[i] = xp.reshape(a if one else xp.broadcast_to(a, shape), (1 if one else size,))

    def row(a: Any) -> Any:
        if not shape:
            return a[None, ...]
        return xp.reshape(a if a.shape == shape else xp.broadcast_to(a, shape), (size,))

    return Lanes(tuple(map(row, made[: len(points)])), tuple(rest), shape)


def _alike(points: tuple[Any, ...], args: tuple[Any, ...]) -> Lanes | None:
    """Return Python's floats and plain arrays (B,) of one dtype, which need few checks, or None."""
    like: Any = None
    for v in (*points, *args):
        if type(v) is float:
            continue
        if like is None:
            like, library = v, library_of(v)
            if library is None or type(v) not in library.own_types() or is_open():
                return None
            if not is_concrete(v) or v.ndim != 1:
                return None
            xp, where = array_namespace(v), device(v)
            if v.dtype not in (xp.float64, xp.float32):
                return None
        elif (
            type(v) is not type(like)
            or v.dtype != like.dtype
            or v.shape != like.shape
            or device(v) != where
        ):
            return None
    if like is None:
        return None
    shape = tuple(like.shape)

    def row(v: Any) -> Any:
        return xp.full(shape, v, dtype=like.dtype, device=where) if type(v) is float else v

    return Lanes(tuple(map(row, points)), args, shape)


def _named(error: ArrayTypeError, function: str, names: list[str]) -> ArrayTypeError:
    """Name the function and the argument in an error of `array_namespace`."""
    text = f"{function}:{str(error).partition(':')[2]}"
    for i in range(len(names), 0, -1):
        text = text.replace(f"argument number {i} ", f"argument {names[i - 1]!r} ")
    return type(error)(text)


Kernel = tuple[tuple[Any, ...], tuple[Any, ...]]  # floating results, and integers


class Elementwise:
    """Call a user's function of (n,) points and arguments (n,) or (1,); results are constants.

    For one problem, points and arguments have no dimension; on NumPy they are scalars. The function
    may return a tuple of its value and `joined` derivatives.
    """

    def __init__(
        self, function: str, name: str, fun: Callable[..., Any], lanes: Lanes, joined: int = 0
    ) -> None:
        self.function = Function(
            function,
            name,
            fun,
            hint=". It is called on problems in one dimension, without those that have ended; what "
            "differs from problem to problem must reach it through args.",
        )
        self.kind = function, name, joined
        self.joined = joined
        self.alone = lanes.shape == ()
        self.recorded = False  # whether somebody may ask for derivatives with respect to arguments
        self.count = 0  # of lanes, before any has ended
        self.known: dict[int, tuple[tuple[Any, ...], Kept]] = {}

    def of_numbers(self, args: tuple[Any, ...]) -> Callable[[Any], Any]:
        """Return the function of one problem's number, without derivatives."""
        rest, fun, function = self._alone(args), self.function.fun, self.function

        def call(x: Any) -> Any:
            try:
                out = fun(x, *rest)
            except Exception as error:
                function.explain(error, x)
                raise
            return out if out.__class__ is x.__class__ else function.checked(out, (), x, 0)

        return call

    def numbers(
        self, name: str, point: Any, args: tuple[Any, ...], *more: int
    ) -> Callable[[float], list[float]]:
        """Return a method as a function of one problem's number; `point` is such an array."""
        if name == "__call__" and not self.joined:
            call, scalar = self.of_numbers(args), type(point[0])
            if not is_neutral(point[0]):
                xp, where = array_namespace(point), device(point)
                return lambda x: [float(call(xp.asarray(x, dtype=point.dtype, device=where)))]
            return lambda x: [float(call(scalar(x)))]
        method, xp = getattr(self, name), array_namespace(point)

        def several(x: float) -> list[float]:
            found = method(xp.full((1,), x, dtype=point.dtype, device=device(point)), args, *more)
            return [v.item() for v in (found if isinstance(found, tuple) else (found,))]

        return several

    def as_called(self, lanes: Lanes) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the function of a point and of the arrays among `args`, with example arguments."""
        points, args = (lanes.points, lanes.args)
        if self.alone:
            points, args = self._alone(points), self._alone(args)
        moving = [i for i, a in enumerate(lanes.args) if hasattr(a, "shape")]

        def call(x: Any, *arrays: Any) -> Any:
            now = dict(zip(moving, arrays, strict=True))
            return self._called(x, tuple(now.get(i, a) for i, a in enumerate(args)))

        return call, (points[0], *(args[i] for i in moving))

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the function's results on which a step depends."""
        return (self.joined, self.alone), True

    @whole
    def __call__(self, x: Any, args: tuple[Any, ...]) -> Any:
        return self._seen(self.plain(x, args))

    def plain(self, x: Any, args: tuple[Any, ...]) -> Any:
        """Call the function so that it can be differentiated."""
        return self.parts(x, args)[0] if self.joined else self._widened(self._at(x, args))

    @whole
    def several(self, x: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return value and derivatives of a function that returns both."""
        return tuple(self._seen(out) for out in self.parts(x, args))

    def parts(self, x: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the same as `several`, so that it can be differentiated."""
        return tuple(self._widened(o) for o in self._at(x, args))

    @whole
    def slopes(self, x: Any, args: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """Return the value and the first `n` exact derivatives."""
        if self.alone:
            point, rest = array_namespace(x).reshape(x, ()), self._alone(args)
            found = self._derivatives(rest, n)(point)
            if found is not None:
                return tuple(self._seen(self._widened(o)) for o in (self._at(x, args), *found))
            x, args = point, rest

        def of(v: Any) -> Any:
            return self._called(v, args)

        if n == 1:
            return tuple(self._seen(self._widened(o)) for o in _first(of)(x))
        return tuple(self._seen(self._widened(o)) for o in _second(of)(x))

    def _derivatives(self, args: tuple[Any, ...], n: int) -> Kept:
        """Return the first `n` derivatives with these arguments, of one problem."""
        known = self.known.get(n)
        if known is None or any(a is not b for a, b in zip(known[0], args, strict=True)):
            derive = _slope if n == 1 else _slope_and_bend
            known = self.known[n] = args, Kept(derive, lambda v: self._called(v, args))
        return known[1]

    def _at(self, x: Any, args: tuple[Any, ...]) -> Any:
        return self._called(x[0], self._alone(args)) if self.alone else self._called(x, args)

    def _alone(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(a[0] if getattr(a, "ndim", 0) == 1 else a for a in args)

    def _called(self, x: Any, args: tuple[Any, ...]) -> Any:
        try:
            if self.joined:
                wanted = [tuple(x.shape)] * (self.joined + 1)
                return self.function.several(x, *args, wanted=wanted, spread=0)
            return self.function(x, *args, spread=0)
        except Exception as error:
            if x.ndim and x.shape[0] < self.count:
                error.add_note(
                    f"{self.function.function}: problems that have ended were dropped, and "
                    f"{self.function.name} was called on the rest. What differs from problem to "
                    "problem must reach it through args."
                )
            raise

    def _widened(self, out: Any) -> Any:
        """Return (n,) of what may be without a dimension."""
        return out if out.ndim else array_namespace(out).reshape(out, (1,))

    def asked(self, args: tuple[Any, ...]) -> bool:
        """Tell if derivatives may be needed; call it after the function was called."""
        return self.recorded or any(recorded(a) for a in args)

    def _seen(self, out: Any) -> Any:
        self.recorded = self.recorded or recorded(out)
        return stop_gradient(out)


def _first(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Value and slope."""
    return lambda v: jvp(of, (v,), (array_namespace(v).ones_like(v),))


def _second(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Value, slope and bend."""

    def call(x: Any) -> Any:
        (value, slope), (_, bend) = jvp(_first(of), (x,), (array_namespace(x).ones_like(x),))
        return value, slope, bend

    return call


def _slope(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda v: _first(of)(v)[1:]


def _slope_and_bend(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda v: _second(of)(v)[1:]


def solve_lanes(
    make: Callable[..., Callable[..., Kernel]],
    settings: Hashable,
    functions: Sequence[Elementwise | None],
    lanes: Lanes,
    floats: int,
    integers: int,
) -> Kernel:
    """Return ``make(settings, *functions)(points, args)``: floating and int32 results, (B,) each.

    `make` is a function of a module. If the library
    compiles, the solver is compiled once for equal settings and functions with equal traces.
    """
    fun = functions[0]
    assert fun is not None  # the equation's; others may be
    points = tuple(stop_gradient(x) for x in lanes.points)
    moving = {i: stop_gradient(a) for i, a in enumerate(lanes.args) if hasattr(a, "shape")}
    if compiles(points[0]):
        like = Lanes(points, tuple(moving.get(i, a) for i, a in enumerate(lanes.args)), lanes.shape)
        some = [None if f is None else f.as_called(like) for f in functions]
        kinds = tuple(None if f is None else f.kind for f in functions)
        known = (make, settings, kinds, lanes.shape)
        found, held = compiled_of(points[0], _traced, known, some, points, tuple(moving.values()))
        fun.recorded = any(recorded(c) for c in held)  # in the trace everything seemed to be
        return found[0], found[1]
    if lanes.alone():
        alone = _alone_on_numbers(make, settings, functions, lanes, floats)
        if alone is not None:
            return alone
    kernel = make(settings, *functions)

    def flat(*arrays: Any) -> tuple[Any, ...]:
        now = dict(zip(moving, arrays[len(points) :], strict=True))
        args = tuple(now.get(i, a) for i, a in enumerate(lanes.args))
        fun.count = int(arrays[0].shape[0])
        with quiet(arrays[0]):  # untaken branches divide by zero
            found = kernel(arrays[: len(points)], args)
        return tuple(a for part in found for a in part)

    given = (*points, *moving.values())
    out = None
    views = None
    if lanes.shape:
        user = (f.function.fun for f in functions if f is not None)
        views = few("elementwise", points[0], int(points[0].shape[0]), *user)
    if views is not None:
        out = _by_numbers(
            make,
            settings,
            functions,
            lanes,
            (floats, integers),
            views,
            lambda ids: flat(*taken(given, ids)),
        )
    if out is None:
        out = flat(*given)
    return out[:floats], out[floats:]


class _Named:
    """Stand in for a user's function while a solver of one problem is traced without it."""

    def __init__(self, ask: Callable[..., Any], number: int, joined: int) -> None:
        self.ask, self.number, self.joined = ask, number, joined

    def __call__(self, x: Any, args: Any) -> Any:
        return self.ask((self.number, "__call__"), x, 1)[0]

    def several(self, x: Any, args: Any) -> Any:
        return self.ask((self.number, "several"), x, 1 + self.joined)

    def slopes(self, x: Any, args: Any, n: int) -> Any:
        return self.ask((self.number, "slopes", n), x, 1 + n)


def _program(
    make: Callable[..., Callable[..., Kernel]],
    settings: Hashable,
    functions: Sequence[Elementwise | None],
    points: Sequence[Any],
) -> Any:
    """Return the solver on Python's numbers; None if there is no such program."""
    joined = tuple(None if f is None else f.joined for f in functions)

    def solve(ask: Callable[..., Any], *points: Any) -> tuple[Any, ...]:
        named = [None if n is None else _Named(ask, i, n) for i, n in enumerate(joined)]
        found, counts = make(settings, *named)(points, ())
        return (*found, *counts)

    return on_numbers((make, settings, joined), solve, points)


def _alone_on_numbers(
    make: Callable[..., Callable[..., Kernel]],
    settings: Hashable,
    functions: Sequence[Elementwise | None],
    lanes: Lanes,
    floats: int,
) -> Kernel | None:
    """Solve one problem on Python's numbers, if the solver has such a program."""
    known = _program(make, settings, functions, lanes.points)
    if known is None:
        return None
    asked, run = known
    of: Any = functions
    point = lanes.points[0]
    with quiet(point):
        calls = [of[i].numbers(name, point, lanes.args, *n) for i, name, *n in asked]
        out = _packed([run(*calls, *(p.item() for p in lanes.points))], point, floats)
    return out[:floats], out[floats:]


def _packed(found: list[list[Any]], like: Any, floats: int) -> tuple[Any, ...]:
    """Return arrays of the floating and int32 results of problems."""
    xp, where = array_namespace(like), device(like)
    rows = list(zip(*found, strict=True))
    values = xp.asarray(rows[:floats], dtype=like.dtype, device=where)
    counts = xp.asarray(rows[floats:], dtype=xp.int32, device=where)
    return tuple(a[i, :] for a in (values, counts) for i in range(a.shape[0]))


def _by_numbers(
    make: Callable[..., Callable[..., Kernel]],
    settings: Hashable,
    functions: Sequence[Elementwise | None],
    lanes: Lanes,
    sizes: tuple[int, int],
    views: Views,
    together: Callable[[Any], Any],
) -> tuple[Any, ...] | None:
    """Solve a few problems one after the other on Python's numbers, if functions are only called.

    They must take a batch, too, as they do where there are more problems.
    """
    points, count = lanes.points, int(lanes.points[0].shape[0])
    if not views.viewable(*points, *(a for a in lanes.args if hasattr(a, "shape"))):
        return None
    known = _program(make, settings, functions, [views.of(p)[:1] for p in points])
    if known is None:
        return None
    asked, run = known
    of: Any = functions
    if any(name != "__call__" or of[i].joined for i, name, *_ in asked):
        return None
    xp, like, (floats, integers) = array_namespace(*points), points[0], sizes
    one = views.inner(like)

    def listed(a: Any) -> list[Any]:
        if not hasattr(a, "shape"):
            return [a] * count
        a = views.inner(a)
        return [a[i] for i in range(count)] if a.shape[0] == count else [a[0]] * count

    starts = [views.of(p).tolist() for p in points]
    args = list(zip(*map(listed, lanes.args), strict=True)) or [()] * count

    def alone(i: int) -> Any:
        calls = [of[k].numbers("__call__", one, args[i]) for k, *_ in asked]
        return run(*calls, *(p[i] for p in starts))

    def rest(ids: Sequence[int]) -> Any:
        return together(xp.asarray(ids, device=device(like)))

    def packed(found: list[list[Any]]) -> Any:
        return _packed(found, like, floats)

    def blank(ids: Sequence[int]) -> Any:
        return packed(
            [[math.nan] * floats + [Outcome.INTERRUPTED] + [0] * (integers - 1)] * len(ids)
        )

    with quiet(like):
        for k, *_ in asked:
            if recorded(of[k].plain(like, lanes.args)):
                return None
        return by_one(count, alone, rest, floats, blank=blank, packed=packed)


def _traced(known: Any, functions: Sequence[Any], points: Any, args: Any) -> Any:
    """The results, of the user's functions as they were traced."""
    make, settings, kinds, shape = known
    lanes = Lanes(points, args, shape)
    some: list[Elementwise | None] = [None] * len(kinds)
    for i, f in enumerate(functions):
        if f is not None:
            function, name, joined = kinds[i]
            some[i] = Elementwise(function, name, f, lanes, joined)
    with quiet(points[0]):
        return make(settings, *some)(points, args)


def implicit(
    fun: Elementwise, lanes: Lanes, x: Any, good: Any, residual: Callable[[Any], Any]
) -> Any:
    """Return solutions `x` of ``residual(x) = 0`` with implicit derivatives, if they are good."""
    if not fun.asked(lanes.args):
        return x
    return carried(x, residual, good, lanes.points[0])


def filled(like: Any, value: int) -> Any:
    """Return integers, one per problem."""
    xp = array_namespace(like)
    return xp.full(tuple(like.shape), value, dtype=xp.int32, device=device(like))
