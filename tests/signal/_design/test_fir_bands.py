"""Filters of finite length for gains at frequencies, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import find_peaks_cwt, firls, firwin2, remez

from ..designs import close, in_use


def test_firwin2(lib: Any) -> None:
    for args, more in [
        ((51, [0, 0.5, 0.5, 1], [1, 1, 0, 0]), {}),
        ((20, [0, 0.3, 1], [1, 0.5, 0]), {"window": None, "nfreqs": 100}),
        ((21, [0, 5, 10], [0, 1, 0]), {"antisymmetric": True, "fs": 20}),
        ((20, [0, 0.5, 1], [0, 1, 1]), {"antisymmetric": True, "window": ("kaiser", 3)}),
    ]:
        got = in_use(lib, lambda args=args, more=more: firwin2(*args, **more))
        close(got, scipy.signal.firwin2(*args, **more))


def test_firls(lib: Any) -> None:
    for args, more in [
        ((11, [0, 0.3, 0.5, 1], [1, 1, 0, 0]), {}),
        ((25, [0, 1, 2, 3, 4, 5], [0, 0, 1, 0.5, 0, 0]), {"fs": 10, "weight": [1, 2, 3]}),
        ((1, [0, 0.5], [1, 1]), {}),
    ]:
        got = in_use(lib, lambda args=args, more=more: firls(*args, **more))
        close(got, scipy.signal.firls(*args, **more), 1e-9)


F, G = [0, 0.5, 1], [1, 1, 0]
B, D = [0, 0.3, 0.5, 1], [1, 1, 0, 0]
BAD = {
    "lengths": (lambda: firwin2(9, F, [1, 0]), ShapeError, "of one length, at least 2"),
    "nfreqs": (lambda: firwin2(9, F, G, nfreqs=9), ArgumentError, "less than nfreqs, got 9 and 9"),
    "ends": (lambda: firwin2(9, [0, 0.5], [1, 1]), ArgumentError, "end with 1.0, half of fs"),
    "order": (lambda: firwin2(9, [0, 0.7, 0.5, 1], [1] * 4), ArgumentError, "must not decrease"),
    "thrice": (
        lambda: firwin2(9, [0, 0.5, 0.5, 0.5, 1], [1] * 5),
        ArgumentError,
        "more than twice",
    ),
    "zero": (lambda: firwin2(9, [0, 0, 1], [1] * 3), ArgumentError, "must come once"),
    "near": (lambda: firwin2(9, [0, 0.5, 0.5, 0.5 + 2e-16, 1], [1] * 5), ArgumentError, "further"),
    "even": (lambda: firwin2(8, [0, 1], [1, 1]), ArgumentError, "gain at the Nyquist frequency"),
    "odd": (
        lambda: firwin2(9, [0, 1], [1, 0], antisymmetric=True),
        ArgumentError,
        "gain at zero must be 0 for 9 antisymmetric",
    ),
    "length": (lambda: firls(10, B, D), ArgumentError, "numtaps must be odd, got 10"),
    "pairs": (lambda: firls(11, [0, 0.3, 0.5], [1, 1, 0]), ShapeError, "bands must be pairs"),
    "range": (lambda: firls(11, [0, 2], [1, 1]), ArgumentError, "from 0 to 1.0, half of fs"),
    "width": (lambda: firls(11, [0, 0.3, 0.5, 0.5], D), ArgumentError, "must have a width"),
    "overlap": (lambda: firls(11, [0, 0.6, 0.5, 1], D), ArgumentError, "not overlap"),
    "gain": (lambda: firls(11, B, [1, 1, 0, -1]), ArgumentError, "desired must not be negative"),
    "weight": (lambda: firls(11, B, D, weight=[1, -1]), ArgumentError, "weight must not be neg"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


def test_complex_numbers_are_refused() -> None:
    """Their imaginary parts were dropped."""
    gains = np.asarray([1.0, 1.0 + 1j, 0.0, 0.0])
    for call, name in (
        (lambda: firwin2(9, F, gains[:3]), "firwin2: gain"),
        (lambda: firls(9, B, gains), "firls: desired"),
        (lambda: firls(9, B, D, weight=gains[:2]), "firls: weight"),
        (lambda: remez(9, [0, 0.1, 0.3, 0.5], gains[:2]), "remez: desired"),
        (lambda: find_peaks_cwt(gains, [1, 2]), "find_peaks_cwt: vector"),
    ):
        with pytest.raises(DtypeError, match=f"{name} must hold real numbers, got complex ones"):
            call()
