"""Random numbers from keys, the same on every library: Threefry of counters, without state."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "Generator",
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "choice",
    "exponential",
    "fold_in",
    "gamma",
    "gumbel",
    "integers",
    "key",
    "laplace",
    "multivariate_normal",
    "normal",
    "permutation",
    "poisson",
    "split",
    "truncated_normal",
    "uniform",
]

if TYPE_CHECKING:
    from ._continuous import exponential, gumbel, laplace, normal, truncated_normal, uniform
    from ._counts import binomial, poisson
    from ._gamma import beta, gamma
    from ._generator import Generator
    from ._integers import bernoulli, categorical, choice, integers, permutation
    from ._keys import bits, fold_in, key, split
    from ._vectors import multivariate_normal
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_continuous": "exponential gumbel laplace normal truncated_normal uniform",
            "_counts": "binomial poisson",
            "_gamma": "beta gamma",
            "_generator": "Generator",
            "_integers": "bernoulli categorical choice integers permutation",
            "_keys": "bits fold_in key split",
            "_vectors": "multivariate_normal",
        },
    )
