"""Gamma and beta: distributions against SciPy's, equality across libraries, bad input."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, ShapeError


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("a", [0.1, 0.9, 1.0, 2.5, 50.0, 1e4])
def test_gamma_fits(a: float, dtype: str) -> None:
    from scipy import stats

    x = lr.gamma(lr.key(5), a, 20000, dtype)
    assert x.dtype == dtype
    assert stats.kstest(x.astype("float64"), stats.gamma(a).cdf).pvalue > 1e-4


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1.0, 3.0), (2.0, 5.0), (200.0, 30.0)])
def test_beta_fits(a: float, b: float, dtype: str) -> None:
    from scipy import stats

    x = lr.beta(lr.key(6), a, b, 20000, dtype)
    assert stats.kstest(x.astype("float64"), stats.beta(a, b).cdf).pvalue > 1e-4


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("a", [1e6, 1e10])
def test_large_parameters_in_single_precision(a: float) -> None:
    """As many values as float32 holds there, of the right mean: not the logarithm's few."""
    from scipy import stats

    x = lr.gamma(lr.key(5), a, 20000, "float32")
    held = (x.max() - x.min()) / np.spacing(np.float32(a))
    assert len(np.unique(x)) > 0.6 * min(held, 20000)
    y = x.astype("float64")
    assert abs(y.mean() - a) < 4 * np.sqrt(a / 20000)
    assert abs(y.std() / np.sqrt(a) - 1) < 0.02
    x = lr.beta(lr.key(6), a, 2 * a, 20000, "float32").astype("float64")
    true = stats.beta(a, 2 * a)
    assert abs(x.mean() - true.mean()) < 4 * true.std() / np.sqrt(20000) + 1e-8
    assert abs(x.std() / true.std() - 1) < 0.03


@pytest.mark.parametrize(
    ("a", "b", "mean"),
    [(1e-38, 3e-38, 0.25), (1e30, 1.0, 1.0), (1e-3, 1e30, 0.0), (3e38, 3e38, 0.5)],
)
def test_extreme_parameters_give_no_nan(a: float, b: float, mean: float) -> None:
    x = lr.beta(lr.key(0), a, b, 2000, "float32")
    assert np.all((x >= 0) & (x <= 1))
    assert abs(float(x.mean(dtype="float64")) - mean) < 0.04
    assert np.all(lr.gamma(lr.key(0), max(a, b), 5, "float32") >= 0)


def test_small_parameters_give_no_nan() -> None:
    x = lr.beta(lr.key(0), 1e-3, 1e-3, 2000, "float32")
    assert np.all((x >= 0) & (x <= 1))
    assert abs(x.mean() - 0.5) < 0.06


def test_libraries_agree(lib: Any) -> None:
    a = np.asarray([0.3, 1.0, 7.0], "float32")
    got = lib.to_numpy(lr.gamma(make(lib), lib.asarray(a), (400, 3)))
    wanted = lr.gamma(lr.key(42), a, (400, 3))
    assert got.dtype == wanted.dtype == "float32"
    assert np.mean(~np.isclose(got, wanted, rtol=1e-4)) <= 1e-3
    got = lib.to_numpy(lr.beta(make(lib), lib.asarray(a), 2.0, (400, 3)))
    assert np.mean(~np.isclose(got, lr.beta(lr.key(42), a, 2.0, (400, 3)), rtol=1e-4)) <= 1e-3


@pytest.mark.needs("jax", "torch")
@pytest.mark.full
def test_traced() -> None:
    import jax
    import torch

    a = np.asarray([0.5, 3.0], "float32")
    wanted = lr.gamma(lr.key(3), a, (50, 2))
    key = lr.key(3, namespace="jax")
    got = jax.jit(lambda a: lr.gamma(key, a, (50, 2)))(a)
    np.testing.assert_allclose(got, wanted, rtol=1e-4)
    own = lr.key(3, namespace="torch")
    compiled = torch.compile(lambda a: lr.gamma(own, a, (50, 2)), fullgraph=True, backend="eager")
    np.testing.assert_allclose(compiled(torch.asarray(a)), wanted, rtol=1e-4)


def test_shapes(lib: Any) -> None:
    key = make(lib)
    assert lib.to_numpy(lr.gamma(key, 2.0)).shape == ()
    assert lib.to_numpy(lr.gamma(key, 2.0, (0, 3))).shape == (0, 3)
    with pytest.raises(ShapeError, match="beta: shapes must broadcast"):
        lr.beta(key, lib.asarray([1.0, 2.0]), lib.asarray([1.0, 2.0, 3.0]))


def test_bad_input(lib: Any) -> None:
    key, bad = make(lib), lib.asarray([1.0, -1.0, 0.0])
    for value in (np.inf, np.nan):
        with pytest.raises(ArgumentError, match="beta: b must be positive and finite, got"):
            lr.beta(lr.key(0), 1.0, value)
    with pytest.raises(ArgumentError, match="gamma: a must be positive"):
        lr.gamma(key, bad) if not (lib.jit or likewise.is_lazy(bad)) else lr.gamma(lr.key(0), -1.0)
    if likewise.is_lazy(bad):
        got = lib.to_numpy(lr.gamma(key, bad))
        np.testing.assert_array_equal(np.isnan(got), [False, True, True])
        got = lib.to_numpy(lr.beta(key, 1.0, bad))
        np.testing.assert_array_equal(np.isnan(got), [False, True, True])


@pytest.mark.needs("jax")
def test_bad_input_under_jit() -> None:
    import jax

    key = lr.key(0, namespace="jax")
    got = jax.jit(lambda a: lr.gamma(key, a))(np.asarray([1.0, -1.0, 0.0], "float32"))
    np.testing.assert_array_equal(np.isnan(got), [False, True, True])
