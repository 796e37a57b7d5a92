"""Discrete Fourier transforms: the standard's, with NumPy's arguments on any array, and lengths."""

from ._lengths import next_fast_len
from ._transforms import (
    fft,
    fftfreq,
    fftn,
    fftshift,
    hfft,
    ifft,
    ifftn,
    ifftshift,
    ihfft,
    irfft,
    irfftn,
    rfft,
    rfftfreq,
    rfftn,
)

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "next_fast_len",
    "rfft",
    "rfftfreq",
    "rfftn",
]
