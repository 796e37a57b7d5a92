"""JAX."""

import dataclasses
import functools
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from ..._library import Library
from ..._namespace import standard
from ..._standard import NUMBERS
from ...errors import LikewiseWarning
from .._special_values import finfo
from . import _jit, _refusals, _transforms
from ._repairs import ELEMENTWISE

with jax.ensure_compile_time_eval():  # this module may be imported under jit
    _Array = type(jnp.zeros(0))


def _broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    return tuple(jnp.broadcast_arrays(*arrays))


def _meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    return tuple(jnp.meshgrid(*arrays, indexing=indexing))


def _expand_dims(x: Any, /, axis: int | tuple[int, ...]) -> Any:
    """The standard's IndexError, where JAX has a ValueError."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    ndim = x.ndim + len(axes)
    if any(not -ndim <= i < ndim for i in axes):
        raise IndexError(f"expand_dims: axis {axis} for an array of {x.ndim} dimensions")
    return jnp.expand_dims(x, axis)


def _permute_dims(x: Any, /, axes: tuple[int, ...]) -> Any:
    return jnp.permute_dims(x, tuple(i + x.ndim if i < 0 else i for i in axes))


def _searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """Indices of the default dtype, where JAX has the narrowest that can hold them."""
    return jnp.searchsorted(x1, x2, side=side, sorter=sorter).astype(int)


def _cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """In the default integer dtype, as JAX's other sums and products."""
    if dtype is None and x.dtype.kind in "iu":
        wide = jax.dtypes.canonicalize_dtype(jnp.int64 if x.dtype.kind == "i" else jnp.uint64)
        dtype = jnp.promote_types(x.dtype, wide)
    return jnp.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


class _Info(type(jnp.__array_namespace_info__())):  # type: ignore[misc]
    def devices(self) -> tuple[Any, ...]:
        """A tuple, where JAX has a list."""
        return tuple(super().devices())


_NAMESPACE = standard(
    "jax",
    jnp,
    ELEMENTWISE
    | {
        "__array_namespace_info__": _Info,
        "broadcast_arrays": _broadcast_arrays,  # the standard's are tuples, as are meshgrid's
        "cumulative_prod": _cumulative_prod,
        "expand_dims": _expand_dims,
        "finfo": finfo(jnp.finfo),
        "meshgrid": _meshgrid,
        "permute_dims": _permute_dims,
        "searchsorted": _searchsorted,
    },
)


def _platform(name: str) -> list[Any]:
    try:
        return list(jax.devices(name))
    except RuntimeError:  # "Unknown backend": jaxlib without it, or no such device
        return []


@functools.cache
def _mesh() -> Any:
    """All devices, along an axis for each prime factor of their number."""
    left, factors = jax.device_count(), []
    while left > 1:
        factors.append(next(p for p in range(2, left + 1) if left % p == 0))
        left //= factors[-1]
    names = tuple(f"devices{i}" for i in range(len(factors)))
    return jax.make_mesh(tuple(factors), names, (jax.sharding.AxisType.Auto,) * len(factors))


def _among(mesh: Any, n: int) -> tuple[str, ...]:
    """Return the axes of a mesh that an array's axis of length n can be divided over."""
    found = []
    for name, size in mesh.shape.items():
        if n and n % size == 0:
            found.append(name)
            n //= size
    return tuple(found)


class JAX(Library):
    """JAX's arrays, and its tracers, which have no values."""

    name = "jax"
    strong_scalars = True
    packages = ("jax",)
    namespace = _NAMESPACE
    transforms = _transforms.TRANSFORMS
    device_types = (jax.Device, jax.sharding.Sharding)
    compiles = True
    silent_indices = True
    convolution = {  # compiled  # noqa: RUF012
        "sums": (15.0, 0.0, 2.5, 20.0, 1e6),
        "fft": (35.0, 3.0, 30.0, 3e4),
    }
    call_cost = 0
    host_reads = (
        (jax, "device_get", "copy"),
        (jax, "pure_callback", "callback"),
        *((_Array, n, "copy") for n in ("__array__", "tolist")),
        *((_Array, n, "scalar") for n in (*NUMBERS, "item")),
    )

    jitted = staticmethod(_jit.jitted)
    jitted_for_host = staticmethod(_jit.jitted_for_host)
    unfollowed = staticmethod(_refusals.unfollowed)
    closed = staticmethod(_jit.closed)
    keyed = staticmethod(_jit.keyed)
    compilations = staticmethod(_jit.compilations)
    preference = staticmethod(jax.make_user_context(None))
    stop_gradient = staticmethod(jax.lax.stop_gradient)

    def once(self, x: Any) -> Any:
        return jax.lax.optimization_barrier(x)

    def own(self, x: Any) -> Any:
        return x  # nobody can write to it

    def jit(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(fun)

    trial = jit

    def version(self) -> str:
        return str(jax.__version__)

    def own_types(self) -> tuple[type, ...]:
        return (_Array,)

    def is_array(self, x: object) -> bool:
        return isinstance(x, jax.Array)

    def facts(self) -> dict[str, Any]:
        return super().facts() | {
            "jit": "native",
            "grad": "native",
            "vmap": "native",
            "mutable": False,
            "float64": jax.dtypes.canonicalize_dtype("float64") == np.float64,
        }

    def see_through(self, cls: type) -> None:
        names = [f.name for f in dataclasses.fields(cls)]
        jax.tree_util.register_dataclass(cls, data_fields=names, meta_fields=[])

    # -- devices -----------------------------------------------------------------------------------

    def device(self, x: Any) -> Any:
        """None for what goes with arrays anywhere: tracers, arrays over several devices, and, where
        there are several, arrays that JAX hasn't bound ("committed") to one."""
        if isinstance(x, jax.core.Tracer) or len(x.devices()) > 1:
            return None
        return x.device if x.committed or jax.device_count() == 1 else None

    def devices(self) -> list[Any]:
        return [d for platform in ("cpu", "gpu", "tpu") for d in _platform(platform)]

    def describe_device(self, device: Any) -> tuple[str, str | None, int | None]:
        stats = device.memory_stats() or {}
        return device.platform, device.device_kind, stats.get("bytes_limit")

    def find_device(self, name: str) -> Any:
        kind, _, index = name.partition(":")
        return _platform(kind)[int(index or 0)]

    def free_memory(self, device: Any) -> int | None:
        stats = device.memory_stats() if hasattr(device, "memory_stats") else None
        if not stats or "bytes_limit" not in stats:
            return None
        return int(stats["bytes_limit"] - stats["bytes_in_use"])

    def out_of_memory(self, error: Exception) -> bool:
        return isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error)

    # -- values ------------------------------------------------------------------------------------

    def is_lazy(self, x: Any) -> bool:
        return isinstance(x, jax.core.Tracer)

    def is_host(self, x: Any) -> bool:
        return not self.is_lazy(x) and all(d.platform == "cpu" for d in x.devices())

    def is_concrete(self, x: Any) -> bool:
        """Under jit what is computed of an array that the function closes over is a tracer, too."""
        if not self.is_host(x):
            return False
        if _jit.untraced():  # a microsecond, where the operation below takes forty
            return True
        return not isinstance(jax.lax.expand_dims(x, (0,)), jax.core.Tracer)

    def is_readable(self, x: Any) -> bool:
        return self.is_host(x)

    def recorded(self, x: Any) -> bool:
        """A tracer of jit, too: what is compiled may be differentiated."""
        return self.is_lazy(x)

    def to_numpy(self, x: Any) -> Any:
        return np.asarray(x)

    def from_numpy(self, x: Any, device: Any) -> Any:
        # A copy: JAX takes its arrays for unchanging, and gives their memory away (donate_argnums).
        narrow = jax.dtypes.canonicalize_dtype(x.dtype)
        if narrow != x.dtype:
            warnings.warn(
                f"JAX's 64-bit types are off, so {x.dtype} became {narrow}; "
                "jax.config.update('jax_enable_x64', True) switches them on",
                LikewiseWarning,
                stacklevel=4,
            )
        return jnp.asarray(x.astype(narrow), device=device)

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        return x.at[index].set(value)

    def device_count(self) -> int:
        return int(jax.device_count())

    def spread(self, x: Any) -> Any:
        mesh = _mesh()
        axes = [_among(mesh, n) for n in x.shape]
        longest = max(axes, key=len, default=())
        spec = (*(None,) * axes.index(longest), longest) if longest else ()
        where = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))
        return jax.device_put(x, where)

    def parts(self, x: Any) -> int:
        own = x.sharding.shard_shape(x.shape)
        return x.shape[0] // own[0] if x.ndim and own[0] else 1

    def variant(self, value: Any) -> Any:
        """Return a context with or without 64-bit types."""
        return jax.enable_x64(value)


LIBRARY = JAX()
