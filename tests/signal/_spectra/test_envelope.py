"""Envelopes against SciPy, and against what its documentation says where it does something else."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ArrayTypeError, ShapeError
from likewise.signal import envelope

from ..designs import close

RNG = np.random.default_rng(22)
BANDS = ((1, None), (None, None), (2, 4), (-2, 3), (-3, -1))


def signals(n: int, kind: str) -> Any:
    x = RNG.normal(size=(3, n))
    return x + 1j * RNG.normal(size=(3, n)) if kind == "complex" else x


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [8, 9])
def test_equals_scipy(lib: Any, n: int, kind: str) -> None:
    if not lib.has_extensions:
        return
    z = signals(n, kind)
    x = lib.asarray(z)
    for bp_in in BANDS if not lib.jit else BANDS[3:4]:
        for n_out in (None, 4, 5, 12) if not lib.jit else (12,):
            for kwargs in ({}, {"residual": "all", "squared": True}, {"residual": None}):
                got = lib.to_numpy(envelope(x, bp_in, n_out=n_out, **kwargs))
                close(got, scipy.signal.envelope(z, bp_in, n_out=n_out, **kwargs))
    got = lib.to_numpy(envelope(lib.asarray(z.T), (1, 3), axis=0))
    close(got, scipy.signal.envelope(z.T, (1, 3), axis=0))
    single = lib.asarray(z.astype("complex64" if kind == "complex" else "float32"))
    assert lib.to_numpy(envelope(single)).dtype == (
        np.complex64 if kind == "complex" else np.float32
    )
    assert lib.to_numpy(envelope(single, residual=None)).dtype == np.float32


@pytest.mark.parametrize("n", [8, 9])
def test_a_band_that_ends_before_zero_is_not_empty(n: int) -> None:
    # One turn backwards, which SciPy finds no envelope of.
    z = 3 * np.exp(-2j * np.pi * np.arange(n) / n)
    amplitude, rest = envelope(z + 1, (-2, 0), residual="all")
    close(amplitude, np.full(n, 3 + 0j))
    close(rest, np.full(n, 1 + 0j))


@pytest.mark.parametrize("n", [8, 9])
def test_what_is_outside_of_a_band_from_zero_is_kept(n: int) -> None:
    # SciPy returns zeros: here a mean, one turn forwards, and the two beyond.
    t = 2 * np.pi * np.arange(n) / n
    below, above = np.exp(-1j * t), 2 * np.exp(2j * t)
    z = below + 4 + 3 * np.exp(1j * t) + above
    close(envelope(z, (0, 2))[1], below)
    close(envelope(z, (0, 2), residual="all")[1], below + above)
    close(envelope(np.cos(t) + np.cos(2 * t), (0, 2), residual="all")[1], np.cos(2 * t))


def test_integers_become_floating() -> None:
    close(envelope(np.arange(7) ** 2), scipy.signal.envelope((np.arange(7) ** 2).astype(float)))


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_derivatives(lib: Any, kind: str) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask" or not lib.has_extensions:
        return
    z = signals(8, kind)
    step = signals(8, kind)
    weights = RNG.normal(size=(2, 3, 6))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        out = envelope(x, (1, 4), n_out=6)
        return xp.sum((xp.real(out) if kind == "complex" else out) * held)

    def judge(x: Any) -> Any:
        return np.sum(weights * np.real(scipy.signal.envelope(x, (1, 4), n_out=6)))

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(z)))
    if lib.library == "torch":
        got = np.conj(got)  # whose gradients are the conjugates
    change = (judge(z + 1e-6 * step) - judge(z - 1e-6 * step)) / 2e-6
    np.testing.assert_allclose(np.sum(np.real(got * step)), change, rtol=1e-6, atol=1e-8)


X = RNG.normal(size=(2, 8))
BAD = {
    "axis": (lambda: envelope(X, axis=2), ShapeError, "axis must lie in"),
    "empty": (lambda: envelope(np.ones((3, 0))), ShapeError, r"samples along axis 1, got \(3, 0\)"),
    "three": (lambda: envelope(X, (0, 1, 2)), ArgumentError, "two integers or None"),
    "float": (lambda: envelope(X, (None, 2.0)), ArgumentError, "two integers or None"),
    "order": (lambda: envelope(X, (1, 1)), ArgumentError, "rise, from -4 to 4 for 8 samples"),
    "range": (lambda: envelope(X, (0, 5)), ArgumentError, r"got \(0, 5\)"),
    "samples": (lambda: envelope(X, n_out=10.0), ArgumentError, "n_out must be a positive integer"),
    "residual": (lambda: envelope(X, residual="x"), ArgumentError, "residual must be one of"),
    "text": (lambda: envelope("text"), ArrayTypeError, "envelope: "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
