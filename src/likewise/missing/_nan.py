"""Reductions without NaNs, and the replacement of NaNs."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, is_concrete, is_neutral, quiet
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._axes import as_given, flat, index_dtype, is_floating, numeric, restored

__all__ = [
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def _plan_nan(
    function: str, a: Any, axis: Any, real: bool = False, sized: bool = False
) -> tuple[Any, Any, bool]:
    """The array, the axis as an integer, a sorted tuple or None, and whether there may be NaNs."""
    xp = array_namespace(a)
    x = numeric(function, xp, "a", a, real=real, sized=sized)
    if axis is not None:
        axes = _plan.axis_tuple(function, "axis", axis, x.ndim)
        axis = axes[0] if len(axes) == 1 else axes
    return x, axis, is_floating(xp, x)


def _countable(xp: Any, x: Any) -> Any:
    """Booleans as integers, which the standard can add up."""
    return xp.astype(x, index_dtype(xp, x)) if x.dtype == xp.bool else x


# -- sums and products -----------------------------------------------------------------------------


@public
def nansum(a: A, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> A:
    """Sum along axes, with NaNs as 0.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the sum, as in the array API standard's ``sum``.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The sums; 0 where there is no number. The dtype is that of the array API standard's ``sum``.

    Raises
    ------
    DtypeError
        If `a` doesn't hold numbers.
    ShapeError
        If an axis is out of range.

    Notes
    -----
    Two passes. Differentiable; the derivative at a NaN is 0.

    Differs from NumPy, like all functions for NaNs: no ``out``, ``initial`` and ``where``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nansum
    >>> float(nansum(np.asarray([1.0, np.nan, 2.0])))
    3.0
    """
    x, axis, floating = _plan_nan("nansum", a, axis)
    if not floating:
        xp = array_namespace(x)
        return xp.sum(_countable(xp, x), axis=axis, dtype=dtype, keepdims=keepdims)
    return _nansum(x, axis, dtype, keepdims)


def _real(x: Any, *args: Any) -> bool:
    """real arrays."""
    return not array_namespace(x).isdtype(x.dtype, "complex floating")


@native(
    numpy="likewise._libs.numpy._natives:nansum",
    torch="likewise._libs.torch._natives:nansum",
    when={"torch": _real},
)
def _nansum(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    xp = array_namespace(x)
    x = xp.where(xp.isnan(x), 0.0, x)
    return xp.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)


@public
def nanprod(a: A, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> A:
    """Multiply along axes, with NaNs as 1.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The dtype of the product, as in the array API standard's ``prod``.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The products; 1 where there is no number. The dtype is that of the array API standard's
        ``prod``.

    Raises
    ------
    DtypeError, ShapeError
        As for `nansum`.

    Notes
    -----
    Two passes. Differentiable; the derivative at a NaN is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanprod
    >>> float(nanprod(np.asarray([3.0, np.nan, 2.0])))
    6.0
    """
    x, axis, floating = _plan_nan("nanprod", a, axis)
    if not floating:
        xp = array_namespace(x)
        return xp.prod(_countable(xp, x), axis=axis, dtype=dtype, keepdims=keepdims)
    return _nanprod(x, axis, dtype, None, keepdims)


@native(numpy="numpy:nanprod")
def _nanprod(x: Any, axis: Any, dtype: Any, out: None, keepdims: bool) -> Any:
    xp = array_namespace(x)
    x = xp.where(xp.isnan(x), 1.0, x)
    return xp.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)


@public
def nancumsum(a: A, axis: int | None = None, dtype: Any = None) -> A:
    """Compute cumulative sums along an axis, with NaNs as 0.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int or None, optional
        The axis; None flattens.
    dtype : dtype, optional
        The dtype of the sums, as in the array API standard's ``cumulative_sum``.

    Returns
    -------
    array
        Of the shape of `a`, or flat.

    Raises
    ------
    DtypeError, ShapeError
        As for `nansum`.

    Notes
    -----
    Two passes. Differentiable; the derivative at a NaN is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nancumsum
    >>> nancumsum(np.asarray([1.0, np.nan, 2.0]))
    array([1., 1., 3.])
    """
    x, axis, floating = _plan_nan("nancumsum", a, axis, sized=True)
    xp = array_namespace(x)
    if isinstance(axis, tuple):
        raise ArgumentError(f"nancumsum: one axis was expected, got {axis!r}")
    if axis is None:
        x, axis = x if x.ndim == 1 else xp.reshape(x, (-1,)), 0
    if not floating:
        return xp.cumulative_sum(_countable(xp, x), axis=axis, dtype=dtype)
    return _nancumsum(x, axis, dtype)


@native(numpy="numpy:nancumsum")
def _nancumsum(x: Any, axis: int, dtype: Any) -> Any:
    xp = array_namespace(x)
    x = xp.where(xp.isnan(x), 0.0, x)
    return xp.cumulative_sum(x, axis=axis, dtype=dtype)


# -- moments ---------------------------------------------------------------------------------------


@public
def nanmean(a: A, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> A:
    """Compute the mean along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    dtype : dtype, optional
        The floating dtype of the computation; default: that of `a`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The means; NaN where there is no number.

    Raises
    ------
    DtypeError, ShapeError
        As for `nansum`.

    Notes
    -----
    Four passes. Differentiable; the derivative at a NaN is 0.

    Differs from NumPy: integers become the library's default floating dtype. On NumPy, NumPy's
    function runs, which warns where there is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanmean
    >>> float(nanmean(np.asarray([1.0, np.nan, 2.0])))
    1.5
    """
    x, axis, _ = _plan_nan("nanmean", a, axis)
    xp = array_namespace(x)
    if dtype is not None and dtype != x.dtype:
        x = xp.astype(x, dtype)
    (x,) = _plan.common_floating("nanmean", xp, ("a",), x, sized=False)
    return _nanmean(x, axis, keepdims)


@native(
    numpy="likewise._libs.numpy._natives:nanmean",
    torch="likewise._libs.torch._natives:nanmean",
    when={"torch": _real},
)
def _nanmean(x: Any, axis: Any, keepdims: bool) -> Any:
    return _mean(x, axis, keepdims)[0]


def _mean(x: Any, axis: Any, keepdims: bool) -> tuple[Any, Any, Any]:
    """Mean, how many there are, and which."""
    xp = array_namespace(x)
    there = ~xp.isnan(x)
    count = _count(xp, there, x, axis, keepdims)
    total = xp.sum(xp.where(there, x, 0.0), axis=axis, keepdims=keepdims)
    return _ratio(xp, total, count), count, there


def _count(xp: Any, there: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """How many there are; counted in integers, as a sum in float32 ends at 2**24."""
    return xp.sum(xp.astype(there, index_dtype(xp, x)), axis=axis, keepdims=keepdims)


def _ratio(xp: Any, total: Any, count: Any) -> Any:
    """NaN where there is nothing, without the warning of a division by 0."""
    some = count > 0
    divisor = xp.astype(xp.where(some, count, xp.ones_like(count)), total.dtype)
    return xp.where(some, total / divisor, xp.nan)


@public
def nanvar(
    a: A,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> A:
    """Compute the variance along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    ddof : float, optional
        The divisor is the number of elements minus `ddof`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    correction : float, optional
        The array API standard's name of `ddof`.

    Returns
    -------
    array
        Real. The means of the squared distances from the mean; NaN where there are at most `ddof`
        numbers.

    Raises
    ------
    ArgumentError
        If both `ddof` and `correction` are given.
    DtypeError, ShapeError
        As for `nansum`.

    Notes
    -----
    Two passes: the mean, then the squared distances from it. Differentiable; the derivative at a
    NaN is 0.

    Differs from NumPy: integers become the library's default floating dtype. On NumPy, NumPy's
    function runs, which warns where there are too few numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanvar
    >>> float(nanvar(np.asarray([1.0, np.nan, 3.0])))
    1.0
    """
    x, axis = _plan_variance("nanvar", a, axis)
    ddof = _degrees("nanvar", ddof, correction)
    return _nanvar(x, axis, None, None, ddof, keepdims)


@public
def nanstd(
    a: A,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> A:
    """Compute the standard deviation along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real or complex.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    ddof : float, optional
        The divisor is the number of elements minus `ddof`.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    correction : float, optional
        The array API standard's name of `ddof`.

    Returns
    -------
    array
        Real. The square root of `nanvar`.

    Raises
    ------
    ArgumentError
        If both `ddof` and `correction` are given.
    DtypeError, ShapeError
        As for `nansum`.

    Notes
    -----
    As for `nanvar`. Not differentiable where the deviation is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanstd
    >>> float(nanstd(np.asarray([1.0, np.nan, 3.0])))
    1.0
    """
    x, axis = _plan_variance("nanstd", a, axis)
    ddof = _degrees("nanstd", ddof, correction)
    return _nanstd(x, axis, None, None, ddof, keepdims)


def _degrees(function: str, ddof: float, correction: float | None) -> float:
    if correction is None:
        return ddof
    if ddof != 0:
        raise ArgumentError(f"{function}: give either ddof or correction, not both")
    return correction


def _plan_variance(function: str, a: Any, axis: Any) -> tuple[Any, Any]:
    x, axis, _ = _plan_nan(function, a, axis)
    (x,) = _plan.common_floating(function, array_namespace(x), ("a",), x, sized=False)
    return x, axis


@native(numpy="numpy:nanstd")
def _nanstd(x: Any, axis: Any, dtype: None, out: None, ddof: float, keepdims: bool) -> Any:
    return array_namespace(x).sqrt(_variance(x, axis, ddof, keepdims))


@native(numpy="numpy:nanvar")
def _nanvar(x: Any, axis: Any, dtype: None, out: None, ddof: float, keepdims: bool) -> Any:
    return _variance(x, axis, ddof, keepdims)


def _variance(x: Any, axis: Any, ddof: float, keepdims: bool) -> Any:
    xp = array_namespace(x)
    with quiet(x):  # infinities
        mean, _, there = _mean(x, axis, True)
        off = xp.where(there, x - mean, 0.0)
        if _plan.is_complex(xp, x.dtype):
            square = xp.real(off) * xp.real(off) + xp.imag(off) * xp.imag(off)
        else:
            square = off * off
        count = _count(xp, there, x, axis, keepdims)
        total = xp.sum(square, axis=axis, keepdims=keepdims)
        return _ratio(xp, total, xp.astype(count, total.dtype) - ddof)


# -- extremes --------------------------------------------------------------------------------------


@public
def nanmin(a: A, axis: Any = None, *, keepdims: bool = False) -> A:
    """Find the smallest elements along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The minima, of the dtype of `a`; NaN where there are only NaNs.

    Raises
    ------
    DtypeError
        If `a` is complex.
    ShapeError
        If the axes have no elements, or one is out of range.

    Notes
    -----
    Differentiable where the library's ``min`` is. On NumPy, NumPy's function runs, which warns
    where there are only NaNs.

    Differs from NumPy: complex numbers are an error, as they have no order in the array API
    standard; no ``out``, ``initial`` and ``where``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanmin
    >>> float(nanmin(np.asarray([3.0, np.nan, 2.0])))
    2.0
    """
    return _extreme("nanmin", a, axis, keepdims)


@public
def nanmax(a: A, axis: Any = None, *, keepdims: bool = False) -> A:
    """Find the largest elements along axes, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; all by default.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The maxima, of the dtype of `a`; NaN where there are only NaNs.

    Raises
    ------
    DtypeError, ShapeError
        As for `nanmin`.

    Notes
    -----
    As for `nanmin`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanmax
    >>> float(nanmax(np.asarray([3.0, np.nan, 2.0])))
    3.0
    """
    return _extreme("nanmax", a, axis, keepdims)


def _extreme(function: str, a: Any, axis: Any, keepdims: bool) -> Any:
    x, axis, floating = _plan_nan(function, a, axis, real=True)
    _some(function, x, axis)
    if floating:
        return (_nanmin if function == "nanmin" else _nanmax)(x, axis, None, keepdims)
    xp = array_namespace(x)
    x, truth = _countable(xp, x), x.dtype == xp.bool
    out = (xp.min if function == "nanmin" else xp.max)(x, axis=axis, keepdims=keepdims)
    return xp.astype(out, xp.bool) if truth else out


def _some(function: str, x: Any, axis: Any) -> None:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    if 0 in x.shape and any(x.shape[i] == 0 for i in axes):
        raise ShapeError(f"{function}: a of shape {tuple(x.shape)} has nothing along {axis}")


@native(numpy="numpy:nanmin")
def _nanmin(x: Any, axis: Any, out: None, keepdims: bool) -> Any:
    xp = array_namespace(x)
    strange = xp.isnan(x)
    found = xp.min(xp.where(strange, xp.inf, x), axis=axis, keepdims=keepdims)
    nothing = xp.all(strange, axis=axis, keepdims=keepdims)
    return xp.where(nothing, xp.nan, found)


@native(numpy="numpy:nanmax")
def _nanmax(x: Any, axis: Any, out: None, keepdims: bool) -> Any:
    xp = array_namespace(x)
    strange = xp.isnan(x)
    found = xp.max(xp.where(strange, -xp.inf, x), axis=axis, keepdims=keepdims)
    nothing = xp.all(strange, axis=axis, keepdims=keepdims)
    return xp.where(nothing, xp.nan, found)


@public
def nanargmin(a: A, axis: int | None = None, *, keepdims: bool = False) -> A:
    """Find the indices of the smallest elements along an axis, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    axis : int or None, optional
        The axis; None flattens.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array of the library's default integer dtype
        Of equal elements, the first index.

    Raises
    ------
    ArgumentError
        If there are only NaNs; on lazy arrays and on other devices, the index is then 0.
    DtypeError
        If `a` is complex.
    ShapeError
        If the axis has no elements, or is out of range.

    Notes
    -----
    Differs from NumPy: infinities are found among NaNs, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanargmin
    >>> int(nanargmin(np.asarray([3.0, np.nan, 2.0])))
    2
    """
    return _place("nanargmin", a, axis, keepdims)


@public
def nanargmax(a: A, axis: int | None = None, *, keepdims: bool = False) -> A:
    """Find the indices of the largest elements along an axis, without NaNs.

    Parameters
    ----------
    a : array
        Real.
    axis : int or None, optional
        The axis; None flattens.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array of the library's default integer dtype
        Of equal elements, the first index.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `nanargmin`.

    Notes
    -----
    Differs from NumPy: infinities are found among NaNs, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nanargmax
    >>> int(nanargmax(np.asarray([3.0, np.nan, 2.0])))
    0
    """
    return _place("nanargmax", a, axis, keepdims)


def _place(function: str, a: Any, axis: Any, keepdims: bool) -> Any:
    x, axis, floating = _plan_nan(function, a, axis, real=True, sized=True)
    if isinstance(axis, tuple):
        raise ArgumentError(f"{function}: one axis was expected, got {axis!r}")
    _some(function, x, axis)
    xp = array_namespace(x)
    axes = _plan.axis_tuple(function, "axis", axis, x.ndim)
    x = flat(_countable(xp, x), axes)
    find = xp.argmin if function == "nanargmin" else xp.argmax
    if not floating:
        return as_given(restored(find(x, axis=-1), axes, keepdims))
    strange = xp.isnan(x)
    worst = xp.inf if function == "nanargmin" else -xp.inf
    place = find(xp.where(strange, worst, x), axis=-1, keepdims=True)
    # Where the best equals the value put in place of NaNs: the first element that is no NaN.
    wrong = xp.take_along_axis(strange, place, axis=-1)
    if not is_concrete(x) or bool(xp.any(wrong)):
        first = xp.argmin(xp.astype(strange, xp.int8), axis=-1, keepdims=True)
        place = xp.where(wrong, first, place)
        if is_concrete(x) and bool(xp.any(xp.take_along_axis(strange, place, axis=-1))):
            raise ArgumentError(f"{function}: a has only NaNs along axis {axis}")
    return as_given(restored(place[..., 0], axes, keepdims))


# -- replacement -----------------------------------------------------------------------------------


@public
def nan_to_num(a: A, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> A:
    """Replace NaNs and infinities by numbers.

    Parameters
    ----------
    a : array
        Real or complex.
    nan : number, optional
        The replacement of NaNs.
    posinf, neginf : number, optional
        The replacements of infinities; by default the largest and the smallest number of the dtype.

    Returns
    -------
    array
        Of the dtype of `a`. Both parts of complex numbers are replaced; integers are unchanged.

    Raises
    ------
    DtypeError
        If `a` doesn't hold numbers.
    ArgumentError
        If a replacement isn't a real number.

    Notes
    -----
    Differentiable; the derivative at a replaced element is 0.

    Differs from NumPy: the replacements are single numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import nan_to_num
    >>> nan_to_num(np.asarray([1.0, np.nan, np.inf]), posinf=9.0)
    array([1., 0., 9.])
    """
    x, _, floating = _plan_nan("nan_to_num", a, None)
    for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if not (isinstance(value, int | float) or (value is None and name != "nan")):
            raise ArgumentError(f"nan_to_num: {name} must be a number, got {value!r}")
        if value is not None and floating:
            _plan.fits("nan_to_num", name, array_namespace(x), value, x.dtype)
    if not floating:
        return x if is_neutral(a) else array_namespace(x).asarray(x, copy=True)
    return _nan_to_num(x, nan, posinf, neginf)


@native(numpy="likewise._libs.numpy._natives:nan_to_num", torch="torch:nan_to_num")
def _nan_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        parts = [_nan_to_num(f(x), nan, posinf, neginf) for f in (xp.real, xp.imag)]
        real, imag = (xp.astype(part, x.dtype) for part in parts)
        return real + imag * xp.full_like(imag, 1j)
    limits = xp.finfo(x.dtype)
    posinf = limits.max if posinf is None else posinf
    neginf = limits.min if neginf is None else neginf
    out = xp.where(xp.isnan(x), float(nan), x)
    out = xp.where(x == xp.inf, float(posinf), out)
    return as_given(xp.where(x == -xp.inf, float(neginf), out))
