"""Cubic interpolants, against SciPy's, and their derivatives, against differences."""

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, errors, interpolate, to_numpy
from likewise.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip_interpolate,
)
from likewise.transforms import grad, jit, vmap

from ..closeness import near

RNG = np.random.default_rng(35)
V = np.asarray([[-0.5, 0.0], [0.4, 1.7], [3.0, 3.4]])
ENDS = RNG.normal(size=(2, 2, 3))
CONDITIONS: tuple[Any, ...] = (
    "not-a-knot",
    "clamped",
    "natural",
    "periodic",
    ("natural", "not-a-knot"),
    ("not-a-knot", (2, ENDS[1])),
    ((1, ENDS[0]), (2, ENDS[1])),
    ((2, ENDS[0]), "clamped"),
)


def data(n: int, kind: str = "f") -> tuple[Any, Any]:
    x = np.cumsum(RNG.uniform(0.5, 1.5, n))
    x = 3 * (x - x[0]) / (x[-1] - x[0])
    y = RNG.normal(size=(2, n, 3))
    return x, y + 1j * RNG.normal(size=y.shape) if kind == "c" else y


@pytest.mark.parametrize("n", [2, 3, 4, 5, 12])
def test_splines_of_all_conditions(xp: Any, n: int) -> None:
    for condition, kind in itertools.product(CONDITIONS, "fc"):
        x, y = data(n, kind)
        if condition == "periodic":
            y[:, -1] = y[:, 0]
        its = judge.CubicSpline(x, y, 1, condition)
        given = condition
        if not isinstance(condition, str):
            given = [c if isinstance(c, str) else (c[0], xp.asarray(c[1])) for c in condition]
        mine = CubicSpline(xp.asarray(x), xp.asarray(y), 1, given)
        near(mine(xp.asarray(V)), its(V))
        near(mine(xp.asarray(V), 1), its(V, 1), 1e-12)
        near(mine.c[2:, ...], its.c[2:], 1e-12)
        assert mine.extrapolate == its.extrapolate and mine.axis == its.axis


@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_slopes_of_neighbours(xp: Any, n: int) -> None:
    for flat in (False, True):
        x, y = data(n)
        y = np.round(y) if flat else y
        for name, options in (
            ("PchipInterpolator", {}),
            ("Akima1DInterpolator", {"extrapolate": True}),
            ("Akima1DInterpolator", {"method": "makima"}),
        ):
            its = getattr(judge, name)(x, y, 1, **options)
            mine = getattr(interpolate, name)(xp.asarray(x), xp.asarray(y), 1, **options)
            for nu in (0, 1):
                near(mine(xp.asarray(V), nu), its(V, nu), 1e-12)
            assert mine.extrapolate == its.extrapolate
        own = CubicHermiteSpline(xp.asarray(x), xp.asarray(y), xp.asarray(2 * y), 1)
        near(own(xp.asarray(V)), judge.CubicHermiteSpline(x, y, 2 * y, 1)(V))
    found = pchip_interpolate(xp.asarray(x), xp.asarray(y), xp.asarray(V), [0, 1], 1)
    for got, expected in zip(found, judge.pchip_interpolate(x, y, V, [0, 1], 1), strict=True):
        near(got, expected, 1e-12)


@pytest.mark.parametrize("make", [CubicSpline, PchipInterpolator, Akima1DInterpolator])
def test_each_problem_has_its_knots(xp: Any, make: Any) -> None:
    x = np.sort(RNG.normal(size=(2, 3, 7)), axis=-1)
    y, v = RNG.normal(size=(2, 3, 2, 7)), RNG.normal(size=(2, 3, 5))
    mine = make(xp.asarray(x), xp.asarray(y), axis=1, extrapolate=True)
    for i, j in np.ndindex(2, 3):
        one = getattr(judge, make.__name__)(x[i, j], y[i, j], axis=1, extrapolate=True)
        near(mine(xp.asarray(v))[i, j, ...], one(v[i, j]), 1e-12)
        near(mine.integrate(0.1, 0.3)[i, j, ...], one.integrate(0.1, 0.3), 1e-12)


def test_periodic_splines_of_a_batch(xp: Any) -> None:
    x = np.sort(RNG.normal(size=(3, 7)), axis=-1)
    y = RNG.normal(size=(3, 7))
    y[:, -1] = y[:, 0]
    mine = CubicSpline(xp.asarray(x), xp.asarray(y), bc_type="periodic")(xp.asarray(x + 9.1))
    for i in range(3):
        near(mine[i, ...], judge.CubicSpline(x[i], y[i], bc_type="periodic")(x[i] + 9.1), 1e-12)


def test_monotone_where_data_are() -> None:
    for _ in range(200):
        n = int(RNG.integers(2, 12))
        x = np.cumsum(RNG.exponential(size=n) ** 3 + 1e-9)
        y = np.cumsum(RNG.exponential(size=n) ** 4 * RNG.integers(0, 2, n))
        v = np.linspace(x[0], x[-1], 400)
        found = PchipInterpolator(x, y)(v)
        assert np.all(np.diff(found) >= -1e-12 * max(1.0, y[-1]))
        assert found.min() >= y[0] - 1e-12 and found.max() <= y[-1] * (1 + 1e-12)


def slope(f: Any, args: list[Any], k: int, way: Any) -> float:
    h = 1e-6

    def moved(by: float) -> float:
        return float(f(*(a + by * way if i == k else a for i, a in enumerate(args))))

    return (moved(h) - moved(-h)) / (2 * h)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (CubicSpline, {}),
        (CubicSpline, {"bc_type": "periodic"}),
        (CubicSpline, {"bc_type": "natural"}),
        (PchipInterpolator, {}),
        (Akima1DInterpolator, {"extrapolate": True}),
    ],
)
def test_derivatives_in_knots_values_and_points(xp: Any, make: Any, options: Any) -> None:
    x, y = np.sort(RNG.normal(size=(2, 6)), axis=-1), RNG.normal(size=(2, 6))
    v, w = RNG.normal(size=(2, 4)), RNG.normal(size=(2, 4))
    tie = options.get("bc_type") == "periodic"

    def score(x: Any, y: Any, v: Any, w: Any) -> Any:
        space = array_namespace(x, y, v)
        if tie:
            y = space.concat([y[:, :-1], y[:, :1]], axis=-1)
        return space.sum(make(x, y, **options)(v) * w)

    given = [xp.asarray(a) for a in (x, y, v)]
    found = grad(lambda x, y, v: score(x, y, v, xp.asarray(w)), argnums=(0, 1, 2))(*given)
    for k, g in enumerate(found):
        way = RNG.normal(size=[x, y, v][k].shape)
        expected = slope(lambda *a: score(*a, w), [x, y, v], k, way)
        got = float(np.sum(to_numpy(g) * way))
        assert got == pytest.approx(expected, rel=2e-5, abs=1e-5)


def test_objects_pass_through_transforms(xp: Any) -> None:
    x, y = np.linspace(0.0, 1.0, 6), RNG.normal(size=6)
    spline = CubicSpline(xp.asarray(x), xp.asarray(y))
    v = xp.asarray([0.1, 0.5])
    expected = judge.CubicSpline(x, y)
    near(jit(lambda s, v: s(v))(spline, v), expected([0.1, 0.5]))
    near(jit(lambda v: spline(v))(v), expected([0.1, 0.5]))
    made = jit(lambda x, y: CubicSpline(x, y))(xp.asarray(x), xp.asarray(y))
    near(made.derivative()(v), expected.derivative()([0.1, 0.5]), 1e-12)
    rows = xp.asarray(np.stack([y, 2 * y]))
    near(vmap(lambda y: CubicSpline(xp.asarray(x), y)(v))(rows)[1, ...], 2 * expected([0.1, 0.5]))
    again = grad(lambda s: array_namespace(s.c).sum(s(v)))(spline)
    assert isinstance(again, CubicSpline) and again.c.shape == (4, 5)


def test_kept_objects() -> None:
    spline = pickle.loads(pickle.dumps(Akima1DInterpolator(np.arange(4.0), np.arange(4.0))))
    assert type(spline) is Akima1DInterpolator and np.isnan(spline(9.0)) and spline(2.5) == 2.5
    assert type(spline.derivative()) is Akima1DInterpolator


@pytest.mark.parametrize("make", [CubicSpline, PchipInterpolator, Akima1DInterpolator])
def test_bad_data(make: Any) -> None:
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    for bad in (x[[0, 2, 1, 3, 4]], x[[0, 1, 1, 2, 3]], x[::-1]):
        with pytest.raises(ValueError, match="strictly increasing"):
            make(bad, y)
    for bad in (np.where(x == 2, np.nan, x), np.where(x == 4, np.inf, x)):
        with pytest.raises(ValueError, match="`x` must contain only finite"):
            make(bad, y)
    with pytest.raises(ValueError, match="`y` must contain only finite"):
        make(x, np.where(x == 2, np.nan, y))
    with pytest.raises(ValueError, match="at least 2"):
        make(x[:1], y[:1])
    with pytest.raises(ValueError, match="doesn't match"):
        make(x, y[:-1])
    with pytest.raises(errors.AxisError):
        make(x, y, 1)
    with pytest.raises(ValueError, match="real values"):
        make(x + 0j, y)
    with pytest.raises(ValueError, match="'periodic'"):
        make(x, y, extrapolate="no")
    if make is not CubicSpline:
        with pytest.raises(ValueError, match="real values for `y`"):
            make(x, y + 0j)


def test_bad_conditions() -> None:
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    for bad, words in (
        ("periodic", "must be identical"),
        ("round", "is not allowed"),
        (("natural",), "2 elements"),
        (("periodic", "natural"), "both curve ends"),
        (((3, 0.0), "natural"), "order must be 1 or 2"),
        (((1, [0.0]), "natural"), "not the expected one"),
        ((1.0, "natural"), "in the form"),
    ):
        with pytest.raises(ValueError, match=words):
            CubicSpline(x, y, bc_type=bad)
    with pytest.raises(ValueError, match="dydx"):
        CubicHermiteSpline(x, y, y[:, None])
    with pytest.raises(NotImplementedError, match="unsupported"):
        Akima1DInterpolator(x, y, method="best")
    with pytest.raises(NotImplementedError, match="Extending"):
        Akima1DInterpolator(x, y).extend(y[None], x)
    with pytest.raises(ValueError, match="list"):
        pchip_interpolate(x, y, 0.5, "one")
