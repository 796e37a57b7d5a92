"""Splines to data as objects, with FITPACK's knots."""

from typing import Any

from ..._namespace import array_namespace
from ...errors import ArgumentError, NotSupported, ShapeError
from ...transforms import register_tree
from ._bspline import plain
from ._fitpack import every_derivative, fit, outside, splantider, splder, splint, sproot, warned
from ._search import Fit

__all__ = ["InterpolatedUnivariateSpline", "LSQUnivariateSpline", "UnivariateSpline"]

_MODES = {
    0: 0,
    "extrapolate": 0,
    1: 1,
    "zeros": 1,
    2: 2,
    "raise": 2,
    3: 3,
    "const": 3,
}


class UnivariateSpline:
    """Smooth values by a spline with as few knots as a sum of squared residuals allows.

    Parameters
    ----------
    x, y : array, shape (m,)
        Points, ascending, and real values.
    w : array, shape (m,), optional
        Positive weights of residuals, before these are squared. Default: ones.
    bbox : (float or None, float or None), optional
        The ends of the spline. Default: the first and the last point.
    k : int, optional
        The degree, 1 to 5 (default 3).
    s : float, optional
        The sum of squared weighted residuals; 0 interpolates. Default: m, for weights that are
        reciprocals of standard deviations.
    ext : {0, 1, 2, 3} or {'extrapolate', 'zeros', 'raise', 'const'}, optional
        Outside of the ends: the next polynomial (default), zeros, an error where values can be
        read, or the value at the end.
    check_finite : bool, optional
        Accepted for SciPy's signature; infinities and NaN are errors where values can be read.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError
        If points don't ascend, weights aren't positive, there are too few points, or an option
        isn't one of its values.
    NotSupported
        If s > 0 where values can't be read.

    Notes
    -----
    As `splrep`. A tree of arrays (`likewise.transforms.register_tree`): transforms take and return
    it. Differentiable as `splrep` is.

    Differs from SciPy: `roots` finds those on knots, too; the class stays as it was called.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import UnivariateSpline
    >>> x = np.linspace(0.0, 3.0, 20)
    >>> spline = UnivariateSpline(x, x**2, s=0)
    >>> print(spline(np.asarray([0.5, 2.5])).round(6), spline.integral(0.0, 3.0).round(6))
    [0.25 6.25] 9.0
    """

    _t: Any
    _c: Any
    _residual: Any
    _k: int
    ext: int
    _data: Any = None
    _search: Any = None

    def __init__(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        s: Any = None,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        self.ext = _mode(type(self).__name__, ext)
        self._made((x, y, w, *_ends(type(self).__name__, bbox)), k, s, None)

    def _made(self, data: Any, k: int, s: Any, t: Any) -> None:
        name = type(self).__name__
        x, y, w, start, end = data
        if getattr(y, "ndim", 1) != 1:
            raise ShapeError(f"{name}: y must have one dimension, got shape {tuple(y.shape)}")
        found, self._k = fit(name, x, y, w, start, end, k, s, t, "points", self._search)
        self._keep(found)
        self._data = None if t is not None else data
        warned(name, found)

    def _keep(self, found: Fit) -> None:
        self._t, self._c, self._residual = found.t, found.c, found.residual
        self._search = found.search

    @classmethod
    def _from_tck(cls, tck: Any, ext: int = 0) -> "UnivariateSpline":
        """Return a spline of knots, coefficients and degree."""
        made = object.__new__(cls)
        made._t, made._c, made._k = tck
        made._residual, made.ext = None, ext
        return made

    def set_smoothing_factor(self, s: float) -> None:
        """Smooth with another sum of squared residuals, from the knots of now if it is smaller.

        Parameters
        ----------
        s : float
            As for the class.

        Raises
        ------
        ArgumentError
            If the knots were given.
        """
        if self._data is None:
            raise ArgumentError(
                f"{type(self).__name__}.set_smoothing_factor: these knots don't come from a "
                "search. Make a UnivariateSpline of the data"
            )
        self._made(self._data, self._k, s, None)

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        """Return values or derivatives.

        Parameters
        ----------
        x : array
            Points of any shape.
        nu : int, optional
            Which derivative, from 0 (default) to k.
        ext : optional
            As for the class, which is the default.

        Returns
        -------
        array, shape of x
        """
        name = type(self).__name__
        mode = self.ext if ext is None else _mode(name, ext)
        if not 0 <= nu <= self._k:
            raise ArgumentError(f"{name}: 0<=der={nu}<=k={self._k} must hold")
        return outside(name, x, self._t, self._c, self._k, nu, mode)

    def get_knots(self) -> Any:
        """Return the knots, the ends once.

        Returns
        -------
        array
        """
        return self._t[self._k : self._t.shape[0] - self._k]

    def get_coeffs(self) -> Any:
        """Return the coefficients.

        Returns
        -------
        array
        """
        return self._c[: self._t.shape[0] - self._k - 1]

    def get_residual(self) -> Any:
        """Return the sum of squared weighted residuals.

        Returns
        -------
        array of no dimensions, or None of a derivative or an integral
        """
        return self._residual

    def integral(self, a: Any, b: Any) -> Any:
        """Return the integral between two limits; outside of the ends the spline is zero.

        Parameters
        ----------
        a, b : float or array of no dimensions
            The limits.

        Returns
        -------
        array of no dimensions
        """
        return splint(a, b, (self._t, self._c, self._k))

    def derivatives(self, x: Any) -> Any:
        """Return the value and all derivatives at a point.

        Parameters
        ----------
        x : float or array, shape (...)
            Points.

        Returns
        -------
        array, shape (..., k + 1)
        """
        name = f"{type(self).__name__}.derivatives"
        if x.__class__ is float and plain(self._c, self._t):
            quick = every_derivative.quick(self._c, self._t, x, self._k)  # type: ignore[attr-defined]
            if quick is not NotImplemented:
                return quick
        each = [outside(name, x, self._t, self._c, self._k, nu, 0) for nu in range(self._k + 1)]
        return array_namespace(each[0]).stack(each, axis=-1)

    def roots(self, *, size: int | None = None) -> Any:
        """Return the points where a cubic spline is zero.

        Parameters
        ----------
        size : int, optional
            As for `sproot`.

        Returns
        -------
        array, shape (size,)

        Raises
        ------
        NotSupported
            If the degree isn't 3.
        """
        if self._k != 3:
            raise NotSupported(
                f"{type(self).__name__}.roots: finding roots unsupported for non-cubic splines. "
                "Call PPoly.from_spline(BSpline(t, c, k)).roots()"
            )
        return sproot((self._t, self._c, 3), size=size)

    def derivative(self, n: int = 1) -> "UnivariateSpline":
        """Return the derivative as a spline of lower degree.

        Parameters
        ----------
        n : int, optional
            Which one (default 1).

        Returns
        -------
        UnivariateSpline
        """
        tck = splder((self._t, self._c, self._k), n)
        return UnivariateSpline._from_tck(tck, 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: int = 1) -> "UnivariateSpline":
        """Return the integral as a spline of higher degree.

        Parameters
        ----------
        n : int, optional
            How often to integrate (default 1).

        Returns
        -------
        UnivariateSpline
        """
        return UnivariateSpline._from_tck(splantider((self._t, self._c, self._k), n), self.ext)


class InterpolatedUnivariateSpline(UnivariateSpline):
    """Interpolate values by a spline.

    Parameters
    ----------
    x, y, w, bbox, k, ext, check_finite
        As for `UnivariateSpline`, with ``s=0``; weights don't matter.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import InterpolatedUnivariateSpline
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(InterpolatedUnivariateSpline(x, x**3)(np.asarray([0.7, 2.2])).round(6))
    [ 0.343 10.648]
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        super().__init__(x, y, w, bbox, k, 0, ext, check_finite)


class LSQUnivariateSpline(UnivariateSpline):
    """Smooth values by the spline of given knots with the least sum of squared residuals.

    Parameters
    ----------
    x, y, w, bbox, k, ext, check_finite
        As for `UnivariateSpline`.
    t : array
        Inner knots, ascending, between the ends.

    Raises
    ------
    ArgumentError
        If a B-spline of these knots has no point of its own (Schoenberg and Whitney), where values
        can be read.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import LSQUnivariateSpline
    >>> x = np.linspace(0.0, 3.0, 20)
    >>> print(LSQUnivariateSpline(x, x**3, np.asarray([1.0, 2.0]))(np.asarray([0.7, 2.2])).round(6))
    [ 0.343 10.648]
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        t: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        self.ext = _mode(type(self).__name__, ext)
        self._made((x, y, w, *_ends(type(self).__name__, bbox)), k, None, t)


def _mode(function: str, ext: Any) -> int:
    try:
        return _MODES[ext]
    except (KeyError, TypeError):
        raise ArgumentError(
            f"{function}: Unknown extrapolation mode {ext!r}: it must be 0 to 3, 'extrapolate', "
            "'zeros', 'raise' or 'const'"
        ) from None


def _ends(function: str, bbox: Any) -> tuple[Any, Any]:
    if not hasattr(bbox, "__len__") or len(bbox) != 2:
        raise ArgumentError(f"{function}: bbox shape should be (2,): the two ends, got {bbox!r}")
    return bbox[0], bbox[1]


def _flatten(s: UnivariateSpline) -> tuple[tuple[Any, ...], Any]:
    return (s._t, s._c, s._residual), (type(s), s._k, s.ext)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> UnivariateSpline:
    cls, k, ext = fixed
    made: UnivariateSpline = cls._from_tck((*leaves[:2], k), ext)
    made._residual = leaves[2]
    return made


for _kind in (UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline):
    register_tree(_kind, _flatten, _unflatten)
