"""A device of torch's for machines without a GPU: torch takes it for another, its memory is the host's.

What is made without ``device=`` lies on the CPU, and torch's operators refuse it beside tensors of
this device, as they do on CUDA. Values are the CPU's. It finds slips; that CUDA works it can't show.
torch's own FakeTensor has no values, and can't index on CUDA in a build without it.
"""

import functools
from typing import Any

import torch
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from likewise.testing import Variant

__all__ = ["OnDevice", "install"]

NAME = "simulated"
CPU = torch.device("cpu")


class OnDevice(Variant):
    """A simulated variant, with its arrays on the simulated device."""

    @property
    def device(self) -> Any:
        return torch.device(NAME, 0) if self.library == "torch" else None


class Elsewhere(torch.Tensor):
    """A tensor of the device, which holds one of the CPU's."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> Any:
        made: Any = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(NAME, 0),
        )
        made.held = held
        return made

    def __init__(self, held: torch.Tensor) -> None:
        pass

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an operator of the CPU, if all of its tensors are here."""
        name, due = func.overloadpacket.__name__, (kwargs or {}).get("device")
        flat, structure = tree_flatten((args, kwargs or {}))
        held = [x.held if isinstance(x, Elsewhere) else x for x in flat]
        for x, y in zip(flat, held, strict=True):
            if x is y and isinstance(x, torch.Tensor) and not _may_stand_beside(x, func, name):
                raise RuntimeError(
                    f"Expected all tensors to be on the same device, but {name} got one on {x.device}"
                )
        given, named = tree_unflatten(held, structure)
        away = due is not None and torch.device(due).type != NAME
        if due is not None and not away:
            named["device"] = CPU
        out = func(*given, **named)
        if away:  # to the CPU, or to torch's meta device, where its rules work out shapes
            return out
        if name == "copy_" and not isinstance(args[0], Elsewhere):
            return args[0]
        if torch.Tag.inplace_view in func.tags:
            with no_dispatch():  # of the shape that torch sees
                func(*args, **(kwargs or {}))
        if func._schema.is_mutable and any(
            y.size() != x.size() for x, y in zip(flat, held, strict=True) if x is not y
        ):
            raise NotImplementedError(f"{name} gives memory of the device another shape")
        written = {id(y): x for x, y in zip(flat, held, strict=True) if x is not y}
        if isinstance(out, torch.Tensor):
            return written[id(out)] if id(out) in written else _placed(out)
        return tree_map(lambda x: written[id(x)] if id(x) in written else _placed(x), out)

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise TypeError(f"can't convert {NAME}:0 device type tensor to numpy. Use Tensor.cpu()")
        return self.detach().cpu().numpy(force=True)

    def __array__(self, dtype: Any = None) -> Any:
        return self.numpy()

    def __repr__(self, **options: Any) -> str:
        return f"{self.held!r} on {NAME}"


def _may_stand_beside(x: torch.Tensor, func: Any, name: str) -> bool:
    """Tell if an operator takes a tensor of the CPU besides those of the device."""
    moving = ("copy_", "_to_copy")
    lenient = ("fill_", "index_put_", "index_put", "masked_fill", "masked_fill_")
    return name in moving or (not x.ndim and (name in lenient or torch.Tag.pointwise in func.tags))


def _placed(x: Any) -> Any:
    """Return a result on the device; that it is conjugated is known to its own tensor alone."""
    return Elsewhere(x.resolve_conj().resolve_neg()) if isinstance(x, torch.Tensor) else x


# Operators that make tensors; torch makes the other ones by these.
MAKERS = {
    "empty.memory_format": torch.empty,
    "empty_strided": torch.empty_strided,
    "_efficientzerotensor": torch.zeros,
    **dict.fromkeys(("arange", "arange.start", "arange.start_step"), torch.arange),
    **dict.fromkeys(("eye", "eye.m"), torch.eye),
    "tril_indices": torch.tril_indices,
    "triu_indices": torch.triu_indices,
    "fft_fftfreq": torch.fft.fftfreq,
    "fft_rfftfreq": torch.fft.rfftfreq,
}


def _making(maker: Any) -> Any:
    def made(*args: Any, dtype: Any = None, **options: Any) -> Any:
        return Elsewhere(maker(*args, dtype=dtype))

    return made


def _copy_from(source: Any, into: Any, non_blocking: bool = False) -> Any:
    getattr(into, "held", into).copy_(getattr(source, "held", source))
    return into


@functools.cache
def install() -> Any:
    """Have torch know the device, in this process, to its end."""
    _setup_privateuseone_for_python_backend(NAME)
    library = torch.library.Library("aten", "IMPL")
    for name, maker in MAKERS.items():
        library.impl(name, _making(maker), "PrivateUse1")
    library.impl("_copy_from", _copy_from, "PrivateUse1")
    return library
