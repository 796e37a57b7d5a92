"""SciPy's functions of peaks, as the apply steps call them."""

import warnings
from typing import Any

import numpy as np
from scipy import signal

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


def find_peaks(x: Any, bounds: Any, near: Any, wlen: int, rel_height: float, size: Any) -> Any:
    """Call SciPy's, alike."""
    window = None if wlen < 0 else wlen
    if "prominence" not in bounds and "width" not in bounds:
        return _FIND(x, distance=near, **bounds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _FIND(x, distance=near, wlen=window, rel_height=rel_height, **bounds)
