"""Splines in the B-spline basis, against SciPy's."""

from typing import Any

import numpy as np
import scipy.interpolate as judge

from likewise import interpolate

from .case import REAL, case

__all__ = ["BSPLINES"]

X = np.asarray([-1.0, -0.3, 0.1, 0.8, 1.5, 2.1, 2.9])
Y = np.asarray([0.4, 1.2, -0.6, 0.3, 0.9, -1.1, 0.2])
T = np.asarray([-1.0, -0.6, -0.2, 0.3, 0.9, 1.2, 2.1, 2.5, 3.0, 3.2, 3.7])
W = np.asarray([0.7, 1.1, 0.9, 1.6, 0.4, 1.2, 0.8])
KNOTS = np.asarray([-1.4, -1.2, -1.1, 0.5, 1.2, 3.0, 3.1, 3.3])
V = np.asarray([-0.7, 0.45, 2.3])


def _of(kind: Any) -> Any:
    def call(t: Any, c: Any, v: Any) -> Any:
        spline = kind(t, c, 3)
        return spline(v), spline(v, 1)

    return call


def _made(kind: Any, **options: Any) -> Any:
    def call(x: Any, y: Any, v: Any) -> Any:
        return kind(x, y, **options)(v)

    return call


def _nearest(kind: Any) -> Any:
    def call(x: Any, y: Any, t: Any, w: Any, v: Any) -> Any:
        return kind(x, y, t, 2, w)(v)

    return call


def _smooth(kind: Any) -> Any:
    def call(x: Any, y: Any, w: Any, lam: Any, v: Any) -> Any:
        return kind(x, y, w, lam)(v)

    return call


BSPLINES = [
    case("interpolate.BSpline", T, Y, V, by=_of(interpolate.BSpline), reference=_of(judge.BSpline)),
    case(
        "interpolate.make_lsq_spline",
        X,
        Y,
        KNOTS,
        W,
        V,
        by=_nearest(interpolate.make_lsq_spline),
        reference=_nearest(judge.make_lsq_spline),
    ),
    case(
        "interpolate.make_smoothing_spline",
        X,
        Y,
        W,
        np.asarray(0.4),
        V,
        by=_smooth(interpolate.make_smoothing_spline),
        reference=_smooth(judge.make_smoothing_spline),
        complex=REAL,
    ),
    case(
        "interpolate.make_interp_spline",
        X,
        Y,
        V,
        by=_made(interpolate.make_interp_spline, bc_type="natural"),
        reference=_made(judge.make_interp_spline, bc_type="natural"),
    ),
]
