"""Out-of-place updates."""

from dataclasses import dataclass
from typing import Any, Generic

from .._namespace import array_namespace, device, library_of
from .._typing import A
from ..errors import ArrayTypeError

__all__ = ["at"]


@dataclass(frozen=True)
class _Indexed(Generic[A]):
    array: A
    index: Any

    def set(self, value: Any) -> A:
        """The array with `value` at the index; the array itself is left as it is."""
        library = library_of(self.array)
        native = getattr(library, "at_set", None)
        out: Any = NotImplemented if native is None else native(self.array, self.index, value)
        return _set(self.array, self.index, value) if out is NotImplemented else out


@dataclass(frozen=True)
class _At(Generic[A]):
    array: A

    def __getitem__(self, index: Any) -> _Indexed[A]:
        return _Indexed(self.array, index)


def at(x: A) -> _At[A]:
    """Update an array out of place: ``at(x)[index].set(value)``.

    Parameters
    ----------
    x : array
        Any standard array; it is never written to.

    Returns
    -------
    object
        ``at(x)[index].set(value)`` is `x` with `value`, broadcast and cast to its dtype, at the
        integers, slices, integer arrays or boolean mask of `index`. Where an index array names an
        element twice, which value it gets is not defined.

    Notes
    -----
    Costs a copy of `x`. What an index may be beyond that (negative steps on torch), and what
    happens to one out of range, is the library's own. Differentiable with respect to `x` and
    `value` where the library is. Runs under jax.jit.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import at
    >>> at(np.zeros(3))[1].set(5.0)
    array([0., 5., 0.])
    """
    xp = array_namespace(x)
    if not hasattr(x, "dtype"):
        raise ArrayTypeError(f"at: argument 'x' must be an array of {xp!r}, but {x!r} came")
    return _At(x)


def _set(x: A, index: Any, value: Any) -> A:
    """In standard functions: each element asks whether its own position is among those set."""
    xp = array_namespace(x)
    where = device(x)
    size = 1
    for n in x.shape:
        size *= n
    value = xp.asarray(value, dtype=x.dtype, device=where)
    positions = xp.reshape(xp.arange(size, device=where), x.shape)
    if getattr(index, "dtype", None) == xp.bool and value.ndim == 0:
        mask = xp.reshape(index, index.shape + (1,) * (x.ndim - index.ndim))
        return xp.where(mask, value, x)  # type: ignore[no-any-return]
    chosen = positions[index]
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
        return xp.reshape(new, x.shape)  # type: ignore[no-any-return]
    return xp.asarray(x, copy=True)  # type: ignore[no-any-return]
