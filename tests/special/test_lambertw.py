"""Lambert's W function: edges, cuts, branches, derivatives."""

import math
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import DtypeError, TransformError
from likewise.special import lambertw
from likewise.transforms import grad, jvp, vjp

from .reference import read

BRANCHES = np.asarray([[-2], [-1], [0], [1], [2]])


def on(lib: Any, z: Any, k: Any = 0) -> Any:
    z = np.asarray(z, "complex64" if not lib.has_float64 else "complex128")
    return lib.to_numpy(lambertw(lib.asarray(z), k if isinstance(k, int) else lib.asarray(k)))


@pytest.mark.needs("scipy")
def test_edges(lib: Any) -> None:
    """As SciPy has them, but for infinities that SciPy doesn't know the direction of."""
    import scipy.special

    z = np.asarray([0, complex(-0.0, 0), np.inf, -np.inf, -2, -0.1, -0.35, 1e30, 1e-30])
    expected = scipy.special.lambertw(z, BRANCHES)
    found = on(lib, z, BRANCHES)
    rtol = 1e-13 if lib.has_float64 else 1e-6
    np.testing.assert_allclose(found.real, expected.real, rtol=rtol)
    np.testing.assert_allclose(found.imag, expected.imag, rtol=rtol)
    real = expected.imag == 0
    np.testing.assert_array_equal(np.signbit(found[real].imag), np.signbit(expected[real].imag))
    np.testing.assert_array_equal(np.signbit(found[2, :2].real), [False, True])


def test_infinities_and_nan(lib: Any) -> None:
    z = np.asarray([complex(0, np.inf), complex(1, -np.inf), complex(-np.inf, np.inf)])
    found = on(lib, z, BRANCHES)
    assert np.all(found.real == np.inf)
    expected = np.angle([1j, -1j, -1 + 1j]) + 2 * np.pi * BRANCHES
    np.testing.assert_allclose(found.imag, expected, rtol=1e-6)
    z = np.asarray([complex(np.nan, 0), complex(1, np.nan), complex(np.inf, np.nan)])
    found = on(lib, z, BRANCHES)
    assert np.all(np.isnan(found.real) & np.isnan(found.imag))


def test_sides_of_the_cuts(lib: Any, leave_out: Any) -> None:
    """W(conj(z)) on branch -k is the conjugate, so below the cut what is above it on the other."""
    z = np.asarray([-0.1, -0.3678, -0.37, -1.0, -20.0], dtype="complex128")
    above, below = on(lib, z, BRANCHES), on(lib, np.conj(z), BRANCHES)
    mirrored = np.conj(above[::-1])
    mirrored[1, :2] = above[1, :2]  # but branch -1 is real from -1/e to 0 on either side
    np.testing.assert_allclose(below, mirrored, rtol=1e-12 if lib.has_float64 else 1e-5)
    assert np.all(np.isreal(above[1, :2])) and np.all(above[1, :2].real < -1)
    assert np.all(above[2, 2:].imag > 0) and np.all(below[2, 2:].imag < 0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_at_the_branch_point(lib: Any, dtype: str, leave_out: Any) -> None:
    """The numbers next to -1/e, of which 1 + e z rounds to nothing, have half of their digits."""
    leave_out("float64", dtype == "float64" and not lib.has_float64)
    x = np.asarray(-math.exp(-1), dtype)
    x = np.asarray([x, np.nextafter(x, x.dtype.type(0)), np.nextafter(x, x.dtype.type(-1))])
    # -1/e is -0.36787944117144233402427744294982 to 32 digits; what a number has beyond:
    beyond = (x.astype(float) + 0.36787944117144233) - 1.2428753672788363e-17
    p = np.sqrt(2 * np.e * beyond.astype(complex))
    for k, sign in ((0, 1), (-1, -1)):
        found = lib.to_numpy(lambertw(lib.asarray(x), k))
        expected = -1 + sign * p - p**2 / 3
        assert np.max(np.abs(found - expected)) <= np.finfo(dtype).eps
        np.testing.assert_allclose(found.imag, (sign * p).imag, rtol=1e-3)


def test_real_numbers_become_complex(lib: Any) -> None:
    found = lib.to_numpy(lambertw(lib.asarray(np.asarray([0.0, 1.0, -1.0], "float32"))))
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, [0, 0.56714329, -0.31813151 + 1.33723570j], rtol=1e-6)
    assert lib.to_numpy(lambertw(lib.asarray(np.arange(3)), 1)).dtype.kind == "c"


def test_branches_are_whole_numbers(lib: Any) -> None:
    z = lib.asarray(np.asarray([0.3 + 1j], "complex64"))
    k = np.asarray([[0.0], [1.9], [-1.9]], "float32")
    np.testing.assert_array_equal(
        lib.to_numpy(lambertw(z, lib.asarray(k))),
        np.stack([lib.to_numpy(lambertw(z, n)) for n in (0, 1, -1)]),
    )
    with pytest.raises(DtypeError, match="lambertw: argument 'k' must hold real numbers"):
        lambertw(z, z)
    with pytest.raises(DtypeError, match="lambertw: argument 'k' must hold real numbers"):
        lambertw(z, 1j)
    with pytest.raises(TransformError, match="no derivative in k"):
        grad(lambda k: array_namespace(k).sum(array_namespace(k).real(lambertw(z, k))))(
            lib.asarray(np.asarray(1.0, "float32"))
        )


def test_solves_its_equation(lib: Any, rng: Any, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)
    z = rng.normal(size=40) * 3 + 3j * rng.normal(size=40)
    w = on(lib, z, BRANCHES)
    np.testing.assert_allclose(w * np.exp(w), np.broadcast_to(z, w.shape), rtol=1e-13)
    assert np.all(np.diff(w.imag, axis=0) > 0)  # the branches lie one above the other


def test_derivatives(lib: Any, rng: Any, leave_out: Any) -> None:
    """Against mpmath's, by a random cotangent in the library's own mode; next to -1/e too."""
    leave_out("float64", not lib.has_float64)
    table = read("lambertw")
    size = np.abs(table.partials[0])
    table = table.of((size < 1e100) & (size > 1e-100))
    z, k = lib.asarray(table.args[0]), lib.asarray(table.args[1])
    cotangent = rng.normal(size=table.value.size) + 1j * rng.normal(size=table.value.size)
    expected = cotangent * table.partials[0]
    _, along = jvp(lambda z: lambertw(z, k), (z,), (lib.asarray(cotangent),))
    np.testing.assert_allclose(lib.to_numpy(along), expected, rtol=1e-9)
    _, pull = vjp(lambda z: lambertw(z, k), z)
    np.testing.assert_allclose(lib.to_numpy(pull(lib.asarray(cotangent))[0]), expected, rtol=1e-9)


def test_derivatives_at_zero(lib: Any) -> None:
    """W(x) = x - x^2 + 3/2 x^3 - ..., with no NaN there; on other branches they are infinite."""

    def real_part(x: Any, k: int = 0) -> Any:
        return array_namespace(x).real(lambertw(x, k))

    zero = lib.asarray(np.asarray(0.0, "float32"))
    assert float(lib.to_numpy(grad(real_part)(zero))) == 1
    np.testing.assert_allclose(lib.to_numpy(grad(grad(real_part))(zero)), -2, rtol=1e-6)
    with np.errstate(invalid="ignore"):  # inf + 0j times 1 has no imaginary part
        slope = grad(lambda x: real_part(x, -1))(zero)
    assert float(lib.to_numpy(slope)) == np.inf


def test_second_derivatives(lib: Any, leave_out: Any) -> None:
    """W'' = -exp(-2 W) (2 + W) / (1 + W)^3, next to the branch point and away from it."""
    leave_out("float64", not lib.has_float64)
    x = np.asarray([-0.367, -0.3, 0.2, 3.0, 100.0])
    for k, at in ((0, x), (-1, x[:2])):

        def total(x: Any, k: int = k) -> Any:
            xp = array_namespace(x)
            return xp.sum(xp.real(lambertw(x, k)))

        def slopes(x: Any, total: Any = total) -> Any:
            return array_namespace(x).sum(grad(total)(x))

        w = on(lib, at, k)
        expected = -np.exp(-2 * w) * (2 + w) / (1 + w) ** 3
        found = lib.to_numpy(grad(slopes)(lib.asarray(at)))
        np.testing.assert_allclose(found, expected.real, rtol=1e-9)
