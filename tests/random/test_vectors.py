"""Normal vectors."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, ShapeError

COV = np.asarray([[2.0, 0.6], [0.6, 1.0]])


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


def test_moments(lib: Any) -> None:
    mean = np.asarray([1.0, -2.0])
    got = lib.to_numpy(lr.multivariate_normal(make(lib), lib.asarray(mean), lib.asarray(COV), 4000))
    assert got.shape == (4000, 2)
    np.testing.assert_allclose(got.mean(axis=0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(got.T), COV, atol=0.2)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("n", [2, 20])
def test_equals_jax(rng: Any, n: int) -> None:
    import jax

    a = rng.normal(size=(n, n))
    cov, mean = a @ a.T + n * np.eye(n), rng.normal(size=n)
    with jax.enable_x64(True):
        wanted = jax.random.multivariate_normal(jax.random.key(1), mean, cov, (30,))
    np.testing.assert_allclose(
        lr.multivariate_normal(lr.key(1), mean, cov, 30), wanted, rtol=1e-9, atol=1e-9
    )


def test_batches(lib: Any) -> None:
    mean = lib.asarray(np.zeros((3, 1, 2)))
    cov = lib.asarray(np.stack([COV] * 4))
    assert lib.to_numpy(lr.multivariate_normal(make(lib), mean, cov)).shape == (3, 4, 2)


def test_bad_input(lib: Any) -> None:
    key = make(lib)
    with pytest.raises(ShapeError, match=r"mean must have shape \(..., n\) and cov"):
        lr.multivariate_normal(key, lib.asarray(np.zeros(3)), lib.asarray(COV))
    bad = lib.asarray([[1.0, 2.0], [2.0, 1.0]])
    if likewise.is_lazy(bad):
        assert np.any(
            np.isnan(lib.to_numpy(lr.multivariate_normal(key, np.zeros(2).tolist(), bad)))
        )
    elif not lib.jit:
        with pytest.raises(ArgumentError, match="cov must be positive definite"):
            lr.multivariate_normal(key, [0.0, 0.0], bad)


def test_covariances_alone_may_be_many(lib: Any) -> None:
    """The leading dimensions of the result are those of `cov` where `mean` has none."""
    cov = np.asarray([4.0, 1.0])[:, None, None] * np.eye(2)
    mean = np.asarray([1.0, 2.0])
    got = lib.to_numpy(
        lr.multivariate_normal(make(lib), lib.asarray(mean, "float32"), lib.asarray(cov, "float32"))
    )
    assert got.shape == (2, 2)
    wanted = lr.normal(lr.key(42), (2, 2), "float32") * np.asarray([[2.0], [1.0]]) + mean
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
