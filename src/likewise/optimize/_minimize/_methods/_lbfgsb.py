"""L-BFGS-B: an estimate of the Hessian from the last few steps, within bounds.

R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, A limited memory algorithm for bound constrained
optimization, SIAM J. Sci. Comput. 16(5), 1995: the compact matrix (3.2), the generalised Cauchy
point of section 4, the minimum over the free variables of section 5.1. J. L. Morales, J. Nocedal,
Remark on algorithm 778, ACM TOMS 38(1), 2011: the projection of that minimum. Without bounds the
two loops of J. Nocedal, Math. Comp. 35, 1980.

The Cauchy point is found here from all pieces of the projected path at once: the quantities that
the paper updates from break to break are sums over the variables in the order of their breaks.

Steps are scaled so that s'y = 1, which makes the paper's D the unit matrix. Unused places in the
memory hold zeros.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....linalg import cho_factor, cho_solve
from ....missing import take_along_axis
from ....solving._driver import Method
from ....transforms import scan
from .._descent import Descent, Ends, descend
from .._method import Row, Rows
from .._objective import Objective

__all__ = ["METHOD", "remembering"]


class _Memory(NamedTuple):
    s: Any  # (B, m, p), the steps, the newest last
    y: Any  # (B, m, p), the changes of the gradient
    theta: Any  # (B,), the scale of the first matrix
    filled: Any  # (B, m), 1 or 0


def _lbfgsb(objective: Objective, maxcor: int, **ends: Any) -> Method:
    return descend(objective, remembering(maxcor), Ends(**ends))


def remembering(maxcor: int) -> Descent:
    """Return the directions of a memory of `maxcor` steps."""

    def start(x: Any) -> _Memory:
        xp = array_namespace(x)
        zeros = xp.zeros((x.shape[0], maxcor, x.shape[1]), dtype=x.dtype, device=device(x))
        return _Memory(zeros, zeros, xp.ones_like(x[:, 0]), zeros[:, :, 0])

    return Descent(start, _learn, _direction, 1e-3, 0.9)


def _direction(memory: _Memory, problems: Rows, x: Any, g: Any) -> Any:
    if problems.lower is None:
        return _two_loops(memory, g)
    return _Model(memory).direction(x, g, problems.lower, problems.upper)


def _learn(memory: _Memory, d: Any, s: Any, y: Any, g: Any) -> _Memory:
    xp = array_namespace(s)
    sy, yy, ss = (xp.sum(a * b, axis=1) for a, b in ((s, y), (y, y), (s, s)))
    eps = float(xp.finfo(s.dtype).eps)
    good = xp.isfinite(yy) & (sy > eps * xp.sqrt(yy) * xp.sqrt(ss)) & (sy > 0)
    root = xp.sqrt(xp.where(good, sy, xp.ones_like(sy)))[:, None]

    def pushed(old: Any, new: Any) -> Any:
        return xp.concat([old[:, 1:, ...], new[:, None, ...]], axis=1)

    theta = yy / xp.where(good, sy, xp.ones_like(sy))
    m = good[:, None, None]
    return _Memory(
        xp.where(m, pushed(memory.s, s / root), memory.s),
        xp.where(m, pushed(memory.y, y / root), memory.y),
        xp.where(good, theta, memory.theta),
        xp.where(good[:, None], pushed(memory.filled, xp.ones_like(sy)), memory.filled),
    )


def _two_loops(memory: _Memory, g: Any) -> Any:
    xp = array_namespace(g)
    pairs = (xp.moveaxis(memory.s, 1, 0), xp.moveaxis(memory.y, 1, 0))

    def back(d: Any, pair: Any) -> tuple[Any, Any]:
        a = xp.sum(pair[0] * d, axis=1, keepdims=True)
        return d - a * pair[1], a

    def forth(d: Any, pair: Any) -> tuple[Any, None]:
        (s, y), a = pair
        b = xp.sum(y * d, axis=1, keepdims=True)
        return d + (a - b) * s, None

    d, kept = scan(back, -g, pairs, reverse=True)
    return scan(forth, d / memory.theta[:, None], (pairs, kept))[0]


class _Model:
    """The matrix B = theta I - W' M W of (3.2), with W = (Y; theta S) of shape (B, 2m, p)."""

    def __init__(self, memory: _Memory) -> None:
        xp = self.xp = array_namespace(memory.s)
        self.s, self.y, self.theta, filled = memory
        m = self.m = int(self.s.shape[1])
        eye = xp.eye(m, dtype=self.s.dtype, device=device(self.s))
        self.unit = eye
        self.missing = eye * (1 - filled)[:, :, None]
        self.w = xp.concat([self.y, self.theta[:, None, None] * self.s], axis=1)
        self.below = xp.tril(xp.matmul(self.s, xp.matrix_transpose(self.y)), k=-1)  # L
        middle = (
            self.theta[:, None, None] * xp.matmul(self.s, xp.matrix_transpose(self.s))
            + xp.matmul(self.below, xp.matrix_transpose(self.below))
            + self.missing
        )
        self.inverse = cho_solve(cho_factor(middle, lower=True), eye)

    def middle(self, v: Any) -> Any:
        """M v, for v (B, 2m, k)."""
        xp, m = self.xp, self.m
        u, w = v[:, :m, :], v[:, m:, :]
        b = xp.matmul(self.inverse, w + xp.matmul(self.below, u))
        a = xp.matmul(xp.matrix_transpose(self.below), b) - u
        return xp.concat([a, b], axis=1)

    def times(self, v: Any) -> Any:
        """W v, for v (B, p)."""
        return self.xp.matmul(self.w, v[:, :, None])

    def transposed(self, c: Any) -> Any:
        """W' c, for c (B, 2m, 1)."""
        return self.xp.matmul(self.xp.matrix_transpose(self.w), c)[:, :, 0]

    def direction(self, x: Any, g: Any, lower: Any, upper: Any) -> Any:
        xp = self.xp
        cauchy, free = self.cauchy(x, g, lower, upper)
        z = cauchy - x
        theta = self.theta[:, None]
        r = g + theta * z - self.transposed(self.middle(self.times(z)))
        move = self.free_minimum(xp.where(free, r, xp.zeros_like(r)), free)
        projected = xp.minimum(xp.maximum(cauchy + move, lower), upper) - x
        # If the projection leads upwards, as far along the way as the bounds allow.
        room = xp.where(move > 0, upper - cauchy, lower - cauchy)
        parts = xp.where(
            move == 0, xp.ones_like(move), room / xp.where(move == 0, xp.ones_like(move), move)
        )
        part = xp.clip(xp.min(parts, axis=1, keepdims=True), 0.0, 1.0)
        down = xp.sum(projected * g, axis=1, keepdims=True) < 0
        return xp.where(down, projected, z + part * move)

    def cauchy(self, x: Any, g: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
        """The first minimum of the model along the projected path, and what is free there."""
        xp, theta = self.xp, self.theta[:, None]
        none = xp.full_like(x, xp.inf)
        slope = xp.where(g == 0, xp.ones_like(g), g)
        bound = xp.where(g > 0, lower, upper)
        breaks = xp.where(g == 0, none, xp.maximum((x - bound) / slope, xp.zeros_like(x)))
        order = xp.argsort(breaks, axis=1)
        t = take_along_axis(breaks, order, axis=1)
        gs = take_along_axis(g, order, axis=1)
        xs = take_along_axis(bound - x, order, axis=1)
        finite = xp.isfinite(t)
        hit = xp.where(finite, xs, xp.zeros_like(xs))  # what a variable has moved at its break
        ws = take_along_axis(
            self.w, xp.broadcast_to(order[:, None, :], tuple(self.w.shape)), axis=2
        )

        def before(a: Any) -> Any:  # (.., p) -> (.., p + 1): sums over the first j
            return xp.cumulative_sum(a, axis=-1, include_initial=True)

        def after(a: Any) -> Any:  # over the others
            return xp.flip(before(xp.flip(a, axis=-1)), axis=-1)

        starts = xp.concat([xp.zeros_like(t[:, :1]), xp.where(finite, t, xp.zeros_like(t))], axis=1)
        ends = xp.concat([t, none[:, :1]], axis=1)
        gg = after(gs * gs)
        pw = -after(ws * gs[:, None, :])
        cw = before(ws * hit[:, None, :]) + starts[:, None, :] * pw
        both = self.middle(xp.concat([pw, cw], axis=2))
        n = int(starts.shape[1])
        down = -gg + theta * starts * gg - xp.sum(pw * both[:, :, n:], axis=1)
        bend = theta * gg - xp.sum(pw * both[:, :, :n], axis=1)
        eps = float(xp.finfo(x.dtype).eps)
        bend = xp.maximum(bend, eps * theta * gg)
        move = -down / xp.where(bend > 0, bend, xp.ones_like(bend))
        at = starts + xp.where(bend > 0, xp.maximum(move, xp.zeros_like(move)), xp.zeros_like(move))
        stops = (down >= 0) | (at <= ends)
        first = xp.argmax(xp.astype(stops, xp.int32), axis=1, keepdims=True)
        at = take_along_axis(at, first, axis=1)
        passed = breaks <= at
        point = xp.where(passed, bound, x - at * g)
        return xp.minimum(xp.maximum(point, lower), upper), ~passed

    def free_minimum(self, r: Any, free: Any) -> Any:
        """From the Cauchy point with gradient `r`, over the free variables: equation (5.11)."""
        xp, m = self.xp, self.m
        theta = self.theta[:, None, None]
        mask = xp.astype(free, r.dtype)[:, None, :]
        ys, ss = self.y * mask, self.s * (1 - mask)
        yy = self.unit + xp.matmul(ys, xp.matrix_transpose(self.y)) / theta
        cross = self.below - xp.matmul(self.s * mask, xp.matrix_transpose(self.y))
        v = self.times(r)
        u, w = v[:, :m, :], v[:, m:, :]
        upper = cho_factor(yy, lower=True)
        solved = cho_solve(upper, xp.concat([xp.matrix_transpose(cross), u], axis=2))
        back, u = solved[:, :, :m], solved[:, :, m:]
        rest = theta * xp.matmul(ss, xp.matrix_transpose(self.s)) + xp.matmul(cross, back)
        b = cho_solve(cho_factor(rest + self.missing, lower=True), w + xp.matmul(cross, u))
        a = xp.matmul(back, b) - u
        lift = self.transposed(xp.concat([a, b], axis=1))
        theta = self.theta[:, None]
        return -xp.where(free, r / theta + lift / theta**2, xp.zeros_like(r))


METHOD = Row(
    "L-BFGS-B",
    _lbfgsb,
    {"gtol": 1e-5, "ftol": 2.220446049250313e-09, "maxiter": 15000, "maxfun": 15000, "maxcor": 10}
    | {"maxls": 40},
    bounded=True,
    vectors=lambda p, options: 12 * int(options["maxcor"]),
    usual=True,
    routine=True,
)
