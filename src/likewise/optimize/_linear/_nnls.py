"""Linear least squares with nonnegative unknowns."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace, device, quiet
from ..._native import native, public
from ...errors import ShapeError
from ...missing import safe_norm
from ...solving._blocks import in_blocks
from ...solving._driver import taken
from ...solving._few import by_one, few
from ...solving._options import count
from ...solving._outcome import Outcome
from ...solving._result import Result, insist, result
from ...solving._running import compiles, run_for, small
from ...solving._watch import keeping
from ._active_set import bounded_lstsq

__all__ = ["NNLSResult", "nnls"]


@result
class NNLSResult(Result):
    """Hold the results of `nnls` with ``full_output=True``: arrays of the caller's library.

    Attributes
    ----------
    x : array, shape (..., n)
        The solution.
    rnorm : array, shape (...)
        The norm of the residuals.
    nit : array of int32, shape (...)
        Steps of the active set.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 1, solved; 0, maxiter reached; -1, data
        not finite; -2, interrupted (in a batch).
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 1,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.INTERRUPTED: -2,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: no unknown that is zero would gain by growing",
        Outcome.LIMIT: "Maximum number of iterations reached: raise maxiter",
        Outcome.NOT_FINITE: "A or b is not finite: check the data",
    }

    x: Any
    rnorm: Any
    nit: Any
    outcome: Any


def matrix_and_right(function: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Return A as (..., m, n) and b as (..., m), of one library and dtype."""
    xp = array_namespace(a, b)
    a, b = _plan.common_floating(function, xp, ("A", "b"), a, b, real=True)
    b = one_right(a, b)
    if a.ndim < 2 or b.ndim < 1 or a.shape[-2] != b.shape[-1] or 0 in a.shape[-2:]:
        raise ShapeError(
            f"{function}: A must have shape (..., m, n) and b (..., m), got {tuple(a.shape)} and "
            f"{tuple(b.shape)}. Expected a 1D array as b, or a batch of them"
        )
    _plan.broadcast(function, A=tuple(a.shape[:-2]), b=tuple(b.shape[:-1]))
    return a, b


def one_right(a: Any, b: Any) -> Any:
    """Return one right side that came as a column as (m,), others as they are."""
    column = getattr(a, "ndim", 0) == 2 and tuple(getattr(b, "shape", ())) == (a.shape[0], 1)
    return b[:, 0] if column and a.shape[0] != 1 else b


def in_rows(a: Any, b: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """Return A as (B or 1, m, n), b as (B, m), and the batch's shape."""
    xp = array_namespace(a, b)
    m, n = a.shape[-2:]
    batch = _plan.broadcast("matrix", A=tuple(a.shape[:-2]), b=tuple(b.shape[:-1]))
    if any(s != 1 for s in a.shape[:-2]):
        a = xp.broadcast_to(a, (*batch, m, n))
        a = xp.reshape(a, (-1, m, n)) if 0 not in batch else xp.reshape(a, (0, m, n))
    else:
        a = xp.reshape(a, (1, m, n))
    b = xp.broadcast_to(b, (*batch, m))
    count = 1
    for s in batch:
        count *= s
    return a, xp.reshape(b, (count, m)), batch


@public
def nnls(
    A: Any, b: Any, *, maxiter: int | None = None, full_output: bool = False, atol: Any = None
) -> Any:
    """Minimise ``|A x - b|`` over nonnegative x.

    Parameters
    ----------
    A : array, shape (..., m, n)
        Matrices; (m, n) for one that all problems share.
    b : array, shape (..., m)
        Right sides; leading dimensions broadcast to those of A. With one matrix also (m, 1).
    maxiter : int, optional
        Maximum number of steps of the active set. Default: 10 n.
    full_output : bool, optional
        If True, return an `NNLSResult`, which has a status for each problem. If False, a single
        problem that fails raises an error, and failures in a batch give a warning.
    atol : optional
        Accepted for SciPy's sake, without effect.

    Returns
    -------
    x : array, shape (..., n)
        The solutions; NaN where A or b is not finite.
    rnorm : array, shape (...)
        The norms of ``A x - b``.
    result : NNLSResult
        In place of these two if `full_output`, with the number of steps and a status.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    DtypeError
        If an array is complex.
    ArgumentError
        If `maxiter` is not a positive integer.
    ConvergenceError
        If a single problem was not solved because `maxiter` was reached or its data are not finite,
        and `full_output` is False. Failures in a batch give a `ConvergenceWarning`. Under a
        transform or jit there is neither error nor warning.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    The active-set method of C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974,
    chapter 23, after block principal pivoting (J. Kim, H. Park, SIAM J. Sci. Comput. 33(6), 2011)
    if m >= n, for all problems of a batch at once. It ends at the exact solution. Each step factors
    the normal matrix of the free columns, n^3 / 3 operations, and corrects the result once by its
    residuals; it is accurate to rounding up to condition numbers of about eps^(-1/2).
    Differentiable with respect to A and b, except where an unknown is zero even without its
    constraint.

    Differs from SciPy: batches, in which failures give a warning; `full_output`; data that are not
    finite raise the same kind of error as reaching `maxiter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import nnls
    >>> a = np.asarray([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> x, rnorm = nnls(a, np.asarray([2.0, 1.0, -1.0]))
    >>> x.round(6), float(rnorm.round(6))
    (array([1.5, 0. ]), 1.224745)
    """
    found = in_blocks(
        "nnls",
        lambda a, b: nnls(a, b, maxiter=maxiter, full_output=full_output),
        {"A": (A, 2), "b": (one_right(A, b), 1)},
        {},
    )
    if found is not None:
        return found
    a, right = matrix_and_right("nnls", A, b)
    most = count("nnls", "maxiter", maxiter, 10 * int(a.shape[-1]), 1)
    if not full_output:
        return _solution(a, right, most)
    with keeping(True, right):
        return _told(a, right, most)


def _one(a: Any, b: Any, most: int) -> bool:
    """one problem of float64."""
    wide = array_namespace(a).float64
    return bool(type(b) is type(a) and a.ndim == 2 and b.ndim == 1 and a.dtype == b.dtype == wide)


@native(numpy="likewise._libs.numpy._nonnegative:nnls", when=_one)
def _solution(a: Any, b: Any, most: int) -> tuple[Any, Any]:
    found = _one_by_one(a, b, most)
    if found is None:
        found = _told(a, b, most)
    insist("nnls", found, "Their x is where they ended, NaN where the data are not finite")
    return found.x, found.rnorm


def _one_by_one(a: Any, b: Any, most: int) -> NNLSResult | None:
    """Return the result of a few problems, without counts of steps."""
    a, right, batch = in_rows(a, b)
    problems = int(right.shape[0])
    views = few("nnls", right, problems) if batch else None
    if views is None or not views.viewable(a) or not _one(a[0, ...], right[0, ...], most):
        return None
    xp, several = array_namespace(a, right), a.shape[0] > 1
    matrices, sides = views.of(a), views.of(right)

    def alone(i: int) -> Any:
        some = matrices[i if several else 0, ...]
        return _solution.quick(some, sides[i, :], most)  # type: ignore[attr-defined]

    def together(ids: Sequence[int]) -> Any:
        which = xp.asarray(ids, device=device(right))
        found = _told(taken(a, which), taken(right, which), most)
        return found.x, found.rnorm, found.outcome

    def packed(found: list[Any]) -> Any:
        x, rnorm = zip(*found, strict=True)
        of, where = array_namespace(sides), device(right)
        outcome = xp.full((len(x),), Outcome.CONVERGED, dtype=xp.int32, device=where)
        return views.back(of.stack(x)), views.back(of.asarray(rnorm)), outcome

    x, rnorm, outcome = by_one(problems, alone, together, 2, packed=packed)
    made = (xp.reshape(v, (*batch, *v.shape[1:])) for v in (x, rnorm, outcome, outcome))
    return NNLSResult(*made)


def _told(a: Any, b: Any, most: int) -> NNLSResult:
    a, right, batch = in_rows(a, b)
    if compiles(right):
        found = run_for(right, _solved, most, a, right, quick=small(a, right))
    else:
        found = _solved(most, a, right)
    x, *rest = found
    xp = array_namespace(x)
    return NNLSResult(xp.reshape(x, (*batch, x.shape[-1])), *(xp.reshape(v, batch) for v in rest))


def _solved(most: int, a: Any, right: Any) -> tuple[Any, ...]:
    """The fields of the result, of rows."""
    xp = array_namespace(a, right)
    m, n = (int(s) for s in a.shape[-2:])
    lower = xp.zeros_like(right[:, :1]) + xp.zeros_like(a[: min(1, a.shape[0]), 0, :])
    with quiet(right):
        found = bounded_lstsq(a, right, lower, xp.full_like(lower, xp.inf), None, most, m >= n)
        rest = xp.matmul(a, found.x[:, :, None])[..., 0] - right
        rnorm = safe_norm(rest, axis=-1)
    won = xp.full_like(found.outcome, Outcome.CONVERGED)
    return found.x, rnorm, found.nit, xp.where(found.outcome > 0, won, found.outcome)
