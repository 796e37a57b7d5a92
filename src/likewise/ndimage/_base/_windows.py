"""Windows given as lists or arrays: structures and footprints, and what is known of them."""

import itertools
from collections.abc import Iterator
from typing import Any

from ..._beside import beside
from ..._namespace import array_namespace, hooks_of, is_concrete, is_neutral
from ...errors import ImageError
from ...interop import to_numpy
from ._arguments import for_each, origin_of

__all__ = [
    "cross",
    "flipped",
    "given",
    "in_all",
    "known",
    "mirrored",
    "origins_of",
    "places",
    "running",
    "shape_of",
    "slices",
    "truth",
]


def given(function: str, name: str, x: Any, window: Any, cast: type) -> Any:
    """Return a window as nested tuples of `cast`, of lists, or as an array of the library of x."""
    if not is_neutral(window):
        (window,) = beside(x, window)
        array_namespace(x, window)  # the error about two libraries
        return window
    found = _nested(window, cast)
    if not _even(found, shape_of(found)):
        raise ImageError(f"{function}: {name} must be an array or nested lists, all of one length")
    return found


def _nested(window: Any, cast: type) -> Any:
    if isinstance(window, list | tuple):
        return tuple(_nested(w, cast) for w in window)
    return cast(window)


def _even(window: Any, shape: tuple[int, ...]) -> bool:
    if not isinstance(window, tuple):
        return not shape
    inner = shape[1:]
    return bool(shape) and len(window) == shape[0] and all(_even(w, inner) for w in window)


def shape_of(window: Any) -> tuple[int, ...]:
    """Return the shape of a window."""
    if hasattr(window, "shape"):
        return tuple(window.shape)
    if not isinstance(window, tuple):
        return ()
    return (len(window), *(shape_of(window[0]) if window else ()))


def known(window: Any, cast: type = bool) -> Any:
    """Return a window as nested tuples, or None if its values aren't known yet."""
    if not hasattr(window, "shape"):
        return window
    if not is_concrete(window) or hooks_of(window).recorded(window):  # it may have derivatives
        return None
    return _nested(to_numpy(window).tolist(), cast)


def cross(ndim: int) -> Any:
    """Return the element and its neighbours along the axes, as nested tuples."""

    def level(left: int, steps: int) -> Any:
        if not left:
            return steps <= 1
        return tuple(level(left - 1, steps + abs(k)) for k in (-1, 0, 1))

    return level(ndim, 0)


def in_all(window: Any, axes: tuple[int, ...], ndim: int) -> Any:
    """Return a window along `axes` with a dimension for each of all axes, as SciPy does."""
    if len(axes) == ndim:
        return window
    if hasattr(window, "shape"):
        sizes = iter(window.shape)
        return array_namespace(window).reshape(
            window, tuple(next(sizes) if i in axes else 1 for i in range(ndim))
        )

    def level(part: Any, axis: int) -> Any:
        if axis == ndim:
            return part
        parts = part if axis in axes else (part,)
        return tuple(level(p, axis + 1) for p in parts)

    return level(window, 0)


def origins_of(
    function: str, origin: Any, axes: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the shift of a window, which has such sizes along all axes, for each of them."""
    found = [0] * len(sizes)
    for axis, o in zip(axes, for_each(function, "origin", origin, len(axes)), strict=True):
        found[axis] = origin_of(function, o, sizes[axis])
    return tuple(found)


def flipped(window: Any) -> Any:
    """Return a window from its last element to its first along all axes."""
    if hasattr(window, "shape"):
        return array_namespace(window).flip(window)
    return tuple(map(flipped, window[::-1])) if isinstance(window, tuple) else window


def mirrored(origins: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shifts of a window that was flipped."""
    return tuple(-o - 1 + n % 2 for o, n in zip(origins, sizes, strict=True))


def places(window: Any, cast: type = bool) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield each place of a window with its value: a number if it is known."""
    found = known(window, cast)
    for place in itertools.product(*map(range, shape_of(window))):
        value = found
        if value is None:
            yield place, window[place]
            continue
        for k in place:
            value = value[k]
        yield place, value


def slices(place: tuple[int, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return the block of an extended image that a place of the window sees."""
    return tuple(slice(k, k + n) for k, n in zip(place, shape, strict=True))


def running(pick: Any, v: Any, axis: int, size: int) -> Any:
    """Combine each `size` neighbours along an axis, by doubling."""
    at: list[Any] = [slice(None)] * v.ndim

    def part(start: int, stop: int) -> Any:
        at[axis] = slice(start, stop)
        return v[tuple(at)]

    width = 1
    while width < size:
        step = min(width, size - width)
        n = v.shape[axis]
        v = pick(part(0, n - step), part(step, n))
        width += step
    return v


def truth(x: Any) -> Any:
    """Return where an array differs from zero."""
    xp = array_namespace(x)
    return x if x.dtype == xp.bool else x != 0
