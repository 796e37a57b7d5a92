"""Constrained minimisation by linear models of objective and constraints: COBYLA.

M. J. D. Powell, A direct search optimization method that models the objective and constraint
functions by linear interpolation, 1994.
"""

from ....solving._driver import Method
from ....solving._options import ENDLESS
from .._method import Row
from .._models import Setting, by_models
from .._objective import Objective

__all__ = ["METHOD"]

_CATOL = 2.0**-26  # the root of the resolution of double precision


def _cobyla(
    objective: Objective,
    rhobeg: float,
    tol: float,
    maxiter: int,
    catol: float | None,
    f_target: float,
) -> Method:
    catol = _CATOL if catol is None else catol
    return by_models(
        objective, Setting(True, rhobeg, min(tol, rhobeg), catol, f_target, maxiter, ENDLESS)
    )


METHOD = Row(
    "COBYLA",
    _cobyla,
    {"rhobeg": 1.0, "tol": 1e-4, "maxiter": 1000, "catol": -1.0, "f_target": float("-inf")},
    bounded=True,
    constrained=True,
    gradient=False,
    routine=True,
    vectors=lambda p, options: 8 * p,
)
