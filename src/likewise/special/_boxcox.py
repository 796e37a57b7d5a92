"""Box and Cox's transformation, which makes data normal, and its inverse."""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._elementary import exprel, exprel_slope
from ._function import elementwise
from ._log1p_less import log1p_over

__all__ = ["boxcox", "boxcox1p", "inv_boxcox"]

# With L = log(x), boxcox(x, lmbda) = L exprel(lmbda L), whose derivative with respect to lmbda is
# L^2 exprel'(lmbda L): nothing divides by lmbda. (G. E. P. Box, D. R. Cox, J. R. Stat. Soc.
# B 26, 1964, equation 1.)


def _of_log(xp: Any, log: Any, lmbda: Any) -> Any:
    """expm1(t) / lmbda of t = lmbda log, which is that logarithm where t may underflow."""
    t = lmbda * log
    line = (lmbda == 0) | (xp.abs(t) < 0.1 * xp.finfo(t.dtype).eps)
    # The square of the exponential of t / 2 where that of t may overflow.
    large = t > (80.0 if t.dtype == xp.float32 else 700.0)
    power = xp.expm1(xp.where(large, 0.5 * t, t))
    found = power / xp.where(line, 1.0, lmbda) * xp.where(large, power, 1.0)
    return xp.where(line, log, found)


def _by_lmbda(log: Any, lmbda: Any) -> Any:
    xp = array_namespace(log, lmbda)
    ends = lmbda * log == -xp.inf  # where the transformation is -1 / lmbda
    log = xp.where(ends, 1.0, log)
    t = lmbda * log
    found = log * log * exprel_slope(exprel(t), t)
    return xp.where(ends, xp.where(ends, lmbda, 1.0) ** -2, found)


@elementwise(
    derivatives=(
        lambda y, x, lmbda: x ** (lmbda - 1),
        lambda y, x, lmbda: _by_lmbda(array_namespace(x).log(x), lmbda),
    ),
    numpy="scipy.special:boxcox",
    torch="scipy.special:boxcox",
)
def boxcox(x: A, lmbda: A | Numbers) -> A:
    """Return the Box-Cox transformation, ``(x**lmbda - 1) / lmbda``, or ``log(x)`` for lmbda 0.

    Parameters
    ----------
    x, lmbda : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where `x` is negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    ``log(x) exprel(lmbda log(x))``, which keeps its digits at small `lmbda`. Differentiable in
    both arguments, at ``lmbda = 0`` too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import boxcox
    >>> boxcox(np.asarray([1.0, 4.0, 9.0]), 0.5)
    array([0., 2., 4.])
    """
    xp = array_namespace(x, lmbda)
    return _of_log(xp, xp.log(x), lmbda)


@elementwise(
    derivatives=(
        lambda y, x, lmbda: (1 + x) ** (lmbda - 1),
        lambda y, x, lmbda: _by_lmbda(array_namespace(x).log1p(x), lmbda),
    ),
    numpy="scipy.special:boxcox1p",
    torch="scipy.special:boxcox1p",
)
def boxcox1p(x: A, lmbda: A | Numbers) -> A:
    """Return the Box-Cox transformation of ``1 + x``, accurate for small `x`.

    Parameters
    ----------
    x, lmbda : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where `x` is below -1.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `boxcox`, with ``log1p(x)`` in place of the logarithm. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import boxcox1p
    >>> boxcox1p(np.asarray([0.0, 1e-12]), 0.5)
    array([0.e+00, 1.e-12])
    """
    xp = array_namespace(x, lmbda)
    return _of_log(xp, xp.log1p(x), lmbda)


def _log_of_inverse(xp: Any, y: Any, lmbda: Any) -> tuple[Any, Any]:
    """t = lmbda y and log(1 + t), where t may be out of range and the logarithm isn't."""
    t = lmbda * y
    beyond = (t == xp.inf) & (xp.abs(y) < xp.inf) & (xp.abs(lmbda) < xp.inf)
    apart = xp.log(xp.where(beyond, xp.abs(lmbda), 1.0)) + xp.log(xp.where(beyond, xp.abs(y), 1.0))
    return t, xp.where(beyond, apart, xp.log1p(xp.where(beyond, 0.0, t)))


def _inverse_by_y(x: Any, y: Any, lmbda: Any) -> Any:
    """x / (1 + lmbda y); where that is no number, the power that it is, or the exponential."""
    xp = array_namespace(x)
    t, log = _log_of_inverse(xp, y, lmbda)
    none = (lmbda == 0) | (lmbda == 1)
    power = log * (1 / xp.where(none, 1.0, lmbda) - 1)
    power = xp.exp(xp.where(none, xp.where(lmbda == 0, y, 0.0), power))
    plain = (t > -1) & (t < xp.inf) & (x < xp.inf)
    return xp.where(plain, x / (1 + xp.where(plain, t, 0.0)), power)


def _inverse_by_lmbda(x: Any, y: Any, lmbda: Any) -> Any:
    """x (t / (1 + t) - log(1 + t)) / lmbda^2, which is x y^2 times a series for small t."""
    xp = array_namespace(x)
    t, log = _log_of_inverse(xp, y, lmbda)
    near, end = (xp.abs(t) < 0.5) | (lmbda == 0), t == -1
    small, some = xp.where(near & (lmbda != 0), t, 0.0), xp.where(near | end, 1.0, lmbda)
    size = xp.where(xp.abs(y) < xp.inf, y, 0.0)
    close = x * size * size * log1p_over(small)
    share = 1 / (1 + 1 / xp.where(near | end, 1.0, t))
    log = xp.where(log < xp.inf, log, 0.0)  # where x is 0
    far = x / some * (share - xp.where(near | end, 0.0, log)) / some
    ending = -_inverse_by_y(x, y, lmbda) / xp.where(end, lmbda, 1.0) ** 2
    return xp.where(near, close, xp.where(end, ending, far))


@elementwise(
    derivatives=(_inverse_by_y, _inverse_by_lmbda),
    numpy="scipy.special:inv_boxcox",
    torch="scipy.special:inv_boxcox",
)
def inv_boxcox(y: A, lmbda: A | Numbers) -> A:
    """Return the inverse of the Box-Cox transformation, ``(1 + lmbda y)**(1 / lmbda)``.

    Parameters
    ----------
    y, lmbda : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; ``exp(y)`` where `lmbda` is 0, NaN where ``1 + lmbda y`` is
        negative.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    ``exp(log1p(lmbda y) / lmbda)``. Differentiable in both arguments, at ``lmbda = 0`` too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import inv_boxcox
    >>> inv_boxcox(np.asarray([0.0, 2.0, 4.0]), 0.5).round(12)
    array([1., 4., 9.])
    """
    xp = array_namespace(y, lmbda)
    t, log = _log_of_inverse(xp, y, lmbda)
    line = (lmbda == 0) | (xp.abs(t) < 0.1 * xp.finfo(t.dtype).eps)  # where t may underflow
    return xp.exp(xp.where(line, y, log / xp.where(line, 1.0, lmbda)))
