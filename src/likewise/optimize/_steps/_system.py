"""A user's function of one or many problems as a function of rows: (B, p) -> (B, n).

`least_squares` and `root` share this code: checks of the function, its derivative and its results,
and Jacobians by the library's transforms or by finite differences.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, describe, device, is_concrete, is_neutral
from ...errors import ArgumentError, ArrayTypeError, ShapeError
from ...solving._blocks import sides
from ...solving._few import Views
from ...solving._following import columns, constants, is_open
from ...solving._function import DIFFERENCES, Function, arguments, of_rows, steps_from
from ...solving._kept import Kept, Said, kept
from ...solving._lanes import OverLanes
from ...solving._quick import quick
from ...solving._spelled import spelled
from ...solving._stepping import Whole
from ...sparse.linalg._interface import LinearOperator, aslinearoperator, is_operator, rows_of
from ...transforms import jacobian, jvp, stop_gradient, vjp, vmap

__all__ = [
    "NoMatrixError",
    "System",
    "bounds_of",
    "first_offender",
    "make_system",
    "start_of",
    "stopped",
]

_COLUMNS = 16  # unknowns, up to which columns one by one are quicker than a map of directions


class NoMatrixError(ArrayTypeError):
    """A Jacobian is an operator where a matrix is needed."""


class System(NamedTuple):
    """Compute residuals and their derivatives, for all problems at once."""

    residuals: Callable[[Any], Any]  # (B, p) -> (B, n)
    jacobian: Callable[[Any], Any]  # (B, p) -> (B, n, p)
    forward: Callable[[Any, Any], Any]  # x, v (B, p) -> J v (B, n)
    pullback: Callable[[Any], Callable[[Any], Any]]  # x -> (u (B, n) -> J^T u (B, p))
    exact: bool  # whether derivatives are by transforms of the function
    within: Callable[[Any], "System"]  # bounds (B, p) or None -> the same, differences inside
    # Of one problem without differences, if the functions take one, for x like this: x (p,) ->
    # (n,), and x -> (n, p).
    one: Callable[[Any], tuple[Callable[[Any], Any], Callable[[Any], Any]]] | None = None
    # x (B, p) -> `fun` and `jac` (or None) as they are called, each with its arguments.
    of_user: Callable[[Any], list[Any]] | None = None
    said: Callable[[], Hashable] = lambda: None  # equal for systems with equal traces, or None
    # Of a batch: all on which the functions depend, and whether they need all problems.
    lanes: tuple[Any, bool] | None = None

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return what a step depends on."""
        return (self.residuals, self.jacobian, self.forward, self.pullback, self.exact), False

    def seen(self, views: Views) -> "System":
        """Return the same functions of one problem for NumPy's views."""
        of_one = self.one
        if of_one is None or views.direct:
            return self

        def one(x: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
            fun, slope = of_one(views.enter(x))
            return views.through(fun), views.through(slope)

        return self._replace(one=one)

    def alone(self, x: Any) -> bool:
        """Tell if this is one problem of float64 without differences, outside of transforms."""
        known = self.one is not None and x.shape[0] == 1
        return known and x.dtype == array_namespace(x).float64 and not is_open()


def start_of(function: str, x0: Any) -> tuple[Any, Any, tuple[int, ...] | None]:
    """Return the start as (B, p), its namespace, and the batch's shape, None for one problem."""
    xp = array_namespace(x0)
    (x,) = _plan.common_floating(function, xp, ("x0",), x0, real=True)
    xp = array_namespace(x)
    if x.ndim == 0:
        x = xp.reshape(x, (1,))
    if x.shape[-1] == 0:
        raise ShapeError(f"{function}: x0 must hold at least one unknown, but has {tuple(x.shape)}")
    batch = None if x.ndim == 1 else tuple(x.shape[:-1])
    x = stop_gradient(xp.reshape(x, (math.prod(batch or ()), x.shape[-1])))
    (x,) = constants([x])  # inside of a transform, what `fun` closes over may be the transform's
    return array_namespace(x), x, batch


def first_offender(
    function: str, bad: Any, batch: tuple[int, ...] | None, text: str, *values: Any
) -> None:
    """Raise for the first problem of `bad`, (B, p) of bool, if values are available.

    Its elements of `values`, (B, p), are inserted in the braces of the text.
    """
    if not is_concrete(bad):
        return
    xp = array_namespace(bad)
    rows = xp.any(bad, axis=1)
    if not bool(xp.any(rows)):
        return
    row = int(xp.argmax(xp.astype(rows, xp.int32)))
    unknown = int(xp.argmax(xp.astype(bad[row, :], xp.int32)))
    where = f"unknown {unknown}"
    if batch is not None:
        index, place = row, []
        for n in reversed(batch):
            place.append(index % n)
            index //= n
        where = f"problem {place[::-1] if len(place) > 1 else place[0]}, {where}"
    found = text.format(*(float(v[row, unknown]) for v in values))
    raise ArgumentError(f"{function}: {found} (first in {where})")


def bounds_of(
    function: str, bounds: Any, x: Any, batch: tuple[int, ...] | None
) -> tuple[Any, Any] | None:
    """Return lower and upper bounds as (B, p), or None if there are none."""
    if bounds is None:
        return None
    bounds = sides(bounds)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ArgumentError(
            f"{function}: bounds must be a pair (lower, upper), got {describe(bounds)}"
        )
    if all(isinstance(b, int | float) for b in bounds) and tuple(bounds) == (-math.inf, math.inf):
        return None
    bounds = beside(x, *bounds)
    array_namespace(x, *(b for b in bounds if hasattr(b, "shape")))  # refuses those of another
    xp = array_namespace(x)
    made = []
    for name, b in zip(("bounds[0]", "bounds[1]"), bounds, strict=True):
        if not is_neutral(b) and not hasattr(b, "shape"):
            raise ArgumentError(
                f"{function}: {name} must be numbers or an array, got {describe(b)}"
            )
        if is_neutral(b):  # at the precision of x0, whatever the library's default
            b = _plan.from_lists(function, name, xp, b, dtype=x.dtype, device=device(x))
        _, b = _plan.common_floating(function, xp, ("x0", name), x, b, real=True)
        b = xp.astype(b, x.dtype, copy=False)
        shape = (*(batch or ()), x.shape[1])
        if b.ndim and b.shape[-1] != shape[-1]:
            raise ShapeError(
                f"{function}: {name} must hold a number for each of {shape[-1]} unknowns, got "
                f"shape {tuple(b.shape)}"
            )
        if _plan.broadcast(function, **{"x0": shape, name: tuple(b.shape)}) != shape:
            raise ShapeError(
                f"{function}: {name} must broadcast to the shape of x0, {shape}, got "
                f"{tuple(b.shape)}"
            )
        made.append(xp.reshape(xp.broadcast_to(b, shape), tuple(x.shape)))
    lower, upper = made
    first_offender(
        function, ~(lower < upper), batch,
        "each lower bound must be below its upper bound, got {:g} and {:g}", lower, upper,
    )  # fmt: skip
    return lower, upper


class _Key:
    """Return the key of what users' functions depend on, which is found out once; see `spelled`."""

    __slots__ = ("found", "of")

    def __init__(self, of: Any) -> None:
        self.of = of

    def __call__(self) -> Hashable:
        if not hasattr(self, "found"):
            self.found = spelled(self.of)
        return self.found


class _Called(NamedTuple):
    """Call the user's functions of one problem for all problems."""

    user: Function
    slope: Function  # of the Jacobian; `user` where that returns both
    args: tuple[Any, ...]
    both: bool
    alone: bool
    rows: bool  # whether they take all problems at once
    fits: Callable[[int, int], None] | None
    kept: list[Kept]  # the Jacobian of one problem
    last: list[Any]  # the last point with values, and the products with the Jacobian there

    def of_one(self, v: Any) -> Any:
        out = self.user.called(v, *self.args)
        out = self.user.checked(out[0] if self.both else out, (*v.shape[:-1], None), v)
        if self.fits is not None:
            self.fits(int(out.shape[-1]), int(v.shape[-1]))
        return out

    def direct(self, x: Any) -> Callable[[Any], Any]:
        """Return `of_one` for arrays like one, with minimal overhead."""
        plain, fits = self.user.direct(x, self.args, (None,)), self.fits
        if self.both:
            return self.of_one
        if fits is None:
            return plain

        found: list[Any] = [None]  # the shape that was seen to fit

        def value(v: Any) -> Any:
            out = plain(v)
            if out.shape != found[0]:
                fits(out.shape[0], v.shape[0])
                found[0] = out.shape
            return out

        return value

    def lean(self, v: Any) -> Any:
        """Return the same for differentiation, without the checks of `of_one`."""
        if self.user.writes:
            out = self.user.called(v, *self.args, own=0)
        else:
            out = self.user.fun(v, *self.args, **self.user.kwargs)
        plain = type(out) is type(v) and out.ndim == 1
        return out if plain else self.user.checked(out, (None,), v)

    def slope_of_one(self, v: Any) -> Any:
        out = self.slope.called(v, *self.args)
        return _matrix(self.slope, out[1] if self.both else out, v, self.rows)

    def residuals(self, v: Any) -> Any:
        return of_rows(self.of_one, (v,), alone=self.alone, joint=self.rows)

    def given(self, v: Any) -> Any:
        return of_rows(self.slope_of_one, (v,), alone=self.alone, joint=self.rows)

    def operator(self, v: Any) -> LinearOperator:
        """Return what the user's `jac` returned, a matrix or an operator, as an operator."""
        out = self.slope.called(v, *self.args)
        out = out[1] if self.both else out
        if not is_operator(out):
            out = _matrix(self.slope, out, v, self.rows)
        made = aslinearoperator(out)
        self.fitting(made, v, "n")
        return made

    def fitting(self, op: LinearOperator, v: Any, n: Any) -> None:
        """Refuse an operator that isn't of `n` residuals; 'n' stands for any number."""
        p, rows = int(v.shape[-1]), n in ("n", op.shape[-2])
        if not rows or op.shape[-1] != p or op.shape[:-2] != tuple(v.shape[:-1]):
            lead = "".join(f"{k}, " for k in v.shape[:-1])
            raise ShapeError(
                f"{self.slope.function}: jac must return an operator of shape ({lead}{n}, {p}), "
                f"got {op.shape}"
            )

    def products(self, v: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """Return products with the Jacobians at `v`, (B, p), and with their transposes."""
        if not (self.alone or self.rows):  # an operator of each row, as the map sees it
            return (
                lambda u: vmap(lambda x, w: self._of(x, w, False))(v, u),
                lambda u: vmap(lambda x, w: self._of(x, w, True))(v, u),
            )
        known = is_concrete(v) and not is_open()
        if known and self.last and self.last[0] is v:
            return self.last[1]
        x = v[0, :] if self.alone else v
        op = self.operator(x)
        forward, apply = rows_of(op)

        def backward(u: Any) -> Any:
            self.fitting(op, x, u.shape[-1])
            return apply(u)

        def checked(apply: Callable[[Any], Any]) -> Callable[[Any], Any]:
            return lambda u: self.slope.checked(apply(u), (u.shape[0], None), u)

        found = checked(forward), checked(backward)
        if known:
            self.last[:] = [v, found]
        return found

    def _of(self, x: Any, w: Any, turned: bool) -> Any:
        op = self.operator(x)
        if turned:
            self.fitting(op, x, w.shape[-1])
        return self.slope.checked(op._rapply(w) if turned else op._apply(w), (None,), w)

    def transformed(self, v: Any) -> Any:
        if self.alone:
            x = v[0, :]
            out = self.kept[0](x)
            return (jacobian(self.of_one)(x) if out is None else out)[None, ...]
        if self.rows or v.shape[1] <= _COLUMNS:
            return array_namespace(v).matrix_transpose(columns(self.residuals, v))
        return vmap(jacobian(self.of_one))(v)


def make_system(
    function: str,
    fun: Any,
    jac: Any,
    args: Any,
    kwargs: Mapping[str, Any] | None,
    x: Any,
    batch: tuple[int, ...] | None,
    vectorized: bool,
    diff_step: Any = None,
    fits: Callable[[int, int], None] | None = None,
    products: bool = False,
) -> System:
    """Return the system of ``fun(x, *args, **kwargs)``.

    ``fits(n, p)`` raises where the function's n values of p unknowns are too few or too many. If
    `jac` is True, `fun` returns the values with the Jacobian. With `products`, `jac` may return an
    operator, as only products with it are used.
    """
    both = jac is True
    if not (jac is None or both or callable(jac)):
        _plan.choice(function, "jac", jac, DIFFERENCES)
    user = Function(function, "fun", fun, kwargs, lending=True)
    slope = user
    if callable(jac):
        slope = Function(function, "jac", jac, kwargs, lending=True)
    alone, rows = batch is None, vectorized and batch is not None
    args = arguments(args)
    of = user.fun, args, tuple(user.kwargs.items())
    rule = fits.args[0] if isinstance(fits, partial) else None  # of which `fits` checks
    lanes = None if alone else ((of, jac, diff_step, function, getattr(rule, "name", rule)), rows)
    called = _Called(user, slope, args, both, alone, rows, fits, [], [])
    called.kept.append(Kept(jacobian, called.of_one, of))
    steps = _steps(function, diff_step, x)
    # Of the problem that starts nearest to 0: which those are that go on isn't known here.
    least = array_namespace(x).abs(x)
    least = array_namespace(x).min(least, axis=0) if least.shape[0] else least

    known, said = _Key(of), _Key((*of, jac, alone, rows))

    def of_user(x: Any) -> list[Any]:
        # Of the first problem, or of zeros where there is none.
        point = (x if rows else array_namespace(x).sum(x[:1, :], axis=0),)
        return [(called.of_one, point), None if jac is None else (called.slope_of_one, point)]

    def within(bounds: Any) -> System:
        if isinstance(jac, str):

            def differences(v: Any) -> Any:
                xp, given = array_namespace(v), steps
                if given is None:
                    given = xp.matrix_transpose(steps_from(jac, v, least))[..., None]
                return xp.matrix_transpose(columns(called.residuals, v, jac, bounds, given))

            return _of(called.residuals, differences, False, within, lanes=lanes)
        exact = jac is None
        own = called.transformed if exact else called.given

        def one(x: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
            key = known()
            value = called.direct(x) if both else quick(called.direct(x), called.of_one, x, key)
            if not exact:
                return value, called.slope_of_one
            return value, kept(jacobian, called.lean, x, of=Said(key))

        single = one if not rows and x.shape[0] else None
        end = None if both else of_user
        made = _of(called.residuals, own, exact, within, single, end, lanes)._replace(said=said)
        if exact or not products:
            return made
        return made._replace(
            forward=lambda v, direction: called.products(v)[0](direction),
            pullback=lambda v: called.products(v)[1],
            of_user=None,  # operators are no results of a trace
        )

    return within(None)


def _matrix(slope: Function, out: Any, v: Any, rows: bool) -> Any:
    """The Jacobian (n, p) that a user's function returned, of many problems if `v` is `rows`."""
    p = v.shape[-1]
    if is_operator(out):
        raise NoMatrixError(
            f"{slope.function}: jac returned an operator, but this method needs the matrix: return "
            "an array; least_squares takes operators with method='trf', without constraints"
        )
    if hasattr(out, "toarray"):  # SciPy's sparse matrices
        out = out.toarray()
    if getattr(out, "ndim", 2) < 2 and not rows:
        out = array_namespace(v).reshape(out, (-1, p))
    return slope.checked(out, (*v.shape[:-1], None, p), v)


def _steps(function: str, diff_step: Any, x: Any) -> Any:
    """The relative steps of differences: None, a number, or an array (p,)."""
    if diff_step is None or isinstance(diff_step, int | float):
        return diff_step
    xp = array_namespace(x)
    if is_neutral(diff_step):
        diff_step = _plan.from_lists(
            function, "diff_step", xp, diff_step, dtype=x.dtype, device=device(x)
        )
    if tuple(diff_step.shape) not in ((), (1,), (x.shape[1],)):
        raise ShapeError(
            f"{function}: diff_step must be a number or of shape ({x.shape[1]},), got "
            f"{tuple(diff_step.shape)}"
        )
    return xp.broadcast_to(diff_step, (x.shape[1],))


def _of(
    residuals: Callable[[Any], Any],
    own: Callable[[Any], Any],
    exact: bool,
    within: Callable[[Any], System],
    one: Any = None,
    of_user: Any = None,
    lanes: tuple[Any, bool] | None = None,
) -> System:
    """Return the functions, with products by the Jacobian."""

    def forward(v: Any, direction: Any) -> Any:
        if exact:
            return jvp(residuals, (v,), (direction,))[1]
        xp = array_namespace(v)
        return xp.matmul(own(v), direction[:, :, None])[..., 0]

    def pullback(v: Any) -> Callable[[Any], Any]:
        if exact:
            pull = vjp(residuals, v)[1]
            return lambda u: pull(u)[0]
        xp, matrix = array_namespace(v), own(v)
        return lambda u: xp.matmul(u[:, None, :], matrix)[:, 0, :]

    made = System(residuals, own, forward, pullback, exact, within, one, of_user)
    return made._replace(lanes=lanes)


def stopped(system: System) -> System:
    """Return the same system as constants for derivatives, for the iterations."""

    def pullback(v: Any) -> Callable[[Any], Any]:
        pull = system.pullback(v)
        return lambda u: stop_gradient(pull(u))

    def within(bounds: Any) -> System:
        # Differences alone are within bounds; the same functions are one for recordings of steps.
        return made if bounds is None or system.exact else stopped(system.within(bounds))

    def whole(fun: Callable[..., Any], count: int = 1) -> Whole:
        if system.lanes is None:
            return Whole(fun, system.said)
        of, joint = system.lanes
        return Whole(OverLanes(fun, (0,) * count, of, joint))

    made = System(
        whole(lambda v: stop_gradient(system.residuals(v))),
        whole(lambda v: stop_gradient(system.jacobian(v))),
        whole(lambda v, direction: stop_gradient(system.forward(v, direction)), 2),
        Whole(pullback),
        system.exact,
        within,
        system.one,
        system.of_user,
        system.said,
        system.lanes,
    )
    return made
