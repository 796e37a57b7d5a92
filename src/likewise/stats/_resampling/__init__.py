"""Resampling: bootstrap, permutations, random samples."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "BootstrapMethod",
    "BootstrapResult",
    "MonteCarloMethod",
    "MonteCarloTestResult",
    "PermutationMethod",
    "PermutationTestResult",
    "PowerResult",
    "ResamplingMethod",
    "bootstrap",
    "monte_carlo_test",
    "permutation_test",
    "power",
]

if TYPE_CHECKING:
    from ._bootstrap import BootstrapResult, bootstrap
    from ._methods import (
        BootstrapMethod,
        MonteCarloMethod,
        PermutationMethod,
        ResamplingMethod,
    )
    from ._monte_carlo import MonteCarloTestResult, PowerResult, monte_carlo_test, power
    from ._permutation import PermutationTestResult, permutation_test
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_bootstrap": "BootstrapResult bootstrap",
            "_methods": "BootstrapMethod MonteCarloMethod PermutationMethod ResamplingMethod",
            "_monte_carlo": "MonteCarloTestResult PowerResult monte_carlo_test power",
            "_permutation": "PermutationTestResult permutation_test",
        },
    )
