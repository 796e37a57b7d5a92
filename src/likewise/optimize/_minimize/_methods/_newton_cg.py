"""Newton's method along lines, whose directions come from conjugate gradients.

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., algorithm 7.1.
"""

from typing import Any

from ....solving._driver import Method
from .._descent import Descent, Ends, descend
from .._method import EACH, Row, Rows
from .._newton import newton_direction
from .._objective import Objective

__all__ = ["METHOD"]


def _newton_cg(objective: Objective, xtol: float, maxiter: int, c1: float, c2: float) -> Method:
    def solve(problems: Rows, x: Any, g: Any, wanted: Any) -> tuple[Any, Any]:
        return newton_direction(objective, problems, x, g, wanted, 20 * int(x.shape[1]), 0.5)

    descent = Descent(lambda x: (), lambda memory, d, s, y, g: (), None, c1, c2, solve=solve)
    return descend(objective, descent, Ends(gtol=0.0, maxiter=maxiter, xtol=xtol))


METHOD = Row(
    "Newton-CG",
    _newton_cg,
    {"xtol": 1e-5, "maxiter": EACH, "c1": 1e-4, "c2": 0.9},
    curved=True,
    routine=True,
)
