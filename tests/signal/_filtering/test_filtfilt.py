"""Filters forward and backward, against SciPy."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.signal import filtfilt, sosfiltfilt

from ..designs import close

RNG = np.random.default_rng(18)
B, A = scipy.signal.butter(3, 0.3)
SOS = scipy.signal.butter(5, 0.2, output="sos")
X = RNG.normal(size=(2, 60))


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_filtfilt(lib: Any, padtype: Any) -> None:
    if lib.library == "dask" or (lib.jit and padtype != "odd"):
        return
    ours = [lib.asarray(v) for v in (B, A, X)]
    expected = scipy.signal.filtfilt(B, A, X, padtype=padtype)
    close(lib.to_numpy(filtfilt(*ours, padtype=padtype)), expected, 1e-10)
    if lib.jit:
        return
    close(lib.to_numpy(filtfilt.generic(*ours, padtype=padtype)), expected, 1e-10)
    got = filtfilt.generic(*ours[:2], lib.asarray(X.T), axis=0, padtype=padtype, padlen=5)
    expected = scipy.signal.filtfilt(B, A, X.T, 0, padtype, 5 if padtype else None)
    close(lib.to_numpy(got), expected, 1e-10)


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_sosfiltfilt(lib: Any, padtype: Any) -> None:
    if lib.library == "dask" or (lib.jit and padtype != "odd"):
        return
    sos, x = lib.asarray(SOS), lib.asarray(X)
    expected = scipy.signal.sosfiltfilt(SOS, X, padtype=padtype, padlen=18 if padtype else None)
    close(lib.to_numpy(sosfiltfilt(sos, x, padtype=padtype, padlen=18)), expected, 1e-10)
    if not lib.jit:
        got = sosfiltfilt.generic(sos, x, padtype=padtype)
        expected = scipy.signal.sosfiltfilt(SOS, X, padtype=padtype)
        close(lib.to_numpy(got), expected, 1e-10)


@pytest.mark.parametrize("irlen", [None, 15])
def test_gustafsson(lib: Any, irlen: int | None) -> None:
    if not lib.has_extensions or lib.library == "dask" or (lib.jit and irlen):
        return
    options = {"method": "gust", "irlen": irlen}
    body = filtfilt if lib.jit else filtfilt.generic
    got = body(lib.asarray(B), lib.asarray(A), lib.asarray(X), **options)
    tolerance = 1e-8 if lib.has_float64 else 1e-4
    close(lib.to_numpy(got), scipy.signal.filtfilt(B, A, X, **options), tolerance)
    if not lib.jit:
        got = body(lib.asarray([3.0]), lib.asarray([2.0]), lib.asarray(X), **options)
        close(lib.to_numpy(got), 2.25 * X)


@pytest.mark.parametrize("irlen", [None, 15])
def test_gustafsson_of_complex_signals(irlen: int | None) -> None:
    """Each part by itself, without a warning; of complex coefficients SciPy takes the real part."""
    options = {"method": "gust", "irlen": irlen}
    real, imag = (scipy.signal.filtfilt(B, A, x, **options) for x in (X, X[::-1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(filtfilt(B, A, X + 1j * X[::-1], **options), real + 1j * imag, 1e-8)
        # Both times the same is the same filter.
        close(filtfilt(1j * B, 1j * A, X, **options), real + 0j, 1e-8)


def test_sections_of_another_order_in_memory() -> None:
    close(sosfiltfilt(np.asfortranarray(SOS), X), scipy.signal.sosfiltfilt(SOS, X))


def test_complex_and_single_precision() -> None:
    z = X + 1j * X[::-1]
    close(filtfilt.generic(B, A, z), scipy.signal.filtfilt(B, A, z), 1e-11)
    close(sosfiltfilt.generic(SOS, z), scipy.signal.sosfiltfilt(SOS, z), 1e-11)
    single = [v.astype("float32") for v in (SOS, X)]
    got = sosfiltfilt.generic(*single)
    assert got.dtype == np.float32
    close(got, scipy.signal.sosfiltfilt(*(v.astype(float) for v in single)))


def test_derivatives(lib: Any) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask":
        return
    weights, step = RNG.normal(size=X.shape), RNG.normal(size=X.shape)
    held, sos = lib.asarray(weights), lib.asarray(SOS)

    def loss(x: Any) -> Any:
        return likewise.array_namespace(x).sum(sosfiltfilt(sos, x) * held)

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(X)))
    expected = np.sum(weights * scipy.signal.sosfiltfilt(SOS, step))  # linear
    np.testing.assert_allclose(np.sum(got * step), expected, rtol=1e-8)


BAD = {
    "short": (lambda: filtfilt(B, A, np.ones(12)), ShapeError, "more samples .* padlen, 12, got"),
    "padding": (lambda: filtfilt(B, A, X, padtype="x"), ArgumentError, "padtype must be one of"),
    "length": (lambda: filtfilt(B, A, X, padlen=-1), ArgumentError, "nonnegative integer, got -1"),
    "method": (lambda: filtfilt(B, A, X, method="x"), ArgumentError, "method must be one of"),
    "answer": (lambda: filtfilt(B, A, X, method="gust", irlen=0), ArgumentError, "irlen must be"),
    "sections": (lambda: sosfiltfilt(SOS, np.ones(18)), ShapeError, "more samples"),
    "leading": (lambda: sosfiltfilt(2 * SOS, X), ArgumentError, "must be all ones"),
    "axis": (lambda: sosfiltfilt(SOS, X, axis=2), ShapeError, "axis must lie in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
