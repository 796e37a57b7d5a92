"""Nested tuples, lists, dicts, NamedTuples and dataclasses of arrays."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .._namespace import array_namespace
from ..errors import ArgumentError, ShapeError

__all__ = [
    "Structure",
    "alike",
    "flatten",
    "leaves",
    "map_leaves",
    "paths",
    "register_tree",
    "tree_flatten",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_stack",
    "tree_structure",
    "tree_unflatten",
    "tree_unstack",
]


class Structure(NamedTuple):
    """Hold a nested structure without its leaves; `kind` is None for a leaf."""

    kind: Any
    meta: Any
    children: tuple["Structure", ...]

    def unflatten(self, values: Sequence[Any]) -> Any:
        """Return the structure with leaves in their order."""
        return values[0] if self.kind is None else _build(self, iter(values))

    @property
    def size(self) -> int:
        return 1 if self.kind is None else sum(c.size for c in self.children)

    def __str__(self) -> str:
        return str(_build(self, iter(["*"] * self.size)))


_LEAF = Structure(None, None, ())
_REGISTERED: dict[type, tuple[Callable[..., Any], Callable[..., Any]]] = {}


def _taken(tree: Any) -> tuple[Any, Any, Sequence[Any]] | None:
    """Kind, what else it takes to build it anew, and branches; None of a leaf."""
    cls = type(tree)
    if tree is None:
        return "none", None, ()
    if cls is tuple or cls is list:  # torch.Size and its like are no structure
        return cls, None, tree
    if isinstance(tree, dict):
        keys = _sorted(tree)
        return cls, (keys, tuple(tree)), [tree[k] for k in keys]
    if cls in _REGISTERED:
        children, meta = _REGISTERED[cls][0](tree)
        return cls, meta, tuple(children)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return cls, None, tree
    if isinstance(tree, tuple) and hasattr(cls, "n_sequence_fields"):  # torch's decompositions
        return cls, cls.__match_args__[: len(tree)], tree
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = tuple(f.name for f in dataclasses.fields(tree) if f.init)
        return cls, names, [getattr(tree, n) for n in names]
    return None


def _sorted(tree: dict[Any, Any]) -> tuple[Any, ...]:
    """Keys as JAX visits them."""
    if all(type(key) is str for key in tree):
        return tuple(sorted(tree))
    return tuple(sorted(tree, key=lambda key: (type(key).__name__, key)))


def _build(structure: Structure, left: Iterator[Any]) -> Any:
    kind, meta, children = structure
    if kind is None:
        return next(left)
    if kind == "none":
        return None
    items = [next(left) if c.kind is None else _build(c, left) for c in children]
    if kind is tuple or kind is list:
        return kind(items)
    if kind in _REGISTERED:
        return _REGISTERED[kind][1](meta, tuple(items))
    if issubclass(kind, dict):
        found = dict(zip(meta[0], items, strict=True))
        made = kind() if kind is not dict else {}
        made.update((k, found[k]) for k in meta[1])
        return made
    if issubclass(kind, tuple):
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    return kind(**dict(zip(meta, items, strict=True)))


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """Return the leaves, and the structure that holds them."""
    found: list[Any] = []
    return found, _flat(tree, found)


def _flat(tree: Any, found: list[Any]) -> Structure:
    cls = type(tree)
    if cls is tuple or cls is list:
        children = []
        for b in tree:
            if hasattr(b, "__array_namespace__") and type(b) not in _REGISTERED:
                found.append(b)  # as below: most branches are arrays
                children.append(_LEAF)
            else:
                children.append(_flat(b, found))
        return Structure(cls, None, tuple(children))
    if cls is dict:
        keys = _sorted(tree)
        meta = keys, tuple(tree)
        return Structure(dict, meta, tuple([_flat(tree[k], found) for k in keys]))
    # What is known to be an array, or has a namespace, need not be looked at from all sides.
    if hasattr(tree, "__array_namespace__") and cls not in _REGISTERED:
        found.append(tree)
        return _LEAF
    taken = _taken(tree)
    if taken is None:
        found.append(tree)
        return _LEAF
    kind, meta, branches = taken
    return Structure(kind, meta, tuple(_flat(b, found) for b in branches))


def paths(structure: Structure, name: str) -> list[str]:
    """Return the path of each leaf, for messages: ``carry['a'][1]``."""
    kind, meta, children = structure
    if kind is None:
        return [name]
    out: list[str] = []
    named = not (isinstance(kind, type) and issubclass(kind, dict)) and kind not in _REGISTERED
    for step, child in zip(_steps(kind, meta, len(children)), children, strict=True):
        attribute = named and isinstance(step, str)
        out += paths(child, name + (f".{step}" if attribute else f"[{step!r}]"))
    return out


def _steps(kind: Any, meta: Any, count: int) -> Sequence[Any]:
    """Return by what each branch is reached: a dict's keys, names, or places."""
    if isinstance(kind, type) and issubclass(kind, dict):
        return meta[0]
    if kind is tuple or kind is list or kind in _REGISTERED:
        return range(count)
    return kind._fields if hasattr(kind, "_fields") else meta or ()


def _ways(structure: Structure) -> list[tuple[Any, ...]]:
    """Return the path to each leaf, as a tuple of steps."""
    kind, meta, children = structure
    if kind is None:
        return [()]
    steps = _steps(kind, meta, len(children))
    return [(step, *way) for step, c in zip(steps, children, strict=True) for way in _ways(c)]


def leaves(tree: Any) -> Iterator[Any]:
    """Return the arrays and scalars in a nested structure."""
    return iter(flatten(tree)[0])


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to each leaf of a structure; None stays None."""
    found, structure = flatten(tree)
    return structure.unflatten([function(x) for x in found])


def register_tree(
    cls: type,
    flatten: Callable[[Any], tuple[Sequence[Any], Any]],
    unflatten: Callable[[Any, tuple[Any, ...]], Any],
) -> None:
    """Register a class as a structure of arrays in arguments and results.

    Parameters
    ----------
    cls : type
        The class; derived classes must be registered separately.
    flatten : callable
        A function of an object that returns its children, and other data that are needed to build
        it; these must compare by ``==`` and be hashable.
    unflatten : callable
        A function of the other data and the children that returns a new object.

    Notes
    -----
    The signatures are those of `jax.tree_util.register_pytree_node`. Tuples, lists, dicts,
    NamedTuples, dataclasses and None need no registration.

    Examples
    --------
    >>> from likewise.transforms import register_tree, tree_map
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_tree(Pair, lambda p: ((p.a, p.b), None), lambda _, ab: Pair(*ab))
    >>> tree_map(lambda x: x + 1, Pair(1, 2)).b
    3
    """
    _REGISTERED[cls] = (flatten, unflatten)


def tree_leaves(tree: Any) -> list[Any]:
    """Return the leaves of a nested structure, in JAX's order.

    Parameters
    ----------
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        Dicts are visited by sorted keys; None has no leaves.

    Returns
    -------
    list
        All objects that aren't a structure.

    Examples
    --------
    >>> from likewise.transforms import tree_leaves
    >>> tree_leaves({"b": 1, "a": (2, [3, None])})
    [2, 3, 1]
    """
    return flatten(tree)[0]


def tree_flatten(tree: Any) -> tuple[list[Any], Structure]:
    """Split a nested structure into its leaves and the structure without them.

    Parameters
    ----------
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        Dicts are visited by sorted keys; None has no leaves.

    Returns
    -------
    leaves : list
        All objects that aren't a structure, in JAX's order.
    structure : Structure
        The structure, from which `tree_unflatten` rebuilds the tree. It compares by ``==``.

    Examples
    --------
    >>> from likewise.transforms import tree_flatten, tree_unflatten
    >>> leaves, structure = tree_flatten({"b": 1, "a": (2, None)})
    >>> leaves
    [2, 1]
    >>> tree_unflatten(structure, [10, 20])
    {'b': 20, 'a': (10, None)}
    """
    return flatten(tree)


def tree_structure(tree: Any) -> Structure:
    """Return a nested structure without its leaves.

    Parameters
    ----------
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        Dicts are visited by sorted keys; None has no leaves.

    Returns
    -------
    Structure
        The structure for `tree_unflatten`; equal structures compare equal.

    Examples
    --------
    >>> from likewise.transforms import tree_structure
    >>> print(tree_structure({"a": (1, [2, None])}))
    {'a': ('*', ['*', None])}
    >>> tree_structure((1, 2)) == tree_structure((3, 4))
    True
    """
    return flatten(tree)[1]


def tree_unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """Build a nested structure from its leaves: the inverse of `tree_flatten`.

    Parameters
    ----------
    structure : Structure
        A result of `tree_flatten` or `tree_structure`.
    leaves : iterable
        As many leaves as the structure has, in its order.

    Returns
    -------
    nested tuples, lists, dicts, NamedTuples, dataclasses
        The structure with the leaves in it.

    Raises
    ------
    ArgumentError
        If `structure` is not a structure, or the number of leaves is wrong.

    Examples
    --------
    >>> from likewise.transforms import tree_structure, tree_unflatten
    >>> tree_unflatten(tree_structure({"a": 0, "b": (0, 0)}), "xyz")
    {'a': 'x', 'b': ('y', 'z')}
    """
    if not isinstance(structure, Structure):
        raise ArgumentError(
            f"tree_unflatten: structure must come from tree_flatten or tree_structure, got a "
            f"{type(structure).__name__}"
        )
    found = list(leaves)
    if len(found) != structure.size:
        raise ArgumentError(
            f"tree_unflatten: {structure} has {structure.size} leaves (* for each), got "
            f"{len(found)}"
        )
    return structure.unflatten(found)


def tree_leaves_with_path(tree: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the leaves of a nested structure with their paths.

    Parameters
    ----------
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        Dicts are visited by sorted keys; None has no leaves.

    Returns
    -------
    list of (tuple, leaf)
        The path is a tuple of keys, indices and names that lead to the leaf: a dict's key, an
        integer in a tuple, list or registered class, a string in a NamedTuple or dataclass.

    Notes
    -----
    JAX wraps each step of a path in a class (``DictKey('a')``); these are the plain keys.

    Examples
    --------
    >>> from likewise.transforms import tree_leaves_with_path
    >>> tree_leaves_with_path({"b": 1, "a": (2, [3])})
    [(('a', 0), 2), (('a', 1, 0), 3), (('b',), 1)]
    """
    found, structure = flatten(tree)
    return list(zip(_ways(structure), found, strict=True))


def tree_map_with_path(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply a function to the paths and leaves of equal structures.

    Parameters
    ----------
    function : callable
        A function of the path, a tuple as in `tree_leaves_with_path`, and one leaf of each
        structure.
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        The structure of the result.
    *rest : same structure
        Further structures.

    Returns
    -------
    same structure as `tree`
        The results of the function.

    Raises
    ------
    ArgumentError
        If the structures differ.

    Examples
    --------
    >>> from likewise.transforms import tree_map_with_path
    >>> rates = {"fast": 10.0, "slow": (1.0, 2.0)}
    >>> tree_map_with_path(lambda path, x: x * (2 if path[0] == "slow" else 1), rates)
    {'fast': 10.0, 'slow': (2.0, 4.0)}
    """
    found, structure = flatten(tree)
    others = _others("tree_map_with_path", structure, rest)
    ways = _ways(structure)
    return structure.unflatten([function(*xs) for xs in zip(ways, found, *others, strict=True)])


def _others(function: str, structure: Structure, rest: tuple[Any, ...]) -> list[list[Any]]:
    """Return the leaves of further structures, which must be as the first."""
    others = []
    for k, other in enumerate(rest, 2):
        values, its = flatten(other)
        same_structure(function, "the first", structure, f"number {k}", its)
        others.append(values)
    return others


def tree_map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply a function to the leaves of equal structures.

    Parameters
    ----------
    function : callable
        A function of one leaf of each structure.
    tree : nested tuples, lists, dicts, NamedTuples, dataclasses
        The structure of the result.
    *rest : same structure
        Further structures.

    Returns
    -------
    same structure as `tree`
        The results of the function.

    Raises
    ------
    ArgumentError
        If the structures differ.

    Examples
    --------
    >>> from likewise.transforms import tree_map
    >>> tree_map(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)})
    {'a': 11, 'b': (22,)}
    """
    found, structure = flatten(tree)
    others = _others("tree_map", structure, rest)
    return structure.unflatten([function(*xs) for xs in zip(found, *others, strict=True)])


def same_structure(
    function: str,
    one: str,
    a: Structure,
    other: str,
    b: Structure,
    error: type[Exception] = ArgumentError,
) -> None:
    """Refuse structures that differ, ignoring the order of dicts."""
    if not alike(a, b):
        raise error(
            f"{function}: structures must be the same, but {one} is {a} and {other} is {b} "
            "(* for an array)"
        )


def alike(a: Structure, b: Structure) -> bool:
    """Tell if structures are equal, ignoring the order of dicts."""
    if a.kind != b.kind or len(a.children) != len(b.children):
        return False
    if isinstance(a.kind, type) and issubclass(a.kind, dict):
        same = a.meta[0] == b.meta[0]
    else:
        same = bool(a.meta == b.meta)
    return same and all(map(alike, a.children, b.children))


def tree_stack(trees: Sequence[Any], axis: int = 0) -> Any:
    """Stack structures of arrays, leaf by leaf.

    Parameters
    ----------
    trees : sequence of structures
        Equal structures of arrays with equal shapes.
    axis : int, optional
        The position of the new dimension.

    Returns
    -------
    same structure
        Arrays with one dimension more.

    Raises
    ------
    ArgumentError
        If there is no structure, or they differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import tree_stack
    >>> tree_stack([{"a": np.ones(2)}, {"a": np.zeros(2)}])["a"].shape
    (2, 2)
    """
    if not trees:
        raise ArgumentError("tree_stack: at least one structure was expected")
    return tree_map(lambda *xs: _stacked(xs, axis), *trees)


def _stacked(xs: tuple[Any, ...], axis: int) -> Any:
    xp = array_namespace(*xs)
    return xp.stack([xp.asarray(x) for x in xs], axis=axis)


def tree_unstack(tree: Any, axis: int = 0) -> list[Any]:
    """Split a structure of stacked arrays: the inverse of `tree_stack`.

    Parameters
    ----------
    tree : structure
        A structure of arrays with equal sizes along the axis.
    axis : int, optional
        The dimension to remove.

    Returns
    -------
    list of structures
        One structure for each index along the axis.

    Raises
    ------
    ShapeError
        If sizes differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import tree_unstack
    >>> [t["a"].shape for t in tree_unstack({"a": np.ones((2, 3))})]
    [(3,), (3,)]
    """
    found, structure = flatten(tree)
    sizes = {x.shape[axis] for x in found}
    if len(sizes) != 1:
        raise ShapeError(f"tree_unstack: sizes along axis {axis} must be equal, but are {sizes}")
    parts = [array_namespace(x).unstack(x, axis=axis) for x in found]
    return [structure.unflatten(list(one)) for one in zip(*parts, strict=True)]
