"""The dtypes in which filters compute, and those of their results, as C casts them."""

import math
from typing import Any

from ..._namespace import array_namespace, device
from ..._plan import is_complex

__all__ = ["cast", "copied", "floating", "stored", "usual", "working"]


def usual(x: Any) -> bool:
    """Tell if an image has a dtype of the standard, which SciPy takes: no half, say."""
    xp = array_namespace(x)
    known = (xp.float32, xp.float64, xp.complex64, xp.complex128)
    return x.dtype in known or not xp.isdtype(x.dtype, ("real floating", "complex floating"))


def floating(xp: Any, x: Any) -> Any:
    """Return the floating dtype in which sums are computed: that of an image, or the widest."""
    if xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x.dtype
    known = xp.__array_namespace_info__().dtypes(device=device(x), kind="real floating")
    return known.get("float64", xp.float32)


def working(xp: Any, x: Any) -> Any:
    """Return an image in the floating dtype in which sums are computed."""
    dtype = floating(xp, x)
    return x if x.dtype == dtype else xp.astype(x, dtype)


def copied(xp: Any, x: Any) -> Any:
    """Return an image in memory of its own: users write into results."""
    return xp.concat((x[None, ...],), axis=0)[0, ...]


def cast(xp: Any, dtype: Any, number: Any) -> Any:
    """Return a number as C casts it to a dtype of integers: cut off, and wrapped around.

    Infinities and NaN are the least number of 64 bits, as usual.
    """
    if not xp.isdtype(dtype, ("integral", "bool")):
        return number
    info = xp.iinfo(xp.uint8 if xp.isdtype(dtype, "bool") else dtype)
    low, count = int(info.min), int(info.max) - int(info.min) + 1
    number = number if math.isfinite(number) else -(2**63)
    return (int(number) - low) % count + low


def stored(xp: Any, y: Any, dtype: Any) -> Any:
    """Return floating numbers in a dtype: integers cut the fraction off, and wrap around.

    So do booleans, which are True from 1 and down from -1.
    """
    if y.dtype == dtype:
        return y
    if is_complex(xp, y.dtype) and not is_complex(xp, dtype):
        y = xp.real(y)
    if xp.isdtype(dtype, ("integral", "bool")) and xp.isdtype(y.dtype, "real floating"):
        # From floating numbers, libraries wrap around, stop at the ends, or leave it open.
        known = xp.__array_namespace_info__().dtypes(device=device(y), kind="signed integer")
        y = xp.astype(y, known.get("int64", xp.int32))
    return xp.astype(y, dtype)
