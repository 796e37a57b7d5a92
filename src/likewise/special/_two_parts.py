"""Differences with numbers that are known beyond the precision, such as the zeros of functions."""

from typing import Any

__all__ = ["less"]


def less(x: Any, number: tuple[float, float]) -> Any:
    """x minus a number stored in two parts; no digits are lost if x's precision holds the first.

    The factors stand between the differences, or else XLA adds up the parts.
    """
    return 2 * (0.5 * (x - number[0]) - 0.5 * number[1])
