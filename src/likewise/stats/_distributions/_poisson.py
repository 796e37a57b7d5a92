"""The Poisson distribution."""

import math
from typing import Any

from ...special import pdtr, pdtrc
from . import _masses
from ._discrete import Discrete
from ._parameters import Parameter

__all__ = ["poisson"]


class Poisson(Discrete):
    """The Poisson distribution.

    Probability ``mu**k exp(-mu) / k!`` of k = 0, 1, ...; `mu`, from 0 on, is the mean.

    Examples
    --------
    >>> from likewise.stats import poisson
    >>> round(float(poisson.pmf(2, 3.0)), 6)
    0.224042
    """

    name = "poisson"
    parameters = (Parameter("mu", 0.0, closed=(True, False)),)
    support_ends = (0.0, math.inf)

    def _pmf(self, k: Any, mu: Any) -> Any:
        return _masses.poisson(k, mu)

    def _logpmf(self, k: Any, mu: Any) -> Any:
        return _masses.log_poisson(k, mu)

    def _cdf(self, k: Any, mu: Any) -> Any:
        return pdtr(k, mu)

    def _sf(self, k: Any, mu: Any) -> Any:
        return pdtrc(k, mu)

    def _moments(self, xp: Any, mu: Any) -> Any:
        return mu, mu, 1 / xp.sqrt(mu), 1 / mu


poisson = Poisson()
