"""Structures that say which elements are neighbours."""

from typing import Any

from ... import _creation
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ImageError
from .._base._arguments import for_each, image, integer
from .._base._dtypes import copied
from .._base._windows import truth
from ._binary import dilated

__all__ = ["generate_binary_structure", "iterate_structure"]

_device = device  # the name of an argument, too


@public
def generate_binary_structure(
    rank: int, connectivity: int, *, namespace: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return the structure of an element and its neighbours.

    Parameters
    ----------
    rank : int
        The number of dimensions.
    connectivity : int
        How many indices of a neighbour may differ from the element's: 1 for neighbours along the
        axes, `rank` for all that touch it.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `like`, else the default namespace
        (`likewise.use`).
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    like : array, optional
        An array; the result has its library and device.

    Returns
    -------
    array of bool, shape (3, ..., 3)
        True at the element and its neighbours; of shape () for `rank` below 1.

    Raises
    ------
    ArgumentError
        If `rank` is not an integer, or both `like` and `namespace` are given.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Examples
    --------
    >>> from likewise.ndimage import generate_binary_structure
    >>> generate_binary_structure(2, 1)
    array([[False,  True, False],
           [ True,  True,  True],
           [False,  True, False]])
    """
    rank = integer("generate_binary_structure", "rank", rank)
    xp, where = _creation.target("generate_binary_structure", namespace, device, like)
    if rank < 1:
        return xp.asarray(True, dtype=xp.bool, device=where)
    steps = xp.asarray([1, 0, 1], dtype=xp.int8, device=where)
    total: Any = None
    for axis in range(rank):
        part = xp.reshape(steps, tuple(3 if i == axis else 1 for i in range(rank)))
        total = part if total is None else total + part
    return total <= max(connectivity, 1)


@public
def iterate_structure(structure: Any, iterations: int, origin: Any = None) -> Any:
    """Dilate a structure with itself.

    Parameters
    ----------
    structure : array
        A structure: what differs from zero belongs to it.
    iterations : int
        The number of copies of the structure that are put together; below 2 it is unchanged.
    origin : int or sequence of int, optional
        The shift of the structure.

    Returns
    -------
    array of bool, or tuple of it and list of int
        The structure for one step instead of `iterations` steps; with its shift if `origin` is
        given.

    Raises
    ------
    ArgumentError
        If `iterations` is not an integer.
    ImageError
        If `origin` is neither one number nor one for each axis.

    Examples
    --------
    >>> from likewise.ndimage import generate_binary_structure, iterate_structure
    >>> iterate_structure(generate_binary_structure(2, 1), 2).astype(int)
    array([[0, 0, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 1, 1, 1, 1],
           [0, 1, 1, 1, 0],
           [0, 0, 1, 0, 0]])
    """
    x = image("iterate_structure", structure, "structure")
    more = integer("iterate_structure", "iterations", iterations) - 1
    if 0 in x.shape:
        raise ImageError("iterate_structure: structure must have elements, got none")
    origins = None if origin is None else for_each("iterate_structure", "origin", origin, x.ndim)
    if more < 1:
        return copied(array_namespace(x), x)
    xp, found = array_namespace(x), truth(x)
    for axis, n in enumerate(x.shape):
        before = more * (n // 2)
        parts = [found]
        for count, front in ((before, True), (more * (n - 1) - before, False)):
            shape = (*found.shape[:axis], count, *found.shape[axis + 1 :])
            part = xp.zeros(shape, dtype=xp.bool, device=_device(x))
            parts = [part, *parts] if front else [*parts, part]
        found = xp.concat(parts, axis=axis)
    found = dilated(found, x, more)
    return found if origins is None else (found, [(more + 1) * o for o in origins])
