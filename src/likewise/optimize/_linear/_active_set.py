"""Linear least squares within bounds, exactly, by an active set, many problems at once.

P. B. Stark, R. L. Parker, Bounded-variable least-squares: an algorithm and applications,
Computational Statistics 10, 1995, which is C. L. Lawson, R. J. Hanson, Solving Least Squares
Problems, 1974, chapter 23, for two bounds. All problems take one step together: each frees the
unknown of the largest gain, or goes as far towards the minimum over its free ones as the bounds let
it and fixes what has met one.

Before that, where there are at least as many data as unknowns, block principal pivoting: all
unknowns that are out of their bounds are fixed and all that would gain are freed, as long as their
number falls, with three more tries (J. Kim, H. Park, Fast nonnegative matrix factorization, SIAM J.
Sci. Comput. 33(6), 2011, section 3). That takes a few steps, and mostly ends at the solution.

Each minimum is by the normal equations of columns of unit norm, and
corrected once by its residuals (Å. Björck, Numerical Methods for Least Squares Problems, 1996,
section 6.6.5: corrected seminormal equations).
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...transforms import stop_gradient, while_loop

__all__ = ["Found", "bounded_lstsq"]

RUNNING, NOT_FINITE, MAX_ITER, CONVERGED, INTERIOR = -2, -1, 0, 1, 3
_TRIES = 3


class Found(NamedTuple):
    x: Any  # (B, n)
    place: Any  # (B, n): -1, 0, 1, at the lower bound, free, at the upper
    gradient: Any  # (B, n)
    nit: Any  # (B,)
    status: Any  # (B,)


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
    count: Any  # ()


def bounded_lstsq(
    a: Any, b: Any, lower: Any, upper: Any, tol: float | None, most: int, block: bool
) -> Found:
    """Least ``|a x - b|`` within the bounds; if `block`, first by blocks from where all are free.

    `a` is (B, m, n), or (1, m, n) for all problems; the others have their B. Differentiable.
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
    end = _iterated(xp, held, tol, most, block)
    stopped = end.status == RUNNING  # what is not a minimum is left as it is
    x = xp.where(stopped[:, None], end.x, problem.minimum(end.place))
    gradient = -problem.back(b - problem.times(x)) * norms
    # On their bounds exactly; the others can be off theirs by rounding alone.
    x = x / norms
    x = xp.where((end.place < 0) | (x < lower), lower, x)
    x = xp.where((end.place > 0) | (x > upper), upper, x)
    status = xp.where(stopped, xp.zeros_like(end.status), end.status)
    x = xp.where((status == NOT_FINITE)[:, None], xp.full_like(x, xp.nan), x)
    return Found(x, end.place, gradient, end.nit, status)


def _iterated(xp: Any, problem: _Problem, tol: float | None, most: int, block: bool) -> _State:
    lower, upper, b = problem.lower, problem.upper, problem.b
    m, n = problem.a.shape[-2:]
    count, eps = b.shape[0], float(xp.finfo(b.dtype).eps)
    zero = xp.zeros((count, n), dtype=xp.int32, device=device(b))
    none = xp.zeros((count, n), dtype=xp.bool, device=device(b))
    finite = xp.all(xp.isfinite(b), axis=1) & xp.all(xp.isfinite(problem.gram), axis=(-2, -1))
    # The gains that are not rounding: columns have norm 1.
    size = xp.max(xp.abs(b), axis=1)
    size = xp.where(finite & (size > 0), size, xp.ones_like(size))
    size = size * xp.sqrt(xp.sum((b / size[:, None]) ** 2, axis=1))
    least = ((10 * max(m, n) * eps if tol is None else tol) * size)[:, None]
    nearer = xp.where(xp.abs(lower) <= xp.abs(upper), zero - 1, zero + 1)
    bounded = xp.isfinite(lower) | xp.isfinite(upper)
    cold = xp.where(bounded, nearer, zero)
    no = xp.zeros_like(size, dtype=xp.bool)

    def on_bounds(place: Any, x: Any) -> Any:
        return xp.where(place < 0, lower, xp.where(place > 0, upper, x))

    def gains(place: Any, x: Any) -> tuple[Any, Any, Any]:
        """Return what unknowns gain by leaving bounds, whether the others gain none, the cost."""
        r = b - problem.times(x)
        w = problem.back(r)
        gain = xp.where(place < 0, w, xp.where(place > 0, -w, xp.zeros_like(w)))
        rest = xp.where(place == 0, xp.abs(w), xp.zeros_like(w))
        return gain, xp.max(rest, axis=1) <= eps**0.5 * size, xp.sum(r * r, axis=1)

    def body(s: _State) -> _State:
        z = problem.minimum(s.place)
        free = s.place == 0
        below, above = free & (z < lower), free & (z > upper)
        out = below | above
        feasible = ~xp.any(out, axis=1)

        # As far as the first bound on the way.
        goal, way = xp.where(below, lower, upper), z - s.x
        still = way == 0
        share = (xp.where(out, goal, s.x) - s.x) / xp.where(still, xp.ones_like(way), way)
        share = xp.where(out & still, xp.zeros_like(share), share)
        share = xp.where(out, share, xp.ones_like(share))
        far = xp.clip(xp.min(share, axis=1), 0.0, 1.0)[:, None]
        met = out & (share <= far)
        fixed = xp.where(met & below, zero - 1, xp.where(met & above, zero + 1, s.place))
        place = xp.where((feasible | s.block)[:, None], s.place, fixed)
        x = on_bounds(place, xp.where((feasible | s.block)[:, None], z, s.x + far * way))

        # At a minimum over the free unknowns: which other gains most?
        gain, settled, cost = gains(place, x)
        better = cost < s.cost
        refused = xp.where(better[:, None], none, s.refused | (met & s.entered))
        allowed = xp.where(refused, xp.zeros_like(gain), gain)
        largest = xp.argmax(allowed, axis=1)[:, None]
        index = xp.arange(n, dtype=largest.dtype, device=device(b))
        entered = (index == largest) & (allowed > least) & feasible[:, None]

        # By blocks: all at once.
        wrong = out | (gain > least)
        exchanged = xp.where(below, zero - 1, xp.where(above, zero + 1, s.place))
        exchanged = xp.where(gain > least, zero, exchanged)
        number = xp.astype(xp.count_nonzero(wrong, axis=1), xp.int32)
        fewer = number < s.fewest
        tries = xp.where(fewer, xp.full_like(s.tries, _TRIES), s.tries - 1)
        given_up = s.block & (((tries < 0) & (number > 0)) | ~xp.isfinite(cost))
        given_up = given_up | (s.block & (number == 0) & ~settled)
        at_start = on_bounds(cold, xp.zeros_like(x))

        ended = xp.where(s.block, (number == 0) & ~given_up, feasible & ~xp.any(entered, axis=1))
        place = xp.where(entered, zero, place)
        place = xp.where(s.block[:, None], exchanged, place)
        place = xp.where(given_up[:, None], cold, place)
        x = xp.where(given_up[:, None], at_start, x)
        now = xp.where(ended, zero[:, 0] + CONVERGED, s.status)
        within = ended & (s.nit == 0) & xp.all(place == 0, axis=1)
        now = xp.where(within, zero[:, 0] + INTERIOR, now)
        running = s.status == RUNNING
        lane = running[:, None]
        reached = running & ~s.block
        return _State(
            xp.where(lane, x, s.x),
            xp.where(lane, place, s.place),
            xp.where((reached & feasible)[:, None], entered, s.entered),
            xp.where(reached[:, None], refused, s.refused),
            xp.where(reached, cost, s.cost),
            xp.where(running, s.block & ~given_up, s.block),
            xp.where(fewer, number, s.fewest),
            tries,
            xp.where(running, now, s.status),
            xp.where(running, s.nit + 1, s.nit),
            s.count + 1,
        )

    status = xp.where(finite, zero[:, 0] + RUNNING, zero[:, 0] + NOT_FINITE)
    place = zero if block else cold
    begin = _State(
        on_bounds(place, xp.zeros_like(lower)),
        place,
        none,
        none,
        xp.full_like(size, xp.inf),
        ~no if block else no,
        xp.full_like(status, n + 1),
        xp.full_like(status, _TRIES),
        status,
        zero[:, 0],
        xp.zeros((), dtype=xp.int32, device=device(b)),
    )
    return while_loop(lambda s: xp.any(s.status == RUNNING) & (s.count < most), body, begin)
