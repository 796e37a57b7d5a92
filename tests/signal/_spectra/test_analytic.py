"""Analytic signals against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import hilbert, hilbert2

from ..designs import close

RNG = np.random.default_rng(21)
X = RNG.normal(size=(4, 9))


def test_equals_scipy(lib: Any) -> None:
    if not lib.has_extensions:
        return
    x = lib.asarray(X)
    for n in (None, 1, 2, 8, 12) if not lib.jit else (None,):
        close(lib.to_numpy(hilbert(x, N=n)), scipy.signal.hilbert(X, n))
        close(lib.to_numpy(hilbert2(x, N=n)), scipy.signal.hilbert2(X, n))
    if lib.jit:
        return
    close(lib.to_numpy(hilbert(x, axis=0)), scipy.signal.hilbert(X, axis=0))
    got = hilbert2(x, N=(3, 5), axes=(1, 0))
    close(lib.to_numpy(got), scipy.signal.hilbert2(X, (3, 5), (1, 0)))
    assert lib.to_numpy(hilbert(lib.asarray(X.astype("float32")))).dtype == np.complex64


def test_derivatives(lib: Any) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask" or not lib.has_extensions:
        return
    weights, step = RNG.normal(size=(2, *X.shape))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(xp.imag(hilbert(x)) * held)

    def judge(x: Any) -> Any:
        return scipy.signal.hilbert(x).imag

    got = np.sum(lib.to_numpy(likewise.grad(loss)(lib.asarray(X))) * step)
    change = np.sum(weights * (judge(X + 1e-6 * step) - judge(X - 1e-6 * step))) / 2e-6
    np.testing.assert_allclose(got, change, rtol=1e-6, atol=1e-8)


BAD = {
    "complex": (lambda: hilbert(X + 1j), DtypeError, "x must be real, got complex128"),
    "count": (lambda: hilbert(X, 0), ArgumentError, "N must be a positive integer, got 0"),
    "axis": (lambda: hilbert(X, axis=2), ShapeError, "axis must lie in"),
    "counts": (lambda: hilbert2(X, (1, 2, 3)), ArgumentError, "one number or two"),
    "axes": (lambda: hilbert2(X, axes=(0, 0)), ArgumentError, "must be different"),
    "one": (lambda: hilbert2(X, axes=(0,)), ArgumentError, "must be two integers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
