"""NumPy."""

import functools
from typing import Any

import array_api_compat.numpy as compat
import numpy as np

from ..._memo import PLAIN, looked
from ..._namespace import standard
from .. import _special_values

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
