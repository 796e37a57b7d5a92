"""Permutation tests.

M. D. Ernst, "Permutation methods: a basis for exact inference", Statistical Science 19 (2004)
676-685; B. Phipson, G. K. Smyth, "Permutation p-values should never be zero", Statistical
Applications in Genetics and Molecular Biology 9 (2010), article 39.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...random import split
from ...solving._result import result
from .._base._pvalues import direction
from ._arguments import (
    check_statistic,
    fitting,
    pieces,
    plan_data,
    plan_random,
    positive,
    resampled,
)
from ._exact import partitions, permutations
from ._words import bits, orders

__all__ = ["PermutationTestResult", "permutation_test", "tail_shares"]

_TYPES = ("independent", "pairings", "samples")


@result
class PermutationTestResult:
    """Hold the statistic, the p-value and the null distribution of a permutation test."""

    statistic: Any
    pvalue: Any
    null_distribution: Any

    def __repr__(self) -> str:
        return (
            f"PermutationTestResult(statistic={self.statistic!r}, pvalue={self.pvalue!r}, "
            f"null_distribution={self.null_distribution!r})"
        )


def permutation_test(
    data: Sequence[Any],
    statistic: Callable[..., Any],
    *,
    permutation_type: str = "independent",
    vectorized: bool | None = None,
    n_resamples: float = 9999,
    batch: int | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
    key: Any = None,
    progress: bool | Callable[..., Any] = False,
    **other: Any,
) -> PermutationTestResult:
    """Test a hypothesis by the statistic of permuted observations.

    Parameters
    ----------
    data : sequence of array
        The samples. Dimensions other than `axis` broadcast; each is a batch.
    statistic : callable
        Takes the samples as separate arguments and returns the statistic of arrays with an
        argument `axis`, if `vectorized`, else of one-dimensional arrays.
    permutation_type : {'independent', 'pairings', 'samples'}, optional
        'independent': observations change samples; 'pairings': they change places in their sample;
        'samples': they change samples, but stay beside those of other samples; of a single sample
        they change sign.
    vectorized : bool, optional
        Default: whether `statistic` has a parameter `axis`.
    n_resamples : int or inf, optional
        The number of random permutations; if there are no more in all, the test is exact.
    batch : int, optional
        The number of permutations in a call of the statistic. Default: as many as suit the memory.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The tail of the null distribution that counts; for 'two-sided' twice the smaller one.
    axis : int, optional
        The axis of the observations.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`. Default: the seed 0. Exact tests need none.
    progress : bool or callable, optional
        True draws a bar; a function is called with ``(done, total, text)``.
    **other
        Nothing else is taken: SciPy's `rng` and `random_state` are refused in words.

    Returns
    -------
    PermutationTestResult
        ``statistic`` and ``pvalue``, of the statistic's shape, and ``null_distribution``, whose
        first dimension are the permutations.

    Raises
    ------
    ArgumentError, ArrayTypeError, ShapeError
        If an option has another value, a sample has fewer than 2 observations, there are fewer than
        2 samples for 'independent', or shapes don't fit.

    Notes
    -----
    Values within 100 units of rounding of the observed one count as equal to it. Exact tests go
    through all permutations in lexicographic order, made from their numbers, in pieces. Random ones
    follow from the key and their number alone: they are the same on all libraries and for each
    `batch`. In an order, each two observations of up to 2048 have equal chances to within 2^-20.

    Differs from SciPy: `key` in place of `rng`, and the same result in each call without one.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import permutation_test
    >>> x, y = np.asarray([1.0, 2.0, 4.0]), np.asarray([3.0, 6.0, 7.0, 8.0])
    >>> def difference(x, y, axis):
    ...     return np.mean(x, axis=axis) - np.mean(y, axis=axis)
    >>> found = permutation_test((x, y), difference, n_resamples=np.inf, alternative="less")
    >>> found.null_distribution.shape, float(found.pvalue) == 2 / 35
    ((35,), True)
    """
    name = "permutation_test"
    kind = str(permutation_type).lower()
    _plan.choice(name, "permutation_type", kind, _TYPES)
    stat = check_statistic(name, statistic, vectorized)
    samples = plan_data(name, data, axis, least=2)
    if kind == "independent" and len(samples) < 2:
        raise ArgumentError(f"{name}: data must be a tuple containing at least two samples, got 1")
    sizes = [x.shape[-1] for x in samples]
    if kind != "independent" and len(set(sizes)) > 1:
        raise ArgumentError(
            f"{name}: samples must have equal lengths along axis for {kind!r}, got {sizes}"
        )
    count = math.inf if n_resamples == math.inf else positive(name, "n_resamples", n_resamples)
    batch = None if batch is None else positive(name, "batch", batch)
    side = direction(name, str(alternative).lower())
    xp = array_namespace(*samples)
    key = plan_random(name, key, samples[0], other)

    kinds: dict[str, Any] = {"independent": _Independent, "pairings": _Pairings}
    permute = kinds.get(kind, _Samples)(samples, key)
    exact = count >= permute.number
    count = permute.number if exact else count
    if count >= 1 << 62:
        raise ArgumentError(f"{name}: there are {count:.3g} permutations: set n_resamples")
    observed = stat(*samples)
    size = batch or fitting(samples[0], sum(math.prod(x.shape) for x in samples), int(count))
    null = []
    for start, rows in pieces(name, int(count), size, progress):
        null.append(stat(*permute(start, rows, exact)))
    distribution = null[0] if len(null) == 1 else xp.concat(null, axis=0)
    pvalue = tail_shares(distribution, observed, side, int(count), 0 if exact else 1)
    return PermutationTestResult(as_given(observed), as_given(pvalue), distribution)


def tail_shares(null: Any, observed: Any, side: int, count: int, more: int) -> Any:
    """Return the share of a null distribution that is as extreme as the observed value.

    `more` observations are added to the distribution; 1 makes a valid p-value of random numbers.
    """
    xp = array_namespace(null)
    (floating,) = _plan.common_floating("statistic", xp, ["the statistic"], observed, real=True)
    near = floating * 0
    if xp.isdtype(observed.dtype, "real floating"):
        near = xp.abs(100 * float(xp.finfo(observed.dtype).eps) * observed)

    def share(extreme: Any) -> Any:
        found = xp.count_nonzero(extreme, axis=0) + more
        return xp.astype(found, floating.dtype) / (count + more)

    if side:
        found = share(null <= observed + near if side < 0 else null >= observed - near)
    else:
        found = 2 * xp.minimum(share(null <= observed + near), share(null >= observed - near))
    return xp.minimum(found, xp.ones_like(found))


def _front(x: Any) -> Any:
    """Return (..., rows, n) with the resamples first."""
    return array_namespace(x).moveaxis(x, -2, 0) if x.ndim > 2 else x


class _Independent:
    """Permute observations over all samples."""

    def __init__(self, samples: list[Any], key: Any) -> None:
        xp = array_namespace(*samples)
        self.sizes = [x.shape[-1] for x in samples]
        self.ends = list(itertools.accumulate(self.sizes, initial=0))
        self.joined, self.key = xp.concat(samples, axis=-1), split(key, 1)[0, :]
        left = [self.ends[-1] - end for end in self.ends[:-1]]
        ways = [math.comb(n, k) for n, k in zip(left, self.sizes, strict=True)]
        self.number = math.prod(ways)

    def __call__(self, start: int, rows: int, exact: bool) -> list[Any]:
        if exact:
            index = partitions(self.key, start, rows, self.sizes)
        else:
            index = orders(self.key, start, rows, self.ends[-1])[:, 0, :]
        x = _front(resampled(self.joined, index))
        return [x[..., a:b] for a, b in itertools.pairwise(self.ends)]


class _Pairings:
    """Permute observations in each sample."""

    def __init__(self, samples: list[Any], key: Any) -> None:
        self.samples, self.key = samples, split(key, 1)[0, :]
        self.n = samples[0].shape[-1]
        self.number = math.factorial(self.n) ** len(samples)

    def __call__(self, start: int, rows: int, exact: bool) -> list[Any]:
        make = permutations if exact else orders
        index = make(self.key, start, rows, self.n, len(self.samples))
        return [_front(resampled(x, index[:, i, :])) for i, x in enumerate(self.samples)]


class _Samples:
    """Permute observations of the same index over the samples; one sample and its negative."""

    def __init__(self, samples: list[Any], key: Any) -> None:
        self.samples = samples if len(samples) > 1 else [samples[0], -samples[0]]
        self.given, self.key = len(samples), split(key, 1)[0, :]
        self.n = samples[0].shape[-1]
        self.number = math.factorial(len(self.samples)) ** self.n

    def __call__(self, start: int, rows: int, exact: bool) -> list[Any]:
        xp, k = array_namespace(*self.samples), len(self.samples)
        if k == 2:
            if exact:
                swap = permutations(self.key, start, rows, 2, self.n)[:, :, 0] == 1
            else:
                swap = bits(self.key, start, rows, self.n)
            a, b = (x[..., None, :] for x in self.samples)
            both = [xp.where(swap, b, a), xp.where(swap, a, b)][: self.given]
            return [_front(x) for x in both]
        make = permutations if exact else orders
        index = make(self.key, start, rows, k, self.n)  # (rows, n, k)
        offset = xp.arange(self.n, dtype=index.dtype, device=device(index))[:, None] * k
        flat = xp.stack(self.samples, axis=-1)
        flat = xp.reshape(flat, (*flat.shape[:-2], -1))
        made = resampled(flat, xp.reshape(index + offset, (rows, -1)))
        made = xp.reshape(made, (*made.shape[:-1], self.n, k))
        return [_front(made[..., i]) for i in range(k)]
