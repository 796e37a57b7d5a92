"""Chunks that become one: never without a word of what that costs."""

import math
import warnings
from typing import Any

from ..._namespace import FOLLOWING
from ...errors import RechunkWarning, ShapeError, _called, _level

_SMALL = 2**20  # bytes of coefficients or states that are merged in silence
_EDGES = 1.25  # growth of the largest chunk without a word: padding and differences cut edges off


def whole(x: Any, axes: Any, constant: bool = False) -> Any:
    """Merge the chunks along the axes that a routine needs whole."""
    cut = {a % x.ndim: -1 for a in axes if len(x.chunks[a % x.ndim]) > 1}
    if not cut:
        return x
    function = _called()
    unknown = [a for a in cut if any(n != n for n in x.chunks[a])]
    if unknown:
        raise ShapeError(
            f"{function}: the sizes of the chunks along axis {unknown[0]} must be known, got "
            f"{len(x.chunks[unknown[0]])} unknown ones. Dask finds them out with "
            "x.compute_chunk_sizes()."
        )
    out = x.rechunk(cut)
    growth = math.prod(x.shape[a] / max(1, *x.chunks[a]) for a in cut)
    if growth > _EDGES and not FOLLOWING and not (constant and x.nbytes <= _SMALL):
        _warn(function, x, out, cut)
    return out


def _warn(function: str, x: Any, out: Any, cut: dict[int, int]) -> None:
    many = " and ".join(f"{len(x.chunks[a])} chunks along axis {a}" for a in cut)
    sizes = tuple(max(c) for c in out.chunks)
    wanted = "{" + ", ".join(f"{a}: -1" for a in cut) + "}"
    warnings.warn(
        f"{function}: an array of shape {x.shape} is cut into {many}, which must be whole here, "
        f"and are merged: a chunk then has shape {sizes} and "
        f"{_bytes(math.prod(sizes) * x.dtype.itemsize)}. If that is intended, pass "
        f"x.rechunk({wanted}); else cut it along other axes.",
        RechunkWarning,
        stacklevel=_level(),
    )


def _bytes(n: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if n < 1024:
            return f"{n:.4g} {unit}"
        n /= 1024  # type: ignore[assignment]
    return f"{n:.4g} GiB"
