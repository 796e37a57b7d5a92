"""Interpolation, against SciPy's."""

import numpy as np
import scipy.interpolate as judge

from .case import case

__all__ = ["INTERPOLATE"]

KNOTS = np.asarray([-1.0, 0.2, 0.9, 2.5, 3.1])
VALUES = np.asarray([0.3, 1.2, 0.4, 0.9, 2.2])
POINTS = np.asarray([-0.4, 0.5, 1.1, 2.7])

INTERPOLATE = [
    case(
        "interpolate.pchip_interpolate",
        KNOTS,
        VALUES,
        POINTS,
        reference=judge.pchip_interpolate,
        batch=True,
        complex="values have an order",
    ),
]
