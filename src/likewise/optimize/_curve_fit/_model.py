"""A model's residuals and derivatives, for many problems at once."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...errors import ShapeError
from ...linalg import solve_triangular
from ...solving._following import along, forward_several
from ...solving._function import Function, steps_from
from ...solving._kept import Kept
from ...solving._running import owned
from ...solving._stepping import whole
from ...transforms import vmap
from .._steps._loss import robust, scaled
from .._steps._marquardt import Problem
from .._steps._normal_equations import products

__all__ = [
    "Keeping",
    "Model",
    "Rows",
    "count_parameters",
    "plain_parameters",
    "refuse_parameters",
    "turned",
]

_HINT = (
    ". In a batch each parameter has shape (batch, 1): does f index or reduce it? If it can't "
    "broadcast, vectorized=False maps it. An array of its own for each problem belongs to xdata, "
    "not into f"
)


class Rows(NamedTuple):
    """Hold each problem's data as a row and its parameters as a column; None if there are none."""

    x: Any  # (B, ..., n), where the predictors differ between problems
    y: Any  # (B, n)
    weight: Any  # (B, n), of the residuals, 0 for points that are left out
    factor: Any  # (B, n, n), of the covariance of the data, lower triangular
    start: Any  # (p, B)
    low: Any  # (p, B)
    high: Any  # (p, B)
    height: Any  # (B,), the size of the weighted data: the unit of the residuals
    unit: Any  # (p, B), of the parameters
    mean: Any  # (p, B), of the prior
    precision: Any  # (p, B), 1 / its standard deviation; 0: flat
    origin: Any = None  # (p, B), of a fit that goes on, where it had started
    stalled: Any = None  # (B,), whether it had stalled

    def by_row(self) -> set[str]:
        """Name the fields whose first axis is the problems."""
        return {"x", "y", "weight", "factor"}


def turned(rows: Rows) -> Rows:
    """Make these rows from rows of parameters."""

    def turn(a: Any) -> Any:
        xp = array_namespace(a)
        if a.shape[0] == 1:  # in one call
            return xp.reshape(a, (a.shape[1], 1))
        return xp.stack([a[:, j] for j in range(a.shape[1])], axis=0)

    names = ("start", "low", "high", "unit", "mean", "precision", "origin")
    given = {name: getattr(rows, name) for name in names}
    return rows._replace(**{name: turn(a) for name, a in given.items() if a is not None})


class Model(NamedTuple):
    """Call the user's functions. Hashable, without arrays."""

    f: Callable[..., Any]
    n: int  # data of a problem
    jac: Any  # None, the name of a difference, or a callable
    single: bool  # one problem: called with parameters of shape ()
    vectorized: bool
    axis: int | None  # of the problems in x, None where all have the same
    fixed: tuple[int, ...]  # parameters that stay as they are
    loss: Callable[[Any], Any] | None
    f_scale: float
    in_one: bool = False  # derivatives in one pass; they are not differentiated then
    plain: bool = False  # sizes so ordinary that squares neither over- nor underflow
    kept: Any = None  # the columns of one problem by a recording, where one may serve
    lanes: Any = None  # the functions of a batch by recordings, where these may serve

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the functions' results on which a step depends."""
        jac = "given" if callable(self.jac) else self.jac
        return (self.n, jac, *self._replace(kept=None, lanes=None)[3:]), True

    def called_by(self) -> tuple[Any, ...]:
        """Return everything besides the user's functions that determines how they are called."""
        return self.n, self.single, self.vectorized, self.axis

    @whole
    def __call__(self, x: Any, *parts: Any) -> Any:
        """Values (B, n), of parameters (B, 1)."""
        if self.lanes is None or not hasattr(x, "dtype"):
            return self._values(x, *parts)
        run = self.lanes(self._values, (self.axis, *(0 for _ in parts)), self._of())
        return run(x, *parts)

    def _values(self, x: Any, *parts: Any) -> Any:
        return self._called("f", self.f, x, parts, ())

    def _of(self) -> tuple[Any, ...]:
        """Return all on which the functions of a batch depend besides arrays."""
        return (self.f, self.jac, *self.called_by(), self.fixed, self.in_one)

    def jacobian(self, x: Any, *parts: Any) -> Any:
        """Return the user's Jacobian, (B, n, p)."""
        return self._called("jac", self.jac, x, parts, (len(parts),))

    def predictors(self, x: Any, rows: Rows) -> Any:
        """Return xdata of the problems in these rows."""
        if rows.x is None:
            return x
        return array_namespace(rows.x).moveaxis(rows.x, 0, self.axis)

    def _called(self, name: str, fun: Any, x: Any, parts: Any, tail: tuple[int, ...]) -> Any:
        xp = array_namespace(*parts)
        count = parts[0].shape[0]
        # The complex step makes one of them complex.
        like = next((v for v in parts if xp.isdtype(v.dtype, "complex floating")), parts[0])
        spread = -1 if tail else 2  # values that broadcast are values
        user = Function("curve_fit", name, fun, hint="" if self.single else _HINT)

        def called(x: Any, *parts: Any) -> Any:
            return user.called(x, *map(owned, parts), own=0)

        if self.single:
            if self.axis is not None:
                x = xp.squeeze(x, axis=self.axis)
            out = called(x, *(xp.reshape(v, ()) for v in parts))
            out = user.checked(out, (self.n, *tail), like, spread)
            return xp.reshape(out, (1, *out.shape))
        if not self.vectorized:
            lanes = vmap(called, in_axes=(self.axis, *(0 for _ in parts)))
            out = lanes(x, *(xp.reshape(v, (count,)) for v in parts))
        else:
            out = called(x, *parts)
        return user.checked(out, (count, self.n, *tail), like, spread)

    @whole
    def values_and_columns(
        self, x: Any, values: Any, seeds: Any, bounds: tuple[Any, Any] | None, start: Any
    ) -> tuple[Any, list[Any]]:
        """Return values (B, n), and each free parameter's Jacobian column times its seed (or 1).

        Steps of finite differences are not negligible relative to the start of the parameters.
        """
        low, high = (None, None) if bounds is None or self.jac is None else bounds
        given = (x, values, seeds, low, high, None if self.jac is None else start)
        if self.lanes is None or not hasattr(x, "dtype"):
            return self._both(*given)
        axes = (self.axis, *(1 for _ in given[1:]))
        found: tuple[Any, list[Any]] = self.lanes(self._both, axes, self._of())(*given)
        return found

    def _both(
        self, x: Any, values: Any, seeds: Any, low: Any, high: Any, start: Any
    ) -> tuple[Any, list[Any]]:
        p = values.shape[0]
        bounds = None if low is None else (low, high)
        parts = [values[j, :, None] for j in range(p)]
        free = [j for j in range(p) if j not in self.fixed]
        if callable(self.jac):
            value = self(x, *parts)
            out = self.jacobian(x, *parts)
            if seeds is None:
                return value, [out[:, :, j] for j in free]
            return value, [out[:, :, j] * seeds[j, :, None] for j in free]

        if not free:
            return self(x, *parts), []

        def moved(x: Any, *some: Any) -> Any:
            still, changing = some[: len(self.fixed)], some[len(self.fixed) :]
            every = dict(zip([*self.fixed, *free], [*still, *changing], strict=True))
            return self(x, *(every[j] for j in range(p)))

        changing = [parts[j] for j in free]
        moves = None if seeds is None else [seeds[j, :, None] for j in free]
        if self.kept is not None and not self.fixed and hasattr(x, "dtype"):
            found = self.kept(_columns(p, seeds is None), moved)(x, *(moves or ()), *parts)
            if found is not None:
                return self(x, *parts), found
        return along(
            moved,
            (x, *(parts[j] for j in self.fixed)),
            changing,
            self.jac,
            moves,
            bounds and [(bounds[0][j, :, None], bounds[1][j, :, None]) for j in free],
            self.in_one,
            None
            if self.jac is None
            else [steps_from(self.jac, parts[j], start[j, :, None]) for j in free],
        )

    def values(self, x: Any, rows: Rows, values: Any) -> Any:
        """Return residuals (B, n), in units of the problem."""
        parts = [values[j, :, None] for j in range(values.shape[0])]
        return self._weighted(rows, values, self(x, *parts), None)[0]

    def weighted(self, x: Any, rows: Rows, values: Any) -> tuple[Any, list[Any]]:
        """Return residuals (B, n) and columns of the free parameters, in the problem's units."""
        seeds = None if rows.unit is None else rows.unit / rows.height
        bounds = None if rows.low is None else (rows.low, rows.high)
        found = self.values_and_columns(x, values, seeds, bounds, rows.start)
        return self._weighted(rows, values, *found)

    def _weighted(
        self, rows: Rows, values: Any, value: Any, columns: list[Any] | None
    ) -> tuple[Any, list[Any]]:
        xp = array_namespace(values)
        r = value - rows.y
        if rows.height is not None:
            r = r / rows.height[:, None]
        alone = columns is None
        columns = columns or []
        if rows.weight is not None:
            out = rows.weight == 0  # what is left out may be anything
            r = xp.where(out, xp.zeros_like(r), r * rows.weight)
            columns = [xp.where(out, xp.zeros_like(r), c * rows.weight) for c in columns]
        if rows.factor is not None:
            every = xp.stack([r, *(xp.broadcast_to(c, r.shape) for c in columns)], axis=-1)
            every = solve_triangular(rows.factor, every, lower=True)
            r, *columns = (every[:, :, j] for j in range(len(columns) + 1))
        if rows.precision is not None:  # one more residual for each parameter
            sharp = rows.precision
            sharp = sharp if rows.height is None else sharp / rows.height
            r = xp.concat([r, xp.matrix_transpose((values - rows.mean) * sharp)], axis=1)
            weight = xp.matrix_transpose(sharp if rows.unit is None else sharp * rows.unit)
            eye = xp.eye(values.shape[0], dtype=values.dtype, device=device(values))
            free = [j for j in range(values.shape[0]) if j not in self.fixed]
            columns = [
                xp.concat([xp.broadcast_to(c, rows.y.shape), eye[j, :] * weight], axis=1)
                for j, c in zip([] if alone else free, columns, strict=True)
            ]
        return r, columns

    def every(self, columns: list[Any], r: Any) -> list[Any]:
        """Return the columns of all parameters, 0 for fixed ones."""
        if not self.fixed:
            return columns
        free, zero = iter(columns), array_namespace(r).zeros_like(r)
        count = len(columns) + len(self.fixed)
        return [zero if j in self.fixed else next(free) for j in range(count)]

    def reweighted(self, rows: Rows, r: Any, columns: list[Any]) -> tuple[Any, list[Any], Any]:
        """Return a least-squares problem that replaces the one with a loss, and twice the cost.

        Residuals are weighted by the slope of the loss (P. J. Huber, E. M. Ronchetti, Robust
        Statistics, 2nd ed., 2009, section 7.8): the gradient is right, and steps descend.
        """
        if self.loss is None:
            return r, columns, array_namespace(r).vecdot(r, r)
        xp = array_namespace(r)
        share, slope, _ = scaled(self.loss, r[:, : self.n], self._bend(rows))
        slope = xp.sqrt(slope)
        if rows.precision is not None:  # priors stay as they are
            rest = r[:, self.n :]
            share = xp.concat([share, rest * rest], axis=1)
            slope = xp.concat([slope, xp.ones_like(rest)], axis=1)
        return r * slope, [c * slope for c in columns], xp.sum(share, axis=1)

    def _bend(self, rows: Rows) -> Any:
        """Return where the loss bends, in units of the problem."""
        return self.f_scale if rows.height is None else self.f_scale / rows.height[:, None]

    def curved(self, rows: Rows, r: Any, columns: list[Any]) -> list[Any]:
        """Return columns whose normal matrix is the curvature with the loss function."""
        if self.loss is None:
            return columns
        xp = array_namespace(r)
        factor = robust(self.loss, r[:, : self.n], self._bend(rows))[2]
        if rows.precision is not None:
            factor = xp.concat([factor, xp.ones_like(r[:, self.n :])], axis=1)
        return [c * factor for c in columns]

    def normal(self, x: Any, rows: Rows, values: Any) -> tuple[Any, Any, Any]:
        """Return half the sum of squares, gradient and normal matrix, in the problem's units."""
        xp = array_namespace(values)
        bare = rows._replace(height=None, unit=None) if self.plain else rows
        r, columns, twice = self.reweighted(bare, *self.weighted(x, bare, values))
        columns = [
            c if c.shape == r.shape else xp.broadcast_to(c, r.shape) for c in self.every(columns, r)
        ]
        gradient, normal = products(columns, r)
        if self.plain:
            seeds, less = rows.unit / rows.height, 1 / rows.height
            twice, gradient = twice * less * less, gradient * seeds * less
            normal = normal * seeds[:, None, :] * seeds
        return 0.5 * twice, gradient, normal

    def problem(self, x: Any, rows: Rows) -> Problem:
        """Return the functions and units that the steps need."""
        xp = array_namespace(rows.y)

        def columns(values: Any) -> tuple[Any, list[Any], Any]:
            r, some = self.weighted(x, rows, values)
            return r, self.every(some, r), lambda r, c: self.reweighted(rows, r, c)

        def residuals(values: Any) -> tuple[Any, Any]:
            r = self.values(x, rows, values)
            return r, 0.5 * self.reweighted(rows, r, [])[2]

        # The height is the size of the weighted data.
        rounding = xp.full_like(rows.height, float(xp.finfo(rows.y.dtype).eps))
        return Problem(
            lambda values: self.normal(x, rows, values),
            rows.unit,
            rows.low,
            rows.high,
            rounding,
            columns,
            residuals,
        )


@functools.cache
def _columns(p: int, alone: bool) -> Callable[..., Any]:
    """Return what makes of a model of x and `p` parameters its columns, of seeds before those."""

    def derive(f: Callable[..., Any]) -> Callable[..., Any]:
        def columns(x: Any, *rest: Any) -> list[Any]:
            seeds = None if alone else rest[:p]
            return forward_several(f, (x,), rest[-p:], seeds)[1]

        return columns

    return derive


class Keeping:
    """Cache a model's columns while one problem is fitted."""

    def __init__(self) -> None:
        self.found: dict[Any, Kept] = {}

    def __call__(self, derive: Callable[..., Any], f: Callable[..., Any]) -> Kept:
        if derive not in self.found:
            self.found[derive] = Kept(derive, f)
        return self.found[derive]


def count_parameters(f: Any) -> int:
    """Return how many parameters a model takes besides xdata."""
    try:
        kinds = [q.kind for q in inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):  # a builtin without a signature
        kinds = []
    usual = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if inspect.Parameter.VAR_POSITIONAL in kinds or len(kinds) < 2:
        return 0
    return sum(kind in usual for kind in kinds) - 1


def plain_parameters(f: Any) -> int:
    """Return how many parameters a plain function takes besides xdata; 0 for other objects."""
    code = getattr(f, "__code__", None)
    if code is None or f.__defaults__ or code.co_flags & 0x0C or code.co_kwonlyargcount:
        return 0
    return int(code.co_argcount) - 1 - hasattr(f, "__self__")


def refuse_parameters(f: Any, xdata: Any, p: int) -> None:
    """Raise an error if a model doesn't take xdata and `p` parameters."""
    if plain_parameters(f) == p > 0:  # as `inspect` says, in a hundredth of the time
        return
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # a builtin without one
        return
    try:
        signature.bind(xdata, *[0.0] * p)
    except TypeError:
        raise ShapeError(
            f"curve_fit: p0 has {p} values, but f{signature} doesn't take xdata and as many "
            "parameters"
        ) from None
