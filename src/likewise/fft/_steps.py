"""The transforms themselves, after the checks: the library's own; on NumPy, SciPy's.

SciPy's transform real numbers in half the time, and lengths with large prime factors in one pass,
where NumPy's convert them to complex.
"""

import functools
from collections.abc import Callable
from typing import Any

from .. import _plan
from .._namespace import array_namespace
from .._native import Lines, along, native

__all__ = ["STEPS", "as_complex"]

STEPS: dict[str, Callable[..., Any]] = {}
_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def as_complex(xp: Any, x: Any) -> Any:
    """Return a floating array as one of complex numbers."""
    if _plan.is_complex(xp, x.dtype):
        return x
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)


def _entered(step: Any) -> Any:
    STEPS[step.row.name] = step
    return step


def _along(function: str, x: Any, n: Any, axis: int, norm: str) -> Any:
    return getattr(array_namespace(x).fft, function)(x, n=n, axis=axis, norm=norm)


def _over(function: str, x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return getattr(array_namespace(x).fft, function)(x, s=s, axes=axes, norm=norm)


def _in_blocks(x: Any, n: Any, axis: Any, norm: str, kind: str = "") -> Lines:
    xp, axes = array_namespace(x), axis if isinstance(axis, tuple) else (axis,)
    if n is None:
        sizes = [x.shape[a] for a in axes]
        sizes[-1] = 2 * (sizes[-1] - 1) if kind == "doubled" else sizes[-1]
    else:
        sizes = [n] if isinstance(n, int) else list(n)
    sizes[-1] = sizes[-1] // 2 + 1 if kind == "halved" else sizes[-1]
    single = x.dtype in (xp.float32, xp.complex64)
    if kind == "doubled":
        return along(x, axes, sizes, dtype=xp.float32 if single else xp.float64)
    return along(x, axes, sizes, dtype=xp.complex64 if single else xp.complex128)


_halved = functools.partial(_in_blocks, kind="halved")  # the last axis
_doubled = functools.partial(_in_blocks, kind="doubled")


@_entered
@native(numpy="scipy.fft:fft", blocks=_in_blocks)
def _fft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("fft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:ifft", blocks=_in_blocks)
def _ifft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("ifft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:rfft", blocks=_halved)
def _rfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("rfft", x, n, axis, norm)


@_entered
@native(numpy="scipy.fft:irfft", blocks=_doubled)
def _irfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("irfft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:hfft", blocks=_doubled)
def _hfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("hfft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:ihfft", blocks=_halved)
def _ihfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("ihfft", x, n, axis, norm)


@_entered
@native(numpy="scipy.fft:fftn", blocks=_in_blocks)
def _fftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("fftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:ifftn", blocks=_in_blocks)
def _ifftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("ifftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:rfftn", blocks=_halved)
def _rfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("rfftn", x, s, axes, norm)


@_entered
@native(numpy="scipy.fft:irfftn", blocks=_doubled)
def _irfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("irfftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:hfftn", blocks=_doubled)
def _hfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    xp = array_namespace(x)
    return _over("irfftn", xp.conj(as_complex(xp, x)), s, axes, _SWAPPED[norm])


@_entered
@native(numpy="scipy.fft:ihfftn", blocks=_halved)
def _ihfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    *others, last = axes
    y = _along("ihfft", x, None if s is None else s[-1], last, norm)
    # Not the conjugate of `rfftn`, which torch has as a view that few read.
    return _over("ifftn", y, s and s[:-1], tuple(others), norm) if others else y
