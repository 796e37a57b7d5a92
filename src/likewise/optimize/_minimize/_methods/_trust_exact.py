"""Newton's method with a trust region, whose steps are the model's exact minima.

J. J. Moré, D. C. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4(3), 1983,
and A. R. Conn, N. I. M. Gould, P. L. Toint, Trust region methods, SIAM, 2000, section 7.3, but by
the eigenvectors of the Hessian.
"""

from typing import Any

from ...._namespace import array_namespace
from ....solving._driver import Method
from ..._steps._trust_region import exact_step
from .._method import Row
from .._objective import Objective
from .._region import OPTIONS, Step, in_regions

__all__ = ["METHOD"]


def _trust_exact(objective: Objective, subproblem_maxiter: int, **options: Any) -> Method:
    def solve(x: Any, g: Any, radius: Any, running: Any) -> Step:
        xp, hessian = array_namespace(x), objective.hessian(x)
        z, bz, boundary = exact_step(hessian, g, radius, subproblem_maxiter)
        return Step(z, bz, boundary, xp.ones_like(g[:, 0], dtype=xp.int32))

    return in_regions(objective, solve, **options)


METHOD = Row(
    "trust-exact",
    _trust_exact,
    OPTIONS | {"subproblem_maxiter": 25},
    curved=True,
    routine=True,
    vectors=lambda p, options: 6 * p,
)
