"""Waveforms, against SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from likewise.signal import chirp, gausspulse, sawtooth, square, sweep_poly, unit_impulse

from .designs import close, gradient, in_use, parts

RNG = np.random.default_rng(22)
T = np.linspace(-0.7, 2.9, 23)
METHODS = ("linear", "quadratic", "logarithmic", "hyperbolic")
WAVES = {"sawtooth": sawtooth, "square": square}


@pytest.mark.parametrize("method", METHODS)
def test_chirp(lib: Any, method: str) -> None:
    t = lib.asarray(T)
    for options in ({}, {"phi": 30.0, "vertex_zero": False}, {"complex": True}):
        if lib.jit and options:
            continue
        for f0, f1 in ((2.0, 0.5), (1.5, 1.5)):
            got = lib.to_numpy(chirp(t, f0, 3.0, f1, method, **options))  # type: ignore[arg-type]
            close(got, scipy.signal.chirp(T, f0, 3.0, f1, method, **options), 1e-11)
    if not lib.jit:
        numbers = [np.asarray([[2.0], [0.3]]), np.asarray(3.0), np.asarray([[0.5], [0.4]])]
        got = lib.to_numpy(chirp(t, *map(lib.asarray, numbers), method))  # type: ignore[arg-type]
        for row, f0, f1 in zip(got, (2.0, 0.3), (0.5, 0.4), strict=True):
            close(row, scipy.signal.chirp(T, f0, 3.0, f1, method), 1e-11)


def test_dtypes(lib: Any) -> None:
    t = lib.asarray(T.astype("float32"))
    real = [chirp(t, 1, 2, 3), sweep_poly(t, [1, 2]), gausspulse(t), sawtooth(t), square(t, 0.2)]
    for out in real:
        assert lib.to_numpy(out).dtype == "float32"
    assert lib.to_numpy(chirp(t, 1, 2, 3, complex=True)).dtype == "complex64"
    whole = lib.asarray([0, 1, 2])
    assert lib.xp.isdtype(square(whole).dtype, "real floating")


def test_single_precision_keeps_what_frequencies_alike_leave() -> None:
    t = np.linspace(0.0, 2.0, 9)
    for method in METHODS:
        got = chirp(t.astype("float32"), 1.0, 2.0, 1.0001, method)
        close(got, scipy.signal.chirp(t, 1.0, 2.0, 1.0001, method), 5e-6)


def test_sweep_poly(lib: Any) -> None:
    p = np.asarray([0.3, -1.0, 2.0])
    expected = scipy.signal.sweep_poly(T, p, 20.0)
    t = lib.asarray(T)
    close(lib.to_numpy(sweep_poly(t, lib.asarray(p), 20.0)), expected, 1e-11)
    if not lib.jit:
        close(lib.to_numpy(sweep_poly(t, np.poly1d(p), lib.asarray(20.0))), expected, 1e-11)
        close(lib.to_numpy(sweep_poly(t, [1.5])), scipy.signal.sweep_poly(T, [1.5]), 1e-11)


def test_gausspulse(lib: Any) -> None:
    t = lib.asarray(T)
    for options in ({}, {"retquad": True}, {"retenv": True}, {"retquad": True, "retenv": True}):
        if lib.jit and len(options) < 2:
            continue
        got = gausspulse(t, fc=0.8, bw=0.3, bwr=-3, **options)
        expected = scipy.signal.gausspulse(T, fc=0.8, bw=0.3, bwr=-3, **options)
        close(tuple(map(lib.to_numpy, parts(got))), parts(expected), 1e-11)
    options = {"fc": 0.8, "bw": 0.3, "tpr": -40}
    np.testing.assert_allclose(
        gausspulse("cutoff", **options), scipy.signal.gausspulse("cutoff", **options), rtol=1e-14
    )


@pytest.mark.parametrize("name", WAVES)
def test_waves(lib: Any, name: str) -> None:
    ours, theirs = WAVES[name], getattr(scipy.signal, name)
    t = 3 * T
    widths = (0.3, 0.0, 1.0, np.linspace(-0.2, 1.2, t.shape[0]), np.asarray([[0.25], [0.5]]))
    for w in widths[-2:] if lib.jit else widths:
        given = w if isinstance(w, float) else lib.asarray(w)
        got = lib.to_numpy(ours(lib.asarray(t), given))
        np.testing.assert_allclose(
            got, theirs(t, w), atol=1e-5 if got.dtype == "float32" else 1e-12
        )


def test_ends_of_cycles() -> None:
    t = np.asarray([-1e-20, 0.0, np.pi, 2 * np.pi])
    assert sawtooth(t)[0] == 1.0  # SciPy divides 0 by 0
    np.testing.assert_allclose(sawtooth(t[1:]), scipy.signal.sawtooth(t[1:]), atol=1e-15)
    np.testing.assert_array_equal(square(t), scipy.signal.square(t))


def test_unit_impulse(lib: Any) -> None:
    places: list[tuple[Any, Any]] = [
        (7, None),
        (7, -2),
        ((3, 4), "mid"),
        ((3, 4), (2, -1)),
        ((4, 4), 2),
        ((), None),
    ]
    for shape, idx in places:
        (got,) = in_use(lib, lambda shape=shape, idx=idx: unit_impulse(shape, idx))
        assert got.dtype == ("float64" if lib.has_float64 else "float32")
        np.testing.assert_array_equal(got, scipy.signal.unit_impulse(shape, idx))
    where = {"xp": lib.xp, "device": lib.device}
    for dtype, kind in (
        (int, "i"),
        (bool, "b"),
        (complex, "c"),
        ("uint8", "u"),
        (lib.xp.int32, "i"),
    ):
        out = lib.to_numpy(unit_impulse(3, 1, dtype, **where))
        assert out.dtype.kind == kind
        assert out.tolist() == [0, 1, 0]


def test_derivatives(lib: Any) -> None:
    """Of times and parameters; not at edges."""
    if not lib.has_float64 or lib.jit or lib.library == "dask":
        return
    t = np.linspace(0.1, 1.3, 5)
    weights = RNG.normal(size=5)
    held = lib.asarray(weights)
    ways: dict[str, tuple[Any, Any, Any]] = {
        m: (
            lambda p, m=m: chirp(lib.asarray(t), p[0], p[1], p[2], m, phi=p[0]),
            lambda p, m=m: scipy.signal.chirp(t, p[0], p[1], p[2], m, phi=p[0]),
            [1.1, 2.0, 0.7],
        )
        for m in METHODS
    }
    ways |= {
        "times": (
            lambda p: chirp(p, 1.0, 2.0, 3.0),
            lambda p: scipy.signal.chirp(p, 1.0, 2.0, 3.0),
            t,
        ),
        "poly": (
            lambda p: sweep_poly(lib.asarray(t), p),
            lambda p: scipy.signal.sweep_poly(t, p),
            [0.3, -1.0, 2.0],
        ),
        "pulse": (
            lambda p: gausspulse(lib.asarray(t), p[0], p[1], p[2]),
            lambda p: scipy.signal.gausspulse(t, p[0], p[1], p[2]),
            [0.8, 0.5, -6.0],
        ),
        "saw": (
            lambda p: sawtooth(p[:5] * 5, p[5]),
            lambda p: scipy.signal.sawtooth(p[:5] * 5, p[5]),
            [*t, 0.4],
        ),
    }
    for name, (ours, theirs, p) in ways.items():

        def loss(p: Any, ours: Any = ours) -> Any:
            out = ours(p)
            return likewise.array_namespace(out).sum(out * held)

        got = lib.to_numpy(likewise.grad(loss)(lib.asarray(np.asarray(p))))
        np.testing.assert_allclose(
            got, gradient(theirs, p, weights), rtol=1e-5, atol=1e-7, err_msg=name
        )


def test_derivative_of_a_sweep_that_stays() -> None:
    """Of the last frequency where it is the first: the parabola's phase is less curved."""
    t, t1 = 0.4, 2.0
    for method in METHODS:
        rise = 2 * t**3 / (3 * t1**2) if method == "quadratic" else t**2 / t1
        got = likewise.grad(lambda f1, m=method: chirp(np.asarray(t), 1.0, t1, f1, m))
        expected = -np.sin(2 * np.pi * t) * np.pi * rise
        np.testing.assert_allclose(got(np.asarray(1.0)), expected, rtol=1e-12)


BAD: dict[str, Any] = {
    "method": (lambda: chirp(T, 1, 2, 3, "x"), ArgumentError, "method must be one of 'linear'"),
    "zero": (lambda: chirp(T, 0, 2, 3, "log"), ArgumentError, "of one sign.* got f0 = 0.0"),
    "signs": (lambda: chirp(T, 1, 2, np.asarray(-3.0), "lo"), ArgumentError, "of one sign"),
    "hyperbola": (lambda: chirp(T, 1, 2, 0, "hyp"), ArgumentError, "must not be zero .* f1 = 0.0"),
    "time": (lambda: chirp(T, 1, 0, 2), ArgumentError, "t1 must not be zero"),
    "text": (lambda: chirp(T, "1", 2, 3), ArrayTypeError, "argument .f0. must be a standard array"),
    "complex": (lambda: chirp(1j * T, 1, 2, 3), DtypeError, "real"),
    "matrix": (
        lambda: sweep_poly(T, np.eye(2)),
        ShapeError,
        r"poly must be a sequence, got .*2, 2",
    ),
    "number": (lambda: sweep_poly(T, 2.0), ShapeError, "poly must be a sequence, got 2.0"),
    "shapes": (lambda: square(T, np.ones(2)), ShapeError, "broadcast"),
    "fc": (lambda: gausspulse(T, -1), ArgumentError, "fc must be at least 0, got -1"),
    "bw": (lambda: gausspulse(T, 1, 0), ArgumentError, "bw must be positive, got 0"),
    "bwr": (lambda: gausspulse(T, bwr=1), ArgumentError, "bwr must be negative, in decibel, got 1"),
    "tpr": (lambda: gausspulse("cutoff", tpr=1), ArgumentError, "tpr must be negative"),
    "word": (lambda: gausspulse("x"), ArgumentError, "t must be times or 'cutoff', got 'x'"),
    "sizes": (lambda: unit_impulse(-1), ArgumentError, "nonnegative integers, got -1"),
    "place": (
        lambda: unit_impulse((2, 3), 2),
        IndexError,
        r"idx must be a place .*\(2, 3\).* got 2",
    ),
    "places": (lambda: unit_impulse((2, 3), (1,)), IndexError, "idx must be a place"),
    "dtype": (lambda: unit_impulse(2, dtype="x"), ArgumentError, "dtype must be one of .* got 'x'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
