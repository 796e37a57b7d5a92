"""Out-of-place updates."""

import math
from dataclasses import dataclass
from typing import Any, Generic

from .. import _plan
from .._dtypes import result_type
from .._namespace import array_namespace, describe, device, hooks_of, is_concrete, is_neutral
from .._native import native, of_one_kind
from .._typing import A, Numbers
from ..errors import ArrayTypeError, DtypeError, MixedLibrariesError, ShapeError
from ._segments import as_index, identity, index_dtype, segments

__all__ = ["at"]


@dataclass(frozen=True)
class _Indexed(Generic[A]):
    array: A
    index: Any

    def get(self) -> A:
        """Return the elements at the index."""
        return _got("get", self.array, self.index)

    def set(self, value: A | Numbers) -> A:
        """Return a copy of the array with `value` at the index."""
        xp, value = _cast("set", self.array, value)
        if _is_mask(xp, self.index):
            return _masked(self.array, self.index, value, lambda old, new: new)
        return _put_at("set", self.array, self.index, value)

    def add(self, value: A | Numbers) -> A:
        """Return a copy of the array with `value` added at the index."""
        return self._updated("add", value)

    def multiply(self, value: A | Numbers) -> A:
        """Return a copy of the array, multiplied by `value` at the index."""
        return self._updated("multiply", value)

    def divide(self, value: A | Numbers) -> A:
        """Return a copy of the floating array, divided by `value` at the index."""
        xp = array_namespace(self.array)
        if not xp.isdtype(self.array.dtype, ("real floating", "complex floating")):
            raise DtypeError(
                "at: divide needs a floating array, for its result is one, but x is a "
                f"{describe(self.array)}"
            )
        return self._updated("divide", value)

    def power(self, value: A | Numbers) -> A:
        """Return a copy of the array, raised to the power of `value` at the index."""
        return self._updated("power", value)

    def min(self, value: A | Numbers) -> A:
        """Return a copy of the array with the minimum of it and `value` at the index."""
        return self._updated("minimum", value)

    def max(self, value: A | Numbers) -> A:
        """Return a copy of the array with the maximum of it and `value` at the index."""
        return self._updated("maximum", value)

    def _updated(self, op: str, value: Any) -> A:
        x, value = of_one_kind(self.array, value)
        xp, value = _cast(op, x, value)
        apply = _operator(xp, op)
        if _is_mask(xp, self.index):
            return _masked(x, self.index, value, apply)
        if not any(_is_integers(xp, i) for i in _entries(self.index)):
            # No element is named twice.
            return _put_at(op, x, self.index, apply(_got(op, x, self.index), value))
        index = self.index
        if hooks_of(x).in_blocks:
            index = tuple(_plan.beside_blocks(xp, entry) for entry in _entries(index))
        if op in ("divide", "power"):
            # What the same element is divided by, or raised to, is multiplied first.
            joined = _update_prod(xp.ones_like(x), index, value, "multiply")
            return apply(x, joined)
        update = _update_prod if op == "multiply" else _update
        try:
            return update(x, index, value, op)
        except IndexError as error:
            raise _no_such_index(op, x, error) from error


@dataclass(frozen=True)
class _At(Generic[A]):
    array: A

    def __getitem__(self, index: Any) -> _Indexed[A]:
        array, index = of_one_kind(self.array, index)
        index = _signed(array, index)
        if hooks_of(array).silent_indices:
            _check_range(array, index)
        return _Indexed(array, index)


def at(x: A) -> _At[A]:
    """Update an array out of place: ``at(x)[index].set(value)``.

    Parameters
    ----------
    x : array
        Any standard array; it is never written to.

    Returns
    -------
    object
        ``at(x)[index]`` has the methods ``set``, ``add``, ``multiply``, ``divide``, ``power``,
        ``min`` and ``max``. They take a value, which is broadcast to ``x[index]`` and cast to the
        dtype of `x`, and return a changed copy of `x`. The index consists of integers, slices and
        integer arrays, or is a boolean mask. ``get()`` returns ``x[index]``.

    Raises
    ------
    ArrayTypeError
        If `x` is not an array.
    DtypeError
        If the value is of a higher kind than `x` (1.5 for integers), or integers are divided.
    ShapeError
        If a value does not broadcast; if its number of elements differs from that of a mask's True
        ones, where values can be read.
    IndexError
        If an index is out of range, where values can be read: numbers, lists and eager arrays on
        the host. With lazy arrays (under jax.jit, on Dask), updates skip such elements; ``get``
        takes the nearest element on JAX and any element on Dask. torch on a GPU raises its own
        error.

    Notes
    -----
    Where index arrays contain an element more than once, ``add``, ``multiply``, ``min`` and ``max``
    apply all its values, ``divide`` divides by their product, and ``power`` raises to their
    product. Which value ``set`` leaves there is not defined.

    Costs a copy of `x`. ``add`` with integer arrays also costs as much as `segment_sum`: on
    libraries that can't add in place, a stable sort of the values. Other kinds of indices depend on
    the library (negative steps on torch). Differentiable with respect to `x` and the value. A mask
    makes no data-dependent shape and so runs under jax.jit; the value is then one for all places,
    or has one element per place (if it has fewer, the last is repeated).

    The interface is that of ``x.at`` in JAX.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import at
    >>> at(np.zeros(3))[1].set(5.0)
    array([0., 5., 0.])
    >>> at(np.zeros(3))[np.asarray([0, 2, 0])].add(1.0)
    array([2., 0., 1.])
    """
    xp = array_namespace(x)
    if not hasattr(x, "dtype"):
        raise ArrayTypeError(f"at: argument 'x' must be an array of {xp!r}, got {x!r}")
    if not x.dtype == xp.bool and not _plan.is_dtype(xp, x.dtype, "numeric"):
        raise DtypeError(f"at: argument 'x' must hold numbers or booleans, got a {describe(x)}")
    return _At(x)


def _signed(x: Any, index: Any) -> Any:
    """Convert the integers of an index to the library's dtype of indices.

    Libraries count unsigned ones that are too large from the end, or take bytes for booleans.
    """
    if isinstance(index, tuple):
        return tuple(_signed_entry(x, entry) for entry in index)
    return _signed_entry(x, index)


def _of_data(x: Any, other: Any) -> Any:
    """The namespace of both, where the library of `x` is the one that decides."""
    xp = array_namespace(x, other)
    if _plan.beside_blocks(xp, x) is not x:
        raise MixedLibrariesError("an index or a value in blocks, of an array that is not")
    return xp


def _signed_entry(x: Any, entry: Any) -> Any:
    if isinstance(entry, list):
        if any(not -(2**63) <= n < 2**63 for n in entry if isinstance(n, int)):
            raise IndexError(f"at: the index must be in range for x of shape {tuple(x.shape)}")
        return entry
    # torch.compile can't ask a slice for its attributes.
    if type(entry) in _PLAIN or not _is_array(entry):
        return entry
    try:
        xp = _of_data(x, entry)
    except MixedLibrariesError:
        raise MixedLibrariesError(
            f"at: the index must be of the library of x, which is a {describe(x)}, got a "
            f"{describe(entry)}. Convert it with likewise.asarray(index, like=x)."
        ) from None
    dtype = index_dtype(xp, device(entry))
    if entry.dtype in (xp.int64, dtype) or not xp.isdtype(entry.dtype, "integral"):
        return entry
    return as_index(xp, entry, dtype)


def _check_range(x: Any, index: Any) -> None:
    """Raise IndexError for values that can be read, where the library doesn't."""
    entries = _entries(index)
    taken = [_axes_of(entry) for entry in entries]
    axis = 0
    for entry, count in zip(entries, taken, strict=True):
        if entry is Ellipsis:
            axis += max(x.ndim - sum(taken), 0)
        elif count and axis < x.ndim:
            low, high = _extremes(entry)
            n = x.shape[axis]
            if low < -n or high >= n:
                raise IndexError(
                    f"at: index {low if low < -n else high} is out of range for axis {axis}, of "
                    f"size {n}"
                )
        axis += count


def _is_array(entry: Any) -> bool:
    return hasattr(entry, "dtype") and not is_neutral(entry)


def _axes_of(entry: Any) -> int:
    """Return how many axes an entry of an index takes."""
    if entry is None or entry is Ellipsis or isinstance(entry, bool):
        return 0
    mask = _is_array(entry) and array_namespace(entry).isdtype(entry.dtype, "bool")
    return int(entry.ndim) if mask else 1


def _extremes(entry: Any) -> tuple[int, int]:
    """The smallest and the largest of an entry's integers, where they can be read."""
    if is_neutral(entry) and hasattr(entry, "__index__"):
        return int(entry), int(entry)
    if isinstance(entry, list):
        found = [_extremes(e) for e in entry if not isinstance(e, bool)] or [(0, -1)]
        return min(low for low, _ in found), max(high for _, high in found)
    if _is_array(entry) and is_concrete(entry) and 0 not in entry.shape:
        xp = array_namespace(entry)
        if xp.isdtype(entry.dtype, "integral"):
            return int(xp.min(entry)), int(xp.max(entry))
    return 0, -1  # in range of any axis


def _cast(op: str, x: Any, value: Any) -> tuple[Any, Any]:
    """The namespace, and the value as an array of the dtype of `x`."""
    op = op.removesuffix("imum")  # as the method is called
    try:
        xp = _of_data(x, value)
    except MixedLibrariesError:
        raise MixedLibrariesError(
            f"at: {op} takes a value of the library of x, but x is a {describe(x)}, and the value "
            f"got is a {describe(value)}. Convert with likewise.asarray(value, like=x)."
        ) from None
    value = _plan.beside_blocks(xp, value)
    if is_neutral(value):
        number = not isinstance(value, list | tuple) and value is not None
        if number and x.dtype != xp.bool and result_type(x, value) != x.dtype:
            raise _refused(op, x, value)
        return xp, _plan.weak("at", "value", xp, value, x.dtype, device(x))
    if value.dtype == x.dtype:
        return xp, value
    kinds = [("bool",), ("integral",), ("real floating",), ("complex floating",)]
    kind = [
        next(i for i, k in enumerate(kinds) if xp.isdtype(d, k)) for d in (x.dtype, value.dtype)
    ]
    if kind[1] > kind[0]:
        raise _refused(op, x, value)
    return xp, xp.astype(value, x.dtype)


def _refused(op: str, x: Any, value: Any) -> DtypeError:
    return DtypeError(
        f"at: {op} can't cast the value to the dtype of x: x is a {describe(x)}, the value a "
        f"{describe(value)}. Convert x first, say."
    )


def _operator(xp: Any, op: str) -> Any:
    name = {"power": "pow"}.get(op, op)
    return getattr(xp, name)


def _entries(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _is_mask(xp: Any, index: Any) -> bool:
    """Tell whether an index is one mask and nothing else."""
    found = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    return getattr(found, "dtype", None) == xp.bool and not is_neutral(found)


def _is_integers(xp: Any, entry: Any) -> bool:
    """Tell whether an index entry may repeat an element, or is a mask with other entries."""
    return isinstance(entry, list) or (hasattr(entry, "dtype") and getattr(entry, "ndim", 0) > 0)


def _masked(x: Any, mask: Any, value: Any, apply: Any) -> Any:
    """Update the elements where a mask of the first dimensions is True, by `where`."""
    xp = array_namespace(x, mask)
    mask = mask[0] if isinstance(mask, tuple) else mask
    if tuple(mask.shape) != tuple(x.shape[: mask.ndim]):
        raise ShapeError(
            f"at: a mask must have the shape of the first dimensions of x, {tuple(x.shape)}, got "
            f"{tuple(mask.shape)}"
        )
    rest = tuple(x.shape[mask.ndim :])
    if value.ndim == len(rest) + 1 and value.shape[0] != 1:
        value = _spread(xp, mask, value)
    elif value.ndim == len(rest) + 1:
        value = xp.reshape(value, tuple(value.shape[1:]))
    wide = xp.reshape(mask, tuple(mask.shape) + (1,) * len(rest))
    # Elements outside of the mask must not make NaN in derivatives either.
    new = apply(xp.where(wide, x, xp.ones_like(x)), value)
    return xp.where(wide, new, x)


def _spread(xp: Any, mask: Any, value: Any) -> Any:
    """Spread values, given in the order of a mask's True elements, to their places."""
    dtype = index_dtype(xp, device(mask))
    flat = xp.astype(xp.reshape(mask, (-1,)), dtype)
    if is_concrete(mask) and int(xp.sum(flat)) != value.shape[0]:
        raise ShapeError(
            f"at: the mask has {int(xp.sum(flat))} places, got {value.shape[0]} values"
        )
    if value.shape[0] == 0:
        shape = (*mask.shape, *value.shape[1:])
        return xp.ones(shape, dtype=value.dtype, device=device(value))
    place = xp.clip(xp.cumulative_sum(flat) - 1, 0, value.shape[0] - 1)
    return xp.reshape(xp.take(value, place, axis=0), (*mask.shape, *value.shape[1:]))


def _no_such_index(op: str, x: Any, error: IndexError) -> IndexError:
    """The library's error, which names neither function nor argument."""
    if str(error).startswith("at: "):
        return error
    return IndexError(f"at: {op}: the index doesn't fit x of shape {tuple(x.shape)}: {error}")


def _got(op: str, x: Any, index: Any) -> Any:
    try:
        return hooks_of(x).at_get(x, index)
    except IndexError as error:
        raise _no_such_index(op, x, error) from error


def _put_at(op: str, x: Any, index: Any, value: Any) -> Any:
    try:
        return put_at(x, index, value)
    except IndexError as error:
        raise _no_such_index(op, x, error) from error


_PLAIN = (slice, int, bool, list, type(None), type(Ellipsis))


def put_at(x: Any, index: Any, value: Any) -> Any:
    """`value`, of the dtype of `x`, at an index that is not a mask."""
    # A traced array takes precedence over the arrays that its function closes over.
    above = [
        v
        for v in (value, *_entries(index))
        # torch.compile can't ask a slice for its attributes.
        if type(v) not in _PLAIN and hasattr(v, "__likewise_library__")
    ]
    out: Any = hooks_of(above[0] if above else x).at_set(x, index, value)
    return _set(x, index, value) if out is NotImplemented else out


def _set(x: A, index: Any, value: Any) -> A:
    """Set in standard functions: compare the position of each element with those to be set."""
    xp = array_namespace(x)
    where = device(x)
    size = math.prod(x.shape)
    value = xp.asarray(value, dtype=x.dtype, device=where)
    if _is_mask(xp, index):
        return _masked(x, index, value, lambda old, new: new)
    positions = xp.reshape(xp.arange(size, device=where), x.shape)
    # The standard mixes index arrays only with integers, and needs one entry per axis.
    several = any(_is_integers(xp, i) for i in _entries(index))
    ids, rows = _rows(xp, x, index) if several else (None, 0)
    chosen = positions[index] if ids is None else _places(x, ids, rows)
    if chosen.shape == () or 0 not in chosen.shape:
        flat = xp.reshape(chosen, (-1,))
        values = xp.reshape(xp.broadcast_to(value, chosen.shape), (-1,))
        order = xp.argsort(flat)
        flat, values = xp.take(flat, order), xp.take(values, order)
        every = xp.reshape(positions, (-1,))
        found = xp.searchsorted(flat, every)
        found = xp.minimum(found, xp.asarray(flat.shape[0] - 1, dtype=found.dtype, device=where))
        hit = xp.take(flat, found) == every
        new = xp.where(hit, xp.take(values, found), xp.reshape(x, (-1,)))
        return xp.reshape(new, x.shape)
    return xp.asarray(x, copy=True)


def _places(x: Any, ids: Any, rows: int) -> Any:
    """The flat indices of all elements in rows of the first dimensions, negative for none."""
    xp, rest = array_namespace(x), tuple(x.shape[rows:])
    size = math.prod(rest)
    within = xp.arange(size, dtype=ids.dtype, device=device(x))
    return xp.reshape(xp.reshape(ids, (-1, 1)) * size + within, (*ids.shape, *rest))


@native(
    numpy="likewise._libs.numpy._natives:at_update", jax="likewise._libs.jax._natives:at_update"
)
def _update(x: Any, index: Any, value: Any, op: str) -> Any:
    """Combine `x` with values at an index that may contain elements twice."""
    return _joined(x, index, value, op)


@native(
    numpy="likewise._libs.numpy._natives:at_update",
    jax="likewise._libs.jax._natives:at_product",
)
def _update_prod(x: Any, index: Any, value: Any, op: str) -> Any:
    """Do what `_update` does, apart because JAX's scattered product has no derivative."""
    return _joined(x, index, value, op)


def _joined(x: Any, index: Any, value: Any, op: str) -> Any:
    xp = array_namespace(x)
    ids, rows = _rows(xp, x, index)
    if ids is None:
        positions = xp.arange(
            math.prod(x.shape), dtype=index_dtype(xp, device(x)), device=device(x)
        )
        ids, rows = xp.reshape(positions, x.shape)[index], x.ndim
    shape = (*ids.shape, *x.shape[rows:])
    _plan.broadcast("at", index=shape, value=tuple(value.shape))
    value = xp.reshape(xp.broadcast_to(value, shape), (math.prod(ids.shape), *x.shape[rows:]))
    size, rest = math.prod(x.shape[:rows]), tuple(x.shape[rows:])
    out = _merged(xp.reshape(x, (size, *rest)), xp.reshape(ids, (-1,)), value, op)
    return xp.reshape(out, tuple(x.shape))


def _numbers(x: Any, ids: Any, value: Any, op: str) -> bool:
    """no booleans."""
    return bool(x.dtype != array_namespace(x).bool)


@native(torch="likewise._libs.torch._natives:merged", when=_numbers)
def _merged(x: Any, ids: Any, value: Any, op: str) -> Any:
    """Combine rows with the values for them; -1 is no row."""
    xp = array_namespace(x)
    # Minus zero is what changes no number by addition, zeros included.
    zero = op == "add" and xp.isdtype(x.dtype, "real floating")
    initial = -0.0 if zero else identity(xp, x.dtype, op)
    return getattr(xp, op)(x, segments(value, ids, x.shape[0], op, initial))


def _rows(xp: Any, x: Any, index: Any) -> tuple[Any, int]:
    """Flat indices chosen by integers and integer arrays in the first dimensions, or None."""
    entries = list(_entries(index))
    if entries and entries[-1] is Ellipsis:
        entries.pop()
    where, dtype = device(x), index_dtype(xp, device(x))
    arrays = [
        xp.asarray(i, dtype=dtype, device=where) if isinstance(i, int | list) else i
        for i in entries
        if not isinstance(i, bool)
    ]
    if len(entries) > x.ndim or len(arrays) != len(entries):
        return None, 0
    if not all(hasattr(i, "dtype") and xp.isdtype(i.dtype, "integral") for i in arrays):
        return None, 0
    flat: Any = None
    inside: Any = None
    for i, n in zip(arrays, x.shape, strict=False):
        i = xp.astype(i, dtype, copy=False)
        low = -1
        if is_concrete(i) and 0 not in i.shape:
            low, high = int(xp.min(i)), int(xp.max(i))
            if low < -n or high >= n:
                raise IndexError(f"at: an index is out of range for an axis of size {n}")
        else:
            here = (i >= -n) & (i < n)
            inside = here if inside is None else inside & here
        i = xp.where(i < 0, i + n, i) if low < 0 else i
        flat = i if flat is None else flat * n + i
    if flat is None:
        flat = xp.zeros((), dtype=dtype, device=where)
    flat = flat if inside is None else xp.where(inside, flat, xp.full_like(flat, -1))
    return flat, len(entries)
