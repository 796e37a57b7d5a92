"""Parts shared by the solvers of linear systems: checks of shapes, and modes of a solve."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from ..errors import ArgumentError, ShapeError

__all__ = [
    "BLOCK",
    "adjoint",
    "filled",
    "magnitude",
    "mirrored",
    "one_matrix",
    "right_side",
    "square",
    "trans_of",
]

BLOCK = 8  # rows that are eliminated one by one; more are halved
_MODES = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def square(function: str, a: Any) -> int:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{function}: a must have shape (..., n, n), got {tuple(a.shape)}")
    return int(a.shape[-1])


def right_side(function: str, batch: tuple[int, ...], n: int, b: Any) -> tuple[Any, bool]:
    """The right sides as columns, broadcast to the batch, and whether a vector came."""
    vector = b.ndim == 1
    if b.ndim == 0 or b.shape[-1 if vector else -2] != n:
        raise ShapeError(
            f"{function}: b must have shape (..., {n}, k) or ({n},), got {tuple(b.shape)}"
        )
    b = b[:, None] if vector else b
    if tuple(b.shape[:-2]) == batch:
        return b, vector
    shape = _plan.broadcast(function, a=batch, b=tuple(b.shape[:-2]))
    return array_namespace(b).broadcast_to(b, (*shape, *b.shape[-2:])), vector


def trans_of(function: str, trans: Any) -> int:
    if isinstance(trans, bool) or not isinstance(trans, int | str) or trans not in _MODES:
        raise ArgumentError(
            f"{function}: trans must be one of 0, 1, 2, 'N', 'T', 'C', got {trans!r}"
        )
    return _MODES[trans]


def adjoint(xp: Any, a: Any) -> Any:
    out = xp.matrix_transpose(a)
    return xp.conj(out) if _plan.is_complex(xp, a.dtype) else out


def mirrored(xp: Any, a: Any, lower: bool, kind: str) -> Any:
    """Copy one triangle of matrices to the other, conjugated unless `kind` is 'sym'."""
    keep, other = (xp.tril, -1) if lower else (xp.triu, 1)
    turned = xp.matrix_transpose(a) if kind == "sym" else adjoint(xp, a)
    keep_other = xp.triu if lower else xp.tril
    out = keep(a) + keep_other(turned, k=-other)
    if kind == "sym" or not _plan.is_complex(xp, a.dtype):
        return out
    # The imaginary part of the diagonal is not read.
    eye = xp.eye(a.shape[-1], dtype=xp.bool, device=device(a))
    return xp.where(eye, xp.astype(xp.real(a), a.dtype), out)


def magnitude(xp: Any, a: Any) -> Any:
    """Return the size that LAPACK compares pivots by."""
    if _plan.is_complex(xp, a.dtype):
        return xp.abs(xp.real(a)) + xp.abs(xp.imag(a))
    return xp.abs(a)


def one_matrix(a: Any, *args: Any) -> bool:
    """one matrix with elements."""
    return a.ndim == 2 and 0 not in a.shape


def filled(a: Any, *args: Any) -> bool:
    """matrices and right sides with elements."""
    return 0 not in a.shape and 0 not in args[0].shape
