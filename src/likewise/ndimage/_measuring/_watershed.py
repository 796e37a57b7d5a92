"""Watersheds of images, from markers."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, describe, device
from ..._native import Lines, Made, native, public
from ...errors import DtypeError, ImageError
from ...missing._segments import numbers
from ...transforms import while_loop
from .._base._arguments import dtype_of, image
from ._labels import offsets_of, structure_of

__all__ = ["watershed_ift"]


@public
def watershed_ift(input: Any, markers: Any, structure: Any = None, output: Any = None) -> Any:
    """Extend markers over an image, along paths whose largest step is as small as possible.

    Parameters
    ----------
    input : array of uint8 or uint16
        The heights, of any number of dimensions.
    markers : array of int, shape of input
        Labels greater than zero for objects, less than zero for the background, 0 elsewhere; of a
        signed dtype.
    structure : array of bool, shape (3, ...), optional
        Which elements around one are its neighbours; a setting, whose values must be known.
        Default: the next ones along each axis.
    output : dtype, optional
        A signed dtype of integers. Default: that of `markers`.

    Returns
    -------
    array of int, shape of input
        For each element the label of a marker that it is connected with by a path on which the
        largest difference of neighbours is least.

    Raises
    ------
    DtypeError
        If `input` is not of uint8 or uint16.
    ImageError
        If `markers` or `output` are not of a signed dtype of integers, shapes differ, or
        `structure` has a wrong shape.
    ArgumentError
        If `structure` has no values yet.
    NotSupported
        If `output` is an array.

    Notes
    -----
    The image foresting transform (A. X. Falcão, J. Stolfi, R. de Alencar Lotufo, IEEE Transactions
    on Pattern Analysis and Machine Intelligence 26, 2004): all elements next to those with a label
    get theirs if the step is not higher than the level, which rises where there are none; on one
    level, objects before the background. As many steps as the longest such path has elements, for
    the whole image each. Of several labels, that of the neighbour reached on the lowest level. Has
    no derivative.

    As in SciPy, neighbours are found in the image as one line: the last element of a row is one of
    the first element of the next row.

    Differs from SciPy where several markers have paths with the same largest step, and SciPy's
    routine doesn't run, which is for NumPy and torch on the CPU: such elements go to the nearest
    marker, in SciPy to the one whose neighbours happened to be looked at last.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import watershed_ift
    >>> heights = np.asarray([[0, 0, 9, 1, 1], [0, 0, 9, 1, 0]], dtype=np.uint8)
    >>> watershed_ift(heights, np.asarray([[1, 0, 0, 0, 0], [0, 0, 0, 0, 2]]))
    array([[1, 1, 2, 2, 2],
           [1, 1, 2, 2, 2]])
    """
    x = image("watershed_ift", input, real=True)
    xp = array_namespace(x, markers)
    if x.dtype not in (xp.uint8, xp.uint16):
        raise DtypeError(
            f"watershed_ift: input must be of uint8 or uint16, got {describe(x)}. Scale and "
            "convert it first."
        )
    markers = _plan.own_order(numbers("watershed_ift", "markers", xp, markers, device(x)))
    structure = structure_of("watershed_ift", structure, x.ndim)
    if markers.shape != x.shape:
        raise ImageError(
            f"watershed_ift: markers must have the shape of input, {tuple(x.shape)}, got "
            f"{tuple(markers.shape)}"
        )
    dtype = dtype_of("watershed_ift", markers, output)
    for name, given in (("markers", markers.dtype), ("output", dtype)):
        if not xp.isdtype(given, "signed integer"):
            raise ImageError(
                f"watershed_ift: {name} must be of a signed integer dtype, got {given}"
            )
    found = _watershed_ift(x, markers, structure)
    return found if output is None else xp.astype(found, dtype)


def _with_markers(x: Any, markers: Any, structure: Any) -> Lines:
    none = (None,) * x.ndim
    return Lines({0: none, 1: none}, Made(x.shape, none, markers.dtype))


def _some(x: Any, markers: Any, structure: Any) -> bool:
    """an image with elements."""
    return 0 not in x.shape and x.ndim > 0


@native(
    numpy="scipy.ndimage:watershed_ift",
    torch="scipy.ndimage:watershed_ift",
    when=_some,
    blocks=_with_markers,
)
def _watershed_ift(x: Any, markers: Any, structure: Any) -> Any:
    if not _some(x, markers, structure):
        return array_namespace(markers).asarray(markers, copy=True)
    xp, where = array_namespace(x, markers), device(x)
    strides = [1]
    for n in reversed(x.shape[1:]):
        strides.insert(0, strides[0] * n)
    near = offsets_of(structure, x.ndim)
    steps = [sum(a * b for a, b in zip(o, strides, strict=True)) for o in near]
    steps = [-s for s in steps if s]  # from an element back to those that it is a neighbour of
    height = xp.reshape(xp.astype(x, xp.int32), (-1,))
    label, n = xp.reshape(markers, (-1,)), height.shape[0]
    reach = max(map(abs, steps), default=0)
    # Odd, as only those of objects are even.
    never = xp.full((1,), 2**30 + 1, dtype=xp.int32, device=where)

    def around(values: Any, beyond: Any) -> list[Any]:
        edge = xp.broadcast_to(beyond, (reach,))
        wide = xp.concat([edge, values, edge])
        return [wide[reach + s : reach + s + n] for s in steps]

    climbs = [xp.abs(height - h) for h in around(height, never - never)]
    # Twice the level at which an element was reached, and one more for the background.
    stage = xp.where(label > 0, xp.zeros_like(height), xp.ones_like(height))
    stage = xp.where(label == 0, never, stage)

    def flooded(state: Any) -> Any:
        label, stage, level, _ = state
        stages = around(stage, never)
        least, from_objects = never, never
        for climb, at in zip(climbs, stages, strict=True):
            least = xp.minimum(least, xp.where(at < never, climb, never))
            from_objects = xp.minimum(from_objects, xp.where(at % 2 == 0, climb, never))
        open_ = stage == never
        lowest = xp.min(xp.where(open_, least, never))
        first = xp.min(xp.where(open_, from_objects, never))
        # On one level objects go on to their end before the background does.
        objects = (lowest <= level) & (first <= level)
        level = xp.where(lowest < never[0], xp.maximum(level, lowest), level)
        best, chosen = never, label
        for climb, at, its in zip(
            climbs, stages, around(label, xp.zeros_like(label[:1])), strict=True
        ):
            better = open_ & (climb <= level) & (at < best) & ~(objects & (at % 2 == 1))
            best, chosen = xp.where(better, at, best), xp.where(better, its, chosen)
        reached = 2 * level + xp.astype(chosen < 0, xp.int32)
        stage = xp.where(open_ & (best < never), reached, stage)
        return chosen, stage, level, lowest < never[0]

    zero = xp.zeros((), dtype=xp.int32, device=where)
    start = label, stage, zero, xp.asarray(True, device=where)
    found = while_loop(lambda state: state[-1], flooded, start)[0]
    return xp.reshape(found, x.shape)
