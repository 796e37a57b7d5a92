"""Distributions that are functions of one uniform number."""

import math
from typing import Any

from .._namespace import describe, is_lazy, is_neutral, quiet
from .._native import public
from ..errors import ArgumentError
from ..special._erfinv import error_function, inverse_error_function
from ..special._log import log_of_sum, natural_log
from ._arguments import check, checked, common_shape, floating, parameter, plan_key, shape_tuple
from ._tails import is_tail, tail_normal
from ._threefry import draw, shift_right

__all__ = ["exponential", "gumbel", "laplace", "normal", "truncated_normal", "uniform"]

_ROOT = math.sqrt(2.0)
# 1/e is _INVERSE_E / 2^23 and a rest, or the pair's numbers / 2^26 and / 2^52 and a rest.
_INVERSE_E = 3085996
_INVERSE_E_PAIR = (24687971, 25902029)
_REST, _REST_PAIR = 5.0454889587220525e-08, 2.0961585125224295e-16


def fraction(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    """Multiples of 2^-23 or 2^-52 in [0, 1), as JAX makes them of its bits."""
    if dtype == xp.float32:
        return xp.astype(shift_right(xp, x0 ^ x1, 9), dtype) * 2.0**-23
    return wide_fraction(xp, x0, x1)


def wide_fraction(xp: Any, x0: Any, x1: Any) -> Any:
    """The upper 52 bits of both words, without 64-bit integers."""
    high, low = _halves(xp, x0, x1)
    return xp.astype(high, xp.float64) * 2.0**-26 + xp.astype(low, xp.float64) * 2.0**-52


def _halves(xp: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    return shift_right(xp, x0, 6), ((x0 & 63) << 20) | shift_right(xp, x1, 12)


def symmetric(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    """In (-1, 1): the least value is the one next to -1."""
    least = -1 + (2.0**-24 if dtype == xp.float32 else 2.0**-53)
    return fraction(xp, x0, x1, dtype) * 2.0 + least


def standard_normal(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    return inverse_error_function(xp, symmetric(xp, x0, x1, dtype)) * _ROOT


def _standard_exponential(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    return -natural_log(xp, 1 - fraction(xp, x0, x1, dtype))


def _standard_laplace(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    u = symmetric(xp, x0, x1, dtype)
    size = log_of_sum(xp, -xp.abs(u))
    return xp.where(u < 0, -1.0, xp.where(u > 0, 1.0, xp.zeros_like(u))) * size


def _from_inverse_e(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    """`fraction` less 1/e, without cancellation: in integers, which a compiler doesn't reorder."""
    if dtype == xp.float32:
        whole = xp.astype(shift_right(xp, x0 ^ x1, 9), xp.int32) - _INVERSE_E
        return xp.astype(whole, dtype) * 2.0**-23 - _REST
    high, low = (
        xp.astype(xp.astype(part, xp.int32) - there, dtype)
        for part, there in zip(_halves(xp, x0, x1), _INVERSE_E_PAIR, strict=True)
    )
    return (high * 2.0**-26 + low * 2.0**-52) - _REST_PAIR


def standard_gumbel(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    tiny = float(xp.finfo(dtype).smallest_normal)
    u = fraction(xp, x0, x1, dtype)
    # Where -log(u) is near 1, and so its logarithm near 0, both are computed from e u - 1.
    near = (u > 0.261) & (u < 0.519)
    off = xp.where(near, _from_inverse_e(xp, x0, x1, dtype) * math.e, u - 1)
    # Values other than 0 are far above the smallest number, which replaces 0.
    log = natural_log(xp, xp.where(near, 1 + off, xp.where(u > 0, u, 0.5)), less_one=off)
    inner = xp.where(near, 1 - log, -log)
    outer = -natural_log(xp, inner, 32, 4, xp.where(near, -log, inner - 1))
    return xp.where(u > 0, outer, -math.log(-math.log(tiny)))


@public
def uniform(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    minval: Any = None,
    maxval: Any = None,
    *,
    low: Any = None,
    high: Any = None,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return uniformly distributed numbers in [minval, maxval).

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'float32', 'float64'} or dtype, optional
        Default: the common dtype of `like` and the bounds that are floating arrays, else the
        library's default.
    minval, maxval : float or array, optional
        The interval, by JAX's names; they broadcast to `shape`. Default: 0 and 1.
    low, high : float or array, optional
        The interval, by NumPy's names, in place of `minval` and `maxval`.
    namespace, device, like : optional
        The library and device of the result, as for `likewise.random.key`. Default: those of `key`.

    Returns
    -------
    array
        Multiples of 2^-23 (float32) or 2^-52 (float64) in [0, 1), scaled to the interval.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a size is negative, `key` isn't a key, the library has no such dtype, minval is above
        maxval, a bound or their difference isn't finite in the dtype, or one bound is given by both
        names. Lazy bounds are not checked: in the wrong order they make all values `minval`, and
        bounds that aren't finite give infinities or NaN.

    Notes
    -----
    For a given dtype, values in [0, 1) are the same on all libraries, and those of
    ``jax.random.uniform``. On other intervals, a compiler that fuses the product and the sum (XLA)
    may differ in the last place, and rounding can give `maxval` itself. Differentiable in the
    bounds.

    Examples
    --------
    >>> from likewise.random import key, uniform
    >>> uniform(key(0), 2, dtype="float32")
    array([0.947667 , 0.9785799], dtype=float32)
    """
    least, low = _bound("minval", minval, 0.0, "low", low)
    most, high = _bound("maxval", maxval, 1.0, "high", high)
    xp, key, where = plan_key("uniform", key, namespace, device, like, low, high)
    shape = shape_tuple("uniform", shape)
    dtype = floating("uniform", xp, dtype, where, like, low, high)
    if is_neutral(low) and is_neutral(high) and low == 0 and high == 1:
        return draw(key, shape, fraction, dtype)
    end = float(xp.finfo(dtype).max)
    finite = (lambda x: (x >= -end) & (x <= end), f"finite in {dtype}")
    given = low, high
    low = checked("uniform", least, xp, low, dtype, where, finite)
    high = checked("uniform", most, xp, high, dtype, where, finite)
    common_shape("uniform", shape, **{least: low, most: high})
    if ends := _comparable(given, (low, high)):
        a, b = ends
        check("uniform", least, a, lambda x: x <= b, f"at most {most}")
        what = f"so near to {most} that their difference is finite in {dtype}"
        check("uniform", least, a, lambda x: 0.5 * b - 0.5 * x <= 0.5 * end, what)
    found = draw(key, shape, fraction, dtype) * (high - low) + low
    return xp.reshape(xp.maximum(xp.broadcast_to(low, shape), found), shape)


def _comparable(given: tuple[Any, Any], made: tuple[Any, Any]) -> tuple[Any, Any] | None:
    """Two bounds as numbers, which can be read on a lazy library too, else as arrays."""
    if all(isinstance(x, bool | int | float) for x in given):
        return given
    return made if is_lazy(made[0]) == is_lazy(made[1]) else None


def _bound(name: str, value: Any, default: float, other: str, same: Any) -> tuple[str, Any]:
    """A bound, and the name by which it was given."""
    if same is None:
        return name, default if value is None else value
    if value is not None:
        raise ArgumentError(
            f"uniform: {name} and {other} are one bound, got both, {name} {describe(value)} and "
            f"{other} {describe(same)}. Leave one of them out."
        )
    return other, same


@public
def normal(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return normally distributed numbers of mean 0 and variance 1.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'float32', 'float64'} or dtype, optional
        Default: that of `like` if it is floating, else the library's default.
    namespace, device, like : optional
        The library and device of the result, as for `likewise.random.key`. Default: those of `key`.

    Returns
    -------
    array
        In absolute value at most 5.6 (float32) or 8.3 (float64).

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a size is negative, `key` isn't a key, or the library has no such dtype.

    Notes
    -----
    ``sqrt(2) erfinv(u)`` for u uniform in (-1, 1), in basic arithmetic: libraries agree within four
    units in the last place, and with ``jax.random.normal`` to 1e-5 (float32) and 1e-12 (float64).
    About 280 operations per element.

    Examples
    --------
    >>> from likewise.random import key, normal
    >>> normal(key(0), 2, dtype="float32")
    array([1.6226424, 2.0252647], dtype=float32)
    """
    xp, key, where = plan_key("normal", key, namespace, device, like)
    shape = shape_tuple("normal", shape)
    return draw(key, shape, standard_normal, floating("normal", xp, dtype, where, like))


@public
def exponential(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return exponentially distributed numbers of mean 1.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'float32', 'float64'} or dtype, optional
        As for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        In [0, 37).

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        As for `normal`.

    Notes
    -----
    ``-log(1 - u)`` for u from `uniform`, in basic arithmetic: libraries agree within four units in
    the last place, and with ``jax.random.exponential`` to 1e-5 (float32) and 1e-12 (float64).

    Examples
    --------
    >>> from likewise.random import exponential, key
    >>> exponential(key(0), 2).shape
    (2,)
    """
    xp, key, where = plan_key("exponential", key, namespace, device, like)
    shape = shape_tuple("exponential", shape)
    return draw(key, shape, _standard_exponential, floating("exponential", xp, dtype, where, like))


@public
def laplace(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return numbers of the Laplace distribution of mean 0 and scale 1.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'float32', 'float64'} or dtype, optional
        As for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        In absolute value below 37.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        As for `normal`.

    Notes
    -----
    ``sign(u) log(1 - abs(u))`` for u uniform in (-1, 1), in basic arithmetic: libraries agree
    within four units in the last place, and with ``jax.random.laplace`` to 1e-5 (float32) and 1e-12
    (float64).

    Examples
    --------
    >>> from likewise.random import key, laplace
    >>> laplace(key(0), 2).shape
    (2,)
    """
    xp, key, where = plan_key("laplace", key, namespace, device, like)
    shape = shape_tuple("laplace", shape)
    return draw(key, shape, _standard_laplace, floating("laplace", xp, dtype, where, like))


@public
def gumbel(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return numbers of the standard Gumbel distribution.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'float32', 'float64'} or dtype, optional
        As for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Of location 0 and scale 1.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        As for `normal`.

    Notes
    -----
    ``-log(-log(u))`` for u from `uniform`, with 0 replaced by the smallest normal number, in basic
    arithmetic; near the zero of the result ``-log1p(-log1p(e u - 1))``, without cancellation.
    Libraries agree within four units in the last place, and with ``jax.random.gumbel`` (its mode
    'low') to 1e-5 (float32) and 1e-12 (float64).

    Examples
    --------
    >>> from likewise.random import gumbel, key
    >>> gumbel(key(0), 2).shape
    (2,)
    """
    xp, key, where = plan_key("gumbel", key, namespace, device, like)
    shape = shape_tuple("gumbel", shape)
    return draw(key, shape, standard_gumbel, floating("gumbel", xp, dtype, where, like))


@public
def truncated_normal(
    key: Any,
    lower: Any,
    upper: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return normally distributed numbers of mean 0 and variance 1, truncated to an interval.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    lower, upper : float or array
        The bounds; they broadcast.
    shape : int or tuple of int, optional
        The shape of the result. Default: that of the bounds.
    dtype : {'float32', 'float64'} or dtype, optional
        Default: that of the bounds if they are floating arrays, else as for `uniform`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Strictly between the bounds.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        As for `normal`, or if lower isn't below upper. Lazy bounds are not checked; in the wrong
        order they give meaningless values.

    Notes
    -----
    ``sqrt(2) erfinv(u)``, with u uniform between the error functions of the bounds. For intervals
    entirely beyond 2 on one side, where there are few such u, Newton's method inverts the logarithm
    of the tail: values are accurate however far out, and libraries agree within four units in the
    last place. On other intervals libraries differ by the rounding of u, as a compiler may fuse
    product and sum (XLA): by a unit in the last place of 1 near 0, and up to that divided by the
    density for larger values. Values between -3 and 3 agree with ``jax.random.truncated_normal`` to
    1e-5 (float32) and 1e-12 (float64), except for intervals beyond 2, where JAX loses digits. Not
    differentiable in the bounds on JAX, whose `nextafter` isn't.

    Examples
    --------
    >>> from likewise.random import key, truncated_normal
    >>> truncated_normal(key(0), -1.0, 1.0, 2).shape
    (2,)
    """
    xp, key, where = plan_key("truncated_normal", key, namespace, device, like, lower, upper)
    dtype = floating("truncated_normal", xp, dtype, where, like, lower, upper)
    low = parameter("truncated_normal", "lower", xp, lower, dtype, where)
    high = parameter("truncated_normal", "upper", xp, upper, dtype, where)
    shape = common_shape("truncated_normal", shape, lower=low, upper=high)
    if ends := _comparable((lower, upper), (low, high)):
        check("truncated_normal", "lower", ends[0], lambda x: x < ends[1], "below upper")
    a = error_function(xp, low * (1 / _ROOT))
    b = error_function(xp, high * (1 / _ROOT))
    part = draw(key, shape, fraction, dtype)
    u = part * (b - a) + a
    most = 1 - (2.0**-24 if dtype == xp.float32 else 2.0**-53)
    found = inverse_error_function(xp, xp.clip(xp.reshape(u, shape), -most, most)) * _ROOT
    tail = is_tail(xp, low, high)
    if tail is not None:
        with quiet(part):
            found = xp.where(tail, tail_normal(xp, part, low, high), found)
    inf = xp.full_like(low, xp.inf)
    found = xp.maximum(found, xp.nextafter(low, inf))
    return xp.reshape(xp.minimum(found, xp.nextafter(high, -xp.full_like(high, xp.inf))), shape)
