"""Linear least squares within bounds."""

import dataclasses
import math
from typing import Any, ClassVar, Literal

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, quiet, scalar
from ..._native import native, public
from ...errors import ArgumentError, DtypeError
from ...linalg import lstsq
from ...solving._blocks import in_blocks, sides
from ...solving._following import constants
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiled, compiles, run_for, small
from ...sparse.linalg._arguments import tall
from ...sparse.linalg._interface import LinearOperator, is_operator, rows_of
from ...sparse.linalg._least import Setting, lsmr, stopped, with_derivatives
from ...transforms import stop_gradient
from .._steps._system import bounds_of
from ._active_set import bounded_lstsq
from ._nnls import in_rows, matrix_and_right, one_right
from ._projected import Found, projected_lstsq

__all__ = ["LsqLinearResult", "lsq_linear"]


@result
class LsqLinearResult(Result):
    """Hold the results of `lsq_linear`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., n)
        The solution.
    cost : array, shape (...)
        Half the sum of squares at `x`.
    fun : array, shape (..., m)
        The residuals ``A x - b``.
    optimality : array, shape (...)
        The largest element of the gradient along which `x` could move within the bounds.
    active_mask : array of int32, shape (..., n)
        -1, 0, 1: at the lower bound, free, at the upper bound.
    nit : array of int32, shape (...)
        Steps of the active set.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 3, the unbounded solution; 1, the
        solution within bounds; 0, max_iter reached; -1, data not finite; -4, no further progress
        (operators).
    unbounded_sol : tuple
        The unbounded solution of smallest norm, its sum of squares, rank and singular values, by
        `likewise.linalg.lstsq`; what `likewise.sparse.linalg.lsmr` returns if A is an operator.
        Computed on first access.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.INTERIOR: 3,
        Outcome.CONVERGED: 1,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.STALLED: -4,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: no unknown at a bound would gain by leaving it",
        Outcome.LIMIT: "max_iter was reached: raise it",
        Outcome.NOT_FINITE: "A or b is not finite: check the data",
        Outcome.STALLED: "rounding ended the progress: raise tol, or scale the columns",
    }

    x: Any
    cost: Any
    fun: Any
    optimality: Any
    active_mask: Any
    nit: Any
    outcome: Any
    problem: Any = dataclasses.field(default=())

    @property
    def unbounded_sol(self) -> tuple[Any, ...]:
        if isinstance(self.problem[0], LinearOperator):
            return lsmr(*self.problem)
        a, b, _ = in_rows(*matrix_and_right("lsq_linear", *_together(*self.problem)))
        xp = array_namespace(a, b)
        with quiet(b):
            found = lstsq(a, b[:, :, None])
        shape, count = tuple(self.outcome.shape), b.shape[0]
        x = xp.reshape(found.x[..., 0], tuple(self.x.shape))
        residues = scalar(xp.reshape(found.residues[..., 0], shape))
        # Of one matrix for all problems there is one rank.
        rank = scalar(xp.reshape(xp.broadcast_to(found.rank, (count,)), shape))
        k = found.s.shape[-1]
        s = xp.reshape(xp.broadcast_to(found.s, (count, k)), (*shape, k))
        return x, residues, rank, s

    def keys(self) -> list[str]:
        """Return the names of the fields, in the order in which they are printed."""
        return ["unbounded_sol" if name == "problem" else name for name in Result.keys(self)]


@public
def lsq_linear(
    A: Any,
    b: Any,
    bounds: Any = (-math.inf, math.inf),
    method: Literal["trf", "bvls"] | str = "trf",
    tol: float | None = None,
    lsq_solver: Literal["exact", "lsmr"] | str | None = None,
    lsmr_tol: float | str | None = None,
    max_iter: int | None = None,
    verbose: int = 0,
    lsmr_maxiter: int | None = None,
) -> LsqLinearResult:
    """Minimise ``|A x - b|^2 / 2`` within bounds.

    Parameters
    ----------
    A : array or LinearOperator, shape (..., m, n)
        Matrices; (m, n) for one that all problems share. Of a
        `likewise.sparse.linalg.LinearOperator`, only products are used.
    b : array, shape (..., m)
        Right sides; leading dimensions broadcast to those of A.
    bounds : pair of array or float, array (2, n), or an object with ``lb`` and ``ub``, optional
        Lower and upper bounds, (n,) or (..., n); infinite where there is none.
    method : {'trf', 'bvls'}, optional
        Both names select the active-set method, whose result is exact; of operators, projected
        gradients with LSMR, which has the name 'trf'.
    tol : float, optional
        An unknown leaves its bound if the gain is larger than `tol`, relative to the norms of its
        column and of b. Default: the rounding error, 10 max(m, n) eps. Of operators, the gradient
        that doesn't point out of the bounds, relative to the norms of A and of the residual, or the
        residual relative to b; default: 1e-10, in single precision eps^(3/4).
    lsq_solver, lsmr_tol : optional
        SciPy's arguments. They are checked but have no effect: every minimum over free unknowns
        uses normal equations, or LSMR with `tol` for operators.
    max_iter : int, optional
        Maximum number of steps of the active set. Default: 10 n; 100 for operators.
    verbose : {0, 1, 2}, optional
        Whether to print how it ended, if arrays have values. Default: 0.
    lsmr_maxiter : int, optional
        Of operators, how many iterations LSMR may take in a step. Default: 4 min(m, n).

    Returns
    -------
    LsqLinearResult
        ``x, cost, fun, optimality, active_mask, nit, status, success, unbounded_sol``.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    DtypeError
        If an array is complex.
    ArgumentError
        If an option is out of range, or bounds cross (checked only for eager arrays on the host),
        or 'bvls' or 'exact' is asked of an operator.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    P. B. Stark, R. L. Parker, Bounded-variable least-squares, Computational Statistics 10, 1995,
    for all problems of a batch at once, from the unbounded solution if m >= n. See `nnls` for cost
    and accuracy. Differentiable with respect to A, b and the bounds. Of operators: J. J. Moré, G.
    Toraldo, SIAM J. Optim. 1(1), 1991, with D. C.-L. Fong, M. Saunders' LSMR; derivatives, also to
    what an operator closes over, are once, by LSMR over the free unknowns.

    Differs from SciPy: batches; one method and solver; the default of `tol`; `unbounded_sol` always
    has the smallest norm.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import lsq_linear
    >>> a = np.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> found = lsq_linear(a, np.asarray([1.0, 3.0, 5.5]), bounds=(0.0, [10.0, 2.0]))
    >>> found.x.round(6), found.active_mask
    (array([1.166667, 2.      ]), array([0, 1], dtype=int32))
    """
    name = "lsq_linear"
    _plan.choice(name, "method", method, ("bvls", "trf"))
    tol = None if tol is None else tolerance(name, "tol", tol, 0.0)
    _check_inner(lsq_solver, lsmr_tol, lsmr_maxiter)
    told = count(name, "verbose", verbose, 0)
    if is_operator(A):
        if method == "bvls" or lsq_solver == "exact":
            raise ArgumentError(
                f"{name}: method='bvls' and lsq_solver='exact' need a matrix, got an operator: "
                "use 'trf' and 'lsmr'"
            )
        made = _of_operator(A, b, bounds, tol, max_iter, lsmr_maxiter)
        if told:
            made.tell()
        return made

    def call(a: Any, b: Any, bounds: Any) -> LsqLinearResult:
        made = lsq_linear(
            a, b, bounds, method, tol, lsq_solver, lsmr_tol, max_iter, told, lsmr_maxiter
        )
        made.problem = ()
        return made

    given = {"A": (A, 2), "b": (one_right(A, b), 1), "bounds": (sides(bounds), 1)}
    found = in_blocks(name, call, given, {})
    if found is not None:
        found.problem = (A, b)
        return found
    a, right, batch = in_rows(*matrix_and_right(name, A, b))
    xp = array_namespace(a, right)
    most = count(name, "max_iter", max_iter, 10 * int(a.shape[-1]), 1)
    like = xp.zeros_like(right[:, :1]) + xp.zeros_like(a[: min(1, a.shape[0]), 0, :])
    limits = bounds_of(name, bounds, like, batch if batch else None)
    if limits is None:
        limits = xp.full_like(like, -xp.inf), xp.full_like(like, xp.inf)
    if compiles(right):
        values = run_for(right, _solved, (tol, most), a, right, *limits, quick=small(a, right))
    else:
        values = _of_rows(a, right, *limits, (tol, most))
    shaped = {
        k: xp.reshape(v, (*batch, *v.shape[1:])) if batch else v[0, ...] for k, v in values.items()
    }
    made = LsqLinearResult(**shaped, problem=(a, right))
    if told:
        made.tell()
    return made


def _of_operator(
    A: Any, b: Any, bounds: Any, tol: float | None, max_iter: Any, lsmr_maxiter: Any
) -> LsqLinearResult:
    """Return the result by products alone."""
    name = "lsq_linear"
    given = tall(name, A, b, None)
    right, (m, n) = given.b, given.A.shape[-2:]
    xp = array_namespace(right)
    if not xp.isdtype(right.dtype, "real floating"):
        raise DtypeError(f"{name}: A and b must be real, got {right.dtype}")
    like = xp.zeros_like(right[:, :1]) + xp.zeros((1, n), dtype=right.dtype, device=device(right))
    lower, upper = bounds_of(name, bounds, like, given.batch) or (like - xp.inf, like + xp.inf)
    if tol is None:
        tol = max(1e-10, float(xp.finfo(right.dtype).eps) ** 0.75)
    most = count(name, "max_iter", max_iter, 100, 1)
    steps = 4 * min(m, n) if lsmr_maxiter is None else lsmr_maxiter
    product, adjoint = rows_of(given.A)

    def run(*arrays: Any) -> Found:
        forward, backward = stopped(product), stopped(adjoint)
        b, lower, upper = arrays
        return projected_lstsq(forward, backward, b, lower, upper, tol, most, steps)

    arrays = constants([stop_gradient(v) for v in (right, lower, upper)])
    with quiet(right):
        found = Found(*compiled(right, run, *arrays)[0])
        held = xp.where(found.place < 0, lower, xp.where(found.place > 0, upper, like))
        free = xp.where(found.place == 0, like + 1, like)
        setting = Setting("lsmr", 0.0, tol, tol, 0.0, steps)
        x = held + free * with_derivatives(
            lambda v: product(free * v),
            lambda u: free * adjoint(u),
            right - product(held),
            None,
            setting,
            free * found.x,
        )
        rest = product(x) - right
        level = xp.max(xp.abs(free * found.gradient), axis=1)
    values = {
        "x": x,
        "cost": 0.5 * xp.sum(rest * rest, axis=1),
        "fun": rest,
        "optimality": level,
        "active_mask": found.place,
        "nit": found.nit,
        "outcome": found.status,
    }
    shaped = {k: given.shaped(v) for k, v in values.items()}
    return LsqLinearResult(**shaped, problem=(given.A, b))


def _together(a: Any, b: Any) -> tuple[Any, Any]:
    """Return both of the library of the one that is not NumPy's."""
    return beside(b, a)[0], beside(a, b)[0]


def _alone(a: Any, right: Any, *rest: Any) -> bool:
    """one problem of float64, with as many data as unknowns or more."""
    wide = a.dtype == right.dtype == array_namespace(a).float64
    return bool(wide and a.shape[0] == right.shape[0] == 1 and a.shape[1] >= a.shape[2] > 0)


@native(numpy="likewise._libs.numpy._nonnegative:lsq_linear", when=_alone)
def _of_rows(
    a: Any, right: Any, lower: Any, upper: Any, key: tuple[float | None, int]
) -> dict[str, Any]:
    return _solved(key, a, right, lower, upper)


def _solved(
    key: tuple[float | None, int], a: Any, right: Any, lower: Any, upper: Any
) -> dict[str, Any]:
    """The fields of the result, of rows."""
    xp = array_namespace(a, right)
    m, n = a.shape[-2:]
    with quiet(right):
        found = bounded_lstsq(a, right, lower, upper, *key, m >= n)
        rest = xp.matmul(a, found.x[:, :, None])[..., 0] - right
        stays = ((found.place < 0) & (found.gradient > 0)) | (
            (found.place > 0) & (found.gradient < 0)
        )
        level = xp.where(stays, xp.zeros_like(found.gradient), xp.abs(found.gradient))
        return {
            "x": found.x,
            "cost": 0.5 * xp.sum(rest * rest, axis=1),
            "fun": rest,
            "optimality": xp.max(level, axis=1),
            "active_mask": found.place,
            "nit": found.nit,
            "outcome": found.outcome,
        }


def _check_inner(lsq_solver: Any, lsmr_tol: Any, lsmr_maxiter: Any) -> None:
    """SciPy's options of the solver of linear equations, of which there is one here."""
    name = "lsq_linear"
    if lsq_solver is not None:
        _plan.choice(name, "lsq_solver", lsq_solver, ("exact", "lsmr"))
    number = isinstance(lsmr_tol, float) and lsmr_tol > 0
    if not (number or lsmr_tol is None or (isinstance(lsmr_tol, str) and lsmr_tol == "auto")):
        raise ArgumentError(
            f"{name}: `lsmr_tol` must be None, 'auto', or positive float. Got {lsmr_tol!r}"
        )
    whole = isinstance(lsmr_maxiter, int) and lsmr_maxiter > 0
    if not (whole or lsmr_maxiter is None):
        raise ArgumentError(
            f"{name}: `lsmr_maxiter` must be None or positive integer. Got {lsmr_maxiter!r}"
        )
