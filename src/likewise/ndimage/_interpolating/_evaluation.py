"""Values of splines: where coordinates meet the borders, neighbours and their weights, sums."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_lazy
from ..._plan import is_complex
from ...missing._axes import index_dtype
from .._base._borders import extended
from .._base._dtypes import stored, working
from ._splines import beyond, filtered, padded, weights

__all__ = ["Taps", "at_points", "beside_borders", "real_of", "rounded", "taps_at"]

_NEAR = 1 << 14  # points at once: their weights and neighbours stay in a core's cache
_FAR = 1 << 20  # where memory alone counts


class Taps(NamedTuple):
    """For places along an axis: the first neighbour, weights of all, and where there is a value."""

    first: Any
    weights: list[Any]
    inside: Any


def _before(order: int) -> int:
    """Return how many coefficients are needed before the first one; after the last, one more."""
    return max(order, 1)


def _within(xp: Any, at: Any, n: int, order: int, mode: str) -> tuple[Any, Any]:
    """Return coordinates moved between the borders, and where `cval` doesn't take their place."""
    if mode in ("nearest", "grid-constant"):  # beyond the weights' reach, nothing changes
        reach = (order + 1) / 2.0 if order else 1.0
        return xp.clip(at, -reach, n - 1.0 + reach), None
    if mode == "constant":
        inside = (at >= 0.0) & (at <= n - 1.0)  # not so for NaN
        return xp.where(inside, at, 0.0), inside
    if mode in ("mirror", "wrap") and n == 1:
        at = at * 0.0
    elif mode == "mirror":
        period = 2.0 * n - 2.0
        r = xp.abs(at)
        r = r - period * xp.floor(r / period)
        back = xp.where(at < 0.0, r >= n - 1.0, r >= n)  # as in SciPy, for halves in order 0
        at = xp.where(back, period - r, r)
    elif mode == "wrap":  # the period is one less than elements, and both ends stay
        period = n - 1.0
        low, high = -1.0 - xp.floor(-at / period), xp.floor(at / period)
        at = at - period * xp.where(at < 0.0, low, xp.where(at > period, high, 0.0))
    elif mode == "grid-wrap":
        at = at - float(n) * xp.floor(at / float(n))
    else:
        period = 2.0 * n
        at = at - period * xp.floor((at + 0.5) / period)
        at = xp.minimum(at, period - 1.0 - at)
    inside = at == at
    return xp.where(inside, at, 0.0), inside


def taps_at(xp: Any, at: Any, n: int, order: int, mode: str, dtype: Any) -> Taps:
    """Return neighbours among coefficients with so many more as `_before` tells.

    Weights have the real dtype of the image, of however many digits the coordinates are.
    """
    at, inside = _within(xp, at, n, order, mode)
    u = at if order % 2 else at + 0.5
    low = xp.floor(u)
    low = hooks_of(low).once(low)  # neighbours and weights must agree on it
    place = low if inside is not None else xp.where(low == low, low, 0.0)
    first = xp.astype(place, index_dtype(xp, at)) + (_before(order) - order // 2)
    u = u - low
    return Taps(first, weights(xp, u if u.dtype == dtype else xp.astype(u, dtype), order), inside)


def real_of(xp: Any, dtype: Any) -> Any:
    """Return the real floating dtype of as many digits."""
    return {xp.complex64: xp.float32, xp.complex128: xp.float64}.get(dtype, dtype)


def beside_borders(xp: Any, c: Any, axis: int, order: int, mode: str, cval: Any) -> Any:
    before = _before(order)
    return extended(xp, c, axis, before, order + 1, beyond(mode), cval)


def rounded(xp: Any, y: Any, dtype: Any) -> Any:
    """Return values in a dtype: integers are the nearest, and stop at the ends of the dtype."""
    if not xp.isdtype(dtype, "integral"):
        if xp.isdtype(dtype, "bool"):
            return xp.trunc(xp.real(y) if is_complex(xp, y.dtype) else y) != 0.0
        return stored(xp, y, dtype)
    y = xp.real(y) if is_complex(xp, y.dtype) else y
    ends = xp.iinfo(dtype)
    digits = 1 << (24 if y.dtype == xp.float32 else 53)
    high = float(ends.max) if ends.max < digits else float(ends.max + 1) * (1.0 - 1.0 / digits)
    whole = xp.trunc(y + 0.5 * xp.sign(y))
    return xp.astype(xp.clip(whole, float(ends.min), high), dtype)


def at_points(
    x: Any,
    ndim: int,
    shape: tuple[int, ...],
    coordinates: Callable[[int, int], Sequence[Any]],
    order: int,
    mode: str,
    cval: Any,
    prefilter: bool,
) -> Any:
    """Evaluate an image along its first axes at points of any arrangement; others are a batch.

    `shape` is that of the points, and ``coordinates(i, j)`` returns those of the rows i to j along
    its first axis, for each axis of the image; they broadcast.
    """
    xp = array_namespace(x)
    c, shift = working(xp, x), 0
    rest = tuple(c.shape[ndim:])
    if 0 in (*c.shape, *shape):
        return xp.full((*shape, *rest), cval, dtype=c.dtype, device=device(c))
    if prefilter and order > 1:
        for axis in range(ndim):
            c, shift = padded(xp, c, axis, mode, cval, x.dtype)
            c = filtered(xp, c, axis, order, mode)
    sizes = c.shape[:ndim]
    for axis in range(ndim):
        c = beside_borders(xp, c, axis, order, mode, cval)
    strides = [math.prod(c.shape[k + 1 : ndim]) for k in range(ndim)]
    c = xp.reshape(c, (-1, *rest))
    row = math.prod(shape[1:]) * math.prod(rest)
    most = shape[0] * max(row, 1) if is_lazy(x) else _NEAR if is_concrete(x) else _FAR
    step = max(1, most // max(row, 1))
    parts = [
        _sum(c, coordinates(i, min(i + step, shape[0])), sizes, strides, shift, order, mode, cval)
        for i in range(0, shape[0], step)
    ]
    return parts[0] if len(parts) == 1 else array_namespace(*parts).concat(parts, axis=0)


def _sum(
    c: Any,
    coordinates: Sequence[Any],
    sizes: Sequence[int],
    strides: Sequence[int],
    shift: int,
    order: int,
    mode: str,
    cval: Any,
) -> Any:
    """Sum the neighbours' coefficients times their weights, axis by axis."""
    xp = array_namespace(c, *coordinates)
    dtype = real_of(xp, c.dtype)
    taps = [
        taps_at(xp, at + float(shift) if shift else at, n, order, mode, dtype)
        for at, n in zip(coordinates, sizes, strict=True)
    ]
    base: Any = 0
    for tap, stride in zip(taps, strides, strict=True):
        base = base + (tap.first * stride if stride != 1 else tap.first)
    shape, rest = base.shape, (1,) * (c.ndim - 1)
    base = xp.reshape(base, (-1,))
    wide = [
        [xp.reshape(xp.broadcast_to(w, shape), (-1, *rest)) for w in tap.weights] for tap in taps
    ]

    y = _nested(xp, c, base, wide, strides, order, 0)
    y = xp.reshape(y, (*shape, *c.shape[1:]))
    for tap in taps:
        if tap.inside is not None:
            y = xp.where(xp.reshape(tap.inside, (*tap.inside.shape, *rest)), y, cval)
    return y


def _nested(
    xp: Any,
    c: Any,
    base: Any,
    wide: list[list[Any]],
    strides: Sequence[int],
    order: int,
    offset: int,
) -> Any:
    """Sum along the last axis within sums along the others."""
    if not strides:
        return xp.take(c[offset:, ...], base, axis=0)
    total: Any = None
    for k in range(order + 1):
        part = _nested(xp, c, base, wide[1:], strides[1:], order, offset + k * strides[0])
        if order:
            part = wide[0][k] * part
        total = part if total is None else total + part
    return total
