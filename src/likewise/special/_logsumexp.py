"""Logarithms of sums of exponentials, and softmax."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, quiet
from .._native import native
from .._typing import A, Numbers
from ..missing._axes import as_given
from ..transforms import stop_gradient
from ._function import public

__all__ = ["log_softmax", "logsumexp", "softmax"]


@public
def logsumexp(
    a: A,
    axis: Any = None,
    b: A | Numbers | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """Return the logarithm of a sum of exponentials, without overflow.

    Parameters
    ----------
    a : array
        Exponents, real or complex.
    axis : int, tuple of int or None, optional
        The axes to sum along; all by default.
    b : array, optional
        Factors of the exponentials, of any sign; broadcasts with `a`. A term with factor 0 adds
        nothing, even if `a` is infinite or NaN there.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    return_sign : bool, optional
        Whether to return the sign of the sum, too, and the logarithm of its magnitude.

    Returns
    -------
    res : array
        Of the common floating dtype; NaN for a negative sum without `return_sign`, -inf for an
        empty sum. The imaginary part lies in [-pi, pi].
    sgn : array
        If `return_sign`: -1, 0 or 1; for complex numbers, the sum over its magnitude.

    Raises
    ------
    DtypeError
        If an argument doesn't hold numbers.
    ShapeError
        If shapes don't broadcast, or an axis is out of range.

    Notes
    -----
    The terms with the largest exponent are taken out of the sum; ``log1p`` adds the others, which
    are small, with all their digits (P. Blanchard, D. J. Higham, N. J. Higham, IMA J. Numer. Anal.
    41 (2021), 2311, section 3). Differentiable in `a` and `b`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import logsumexp
    >>> logsumexp(np.asarray([1000.0, 1000.0])).round(6)
    np.float64(1000.693147)
    """
    xp = array_namespace(a, b)
    if b is None:
        (x,), factor = _plan.common_floating("logsumexp", xp, ("a",), a), None
    else:
        x, factor = _plan.common_floating("logsumexp", xp, ("a", "b"), a, b)
        shape = _plan.broadcast("logsumexp", a=tuple(x.shape), b=tuple(factor.shape))
        x, factor = (xp.broadcast_to(v, shape) for v in (x, factor))
    axes = _plan.axis_tuple("logsumexp", "axis", axis, x.ndim)
    if factor is None and not return_sign and not _plan.is_complex(xp, x.dtype):
        return _of_real_terms(x, axes, keepdims)
    out, sign = map(as_given, _signed(xp, x, factor, axes, keepdims))
    if return_sign:
        return out, sign
    if _plan.is_complex(xp, x.dtype):
        return as_given(out + xp.log(xp.where(sign == 0, xp.ones_like(sign), sign)))
    return as_given(xp.where(sign < 0, xp.nan, out))


@native(torch="likewise._libs.torch._natives:logsumexp")
def _of_real_terms(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return as_given(_signed(array_namespace(x), x, None, axes, keepdims)[0])


def _signed(xp: Any, x: Any, factor: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    with quiet(x):
        out, sign = _logsumexp(xp, x, factor, axes)
    if keepdims or not axes:
        return out, sign
    return xp.squeeze(out, axis=axes), xp.squeeze(sign, axis=axes)


def _logsumexp(xp: Any, x: Any, factor: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """The logarithm of the magnitude of the sum, and its sign."""
    if any(x.shape[i] == 0 for i in axes):
        kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        nothing = xp.zeros(kept, dtype=x.dtype, device=device(x))
        return xp.real(nothing) - xp.inf if _plan.is_complex(
            xp, x.dtype
        ) else nothing - xp.inf, nothing
    if factor is None:
        shift, most = _largest(xp, x, axes)
        terms = xp.exp(x - shift)
    else:
        nothing = factor == 0
        shift, most = _largest(xp, xp.where(nothing, -xp.inf, x), axes)
        # They add nothing, but another factor would: their exponentials stay, finite ones.
        far = 0.9 * math.log(float(xp.finfo(x.dtype).max))
        above = x - shift
        size = xp.real(above) if _plan.is_complex(xp, x.dtype) else above
        above = xp.where(nothing & ~(size <= far), far, above)
        terms = xp.exp(above) * factor
    logarithm, sign = _log_of_sum(xp, terms, most, axes)
    return logarithm + shift, sign


def _largest(xp: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the shift of exponents, the largest one or 0 if that isn't finite; and its places."""
    size = xp.real(x) if _plan.is_complex(xp, x.dtype) else x
    top = xp.max(size, axis=axes, keepdims=True) if axes else size
    shift = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    return stop_gradient(shift), size == top


def _log_of_sum(xp: Any, terms: Any, most: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """log(abs(sum)) and the sign of a sum of terms, of which `most` marks the largest."""
    none = xp.zeros_like(terms)
    main = _sum(xp, xp.where(most, terms, none), axes)
    rest = _sum(xp, xp.where(most, none, terms), axes)
    total = main + rest
    if _plan.is_complex(xp, terms.dtype):
        size = xp.abs(total)
        nothing = size == 0
        ordinary = xp.isfinite(size) & ~nothing
        scale = xp.where(ordinary, size, xp.ones_like(size))
        return xp.log(size), xp.where(nothing, xp.zeros_like(total), total / scale)
    close = (xp.abs(rest) < 0.5 * xp.abs(main)) & xp.isfinite(main)
    one = xp.ones_like(main)
    ratio = xp.where(close, rest, xp.zeros_like(rest)) / xp.where(close, main, one)
    by_ratio = xp.log(xp.abs(xp.where(close, main, one))) + xp.log1p(ratio)
    return xp.where(close, by_ratio, xp.log(xp.abs(xp.where(close, one, total)))), xp.sign(total)


def _sum(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    return xp.sum(x, axis=axes, keepdims=True) if axes else x


@public
def softmax(x: A, axis: Any = None) -> A:
    """Return exponentials divided by their sum.

    Parameters
    ----------
    x : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes along which they sum to 1; all by default.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.
    ShapeError
        If an axis is out of range.

    Notes
    -----
    The largest element is subtracted first. An element of inf makes the whole axis NaN.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import softmax
    >>> softmax(np.asarray([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("softmax", xp, ("x",), x)
    axes = _plan.axis_tuple("softmax", "axis", axis, x.ndim) if x.ndim else ()
    return x if 0 in x.shape else _softmax(x, axes)


def _real(x: Any, *_: Any) -> bool:
    """Real numbers."""
    return not _plan.is_complex(array_namespace(x), x.dtype)


@native(torch="likewise._libs.torch._natives:softmax", when=_real)
def _softmax(x: Any, axes: tuple[int, ...]) -> Any:
    xp = array_namespace(x)
    with quiet(x):
        size = xp.real(x) if _plan.is_complex(xp, x.dtype) else x
        terms = xp.exp(x - stop_gradient(xp.max(size, axis=axes, keepdims=True) if axes else size))
        return terms / _sum(xp, terms, axes)


@public
def log_softmax(x: A, axis: Any = None) -> A:
    """Return the logarithm of `softmax`.

    Parameters
    ----------
    x : array
        Real.
    axis : int, tuple of int or None, optional
        The axes along which exponentials of the result sum to 1; all by default.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.
    ShapeError
        If an axis is out of range.

    Notes
    -----
    As for `logsumexp`: results next to 0 keep their digits. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import log_softmax
    >>> log_softmax(np.asarray([1000.0, 0.0]))
    array([    0., -1000.])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("log_softmax", xp, ("x",), x, real=True)
    axes = _plan.axis_tuple("log_softmax", "axis", axis, x.ndim) if x.ndim else ()
    return x if 0 in x.shape else _log_softmax(x, axes)


@native(
    numpy="likewise._libs.numpy._natives:log_softmax",
    torch="likewise._libs.torch._natives:log_softmax",
)
def _log_softmax(x: Any, axes: tuple[int, ...]) -> Any:
    xp = array_namespace(x)
    with quiet(x):
        shift, most = _largest(xp, x, axes)
        inner: Any = x - shift
        return inner - _log_of_sum(xp, xp.exp(inner), most, axes)[0]
