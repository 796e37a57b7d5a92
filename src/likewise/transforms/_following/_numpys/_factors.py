"""NumPy's linear algebra and Fourier transforms, where they are not the standard's."""

from collections.abc import Callable
from typing import Any

from .... import linalg
from ...._namespace import array_namespace
from ....errors import ArgumentError, TransformError
from .._escapes import users_line
from ._shapes import ravel

__all__ = [
    "cholesky",
    "cond",
    "eigh",
    "eigvalsh",
    "fft2",
    "ifft2",
    "irfft2",
    "lstsq",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "rfft2",
    "svd",
]


def _floating(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.astype(x, xp.float64) if xp.isdtype(x.dtype, ("bool", "integral")) else x


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``xp.linalg.vector_norm``, or ``xp.linalg.matrix_norm`` of two axes."""
    xp = array_namespace(x)
    x = _floating(x)
    rank = x.ndim
    if axis is None and ord is None:
        return xp.linalg.vector_norm(x, keepdims=keepdims)
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        two = 2 if ord is None else ord
        return xp.linalg.vector_norm(x, axis=axes[0], ord=two, keepdims=keepdims)
    if len(axes) != 2:
        raise ArgumentError(f"numpy.linalg.norm: one axis or two were expected, got {len(axes)}")
    out = xp.linalg.matrix_norm(xp.moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    for i in sorted(i % rank for i in axes) if keepdims else ():
        out = xp.expand_dims(out, axis=i)
    return out


def cond(x: Any, p: Any = None) -> Any:
    """``xp.linalg.svdvals``, or norms of the matrix and of its inverse."""
    xp = array_namespace(x)
    if p in (None, 2, -2):
        s = xp.linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return xp.linalg.matrix_norm(x, ord=p) * xp.linalg.matrix_norm(xp.linalg.inv(x), ord=p)


def _symmetric(a: Any, triangle: str) -> Any:
    """The symmetric matrix of one triangle, the only one that NumPy looks at."""
    if triangle.upper() not in ("L", "U"):
        raise ArgumentError(f"UPLO must be 'L' or 'U', got {triangle!r}")
    xp = array_namespace(a)
    half, rest = (
        (xp.tril(a), xp.tril(a, k=-1)) if triangle.upper() == "L" else (xp.triu(a), xp.triu(a, k=1))
    )
    other = xp.matrix_transpose(rest)
    return half + (xp.conj(other) if xp.isdtype(a.dtype, "complex floating") else other)


def cholesky(a: Any, upper: bool = False) -> Any:
    """``xp.linalg.cholesky`` of one triangle, mirrored."""
    return array_namespace(a).linalg.cholesky(_symmetric(a, "U" if upper else "L"), upper=upper)


def eigh(a: Any, UPLO: str = "L") -> Any:
    """``xp.linalg.eigh`` of one triangle, mirrored."""
    return array_namespace(a).linalg.eigh(_symmetric(a, UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """``xp.linalg.eigvalsh`` of one triangle, mirrored."""
    return array_namespace(a).linalg.eigvalsh(_symmetric(a, UPLO))


def qr(a: Any, mode: str = "reduced") -> Any:
    """``xp.linalg.qr``; with mode 'r' the triangular factor alone."""
    la = array_namespace(a).linalg
    if mode == "r":
        return la.qr(a, mode="reduced")[1]
    if mode not in ("reduced", "complete"):
        raise TransformError(
            f"numpy.linalg.qr: mode={mode!r} can't be followed{users_line()}; write "
            "mode='reduced', 'complete' or 'r'"
        )
    return la.qr(a, mode=mode)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """``xp.linalg.svd``, or ``xp.linalg.svdvals``."""
    la = array_namespace(a).linalg
    return la.svd(a, full_matrices=full_matrices) if compute_uv else la.svdvals(a)


def pinv(a: Any, rcond: Any = None, rtol: Any = None) -> Any:
    """``xp.linalg.pinv``."""
    given = rcond if rtol is None else rtol
    return array_namespace(a).linalg.pinv(a, rtol=1e-15 if given is None else given)


def matrix_rank(a: Any, tol: Any = None, rtol: Any = None) -> Any:
    """``xp.linalg.matrix_rank``, or how many singular values are above."""
    xp = array_namespace(a)
    if tol is None:
        return xp.linalg.matrix_rank(a, rtol=rtol)
    return xp.count_nonzero(xp.linalg.svdvals(a) > tol, axis=-1)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """``linalg.lstsq``."""
    x, residues, rank, s = linalg.lstsq(a, b, cond=rcond)
    if b.ndim == 1 and residues.ndim == 0:
        residues = ravel(residues)
    return x, residues, rank, s


def _plane(name: str) -> Callable[..., Any]:
    def function(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Any:
        fft = array_namespace(x).fft
        return getattr(fft, name)(x, s=s, axes=tuple(axes), norm=norm)

    function.__doc__ = f"``xp.fft.{name}`` over two axes."
    return function


fft2, ifft2, rfft2, irfft2 = (_plane(n) for n in ("fftn", "ifftn", "rfftn", "irfftn"))
