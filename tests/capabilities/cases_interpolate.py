"""Interpolation, against SciPy's."""

from .case import Case

__all__ = ["INTERPOLATE"]

INTERPOLATE: list[Case] = []
