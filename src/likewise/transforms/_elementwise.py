"""Elementwise functions with their own partial derivatives, under every transform.

Unlike `custom_jvp`, such a rule knows that each element of the result depends on one element of
each argument. So it computes partial derivatives only with respect to differentiated arguments:
others may be infinite or expensive.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from .._library import Transforms, named
from .._namespace import array_namespace
from ._custom import _constant, _inner, _Rule, _space, _tracked
from ._following._interpreter import RECORDERS, closed, is_open, recorder
from ._following._proxy import Proxy, lift
from ._rules._batching import Batch
from ._rules._differentiation import Forward, Node, Reverse

__all__ = ["Elementwise"]

Derivative = Callable[..., Any]


class Elementwise(_Rule):
    """Hold a function of arrays that broadcast, with its partial derivatives.

    Parameters
    ----------
    fun : callable
        A function of arrays of one floating dtype that returns one array of this dtype.
    derivatives : sequence of callable
        The derivative with respect to each argument, a function of the result and of all arguments.
        It must be differentiable, too.
    """

    name = "a special function"

    def __init__(self, fun: Callable[..., Any], derivatives: Sequence[Derivative]) -> None:
        self.fun, self.derivatives = fun, tuple(derivatives)
        self.made: dict[Any, Any] = {}

        def one_call(*arrays: Any) -> Any:
            return self.of(*arrays)

        self.one_call = one_call
        one_call.__name__ = fun.__name__  # as recordings show it
        self.key = named(one_call)

    def __call__(self, *leaves: Any) -> list[Any]:
        if RECORDERS and recorder() is not None:
            out = recorder().noted(self.one_call, leaves, {})
            if out is not NotImplemented:
                return [out]
        return super().__call__(*leaves)

    def own(self, transforms: Transforms) -> Any:
        make, step = transforms.elementwise, transforms.one_step and transforms.one_step()
        if step is not None:
            return lambda *arrays: step(self.key, arrays, {})
        if make is None:
            return None
        if make not in self.made:
            self.made[make] = make(self.fun, self.derivatives)
        return self.made[make]

    def of(self, *arrays: Any) -> Any:
        """Return the result for arrays of any shapes that broadcast."""
        ndim = max(x.ndim for x in arrays)
        return self(*(_filled(x, ndim) for x in arrays))[0]

    def plain(self, leaves: Sequence[Any]) -> list[Any]:
        """Call the function on the library's own arrays, which have routines, not on constants."""
        if all(x.__class__ is not Proxy or x.by is None for x in leaves):
            # A loop inside would give constants of the transform, which raw arrays don't know.
            with closed() if is_open() else nullcontext():
                y = self.fun(*map(_constant, leaves))
            lifted = next((x for x in leaves if x.__class__ is Proxy), None)
            return [y if lifted is None else lift(lifted.space, y)]
        return [self.fun(*leaves)]

    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]:
        return [own(*leaves)]

    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]:
        space, inner = _space(leaves), _inner(leaves, by)
        y = self(*inner)[0]

        def pull(g: Any, i: int) -> Any:
            c = lift(space, g) * self.derivatives[i](y, *inner)
            return c if by.nested else _constant(c)

        edges = [(leaves[i].extra, pull, (i,), False) for i in _tracked(leaves, by)]
        value = _constant(y)
        by.nested = by.nested or value.__class__ is Proxy
        return [Proxy(value, by, Node(edges, tuple(y.shape), y.dtype), space)]

    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]:
        space, inner = _space(leaves), _inner(leaves, by)
        y = self(*inner)[0]
        mine = _tracked(leaves, by)
        slopes = {i: self.derivatives[i](y, *inner) for i in mine}
        moved: list[Any] = []
        for k in range(by.count):
            parts = [
                slopes[i] * (lift(space, t) if hasattr(t, "dtype") else t)
                for i in mine
                if (t := leaves[i].extra[k]) is not None
            ]
            total = sum(parts[1:], parts[0]) if parts else None
            moved.append(total)
        xp = space.namespace
        out = by.proxy(xp, space, _constant(y), moved)
        if out.__class__ is Proxy and out.by is by:
            out.extra = tuple(map(_constant, out.extra))
        return [out]

    def batch(self, leaves: Sequence[Any], by: Batch) -> list[Any]:
        """Run the function with the batch as first dimension of all operands, 1 if unbatched."""
        space, mine = _space(leaves), set(_tracked(leaves, by))
        inner = [
            x if i in mine else _filled(x, x.ndim + 1) for i, x in enumerate(_inner(leaves, by))
        ]
        return [Proxy(_constant(self(*inner)[0]), by, None, space)]

    def mapped(self, axes: tuple[Any, ...], size: int) -> "Elementwise":
        return self  # `batch` has its own way


def _filled(x: Any, ndim: int) -> Any:
    """Insert leading dimensions of size 1."""
    if x.ndim == ndim:
        return x
    return array_namespace(x).reshape(x, (1,) * (ndim - x.ndim) + tuple(x.shape))
