"""The quadratic assignment problem, and the matching of graphs."""

import math
from typing import Any, ClassVar, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...random import key as key_of
from ...random import uniform
from ...random._arguments import plan_key
from ...solving._driver import Method, iterate
from ...solving._options import count, table, tolerance, warned
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, result
from ...solving._running import compiles, run_for, small
from ...transforms import stop_gradient
from ._assignment import linear_sum_assignment

__all__ = ["QuadraticAssignmentResult", "quadratic_assignment"]

_NAME = "quadratic_assignment"
_OPTIONS = {
    "faq": ("maximize", "partial_match", "rng", "P0", "shuffle_input", "maxiter", "tol"),
    "2opt": ("maximize", "partial_match", "rng", "partial_guess"),
}
_SINKHORN = 1000, 1e-3  # passes at most, and how far sums may be from 1


@result
class QuadraticAssignmentResult(Result):
    """Hold the results of `quadratic_assignment`: arrays of the caller's library.

    Attributes
    ----------
    col_ind : array of integers, shape (..., n)
        The node of B that each node of A gets.
    fun : array, shape (...)
        The value.
    nit : array of int32, shape (...)
        Numbers of steps, or for '2opt' of exchanges that were looked at.
    status : array of int32, shape (...)
        Why it ended, explained by `advice` and `summary`: 0, converged; 1, `maxiter` reached; 2,
        data not finite.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.NOT_FINITE: 2,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged: a permutation that no step improves",
        Outcome.LIMIT: "the limit of steps was reached, from where it went to the nearest "
        "permutation: raise maxiter",
        Outcome.NOT_FINITE: "the matrices are not finite",
    }

    col_ind: Any
    fun: Any
    nit: Any
    outcome: Any


@public
def quadratic_assignment(
    A: Any, B: Any, method: str = "faq", options: Any = None, *, key: Any = None
) -> QuadraticAssignmentResult:
    """Find a permutation p of low value ``sum(A * B[p][:, p])``, or match two graphs.

    Parameters
    ----------
    A, B : array, shape (..., n, n)
        The matrices. Leading dimensions are a batch and broadcast.
    method : {'faq', '2opt'}, optional
        Conditional gradients over doubly stochastic matrices, or exchanges of pairs.
    options : dict, optional
        Of both: `maximize`, whether high values are wanted; `partial_match`, (..., m, 2), pairs of
        nodes of A and B that are fixed. Of 'faq': `P0`, the start, 'barycenter', 'randomized' or a
        doubly stochastic matrix (..., n - m, n - m); `shuffle_input`, whether nodes of B come in
        random order; `maxiter` (30); `tol` (0.03), a distance of steps. Of '2opt':
        `partial_guess`, (..., k, 2), pairs at the start. Others give an `OptimizeWarning`.
    key : array or int, optional
        A key or seed of random numbers, in place of SciPy's `rng`. Default: 0.

    Returns
    -------
    QuadraticAssignmentResult
        ``col_ind, fun, nit, status, success``.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range, pairs name a node twice, or `rng` is given.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    'faq': J. T. Vogelstein and others, PLOS ONE 10(4), 2015; with fixed pairs: D. E. Fishkind and
    others, Pattern Recognition 87, 2019. A step costs products of matrices and a linear assignment.
    '2opt' takes the first exchange, in order, that improves the value; it costs products of
    matrices for all exchanges together. Both are heuristic. `fun` is differentiable with respect to
    A and B, the permutation held.

    Differs from SciPy: batches; `key`; pairs may come in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import quadratic_assignment
    >>> a = np.asarray([[0, 5, 8, 6], [5, 0, 5, 1], [8, 5, 0, 2], [6, 1, 2, 0.0]])
    >>> b = np.asarray([[0, 1, 8, 4], [1, 0, 5, 2], [8, 5, 0, 5], [4, 2, 5, 0.0]])
    >>> found = quadratic_assignment(a, b)
    >>> found.col_ind.tolist(), float(found.fun)
    ([1, 0, 3, 2], 178.0)
    """
    if not isinstance(method, str):
        raise ArgumentError(f"{_NAME}: method must be 'faq' or '2opt', got {method!r}")
    method = method.lower()
    _plan.choice(_NAME, "method", method, tuple(_OPTIONS))
    given = table(_NAME, "options", options)
    unknown = sorted(set(given) - set(_OPTIONS[method]), key=str)
    if unknown:
        known = ", ".join(_OPTIONS[method])
        warned(f"{_NAME}: unknown options {unknown} have no effect; {method!r} has {known}")
    if given.get("rng") is not None:
        raise ArgumentError(
            f"{_NAME}: rng isn't taken, as generators of NumPy have a state and are of one "
            "library; take key=, an integer or a key from likewise.random.key(seed)"
        )
    a, b, batch = _matrices(A, B)
    n = int(a.shape[-1])
    pairs = _pairs("partial_match", given.get("partial_match"), a, batch)
    if key is None or (hasattr(key, "__index__") and not getattr(key, "ndim", 0)):
        key = key_of(0 if key is None else key.__index__(), like=a)
    else:
        key = plan_key(_NAME, key, None, None, a)[1]
    settings: tuple[Any, ...] = ()
    sign = -1.0 if given.get("maximize", False) else 1.0
    held = sign * stop_gradient(a), stop_gradient(b), pairs
    if method == "faq":
        maxiter = count(_NAME, "maxiter", given.get("maxiter"), 30, 1)
        tol = tolerance(_NAME, "tol", given.get("tol"), 0.03)
        if tol == 0:
            raise ArgumentError(f"{_NAME}: tol must be a positive number, got 0")
        settings = maxiter, tol, bool(given.get("shuffle_input", False))
        more = _first(given.get("P0", "barycenter"), a, n - int(pairs.shape[1]), key, batch)
        solve: Any = _faq
    else:
        more = _pairs("partial_guess", given.get("partial_guess"), a, batch)
        solve = _exchanged
    if compiles(a):
        found = run_for(a, solve, settings, *held, more, key, quick=small(a, b))
    else:
        found = solve(settings, *held, more, key)
    columns, nit, status = found
    with quiet(a):
        fun = array_namespace(a, b).sum(a * _permuted(b, columns), axis=(1, 2))
    xp = array_namespace(fun)

    def shaped(v: Any) -> Any:
        return xp.reshape(v, (*batch, *v.shape[1:])) if batch else v[0, ...]

    return QuadraticAssignmentResult(shaped(columns), shaped(fun), shaped(nit), shaped(status))


# -- arguments -------------------------------------------------------------------------------------


def _matrices(A: Any, B: Any) -> tuple[Any, Any, tuple[int, ...]]:
    xp = array_namespace(*(v for v in (A, B) if hasattr(v, "shape")))
    a, b = _plan.common_floating(_NAME, xp, ("A", "B"), A, B, real=True)
    for name, v in (("A", a), ("B", b)):
        if v.ndim < 2 or v.shape[-1] != v.shape[-2]:
            raise ShapeError(f"{_NAME}: {name} must be square, (..., n, n), got {tuple(v.shape)}")
    if a.shape[-1] != b.shape[-1]:
        raise ShapeError(
            f"{_NAME}: A and B must be of equal size, got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    batch = _plan.broadcast(_NAME, A=tuple(a.shape[:-2]), B=tuple(b.shape[:-2]))
    return _flat(a, batch, 2), _flat(b, batch, 2), batch


def _flat(v: Any, batch: tuple[int, ...], rank: int) -> Any:
    xp = array_namespace(v)
    own = tuple(v.shape[v.ndim - rank :])
    return xp.reshape(xp.broadcast_to(v, (*batch, *own)), (math.prod(batch), *own))


def _pairs(name: str, values: Any, like: Any, batch: tuple[int, ...]) -> Any:
    """Return pairs of nodes, integers (B, m, 2)."""
    xp, where, n = array_namespace(like), device(like), int(like.shape[-1])
    dtype = _places(like, 0).dtype
    if values is None:
        return xp.zeros((like.shape[0], 0, 2), dtype=dtype, device=where)
    if not hasattr(values, "shape"):
        values = _plan.from_lists(_NAME, name, xp, values, dtype=dtype, device=where)
    (values,) = beside(like, values)
    v = xp.astype(stop_gradient(values), dtype)
    if v.ndim < 2 or v.shape[-1] != 2 or v.shape[-2] > n:
        raise ShapeError(
            f"{_NAME}: {name} must hold pairs of at most {n} nodes, (..., m, 2), got shape "
            f"{tuple(v.shape)}"
        )
    try:
        v = _flat(v, batch, 2)
    except (ValueError, RuntimeError) as error:
        raise ShapeError(
            f"{_NAME}: leading dimensions of {name}, {tuple(v.shape)}, must fit those of A and B, "
            f"{batch}"
        ) from error
    if is_concrete(v) and 0 not in v.shape:
        if bool(xp.any((v < 0) | (v >= n))):
            raise ArgumentError(f"{_NAME}: {name} must hold nodes from 0 to {n - 1}")
        line = xp.sort(v, axis=1)
        if bool(xp.any(line[:, 1:, :] == line[:, :-1, :])):
            raise ArgumentError(f"{_NAME}: {name} must name each node once")
    return v


def _first(start: Any, like: Any, k: int, key: Any, batch: tuple[int, ...]) -> Any:
    """Return the matrices at which 'faq' begins, (B, k, k)."""
    xp, where = array_namespace(like), device(like)
    shape = (int(like.shape[0]), k, k)
    middle = xp.full(shape, 1.0 / max(k, 1), dtype=like.dtype, device=where)
    if isinstance(start, str):
        _plan.choice(_NAME, "P0", start, ("barycenter", "randomized"))
        if start == "barycenter" or 0 in shape:
            return middle
        numbers = uniform(key, shape, dtype=like.dtype, like=like) + 1e-9
        return (middle + _doubly_stochastic(numbers)) / 2
    if not hasattr(start, "shape"):
        start = _plan.from_lists(_NAME, "P0", xp, start, dtype=like.dtype, device=where)
    (start,) = beside(like, start)
    p = xp.astype(stop_gradient(start), like.dtype)
    if p.ndim < 2 or tuple(p.shape[-2:]) != (k, k):
        raise ShapeError(
            f"{_NAME}: P0 must have shape (..., {k}, {k}), a row for each node that is free, got "
            f"{tuple(p.shape)}"
        )
    p = _flat(p, batch, 2)
    if is_concrete(p) and 0 not in p.shape:
        off = [xp.max(xp.abs(xp.sum(p, axis=i) - 1)) for i in (1, 2)]
        if bool(xp.any(p < 0)) or not bool((off[0] < 1e-5) & (off[1] < 1e-5)):
            raise ArgumentError(
                f"{_NAME}: P0 must be doubly stochastic: not negative, sums of rows and columns 1"
            )
    return p


class _Scaled(NamedTuple):
    p: Any
    status: Any


def _doubly_stochastic(p: Any) -> Any:
    """Scale rows and columns to sums of 1: R. Sinkhorn, P. Knopp, Pacific J. Math. 21, 1967."""
    most, off = _SINKHORN

    def start(problems: Any) -> _Scaled:
        one = problems[0][:, 0, 0]
        return _Scaled(problems[0], outcomes(one))

    def step(problems: Any, s: _Scaled) -> _Scaled:
        xp = array_namespace(s.p)
        p = s.p / xp.sum(s.p, axis=1, keepdims=True)
        rows = xp.sum(p, axis=2, keepdims=True)
        far = xp.max(xp.abs(rows - 1), axis=(1, 2))
        return _Scaled(p / rows, outcomes(far, (far < off, Outcome.CONVERGED)))

    return iterate(Method(start, step), (p,), most).p


# -- permutations ----------------------------------------------------------------------------------


def _places(like: Any, n: int) -> Any:
    return array_namespace(like).arange(n, device=device(like))


def _permuted(b: Any, columns: Any) -> Any:
    """Return ``b[columns][:, columns]`` of each problem."""
    xp, shape = array_namespace(b, columns), tuple(b.shape)
    b = xp.take_along_axis(b, xp.broadcast_to(columns[:, :, None], shape), axis=1)
    return xp.take_along_axis(b, xp.broadcast_to(columns[:, None, :], shape), axis=2)


def _taken(nodes: Any, places: Any) -> Any:
    """Tell of each place if it is among the nodes (B, m)."""
    xp = array_namespace(nodes, places)
    return xp.any(nodes[:, :, None] == places, axis=1)


def _fixed_first(nodes: Any, places: Any, numbers: Any = None) -> Any:
    """Return all nodes: those given, then the others, in order or in that of random numbers."""
    xp = array_namespace(nodes, places)
    taken = _taken(nodes, places)
    numbers = xp.astype(taken, xp.int8) if numbers is None else xp.where(taken, 2.0, numbers)
    rest = xp.astype(xp.argsort(numbers, axis=1, stable=True), nodes.dtype)
    return xp.concat([nodes, rest[:, : places.shape[0] - nodes.shape[1]]], axis=1)


def _columns_of(cost: Any, maximize: bool = False) -> Any:
    """Return the columns of the best assignment of rows, (B, k)."""
    xp = array_namespace(cost)
    cost = xp.where(xp.isfinite(cost), cost, xp.zeros_like(cost))
    if cost.shape[0] == 1:
        return linear_sum_assignment(cost[0, ...], maximize)[1][None, :]
    return linear_sum_assignment(cost, maximize)[1]


# -- conditional gradients -------------------------------------------------------------------------


class _Task(NamedTuple):
    linear: Any  # (B, k, k)
    a: Any
    b: Any
    first: Any


class _State(NamedTuple):
    p: Any  # (B, k, k)
    nit: Any
    status: Any


def _faq(
    settings: tuple[int, float, bool], a: Any, b: Any, pairs: Any, first: Any, key: Any
) -> tuple[Any, Any, Any]:
    maxiter, tol, shuffled = settings
    xp = array_namespace(a, b)
    n, m = int(a.shape[1]), int(pairs.shape[1])
    places = _places(a, n)
    numbers = uniform(key, (int(a.shape[0]), n), dtype=a.dtype, like=a) if shuffled else None
    rows = _fixed_first(pairs[:, :, 0], places)
    columns = _fixed_first(pairs[:, :, 1], places, numbers)
    back = xp.argsort(rows, axis=1)
    if m == n:
        status = _finite(a, b)
        status = xp.where(status == 0, xp.ones_like(status), status)
        return xp.take_along_axis(columns, back, axis=1), xp.zeros_like(status), status
    with quiet(a):
        a, b = _permuted(a, rows), _permuted(b, columns)
        turned = xp.matrix_transpose(b)
        linear = a[:, m:, :m] @ turned[:, :m, m:] + xp.matrix_transpose(a)[:, m:, :m] @ b[:, :m, m:]
        task = _Task(linear, a[:, m:, m:], b[:, m:, m:], first)

        def start(t: Any) -> _State:
            status = _finite(t.a + t.linear, t.b)
            return _State(t.first, xp.zeros_like(status), status)

        end = iterate(Method(start, lambda t, s: _step(tol, t, s)), task, maxiter)
        chosen = _columns_of(end.p, maximize=True)
    free = xp.take_along_axis(columns[:, m:], xp.astype(chosen, columns.dtype), axis=1)
    found = xp.take_along_axis(xp.concat([columns[:, :m], free], axis=1), back, axis=1)
    return found, end.nit, end.status


def _finite(a: Any, b: Any) -> Any:
    xp = array_namespace(a, b)
    number = xp.sum(a * 0, axis=(1, 2)) + xp.sum(b * 0, axis=(1, 2))
    return outcomes(number, (xp.isnan(number), Outcome.NOT_FINITE))


def _step(tol: float, t: _Task, s: _State) -> _State:
    xp = array_namespace(s.p, *t)
    turned_a, turned_b = xp.matrix_transpose(t.a), xp.matrix_transpose(t.b)

    def slope(p: Any) -> Any:
        return t.linear + t.a @ p @ turned_b + turned_a @ p @ t.b

    places = _places(s.p, s.p.shape[1])
    corner = xp.astype(_columns_of(slope(s.p))[:, :, None] == places, s.p.dtype)
    way = s.p - corner
    # Along corner + alpha * way.
    first = xp.sum(slope(corner) * way, axis=(1, 2))
    second = xp.sum(t.a * (way @ t.b @ xp.matrix_transpose(way)), axis=(1, 2))
    one = xp.ones_like(second)
    inner = -first / (2 * xp.where(second == 0, one, second))
    alpha = xp.where(first + second < 0, one, 0 * one)
    alpha = xp.where((second > 0) & (inner >= 0) & (inner <= 1), inner, alpha)[:, None, None]
    p = corner + alpha * way
    moved = xp.sqrt(xp.sum((s.p - p) ** 2, axis=(1, 2)) / p.shape[1])
    return _State(p, s.nit + 1, outcomes(moved, (moved < tol, Outcome.CONVERGED)))


# -- exchanges -------------------------------------------------------------------------------------


class _Pairing(NamedTuple):
    a: Any  # (B, n, n)
    b: Any
    first: Any  # (B, n)
    free: Any


class _Exchange(NamedTuple):
    columns: Any  # (B, n)
    nit: Any
    status: Any


def _exchanged(
    settings: tuple[()], a: Any, b: Any, pairs: Any, guess: Any, key: Any
) -> tuple[Any, Any, Any]:
    xp = array_namespace(a, b)
    places = _places(a, int(a.shape[1]))
    fixed, column = _entered(pairs, places)
    guessed, other = _entered(guess, places)
    # A guess of a node that is fixed for another row is none.
    clash = xp.any((other[:, :, None] == column[:, None, :]) & fixed[:, None, :], axis=2)
    guessed = guessed & ~fixed & ~clash
    column = xp.where(fixed, column, other)
    known = fixed | guessed
    used = xp.any((column[:, :, None] == places) & known[:, :, None], axis=1)
    numbers = uniform(key, tuple(used.shape), dtype=a.dtype, like=a)
    order = xp.argsort(xp.where(used, xp.full_like(numbers, 2.0), numbers), axis=1)
    rank = xp.cumulative_sum(xp.astype(~known, places.dtype), axis=1) - 1
    rank = xp.where(rank < 0, xp.zeros_like(rank), rank)
    order = xp.take_along_axis(xp.astype(order, places.dtype), rank, axis=1)
    first = xp.where(known, column, order)

    def start(t: Any) -> _Exchange:
        status = _finite(t.a, t.b)
        none = xp.all(~t.free, axis=1)
        status = xp.where((status == 0) & none, xp.ones_like(status), status)
        return _Exchange(t.first, xp.zeros_like(status), status)

    with quiet(a):
        end = iterate(Method(start, _exchange), _Pairing(a, b, first, ~fixed))
    return end


def _entered(pairs: Any, places: Any) -> tuple[Any, Any]:
    """Return which rows have a column, and that column."""
    xp = array_namespace(pairs, places)
    hit = pairs[:, :, 0][:, :, None] == places
    columns = xp.where(hit, pairs[:, :, 1][:, :, None], xp.zeros_like(pairs[:, :, :1]))
    return xp.any(hit, axis=1), xp.sum(columns, axis=1, dtype=places.dtype)


def _exchange(t: _Pairing, s: _Exchange) -> _Exchange:
    """Exchange the first pair, in order, that lowers the value."""
    xp = array_namespace(*t, s.columns)
    n = int(t.a.shape[1])
    places = _places(t.a, n)
    a, c = t.a, _permuted(t.b, s.columns)
    turned_a, turned_c = xp.matrix_transpose(a), xp.matrix_transpose(c)
    eye = xp.eye(n, dtype=a.dtype, device=device(a))

    def both(x: Any) -> Any:
        return x + xp.matrix_transpose(x)

    def lines(x: Any) -> tuple[Any, Any]:
        diagonal = xp.sum(x * eye, axis=2)
        return diagonal[:, :, None], diagonal[:, None, :]

    # The sums over all nodes of (a_kr - a_ks)(c_ks - c_kr), and of the rows' alike; then what
    # stands in it for the nodes r and s themselves is put right.
    products = turned_a @ c + a @ turned_c
    r, s_ = lines(products)
    change = both(products) - r - s_
    ar, as_ = lines(a)
    cr, cs = lines(c)
    change = change - (ar - a) * (c - cr) - (turned_a - as_) * (cs - turned_c)
    change = change - (ar - turned_a) * (turned_c - cr) - (a - as_) * (cs - c)
    change = change + (ar - as_) * (cs - cr) + (a - turned_a) * (turned_c - c)
    size = xp.sum(xp.abs(a), axis=(1, 2)) * xp.max(xp.abs(c), axis=(1, 2)) / n
    noise = 8 * float(xp.finfo(a.dtype).eps) * size[:, None, None]
    valid = (places[:, None] <= places) & t.free[:, :, None] & t.free[:, None, :]
    better = xp.reshape((change < -noise) & valid & (places[:, None] < places), (-1, n * n))
    tried = xp.cumulative_sum(
        xp.astype(xp.reshape(valid, (-1, n * n)), xp.int32), axis=1, dtype=xp.int32
    )
    some = xp.any(better, axis=1)
    pick = xp.astype(xp.argmax(xp.astype(better, xp.int8), axis=1), places.dtype)
    at = xp.where(some, pick, xp.full_like(pick, n * n - 1))
    nit = xp.take_along_axis(tried, at[:, None], axis=1)[:, 0]
    i, j = pick // n, pick % n
    ones = (places == i[:, None], places == j[:, None])
    zero = xp.zeros_like(s.columns)
    ends = [xp.sum(xp.where(v, s.columns, zero), axis=1, dtype=zero.dtype)[:, None] for v in ones]
    columns = xp.where(ones[0], ends[1], xp.where(ones[1], ends[0], s.columns))
    columns = xp.where(some[:, None], columns, s.columns)
    return _Exchange(columns, s.nit + nit, outcomes(nit, (~some, Outcome.CONVERGED)))
