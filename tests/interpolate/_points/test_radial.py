"""Interpolation of scattered points, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, asarray, errors, to_numpy
from likewise.interpolate import NearestNDInterpolator, RBFInterpolator
from likewise.transforms import grad, jit, vmap

from ..closeness import near

RNG = np.random.default_rng(340)
POINTS = RNG.uniform(-1.0, 1.0, size=(17, 2))
VALUES = RNG.normal(size=(17, 2, 3))
AT = np.concatenate([RNG.uniform(-1.2, 1.2, size=(6, 2)), POINTS[3:5]])
KERNELS = (
    *("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric"),
    *("inverse_multiquadric", "inverse_quadratic", "gaussian"),
)
LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("jax", marks=pytest.mark.needs("jax")),
]
# JAX compiles each of them for seconds.
QUICK = [*LIBRARIES[:2], pytest.param("jax", marks=[pytest.mark.needs("jax"), pytest.mark.full])]


def _without_systems(xp: Any) -> bool:
    """Tell whether a library has no systems of equations; it must say so."""
    if hasattr(xp, "linalg"):
        return False
    with pytest.raises(errors.ExtensionMissing):
        RBFInterpolator(xp.asarray(POINTS), xp.asarray(VALUES))
    return True


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels(xp: Any, kernel: str) -> None:
    """Smoothed, which in single precision keeps digits, too."""
    options: dict[str, Any] = {"kernel": kernel, "epsilon": 1.5}
    if _without_systems(xp):
        return
    ours = RBFInterpolator(xp.asarray(POINTS), xp.asarray(VALUES), smoothing=0.1, **options)
    theirs = judge.RBFInterpolator(POINTS, VALUES, smoothing=0.1, **options)
    near(ours(xp.asarray(AT)), theirs(AT), 1e-11)


def test_degrees_smoothing_and_complex_values(xp: Any) -> None:
    if _without_systems(xp):
        return
    points, smooth = np.concatenate([POINTS, POINTS**2 + 3.0], axis=1), RNG.uniform(0.1, 1.0, 17)
    at = np.concatenate([AT, AT + 3.0], axis=1)
    values = VALUES[:, 0, :] + 1j * VALUES[:, 1, :]
    for degree in (-1, 1, None):
        ours = RBFInterpolator(
            *map(xp.asarray, (points, values)), None, xp.asarray(smooth), "linear", degree=degree
        )
        theirs = judge.RBFInterpolator(points, values, None, smooth, "linear", degree=degree)
        near(ours(xp.asarray(at)), theirs(at), 1e-11)
    ours = RBFInterpolator(xp.asarray(POINTS[:, :1]), xp.asarray(VALUES[:, 0, 0]), smoothing=0.1)
    expected = judge.RBFInterpolator(POINTS[:, :1], VALUES[:, 0, 0], smoothing=0.1)(AT[:, :1])
    near(ours(xp.asarray(AT[:, :1])), expected, 1e-11)


@pytest.mark.parametrize(("k", "kernel"), [(1, "linear"), (5, "cubic"), (99, "gaussian")])
def test_neighbors(xp: Any, k: int, kernel: str) -> None:
    if _without_systems(xp):
        return
    values = VALUES[:, 0, :] + 1j * VALUES[:, 1, :]
    how = {"smoothing": 0.1, "kernel": kernel, "epsilon": 1.5}
    ours = RBFInterpolator(*map(xp.asarray, (POINTS, values)), k, **how)
    assert ours.neighbors == min(k, 17)
    near(ours(xp.asarray(AT)), judge.RBFInterpolator(POINTS, values, k, **how)(AT), 1e-10)


def test_neighbors_of_many_points() -> None:
    at, values = RNG.uniform(-1.0, 1.0, size=(7000, 2)), VALUES[:, 0, 0]
    found = RBFInterpolator(POINTS, values, 6, kernel="linear")(at)
    near(found, judge.RBFInterpolator(POINTS, values, 6, kernel="linear")(at), 1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
def test_functions_go_through_values(kernel: str) -> None:
    found = RBFInterpolator(POINTS, VALUES, kernel=kernel, epsilon=3.0)(POINTS)
    np.testing.assert_allclose(found, VALUES, atol=1e-7)


def test_pieces_are_the_whole() -> None:
    at = RNG.uniform(-1.0, 1.0, size=(20_000, 2))
    for kind in (RBFInterpolator, NearestNDInterpolator):
        found = kind(POINTS, VALUES[:, 0, 0])(at)
        near(found, getattr(judge, kind.__name__)(POINTS, VALUES[:, 0, 0])(at), 1e-11)


def _slope(total: Any, *given: Any) -> tuple[Any, Any]:
    """Return a slope along a random direction, by derivatives and by differences."""
    along, library = [RNG.normal(size=a.shape) for a in given[1:]], given[0]
    arrays = [asarray(a, namespace=library) for a in given[1:]]
    slopes = grad(total, argnums=tuple(range(len(arrays))))(*arrays)
    found = sum(np.sum(to_numpy(s) * a) for s, a in zip(slopes, along, strict=True))
    h = 1e-6
    ends = [
        total(*(a + s * h * b for a, b in zip(given[1:], along, strict=True))) for s in (1.0, -1.0)
    ]
    return found, (ends[0] - ends[1]) / (2.0 * h)


@pytest.mark.parametrize(
    ("kernel", "k"), [("linear", None), ("thin_plate_spline", 6), ("gaussian", None)]
)
@pytest.mark.parametrize("library", QUICK)
def test_gradients(library: str, kernel: str, k: int | None) -> None:
    """Follow points, values, smoothing, epsilon, and where the function is called."""

    def total(y: Any, d: Any, smoothing: Any, epsilon: Any, x: Any) -> Any:
        found = RBFInterpolator(y, d, k, smoothing, kernel, epsilon)(x)
        return array_namespace(found).sum(found * found)

    given = (POINTS, VALUES[:, 0, 0], RNG.uniform(0.1, 0.5, size=17), np.asarray(1.3), AT[:6])
    found, expected = _slope(total, library, *given)
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", [RBFInterpolator, NearestNDInterpolator])
@pytest.mark.parametrize("library", QUICK)
def test_objects_are_trees(library: str, kind: Any) -> None:
    y, d, at = (asarray(a, namespace=library) for a in (POINTS, VALUES, AT))
    made, expected = kind(y, d), kind(POINTS, VALUES)(AT)
    if library != "torch":  # which compiles it for a minute
        near(jit(lambda f, v: f(v))(made, at), expected, 1e-11)
        near(jit(lambda y, d, v: kind(y, d)(v))(y, d, at), expected, 1e-11)
    near(vmap(lambda v: made(v[None, :])[0, ...])(at), expected, 1e-11)
    if library == "numpy":
        near(pickle.loads(pickle.dumps(made))(AT), expected, 1e-11)


def test_bad_points() -> None:
    values = VALUES[:, 0, 0]
    for kwargs, words in (
        ({"kernel": "bump"}, "must be one of"),
        ({"kernel": "gaussian"}, "must be specified"),
        ({"smoothing": np.ones(3)}, "scalar or have shape"),
        ({"degree": -2}, "at least -1"),
        ({"degree": 9}, "At least 55 data points"),
    ):
        for one in (RBFInterpolator, judge.RBFInterpolator):
            with pytest.raises(ValueError, match=words):
                one(POINTS, values, **kwargs)
    with pytest.raises(errors.ArgumentError, match="at least 1"):
        RBFInterpolator(POINTS, values, 0)
    with pytest.raises(ValueError, match="At least 3 data points"):
        RBFInterpolator(POINTS, values, 2)
    with pytest.warns(UserWarning, match="should not be below 1"):
        RBFInterpolator(POINTS, values, degree=0)
    with pytest.raises(errors.ShapeError, match="2-dimensional"):
        RBFInterpolator(values, values)
    with pytest.raises(errors.ShapeError, match="to have length 17"):
        RBFInterpolator(POINTS, values[:4])
    with pytest.raises(errors.ShapeError, match="to have length 2"):
        RBFInterpolator(POINTS, values)(POINTS[:, :1])
    with pytest.raises(errors.ShapeError, match="points by coordinates"):
        RBFInterpolator(POINTS, values)(POINTS[0])
    with pytest.raises(errors.DtypeError, match="real"):
        RBFInterpolator(POINTS + 1j, values)
    with pytest.raises(np.linalg.LinAlgError, match="ingular"):
        RBFInterpolator(np.zeros((5, 2)), values[:5])
