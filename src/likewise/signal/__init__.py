"""Signal processing with SciPy's names and meaning, on every library."""

from ._convolution import convolve, correlate, fftconvolve

__all__ = ["convolve", "correlate", "fftconvolve"]
