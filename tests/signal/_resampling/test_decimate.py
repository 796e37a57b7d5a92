"""Decimation, against SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import decimate

from ..designs import close

RNG = np.random.default_rng(21)
X = RNG.normal(size=(2, 90))
WAYS = [("iir", True), ("iir", False), ("fir", True), ("fir", False)]


@pytest.mark.parametrize(("ftype", "zero_phase"), WAYS)
def test_equals_scipy(lib: Any, ftype: str, zero_phase: bool) -> None:
    if lib.library == "dask" and ftype == "iir":
        return
    options: dict[str, Any] = {"ftype": ftype, "zero_phase": zero_phase}
    tolerance = 1e-10 if lib.has_float64 else 1e-3
    for q, n in ((3, None),) if lib.jit else ((3, None), (4, 5), (10, 2)):
        got = decimate(lib.asarray(X), q, n, **options)
        close(lib.to_numpy(got), scipy.signal.decimate(X, q, n, **options), tolerance)
    if not lib.jit:
        turned = lib.asarray(X.T.astype("float32"))
        got = lib.to_numpy(decimate(turned, 2, 4, axis=0, **options))
        assert got.dtype == "float32"
        close(got, scipy.signal.decimate(X.T, 2, 4, axis=0, **options), 1e-4)


def test_complex_integers_and_nothing_to_leave_out() -> None:
    z = X + 1j * X[::-1]
    for ftype, zero_phase in WAYS:
        options: dict[str, Any] = {"ftype": ftype, "zero_phase": zero_phase}
        close(decimate(z, 3, **options), scipy.signal.decimate(z, 3, **options))
        whole = np.arange(60)
        close(decimate(whole, 3, **options), scipy.signal.decimate(whole, 3, **options))
    close(decimate(X, 1), scipy.signal.decimate(X, 1))


@pytest.mark.parametrize("zero_phase", [True, False])
def test_systems(zero_phase: bool) -> None:
    z, p, k = scipy.signal.butter(2, 0.2, output="zpk")
    systems = {
        "sections": scipy.signal.dlti([-1.0, -0.5], [0.5, 0.2], 0.3),
        "coefficients": scipy.signal.dlti(*scipy.signal.cheby1(4, 0.05, 0.2)),
        "complex": scipy.signal.dlti(z * np.exp(0.3j), p * np.exp(0.3j), k),
        "finite": scipy.signal.dlti(scipy.signal.firwin(31, 0.3), 2.0),
    }
    for system in systems.values():
        options: dict[str, Any] = {"ftype": system, "zero_phase": zero_phase}
        close(decimate(X, 4, **options), scipy.signal.decimate(X, 4, **options), 1e-8)


@pytest.mark.parametrize(("ftype", "zero_phase"), WAYS)
def test_derivatives(lib: Any, ftype: str, zero_phase: bool) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask":
        return
    options: dict[str, Any] = {"ftype": ftype, "zero_phase": zero_phase}
    x, step = X[:, :50], RNG.normal(size=(2, 50))
    weights = RNG.normal(size=(2, 13))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        return likewise.array_namespace(x).sum(decimate(x, 4, 4, **options) * held)

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(x)))
    expected = np.sum(weights * scipy.signal.decimate(step, 4, 4, **options))  # linear
    np.testing.assert_allclose(np.sum(got * step), expected, rtol=1e-8)


BAD: dict[str, Any] = {
    "factor": (lambda: decimate(X, 0.5), DtypeError, "q must be an integer, got 0.5"),
    "none": (lambda: decimate(X, 0), ArgumentError, "q must be at least 1, got 0"),
    "order": (lambda: decimate(X, 2, 0.5), DtypeError, "n must be an integer, got 0.5"),
    "kind": (lambda: decimate(X, 2, ftype="x"), ArgumentError, "ftype must be one of 'iir', 'fir'"),
    "band": (lambda: decimate(X, 1, ftype="fir"), ArgumentError, "q must be at least 2 .* got 1"),
    "short": (lambda: decimate(X[:, :27], 2), ShapeError, "more than 27 samples along axis 1"),
    "empty": (lambda: decimate(X[:, :0], 2), ShapeError, "must have samples along axis 1"),
    "axis": (lambda: decimate(X, 2, axis=2), ShapeError, "axis must lie in"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
