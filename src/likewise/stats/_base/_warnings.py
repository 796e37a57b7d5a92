"""Warnings about samples."""

import warnings
from typing import Any

from ..._namespace import array_namespace, is_concrete
from ...errors import (
    ConstantInputWarning,
    DegenerateDataWarning,
    NearConstantInputWarning,
    SmallSampleWarning,
    _level,
)

__all__ = [
    "tell_constant",
    "tell_degenerate",
    "tell_near_constant",
    "tell_of_rounding",
    "tell_small",
]


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


def tell_of_rounding(function: str, d: Any, m: Any, n: Any) -> None:
    """Warn if deviations `d` from `m`, where they can be read, are but rounding errors."""
    xp = array_namespace(d)
    if not is_concrete(d) or (isinstance(n, int) and n < 2) or 0 in d.shape:
        return
    near = xp.max(xp.abs(d), axis=-1, keepdims=True) < abs(m) * (10 * xp.finfo(d.dtype).eps)
    if bool(xp.any(near & (n > 1))):
        tell_degenerate(
            f"{function}: Precision loss occurred: observations are nearly the same, and their "
            "deviations from the mean are rounding errors"
        )
