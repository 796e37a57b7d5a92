"""interp1d of all kinds, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors, to_numpy
from likewise.interpolate import interp1d
from likewise.transforms import grad, jit

from ..closeness import near

RNG = np.random.default_rng(36)
X = np.asarray([2.5, 0.0, 4.5, 1.0, 5.0, 3.0])
Y = RNG.normal(size=(2, 6, 3))
V = np.asarray([[np.nan, 0, 0.5, 1, 1.7], [-1, 5, 6, 4.75, 2.75]])
KINDS = ("linear", "nearest", "nearest-up", "zero", "previous", "next", "slinear", 2, "cubic", 4)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_and_what_is_outside(xp: Any, kind: Any) -> None:
    fill = np.arange(6.0).reshape(2, 3)
    for y in (Y, Y + 1j * Y[::-1]):
        for given, value in (
            ({"bounds_error": False}, float("nan")),
            ({"fill_value": "extrapolate"}, None),
            ({"bounds_error": False}, (1.0, 2.0)),
            ({"bounds_error": False}, (fill, 2.0)),
        ):
            own = dict(given)
            if value is not None:
                given["fill_value"] = value
                arrays = isinstance(value, tuple) and value[0] is fill
                own["fill_value"] = (xp.asarray(fill), 2.0) if arrays else value
            its = judge.interp1d(X, y, kind, axis=1, **given)
            mine = interp1d(xp.asarray(X), xp.asarray(y), kind, axis=1, **own)
            v = V[:, 1:] if "nearest" in str(kind) else V  # where it is NaN or the last value
            near(mine(xp.asarray(v)), its(v), 1e-12)
            near(mine(1.3), its(1.3), 1e-12)


def test_values_at_the_last_axis_and_few_knots(xp: Any) -> None:
    y = RNG.normal(size=(2, 6))
    mine, its = interp1d(xp.asarray(X), xp.asarray(y)), judge.interp1d(X, y)
    near(mine(xp.asarray([[0.5, 4.9]])), its([[0.5, 4.9]]))
    near(mine.x, its.x)
    near(mine.y, its.y)
    for n, kind in ((1, "nearest"), (1, "next"), (1, "zero"), (2, "linear"), (2, "slinear")):
        its = judge.interp1d(X[:n], y[:, :n], kind, fill_value="extrapolate")
        mine = interp1d(xp.asarray(X[:n]), xp.asarray(y[:, :n]), kind, fill_value="extrapolate")
        near(mine(xp.asarray([0.0, 1.0, 9.0])), its([0.0, 1.0, 9.0]))


@pytest.mark.parametrize("kind", ["linear", "previous", "quadratic"])
def test_each_problem_has_its_knots(xp: Any, kind: str) -> None:
    x, y, v = RNG.normal(size=(3, 5)), RNG.normal(size=(3, 2, 5)), RNG.normal(size=(3, 4))
    mine = interp1d(xp.asarray(x), xp.asarray(y), kind, bounds_error=False)(xp.asarray(v))
    for i in range(3):
        near(mine[i, ...], judge.interp1d(x[i], y[i], kind, bounds_error=False)(v[i]), 1e-12)


def test_outside_is_an_error(xp: Any) -> None:
    f = interp1d(xp.asarray(X), xp.asarray(Y[0, :, 0]))
    if f.bounds_error and np.isfinite(float(f(2.0))):
        with pytest.raises(
            ValueError, match=r"\(-0.5\) in x_new is below .* minimum value \(0.0\)"
        ):
            f(xp.asarray([0.5, -0.5]))
        with pytest.raises(ValueError, match=r"\(6.0\) in x_new is above .* maximum value \(5.0\)"):
            f([6.0, 0.5])


def test_derivatives_and_transforms(xp: Any) -> None:
    x, y, v = np.sort(X), Y[0, :, 0].copy(), np.asarray([0.4, 2.6, 4.7])
    for kind in ("linear", "cubic"):

        def score(x: Any, y: Any, v: Any, kind: str = kind) -> Any:
            out = interp1d(x, y, kind, fill_value="extrapolate")(v)
            return out[0] + 2 * out[1] - 3 * out[2]

        given = [x, y, v]
        found = grad(score, argnums=(0, 1, 2))(*(xp.asarray(a) for a in given))
        for k, g in enumerate(found):
            way, h = RNG.normal(size=given[k].shape), 1e-6
            moved = [
                float(score(*(a + s * h * way if i == k else a for i, a in enumerate(given))))
                for s in (1, -1)
            ]
            assert np.sum(to_numpy(g) * way) == pytest.approx(
                (moved[0] - moved[1]) / (2 * h), rel=1e-4, abs=1e-4
            )
    f = interp1d(xp.asarray(x), xp.asarray(y), bounds_error=False, fill_value=(1.0, 2.0))
    near(jit(lambda f, v: f(v))(f, xp.asarray([-1.0, 0.0, 7.0])), np.asarray([1.0, y[0], 2.0]))


def test_kept_objects() -> None:
    f = pickle.loads(pickle.dumps(interp1d(X, Y, "cubic", 1)))
    np.testing.assert_array_equal(f(0.5), interp1d(X, Y, "cubic", 1)(0.5))


def test_bad_arguments() -> None:
    y = Y[0, :, 0]
    for options, kind in (({"kind": "round"}, NotImplementedError), ({"kind": -1}, ValueError)):
        with pytest.raises(kind):
            interp1d(X, y, **options)
    with pytest.raises(ValueError, match="at the same time"):
        interp1d(X, y, bounds_error=True, fill_value="extrapolate")
    with pytest.raises(ValueError, match="broadcast up to shape"):
        interp1d(X, y, fill_value=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="'extrapolate'"):
        interp1d(X, y, fill_value="none")
    with pytest.raises(ValueError, match="equal in length"):
        interp1d(X, y[:-1])
    with pytest.raises(errors.ShapeError, match="at least 4 entries"):
        interp1d(X[:3], y[:3], "cubic")
    with pytest.raises(errors.ShapeError, match="one dimension"):
        interp1d(1.0, y)
    with pytest.raises(ValueError, match="real values"):
        interp1d(X + 1j, y)
    for kind in ("zero", "slinear", "quadratic", 0, 1, 3):
        with pytest.raises(ValueError, match="Expect x to not have duplicates"):
            interp1d([0.0, 1.0, 3.0, 1.0, 2.0, 5.0], y, kind)


def test_a_nan_is_of_two_lines(xp: Any) -> None:
    x, y = np.arange(5.0), np.asarray([0.0, 1.0, np.nan, 3.0, 4.0])
    f = interp1d(xp.asarray(x), xp.asarray(y), "slinear")
    near(f(xp.asarray([0.5, 3.0, 3.5])), np.asarray([0.5, 3.0, 3.5]))
