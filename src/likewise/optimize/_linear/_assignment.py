"""The linear assignment problem."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...solving._blocks import in_blocks
from ...solving._driver import Method, iterate, tree_where
from ...transforms import stop_gradient

__all__ = ["linear_sum_assignment"]

_IMPOSSIBLE = (
    "linear_sum_assignment: cost matrix is infeasible, got one of which no assignment has a finite "
    "cost"
)


@public
def linear_sum_assignment(cost_matrix: A, maximize: bool = False) -> tuple[A, A]:
    """Assign each row to one column at the least total cost.

    Parameters
    ----------
    cost_matrix : array, shape (..., n, m)
        Cost of each pair of row and column; infinity forbids a pair. Leading dimensions are a
        batch.
    maximize : bool, optional
        Whether to maximise the total.

    Returns
    -------
    row_ind, col_ind : array of integers, shape (..., min(n, m))
        Pairs, sorted by row. If no assignment has a finite cost, the columns are -1.

    Raises
    ------
    ShapeError
        If `cost_matrix` has fewer than two dimensions.
    ArgumentError
        If a cost is NaN or infinity of the wrong sign, or no assignment has a finite cost (checked
        only for eager arrays on the host).
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    Shortest augmenting paths: R. Jonker, A. Volgenant, Computing 38, 1987, extended to rectangular
    matrices by D. F. Crouse, IEEE Trans. Aerosp. Electron. Syst. 52(4), 2016: up to min(n, m)^2
    sequential steps of max(n, m) operations. NumPy arrays use SciPy's routine. The integer result
    is not differentiable, but the total cost is: ``xp.sum`` of the costs at these pairs.

    Differs from SciPy: batches.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import linear_sum_assignment
    >>> cost = np.asarray([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])
    >>> rows, columns = linear_sum_assignment(cost)
    >>> columns.tolist(), float(cost[rows, columns].sum())
    ([1, 0, 2], 5.0)
    """
    name = "linear_sum_assignment"
    found = in_blocks(
        name, lambda c: linear_sum_assignment(c, maximize), {"cost_matrix": (cost_matrix, 2)}, {}
    )
    if found is not None:
        return found
    xp = array_namespace(cost_matrix)
    cost: Any
    if not (isinstance(maximize, bool) or getattr(maximize, "shape", None) == ()):
        raise ArgumentError(f"{name}: maximize must be True or False, got {maximize!r}")
    (cost,) = _plan.common_floating(name, xp, ("cost_matrix",), cost_matrix, real=True)
    if cost.ndim < 2:
        raise ShapeError(
            f"{name}: expected a matrix (..., n, m) of costs, got shape {tuple(cost.shape)}"
        )
    xp = array_namespace(cost)
    cost = stop_gradient(-cost if maximize else cost)
    try:
        return _assigned(cost)
    except ValueError as error:  # SciPy's words, and the body's
        if "infeasible" in str(error):
            raise ArgumentError(_IMPOSSIBLE) from None
        if "invalid numeric" not in str(error):
            raise
    sign = "-" if maximize else "+"
    raise ArgumentError(
        f"{name}: cost_matrix contains invalid numeric entries, got NaN or infinity of the other "
        f"sign; costs must be numbers or {sign}infinity"
    )


def _one(cost: Any) -> bool:
    """one matrix."""
    return bool(cost.ndim == 2)


@native(numpy="scipy.optimize:linear_sum_assignment", when=_one)
def _assigned(cost: Any) -> tuple[Any, Any]:
    xp = array_namespace(cost)
    wrong = xp.isnan(cost) | (cost == -xp.inf)
    if is_concrete(wrong) and bool(xp.any(wrong)):
        raise ValueError("invalid numeric entries")
    *batch, n, m = (int(s) for s in cost.shape)
    flat = xp.reshape(cost, (math.prod(batch), n, m))
    turned = n > m
    flat = xp.matrix_transpose(flat) if turned else flat
    with quiet(cost):
        columns = _none(xp, flat) if 0 in cost.shape else _columns(flat)
    impossible = columns < 0
    if is_concrete(impossible) and bool(xp.any(impossible)):
        raise ValueError("infeasible")
    rows = xp.broadcast_to(xp.arange(columns.shape[1], device=device(cost)), tuple(columns.shape))
    if turned:  # sorted by what are the rows
        order = xp.argsort(columns, axis=1)
        rows, columns = xp.take_along_axis(columns, order, axis=1), order
    shape = (*batch, min(n, m))
    return xp.reshape(rows, shape), xp.reshape(columns, shape)


def _none(xp: Any, flat: Any) -> Any:
    shape = (flat.shape[0], min(flat.shape[1:]))
    return xp.broadcast_to(xp.arange(shape[1], device=device(flat)), shape)


class _State(NamedTuple):
    u: Any  # (B, n), prices of rows
    v: Any  # (B, m), of columns
    row_of: Any  # (B, m): the row that has a column, n for none
    column_of: Any  # (B, n): the column that a row has, m for none
    before: Any  # (B, m): the row from which the shortest path comes to a column
    least: Any  # (B, m): its length
    done: Any  # (B, m): columns whose shortest path is known
    length: Any  # (B,): of the path so far
    root: Any  # (B,): the row for which a column is looked for
    row: Any  # (B,): where the path stands
    end: Any  # (B,): a free column that was found, from which the path is walked back; m for none
    status: Any


def _columns(costs: Any) -> Any:
    """For each row of (B, n, m), n <= m, its column; -1 where there is none."""
    end = iterate(Method(lambda p: _start(p[0]), lambda p, s: _step(p[0], s)), (costs,))
    xp, m = array_namespace(end.column_of), costs.shape[2]
    complete = xp.all(end.column_of < m, axis=1)[:, None]
    return xp.where(complete, end.column_of, xp.full_like(end.column_of, -1))


def _start(costs: Any) -> _State:
    """No pairs, all prices 0, the path at the first row."""
    xp, where = array_namespace(costs), device(costs)
    b, n, m = costs.shape
    zeros = xp.zeros((b,), dtype=_rows(costs).dtype, device=where)
    nobody, nothing = zeros[:, None] + xp.full_like(_line(costs), n), xp.zeros_like(costs[:, 0, :])
    return _State(
        u=xp.zeros_like(costs[:, :, 0]),
        v=nothing,
        row_of=nobody,
        column_of=zeros[:, None] + xp.full_like(_rows(costs), m),
        before=nobody,
        least=xp.full_like(nothing, xp.inf),
        done=xp.zeros_like(nobody, dtype=xp.bool),
        length=nothing[:, 0],
        root=zeros,
        row=zeros,
        end=zeros + m,
        status=xp.zeros_like(zeros, dtype=xp.int32),
    )


def _rows(costs: Any) -> Any:
    return array_namespace(costs).arange(costs.shape[1], device=device(costs))


def _line(costs: Any) -> Any:
    return array_namespace(costs).arange(costs.shape[2], device=device(costs))


def _step(costs: Any, s: _State) -> _State:
    """Add one row to a shortest path (Dijkstra's), or exchange one pair on the way back."""
    xp = array_namespace(costs, s.u)
    n, m = costs.shape[1:]
    new: _State = tree_where(0, s.end < m, _walk(costs, s), _search(costs, s))
    return new._replace(status=xp.astype(new.root >= n, xp.int32))


def _entry(values: Any, index: Any, places: Any) -> Any:
    """``values[b, index[b]]``, 0 where there is no such place."""
    xp = array_namespace(values, index)
    hit = places == index[:, None]
    return xp.sum(xp.where(hit, values, xp.zeros_like(values)), axis=1, dtype=values.dtype)


def _search(costs: Any, s: _State) -> _State:
    """Go one row further along the shortest path."""
    xp = array_namespace(costs, s.u)
    rows, columns, (n, m) = _rows(costs), _line(costs), costs.shape[1:]
    here = xp.broadcast_to(xp.clip(s.row, 0, n - 1)[:, None, None], (s.row.shape[0], 1, m))
    line = xp.take_along_axis(costs, here, axis=1)[:, 0, :]
    new = (s.length - _entry(s.u, s.row, rows))[:, None] + line - s.v
    closer = ~s.done & (new < s.least)
    least = xp.where(closer, new, s.least)
    open_ = xp.where(s.done, xp.full_like(least, xp.inf), least)
    length = xp.min(open_, axis=1)
    # Of equally near columns a free one, which ends the search.
    near = open_ == length[:, None]
    free = near & (s.row_of == n)
    found, lost = xp.any(free, axis=1), ~xp.isfinite(length)
    pick = xp.argmax(xp.astype(xp.where(found[:, None], free, near), xp.int8), axis=1)
    pick = xp.astype(pick, rows.dtype)
    # Prices, once the path is known: of its columns, and of the rows that have them.
    settled = found & ~lost
    due = xp.where(s.done & settled[:, None], length[:, None] - least, xp.zeros_like(least))
    with_nobody = xp.concat([due, xp.zeros_like(due[:, :1])], axis=1)
    u = s.u + xp.take_along_axis(with_nobody, s.column_of, axis=1)
    first = (rows == s.root[:, None]) & settled[:, None]
    none = xp.full_like(s.row, n)
    return s._replace(
        u=xp.where(first, u + length[:, None], u),
        v=s.v - due,
        before=xp.where(closer, s.row[:, None], s.before),
        least=least,
        done=s.done | (columns == pick[:, None]),
        length=length,
        row=xp.where(lost, none, _entry(s.row_of, pick, columns)),
        end=xp.where(settled, pick, xp.full_like(pick, m)),
        root=xp.where(lost, none, s.root),
    )


def _walk(costs: Any, s: _State) -> _State:
    """Exchange one pair on the way back along the path."""
    xp = array_namespace(costs, s.u)
    rows, columns, m = _rows(costs), _line(costs), costs.shape[2]
    row = _entry(s.before, s.end, columns)
    # The column that this row had is free now, and goes to the row before.
    old = _entry(s.column_of, row, rows)
    last = row == s.root
    root = xp.where(last, s.root + 1, s.root)
    return s._replace(
        row_of=xp.where(columns == s.end[:, None], row[:, None], s.row_of),
        column_of=xp.where(rows == row[:, None], s.end[:, None], s.column_of),
        end=xp.where(last, xp.full_like(old, m), old),
        root=root,
        row=xp.where(last, root, s.row),
        length=xp.where(last, xp.zeros_like(s.length), s.length),
        least=xp.where(last[:, None], xp.full_like(s.least, xp.inf), s.least),
        done=s.done & ~last[:, None],
    )
