"""Constraints of populations: by how much each point breaks each of them."""

from collections.abc import Hashable
from typing import Any

from ..._namespace import array_namespace, is_lazy
from ...errors import ShapeError, TransformError
from ...solving._running import compiles
from ...solving._stepping import whole
from .._constraints import LinearConstraint, NonlinearConstraint
from .._constraints._canonical import Constraints, Planned, planned
from .._constraints._stated import arrays_of, leading, stated
from ._box import Box, plain

__all__ = ["Limits", "limits_of", "listed"]


def listed(constraints: Any, p: int, layout: tuple[int, ...] | None) -> list[Any]:
    """Return constraints as a list in which bounds are linear ones.

    With a `layout`, the shape of a batch, their functions take points variables first, and become
    such that take them as `minimize` does.
    """
    if constraints is None:
        return []
    single = hasattr(constraints, "keys") or hasattr(constraints, "lb")
    every = [constraints] if single or not hasattr(constraints, "__iter__") else list(constraints)
    return [_listed(c, p, layout) for c in every]


def _listed(c: Any, p: int, layout: tuple[int, ...] | None) -> Any:
    if hasattr(c, "lb") and hasattr(c, "ub") and not hasattr(c, "A") and not hasattr(c, "fun"):
        rows = [[float(i == k) for k in range(p)] for i in range(p)]
        return LinearConstraint(rows, c.lb, c.ub)
    if layout is None:
        return c
    if hasattr(c, "keys") and callable(c.get("fun")):
        return {**c, "fun": _variables_last(c["fun"], len(layout))}
    if callable(getattr(c, "fun", None)):
        fun = _variables_last(c.fun, len(layout))
        return NonlinearConstraint(fun, c.lb, c.ub, c.jac, c.hess)
    return c


def _variables_last(fun: Any, lead: int) -> Any:
    """Return a function of points (..., p), of one that takes (p, ..., S) for `lead` dimensions."""

    def of_points(x: Any, *args: Any) -> Any:
        xp, alone = array_namespace(x), x.ndim == lead + 1
        first = xp.moveaxis(x, -1, 0)
        found = fun(first[..., None] if alone else first, *args)
        if found.ndim == lead + 1:  # of one constraint
            found = found[None, ...]
        found = xp.moveaxis(found, 0, -1)
        return found[..., 0, :] if alone else found

    return of_points


def limits_of(
    function: str, constraints: list[Any], x: Any, box: Box, layout: tuple[int, ...] | None
) -> "Limits | None":
    """Return the constraints of problems, of which x (B, p) are points; None without any."""
    if not constraints:
        return None
    xp = array_namespace(x)
    every = arrays_of(function, xp, x, stated(function, constraints))
    for name, lead in leading(every).items():
        if lead and box.single:
            raise ShapeError(
                f"{function}: {name} has leading dimensions {lead}, but bounds are those of one "
                "problem: give them the same"
            )
    every = [c._replace(keep=False) for c in every]
    joint = layout is not None and not box.single
    found = planned(function, x, every, box.batch, joint)
    assert found is not None
    return Limits(found, layout)


class Limits:
    """Compute the excess of constraints at points (B, S, p) of each problem.

    With `layout`, the shape of the batch, functions take all points at once, (*layout, S, p).
    """

    def __init__(self, found: Planned, layout: tuple[int, ...] | None) -> None:
        self.of, self.layout = found.constraints, layout
        self.low, self.high, self.matrix = found.low, found.high, found.matrix
        self.many = Constraints(found.constraints.pieces, found.constraints.kinds, (1,), False)
        self.alone = False  # whether it was seen that the functions can't be mapped

    def data(self, x: Any) -> tuple[Any, Any, Any]:
        """Return the sides (B, m), and matrices (B, k, p), of problems with points x (B, p)."""
        matrix = x[:, None, :][:, :0, :]
        if self.matrix is not None:
            matrix = array_namespace(x).broadcast_to(
                self.matrix, (x.shape[0], *self.matrix.shape[1:])
            )
        return plain(self.low), plain(self.high), plain(matrix)

    def repeated(self, count: int) -> "Limits":
        """Return the constraints of the one problem for a batch of so many points."""
        low, high = (
            array_namespace(a).broadcast_to(a, (count, a.shape[1])) for a in (self.low, self.high)
        )
        return Limits(Planned(self.many, low, high, self.matrix), None)

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the functions' results on which a step depends."""
        return (self.of.settings, self.layout), True

    def spelled(self) -> Hashable:
        """Return a key that is equal for constraints with equal traces, or None."""
        return None if self.layout is not None else self.many.spelled()

    def excess(self, low: Any, high: Any, matrix: Any, x: Any) -> Any:
        """Return by how much points (B, S, p) break each constraint, at least 0, (B, S, m)."""
        xp = array_namespace(x)
        count, size = (int(n) for n in x.shape[:2])
        linear = curved = None
        if any(self.of.linear):
            linear = xp.matmul(x, xp.matrix_transpose(matrix))
            linear = xp.reshape(linear, (count * size, int(matrix.shape[1])))
        if self.of.curved:
            curved = self.curved(x)
        values = self.of.stacked(x, linear, curved)
        values = xp.reshape(values, (count, size, self.of.count))
        over = xp.maximum(low[:, None, :] - values, values - high[:, None, :])
        over = xp.maximum(over, xp.zeros_like(over))
        return xp.where(xp.isnan(values), xp.full_like(over, xp.inf), over)

    @whole
    def curved(self, x: Any) -> Any:
        """Return the values (B S, k) of rows that aren't linear, of points (B, S, p)."""
        xp = array_namespace(x)
        count, size, p = (int(n) for n in x.shape)
        rows = xp.reshape(x, (count * size, p))
        if self.layout is not None:
            joint = (*self.layout, size)
            return plain(
                Constraints(self.of.pieces, self.of.kinds, joint, True).curved_values(rows)
            )
        if not self.alone:
            try:
                return plain(self.many.curved_values(rows))
            except TransformError:
                if is_lazy(x) or compiles(x):
                    raise
                self.alone = True
        found = [
            xp.concat([piece.value(rows[i, :]) for piece in self.of.curved])
            for i in range(count * size)
        ]
        return plain(xp.stack(found)) if found else rows[:, :0]

    def split(self, fields: Any) -> Any:
        """Return arrays (..., m) as a list with those of each constraint."""
        begin, out = 0, []
        for piece in self.of.pieces:
            out.append(fields[..., begin : begin + piece.size])
            begin += piece.size
        return out
