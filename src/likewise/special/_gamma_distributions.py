"""Distribution functions that are incomplete gamma functions: chi-square, Poisson and gamma."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace
from .._native import of_one_kind, public
from .._typing import A, Numbers
from ._gammainc import gammainc, gammaincc
from ._gammaincinv import gammainccinv

__all__ = ["chdtr", "chdtrc", "chdtri", "gdtr", "pdtr", "pdtrc"]


def _planned(function: str, names: tuple[str, ...], *args: Any) -> Any:
    xp = array_namespace(*args)
    arrays = _plan.common_floating(function, xp, names, *args, real=True)
    _plan.broadcast(function, **{n: tuple(x.shape) for n, x in zip(names, arrays, strict=True)})
    return xp, *arrays


@public
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
    As `gammainc`, differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtr
    >>> chdtr(2.0, np.asarray([0.0, 1.0, 9.0])).round(6)
    array([0.      , 0.393469, 0.988891])
    """
    _, v, x = _planned("chdtr", ("v", "x"), v, x)
    halves: Any = (0.5 * v, 0.5 * x)
    return gammainc(*halves)


@public
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
    As `gammaincc`, differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtrc
    >>> chdtrc(2.0, np.asarray([0.0, 1.0, 200.0]))
    array([1.00000000e+00, 6.06530660e-01, 3.72007598e-44])
    """
    _, v, x = _planned("chdtrc", ("v", "x"), v, x)
    halves: Any = (0.5 * v, 0.5 * x)
    return gammaincc(*halves)


@public
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
    As `gammainccinv`, differentiable in both arguments; in `v` twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import chdtri
    >>> chdtri(2.0, np.asarray([0.0, 1e-3, 1.0])).round(6)
    array([      inf, 13.815511,  0.      ])
    """
    _, v, p = _planned("chdtri", ("v", "p"), v, p)
    half: Any = 0.5 * v
    return 2 * gammainccinv(half, p)


@public
def pdtr(k: A | Numbers, m: A | Numbers) -> Any:
    """Return the probability of at most `k` events, of which a Poisson process expects `m`.

    Parameters
    ----------
    k, m : array
        Real; they broadcast. Of `k`, the whole part counts.

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
    As `gammaincc`, differentiable in `m`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import pdtr
    >>> pdtr(np.asarray([0, 1, 5]), 1.5).round(6)
    array([0.22313 , 0.557825, 0.995544])
    """
    xp, k, m = _planned("pdtr", ("k", "m"), k, m)
    return gammaincc(xp.where(k < 0, xp.nan, xp.floor(k) + 1), m)


@public
def pdtrc(k: A | Numbers, m: A | Numbers) -> Any:
    """Return the probability of more than `k` events, of which a Poisson process expects `m`.

    Parameters
    ----------
    k, m : array
        Real; they broadcast. Of `k`, the whole part counts.

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
    As `gammainc`, differentiable in `m`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import pdtrc
    >>> pdtrc(np.asarray([0, 1, 5]), 1.5).round(6)
    array([0.77687 , 0.442175, 0.004456])
    """
    xp, k, m = _planned("pdtrc", ("k", "m"), k, m)
    return gammainc(xp.where(k < 0, xp.nan, xp.floor(k) + 1), m)


@public
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
    As `gammainc`, differentiable in all arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gdtr
    >>> gdtr(0.5, 2.0, np.asarray([0.0, 1.0, 10.0])).round(6)
    array([0.      , 0.090204, 0.959572])
    """
    xp, *arrays = _planned("gdtr", ("a", "b", "x"), a, b, x)
    a, b, x = of_one_kind(*arrays)
    return gammainc(b, xp.where(x < 0, xp.nan, a * x))
