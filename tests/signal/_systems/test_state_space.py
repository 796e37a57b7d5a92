"""Systems of states against SciPy."""

import functools
from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ShapeError
from likewise.signal import ss2tf, ss2zpk, tf2ss, zpk2ss

from ..designs import close, in_use

ZPK = scipy.signal.ellip(4, 1, 40, 0.3, output="zpk")
SS = scipy.signal.zpk2ss(*ZPK)


def test_equals_scipy(lib: Any) -> None:
    for num, den in [
        ([1.0, 3.0], [2.0, 2.0, 1.0]),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0, 5.0]),
        ([2.0], [4.0]),
    ]:
        got = in_use(lib, lambda num=num, den=den: tf2ss(num, den))
        close(got, scipy.signal.tf2ss(num, den))
    lists = [x.tolist() for x in ZPK[:2]]
    close(in_use(lib, lambda: zpk2ss(*lists, float(ZPK[2]))), SS)
    ss = [x.tolist() for x in SS]
    close(in_use(lib, lambda: ss2tf(*ss)), scipy.signal.ss2tf(*SS), 1e-9)
    z, p, k = in_use(lib, lambda: ss2zpk(*ss))
    close(
        (np.sort_complex(z), np.sort_complex(p), k), (*map(np.sort_complex, ZPK[:2]), ZPK[2]), 1e-7
    )


def test_of_many_inputs_and_outputs(rng: np.random.Generator) -> None:
    shapes = [(6, 6), (6, 2), (3, 6), (3, 2)]
    A, B, C, D = (rng.normal(size=s) for s in shapes)
    close(ss2tf(A, B, C, D, 1), scipy.signal.ss2tf(A, B, C, D, 1), 1e-9)
    close(ss2tf(A + 0j, B, C, D), [x + 0j for x in scipy.signal.ss2tf(A, B, C, D)], 1e-9)
    close(ss2tf(A, B, C, None), scipy.signal.ss2tf(A, B, C, np.zeros((3, 2))), 1e-9)


def test_zeros_and_poles_are_those_of_the_coefficients() -> None:
    """Backward to rounding, with poles of multiplicity four."""
    A = np.kron(np.eye(4), [[0.5, 0.3], [-0.3, 0.5]]) + np.eye(8, k=2)
    ss = (A, np.ones((8, 1)), np.ones((1, 8)), np.ones((1, 1)))
    z, p, k = ss2zpk(*ss)
    for c, r, gain in zip(scipy.signal.ss2tf(*ss), (z, p), (k, 1.0), strict=True):
        product = gain * functools.reduce(np.polymul, [[1.0, -v] for v in r])
        np.testing.assert_allclose(product, c.ravel(), rtol=0, atol=1e-12 * np.max(np.abs(c)))


BAD = {
    "improper": (lambda: tf2ss([1.0, 2.0], [1.0]), ArgumentError, "must not exceed"),
    "input": (lambda: ss2tf(*SS, 1), ArgumentError, "input must be less than 1"),
    "open": (lambda: ss2tf(None, None, None, [[1.0]]), ShapeError, "must be given"),
    "shape": (
        lambda: ss2tf(SS[0], SS[1], SS[2][:, :2], SS[3]),
        ShapeError,
        "C must have the shape",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
