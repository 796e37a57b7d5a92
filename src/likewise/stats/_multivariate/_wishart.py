"""Wishart's distribution and its inverse."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...linalg._cholesky import cholesky
from ...linalg._triangular import substituted
from ...missing._axes import as_given
from ...random import gamma, normal, split
from ...special import digamma, multigammaln
from ._drawing import keyed, lead, refuse, squeezed
from ._frozen import Frozen

__all__ = ["invwishart", "wishart"]

LOG_2 = math.log(2.0)


class _Planned:
    """Hold degrees of freedom (...), scales (..., p, p) and points (..., p, p) of a call."""

    def __init__(self, function: str, df: Any, scale: Any, x: Any = None) -> None:
        scale = 1.0 if scale is None else scale
        given = {n: v for n, v in (("df", df), ("scale", scale), ("x", x)) if v is not None}
        xp = array_namespace(*given.values())
        found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
        by_name = dict(zip(given, found, strict=True))
        scale, self.function, self.xp = by_name["scale"], function, xp
        if scale.ndim < 2:
            n = scale.shape[0] if scale.ndim else 1
            scale = scale * xp.eye(n, dtype=scale.dtype, device=device(scale))
        if scale.shape[-1] != scale.shape[-2]:
            raise ShapeError(
                f"{function}: array 'scale' must be square if it is two dimensional, got shape "
                f"{tuple(scale.shape)}"
            )
        self.scale, self.dim = scale, scale.shape[-1]
        own = by_name.get("df")
        self.df: Any = xp.full((), float(self.dim), dtype=scale.dtype, device=device(scale))
        if own is not None:
            self.df = own
        if is_concrete(self.df) and not bool(xp.all(self.df > self.dim - 1)):
            raise ArgumentError(
                f"{function}: degrees of freedom df must be greater than the dimension of the "
                f"scale matrix minus 1, {self.dim - 1}, got {self.df!r}"
            )
        self.single = self.df.ndim == 0 and scale.ndim == 2
        self.x = None if x is None else self._points(by_name["x"])

    def _points(self, x: Any) -> Any:
        """Matrices along the last two axes; SciPy's lie along the first two."""
        xp, n = self.xp, self.dim
        if x.ndim == 1 and n == 1:
            x = x[:, None, None]
        elif x.ndim < 2:
            x = x * xp.eye(n if x.ndim == 0 else x.shape[0], dtype=x.dtype, device=device(x))
        elif x.ndim == 3 and self.single:
            x = xp.moveaxis(x, -1, 0)
        elif x.ndim > 3 and self.single:
            raise ShapeError(
                f"{self.function}: quantiles x must be at most two-dimensional, with one more "
                f"dimension for several of them, got shape {tuple(x.shape)}"
            )
        if tuple(x.shape[-2:]) != (n, n):
            raise ShapeError(
                f"{self.function}: quantiles x have incompatible dimensions: ({n}, {n}) are "
                f"expected, got shape {tuple(x.shape)}"
            )
        return x

    def factor(self, name: str, x: Any) -> tuple[Any, Any]:
        """Return Cholesky's factors of matrices and the logarithms of their determinants."""
        xp, n = self.xp, self.dim
        c = cholesky(x, True)
        pivots = xp.reshape(c, (*c.shape[:-2], n * n))[..., :: n + 1]
        if c.ndim == 2 and is_concrete(c) and not bool(xp.all(pivots > 0)):
            raise hooks_of(c).linalg_error(
                f"{self.function}: {name} must be a positive definite matrix"
            )
        return c, 2 * xp.sum(xp.log(pivots), axis=-1)

    def ratio(self, below: Any, above: Any) -> Any:
        """Return the sums of squares of ``below^-1 above``, of triangular matrices."""
        with quiet(below):
            z = substituted(below, above, True, False)
        return self.xp.sum(z * z, axis=(-2, -1))

    def diagonal(self, x: Any) -> Any:
        n = self.dim
        return self.xp.reshape(x, (*x.shape[:-2], n * n))[..., :: n + 1]

    def back(self, out: Any) -> Any:
        return squeezed(self.xp, out) if self.single else as_given(out)

    def wide(self, df: Any) -> Any:
        """Return a number for each set of parameters beside its matrix."""
        return df[..., None, None]


def _where(p: _Planned, good: Any, value: Any) -> Any:
    """A moment, None where the one distribution has none, as in SciPy; NaN in a batch."""
    if p.single and is_concrete(good):
        return p.back(value) if bool(good) else None
    return p.back(p.xp.where(p.wide(good), value, p.xp.nan))


def _standard(p: _Planned, key: Any, shape: tuple[int, ...], dfs: list[Any], dtype: Any) -> Any:
    """Lower triangles of normal numbers, and of chi variables on the diagonal (Bartlett)."""
    xp, n = p.xp, p.dim
    keys = split(key)
    below = xp.tril(normal(keys[0, :], (*shape, n, n), dtype), k=-1)
    half = 0.5 * xp.stack(dfs, axis=-1)
    chi = xp.sqrt(2 * gamma(keys[1, :], half, (*shape, n), dtype))
    return below + chi[..., None] * xp.eye(n, dtype=dtype, device=device(below))


def _sized(function: str, p: _Planned, size: Any) -> tuple[int, ...]:
    batch = _plan.broadcast(function, df=tuple(p.df.shape), scale=tuple(p.scale.shape[:-2]))
    return lead(function, size, batch)


def _frozen(free: Any, name: str, df: Any, scale: Any, seed: Any) -> Frozen:
    refuse(name, seed=seed)
    p = _Planned(name, df, scale)
    p.factor("scale", p.scale)
    return Frozen(free, df=p.df, scale=p.scale)


class Wishart:
    """A Wishart random variable.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    df : float or array, shape (...)
        Degrees of freedom, above p - 1; None is p.
    scale : array, shape (..., p, p)
        Positive definite; a number is one of 1 by 1, a vector a diagonal.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If degrees of freedom are too few, where they can be read.
    LinAlgError
        If the one `scale` or `x` isn't positive definite.

    Notes
    -----
    By Cholesky's factors, O(p^3) a point; `rvs` by Bartlett's decomposition. M. L. Eaton,
    Multivariate Statistics (1983), chapter 8. Differentiable in `x`, `df` and `scale`, and numbers
    in `scale`.

    Differs from SciPy: leading dimensions of parameters are a batch, whose points lie along the
    last two axes, (..., p, p); with one set of parameters they are SciPy's, (p, p, n). In a batch a
    matrix that isn't positive definite gives NaN. `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import wishart
    >>> float(wishart.logpdf(np.eye(2), 3, np.eye(2)).round(12))
    -3.531024246969
    """

    def __call__(self, df: Any = None, scale: Any = None, seed: Any = None) -> Frozen:
        """Return the distribution with these parameters."""
        return _frozen(self, "wishart", df, scale, seed)

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return the logarithm of the density at matrices (p, p) or (p, p, n)."""
        p = _Planned("wishart.logpdf", df, scale, x)
        return p.back(self._log_density(p))

    def pdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return the density at matrices (p, p) or (p, p, n)."""
        p = _Planned("wishart.pdf", df, scale, x)
        return p.back(p.xp.exp(self._log_density(p)))

    def _log_density(self, p: _Planned) -> Any:
        n, df = p.dim, p.df
        c, log_scale = p.factor("scale", p.scale)
        cx, log_x = p.factor("x", p.x)
        norm = 0.5 * df * (n * LOG_2 + log_scale) + multigammaln(0.5 * df, n)
        return 0.5 * (df - n - 1) * log_x - 0.5 * p.ratio(c, cx) - norm

    def mean(self, df: Any, scale: Any) -> Any:
        """Return the mean, shape (..., p, p)."""
        p = _Planned("wishart.mean", df, scale)
        return p.back(p.wide(p.df) * p.scale)

    def mode(self, df: Any, scale: Any) -> Any:
        """Return the mode, shape (..., p, p); None, or NaN in a batch, for df < p + 1."""
        p = _Planned("wishart.mode", df, scale)
        return _where(p, p.df >= p.dim + 1, p.wide(p.df - p.dim - 1) * p.scale)

    def var(self, df: Any, scale: Any) -> Any:
        """Return the variances, shape (..., p, p)."""
        p = _Planned("wishart.var", df, scale)
        d = p.diagonal(p.scale)
        return p.back(p.wide(p.df) * (p.scale * p.scale + d[..., None] * d[..., None, :]))

    def entropy(self, df: Any, scale: Any) -> Any:
        """Return the differential entropy."""
        p = _Planned("wishart.entropy", df, scale)
        n, half = p.dim, 0.5 * p.df
        _, log_scale = p.factor("scale", p.scale)
        rest = sum((digamma(half - 0.5 * i) for i in range(n)), 0.0)
        out = 0.5 * (n + 1) * (log_scale + n * LOG_2) + multigammaln(half, n)
        return as_given(out - 0.5 * (p.df - n - 1) * rest + half * n)

    def rvs(
        self, df: Any, scale: Any, size: Any = 1, random_state: Any = None, *, key: Any = None
    ) -> Any:
        """Return matrices, shape `size` + (p, p)."""
        p = _Planned("wishart.rvs", df, scale)
        _, key, _, dtype = keyed("wishart.rvs", key, random_state, p.scale, p.df)
        c, _ = p.factor("scale", p.scale)
        shape = _sized("wishart.rvs", p, size)
        root = p.xp.matmul(c, _standard(p, key, shape, [p.df - i for i in range(p.dim)], dtype))
        return p.back(p.xp.matmul(root, p.xp.matrix_transpose(root)))


class InvWishart:
    """An inverse Wishart random variable.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    df : float or array, shape (...)
        Degrees of freedom, above p - 1; None is p.
    scale : array, shape (..., p, p)
        Positive definite; a number is one of 1 by 1, a vector a diagonal.

    Raises
    ------
    ShapeError, ArgumentError, LinAlgError
        As for `wishart`.

    Notes
    -----
    As for `wishart`: of a matrix of this distribution, the inverse has Wishart's with the inverse
    scale.

    Differs from SciPy: as `wishart`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import invwishart
    >>> float(invwishart.logpdf(np.eye(2), 3, np.eye(2)).round(12))
    -3.531024246969
    """

    def __call__(self, df: Any = None, scale: Any = None, seed: Any = None) -> Frozen:
        """Return the distribution with these parameters."""
        return _frozen(self, "invwishart", df, scale, seed)

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return the logarithm of the density at matrices (p, p) or (p, p, n)."""
        p = _Planned("invwishart.logpdf", df, scale, x)
        return p.back(self._log_density(p))

    def pdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return the density at matrices (p, p) or (p, p, n)."""
        p = _Planned("invwishart.pdf", df, scale, x)
        return p.back(p.xp.exp(self._log_density(p)))

    def _log_density(self, p: _Planned) -> Any:
        n, df = p.dim, p.df
        c, log_scale = p.factor("scale", p.scale)
        cx, log_x = p.factor("x", p.x)
        norm = 0.5 * df * (log_scale - n * LOG_2) - multigammaln(0.5 * df, n)
        return norm - 0.5 * p.ratio(cx, c) - 0.5 * (df + n + 1) * log_x

    def mean(self, df: Any, scale: Any) -> Any:
        """Return the mean, shape (..., p, p); None, or NaN in a batch, for df <= p + 1."""
        p = _Planned("invwishart.mean", df, scale)
        less = p.df - p.dim - 1
        good = less > 0
        return _where(p, good, p.scale / p.wide(p.xp.where(good, less, 1.0)))

    def mode(self, df: Any, scale: Any) -> Any:
        """Return the mode, shape (..., p, p)."""
        p = _Planned("invwishart.mode", df, scale)
        return p.back(p.scale / p.wide(p.df + p.dim + 1))

    def var(self, df: Any, scale: Any) -> Any:
        """Return the variances, shape (..., p, p); None, or NaN in a batch, for df <= p + 3."""
        p = _Planned("invwishart.var", df, scale)
        good = p.df > p.dim + 3
        less = p.wide(p.xp.where(good, p.df - p.dim, 4.0))
        d = p.diagonal(p.scale)
        out = (less + 1) * p.scale * p.scale + (less - 1) * d[..., None] * d[..., None, :]
        return _where(p, good, out / (less * (less - 1) ** 2 * (less - 3)))

    def entropy(self, df: Any, scale: Any) -> Any:
        """Return the differential entropy."""
        p = _Planned("invwishart.entropy", df, scale)
        n, half = p.dim, 0.5 * p.df
        _, log_scale = p.factor("scale", p.scale)
        rest = sum((digamma(half - 0.5 * (n - i)) for i in range(1, n + 1)), 0.0)
        out = multigammaln(half, n) + n * half + 0.5 * (n + 1) * (log_scale - LOG_2)
        return as_given(out - 0.5 * (p.df + n + 1) * rest)

    def rvs(
        self, df: Any, scale: Any, size: Any = 1, random_state: Any = None, *, key: Any = None
    ) -> Any:
        """Return matrices, shape `size` + (p, p)."""
        p = _Planned("invwishart.rvs", df, scale)
        xp, key, _, dtype = keyed("invwishart.rvs", key, random_state, p.scale, p.df)
        c, _ = p.factor("scale", p.scale)
        shape = _sized("invwishart.rvs", p, size)
        dfs = [p.df - p.dim + 1 + i for i in range(p.dim)]
        a = _standard(p, key, shape, dfs, dtype)
        with quiet(a):
            up = xp.broadcast_to(xp.matrix_transpose(c), a.shape)
            root = substituted(xp.matrix_transpose(a), up, False, False)
        return p.back(xp.matmul(xp.matrix_transpose(root), root))


wishart = Wishart()
invwishart = InvWishart()
