"""array-api-strict: the standard and not a name more. Its flags are read at each use."""

from typing import Any

import array_api_strict as strict
import numpy as np

from ..._namespace import Namespace, standard
from .. import _special_values

name = "strict"


class _Strict(Namespace):
    """Extensions come and go with array-api-strict's flags; so do its names with the revision."""

    def __getattr__(self, name: str) -> Any:
        if name in ("fft", "linalg"):
            if name in strict.get_array_api_strict_flags()["enabled_extensions"]:
                return _EXTENSIONS[name]
            raise AttributeError(f"array-api-strict's extension {name!r} is switched off")
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *(e for e in _EXTENSIONS if hasattr(self, e))])


def _isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """With `invert`, which 2.6 leaves out."""
    found = strict.isin(x1, x2)
    return strict.logical_not(found) if invert else found


with strict.ArrayAPIStrictFlags(enabled_extensions=("fft", "linalg")):
    _repairs = {n: getattr(_special_values, n)(strict) for n in ("expm1", "sign", "tanh")}
    _names = standard(name, strict, _repairs | {"isin": _isin}).__dict__
_EXTENSIONS = {extension: _names[extension] for extension in ("fft", "linalg")}
namespace = _Strict(
    name, {k: v for k, v in _names.items() if k not in _EXTENSIONS and not k.startswith("__")}
)
namespace.__dict__["__array_namespace_info__"] = strict.__array_namespace_info__


CONVOLUTION = {  # as for NumPy
    "sums": (600.0, 0.0, 50.0, 150.0, 5e5),
    "fft": (200.0, 5.0, 20.0, 3e4),
}


def version() -> str:
    return str(strict.__version__)


def own_types() -> tuple[type, ...]:
    return (type(strict.empty(0)),)


def is_array(x: object) -> bool:
    return isinstance(x, own_types())


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    return x.device


def devices() -> list[Any]:
    return list(strict.__array_namespace_info__().devices())


def describe_device(device: Any) -> tuple[str, str, int | None]:
    return "cpu", str(device), None


def find_device(name: str) -> Any:
    if name not in ("cpu", "cpu:0"):
        raise LookupError(name)
    return strict.Device("CPU_DEVICE")


def is_lazy(x: Any) -> bool:
    return False


def is_host(x: Any) -> bool:
    return True


def to_numpy(x: Any) -> Any:
    return np.asarray(x.to_device(strict.Device("CPU_DEVICE")))


def from_numpy(x: Any, device: Any) -> Any:
    return strict.asarray(x, device=device)


def facts() -> dict[str, Any]:
    return {
        "jit": "no",
        "grad": "traced",
        "vmap": "traced",
        "mutable": True,
        "lazy": False,
        "float64": True,
    }


def stranger(error: Exception) -> bool:
    """Tell if an error comes of an array that array-api-strict doesn't know."""
    return isinstance(error, TypeError) and "inputs must be Array API arrays" in str(error)


def quiet() -> Any:
    return np.errstate(all="ignore")


def minimal(on: bool) -> Any:
    """A context without what the standard leaves to the library."""
    return strict.ArrayAPIStrictFlags(
        boolean_indexing=not on, data_dependent_shapes=not on, enabled_extensions=()
    )


_Array = own_types()[0]
HOST_READS = (
    *((_Array, n, "copy") for n in ("__array__", "__buffer__", "__dlpack__")),
    *(
        (_Array, n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__")
    ),
)
