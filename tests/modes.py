"""Forward and reverse mode beside each other, along one random direction and cotangent."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from likewise.transforms import jvp, vjp

__all__ = ["agree"]


def agree(outputs: Callable[..., Sequence[Any]], *at: Any, forward: bool = True) -> bool:
    """Assert that both modes give the same; tell whether it is anything but 0.

    `outputs`, of NumPy's floating arrays, returns floating arrays.
    """
    rng = np.random.default_rng(1)
    along = tuple(_like(rng, x) for x in at)
    out, back = vjp(outputs, *at)
    cotangents = tuple(_like(rng, y) for y in out)
    ahead = [dx * v for dx, v in zip(back(cotangents), along, strict=True)]
    if forward:
        moved = jvp(outputs, at, along)[1]
        forth = [u * dy for u, dy in zip(cotangents, moved, strict=True)]
        off, size = np.real(_sum(forth) - _sum(ahead)), _sum(map(abs, [*forth, *ahead]))
        assert abs(off) <= 1e-6 * size, "forwards and backwards differ"
    return bool(_sum(map(abs, ahead)))


def _sum(arrays: Iterable[Any]) -> Any:
    return sum(np.sum(np.where(np.isfinite(x), x, 0)) for x in arrays)


def _like(rng: Any, x: Any) -> Any:
    """Normal numbers of a kind; 0 where a value is NaN or infinite."""
    v, w = rng.normal(size=(2, *np.shape(x)))
    return np.where(np.isfinite(x), v + 1j * w if x.dtype.kind == "c" else v, 0)
