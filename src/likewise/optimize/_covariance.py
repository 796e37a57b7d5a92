"""The covariance of least-squares estimates from the Jacobian at the solution."""

from typing import Any

from .._namespace import array_namespace, device
from ._levenberg_marquardt import size

__all__ = ["covariance"]


def covariance(jac: Any, error: float) -> Any:
    """``(J J^T)^-1``, (B, p, n) -> (B, p, p); infinite where the rows are dependent.

    That is where, scaled to unit norm, one lies in the span of the others within `error`, the
    relative error of the Jacobian.

    By modified Gram-Schmidt of the rows scaled to unit norm (A. Björck, Numerical Methods for
    Least Squares Problems, 1996, section 2.4.2), which keeps the digits that ``J J^T`` loses, as
    p steps over the whole batch.
    """
    xp = array_namespace(jac)
    p, n = jac.shape[1:]
    norms = size(xp, jac)
    rest = jac / norms[:, :, None]
    pivots, rows = [], []
    for _ in range(p):
        q = rest[:, 0, :]
        pivot = xp.sqrt(xp.sum(q * q, axis=1))
        pivots.append(pivot)
        q = q / xp.where(pivot > 0, pivot, xp.ones_like(pivot))[:, None]
        rest = rest[:, 1:, :]
        rows.append(xp.sum(q[:, None, :] * rest, axis=2))
        rest = rest - q[:, None, :] * rows[-1][:, :, None]
    regular = xp.min(xp.stack(pivots, axis=1), axis=1) > max(n, p) * error
    # The inverse of the triangular factor, from its last row up.
    eye = xp.eye(p, dtype=jac.dtype, device=device(jac))
    inverse = xp.zeros((jac.shape[0], 0, p), dtype=jac.dtype, device=device(jac))
    for k in range(p - 1, -1, -1):
        known = xp.sum(rows[k][:, :, None] * inverse, axis=1)
        pivot = xp.where(regular, pivots[k], xp.ones_like(pivots[k]))
        line = (eye[k, :][None, :] - known) / pivot[:, None]
        inverse = xp.concat([line[:, None, :], inverse], axis=1)
    inverse = inverse / norms[:, :, None]
    out = xp.matmul(inverse, xp.matrix_transpose(inverse))
    return xp.where(regular[:, None, None], out, xp.full_like(out, xp.inf))
