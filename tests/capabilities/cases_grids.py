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


TX, TY = np.asarray([0.0, 0.0, 0.0, 1.1, 2.0, 2.0, 2.0]), np.asarray([0.0, 0.0, 0.9, 2.0, 2.0])
C = np.asarray([0.4, 1.1, 0.3, 1.9, 0.7, 1.2, 0.2, 1.6, 0.9, 0.5, 1.4, 0.8])
U, V = np.asarray([0.3, 0.8, 1.7]), np.asarray([0.2, 1.5])
SCATTERED = np.random.default_rng(5).uniform(0.0, 2.0, size=(3, 30))


def _values_of(room: Any) -> Any:
    def call(tx: Any, ty: Any, c: Any, u: Any, v: Any) -> Any:
        return room.bisplev(u, v, (tx, ty, c, 2, 1), dx=1)

    return call


def _near_points(room: Any) -> Any:
    def call(x: Any, y: Any, z: Any, w: Any, tx: Any, ty: Any, u: Any, v: Any) -> Any:
        box = {"xb": 0.0, "xe": 2.0, "yb": 0.0, "ye": 2.0}
        tck = room.bisplrep(x, y, z, w, **box, kx=2, ky=1, task=-1, tx=tx, ty=ty)
        return room.bisplev(u, v, tck)

    return call


GRIDS = [
    case(
        "interpolate.bisplev",
        *(TX, TY, C, U, V),
        by=_values_of(interpolate),
        reference=_values_of(judge),
        complex=REAL,
    ),
    case(
        "interpolate.bisplrep",
        *(*SCATTERED, SCATTERED[0] + 0.5, TX, TY, U, V),
        by=_near_points(interpolate),
        reference=_near_points(judge),
        complex=REAL,
    ),
    *(
        case(
            "interpolate.interpn",
            *(X, Y, VALUES, POINTS),
            by=_on_two_axes(interpolate.interpn),
            reference=_on_two_axes(judge.interpn),
            kwargs={"method": method},
            complex=REAL,
        )
        for method in ("linear", "pchip")
    ),
]
