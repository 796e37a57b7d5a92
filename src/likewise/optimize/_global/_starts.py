"""First populations in the unit cube."""

from typing import Any

from ..._namespace import array_namespace, device
from ...errors import ArgumentError
from ...random._sequences import halton, sobol
from ._draws import uniforms

__all__ = ["KINDS", "begun"]

KINDS = ("latinhypercube", "sobol", "halton", "random")


def begun(kind: str, keys: Any, count: int, p: int, like: Any) -> Any:
    """Return points (B, count, p), of the dtype of `like`, by the keys (B, 2) of the problems."""
    xp = array_namespace(keys, like)
    total = int(keys.shape[0])
    turn = xp.zeros_like(keys[:, 0], dtype=xp.int32)
    if kind in ("sobol", "halton"):
        rows = (sobol if kind == "sobol" else halton)(count, p)
        points = xp.asarray([list(row) for row in rows], dtype=like.dtype, device=device(like))
        moved = points + uniforms(keys, turn, p, like)[:, None, :]
        return moved - xp.floor(moved)
    if kind not in KINDS:
        raise ArgumentError(
            "differential_evolution: init must be an array or one of "
            f"{', '.join(map(repr, KINDS))}, got {kind!r}"
        )
    u = xp.reshape(uniforms(keys, turn, 2 * count * p, like), (total, 2, count, p))
    if kind == "random":
        return u[:, 0, :, :]
    # Each of `count` equal intervals of each variable has one point.
    order = xp.argsort(u[:, 0, :, :], axis=1, stable=True)
    rank = xp.astype(xp.argsort(order, axis=1, stable=True), like.dtype)
    return (rank + u[:, 1, :, :]) / count
