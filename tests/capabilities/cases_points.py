"""Interpolation of scattered points, against SciPy's."""

import numpy as np
import scipy.interpolate as judge

from .case import case

__all__ = ["POINTS"]

AT = np.asarray([[0.1, 0.3], [0.9, 0.2], [0.4, 1.1]])
CORNERS = np.asarray([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.2, 1.1], [0.5, 0.6]])
VALUES = np.asarray([0.3, 1.2, 0.4, 0.9, 2.2])

POINTS = [
    case(
        "interpolate.griddata",
        *(CORNERS, VALUES, AT),
        reference=judge.griddata,
        kwargs={"method": "nearest"},
    )
]
