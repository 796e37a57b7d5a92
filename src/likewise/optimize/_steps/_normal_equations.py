"""The normal equations of many small problems: products of columns, and damped solutions.

The problems are the last axis, (p, B) and (p, p, B), so that elements of many problems are
contiguous in memory.
"""

from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve

__all__ = ["diagonal", "inverted", "pivot", "products", "quadratic", "solved"]

_FEW = 4  # unknowns: up to here the Cholesky decomposition is written out
_MANY = 12  # columns: from here on one matrix product, at the cost of a copy


def products(columns: Sequence[Any], r: Any) -> tuple[Any, Any]:
    """Return ``J^T r``, (p, B), and ``J^T J``, (p, p, B), of p columns and r, (B, n) each."""
    xp = array_namespace(r)
    p = len(columns)
    if p > _MANY:
        jac = xp.stack([xp.broadcast_to(c, r.shape) for c in columns], axis=1)
        gradient = xp.matmul(jac, r[:, :, None])[..., 0]
        normal = xp.matmul(jac, xp.matrix_transpose(jac))
        return xp.moveaxis(gradient, 0, -1), xp.moveaxis(normal, 0, -1)
    entries: dict[tuple[int, int], Any] = {}
    for i in range(p):
        for j in range(i + 1):
            entries[i, j] = entries[j, i] = xp.vecdot(columns[i], columns[j])
    normal = xp.stack([entries[i, j] for i in range(p) for j in range(p)], axis=0)
    gradient = xp.stack([xp.vecdot(c, r) for c in columns], axis=0)
    return gradient, xp.reshape(normal, (p, p, r.shape[0]))


def diagonal(normal: Any) -> Any:
    """(p, B)."""
    return array_namespace(normal).stack([normal[j, j, :] for j in range(normal.shape[0])], axis=0)


def quadratic(normal: Any, v: Any) -> Any:
    """Return ``v^T N v``, (B,)."""
    xp = array_namespace(v)
    return xp.sum(v * xp.sum(normal * v, axis=1), axis=0)


def solved(normal: Any, damping: Any, b: Any) -> Any:
    """Return ``(N + diag(damping))^-1 b``, (p, B); NaN where that isn't positive definite."""
    xp = array_namespace(b)
    p = b.shape[0]
    if p > _FEW:
        eye = xp.eye(p, dtype=b.dtype, device=device(b))
        matrix = xp.moveaxis(normal, -1, 0) + xp.matrix_transpose(damping)[:, :, None] * eye
        right = xp.matrix_transpose(b)[:, :, None]
        return xp.matrix_transpose(cho_solve(cho_factor(matrix, lower=True), right)[..., 0])
    low, pivots = _decomposed(normal, damping)
    return xp.stack(_solution(low, pivots, [b[j, :] for j in range(p)]), axis=0)


def inverted(normal: Any) -> tuple[Any, Any]:
    """Return ``N^-1``, (p, p, B), and the smallest pivot; NaN where N isn't positive definite."""
    xp = array_namespace(normal)
    p = normal.shape[0]
    zero = xp.zeros_like(normal[0, :, :])
    eye = xp.eye(p, dtype=normal.dtype, device=device(normal))
    if p > _FEW:
        matrix = xp.moveaxis(normal, -1, 0)
        factor = cho_factor(matrix, lower=True)
        roots = xp.stack([factor[0][:, j, j] for j in range(p)], axis=-1)
        inverse = cho_solve(factor, xp.broadcast_to(eye, matrix.shape))
        return xp.moveaxis(inverse, 0, -1), xp.min(roots, axis=1) ** 2
    low, pivots = _decomposed(normal, zero)
    columns = [_solution(low, pivots, [zero[i, :] + eye[i, j] for i in range(p)]) for j in range(p)]
    smallest = pivots[0]
    for pivot in pivots[1:]:
        smallest = xp.minimum(smallest, pivot)
    return xp.stack([xp.stack(c, axis=0) for c in columns], axis=1), smallest


def pivot(normal: Any) -> Any:
    """Return the smallest pivot, (B,); NaN where the matrix isn't positive definite."""
    xp = array_namespace(normal)
    p = normal.shape[0]
    if p > _FEW:
        factor = cho_factor(xp.moveaxis(normal, -1, 0), lower=True)[0]
        return xp.min(xp.stack([factor[:, j, j] for j in range(p)], axis=-1), axis=1) ** 2
    _, pivots = _decomposed(normal, xp.zeros_like(normal[0, :, :]))
    return xp.min(xp.stack(pivots, axis=0), axis=0)


def _decomposed(normal: Any, damping: Any) -> tuple[dict[tuple[int, int], Any], list[Any]]:
    """L D L^T, written out: no roots.

    G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., section 4.1.2.
    """
    xp = array_namespace(normal)
    low: dict[tuple[int, int], Any] = {}
    whole: dict[tuple[int, int], Any] = {}  # L D
    pivots: list[Any] = []
    p = normal.shape[0]
    for j in range(p):
        pivot = normal[j, j, :] + damping[j, :]
        for k in range(j):
            pivot = pivot - low[j, k] * whole[j, k]
        pivots.append(xp.where(pivot > 0, pivot, xp.nan))
        for i in range(j + 1, p):
            entry = normal[i, j, :]
            for k in range(j):
                entry = entry - low[i, k] * whole[j, k]
            whole[i, j], low[i, j] = entry, entry / pivots[j]
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
