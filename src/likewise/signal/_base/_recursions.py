"""Code that the recursive filters share: arguments, and signals as rows of a matrix."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral
from ...errors import NotSupported, ShapeError
from ...interop import to_numpy
from ...solving._following import unfollowed
from ._places import real_of

__all__ = [
    "asked",
    "axis_of",
    "carried",
    "cast",
    "joined",
    "lanes",
    "pieces",
    "split",
    "unlaned",
    "values",
]


def asked(function: str, xp: Any, names: Sequence[str], *arrays: Any) -> tuple[Any, ...]:
    """Return arrays of one floating dtype; refuse integers alone, as SciPy does."""
    if not any(_floating(function, name, x) for name, x in zip(names, arrays, strict=True)):
        # Other mistakes first: text, None, another library.
        _plan.common_numbers(function, xp, names, *arrays)
        raise NotSupported(
            f"{function}: {' or '.join(names)} must hold floating numbers, got integers or "
            "booleans alone. Convert them, by xp.astype(x, xp.float64), say."
        )
    return _plan.common_floating(function, xp, names, *arrays)


def _floating(function: str, name: str, x: Any) -> bool:
    if x is None or isinstance(x, str):
        return False
    if is_neutral(x):
        return _plan.kind_of(function, name, x) in (float, complex)
    return _plan.is_dtype(array_namespace(x), x.dtype, ("real floating", "complex floating"))


def axis_of(function: str, x: Any, axis: Any, name: str = "x") -> int:
    """Return the axis to filter along, not negative."""
    if x.ndim == 0:
        raise ShapeError(f"{function}: {name} must have at least one dimension, got a number")
    return _plan.axis_tuple(function, "axis", axis.__index__() if axis is True else axis, x.ndim)[0]


def lanes(x: Any, axis: int) -> Any:
    """Return signals as rows, (channels, n)."""
    xp = array_namespace(x)
    x = xp.moveaxis(x, axis, -1)
    return xp.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def unlaned(y: Any, shape: Sequence[int], axis: int) -> Any:
    """Return rows as signals along an axis of arrays of a shape."""
    xp = array_namespace(y)
    rest = [n for i, n in enumerate(shape) if i != axis]
    return xp.moveaxis(xp.reshape(y, (*rest, y.shape[-1])), -1, axis)


def pieces(x: Any, axis: int) -> list[Any]:
    """Return the parts in which an array comes along an axis; one, unless it is cut there."""
    return hooks_of(x).pieces(x, axis)


def carried(step: Callable[..., Any], x: Any, axis: int, state: Any) -> tuple[Any, Any]:
    """Return results of ``step(part, state)`` for each part in turn, and the last state."""
    found = []
    for part in pieces(x, axis):
        y, state = step(part, state)
        found.append(y)
    return array_namespace(x).concat(found, axis=axis), state


def values(x: Any) -> Any:
    """Return finite coefficients as an array of the host, real if they are; None if unknown."""
    x = unfollowed(x)
    if not is_concrete(x) or hooks_of(x).recorded(x):
        return None
    found = to_numpy(x)
    if found.dtype.kind == "c":
        if found.imag.any():
            return None
        found = found.real
    found = found.astype("float64")
    return found if math.isfinite(float(abs(found).sum())) else None


def split(x: Any) -> Any:
    """Return complex signals as twice as many real ones, (channels, ...) each."""
    xp = array_namespace(x)
    return xp.concat((xp.real(x), xp.imag(x)), axis=0)


def joined(y: Any) -> Any:
    """Return the complex signals that `split` has split."""
    half = y.shape[0] // 2
    return y[:half, ...] + 1j * y[half:, ...]


def cast(made: Any, like: Any) -> Any:
    """Return a tuple of the host's matrices in the library, device and precision of an array."""
    xp = array_namespace(like)
    where = {"dtype": real_of(xp, like.dtype), "device": device(like)}
    return type(made)(*(xp.asarray(m, **where) for m in made))
