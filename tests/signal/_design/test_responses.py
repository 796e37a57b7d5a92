"""Frequency responses against SciPy, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, LikewiseWarning, ShapeError
from likewise.signal import freqz, freqz_sos, freqz_zpk, group_delay, sosfreqz

from ..designs import close, gradient, in_use

RNG = np.random.default_rng(16)
B, A = RNG.normal(size=5), np.asarray([1.0, 0.3, 0.2])
SOS = scipy.signal.butter(5, 0.3, output="sos")


def on(lib: Any, out: Any) -> Any:
    assert all(likewise.library(x) == lib.library for x in out)
    return tuple(lib.to_numpy(x) for x in out)


def test_freqz(lib: Any) -> None:
    b, a = lib.asarray(B), lib.asarray(A)
    close(on(lib, freqz(b, a, 8, fs=3.0)), scipy.signal.freqz(B, A, 8, fs=3.0))
    got = freqz(b, a, 8, True) if not lib.jit else freqz(b, a, 8, whole=True)
    close(on(lib, got), scipy.signal.freqz(B, A, 8, True))
    w = np.linspace(0.1, 3, 7)
    close(on(lib, freqz(b, worN=lib.asarray(w))), scipy.signal.freqz(B, worN=w))
    many = RNG.normal(size=(5, 3, 1))
    close(on(lib, freqz(lib.asarray(many), a, w.tolist())), scipy.signal.freqz(many, A, w))
    assert on(lib, freqz(lib.asarray(B.astype("float32")), 1, 4))[1].dtype == np.complex64
    close(in_use(lib, lambda: freqz(B.tolist(), A.tolist(), 8)), scipy.signal.freqz(B, A, 8))


@pytest.mark.parametrize("n", [64, 65, 150])
def test_long_filters(lib: Any, n: int) -> None:
    if not lib.has_extensions or (lib.jit and n != 65):
        return
    b = RNG.normal(size=n)
    for more in ({}, {"include_nyquist": True}, {"whole": True}, {"worN": 3}):
        if more and lib.jit:
            continue
        more = {"worN": 512} | more
        close(on(lib, freqz(lib.asarray(b), **more)), scipy.signal.freqz(b, **more))
    if lib.library == "numpy":
        many, w = RNG.normal(size=(n, 2, 1)), np.linspace(0.1, 3, 5)
        close(freqz(many, 1, w), scipy.signal.freqz(many, 1, w))


def test_counts_and_the_plot() -> None:
    seen: list[Any] = []
    for n in (0, 1, 5, np.int16(5), None):
        w, h = freqz(B, A, n, plot=lambda w, h: seen.append((w, h)))
        close((w, h), scipy.signal.freqz(B, A, n))
    assert len(seen) == 5
    close(freqz(B, A, np.asarray(4)), scipy.signal.freqz(B, A, 4))
    close(freqz(B + 1j, A, 4), scipy.signal.freqz(B + 1j, A, 4))


def test_sections(lib: Any) -> None:
    sos, w = lib.asarray(SOS), np.linspace(0, 3, 6)
    close(on(lib, freqz_sos(sos, 6, fs=2.0)), scipy.signal.freqz_sos(SOS, 6, fs=2.0))
    if not lib.jit:
        close(on(lib, sosfreqz(sos, w.tolist())), scipy.signal.freqz_sos(SOS, w))
        _, h = on(lib, freqz_sos(lib.asarray(np.stack([SOS, SOS])), lib.asarray(w[None])))
        close(h, np.stack([scipy.signal.freqz_sos(SOS, w[None])[1]] * 2))


def test_zeros_and_poles(lib: Any) -> None:
    z, p, k = scipy.signal.ellip(3, 1, 40, 0.3, output="zpk")
    got = freqz_zpk(lib.asarray(z), lib.asarray(p), float(k), 6, fs=2.0)
    close(on(lib, got), scipy.signal.freqz_zpk(z, p, k, 6, fs=2.0))


def test_delays(lib: Any) -> None:
    b, a = lib.asarray(B), lib.asarray(A)
    close(on(lib, group_delay((b, a), 9)), scipy.signal.group_delay((B, A), 9), 1e-9)


def test_singular_delays() -> None:
    with pytest.warns(LikewiseWarning, match=r"at or near the frequencies \[1.571\]"):
        _, gd = group_delay(([1.0, 0.0, 1.0], 1.0), [np.pi / 2, 1.0])
    assert abs(gd[1] - 1) < 1e-12
    with pytest.warns(LikewiseWarning, match="singular"):
        _, gd = group_delay(([1.0, 1.0], [1.0, -1.0]), [0.0])
    assert gd[0] == 0


def test_gradients(lib: Any) -> None:
    if not lib.has_float64 or lib.jit:
        return
    weights = RNG.normal(size=4) + 1j * RNG.normal(size=4)
    w = np.asarray([0.2, 0.7, 1.5, 2.5])

    def loss(b: Any, w: Any, c: Any) -> Any:
        xp = likewise.array_namespace(b, w)
        return xp.sum(xp.real(freqz(b, [1.0, 0.5], w)[1] * c))

    held = lib.asarray(weights)
    for i, x in enumerate((B, w)):
        got = likewise.grad(lambda b, w: loss(b, w, held), argnums=i)(
            lib.asarray(B), lib.asarray(w)
        )
        fixed = (lambda b: loss(b, w, weights)) if i == 0 else (lambda w: loss(B, w, weights))
        np.testing.assert_allclose(lib.to_numpy(got), gradient(fixed, x, 1.0), rtol=1e-6, atol=1e-8)


BAD = {
    "count": (lambda: freqz(B, A, -1), ArgumentError, "worN must not be negative, got -1"),
    "text": (lambda: freqz([1.0], 1, "x"), ArgumentError, "worN must be numbers, got the text 'x'"),
    "fs": (lambda: freqz(B, fs=None), ArgumentError, "must be a number, got None"),
    "shapes": (lambda: freqz(np.ones((3, 4)), 1, np.ones(5)), ShapeError, "must broadcast"),
    "rows": (lambda: freqz_sos(np.ones((2, 5))), ShapeError, r"\(..., sections, 6\)"),
    "no rows": (lambda: freqz_sos(np.ones((0, 6))), ShapeError, "with sections"),
    "leading": (lambda: freqz_sos(2 * SOS), ArgumentError, "must be all ones"),
    "system": (lambda: group_delay([B]), ArgumentError, "system must be a pair"),
    "delays": (lambda: group_delay(([[1.0]], [1.0])), ShapeError, "must have one dimension"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
