"""Rational functions through or near points, in barycentric form: their values, poles and roots."""

import math
import operator
import warnings
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_lazy, quiet
from ..._native import native
from ...errors import ArgumentError, ConvergenceWarning, NotSupported, ShapeError
from ...linalg import eigvals
from ...solving._following import readable
from ...transforms import register_tree, stop_gradient
from .._base._knots import finite, followed, gathered, one_axis
from .._base._points import placed, spread

__all__ = ["AAA", "FloaterHormannInterpolator"]

_BLOCK = 1 << 17  # differences of points and nodes that are held at once


class _Rational:
    """Hold support points (*batch, n), values (*batch, n, ...) and weights (*batch, n)."""

    _support_points: Any
    _support_values: Any
    weights: Any
    _axis: int

    def __call__(self, z: Any) -> Any:
        """Return the function's values.

        Parameters
        ----------
        z : array
            Points, real or complex, of any shape. Of a batch, its dimensions come first (or ones).
            At infinity the limit, at a support point its value.

        Returns
        -------
        array
            In place of the axis of the nodes it has the dimensions of the points.
        """
        name = type(self).__name__
        held = (self._support_points, self._support_values, self.weights)
        xp = array_namespace(z, *held)
        points = _kept(name, xp, ("z", "points"), z, held[0])[0]
        points, x, y, w = followed(xp, (points, *held))
        b = x.ndim - 1
        points, shape = spread(name, xp, points, tuple(x.shape[:-1]))
        flat = xp.reshape(y, (*y.shape[: b + 1], math.prod(y.shape[b + 1 :])))
        out = _valued(points, x, flat, w)
        out = xp.reshape(out, (*out.shape[:-1], *y.shape[b + 1 :]))
        return placed(out, shape, b, self._axis)

    def poles(self) -> Any:
        """Return the poles by magnitude, each as often as its order.

        Returns
        -------
        array, shape (batch..., m)
            Complex, at most one fewer than nodes. Of a batch, or where values can't be read, NaN
            stands for each that is missing, as it lies at infinity.

        Raises
        ------
        ExtensionMissing
            If the namespace has no ``linalg``.

        Notes
        -----
        Eigenvalues (on NumPy, one function's by SciPy's QZ); differentiable where they are simple.
        """
        return _zeros(self._support_points, self.weights)

    def residues(self) -> Any:
        """Return the residues of the poles, in the order of `poles`.

        Returns
        -------
        array, shape (batch..., m)
            Complex.

        Raises
        ------
        NotSupported
            If values have more dimensions than nodes.
        ExtensionMissing
            If the namespace has no ``linalg``.
        """
        self._alone("residues")
        poles = self.poles()
        gaps = _gaps(poles, self._support_points)
        with quiet(gaps):
            above = _combined(1.0 / gaps, self.weights * self._support_values)
            return above / _combined(-1.0 / gaps**2, self.weights)

    def roots(self) -> Any:
        """Return the zeros, as `poles` does.

        Returns
        -------
        array, shape (batch..., m)
            Complex.

        Raises
        ------
        NotSupported
            If values have more dimensions than nodes.
        ExtensionMissing
            If the namespace has no ``linalg``.
        """
        self._alone("roots")
        return _zeros(self._support_points, self.weights * self._support_values)

    def _alone(self, what: str) -> None:
        if self._support_values.ndim != self._support_points.ndim:
            raise NotSupported(
                f"{type(self).__name__}.{what}: of values of several functions, "
                f"{tuple(self._support_values.shape)}, there are none. Make one interpolant of each"
            )


def _kept(function: str, xp: Any, names: tuple[str, ...], *arrays: Any) -> tuple[Any, ...]:
    """Return arrays of one precision, of which real ones stay real."""
    found = _plan.common_floating(function, xp, names, *arrays)
    if not _plan.is_complex(xp, found[0].dtype):
        return found
    own = [getattr(a, "dtype", None) for a in arrays]
    real = [
        (not isinstance(a, complex | list | tuple)) if d is None else not _plan.is_complex(xp, d)
        for a, d in zip(arrays, own, strict=True)
    ]
    return tuple(xp.real(a) if r else a for a, r in zip(found, real, strict=True))


def _gaps(a: Any, x: Any) -> Any:
    return a[..., :, None] - x[..., None, :]


def _combined(a: Any, v: Any) -> Any:
    """Multiply matrices (*batch, p, n) with vectors, or matrices, of another kind of number."""
    xp = array_namespace(a, v)
    if v.ndim < a.ndim:
        return _combined(a, v[..., None])[..., 0]
    kind = xp.result_type(a, v)
    return xp.matmul(xp.astype(a, kind, copy=False), xp.astype(v, kind, copy=False))


def _valued(z: Any, x: Any, y: Any, w: Any) -> Any:
    """Return values (*batch, p, q) at points (*batch, p), in pieces where there are many."""
    xp, count = array_namespace(z, x, y), z.shape[-1]
    step = max(_BLOCK // max(x.shape[-1], 1), 1)
    if count <= step or not is_concrete(z):
        return _piece(z, x, y, w)
    parts = [_piece(z[..., i : i + step], x, y, w) for i in range(0, count, step)]
    return xp.concat(parts, axis=-2)


def _piece(z: Any, x: Any, y: Any, w: Any) -> Any:
    xp = array_namespace(z, x, y, w)
    gaps = _gaps(z, x)
    node = gaps == 0.0
    some = xp.any(node, axis=-1)
    # Where all gaps are infinite, weights alone give the limit.
    held = (some | xp.isinf(z))[..., None]
    parts = w[..., None, :] / xp.where(held, xp.ones_like(gaps), gaps)
    with quiet(gaps):
        out = _combined(parts, y) / xp.sum(parts, axis=-1)[..., None]
    if is_concrete(some) and not bool(xp.any(some)):
        return out
    index = xp.argmax(xp.astype(node, xp.int8), axis=-1)
    there = gathered(xp, y, index, 0, tuple(x.shape[:-1]))
    there = xp.astype(there, out.dtype, copy=False)
    if not _still(z, x):  # how the value changes with the point
        n = x.shape[-1]
        own = xp.eye(n, dtype=xp.bool, device=device(x))
        apart = _gaps(x, x)
        ratios = w[..., None, :] / (w[..., :, None] * xp.where(own, xp.ones_like(apart), apart))
        ratios = xp.where(own, xp.zeros_like(ratios), ratios)
        slopes = _combined(ratios, y) - xp.sum(ratios, axis=-1)[..., None] * y
        slopes = gathered(xp, slopes, index, 0, tuple(x.shape[:-1]))
        off = xp.sum(xp.where(node, gaps, xp.zeros_like(gaps)), axis=-1)[..., None]
        there = there + off * slopes
    return xp.where(some[..., None], there, out)


def _zeros(x: Any, w: Any) -> Any:
    """Return the zeros of ``sum(w / (z - x))``, with derivatives by the implicit rule."""
    fixed = _pencil(stop_gradient(x), stop_gradient(w))
    if fixed.ndim == 1 and readable(fixed):
        fixed = fixed[array_namespace(fixed).isfinite(fixed)]
    elif fixed.shape[-1]:
        xp = array_namespace(fixed)
        nan = xp.asarray(xp.nan, dtype=fixed.dtype, device=device(fixed))
        fixed = xp.where(xp.isfinite(fixed), fixed, nan)
    if _still(x, w):
        return fixed
    for _ in range(2):  # steps of Newton's, which carry derivatives to the third order
        gaps = _gaps(fixed, x)
        total, slope = _combined(1.0 / gaps, w), _combined(-1.0 / gaps**2, w)
        fixed = fixed - (total - stop_gradient(total)) / slope
    return fixed


def _single(x: Any, w: Any) -> bool:
    """one function."""
    return bool(x.ndim == 1)


@native(numpy="likewise._libs.numpy._lapack:barycentric_zeros", when=_single)
def _pencil(x: Any, w: Any) -> Any:
    """Return eigenvalues (*batch, n - 1) by magnitude, infinite where there are fewer zeros.

    Of ``sum(w / (x - z))``, with ``z = s + 1 / m`` and nodes ``u = 1 / (x - s)``: the sum of
    ``w u / (u - m)``, where a zero at infinity is 0. With ``v = 1 / (u - m)`` at a zero,
    ``m v = u v - 1`` and ``sum(w u v) = 0``, whose product with u gives the 1 in terms of v; the
    first v is that which the others give.
    """
    xp, n = array_namespace(x, w), x.shape[-1]
    kind = xp.result_type(x, w)
    x, w = xp.astype(x, kind, copy=False), xp.astype(w, kind, copy=False)
    if n < 2:
        return eigvals(w[..., 1:, None] * w[..., None, 1:])
    middle = _beside(xp, x, w)
    u = 1 / (x - middle)
    w = w * u
    first, far = u[..., :1], u[..., 1:] - u[..., :1]
    total = xp.sum(w, axis=-1, keepdims=True)
    total = xp.where(total == 0, xp.ones_like(total), total)
    eye = xp.eye(n - 1, dtype=kind, device=device(w))
    found = eigvals(eye * far[..., None, :] - (w[..., 1:] * far / total)[..., None, :]) + first
    reach = xp.max(xp.abs(x - x[..., :1]), axis=-1, keepdims=True)
    beyond = xp.abs(found) * reach < 100 * float(xp.finfo(kind).eps)
    inf = xp.asarray(xp.inf, dtype=found.dtype, device=device(w))
    found = xp.where(beyond, inf, middle + 1 / xp.where(beyond, xp.ones_like(found), found))
    return xp.take_along_axis(found, xp.argsort(xp.abs(found), axis=-1), axis=-1)


def _beside(xp: Any, x: Any, w: Any) -> Any:
    """Return the middle (*batch, 1) of two nodes at which the sum cancels least."""
    n = x.shape[-1]
    gaps = xp.abs(x[..., :, None] - x[..., None, :])
    none = xp.eye(n, dtype=gaps.dtype, device=device(x)) > 0
    gaps = xp.where(none, xp.asarray(xp.inf, dtype=gaps.dtype, device=device(x)), gaps)
    middles = (x + xp.take_along_axis(x, xp.argmin(gaps, axis=-1), axis=-1)) / 2
    parts = w[..., None, :] / (x[..., None, :] - middles[..., :, None])
    share = xp.abs(xp.sum(parts, axis=-1)) / xp.sum(xp.abs(parts), axis=-1)
    best = xp.argmax(share, axis=-1, keepdims=True)
    return xp.take_along_axis(middles, best, axis=-1)


class AAA(_Rational):
    """A rational function near given values, of as few terms as a tolerance needs.

    Parameters
    ----------
    x : array, shape (n,)
        Points, real or complex.
    y : array, shape (n,)
        Values, real or complex. Infinite ones and NaN are left out, as points that come again.
    rtol : float, optional
        How far it may be from the values, relative to the largest of them. Default:
        ``eps**0.75``.
    max_terms : int, optional
        The most terms (default 100).
    clean_up : bool, optional
        Whether to call `clean_up` (default).
    clean_up_tol : float, optional
        Its tolerance (default 1e-13).

    Attributes
    ----------
    support_points, support_values : array, shape (m,)
        Some of the points, in the order in which they were chosen, and the values there.
    weights : array, shape (m,)
        The function is ``sum(w f / (z - s)) / sum(w / (z - s))`` of weights w, support values f
        and support points s.
    errors : array
        The largest error after each term.

    Raises
    ------
    ShapeError
        If `x` or `y` isn't a vector, or their sizes differ.
    ArgumentError
        If a point isn't finite, `max_terms` isn't positive, no value is finite, or values can't be
        read, as under `jit` and of Dask.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Warns
    -----
    ConvergenceWarning
        If the tolerance isn't reached by `max_terms`; if `clean_up` finds doublets. Also a
        RuntimeWarning.

    Notes
    -----
    Y. Nakatsukasa, O. Sète, L. N. Trefethen, "The AAA algorithm for rational approximation", SIAM
    J. Sci. Comput. 40, A1494, 2018: the next support point is that of the largest error, and
    weights are the last singular vector of a Loewner matrix. O(n m^3) for m terms. Which points it
    takes is read from values, so make it outside of `jit`, which takes the object. Differentiable
    in points and values with the support as chosen, where the last singular value is simple and no
    doublets were removed.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import AAA
    >>> x = np.linspace(-1.0, 1.0, 50)
    >>> r = AAA(x, np.exp(x) / (x - 2.0))
    >>> print(r(0.5).round(9), r.poles()[0].real.round(4))
    -1.099147514 2.0
    """

    errors: Any
    _points: Any
    _values: Any

    def __init__(
        self,
        x: Any,
        y: Any,
        *,
        rtol: float | None = None,
        max_terms: int = 100,
        clean_up: bool = True,
        clean_up_tol: float = 1e-13,
    ) -> None:
        if operator.index(max_terms) < 1:
            raise ArgumentError(
                "AAA: `max_terms` must be an integer value greater than or equal to one, got "
                f"{max_terms}"
            )
        z, f, self._axis = _data("AAA", x, y, 0, 1)
        later = any(is_lazy(v) and not hooks_of(v).recorded(v) for v in (z, f))
        if later or not readable(z, f):
            raise ArgumentError(
                "AAA: it chooses points by their values, which can't be read here. Make it outside "
                "of transforms, of computed arrays, and pass the object"
            )
        z, f = _distinct("AAA", z, f)
        xp = array_namespace(z, f)
        kind = xp.result_type(z, f)
        z, f = xp.astype(z, kind, copy=False), xp.astype(f, kind, copy=False)
        rtol = float(xp.finfo(kind).eps) ** 0.75 if rtol is None else rtol
        fixed = stop_gradient((z, f))
        chosen, w, graded, errors, done = _greedy(fixed[0], fixed[1], rtol, max_terms)
        if not done:
            warnings.warn(
                f"AAA failed to converge within {max_terms} iterations. Give a larger rtol or "
                "max_terms",
                ConvergenceWarning,
                stacklevel=2,
            )
        if not _still(z, f):
            a = _loewner(z, f, _picked(z, chosen), _picked(f, chosen))
            w = _weights(a, z.shape[0] - len(chosen), graded, True)[0]
        kept = [i for i, some in enumerate(_told(stop_gradient(w) != 0)) if some]
        if len(kept) < len(chosen):
            chosen, w = [chosen[i] for i in kept], _picked(w, kept)
        self.errors, self._points, self._values, self.weights = xp.stack(errors), z, f, w
        self._support_points, self._support_values = _picked(z, chosen), _picked(f, chosen)
        if clean_up:
            self.clean_up(clean_up_tol)

    @property
    def support_points(self) -> Any:
        """The points whose values it takes."""
        return self._support_points

    @property
    def support_values(self) -> Any:
        """The values there."""
        return self._support_values

    def clean_up(self, cleanup_tol: float = 1e-13) -> int:
        """Remove the support points next to poles of negligible residues (Froissart doublets).

        Parameters
        ----------
        cleanup_tol : float, optional
            The size of a residue over the pole's distance from the nearest point, relative to the
            geometric mean of the values' magnitudes.

        Returns
        -------
        int
            How many such poles there were. The attributes are then those of a new fit.

        Warns
        -----
        ConvergenceWarning
            If there were any.
        """
        z, f, s = stop_gradient((self._points, self._values, self._support_points))
        xp = array_namespace(z, f)
        fixed = object.__new__(AAA)
        fixed._support_points, fixed._axis = s, 0
        fixed._support_values, fixed.weights = stop_gradient((self._support_values, self.weights))
        poles, residues = fixed.poles(), fixed.residues()
        if not poles.shape[0]:
            return 0
        with quiet(f):
            mean = xp.exp(xp.mean(xp.log(xp.abs(f))))
            near = xp.min(xp.abs(_gaps(poles, z)), axis=-1)
            ratio = xp.abs(residues) / near
        doublets = [i for i, some in enumerate(_told(ratio < cleanup_tol * mean)) if some]
        if not doublets:
            return 0
        warnings.warn(
            f"{len(doublets)} Froissart doublets detected. A larger rtol avoids them",
            ConvergenceWarning,
            stacklevel=2,
        )
        nearest = xp.argmin(xp.abs(_gaps(_picked(poles, doublets), s)), axis=-1)
        gone = {int(v) for v in xp.unstack(nearest)}
        kept = [i for i in range(s.shape[0]) if i not in gone]
        self._support_points = _picked(self._support_points, kept)
        self._support_values = _picked(self._support_values, kept)
        a = _loewner(z, f, _picked(s, kept), stop_gradient(self._support_values))
        self.weights = _conj(xp.linalg.svd(a, full_matrices=False)[2][-1, :])
        return len(doublets)


def _conj(a: Any) -> Any:
    xp = array_namespace(a)
    return xp.conj(a) if xp.isdtype(a.dtype, "complex floating") else a


def _told(mask: Any) -> list[bool]:
    return [bool(v) for v in array_namespace(mask).unstack(mask)]


def _still(*arrays: Any) -> bool:
    """Tell if values are at hand, and no derivatives are followed."""
    return all(is_concrete(v) and not hooks_of(v).recorded(v) for v in arrays)


def _picked(v: Any, places: list[int]) -> Any:
    xp = array_namespace(v)
    return xp.take(v, xp.asarray(places, dtype=xp.int64, device=device(v)), axis=0)


def _loewner(z: Any, f: Any, s: Any, held: Any) -> Any:
    """Return ``(f - held) / (z - s)``, with rows of 0 for the support points."""
    xp = array_namespace(z, f)
    gaps = _gaps(z, s)
    own = stop_gradient(gaps) == 0.0
    a = (f[:, None] - held) / xp.where(own, xp.ones_like(gaps), gaps)
    return xp.where(xp.any(own, axis=-1)[:, None], xp.zeros_like(a), a)


def _weights(a: Any, rows: int, graded: bool, follow: bool) -> tuple[Any, bool]:
    """Return the v of norm 1 for which ``a v`` is smallest, and whether columns need scaling.

    Of several, the sum. Derivatives are those of a singular vector by perturbation.
    """
    xp, m = array_namespace(a), a.shape[1]
    if rows == 0:
        return xp.ones_like(a[0, :]) / math.sqrt(m), graded
    eps, fixed = float(xp.finfo(a.dtype).eps), stop_gradient(a)
    _, s, vh = xp.linalg.svd(fixed, full_matrices=False)
    if rows < m:
        last = s <= eps * m * xp.max(s)
    else:
        graded = graded or float(s[0]) * 3.0 * eps > float(
            s[-1]
        )  # likewise: ignore[LW203]: values are at hand
        if graded:
            norm = xp.sqrt(xp.sum(_real(a * _conj(a)), axis=0))
            norm = xp.where(norm > 0.0, norm, 1.0)
            a = a / norm
            _, s, vh = xp.linalg.svd(stop_gradient(a), full_matrices=False)
        last = s == xp.min(s)
    count = xp.sum(xp.astype(last, s.dtype))
    v = xp.sum(xp.where(last[:, None], _conj(vh), xp.zeros_like(vh)), axis=0)
    v = v / xp.sqrt(count)
    if follow and rows >= m:
        apart = xp.where(last, xp.ones_like(s), s**2 - s[-1] ** 2)
        apart = xp.where(last | (apart == 0.0), xp.zeros_like(s), 1.0 / apart)
        for _ in range(2):  # steps with one matrix, which carry derivatives to the second order
            image = a @ v
            residual = _conj(a).T @ image - xp.sum(_real(image * _conj(image))) * v
            step = vh @ (residual - stop_gradient(residual))
            v = v - _conj(vh).T @ (xp.astype(apart, vh.dtype) * step)
            size = xp.sqrt(xp.sum(_real(v * _conj(v))))
            v = v * (stop_gradient(size) / size)
    return (v / norm if graded and rows >= m else v), graded


def _greedy(z: Any, f: Any, rtol: float, most: int) -> tuple[list[int], Any, bool, list[Any], bool]:
    """Return the support's places, weights and their scaling, errors, and if the last is small."""
    xp, n = array_namespace(z, f), z.shape[0]
    _plan.extension("AAA", xp, "linalg")
    goal = rtol * float(xp.max(xp.abs(f)))  # likewise: ignore[LW203]: values are at hand
    fit = xp.ones_like(f) * xp.mean(f)
    open_ = xp.ones((n,), dtype=xp.bool, device=device(z))
    at = xp.arange(n, device=device(z))
    column = xp.zeros_like(at)
    chosen: list[int] = []
    errors: list[Any] = []
    inverse: list[Any] = []
    loewner: list[Any] = []
    w, graded, done = None, False, False
    while len(chosen) < min(most, n) and not done:
        error = xp.abs(f - fit)
        error = xp.where(xp.isnan(error), xp.full_like(error, xp.inf), error)
        j = int(
            xp.argmax(xp.where(open_, error, -xp.ones_like(error)))
        )  # likewise: ignore[LW203]: values are at hand
        column = xp.where(at == j, xp.full_like(at, len(chosen)), column)
        chosen.append(j)
        open_ = open_ & (at != j)
        gap = z - z[j]
        inverse.append(1.0 / xp.where(gap == 0.0, xp.ones_like(gap), gap))
        loewner.append((f - f[j]) * inverse[-1])
        a = xp.stack(loewner, axis=1)
        a = xp.where(open_[:, None], a, xp.zeros_like(a))
        w, graded = _weights(a, n - len(chosen), graded, False)
        cauchy = xp.stack(inverse, axis=1)
        with quiet(f):
            fit = (cauchy @ (w * _picked(f, chosen))) / (cauchy @ w)
        # Without its weight, a support point isn't on the function.
        fit = xp.where(open_ | (xp.take(w, column) == 0.0), fit, f)
        errors.append(xp.max(xp.abs(f - fit)))
        done = float(errors[-1]) <= goal
    return chosen, w, graded, errors, done


def _data(name: str, x: Any, y: Any, axis: int, dims: int | None) -> tuple[Any, Any, int]:
    """Return points (*batch, n), values (*batch, n, ...), and their axis."""
    xp = array_namespace(x, y)
    z, f = followed(xp, _kept(name, xp, ("x", "y"), x, y))
    xp = array_namespace(z, f)
    b = z.ndim - 1
    if z.ndim < 1 or (dims == 1 and b):
        raise ShapeError(f"{name}: `x` must be 1-D, got shape {tuple(z.shape)}")
    if f.ndim < 1 + b or tuple(f.shape[:b]) != tuple(z.shape[:b]) or (dims == 1 and f.ndim > 1):
        raise ShapeError(
            f"{name}: `y` must be {'1-D' if dims == 1 else 'at least 1-D'}, and begin with the "
            f"dimensions of the batch of `x`, {tuple(z.shape[:-1])}, got shape {tuple(f.shape)}"
        )
    axis = one_axis(name, axis, f.ndim - b)
    if f.shape[b + axis] != z.shape[-1] or not z.shape[-1]:
        raise ShapeError(
            f"{name}: `x` be of size {f.shape[b + axis]} but got size {z.shape[-1]}. It must have "
            "one point, at least, for each of the values along the axis"
        )
    finite(name, "x", z)
    return z, xp.moveaxis(f, b + axis, b), axis


def _distinct(name: str, z: Any, f: Any) -> tuple[Any, Any]:
    """Sort by points; where values can be read, leave out infinities, NaN, and points again."""
    xp, at = array_namespace(z, f), z.ndim - 1
    if at or not readable(z, f):
        order = xp.argsort(_real(z), axis=-1)
        if not at:
            return xp.take(z, order, axis=0), xp.take(f, order, axis=0)
        z = xp.take_along_axis(z, order, axis=-1)
        return z, gathered(xp, f, order, 0, tuple(z.shape[:-1]))
    fixed = stop_gradient(f)
    good = xp.all(xp.reshape(xp.isfinite(fixed), (z.shape[0], math.prod(f.shape[1:]))), axis=1)
    if not bool(xp.all(good)):  # likewise: ignore[LW203]: values are at hand
        rest = [i for i, some in enumerate(_told(good)) if some]
        if not rest:
            raise ArgumentError(f"{name}: `y` has no finite values. Give one, at least")
        z, f = _picked(z, rest), _picked(f, rest)
    fixed = stop_gradient(z)
    if _plan.is_complex(xp, z.dtype):
        order = xp.argsort(xp.imag(fixed), stable=True)
        order = xp.take(order, xp.argsort(xp.take(xp.real(fixed), order), stable=True))
    else:
        order = xp.argsort(fixed, stable=True)
    z, f, fixed = xp.take(z, order, axis=0), xp.take(f, order, axis=0), xp.take(fixed, order)
    new = fixed[1:] != fixed[:-1]
    if not bool(xp.all(new)):  # likewise: ignore[LW203]: values are at hand
        rest = [0, *(i for i, some in enumerate(_told(new), 1) if some)]
        z, f = _picked(z, rest), _picked(f, rest)
    return z, f


def _real(z: Any) -> Any:
    xp = array_namespace(z)
    return xp.real(z) if _plan.is_complex(xp, z.dtype) else z


class FloaterHormannInterpolator(_Rational):
    """A rational function through points, without poles among them.

    Parameters
    ----------
    points : array, shape (n,) or (batch..., n)
        Nodes, real or complex. With more than one dimension, each problem of the batch has its own.
    values : array, shape (..., n, ...)
        Values, real or complex; of a batch, its dimensions come first. Infinite ones and NaN are
        left out with their nodes, as nodes that come again, where values can be read and there is
        no batch.
    d : int, optional
        The degree of the polynomials that it blends, from 0 to n - 1 (default 3).
    axis : int, optional
        The axis of `values` that counts the nodes (default 0), those of the batch not counted.

    Attributes
    ----------
    weights : array, shape (batch..., n)
        Those of the barycentric form, for nodes in order.

    Raises
    ------
    ShapeError, AxisError
        If shapes don't fit, or there is no such axis.
    ArgumentError
        If `d` has another value, or a node isn't finite.

    Notes
    -----
    M. S. Floater, K. Hormann, "Barycentric rational interpolation with no poles and high rates of
    approximation", Numer. Math. 107, 315, 2007. O(n d^2) for the weights, n operations a point.
    Differentiable in points (also at the nodes), values and nodes.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: batches of nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import FloaterHormannInterpolator
    >>> x = np.linspace(-5.0, 5.0, 15)
    >>> r = FloaterHormannInterpolator(x, 1.0 / (1.0 + x**2))
    >>> print(r(np.asarray([0.0, 1.1])).round(4))
    [1.     0.4403]
    """

    def __init__(self, points: Any, values: Any, *, d: int = 3, axis: int = 0) -> None:
        name, d = "FloaterHormannInterpolator", operator.index(d)
        z, f, self._axis = _data(name, points, values, axis, None)
        if not 0 <= d < z.shape[-1]:
            raise ArgumentError(f"{name}: `d` must satisfy 0 <= d < n={z.shape[-1]}, got {d}")
        z, f = _distinct(name, z, f)
        self._support_points, self._support_values = z, f
        self.weights = _blending(z, min(d, z.shape[-1] - 1))


def _blending(z: Any, d: int) -> Any:
    """Add up the weights of the polynomials of degree d through neighbours."""
    xp, n = array_namespace(z), z.shape[-1]
    count = n - d  # of polynomials
    rows = [z[..., a : a + count] for a in range(d + 1)]
    total: Any = None
    for a, own in enumerate(rows):
        product = xp.ones_like(xp.abs(own))
        for b, other in enumerate(rows):
            product = product if a == b else product * xp.abs(own - other)
        before, behind = (
            xp.zeros((*z.shape[:-1], many), dtype=product.dtype, device=device(z))
            for many in (a, d - a)
        )
        part = xp.concat([before, 1.0 / product, behind], axis=-1)
        total = part if total is None else total + part
    signs = xp.asarray([(-1.0) ** (k - d) for k in range(n)], dtype=total.dtype, device=device(z))
    return xp.astype(total * signs, z.dtype, copy=False)


def _flatten_aaa(r: AAA) -> tuple[tuple[Any, ...], Any]:
    held = (r._support_points, r._support_values, r.weights)
    return (*held, r.errors, r._points, r._values), r._axis


def _aaa(axis: Any, leaves: tuple[Any, ...]) -> AAA:
    made = object.__new__(AAA)
    made._axis, (made._support_points, made._support_values, made.weights, *rest) = axis, leaves
    made.errors, made._points, made._values = rest
    return made


def _flatten_blend(r: FloaterHormannInterpolator) -> tuple[tuple[Any, ...], Any]:
    return (r._support_points, r._support_values, r.weights), r._axis


def _blend(axis: Any, leaves: tuple[Any, ...]) -> FloaterHormannInterpolator:
    made = object.__new__(FloaterHormannInterpolator)
    made._axis, (made._support_points, made._support_values, made.weights) = axis, leaves
    return made


register_tree(AAA, _flatten_aaa, _aaa)
register_tree(FloaterHormannInterpolator, _flatten_blend, _blend)
