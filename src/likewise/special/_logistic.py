"""The logistic function, its inverse and its logarithm."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ._function import elementwise

__all__ = ["expit", "log_expit", "logit"]


def _slope(y: Any, x: Any) -> Any:
    return y * expit(-x)


@elementwise(
    derivatives=(_slope,),
    numpy="scipy.special:expit",
    torch="torch.special:expit",
)
def expit(x: A) -> A:
    """Return the logistic function, ``1 / (1 + exp(-x))``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, in [0, 1].

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    With the exponential of ``-abs(x)``, which can't overflow. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import expit
    >>> expit(np.asarray([-np.inf, 0.0, 2.0])).round(6)
    array([0.      , 0.5     , 0.880797])
    """
    xp = array_namespace(x)
    e = xp.exp(-xp.abs(x))
    return xp.where(x < 0, e, xp.ones_like(e)) / (1 + e)


@elementwise(
    derivatives=(lambda y, x: 1 / (x * (1 - x)),),
    numpy="scipy.special:logit",
    torch="torch.special:logit",
    jax="jax.scipy.special:logit",
)
def logit(x: A) -> A:
    """Return the inverse of the logistic function, ``log(x / (1 - x))``.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf and inf at 0 and 1, NaN outside.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    Between 0.3 and 0.65, the difference of ``log1p(s)`` and ``log1p(-s)``, where s = 2 x - 1 is
    exact, so that digits are kept next to 1/2. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import logit
    >>> logit(np.asarray([0.0, 0.5, 0.75])).round(6)
    array([    -inf, 0.      , 1.098612])
    """
    xp = array_namespace(x)
    s = 2 * x - 1
    centre = xp.log1p(s) - xp.log1p(-s)
    return xp.where((x > 0.3) & (x < 0.65), centre, xp.log(x / (1 - x)))


@elementwise(
    derivatives=(lambda y, x: expit(-x),),
    numpy="scipy.special:log_expit",
    torch="scipy.special:log_expit",
)
def log_expit(x: A) -> A:
    """Return the logarithm of the logistic function.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype, never above 0.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    ``min(x, 0) - log1p(exp(-abs(x)))``, which loses no digits on either side. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import log_expit
    >>> log_expit(np.asarray([-1000.0, 0.0, 50.0]))
    array([-1.00000000e+03, -6.93147181e-01, -1.92874985e-22])
    """
    xp = array_namespace(x)
    rest = xp.log1p(xp.exp(-xp.abs(x)))
    return xp.where(x < 0, x - rest, -rest)
