"""Matrices made from a row and a column, and from blocks."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._native import Lines, batches, native, public
from .._typing import A, Numbers
from ..missing._axes import index_dtype

__all__ = ["block_diag", "circulant", "hankel", "toeplitz"]


# -- constant along lines --------------------------------------------------------------------------


@public
def toeplitz(c: A, r: A | Numbers | None = None) -> A:
    """Make Toeplitz matrices, which are constant along diagonals.

    Parameters
    ----------
    c : array, shape (..., m)
        The first column, of numbers.
    r : array, shape (..., n), optional
        The first row; its first element is not read. Default: the conjugate of `c`.

    Returns
    -------
    array, shape (..., m, n)
        Of the common dtype; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If leading dimensions don't broadcast.
    DtypeError
        If they don't hold numbers.

    Notes
    -----
    One gather. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import toeplitz
    >>> toeplitz(np.asarray([1, 2, 3]), np.asarray([1, 5]))
    array([[1, 5],
           [2, 1],
           [3, 2]])
    """
    return _toeplitz(*_column_and_row("toeplitz", c, r))


def _column_and_row(function: str, c: Any, r: Any) -> tuple[Any, Any]:
    """Columns and rows of at least one dimension, of one dtype."""
    xp = array_namespace(c, r)
    if r is None:
        (c,) = _plan.common_numbers(function, xp, ("c",), c)
        return (xp.reshape(c, (1,)) if c.ndim == 0 else c), None
    pair = _plan.common_numbers(function, xp, ("c", "r"), c, r)
    c, r = (xp.reshape(v, (1,)) if v.ndim == 0 else v for v in pair)
    _plan.broadcast(function, c=tuple(c.shape[:-1]), r=tuple(r.shape[:-1]))
    return c, r


def _vectors(c: Any, r: Any = None) -> bool:
    """One matrix."""
    return bool(c.ndim == 1 and (r is None or r.ndim == 1))


def _in_blocks(c: Any, r: Any = None) -> Lines:
    rows = {0: (c, 1)} if r is None else {0: (c, 1), 1: (r, 1)}
    return batches(rows, ((c.shape[-1], (c if r is None else r).shape[-1]), c.dtype))


@native(when=_vectors, numpy="scipy.linalg:toeplitz", blocks=_in_blocks)
def _toeplitz(c: Any, r: Any) -> Any:
    xp = array_namespace(c)
    if r is None:
        r = xp.conj(c) if _plan.is_complex(xp, c.dtype) else c
    m, n = c.shape[-1], r.shape[-1]
    i, j = _numbers(xp, c, m), _numbers(xp, c, n)
    return _gathered(xp, xp.flip(c, axis=-1), r, (m - 1 - i[:, None]) + j[None, :])


@public
def hankel(c: A, r: A | Numbers | None = None) -> A:
    """Make Hankel matrices, which are constant along antidiagonals.

    Parameters
    ----------
    c : array, shape (..., m)
        The first column, of numbers.
    r : array, shape (..., n), optional
        The last row; its first element is not read. Default: m zeros.

    Returns
    -------
    array, shape (..., m, n)
        As for `toeplitz`.

    Raises
    ------
    ShapeError, DtypeError
        As for `toeplitz`.

    Notes
    -----
    One gather. Differentiable.

    Differs from SciPy before 1.19, which flattens arrays of more than one dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import hankel
    >>> hankel(np.asarray([1, 2, 3]), np.asarray([0, 5]))
    array([[1, 2],
           [2, 3],
           [3, 5]])
    """
    return _hankel(*_column_and_row("hankel", c, r))


@native(when=_vectors, numpy="scipy.linalg:hankel", blocks=_in_blocks)
def _hankel(c: Any, r: Any) -> Any:
    xp = array_namespace(c)
    r = xp.zeros_like(c) if r is None else r
    i, j = _numbers(xp, c, c.shape[-1]), _numbers(xp, c, r.shape[-1])
    return _gathered(xp, c, r, i[:, None] + j[None, :])


@public
def circulant(c: A) -> A:
    """Make circulant matrices: each column is the previous one, rotated by one element.

    Parameters
    ----------
    c : array, shape (..., n)
        The first column, of numbers.

    Returns
    -------
    array, shape (..., n, n)
        Of the dtype of `c`.

    Raises
    ------
    DtypeError
        If it doesn't hold numbers.

    Notes
    -----
    One gather. Differentiable. To multiply by it, convolve circularly instead.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import circulant
    >>> circulant(np.asarray([1, 2, 3]))
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    return _circulant(_column_and_row("circulant", c, None)[0])


@native(when=_vectors, numpy="scipy.linalg:circulant", blocks=_in_blocks)
def _circulant(c: Any) -> Any:
    xp = array_namespace(c)
    n = c.shape[-1]
    i = _numbers(xp, c, n)
    return _gathered(xp, c, None, (i[:, None] - i[None, :]) % max(n, 1))


def _numbers(xp: Any, x: Any, n: int) -> Any:
    return xp.arange(n, dtype=index_dtype(xp, x), device=device(x))


def _gathered(xp: Any, head: Any, tail: Any, index: Any) -> Any:
    """Gather elements of two concatenated vectors, the second without its first element."""
    batch = tuple(head.shape[:-1])
    if tail is not None:
        batch = _plan.broadcast("matrix", c=batch, r=tuple(tail.shape[:-1]))
    shape = (*batch, *index.shape)
    if 0 in shape:
        return xp.zeros(shape, dtype=head.dtype, device=device(head))
    values = head
    if tail is not None:
        parts = [xp.broadcast_to(v, (*batch, v.shape[-1])) for v in (head, tail[..., 1:])]
        values = xp.concat(parts, axis=-1)
    return xp.reshape(xp.take(values, xp.reshape(index, (-1,)), axis=-1), shape)


# -- blocks ----------------------------------------------------------------------------------------


@public
def block_diag(*arrs: A) -> A:
    """Make matrices of blocks along the diagonal.

    Parameters
    ----------
    *arrs : array, shape (..., m, n), (n,) or ()
        The blocks, of numbers; a scalar or a vector is a row.

    Returns
    -------
    array
        Zero outside of the blocks; sizes are sums of sizes, leading dimensions broadcast, and the
        dtype is the common one. Without blocks, shape (1, 0).

    Raises
    ------
    ShapeError
        If leading dimensions don't broadcast.
    DtypeError
        If they don't hold numbers.

    Notes
    -----
    Two copies. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import block_diag
    >>> block_diag(np.asarray([[1], [2]]), np.asarray([3, 4]))
    array([[1, 0, 0],
           [2, 0, 0],
           [0, 3, 4]])
    """
    arrays: Any = arrs or ([0.0][:0],)
    xp = array_namespace(*arrays)
    names = tuple(f"block {i}" for i in range(len(arrays)))
    blocks = [
        x if x.ndim >= 2 else xp.reshape(x, (1, x.shape[0] if x.ndim else 1))
        for x in _plan.common_numbers("block_diag", xp, names, *arrays)
    ]
    _plan.broadcast(
        "block_diag", **{name: tuple(x.shape[:-2]) for name, x in zip(names, blocks, strict=True)}
    )
    return _block_diag(*blocks)


def _matrices(*blocks: Any) -> bool:
    """Blocks of two dimensions."""
    return all(x.ndim == 2 for x in blocks)


@native(
    when=_matrices,
    numpy="scipy.linalg:block_diag",
    jax="jax.scipy.linalg:block_diag",
    torch="torch:block_diag",
)
def _block_diag(*blocks: Any) -> Any:
    xp, first = array_namespace(blocks[0]), blocks[0]
    batch = _plan.broadcast("matrix", **{str(i): x.shape[:-2] for i, x in enumerate(blocks)})
    total, before = sum(x.shape[-1] for x in blocks), 0
    rows = []
    for x in blocks:
        m, n = x.shape[-2:]
        if m == 0:
            before += n
            continue
        widths = before, total - before - n
        left, right = (
            xp.zeros((*batch, m, w), dtype=first.dtype, device=device(first)) for w in widths
        )
        parts = [left, xp.broadcast_to(x, (*batch, m, n)), right]
        parts = [p for p in parts if p.shape[-1]] or parts[:1]
        rows.append(xp.concat(parts, axis=-1) if len(parts) > 1 else parts[0])
        before += n
    if not rows:
        return xp.zeros((*batch, 0, total), dtype=first.dtype, device=device(first))
    return xp.concat(rows, axis=-2)
