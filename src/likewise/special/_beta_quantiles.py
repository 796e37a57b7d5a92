"""Quantiles of distributions that are incomplete beta functions: Student's t and F."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._betainc import betainc_by_shape, betainc_density
from ._betainc_parts import log_beta, of_shapes
from ._betaincinv import odds_of
from ._function import by_region, elementwise, pair
from ._normal import ndtri, quantile
from ._student_fisher import stdtr_density, student_move

__all__ = ["fdtri", "stdtrit"]

# From so many degrees of freedom on the expansion about the normal distribution has all digits, for
# the smallest normal numbers as probabilities, too.
_NORMAL = {True: 1e5, False: 1e8}
_HEAVY = 1e-20  # of v in `_heavy`: (t^2 / df)^-1, which the odds may underflow to


def _single(x: Any) -> bool:
    return bool(x.dtype == array_namespace(x).float32)


# -- Student's t -----------------------------------------------------------------------------------


def _terms(z: Any) -> tuple[Any, Any, Any, Any]:
    """Return t's factors of powers of 1 / df, at normal quantile z (Abramowitz, Stegun 26.7.5)."""
    s = z * z
    return (
        z * (s + 1) / 4,
        z * (3 + s * (16 + 5 * s)) / 96,
        z * (-15 + s * (17 + s * (19 + 3 * s))) / 384,
        z * (-945 + s * (-1920 + s * (1482 + s * (776 + 79 * s)))) / 92160,
    )


def _log_v(df: Any, r: Any) -> Any:
    """The logarithm of (t^2 / df)^-1 where that is tiny: of 2 r = v^a / (a beta(a, 1/2))."""
    a = 0.5 * df
    xp = array_namespace(df)
    half = xp.full_like(a, 0.5)
    return (xp.log(2 * r) + xp.log(a) + log_beta(a, half, of_shapes(a, half))) / a


def _by_odds(df: Any, r: Any) -> Any:
    """Solve P(t < -s) = r as I(df / 2, 1/2) = 2 r at df / (df + s^2), or by the other tail."""
    xp = array_namespace(df, r)
    half, a = xp.full_like(df, 0.5), 0.5 * df
    low = r <= 0.25
    tail = xp.where(low, 2 * r, 1 - 2 * r)
    odds = odds_of(xp.where(low, a, half), xp.where(low, half, a), xp.where(tail > 0, tail, 0.25))
    # Two roots: of small odds, and of many degrees of freedom, the quotient may leave the range.
    root = xp.sqrt(odds)
    found = xp.sqrt(df) * xp.where(low, 1 / root, root)
    return xp.where(tail > 0, found, 0.0)


def _by_normal(df: Any, r: Any) -> Any:
    z = -quantile(r)
    first, second, *_ = _terms(z)
    return z + (first + second / df) / df


def _by_df(t: Any, df: Any, p: Any) -> Any:
    """By implicit differentiation; for many degrees of freedom, where that loses its digits, of
    what t is there."""
    xp = array_namespace(t)
    good = (df > 0) & xp.isfinite(df) & (p > 0) & (p < 1)
    other = xp.where(xp.isinf(df), xp.zeros_like(t), xp.nan)
    t, df, p = xp.where(good, t, 0.0), xp.where(good, df, 1.0), xp.where(good, p, 0.5)
    many = df > (300.0 if _single(t) else 3e4)
    z = ndtri(p)
    bent: Any = 0.0
    for k, term in reversed([*enumerate(_terms(z), 1)]):
        bent = (bent - k * term) / df
    middle = student_move(xp.where(many, 1.0, df), xp.where(many, 0.0, t))
    return xp.where(good, xp.where(many, bent / df, middle), other)


def _student_box(t: Any, df: Any, p: Any) -> Any:
    """Degrees of freedom from 0.02 to 2 or from 4 on, or 3, and a probability above 1e-50."""
    right = (df >= 4) & (df < 1e12) | (df >= 0.02) & (df <= 2) & (abs(t) < 1e50) | (df == 3)
    return right & (p > 1e-50) & (p < 1) & ((p != 0.5) | (t == 0))


@elementwise(
    derivatives=(_by_df, lambda t, df, p: 1 / stdtr_density(df, t)),
    numpy="scipy.special:stdtrit",
    torch="scipy.special:stdtrit",
    box=_student_box,
    usual=((0.2, 2.0), (1e-6, 0.999999)),
)
def stdtrit(df: A | Numbers, p: A | Numbers) -> A:
    """Return the quantile of Student's t distribution with `df` degrees of freedom.

    Parameters
    ----------
    df, p : array
        Real; they broadcast. An infinite `df` gives the normal distribution.

    Returns
    -------
    array
        Of their common floating dtype, -inf and inf at 0 and 1. NaN where `df` isn't positive, or
        `p` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    `betaincinv` gives ``df / (df + t**2)``; where that underflows, `t` is a power of `p`, and from
    1e8 degrees of freedom on (1e5 in float32) an expansion about `ndtri` (Abramowitz, Stegun
    26.7.5). Differentiable in both arguments; in `df` only once.

    **Differs from SciPy**: the quantile of 0 is -inf, not inf; and where `p` and `df` are tiny,
    SciPy's ends at 1e154.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import stdtrit
    >>> stdtrit(3.0, np.asarray([1e-6, 0.5, 0.975])).round(6)
    array([-103.299468,    0.      ,    3.182446])
    """
    xp = array_namespace(df, p)
    good = (df > 0) & (p > 0) & (p < 1)
    b, r = xp.where(good, df, 1.0), xp.where(good, p, 0.25)
    r = xp.minimum(r, 1 - r)
    many = b > _NORMAL[_single(b)]
    few = xp.where(many, 1.0, b)
    log = _log_v(few, r)
    size = by_region(
        (b, r, log),
        (many, lambda df, r, _: _by_normal(df, r)),
        (xp.exp(log) < _HEAVY, lambda df, r, log: xp.exp(0.5 * (xp.log(df) - log))),
        rest=lambda df, r, _: _by_odds(df, r),
    )
    found = xp.where(p == 0.5, 0.0, xp.where(p < 0.5, -size, size))
    found = xp.where(p == 0, -xp.inf, xp.where(p == 1, xp.inf, xp.where(good, found, xp.nan)))
    return xp.where(df > 0, found, xp.nan)


# -- F ---------------------------------------------------------------------------------------------


def _near(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """Return where odds / (1 + odds) is smaller than 1 / (1 + odds), the shapes for the smaller one
    of them, and itself."""
    xp = array_namespace(dfn, x)
    odds = x * (dfn / dfd)
    low = odds < 1
    a, b = 0.5 * dfn, 0.5 * dfd
    z = xp.where(low, odds / (1 + xp.where(low, odds, 1.0)), 1 / (1 + xp.where(low, 1.0, odds)))
    return low, xp.where(low, a, b), xp.where(low, b, a), z


def _weight(dfn: Any, dfd: Any, x: Any) -> Any:
    """The density times x."""
    _, a, b, z = _near(dfn, dfd, x)
    return betainc_density(a, b, z) * z * (1 - z)


def _inside(x: Any, found: Any) -> Any:
    """0 where x is: it stays there as shapes move, at p = 0 and by underflow."""
    return array_namespace(x).where(x == 0, 0.0, found)


def _by_p(x: Any, dfn: Any, dfd: Any, p: Any) -> Any:
    """One over the density; at x = 0 of what that is there."""
    xp = array_namespace(x)
    zero = xp.where(dfn < 2, 0.0, xp.where(dfn == 2, xp.ones_like(x), xp.inf))
    inner = xp.where(x == 0, xp.ones_like(x), x)
    return xp.where(x == 0, zero, x / _weight(dfn, dfd, inner))


def _by_shape(first: Any, x: Any, dfn: Any, dfd: Any, p: Any) -> Any:
    """In dfn where `first` is 1, else in dfd."""
    xp = array_namespace(first, x)
    low, a, b, z = _near(dfn, dfd, x)
    by_n = first == 1
    slope = betainc_by_shape(xp.where(by_n == low, xp.ones_like(z), 0.0), a, b, z)
    moved = xp.where(low, slope, -slope) / _weight(dfn, dfd, x)
    return _inside(x, x * (-0.5 * moved - 1 / xp.where(by_n, dfn, -dfd)))


def _fisher_box(x: Any, dfn: Any, dfd: Any, p: Any) -> Any:
    """Degrees of freedom from 0.1 to 40, and a probability from 1e-10 on."""
    right = (dfn >= 0.1) & (dfn <= 40) & (dfd >= 0.1) & (dfd <= 40)
    return right & (p >= 1e-10) & (p < 1) & (x > 1e-240) & (x < 1e240)


@elementwise(
    derivatives=(*pair(_by_shape), _by_p),
    numpy="scipy.special:fdtri",
    torch="scipy.special:fdtri",
    box=_fisher_box,
    usual=((0.2, 40.0), (0.2, 40.0), (1e-6, 0.999999)),
)
def fdtri(dfn: A | Numbers, dfd: A | Numbers, p: A | Numbers) -> A:
    """Return the quantile of the F distribution: `x`, where `fdtr` is `p`.

    Parameters
    ----------
    dfn, dfd, p : array
        Degrees of freedom of the numerator and of the denominator, and probabilities, real; they
        broadcast.

    Returns
    -------
    array
        Of their common floating dtype, 0 and infinity at 0 and 1. NaN where degrees of freedom
        aren't positive and finite, or `p` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    The odds ``y / (1 - y)`` of `betaincinv`'s result `y`, times ``dfd / dfn``. Differentiable in
    all arguments; in the degrees of freedom only once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import fdtri
    >>> fdtri(2.0, 5.0, np.asarray([0.0, 0.5, 0.95])).round(6)
    array([0.      , 0.79877 , 5.786135])
    """
    xp = array_namespace(dfn, dfd, p)
    some = (dfn > 0) & (dfd > 0) & xp.isfinite(dfn) & xp.isfinite(dfd)
    good = some & (p > 0) & (p < 1)
    n, d, r = (xp.where(good, v, s) for v, s in ((dfn, 1.0), (dfd, 1.0), (p, 0.25)))
    a, b, low = 0.5 * n, 0.5 * d, r <= 0.5
    odds = odds_of(xp.where(low, a, b), xp.where(low, b, a), xp.minimum(r, 1 - r))
    found = d / n * xp.where(low, odds, 1 / odds)
    found = xp.where(good, found, xp.nan)
    return xp.where(some, xp.where(p == 0, 0.0, xp.where(p == 1, xp.inf, found)), xp.nan)
