"""Code that all spectra share: windows, overlapping segments, and sums of segments.

Overlapping segments are made of adjacent blocks, as long as the step from one segment to the next;
only segments of many blocks are gathered. So derivatives are slices as well, and there is no loop
over segments.
"""

import operator
import warnings
from functools import lru_cache
from typing import Any, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device
from ..._native import Lines, Made, lines
from ...errors import ArgumentError, ShapeError, SpectrumWarning, _level
from ...missing import segment_sum
from .._base._places import complex_of, host, one_dimension, real_of
from ..windows import get_window
from ..windows._get_window import refused

__all__ = [
    "Cut",
    "along",
    "both_sides",
    "cut",
    "detrended",
    "frequencies",
    "host_window",
    "integer",
    "named",
    "of_segments",
    "one_side",
    "overlapped",
    "padded",
    "scale",
    "segments",
    "spectra",
    "times",
    "warn",
    "window_of",
]

_MOST = 16  # blocks of a segment that are put side by side
_TRENDS = {"constant": "constant", "c": "constant", "linear": "linear", "l": "linear"}


class Cut(NamedTuple):
    """Hold how a signal is cut into segments: window, step, transform length and trend."""

    win: Any
    nperseg: int
    hop: int
    nfft: int
    onesided: bool
    detrend: Any


def integer(function: str, name: str, value: Any, least: int) -> int:
    """Return ``int(number)``, as SciPy does."""
    try:
        found = operator.index(value) if hasattr(value, "__index__") else int(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: {name} must be an integer, got {value!r}") from error
    if found < least:
        kind = "not be negative" if least == 0 else "be a positive integer"
        raise ArgumentError(f"{function}: {name} must {kind}, got {value!r}")
    return int(found)


def along(function: str, axis: Any, x: Any) -> int:
    """Return a nonnegative axis."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be one integer, got {axis!r}")
    return _plan.axis_tuple(function, "axis", axis, x.ndim)[0]


def named(window: Any) -> bool:
    return isinstance(window, str | tuple)


@lru_cache(maxsize=32)
def _known(window: Any, n: int) -> Any:
    return _made(window, n)


def _made(window: Any, n: int) -> Any:
    name = window if isinstance(window, str) else window[:1]
    if "general" in str(name) and "cosine" in str(name):  # its weights decide where it is
        return host().asarray(get_window(window, n))
    return get_window(window, n, xp=host())


def window_of(function: str, xp: Any, window: Any, n: int, like: Any) -> Any:
    """Return a window of `n` points, from its name or values, in the precision of an array."""
    if not named(window):
        (window,) = beside(like, window)
        array_namespace(like, window)  # of one library
        real = xp.zeros((1,), dtype=real_of(xp, like.dtype), device=device(like))
        _, win = _plan.common_floating(function, xp, ("x", "window"), real, window)
        one_dimension(function, window=win)
        complex_ = _plan.is_complex(xp, win.dtype)
        return xp.astype(win, (complex_of if complex_ else real_of)(xp, like.dtype))
    win = _copied_window(function, window, n)
    return xp.asarray(win, dtype=real_of(xp, like.dtype), device=device(like))


@_plan.of_settings
def _copied_window(function: str, window: Any, n: int) -> Any:
    return host().asarray(host_window(function, window, n), copy=True)


def host_window(function: str, window: Any, n: int) -> Any:
    """Return a window from its name, on the host."""
    try:
        try:
            return _known(window, n)
        except TypeError:  # parameters that don't hash, or that the window refuses
            return _made(window, n)
    except ArgumentError as error:
        raise refused(function, error) from error


def warn(message: str) -> None:
    warnings.warn(message, SpectrumWarning, stacklevel=_level())


def cut(
    function: str,
    xp: Any,
    x: Any,
    n: int,
    window: Any,
    nperseg: Any,
    noverlap: Any,
    nfft: Any,
    onesided: bool,
    detrend: Any,
    part: int = 2,
) -> Cut:
    """Return how to cut `n` samples into segments; `part` is the default overlap."""
    _plan.extension(function, xp, "fft")
    nperseg = None if nperseg is None else integer(function, "nperseg", nperseg, 1)
    if named(window):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > n:
            warn(
                f"{function}: nperseg = {nperseg} is greater than the signal's length {n}; "
                f"nperseg = {n} is taken"
            )
            nperseg = n
    win = window_of(function, xp, window, nperseg or 1, x)
    if nperseg is None:
        nperseg = win.shape[0]
    if nperseg != win.shape[0]:
        raise ShapeError(
            f"{function}: nperseg must be the window's length, got {nperseg} and {win.shape[0]}"
        )
    if nperseg > n or not nperseg:
        raise ShapeError(
            f"{function}: the window must have from 1 to {n} points, those of the signal, got "
            f"{nperseg}"
        )
    nfft = nperseg if nfft is None else integer(function, "nfft", nfft, 1)
    noverlap = nperseg // part if noverlap is None else integer(function, "noverlap", noverlap, 0)
    if nfft < nperseg:
        raise ArgumentError(f"{function}: nfft must be at least nperseg, got {nfft} and {nperseg}")
    if noverlap >= nperseg:
        raise ArgumentError(
            f"{function}: noverlap must be less than nperseg, got {noverlap} and {nperseg}"
        )
    if _plan.is_complex(xp, win.dtype) and onesided:
        raise ArgumentError(
            f"{function}: the window must be real for one side of the spectrum, got {win.dtype}. "
            "Pass return_onesided=False."
        )
    if not (callable(detrend) or not detrend or detrend in _TRENDS):
        raise ArgumentError(
            f"{function}: detrend must be 'constant', 'linear', False or a function of segments, "
            f"got {detrend!r}"
        )
    return Cut(win, nperseg, nperseg - noverlap, nfft, onesided, detrend)


def segments(xp: Any, x: Any, nperseg: int, hop: int) -> Any:
    """Return the segments of the last axis, in an axis before it."""
    count = (x.shape[-1] - nperseg) // hop + 1
    blocks = -(-nperseg // hop)
    if blocks > _MOST:
        k = xp.arange(count, device=device(x))[:, None] * hop
        k = xp.reshape(k + xp.arange(nperseg, device=device(x))[None, :], (-1,))
        return xp.reshape(xp.take(x, k, axis=-1), (*x.shape[:-1], count, nperseg))
    total = (count + blocks - 1) * hop
    x = padded(xp, x[..., : min(total, x.shape[-1])], 0, max(0, total - x.shape[-1]))
    x = xp.reshape(x, (*x.shape[:-1], count + blocks - 1, hop))
    if blocks == 1:
        return x[..., :nperseg]
    parts = [x[..., j : j + count, :] for j in range(blocks)]
    return xp.concat(parts, axis=-1)[..., :nperseg]


def overlapped(xp: Any, frames: Any, hop: int) -> Any:
    """Return the sum of segments at distances of `hop`; the transpose of `segments`."""
    count, n = frames.shape[-2:]
    blocks = -(-n // hop)
    total = (count - 1) * hop + n
    if blocks > _MOST:
        k = xp.arange(count, device=device(frames))[:, None] * hop
        k = xp.reshape(k + xp.arange(n, device=device(frames))[None, :], (-1,))
        flat = xp.reshape(frames, (*frames.shape[:-2], count * n))
        return xp.moveaxis(segment_sum(xp.moveaxis(flat, -1, 0), k, total), 0, -1)
    frames = padded(xp, frames, 0, blocks * hop - n)
    out: Any = None
    for j in range(blocks):
        part = _padded_before_last(xp, frames[..., j * hop : (j + 1) * hop], j, blocks - 1 - j)
        out = part if out is None else out + part
    return xp.reshape(out, (*out.shape[:-2], (count + blocks - 1) * hop))[..., :total]


def _zeros(xp: Any, x: Any, *shape: int) -> Any:
    return xp.zeros(shape, dtype=x.dtype, device=device(x))


def padded(xp: Any, x: Any, before: int, after: int) -> Any:
    """Pad the last axis with zeros."""
    lead = x.shape[:-1]
    parts = [_zeros(xp, x, *lead, before)] if before else []
    parts += [x]
    parts += [_zeros(xp, x, *lead, after)] if after else []
    return xp.concat(parts, axis=-1) if len(parts) > 1 else x


def _padded_before_last(xp: Any, x: Any, before: int, after: int) -> Any:
    lead, n = x.shape[:-2], x.shape[-1]
    parts = [_zeros(xp, x, *lead, before, n)] if before else []
    parts += [x]
    parts += [_zeros(xp, x, *lead, after, n)] if after else []
    return xp.concat(parts, axis=-2) if len(parts) > 1 else x


def detrended(xp: Any, x: Any, detrend: Any) -> Any:
    """Subtract a mean, a straight line, or a function's result along the last axis."""
    if not detrend:
        return x
    if callable(detrend):
        return detrend(x)
    x = x - xp.mean(x, axis=-1, keepdims=True)
    n = x.shape[-1]
    if _TRENDS[detrend] == "constant" or n == 1:
        return x
    t = xp.arange(n, dtype=real_of(xp, x.dtype), device=device(x)) - (n - 1) / 2
    slope = xp.sum(x * t, axis=-1, keepdims=True) * (12 / (n * (n * n - 1.0)))
    return x - slope * t


def spectra(xp: Any, x: Any, how: Cut) -> Any:
    """Return the transforms of the segments of the last axis, frequencies last."""
    parts = detrended(xp, segments(xp, x, how.nperseg, how.hop), how.detrend) * how.win
    if how.onesided:
        return xp.fft.rfft(parts, n=how.nfft)
    if not _plan.is_complex(xp, parts.dtype):
        parts = xp.astype(parts, complex_of(xp, parts.dtype))
    return xp.fft.fft(parts, n=how.nfft)


def of_segments(x: Any, how: Cut, count: int, complex: bool = True) -> Lines:
    """Return how `spectra` of a number of segments maps over blocks."""
    xp, labels = array_namespace(x), lines(x.ndim, x.ndim - 1)
    shape = (*x.shape[:-1], count, how.nfft // 2 + 1 if how.onesided else how.nfft)
    dtype = (complex_of if complex else real_of)(xp, x.dtype)
    return Lines({0: labels}, Made(shape, (*labels[:-1], None, None), dtype))


def scale(function: str, xp: Any, win: Any, fs: float, scaling: str) -> Any:
    """Return the factor of squared magnitudes."""
    if scaling == "density":
        square = win * win
        return 1 / (fs * xp.sum(square))
    if scaling == "spectrum":
        return 1 / xp.sum(win) ** 2
    raise ArgumentError(
        f"{function}: scaling must be one of 'density', 'spectrum', got {scaling!r}"
    )


def frequencies(xp: Any, like: Any, n: int, fs: float, onesided: bool) -> Any:
    make = xp.fft.rfftfreq if onesided else xp.fft.fftfreq
    return make(n, d=1 / fs, dtype=real_of(xp, like.dtype), device=device(like))


def both_sides(xp: Any, how: Cut) -> Any:
    """Return the factors of one-sided powers: 2, but 1 for frequencies without a counterpart."""
    k = xp.arange(how.nfft // 2 + 1, device=device(how.win))
    return 1 + xp.astype((k > 0) & (2 * k < how.nfft), how.win.dtype)


def one_side(function: str, xp: Any, x: Any, asked: bool) -> bool:
    """Tell whether a spectrum is one-sided; warn if that was requested for complex numbers."""
    if asked and _plan.is_complex(xp, x.dtype):
        warn(
            f"{function}: the signal is complex, so both sides of its spectrum are returned; pass "
            "return_onesided=False"
        )
        return False
    return bool(asked)


def times(xp: Any, like: Any, how: Cut, count: int, fs: float) -> Any:
    """Return the times of the centres of segments, in the precision of an array."""
    k = xp.arange(count, dtype=real_of(xp, like.dtype), device=device(like))
    return (k * how.hop + how.nperseg / 2) / fs
