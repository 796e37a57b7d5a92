"""Nested tuples, lists and dicts of arrays."""

from collections.abc import Iterator
from typing import Any

__all__ = ["leaves"]


def leaves(tree: Any) -> Iterator[Any]:
    """The arrays and scalars in nested tuples, lists and dicts."""
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from leaves(tree[key])
    elif isinstance(tree, list | tuple):
        for branch in tree:
            yield from leaves(branch)
    elif tree is not None:
        yield tree
