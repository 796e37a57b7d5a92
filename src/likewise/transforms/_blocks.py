"""A function of NumPy arrays, or an apply step, mapped over the blocks of arrays.

Its derivatives are maps over the same blocks, of the function's derivatives on NumPy; under `vmap`
the mapped axis is one more along which blocks are cut. So whatever a transform asks for, a block is
one task.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._library import Transforms
from .._namespace import array_namespace, hooks_of
from ._custom import _constant, _filled, _inner, _nodes, _Rule, _space, _tangents, _tracked
from ._derivatives import jvp, vjp
from ._following._interpreter import closed, is_open, recorder
from ._following._proxy import Proxy, bottom, lift, seen
from ._following._space import Space, space_of
from ._maps import vmap
from ._rules._differentiation import Forward, Reverse, lifted
from ._tree import flatten

__all__ = ["Made", "comes_in_blocks", "over_blocks", "step_over_blocks"]

Labels = tuple[Any, ...]


class Made(NamedTuple):
    """Describe a result: of each axis the label along which it is cut, or its size."""

    labels: Labels  # a label, or None of an axis that is not cut
    sizes: tuple[int, ...]  # of axes that are not cut
    dtype: Any
    thin: frozenset[Any] = frozenset()  # labels of axes of one element, the sum over blocks


def comes_in_blocks(x: Any) -> bool:
    """Tell if an array comes in blocks, also below a transform that follows it."""
    return hooks_of(bottom(x)).in_blocks


def over_blocks(
    fun: Callable[..., Sequence[Any]],
    arrays: Sequence[Any],
    labels: Sequence[Labels],
    made: Sequence[Made],
) -> list[Any]:
    """Return the arrays of ``fun(*blocks)``, mapped over the blocks of arrays.

    `labels` has a label for each axis of an array, None where the function needs it whole. Axes of
    one label are cut alike, or have one element. NumPy's arrays are cut, too. `fun` is called with
    NumPy's arrays alone, and only when results are computed.
    """
    return _OverBlocks(fun, list(labels), list(made))(*arrays)


def step_over_blocks(row: Any, *args: Any) -> Any:
    """Return ``row.step(*args)`` by blocks; NotImplemented where the step's body must run.

    Margins are not cut: their axes are whole.
    """
    leaves, structure = flatten(args)
    places = [i for i, x in enumerate(leaves) if x.__class__ is Proxy]
    arrays = [leaves[i] for i in places]
    if recorder() is not None or not any(map(comes_in_blocks, arrays)):
        return NotImplemented
    lines = row.blocks(*args)
    labels: list[Labels] = []
    for k, a in enumerate(args):
        if k in lines.given:
            labels.append(_named(lines.given[k]))
        else:
            labels += [(None,) * x.ndim for x in flatten(a)[0] if x.__class__ is Proxy]
    several = isinstance(lines.made, list)
    made = []
    for m in lines.made if several else [lines.made]:
        sizes = tuple(n for n, k in zip(m.shape, m.labels, strict=True) if k is None)
        made.append(Made(_named(m.labels), sizes, m.dtype))
    rest, step = list(leaves), row.step
    for i in places:
        rest[i] = None

    def block(*blocks: Any) -> Any:
        full = list(rest)
        for i, x in zip(places, blocks, strict=True):
            full[i] = x
        out = step(*structure.unflatten(full))
        return out if several else (out,)

    out = lift(arrays[0].space, tuple(over_blocks(block, arrays, labels, made)))
    return out if several else out[0]


def _named(labels: Labels) -> Labels:
    return tuple(None if k is None else f"loop {k}" for k in labels)


class _OverBlocks(_Rule):
    name = "a map over blocks"

    def __init__(self, fun: Any, labels: list[Labels], made: list[Made]) -> None:
        self.fun, self.labels, self.made = fun, labels, made

    def own(self, transforms: Transforms) -> Any:
        return None

    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]:
        raise NotImplementedError  # no library has its own

    def plain(self, leaves: Sequence[Any]) -> list[Any]:
        raw = [seen(x, self.name) for x in leaves]
        library = next(h for h in map(hooks_of, raw) if h.in_blocks)

        def alone(*blocks: Any) -> Sequence[Any]:
            with closed():
                return self.fun(*blocks)

        out = library.map_blocks(alone, raw, self.labels, self.made)
        out = [_summed(y, m) for y, m in zip(out, self.made, strict=True)]
        return [lift(space_of(*leaves), y) for y in out] if is_open() else out

    def _moving(self, space: Space) -> list[int]:
        """Return the places of results that can have derivatives."""
        return [i for i, m in enumerate(self.made) if space.inexact(m.dtype)]

    def _of_some(
        self, values: Sequence[Any], mine: list[int], moving: list[int]
    ) -> Callable[..., tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Return the function of some arrays, and its results that have derivatives and others."""

        def of_some(*some: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
            full = list(values)
            for i, x in zip(mine, some, strict=True):
                full[i] = x
            out = self.fun(*full)
            rest = (y for i, y in enumerate(out) if i not in moving)
            return tuple(out[i] for i in moving), tuple(rest)

        return of_some

    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]:
        space, n = _space(leaves), len(self.made)
        mine, moving = _tracked(leaves, by), self._moving(space)
        rest = [i for i in range(n) if i not in moving]

        def pushed(*blocks: Any) -> list[Any]:
            values, tangents = blocks[: len(leaves)], blocks[len(leaves) :]
            some = tuple(values[i] for i in mine)
            of_some = self._of_some(values, mine, moving)
            return [v for part in jvp(of_some, some, tangents, has_aux=True) for v in part]

        made = [self.made[i] for i in (*moving, *moving, *rest)]
        rule = _OverBlocks(pushed, [*self.labels, *(self.labels[i] for i in mine)], made)
        inner, several = _inner(leaves, by), len(moving)
        found: list[Any] = []
        along = []
        for k in range(by.count):
            tangents = _tangents(space, [leaves[i] for i in mine], by, k)
            tangents = [
                t if hasattr(t, "dtype") else lift(space, space.xp.full_like(leaves[i].value, t))
                for i, t in zip(mine, tangents, strict=True)
            ]
            found = list(map(_constant, rule(*inner, *tangents)))
            along.append(found[several : 2 * several])
        out: list[Any] = [None] * n
        for i, y, *moved in zip(moving, found, *along, strict=False):
            out[i] = Proxy(y, by, tuple(moved), space)
        for i, y in zip(rest, found[2 * several :], strict=True):
            out[i] = y
        return out

    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]:
        space = _space(leaves)
        mine, moving = _tracked(leaves, by), self._moving(space)
        inner = _inner(leaves, by)
        out = self(*inner)
        slopes = [self._slope(i, leaves) for i in mine]
        shapes = [tuple(leaves[i].shape) for i in mine]

        def pulled(*blocks: Any) -> list[Any]:
            values, cotangents = blocks[: len(leaves)], blocks[len(leaves) :]
            some = [values[i] for i in mine]
            of_some = self._of_some(values, mine, moving)
            found = vjp(lambda *v: of_some(*v)[0], *some)[1](tuple(cotangents))
            return [
                array_namespace(c).reshape(c, (1,) * (len(m.labels) - c.ndim) + tuple(c.shape))
                for c, m in zip(found, slopes, strict=True)
            ]

        rule = _OverBlocks(pulled, [*self.labels, *(self.made[i].labels for i in moving)], slopes)
        done: list[Any] = [None, None]

        def pull(g: Any, k: int) -> Any:
            if done[0] is not g:  # once for all arguments
                full = lifted(space, _filled(space, g, out))
                found = rule(*inner, *(full[i] for i in moving))
                xp = array_namespace(*found)
                found = [xp.reshape(c, shape) for c, shape in zip(found, shapes, strict=True)]
                done[:] = [g, found if by.nested else [_constant(c) for c in found]]
            return done[1][k]

        edges = [(leaves[i].extra, pull, (k,), False) for k, i in enumerate(mine)]
        return _nodes(out, edges, by, space)

    def _slope(self, i: int, leaves: Sequence[Any]) -> Made:
        """Describe the cotangents of an array: sums over the blocks that share elements of it."""
        size = _sizes(leaves, self.labels)
        own, shape = self.labels[i], leaves[i].shape
        shared = tuple(label for label in size if label not in own)
        few = [k for k, n in zip(own, shape, strict=True) if k is not None and n < size[k]]
        sizes = tuple(int(n) for k, n in zip(own, shape, strict=True) if k is None)
        return Made((*shared, *own), sizes, leaves[i].dtype, frozenset((*shared, *few)))

    def mapped(self, axes: tuple[Any, ...], size: int) -> "_OverBlocks":
        lane = f"lane {sum(str(k).startswith('lane') for k in self.made[0].labels)}"
        labels = [
            own if axis is None else (lane, *own)
            for own, axis in zip(self.labels, axes, strict=True)
        ]
        made = [m._replace(labels=(lane, *m.labels)) for m in self.made]
        return _OverBlocks(vmap(self.fun, in_axes=axes), labels, made)


def _sizes(leaves: Sequence[Any], labels: Sequence[Labels]) -> dict[Any, int]:
    """Return the size of each label's axis."""
    size: dict[Any, int] = {}
    for x, own in zip(leaves, labels, strict=True):
        for k, n in zip(own, getattr(x, "shape", ()), strict=True):
            if k is not None:
                size[k] = max(int(n), size.get(k, 0)) if n != 0 else 0
    return size


def _summed(y: Any, made: Made) -> Any:
    """Return the sum over those axes that have one element of each block."""
    axes = tuple(i for i, k in enumerate(made.labels) if k in made.thin)
    xp = array_namespace(y)
    return xp.sum(y, axis=axes, dtype=y.dtype, keepdims=True) if axes else y
