"""Solvers that have no record of their own in tests/optimize."""

from typing import Any

import numpy as np
import scipy.optimize

from likewise.optimize import find_minimum, isotonic_regression

from .case import case

__all__ = ["OPTIMIZE"]

C = np.asarray([0.5, 1.0, 2.0])


def bowl(x: Any, c: Any) -> Any:
    return (x - c) ** 2 + 1.0


# Values out of order, apart from ties, where a difference would pool others.
MIXED = np.asarray([[1.5, 1.0, 4.0, 6.1, 5.0], [3.0, 0.2, 0.9, -1.0, 7.0]])
WEIGHTS = np.asarray([[1.0, 2.0, 0.5, 1.0, 1.5], [0.3, 1.0, 2.0, 1.0, 1.0]])


def in_order(y: Any, w: Any) -> Any:
    rows = zip(np.reshape(y, (-1, 5)), np.reshape(w, (-1, 5)), strict=True)
    found = [scipy.optimize.isotonic_regression(row, weights=ws).x for row, ws in rows]
    return np.reshape(found, np.shape(y))


OPTIMIZE = [
    case(
        "optimize.isotonic_regression",
        MIXED,
        WEIGHTS,
        by=lambda y, w: isotonic_regression(y, weights=w).x,
        reference=in_order,
        batch=True,
        complex="complex numbers have no order",
        empty=True,
        compile="the turns look at values",
        scalars=5,
        per="iteration",
    ),
    case(
        "optimize.find_minimum",
        C,
        by=lambda c: find_minimum(bowl, (c - 1.0, c - 0.2, c + 2.0), args=(c,)).f_x,
        reference=np.ones_like,
        batch=True,
        complex="complex numbers have no order",
        compile="the iterations look at values",
        scalars=10,
        per="iteration",
    ),
    *(
        case(
            f"optimize.{name}",
            C,
            reference=getattr(scipy.optimize, name),
            batch="points along the first axis" if name == "rosen" else "of one point",
            complex=True,
            empty="there are at least two unknowns",
        )
        for name in ("rosen", "rosen_der", "rosen_hess")
    ),
]
