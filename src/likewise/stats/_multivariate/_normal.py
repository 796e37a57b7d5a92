"""The multivariate normal distribution."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native
from ...errors import ShapeError
from ...missing._axes import as_given
from ...random import normal
from ._covariance import Covariance, of_matrix
from ._drawing import keyed, lead, refuse, squeezed
from ._normal_cdf import probability
from ._normal_far import log_probability
from ._placed import Placed, kept, located, placed

__all__ = [
    "LOG_TAU",
    "MultivariateNormalFrozen",
    "finished",
    "leading",
    "multivariate_normal",
    "normal_log_density",
    "picked",
]

LOG_TAU = math.log(2 * math.pi)


def normal_log_density(p: Placed) -> Any:
    """Return the logarithm of the normal density at the points of a call."""
    off = p.off(p.x)
    return _density(off, p.form, *p.asked) if p.held is None else _of_form(off, p.held)


def _of_form(off: Any, cov: Covariance) -> Any:
    out = -0.5 * (cov.squares(off) + (cov.rank * LOG_TAU + cov.log_pdet))
    inside = cov.inside(off)
    xp = array_namespace(out)
    return out if inside is None else xp.where(inside, out, -xp.inf)


def _one(off: Any, cov: Any, *args: Any) -> bool:
    """one matrix with elements, and rows of points."""
    return cov.ndim == 2 and off.ndim == 2 and 0 not in off.shape


def _in_blocks(off: Any, cov: Any, *args: Any) -> Lines:
    return batches({0: (off, 1), 1: (cov, 2)}, ((), off.dtype))


@native(numpy="likewise._libs.numpy._lapack:normal_log_density", when=_one, blocks=_in_blocks)
def _density(off: Any, cov: Any, function: str, name: str, singular: bool | None) -> Any:
    return _of_form(off, of_matrix(function, name, cov, singular))


def finished(p: Placed, out: Any) -> Any:
    """Return results in SciPy's shape: of one set of parameters, without dimensions of 1."""
    return squeezed(p.xp, out) if p.single else as_given(out)


class MultivariateNormal:
    """A multivariate normal random variable.

    Called, it returns the distribution with its parameters fixed, which has the same methods
    without them.

    Parameters
    ----------
    mean : array, shape (..., d), optional
        The means; None is 0.
    cov : array, shape (..., d, d), or Covariance, optional
        The covariances, of which the lower triangles are read. A number is its multiple of the
        identity, a vector a diagonal.
    allow_singular : bool, optional
        Whether `cov` may be singular: the density is then that on its range.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If one `cov`, whose values can be read, isn't positive semidefinite or finite.
    LinAlgError
        If it is singular, by SciPy's threshold, and `allow_singular` is False.

    Notes
    -----
    The density is computed from Cholesky's factor: O(d^3), and O(d^2) a point. Where a matrix is
    singular, or may be (`allow_singular` with a batch, or with values that can't be read), from
    eigenvalues. Differentiable in points, means and covariances (the lower triangles); with
    eigenvalues, where they differ.

    `cdf` is exact to 1e-15 in one and two dimensions, to 1e-14 in three unless the matrix is nearly
    singular, and from four on an estimate with an error below `abseps` (see the methods): A. Genz,
    Statistics and Computing 14 (2004) 251-260, and J. Comput. Graph. Stat. 1 (1992) 141-149.

    Differs from SciPy: leading dimensions of parameters are a batch, which broadcasts with the
    points'; in a batch, or where values can't be read, a matrix that isn't positive definite gives
    NaN, and no error. `rvs` takes `key`. The log of a negative probability is NaN, where SciPy's is
    complex.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import multivariate_normal
    >>> float(multivariate_normal.cdf(np.zeros(2), cov=[[1.0, 0.5], [0.5, 1.0]]).round(12))
    0.333333333333
    """

    def __call__(
        self,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        seed: Any = None,
        **options: Any,
    ) -> "MultivariateNormalFrozen":
        """Return the distribution with these parameters."""
        return MultivariateNormalFrozen(mean, cov, allow_singular, seed, **options)

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """Return the logarithm of the density at points (..., d)."""
        p, _ = placed("multivariate_normal.logpdf", mean, cov, x, allow_singular)
        return finished(p, normal_log_density(p))

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """Return the density at points (..., d)."""
        p, _ = placed("multivariate_normal.pdf", mean, cov, x, allow_singular)
        return finished(p, p.xp.exp(normal_log_density(p)))

    def cdf(
        self,
        x: Any,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        maxpts: int | None = None,
        abseps: float = 1e-5,
        releps: float = 1e-5,
        *,
        lower_limit: Any = None,
        rng: Any = None,
        key: Any = None,
    ) -> Any:
        """Return the probability of components between `lower_limit` (else -inf) and `x`.

        Negative where an odd number of limits are in the wrong order. `maxpts`, default
        1,000,000 d, and `abseps` bound the points and the error from four dimensions on; `releps`
        is not used, as in SciPy. `key` shifts the lattices of points: the result is the same in
        each call with the same key, and without one.
        """
        refuse("multivariate_normal.cdf", rng=rng)
        p, _ = placed("multivariate_normal.cdf", mean, cov, x, allow_singular)
        high = p.off(p.x)
        low = None if lower_limit is None else located("multivariate_normal.cdf", p, lower_limit)
        most = maxpts or 1_000_000 * p.dim
        return finished(p, probability(p.xp, high, low, p.cov.covariance, most, abseps, key))

    def logcdf(
        self,
        x: Any,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        maxpts: int | None = None,
        abseps: float = 1e-5,
        releps: float = 1e-5,
        *,
        lower_limit: Any = None,
        rng: Any = None,
        key: Any = None,
    ) -> Any:
        """Return the logarithm of `cdf`; NaN where that is negative.

        Without `lower_limit`, where `cdf` has lost its digits or is 0, it is computed in
        logarithms: to about 1e-8 of its own in up to three dimensions, to 1e-3 in more.
        """
        found = self.cdf(
            x, mean, cov, allow_singular, maxpts, abseps, lower_limit=lower_limit, rng=rng, key=key
        )
        xp = array_namespace(found)
        with quiet(found):
            if lower_limit is not None:
                return as_given(xp.log(found))
            p, _ = placed("multivariate_normal.logcdf", mean, cov, x, allow_singular)
            most = abseps if p.dim > 3 else 1e-14
            far = found < most if p.dim > 1 else found >= 0
            if is_concrete(far) and not bool(xp.any(far)):
                return as_given(xp.log(found))
            log = finished(p, log_probability(xp, p.off(p.x), p.cov.covariance))
            return as_given(xp.where(far, log, xp.log(xp.where(far, 1.0, found))))

    def rvs(
        self,
        mean: Any = None,
        cov: Any = 1,
        size: Any = 1,
        random_state: Any = None,
        *,
        key: Any = None,
    ) -> Any:
        """Return vectors, shape `size` + (d,), the mean and a linear function of normal numbers.

        `size` is the shape to which leading dimensions of parameters broadcast; 1 is one vector for
        each set. Equal on all libraries; differentiable in the mean and in `cov`.
        """
        function = "multivariate_normal.rvs"
        p, _ = placed(function, mean, cov, None, None)
        given = () if p.loc is None else (p.loc,)
        own = p.cov.log_pdet
        xp, key, _, dtype = keyed(function, key, random_state, *given, own)
        batch = leading(p)
        z = normal(key, (*lead(function, size, batch), p.dim), dtype, like=own)
        out = p.cov._colorize(z)
        out = out if p.loc is None else out + p.loc
        return squeezed(xp, out) if not batch else out

    def entropy(self, mean: Any = None, cov: Any = 1) -> Any:
        """Return the differential entropy."""
        p, _ = placed("multivariate_normal.entropy", mean, cov)
        return as_given(0.5 * (p.cov.rank * (LOG_TAU + 1) + p.cov.log_pdet))

    def marginal(
        self, dimensions: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False
    ) -> "MultivariateNormalFrozen":
        """Return the distribution of some of the components, given by their indices."""
        p, _ = placed("multivariate_normal.marginal", mean, cov, None, allow_singular)
        some = kept("multivariate_normal.marginal", dimensions, p.dim)
        mean, cov = picked(p, some)
        return MultivariateNormalFrozen(mean, cov, allow_singular)

    def fit(self, x: Any, fix_mean: Any = None, fix_cov: Any = None) -> tuple[Any, Any]:
        """Return the maximum-likelihood mean (..., d) and covariance of rows (..., n, d).

        A fixed mean or covariance is returned as it is.
        """
        function = "multivariate_normal.fit"
        given = {"x": x, "fix_mean": fix_mean, "fix_cov": fix_cov}
        given = {name: v for name, v in given.items() if v is not None}
        xp = array_namespace(*given.values())
        found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
        by_name = dict(zip(given, found, strict=True))
        x, mean, cov = (by_name.get(n) for n in ("x", "fix_mean", "fix_cov"))
        if x.ndim < 2:
            raise ShapeError(
                f"{function}: x must be two-dimensional, (n, d), or a batch of such, got shape "
                f"{tuple(x.shape)}"
            )
        d = x.shape[-1]
        if mean is None:
            mean = xp.mean(x, axis=-2)
        else:
            mean = xp.reshape(mean, (1,)) if mean.ndim == 0 else mean
            if mean.shape[-1] != d or mean.ndim != 1:
                raise ShapeError(
                    f"{function}: fix_mean must be a one-dimensional array the same length as the "
                    f"dimensionality of x, {d}, got shape {tuple(mean.shape)}"
                )
        if cov is None:
            off = x - mean[..., None, :]
            return mean, xp.matmul(xp.matrix_transpose(off), off) / x.shape[-2]
        cov = xp.reshape(cov, (1, -1)) if cov.ndim < 2 else cov
        if tuple(cov.shape) != (d, d):
            raise ShapeError(
                f"{function}: fix_cov must be a two-dimensional square array of the side {d}, got "
                f"shape {tuple(cov.shape)}"
            )
        of_matrix(function, "fix_cov", cov, None)
        return mean, cov


multivariate_normal = MultivariateNormal()


def leading(p: Placed, *others: Any) -> tuple[int, ...]:
    """Return the leading dimensions of the parameters of a call."""
    batch = p.cov.shape[:-2]
    loc = () if p.loc is None else tuple(p.loc.shape[:-1])
    more = {f"parameter {i}": tuple(v.shape) for i, v in enumerate(others)}
    return _plan.broadcast(p.asked[0], **{p.asked[1]: tuple(batch)}, location=loc, **more)


def picked(p: Placed, some: list[int]) -> tuple[Any, Any]:
    """Return the location and the matrix of some components."""
    loc, cov, xp = p.where_it_is(), p.cov.covariance, p.xp
    index = xp.asarray(some, device=device(cov))
    return xp.take(loc, index, axis=-1), xp.take(xp.take(cov, index, axis=-1), index, axis=-2)


class MultivariateNormalFrozen:
    """A multivariate normal distribution with its parameters; see `multivariate_normal`."""

    def __init__(
        self,
        mean: Any = None,
        cov: Any = 1,
        allow_singular: bool = False,
        seed: Any = None,
        maxpts: int | None = None,
        abseps: float = 1e-5,
        releps: float = 1e-5,
    ) -> None:
        refuse("multivariate_normal", seed=seed)
        p, _ = placed("multivariate_normal", mean, cov, None, allow_singular)
        self.dim, self.mean, self.cov_object = p.dim, p.where_it_is(), p.cov
        self.allow_singular = allow_singular or p.cov.allow_singular
        self.maxpts, self.abseps, self.releps = maxpts or 1_000_000 * p.dim, abseps, releps

    @property
    def cov(self) -> Any:
        """The covariance matrix."""
        return self.cov_object.covariance

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density."""
        return multivariate_normal.logpdf(x, self.mean, self.cov_object)

    def pdf(self, x: Any) -> Any:
        """Return the density."""
        return multivariate_normal.pdf(x, self.mean, self.cov_object)

    def cdf(self, x: Any, *, lower_limit: Any = None, rng: Any = None, key: Any = None) -> Any:
        """Return the probability of components between `lower_limit` and `x`."""
        return multivariate_normal.cdf(
            x,
            self.mean,
            self.cov_object,
            maxpts=self.maxpts,
            abseps=self.abseps,
            lower_limit=lower_limit,
            rng=rng,
            key=key,
        )

    def logcdf(self, x: Any, *, lower_limit: Any = None, rng: Any = None, key: Any = None) -> Any:
        """Return the logarithm of `cdf`."""
        return multivariate_normal.logcdf(
            x,
            self.mean,
            self.cov_object,
            maxpts=self.maxpts,
            abseps=self.abseps,
            lower_limit=lower_limit,
            rng=rng,
            key=key,
        )

    def rvs(self, size: Any = 1, random_state: Any = None, *, key: Any = None) -> Any:
        """Return vectors."""
        return multivariate_normal.rvs(self.mean, self.cov_object, size, random_state, key=key)

    def entropy(self) -> Any:
        """Return the differential entropy."""
        return multivariate_normal.entropy(self.mean, self.cov_object)

    def marginal(self, dimensions: Any) -> "MultivariateNormalFrozen":
        """Return the distribution of some of the components."""
        return multivariate_normal.marginal(
            dimensions, self.mean, self.cov_object, self.allow_singular
        )
