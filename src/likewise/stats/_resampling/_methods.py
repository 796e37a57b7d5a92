"""Ways of resampling, as arguments of tests."""

from dataclasses import dataclass
from typing import Any

from ...errors import ArgumentError

__all__ = ["BootstrapMethod", "MonteCarloMethod", "PermutationMethod", "ResamplingMethod"]


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
