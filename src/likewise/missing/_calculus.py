"""Integrals, derivatives and interpolation of samples."""

import math
from typing import Any

from .. import _plan
from .._beside import beside
from .._namespace import array_namespace, device, is_neutral, quiet
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._axes import as_given, last_to
from ._search import searchsorted

__all__ = [
    "cumulative_trapezoid",
    "gradient",
    "interp",
    "simpson",
    "sinc",
    "trapezoid",
    "unwrap",
]


def _plan_samples(function: str, y: Any, x: Any, axis: Any) -> tuple[Any, Any, int]:
    """Samples, their coordinates or None, and the axis."""
    xp = array_namespace(y, x)
    if x is None:
        (y,) = _plan.common_floating(function, xp, ("y",), y)
    else:
        y, x = _plan.common_floating(function, xp, ("y", "x"), y, x)
    (a,) = _one_axis(function, axis, y.ndim)
    if x is None:
        return y, None, a
    if x.ndim not in (1, y.ndim):
        raise ShapeError(
            f"{function}: x must have one dimension or as many as y, but has {x.ndim}, and y "
            f"has {y.ndim}"
        )
    n = x.shape[a if x.ndim > 1 else 0]
    if n != y.shape[a]:
        raise ShapeError(
            f"{function}: x and y must have as many elements along the axis, but have "
            f"{n} and {y.shape[a]}"
        )
    if x.ndim > 1 and x.shape != y.shape:
        _plan.broadcast(function, y=tuple(y.shape), x=tuple(x.shape))
    return y, x, a


def _weak(dx: Any) -> Any:
    """Return a number of Python for one of NumPy; arrays, which may be followed, stay."""
    return dx.item() if is_neutral(dx) and hasattr(dx, "item") else dx


def _along(y: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Samples with the axis moved to the end, and the distances between them or None."""
    xp = array_namespace(y)
    y = _to_last(xp, y, axis)
    if x is None:
        return y, None
    x = _to_last(xp, x, axis) if x.ndim > 1 else x
    # The standard doesn't define a slice from 1 of an empty array.
    return y, x[..., 1:] - x[..., :-1] if x.shape[-1] else x


def _to_last(xp: Any, x: Any, axis: int) -> Any:
    # torch.func has a rule for moveaxis of several axes only.
    return xp.moveaxis(x, (axis,), (-1,)) if axis != x.ndim - 1 else x


def _one_axis(function: str, axis: Any, ndim: int) -> tuple[int]:
    if not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be an integer, got {axis!r}")
    (a,) = _plan.axis_tuple(function, "axis", axis, ndim)
    return (a,)


@public
def trapezoid(y: A, x: Any = None, dx: float = 1.0, axis: int = -1) -> A:
    """Integrate samples by the trapezoidal rule.

    Parameters
    ----------
    y : array
        Samples, real or complex.
    x : array, optional
        The coordinates of the samples: of one dimension, or of as many as `y`, then they broadcast.
    dx : number, optional
        The distance between samples, if `x` isn't given.
    axis : int, optional
        The axis to integrate along.

    Returns
    -------
    array
        The integrals, without the axis; 0 for less than two samples. Floating dtypes are kept,
        integers become the library's default floating dtype.

    Raises
    ------
    ShapeError
        If `x` doesn't fit `y`, or the axis is out of range.
    ArgumentError
        If the axis is not an integer.

    Notes
    -----
    One pass without `x`, three with it. Differentiable in `y` and `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import trapezoid
    >>> float(trapezoid(np.asarray([1.0, 2.0, 3.0]), dx=2.0))
    8.0
    """
    return _trapezoid(*_plan_samples("trapezoid", y, x, axis), _weak(dx))


@native()
def _trapezoid(y: Any, x: Any, axis: int, dx: Any) -> Any:
    return _sum_of_pairs(array_namespace(y), *_along(y, x, axis), dx)


def _sum_of_pairs(xp: Any, y: Any, d: Any, dx: Any) -> Any:
    if y.shape[-1] < 2:
        batch = tuple(y.shape[:-1])
        if d is not None:
            batch = _plan.broadcast("trapezoid", y=batch, x=tuple(d.shape[:-1]))
        return as_given(xp.zeros(batch, dtype=y.dtype, device=device(y)))
    if d is not None:
        return as_given(xp.sum(d * (y[..., 1:] + y[..., :-1]), axis=-1) / 2)
    ends = (y[..., 0] + y[..., -1]) / 2
    return as_given(dx * (xp.sum(y[..., 1:-1], axis=-1) + ends))


@public
def cumulative_trapezoid(
    y: A, x: Any = None, dx: float = 1.0, axis: int = -1, initial: float | None = None
) -> A:
    """Integrate samples by the trapezoidal rule, up to each of them.

    Parameters
    ----------
    y, x, dx, axis : array, array or None, number, int
        As for `trapezoid`.
    initial : None or 0, optional
        If 0, the result begins with 0 and has the size of `y`.

    Returns
    -------
    array
        The integrals, one fewer along the axis than samples, unless `initial` is given.

    Raises
    ------
    ShapeError
        As for `trapezoid`, and if there are no samples.
    ArgumentError
        If `initial` is neither None nor 0, or the axis is not an integer.

    Notes
    -----
    Three passes. Differentiable in `y` and `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import cumulative_trapezoid
    >>> cumulative_trapezoid(np.asarray([1.0, 2.0, 3.0]), initial=0)
    array([0. , 1.5, 4. ])
    """
    if initial is not None and initial != 0:
        raise ArgumentError(f"cumulative_trapezoid: initial must be None or 0, got {initial!r}")
    s, x, a = _plan_samples("cumulative_trapezoid", y, x, axis)
    if s.shape[a] == 0:
        raise ShapeError("cumulative_trapezoid: y must have a sample along the axis, but has none")
    return _cumulative(s, x, a, _weak(dx), initial is not None)


@native()
def _cumulative(y: Any, x: Any, axis: int, dx: Any, initial: bool) -> Any:
    xp = array_namespace(y)
    s, d = _along(y, x, axis)
    sums = s[..., 1:] + s[..., :-1]
    out = xp.cumulative_sum(sums * (dx / 2 if d is None else d / 2), axis=-1)
    if initial:
        zeros = xp.zeros((*out.shape[:-1], 1), dtype=out.dtype, device=device(out))
        out = xp.concat([zeros, out], axis=-1)
    return last_to(out, axis)


@public
def simpson(y: A, x: Any = None, dx: float = 1.0, axis: int = -1) -> A:
    """Integrate samples by Simpson's rule.

    Parameters
    ----------
    y, x, dx, axis : array, array or None, number, int
        As for `trapezoid`.

    Returns
    -------
    array
        The integrals, without the axis.

    Raises
    ------
    ShapeError, ArgumentError
        As for `trapezoid`.

    Notes
    -----
    Exact for cubics at an odd number of equidistant samples. With an even number the last interval
    is integrated by the parabola through the last three samples (K. V. Cartwright, J. Math. Sci.
    Math. Educ. 12, 2017). Two samples are integrated by the trapezoidal rule. A few passes;
    differentiable.

    Differs from SciPy: the integral of no samples is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import simpson
    >>> float(simpson(np.asarray([0.0, 1.0, 4.0, 9.0, 16.0]))).__round__(12)
    21.333333333333
    """
    return _simpson(*_plan_samples("simpson", y, x, axis), _weak(dx))


@native()
def _simpson(y: Any, x: Any, axis: int, dx: Any) -> Any:
    xp = array_namespace(y)
    s, d = _along(y, x, axis)
    n = s.shape[-1]
    if n < 3:
        return _sum_of_pairs(xp, s, d, dx)
    m = n - 1 + n % 2  # samples of the rule itself
    y0, y1, y2 = s[..., 0 : m - 2 : 2], s[..., 1 : m - 1 : 2], s[..., 2:m:2]
    if d is None:
        out = xp.sum(y0 + 4 * y1 + y2, axis=-1) * (dx / 3)
        if m < n:
            out = out + (5 * s[..., -1] + 8 * s[..., -2] - s[..., -3]) * (dx / 12)
        return as_given(out)
    h0, h1 = d[..., 0 : m - 1 : 2], d[..., 1 : m - 1 : 2]
    both = h0 + h1
    terms = (
        y0 * (2 - _divided(xp, h1, h0))
        + y1 * _divided(xp, both * both, h0 * h1)
        + y2 * (2 - _divided(xp, h0, h1))
    )
    out = xp.sum(terms * (both / 6), axis=-1)
    if m < n:
        h0, h1 = d[..., -2], d[..., -1]
        both = h0 + h1
        out = out + (
            _divided(xp, h1 * (2 * h1 + 3 * h0), 6 * both) * s[..., -1]
            + _divided(xp, h1 * (h1 + 3 * h0), 6 * h0) * s[..., -2]
            - _divided(xp, h1 * h1 * h1, 6 * h0 * both) * s[..., -3]
        )
    return as_given(out)


def _divided(xp: Any, a: Any, b: Any) -> Any:
    """Quotients, 0 where the divisor is 0."""
    zero = b == 0
    return xp.where(zero, xp.zeros_like(b), a / xp.where(zero, xp.ones_like(b), b))


# -- derivatives -----------------------------------------------------------------------------------


@public
def gradient(f: A, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Differentiate samples by central differences, one-sided at the ends.

    Parameters
    ----------
    f : array
        Samples, real or complex.
    *varargs : number or array, optional
        Distances between samples: one number for all axes, or for each axis a number or a
        one-dimensional array of coordinates. Default: 1.
    axis : int, tuple of int or None, optional
        The axes to differentiate along; all by default.
    edge_order : {1, 2}, optional
        The order of the differences at the ends.

    Returns
    -------
    array or tuple of array
        An array of the shape of `f` for each axis; not a tuple if there is one axis.

    Raises
    ------
    ShapeError
        If there are less than ``edge_order + 1`` samples, or coordinates don't fit.
    ArgumentError
        If the number of distances isn't one of these, or there is no such `edge_order`.

    Notes
    -----
    Second order inside, also between unequal distances (B. Fornberg, Math. Comp. 51, 1988). A few
    passes; differentiable.

    Differs from NumPy: axes of a tuple are taken in ascending order; equidistant coordinates are
    treated like any others.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import gradient
    >>> gradient(np.asarray([0.0, 1.0, 4.0, 9.0]))
    array([1., 2., 4., 5.])
    """
    weak = [is_neutral(h) and not isinstance(h, list | tuple) for h in varargs]
    strong = [h for h, w in zip(varargs, weak, strict=True) if not w]
    xp = array_namespace(f, *strong)
    names = ("f", *("varargs",) * len(strong))
    f, *strong = _plan.common_floating("gradient", xp, names, f, *strong)
    if edge_order not in (1, 2):
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, got {edge_order!r}")
    axes = _plan.axis_tuple("gradient", "axis", axis, f.ndim) if f.ndim else ()
    arrays = iter(strong)
    spacing = [h if w else next(arrays) for h, w in zip(varargs, weak, strict=True)]
    if not spacing:
        spacing = [1.0]
    if len(spacing) == 1 and getattr(spacing[0], "ndim", 0) == 0:
        spacing = spacing * len(axes)
    if len(spacing) != len(axes):
        raise ArgumentError(
            f"gradient: one distance, or one for each of {len(axes)} axes, was expected, got "
            f"{len(varargs)}"
        )
    out = tuple(
        last_to(_slope(xp, _to_last(xp, f, a), h, edge_order), a)
        for a, h in zip(axes, spacing, strict=True)
    )
    return out[0] if len(out) == 1 else out


def _slope(xp: Any, f: Any, h: Any, order: int) -> Any:
    """Derivatives along the last axis."""
    n = f.shape[-1]
    if n < order + 1:
        raise ShapeError(f"gradient: {order + 1} samples are needed along an axis, got {n}")
    if getattr(h, "ndim", 0) > 0:
        if tuple(h.shape) != (n,):
            raise ShapeError(
                f"gradient: coordinates must have the shape ({n},) of an axis of f, but have "
                f"{tuple(h.shape)}"
            )
        return _slope_between(xp, f, h[1:] - h[:-1], order)
    inner = (f[..., 2:] - f[..., :-2]) / (2 * h)
    if order == 1:
        first, last = f[..., 1:2] - f[..., :1], f[..., -1:] - f[..., -2:-1]
    else:
        first = 2 * f[..., 1:2] - 1.5 * f[..., :1] - 0.5 * f[..., 2:3]
        last = 1.5 * f[..., -1:] - 2 * f[..., -2:-1] + 0.5 * f[..., -3 : n - 2]
    return xp.concat([first / h, inner, last / h], axis=-1)


def _slope_between(xp: Any, f: Any, d: Any, order: int) -> Any:
    """Derivatives for distances that differ: of the parabola through three neighbours."""
    h0, h1 = d[:-1], d[1:]
    low = (f[..., 1:-1] - f[..., :-2]) / h0
    high = (f[..., 2:] - f[..., 1:-1]) / h1
    inner = (h1 * low + h0 * high) / (h0 + h1)
    if order == 1:
        first, last = (f[..., 1:2] - f[..., :1]) / d[:1], (f[..., -1:] - f[..., -2:-1]) / d[-1:]
    else:
        change = (high - low) / (h0 + h1)
        first = low[..., :1] - change[..., :1] * h0[:1]
        last = high[..., -1:] + change[..., -1:] * h1[-1:]
    return xp.concat([first, inner, last], axis=-1)


# -- interpolation ---------------------------------------------------------------------------------


@public
def interp(
    x: A, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> A:
    """Interpolate linearly between points.

    Parameters
    ----------
    x : array
        Where to interpolate, real, of any shape.
    xp : array, shape (n,)
        Coordinates of the points, real and increasing (in any order with `period`).
    fp : array, shape (n,)
        Values at the points, real. `xp` and `fp` may be NumPy arrays with an `x` of another
        library: they are copied to its device.
    left, right : number, optional
        The values below the first and above the last point; by default those of these points.
    period : number, optional
        The period of the coordinates; `left` and `right` are then ignored.

    Returns
    -------
    array
        Of the shape of `x`, of the common floating dtype; NaN where `x` is.

    Raises
    ------
    ShapeError
        If `xp` and `fp` are not of one dimension and of the same size, above 0.
    ArgumentError
        If the period is 0.

    Notes
    -----
    One binary search per element. Coordinates are not checked: where they don't increase, or are
    NaN, the result is meaningless and differs between libraries. Of several points at one
    coordinate, the last is used. Differentiable.

    Differs from NumPy: floating dtypes are kept; values must be real; NaN gives NaN even for a
    single point.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import interp
    >>> interp(np.asarray([0.5, 3.0]), np.asarray([0.0, 1.0]), np.asarray([10.0, 20.0]))
    array([15., 20.])
    """
    xp, fp = beside(x, xp, fp)
    ns = array_namespace(x, xp, fp)
    x, xp, fp = _plan.common_floating("interp", ns, ("x", "xp", "fp"), x, xp, fp, real=True)
    if xp.ndim != 1 or fp.ndim != 1 or xp.shape != fp.shape or xp.shape[0] == 0:
        raise ShapeError(
            "interp: xp and fp must have one shape (n,), n above 0, but have "
            f"{tuple(xp.shape)} and {tuple(fp.shape)}"
        )
    for name, value in (("left", left), ("right", right), ("period", period)):
        if value is not None and is_neutral(value):
            _plan.fits("interp", name, ns, value, x.dtype)
    if period is not None:
        if period == 0:
            raise ArgumentError("interp: period must not be 0")
        period = abs(period)
        at: Any = x
        x, xp = at % period, xp % period
        order = ns.argsort(xp)
        xp, fp = ns.take(xp, order), ns.take(fp, order)
        xp = ns.concat([xp[-1:] - period, xp, xp[:1] + period])
        fp = ns.concat([fp[-1:], fp, fp[:1]])
        left = right = None
    return _interp(x, xp, fp, left, right)


def _several(x: Any, xp: Any, *args: Any) -> bool:
    """several points; of one NumPy's routine makes numbers of NaNs."""
    return bool(xp.shape[0] > 1)


def _several_wide(x: Any, xp: Any, *args: Any) -> bool:
    """several points of float64."""
    return _several(x, xp) and bool(x.dtype == array_namespace(x).float64)


@native(
    numpy="likewise._libs.numpy._natives:interp",
    torch="numpy:interp",
    when={"numpy": _several, "torch": _several_wide},
)
def _interp(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    with quiet(x):
        return _interpolated(array_namespace(x), x, xp, fp, left, right)


def _interpolated(ns: Any, x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    n = xp.shape[0]
    left = fp[0] if left is None else left
    right = fp[-1] if right is None else right
    if n == 1:
        out = ns.zeros_like(x) + fp[0]
    else:
        flat = ns.reshape(x, (-1,))
        j = ns.clip(searchsorted(xp, flat, "right") - 1, 0, n - 2)
        x0, x1, f0, f1 = (ns.take(z, i) for z in (xp, fp) for i in (j, j + 1))
        d = x1 - x0
        slope = (f1 - f0) / ns.where(d == 0, ns.ones_like(d), d)
        low, high = f0 + slope * (flat - x0), f1 + slope * (flat - x1)
        out = ns.where(ns.isnan(low), high, low)
        out = ns.where(ns.isnan(out) & ((f0 == f1) | (flat == x0)), f0, out)
        out = ns.reshape(out, tuple(x.shape))
    out = ns.where(x == xp[-1], fp[-1], out)
    out = ns.where(x < xp[0], left, ns.where(x > xp[-1], right, out))
    return as_given(ns.where(ns.isnan(x), x, out))


@public
def unwrap(p: A, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> A:
    """Remove jumps of whole periods between neighbours.

    Parameters
    ----------
    p : array
        Real.
    discont : number, optional
        Smaller changes between neighbours are left alone; at least, and by default, half a period.
    axis : int, optional
        The axis along which neighbours are compared.
    period : number, optional
        The period; 2 pi by default.

    Returns
    -------
    array
        Of the shape of `p`; floating dtypes are kept.

    Raises
    ------
    DtypeError
        If `p` is complex.
    ShapeError, ArgumentError
        If the axis is out of range or no integer.

    Notes
    -----
    A few passes. Differentiable: the derivative of each result in its own element is 1.

    Differs from NumPy: integers become the library's default floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import unwrap
    >>> unwrap(np.asarray([0.0, 3.0, -3.0]), period=6.0)
    array([0., 3., 3.])
    """
    xp = array_namespace(p)
    (p,) = _plan.common_floating("unwrap", xp, ("p",), p, real=True)
    (a,) = _one_axis("unwrap", axis, p.ndim)
    if period == 2 * math.pi:
        return _unwrap(p, discont, a)
    return _unwrapped(p, discont, a, period)


@native(numpy="numpy:unwrap", jax="jax.numpy:unwrap")
def _unwrap(p: Any, discont: Any, axis: int) -> Any:
    return _unwrapped(p, discont, axis, 2 * math.pi)


def _unwrapped(p: Any, discont: Any, axis: int, period: float) -> Any:
    xp = array_namespace(p)
    half = period / 2
    discont = half if discont is None else discont
    if p.shape[axis] == 0:
        return p
    p = _to_last(xp, p, axis)
    d = p[..., 1:] - p[..., :-1]
    wrapped = (d + half) % period - half
    wrapped = xp.where((wrapped == -half) & (d > 0), xp.full_like(d, half), wrapped)
    jump = xp.where(xp.abs(d) < discont, xp.zeros_like(d), wrapped - d)
    out = xp.concat([p[..., :1], p[..., 1:] + xp.cumulative_sum(jump, axis=-1)], axis=-1)
    return last_to(out, axis)


@public
def sinc(x: A) -> A:
    """Return sin(pi x) / (pi x), which is 1 at 0.

    Parameters
    ----------
    x : array
        Real or complex.

    Returns
    -------
    array
        Of the shape of `x`; floating dtypes are kept.

    Raises
    ------
    DtypeError
        If `x` doesn't hold numbers.

    Notes
    -----
    Differentiable everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import sinc
    >>> sinc(np.asarray([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("sinc", xp, ("x",), x)
    return _sinc(x)


def _real(x: Any) -> bool:
    """real arrays."""
    return not _plan.is_complex(array_namespace(x), x.dtype)


@native(numpy="numpy:sinc", jax="jax.numpy:sinc", torch="torch:sinc", when=_real)
def _sinc(x: Any) -> Any:
    xp = array_namespace(x)
    zero = x == 0
    y = math.pi * xp.where(zero, xp.ones_like(x), x)
    return as_given(xp.where(zero, xp.ones_like(x), xp.sin(y) / y))
