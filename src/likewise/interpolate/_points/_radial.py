"""Radial basis functions through scattered points, with polynomials beside them."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ..._native import native
from ...errors import ArgumentError, LikewiseWarning, ShapeError
from ...linalg import solve
from ...transforms import register_tree
from .._base._arguments import alike, refuse_complex
from .._base._points import in_pieces
from ._triangles import Kept

__all__ = ["RBFInterpolator", "closest", "squared_distances"]

_NAME = "RBFInterpolator"
_ENTRIES = 1 << 18  # of the matrices that are solved at once
_UNSCALED = ("linear", "thin_plate_spline", "cubic", "quintic")
_KERNELS = (*_UNSCALED, "multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")
_LEAST = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def squared_distances(a: Any, b: Any) -> Any:
    """Return squared distances (..., p, n) of points (..., p, d) and (..., n, d)."""
    found: Any = 0.0
    for k in range(a.shape[-1]):
        step = a[..., :, None, k] - b[..., None, :, k]
        found = found + step * step
    return found


def _kernel(kernel: str, s: Any) -> Any:
    """Return a kernel of squared distances; at zero, slopes are zero."""
    xp = array_namespace(s)
    if kernel == "gaussian":
        return xp.exp(-s)
    if kernel == "inverse_quadratic":
        return 1.0 / (s + 1.0)
    if kernel == "multiquadric":
        return -xp.sqrt(s + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / xp.sqrt(s + 1.0)
    zero = s == 0.0
    safe = xp.where(zero, 1.0, s)
    if kernel == "thin_plate_spline":
        return 0.5 * s * xp.log(safe)
    r = xp.where(zero, 0.0, xp.sqrt(safe))
    return -r if kernel == "linear" else s * r if kernel == "cubic" else -s * s * r


def _powers(d: int, degree: int) -> tuple[tuple[int, ...], ...]:
    """Return the coordinates that each monomial of a polynomial multiplies."""
    last: list[tuple[int, ...]] = [()]
    found = last if degree >= 0 else []
    for _ in range(degree):
        last = [(*some, k) for some in last for k in range(some[-1] if some else 0, d)]
        found = found + last
    return tuple(found)


def _monomial(at: Any, coordinates: tuple[int, ...]) -> Any:
    found = array_namespace(at).ones_like(at[..., 0])
    for k in coordinates:
        found = found * at[..., k]
    return found


def _basis(x: Any, y: Any, kernel: str, epsilon: Any, powers: Sequence[Any], *scaling: Any) -> Any:
    """Return kernels and monomials (..., p, n + m) at points (..., p, d)."""
    xp, (shift, scale) = array_namespace(x, y), scaling
    parts = [_kernel(kernel, squared_distances(x * epsilon, y * epsilon))]
    if powers:
        at = (x - shift[..., None, :]) / scale[..., None, :]
        columns = [_monomial(at, some) for some in powers]
        parts.append(xp.stack(columns, axis=-1))
    return xp.concat(parts, axis=-1)


@native(numpy="likewise._libs.numpy._triangles:radial")
def _system(
    y: Any, d: Any, smoothing: Any, kernel: str, epsilon: Any, powers: Sequence[Any], kept: Kept
) -> tuple[Any, Any, Any]:
    """Return the middle of the points (..., n, d), half their extents, and coefficients."""
    xp, n, m = array_namespace(y, d, smoothing, epsilon), y.shape[-2], len(powers)
    low, high = xp.min(y, axis=-2), xp.max(y, axis=-2)
    shift, scale = (high + low) / 2.0, (high - low) / 2.0
    scale = xp.where(scale == 0.0, 1.0, scale)
    rows = _basis(y, y, kernel, epsilon, powers, shift, scale)
    eye = xp.eye(n, n + m, dtype=rows.dtype, device=device(rows))
    rows = rows + smoothing[..., :, None] * eye
    if m:
        under = xp.matrix_transpose(rows[..., n:])
        under = xp.concat([under, xp.zeros_like(under[..., :m])], axis=-1)
        rows = xp.concat([rows, under], axis=-2)
        none = xp.zeros_like(d[..., :1, :])
        none = xp.broadcast_to(none, (*d.shape[:-2], m, d.shape[-1]))
        d = xp.concat([d, none], axis=-2)
    c = solve(rows, d)
    if is_concrete(c) and bool(xp.all(xp.isfinite(d)) & ~xp.all(xp.isfinite(c))):
        raise hooks_of(c).linalg_error(
            f"{_NAME}: Singular matrix: no single interpolant goes through the points. Leave out "
            "points that come twice, or give `smoothing`; if they lie on a line or a plane, give a "
            "lower `degree`"
        )
    return shift, scale, c


@native(numpy="likewise._libs.numpy._triangles:radial_at")
def _evaluated(
    x: Any, y: Any, kernel: str, epsilon: Any, powers: Any, kept: Kept, *solved: Any
) -> Any:
    """Return values (p, k) at points (p, d)."""
    xp, (shift, scale, c) = array_namespace(x, y, epsilon, *solved), solved

    def piece(p: Any) -> Any:
        return xp.matmul(_basis(p, y, kernel, epsilon, powers, shift, scale), c)

    return in_pieces(piece, x, c.shape[0])


@native(numpy="likewise._libs.numpy._triangles:closest")
def closest(x: Any, y: Any, k: int, kept: Kept) -> Any:
    """Return which k of points (n, d) are nearest to each of others (p, d), in their order."""
    xp = array_namespace(x, y)

    def piece(p: Any) -> Any:
        order = xp.argsort(squared_distances(p, y), axis=1)
        return xp.sort(order[:, :k], axis=1)

    return in_pieces(piece, x, y.shape[0])


def _degree(kernel: str, degree: Any) -> int:
    least = _LEAST.get(kernel, -1)
    if degree is None:
        return max(least, 0)
    degree = int(degree)
    if degree < -1:
        raise ArgumentError(f"{_NAME}: `degree` must be at least -1, for no polynomial")
    if -1 < degree < least:
        warnings.warn(
            f"{_NAME}: `degree` should not be below {least} except -1 when `kernel` is {kernel!r}: "
            "there may be no single interpolant, and smoothing may not do what it says. Leave "
            "`degree` out",
            LikewiseWarning,
            stacklevel=3,
        )
    return degree


class RBFInterpolator:
    """Interpolate scattered points, in any number of dimensions, by radial basis functions.

    Parameters
    ----------
    y : array, shape (n, d)
        The points.
    d : array, shape (n, ...)
        Values, real or complex; trailing dimensions are a batch.
    neighbors : int, optional
        How many points, those nearest to where the function is called, have a part in a result.
        Default: all of them.
    smoothing : float or array, shape (n,), optional
        How far the function may be from the values: 0 (default) goes through them.
    kernel : str, optional
        Of ``r``, the distance times `epsilon`: 'linear' (``-r``), 'thin_plate_spline' (default,
        ``r^2 log r``), 'cubic' (``r^3``), 'quintic' (``-r^5``), 'multiquadric'
        (``-sqrt(1 + r^2)``), 'inverse_multiquadric' (``1 / sqrt(1 + r^2)``), 'inverse_quadratic'
        (``1 / (1 + r^2)``), or 'gaussian' (``exp(-r^2)``).
    epsilon : float or array without dimensions, optional
        The factor of distances. The first four kernels have 1 by default, the others need it.
    degree : int, optional
        The degree of the polynomial beside, -1 for none. Default: the least that a kernel needs,
        not below 0.

    Attributes
    ----------
    y, d, smoothing, epsilon
        As given; values as (n, k), smoothing as (n,).
    d_shape : tuple of int
        The trailing dimensions of the values.
    kernel, neighbors
        As given.
    powers : tuple of tuples of int
        The coordinates that each monomial multiplies.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError
        If shapes don't fit, there is no such kernel, `epsilon` is missing, there are fewer points
        than monomials, or points are complex.
    LinAlgError
        If there is no single interpolant (points that come twice, or lie on a line), where values
        can be read.

    Notes
    -----
    A system of n points and the monomials, of ``O((n + m)^3)`` operations; a point needs n kernels.
    With `neighbors` there is a small system for each point, solved in batches, when the function is
    called; the nearest come from all distances, on NumPy from SciPy's tree.
    Points whose values can be read go in pieces that stay in the cache; under `jit` the kernels of
    all of them are there at once. Differentiable in points, values, smoothing, `epsilon` and where
    it is called; the slope of 'linear' at its own points is 0. G. E. Fasshauer, Meshfree
    Approximation Methods with MATLAB, 2007.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import RBFInterpolator
    >>> y = np.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> f = RBFInterpolator(y, y[:, 0] + 2.0 * y[:, 1])
    >>> print(f([[0.5, 0.5], [0.2, 0.9]]).round(6))
    [1.5 2. ]
    """

    y: Any
    d: Any
    smoothing: Any
    epsilon: Any
    d_shape: tuple[int, ...]
    kernel: str
    neighbors: int | None
    powers: tuple[tuple[int, ...], ...]
    # Shift, scale, and coefficients; only values, if `neighbors` are solved for later. Imaginary
    # parts are more columns.
    _solved: tuple[Any, ...]
    _kept: Kept

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: float | None = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: int | None = None,
    ) -> None:
        own = kernel.lower()
        if own not in _KERNELS:
            raise ArgumentError(f"{_NAME}: `kernel` must be one of {', '.join(_KERNELS)}")
        if epsilon is None and own not in _UNSCALED:
            raise ArgumentError(
                f"{_NAME}: `epsilon` must be specified if `kernel` is not one of "
                f"{', '.join(_UNSCALED)}. One over the points' usual distance is a start"
            )
        for name, a in (("y", y), ("smoothing", smoothing), ("epsilon", epsilon)):
            refuse_complex(_NAME, name, a)
        d, y, smoothing, epsilon = alike(
            _NAME,
            ("d", "y", "smoothing", "epsilon"),
            *(d, y, smoothing, 1.0 if epsilon is None else epsilon),
        )
        if y.ndim != 2:
            raise ShapeError(
                f"{_NAME}: `y` must be a 2-dimensional array, points by coordinates, got shape "
                f"{tuple(y.shape)}"
            )
        n, dims = y.shape
        if not d.ndim or d.shape[0] != n:
            raise ShapeError(
                f"{_NAME}: Expected the first axis of `d` to have length {n}, got shape "
                f"{tuple(d.shape)}"
            )
        if tuple(smoothing.shape) not in ((), (n,)) or epsilon.ndim:
            raise ShapeError(
                f"{_NAME}: Expected `smoothing` to be a scalar or have shape ({n},), and `epsilon` "
                f"to be a scalar, got shapes {tuple(smoothing.shape)} and {tuple(epsilon.shape)}"
            )
        degree = _degree(own, degree)
        self.powers = _powers(dims, degree)
        if neighbors is not None and not neighbors >= 1:
            raise ArgumentError(f"{_NAME}: `neighbors` must be at least 1, got {neighbors!r}")
        self.neighbors = None if neighbors is None else int(min(neighbors, n))
        if len(self.powers) > (self.neighbors or n):
            raise ArgumentError(
                f"{_NAME}: At least {len(self.powers)} data points are required when `degree` is "
                f"{degree} and the number of dimensions is {dims}. A lower degree needs fewer"
            )
        xp = array_namespace(y, d, smoothing, epsilon)
        self.d_shape = tuple(d.shape[1:])
        self.y, self.d = y, xp.reshape(d, (n, math.prod(self.d_shape)))
        self.smoothing, self.epsilon = xp.broadcast_to(smoothing, (n,)), epsilon
        self.kernel, self._kept, columns = own, Kept(), self.d
        if xp.isdtype(d.dtype, "complex floating"):
            columns = xp.concat([xp.real(columns), xp.imag(columns)], axis=1)
        self._solved = (columns,)
        if self.neighbors in (None, n):
            given = (y, columns, self.smoothing, own, epsilon, self.powers)
            self._solved = _system(*given, self._kept)

    def __call__(self, x: Any) -> Any:
        """Return the values at points.

        Parameters
        ----------
        x : array, shape (p, d)
            The points.

        Returns
        -------
        array, shape (p, ...)

        Raises
        ------
        ShapeError
            If `x` has another shape.
        """
        name = f"{_NAME}.__call__"
        refuse_complex(name, "x", x)
        names = ("y", "x", "epsilon", "smoothing", *("solved",) * len(self._solved))
        given = (self.y, x, self.epsilon, self.smoothing, *self._solved)
        y, x, epsilon, smoothing, *solved = alike(name, names, *given)
        if x.ndim != 2:
            raise ShapeError(
                f"{name}: `x` must be a 2-dimensional array, points by coordinates, got shape "
                f"{tuple(x.shape)}"
            )
        if x.shape[1] != y.shape[1]:
            raise ShapeError(
                f"{name}: Expected the second axis of `x` to have length {y.shape[1]}, got shape "
                f"{tuple(x.shape)}"
            )
        xp = array_namespace(x, y, epsilon, *solved)
        if self.neighbors in (None, y.shape[0]):
            given = (x, y, self.kernel, epsilon, self.powers, self._kept, *solved)
            found = _evaluated(*given)
        else:
            found = self._by_neighbors(x, y, epsilon, smoothing, *solved)
        if xp.isdtype(self.d.dtype, "complex floating"):
            k = self.d.shape[1]
            kind = xp.complex128 if found.dtype == xp.float64 else xp.complex64
            found = xp.astype(found[:, :k], kind) + 1j * xp.astype(found[:, k:], kind)
        return xp.reshape(found, (x.shape[0], *self.d_shape))

    def _by_neighbors(self, x: Any, y: Any, epsilon: Any, smoothing: Any, d: Any) -> Any:
        """Return values (p, k) by the nearest points of each."""
        xp, k = array_namespace(x, y, epsilon, smoothing, d), self.neighbors or 0
        near = closest(x, y, k, self._kept)

        def piece(some: Any) -> Any:
            at, index = x[some, :], near[some, :]
            flat, sizes = xp.reshape(index, (-1,)), index.shape
            own, values = (
                xp.reshape(xp.take(a, flat, axis=0), (*sizes, a.shape[1])) for a in (y, d)
            )
            smooth = xp.reshape(xp.take(smoothing, flat, axis=0), sizes)
            how = (self.kernel, epsilon, self.powers)
            *scaling, c = _system(own, values, smooth, *how, Kept())
            basis = _basis(at[:, None, :], own, *how, *scaling)
            return xp.matmul(basis, c)[:, 0, :]

        many, m = max(1, _ENTRIES // (k + len(self.powers)) ** 2), x.shape[0]
        if m <= many or not is_concrete(x):
            return piece(slice(None))
        return xp.concat([piece(slice(i, min(i + many, m))) for i in range(0, m, many)], axis=0)


def _flatten(f: RBFInterpolator) -> tuple[Any, Any]:
    leaves = (f.y, f.d, f.smoothing, f.epsilon, *f._solved)
    return leaves, (f.d_shape, f.kernel, f.neighbors, f.powers)


def _unflatten(data: Any, leaves: tuple[Any, ...]) -> RBFInterpolator:
    made = object.__new__(RBFInterpolator)
    made.y, made.d, made.smoothing, made.epsilon, *solved = leaves
    made._solved, made._kept = tuple(solved), Kept()
    made.d_shape, made.kernel, made.neighbors, made.powers = data
    return made


register_tree(RBFInterpolator, _flatten, _unflatten)
