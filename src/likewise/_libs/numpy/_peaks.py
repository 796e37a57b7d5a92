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
    """Call SciPy's; its warning, where there may be one, is given as ours."""
    bounds = dict(asked)
    if wlen < 0 and "width" not in bounds:  # no peak is without prominence but in a window
        return _FIND(x, distance=near, **bounds)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        found = _FIND(
            x, distance=near, wlen=None if wlen < 0 else wlen, rel_height=rel_height, **bounds
        )
    for name in ("prominence", "width"):
        values = found[1].get(f"{name}s", found[0][:0])
        if np.count_nonzero(values) < values.size:
            text = f"some peaks have a {name} of 0"
            warnings.warn(text, PeakPropertyWarning, stacklevel=_level())
    return found
