"""Trends taken out, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.signal import detrend

from ..designs import close

RNG = np.random.default_rng(20)
X = RNG.normal(size=(3, 30)) + np.arange(30)


@pytest.mark.parametrize("type", ["linear", "constant"])
def test_equals_scipy(lib: Any, type: str) -> None:
    close(lib.to_numpy(detrend(lib.asarray(X), type=type)), scipy.signal.detrend(X, type=type))
    if lib.jit:
        return
    got = detrend(lib.asarray(X.T), axis=0, type=type, bp=[12, 5])
    close(lib.to_numpy(got), scipy.signal.detrend(X.T, 0, type, [5, 12]))
    z = X + 1j * X[::-1] ** 2
    close(lib.to_numpy(detrend(lib.asarray(z), type=type)), scipy.signal.detrend(z, type=type))


def test_single_precision_and_integers() -> None:
    assert detrend(X.astype("float32")).dtype == np.float32
    whole = np.arange(7) ** 2
    close(detrend(whole), scipy.signal.detrend(whole))


def test_derivatives(lib: Any) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask" or not lib.has_extensions:
        return
    weights, step = RNG.normal(size=(2, *X.shape))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(detrend(x, bp=7) * held)

    def judge(x: Any) -> Any:
        return scipy.signal.detrend(x, bp=7)

    got = np.sum(lib.to_numpy(likewise.grad(loss)(lib.asarray(X))) * step)
    change = np.sum(weights * (judge(X + 1e-6 * step) - judge(X - 1e-6 * step))) / 2e-6
    np.testing.assert_allclose(got, change, rtol=1e-6, atol=1e-8)


BAD = {
    "type": (lambda: detrend(X, type="x"), ArgumentError, "type must be one of"),
    "place": (lambda: detrend(X, bp=31), ArgumentError, "from 0 to the length .* 30, got 31"),
    "axis": (lambda: detrend(X, 2), ShapeError, "axis must lie in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
