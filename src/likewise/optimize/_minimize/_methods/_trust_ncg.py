"""Newton's method with a trust region, without matrices.

T. Steihaug, The conjugate gradient method and trust regions in large scale optimization, SIAM J.
Numer. Anal. 20(3), 1983; the tolerance of the inner iteration as in J. Nocedal, S. J. Wright,
Numerical Optimization, 2nd ed., algorithm 7.1.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace
from ....solving._driver import Method, iterate
from ....solving._outcome import Outcome, outcomes
from ..._steps._trust_region import dot, norm
from .._method import Row
from .._objective import Objective
from .._region import OPTIONS, Step, in_regions, to_border

__all__ = ["METHOD"]


class _Inner(NamedTuple):
    z: Any  # (B, p), the step so far
    r: Any  # its residual
    d: Any  # the next direction
    bz: Any  # the Hessian times z
    boundary: Any  # whether z ended at the radius
    status: Any
    count: Any


def _trust_ncg(objective: Objective, **options: Any) -> Method:
    def solve(x: Any, g: Any, radius: Any, running: Any) -> Step:
        return _steihaug(objective, x, g, radius, running)

    return in_regions(objective, solve, **options)


def _steihaug(objective: Objective, x: Any, g: Any, radius: Any, running: Any) -> Step:
    """Conjugate gradients on the model, until it is solved or leaves the region."""
    xp = array_namespace(x)
    size = norm(xp, g)
    enough = size * xp.minimum(xp.full_like(size, 0.5), xp.sqrt(size))
    zeros = xp.zeros_like(x)
    status = outcomes(size, (~running, Outcome.CONVERGED))
    first = _Inner(zeros, g, -g, zeros, xp.zeros_like(running), status, xp.zeros_like(status))

    def step(_: Any, s: _Inner) -> _Inner:
        bd = objective.hessian_product(x, s.d)
        dbd, rr = dot(xp, s.d, bd), dot(xp, s.r, s.r)
        bent = (dbd > 0) & xp.isfinite(dbd)
        alpha = rr / xp.where(bent, dbd, xp.ones_like(dbd))
        z1 = s.z + alpha[:, None] * s.d
        inside = bent & (norm(xp, z1) < radius)
        # To the border along the last direction, which leads down all the way.
        length = xp.where(inside, alpha, to_border(xp, s.z, s.d, radius))
        length = xp.where(xp.isfinite(dbd), length, xp.zeros_like(length))[:, None]
        r = s.r + length * bd
        d = (dot(xp, r, r) / xp.where(rr > 0, rr, xp.ones_like(rr)))[:, None] * s.d - r
        bz = xp.where(xp.isfinite(bd), s.bz + length * bd, s.bz)
        ended = ~inside | (norm(xp, r) < enough)
        status = outcomes(dbd, (ended, Outcome.CONVERGED))
        return _Inner(s.z + length * s.d, r, d, bz, ~inside, status, s.count + 1)

    # The objective takes all problems: none are dropped.
    method, most = Method(lambda _: first, step), 2 * int(x.shape[1]) + 10
    end: _Inner = iterate(method, (), most, joint=True)
    return Step(end.z, end.bz, end.boundary, end.count)


METHOD = Row("trust-ncg", _trust_ncg, OPTIONS, curved=True, routine=True)
