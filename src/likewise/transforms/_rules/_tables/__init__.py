"""The rules, by family; importing this fills the tables."""

from . import _batches, _elementwise, _fft, _linalg, _reductions, _structure

__all__ = ["_batches", "_elementwise", "_fft", "_linalg", "_reductions", "_structure"]
