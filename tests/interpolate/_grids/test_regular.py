"""Interpolation on grids, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge
import scipy.sparse.linalg

from likewise import array_namespace, asarray, errors, to_numpy
from likewise._libs.numpy import _grids
from likewise.interpolate import NdBSpline, RegularGridInterpolator, interpn
from likewise.transforms import grad, jit, vmap

from ..closeness import near

RNG = np.random.default_rng(34)
METHODS = ("linear", "nearest", "slinear", "cubic", "quintic", "pchip")
SPLINES = METHODS[2:5]
GRID = tuple(np.sort(RNG.uniform(0.0, 1.0, size=n)) + np.arange(n) for n in (6, 7, 6))
VALUES = RNG.normal(size=(6, 7, 6, 2))
FLAT = VALUES[:, :, 0, 0]
POINTS = RNG.uniform(-0.5, 6.5, size=(3, 4, 3))
INSIDE = np.minimum(np.abs(POINTS[..., :2]) * 0.7 + 1.0, 5.0)
LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("jax", marks=[pytest.mark.needs("jax"), pytest.mark.full]),  # compiles each step
]


def theirs(grid: Any, values: Any, method: str, *rest: Any) -> Any:
    """Return SciPy's interpolator; of splines with coefficients that are no iteration's."""
    more = {"solver": scipy.sparse.linalg.spsolve} if method in SPLINES else {}
    return judge.RegularGridInterpolator(grid, values, method, *rest, **more)


@pytest.mark.parametrize("method", METHODS)
def test_values(xp: Any, method: str) -> None:
    at = POINTS.copy()
    at[0, 1, 0] = np.nan  # along another axis SciPy raises for "pchip"
    for d, fill in ((1, None), (2, np.nan), (3, 2.5), (3, None)):
        values = VALUES[(slice(None),) * d + (0,) * (3 - d)]
        if d == 2:
            values = values[..., 0]
        grid = tuple(map(xp.asarray, GRID[:d]))
        ours = RegularGridInterpolator(grid, xp.asarray(values), method, False, fill)
        expected = theirs(GRID[:d], values, method, False, fill)
        near(ours(xp.asarray(at[..., :d])), expected(at[..., :d]), 1e-12)


@pytest.mark.parametrize("method", SPLINES)
def test_derivatives_of_splines(xp: Any, method: str) -> None:
    grid, values = GRID[:2], VALUES[:, :, 0, :]
    ours = RegularGridInterpolator(tuple(map(xp.asarray, grid)), xp.asarray(values), method, False)
    for nu in ((1, 0), (1, 1), (0, 2), (6, 0)):
        expected = theirs(grid, values, method, False)(POINTS[..., :2], nu=nu)
        near(ours(xp.asarray(POINTS[..., :2]), nu=nu), expected, 1e-12)


def test_many_points() -> None:
    at = RNG.uniform(-0.5, 7.0, size=(20_000, 2))
    even = (np.linspace(0.0, 5.0, 6), np.linspace(0.0, 6.0, 7))
    for grid in (GRID[:2], even, (np.exp(np.arange(6.0)), GRID[1])):
        knots = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)
        some = np.concatenate([at, knots, np.nextafter(knots, 9.0), np.nextafter(knots, -9.0)])
        some = np.concatenate([some, [[np.inf, 1.0], [1.0, -np.inf], [np.nan, 99.0]]])
        for method in METHODS[:5]:
            ours = RegularGridInterpolator(grid, FLAT, method, False, -1.0)
            near(ours(some), theirs(grid, FLAT, method, False, -1.0)(some), 1e-12)


def test_complex_values(xp: Any) -> None:
    z = FLAT + 1j * VALUES[:, :, 1, 1]
    for method in ("linear", "nearest", "cubic"):
        ours = RegularGridInterpolator(tuple(map(xp.asarray, GRID[:2])), xp.asarray(z), method)
        near(ours(xp.asarray(INSIDE)), theirs(GRID[:2], z, method)(INSIDE))
    with pytest.raises(errors.DtypeError, match="real values"):
        RegularGridInterpolator(GRID[:2], z, "pchip")


def test_axes_that_descend_and_points_in_parts(xp: Any) -> None:
    grid, values = (GRID[0], GRID[1][::-1].copy()), VALUES[:, :, 0, :]
    at = (np.linspace(1.0, 5.0, 4)[:, None], np.linspace(1.0, 6.0, 3))
    for method in ("linear", "cubic"):
        made = RegularGridInterpolator(tuple(map(xp.asarray, grid)), xp.asarray(values), method)
        expected = theirs(grid, values, method)
        near(made(tuple(map(xp.asarray, at))), expected(at))
        near(made([1.5, 2.5]), expected([1.5, 2.5]))


def test_axes_of_one_point(xp: Any) -> None:
    grid, values = (np.asarray([2.0]), GRID[1]), FLAT[:1]
    at = np.asarray([[2.0, 1.5], [2.0, 6.0]])
    for method in ("linear", "nearest"):
        made = RegularGridInterpolator(tuple(map(xp.asarray, grid)), xp.asarray(values), method)
        near(made(xp.asarray(at)), theirs(grid, values, method)(at))


@pytest.mark.parametrize("method", METHODS)
def test_values_of_no_size_and_not_finite(xp: Any, method: str) -> None:
    grid = [xp.asarray(g) for g in GRID[:2]]
    for points in (INSIDE, INSIDE[:0]):
        f = RegularGridInterpolator(grid, xp.asarray(VALUES[:, :, 0, :0]), method)
        assert f(xp.asarray(points)).shape == (*points.shape[:-1], 0)
    bad = np.where(FLAT[2, 2] == FLAT, np.nan, FLAT)
    if method in ("linear", "nearest"):
        f = RegularGridInterpolator(grid, xp.asarray(bad), method)
        near(f(xp.asarray(INSIDE)), theirs(GRID[:2], bad, method)(INSIDE))
        return
    with pytest.raises(ValueError, match="finite"):
        RegularGridInterpolator(grid, xp.asarray(bad), method)


def test_another_method_in_a_call() -> None:
    made = RegularGridInterpolator(GRID, VALUES, "linear", False, None)
    for method in METHODS:
        expected = RegularGridInterpolator(GRID, VALUES, method, False, None)(POINTS)
        np.testing.assert_array_equal(made(POINTS, method), expected)


@pytest.mark.parametrize("method", [*METHODS, "splinef2d"])
def test_interpn(xp: Any, method: str) -> None:
    args = GRID[:2], FLAT, INSIDE
    found = interpn(tuple(map(xp.asarray, args[0])), *map(xp.asarray, args[1:]), method)
    if method in SPLINES:
        near(found, theirs(*args[:2], method)(INSIDE), 1e-12)
    else:
        near(found, judge.interpn(*args, method), 1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("method", ["linear", "cubic", "pchip"])
def test_gradients(library: str, method: str) -> None:
    """Compare derivatives in values, points and axes with differences."""
    given = [FLAT, INSIDE[0], *GRID[:2]]
    along = [RNG.normal(size=a.shape) for a in given]

    def total(v: Any, p: Any, x: Any, y: Any) -> Any:
        found = RegularGridInterpolator((x, y), v, method, False, None)(p)
        return array_namespace(found).sum(found * found)

    slopes = grad(total, argnums=(0, 1, 2, 3))(*(asarray(a, namespace=library) for a in given))
    found = sum(np.sum(to_numpy(s) * a) for s, a in zip(slopes, along, strict=True))
    h = 1e-5
    ends = [total(*(a + s * h * b for a, b in zip(given, along, strict=True))) for s in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
def test_objects_go_through_transforms(library: str) -> None:
    grid, values, at = (
        [asarray(g, namespace=library) for g in GRID[:2]],
        asarray(FLAT, namespace=library),
        asarray(INSIDE[0], namespace=library),
    )
    for method in ("linear", "cubic"):
        made = RegularGridInterpolator(grid, values, method)
        expected = theirs(GRID[:2], FLAT, method)(INSIDE[0])
        if library != "torch":  # which compiles it for a minute
            near(jit(lambda f, p: f(p))(made, at), expected)
        near(vmap(lambda p, f=made: f(p[None, :])[0])(at), expected)


@pytest.mark.needs("jax")
def test_points_outside_where_they_cannot_be_read() -> None:
    x, v = (asarray(a, namespace="jax") for a in (GRID[0], FLAT[:, 0]))
    found = jit(RegularGridInterpolator((x,), v))(asarray([[-1.0], [2.0]], namespace="jax"))
    np.testing.assert_array_equal(np.isnan(to_numpy(found)), [True, False])


def test_objects_are_kept_and_single_precision_stays(xp: Any) -> None:
    made = RegularGridInterpolator(GRID, VALUES, "cubic", False)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(POINTS), made(POINTS))
    grid = tuple(xp.asarray(g, dtype=xp.float32) for g in GRID)
    made = RegularGridInterpolator(grid, xp.asarray(VALUES, dtype=xp.float32), "cubic", False)
    assert made(xp.asarray(POINTS, dtype=xp.float32)).dtype == xp.float32


def test_bad_arguments() -> None:
    for grid, match in (
        ((GRID[0], GRID[1][[0, 2, 1, 3, 4, 5, 6]]), "strictly ascending or descending"),
        ((GRID[0], GRID[0]), "points and 7 values"),
        (GRID, "3 point arrays, but values has 2"),
        ((GRID[0], GRID[1][None]), "of a batch"),
        ((), "an axis for each dimension"),
    ):
        with pytest.raises(ValueError, match=match):
            RegularGridInterpolator(grid, FLAT)
    with pytest.raises(ValueError, match="is not defined"):
        RegularGridInterpolator(GRID[:2], FLAT, "best")
    with pytest.raises(errors.ShapeError, match="at least 4 points"):
        RegularGridInterpolator((GRID[0][:3], GRID[1]), FLAT[:3], "cubic")
    with pytest.raises(ValueError, match="fill_value must be"):
        RegularGridInterpolator(GRID[:2], FLAT, fill_value=1j)
    with pytest.raises(ValueError, match="'solver'"):
        RegularGridInterpolator(GRID[:2], FLAT, solver=scipy.sparse.linalg.spsolve)
    made = RegularGridInterpolator(GRID[:2], FLAT)
    for at, match in (
        ([[1.0, 99.0]], "out of bounds in dimension 1"),
        ([[np.nan, 1.0]], "out of bounds in dimension 0"),
        (np.full((50, 2), 99.0), "out of bounds in dimension 0"),
        ([[1.0, 1.0, 1.0]], "dimension 3 but the grid has dimension 2"),
        ([1.0, 1.0, 1.0], "points of 2 coordinates"),
    ):
        with pytest.raises(ValueError, match=match):
            made(at)
    with pytest.raises(errors.DtypeError, match="must be real"):
        made(np.asarray([[1j, 1.0]]))
    with pytest.raises(ValueError, match="Can only compute derivatives"):
        made([[1.0, 1.0]], nu=(1, 0))
    with pytest.raises(ValueError, match="orders of derivatives"):
        made([[1.0, 1.0]], "cubic", nu=(1,))
    with pytest.raises(ValueError, match="two axes"):
        interpn(GRID, VALUES, POINTS, "splinef2d")
    with pytest.raises(ValueError, match="extrapolation"):
        interpn(GRID[:2], FLAT, POINTS[..., :2], "splinef2d", False, None)


def test_without_scipys_private_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [RegularGridInterpolator(GRID[:2], FLAT, m, False) for m in ("linear", "cubic")]
    made += [NdBSpline(f._spline[1:], f._spline[0], 3) for f in made[1:]]
    at = POINTS[0, :, :2]
    expected = [f(at) for f in made]
    for name in ("evaluate_linear_2d", "find_indices", "evaluate_ndbspline"):
        assert getattr(_grids, name) is not None
        monkeypatch.setattr(_grids, name, None)
    for f, values in zip(made, expected, strict=True):
        near(f(at), values)
