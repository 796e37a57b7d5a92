"""Fourier and Chebyshev series through values on grids of one to three dimensions."""

import math
import operator
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from ..errors import ArgumentError, ShapeError
from ..fft import dct, fftn, ifftn, nufft2
from ..polynomial import chebval, chebvander
from ..transforms import custom_jvp, register_tree
from ._base._arguments import alike, orders_of, refuse_complex
from ._base._knots import followed
from ._base._points import in_pieces

__all__ = ["ChebyshevInterpolator", "FourierInterpolator"]

_EPS = 1e-14  # of sums over many points
_LONG, _WIDE = 1024, 16384  # coefficients up to which recurrences take less time


class _Series:
    """Hold coefficients (n1, ..., nd, ...), and what maps points to them."""

    c: Any
    _ends: tuple[Any, ...]  # two numbers of each dimension
    _fixed: Any

    def _points(self, x: Any, nu: Any) -> tuple[Any, list[Any], tuple[int, ...], tuple[int, ...]]:
        """Return coefficients, points (p,) of each dimension, their shape, and orders."""
        name, d = type(self).__name__, len(self._ends) // 2
        refuse_complex(name, "x", x)
        c, x, *_ = alike(name, ("c", "x"), self.c, x)
        shape = tuple(x.shape)
        if d > 1 and (not shape or shape[-1] != d):
            raise ShapeError(
                f"{name}: points (..., {d}), a coordinate for each dimension, were expected, got "
                f"shape {shape}"
            )
        orders = orders_of(name, (nu,) if hasattr(nu, "__index__") else nu or (0,) * d, d)
        flat = [x] if d == 1 else [x[..., i] for i in range(d)]
        xp = array_namespace(x)
        shape = shape if d == 1 else shape[:-1]
        return c, [xp.reshape(a, (-1,)) for a in flat], shape, orders

    def _placed(self, out: Any, shape: tuple[int, ...]) -> Any:
        """Return sums (t, p) in the points' shape, trailing dimensions last."""
        xp, d = array_namespace(out), len(self._ends) // 2
        return xp.reshape(xp.matrix_transpose(out), (*shape, *self.c.shape[d:]))


def _rows(xp: Any, c: Any, d: int) -> Any:
    """Return coefficients (t, n1, ..., nd) of those with trailing dimensions."""
    c = xp.permute_dims(c, (*range(d, c.ndim), *range(d)))
    return xp.reshape(c, (-1, *c.shape[c.ndim - d :]))


def _settings(function: str, values: Any, ndim: Any, *pairs: Any) -> tuple[Any, ...]:
    """Return values, and numbers of each dimension beside them."""
    if not hasattr(ndim, "__index__") or not 1 <= operator.index(ndim) <= 3:
        raise ArgumentError(f"{function}: ndim must be 1, 2 or 3, got {ndim!r}")
    d = operator.index(ndim)
    numbers: list[Any] = []
    for name, given in pairs:
        several = list(given) if isinstance(given, list | tuple) else [given] * d
        if len(several) != d:
            raise ShapeError(
                f"{function}: `{name}` must be given once, or for each of {d} dimensions, got "
                f"{given!r}"
            )
        numbers += several
    xp = array_namespace(values, *numbers)
    names = ("values", *(f"{name}" for name, _ in pairs for _ in range(d)))
    values, *numbers = alike(function, names, values, *numbers)
    xp = array_namespace(values, *numbers)
    _plan.extension(function, xp, "fft")
    if values.ndim < d or 0 in values.shape[:d]:
        raise ShapeError(
            f"{function}: values on a grid of {d} dimensions, none of them empty, were expected, "
            f"got shape {tuple(values.shape)}"
        )
    values, numbers = followed(xp, (values, tuple(numbers)))
    return xp, d, values, tuple(numbers)


def _known(test: Any) -> bool:
    return is_concrete(test) and bool(test)


def _shaped(x: Any, axis: int, ndim: int) -> Any:
    return array_namespace(x).reshape(x, (-1,) + (1,) * (ndim - axis - 1))


class FourierInterpolator(_Series):
    """Interpolate periodic values on an even grid by a Fourier series.

    Parameters
    ----------
    values : array, shape (n1, ..., nd, ...)
        Real or complex values at ``origin + period j / n`` for ``j = 0, ..., n - 1``, in each
        dimension; trailing dimensions share the grid.
    ndim : int, optional
        The number of dimensions of the grid: 1, 2 or 3.
    period : float, optional
        The period; a list or tuple holds one for each dimension. Default: 2 pi.
    origin : float, optional
        Where the grid begins; a list or tuple holds one for each dimension.

    Attributes
    ----------
    c : array, shape (m1, ..., md, ...)
        The coefficients of the modes ``-(m // 2), ..., m // 2``. Of an even n, that of half of n
        stands at both ends, halved: the series of real values is real.

    Raises
    ------
    ShapeError
        If values don't have so many dimensions, or one is empty.
    ArgumentError
        If `ndim` isn't 1, 2 or 3, or a period 0.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    A fast Fourier transform gives the coefficients, and `likewise.fft.nufft2` the values at many
    points, to about 1e-13 of the largest. A tree of arrays: transforms take and return it.
    Differentiable in points, values, period and origin.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import FourierInterpolator
    >>> x = 2 * np.pi * np.arange(6) / 6
    >>> f = FourierInterpolator(np.sin(x) + np.cos(2 * x))
    >>> print(f(np.pi / 4).round(6), f(0.0, nu=1).round(6))
    0.707107 1.0
    >>> f.resample(3).round(12)
    array([ 1.       ,  0.3660254, -1.3660254])
    """

    def __init__(
        self, values: Any, ndim: int = 1, period: Any = 2 * math.pi, origin: Any = 0.0
    ) -> None:
        name = type(self).__name__
        xp, d, values, numbers = _settings(
            name, values, ndim, ("origin", origin), ("period", period)
        )
        if any(_known(period == 0.0) for period in numbers[d:]):
            raise ArgumentError(f"{name}: a period must not be 0, got {period!r}")
        self._fixed = not _plan.is_complex(xp, values.dtype)
        sizes = tuple(values.shape[:d])
        c = fftn(values, axes=tuple(range(d)), norm="forward")
        for axis, n in enumerate(sizes):
            low = _part(c, axis, 0, n - n // 2)
            high = _part(c, axis, n - n // 2, n)
            if n % 2 == 0:
                middle = _part(high, axis, 0, 1) / 2
                parts = [middle, _part(high, axis, 1, None), low, middle]
            else:
                parts = [high, low]
            c = xp.concat(parts, axis=axis)
        self.c, self._ends = c, numbers

    def __call__(self, x: Any, nu: Any = None) -> Any:
        """Evaluate the series.

        Parameters
        ----------
        x : array, shape (...) or (..., d)
            Points, of more than one dimension with a coordinate for each; any real numbers.
        nu : int or sequence of int, optional
            The order of the derivative along each dimension. Default: 0.

        Returns
        -------
        array, shape (..., ...)
            The points' shape, without the coordinates, then the trailing dimensions. Real for real
            values.
        """
        c, points, shape, orders = self._points(x, nu)
        xp, d = array_namespace(c, *points), len(points)
        angles = []
        for axis, (p, origin, period) in enumerate(
            zip(points, self._ends[:d], self._ends[d:], strict=True)
        ):
            rate = 2 * math.pi / period
            angles.append((p - origin) * rate)
            if orders[axis]:
                k = _modes(xp, p, c.shape[axis])
                c = c * _shaped((1j * k * rate) ** orders[axis], axis, c.ndim)
        if 0 in (*c.shape, *points[0].shape):
            count = math.prod(c.shape[d:])
            out = xp.zeros((count, points[0].shape[0]), dtype=c.dtype, device=device(c))
        else:
            out = nufft2(_rows(xp, c, d), *angles, iflag=1, eps=_EPS)
        return self._placed(xp.real(out) if self._fixed else out, shape)

    def resample(self, *sizes: int) -> Any:
        """Evaluate the series on an even grid.

        Parameters
        ----------
        *sizes : int
            The number of points in each dimension, from the origin over one period.

        Returns
        -------
        array, shape (sizes..., ...)
            The values.

        Notes
        -----
        By one fast Fourier transform. Where a size is less than that of the coefficients, modes
        that are the same on the grid are added.
        """
        xp, c, d = array_namespace(self.c), self.c, len(self._ends) // 2
        if len(sizes) != d or not all(hasattr(n, "__index__") and n > 0 for n in sizes):
            raise ArgumentError(
                f"FourierInterpolator: {d} positive sizes were expected, got {sizes!r}"
            )
        for axis, n in enumerate(sizes):
            m = c.shape[axis]
            before = -(m // 2) % n  # the first mode's place
            shape = [*c.shape]
            shape[axis] = before
            gap = xp.zeros(tuple(shape), dtype=c.dtype, device=device(c))
            shape[axis] = -(before + m) % n
            end = xp.zeros(tuple(shape), dtype=c.dtype, device=device(c))
            c = xp.concat([gap, c, end], axis=axis)
            c = xp.sum(xp.reshape(c, (*c.shape[:axis], -1, n, *c.shape[axis + 1 :])), axis=axis)
        out = ifftn(c, axes=tuple(range(d)), norm="forward")
        return xp.real(out) if self._fixed else out


def _part(x: Any, axis: int, start: int, stop: Any) -> Any:
    return x[(*(slice(None),) * axis, slice(start, stop), ...)]


def _modes(xp: Any, like: Any, m: int) -> Any:
    return xp.arange(-(m // 2), m - m // 2, dtype=like.dtype, device=device(like))


class ChebyshevInterpolator(_Series):
    """Interpolate values at Chebyshev points by a polynomial.

    Parameters
    ----------
    values : array, shape (n1, ..., nd, ...)
        Real or complex values at the ascending points of each dimension, which are those of
        ``numpy.polynomial.chebyshev.chebpts2`` or ``chebpts1`` on (-1, 1); trailing dimensions
        share the grid.
    ndim : int, optional
        The number of dimensions of the grid: 1, 2 or 3.
    domain : (float, float), optional
        The ends of the interval; a list of pairs holds one for each dimension.
    kind : {2, 1}, optional
        The points: 2 for extrema of a Chebyshev polynomial, with the ends, 1 for its zeros.

    Attributes
    ----------
    c : array, shape (n1, ..., nd, ...)
        The coefficients of Chebyshev polynomials.

    Raises
    ------
    ShapeError
        If values don't have so many dimensions, or one is empty.
    ArgumentError
        If `ndim` isn't 1, 2 or 3, `kind` neither 1 nor 2, or an interval empty.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    A cosine transform gives the coefficients. Recurrences give the values of few of them,
    `likewise.fft.nufft2` those of many, and in compiled code: L. N. Trefethen, Approximation Theory
    and Approximation Practice (2013), chapter 3. A tree of arrays: transforms take and return it.
    Differentiable in points, at the ends too, and in values and domain.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import ChebyshevInterpolator
    >>> x = 1.5 + 0.5 * np.polynomial.chebyshev.chebpts2(12)
    >>> f = ChebyshevInterpolator(np.exp(x), domain=(1.0, 2.0))
    >>> print(f(np.asarray([1.0, 1.25])) - np.exp([1.0, 1.25]) < 1e-12)
    [ True  True]
    """

    def __init__(
        self, values: Any, ndim: int = 1, domain: Any = (-1.0, 1.0), kind: int = 2
    ) -> None:
        name = type(self).__name__
        if kind not in (1, 2):
            raise ArgumentError(f"{name}: kind must be 1 or 2, got {kind!r}")
        pairs = list(domain) if isinstance(domain, list) else [domain] * operator.index(ndim)
        if not all(isinstance(p, tuple | list) and len(p) == 2 for p in pairs):
            raise ArgumentError(
                f"{name}: domain must be a pair of numbers, or a list of pairs, got {domain!r}"
            )
        low, high = [p[0] for p in pairs], [p[1] for p in pairs]
        xp, d, c, self._ends = _settings(name, values, ndim, ("domain", low), ("domain", high))
        if any(_known(a == b) for a, b in zip(self._ends[:d], self._ends[d:], strict=True)):
            raise ArgumentError(f"{name}: a domain's ends must differ, got {domain!r}")
        self._fixed = kind
        for axis in range(d):
            n = c.shape[axis]
            if n == 1:
                continue
            c = dct(xp.flip(c, axis=axis), type=3 - kind, axis=axis)
            k = xp.arange(n, dtype=self._ends[0].dtype, device=device(c))
            ends = (k == 0) | ((k == n - 1) & (kind == 2))
            count = n - 1 if kind == 2 else n
            scale = (1 - xp.astype(ends, self._ends[0].dtype) / 2) / count
            c = c * _shaped(scale, axis, c.ndim)
        self.c = c

    def __call__(self, x: Any, nu: Any = None) -> Any:
        """Evaluate the polynomial.

        Parameters
        ----------
        x : array, shape (...) or (..., d)
            Points, of more than one dimension with a coordinate for each.
        nu : int or sequence of int, optional
            The order of the derivative along each dimension. Default: 0.

        Returns
        -------
        array, shape (..., ...)
            The points' shape, without the coordinates, then the trailing dimensions. NaN outside of
            the domain.
        """
        c, points, shape, orders = self._points(x, nu)
        xp, d = array_namespace(c, *points), len(points)
        c, places = _rows(xp, c, d), []
        for axis, (p, low, high) in enumerate(
            zip(points, self._ends[:d], self._ends[d:], strict=True)
        ):
            places.append(((p - low) - (high - p)) / (high - low))
            for _ in range(orders[axis]):
                c = _slopes(xp, c, axis + 1) * (2 / (high - low))
        if 0 in (*c.shape, *points[0].shape):
            out = xp.zeros((c.shape[0], points[0].shape[0]), dtype=c.dtype, device=device(c))
        else:
            out = _smooth(c, tuple(places))
        return self._placed(out, shape)


def _slopes(xp: Any, c: Any, axis: int) -> Any:
    """Return the coefficients of the derivative along an axis."""
    n = c.shape[axis]
    k = xp.arange(n, device=device(c))
    steps = k[None, :] - k[:, None]
    there = (steps > 0) & (steps % 2 == 1)
    dtype = xp.real(c).dtype if _plan.is_complex(xp, c.dtype) else c.dtype
    matrix = xp.astype(xp.where(there, 2 * k[None, :], 0 * steps), dtype)
    matrix = matrix * (1 - xp.astype(k == 0, dtype) / 2)[:, None]
    moved = xp.moveaxis(c, axis, -1)
    return xp.moveaxis(moved @ xp.astype(xp.matrix_transpose(matrix), c.dtype), -1, axis)


def _sums(c: Any, places: tuple[Any, ...]) -> Any:
    """Return sums (t, p) of coefficients (t, n1, ..., nd) at places in [-1, 1]."""
    xp, angles, inside = array_namespace(c, *places), [], True
    if is_concrete(places[0]) and math.prod(c.shape[1:]) <= (_LONG if len(places) == 1 else _WIDE):
        return _by_recurrence(c, places)
    real = not _plan.is_complex(xp, c.dtype)
    for axis, u in enumerate(places, 1):
        within = (u >= -1) & (u <= 1)
        inside = within & inside
        angles.append(xp.acos(xp.where(within, u, xp.zeros_like(u))))
        rest = _part(c, axis, 1, None) / 2
        c = xp.concat([xp.flip(rest, axis=axis), _part(c, axis, 0, 1), rest], axis=axis)
    out = nufft2(c, *angles, iflag=1, eps=_EPS)
    return xp.where(inside, xp.real(out) if real else out, xp.nan)


def _by_recurrence(c: Any, places: tuple[Any, ...]) -> Any:
    """Return these sums by all polynomials at each place, one dimension after the other."""
    xp, sizes = array_namespace(c, *places), tuple(c.shape[1:])

    def values(points: Any) -> Any:
        inside = xp.all((points >= -1) & (points <= 1), axis=1)
        points = xp.where(inside[:, None], points, xp.zeros_like(points))
        if len(sizes) == 1:
            out = chebval(points[:, 0], xp.matrix_transpose(c))
        else:
            rest = math.prod(sizes[1:])
            first = xp.astype(chebvander(points[:, 0], sizes[0] - 1), c.dtype)
            out = first @ xp.reshape(c, (-1, sizes[0], rest))
            for axis, n in enumerate(sizes[1:], 1):
                each = chebvander(points[:, axis], n - 1)
                out = xp.reshape(out, (*out.shape[:2], n, -1))
                out = xp.sum(out * each[:, :, None], axis=2)
            out = out[..., 0]
        nan = xp.asarray(xp.nan, dtype=out.dtype, device=device(out))
        return xp.matrix_transpose(xp.where(inside, out, nan))

    each = c.shape[0] * math.prod(sizes[1:])
    return xp.matrix_transpose(in_pieces(values, xp.stack(places, axis=-1), each))


@custom_jvp
def _smooth(c: Any, places: tuple[Any, ...]) -> Any:
    return _sums(c, places)


@_smooth.defjvp
def _along(primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Return the tangent, by the coefficients of derivatives: that of angles has poles at ends."""
    (c, places), (dc, moved) = primals, tangents
    xp, out = array_namespace(c, *places), _sums(dc, places)
    for axis, du in enumerate(moved, 1):
        out = out + _smooth(_slopes(xp, c, axis), places) * du
    return _smooth(c, places), out


def _flatten(series: _Series) -> tuple[Any, Any]:
    return (series.c, series._ends), series._fixed


def _unflatten(cls: type) -> Any:
    def made(fixed: Any, leaves: tuple[Any, ...]) -> Any:
        series: Any = object.__new__(cls)
        series.c, series._ends = leaves
        series._fixed = fixed
        return series

    return made


register_tree(FourierInterpolator, _flatten, _unflatten(FourierInterpolator))
register_tree(ChebyshevInterpolator, _flatten, _unflatten(ChebyshevInterpolator))
