"""Fits that end where the data don't determine a parameter, and whether there is a way on."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize import curve_fit

B = np.asarray([0, 10, 20, 40, 80, 110, 140, 170, 200, 300, 400, 500, 600, 700, 800, 900]) / 1000


def ivim(b: Any, s: Any, f: Any, fast: Any, slow: Any) -> Any:
    xp = likewise.array_namespace(b, s)
    return s * (f * xp.exp(-b * fast) + (1 - f) * xp.exp(-b * slow))


def two_decays(b: Any, a: Any, k: Any, c: Any, m: Any) -> Any:
    xp = likewise.array_namespace(b, a)
    return a * xp.exp(-b * k) + c * xp.exp(-b * m)


def starts(rng: Any, count: int) -> Any:
    """Far from the solution by orders of magnitude; the rates in any order."""
    share = rng.uniform(size=count)
    size, fast, slow = (10 ** rng.uniform(-1, top, count) for top in (1, 2, 2))
    return np.stack([size, share, fast, slow], axis=1)


@pytest.mark.parametrize("seed", [10, 11])
def test_two_rates_that_met_part_again(seed: int, rng: Any) -> None:
    """Of 150 bad starts of which SciPy ends some twenty at a saddle, with success."""
    y = ivim(B, 1.0, 0.2, 20.0, 1.0) + 1e-6 * rng.normal(size=B.shape)
    p0 = starts(np.random.default_rng(seed), 150)
    found = curve_fit(ivim, B, np.tile(y, (150, 1)), p0, full_output=True)
    assert np.all(found.success)
    np.testing.assert_allclose(found.rss, np.min(found.rss), rtol=1e-3)
    swapped = found.popt[:, 2:3] < found.popt[:, 3:]
    share = np.where(swapped[:, 0], 1 - found.popt[:, 1], found.popt[:, 1])
    np.testing.assert_allclose(share, 0.2, rtol=1e-3)


def at_saddle() -> tuple[Any, Any]:
    """Data of two decays, and the best single one, twice: both rates are one."""
    y = two_decays(B, 2.0, 20.0, 3.0, 1.0)
    (a, k), _ = curve_fit(lambda b, a, k: two_decays(b, a, k, 0.0, 1.0), B, y, [5.0, 3.0])
    return y, [float(a) / 2, float(k), float(a) / 2, float(k)]


def test_a_start_at_the_saddle_itself(lib: Any) -> None:
    y, p0 = at_saddle()
    found = curve_fit(two_decays, lib.asarray(B), lib.asarray(y[None]), p0, full_output=True)
    popt = np.sort(lib.to_numpy(found.popt)[0])
    tolerance = 1e-6 if lib.has_float64 else 0.05
    np.testing.assert_allclose(popt, [1.0, 2.0, 3.0, 20.0], rtol=tolerance)
    assert np.all(lib.to_numpy(found.success))


def test_within_bounds_and_with_what_is_fixed() -> None:
    y = ivim(B, 1.0, 0.2, 20.0, 1.0)
    low, high = [0.0, 0.0, 0.0, 0.0], [9.0, 1.0, 50.0, 50.0]
    found = curve_fit(ivim, B, y, [0.9, 0.5, 1.3, 1.3], bounds=(low, high), full_output=True)
    assert bool(found.success) and float(found.rss) < 1e-12
    fixed = [False, True, False, False]
    y = ivim(B, 1.0, 0.5, 20.0, 1.0)
    found = curve_fit(ivim, B, y, [0.9, 0.5, 4.0, 4.0], fixed=fixed, full_output=True)
    assert bool(found.success) and float(found.popt[1]) == 0.5
    np.testing.assert_allclose(np.sort(found.popt), [0.5, 1.0, 1.0, 20.0], rtol=1e-5)


def test_what_is_never_determined_stays_where_it_ends() -> None:
    """No step improves the fit: it stays as it was, with infinite covariance.

    An error of the sum, which is determined, changes the cost by its square alone: ftol to it.
    """

    def model(b: Any, a: Any, c: Any, idle: Any) -> Any:
        return (a + c) * b + 0 * idle

    y = 3 * B + 0.1 * np.cos(9 * B)
    for ftol, rtol in ((1e-8, 1e-4), (1e-24, 1e-12)):
        found = curve_fit(model, B, y, [1.0, 1.0, 7.0], full_output=True, ftol=ftol, xtol=1e-15)
        assert bool(found.success) and np.all(np.isinf(found.pcov))
        np.testing.assert_allclose(found.popt[0] + found.popt[1], B @ y / (B @ B), rtol=rtol)
    np.testing.assert_allclose(found.popt[2], 7.0)


def test_an_interruption_on_the_way_goes_on() -> None:
    """Of one fit; of a batch what had been found stays."""
    y, p0 = at_saddle()
    calls = [0]

    def model(*args: Any) -> Any:
        calls[0] += 1
        if calls[0] == 30:
            raise KeyboardInterrupt
        return two_decays(*args)

    with pytest.raises(KeyboardInterrupt):
        curve_fit(model, B, y, p0, full_output=True)
    assert calls[0] == 30
    calls[0] = 0
    found = curve_fit.generic(model, B, np.tile(y, (3, 1)), p0, full_output=True)
    assert calls[0] >= 30 and np.all(found.status > 0)
    np.testing.assert_allclose(found.popt, np.tile(p0, (3, 1)), rtol=1e-6)


def test_steps_that_stall_at_a_minimum_are_a_success(lib: Any) -> None:
    """Data that the model can't reach: where it comes nearest, its derivative is 0."""

    def peak(t: Any, a: Any) -> Any:
        return a * likewise.array_namespace(t, a).exp(-a * t)

    t, y = lib.asarray(np.asarray([0.5])), lib.asarray(np.asarray([[0.9], [2.0]]))
    found = curve_fit(peak, t, y, [1.4], full_output=True)
    assert np.all(lib.to_numpy(found.success))
    tolerance = 1e-6 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(lib.to_numpy(found.popt), 2.0, rtol=tolerance)


def test_steps_that_stall_elsewhere_are_none() -> None:
    """A derivative of the wrong sign leads nowhere, and what it stops at is no minimum."""
    found = curve_fit(
        lambda t, a: a * t, B, 3 * B, [1.0], jac=lambda t, a: -t[:, None], full_output=True
    )
    assert int(found.status) == -4 and float(found.popt[0]) != 3.0


def test_beside_a_pole_steps_that_get_short_are_no_success() -> None:
    """Kowalik and Osborne's model, from starts that lead where data don't resolve a valley."""
    u = np.asarray([4.0, 2.0, 1.0, 0.5, 0.25, 0.1670, 0.1250, 0.1, 0.0833, 0.0714, 0.0625])
    y = [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
    start = np.asarray([0.25, 0.39, 0.415, 0.39])
    far = np.random.default_rng(0).normal(size=(200, 4)) * (0.5 + 0.5 * np.abs(start))

    def ratio(u: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return a * (u**2 + u * b) / (u**2 + u * c + d)

    p0 = start + far[[0, 19, 25, 131]]
    found = curve_fit(ratio, u, np.tile(y, (4, 1)), p0, full_output=True)
    assert found.status.tolist()[2:] == [-4, -4] and np.all(found.success[:2])
    np.testing.assert_allclose(found.rss[:2], 3.07506e-4, rtol=1e-5)  # the minimum, from afar
