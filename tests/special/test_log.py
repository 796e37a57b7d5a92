"""The logarithm of basic arithmetic against NumPy's in double precision."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import DtypeError
from likewise.special import log1p
from likewise.testing import check_function


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_within_two_units(lib: Any, rng: Any, dtype: str) -> None:
    least = 30 if dtype == "float32" or not lib.has_float64 else 290
    x = np.concatenate([10 ** rng.uniform(-least, 30, 2000), -(10 ** rng.uniform(-least, 0, 2000))])
    x = x.astype(dtype if lib.has_float64 else "float32")
    x = x[x > -1]
    got = lib.to_numpy(log1p(lib.asarray(x)))
    assert got.dtype == x.dtype
    wanted = np.log1p(x.astype("float64"))
    assert np.max(np.abs(got / wanted - 1)) <= 2 * np.finfo(x.dtype).eps


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(lib: Any, dtype: str) -> None:
    most = 3e38 if dtype == "float32" or not lib.has_float64 else 1e308
    x = np.asarray([-1.0, -2.0, -np.inf, np.inf, np.nan, 0.0, most], dtype=dtype)
    got = lib.to_numpy(log1p(lib.asarray(x)))
    wanted = [-np.inf, np.nan, np.nan, np.inf, np.nan, 0.0, np.log(most)]
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_shapes(lib: Any) -> None:
    assert lib.to_numpy(log1p(lib.asarray(np.asarray(0.5)))).shape == ()
    assert lib.to_numpy(log1p(lib.asarray(np.zeros((0, 3))))).shape == (0, 3)


def test_complex_is_refused(lib: Any) -> None:
    with pytest.raises(DtypeError, match="log1p: argument 'x' must hold real numbers"):
        log1p(lib.asarray(np.asarray([1j])))


def test_everywhere() -> None:
    check_function(log1p, np.asarray([-0.9, -1e-3, 0.2, 3.0, 1e4]), reference=np.log1p)
