"""Confidence intervals by the bootstrap.

B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall (1993), chapters 13
and 14.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...random import split
from ...solving._result import result
from ...special import ndtr, ndtri
from .._base._outcomes import ConfidenceInterval
from .._base._pvalues import direction
from .._base._warnings import tell_degenerate
from ._arguments import (
    check_statistic,
    fitting,
    pieces,
    plan_data,
    plan_random,
    positive,
    resampled,
)
from ._words import tuple_size, tuples

__all__ = ["BootstrapResult", "bootstrap"]

_METHODS = ("percentile", "basic", "bca")


@result
class BootstrapResult:
    """Hold what `bootstrap` found: confidence interval, distribution and standard error."""

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: Any
    standard_error: Any

    def __repr__(self) -> str:
        return (
            f"BootstrapResult(confidence_interval={self.confidence_interval!r}, "
            f"bootstrap_distribution={self.bootstrap_distribution!r}, "
            f"standard_error={self.standard_error!r})"
        )


def bootstrap(
    data: Sequence[Any],
    statistic: Callable[..., Any],
    *,
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    paired: bool = False,
    axis: int = 0,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "BCa",
    bootstrap_result: Any = None,
    key: Any = None,
    progress: bool | Callable[..., Any] = False,
    **other: Any,
) -> BootstrapResult:
    """Compute a confidence interval of a statistic by resampling with replacement.

    Parameters
    ----------
    data : sequence of array
        The samples. Dimensions other than `axis` broadcast; each is a batch.
    statistic : callable
        Takes the samples as separate arguments and returns the statistic of arrays with an
        argument `axis`, if `vectorized`, else of one-dimensional arrays.
    n_resamples : int, optional
        The number of resamples; 0 to read another interval of a `bootstrap_result`.
    batch : int, optional
        The number of resamples in a call of the statistic. Default: as many as suit the memory.
    vectorized : bool, optional
        Default: whether `statistic` has a parameter `axis`.
    paired : bool, optional
        Whether observations with the same index stay together.
    axis : int, optional
        The axis of the observations.
    confidence_level : float, optional
        In [0, 1].
    alternative : {'two-sided', 'less', 'greater'}, optional
        'less': no lower bound; 'greater': no upper bound.
    method : {'BCa', 'percentile', 'basic'}, optional
        Bias-corrected and accelerated; quantiles of the distribution; these, mirrored at the
        statistic.
    bootstrap_result : BootstrapResult, optional
        An earlier result of these data, to which resamples are added: with the same `key`, those
        that one call with all resamples makes.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`. Default: the seed 0.
    progress : bool or callable, optional
        True draws a bar; a function is called with ``(done, total, text)``.
    **other
        Nothing else is taken: SciPy's `rng` and `random_state` are refused in words.

    Returns
    -------
    BootstrapResult
        ``confidence_interval.low`` and ``high``, and ``standard_error``, of the statistic's shape;
        ``bootstrap_distribution``, whose last dimension are the resamples.

    Raises
    ------
    ArgumentError, ArrayTypeError, ShapeError
        If an option has another value, a sample has fewer than 2 observations, shapes don't
        broadcast, or paired samples differ in length.

    Warns
    -----
    DegenerateDataWarning
        If an interval is NaN, as of constant data by BCa.

    Notes
    -----
    Efron and Tibshirani (1993), sections 13.3 and 14.3. The numbers of a resample follow from the
    key and the resample's number alone: they are the same on all libraries and for each `batch`. A
    statistic that isn't vectorized is called for each resample on the host, and by
    `likewise.transforms.vmap` on JAX and on devices. Differentiable, if the statistic is.

    Differs from SciPy: `key` in place of `rng`, and the same result in each call without one.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import bootstrap
    >>> x = np.arange(20.0)
    >>> found = bootstrap((x,), np.mean, n_resamples=999, key=1)
    >>> low, high = found.confidence_interval
    >>> bool(6.5 < low < 8 and 11 < high < 12.5), round(float(found.standard_error), 1)
    (True, 1.3)
    """
    stat = check_statistic("bootstrap", statistic, vectorized)
    samples = plan_data("bootstrap", data, axis, least=2)
    n_resamples = positive("bootstrap", "n_resamples", n_resamples, 0)
    batch = None if batch is None else positive("bootstrap", "batch", batch)
    _check_options(samples, paired, confidence_level, bootstrap_result, n_resamples)
    method, alternative = str(method).lower(), str(alternative).lower()
    _plan.choice("bootstrap", "method", method, _METHODS)
    side = direction("bootstrap", alternative)
    key = plan_random("bootstrap", key, samples[0], other)
    xp = array_namespace(*samples)

    before = [] if bootstrap_result is None else [bootstrap_result.bootstrap_distribution]
    done = before[0].shape[-1] if before else 0
    keys = split(key, 1 if paired else len(samples))
    tables = [_of_all_tuples(x) for x in samples]

    each = sum(math.prod(x.shape) for x in samples)
    size = batch or fitting(samples[0], each, n_resamples)
    found = before
    for start, rows in pieces("bootstrap", n_resamples, size, progress):
        drawn = []
        for i, x in enumerate(samples):
            n = x.shape[-1]
            if i == 0 or not paired:
                chosen = tuples(keys[i, :], done + start, rows, n)
            drawn.append(_joined(tables[i], chosen)[..., :n])
        found.append(stat(*drawn))
    whole = found[0] if len(found) == 1 else xp.concat(found, axis=-1)
    (theta,) = _plan.common_floating("bootstrap", xp, ["the statistic"], whole, real=True)

    alpha = (1 - float(confidence_level)) / (1 if side else 2)
    if method == "bca":
        levels = _bca_levels(xp, stat, samples, paired, theta, alpha, batch)
    else:
        levels = xp.asarray([alpha, 1 - alpha], dtype=theta.dtype, device=device(theta))
        levels = xp.broadcast_to(levels, (*theta.shape[:-1], 2))
    low, high = _quantiles(xp, theta, levels)
    if is_concrete(low) and bool(xp.any(xp.isnan(low) | xp.isnan(high))):
        tell_degenerate(
            "bootstrap: The BCa confidence interval cannot be calculated, so it is NaN: the "
            "distribution is degenerate, or the statistic is NaN or a minimum"
        )
    if method == "basic":
        middle = 2 * xp.astype(stat(*samples), theta.dtype)
        low, high = middle - high, middle - low
    if side:
        low = xp.full_like(low, -math.inf) if side < 0 else low
        high = xp.full_like(high, math.inf) if side > 0 else high
    error = xp.std(theta, axis=-1, correction=1)
    interval = ConfidenceInterval(as_given(low), as_given(high))
    return BootstrapResult(interval, whole, as_given(error))


def _of_all_tuples(x: Any) -> Any:
    """Return the observations of each tuple of indices, shape (..., tuples, size)."""
    xp, size = array_namespace(x), tuple_size(x.shape[-1])
    *batch, n = x.shape
    parts = [
        xp.reshape(x, (*batch, *(n if j == i else 1 for j in range(size)))) for i in range(size)
    ]
    parts = [xp.broadcast_to(part, (*batch, *[n] * size)) for part in parts]
    return xp.reshape(xp.stack(parts, axis=-1), (*batch, n**size, size))


def _joined(table: Any, index: Any) -> Any:
    """Return tuples of each resample one behind the other, shape (..., rows, observations)."""
    rows, m = index.shape
    xp = array_namespace(table)
    found = xp.take(table, xp.reshape(index, (-1,)), axis=-2)
    return xp.reshape(found, (*table.shape[:-2], rows, m * table.shape[-1]))


def _check_options(
    samples: list[Any], paired: Any, confidence_level: Any, earlier: Any, n_resamples: int
) -> None:
    if not isinstance(paired, bool):
        raise ArgumentError(f"bootstrap: paired must be True or False, got {paired!r}")
    if paired and len({x.shape[-1] for x in samples}) > 1:
        sizes = " and ".join(str(x.shape[-1]) for x in samples)
        raise ArgumentError(
            "bootstrap: with paired=True, all samples must have the same length along axis, got "
            + sizes
        )
    if not 0 <= float(confidence_level) <= 1:
        raise ArgumentError(
            f"bootstrap: confidence_level must lie in [0, 1], got {confidence_level}"
        )
    if earlier is not None and not hasattr(earlier, "bootstrap_distribution"):
        raise ArgumentError(
            "bootstrap: bootstrap_result must have an attribute bootstrap_distribution, got "
            f"{type(earlier).__name__}"
        )
    if not n_resamples and (earlier is None or 0 in earlier.bootstrap_distribution.shape):
        raise ArgumentError(
            "bootstrap: n_resamples must be positive, or a bootstrap_result given, got 0"
        )


def _quantiles(xp: Any, x: Any, levels: Any) -> tuple[Any, Any]:
    """Return quantiles along the last axis by linear interpolation, at two levels a row."""
    n = x.shape[-1]
    good = ~(xp.isnan(levels) | xp.any(xp.isnan(x), axis=-1, keepdims=True))
    at = xp.where(good, levels, xp.zeros_like(levels)) * (n - 1)
    below = xp.floor(at)
    index = xp.astype(below, xp.int64)
    index = xp.concat([index, xp.minimum(index + 1, xp.full_like(index, n - 1))], axis=-1)
    found = xp.take_along_axis(xp.sort(x, axis=-1, stable=False), index, axis=-1)
    share = at - below
    value = (1 - share) * found[..., :2] + share * found[..., 2:]
    value = xp.where(good, value, xp.full_like(value, xp.nan))
    return value[..., 0], value[..., 1]


def _bca_levels(
    xp: Any,
    stat: Callable[..., Any],
    samples: list[Any],
    paired: bool,
    theta: Any,
    alpha: float,
    batch: int | None,
) -> Any:
    """Return the levels of the bias-corrected and accelerated interval, shape (..., 2)."""
    observed = xp.astype(stat(*samples), theta.dtype)[..., None]
    counts = xp.count_nonzero(theta < observed, axis=-1) + xp.count_nonzero(
        theta <= observed, axis=-1
    )
    bias = ndtri(xp.astype(counts, theta.dtype) / (2 * theta.shape[-1]))
    cubes, squares = [], []
    for j in range(1 if paired else len(samples)):
        u = xp.astype(_jackknife(stat, samples, None if paired else j, batch), theta.dtype)
        n = u.shape[-1]
        u = (n - 1) * (xp.mean(u, axis=-1, keepdims=True) - u) / n
        cubes.append(xp.sum(u**3, axis=-1))
        squares.append(xp.sum(u**2, axis=-1))
    add = functools.partial(functools.reduce, lambda a, b: a + b)
    spread = add(squares)
    none = spread == 0
    acceleration = xp.where(
        none,
        xp.full_like(spread, xp.nan),
        add(cubes) / (6 * xp.where(none, xp.ones_like(spread), spread) ** 1.5),
    )
    ends = ndtri(xp.asarray([alpha, 1 - alpha], dtype=theta.dtype, device=device(theta)))
    shifted = bias[..., None] + ends
    return ndtr(bias[..., None] + shifted / (1 - acceleration[..., None] * shifted))


def _jackknife(
    stat: Callable[..., Any], samples: list[Any], j: int | None, batch: int | None
) -> Any:
    """Return the statistic without each observation of one sample, or without each pair."""
    xp = array_namespace(*samples)
    x = samples[j or 0]
    n = x.shape[-1]
    places = xp.arange(n - 1, device=device(x))
    size = batch or fitting(x, sum(math.prod(s.shape) for s in samples), n)
    found = []
    for start, rows in pieces("bootstrap", n, size, False):
        left_out = xp.arange(start, start + rows, device=device(x))[:, None]
        index = places + xp.astype(places >= left_out, places.dtype)
        found.append(
            stat(
                *(
                    resampled(s, index)
                    if j is None or i == j
                    else xp.broadcast_to(s[..., None, :], (*s.shape[:-1], rows, s.shape[-1]))
                    for i, s in enumerate(samples)
                )
            )
        )
    return found[0] if len(found) == 1 else xp.concat(found, axis=-1)
