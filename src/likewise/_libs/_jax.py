"""JAX."""

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._namespace import standard
from ..errors import LikewiseWarning

name = "jax"


def _broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    return tuple(jnp.broadcast_arrays(*arrays))


def _meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    return tuple(jnp.meshgrid(*arrays, indexing=indexing))


# The standard's are tuples, jax.numpy's are lists.
namespace = standard(name, jnp, {"broadcast_arrays": _broadcast_arrays, "meshgrid": _meshgrid})


def version() -> str:
    return str(jax.__version__)


def own_types() -> tuple[type, ...]:
    return (type(jnp.zeros(0)),)


def is_array(x: object) -> bool:
    return isinstance(x, jax.Array)


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    """None for tracers, and for arrays spread over several devices, which go with any."""
    return None if isinstance(x, jax.core.Tracer) or len(x.devices()) > 1 else x.device


DEVICES = (jax.Device, jax.sharding.Sharding)


def devices() -> list[Any]:
    return [d for platform in ("cpu", "gpu", "tpu") for d in _platform(platform)]


def _platform(name: str) -> list[Any]:
    try:
        return list(jax.devices(name))
    except RuntimeError:  # "Unknown backend": jaxlib without it, or no such device
        return []


def describe_device(device: Any) -> tuple[str, str, int | None]:
    stats = device.memory_stats() or {}
    return device.platform, device.device_kind, stats.get("bytes_limit")


def find_device(name: str) -> Any:
    kind, _, index = name.partition(":")
    return _platform(kind)[int(index or 0)]


def is_lazy(x: Any) -> bool:
    return isinstance(x, jax.core.Tracer)


def is_host(x: Any) -> bool:
    return not is_lazy(x) and all(d.platform == "cpu" for d in x.devices())


def to_numpy(x: Any) -> Any:
    return np.asarray(x)


def from_numpy(x: Any, device: Any) -> Any:
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


def free_memory(device: Any) -> int | None:
    stats = device.memory_stats() if hasattr(device, "memory_stats") else None
    if not stats or "bytes_limit" not in stats:
        return None
    return int(stats["bytes_limit"] - stats["bytes_in_use"])


def facts() -> dict[str, Any]:
    return {
        "jit": "native",
        "grad": "native",
        "vmap": "native",
        "mutable": False,
        "lazy": False,
        "float64": jax.dtypes.canonicalize_dtype("float64") == np.float64,
    }


def at_set(x: Any, index: Any, value: Any) -> Any:
    return x.at[index].set(value)


def jit(fun: Any) -> Any:
    return jax.jit(fun)


def pushforward(fun: Any, x: Any, tangents: Any) -> Any:
    """Derivatives of ``fun(x)`` along each of the stacked tangents."""
    return jax.vmap(lambda t: jax.jvp(fun, (x,), (t,))[1])(tangents)


def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    return jax.lax.while_loop(cond_fun, body_fun, init_val)


preference = jax.make_user_context(None)
