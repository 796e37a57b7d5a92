"""SciPy's functions of peaks, as the apply steps call them."""

import warnings
from typing import Any

import numpy as np
from scipy import signal

from ...errors import PeakPropertyWarning, _level

__all__ = ["find_peaks", "peak_prominences", "peak_widths"]

_FIND, _PROMINENCES, _WIDTHS = signal.find_peaks, signal.peak_prominences, signal.peak_widths


def peak_prominences(x: Any, peaks: Any, wlen: int) -> Any:
    """Call SciPy's without its warning, which is given after the step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _PROMINENCES(x, peaks, None if wlen < 0 else wlen)


def peak_widths(x: Any, peaks: Any, rel_height: float, data: Any) -> Any:
    """Call SciPy's, alike."""
    data = tuple(map(np.ascontiguousarray, data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _WIDTHS(x, peaks, rel_height, data)


def find_peaks(x: Any, asked: Any, near: Any, wlen: int, rel_height: float, size: Any) -> Any:
    """Call SciPy's; of a `size` the first ones, and -1 or NaN where there aren't as many.

    Its warning, where there may be one, is given as ours.
    """
    bounds = dict(asked)
    sure = wlen < 0 and "width" not in bounds  # no peak is without prominence but in a window
    if sure:
        found = _FIND(x, distance=near, **bounds)
    else:
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            window = None if wlen < 0 else wlen
            found = _FIND(x, distance=near, wlen=window, rel_height=rel_height, **bounds)
    if size is not None:
        found = _sized(found[0], size), {name: _sized(v, size) for name, v in found[1].items()}
    for name in () if sure else ("prominence", "width"):
        values = found[1].get(f"{name}s", found[0][:0])
        if np.count_nonzero(values) < values.size:
            text = f"some peaks have a {name} of 0"
            warnings.warn(text, PeakPropertyWarning, stacklevel=_level())
    return found


def _sized(values: Any, size: int) -> Any:
    if len(values) >= size:
        return values[:size]
    out = np.full(size, -1 if values.dtype.kind == "i" else np.nan, values.dtype)
    out[: len(values)] = values
    return out
