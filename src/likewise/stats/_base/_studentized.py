"""Distributions of the largest of several statistics that share an estimate of the variance."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...special import gammaln, ndtr

__all__ = ["dunnett_sf", "studentized_range_sf"]

_NORMAL, _SCALES = 100, 220  # nodes of the trapezoidal rules, which converge geometrically


def _over_scales(df: Any, inner: Callable[[Any], Any]) -> Any:
    """Return the mean of a function of s = sqrt(chi2 / df), by the trapezoidal rule in log(s).

    `inner` takes scales of shape (..., nodes), where `df` has the shape (...).
    """
    xp = array_namespace(df)
    df = df[..., None]
    reach = 42 / df
    low = -(xp.sqrt(reach) + reach)
    high = xp.minimum(xp.sqrt(reach), 0.5 * xp.log(2 * reach + 7))
    place = xp.arange(_SCALES, dtype=df.dtype, device=device(df)) / (_SCALES - 1)
    y = low + (high - low) * place
    # log of 2 (df/2)^(df/2) / Gamma(df/2) exp(-df/2), by Stirling's series where it cancels.
    half = df / 2
    many = half > 50
    big = xp.where(many, half, 50.0)
    series = (1 / 12 - (1 / 360 - 1 / (1260 * big * big)) / (big * big)) / big
    front = 0.5 * xp.log(big / (2 * math.pi)) - series
    some = xp.where(many, 1.0, half)
    front = math.log(2) + xp.where(many, front, some * xp.log(some) - some - gammaln(some))
    density = xp.exp(front + df * (y - xp.expm1(2 * y) / 2))
    return xp.sum(density * inner(xp.exp(y)), axis=-1) * ((high - low) / (_SCALES - 1))[..., 0]


def studentized_range_sf(q: Any, k: int, df: Any) -> Any:
    """Return the probability that the studentized range of `k` normal variables is `q` or more.

    H. O. Hartley, Biometrika 32, 1942; the arrays `q` and `df` have one shape. What is integrated
    is the difference to 1, without cancellation, so that small probabilities keep their digits.
    """
    xp = array_namespace(q)
    place = xp.arange(_NORMAL, dtype=q.dtype, device=device(q)) / (_NORMAL - 1)

    def beyond(s: Any) -> Any:
        w = xp.clip(q[..., None] * s, 0.0, 60.0)[..., None]
        low = -w / 2 - 8
        z = low + (5.5 - low) * place
        above = ndtr(-z)
        part = xp.clip(ndtr(-z - w) / above, None, 1.0)
        inside = xp.where(part < 1, (k - 1) * xp.log1p(-xp.where(part < 1, part, 0.0)), -xp.inf)
        normal = xp.exp(-0.5 * z * z) * above ** (k - 1) * -xp.expm1(inside)
        step = (5.5 - low[..., 0]) / (_NORMAL - 1)
        return k / math.sqrt(2 * math.pi) * xp.sum(normal, axis=-1) * step

    return xp.clip(xp.where(q > 0, _over_scales(df, beyond), 1.0), 0.0, 1.0)


def dunnett_sf(t: Any, loads: Any, df: Any, sided: bool) -> Any:
    """Return the probability that the largest of Student's statistics is `t` or more.

    C. W. Dunnett, J. Am. Stat. Assoc. 50, 1955. The correlation of two is the product of their
    `loads`, shape (k,): given a common normal variable they are independent. Without `sided`, the
    largest absolute value. `t` and `df` have one shape.
    """
    xp = array_namespace(t)
    z = 18 * (xp.arange(_NORMAL, dtype=t.dtype, device=device(t)) / (_NORMAL - 1)) - 9
    weight = xp.exp(-0.5 * z * z) * (18 / (_NORMAL - 1) / math.sqrt(2 * math.pi))
    rest = xp.sqrt(1 - loads * loads)

    def beyond(s: Any) -> Any:
        bound = (t[..., None] * s)[..., None]
        total: Any = 0.0  # log of the probability of being inside
        for j in range(loads.shape[0]):
            out = ndtr((loads[j] * z - bound) / rest[j])
            if not sided:
                out = out + ndtr((-bound - loads[j] * z) / rest[j])
            total = total + xp.log1p(-xp.clip(out, None, 1 - 1e-15))
        return xp.sum(weight * -xp.expm1(total), axis=-1)

    return xp.clip(_over_scales(df, beyond), 0.0, 1.0)
