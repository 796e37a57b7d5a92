"""Splines through data, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors
from likewise.interpolate import make_interp_spline

from ..closeness import near

RNG = np.random.default_rng(36)
ENDS = [
    None,
    "clamped",
    "natural",
    "periodic",
    (None, "natural"),
    ([(1, 0.5)], [(2, -0.7)]),
    ([(1, 0.5), (2, 0.1)], [(1, 1.0), (3, 0.7)]),
]


def _points(n: int) -> np.ndarray:
    return np.sort(RNG.random(n)) + 0.3 * np.arange(n)


@pytest.mark.parametrize("ends", ENDS)
def test_degrees_and_ends(xp: Any, ends: Any) -> None:
    tried = 0
    for k in range(7):
        for n in (3, 8, 19):
            x, y = _points(n), RNG.normal(size=n)
            if ends == "periodic":
                y[-1] = y[0]
            try:
                theirs = judge.make_interp_spline(x, y, k, bc_type=ends)
            except ValueError:
                with pytest.raises(ValueError, match="make_interp_spline"):
                    make_interp_spline(x, y, k, bc_type=ends)
                continue
            ours = make_interp_spline(xp.asarray(x), xp.asarray(y), k, bc_type=ends)
            near(ours.t, theirs.t)
            near(ours.c, theirs.c)
            assert ours.extrapolate == theirs.extrapolate
            tried += 1
    assert tried >= 3


def test_given_knots_axes_and_complex_values(xp: Any) -> None:
    x, y = _points(9), RNG.normal(size=(2, 9, 2)) + 1j * RNG.normal(size=(2, 9, 2))
    t = np.r_[[x[0]] * 4, [1.0, 1.1, 2.0, 2.2, 2.9], [x[-1]] * 4]
    t[4:-4] = np.linspace(x[1], x[-2], 5)
    ours = make_interp_spline(xp.asarray(x), xp.asarray(y), t=xp.asarray(t), axis=1)
    theirs = judge.make_interp_spline(x, y, t=t, axis=1)
    near(ours.c, theirs.c)
    near(ours(xp.asarray(x[:3])), theirs(x[:3]))
    # SciPy's periodic spline drops imaginary parts
    y[:, -1] = y[:, 0]
    ours = make_interp_spline(xp.asarray(x), xp.asarray(y), axis=1, bc_type="periodic")
    near(ours(xp.asarray(x)), y)


@pytest.mark.parametrize("ends", [None, "natural", "periodic"])
def test_batches(xp: Any, ends: Any) -> None:
    x = np.stack([_points(8) for _ in range(3)])
    y = RNG.normal(size=(3, 8, 2))
    y[:, -1] = y[:, 0]
    ours = make_interp_spline(xp.asarray(x), xp.asarray(y), 5 if ends is None else 3, bc_type=ends)
    for i in range(3):
        theirs = judge.make_interp_spline(x[i], y[i], 5 if ends is None else 3, bc_type=ends)
        near(ours.c[i, ...], theirs.c, 1e-12)


def test_bad_arguments() -> None:
    x, y = _points(8), np.ones(8)
    for args, options, words in (
        ((x[::-1], y), {}, "increasing"),
        ((x, y[1:]), {}, "incompatible"),
        ((np.r_[x[0], x[:-1]], y), {}, "duplicates"),
        ((x, np.where(y == 1, np.nan, y)), {}, "infs or NaNs"),
        ((x[:3], y[:3]), {}, "4 or more"),
        ((x, y, 0), {"bc_type": "natural"}, "Too much info"),
        ((x, y), {"bc_type": "open"}, "Unknown boundary"),
        ((x, y), {"bc_type": 3}, "Unknown boundary"),
        ((x, y), {"bc_type": ([(4, 0.0)], None)}, "Bad boundary"),
        ((x, y), {"bc_type": ([3], None)}, "pairs"),
        ((x, y), {"bc_type": ([(1, 0.0)], None)}, "does not match"),
        ((x, np.arange(8.0)), {"bc_type": "periodic"}, "First and last"),
        ((x, y), {"t": np.linspace(x[1], x[-2], 12)}, "Out of bounds"),
        ((x, y), {"t": x}, "need at least 12"),
    ):
        with pytest.raises(ValueError, match=words):
            make_interp_spline(*args, **options)
    with pytest.raises(ValueError, match="automatically"):
        make_interp_spline(x, y, bc_type="periodic", t=x)
    t = np.r_[[x[0]] * 4, np.linspace(x[0], x[1], 6)[1:-1], [x[-1]] * 4]
    with pytest.raises(np.linalg.LinAlgError):
        make_interp_spline(x, y, t=t)
    with pytest.raises(errors.ShapeError, match="batch"):
        make_interp_spline(x, y, t=t[None])


def test_points_without_a_spline_of_their_own_are_refused() -> None:
    x, y = np.linspace(0.0, 1.0, 9), np.ones(9)
    t = np.r_[[0.0] * 4, 0.9, 0.92, 0.94, 0.96, 0.98, [1.0] * 4]
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        make_interp_spline(x, y, 3, t)
    for n, k, ends in ((1, 3, ([(1, 0.5)], "natural")), (0, 0, None), (0, 3, None)):
        with pytest.raises(ValueError, match="spline|points"):
            make_interp_spline(x[:n], y[:n], k, bc_type=ends)


def test_a_nan_between_lines(xp: Any) -> None:
    x, y = xp.asarray(np.arange(5.0)), xp.asarray(np.asarray([0.0, 1.0, np.nan, 3.0, 4.0]))
    found = make_interp_spline(x, y, 1, check_finite=False)(xp.asarray([0.5, 3.5]))
    near(found, np.asarray([0.5, 3.5]))
