"""The Poisson and binomial distributions: by inversion where counts are small, else by rejection.

W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance:
Mathematics and Economics 12 (1993) 39-45, and "The generation of binomial random variates", Journal
of Statistical Computation and Simulation 46 (1993) 101-110. Probabilities are computed as by C.
Loader ("Fast and accurate computation of binomial probabilities", 2000), without cancellation, so
that float32 is enough.
"""

import math
from typing import Any

from .._dtypes import default_floating
from .._namespace import device as device_of
from .._namespace import is_neutral
from .._native import public
from ._arguments import _own, checked, common_shape, floating, integral, plan_key
from ._attempts import Words, accepted, nested, repeated, sample
from ._threefry import dtypes

__all__ = ["binomial", "poisson"]

_ROUNDS = 24  # each fails with a probability below 0.25
_STEPS = 64  # of inversion, for means below 10
_LIMIT = 10.0
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
# log(n!) - log(sqrt(2 pi n) (n / e)^n), for n up to 15; 0 has no use.
_STIRLING = (
    0.0,
    *(math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TAU for n in range(1, 16)),
)


def _stirling(xp: Any, n: Any) -> Any:
    """The error of Stirling's formula for whole numbers, at least 1: a table, then the series."""
    i = 1 / n
    z = i * i
    series = i * (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188))))
    table = xp.asarray(_STIRLING, dtype=n.dtype, device=device_of(n))
    index = xp.astype(xp.clip(n, 0.0, 15.0), default_floating(xp, device_of(n), kind="indexing"))
    found = xp.reshape(xp.take(table, xp.reshape(index, (-1,)), axis=0), n.shape)
    return xp.where(n <= 15, found, series)


def _deviance(xp: Any, x: Any, mean: Any) -> Any:
    """x log(x / mean) + mean - x, for positive x and mean."""
    v = (x - mean) / (x + mean)
    z = v * v
    near = xp.abs(v) < 0.1
    tail = 0.0 * z
    for j in range(8, 0, -1):
        tail = z * (1 / (2 * j + 1) + tail)
    small = (x - mean) * v + 2 * x * v * tail
    return xp.where(near, small, x * xp.log(x / mean) + mean - x)


def _poisson_log(xp: Any, k: Any, lam: Any) -> Any:
    """The logarithm of the probability of whole k."""
    one = xp.maximum(k, xp.ones_like(k))
    found = -_stirling(xp, one) - _deviance(xp, one, lam) - _HALF_LOG_TAU - 0.5 * xp.log(one)
    return xp.where(k < 1, -lam, found)


def _binomial_log(xp: Any, k: Any, n: Any, p: Any) -> Any:
    inner = xp.minimum(xp.maximum(k, xp.ones_like(k)), n - 1 + 0 * k)
    rest = n - inner
    found = (
        _stirling(xp, n + 0 * k)
        - _stirling(xp, inner)
        - _stirling(xp, rest)
        - _deviance(xp, inner, n * p)
        - _deviance(xp, rest, n * (1 - p))
        - _HALF_LOG_TAU
        + 0.5 * xp.log(n / inner / rest)  # whose product may be too large
    )
    found = xp.where(k < 1, n * xp.log1p(-p), found)
    return xp.where(k >= n, n * xp.log(p), found)


def _inverted(words: Words, first: Any, ratio: Any, active: Any, dtype: Any) -> Any:
    """The least k whose cumulative probability is above a uniform number.

    `first` is the probability of 0; ``ratio(k)`` is the probability of k + 1 over that of k.
    """
    xp = words.xp
    u = nested(xp, *words.pair(2 * _ROUNDS), dtype)
    zero = xp.zeros_like(u)

    def on(state: Any) -> Any:
        _, _, _, total = state
        return active & (u >= total)

    def step(state: Any) -> Any:
        i, k, p, total = state
        go = on(state)
        p = p * ratio(k)
        return i + 1, xp.where(go, k + 1, k), p, xp.where(go, total + p, total)

    # p is updated for stopped elements, too; their k and total stay.
    start = (xp.zeros_like(words.k0), zero, zero + first, zero + first)
    return repeated(step, on, start, _STEPS)[1]


def _poisson(words: Words, lam: Any, dtype: Any) -> Any:
    xp = words.xp
    zero = xp.zeros(words.counters.shape, dtype=dtype, device=device_of(words.counters))
    lam = zero + lam
    valid = (lam >= 0) & (lam < xp.inf)
    few = valid & (lam < _LIMIT)
    small = xp.where(few, lam, 1.0)
    low = _inverted(words, xp.exp(-small), lambda k: small / (k + 1), few, dtype)
    lam = xp.where(valid & ~few, lam, _LIMIT)
    b = 0.931 + 2.53 * xp.sqrt(lam)
    a = -0.059 + 0.02483 * b
    least = 0.9277 - 3.6224 / (b - 2)
    scale = 1.1239 + 1.1328 / (b - 3.4)

    def attempt(number: Any) -> tuple[Any, Any]:
        u = nested(xp, *words.pair(2 * number), dtype) - 0.5
        v = 1 - nested(xp, *words.pair(2 * number + 1), dtype)
        us = xp.maximum(0.5 - xp.abs(u), xp.full_like(u, 2.0**-24))
        k = xp.floor((2 * a / us + b) * u + lam + 0.43)
        quick = (us >= 0.07) & (v <= least)
        wrong = (k < 0) | ((us < 0.013) & (v > us))
        weight = xp.log(v * scale / (a / (us * us) + b))
        whole = xp.maximum(k, xp.zeros_like(k))
        return k, ~wrong & (quick | (weight <= _poisson_log(xp, whole, lam)))

    high = accepted(words, attempt, _ROUNDS, xp.floor(lam), few | ~valid)
    return xp.where(valid, xp.where(few, low, high), -1.0)


def _binomial(words: Words, n: Any, p: Any, dtype: Any) -> Any:
    xp = words.xp
    zero = xp.zeros(words.counters.shape, dtype=dtype, device=device_of(words.counters))
    n, p = zero + n, zero + p
    valid = (n >= 0) & (p >= 0) & (p <= 1) & (n < xp.inf)
    turned = p > 0.5
    q = xp.where(valid, xp.where(turned, 1 - p, p), 0.5)
    m = xp.where(valid, xp.floor(n), 1.0)
    few = m * q < _LIMIT
    size, chance = xp.where(few, m, 1.0), xp.where(few, q, 0.5)
    odds = chance / (1 - chance)
    first = xp.exp(size * xp.log1p(-chance))

    def ratio(k: Any) -> Any:
        return (size - k) / (k + 1) * odds

    low = _inverted(words, first, ratio, few & valid, dtype)
    low = xp.minimum(low, size)
    size, chance = xp.where(few, 40.0, m), xp.where(few, 0.5, q)
    mean = size * chance
    spread = xp.sqrt(mean * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    c = mean + 0.5
    least = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * spread
    top = _binomial_log(xp, xp.floor(mean + chance), size, chance)

    def attempt(number: Any) -> tuple[Any, Any]:
        u = nested(xp, *words.pair(2 * number), dtype) - 0.5
        v = 1 - nested(xp, *words.pair(2 * number + 1), dtype)
        us = xp.maximum(0.5 - xp.abs(u), xp.full_like(u, 2.0**-24))
        k = xp.floor((2 * a / us + b) * u + c)
        inside = (k >= 0) & (k <= size)
        whole = xp.minimum(xp.maximum(k, xp.zeros_like(k)), size + 0 * k)
        weight = xp.log(v * scale / (a / (us * us) + b))
        likely = weight <= _binomial_log(xp, whole, size, chance) - top
        return k, inside & (((us >= 0.07) & (v <= least)) | likely)

    high = accepted(words, attempt, _ROUNDS, xp.floor(mean), few | ~valid)
    found = xp.where(few, low, high)
    return xp.where(valid, xp.where(turned, m - found, found), -1.0)


def _computed_in(function: str, xp: Any, where: Any, *parameters: Any) -> Any:
    """The floating dtype of the arrays among parameters, else the widest that the device has."""
    widest = "float64" if "float64" in dtypes(xp, where) else "float32"
    if any(not is_neutral(p) and xp.isdtype(p.dtype, "real floating") for p in parameters):
        return floating(function, xp, None, where, *parameters)
    return _own(function, xp, widest, where)


def _limit(xp: Any, out: Any, own: Any) -> float:
    """The largest count that fits both the result's dtype and that of the computation."""
    if xp.isdtype(out, "real floating"):
        return min(float(xp.finfo(out).max), float(xp.finfo(own).max))
    most = int(xp.iinfo(out).max)
    lost = max(0, most.bit_length() - (24 if own == xp.float32 else 53))
    return float(most >> lost << lost)


def _is_integer(xp: Any, x: Any) -> Any:
    return xp.floor(x) == x if hasattr(x, "dtype") else x % 1 == 0


def _counts(xp: Any, found: Any, out: Any, most: float) -> Any:
    """Convert whole numbers to the result's dtype, clipped to its range."""
    least = 0.0 if xp.isdtype(out, "unsigned integer") else -1.0
    return xp.astype(xp.clip(found, least, most), out)


def _result_dtype(function: str, xp: Any, dtype: Any, where: Any) -> Any:
    if dtype is None:
        return integral(function, xp, None, where)
    found = _own(function, xp, dtype, where)
    if xp.isdtype(found, "real floating"):
        return floating(function, xp, dtype, where)
    return integral(function, xp, dtype, where)


@public
def poisson(
    key: Any,
    lam: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return Poisson-distributed numbers.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    lam : float or array
        The mean, at least 0.
    shape : int or tuple of int, optional
        The shape of the result. Default: that of `lam`.
    dtype : dtype or str, optional
        An integer or floating dtype. Default: the library's default integer dtype.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Whole numbers.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a mean is negative, infinite or NaN, or within ten of its standard deviations of the
        largest number of the result's dtype, `lam` doesn't broadcast to `shape`, or `key` isn't a
        key. Lazy means are not checked: invalid ones give -1 (0 in unsigned dtypes), too large ones
        the dtype's largest number.

    Notes
    -----
    Inversion for means below 10, else transformed rejection (W. Hörmann, Insurance: Mathematics and
    Economics 12 (1993) 39-45, algorithm PTRS), with at most 24 attempts. The probability that none
    is accepted, and the value is the mean, is below 1e-14. Where loops can't be traced (Dask,
    torch.compile), all attempts are computed. Computed in the dtype of `lam` if that is a floating
    array, else in the widest floating dtype of the device: float64, or float32 for JAX without
    ``jax_enable_x64``. In float32, not all whole numbers above 2^24 occur, nor tails beyond 1e-7.
    For the same seed and dtype, at most one value in 10^4 differs between libraries; between the
    two dtypes, one in 300 for a mean of 10^5, and more for larger means.

    Examples
    --------
    >>> from likewise.random import key, poisson
    >>> poisson(key(0), 4.0, 3).shape
    (3,)
    """
    xp, key, where = plan_key("poisson", key, namespace, device, like, lam)
    out = _result_dtype("poisson", xp, dtype, where)
    own = _computed_in("poisson", xp, where, lam)
    most = _limit(xp, out, own)
    # Ten standard deviations below the largest number; floating dtypes have room enough.
    mean = most if most > 2.0**64 else math.floor(max(0.0, most - 10 * math.sqrt(most)))
    rules = (
        (lambda x: (x >= 0) & (x < math.inf), "finite and at least 0"),
        (lambda x: x <= mean, f"at most {mean} for counts of {out}"),
    )
    lam = checked("poisson", "lam", xp, lam, own, where, *rules)
    found = sample(key, common_shape("poisson", shape, lam=lam), _poisson, (lam,), own)
    return _counts(xp, found, out, most)


@public
def binomial(
    key: Any,
    n: Any,
    p: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return binomially distributed numbers.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    n : int or array
        The number of trials, at least 0.
    p : float or array
        The probability of success, in [0, 1]; broadcasts with `n`.
    shape : int or tuple of int, optional
        The shape of the result. Default: that of the parameters.
    dtype : dtype or str, optional
        An integer dtype, or a floating one as in ``jax.random.binomial``. Default: the library's
        default integer dtype.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Whole numbers, at most `n`.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If `n` isn't whole, is negative or doesn't fit the result's dtype, `p` isn't in [0, 1], they
        don't broadcast to `shape`, or `key` isn't a key. Lazy parameters are not checked: the whole
        part of `n` is used; a negative `n` or an invalid `p` gives -1 (0 in unsigned dtypes), and
        too large counts become the dtype's largest number.

    Notes
    -----
    Inversion for means below 10, else transformed rejection (W. Hörmann, Journal of Statistical
    Computation and Simulation 46 (1993) 101-110, algorithm BTRS). Otherwise as for `poisson`, with
    `n` and `p` in place of `lam`.

    Examples
    --------
    >>> from likewise.random import binomial, key
    >>> binomial(key(0), 10, 0.3, 3).shape
    (3,)
    """
    xp, key, where = plan_key("binomial", key, namespace, device, like, n, p)
    out = _result_dtype("binomial", xp, dtype, where)
    own = _computed_in("binomial", xp, where, n, p)
    most = _limit(xp, out, own)
    rules = (
        (lambda x: (x >= 0) & _is_integer(xp, x), "whole and at least 0"),
        (lambda x: x <= most, f"at most {most:.0f} for counts of {out}"),
    )
    n = checked("binomial", "n", xp, n, own, where, *rules)
    inside = (lambda x: (x >= 0) & (x <= 1), "in [0, 1]")
    p = checked("binomial", "p", xp, p, own, where, inside)
    shape = common_shape("binomial", shape, n=n, p=p)
    return _counts(xp, sample(key, shape, _binomial, (n, p), own), out, most)
