"""Points of one problem or of a batch in rows, and results in the points' own shape."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, is_concrete
from ...errors import ShapeError

__all__ = ["in_pieces", "placed", "spread"]

_NEAR = 1 << 14  # points at once: their cells and weights stay in a core's cache


def spread(function: str, xp: Any, v: Any, batch: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """Return points (*batch, p), and their own shape, the batch not counted."""
    b = len(batch)
    if not b:
        return (v if v.ndim == 1 else xp.reshape(v, (-1,))), tuple(v.shape)
    if v.ndim == 0:
        return xp.broadcast_to(v, (*batch, 1)), ()
    if v.ndim < b or any(n not in (1, m) for n, m in zip(v.shape, batch, strict=False)):
        raise ShapeError(
            f"{function}: points must begin with the dimensions of the batch, {batch}, or ones in "
            f"their places, got shape {tuple(v.shape)}"
        )
    shape, count = tuple(v.shape[b:]), 1
    for n in shape:
        count *= n
    return xp.broadcast_to(xp.reshape(v, (*v.shape[:b], count)), (*batch, count)), shape


def placed(out: Any, shape: tuple[int, ...], b: int, axis: int) -> Any:
    """Return values (*batch, p, ...) in the points' shape, at an axis of the trailing ones."""
    xp = array_namespace(out)
    if len(shape) != 1:
        out = xp.reshape(out, (*out.shape[:b], *shape, *out.shape[b + 1 :]))
    if not axis or not shape:
        return out
    own, k = range(b, b + len(shape)), b + len(shape)
    return xp.permute_dims(out, (*range(b), *range(k, k + axis), *own, *range(k + axis, out.ndim)))


def in_pieces(body: Callable[..., Any], x: Any, each: int = 1, *beside: Any) -> Any:
    """Return a function's result for points (m, d), in pieces that stay in the cache.

    `each` is how many elements a point has in the result; arrays `beside` are cut as the points.
    """
    m, most = x.shape[0], max(64, _NEAR // max(each, 1))
    if m <= most or not is_concrete(x):
        return body(x, *beside)
    xp = array_namespace(x)
    cuts = (slice(i, min(i + most, m)) for i in range(0, m, most))
    return xp.concat([body(x[c, :], *(v[c] for v in beside)) for c in cuts], axis=0)
