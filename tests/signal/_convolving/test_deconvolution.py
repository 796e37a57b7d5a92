"""Deconvolution against NumPy's singular values, convolution against quadrature."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg

import likewise
from likewise.errors import ArgumentError, DtypeError, ExtensionMissing, ShapeError
from likewise.signal import convolve_exponential, convolve_linear, deconvolve_svd

RNG = np.random.default_rng(10)
N = 12
TIME = np.arange(N) * 1.5
KERNEL = TIME**2 * np.exp(-TIME / 2) + 0.01
R = np.exp(-np.outer([0.1, 0.3, 0.7, 0.2], TIME)) * np.asarray([[1.0], [0.5], [2.0], [0.8]])
CLEAN = 1.5 * np.stack([np.convolve(KERNEL, r)[:N] for r in R])
Y = (CLEAN + 0.05 * RNG.normal(size=CLEAN.shape)).reshape(2, 2, N)


def by_svd(matrix: Any, y: Any, weights: Any) -> Any:
    u, s, vh = np.linalg.svd(matrix)
    return (vh.T @ (weights(s) * (u.T @ y))) / 1.5


def judged(y: Any, method: str, threshold: float = 0.2, limit: float = 0.035) -> Any:
    """One signal."""
    lower = scipy.linalg.toeplitz(KERNEL, np.zeros(N))
    circulant = scipy.linalg.circulant(np.concatenate([KERNEL, np.zeros(N)]))
    padded = np.concatenate([y, np.zeros(N)])

    def cut(least: float) -> Any:
        return lambda s: np.where(s > least * s[0], 1 / s, 0)

    if method == "standard":
        return by_svd(lower, y, cut(threshold))
    if method == "tikhonov":
        return by_svd(lower, y, lambda s: s / (s**2 + (threshold * s[0]) ** 2))
    if method == "circulant":
        return by_svd(circulant, padded, cut(threshold))
    for least in np.linspace(0.01, 0.5, 20):
        r = by_svd(circulant, padded, cut(least))
        if np.abs(np.diff(r, 2)).sum() / len(r) / r.max() < limit:
            break
    return r


def close(lib: Any, got: Any, expected: Any, tol: float = 1e-11) -> None:
    assert likewise.library(got) == lib.library
    got = lib.to_numpy(got)
    assert got.shape == np.shape(expected)
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(got, expected, atol=(tol if lib.has_float64 else 2e-4) * scale)


@pytest.mark.parametrize("method", ["standard", "circulant", "oscillation", "tikhonov"])
def test_deconvolve(lib: Any, method: str) -> None:
    y, kernel = lib.asarray(Y), lib.asarray(KERNEL)
    if not lib.has_extensions and method in ("standard", "tikhonov"):
        with pytest.raises(ExtensionMissing, match="linalg"):
            deconvolve_svd(y, kernel, method=method)
        return
    expected = np.apply_along_axis(judged, -1, Y, method)
    close(lib, deconvolve_svd(y, kernel, 1.5, method=method), expected)


def test_a_kernel_for_each_signal(lib: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    kernels = np.stack([KERNEL, 2 * KERNEL])[:, None]
    half = np.asarray([1.0, 0.5])[:, None, None]
    for method in ("standard", "circulant", "oscillation", "tikhonov"):
        expected = half * np.apply_along_axis(judged, -1, Y, method)
        got = deconvolve_svd(lib.asarray(Y), lib.asarray(kernels), 1.5, method=method)
        close(lib, got, expected)


def test_options() -> None:
    got = deconvolve_svd(Y[0, 0], KERNEL, 1.5, threshold=0.05)
    np.testing.assert_allclose(got, judged(Y[0, 0], "standard", 0.05), rtol=1e-10)
    last = deconvolve_svd(Y, KERNEL, 1.5, method="oscillation", oscillation=0.0)
    one = deconvolve_svd(Y, KERNEL, 1.5, method="circulant", threshold=0.5)
    np.testing.assert_allclose(last, one, rtol=1e-12)
    first = deconvolve_svd(
        Y, KERNEL, 1.5, method="oscillation", oscillation=9.0, thresholds=[0.1, 0.3]
    )
    one = deconvolve_svd(Y, KERNEL, 1.5, method="circulant", threshold=0.1)
    np.testing.assert_allclose(first, one, rtol=1e-12)
    assert np.all(deconvolve_svd(Y, 0 * KERNEL) == 0)
    many = np.broadcast_to(Y, (4000, 2, 2, N))  # more than a block
    got = deconvolve_svd(many, KERNEL, 1.5, method="oscillation")
    np.testing.assert_allclose(got[-1], got[0], rtol=1e-12)
    assert deconvolve_svd(Y[:0], KERNEL, method="oscillation").shape == (0, 2, 2 * N)
    single = deconvolve_svd(Y.astype("float32"), KERNEL.astype("float32"), method="oscillation")
    assert single.dtype == np.float32


@pytest.mark.parametrize("method", ["standard", "circulant", "oscillation", "tikhonov"])
@pytest.mark.parametrize("unit", [2.0**-70, 2.0**70])
def test_units_cancel(method: str, unit: float) -> None:
    """Units cancel in single precision, where such a kernel's square is out of range."""
    y, kernel = (v.astype("float32") for v in (Y, np.stack([KERNEL, 3 * KERNEL])[:, None]))
    got = deconvolve_svd(y * np.float32(unit), kernel * np.float32(unit), 1.5, method=method)
    np.testing.assert_array_equal(got, deconvolve_svd(y, kernel, 1.5, method=method))


GRID = np.asarray([0.0, 0.3, 1.0, 1.1, 2.5, 4.0]) + 0.7
X = np.asarray([[0.0, 2.0, 1.5, 3.0, 0.5, 0.2], [1.0, 0.0, 2.0, 0.4, 0.3, 1.0]])
RATES = np.asarray([[0.0], [1e-6], [0.4], [900.0], [-0.8]])


def integral(f: Any, i: int, points: Any) -> float:
    """Return what is between the first time and another, piece by piece."""
    edges = np.unique(np.clip(points, GRID[0], GRID[i]))
    pieces = itertools.pairwise(edges)
    return sum(scipy.integrate.quad(f, a, b, epsabs=1e-15, epsrel=1e-13)[0] for a, b in pieces)


def test_exponential(lib: Any) -> None:
    expected = np.zeros((5, 2, 6))
    for j, k, i in np.ndindex(5, 2, 6):
        rate, end = RATES[j, 0], GRID[i]

        def f(s: float, k: int = k, rate: float = rate, end: float = end) -> Any:
            return np.interp(s, GRID, X[k]) * np.exp(-rate * (end - s))

        near = end - np.asarray([0.001, 0.003, 0.01, 0.03]) if rate > 100 else []
        expected[j, k, i] = integral(f, i, np.concatenate([GRID, near]))
    got = convolve_exponential(lib.asarray(GRID), lib.asarray(X), lib.asarray(RATES))
    close(lib, got, expected, 1e-12)
    if lib.library == "numpy":
        np.testing.assert_allclose(got, expected, rtol=1e-11)
        z = np.geomspace(0.3, 0.7, 9)  # across the series' end
        one = convolve_exponential(np.asarray([0.0, 1.0]), np.asarray([1.0, 2.0]), z)
        z = z.astype("longdouble")
        late, early = np.exp(-z) - 1 + z, 1 - (1 + z) * np.exp(-z)
        np.testing.assert_allclose(one[:, 1], (early + 2 * late) / z**2, rtol=2e-15)


LONG = np.longdouble


@np.errstate(all="ignore")
def looped(t: Any, x: Any, rate: Any) -> tuple[Any, Any]:
    """The recursion piece by piece in extended precision, and the same of absolute values."""
    t, x, rate = (np.asarray(v, LONG) for v in (t, x, rate))
    width = np.diff(t)
    z = rate[..., None] * width
    s, w = np.where(abs(z) < 1, z, 0), np.where(abs(z) < 1, 1, z)
    late, factorial = LONG(0), np.cumprod(np.arange(1, 33, dtype=LONG))
    for k in range(32, 1, -1):
        late = 1 / factorial[k - 1] - s * late
    early = np.where(abs(z) < 1, 1 - (1 + s) * late, (1 - (1 + w) * np.exp(-w)) / w**2)
    late = np.where(abs(z) < 1, late, (np.exp(-w) - 1 + w) / w**2)
    last, first = width * late * x[..., 1:], width * early * x[..., :-1]
    decay, more = np.exp(-z), np.stack([last + first, abs(last) + abs(first)])
    total, found = np.zeros(more.shape[:-1], LONG), []
    for i in range(len(width)):
        total = decay[..., i] * total + more[..., i]
        found.append(total)
    both = np.stack([np.zeros_like(total), *found], axis=-1)
    return both[0], both[1]


def drawn(rng: Any, n: int, count: int) -> tuple[Any, Any, Any]:
    """Times, values and rates, with the edges of all."""
    end = 10 ** rng.uniform(-3, 3)
    t = (
        np.linspace(0, end, n),
        np.sort(rng.uniform(0, end, n)),
        np.sort(rng.choice(np.linspace(0, end, n // 2 + 1), n)),  # twice and more the same
        end * np.cumsum(10 ** rng.uniform(-6, 0, n)),
    )[rng.integers(4)]
    x = 10 ** rng.uniform(-3, 3, (count, n)) * rng.choice([-1.0, 0.0, 1.0], (count, n))
    if rng.random() < 0.5:  # a long time of growth, or of decay, of nothing
        x[:, slice(n // 2) if rng.random() < 0.5 else slice(n // 3, n)] = 0
    rate = 10 ** rng.uniform(-8, 4, count) * rng.choice([-1.0, 0.0, 1.0], count, p=[0.2, 0.1, 0.7])
    return t, x, rate / end


@np.errstate(all="ignore")
def agrees(t: Any, x: Any, rate: Any, got: Any) -> None:
    """To the digits that exponents and sums have, and to the least number times the largest sum."""
    expected, size = looped(t, x, rate)
    info = np.finfo(got.dtype)
    terms = 1 + abs(rate[..., None]) * (t - t[0]) + len(t) / 4
    least = info.smallest_normal * np.maximum(np.maximum.accumulate(size, axis=-1), 1)
    inside = np.broadcast_to(size, got.shape) < info.max / 4
    # exp(-z) and the weights of one piece leave the range where zeros are multiplied by them.
    inside = inside & (rate[..., None] * np.max(np.diff(t), initial=0) > -0.9 * np.log(info.max))
    error = abs(got - expected)
    assert np.all(np.where(inside, error <= 3 * info.eps * size * terms + least, True))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_exponential_of_long_grids(lib: Any, dtype: str) -> None:
    """In blocks, and with the weights of a few widths."""
    if lib.jit or (dtype == "float64" and not lib.has_float64):
        return
    rng = np.random.default_rng(3)
    for n, count in ((40, 1), (150, 40), (150, 120)):
        for _ in range(1 if lib.library == "jax" else 5):  # JAX compiles
            t, x, rate = (v.astype(dtype) for v in drawn(rng, n, count))
            with np.errstate(all="ignore"):
                got = convolve_exponential(*(lib.asarray(v) for v in (t, x, rate)))
            assert likewise.library(got) == lib.library
            agrees(t, x, rate, lib.to_numpy(got))
            assert lib.to_numpy(got).dtype == dtype


@pytest.mark.full
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_exponential_often(library: str) -> None:
    xp, rng = likewise.namespace(library), np.random.default_rng(4)
    for k in range(3000):
        n, count = rng.choice([1, 2, 5, 29, 30, 31, 60, 120, 501]), rng.choice([1, 2, 40])
        given = (v.astype("float32" if k % 3 == 0 else "float64") for v in drawn(rng, n, count))
        t, x, rate = given
        with np.errstate(all="ignore"):
            got = convolve_exponential(*map(xp.asarray, (t, x, rate)))
        agrees(t, x, rate, np.asarray(got))


def test_derivatives_of_long_grids(lib: Any) -> None:
    """Along random directions, of products with random numbers, against differences of the loop."""
    if not lib.has_float64 or lib.jit:
        return
    rng = np.random.default_rng(6)
    given = [np.cumsum(rng.uniform(0.01, 0.1, 100)), rng.normal(size=(2, 100)), [0.0, -40.0]]
    ways = [0.01 * np.sort(rng.normal(size=100)), rng.normal(size=(2, 100)), rng.normal(size=2)]
    weights = rng.normal(size=(2, 100)) * np.exp(np.outer(given[2], given[0]))
    held, arrays = lib.asarray(weights), [lib.asarray(np.asarray(v)) for v in given]

    def loss(t: Any, x: Any, rate: Any) -> Any:
        return likewise.array_namespace(x).sum(convolve_exponential(t, x, rate) * held)

    found = likewise.grad(loss, argnums=(0, 1, 2))(*arrays)
    slopes = [np.sum(lib.to_numpy(g) * w) for g, w in zip(found, ways, strict=True)]
    directions = [lib.asarray(w) for w in ways]
    _, along = likewise.jvp(loss, tuple(arrays), tuple(directions))
    expected = []
    for i, way in enumerate(ways):
        moved = []
        for h in (1e-5, -1e-5):
            near = [np.asarray(v, LONG) for v in given]
            near[i] = near[i] + h * way
            moved.append(np.sum(looped(*near)[0] * weights))
        expected.append(float(moved[0] - moved[1]) / 2e-5)
    np.testing.assert_allclose(slopes, expected, rtol=1e-7)
    np.testing.assert_allclose(lib.to_numpy(along), np.sum(expected), rtol=1e-6)


def test_long_grids_mapped_and_compiled(lib: Any) -> None:
    if lib.jit:
        return
    t, x = lib.asarray(np.linspace(0, 3, 90)), lib.asarray(np.cos(np.linspace(0, 9, 90)))
    rate = lib.asarray(np.asarray([0.0, 2.0, -1.5, 700.0]))
    expected = lib.to_numpy(convolve_exponential(t, x, rate))
    each = likewise.vmap(convolve_exponential, in_axes=(None, None, 0))
    close(lib, each(t, x, rate), expected, 1e-13)
    if lib.library != "torch":  # whose compiler takes some seconds; its graph has no loop
        close(lib, likewise.jit(convolve_exponential)(t, x, rate), expected, 1e-13)
        close(lib, likewise.jit(each)(t, x, rate), expected, 1e-13)


def test_linear(lib: Any) -> None:
    h = np.asarray([[2.0, 1.5, 0.3, 0.8, 0.1, 0.0], [0.0, 1.0, 2.0, 0.5, 0.2, 0.1]])
    expected = np.zeros((2, 2, 6))
    for j, k, i in np.ndindex(2, 2, 6):
        end = GRID[i]

        def f(s: float, j: int = j, k: int = k, end: float = end) -> Any:
            return np.interp(s, GRID, X[k]) * np.interp(end - s, GRID - GRID[0], h[j])

        expected[j, k, i] = integral(f, i, np.concatenate([GRID, end - GRID + GRID[0]]))
    t = lib.asarray(GRID)
    close(lib, convolve_linear(t, lib.asarray(X[0]), lib.asarray(h)), expected[:, 0], 1e-12)
    if lib.jit:
        return
    close(lib, convolve_linear(t, lib.asarray(X), lib.asarray(h[0])), expected[0], 1e-12)
    got = convolve_linear(t, lib.asarray(X), lib.asarray(h[:, None]))
    close(lib, got, expected, 1e-12)


def test_short_grids() -> None:
    for n in (0, 1):
        assert convolve_linear(GRID[:n], X[:, :n], X[:, :n]).tolist() == [[0.0] * n] * 2
        assert convolve_exponential(GRID[:n], X[:, :n], 2.0).tolist() == [[0.0] * n] * 2
    twice = np.asarray([0.0, 1.0, 1.0, 2.0])
    step = np.asarray([1.0, 1.0, 3.0, 3.0])
    expected = [0.0, 1.0, 1.0, 4.0]
    np.testing.assert_allclose(convolve_exponential(twice, step, 0.0), expected)
    np.testing.assert_allclose(convolve_linear(twice, step, np.ones(4)), expected)


CALLS: dict[str, Any] = {
    "standard": lambda y, k: deconvolve_svd(y, k, 1.5),
    "oscillation": lambda y, k: deconvolve_svd(y, k, 1.5, method="oscillation"),
    "tikhonov": lambda y, k: deconvolve_svd(y, k, 1.5, method="tikhonov"),
    "exponential": lambda y, k: convolve_exponential(k, y, y[..., 0]),
    "linear": lambda y, k: convolve_linear(TIME.tolist(), k, y),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(lib: Any, name: str) -> None:
    """Of a random sum of results, against central differences."""
    if not lib.has_float64 or lib.jit or not lib.has_extensions:
        return
    given = [Y, TIME if name == "exponential" else KERNEL]
    weights = RNG.normal(size=CALLS[name](*given).shape)
    held = lib.asarray(weights)

    def loss(y: Any, k: Any) -> Any:
        return likewise.array_namespace(y, k).sum(CALLS[name](y, k) * held)

    got = likewise.grad(loss, argnums=(0, 1))(*map(lib.asarray, given))
    for which, place in ((0, (1, 0, 3)), (0, (0, 1, 0)), (1, (2,)), (1, (7,))):
        found = []
        for h in (1e-6, -1e-6):
            moved = [x.copy() for x in given]
            moved[which][place] += h
            found.append(float(np.sum(CALLS[name](*moved) * weights)))
        slope = (found[0] - found[1]) / 2e-6
        assert abs(lib.to_numpy(got[which])[place] - slope) < 1e-6 * max(1, abs(slope))


BAD: dict[str, Any] = {
    "sizes": (lambda: deconvolve_svd(Y, KERNEL[1:]), ShapeError, r"\(2, 2, 12\) and \(11,\)"),
    "nothing": (lambda: deconvolve_svd(Y[..., :0], KERNEL[:0]), ShapeError, "equally many"),
    "shapes": (lambda: deconvolve_svd(Y, np.ones((3, N))), ShapeError, "must broadcast"),
    "kind": (lambda: deconvolve_svd(Y + 1j, KERNEL), DtypeError, "must hold real numbers"),
    "dx": (lambda: deconvolve_svd(Y, KERNEL, 0.0), ArgumentError, "positive, got 0.0"),
    "method": (lambda: deconvolve_svd(Y, KERNEL, method="x"), ArgumentError, "'tikhonov', got 'x'"),
    "cutoff": (lambda: deconvolve_svd(Y, KERNEL, threshold=-1), ArgumentError, "got -1"),
    "fall": (
        lambda: deconvolve_svd(Y, KERNEL, method="oscillation", thresholds=[0.2, 0.1]),
        ArgumentError,
        r"rise, got \[0.2, 0.1\]",
    ),
    "times": (lambda: convolve_exponential(-GRID, X, 1.0), ArgumentError, "t must rise"),
    "grid": (lambda: convolve_linear(X, X, X), ShapeError, r"t must have shape \(n,\)"),
    "rates": (lambda: convolve_exponential(GRID, X, np.ones(3)), ShapeError, "must broadcast"),
    "response": (lambda: convolve_linear(GRID, X, X[:, 1:]), ShapeError, r"response must .* 5\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
