"""Constrained minimisation by quadratic models of objective and constraints: COBYQA.

T. M. Ragonneau, Model-based derivative-free optimization methods and software, PhD thesis, 2022.
"""

from ....solving._driver import Method
from .._method import Each, Row
from .._models import Setting, by_models
from .._objective import Objective

__all__ = ["METHOD"]


def _cobyqa(
    objective: Objective,
    initial_tr_radius: float,
    final_tr_radius: float,
    feasibility_tol: float,
    maxfev: int,
    maxiter: int,
    f_target: float,
) -> Method:
    last = min(initial_tr_radius, final_tr_radius)
    return by_models(
        objective,
        Setting(False, initial_tr_radius, last, feasibility_tol, f_target, maxfev, maxiter),
    )


METHOD = Row(
    "COBYQA",
    _cobyqa,
    {"initial_tr_radius": 1.0, "final_tr_radius": 1e-6, "feasibility_tol": 1e-8}
    | {"maxfev": Each(500), "maxiter": Each(1000), "f_target": float("-inf")},
    bounded=True,
    constrained=True,
    gradient=False,
    routine=True,
    vectors=lambda p, options: 40 * p,
)
