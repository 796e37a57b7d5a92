"""array-api-strict: the standard and not a name more. Its flags are read at each use."""

from typing import Any

import array_api_strict as strict
import numpy as np

from ..._library import Library
from ..._namespace import Namespace, standard
from ..._standard import NUMBERS
from .. import _special_values


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
    _names = standard("strict", strict, _repairs | {"isin": _isin}).__dict__
_EXTENSIONS = {extension: _names[extension] for extension in ("fft", "linalg")}
_NAMESPACE = _Strict(
    "strict", {k: v for k, v in _names.items() if k not in _EXTENSIONS and not k.startswith("__")}
)
_NAMESPACE.__dict__["__array_namespace_info__"] = strict.__array_namespace_info__

_Array = type(strict.empty(0))
_WRITTEN_AT = (int, slice, type(Ellipsis))


class Strict(Library):
    """array-api-strict's arrays, on devices that it pretends to have."""

    name = "strict"
    packages = ("array_api_strict",)
    namespace = _NAMESPACE
    convolution = {  # noqa: RUF012
        "sums": (600.0, 0.0, 50.0, 150.0, 5e5),
        "fft": (200.0, 5.0, 20.0, 3e4),
    }
    host_reads = (
        *((_Array, n, "copy") for n in ("__array__", "__buffer__", "__dlpack__")),
        *((_Array, n, "scalar") for n in NUMBERS),
    )

    def stranger(self, error: BaseException) -> bool:
        return isinstance(error, TypeError) and "inputs must be Array API arrays" in str(error)

    def version(self) -> str:
        return str(strict.__version__)

    def own_types(self) -> tuple[type, ...]:
        return (_Array,)

    def devices(self) -> list[Any]:
        return list(strict.__array_namespace_info__().devices())

    def describe_device(self, device: Any) -> tuple[str, str, int | None]:
        return "cpu", str(device), None

    def to_numpy(self, x: Any) -> Any:
        return np.asarray(x.to_device(strict.Device("CPU_DEVICE")))

    def from_numpy(self, x: Any, device: Any) -> Any:
        return strict.asarray(x, device=device)

    records = True
    replays = True
    refuses_strangers = True

    def sketch(self, x: Any) -> Any:
        return type(x), x.dtype, x.shape, x.device, x._array.strides

    def row_major(self, x: Any) -> bool:
        return bool(x._array.flags.c_contiguous)

    def state(self) -> Any:
        return self.errors()

    def errors(self) -> Any:
        flags = strict.get_array_api_strict_flags()
        return tuple(np.geterr().items()), tuple((k, flags[k]) for k in sorted(flags))

    def set_errors(self, errors: Any) -> None:
        np.seterr(**dict(errors[0]))

    def raises(self, errors: Any) -> bool:
        return any(how not in ("ignore", "warn") for _, how in errors[0])

    def copied(self, x: Any) -> Any:
        return strict.asarray(x, copy=True)

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        """Return what NumPy's does, laid out as `x`, where an array may be written to so."""
        if not all(type(i) in _WRITTEN_AT for i in (index if type(index) is tuple else (index,))):
            return NotImplemented
        out = strict.asarray(x, copy=True)
        value = strict.asarray(value, dtype=x.dtype, device=x.device)
        out[index] = strict.broadcast_to(value, out[index].shape)
        return out

    def quiet(self) -> Any:
        return np.errstate(all="ignore")

    def variant(self, value: Any) -> Any:
        """Return a context without what the standard leaves to the library."""
        return strict.ArrayAPIStrictFlags(
            boolean_indexing=not value, data_dependent_shapes=not value, enabled_extensions=()
        )


LIBRARY = Strict()
