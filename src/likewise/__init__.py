"""likewise: scientific algorithms for every array library, written once in the array API standard.

Pass any standard array (NumPy, CuPy, PyTorch, JAX, array-api-strict, Dask) and get the same kind
back, on the same device.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Compilation",
    "__version__",
    "array_namespace",
    "asarray",
    "associative_scan",
    "compile_log",
    "cond",
    "custom_jvp",
    "custom_vjp",
    "device",
    "devices",
    "differentiate",
    "errors",
    "explain",
    "fft",
    "fori_loop",
    "grad",
    "hessian",
    "hvp",
    "implicit_root",
    "info",
    "integrate",
    "interop",
    "interpolate",
    "is_lazy",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "library",
    "linalg",
    "lint",
    "map_chunks",
    "missing",
    "namespace",
    "native",
    "ndimage",
    "optimize",
    "polynomial",
    "prefer",
    "public",
    "pure_callback",
    "random",
    "register_tree",
    "reset_default",
    "result_type",
    "scan",
    "set_default",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
    "stop_gradient",
    "switch",
    "testing",
    "to_device",
    "to_numpy",
    "trace_native",
    "trace_transfers",
    "transforms",
    "tree_flatten",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_stack",
    "tree_structure",
    "tree_unflatten",
    "tree_unstack",
    "use",
    "value_and_grad",
    "vectorize",
    "vjp",
    "vmap",
    "while_loop",
    "xp",
]

# Where each public name comes from; it is loaded when it is first used (PEP 562).
_SOURCES = {
    "_creation": ("reset_default", "set_default", "use", "xp"),
    "_info": ("devices", "info"),
    "_dtypes": ("result_type",),
    "_namespace": ("array_namespace", "device", "is_lazy", "library", "namespace"),
    "_native": ("explain", "native", "prefer", "public", "trace_native"),
    "chunks": ("map_chunks",),
    "interop": ("asarray", "to_device", "to_numpy", "trace_transfers"),
    # All but `map`, which `from likewise import *` would put in place of Python's.
    "transforms": (
        "Compilation",
        "associative_scan",
        "compile_log",
        "cond",
        "custom_jvp",
        "custom_vjp",
        "fori_loop",
        "grad",
        "hessian",
        "hvp",
        "implicit_root",
        "jacfwd",
        "jacobian",
        "jacrev",
        "jit",
        "jvp",
        "pure_callback",
        "register_tree",
        "scan",
        "stop_gradient",
        "switch",
        "tree_flatten",
        "tree_leaves",
        "tree_leaves_with_path",
        "tree_map",
        "tree_map_with_path",
        "tree_stack",
        "tree_structure",
        "tree_unflatten",
        "tree_unstack",
        "value_and_grad",
        "vectorize",
        "vjp",
        "vmap",
        "while_loop",
    ),
}
_HOMES = {name: module for module, names in _SOURCES.items() for name in names}
_ROOMS = (
    "differentiate",
    "errors",
    "fft",
    "integrate",
    "interop",
    "interpolate",
    "linalg",
    "lint",
    "missing",
    "ndimage",
    "optimize",
    "polynomial",
    "random",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
    "testing",
    "transforms",
)

if TYPE_CHECKING:
    from . import (
        differentiate,
        errors,
        fft,
        integrate,
        interop,
        interpolate,
        linalg,
        lint,
        missing,
        ndimage,
        optimize,
        polynomial,
        random,
        signal,
        sparse,
        spatial,
        special,
        stats,
        testing,
        transforms,
    )
    from ._creation import reset_default, set_default, use, xp
    from ._dtypes import result_type
    from ._info import devices, info
    from ._namespace import array_namespace, device, is_lazy, library, namespace
    from ._native import explain, native, prefer, public, trace_native
    from .chunks import map_chunks
    from .interop import asarray, to_device, to_numpy, trace_transfers
    from .transforms import (
        Compilation,
        associative_scan,
        compile_log,
        cond,
        custom_jvp,
        custom_vjp,
        fori_loop,
        grad,
        hessian,
        hvp,
        implicit_root,
        jacfwd,
        jacobian,
        jacrev,
        jit,
        jvp,
        pure_callback,
        register_tree,
        scan,
        stop_gradient,
        switch,
        tree_flatten,
        tree_leaves,
        tree_leaves_with_path,
        tree_map,
        tree_map_with_path,
        tree_stack,
        tree_structure,
        tree_unflatten,
        tree_unstack,
        value_and_grad,
        vectorize,
        vjp,
        vmap,
        while_loop,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _ROOMS:
        raise AttributeError(f"module 'likewise' has no attribute {name!r}")
    with importlib.import_module("likewise._library").LOADING:
        home = importlib.import_module(f"likewise.{_HOMES.get(name, name)}")
        value = getattr(home, name) if name in _HOMES else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
