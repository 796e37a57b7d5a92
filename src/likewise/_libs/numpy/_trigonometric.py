"""SciPy's transforms along several axes, whose last argument is by keyword."""

from typing import Any

from scipy.fft import dctn as scipy_dctn
from scipy.fft import dstn as scipy_dstn

__all__ = ["dctn", "dstn"]


def dctn(x: Any, type: int, s: Any, axes: Any, norm: str, ortho: bool) -> Any:
    return scipy_dctn(x, type, s, axes, norm, orthogonalize=ortho)


def dstn(x: Any, type: int, s: Any, axes: Any, norm: str, ortho: bool) -> Any:
    return scipy_dstn(x, type, s, axes, norm, orthogonalize=ortho)
