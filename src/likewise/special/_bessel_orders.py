"""Bessel functions of whole orders, by recurrence in the order (DLMF 10.6.1, 10.29.1).

The upward recurrence is stable for Y and K, and for J where x is above the order. For smaller x, J
is its power series (DLMF 10.2.2) up to twice the root of the order, where the terms don't cancel
yet. In between, the recurrence runs downward from an order at which J is negligible, and is
normalised by the sum of all even orders, which is 1 (DLMF 10.12.4).
"""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace, hooks_of
from .._native import native
from .._typing import A
from ..errors import ArgumentError
from ..transforms._elementwise import Elementwise
from ._bessel import j0, j1, y0, y1
from ._bessel_modified import k0, k0e, k1, k1e
from ._function import _in_pieces, _in_silence, _planned, by_region, public, repeated

__all__ = ["integer_order", "jn", "kn", "yn"]


def integer_order(function: str, name: str, n: Any) -> int:
    """The argument as Python's integer."""
    try:
        return int(n) if isinstance(n, float) and n.is_integer() else operator.index(n)
    except TypeError:
        raise ArgumentError(
            f"{function}: {name} must be one whole number, got {n!r}; call it once for each"
        ) from None


def _upward(n: int, first: Any, second: Any, x: Any, sign: float) -> Any:
    """f(n) from f(0) and f(1), by f(k + 1) = 2 k / x f(k) + sign f(k - 1)."""
    xp = array_namespace(x)
    over = 2 / x

    def step(_: Any, carry: Any) -> Any:
        k, before, now = carry
        after = k * over * now + sign * before
        return k + 1, now, xp.where(xp.isinf(now), now, after)

    return repeated(n - 1, step, (xp.ones_like(x), first, second))[2]


def _series(n: int, x: Any) -> Any:
    xp = array_namespace(x)
    half = 0.5 * x
    if n <= 30:
        first = half**n / float(math.factorial(n))
    else:
        one = xp.ones_like(x)
        first = repeated(n, lambda _, c: (c[0] + 1, c[1] * (half / c[0])), (one, one))[1]
    t = -half * half

    def step(_: Any, carry: Any) -> Any:
        k, term, total = carry
        term = term * (t / (k * (n + k)))
        return k + 1, term, total + term

    one = xp.ones_like(x)
    return first * repeated(22, step, (one, one, one))[2]


def _downward(n: int, x: Any) -> Any:
    """Numbers in proportion to J, made smaller whenever they become large."""
    xp = array_namespace(x)
    start = n + int(12 * n ** (1 / 3)) + 15
    over, zero = 2 / x, xp.zeros_like(x)

    def step(_: Any, carry: Any) -> Any:
        k, after, now, total, found = carry
        before = k * over * now - after
        k = k - 1
        share = xp.where(k == 0, 1.0, xp.where(k == 2 * xp.floor(0.5 * k), 2.0 + zero, 0.0))
        total, found = total + share * before, xp.where(k == n, before, found)
        scale = xp.where(xp.abs(before) > 1e10, 1e-10, 1.0 + zero)
        return k, now * scale, before * scale, total * scale, found * scale

    carry = (zero + float(start), zero, zero + 1e-10, zero, zero)
    *_, total, found = repeated(start, step, carry)
    return found / total


def _j(x: Any, n: int) -> Any:
    xp = array_namespace(x)
    a = xp.abs(x)
    found = by_region(
        (a,),
        (a * a <= 4.0 * (n + 1), functools.partial(_series, n)),
        (a <= n, functools.partial(_downward, n)),
        rest=lambda a: _upward(n, j0(a), j1(a), a, -1.0),
    )
    return xp.where(x < 0, -found, found) if n % 2 else found


def _y(x: Any, n: int) -> Any:
    xp = array_namespace(x)
    return xp.where(x == 0, -xp.inf, _upward(n, y0(x), y1(x), x, -1.0))


def _k(x: Any, n: int) -> Any:
    xp = array_namespace(x)
    # K of low orders leaves the range downward before that of high ones, and upward after it.
    most = 80.0 if x.dtype == xp.float32 else 690.0
    early = xp.where(x > most, most, x)
    scale, late = xp.exp(-early), xp.exp(0.5 * (early - x))
    found = _upward(n, k0e(x) * scale, k1e(x) * scale, x, 1.0) * late * late
    return xp.where(x == 0, xp.inf, xp.where(x == xp.inf, 0.0, found))


def _low(x: Any, n: int) -> bool:
    """Orders up to 12; SciPy's of higher ones lose digits."""
    return bool(x.dtype in ("float32", "float64")) and n <= 12


@native(numpy="likewise._libs.numpy._whole:jn", when=_low)
def _jn(x: Any, n: int) -> Any:
    return _in_pieces(functools.partial(_jn_of, n), _named("jn", _j, n), (x,))


@native(numpy="likewise._libs.numpy._whole:yn", when=_low)
def _yn(x: Any, n: int) -> Any:
    return _in_pieces(functools.partial(_yn_of, n), _named("yn", _y, n), (x,))


@native(numpy="likewise._libs.numpy._whole:kn", when=_low)
def _kn(x: Any, n: int) -> Any:
    return _in_pieces(functools.partial(_kn_of, n), _named("kn", _k, n), (x,))


def _jn_of(n: int, x: Any) -> Any:
    return _jn(x, n)


def _yn_of(n: int, x: Any) -> Any:
    return _yn(x, n)


def _kn_of(n: int, x: Any) -> Any:
    return _kn(x, n)


def _named(name: str, body: Callable[..., Any], n: int) -> Any:
    def call(x: Any) -> Any:
        return body(x, n)

    call.__name__ = name
    return call


@functools.lru_cache(256)
def _rule(name: str, n: int) -> Elementwise:
    """The function of an order, with its derivative."""
    of, sign = {"jn": (jn, -1), "yn": (yn, -1), "kn": (kn, 1)}[name]
    step = {"jn": _jn_of, "yn": _yn_of, "kn": _kn_of}[name]

    def slope(y: Any, x: Any) -> Any:
        below, above = of(n - 1, x), of(n + 1, x)
        if name == "jn":
            return 0.5 * (below - above)
        xp = array_namespace(x)
        found = -0.5 * (below + above) if name == "kn" else 0.5 * (below - above)
        return xp.where(x == 0, -sign * xp.inf, found)

    fun = functools.partial(step, n)
    fun.__name__ = name  # type: ignore[attr-defined]
    return Elementwise(fun, [_in_silence(slope)])


def _called(name: str, n: int, x: Any) -> Any:
    (x,) = _planned(name, ("x",), (x,), False, ())
    rule = _rule(name, n)
    return rule.of(x) if hooks_of(x).recorded(x) else rule.fun(x)


def _signed(n: int, found: Any) -> Any:
    return -found if n < 0 and n % 2 else found


@public
def jn(n: int, x: A) -> A:
    """Return the Bessel function of the first kind and a whole order.

    Parameters
    ----------
    n : int
        The order.
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; NaN at infinity.

    Raises
    ------
    ArgumentError
        If `n` is no whole number.
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    By recurrence in the order (DLMF 10.6.1): upward from `j0` and `j1` where `x` is above `n`,
    downward below; by the power series for small `x`. The cost grows as `n`. The error is relative
    to the next maximum. Differentiable in `x`.

    Differs from SciPy: `n` is one number, and whole.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import jn
    >>> jn(3, np.asarray([0.0, 1.0, -20.0])).round(6)
    array([0.      , 0.019563, 0.098901])
    """
    n = integer_order("jn", "n", n)
    if abs(n) < 2:
        return _signed(n, j0(x) if n == 0 else j1(x))
    return _signed(n, _called("jn", abs(n), x))


@public
def yn(n: int, x: A) -> A:
    """Return the Bessel function of the second kind and a whole order.

    Parameters
    ----------
    n : int
        The order.
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf at 0, NaN below and at infinity.

    Raises
    ------
    ArgumentError
        If `n` is no whole number.
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    By recurrence in the order (DLMF 10.6.1) from `y0` and `y1`. The cost grows as `n`.
    Differentiable in `x`.

    Differs from SciPy: `n` is one number.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import yn
    >>> yn(3, np.asarray([0.0, 1.0, 20.0])).round(6)
    array([     -inf, -5.821518,  0.149673])
    """
    n = integer_order("yn", "n", n)
    if abs(n) < 2:
        return _signed(n, y0(x) if n == 0 else y1(x))
    return _signed(n, _called("yn", abs(n), x))


@public
def kn(n: int, x: A) -> A:
    """Return the modified Bessel function of the second kind and a whole order.

    Parameters
    ----------
    n : int
        The order.
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    ArgumentError
        If `n` is no whole number.
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    By recurrence in the order (DLMF 10.29.1) from `k0e` and `k1e`. The cost grows as `n`.
    Differentiable in `x`.

    Differs from SciPy: `n` is one number.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import kn
    >>> kn(3, np.asarray([0.0, 1.0, 20.0])).round(12)
    array([           inf, 7.10126282e+00, 7.15000000e-10])
    """
    n = abs(integer_order("kn", "n", n))
    if n < 2:
        return k0(x) if n == 0 else k1(x)
    found: A = _called("kn", n, x)
    return found
