"""The multivariate t distribution."""

import math
from typing import Any

from ..._namespace import is_concrete
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...random import gamma, normal, split
from ...special import digamma, gammaln, stdtr
from ._drawing import keyed, lead, refuse, squeezed
from ._normal import (
    LOG_TAU,
    MultivariateNormalFrozen,
    finished,
    leading,
    normal_log_density,
    picked,
)
from ._normal_cdf import probability
from ._placed import Placed, kept, located, placed

__all__ = ["MultivariateTFrozen", "multivariate_t"]

_NAMES = ("loc", "shape")


def _placed(
    function: str, loc: Any, shape: Any, df: Any, x: Any = None, allow_singular: bool | None = None
) -> tuple[Placed, Any]:
    p, (df,) = placed(function, loc, shape, x, allow_singular, _NAMES, df=1 if df is None else df)
    if is_concrete(df) and not bool(p.xp.all(df > 0)):
        raise ArgumentError(
            f"{function}: df must be greater than zero, or inf for the normal distribution, and "
            f"not NaN, got {df!r}"
        )
    return p, df


def _log_density(p: Placed, df: Any) -> Any:
    xp, dim = p.xp, p.dim
    finite = xp.isfinite(df)
    some = xp.where(finite, df, xp.ones_like(df))
    half = 0.5 * (some + dim)
    norm = gammaln(half) - gammaln(0.5 * some) - 0.5 * dim * xp.log(some * math.pi)
    tail = half * xp.log1p(p.cov.squares(p.off(p.x)) / some)
    out = norm - 0.5 * p.cov.log_pdet - tail
    if is_concrete(finite) and bool(xp.all(finite)):
        return out
    return xp.where(finite, out, normal_log_density(p))


class MultivariateT:
    """A multivariate t-distributed random variable.

    Called, it returns the distribution with its parameters fixed; with ``df=inf``, the normal one.

    Parameters
    ----------
    loc : array, shape (..., d), optional
        The centres; None is 0.
    shape : array, shape (..., d, d), optional
        Positive semidefinite; a number is its multiple of the identity, a vector a diagonal.
    df : float or array, shape (...), optional
        Degrees of freedom, positive; inf makes it normal.
    allow_singular : bool, optional
        As for `multivariate_normal`.

    Raises
    ------
    ShapeError, ArgumentError, LinAlgError
        As for `multivariate_normal`, and if a degree of freedom isn't positive.

    Notes
    -----
    S. Kotz, S. Nadarajah, Multivariate t Distributions and Their Applications (2004). The density
    as for `multivariate_normal`, differentiable in all parameters. `cdf` in one dimension is
    Student's; in more, an estimate: a normal vector over a chi variable, integrated as for
    `multivariate_normal` with `maxpts` points, default 1,000 d.

    Differs from SciPy: leading dimensions of parameters are a batch; `rvs` and `cdf` take `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import multivariate_t
    >>> float(multivariate_t.pdf(np.zeros(2), shape=[[2.0, 0.3], [0.3, 0.5]], df=2).round(12))
    0.166839713533
    """

    def __call__(
        self,
        loc: Any = None,
        shape: Any = 1,
        df: Any = 1,
        allow_singular: bool = False,
        seed: Any = None,
    ) -> Any:
        """Return the distribution with these parameters."""
        if isinstance(df, int | float) and df == math.inf:
            return MultivariateNormalFrozen(loc, shape, allow_singular, seed)
        return MultivariateTFrozen(loc, shape, df, allow_singular, seed)

    def pdf(
        self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: bool = False
    ) -> Any:
        """Return the density at points (..., d)."""
        p, df = _placed("multivariate_t.pdf", loc, shape, df, x, allow_singular)
        return finished(p, p.xp.exp(_log_density(p, df)))

    def logpdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """Return the logarithm of the density at points (..., d); `shape` may be singular."""
        p, df = _placed("multivariate_t.logpdf", loc, shape, df, x)
        return finished(p, _log_density(p, df))

    def cdf(
        self,
        x: Any,
        loc: Any = None,
        shape: Any = 1,
        df: Any = 1,
        allow_singular: bool = False,
        *,
        maxpts: int | None = None,
        lower_limit: Any = None,
        random_state: Any = None,
        key: Any = None,
    ) -> Any:
        """Return the probability of components between `lower_limit` (else -inf) and `x`.

        Negative where an odd number of limits are in the wrong order.
        """
        function = "multivariate_t.cdf"
        refuse(function, random_state=random_state)
        p, df = _placed(function, loc, shape, df, x, allow_singular)
        xp, high = p.xp, p.off(p.x)
        low = None if lower_limit is None else located(function, p, lower_limit)
        cov = p.cov.covariance
        if p.dim == 1:
            size = xp.sqrt(cov[..., 0])
            out = stdtr(df, (high / size)[..., 0])
            out = out if low is None else out - stdtr(df, (low / size)[..., 0])
        else:
            out = probability(xp, high, low, cov, maxpts or 1000 * p.dim, 0.0, key, df)
        return finished(p, out)

    def entropy(self, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """Return the differential entropy."""
        p, df = _placed("multivariate_t.entropy", None, shape, df)
        return as_given(_entropy(p, df))

    def rvs(
        self,
        loc: Any = None,
        shape: Any = 1,
        df: Any = 1,
        size: Any = 1,
        random_state: Any = None,
        *,
        key: Any = None,
    ) -> Any:
        """Return vectors, shape `size` + (d,): normal ones over the root of a gamma variable.

        Differentiable in `loc` and `shape`.
        """
        function = "multivariate_t.rvs"
        p, df = _placed(function, loc, shape, df)
        own = p.cov.log_pdet
        xp, key, _, dtype = keyed(function, key, random_state, own, df)
        batch = leading(p, df)
        to = lead(function, size, batch)
        keys = split(key)
        first, second = keys[0, :], keys[1, :]
        finite = xp.isfinite(df)
        some = xp.where(finite, df, xp.ones_like(df))
        chi = gamma(second, 0.5 * some, to, dtype) / (0.5 * some)
        chi = xp.where(finite, chi, xp.ones_like(chi))
        z = p.cov._colorize(normal(first, (*to, p.dim), dtype))
        out = z / xp.sqrt(chi)[..., None]
        out = out if p.loc is None else out + p.loc
        return squeezed(xp, out) if not batch else out

    def marginal(
        self,
        dimensions: Any,
        loc: Any = None,
        shape: Any = 1,
        df: Any = 1,
        allow_singular: bool = False,
    ) -> "MultivariateTFrozen":
        """Return the distribution of some of the components, given by their indices."""
        p, df = _placed("multivariate_t.marginal", loc, shape, df)
        some = kept("multivariate_t.marginal", dimensions, p.dim)
        return MultivariateTFrozen(*picked(p, some), df, allow_singular)


def _entropy(p: Placed, df: Any) -> Any:
    """The entropy, by a series in 1 / df where the closed form cancels."""
    xp, dim = p.xp, p.dim
    large = df >= dim * 400 / (math.log(dim) + 1)
    some = xp.where(large, xp.ones_like(df), df)
    half, whole = 0.5 * some, 0.5 * (some + dim)
    near = gammaln(half) - gammaln(whole) + 0.5 * dim * xp.log(some * math.pi)
    near = near + whole * (digamma(whole) - digamma(half))
    u = 1 / xp.where(large, df, xp.full_like(df, xp.inf))
    far = (-3 * dim**3 + 8 * dim**2 - 8) / 24 + u * dim * (3 * dim**3 - 10 * dim**2 + 16) / 30
    far = dim * u * (1 + u * (-(dim - 2) / 4 + u * (dim * (dim - 2) / 6 + u * far)))
    return xp.where(large, 0.5 * dim * (LOG_TAU + 1) + far, near) + 0.5 * p.cov.log_pdet


multivariate_t = MultivariateT()


class MultivariateTFrozen:
    """A multivariate t distribution with its parameters; `multivariate_t` has the docs."""

    def __init__(
        self,
        loc: Any = None,
        shape: Any = 1,
        df: Any = 1,
        allow_singular: bool = False,
        seed: Any = None,
    ) -> None:
        refuse("multivariate_t", seed=seed)
        p, self.df = _placed("multivariate_t", loc, shape, df, None, allow_singular)
        self.dim, self.loc, self.shape_info = p.dim, p.where_it_is(), p.cov
        self.allow_singular = allow_singular

    @property
    def shape(self) -> Any:
        """The shape matrix."""
        return self.shape_info.covariance

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return multivariate_t.logpdf(x, self.loc, self.shape_info, self.df)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return multivariate_t.pdf(x, self.loc, self.shape_info, self.df)

    def cdf(
        self,
        x: Any,
        *,
        maxpts: int | None = None,
        lower_limit: Any = None,
        random_state: Any = None,
        key: Any = None,
    ) -> Any:
        """Return the probability of components between `lower_limit` and `x`."""
        return multivariate_t.cdf(
            x,
            self.loc,
            self.shape_info,
            self.df,
            maxpts=maxpts,
            lower_limit=lower_limit,
            random_state=random_state,
            key=key,
        )

    def rvs(self, size: Any = 1, random_state: Any = None, *, key: Any = None) -> Any:
        """Return vectors."""
        return multivariate_t.rvs(self.loc, self.shape_info, self.df, size, random_state, key=key)

    def entropy(self) -> Any:
        """Return the differential entropy."""
        return multivariate_t.entropy(self.loc, self.shape_info, self.df)

    def marginal(self, dimensions: Any) -> "MultivariateTFrozen":
        """Return the distribution of some of the components."""
        return multivariate_t.marginal(
            dimensions, self.loc, self.shape_info, self.df, self.allow_singular
        )
