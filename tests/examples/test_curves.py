"""The example of curves and tables: baselines, mirrors, a law inside a network, on every library."""

from typing import Any

import numpy as np
import pytest
from curves import mirrors, spectrum
from scipy.integrate import trapezoid
from scipy.interpolate import make_smoothing_spline
from scipy.special import ellipk

from likewise.transforms import jvp

ANGLES = 2 * np.pi * np.arange(16) / 16


def by_scipy(x: np.ndarray, y: np.ndarray, log_lam: float) -> list[float]:
    """The same areas by SciPy's splines."""
    weights = np.ones_like(y)
    for _ in range(12):
        curve = make_smoothing_spline(x, y, weights, lam=np.exp(log_lam))(x)
        weights = np.where(curve < y - 0.15, 0.002, 1.0)
    near = [abs(x - place) < 5 * width for place, width, _ in spectrum.LINES]
    return [trapezoid(np.where(k, y - curve, 0.0), x=x) for k in near]


def test_areas_of_lines(lib: Any) -> None:
    """SciPy's splines in the same loop give the same, and the truth isn't far."""
    x, y, _ = spectrum.measured(np.random.default_rng(0), 100, 0.05)
    found = spectrum.areas(lib.asarray(x), lib.asarray(y), lib.asarray(np.asarray(7.0)))
    found = lib.to_numpy(found)
    np.testing.assert_allclose(found, by_scipy(x, y, 7.0), rtol=1e-8 if lib.has_float64 else 1e-3)
    np.testing.assert_allclose(found, [area for *_, area in spectrum.LINES], atol=0.6)


def test_areas_by_smoothing(lib: Any) -> None:
    """Derivatives with respect to the smoothing are those of differences of SciPy's."""
    x, y, _ = spectrum.measured(np.random.default_rng(0), 60, 0.05)
    given = [lib.asarray(v) for v in (x, y, np.asarray(5.0))]
    along = [lib.asarray(v) for v in (0 * x, 0 * y, np.asarray(1.0))]
    _, slopes = jvp(spectrum.areas, tuple(given), tuple(along))
    up, down = (np.asarray(by_scipy(x, y, 5.0 + h)) for h in (1e-4, -1e-4))
    tolerance = 1e-4 if lib.has_float64 else 3e-2
    np.testing.assert_allclose(
        lib.to_numpy(slopes), (up - down) / 2e-4, rtol=tolerance, atol=tolerance / 10
    )


def test_times_between_mirrors(lib: Any) -> None:
    """One ripple: an elliptic integral."""
    if not lib.has_extensions:
        return
    ripple, level = 0.3, np.asarray(1.1)
    strength = np.broadcast_to(1 - ripple * np.cos(ANGLES), (16, 16)).copy()
    field = mirrors.along(lib.asarray(strength), lib.asarray(np.asarray([0.0, 1.0])), 0.6, 129, 2)
    left, right = mirrors.wells(field, lib.asarray(level), 3)
    found = lib.to_numpy(mirrors.times(field, left, right, lib.asarray(level)))
    turning = np.arccos((1 - level) / ripple)
    exact = np.sqrt(8 * level / ripple) * ellipk(np.sin(turning / 2) ** 2)
    np.testing.assert_allclose(found[:, :2], exact, rtol=1e-5 if lib.has_float64 else 3e-3)
    assert np.all(np.isnan(found[:, 2]))


@pytest.mark.needs("torch")
def test_a_law_inside_a_network() -> None:
    """The loss falls, and its derivative goes through the table."""
    import torch
    from curves import table

    from likewise.interpolate import RegularGridInterpolator

    torch.manual_seed(0)
    axes, values = table.tabulated(8)
    law = RegularGridInterpolator(axes, values, method="cubic")
    places = 1.6 * torch.rand(20, 2, dtype=torch.float64) - 0.8
    assert torch.autograd.gradcheck(law, (places.requires_grad_(),))
    seen = law(places).detach()
    losses = table.train(table.Inverse(8), law, seen, 15)
    assert losses[-1] < losses[0] / 2
