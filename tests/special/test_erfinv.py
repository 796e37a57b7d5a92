"""The inverse error function against SciPy's in double precision."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import DtypeError
from likewise.special import erfinv
from likewise.special._erfinv import error_function
from likewise.testing import check_function


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_within_four_units(lib: Any, rng: Any, dtype: str) -> None:
    from scipy.special import erfinv as reference

    least = 6 if dtype == "float32" or not lib.has_float64 else 15
    x = np.concatenate(
        [rng.uniform(-1, 1, 2000), 1 - 10 ** rng.uniform(-least, 0, 2000), [1e-30, -1e-20]]
    ).astype(dtype if lib.has_float64 else "float32")
    x = x[(np.abs(x) < 1) & (x != 0)]
    got = lib.to_numpy(erfinv(lib.asarray(x)))
    assert got.dtype == x.dtype
    wanted = reference(x.astype("float64"))
    assert np.max(np.abs(got / wanted - 1)) <= 4 * np.finfo(x.dtype).eps


def test_special_values(lib: Any) -> None:
    got = lib.to_numpy(erfinv(lib.asarray([-1.0, 1.0, 1.5, -np.inf, np.nan, 0.0])))
    np.testing.assert_array_equal(got, [-np.inf, np.inf, np.nan, np.nan, np.nan, 0.0])


def test_shapes(lib: Any) -> None:
    assert lib.to_numpy(erfinv(lib.asarray(np.asarray(0.5)))).shape == ()
    assert lib.to_numpy(erfinv(lib.asarray(np.zeros((0, 3))))).shape == (0, 3)


def test_complex_is_refused(lib: Any) -> None:
    with pytest.raises(DtypeError, match="erfinv: argument 'y' must hold real numbers"):
        erfinv(lib.asarray(np.asarray([1j])))


@pytest.mark.full
@pytest.mark.needs("scipy")
def test_everywhere() -> None:
    from scipy.special import erfinv as reference

    check_function(erfinv, np.asarray([-0.99, -0.4, 0.1, 0.7, 0.96875]), reference=reference)


@pytest.mark.needs("jax", "torch")
def test_gradient_at_zero_and_next_to_one() -> None:
    """sqrt(pi) / 2 exp(erfinv^2); no branch that isn't taken spoils it."""
    import jax
    import torch

    x = np.asarray([0.0, 0.5, 0.999, 1 - 1e-12])
    wanted = np.sqrt(np.pi) / 2 * np.exp(erfinv(x) ** 2)
    with jax.enable_x64(True):
        got = jax.grad(lambda x: erfinv(x).sum())(jax.numpy.asarray(x))
    np.testing.assert_allclose(got, wanted, rtol=1e-10)
    t = torch.asarray(x, requires_grad=True)
    erfinv(t).sum().backward()
    np.testing.assert_allclose(t.grad, wanted, rtol=1e-10)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_function(rng: Any, dtype: str) -> None:
    from scipy.special import erf

    x = np.concatenate([rng.uniform(-7, 7, 5000), [0.0, np.inf, -np.inf]]).astype(dtype)
    got = error_function(likewise.namespace("numpy"), x)
    np.testing.assert_allclose(got, erf(x.astype("float64")), rtol=4 * np.finfo(dtype).eps)
    assert np.isnan(error_function(likewise.namespace("numpy"), np.asarray([np.nan])))[0]
