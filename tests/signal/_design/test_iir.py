"""Recursive filters against SciPy, and Butterworth's of array cutoffs on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, NotSupported
from likewise.signal import bessel, butter, cheby1, cheby2, ellip, iirfilter

from ..designs import close, gradient, in_use

BANDS = [("low", 0.2), ("highpass", 0.001), ("bandpass", [0.1, 0.3]), ("stop", [0.2, 0.7])]
FAMILIES = {
    "butter": (butter, ()),
    "cheby1": (cheby1, (0.5,)),
    "cheby2": (cheby2, (40,)),
    "ellip": (ellip, (0.5, 60)),
    "bessel": (bessel, ()),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("output", ["zpk", "sos", "ba"])
def test_families_equal_scipy(lib: Any, name: str, output: str) -> None:
    func, ripples = FAMILIES[name]
    for order, (btype, wn), analog in [
        (0, BANDS[0], False),
        (1, BANDS[0], True),
        (4, BANDS[1], False),
        (5, BANDS[2], False),
        (6, BANDS[2], True),
        (5, BANDS[3], False),
        (16, BANDS[0], False),
    ]:
        args = (order, *ripples, wn, btype, analog, output)
        got = in_use(lib, lambda args=args: func(*args))
        close(got, getattr(scipy.signal, name)(*args))


@pytest.mark.parametrize("btype, wn", BANDS)
def test_butter_of_arrays(lib: Any, btype: str, wn: Any) -> None:
    """The standard's way: each order and band has a way of its own to sections."""
    for order, analog in [(3, False), (4, False), (3, True), (4, True)]:
        for output in ("zpk", "ba", "sos"):
            if lib.jit and (order, output) not in ((3, "zpk"), (4, "sos")):
                continue
            expected = scipy.signal.butter(order, wn, btype, analog, output)
            x = lib.asarray(np.asarray(wn))
            got = butter(order, x, btype, analog, output)
            if output == "ba" and not lib.has_float64:
                continue  # cutoffs of single precision
            tight = 1e-10 if lib.has_float64 else 1e-3
            got = tuple(lib.to_numpy(y) for y in got) if output != "sos" else lib.to_numpy(got)
            close(got, expected, tight)


def test_precision_and_rate_of_arrays(lib: Any) -> None:
    x = lib.asarray(np.asarray([100.0, 200.0], dtype=np.float32))
    sos = butter(4, x, "bandpass", output="sos", fs=1000)
    assert lib.to_numpy(sos).dtype == np.float32
    close(lib.to_numpy(sos), scipy.signal.butter(4, [100, 200], "bandpass", output="sos", fs=1000))


def test_of_many_orders_and_bands() -> None:
    for name, (func, ripples) in FAMILIES.items():
        for order in range(1, 9):
            for btype, wn in BANDS:
                close(
                    func(order, *ripples, wn, btype, output="zpk"),
                    getattr(scipy.signal, name)(order, *ripples, wn, btype, output="zpk"),
                )


@pytest.mark.parametrize("norm", ["phase", "delay", "mag"])
def test_norms_of_bessel(norm: str) -> None:
    for order in (1, 2, 7, 24):
        args = (order, 1.0, "low", True, "zpk", norm)
        close(bessel(*args), scipy.signal.bessel(*args))


def test_iirfilter_has_scipys_spellings(lib: Any) -> None:
    for ftype, btype in [("Butterworth", "bp"), ("cauer", "PASS"), ("chebyshevII", "bands")]:
        args = (3, [0.2, 0.4], 1.0, 30.0, btype, False, ftype, "SOS")
        close(in_use(lib, lambda args=args: iirfilter(*args)), scipy.signal.iirfilter(*args))
    x = lib.asarray(np.asarray(0.25))
    close(
        tuple(lib.to_numpy(y) for y in iirfilter(2, x, btype="high")),
        scipy.signal.iirfilter(2, 0.25, btype="high"),
        1e-6 if not lib.has_float64 else 1e-10,
    )


@pytest.mark.parametrize(
    "btype, wn, output",
    [("low", 0.3, "sos"), ("bandpass", [0.2, 0.5], "ba"), ("bandstop", [0.2, 0.5], "ba")],
)
def test_gradients_in_cutoffs(
    lib: Any, btype: str, wn: Any, output: str, rng: np.random.Generator
) -> None:
    if not lib.has_float64 or lib.jit:
        return
    want = butter(3, wn, btype, output=output)
    shapes = [np.shape(y) for y in (want if isinstance(want, tuple) else (want,))]
    weights = [rng.normal(size=s) for s in shapes]

    def loss(x: Any, given: Any) -> Any:
        xp = likewise.array_namespace(x)
        out = butter(3, x, btype, output=output)
        terms = zip(out if isinstance(out, tuple) else (out,), given, strict=True)
        return sum(xp.sum(y * w) for y, w in terms)

    held = [lib.asarray(w) for w in weights]
    got = likewise.grad(lambda x: loss(x, held))(lib.asarray(np.asarray(wn)))
    expected = gradient(lambda x: loss(x, weights), wn, 1.0)
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-6, atol=1e-7)


BAD = {
    "order": (
        lambda: butter(2.5, 0.1),
        "order of the filter, must be a nonnegative integer, got 2.5",
    ),
    "negative order": (lambda: butter(-1, 0.1), "got -1"),
    "above Nyquist": (lambda: butter(2, 1.2), "Wn must be positive and below 1.0, the Nyquist"),
    "above half of fs": (lambda: butter(2, 60, fs=100), "below 50.0, fs/2, got 60.0"),
    "zero": (lambda: butter(2, 0.0, analog=True), "positive and finite, got 0.0"),
    "NaN": (lambda: butter(2, float("nan")), "got nan"),
    "decreasing": (lambda: butter(2, [0.5, 0.2], "band"), r"Wn\[0\] must be less than Wn\[1\]"),
    "one edge": (lambda: butter(2, 0.5, "bandpass"), "the two edges of the band"),
    "two cutoffs": (lambda: butter(2, [0.1, 0.2]), "one cutoff for a lowpass filter"),
    "btype": (lambda: butter(2, 0.5, "middle"), "btype must be one of 'l', 'low'"),
    "ftype": (lambda: iirfilter(2, 0.5, ftype="best"), "ftype must be one of 'butter'"),
    "output": (lambda: butter(2, 0.5, output="tf"), "output must be one of 'ba', 'zpk', 'sos'"),
    "no cutoff": (lambda: butter(2, None), "butter: Wn must be numbers, got None"),
    "fs of analog": (lambda: butter(2, 0.5, analog=True, fs=2.0), "fs must be None for an analog"),
    "fs": (lambda: butter(2, 0.5, fs=0), "fs, the sampling rate, must be positive"),
    "no ripple": (lambda: iirfilter(2, 0.5, ftype="cheby1", btype="low"), "rp must be given"),
    "ripple": (lambda: cheby1(2, -1, 0.5), "ripple, must be positive, in decibel, got -1"),
    "ripples": (lambda: ellip(2, 5, 1, 0.5), "must exceed the ripple"),
    "norm": (lambda: bessel(2, 0.5, norm="flat"), "norm must be one of 'phase'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, words = BAD[case]
    with pytest.raises(ArgumentError, match=words):
        call()


def test_complex_and_traced_cutoffs_are_refused() -> None:
    with pytest.raises(DtypeError, match="Wn must hold real numbers"):
        butter(2, np.asarray(0.5 + 1j))
    for call in (lambda x: cheby1(2, 1.0, x, output="zpk")[2], lambda x: bessel(2, x)[1][1]):
        with pytest.raises(NotSupported, match=r"argument 'Wn' must have values"):
            likewise.grad(call)(np.asarray(0.5))


@pytest.mark.needs("torch")
def test_recorded_gradients_are_refused() -> None:
    import torch

    with pytest.raises(NotSupported, match="Detach"):
        ellip(2, 1.0, 40.0, torch.tensor(0.5, requires_grad=True))
