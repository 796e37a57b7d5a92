"""Newton's method with a trust region, along the way of the dogleg.

M. J. D. Powell, A hybrid method for nonlinear equations, 1970; J. Nocedal, S. J. Wright, Numerical
Optimization, 2nd ed., section 4.1. Where the Hessian is not positive definite there is no dogleg,
and the step is the exact one of 'trust-exact'.
"""

from typing import Any

from ...._namespace import array_namespace
from ....linalg import cho_factor, cho_solve
from ....solving._driver import Method
from ..._steps._trust_region import dot, exact_step, norm
from .._method import Row
from .._objective import Objective
from .._region import OPTIONS, Step, in_regions, to_border

__all__ = ["METHOD"]


def _dogleg(objective: Objective, **options: Any) -> Method:
    def solve(x: Any, g: Any, radius: Any, running: Any) -> Step:
        return _along(objective.hessian(x), g, radius)

    return in_regions(objective, solve, **options)


def _along(hessian: Any, g: Any, radius: Any) -> Step:
    xp = array_namespace(g)
    newton = -cho_solve(cho_factor(hessian, lower=True), g[:, :, None])[:, :, 0]
    sound = xp.all(xp.isfinite(newton), axis=1)
    newton = xp.where(sound[:, None], newton, xp.zeros_like(newton))
    inside = norm(xp, newton) < radius
    # The minimum along the gradient, at most to the border; then on towards Newton's point.
    bg = xp.matmul(hessian, g[:, :, None])[:, :, 0]
    gbg, gg = dot(xp, g, bg), dot(xp, g, g)
    length = gg / xp.where(gbg > 0, gbg, 1.0)
    border = radius / xp.where(gg > 0, xp.sqrt(gg), 1.0)
    far = length >= border
    cauchy = -xp.where(far, border, length)[:, None] * g
    leg = newton - cauchy
    part = xp.where(far, 0.0, to_border(xp, cauchy, leg, radius))
    z = xp.where(inside[:, None], newton, cauchy + part[:, None] * leg)
    bz = xp.matmul(hessian, z[:, :, None])[:, :, 0]
    exact, bexact, ends = exact_step(hessian, g, radius)
    wide = sound[:, None]
    z, bz = xp.where(wide, z, exact), xp.where(wide, bz, bexact)
    count = xp.ones_like(g[:, 0], dtype=xp.int32)
    return Step(z, bz, xp.where(sound, ~inside, ends), count)


METHOD = Row(
    "dogleg",
    _dogleg,
    OPTIONS,
    curved=True,
    routine=True,
    vectors=lambda p, options: 4 * p,
)
