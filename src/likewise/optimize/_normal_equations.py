"""The normal equations of many small problems: products of columns, and damped solutions."""

from collections.abc import Sequence
from typing import Any

from .._namespace import array_namespace, device
from ..missing import cho_factor, cho_solve

__all__ = ["inverted", "products", "quadratic", "solved"]

_FEW = 4  # unknowns: up to here the Cholesky decomposition is written out
_MANY = 12  # columns: from here on one matrix product, at the cost of a copy


def products(columns: Sequence[Any], r: Any) -> tuple[Any, Any]:
    """``J^T r``, (B, p), and ``J^T J``, (B, p, p), of p columns and r, (B, n) each."""
    xp = array_namespace(r)
    p = len(columns)
    if p > _MANY:
        jac = xp.stack([xp.broadcast_to(c, r.shape) for c in columns], axis=1)
        return xp.matmul(jac, r[:, :, None])[..., 0], xp.matmul(jac, xp.matrix_transpose(jac))
    gradient = [xp.vecdot(c, r) for c in columns]
    entries: dict[tuple[int, int], Any] = {}
    for i in range(p):
        for j in range(i + 1):
            entries[i, j] = entries[j, i] = xp.vecdot(columns[i], columns[j])
    normal = xp.stack([entries[i, j] for i in range(p) for j in range(p)], axis=-1)
    return xp.stack(gradient, axis=-1), xp.reshape(normal, (r.shape[0], p, p))


def quadratic(normal: Any, v: Any) -> Any:
    """``v^T N v``, (B,)."""
    xp = array_namespace(v)
    return xp.vecdot(xp.vecdot(normal, v[:, None, :]), v)


def solved(normal: Any, damping: Any, b: Any) -> Any:
    """``(N + diag(damping))^-1 b``, (B, p); NaN where that isn't positive definite."""
    xp = array_namespace(b)
    p = b.shape[1]
    if p > _FEW:
        eye = xp.eye(p, dtype=b.dtype, device=device(b))
        factor = cho_factor(normal + damping[:, :, None] * eye)
        return cho_solve(factor, b[:, :, None])[..., 0]
    low, pivots = _decomposed(normal, damping)
    return xp.stack(_solution(low, pivots, [b[:, j] for j in range(p)]), axis=-1)


def inverted(normal: Any) -> tuple[Any, Any]:
    """``N^-1``, (B, p, p), and the smallest pivot; NaN where that isn't positive definite."""
    xp = array_namespace(normal)
    p = normal.shape[1]
    zero = xp.zeros_like(normal[:, 0, :])
    eye = xp.eye(p, dtype=normal.dtype, device=device(normal))
    if p > _FEW:
        factor = cho_factor(normal)
        diagonal = xp.stack([factor[0][:, j, j] for j in range(p)], axis=-1)
        whole = xp.broadcast_to(eye, normal.shape)
        return cho_solve(factor, whole), xp.min(diagonal, axis=1) ** 2
    low, pivots = _decomposed(normal, zero)
    columns = [_solution(low, pivots, [zero[:, 0] + eye[i, j] for i in range(p)]) for j in range(p)]
    smallest = pivots[0]
    for pivot in pivots[1:]:
        smallest = xp.minimum(smallest, pivot)
    return xp.stack([xp.stack(c, axis=-1) for c in columns], axis=-1), smallest


def _decomposed(normal: Any, damping: Any) -> tuple[dict[tuple[int, int], Any], list[Any]]:
    """L D L^T, written out: no roots.

    G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., section 4.1.2.
    """
    xp = array_namespace(normal)
    low: dict[tuple[int, int], Any] = {}
    pivots: list[Any] = []
    p = normal.shape[1]
    for j in range(p):
        pivot = normal[:, j, j] + damping[:, j]
        for k in range(j):
            pivot = pivot - low[j, k] * low[j, k] * pivots[k]
        pivots.append(xp.where(pivot > 0, pivot, xp.nan))
        for i in range(j + 1, p):
            entry = normal[:, i, j]
            for k in range(j):
                entry = entry - low[i, k] * low[j, k] * pivots[k]
            low[i, j] = entry / pivots[j]
    return low, pivots


def _solution(low: dict[tuple[int, int], Any], pivots: list[Any], b: list[Any]) -> list[Any]:
    p = len(b)
    z: list[Any] = []
    for j in range(p):
        value = b[j]
        for k in range(j):
            value = value - low[j, k] * z[k]
        z.append(value)
    out: list[Any] = [None] * p
    for j in range(p - 1, -1, -1):
        value = z[j] / pivots[j]
        for i in range(j + 1, p):
            value = value - low[i, j] * out[i]
        out[j] = value
    return out
