"""Cosine and sine transforms of all types along an axis, each by one Fourier transform.

Types 2 and 3 use the reordering of J. Makhoul, IEEE Trans. Acoust. Speech Signal Process. 28, 27
(1980). Type 1 is the transform of the even extension. Type 4 is a complex transform of half the
length, if the length is even, else a real one of permuted numbers. A sine transform is a cosine
transform of reversed or alternating numbers (Z. Wang, IEEE Trans. Acoust. Speech Signal Process.
32, 803, 1984).
"""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._native import Lines, along, native

__all__ = ["dct", "dctn", "dst", "dstn"]


def _served(x: Any, type: int, n: Any, axis: Any, norm: Any, o: Any, w: Any, ortho: bool) -> bool:
    """real numbers, or ends scaled as `norm` alone says: SciPy has no more of complex ones."""
    real: bool = array_namespace(x).isdtype(x.dtype, "real floating")
    return real or ortho == (norm == "ortho")


def _in_blocks(x: Any, type: int, n: int | None, axis: int, *options: Any) -> Lines:
    return along(x, (axis,), None if n is None else (n,))


def _several_in_blocks(x: Any, type: int, s: Any, axes: tuple[int, ...], *options: Any) -> Lines:
    return along(x, axes, s)


@native(numpy="scipy.fft:dct", torch="scipy.fft:dct", when=_served, blocks=_in_blocks)
def dct(
    x: Any, type: int, n: Any, axis: int, norm: str, overwrite: bool, workers: Any, ortho: bool
) -> Any:
    return _along(_cosine, x, type, n, axis, norm, ortho)


@native(numpy="scipy.fft:dst", torch="scipy.fft:dst", when=_served, blocks=_in_blocks)
def dst(
    x: Any, type: int, n: Any, axis: int, norm: str, overwrite: bool, workers: Any, ortho: bool
) -> Any:
    return _along(_sine, x, type, n, axis, norm, ortho)


def _several(x: Any, type: int, s: Any, axes: Any, norm: str, ortho: bool) -> bool:
    """real numbers, or ends scaled as `norm` alone says."""
    return _served(x, type, s, axes, norm, False, None, ortho)


@native(numpy="likewise._libs.numpy._trigonometric:dctn", when=_several, blocks=_several_in_blocks)
def dctn(x: Any, type: int, s: Any, axes: tuple[int, ...], norm: str, ortho: bool) -> Any:
    for n, axis in zip(s or (None,) * len(axes), axes, strict=True):
        x = dct(x, type, n, axis, norm, False, None, ortho)
    return x


@native(numpy="likewise._libs.numpy._trigonometric:dstn", when=_several, blocks=_several_in_blocks)
def dstn(x: Any, type: int, s: Any, axes: tuple[int, ...], norm: str, ortho: bool) -> Any:
    for n, axis in zip(s or (None,) * len(axes), axes, strict=True):
        x = dst(x, type, n, axis, norm, False, None, ortho)
    return x


def _along(way: Any, x: Any, type: int, n: Any, axis: int, norm: str, ortho: bool) -> Any:
    """Transform an axis, by default at its own length."""
    xp = array_namespace(x)
    n = x.shape[axis] if n is None else n
    x = _fitted(xp, xp.moveaxis(x, axis, -1), n)
    if _plan.is_complex(xp, x.dtype):
        real, imag = (way(xp, part, type, ortho) for part in (xp.real(x), xp.imag(x)))
        out = real + 1j * imag
    else:
        out = way(xp, x, type, ortho)
    if norm != "backward":
        shift = 0 if type > 1 else (-1 if way is _cosine else 1)
        scale = 2 * (n + shift)
        out = out / (scale if norm == "forward" else math.sqrt(scale))
    return xp.moveaxis(out, -1, axis)


def _fitted(xp: Any, x: Any, n: int) -> Any:
    """Crop the last axis, or pad it with zeros."""
    if x.shape[-1] >= n:
        return x[..., :n]
    more = xp.zeros((*x.shape[:-1], n - x.shape[-1]), dtype=x.dtype, device=device(x))
    return xp.concat([x, more], axis=-1)


def _places(xp: Any, like: Any, n: int) -> Any:
    return xp.arange(n, dtype=like.dtype, device=device(like))


def _turns(xp: Any, like: Any, n: int, step: float, start: float = 0.0) -> Any:
    """Return numbers around the unit circle."""
    angle = _places(xp, like, n) * step + start
    return xp.cos(angle) + 1j * xp.sin(angle)


def _sine(xp: Any, x: Any, type: int, ortho: bool) -> Any:
    n = x.shape[-1]
    if type == 1:
        nothing = xp.zeros_like(x[..., :1])
        odd = xp.concat([nothing, x, nothing, -xp.flip(x, axis=-1)], axis=-1)
        return -xp.imag(xp.fft.rfft(odd))[..., 1 : n + 1]
    if type == 2:
        return xp.flip(_cosine(xp, _alternating(xp, x), 2, ortho), axis=-1)
    return _alternating(xp, _cosine(xp, xp.flip(x, axis=-1), type, ortho))


def _alternating(xp: Any, x: Any) -> Any:
    """Return numbers with the sign of every other one turned."""
    return _interleaved(xp, x[..., ::2], -x[..., 1::2])


def _cosine(xp: Any, x: Any, type: int, ortho: bool) -> Any:
    n = x.shape[-1]
    if type == 1:
        if ortho:
            x = _scaled(xp, x, math.sqrt(2), (0, n - 1))
        mirror = xp.flip(x[..., 1:-1], axis=-1)
        out = xp.real(xp.fft.rfft(xp.concat([x, mirror], axis=-1)))
        return _scaled(xp, out, math.sqrt(0.5), (0, n - 1)) if ortho else out
    if type == 2:
        out = _type2(xp, x, n)
        return _scaled(xp, out, math.sqrt(0.5), (0,)) if ortho else out
    if type == 3:
        return _type3(xp, _scaled(xp, x, math.sqrt(2), (0,)) if ortho else x, n)
    return _type4_odd(xp, x, n) if n % 2 else _type4_even(xp, x, n)


def _scaled(xp: Any, x: Any, by: float, places: tuple[int, ...]) -> Any:
    """Multiply the elements at some places."""
    k = _places(xp, x, x.shape[-1])
    there = (k == places[0]) | (k == places[-1])
    return x * xp.where(there, xp.full_like(k, by), xp.ones_like(k))


def _type2(xp: Any, x: Any, n: int) -> Any:
    order = xp.concat([x[..., ::2], xp.flip(x[..., 1::2], axis=-1)], axis=-1)
    turned = xp.fft.rfft(order) * (2 * _turns(xp, x, n // 2 + 1, -math.pi / (2 * n)))
    high = -xp.imag(turned)[..., 1 : n - n // 2]
    return xp.concat([xp.real(turned), xp.flip(high, axis=-1)], axis=-1)


def _type3(xp: Any, x: Any, n: int) -> Any:
    m = n // 2 + 1
    head, rest = x[..., :m], xp.flip(x[..., n - m + 1 :], axis=-1)
    tail = xp.concat([xp.zeros_like(x[..., :1]), rest], axis=-1)
    spectrum = (head - 1j * tail) * _turns(xp, x, m, math.pi / (2 * n))
    out = xp.fft.irfft(spectrum, n=n, norm="forward")
    return _interleaved(xp, out[..., : n - n // 2], xp.flip(out[..., n - n // 2 :], axis=-1))


def _interleaved(xp: Any, even: Any, odd: Any) -> Any:
    """Put the elements of the second between those of the first, which may have one more."""
    n = even.shape[-1] + odd.shape[-1]
    if n % 2:
        odd = xp.concat([odd, xp.zeros_like(even[..., :1])], axis=-1)
    pairs = xp.stack([even, odd], axis=-1)
    return xp.reshape(pairs, (*even.shape[:-1], 2 * even.shape[-1]))[..., :n]


def _type4_even(xp: Any, x: Any, n: int) -> Any:
    turn = _turns(xp, x, n // 2, -math.pi / n, -math.pi / (8 * n))
    pairs = x[..., ::2] + 1j * xp.flip(x, axis=-1)[..., ::2]
    out = 2 * turn * xp.fft.fft(pairs * turn)
    return _interleaved(xp, xp.real(out), -xp.flip(xp.imag(out), axis=-1))


def _type4_odd(xp: Any, x: Any, n: int) -> Any:
    """With places (n - 1) / 2 + 4 i, where the cosines of n - 1 / 2 repeat, it is of length n."""
    k = xp.arange(n, device=device(x))
    quarter, place = (n // 2 + 4 * k) // n, (n // 2 + 4 * k) % n
    place = xp.where(quarter % 2 == 0, place, n - 1 - place)
    signs = 1 - 2 * xp.astype(quarter % 4 % 3 > 0, x.dtype)
    spectrum = xp.fft.rfft(xp.take(x, place, axis=-1) * signs)
    at = (2 * k + 1) % n
    a = xp.take(xp.real(spectrum), xp.where(2 * at > n, n - at, at), axis=-1)
    b = xp.take(xp.imag(spectrum), xp.where(2 * at > n, n - at, at), axis=-1)
    # Of exp(-i pi (2 k + 1) / 4), times 2; beyond the half of the spectrum, of its conjugate.
    cos = 1 - 2 * xp.astype((k + 1) % 4 > 1, x.dtype)
    sin = 1 - 2 * xp.astype((k % 4 < 2) != (2 * at <= n), x.dtype)
    return math.sqrt(2) * (a * cos + b * sin)
