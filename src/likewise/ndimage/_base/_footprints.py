"""Sizes and footprints of windows."""

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..._namespace import is_neutral, is_readable
from ...errors import ArgumentError, ImageError, LikewiseWarning, _level
from ...interop import to_numpy
from ._arguments import for_each, integer, origin_of

__all__ = ["Window", "cells_of", "window_of"]


class Window(NamedTuple):
    """Describe a window on an image, by all of the image's axes.

    Attributes
    ----------
    sizes : tuple of int
        The size along each axis, 1 along those of a batch.
    cells : nested tuple of bool, or None
        The footprint; None if it has all elements.
    origins : tuple of int
        The shift along each axis.
    """

    sizes: tuple[int, ...]
    cells: Any
    origins: tuple[int, ...]

    @property
    def reach(self) -> dict[int, tuple[int, int]]:
        """How many elements it needs before and after an element, by the axis."""
        pairs = enumerate(zip(self.sizes, self.origins, strict=True))
        return {i: (n // 2 + o, n - 1 - n // 2 - o) for i, (n, o) in pairs if n > 1 or o}

    @property
    def places(self) -> list[tuple[int, ...]]:
        """The footprint's elements, from the window's first corner."""
        every = itertools.product(*map(range, self.sizes))
        if self.cells is None:
            return list(every)
        return [at for at, hit in zip(every, flat(self.cells), strict=True) if hit]


def flat(cells: Any) -> Iterator[Any]:
    """Yield the elements of nested tuples or lists."""
    for c in cells if isinstance(cells, tuple | list) else (cells,):
        if isinstance(c, tuple | list):
            yield from flat(c)
        else:
            yield c


def nested(values: Any, shape: tuple[int, ...]) -> Any:
    """Return values as tuples in tuples."""
    if not shape:
        return values[0]
    n = math.prod(shape[1:])
    return tuple(nested(values[i * n : (i + 1) * n], shape[1:]) for i in range(shape[0]))


def cells_of(function: str, name: str, given: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape and the elements of a setting: nested lists, or an array that has values."""
    if not isinstance(given, list | tuple):
        if not is_neutral(given) and not is_readable(given):
            raise ArgumentError(
                f"{function}: {name} must have values that can be read, as it decides on the work. "
                "Pass nested lists or a NumPy array, not an argument of a compiled function."
            )
        values = to_numpy(given)
        return tuple(values.shape), values.reshape(-1).tolist()
    if not any(isinstance(v, list | tuple) or getattr(v, "ndim", 0) for v in given):
        return (len(given),), list(given)
    parts = [cells_of(function, name, v) for v in given]
    shape = parts[0][0]
    if any(s != shape for s, _ in parts):
        raise ImageError(f"{function}: {name} must have lists of one length along each dimension")
    return (len(given), *shape), [v for _, values in parts for v in values]


def window_of(
    function: str, size: Any, footprint: Any, axes: tuple[int, ...], ndim: int, origin: Any
) -> Window:
    """Return the window of a size or a footprint, of which one must be given."""
    count = len(axes)
    cells: Any = None
    if footprint is not None:
        if size is not None:
            warnings.warn(
                f"{function}: ignoring size because footprint is set",
                LikewiseWarning,
                stacklevel=_level(),
            )
        shape, values = cells_of(function, "footprint", footprint)
        if len(shape) != count or 0 in shape:
            raise ImageError(
                f"{function}: footprint.ndim ({len(shape)}) must match len(axes) ({count}), with "
                f"at least one element along each; got the shape {shape}"
            )
        values = [bool(v) for v in values]
        if not any(values):
            raise ImageError(f"{function}: footprint must select at least one element, got none")
        cells = None if all(values) else values
    elif size is None:
        raise ImageError(f"{function}: size or footprint must be given: there is no footprint")
    else:
        shape = sizes_of(function, size, count)
    origins = for_each(function, "origin", origin, count)
    # An axis of a footprint is the image's in order, as SciPy has it.
    order = axes if cells is None else tuple(sorted(axes))
    sizes, shifts = [1] * ndim, [0] * ndim
    for axis, n in zip(order, shape, strict=True):
        sizes[axis] = n
    for axis, o in zip(axes, origins, strict=True):
        shifts[axis] = origin_of(function, o, sizes[axis]) if sizes[axis] else 0
    if cells is not None:
        cells = nested(cells, tuple(sizes))
    return Window(tuple(sizes), cells, tuple(shifts))


def sizes_of(function: str, size: Any, count: int) -> tuple[int, ...]:
    """Return the size of a window along each of its axes."""
    sizes = tuple(integer(function, "size", n) for n in for_each(function, "size", size, count))
    if any(n < 0 for n in sizes):
        raise ImageError(f"{function}: size must not be negative, got {size!r}")
    return sizes
