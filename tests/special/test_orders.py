"""Functions of a whole order or degree: against SciPy, closed forms and identities."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.errors import ArgumentError, DtypeError
from likewise.special import jn, kn, legendre_p, psi, sph_harm_y, yn
from likewise.transforms import grad, jit, jvp, vmap

X = np.asarray([1e-3, 0.4, 2.0, 3.7, 5.9, 8.0, 13.0, 21.0, 40.0, 250.0])
ORDERS = (2, 3, 12, 13, 45)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["jn", "yn", "kn"])
def test_bessel(lib: Any, name: str, once: bool) -> None:
    """All methods: the series, downward, upward; and rows."""
    import scipy.special

    func, peer = getattr(likewise.special, name), getattr(scipy.special, name.replace("n", "v"))
    dtype = "float64" if lib.has_float64 else "float32"
    info = np.finfo(dtype)
    some = ORDERS if lib.library in ("numpy", "torch") else ORDERS[2:3] if once else ORDERS[::2]
    for n in some:
        x = X.astype(dtype).astype("float64")
        expected = peer(n, x)
        size = np.abs(expected)
        kept = (size > info.smallest_normal) & (size < info.max)
        got = func(n, lib.asarray(x[kept].astype(dtype)))
        assert str(got.dtype).endswith(dtype)
        # What rounding x changes is the next orders' share; next to a zero that is what counts.
        room = 40 * info.eps * (1 + n + np.abs(x[kept])) * size[kept] + 40 * info.eps * (
            name != "kn"
        )
        off = np.abs(lib.to_numpy(got).astype("float64") - expected[kept])
        assert np.all(off <= room), (n, off / room)


@pytest.mark.parametrize("func", [jn, yn, kn])
def test_orders_below_two_and_below_zero(func: Any) -> None:
    x = np.asarray([0.3, 2.0, 7.0])
    below = 1.0 if func is kn else -1.0
    for n, sign in ((0, 1.0), (1, below), (3, below), (4, 1.0)):
        np.testing.assert_allclose(func(-n, x), sign * func(n, x), rtol=1e-15)
    np.testing.assert_array_equal(
        func(1, x), getattr(likewise.special, f"{func.__name__[0]}1")(x), strict=True
    )


def test_bessel_edges() -> None:
    ends = np.asarray([0.0, np.nan, np.inf, -2.0])
    for n in (2, 20):
        for jay, why, kay in ((jn, yn, kn), (jn.generic, yn.generic, kn.generic)):
            np.testing.assert_array_equal(jay(n, ends)[:3], [0.0, np.nan, np.nan])
            np.testing.assert_array_equal(why(n, ends)[[0, 1, 3]], [-np.inf, np.nan, np.nan])
            np.testing.assert_array_equal(kay(n, ends), [np.inf, np.nan, 0.0, np.nan])
    for tiny in (1e-300, 1e-9):  # beyond the range, not NaN on the way
        assert yn(40, np.asarray(tiny)) == -np.inf and kn(40, np.asarray(tiny)) == np.inf
    assert jn(40, np.asarray(1e-9)) == 0


def test_bessel_next_to_the_range_s_end() -> None:
    """kn(7, 700.95) as mpmath has it; SciPy's is 0."""
    np.testing.assert_allclose(
        kn(7, np.asarray(700.952741692107)), 1.863799088302823e-306, rtol=1e-12
    )
    got = kn(60, np.asarray([12.0, 40.0], "float32"))
    np.testing.assert_allclose(got, kn(60, np.asarray([12.0, 40.0])), rtol=1e-5)


@pytest.mark.parametrize(("func", "sign"), [(jn, -1), (yn, -1), (kn, 1)])
def test_bessel_derivatives(lib: Any, func: Any, sign: int) -> None:
    """By DLMF 10.6.1 and 10.29.1, and Bessel's equation for the second."""
    x, n = 2.3, 3
    y = [float(func(n + k, np.asarray(x))) for k in (-1, 0, 1)]
    slope = sign * -0.5 * (y[0] + sign * y[2])
    at = lib.asarray(np.asarray(x))
    tol = 1e-10 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(lib.to_numpy(grad(lambda x: func(n, x))(at)), slope, rtol=tol)
    bend = grad(grad(lambda x: func(n, x)))(at)
    expected = -slope / x + (n * n / x**2 + sign) * y[1]
    np.testing.assert_allclose(lib.to_numpy(bend), expected, rtol=tol)


def test_bessel_under_jit_and_vmap(lib: Any) -> None:
    x = lib.asarray(X[:6])
    expected = jn(5, X[:6])
    for f in (jit(lambda x: jn(5, x)), vmap(lambda x: jn(5, x))):
        np.testing.assert_allclose(lib.to_numpy(f(x)), expected, rtol=2e-5, atol=1e-12)


def test_psi(lib: Any) -> None:
    x = lib.asarray(X[1:])
    np.testing.assert_array_equal(
        lib.to_numpy(psi(x)), lib.to_numpy(likewise.special.digamma(x)), strict=True
    )


@pytest.mark.needs("scipy")
def test_legendre(lib: Any) -> None:
    import scipy.special

    z = np.asarray([-1.0, -0.3, 0.0, 0.7, 1.0, 1.5])
    tol = 1e-13 if lib.has_float64 else 1e-5
    for n in (0, 1, 2, 7):
        for diff_n in (0, 1, 2):
            got = lib.to_numpy(legendre_p(n, lib.asarray(z), diff_n=diff_n))
            expected = np.stack([*scipy.special.legendre_p(n, z, diff_n=diff_n)])
            np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)
    slope = grad(lambda z: legendre_p(7, z)[0])(lib.asarray(np.asarray(0.4)))
    expected = scipy.special.legendre_p(7, 0.4, diff_n=1)[1]
    np.testing.assert_allclose(lib.to_numpy(slope), expected, rtol=1e4 * tol)


@pytest.mark.needs("scipy")
def test_negative_degrees_are_scipy_s(lib: Any) -> None:
    import scipy.special

    x = np.asarray([-0.3, 0.5, 2.0])
    for n in (-1, -4):
        got = lib.to_numpy(legendre_p(n, lib.asarray(x), diff_n=2))
        expected = np.stack([*scipy.special.legendre_p(n, x, diff_n=2)])
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        np.testing.assert_array_equal(lib.to_numpy(sph_harm_y(n, 0, *[lib.asarray(x)] * 2)), 0)


def test_legendre_of_complex_numbers() -> None:
    z = np.asarray([0.3 + 2j, 1j])
    np.testing.assert_allclose(legendre_p(3, z)[0], (5 * z**3 - 3 * z) / 2, rtol=1e-14)


@pytest.mark.needs("scipy")
def test_spherical_harmonics(lib: Any) -> None:
    import scipy.special

    theta, phi = np.asarray([0.0, 0.5, 1.7, 3.0])[:, None], np.asarray([0.2, 4.0])
    tol = 1e-13 if lib.has_float64 else 1e-5
    a, b = lib.asarray(theta), lib.asarray(phi)
    for n, m in ((0, 0), (1, -1), (2, 1), (3, 5), (9, -4), (20, 0), (20, 20)):
        got = sph_harm_y(n, m, a, b)
        expected = scipy.special.sph_harm_y(n, m, theta, phi)
        np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


@pytest.mark.needs("scipy")
def test_derivatives_of_spherical_harmonics_and_orders_in_arrays(lib: Any) -> None:
    """At the poles, too; with all four arguments broadcast."""
    import scipy.special

    theta, phi = np.asarray([0.0, 0.5, np.pi]), np.asarray([0.2, 4.0, 1.0])
    tol = 1e-12 if lib.has_float64 else 2e-5
    a, b = lib.asarray(theta), lib.asarray(phi)
    n, m = np.arange(4)[:, None, None], np.asarray([-4, -2, 0, 1, 3])[:, None]
    for degree, order in ((n, m), (3, m), (n, -1), (4, 2), (2, 3), ([1, 2, 3], 1)):
        for count in (0, 1, 2):
            got = sph_harm_y(degree, order, a, b, diff_n=count)
            expected = scipy.special.sph_harm_y(degree, order, theta, phi, diff_n=count)
            assert isinstance(got, tuple) == (count > 0)
            pairs = zip(got, expected, strict=True) if count else [(got, expected)]
            for found, right in pairs:
                assert found.shape == right.shape
                np.testing.assert_allclose(lib.to_numpy(found), right, rtol=tol, atol=tol)


def test_orders_in_arrays_are_differentiated(lib: Any) -> None:
    def total(theta: Any) -> Any:
        xp = likewise.array_namespace(theta)
        return xp.sum(xp.real(sph_harm_y(np.arange(3)[:, None], 1, theta, 0.3)))

    theta = np.asarray([0.4, 1.3])
    got = lib.to_numpy(grad(total)(lib.asarray(theta)))
    slopes = sph_harm_y(np.arange(3)[:, None], 1, theta, 0.3, diff_n=1)[1]
    np.testing.assert_allclose(got, slopes[..., 0].real.sum(axis=0), rtol=1e-5)


def test_spherical_harmonics_derivatives() -> None:
    """The angular Laplacian of a harmonic is -n (n + 1) times it."""
    n, m, theta, phi = 4, 2, np.asarray(0.8), np.asarray(0.3)

    def real(theta: Any, phi: Any) -> Any:
        return likewise.array_namespace(theta).real(sph_harm_y(n, m, theta, phi))

    def along(f: Any, i: int) -> Any:
        ones = [np.zeros(()), np.zeros(())]
        ones[i] = np.ones(())
        return lambda *at: jvp(f, at, tuple(ones))[1]

    first, second = along(real, 0), along(along(real, 0), 0)
    around = along(along(real, 1), 1)
    total = (
        second(theta, phi) + first(theta, phi) / np.tan(0.8) + around(theta, phi) / np.sin(0.8) ** 2
    )
    np.testing.assert_allclose(total, -n * (n + 1) * real(theta, phi), rtol=1e-12)


def test_errors() -> None:
    x = np.asarray([0.5])
    for call in (
        lambda: jn(np.asarray([2, 3]), x),
        lambda: kn(2.5, x),
        lambda: legendre_p(2, x, diff_n=3),
        lambda: sph_harm_y(1.5, 0, x, x),
        lambda: sph_harm_y(1, np.asarray([0.5]), x, x),
        lambda: sph_harm_y(1, 0, x, x, diff_n=3),
    ):
        with pytest.raises(ArgumentError):
            call()
    with pytest.raises(DtypeError):
        jn(2, 1j * x)


def test_sph_harm_y_where_the_power_leaves_the_range(lib: Any) -> None:
    """Values and slopes of the closed form in 60 digits, by the recurrence of Gegenbauer's."""
    theta = np.asarray([2.7902753, 0.4, 0.6, 2.1], "float32")
    values = {
        (300, 100): [1.00698376, 0.636302285, -0.28132028, -0.0886805372],
        (240, 80): [0.956355085, -0.131536869, 0.378625263, 0.352941394],
    }
    for (n, m), expected in values.items():
        got = lib.to_numpy(sph_harm_y(n, m, lib.asarray(theta), lib.asarray(0 * theta)))
        assert got.dtype == np.complex64
        np.testing.assert_allclose(got.real, expected, rtol=0, atol=3e-5)


def test_slopes_of_sph_harm_y_where_the_power_leaves_the_range() -> None:
    def total(theta: Any) -> Any:
        xp = likewise.array_namespace(theta)
        return xp.sum(xp.real(sph_harm_y(2400, 2000, theta, 0 * theta)))

    theta = np.asarray([0.975, 1.2])
    got = sph_harm_y(2400, 2000, theta, 0 * theta).real
    np.testing.assert_allclose(got, [0.08285448793993525, 0.09905863232383288], rtol=1e-11)
    np.testing.assert_allclose(
        grad(total)(theta), [24.666246664278745, -519.1640344059834], rtol=1e-9
    )


def test_kn_beside_a_nan() -> None:
    for x in ([700.0], [700.0, np.nan]):
        np.testing.assert_allclose(kn(3, np.asarray(x))[0], 4.69987153e-306, rtol=1e-8)
