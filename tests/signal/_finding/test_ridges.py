"""Peaks along ridges of a wavelet transform, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.signal import find_peaks_cwt

RNG = np.random.default_rng(4)
X = np.sin(np.arange(0, 9, 0.05)) + 0.1 * RNG.normal(size=180)
CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "noise": {"min_snr": 2.0, "window_size": 11, "noise_perc": 30},
    "ridges": {"gap_thresh": 2, "min_length": 2, "max_distances": [k / 2 for k in range(1, 10)]},
    "wavelet": {"wavelet": lambda n, width: np.exp(-(((np.arange(n) - n // 2) / width) ** 2))},
}


def test_equals_scipy(lib: Any) -> None:
    if lib.jit or lib.library == "dask":  # which have no values
        return
    for more in CASES.values():
        got = find_peaks_cwt(lib.asarray(X), np.arange(1, 10).tolist(), **more)
        assert likewise.library(got) == lib.library
        expected = scipy.signal.find_peaks_cwt(X, np.arange(1, 10), **more)
        np.testing.assert_array_equal(lib.to_numpy(got), expected)


def test_several_maxima_of_one_width(rng: np.random.Generator) -> None:
    """A ridge may take more than one of a row; and there may be none."""
    for n in range(20, 260, 12):
        x, widths = np.cumsum(rng.normal(size=n)), rng.uniform(0.5, 2) + np.arange(8)
        expected = scipy.signal.find_peaks_cwt(x, widths, max_distances=widths)
        got = find_peaks_cwt(x, widths, max_distances=widths)
        np.testing.assert_array_equal(got, expected)
    assert find_peaks_cwt(np.arange(9.0), 1).shape == (0,)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "image": (lambda: find_peaks_cwt(np.ones((2, 2)), 1), ShapeError, "must be a sequence"),
    "widths": (lambda: find_peaks_cwt(X, [0, 1]), ArgumentError, "widths must be positive"),
    "far": (lambda: find_peaks_cwt(X, [1, 2], None, [1]), ShapeError, "hold 2 numbers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
