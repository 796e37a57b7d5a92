"""Filters by numerator and denominator, run on signals, against SciPy and against long double."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.signal import deconvolve, lfilter, lfilter_zi, lfiltic
from likewise.signal._filtering._doubling import divided

from ..designs import close

RNG = np.random.default_rng(17)
FILTERS = {
    "elliptic": scipy.signal.ellip(5, 1, 40, 0.2),
    "one pole": (RNG.normal(size=4), np.asarray([2.0, 0.5])),
    "no feedback": (RNG.normal(size=3), np.asarray([2.0])),
    "a factor": (np.asarray([3.0]), np.asarray([2.0])),
    "zeros behind": (np.asarray([0.5, 0.0]), np.asarray([2.0, 0.1, 0.3, 0.01, 0.0])),
    "no poles": (np.asarray([0.5, 1.0]), np.asarray([1.0, 0.0, 0.0])),
    "equal poles": (np.asarray([1.0]), np.poly([0.9, 0.9, 0.9])),
    "unstable": (np.asarray([1.0, 0.3]), np.poly([1.5, 0.5, -0.7])),
}


def wide(*arrays: Any) -> Any:
    return [a.astype(np.result_type(a.dtype, float)) for a in arrays]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_equals_scipy(lib: Any, dtype: str) -> None:
    rng = np.random.default_rng(0)  # its own: single precision's errors depend on the data
    for name, (b, a) in FILTERS.items():
        if (lib.jit or lib.library == "dask") and name not in ("elliptic", "no feedback"):
            continue
        if dtype == "float32":
            if name == "unstable":  # leaves the range
                continue
            b, a = b.astype(dtype), a.astype(dtype)
        sizes = (5,) if lib.library == "dask" else (120,) if lib.jit else (1, 3, 100, 231)
        for n in sizes:
            x = rng.normal(size=(3, n)) + (1j if dtype == "complex128" else 0)
            x, zi = x.astype(dtype), rng.normal(size=(1, max(len(a), len(b)) - 1)).astype(dtype)
            ours = [lib.asarray(v) for v in (b, a, x, zi)]
            expected = scipy.signal.lfilter(*wide(b, a, x))
            got = lib.to_numpy(lfilter(*ours[:3]))
            assert got.dtype == lib.to_numpy(ours[2]).dtype
            few = 1e-4 if dtype == "float32" else 1e-11  # SciPy's own error in single precision
            close(got, expected, few)
            if lib.jit or lib.library == "dask":
                continue
            b2, a2, x2, zi2 = wide(b, a, x, zi)
            expected = scipy.signal.lfilter(b2, a2, x2, zi=zi2)
            got = lfilter(*ours[:3], zi=ours[3])
            close(tuple(map(lib.to_numpy, got)), expected, few)
            got = lfilter.generic(*ours[:3], zi=ours[3])
            close(tuple(map(lib.to_numpy, got)), expected, 1e-11)


def test_axes_and_lists(lib: Any) -> None:
    if lib.library == "dask":
        return
    b, a = FILTERS["elliptic"]
    x, zi = RNG.normal(size=(2, 120, 3)), RNG.normal(size=(2, 5, 3))
    ours = [lib.asarray(v) for v in (b, a, x, zi)]
    got = lfilter(*ours[:3], axis=-2, zi=ours[3])
    close(tuple(map(lib.to_numpy, got)), scipy.signal.lfilter(b, a, x, 1, zi), 1e-11)
    got = lfilter(b.tolist(), 1, ours[2], axis=0)
    close(lib.to_numpy(got), scipy.signal.lfilter(b, 1, x, 0), 1e-12)


@pytest.mark.parametrize("n", [0, 1, 3, 150])
def test_complex_coefficients(n: int) -> None:
    b, a = np.asarray([1.0, 0.3j]), np.asarray([1.0, -0.5 + 0.2j, 0.1])
    x, zi = RNG.normal(size=(2, n)), RNG.normal(size=(2, 2))
    y, zf = lfilter.generic(b, a, x, zi=zi)
    if n:
        close((y, zf), scipy.signal.lfilter(b, a, x, zi=zi.astype(complex)), 1e-12)
    else:
        close(zf, zi.astype(complex))


def _of_poles(rng: Any, kind: str, count: int) -> Any:
    """Return a denominator: stable, narrow, growing and complex ones, and of any coefficients."""
    if kind == "any":
        return np.append(1.0, rng.normal(size=count) * 10.0 ** rng.uniform(-2, 0.3))
    if kind == "butter":
        return scipy.signal.butter(count, 10.0 ** rng.uniform(-2, -0.1))[1]
    radius = {
        "real": rng.uniform(-1, 1, count),
        "near one": 1 - 10.0 ** rng.uniform(-5, -1, count),
        "fading": 10.0 ** rng.uniform(-8, -0.5, count),
        "growing": rng.uniform(0.9, 1.1, count),
        "complex": rng.uniform(0.3, 1.02, count),
    }[kind]
    if kind == "growing":
        pair = radius[: count // 2] * np.exp(1j * rng.uniform(0, np.pi, count // 2))
        return np.poly([*pair, *pair.conj(), *radius[: count % 2]]).real
    turn = np.exp(2j * np.pi * rng.uniform(size=count)) if kind == "complex" else 1.0
    return np.poly(radius * turn)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "kind", ["any", "butter", "real", "near one", "fading", "growing", "complex"]
)
@pytest.mark.parametrize("rounds", [20, pytest.param(400, marks=pytest.mark.full)])
def test_doubling_has_the_digits_of_a_loop(rounds: int, kind: str, dtype: str) -> None:
    """Errors against long double, relative to the largest result so far, and those of SciPy."""
    rng = np.random.default_rng(3)
    if kind == "complex":
        dtype = {"float64": "complex128", "float32": "complex64"}[dtype]
    ratios = []
    for _ in range(rounds):
        count, n = int(rng.integers(1, 7)), int(10 ** rng.uniform(0, 3))
        a, x = _of_poles(rng, kind, count).astype(dtype), rng.normal(size=(2, n)).astype(dtype)
        wider = a.astype(np.result_type(dtype, np.longdouble))
        exact = scipy.signal.lfilter(wider[:1], wider, x.astype(wider.dtype))
        loop = scipy.signal.lfilter(a[:1], a, x)
        got = divided(a, x)
        assert got.dtype == dtype
        largest = np.maximum.accumulate(np.abs(exact), axis=-1)
        kept = largest < 1e-8 * np.finfo(dtype).max
        errors = [np.max((np.abs(y - exact) / largest)[kept]) for y in (got, loop)]
        if errors[1] < 0.01:  # else nothing is left of the loop's digits
            ratios.append(errors[0] / max(errors[1], np.finfo(dtype).eps))
    assert len(ratios) > rounds / 2
    assert np.median(ratios) < 2
    assert np.max(ratios) < 100


def test_factors_that_overflow_on_zeros() -> None:
    """A pole of 4 in 700 samples, of which the first is no input."""
    x = np.zeros((1, 700))
    x[0, 300] = 1.0
    got = lfilter.generic(np.ones(1), np.asarray([1.0, -4.0j]), x)
    close(got, scipy.signal.lfilter([1.0], [1.0, -4.0j], x), 1e-12)
    assert np.all(got[0, :300] == 0)


LONG: list[Any] = [
    ([1.0], [1.0, *[0.0] * 11, -0.5]),
    ([1.0], [1.0, *[0.0] * 59, -0.5]),  # an echo: more poles on one circle than blocks take
    (scipy.signal.firwin(64, 0.3), [1.0, -0.5]),
    (scipy.signal.firwin(400, 0.3), [1.0, -0.99]),
    ([1.0, 2.0, 3.0, 4.0], [1.0, -0.5, 1e-17, 1e-18]),
]


@pytest.mark.parametrize("which", range(len(LONG)))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_echoes_and_long_numerators(which: int, dtype: str) -> None:
    b, a = (np.asarray(c, dtype=dtype) for c in LONG[which])
    x = np.random.default_rng(0).standard_normal(150).astype(dtype)
    expected = scipy.signal.lfilter(*(v.astype(float) for v in (b, a, x)))
    got = lfilter.generic(b, a, x)
    assert got.dtype == dtype
    close(got, expected, 1e-13 if dtype == "float64" else 2e-6)


def test_states_beyond_the_poles() -> None:
    b, a, zi = [0.5], [1.0, -0.5, 0.0, 0.0], np.asarray([[0.3, -1.0, 2.0]])
    y, zf = lfilter.generic(np.asarray(b), np.asarray(a), np.ones((1, 9)), zi=zi)
    close((y, zf), scipy.signal.lfilter(b, a, np.ones((1, 9)), zi=zi), 1e-13)


def worst(b: Any, a: Any, x: Any) -> tuple[float, float]:
    """The largest errors of the body and of SciPy against long double, relative to the largest."""
    size = max(len(b), len(a))
    b, a = (np.pad(c, (0, size - len(c))) for c in (b, a))
    wide_b, wide_a, wide_x = (v.astype(np.longdouble) for v in (b, a, x))
    y, z = np.empty_like(wide_x), np.zeros(size, np.longdouble)
    for i, v in enumerate(wide_x):
        y[i] = wide_b[0] * v + z[0]
        z = np.append(z[1:], 0)
        z[:-1] += wide_b[1:] * v - wide_a[1:] * y[i]
    return tuple(
        float(np.max(np.abs(f(b, a, x) - y)) / np.max(np.abs(y)))
        for f in (lfilter.generic, scipy.signal.lfilter)
    )


@pytest.mark.parametrize(
    "order, cutoff, kind",
    [(2, 1e-3, "low"), (4, 1e-3, "low"), (4, 0.01, "high"), (8, 0.05, "low"), (12, 0.3, "low")],
)
def test_no_worse_than_scipy(order: int, cutoff: float, kind: str) -> None:
    b, a = scipy.signal.butter(order, cutoff, kind)
    ours, theirs = worst(b, a, 1 + RNG.normal(size=3000))
    assert ours < max(10 * theirs, 1e-15)


def test_long_filters_without_feedback(lib: Any) -> None:
    if not lib.has_extensions or lib.library == "dask":
        return
    b, x = RNG.normal(size=200), RNG.normal(size=(2, 300))
    body = lfilter if lib.jit else lfilter.generic
    got = lib.to_numpy(body(lib.asarray(b), lib.asarray([1.0]), lib.asarray(x)))
    close(got, scipy.signal.lfilter(b, [1.0], x), 1e-11)


def test_a_batch_by_vmap(lib: Any) -> None:
    """Of signals, and of coefficients."""
    if lib.library == "dask" or lib.jit:
        return
    b, a = (lib.asarray(c) for c in FILTERS["elliptic"])
    x = lib.asarray(RNG.normal(size=(3, 40)))
    expected = lib.to_numpy(lfilter(b, a, x))
    close(lib.to_numpy(likewise.vmap(lambda v: lfilter(b, a, v))(x)), expected, 1e-11)
    scale = np.asarray([[1.0], [2.0], [-3.0]])
    many, poles = (lib.asarray(lib.to_numpy(c) * scale) for c in (b, a))
    got = likewise.vmap(lambda c, d, v: lfilter(c, d, v))(many, poles, x)
    close(lib.to_numpy(got), expected, 1e-10)


def test_derivatives(lib: Any) -> None:
    """In all arguments, of a random cotangent: against differences of SciPy's results."""
    if not lib.has_float64 or lib.jit or lib.library == "dask":
        return
    derivatives_agree(lib.asarray, lib.to_numpy)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_derivatives_on_jax() -> None:
    """JAX transposes what is done with tangents, so none of them may be looked at."""
    import jax.numpy as jnp

    derivatives_agree(jnp.asarray, np.asarray)


def derivatives_agree(asarray: Any, to_numpy: Any) -> None:
    b, a = scipy.signal.butter(3, 0.4)
    given = (b, a, RNG.normal(size=(2, 40)), RNG.normal(size=(2, 3)))
    weights = RNG.normal(size=(2, 40)), RNG.normal(size=(2, 3))
    held = [asarray(w) for w in weights]

    def loss(b: Any, a: Any, x: Any, zi: Any) -> Any:
        xp = likewise.array_namespace(b, a, x, zi)
        y, zf = lfilter(b, a, x, zi=zi)
        return xp.sum(y * held[0]) + xp.sum(zf * held[1])

    def judge(*given: Any) -> Any:
        y, zf = scipy.signal.lfilter(*given[:3], zi=given[3])
        return np.sum(y * weights[0]) + np.sum(zf * weights[1])

    got = likewise.grad(loss, argnums=(0, 1, 2, 3))(*map(asarray, given))
    for i, g in enumerate(got):
        step = RNG.normal(size=given[i].shape) * 1e-6
        ahead, back = (
            [v + s * step if j == i else v for j, v in enumerate(given)] for s in (1, -1)
        )
        np.testing.assert_allclose(
            2 * np.sum(to_numpy(g) * step), judge(*ahead) - judge(*back), rtol=1e-6, atol=1e-9
        )


def test_states_to_start_from(lib: Any) -> None:
    b, a = FILTERS["elliptic"]
    y, x = RNG.normal(size=3), RNG.normal(size=9)
    ours = [lib.asarray(v) for v in (b, a, y, x)]
    close(lib.to_numpy(lfilter_zi(*ours[:2])), scipy.signal.lfilter_zi(b, a), 1e-9)
    close(lib.to_numpy(lfiltic(*ours)), scipy.signal.lfiltic(b, a, y, x))
    if lib.jit:
        return
    close(lib.to_numpy(lfiltic(*ours[:3])), scipy.signal.lfiltic(b, a, y))
    for b, a in [([1.0, 2.0, 3.0], [2.0, 0.5]), ([1.0], [0.0, 2.0, 0.5])]:
        got = lfilter_zi(lib.asarray(b), lib.asarray(a))
        close(lib.to_numpy(got), scipy.signal.lfilter_zi(b, a))


@pytest.mark.parametrize("n", [3, 12])
def test_what_is_not_finite_leaves_the_memory(lib: Any, n: int) -> None:
    """The states know the last samples alone."""
    if not lib.has_float64:
        return
    b, x = np.asarray([1.0, 0.5, 0.25, -2.0]), np.ones((2, n))
    for value in (np.nan, np.inf):
        x[0, n - 3] = value
        with np.errstate(invalid="ignore"):
            expected = scipy.signal.lfilter(b, [1.0], x, zi=np.ones((2, 3)))
            arrays = (lib.asarray(v) for v in (b, np.ones(1), x))
            got = lfilter(*arrays, zi=lib.asarray(np.ones((2, 3))))
            for y, want in zip(got, expected, strict=True):
                np.testing.assert_allclose(lib.to_numpy(y), want, rtol=1e-12)


def test_division(lib: Any) -> None:
    num, den = RNG.normal(size=6), np.asarray([1.0, 0.4, 0.2])
    got = deconvolve(lib.asarray(num), lib.asarray(den))
    close(tuple(map(lib.to_numpy, got)), scipy.signal.deconvolve(num, den), 1e-12)
    quotient, rest = deconvolve(lib.asarray(den), lib.asarray(num))
    assert lib.to_numpy(quotient).shape == (0,)
    close(lib.to_numpy(rest), den)


X = np.ones(5)
BAD = {
    "numerator": (lambda: lfilter(np.ones((2, 2)), 1.0, X), ShapeError, "b must be a sequence"),
    "denominator": (lambda: lfilter([1.0], [], X), ShapeError, "a must be a sequence of coef"),
    "leading": (lambda: lfilter([1.0], [0.0, 1.0], X), ArgumentError, r"a\[0\] must not be zero"),
    "states": (lambda: lfilter([1.0], [1.0, 0.5], X, zi=np.ones(2)), ShapeError, r"\(1,\), or 1"),
    "axis": (lambda: lfilter([1.0], [1.0, 0.5], X, axis=1), ShapeError, "axis must lie in"),
    "number": (lambda: lfilter([1.0], [1.0, 0.5], 1.0), ShapeError, "got a number"),
    "whole": (lambda: lfilter([1], [1, 2], np.ones(3, int)), NotSupported, "integers or booleans"),
    "settled": (lambda: lfilter_zi([1.0], [0.0]), ArgumentError, "that isn't zero"),
    "past": (lambda: lfiltic([1.0], [1.0, 0.5], [[1.0]]), ShapeError, "y must be a sequence"),
    "first": (lambda: lfiltic([1.0], [0.0, 0.5], [1.0]), ArgumentError, "must not be zero"),
    "divisor": (lambda: deconvolve([1.0, 2.0], [0.0, 1.0]), ArgumentError, "must not be zero"),
    "nothing": (lambda: deconvolve([], [1.0]), ShapeError, "isn't empty"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("way", ["routine", "body"])
def test_bad_input_says_what_to_do(case: str, way: str) -> None:
    call, error, words = BAD[case]
    with likewise.prefer("generic" if way == "body" else ()), pytest.raises(error, match=words):
        call()
