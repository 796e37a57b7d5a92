"""likewise: scientific algorithms for every array library, written once in the array API standard.

Pass any standard array (NumPy, CuPy, PyTorch, JAX, array-api-strict, Dask) and get the same kind
back, on the same device.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "array_namespace",
    "asarray",
    "device",
    "devices",
    "errors",
    "explain",
    "fft",
    "info",
    "interop",
    "is_lazy",
    "library",
    "lint",
    "missing",
    "namespace",
    "optimize",
    "prefer",
    "random",
    "reset_default",
    "result_type",
    "set_default",
    "signal",
    "special",
    "testing",
    "to_device",
    "to_numpy",
    "trace_native",
    "trace_transfers",
    "transforms",
    "use",
    "xp",
]

# Where each public name comes from; it is loaded when it is first used (PEP 562).
_SOURCES = {
    "_creation": ("reset_default", "set_default", "use", "xp"),
    "_info": ("devices", "info"),
    "_dtypes": ("result_type",),
    "_namespace": ("array_namespace", "device", "is_lazy", "library", "namespace"),
    "_native": ("explain", "prefer", "trace_native"),
    "interop": ("asarray", "to_device", "to_numpy", "trace_transfers"),
}
_HOMES = {name: module for module, names in _SOURCES.items() for name in names}
_ROOMS = (
    "errors",
    "fft",
    "interop",
    "lint",
    "missing",
    "optimize",
    "random",
    "signal",
    "special",
    "testing",
    "transforms",
)

if TYPE_CHECKING:
    from . import (
        errors,
        fft,
        interop,
        lint,
        missing,
        optimize,
        random,
        signal,
        special,
        testing,
        transforms,
    )
    from ._creation import reset_default, set_default, use, xp
    from ._dtypes import result_type
    from ._info import devices, info
    from ._namespace import array_namespace, device, is_lazy, library, namespace
    from ._native import explain, prefer, trace_native
    from .interop import asarray, to_device, to_numpy, trace_transfers


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"likewise.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"likewise.{name}")
    else:
        raise AttributeError(f"module 'likewise' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
