"""Batches of grids: each problem has axes of its own, and the value of a call of its own."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge
import scipy.sparse.linalg

from likewise import array_namespace, asarray, to_numpy
from likewise.interpolate import NdBSpline, RegularGridInterpolator, interpn
from likewise.transforms import grad

from ..closeness import near

RNG = np.random.default_rng(55)
X = np.cumsum(RNG.uniform(0.5, 1.5, size=(2, 3, 7)), axis=-1)
Y = np.cumsum(RNG.uniform(0.5, 1.5, size=6))
X[1, 0, :] = X[1, 0, ::-1]
VALUES = RNG.normal(size=(2, 3, 7, 6, 2))
AT = RNG.uniform(1.0, 6.0, size=(2, 3, 4, 5, 2))
METHODS = ("linear", "nearest", "slinear", "cubic", "quintic", "pchip")
LIBRARIES = ["numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))]


def theirs(x: Any, y: Any, values: Any, method: str, fill: Any) -> Any:
    more = {"solver": scipy.sparse.linalg.spsolve} if method in METHODS[2:5] else {}
    return judge.RegularGridInterpolator((x, y), values, method, False, fill, **more)


@pytest.mark.parametrize("method", METHODS)
def test_grids(xp: Any, method: str) -> None:
    y = xp.asarray(Y)
    for fill in (None, -1.0):
        ours = RegularGridInterpolator((xp.asarray(X), y), xp.asarray(VALUES), method, False, fill)
        expected = np.empty((2, 3, 4, 5, 2))
        for i in np.ndindex(2, 3):
            expected[i] = theirs(X[i], Y, VALUES[i], method, fill)(AT[i])
        near(ours(xp.asarray(AT)), expected, 1e-11)
    one = AT[0, 0, 0, 0, :]
    found = [theirs(X[i], Y, VALUES[i], method, -1.0)(one)[0] for i in np.ndindex(2, 3)]
    near(ours(xp.asarray(one)), np.reshape(found, (2, 3, 2)), 1e-11)
    some = ours(xp.asarray(AT[:1, :, 0, :, :]))
    near(some[1, 1, ...], theirs(X[1, 1], Y, VALUES[1, 1], method, -1.0)(AT[0, 1, 0]), 1e-11)


def test_derivatives_and_bounds(xp: Any) -> None:
    given = (xp.asarray(X), xp.asarray(Y)), xp.asarray(VALUES)
    ours = RegularGridInterpolator(*given, "cubic", False, None)
    expected = theirs(X[0, 2], Y, VALUES[0, 2], "cubic", None)(AT[0, 2], nu=(1, 1))
    near(ours(xp.asarray(AT), nu=(1, 1))[0, 2, ...], expected, 1e-11)
    inside = np.clip(AT, 2.0, 3.0)
    near(
        interpn(*given, xp.asarray(inside))[0, 1, ...],
        judge.interpn((X[0, 1], Y), VALUES[0, 1], inside[0, 1]),
    )
    with pytest.raises(ValueError, match="out of bounds in dimension 1"):
        interpn(*given, xp.asarray(np.add(inside, [0.0, 99.0])))


def test_splines_of_coefficients(xp: Any) -> None:
    t, u = np.sort(RNG.normal(size=(3, 10)), axis=-1), np.arange(7.0)
    c, at = RNG.normal(size=(3, 6, 4, 2)), RNG.uniform(-1.0, 4.0, size=(3, 5, 2))
    ours = NdBSpline((xp.asarray(t), xp.asarray(u)), xp.asarray(c), (3, 2))
    for nu in ((0, 0), (1, 2)):
        expected = [judge.NdBSpline((t[i], u), c[i], (3, 2))(at[i], nu=nu) for i in range(3)]
        near(ours(xp.asarray(at), nu=nu), np.stack(expected), 1e-11)


@pytest.mark.parametrize("library", LIBRARIES)
def test_gradients(library: str) -> None:
    given = [X[0], VALUES[0, ..., 0], np.clip(AT[0, :, 0, :, :], 2.0, 3.0)]
    given = [np.sort(given[0], axis=-1), *given[1:]]
    y = asarray(Y, namespace=library)

    def total(x: Any, v: Any, at: Any) -> Any:
        found = RegularGridInterpolator((x, y), v, "cubic")(at)
        return array_namespace(found).sum(found * found)

    arrays = [asarray(v, namespace=library) for v in given]
    for i, v in enumerate(given):
        along, h = RNG.normal(size=v.shape), 1e-6
        slope = to_numpy(grad(lambda a, i=i: total(*arrays[:i], a, *arrays[i + 1 :]))(arrays[i]))
        ends = [
            float(
                total(*arrays[:i], asarray(v + s * h * along, namespace=library), *arrays[i + 1 :])
            )
            for s in (1, -1)
        ]
        assert np.sum(slope * along) == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_bad_shapes() -> None:
    with pytest.raises(ValueError, match="begin with the dimensions"):
        RegularGridInterpolator((X, Y), VALUES[:1])
    with pytest.raises(ValueError, match="dimensions of a batch"):
        RegularGridInterpolator((X, X[0]), VALUES)
    with pytest.raises(ValueError, match="ones in their places"):
        RegularGridInterpolator((X, Y), VALUES)(AT[:, :2])
