"""Nodes and weights against NumPy's and exact integrals; integrals by fixed rules."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.integrate as si
import scipy.special as ss

from likewise import array_namespace, is_lazy, transforms
from likewise.errors import ArgumentError, IntegerError, ShapeError
from likewise.integrate import (
    clenshaw_curtis,
    fixed_quad,
    gauss_chebyshev,
    gauss_hermite,
    gauss_laguerre,
    gauss_legendre,
    gauss_lobatto,
    newton_cotes,
    tanhsinh,
)
from likewise.interop import to_numpy

from .closeness import eps, near


def host(pair: Any) -> tuple[Any, Any]:
    return to_numpy(pair[0]), to_numpy(pair[1])


FAMILIES = {  # the recurrence's coefficients, and the integral of the weight
    gauss_legendre: (lambda k: 0, lambda k: mpmath.mpf(k * k) / (4 * k * k - 1), lambda: 2),
    gauss_laguerre: (lambda k: 2 * k + 1, lambda k: mpmath.mpf(k * k), lambda: 1),
    gauss_hermite: (lambda k: 0, lambda k: mpmath.mpf(k) / 2, lambda: mpmath.sqrt(mpmath.pi)),
}


@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize("rule", FAMILIES, ids=lambda f: f.__name__)
def test_gauss_to_the_last_digits(rule: Any, n: int) -> None:
    a, b, mass = FAMILIES[rule]
    with mpmath.workdps(40):
        matrix = mpmath.diag([mpmath.mpf(a(k)) for k in range(n)])
        for k in range(1, n):
            matrix[k, k - 1] = matrix[k - 1, k] = mpmath.sqrt(b(k))
        values, vectors = mpmath.eigsy(matrix)
        weights = [float(mass() * vectors[0, i] ** 2) for i in range(n)]
    x, w = rule(n)
    nodes = np.asarray([float(v) for v in values])
    assert np.all(np.abs(x - nodes) <= 3e-16 * np.abs(nodes) + 1e-30)
    assert np.all(np.abs(w / np.asarray(weights) - 1) <= 5e-16)


JUDGES = {
    gauss_legendre: np.polynomial.legendre.leggauss,
    gauss_laguerre: np.polynomial.laguerre.laggauss,
    gauss_hermite: np.polynomial.hermite.hermgauss,
}


def test_gauss_legendre_gauss_laguerre_gauss_hermite(xp: Any) -> None:
    for rule, judge in JUDGES.items():
        x, w = rule(40, like=xp.ones(1, dtype=xp.float64))
        nodes, weights = judge(40)
        near(xp, x, nodes, rtol=1e-12, atol=1e-14)
        near(xp, w, weights, rtol=1e-10, atol=1e-52)


@pytest.mark.parametrize("n", [2, 3, 6, 17])
def test_gauss_lobatto(xp: Any, n: int) -> None:
    x, w = host(gauss_lobatto(n, like=xp.ones(1, dtype=xp.float64)))
    assert x[0] == -1 and x[-1] == 1 and np.all(x == -x[::-1])
    inner = np.polynomial.legendre.Legendre.basis(n - 1).deriv().roots()
    assert np.max(np.abs(x[1:-1] - np.sort(inner)), initial=0) < 500 * eps(xp)
    for degree in range(0, 2 * n - 2, 2):
        assert abs(np.sum(w * x**degree) - 2 / (degree + 1)) < 5 * eps(xp) * n


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_gauss_chebyshev(xp: Any, n: int) -> None:
    x, w = gauss_chebyshev(n, like=xp.ones(1, dtype=xp.float64))
    nodes, weights = np.polynomial.chebyshev.chebgauss(n)
    near(xp, x, nodes[::-1], atol=2 * 2.0**-52)
    near(xp, w, weights, rtol=2.0**-52)
    x, w = host(gauss_chebyshev(n, 2, like=xp.ones(1, dtype=xp.float64)))
    for degree, want in ((0, 1 / 2), (2, 1 / 8), (4, 1 / 16)):  # times pi
        if degree < 2 * n:
            assert abs(np.sum(w * x**degree) - want * np.pi) < 5 * eps(xp)


@pytest.mark.parametrize("n", [2, 3, 4, 9, 33])
def test_clenshaw_curtis(xp: Any, n: int) -> None:
    x, w = host(clenshaw_curtis(n, like=xp.ones(1, dtype=xp.float64)))
    assert np.max(np.abs(x + np.cos(np.pi * np.arange(n) / (n - 1)))) < 2 * eps(xp)
    basis = np.polynomial.chebyshev.chebvander(x, n - 1)
    k = np.arange(n)
    want = np.where(k % 2 == 0, 2 / (1 - k**2 + (k % 2)), 0)
    assert np.max(np.abs(w @ basis - want)) < 5 * eps(xp) * n


def test_dtypes_and_options(xp: Any) -> None:
    for rule in (gauss_legendre, gauss_hermite, clenshaw_curtis, gauss_chebyshev):
        x, w = rule(4, like=xp.ones(1, dtype=xp.float32))
        assert x.dtype == w.dtype == xp.float32 and x.shape == (4,)
        x, _ = rule(4, like=xp.ones(1, dtype=xp.float64), dtype="float32")
        assert x.dtype == xp.float32
        with pytest.raises(IntegerError, match="n must be an integer"):
            rule(2.5)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="at least"):
            rule(0)
        with pytest.raises(ArgumentError, match="dtype must be real"):
            rule(4, like=xp.ones(1, dtype=xp.float64), dtype="complex64")
    with pytest.raises(ArgumentError, match="kind"):
        gauss_chebyshev(3, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 14])
def test_newton_cotes(xp: Any, n: int) -> None:
    an, error = newton_cotes(n, like=xp.ones(1, dtype=xp.float64))
    want, coefficient = si.newton_cotes(n, 1)
    near(xp, an, want, rtol=1e-13)
    assert error == pytest.approx(coefficient, rel=1e-13)


def test_newton_cotes_of_positions(xp: Any) -> None:
    places = [0.0, 0.5, 2.25, 3.0]
    an, error = newton_cotes(places, like=xp.ones(1, dtype=xp.float64))
    weights = [Fraction(float(v)) for v in to_numpy(an)]
    for power in range(4):
        found = float(sum(w * Fraction(p) ** power for w, p in zip(weights, places, strict=True)))
        assert found == pytest.approx(3 ** (power + 1) / (power + 1), rel=50 * eps(xp))
    want = si.newton_cotes(np.asarray(places))
    near(xp, an, want[0], rtol=1e-12)
    assert error == pytest.approx(want[1], rel=1e-9)
    with pytest.raises(ArgumentError, match="different positions"):
        newton_cotes([1, 2, 3])
    assert np.all(newton_cotes(2.0)[0] == newton_cotes(2)[0])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="integer"):
        newton_cotes(2.5)  # type: ignore[arg-type]


def test_fixed_quad(xp: Any) -> None:
    b = np.asarray([[0.5], [2.0]])

    def fun(x: Any, c: Any) -> Any:
        return x**7 * c

    found, nothing = fixed_quad(fun, 0.25, xp.asarray(b), args=(3.0,), n=4)
    assert nothing is None
    near(xp, found, 3 * (b**8 - 0.25**8) / 8, rtol=1e-14)
    one, _ = fixed_quad(lambda x: x + 1j * x**2, 0.0, xp.asarray(np.asarray(1.0)))
    near(xp, one, 0.5 + 1j / 3, rtol=1e-14)
    with pytest.raises(ShapeError, match="5 nodes along its last axis"):
        fixed_quad(lambda x: 1.0, 0.0, xp.asarray(np.asarray(1.0)))
    some, _ = fixed_quad(lambda x: x, xp.asarray(np.asarray([0.0, np.nan])), 1.0)
    near(xp, some, [0.5, np.nan], rtol=1e-14)
    end = xp.asarray(np.asarray(np.inf))
    if not is_lazy(end):
        with pytest.raises(ArgumentError, match="finite"):
            fixed_quad(lambda x: x, 0.0, end)


def test_fixed_quad_is_differentiable(xp: Any) -> None:
    def area(a: Any, b: Any, c: Any) -> Any:
        found, _ = fixed_quad(lambda x: c * x**3, a, b)
        return found

    given = [xp.asarray(np.asarray(v)) for v in (0.5, 1.5, 2.0)]
    found = transforms.grad(area, argnums=(0, 1, 2))(*given)
    for ours, want in zip(found, (-2 * 0.5**3, 2 * 1.5**3, (1.5**4 - 0.5**4) / 4), strict=True):
        near(xp, ours, want, rtol=1e-13)


# -- workload D5: integrands between turning points, singular as 1/sqrt(1 - x**2), by three rules ------

PITCH = np.linspace(0.1, 0.9, 5)


def bounce(x: Any, k: Any) -> Any:
    """Elliptic integrals of the first kind are those of 0 to 1."""
    return 1 / array_namespace(x).sqrt((1 - x * x) * (1 - k * x * x))


@pytest.mark.parametrize("degree", [8, 16, 32, 64, 128])
def test_three_rules(degree: int) -> None:
    want = 2 * ss.ellipk(PITCH)
    k = PITCH[:, None]
    # Chebyshev's weight is the singularity.
    x, w = gauss_chebyshev(degree)
    found = np.sum(w / np.sqrt(1 - k * x * x), axis=1)
    # The error falls as the distance of the next singularity, 1 / sqrt(k), tells.
    rate = 1 / (1 / np.sqrt(PITCH) + np.sqrt(1 / PITCH - 1))
    assert np.all(np.abs(found - want) <= 20 * rate ** (2 * degree) + 1e-14)
    # Lobatto's rule has x = sin(pi t / 2), whose derivative takes the singularity away.
    t, w = gauss_lobatto(degree)
    x = np.sin(math.pi / 2 * t)
    found = np.sum(w * math.pi / 2 / np.sqrt(1 - k * x * x), axis=1)
    error = np.abs(found - want) / want
    assert np.all(error <= (1e-13 if degree >= 64 else 3 * math.exp(-degree / 4)))


def test_double_exponential() -> None:
    found = tanhsinh(bounce, -1.0, 1.0, args=(PITCH,))
    # The distance from 1 is rounded before the root is taken.
    assert np.allclose(found.integral, 2 * ss.ellipk(PITCH), rtol=3e-7)
    exact = tanhsinh(  # in the angle it has none
        lambda t, k: 1 / np.sqrt(1 - k * np.sin(t) ** 2), -math.pi / 2, math.pi / 2, args=(PITCH,)
    )
    assert np.allclose(exact.integral, 2 * ss.ellipk(PITCH), rtol=1e-13)
    assert np.all(exact.success)

    def total(k: Any) -> Any:
        xp = array_namespace(k)
        y = tanhsinh(
            lambda t, k: 1 / xp.sqrt(1 - k * xp.sin(t) ** 2), 0.0, math.pi / 2, args=(k,)
        ).integral
        return xp.sum(y)

    slope = (ss.ellipe(PITCH) / (1 - PITCH) - ss.ellipk(PITCH)) / (2 * PITCH)
    assert np.allclose(transforms.grad(total)(PITCH), slope, rtol=1e-11)
