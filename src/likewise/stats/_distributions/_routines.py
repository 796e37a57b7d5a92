"""Rows whose tails and quantiles another package has for usual parameters and probabilities."""

from collections.abc import Callable
from typing import Any

from ..._native import native

__all__ = ["with_routines"]

# The probabilities for which a routine has its digits; it gives an upper tail as 1 minus the other.
_LEAST = {"sf": 0.3, "isf": 0.05}
_MOST = 0.995


def with_routines(row: Any, inside: Callable[..., Any], least: float) -> None:
    """Give a distribution steps with routines of SciPy's, for shapes where `inside` is true and
    lower tails from `least` on."""
    for what in ("cdf", "sf", "ppf", "isf"):
        path = f"likewise._libs.numpy._noncentral:{row.name}_{what}"
        box = _box(what, inside, _LEAST.get(what, least))
        step = native(numpy=path, torch=path, box=box)(_body(row, what))
        setattr(row, f"_{what}", step)


def _body(row: Any, what: str) -> Callable[..., Any]:
    method = getattr(row, f"_{what}")

    def body(x: Any, *shapes: Any) -> Any:
        return method(x, *shapes)

    body.__name__ = f"_{row.name}_{what}"
    body.__module__ = type(row).__module__
    return body


def _box(what: str, inside: Callable[..., Any], least: float) -> Callable[..., Any]:
    def box(y: Any, x: Any, *shapes: Any) -> Any:
        p = x if what in ("ppf", "isf") else y
        return (p > least) & (p < _MOST) & inside(*shapes)

    box.__doc__ = f"Probabilities between {least} and {_MOST}, and {inside.__doc__}"
    return box
