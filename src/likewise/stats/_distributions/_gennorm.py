"""The generalised normal distribution."""

from typing import Any

from ..._namespace import array_namespace
from ...special import gammaincc, gammainccinv, gammaincinv, gammaln, xlogy
from ...special._function import elementwise
from ...special._gammainc import gammainc_by_a
from ._continuous import Continuous
from ._parameters import Parameter

__all__ = ["gennorm"]


def _density(beta: Any, r: Any) -> Any:
    """The density at a distance."""
    xp = array_namespace(beta, r)
    return 0.5 * beta * xp.exp(-gammaln(1 / beta) - r**beta)


@elementwise(
    derivatives=(
        lambda y, beta, r: (
            0.5 / beta**2 * gammainc_by_a(1 / beta, r**beta)
            - _density(beta, r) * xlogy(r, r) / beta
        ),
        lambda y, beta, r: -_density(beta, r),
    )
)
def upper(beta: Any, r: Any) -> Any:
    """The probability of more than r, for r from 0 on."""
    return 0.5 * gammaincc(1 / beta, r**beta)


class GenNorm(Continuous):
    """The generalised normal distribution.

    Density ``beta exp(-abs(x)**beta) / (2 gamma(1 / beta))``; `beta` is positive.

    Examples
    --------
    >>> from likewise.stats import gennorm
    >>> round(float(gennorm.sf(1.0, 1.5)), 4)
    0.1124
    """

    name = "gennorm"
    parameters = (Parameter("beta", 0.0),)
    breaks = 1

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        return (0.0,)

    def _logpdf(self, x: Any, beta: Any) -> Any:
        xp = array_namespace(x, beta)
        return xp.log(0.5 * beta) - gammaln(1 / beta) - xp.abs(x) ** beta

    def _cdf(self, x: Any, beta: Any) -> Any:
        return self._sf(-x, beta)

    def _sf(self, x: Any, beta: Any) -> Any:
        xp = array_namespace(x, beta)
        tail = upper(beta, xp.abs(x))
        return xp.where(x < 0, 1 - tail, tail)

    def _ppf(self, q: Any, beta: Any) -> Any:
        xp = array_namespace(q, beta)
        below = q < 0.5
        t = 2 * xp.where(below, q, 1 - q)
        near = t > 0.5
        a = 1 / beta
        inner = gammaincinv(a, 1 - xp.where(near, t, 0.5))
        y = xp.where(near, inner, gammainccinv(a, xp.where(near, 0.5, t)))
        middle = y == 0
        r = xp.where(middle, 0.0, xp.where(middle, 1.0, y) ** a)
        return xp.where(below, -r, r)

    def _isf(self, q: Any, beta: Any) -> Any:
        return -self._ppf(q, beta)

    def _moments(self, xp: Any, beta: Any) -> Any:
        one, three, five = (gammaln(k / beta) for k in (1, 3, 5))
        return 0.0, xp.exp(three - one), 0.0, xp.exp(five + one - 2 * three) - 3

    def _entropy(self, xp: Any, x: Any, beta: Any) -> Any:
        return 1 / beta - xp.log(0.5 * beta) + gammaln(1 / beta)


gennorm = GenNorm()
