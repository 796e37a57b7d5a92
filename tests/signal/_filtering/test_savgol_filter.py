"""Savitzky-Golay filters against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import savgol_filter

from ..designs import close

RNG = np.random.default_rng(22)
X = RNG.normal(size=(2, 20))
MODES = ["mirror", "constant", "nearest", "wrap", "interp"]


@pytest.mark.parametrize("mode", MODES)
def test_equals_scipy(lib: Any, mode: str) -> None:
    for n, degree, deriv in [(5, 2, 0), (6, 3, 1), (1, 0, 0)] if not lib.jit else [(7, 3, 1)]:
        options = {"deriv": deriv, "delta": 0.5, "mode": mode, "cval": 0.7}
        expected = scipy.signal.savgol_filter(X, n, degree, **options)
        body = savgol_filter if lib.jit else savgol_filter.generic
        x, given = lib.asarray(X), {"window_length": n, "polyorder": degree}
        close(lib.to_numpy(savgol_filter(x, **given, **options)), expected)
        close(lib.to_numpy(body(x, **given, **options)), expected)
    if lib.jit:
        return
    got = savgol_filter.generic(lib.asarray(X.T), 5, 2, axis=0, mode=mode)
    close(lib.to_numpy(got), scipy.signal.savgol_filter(X.T, 5, 2, axis=0, mode=mode))


@pytest.mark.parametrize("mode", MODES[:-1])
def test_windows_longer_than_signals(mode: str) -> None:
    for n in (1, 3):
        got = savgol_filter.generic(X[:, :n], 9, 2, mode=mode)
        close(got, scipy.signal.savgol_filter(X[:, :n], 9, 2, mode=mode))


def test_single_precision() -> None:
    assert savgol_filter.generic(X.astype("float32"), 5, 2).dtype == np.float32


def test_derivatives(lib: Any) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask" or not lib.has_extensions:
        return
    weights, step = RNG.normal(size=(2, *X.shape))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(savgol_filter(x, 5, 2) * held)

    def judge(x: Any) -> Any:
        return scipy.signal.savgol_filter(x, 5, 2)

    got = np.sum(lib.to_numpy(likewise.grad(loss)(lib.asarray(X))) * step)
    change = np.sum(weights * (judge(X + 1e-6 * step) - judge(X - 1e-6 * step))) / 2e-6
    np.testing.assert_allclose(got, change, rtol=1e-6, atol=1e-8)


BAD = {
    "mode": (lambda: savgol_filter(X, 5, 2, mode="x"), ArgumentError, "mode must be one of"),
    "long": (lambda: savgol_filter(X, 21, 2), ShapeError, "at most the length .* 21 and 20"),
    "degree": (lambda: savgol_filter(X, 5, 5), ArgumentError, "polyorder must be less"),
    "complex": (lambda: savgol_filter(X + 1j, 5, 2), DtypeError, "x must be real"),
    "axis": (lambda: savgol_filter(X, 5, 2, axis=2), ShapeError, "axis must lie in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
