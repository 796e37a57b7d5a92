"""Checks and shapes shared by reductions over one axis, several or all."""

import math
from typing import Any

from .. import _plan
from .._dtypes import default_floating
from .._memo import PlannedCall
from .._namespace import array_namespace, describe, device, is_neutral, scalar
from ..errors import ArrayTypeError, DtypeError, ShapeError

__all__ = ["as_given", "flat", "index_dtype", "is_floating", "last_to", "numeric", "restored"]

_ANY = ("bool", "numeric")
_REAL = ("bool", "integral", "real floating")
_FLOATING = ("real floating", "complex floating")


def numeric(
    function: str, xp: Any, name: str, x: Any, real: bool = False, sized: bool = True
) -> Any:
    """An array of numbers of any dtype; scalars and lists are converted."""
    if x is None:
        raise ArrayTypeError(f"{function}: argument {name!r} must be an array, got None")
    x = _plan.own_order(_plan.alone(xp, x) if is_neutral(x) else _plan.beside_blocks(xp, x))
    if is_neutral(x):
        return _plan.from_lists(function, name, xp, x.item() if hasattr(x, "item") else x)
    _plan.blocks_of_numpy(function, name, x)
    if x.dtype != xp.float64 and not xp.isdtype(x.dtype, _REAL if real else _ANY):
        kind = "real numbers" if real else "numbers"
        raise DtypeError(f"{function}: argument {name!r} must hold {kind}, got a {describe(x)}")
    for n in x.shape:
        if sized and n != n:
            raise ShapeError(
                f"{function}: argument {name!r} must have a known shape, got a "
                f"{describe(x)}. Dask finds it out with x.compute_chunk_sizes()."
            )
    return x


def is_floating(xp: Any, x: Any) -> bool:
    """Tell whether there may be NaNs."""
    return bool(x.dtype == xp.float64 or xp.isdtype(x.dtype, _FLOATING))


def index_dtype(xp: Any, x: Any) -> Any:
    """The library's default dtype of integers, on the device of an array."""
    return default_floating(xp, device(x), kind="integral")


def as_given(x: Any) -> Any:
    """Return a result as the library's own functions do: on NumPy, scalars for no dimensions.

    In a plan, the routine of the step does this.
    """
    return x if type(x) is PlannedCall else scalar(x)


def flat(x: Any, axes: tuple[int, ...]) -> Any:
    """(batch..., n): the given axes, in their order, as one at the end."""
    xp = array_namespace(x)
    if axes == (x.ndim - 1,):
        return x
    kept = [n for i, n in enumerate(x.shape) if i not in axes]
    size = math.prod([x.shape[i] for i in axes])
    if 0 in x.shape:  # which Dask can't reshape
        return xp.zeros((*kept, size), dtype=x.dtype, device=device(x))
    if kept or axes != tuple(sorted(axes)):
        x = xp.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    return x if len(axes) == 1 and kept else xp.reshape(x, (*kept, size))


def last_to(x: Any, axis: int) -> Any:
    """The last axis moved."""
    # torch.func has no rule for moveaxis of integers.
    return array_namespace(x).moveaxis(x, (-1,), (axis,)) if axis != x.ndim - 1 else x


def restored(x: Any, axes: tuple[int, ...], keepdims: bool, lead: int = 0) -> Any:
    """A reduced array, behind `lead` further dimensions, with axes of size 1 if they are kept."""
    if not keepdims or not axes:
        return x
    shape = list(x.shape)
    for a in axes:
        shape.insert(a + lead, 1)
    return array_namespace(x).reshape(x, tuple(shape))
