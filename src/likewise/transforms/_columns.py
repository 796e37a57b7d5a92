"""Jacobians of many small independent problems."""

from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace, device, library_of
from ..missing import at

__all__ = ["columns", "columns_error"]


def columns(fun: Callable[[Any], Any], x: Any, method: str | None = None) -> Any:
    """``d fun(x)[b, i] / d x[b, j]``, (B, p, n), of a `fun` that maps (B, p) to (B, n) row by row.

    Exact by the library's own forward mode; where it has none, or by `method`, by '2-point' or
    '3-point' differences, with steps relative to each parameter.
    """
    xp = array_namespace(x)
    p = x.shape[1]
    pushforward = getattr(library_of(x), "pushforward", None)
    if method is None and pushforward is not None:
        eye = xp.eye(p, dtype=x.dtype, device=device(x))
        tangents = xp.broadcast_to(eye[:, None, :], (p, *x.shape))
        return xp.moveaxis(pushforward(fun, x, tangents), 0, 1)
    eps = float(xp.finfo(x.dtype).eps)
    power = 1 / 2 if method == "2-point" else 1 / 3
    step = eps**power * xp.where(x == 0, xp.ones_like(x), xp.abs(x))
    middle = fun(x) if method == "2-point" else None
    out = []
    for j in range(p):
        upper = at(x)[:, j].set(x[:, j] + step[:, j])
        width = upper[:, j] - x[:, j]  # what the step became in floating-point
        if middle is not None:
            difference = fun(upper) - middle
        else:
            lower = at(x)[:, j].set(x[:, j] - step[:, j])
            width = upper[:, j] - lower[:, j]
            difference = fun(upper) - fun(lower)
        out.append(difference / width[:, None])
    return xp.stack(out, axis=1)


def columns_error(x: Any, method: str | None = None) -> float:
    """The relative error that the derivatives of `columns` may have."""
    eps = float(array_namespace(x).finfo(x.dtype).eps)
    if method is None and hasattr(library_of(x), "pushforward"):
        return eps
    return float(eps ** (1 / 2 if method == "2-point" else 2 / 3))
