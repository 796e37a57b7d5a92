"""Anderson's acceleration of a fixed-point iteration of vectors, many at once."""

from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace
from ._mixing import DIVERGED, MAX_ITER, NOT_FINITE, mixed

__all__ = ["anderson"]


def anderson(
    fun: Callable[..., Any], x0: Any, args: tuple[Any, ...], xtol: float, most: int, memory: int
) -> tuple[Any, Any, Any, Any]:
    """Solve ``fun(x, args) = x`` from `x0`, (B, p); x, status, evaluations, iterations.

    Until the largest component of ``fun(x) - x`` is at most `xtol` times the largest of x. Statuses
    are those of `fixed_point`: 0, converged; -2, `most` iterations done; -3, not finite.
    """
    xp = array_namespace(x0)

    def least(x: Any) -> Any:
        return xtol * xp.max(xp.abs(x), axis=1)

    def residuals(x: Any) -> Any:
        return fun(x, args) - x

    end = mixed(residuals, x0, least, most, memory, 1.0)
    zero = xp.zeros_like(end.status)
    code = xp.where((end.status == NOT_FINITE) | (end.status == DIVERGED), zero - 3, zero)
    code = xp.where(end.status == MAX_ITER, zero - 2, code)
    return end.x, code, end.nfev, end.nit
