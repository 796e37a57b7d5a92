"""The logarithm of 1 + x and products with it, real against NumPy's and complex against SciPy's."""

from typing import Any

import numpy as np
import pytest

from likewise.special import log1p, xlog1py, xlogy
from likewise.testing import check_function
from likewise.transforms import grad, jvp


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


def near_the_circle(rng: Any) -> Any:
    """Numbers of all sizes, and some for which 1 + z has an absolute value next to 1."""
    z = np.exp(rng.uniform(-30, 30, 200) + 1j * rng.uniform(-np.pi, np.pi, 200))
    circle = np.exp(1j * rng.uniform(-np.pi, np.pi, 100)) - 1
    return np.concatenate([z, circle, circle * 1e-3, [1e-20 + 1e-20j, -0.25 + 0.25j, -2 + 1e-9j]])


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("func", [log1p, xlogy, xlog1py])
def test_complex(lib: Any, rng: Any, func: Any) -> None:
    """SciPy's are computed in double precision, in part in twice that."""
    import scipy.special

    kind = "complex128" if lib.has_float64 else "complex64"
    z = near_the_circle(rng).astype(kind)
    args = (z,) if func is log1p else (z[::-1].copy(), z)
    expected = getattr(scipy.special, func.__name__)(*(a.astype("complex128") for a in args))
    got = lib.to_numpy(func.generic(*map(lib.asarray, args)))
    assert got.dtype == kind
    assert np.max(np.abs(got / expected - 1)) < 3 * np.finfo(kind).eps
    mixed = lib.to_numpy(func(lib.asarray(args[0]), *(2.0 for _ in args[1:])))
    assert mixed.dtype == kind


# By mpmath, of 60 and of 120 digits: next to the circle on which 1 + z has the length 1.
CIRCLE = [-0.4 + 0.8j, -1.6 - 0.8j, -2 + 1e-9j, -0.02 + 0.2j, -1.28 + 0.96j, -5e-13 + 1e-6j]
REAL_PARTS = {
    "complex128": [2.2204460492503132e-17, 8.881784197001252e-17, 5e-19, 0.00019996001066346951,
                   -2.6645352591003756e-17, 1.2496480478801125e-25],
    "complex64": [5.960464530829767e-09, 2.3841857696993432e-08, 4.999999717180689e-19,
                  0.00019996104439056717, -2.8610229671244265e-08, -5.267308890604575e-22],
}  # fmt: skip


@pytest.mark.parametrize("kind", REAL_PARTS)
def test_real_part_next_to_its_zeros(lib: Any, kind: str, leave_out: Any) -> None:
    leave_out("float64", kind == "complex128" and not lib.has_float64)
    got = lib.to_numpy(log1p.generic(lib.asarray(np.asarray(CIRCLE, kind))))
    eps = np.finfo(kind).eps
    np.testing.assert_allclose(got.real, REAL_PARTS[kind], rtol=4 * eps, atol=eps**2)


@pytest.mark.needs("scipy")
def test_complex_edges(lib: Any) -> None:
    import scipy.special

    inf, nan = np.inf, np.nan
    z = [0j, -1, -2, complex(-2, -0.0), inf, -inf, complex(-inf, -0.0), complex(0, inf)]
    z = np.asarray([*z, complex(inf, inf), complex(inf, nan), complex(nan, 0), complex(1, nan)])
    z = z.astype("complex128" if lib.has_float64 else "complex64")
    got = lib.to_numpy(log1p.generic(lib.asarray(z)))
    np.testing.assert_allclose(got, scipy.special.log1p(z), rtol=1e-6)
    zero = np.zeros_like(z)
    for func, theirs in ((xlogy, scipy.special.xlogy), (xlog1py, scipy.special.xlog1py)):
        got = lib.to_numpy(func.generic(lib.asarray(zero), lib.asarray(z)))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(theirs(zero, z)))
        assert np.all(got[~np.isnan(got)] == 0)


def test_complex_derivatives(lib: Any) -> None:
    z = np.asarray([0.3 - 0.2j, -2 + 0.1j, 0, 1e-3j], "complex64")
    w = np.asarray([1 + 1j, 0, 2, -1j], "complex64")
    one = lib.asarray(np.ones(4, "complex64"))
    _, along = jvp(log1p, (lib.asarray(z),), (one,))
    np.testing.assert_allclose(lib.to_numpy(along), 1 / (1 + z), rtol=1e-6)
    _, along = jvp(lambda z: xlog1py(lib.asarray(w), z), (lib.asarray(z),), (one,))
    np.testing.assert_allclose(lib.to_numpy(along), w / (1 + z), rtol=1e-6)
    _, along = jvp(lambda w: xlog1py(w, lib.asarray(z)), (lib.asarray(w),), (one,))
    np.testing.assert_allclose(lib.to_numpy(along), np.log(1 + z.astype(complex)), atol=1e-6)


def test_derivatives_where_both_vanish(lib: Any) -> None:
    """0 times the logarithm is 0 whatever its argument, so there is no NaN; log(0) is infinite."""
    zero, one = (lib.asarray(np.asarray(x, "float32")) for x in (0.0, 1.0))
    for func, edge in ((xlogy, zero), (xlog1py, -one)):
        assert float(lib.to_numpy(grad(func, 1)(zero, edge))) == 0
        assert float(lib.to_numpy(grad(func)(zero, edge))) == -np.inf
        mixed = grad(lambda x, y, func=func: grad(func, 1)(x, y))(zero, edge + 2)
        assert float(lib.to_numpy(mixed)) == 0.5


def test_everywhere() -> None:
    check_function(log1p, np.asarray([-0.9, -1e-3, 0.2, 3.0, 1e4]), reference=np.log1p)
