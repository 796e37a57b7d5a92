"""The short-time transform as an object against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ShapeError

WINDOWS = [
    (np.hanning(9)[1:-1], 3),
    (np.hanning(8), 4),
    (np.asarray([0.0, 0.0, 0.5, 1.0, 1.0]), 2),
    (np.ones(6), 6),
]
NUMBERS = "m_num m_num_mid hop fs T mfft delta_t delta_f f_pts k_min p_min lower_border_end".split()


def pair(lib: Any, win: Any, hop: int, **options: Any) -> tuple[Any, Any]:
    ours = signal.ShortTimeFFT(lib.asarray(win), hop, 2.0, **options)
    return ours, scipy.signal.ShortTimeFFT(win.copy(), hop, 2.0, **options)


def close(lib: Any, got: Any, expected: Any) -> None:
    assert likewise.library(got) == lib.library
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-10, atol=1e-10)


def works(lib: Any) -> bool:
    return bool(lib.has_extensions and lib.has_float64 and not lib.jit)


@pytest.mark.parametrize("mode", ["onesided", "twosided", "centered", "onesided2X"])
def test_transforms(lib: Any, rng: Any, mode: str) -> None:
    if not works(lib):
        return
    x = rng.normal(size=(2, 31))
    for (win, hop), shift, scale in zip(
        WINDOWS, (0, None, 2, -1), ("psd", "magnitude") * 2, strict=True
    ):
        options: dict[str, Any] = {"fft_mode": mode, "mfft": 10, "phase_shift": shift}
        ours, theirs = pair(lib, win, hop, scale_to=scale, **options)
        z = theirs.stft(x)
        close(lib, ours.stft(lib.asarray(x)), z)
        close(lib, ours.f, theirs.f)
        close(lib, ours.t(31), theirs.t(31))
        close(lib, ours.dual_win, theirs.dual_win)
        close(lib, ours.istft(lib.asarray(z), k1=31), x)
        close(lib, ours.istft(lib.asarray(z), 3, 20), theirs.istft(z, 3, 20))
        close(
            lib,
            ours.spectrogram(lib.asarray(x), detr="linear"),
            theirs.spectrogram(x, detr="linear"),
        )


def test_paddings_and_axes(lib: Any, rng: Any) -> None:
    if not works(lib):
        return
    x, y = rng.normal(size=(2, 12, 2))
    ours, theirs = pair(lib, np.hanning(9)[1:-1], 2)
    for padding in ("zeros", "edge", "even", "odd"):
        options: dict[str, Any] = {"padding": padding, "axis": 0, "p0": 0, "p1": 5}
        close(lib, ours.stft(lib.asarray(x), **options), theirs.stft(x, **options))
    got = ours.spectrogram(lib.asarray(x), lib.asarray(y), axis=0, k_offset=1)
    close(lib, got, theirs.spectrogram(x, y, axis=0, k_offset=1))
    z = np.moveaxis(theirs.stft(x.T), 0, -1)
    close(lib, ours.istft(lib.asarray(z), f_axis=0, t_axis=1), theirs.istft(z, f_axis=0, t_axis=1))


@pytest.mark.parametrize("win, hop", WINDOWS)
def test_borders(win: Any, hop: int) -> None:
    ours, theirs = signal.ShortTimeFFT(win, hop, 2.0), scipy.signal.ShortTimeFFT(win, hop, 2.0)
    for name in NUMBERS:
        assert getattr(ours, name) == getattr(theirs, name), name
    for n in range(6, 30):
        for name in ("k_max", "p_max", "p_num", "upper_border_begin", "p_range", "extent"):
            assert getattr(ours, name)(n) == pytest.approx(getattr(theirs, name)(n)), (name, n)
    for k in range(-5, 9):
        assert ours.nearest_k_p(k) == theirs.nearest_k_p(k)
        assert ours.nearest_k_p(k, left=False) == theirs.nearest_k_p(k, left=False)


def test_other_ways_to_make_one(rng: Any) -> None:
    ours, theirs = signal.ShortTimeFFT, scipy.signal.ShortTimeFFT
    win = np.hanning(9)[1:-1]
    made = [
        (c.from_window("hann", 2.0, 8, 5, scale_to="psd"), c.from_dual(win, 3, 2.0))
        for c in (ours, theirs)
    ]
    for a, b in zip(*made, strict=True):
        np.testing.assert_allclose(a.win, b.win)
        np.testing.assert_allclose(a.dual_win, b.dual_win)
    for scale in (None, "unitary", "psd"):
        a, b = (c.from_win_equals_dual(win, 3, 2.0, scale_to=scale) for c in (ours, theirs))
        np.testing.assert_allclose(a.win, b.win)
        np.testing.assert_allclose(a.dual_win, b.dual_win)
        assert a.scaling == b.scaling
    assert a.invertible
    assert not ours(np.asarray([0.0, 1.0, 0.0]), 3, 1.0).invertible


def test_a_tree_that_does_not_change(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or not lib.has_float64:
        return
    s = signal.ShortTimeFFT(lib.asarray(np.hanning(8)), 4, 1.0)
    scaled = s.scale_to("magnitude")
    assert s.scaling is None and scaled.scaling == "magnitude"
    with pytest.raises(AttributeError):
        s.fs = 2.0  # type: ignore[misc]
    x = rng.normal(size=20)
    same = likewise.jit(lambda s, x: s.spectrogram(x))(s, lib.asarray(x))
    close(lib, same, scipy.signal.ShortTimeFFT(np.hanning(8), 4, 1.0).spectrogram(x))


def test_refuses() -> None:
    win = np.hanning(8)
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (win[None], {}, ShapeError, "win must have one dimension"),
        (win * np.nan, {}, ArgumentError, "win must be finite"),
        (win, {"hop": 0}, ArgumentError, "hop must be at least 1, got 0"),
        (win, {"hop": 1.5}, ArgumentError, "hop must be an integer, got 1.5"),
        (win, {"fs": -1}, ArgumentError, "fs, the sampling rate, must be positive, got -1"),
        (win, {"mfft": 4}, ArgumentError, "mfft must be at least the window's length 8, got 4"),
        (win, {"fft_mode": "x"}, ArgumentError, "fft_mode must be one of"),
        (win * 1j, {}, ArgumentError, "the window must be real for fft_mode='onesided'"),
        (win, {"fft_mode": "onesided2X"}, ArgumentError, "needs scale_to"),
        (win, {"scale_to": "x"}, ArgumentError, "scaling must be one of"),
        (win, {"phase_shift": 8}, ArgumentError, "phase_shift must be less than mfft, got 8"),
        (win, {"dual_win": win[1:]}, ShapeError, "dual_win must have the shape of win"),
    ]
    for window, options, error, words in cases:
        with pytest.raises(error, match=words):
            signal.ShortTimeFFT(window, **{"hop": 4, "fs": 1.0, **options})
    s = signal.ShortTimeFFT(win, 4, 1.0)
    for call, words in (
        (lambda: s.stft(win * 1j), "x must be real for fft_mode='onesided'"),
        (lambda: s.stft(win, padding="x"), "padding must be one of"),
        (lambda: s.stft(win, p0=3, p1=2), "p0 < p1 must lie from"),
        (lambda: s.stft_detrend(win, "x"), "detr must be"),
        (lambda: s.stft(win[:3]), "a signal must have half the window's samples, 4, got 3"),
        (lambda: s.istft(np.ones((4, 9))), "S must have 5 frequencies"),
        (lambda: s.istft(np.ones((5, 9)), 5, 4), "k0 < k1 must lie from"),
        (lambda: s.istft(np.ones((5, 9)), f_axis=-1), "f_axis and t_axis must differ"),
        (lambda: signal.ShortTimeFFT(win, 9, 1.0).dual_win, "hop=9 is larger than the window"),
        (lambda: s.extent(20, "xy"), "axes_seq must be one of"),
    ):
        with pytest.raises((ArgumentError, ShapeError), match=words):
            call()
