"""A test of whether data come from a family of distributions, all samples fitted at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of
from ...errors import ArgumentError, ArrayTypeError
from ...missing._axes import as_given
from ...special import betaincinv
from .._base._samples import samples as rows_of
from .._distributions._distribution import Distribution, Frozen
from .._resampling._arguments import plan_random, positive

__all__ = ["GoodnessOfFitResult", "goodness_of_fit"]


class GoodnessOfFitResult(NamedTuple):
    """Hold a goodness-of-fit test.

    Attributes
    ----------
    fit_result : Frozen
        The distribution with the parameters that fit the data.
    statistic, pvalue : array
        The statistic of the data, and the share of samples that have at least as large a one.
    null_distribution : array, shape (n_mc_samples,)
        The statistics of the samples.
    """

    fit_result: Frozen
    statistic: Any
    pvalue: Any
    null_distribution: Any


def goodness_of_fit(
    dist: Distribution,
    data: Any,
    *,
    known_params: dict[str, Any] | None = None,
    fit_params: dict[str, Any] | None = None,
    guessed_params: dict[str, Any] | None = None,
    statistic: str | Callable[..., Any] = "ad",
    n_mc_samples: int = 9999,
    key: Any = None,
    **other: Any,
) -> GoodnessOfFitResult:
    """Test if data come from a family of distributions, some of whose parameters are estimated.

    Parameters
    ----------
    dist : distribution
        A continuous distribution of `likewise.stats`.
    data : array, shape (n,)
        The observations, finite.
    known_params : dict, optional
        Values of parameters under the null hypothesis, by name.
    fit_params : dict, optional
        Values that other parameters have in the samples that are drawn, in place of estimates; they
        are estimated from each sample nevertheless.
    guessed_params : dict, optional
        Start values of estimates.
    statistic : {'ad', 'ks', 'cvm', 'filliben'} or callable, optional
        Anderson and Darling's, Kolmogorov and Smirnov's, Cramér and von Mises', or Filliben's
        correlation, of which small values speak against the null hypothesis; or a function
        ``(frozen distribution, samples, axis)`` of which large values do.
    n_mc_samples : int, optional
        The number of samples.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`. Default: the seed 0.
    **other
        Nothing else is taken: SciPy's `rng` and `random_state` are refused in words.

    Returns
    -------
    GoodnessOfFitResult
        ``fit_result, statistic, pvalue, null_distribution``.

    Raises
    ------
    ArgumentError, ArrayTypeError, ShapeError
        If an option has another value, names a parameter that the distribution hasn't, or data
        have another shape.

    Notes
    -----
    The samples are fitted in one call, by `fit` with an axis. Filliben's statistic is returned as
    the correlation, as in SciPy. Source: W. Stute et al., Bootstrap based goodness-of-fit tests,
    Metrika 40 (1993) 243.

    Differs from SciPy: `key`; ``fit_result`` is a frozen distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import goodness_of_fit, norm
    >>> x = np.asarray([1.0, 1.2, 2.3, 0.4, 1.7, 0.9, 1.4, 1.1])
    >>> found = goodness_of_fit(norm, x, statistic="ks", n_mc_samples=999, key=1)
    >>> bool(found.pvalue > 0.3)
    True
    """
    name = "goodness_of_fit"
    if not isinstance(dist, Distribution) or not hasattr(dist, "fit"):
        raise ArrayTypeError(f"{name}: dist must be a continuous distribution, got {dist!r}")
    names = [p.name for p in dist._every]
    known, chosen, guessed = (
        _of(name, option, given, names)
        for option, given in (
            ("known_params", known_params),
            ("fit_params", fit_params),
            ("guessed_params", guessed_params),
        )
    )
    n_mc_samples = positive(name, "n_mc_samples", n_mc_samples)
    if callable(statistic):
        measure = statistic
    else:
        _plan.choice(name, "statistic", statistic, tuple(_STATISTICS))
        measure = _STATISTICS[statistic]
    xp = array_namespace(data)
    (rows,), _ = rows_of(name, 0, "propagate", data=data)
    x = rows.x
    if x.ndim != 1:
        raise ArgumentError(f"{name}: data must have one dimension, got {x.ndim}")
    key = plan_random(name, key, x, other)

    family: Any = dist
    n = x.shape[0]
    # Of a normal distribution n - 1, as in Lilliefors' and others' tables.
    unbiased = (n / max(n - 1, 1)) ** 0.5 if dist.name == "norm" else None

    def fitted(samples: Any, held: dict[str, Any]) -> Frozen:
        """The distribution that fits each sample, with some parameters held."""
        if len(held) == len(names):
            return dist(**held)
        fixed = {("f" + k if k in ("loc", "scale") else f"fix_{k}"): v for k, v in held.items()}
        *found, scale = family.fit(samples, axis=-1, **guessed, **fixed)
        scale = scale if held or unbiased is None else scale * unbiased
        return dist(*(v[..., None] if samples.ndim > 1 else v for v in (*found, scale)))

    own, drawn = fitted(x, known), fitted(x, known | chosen)
    samples = drawn.rvs((n_mc_samples, x.shape[0]), key)
    samples = xp.astype(samples, x.dtype)
    with hooks_of(x).quiet():
        found = measure(own, x, axis=-1)
        null = measure(fitted(samples, known), samples, axis=-1)
    extreme = null >= found
    if statistic == "filliben":
        extreme = null <= found
    count = xp.sum(xp.astype(extreme, x.dtype))
    pvalue = (count + 1) / (n_mc_samples + 1)
    return GoodnessOfFitResult(drawn, as_given(found), as_given(pvalue), null)


def _of(function: str, option: str, given: Any, names: list[str]) -> dict[str, Any]:
    found = dict(given or {})
    for name in found:
        if name not in names:
            raise ArgumentError(
                f"{function}: {option} names {name!r}; the distribution has {', '.join(names)}"
            )
    return found


def _places(x: Any) -> Any:
    """1, 2 ... n along the last axis."""
    xp = array_namespace(x)
    return xp.arange(1, x.shape[-1] + 1, dtype=x.dtype, device=device(x))


def _anderson_darling(dist: Any, x: Any, axis: int) -> Any:
    xp = array_namespace(x)
    n = x.shape[-1]
    x = xp.sort(x, axis=-1, stable=False)
    terms = dist.logcdf(x) + xp.flip(dist.logsf(x), axis=-1)
    return -n - xp.sum((2 * _places(x) - 1) / n * terms, axis=-1)


def _kolmogorov_smirnov(dist: Any, x: Any, axis: int) -> Any:
    xp = array_namespace(x)
    n = x.shape[-1]
    p = dist.cdf(xp.sort(x, axis=-1, stable=False))
    place = _places(x)
    above, below = xp.max(place / n - p, axis=-1), xp.max(p - (place - 1) / n, axis=-1)
    return xp.maximum(above, below)


def _cramer_von_mises(dist: Any, x: Any, axis: int) -> Any:
    xp = array_namespace(x)
    n = x.shape[-1]
    p = dist.cdf(xp.sort(x, axis=-1, stable=False))
    return 1 / (12 * n) + xp.sum(((2 * _places(x) - 1) / (2 * n) - p) ** 2, axis=-1)


def _filliben(dist: Any, x: Any, axis: int) -> Any:
    """Correlation of ordered data with the distribution's quantiles at the medians of a uniform
    distribution's order statistics (J. J. Filliben, Technometrics 17 (1975) 111)."""
    xp = array_namespace(x)
    place = _places(x)
    middle = betaincinv(place, x.shape[-1] + 1 - place, 0.5)
    m, x = dist.ppf(middle), xp.sort(x, axis=-1, stable=False)
    m, x = (v - xp.mean(v, axis=-1, keepdims=True) for v in (m, x))
    squares = xp.sum(m * m, axis=-1) * xp.sum(x * x, axis=-1)
    return xp.sum(m * x, axis=-1) / xp.sqrt(squares)


_STATISTICS: dict[str, Callable[..., Any]] = {
    "ad": _anderson_darling,
    "ks": _kolmogorov_smirnov,
    "cvm": _cramer_von_mises,
    "filliben": _filliben,
}
