"""Balancing: permutations and powers of two that give rows and columns of a matrix like norms."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import Lines, batches, native, public
from .._typing import A
from ._checks import one_matrix, square
from ._lu import rows_of
from ._singular import refuse_infinite

__all__ = ["matrix_balance"]

_SWEEPS = 4  # where values can't be read to stop earlier; mostly two or three are needed
_GAIN = 0.95  # a scaling must reduce the norms' sum at least by this factor


@public
def matrix_balance(
    A: A,
    permute: bool = True,
    scale: bool = True,
    separate: bool = False,
    overwrite_a: bool = False,
) -> Any:
    """Balance matrices by a similarity, so that rows and columns have norms of similar size.

    Parameters
    ----------
    A : array, shape (..., n, n)
        Matrices, real or complex.
    permute : bool, optional
        Whether rows and columns that isolate an eigenvalue are moved to the ends of the diagonal.
    scale : bool, optional
        Whether the other rows and columns are scaled.
    separate : bool, optional
        Whether to return scales and order in place of T.
    overwrite_a : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    B : array, shape (..., n, n)
        ``inv(T) A T``, of the floating dtype of `A`.
    T : array, shape (..., n, n)
        A permuted diagonal matrix of powers of two. With `separate`, a pair instead: scales, shape
        (..., n), and the order, integers of shape (..., n); column j of T has scale j in row
        ``order[j]``.

    Raises
    ------
    ShapeError
        If matrices aren't square.
    ArgumentError
        If a matrix isn't finite, where values can be read.

    Notes
    -----
    B. N. Parlett, C. Reinsch, Numer. Math. 13, 293 (1969), with Euclidean norms: R. James, J.
    Langou, B. R. Lowery, arXiv:1401.5766, algorithm 3. One matrix on NumPy is balanced by LAPACK's
    routine. Elsewhere there are 2 n steps for the order and n for each sweep over rows and columns,
    for all matrices of a batch: meant for small matrices. Sweeps end when one changes nothing;
    under a transform, and for lazy arrays, there are four. Differentiable, with T constant.

    Differs from SciPy: scales have the precision of `A`. They have no limits, except for one matrix
    of NumPy's, so a matrix with elements from 1e-300 to 1e300 may become infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import matrix_balance
    >>> b, (scales, order) = matrix_balance(np.asarray([[1.0, 64.0], [1.0, 2.0]]), separate=True)
    >>> b.tolist(), scales.tolist(), order.tolist()
    ([[1.0, 8.0], [8.0, 2.0]], [8.0, 1.0], [0, 1])
    """
    name = "matrix_balance"
    xp = array_namespace(A)
    x: Any
    (x,) = _plan.common_floating(name, xp, ("A",), A)
    xp = array_namespace(x)
    n = square(name, x)
    refuse_infinite(name, "A", x)
    b, scales, order = _balanced(x, bool(permute), bool(scale))
    if separate:
        return b, (scales, order)
    here = xp.arange(n, dtype=order.dtype, device=device(x))[:, None] == order[..., None, :]
    return b, xp.where(here, scales[..., None, :], xp.zeros_like(scales)[..., None, :])


def _in_blocks(a: Any, permute: bool, scale: bool) -> Lines:
    xp, n = array_namespace(a), a.shape[-1]
    real = xp.float32 if a.dtype in (xp.float32, xp.complex64) else xp.float64
    return batches({0: (a, 2)}, ((n, n), a.dtype), ((n,), real), ((n,), xp.int64))


@native(numpy="likewise._libs.numpy._lapack:balance", when=one_matrix, blocks=_in_blocks)
def _balanced(a: Any, permute: bool, scale: bool) -> tuple[Any, Any, Any]:
    xp = array_namespace(a)
    n, where = a.shape[-1], device(a)
    place = xp.arange(n, device=where)
    place = xp.broadcast_to(place, a.shape[:-1])
    scales = xp.ones(tuple(a.shape[:-1]), dtype=xp.abs(a).dtype, device=where)
    if 0 in a.shape:
        return xp.astype(a, a.dtype), scales, place
    low, high = xp.zeros_like(place[..., :1]), xp.full_like(place[..., :1], n - 1)
    order = place
    if permute:
        filled = (a != 0) & ~xp.eye(n, dtype=xp.bool, device=where)
        order, high = _alone(xp, filled, order, low, high)
        # Columns, from the other end.
        turned = xp.matrix_transpose(filled)
        order, top = _alone(xp, turned, n - 1 - order, n - 1 - high, n - 1 - low)
        order, low = xp.argsort(n - 1 - order, axis=-1), n - 1 - top
        a = rows_of(xp, xp.matrix_transpose(rows_of(xp, a, order)), order)
        a = xp.matrix_transpose(a)
    if scale:
        inside = (place >= low) & (place <= high)
        return *_scaled(xp, a, scales, inside), order
    return xp.astype(a, a.dtype), scales, order  # a copy


def _alone(xp: Any, filled: Any, place: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Move rows that are zero off the diagonal to the end, until there are no more.

    `place` holds the new position of each row; rows from `low` to `high` are searched. As in
    LAPACK's routine, the search goes upward through the rows, and starts again from the end.
    """
    last = xp.full_like(high, place.shape[-1])
    for _ in range(place.shape[-1]):
        left = (place >= low) & (place <= high)
        alone = left & ~xp.any(filled & left[..., None, :], axis=-1)
        nowhere = xp.full_like(place, -1)
        above = xp.max(xp.where(alone & (place < last), place, nowhere), axis=-1, keepdims=True)
        again = xp.max(xp.where(alone, place, nowhere), axis=-1, keepdims=True)
        last = xp.where(above >= 0, above, again)
        found = last >= 0
        if is_concrete(found) and not bool(xp.any(found)):  # likewise: ignore[LW203]: at hand
            break
        moved = xp.where(place == last, high, xp.where(place == high, last, place))
        place = xp.where(found, moved, place)
        high = xp.where(found, high - 1, high)
    return place, high


def _scaled(xp: Any, a: Any, scales: Any, inside: Any) -> tuple[Any, Any]:
    n, size = a.shape[-1], xp.abs(a)
    unit = xp.eye(n, dtype=xp.bool, device=device(a))
    sweep = 0
    while True:
        before = scales
        for i in range(n):
            # The norms of the scaled matrix: powers of two change no digits.
            own = scales[..., i : i + 1]
            column = own * _norm(xp, size[..., :, i] / scales, inside)
            row = _norm(xp, size[..., i, :] * scales, inside) / own
            there = inside[..., i : i + 1] & (column > 0) & (row > 0)
            factor = _factor(xp, xp.where(there, column, 1), xp.where(there, row, 1))
            scales = xp.where(unit[i, :], scales * factor, scales)
        sweep += 1
        same = xp.all(scales == before)
        if is_concrete(same):
            done = bool(same)  # likewise: ignore[LW203]: values are at hand
        else:
            done = sweep == _SWEEPS
        if done:
            turn = scales[..., None, :] / scales[..., :, None]
            return a * xp.astype(turn, a.dtype), scales


def _norm(xp: Any, x: Any, inside: Any) -> Any:
    x = xp.where(inside, x, xp.zeros_like(x))
    most = xp.max(x, axis=-1, keepdims=True)
    unit = xp.where(most > 0, most, xp.ones_like(most))
    return unit * xp.sqrt(xp.sum((x / unit) ** 2, axis=-1, keepdims=True))


def _factor(xp: Any, column: Any, row: Any) -> Any:
    """Return the power of two that brings two norms together, or 1 if it doesn't pay."""
    apart = xp.log2(row) - xp.log2(column)
    up = xp.astype(xp.ceil(0.5 * (apart - 1)), xp.int32)
    down = xp.astype(xp.floor(0.5 * (-apart - 1)), xp.int32) + 1
    power = xp.where(apart > 0, xp.where(up > 0, up, 0), xp.where(down > 0, -down, 0))
    factor = _two_to(xp, power, row)
    # A logarithm may be one unit off where the quotient is a power of two.
    short = column * factor < row / factor / 2
    factor = xp.where((power >= 0) & short, 2 * factor, factor)
    far = (power > 0) & (column * factor / 2 >= row / factor)
    factor = xp.where(far, factor / 2, factor)
    short = column * factor / 2 >= row / factor
    factor = xp.where((power <= 0) & short, factor / 2, factor)
    far = (power < 0) & (column * factor < row / factor / 2)
    factor = xp.where(far, factor * 2, factor)
    pays = column * factor + row / factor < _GAIN * (column + row)
    return xp.where(pays, factor, xp.ones_like(factor))


def _two_to(xp: Any, power: Any, like: Any) -> Any:
    """Return powers of two from a table: exact, unlike the library's power function."""
    most = 126 if like.dtype == xp.float32 else 1022
    table = [2.0**k for k in range(-most, most + 1)]
    known = xp.asarray(table, dtype=like.dtype, device=device(like))
    place = xp.clip(power, -most, most) + most
    return xp.reshape(xp.take(known, xp.reshape(place, (-1,))), power.shape)
