"""Coefficients, breakpoints and points of piecewise polynomials of any basis, and their trees."""

from typing import Any, Self

from ... import _plan
from ..._namespace import array_namespace, is_concrete
from ..._native import native
from ...errors import ArgumentError, ShapeError
from ...transforms import register_tree
from .._base._knots import evenly, followed, mode_of, one_axis, order_of
from .._base._points import placed, spread

__all__ = ["Pieces", "column", "doubles", "outside", "towards", "wrapped"]


class Pieces:
    """Hold coefficients (k, *batch, m, ...) of polynomials between breakpoints (*batch, m + 1)."""

    c: Any
    x: Any
    extrapolate: Any
    axis: int

    def __init_subclass__(cls) -> None:
        register_tree(cls, _flatten, _unflatten)

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        name = type(self).__name__
        xp = array_namespace(c, x)
        x, c = evenly(name, xp, ("x", "c"), x, c)
        batch = max(x.ndim - 1, 0)
        if c.ndim < 2 + batch:
            raise ShapeError(
                f"{name}: Coefficients array must be at least {2 + batch}-dimensional: c "
                f"(k, {'*batch, ' * bool(batch)}m, ...), got shape {tuple(c.shape)}"
            )
        self.axis = one_axis(name, axis, c.ndim - 1 - batch)
        if self.axis and not batch:
            c = xp.moveaxis(c, (self.axis, self.axis + 1), (0, 1))
        if x.ndim == 0 or x.shape[-1] < 2:
            raise ShapeError(
                f"{name}: at least 2 breakpoints are needed, got shape {tuple(x.shape)}"
            )
        if tuple(c.shape[1 : 2 + batch]) != (*x.shape[:-1], x.shape[-1] - 1):
            raise ShapeError(
                f"{name}: number of coefficients != len(x)-1: c has shape {tuple(c.shape)}, x has "
                f"shape {tuple(x.shape)}, so that c must be (k, "
                f"{', '.join(map(str, (*x.shape[:-1], x.shape[-1] - 1)))}, ...)"
            )
        if c.shape[0] == 0:
            raise ShapeError(
                f"{name}: c must have at least one coefficient a piece, has {tuple(c.shape)}"
            )
        if is_concrete(x):
            steps = x[..., 1:] - x[..., :-1]
            down = x[..., -1:] < x[..., :1]
            if not bool(xp.all(xp.where(down, -steps, steps) >= 0)):
                raise ArgumentError(
                    f"{name}: `x` must be strictly increasing or decreasing. Sort it, and c with it"
                )
        self.c, self.x = c, x
        self.extrapolate = True if extrapolate is None else mode_of(name, extrapolate)

    @classmethod
    def construct_fast(cls, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> Self:
        """Return a piecewise polynomial of such arrays as it stores them, without any check.

        Parameters
        ----------
        c, x, extrapolate, axis
            As the attributes: `c` has shape (k, m, ...), whatever `axis` is.

        Returns
        -------
        piecewise polynomial
            Of this class.
        """
        made = object.__new__(cls)
        made.c, made.x, made.axis = c, x, axis
        made.extrapolate = True if extrapolate is None else extrapolate
        return made

    def _like(self, c: Any, x: Any = None, extrapolate: Any = None) -> Self:
        own = self.extrapolate if extrapolate is None else extrapolate
        return self.construct_fast(c, self.x if x is None else x, own, self.axis)

    def _points(self, function: str, v: Any) -> tuple[Any, Any, Any, tuple[int, ...]]:
        """Return coefficients, breakpoints, points (*batch, p), and the points' own shape."""
        xp = array_namespace(self.c, self.x, v)
        x, v = _plan.common_floating(function, xp, ("x", "v"), self.x, v, real=True)
        c, x, v = followed(xp, (self.c, x, v))
        v, shape = spread(function, xp, v, tuple(x.shape[:-1]))
        return c, x, v, shape

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the values, or those of a derivative.

        Parameters
        ----------
        x : array
            Points. Of a batch, its dimensions come first (or ones), then any shape; a number is for
            all.
        nu : int, optional
            The order of the derivative.
        extrapolate : bool or 'periodic', optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array
            In place of the axis of the intervals it has the dimensions of the points.

        Raises
        ------
        ShapeError
            If points don't fit the batch.
        ArgumentError
            If `nu` is negative: `antiderivative` is for integrals.
        """
        name = type(self).__name__
        mode = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        c, knots, v, shape = self._points(name, x)
        nu = order_of(name, nu)
        return self._placed(self._values(c, knots, v, nu, mode), shape)

    def derivative(self, nu: int = 1) -> Self:
        """Return a derivative, as a piecewise polynomial of lower degree.

        Parameters
        ----------
        nu : int, optional
            Its order; if negative, the antiderivative's.

        Returns
        -------
        piecewise polynomial
            Of this class.
        """
        if nu < 0:
            return self.antiderivative(-nu)
        return self._like(self._derived(self.c, self.x, nu.__index__()))

    def antiderivative(self, nu: int = 1) -> Self:
        """Return the antiderivative that is 0 at the first breakpoint and continuous.

        Parameters
        ----------
        nu : int, optional
            How often it is taken; if negative, the derivative is.

        Returns
        -------
        piecewise polynomial
            Of this class; it doesn't extrapolate, if this is periodic.
        """
        if nu <= 0:
            return self.derivative(-nu)
        c = self._integrated(self.c, self.x, nu.__index__())
        return self._like(c, None, False if self.extrapolate == "periodic" else None)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral between two bounds.

        Parameters
        ----------
        a, b : float or array
            The lower and the upper bound, or arrays of these of one shape.
        extrapolate : bool or 'periodic', optional
            As for the class, whose setting it replaces.

        Returns
        -------
        array
            Of the shape of a value at a point.

        Raises
        ------
        ShapeError
            If bounds don't fit the batch.
        """
        name = f"{type(self).__name__}.integrate"
        mode = self.extrapolate if extrapolate is None else mode_of(name, extrapolate)
        _, _, low, first = self._points(name, a)
        c, x, high, shape = self._points(name, b)
        if first == shape:
            return self._placed(_integral(c, x, low, high, mode, type(self)), shape)
        start = self._placed(self._primitive(c, x, low, mode), first)
        return self._placed(self._primitive(c, x, high, mode), shape) - start

    def extend(self, c: Any, x: Any) -> Self:
        """Return it with more pieces, before the first or after the last.

        Parameters
        ----------
        c : array, shape (k, m2, ...)
            Their coefficients; lower degrees are raised.
        x : array, shape (m2,)
            New breakpoints, all before the first or after the last.

        Returns
        -------
        piecewise polynomial
            Of this class.

        Raises
        ------
        ShapeError, ArgumentError
            If shapes don't fit, or new breakpoints aren't outside of and in order with the old.
        """
        return self._extended(c, x)

    @classmethod
    def _primitive(cls, c: Any, x: Any, v: Any, mode: Any) -> Any:
        """Return the antiderivative at points; of a periodic function, over all its periods."""
        xp = array_namespace(c, x, v)
        anti = cls._integrated(c, x, 1)
        if mode != "periodic":
            return cls._values(anti, x, v, 0, mode)
        first, period = x[..., :1], x[..., -1:] - x[..., :1]
        turns = xp.floor((v - first) / period)
        whole = cls._values(anti, x, x[..., -1:], 0, True)
        rest = cls._values(anti, x, v - turns * period, 0, True)
        return rest + column(turns, rest) * whole

    # What a basis tells:
    _values: Any
    _derived: Any
    _integrated: Any
    _raised: Any

    def _extended(self, c: Any, x: Any) -> Self:
        name, at = f"{type(self).__name__}.extend", self.x.ndim - 1
        xp = array_namespace(self.c, self.x, c, x)
        x, c = evenly(name, xp, ("x", "c"), x, c)
        fits = c.ndim == self.c.ndim and x.ndim == self.x.ndim
        if (
            not fits
            or c.shape[1 + at] != x.shape[-1]
            or c.shape[2 + at :] != self.c.shape[2 + at :]
        ):
            raise ShapeError(
                f"{name}: c must have shape (k, ..., {x.shape[-1] if x.ndim else 1}, "
                f"{', '.join(map(str, self.c.shape[2 + at :]))}), as many pieces as x has "
                f"breakpoints, got {tuple(c.shape)}"
            )
        if c.shape[1 + at] == 0:
            return self
        own, knots = followed(xp, (self.c, self.x))
        after = True
        if is_concrete(x) and is_concrete(knots):
            way = 1.0 if bool(xp.all(knots[..., -1] >= knots[..., 0])) else -1.0
            steps = (x[..., 1:] - x[..., :-1]) * way
            after = bool(xp.all((x[..., 0] - knots[..., -1]) * way >= 0))
            before = bool(xp.all((knots[..., 0] - x[..., -1]) * way >= 0))
            if not bool(xp.all(steps >= 0)) or not (after or before):
                raise ArgumentError(
                    f"{name}: `x` must be in the order of the breakpoints, and all before the "
                    "first or all after the last of them"
                )
        k = max(c.shape[0], own.shape[0])
        parts = [v if v.shape[0] == k else self._raised(v, k) for v in (own, c)]
        ends = [knots, x]
        if not after:
            parts, ends = parts[::-1], ends[::-1]
        dtype = xp.result_type(*(p.dtype for p in parts))
        joined = xp.concat([xp.astype(p, dtype, copy=False) for p in parts], axis=1 + at)
        breaks = xp.concat(
            [xp.astype(e, xp.result_type(x, knots), copy=False) for e in ends], axis=-1
        )
        return self._like(joined, breaks)

    def _placed(self, out: Any, shape: tuple[int, ...]) -> Any:
        return placed(out, shape, self.x.ndim - 1, self.axis)


def doubles(c: Any, x: Any, v: Any, *args: Any) -> bool:
    """doubles, and one row of breakpoints."""
    xp = array_namespace(v)
    return bool(x.ndim == 1 and x.dtype == v.dtype == xp.float64 and c.dtype == x.dtype)


def _one(c: Any, x: Any, low: Any, high: Any, mode: Any, own: Any) -> bool:
    """doubles, one row of breakpoints, and one integral."""
    return doubles(c, x, low) and low.shape == high.shape == (1,)


@native(
    numpy="likewise._libs.numpy._interpolate:integral",
    torch="likewise._libs.numpy._interpolate:integral",
    when=_one,
)
def _integral(c: Any, x: Any, low: Any, high: Any, mode: Any, own: Any) -> Any:
    return own._primitive(c, x, high, mode) - own._primitive(c, x, low, mode)


def column(v: Any, like: Any) -> Any:
    """Return an array with dimensions of one behind it, up to those of another."""
    return v[(..., *(None,) * (like.ndim - v.ndim))] if v.ndim < like.ndim else v


def towards(xp: Any, x: Any, *arrays: Any) -> tuple[Any, ...]:
    """Return breakpoints, and what is compared with them, in increasing order."""
    if is_concrete(x) and bool(xp.all(x[..., -1] >= x[..., 0])):
        return x, *arrays
    down = x[..., -1:] < x[..., :1]
    return tuple(xp.where(down, -v, v) for v in (x, *arrays))


def wrapped(xp: Any, x: Any, v: Any) -> Any:
    """Return points in the period that breakpoints span."""
    first, last = x[..., :1], x[..., -1:]
    return first + xp.remainder(v - first, last - first)


def outside(xp: Any, x: Any, v: Any) -> Any:
    """Tell which points lie outside of the breakpoints."""
    x, v = towards(xp, x, v)
    return ~((v >= x[..., :1]) & (v <= x[..., -1:]))


def _flatten(p: Pieces) -> tuple[tuple[Any, ...], Any]:
    return (p.c, p.x), (type(p), p.extrapolate, p.axis)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> Pieces:
    cls, extrapolate, axis = fixed
    made: Pieces = cls.construct_fast(*leaves, extrapolate, axis)
    return made
