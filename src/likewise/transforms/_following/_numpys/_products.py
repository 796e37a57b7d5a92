"""NumPy's products, where they are not the standard's."""

import functools
from typing import Any

from .... import missing
from ...._namespace import array_namespace
from ....errors import ShapeError
from ._shapes import diagonal, ravel

__all__ = [
    "correlate",
    "cross",
    "dot",
    "inner",
    "matvec",
    "multi_dot",
    "outer",
    "polyval",
    "tensordot",
    "trace",
    "vander",
    "vdot",
    "vecdot",
    "vecmat",
]


def _same(*arrays: Any) -> tuple[Any, ...]:
    """The namespace, and the arrays in one dtype."""
    xp = array_namespace(*arrays)
    dtype = xp.result_type(*arrays)
    return xp, *(xp.astype(a, dtype, copy=False) for a in arrays)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """``missing.convolve`` with the second turned round and conjugated."""
    xp = array_namespace(a, v)
    if a.shape[0] < v.shape[0]:  # NumPy turns round the result, of which 'same' isn't symmetric
        out = xp.flip(correlate(v, a, mode))
        return xp.conj(out) if xp.isdtype(out.dtype, "complex floating") else out
    v = xp.conj(v) if xp.isdtype(v.dtype, "complex floating") else v
    return missing.convolve(a, xp.flip(v), mode=mode)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """``xp.linalg.cross``, of three components."""
    xp, a, b = _same(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = xp.moveaxis(a, axisa, -1), xp.moveaxis(b, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError(
            f"numpy.cross: vectors of 3 were expected, got {a.shape[-1]} and {b.shape[-1]}"
        )
    a, b = xp.broadcast_arrays(a, b)
    return xp.moveaxis(xp.linalg.cross(a, b, axis=-1), -1, axisc)


def dot(a: Any, b: Any) -> Any:
    """``xp.multiply`` by a number; ``xp.matmul``; ``xp.tensordot`` of higher dimensions."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim <= 2 and b.ndim <= 2:
        return a @ b
    return tensordot(a, b, ((-1,), (-1 if b.ndim == 1 else -2,)))


def inner(a: Any, b: Any) -> Any:
    """``xp.multiply`` by a number; else ``xp.tensordot`` over the last axes."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ((-1,), (-1,)))


def matvec(a: Any, x: Any) -> Any:
    """``xp.matmul`` of matrices and vectors."""
    xp = array_namespace(a, x)
    return xp.squeeze(a @ xp.expand_dims(x, axis=-1), axis=-1)


def vecmat(x: Any, a: Any) -> Any:
    """``xp.matmul`` of conjugated vectors and matrices."""
    xp = array_namespace(x, a)
    x = xp.conj(x) if xp.isdtype(x.dtype, "complex floating") else x
    return xp.squeeze(xp.expand_dims(x, axis=-2) @ a, axis=-2)


def multi_dot(arrays: Any) -> Any:
    """``xp.matmul``, one after the other."""
    return functools.reduce(dot, arrays)


def outer(a: Any, b: Any) -> Any:
    """``xp.multiply`` of all elements with all."""
    return ravel(a)[:, None] * ravel(b)[None, :]


def polyval(p: Any, x: Any) -> Any:
    """Horner's rule."""
    xp, p, x = _same(p, x)
    out = xp.zeros_like(x)
    for k in range(p.shape[0]):
        out = out * x + p[k]
    return out


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``xp.tensordot``."""
    if not hasattr(axes, "__index__"):
        pair = [(k,) if hasattr(k, "__index__") else tuple(k) for k in axes]
        axes = tuple(tuple(i % x.ndim for i in k) for k, x in zip(pair, (a, b), strict=True))
    xp, a, b = _same(a, b)
    return xp.tensordot(a, b, axes=axes)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """``xp.sum`` of a diagonal."""
    return array_namespace(a).sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """``xp.stack`` of powers."""
    xp = array_namespace(x)
    x = xp.astype(x, xp.result_type(x.dtype, xp.int64), copy=False)
    n = x.shape[0] if N is None else N
    powers = [xp.ones_like(x)]
    for _ in range(n - 1):
        powers.append(powers[-1] * x)
    return xp.stack(powers[:n] if increasing else powers[:n][::-1], axis=-1)


def vdot(a: Any, b: Any) -> Any:
    """``xp.vecdot`` of all elements, the first conjugated."""
    xp = array_namespace(a, b)
    a, b = ravel(a), ravel(b)
    return (xp.conj(a) if xp.isdtype(a.dtype, "complex floating") else a) @ b


def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    """``xp.vecdot`` over the last axes, to which they are moved."""
    xp, a, b = _same(a, b)
    if axis != -1:
        a, b = (xp.moveaxis(x, axis, -1) for x in (a, b))
    return xp.vecdot(a, b)
