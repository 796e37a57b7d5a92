"""Nested structures against JAX's."""

import collections
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise.errors import ArgumentError, ShapeError
from likewise.transforms import register_tree, tree_leaves, tree_map, tree_stack, tree_unstack
from likewise.transforms._tree import flatten, paths


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Node:
    value: Any
    rest: Any = None
    total: int = field(init=False, default=0)


class Odd:
    def __init__(self, a: Any, name: str) -> None:
        self.a, self.name = a, name


class Derived(Odd):
    pass


register_tree(Odd, lambda o: ((o.a,), o.name), lambda name, a: Odd(a[0], name))

TREES = [
    1,
    None,
    (),
    [1, (2, None, [3])],
    {"b": 1, "a": [2, {"z": 3, "y": 4}]},
    {2: "x", 1: "y"},
    Point(1, (2, 3)),
    collections.OrderedDict([("b", 1), ("a", 2)]),
    collections.defaultdict(list, {"b": 1, "a": 2}),
]


@pytest.mark.needs("jax")
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_as_jax_has_it(tree: Any) -> None:
    import jax

    if not isinstance(tree, collections.OrderedDict):  # whose order JAX keeps
        assert tree_leaves(tree) == jax.tree.leaves(tree)
    found = tree_map(lambda x: [x], tree)
    assert found == jax.tree.map(lambda x: [x], tree)
    if isinstance(tree, dict):
        assert type(found) is type(tree)
        assert list(found) == list(tree)


def test_dataclasses_and_registered_classes() -> None:
    tree = Node(1, [Odd({"k": 2}, "n"), Node(3)])
    assert tree_leaves(tree) == [1, 2, 3]
    found = tree_map(lambda a, b: a + b, tree, tree)
    assert (found.value, found.rest[0].a, found.rest[0].name) == (2, {"k": 4}, "n")
    assert found.rest[1] == Node(6)
    derived = Derived(1, "n")
    assert tree_leaves(derived) == [derived]  # a class of its own
    assert tree_leaves(Node) == [Node]  # a class is no structure
    assert paths(flatten(tree)[1], "t") == ["t.value", "t.rest[0][0]['k']", "t.rest[1].value"]
    assert paths(flatten(Point(1, [2]))[1], "t") == ["t.x", "t.y[0]"]


@pytest.mark.parametrize(
    ("a", "b"),
    [((1, 2), (1,)), ((1, 2), [1, 2]), ({"a": 1}, {"b": 1}), (None, 1), (Point(1, 2), (1, 2))],
)
def test_structures_that_differ(a: Any, b: Any) -> None:
    with pytest.raises(ArgumentError, match="tree_map: structures must be the same.*number 2"):
        tree_map(lambda x, y: x, a, b)
    with pytest.raises(ArgumentError):
        tree_map(lambda x, y: x, Odd(1, "n"), Odd(1, "m"))


def test_order_of_keys_does_not_count() -> None:
    found = tree_map(lambda x, y: x - y, {"b": 3, "a": 1}, {"a": 1, "b": 1})
    assert list(found.items()) == [("b", 2), ("a", 0)]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_and_unstack(lib: Any, axis: int) -> None:
    x = np.arange(6.0).reshape(2, 3)
    trees = [{"a": lib.asarray(x + k), "b": Point(lib.asarray(x * k), None)} for k in range(4)]
    made = tree_stack(trees, axis=axis)
    np.testing.assert_array_equal(
        lib.to_numpy(made["a"]), np.stack([x + k for k in range(4)], axis)
    )
    for k, tree in enumerate(tree_unstack(made, axis=axis)):
        np.testing.assert_array_equal(lib.to_numpy(tree["a"]), x + k)
        np.testing.assert_array_equal(lib.to_numpy(tree["b"].x), x * k)
        assert tree["b"].y is None


def test_stack_refuses() -> None:
    with pytest.raises(ArgumentError, match="structures"):
        tree_stack([{"a": np.ones(2)}, {"b": np.ones(2)}])
    with pytest.raises(ShapeError, match="sizes along axis 0 must be equal"):
        tree_unstack((np.ones(2), np.ones(3)))
    with pytest.raises(ValueError):
        tree_stack([])
