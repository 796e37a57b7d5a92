"""The programs of the guide to more data than memory, at a small size, against one call."""

from pathlib import Path

import numpy as np
import pytest

import likewise

pytestmark = pytest.mark.needs("dask")


def test_fits(tmp_path: Path) -> None:
    from scale import fits

    popt, deviations = fits.main(tmp_path, 0.0005)
    y = np.load(tmp_path / "decays.npy")
    assert popt.shape == (len(y), 2) and len(y) == 3906
    expected = fits.fit(y)
    np.testing.assert_allclose(popt, expected[0], rtol=1e-6)
    np.testing.assert_allclose(deviations, expected[1], rtol=1e-5)
    popt[5] = 0.0  # between those whose checksums the journal has
    again, _ = fits.main(tmp_path, 0.0005)  # nothing is left to do
    np.testing.assert_array_equal(again[5], 0.0)


def test_day(tmp_path: Path) -> None:
    import h5py
    from scale import day

    f, spectra = day.main(tmp_path, 0.02)
    with h5py.File(tmp_path / "day.h5") as file:
        x = file["raw"][...]
    band = likewise.signal.sosfilt(day.SOS, x)
    slow = likewise.signal.resample_poly(band, 1, day.DOWN, axis=1)
    whole = slow.shape[1] // day.SEGMENT * day.SEGMENT
    expected = likewise.signal.welch(
        slow[:, :whole], day.RATE / day.DOWN, nperseg=day.SEGMENT, noverlap=0
    )
    np.testing.assert_allclose(f, expected[0])
    np.testing.assert_allclose(spectra, expected[1], rtol=1e-3, atol=1e-6 * spectra.max())
    assert abs(f[np.argmax(spectra.mean(axis=0))] - 10) < 0.2


def test_frames(tmp_path: Path) -> None:
    import h5py
    from scale import frames

    delays, g2 = frames.main(tmp_path, 120, 8)
    with h5py.File(tmp_path / "frames.h5") as file:
        x = file["frames"][...].astype("f4")
    expected = likewise.signal.multitau(x, channels=frames.CHANNELS, levels=frames.LEVELS)
    np.testing.assert_array_equal(delays, expected[0])
    np.testing.assert_allclose(g2, expected[1], rtol=1e-5)
    assert g2[1].mean() > g2[-1].mean() > 0.9
