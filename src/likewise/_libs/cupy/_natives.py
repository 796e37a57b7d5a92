"""CuPy's own routines, made to mean what the standard's way means: what rows call."""

from typing import Any

import cupy as cp

# What `add.at` takes, by the documentation of `cupyx.scatter_add`, and what stands for the others:
# sums of integers are the same modulo two to the bits, with and without a sign.
_SUMMED = {"i1": "i4", "i2": "i4", "u1": "u4", "u2": "u4", "i8": "u8"}


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows summed by segment; those of no segment go into one more, which is dropped.

    NotImplemented for what CuPy has no `ufunc.at` for (products), or none that is documented for
    all dtypes and NaN (extremes).
    """
    if op != "add":
        return NotImplemented
    with data.device:  # new arrays go to the current device
        ids = cp.where((ids >= 0) & (ids < size), ids, size)
        if data.dtype.kind == "c":
            parts = [_summed(part, ids, size, 0) for part in (data.real, data.imag)]
            return (parts[0] + 1j * parts[1]).astype(data.dtype, copy=False)
        return _summed(data, ids, size, initial)


def _summed(data: Any, ids: Any, size: int, initial: Any) -> Any:
    own = data.dtype
    some = data.astype(_SUMMED.get(own.str[1:], own), copy=False)
    out = cp.full((size + 1, *data.shape[1:]), initial, some.dtype)
    cp.add.at(out, ids, some)
    return out[:size].astype(own, copy=False)
