"""The routine; it has the public function's name and arguments."""

from typing import Any

import scipy.signal


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Compute `likewise.signal.fftconvolve`, for calls that `should_run` accepts."""
    return scipy.signal.oaconvolve(in1, in2, mode=mode)
