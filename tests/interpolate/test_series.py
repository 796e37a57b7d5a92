"""Fourier and Chebyshev series against sums as they stand and NumPy's polynomials."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev as judge

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.interpolate import ChebyshevInterpolator, FourierInterpolator, KroghInterpolator
from likewise.transforms import grad, jit, jvp, vmap


def fourier(v: Any, x: Any, nu: int = 0) -> Any:
    """The trigonometric sum through values on [0, 2 pi)."""
    n = v.shape[0]
    k = np.fft.fftfreq(n, 1 / n)
    c = np.fft.fft(v, axis=0) / n
    out: Any = 0.0
    for j in range(n):
        if n % 2 == 0 and j == n // 2:
            wave = k[j] ** nu * np.cos(k[j] * x + nu * np.pi / 2)
        else:
            wave = (1j * k[j]) ** nu * np.exp(1j * k[j] * x)
        out = out + wave[..., None] * c[j]
    return out if np.iscomplexobj(v) else out.real


def values(rng: Any, kind: str, *shape: int) -> Any:
    v = rng.normal(size=shape)
    return v + 1j * rng.normal(size=shape) if kind == "complex" else v


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 33])
def test_fourier(lib: Any, rng: Any, n: int, kind: str) -> None:
    if not lib.has_extensions:
        return
    v, x = values(rng, kind, n, 2), rng.uniform(-9, 9, (4, 60))
    tol = 1e-11 if lib.has_float64 else 2e-3
    f = FourierInterpolator(lib.asarray(v), period=3.0, origin=0.5)
    for nu in (0, 1, 2, 3):
        got = lib.to_numpy(f(lib.asarray(0.5 + x * 3 / (2 * np.pi)), nu=nu))
        expected = fourier(v, x, nu) * (2 * np.pi / 3) ** nu
        np.testing.assert_allclose(got, expected, rtol=0, atol=tol * (n + 1.0) ** nu * 4)
    for m in (2 * n + 1, n, max(1, n // 2)):
        grid = 2 * np.pi * np.arange(m) / m
        got = lib.to_numpy(f.resample(m))
        np.testing.assert_allclose(got, fourier(v, grid), rtol=0, atol=tol)


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_chebyshev(lib: Any, rng: Any, n: int, kind: int) -> None:
    if not lib.has_extensions:
        return
    points = judge.chebpts1(n) if kind == 1 or n == 1 else judge.chebpts2(n)
    v = rng.normal(size=(n, 2))
    c, u = np.linalg.solve(judge.chebvander(points, n - 1), v), rng.uniform(-1, 1, (3, 70))
    u[0, :2] = [-1, 1]
    f = ChebyshevInterpolator(lib.asarray(v), domain=(1.0, 4.0), kind=kind)
    tol = 1e-11 if lib.has_float64 else 1e-4
    np.testing.assert_allclose(lib.to_numpy(f.c), c, rtol=0, atol=tol)
    for nu in (0, 1, 2):
        got = lib.to_numpy(f(lib.asarray(2.5 + 1.5 * u), nu=nu))
        own = judge.chebval(u, judge.chebder(c, nu) if nu else c) / 1.5**nu
        expected = np.moveaxis(own, 0, -1)
        np.testing.assert_allclose(got[1:], expected[1:], rtol=0, atol=tol * (n + 1.0) ** (2 * nu))
    outside = lib.to_numpy(f(lib.asarray(np.asarray([0.5, 2.0, 4.5]))))
    assert (np.isnan(outside) == [[True] * 2, [False] * 2, [True] * 2]).all()


def test_several_dimensions(rng: Any) -> None:
    """Of products of functions, each of one dimension."""
    v, w, x = rng.normal(size=7), rng.normal(size=8), rng.uniform(0, 1, (5, 2))
    both = v[:, None] * w
    f = FourierInterpolator(both[..., None] * [1.0, 2.0], 2, period=[1.0, 2.0], origin=[0.0, 0.3])
    a, b = FourierInterpolator(v, period=1.0), FourierInterpolator(w, period=2.0, origin=0.3)
    np.testing.assert_allclose(f(x, nu=(1, 2))[:, 1], 2 * a(x[:, 0], 1) * b(x[:, 1], 2), atol=1e-9)
    np.testing.assert_allclose(f.resample(9, 12)[..., 0], np.outer(a.resample(9), b.resample(12)))
    g = ChebyshevInterpolator(both, 2, domain=[(0.0, 1.0), (-1.0, 2.0)])
    a, b = ChebyshevInterpolator(v, domain=(0.0, 1.0)), ChebyshevInterpolator(w, domain=(-1.0, 2.0))
    np.testing.assert_allclose(g(x, nu=(1, 2)), a(x[:, 0], 1) * b(x[:, 1], 2), atol=1e-9)
    h = FourierInterpolator(both[..., None] * v, 3)
    expected = fourier(v[:, None], np.asarray([0.4]))[0, 0]
    np.testing.assert_allclose(
        h([[0.4, 0.1, 0.4]]), [expected**2 * fourier(w[:, None], np.asarray([0.1]))[0, 0]]
    )


def test_trees(rng: Any) -> None:
    v, x = rng.normal(size=8), rng.uniform(0, 1, 6)
    for f in (FourierInterpolator(v, period=1.0), ChebyshevInterpolator(v, domain=(0.0, 1.0))):
        expected = f(x)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(x), expected)
        np.testing.assert_allclose(vmap(f)(x), expected, atol=1e-13)
        np.testing.assert_allclose(jit(lambda f, x: f(x))(f, x), expected, atol=1e-13)
    y = likewise.asarray(x, namespace="jax")
    f = ChebyshevInterpolator(likewise.asarray(v, namespace="jax"), domain=(0.0, 1.0))
    np.testing.assert_allclose(jit(lambda f, y: f(y))(f, y), expected, atol=1e-5)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_derivatives(rng: Any, library: str) -> None:
    """In values, by linearity; in points, by `nu`; in what maps them; at the ends."""
    v, w, x = rng.normal(size=(3, 6))
    x = np.clip(x, -1, 1)
    x[:2] = [-1.0, 1.0]

    def given(a: Any) -> Any:
        return likewise.asarray(a, namespace=library)

    for cls in (ChebyshevInterpolator, FourierInterpolator)[: 2 if library == "numpy" else 1]:

        def total(v: Any, x: Any, cls: Any = cls) -> Any:
            return likewise.array_namespace(x).sum(cls(v)(x))

        of_values, of_points = grad(total, argnums=(0, 1))(given(v), given(x))
        np.testing.assert_allclose(np.asarray(of_values) @ w, cls(w)(x).sum(), atol=1e-10)
        np.testing.assert_allclose(np.asarray(of_points), cls(v)(x, nu=1), atol=1e-10)
    _, along = jvp(
        lambda p: FourierInterpolator(v, period=p)(x), (np.asarray(3.0),), (np.asarray(1.0),)
    )
    f = FourierInterpolator(v, period=3.0)
    np.testing.assert_allclose(along, -f(x, nu=1) * x / 3, atol=1e-10)
    twice = grad(grad(lambda x: ChebyshevInterpolator(v)(x)))(np.asarray(0.3))
    np.testing.assert_allclose(twice, ChebyshevInterpolator(v)(0.3, nu=2), atol=1e-9)


def test_bad_input() -> None:
    v = np.ones((4, 3))
    with pytest.raises(ArgumentError, match="FourierInterpolator: ndim must be 1, 2 or 3, got 4"):
        FourierInterpolator(v, 4)
    with pytest.raises(ShapeError, match="values on a grid of 3 dimensions"):
        FourierInterpolator(v, 3)
    with pytest.raises(ShapeError, match="`period` must be given once, or for each of 2"):
        FourierInterpolator(v, 2, period=[1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match=r"points \(..., 2\), a coordinate for each dimension"):
        FourierInterpolator(v, 2)([0.1, 0.2, 0.3])
    with pytest.raises(ArgumentError, match="nu must be 1 orders"):
        FourierInterpolator(v)(0.1, nu=-1)
    with pytest.raises(ArgumentError, match="1 positive sizes were expected"):
        FourierInterpolator(v).resample(0)
    with pytest.raises(ArgumentError, match="ChebyshevInterpolator: kind must be 1 or 2, got 3"):
        ChebyshevInterpolator(v, kind=3)
    with pytest.raises(ArgumentError, match="domain must be a pair of numbers"):
        ChebyshevInterpolator(v, domain=3.0)
    for period in (0, [1.0, 0.0]):
        with pytest.raises(ArgumentError, match="a period must not be 0"):
            FourierInterpolator(v, 2, period)
    for domain in ((1, 1), [(0.0, 1.0), (2.0, 2.0)]):
        with pytest.raises(ArgumentError, match="a domain's ends must differ"):
            ChebyshevInterpolator(v, 2, domain)
    with pytest.raises(DtypeError, match="must be real"):
        ChebyshevInterpolator(v)(np.asarray(1j))
    for x in (1j, [0.1, 1j]):
        with pytest.raises(DtypeError, match="must be real"):
            FourierInterpolator(v)(x)
        with pytest.raises(DtypeError, match="must contain real"):
            KroghInterpolator([0.0, 1.0], [1.0, 2.0])(x)
    assert FourierInterpolator(v)(np.zeros((0, 2))).shape == (0, 2, 3)
    assert ChebyshevInterpolator(v[:, :0])([0.1]).shape == (1, 0)
