"""The photon-correlation example against truth, brute force and NumPy."""

import functools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.signal
from xpcs import correlation, geometry, profiles, relaxation, speckle
from xpcs.geometry import Detector

import likewise
from likewise.errors import ArgumentError
from likewise.signal import twotime
from likewise.testing import Variant

RNG = np.random.default_rng(11)
DETECTOR = Detector(energy=10.0, center=(7.2, 5.9), pixel=0.075, distance=900.0)


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-12, loose: float = 2e-5) -> None:
    """Same library and dtype kind, and the value; in float32 to what its digits allow."""
    assert likewise.library(got) == lib.library
    out = lib.to_numpy(got)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tolerance = rtol if lib.has_float64 else loose
    scale = np.nanmax(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance * scale)


# -- maps and regions ------------------------------------------------------------------------------


def test_q_map(lib: Any) -> None:
    maps = geometry.q_map(DETECTOR, (16, 12), lib.asarray(np.ones(1)))
    row, column = np.indices((16, 12))
    y, x = (row - 7.2) * 0.075, (column - 5.9) * 0.075
    theta = np.arctan(np.hypot(x, y) / 900)
    q = 4 * np.pi * np.sin(theta / 2) * 10 / 12.398419843320026
    expected = {"x": x, "y": y, "phi": np.arctan2(y, x), "two_theta": theta, "q": q}
    expected |= {"qx": q * x / np.hypot(x, y), "qy": q * y / np.hypot(x, y)}
    assert set(maps) == set(expected)
    for name, values in expected.items():
        near(lib, maps[name], values)


@pytest.mark.parametrize("log", [False, True])
def test_rings_have_their_edges(lib: Any, log: bool) -> None:
    """Rings hold what NumPy's histogram counts; the last has its outer edge."""
    q = np.abs(RNG.normal(size=(24, 20)) * 0.1 + 0.05)
    space = np.geomspace if log else np.linspace
    edges = space(0.02, 0.2, 37)
    q[0, 0], q[0, 1], q[0, 2] = edges[-1], edges[0], edges[5]
    made = geometry.bin_edges(0.02, 0.2, 36, lib.asarray(q), log=log)
    near(lib, made, edges)
    labels = lib.to_numpy(geometry.partition(lib.asarray(q), lib.asarray(edges)))
    held = lib.to_numpy(lib.asarray(q)), lib.to_numpy(lib.asarray(edges))  # as rounded
    expected = np.searchsorted(held[1], held[0], side="right") - 1
    expected[held[0] == held[1][-1]] = 35
    expected[(held[0] < held[1][0]) | (held[0] > held[1][-1])] = -1
    assert labels.tolist() == expected.tolist()
    assert labels[0, 0] == 35 and labels[0, 1] == 0 and labels[0, 2] == 5


def test_sectors_fold_and_combine(lib: Any) -> None:
    phi = lib.asarray(np.asarray([-3.0, -math.pi / 2, -0.1, 0.0, 0.2, math.pi]))
    third = 2 * math.pi / 3
    expected = [
        -3 + 2 * third,
        2 * third - math.pi / 2 - third,
        third - 0.1,
        0,
        0.2,
        math.pi - third,
    ]
    near(lib, geometry.folded(phi, 3), np.asarray(expected))
    first = lib.xp.asarray([0, 2, -1, 1])
    second = lib.xp.asarray([3, 0, 1, -1])
    assert lib.to_numpy(geometry.combined(first, second, 4)).tolist() == [3, 8, -1, -1]


def test_bin_means(lib: Any) -> None:
    frames = RNG.poisson(30000.0, (3, 6, 5)).astype("uint16")  # sums beyond 16 bits
    labels = RNG.integers(-1, 3, (6, 5))
    weights = RNG.uniform(0.5, 1.5, (6, 5))
    weights[1, 1], labels[1, 1] = 0.0, 0
    count = 4  # of which the last is empty
    plain, weighted = np.full((2, 3, count), np.nan)
    for k in range(3):
        mine = labels == k
        plain[:, k] = frames[:, mine].mean(axis=1)
        weighted[:, k] = np.average(frames[:, mine], axis=1, weights=weights[mine])
    ids = lib.asarray(labels)
    got = profiles.bin_means(lib.asarray(frames.astype(float)), ids, count)
    near(lib, got, plain)
    hurt = frames.astype(float)
    hurt[:, 1, 1] = np.nan  # a dead pixel
    got = profiles.bin_means(lib.asarray(hurt), ids, count, lib.asarray(weights))
    near(lib, got, weighted)
    mask = np.where(weights == 0, 0, 1)
    few = np.stack([f[mask == 1] for f in frames]), labels[mask == 1]
    kept = [few[0][:, few[1] == k].mean(axis=1) for k in range(3)]
    for kind in ("bool", "uint8"):  # in which 30000 photons are 1, or 48
        chosen = lib.asarray(mask.astype(kind), kind)
        got = profiles.bin_means(lib.asarray(hurt), ids, count, chosen)
        near(lib, got[:, :3], np.stack(kept, axis=1))
    if lib.library != "torch":  # which has hardly any uint16
        whole = profiles.bin_means(lib.asarray(frames, "uint16"), ids, count)
        np.testing.assert_allclose(lib.to_numpy(whole), plain, rtol=1e-6)


@pytest.mark.xp_skip({"dask": "a lazy array's values can't end a loop: NotSupported"})
def test_the_beam_is_found(lib: Any) -> None:
    """Centre and distance of points whose q is known, from a start 3 pixels and 5 % away."""
    points = RNG.uniform(0, 12, (60, 2)) * np.asarray([1.3, 1.0])
    radius = np.hypot(points[:, 0] - 7.2, points[:, 1] - 5.9) * 0.075
    q = 2 * DETECTOR.k * np.sin(np.arctan(radius / 900) / 2)
    start = Detector(center=(10.0, 4.0), pixel=0.075, distance=945.0)
    found = geometry.calibrate(start, lib.asarray(points), lib.asarray(q))
    near(lib, found.x, np.asarray([7.2, 5.9, 900 / 945]), rtol=1e-8, loose=1e-3)
    for some, theirs in ((points[:2], q[:2]), (points[:5], q[:6]), (points[:5, :1], q[:5])):
        with pytest.raises(ValueError, match=r"three points at least, \(n, 2\), each with its q"):
            geometry.calibrate(start, lib.asarray(some), lib.asarray(theirs))


# -- correlation -----------------------------------------------------------------------------------


def brute(frames: Any, lag: int, mine: Any) -> Any:
    a, b = frames[: len(frames) - lag, mine], frames[lag:, mine]
    return np.mean(a * b) / np.mean(a) / np.mean(b)


def test_g2_from_a_file(lib: Any, tmp_path: Path) -> None:
    """A memory map of uint16, in pieces that divide nothing, has the first level as by hand."""
    if lib.jit:
        return
    counts = RNG.poisson(3.0, (90, 4, 5)).astype("uint16")
    counts.tofile(tmp_path / "frames.raw")
    held = np.memmap(tmp_path / "frames.raw", "uint16", "r", shape=(90, 4, 5))
    labels = RNG.integers(-1, 2, (4, 5))
    ids = lib.asarray(labels)
    lags, g2 = correlation.g2_from_file(held, ids, 2, channels=8, size=13)
    assert lib.to_numpy(lags).tolist() == [*range(8), 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56]
    exact = counts.astype(float)
    expected = [[brute(exact, lag, labels == k) for k in range(2)] for lag in range(8)]
    np.testing.assert_allclose(
        lib.to_numpy(g2)[:8], expected, rtol=1e-12 if lib.to_numpy(g2).dtype == "float64" else 1e-5
    )


def test_statistics_of_two_times(lib: Any) -> None:
    frames = RNG.poisson(4.0, (9, 30)) + 1.0
    c = lib.to_numpy(twotime(lib.asarray(frames)))
    mean = frames.mean(axis=1)
    direct = (frames[:, None] * frames).mean(axis=2) / mean[:, None] / mean
    tolerance = 1e-12 if c.dtype == "float64" else 1e-5
    np.testing.assert_allclose(c, direct, rtol=tolerance)

    stored = np.triu(RNG.normal(size=(2, 7, 7)) + 3)
    whole = stored + np.triu(stored, 1).swapaxes(1, 2)
    near(lib, correlation.whole_matrix(lib.asarray(stored)), whole)
    fixed = whole.copy()
    for each in fixed:
        for i in range(7):
            each[i, i] = np.mean([each[i, j] for j in (i - 1, i + 1) if 0 <= j < 7])
    near(lib, correlation.without_shot_noise(lib.asarray(whole)), fixed)
    got = correlation.statistics(lib.asarray(fixed))
    near(lib, got.mean, fixed.mean(axis=(1, 2)))
    near(lib, got.std, fixed.std(axis=(1, 2)))
    near(lib, got.median, np.median(fixed, axis=(1, 2)))
    near(lib, got.trace, np.trace(fixed, axis1=1, axis2=2))


def test_missing_frames_are_said() -> None:
    correlation.check_frames(np.asarray([5, 6, 7]))
    with pytest.raises(ArgumentError, match="after frame 7 comes frame 9"):
        correlation.check_frames(np.asarray([5, 6, 7, 9, 10]))


def test_units_are_looked_at() -> None:
    with pytest.raises(ArgumentError, match="must both be in mm; a distance of 66.7 pixels"):
        Detector(distance=5.0, pixel=0.075)  # a distance in m
    with pytest.raises(ArgumentError, match="6.67e.07 pixels"):
        Detector(distance=5000.0, pixel=75e-6)  # pixels in m


# -- fits ------------------------------------------------------------------------------------------


def test_fits_at_all_q(lib: Any) -> None:
    """X5 in small, against SciPy's fits of one q after another."""
    t = np.logspace(-4, 2, 50)
    tau = np.asarray([0.5, 1.0, 3.0, 20.0])
    g2 = 1 + 0.3 * np.exp(-2 * t / tau[:, None]) + RNG.normal(0, 0.01, (4, 50))

    def model(t: Any, tau: Any, baseline: Any, contrast: Any) -> Any:
        return baseline + contrast * np.exp(-2 * t / tau)

    bounds = ([1e-6, 0, 0], [1e6, 2, 1])
    expected = [
        scipy.optimize.curve_fit(
            model, t, y, (1, 1, 0.3), bounds=bounds, ftol=1e-15, xtol=1e-15, gtol=1e-15
        )
        for y in g2
    ]
    fit = relaxation.fit_g2(lib.asarray(t), lib.asarray(g2))
    assert bool(lib.xp.all(fit.success))
    near(lib, fit.popt[:, :3], np.stack([p for p, _ in expected]), rtol=1e-6, loose=2e-2)
    errors = np.stack([np.sqrt(np.diag(c)) for _, c in expected])
    pcov = lib.to_numpy(fit.pcov)[:, :3, :3]
    np.testing.assert_allclose(
        np.sqrt(np.diagonal(pcov, axis1=1, axis2=2)), errors, rtol=1e-4 if lib.has_float64 else 0.1
    )


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_fits_begin_among_the_delays(lib: Any, unit: float) -> None:
    """In whatever unit times are: from 1 s, a fit of a time of hours would end where it began."""
    t = np.logspace(-1, 1, 12) * unit
    fit = relaxation.fit_g2(lib.asarray(t), lib.asarray(1 + 0.3 * np.exp(-2 * t / unit)))
    near(lib, fit.popt[:3], np.asarray([unit, 1.0, 0.3]), rtol=1e-6, loose=1e-3)


def test_a_stretched_exponential(lib: Any) -> None:
    t = np.logspace(-2, 2, 40)
    g2 = 1.02 + 0.25 * np.exp(-2 * (t / 2.5) ** np.asarray([[0.6], [1.4]]))
    fit = relaxation.fit_g2(lib.asarray(t), lib.asarray(g2), simple=False)
    expected = [[2.5, 1.02, 0.25, 0.6], [2.5, 1.02, 0.25, 1.4]]
    near(lib, fit.popt, np.asarray(expected), rtol=1e-6, loose=1e-3)


def test_diffusion_is_a_weighted_slope(lib: Any) -> None:
    q = np.linspace(1e-3, 4e-3, 6)
    rate = 2.0e4 * q**2 * (1 + RNG.normal(0, 0.01, 6))
    spread = np.full(6, 0.01) * (1 + np.arange(6)) / rate
    got = relaxation.diffusion(*(lib.asarray(x) for x in (q, 1 / rate, spread)))
    sigma = spread * rate**2
    fit, cov = (
        np.linalg.lstsq((q**2 / sigma)[:, None], rate / sigma)[0],
        1 / np.sum((q**2 / sigma) ** 2),
    )
    near(lib, got.value, fit[0], rtol=1e-10, loose=1e-4)
    near(lib, got.error, np.sqrt(cov), rtol=1e-10, loose=1e-4)


# -- errors, runs, light over time, files ----------------------------------------------------------

HALVES = np.where(np.arange(12) < 6, 0, 1) * np.ones((10, 1), dtype=int)


def gained(runs: int, frames: int) -> tuple[Any, Any]:
    """Uncorrelated counts of pixels whose gains are 0.6 to 1.4."""
    rng = np.random.default_rng(8)
    gain = rng.uniform(0.6, 1.4, HALVES.shape)
    return rng.poisson(200 * gain, (runs, frames, *HALVES.shape)).astype("uint16"), gain


def test_normalised_by_pixel_gains_cancel(lib: Any) -> None:
    """By ring, gains are taken for correlation: 1 + var(gain) / mean(gain)**2 where 1 is right."""
    if lib.jit:
        return
    (counts,), gain = gained(1, 90)
    labels = HALVES.copy()
    labels[3, 4] = -1
    counts[:, 2, 2] = 0  # without any count it is left out
    ids = lib.asarray(labels)
    lags, g2 = correlation.g2_by_pixel(counts, ids, 2, channels=8, rows=3)
    assert lib.to_numpy(lags).tolist()[:8] == [*range(8)]
    exact = counts.astype(float)
    value, error = lib.to_numpy(g2.value), lib.to_numpy(g2.error)
    assert value.shape == error.shape == (len(lib.to_numpy(lags)), 2)
    tol = 1e-10 if value.dtype == "float64" else 2e-5
    for k in range(2):
        mine = [(i, j) for i, j in np.argwhere(labels == k) if (i, j) != (2, 2)]
        for lag in (1, 5):
            each = [brute(exact[:, i, j][:, None], lag, np.ones(1, bool)) for i, j in mine]
            np.testing.assert_allclose(value[lag, k], np.mean(each), rtol=tol)
            spread = np.std(each, ddof=1) / len(each) ** 0.5
            np.testing.assert_allclose(error[lag, k], spread, rtol=1e-6 if tol < 1e-9 else 0.02)
    assert np.all(np.abs(value[1:4] - 1) < 5 * error[1:4])
    whole = lib.to_numpy(correlation.g2_from_file(counts, ids, 2, channels=8)[1])
    wrong = [1 + np.var(gain[labels == k]) / np.mean(gain[labels == k]) ** 2 for k in range(2)]
    assert min(wrong) > 1.03
    np.testing.assert_allclose(whole[1, 1], wrong[1], atol=3e-3)


def test_errors_are_what_repeated_runs_scatter_by() -> None:
    runs, gain = gained(60, 64)
    found = [correlation.g2_by_pixel(run, HALVES, 2, channels=8)[1] for run in runs]
    said = np.mean([g2.error[1:8] for g2 in found])
    scatter = np.std([g2.value[1:8] for g2 in found], axis=0, ddof=1)
    assert abs(np.sqrt(np.mean(scatter**2)) / said - 1) < 0.1
    mean = correlation.over_runs(np.stack([g2.value for g2 in found]))
    np.testing.assert_allclose(mean.error[1:8], scatter / 60**0.5)
    for k in range(2):  # what a mean over few counts has to do with itself
        counts = 64 * 200 * gain[k == HALVES]
        off = mean.value[1:8, k] - 1 + np.mean(1 / counts)
        assert np.all(np.abs(off) < 4.5 * mean.error[1:8, k])


def test_averages_of_runs(lib: Any) -> None:
    curves = RNG.normal(size=(5, 4, 3))
    got = correlation.over_runs(lib.asarray(curves))
    near(lib, got.value, curves.mean(axis=0))
    near(lib, got.error, curves.std(axis=0, ddof=1) / 5**0.5)
    with pytest.raises(ArgumentError, match="two runs at least, got 1"):
        correlation.over_runs(lib.asarray(curves[:1]))


def test_fits_weighted_by_errors(lib: Any) -> None:
    """Against SciPy; the errors of parameters are those of the points, not of the misfit."""
    t, tau = np.logspace(-2, 1, 24), np.asarray([0.5, 2.0])
    sigma = 0.002 * (1 + np.arange(24)) * np.ones((2, 1))
    g2 = 1 + 0.3 * np.exp(-2 * t / tau[:, None]) + sigma * RNG.normal(size=(2, 24))
    given = [lib.asarray(a) for a in (t, g2)]
    options = {"sigma": lib.asarray(sigma), "absolute_sigma": True}
    fit = relaxation.fit_g2(*given, **options)
    spread = lib.to_numpy(fit.pcov)[:, :3, :3]
    for k in range(2):
        expected, pcov = scipy.optimize.curve_fit(
            lambda t, tau, b, c: b + c * np.exp(-2 * t / tau),
            t,
            g2[k],
            (1, 1, 0.3),
            sigma[k],
            True,
            ftol=1e-14,
            xtol=1e-14,
        )
        near(lib, fit.popt[k, :3], expected, rtol=1e-5, loose=2e-2)
        np.testing.assert_allclose(spread[k], pcov, rtol=1e-3 if lib.has_float64 else 0.1)


def test_two_modes(lib: Any) -> None:
    t = np.logspace(-3, 2, 60)
    expected = np.asarray([[0.2, 5.0, 0.4, 1.0, 0.3], [0.05, 1.0, 0.7, 1.01, 0.25]])
    g2 = np.stack(
        [
            p[3] + p[4] * (p[2] * np.exp(-t / p[0]) + (1 - p[2]) * np.exp(-t / p[1])) ** 2
            for p in expected
        ]
    )
    fit = relaxation.fit_two_modes(lib.asarray(t), lib.asarray(g2))
    near(lib, relaxation.sorted_modes(fit.popt), expected, rtol=1e-6, loose=5e-3)
    turned = expected[:, [1, 0, 2, 3, 4]] * [1, 1, -1, 1, 1] + [0, 0, 1, 0, 0]
    near(lib, relaxation.sorted_modes(lib.asarray(turned)), expected)


def test_light_over_time_and_its_spectrum(lib: Any) -> None:
    """A beam that flickers by a tenth at 12.5 Hz: the line there, whose area is its variance."""
    if lib.jit or not lib.has_extensions:
        return
    n, between = 512, 0.01
    beam = 1 + 0.1 * np.sin(2 * np.pi * 12.5 * between * np.arange(n))
    frames = np.round(1000 * beam[:, None, None] * np.asarray([[1.0, 2.0, 3.0]])).astype("uint16")
    labels = lib.asarray(np.asarray([[0, 0, 1]]))
    light = profiles.over_time(frames, labels, 2, size=100)
    assert tuple(light.shape) == (n, 2) and likewise.library(light) == lib.library
    exact = np.stack([frames[:, 0, :2].mean(axis=1), frames[:, 0, 2]], axis=1)
    np.testing.assert_allclose(lib.to_numpy(light), exact, rtol=1e-6)
    f, density = profiles.spectrum(lib.asarray(exact), between, segment=128)
    f, density = lib.to_numpy(f), lib.to_numpy(density)
    assert f[np.argmax(density[:, 0])] == pytest.approx(12.5)
    np.testing.assert_allclose(density.sum(axis=0) * f[1], 0.005, rtol=1e-2)
    theirs = scipy.signal.welch(exact / exact.mean(axis=0) - 1, 1 / between, nperseg=128, axis=0)
    np.testing.assert_allclose(f, theirs[0], rtol=1e-6)
    np.testing.assert_allclose(density, theirs[1], rtol=1e-4, atol=1e-6 * theirs[1].max())


@pytest.mark.needs("h5py")
def test_results_in_a_file(lib: Any, tmp_path: Path) -> None:
    """NXxpcs's names, and back on every library."""
    import h5py
    from xpcs import results

    g2 = correlation.Averaged(RNG.normal(size=(5, 3)), RNG.uniform(size=(5, 3)))
    lags, q = np.asarray([0, 1, 2, 3, 4]), np.asarray([1e-3, 2e-3, 3e-3])
    labels = RNG.integers(-1, 3, (4, 6))
    given = correlation.Averaged(lib.asarray(g2.value), lib.asarray(g2.error))
    path = tmp_path / "run.hdf"
    results.save(
        path,
        lib.xp.asarray(lags),
        given,
        lib.asarray(q),
        0.01,
        DETECTOR,
        lib.asarray(labels),
        name="run 7",
        intensity=lib.asarray(np.ones(9)),
    )
    with h5py.File(path) as file:
        kinds = {
            name: file[name].attrs["NX_class"]
            for name in (
                "entry",
                "entry/data",
                "entry/instrument",
                "entry/instrument/incident_beam",
                "entry/instrument/detector",
                "entry/instrument/masks",
            )
        }
        assert [*kinds.values()] == ("NXentry NXdata NXinstrument NXbeam NXdetector NXnote".split())
        assert file["entry/definition"].asstr()[()] == "NXxpcs"
        assert file["entry/entry_identifier"].asstr()[()] == "run 7"
        assert file[file.attrs["default"]].attrs["default"] == "data"
        data = file["entry/data"]
        assert data.attrs["signal"] == "g2" and data["g2"].attrs["storage_mode"] == "one_array"
        assert set(data) == {"g2", "g2_derr", "delay_difference", "frame_average"}
        flat = file["entry/instrument/detector"]
        assert flat["beam_center_x"][()] == pytest.approx(5.9 * 0.075)  # the column
        assert flat["distance"].attrs["units"] == "mm" and flat["frame_time"][()] == 0.01
        assert file["entry/instrument/incident_beam/incident_energy"][()] == 10.0
        np.testing.assert_array_equal(file["entry/instrument/masks/dynamic_roi_map"], labels + 1)
    got_lags, got, got_q, between = results.load(path, lib.asarray(q))
    assert lib.to_numpy(got_lags).tolist() == lags.tolist() and between == 0.01
    near(lib, got.value, g2.value, 1e-15, 1e-6)
    near(lib, got.error, g2.error, 1e-15, 1e-6)
    near(lib, got_q, q, 1e-15, 1e-6)
    with h5py.File(path, "a") as file:
        del file["entry/definition"]
        file["entry/definition"] = "NXcanSAS"
    with pytest.raises(ValueError, match="has entries of NXcanSAS, expected NXxpcs"):
        results.load(path, lib.asarray(q))


# -- all of it -------------------------------------------------------------------------------------


@functools.cache
def movie(side: int, frames: int) -> tuple[Detector, Any, float]:
    """Frames whose D is 1 per 1/Angstrom^2, and the time between two."""
    detector = Detector(center=(side / 2, side / 2), distance=900.0)
    q = geometry.q_map(detector, (side, side), np.ones(1))["q"]
    between = float(0.25 / q[side // 2, 0] ** 2)
    return (
        detector,
        np.stack([*speckle.brownian(np.random.default_rng(5), q, frames, between)]),
        between,
    )


def test_speckle_obeys_siegert() -> None:
    """Mean, contrast and memory of the frames themselves, of pixels with one rate."""
    q, memory = np.ones((60, 60)), math.exp(-2 * 0.2)
    frames = np.stack([*speckle.brownian(np.random.default_rng(1), q, 200, 0.2, photons=5.0)])
    assert frames.dtype == np.uint16
    x = frames.astype(float)
    assert abs(x.mean() - 5) < 0.05
    assert abs(np.mean(x**2) / 25 - (1.5 + 1 / 5)) < 0.02  # shot noise on top
    for lag in (1, 3):
        g2 = np.mean(x[:-lag] * x[lag:]) / x[:-lag].mean() / x[lag:].mean()
        assert abs(g2 - (1 + 0.5 * memory**lag)) < 0.01


def diffusion_of(lib: Any, side: int, frames: int, bins: int) -> tuple[Any, Any]:
    """Return D with its error, and each bin's by itself."""
    detector, counts, between = movie(side, frames)
    one = lib.asarray(np.ones(1))
    q = geometry.q_map(detector, (side, side), one)["q"]
    top = float(q[side // 2, 0])
    labels = geometry.partition(q, geometry.bin_edges(top / 4, top, bins, one))
    squares = profiles.bin_means((q**2)[None, ...], labels, bins)[0, :]
    lags, g2 = correlation.g2_from_file(counts, labels, bins, size=256)
    t = lib.xp.astype(lags[1:], q.dtype) * between
    start = (4 / top**2, 1.0, 0.5, 1.0)
    fit = relaxation.fit_g2(t, g2[1:, :].T, start=start)
    tau, spread = fit.popt[:, 0], lib.xp.sqrt(fit.pcov[:, 0, 0])
    found = relaxation.diffusion(lib.xp.sqrt(squares), tau, spread)
    return found, 1 / (tau * squares)


def test_diffusion_of_brownian_speckle(lib: Any) -> None:
    """Few pixels and frames: 10 % on every library."""
    if lib.jit or not lib.has_float64:
        return
    found, _ = diffusion_of(lib, 32, 200, 6)
    assert abs(float(found.value) - 1) < 0.1


@pytest.mark.full
def test_diffusion_within_two_percent_over_36_q() -> None:
    found, each = diffusion_of(Variant("numpy", "NumPy"), 192, 1000, 36)
    assert abs(float(found.value) - 1) < 0.02
    assert np.median(np.abs(each - 1)) < 0.02


MEMBERS = """name supports_gpu supports_jit supports_grad pi zeros ones arange linspace logspace meshgrid
zeros_like ones_like full array sin cos arctan arctan2 hypot deg2rad rad2deg mod floor ceil round mean
std nanmean nanmin nanmax percentile sum min max digitize bincount unique logical_and logical_or
logical_not where nonzero isnan isfinite clip stack concatenate copy reshape transpose flatten exp log
log10 sqrt abs power to_numpy from_numpy astype jit grad value_and_grad vmap scan fori_loop""".split()


def test_each_member_of_a_backend_has_its_line() -> None:
    """The page's lines themselves run as doctests."""
    page = Path(__file__).parents[2] / "docs" / "examples" / "xpcs-migration.md"
    shown = set(re.findall(r"backend\.(\w+)", page.read_text("utf-8")))
    assert set(MEMBERS) - shown == set()
