"""Reductions over segments of rows, and counting."""

import math
from typing import Any

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, describe, device, is_concrete, is_neutral, quiet
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError, ArrayTypeError, DtypeError, MixedDevicesError, ShapeError

__all__ = [
    "bincount",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
]

_ADD, _MULTIPLY, _MINIMUM, _MAXIMUM = "add", "multiply", "minimum", "maximum"


# -- checks that the files on indices share --------------------------------------------------------


def index_dtype(xp: Any, where: Any) -> Any:
    """The dtype that a library gives to indices."""
    return xp.__array_namespace_info__().default_dtypes(device=where)["indexing"]


def integers(
    function: str, name: str, xp: Any, x: Any, where: Any = None, period: int | None = None
) -> Any:
    """An array of integers, of the dtype that the library gives to indices.

    With a period, return their remainders. Otherwise integers too large for that dtype become its
    largest number, which is out of range of every axis.
    """
    if is_neutral(x) and x is not None and (not hasattr(x, "__len__") or len(x)):
        kind = _plan.kind_of(function, name, x)
        if kind is int:  # lists, too, may hold what no signed dtype does
            x = _bounded(xp, x, index_dtype(xp, where), period)
    x = _array(function, name, xp, x, where)
    if x.dtype == xp.int64:  # wherever there are 64 bits
        return x if period is None else x % max(period, 1)
    dtype = index_dtype(xp, device(x))
    if x.dtype == dtype:
        return x if period is None else x % max(period, 1)
    if not xp.isdtype(x.dtype, "integral"):
        raise DtypeError(f"{function}: argument {name!r} must hold integers, got a {describe(x)}")
    return as_index(xp, x, dtype, period)


def as_index(xp: Any, x: Any, dtype: Any, period: int | None = None) -> Any:
    """Integers of some dtype in that of indices, as `integers` describes."""
    most, found = int(xp.iinfo(x.dtype).max), xp.astype(x, dtype)
    n = None if period is None else max(period, 1)
    if most <= int(xp.iinfo(dtype).max):
        return found if n is None else found % n
    wrapped = found < 0  # by most + 1
    if n is None:
        return xp.where(wrapped, xp.full_like(found, int(xp.iinfo(dtype).max)), found)
    rest = found % n
    return xp.where(wrapped, (rest + ((most + 1) % n - n)) % n, rest)


def _bounded(xp: Any, x: Any, dtype: Any, period: int | None) -> Any:
    """Numbers of nested lists made to fit the dtype of indices."""
    if isinstance(x, list | tuple):
        return [_bounded(xp, item, dtype, period) for item in x]
    info = xp.iinfo(dtype)
    x = x.item() if hasattr(x, "item") else x
    return x % max(period, 1) if period is not None else min(max(x, int(info.min)), int(info.max))


def numbers(
    function: str, name: str, xp: Any, x: Any, where: Any = None, *, dtype: Any = None
) -> Any:
    """An array of numbers or booleans, of its own dtype."""
    x = _array(function, name, xp, x, where, dtype)
    if x.dtype in (xp.float64, xp.float32, xp.int64, xp.bool):
        return x
    if not xp.isdtype(x.dtype, ("bool", "numeric")):
        raise DtypeError(f"{function}: argument {name!r} must hold numbers, got a {describe(x)}")
    return x


def _array(function: str, name: str, xp: Any, x: Any, where: Any, dtype: Any = None) -> Any:
    if x is None:
        raise ArrayTypeError(f"{function}: argument {name!r} must be an array, got None")
    if is_neutral(x):
        if isinstance(x, list | tuple) and len(x) == 0 and dtype is None:
            dtype = index_dtype(xp, where)  # an empty list has no kind; NumPy's would be floating
        if dtype is not None:
            return _plan.weak(function, name, xp, x, dtype, where)
        return _plan.from_lists(function, name, xp, x, device=where)
    x = _plan.beside_blocks(xp, x)
    if any(n != n for n in x.shape):
        raise ShapeError(
            f"{function}: argument {name!r} must have a known shape, got a {describe(x)}. "
            "Dask finds it out with x.compute_chunk_sizes()."
        )
    here = device(x)
    if None not in (here, where) and here != where:
        raise MixedDevicesError(
            f"{function}: argument {name!r} must be on device {where} as the others, but is on "
            f"{here}. Move it with likewise.to_device(x, device)."
        )
    return x


def size_of(function: str, name: str, value: Any) -> int:
    """A size: an integer that isn't negative."""
    try:
        size = int(value.__index__())
    except (AttributeError, TypeError):
        raise ArgumentError(f"{function}: {name} must be an integer, got {value!r}") from None
    if size < 0:
        raise ArgumentError(f"{function}: {name} must not be negative, got {value!r}")
    return size


def _counted(function: str, name: str, size_name: str, xp: Any, ids: Any) -> int:
    """One more than the largest of some integers, where values can be read."""
    if ids.shape[0] == 0:
        return 0
    if not is_concrete(ids):
        raise ArgumentError(
            f"{function}: {size_name} is needed, as the values of {name!r} can't be read to "
            f"find the size of the result: it is a {describe(ids)}"
        )
    size = max(int(xp.max(ids)) + 1, 0)
    if size > int(xp.iinfo(ids.dtype).max):
        raise ArgumentError(
            f"{function}: the largest of {name!r} is too large to be the index of an array; "
            f"{size_name} may say what to count"
        )
    return size


# -- segments --------------------------------------------------------------------------------------


@public
def segment_sum(data: A, segment_ids: A | Numbers, num_segments: int | None = None) -> A:
    """Sum the rows of an array that belong to each segment.

    Parameters
    ----------
    data : array, shape (n, ...)
        Numbers of any kind.
    segment_ids : array of int, shape (n,)
        The segment of each row, in any order. Rows with a negative segment, or one not less than
        `num_segments`, are left out.
    num_segments : int, optional
        The number of segments. Default: one more than the largest of `segment_ids`. Required where
        values can't be read (jit, Dask, a GPU).

    Returns
    -------
    array, shape (num_segments, ...)
        Of the dtype of `data`; 0 for a segment without rows.

    Raises
    ------
    DtypeError
        If `segment_ids` are not integers, or `data` not numbers.
    ShapeError
        If `segment_ids` doesn't have shape (n,).
    ArgumentError
        If `num_segments` is negative, or required and missing.

    Notes
    -----
    A stable sort and sums over 1, 2, 4 ... rows: O(n log n), with an error that grows with log n.
    No large sums are subtracted, so segments don't affect each other's accuracy. Libraries that can
    add in place do so in O(n) instead, in an order of their own, which on a GPU may change from run
    to run. Differentiable. The same as ``jax.ops.segment_sum``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import segment_sum
    >>> segment_sum(np.asarray([1.0, 2.0, 4.0, 8.0]), np.asarray([0, 2, 0, 2]))
    array([ 5.,  0., 10.])
    """
    _, data, ids, size = _plan_segments("segment_sum", data, segment_ids, num_segments)
    return _segment(data, ids, size, _ADD, 0)


@public
def segment_prod(data: A, segment_ids: A | Numbers, num_segments: int | None = None) -> A:
    """Multiply the rows of an array that belong to each segment.

    Parameters
    ----------
    data : array, shape (n, ...)
        Numbers of any kind.
    segment_ids : array of int, shape (n,)
        As for `segment_sum`.
    num_segments : int, optional
        As for `segment_sum`.

    Returns
    -------
    array, shape (num_segments, ...)
        Of the dtype of `data`; 1 for a segment without rows.

    Raises
    ------
    DtypeError, ShapeError, ArgumentError
        As for `segment_sum`.

    Notes
    -----
    As for `segment_sum`. Differentiable everywhere, even with zeros among the factors. On JAX,
    whose scattered product has no derivative, derivatives cost O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import segment_prod
    >>> segment_prod(np.asarray([1.0, 2.0, 4.0, 8.0]), np.asarray([0, 2, 0, 2]))
    array([ 4.,  1., 16.])
    """
    _, data, ids, size = _plan_segments("segment_prod", data, segment_ids, num_segments)
    return _segment_prod(data, ids, size, _MULTIPLY, 1)


@public
def segment_min(data: A, segment_ids: A | Numbers, num_segments: int | None = None) -> A:
    """Compute the elementwise minimum of the rows of an array that belong to each segment.

    Parameters
    ----------
    data : array, shape (n, ...)
        Real numbers.
    segment_ids : array of int, shape (n,)
        As for `segment_sum`.
    num_segments : int, optional
        As for `segment_sum`.

    Returns
    -------
    array, shape (num_segments, ...)
        Of the dtype of `data`; infinity, or the dtype's largest integer, for a segment without
        rows. NaN if the segment has a NaN.

    Raises
    ------
    DtypeError, ShapeError, ArgumentError
        As for `segment_sum`; complex numbers have no order.

    Notes
    -----
    As for `segment_sum`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import segment_min
    >>> segment_min(np.asarray([1.0, 2.0, 4.0, 8.0]), np.asarray([0, 2, 0, 2]))
    array([ 1., inf,  2.])
    """
    return _extreme("segment_min", data, segment_ids, num_segments, _MINIMUM)


@public
def segment_max(data: A, segment_ids: A | Numbers, num_segments: int | None = None) -> A:
    """Compute the elementwise maximum of the rows of an array that belong to each segment.

    Parameters
    ----------
    data : array, shape (n, ...)
        Real numbers.
    segment_ids : array of int, shape (n,)
        As for `segment_sum`.
    num_segments : int, optional
        As for `segment_sum`.

    Returns
    -------
    array, shape (num_segments, ...)
        Of the dtype of `data`; minus infinity, or the dtype's smallest integer, for a segment
        without rows. NaN if the segment has a NaN.

    Raises
    ------
    DtypeError, ShapeError, ArgumentError
        As for `segment_sum`; complex numbers have no order.

    Notes
    -----
    As for `segment_sum`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import segment_max
    >>> segment_max(np.asarray([1.0, 2.0, 4.0, 8.0]), np.asarray([0, 2, 0, 2]))
    array([  4., -inf,   8.])
    """
    return _extreme("segment_max", data, segment_ids, num_segments, _MAXIMUM)


@public
def segment_mean(data: A, segment_ids: A | Numbers, num_segments: int | None = None) -> A:
    """Average the rows of an array that belong to each segment.

    Parameters
    ----------
    data : array, shape (n, ...)
        Numbers of any kind.
    segment_ids : array of int, shape (n,)
        As for `segment_sum`.
    num_segments : int, optional
        As for `segment_sum`.

    Returns
    -------
    array, shape (num_segments, ...)
        Of the dtype of `data`, or the library's default floating dtype for integers; NaN for a
        segment without rows.

    Raises
    ------
    DtypeError, ShapeError, ArgumentError
        As for `segment_sum`.

    Notes
    -----
    As for `segment_sum`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import segment_mean
    >>> segment_mean(np.asarray([1.0, 2.0, 4.0, 8.0]), np.asarray([0, 2, 0, 2]))
    array([2.5, nan, 5. ])
    """
    xp, data, ids, size = _plan_segments("segment_mean", data, segment_ids, num_segments)
    x: Any = data
    if xp.isdtype(x.dtype, "integral"):
        x = xp.astype(x, default_floating(xp, device(x)))
    return means(xp, _segment(x, ids, size, _ADD, 0), count(ids, size))


def means(xp: Any, sums: Any, counts: Any) -> Any:
    """Divide sums by counts along the first axis; NaN where the count is 0, without warnings."""
    counts = xp.reshape(counts, (counts.shape[0],) + (1,) * (sums.ndim - 1))
    one = xp.ones_like(counts)
    out = sums / xp.astype(xp.where(counts > 0, counts, one), sums.dtype)
    return xp.where(counts > 0, out, xp.full_like(out, xp.nan))


def _extreme(function: str, data: Any, segment_ids: Any, num_segments: Any, op: str) -> Any:
    xp, data, ids, size = _plan_segments(function, data, segment_ids, num_segments, real=True)
    return _segment(data, ids, size, op, identity(xp, data.dtype, op))


def identity(xp: Any, dtype: Any, op: str) -> Any:
    """Return an operation's identity element: the result for no numbers."""
    if op in (_ADD, _MULTIPLY):
        return 0 if op == _ADD else 1
    if xp.isdtype(dtype, "integral"):
        info = xp.iinfo(dtype)
        return int(info.max if op == _MINIMUM else info.min)
    return math.inf if op == _MINIMUM else -math.inf


def _plan_segments(
    function: str, data: Any, segment_ids: Any, num_segments: Any, real: bool = False
) -> tuple[Any, Any, Any, int]:
    xp = array_namespace(data, segment_ids)
    where = None if is_neutral(data) else device(data)
    if where is None and not is_neutral(segment_ids):
        where = device(segment_ids)
    data = _array(function, "data", xp, data, where)
    kinds = ("integral", "real floating") if real else "numeric"
    if not xp.isdtype(data.dtype, kinds):
        raise DtypeError(
            f"{function}: argument 'data' must hold {'real ' if real else ''}numbers, got "
            f"a {describe(data)}. Convert it with likewise.asarray(x, dtype=...)."
        )
    ids = integers(function, "segment_ids", xp, segment_ids, device(data))
    if data.ndim == 0 or ids.shape != data.shape[:1]:
        raise ShapeError(
            f"{function}: data of shape (n, ...) and segment_ids of shape (n,) were expected, got "
            f"{tuple(data.shape)} and {tuple(ids.shape)}"
        )
    if num_segments is None:
        return xp, data, ids, _counted(function, "segment_ids", "num_segments", xp, ids)
    return xp, data, ids, size_of(function, "num_segments", num_segments)


@native(
    numpy="likewise._libs.numpy._natives:segment",
    cupy="likewise._libs.cupy._natives:segment",
    torch="likewise._libs.torch._natives:segment",
    jax="likewise._libs.jax._natives:segment",
    dask="likewise._libs.dask._natives:segment",
)
def _segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Reduce rows by segment; `initial` where a segment has none."""
    return _reduced(data, ids, size, op, initial)


@native(
    numpy="likewise._libs.numpy._natives:segment",
    torch="likewise._libs.torch._natives:segment",
    jax="likewise._libs.jax._natives:segment_prod",
    dask="likewise._libs.dask._natives:segment",
)
def _segment_prod(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Do what `_segment` does, apart because JAX's scattered product has no derivative."""
    return _reduced(data, ids, size, op, initial)


def segments(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Reduce rows by segment with an operation, for the other files."""
    step = _segment_prod if op == _MULTIPLY else _segment
    return step(data, ids, size, op, initial)


def _reduced(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Sort stably by segment, then combine over distances 1, 2, 4 ..., in log2(n) steps."""
    xp = array_namespace(data, ids)
    where, n, rest = device(data), data.shape[0], tuple(data.shape[1:])
    empty = xp.full((size, *rest), initial, dtype=data.dtype, device=where)
    if n == 0 or size == 0:
        return empty
    join = {_ADD: xp.add, _MULTIPLY: xp.multiply, _MINIMUM: xp.minimum, _MAXIMUM: xp.maximum}[op]
    order = xp.argsort(ids, stable=True)
    ids, data = xp.take(ids, order, axis=0), xp.take(data, order, axis=0)
    nothing = xp.full(
        (1,) * data.ndim, identity(xp, data.dtype, op), dtype=data.dtype, device=where
    )
    step = 1
    while step < n:
        # Row i holds the result of the last `step` rows of its segment up to itself. If the row
        # `step` before belongs to the segment, so do all between.
        same = xp.reshape(ids[step:] == ids[:-step], (n - step,) + (1,) * len(rest))
        before = xp.where(same, data[:-step, ...], nothing)
        data = xp.concat([data[:step, ...], join(data[step:, ...], before)], axis=0)
        step *= 2
    every = xp.arange(size, dtype=ids.dtype, device=where)
    last = xp.searchsorted(ids, every, side="right") - 1
    last = xp.where(last < 0, xp.zeros_like(last), last)
    hit = xp.reshape(xp.take(ids, last, axis=0) == every, (size,) + (1,) * len(rest))
    return xp.where(hit, xp.take(data, last, axis=0), empty)


# -- counting --------------------------------------------------------------------------------------


@public
def bincount(
    x: A, weights: A | Numbers | None = None, minlength: int = 0, length: int | None = None
) -> A:
    """Count how often each non-negative integer occurs, or add up weights.

    Parameters
    ----------
    x : array of int, shape (n,)
        Not negative.
    weights : array, shape (n,), optional
        The weight of each element. Default: 1.
    minlength : int, optional
        The least size of the result, if `length` isn't given.
    length : int, optional
        The size of the result; larger values are left out. Required where values can't be read
        (jit, Dask, a GPU).

    Returns
    -------
    array, shape (max(max(x) + 1, minlength),) or (length,)
        Of the library's dtype for indices; with weights, of their floating dtype, or the
        library's default for integers.

    Raises
    ------
    DtypeError
        If `x` are not integers.
    ShapeError
        If `x` does not have one dimension, or `weights` not its shape.
    ArgumentError
        If a size is negative, or required and missing; if an element of `x` is negative, where
        values can be read. Elsewhere it is left out.

    Notes
    -----
    Costs as `segment_sum`. Differentiable with respect to the weights.

    Differs from NumPy: `length`, as in JAX; float32 weights give float32, and weights may be
    complex.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import bincount
    >>> bincount(np.asarray([0, 1, 1, 3]))
    array([1, 2, 0, 1])
    >>> bincount(np.asarray([0, 1, 1, 3]), length=2)
    array([1, 2])
    """
    xp = array_namespace(x, weights)
    where = next((device(a) for a in (x, weights) if not is_neutral(a)), None)
    ids: Any = integers("bincount", "x", xp, x, where)
    if ids.ndim != 1:
        raise ShapeError(f"bincount: x must have one dimension, got shape {tuple(ids.shape)}")
    w: Any = weights
    if w is not None:
        w = _array("bincount", "weights", xp, w, device(ids))
        (w,) = _plan.common_floating("bincount", xp, ("weights",), w)
        if w.shape != ids.shape:
            raise ShapeError(
                f"bincount: weights must have the shape of x, {tuple(ids.shape)}, got "
                f"{tuple(w.shape)}"
            )
    least = size_of("bincount", "minlength", minlength)
    if length is None:
        return _bincount(ids, w, least)
    return _weighed(ids, w, size_of("bincount", "length", length))


def _double(x: Any, weights: Any, minlength: int) -> bool:
    """elements, and weights of double precision or none; of nothing NumPy's count is an integer."""
    if weights is None:
        return True
    return x.shape[0] > 0 and bool(weights.dtype == array_namespace(weights).float64)


@native(
    numpy="likewise._libs.numpy._natives:bincount",
    torch="likewise._libs.torch._natives:bincount",
    when=_double,
)
def _bincount(x: Any, weights: Any, minlength: int) -> Any:
    xp = array_namespace(x)
    size = max(_counted("bincount", "x", "length", xp, x), minlength)
    return _weighed_up(x, weights, size)


def _weighed(x: Any, weights: Any, size: int) -> Any:
    with quiet(x):
        return _tallied(x, weights, size)


@native(
    numpy="likewise._libs.numpy._natives:tallied",
    torch="likewise._libs.torch._natives:tallied",
    when=_double,
)
def _tallied(x: Any, weights: Any, size: int) -> Any:
    return _weighed_up(x, weights, size)


def _weighed_up(x: Any, weights: Any, size: int) -> Any:
    xp = array_namespace(x)
    if is_concrete(x) and x.shape[0] and int(xp.min(x)) < 0:
        raise ArgumentError("bincount: x must not be negative, but its smallest element is")
    return count(x, size) if weights is None else _segment(weights, x, size, _ADD, 0)


def count(ids: Any, size: int) -> Any:
    """How many elements each of `size` segments has."""
    return _count(ids, size)


@native(numpy="likewise._libs.numpy._natives:count", torch="likewise._libs.torch._natives:count")
def _count(ids: Any, size: int) -> Any:
    xp = array_namespace(ids)
    return _segment(xp.ones_like(ids), ids, size, _ADD, 0)
