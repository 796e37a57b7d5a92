"""The covariance of least-squares estimates from the Jacobian at the solution."""

from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device

__all__ = ["covariance", "size"]


def covariance(columns: Sequence[Any], error: float) -> Any:
    """Return ``(J^T J)^-1``, (B, p, p), of p columns (B, n); infinite where they are dependent.

    Columns are dependent if one, scaled to unit norm, lies in the span of the others within
    `error`, the relative error of the Jacobian.

    Uses modified Gram-Schmidt on the columns scaled to unit norm (A. Björck, Numerical Methods for
    Least Squares Problems, 1996, section 2.4.2), in p steps over the whole batch. It is more
    accurate than ``J^T J``.
    """
    xp = array_namespace(*columns)
    p, n = len(columns), columns[0].shape[1]
    tops = [_top(xp, c) for c in columns]
    rest = [c / top[:, None] for c, top in zip(columns, tops, strict=True)]
    sizes = [xp.sqrt(xp.vecdot(c, c)) for c in rest]
    pivots, rows = [], []
    regular: Any = True
    for k in range(p):
        pivot = sizes[0] if k == 0 else xp.sqrt(xp.vecdot(rest[k], rest[k]))
        regular = (pivot > max(n, p) * error * sizes[k]) & regular
        pivots.append(pivot)
        row = []
        if k + 1 < p:
            q = rest[k] / xp.where(pivot > 0, pivot, xp.ones_like(pivot))[:, None]
            row = [xp.vecdot(q, rest[j]) for j in range(k + 1, p)]
            for j, shared in zip(range(k + 1, p), row, strict=True):
                rest[j] = rest[j] - q * shared[:, None]
        rows.append(row)
    # The inverse of the triangular factor, from its last row up.
    eye = xp.eye(p, dtype=columns[0].dtype, device=device(columns[0]))
    lines: list[Any] = []
    for k in range(p - 1, -1, -1):
        line = xp.broadcast_to(eye[k, :], (regular.shape[0], p))
        for shared, below in zip(rows[k], reversed(lines), strict=True):
            line = line - shared[:, None] * below
        lines.append(line / xp.where(regular, pivots[k], xp.ones_like(pivots[k]))[:, None])
    inverse = xp.stack([x / s[:, None] for x, s in zip(reversed(lines), tops, strict=True)], axis=1)
    out = xp.matmul(inverse, xp.matrix_transpose(inverse))
    return xp.where(regular[:, None, None], out, xp.full_like(out, xp.inf))


def _top(xp: Any, v: Any) -> Any:
    """The largest magnitude over the last axis; 1 for vectors that are zero or not finite."""
    top = xp.max(xp.abs(v), axis=-1)
    return xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))


def size(xp: Any, v: Any) -> Any:
    """Return norms over the last axis, without overflow; 1 for zero or non-finite vectors."""
    top = _top(xp, v)
    v = v / top[..., None]
    norm = top * xp.sqrt(xp.vecdot(v, v))
    return xp.where((norm > 0) & xp.isfinite(norm), norm, xp.ones_like(norm))
