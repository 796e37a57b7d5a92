"""Comparison of results, in single precision where a library has no other."""

from typing import Any

from likewise.testing import assert_close

__all__ = ["eps", "near"]


def eps(xp: Any) -> float:
    return 2.0**-52 if xp.variant.has_float64 else 2.0**-23


def near(xp: Any, found: Any, want: Any, rtol: float = 1e-13, atol: float = 1e-14) -> None:
    scale = eps(xp) / 2.0**-52
    assert_close(found, want, rtol=rtol * scale, atol=atol * scale)
