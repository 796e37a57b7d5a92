"""The Dirichlet distribution."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...random import gamma
from ...special import digamma, gammaln, xlogy
from ._drawing import keyed, lead, refuse
from ._frozen import Frozen

__all__ = ["dirichlet"]

_SLACK = 1e-9  # of a sum of 1


def _planned(function: str, alpha: Any, x: Any = None) -> tuple[Any, Any, Any]:
    """Parameters, and points with their components along the last axis."""
    given = {"alpha": alpha} if x is None else {"alpha": alpha, "x": x}
    xp = array_namespace(*given.values())
    found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    alpha, points = found[0], found[1] if x is not None else None
    if is_concrete(alpha) and not bool(xp.all(alpha > 0)):
        raise ArgumentError(f"{function}: all parameters alpha must be greater than 0")
    if alpha.ndim == 0:
        raise ShapeError(
            f"{function}: parameter vector alpha must be one dimensional, or a batch (..., k), "
            "got shape ()"
        )
    return xp, alpha, points if points is None else _points(function, xp, alpha, points)


def _points(function: str, xp: Any, alpha: Any, x: Any) -> Any:
    n = alpha.shape[-1]
    if alpha.ndim == 1 and x.ndim > 1:  # SciPy's points are columns
        x = xp.moveaxis(x, 0, -1)
    if x.ndim == 0 or x.shape[-1] not in (n, n - 1):
        raise ShapeError(
            f"{function}: vector x must have either the same number of entries as, or one entry "
            f"fewer than, parameter vector alpha, {n}, got shape {tuple(x.shape)}"
        )
    if x.shape[-1] == n - 1:
        x = xp.concat([x, 1 - xp.sum(x, axis=-1, keepdims=True)], axis=-1)
    if is_concrete(x):
        for wrong, what in (
            (x < 0, "greater than or equal to zero"),
            (x > 1, "smaller or equal one"),
        ):
            if bool(xp.any(wrong)):
                raise ArgumentError(f"{function}: each entry in x must be {what}")
        if bool(xp.any(xp.abs(xp.sum(x, axis=-1) - 1) > _SLACK)):
            raise ArgumentError(
                f"{function}: vector x must lie within the normal simplex, but its sum isn't 1"
            )
        if is_concrete(alpha) and bool(xp.any((x == 0) & (alpha < 1))):
            raise ArgumentError(
                f"{function}: each entry in x must be greater than zero if its alpha is less than "
                "one"
            )
    return x


def _log_beta(xp: Any, alpha: Any) -> Any:
    return xp.sum(gammaln(alpha), axis=-1) - gammaln(xp.sum(alpha, axis=-1))


class Dirichlet:
    """A Dirichlet random variable.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    alpha : array, shape (..., k)
        The concentrations, positive.

    Raises
    ------
    ShapeError
        If `x` has another number of entries than k or k - 1.
    ArgumentError
        If values that can be read are wrong: `alpha` not positive, `x` not in the simplex.

    Notes
    -----
    O(k) a point. Differentiable in `x` and `alpha`; `rvs` isn't differentiable.

    Differs from SciPy: with one vector `alpha`, points are columns (k, ...), as in SciPy; with a
    batch of them, they lie along the last axis, (..., k). `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import dirichlet
    >>> float(dirichlet.pdf(np.asarray([0.2, 0.2, 0.6]), np.asarray([0.4, 5.0, 15.0])).round(10))
    0.2843831685
    """

    def __call__(self, alpha: Any, seed: Any = None) -> Frozen:
        """Return the distribution with this parameter."""
        refuse("dirichlet", seed=seed)
        _, alpha, _ = _planned("dirichlet", alpha)
        return Frozen(self, alpha=alpha)

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """Return the logarithm of the density; `x` may lack its last entry."""
        xp, alpha, x = _planned("dirichlet.logpdf", alpha, x)
        return as_given(xp.sum(xlogy(alpha - 1, x), axis=-1) - _log_beta(xp, alpha))

    def pdf(self, x: Any, alpha: Any) -> Any:
        """Return the density; `x` may lack its last entry."""
        xp, alpha, x = _planned("dirichlet.pdf", alpha, x)
        return as_given(xp.exp(xp.sum(xlogy(alpha - 1, x), axis=-1) - _log_beta(xp, alpha)))

    def mean(self, alpha: Any) -> Any:
        """Return the mean, shape (..., k)."""
        xp, alpha, _ = _planned("dirichlet.mean", alpha)
        return _squeezed(xp, alpha / xp.sum(alpha, axis=-1, keepdims=True))

    def var(self, alpha: Any) -> Any:
        """Return the variances, shape (..., k)."""
        xp, alpha, _ = _planned("dirichlet.var", alpha)
        total = xp.sum(alpha, axis=-1, keepdims=True)
        return _squeezed(xp, alpha * (total - alpha) / (total * total * (total + 1)))

    def cov(self, alpha: Any) -> Any:
        """Return the covariance, shape (..., k, k)."""
        xp, alpha, _ = _planned("dirichlet.cov", alpha)
        total = xp.sum(alpha, axis=-1, keepdims=True)
        a = alpha / total
        eye = xp.eye(a.shape[-1], dtype=a.dtype, device=device(a))
        return (eye * a[..., None] - a[..., None] * a[..., None, :]) / (total[..., None] + 1)

    def entropy(self, alpha: Any) -> Any:
        """Return the differential entropy."""
        xp, alpha, _ = _planned("dirichlet.entropy", alpha)
        total = xp.sum(alpha, axis=-1)
        rest = (total - alpha.shape[-1]) * digamma(total)
        return as_given(_log_beta(xp, alpha) + rest - xp.sum((alpha - 1) * digamma(alpha), axis=-1))

    def rvs(self, alpha: Any, size: Any = 1, random_state: Any = None, *, key: Any = None) -> Any:
        """Return vectors, shape `size` + (k,): gamma variables over their sum."""
        function = "dirichlet.rvs"
        _, alpha, _ = _planned(function, alpha)
        xp, key, _, dtype = keyed(function, key, random_state, alpha)
        batch = tuple(alpha.shape[:-1])
        shape = (1,) if not batch and size == 1 else lead(function, size, batch)
        found = gamma(key, alpha, (*shape, alpha.shape[-1]), dtype)
        return found / xp.sum(found, axis=-1, keepdims=True)


def _squeezed(xp: Any, x: Any) -> Any:
    return as_given(x[0]) if x.ndim == 1 and x.shape[0] == 1 else x


dirichlet = Dirichlet()
