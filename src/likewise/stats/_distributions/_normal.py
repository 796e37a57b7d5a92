"""The normal distribution and those that are made of it."""

import math
from typing import Any

from ..._namespace import array_namespace
from ...random import normal
from ...special import log_ndtr, ndtr, ndtri
from ._continuous import Continuous

__all__ = ["norm"]

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


class Norm(Continuous):
    """The normal distribution.

    Density ``exp(-x**2 / 2) / sqrt(2 pi)``; `loc` is the mean, `scale` the standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import norm
    >>> norm.cdf(np.asarray([-1.0, 0.0, 1.0]), scale=0.5).round(4)
    array([0.0228, 0.5   , 0.9772])
    """

    name = "norm"
    whole = frozenset(("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"))

    def _pdf(self, x: Any) -> Any:
        return array_namespace(x).exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi))

    def _logpdf(self, x: Any) -> Any:
        return -0.5 * x * x - _LOG_ROOT_TWO_PI

    def _cdf(self, x: Any) -> Any:
        return ndtr(x)

    def _sf(self, x: Any) -> Any:
        return ndtr(-x)

    def _logcdf(self, x: Any) -> Any:
        return log_ndtr(x)

    def _logsf(self, x: Any) -> Any:
        return log_ndtr(-x)

    def _ppf(self, q: Any) -> Any:
        return ndtri(q)

    def _isf(self, q: Any) -> Any:
        return -ndtri(q)

    def _moments(self, xp: Any) -> Any:
        return 0.0, 1.0, 0.0, 0.0

    def _entropy(self, xp: Any, x: Any) -> Any:
        return _LOG_ROOT_TWO_PI + 0.5

    def _fit_closed(self, xp: Any, x: Any, fixed: Any) -> Any:
        loc = fixed.get("loc", xp.mean(x, axis=-1))
        apart = x - loc[..., None]
        return loc, fixed.get("scale", xp.sqrt(xp.mean(apart * apart, axis=-1)))

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any) -> Any:
        return normal(key, shape, dtype)


norm = Norm()
