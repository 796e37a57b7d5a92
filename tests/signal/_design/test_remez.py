"""Filters with the least largest error, against SciPy and against what makes them best."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ShapeError
from likewise.signal import remez

from ..designs import close, in_use

CASES: list[tuple[int, Any, Any, dict[str, Any]]] = [
    (21, [0, 0.1, 0.2, 0.5], [1, 0], {}),
    (22, [0, 0.1, 0.2, 0.5], [1, 0], {"grid_density": 8}),
    (31, [0, 0.1, 0.15, 0.3, 0.35, 0.5], [0, 1, 0], {"weight": [1, 2, 10]}),
    (21, [0.05, 0.45], [1], {"type": "hilbert"}),
    (20, [0.05, 0.5], [1], {"type": "hilbert"}),
    (20, [0, 25], [1], {"type": "differentiator", "fs": 50}),
    (21, [0, 0.4], [6.0], {"type": "differentiator"}),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_equals_scipy(lib: Any, case: int) -> None:
    n, bands, desired, more = CASES[case]
    got = in_use(lib, lambda: remez(n, bands, desired, **more))
    expected = scipy.signal.remez(n, bands, desired, **more)
    close(got, expected, 1e-9)
    close(remez.generic(n, bands, desired, **more), expected, 1e-9)


def test_errors_alternate() -> None:
    """The largest error comes once more often than there are coefficients to choose."""
    h = remez.generic(41, [0, 0.2, 0.25, 0.5], [1, 0])
    f = np.concatenate([np.linspace(0, 0.2, 4000), np.linspace(0.25, 0.5, 4000)])
    gain = np.cos(2 * np.pi * f[:, None] * (np.arange(41) - 20)) @ h
    error = gain - (f < 0.22)
    top = np.max(np.abs(error))
    signs = np.sign(error[np.abs(error) > 0.99 * top])
    assert np.sum(signs[1:] != signs[:-1]) + 1 >= 21 + 1


BAD = {
    "numbers": (lambda: remez(9, [0, 0.1, 0.2], [1, 0]), ShapeError, "two edges for each"),
    "order": (lambda: remez(9, [0, 0.2, 0.1, 0.5], [1, 0]), ArgumentError, "and increase"),
    "half": (lambda: remez(9, [0, 0.1, 0.2, 0.6], [1, 0]), ArgumentError, "below half of fs, 0.5"),
    "type": (lambda: remez(9, [0, 0.5], [1], type="low"), ArgumentError, "type must be one of"),
    "wide": (
        lambda: remez(138, [0.1, 0.2, 0.4, 0.45], [1, 0], type="hilbert"),
        ArgumentError,
        "doesn't converge",
    ),
    "length": (lambda: remez(0, [0, 0.5], [1]), ArgumentError, "numtaps must be an integer"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
