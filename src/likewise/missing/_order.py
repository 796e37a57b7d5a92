"""Largest elements, partitions, ranks and sorting by several keys."""

import math
from collections.abc import Sequence
from typing import Any, Literal

from .. import _plan
from .._dtypes import default_floating
from .._namespace import array_namespace, device, is_concrete
from .._native import Lines, along, native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._axes import flat, index_dtype, is_floating, last_to, numeric

__all__ = ["argpartition", "lexsort", "partition", "rankdata", "topk"]

Ranks = Literal["average", "min", "max", "dense", "ordinal"]
Policy = Literal["propagate", "omit", "raise"]
_RANKS = ("average", "min", "max", "dense", "ordinal")
_POLICIES = ("propagate", "omit", "raise")


# -- largest elements ------------------------------------------------------------------------------


@public
def topk(a: A, k: int, axis: int = -1, *, largest: bool = True) -> tuple[A, A]:
    """Find the largest or smallest elements along an axis.

    Parameters
    ----------
    a : array
        Real.
    k : int
        The number of elements; from 0 to the size of the axis.
    axis : int, optional
        The axis, the last by default.
    largest : bool, optional
        Whether to return the largest, in descending order, or the smallest, in ascending order.

    Returns
    -------
    values, indices : array
        With `k` elements along the axis; indices have the default integer dtype. NaNs are the
        largest. Among equal elements, those with the lowest indices come first.

    Raises
    ------
    ArgumentError
        If `k` is negative or larger than the axis.
    DtypeError
        If `a` is complex.
    ShapeError
        If the axis is out of range.

    Notes
    -----
    A selection on NumPy, a stable sort elsewhere. The values are differentiable.

    Differs from torch: the order of equal elements is defined.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import topk
    >>> topk(np.asarray([1.0, 4.0, 2.0, 4.0]), 3)
    (array([4., 4., 2.]), array([1, 3, 2]))
    """
    xp = array_namespace(a)
    x = numeric("topk", xp, "a", a, real=True)
    (axis,) = _one_axis("topk", axis, x.ndim)
    k = _size("topk", "k", k, x.shape[axis])
    values, indices = _topk(flat(_sortable(xp, x), (axis,)), k, largest)
    return last_to(_own(xp, values, x), axis), last_to(indices, axis)


def _sortable(xp: Any, x: Any) -> Any:
    """Convert booleans to numbers, as the array API standard sorts only numbers."""
    return xp.astype(x, xp.uint8) if x.dtype == xp.bool else x


def _own(xp: Any, values: Any, x: Any) -> Any:
    return values if values.dtype == x.dtype else xp.astype(values, x.dtype)


def _one_axis(function: str, axis: Any, ndim: int) -> tuple[int]:
    if axis is None or not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be an integer, got {axis!r}")
    (found,) = _plan.axis_tuple(function, "axis", axis, ndim)
    return (found,)


def _size(function: str, name: str, k: Any, n: int) -> int:
    if not hasattr(k, "__index__") or not 0 <= k.__index__() <= n:
        raise ArgumentError(f"{function}: {name} must be an integer in [0, {n}], got {k!r}")
    return int(k.__index__())


def _part(x: Any, k: int, largest: bool) -> bool:
    """of rows a part is wanted."""
    return 0 not in x.shape and 0 < k <= x.shape[-1] // 8


@native(
    numpy="likewise._libs.numpy._natives:topk",
    torch="likewise._libs.torch._natives:topk",
    jax="likewise._libs.jax._natives:topk",
    when=_part,
)
def _topk(x: Any, k: int, largest: bool) -> tuple[Any, Any]:
    xp = array_namespace(x)
    order = xp.argsort(x, axis=-1, descending=largest, stable=True)[..., :k]
    order = xp.astype(order, index_dtype(xp, x), copy=False)
    return xp.take_along_axis(x, order, axis=-1), order


# -- partitions ------------------------------------------------------------------------------------


@public
def partition(a: A, kth: int | Sequence[int], axis: int | None = -1) -> A:
    """Partition an array: put the elements at `kth` in the places they have in sorted order.

    Parameters
    ----------
    a : array
        Real.
    kth : int or sequence of int
        Places along the axis; negative ones count from the end.
    axis : int or None, optional
        The axis, the last by default; None flattens.

    Returns
    -------
    array
        The elements of `a`. Each place of `kth` has the element that it has after sorting, with no
        larger ones before it and no smaller ones after it. NaNs are the largest.

    Raises
    ------
    ArgumentError
        If `kth` is out of range.
    DtypeError
        If `a` is complex.
    ShapeError
        If the axis is out of range.

    Notes
    -----
    NumPy's function on NumPy; elsewhere a sort, which is a valid partition. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import partition
    >>> float(partition(np.asarray([7.0, 1.0, 5.0, 3.0]), 2)[2])
    5.0
    """
    x, kth, axis = _plan_partition("partition", a, kth, axis)
    xp = array_namespace(x)
    y = _sortable(xp, x)
    out = _partition(y, kth, axis)
    return out if y is x else xp.astype(out, x.dtype)


@public
def argpartition(a: A, kth: int | Sequence[int], axis: int | None = -1) -> A:
    """Find indices that partition an array.

    Parameters
    ----------
    a : array
        Real.
    kth : int or sequence of int
        As for `partition`.
    axis : int or None, optional
        The axis, the last by default; None flattens.

    Returns
    -------
    array of the library's default integer dtype
        Indices along the axis, in whose order the elements are partitioned as by `partition`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `partition`.

    Notes
    -----
    NumPy's function on NumPy; a stable sort elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import argpartition
    >>> int(argpartition(np.asarray([7.0, 1.0, 5.0, 3.0]), 0)[0])
    1
    """
    x, kth, axis = _plan_partition("argpartition", a, kth, axis)
    return _argpartition(_sortable(array_namespace(x), x), kth, axis)


def _plan_partition(function: str, a: Any, kth: Any, axis: Any) -> tuple[Any, tuple[int, ...], int]:
    xp = array_namespace(a)
    x = numeric(function, xp, "a", a, real=True)
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    (axis,) = _one_axis(function, axis, x.ndim)
    n = x.shape[axis]
    places = tuple(kth) if isinstance(kth, list | tuple) else (kth,)
    for k in places:
        if not hasattr(k, "__index__") or not -n <= k.__index__() < n:
            raise ArgumentError(f"{function}: kth must hold integers in [{-n}, {n - 1}], got {k!r}")
    return x, tuple(int(k.__index__()) % n for k in places), axis


@native(numpy="numpy:partition")
def _partition(x: Any, kth: tuple[int, ...], axis: int) -> Any:
    return array_namespace(x).sort(x, axis=axis)


@native(numpy="numpy:argpartition")
def _argpartition(x: Any, kth: tuple[int, ...], axis: int) -> Any:
    xp = array_namespace(x)
    return xp.astype(xp.argsort(x, axis=axis, stable=True), index_dtype(xp, x), copy=False)


# -- several keys ----------------------------------------------------------------------------------


@public
def lexsort(keys: A | Sequence[A], axis: int = -1) -> A:
    """Find the order that sorts by several keys.

    Parameters
    ----------
    keys : sequence of array of one shape, or array
        The last key is the primary one. An array holds keys along its first dimension.
    axis : int, optional
        The axis of the keys along which to sort, the last by default.

    Returns
    -------
    array of the library's default integer dtype
        Indices along the axis. The order is stable; NaNs come last.

    Raises
    ------
    ArgumentError
        If there is no key.
    DtypeError
        If a key is complex.
    ShapeError
        If shapes differ, or the axis is out of range.

    Notes
    -----
    A stable sort for each key.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import lexsort
    >>> lexsort([np.asarray([3, 1, 2]), np.asarray([0, 1, 0])])
    array([2, 0, 1])
    """
    several = isinstance(keys, list | tuple)
    parts: list[Any] = list(keys) if isinstance(keys, list | tuple) else [keys]
    xp = array_namespace(*parts)
    parts = parts if several else [numeric("lexsort", xp, "keys", keys, real=True)]
    if not several:
        if parts[0].ndim == 0:
            raise ShapeError("lexsort: keys must have a dimension, got an array without one")
        parts = [parts[0][i, ...] for i in range(parts[0].shape[0])]
    parts = [numeric("lexsort", xp, "keys", key, real=True) for key in parts]
    if not parts:
        raise ArgumentError("lexsort: at least one key was expected, got none")
    shapes = {tuple(key.shape) for key in parts}
    if len(shapes) > 1:
        raise ShapeError(f"lexsort: keys must have one shape, got {sorted(shapes)}")
    if parts[0].ndim == 0:
        return xp.zeros((), dtype=index_dtype(xp, parts[0]), device=device(parts[0]))
    (axis,) = _one_axis("lexsort", axis, parts[0].ndim)
    if not several:
        return _lexsort_stack(keys, axis)
    if len({key.dtype for key in parts}) == 1:
        return _lexsort_stack(xp.stack(parts), axis)
    return _lexsort(parts, axis)


@native(numpy="numpy:lexsort", jax="jax.numpy:lexsort")
def _lexsort_stack(keys: Any, axis: int) -> Any:
    return _lexsort([keys[i, ...] for i in range(keys.shape[0])], axis)


def _lexsort(keys: list[Any], axis: int) -> Any:
    xp = array_namespace(*keys)
    keys = [xp.astype(k, xp.uint8) if xp.isdtype(k.dtype, "bool") else k for k in keys]
    order = xp.argsort(keys[0], axis=axis, stable=True)
    for key in keys[1:]:
        by = xp.argsort(xp.take_along_axis(key, order, axis=axis), axis=axis, stable=True)
        order = xp.take_along_axis(order, by, axis=axis)
    return xp.astype(order, index_dtype(xp, keys[0]), copy=False)


# -- ranks -----------------------------------------------------------------------------------------


@public
def rankdata(
    a: A,
    method: Ranks | str = "average",
    *,
    axis: int | None = None,
    nan_policy: Policy | str = "propagate",
) -> A:
    """Rank elements, from 1.

    Parameters
    ----------
    a : array
        Real.
    method : {'average', 'min', 'max', 'dense', 'ordinal'}, optional
        The rank of equal elements. 'average', 'min', 'max': the mean, the smallest or the largest
        of their ranks; 'dense': the number of different elements up to them; 'ordinal': different
        ranks in the order of their indices.
    axis : int or None, optional
        The axis along which to rank; None flattens, as in SciPy.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        'propagate': NaNs make all ranks along the axis NaN; 'omit': they get the rank NaN and
        aren't counted; 'raise': they raise ArgumentError, but propagate on lazy arrays and on other
        devices.

    Returns
    -------
    array
        Of the dtype of `a` if that is floating, since there may be NaNs. Otherwise of the library's
        default floating dtype for the method 'average', its default integer dtype for others.

    Raises
    ------
    ArgumentError
        If an option has another value, or there are NaNs with the policy 'raise'.
    DtypeError
        If `a` is complex.
    ShapeError
        If the axis is out of range.

    Notes
    -----
    Two sorts and a binary search. Not differentiable: ranks are constant almost everywhere. In
    float32, ranks beyond 2**24 are rounded.

    Differs from SciPy: the dtype of the result depends on the dtype of `a`, and not on NaNs.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import rankdata
    >>> rankdata(np.asarray([0.0, 2.0, 3.0, 2.0]))
    array([1. , 2.5, 4. , 2.5])
    """
    xp = array_namespace(a)
    _plan.choice("rankdata", "method", method, _RANKS)
    _plan.choice("rankdata", "nan_policy", nan_policy, _POLICIES)
    x = numeric("rankdata", xp, "a", a, real=True)
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    (axis,) = _one_axis("rankdata", axis, x.ndim)
    floating = is_floating(xp, x)
    if nan_policy == "raise" and floating and is_concrete(x) and bool(xp.any(xp.isnan(x))):
        raise ArgumentError("rankdata: nan_policy is 'raise', and there are NaNs in a")
    x = flat(x, (axis,))
    if 0 not in x.shape:
        out = (_ranks_in_rows if nan_policy == "omit" else _ranks)(x, method)
    else:
        out = xp.zeros(x.shape, dtype=index_dtype(xp, x), device=device(x))
    if floating:
        out = xp.astype(out, x.dtype)
        strange = xp.isnan(x)
        if nan_policy != "omit" and 0 not in x.shape:
            strange = xp.broadcast_to(xp.any(strange, axis=-1, keepdims=True), x.shape)
        out = xp.where(strange, xp.full_like(out, xp.nan), out)
    elif method == "average":
        out = xp.astype(out, default_floating(xp, device(x)))
    return last_to(out, axis)


def _in_blocks(x: Any, method: str) -> Lines:
    xp = array_namespace(x)
    dtype = index_dtype(xp, x)
    if method == "average":
        dtype = x.dtype if is_floating(xp, x) else default_floating(xp, device(x))
    return along(x, (x.ndim - 1,), dtype=dtype)


@native(
    numpy="likewise._libs.numpy._natives:ranks",
    jax="likewise._libs.jax._natives:ranks",
    blocks=_in_blocks,
)
def _ranks(x: Any, method: str) -> Any:
    return _ranks_in_rows(x, method)


@native(blocks=_in_blocks)
def _ranks_in_rows(x: Any, method: str) -> Any:
    """Ranks in rows; integers, or floating for 'average'."""
    xp = array_namespace(x)
    n, where, dtype = x.shape[-1], device(x), index_dtype(xp, x)
    if xp.isdtype(x.dtype, "bool"):
        x = xp.astype(x, dtype)
    order = xp.argsort(x, axis=-1, stable=True)
    back = xp.argsort(order, axis=-1, stable=True)
    if method == "ordinal":
        return xp.astype(back, dtype) + 1
    x = xp.take_along_axis(x, order, axis=-1)
    differs = xp.astype(x[..., 1:] != x[..., :-1], dtype)
    group = xp.concat([xp.zeros((*x.shape[:-1], 1), dtype=dtype, device=where), differs], axis=-1)
    group = xp.cumulative_sum(group, axis=-1)
    if method == "dense":
        return xp.take_along_axis(group, back, axis=-1) + 1
    # The rows one behind the other, still in ascending order: one search for all.
    rows = math.prod(x.shape[:-1])
    start = n * xp.arange(rows, dtype=dtype, device=where)
    keys = group + xp.reshape(start, (*x.shape[:-1], 1))
    sought = xp.reshape(keys, (-1,))

    def bound(side: str) -> Any:
        found = xp.reshape(xp.searchsorted(sought, sought, side=side), x.shape)
        return xp.take_along_axis((found - keys) + group, back, axis=-1)

    if method == "min":
        return bound("left") + 1
    if method == "max":
        return bound("right")
    floating = x.dtype if is_floating(xp, x) else default_floating(xp, where)
    return xp.astype(bound("left") + bound("right") + 1, floating) / 2
