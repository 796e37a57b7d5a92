"""The form in which solvers use constraints: all rows stacked, ``low <= c(x) <= high``.

An equality is a row with ``low == high``. Values of linear rows come from matrices; those of the
others from the user's functions, with exact derivatives by default. What differs between problems,
matrices and sides, are arrays with a row for each problem, which a solver passes along.
"""

import copy
import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, ShapeError
from ...solving._few import Views
from ...solving._following import constants, flatten, valued_columns
from ...solving._function import DIFFERENCES, Function, above_one, dense, of_rows
from ...solving._kept import Kept, Said, kept
from ...solving._lanes import Laned
from ...solving._quick import quick
from ...solving._running import owned
from ...solving._spelled import spelled
from ...solving._stepping import whole
from ...transforms import grad, jacfwd, jvp, stop_gradient, vjp
from ._stated import Stated

__all__ = ["Constraints", "Planned", "over_batch", "planned", "rebuilt", "violation"]


def over_batch(
    fun: Callable[..., Any], arrays: Sequence[Any], batch: tuple[int, ...] | None, joint: bool
) -> Any:
    """Return the results of a function for rows (B, ...), as arrays (B, ...).

    It takes one row or, if `joint`, the whole `batch`, which is None for one problem.
    """
    if not joint:
        return of_rows(fun, arrays, alone=batch is None)
    count, lead = int(arrays[0].shape[0]), tuple(batch or ())
    xp = array_namespace(*arrays)
    out = of_rows(fun, [xp.reshape(a, (*lead, *a.shape[1:])) for a in arrays], joint=True)

    def flat(a: Any) -> Any:
        return array_namespace(a).reshape(a, (count, *a.shape[len(lead) :]))

    return tuple(flat(a) for a in out) if isinstance(out, tuple) else flat(out)


def violation(values: Any, low: Any, high: Any) -> Any:
    """Return by how much each problem (B, m) breaks the constraints at most, at least 0, (B,)."""
    xp = array_namespace(values)
    out = xp.maximum(low - values, values - high)
    if int(out.shape[1]) == 0:
        return xp.sum(out, axis=1)
    return xp.max(xp.maximum(out, xp.zeros_like(out)), axis=1)


class _Piece:
    """One constraint: rows of a matrix, or a function of the user with its derivatives."""

    def __init__(self, function: str, c: Stated, size: int, flat: bool) -> None:
        self.linear, self.size, self.flat = c.matrix is not None, size, flat
        self.args, self.jac, self.diff_step = c.args, c.jac, c.diff_step
        holds = c.keep.tolist() if hasattr(c.keep, "tolist") else c.keep
        holds = list(holds) if isinstance(holds, list | tuple) else [holds]
        # Which rows must hold wherever the objective is computed.
        self.kept = tuple(map(bool, holds)) * (1 if len(holds) == size else size)
        self.lean = not self.linear  # whether its functions take one problem's arrays as they are
        if not self.linear:
            self.fun = Function(function, f"fun of {c.name}", c.fun, lending=True)
        self.slope = self.hess = None
        if callable(c.jac):
            self.slope = Function(function, f"jac of {c.name}", c.jac, lending=True)
        if callable(c.hess):
            self.hess = Function(function, f"hess of {c.name}", c.hess, lending=True)

    def value(self, x: Any) -> Any:
        """Return values (..., size) at x (..., p)."""
        lead = tuple(x.shape[:-1])
        out = self.fun(x, *_known(self.args), wanted=lead if self.flat else (*lead, self.size))
        out = owned(out)  # that may be a buffer of the user's, for all calls
        return out[..., None] if self.flat else out

    def jacobian(self, x: Any) -> Any:
        """Return the user's derivatives (..., size, p)."""
        assert self.slope is not None
        lead, p = tuple(x.shape[:-1]), int(x.shape[-1])
        out = dense(self.slope.called(x, *_known(self.args), own=1), x)
        if hasattr(out, "dtype") and out.dtype != x.dtype:  # of whole numbers, often
            xp = array_namespace(out)
            out = xp.astype(out, x.dtype) if xp.isdtype(out.dtype, "integral") else out
        if self.size == 1 and _dimensions(out) <= len(lead) + 1:
            return self.slope.checked(out, (*lead, p), x)[..., None, :]
        return self.slope.checked(out, (*lead, self.size, p), x)

    def of_one(self, x0: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """Return the functions of x (p,), like x0, of one problem: values and derivatives."""
        value, slope = _together([self], x0)
        return value, slope if self.slope is None else self.jacobian

    def seen(self, views: Views) -> "_Piece":
        """Return the same constraint, whose functions of one problem take NumPy's views."""
        other = copy.copy(self)

        def viewed(x0: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
            value, slope = self.of_one(views.enter(x0))
            return views.through(value), views.through(slope)

        other.of_one, other.lean = viewed, False  # type: ignore[method-assign]
        return other

    def curvature(self, x: Any, y: Any) -> Any:
        """Return the user's second derivatives, (..., p, p), weighted by y (..., size)."""
        assert self.hess is not None
        lead, p = tuple(x.shape[:-1]), int(x.shape[-1])
        out = self.hess.called(x, y, *_known(self.args), own=2)
        return self.hess.checked(out, (*lead, p, p), x)


def _dimensions(x: Any) -> int:
    if hasattr(x, "shape"):
        return len(x.shape)
    return 1 + _dimensions(x[0]) if isinstance(x, list | tuple) and x else 0


def _known(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments as arrays that those of an open transform can meet on any side."""
    if not args:
        return args
    leaves, structure = flatten(args)
    known: tuple[Any, ...] = structure.unflatten(constants(leaves))
    return known


class _Alone(NamedTuple):
    """Hold derivatives of one problem's rows that aren't linear, each None if it isn't recorded."""

    slopes: Kept  # of x (p,): (m, p)
    weighted: Kept  # of y (m,) and x: (p,)
    product: Kept  # of v (p,), y and x: the second derivatives, weighted, times v


def _sloped(value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the gradient of ``value(y, x)`` by x."""
    return lambda y, x: grad(lambda x: value(y, x))(x)


def _bent(value: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """Return the derivative along v of the gradient of ``value(v, y, x)`` by x."""
    return lambda v, y, x: jvp(grad(lambda x: value(v, y, x)), (x,), (v,))[1]


class Constraints:
    """Compute all constraints at `x` (B, p), one row per problem; results are constants.

    `count` rows; `kinds` says of each "eq", "ineq", or "any" where problems differ or values are
    not at hand; `linear` which are rows of matrices. `matrix` is (B, k, p), or (1, k, p) for all.
    """

    def __init__(
        self,
        pieces: Sequence[_Piece],
        kinds: tuple[str, ...],
        batch: tuple[int, ...] | None,
        joint: bool,
    ) -> None:
        self.pieces, self.kinds = tuple(pieces), kinds
        self.batch, self.joint = batch, joint
        self.count = sum(piece.size for piece in pieces)
        self.linear = tuple(piece.linear for piece in pieces for _ in range(piece.size))
        self.kept = tuple(holds for piece in pieces for holds in piece.kept)
        self.curved = tuple(piece for piece in pieces if not piece.linear)
        # For a batch, what solvers call is recorded once and replayed for any number of problems.
        self.lanes = None if batch is None else Laned()
        # For one problem, derivatives are recorded and replayed.
        self.single = None if batch is not None or any(p.jac for p in self.curved) else self._kept()

    def _kept(self) -> "_Alone":
        """Return the derivatives of one problem's rows that aren't linear."""
        pieces, rest = self.curved, [p for p in self.curved if p.hess is None]

        def values(x: Any) -> Any:
            return _values_of(pieces, x)

        def weighted(y: Any, x: Any) -> Any:
            return array_namespace(x).sum(y * _values_of(pieces, x))

        def curved(v: Any, y: Any, x: Any) -> Any:
            return array_namespace(x).sum(y * _values_of(rest, x))

        def of(some: Sequence[_Piece]) -> tuple[Any, ...]:
            return tuple((p.fun.fun, p.args, p.size) for p in some)

        return _Alone(
            Kept(jacfwd, values, of(pieces)),
            Kept(_sloped, weighted, of(pieces)),
            Kept(_bent, curved, of(rest)),
        )

    @property
    def exact(self) -> bool:
        """Tell if some derivatives are to be had from the library."""
        return any(piece.jac is None for piece in self.curved)

    @property
    def differs(self) -> bool:
        """Tell if some derivatives are finite differences."""
        return any(piece.jac in DIFFERENCES for piece in self.curved)

    @property
    def forward(self) -> bool:
        """Tell if those are forward differences."""
        return all(p.jac == "2-point" for p in self.curved if p.jac in DIFFERENCES)

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the functions' results on which a step depends."""
        return (self.settings, self.batch, self.joint), True

    @property
    def settings(self) -> tuple[Any, ...]:
        """Return all that is known of the rows besides their functions."""
        return self.kinds, tuple(
            (
                piece.linear,
                piece.size,
                piece.flat,
                "given" if callable(piece.jac) else piece.jac,
                piece.hess is not None,
                piece.kept,
            )
            for piece in self.pieces
        )

    def spelled(self) -> Hashable:
        """Return a key that is equal for constraints with equal traces, or None."""
        return spelled(self.of)

    @property
    def of(self) -> tuple[Any, ...]:
        """Return all on which values and derivatives depend."""
        return (
            *(
                (p.fun.fun, p.args, p.jac, p.hess and p.hess.fun, p.size, p.flat)
                for p in self.curved
            ),
            self.joint and self.batch,
        )

    def differenced(self, method: str | None) -> "Constraints":
        """Return the same constraints, with this scheme in place of exact derivatives."""
        return self if method is None else self._with(lambda jac: method if jac is None else jac)

    def with_exact_derivatives(self) -> "Constraints":
        """Return the same constraints, with exact derivatives in place of differences."""
        return self._with(lambda jac: None if jac in DIFFERENCES else jac)

    def alone(self) -> "Constraints":
        """Return the same constraints for one problem."""
        return Constraints(self.pieces, self.kinds, None, False)

    def _with(self, jac: Callable[[Any], Any]) -> "Constraints":
        pieces = [copy.copy(piece) for piece in self.pieces]
        for piece in pieces:
            piece.jac = jac(piece.jac)
        return Constraints(pieces, self.kinds, self.batch, self.joint)

    # -- what solvers call -------------------------------------------------------------------------

    def values(self, x: Any, matrix: Any = None) -> Any:
        """Return values (B, m)."""
        curved = self.curved_values(x) if self.curved else None
        return self.stacked(x, _product(matrix, x), curved)

    def values_and_jacobian(
        self, x: Any, matrix: Any = None, lower: Any = None, upper: Any = None
    ) -> tuple[Any, Any]:
        """Return values (B, m) and derivatives (B, m, p); differences stay within bounds (B, p)."""
        if not self.differs:
            lower = upper = None
        xp = array_namespace(x)
        values = slopes = None
        if self.curved:
            values, slopes = self.curved_values_and_jacobian(x, lower, upper)
        if matrix is not None:
            matrix = xp.broadcast_to(matrix, (x.shape[0], *matrix.shape[1:]))
        return (
            self.stacked(x, _product(matrix, x), values),
            self.stacked(x[:, None, :], matrix, slopes),
        )

    def left(self, x: Any, low: Any, high: Any, matrix: Any = None) -> Any:
        """Tell which rows (B, m) that must hold everywhere don't; an equality need not."""
        xp, values = array_namespace(x), self.values(x, matrix)
        held = xp.asarray(self.kept, device=device(x))
        return held & (low != high) & ~((values >= low) & (values <= high))

    @whole
    def curved_values(self, x: Any) -> Any:
        """Return the values of rows that are not linear."""
        return self._over_lanes(self._curved_values, x)

    @whole
    def curved_values_and_jacobian(self, x: Any, lower: Any = None, upper: Any = None) -> Any:
        """Return values and derivatives of rows that are not linear."""
        return self._over_lanes(self._curved_both, x, lower, upper)

    @whole
    def hessian_product(self, x: Any, y: Any, v: Any) -> Any:
        """Return the rows' second derivatives, weighted by y (B, m), times v (B, p)."""
        if not self.curved:
            return array_namespace(v).zeros_like(v)
        return self._over_lanes(self._hessian_product, x, y, v)

    def weighted(
        self, x: Any, y: Any, matrix: Any = None, lower: Any = None, upper: Any = None
    ) -> Any:
        """Return the derivatives, transposed, times y (B, m): (B, p)."""
        if not self.curved:
            return self._of_matrix(x, y, matrix)
        if not self.differs:
            lower = upper = None
        total = self.curved_weighted(x, y, lower, upper)
        return total if matrix is None else total + self._of_matrix(x, y, matrix)

    @whole
    def curved_weighted(self, x: Any, y: Any, lower: Any = None, upper: Any = None) -> Any:
        """Return the same of rows that are not linear."""
        return self._over_lanes(self._weighted, x, y, lower, upper)

    def of_one(
        self, x0: Any, matrix: Any = None, differenced: Any = None
    ) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """Return the functions of one problem's x (p,), like x0: values (m,) and derivatives.

        `differenced` makes such a pair of values, for what has no other derivatives.
        """
        xp = array_namespace(x0)
        if all(piece.jac is None and piece.lean for piece in self.pieces):
            return _together(self.pieces, x0)
        found, begin = [], 0
        for piece in self.pieces:
            if piece.linear and matrix is not None:
                found.append(_of_matrix(matrix[begin : begin + piece.size, :]))
                begin += piece.size
            else:
                pair = piece.of_one(x0)
                plain = piece.jac in DIFFERENCES
                found.append(differenced(pair[0], piece.diff_step) if plain else pair)
        if len(found) == 1:
            return found[0]
        values, slopes = ([pair[k] for pair in found] for k in (0, 1))
        return (
            lambda x: xp.concat([f(x) for f in values]),
            lambda x: xp.concat([f(x) for f in slopes]),
        )

    def seen(self, views: Views) -> "Constraints":
        """Return the same constraints, whose functions of one problem take NumPy's views."""
        if views.direct:
            return self
        other = Constraints(self.pieces, self.kinds, None, False)
        other.pieces = tuple(piece if piece.linear else piece.seen(views) for piece in self.pieces)
        return other

    def of_user(self, x: Any) -> list[Any]:
        """Return value, jac and hess of rows that aren't linear, with arguments of their kinds.

        x is (p,), or of the whole batch, as functions take it.
        """
        xp, lead = array_namespace(x), tuple(x.shape[:-1])
        found: list[Any] = []
        for piece in self.curved:
            y = xp.broadcast_to(x[..., :1], (*lead, piece.size))
            found.append((piece.value, (x,)))
            found.append(None if piece.slope is None else (piece.jacobian, (x,)))
            found.append(None if piece.hess is None else (piece.curvature, (x, y)))
        return found

    # -- with derivatives --------------------------------------------------------------------------

    def live_values(self, x: Any, matrix: Any = None) -> Any:
        """Return values that can be differentiated, also by arrays that functions close over."""
        curved = self._live(self.curved, x) if self.curved else None
        return self.stacked(x, _product(matrix, x), curved)

    def pulled(self, x: Any, y: Any, matrix: Any = None) -> Any:
        """Return the derivatives, transposed, times y (B, m), with derivatives: (B, p)."""
        total = self._pulled(self.curved, x, y)
        return total if matrix is None else total + self._of_matrix(x, y, matrix)

    def _of_matrix(self, x: Any, y: Any, matrix: Any) -> Any:
        weights = self._columns(y, [piece for piece in self.pieces if piece.linear])
        return array_namespace(x, y).sum(matrix * weights[..., None], axis=1)

    # -- of the user's functions -------------------------------------------------------------------

    def _over_lanes(self, method: Callable[..., Any], *arrays: Any) -> Any:
        """Return a method's result, by a recording if this is a batch."""
        if self.lanes is None:
            return method(*arrays)
        return self.lanes(method, (0,) * len(arrays), self.of, self.joint)(*arrays)

    def _live(self, pieces: Sequence[_Piece], x: Any) -> Any:
        def every(x: Any) -> Any:
            found = [piece.value(x) for piece in pieces]
            return found[0] if len(found) == 1 else array_namespace(*found).concat(found, axis=-1)

        return over_batch(every, (x,), self.batch, self.joint)

    def _curved_values(self, x: Any) -> Any:
        return stop_gradient(self._live(self.curved, x))

    def _curved_both(self, x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
        xp = array_namespace(x)
        slope = None if self.single is None else self.single.slopes(x[0, :])
        if slope is not None:
            return self._curved_values(x), slope[None, ...]
        bounds = None if lower is None else (lower, upper)
        found: dict[int, tuple[Any, Any]] = {}
        for some in self._alike():
            how, step = some[0].jac, some[0].diff_step
            if callable(how):
                value = self._live(some, x)
                slope = over_batch(some[0].jacobian, (x,), self.batch, self.joint)
            else:
                live = functools.partial(self._live, some)
                step = above_one(how, x) if step is None and how else step
                value, columns = valued_columns(live, x, how, bounds, step)
                slope = xp.matrix_transpose(columns)
            begin = 0
            for piece in some:
                rows = slice(begin, begin + piece.size)
                found[id(piece)] = value[:, rows], slope[:, rows, :]
                begin += piece.size
        pairs = [found[id(piece)] for piece in self.curved]
        values, slopes = (_joined(parts) for parts in zip(*pairs, strict=True))
        return stop_gradient(values), stop_gradient(slopes)

    def _alike(self) -> list[list[_Piece]]:
        """Return the pieces whose derivatives are taken together."""
        groups: dict[Any, list[_Piece]] = {}
        for piece in self.curved:
            own = id(piece) if callable(piece.jac) else id(piece.diff_step)
            groups.setdefault((own, None if callable(piece.jac) else piece.jac), []).append(piece)
        return list(groups.values())

    def _pulled(self, pieces: Sequence[_Piece], x: Any, y: Any) -> Any:
        """Return the derivatives of some pieces, transposed, times y (B, m)."""
        xp = array_namespace(x, y)
        total = xp.zeros_like(x)
        exact = [piece for piece in pieces if not callable(piece.jac)]
        if exact:
            live = functools.partial(self._live, exact)
            total = total + vjp(live, x)[1](self._columns(y, exact))[0]
        for piece in pieces:
            if callable(piece.jac):
                slopes = over_batch(piece.jacobian, (x,), self.batch, self.joint)
                total = total + xp.sum(slopes * self._columns(y, [piece])[..., None], axis=1)
        return total

    def _weighted(self, x: Any, y: Any, lower: Any, upper: Any) -> Any:
        weights = self._columns(y, self.curved)
        if self.differs:
            slopes = self._curved_both(x, lower, upper)[1]
            return array_namespace(x).sum(slopes * weights[..., None], axis=1)
        out = None if self.single is None else self.single.weighted(weights[0, :], x[0, :])
        return stop_gradient(self._pulled(self.curved, x, y)) if out is None else out[None, :]

    def _hessian_product(self, x: Any, y: Any, v: Any) -> Any:
        xp = array_namespace(x)
        total = xp.zeros_like(v)
        for piece in self.curved:
            if piece.hess is not None:
                weights = self._columns(y, [piece])
                matrices = over_batch(piece.curvature, (x, weights), self.batch, self.joint)
                total = total + xp.sum(matrices * v[:, None, :], axis=2)
        rest = [piece for piece in self.curved if piece.hess is None]
        if rest and self.single is not None:
            out = self.single.product(v[0, :], self._columns(y, rest)[0, :], x[0, :])
            if out is not None:
                return stop_gradient(total + out[None, :])
        if rest:
            total = total + jvp(lambda x: self._pulled(rest, x, y), (x,), (v,))[1]
        return stop_gradient(total)

    # -- rows and pieces ---------------------------------------------------------------------------

    def stacked(self, x: Any, linear: Any, curved: Any) -> Any:
        """Return rows in the order in which they were given, on axis 1."""
        if linear is None or curved is None:
            both = linear if curved is None else curved
            return x[:, :0, ...] if both is None else both
        parts = []
        places = {True: 0, False: 0}
        for piece in self.pieces:
            begin = places[piece.linear]
            source = linear if piece.linear else curved
            parts.append(source[:, begin : begin + piece.size, ...])
            places[piece.linear] = begin + piece.size
        return array_namespace(x).concat(parts, axis=1)

    def _columns(self, y: Any, some: Sequence[_Piece]) -> Any:
        """Return the columns of y (B, m) that belong to some pieces."""
        parts, begin = [], 0
        for piece in self.pieces:
            if any(piece is one for one in some):
                parts.append(y[:, begin : begin + piece.size])
            begin += piece.size
        return _joined(parts)


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else array_namespace(*parts).concat(list(parts), axis=1)


def _values_of(pieces: Sequence[_Piece], x: Any) -> Any:
    """Return the values (m,) of constraints of one problem, at x (p,)."""
    found = [p.fun(x, *p.args, wanted=(p.size,), own=0) for p in pieces]
    return found[0] if len(found) == 1 else array_namespace(*found).concat(found)


def _together(
    pieces: Sequence[_Piece], x0: Any
) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the functions of one problem's x (p,), of several constraints: values, derivatives."""
    xp = array_namespace(x0)
    said = spelled(tuple((p.fun.fun, p.args, p.size) for p in pieces))

    def traced(x: Any) -> Any:
        return _values_of(pieces, x)

    direct = [p.fun.direct(x0, p.args, (p.size,)) for p in pieces]

    def value(x: Any) -> Any:
        return xp.concat([xp.reshape(f(x), (-1,)) for f in direct])

    return quick(value, traced, x0, said), kept(jacfwd, traced, x0, of=Said(said))


def _of_matrix(matrix: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return (lambda x: matrix @ x), (lambda x: matrix)


def _product(matrix: Any, x: Any) -> Any:
    if matrix is None:
        return None
    return array_namespace(x).sum(matrix * x[:, None, :], axis=2)


def rebuilt(
    settings: tuple[Any, ...],
    functions: Sequence[Any],
    batch: tuple[int, ...] | None,
    joint: bool,
) -> Constraints:
    """Return constraints with these `settings`, of functions as `of_user` tells them."""
    kinds, forms = settings
    left, pieces = iter(functions), []
    for linear, size, _, jac, _, holds in forms:
        fun = slope = hess = None
        if not linear:
            fun, slope, hess = next(left), next(left), next(left)
        slope = slope if jac == "given" else jac
        some = Stated("constraints", None, None, linear or None, fun, (), slope, hess, holds)
        pieces.append(_Piece("minimize", some, size, False))
    return Constraints(pieces, kinds, batch, joint)


# -- from what is stated ---------------------------------------------------------------------------


class Planned(NamedTuple):
    """Hold the constraints, and their data: a row for each problem."""

    constraints: Constraints
    low: Any  # (B, m)
    high: Any
    matrix: Any  # (B, k, p) or (1, k, p); None without linear rows


def planned(
    function: str,
    x: Any,
    every: Sequence[Stated],
    batch: tuple[int, ...] | None,
    joint: bool,
) -> Planned | None:
    """Return the constraints of starts x (B, p), in which their arrays are; None if there are none.

    Functions are called once, for the number of their rows.
    """
    if not every:
        return None
    xp, lead, count = array_namespace(x), tuple(batch or ()), int(x.shape[0])
    pieces = [_piece(function, x, c, batch, joint) for c in every]
    low, high, kinds = _sides(function, x, every, pieces, lead)
    matrices = []
    for c in every:
        if c.matrix is not None and c.matrix.ndim > 2:
            full = xp.broadcast_to(c.matrix, (*lead, *c.matrix.shape[-2:]))
            matrices.append(xp.reshape(full, (count, *c.matrix.shape[-2:])))
        elif c.matrix is not None:
            matrices.append(c.matrix[None, ...])
    matrix = None
    if matrices:
        rows = max(int(a.shape[0]) for a in matrices)
        matrix = _joined([xp.broadcast_to(a, (rows, *a.shape[1:])) for a in matrices])
    found = Planned(Constraints(pieces, kinds, batch, joint), low, high, matrix)
    _check_start(function, x, found)
    return found


def _sides(
    function: str, x: Any, every: Sequence[Stated], pieces: Sequence[_Piece], lead: tuple[int, ...]
) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the sides of all rows, (B, m), and their kinds."""
    xp, count, where = array_namespace(x), int(x.shape[0]), device(x)
    if all(isinstance(side, float) for c in every for side in (c.low, c.high)):
        sides = [
            [side for c, piece in zip(every, pieces, strict=True) for side in [c[k]] * piece.size]
            for k in (1, 2)
        ]
        kinds = tuple("eq" if a == b else "ineq" for a, b in zip(*sides, strict=True))
        for c in every:
            if c.low > c.high:
                raise _crossed(function, c.name)
        low, high = (
            xp.broadcast_to(xp.asarray(side, dtype=x.dtype, device=where), (count, len(side)))
            for side in sides
        )
        return low, high, kinds
    lows, highs, told = [], [], []
    for c, piece in zip(every, pieces, strict=True):
        both = []
        for name, side in (("lb", c.low), ("ub", c.high)):
            if isinstance(side, float):
                side = xp.asarray(side, dtype=x.dtype, device=where)
            last = int(side.shape[-1]) if side.ndim else 1
            if last not in (1, piece.size):
                raise ShapeError(
                    f"{function}: {name} of {c.name} must be a number or have a value for each of "
                    f"the {piece.size} constraints, got shape {tuple(side.shape)}"
                )
            full = xp.broadcast_to(side, (*lead, piece.size))
            both.append(xp.reshape(full, (count, piece.size)))
        if all(map(is_concrete, both)) and bool(xp.any(both[0] > both[1])):
            raise _crossed(function, c.name)
        lows.append(both[0])
        highs.append(both[1])
        told.extend(_kinds(xp, *both))
    return _joined(lows), _joined(highs), tuple(told)


def _crossed(function: str, name: str) -> ArgumentError:
    return ArgumentError(f"{function}: sides of {name} cross: lb > ub, which no point fulfils")


def _piece(function: str, x: Any, c: Stated, batch: tuple[int, ...] | None, joint: bool) -> _Piece:
    if c.matrix is not None:
        return _Piece(function, c, int(c.matrix.shape[-2]), False)
    xp, lead = array_namespace(x), tuple(batch or ())
    if joint:
        point = xp.reshape(x, (*lead, x.shape[-1]))
    else:  # the first problem, or zeros where there is none
        lead, point = (), xp.sum(x[:1, :], axis=0)
    fun = Function(function, f"fun of {c.name}", c.fun, lending=True)
    out = fun.called(point, *c.args)
    flat = joint and _dimensions(out) == len(lead)
    wanted = lead if flat else (*lead, None)
    return _Piece(function, c, 1 if flat else int(fun.checked(out, wanted, point).shape[-1]), flat)


def _kinds(xp: Any, low: Any, high: Any) -> list[str]:
    """Return "eq" or "ineq" for each row, as far as values say it for all problems."""
    if not (is_concrete(low) and is_concrete(high)):
        return ["any"] * int(low.shape[1])
    equal = stop_gradient(low == high)
    every, some = xp.all(equal, axis=0), xp.any(equal, axis=0)
    return [
        "eq" if bool(every[i]) else "any" if bool(some[i]) else "ineq"
        for i in range(int(low.shape[1]))
    ]


def _check_start(function: str, x: Any, found: Planned) -> None:
    """Refuse a start that breaks constraints that must hold."""
    xp, (made, low, high, matrix) = array_namespace(x), found
    if not any(made.kept) or not (is_concrete(x) and is_concrete(low) and is_concrete(high)):
        return
    outside = made.left(x, low, high, matrix)
    for i in range(made.count):
        if bool(xp.any(outside[:, i])):
            raise ArgumentError(
                f"{function}: x0 is infeasible with respect to constraint {i}, which has "
                "keep_feasible=True: start at a point that fulfils it"
            )
