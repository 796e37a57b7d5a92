"""Ways of resampling, as arguments of tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..._namespace import array_namespace
from ...errors import ArgumentError, NotSupported
from .._base._samples import Rows

__all__ = [
    "BootstrapMethod",
    "MonteCarloMethod",
    "PermutationMethod",
    "ResamplingMethod",
    "by_resampling",
    "check_method",
]


@dataclass
class ResamplingMethod:
    """Hold how a test resamples: how often, and how often in a call of the statistic."""

    n_resamples: int = 9999
    batch: int | None = None

    def _asdict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass
class MonteCarloMethod(ResamplingMethod):
    """Choose random samples for a test's null distribution.

    Parameters
    ----------
    n_resamples, batch : int, optional
        As for `likewise.stats.monte_carlo_test`.
    rvs : callable or sequence of callable, optional
        Random samples under the null hypothesis. Default: those of the test.
    key : int or array, shape (2,), optional
        A seed or a key of `likewise.random`.

    Examples
    --------
    >>> from likewise.stats import MonteCarloMethod
    >>> MonteCarloMethod(n_resamples=999, key=1)
    MonteCarloMethod(n_resamples=999, batch=None, rvs=None, key=1)
    """

    rvs: Any = None
    key: Any = None

    def __post_init__(self) -> None:
        if self.rvs is not None and self.key is not None:
            raise ArgumentError("MonteCarloMethod: rvs and key are exclusive, got both")


@dataclass
class PermutationMethod(ResamplingMethod):
    """Choose permutations for a test's null distribution.

    Parameters
    ----------
    n_resamples, batch, key : optional
        As for `likewise.stats.permutation_test`.

    Examples
    --------
    >>> from likewise.stats import PermutationMethod
    >>> PermutationMethod(n_resamples=999, key=1)
    PermutationMethod(n_resamples=999, batch=None, key=1)
    """

    key: Any = None


@dataclass
class BootstrapMethod(ResamplingMethod):
    """Choose the bootstrap for a confidence interval.

    Parameters
    ----------
    n_resamples, batch, key, method : optional
        As for `likewise.stats.bootstrap`.

    Examples
    --------
    >>> from likewise.stats import BootstrapMethod
    >>> BootstrapMethod(key=1)
    BootstrapMethod(n_resamples=9999, batch=None, key=1, method='BCa')
    """

    key: Any = None
    method: str = "BCa"


def check_method(function: str, method: Any, *kinds: type, words: Sequence[str] = ()) -> bool:
    """Tell if a method is an object of resampling; else it must be None, or one of the words."""
    if isinstance(method, kinds):
        return True
    if method is None and not words:
        return False
    if isinstance(method, str) and method in words:
        return False
    takes = ", ".join([*map(repr, words or (None,)), *(f"a {k.__name__}" for k in kinds)])
    raise ArgumentError(
        f"{function}: `method` must be one of {takes}, of likewise.stats, which has key=; got "
        f"{method!r}"
    )


def by_resampling(
    function: str,
    method: Any,
    rows: Sequence[Rows],
    statistic: Callable[..., Any],
    alternative: str,
    kind: str = "independent",
) -> Any:
    """Return the p-value of a statistic by a method, shape (...); NaN where the statistic is.

    `statistic` takes as many arrays as `rows` and an axis. Of 'pairings', the first sample stays.
    """
    from ...random import normal  # loaded only where it is needed, as what follows
    from ._monte_carlo import monte_carlo_test
    from ._permutation import permutation_test

    if any(r.there is not None for r in rows):
        raise NotSupported(
            f"{function}: samples with NaNs are not resampled: leave them out before, or take "
            "nan_policy='propagate'"
        )
    data, options = [r.x for r in rows], method._asdict()
    common: dict[str, Any] = {"vectorized": True, "axis": -1, "alternative": alternative}
    found: Any
    if isinstance(method, PermutationMethod):
        fixed = data[: len(data) - 1] if kind == "pairings" else []

        def permuted(*samples: Any, axis: int) -> Any:
            return statistic(*fixed, *samples, axis=axis)

        found = permutation_test(
            data[len(fixed) :], permuted, permutation_type=kind, **common, **options
        )
    else:
        rvs = options.pop("rvs")
        if rvs is None:

            def rvs(size: Any, key: Any) -> Any:
                return normal(key, size, data[0].dtype, like=data[0])

            rvs = (rvs,) * len(data)
        found = monte_carlo_test(tuple(data), rvs, statistic, **common, **options)
    xp = array_namespace(found.pvalue)
    return xp.where(xp.isnan(xp.asarray(found.statistic)), xp.nan, xp.asarray(found.pvalue))
