"""Notches, peaks and combs against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError
from likewise.signal import iircomb, iirnotch, iirpeak

from ..designs import close, gradient, in_use

SINGLE = {"iirnotch": iirnotch, "iirpeak": iirpeak}


@pytest.mark.parametrize("name", SINGLE)
def test_one_frequency(lib: Any, name: str) -> None:
    func, reference = SINGLE[name], getattr(scipy.signal, name)
    expected = reference(60.0, 30.0, 200.0)
    close(in_use(lib, lambda: func(60.0, 30.0, 200.0)), expected)
    got = func(lib.asarray(np.asarray(60.0)), 30.0, fs=200.0)
    close(tuple(lib.to_numpy(x) for x in got), expected)
    close(tuple(lib.to_numpy(x) for x in func(0.3, lib.asarray([5.0]))), reference(0.3, 5.0))


@pytest.mark.parametrize("name", SINGLE)
def test_gradients(lib: Any, name: str, rng: np.random.Generator) -> None:
    if not lib.has_float64 or lib.jit:
        return
    func, weights = SINGLE[name], rng.normal(size=(2, 3))

    def loss(x: Any, w: Any) -> Any:
        xp = likewise.array_namespace(x)
        b, a = func(x[0], x[1])
        return xp.sum(b * w[0, :]) + xp.sum(a * w[1, :])

    x = np.asarray([0.3, 4.0])
    held = lib.asarray(weights)
    got = likewise.grad(lambda x: loss(x, held))(lib.asarray(x))
    expected = gradient(lambda x: loss(x, weights), x, 1.0)
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-6)


def test_combs(lib: Any) -> None:
    for ftype in ("notch", "PEAK"):
        for pass_zero in (False, True):
            args, more = (50, 30, ftype, 200.0), {"pass_zero": pass_zero}
            got = in_use(lib, lambda args=args, more=more: iircomb(*args, **more))
            close(got, scipy.signal.iircomb(*args, **more))
    b, _ = iircomb(0.5, 10.0, xp=lib.xp, device=lib.device)
    assert likewise.library(b) == lib.library


def test_bad_input_says_what_to_do() -> None:
    for func in SINGLE.values():
        with pytest.raises(ArgumentError, match="w0 must lie between 0 and 1.0, the Nyquist"):
            func(1.5, 30.0)
        with pytest.raises(ArgumentError, match="Q must be positive, got 0.0"):
            func(0.5, 0.0)
        with pytest.raises(ArgumentError, match="w0 must be numbers, got the text 'x'"):
            func("x", 1.0)
    with pytest.raises(ArgumentError, match="w0 must divide fs, 200.0"):
        iircomb(60.0, 30.0, fs=200.0)
    with pytest.raises(ArgumentError, match="w0 must lie between 0 and 100.0"):
        iircomb(100.0, 30.0, fs=200.0)
    with pytest.raises(ArgumentError, match="ftype must be one of 'notch', 'peak'"):
        iircomb(50.0, 30.0, "comb", 200.0)
