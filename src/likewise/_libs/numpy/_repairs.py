"""NumPy's functions that are written in Python: quicker ones for small arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

_MOST = 1024  # elements of an array, beyond which copying takes the time
_NUMBERS = frozenset(
    np.dtype(code).type for code in "? i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16".split()
)
_DTYPES = frozenset(map(np.dtype, _NUMBERS))


def stack(arrays: Any, axis: Any = 0, **more: Any) -> Any:
    """Stack arrays as ``np.stack`` does; numbers and vectors of one dtype by ``np.array``."""
    if axis not in (0, 1) or more or type(arrays) not in (list, tuple) or not arrays:
        return np.stack(arrays, axis, **more)
    first = arrays[0]
    cls = type(first)
    if cls is np.ndarray:
        shape, dtype = first.shape, first.dtype
        plain = (
            axis <= first.ndim < 2 and first.size <= _MOST and dtype in _DTYPES and dtype.isnative
        )
        for a in arrays:
            if type(a) is not cls or a.dtype != dtype or a.shape != shape:
                plain = False
    else:
        plain = axis == 0 and cls in _NUMBERS and all(type(a) is cls for a in arrays)
    if not plain:
        return np.stack(arrays, axis)
    return np.array(arrays).T.copy() if axis else np.array(arrays)


def _total(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Do for arrays what ``np.sum`` does, without its way to the ufunc."""

    def total(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
        return reduce(x, axis, dtype, None, keepdims)

    return total


def _choice(reduce: Callable[..., Any], dtype: Any = None) -> Callable[..., Any]:
    """Do the same for ``np.max`` and ``np.any``, which take no dtype."""

    def reduced(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Any:
        return reduce(x, axis, dtype, None, keepdims)

    return reduced


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """Move axes as ``np.moveaxis`` does; one by a transposition."""
    plain = type(x) is np.ndarray and type(source) is int and type(destination) is int
    if not plain or not (-x.ndim <= source < x.ndim and -x.ndim <= destination < x.ndim):
        return np.moveaxis(x, source, destination)
    order = list(range(x.ndim))
    order.insert(destination % x.ndim, order.pop(source))
    return x.transpose(order)


REDUCTIONS = {
    "all": _choice(np.logical_and.reduce, bool),
    "any": _choice(np.logical_or.reduce, bool),
    "max": _choice(np.maximum.reduce),
    "min": _choice(np.minimum.reduce),
    "prod": _total(np.multiply.reduce),
    "sum": _total(np.add.reduce),
}
