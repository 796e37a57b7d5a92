"""Numbers of choices and arrangements, and factorials."""

import math
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, quiet
from .._native import native
from .._typing import A, Numbers
from ..errors import ArgumentError, DtypeError
from ._beta_function import beta, beta_itself, poch, poch_box
from ._digamma import digamma, digamma_difference
from ._function import by_region, elementwise, public, public_of_elements
from ._gamma import gamma, rgamma
from ._gamma_parts import turned

__all__ = ["binom", "comb", "factorial", "factorial2", "perm"]


def _is_integer(x: Any) -> Any:
    return array_namespace(x).floor(x) == x


def _rounded(found: Any, whole: Any) -> Any:
    """Whole numbers of so few digits that the error can't reach the next one are made exact."""
    xp = array_namespace(found)
    exact = 5e5 if found.dtype == xp.float32 else 5e13
    return xp.where(whole & (xp.abs(found) < exact), xp.round(found), found)


def _binom_slope(by_n: bool) -> Any:
    """The derivative in n, or in k.

    ``binom = G t``, where t takes the zeros of 1 / gamma(k + 1) and 1 / gamma(n - k + 1) next to
    one of them, by 1 / gamma(x) = gamma(1 - x) sin(pi x) / pi (DLMF 5.5.3); G is what is left.
    So further derivatives have their digits there, too.
    """

    def slope(y: Any, n: Any, k: Any) -> Any:
        xp = array_namespace(n, k)
        there = xp.isfinite(n) & xp.isfinite(k) & ~((n < 0) & _is_integer(n))
        n, k = xp.where(there, n, 1.0), xp.where(there, k, 1.0)
        above, low, high = n + 1, k + 1, n - k + 1
        whole_n, whole_k = xp.round(n), xp.round(k)
        (s, _), (s_low, c_low) = turned(whole_n + 1, n - whole_n), turned(whole_k + 1, k - whole_k)
        s_high, c_high = turned(whole_n - whole_k + 1, (n - whole_n) - (k - whole_k))
        left, right = low < 0.5, high < 0.5
        if by_n:  # only where no pole of gamma(n + 1) is as close
            far = 0.5 * xp.abs(s)
            left = left & ((above >= 0.5) & (n - k > 0.25) | (xp.abs(s_low) < far))
            right = right & ((above >= 0.5) & (k > 0.25) | (xp.abs(s_high) < far))
        both, some = left & right, left | right
        first = xp.where(some, xp.where(both, k - n, above), 1.0)
        rest = beta(first, xp.where(some, xp.where(left, -k, k - n), 1.0))
        rest = xp.where(some, rest / xp.where(both, s, 1.0), y)
        t_low, t_high = xp.where(left, s_low, 1.0), xp.where(right, s_high, 1.0)
        bent = t_low * xp.where(right, c_high, 0.0)
        if by_n:
            log = digamma_difference(
                xp.where(right, k - n, high), xp.where(right, above - (k - n), k)
            )
        else:
            log = digamma(xp.where(right, k - n, high)) - digamma(xp.where(left, -k, low))
            bent = xp.where(left, c_low, 0.0) * t_high - bent
        return xp.where(there, rest * (t_low * t_high * log + bent), 0 * y)

    return slope


def _box(y: Any, n: Any, k: Any) -> Any:
    """Whole numbers to 100 with an exact result, real ones to 10, or to 1000 with k whole to 19."""
    whole = (n <= 100) & (n % 1 == 0) & (k % 1 == 0) & ((y % 1 == 0) | (y > 1e14))
    few = (n >= 0.01) & (n <= 10) & (k >= 0.01) & (k % 1 > 0) & (k < n + 1)
    counted = (n <= 1000) & (n % 1 > 0) & (k % 1 == 0) & (k < 20)
    return (n >= 0) & (k >= 0) & (few | (k <= n) & (whole | counted))


@elementwise(
    derivatives=(_binom_slope(True), _binom_slope(False)),
    numpy="scipy.special:binom",
    torch="scipy.special:binom",
    box=_box,
    usual=((0.1, 10.0), (0.05, 0.999)),
)
def binom(n: A, k: A | Numbers) -> A:
    """Return the binomial coefficient, of real numbers too.

    Parameters
    ----------
    n, k : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where `n` is a negative integer.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    ``1 / (k beta(n - k + 1, k))`` (DLMF 1.2.6 and 5.12.1), where `k` is the smaller of `k` and
    ``n - k`` if both are whole; for a whole `k` above an `n` that isn't whole,
    ``binom(k - n - 1, k)``.
    Exact for whole numbers up to 5e13 (5e5 in float32). Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import binom
    >>> binom(np.asarray([5.0, 0.5]), 2.0)
    array([10.   , -0.125])
    """
    xp = array_namespace(n, k)
    whole = _is_integer(n) & _is_integer(k)
    less = xp.where(whole & (n - k < k) & (n > 0), n - k, k)
    found = by_region(
        (n, less),
        # Of n beyond all digits of k, the quotient of gamma functions is a power.
        (n * xp.finfo(n.dtype).eps > less * less + 1, _by_power),
        rest=_by_beta,
    )
    found = _rounded(xp.where(less == 0, xp.ones_like(found), found), whole)
    found = xp.where((n == xp.inf) & (k > 0), xp.inf, found)
    found = xp.where((k < 0) & _is_integer(k) & ~((n < 0) & _is_integer(n)), 0.0, found)
    return xp.where((n < 0) & _is_integer(n) | xp.isnan(n + k) | xp.isinf(k), xp.nan, found)


def _by_power(n: Any, k: Any) -> Any:
    """n^k / gamma(k + 1), by halves where the power leaves the range."""
    xp = array_namespace(n, k)
    power, half, over = n**k, n ** (0.5 * k), rgamma(k + 1)
    beyond = (power == 0) | (power == xp.inf)
    found = xp.where(beyond, half * (half * over), power * over)
    return xp.where((half == 0) | (half == xp.inf), half, found)


def _by_beta(n: Any, k: Any) -> Any:
    """By the larger of two beta functions, which leaves the range later.

    Where n + 1 and n - k + 1 are below 0, and of a whole k above n, by binom(k - n - 1, k) and a
    quotient of sines, (-1)^k (DLMF 1.2.6): n - k + 1 has lost what n is more than a whole one.
    """
    xp = array_namespace(n, k)
    down = (n < -0.5) & (k > n + 1) | (n < k) & _is_integer(k) & (k >= 0)
    down = down & ~_is_integer(n)
    low = xp.where(down, -n, xp.where(n < 1e8 * xp.abs(k), n - k + 1, n + (1 - k)))
    m, j = xp.round(n), xp.round(k)
    s = turned(m, n - m)[0]
    sign = xp.where(down, -turned(m - j + 1, (n - m) - (k - j))[0] / s, 1.0)
    sign = xp.where(down & (j == k), 1 - 2 * (k - 2 * xp.floor(0.5 * k)), sign)
    large = k >= 1
    found = beta_itself(low, xp.where(large, k, k + 1))
    return sign / (xp.where(large, k, xp.where(down, k - n, n + 1)) * found)


def _exactly(function: str, *numbers: Any) -> tuple[int, ...]:
    """Whole numbers of the host's, which alone have exact results of any size."""
    out = []
    for n in numbers:
        if (not isinstance(n, (int, float)) and not hasattr(n, "__index__")) or hasattr(n, "ndim"):
            item = (
                n.item() if getattr(n, "ndim", 1) == 0 and type(n).__module__ == "numpy" else None
            )
            if item is None:
                raise ArgumentError(
                    f"{function}: with exact=True arguments must be Python's integers, got "
                    f"{type(n).__name__}; leave exact=False for arrays"
                )
            n = item
        if int(n) != n:
            raise ArgumentError(
                f"{function}: with exact=True arguments must be whole numbers, got {n!r}"
            )
        out.append(int(n))
    return tuple(out)


def _two(function: str, N: Any, k: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(N, k)
    N, k = _plan.common_floating(function, xp, ("N", "k"), N, k, real=True)
    _plan.broadcast(function, N=tuple(N.shape), k=tuple(k.shape))
    return xp, N, k


Extend = Literal["zero", "complex"]


@public_of_elements
def comb(N: A | Numbers, k: A | Numbers, *, exact: bool = False, repetition: bool = False) -> Any:
    """Return the number of ways to choose `k` things of `N`.

    Parameters
    ----------
    N, k : array
        Real; they broadcast.
    exact : bool, optional
        Whether to return a Python integer, for Python's integers.
    repetition : bool, optional
        Whether a thing may be chosen again.

    Returns
    -------
    array or int
        Of their common floating dtype; 0 where `k` is above `N`, or one of them is negative.

    Raises
    ------
    ArgumentError
        If `exact`, and an argument is an array or not a whole number.
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    `binom`, with the same precision. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import comb
    >>> comb(np.asarray([10, 10]), np.asarray([3, 4]))
    array([120., 210.])
    >>> comb(100, 50, exact=True)
    100891344545564193334812497256
    """
    if exact:
        n, j = _exactly("comb", N, k)
        if repetition:
            if j == 0:
                return int(n >= 0)
            n = n + j - 1
        return math.comb(n, j) if 0 <= j <= n else 0
    xp, n, j = _two("comb", N, k)
    if repetition:
        found = binom(n + j - 1, j)
        return xp.where((j == 0) & (n >= 0), xp.ones_like(found), found)
    return _comb(n, j)


def _comb_box(y: Any, n: Any, k: Any) -> Any:
    """Ordinary arguments of `binom`, and where it is 0."""
    return (y == 0) | _box(y, n, k)


@native(numpy="likewise._libs.numpy._whole:comb", box=_comb_box, usual=((0.01, 10.0), (0.01, 10.0)))
def _comb(n: Any, j: Any) -> Any:
    xp = array_namespace(n, j)
    inside = (j <= n) & (n >= 0) & (j >= 0)
    found = binom(xp.where(inside, n, 1.0), xp.where(inside, j, 0.0))
    return xp.where(inside, found, xp.zeros_like(found))


@public_of_elements
def perm(N: A | Numbers, k: A | Numbers, exact: bool = False) -> Any:
    """Return the number of ways to arrange `k` things of `N` in a row.

    Parameters
    ----------
    N, k : array
        Real; they broadcast.
    exact : bool, optional
        Whether to return a Python integer, for Python's integers.

    Returns
    -------
    array or int
        Of their common floating dtype; 0 where `k` is above `N`, or one of them is negative.

    Raises
    ------
    ArgumentError
        If `exact`, and an argument is an array or not a whole number.
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    ``poch(N - k + 1, k)``; exact for whole numbers up to 5e13 (5e5 in float32). Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import perm
    >>> perm(np.asarray([10, 5]), np.asarray([3, 5]))
    array([720., 120.])
    """
    if exact:
        n, j = _exactly("perm", N, k)
        return math.perm(n, j) if 0 <= j <= n else 0
    _, n, j = _two("perm", N, k)
    return _perm(n, j)


def _perm_box(y: Any, n: Any, k: Any) -> Any:
    """Ordinary arguments of `poch`, whole ones with an exact result; and where it is 0."""
    exact = (n % 1 > 0) | (k % 1 > 0) | (y % 1 == 0) | (y > 1e14)
    return (y == 0) | poch_box(y, n - k + 1, k) & exact


@native(numpy="likewise._libs.numpy._whole:perm", box=_perm_box, usual=((0.01, 11.0), (1e-7, 11.0)))
def _perm(n: Any, j: Any) -> Any:
    xp = array_namespace(n, j)
    inside = (j <= n) & (n >= 0) & (j >= 0)
    n, j = xp.where(inside, n, 1.0), xp.where(inside, j, 0.0)
    with quiet(n):
        start = n - j + 1
    found = _rounded(poch(start, j), _is_integer(n) & _is_integer(j))
    return xp.where(inside, found, xp.zeros_like(found))


def _factorial_argument(function: str, n: Any, exact: bool, extend: str) -> Any:
    """The array, and whether it holds integers; or the integer, if `exact`."""
    _plan.choice(function, "extend", extend, ("zero", "complex"))
    if exact and extend == "complex":
        raise ArgumentError(
            f"{function}: exact=True is for whole numbers, extend='complex' for others; got both"
        )
    if exact:
        return _exactly(function, n)[0], True
    xp = array_namespace(n)
    (x,) = _plan.common_floating(function, xp, ("n",), n, real=True)
    whole = isinstance(n, int) or (hasattr(n, "dtype") and not xp.isdtype(n.dtype, "real floating"))
    return x, whole


@public
def factorial(n: A | Numbers, exact: bool = False, extend: Extend | str = "zero") -> Any:
    """Return the factorial, of real numbers too: ``gamma(n + 1)``.

    Parameters
    ----------
    n : array
        Real, any shape.
    exact : bool, optional
        Whether to return a Python integer, for a Python integer.
    extend : {'zero', 'complex'}, optional
        Whether negative numbers give 0, or what the gamma function gives.

    Returns
    -------
    array or int
        Of the shape of `n` and its floating dtype.

    Raises
    ------
    ArgumentError
        If `exact`, and `n` is an array or not a whole number, or `extend` is 'complex'.
    DtypeError
        If `n` doesn't hold real numbers.

    Notes
    -----
    `gamma`, with its precision. Differentiable.

    Differs from SciPy: no complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import factorial
    >>> factorial(np.asarray([-1.0, 0.0, 5.0]))
    array([  0.,   1., 120.])
    >>> factorial(25, exact=True)
    15511210043330985984000000
    """
    x, _ = _factorial_argument("factorial", n, exact, extend)
    if exact:
        return math.factorial(x) if x >= 0 else 0
    xp = array_namespace(x)
    if extend == "complex":
        return gamma(x + 1)
    below = x < 0
    found = gamma(xp.where(below, xp.zeros_like(x), x) + 1)
    return xp.where(below, xp.zeros_like(found), found)


@public
def factorial2(n: A | Numbers, exact: bool = False, extend: Extend | str = "zero") -> Any:
    """Return the double factorial, the product of every second number down from `n`.

    Parameters
    ----------
    n : array
        Integers of any shape; with ``extend='complex'`` real numbers.
    exact : bool, optional
        Whether to return a Python integer, for a Python integer.
    extend : {'zero', 'complex'}, optional
        'zero': negative numbers give 0. 'complex': the analytic function through the odd integers,
        which differs at even integers by a factor of ``sqrt(2 / pi)``.

    Returns
    -------
    array or int
        Of the shape of `n` and its floating dtype.

    Raises
    ------
    ArgumentError
        If `exact`, and `n` is an array or not a whole number, or `extend` is 'complex'.
    DtypeError
        If `n` holds real numbers without ``extend='complex'``, or no numbers.

    Notes
    -----
    ``2**(n / 2) gamma(n / 2 + 1)``, times ``sqrt(2 / pi)`` for odd numbers (DLMF 5.4.2).
    Differentiable with ``extend='complex'``.

    Differs from SciPy: no complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import factorial2
    >>> factorial2(np.asarray([0, 7, 8]))
    array([  1., 105., 384.])
    """
    x, whole = _factorial_argument("factorial2", n, exact, extend)
    if exact:
        return math.prod(range(x, 0, -2)) if x >= 0 else 0
    xp = array_namespace(x)
    root = math.sqrt(2 / math.pi)
    with quiet(x):
        if extend == "complex":
            return root * 2.0 ** (0.5 * x) * gamma(0.5 * x + 1)
        if not whole:
            raise DtypeError(
                f"factorial2: n must hold integers, got {x.dtype}; real numbers take "
                "extend='complex', which changes the values at even integers"
            )
        below = x < 0
        x = xp.where(below, xp.zeros_like(x), x)
        odd = x - 2 * xp.floor(0.5 * x)
        found = 2.0 ** (0.5 * (x - odd)) * gamma(0.5 * x + 1)
        found = xp.where(odd == 1, found * (root * math.sqrt(2.0)), found)
        return xp.where(below, xp.zeros_like(found), _rounded(found, below | ~below))
