"""Polynomials through points, against SciPy's."""

from typing import Any

import numpy as np
import scipy.interpolate as judge

from .case import case

__all__ = ["POLYNOMIALS"]

NODES = np.asarray([-1.0, 0.2, 0.9, 2.5, 3.1])
VALUES = np.asarray([0.3, 1.2, 0.4, 0.9, 2.2])
POINTS = np.asarray([-0.4, 0.5, 1.1, 2.7])


def _lagrange(x: Any, w: Any) -> Any:
    return judge.lagrange(x, w).c


def _pade(an: Any, m: int) -> Any:
    return tuple(some.c for some in judge.pade(an, m))


POLYNOMIALS = [
    *(
        case(
            f"interpolate.{name}", NODES, VALUES, POINTS, reference=getattr(judge, name), scalars=1
        )
        for name in ("krogh_interpolate", "barycentric_interpolate")
    ),
    case("interpolate.lagrange", NODES, VALUES, reference=_lagrange),
    case("interpolate.pade", VALUES, 2, reference=_pade),
]
