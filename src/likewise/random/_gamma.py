"""The gamma and beta distributions, by rejection."""

import math
from typing import Any

from .._namespace import device as device_of
from .._namespace import quiet
from .._native import public
from ..special._erfinv import inverse_error_function
from ._arguments import checked, common_shape, floating, plan_key
from ._attempts import Words, accepted, nested, sample
from ._threefry import fold, to_words

__all__ = ["beta", "gamma"]

_ROUNDS = 12  # each fails with a probability below 0.05
_POSITIVE = (lambda x: (x > 0) & (x < math.inf), "positive and finite")
_TINY = 1e-20
_NEAR = 0.1  # below which the series is taken
_SERIES = tuple((-1) ** (k + 1) / k for k in range(4, 13))  # of log1p, from its fourth power on


def _body(words: Words, a: Any, dtype: Any) -> Any:
    """A gamma variable of shape a, or of a + 1 where a < 1.

    G. Marsaglia, W. W. Tsang, ACM Transactions on Mathematical Software 26 (2000) 363-372. With x =
    3 sqrt(d) t, log(u) is compared with 0.5 x^2 + d (log(v) - v + 1), which is 3 d times log(1 + t)
    without the first three terms of its series. In this form nothing cancels for large a.
    """
    xp = words.xp
    d = xp.where(a < 1, a + 1, a) - 1 / 3
    c = 1 / (3 * xp.sqrt(d))

    def attempt(number: Any) -> tuple[Any, Any]:
        u = nested(xp, *words.pair(2 * number), dtype)
        least = -1 + (2.0**-24 if dtype == xp.float32 else 2.0**-53)
        t = c * (inverse_error_function(xp, 2 * u + least) * 2.0**0.5)
        log_u = xp.log(1 - nested(xp, *words.pair(2 * number + 1), dtype))
        far = xp.log1p(xp.maximum(t, xp.full_like(t, -0.999999))) - t * (1 - t * (1 / 2 - t / 3))
        near = 0.0 * t
        for term in reversed(_SERIES):
            near = term + t * near
        # The factors in this order: d times t to the fourth might overflow.
        near = (d * t * t) * (t * t) * near
        return t, (t > -1) & (log_u < 3 * xp.where(xp.abs(t) < _NEAR, near, d * far))

    start = xp.zeros(words.counters.shape, dtype=dtype, device=device_of(words.counters))
    wrong = ~((start + a > 0) & (start + a < math.inf))
    t = accepted(words, attempt, _ROUNDS, start, wrong)
    # v = (1 + t)^3; the sum is rounded last where 1 + t would lose what t tells.
    whole = 1 + t
    found = xp.where(xp.abs(t) < _NEAR, d + d * (t * (3 + t * (3 + t))), d * whole * whole * whole)
    return xp.where(wrong, xp.nan, found)


def _log_boost(words: Words, a: Any, dtype: Any) -> Any:
    """The logarithm of the factor of `_body` for a < 1: section 6 of the same article."""
    xp = words.xp
    log_u = xp.log(1 - nested(xp, *words.pair(2 * _ROUNDS), dtype))
    return xp.where(a < 1, log_u / xp.where(a < 1, a, 1.0), 0.0 * log_u)


def _gamma(words: Words, a: Any, dtype: Any) -> Any:
    return _body(words, a, dtype) * words.xp.exp(_log_boost(words, a, dtype))


@public
def gamma(
    key: Any,
    a: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return gamma-distributed numbers of scale 1.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    a : float or array
        The shape parameter, positive.
    shape : int or tuple of int, optional
        The shape of the result. Default: that of `a`.
    dtype : {'float32', 'float64'} or dtype, optional
        Default: that of `a` if it is a floating array, else as for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Positive; 0 where a number underflows, which happens for small `a`.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If `a` isn't positive and finite (lazy arrays give NaN there), doesn't broadcast to `shape`,
        or `key` isn't a key.

    Notes
    -----
    Rejection (G. Marsaglia, W. W. Tsang, ACM Transactions on Mathematical Software 26 (2000)
    363-372), with at most twelve attempts. The probability that none is accepted, and the value is
    a - 1/3, is below 2e-16. Where loops can't be traced (Dask, torch.compile), all twelve are
    computed. Acceptance depends on the libraries' own logarithms: for the same seed, at most one
    value in 10^4 differs between libraries. Not differentiable in `a`: the implicit derivative,
    which JAX has, is missing here.

    Examples
    --------
    >>> from likewise.random import gamma, key
    >>> gamma(key(0), 2.0, 3).shape
    (3,)
    """
    xp, key, where = plan_key("gamma", key, namespace, device, like, a)
    dtype = floating("gamma", xp, dtype, where, like, a)
    a = checked("gamma", "a", xp, a, dtype, where, _POSITIVE)
    return sample(key, common_shape("gamma", shape, a=a), _gamma, (a,), dtype)


@public
def beta(
    key: Any,
    a: Any,
    b: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return beta-distributed numbers.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    a, b : float or array
        The parameters, positive; they broadcast.
    shape : int or tuple of int, optional
        The shape of the result. Default: that of the parameters.
    dtype : {'float32', 'float64'} or dtype, optional
        As for `gamma`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        In [0, 1].

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a parameter isn't positive and finite (lazy arrays give NaN there), they don't broadcast
        to `shape`, or `key` isn't a key.

    Notes
    -----
    x / (x + y) of two gamma variables (L. Devroye, Non-Uniform Random Variate Generation, 1986,
    section IX.4.1). Their small factors are kept as logarithms, so that small parameters don't give
    0 / 0. Otherwise as for `gamma`.

    Examples
    --------
    >>> from likewise.random import beta, key
    >>> beta(key(0), 2.0, 3.0, 3).shape
    (3,)
    """
    xp, key, where = plan_key("beta", key, namespace, device, like, a, b)
    dtype = floating("beta", xp, dtype, where, like, a, b)
    a = checked("beta", "a", xp, a, dtype, where, _POSITIVE)
    b = checked("beta", "b", xp, b, dtype, where, _POSITIVE)
    shape = common_shape("beta", shape, a=a, b=b)
    keys = [
        fold(xp, key, to_words(xp, xp.asarray([i], dtype=key.dtype, device=where))) for i in (0, 1)
    ]
    # Far below 1 only the parameters' ratio matters, and the logarithms must stay finite.
    larger = xp.maximum(a + xp.zeros_like(b), b + xp.zeros_like(a))
    scale = xp.where(larger < _TINY, _TINY / larger, xp.ones_like(larger))
    pairs = list(zip(keys, (a * scale, b * scale), strict=True))
    with quiet(key):
        x, y = (sample(k, shape, _body, (p,), dtype) for k, p in pairs)
        log_x, log_y = (sample(k, shape, _log_boost, (p,), dtype) for k, p in pairs)
        return xp.reshape(1 / (1 + y / x * xp.exp(log_y - log_x)), shape)
