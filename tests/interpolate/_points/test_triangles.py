"""Interpolation on triangles between scattered points, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge
import scipy.spatial

from likewise import array_namespace, asarray, errors, to_numpy
from likewise.interpolate import CloughTocher2DInterpolator, LinearNDInterpolator, griddata
from likewise.transforms import grad, jit, tree_map, vmap

from ..closeness import near

RNG = np.random.default_rng(341)
POINTS = RNG.uniform(-1.0, 1.0, size=(23, 2))
VALUES = RNG.normal(size=(23, 2, 3))
AT = np.concatenate([RNG.uniform(-1.2, 1.2, size=(9, 2)), POINTS[3:5]])
INSIDE = 0.3 * RNG.uniform(-1.0, 1.0, size=(6, 2))
KINDS = (LinearNDInterpolator, CloughTocher2DInterpolator)
LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("jax", marks=pytest.mark.needs("jax")),
]
# JAX compiles each of them for seconds.
QUICK = [*LIBRARIES[:2], pytest.param("jax", marks=[pytest.mark.needs("jax"), pytest.mark.full])]


def _theirs(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """SciPy's, with gradients that are nearly exact."""
    more = {"tol": 1e-14} if kind is CloughTocher2DInterpolator else {}
    return getattr(judge, kind.__name__)(*args, **kwargs, **more)


def _made(kind: Any, *args: Any, **kwargs: Any) -> Any:
    more = {"tol": 1e-12} if kind is CloughTocher2DInterpolator else {}
    return kind(*args, **kwargs, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_all_kinds(xp: Any, kind: Any) -> None:
    points, at = POINTS * [1.0, 7.0], (AT[:10] * [1.0, 7.0]).reshape(2, 5, 2)
    for values in (VALUES, VALUES[:, 0, 0], VALUES[:, 0, :] + 1j * VALUES[:, 1, :]):
        for rescale in (False, True):
            ours = _made(kind, xp.asarray(points), xp.asarray(values), rescale=rescale)
            theirs = _theirs(kind, points, values, rescale=rescale)
            near(ours(xp.asarray(at)), theirs(at), 1e-11)
    columns = _made(kind, tuple(xp.asarray(points[:, k]) for k in (0, 1)), xp.asarray(VALUES), 2.5)
    x, y = at[..., 0], at[..., 1]
    near(columns(xp.asarray(x), xp.asarray(y)), _theirs(kind, points, VALUES, 2.5)(x, y), 1e-11)


@pytest.mark.parametrize("d", [3, 4])
def test_more_dimensions(xp: Any, d: int) -> None:
    if d > 3 and not hasattr(xp, "linalg"):
        return
    points, at = RNG.normal(size=(40, d)), RNG.normal(size=(30, d))
    values = RNG.normal(size=(40,))
    found = griddata(*map(xp.asarray, (points, values, at)))
    near(found, judge.griddata(points, values, at), 1e-10)


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_griddata_of_the_plane(xp: Any, method: str) -> None:
    found = griddata(*map(xp.asarray, (POINTS, VALUES, AT)), method, -1.0)
    near(found, judge.griddata(POINTS, VALUES, AT, method, -1.0), 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_many_points_of_a_grid_with_flat_triangles(kind: Any) -> None:
    """Points on a grid lie on edges; a grid that is nearly one has flat triangles at its rim."""
    side = np.linspace(-1.0, 1.0, 11)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for points in (grid, grid * (1.0 + 1e-15 * RNG.normal(size=grid.shape))):
        values = np.sin(points[:, 0]) + points[:, 1] ** 2
        at = np.concatenate([grid, RNG.uniform(-1.0, 1.0, size=(20_000, 2)), [[1.5, 0.0]]])
        triangles = scipy.spatial.Delaunay(points)
        ours, theirs = _made(kind, triangles, values)(at), _theirs(kind, triangles, values)(at)
        assert np.isfinite(ours[:-1]).all() and np.isnan(ours[-1])
        found = np.isfinite(theirs)  # all but some corners
        assert found.sum() > 20_000
        near(ours[found], theirs[found], 1e-7)


def test_triangles_of_scipy_for_other_arrays(xp: Any) -> None:
    given = scipy.spatial.Delaunay(POINTS)
    found = LinearNDInterpolator(given, xp.asarray(VALUES))(xp.asarray(AT))
    near(found, judge.LinearNDInterpolator(given, VALUES)(AT), 1e-11)
    single = xp.asarray(VALUES, dtype=xp.float32)
    assert LinearNDInterpolator(given, single).points.dtype == xp.float32


def test_points_far_from_others() -> None:
    """A table of even cells is of no help: points walk."""
    points = np.concatenate([POINTS * 1e-3, POINTS, 1e3 * POINTS])
    at = np.concatenate([0.5 * POINTS * 1e-3, INSIDE, 1e3 * INSIDE, [[np.nan, 0.0]]])
    ours, theirs = (k(points, points[:, 0])(at) for k in (KINDS[0], judge.LinearNDInterpolator))
    near(ours, theirs, 1e-10)


def test_lost_points_are_searched() -> None:
    made = tree_map(lambda a: a, LinearNDInterpolator(POINTS, VALUES))  # without SciPy's
    made.tri.neighbors = made.tri.neighbors * 0  # a walk that goes round
    near(made(INSIDE), judge.LinearNDInterpolator(POINTS, VALUES)(INSIDE), 1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", QUICK)
def test_gradients(library: str, kind: Any) -> None:
    """Follow values, points with their triangles, and where the function is called."""
    held = kind(*(asarray(a, namespace=library) for a in (POINTS, VALUES[:, 0, 0])))
    host = kind(POINTS, VALUES[:, 0, 0]).tri

    def total(v: Any, p: Any, x: Any) -> Any:
        tri = host if type(x) is np.ndarray else held.tri
        found = _made(kind, tri.moved(p), v)(x)
        return array_namespace(found).sum(found * found)

    given = (VALUES[:, 0, 0], POINTS, INSIDE)
    slopes = grad(total, argnums=(0, 1, 2))(*(asarray(a, namespace=library) for a in given))
    h = 1e-6
    for i, slope in enumerate(slopes):
        along = RNG.normal(size=given[i].shape)
        ends = [
            total(*(a + s * h * along if i == k else a for k, a in enumerate(given)))
            for s in (1, -1)
        ]
        found = np.sum(to_numpy(slope) * along)
        assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=2e-5)
    alone = grad(lambda v: array_namespace(v).sum(kind(held.points, v)(INSIDE_OF[library]()) ** 2))
    shape = to_numpy(alone(asarray(given[0], namespace=library))).shape
    assert shape == given[0].shape


INSIDE_OF = {n: lambda n=n: asarray(INSIDE, namespace=n) for n in ("numpy", "torch", "jax")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", QUICK)
def test_objects_are_trees(library: str, kind: Any) -> None:
    y, d, at = (asarray(a, namespace=library) for a in (POINTS, VALUES, AT))
    made, expected = _made(kind, y, d), _made(kind, POINTS, VALUES)(AT)
    near(vmap(lambda v: made(v[None, :])[0, ...])(at), expected, 1e-11)
    if library == "numpy":
        near(pickle.loads(pickle.dumps(made))(AT), expected, 1e-11)
    if library == "torch":  # which compiles it for a minute
        return
    near(jit(lambda f, v: f(v))(made, at), expected, 1e-11)
    near(jit(lambda t, d, v: _made(kind, t, d)(v))(made.tri, d, at), expected, 1e-11)
    if library == "numpy":  # whose values can be read
        near(jit(lambda y: _made(kind, y, d)(at))(y), expected, 1e-11)
        return
    with pytest.raises(errors.NotSupported, match="tri stands for points"):
        jit(lambda y: kind(y, d)(at))(y)


@pytest.mark.parametrize("kind", KINDS)
def test_bad_arguments(kind: Any) -> None:
    values, theirs = VALUES[:, 0, 0], getattr(judge, kind.__name__)
    broken = POINTS + 0.0
    broken[3, 1] = np.nan
    line = np.stack([POINTS[:, 0], 2.0 * POINTS[:, 0]], axis=1)
    for error, words, points, given in (
        (ValueError, "different number", POINTS, values[:4]),
        (ValueError, "invalid shape", np.zeros((3, 2, 2)), values[:3]),
        (ValueError, "at least 2-D", POINTS[:, 0], values),
        (ValueError, "cannot contain NaN", broken, values),
        (scipy.spatial.QhullError, "no triangulation", POINTS[:2], values[:2]),
        (scipy.spatial.QhullError, "no triangulation", line, values),
    ):
        for one in (kind, theirs):
            with pytest.raises(error, match=words if one is kind else None):
                one(points, given)
    for one in (kind, theirs):
        with pytest.raises(ValueError, match="escaling"):
            one(scipy.spatial.Delaunay(POINTS), values, rescale=True)
        with pytest.raises(ValueError, match="number of dimensions"):
            one(POINTS, values)(np.zeros((4, 3)))
    with pytest.raises(errors.DtypeError, match="real"):
        kind(POINTS + 1j, values)
    with pytest.raises(errors.ShapeError, match="there are points of shape"):
        kind(POINTS, values).tri.moved(POINTS[:4])


def test_cubics_are_of_the_plane() -> None:
    points = RNG.normal(size=(9, 3))
    for one in (CloughTocher2DInterpolator, judge.CloughTocher2DInterpolator):
        with pytest.raises(ValueError, match="two coordinates|2-D data"):
            one(points, points[:, 0])
    for one in (griddata, judge.griddata):
        with pytest.raises(ValueError, match="Unknown interpolation method"):
            one(points, points[:, 0], points, "cubic")
    with pytest.raises(errors.ArgumentError, match="tol must be positive"):
        CloughTocher2DInterpolator(POINTS, VALUES, tol=0.0)


@pytest.mark.parametrize("kind", [CloughTocher2DInterpolator, LinearNDInterpolator])
def test_single_precision_stays(xp: Any, kind: Any) -> None:
    points = xp.asarray(RNG.normal(size=(9, 2)), dtype=xp.float32)
    f = kind(points, points[:, 0])
    assert f(points[:3, :]).dtype == xp.float32
