"""Feedback that places poles, against what it is asked for and against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, LikewiseWarning, ShapeError
from likewise.signal import place_poles

PAIR = [-0.5 + 1j, -0.5 - 1j, -2 + 0.5j, -2 - 0.5j]
CASES: dict[str, tuple[int, int, list[Any], str]] = {
    "one input": (3, 1, [-1.0, -2.0, -3.0], "YT"),
    "even": (4, 2, [-1.0, -2.0, -3.0, -4.0], "YT"),
    "odd": (5, 2, [-1.0, -2.0, -3.0, -4.0, -5.0], "YT"),
    "alone": (4, 2, [-1.0, -2.0, -3.0, -4.0], "KNV0"),
    "complex": (4, 2, PAIR, "YT"),
    "mixed": (7, 3, [-1.0, *PAIR, -3.0, -4.0], "YT"),
    "twice": (4, 2, [-1.0, -1.0, -2.0, -2.0], "YT"),
    "inputs for all": (3, 3, [-1.0, -0.5 + 1j, -0.5 - 1j], "YT"),
    "more inputs": (2, 4, PAIR[:2], "YT"),
}


@pytest.mark.parametrize("case", CASES)
def test_poles_are_placed(case: str) -> None:
    """With eigenvectors about as far from each other as SciPy's."""
    n, m, poles, method = CASES[case]
    rng = np.random.default_rng(7)
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, m))
    got = place_poles(A, B, poles, method)
    expected = scipy.signal.place_poles(A, B, np.asarray(poles), method)
    assert got.gain_matrix.shape == (m, n)
    found = np.linalg.eigvals(A - B @ got.gain_matrix)
    tight = 1e-6 if case == "twice" else 1e-9
    np.testing.assert_allclose(np.poly(found), np.poly(poles), rtol=tight, atol=tight)
    np.testing.assert_allclose(np.poly(got.computed_poles), np.poly(poles), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(got.requested_poles, expected.requested_poles)
    if m == 1 or m >= n:
        np.testing.assert_allclose(got.gain_matrix, expected.gain_matrix, rtol=1e-8, atol=1e-9)
    if 1 < m < n:
        ratio = abs(np.linalg.det(got.X)) / abs(np.linalg.det(expected.X))
        assert ratio > 0.9


def test_sweeps_that_do_not_suffice_are_told(rng: np.random.Generator) -> None:
    A, B = rng.normal(size=(6, 6)), rng.normal(size=(6, 2))
    with pytest.warns(LikewiseWarning, match="after 1 sweeps"):
        place_poles(A, B, -np.arange(1.0, 7.0), rtol=1e-9, maxiter=1)
    assert place_poles(A, B, -np.arange(1.0, 7.0), rtol=-1, maxiter=3).nb_iter == 3


def test_results_are_of_the_arrays_library(lib: Any) -> None:
    if lib.jit or lib.library == "dask":  # which have no values
        return
    A, B = (lib.asarray(np.asarray(x, dtype="float32")) for x in ([[0, 1], [0, 0]], [[0], [1]]))
    got = place_poles(A, B, [-1.0, -2.0])
    assert likewise.library(got.gain_matrix) == lib.library
    np.testing.assert_allclose(lib.to_numpy(got.gain_matrix), [[2.0, 3.0]], rtol=1e-6)
    assert lib.to_numpy(got.computed_poles).dtype.itemsize in (4, 8)


ONE, IN = np.eye(2), np.asarray([[1.0], [0.0]])
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "shapes": (lambda: place_poles(ONE, np.ones((3, 1)), [1, 2]), ShapeError, "A and B must have"),
    "count": (lambda: place_poles(ONE, IN, [1.0]), ShapeError, "poles must be 2 numbers"),
    "pairs": (lambda: place_poles(ONE, IN, [1j, 2.0]), ArgumentError, "in conjugate pairs"),
    "often": (lambda: place_poles(ONE, IN, [1.0, 1.0]), ArgumentError, "more often than the rank"),
    "real": (lambda: place_poles(ONE, IN, [1j, -1j], "KNV0"), ArgumentError, "real poles alone"),
    "method": (lambda: place_poles(ONE, IN, [1, 2], "x"), ArgumentError, "method must be one of"),
    "rtol": (lambda: place_poles(ONE, IN, [1, 2], rtol=2), ArgumentError, "not be greater than 1"),
    "never": (lambda: place_poles(ONE, IN, [-1.0, -2.0]), ArgumentError, "can't be placed"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
