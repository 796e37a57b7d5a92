"""Warnings about samples."""

import warnings

from ...errors import (
    ConstantInputWarning,
    DegenerateDataWarning,
    NearConstantInputWarning,
    SmallSampleWarning,
    _level,
)

__all__ = ["tell_constant", "tell_degenerate", "tell_near_constant", "tell_small"]


def tell_small(text: str) -> None:
    """Warn that a sample is empty or too small, at the caller's line."""
    warnings.warn(text, SmallSampleWarning, stacklevel=_level())


def tell_constant(text: str) -> None:
    """Warn that all observations of a sample are the same, at the caller's line."""
    warnings.warn(text, ConstantInputWarning, stacklevel=_level())


def tell_near_constant(text: str) -> None:
    """Warn that the observations of a sample hardly differ, at the caller's line."""
    warnings.warn(text, NearConstantInputWarning, stacklevel=_level())


def tell_degenerate(text: str) -> None:
    """Warn that the data don't determine a result, at the caller's line."""
    warnings.warn(text, DegenerateDataWarning, stacklevel=_level())
