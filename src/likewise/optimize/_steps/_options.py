"""Checks of the options that solvers take: tolerances, numbers of steps, tables of them."""

import operator
from collections.abc import Mapping
from typing import Any

from ..._namespace import describe
from ...errors import ArgumentError

__all__ = ["count", "table", "tolerance"]


def tolerance(function: str, name: str, value: Any, default: float) -> float:
    """Return a number that isn't negative."""
    if value is None:
        return default
    try:
        number = -1.0 if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = -1.0
    if not number >= 0:
        raise ArgumentError(f"{function}: {name} must be a number, not negative, got {value!r}")
    return number


def count(function: str, name: str, value: Any, default: int, least: int = 0) -> int:
    """Return an integer that isn't less than `least`."""
    if value is None:
        return default
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except (TypeError, ValueError, RuntimeError):
        number = least - 1
    if number < least:
        raise ArgumentError(
            f"{function}: {name} must be an integer, at least {least}, got {value!r}"
        )
    return number


def table(function: str, name: str, value: Any) -> dict[str, Any]:
    """Return a copy of a dict of options, or an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{function}: {name} must be a dict, got {describe(value)}")
    return dict(value)
