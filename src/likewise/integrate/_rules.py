"""Rules of quadrature: nodes and weights, and integrals by a fixed number of nodes.

Those of Gauss are found as those of `special.roots_legendre` and its like.
"""

import functools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from .. import _default, _plan
from .._creation import xp as default
from .._dtypes import default_floating
from .._namespace import array_namespace, device, is_concrete, is_neutral
from .._native import public
from ..errors import ArgumentError, ShapeError
from ..solving._following import is_open
from ..solving._function import Function
from ..solving._function import arguments as tuple_of
from ..solving._running import compiles
from ..special._orthogonal import (
    Rule,
    chebyshev,
    floats,
    hermite,
    laguerre,
    legendre,
    made,
    polished,
    size,
)

__all__ = [
    "clenshaw_curtis",
    "fixed_quad",
    "gauss_chebyshev",
    "gauss_hermite",
    "gauss_laguerre",
    "gauss_legendre",
    "gauss_lobatto",
    "newton_cotes",
    "usual",
]

# -- numbers ---------------------------------------------------------------------------------------


@functools.lru_cache(64)
def lobatto(n: int) -> Rule:
    """The inner nodes are zeros of Jacobi's polynomial with the weight 1 - x²."""
    with localcontext(prec=34):
        pairs = polished(
            n - 2,
            lambda k: 0,
            lambda k: Decimal(k * (k + 2)) / ((2 * k + 1) * (2 * k + 3)),
            Decimal(4) / 3,
        )
        end = Decimal(2) / (n * (n - 1))
        inner = [(x, w / (1 - x * x)) for x, w in pairs]
        return floats([(Decimal(-1), end), *inner, (Decimal(1), end)])


@functools.lru_cache(64)
def _clenshaw(n: int) -> Rule:
    m = n - 1
    nodes = tuple(math.sin(math.pi * (2 * k - m) / (2 * m)) for k in range(n))
    cosines = [math.cos(2 * math.pi * k / m) for k in range(m)]

    def weight(k: int) -> float:
        terms = [
            (1 if 2 * j == m else 2) * cosines[j * k % m] / (4 * j * j - 1)
            for j in range(1, m // 2 + 1)
        ]
        return (1 if k in (0, m) else 2) * (1 - math.fsum(terms)) / m

    half = [weight(k) for k in range((n + 1) // 2)]
    return nodes, tuple(half + half[: n // 2][::-1])


# -- as arrays -------------------------------------------------------------------------------------


def clenshaw_curtis(
    n: int,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights of Clenshaw and Curtis on [-1, 1], which include both ends.

    Parameters
    ----------
    n : int
        The number of nodes, at least 2.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree n - 1, and nearly as accurate as Gauss's rules for smooth
    functions; nodes of 2 n - 1 include those of n (C. W. Clenshaw, A. R. Curtis, Numer. Math. 2,
    1960).

    Examples
    --------
    >>> from likewise.integrate import clenshaw_curtis
    >>> x, w = clenshaw_curtis(3)
    >>> x
    array([-1.,  0.,  1.])
    >>> w
    array([0.33333333, 1.33333333, 0.33333333])
    """
    rule = _clenshaw(size("clenshaw_curtis", "n", n, 2))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("clenshaw_curtis", rule, options)


def gauss_chebyshev(
    n: int,
    kind: int = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights for the weight 1 / sqrt(1 - x**2) or sqrt(1 - x**2) on [-1, 1].

    Parameters
    ----------
    n : int
        The number of nodes, at least 1.
    kind : {1, 2}, optional
        Whether the weight is 1 / sqrt(1 - x**2) or sqrt(1 - x**2).
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.integrate import gauss_chebyshev
    >>> x, w = gauss_chebyshev(2)
    >>> x
    array([-0.70710678,  0.70710678])
    >>> w
    array([1.57079633, 1.57079633])
    """
    if kind not in (1, 2):
        raise ArgumentError(f"gauss_chebyshev: kind must be 1 or 2, got {kind!r}")
    rule = chebyshev(size("gauss_chebyshev", "n", n), kind)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("gauss_chebyshev", rule, options)


def gauss_hermite(
    n: int,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights for the weight exp(-x**2) on the real line.

    Parameters
    ----------
    n : int
        The number of nodes, at least 1.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times exp(-x**2). Weights below the smallest
    number of the dtype are 0. Computed with 34 decimals once for each `n`, in 3 n**2
    steps of Python.

    Examples
    --------
    >>> from likewise.integrate import gauss_hermite
    >>> x, w = gauss_hermite(2)
    >>> x
    array([-0.70710678,  0.70710678])
    >>> w
    array([0.88622693, 0.88622693])
    """
    rule = hermite(size("gauss_hermite", "n", n))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("gauss_hermite", rule, options)


def gauss_laguerre(
    n: int,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights for the weight exp(-x) on [0, inf).

    Parameters
    ----------
    n : int
        The number of nodes, at least 1.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times exp(-x). Weights below the smallest number
    of the dtype are 0. Computed with 34 decimals once for each `n`, in 3 n**2
    steps of Python.

    Examples
    --------
    >>> from likewise.integrate import gauss_laguerre
    >>> x, w = gauss_laguerre(2)
    >>> x
    array([0.58578644, 3.41421356])
    >>> w
    array([0.85355339, 0.14644661])
    """
    rule = laguerre(size("gauss_laguerre", "n", n))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("gauss_laguerre", rule, options)


def gauss_legendre(
    n: int,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights of Gauss and Legendre on [-1, 1].

    Parameters
    ----------
    n : int
        The number of nodes, at least 1.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1. Computed with 34 decimals once for each `n`, in
    3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.integrate import gauss_legendre
    >>> x, w = gauss_legendre(2)
    >>> x
    array([-0.57735027,  0.57735027])
    >>> w
    array([1., 1.])
    """
    rule = legendre(size("gauss_legendre", "n", n))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("gauss_legendre", rule, options)


def gauss_lobatto(
    n: int,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, Any]:
    """Return nodes and weights of Gauss and Lobatto on [-1, 1], which include both ends.

    Parameters
    ----------
    n : int
        The number of nodes, at least 2.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Nodes in ascending order, and their weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or an option is not one of these.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 3. Computed with 34 decimals once for each `n`, in
    3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.integrate import gauss_lobatto
    >>> x, w = gauss_lobatto(3)
    >>> x
    array([-1.,  0.,  1.])
    >>> w
    array([0.33333333, 1.33333333, 0.33333333])
    """
    rule = lobatto(size("gauss_lobatto", "n", n, 2))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("gauss_lobatto", rule, options)


def newton_cotes(
    rn: Any,
    equal: Any = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, float]:
    """Return weights of Newton and Cotes for samples at whole numbers, and the error's coefficient.

    Parameters
    ----------
    rn : int or sequence of numbers
        The number N of intervals; or the positions of N + 1 samples in units of the distance,
        which begin with 0 and end with N.
    equal : bool, optional
        Whether positions are 0, 1, ..., N; then they are not read.
    dtype, device, namespace, like : optional
        As for `gauss_legendre`.

    Returns
    -------
    an : array, shape (N + 1,)
        The integral of samples f at a distance dx is about ``dx * sum(an * f)``.
    B : float
        The error is ``B * dx**(N + 2)`` times a derivative of order N + 1, or for equal distances
        and an even N ``B * dx**(N + 3)`` times one of order N + 2.

    Raises
    ------
    ArgumentError
        If positions don't begin with 0 and end with N, or two are equal.

    Notes
    -----
    Integrals of the polynomials that are 1 at one sample and 0 at the others, in fractions: exact
    before the result is rounded. N**3 steps of Python, once for the same positions.

    Examples
    --------
    >>> from likewise.integrate import newton_cotes
    >>> an, error = newton_cotes(2)
    >>> an
    array([0.33333333, 1.33333333, 0.33333333])
    >>> round(1 / error)
    -90
    """
    if isinstance(rn, float) or (hasattr(rn, "__index__") and not getattr(rn, "ndim", 0)):
        n = size("newton_cotes", "rn", rn)
        places = [Fraction(i) for i in range(n + 1)]
    else:
        places = [Fraction(float(v)) for v in rn]
        n = len(places) - 1
        if equal:
            places = [Fraction(i) for i in range(n + 1)]
    if n < 1 or places[0] != 0 or places[-1] != n or len(set(places)) <= n:
        raise ArgumentError(
            "newton_cotes: rn must be N + 1 different positions, the first 0 and the last N, got "
            f"{rn!r}"
        )
    weights, error = _cotes(tuple(places))
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return made("newton_cotes", (weights, ()), options)[0], error


@functools.lru_cache(64)
def _cotes(places: tuple[Fraction, ...]) -> tuple[tuple[float, ...], float]:
    """Weights at places from 0 to N, and the coefficient of the error."""
    n = len(places) - 1
    weights = [_integral(places, i, n) for i in range(n + 1)]
    equal = all(p == i for i, p in enumerate(places))
    power = n + 2 if equal and n % 2 == 0 else n + 1
    moment = sum((w * p**power for w, p in zip(weights, places, strict=True)), Fraction(0))
    error = (Fraction(n ** (power + 1), power + 1) - moment) / math.factorial(power)
    return tuple(map(float, weights)), float(error)


def _integral(places: Sequence[Fraction], i: int, n: int) -> Fraction:
    """The integral from 0 to n of the polynomial that is 1 at one place and 0 at the others."""
    terms, scale = [Fraction(1)], Fraction(1)
    for j, p in enumerate(places):
        if j != i:
            scale *= places[i] - p
            terms = [
                a - p * b for a, b in zip([Fraction(0), *terms], [*terms, Fraction(0)], strict=True)
            ]
    return sum((c * n ** (k + 1) / (k + 1) for k, c in enumerate(terms)), Fraction(0)) / scale


# -- integrals -------------------------------------------------------------------------------------


_USUAL: dict[Any, Any] = {}  # by the default of creation functions, an array


def usual() -> Any:
    """Return an array as numbers become now."""
    now = _default.current()
    made = _USUAL.get(now)
    if made is None:
        made = default.asarray([0.5])
        if is_concrete(made) and not compiles(made):  # of no trace, with a dtype that stays
            _USUAL[now] = made
    return made


_PLACES: dict[Any, tuple[Any, Any]] = {}  # by class, dtype and device of eager arrays


def _from_one_end(like: Any, count: int) -> tuple[Any, Any]:
    """Return nodes of Gauss and Legendre on [0, 1], and weights on [-1, 1]."""
    xp, where = array_namespace(like), device(like)
    key = type(like), like.dtype, str(where), count
    if key not in _PLACES:
        nodes, weights = (
            xp.asarray(list(v), dtype=like.dtype, device=where) for v in legendre(count)
        )
        made = (nodes + 1) / 2, weights
        if count > 64 or is_open() or not all(map(is_concrete, (like, *made))):
            return made
        _PLACES[key] = made
    return _PLACES[key]


@public
def fixed_quad(
    func: Callable[..., Any], a: Any, b: Any, args: Any = (), n: int = 5
) -> tuple[Any, None]:
    """Integrate a function by Gauss's rule with a fixed number of nodes.

    Parameters
    ----------
    func : callable
        ``func(x, *args) -> array``: of nodes along the last axis, (..., n), which the result has,
        too; there may be more axes before. Real or complex.
    a, b : array or number
        Limits, finite, of any shapes that broadcast.
    args : tuple, optional
        Further arguments of `func`, which gets them unchanged.
    n : int, optional
        The number of nodes.

    Returns
    -------
    val : array
        The integrals: the shape of what `func` returns, without the last axis.
    None
        As SciPy has it.

    Raises
    ------
    ShapeError
        If limits don't broadcast, or `func` returns another shape.
    ArgumentError
        If a limit is not finite, or there are no nodes.
    IntegerError
        If `n` isn't an integer.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1; there is no estimate of the error. One call of
    `func`. Differentiable in the limits, in `args` and in what `func` closes over. Nodes have the
    library, device and dtype of the limits, or of the arrays of `args` if the limits are numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import fixed_quad
    >>> found, _ = fixed_quad(np.exp, 0.0, np.asarray([1.0, 2.0]))
    >>> found
    array([1.71828183, 6.3890561 ])
    """
    name = "fixed_quad"
    fun = Function(name, "func", func)
    rest = tuple_of(args)
    count = size(name, "n", n)
    arrays = [v for v in rest if hasattr(v, "ndim") and not is_neutral(v)]
    if type(a) is float and type(b) is float and math.isfinite(b - a) and not arrays:
        places, weights = _from_one_end(usual(), count)
        width: Any = b - a
        x = a + width * places
    else:
        if is_neutral(a) and is_neutral(b):
            xp, where, dtype = default, None, None
            if arrays:
                xp, where = array_namespace(*arrays), device(arrays[0])
                dtype = default_floating(xp, where)
                if xp.isdtype(arrays[0].dtype, "real floating"):
                    dtype = arrays[0].dtype
            a = xp.asarray(float(a), dtype=dtype, device=where)
        xp = array_namespace(a, b)
        a, b = _plan.common_floating(name, xp, ("a", "b"), a, b, real=True)
        xp = array_namespace(a, b)
        _plan.broadcast(name, a=tuple(a.shape), b=tuple(b.shape))
        width = b - a
        if is_concrete(width) and bool(xp.any(xp.isinf(a) | xp.isinf(b))):
            raise ArgumentError(
                f"{name}: limits must be finite, got {a} and {b}: quad takes others"
            )
        places, weights = _from_one_end(a, count)
        x = a[..., None] + width[..., None] * places
    y = fun.called(x, *rest)
    if tuple(getattr(y, "shape", ()))[-1:] != (count,):
        raise ShapeError(
            f"{name}: func must return an array with the {count} nodes along its last axis, for "
            f"points of the shape {tuple(x.shape)}, got "
            f"{tuple(y.shape) if hasattr(y, 'shape') else repr(y)}. A constant: x * 0 + c"
        )
    return width / 2 * array_namespace(y, weights).sum(y * weights, axis=-1), None
