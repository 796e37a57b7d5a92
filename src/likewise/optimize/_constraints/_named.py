"""The classes with which a caller states constraints, with SciPy's names."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, is_neutral
from ...errors import ShapeError

__all__ = ["Bounds", "LinearConstraint", "NonlinearConstraint"]

_INF = float("inf")


class Bounds(NamedTuple):
    """Hold lower and upper bounds, for `minimize` and `least_squares`.

    Parameters
    ----------
    lb, ub : float or array, optional
        The bounds. Default: none.
    keep_feasible : bool or array, optional
        Accepted without effect: the solvers never evaluate points outside the bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import Bounds, minimize
    >>> minimize(lambda x: np.sum(x**2), np.ones(2), bounds=Bounds(0.5, 2.0)).x
    array([0.5, 0.5])
    """

    lb: Any = -_INF
    ub: Any = _INF
    keep_feasible: Any = False

    def residual(self, x: Any) -> tuple[Any, Any]:
        """Return ``x - lb`` and ``ub - x``, negative where a bound is crossed."""
        return _residual("Bounds.residual", x, self.lb, self.ub)


@dataclasses.dataclass(eq=False)
class LinearConstraint:
    """State linear constraints on the unknowns, ``lb <= A @ x <= ub``.

    Parameters
    ----------
    A : array, shape (..., m, p), or (p,) for one row
        The matrix. Leading dimensions are a batch: each problem has its own. A sparse matrix of
        SciPy's is made dense.
    lb, ub : float or array, shape (m,) or (..., m), optional
        The sides; equal ones are an equality. Default: none.
    keep_feasible : bool or array of bool, optional
        Whether the start must fulfil the constraints.

    Raises
    ------
    ShapeError
        If the sides don't fit the rows of `A`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import LinearConstraint, minimize
    >>> line = LinearConstraint(np.ones((1, 2)), 1.0, 1.0)
    >>> minimize(lambda x: np.sum(x**2), np.zeros(2), constraints=line).x.round(6)
    array([0.5, 0.5])
    """

    A: Any
    lb: Any = -_INF
    ub: Any = _INF
    keep_feasible: Any = False

    def __post_init__(self) -> None:
        if hasattr(self.A, "toarray"):
            self.A = self.A.toarray()
        shape = _shape(self.A)
        rows = 1 if len(shape) < 2 else shape[-2]
        for name, side in (("lb", self.lb), ("ub", self.ub)):
            if hasattr(side, "toarray"):
                raise ShapeError(
                    f"LinearConstraint: {name} must be a dense array, got a sparse one"
                )
            found = _shape(side)
            if found and found[-1] not in (1, rows):
                raise ShapeError(
                    f"LinearConstraint: {name} must be a number or have a value for each of the "
                    f"{rows} rows of A, got shape {found}"
                )

    def residual(self, x: Any) -> tuple[Any, Any]:
        """Return ``A @ x - lb`` and ``ub - A @ x``, negative where a side is crossed."""
        xp = array_namespace(self.A, x)
        matrix, point = _plan.common_floating(
            "LinearConstraint.residual", xp, ("A", "x"), self.A, x
        )
        value = xp.matmul(matrix, point[..., None])[..., 0] if matrix.ndim > 1 else matrix @ point
        return _residual("LinearConstraint.residual", value, self.lb, self.ub)


@dataclasses.dataclass(eq=False)
class NonlinearConstraint:
    """State constraints on functions of the unknowns, ``lb <= fun(x) <= ub``.

    Parameters
    ----------
    fun : callable
        ``fun(x)``, a number or an array of shape (m,); x has shape (p,). For a batch it is mapped,
        unless `minimize` is called with ``vectorized=True``: then it maps (..., p) to (..., m).
    lb, ub : float or array, shape (m,) or (..., m)
        The sides; equal ones are an equality. Leading dimensions are a batch.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(x)``, shape (m, p), or finite differences. Default: exact, by the library or
        `likewise.transforms`.
    hess : callable, optional
        ``hess(x, v)``, the sum of v[i] times the Hessian of ``fun(x)[i]``, shape (p, p). Default:
        exact. Names and strategies of SciPy's have no effect.
    keep_feasible : bool or array of bool, optional
        Whether the start must fulfil the constraints.
    finite_diff_rel_step : float or array, optional
        The relative step of finite differences.
    finite_diff_jac_sparsity : array, optional
        Accepted without effect.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import NonlinearConstraint, minimize
    >>> disc = NonlinearConstraint(lambda x: np.sum(x**2), 0.0, 2.0)
    >>> minimize(lambda x: np.sum(x), np.zeros(2), constraints=disc).x.round(4)
    array([-1., -1.])
    """

    fun: Callable[..., Any]
    lb: Any
    ub: Any
    jac: Any = None
    hess: Any = None
    keep_feasible: Any = False
    finite_diff_rel_step: Any = None
    finite_diff_jac_sparsity: Any = None


def _shape(x: Any) -> tuple[int, ...]:
    """Return the shape of an array, of nested lists or of a number."""
    if hasattr(x, "shape"):
        return tuple(x.shape)
    return (len(x), *_shape(x[0])) if isinstance(x, list | tuple) and x else ()


def _residual(function: str, x: Any, lb: Any, ub: Any) -> tuple[Any, Any]:
    xp = array_namespace(x)
    sides = [list(s) if isinstance(s, tuple) else s for s in beside(x, lb, ub)]
    (x,) = _plan.common_floating(function, xp, ("x",), x)
    low, high = (s if is_neutral(s) else xp.asarray(s, dtype=x.dtype) for s in sides)
    return x - low, high - x
