"""Minima of functions of several variables: `minimize`."""

from ._minimize import MinimizeResult, minimize

__all__ = [
    "MinimizeResult",
    "minimize",
]
