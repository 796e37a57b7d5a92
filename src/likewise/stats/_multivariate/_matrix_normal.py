"""The matrix normal distribution."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ...errors import ShapeError
from ...missing._axes import as_given
from ...random import normal
from ._covariance import Covariance, of_matrix
from ._drawing import keyed, lead, refuse, squeezed
from ._frozen import Frozen

__all__ = ["matrix_normal"]

LOG_TAU = math.log(2 * math.pi)


class _Planned:
    """Hold means (..., m, n), covariances among rows and columns, and points of a call."""

    def __init__(self, function: str, mean: Any, rowcov: Any, colcov: Any, x: Any = None) -> None:
        named = (("rowcov", rowcov), ("colcov", colcov), ("mean", mean), ("X", x))
        given = {name: value for name, value in named if value is not None}
        xp = array_namespace(*given.values())
        found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
        by_name = dict(zip(given, found, strict=True))
        self.xp, self.function = xp, function
        self.mean, self.x = by_name.get("mean"), by_name.get("X")
        if self.mean is not None and (self.mean.ndim < 2 or 0 in self.mean.shape[-2:]):
            raise ShapeError(
                f"{function}: array mean must be two dimensional, with elements, or a batch of "
                f"such, got shape {tuple(self.mean.shape)}"
            )
        self.rowcov = self._square("rowcov", by_name["rowcov"], -2)
        self.colcov = self._square("colcov", by_name["colcov"], -1)
        self.dims = self.rowcov.shape[-1], self.colcov.shape[-1]
        if self.mean is not None and tuple(self.mean.shape[-2:]) != self.dims:
            raise ShapeError(
                f"{function}: arrays mean, rowcov and colcov must have the same numbers of rows "
                f"and columns, got {tuple(self.mean.shape[-2:])} and {self.dims}"
            )
        if self.x is not None and tuple(self.x.shape[-2:]) != self.dims:
            raise ShapeError(
                f"{function}: the shape of array X is not compatible with the distribution "
                f"parameters, {self.dims} at the end, got {tuple(self.x.shape)}"
            )
        self.single = (
            (self.mean is None or self.mean.ndim == 2)
            and self.rowcov.ndim == 2
            and self.colcov.ndim == 2
        )

    def _square(self, name: str, x: Any, axis: int) -> Any:
        xp = self.xp
        if x.ndim < 2:
            n = self.mean.shape[axis] if self.mean is not None else 1
            n = x.shape[0] if x.ndim else n
            x = x * xp.eye(n, dtype=x.dtype, device=device(x))
        if x.shape[-1] != x.shape[-2] or 0 in x.shape[-2:]:
            raise ShapeError(
                f"{self.function}: array {name} must be a scalar or square, with elements, got "
                f"shape {tuple(x.shape)}"
            )
        return x

    def forms(self) -> tuple[Covariance, Covariance]:
        """Return both covariances in the form that whitens."""
        return (
            of_matrix(self.function, "rowcov", self.rowcov, False),
            of_matrix(self.function, "colcov", self.colcov, False),
        )

    def back(self, out: Any) -> Any:
        return squeezed(self.xp, out) if self.single else as_given(out)


class MatrixNormal:
    """A matrix normal random variable.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    mean : array, shape (..., m, n), optional
        The means; None is 0.
    rowcov : array, shape (..., m, m), optional
        The covariances among rows; a number is its multiple of the identity, a vector a diagonal.
    colcov : array, shape (..., n, n), optional
        Those among columns.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError, LinAlgError
        If one covariance, whose values can be read, isn't positive definite.

    Notes
    -----
    As a vector, a matrix is normal with the Kronecker product of both covariances. By Cholesky's
    factors: O(m^3 + n^3), and O(m n (m + n)) a point. Differentiable in points and all parameters.

    Differs from SciPy: leading dimensions of parameters are a batch. `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import matrix_normal
    >>> float(matrix_normal.logpdf(np.ones((2, 2)), rowcov=2.0, mean=np.zeros((2, 2))).round(12))
    -6.062048493939
    """

    def __call__(
        self, mean: Any = None, rowcov: Any = 1, colcov: Any = 1, seed: Any = None
    ) -> Frozen:
        """Return the distribution with these parameters."""
        refuse("matrix_normal", seed=seed)
        p = _Planned("matrix_normal", mean, rowcov, colcov)
        p.forms()
        return Frozen(self, mean=p.mean, rowcov=p.rowcov, colcov=p.colcov)

    def logpdf(self, X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """Return the logarithm of the density at matrices (..., m, n)."""
        p = _Planned("matrix_normal.logpdf", mean, rowcov, colcov, X)
        return p.back(self._log_density(p))

    def pdf(self, X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """Return the density at matrices (..., m, n)."""
        p = _Planned("matrix_normal.pdf", mean, rowcov, colcov, X)
        return p.back(p.xp.exp(self._log_density(p)))

    def _log_density(self, p: _Planned) -> Any:
        xp, (m, n) = p.xp, p.dims
        row, col = p.forms()
        off = p.x if p.mean is None else p.x - p.mean
        z = _each(xp, col._whiten, off, p.colcov.ndim)
        z = xp.matrix_transpose(_each(xp, row._whiten, xp.matrix_transpose(z), p.rowcov.ndim))
        norm = m * n * LOG_TAU + n * row.log_pdet + m * col.log_pdet
        return -0.5 * (norm + xp.sum(z * z, axis=(-2, -1)))

    def entropy(self, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """Return the differential entropy."""
        p = _Planned("matrix_normal.entropy", None, rowcov, colcov)
        m, n = p.dims
        row, col = p.forms()
        return as_given(0.5 * (m * n * (1 + LOG_TAU) + n * row.log_pdet + m * col.log_pdet))

    def rvs(
        self,
        mean: Any = None,
        rowcov: Any = 1,
        colcov: Any = 1,
        size: Any = 1,
        random_state: Any = None,
        *,
        key: Any = None,
    ) -> Any:
        """Return matrices, shape `size` + (m, n); of size 1 without that dimension.

        Linear functions of normal numbers, differentiable in all parameters.
        """
        function = "matrix_normal.rvs"
        p = _Planned(function, mean, rowcov, colcov)
        xp, key, _, dtype = keyed(function, key, random_state, p.rowcov)
        row, col = p.forms()
        batch = _plan.broadcast(
            function,
            mean=() if p.mean is None else tuple(p.mean.shape[:-2]),
            rowcov=tuple(p.rowcov.shape[:-2]),
            colcov=tuple(p.colcov.shape[:-2]),
        )
        z = normal(key, (*lead(function, size, batch), *p.dims), dtype)
        z = _each(xp, col._colorize, z, p.colcov.ndim)
        z = xp.matrix_transpose(_each(xp, row._colorize, xp.matrix_transpose(z), p.rowcov.ndim))
        return z if p.mean is None else z + p.mean


def _each(xp: Any, form: Any, x: Any, ndim: int) -> Any:
    """A form of vectors applied to the rows of matrices."""
    if ndim == 2:
        return form(x)
    rows = [form(x[..., i, :]) for i in range(x.shape[-2])]
    return xp.stack(rows, axis=-2)


matrix_normal = MatrixNormal()
