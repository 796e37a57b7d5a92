"""Nearest points of linear constraints, and the points of equations, against their conditions."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise import array_namespace
from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.optimize import affine_set, project_linear
from likewise.testing import assert_close
from likewise.transforms import jvp, vjp

RNG = np.random.default_rng(8)
pytestmark = pytest.mark.xp_skip({"strict-minimal": "has no extension linalg"})


def nearest(x: Any, a: Any, low: Any, high: Any) -> Any:
    """By SciPy."""
    rows = scipy.optimize.LinearConstraint(a, low, high)
    return scipy.optimize.minimize(
        lambda z: np.sum((z - x) ** 2) / 2,
        x,
        jac=lambda z: z - x,
        constraints=rows,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    ).x


@pytest.mark.filterwarnings("ignore:Equality and inequality")
def test_the_nearest_points_are_scipys(lib: Any) -> None:
    tol = 1e-6 if lib.has_float64 else 1e-4
    x, a = RNG.normal(size=(3, 5)), RNG.normal(size=(3, 4, 5))
    low = np.asarray([-np.inf, -0.2, 0.3, -0.1])
    high = np.asarray([0.5, np.inf, 0.3, 0.1])
    found = project_linear(*(lib.asarray(v) for v in (x, a, low, high)))
    want = [nearest(*pair, low, high) for pair in zip(x, a, strict=True)]
    assert_close(found, np.asarray(want), rtol=tol, atol=tol)
    one = project_linear(lib.asarray(x[0]), lib.asarray(a[0]), ub=0.2)
    assert_close(one, nearest(x[0], a[0], -np.inf, 0.2), rtol=tol, atol=tol)


def test_equations_need_no_search(lib: Any) -> None:
    """Also such that depend on each other; what contradicts itself is NaN, and that alone."""
    tol = 1e-12 if lib.has_float64 else 1e-4
    a = RNG.normal(size=(3, 6))
    a = np.concatenate([a, a[:1] + 2 * a[1:2]])
    x, b = RNG.normal(size=(2, 6)), a @ RNG.normal(size=6)
    off = np.stack([b, b + np.asarray([0, 0, 0, 1])])
    found = project_linear(*(lib.asarray(v) for v in (x, a, off, off)))
    want = x[0] + np.linalg.pinv(a) @ (b - a @ x[0])
    assert_close(found[0, ...], want, rtol=tol, atol=tol)
    assert np.all(np.isnan(lib.to_numpy(found)[1]))
    both = project_linear(*(lib.asarray(v) for v in (x[0], a[:1], [1.0], [0.0])))
    assert np.all(np.isnan(lib.to_numpy(both)))


@pytest.mark.parametrize("equal", [True, False], ids=["equations", "sides"])
def test_derivatives_against_differences(xp: Any, equal: bool) -> None:
    rng = np.random.default_rng(2)
    x, a, low, w = (rng.normal(size=s) for s in ((4,), (2, 4), (2,), (4,)))
    high = low if equal else low + 0.1
    given = [x, a, low, high]
    ways = [rng.normal(size=np.shape(v)) for v in given]
    ways[3] = ways[2] if equal else ways[3]

    def value(*v: Any) -> Any:
        sides = (v[2], v[2]) if equal else v[2:]
        out = project_linear(v[0], v[1], *sides)
        return array_namespace(out).sum(out * xp.asarray(w) + out * out)

    def moved(t: float) -> float:
        v = [g + t * way for g, way in zip(given, ways, strict=True)]
        out = project_linear(*v[:3], v[2] if equal else v[3])
        return float(np.sum(out * w + out * out))

    want = (moved(1e-6) - moved(-1e-6)) / 2e-6
    tol = 1e-6 if xp.variant.has_float64 else 1e-2
    arrays, tangents = ([xp.asarray(v) for v in vs] for vs in (given, ways))
    out, pull = vjp(value, *arrays)
    back = pull(0 * out + 1)
    found = sum(
        float(np.sum(np.asarray(xp.variant.to_numpy(g)) * way))
        for g, way in zip(back, ways, strict=True)
    )
    np.testing.assert_allclose(found, want, rtol=tol, atol=tol)
    along = jvp(value, tuple(arrays), tuple(tangents))[1]
    np.testing.assert_allclose(float(along), want, rtol=tol, atol=tol)


@pytest.mark.xp_skip({"jax-jit": "the basis' shape depends on values"})
def test_point_and_basis_are_all_solutions(lib: Any) -> None:
    tol = 1e-12 if lib.has_float64 else 1e-4
    a = RNG.normal(size=(2, 3, 6))
    a[:, 2] = a[:, 0] - a[:, 1]  # of rank 2
    b = np.einsum("kij,kj->ki", a, RNG.normal(size=(2, 6)))
    start = RNG.normal(size=6)
    point, basis = affine_set(*(lib.asarray(v) for v in (a, b, start)))
    assert point.shape == (2, 6) and basis.shape == (2, 6, 4)
    point, basis = lib.to_numpy(point), lib.to_numpy(basis)
    every = point + np.einsum("kij,j->ki", basis, RNG.normal(size=4))
    np.testing.assert_allclose(np.einsum("kij,kj->ki", a, every), b, atol=30 * tol)
    np.testing.assert_allclose(np.swapaxes(basis, 1, 2) @ basis, [np.eye(4)] * 2, atol=tol)
    np.testing.assert_allclose(np.einsum("kji,kj->ki", basis, point - start), 0, atol=30 * tol)
    least, _ = affine_set(lib.asarray(a[0]), lib.asarray(b[0]))
    assert_close(least, np.linalg.pinv(a[0]) @ b[0], rtol=tol, atol=tol)


def test_what_does_not_depend_on_the_choice_of_a_basis_has_derivatives(xp: Any) -> None:
    """The nearest point by the basis, whose matrix moves, is that of `project_linear`."""
    tol = 1e-10 if xp.variant.has_float64 else 1e-3
    rng = np.random.default_rng(4)
    a, b, v = (xp.asarray(rng.normal(size=s)) for s in ((2, 5), (2,), (5,)))

    def by_basis(a: Any, b: Any) -> Any:
        ns = array_namespace(a, b)
        point, basis = affine_set(a, b)
        return point + ns.matmul(basis, ns.matmul(ns.matrix_transpose(basis), v - point))

    way = [xp.asarray(rng.normal(size=s)) for s in ((2, 5), (2,))]
    mine = jvp(by_basis, (a, b), tuple(way))
    want = jvp(lambda a, b: project_linear(v, a, b, b), (a, b), tuple(way))
    for got, other in zip(mine, want, strict=True):
        assert_close(got, xp.variant.to_numpy(other), rtol=tol, atol=tol)


def test_what_is_refused() -> None:
    a, b = np.ones((2, 3)), np.ones(2)
    for x, sides in ((np.ones(2), b), (np.ones(3), np.ones(3))):
        with pytest.raises(ShapeError):
            project_linear(x, a, sides, sides)
    with pytest.raises(ShapeError, match="A must have shape"):
        affine_set(b, b)
    with pytest.raises(ArgumentError, match="one rank"):
        affine_set(np.stack([np.ones((2, 3)), np.eye(3)[:2]]), b)


@pytest.mark.needs("jax")
def test_in_jit() -> None:
    import jax

    a, b, x = (jax.numpy.asarray(RNG.normal(size=s)) for s in ((2, 4), (2,), (4,)))
    found = jax.jit(lambda x, b: project_linear(x, a, b, b + 1))(x, b)
    np.testing.assert_allclose(found, project_linear(x, a, b, b + 1), rtol=1e-5, atol=1e-5)
    with pytest.raises(NotSupported, match="outside of jit"):
        jax.jit(affine_set)(a, b)


@pytest.mark.xp_skip({"dask": "values and ranks of blocks are not at hand"})
def test_no_rows_and_values_that_are_missing(lib: Any) -> None:
    x, none = lib.asarray([1.0, 2.0]), lib.asarray(np.zeros((0, 2)))
    np.testing.assert_array_equal(lib.to_numpy(project_linear(x, none)), [1.0, 2.0])
    point, basis = affine_set(none, lib.asarray(np.zeros(0)), x)
    np.testing.assert_array_equal(lib.to_numpy(point), [1.0, 2.0])
    np.testing.assert_array_equal(lib.to_numpy(basis), np.eye(2))
    rows = lib.asarray([[[np.nan, 1.0]], [[1.0, 1.0]]])
    found = lib.to_numpy(project_linear(lib.asarray([[1.0, 2.0]] * 2), rows, 1.0, 1.0))
    np.testing.assert_allclose(found, [[np.nan, np.nan], [0.0, 1.0]], atol=1e-6)


def test_errors_name_the_function() -> None:
    with pytest.raises(ShapeError, match="affine_set: b must hold"):
        affine_set(np.ones((1, 2)), np.ones(3))
    with pytest.raises(ArgumentError, match="affine_set: A must be finite"):
        affine_set(np.asarray([[np.nan, 1.0]]), np.ones(1))
