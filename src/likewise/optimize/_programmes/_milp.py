"""Linear programmes with integers, which SciPy's HiGHS solves."""

import math
from typing import Any, ClassVar, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, describe, is_concrete, is_neutral
from ..._native import native, public
from ...errors import ArgumentError, IntegerError, NotSupported, ShapeError
from ...solving._options import ends, table
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from .._constraints import LinearConstraint

__all__ = ["MilpResult", "milp"]

_PAIR = "milp: bounds must be an object with lb and ub, or a pair of them, got"
_ROWS = (
    "milp: constraints must be LinearConstraint, a tuple (A, lb, ub), or a sequence of these, got"
)


@result
class MilpResult(Result):
    """Hold the results of `milp`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., n)
        The best point; NaN where none was found.
    fun : array, shape (...)
        Its value.
    mip_node_count : array of int32, shape (...)
        The number of nodes, -1 where the solver tells none.
    mip_dual_bound, mip_gap : array, shape (...)
        A lower bound on the least value, and its distance from `fun` over the size of `fun`; NaN
        where the solver tells none.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 0, solved; 1, limit reached; 2,
        infeasible; 3, unbounded; 4, numerical difficulties, or infeasible or unbounded.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.INFEASIBLE: 2,
        Outcome.UNBOUNDED: 3,
        Outcome.STALLED: 4,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: no feasible point has a lower value, within the gap",
        Outcome.LIMIT: "the limit of nodes or time was reached: raise it",
        Outcome.INFEASIBLE: "the problem is infeasible: no point fulfils all constraints",
        Outcome.UNBOUNDED: "the problem is unbounded: the value falls without limit",
        Outcome.STALLED: "numerical difficulties, or infeasible or unbounded: rescale the problem, "
        "or add bounds",
    }

    x: Any
    fun: Any
    mip_node_count: Any
    mip_dual_bound: Any
    mip_gap: Any
    outcome: Any


@public
def milp(
    c: Any, *, integrality: Any = None, bounds: Any = None, constraints: Any = None,
    options: Any = None,
) -> MilpResult:  # fmt: skip
    """Minimise ``c @ x`` within linear constraints and bounds, where unknowns may be integers.

    Parameters
    ----------
    c : array, shape (..., n)
        Coefficients of the value. Leading dimensions of all arguments are a batch and broadcast.
    integrality : array of integers, shape (..., n), optional
        0, a number; 1, an integer; 2, a number within the bounds or 0; 3, an integer within the
        bounds or 0. Default: 0.
    bounds : Bounds or pair of array, optional
        Lower and upper bounds, (..., n), ours or SciPy's. Default: from 0 to infinity.
    constraints : LinearConstraint, tuple (A, lb, ub), or sequence of these, optional
        ``lb <= A @ x <= ub``, ours or SciPy's; A has shape (..., m, n). Sparse matrices are made
        dense.
    options : dict, optional
        SciPy's: `disp`, `node_limit`, `presolve`, `time_limit`, `mip_rel_gap`. Others go to HiGHS
        as they are, with a warning.

    Returns
    -------
    MilpResult
        ``x, fun, mip_node_count, mip_dual_bound, mip_gap, status, success``.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If `c` is not finite, or `integrality` has other values than 0 to 3.
    NotSupported
        If arrays are not on the host, or traced by a transform or compiler: only SciPy's solver
        does this.

    Notes
    -----
    SciPy's HiGHS solves problem after problem, in double precision, whatever the dtype: Q.
    Huangfu, J. A. J. Hall, Math. Program. Comput. 10, 2018. There is no body of array functions, so
    data must be NumPy's, or plain tensors of PyTorch on the CPU, which are viewed, not copied. Not
    differentiable: an error says so.

    Differs from SciPy: batches; NaN, and -1 as a number of nodes, in place of None.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import LinearConstraint, milp
    >>> rows = LinearConstraint(np.asarray([[-1.0, 1.0], [3.0, 2.0], [2.0, 3.0]]), ub=[1, 12, 12])
    >>> found = milp(np.asarray([0.0, -1.0]), integrality=1, constraints=rows)
    >>> float(found.fun), int(found.status)
    (-2.0, 0)
    """
    options = table("milp", "options", options)
    arrays, batch = _problem(c, integrality, bounds, constraints)
    values = _Solved(*_solved(*arrays, options))
    xp = array_namespace(values.x)

    def shaped(v: Any) -> Any:
        return xp.reshape(v, (*batch, *v.shape[1:])) if batch else v[0, ...]

    return MilpResult(**{k: shaped(v) for k, v in values._asdict().items()})


class _Solved(NamedTuple):
    x: Any  # (B, n)
    fun: Any  # (B,)
    mip_node_count: Any
    mip_dual_bound: Any
    mip_gap: Any
    outcome: Any


@native(
    numpy="likewise._libs.numpy._programmes:milp", torch="likewise._libs.numpy._programmes:milp"
)
def _solved(
    c: Any, a: Any, low: Any, high: Any, lower: Any, upper: Any, kinds: Any, options: dict[str, Any]
) -> tuple[Any, Any, Any, Any, Any, Any]:
    raise NotSupported(
        "milp: only SciPy's solver does this, which takes NumPy's arrays and plain tensors of "
        f"PyTorch on the CPU, and gives no derivatives; got {describe(c)}. Convert with "
        "likewise.interop.to_numpy, where a copy is no harm"
    )


def _problem(
    c: Any, integrality: Any, bounds: Any, constraints: Any
) -> tuple[tuple[Any, Any, Any, Any, Any, Any, Any], tuple[int, ...]]:
    """Return arrays of all problems, (B or 1, ...), and the batch's shape."""
    parts: dict[str, Any] = {"c": c, "integrality": 0 if integrality is None else integrality}
    parts["bounds.lb"], parts["bounds.ub"] = _pair(bounds)
    rows = _stated(constraints)
    for k, row in enumerate(rows):
        for name, v in zip(("A", "lb", "ub"), row, strict=True):
            parts[f"{name} of constraint {k}"] = v
    for name, v in parts.items():
        if v is None:
            raise IntegerError(f"milp: {name} must be an array, got None")
        if hasattr(v, "toarray"):
            raise ArgumentError(
                f"milp: {name} must be a dense array, got {describe(v)}: pass its toarray()"
            )
    values = tuple(parts.values())
    for like in values:  # NumPy's constants beside another library's arrays
        if hasattr(like, "shape") and not is_neutral(like):
            values = beside(like, *values)
    xp = array_namespace(*(v for v in values if hasattr(v, "shape") and not is_neutral(v)))
    try:
        made = _plan.common_floating("milp", xp, tuple(parts), *values, real=True)
    except TypeError as error:
        if any(hasattr(v, "shape") for v in values):
            raise
        raise ArgumentError(str(error)) from error
    xp = array_namespace(*made)
    c, kinds, lower, upper = made[:4]
    c = xp.reshape(c, (1,)) if c.ndim == 0 else c
    n = int(c.shape[-1])
    if n == 0:
        raise ShapeError(f"milp: c must hold at least one coefficient, got {tuple(c.shape)}")
    _check_values(c, kinds)
    given = {"c": c, "integrality": kinds, "bounds.lb": lower, "bounds.ub": upper}
    heads = {}
    for name, v in given.items():
        if v.ndim and v.shape[-1] not in (1, n):
            raise ShapeError(
                f"milp: {name} must have a number for each of {n} unknowns, got shape "
                f"{tuple(v.shape)}"
            )
        given[name] = xp.broadcast_to(v, (*v.shape[:-1], n))
        heads[name] = tuple(v.shape[:-1])
    blocks = []
    for k in range(len(rows)):
        block = _rows_of(k, n, *made[4 + 3 * k : 7 + 3 * k])
        blocks.append(block)
        heads |= {f"A of constraint {k}": tuple(block[0].shape[:-2])}
        heads |= {f"sides of constraint {k}": tuple(block[1].shape[:-1])}
    batch = _plan.broadcast("milp", **heads)
    count = math.prod(batch)

    def flat(v: Any, rank: int) -> Any:
        own = tuple(v.shape[v.ndim - rank :])
        return xp.reshape(xp.broadcast_to(v, (*batch, *own)), (count, *own))

    none = xp.zeros_like(c[..., :0])
    blocks = blocks or [(none[..., None] + xp.zeros_like(c[..., None, :]), none, none)]
    a, low, high = (
        xp.concat([flat(v, rank) for v in side], axis=1)
        for side, rank in zip(zip(*blocks, strict=True), (2, 1, 1), strict=True)
    )
    c, kinds, lower, upper = (flat(v, 1) for v in given.values())
    return (c, a, low, high, lower, upper, kinds), batch


def _pair(bounds: Any) -> tuple[Any, Any]:
    if bounds is None:
        return 0.0, math.inf
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return ends(bounds)
    try:
        lower, upper, *_ = bounds
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{_PAIR} {describe(bounds)}") from error
    return lower, upper


def _stated(constraints: Any) -> list[tuple[Any, Any, Any]]:
    """Return matrices and sides."""
    if constraints is None:
        return []
    if hasattr(constraints, "A"):
        return [_one(constraints)]
    if not isinstance(constraints, list | tuple):
        raise ArgumentError(f"{_ROWS} {describe(constraints)}")
    if not constraints:
        return []
    if isinstance(constraints, tuple) and not all(
        hasattr(v, "A") or (isinstance(v, tuple) and len(v) in (2, 3)) for v in constraints
    ):
        return [_one(constraints)]
    return [_one(v) for v in constraints]


def _one(constraint: Any) -> tuple[Any, Any, Any]:
    if not hasattr(constraint, "A"):
        if not isinstance(constraint, list | tuple) or not 1 <= len(constraint) <= 4:
            raise ArgumentError(f"{_ROWS} {describe(constraint)}")
        constraint = LinearConstraint(*constraint)
    a, (low, high) = constraint.A, ends(constraint)
    return (a.toarray() if hasattr(a, "toarray") else a), low, high


def _rows_of(k: int, n: int, a: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(a)
    a = xp.reshape(a, (1, n)) if tuple(a.shape) == (n,) else a
    if a.ndim < 2 or a.shape[-1] != n:
        raise ShapeError(
            f"milp: A of constraint {k} must have shape (..., m, {n}), got {tuple(a.shape)}"
        )
    m = int(a.shape[-2])
    for name, side in (("lb", low), ("ub", high)):
        if side.ndim and side.shape[-1] not in (1, m):
            raise ShapeError(
                f"milp: {name} of constraint {k} must have a number for each of its {m} rows, got "
                f"shape {tuple(side.shape)}"
            )
    low, high = (xp.broadcast_to(v, (*v.shape[:-1], m)) for v in (low, high))
    return (a, *xp.broadcast_arrays(low, high))


def _check_values(c: Any, kinds: Any) -> None:
    if not (is_concrete(c) and is_concrete(kinds)):
        return
    xp = array_namespace(c, kinds)
    if not bool(xp.all(xp.isfinite(c))):
        raise ArgumentError("milp: c must hold finite numbers")
    if not bool(xp.all((kinds == 0) | (kinds == 1) | (kinds == 2) | (kinds == 3))):
        raise ArgumentError("milp: integrality must hold integers from 0 to 3")
