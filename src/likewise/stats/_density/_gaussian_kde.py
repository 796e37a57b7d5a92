"""Kernel density estimation with Gaussian kernels."""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan, random
from ..._namespace import array_namespace, device, hooks_of, is_neutral
from ...errors import ArgumentError, ArrayTypeError, LinAlgError, ShapeError
from ...missing import searchsorted
from ...random._keys import split_in_two
from ...solving._following import followed
from ...special import ndtr
from ...transforms import register_tree, tree_map
from .._multivariate._normal_cdf import probability
from ._kernels import Kernel, cholesky_of, kernel_of, spread, summed

__all__ = ["gaussian_kde"]

_NAME = "gaussian_kde"
_SINGULAR = (
    f"{_NAME}: The data appears to lie in a lower-dimensional subspace of the space in which it is "
    "expressed, or isn't finite: its covariance isn't positive definite. Leave dimensions out, or "
    "project the data on its principal components first"
)


class _Made(NamedTuple):
    """Hold what the data alone determine, whatever the bandwidth."""

    mean: Any  # (..., d, 1)
    off: Any  # (..., d, n), data less their mean
    factor: Any  # (..., d, d), of their covariance


class _Ready(NamedTuple):
    """Hold what evaluates."""

    mean: Any
    kernel: Kernel  # whose norm has the weight of a point, where all are equal
    white: Any  # (..., d, n), whitened data
    weights: Any  # (..., n), or None


class gaussian_kde:
    """Estimate a density from data, as a mean of Gaussians around them.

    Parameters
    ----------
    dataset : array, shape (n,) or (..., d, n)
        Points as columns. Leading dimensions are a batch: an estimate for each data set.
    bw_method : {'scott', 'silverman'}, float, array of shape (...), or callable, optional
        The bandwidth's factor, or its rule (default 'scott'). A callable takes this object.
    weights : array, shape (n,) or (..., n), optional
        Weights of the points, scaled to a sum of one. Default: equal ones.

    Attributes
    ----------
    dataset : array, shape (..., d, n)
    d, n : int
    weights : array, shape (..., n)
    neff : float or array, shape (...)
        The effective number of points, ``1 / sum(weights^2)``.
    factor : float or array, shape (...)
        The bandwidth in units of the data's standard deviations.
    covariance, inv_cov, cho_cov : array, shape (..., d, d)
        The covariance of the kernels, its inverse, and its lower Cholesky factor.
    log_det : array, shape (...)
        The logarithm of the determinant of ``2 pi covariance``.

    Raises
    ------
    ShapeError, ArgumentError
        If there is one number only, there are more dimensions than points, shapes don't fit, or
        `bw_method` is no rule.
    LinAlgError
        If the covariance of one data set isn't positive definite, where values can be read; in a
        batch, that estimate is NaN.

    Notes
    -----
    D. W. Scott, Multivariate Density Estimation (1992), chapter 6; the rules are
    ``neff^(-1/(d+4))`` and ``(neff (d+2) / 4)^(-1/(d+4))``. O(m n d) operations for m points, in
    blocks that fit a core's cache; on other devices and in transforms, in blocks that fit memory.
    Distances are differences of coordinates: data far from each other lose digits by their distance
    in bandwidths, not by its square.

    A tree of arrays (`likewise.transforms.register_tree`) of dataset, weights and factor:
    transforms take and return it. Differentiable in data, weights, bandwidth and points; a
    derivative by reverse mode keeps all m n kernels.

    Differs from SciPy: data sets at once; float32 weights stay float32; `resample` takes a key;
    `integrate_box` in more than one dimension isn't random.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import gaussian_kde
    >>> estimate = gaussian_kde(np.asarray([-7.0, -5.0, 1.0, 4.0, 5.0]))
    >>> print(estimate(np.asarray([0.0, 4.0])).round(4))
    [0.054  0.0574]
    """

    _weights: Any = None
    _made: _Made | None = None
    _ready: _Ready | None = None
    factor: Any

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        xp = array_namespace(dataset, weights)
        given = (dataset,) if weights is None else (dataset, weights)
        x, *rest = followed(
            xp,
            _plan.common_floating(
                _NAME, xp, ("dataset", "weights")[: len(given)], *given, real=True
            ),
        )
        x = xp.reshape(x, (1, -1)) if x.ndim < 2 else x
        self.dataset, self.d, self.n = x, *map(int, x.shape[-2:])
        if self.d * self.n < 2:
            raise ArgumentError(f"{_NAME}: `dataset` input should have multiple elements")
        if self.d > self.n:
            raise ShapeError(
                f"{_NAME}: Number of dimensions is greater than number of samples: dataset has "
                f"shape {tuple(x.shape)}. Each column is a point; transpose it with "
                "xp.matrix_transpose(dataset) if its rows are"
            )
        if rest:
            self._weights = self._checked(rest[0])
        self.set_bandwidth(bw_method)

    def _checked(self, w: Any) -> Any:
        if w.ndim == 0 or w.shape[-1] != self.n:
            raise ShapeError(
                f"{_NAME}: `weights` input should be of length n={self.n}, got shape "
                f"{tuple(w.shape)}"
            )
        self._batch(w)
        return w / array_namespace(w).sum(w, axis=-1, keepdims=True)

    def _batch(self, w: Any) -> tuple[int, ...]:
        leads = {} if w is None else {"weights": tuple(w.shape[:-1])}
        return _plan.broadcast(_NAME, dataset=tuple(self.dataset.shape[:-2]), **leads)

    @property
    def weights(self) -> Any:
        """The weights, whose sum is one."""
        if self._weights is None:
            x = self.dataset
            xp = array_namespace(x)
            return xp.full((self.n,), 1 / self.n, dtype=x.dtype, device=device(x))
        return self._weights

    @property
    def neff(self) -> Any:
        """The effective number of points."""
        if self._weights is None:
            return float(self.n)
        return 1 / array_namespace(self._weights).sum(self._weights * self._weights, axis=-1)

    def scotts_factor(self) -> Any:
        """Return the factor by Scott's rule."""
        return self.neff ** (-1 / (self.d + 4))

    def silverman_factor(self) -> Any:
        """Return the factor by Silverman's rule."""
        return (self.neff * (self.d + 2) / 4) ** (-1 / (self.d + 4))

    def covariance_factor(self) -> Any:
        """Return the factor by the current rule, Scott's at first."""
        return self.scotts_factor()

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Set the bandwidth of following calls; None computes it again by the current rule.

        Parameters
        ----------
        bw_method : optional
            As for the class.
        """
        rule: Callable[[], Any] | None = None
        if isinstance(bw_method, str):
            _plan.choice(_NAME, "bw_method", bw_method, ("scott", "silverman"))
            rule = self.scotts_factor if bw_method == "scott" else self.silverman_factor
        elif callable(bw_method):
            rule = functools.partial(bw_method, self)
        elif bw_method is not None:
            rule = functools.partial(_same, self._width(bw_method))
        if rule is not None:
            self.covariance_factor = rule  # type: ignore[method-assign]
        self._compute_covariance()

    def _width(self, factor: Any) -> Any:
        """Return a factor as a number or an array of the data's dtype."""
        if is_neutral(factor):
            factor = factor.item() if hasattr(factor, "item") else factor
            if not isinstance(factor, int | float) or isinstance(factor, bool) or not factor > 0:
                raise ArgumentError(
                    f"{_NAME}: `bw_method` should be 'scott', 'silverman', a number above 0, or a "
                    f"callable, got {factor!r}"
                )
            return float(factor)
        xp = array_namespace(self.dataset, factor)
        return xp.astype(factor, self.dataset.dtype, copy=False)

    def _compute_covariance(self) -> None:
        self.factor = self._width(self.covariance_factor())
        self._made = self._of_data()
        if hasattr(self.factor, "dtype"):  # which a transform may follow, and not the data
            xp = array_namespace(self.factor, self.dataset)
            held = (self.dataset, self._weights, self._made)
            self.dataset, self._weights, self._made = followed(xp, held)
        self._ready = self._evaluator(self._made)

    def _of_data(self) -> _Made:
        if self._made is not None:
            return self._made
        x, w = self.dataset, self._weights
        xp = array_namespace(x)
        if w is None:
            mean = xp.sum(x, axis=-1, keepdims=True) / self.n
            off = x - mean
            cov = xp.matmul(off, xp.matrix_transpose(off)) / (self.n - 1)
        else:
            some = w[..., None, :]
            mean = xp.sum(x * some, axis=-1, keepdims=True)
            off = x - mean
            cov = xp.matmul(off * some, xp.matrix_transpose(off))
            cov = cov / (1 - xp.sum(some * some, axis=-1, keepdims=True))
        try:
            return _Made(mean, off, cholesky_of(cov))
        except (LinAlgError, ArgumentError) as error:
            raise hooks_of(x).linalg_error(_SINGULAR) from error

    def _evaluator(self, made: _Made) -> _Ready:
        kernel = kernel_of(made.factor, self.factor)
        if self._weights is None:
            norm = kernel.log_norm - math.log(self.n)
            kernel = kernel._replace(log_norm=norm)
        return _Ready(made.mean, kernel, kernel.whitened(made.off), self._weights)

    @property
    def cho_cov(self) -> Any:
        """The lower Cholesky factor of the covariance."""
        return spread(self.factor, 2) * self._of_data().factor

    @property
    def covariance(self) -> Any:
        """The covariance of the kernels."""
        factor = self.cho_cov
        xp = array_namespace(factor)
        return xp.matmul(factor, xp.matrix_transpose(factor))

    @property
    def inv_cov(self) -> Any:
        """The inverse of the covariance."""
        found = kernel_of(self._of_data().factor, self.factor).whitening
        xp = array_namespace(found)
        return 2 * xp.matmul(xp.matrix_transpose(found), found)

    @property
    def log_det(self) -> Any:
        """The logarithm of the determinant of ``2 pi covariance``."""
        return -2 * kernel_of(self._of_data().factor, self.factor).log_norm

    def _evaluated(self, function: str, points: Any, log: bool) -> Any:
        xp = array_namespace(self.dataset, points)
        if is_neutral(points) and not isinstance(points, list | tuple):
            points = [points]
        x, p = _plan.common_floating(
            f"{_NAME}.{function}", xp, ("dataset", "points"), self.dataset, points, real=True
        )
        if p.ndim < 2:
            p = xp.reshape(p, (self.d, 1) if p.shape == (self.d,) and self.d > 1 else (1, -1))
        if p.shape[-2:] == (1, self.d):
            p = xp.matrix_transpose(p)
        if p.shape[-2] != self.d:
            raise ShapeError(
                f"{_NAME}.{function}: points have dimension {p.shape[-2]}, dataset has dimension "
                f"{self.d}: points must have shape ({self.d}, m), got {tuple(p.shape)}"
            )
        ready = self._ready or self._evaluator(self._of_data())
        if x.dtype != self.dataset.dtype:
            ready = tree_map(lambda a: xp.astype(a, p.dtype), ready)
        if type(x) is not type(self.dataset):  # NumPy's data, and points in blocks of Dask's
            ready = tree_map(xp.asarray, ready)
        p, (mean, kernel, white, weights) = followed(xp, (p, ready))
        return summed(kernel, kernel.whitened(p - mean), white, weights, log)

    def evaluate(self, points: Any) -> Any:
        """Return the density at points.

        Parameters
        ----------
        points : array, shape (..., d, m)
            Points as columns; also (m,) if d is 1, and (d,) for one point.

        Returns
        -------
        array, shape (..., m)

        Raises
        ------
        ShapeError
            If points have another dimension than the data.
        """
        return self._evaluated("evaluate", points, False)

    __call__ = evaluate

    def pdf(self, x: Any) -> Any:
        """Return the density at points, as `evaluate`."""
        return self._evaluated("pdf", x, False)

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at points, where the density underflows, too."""
        return self._evaluated("logpdf", x, True)

    def _arrays(self, function: str, names: tuple[str, ...], *given: Any) -> list[Any]:
        xp = array_namespace(self.dataset, *given)
        names = ("dataset", *names)
        _, *found = _plan.common_floating(
            f"{_NAME}.{function}", xp, names, self.dataset, *given, real=True
        )
        return list(followed(xp, found))

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        """Return the integral of the product with a Gaussian density over all space.

        Parameters
        ----------
        mean : array, shape (..., d)
            A number if d is 1.
        cov : array, shape (..., d, d)
            A number if d is 1.

        Returns
        -------
        float or array, shape (...)

        Raises
        ------
        ShapeError
            If the Gaussian has another dimension.
        LinAlgError
            If the sum of its covariance and the kernels' isn't positive definite.
        """
        mean, cov = self._arrays("integrate_gaussian", ("mean", "cov"), mean, cov)
        mean = mean[None] if mean.ndim == 0 else mean
        cov = cov[(None,) * (2 - cov.ndim)] if cov.ndim < 2 else cov
        if mean.shape[-1] != self.d:
            raise ShapeError(
                f"{_NAME}.integrate_gaussian: mean does not have dimension {self.d}: got shape "
                f"{tuple(mean.shape)}"
            )
        if tuple(cov.shape[-2:]) != (self.d, self.d):
            raise ShapeError(
                f"{_NAME}.integrate_gaussian: covariance does not have dimension {self.d}: cov has "
                f"shape {tuple(cov.shape)}"
            )
        kernel = kernel_of(cholesky_of(self.covariance + cov))
        white = kernel.whitened(self.dataset - mean[..., None])
        return summed(kernel, white[..., :1] * 0, white, self.weights)[..., 0]

    def integrate_kde(self, other: Any) -> Any:
        """Return the integral of the product with another estimate over all space.

        Parameters
        ----------
        other : gaussian_kde
            Of the same dimension.

        Returns
        -------
        float or array, shape (...)

        Raises
        ------
        ShapeError
            If the dimensions differ.
        """
        if not isinstance(other, gaussian_kde):
            raise ArrayTypeError(
                f"{_NAME}.integrate_kde: other must be a gaussian_kde, got {type(other).__name__}"
            )
        if other.d != self.d:
            raise ShapeError(
                f"{_NAME}.integrate_kde: KDEs are not the same dimensionality: {self.d} and "
                f"{other.d}"
            )
        xp = array_namespace(self.dataset, other.dataset)
        few, many = (other, self) if other.n < self.n else (self, other)
        kernel = kernel_of(cholesky_of(few.covariance + many.covariance))
        origin = many._of_data().mean
        p, white = (kernel.whitened(k.dataset - origin) for k in (few, many))
        return xp.sum(summed(kernel, p, white, many.weights) * few.weights, axis=-1)

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """Return the probability of an interval, in one dimension.

        Parameters
        ----------
        low, high : float or array, shape (...)
            The bounds.

        Returns
        -------
        float or array, shape (...)

        Raises
        ------
        ShapeError
            If the estimate has more dimensions.
        """
        if self.d != 1:
            raise ShapeError(f"{_NAME}.integrate_box_1d: integrate_box_1d() only handles 1D pdfs")
        low, high = self._arrays("integrate_box_1d", ("low", "high"), low, high)
        xp = array_namespace(low)
        x, width = self.dataset[..., 0, :], self.cho_cov[..., 0]
        part = ndtr((high[..., None] - x) / width) - ndtr((low[..., None] - x) / width)
        return xp.sum(part * self.weights, axis=-1)

    def integrate_box(
        self,
        low_bounds: Any,
        high_bounds: Any,
        maxpts: int | None = None,
        *,
        rng: Any = None,
        key: Any = None,
    ) -> Any:
        """Return the probability of a box.

        Parameters
        ----------
        low_bounds, high_bounds : array, shape (..., d)
            The bounds, which may be infinite; numbers are the bounds of all dimensions.
        maxpts : int, optional
            As for `multivariate_normal.cdf`, from four dimensions on, as `key`.

        Returns
        -------
        float or array, shape (...)

        Raises
        ------
        ShapeError, ArgumentError
            If the bounds don't have d elements, or there is an `rng`.

        Notes
        -----
        Genz's methods: one-dimensional quadrature up to three dimensions, lattices of points for
        more.
        """
        function = f"{_NAME}.integrate_box"
        if rng is not None:
            raise ArgumentError(
                f"{function}: rng is not used; points from four dimensions on are shifted by "
                "key=likewise.random.key(seed)"
            )
        low, high = self._arrays(
            "integrate_box", ("low_bounds", "high_bounds"), low_bounds, high_bounds
        )
        for name, x in (("low_bounds", low), ("high_bounds", high)):
            if x.ndim and x.shape[-1] not in (1, self.d):
                raise ShapeError(
                    f"{function}: {name} must have {self.d} elements, got shape {tuple(x.shape)}"
                )
        if self.d == 1:
            low, high = (x[..., 0] if x.ndim else x for x in (low, high))
            return self.integrate_box_1d(low, high)
        xp = array_namespace(low)
        x = xp.matrix_transpose(self.dataset)
        low, high = (x * 0 + (b[..., None, :] if b.ndim else b) for b in (low, high))
        cov = self.covariance[..., None, :, :]
        points = 1_000_000 * self.d if maxpts is None else maxpts
        part = probability(xp, high - x, low - x, cov, points, 1e-5, key)
        return xp.sum(part * self.weights, axis=-1)

    def resample(self, size: Any = None, seed: Any = None, *, key: Any = None) -> Any:
        """Draw points from the estimate.

        Parameters
        ----------
        size : int, optional
            The number of points. Default: the whole part of `neff`.
        key : array, shape (2,), or int
            A key (`likewise.random.key`), or its seed; the same one gives the same points on all
            libraries.

        Returns
        -------
        array, shape (..., d, size)
            Differentiable in data and bandwidth, not in weights.

        Raises
        ------
        ArgumentError
            If there is no key, or a `seed`.
        """
        function = f"{_NAME}.resample"
        if seed is not None or key is None:
            raise ArgumentError(
                f"{function}: numbers are drawn from a key: write key=likewise.random.key(seed) in "
                "place of seed"
            )
        x = self.dataset
        xp = array_namespace(x)
        if size is None:
            size = self.n if self._weights is None else xp.min(self.neff)
        batch = self._batch(self._weights)
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            key = random.key(key.__index__(), like=x)
        first, second = split_in_two(key)
        z = random.normal(first, (*batch, self.d, int(size)), dtype=x.dtype, like=x)
        shape = (*batch, int(size))
        if self._weights is None:
            at = random.integers(second, shape, 0, self.n, like=x)
        else:
            u = random.uniform(second, shape, dtype=x.dtype, like=x)
            total = xp.cumulative_sum(self._weights, axis=-1)
            at = searchsorted(total, u * total[..., -1:], side="right")
            at = xp.clip(at, 0, self.n - 1)
        at = xp.broadcast_to(at[..., None, :], (*batch, self.d, int(size)))
        centres = xp.take_along_axis(xp.broadcast_to(x, (*batch, self.d, self.n)), at, axis=-1)
        return centres + xp.matmul(self.cho_cov, z)

    def marginal(self, dimensions: Any) -> Any:
        """Return the estimate of some dimensions, the others integrated out.

        Parameters
        ----------
        dimensions : int or sequence of int
            The dimensions to keep; negative ones count from the end.

        Returns
        -------
        gaussian_kde
            With the same bandwidth factor.

        Raises
        ------
        ArgumentError
            If they aren't integers, occur twice or don't exist.
        """
        function = f"{_NAME}.marginal"
        given = dimensions if getattr(dimensions, "ndim", 1) else [dimensions]
        given = [given] if isinstance(given, int) else list(given)
        try:
            numbers = [operator.index(k) for k in given]
        except TypeError:
            raise ArgumentError(
                f"{function}: Elements of `dimensions` must be integers, got {dimensions!r}"
            ) from None
        kept = [k + self.d if k < 0 else k for k in numbers]
        if len(set(kept)) < len(kept):
            raise ArgumentError(
                f"{function}: All elements of `dimensions` must be unique, got {numbers}"
            )
        wrong = [k for k, there in zip(numbers, kept, strict=True) if not 0 <= there < self.d]
        if wrong or not kept:
            raise ArgumentError(
                f"{function}: Dimensions {wrong} are invalid for a distribution in {self.d} "
                "dimensions"
            )
        xp = array_namespace(self.dataset)
        rows = xp.stack([self.dataset[..., k, :] for k in kept], axis=-2)
        return gaussian_kde(rows, bw_method=self.factor, weights=self._weights)


def _same(factor: Any) -> Any:
    return factor


def _flatten(k: gaussian_kde) -> tuple[tuple[Any, ...], Any]:
    return (k.dataset, k._weights, k.factor), (type(k), k.d, k.n)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> gaussian_kde:
    cls, d, n = fixed
    made = object.__new__(cls)
    made.d, made.n = d, n
    made.dataset, made._weights, made.factor = leaves
    made.covariance_factor = functools.partial(_same, made.factor)
    return made


register_tree(gaussian_kde, _flatten, _unflatten)
