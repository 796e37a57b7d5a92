"""Connected objects of an image, and where labels are."""

import itertools
import math
from typing import Any

from ..._namespace import (
    array_namespace,
    describe,
    device,
    is_concrete,
    is_neutral,
    is_readable,
    scalar,
)
from ..._native import native, public
from ...errors import ArgumentError, DtypeError, ImageError
from ...interop import to_numpy
from ...missing._axes import index_dtype
from ...missing._segments import segments
from ...transforms import while_loop
from .._base._arguments import dtype_of, image, integer, number
from .._base._dtypes import usual
from ._groups import values

__all__ = ["find_objects", "label", "offsets_of", "structure_of", "value_indices"]

_PLACES = "likewise.missing.nonzero(arr == value, size=...) finds the places of one value."
_BOXES = (
    "minimum(coordinates, labels, index) and maximum(coordinates, labels, index), with an image of "
    "each axis's coordinates, give boxes as arrays, one for each element of index."
)


@public
def label(input: Any, structure: Any = None, output: Any = None) -> tuple[Any, Any]:
    """Number the connected objects of an image.

    Parameters
    ----------
    input : array
        Real numbers, of any number of dimensions; all that are not zero belong to objects.
    structure : array of bool, shape (3, ...), optional
        Which elements around one are its neighbours, symmetric about the centre; a setting, whose
        values must be known. Default: the next ones along each axis.
    output : dtype, optional
        The dtype of labels. Default: int32, int64 for 2**31 elements or more.

    Returns
    -------
    labels : array of int, shape of input
        0 outside of objects; objects are numbered from 1 by their first elements in C order.
    number : array of int, shape ()
        The number of objects.

    Raises
    ------
    DtypeError
        If `input` is complex.
    ImageError
        If `structure` has another number of dimensions, another shape, or is not symmetric; if
        `output` can't hold the labels, where values can be read.
    ArgumentError
        If `structure` has no values yet.
    NotSupported
        If `output` is an array.

    Notes
    -----
    Runs of elements along the last axis start with their own numbers; each step takes the least
    number of all neighbours of an object found so far, and follows it to its end (Y. Zhang,
    A. Azad, Z. Hu, "FastSV", 2020), in a number of steps that grows with the logarithm of the
    objects' sizes. Has no derivative. All sizes are known, so that it works under `jit`, too:
    there, measure a fixed number of objects, ``index=range(1, most + 1)``, and compare `number`
    with `most`.

    Chunks of Dask's arrays are labelled one by one, and their objects joined where they meet at
    borders, in one task that gets those pairs alone. Nothing is computed before you ask for it.

    Differs from SciPy: `output` can't be an array; `number` is an array of the library.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import label
    >>> labels, number = label(np.asarray([[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 0]]))
    >>> labels, int(number)
    (array([[1, 1, 0, 2],
           [0, 0, 0, 2],
           [3, 0, 4, 0]], dtype=int32), 4)
    """
    x = image("label", input, real=True)
    x = x if usual(x) else x != 0
    structure = structure_of("label", structure, x.ndim)
    if structure is not None:
        flipped = to_bits(structure)
        if flipped != flipped[::-1]:
            raise ImageError("label: structure must be symmetric about its centre")
    if output is None:
        return _label(x, structure)
    xp, dtype = array_namespace(x), dtype_of("label", x, output)
    found, number = _label(x, structure)
    if is_concrete(number) and xp.isdtype(dtype, "integral") and number > xp.iinfo(dtype).max:
        raise ImageError(f"label: output must hold {int(number)} labels, got {dtype}")
    return xp.astype(found, dtype), number


def structure_of(function: str, structure: Any, ndim: int) -> Any:
    """Return which neighbours count, as nested tuples of bool; None for those along each axis."""
    if structure is None:
        return None
    if not is_neutral(structure) and not is_readable(structure):
        raise ArgumentError(
            f"{function}: structure must have values, as it decides on the computation, but is a "
            f"{describe(structure)}. Pass a nested list, say."
        )
    known = to_numpy(structure)
    if known.ndim != ndim:
        raise ImageError(
            f"{function}: structure must have as many dimensions as input, {ndim}, got {known.ndim}"
        )
    if known.shape != (3,) * ndim:
        raise ImageError(
            f"{function}: structure must have three elements along each axis, got {known.shape}"
        )
    return _nested((known != 0).tolist())


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def to_bits(structure: Any) -> list[bool]:
    """Return the elements of a structure in C order."""
    if not isinstance(structure, tuple):
        return [structure]
    return [bit for part in structure for bit in to_bits(part)]


def offsets_of(structure: Any, ndim: int) -> list[tuple[int, ...]]:
    """Return the places of neighbours from the centre."""
    places = list(itertools.product((-1, 0, 1), repeat=ndim))
    if structure is None:
        return [p for p in places if _one(p)]
    return [p for p, bit in zip(places, to_bits(structure), strict=True) if bit and any(p)]


def _one(place: tuple[int, ...]) -> bool:
    return place.count(0) == len(place) - 1


@native(dask="likewise._libs.dask._objects:label")
def _label(x: Any, structure: Any) -> tuple[Any, Any]:
    return _objects(x, structure)


@native(
    numpy="likewise._libs.numpy._images:label",
    torch="likewise._libs.numpy._images:label",
    cupy="likewise._libs.cupy._images:label",
)
def _objects(x: Any, structure: Any) -> tuple[Any, Any]:
    xp, where, shape = array_namespace(x), device(x), x.shape
    dtype = index_dtype(xp, x)
    small = xp.int32 if math.prod(shape) < 2**31 - 2 else xp.int64
    if 0 in shape:
        zero = xp.zeros((), dtype=dtype, device=where)
        return xp.zeros(shape, dtype=small, device=where), scalar(zero)
    near = offsets_of(structure, x.ndim) if x.ndim else []
    x = xp.reshape(x, shape or (1,))
    full = x.shape
    inside = x if x.dtype == xp.bool else x != 0
    for axis in range(x.ndim):  # one more element along each axis separates the lines
        edge = xp.zeros(
            (*inside.shape[:axis], 1, *inside.shape[axis + 1 :]), dtype=xp.bool, device=where
        )
        inside = xp.concat([inside, edge], axis=axis)
    padded = inside.shape
    inside = xp.reshape(inside, (-1,))
    strides = [1]
    for n in reversed(padded[1:]):
        strides.insert(0, strides[0] * n)
    along = (0,) * (x.ndim - 1) + (1,)
    steps = [sum(a * b for a, b in zip(o, strides, strict=True)) for o in near if not _along(o)]
    starts, most = inside, inside.shape[0]
    if along in near:  # runs along the last axis are one node each, with a gap after each
        before = xp.concat([xp.zeros((1,), dtype=xp.bool, device=where), inside[:-1]])
        starts, most = inside & ~before, most // 2 + 1
    outside = xp.full((1,), most, dtype=dtype, device=where)
    node = xp.cumulative_sum(xp.astype(starts, dtype), dtype=dtype) - 1
    node = xp.where(inside, node, outside)
    every = xp.arange(most + 1, dtype=dtype, device=where)
    root = _roots(node, every, outside, steps)
    own = (root == every) & (every < most)
    rank = xp.cumulative_sum(xp.astype(own, small), dtype=small)
    found = xp.take(rank, xp.take(root, node, axis=0), axis=0)
    found = xp.reshape(xp.where(inside, found, xp.zeros_like(found)), padded)
    found = found[tuple(slice(0, n) for n in full)]
    return xp.reshape(found, shape), scalar(xp.astype(rank[-1], dtype))


def _along(place: tuple[int, ...]) -> bool:
    return not any(place[:-1])


def _roots(node: Any, every: Any, outside: Any, steps: list[int]) -> Any:
    """Return for each node the least one that is connected with it, the last one for no nodes."""
    xp, most = array_namespace(node), every.shape[0] - 1
    reach, n = max(steps, default=0), node.shape[0]
    edge = xp.broadcast_to(outside, (reach,))

    def joined(state: Any) -> Any:
        root, _ = state
        near = found = xp.take(root, node, axis=0)
        wide = xp.concat([edge, found, edge])
        for step in steps:
            near = xp.minimum(near, wide[reach + step : reach + step + n])
        hook = segments(near, found, most + 1, "minimum", most)
        hook = xp.concat([hook[:-1], outside])
        new = xp.take(hook, root, axis=0)
        for _ in range(4):  # a chain of 16 roots
            new = xp.take(new, new, axis=0)
        return new, xp.any(new != root)

    start = every, xp.asarray(True, device=device(node))
    return while_loop(lambda state: state[1], joined, start)[0]


@public
def value_indices(arr: Any, *, ignore_value: int | None = None) -> dict[Any, tuple[Any, ...]]:
    """Find where each distinct value of an image is.

    Parameters
    ----------
    arr : array of int
        Integers, of any number of dimensions.
    ignore_value : int, optional
        A value that is left out, such as the background.

    Returns
    -------
    dict
        By value, in ascending order: a tuple of arrays of int, the indices along each axis, in C
        order.

    Raises
    ------
    DtypeError
        If `arr` doesn't hold integers.
    NotSupported
        If values can't be read, as under `jit`: the sizes of results depend on them. There,
        ``nonzero(arr == value, size=...)`` of `likewise.missing` finds the places of one value.

    Notes
    -----
    A stable sort; the distinct values and their counts are read on the host.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import value_indices
    >>> found = value_indices(np.asarray([[2, 0], [2, 5]]), ignore_value=0)
    >>> {int(k): [i.tolist() for i in at] for k, at in found.items()}
    {2: [[0, 1], [0, 0]], 5: [[1], [1]]}
    """
    x = integers("value_indices", "arr", arr)
    if ignore_value is not None:
        number("value_indices", "ignore_value", ignore_value)
    return _value_indices(x, ignore_value)


@native(numpy="likewise._libs.numpy._images:value_indices")
def _value_indices(x: Any, ignore_value: Any) -> dict[Any, tuple[Any, ...]]:
    xp = array_namespace(x)
    if 0 in x.shape:
        return {}
    flat = xp.reshape(x, (-1,))
    order = xp.argsort(flat, stable=True)
    ordered = values("value_indices", xp.take(flat, order, axis=0), _PLACES).tolist()
    axes = []
    for n in reversed(x.shape):
        axes.append(order % n)
        order = order // n
    found, start = {}, 0
    for value, some in itertools.groupby(ordered):
        stop = start + len(list(some))
        if value != ignore_value:
            found[value] = tuple(at[start:stop] for at in reversed(axes))
        start = stop
    return found


@public
def find_objects(input: Any, max_label: int = 0) -> list[Any]:
    """Find the smallest box around each labelled object.

    Parameters
    ----------
    input : array of int
        The labels, of any number of dimensions; those below 1 are left out.
    max_label : int, optional
        The largest label of interest. Default: the largest there is.

    Returns
    -------
    list of (tuple of slice or None)
        A slice along each axis for the label 1, 2 and so on; None for a label without elements.

    Raises
    ------
    DtypeError
        If labels are not integers.
    NotSupported
        If values can't be read, as under `jit`: slices are numbers of the host. There, `minimum`
        and `maximum` of the coordinates along an axis give the boxes' ends as arrays.

    Notes
    -----
    Two values for each label and axis are read. Minima and maxima by segments.

    Differs from SciPy: booleans are refused, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import find_objects
    >>> find_objects(np.asarray([[0, 1, 1], [0, 0, 1], [3, 0, 0]]))
    [(slice(0, 2, None), slice(1, 3, None)), None, (slice(2, 3, None), slice(0, 1, None))]
    """
    x = integers("find_objects", "input", input)
    most = integer("find_objects", "max_label", max_label)
    return _find_objects(x, most)


def integers(function: str, name: str, x: Any) -> Any:
    """Return labels, which must be integers whose values can be read."""
    x = image(function, x)
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "integral"):
        raise DtypeError(f"{function}: {name} must hold integers, got {describe(x)}")
    return x


def _some(x: Any, *rest: Any) -> bool:
    """an image that isn't empty."""
    return 0 not in x.shape


@native(numpy="scipy.ndimage:find_objects", when=_some)
def _find_objects(x: Any, most: int) -> list[Any]:
    xp = array_namespace(x)
    if 0 in x.shape:
        return [None] * most
    most = int(values("find_objects", xp.max(x), _BOXES)) if most < 1 else most
    size, dtype = max(most, 0) + 1, index_dtype(xp, x)
    flat = xp.reshape(x, (-1,))
    ids = xp.where((flat > 0) & (flat < size), flat, xp.zeros_like(flat))
    ids, ends = xp.astype(ids, dtype), []
    for axis, n in enumerate(x.shape):
        shape = (1,) * axis + (n,) + (1,) * (x.ndim - axis - 1)
        at = xp.reshape(xp.arange(n, dtype=dtype, device=device(x)), shape)
        at = xp.reshape(xp.broadcast_to(at, x.shape), (-1,))
        for op, initial in (("minimum", n), ("maximum", -1)):
            ends.append(segments(at, ids, size, op, initial))
    if not ends:
        return [() for _ in range(size - 1)]
    boxes = values("find_objects", xp.stack(ends, axis=1), _BOXES)[1:].tolist()
    return [
        None
        if box[1] < 0
        else tuple(slice(a, b + 1) for a, b in zip(box[::2], box[1::2], strict=True))
        for box in boxes
    ]
