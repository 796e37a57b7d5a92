"""Power spectra against SciPy's."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ExtensionMissing, ShapeError, SpectrumWarning

OF_ONE = ["periodogram", "welch", "spectrogram"]
OF_TWO = ["csd", "coherence"]
ALL = [*OF_ONE, *OF_TWO]
OPTIONS: list[dict[str, Any]] = [
    {"nperseg": 8, "noverlap": 3, "fs": 10.0, "detrend": "linear"},
    {"nperseg": 8},
    {"nperseg": 7, "nfft": 12, "detrend": False},
    {"nperseg": 20, "noverlap": 19, "window": ("tukey", 0.3)},
    {"window": np.arange(1.0, 10.0)},
    {"nperseg": 1, "noverlap": 0, "detrend": None},
]
MORE: list[dict[str, Any]] = [
    {"nperseg": 8, "scaling": "spectrum", "average": "median"},
    {"nperseg": 9, "return_onesided": False, "average": "median"},
]


def single(lib: Any, x: Any) -> Any:
    """An array, in double precision where there is one."""
    if lib.has_float64:
        return lib.asarray(x)
    return lib.asarray(x, "complex64" if np.iscomplexobj(x) else "float32")


def check(lib: Any, name: str, arrays: Any, **options: Any) -> None:
    judge, func = getattr(scipy.signal, name), getattr(signal, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = judge(*arrays, **options)
        if hasattr(options.get("window"), "dtype"):
            options["window"] = single(lib, options["window"])
        got = func(*(single(lib, x) for x in arrays), **options)
    for a, b in zip(got, expected, strict=True):
        assert likewise.library(a) == lib.library
        found = lib.to_numpy(a)
        assert found.shape == b.shape
        rough = 1e-11 if lib.has_float64 else 1e-4
        scale = max(1.0, np.abs(b).max())
        np.testing.assert_allclose(found, b, rtol=rough, atol=rough * scale)


def options_of(name: str) -> list[dict[str, Any]]:
    if name == "periodogram":
        kinds: list[dict[str, Any]] = [{"window": "hann", "fs": 4.0}, {}, {"nfft": 50}]
        return [*kinds, {"nfft": 20, "scaling": "spectrum", "detrend": "linear"}]
    if name in ("coherence", "spectrogram"):
        return OPTIONS
    return [*OPTIONS, *MORE]


@pytest.mark.parametrize("name", ALL)
def test_equals_scipy(lib: Any, rng: Any, name: str) -> None:
    arrays = tuple(rng.normal(size=(2, 40)) for _ in range(2 if name in OF_TWO else 1))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match=f"{name}: needs the array API extension 'fft'"):
            getattr(signal, name)(*(single(lib, x) for x in arrays), window="boxcar")
        return
    for options in options_of(name)[: 1 if lib.jit else None]:
        check(lib, name, arrays, **options)


@pytest.mark.parametrize("name", ALL)
def test_complex_and_axes(lib: Any, rng: Any, name: str) -> None:
    if not lib.has_extensions or lib.jit:
        return
    arrays = tuple(
        rng.normal(size=(30, 2)) + 1j * rng.normal(size=(30, 2))
        for _ in range(2 if name in OF_TWO else 1)
    )
    long = {} if name == "periodogram" else {"nperseg": 8}
    for axis in (0, -2):
        check(lib, name, arrays, axis=axis, **long)
        check(lib, name, tuple(np.real(x) for x in arrays), axis=axis, **long)


def test_modes(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    x = rng.normal(size=(2, 30))
    for mode in ("complex", "magnitude", "angle", "phase"):
        check(lib, "spectrogram", (x,), nperseg=8, mode=mode, scaling="spectrum")


def test_signals_broadcast(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    x, y = rng.normal(size=(3, 1, 30)), rng.normal(size=(2, 24))
    whole = np.concatenate([y, np.zeros((2, 6))], axis=-1)
    expected = scipy.signal.csd(x, whole, nperseg=8)[1]
    got = signal.csd(single(lib, x), single(lib, y), nperseg=8)[1]
    np.testing.assert_allclose(lib.to_numpy(got), expected, atol=1e-10 if lib.has_float64 else 1e-4)


def test_coherence_of_two_lengths_is_that_of_the_padded_signals(rng: Any) -> None:
    """SciPy pads for the cross spectrum alone, and finds up to 4.4 in signals like these."""
    x = rng.normal(size=109)
    y = np.concatenate([x, rng.normal(size=3)])
    got = signal.coherence(x, y, nperseg=32)[1]
    expected = scipy.signal.coherence(np.concatenate([x, np.zeros(3)]), y, nperseg=32)[1]
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    assert np.max(got) <= 1 + 1e-12 < np.max(scipy.signal.coherence(x, y, nperseg=32)[1])


def test_precision_stays(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    x = lib.asarray(rng.normal(size=30), "float32")
    for name in ALL:
        window = {"window": lib.asarray(np.ones(30 if name == "periodogram" else 8), "float32")}
        for out in getattr(signal, name)(*([x] * (1 + (name in OF_TWO))), **window):
            assert out.dtype in (lib.xp.float32, lib.xp.complex64)


def test_functions_take_trends(rng: Any) -> None:
    x = rng.normal(size=40)
    got = signal.welch(x, nperseg=10, detrend=lambda s: s - s.mean(axis=-1, keepdims=True))
    np.testing.assert_allclose(got[1], signal.welch(x, nperseg=10)[1])


@pytest.mark.parametrize("name", ["welch", "coherence"])
def test_gradients(lib: Any, rng: Any, name: str) -> None:
    """Against differences of SciPy's values, in a random direction."""
    if not lib.has_extensions or not lib.has_float64 or lib.jit:
        return
    x, y, along = (rng.normal(size=24) for _ in range(3))
    weights = rng.normal(size=5)
    more = () if name == "welch" else (y,)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        others = (lib.asarray(v) for v in more)
        power = getattr(signal, name)(x, *others, nperseg=8, detrend="linear")[1]
        return xp.sum(power * lib.asarray(weights))

    def judge(t: float) -> float:
        power = getattr(scipy.signal, name)(x + t * along, *more, nperseg=8, detrend="linear")[1]
        return float(np.sum(power * weights))

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(x))) @ along
    expected = (judge(1e-5) - judge(-1e-5)) / 2e-5
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_of_nothing(lib: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    for shape in ((0,), (3, 0), (0, 5, 2)):
        x = single(lib, np.zeros(shape))
        for name in ("periodogram", "welch"):
            f, p = getattr(signal, name)(x)
            assert tuple(f.shape) == tuple(p.shape) == shape
        assert all(tuple(v.shape) == shape for v in signal.spectrogram(x))
        assert tuple(signal.csd(x, x)[1].shape) == shape


def test_warns() -> None:
    x = np.ones(10)
    for name in ("welch", "spectrogram"):
        with pytest.warns(SpectrumWarning, match=f"{name}: nperseg = 256 is greater .* 10"):
            getattr(signal, name)(x)
    with pytest.warns(SpectrumWarning, match="spectrogram: the signal is complex"):
        signal.spectrogram(x * 1j, nperseg=4)


def test_refuses() -> None:
    x = np.ones(10)
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"nperseg": 0}, ArgumentError, "nperseg must be a positive integer, got 0"),
        ({"nperseg": "x"}, ArgumentError, "nperseg must be an integer, got 'x'"),
        ({"nperseg": 4, "noverlap": 4}, ArgumentError, "noverlap must be less than nperseg, got 4"),
        ({"nperseg": 4, "noverlap": -1}, ArgumentError, "noverlap must not be negative, got -1"),
        ({"nperseg": 4, "nfft": 3}, ArgumentError, "nfft must be at least nperseg, got 3 and 4"),
        ({"window": "hans", "nperseg": 4}, ArgumentError, "hans"),
        ({"window": np.ones((2, 2))}, ShapeError, "window must have one dimension"),
        ({"window": np.ones(11)}, ShapeError, "the window must have from 1 to 10 points"),
        ({"window": np.ones(4), "nperseg": 5}, ShapeError, "nperseg must be the window's length"),
        ({"window": np.ones(4) * 1j}, ArgumentError, "the window must be real for one side"),
        ({"nperseg": 4, "detrend": "bad"}, ArgumentError, "detrend must be .*, got 'bad'"),
        ({"nperseg": 4, "scaling": "bad"}, ArgumentError, "scaling must be one of .*, got 'bad'"),
        ({"nperseg": 4, "fs": 0}, ArgumentError, "fs, .* must be positive and finite, got 0"),
        ({"nperseg": 4, "axis": 1}, ShapeError, "axis must lie in"),
        ({"nperseg": 4, "axis": 0.5}, ArgumentError, "axis must be one integer, got 0.5"),
    ]
    for options, error, words in cases:
        with pytest.raises(error, match=words):
            signal.welch(x, **options)
        with pytest.raises(error, match=words):
            signal.spectrogram(x, **options)
    with pytest.raises(ArgumentError, match="welch: average must be one of .*, got 'x'"):
        signal.welch(x, nperseg=4, average="x")
    with pytest.raises(ArgumentError, match="spectrogram: mode must be one of .*, got 'x'"):
        signal.spectrogram(x, nperseg=4, mode="x")
    with pytest.raises(ShapeError, match="periodogram: the window must have the 10 points"):
        signal.periodogram(x, window=np.ones(4))
    with pytest.raises(ShapeError, match="csd: shapes must broadcast"):
        signal.csd(np.ones((2, 9)), np.ones((3, 9)))
