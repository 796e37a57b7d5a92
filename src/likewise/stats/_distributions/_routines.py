"""Rows whose tails and quantiles another package has for usual parameters and probabilities."""

from collections.abc import Callable
from typing import Any

from ..._native import native

__all__ = ["with_routines"]

_MOST = 0.995


def with_routines(row: Any, inside: Callable[..., Any], **least: float) -> None:
    """Give a distribution steps with routines of SciPy's, for shapes where `inside` is true and
    probabilities from `least` on of each function."""
    for what, probability in least.items():
        own = what == "sf" or (what == "isf" and probability < 0.05)
        file = "_upper_tails" if own else "_noncentral"
        path = f"likewise._libs.numpy.{file}:{row.name}_{what}"
        box = _box(what, inside, probability)
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
