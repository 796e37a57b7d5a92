"""Solvers for arrays in blocks: each block is a call of the same function on NumPy's arrays.

So a block has all that NumPy has, and tells its errors and warnings when it is computed. Shapes and
dtypes of the results are those of a call with no problems, which also checks the arguments.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .. import _plan
from .._default import KNOWN
from .._namespace import array_namespace, describe, hooks_of, is_neutral, namespace
from ..errors import ArgumentError, NotSupported, ShapeError
from ..transforms._blocks import Made, comes_in_blocks, over_blocks
from ..transforms._following._interpreter import closed
from ..transforms._following._proxy import bottom
from ..transforms._tree import flatten
from ._closures import closed_over
from ._options import ends

__all__ = ["Sides", "any_in_blocks", "in_blocks", "lanes_in_blocks", "sides"]

T = TypeVar("T")
_MODULES = tuple(known.module for known in KNOWN.values() if known.blocks)


def any_in_blocks(*trees: Any) -> bool:
    """Tell if an array of nested structures comes in blocks."""
    if not any(name in sys.modules for name in _MODULES):
        return False
    return any(comes_in_blocks(x) for tree in trees for x in flatten(tree)[0])


def in_blocks(
    function: str,
    call: Callable[..., T],
    given: Mapping[str, tuple[Any, int | None]],
    users: Mapping[str, Any],
    callback: Any = None,
) -> T | None:
    """Return ``call(*trees)`` by blocks, or None if no array among those given comes in blocks.

    Each of `given` has a nested structure of arrays, and the number of their last axes that belong
    to one problem; axes before are the batch, and broadcast. With None, arrays are the same for all
    problems. NumPy's arrays go along. `users` are the functions that are called on the blocks; a
    `callback`, which would be told of some problems only, is refused.
    """
    if not any_in_blocks(*(tree for tree, _ in given.values())):
        return None
    if callback is not None:
        raise NotSupported(
            f"{function}: callback needs values after each step, got arrays in blocks, which have "
            "none before they are computed. Leave it out"
        )
    for name, user in users.items():
        _refuse_closures(function, name, user)
    mapped = _Mapped(function, call, given)
    out: T = mapped.result()
    return out


def lanes_in_blocks(
    function: str,
    call: Callable[[tuple[Any, ...], tuple[Any, ...]], T],
    points: Mapping[str, Any],
    args: Any,
    users: Mapping[str, Any],
) -> T | None:
    """Return ``call(points, args)`` by blocks, one number of each array for a problem, or None."""
    rest = args if isinstance(args, tuple) else (args,)
    given: dict[str, tuple[Any, int | None]] = {name: (p, 0) for name, p in points.items()}
    for i, a in enumerate(rest):
        given[f"args[{i}]"] = a, 0 if hasattr(a, "shape") or isinstance(a, list) else None
    n = len(points)
    return in_blocks(function, lambda *v: call(v[:n], v[n:]), given, users)


class Sides(NamedTuple):
    """Hold bounds by side, as SciPy's object does."""

    lb: Any
    ub: Any


def sides(bounds: Any) -> Any:
    """Return bounds by side, where they are a pair, an array of two rows, or such an object."""
    if isinstance(bounds, Sides):
        return bounds
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return Sides(*ends(bounds))
    if getattr(bounds, "ndim", 0) > 0 and bounds.shape[0] == 2:  # (2, p)
        return Sides(bounds[0, ...], bounds[1, ...])
    pair = isinstance(bounds, list | tuple) and len(bounds) == 2
    return Sides(*bounds) if pair else bounds


class _Mapped:
    """Hold the arrays of a call with their axes, and map the call over blocks."""

    def __init__(
        self,
        function: str,
        call: Callable[..., Any],
        given: Mapping[str, tuple[Any, int | None]],
    ) -> None:
        self.call = call
        first = next(x for t, _ in given.values() for x in flatten(t)[0] if comes_in_blocks(x))
        floating = array_namespace(first).isdtype(first.dtype, "real floating")
        self.dtype = first.dtype if floating else None
        trees = [t if rank is None else self.numbers(t, rank) for t, rank in given.values()]
        ranks = [rank for _, rank in given.values()]
        if not any(
            hasattr(x, "dtype")
            for t, rank in zip(trees, ranks, strict=True)
            if rank is not None
            for x in flatten(t)[0]
        ):  # a start that is a number
            x = namespace("numpy").asarray(trees[0], dtype=self.dtype)
            trees[0] = x if x.ndim else x.reshape((1,) * int(ranks[0] or 0))
        self.leaves, self.structure = flatten(tuple(trees))
        self.places: list[int] = []
        self.arrays: list[Any] = []
        self.heads: list[int] = []  # of each array, how many of its axes are the batch's
        self.shared: list[bool] = []
        names = []
        i = 0
        for name, tree, rank in zip(given, trees, ranks, strict=True):
            for x in flatten(tree)[0]:
                if hasattr(x, "dtype") and not is_neutral(x):
                    _check(function, name, x)
                    self.places.append(i)
                    self.arrays.append(x)
                    self.heads.append(0 if rank is None else max(0, x.ndim - rank))
                    self.shared.append(rank is None)
                    names.append(name)
                i += 1
        array_namespace(*(bottom(x) for x in self.arrays if not _on_host(x)))  # of one library
        shapes: dict[str, tuple[int, ...]] = {}
        for name, x, k in zip(names, self.arrays, self.heads, strict=True):
            if k:
                shapes[name if name not in shapes else f"{name} ({len(shapes)})"] = x.shape[:k]
        self.batch = _plan.broadcast(function, **shapes) if shapes else ()

    def numbers(self, tree: Any, rank: int) -> Any:
        """Return lists of numbers as NumPy's arrays, where they are problems' own."""
        if isinstance(tree, tuple) and (hasattr(tree, "_fields") or not rank):
            parts = [self.numbers(t, rank) for t in tree]
            return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
        inner = flatten(tree)[0] if isinstance(tree, list | tuple) else []
        if not inner or not all(isinstance(x, int | float) for x in inner):
            return tree
        return namespace("numpy").asarray(tree, dtype=self.dtype)

    def result(self) -> Any:
        loops = len(self.batch)
        labels = [
            (*(f"loop {loops - k + j}" for j in range(k)), *(None,) * (x.ndim - k))
            for x, k in zip(self.arrays, self.heads, strict=True)
        ]
        with closed():
            sample = self.called(self.none())
        found, structure = flatten(sample)
        places = [i for i, y in enumerate(found) if hasattr(y, "dtype")]
        head = tuple(f"loop {j}" for j in range(loops))
        made = []
        for y in (found[i] for i in places):
            sizes = tuple(int(n) for n in y.shape[max(1, loops) :])
            made.append(Made((*head, *(None,) * len(sizes)), sizes, y.dtype))

        def block(*arrays: Any) -> list[Any]:
            out = flatten(self.called(arrays))[0]
            return [out[i] for i in places]

        for i, y in zip(places, over_blocks(block, self.arrays, labels, made), strict=True):
            found[i] = y
        out = structure.unflatten(found)
        if hasattr(sample, "outcome"):  # what a result says besides its fields
            kept = {k: v for k, v in vars(sample).items() if k not in vars(out)}
            vars(out).update(kept)
        return out

    def called(self, arrays: Sequence[Any]) -> Any:
        full = list(self.leaves)
        for i, x in zip(self.places, arrays, strict=True):
            full[i] = x
        return self.call(*self.structure.unflatten(full))

    def none(self) -> list[Any]:
        """Return arrays of NumPy like those given, of no problems."""
        xp = namespace("numpy")
        out = []
        for x, k, shared in zip(self.arrays, self.heads, self.shared, strict=True):
            own = self.batch[len(self.batch) - k :]
            head = tuple(0 if n == m else 1 for n, m in zip(x.shape[:k], own, strict=True))
            if not self.batch and not shared:
                head = (0,)
            if head or not _on_host(x):
                x = xp.ones((*head, *x.shape[k:]), dtype=getattr(xp, str(x.dtype)))
            out.append(x)
        return out


def _check(function: str, name: str, x: Any) -> None:
    if any(n != n for n in x.shape):
        raise ShapeError(
            f"{function}: argument {name!r} must have a known shape, got a {describe(x)}; "
            "x.compute_chunk_sizes() finds it"
        )


def _on_host(x: Any) -> bool:
    return bool(hooks_of(bottom(x)).name == "numpy")


def _refuse_closures(function: str, name: str, user: Any) -> None:
    found = closed_over(user, comes_in_blocks)
    if found is not None:
        place, x = found
        raise ArgumentError(
            f"{function}: {name} runs on one block of the data at a time, and refers to a "
            f"{describe(x)} from outside, as {place!r}. Pass it as an argument, by args= or as "
            "xdata, so that its blocks go along; or compute it before"
        )
