"""PyTorch."""

import contextlib
import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import Any

import array_api_compat.torch as compat
import numpy as np
import torch

from ..._library import Library
from ..._namespace import leaves, standard
from ..._standard import NUMBERS
from ...errors import LinAlgError
from . import _jit, _refusals, _states, _transforms
from ._repairs import REPAIRS


class _LinAlgError(LinAlgError, torch.linalg.LinAlgError):  # type: ignore[name-defined,misc]
    """A singular matrix, as torch says it."""


_LinAlgError.__name__ = _LinAlgError.__qualname__ = "LinAlgError"


class Torch(Library):
    """PyTorch's tensors."""

    name = "torch"
    linalg_error = _LinAlgError
    packages = ("torch",)
    namespace = standard("torch", compat, REPAIRS)
    transforms = _transforms.TRANSFORMS
    device_types = (torch.device,)
    one_thread = True  # forward mode's level is global to all threads, in torch.autograd.forward_ad
    convolution = {  # noqa: RUF012
        "routine": (35.0, 24.0, 0.12, 0.12, 0.0),
        "sums": (300.0, 0.0, 12.0, 50.0, 5e5),
        "fft": (80.0, 7.0, 5.5, 3e4),
    }
    call_cost = 5000
    host_reads = (
        *((torch.Tensor, n, "copy") for n in ("__array__", "cpu", "numpy", "tolist")),
        *((torch.Tensor, n, "scalar") for n in (*NUMBERS, "item")),
        *((torch, n, "scalar") for n in ("allclose", "equal")),
    )

    replays = True

    is_lazy = staticmethod(_states.is_lazy)
    recorded = staticmethod(_states.recorded)
    followed = staticmethod(_states.followed)
    viewable = staticmethod(_states.viewable)
    lanes = staticmethod(_transforms.lanes)
    jitted = staticmethod(_jit.jitted)
    trial = staticmethod(_jit.trial)
    compilations = staticmethod(_jit.compilations)

    def is_concrete(self, x: Any) -> bool:
        # A tracer that stands below torch's functions, as make_fx does, has no values.
        return super().is_concrete(x) and torch._C._len_torch_dispatch_stack() == 0

    def is_dense(self, x: Any) -> bool:
        return getattr(x, "layout", torch.strided) is torch.strided

    def recordable(self, x: Any) -> bool:
        return type(x) is torch.Tensor and not _states.followed(x)

    def sketch(self, x: Any) -> Any:
        return type(x), x.dtype, tuple(x.shape), x.device, x.stride()

    def row_major(self, x: Any) -> bool:
        return bool(x.is_contiguous())

    def errors(self) -> Any:
        return torch.get_default_dtype()

    def version(self) -> str:
        return str(torch.__version__)

    def own_types(self) -> tuple[type, ...]:
        return (torch.Tensor, torch.nn.Parameter)

    def is_array(self, x: object) -> bool:
        return isinstance(x, torch.Tensor)

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"jit": "native", "grad": "native", "vmap": "native"}

    def lacking(self, error: NotImplementedError) -> str | None:
        """\"index_select" not implemented for 'UInt64'."""
        found = re.search(r"not implemented for 'UInt(16|32|64)'", str(error))
        return None if found is None else f"uint{found[1]}"

    def stranger(self, error: BaseException) -> bool:
        """Tell if an error comes of an index that torch, not knowing it, takes for a tuple."""
        return isinstance(error, IndexError) and "too many indices for tensor" in str(error)

    def leaving(self, error: BaseException) -> str:
        words = (
            "Can't call numpy() on Tensor",
            "Cannot access data pointer of Tensor that doesn't",
        )
        if str(error).startswith(words):
            return "a conversion to NumPy"
        return (
            "item()" if str(error).startswith("vmap: It looks like you're calling .item()") else ""
        )

    def see_through(self, cls: type) -> None:
        names = [f.name for f in dataclasses.fields(cls)]
        torch.utils._pytree.register_dataclass(cls, field_names=names)

    # -- devices -----------------------------------------------------------------------------------

    def devices(self) -> list[Any]:
        found = [torch.device("cpu")]
        found += [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
        if torch.backends.mps.is_available():
            found.append(torch.device("mps"))
        return found

    def describe_device(self, device: Any) -> tuple[str, str | None, int | None]:
        if device.type == "cuda":
            properties = torch.cuda.get_device_properties(device)
            return "gpu", properties.name, int(properties.total_memory)
        return "cpu" if device.type == "cpu" else "gpu", device.type, None

    def find_device(self, name: str) -> Any:
        kind, _, index = name.partition(":")
        if kind == "cpu" and index in ("", "0"):
            return torch.device("cpu")
        if kind == "gpu":
            return [d for d in self.devices() if d.type != "cpu"][int(index or 0)]
        raise LookupError(name)

    def free_memory(self, device: Any) -> int | None:
        return int(torch.cuda.mem_get_info(device)[0]) if device.type == "cuda" else None

    def out_of_memory(self, error: Exception) -> bool:
        """On the CPU it is a RuntimeError like any other, by its words alone."""
        return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
            isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)
        )

    # -- values ------------------------------------------------------------------------------------

    def is_host(self, x: Any) -> bool:
        return bool(x.device.type == "cpu")

    def unrecorded(self) -> Any:
        return torch.no_grad()

    def watched(self, fun: Any, x: Any, refuse: Any) -> None:
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return  # torch.func refuses such numbers itself
        with torch.enable_grad(), _refusals.Refusing(refuse):
            out = fun(x.detach().requires_grad_())
        every = [a for a in leaves([out]) if isinstance(a, torch.Tensor)]
        if not any(a.requires_grad for a in every):
            refuse("its result, which torch doesn't know to depend on its argument,")

    def stop_gradient(self, x: Any) -> Any:
        return x.detach()

    def to_numpy(self, x: Any) -> Any:
        # What torch.func doesn't follow is a constant to it, which it lets nobody read in there.
        with torch._C._DisableFuncTorch() if _states.plain(x) else contextlib.nullcontext():
            return x.numpy(force=True)  # of conjugates, negatives, zeros not yet computed, too

    def from_numpy(self, x: Any, device: Any) -> Any:
        if not x.flags.writeable or any(s < 0 or s % x.itemsize for s in x.strides):
            x = x.copy()  # torch has no read-only tensors, no negative strides, no parts of items
        found = torch.from_numpy(x)
        return found if device is None else found.to(device)

    def view(self, x: Any) -> Any:
        return _states.view(x)

    def through_numpy(self, routine: Any) -> Any:
        view = _states.view

        def call(*args: Any) -> Any:
            found = routine(*[view(a) if isinstance(a, torch.Tensor) else a for a in args])
            if type(found) is np.ndarray and found.flags.c_contiguous and found.flags.writeable:
                return torch.from_numpy(found)
            if found is NotImplemented:
                return found
            if type(found) is tuple:
                return tuple(self.from_numpy(np.asarray(part), None) for part in found)
            # NumPy's functions give scalars where there are no dimensions.
            return self.from_numpy(np.asarray(found), None)

        return call

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        parts = (value, *index) if isinstance(index, tuple) else (value, index)
        followed = [v for v in parts if isinstance(v, torch.Tensor) and not _states.plain(v)]
        if followed:
            # torch.func can't write what it batches into what it doesn't: `x`, in as many batches.
            same = functools.reduce(torch.logical_and, [(v.detach() == 0).any() for v in followed])
            out = torch.where(same, x, x)
        else:
            out = x.clone()
        out[index] = value
        return out

    @contextlib.contextmanager
    def variant(self, value: str) -> Iterator[None]:
        """Return a context with another default dtype."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(getattr(torch, value))
        try:
            yield
        finally:
            torch.set_default_dtype(before)


LIBRARY = Torch()
