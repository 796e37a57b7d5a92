"""Quotients, roots, norms and logarithms with finite derivatives at the edge of their domain."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, quiet
from .._native import native, public
from .._typing import A, Numbers
from ._axes import as_given

__all__ = ["safe_divide", "safe_norm", "safe_sqrt", "xlogy"]


@public
def safe_divide(x: A, y: A | Numbers, fill: A | Numbers = 0) -> A:
    """Divide, with a given value where the divisor is zero.

    Parameters
    ----------
    x, y : array
        Dividend and divisor, real or complex; they broadcast.
    fill : number or array, optional
        The result where `y` is zero; broadcasts too.

    Returns
    -------
    array
        ``x / y``, of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Differentiable; where `y` is zero, the derivatives with respect to `x` and `y` are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import safe_divide
    >>> safe_divide(np.asarray([1.0, 2.0, 0.0]), np.asarray([2.0, 0.0, 0.0]), fill=-1.0)
    array([ 0.5, -1. , -1. ])
    """
    xp = array_namespace(x, y, fill)
    if isinstance(fill, int | float) and fill == 0:  # of every dtype
        a, b = _plan.common_floating("safe_divide", xp, ("x", "y"), x, y, sized=False)
        _plan.broadcast("safe_divide", x=tuple(a.shape), y=tuple(b.shape))
        return _safe_divide(a, b, float(fill))
    a, b, c = _plan.common_floating("safe_divide", xp, ("x", "y", "fill"), x, y, fill, sized=False)
    _plan.broadcast("safe_divide", x=tuple(a.shape), y=tuple(b.shape), fill=tuple(c.shape))
    return _safe_divide(a, b, c)


@native(numpy="likewise._libs.numpy._natives:safe_divide")
def _safe_divide(x: Any, y: Any, fill: Any) -> Any:
    xp = array_namespace(x)
    zero = y == 0
    return as_given(xp.where(zero, fill, x / xp.where(zero, xp.ones_like(y), y)))


@public
def safe_sqrt(x: A) -> A:
    """Compute square roots whose derivative at zero is 0.

    Parameters
    ----------
    x : array
        Real or complex.

    Returns
    -------
    array
        The array API standard's ``sqrt``: NaN where a real `x` is negative.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.

    Notes
    -----
    Differentiable. The derivative at negative real numbers is NaN, like the root.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import safe_sqrt
    >>> safe_sqrt(np.asarray([0.0, 4.0]))
    array([0., 2.])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("safe_sqrt", xp, ("x",), x, sized=False)
    return _safe_sqrt(x)


@native(numpy="numpy:sqrt", cupy="cupy:sqrt", torch="likewise._libs.torch._natives:safe_sqrt")
def _safe_sqrt(x: Any) -> Any:
    xp = array_namespace(x)
    zero = x == 0
    root = xp.sqrt(xp.where(zero, xp.ones_like(x), x))
    # Zero keeps its sign, and the factor its derivative at 0.
    return as_given(xp.where(zero, xp.where(zero, x, xp.zeros_like(x)) * 0, root))


@public
def safe_norm(x: A, axis: Any = None, keepdims: bool = False) -> A:
    """Compute Euclidean norms whose derivative at the origin is 0.

    Parameters
    ----------
    x : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        ``sqrt(sum(abs(x)**2))``, real; 0 where there are no elements.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.
    ShapeError
        If an axis is out of range.

    Notes
    -----
    Differentiable. As in NumPy's ``norm``, squares may overflow, or underflow to 0: in float64 for
    magnitudes above 1e154 and below 1e-162. The derivative is then 0, too. Divide such vectors by
    their largest magnitude first.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import safe_norm
    >>> safe_norm(np.asarray([[3.0, 4.0], [0.0, 0.0]]), axis=-1)
    array([5., 0.])
    """
    xp = array_namespace(x)
    a: Any
    (a,) = _plan.common_floating("safe_norm", xp, ("x",), x)
    axes = _plan.axis_tuple("safe_norm", "axis", axis, a.ndim)
    return _safe_norm(a, axes, bool(keepdims))


def _reduced(x: Any, axes: tuple[int, ...], keepdims: bool) -> bool:
    """elements along one axis, two or all."""
    return 0 not in x.shape and (len(axes) in (1, 2) or len(axes) == x.ndim > 0)


@native(
    numpy="likewise._libs.numpy._natives:safe_norm",
    torch="likewise._libs.torch._natives:safe_norm",
    when=_reduced,
)
def _safe_norm(a: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    xp = array_namespace(a)
    if _plan.is_complex(xp, a.dtype):
        real, imag = xp.real(a), xp.imag(a)
        squares = real * real + imag * imag
    else:
        squares = a * a
    if axes:
        squares = xp.sum(squares, axis=axes, keepdims=keepdims)
    zero = squares == 0
    root = xp.sqrt(xp.where(zero, xp.ones_like(squares), squares))
    return as_given(xp.where(zero, xp.zeros_like(root), root))


@public
def xlogy(x: A, y: A | Numbers) -> A:
    """Return ``x * log(y)``, and 0 where `x` is zero and `y` is not NaN.

    Parameters
    ----------
    x, y : array
        Real or complex; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype.

    Raises
    ------
    DtypeError
        If an argument doesn't hold numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    Differentiable; where `x` is zero, and ``log(y)`` is infinite or NaN, the derivatives are 0.
    Uses SciPy's function where that is installed. `likewise.special.xlogy` gives the same values,
    but the true infinite derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import xlogy
    >>> xlogy(np.asarray([0.0, 2.0]), np.asarray([0.0, 1.0]))
    array([0., 0.])
    """
    xp = array_namespace(x, y)
    a, b = _plan.common_floating("xlogy", xp, ("x", "y"), x, y, sized=False)
    _plan.broadcast("xlogy", x=tuple(a.shape), y=tuple(b.shape))
    return _xlogy(a, b)


@native(numpy="scipy.special:xlogy", torch="likewise._libs.torch._natives:xlogy")
def _xlogy(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    regular = xp.isfinite(y) & ((y != 0) if _plan.is_complex(xp, y.dtype) else (y > 0))
    edge = (x == 0) & ~(regular | xp.isnan(y))
    with quiet(x):
        return x * xp.log(xp.where(edge, xp.ones_like(y), y))
