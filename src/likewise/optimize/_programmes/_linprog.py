"""Linear programmes: the arguments of SciPy's `linprog`, for many problems at once."""

import math
from typing import Any, ClassVar, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, describe, device, is_concrete, is_neutral, quiet
from ..._native import native, public
from ...errors import ArgumentError, IntegerError, NotSupported, ShapeError
from ...linalg import lstsq
from ...solving._blocks import in_blocks
from ...solving._following import recorded
from ...solving._function import carried
from ...solving._options import count, ends, table, warned
from ...solving._outcome import Outcome
from ...solving._result import Readable, Result, result
from ...solving._running import compiles, run_for, small
from ...transforms import stop_gradient
from ._interior import Found, Programme, interior

__all__ = ["LinprogResult", "Marginals", "linprog"]

_METHODS = ("highs", "highs-ds", "highs-ipm")
_OLD = ("simplex", "revised simplex", "interior-point")
_VALUES = (
    "x", "y", "low", "up", "nit", "crossover_nit", "outcome", "mip_node_count", "mip_dual_bound",
    "mip_gap",
)  # fmt: skip
_MOST = 200  # steps of the interior point
_OPTIONS = {
    "maxiter", "disp", "presolve", "time_limit", "dual_feasibility_tolerance",
    "primal_feasibility_tolerance", "ipm_optimality_tolerance",
    "simplex_dual_edge_weight_strategy", "mip_rel_gap", "mip_max_nodes",
}  # fmt: skip
_OF_OLD = {
    "maxiter", "disp", "presolve", "tol", "autoscale", "rr", "rr_method", "bland", "maxupdate",
    "mast", "pivot", "alpha0", "beta", "sparse", "lstsq", "sym_pos", "cholesky", "pc", "ip",
    "permc_spec",
}  # fmt: skip


@result
class Marginals(Readable):
    """Hold what a solution says of one kind of constraints.

    Attributes
    ----------
    residual : array
        The distances from the constraints.
    marginals : array
        The derivatives of the least value with respect to the sides of the constraints.
    """

    residual: Any
    marginals: Any

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return ["residual", "marginals"]


@result
class LinprogResult(Result):
    """Hold the results of `linprog`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x : array, shape (..., n)
        The solution; NaN where there is none.
    fun : array, shape (...)
        The least value.
    slack : array, shape (..., m_ub)
        ``b_ub - A_ub x``.
    con : array, shape (..., m_eq)
        ``b_eq - A_eq x``.
    ineqlin, eqlin, lower, upper : Marginals
        Of inequalities, equations and bounds: `residual`, the distances, and `marginals`, the
        derivatives of `fun` with respect to b_ub, b_eq and the bounds.
    nit, crossover_nit : array of int32, shape (...)
        Numbers of steps.
    mip_node_count, mip_dual_bound, mip_gap : array, shape (...)
        With `integrality`, as those of `milp`; else 0.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 0, solved; 1, limit reached; 2,
        infeasible; 3, unbounded; 4, numerical difficulties; 5, data not finite.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.INFEASIBLE: 2,
        Outcome.UNBOUNDED: 3,
        Outcome.STALLED: 4,
        Outcome.NOT_FINITE: 5,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: no feasible point has a lower value",
        Outcome.LIMIT: "the limit of steps, nodes or time was reached: raise it",
        Outcome.INFEASIBLE: "the problem is infeasible: no point fulfils all constraints",
        Outcome.UNBOUNDED: "the problem is unbounded: the value falls without limit",
        Outcome.STALLED: "numerical difficulties: rescale the problem",
        Outcome.NOT_FINITE: "the data are not finite: check them",
    }

    x: Any
    fun: Any
    slack: Any
    con: Any
    ineqlin: Any
    eqlin: Any
    lower: Any
    upper: Any
    nit: Any
    crossover_nit: Any
    outcome: Any
    mip_node_count: Any
    mip_dual_bound: Any
    mip_gap: Any


@public
def linprog(
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    method: str = "highs",
    callback: Any = None,
    options: Any = None,
    x0: Any = None,
    integrality: Any = None,
) -> LinprogResult:
    """Minimise ``c @ x`` where ``A_ub @ x <= b_ub``, ``A_eq @ x == b_eq``, within bounds.

    Parameters
    ----------
    c : array, shape (..., n)
        Coefficients of the value. Leading dimensions of all arguments are a batch and broadcast.
    A_ub, b_ub : array, shapes (..., m_ub, n) and (..., m_ub), optional
        Inequalities.
    A_eq, b_eq : array, shapes (..., m_eq, n) and (..., m_eq), optional
        Equations; redundant ones do no harm.
    bounds : optional
        A pair for all unknowns, a pair for each, an array (..., n, 2), or an object with ``lb`` and
        ``ub``, (..., n). None, NaN or an infinity where there is none. Default: (0, None).
    method : {'highs', 'highs-ds', 'highs-ipm'}, optional
        Chooses among SciPy's solvers for one problem of doubles on the host, see the notes.
        SciPy's deprecated 'simplex', 'revised simplex' and 'interior-point' give a
        DeprecationWarning.
    callback : callable, optional
        Only where SciPy solves the problem, and for its deprecated methods.
    options : dict, optional
        SciPy's options. Other solvers than SciPy's use `maxiter`, the maximum number of steps, and
        `disp`, whether to print how it ended. Unknown options give an `OptimizeWarning`.
    x0 : optional
        A start, only for 'revised simplex'.
    integrality : array of integers, optional
        Which unknowns are integers, as in SciPy; only for doubles on the host, see `milp`.

    Returns
    -------
    LinprogResult
        ``x, fun, slack, con, ineqlin, eqlin, lower, upper, nit, crossover_nit, mip_node_count,
        mip_dual_bound, mip_gap, status, success``.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    DtypeError
        If an array is complex.
    ArgumentError
        If an option is out of range, or, for one problem with values at hand, data are not finite.
    NotSupported
        If a matrix is sparse; if integers are asked for, or a callback, where SciPy doesn't solve
        the problem; or if the arrays are lazy and their library has no loop for them.

    Notes
    -----
    One problem of NumPy's doubles goes to SciPy's HiGHS, as does one of PyTorch's on the CPU that
    needs no derivatives. All others go, as a batch, to an interior point of the homogeneous self-
    dual embedding: E. D. Andersen, K. D. Andersen, in High Performance Optimization, 2000. It ends
    where violations and the gap between the values of the problem and its dual are below 1e-10,
    relative to the data (2e-5 in float32), mostly after 10 to 25 steps. A step costs a dense factor
    of order ``min(n, m_ub)``, or ``m_ub + m_eq`` if there are equations. There is no crossover: if
    there are several solutions, `x` lies between them. Each problem has its own status, and doesn't
    affect the others.

    Differentiable with respect to c, the matrices, right sides and bounds, by the equations of the
    constraints that hold, which must determine the solution and the marginals. If they don't, as
    for several solutions, or more constraints in a vertex than unknowns, the derivative is the
    least-squares one of smallest norm, while that of `fun` stays right where `fun` has one.

    Where values are at hand, problems that end without a solution are looked at once more, for the
    least sum of violations: status 3 is of feasible problems. Under jit it may stand for infeasible
    ones whose value falls along a ray, too, and 4 for those whose proof rounding has spoilt.

    Differs from SciPy: batches; NaN in place of None where there is no solution; no sparse
    matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import linprog
    >>> a, b = np.asarray([[-3.0, 1.0], [1.0, 2.0]]), np.asarray([6.0, 4.0])
    >>> found = linprog(np.asarray([-1.0, 4.0]), a, b, bounds=[(None, None), (-3, None)])
    >>> float(found.fun), found.x.tolist(), found.ineqlin.marginals.round(6).tolist()
    (-22.0, [10.0, -3.0], [-0.0, -1.0])
    """
    given = {"c": (c, 1)}
    for key, value, rank in (
        ("A_ub", A_ub, 2), ("b_ub", b_ub, 1), ("A_eq", A_eq, 2), ("b_eq", b_eq, 1),
        ("bounds", bounds, 2),
    ):  # fmt: skip
        if hasattr(value, "shape"):
            given[key] = value, rank
    if len(given) > 1 or hasattr(c, "shape"):
        known = {"A_ub": A_ub, "b_ub": b_ub, "A_eq": A_eq, "b_eq": b_eq, "bounds": bounds}

        def call(*arrays: Any) -> LinprogResult:
            now = {**known, **dict(zip(given, arrays, strict=True))}
            return linprog(
                now.pop("c"), **now, method=method, callback=callback, options=options, x0=x0,
                integrality=integrality,
            )  # fmt: skip

        found = in_blocks("linprog", call, given, {}, callback)
        if found is not None:
            return found
    way = _way(method, callback, options, x0, integrality)
    p, few, upper, batch = _problem(c, A_ub, b_ub, A_eq, b_eq, bounds)
    _check_values(p, batch)
    settings = few, upper, count("linprog", "maxiter", way.options.get("maxiter"), _MOST)
    if compiles(p.c) and not way.special:
        values = run_for(p.c, _by_body, settings, *p, quick=small(*p))
    else:
        values = _of_rows(*p, settings, way)
    made = _made(dict(zip(_VALUES, values, strict=True)), p, few, batch)
    if way.options.get("disp") and not way.solves(p):
        made.tell()
    return made


class _Way(NamedTuple):
    """Hold what SciPy's function gets besides the problem."""

    method: str
    options: dict[str, Any]
    callback: Any
    x0: Any
    integrality: Any

    @property
    def special(self) -> bool:
        """Tell if only SciPy does this."""
        return self.callback is not None or self.integrality is not None

    def solves(self, p: Programme) -> bool:
        """Tell if SciPy solves it."""
        return _one(*p, (), self)


def _way(method: Any, callback: Any, options: Any, x0: Any, integrality: Any) -> _Way:
    name = "linprog"
    if not isinstance(method, str):
        raise ArgumentError(f"{name}: method must be a string, got {describe(method)}")
    method = method.lower()
    _plan.choice(name, "method", method, (*_METHODS, *_OLD))
    old = method in _OLD
    options = {} if options is None else table(name, "options", options)
    unknown = sorted(set(options) - (_OF_OLD if old else _OPTIONS))
    if x0 is not None and method != "revised simplex":
        warned(f"{name}: x0 is used only when method is 'revised simplex'")
    if unknown and not old:
        warned(f"{name}: unrecognized options detected: {unknown}. Known are {sorted(_OPTIONS)}")
    if callback is not None and not old:
        raise NotSupported(f"{name}: HiGHS solvers do not support the callback interface")
    wanted = integrality is not None and bool(_any(integrality))
    if wanted and method != "highs":
        warned(f"{name}: only method='highs' supports integers: `integrality` is ignored")
        wanted = False
    if old:
        text = f"{name}: method={method!r} is deprecated as in SciPy: use method='highs'"
        warned(text, DeprecationWarning)
    start = x0 if method == "revised simplex" else None
    return _Way(method, options, callback, start, integrality if wanted else None)


def _any(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(_any(v) for v in values)
    if hasattr(values, "shape"):
        if not is_concrete(values):
            raise NotSupported("linprog: integrality must have values, not be traced")
        return bool(array_namespace(values).any(values != 0))
    return bool(values)


# -- the problem -----------------------------------------------------------------------------------


def _problem(
    c: Any, A_ub: Any, b_ub: Any, A_eq: Any, b_eq: Any, bounds: Any
) -> tuple[Programme, int, bool, tuple[int, ...]]:
    """Return the problems, how many rows are <=, if there are upper bounds, and the batch."""
    name = "linprog"
    for key, value in (("A_ub", A_ub), ("A_eq", A_eq)):
        if hasattr(value, "toarray"):
            raise NotSupported(f"{name}: {key} is sparse, which it can't be: pass {key}.toarray()")
    if c is None:
        raise IntegerError(f"{name}: c must be an array of coefficients, got None")
    parts = {"c": c, "A_ub": A_ub, "b_ub": b_ub, "A_eq": A_eq, "b_eq": b_eq}
    parts = {k: v for k, v in parts.items() if v is not None}
    named = {} if not hasattr(bounds, "lb") else dict(zip(("lb", "ub"), ends(bounds), strict=True))
    if hasattr(bounds, "shape"):
        named = {"bounds": bounds}
    parts |= named
    values = tuple(parts.values())
    for like in values:  # NumPy's constants beside another library's arrays
        if hasattr(like, "shape") and not is_neutral(like):
            values = beside(like, *values)
    xp = array_namespace(*(v for v in values if hasattr(v, "shape") and not is_neutral(v)))
    made = _plan.common_floating(name, xp, tuple(parts), *values, real=True)
    found = dict(zip(parts, made, strict=True))
    xp = array_namespace(*made)
    c = found["c"]
    c = xp.reshape(c, (1,)) if c.ndim == 0 else c
    n = int(c.shape[-1])
    if n == 0:
        raise ShapeError(f"{name}: c must hold at least one coefficient, got {tuple(c.shape)}")
    heads: dict[str, tuple[int, ...]] = {"c": tuple(c.shape[:-1])}
    pairs = []
    for left, right in (("A_ub", "b_ub"), ("A_eq", "b_eq")):
        a, b = _rows_of(left, right, found, c, n)
        heads |= {left: tuple(a.shape[:-2]), right: tuple(b.shape[:-1])}
        pairs.append((a, b))
    lower, upper, some = _bounds(bounds, found, c)
    heads |= {"lower bounds": tuple(lower.shape[:-1]), "upper bounds": tuple(upper.shape[:-1])}
    batch = _plan.broadcast(name, **heads)
    (a_ub, b_ub), (a_eq, b_eq) = (
        [_flat(v, batch, k) for v, k in zip(p, (2, 1), strict=True)] for p in pairs
    )
    return (
        Programme(
            _flat(c, batch, 1), _joined(a_ub, a_eq), _joined(b_ub, b_eq),
            _flat(lower, batch, 1), _flat(upper, batch, 1),
        ),
        int(b_ub.shape[1]), some, batch,
    )  # fmt: skip


def _rows_of(left: str, right: str, found: dict[str, Any], c: Any, n: int) -> tuple[Any, Any]:
    """Return matrix and right side, without rows if there are none."""
    xp, where = array_namespace(c), device(c)
    a, b = found.get(left), found.get(right)
    if a is None or (0 in a.shape and a.ndim < 2):
        a = xp.zeros((0, n), dtype=c.dtype, device=where)
    if b is None:
        b = xp.zeros((0,), dtype=c.dtype, device=where)
    b = xp.reshape(b, (1,)) if b.ndim == 0 else b
    if a.ndim < 2 or a.shape[-1] != n:
        raise ShapeError(
            f"linprog: {left} must have shape (..., m, {n}), with a column for each of {n} "
            f"coefficients, got {tuple(a.shape)}"
        )
    if b.shape[-1] != a.shape[-2]:
        raise ShapeError(
            f"linprog: {right} must have shape (..., {a.shape[-2]}), with a number for each row of "
            f"{left}, got {tuple(b.shape)}"
        )
    return a, b


def _bounds(bounds: Any, found: dict[str, Any], c: Any) -> tuple[Any, Any, bool]:
    """Return lower and upper bounds, (..., n), and if there may be upper ones."""
    xp, where, n = array_namespace(c), device(c), int(c.shape[-1])
    some = True
    if "lb" in found:
        lower, upper = found["lb"], found["ub"]
    else:
        both = found.get("bounds")
        if both is None:
            values = _numbers(bounds)
            if len({len(v) if isinstance(v, list) else 1 for v in values}) > 1:
                raise ShapeError(f"linprog: bounds must be pairs (lower, upper), got {bounds!r}")
            some = _finite_upper(values)
            both = _plan.from_lists("linprog", "bounds", xp, values, dtype=c.dtype, device=where)
        both = both[None, :] if both.ndim == 1 and both.shape[0] == 2 else both
        if both.ndim == 2 and tuple(both.shape) == (2, 1) and n != 2:
            both = xp.matrix_transpose(both)
        if both.ndim < 2 or both.shape[-1] != 2 or both.shape[-2] not in (1, n):
            raise ShapeError(
                f"linprog: bounds must be a pair (lower, upper) or {n} pairs, (..., {n}, 2), "
                f"got shape {tuple(both.shape)}"
            )
        lower, upper = both[..., 0], both[..., 1]
    made = []
    for v, none in ((lower, -math.inf), (upper, math.inf)):
        v = xp.where(xp.isnan(v), xp.full_like(v, none), v)
        if v.ndim and v.shape[-1] not in (1, n):
            raise ShapeError(f"linprog: bounds must be of {n} unknowns, got shape {tuple(v.shape)}")
        made.append(xp.broadcast_to(v, (*v.shape[:-1], n)))
    return made[0], made[1], some


def _numbers(bounds: Any) -> Any:
    """Return bounds in lists as numbers, NaN for None."""
    if bounds is None or (isinstance(bounds, list | tuple) and not _leaves(bounds)):
        return [[0.0, math.inf]]
    if isinstance(bounds, list | tuple):
        return [_numbers(v) if isinstance(v, list | tuple) else _number(v) for v in bounds]
    raise ArgumentError(f"linprog: bounds must be pairs of numbers, got {describe(bounds)}")


def _leaves(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return [leaf for v in values for leaf in _leaves(v)]
    return [values]


def _number(value: Any) -> float:
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"linprog: unable to interpret bounds, pairs of numbers or None, got {value!r}"
        ) from error


def _finite_upper(values: Any) -> bool:
    leaves = _leaves(values)
    return any(math.isfinite(v) for v in leaves[1::2])


def _flat(v: Any, batch: tuple[int, ...], rank: int) -> Any:
    """Return arrays of one problem each, (B, ...); of one for all problems, (1, ...)."""
    xp = array_namespace(v)
    own = tuple(v.shape[v.ndim - rank :])
    if math.prod(v.shape[: v.ndim - rank]) == 1:
        return xp.reshape(v, (1, *own))
    return xp.reshape(xp.broadcast_to(v, (*batch, *own)), (math.prod(batch), *own))


def _joined(x: Any, y: Any) -> Any:
    """Join the rows of both."""
    xp = array_namespace(x, y)
    if x.shape[1] == 0 and x.shape[0] == 1:
        return y
    if y.shape[1] == 0 and y.shape[0] == 1:
        return x
    size = max(x.shape[0], y.shape[0]) if 0 not in (x.shape[0], y.shape[0]) else 0
    x, y = (xp.broadcast_to(v, (size, *v.shape[1:])) for v in (x, y))
    return xp.concat([x, y], axis=1)


def _check_values(p: Programme, batch: tuple[int, ...]) -> None:
    """Refuse one problem whose data are not finite."""
    if batch or not is_concrete(p.c):
        return
    xp = array_namespace(*p)
    for name, v in (("c", p.c), ("a matrix", p.a), ("a right side", p.b)):
        if is_concrete(v) and not bool(xp.all(xp.isfinite(v))):
            raise ArgumentError(
                f"linprog: {name} must not contain values inf, nan, or None; drop inequalities "
                "without a side"
            )


# -- solutions -------------------------------------------------------------------------------------


def _one(c: Any, a: Any, b: Any, lower: Any, upper: Any, key: Any, way: _Way) -> bool:
    """one problem of float64, or integers are asked for."""
    arrays = c, a, b, lower, upper
    wide = all(v.dtype == array_namespace(c).float64 and type(v) is type(c) for v in arrays)
    return bool(wide and (way.special or all(v.shape[0] == 1 for v in arrays)))


@native(
    numpy="likewise._libs.numpy._programmes:linprog",
    torch="likewise._libs.numpy._programmes:linprog",
    when=_one,
)
def _of_rows(
    c: Any, a: Any, b: Any, lower: Any, upper: Any, key: tuple[int, bool, int], way: _Way
) -> tuple[Any, ...]:
    if way.special:
        what = "integrality" if way.integrality is not None else "callback"
        raise NotSupported(
            f"linprog: {what} needs SciPy's solver, which takes doubles of NumPy, and of PyTorch's "
            "plain tensors on the CPU, got "
            f"{describe(c)}; convert with likewise.interop.to_numpy, where a copy is no harm"
        )
    return _by_body(key, c, a, b, lower, upper)


def _by_body(
    key: tuple[int, bool, int], c: Any, a: Any, b: Any, lower: Any, upper: Any
) -> tuple[Any, ...]:
    few, some, most = key
    p = Programme(c, a, b, lower, upper)
    with quiet(c):
        found = interior(Programme(*(stop_gradient(v) for v in p)), few, some, most)
        x, y = _carried(p, found)
        xp = array_namespace(x, *p)
        slope = c - xp.matmul(y[:, None, :], a)[:, 0, :]
        zero = xp.zeros_like(slope)
        low = xp.where(found.at < 0, slope, zero)
        up = xp.where(found.at > 0, slope, zero)
        fixed = lower == upper
        low = xp.where(fixed, xp.where(slope > 0, slope, zero), low)
        up = xp.where(fixed, xp.where(slope < 0, slope, zero), up)
        none = (found.outcome <= 0) & (found.outcome != Outcome.LIMIT)
        x, y, low, up = (
            xp.where(none[:, None], xp.full_like(v, xp.nan), v) for v in (x, y, low, up)
        )
        none, nothing = xp.zeros_like(found.nit), xp.zeros_like(x[:, 0])
        return x, y, low, up, found.nit, none, found.outcome, none, nothing, nothing


def _carried(p: Programme, found: Found) -> tuple[Any, Any]:
    """Return solutions and multipliers with the derivatives of what holds as an equation."""
    xp = array_namespace(*p, found.x)
    n = found.x.shape[1]
    low, up, tight = found.at < 0, found.at > 0, found.tight
    x = xp.minimum(xp.maximum(found.x, stop_gradient(p.lower)), stop_gradient(p.upper))

    def residual(v: Any) -> Any:
        xp = array_namespace(v, *p)
        x, y = v[:, :n], v[:, n:]
        free = p.c - xp.matmul(y[:, None, :], p.a)[:, 0, :]
        first = xp.where(low, x - p.lower, xp.where(up, x - p.upper, free))
        rows = xp.matmul(p.a, x[:, :, None])[..., 0] - p.b
        return xp.concat([first, xp.where(tight, rows, y)], axis=1)

    def refine(v: Any, residual: Any) -> Any:
        r = residual(v)
        if not recorded(r):
            return v
        inverse = _inverse(stop_gradient(p.a), low | up, tight)
        for _ in range(2):
            xp = array_namespace(r)
            by = xp.matmul(inverse, r[:, :, None])[..., 0]
            v = v - (by - stop_gradient(by))
            r = residual(v)
        return v

    v = carried(xp.concat([x, found.y], axis=1), residual, found.outcome > 0, refine=refine)
    return v[:, :n], v[:, n:]


def _inverse(a: Any, held: Any, tight: Any) -> Any:
    """Return the pseudo-inverse of the equations that the solution and its multipliers fulfil."""
    xp = array_namespace(a, held)
    one = xp.ones_like(xp.sum(a, axis=(1, 2)))[:, None]
    held, tight = (xp.astype(v, a.dtype) * one for v in (held, tight))
    n, m = held.shape[1], tight.shape[1]
    eye, rows = (xp.eye(k, dtype=a.dtype, device=device(a)) for k in (n, m))
    upper = xp.concat(
        [eye * held[:, :, None], -xp.matrix_transpose(a) * (1 - held)[:, :, None]], axis=2
    )
    below = xp.concat([a * tight[:, :, None], rows * (1 - tight)[:, :, None]], axis=2)
    matrix = xp.concat([upper, below], axis=1)
    right = xp.eye(n + m, dtype=a.dtype, device=device(a))
    return stop_gradient(lstsq(matrix, xp.broadcast_to(right, tuple(matrix.shape))).x)


def _made(values: dict[str, Any], p: Programme, few: int, batch: tuple[int, ...]) -> LinprogResult:
    """Return the result, with the batch's shape."""
    xp = array_namespace(values["x"], *p)

    def shaped(v: Any) -> Any:
        return xp.reshape(v, (*batch, *v.shape[1:])) if batch else v[0, ...]

    x, y = values.pop("x"), values.pop("y")
    with quiet(x):
        rest = p.b - xp.matmul(p.a, x[:, :, None])[..., 0]
        fun = xp.sum(p.c * x, axis=1)
        low, up = x - p.lower, p.upper - x
    slack, con = shaped(rest[:, :few]), shaped(rest[:, few:])
    return LinprogResult(
        x=shaped(x), fun=shaped(fun), slack=slack, con=con,
        ineqlin=Marginals(slack, shaped(y[:, :few])),
        eqlin=Marginals(con, shaped(y[:, few:])),
        lower=Marginals(shaped(low), shaped(values.pop("low"))),
        upper=Marginals(shaped(up), shaped(values.pop("up"))),
        **{k: shaped(v) for k, v in values.items()},
    )  # fmt: skip
