"""Knots and values of one kind, their checks, and the intervals of points."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, AxisError, DtypeError, ShapeError
from ...missing import searchsorted
from ...solving._following import followed

__all__ = [
    "checked",
    "evenly",
    "finite",
    "followed",
    "gathered",
    "kind_of",
    "mode_of",
    "one_axis",
    "order_of",
    "places",
]


def kind_of(x: Any) -> Any:
    """Return the dtype of an array, `complex` for complex numbers and lists of them, else None."""
    if isinstance(x, list | tuple):
        return complex if any(kind_of(v) is complex for v in x) else None
    return getattr(x, "dtype", complex if isinstance(x, complex) else None)


def evenly(function: str, xp: Any, names: tuple[str, ...], x: Any, *values: Any) -> tuple[Any, ...]:
    """Return real knots and values of one precision; values may be complex, and are followed."""
    given = kind_of(x)
    if given is complex or (given is not None and _plan.is_dtype(xp, given, "complex floating")):
        raise DtypeError(
            f"{function}: `{names[0]}` must contain real values, got {given}. Give its real part"
        )
    first, *rest = _plan.common_floating(function, xp, names, x, *values)
    if _plan.is_complex(xp, first.dtype):
        first = xp.real(first)
    return tuple(followed(xp, (first, *rest)))


def finite(function: str, name: str, v: Any) -> None:
    """Refuse infinities and NaN, where values can be read."""
    if is_concrete(v) and not bool(array_namespace(v).all(array_namespace(v).isfinite(v))):
        raise ArgumentError(
            f"{function}: `{name}` must contain only finite values. Leave out the points without "
            "a value, by a mask of xp.isfinite, say"
        )


def checked(function: str, x: Any, least: int = 2) -> None:
    """Refuse knots that are too few, not finite or not increasing, where values can be read."""
    if x.ndim == 0 or x.shape[-1] < least:
        raise ShapeError(
            f"{function}: `x` must contain at least {least} elements, got shape {tuple(x.shape)}"
        )
    finite(function, "x", x)
    if is_concrete(x) and not bool(array_namespace(x).all(x[..., 1:] > x[..., :-1])):
        raise ArgumentError(
            f"{function}: `x` must be strictly increasing sequence. Sort it by xp.argsort(x), its "
            "values with it, and leave out what comes twice"
        )


def one_axis(function: str, axis: Any, ndim: int) -> int:
    """Return an axis as a number from 0 on."""
    if type(axis) is not int:
        axis = axis.__index__()
    if not -ndim <= axis < ndim:
        raise AxisError(
            f"{function}: axis must lie in [{-ndim}, {ndim - 1}] for values of {ndim} dimensions "
            f"(those of a batch not counted), got {axis!r}"
        )
    return int(axis % ndim)


def mode_of(function: str, extrapolate: Any) -> Any:
    """Return 'periodic', or a bool."""
    if isinstance(extrapolate, str) and extrapolate != "periodic":
        raise ArgumentError(
            f"{function}: extrapolate must be True, False or 'periodic', got {extrapolate!r}"
        )
    return extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


def order_of(function: str, nu: Any) -> int:
    """Return the order of a derivative."""
    if type(nu) is not int and not hasattr(nu, "__index__"):
        raise ArgumentError(f"{function}: nu must be an integer, got {nu!r}")
    if nu < 0:
        raise ArgumentError(
            f"{function}: Order of derivative cannot be negative, got {nu!r}. Integrals are "
            "values of .antiderivative()"
        )
    return int(nu.__index__())


def places(x: Any, v: Any) -> Any:
    """Return the interval of each point: the index of its left knot, from 0 to m - 1.

    Knots (batch..., m + 1), points (batch..., p). Points outside belong to the outermost ones.
    """
    xp = array_namespace(x, v)
    found = searchsorted(x, v, side="right") - 1
    return xp.clip(found, 0, x.shape[-1] - 2)


def gathered(xp: Any, values: Any, index: Any, axis: int, batch: tuple[int, ...]) -> Any:
    """Take elements (..., *batch, m, ...) at an index (*batch, p) along the axis after the batch.

    `axis` is where the batch begins.
    """
    if not batch:
        taken = xp.take(values, xp.reshape(index, (-1,)), axis=axis)
        return taken
    before, after = values.shape[:axis], values.shape[axis + len(batch) + 1 :]
    m, many = values.shape[axis + len(batch)], 1
    for n in batch:
        many *= n
    first = xp.arange(many, dtype=index.dtype, device=device(index)) * m
    flat = xp.reshape(xp.reshape(index, (many, -1)) + first[:, None], (-1,))
    taken = xp.take(xp.reshape(values, (*before, many * m, *after)), flat, axis=axis)
    return xp.reshape(taken, (*before, *batch, index.shape[-1], *after))
