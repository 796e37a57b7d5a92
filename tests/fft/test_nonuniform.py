"""Transforms of points off a grid, against the sums as they stand."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise import fft as f
from likewise.errors import ArgumentError, DtypeError, ExtensionMissing, ShapeError
from likewise.transforms import grad, jit, jvp

SIZES = [(7,), (90,), (9, 6), (30, 21), (5, 4, 3), (12, 9, 10)]


def phases(sizes: Any, points: Any, sign: int) -> list[Any]:
    return [
        np.exp(1j * sign * np.arange(-(n // 2), n - n // 2)[:, None] * x)
        for n, x in zip(sizes, points, strict=True)
    ]


def first(sizes: Any, c: Any, points: Any, sign: int = 1) -> Any:
    """The sums of type 1, of one problem."""
    terms = [a for i, p in enumerate(phases(sizes, points, sign)) for a in (p, [i, 9])]
    return np.einsum(*terms, c, [9], list(range(len(sizes))), optimize=True)


def second(source: Any, points: Any, sign: int = -1) -> Any:
    terms = [a for i, p in enumerate(phases(source.shape, points, sign)) for a in (p, [i, 9])]
    return np.einsum(*terms, source, list(range(source.ndim)), [9], optimize=True)


def third(c: Any, points: Any, targets: Any) -> Any:
    return np.exp(-1j * (np.asarray(targets).T @ np.asarray(points))) @ c


def numbers(rng: Any, *shape: int) -> Any:
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def off(found: Any, expected: Any) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_sums(lib: Any, rng: Any, sizes: Any) -> None:
    d, m = len(sizes), 150
    points, c = rng.uniform(-30, 30, (d, m)), numbers(rng, m)
    source, given = numbers(rng, *sizes), [lib.asarray(x) for x in points]
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="nufft1: needs the array API extension 'fft'"):
            f.nufft1(sizes, lib.asarray(points[0]), *given)
        return
    eps, tol = (1e-9, 3e-9) if lib.has_float64 else (1e-6, 2e-5)
    for sign in (1, -1):
        got = lib.to_numpy(f.nufft1(sizes, lib.asarray(c), *given, iflag=sign, eps=eps))
        assert got.dtype == ("complex128" if lib.has_float64 else "complex64")
        assert off(got, first(sizes, c, points, sign)) < tol
        got = lib.to_numpy(f.nufft2(lib.asarray(source), *given, iflag=sign, eps=eps))
        assert got.dtype == ("complex128" if lib.has_float64 else "complex64")
        assert off(got, second(source, points, sign)) < tol


@pytest.mark.parametrize("eps", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("sizes", [(200,), (31, 40), (12, 9, 15)], ids=str)
def test_error_is_about_eps(rng: Any, sizes: Any, eps: float) -> None:
    """Of points in any range, and on the grid's own."""
    m = 400 if len(sizes) == 3 else 2000
    points = rng.uniform(-20, 20, (len(sizes), m))
    points[:, :50] = np.round(points[:, :50] * sizes[0] / np.pi) * np.pi / sizes[0]
    points[:, 50:53] = [0.0, -np.pi, np.pi]
    c, source = numbers(rng, m), numbers(rng, *sizes)
    with likewise.prefer("generic"):
        assert off(f.nufft1(sizes, c, *points, eps=eps), first(sizes, c, points)) < 3 * eps
        assert off(f.nufft2(source, *points, eps=eps), second(source, points)) < 3 * eps


def test_single_precision(rng: Any) -> None:
    x = rng.uniform(-4, 4, 3000).astype("float32")
    c, source = (numbers(rng, n).astype("complex64") for n in (3000, 80))
    got = f.nufft1(80, c, x), f.nufft2(source, x), f.nufft1(80, c.real, x)
    assert [a.dtype for a in got] == ["complex64"] * 3
    assert off(got[0], first((80,), c, [x.astype(float)])) < 1e-5
    assert off(got[1], second(source, [x.astype(float)])) < 1e-5
    assert off(got[2], first((80,), c.real, [x.astype(float)])) < 1e-5


@pytest.mark.parametrize("m", [3, 2000])
def test_batches(rng: Any, m: int) -> None:
    """Sources share points, or have their own; leading dimensions broadcast."""
    c, x, y = numbers(rng, 2, 3, m), rng.uniform(-3, 3, (2, 1, m)), rng.uniform(-3, 3, m)
    for case_c, case_x in ((c, y), (c, x), (c[0, 0], x), (c[:, :1], np.tile(x, (1, 3, 1)))):
        got = f.nufft1((11, 8), case_c, case_x, y, eps=1e-8)
        lead = np.broadcast_shapes(case_c.shape[:-1], case_x.shape[:-1])
        assert got.shape == (*lead, 11, 8)
        cs, xs = np.broadcast_to(case_c, (*lead, m)), np.broadcast_to(case_x, (*lead, m))
        for at in np.ndindex(*lead):
            assert off(got[at], first((11, 8), cs[at], [xs[at], y])) < 3e-8
        back = f.nufft2(got, case_x, y, eps=1e-8)
        assert back.shape == (*lead, m)
        for at in np.ndindex(*lead):
            assert off(back[at], second(got[at], [xs[at], y])) < 3e-8


def test_pieces_and_loops(rng: Any) -> None:
    """Many points go in pieces; where values can't be read, in a loop."""
    x, y = rng.uniform(-3, 3, (2, 4000))
    c, source = numbers(rng, 4000), numbers(rng, 20, 24)
    expected = first((20, 24), c, [x, y]), second(source, [x, y])
    with likewise.prefer("generic"):
        assert off(f.nufft1((20, 24), c, x, y, eps=1e-12), expected[0]) < 3e-12
        assert off(f.nufft2(source, x, y, eps=1e-12), expected[1]) < 3e-12


def test_loops_in_compiled_code(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("likewise.fft._gridding._TRACED", 1 << 14)
    x, y = rng.uniform(-3, 3, (2, 700))
    c, source = numbers(rng, 700), numbers(rng, 20, 24)
    given = [likewise.asarray(a, namespace="jax") for a in (c, source, x, y)]
    one = jit(lambda c, x, y: f.nufft1((20, 24), c, x, y, eps=1e-5))(given[0], *given[2:])
    two = jit(lambda s, x, y: f.nufft2(s, x, y, eps=1e-5))(*given[1:])
    assert off(np.asarray(one), first((20, 24), c, [x, y])) < 5e-5
    assert off(np.asarray(two), second(source, [x, y])) < 5e-5


@pytest.mark.parametrize("m", [4, 600])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_derivatives(rng: Any, library: str, m: int) -> None:
    """In strengths and points, of both ways to sum."""
    sizes = (6, 7) if m == 4 else (20, 23)
    points, c = rng.uniform(-3, 3, (2, m)), numbers(rng, m)
    source = numbers(rng, *sizes)
    k = [np.arange(-(n // 2), n - n // 2) for n in sizes]

    def given(x: Any) -> Any:
        return likewise.asarray(x, namespace=library)

    def product(out: Any, by: Any) -> Any:  # real part of sum(out conj(by))
        xp = likewise.array_namespace(out)
        return xp.sum(xp.real(out) * xp.real(by) + xp.imag(out) * xp.imag(by))

    def loss1(c: Any, x: Any, y: Any) -> Any:
        return product(f.nufft1(sizes, c, x, y, eps=1e-10), given(source))

    def loss2(re: Any, x: Any, y: Any) -> Any:
        return product(f.nufft2(re, x, y, eps=1e-10), given(c))

    got = grad(loss1, argnums=(0, 1, 2))(given(c.real), *map(given, points))
    back = [second(source.conj(), points, 1).real]
    for s in (k[0][:, None] * source, k[1] * source):
        back.append((1j * c.real * second(s.conj(), points, 1)).real)
    for a, b in zip(got, back, strict=True):
        assert off(np.asarray(a), b) < 1e-8
    got = grad(loss2, argnums=(0, 1, 2))(given(source.real), *map(given, points))
    back = [first(sizes, c.conj(), points, -1).real]
    for s in (k[0][:, None] * source.real, k[1] * source.real):
        back.append((-1j * c.conj() * second(s, points, -1)).real)
    for a, b in zip(got, back, strict=True):
        assert off(np.asarray(a), b) < 1e-8


@pytest.mark.parametrize("m", [4, 900])
def test_forward_and_second_derivatives(rng: Any, m: int) -> None:
    c, x, t = rng.normal(size=(3, m))

    def power(x: Any) -> Any:
        out = f.nufft1(20, c, x, eps=1e-12)
        return abs(out[11]) ** 2 + abs(out[13]) ** 2

    one, two = (np.exp(1j * k * x) for k in (1, 3))
    f1, f3 = one @ c, two @ c
    slope = 2 * (np.conj(f1) * 1j * one * c + 3j * np.conj(f3) * two * c).real
    _, along = jvp(power, (x,), (t,))
    np.testing.assert_allclose(along, slope @ t, rtol=1e-9)
    got = jvp(grad(power), (x,), (t,))[1]
    step = 1e-6
    np.testing.assert_allclose(
        got,
        (grad(power)(x + step * t) - grad(power)(x - step * t)) / (2 * step),
        rtol=1e-5,
        atol=1e-6 * abs(got).max(),
    )


def test_points_that_are_not_finite(rng: Any) -> None:
    """They are felt in their own problem alone."""
    for m in (5, 3000):
        x, c = rng.uniform(-3, 3, (2, m)), numbers(rng, 2, m)
        x[0, 1], x[0, 2] = np.nan, np.inf
        with likewise.prefer("generic"):
            got, back = f.nufft1(30, c, x), f.nufft2(numbers(rng, 30), x)
        assert np.isnan(got[0]).all()
        assert off(got[1], first((30,), c[1], [x[1]])) < 3e-6
        assert np.isnan(back[0, 1:3]).all()
        assert np.isfinite(back[0, 3:]).all()
        assert np.isfinite(back[1]).all()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_sums_for_any_frequencies(lib: Any, rng: Any, d: int) -> None:
    if not lib.has_extensions:
        return
    x, s = rng.uniform(4, 4 + 9 / d, (d, 400)), rng.uniform(-9 / d, 2, (d, 300))
    c, given = numbers(rng, 400), [lib.asarray(a) for a in (*x, *s)]
    eps, tol = (1e-9, 3e-9) if lib.has_float64 else (1e-6, 3e-5)
    got = lib.to_numpy(f.nufft3(lib.asarray(c), *given, eps=eps, bandwidth=11 * 11))
    assert got.dtype == ("complex128" if lib.has_float64 else "complex64")
    assert off(got, third(c, x, s)) < tol
    short = [a[..., :9] for a in given]
    assert (
        off(lib.to_numpy(f.nufft3(lib.asarray(c[:9]), *short)), third(c[:9], x[:, :9], s[:, :9]))
        < tol
    )


@pytest.mark.parametrize("eps", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_error_for_any_frequencies(rng: Any, d: int, eps: float) -> None:
    wide, m = (90, 14, 5)[d - 1], (900, 900, 200)[d - 1]
    x, s, c = rng.uniform(5, 5 + wide, (d, m)), rng.uniform(-3, wide, (d, 200)), numbers(rng, m)
    with likewise.prefer("generic"):
        assert off(f.nufft3(c, *x, *s, eps=eps), third(c, x, s)) < 3 * eps
        assert off(f.nufft3(c, *-x, *s, iflag=1, eps=eps), third(c, x, s)) < 3 * eps


def test_frequencies_of_all_kinds(rng: Any) -> None:
    """Far apart, where the sums are taken as they stand; all alike; of batches; NaN."""
    c, x, s = numbers(rng, 200), rng.uniform(0, 1e4, 200), rng.uniform(0, 1e4, 180)
    assert off(f.nufft3(c, x, s), third(c, [x], [s])) < 1e-9
    for a, b in ((x * 0 + 2, s * 0 + 3), (x * 0 + 2, s / 1e3), (x / 1e3, s * 0 + 3)):
        assert off(f.nufft3(c, a, b), third(c, [a], [b])) < 3e-6
    many, ours = numbers(rng, 3, 2, 200), rng.uniform(-2, 3, (3, 1, 180))
    got = f.nufft3(many, x / 1e3, ours, eps=1e-8)
    for i, j in np.ndindex(3, 2):
        assert off(got[i, j], third(many[i, j], [x / 1e3], [ours[i, 0]])) < 3e-8
    bad = x / 1e3
    bad[3] = np.nan
    assert np.isnan(f.nufft3(c, bad, s / 1e3)).all()
    assert f.nufft3(np.zeros((2, 0)), x[:0], s).shape == (2, 180)


def test_bandwidth(rng: Any) -> None:
    c, x, s = numbers(rng, 200), rng.uniform(0, 5, 200), rng.uniform(2, 9, 180)
    expected = third(c, [x], [s])
    given = [likewise.asarray(a, namespace="jax") for a in (c, x, s)]
    assert off(np.asarray(jit(lambda *a: f.nufft3(*a, bandwidth=[35.0]))(*given)), expected) < 1e-4
    assert np.isnan(f.nufft3(c, x, s, bandwidth=20.0)).all()
    with pytest.raises(ArgumentError, match="nufft3: bandwidth is needed, as the values of points"):
        jit(lambda *a: f.nufft3(*a))(*given)
    with pytest.raises(ArgumentError, match="nufft3: bandwidth must be a positive number"):
        f.nufft3(c, x, s, bandwidth=-1)
    with pytest.raises(ShapeError, match="nufft3: as many arrays of frequencies"):
        f.nufft3(c, x, s, s)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("m", [20, 300])
def test_derivatives_for_any_frequencies(rng: Any, library: str, m: int) -> None:
    c, x, s = rng.normal(size=m), rng.uniform(0, 5, m), rng.uniform(2, 9, m)

    def power(c: Any, x: Any, s: Any) -> Any:
        out = f.nufft3(c, x, s, eps=1e-10)
        return likewise.array_namespace(out).sum(abs(out) ** 2)

    waves = np.exp(-1j * s[:, None] * x)
    out = np.conj(waves @ c)
    back = (
        2 * (out @ waves).real,
        2 * (out @ (-1j * s[:, None] * waves) * c).real,
        2 * (out * (-1j * waves @ (x * c))).real,
    )
    given = [likewise.asarray(a, namespace=library) for a in (c, x, s)]
    for a, b in zip(grad(power, argnums=(0, 1, 2))(*given), back, strict=True):
        assert off(np.asarray(a), b) < 1e-8


def test_of_nothing() -> None:
    none = np.zeros(0)
    np.testing.assert_array_equal(f.nufft1((3, 2), none, none, none), np.zeros((3, 2)))
    assert f.nufft2(np.ones(4), none).shape == (0,)
    assert f.nufft1(3, np.zeros((0, 5)), np.ones(5)).shape == (0, 3)
    np.testing.assert_array_equal(f.nufft2(np.zeros((2, 0)), np.ones(5)), np.zeros((2, 5)))
    assert f.nufft1(1, [1, 2], [0.5, 3]).tolist() == [3.0]  # lists, integers


def test_bad_input() -> None:
    x, c = np.ones(4), np.ones(4)
    with pytest.raises(ShapeError, match="nufft1: as many sizes .* got 2 and 1. Give one array"):
        f.nufft1((3, 4), c, x)
    with pytest.raises(ShapeError, match="nufft2: points of one to three dimensions .* got 4"):
        f.nufft2(np.ones((2, 2, 2, 2)), x, x, x, x)
    with pytest.raises(ShapeError, match="nufft1: source and points .* got 3 and 4"):
        f.nufft1(3, c[:3], x)
    with pytest.raises(ShapeError, match="nufft2: source of at least 2"):
        f.nufft2(c, x, x)
    with pytest.raises(ShapeError, match="must broadcast"):
        f.nufft1((3, 3), c, x, x[:3])
    with pytest.raises(ShapeError, match="must broadcast"):
        f.nufft2(np.ones((2, 3)), np.ones((3, 4)))
    with pytest.raises(ArgumentError, match="nufft1: a size must be a positive integer, got 0"):
        f.nufft1(0, c, x)
    with pytest.raises(ArgumentError, match="nufft2: iflag must be 1 or -1, got 2"):
        f.nufft2(c, x, iflag=2)
    with pytest.raises(ArgumentError, match="eps must be a number between 0 and 1, got 0"):
        f.nufft1(3, c, x, eps=0)
    with pytest.raises(DtypeError, match=r"points\[0\] must hold real numbers, got complex128"):
        f.nufft1(3, c, x + 0j)
