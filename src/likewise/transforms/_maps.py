"""Maps over batches: `vmap` and `vectorize`."""

import functools
import re
from collections.abc import Callable
from numbers import Integral
from typing import Any

from .._namespace import array_namespace, is_neutral
from ..errors import ArgumentError, ShapeError, TransformError
from ._following._escapes import told
from ._following._interpreter import is_open, native, opened
from ._following._proxy import Proxy, held, lift
from ._following._space import Space, space_of
from ._rules._batching import Batch
from ._tree import Structure, flatten, map_leaves, paths

__all__ = ["check_chunks", "vectorize", "vmap"]

_DIFFERS = "vmap: out_axes is None for a result that differs between lanes; give an integer"


def vmap(
    fun: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that maps another over axes of its arguments in one batched call.

    Parameters
    ----------
    fun : callable
        A function of one element of each argument that returns arrays in any nested structure.
    in_axes : int, None or nested structure of them, optional
        The axis of each argument to map over, a prefix of the arguments' structure; None for an
        argument that all calls share.
    out_axes : int, None or nested structure of them, optional
        The axis along which to stack each result, a prefix of their structure; None for a result
        that is the same for all elements.
    chunk_size : int, optional
        The number of elements to process at once, which limits memory; all by default.

    Returns
    -------
    callable
        A function of the stacked arguments; keyword arguments are mapped over axis 0.

    Raises
    ------
    ArgumentError, ShapeError
        When called, if `in_axes` doesn't fit the arguments, sizes along the mapped axes differ, or
        `out_axes` is None for a result that is batched.
    TransformError
        If an axis is not an integer; if `fun` branches on the value of an array, or converts it to
        another object.

    Notes
    -----
    `fun` runs once, on whole batches. Calls ``jax.vmap`` and ``torch.func.vmap`` on these
    libraries, and uses rules for the standard's functions on others. The table of transforms in the
    documentation says which functions are called in a loop instead.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import vmap
    >>> vmap(lambda x: x.sum() if False else x @ x)(np.ones((2, 3)))
    array([3., 3.])
    """
    check_chunks("vmap", chunk_size)

    @functools.wraps(fun)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        found, structure = flatten((args, kwargs))
        names = [n[len("call[0]") :] for n in paths(structure.children[0], "call[0]")]
        names = ["args" + n for n in names] + paths(structure.children[1], "kwargs")
        positional = structure.children[0]
        given = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        if isinstance(given, tuple) and len(given) != len(args):
            raise ArgumentError(
                f"vmap: in_axes must be one entry for all arguments or one for each, got "
                f"{in_axes!r} for {len(args)} positional arguments"
            )
        axes = prefix("vmap", "in_axes", given, positional)
        axes += [0] * structure.children[1].size
        size, axes = _size(found, axes, names)
        if chunk_size is not None and size > chunk_size:
            return _in_chunks(mapped_once, found, axes, structure, size, chunk_size, out_axes)
        return mapped_once(found, axes, structure, size)

    def mapped_once(found: list[Any], axes: list[Any], structure: Structure, size: int) -> Any:
        def of_leaves(*leaves: Any) -> Any:
            args, kwargs = structure.unflatten(list(leaves))
            return fun(*args, **kwargs)

        return _mapped(of_leaves, found, axes, size, out_axes)

    return mapped


def prefix(function: str, name: str, axes: Any, structure: Structure) -> list[Any]:
    """Return an entry for each leaf, from a structure that may be a prefix."""
    if axes is None or hasattr(axes, "__index__"):
        return [axes if axes is None else axes.__index__()] * structure.size
    kind = type(axes)
    if not isinstance(axes, tuple | list | dict) and flatten(axes)[1].kind is None:
        raise TransformError(
            f"{function}: {name} must be integers, None, or a structure of them, got {axes!r}"
        )
    if structure.kind is None or kind is not structure.kind:
        if isinstance(axes, tuple | list) and structure.kind in (tuple, list):
            pass  # either may stand for the other
        else:
            raise ArgumentError(
                f"{function}: {name} must be integers or None in a structure that begins as that "
                f"of the arrays, {structure}, got {axes!r}"
            )
    if isinstance(axes, dict):
        if sorted(axes) != list(structure.meta[0]):
            raise ArgumentError(
                f"{function}: {name} has the keys {sorted(axes)}, the arrays {structure.meta[0]}"
            )
        branches = [axes[k] for k in structure.meta[0]]
    elif isinstance(axes, tuple | list):
        branches = list(axes)
    else:
        branches = [getattr(axes, n) for n in structure.meta]
    if len(branches) != len(structure.children):
        raise ArgumentError(
            f"{function}: {name} has {len(branches)} entries where the arrays are {structure}"
        )
    out: list[Any] = []
    for branch, child in zip(branches, structure.children, strict=True):
        out += prefix(function, name, branch, child)
    return out


def _size(found: list[Any], axes: list[Any], names: list[str]) -> tuple[int, list[Any]]:
    """Return the batch size, and the axes as nonnegative integers."""
    sizes: dict[str, int] = {}
    out: list[Any] = []
    for x, axis, name in zip(found, axes, names, strict=True):
        if axis is None:
            out.append(None)
            continue
        ndim = len(getattr(x, "shape", ()))
        if not -ndim <= axis < ndim:
            raise ShapeError(
                f"vmap: {name} has {ndim} dimensions, so it can't be mapped over axis {axis}. "
                "Give in_axes=None for what all calls share."
            )
        out.append(axis % ndim)
        sizes[f"{name}, axis {axis}"] = x.shape[axis]
    if not sizes:
        raise ArgumentError("vmap: at least one argument must be mapped, but in_axes are all None")
    if len(set(sizes.values())) > 1:
        came = "; ".join(f"{k}: {v}" for k, v in sizes.items())
        raise ShapeError(f"vmap: sizes along the mapped axes must be equal, got {came}")
    return next(iter(sizes.values())), out


def _mapped(
    fun: Callable[..., Any], found: list[Any], axes: list[Any], size: int, out_axes: Any
) -> Any:
    arrays = [x for x in found if not is_neutral(x)]
    own = native(arrays).vmap
    if own is not None:
        return _by_library(own, fun, found, axes, out_axes)
    space = space_of(*arrays)
    by = Batch(size)
    with opened(by):
        proxies = [_lane(space, by, x, axis) for x, axis in zip(found, axes, strict=True)]
        out, structure = flatten(fun(*proxies))
    where = prefix("vmap", "out_axes", out_axes, structure)
    outs = [_stacked(space, by, x, axis) for x, axis in zip(out, where, strict=True)]
    return structure.unflatten(outs)


def _by_library(
    own: Callable[..., Any],
    fun: Callable[..., Any],
    found: list[Any],
    axes: list[Any],
    out_axes: Any,
) -> Any:
    """Run the library's own batching; arguments that aren't mapped are passed by closure."""
    box: list[tuple[Structure, list[Any]]] = []
    held = {i: x for i, (x, axis) in enumerate(zip(found, axes, strict=True)) if axis is None}
    moving = [(i, axis) for i, axis in enumerate(axes) if axis is not None]

    def of_arrays(*lanes: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return batched results, and those that are the same for all batch elements."""
        full = dict(held) | {i: x for (i, _), x in zip(moving, lanes, strict=True)}
        out, structure = flatten(fun(*(full[i] for i in range(len(found)))))
        where = prefix("vmap", "out_axes", out_axes, structure)
        box.append((structure, where))
        xp = array_namespace(*lanes)
        outs = [xp.asarray(x) if is_neutral(x) else x for x in out]
        pairs = list(zip(outs, where, strict=True))
        return (
            tuple(x for x, axis in pairs if axis is not None),
            tuple(x for x, axis in pairs if axis is None),
        )

    mapped = own(of_arrays, tuple(a for _, a in moving), (0, None))
    try:
        several, alike = mapped(*(found[i] for i, _ in moving))
    except RuntimeError as error:
        told(error)
        raise
    except ValueError as error:
        own_words = ("at vmap out_axes", "out_dim is None")  # JAX's, torch's
        if any(words in str(error) for words in own_words):
            raise ArgumentError(_DIFFERS) from error
        raise
    structure, where = box[-1]
    first, second = iter(several), iter(alike)
    return structure.unflatten(
        [next(second) if axis is None else _placed(next(first), axis) for axis in where]
    )


def _lane(space: Space, by: Batch, x: Any, axis: int | None) -> Any:
    """Return an argument as the function gets it."""
    x = x.value if x.__class__ is Proxy and x.by is None else x
    if axis is None:
        return x if is_neutral(x) else lift(space, x)
    front = held(x) if axis == 0 else space.xp.moveaxis(x, axis, 0)
    return Proxy(front, by, None, space)


def _stacked(space: Space, by: Batch, x: Any, axis: int | None) -> Any:
    """Return a result with the batch along the requested axis."""
    mine = x.__class__ is Proxy and x.by is by
    if x.__class__ is Proxy and (mine or x.by is None):
        x = x.value
    if axis is None and mine:
        raise ArgumentError(_DIFFERS)
    if axis is not None and not mine:
        x = space.xp.asarray(x) if is_neutral(x) else x
        x = space.xp.broadcast_to(x[None, ...], (by.size, *x.shape))
    x = x if axis is None else _placed(x, axis)
    return lift(space, x) if is_open() and hasattr(x, "dtype") else x


def _placed(x: Any, axis: int) -> Any:
    """Return a result with the batch moved from axis 0 to the requested axis."""
    if axis == 0:
        return x
    if not -x.ndim <= axis < x.ndim:
        raise ShapeError(
            f"vmap: out_axes {axis} is out of range for a result of {x.ndim - 1} dimensions"
        )
    xp = array_namespace(x)
    return xp.moveaxis(x, 0, axis)


def _in_chunks(
    once: Callable[..., Any],
    found: list[Any],
    axes: list[Any],
    structure: Structure,
    size: int,
    chunk: int,
    out_axes: Any,
) -> Any:
    parts = []
    its: Any = None
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        some = [
            x if axis is None else x[(*(slice(None),) * axis, slice(start, stop), ...)]
            for x, axis in zip(found, axes, strict=True)
        ]
        out, its = flatten(once(some, axes, structure, stop - start))
        parts.append(out)
    where = prefix("vmap", "out_axes", out_axes, its)
    joined = []
    for xs, axis in zip(zip(*parts, strict=True), where, strict=True):
        if axis is None:
            joined.append(xs[0])
        else:
            joined.append(array_namespace(*xs).concat(list(xs), axis=axis))
    return its.unflatten(joined)


def vectorize(
    pyfunc: Callable[..., Any], *, excluded: Any = frozenset(), signature: str | None = None
) -> Callable[..., Any]:
    """Return a function that broadcasts another over leading dimensions of its arguments.

    Parameters
    ----------
    pyfunc : callable
        A function of scalars, or of arrays according to the signature, that returns an array or a
        tuple of arrays.
    excluded : collection of int and str, optional
        Positional and keyword arguments that are passed unchanged.
    signature : str, optional
        The dimensions of one call, ``"(m,n),(n)->(m)"``; scalars by default.

    Returns
    -------
    callable
        A function of arrays whose dimensions before those of the signature broadcast.

    Raises
    ------
    ArgumentError
        If the signature is invalid.
    TransformError
        When called, if there are more or fewer arguments or results than in the signature.
    ShapeError
        When called, if dimensions of the same name differ, or leading ones don't broadcast.

    Notes
    -----
    As ``jax.numpy.vectorize``: makes one batched call by `vmap`, whereas NumPy's function loops.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import vectorize
    >>> dot = vectorize(lambda a, b: a @ b, signature="(n),(n)->()")
    >>> dot(np.ones((4, 1, 3)), np.ones((2, 3))).shape
    (4, 2)
    """
    inputs, outputs = _signature(signature) if signature is not None else (None, None)
    left_out = frozenset(excluded)

    @functools.wraps(pyfunc)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        held = {i: a for i, a in enumerate(args) if i in left_out}
        moving = [a for i, a in enumerate(args) if i not in left_out]
        named = {k: v for k, v in kwargs.items() if k not in left_out}
        fixed = {k: v for k, v in kwargs.items() if k in left_out}
        arrays = [*moving, *named.values()]
        core = [()] * len(arrays) if inputs is None else inputs
        if len(core) != len(arrays):
            raise TransformError(
                f"vectorize: the signature {signature!r} is for {len(core)} arrays, got "
                f"{len(arrays)}"
            )
        xp = array_namespace(*arrays)
        made = [xp.asarray(a) if is_neutral(a) else a for a in arrays]
        sizes: dict[str, int] = {}
        batches = _batches(made, core, signature, sizes)
        try:
            batch = xp.broadcast_shapes(*batches)
        except (ValueError, RuntimeError) as error:
            came = ", ".join(map(str, batches))
            raise ShapeError(
                f"vectorize: leading dimensions must broadcast, but are {came}"
            ) from error
        size = 1
        for n in batch:
            size *= n
        flat: list[Any] = []
        axes: list[int | None] = []
        for a, own, dims in zip(made, batches, core, strict=True):
            inner = tuple(a.shape[a.ndim - len(dims) :])
            if all(n == 1 for n in own):
                flat.append(xp.reshape(a, inner))
                axes.append(None)
            else:
                wide = xp.broadcast_to(a, (*batch, *inner))
                flat.append(xp.reshape(wide, (size, *inner)))
                axes.append(0)

        def one(*values: Any) -> Any:
            some = iter(values)
            full = [held[i] if i in held else next(some) for i in range(len(args))]
            out = pyfunc(*full, **fixed, **dict(zip(named, some, strict=True)))
            _fits(out, outputs, signature, sizes)
            return out

        if all(axis is None for axis in axes):
            out = one(*flat)
            return map_leaves(lambda y: xp.broadcast_to(y, (*batch, *y.shape)), out)
        out = vmap(one, in_axes=tuple(axes))(*flat)
        return map_leaves(lambda y: xp.reshape(y, (*batch, *y.shape[1:])), out)

    return vectorized


def _signature(text: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    sides = text.replace(" ", "").split("->")
    if len(sides) == 2 and all(re.fullmatch(r"(\([\w,]*\)(,|$))*", s) for s in sides):
        found = [re.findall(r"\(([\w,]*)\)", s) for s in sides]
        before, after = ([tuple(filter(None, dims.split(","))) for dims in f] for f in found)
        return before, after
    raise ArgumentError(f"vectorize: a signature like '(m,n),(n)->(m)' was expected, got {text!r}")


def _batches(
    arrays: list[Any], core: Any, signature: str | None, sizes: dict[str, int]
) -> list[tuple[int, ...]]:
    """Return each array's leading dimensions, after checking those of the signature."""
    out = []
    for k, (a, dims) in enumerate(zip(arrays, core, strict=True), 1):
        if a.ndim < len(dims):
            raise ShapeError(
                f"vectorize: argument number {k} must have at least {len(dims)} dimensions for "
                f"the signature {signature!r}, but its shape is {tuple(a.shape)}"
            )
        split = a.ndim - len(dims)
        for name, n in zip(dims, a.shape[split:], strict=True):
            if sizes.setdefault(name, n) != n:
                raise ShapeError(
                    f"vectorize: dimension {name!r} of {signature!r} is {sizes[name]} and {n}"
                )
        out.append(tuple(a.shape[:split]))
    return out


def _fits(out: Any, outputs: Any, signature: str | None, sizes: dict[str, int]) -> None:
    found = out if isinstance(out, tuple) else (out,)
    if outputs is None:
        return
    if len(found) != len(outputs):
        raise TransformError(
            f"vectorize: the signature {signature!r} promises {len(outputs)} results, got "
            f"{len(found)}"
        )
    for y, dims in zip(found, outputs, strict=True):
        if len(getattr(y, "shape", ())) != len(dims):
            raise ShapeError(
                f"vectorize: the signature {signature!r} promises a result of {len(dims)} "
                f"dimensions, got one of shape {tuple(getattr(y, 'shape', ()))}"
            )
        for name, n in zip(dims, getattr(y, "shape", ()), strict=True):
            if sizes.setdefault(name, n) != n:
                raise ShapeError(
                    f"vectorize: dimension {name!r} of {signature!r} is {sizes[name]}, but {n} in "
                    "a result"
                )


def check_chunks(function: str, chunk_size: Any) -> None:
    """Refuse an invalid chunk size."""
    if chunk_size is None:
        return
    whole = isinstance(chunk_size, Integral) and not isinstance(chunk_size, bool)
    if not whole or chunk_size < 1:
        raise ArgumentError(
            f"{function}: chunk_size must be an integer of at least 1, or None, got {chunk_size!r}"
        )
