"""Counts by category of draws without replacement."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral, quiet
from ...errors import DtypeError, ShapeError
from ...missing._axes import as_given
from ...random import split
from ...special import betaln
from .._distributions import hypergeom
from ._drawing import keyed, lead, refuse
from ._frozen import Frozen

__all__ = ["multivariate_hypergeom"]


def _whole(function: str, name: str, x: Any) -> None:
    """Refuse arrays and numbers of other dtypes than integers, as SciPy does."""
    if is_neutral(x):
        items = [x]
        while items:
            item = items.pop()
            if isinstance(item, list | tuple):
                items.extend(item)
            elif not hasattr(item, "__index__"):
                raise DtypeError(f"{function}: {name} must be an array of integers, got {item!r}")
    elif not array_namespace(x).isdtype(x.dtype, "integral"):
        raise DtypeError(f"{function}: {name} must be an array of integers, got {x.dtype}")


def _planned(function: str, m: Any, n: Any, x: Any = None) -> tuple[Any, Any, Any, Any, Any]:
    """Populations, draws and counts as floating arrays, and where parameters are right."""
    given = {"m": m, "n": n} if x is None else {"m": m, "n": n, "x": x}
    for name, value in given.items():
        _whole(function, name, value)
    values = given.values()
    xp = array_namespace(*values)
    m, n, *rest = _plan.common_floating(function, xp, tuple(given), *values, real=True)
    if m.ndim == 0:
        raise ShapeError(f"{function}: m must be an array with at least one dimension")
    x = rest[0] if rest else None
    if x is not None and (x.ndim == 0 or x.shape[-1] != m.shape[-1]):
        raise ShapeError(
            f"{function}: size of each quantile must be size of m: expected {m.shape[-1]}, got "
            f"shape {tuple(x.shape)}"
        )
    good = xp.all(m >= 0, axis=-1) & (n >= 0) & (n <= xp.sum(m, axis=-1))
    return xp, m, n, x, good


def _ways(xp: Any, m: Any, x: Any) -> Any:
    """The logarithm of the number of ways to draw x of m."""
    return -betaln(x + 1, m - x + 1) - xp.log(m + 1)


def _log_mass(xp: Any, m: Any, n: Any, x: Any, good: Any) -> Any:
    with quiet(m):
        inside = xp.all((x >= 0) & (x <= m), axis=-1) & (xp.sum(x, axis=-1) == n)
        total = xp.where(good, xp.sum(m, axis=-1), 0.0)
        m = xp.where((good & inside)[..., None], m, 0.0)
        x = xp.where((good & inside)[..., None], x, 0.0)
        n = xp.where(good, n, 0.0)
        out = xp.sum(_ways(xp, m, x), axis=-1) - _ways(xp, total, n)
        return xp.where(good, xp.where(inside, out, -xp.inf), xp.nan)


def _divisors(xp: Any, total: Any) -> tuple[Any, Any]:
    """The population and one less, 1 in place of 0: what they divide is 0 there."""
    return xp.where(total > 0, total, 1.0), xp.where(total > 1, total - 1, 1.0)


class MultivariateHypergeom:
    """A multivariate hypergeometric random variable: counts of draws without replacement.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    m : array of int, shape (..., k)
        How many there are of each kind.
    n : int or array of int, shape (...)
        How many are drawn.

    Raises
    ------
    DtypeError
        If numbers aren't integers.
    ShapeError
        If `x` hasn't k counts.

    Notes
    -----
    Parameters outside of their domain give NaN, counts that can't be have probability 0. `rvs`
    draws one kind after the other, by `hypergeom`.

    Differs from SciPy: `rvs` takes `key`, and size 1 is one draw in each library's integers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import multivariate_hypergeom
    >>> m = np.asarray([10, 20])
    >>> float(multivariate_hypergeom.pmf(np.asarray([8, 4]), m, 12).round(10))
    0.0025207177
    """

    def __call__(self, m: Any, n: Any, seed: Any = None) -> Frozen:
        """Return the distribution with these parameters."""
        refuse("multivariate_hypergeom", seed=seed)
        _planned("multivariate_hypergeom", m, n)
        return Frozen(self, m=m, n=n)

    def logpmf(self, x: Any, m: Any, n: Any) -> Any:
        """Return the logarithm of the probability of counts (..., k)."""
        xp, m, n, x, good = _planned("multivariate_hypergeom.logpmf", m, n, x)
        return as_given(_log_mass(xp, m, n, x, good))

    def pmf(self, x: Any, m: Any, n: Any) -> Any:
        """Return the probability of counts (..., k)."""
        xp, m, n, x, good = _planned("multivariate_hypergeom.pmf", m, n, x)
        return as_given(xp.exp(_log_mass(xp, m, n, x, good)))

    def mean(self, m: Any, n: Any) -> Any:
        """Return the mean, shape (..., k)."""
        xp, m, n, _, good = _planned("multivariate_hypergeom.mean", m, n)
        with quiet(m):
            total = xp.sum(m, axis=-1, keepdims=True)
            out = n[..., None] * (m / xp.where(total > 0, total, 1.0))
            return xp.where(good[..., None], out, xp.nan)

    def var(self, m: Any, n: Any) -> Any:
        """Return the variances, shape (..., k)."""
        xp, m, n, _, good = _planned("multivariate_hypergeom.var", m, n)
        total, n = xp.sum(m, axis=-1, keepdims=True), n[..., None]
        with quiet(m):
            some, less = _divisors(xp, total)
            out = n * m / some * (total - m) / some * (total - n) / less
            return xp.where(good[..., None], out, xp.nan)

    def cov(self, m: Any, n: Any) -> Any:
        """Return the covariance, shape (..., k, k)."""
        xp, m, n, _, good = _planned("multivariate_hypergeom.cov", m, n)
        total = xp.sum(m, axis=-1, keepdims=True)[..., None]
        n = n[..., None, None]
        eye = xp.eye(m.shape[-1], dtype=m.dtype, device=device(m))
        with quiet(m):
            each = eye * m[..., None] * total - m[..., None] * m[..., None, :]
            some, less = _divisors(xp, total)
            out = n * (total - n) / less * each / (some * some)
            return xp.where(good[..., None, None], out, xp.nan)

    def rvs(
        self, m: Any, n: Any, size: Any = None, random_state: Any = None, *, key: Any = None
    ) -> Any:
        """Return counts, integers, shape `size` + (k,).

        `size` is the shape to which the leading dimensions of parameters broadcast.
        """
        function = "multivariate_hypergeom.rvs"
        xp, m, n, _, _ = _planned(function, m, n)
        _, key, _, _ = keyed(function, key, random_state, m)
        batch = _plan.broadcast(function, m=tuple(m.shape[:-1]), n=tuple(n.shape))
        shape = (1,) if size == 1 and not batch else lead(function, size, batch)
        left = xp.broadcast_to(n, shape)
        rest = xp.broadcast_to(xp.sum(m, axis=-1), shape)
        counts: list[Any] = []
        kinds = m.shape[-1]
        keys = split(key, max(kinds - 1, 1))
        for i in range(kinds - 1):
            own = m[..., i]
            one = xp.where(rest > 0, rest, 1.0)
            drawn = hypergeom.rvs(one, own + 0 * one, left, size=shape, key=keys[i, :])
            drawn = xp.where(rest > 0, xp.astype(drawn, rest.dtype), 0.0)
            counts.append(drawn)
            left, rest = left - drawn, rest - own
        return xp.astype(xp.stack([*counts, left], axis=-1), _integers(xp, m))


def _integers(xp: Any, like: Any) -> Any:
    return xp.__array_namespace_info__().default_dtypes(device=device(like))["integral"]


multivariate_hypergeom = MultivariateHypergeom()
