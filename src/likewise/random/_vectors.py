"""Distributions of vectors."""

from typing import Any

from .._namespace import is_concrete
from .._native import public
from ..errors import ArgumentError, ShapeError
from ..linalg import cho_factor
from ._arguments import common_shape, floating, parameter, plan_key
from ._continuous import standard_normal
from ._threefry import draw

__all__ = ["multivariate_normal"]

_SMALL = 16  # rows up to which the unrolled factorisation is used


@public
def multivariate_normal(
    key: Any,
    mean: Any,
    cov: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return normally distributed vectors.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    mean : array, shape (..., n)
        The means.
    cov : array, shape (..., n, n)
        The covariances, positive definite; only the lower triangles are read.
    shape : int or tuple of int, optional
        The shape of the result without its last dimension. Default: the broadcast leading
        dimensions of `mean` and `cov`.
    dtype : {'float32', 'float64'} or dtype, optional
        Default: that of `mean` and `cov` if they are floating, else as for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array, of `shape` + (n,)
        The vectors.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If shapes don't fit, `cov` isn't positive definite and finite (lazy arrays give NaN there),
        or `key` isn't a key.

    Notes
    -----
    The mean plus the product of the Cholesky factor and `normal` numbers, as in
    ``jax.random.multivariate_normal`` with its default method. O(n^3) per covariance, O(n^2) per
    vector. Differentiable in `mean` and `cov`.

    Examples
    --------
    >>> from likewise.random import key, multivariate_normal
    >>> multivariate_normal(key(0), [1.0, 2.0], [[1.0, 0.5], [0.5, 2.0]], shape=3).shape
    (3, 2)
    """
    xp, key, where = plan_key("multivariate_normal", key, namespace, device, like, mean, cov)
    dtype = floating("multivariate_normal", xp, dtype, where, like, mean, cov)
    mean = parameter("multivariate_normal", "mean", xp, mean, dtype, where)
    cov = parameter("multivariate_normal", "cov", xp, cov, dtype, where)
    if mean.ndim < 1 or cov.ndim < 2 or tuple(cov.shape[-2:]) != (mean.shape[-1],) * 2:
        raise ShapeError(
            "multivariate_normal: mean must have shape (..., n) and cov (..., n, n), got "
            f"{tuple(mean.shape)} and {tuple(cov.shape)}"
        )
    n = mean.shape[-1]
    lead = tuple(mean.shape[:-1]), tuple(cov.shape[:-2])
    shape = common_shape(
        "multivariate_normal",
        shape,
        mean=xp.zeros(lead[0], device=where),
        cov=xp.zeros(lead[1], device=where),
    )
    if n <= _SMALL or not hasattr(xp, "linalg"):
        factor = cho_factor(cov, lower=True)[0]
    else:
        factor = xp.linalg.cholesky(cov)
    if n and is_concrete(factor) and not bool(xp.all(xp.isfinite(factor))):
        raise ArgumentError(
            "multivariate_normal: cov must be positive definite and finite, but isn't"
        )
    z = draw(key, (*shape, n), standard_normal, dtype)
    return mean + xp.matmul(factor, z[..., None])[..., 0]
