"""Least squares without negative unknowns against SciPy and the conditions of optimality."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.optimize import NNLSResult, nnls
from likewise.testing import check_function
from likewise.transforms import grad

SIZES = [(9, 4), (4, 6), (3, 1)]


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-11) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tol = tol if lib.has_float64 else 2e-4
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


@pytest.mark.parametrize(("m", "n"), SIZES)
def test_batch_equals_scipy(lib: Any, rng: Any, m: int, n: int) -> None:
    a, b = rng.normal(size=(6, m, n)), rng.normal(size=(6, m))
    x, rnorm = nnls(lib.asarray(a), lib.asarray(b))
    found = [scipy.optimize.nnls(*pair) for pair in zip(a, b, strict=True)]
    near(lib, rnorm, [r for _, r in found])
    if m >= n:  # else there may be other solutions
        near(lib, x, [x for x, _ in found])
    out = lib.to_numpy(x)
    assert np.all(out >= 0)
    gradient = np.einsum("bmn,bm->bn", a, np.einsum("bmn,bn->bm", a, out) - b)
    tol = 1e-12 if lib.has_float64 else 1e-4
    assert np.all(gradient >= -tol) and np.all(np.abs(gradient * out) <= tol)


def test_one_problem(lib: Any) -> None:
    x, rnorm = nnls(
        lib.asarray([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), lib.asarray([2.0, 1.0, -1.0])
    )
    near(lib, x, [1.5, 0.0])
    near(lib, rnorm, np.sqrt(1.5))


def test_one_matrix_for_all_and_leading_dimensions(lib: Any, rng: Any) -> None:
    a, b = rng.uniform(size=(7, 3)), rng.normal(size=(2, 5, 7))
    x, rnorm = nnls(lib.asarray(a), lib.asarray(b))
    found = [[scipy.optimize.nnls(a, row) for row in rows] for rows in b]
    near(lib, x, [[x for x, _ in row] for row in found])
    near(lib, rnorm, [[r for _, r in row] for row in found])


def test_dependent_and_empty_columns(lib: Any, rng: Any) -> None:
    a = rng.normal(size=(9, 5))
    a[:, 3], a[:, 4] = a[:, 1], 0.0
    b = rng.normal(size=9)
    x, rnorm = nnls(lib.asarray(a), lib.asarray(b))
    near(lib, rnorm, scipy.optimize.nnls(a, b)[1])
    assert np.all(np.isfinite(lib.to_numpy(x))) and np.all(lib.to_numpy(x) >= 0)


def test_many_unknowns(rng: Any) -> None:
    a, b = rng.uniform(size=(120, 60)), rng.uniform(size=120)
    x, rnorm = nnls(a, b)
    expected = scipy.optimize.nnls(a, b)
    np.testing.assert_allclose(x, expected[0], atol=1e-11)
    assert abs(rnorm - expected[1]) < 1e-12


def test_scale_does_not_matter(rng: Any) -> None:
    a, b = rng.normal(size=(12, 4)), rng.normal(size=12)
    units = np.asarray([1e-150, 1e-6, 1.0, 1e150])
    x, _ = nnls(a / units, 1e20 * b)
    np.testing.assert_allclose(x / units / 1e20, scipy.optimize.nnls(a, b)[0], rtol=1e-11)


def test_bad_data_spoil_no_other(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(3, 6, 2)), rng.normal(size=(3, 6))
    b[1, 2] = np.nan
    result = nnls(lib.asarray(a), lib.asarray(b), full_output=True)
    assert isinstance(result, NNLSResult)
    assert lib.to_numpy(result.status).tolist() == [1, -1, 1]
    assert np.all(np.isnan(lib.to_numpy(result.x)[1]))
    near(lib, result.x[2, ...], scipy.optimize.nnls(a[2], b[2])[0])
    assert "2 of 3" in result.summary()


def test_cut_short(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(6, 9)), rng.normal(size=6)
    result = nnls(lib.asarray(a), lib.asarray(b), maxiter=2, full_output=True)
    assert int(result.status) == 0 and int(result.nit) == 2 and not bool(result.success)
    assert np.all(lib.to_numpy(result.x) >= 0)


@pytest.mark.long("jax-jit")
def test_gradient(lib: Any, rng: Any) -> None:
    """Of a random combination of the solution, against differences of SciPy's."""
    a, b, c = rng.normal(size=(2, 6, 3)), rng.normal(size=(2, 6)), rng.normal(size=(2, 3))

    def combined(a: Any, b: Any) -> Any:
        xp = likewise.array_namespace(a, b)
        return xp.sum(nnls(a, b)[0] * lib.asarray(c))

    got = grad(combined, (0, 1))(lib.asarray(a), lib.asarray(b))

    def by_scipy(a: Any, b: Any) -> float:
        return float(sum(scipy.optimize.nnls(a[i], b[i])[0] @ c[i] for i in range(2)))

    for k, (base, out) in enumerate(zip((a, b), got, strict=True)):
        expected = np.empty_like(base)
        for i in np.ndindex(*base.shape):
            by = np.zeros_like(base)
            by[i] = 1e-6
            pairs = [(a + s * by, b) if k == 0 else (a, b + s * by) for s in (1, -1)]
            expected[i] = (by_scipy(*pairs[0]) - by_scipy(*pairs[1])) / 2e-6
        np.testing.assert_allclose(
            lib.to_numpy(out), expected, rtol=1e-5, atol=1e-7 if lib.has_float64 else 5e-3
        )


def test_bad_input() -> None:
    a, b = np.ones((3, 2)), np.ones(3)
    with pytest.raises(ShapeError, match="nnls: A must have shape"):
        nnls(a, np.ones(2))
    with pytest.raises(ShapeError, match="broadcast"):
        nnls(np.ones((2, 3, 2)), np.ones((4, 3)))
    with pytest.raises(DtypeError, match="real numbers"):
        nnls(a + 1j, b)
    with pytest.raises(ArgumentError, match="maxiter"):
        nnls(a, b, maxiter=0)


@pytest.mark.full  # compiles much
def test_capabilities(rng: Any) -> None:
    """What one line proves of it, the loop declared."""
    a, b = rng.normal(size=(3, 6, 2)), rng.normal(size=(3, 6))
    found = [scipy.optimize.nnls(*pair) for pair in zip(a, b, strict=True)]
    check_function(
        nnls,
        a,
        b,
        reference=lambda a, b: tuple(np.stack(v) for v in zip(*found, strict=True)),
        compile="the iterations look at values",
        vmap=False,
        batch=True,
        tol={"float32": 1e-4},
        libraries=["numpy-readonly", "strict-device1", "strict-minimal", "torch", "jax"],
        scalars=3,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.nnls",
    )


def test_no_problems(xp: Any) -> None:
    x, rnorm = nnls(xp.asarray(np.ones((0, 4, 2))), xp.asarray(np.ones((0, 4))))
    assert (tuple(x.shape), tuple(rnorm.shape)) == ((0, 2), (0,))


def test_a_right_side_as_a_column_and_scipys_corner(lib: Any) -> None:
    """Of several solutions it is that of Lawson and Hanson's order, as SciPy's."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        a, b = rng.normal(size=(4, 8)) * 10.0 ** rng.integers(-1, 2, size=8), rng.normal(size=4)
        x, rnorm = nnls(lib.asarray(a), lib.asarray(b[:, None]))
        wanted, rest = scipy.optimize.nnls(a, b)
        near(lib, x, wanted, 1e-8)
        near(lib, rnorm, rest, 1e-8)
