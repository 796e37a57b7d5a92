"""jax.jit: as a user's jit, and of functions that are known by what their traces read."""

import functools
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.extend.core
import numpy as np

# JAX 0.8 has it in jax.core alone.
_trace_state = (
    getattr(jax.extend.core, "get_opaque_trace_state", None) or jax.core.get_opaque_trace_state
)
# This module may be imported under jit: no trace is open in a thread that starts.
with ThreadPoolExecutor(1) as _fresh:
    _NO_TRACE = _fresh.submit(_trace_state).result()


def untraced() -> bool:
    """Tell if no trace is open; a microsecond."""
    return bool(_trace_state() == _NO_TRACE)


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
    found, numbers = _closed(made.jaxpr, jax.tree.structure(shape))
    return found, [*made.consts, *numbers]


@functools.lru_cache(maxsize=256)
def _closed(jaxpr: Any, structure: Any) -> tuple[_Closed, list[Any]]:
    """The same for the same trace, which JAX gives of functions it knows; its text takes long."""
    jaxpr, numbers = _without_numbers(jaxpr)
    return _Closed(jaxpr, structure), numbers


# What has a finite derivative by each operand: an exponent, say, is looked at, and has none.
_ARITHMETIC = frozenset(
    """add sub mul div max min eq ne lt le gt ge select_n broadcast_in_dim
    convert_element_type""".split()
)


def _without_numbers(jaxpr: Any) -> tuple[Any, list[Any]]:
    """Return a trace that takes its floating numbers as constants, and these.

    So what is compiled serves a function that closes over another number, too.
    """
    numbers: list[Any] = []
    variables: list[Any] = []

    def variable(x: Any) -> Any:
        kind: Any = x.aval
        if not isinstance(x, jax.extend.core.Literal) or kind.shape != ():
            return x
        if not jax.numpy.issubdtype(kind.dtype, jax.numpy.inexact):
            return x
        numbers.append(np.asarray(x.val, dtype=kind.dtype))
        variables.append(jax.extend.core.Var(kind))
        return variables[-1]

    lines = [
        line.replace(invars=[variable(x) for x in line.invars])
        if line.primitive.name in _ARITHMETIC
        else line
        for line in jaxpr.eqns
    ]
    return jaxpr.replace(constvars=[*jaxpr.constvars, *variables], eqns=lines), numbers


def keyed(fun: Any, quick: bool = False) -> Any:
    """A function compiled for each value of its first argument, which must be hashable.

    `quick`: in a hurry, which takes a third of the time, for code that is half as fast; only on the
    host's processor, and outside of traces, which JAX asks for.
    """
    well = _keyed(fun, False)
    if not quick:
        return well

    def call(key: Any, *args: Any) -> Any:
        arrays = [a for a in jax.tree.leaves(args) if isinstance(a, jax.Array)]
        hurries = untraced() and not any(isinstance(a, jax.core.Tracer) for a in arrays)
        hurries = hurries and all(d.platform == "cpu" for a in arrays for d in a.devices())
        return (_keyed(fun, True) if hurries else well)(key, *args)

    return call


@functools.cache
def _keyed(fun: Any, hurries: bool) -> Any:
    return jax.jit(fun, static_argnums=0, compiler_options=_hurry() if hurries else None)


_HURRY = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_use_fusion_emitters": False,
}


@functools.cache
def _hurry() -> dict[str, Any]:
    """The options of XLA's that this version knows."""
    known = {}
    for name, value in _HURRY.items():
        try:
            jax.jit(lambda: 0, compiler_options={name: value}).lower().compile()
        except jax.errors.JaxRuntimeError:  # "No such compile option"
            continue
        known[name] = value
    return known


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
        tell("jax", static, args, kwargs)
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


_LARGE = 1 << 20  # bytes from which on pages of fresh memory cost more than the copy into them
_HUGE = 1 << 26  # and beyond which memory isn't kept
_SPARE: deque[Any] = deque(maxlen=2)  # memory of large arguments that nobody uses


def jitted_for_host(call: Any) -> Any:
    """Return what `jitted` gave, with 64-bit types on the CPU, whatever JAX's settings say.

    The context costs three microseconds, a look at the setting half a one.
    """
    config: Any = jax.config  # whose settings no type checker knows
    enable_x64, ndarray = jax.enable_x64, np.ndarray
    if jax.default_backend() != "cpu":
        call = _on_cpu(call)

    def on_host(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if x.__class__ is ndarray and x.nbytes > _LARGE:
                return _of_large(on_set, args, kwargs)
        if config.jax_enable_x64:
            return call(*args, **kwargs)
        with enable_x64(True):
            return call(*args, **kwargs)

    def on_set(*args: Any, **kwargs: Any) -> Any:
        with enable_x64(True):
            return call(*args, **kwargs)

    return on_host


def _of_large(call: Any, args: Any, kwargs: Any) -> Any:
    """A call whose large arguments are copied into memory that was used before.

    JAX takes what lies at a multiple of 64 bytes as it is; NumPy's large arrays never do. A result
    may be such an argument: then the memory is its own.
    """
    memory: list[Any] = []
    moved = [_moved(x, memory) if x.__class__ is np.ndarray else x for x in args]
    out = call(*moved, **kwargs)
    leaves = jax.tree.leaves(out)
    if all(isinstance(x, jax.Array) and len(x.devices()) == 1 for x in leaves):
        jax.block_until_ready(out)
        places = [x.unsafe_buffer_pointer() for x in leaves]
        for m in memory:
            if not any(0 <= place - m.ctypes.data < m.nbytes for place in places):
                _SPARE.append(m)
    return out


def _moved(x: Any, memory: list[Any]) -> Any:
    if not (_LARGE < x.nbytes <= _HUGE and x.flags.c_contiguous) or x.ctypes.data % 64 == 0:
        return x
    try:
        found = _SPARE.pop()
    except IndexError:
        found = None
    if found is None or not x.nbytes <= found.nbytes - 64 <= 2 * x.nbytes:
        found = np.empty(x.nbytes + 64, np.uint8)
    start = -found.ctypes.data % 64
    memory.append(found)
    out = found[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    np.copyto(out, x)
    return out


def _on_cpu(call: Any) -> Any:
    cpu = jax.devices("cpu")[0]

    def on_cpu(*args: Any, **kwargs: Any) -> Any:
        with jax.default_device(cpu):
            return call(*args, **kwargs)

    return on_cpu


_compiled = [0]


def _count(event: str, duration_secs: float, **_: Any) -> None:
    if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
        _compiled[0] += 1


jax.monitoring.register_event_duration_secs_listener(_count)


def compilations() -> int:
    """How many computations have been compiled so far, those found in a cache on disk included."""
    return _compiled[0]
