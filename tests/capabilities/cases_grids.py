"""Interpolation on grids, against SciPy's."""

from typing import Any

import numpy as np
import scipy.interpolate as judge

from likewise import interpolate

from .case import REAL, case

__all__ = ["GRIDS"]

X, Y = np.asarray([-1.0, 0.2, 0.9, 2.5, 3.1]), np.asarray([0.0, 1.0, 1.5, 4.0])
VALUES = np.asarray([[0.3, 1.2, 0.4, 0.9], [2.2, 0.1, 1.7, 0.6], [0.2, 0.8, 0.5, 1.1]] * 2)[:5]
POINTS = np.asarray([[-0.4, 0.5], [0.5, 1.7], [1.1, 3.2], [2.7, 0.4]])


def _on_two_axes(function: Any) -> Any:
    def call(x: Any, y: Any, values: Any, points: Any, method: str = "linear") -> Any:
        return function((x, y), values, points, method)

    return call


GRIDS = [
    case(
        "interpolate.interpn",
        *(X, Y, VALUES, POINTS),
        by=_on_two_axes(interpolate.interpn),
        reference=_on_two_axes(judge.interpn),
        kwargs={"method": method},
        complex=REAL,
    )
    for method in ("linear", "pchip")
]
