"""The transforms themselves, after the checks: the library's own; on NumPy, SciPy's.

SciPy's transform real numbers in half the time, and lengths with large prime factors in one pass,
where NumPy's convert them to complex.
"""

from collections.abc import Callable
from typing import Any

from .. import _plan
from .._namespace import array_namespace
from .._native import native

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


@_entered
@native(numpy="scipy.fft:fft")
def _fft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("fft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:ifft")
def _ifft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("ifft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:rfft")
def _rfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("rfft", x, n, axis, norm)


@_entered
@native(numpy="scipy.fft:irfft")
def _irfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("irfft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:hfft")
def _hfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("hfft", as_complex(array_namespace(x), x), n, axis, norm)


@_entered
@native(numpy="scipy.fft:ihfft")
def _ihfft(x: Any, n: Any, axis: int, norm: str) -> Any:
    return _along("ihfft", x, n, axis, norm)


@_entered
@native(numpy="scipy.fft:fftn")
def _fftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("fftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:ifftn")
def _ifftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("ifftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:rfftn")
def _rfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("rfftn", x, s, axes, norm)


@_entered
@native(numpy="scipy.fft:irfftn")
def _irfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    return _over("irfftn", as_complex(array_namespace(x), x), s, axes, norm)


@_entered
@native(numpy="scipy.fft:hfftn")
def _hfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    xp = array_namespace(x)
    return _over("irfftn", xp.conj(as_complex(xp, x)), s, axes, _SWAPPED[norm])


@_entered
@native(numpy="scipy.fft:ihfftn")
def _ihfftn(x: Any, s: Any, axes: tuple[int, ...], norm: str) -> Any:
    *others, last = axes
    y = _along("ihfft", x, None if s is None else s[-1], last, norm)
    # Not the conjugate of `rfftn`, which torch has as a view that few read.
    return _over("ifftn", y, s and s[:-1], tuple(others), norm) if others else y
