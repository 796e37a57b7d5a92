"""Parts that the solvers of one equation in one unknown share: many at once, a lane each.

Where values can be looked at for free, lanes that have ended are dropped (see `_driver`), and the
function is called on the others alone.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import (
    array_namespace,
    describe,
    device,
    hooks_of,
    is_neutral,
    quiet,
)
from ...errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedLibrariesError,
    ShapeError,
)
from ...transforms import jvp, stop_gradient
from ...transforms._implicit import recorded, refined_elementwise
from ...transforms._lanes import constants

__all__ = [
    "Function",
    "Lanes",
    "check_callable",
    "filled",
    "implicit",
    "plan_lanes",
    "solve_lanes",
]


class Lanes(NamedTuple):
    """The points and arguments of B problems."""

    points: tuple[Any, ...]  # (B,) each
    args: tuple[Any, ...]  # arrays (B,) or (1,); anything else as it came
    shape: tuple[int, ...]  # of the batch, B elements

    def shaped(self, x: Any) -> Any:
        return array_namespace(x).reshape(x, self.shape)


def plan_lanes(function: str, f: Any, points: Mapping[str, Any], args: Any) -> Lanes:
    """Arrays of one library, dtype and device, broadcast and flattened."""
    check_callable(function, f)
    args = args if isinstance(args, tuple) else (args,)
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
    flat = tuple(xp.reshape(xp.broadcast_to(a, shape), (size,)) for a in made[: len(points)])
    return Lanes(flat, tuple(rest), shape)


def check_callable(function: str, f: Any) -> None:
    """Refuse what can't be called."""
    if not callable(f):
        raise ArgumentError(f"{function}: the function must be callable, got {describe(f)}")


def _named(error: ArrayTypeError, function: str, names: list[str]) -> ArrayTypeError:
    """Name the function and the argument in what `array_namespace` says of the n-th one."""
    text = f"{function}:{str(error).partition(':')[2]}"
    for i in range(len(names), 0, -1):
        text = text.replace(f"argument number {i} ", f"argument {names[i - 1]!r} ")
    return type(error)(text)


class Function:
    """A user's function of (n,) points and of arguments, its results checked, as constants."""

    def __init__(self, function: str, label: str, fun: Callable[..., Any]) -> None:
        self.function, self.label, self.fun = function, label, fun
        self.recorded = False  # whether somebody may ask for derivatives with respect to arguments
        self.count = 0  # of lanes, before any has ended

    def __call__(self, x: Any, args: tuple[Any, ...]) -> Any:
        return self._seen(self.plain(x, args))

    def plain(self, x: Any, args: tuple[Any, ...]) -> Any:
        """The function, as derivatives see it."""
        return self.checked(self._called(x, args), x)

    def several(self, x: Any, args: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """Return value and derivatives of a function that returns both."""
        return tuple(self._seen(out) for out in self.parts(x, args, n))

    def parts(self, x: Any, args: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """Return the same as `several`, as derivatives see it."""
        out = self._called(x, args)
        if not isinstance(out, tuple | list) or len(out) < n + 1:
            raise ArgumentError(
                f"{self.function}: {self.label} must return a tuple of its value and "
                f"{n} derivative{'s' * (n > 1)}, but returned {describe(out)}"
            )
        return tuple(self.checked(o, x) for o in out[: n + 1])

    def slopes(self, x: Any, args: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """The value and the first `n` derivatives, exact."""

        def of(v: Any) -> Any:
            return self.plain(v, args)

        def first(v: Any) -> Any:
            return jvp(of, (v,), (array_namespace(v).ones_like(v),))

        if n == 1:
            return tuple(self._seen(o) for o in first(x))
        (value, slope), (_, bend) = jvp(first, (x,), (array_namespace(x).ones_like(x),))
        return tuple(self._seen(o) for o in (value, slope, bend))

    def _called(self, x: Any, args: tuple[Any, ...]) -> Any:
        try:
            return self.fun(x, *args)
        except Exception as error:
            if x.shape[0] < self.count:
                error.add_note(
                    f"{self.function}: problems that have ended were dropped, and {self.label} was "
                    "called on the rest. What differs from problem to problem must reach it "
                    "through args."
                )
            raise

    def _seen(self, out: Any) -> Any:
        self.recorded = self.recorded or recorded(out)
        return stop_gradient(out)

    def checked(self, out: Any, x: Any) -> Any:
        """Return what the function returned, if it is of the library and dtype of `x`, and fits."""
        xp = array_namespace(x, out)
        wanted = tuple(x.shape)
        expected = f"{self.function}: {self.label} must return "
        expected += f"an array of {x.dtype}, shape {wanted}, as its argument is"
        if is_neutral(out) and hasattr(out, "dtype"):
            out = xp.asarray(out)
        if is_neutral(out) or not hasattr(out, "shape"):
            raise ArrayTypeError(f"{expected}, but returned {describe(out)}")
        if out.dtype != x.dtype:
            raise DtypeError(
                f"{expected}, but returned a {describe(out)}. Is there an array constant of "
                "another dtype in it? Python floats take the dtype of what they meet."
            )
        shape = tuple(out.shape)
        if shape not in (wanted, ()):
            raise ShapeError(
                f"{expected}, but returned shape {shape}. It is called on problems in one "
                "dimension, without those that have ended; what differs from problem to problem "
                "must reach it through args."
            )
        return out if shape else xp.broadcast_to(out, wanted)


def solve_lanes(
    fun: Function,
    lanes: Lanes,
    kernel: Callable[..., tuple[tuple[Any, ...], tuple[Any, ...]]],
    floats: int,
    integers: int,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """``kernel(points, args)``: so many floating results and int32 ones, (B,) each.

    By blocks where arrays come in blocks, compiled as a whole where the library compiles.
    """
    points = tuple(stop_gradient(x) for x in lanes.points)
    moving = {i: stop_gradient(a) for i, a in enumerate(lanes.args) if hasattr(a, "shape")}

    def whole(points: Any, moving: Any) -> Any:
        args = tuple(moving.get(i, a) for i, a in enumerate(lanes.args))
        fun.count = int(points[0].shape[0])
        with quiet(points[0]):  # untaken branches divide by zero
            return kernel(tuple(points), args)

    library = hooks_of(points[0])
    if library.compiles:  # for what the functions say, with what they close over apart
        made, consts = library.closed(whole, points, moving)
        fun.recorded = any(recorded(c) for c in consts)  # in the trace everything seemed to be
        return library.keyed(_run)(made, consts, points, moving)
    if not library.in_blocks:
        return whole(points, moving)
    xp = array_namespace(*points)

    def packed(_: Any, *blocks: Any) -> Any:
        flat = [b[:, 0] for b in blocks]
        ours, rest = flat[: len(points)], flat[len(points) :]
        found = whole(ours, dict(zip(moving, rest, strict=True)))
        ns = array_namespace(*flat)
        return ns.stack([ns.astype(a, flat[0].dtype) for part in found for a in part], axis=1)

    rows = points[0].shape[0]
    columns = [xp.broadcast_to(a, (rows,))[:, None] for a in (*points, *moving.values())]
    out = library.map_batches(packed, None, columns, floats + integers)
    return (
        tuple(out[:, i] for i in range(floats)),
        tuple(xp.astype(out[:, floats + i], xp.int32) for i in range(integers)),
    )


def _run(made: Any, consts: Any, points: Any, moving: Any) -> Any:
    return made(consts, points, moving)


def implicit(fun: Function, lanes: Lanes, x: Any, good: Any, residual: Callable[[Any], Any]) -> Any:
    """Solutions `x` of ``residual(x) = 0`` with their derivatives; none where they aren't good."""
    if not (fun.recorded or any(recorded(a) for a in lanes.args)):
        return x
    xp = array_namespace(x, good)
    safe = stop_gradient(xp.where(good, x, stop_gradient(lanes.points[0])))

    def guarded(v: Any) -> Any:
        return array_namespace(v).where(good, residual(v), v - safe)

    with quiet(x):
        found = refined_elementwise(safe, guarded)
    return xp.where(good & ~xp.isnan(found), found, x)


def filled(like: Any, value: int) -> Any:
    """Integers, one a lane."""
    xp = array_namespace(like)
    return xp.full(tuple(like.shape), value, dtype=xp.int32, device=device(like))
