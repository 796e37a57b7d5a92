"""Exact linear least squares within bounds by an active set, many problems at once.

P. B. Stark, R. L. Parker, Bounded-variable least-squares: an algorithm and applications,
Computational Statistics 10, 1995, which is C. L. Lawson, R. J. Hanson, Solving Least Squares
Problems, 1974, chapter 23, for two bounds. All problems take each step together: a problem frees
the unknown with the largest gain, or moves towards the minimum over its free unknowns until it
meets a bound, and fixes the unknowns that have met one.

If there are at least as many data as unknowns, block principal pivoting comes first: it fixes all
unknowns outside their bounds and frees all that would gain, as long as their number falls, with
three more tries (J. Kim, H. Park, Fast nonnegative matrix factorization, SIAM J. Sci. Comput.
33(6), 2011, section 3). It takes a few steps, and mostly ends at the solution.

Each minimum is computed from the normal equations of columns of unit norm, and corrected once by
its residuals (Å. Björck, Numerical Methods for Least Squares Problems, 1996, section 6.6.5:
corrected seminormal equations).
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ...transforms import stop_gradient

__all__ = ["Found", "bounded_lstsq"]

_TRIES = 3


class Found(NamedTuple):
    x: Any  # (B, n)
    place: Any  # (B, n): -1, 0, 1, at the lower bound, free, at the upper
    gradient: Any  # (B, n)
    nit: Any  # (B,)
    outcome: Any  # (B,)


class _Problem(NamedTuple):
    a: Any  # (B or 1, m, n), columns of norm 1
    b: Any  # (B, m)
    lower: Any  # (B, n)
    upper: Any
    gram: Any  # (B or 1, n, n)

    def times(self, x: Any) -> Any:
        xp = array_namespace(x)
        if self.a.shape[0] == 1:
            return xp.matmul(x, xp.matrix_transpose(self.a[0, ...]))
        return xp.matmul(self.a, x[:, :, None])[..., 0]

    def back(self, r: Any) -> Any:
        xp = array_namespace(r)
        if self.a.shape[0] == 1:
            return xp.matmul(r, self.a[0, ...])
        return xp.matmul(r[:, None, :], self.a)[:, 0, :]

    def minimum(self, place: Any) -> Any:
        """The least over the free unknowns, with the others on their bounds."""
        xp = array_namespace(self.a, self.b)
        n = self.a.shape[-1]
        free = place == 0
        fixed = xp.where(place < 0, self.lower, self.upper)
        fixed = xp.where(free, xp.zeros_like(fixed), fixed)
        eye = xp.eye(n, dtype=self.a.dtype, device=device(self.a))
        ridge = n * float(xp.finfo(self.a.dtype).eps)  # what rounding may take off the diagonal
        pair = free[:, :, None] & free[:, None, :]
        matrix = xp.where(pair, self.gram + ridge * eye, eye)
        if matrix.shape[0] == 1:  # a single large matrix has quicker routines
            factor = cho_factor(matrix[0, ...], lower=True)
        else:
            factor = cho_factor(matrix, lower=True)

        def towards(x: Any) -> Any:
            right = self.back(self.b - self.times(x))
            right = xp.where(free, right, xp.zeros_like(right))
            if matrix.shape[0] == 1:
                return cho_solve(factor, right[0, :])[None, :]
            return cho_solve(factor, right[:, :, None])[..., 0]

        x = fixed + towards(fixed)
        return x + towards(x)

    def on_bounds(self, place: Any, x: Any) -> Any:
        xp = array_namespace(x)
        return xp.where(place < 0, self.lower, xp.where(place > 0, self.upper, x))

    def gains(self, place: Any, x: Any) -> tuple[Any, Any, Any]:
        """Return the gains of unknowns at bounds, the largest gain of the others, the cost."""
        xp = array_namespace(x)
        r = self.b - self.times(x)
        w = self.back(r)
        gain = xp.where(place < 0, w, xp.where(place > 0, -w, xp.zeros_like(w)))
        rest = xp.where(place == 0, xp.abs(w), xp.zeros_like(w))
        return gain, xp.max(rest, axis=1), xp.sum(r * r, axis=1)


class _Task(NamedTuple):
    """Hold the data that differ between problems."""

    problem: _Problem
    cold: Any  # (B, n): the places to begin at, one by one
    least: Any  # (B,): gains that are not rounding
    level: Any  # (B,): gains of free unknowns that are, at a minimum
    weight: Any  # (B or 1, n): the columns' norms relative to their largest


class _State(NamedTuple):
    x: Any  # (B, n)
    place: Any  # (B, n)
    entered: Any  # (B, n): the unknown that was freed last
    refused: Any  # (B, n): freed in vain since the last progress
    cost: Any  # (B,)
    block: Any  # (B,): still pivoting by blocks
    fewest: Any  # (B,): unknowns to be exchanged, so far
    tries: Any  # (B,): more that may pass without fewer
    status: Any  # (B,)
    nit: Any


def bounded_lstsq(
    a: Any, b: Any, lower: Any, upper: Any, tol: float | None, most: int, block: bool
) -> Found:
    """Minimise ``|a x - b|`` within the bounds; if `block`, first by block pivoting from all free.

    `a` is (B, m, n), or (1, m, n) for all problems; the others have the axis B. Differentiable.
    """
    xp = array_namespace(a, b)
    top = xp.max(xp.abs(a), axis=-2)
    top = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    top = stop_gradient(top)
    norms = top * xp.sqrt(xp.sum((stop_gradient(a) / top[..., None, :]) ** 2, axis=-2))
    norms = xp.where((norms > 0) & xp.isfinite(norms), norms, xp.ones_like(norms))
    a = a / norms[..., None, :]
    gram = xp.matmul(xp.matrix_transpose(a), a)
    problem = _Problem(a, b, lower * norms, upper * norms, gram)
    held = _Problem(*(stop_gradient(v) for v in problem))
    end = _iterated(held, norms / xp.max(norms, axis=-1, keepdims=True), tol, most, block)
    stopped = end.status == Outcome.LIMIT  # what is not a minimum is left as it is
    x = xp.where(stopped[:, None], end.x, problem.minimum(end.place))
    gradient = -problem.back(b - problem.times(x)) * norms
    # On their bounds exactly; the others can be off theirs by rounding alone.
    x = x / norms
    x = xp.where((end.place < 0) | (x < lower), lower, x)
    x = xp.where((end.place > 0) | (x > upper), upper, x)
    x = xp.where((end.status == Outcome.NOT_FINITE)[:, None], xp.full_like(x, xp.nan), x)
    return Found(x, end.place, gradient, end.nit, end.status)


def _iterated(problem: _Problem, weight: Any, tol: float | None, most: int, block: bool) -> _State:
    b = problem.b
    xp = array_namespace(b, problem.a)
    m, n = problem.a.shape[-2:]
    eps = float(xp.finfo(b.dtype).eps)
    zero = xp.zeros((b.shape[0], n), dtype=xp.int32, device=device(b))
    finite = xp.all(xp.isfinite(b), axis=1) & xp.all(xp.isfinite(problem.gram), axis=(-2, -1))
    size = xp.max(xp.abs(b), axis=1)
    size = xp.where(finite & (size > 0), size, xp.ones_like(size))
    size = size * xp.sqrt(xp.sum((b / size[:, None]) ** 2, axis=1))
    lower, upper = problem.lower, problem.upper
    nearer = xp.where(xp.abs(lower) <= xp.abs(upper), zero - 1, zero + 1)
    cold = xp.where(xp.isfinite(lower) | xp.isfinite(upper), nearer, zero)
    # Columns have norm 1.
    least = (10 * max(m, n) * eps if tol is None else tol) * size
    task = _Task(problem, cold, least, eps**0.5 * size, weight)

    def start(task: _Task) -> _State:
        place = zero if block else task.cold
        no = xp.zeros_like(size, dtype=xp.bool)
        none = xp.zeros_like(place, dtype=xp.bool)
        status = outcomes(size, (~finite, Outcome.NOT_FINITE))
        x = problem.on_bounds(place, xp.zeros_like(lower))
        tries, fewest = xp.full_like(status, _TRIES), xp.full_like(status, n + 1)
        infinite = xp.full_like(size, xp.inf)
        blocks = ~no if block else no
        return _State(x, place, none, none, infinite, blocks, fewest, tries, status, zero[:, 0])

    return iterate(Method(start, _step), task, most)


def _step(task: _Task, s: _State) -> _State:
    """By blocks, or one by one, from a minimum over the free unknowns."""
    problem = task.problem
    z = problem.minimum(s.place)
    xp = array_namespace(z)
    below, above = (s.place == 0) & (z < problem.lower), (s.place == 0) & (z > problem.upper)
    feasible = ~xp.any(below | above, axis=1)
    x, place, met = _walked(problem, s, z, below, above)
    at_minimum = (feasible | s.block)[:, None]
    place = xp.where(at_minimum, s.place, place)
    x = problem.on_bounds(place, xp.where(at_minimum, z, x))
    gain, rest, cost = problem.gains(place, x)

    # One by one: which other has the largest gradient, before the columns were of norm 1? By that
    # the corner is Lawson and Hanson's where there are several solutions.
    refused = xp.where((cost < s.cost)[:, None], xp.zeros_like(met), s.refused | (met & s.entered))
    wrong = gain > task.least[:, None]
    allowed = wrong & ~refused
    tiny = xp.full_like(gain, float(xp.finfo(gain.dtype).smallest_normal))
    score = xp.where(allowed, xp.maximum(gain * task.weight, tiny), xp.zeros_like(gain))
    largest = xp.argmax(score, axis=1)[:, None]
    index = xp.arange(gain.shape[1], dtype=largest.dtype, device=device(gain))
    entered = (index == largest) & allowed & feasible[:, None]
    place = xp.where(entered, xp.zeros_like(place), place)

    # By blocks: all at once.
    number = xp.astype(xp.count_nonzero(below | above | wrong, axis=1), xp.int32)
    fewer = number < s.fewest
    tries = xp.where(fewer, xp.full_like(s.tries, _TRIES), s.tries - 1)
    lost = ((tries < 0) & (number > 0)) | ~xp.isfinite(cost)
    given_up = s.block & (lost | ((number == 0) & ~(rest <= task.level)))
    exchanged = xp.where(wrong, xp.zeros_like(place), _fixed(s.place, below, above))
    place = xp.where(s.block[:, None], exchanged, place)
    place = xp.where(given_up[:, None], task.cold, place)
    at_start = problem.on_bounds(task.cold, xp.zeros_like(x))

    one_by_one = feasible & ~xp.any(entered, axis=1)
    ended = xp.where(s.block, (number == 0) & ~given_up, one_by_one)
    interior = ended & (s.nit == 0) & xp.all(place == 0, axis=1)
    single = ~s.block
    return _State(
        x=xp.where(given_up[:, None], at_start, x),
        place=place,
        entered=xp.where((single & feasible)[:, None], entered, s.entered),
        refused=xp.where(single[:, None], refused, s.refused),
        cost=xp.where(single, cost, s.cost),
        block=s.block & ~given_up,
        fewest=xp.where(fewer, number, s.fewest),
        tries=tries,
        status=outcomes(cost, (ended, Outcome.CONVERGED), (interior, Outcome.INTERIOR)),
        nit=s.nit + 1,
    )


def _walked(problem: _Problem, s: _State, z: Any, below: Any, above: Any) -> tuple[Any, Any, Any]:
    """Move towards `z` up to the first bound; return the point, its bounds, and what met them."""
    xp = array_namespace(z)
    out = below | above
    goal, way = xp.where(below, problem.lower, problem.upper), z - s.x
    still = way == 0
    share = (xp.where(out, goal, s.x) - s.x) / xp.where(still, xp.ones_like(way), way)
    share = xp.where(out & still, xp.zeros_like(share), share)
    share = xp.where(out, share, xp.ones_like(share))
    far = xp.clip(xp.min(share, axis=1), 0.0, 1.0)[:, None]
    met = out & (share <= far)
    return s.x + far * way, _fixed(s.place, met & below, met & above), met


def _fixed(place: Any, below: Any, above: Any) -> Any:
    """The places with these unknowns put on their bounds."""
    xp = array_namespace(place)
    one = xp.ones_like(place)
    return xp.where(below, -one, xp.where(above, one, place))
