"""Peaks of random signals, with flat tops, NaN and whole numbers, under random conditions."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.signal import find_peaks, peak_prominences, peak_widths

pytestmark = pytest.mark.full
SIZE = 7


def signal(rng: np.random.Generator, trial: int) -> Any:
    n = int(rng.integers(0, 60))
    x = rng.integers(-3, 5, n) if trial % 2 else rng.normal(size=n)
    if trial % 3 == 0:
        x = x.astype(float)
        if n:
            x[rng.integers(0, n, 2)] = rng.choice([np.nan, np.inf, -np.inf])
    return x


def conditions(rng: np.random.Generator, n: int, distinct: bool) -> dict[str, Any]:
    per_sample = rng.normal(size=n) if n != 2 else 0.0
    choices: dict[str, Any] = {
        "height": [0.0, (None, 1.0), (-1.0, 2.0), per_sample, (per_sample, None)],
        "threshold": [0.5, (None, 2.0), (0, 1)],
        "prominence": [0.5, (None, 3.0), (None, None), (per_sample, 5.0)],
        "width": [0.5, (None, 3.0), (1, 4)],
        "plateau_size": [1, (1, 2), 2],
        "wlen": [rng.uniform(1.1, 12), 2, 5],
        "rel_height": [rng.uniform(0, 1.3)],
    }
    if distinct:  # of equal peaks SciPy's sort takes any
        choices["distance"] = [rng.uniform(1, 9)]
    return {k: v[rng.integers(len(v))] for k, v in choices.items() if rng.random() < 0.35}


def theirs(func: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return func(*args, **options)


def test_as_scipy() -> None:
    rng = np.random.default_rng(2026)
    for trial in range(4000):
        x = signal(rng, trial)
        options = conditions(rng, x.size, not trial % 2 and trial % 3 != 0)
        peaks, expected = theirs(scipy.signal.find_peaks, x, **options)
        with likewise.prefer("generic"):
            found, properties = theirs(find_peaks, x, **options)
            some, its = theirs(find_peaks, x, size=SIZE, **options)
        np.testing.assert_array_equal(found, peaks, str((trial, options)))
        m = min(SIZE, len(peaks))
        assert some.tolist() == [*peaks[:m], *[-1] * (SIZE - m)]
        assert list(properties) == list(expected)
        for name, values in expected.items():
            np.testing.assert_allclose(properties[name], values, rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(its[name][:m], values[:m], rtol=1e-11, atol=1e-12)


def test_anywhere() -> None:
    """Prominences and widths at places that need not be peaks."""
    rng = np.random.default_rng(7)
    for trial in range(2000):
        x = signal(rng, trial)
        if not x.size:
            continue
        places = rng.integers(0, x.size, int(rng.integers(0, 5)))
        wlen = None if trial % 4 else float(rng.uniform(1.1, 9))
        share = float(rng.uniform(0, 1.2))
        with likewise.prefer("generic"):
            a = theirs(peak_prominences, x, places, wlen)
            b = theirs(peak_widths, x, places, share, wlen=wlen)
        for got, expected in (
            (a, theirs(scipy.signal.peak_prominences, x, places, wlen)),
            (b, theirs(scipy.signal.peak_widths, x, places, share, wlen=wlen)),
        ):
            for u, v in zip(got, expected, strict=True):
                np.testing.assert_allclose(u, v, rtol=1e-11, atol=1e-12, err_msg=str(trial))


def test_crowds() -> None:
    """Many peaks that are too near, of heights that differ."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        x = rng.permutation(2000).astype(float)
        near = float(rng.uniform(1, 80))
        with likewise.prefer("generic"):
            found = find_peaks(x, distance=near)[0]
        np.testing.assert_array_equal(found, scipy.signal.find_peaks(x, distance=near)[0])
