"""Nested structures against JAX's."""

import collections
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise.errors import ArgumentError, ShapeError
from likewise.transforms import (
    register_tree,
    tree_flatten,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_with_path,
    tree_stack,
    tree_structure,
    tree_unflatten,
    tree_unstack,
)
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


def _step(step: Any) -> Any:
    """Return the plain key that JAX wraps."""
    return next(getattr(step, n) for n in ("key", "idx", "name") if hasattr(step, n))


@pytest.mark.needs("jax")
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_taken_apart_as_jax_does(tree: Any) -> None:
    import jax

    found, structure = tree_flatten(tree)
    assert tree_unflatten(structure, iter(found)) == tree
    assert structure == tree_structure(tree)
    if isinstance(tree, collections.OrderedDict):  # whose order JAX keeps
        return
    assert found == jax.tree.leaves(tree)
    theirs = [
        (tuple(_step(step) for step in path), leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(tree)
    ]
    assert tree_leaves_with_path(tree) == theirs
    others = [n * 2 for n in range(len(found))]
    mapped = tree_map_with_path(
        lambda path, x, y: (path, y), tree, tree_unflatten(structure, others)
    )
    expected = jax.tree.unflatten(
        jax.tree.structure(tree), [(p, y) for (p, _), y in zip(theirs, others, strict=True)]
    )
    assert mapped == expected


def test_paths_in_dataclasses_and_registered_classes() -> None:
    tree = Node(1, [Odd({"k": 2}, "n"), Node(None, 3)])
    assert tree_leaves_with_path(tree) == [
        (("value",), 1),
        (("rest", 0, 0, "k"), 2),
        (("rest", 1, "rest"), 3),
    ]
    found = tree_map_with_path(lambda path, x: (len(path), x), tree)
    assert (found.value, found.rest[0].a["k"], found.rest[0].name) == ((1, 1), (4, 2), "n")
    assert found.rest[1] == Node(None, (3, 3))
    leaves, structure = tree_flatten(tree)
    built = tree_unflatten(structure, [x * 10 for x in leaves])
    assert tree_leaves(built) == [10, 20, 30]
    assert tree_structure(built) == structure
    assert tree_structure(Odd(1, "n")) != tree_structure(Odd(1, "m"))
    assert str(structure).startswith("Node(value='*'")


def test_unflatten_refuses() -> None:
    structure = tree_structure({"a": (1, 2)})
    with pytest.raises(ArgumentError, match=r"tree_unflatten: .* has 2 leaves .* got 3"):
        tree_unflatten(structure, [1, 2, 3])
    with pytest.raises(ArgumentError, match="has 2 leaves .* got 1"):
        tree_unflatten(structure, [1])
    with pytest.raises(ArgumentError, match="tree_flatten or tree_structure, got a dict"):
        tree_unflatten({"a": 1}, [1])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="tree_map_with_path: structures must be the same"):
        tree_map_with_path(lambda path, x, y: x, (1, 2), (1,))


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
