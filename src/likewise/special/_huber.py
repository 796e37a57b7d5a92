"""Losses that grow as squares near zero and as magnitudes further out."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import elementwise

__all__ = ["huber", "pseudo_huber"]


def _excess(xp: Any, delta: Any, r: Any) -> Any:
    """How far the magnitude of r is beyond delta."""
    over = xp.abs(r) - delta
    return xp.where(over > 0, over, xp.zeros_like(over))


@elementwise(
    derivatives=(
        lambda y, delta, r: _excess(array_namespace(r), delta, r),
        lambda y, delta, r: array_namespace(r).clip(r, -delta, delta),
    ),
    numpy="scipy.special:huber",
    torch="scipy.special:huber",
)
def huber(delta: A, r: A | Numbers) -> A:
    """Return Huber's loss, ``r**2 / 2``, or ``delta (abs(r) - delta / 2)`` beyond `delta`.

    Parameters
    ----------
    delta : array
        Where the loss turns from a square to a line, real.
    r : array
        Residuals, real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; inf where `delta` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    P. J. Huber, Ann. Math. Statist. 35 (1964), 73. Differentiable once in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import huber
    >>> huber(1.0, np.asarray([0.5, 3.0]))
    array([0.125, 2.5  ])
    """
    xp = array_namespace(delta, r)
    size = xp.abs(r)
    found = xp.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return xp.where(delta < 0, xp.inf, found)


def _box(y: Any, delta: Any, r: Any) -> Any:
    """No argument whose square leaves the range."""
    inside = (delta > 1e-140) & (delta < 1e140) & (abs(r) < 1e140) & (abs(r) < 1e140 * delta)
    return inside & ((y > 1e-290) | (r == 0) | (delta <= 1e5))


@elementwise(
    derivatives=(
        lambda y, delta, r: _pseudo(delta, r)[0],
        lambda y, delta, r: _pseudo(delta, r)[1],
    ),
    numpy="scipy.special:pseudo_huber",
    torch="scipy.special:pseudo_huber",
    box=_box,
    usual=((1e-30, 1e5), (-1e100, 1e100)),
)
def pseudo_huber(delta: A, r: A | Numbers) -> A:
    """Return the smooth Huber loss, ``delta**2 (sqrt(1 + (r / delta)**2) - 1)``.

    Parameters
    ----------
    delta : array
        Where the loss turns from a square to a line, real.
    r : array
        Residuals, real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; 0 where `delta` or `r` is, inf where `delta` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Computed as ``r**2 / (1 + sqrt(1 + (r / delta)**2))``, which keeps its digits at small `r`.
    Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import pseudo_huber
    >>> pseudo_huber(1.0, np.asarray([0.0, 1e-10, 3.0])).round(25)
    array([0.00000000e+00, 5.00000000e-21, 2.16227766e+00])
    """
    xp = array_namespace(delta, r)
    none = (delta == 0) | (r == 0)
    u = r / xp.where(none, xp.ones_like(delta), delta)
    found = r * (r / (1 + xp.hypot(u, xp.ones_like(u))))
    found = xp.where(xp.isinf(u), delta * xp.abs(r), found)
    found = xp.where(delta == xp.inf, xp.nan, found)  # as in SciPy
    found = xp.where(none, xp.zeros_like(found), found)
    return xp.where(delta < 0, xp.inf, found)


def _pseudo(delta: Any, r: Any) -> Any:
    """The derivatives, delta (s - 1)^2 / s and r / s, where s = sqrt(1 + (r / delta)^2)."""
    xp = array_namespace(delta, r)
    zero = delta == 0
    u = r / xp.where(zero, xp.ones_like(delta), delta)
    far = xp.isinf(u)
    u = xp.where(far, xp.ones_like(u), u)
    s = xp.hypot(u, xp.ones_like(u))
    above = u * (u / (s + 1))
    by_r = xp.where(zero, xp.zeros_like(s), xp.where(far, delta * xp.sign(r), r / s))
    by_delta = xp.where(delta == xp.inf, 0.0, delta) * (above / s) * above
    return xp.where(zero | far, xp.abs(r), by_delta), by_r
