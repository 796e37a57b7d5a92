"""Data and parameters so large, or so small, that their squares are no numbers."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize import curve_fit, least_squares
from likewise.optimize._least_squares._units import units_at
from likewise.transforms import jacobian, jvp

by_values = pytest.mark.xp_skip({"dask": "the iterations look at values"})
T = np.linspace(0.0, 4.0, 30)
NOISE = 1e-3 * np.random.default_rng(0).normal(size=30)
SIZES = [1e160, 1e-160, 1e300, 1e-300]


@pytest.fixture(autouse=True)
def in_double_precision(lib: Any, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)


def line(t: Any, a: Any, b: Any) -> Any:
    return a * t + b


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * likewise.array_namespace(t, k).exp(-k * t) + c


MODELS = {
    "line": (line, [1.0, -2.0], [1, 1]),
    "decay": (decay, [2.0, 1.0, 0.3], [1, 0, 1]),
}


def linear_start(name: str, units: Any) -> Any:
    """Ones where no size is known, else what is of the data's size."""
    return np.ones(2) if name == "line" else units


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", MODELS)
def test_fits_of_data_of_any_size(lib: Any, name: str, size: float) -> None:
    f, truth, powers = MODELS[name]
    y = f(T, *truth) + NOISE
    plain = curve_fit(f, T, y, np.ones(len(truth)), full_output=True)
    units = size ** np.asarray(powers, dtype=float)
    found = curve_fit(
        f,
        lib.asarray(T),
        lib.asarray(np.stack([size * y, 3 * size * y])),
        lib.asarray(linear_start(name, units)),
        full_output=True,
    )
    assert np.all(lib.to_numpy(found.success))
    popt, pcov = lib.to_numpy(found.popt), lib.to_numpy(found.pcov)
    np.testing.assert_allclose(popt[0] / units, plain.popt, rtol=1e-7)
    np.testing.assert_allclose(popt[1] / 3 ** np.asarray(powers) / units, plain.popt, rtol=1e-7)
    with np.errstate(over="ignore", under="ignore"):  # what numbers hold of it
        expected = plain.pcov * units[:, None] * units
        rss = float(plain.rss) * size * size
    tiny = np.abs(expected) < 1e-300
    np.testing.assert_allclose(pcov[0][~tiny], expected[~tiny], rtol=1e-6)
    assert np.all(np.abs(pcov[0][tiny]) < 1e-300)
    if np.isfinite(rss) and rss > 0:
        np.testing.assert_allclose(lib.to_numpy(found.rss)[0], rss, rtol=1e-6)
    np.testing.assert_allclose(
        lib.to_numpy(found.r_squared), [float(plain.r_squared)] * 2, rtol=1e-9
    )


# Variances of amplitudes of 1e160 are beyond float64, and are said to be infinite.
INFINITE = "ignore:curve_fit. Covariance of the parameters could not be estimated"


@pytest.mark.filterwarnings(INFINITE)
def test_some_of_a_batch(lib: Any) -> None:
    """Ordinary problems beside others end where they end alone."""
    sizes = np.asarray([1.0, 1e160, 1e-160, 1e3])
    y = np.stack([s * (line(T, 1.0, -2.0) + NOISE) for s in sizes])
    popt, _ = curve_fit(line, lib.asarray(T), lib.asarray(y), [1.0, 1.0])
    alone, _ = curve_fit(line, T, line(T, 1.0, -2.0) + NOISE, [1.0, 1.0])
    np.testing.assert_allclose(
        lib.to_numpy(popt) / sizes[:, None], np.tile(alone, (4, 1)), rtol=1e-9
    )


@pytest.mark.filterwarnings(INFINITE)
@pytest.mark.parametrize("options", [{"absolute_sigma": True}, {"loss": "cauchy"}])
def test_sigma_and_losses_in_units(lib: Any, options: dict[str, Any]) -> None:
    y, size = decay(T, 2.0, 1.0, 0.3) + NOISE, 1e160
    sigma = np.full(30, 1e-3)
    bend = {"f_scale": 1.0} if "loss" in options else {}
    plain, cov = curve_fit(decay, T, y, [1.0, 1.0, 1.0], sigma, **options, **bend)
    popt, pcov = curve_fit(
        decay,
        lib.asarray(T),
        lib.asarray(size * y),
        [size, 1.0, size],
        lib.asarray(size * sigma),
        **options,
        **bend,
    )
    np.testing.assert_allclose(lib.to_numpy(popt) / [size, 1.0, size], plain, rtol=1e-7)
    np.testing.assert_allclose(lib.to_numpy(pcov)[1, 1], cov[1, 1], rtol=1e-6)
    np.testing.assert_allclose(lib.to_numpy(pcov)[0, 1] / size, cov[0, 1], rtol=1e-6)


@by_values
def test_a_derivative_in_units(lib: Any) -> None:
    """Of a rate with respect to a factor of all data it is 0, of an amplitude the amplitude."""
    y, size = lib.asarray(1e160 * (decay(T, 2.0, 1.0, 0.3) + NOISE)), 1e160
    t = lib.asarray(T)

    def fitted(factor: Any) -> Any:
        popt, _ = curve_fit(decay, t, factor * y, [size, 1.0, size])
        return array_scaled(popt)

    def array_scaled(popt: Any) -> Any:
        xp = likewise.array_namespace(popt)
        return xp.stack([popt[0] / size, popt[1], popt[2] / size])

    plain, _ = curve_fit(decay, T, decay(T, 2.0, 1.0, 0.3) + NOISE, [1.0, 1.0, 1.0])
    one, way = lib.asarray(np.asarray(1.0)), lib.asarray(np.asarray(-0.7))
    popt, along = jvp(fitted, (one,), (way,))
    np.testing.assert_allclose(lib.to_numpy(popt), plain, rtol=1e-7)
    expected = np.asarray([plain[0], 0.0, plain[2]])
    np.testing.assert_allclose(lib.to_numpy(along), -0.7 * expected, rtol=1e-6, atol=1e-8)
    got = jacobian(fitted)(one)
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-6, atol=1e-8)


@by_values
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", ["trf", "lm"])
def test_least_squares_of_any_size(lib: Any, method: str, size: float) -> None:
    y = decay(T, 2.0, 1.0, 0.3) + NOISE
    plain = least_squares(lambda p: decay(T, *p) - y, np.asarray([1.0, 1.0, 1.0]))
    units = np.asarray([size, 1.0, size])
    t, data = lib.asarray(T), lib.asarray(size * y)

    def fun(p: Any) -> Any:
        return decay(t, p[0], p[1], p[2]) - data

    bounds = lib.asarray([0.0, 0.0, -9 * size]), lib.asarray([9 * size, 9.0, 9 * size])
    for limits in ((-np.inf, np.inf), bounds):
        found = least_squares(fun, lib.asarray(units), bounds=limits, method=method)
        assert bool(found.success)
        np.testing.assert_allclose(lib.to_numpy(found.x) / units, plain.x, rtol=1e-5)
        with np.errstate(over="ignore", under="ignore"):
            cost = float(plain.cost) * size * size
        if np.isfinite(cost) and cost > 1e-300:
            np.testing.assert_allclose(float(found.cost), cost, rtol=1e-6)
        assert not np.any(lib.to_numpy(found.active_mask))


@by_values
def test_least_squares_on_a_bound_of_any_size(lib: Any) -> None:
    """It is met exactly, and the cost's derivative with respect to it is right."""
    size = 1e160
    y = line(T, 1.0, -2.0) + NOISE
    t, data = lib.asarray(T), lib.asarray(size * y)
    top = lib.asarray([0.7 * size, np.inf])
    found = least_squares(
        lambda p: p[0] * t + p[1] - data,
        lib.asarray([0.5 * size, size]),
        bounds=(lib.asarray([0.0, -np.inf]), top),
    )
    x = lib.to_numpy(found.x)
    assert x[0] == 0.7 * size and list(lib.to_numpy(found.active_mask)) == [1, 0]
    np.testing.assert_allclose(x[1] / size, np.mean(y - 0.7 * T), rtol=1e-6)


@by_values
@pytest.mark.parametrize("size", [1e10, 1e50, 1e160])
def test_least_squares_from_ones(lib: Any, size: float) -> None:
    """Of a straight line, whose size the start doesn't tell."""
    y = size * (line(T, 1.0, -2.0) + NOISE)
    t, data = lib.asarray(T), lib.asarray(y)
    for method in ("trf", "lm"):
        found = least_squares(
            lambda p: p[0] * t + p[1] - data, lib.asarray([1.0, 1.0]), method=method
        )
        expected = np.polyfit(T, y / size, 1)
        assert bool(found.success) and int(found.nfev) < 40
        np.testing.assert_allclose(lib.to_numpy(found.x) / size, expected, rtol=1e-6)


def test_ordinary_problems_have_no_units(lib: Any) -> None:
    x, f = lib.asarray([[1.0, -20.0]]), lib.asarray([[0.5, 3.0, 0.0]])
    jac = lib.asarray(np.asarray([[[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]]]))
    if not (lib.jit or lib.replayed or lib.library == "dask"):  # where values can be seen
        assert units_at(x, f, jac) is None
    far = units_at(x, 1e160 * f, 1e160 * jac)
    assert far is not None
    np.testing.assert_allclose(lib.to_numpy(far.residuals), [3e160])
    np.testing.assert_array_equal(lib.to_numpy(far.unknowns), [[1.0, 1.0]])
