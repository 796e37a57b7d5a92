"""Dask: elementwise work, reductions and maps over blocks; nothing is computed unasked."""

import contextlib
from collections.abc import Iterator
from typing import Any

import array_api_compat.dask.array as compat
import dask
import dask.array as da
import numpy as np
from dask.callbacks import Callback

from ..._namespace import standard
from ._blocks import REPAIRS

name = "dask"
namespace = standard(name, compat, REPAIRS)


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
    return {
        "jit": "no",
        "grad": "traced",
        "vmap": "traced",
        "mutable": True,
        "lazy": True,
        "float64": True,
    }


SILENT_INDICES = True  # those out of range are clipped or left out


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
    dtype = next(a.dtype for a in arrays if a is not None)
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


def synchronous(on: bool) -> Any:
    """A context in which Dask computes in the caller's thread."""
    return dask.config.set(scheduler="synchronous" if on else None)


@contextlib.contextmanager
def computing(seen: Any) -> Iterator[None]:
    """A context that calls `seen` at each computation, by whatever way it was asked for."""
    with Callback(start=lambda graph: seen()):
        yield


HOST_READS = (
    *((da.Array, n, "copy") for n in ("__array__", "compute", "persist")),
    *(
        (da.Array, n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item")
        if hasattr(da.Array, n)
    ),
)
