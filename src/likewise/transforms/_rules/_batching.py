"""The interpreter that runs a function for a batch, with the batch as the first axis of arrays."""

from collections.abc import Callable
from typing import Any

from ...errors import TransformError
from .._following._escapes import users_line
from .._following._interpreter import Interpreter
from .._following._proxy import Proxy, lift, rebuilt, run
from .._following._reasons import why
from .._following._space import Space
from ._rules import RuleFunction, needs

__all__ = ["BATCHING", "Batch", "batched", "elementwise_batched", "looped"]

# Per instruction: how it is batched. 'elementwise', 'loop', or a rule and how unbatched operands
# come to it: with the batch's size in front, or with 1 (thin).
BATCHING: dict[str, Any] = {}


def elementwise_batched(*names: str) -> None:
    """Batch elementwise functions: insert dimensions so that operands broadcast."""
    for name in names:
        BATCHING[name] = "elementwise"


def looped(*names: str) -> None:
    """Call functions that have no batching rule once for each batch element."""
    for name in names:
        BATCHING[name] = "loop"


def batched(name: str, rule: Callable[..., Any], *, thin: bool = False) -> None:
    """Register a rule for operands that all have the batch as their first dimension.

    Its parameters are named as in `_rules`.
    """
    BATCHING[name] = (needs(name, rule), thin)


class Batch(Interpreter):
    """Run steps for the whole batch; the values of its proxies have the batch as axis 0."""

    lead = 1
    name = "vmap"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Space) -> Any:
        inner: list[Any] = []
        flags: list[bool] = []
        nested = False
        for a in operands:
            mine = False
            if a.__class__ is Proxy:
                mine = a.by is self
                if mine or a.by is None:
                    a = a.value
                nested = nested or a.__class__ is Proxy
            inner.append(a)
            flags.append(mine)
        if nested:
            inner = [lift(space, a) if hasattr(a, "dtype") else a for a in inner]
        how = BATCHING.get(name)
        if how is None:
            raise TransformError(
                f"{name}: has no rule for batches{users_line()} (vmap){why(name, 'batch')}"
            )
        if how == "elementwise":
            out = _elementwise(space, name, inner, flags, settings)
        elif how == "loop":
            out = self._loop(space, name, inner, flags, settings)
        else:
            step, thin = how
            out = self._by_rule(space, name, inner, flags, settings, step, thin, nested)
        return self._wrapped(out, space)

    def _wrapped(self, out: Any, space: Space) -> Any:
        if isinstance(out, tuple | list) and not hasattr(out, "dtype"):
            return rebuilt(out, [self._wrapped(o, space) for o in out])
        if out.__class__ is Proxy and out.by is None:
            out = out.value
        return Proxy(out, self, None, space)

    def _by_rule(
        self,
        space: Space,
        name: str,
        inner: list[Any],
        flags: list[bool],
        settings: dict[str, Any],
        step: RuleFunction,
        thin: bool,
        nested: bool,
    ) -> Any:
        xp = space.namespace if nested else space.xp
        n = 1 if thin else self.size
        full = []
        for a, mine in zip(inner, flags, strict=True):
            if not mine and hasattr(a, "dtype"):
                a = xp.broadcast_to(a[None, ...], (n, *a.shape))
            full.append(a)
        return step.call(*step.picked(xp, None, full, settings, 0))

    def _loop(
        self,
        space: Space,
        name: str,
        inner: list[Any],
        flags: list[bool],
        settings: dict[str, Any],
    ) -> Any:
        xp = space.xp
        outs = []
        for k in range(self.size):
            one = [a[k, ...] if mine else a for a, mine in zip(inner, flags, strict=True)]
            outs.append(run(space, name, one, settings))
        if isinstance(outs[0], tuple | list) and not hasattr(outs[0], "dtype"):
            return rebuilt(outs[0], [xp.stack(list(o)) for o in zip(*outs, strict=True)])
        return xp.stack(outs)

    def truth(self, x: Proxy) -> bool:
        raise TransformError(
            f"bool: under vmap a condition has a value for each lane{users_line()}, so it can't "
            "decide for all. Use xp.where, or cond, switch and while_loop of likewise.transforms."
        )


def _elementwise(
    space: Space, name: str, inner: list[Any], flags: list[bool], settings: dict[str, Any]
) -> Any:
    ndim = 0
    for a, mine in zip(inner, flags, strict=True):
        if hasattr(a, "ndim"):
            ndim = max(ndim, a.ndim - mine)
    out = []
    for a, mine in zip(inner, flags, strict=True):
        if mine and a.ndim - 1 < ndim:
            a = space.xp.reshape(a, (a.shape[0], *(1,) * (ndim - a.ndim + 1), *a.shape[1:]))
        out.append(a)
    return run(space, name, out, settings)


def axes(axis: Any, ndim: int) -> Any:
    """Convert axes of one batch element to axes of the batch; None means all but the batch."""
    if axis is None:
        return tuple(range(1, ndim))
    if isinstance(axis, tuple | list):
        return tuple(axes(a, ndim) for a in axis)
    if not 1 - ndim <= axis < ndim - 1:
        raise IndexError(f"axis {axis} is out of range for an array of {ndim - 1} dimensions")
    return axis % (ndim - 1) + 1
