"""The standard's functions on NumPy arrays of mpmath's numbers, as far as the cases need them."""

from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

__all__ = ["exact", "namespace"]


def exact(x: Any) -> Any:
    """Numbers without rounding; integers and booleans stay as they are."""
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        return x
    return _each(mpmath.mpmathify)(x.astype(object))


def _each(function: Any) -> Any:
    def call(*arrays: Any) -> Any:
        return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)

    return call


def _matrix(function: Any) -> Any:
    """A function of matrices for stacks of them."""

    def call(*arrays: Any) -> Any:
        lead = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
        full = [np.broadcast_to(a, lead + a.shape[-2:]) for a in arrays]
        found = [function(*(mpmath.matrix(a[i].tolist()) for a in full)) for i in np.ndindex(lead)]
        several = isinstance(found[0], tuple)
        parts = zip(*found, strict=True) if several else [found]
        out = [
            np.asarray([_array(p) for p in part], dtype=object).reshape(
                lead + _array(part[0]).shape
            )
            for part in parts
        ]
        return tuple(out) if several else out[0]

    return call


def _array(m: Any) -> Any:
    if not isinstance(m, mpmath.matrix):
        return np.asarray(m, dtype=object)
    return np.asarray(m.tolist(), dtype=object)


def _vector(m: Any) -> Any:
    return np.asarray(list(m), dtype=object)


def _svd(a: Any) -> Any:
    u, s, v = mpmath.svd(a)
    return u, _vector(s), v


def _eigh(a: Any) -> Any:
    w, v = mpmath.eighe(a)
    return _vector(w), v


def _eig(a: Any) -> Any:
    w, v = mpmath.eig(a)
    return _vector(w), v


def _qr(a: Any) -> Any:
    return mpmath.qr(a, mode="full" if a.rows < a.cols else "skinny")


def _slogdet(a: Any) -> Any:
    d = mpmath.det(a)
    return mpmath.sign(d), mpmath.log(abs(d))


def _pinv(a: Any, rtol: Any = None) -> Any:
    h = np.conj(np.swapaxes(a, -1, -2))
    inv = _matrix(mpmath.inverse)
    return inv(h @ a) @ h if a.shape[-2] >= a.shape[-1] else h @ inv(a @ h)


def _norm(x: Any, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    size = np.abs(x)
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    return np.sum(size**ord, axis=axis, keepdims=keepdims) ** (mpmath.mpf(1) / ord)


def _sum(function: Any) -> Any:
    def call(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return np.asarray(function(x, axis=axis, keepdims=keepdims), dtype=object)

    return call


_NAMES = """acos acosh asin asinh atan atan2 atanh ceil cos cosh exp expm1 floor hypot log log10 log1p
sign sin sinh sqrt tan tanh conj"""
_elementwise = {n: _each(getattr(mpmath, n)) for n in _NAMES.split()}
_linalg = {
    "cholesky": _matrix(lambda a: mpmath.cholesky(a)),
    "det": _matrix(lambda a: mpmath.det(a)),
    "inv": _matrix(lambda a: mpmath.inverse(a)),
    "solve": _matrix(lambda a, b: mpmath.lu_solve(a, b)),
    "eigh": _matrix(_eigh),
    "eig": _matrix(_eig),
    "qr": lambda a, mode="reduced": _matrix(_qr)(a),
    "slogdet": _matrix(_slogdet),
    "svd": lambda a, full_matrices=True: _matrix(_svd)(a),
    "svdvals": lambda a: _matrix(_svd)(a)[1],
    "eigvalsh": lambda a: _matrix(_eigh)(a)[0],
    "pinv": _pinv,
    "vector_norm": _norm,
    "matrix_transpose": lambda a: np.swapaxes(a, -1, -2),
    "trace": lambda a, offset=0: np.trace(a, offset, -2, -1),
    "diagonal": lambda a, offset=0: np.diagonal(a, offset, -2, -1),
    "matmul": np.matmul,
}


class _Namespace(SimpleNamespace):
    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


namespace = _Namespace(
    **_elementwise,
    log2=_each(lambda x: mpmath.log(x, 2)),
    reciprocal=_each(lambda x: 1 / x),
    real=_each(lambda x: mpmath.re(x)),
    imag=_each(lambda x: mpmath.im(x)),
    abs=_each(lambda x: abs(x)),
    logaddexp=_each(lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y))),
    nextafter=lambda x, y: x + 0 * y,
    sum=_sum(np.sum),
    prod=_sum(np.prod),
    astype=lambda x, dtype, **_: x,
    asarray=lambda x, **_: exact(x),
    matmul=np.matmul,
    matrix_transpose=lambda a: np.swapaxes(a, -1, -2),
    linalg=SimpleNamespace(**_linalg),
)
