"""Distribution functions of counts that are incomplete beta functions: binomial and negative
binomial."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace
from .._native import native
from .._typing import A, Numbers
from ._betainc import betainc, betaincc
from ._function import public_of_elements

__all__ = ["bdtr", "bdtrc", "nbdtr"]


def _planned(function: str, **args: Any) -> Any:
    xp = array_namespace(*args.values())
    arrays = _plan.common_floating(function, xp, tuple(args), *args.values(), real=True)
    shapes = {n: tuple(x.shape) for n, x in zip(args, arrays, strict=True)}
    _plan.broadcast(function, **shapes)
    return xp, *arrays


def _binomial(xp: Any, k: Any, n: Any) -> tuple[Any, Any, Any]:
    """The parameters, NaN outside of the domain, and whether all trials may succeed."""
    k, n = xp.floor(k), xp.trunc(n)
    good = (k >= 0) & (k <= n) & xp.isfinite(n)
    more = xp.where(good & (k < n), n, 1.0) - xp.where(good & (k < n), k, 0.0)
    return xp.where(good, k + 1, xp.nan), more, k == n


def _box(y: Any, k: Any, n: Any, p: Any) -> Any:
    """Counts from 0 to 100, and a probability up to 0.99999, or 1."""
    right = (k >= 0) & (k <= 100) & (n >= 0) & (n <= 100)
    return right & (p >= 0) & ((p <= 0.99999) | (p == 1))


_USUAL = ((0.0, 100.0), (0.0, 100.0), (0.0, 0.99999))


@public_of_elements
def bdtr(k: A | Numbers, n: A | Numbers, p: A | Numbers) -> Any:
    """Return the probability of at most `k` successes in `n` trials, each of probability `p`.

    Parameters
    ----------
    k, n, p : array
        Real; they broadcast. Only the whole parts of `k` and `n` are used.

    Returns
    -------
    array
        ``betaincc(k + 1, n - k, p)``, of their common floating dtype; NaN where `k` is negative or
        above `n`, `n` is infinite, or `p` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `betaincc`. Differentiable in `p`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import bdtr
    >>> bdtr(np.asarray([0, 2, 4]), 4, 0.25).round(6)
    array([0.316406, 0.949219, 1.      ])
    """
    _, k, n, p = _planned("bdtr", k=k, n=n, p=p)
    return _bdtr(k, n, p)


@native(numpy="likewise._libs.numpy._whole:bdtr", box=_box, usual=_USUAL)
def _bdtr(k: Any, n: Any, p: Any) -> Any:
    xp = array_namespace(k, n, p)
    a, b, all_ = _binomial(xp, k, n)
    found = betaincc(a, b, p)
    return xp.where(all_ & ~xp.isnan(found), 1.0, found)


@public_of_elements
def bdtrc(k: A | Numbers, n: A | Numbers, p: A | Numbers) -> Any:
    """Return the probability of more than `k` successes in `n` trials, each of probability `p`.

    Parameters
    ----------
    k, n, p : array
        Real; they broadcast. Only the whole parts of `k` and `n` are used.

    Returns
    -------
    array
        ``betainc(k + 1, n - k, p)``, of their common floating dtype, and 1 where `k` is negative;
        NaN where `k` is above `n`, `n` is infinite, or `p` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `betainc`. Differentiable in `p`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import bdtrc
    >>> bdtrc(np.asarray([-1, 2, 4]), 4, 0.25).round(6)
    array([1.      , 0.050781, 0.      ])
    """
    _, k, n, p = _planned("bdtrc", k=k, n=n, p=p)
    return _bdtrc(k, n, p)


@native(numpy="likewise._libs.numpy._whole:bdtrc", box=_box, usual=_USUAL)
def _bdtrc(k: Any, n: Any, p: Any) -> Any:
    xp = array_namespace(k, n, p)
    a, b, all_ = _binomial(xp, k, n)
    below = xp.isfinite(n) & (k < 0)  # in this order: k may be no array of a transform
    found = betainc(xp.where(below, 1.0, a), b, p)
    there = ~xp.isnan(found)
    found = xp.where(below & there, 1.0, found)
    return xp.where(all_ & ~below & there, 0.0, found)


@public_of_elements
def nbdtr(k: A | Numbers, n: A | Numbers, p: A | Numbers) -> Any:
    """Return the probability of at most `k` failures before `n` successes, each of probability `p`.

    Parameters
    ----------
    k, n, p : array
        Real; they broadcast. Only the whole parts of `k` and `n` are used.

    Returns
    -------
    array
        ``betainc(n, k + 1, p)``, of their common floating dtype; NaN where `k` is negative, `n` is
        below 1, one of them is infinite, or `p` isn't between 0 and 1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `betainc`. Differentiable in `p`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import nbdtr
    >>> nbdtr(np.asarray([0, 2, 40]), 4, 0.25).round(6)
    array([0.003906, 0.037598, 0.998055])
    """
    _, k, n, p = _planned("nbdtr", k=k, n=n, p=p)
    return _nbdtr(k, n, p)


@native(numpy="likewise._libs.numpy._whole:nbdtr", box=_box, usual=_USUAL)
def _nbdtr(k: Any, n: Any, p: Any) -> Any:
    xp = array_namespace(k, n, p)
    k, n = xp.trunc(k), xp.trunc(n)
    good = (k >= 0) & (n >= 1) & xp.isfinite(k) & xp.isfinite(n)
    return betainc(xp.where(good, n, xp.nan), xp.where(good, k + 1, 1.0), p)
