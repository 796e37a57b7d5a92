"""Dask's own routines, made to mean what the standard's way means: what rows call."""

from typing import Any

import dask.array as da
import numpy as np


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment, in each block for itself, then what the blocks have found."""
    if 0 in data.shape[1:]:  # of which Dask finds no extremes
        return da.full((size, *data.shape[1:]), initial, dtype=data.dtype)
    rows, ufunc = data.chunks[0], getattr(np, op)

    def block(ids: Any, data: Any) -> Any:
        out = np.full((size, *data.shape[1:]), initial, data.dtype)
        inside = (ids >= 0) & (ids < size)
        with np.errstate(all="ignore"):
            ufunc.at(out, ids[inside], data[inside])
        return out[None]

    labels = tuple(range(data.ndim))
    found = da.blockwise(
        block,
        (0, data.ndim, *labels[1:]),
        ids.rechunk((rows,)),
        (0,),
        data,
        labels,
        new_axes={data.ndim: size},
        adjust_chunks={0: 1},
        dtype=data.dtype,
        meta=np.empty((0,) * (data.ndim + 1), data.dtype),
        concatenate=True,
    )
    join = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max"}[op]
    options = {"dtype": data.dtype} if join in ("sum", "prod") else {}
    return getattr(da, join)(found, axis=0, **options)
