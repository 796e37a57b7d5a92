"""Nested tuples, lists, dicts and dataclasses of arrays."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["leaves", "map_leaves"]


def leaves(tree: Any) -> Iterator[Any]:
    """The arrays and scalars in nested tuples, lists, dicts and dataclasses."""
    found: list[Any] = []
    map_leaves(found.append, tree)
    return iter(found)


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """The same structure with a function of each leaf in its place; None stays."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        order = sorted(tree, key=lambda key: (type(key).__name__, key))  # as JAX visits them
        new = {key: map_leaves(function, tree[key]) for key in order}
        return {key: new[key] for key in tree}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_leaves(function, branch) for branch in tree))
    if type(tree) in (list, tuple):  # torch.Size and its like are no structure
        return type(tree)(map_leaves(function, branch) for branch in tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        fields = [f.name for f in dataclasses.fields(tree) if f.init]
        return dataclasses.replace(
            tree, **{name: map_leaves(function, getattr(tree, name)) for name in fields}
        )
    return function(tree)
