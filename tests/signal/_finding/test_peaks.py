"""Peaks against SciPy, on every library."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import (
    ArgumentError,
    DtypeError,
    MixedLibrariesError,
    NotSupported,
    PeakPropertyWarning,
    ShapeError,
)
from likewise.signal import find_peaks, peak_prominences, peak_widths

RNG = np.random.default_rng(12)
X = np.asarray([0, 2, 1, 3, 3, 0, 1, 0.5, 0.7, 0.7, 0.7, 0.1, 4, -1, 0, 0, 2.5, 1, 2.6, 2, 0.0])
CONDITIONS: dict[str, Any] = {
    "all": {},
    "height": {"height": (None, 2.8)},
    "heights": {"height": np.linspace(0, 3, X.size)},
    "threshold": {"threshold": (0.1, 3.0)},
    "distance": {"distance": 3},
    "prominence": {"prominence": 0.9},
    "width": {"width": (0.5, 2.9), "rel_height": 0.7},
    "window": {"prominence": (None, None), "wlen": 4.5},
    "plateau": {"plateau_size": (1, 2)},
    "numbers": {"plateau_size": (0.5, None), "height": (np.float64(0.6), np.float64(3.5))},
    "arrays": {"plateau_size": np.full(X.size, 1.5), "height": np.asarray([1, 3])},
    "array of integers": {"height": np.arange(X.size) % 3},
    "many": {"plateau_size": 1, "height": 0.6, "threshold": 0, "distance": 2, "width": 0},
}


def close(lib: Any, got: Any, expected: Any) -> None:
    assert likewise.library(got) == lib.library
    np.testing.assert_allclose(
        lib.to_numpy(got), expected, rtol=1e-12 if lib.has_float64 else 1e-5, atol=1e-6
    )


def given(lib: Any, options: dict[str, Any]) -> dict[str, Any]:
    return {k: lib.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}


@pytest.mark.parametrize("case", CONDITIONS)
def test_find_peaks_of_a_batch(lib: Any, case: str) -> None:
    """With `size`; each signal as SciPy's, filled up or cut."""
    both, options = np.stack([X, X[::-1]]), CONDITIONS[case]
    if lib.jit and case not in ("all", "many"):
        return
    if lib.library == "dask" and "distance" in options:
        with pytest.raises(NotSupported, match="control flow"):
            find_peaks(lib.asarray(both), size=6, **options)
        return
    for size in (6, 12) if not lib.jit else (6,):
        found, properties = find_peaks(lib.asarray(both), size=size, **given(lib, options))
        for k, x in enumerate(both):
            peaks, expected = scipy.signal.find_peaks(x, **options)
            m = min(size, len(peaks))
            row = lib.to_numpy(found)[k]
            assert row.tolist() == [*peaks[:m], *[-1] * (size - m)]
            assert set(properties) == set(expected)
            for name, values in expected.items():
                out = lib.to_numpy(properties[name])[k]
                np.testing.assert_allclose(out[:m], values[:m], rtol=1e-5, atol=1e-6)
                assert np.all(np.isnan(out[m:]) | (out[m:] == -1))


@pytest.mark.parametrize("case", CONDITIONS)
def test_find_peaks(lib: Any, case: str) -> None:
    if lib.jit or lib.library == "dask":
        with pytest.raises(ArgumentError, match="size is needed"):
            find_peaks(lib.asarray(X))
        return
    if lib.name == "strict-minimal":
        return  # shapes don't depend on data there: `size`
    options = CONDITIONS[case]
    found, properties = find_peaks(lib.asarray(X), **given(lib, options))
    peaks, expected = scipy.signal.find_peaks(X, **options)
    assert lib.to_numpy(found).tolist() == peaks.tolist()
    assert list(properties) == list(expected)
    for name, values in expected.items():
        close(lib, properties[name], values)


PEAKS, _ = scipy.signal.find_peaks(X)


def test_prominences_and_widths(lib: Any) -> None:
    x, peaks = lib.asarray(X), lib.asarray(PEAKS)
    for wlen in (None, 5, 8.5):
        got = peak_prominences(x, peaks, wlen)
        expected = scipy.signal.peak_prominences(X, PEAKS, wlen)
        for a, b in zip(got, expected, strict=True):
            close(lib, a, b)
        if lib.jit:
            break
    data = peak_prominences(x, peaks)
    for share in (0.5, 1.0):
        got = peak_widths(x, peaks, share, data)
        for a, b in zip(got, scipy.signal.peak_widths(X, PEAKS, share), strict=True):
            close(lib, a, b)
        if lib.jit:
            break


def test_warnings(lib: Any) -> None:
    if lib.jit or lib.library == "dask":
        return
    x, peaks = lib.asarray([0.0, 1.0, 1.0, 1.0, 0.0]), lib.asarray([2])
    with pytest.warns(PeakPropertyWarning, match="prominence of 0"):
        peak_prominences(x, peaks, 2)
    with pytest.warns(PeakPropertyWarning, match="width of 0"):
        peak_widths(x, peaks, 0.0)
    with pytest.warns(PeakPropertyWarning, match="width of 0") as told:
        find_peaks(x, width=0, rel_height=0.0, **lib_size(lib))
    assert told[0].filename == __file__
    with pytest.warns(PeakPropertyWarning, match="prominence of 0"):
        find_peaks(x, prominence=0, wlen=2, **lib_size(lib))


def test_kinds_of_calls_are_remembered() -> None:
    """On NumPy the checks of one signal take longer than SciPy's routine."""
    options: dict[str, Any]
    likewise.array_namespace(X)
    for options in ({}, {"height": 0.5}, {"prominence": 0.9, "distance": 3}, {"width": 1}):
        find_peaks.memo.clear()  # type: ignore[attr-defined]
        find_peaks(X, **options)
        assert any(find_peaks.memo.values()), options  # type: ignore[attr-defined]


def lib_size(lib: Any) -> dict[str, int]:
    """Return what a library needs whose shapes don't depend on data."""
    return {"size": 1} if lib.name == "strict-minimal" else {}


def test_dtypes_and_what_is_empty(lib: Any) -> None:
    if lib.jit or lib.library == "dask":
        return
    single = find_peaks(lib.asarray(X.astype("float32"), "float32"), width=0, size=3)[1]
    assert lib.to_numpy(single["widths"]).dtype == np.float32
    for n in (0, 1, 2):
        found, properties = find_peaks(lib.asarray(X[:n]), prominence=0, distance=2, size=2)
        assert lib.to_numpy(found).tolist() == [-1, -1]
        assert np.all(np.isnan(lib.to_numpy(properties["prominences"])))


def test_gradients(lib: Any) -> None:
    if not lib.has_float64 or lib.jit:
        return
    names = ("prominences", "widths", "left_ips", "peak_heights")

    held = lib.asarray(W)

    def loss(x: Any, held: Any = held) -> Any:
        found = find_peaks(x, height=0.2, width=0.1, size=4)[1]
        return sum(
            (k + 1) * likewise.array_namespace(x).sum(found[n] * held) for k, n in enumerate(names)
        )

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(X)))
    for i in (1, 2, 5, 7, 13):
        step = np.zeros(X.size)
        step[i] = 1e-6
        slope = (float(loss(X + step, W)) - float(loss(X - step, W))) / 2e-6
        assert abs(got[i] - slope) < 1e-6


W = np.asarray([0.3, -1.2, 0.8, 0.5])
BAD: dict[str, Any] = {
    "shape": (lambda: find_peaks(np.ones((2, 3))), ShapeError, r"1-D array, got shape \(2, 3\)"),
    "kind": (lambda: find_peaks(X + 1j), DtypeError, "must hold real numbers"),
    "distance": (lambda: find_peaks(X, distance=0.9), ArgumentError, "and finite, got 0.9"),
    "endless": (lambda: find_peaks(X, distance=np.inf), ArgumentError, "and finite, got inf"),
    "wlen": (lambda: find_peaks(X, width=1, wlen=1), ArgumentError, "larger than 1, got 1"),
    "bounds": (lambda: find_peaks(X, height=np.ones(3)), ShapeError, "must match x, 21"),
    "rows of bounds": (lambda: find_peaks(X, height=np.ones((1, 21))), ShapeError, "match x, 21"),
    "bounds of others": (
        lambda: find_peaks(X, height=strict.ones(21)),
        MixedLibrariesError,
        "'height' is a strict array",
    ),
    "outside": (lambda: peak_prominences(X, [1, 21]), ArgumentError, "from 0 to 20"),
    "places": (lambda: peak_prominences(X, [1.0]), DtypeError, "'peaks' must hold integers"),
    "rows": (lambda: peak_widths(X, [[1]]), ShapeError, "peaks must be a 1-D array"),
    "share": (lambda: peak_widths(X, PEAKS, -0.1), ArgumentError, "rel_height must be"),
    "data": (
        lambda: peak_widths(X, [1], prominence_data=([1.0], [2], [3])),
        ArgumentError,
        "bases must lie around",
    ),
    "data's shape": (
        lambda: peak_widths(X, [1], prominence_data=([1.0], [1, 2], [3])),
        ShapeError,
        "same shape as peaks",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
