"""Steps of Byrd and Omojokun: towards the linearised constraints, then along them.

M. Lalee, J. Nocedal, T. Plantenga, On the implementation of an algorithm for large-scale equality
constrained optimization, SIAM J. Optim. 8(3), 1998: the two steps. N. I. M. Gould, M. E. Hribar,
J. Nocedal, On the solution of equality constrained quadratic programming problems arising in
optimization, SIAM J. Sci. Comput. 23(4), 2001: conjugate gradients in the null space.

Vectors have the variables first and, where there are any, a slack of each row after them. All are
in the scale in which the trust region is a ball.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from .._steps._normal_equations import inverted
from .._steps._trust_region import dot, norm

__all__ = [
    "Region",
    "Rows",
    "columns",
    "linearised",
    "normal_step",
    "part",
    "rows",
    "tangential_step",
]

_FEW = 64  # elements of a matrix: so few are multiplied and added one by one
_NORMAL = 0.8  # of the radius, for the step towards the constraints
_ABOVE = 0.65  # a power of eps: what is added to a matrix whose rows may depend on each other


class Region(NamedTuple):
    """Hold the ball and the box around a point in which a step must end."""

    radius: Any  # (B,)
    low: Any  # (B, n), at most 0
    high: Any


class Rows(NamedTuple):
    """Hold the linearised constraints: ``a v_x - slack v_s`` for the rows of all problems."""

    a: Any  # (B, m, p)
    slack: Any  # (B, m), or None where no row has a slack
    inverse: Any  # (B, m, m), of the matrix times its transpose

    def times(self, v: Any) -> Any:
        """Return the products with `v` (B, n), (B, m)."""
        p = int(self.a.shape[2])
        out = rows(self.a, v[:, :p])
        return out if self.slack is None else out - self.slack * v[:, p:]

    def transposed(self, y: Any) -> Any:
        """Return the transposed's products with `y` (B, m), (B, n)."""
        out = columns(self.a, y)
        if self.slack is None:
            return out
        return array_namespace(y).concat([out, -self.slack * y], axis=1)

    def shortest(self, b: Any) -> Any:
        """Return the shortest v with ``times(v) = b``."""
        v = self.transposed(rows(self.inverse, b))
        return v + self.transposed(rows(self.inverse, b - self.times(v)))

    def multipliers(self, g: Any) -> Any:
        """Return the y whose ``transposed(y)`` is nearest to `g`."""
        y = rows(self.inverse, self.times(g))
        for _ in range(2):
            y = y + rows(self.inverse, self.times(g - self.transposed(y)))
        return y

    def projected(self, v: Any) -> Any:
        """Return the part of `v` along which no row changes."""
        # Again, for what rounding and the matrix's condition leave of the rows.
        for _ in range(2):
            v = v - self.transposed(rows(self.inverse, self.times(v)))
        return v


def rows(a: Any, v: Any) -> Any:
    """Return the products of matrices (B, m, p) with vectors (B, p)."""
    xp = array_namespace(v)
    if a.shape[1] * a.shape[2] <= _FEW:
        return xp.sum(a * v[:, None, :], axis=2)
    return xp.matmul(a, v[:, :, None])[:, :, 0]


def columns(a: Any, y: Any) -> Any:
    """Return the products of transposed matrices (B, m, p) with vectors (B, m)."""
    xp = array_namespace(y)
    if a.shape[1] * a.shape[2] <= _FEW:
        return xp.sum(a * y[:, :, None], axis=1)
    return xp.matmul(y[:, None, :], a)[:, 0, :]


def linearised(a: Any, slack: Any) -> Rows:
    """Return the constraints with the inverse that their steps need."""
    xp = array_namespace(a)
    m = int(a.shape[1])
    if m * m * a.shape[2] <= _FEW:
        matrix = xp.sum(a[:, :, None, :] * a[:, None, :, :], axis=3)
    else:
        matrix = xp.matmul(a, xp.matrix_transpose(a))
    eye = xp.eye(m, dtype=a.dtype, device=device(a))
    if slack is not None:
        matrix = matrix + (slack * slack)[:, :, None] * eye
    # By rows of length 1, so that what is added is as little for each.
    sizes = xp.sum(matrix * eye, axis=2)
    sizes = xp.where(sizes > 0, sizes, xp.ones_like(sizes))
    lengths = 1 / xp.sqrt(sizes)
    scale = lengths[:, :, None] * lengths[:, None, :]
    little = m * float(xp.finfo(a.dtype).eps) ** _ABOVE
    inverse, _ = inverted(xp.moveaxis(matrix * scale + little * eye, 0, -1))
    inverse = xp.moveaxis(inverse, -1, 0) * scale
    return Rows(a, slack, xp.where(xp.isfinite(inverse), inverse, xp.zeros_like(inverse)))


def part(z: Any, d: Any, region: Region) -> Any:
    """Return the largest t in [0, 1] with ``z + t d`` in the region, for a z within."""
    xp = array_namespace(z)
    return xp.minimum(_to_box(xp, z, d, region), to_border(xp, z, d, region.radius))


def _to_box(xp: Any, z: Any, d: Any, region: Region) -> Any:
    room = xp.where(d > 0, region.high - z, region.low - z)
    one = xp.ones_like(d)
    parts = xp.where(d == 0, one, room / xp.where(d == 0, one, d))
    return xp.clip(xp.min(parts, axis=1), 0.0, 1.0)


def to_border(xp: Any, z: Any, d: Any, radius: Any, most: float = 1.0) -> Any:
    """Return the positive t, at most `most`, with ``norm(z + t d) = radius``."""
    dd, zd, zz = dot(xp, d, d), dot(xp, z, d), dot(xp, z, z)
    one = xp.ones_like(dd)
    known = dd > 0
    dd = xp.where(known, dd, one)
    gap = xp.maximum(radius * radius - zz, xp.zeros_like(zz))
    root = xp.sqrt(zd * zd + dd * gap)
    # Without the cancellation that -zd + root has for a positive zd.
    low = xp.where(zd > 0, zd + root, one)
    t = xp.where(zd > 0, gap / low, (root - zd) / dd)
    return xp.where(known, xp.minimum(t, most * one), most * one)


def normal_step(matrix: Rows, b: Any, region: Region, boxed: bool) -> Any:
    """Return a step that makes ``times(v) + b`` small, by doglegs within the region.

    Where the first ends at the box, the second goes on with the unknowns that are not there.
    """
    xp = array_namespace(b)
    inner = Region(_NORMAL * region.radius, 0.5 * region.low, 0.5 * region.high)
    v = _dogleg(matrix, b, xp.zeros_like(region.low), inner)
    if not boxed:
        return v
    free = (v > 0.999 * inner.low) & (v < 0.999 * inner.high)
    kept = xp.astype(free, v.dtype)
    p = int(matrix.a.shape[2])
    slack = None if matrix.slack is None else matrix.slack * kept[:, p:]
    rest = linearised(matrix.a * kept[:, None, :p], slack)
    blocked = xp.any(~free, axis=1)[:, None]
    more = _dogleg(rest, matrix.times(v) + b, v, inner)
    return xp.where(blocked, v + more, v)


def _dogleg(matrix: Rows, b: Any, start: Any, inner: Region) -> Any:
    """Return a step from `start` within the region that makes ``times(v) + b`` small."""
    xp = array_namespace(b)
    newton = -matrix.shortest(b)
    g = matrix.transposed(b)
    ag = matrix.times(g)
    bend = dot(xp, ag, ag)
    gg = dot(xp, g, g)
    length = gg / xp.where(bend > 0, bend, xp.ones_like(bend))
    cauchy = -length[:, None] * g
    first = part(start, cauchy, inner)
    whole = first >= 1
    second = part(xp.where(whole[:, None], start + cauchy, start), newton - cauchy, inner)
    second = xp.where(whole, second, xp.zeros_like(second))
    bent = first[:, None] * cauchy + second[:, None] * (newton - cauchy)
    straight = part(start, newton, inner)[:, None] * newton
    better = norm(xp, matrix.times(bent) + b) < norm(xp, matrix.times(straight) + b)
    return xp.where(better[:, None], bent, straight)


class _Inner(NamedTuple):
    z: Any  # (B, n), the step so far
    g: Any  # the model's gradient there, projected
    d: Any  # the next direction
    bz: Any  # the model's matrix times z
    rr: Any  # (B,), the square of the projected gradient
    kept: Any  # (B, n), the last step in the box
    bkept: Any
    within: Any  # (B,), whether z is in the box
    status: Any
    count: Any


def tangential_step(
    matrix: Rows | None,
    product: Callable[[Any], Any],
    gradient: Any,
    v: Any,
    region: Region,
    running: Any,
) -> tuple[Any, Any, Any]:
    """Return a step t along the rows, the model's matrix times it, and products taken.

    It makes ``gradient t + t W t / 2`` small, with ``v + t`` within the region.
    """
    xp = array_namespace(gradient)
    radius = xp.sqrt(xp.maximum(region.radius**2 - dot(xp, v, v), xp.zeros_like(region.radius)))
    box = Region(radius, region.low - v, region.high - v)

    def projected(r: Any) -> Any:
        return r if matrix is None else matrix.projected(r)

    g = projected(projected(gradient))
    rr = dot(xp, g, g)
    least = rr * xp.minimum(xp.full_like(rr, 0.01), rr**0.5)
    zeros = xp.zeros_like(v)
    status = outcomes(rr, (~running | ~(rr > 0), Outcome.CONVERGED))
    first = _Inner(zeros, g, -g, zeros, rr, zeros, zeros, rr == rr, status, xp.zeros_like(status))

    def step(_: Any, s: _Inner) -> _Inner:
        bd = product(s.d)
        dbd = dot(xp, s.d, bd)
        bent = (dbd > 0) & xp.isfinite(dbd)
        alpha = s.rr / xp.where(bent, dbd, xp.ones_like(dbd))
        inside = bent & (norm(xp, s.z + alpha[:, None] * s.d) < radius)
        far = to_border(xp, s.z, s.d, radius, float(xp.finfo(v.dtype).max) ** 0.5)
        length = xp.where(inside, alpha, far)
        length = xp.where(xp.isfinite(dbd), length, xp.zeros_like(length))[:, None]
        move, bmove = length * s.d, length * bd
        bmove = xp.where(xp.isfinite(bmove), bmove, xp.zeros_like(bmove))
        z, bz = s.z + move, s.bz + bmove
        share = _to_box(xp, s.z, move, box)[:, None]
        within = xp.all((z >= box.low) & (z <= box.high), axis=1)
        some, all_ = s.within[:, None], within[:, None]
        kept = xp.where(all_, z, xp.where(some, s.z + share * move, s.kept))
        bkept = xp.where(all_, bz, xp.where(some, s.bz + share * bmove, s.bkept))
        # What is projected stays so: else rounding of the part along the rows would be multiplied.
        g = projected(s.g + bmove)
        gg = dot(xp, g, g)
        d = (gg / xp.where(s.rr > 0, s.rr, xp.ones_like(gg)))[:, None] * s.d - g
        status = outcomes(gg, (~inside | (gg <= least), Outcome.CONVERGED))
        return _Inner(z, g, d, bz, gg, kept, bkept, within, status, s.count + 1)

    most = 2 * int(v.shape[1]) + 5
    # The objective takes all problems: none are dropped.
    end: _Inner = iterate(Method(lambda _: first, step), (), most, joint=True)
    return end.kept, end.bkept, end.count
