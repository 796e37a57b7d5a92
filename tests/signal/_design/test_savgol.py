"""Coefficients of Savitzky-Golay filters against SciPy and against exact fits."""

from fractions import Fraction
from typing import Any

import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError
from likewise.signal import savgol_coeffs

from ..designs import close, in_use


def test_equals_scipy(lib: Any) -> None:
    for args in [(5, 2), (7, 3, 1, 0.5), (8, 3), (9, 4, 2, 2.0, 1.5, "dot"), (4, 2, 3), (1, 0)]:
        got = in_use(lib, lambda args=args: savgol_coeffs(*args))
        close(got, scipy.signal.savgol_coeffs(*args))
    got = savgol_coeffs(5, 2, xp=lib.xp, device=lib.device)
    assert likewise.library(got) == lib.library


@pytest.mark.parametrize("n, degree, deriv", [(7, 5, 0), (21, 12, 1), (30, 20, 2)])
def test_gives_powers_their_values(n: int, degree: int, deriv: int) -> None:
    """A product with the values of a polynomial of the degree is its derivative, exactly."""
    c = [Fraction(float(v)) for v in savgol_coeffs(n, degree, deriv, pos=3, use="dot")]
    scale = Fraction(n)
    for k in range(degree + 1):
        values = [((j - 3) / scale) ** k for j in range(n)]
        got = sum(v * w for v, w in zip(c, values, strict=True))
        expected = [1, 1, 2][deriv] / scale**deriv if k == deriv else 0
        size = sum(abs(v * w) for v, w in zip(c, values, strict=True))
        assert abs(got - expected) <= 1e-12 * float(size) + 1e-15


BAD = {
    "degree": (lambda: savgol_coeffs(5, 5), "polyorder must be less than window_length, got 5 and"),
    "place": (lambda: savgol_coeffs(5, 2, pos=5), "pos must lie from 0 to 4, got 5"),
    "use": (lambda: savgol_coeffs(5, 2, use="fit"), "use must be one of 'conv', 'dot'"),
    "length": (lambda: savgol_coeffs(5.5, 2), "window_length must be an integer"),
    "delta": (lambda: savgol_coeffs(5, 2, delta=0), "delta must not be zero"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, words = BAD[case]
    with pytest.raises(ArgumentError, match=words):
        call()
