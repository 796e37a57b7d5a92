"""Groups of elements that carry a label, and sums over each."""

import math
from typing import Any

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, is_neutral, quiet, scalar
from ...errors import ArgumentError, NotSupported
from ...interop import to_numpy
from ...missing._axes import index_dtype
from ...missing._segments import identity, numbers, segments
from .._base._arguments import image

__all__ = [
    "Group",
    "Groups",
    "floating",
    "grouped",
    "is_index",
    "quotient",
    "single",
    "taken",
    "values",
]


def taken(
    function: str, input: Any, labels: Any, index: Any, *, real: bool = False
) -> tuple[Any, Any, Any]:
    """Return the image, labels and labels of interest, as arrays or numbers of one library."""
    index = list(index) if isinstance(index, range) else index
    xp = array_namespace(input, labels, index)
    if is_neutral(input) and not (is_neutral(labels) and is_neutral(index)):
        here = next(device(a) for a in (labels, index) if not is_neutral(a))
        input = numbers(function, "input", xp, input, here)
    x = image(function, input, real=real)
    if labels is None:
        if index is not None:
            raise ArgumentError(f"{function}: index is given, but no labels")
        return x, None, None
    labels = _plan.own_order(numbers(function, "labels", xp, labels, device(x)))
    _plan.broadcast(function, input=x.shape, labels=labels.shape)
    if index is None:
        return x, labels, None
    if is_neutral(index) and not isinstance(index, list | tuple):
        return x, labels, index.item() if hasattr(index, "item") else index
    return x, labels, _plan.own_order(numbers(function, "index", xp, index, device(x)))


def values(function: str, x: Any, advice: str) -> Any:
    """Return values that decide on sizes, on the host, or say what to do where there are none."""
    try:
        return to_numpy(x)
    except NotSupported:
        raise NotSupported(
            f"{function}: sizes depend on values, and there are none yet, as under jit. {advice}"
        ) from None


def is_index(index: Any) -> bool:
    """Tell whether the labels of interest are an array."""
    return index is not None and not is_neutral(index)


def single(x: Any, labels: Any, index: Any, *options: Any) -> bool:
    """one group of real numbers, which has elements."""
    xp = array_namespace(x)
    return 0 not in x.shape and not is_index(index) and not _plan.is_complex(xp, x.dtype)


class Group:
    """The elements of an image that belong to one group: all, or those of a mask."""

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def sum(self, v: Any) -> Any:
        """Return the sum of the group's elements."""
        xp = array_namespace(v)
        return xp.sum(v if self.mask is None else xp.where(self.mask, v, xp.zeros_like(v)))

    def count(self, v: Any) -> Any:
        """Return how many elements of an array belong to the group."""
        xp = array_namespace(v)
        if self.mask is None:
            return xp.full((), v.shape[0], dtype=index_dtype(xp, v), device=device(v))
        return xp.count_nonzero(self.mask)

    def extreme(self, v: Any, op: str) -> Any:
        """Return the group's minimum or maximum, or what stands for that of nothing."""
        xp = array_namespace(v)
        nothing = xp.full((1,), identity(xp, v.dtype, op), dtype=v.dtype, device=device(v))
        if not v.shape[0]:
            return nothing[0]
        v = v if self.mask is None else xp.where(self.mask, v, nothing)
        return (xp.min if op == "minimum" else xp.max)(v)

    def spread(self, r: Any) -> Any:
        """Return, for each element, the result of its group."""
        return r

    def ids(self, v: Any) -> tuple[Any, int]:
        """Return the group of each element, and how many there are; that many is none of them."""
        xp = array_namespace(v)
        dtype = index_dtype(xp, v)
        if self.mask is None:
            return xp.zeros(v.shape, dtype=dtype, device=device(v)), 1
        return xp.astype(~self.mask, dtype), 1

    def given(self, r: Any) -> Any:
        """Return results, which have a row for each group, in the shape of the index."""
        return scalar(r[0, ...] if r.ndim else r)


class Groups(Group):
    """The elements of an image in as many groups as there are labels of interest."""

    def __init__(self, labels: Any, index: Any) -> None:
        xp = array_namespace(labels, index)
        labels, index = _plan.compared("label", xp, ("labels", "index"), labels, index)
        self.shape, index = index.shape, xp.reshape(index, (-1,))
        self.size = index.shape[0]
        if not self.size:
            self.places = xp.zeros_like(labels, dtype=index_dtype(xp, labels))
            return
        ordered = xp.sort(index)
        self.at = xp.searchsorted(ordered, index)
        place = xp.searchsorted(ordered, labels)
        place = xp.where(place == self.size, xp.zeros_like(place), place)
        hit = xp.take(ordered, place, axis=0) == labels
        self.places = xp.where(hit, place, xp.full_like(place, self.size))

    def _joined(self, v: Any, op: str) -> Any:
        xp = array_namespace(v)
        size = self.size + 1
        return segments(v, self.places, size, op, identity(xp, v.dtype, op))[: self.size]

    def sum(self, v: Any) -> Any:
        return self._joined(v, "add")

    def count(self, v: Any) -> Any:
        return self._joined(array_namespace(v).ones_like(self.places), "add")

    def extreme(self, v: Any, op: str) -> Any:
        return self._joined(v, op)

    def spread(self, r: Any) -> Any:
        xp = array_namespace(r)
        if not self.size:
            return xp.zeros(self.places.shape, dtype=r.dtype, device=device(r))
        last = xp.full_like(self.places, self.size - 1)
        return xp.take(r, xp.minimum(self.places, last), axis=0)

    def ids(self, v: Any) -> tuple[Any, int]:
        return self.places, self.size

    def given(self, r: Any) -> Any:
        xp = array_namespace(r)
        r = xp.take(r, self.at, axis=0) if self.size else r
        return scalar(xp.reshape(r, (*self.shape, *r.shape[1:])))


def grouped(x: Any, labels: Any, index: Any) -> tuple[Any, Group]:
    """Return the elements in C order, and their groups."""
    xp = array_namespace(x)
    if labels is None:
        return xp.reshape(x, (-1,)), Group(None)
    if x.shape != labels.shape:
        x, labels = xp.broadcast_arrays(x, labels)
    x, labels = xp.reshape(x, (-1,)), xp.reshape(labels, (-1,))
    if index is None:
        return x, Group(labels if labels.dtype == xp.bool else labels > 0)
    if is_index(index):
        return x, Groups(labels, index)
    one, other = _plan.compared("label", xp, ("labels", "index"), labels, index)
    return x, Group(one == other)


def floating(x: Any) -> Any:
    """Return numbers in floating point, integers in the library's own kind of it."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x
    return xp.astype(x, default_floating(xp, device(x)))


def quotient(total: Any, count: Any) -> Any:
    """Return sums over counts, NaN where there is nothing."""
    xp = array_namespace(total)
    some = xp.astype(xp.where(count > 0, count, xp.ones_like(count)), total.dtype)
    with quiet(total):
        return xp.where(count > 0, total / some, xp.full_like(total, math.nan))
