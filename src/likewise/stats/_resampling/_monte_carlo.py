"""Tests and power by random samples of the user's."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, describe, is_concrete, is_neutral
from ...errors import ArgumentError, ArrayTypeError
from ...interop import asarray
from ...missing._axes import as_given, numeric
from ...random import fold_in
from ...solving._result import result
from .._base._pvalues import direction
from ._arguments import (
    check_statistic,
    pieces,
    plan_data,
    plan_random,
    positive,
    vectorizable,
)
from ._permutation import tail_shares

__all__ = ["MonteCarloTestResult", "PowerResult", "monte_carlo_test", "power"]

_MOST = 1 << 21  # numbers to ask for in a call; not by the memory, as keys are by the call


@result
class MonteCarloTestResult:
    """Hold the statistic, the p-value and the null distribution of `monte_carlo_test`."""

    statistic: Any
    pvalue: Any
    null_distribution: Any

    def __repr__(self) -> str:
        return (
            f"MonteCarloTestResult(statistic={self.statistic!r}, pvalue={self.pvalue!r}, "
            f"null_distribution={self.null_distribution!r})"
        )


@result
class PowerResult:
    """Hold the power of a test and its p-values under the alternative."""

    power: Any
    pvalues: Any

    def __repr__(self) -> str:
        return f"PowerResult(power={self.power!r}, pvalues={self.pvalues!r})"


def monte_carlo_test(
    data: Any,
    rvs: Callable[..., Any] | Sequence[Callable[..., Any]],
    statistic: Callable[..., Any],
    *,
    vectorized: bool | None = None,
    n_resamples: int = 9999,
    batch: int | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
    key: Any = None,
    progress: bool | Callable[..., Any] = False,
    **other: Any,
) -> MonteCarloTestResult:
    """Test a hypothesis by the statistic of random samples drawn under it.

    Parameters
    ----------
    data : array, or sequence of array if `rvs` is a sequence
        The samples. Dimensions other than `axis` broadcast; each is a batch.
    rvs : callable, or sequence of callable
        For each sample, returns random numbers of a shape ``size``, in arrays of the library of
        `data`. If it takes ``key``, it gets a new key in each call.
    statistic : callable
        Takes the samples as separate arguments and returns the statistic of arrays with an
        argument `axis`, if `vectorized`, else of one-dimensional arrays.
    vectorized : bool, optional
        Default: whether `statistic` has a parameter `axis`.
    n_resamples : int, optional
        The number of random samples.
    batch : int, optional
        The number of samples in a call. Default: all, but at most 2 million numbers.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The tail of the null distribution that counts; for 'two-sided' twice the smaller one.
    axis : int, optional
        The axis of the observations.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`, for `rvs`. Default: the seed 0.
    progress : bool or callable, optional
        True draws a bar; a function is called with ``(done, total, text)``.
    **other
        Nothing else is taken: SciPy's `rng` and `random_state` are refused in words.

    Returns
    -------
    MonteCarloTestResult
        ``statistic``, ``pvalue`` and ``null_distribution``, whose first dimension are the samples.

    Raises
    ------
    ArgumentError, ArrayTypeError, ShapeError
        If an option has another value, an argument isn't callable, or `rvs` and `data` differ in
        number.

    Notes
    -----
    B. Phipson, G. K. Smyth (2010): the observed value is one of the null distribution, too. Values
    within 100 units of rounding of it count as equal. The samples depend on `key` and `batch`.

    Differs from SciPy: `key`, for functions that take it.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import normal
    >>> from likewise.stats import monte_carlo_test
    >>> x = np.asarray([0.3, 1.2, -0.4, 2.1, 0.9, 1.8])
    >>> found = monte_carlo_test(x, lambda size, key: normal(key, size), np.mean, key=1)
    >>> bool(0.01 < found.pvalue < 0.03)  # of the mean: 0.0160
    True
    """
    name = "monte_carlo_test"
    users: Any = rvs
    if not isinstance(users, list | tuple):
        users, data = (rvs,), (data,)
    draws = [_keyed(name, user) for user in users]
    if not isinstance(data, list | tuple) or len(data) != len(users):
        raise ArgumentError(
            f"{name}: if rvs is a sequence, data must be one of as many samples, {len(users)}"
        )
    stat = check_statistic(name, statistic, vectorized)
    samples = plan_data(name, data, axis)
    n_resamples = positive(name, "n_resamples", n_resamples)
    batch = None if batch is None else positive(name, "batch", batch)
    side = direction(name, str(alternative).lower())
    key = plan_random(name, key, samples[0], other)
    xp = array_namespace(*samples)

    observed = stat(*samples)
    sizes = [x.shape[-1] for x in samples]
    size = batch or max(1, min(n_resamples, _MOST // max(1, sum(sizes))))
    null = []
    for start, rows in pieces(name, n_resamples, size, progress):
        keys = _Keys(fold_in(key, start // size))
        drawn = [draw(keys, size=(rows, n)) for draw, n in zip(draws, sizes, strict=True)]
        array_namespace(samples[0], *drawn)  # of one library
        null.append(stat(*drawn))
    distribution = null[0] if len(null) == 1 else xp.concat(null, axis=0)
    shape = (n_resamples, *(1,) * (observed.ndim - distribution.ndim + 1))
    distribution = xp.reshape(distribution, (*shape, *distribution.shape[1:]))
    pvalue = tail_shares(distribution, observed, side, n_resamples, 1)
    return MonteCarloTestResult(as_given(observed), as_given(pvalue), distribution)


class _Keys:
    """Yield new keys."""

    def __init__(self, key: Any) -> None:
        self.key, self.used = key, 0

    def next(self) -> Any:
        self.used += 1
        return fold_in(self.key, self.used - 1)


def _names(user: Any) -> set[str]:
    """Return the names of a function's parameters, ``**`` if it takes others, too."""
    try:
        found = inspect.signature(user).parameters
    except ValueError:
        return {"size"}
    return {"**" if p.kind is p.VAR_KEYWORD else name for name, p in found.items()}


def _keyed(function: str, user: Any) -> Callable[..., Any]:
    """Return a user's generator as a function of keys, that passes what the generator takes."""
    if not callable(user):
        raise ArrayTypeError(
            f"{function}: rvs must be callable or a sequence of callables, got {describe(user)}"
        )
    names = _names(user)

    def draw(keys: _Keys, **options: Any) -> Any:
        taken = {k: v for k, v in options.items() if k in names or "**" in names}
        if "key" in names:
            taken["key"] = keys.next()
        return user(**taken)

    return draw


def _pvalue(test: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Return a test that gives its p-value only, with further arguments."""

    def pvalue(*samples: Any, **axis: Any) -> Any:
        made = test(*samples, **options, **axis)
        return getattr(made, "pvalue", made)

    return pvalue


def power(
    test: Callable[..., Any],
    rvs: Callable[..., Any] | Sequence[Callable[..., Any]],
    n_observations: Any,
    *,
    significance: Any = 0.01,
    vectorized: bool | None = None,
    n_resamples: int = 10000,
    batch: int | None = None,
    kwargs: Mapping[str, Any] | None = None,
    key: Any = None,
    progress: bool | Callable[..., Any] = False,
    **other: Any,
) -> PowerResult:
    """Compute the power of a test by random samples drawn under an alternative.

    Parameters
    ----------
    test : callable
        Takes the samples and returns the p-value, or a result with an attribute ``pvalue``; of
        arrays with an argument `axis`, if `vectorized`, else of one-dimensional arrays.
    rvs : callable, or sequence of callable
        As for `monte_carlo_test`.
    n_observations : int or array of int, or a sequence of as many as `rvs`
        The numbers of observations. They are read.
    significance : float or array, optional
        The p-value below which the hypothesis is rejected, in [0, 1].
    vectorized : bool, optional
        Default: whether `test` has a parameter `axis`.
    n_resamples : int, optional
        The number of random samples.
    batch : int, optional
        The number of samples in a call. Default: all, but at most 2 million numbers.
    kwargs : dict, optional
        Further arguments of `rvs` and `test`, which go to the functions that have parameters of
        these names: arrays that broadcast with those of `n_observations`.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`, for `rvs`. Default: the seed 0.
    progress : bool or callable, optional
        True draws a bar; a function is called with ``(done, total, text)``.
    **other
        Nothing else is taken: SciPy's `rng` and `random_state` are refused in words.

    Returns
    -------
    PowerResult
        ``power``, of the shape of `significance` followed by those of `n_observations` and of the
        test's batch; ``pvalues``, of the latter two and the resamples.

    Raises
    ------
    ArgumentError, ArrayTypeError, ShapeError
        If an option has another value, an argument isn't callable, or `rvs` and `n_observations`
        differ in number.

    Notes
    -----
    The share of p-values below `significance`. The samples depend on `key` and `batch`.

    Differs from SciPy: `key`, for functions that take it.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import normal
    >>> from likewise.special import ndtr
    >>> from likewise.stats import power
    >>> def test(x, axis):
    ...     return 2 * ndtr(-np.abs(np.mean(x, axis=axis)) * np.sqrt(x.shape[axis]))
    >>> found = power(test, lambda size, key: normal(key, size) + 1.0, 9, significance=0.05, key=1)
    >>> bool(0.83 < found.power < 0.87)  # exactly 0.8508
    True
    """
    name = "power"
    users: Any = rvs
    if not isinstance(users, list | tuple):
        users, n_observations = (rvs,), (n_observations,)
    draws = [_keyed(name, user) for user in users]
    if not isinstance(n_observations, list | tuple) or len(n_observations) != len(users):
        raise ArgumentError(
            f"{name}: if rvs is a sequence, n_observations must be one of as many, {len(users)}"
        )
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise ArrayTypeError(f"{name}: kwargs must be a dictionary, got {describe(kwargs)}")
    options = dict(kwargs or {})
    vectorized = vectorizable(name, "test", test, vectorized)
    names = _names(test)
    n_resamples = positive(name, "n_resamples", n_resamples)
    batch = None if batch is None else positive(name, "batch", batch)
    others = (*n_observations, significance, *options.values())
    xp = array_namespace(*others)
    level = numeric(name, xp, "significance", significance, real=True)
    if not xp.isdtype(level.dtype, "real floating") or (
        is_concrete(level) and not bool(xp.all((level >= 0) & (level <= 1)))
    ):
        raise ArgumentError(f"{name}: significance must hold numbers in [0, 1], got {level}")
    # Nothing but numbers given: draws are where the key is.
    key = plan_random(name, key, next((a for a in others if not is_neutral(a)), None), other)

    given = [numeric(name, xp, "n_observations", n) for n in n_observations]
    extra = [numeric(name, xp, k, v) for k, v in options.items()]
    shapes = {str(i): tuple(a.shape) for i, a in enumerate((*given, *extra))}
    shape = _plan.broadcast(name, **shapes)
    given, extra = (
        [xp.reshape(xp.broadcast_to(a, shape), (-1,)) for a in some] for some in (given, extra)
    )
    cases, found = given[0].shape[0], []
    for case in range(cases):
        sizes = [int(n[case]) for n in given]
        settings = {k: v[case] for k, v in zip(options, extra, strict=True)}
        stat = _pvalue(test, {k: v for k, v in settings.items() if k in names or "**" in names})
        stat = check_statistic(name, stat, vectorized, "test")
        size = batch or max(1, min(n_resamples, _MOST // max(1, sum(sizes))))
        some, own = [], fold_in(key, case)
        for start, rows in pieces(name, n_resamples, size, progress):
            keys = _Keys(fold_in(own, start // size))
            drawn = [
                draw(keys, size=(rows, n), **settings) for draw, n in zip(draws, sizes, strict=True)
            ]
            some.append(stat(*drawn))
        found.append(some[0] if len(some) == 1 else array_namespace(*some).concat(some, axis=-1))
    space = array_namespace(*found)
    pvalues = space.reshape(space.stack(found), (*shape, *found[0].shape))
    level = asarray(level, like=pvalues)
    level = space.reshape(level, (*level.shape, *(1,) * pvalues.ndim))
    share = space.mean(space.astype(pvalues < level, pvalues.dtype), axis=-1)
    return PowerResult(as_given(share), pvalues)
