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
    t = lmbda * log
    found = log * exprel(t)
    # Of an infinite logarithm: what the exponential makes of it, over lmbda.
    found = xp.where(xp.isinf(log) & (lmbda != 0), xp.expm1(t) / lmbda, found)
    return xp.where(lmbda == 0, log, found)


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
    As `boxcox`, with ``log1p(x)`` in place of the logarithm. Differentiable in both arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import boxcox1p
    >>> boxcox1p(np.asarray([0.0, 1e-12]), 0.5)
    array([0.e+00, 1.e-12])
    """
    xp = array_namespace(x, lmbda)
    return _of_log(xp, xp.log1p(x), lmbda)


@elementwise(
    derivatives=(
        lambda x, y, lmbda: x / (1 + lmbda * y),
        lambda x, y, lmbda: x * y * y * log1p_over(lmbda * y),
    ),
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
    zero = lmbda == 0
    power = xp.log1p(lmbda * y) / xp.where(zero, xp.ones_like(lmbda), lmbda)
    return xp.exp(xp.where(zero, y, power))
