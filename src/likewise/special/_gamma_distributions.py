"""Distribution functions that are incomplete gamma functions: chi-square, Poisson and gamma."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import elementwise
from ._gammainc import (
    gammainc,
    gammainc_by_a,
    gammainc_density,
    gammaincc,
    lower_box,
    moved_by_a,
    upper_box,
)
from ._gammaincinv import gammainccinv
from ._gammaincinv import upper_box as inverse_box

__all__ = ["chdtr", "chdtrc", "chdtri", "gdtr", "pdtr", "pdtrc"]


def _zero(y: Any, *_: Any) -> Any:
    """The derivative in an argument that is rounded to whole numbers."""
    return array_namespace(y).zeros_like(y)


def _shape(k: Any) -> Any:
    """The shape of the gamma distribution that more than k events have; NaN of none."""
    xp = array_namespace(k)
    return xp.where(k < 0, xp.nan, xp.floor(k) + 1)


def _count_density(k: Any, m: Any) -> Any:
    return gammainc_density(_shape(k), m)


def _lower_half(y: Any, v: Any, x: Any) -> Any:
    """Below 2e5 degrees of freedom, and neither argument nor result close to 0."""
    return lower_box(y, 0.5 * v, 0.5 * x)


def _upper_half(y: Any, v: Any, x: Any) -> Any:
    """Below 2e5 degrees of freedom, not just above one, and nothing close to 0."""
    return upper_box(y, 0.5 * v, 0.5 * x)


def _inverse_half(y: Any, v: Any, p: Any) -> Any:
    """Below 2e5 degrees of freedom, not just above one, neither argument nor result close to 0."""
    return inverse_box(0.5 * y, 0.5 * v, p)


def _upper_count(y: Any, k: Any, m: Any) -> Any:
    """From 0 to 1e5 events, and neither argument nor result close to 0."""
    return (k >= 0) & upper_box(y, k + 1, m)


def _lower_count(y: Any, k: Any, m: Any) -> Any:
    """From 0 to 1e5 events, and neither argument nor result close to 0."""
    return (k >= 0) & lower_box(y, k + 1, m)


def _rated(y: Any, a: Any, b: Any, x: Any) -> Any:
    """A shape below 1e5, nothing negative, and neither argument nor result close to 0."""
    return (a >= 0) & (x >= 0) & lower_box(y, b, a * x)


@elementwise(
    derivatives=(
        lambda y, v, x: 0.5 * gammainc_by_a(0.5 * v, 0.5 * x),
        lambda y, v, x: 0.5 * gammainc_density(0.5 * v, 0.5 * x),
    ),
    numpy="scipy.special:chdtr",
    torch="scipy.special:chdtr",
    box=_lower_half,
    usual=((1e-6, 40.0), (1e-11, 1e3)),
)
def chdtr(v: A | Numbers, x: A | Numbers) -> Any:
    """Return the distribution function of chi-square with `v` degrees of freedom.

    Parameters
    ----------
    v, x : array
        Real; they broadcast.

    Returns
    -------
    array
        ``gammainc(v / 2, x / 2)``, of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammainc`. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtr
    >>> chdtr(2.0, np.asarray([0.0, 1.0, 9.0])).round(6)
    array([0.      , 0.393469, 0.988891])
    """
    shape: Any = 0.5 * v
    return gammainc(shape, 0.5 * x)


@elementwise(
    derivatives=(
        lambda y, v, x: -0.5 * gammainc_by_a(0.5 * v, 0.5 * x),
        lambda y, v, x: -0.5 * gammainc_density(0.5 * v, 0.5 * x),
    ),
    numpy="scipy.special:chdtrc",
    torch="scipy.special:chdtrc",
    box=_upper_half,
)
def chdtrc(v: A | Numbers, x: A | Numbers) -> Any:
    """Return the survival function of chi-square with `v` degrees of freedom.

    Parameters
    ----------
    v, x : array
        Real; they broadcast.

    Returns
    -------
    array
        ``gammaincc(v / 2, x / 2)``, of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammaincc`. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtrc
    >>> chdtrc(2.0, np.asarray([0.0, 1.0, 200.0]))
    array([1.00000000e+00, 6.06530660e-01, 3.72007598e-44])
    """
    shape: Any = 0.5 * v
    return gammaincc(shape, 0.5 * x)


@elementwise(
    derivatives=(
        lambda y, v, p: moved_by_a(0.5 * v, 0.5 * y),
        lambda y, v, p: -2 / gammainc_density(0.5 * v, 0.5 * y),
    ),
    numpy="scipy.special:chdtri",
    torch="scipy.special:chdtri",
    box=_inverse_half,
    usual=((1.06, 1e3), (1e-20, 0.999999)),
)
def chdtri(v: A | Numbers, p: A | Numbers) -> Any:
    """Return the inverse of `chdtrc` in its second argument: `x`, where it is `p`.

    Parameters
    ----------
    v, p : array
        Real; they broadcast.

    Returns
    -------
    array
        ``2 * gammainccinv(v / 2, p)``, of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammainccinv`. Differentiable in both arguments; in `v` only twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtri
    >>> chdtri(2.0, np.asarray([0.0, 1e-3, 1.0])).round(6)
    array([      inf, 13.815511,  0.      ])
    """
    shape: Any = 0.5 * v
    return 2 * gammainccinv(shape, p)


@elementwise(
    derivatives=(
        _zero,
        lambda y, k, m: -_count_density(k, m),
    ),
    numpy="scipy.special:pdtr",
    torch="scipy.special:pdtr",
    box=_upper_count,
    usual=((0.0, 100.0), (0.0, 500.0)),
)
def pdtr(k: A | Numbers, m: A | Numbers) -> Any:
    """Return the probability of at most `k` events of a Poisson process with mean `m`.

    Parameters
    ----------
    k, m : array
        Real; they broadcast. Only the whole part of `k` is used.

    Returns
    -------
    array
        ``gammaincc(floor(k) + 1, m)``, of their common floating dtype; NaN where one is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammaincc`. Differentiable in `m`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import pdtr
    >>> pdtr(np.asarray([0, 1, 5]), 1.5).round(6)
    array([0.22313 , 0.557825, 0.995544])
    """
    return gammaincc(_shape(k), m)


@elementwise(
    derivatives=(
        _zero,
        lambda y, k, m: _count_density(k, m),
    ),
    numpy="scipy.special:pdtrc",
    torch="scipy.special:pdtrc",
    box=_lower_count,
    usual=((0.0, 15.0), (1e-12, 1e3)),
)
def pdtrc(k: A | Numbers, m: A | Numbers) -> Any:
    """Return the probability of more than `k` events of a Poisson process with mean `m`.

    Parameters
    ----------
    k, m : array
        Real; they broadcast. Only the whole part of `k` is used.

    Returns
    -------
    array
        ``gammainc(floor(k) + 1, m)``, of their common floating dtype; NaN where one is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammainc`. Differentiable in `m`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import pdtrc
    >>> pdtrc(np.asarray([0, 1, 5]), 1.5).round(6)
    array([0.77687 , 0.442175, 0.004456])
    """
    return gammainc(_shape(k), m)


@elementwise(
    derivatives=(
        lambda y, a, b, x: x * gammainc_density(b, a * x),
        lambda y, a, b, x: gammainc_by_a(b, a * x),
        lambda y, a, b, x: a * gammainc_density(b, a * x),
    ),
    numpy="scipy.special:gdtr",
    torch="scipy.special:gdtr",
    box=_rated,
    usual=((1e-3, 1e3), (1e-7, 20.0), (1e-9, 1e3)),
)
def gdtr(a: A | Numbers, b: A | Numbers, x: A | Numbers) -> Any:
    """Return the distribution function of gamma, with rate `a` and shape `b`.

    Parameters
    ----------
    a, b, x : array
        Real; they broadcast.

    Returns
    -------
    array
        ``gammainc(b, a x)``, of their common floating dtype; NaN where `x` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammainc`. Differentiable in all arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gdtr
    >>> gdtr(0.5, 2.0, np.asarray([0.0, 1.0, 10.0])).round(6)
    array([0.      , 0.090204, 0.959572])
    """
    xp = array_namespace(a, x)
    return gammainc(b, xp.where(x < 0, xp.nan, a * x))
