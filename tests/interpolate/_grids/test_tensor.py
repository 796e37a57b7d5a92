"""Tensor product splines, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, to_numpy
from likewise.interpolate import NdBSpline, RectBivariateSpline
from likewise.transforms import grad

from ..closeness import near

RNG = np.random.default_rng(7)
X, Y = np.cumsum(RNG.uniform(0.5, 1.5, 8)), np.cumsum(RNG.uniform(0.5, 1.5, 9))
Z = RNG.normal(size=(8, 9))
AT = RNG.uniform(-1.0, 10.0, size=(2, 3, 4))
DEGREES = [(3, 3), (1, 2), (4, 5)]


@pytest.mark.parametrize("degrees", DEGREES)
def test_values_of_rectangles(xp: Any, degrees: Any) -> None:
    ours = RectBivariateSpline(*map(xp.asarray, (X, Y, Z)), kx=degrees[0], ky=degrees[1])
    theirs = judge.RectBivariateSpline(X, Y, Z, kx=degrees[0], ky=degrees[1])
    for found, expected in zip(ours.get_knots(), theirs.get_knots(), strict=True):
        near(found, expected)
    near(ours.get_coeffs(), theirs.get_coeffs(), 1e-12)
    x, y = np.sort(AT[0, :, 0]), np.sort(AT[1, 0, :])
    for dx, dy in ((0, 0), (0, 1), (degrees[0] - 1, 0)):
        near(ours(xp.asarray(x), xp.asarray(y), dx, dy), theirs(x, y, dx, dy), 1e-12)
        near(ours.ev(*map(xp.asarray, AT), dx, dy), theirs.ev(*AT, dx, dy), 1e-12)
        if dy < degrees[1]:
            slope = ours.partial_derivative(dx, dy)
            near(slope.ev(*map(xp.asarray, AT)), theirs.ev(*AT, dx, dy), 1e-12)
    found = ours.integral(1.0, 3.5, -9.0, 4.0)
    near(found, np.asarray(theirs.integral(1.0, 3.5, -9.0, 4.0)), 1e-12)
    assert float(ours.get_residual()) == 0.0


def test_wider_domains() -> None:
    box = [0.0, None, None, 12.0]
    ours, theirs = (kind(X, Y, Z, box) for kind in (RectBivariateSpline, judge.RectBivariateSpline))
    near(ours.ev(*AT), theirs.ev(*AT), 1e-12)
    near(pickle.loads(pickle.dumps(ours)).ev(*AT), ours.ev(*AT))


def test_splines_of_coefficients(xp: Any) -> None:
    t = (np.sort(RNG.normal(size=10)), np.sort(RNG.normal(size=8)), np.arange(5.0))
    at = RNG.uniform(-1.0, 4.0, size=(4, 5, 3))
    for c in (RNG.normal(size=(6, 5, 3, 2)), RNG.normal(size=(6, 5, 3)) * (1 + 2j)):
        ours = NdBSpline(tuple(map(xp.asarray, t)), xp.asarray(c), (3, 2, 1))
        theirs = judge.NdBSpline(t, c, (3, 2, 1))
        for nu in ((0, 0, 0), (1, 2, 0), (4, 0, 0)):
            near(ours(xp.asarray(at), nu=nu), theirs(at, nu=nu), 1e-11)
            near(ours.derivative(nu)(xp.asarray(at)), theirs(at, nu=nu), 1e-11)
        near(ours(xp.asarray(at), extrapolate=False), theirs(at, extrapolate=False), 1e-11)


def test_single_points(xp: Any) -> None:
    t, c = np.linspace(0.0, 1.0, 7), RNG.normal(size=(4, 4, 3))
    ours, theirs = NdBSpline((xp.asarray(t),) * 2, xp.asarray(c), 2), judge.NdBSpline((t, t), c, 2)
    near(ours(xp.asarray(t[2:4])), theirs(t[2:4]), 1e-12)


def test_gradients() -> None:
    given = [X, Y, Z, AT[0] * 0.5 + 2.0, AT[1] * 0.5 + 2.0]
    along = [RNG.normal(size=a.shape) for a in given]

    def total(x: Any, y: Any, z: Any, u: Any, v: Any) -> Any:
        found = RectBivariateSpline(x, y, z).ev(u, v)
        return array_namespace(found).sum(found * found)

    slopes = grad(total, argnums=(0, 1, 2, 3, 4))(*given)
    found = sum(np.sum(to_numpy(s) * a) for s, a in zip(slopes, along, strict=True))
    h = 1e-6
    ends = [total(*(a + s * h * b for a, b in zip(given, along, strict=True))) for s in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6)


def test_one_point(xp: Any) -> None:
    t, c = np.asarray([0.0, 0, 1, 2, 2]), np.arange(18.0).reshape(3, 3, 2)
    ours, theirs = NdBSpline((xp.asarray(t),) * 2, xp.asarray(c), 1), judge.NdBSpline((t, t), c, 1)
    for at in ([0.5, 1.5], (0.5, 1.5), xp.asarray([0.5, 1.5]), [[0.5, 1.5]]):
        expected = theirs([0.5, 1.5] if len(at) == 2 else at)
        assert ours(at).shape == expected.shape
        near(ours(at), expected)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="s >= 0"):
        RectBivariateSpline(X, Y, Z, s=-1.0)
    with pytest.raises(ValueError, match=r"x\.size, y\.size"):
        RectBivariateSpline(Y, X, Z)
    with pytest.raises(ValueError, match="strictly increasing"):
        RectBivariateSpline(X[::-1], Y, Z)
    with pytest.raises(ValueError, match="from 1 to 5"):
        RectBivariateSpline(X, Y, Z, kx=6)
    with pytest.raises(ValueError, match="hold the axes"):
        RectBivariateSpline(X, Y, Z, [5.0, None, None, None])
    with pytest.raises(ValueError, match="4 numbers"):
        RectBivariateSpline(X, Y, Z, [5.0])
    made = RectBivariateSpline(X, Y, Z)
    with pytest.raises(ValueError, match="grid=False"):
        made(AT[0], AT[1])
    with pytest.raises(ValueError, match="less than the degrees"):
        made.partial_derivative(3, 0)
    with pytest.raises(ValueError, match="inconsistent"):
        NdBSpline((X, X), np.ones((4, 3)), 3)
    with pytest.raises(ValueError, match="non-decreasing"):
        NdBSpline((X[::-1],), np.ones(4), 3)
    with pytest.raises(ValueError, match="2-dimensional"):
        NdBSpline((X, X), np.ones(4), 3)
    with pytest.raises(ValueError, match="for each of 2 axes"):
        NdBSpline((X, X), np.ones((4, 4)), (3,))
