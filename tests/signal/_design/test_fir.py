"""Filters of finite length by windows, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import firwin, kaiser_atten, kaiser_beta, kaiserord

from ..designs import close, gradient, in_use

CASES: list[tuple[int, Any, dict[str, Any]]] = [
    (20, 0.3, {}),
    (21, [0.3, 0.6], {}),
    (21, [0.3, 0.6], {"pass_zero": "bandpass", "scale": False}),
    (21, 30.0, {"pass_zero": "highpass", "fs": 100, "width": 8.0}),
    (31, [0.1, 0.3, 0.7], {"pass_zero": False, "window": ("kaiser", 5.0)}),
    (1, 0.5, {"window": 4.0}),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_firwin(lib: Any, case: int) -> None:
    n, cutoff, more = CASES[case]
    close(in_use(lib, lambda: firwin(n, cutoff, **more)), scipy.signal.firwin(n, cutoff, **more))


def test_firwin_of_arrays(lib: Any) -> None:
    for n, cutoff, more in CASES[:2] if lib.jit else CASES:
        got = firwin(n, lib.asarray(np.asarray(cutoff)), **more)
        close(lib.to_numpy(got), scipy.signal.firwin(n, cutoff, **more))
    x = lib.asarray(np.asarray([0.25, 0.5], dtype=np.float32))
    assert lib.to_numpy(firwin(9, x)).dtype == np.float32


@pytest.mark.parametrize("case", [1, 2])
def test_gradients(lib: Any, case: int, rng: np.random.Generator) -> None:
    if not lib.has_float64 or lib.jit:
        return
    n, cutoff, more = CASES[case]
    w = rng.normal(size=n)
    held = lib.asarray(w)

    def loss(c: Any) -> Any:
        return likewise.array_namespace(c).sum(firwin(n, c, **more) * held)

    got = likewise.grad(loss)(lib.asarray(np.asarray(cutoff)))
    expected = gradient(lambda c: firwin(n, c, **more), cutoff, w)
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-6)


def test_kaisers_rules(lib: Any) -> None:
    for a in (10.0, 21.0, 30.0, 50.0, 65.0):
        assert np.isclose(kaiser_beta(a), scipy.signal.kaiser_beta(a), rtol=1e-14)
        assert kaiserord(-a, 0.1)[0] == scipy.signal.kaiserord(-a, 0.1)[0]
    assert np.isclose(kaiser_atten(101, 0.1), scipy.signal.kaiser_atten(101, 0.1), rtol=1e-14)
    assert kaiser_beta(lib.asarray(np.asarray(10.0))) == 0 if not lib.jit else True


BAD = {
    "even": (lambda: firwin(8, 0.5, pass_zero=False), ArgumentError, "numtaps must be odd"),
    "Nyquist": (lambda: firwin(9, 1.0), ArgumentError, "between 0 and 1.0, the Nyquist"),
    "decreasing": (lambda: firwin(9, [0.5, 0.5]), ArgumentError, "cutoff must increase, got"),
    "none": (lambda: firwin(9, []), ArgumentError, "at least one frequency"),
    "dimensions": (lambda: firwin(9, [[0.5]]), ShapeError, "at most one dimension"),
    "complex": (lambda: firwin(9, [0.5j]), DtypeError, "must hold real numbers"),
    "kind": (lambda: firwin(9, 0.5, pass_zero="all"), ArgumentError, "pass_zero must be True, "),
    "lowpass": (lambda: firwin(9, [0.2, 0.5], pass_zero="lowpass"), ArgumentError, "one frequency"),
    "bandpass": (lambda: firwin(9, 0.5, pass_zero="bandpass"), ArgumentError, "at least two"),
    "window": (lambda: firwin(9, 0.5, window="haning"), ArgumentError, "Did you mean"),
    "length": (lambda: firwin(0, 0.5), ArgumentError, "numtaps must be an integer of at least 1"),
    "ripple": (lambda: kaiserord(5, 0.1), ArgumentError, "at least 8 decibel"),
    "width": (lambda: kaiserord(50, 0.0), ArgumentError, "width must be positive"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
