"""Derivatives and batching rules of Fourier transforms.

All are linear, and the matrix of a transform is symmetric: its transpose is the transform itself,
with padding where the transform cropped and cropping where it padded.
"""

from collections.abc import Callable
from typing import Any

from ...._namespace import device
from .._batching import axes as shifted
from .._batching import batched
from .._rules import linear

__all__: list[str] = []

_FLIPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho", None: "forward"}


def _resized(xp: Any, c: Any, shape: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    """Cropped or padded with zeros at the end, to the sizes that a shape has along the axes."""
    for axis in axes:
        n, size = c.shape[axis], shape[axis]
        if n > size:
            c = c[(*(slice(None),) * axis, slice(size), ...)]
        elif n < size:
            more = (*c.shape[:axis], size - n, *c.shape[axis + 1 :])
            c = xp.concat([c, xp.zeros(more, dtype=c.dtype, device=device(c))], axis=axis)
    return c


def _axes(ndim: int, s: Any, axes: Any) -> tuple[int, ...]:
    """The axes of a transform in several dimensions, counted from the front."""
    if axes is None:
        return tuple(range(0 if s is None else ndim - len(s), ndim))
    return tuple(a % ndim for a in axes)


def _half_pulled(xp: Any, g: Any, axis: int, norm: Any) -> Any:
    """The transpose of ``irfft`` along an axis: of its terms all but the ends stand for two."""
    n = g.shape[axis]
    c = xp.conj(xp.fft.rfft(g, axis=axis, norm=_FLIPPED[norm]))
    k = xp.arange(n // 2 + 1, device=device(g))
    weight = 2 - xp.astype((k == 0) | (2 * k == n), g.dtype)
    return c * xp.reshape(weight, (-1,) + (1,) * (g.ndim - axis - 1))


def _real_pulled(xp: Any, g: Any, n: int, axis: int, norm: Any) -> Any:
    """The transpose of ``rfft`` of length `n`, complex."""
    return xp.fft.fft(g, n=n, axis=axis, norm=norm)


# -- along one axis --------------------------------------------------------------------------------


def _fft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    return xp.fft.fft(g, axis=axis, norm=norm)


def _ifft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    return xp.fft.ifft(g, axis=axis, norm=norm)


def _rfft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    return xp.real(_real_pulled(xp, g, size if n is None else n, axis, norm))


def _irfft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    return _half_pulled(xp, g, axis, norm)


def _hfft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    # hfft(x) is irfft(conj(x)) in the other scale
    return xp.conj(_half_pulled(xp, g, axis, _FLIPPED[norm]))


def _ihfft(xp: Any, g: Any, n: Any, size: int, axis: int, norm: Any) -> Any:
    # ihfft(x) is conj(rfft(x)) in the other scale
    n = size if n is None else n
    return xp.real(_real_pulled(xp, xp.conj(g), n, axis, _FLIPPED[norm]))


def _single(name: str, transpose: Callable[..., Any]) -> None:
    def pull(g: Any, xp: Any, x_shape: tuple[int, ...], n: Any, axis: int, norm: Any) -> Any:
        axis %= len(x_shape)
        return _resized(xp, transpose(xp, g, n, x_shape[axis], axis, norm), x_shape, (axis,))

    def batch(xp: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
        return getattr(xp.fft, name)(x, n=n, axis=shifted(axis, x.ndim), norm=norm)

    linear("fft." + name, pull)
    batched("fft." + name, batch)


_SINGLE: dict[str, Callable[..., Any]] = {
    "fft": _fft,
    "ifft": _ifft,
    "rfft": _rfft,
    "irfft": _irfft,
    "hfft": _hfft,
    "ihfft": _ihfft,
}
for _name, _transpose in _SINGLE.items():
    _single(_name, _transpose)


# -- along several ---------------------------------------------------------------------------------


def _fftn(xp: Any, g: Any, n: int, axes: tuple[int, ...], norm: Any) -> Any:
    return xp.fft.fftn(g, axes=axes, norm=norm)


def _ifftn(xp: Any, g: Any, n: int, axes: tuple[int, ...], norm: Any) -> Any:
    return xp.fft.ifftn(g, axes=axes, norm=norm)


def _rfftn(xp: Any, g: Any, n: int, axes: tuple[int, ...], norm: Any) -> Any:
    c = _real_pulled(xp, g, n, axes[-1], norm)
    return xp.real(xp.fft.fftn(c, axes=axes[:-1], norm=norm) if axes[:-1] else c)


def _irfftn(xp: Any, g: Any, n: int, axes: tuple[int, ...], norm: Any) -> Any:
    c = _half_pulled(xp, g, axes[-1], norm)
    return xp.fft.ifftn(c, axes=axes[:-1], norm=norm) if axes[:-1] else c


def _several(name: str, transpose: Callable[..., Any]) -> None:
    def pull(g: Any, xp: Any, x_shape: tuple[int, ...], s: Any, axes: Any, norm: Any) -> Any:
        axes = _axes(len(x_shape), s, axes)
        if not axes:
            return g
        n = x_shape[axes[-1]] if s is None or s[-1] == -1 else s[-1]
        return _resized(xp, transpose(xp, g, n, axes, norm), x_shape, axes)

    def batch(xp: Any, x: Any, s: Any, axes: Any, norm: Any) -> Any:
        axes = tuple(a + 1 for a in _axes(x.ndim - 1, s, axes))
        return getattr(xp.fft, name)(x, s=s, axes=axes, norm=norm)

    linear("fft." + name, pull)
    batched("fft." + name, batch)


_SEVERAL: dict[str, Callable[..., Any]] = {
    "fftn": _fftn,
    "ifftn": _ifftn,
    "rfftn": _rfftn,
    "irfftn": _irfftn,
}
for _name, _transpose in _SEVERAL.items():
    _several(_name, _transpose)


# -- the order of frequencies ----------------------------------------------------------------------

linear("fft.fftshift", lambda g, xp, axes: xp.fft.ifftshift(g, axes=axes))
linear("fft.ifftshift", lambda g, xp, axes: xp.fft.fftshift(g, axes=axes))
batched("fft.fftshift", lambda xp, x, axes: xp.fft.fftshift(x, axes=shifted(axes, x.ndim)))
batched("fft.ifftshift", lambda xp, x, axes: xp.fft.ifftshift(x, axes=shifted(axes, x.ndim)))
