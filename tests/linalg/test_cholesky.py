"""Unrolled Cholesky against NumPy's LAPACK in double precision."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ShapeError
from likewise.linalg import cho_factor, cho_solve
from likewise.testing import check_function

from .systems import compare, dtype_of


def skew(rng: np.random.Generator, n: int) -> Any:
    a = rng.normal(size=(n, n))
    return a - a.T


def spd(rng: np.random.Generator, *shape: int) -> Any:
    a = rng.normal(size=(*shape, shape[-1]))
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])


@pytest.mark.parametrize("n", [1, 2, 3, 9])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equals_lapack(lib: Any, n: int, dtype: str, rng: Any, tolerance: Any) -> None:
    a, b = spd(rng, 2, 3, n), rng.normal(size=(2, 3, n, 2))
    c, lower = cho_factor(lib.asarray(a, dtype), lower=True)
    assert lower is True
    got = lib.to_numpy(c)
    assert got.dtype == (dtype if lib.has_float64 else "float32")
    rtol = tolerance(got.dtype)
    np.testing.assert_allclose(got, np.linalg.cholesky(a), rtol=rtol, atol=rtol)
    x = cho_solve((c, lower), lib.asarray(b, dtype))
    np.testing.assert_allclose(lib.to_numpy(x), np.linalg.solve(a, b), rtol=5 * rtol, atol=rtol)


def test_vector_and_broadcast(lib: Any, rng: Any) -> None:
    a = spd(rng, 4, 3)
    c, lower = cho_factor(lib.asarray(a))
    x = cho_solve((c, lower), lib.asarray([1.0, 2.0, 3.0]))
    expected = np.linalg.solve(a, np.asarray([[1.0], [2.0], [3.0]]))[..., 0]
    np.testing.assert_allclose(
        lib.to_numpy(x), expected, rtol=1e-4 if not lib.has_float64 else 1e-12
    )


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
def test_one_bad_matrix_spoils_no_other(lib: Any, rng: Any) -> None:
    a = spd(rng, 3, 2)
    a[1] = [[1.0, 2.0], [2.0, 1.0]]
    got = lib.to_numpy(cho_factor(lib.asarray(a), lower=True)[0])
    np.testing.assert_allclose(got[[0, 2]], np.linalg.cholesky(a[[0, 2]]), rtol=1e-5)
    assert np.isnan(got[1, 1, 1])


def test_empty(lib: Any) -> None:
    c, lower = cho_factor(lib.asarray(np.ones((2, 0, 0))))
    assert lib.to_numpy(c).shape == (2, 0, 0)
    assert lib.to_numpy(cho_solve((c, lower), lib.asarray(np.ones((2, 0, 4))))).shape == (2, 0, 4)
    one = lib.asarray(np.ones((0, 4)))  # broadcast to the batch, as elsewhere
    assert lib.to_numpy(cho_solve((c, lower), one)).shape == (2, 0, 4)


@pytest.mark.needs("jax", "torch")
def test_jit_and_gradient(rng: Any) -> None:
    import jax
    import jax.numpy as jnp
    import torch

    a, b, w = spd(rng, 3), rng.normal(size=3), rng.normal(size=3)
    # d (w . a^-1 b) along da is -(a^-1 w) . da (a^-1 b), for symmetric a.
    probe = rng.normal(size=(3, 3))
    probe = probe + probe.T
    expected = -np.linalg.solve(a, w) @ probe @ np.linalg.solve(a, b)

    def value(a: Any, b: Any, w: Any) -> Any:
        return (w * cho_solve(cho_factor(a), b)).sum()

    by_jax = jax.jit(jax.grad(value))(jnp.asarray(a), jnp.asarray(b), jnp.asarray(w))
    np.testing.assert_allclose(np.sum(np.asarray(by_jax) * probe), expected, rtol=1e-10)
    t = torch.asarray(a, requires_grad=True)
    value(t, torch.asarray(b), torch.asarray(w)).backward()
    np.testing.assert_allclose(np.sum(t.grad.numpy() * probe), expected, rtol=1e-10)


def test_refuses(rng: Any) -> None:
    with pytest.raises(ShapeError, match=r"cho_factor: a must have shape \(\.\.\., n, n\)"):
        cho_factor(np.ones((2, 3)))
    c, _ = cho_factor(spd(rng, 2))
    with pytest.raises(ShapeError, match="cho_solve: c"):
        cho_solve((c, True), np.ones(3))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [1, 3, 10])
def test_complex_matrices_and_both_triangles(lib: Any, n: int, lower: bool, rng: Any) -> None:
    """Only one triangle is read, and of the diagonal only the real part."""
    if (lib.jit or lib.library == "dask") and n != 3:
        return  # compiles, or makes a graph, of all steps
    for a in (spd(rng, n), spd(rng, 2, n) + 0.3j * skew(rng, n)):
        expected = np.linalg.cholesky(a)
        expected = expected if lower else np.conj(np.swapaxes(expected, -1, -2))
        given = np.where((np.tri(n) if lower else np.tri(n).T) > 0, a, np.nan)
        given = given + (2j * np.eye(n) if a.dtype.kind == "c" else 0)
        c, flag = cho_factor(lib.asarray(dtype_of(lib, given)), lower)
        assert flag is lower
        compare(lib, c, expected)
        b = rng.normal(size=(n, 2)) * (1j if a.dtype.kind == "c" else 1)
        compare(lib, cho_solve((c, lower), lib.asarray(dtype_of(lib, b))), np.linalg.solve(a, b))


@pytest.mark.full
def test_capabilities(rng: Any) -> None:
    a, b = spd(rng, 3), rng.normal(size=3)

    def symmetric(a: Any) -> Any:  # so that differences of a single entry mean something
        return (a + likewise.array_namespace(a).matrix_transpose(a)) / 2

    check_function(
        lambda a: cho_factor(symmetric(a), lower=True)[0],
        a,
        reference=np.linalg.cholesky,
        name="likewise.linalg.cho_factor",
    )
    check_function(
        lambda a, b: cho_solve(cho_factor(symmetric(a)), b),
        a,
        b,
        reference=np.linalg.solve,
        tol={"float32": 1e-4},
        name="likewise.linalg.cho_solve",
    )


@pytest.mark.parametrize("n", [1, 3, 9])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_routine_equals_generic_body(n: int, batch: Any, lib: Any, rng: Any) -> None:
    if lib.library == "jax" and n == 9:
        n = 4  # eager JAX compiles each step of the generic loop
    a, b = lib.asarray(spd(rng, *batch, n)), lib.asarray(rng.normal(size=(*batch, n, 2)))
    factor, own = cho_factor(a), cho_factor.generic(a)  # type: ignore[attr-defined]
    rtol = 1e-10 if lib.has_float64 else 1e-4
    np.testing.assert_allclose(lib.to_numpy(factor[0]), lib.to_numpy(own[0]), rtol=rtol, atol=rtol)
    assert factor[0].dtype == own[0].dtype
    x, y = cho_solve(own, b), cho_solve.generic(own, b)  # type: ignore[attr-defined]
    np.testing.assert_allclose(lib.to_numpy(x), lib.to_numpy(y), rtol=rtol, atol=rtol)
    assert x.dtype == y.dtype and tuple(x.shape) == tuple(y.shape)
