"""Solvers that have no record of their own in tests/optimize."""

from typing import Any

import numpy as np
import scipy.optimize

from likewise.optimize import find_minimum

from .case import REAL, case

__all__ = ["OPTIMIZE"]

C = np.asarray([0.5, 1.0, 2.0])
LAZY = "lazy arrays have no values to branch on inside of a transform"


def bowl(x: Any, c: Any) -> Any:
    return (x - c) ** 2 + 1.0


OPTIMIZE = [
    case(
        "optimize.find_minimum",
        C,
        by=lambda c: find_minimum(bowl, (c - 1.0, c - 0.2, c + 2.0), args=(c,)).f_x,
        reference=np.ones_like,
        batch=True,
        complex="complex numbers have no order",
        compile="the iterations look at values",
        grad={"dask": LAZY},
        vmap={"dask": LAZY},
        scalars=10,
        per="iteration",
    ),
    *(
        case(
            f"optimize.{name}",
            C,
            reference=getattr(scipy.optimize, name),
            batch="points along the first axis" if name == "rosen" else "of one point",
            complex=True if name == "rosen" else REAL,
            empty="there are at least two unknowns",
        )
        for name in ("rosen", "rosen_der", "rosen_hess")
    ),
]
