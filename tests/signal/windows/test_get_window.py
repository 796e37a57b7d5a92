"""Windows against SciPy, as arrays of every library."""

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.signal.windows

import likewise
from likewise import signal
from likewise.errors import ArgumentError, LikewiseWarning, NotSupported
from likewise.signal import windows
from likewise.signal.windows import dpss, general_cosine, get_window, kaiser_bessel_derived

from ..designs import close, in_use

PARAMETERS: dict[str, tuple[Any, ...]] = {
    "barthann": (),
    "bartlett": (),
    "blackman": (),
    "blackmanharris": (),
    "bohman": (),
    "boxcar": (),
    "chebwin": (100,),
    "cosine": (),
    "dpss": (2.5,),
    "exponential": (None, 3.0),
    "flattop": (),
    "gaussian": (7,),
    "general_cosine": ([0.3, 0.4, 0.2, 0.1],),
    "general_gaussian": (1.5, 7.0),
    "general_hamming": (0.7,),
    "hamming": (),
    "hann": (),
    "kaiser": (8.6,),
    "kaiser_bessel_derived": (8.6,),
    "lanczos": (),
    "nuttall": (),
    "parzen": (),
    "taylor": (4, 40),
    "triang": (),
    "tukey": (0.3,),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_equals_scipy(lib: Any, name: str) -> None:
    ours, reference = getattr(windows, name), getattr(scipy.signal.windows, name)
    for m in (0, 1, 6, 7, 32, 101):
        if name == "kaiser_bessel_derived" and m % 2:
            continue
        for sym in (True, False):
            if name == "kaiser_bessel_derived" and not sym:
                continue
            args, more = (m, *PARAMETERS[name]), {"sym": sym}
            got = in_use(lib, lambda args=args, more=more: ours(*args, **more))
            close(got, reference(*args, **more))


def test_all_windows_are_here() -> None:
    assert set(PARAMETERS) | {"get_window"} == set(windows.__all__)
    assert set(windows.__all__) == set(scipy.signal.windows.__all__)
    for name in windows.__all__:
        own = inspect.signature(getattr(windows, name))
        assert list(own.parameters) == [
            *inspect.signature(getattr(scipy.signal.windows, name)).parameters,
            "like",
        ]


def test_names(lib: Any) -> None:
    for window in ["hann", "ham", "triangle", ("ksr", 8.0), ("general gauss", 1.5, 7), 5, "taylor"]:
        for ending in ("", "_symmetric", "_periodic"):
            if ending and not isinstance(window, str):
                continue
            named = window + ending if isinstance(window, str) else window
            got = in_use(lib, lambda named=named: get_window(named, 9))
            close(got, scipy.signal.get_window(named, 9))
    got = get_window("hann", 5, False, xp=lib.xp, device=lib.device)
    assert likewise.library(got) == lib.library
    close(lib.to_numpy(got), np.asarray([0, 0.5, 1, 0.5, 0]), 1e-6)


def test_slepians() -> None:
    for m in (20, 21, 100):
        for count in (None, 1, 4):
            for norm in (None, 2, "approximate", "subsample"):
                args = (m, 3.0, count, m != 100, norm, True)
                close(dpss(*args), scipy.signal.windows.dpss(*args), 1e-9)
    close(dpss(1, 0.2, 1, return_ratios=True), (np.ones(1), np.ones(1)))


@pytest.mark.needs("array_api_strict")
def test_weights_of_an_array_decide() -> None:
    import array_api_strict as strict

    got = general_cosine(5, strict.asarray([0.5, 0.5]))
    assert likewise.library(got) == "strict"
    with pytest.raises(NotSupported, match="argument 'a' must have values"):
        likewise.grad(lambda a: general_cosine(5, a)[1])(np.asarray([0.5, 0.5]))


def test_weak_sidelobes_warn() -> None:
    with pytest.warns(LikewiseWarning, match="at should be at least 45 decibel"):
        windows.chebwin(5, 30)


BAD = {
    "length": (lambda: windows.hann(-1), "M must be a nonnegative integer, got -1"),
    "half": (lambda: windows.hann(2.5), "M must be a nonnegative integer, got 2.5"),
    "near name": (lambda: get_window("hanning", 8), "'hanning'. Did you mean 'hann'"),
    "name": (lambda: get_window("", 8), "no window ''. There are barthann, bartlett"),
    "missing": (lambda: get_window("kaiser", 8), "the parameters of 'kaiser' are beta"),
    "too many": (lambda: get_window(("hann", 1), 8), r"'hann' are none, got \(1,\)"),
    "no points": (lambda: get_window("hann", 0), "Nx must be an integer of at least 1, got 0"),
    "kind": (lambda: get_window(None, 8), "must be a name, a tuple"),
    "tuple": (lambda: get_window((1, 2), 8), "the first of the tuple"),
    "fftbins": (lambda: get_window("hann", 8, 1), "fftbins must be True or False, got 1"),
    "center": (lambda: windows.exponential(5, 2), "center must be None"),
    "std": (lambda: windows.gaussian(5, 0), "std must not be zero"),
    "odd": (lambda: kaiser_bessel_derived(5, 1.0), "M must be even, got 5"),
    "periodic": (lambda: kaiser_bessel_derived(4, 1.0, sym=False), "sym must be True"),
    "NW": (lambda: dpss(8, 4), "NW must be positive and less than M/2"),
    "Kmax": (lambda: dpss(8, 2, 9), "Kmax must be at most M, 8, got 9"),
    "norm": (lambda: dpss(8, 2, norm="max"), "norm must be one of 'approximate'"),
    "sll": (lambda: windows.taylor(8, 4, -30), "sll, an attenuation, must not be negative"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, words = BAD[case]
    with pytest.raises(ArgumentError, match=words):
        call()


X = np.ones(40)
CALLS: dict[str, Any] = {
    "check_COLA": lambda window: signal.check_COLA(window, 8, 4),
    "firwin": lambda window: signal.firwin(9, 0.5, window=window),
    "firwin2": lambda window: signal.firwin2(9, [0.0, 0.5, 1.0], [1.0, 1.0, 0.0], window=window),
    "istft": lambda window: signal.istft(np.ones((5, 6)) + 0j, window=window),
    "resample": lambda window: signal.resample(X, 20, window=window),
    "resample_poly": lambda window: signal.resample_poly(X, 2, 1, window=window),
    "ShortTimeFFT": lambda window: signal.ShortTimeFFT.from_window(window, 1.0, 8, 4),
    "stft": lambda window: signal.stft(X, window=window, nperseg=8),
    "welch": lambda window: signal.welch(X, window=window, nperseg=8),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_that_takes_a_window_names_itself(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{name}: window: there is no window 'nope'"):
        CALLS[name]("nope")
    with pytest.raises(ArgumentError, match=f"^{name}: window: the parameters of 'kaiser' are"):
        CALLS[name](("kaiser",))
