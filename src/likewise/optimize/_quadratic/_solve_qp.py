"""Convex quadratic programmes."""

from typing import Any, ClassVar, Literal, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import public
from ...errors import ShapeError
from ...linalg import cho_factor, pinv
from ...solving._blocks import in_blocks
from ...solving._driver import replaced, taken, tree_where
from ...solving._following import constants, recorded
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiles, run_for, small
from ...transforms import stop_gradient
from .._constraints._optimality import active, bends, stiffness
from ._dual import Found, quadratic
from ._interior import interior

__all__ = ["Programme", "QPResult", "differentiable", "solve_qp", "solved"]

_SMALL = 200  # unknowns and rows, up to which an active set is quicker
_BROKEN = 3.0  # times the root of the resolution: a row that is broken by that part of its terms
_METHODS = ("active-set", "interior-point")


@result
class QPResult(Result):
    """Hold the results of `solve_qp`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., n)
        The solution; where there is none, the point at which the search ended.
    fun : array, shape (...)
        ``x' P x / 2 + q' x``.
    multipliers : array, shape (..., m)
        Of the rows of G, then of A: ``P x + q = [G; A]' multipliers + bound_multipliers``. Those of
        G are negative or zero.
    bound_multipliers : array, shape (..., n)
        Positive at an active lower bound, negative at an upper one.
    constr_violation : array, shape (...)
        The largest violation of a row or bound.
    nit : array of int32, shape (...)
        Steps of the method.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 0, solved; 1, maxiter reached; 2,
        infeasible; 3, unbounded; 4, no further progress; 5, data not finite; 6, P is not positive
        semidefinite.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.INFEASIBLE: 2,
        Outcome.UNBOUNDED: 3,
        Outcome.STALLED: 4,
        Outcome.NOT_FINITE: 5,
        Outcome.NOT_CONVEX: 6,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "solved: the conditions of optimality hold",
        Outcome.LIMIT: "Maximum number of iterations reached: raise maxiter",
        Outcome.INFEASIBLE: "The problem is infeasible: no point fulfils all constraints",
        Outcome.UNBOUNDED: "The problem is unbounded: add bounds, or a positive definite part to P",
        Outcome.STALLED: "rounding ended the progress: rescale the problem, or raise tol",
        Outcome.NOT_FINITE: "the data are not finite: check them",
        Outcome.NOT_CONVEX: "P is not positive semidefinite (of the active set: definite): use "
        "method='interior-point', or minimize",
    }

    x: Any
    fun: Any
    multipliers: Any
    bound_multipliers: Any
    constr_violation: Any
    nit: Any
    outcome: Any


class Programme(NamedTuple):
    """Hold problems in rows: ``low <= a x <= high`` and bounds, which may be None, as may be h."""

    h: Any  # (B, n, n)
    g: Any  # (B, n)
    a: Any  # (B, m, n)
    low: Any  # (B, m)
    high: Any
    lower: Any  # (B, n)
    upper: Any


@public
def solve_qp(
    P: Any,
    q: Any,
    G: Any = None,
    h: Any = None,
    A: Any = None,
    b: Any = None,
    lb: Any = None,
    ub: Any = None,
    *,
    method: Literal["active-set", "interior-point"] | str | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
) -> QPResult:
    """Minimise ``x' P x / 2 + q' x`` with ``G x <= h``, ``A x = b`` and ``lb <= x <= ub``.

    Parameters
    ----------
    P : array, shape (..., n, n), or None
        Positive semidefinite matrices, of which the symmetric part counts; None for zero.
    q : array, shape (..., n)
        The linear part. Leading dimensions of all arrays broadcast; they are the batch.
    G, h : array, shape (..., m, n) and (..., m), optional
        Inequalities.
    A, b : array, shape (..., k, n) and (..., k), optional
        Equalities, which may depend on each other.
    lb, ub : array or float, shape (..., n), optional
        Bounds; infinite where there is none.
    method : {'active-set', 'interior-point'}, optional
        Default: the active set for up to 200 unknowns and rows if P is positive definite, else the
        interior point. Each problem of a batch is decided for itself.
    tol : float, optional
        The tolerance of the interior point, relative, for the conditions of optimality and the gap
        to the dual problem. Default: eps^0.55. The active set is exact but for rounding.
    maxiter : int, optional
        Maximum number of steps. Default: 10 for each unknown and row; 100 of the interior point.

    Returns
    -------
    QPResult
        ``x, fun, multipliers, bound_multipliers, constr_violation, nit, status, success``.

    Raises
    ------
    ShapeError
        If shapes don't fit, or one of a pair is missing.
    DtypeError
        If an array is complex.
    ArgumentError
        If an option is out of range.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    'active-set' is the dual method of D. Goldfarb, A. Idnani, Math. Programming 27, 1983: a step
    adds or drops a row, and costs O(n (n + m)) operations. 'interior-point' is the
    predictor-corrector method of S. Mehrotra, SIAM J. Optim. 2(4), 1992, with proximal terms; 10 to
    20 steps of O(n^3 + n^2 m) operations each, after which the solution of the active rows is
    computed. All problems of a batch take their steps together. Contradictory rows, redundant rows,
    problems without a minimum and matrices that aren't semidefinite are told by the status, and
    don't affect the others of the batch.

    Differentiable with respect to all arrays, twice, through the conditions of optimality with the
    active rows held (B. Amos, J. Z. Kolter, OptNet, ICML 2017, which needs no iteration). If active
    rows depend on each other, so that multipliers aren't unique, derivatives are of least squares.
    Where strict complementarity fails, so that a row is at its side with multiplier 0, the solution
    has a kink, and the derivative is that of the side on which the row is not active. Derivatives
    of problems that were not solved are 0.

    With a unit matrix as P and ``q = -v``, the solution is the projection of v on the constraints.

    Names are those of the package qpsolvers, but multipliers have the sign of `minimize`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import solve_qp
    >>> P, q = np.asarray([[2.0, 0.0], [0.0, 2.0]]), np.asarray([-2.0, -5.0])
    >>> found = solve_qp(P, q, G=np.asarray([[1.0, 2.0]]), h=np.asarray([3.0]), lb=0.0)
    >>> found.x.round(6), found.multipliers.round(6)
    (array([0.4, 1.3]), array([-1.2]))

    The point of the simplex that is nearest to another:

    >>> v, one = np.asarray([0.9, 0.4, -0.5]), np.ones((1, 3))
    >>> solve_qp(np.eye(3), -v, A=one, b=np.ones(1), lb=0.0).x.round(6)
    array([0.75, 0.25, 0.  ])
    """
    name = "solve_qp"
    if method is not None:
        _plan.choice(name, "method", method, _METHODS)
    tol = None if tol is None else tolerance(name, "tol", tol, 0.0)
    ranks = {"P": (P, 2), "q": (q, 1), "G": (G, 2), "h": (h, 1), "A": (A, 2), "b": (b, 1)}
    ranks = {**ranks, "lb": (lb, 1), "ub": (ub, 1)}
    given = {key: pair for key, pair in ranks.items() if pair[0] is not None}

    def call(*arrays: Any) -> QPResult:
        some = dict.fromkeys(ranks) | dict(zip(given, arrays, strict=True))
        return solve_qp(**some, method=method, tol=tol, maxiter=maxiter)

    found = in_blocks(name, call, given, {})
    if found is not None:
        return found
    programme, batch = _in_rows(name, {key: pair[0] for key, pair in given.items()})
    limit = None if maxiter is None else count(name, "maxiter", maxiter, 1, 1)
    fields = solved(programme, method, tol, limit)
    xp = array_namespace(fields[0])
    return QPResult(*(xp.reshape(v, (*batch, *v.shape[1:])) for v in fields))


def _in_rows(name: str, given: dict[str, Any]) -> tuple[Programme, tuple[int, ...]]:
    """Return the problems as rows, and the batch's shape."""
    for one, other in (("G", "h"), ("A", "b")):
        if (one in given) != (other in given):
            raise ShapeError(f"{name}: {one} and {other} belong together, got one of them")
    names = sorted(given, key=lambda key: key != "q")
    xp = array_namespace(*(given[key] for key in names if hasattr(given[key], "shape")))
    found = _plan.common_floating(name, xp, names, *(given[key] for key in names), real=True)
    arrays = dict(zip(names, found, strict=True))
    q = arrays["q"]
    if q.ndim < 1 or q.shape[-1] == 0:
        raise ShapeError(f"{name}: q must have shape (..., n), n > 0, got {tuple(q.shape)}")
    n, leads = int(q.shape[-1]), {"q": tuple(q.shape[:-1])}
    wanted: dict[str, tuple[Any, ...]] = {"P": (n, n), "lb": (n,), "ub": (n,)}
    for one, other in (("G", "h"), ("A", "b")):
        if one in arrays:
            rows = int(arrays[one].shape[-2]) if arrays[one].ndim > 1 else -1
            wanted |= {one: (rows, n), other: (rows,)}
    for key, shape in wanted.items():
        if key not in arrays:
            continue
        got = tuple(arrays[key].shape)
        if key in ("lb", "ub") and got in ((), (1,)):
            arrays[key], got = xp.broadcast_to(arrays[key], (n,)), (n,)
        if got[-len(shape) :] != shape:
            words = ", ".join(["..."] + ["rows" if s == -1 else str(s) for s in shape])
            raise ShapeError(f"{name}: {key} must have shape ({words}), got {got}")
        leads[key] = got[: -len(shape)]
    batch = _plan.broadcast(name, **leads)
    size = 1
    for s in batch:
        size *= s

    def rows_of(key: str, rank: int) -> Any:
        if key not in arrays:
            return None
        tail = tuple(arrays[key].shape[-rank:])
        return xp.reshape(xp.broadcast_to(arrays[key], (*batch, *tail)), (size, *tail))

    q = rows_of("q", 1)
    tall, sides, other = rows_of("G", 2), rows_of("h", 1), rows_of("b", 1)
    parts = [v for v in (tall, rows_of("A", 2)) if v is not None]
    low = [xp.full_like(sides, -xp.inf)] if sides is not None else []
    high = [sides] if sides is not None else []
    if other is not None:
        low, high = [*low, other], [*high, other]
    if not parts:
        parts = [xp.zeros_like(q)[:, None, :][:, :0, :]]
        low = high = [xp.zeros_like(q)[:, :0]]
    lower, upper = rows_of("lb", 1), rows_of("ub", 1)
    if lower is None and upper is not None:
        lower = xp.full_like(upper, -xp.inf)
    if upper is None and lower is not None:
        upper = xp.full_like(lower, xp.inf)
    matrix = rows_of("P", 2)
    if matrix is not None:
        matrix = 0.5 * (matrix + xp.matrix_transpose(matrix))
    a, low, high = (v[0] if len(v) == 1 else xp.concat(v, axis=1) for v in (parts, low, high))
    return Programme(matrix, q, a, low, high, lower, upper), batch


def solved(
    programme: Programme, method: str | None, tol: float | None, limit: int | None
) -> tuple[Any, ...]:
    """Return the fields of the result, of rows, with implicit derivatives."""
    live = Programme(*(None if v is None else constants([v])[0] for v in programme))
    fixed: list[Any] = [None if v is None else stop_gradient(v) for v in live]
    h, g, a = fixed[:3]
    if h is None or (method is None and int(a.shape[1]) + int(g.shape[1]) > _SMALL):
        method = "interior-point"
    with quiet(g):
        if method == "interior-point":
            found = _run("interior-point", tol, limit, fixed)
        else:
            found = _run("active-set", tol, limit, fixed)
            if method is None:
                found = _rest(found, tol, limit, fixed)
        x, y, z = differentiable(live, found)
        fun = array_namespace(x).sum((0.5 * _curved(live.h, x) + live.g) * x, axis=1)
        return x, fun, y, z, _violation(live, x), found.nit, found.outcome


def _run(method: str, tol: float | None, limit: int | None, arrays: list[Any]) -> Found:
    like = arrays[1]
    if compiles(like):
        some = [v for v in arrays if v is not None]
        key = (method, tol, limit, tuple(v is None for v in arrays))
        return Found(*run_for(like, _kernel, key, *some, quick=small(*some)))
    return _kernel((method, tol, limit, tuple(v is None for v in arrays)), *arrays)


def _kernel(key: Any, *arrays: Any) -> Found:
    method, tol, limit, missing = key
    given = iter(v for v in arrays if v is not None)
    held: list[Any] = [None if none else next(given) for none in missing]
    h, g, a, low, high, lower, upper = held
    xp = array_namespace(g)
    if h is None:
        return _kept(Programme(*held), interior(h, g, a, low, high, lower, upper, limit, tol))
    convex, definite = _convexity(h)
    good = convex if method == "interior-point" else definite
    known = xp.all(xp.isfinite(h), axis=(1, 2)) & xp.all(xp.isfinite(g), axis=1)
    left = xp.where(good[:, None], g, xp.full_like(g, xp.nan))
    if method == "interior-point":
        found = interior(h, left, a, low, high, lower, upper, limit, tol)
    else:
        found = quadratic(h, left, a, low, high, lower, upper, limit)
    code = xp.full_like(found.outcome, Outcome.NOT_CONVEX)
    found = found._replace(outcome=xp.where(good | ~known, found.outcome, code))
    return _kept(Programme(*held), found)


def _kept(p: Programme, found: Found) -> Found:
    """Return the end, which is no solution where rows are broken by more than rounding may be.

    Methods judge rows in units of their own: in single precision those may hide much.
    """
    xp, x = array_namespace(found.x), found.x
    size = _times(xp.abs(p.a), xp.abs(x))
    value = _times(p.a, x)
    part = _BROKEN * float(xp.finfo(x.dtype).eps) ** 0.5
    over = xp.maximum(p.low - value, value - p.high)
    side = xp.where(p.low - value > value - p.high, p.low, p.high)
    broken = xp.any(over > part * (size + xp.abs(side)), axis=1)
    lost = broken & (found.outcome == Outcome.CONVERGED)
    stalled = xp.full_like(found.outcome, Outcome.STALLED)
    return found._replace(outcome=xp.where(lost, stalled, found.outcome))


def _convexity(h: Any) -> tuple[Any, Any]:
    """Tell which matrices are positive semidefinite but for rounding, and which are definite."""
    xp, n = array_namespace(h), int(h.shape[1])
    eps = float(xp.finfo(h.dtype).eps)
    eye = xp.eye(n, dtype=h.dtype, device=device(h))
    diagonal = xp.sum(h * eye, axis=2)
    top = xp.max(xp.abs(h), axis=(1, 2))[:, None]
    least = xp.maximum(diagonal, eps * top)
    size = 1 / xp.sqrt(xp.where(least > 0, least, xp.ones_like(least)))
    scaled = size[:, :, None] * h * size[:, None, :]
    factor = cho_factor(scaled + 10 * n * eps * eye, lower=True)[0]
    pivots = xp.sum(factor * eye, axis=2)
    convex = xp.all(xp.isfinite(pivots), axis=1)
    return convex, convex & (xp.min(pivots, axis=1) > eps**0.3)


def _rest(found: Found, tol: float | None, limit: int | None, arrays: list[Any]) -> Found:
    """Solve by the interior point what the active set couldn't."""
    xp = array_namespace(found.x)
    which = (found.outcome == Outcome.NOT_CONVEX) | (found.outcome == Outcome.LIMIT)
    which = which | (found.outcome == Outcome.STALLED)
    if is_concrete(which):

        def anew(ids: Any) -> Found:
            return _run(
                "interior-point", tol, limit, [v if v is None else taken(v, ids) for v in arrays]
            )

        return replaced(found, which, anew)
    g = xp.where(which[:, None], arrays[1], xp.full_like(arrays[1], xp.nan))
    other = _run("interior-point", tol, limit, [arrays[0], g, *arrays[2:]])
    return tree_where(0, which, other, found)


def _curved(h: Any, x: Any) -> Any:
    return 0 * x if h is None else _times(h, x)


def _times(a: Any, x: Any) -> Any:
    return array_namespace(a, x).matmul(a, x[:, :, None])[..., 0]


def _violation(p: Programme, x: Any) -> Any:
    xp = array_namespace(x)
    value = _times(p.a, x)
    out = xp.concat([0 * x[:, :1], p.low - value, value - p.high], axis=1)
    if p.lower is not None:
        out = xp.concat([out, p.lower - x, x - p.upper], axis=1)
    return xp.max(out, axis=1)


def differentiable(p: Programme, found: Found) -> tuple[Any, Any, Any]:
    """Return solution and multipliers with derivatives by the conditions of optimality."""
    x, y, z = found.x, found.y, found.z
    xp, n = array_namespace(x), int(x.shape[1])
    held = Programme(*(None if v is None else stop_gradient(v) for v in p))
    value, none = _times(held.a, x), xp.zeros_like(y)
    diagonal = 0 * x
    if held.h is not None:
        diagonal = xp.sum(held.h * xp.eye(n, dtype=x.dtype, device=device(x)), axis=2) + diagonal
    bend = bends(diagonal, held.g, x)
    stiff = stiffness(held.a, bend)
    at_low, at_high = active(xp, value, y, held.low, held.high, stiff)
    on = at_low | at_high
    bottom = xp.zeros_like(x, dtype=xp.bool)
    top = bottom
    if p.lower is not None:
        bottom, top = active(xp, x, z, held.lower, held.upper, bend)
    fixed = bottom | top

    def pull(v: Any, of: Programme) -> Any:
        force = _times(array_namespace(of.a).matrix_transpose(of.a), v[:, n:])
        return _curved(of.h, v[:, :n]) + of.g - force

    def conditions(v: Any) -> Any:
        slope = pull(v, p)
        if p.lower is not None:
            slope = xp.where(fixed, v[:, :n] - xp.where(bottom, p.lower, p.upper), slope)
        rest = _times(p.a, v[:, :n]) - xp.where(at_low, p.low, p.high)
        return xp.concat([slope, xp.where(on, rest, v[:, n:])], axis=1)

    xp = array_namespace(x, p.g, p.a)
    both = xp.concat([x, y], axis=1)
    rest = conditions(both)
    if not recorded(rest):
        return x, y, z
    free = xp.where(fixed, 0 * x, 0 * x + 1)[:, :, None]
    eye = xp.eye(n, dtype=x.dtype, device=device(x))
    matrix = xp.where(fixed[:, :, None], eye, 0 * eye if held.h is None else held.h)
    kept = xp.where(on, none + 1, none)[:, :, None]
    idle = xp.eye(int(y.shape[1]), dtype=x.dtype, device=device(x)) * (1 - kept)
    upper = xp.concat([matrix, -free * xp.matrix_transpose(held.a)], axis=2)
    whole = xp.concat([upper, xp.concat([kept * held.a, idle], axis=2)], axis=1)
    # In units of both, a pseudoinverse tells rows that depend on others from small ones.
    wide, tall = xp.sqrt(bend), xp.sqrt(stiff)
    left = [xp.where(fixed, wide, 1 / wide), xp.where(on, tall, 1 / tall)]
    left, right = xp.concat(left, axis=1)[:, None, :], xp.concat([1 / wide, tall], axis=1)
    good = (found.outcome > 0)[:, None, None]
    unit = xp.eye(int(both.shape[1]), dtype=x.dtype, device=device(x))
    scaled = xp.matrix_transpose(left) * whole * right[:, None, :]
    inverse = right[:, :, None] * stop_gradient(pinv(xp.where(good, scaled, unit))) * left
    inverse = xp.where(good, inverse, xp.zeros_like(inverse))
    for again in (True, False):
        move = _times(
            inverse, xp.where(good[:, :, 0], rest - stop_gradient(rest), 0 * stop_gradient(rest))
        )
        both = both - move
        rest = conditions(both) if again else rest
    slope = pull(both, p)
    slope = xp.where(fixed & good[:, :, 0], slope - stop_gradient(slope), xp.zeros_like(z))
    return both[:, :n], both[:, n:], z + slope
