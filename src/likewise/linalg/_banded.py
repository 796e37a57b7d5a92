"""Systems of a few diagonals."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, quiet
from .._native import native, public
from .._typing import A
from ..errors import ShapeError
from ._checks import right_side

__all__ = ["tridiagonal_solve"]


@public
def tridiagonal_solve(dl: A, d: A, du: A, b: A) -> A:
    """Solve tridiagonal systems.

    Parameters
    ----------
    dl : array, shape (..., n)
        Below the diagonal, ``a[i, i - 1]``; the first entry is not read.
    d : array, shape (..., n)
        The diagonal.
    du : array, shape (..., n)
        Above the diagonal, ``a[i, i + 1]``; the last entry is not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.

    Notes
    -----
    Parallel cyclic reduction (R. W. Hockney, C. R. Jesshope, Parallel Computers, 1981, section
    5.4.3): log2(n) steps over all rows at once, about 12 n log2(n) operations a right side.
    Differentiable. Nothing is pivoted: accurate for diagonally dominant and for positive definite
    matrices; others may give infinities or NaN.

    The arguments are those of ``jax.lax.linalg.tridiagonal_solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import tridiagonal_solve
    >>> ones = np.ones(3)
    >>> tridiagonal_solve(ones, 4 * ones, ones, np.asarray([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    xp = array_namespace(dl, d, du, b)
    names = ("dl", "d", "du", "b")
    low, main, up, x = _plan.common_floating("tridiagonal_solve", xp, names, dl, d, du, b)
    n = main.shape[-1] if main.ndim else 0
    if any(v.ndim == 0 or v.shape[-1] != n for v in (low, main, up)):
        raise ShapeError(
            "tridiagonal_solve: dl, d and du must have shape (..., n), got "
            f"{tuple(low.shape)}, {tuple(main.shape)} and {tuple(up.shape)}"
        )
    diagonals = {"dl": low, "d": main, "du": up}
    batch = _plan.broadcast("tridiagonal_solve", **{k: v.shape[:-1] for k, v in diagonals.items()})
    x, vector = right_side("tridiagonal_solve", batch, n, x)
    with quiet(x):
        x = _tridiagonal(low, main, up, x)
    return x[..., 0] if vector else x


def _tridiagonal(low: Any, main: Any, up: Any, x: Any) -> Any:
    if x.ndim == 2 and _one_large_system(main):
        found = _gtsv(low[1:], main, up[:-1], x)
        if found[-1] == 0:
            return found[-2]
    return _eliminated(low, main, up, x)


def _one_large_system(d: Any) -> bool:
    return d.ndim == 1 and d.shape[0] > 2 and bool(d.dtype == array_namespace(d).float64)


@native(numpy="scipy.linalg.lapack:dgtsv")
def _gtsv(low: Any, main: Any, up: Any, x: Any) -> tuple[Any, ...]:
    return None, 1


def _more_than_rows(low: Any, main: Any, up: Any, x: Any) -> bool:
    """more systems than rows, or few rows."""
    n, columns = main.shape[-1], x.shape[-1]
    batch = 1
    for k in x.shape[:-2]:
        batch *= k
    return bool(0 < n <= max(batch * columns, 8))


@native(numpy="likewise._libs.numpy._natives:tridiagonal", when=_more_than_rows)
def _eliminated(low: Any, main: Any, up: Any, x: Any) -> Any:
    return _cyclic(low, main, up, x)


def _systems(low: Any, main: Any, up: Any, x: Any) -> bool:
    """systems of several rows, and right sides."""
    return main.shape[-1] > 2 and 0 not in x.shape


@native(jax="likewise._libs.jax._natives:tridiagonal", when=_systems)
def _cyclic(low: Any, main: Any, up: Any, x: Any) -> Any:
    """Cyclic reduction."""
    xp, n = array_namespace(x), main.shape[-1]
    if n < 2:
        return x / main[..., None]
    low, main, up = low[..., None], main[..., None], up[..., None]
    low, up = _shifted(xp, low[..., 1:, :], 1, n), _shifted(xp, up[..., :-1, :], -1, n)
    s = 1
    while s < n:
        above, below = main[..., :-s, :], main[..., s:, :]
        p = _shifted(xp, -low[..., s:, :] / above, s, n)
        q = _shifted(xp, -up[..., :-s, :] / below, -s, n)
        x, main, low, up = (
            x + p * _moved(xp, x, s, n) + q * _moved(xp, x, -s, n),
            main + p * _moved(xp, up, s, n) + q * _moved(xp, low, -s, n),
            p * _moved(xp, low, s, n),
            q * _moved(xp, up, -s, n),
        )
        s *= 2
    return x / main


def _moved(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows moved down by `s` (up, if negative), with zeros where none comes from."""
    return _shifted(xp, v[..., :-s, :] if s > 0 else v[..., -s:, :], s, n)


def _shifted(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows filled up to `n` with zeros, before them if `s` is positive."""
    shape = (*v.shape[:-2], n - v.shape[-2], v.shape[-1])
    zeros = xp.zeros(shape, dtype=v.dtype, device=device(v))
    return xp.concat([zeros, v] if s > 0 else [v, zeros], axis=-2)
