"""Short-time transforms against SciPy's; whether windows allow them."""

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ShapeError, SpectrumWarning

from .test_spectra import check, single

OPTIONS: list[dict[str, Any]] = [
    {"nperseg": 8, "noverlap": 5, "boundary": "odd", "fs": 10.0},
    {"nperseg": 8, "boundary": "even", "padded": False},
    {"nperseg": 7, "nfft": 12, "boundary": "constant", "scaling": "psd"},
    {"nperseg": 8, "boundary": None, "return_onesided": False, "detrend": "linear"},
    {"window": np.arange(1.0, 25.0), "nperseg": 24, "noverlap": 23},
]
BACK: list[dict[str, Any]] = [
    {"nperseg": 8, "noverlap": 6, "scaling": "psd", "fs": 3.0},
    {},
    {"nperseg": 6, "boundary": False, "window": "boxcar"},
    {"nperseg": 8, "noverlap": 7, "input_onesided": False, "nfft": 11},
    {"window": np.arange(1.0, 9.0), "nperseg": 8},
]


def test_stft(lib: Any, rng: Any) -> None:
    if not lib.has_extensions:
        return
    x = rng.normal(size=(2, 40))
    for options in OPTIONS[: 1 if lib.jit else None]:
        check(lib, "stft", (x,), **options)
    if not lib.jit:
        z = x.T + 1j * rng.normal(size=(40, 2))
        check(lib, "stft", (z,), nperseg=8, axis=0)
        check(lib, "stft", (z.real,), nperseg=8, axis=-2)


def inverse(lib: Any, z: Any, axes: tuple[int, int] = (-1, -2), **options: Any) -> None:
    """SciPy's times are those of the first axis, whichever that is."""
    options |= {"time_axis": axes[0], "freq_axis": axes[1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = scipy.signal.istft(z, **options)[1]
        if hasattr(options.get("window"), "dtype"):
            options["window"] = single(lib, options["window"])
        t, got = signal.istft(single(lib, z), **options)
    rough = 1e-10 if lib.has_float64 else 1e-3
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=rough, atol=rough)
    n = expected.shape[expected.ndim - 1 if axes == (-1, -2) else 0]
    np.testing.assert_allclose(lib.to_numpy(t), np.arange(n) / options.get("fs", 1), rtol=1e-6)


def test_istft(lib: Any, rng: Any) -> None:
    if not lib.has_extensions:
        return
    z = rng.normal(size=(2, 5, 7)) + 1j * rng.normal(size=(2, 5, 7))
    for options in BACK[: 1 if lib.jit else None]:
        inverse(lib, z, **options)
    if not lib.jit:
        inverse(lib, np.moveaxis(z, 0, -1), axes=(1, 0))
        inverse(lib, np.moveaxis(z, 0, -1), axes=(0, 1), nperseg=12)


def test_there_and_back(lib: Any, rng: Any) -> None:
    """Also where a segment has so many blocks that they are gathered."""
    if not lib.has_extensions or lib.jit:
        return
    x = rng.normal(size=(2, 60))
    for noverlap, scaling in product((0, 4, 7, 19), ("spectrum", "psd")):
        options = {"nperseg": 20, "noverlap": noverlap, "window": "hamming", "scaling": scaling}
        z = signal.stft(single(lib, x), **options)[2]
        back = lib.to_numpy(signal.istft(z, **options)[1])[:, :60]
        np.testing.assert_allclose(back, x, atol=1e-9 if lib.has_float64 else 1e-4)


def test_gradients(lib: Any, rng: Any) -> None:
    """Both are linear: along a random direction, the derivative is the value of it."""
    if not lib.has_extensions or not lib.has_float64 or lib.jit:
        return
    x, along = rng.normal(size=(2, 30))
    for noverlap in (5, 19):
        options = {"nperseg": 20, "noverlap": noverlap}
        shape = scipy.signal.stft(x, **options)[2].shape
        weights = rng.normal(size=shape) + 1j * rng.normal(size=shape)

        def loss(x: Any, options: Any = options, weights: Any = weights) -> Any:
            xp = likewise.array_namespace(x)
            z = signal.stft(x, **options)[2] * lib.asarray(weights)
            return xp.sum(signal.istft(z, **options)[1] ** 2)

        def judge(t: float, options: Any = options, weights: Any = weights) -> float:
            z = scipy.signal.stft(x + t * along, **options)[2] * weights
            return float(np.sum(scipy.signal.istft(z, **options)[1] ** 2))

        got = lib.to_numpy(likewise.grad(loss)(lib.asarray(x))) @ along
        np.testing.assert_allclose(got, (judge(1e-4) - judge(-1e-4)) / 2e-4, rtol=1e-7)


@pytest.mark.parametrize("name", ["check_COLA", "check_NOLA"])
def test_conditions(lib: Any, name: str) -> None:
    ours, theirs = getattr(signal, name), getattr(scipy.signal, name)
    if not lib.jit:
        for window, (n, over) in product(
            ("boxcar", "hann", "bartlett", ("tukey", 0.25), "blackman"),
            ((10, 0), (10, 5), (9, 3), (10, 7), (64, 48), (1, 0)),
        ):
            assert ours(window, n, over) is bool(theirs(window, n, over)), (window, n, over)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # values are copied to the host
            got = ours(single(lib, np.asarray([0.5, 1.0, 0.5, 0.0])), 4, 2, tol=1e-5)
        assert got is bool(theirs(np.asarray([0.5, 1.0, 0.5, 0.0]), 4, 2, tol=1e-5))


def test_refuses() -> None:
    x, z = np.ones(6), np.ones((5, 3)) + 0j
    with pytest.warns(SpectrumWarning, match="stft: nperseg = 256 is greater"):
        signal.stft(x)
    with pytest.warns(SpectrumWarning, match=r"istft: the window leaves samples out \(NOLA\)"):
        signal.istft(z, window="hann", noverlap=0)
    with pytest.raises(ArgumentError, match="stft: boundary must be one of .*, got 'x'"):
        signal.stft(x, nperseg=4, boundary="x")
    with pytest.raises(ArgumentError, match="stft: scaling must be one of .*, got 'density'"):
        signal.stft(x, nperseg=4, scaling="density")
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"time_axis": -2}, ArgumentError, "time_axis and freq_axis must differ, got -2 and -2"),
        ({"nperseg": 0}, ArgumentError, "nperseg must be a positive integer, got 0"),
        ({"nperseg": 9, "nfft": 8}, ArgumentError, "nfft must be at least nperseg, got 8 and 9"),
        ({"noverlap": 8}, ArgumentError, "noverlap must be less than nperseg, got 8 and 8"),
        ({"window": np.ones(3)}, ShapeError, "the window must have 8 points, got 3"),
        ({"window": np.ones((2, 2))}, ShapeError, "window must have one dimension"),
        ({"scaling": "x"}, ArgumentError, "scaling must be one of .*, got 'x'"),
    ]
    for options, error, words in cases:
        with pytest.raises(error, match=words):
            signal.istft(z, **options)
    with pytest.raises(ShapeError, match=r"Zxx must have at least two dimensions, got \(6,\)"):
        signal.istft(x)
    for name in ("check_COLA", "check_NOLA"):
        func = getattr(signal, name)
        for args, words in (
            (("hann", 0, 0), "nperseg must be a positive integer, got 0"),
            (("hann", 4, 4), "noverlap must be less than nperseg, got 4 and 4"),
            (("hann", 4, -1), "noverlap must not be negative, got -1"),
        ):
            with pytest.raises(ArgumentError, match=words):
                func(*args)
        with pytest.raises(ShapeError, match="the window must have 4 points, got 3"):
            func(np.ones(3), 4, 2)
        with pytest.raises(ShapeError, match="window must have one dimension"):
            func(np.ones((2, 2)), 4, 2)


@pytest.mark.parametrize("name", ["stft", "welch", "spectrogram", "csd"])
def test_a_warning_points_at_the_users_line(name: str) -> None:
    x = np.ones(10)
    with pytest.warns(SpectrumWarning, match="nperseg = 256 is greater") as told:
        getattr(signal, name)(*[x] * (1 + (name == "csd")), nperseg=256)
    assert {w.filename for w in told} == {__file__}
