"""The distributions of Student and of Fisher: incomplete beta functions whose argument x and 1 - x
are both known to all digits."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._betainc import tail
from ._betainc_parts import prefactor, single
from ._betainc_slopes import tail_by_shape
from ._digamma import digamma_difference
from ._function import elementwise, no_derivative, pair
from ._log import log1p
from ._polynomial import polynomial

__all__ = ["fdtr", "fdtrc", "stdtr", "stdtr_density", "student_move"]

# -- Student's t -----------------------------------------------------------------------------------

# From these degrees of freedom on the distribution is the normal one.
_NORMAL = {True: 1e16, False: 1e24}
# Beyond so many times sqrt(df) the tail is a power of t, as (t / sqrt(df))^2 may overflow.
_POWER = {True: 1e9, False: 1e60}
# Nearer to 0, over sqrt(df) or 1, the density is what it is there.
_FLAT = {True: 1e-5, False: 1e-9}
# For df above so many (1 + t^2)^2 the derivative in df is by Fisher's expansion.
_MANY = {True: 30.0, False: 4e3}
_FISHER = (
    (1 / 4, 1 / 4),
    (-3 / 48, -5 / 48, -7 / 48, 3 / 48),
    (-15 / 128, -3 / 128, 6 / 128, 14 / 128, -11 / 128, 1 / 128),
)


def _student(df: Any, t: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Safe degrees of freedom, abs(t) / sqrt(df) and how much less was taken for it, and the
    argument of the incomplete beta function with its complement."""
    xp = array_namespace(df, t)
    one = single(df + t)
    n = xp.where(df > 0, xp.where(df < _NORMAL[one], df, _NORMAL[one]), 1.0)
    r = xp.where(xp.isfinite(t), xp.abs(t), 1.0) / xp.sqrt(n)
    r = xp.where(xp.isfinite(r), r, xp.finfo(r.dtype).max)
    far = r > _POWER[one]
    near = xp.where(far, _POWER[one], r)
    x = 1 / (1 + near * near)
    return n, r, xp.where(far, near / xp.where(far, r, 1.0), 1.0), x, near * near * x


def _inside(df: Any, t: Any, found: Any) -> Any:
    xp = array_namespace(df, t)
    return xp.where((df > 0) & ~xp.isnan(t), found, xp.nan)


def _density_by_df(y: Any, df: Any, t: Any) -> Any:
    r = t / df * t
    half = 0.5 * array_namespace(df).ones_like(df)
    rise = digamma_difference(0.5 * df, half) - log1p(r) - 1 / df
    return 0.5 * y * (rise + (df + 1) / df * (r / (1 + r)))


@elementwise(
    derivatives=(
        _density_by_df,
        lambda y, df, t: -y * (df + 1) * t / (df + t * t),
    )
)
def stdtr_density(df: Any, t: Any) -> Any:
    """The density of Student's t."""
    xp = array_namespace(df, t)
    n, r, _, _, _ = _student(df, t)
    root = xp.sqrt(n)
    least = _FLAT[single(r)] * xp.where(root > 1, 1 / root, 1.0)
    n, r, less, x, y = _student(df, xp.where(r > least, r, least) * root)
    found = prefactor(0.5 * n, xp.full_like(r, 0.5), x, y) * less**n / (r * root)
    return _inside(df, t, xp.where(xp.isinf(t), 0.0, found))


def _by_many(df: Any, t: Any) -> Any:
    """The derivative in df by the expansion of the distribution function about the normal one
    (R. A. Fisher, Metron 5 (1925), 109); of two large terms the other methods leave this one."""
    q, over = t * t, 1 / df
    total = polynomial([polynomial(c, q) for c in _FISHER], over)
    return t * array_namespace(t).exp(-0.5 * q) / math.sqrt(2 * math.pi) * over * over * total


def _slope(df: Any, t: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Safe degrees of freedom; where t is 0, and the power that is left of the tail far out; how
    the tail moves with df, and its front factor, both without that power."""
    xp = array_namespace(df, t)
    n, r, less, x, y = _student(df, t)
    zero = r == 0
    x, y = xp.where(zero, 0.5, x), xp.where(zero, 0.5, y)
    half = xp.full_like(r, 0.5)
    slope, front = tail_by_shape(0.5 * n, half, x, y, half == half)
    # Where less was taken, the tail is its power alone.
    moved = xp.where(less < 1, xp.log(less) + 0.5, 0.5)
    return n, zero, less, 0.25 * slope + moved * front / n, front


@elementwise(
    derivatives=(
        no_derivative("stdtr: there is no second derivative in df; take differences of the first"),
        lambda y, df, t: _density_by_df(stdtr_density(df, t), df, t),
    )
)
def stdtr_by_df(df: Any, t: Any) -> Any:
    """The derivative of stdtr in df."""
    xp = array_namespace(df, t)
    n, zero, less, found, _ = _slope(df, t)
    found = less**n * found
    found = xp.where(t < 0, found, -found)
    square = 1 + t * t
    many = n > _MANY[single(t)] * square * square
    found = xp.where(many, _by_many(xp.where(many, n, 1.0), xp.where(many, t, 0.0)), found)
    found = xp.where(zero | xp.isinf(t) | xp.isinf(df), 0.0, found)
    return _inside(df, t, found)


@elementwise(
    derivatives=(
        no_derivative(
            "stdtrit: there is no second derivative in df; take differences of the first"
        ),
        lambda y, df, t: (df + 1) * t / (df + t * t) * y - _density_by_df(1, df, t),
    )
)
def student_move(df: Any, t: Any) -> Any:
    """The derivative of Student's t in df at a fixed probability."""
    _, zero, _, found, front = _slope(df, t)
    xp = array_namespace(df, t)
    return _inside(df, t, xp.where(zero, 0.0, t * (found / front)))


def _student_box(y: Any, df: Any, t: Any) -> Any:
    """A result above 1e-240 or surely 0."""
    size = abs(t)
    right = (df >= 1e-3) & (df < 1e12) & (size < 1e100) & ((df != 1) | (size > 0.01) | (t == 0))
    inside = right & (y > 1e-240)
    if inside is True:  # of one number
        return inside
    square = t * t  # the tail is less than (1 + square / df)**(-df / 2)
    none = (t < 0) & ((df + 1) * square > 1500 * (df + square))
    return inside | right & (y == 0) & none


@elementwise(
    derivatives=(lambda y, df, t: stdtr_by_df(df, t), lambda y, df, t: stdtr_density(df, t)),
    numpy="scipy.special:stdtr",
    torch="scipy.special:stdtr",
    box=_student_box,
    usual=((1.001, 1e6), (-20.0, 1e3)),
)
def stdtr(df: A | Numbers, t: A | Numbers) -> A:
    """Return the distribution function of Student's t with `df` degrees of freedom.

    Parameters
    ----------
    df, t : array
        Real; they broadcast. An infinite `df` gives the normal distribution.

    Returns
    -------
    array
        Of their common floating dtype; NaN where `df` isn't above 0.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Half of the incomplete beta function with parameters ``df / 2`` and 1/2 at ``1 / (1 + t**2 /
    df)`` (DLMF 8.17, as for `betainc`), or 1 minus that. The lower tail has all its digits.
    Differentiable in both arguments; in `df` only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import stdtr
    >>> stdtr(3.0, np.asarray([-50.0, 0.0, 2.0]))
    array([8.80857602e-06, 5.00000000e-01, 9.30337016e-01])
    """
    xp = array_namespace(df, t)
    n, r, less, x, y = _student(df, t)
    zero = r == 0
    x, y = xp.where(zero, 0.5, x), xp.where(zero, 0.5, y)
    found = 0.5 * tail(0.5 * n, xp.full_like(r, 0.5), x, y, True) * less**n
    found = xp.where(xp.isinf(t), 0.0, xp.where(zero, 0.5, found))
    return _inside(df, t, xp.where(t > 0, 1 - found, found))


# -- Fisher's F ------------------------------------------------------------------------------------


def _fisher(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """Where all is in the domain, and what the incomplete beta function takes; whether the upper
    tail is the small one, and by what the small tail is to be multiplied.

    Next to 0 the tail is a power of the argument, or depends on its product with the other shape
    alone (the gamma distribution). So where the argument would leave the range, it is taken as the
    least of the range, for such a shape that the product is right, or for one that is still huge.
    """
    xp = array_namespace(dfn, dfd, x)
    good = (dfn > 0) & (dfd > 0) & xp.isfinite(dfn) & xp.isfinite(dfd) & (x > 0) & xp.isfinite(x)
    a, b = xp.where(good, 0.5 * dfn, 1.0), xp.where(good, 0.5 * dfd, 1.0)
    a, b = xp.where(a == 0, dfn, a), xp.where(b == 0, dfd, b)  # of the least number no half
    x = xp.where(good, x, 1.0)
    least = 4 * xp.finfo(a.dtype).smallest_normal
    quotient = a / b
    plain = (quotient > least) & (quotient < 1 / least)
    r = xp.where(plain, quotient * x, a * (x / b))
    high = r > 1 / least
    beyond = high | (r < least)
    power, other = xp.where(high, b, a), xp.where(high, a, b)
    product = xp.where(high, b / x, a * x)
    many = product / least
    gamma = beyond & (many > 1e12 * (1 + power) ** 2)
    most = 0.01 * xp.finfo(a.dtype).eps / least
    shape = xp.where(gamma, many, xp.where(beyond & (other > most), most, other))
    apart = xp.log(power) + xp.where(high, -xp.log(x), xp.log(x)) - math.log(least) - xp.log(shape)
    log = xp.where(product > least, xp.log(many / shape), apart)
    factor = xp.exp(xp.where(beyond & ~gamma, power * log, 0.0))
    r = xp.where(high, 1 / least, xp.where(beyond, least, r))
    a, b = xp.where(high, shape, a), xp.where(high, b, shape)
    return good, a, b, r / (1 + r), 1 / (1 + r), high, factor


def _fisher_tail(dfn: Any, dfd: Any, x: Any, lower: bool) -> Any:
    xp = array_namespace(dfn, dfd, x)
    _, a, b, u, v, high, factor = _fisher(dfn, dfd, x)
    found = tail(a, b, u, v, lower)
    small = ~high if lower else high
    moved = xp.where(small, factor * found, 1 - factor * (1 - found))
    return xp.where(factor == 1, found, moved)


def _fisher_edges(dfn: Any, dfd: Any, x: Any, found: Any, zero: Any, far: float) -> Any:
    xp = array_namespace(dfn, dfd, x)
    finite = xp.isfinite(dfn) & xp.isfinite(dfd)
    found = xp.where(x == 0, zero, found)
    found = xp.where(xp.isinf(x), far, found)
    good = (dfn > 0) & (dfd > 0) & (x >= 0) & (finite | xp.isinf(x))
    return xp.where(good, found, xp.nan)


def _share(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any]:
    """log of the argument and of its complement; and how the density's logarithm moves by that of
    the argument over the complement."""
    r = dfn / dfd * x
    return -log1p(1 / r), -log1p(r), 0.5 * (dfn - dfd * r) / (1 + r)


def _density_by_shape(first: Any, y: Any, dfn: Any, dfd: Any, x: Any) -> Any:
    """In dfn where `first` is 1, else in dfd."""
    xp = array_namespace(first, dfn, dfd, x)
    upper, lower, move = _share(dfn, dfd, x)
    by_n = first == 1
    a, b = xp.where(by_n, dfn, dfd), xp.where(by_n, dfd, dfn)
    log = xp.where(by_n, upper, lower) + digamma_difference(0.5 * a, 0.5 * b)
    return y * (0.5 * log + xp.where(by_n, move, -move) / a)


@elementwise(
    derivatives=(
        *pair(_density_by_shape),
        lambda y, dfn, dfd, x: y * (_share(dfn, dfd, x)[2] - 1) / x,
    )
)
def fdtr_density(dfn: Any, dfd: Any, x: Any) -> Any:
    """The density of Fisher's F."""
    xp = array_namespace(dfn, dfd, x)
    good, a, b, u, v, _, factor = _fisher(dfn, dfd, x)
    found = factor * prefactor(a, b, u, v) / xp.where(good, x, 1.0)
    zero = xp.where(dfn < 2, xp.inf, xp.where(dfn == 2, xp.ones_like(x), 0.0))
    return _fisher_edges(dfn, dfd, x, found, zero, 0.0)


@elementwise(
    derivatives=(
        no_derivative("fdtr: argument 'first' is no number"),
        no_derivative("fdtr: there is no second derivative in dfn; take differences of the first"),
        no_derivative("fdtr: there is no second derivative in dfd; take differences of the first"),
        lambda y, first, dfn, dfd, x: _density_by_shape(
            first, fdtr_density(dfn, dfd, x), dfn, dfd, x
        ),
    )
)
def fdtr_by_shape(first: Any, dfn: Any, dfd: Any, x: Any) -> Any:
    """The derivative of fdtr in dfn where `first` is 1, in dfd where it is 0."""
    xp = array_namespace(first, dfn, dfd, x)
    _, a, b, u, v, _, factor = _fisher(dfn, dfd, x)
    by_a = first == 1
    slope, front = tail_by_shape(a, b, u, v, by_a)
    found = factor * 0.5 * (slope + front / xp.where(by_a, a, -b))
    return _fisher_edges(dfn, dfd, x, found, 0.0, 0.0)


def _fisher_box(y: Any, dfn: Any, dfd: Any, x: Any) -> Any:
    """Degrees of freedom from 0.1 to 100, and neither argument nor result close to 0."""
    right = (dfn >= 0.1) & (dfn <= 100) & (dfd >= 0.1) & (dfd <= 100)
    return right & (x >= 1e-3) & (x <= 1e3) & (y > 1e-240)


@elementwise(
    derivatives=(
        *pair(lambda first, y, dfn, dfd, x: fdtr_by_shape(first, dfn, dfd, x)),
        lambda y, dfn, dfd, x: fdtr_density(dfn, dfd, x),
    ),
    numpy="scipy.special:fdtr",
    torch="scipy.special:fdtr",
    box=_fisher_box,
    usual=((0.1, 100.0), (0.1, 100.0), (1e-3, 1e3)),
)
def fdtr(dfn: A | Numbers, dfd: A | Numbers, x: A | Numbers) -> A:
    """Return the distribution function of Fisher's F with `dfn` and `dfd` degrees of freedom.

    Parameters
    ----------
    dfn, dfd, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where degrees of freedom aren't above 0, or are
        infinite, or `x` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    `betainc` with parameters ``dfn / 2`` and ``dfd / 2`` at ``dfn x / (dfd + dfn x)``; 1 minus that
    argument is computed as ``dfd / (dfd + dfn x)``. Differentiable in all arguments; in the degrees
    of freedom only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import fdtr
    >>> fdtr(3.0, 8.0, np.asarray([0.0, 1.0, 50.0])).round(6)
    array([0.      , 0.558901, 0.999984])
    """
    return _fisher_edges(dfn, dfd, x, _fisher_tail(dfn, dfd, x, True), 0.0, 1.0)


@elementwise(
    derivatives=(
        *pair(lambda first, y, dfn, dfd, x: -fdtr_by_shape(first, dfn, dfd, x)),
        lambda y, dfn, dfd, x: -fdtr_density(dfn, dfd, x),
    ),
    numpy="scipy.special:fdtrc",
    torch="scipy.special:fdtrc",
    box=_fisher_box,
    usual=((0.1, 100.0), (0.1, 100.0), (1e-3, 1e3)),
)
def fdtrc(dfn: A | Numbers, dfd: A | Numbers, x: A | Numbers) -> A:
    """Return the survival function of Fisher's F, ``1 - fdtr(dfn, dfd, x)``.

    Parameters
    ----------
    dfn, dfd, x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where degrees of freedom aren't above 0, or are
        infinite, or `x` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `fdtr`; small results have all their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import fdtrc
    >>> fdtrc(3.0, 8.0, np.asarray([0.0, 1.0, 1e6]))
    array([1.00000000e+00, 4.41099080e-01, 1.24442984e-22])
    """
    return _fisher_edges(dfn, dfd, x, _fisher_tail(dfn, dfd, x, False), 1.0, 0.0)
