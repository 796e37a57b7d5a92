"""Covariance matrices in a form that whitens: triangular, diagonal or spectral."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, quiet
from ...errors import ArgumentError, NotSupported, ShapeError
from ...linalg._cholesky import cholesky, cholesky_solved
from ...linalg._triangular import substituted

__all__ = ["Covariance", "of_matrix"]

_NARROW = {"float32": 1e3, "float64": 1e6}  # units of the dtype that SciPy counts as zero


def threshold(xp: Any, dtype: Any) -> float:
    """Return the eigenvalue, relative to the largest, up to which one counts as zero."""
    name = "float32" if dtype == xp.float32 else "float64"
    return _NARROW[name] * float(xp.finfo(dtype).eps)


class Covariance:
    """Represent covariance matrices by what is known of them, such as a factor.

    Made by `from_diagonal`, `from_precision`, `from_cholesky` or `from_eigendecomposition`;
    `multivariate_normal` takes it in place of `cov`.

    Attributes
    ----------
    covariance : array, shape (..., d, d)
        The matrices.
    log_pdet : array, shape (...)
        The logarithms of their pseudo-determinants.
    rank : int or array, shape (...)
        Their ranks.
    shape : tuple of int
        That of `covariance`.

    Raises
    ------
    NotSupported
        If the class itself is called.

    Notes
    -----
    Differs from SciPy: leading dimensions are a batch. Differentiable in what it is made from.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import Covariance
    >>> Covariance.from_cholesky(np.asarray([[2.0, 0.0], [1.0, 3.0]])).covariance
    array([[ 4.,  2.],
           [ 2., 10.]])
    """

    log_pdet: Any
    rank: Any
    shape: tuple[int, ...]
    allow_singular = False

    def __init__(self) -> None:
        raise NotSupported(
            "Covariance: is made by its methods, Covariance.from_diagonal, from_precision, "
            "from_cholesky or from_eigendecomposition"
        )

    @staticmethod
    def from_diagonal(diagonal: Any) -> "Covariance":
        """Return a diagonal covariance from its diagonal, shape (..., d); 0 makes it singular."""
        (diagonal,) = _real("Covariance.from_diagonal", ("diagonal",), diagonal)
        if diagonal.ndim == 0:
            diagonal = array_namespace(diagonal).reshape(diagonal, (1,))
        return OfDiagonal(diagonal)

    @staticmethod
    def from_precision(precision: Any, covariance: Any = None) -> "Covariance":
        """Return the covariance that is the inverse of `precision`, shape (..., d, d)."""
        name = "Covariance.from_precision"
        if covariance is None:
            (precision,) = _real(name, ("precision",), precision)
        else:
            precision, covariance = _real(name, ("precision", "covariance"), precision, covariance)
            covariance = _square(name, "covariance", covariance)
        precision = _square(name, "precision", precision)
        if covariance is not None and covariance.shape != precision.shape:
            raise ShapeError(
                f"{name}: covariance.shape must equal precision.shape, got "
                f"{tuple(covariance.shape)} and {tuple(precision.shape)}"
            )
        return OfPrecision(precision, _definite(name, "precision", precision), covariance)

    @staticmethod
    def from_cholesky(cholesky: Any) -> "Covariance":
        """Return the covariance ``cholesky @ cholesky.T`` of a lower triangle, (..., d, d)."""
        (factor,) = _real("Covariance.from_cholesky", ("cholesky",), cholesky)
        return OfCholesky(_square("Covariance.from_cholesky", "cholesky", factor))

    @staticmethod
    def from_eigendecomposition(eigendecomposition: Any) -> "Covariance":
        """Return the covariance of eigenvalues (..., d) and eigenvectors (..., d, d), columns."""
        name = "Covariance.from_eigendecomposition"
        values, vectors = eigendecomposition
        values, vectors = _real(name, ("eigenvalues", "eigenvectors"), values, vectors)
        vectors = _square(name, "eigenvectors", vectors)
        if values.ndim == 0 or values.shape[-1] not in (1, vectors.shape[-1]):
            raise ShapeError(
                f"{name}: the shapes of eigenvalues (..., d) and eigenvectors (..., d, d) must be "
                f"compatible, got {tuple(values.shape)} and {tuple(vectors.shape)}"
            )
        return OfEigen(values, vectors, None)

    @property
    def covariance(self) -> Any:
        """The matrices."""
        raise NotImplementedError

    def whiten(self, x: Any) -> Any:
        """Return vectors (..., d) of this covariance as uncorrelated ones of variance 1."""
        return self._whiten(self._beside("Covariance.whiten", x))

    def colorize(self, x: Any) -> Any:
        """Return uncorrelated vectors (..., d) of variance 1 as vectors of this covariance."""
        return self._colorize(self._beside("Covariance.colorize", x))

    def _beside(self, function: str, x: Any) -> Any:
        return _real(function, ("x", "covariance"), x, self.log_pdet)[0]

    def _whiten(self, x: Any) -> Any:
        raise NotImplementedError

    def _colorize(self, x: Any) -> Any:
        raise NotImplementedError

    def squares(self, x: Any) -> Any:
        """Return the squared lengths of whitened vectors."""
        z = self._whiten(x)
        return array_namespace(z).sum(z * z, axis=-1)

    def inside(self, x: Any) -> Any:
        """Tell which vectors lie in the support; None if all do."""
        return None


class OfCholesky(Covariance):
    """By lower triangles."""

    def __init__(self, factor: Any, covariance: Any = None) -> None:
        xp = array_namespace(factor)
        self.factor, self._covariance = factor, covariance
        self.shape, self.rank = tuple(factor.shape), factor.shape[-1]
        n = self.rank
        pivots = xp.reshape(factor, (*factor.shape[:-2], n * n))[..., :: n + 1]
        self.log_pdet = 2 * xp.sum(xp.log(pivots), axis=-1)

    @property
    def covariance(self) -> Any:
        if self._covariance is not None:
            return self._covariance
        xp = array_namespace(self.factor)
        return xp.matmul(self.factor, xp.matrix_transpose(self.factor))

    def _columns(self, xp: Any, x: Any) -> Any:
        """Whitened vectors as columns, (d, n) for one matrix, else (..., d, 1)."""
        if self.factor.ndim == 2:
            flat = x if x.ndim == 2 else xp.reshape(x, (-1, x.shape[-1]))
            return substituted(self.factor, xp.matrix_transpose(flat), True, False)
        with quiet(x):
            return substituted(self.factor, x[..., None], True, False)

    def _whiten(self, x: Any) -> Any:
        xp = array_namespace(self.factor, x)
        z = self._columns(xp, x)
        return xp.reshape(xp.matrix_transpose(z), x.shape) if self.factor.ndim == 2 else z[..., 0]

    def squares(self, x: Any) -> Any:
        xp = array_namespace(self.factor, x)
        z = self._columns(xp, x)
        found = xp.sum(z * z, axis=-2)
        if self.factor.ndim == 2:
            return found if x.ndim == 2 else xp.reshape(found, x.shape[:-1])
        return found[..., 0]

    def _colorize(self, x: Any) -> Any:
        return _times(self.factor, x)


class OfPrecision(Covariance):
    """By lower triangles of the inverses."""

    def __init__(self, precision: Any, factor: Any, covariance: Any) -> None:
        self.precision, self._covariance = precision, covariance
        self._inverse = OfCholesky(factor, precision)
        self.shape, self.rank = self._inverse.shape, self._inverse.rank
        self.log_pdet = -self._inverse.log_pdet

    @property
    def covariance(self) -> Any:
        if self._covariance is not None:
            return self._covariance
        c = self._inverse.factor
        xp = array_namespace(c)
        eye = xp.eye(c.shape[-1], dtype=c.dtype, device=device(c))
        return cholesky_solved(c, xp.broadcast_to(eye, c.shape))

    def _whiten(self, x: Any) -> Any:
        return _times(array_namespace(x).matrix_transpose(self._inverse.factor), x)

    def _colorize(self, x: Any) -> Any:
        c = array_namespace(x).matrix_transpose(self._inverse.factor)
        with quiet(x):
            return substituted(c, x[..., None], False, False)[..., 0]


class OfDiagonal(Covariance):
    """By diagonals, of which zeros make them singular."""

    allow_singular = True

    def __init__(self, diagonal: Any) -> None:
        xp = array_namespace(diagonal)
        self.diagonal, self.shape = diagonal, (*diagonal.shape, diagonal.shape[-1])
        self._null = diagonal <= 0
        one = xp.where(self._null, xp.ones_like(diagonal), diagonal)
        self.log_pdet = xp.sum(xp.log(one), axis=-1)
        self.rank = xp.sum(xp.astype(~self._null, diagonal.dtype), axis=-1)
        self._root = xp.sqrt(one)

    @property
    def covariance(self) -> Any:
        xp, d = array_namespace(self.diagonal), self.diagonal
        return d[..., None] * xp.eye(d.shape[-1], dtype=d.dtype, device=device(d))

    def _whiten(self, x: Any) -> Any:
        xp = array_namespace(self._root, x)
        return xp.where(self._null, xp.zeros_like(self._root), x / self._root)

    def _colorize(self, x: Any) -> Any:
        xp = array_namespace(self._root, x)
        return xp.where(self._null, xp.zeros_like(self._root), x * self._root)

    def inside(self, x: Any) -> Any:
        return ~array_namespace(x).any(self._null & (x != 0), axis=-1)


class OfEigen(Covariance):
    """By eigenvalues, of which those that count as zero make them singular, and eigenvectors."""

    allow_singular = True

    def __init__(self, values: Any, vectors: Any, covariance: Any) -> None:
        xp = array_namespace(vectors)
        limit = threshold(xp, vectors.dtype) * xp.max(xp.abs(values), axis=-1, keepdims=True)
        # What is given as eigenvalues is taken as exact.
        null = values <= (limit if covariance is not None else 0.0)
        one = xp.where(null, xp.ones_like(values), values)
        self._values, self._vectors, self._covariance = values, vectors, covariance
        self._within = 1e3 * limit[..., 0]
        self.shape = tuple(vectors.shape)
        self.log_pdet = xp.sum(xp.log(xp.broadcast_to(one, vectors.shape[:-1])), axis=-1)
        full = xp.broadcast_to(xp.astype(~null, vectors.dtype), vectors.shape[:-1])
        self.rank = xp.sum(full, axis=-1)
        zero = xp.zeros_like(one)
        self._inverse_root = xp.where(null, zero, 1 / xp.sqrt(one))[..., None, :]
        self._root = xp.where(null, zero, xp.sqrt(one))[..., None, :]
        self._null = vectors * xp.astype(null, vectors.dtype)[..., None, :]

    @property
    def covariance(self) -> Any:
        if self._covariance is not None:
            return self._covariance
        xp, v = array_namespace(self._vectors), self._vectors
        return xp.matmul(v * self._values[..., None, :], xp.matrix_transpose(v))

    def _whiten(self, x: Any) -> Any:
        xp = array_namespace(x)
        return _times(xp.matrix_transpose(self._vectors * self._inverse_root), x)

    def _colorize(self, x: Any) -> Any:
        return _times(self._vectors * self._root, x)

    def inside(self, x: Any) -> Any:
        xp = array_namespace(x)
        rest = _times(xp.matrix_transpose(self._null), x)
        return xp.sum(rest * rest, axis=-1) < self._within * self._within


def _times(a: Any, x: Any) -> Any:
    """Products of matrices and vectors (..., d)."""
    xp = array_namespace(a, x)
    if a.ndim == 2:
        return xp.matmul(x, xp.matrix_transpose(a))
    return xp.matmul(a, x[..., None])[..., 0]


def _real(function: str, names: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
    return _plan.common_floating(function, array_namespace(*given), names, *given, real=True)


def _square(function: str, name: str, x: Any) -> Any:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(
            f"{function}: the input {name} must be a square matrix, shape (..., d, d), got shape "
            f"{tuple(x.shape)}"
        )
    return x


def _definite(function: str, name: str, x: Any) -> Any:
    """Cholesky's factors; an error for one matrix that has none, where that can be read."""
    factor = cholesky(x, True)
    if x.ndim == 2 and is_concrete(x) and not bool(factor[-1, -1] > 0):
        raise hooks_of(x).linalg_error(f"{function}: {name} must be positive definite")
    return factor


def of_matrix(function: str, name: str, x: Any, allow_singular: bool | None) -> Covariance:
    """Return the form of matrices (..., d, d) of which the lower triangles are read.

    One matrix whose values can be read is triangular if it is safely positive definite, else
    spectral; other arrays are spectral if `allow_singular` is True. None allows it of one matrix.
    """
    one = x.ndim == 2 and is_concrete(x)
    if one or not allow_singular:
        found = OfCholesky(cholesky(x, True), x)
        if not one or _safely(found, x):
            return found
    xp = array_namespace(x)
    if one and not bool(xp.all(xp.isfinite(x))):
        raise ArgumentError(f"{function}: {name} must be finite, got infinities or NaN")
    values, vectors = _plan.extension(function, xp, "linalg").eigh(_mirrored(xp, x))
    if one:
        least, most = float(values[0]), max(abs(float(values[0])), abs(float(values[-1])))
        limit = threshold(xp, x.dtype) * most
        if least < -limit:
            raise ArgumentError(
                f"{function}: {name} must be a symmetric positive semidefinite matrix, got one "
                f"with an eigenvalue of {least:.3g}"
            )
        if least > limit:
            return found
        if allow_singular is False:
            raise hooks_of(x).linalg_error(
                f"{function}: when allow_singular is False, {name} must be a symmetric positive "
                f"definite matrix, got one with an eigenvalue of {least:.3g}"
            )
    return OfEigen(values, vectors, x)


def _mirrored(xp: Any, x: Any) -> Any:
    """Symmetric matrices of lower triangles."""
    below = xp.tril(x, k=-1)
    return xp.tril(x) + xp.matrix_transpose(below)


def _safely(found: OfCholesky, x: Any) -> bool:
    """Tell if the smallest eigenvalue is surely not negligible, by the determinant and the trace.

    It is at least ``det ((d - 1) / trace)^(d - 1)``, and the largest is at most the trace.
    """
    xp, n = array_namespace(x), x.shape[-1]
    log_det = float(found.log_pdet)
    trace = float(
        xp.sum(found.factor * found.factor)
    )  # likewise: ignore[LW203]: values are at hand
    if not (math.isfinite(log_det) and 0 < trace < math.inf):
        return False
    log_trace = math.log(trace)
    least = log_det - (n - 1) * (log_trace - math.log(max(n - 1, 1)))
    return least - log_trace > math.log(threshold(xp, x.dtype))
