"""Functions of one variable through given values, of all of SciPy's kinds."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing import searchsorted
from ...transforms import register_tree
from .._base._knots import evenly, followed, gathered, one_axis
from .._base._points import placed, spread
from .._bsplines._bspline import known
from .._bsplines._interpolating import make_interp_spline

__all__ = ["interp1d"]

_NAME = "interp1d"
_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_STEPS = ("linear", "nearest", "nearest-up", "previous", "next")


class interp1d:
    """Interpolate values of one variable.

    Parameters
    ----------
    x : array, shape (n,) or (batch..., n)
        Knots, in any order. With more than one dimension, each problem of the batch has its own.
    y : array
        Values, real or complex, with an axis of length n.
    kind : str or int, optional
        'linear' (default); the value at the 'nearest' knot ('nearest-up' rounds halves up), at the
        'previous' or the 'next' one; the spline of degree 'zero', 'slinear', 'quadratic', 'cubic',
        or of any degree, as `make_interp_spline` makes it.
    axis : int, optional
        The axis of the knots in `y`, the batch not counted. Default: the last.
    copy : bool, optional
        Accepted for SciPy's signature; ignored, as nothing is changed.
    bounds_error : bool, optional
        Whether points outside of the knots are an error, where values can be read. Default: yes,
        unless they are extrapolated. Where values can't be read they get `fill_value`.
    fill_value : number, array, pair of these, or 'extrapolate', optional
        Values outside of the knots, a pair for those below and above. Default: NaN.
    assume_sorted : bool, optional
        Whether the knots increase already.

    Attributes
    ----------
    x, y : array
        Knots in order, values as given, in that order.
    axis : int
    bounds_error : bool
    fill_value

    Raises
    ------
    NotSupported
        If there is no such kind.
    ShapeError
        If shapes don't fit, or there are too few knots.
    ArgumentError
        If a degree is negative, knots of a spline come again, points outside are to be
        extrapolated and an error, or, in calls, if a point is outside.
    DtypeError
        If knots are complex.

    Notes
    -----
    O(log n) operations a point. A tree of arrays (`likewise.transforms.register_tree`). Derivatives
    in knots, values, fill values and points are those of the piece that a point lies in.

    Differs from SciPy: batches; float32 stays float32; knots and values are not changed afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import interp1d
    >>> f = interp1d(np.asarray([0.0, 1.0, 2.0]), np.asarray([5.0, 7.0, 6.0]))
    >>> f(np.asarray([0.5, 1.5]))
    array([6. , 6.5])
    >>> g = interp1d([0.0, 1.0, 2.0], [5.0, 7.0, 6.0], "previous", fill_value="extrapolate")
    >>> g([0.5, 3.0])
    array([5., 6.])
    """

    x: Any
    axis: int
    bounds_error: bool
    fill_value: Any

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = float("nan"),
        assume_sorted: bool = False,
    ) -> None:
        order = _order(kind)
        xp = array_namespace(x, y)
        x, y = evenly(_NAME, xp, ("x", "y"), x, y)
        if x.ndim == 0:
            raise ShapeError(f"{_NAME}: the x array must have exactly one dimension, or a batch's")
        b, n = x.ndim - 1, x.shape[-1]
        if y.ndim <= b or tuple(y.shape[:b]) != tuple(x.shape[:-1]):
            raise ShapeError(
                f"{_NAME}: the y array must have at least one dimension, after those of the batch, "
                f"{tuple(x.shape[:-1])}, got shape {tuple(y.shape)}"
            )
        at = one_axis(_NAME, axis, y.ndim - b)
        if y.shape[b + at] != n:
            raise ShapeError(
                f"{_NAME}: x and y arrays must be equal in length along interpolation axis: shapes "
                f"{tuple(x.shape)} and {tuple(y.shape)}, axis {axis}"
            )
        least = order + 1 if isinstance(order, int) else 1
        if n < least:
            raise ShapeError(f"{_NAME}: x and y arrays must have at least {least} entries, got {n}")
        if at != 0:
            y = xp.moveaxis(y, b + at, b)
        if not assume_sorted and not _in_order(xp, x):
            way = xp.argsort(x, axis=-1, stable=True)
            x = xp.take_along_axis(x, way, axis=-1)
            y = gathered(xp, y, way, 0, tuple(x.shape[:-1]))
        if isinstance(order, int) and known(x[..., 1:] == x[..., :-1]):
            raise ArgumentError(
                f"{_NAME}: Expect x to not have duplicates, of a spline. Leave them out, or take "
                "kind 'linear' or a step's"
            )
        self.x, self.axis, self._values, self._kind = x, at, y, order
        self._spline = None
        if isinstance(order, int) and order > 1:
            self._spline = make_interp_spline(x, y, k=order, check_finite=False)
        self._fill(bounds_error, fill_value)

    def _fill(self, bounds_error: bool | None, given: Any) -> None:
        self._below = self._above = None
        self.fill_value = given
        self._extrapolates = isinstance(given, str)
        if self._extrapolates:
            if given != "extrapolate":
                raise ArgumentError(
                    f"{_NAME}: fill_value must be 'extrapolate', a number, an array or a pair, got "
                    f"{given!r}"
                )
            if bounds_error:
                raise ArgumentError(
                    f"{_NAME}: Cannot extrapolate and raise at the same time. Leave bounds_error"
                    " out"
                )
            self.bounds_error = False
            return
        self.bounds_error = True if bounds_error is None else bool(bounds_error)
        if isinstance(given, float) and given != given:
            return
        pair = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
        self._below, self._above = (self._filler(v) for v in pair)

    def _filler(self, value: Any) -> Any:
        y, b = self._values, self.x.ndim - 1
        xp = array_namespace(y, value)
        _, made = _plan.common_floating(_NAME, xp, ("y", "fill_value"), y, value)
        batch, rest = tuple(y.shape[:b]), tuple(y.shape[b + 1 :])
        own = tuple(made.shape)
        wide = own[-len(rest) :] if rest else ()
        front = own[: len(own) - len(wide)]
        fits = all(k in (1, m) for k, m in zip(reversed(wide), reversed(rest), strict=False))
        if not fits or (front not in ((), batch) and (batch or front != (1,))):
            raise ShapeError(
                f"{_NAME}: fill_value argument must be able to broadcast up to shape "
                f"{(*batch, *rest)} but had shape {own}"
            )
        made = xp.reshape(made, (*(front if batch else ()), *wide))
        return followed(xp, made)

    @property
    def y(self) -> Any:
        """The values, with the knots' axis where it was."""
        if not self.axis:
            return self._values
        b = self.x.ndim - 1
        return array_namespace(self._values).moveaxis(self._values, b, b + self.axis)

    def __call__(self, x: Any) -> Any:
        """Return the values at points.

        Parameters
        ----------
        x : array
            Points. Of a batch, its dimensions come first (or ones), then any shape; a number is for
            all.

        Returns
        -------
        array
            With the points' dimensions in place of the axis of the knots.

        Raises
        ------
        ArgumentError
            If a point is outside of the knots, and that is an error.
        ShapeError
            If points don't fit the batch.
        """
        xp = array_namespace(self.x, self._values, x)
        knots, v = _plan.common_floating(_NAME, xp, ("x", "x_new"), self.x, x, real=True)
        knots, v, y, below, above = followed(xp, (knots, v, self._values, self._below, self._above))
        b = knots.ndim - 1
        v, shape = spread(_NAME, xp, v, tuple(knots.shape[:-1]))
        low, high = v < knots[..., :1], v > knots[..., -1:]
        inside = False
        if is_concrete(v) and is_concrete(knots):
            any_low, any_high = bool(xp.any(low)), bool(xp.any(high))
            inside = not any_low and not any_high
            if self.bounds_error and not inside:
                self._refuse(xp, knots, v, low if any_low else high, any_low)
        if self._spline is None:
            out = _piecewise(knots, y, v, self._kind, inside)
        else:
            out = self._spline(v, extrapolate=True)
        if inside:
            return placed(out, shape, b, self.axis)
        if not self._extrapolates:
            out = _where(xp, low, xp.nan if below is None else below, out)
            out = _where(xp, high, xp.nan if above is None else above, out)
        elif self._kind in ("previous", "next"):
            out = _where(xp, low if self._kind == "previous" else high, xp.nan, out)
        return placed(out, shape, b, self.axis)

    def _refuse(self, xp: Any, knots: Any, v: Any, some: Any, below: bool) -> None:
        word, end = ("below", "minimum") if below else ("above", "maximum")
        extreme = xp.min(v) if below else xp.max(xp.where(some, v, xp.min(v)))
        wrong = float(extreme)  # likewise: ignore[LW203]: values are at hand
        edge = float(knots[(0,) * (knots.ndim - 1) + (0 if below else -1,)])
        raise ArgumentError(
            f"{_NAME}: A value ({wrong}) in x_new is {word} the interpolation range's {end} value "
            f"({edge}). Give bounds_error=False or fill_value='extrapolate'"
        )


def _order(kind: Any) -> Any:
    """Return a word, or the degree of a spline."""
    if isinstance(kind, str):
        kind = _ORDERS.get(kind, kind)
        if isinstance(kind, int) or kind in _STEPS:
            return kind
    elif hasattr(kind, "__index__"):
        if kind < 0:
            raise ArgumentError(f"{_NAME}: Expect non-negative degrees, got {kind}")
        return int(kind.__index__())
    raise NotSupported(
        f"{_NAME}: {kind} is unsupported: give one of {', '.join((*_STEPS, *_ORDERS))}, or a degree"
    )


def _in_order(xp: Any, x: Any) -> bool:
    return is_concrete(x) and bool(xp.all(x[..., 1:] >= x[..., :-1]))


def _where(xp: Any, mask: Any, value: Any, out: Any) -> Any:
    """Put a number, or values of the trailing dimensions, where a mask (*batch, p) is set."""
    b = mask.ndim - 1
    if isinstance(value, float):
        value = xp.asarray(value, dtype=out.dtype, device=device(out))
    elif value.ndim > out.ndim - 1 - b:  # a batch's
        value = xp.expand_dims(value, axis=b)
    mask = mask[(..., *(None,) * (out.ndim - mask.ndim))]
    return xp.where(mask, value, out)


def _doubles(x: Any, y: Any, v: Any, kind: Any, inside: bool) -> bool:
    """doubles, and one row of knots."""
    xp = array_namespace(x)
    return bool(x.ndim == 1 and x.dtype == v.dtype == y.dtype == xp.float64)


@native(
    numpy="likewise._libs.numpy._interpolate:linear",
    torch="likewise._libs.numpy._interpolate:linear",
    when=_doubles,
)
def _piecewise(x: Any, y: Any, v: Any, kind: Any, inside: bool) -> Any:
    """Evaluate pieces of knots (*batch, n), values (*batch, n, ...), points (*batch, p)."""
    xp = array_namespace(x, y, v)
    batch, n = tuple(x.shape[:-1]), x.shape[-1]
    if n == 1 or kind not in ("linear", 1):
        out = gathered(xp, y, _nearest(xp, x, v, kind), 0, batch)
        return out if kind != 0 else _where(xp, xp.isnan(v), xp.nan, out)
    side = "left" if kind == "linear" else "right"  # of a spline, values hold from a knot on
    high = xp.clip(searchsorted(x, v, side=side), 1, n - 1)
    x0, x1 = (gathered(xp, x, i, 0, batch) for i in (high - 1, high))
    y0, y1 = (gathered(xp, y, i, 0, batch) for i in (high - 1, high))
    more = (..., *(None,) * (y0.ndim - x0.ndim))
    with quiet(v):
        return y0 + (y1 - y0) / (x1 - x0)[more] * (v - x0)[more]


def _nearest(xp: Any, x: Any, v: Any, kind: Any) -> Any:
    """Return the index of the knot whose value holds at each point."""
    n = x.shape[-1]
    if kind in ("nearest", "nearest-up"):
        half = x / 2.0
        middles = half[..., 1:] + half[..., :-1]
        return searchsorted(middles, v, side="left" if kind == "nearest" else "right")
    if kind == "next":
        return xp.clip(searchsorted(x, v), 0, n - 1)
    return xp.clip(searchsorted(x, v, side="right") - 1, 0, n - 1)


def _flatten(f: interp1d) -> tuple[tuple[Any, ...], Any]:
    leaves = (f.x, f._values, f._below, f._above, f._spline)
    return leaves, (f.axis, f._kind, f._extrapolates, f.bounds_error)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> interp1d:
    made = object.__new__(interp1d)
    made.axis, made._kind, made._extrapolates, made.bounds_error = fixed
    made.x, made._values, made._below, made._above, made._spline = leaves
    if made._extrapolates:
        made.fill_value = "extrapolate"
    else:
        made.fill_value = float("nan") if made._below is None else (made._below, made._above)
    return made


register_tree(interp1d, _flatten, _unflatten)
