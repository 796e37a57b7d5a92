"""The gamma and beta distributions, by rejection."""

from typing import Any

from .._namespace import device as device_of
from .._native import public
from ..special._erfinv import inverse_error_function
from ._arguments import checked, common_shape, floating, plan_key
from ._attempts import Words, accepted, nested, sample
from ._threefry import fold, to_words

__all__ = ["beta", "gamma"]

_ROUNDS = 12  # each fails with a probability below 0.05
_POSITIVE = (lambda x: x > 0, "positive")


def _log_gamma(words: Words, a: Any, dtype: Any) -> Any:
    """The logarithm of a gamma variable.

    G. Marsaglia, W. W. Tsang, ACM Transactions on Mathematical Software 26 (2000) 363-372, with
    their section 6 for a < 1.
    """
    xp = words.xp
    small = a < 1
    d = xp.where(small, a + 1, a) - 1 / 3
    c = 1 / xp.sqrt(9 * d)

    def attempt(number: Any) -> tuple[Any, Any]:
        u = nested(xp, *words.pair(2 * number), dtype)
        least = -1 + (2.0**-24 if dtype == xp.float32 else 2.0**-53)
        x = inverse_error_function(xp, 2 * u + least) * 2.0**0.5
        log_u = xp.log(1 - nested(xp, *words.pair(2 * number + 1), dtype))
        t = c * x
        log_v = 3 * xp.log1p(xp.maximum(t, xp.full_like(t, -0.999999)))
        good = (t > -1) & (log_u < 0.5 * x * x + d * (log_v - t * (3 + t * (3 + t))))
        return log_v, good

    start = xp.zeros(words.counters.shape, dtype=dtype, device=device_of(words.counters))
    wrong = xp.zeros_like(start) + a
    log_v = accepted(words, attempt, _ROUNDS, start, ~(wrong > 0))
    log_u = xp.log(1 - nested(xp, *words.pair(2 * _ROUNDS), dtype))
    found = xp.log(d) + log_v + xp.where(small, log_u / xp.where(small, a, 1.0), 0.0 * log_u)
    return xp.where(a > 0, found, xp.nan)


def _gamma(words: Words, a: Any, dtype: Any) -> Any:
    return words.xp.exp(_log_gamma(words, a, dtype))


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
    """Return numbers of the gamma distribution of scale 1.

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
        Positive; 0 where the logarithm falls below the dtype's range, as for small `a` it may.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If `a` isn't positive (of lazy arrays, NaN comes out), doesn't broadcast to `shape`, or
        `key` isn't a key.

    Notes
    -----
    Rejection (G. Marsaglia, W. W. Tsang, ACM Transactions on Mathematical Software 26 (2000)
    363-372), at most twelve times: the probability that none is accepted, and the value is a - 1/3,
    is below 2e-16. Where loops can't be traced (Dask, torch.compile) all twelve are computed. The
    libraries' own logarithms decide: at one seed, a value in 10^4 at most differs between them. Not
    differentiable in `a`: what JAX offers, the implicit derivative, is missing here.

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


def _share(xp: Any, x: Any, y: Any) -> Any:
    """exp(x) / (exp(x) + exp(y)), without overflow."""
    less = xp.exp(-xp.abs(x - y))
    return xp.where(x < y, less, xp.ones_like(less)) / (1 + less)


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
    """Return numbers of the beta distribution.

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
        If a parameter isn't positive (of lazy arrays, NaN comes out), they don't broadcast to
        `shape`, or `key` isn't a key.

    Notes
    -----
    x / (x + y) of two gamma variables (L. Devroye, Non-Uniform Random Variate Generation, 1986,
    section IX.4.1), from their logarithms, so that small parameters don't give 0 / 0. The rest as
    for `gamma`.

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
    x, y = (sample(k, shape, _log_gamma, (p,), dtype) for k, p in zip(keys, (a, b), strict=True))
    return xp.reshape(_share(xp, x, y), shape)
