"""NumPy."""

import functools
import math
from typing import Any

import array_api_compat.numpy as compat
import numpy as np

from .._memo import PLAIN, looked
from .._namespace import standard
from ..errors import ArgumentError
from . import _special_values

name = "numpy"
namespace = standard(
    name,
    compat,
    {
        "expm1": _special_values.expm1(compat),
        # It takes a microsecond, and most plans ask.
        "isdtype": functools.cache(compat.isdtype),  # type: ignore[attr-defined]
        "finfo": _special_values.finfo(compat.finfo),  # type: ignore[attr-defined]
        "tanh": _special_values.tanh(compat),
    },
)

PLAIN.add(np.ndarray)
SCALARS = tuple(
    {t for t in np.sctypeDict.values() if issubclass(t, np.number | np.bool_)} - {np.timedelta64}
)


# What the ways of `signal.convolve` cost, as `ci/bench --only convolve` measures them. Directly, by
# SciPy's routine and by sums: microseconds a call; nanoseconds a result, a product, and a product
# where they are more than so many, which leave the cache. By the transform: microseconds a call;
# nanoseconds a step, of which n points need n log2(n), and where they are more than so many points.
CONVOLUTION = {
    "routine": (19.0, 24.0, 0.3, 0.3, 0.0),
    "sums": (120.0, 0.0, 7.5, 40.0, 1e6),
    "fft": (75.0, 3.5, 14.5, 3e4),
}


def version() -> str:
    return np.__version__


def own_types() -> tuple[type, ...]:
    return (np.ndarray,)


def is_array(x: object) -> bool:
    return isinstance(x, np.ndarray) and not isinstance(x, np.ma.MaskedArray | np.matrix)


def refusal(x: object) -> str | None:
    if isinstance(x, np.ma.MaskedArray):
        return "Fill it, x.filled(np.nan), or pass x.data and the mask as a weight."
    if isinstance(x, np.matrix):
        return "Use a plain array: np.asarray(x)."
    if isinstance(x, np.generic):
        return "NumPy's scalars are no arrays; those that are numbers may stand beside arrays."
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
    return False


def is_host(x: Any) -> bool:
    looked()
    return True


def to_numpy(x: Any) -> Any:
    looked()
    return np.asarray(x)


def from_numpy(x: Any, device: Any) -> Any:
    return x


def facts() -> dict[str, Any]:
    return {
        "jit": "no",
        "grad": "traced",
        "vmap": "traced",
        "mutable": True,
        "lazy": False,
        "float64": True,
    }


def at_set(x: Any, index: Any, value: Any) -> Any:
    out = np.array(x)
    out[index] = value
    return out


def quiet() -> Any:
    looked()
    return np.errstate(all="ignore")


# What turns an array of another library into NumPy's, though that library is not asked.
CONVERSIONS = tuple(
    (np, n)
    for n in "array asanyarray asarray ascontiguousarray asfortranarray copy from_dlpack".split()
)


def _outside(ids: Any, size: int) -> bool:
    """Tell if an index is negative, which is very large without its sign, or not below `size`."""
    return bool(ids.size and ids.view(np.uint64).max() >= size)


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment; those of no segment are left out."""
    if _outside(ids, size):
        inside = (ids >= 0) & (ids < size)
        ids, data = ids[inside], data[inside]
    shape, width = (size, *data.shape[1:]), math.prod(data.shape[1:])
    if data.ndim > 1:  # NumPy is quick along one dimension only
        ids, data = (ids[:, None] * width + np.arange(width)).reshape(-1), data.reshape(-1)
    total = size * width
    plain = op == "add" and math.copysign(1.0, initial) > 0  # it starts at 0.0, and never at -0.0
    if plain and data.dtype.kind == "f":
        out = np.bincount(ids, data, total).astype(data.dtype)
    elif plain and data.dtype.kind == "c":
        out = np.empty(total, data.dtype)
        out.real, out.imag = (np.bincount(ids, part, total) for part in (data.real, data.imag))
    else:
        out = np.full(total, initial, data.dtype)
        with np.errstate(all="ignore"):
            getattr(np, op).at(out, ids, data)
    return out.reshape(shape)


def tallied(x: Any, weights: Any, size: int) -> Any:
    """`bincount` of a given size."""
    if _outside(x, size):
        if x.min() < 0:
            raise ArgumentError("bincount: x must not be negative, but its smallest element is")
        inside = x < size
        x, weights = x[inside], None if weights is None else weights[inside]
    out = np.bincount(x, weights, size)
    return out if weights is None else out.astype(float, copy=False)  # of nothing, integers


def count(ids: Any, size: int) -> Any:
    if _outside(ids, size):
        ids = ids[(ids >= 0) & (ids < size)]
    return np.bincount(ids, minlength=size)


def at_update(x: Any, index: Any, value: Any, op: str) -> Any:
    out = np.array(x)
    with np.errstate(all="ignore"):
        getattr(np, op).at(out, index, value)
    return out


def put(x: Any, indices: Any, values: Any, mode: Any) -> Any:
    out = np.array(x)
    try:
        np.put(out, indices, values, mode)
    except IndexError:
        return NotImplemented  # and the generic body says what is wrong
    return out
