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
PADDED = np.concatenate([Y, np.zeros(4)])
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


def _functions(room: Any) -> Any:
    def call(x: Any, y: Any, w: Any, v: Any) -> Any:
        return room.splev(v, room.splrep(x, y, w, s=0.0))

    return call


def _object(kind: Any) -> Any:
    def call(x: Any, y: Any, w: Any, v: Any) -> Any:
        spline = kind(x, y, w)
        return spline(v), spline.derivatives(v[0])

    return call


def _fixed(kind: Any) -> Any:
    def call(x: Any, y: Any, t: Any, w: Any, v: Any) -> Any:
        spline = kind(x, y, t, w)
        return spline(v) + spline.integral(v[0], v[1])

    return call


def _of_tck(name: str) -> Any:
    def of(room: Any) -> Any:
        def call(t: Any, c: Any, v: Any) -> Any:
            if name == "splev":
                return room.splev(v, (t, c, 3), 1)
            if name == "splint":
                return room.splint(v[0], v[2], (t, c, 3))
            if name == "insert":
                return room.insert(v[1], (t, c, 3))[1][:8]
            return getattr(room, name)((t, c, 3))[1]

        return call

    return of


def _curve(kind: Any) -> Any:
    def call(x: Any, y: Any, w: Any) -> Any:
        c = kind([x, y], w, s=0.0)[0][1]
        return c[0], c[1]

    return call


def _drawn(kind: Any) -> Any:
    def call(x: Any, y: Any, v: Any) -> Any:
        return kind([x, y])[0](v)

    return call


def _last(kind: Any) -> Any:
    def call(x: Any, y: Any) -> Any:
        return list(kind(x, y))[-1]

    return call


def _zeros(room: Any) -> Any:
    def call(t: Any, c: Any) -> Any:
        return room.sproot((t, c, 3), **({"size": 3} if room is interpolate else {}))

    return call


def _every(kind: Any) -> Any:
    def call(t: Any, c: Any, v: Any) -> Any:
        return kind(v, (t, c, 3))

    return call


BSPLINES = [
    case(
        "interpolate.splprep",
        X,
        Y,
        W,
        by=_curve(interpolate.splprep),
        reference=_curve(judge.splprep),
        complex=REAL,
    ),
    case(
        "interpolate.make_splprep",
        X,
        Y,
        np.asarray([0.2, 0.7]),
        by=_drawn(interpolate.make_splprep),
        reference=_drawn(judge.make_splprep),
        complex=REAL,
    ),
    case(
        "interpolate.make_splrep",
        X,
        Y,
        V,
        by=_made(interpolate.make_splrep),
        reference=_made(judge.make_splrep),
        complex=REAL,
    ),
    case(
        "interpolate.generate_knots",
        X,
        Y,
        by=_last(interpolate.generate_knots),
        reference=_last(judge.generate_knots),
        complex=REAL,
    ),
    case(
        "interpolate.sproot",
        T,
        Y,
        by=_zeros(interpolate),
        reference=_zeros(judge),
        complex=REAL,
    ),
    case(
        "interpolate.spalde",
        T,
        Y,
        np.asarray(0.45),
        by=_every(interpolate.spalde),
        reference=_every(judge.spalde),
        complex=REAL,
    ),
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
    case(
        "interpolate.splrep",
        X,
        Y,
        W,
        V,
        by=_functions(interpolate),
        reference=_functions(judge),
        complex=REAL,
    ),
    *(
        case(
            f"interpolate.{name}", T, PADDED, V, by=of(interpolate), reference=of(judge), **options
        )
        for name, options in (
            ("splev", {"complex": REAL}),
            ("splint", {"complex": REAL}),
            ("insert", {"complex": REAL}),
            ("splder", {}),
            ("splantider", {}),
        )
        for of in (_of_tck(name),)
    ),
    case(
        "interpolate.InterpolatedUnivariateSpline",
        X,
        Y,
        W,
        V,
        by=_object(interpolate.InterpolatedUnivariateSpline),
        reference=_object(judge.InterpolatedUnivariateSpline),
        complex=REAL,
    ),
    case(
        "interpolate.LSQUnivariateSpline",
        X,
        Y,
        np.asarray([0.6, 1.4]),
        W,
        V,
        by=_fixed(interpolate.LSQUnivariateSpline),
        reference=_fixed(judge.LSQUnivariateSpline),
        complex=REAL,
    ),
]
