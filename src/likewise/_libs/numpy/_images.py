"""SciPy's functions of images as rows call them: quiet, and for numbers that they survive.

NotImplemented stands for what the body does faster, or SciPy refuses.
"""

from typing import Any

import numpy as np
from scipy import ndimage

# Looked up once: who puts likewise's functions in SciPy's place still gets SciPy's here.
sum_labels = ndimage.sum_labels
_MEAN, _VARIANCE, _LABEL = ndimage.mean, ndimage.variance, ndimage.label
_VALUES, _SHIFT, _AFFINE = ndimage.value_indices, ndimage.shift, ndimage.affine_transform


def mean(x: Any, labels: Any, index: Any) -> Any:
    with np.errstate(all="ignore"):
        return _MEAN(x, labels, index)


def variance(x: Any, labels: Any, index: Any) -> Any:
    if labels is None or not isinstance(index, np.ndarray):
        v, _ = _members(x, labels, index)
        return v.var() if v.size else NotImplemented
    if x.shape != labels.shape:  # which SciPy gets wrong
        return NotImplemented
    with np.errstate(all="ignore"):
        return _VARIANCE(x, labels, index)


def standard_deviation(x: Any, labels: Any, index: Any) -> Any:
    found = variance(x, labels, index)
    return found if found is NotImplemented else np.sqrt(found)


def _members(x: Any, labels: Any, index: Any) -> tuple[Any, Any]:
    """Return the elements of one group, and their places."""
    if labels is None:
        return x.reshape(-1), None
    if x.shape != labels.shape:
        x, labels = np.broadcast_arrays(x, labels)
    (places,) = np.nonzero((labels > 0 if index is None else labels == index).reshape(-1))
    return x.reshape(-1)[places], places


def place(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    """Return the flat index of the first smallest or largest element of each group."""
    if isinstance(index, np.ndarray):
        return _place_of_each(x, labels, index, largest)
    v, places = _members(x, labels, index)
    if not v.size:
        return NotImplemented
    found = v.argmax() if largest else v.argmin()
    return found if places is None else places[found]


def chosen(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    """Return the smallest or largest element of each group."""
    if isinstance(index, np.ndarray):
        return _chosen_of_each(x, labels, index, largest)
    if labels is None:
        return x.max() if largest else x.min()
    v, _ = _members(x, labels, index)
    if not v.size:
        return NotImplemented
    return v.max() if largest else v.min()


def _extremes(x: Any, labels: Any, largest: bool) -> Any:
    """Return elements, labels from 0 on, the first label, and the extreme of each; None for many.

    Labels may be far apart: a table of all between must not be much larger than the image.
    """
    if x.shape != labels.shape:
        x, labels = np.broadcast_arrays(x, labels)
    v, low, high = x.reshape(-1), int(labels.min()), int(labels.max())
    if high - low > 4 * v.size + 1024 or high >= 2**63:
        return None
    ids = labels.reshape(-1).astype(np.int64, copy=False) - low
    if v.dtype.kind == "f":
        nothing = -np.inf if largest else np.inf
    elif v.dtype.kind == "b":
        nothing = not largest
    else:
        nothing = np.iinfo(v.dtype).min if largest else np.iinfo(v.dtype).max
    best = np.full(high - low + 1, nothing, dtype=v.dtype)
    with np.errstate(invalid="ignore"):  # NaN
        (np.maximum if largest else np.minimum).at(best, ids, v)
    return v, ids, low, best


def _of_index(table: Any, index: Any, low: int, nothing: int) -> Any:
    inside = (index >= low) & (index < low + table.size)
    return np.where(inside, table[np.where(inside, index - low, 0).astype(np.int64)], nothing)


def _chosen_of_each(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    found = _extremes(x, labels, largest)
    if found is None:
        return NotImplemented
    v, ids, low, best = found
    best[np.bincount(ids, minlength=best.size) == 0] = 0
    return _of_index(best, index, low, 0).astype(v.dtype, copy=False)


def _place_of_each(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    found = _extremes(x, labels, largest)
    if found is None:
        return NotImplemented
    v, ids, low, best = found
    hit = v == best[ids]
    if v.dtype.kind == "f":
        hit |= v != v
    (places,) = np.nonzero(hit)
    first = np.full(best.size, -1)
    first[ids[places[::-1]]] = places[::-1]  # the last one that is written stays
    return _of_index(first, index, low, -1)


def median(x: Any, labels: Any, index: Any) -> Any:
    v, _ = _members(x, labels, index)
    return np.median(v) if v.size else NotImplemented


def label(x: Any, structure: Any) -> Any:
    found, number = _LABEL(x, structure)
    return found, np.int64(number)


def value_indices(x: Any, ignore_value: Any) -> Any:
    return _VALUES(x, ignore_value=ignore_value)


def shift(x: Any, by: Any, *options: Any) -> Any:
    """Call SciPy's, but for numbers that end its process."""
    return _SHIFT(x, by, *options) if _near(by) else NotImplemented


def affine_transform(x: Any, matrix: Any, offset: Any, *options: Any) -> Any:
    """Call SciPy's, alike."""
    if not _near(matrix) or not _near(offset):
        return NotImplemented
    return _AFFINE(x, matrix, offset, *options)


def _near(numbers: Any) -> bool:
    return bool((np.abs(numbers) < 2**31).all())  # not of NaN
