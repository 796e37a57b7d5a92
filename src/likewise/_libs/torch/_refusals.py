"""Refuse what takes numbers out of autograd's sight, of which torch says nothing, or once."""

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# By which a tensor becomes a number, an array of NumPy's, or a part of a new tensor. `item` and
# `tolist` are how torch's users look at values, and are left to them.
_WAYS = {
    "__float__": "float()",
    "__complex__": "complex()",
    "__array__": "a conversion to NumPy",
    "numpy": "a conversion to NumPy",
    "tensor": "torch.tensor",
    "as_tensor": "torch.as_tensor",
    "new_tensor": "new_tensor",
}


class Refusing(TorchFunctionMode):
    """Calls `refuse` with a name for each such way, of a tensor that requires a gradient."""

    def __init__(self, refuse: Callable[[str], Any]) -> None:
        super().__init__()
        self.refuse = refuse

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        way = _WAYS.get(getattr(func, "__name__", ""))
        if way is not None and any(map(_recorded, args)):
            self.refuse(way)
        return func(*args, **(kwargs or {}))


def _recorded(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_recorded, x))
    return isinstance(x, torch.Tensor) and x.requires_grad
