"""Dask: elementwise work, reductions and maps over blocks; nothing is computed unasked."""

from typing import Any

import array_api_compat.dask.array as compat
import dask
import dask.array as da
import numpy as np

from .._namespace import standard
from .._standard import FFT

name = "dask"


def _one_chunk(x: Any, axes: Any) -> Any:
    """Merge the chunks along the axes that a routine needs whole."""
    whole = {a % x.ndim: -1 for a in axes if len(x.chunks[a % x.ndim]) > 1}
    return x.rechunk(whole) if whole else x


def _transform(name: str) -> Any:
    """A Fourier transform by blocks, one chunk along its axes.

    Not dask.array's own: those want that chunk made by the caller, have no ``norm``, and warn of
    the cast from complex metadata to the real result of an inverse.
    """
    routine = getattr(np.fft, name)
    several = name.endswith("n")
    half = name in ("rfft", "rfftn", "ihfft")
    double = name in ("irfft", "irfftn", "hfft")
    real = double
    key, key_axes = ("s", "axes") if several else ("n", "axis")

    def transform(x: Any, /, **options: Any) -> Any:
        sizes, axes = options.pop(key, None), options.pop(key_axes, None)
        if not several:
            sizes, axes = None if sizes is None else (sizes,), (-1 if axes is None else axes,)
        elif axes is None:
            axes = range(x.ndim) if sizes is None else range(-len(sizes), 0)
        axes = [a % x.ndim for a in axes]
        if sizes is None:
            sizes = [x.shape[a] for a in axes]
            if double:
                sizes[-1] = 2 * (sizes[-1] - 1)
        sizes = [int(n) for n in sizes]
        x = _one_chunk(x, axes)
        chunks = list(x.chunks)
        for a, n in zip(axes, sizes, strict=True):
            chunks[a] = (n,)
        if half:
            chunks[axes[-1]] = (sizes[-1] // 2 + 1,)
        single = x.dtype in (np.float32, np.complex64)
        dtype = np.dtype(("f4" if single else "f8") if real else ("c8" if single else "c16"))
        options |= {key: sizes, key_axes: axes} if several else {key: sizes[0], key_axes: axes[0]}
        meta = np.empty((0,) * x.ndim, dtype)
        return da.map_blocks(routine, x, dtype=dtype, chunks=tuple(chunks), meta=meta, **options)

    return transform


def _take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """By blocks: dask.array's own, with lazy indices, loses the metadata of complex arrays."""
    axis = 0 if axis is None else axis % x.ndim
    x, indices = _one_chunk(x, (axis,)), _one_chunk(da.asarray(indices), (0,))
    labels = list(range(x.ndim))
    out = [*labels[:axis], x.ndim, *labels[axis + 1 :]]
    return da.blockwise(
        np.take,
        out,
        x,
        labels,
        indices,
        (x.ndim,),
        axis=axis,
        dtype=x.dtype,
        concatenate=True,
        meta=np.empty((0,) * x.ndim, x.dtype),
    )


def _take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    x, indices = _one_chunk(x, (axis,)), _one_chunk(indices, (axis,))
    return da.map_blocks(
        np.take_along_axis, x, indices, axis=axis, dtype=x.dtype, chunks=indices.chunks
    )


def _from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    return da.from_array(np.from_dlpack(x, copy=copy))


_transforms = FFT - {"fftfreq", "rfftfreq", "fftshift", "ifftshift"}
namespace = standard(
    name,
    compat,
    {f"fft.{n}": _transform(n) for n in _transforms}
    | {
        "broadcast_shapes": np.broadcast_shapes,
        "take": _take,
        "take_along_axis": _take_along_axis,
        "from_dlpack": _from_dlpack,
    },
)


def version() -> str:
    return str(dask.__version__)


def own_types() -> tuple[type, ...]:
    return (da.Array,)


def is_array(x: object) -> bool:
    return isinstance(x, da.Array)


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    return "cpu"


def devices() -> list[Any]:
    return ["cpu"]


def find_device(name: str) -> Any:
    if name not in ("cpu", "cpu:0"):
        raise LookupError(name)
    return "cpu"


def is_lazy(x: Any) -> bool:
    return True


def is_host(x: Any) -> bool:
    return False


def to_numpy(x: Any) -> Any:
    return np.asarray(x.compute())


def from_numpy(x: Any, device: Any) -> Any:
    return da.from_array(x)


def facts() -> dict[str, Any]:
    return {"jit": "no", "grad": "no", "vmap": "no", "mutable": True, "lazy": True, "float64": True}


def at_set(x: Any, index: Any, value: Any) -> Any:
    out = x.copy()
    out[index] = value
    return out


def map_batches(fun: Any, shared: Any, arrays: Any, width: int) -> Any:
    """``fun(shared, *blocks) -> (b, width)`` over blocks of rows; None passes through.

    Rows are split as those of the array with the most blocks, columns are not; `shared` is whole.
    """
    rows = max((a.chunks[0] for a in arrays if a is not None), key=len)
    arrays = [None if a is None else a.rechunk((rows, -1)) for a in arrays]
    args: list[Any] = []
    for label, a in enumerate(arrays):
        args += [a, None if a is None else ("row", f"column{label}")]
    whole = shared.rechunk(-1) if isinstance(shared, da.Array) else shared
    labels = tuple(f"shared{i}" for i in range(whole.ndim)) if isinstance(whole, da.Array) else None
    dtype = arrays[0].dtype
    return da.blockwise(
        fun,
        ("row", "width"),
        whole,
        labels,
        *args,
        new_axes={"width": width},
        dtype=dtype,
        meta=np.empty((0, 0), dtype),
        concatenate=True,
    )
