"""Discrete Fourier transforms: what the standard's extension leaves out."""

from ._lengths import next_fast_len

__all__ = ["next_fast_len"]
