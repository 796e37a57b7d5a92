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
    """Return the flat index of the first smallest or largest element of one group."""
    v, places = _members(x, labels, index)
    if not v.size:
        return NotImplemented
    found = v.argmax() if largest else v.argmin()
    return found if places is None else places[found]


def chosen(x: Any, labels: Any, index: Any, largest: bool) -> Any:
    """Return the smallest or largest element of one group."""
    if labels is None:
        return x.max() if largest else x.min()
    v, _ = _members(x, labels, index)
    if not v.size:
        return NotImplemented
    return v.max() if largest else v.min()


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
