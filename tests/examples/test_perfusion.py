"""The example of perfusion MRI, against truth, SciPy and closed forms, on every library."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from perfusion import flow, images, kinetics, labelling, motion, phantom, relaxation

import likewise

RNG = np.random.default_rng(3)
LOOSE = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6}


def same_place(lib: Any, *results: Any) -> None:
    """Results are of the variant's library and dtype, on its device."""
    for result in results:
        assert likewise.library(result) == lib.library
        assert likewise.device(result) == likewise.device(lib.asarray([1.0]))
        name = "float64" if lib.has_float64 else "float32"
        assert lib.to_numpy(result).dtype == name


# -- formulas --------------------------------------------------------------------------------------


def test_population_input_by_scipys_distributions(lib: Any) -> None:
    """Table 1 of the paper, by other functions; nothing before the injection."""
    t = np.linspace(-0.5, 6.0, 79)
    out = kinetics.parker(lib.asarray(t))
    same_place(lib, out)
    blood = 0.809 * scipy.stats.norm.pdf(t, 0.17046, 0.0563)
    blood = blood + 0.330 * scipy.stats.norm.pdf(t, 0.365, 0.132)
    blood = blood + 1.050 * np.exp(-0.1685 * t) * scipy.special.expit(38.078 * (t - 0.483))
    expected = np.where(t > 0, blood / 0.58, 0.0)
    tolerance = 1e-12 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(lib.to_numpy(out), expected, atol=tolerance, rtol=tolerance)


def test_tofts_in_closed_form(lib: Any) -> None:
    """An input that starts at its peak: the rectangle rule is wrong by a third, this by a percent."""
    t = np.linspace(0.0, 300.0, 31) / 60  # every 10 s
    aif, ktrans, ve = 2 * np.exp(-t), 0.1, 0.2
    rate = ktrans / ve
    truth = ktrans * 2 * (np.exp(-rate * t) - np.exp(-t)) / (1 - rate)
    x = lib.asarray(np.stack([t, aif]))
    out = kinetics.tofts(x, lib.asarray(ktrans), lib.asarray(ve))
    same_place(lib, out)
    assert np.max(np.abs(lib.to_numpy(out) - truth)) < 0.003 * np.max(truth)
    rectangles = ktrans * t[1] * np.convolve(aif, np.exp(-rate * t))[:31]
    assert np.max(np.abs(rectangles - truth)) > 0.3 * np.max(truth)
    more = kinetics.extended_tofts(x, *(lib.asarray(v) for v in (ktrans, ve, 0.05)))
    np.testing.assert_allclose(
        lib.to_numpy(more - out), 0.05 * aif, atol=1e-12 if lib.has_float64 else 1e-6
    )


def test_tofts_by_quadrature(lib: Any) -> None:
    """Frames at uneven distances."""
    t = np.asarray([0.0, 0.1, 0.25, 0.3, 0.7, 1.5])
    aif = kinetics.parker(t)
    out = kinetics.tofts(lib.asarray(np.stack([t, aif])), lib.asarray(0.2), lib.asarray(0.4))
    expected = [
        scipy.integrate.quad(
            lambda s, end=end: 0.2 * np.interp(s, t, aif) * np.exp(-0.5 * (end - s)),
            0,
            end,
            points=t[(t > 0) & (t < end)],
        )[0]
        for end in t[1:]
    ]
    rtol = 1e-9 if lib.has_float64 else 1e-4
    np.testing.assert_allclose(lib.to_numpy(out)[1:], expected, rtol=rtol)


def test_concentration_undoes_the_signal(lib: Any) -> None:
    t1 = np.asarray([0.8, 1.5])
    truth = np.stack([np.zeros(6), np.linspace(0, 5, 6)], axis=0)
    truth[:, :2] = 0.0
    now = 1 / (1 / t1[:, None] + relaxation.RELAXIVITY * truth)
    left = np.exp(-0.005 / now)
    signal = 900 * np.sin(0.3) * (1 - left) / (1 - np.cos(0.3) * left)
    out = relaxation.concentration(lib.asarray(signal), lib.asarray(t1), 0.3, 0.005, 2)
    same_place(lib, out)
    atol = 1e-9 if lib.has_float64 else 5e-3
    np.testing.assert_allclose(lib.to_numpy(out), truth, atol=atol)


def test_a_signal_beyond_all_concentrations(lib: Any) -> None:
    """The brighter, the more agent: also where no T1 is short enough for it."""
    signal = np.ones((1, 6))
    signal[0, 2:] = 10.0, 20.0, 30.0, 100.0
    out = relaxation.concentration(lib.asarray(signal), lib.asarray(np.ones(1)), 0.35, 0.005, 2)
    found = lib.to_numpy(out)[0, 1:]
    assert np.all(np.diff(found) >= 0) and found[-1] > found[1] > 1


# -- images ----------------------------------------------------------------------------------------

MASK = np.asarray([[[True], [False]], [[True], [True]]])


def test_t1_map(lib: Any) -> None:
    """Without noise as exact as the dtype; NaN outside of the mask."""
    t1, m0 = np.asarray([0.5, 1.0, 2.0]), np.asarray([800.0, 1000.0, 1200.0])
    left = np.exp(-0.005 / t1[:, None])
    angles = np.radians([2.0, 5.0, 10.0, 15.0, 25.0])
    data = np.zeros((2, 2, 1, 5))
    data[MASK] = m0[:, None] * np.sin(angles) * (1 - left) / (1 - np.cos(angles) * left)
    model = relaxation.t1_model(lib.asarray(angles), 0.005)
    maps, fit = images.fit_image(model, lib.asarray(data), MASK)
    assert set(maps) == {"T1", "M0", "R2"} and bool(np.all(lib.to_numpy(fit.success)))
    same_place(lib, *maps.values())
    rtol = 1e-8 if lib.has_float64 else 5e-3
    for name, truth in (("T1", t1), ("M0", m0), ("R2", np.ones(3))):
        found = lib.to_numpy(maps[name])
        assert found.shape == MASK.shape and np.isnan(found[~MASK]).all()
        np.testing.assert_allclose(found[MASK], truth, rtol=rtol)


@pytest.mark.parametrize("extended", [False, True])
def test_kinetic_maps(lib: Any, extended: bool) -> None:
    """Curves by SciPy's quadrature-free closed form of an exponential input, on a fine grid."""
    t = np.linspace(0.0, 5.0, 101)
    aif = 4 * np.exp(-t)
    ktrans, ve = np.asarray([0.05, 0.2, 0.3]), np.asarray([0.2, 0.3, 0.5])
    vp = np.asarray([0.02, 0.05, 0.08]) * extended
    rate = (ktrans / ve)[:, None]
    curves = 4 * ktrans[:, None] * (np.exp(-rate * t) - np.exp(-t)) / (1 - rate)
    data = np.zeros((2, 2, 1, 101))
    data[MASK] = curves + vp[:, None] * aif
    make = kinetics.extended_tofts_model if extended else kinetics.tofts_model
    model = make(lib.asarray(t), lib.asarray(aif))
    maps, _ = images.fit_image(model, lib.asarray(data), MASK, **LOOSE)
    same_place(lib, *maps.values())
    for name, truth in zip(model.names, (ktrans, ve, vp), strict=False):
        np.testing.assert_allclose(lib.to_numpy(maps[name])[MASK], truth, rtol=5e-3)
    assert np.all(lib.to_numpy(maps["R2"])[MASK] > 0.9999)


def test_voxels_that_fail(lib: Any) -> None:
    """NaN is a status and NaN in its voxel, or left out of the fit; the others stay as they are."""
    angles = np.radians([2.0, 5.0, 10.0, 15.0, 25.0])
    left = np.exp(-0.005 / np.asarray([0.5, 1.0, 2.0]))[:, None]
    data = np.zeros((2, 2, 1, 5))
    data[MASK] = 900 * np.sin(angles) * (1 - left) / (1 - np.cos(angles) * left)
    data[1, 0, 0, 3] = np.nan
    model = relaxation.t1_model(lib.asarray(angles), 0.005)
    maps, fit = images.fit_image(model, lib.asarray(data), MASK)
    np.testing.assert_array_equal(lib.to_numpy(fit.status)[1], -1)
    rtol = 1e-8 if lib.has_float64 else 5e-3
    found = lib.to_numpy(maps["T1"])[MASK]
    np.testing.assert_allclose(found, [0.5, np.nan, 2.0], rtol=rtol)
    maps, _ = images.fit_image(model, lib.asarray(data), MASK, nan_policy="omit")
    np.testing.assert_allclose(lib.to_numpy(maps["T1"])[MASK], [0.5, 1.0, 2.0], rtol=rtol)


def test_a_mask_of_another_library(lib: Any) -> None:
    values = lib.asarray(np.arange(8.0).reshape(2, 2, 1, 2))
    mask = lib.xp.asarray(MASK)
    back = images.outside(images.inside(values, mask), mask)
    expected = np.where(MASK[..., None], np.arange(8.0).reshape(2, 2, 1, 2), np.nan)
    np.testing.assert_array_equal(lib.to_numpy(back), expected)


def test_a_mask_of_other_images() -> None:
    model = relaxation.t1_model(phantom.ANGLES, 0.005)
    with pytest.raises(ValueError, match=r"mask of shape \(2, 2, 1\) doesn't fit"):
        images.fit_image(model, np.ones((2, 3, 1, 6)), MASK)


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_a_mask_with_nan(lib: Any, kind: str) -> None:
    """NumPy takes NaN for chosen."""
    mask = MASK.astype(kind)
    mask[0, 0, 0] = np.nan
    curves = np.ones((*MASK.shape, 6))
    with pytest.raises(ValueError, match="mask has NaN in 1 of 4 voxels: write 1 in the voxels"):
        images.inside(lib.asarray(curves), mask)
    with pytest.raises(ValueError, match="mask has NaN in 1 of 4 voxels"):
        images.fit_image(relaxation.t1_model(phantom.ANGLES, 0.005), curves, mask)


def test_models_need_no_files() -> None:
    """They are imported, and fit, where nibabel isn't installed."""
    code = """
import sys
sys.modules["nibabel"] = None  # as if it weren't there
import numpy as np
from perfusion import flow, images, kinetics, labelling, motion, relaxation
t = np.linspace(0, 5, 40)
aif = kinetics.parker(t)
curve = kinetics.tofts(np.stack([t, aif]), np.asarray(0.2), np.asarray(0.3))
maps, fit = images.fit_image(kinetics.tofts_model(t, aif), curve[None, :], np.ones(1))
print(maps["Ktrans"].round(6), maps["ve"].round(6))
"""
    run = [sys.executable, "-c", code]
    path = str(Path(kinetics.__file__).parents[1])
    done = subprocess.run(run, cwd=path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0.2] [0.3]"


def test_each_voxel_has_the_input_of_its_region(lib: Any) -> None:
    t = np.linspace(0, 5, 60)
    inputs = np.stack([kinetics.parker(t - 0.3), 0.7 * kinetics.parker(t - 0.8)])
    regions, mask = np.asarray([[0, 1, 1], [1, 0, 0]]), np.asarray([[1, 1, 0], [1, 1, 1]])
    truth = RNG.uniform(0.05, 0.3, (2, 3)), RNG.uniform(0.2, 0.5, (2, 3))
    curves = np.stack(
        [
            [
                kinetics.tofts(np.stack([t, inputs[regions[i, j]]]), truth[0][i, j], truth[1][i, j])
                for j in range(3)
            ]
            for i in range(2)
        ]
    )
    own = kinetics.by_region(lib.asarray(inputs), lib.asarray(regions), mask)
    same_place(lib, own)
    assert tuple(own.shape) == (5, 60)
    maps, _ = images.fit_image(kinetics.tofts_model(lib.asarray(t), own), lib.asarray(curves), mask)
    for name, values in zip(("Ktrans", "ve"), truth, strict=True):
        expected = np.where(mask == 1, values, np.nan)
        rtol = 1e-5 if lib.has_float64 else 1e-2
        np.testing.assert_allclose(lib.to_numpy(maps[name]), expected, rtol=rtol)
    with_vessel = np.concat([curves, np.broadcast_to(0.58 * inputs[0], (1, 3, 60))])
    vessel = np.asarray([[0, 0, 0], [0, 0, 0], [1, 1, 1]])
    found = kinetics.arterial(lib.asarray(with_vessel), vessel)
    near = 1e-12 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(lib.to_numpy(found), inputs[0], rtol=near, atol=near)


def test_a_label_by_quadrature(lib: Any) -> None:
    """Buxton's model as the convolution that it is: delivery, residue and relaxation."""
    t, flow_, delay, duration = np.linspace(0.2, 5, 25), 0.011, 0.9, 1.8
    rate = 1 / labelling.T1 + flow_ / labelling.PARTITION
    arrival = np.exp(-delay / labelling.T1_BLOOD)

    def at(time: float) -> float:
        first, last = delay, min(time, delay + duration)
        if last <= first:
            return 0.0
        area = scipy.integrate.quad(lambda u: np.exp(-rate * (time - u)), first, last)[0]
        return float(2 * 0.85 * flow_ * arrival * area)

    out = labelling.labelled(
        lib.asarray(t), lib.asarray(flow_), lib.asarray(delay), duration=1.8, efficiency=0.85
    )
    same_place(lib, out)
    expected = [at(time) for time in t]
    near = 1e-10 if lib.has_float64 else 2e-5
    np.testing.assert_allclose(lib.to_numpy(out), expected, rtol=near, atol=near * max(expected))


@pytest.mark.parametrize("name", ["label", "motion"])
def test_maps_of_labels_and_of_motion(lib: Any, name: str) -> None:
    """Parameters come back from curves without noise."""
    if name == "label":
        x = np.asarray([2.05, 2.3, 2.55, 2.8, 3.05, 3.3, 3.8, 4.3])
        model = labelling.labelled_model(lib.asarray(x))
        truth = [np.asarray([60.0, 20.0, 90.0]), np.asarray([0.7, 1.3, 1.1])]
        curves = np.stack(
            [
                labelling.labelled(x, f / 6000, d, duration=1.8, efficiency=0.85)
                for f, d in zip(*truth, strict=True)
            ]
        )
    else:
        x = np.asarray([0, 10, 20, 40, 80, 120, 200, 400, 600, 800.0])
        model = motion.motion_model(lib.asarray(x))
        truth = [
            np.asarray(v)
            for v in ([1e3, 900.0, 1.0], [0.1, 0.05, 0.3], [20, 60.0, 15], [1, 0.7, 2])
        ]
        curves = np.stack(
            [
                s * (f * np.exp(-x * q / 1e3) + (1 - f) * np.exp(-x * d / 1e3))
                for s, f, q, d in zip(*truth, strict=True)
            ]
        )
    maps, fit = images.fit_image(model, lib.asarray(curves), np.ones(3))
    assert bool(lib.xp.all(fit.success))
    for key, values in zip(model.names, truth, strict=True):
        same_place(lib, maps[key])
        rtol = 1e-5 if lib.has_float64 else 0.03
        np.testing.assert_allclose(lib.to_numpy(maps[key]), values, rtol=rtol)


def test_flow_in_closed_form(lib: Any) -> None:
    """A residue that fades away, convolved by the sum that deconvolution undoes."""
    n, dt = 40, 1.0
    t = np.arange(n) * dt
    aif = phantom.bolus(t)
    residue = np.asarray([60.0, 20.0])[:, None] / 6000 * np.exp(-t / np.asarray([[5.0], [8.0]]))
    curves = np.stack([dt * np.convolve(aif, row)[:n] for row in residue])
    maps = flow.flow(lib.asarray(curves), lib.asarray(aif), dt, method="circulant", threshold=0.02)
    same_place(lib, *maps.values())
    np.testing.assert_allclose(lib.to_numpy(maps["CBF"]), [60.0, 20.0], rtol=0.1)
    areas = 100 * np.trapezoid(curves, dx=dt) / np.trapezoid(aif, dx=dt)
    np.testing.assert_allclose(lib.to_numpy(maps["CBV"]), areas, rtol=1e-5)
    np.testing.assert_allclose(
        lib.to_numpy(maps["MTT"]), 60 * areas / lib.to_numpy(maps["CBF"]), rtol=1e-5
    )


@pytest.mark.needs("nibabel")
def test_files(lib: Any, tmp_path: Path) -> None:
    """Out and in: numbers, sizes of voxels and frames, and masks."""
    import nibabel

    numbers = np.arange(24.0).reshape(2, 3, 2, 2) / 8  # exact in float32
    images.save(tmp_path / "a.nii.gz", lib.asarray(numbers), (2.0, 2.0, 5.0, 3.0))
    images.save(tmp_path / "mask.nii.gz", lib.asarray(numbers[..., 0] > 1))
    file = nibabel.load(tmp_path / "a.nii.gz")
    assert file.header.get_zooms() == (2.0, 2.0, 5.0, 3.0)
    assert file.header.get_xyzt_units() == ("mm", "sec")
    np.testing.assert_array_equal(file.affine, np.diag([2.0, 2.0, 5.0, 1.0]))
    back = images.load(tmp_path / "a.nii.gz", like=lib.asarray([1.0]), dtype="float32")
    assert likewise.library(back) == lib.library
    np.testing.assert_array_equal(lib.to_numpy(back), numbers.astype(np.float32))
    mask = images.load(tmp_path / "mask.nii.gz")
    assert mask.dtype == np.uint8
    np.testing.assert_array_equal(mask, numbers[..., 0] > 1)


@pytest.mark.needs("nibabel")
def test_maps_lie_where_the_scan_lies(tmp_path: Path) -> None:
    """The affine, oblique and off the origin, its codes, sides and units go from scan to map."""
    import nibabel

    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.asarray([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = turn * (2.0, 2.5, 5.0), (-90.0, 12.0, 7.0)
    scan = nibabel.Nifti1Image(np.ones((2, 3, 2, 4), dtype=np.float32), affine)
    scan.set_sform(affine, 1)
    scan.set_qform(affine, 1)
    scan.header.set_xyzt_units("mm", "msec")
    scan.header.set_zooms((2.0, 2.5, 5.0, 3000.0))
    nibabel.save(scan, tmp_path / "scan.nii")
    for name, shape in (("map.nii", (2, 3, 2)), ("frames.nii", (2, 3, 2, 4))):
        images.save(tmp_path / name, np.ones(shape), where=tmp_path / "scan.nii")
        file = nibabel.load(tmp_path / name)
        np.testing.assert_allclose(file.affine, affine, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(file.get_qform(), affine, rtol=1e-5, atol=1e-5)
        assert (int(file.header["sform_code"]), int(file.header["qform_code"])) == (1, 1)
        assert file.header.get_zooms() == (2.0, 2.5, 5.0, 3000.0)[: len(shape)]
        assert file.header.get_xyzt_units() == ("mm", "msec")
    with pytest.raises(ValueError, match=r"image of shape \(3, 3, 2\), voxels of \(2, 3, 2\)"):
        images.save(tmp_path / "b.nii", np.ones((3, 3, 2)), where=tmp_path / "scan.nii")


# -- from scans to maps ----------------------------------------------------------------------------


@pytest.mark.needs("nibabel")
def test_from_scans_to_maps() -> None:
    """The whole way, of a phantom whose curves were made on a grid ten times finer."""
    scans = phantom.scanned(size=10, slices=1, noise=0.1)
    truth, mask = scans.truth, scans.mask
    model = relaxation.t1_model(phantom.ANGLES, phantom.TR)
    maps, _ = images.fit_image(model, scans.flips, mask)
    np.testing.assert_allclose(maps["T1"][mask], truth["T1"][mask], rtol=0.02)
    tissue = relaxation.concentration(
        scans.frames, maps["T1"], phantom.ANGLE, phantom.TR, phantom.BEFORE
    )
    t = scans.times / 60
    aif = kinetics.parker(t - scans.times[phantom.BEFORE] / 60)
    model = kinetics.extended_tofts_model(t, aif)
    maps, fit = images.fit_image(model, tissue, mask, **LOOSE)
    assert np.all(fit.success)
    for name in model.names:
        np.testing.assert_allclose(np.nanmedian(maps[name] / truth[name]), 1.0, atol=0.02)
    # A model without plasma takes the plasma for leakage.
    wrong, _ = images.fit_image(kinetics.tofts_model(t, aif), tissue, mask, **LOOSE)
    assert np.nanmedian(wrong["Ktrans"] / truth["Ktrans"]) > 1.1
    # The longer the transit time, the less of the flow is lost to the threshold.
    found = flow.flow(scans.first_pass, scans.pass_aif, 1.5, method="oscillation")
    share = found["CBF"] / truth["CBF"]
    slow = truth["MTT"] == 10
    assert 0.7 < np.median(share[slow]) < 1.05 and np.all(share[mask] < 1.1)
    np.testing.assert_allclose(
        np.median(found["CBV"][slow]), np.median((truth["CBF"] * truth["MTT"] / 60)[slow]), rtol=0.1
    )


def test_one_seed_one_phantom() -> None:
    """Noise is likewise's own, from a key: the same numbers on every machine."""
    a, b = (phantom.scanned(size=4, slices=1, frames=12) for _ in range(2))
    np.testing.assert_array_equal(a.frames, b.frames)
    outside = a.frames[~a.mask]
    assert abs(float(np.std(outside)) - 5.0) < 1.0
