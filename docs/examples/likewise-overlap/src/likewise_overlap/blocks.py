"""The routine; it has the public function's name and arguments."""

from typing import Any

import scipy.signal


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Return what `likewise.signal.fftconvolve` returns, for what `should_run` agreed to."""
    return scipy.signal.oaconvolve(in1, in2, mode=mode)
