"""Cubics between points, of given slopes or of slopes that neighbours determine."""

from typing import Any, Literal, Self

from ... import _plan
from ..._namespace import array_namespace, quiet
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, DtypeError, NotSupported, ShapeError
from .._base._knots import checked, evenly, finite, mode_of, one_axis
from ._pieces import column
from ._ppoly import PPoly

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "PchipInterpolator",
    "doubles",
    "hermite",
    "pchip_interpolate",
    "prepared",
    "steps_of",
]


def prepared(
    function: str, x: Any, y: Any, axis: Any, *more: Any, real: bool = False
) -> tuple[Any, ...]:
    """Return checked knots (*batch, n), values (*batch, n, ...), more of these, and the axis."""
    xp = array_namespace(x, y, *more)
    x, *values = evenly(function, xp, ("x", "y", "dydx")[: 2 + len(more)], x, y, *more)
    if x.ndim == 0:
        raise ShapeError(f"{function}: `x` must be 1-dimensional, or a batch, but is a number")
    if real and _plan.is_complex(xp, values[0].dtype):
        raise DtypeError(
            f"{function}: only works with real values for `y`, got {values[0].dtype}. Interpolate "
            "its real and its imaginary part"
        )
    n, b = x.shape[-1], x.ndim - 1
    if n < 2:
        raise ShapeError(
            f"{function}: `x` must contain at least 2 elements, got shape {tuple(x.shape)}"
        )
    ndim = values[0].ndim - b
    if ndim < 1 or tuple(values[0].shape[:b]) != tuple(x.shape[:-1]):
        raise ShapeError(
            f"{function}: `y` must begin with the batch of `x`, {tuple(x.shape[:-1])}, and have "
            f"one more dimension at least, got shape {tuple(values[0].shape)}"
        )
    at = one_axis(function, axis, ndim)
    if values[0].shape[b + at] != n:
        raise ShapeError(
            f"{function}: The length of `y` along `axis`={axis} doesn't match the length of `x`: "
            f"shapes {tuple(values[0].shape)} and {tuple(x.shape)}"
        )
    if more and tuple(values[1].shape) != tuple(values[0].shape):
        raise ShapeError(
            f"{function}: The shapes of `y` and `dydx` must be identical, got "
            f"{tuple(values[0].shape)} and {tuple(values[1].shape)}"
        )
    checked(function, x)
    for name, v in zip(("y", "dydx"), values, strict=False):
        finite(function, name, v)
    if at:
        values = [xp.moveaxis(v, b + at, b) for v in values]
    return x, *values, at


def ends(v: Any, b: int, start: int | None, stop: int | None) -> Any:
    """Return a part along the axis after the batch."""
    return v[(*(slice(None),) * b, slice(start, stop), ...)]


def steps_of(x: Any, y: Any) -> tuple[Any, Any]:
    """Return distances of knots, in the values' dimensions, and slopes between them."""
    b = x.ndim - 1
    step = column(x[..., 1:] - x[..., :-1], y)
    return step, (ends(y, b, 1, None) - ends(y, b, None, -1)) / step


def hermite(x: Any, y: Any, dydx: Any) -> Any:
    """Return coefficients (4, *batch, n - 1, ...) of cubics of given values and slopes."""
    xp, b = array_namespace(x, y, dydx), x.ndim - 1
    step, slope = steps_of(x, y)
    left, right = ends(dydx, b, None, -1), ends(dydx, b, 1, None)
    t = (left + right - 2 * slope) / step
    return xp.stack([t / step, (slope - left) / step - t, left, ends(y, b, None, -1)])


class CubicHermiteSpline(PPoly):
    """Interpolate by cubics of given values and first derivatives.

    Parameters
    ----------
    x : array, shape (n,) or (batch..., n)
        Knots, increasing. With more than one dimension, each problem of the batch has its own.
    y : array, shape (n, ...) or (batch..., n, ...)
        Values, real or complex.
    dydx : array, shape of `y`
        Derivatives.
    axis : int, optional
        The axis of the knots in `y`, the batch not counted.
    extrapolate : bool or 'periodic', optional
        Outside of the knots, the first and the last cubic (default), NaN, or the values of a
        periodic function.

    Attributes
    ----------
    c : array, shape (4, batch..., n - 1, ...)
        Coefficients, as of `PPoly`.
    x : array
    axis : int
    extrapolate : bool or 'periodic'

    Raises
    ------
    ShapeError
        If there are fewer than two knots, or shapes don't fit.
    ArgumentError
        If knots don't increase, or a number isn't finite, where values can be read.
    DtypeError
        If knots are complex.

    Notes
    -----
    O(n) operations. Differentiable in knots, values, derivatives and points. A tree of arrays, as
    `PPoly`.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import CubicHermiteSpline
    >>> x = np.asarray([0.0, 1.0, 2.0])
    >>> float(CubicHermiteSpline(x, x**3, 3 * x**2)(1.5))
    3.375
    """

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        name = type(self).__name__
        x, y, dydx, at = prepared(name, x, y, axis, dydx)
        self._set(x, hermite(x, y, dydx), at, extrapolate, True)

    def _set(self, x: Any, c: Any, axis: int, extrapolate: Any, usual: Any) -> None:
        self.x, self.c, self.axis = x, c, axis
        mode = usual if extrapolate is None else mode_of(type(self).__name__, extrapolate)
        self.extrapolate = mode


class PchipInterpolator(CubicHermiteSpline):
    """Interpolate by cubics that are monotone where the data are.

    Parameters
    ----------
    x : array, shape (n,) or (batch..., n)
        Knots, increasing. With more than one dimension, each problem of the batch has its own.
    y : array, shape (n, ...) or (batch..., n, ...)
        Real values.
    axis : int, optional
        The axis of the knots in `y`, the batch not counted.
    extrapolate : bool or 'periodic', optional
        Outside of the knots, the first and the last cubic (default), NaN, or the values of a
        periodic function.

    Attributes
    ----------
    c : array, shape (4, batch..., n - 1, ...)
        Coefficients, as of `PPoly`.
    x : array
    axis : int
    extrapolate : bool or 'periodic'

    Raises
    ------
    ShapeError
        If there are fewer than two knots, or shapes don't fit.
    ArgumentError
        If knots don't increase, or a number isn't finite, where values can be read.
    DtypeError
        If knots or values are complex.

    Notes
    -----
    Slopes are harmonic means of the neighbours', or 0 at an extremum (F. N. Fritsch, J. Butland,
    SIAM J. Sci. Stat. Comput. 5, 300, 1984), and at the ends those of parabolas, limited. O(n)
    operations. Differentiable in knots, values and points, but for data where a slope is 0. A tree
    of arrays, as `PPoly`.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import PchipInterpolator
    >>> f = PchipInterpolator(np.asarray([0.0, 1.0, 2.0, 3.0]), np.asarray([0.0, 0.0, 1.0, 1.0]))
    >>> f(np.asarray([0.5, 1.5, 2.5]))
    array([0. , 0.5, 1. ])
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, at = prepared("PchipInterpolator", x, y, axis, real=True)
        self._set(x, _monotone(x, y), at, extrapolate, True)


def doubles(x: Any, y: Any, *args: Any) -> bool:
    """doubles, and one row of knots."""
    return bool(x.ndim == 1 and x.dtype == y.dtype == array_namespace(x).float64)


@native(
    numpy="likewise._libs.numpy._interpolate:monotone",
    torch="likewise._libs.numpy._interpolate:monotone",
    when=doubles,
)
def _monotone(x: Any, y: Any) -> Any:
    return hermite(x, y, monotone(x, y))


def monotone(x: Any, y: Any) -> Any:
    """Return the slopes at the knots of a monotone interpolant."""
    xp, b = array_namespace(x, y), x.ndim - 1
    step, slope = steps_of(x, y)
    if x.shape[-1] == 2:
        return xp.concat([slope, slope], axis=b)
    h0, h1 = ends(step, b, None, -1), ends(step, b, 1, None)
    m0, m1 = ends(slope, b, None, -1), ends(slope, b, 1, None)
    flat = xp.sign(m0) * xp.sign(m1) <= 0
    one = xp.ones_like(m0)
    w0, w1 = h0 + 2 * h1, 2 * h0 + h1
    with quiet(y):  # of quotients of small slopes, whose harmonic mean is 0
        mean = w0 / xp.where(flat, one, m0) + w1 / xp.where(flat, one, m1)
        inner = xp.where(flat, xp.zeros_like(m0), (w0 + w1) / mean)
    k = h0.shape[b]
    first = _at_end(xp, *(ends(v, b, 0, 1) for v in (h0, h1, m0, m1)))
    last = _at_end(xp, *(ends(v, b, k - 1, k) for v in (h1, h0, m1, m0)))
    return xp.concat([first, inner, last], axis=b)


def _at_end(xp: Any, h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """Return the slope of a parabola at its end, limited to keep the shape."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    over = (xp.sign(m0) != xp.sign(m1)) & (xp.abs(d) > 3 * xp.abs(m0))
    d = xp.where(over, 3 * m0, d)
    return xp.where(xp.sign(d) != xp.sign(m0), xp.zeros_like(d), d)


class Akima1DInterpolator(CubicHermiteSpline):
    """Interpolate by cubics whose slopes follow the nearest points only.

    Parameters
    ----------
    x : array, shape (n,) or (batch..., n)
        Knots, increasing. With more than one dimension, each problem of the batch has its own.
    y : array, shape (n, ...) or (batch..., n, ...)
        Real values.
    axis : int, optional
        The axis of the knots in `y`, the batch not counted.
    method : {'akima', 'makima'}, optional
        Akima's weights, or those with averages of slopes added, which overshoot less.
    extrapolate : bool or 'periodic', optional
        Outside of the knots, NaN (default), the first and the last cubic, or the values of a
        periodic function.

    Attributes
    ----------
    c : array, shape (4, batch..., n - 1, ...)
        Coefficients, as of `PPoly`.
    x : array
    axis : int
    extrapolate : bool or 'periodic'

    Raises
    ------
    ShapeError
        If there are fewer than two knots, or shapes don't fit.
    ArgumentError
        If knots don't increase, a number isn't finite, where values can be read, or there is no
        such method.
    DtypeError
        If knots or values are complex.

    Notes
    -----
    H. Akima, J. ACM 17, 589, 1970. Where both weights are 0, next to the largest of the problem,
    the slope is the mean of those on both sides. O(n) operations. Differentiable in knots, values
    and points where these weights don't change from 0. A tree of arrays, as `PPoly`.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import Akima1DInterpolator
    >>> x = np.asarray([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> float(Akima1DInterpolator(x, x**2)(2.5))
    6.25
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        *,
        method: Literal["akima", "makima"] | str = "akima",
        extrapolate: Any = None,
    ) -> None:
        name = "Akima1DInterpolator"
        if method not in ("akima", "makima"):  # SciPy's class
            raise NotSupported(
                f"{name}: `method`={method!r} is unsupported: 'akima' or 'makima' was expected"
            )
        x, y, at = prepared(name, x, y, axis, real=True)
        self._set(x, _local(x, y, method), at, extrapolate, False)

    def extend(self, c: Any, x: Any) -> Self:
        """Refuse: new pieces would not be of Akima's slopes.

        Parameters
        ----------
        c, x
            Not used.

        Raises
        ------
        NotSupported
            Always.
        """
        raise NotSupported(
            "Akima1DInterpolator.extend: Extending a 1-D Akima interpolator is not yet "
            "implemented. Extend the PPoly of its c and x"
        )


@native(
    numpy="likewise._libs.numpy._interpolate:local",
    torch="likewise._libs.numpy._interpolate:local",
    when=doubles,
)
def _local(x: Any, y: Any, method: str) -> Any:
    return hermite(x, y, local(x, y, method))


def local(x: Any, y: Any, method: str) -> Any:
    """Return Akima's slopes at the knots."""
    xp, b = array_namespace(x, y), x.ndim - 1
    n = x.shape[-1]
    _, slope = steps_of(x, y)
    if n == 2:
        return xp.concat([slope, slope], axis=b)
    m2, m3 = ends(slope, b, 0, 1), ends(slope, b, 1, 2)
    m1 = 2 * m2 - m3
    m0 = 2 * m1 - m2
    z2, z3 = ends(slope, b, n - 2, n - 1), ends(slope, b, n - 3, n - 2)
    z1 = 2 * z2 - z3
    z0 = 2 * z1 - z2
    m = xp.concat([m0, m1, slope, z1, z0], axis=b)
    before, after = ends(m, b, None, -1), ends(m, b, 1, None)
    weight = xp.abs(after - before)
    if method == "makima":
        weight = weight + 0.5 * xp.abs(after + before)
    w0, w1 = ends(weight, b, 2, None), ends(weight, b, None, -2)
    both = w0 + w1
    mean = (ends(m, b, 3, None) + ends(m, b, None, -3)) / 2
    if 0 in both.shape:
        return mean
    largest = xp.max(both, axis=tuple(range(b, both.ndim)), keepdims=True)
    weighty = both > 1e-9 * largest
    left, right = ends(m, b, 1, -2), ends(m, b, 2, -1)
    share = w1 / xp.where(weighty, both, xp.ones_like(both))
    return xp.where(weighty, left + share * (right - left), mean)


@public
def pchip_interpolate(xi: A, yi: A, x: Any, der: Any = 0, axis: int = 0) -> A:
    """Interpolate by cubics that are monotone where the data are.

    Parameters
    ----------
    xi : array, shape (n,) or (batch..., n)
        Knots, increasing. With more than one dimension, each problem of the batch has its own.
    yi : array, shape (n, ...) or (batch..., n, ...)
        Real values.
    x : array
        Points. Of a batch, its dimensions come first (or ones), then any shape.
    der : int or list of int, optional
        The order of the derivative, or several.
    axis : int, optional
        The axis of the knots in `yi`, the batch not counted.

    Returns
    -------
    array
        With the points' dimensions in place of the axis; a list of them for several orders.

    Raises
    ------
    ShapeError
        If there are fewer than two knots, or shapes don't fit.
    ArgumentError
        If knots don't increase, or a number isn't finite, where values can be read.
    DtypeError
        If knots or values are complex.

    Notes
    -----
    The values of `PchipInterpolator`, whose notes hold. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import pchip_interpolate
    >>> x = np.asarray([0.0, 1.0, 2.0])
    >>> pchip_interpolate(x, np.asarray([0.0, 1.0, 1.0]), np.asarray([0.5, 1.5]))
    array([0.6875, 1.    ])
    """
    found = PchipInterpolator(xi, yi, axis)
    if hasattr(der, "__index__"):
        return found(x, der)
    if not isinstance(der, list | tuple):
        raise ArgumentError(
            f"pchip_interpolate: der must be an integer or a list of these, got {der!r}"
        )
    return [found(x, nu) for nu in der]  # type: ignore[return-value]
