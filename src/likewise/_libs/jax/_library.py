"""JAX."""

import contextlib
import dataclasses
import functools
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from ..._namespace import standard
from ...errors import LikewiseWarning, NotSupported
from .._special_values import finfo
from ._repairs import ELEMENTWISE

name = "jax"

# JAX 0.8 has it in jax.core alone.
_trace_state = (
    getattr(jax.extend.core, "get_opaque_trace_state", None) or jax.core.get_opaque_trace_state
)
with jax.ensure_compile_time_eval():  # this module may be imported under jit
    _NO_TRACE = _trace_state()


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


namespace = standard(
    name,
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


CONVOLUTION = {  # as for NumPy; compiled
    "sums": (15.0, 0.0, 2.5, 20.0, 1e6),
    "fft": (35.0, 3.0, 30.0, 3e4),
}


def version() -> str:
    return str(jax.__version__)


@functools.cache
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


def staging(x: Any) -> bool:
    """Under jit what is computed of an array that the function closes over is a tracer, too."""
    if _trace_state() == _NO_TRACE:  # a microsecond, where the operation below takes forty
        return False
    return isinstance(jax.lax.expand_dims(x, (0,)), jax.core.Tracer)


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


SILENT_INDICES = True  # those out of range are clipped or left out


def at_set(x: Any, index: Any, value: Any) -> Any:
    return x.at[index].set(value)


def jit(fun: Any) -> Any:
    return jax.jit(fun)


class _Closed:
    """A function as it was traced for some shapes, without the arrays that it closes over.

    Equal to another whose trace reads the same, so that what is compiled for one serves both.
    """

    def __init__(self, jaxpr: Any, structure: Any) -> None:
        self.jaxpr, self.structure = jaxpr, structure
        self.text = str(jaxpr)  # which is kept alive, so that addresses in it stay its own

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Closed) and (self.text, self.structure) == (
            other.text,
            other.structure,
        )

    def __call__(self, consts: Any, *args: Any) -> Any:
        out = jax.core.eval_jaxpr(self.jaxpr, consts, *jax.tree.leaves(args))
        return jax.tree.unflatten(self.structure, out)


def closed(fun: Any, *args: Any) -> tuple[_Closed, list[Any]]:
    """A function apart from the arrays that it closes over."""
    made, shape = jax.make_jaxpr(fun, return_shape=True)(*args)
    return _Closed(made.jaxpr, jax.tree.structure(shape)), made.consts


@functools.cache
def keyed(fun: Any) -> Any:
    """A function compiled for each value of its first argument, which must be hashable."""
    return jax.jit(fun, static_argnums=0)


class _Held:
    """Arrays of a structure that JAX doesn't know."""

    def __init__(self, leaves: Any, structure: Any) -> None:
        self.leaves, self.structure = leaves, structure


jax.tree_util.register_pytree_node(
    _Held, lambda h: (h.leaves, h.structure), lambda structure, leaves: _Held(leaves, structure)
)


def jitted(fun: Any, static_argnums: Any, static_argnames: Any, tell: Any, flatten: Any) -> Any:
    """The function compiled; `tell` hears of each tracing: static values, arguments.

    What `flatten` takes apart and JAX doesn't, dataclasses above all, goes in and out in a `_Held`;
    an ordinary call costs no look at its arguments.
    """

    def unknown(tree: Any) -> bool:
        return any(flatten(x)[1].kind is not None for x in jax.tree.leaves(tree))

    @functools.wraps(fun)
    def traced(*args: Any, **kwargs: Any) -> Any:
        static = {
            f"args[{i}]": f"{args[i]!r}" for i in static_argnums if -len(args) <= i < len(args)
        }
        static |= {f"kwargs[{n!r}]": f"{kwargs[n]!r}" for n in static_argnames if n in kwargs}
        tell(name, static, args, kwargs)
        out = fun(*args, **kwargs)
        return _Held(*flatten(out)) if unknown(out) else out

    def traced_held(static: Any, held: Any) -> Any:
        args, kwargs = held.structure.unflatten(held.leaves)
        for key, value in static:
            (args if isinstance(key, int) else kwargs)[key] = value
        return traced(*args, **kwargs)

    def by_held(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        places = {i % len(args) for i in static_argnums if -len(args) <= i < len(args)}
        static = [(i, args[i]) for i in sorted(places)]
        static += [(n, kwargs[n]) for n in static_argnames if n in kwargs]
        moving = [None if i in places else a for i, a in enumerate(args)]
        named = {n: a for n, a in kwargs.items() if n not in static_argnames}
        return compiled_held(tuple(static), _Held(*flatten((moving, named))))

    compiled = jax.jit(traced, static_argnums=static_argnums, static_argnames=static_argnames)
    compiled_held = jax.jit(traced_held, static_argnums=0)
    seen: list[bool] = []

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        if seen and unknown((args, kwargs)):
            out = by_held(args, kwargs)
        else:
            try:
                out = compiled(*args, **kwargs)
            except TypeError:
                if seen or not unknown((args, kwargs)):
                    raise
                seen.append(True)
                out = by_held(args, kwargs)
        return out.structure.unflatten(out.leaves) if out.__class__ is _Held else out

    return call


recorded = is_lazy  # a tracer of jit, too: what is compiled may be differentiated


def out_of_memory(error: Exception) -> bool:
    return isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error)


def see_through(cls: type) -> None:
    names = [f.name for f in dataclasses.fields(cls)]
    jax.tree_util.register_dataclass(cls, data_fields=names, meta_fields=[])


while_loop = jax.lax.while_loop
fori_loop = jax.lax.fori_loop
scan = jax.lax.scan
cond = jax.lax.cond
switch = jax.lax.switch
stop_gradient = jax.lax.stop_gradient


preference = jax.make_user_context(None)


def x64(on: bool) -> Any:
    """A context with or without 64-bit types."""
    return jax.enable_x64(on)


trial = jax.jit


_compiled = [0]


def _count(event: str, duration_secs: float, **_: Any) -> None:
    if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
        _compiled[0] += 1


jax.monitoring.register_event_duration_secs_listener(_count)


def compiles() -> int:
    """How many computations have been compiled so far, those found in a cache on disk included."""
    return _compiled[0]


def vjp(fun: Any, *primals: Any, has_aux: bool = False) -> Any:
    with _no_reverse_while():
        own: Any = jax.vjp
        out, pull, *aux = own(fun, *primals, has_aux=has_aux)

    def pullback(cotangents: Any) -> Any:
        with _no_reverse_while():
            return pull(jax.tree.map(_cotangent, cotangents))

    return out, pullback, *aux


def _cotangent(c: Any) -> Any:
    """Return a cotangent as JAX wants it, which for whole numbers has no size."""
    if jnp.issubdtype(c.dtype, jnp.inexact):
        return c
    return np.zeros(c.shape, jax.dtypes.float0)


@contextlib.contextmanager
def _no_reverse_while() -> Iterator[None]:
    """JAX's refusal to go back through a while loop, and the way out."""
    try:
        yield
    except ValueError as error:
        if "Reverse-mode differentiation does not work for lax.while_loop" not in str(error):
            raise
        raise NotSupported(
            "while_loop: JAX can't go back through a loop whose number of steps it doesn't know. "
            "For the solution of an equation use likewise.transforms.implicit_root; for a fixed "
            "number of steps fori_loop or scan; or forward mode."
        ) from error


jvp = jax.jvp
vmap = jax.vmap


def custom_vjp(fun: Any, fwd: Any, bwd: Any) -> Any:
    made = jax.custom_vjp(lambda *args: fun(*args))
    made.defvjp(fwd, lambda kept, cotangents: tuple(bwd(kept, cotangents)))
    return made


def custom_jvp(fun: Any, jvp: Any) -> Any:
    made = jax.custom_jvp(lambda *args: fun(*args))
    made.defjvp(jvp)
    return made


def pure_callback(
    call: Any, specs: Any, leaves: Any, method: Any, no_derivative: Exception, no_method: Exception
) -> Any:
    """Call jax.pure_callback; a derivative of it, and vmap without a method, raise our errors."""
    shapes = tuple(jax.ShapeDtypeStruct(shape, getattr(jnp, dtype)) for shape, dtype in specs)

    def on_host(*values: Any) -> Any:
        return tuple(call([np.asarray(v) for v in values]))

    def plain(*args: Any) -> Any:
        return jax.pure_callback(on_host, shapes, *args, vmap_method=method)

    def refuse(*_: Any) -> Any:
        raise no_derivative

    if method is None:
        mapped = jax.custom_batching.custom_vmap(plain)

        @mapped.def_vmap
        def without(*_: Any) -> Any:
            raise no_method

        plain = mapped
    return custom_jvp(plain, refuse)(*leaves)


def linear_solve(product: Any, solve: Any) -> Any:
    """Solve with a symmetric matrix, as JAX differentiates it, closures included."""

    def solved(b: Any) -> Any:
        return jax.lax.custom_linear_solve(product, b, lambda _, b: solve(b), symmetric=True)

    return solved


HOST_READS = (
    (jax, "device_get", "copy"),
    *((own_types()[0], n, "copy") for n in ("__array__", "tolist")),
    *(
        (own_types()[0], n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item")
    ),
)
