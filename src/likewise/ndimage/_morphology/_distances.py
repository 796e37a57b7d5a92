"""Distances of elements to the nearest background, and where that is."""

import math
from collections.abc import Sequence
from typing import Any

from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, is_neutral
from ..._native import Lines, Made, native, public
from ...errors import ArgumentError, ImageError, NotSupported
from ...missing import safe_sqrt
from ...transforms import stop_gradient
from .._base._arguments import beside, for_each, image
from .._base._dtypes import usual
from .._base._pieces import in_parts
from .._base._windows import cross, given, shape_of, truth
from ._nearest import joined, nearest_in_all, nearest_in_lines, nearest_in_steps

__all__ = ["distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"]

_TAXICAB = ("taxicab", "cityblock", "manhattan")


@public
def distance_transform_edt(
    input: Any,
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Find the Euclidean distance of each element to the nearest background.

    Parameters
    ----------
    input : array
        Numbers or booleans, of any number of dimensions; zeros are the background.
    sampling : float, sequence of float or array, optional
        The distance between neighbours, along all axes or each. Default: 1.
    return_distances : bool, optional
        Whether to return distances.
    return_indices : bool, optional
        Whether to return the indices of the nearest background.
    distances, indices : None
        Arrays are never written into.

    Returns
    -------
    array
        Distances, with the shape and floating dtype of `input`, of other dtypes the library's
        default one.
    array of int32, shape (ndim, ...)
        The indices of the nearest element of the background, along each axis. Both in a tuple if
        both are wanted.

    Raises
    ------
    ImageError
        If nothing is wanted, or `sampling` is neither one number nor one for each axis.
    NotSupported
        If `distances` or `indices` are given.

    Notes
    -----
    Exact. One axis after the other, the square of the distance is the least of a parabola around
    each element of a line [1]_. Envelopes of blocks of parabolas are joined two by two, in some
    dozen operations for each element. Differentiable with respect to `sampling`, where the nearest
    background stays the same.

    Without any background, distances are those to an element before the first axis, as SciPy's.

    Differs from SciPy: of several nearest elements, another one may be found; float32 stays.

    References
    ----------
    .. [1] P. F. Felzenszwalb, D. P. Huttenlocher, "Distance Transforms of Sampled Functions",
       Theory of Computing 8 (2012), 415-428.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import distance_transform_edt
    >>> distance_transform_edt(np.asarray([[0, 1, 1], [1, 1, 1]])).round(3)
    array([[0.   , 1.   , 2.   ],
           [1.   , 1.414, 2.236]])
    """
    name = "distance_transform_edt"
    _check(name, return_distances, return_indices, distances, indices)
    x = image(name, input)
    x = x if usual(x) else truth(x)
    x = array_namespace(x).reshape(x, (1,)) if x.ndim == 0 else x
    s = _sampling(name, x, sampling)
    if not return_indices:
        return _euclidean(x, s)
    found = _features(x, _fixed(s), False, True)
    return (_measured(x, found, s), found) if return_distances else found


@public
def distance_transform_cdt(
    input: Any,
    metric: Any = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Find the number of steps between neighbours from each element to the nearest background.

    Parameters
    ----------
    input : array
        Numbers or booleans, of any number of dimensions; zeros are the background.
    metric : {'chessboard', 'taxicab'} or array, shape (3, ..., 3), optional
        The neighbours of an element: all that touch it, those along the axes ('cityblock' and
        'manhattan' are the same), or a structure, of which the first half counts, and its mirror
        image.
    return_distances, return_indices, distances, indices
        As for `distance_transform_edt`.

    Returns
    -------
    array of int32
        Numbers of steps, with the shape of `input`; -1 where there is no way to the background.
    array of int32, shape (ndim, ...)
        The indices of the nearest element of the background, along each axis; of the element
        itself where there is no way. Both in a tuple if both are wanted.

    Raises
    ------
    ArgumentError
        If there is no such metric, or the structure has another shape.
    ImageError, NotSupported
        As for `distance_transform_edt`.

    Notes
    -----
    Steps in both directions of the first axis, one after the other, until nothing changes: as many
    operations on the image as the largest distance has steps, for each neighbour. Not
    differentiable.

    Differs from SciPy: of several nearest elements, another one may be found.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import distance_transform_cdt
    >>> distance_transform_cdt(np.asarray([[0, 1, 1], [1, 1, 1]]), "taxicab")
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    name = "distance_transform_cdt"
    _check(name, return_distances, return_indices, distances, indices)
    x = image(name, input)
    x = x if usual(x) else truth(x)
    if isinstance(metric, str):
        if metric not in (*_TAXICAB, "chessboard"):
            raise ArgumentError(
                f"{name}: metric must be 'chessboard', 'taxicab' or a structure, got {metric!r}"
            )
        w: Any = metric
    else:
        w = given(name, "metric", x, metric, bool)
        w = truth(w) if hasattr(w, "shape") else w  # SciPy takes any bytes for booleans
        if shape_of(w) != (3,) * x.ndim:
            raise ArgumentError(
                f"{name}: metric must be a structure with the sizes {(3,) * x.ndim}, got "
                f"{shape_of(w)}"
            )
    return _steps(x, w, return_distances, return_indices)


@public
def distance_transform_bf(
    input: Any,
    metric: str = "euclidean",
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
) -> Any:
    """Find the distance of each element to the nearest background by trying all.

    Parameters
    ----------
    input : array
        Numbers or booleans, of any number of dimensions; zeros are the background.
    metric : {'euclidean', 'taxicab', 'cityblock', 'manhattan', 'chessboard'}, optional
        The distance of two elements: the Euclidean one, the sum of distances along the axes, or
        the largest of them.
    sampling : float, sequence of float or array, optional
        The distance between neighbours, along all axes or each, of Euclidean distances; others
        don't use it. Default: 1.
    return_distances, return_indices, distances, indices
        As for `distance_transform_edt`.

    Returns
    -------
    array
        Distances, with the shape of `input`: Euclidean ones as from `distance_transform_edt`,
        others as uint32.
    array of int32, shape (ndim, ...)
        The indices of the nearest element of the background, along each axis. Both in a tuple if
        both are wanted.

    Raises
    ------
    ImageError, NotSupported
        As for `distance_transform_edt`; ImageError also for another metric.

    Notes
    -----
    Some operations for each pair of elements: use `distance_transform_edt` for large images.
    Euclidean distances are differentiable with respect to `sampling`, where the nearest background
    stays the same.

    Without any background, distances are the largest numbers of their dtype (the root of it for
    Euclidean ones), and indices zeros.

    Differs from SciPy: of several nearest elements, another one may be found; float32 stays.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import distance_transform_bf
    >>> distance_transform_bf(np.asarray([[0, 1, 1], [1, 1, 1]]), "chessboard")
    array([[0, 1, 2],
           [1, 1, 2]], dtype=uint32)
    """
    name = "distance_transform_bf"
    _check(name, return_distances, return_indices, distances, indices)
    x = image(name, input)
    x = x if usual(x) else truth(x)
    kind = metric.lower() if isinstance(metric, str) else metric
    kind = "taxicab" if kind in _TAXICAB else kind
    if kind not in ("euclidean", "taxicab", "chessboard"):
        raise ImageError(
            f"{name}: metric must be 'euclidean', 'taxicab' or 'chessboard', got {metric!r}"
        )
    s = _sampling(name, x, sampling) if kind == "euclidean" else None
    found = _tried(x, kind, _fixed(s), False, True)
    if not return_distances:
        return found
    made = _far(x, _measured(x, found, s, kind), kind)
    return (made, found) if return_indices else made


# -- arguments -------------------------------------------------------------------------------------


def _check(
    function: str, return_distances: Any, return_indices: Any, distances: Any, indices: Any
) -> None:
    if distances is not None or indices is not None:
        raise NotSupported(
            f"{function}: arrays are never written into. Leave distances and indices away, and use "
            "the returned arrays."
        )
    if not return_distances and not return_indices:
        raise ImageError(
            f"{function}: at least one of return_distances/return_indices must be True"
        )


def _sampling(function: str, x: Any, sampling: Any) -> Any:
    """Return the steps along all axes: None, a tuple of numbers, or an array."""
    if sampling is None:
        return None
    steps = tuple(sampling) if isinstance(sampling, range) else sampling
    if is_neutral(steps):
        steps = for_each(function, "sampling", steps, x.ndim)
        if all(hasattr(s, "__float__") for s in steps):
            return tuple(map(float, steps))
    if is_neutral(steps) or isinstance(sampling, Sequence):
        raise ArgumentError(f"{function}: sampling must hold numbers, got {sampling!r}")
    s = beside(function, ("input", "sampling"), x, sampling)
    if s.shape not in ((), (1,), (x.ndim,)):
        raise ImageError(
            f"{function}: sampling must have one number, or one for each of {x.ndim} axes; got the "
            f"shape {tuple(s.shape)}"
        )
    xp = array_namespace(s)
    return xp.broadcast_to(xp.reshape(s, (-1,)), (x.ndim,))


def _fixed(s: Any) -> Any:
    """Return steps as they decide on the nearest element, which has no derivative."""
    return stop_gradient(s) if hasattr(s, "shape") else s


def _dtype(x: Any, s: Any) -> Any:
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        return xp.float64 if x.dtype == xp.complex128 else xp.float32
    if xp.isdtype(x.dtype, "real floating"):
        return x.dtype
    return s.dtype if hasattr(s, "shape") else default_floating(xp, device(x))


# -- distances of found elements -------------------------------------------------------------------


def _apart(found: Any, s: Any, dtype: Any, axis: int, start: int) -> Any:
    """Return the way along an axis from each element to the found one; the last axis from start."""
    xp, n, ndim = array_namespace(found), found.shape[axis + 1], found.ndim - 1
    start = start if axis == ndim - 1 else 0
    here = xp.arange(start, start + n, dtype=found.dtype, device=device(found))
    here = xp.reshape(here, tuple(n if i == axis else 1 for i in range(ndim)))
    way = xp.astype(found[axis, ...] - here, dtype)
    return way if s is None else way * s[axis]


def _measured(x: Any, found: Any, s: Any, metric: str = "euclidean") -> Any:
    """Return the distance of each element to the found one."""
    xp, dtype = array_namespace(x), _dtype(x, s)

    def part(found: Any, start: int) -> Any:
        total: Any = None
        for axis in range(x.ndim):
            total = joined(xp, total, _apart(found, s, dtype, axis, start), metric)
        return safe_sqrt(total) if metric == "euclidean" else xp.astype(total, xp.uint32)

    return in_parts(part, found, -1, not hasattr(s, "shape"))


def _far(x: Any, made: Any, metric: str) -> Any:
    """Return distances; the largest numbers without any background."""
    xp = array_namespace(x)
    if metric == "euclidean":
        far = math.sqrt(float(xp.finfo(made.dtype).max))
    else:
        far = xp.asarray(2**32 - 1, dtype=made.dtype, device=device(x))
    return xp.where(xp.all(truth(x)), far, made)


# -- steps -----------------------------------------------------------------------------------------


def _plain(x: Any, option: Any, *rest: Any) -> bool:
    """numbers that SciPy has, and an option of their library."""
    known = not hasattr(option, "shape") or type(option) is type(x)
    return known and x.ndim > 0 and 0 not in x.shape


def _plain_sampling(x: Any, metric: str, sampling: Any, *rest: Any) -> bool:
    """numbers that SciPy has, and a sampling of their library."""
    return _plain(x, sampling)


def _plain_one(x: Any, metric: Any, values: bool, indices: bool) -> bool:
    """numbers that SciPy has, and one result."""
    return not (values and indices) and _plain(x, metric)


def _double(x: Any, sampling: Any) -> bool:
    """distances in double precision, and a sampling of their library."""
    return _plain(x, sampling) and bool(_dtype(x, sampling) == array_namespace(x).float64)


def _in_place(x: Any, sampling: Any) -> Lines:
    labels = (None,) * x.ndim
    return Lines({0: labels}, Made(tuple(x.shape), labels, _dtype(x, sampling)))


def _at_once(x: Any, *rest: Any) -> Lines:
    xp = array_namespace(x)
    labels = (None,) * x.ndim
    return Lines({0: labels}, Made((x.ndim, *x.shape), (None, *labels), xp.int32))


def _of_both(x: Any, metric: Any, values: bool, indices: bool) -> Lines:
    xp = array_namespace(x)
    labels = (None,) * x.ndim
    made = [Made(tuple(x.shape), labels, xp.int32)] if values else []
    made += [Made((x.ndim, *x.shape), (None, *labels), xp.int32)] if indices else []
    return Lines({0: labels}, made if len(made) > 1 else made[0])


@native(
    numpy="scipy.ndimage:distance_transform_edt",
    torch="scipy.ndimage:distance_transform_edt",
    when=_double,
    blocks=_in_place,
)
def _euclidean(x: Any, sampling: Any) -> Any:
    return _measured(x, _features(x, _fixed(sampling), False, True), sampling)


@native(
    numpy="scipy.ndimage:distance_transform_edt",
    torch="scipy.ndimage:distance_transform_edt",
    when=_plain,
    blocks=_at_once,
)
def _features(x: Any, sampling: Any, values: bool, indices: bool) -> Any:
    return nearest_in_lines(x, sampling)


@native(
    numpy="scipy.ndimage:distance_transform_bf",
    torch="scipy.ndimage:distance_transform_bf",
    when=_plain_sampling,
    blocks=_at_once,
)
def _tried(x: Any, metric: str, sampling: Any, values: bool, indices: bool) -> Any:
    return nearest_in_all(x, metric, sampling)


@native(
    numpy="scipy.ndimage:distance_transform_cdt",
    torch="scipy.ndimage:distance_transform_cdt",
    when={"numpy": _plain, "torch": _plain_one},
    blocks=_of_both,
)
def _steps(x: Any, metric: Any, values: bool, indices: bool) -> Any:
    if isinstance(metric, str):
        metric = _touching(x.ndim) if metric == "chessboard" else cross(x.ndim)
    steps, found = nearest_in_steps(x, metric)
    return (steps, found) if values and indices else found if indices else steps


def _touching(ndim: int) -> Any:
    return (_touching(ndim - 1),) * 3 if ndim else True
