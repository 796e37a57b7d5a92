"""The linear assignment problem."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing import at, take
from ...transforms import stop_gradient, vmap, while_loop

__all__ = ["linear_sum_assignment"]

_IMPOSSIBLE = (
    "linear_sum_assignment: cost matrix is infeasible, got one of which no assignment has a finite "
    "cost"
)


@public
def linear_sum_assignment(cost_matrix: A, maximize: bool = False) -> tuple[A, A]:
    """Assign rows to columns, each to one, at the least total cost.

    Parameters
    ----------
    cost_matrix : array, shape (..., n, m)
        Costs of row and column; infinity forbids a pair. Leading dimensions are a batch.
    maximize : bool, optional
        Whether the total is to be the largest.

    Returns
    -------
    row_ind, col_ind : array of integers, shape (..., min(n, m))
        Pairs, sorted by row. Where no assignment has a finite cost, columns of -1.

    Raises
    ------
    ShapeError
        If `cost_matrix` has fewer than two dimensions.
    ArgumentError
        If a cost is NaN or infinity of the wrong sign, or no assignment has a finite cost (looked
        at where arrays are on the host and eager).
    NotSupported
        If the arrays are lazy and their library has no loop for them (Dask, torch.compile).

    Notes
    -----
    Shortest augmenting paths: R. Jonker, A. Volgenant, Computing 38, 1987, for rectangular matrices
    as D. F. Crouse, IEEE Trans. Aerosp. Electron. Syst. 52(4), 2016, has them: up to min(n, m)^2
    steps of max(n, m) operations, one after the other. On NumPy, SciPy's. Not differentiable, as
    the result is integer; the total cost is, ``xp.sum`` of the costs taken there.

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
    wrong = xp.isnan(cost) | (cost == -xp.inf)
    if is_concrete(wrong) and bool(xp.any(wrong)):
        sign = "-" if maximize else "+"
        raise ArgumentError(
            f"{name}: cost_matrix contains invalid numeric entries, got NaN or infinity of the "
            f"other sign; costs must be numbers or {sign}infinity"
        )
    try:
        with quiet(cost):
            rows, columns = _assigned(cost)
    except ValueError:  # what SciPy says to it
        raise ArgumentError(_IMPOSSIBLE) from None
    impossible = columns < 0
    if is_concrete(impossible) and bool(xp.any(impossible)):
        raise ArgumentError(_IMPOSSIBLE)
    return rows, columns


def _one(cost: Any) -> bool:
    """one matrix."""
    return bool(cost.ndim == 2)


@native(numpy="scipy.optimize:linear_sum_assignment", when=_one)
def _assigned(cost: Any) -> tuple[Any, Any]:
    xp = array_namespace(cost)
    *batch, n, m = (int(s) for s in cost.shape)
    flat = xp.reshape(cost, (math.prod(batch), n, m))
    turned = n > m
    flat = xp.matrix_transpose(flat) if turned else flat
    if 0 in cost.shape:
        columns = _none(xp, flat)
    elif flat.shape[0] == 1:
        columns = _columns(flat[0, ...])[None, :]
    else:
        columns = vmap(_columns)(flat)
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
    u: Any  # (n,), prices of rows
    v: Any  # (m,), of columns
    row_of: Any  # (m,): the row that has a column, n for none
    before: Any  # (m,): the row from which the shortest path comes to a column
    least: Any  # (m,): its length
    done: Any  # (m,): columns whose shortest path is known
    length: Any  # (): of the path so far
    root: Any  # (): the row for which a column is looked for
    row: Any  # (): where the path stands
    end: Any  # (): a free column that was found, and from which the path is walked back; m for none


class _Task(NamedTuple):
    """Holds what no step changes."""

    cost: Any  # (n, m), n <= m
    rows: Any  # (n,), their numbers
    columns: Any  # (m,)
    far: Any  # (m,), infinities


def _columns(cost: Any) -> Any:
    """For each row of (n, m), n <= m, its column; -1 where there is none.

    A step looks at one row of a shortest path (Dijkstra's), or exchanges one pair on the way back.
    """
    xp = array_namespace(cost)
    n, m = cost.shape
    rows = xp.arange(n, device=device(cost))
    columns = xp.arange(m, device=device(cost))
    far = xp.full((m,), xp.inf, dtype=cost.dtype, device=device(cost))
    task = _Task(cost, rows, columns, far)

    def body(s: _State) -> _State:
        ahead, back = _search(task, s), _walk(task, s)
        walking = s.end < m
        return _State(*[xp.where(walking, b, a) for a, b in zip(ahead, back, strict=True)])

    found = while_loop(lambda s: s.root < n, body, _start(task))
    mine = found.row_of[None, :] == rows[:, None]
    out = xp.sum(xp.where(mine, columns[None, :], xp.zeros_like(columns[None, :])), axis=1)
    complete = xp.all(xp.any(mine, axis=1))
    return xp.where(complete, xp.astype(out, rows.dtype), xp.full_like(rows, -1))


def _start(task: _Task) -> _State:
    """No pairs, all prices 0, the path at the first row."""
    cost, rows, _, far = task
    xp = array_namespace(cost)
    n, m = cost.shape
    zero = xp.zeros((), dtype=rows.dtype, device=device(cost))
    nobody = xp.full((m,), n, dtype=rows.dtype, device=device(cost))
    never = xp.zeros((m,), dtype=xp.bool, device=device(cost))
    return _State(
        u=xp.zeros_like(cost[:, 0]),
        v=xp.zeros_like(far),
        row_of=nobody,
        before=nobody,
        least=far,
        done=never,
        length=xp.zeros_like(far[0]),
        root=zero,
        row=zero,
        end=zero + m,
    )


def _entry(values: Any, index: Any, places: Any) -> Any:
    """``values[index]``, 0 where there is no such place."""
    xp = array_namespace(values)
    return xp.sum(xp.where(places == index, values, xp.zeros_like(values)), dtype=values.dtype)


def _search(task: _Task, s: _State) -> _State:
    """Go one row further along the shortest path."""
    cost, rows, columns, far = task
    xp = array_namespace(cost)
    n, m = cost.shape
    zero = xp.zeros_like(s.root)
    line = take(cost, xp.reshape(xp.clip(s.row, 0, n - 1), (1,)), axis=0)[0, :]
    new = s.length + line - _entry(s.u, s.row, rows) - s.v
    closer = ~s.done & (new < s.least)
    least = xp.where(closer, new, s.least)
    open_ = xp.where(s.done, far, least)
    length = xp.min(open_)
    # Of equally near columns a free one, which ends the search.
    near = open_ == length
    free = near & (s.row_of == n)
    pick = xp.argmax(xp.astype(xp.where(xp.any(free), free, near), xp.int32))
    pick = xp.astype(pick, rows.dtype)
    found = xp.any(free)
    lost = ~xp.isfinite(length)
    # Prices, once the path is known: of its columns, and of the rows that had them.
    paid = s.done & found & ~lost
    due = xp.where(paid, length - least, xp.zeros_like(least))
    # Columns without a row pay to a row that doesn't exist.
    u = at(xp.concat([s.u, s.u[:1]]))[s.row_of].add(due)[:n]
    return s._replace(
        u=xp.where((rows == s.root) & found & ~lost, u + length, u),
        v=xp.where(paid, s.v - length + least, s.v),
        before=xp.where(closer, s.row, s.before),
        least=least,
        done=s.done | (columns == pick),
        length=length,
        row=xp.where(lost, zero + n, _entry(s.row_of, pick, columns)),
        end=xp.where(found & ~lost, pick, zero + m),
        root=xp.where(lost, zero + n, s.root),
    )


def _walk(task: _Task, s: _State) -> _State:
    """Exchange one pair on the way back along the path."""
    _, _, columns, far = task
    xp = array_namespace(far)
    m = columns.shape[0]
    row = _entry(s.before, s.end, columns)
    # The column that this row had is free now, and goes to the row before.
    old = xp.min(xp.where(s.row_of == row, columns, xp.full_like(s.row_of, m)))
    last = row == s.root
    root = xp.where(last, s.root + 1, s.root)
    return s._replace(
        row_of=xp.where(columns == s.end, row, s.row_of),
        end=xp.where(last, xp.zeros_like(old) + m, old),
        root=root,
        row=xp.where(last, root, s.row),
        length=xp.where(last, xp.zeros_like(s.length), s.length),
        least=xp.where(last, far, s.least),
        done=xp.where(last, xp.zeros_like(s.done), s.done),
    )
