"""The gallery's models against closed forms, and the fits that applications make, against SciPy."""

import functools
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize

from likewise.optimize import curve_fit

sys.path.insert(0, str(Path(__file__).parent))
from workloads import WORKLOADS, Workload, models

COUNT = 12
QUICK_ON_JAX = ("X5",)
every = pytest.mark.parametrize("name", WORKLOADS)


@pytest.fixture
def compiled_elsewhere(leave_out: Any) -> Any:
    """JAX compiles each model for seconds."""

    def decide(lib: Any, name: str) -> None:
        leave_out("long", lib.library == "jax" and name not in QUICK_ON_JAX)

    return decide


# -- the models ------------------------------------------------------------------------------------


def straight(t: Any, aif: Any) -> Any:
    return lambda s: np.interp(s, t, aif)


def convolution(t: Any, aif: Any, response: Any) -> Any:
    """At each time, by quadrature of each straight piece."""
    out = [0.0]
    for last in range(1, t.shape[0]):
        parts = [
            scipy.integrate.quad(
                lambda s, end=t[last]: straight(t, aif)(s) * response(end - s),
                t[i],
                t[i + 1],
                epsrel=1e-12,
                epsabs=0,
            )[0]
            for i in range(last)
        ]
        out.append(sum(parts))
    return np.asarray(out)


UNEVEN = np.asarray([0.0, 0.1, 0.15, 0.4, 0.5, 1.0, 1.1, 2.5])
INPUT = np.asarray([0.0, 1.0, 5.0, 3.0, 2.5, 1.0, 0.9, 0.4])


@pytest.mark.parametrize("rate", [0.0, 1e-9, 1e-3, 0.3, 5.0, 80.0])
def test_convolution_is_exact(lib: Any, rate: float) -> None:
    """Also where the closed form of a piece is 0 / 0, and where exp(rate t) would overflow."""
    t, aif = (lib.asarray(a) for a in (UNEVEN, INPUT))
    out = models.convolved(t, aif, lib.asarray([[rate]]))
    expected = convolution(UNEVEN, INPUT, lambda s: math.exp(-rate * s))
    rtol = 1e-12 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(lib.to_numpy(out)[0], expected, rtol=rtol, atol=0)


def test_convolution_at_large_rates(lib: Any) -> None:
    """The input over the rate, to first order; nothing overflows."""
    t, aif = (lib.asarray(a) for a in (UNEVEN, INPUT))
    out = lib.to_numpy(models.convolved(t, aif, lib.asarray([[1e6]])))[0]
    np.testing.assert_allclose(out, INPUT / 1e6, rtol=1e-3, atol=1e-9)


def test_a_smooth_input_in_straight_pieces() -> None:
    """2 exp(-t), every 10 s: 0.3 % off where the rectangle rule is 33 % off."""
    x = WORKLOADS["O1"].x
    t = x[0]
    exact = 0.1 * 2 * (np.exp(-0.5 * t) - np.exp(-t)) / 0.5
    ours = models.tofts(x, 0.1, 0.2)
    assert np.max(np.abs(ours[1:] / exact[1:] - 1)) < 3e-3
    dt = t[1] - t[0]
    rectangles = 0.1 * dt * np.convolve(x[1], np.exp(-0.5 * t))[: t.shape[0]]
    assert np.max(np.abs(rectangles[1:] / exact[1:] - 1)) > 0.3


def test_inputs_of_each_problem(lib: Any) -> None:
    """(k, batch, n) is what (k, n) is for each."""
    x = np.stack([np.stack([UNEVEN, INPUT]), np.stack([2 * UNEVEN, INPUT[::-1]])], axis=1)
    rate, ve = np.asarray([[0.2], [0.4]]), np.asarray([[0.1], [0.5]])
    out = models.tofts(lib.asarray(x), lib.asarray(rate), lib.asarray(ve))
    for i in range(2):
        one = models.tofts(x[:, i, :], rate[i, 0], ve[i, 0])
        tolerance = {"rtol": 1e-12} if lib.has_float64 else {"rtol": 1e-4, "atol": 1e-6}
        np.testing.assert_allclose(lib.to_numpy(out)[i], one, **tolerance)


@pytest.mark.parametrize("ps", [8.0, 0.0])
def test_exchange_solves_its_equations(ps: float) -> None:
    """Two compartments, by the matrix exponential of each piece with its straight input."""
    fp, ve, vp = 30.0, 0.2, 0.05
    flow, exchange = fp / 100, ps / 100
    a = [[-(flow + exchange) / vp, exchange / vp], [exchange / ve, -exchange / ve]]
    state, out = np.zeros(2), [0.0]
    for i in range(UNEVEN.shape[0] - 1):
        dt = UNEVEN[i + 1] - UNEVEN[i]
        whole = np.zeros((4, 4))  # of the state, the input, its slope
        whole[:2, :2], whole[0, 2], whole[2, 3] = a, flow / vp, 1.0
        given = [*state, INPUT[i], (INPUT[i + 1] - INPUT[i]) / dt]
        state = (scipy.linalg.expm(whole * dt) @ given)[:2]
        out.append(vp * state[0] + ve * state[1])
    ours = models.two_compartment_exchange(np.stack([UNEVEN, INPUT]), fp, ps, ve, vp)
    np.testing.assert_allclose(ours, out, rtol=1e-11)


def test_patlak_is_tofts_without_reflux() -> None:
    x = np.stack([UNEVEN, INPUT])
    expected = models.extended_tofts(x, 0.1, 1e9, 0.05)
    np.testing.assert_allclose(models.patlak(x, 0.1, 0.05), expected, rtol=1e-8)


@pytest.mark.parametrize("att", [0.1, 0.7, 1.5, 2.4])
def test_buxton_is_the_convolution(att: float) -> None:
    """Delivery times residue times relaxation, before, while and after the label arrives."""
    flow, labelling = 60 / 6000, 1.8
    delays = np.asarray([0.0, 0.2, 1.0, 3.0])
    expected = []
    for t in delays + labelling:
        begin, end = att, max(att, min(t, att + labelling))
        value, _ = scipy.integrate.quad(
            lambda s, t=t: math.exp(-(t - s) * (flow / 0.9 + 1 / 1.33)), begin, end
        )
        expected.append(2 * 0.85 * flow / 0.9 * math.exp(-att / 1.65) * value)
    np.testing.assert_allclose(models.buxton(delays, 60.0, att), expected, rtol=1e-12, atol=0)


def test_closed_forms(lib: Any) -> None:
    """The others, where their arguments are harmless, as one writes them down."""
    t = np.asarray([0.0, 0.5, 1.0, 3.0])
    safe = t + 0.5
    angles, tr = np.radians([5.0, 20.0, 30.0, 60.0]), np.full(4, 5.0)
    e1 = np.exp(-tr / 900)
    k = 2 * math.pi / 0.1239841984  # of 10 keV, in 1/nm
    cases = [
        (models.monoexponential, t, (2.0, 0.7, 0.1), 2 * np.exp(-0.7 * t) + 0.1),
        (models.biexponential, t, (2.0, 3, 1, 0.5), 2 * np.exp(-3 * t) + np.exp(-0.5 * t)),
        (models.stretched_exponential, t, (2.0, 0.7, 0.6), 2 * np.exp(-((0.7 * t) ** 0.6))),
        (models.power_law, safe, (2.0, -1.5), 2 * safe**-1.5),
        (
            models.gamma_variate,
            t,
            (2.0, 0.4, 1.5, 0.8),
            np.where(t > 0.4, 2 * np.maximum(t - 0.4, 0) ** 1.5 * np.exp(-(t - 0.4) / 0.8), 0),
        ),
        (models.ivim, 300 * t, (2.0, 1e-3, 1e-2, 0.2), 0.4 * np.exp(-3 * t) + 1.6 * np.exp(-0.3 * t)),
        (
            models.spgr,
            np.stack([angles, tr]),
            (900.0, 50.0),
            50 * np.sin(angles) * (1 - e1) / (1 - np.cos(angles) * e1),
        ),
        (models.look_locker, t, (0.8, 5.0, 9.0), 5 - 9 * np.exp(-t / 0.8)),
        (models.g2, t, (0.8, 1.0, 0.3), 1 + 0.3 * np.exp(-2 * t / 0.8)),
        (
            models.momentum_transfer,
            np.stack([100 * t, 40 * t]),
            (10.0, -3.0, 5000.0),
            k * np.sin(np.arctan(np.hypot(100 * t - 10, 40 * t + 3) * 0.075 / 5000)),
        ),
    ]  # fmt: skip
    rtol = 1e-11 if lib.has_float64 else 1e-3
    for model, x, params, expected in cases:
        columns = [lib.asarray([[float(p)]]) for p in params]
        out = lib.to_numpy(model(lib.asarray(x), *columns))
        np.testing.assert_allclose(out[0], expected, rtol=rtol, err_msg=model.__name__)


# -- the fits --------------------------------------------------------------------------------------


def drawn(work: Workload) -> tuple[Any, Any]:
    """The truth of half of the problems, which have no noise, and the data of all."""
    truth, clean, noisy = work.draw(np.random.default_rng(42), COUNT)
    return truth, np.concatenate([clean, noisy])


def by_scipy(work: Workload, y: Any, bounds: Any) -> tuple[Any, Any, Any]:
    """Parameters, standard errors and sums of squares, one problem after another."""
    found = []
    low, high = np.asarray(bounds)
    for row in y:
        start = np.clip(work.starts(row[None])[0], low, high)
        popt, pcov = scipy.optimize.curve_fit(
            work.model, work.x, row, start, bounds=(low, high), method="trf", jac="3-point",
            x_scale="jac", ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=5000,
        )  # fmt: skip
        rss = np.sum((work.model(work.x, *popt) - row) ** 2)
        found.append((popt, np.sqrt(np.diag(pcov)), rss))
    return tuple(np.asarray(part) for part in zip(*found, strict=True))  # type: ignore[return-value]


@functools.cache
def reference(name: str) -> tuple[Any, Any, Any]:
    work = WORKLOADS[name]
    return by_scipy(work, drawn(work)[1][COUNT:], work.bounds)


@every
def test_fits(lib: Any, compiled_elsewhere: Any, name: str) -> None:
    compiled_elsewhere(lib, name)
    work = WORKLOADS[name]
    truth, y = drawn(work)
    low, high = work.bounds
    fit = curve_fit(
        work.model, lib.asarray(work.x), lib.asarray(y), lib.asarray(work.starts(y)),
        bounds=(lib.asarray(low), lib.asarray(high)), full_output=True,
    )  # fmt: skip
    popt, rss = lib.to_numpy(fit.popt), lib.to_numpy(fit.rss)
    assert np.all(popt >= np.asarray(low, popt.dtype)) and np.all(
        popt <= np.asarray(high, popt.dtype)
    )
    expected, errors, least = reference(name)
    if not lib.has_float64:
        assert np.all(rss[COUNT:] <= 1.001 * least)
        assert np.all(np.abs(popt[COUNT:] - expected) <= 0.1 * errors)
        return
    assert np.all(lib.to_numpy(fit.status) > 0)
    np.testing.assert_allclose(popt[:COUNT], truth, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_less(rss[COUNT:], least * (1 + 1e-9))
    assert np.max(np.abs(popt[COUNT:] - expected) / errors) < 1e-5
    found = np.sqrt(np.stack([np.diag(c) for c in lib.to_numpy(fit.pcov)[COUNT:]]))
    np.testing.assert_allclose(found, errors, rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "most"), [("O1", 13), ("O2", 13), ("O3", 12), ("O5, SPGR", 15), ("power law", 11)]
)
def test_evaluations_from_afar(name: str, most: float) -> None:
    """A step that is refused makes the next one shorter at once, not after six more."""
    work = WORKLOADS[name]
    _, _, y = work.draw(np.random.default_rng(42), 200)
    loose = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6}
    found = curve_fit(
        work.model, work.x, y, work.starts(y), bounds=work.bounds, full_output=True, **loose
    )
    assert np.all(found.success) and 1 + np.mean(found.nit) < most


@pytest.mark.parametrize("name", ["O1", "O2, all kinds", "X5"])
def test_active_bounds(lib: Any, compiled_elsewhere: Any, name: str) -> None:
    """A bound through the middle of the solutions: those beyond it end on it, none is clipped."""
    compiled_elsewhere(lib, name)
    work = WORKLOADS[name]
    y = drawn(work)[1][COUNT:]
    free, errors, _ = reference(name)
    low, high = (np.array(b, dtype=float) for b in work.bounds)
    high[-1] = np.median(free[:, -1])
    expected, _, least = by_scipy(work, y, (low, high))
    start = np.clip(work.starts(y), low, high)
    fit = curve_fit(
        work.model, lib.asarray(work.x), lib.asarray(y), lib.asarray(start),
        bounds=(lib.asarray(low), lib.asarray(high)), full_output=True,
    )  # fmt: skip
    popt = lib.to_numpy(fit.popt)
    on = popt[:, -1] == high[-1].astype(popt.dtype)
    np.testing.assert_array_equal(on, free[:, -1] > high[-1])
    assert 0 < np.sum(on) < COUNT
    off = np.abs(popt - expected) / errors
    assert np.max(off) < (1e-5 if lib.has_float64 else 0.1)
    # What is clipped after the fit has a larger sum of squares than the best within the bounds.
    clipped = np.clip(free, low, high)
    worse = [np.sum((work.model(work.x, *p) - r) ** 2) for p, r in zip(clipped, y, strict=True)]
    worse = np.asarray(worse)[on] / least[on]
    assert np.all(worse > 1 + 1e-9) and np.max(worse) > 1.001


def test_workers(lib: Any, compiled_elsewhere: Any) -> None:
    """Threads change nothing; a library that can't be followed in several stays in one."""
    work = WORKLOADS["one decay"]
    compiled_elsewhere(lib, "one decay")
    y = work.draw(np.random.default_rng(0), 200)[2]
    x, y, start = (lib.asarray(a) for a in (work.x, y, work.starts(y)))
    one, two = (curve_fit(work.model, x, y, start, workers=n)[0] for n in (1, 2))
    near = {"rtol": 1e-9} if lib.has_float64 else {"rtol": 1e-3, "atol": 1e-3}
    np.testing.assert_allclose(lib.to_numpy(two), lib.to_numpy(one), **near)


def test_calibration(lib: Any, rng: Any) -> None:
    """X6: the centre and distance of a detector from 1000 points, one problem."""
    x = rng.uniform(0, 512, size=(2, 1000))
    truth = np.asarray([250.3, 261.8, 4980.0])
    clean = models.momentum_transfer(x, *truth)
    start = [256.0, 256.0, 5000.0]
    for noise in (0.0, 1e-3):
        y = clean + noise * rng.normal(size=clean.shape)
        popt, _ = curve_fit(models.momentum_transfer, lib.asarray(x), lib.asarray(y), start)
        if not noise:
            rtol = 1e-9 if lib.has_float64 else 1e-4
            np.testing.assert_allclose(lib.to_numpy(popt), truth, rtol=rtol)
            continue
        tight = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
        expected, pcov = scipy.optimize.curve_fit(models.momentum_transfer, x, y, start, **tight)
        off = np.abs(lib.to_numpy(popt) - expected) / np.sqrt(np.diag(pcov))
        assert np.max(off) < (1e-5 if lib.has_float64 else 0.2)


def test_a_point_at_the_centre(lib: Any, compiled_elsewhere: Any) -> None:
    """Where the distance from the centre has no derivative."""
    compiled_elsewhere(lib, "X6")
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0))).reshape(2, -1)
    y = models.momentum_transfer(grid, 4.2, 3.9, 5000.0)
    popt, _ = curve_fit(
        models.momentum_transfer, lib.asarray(grid), lib.asarray(y), [4.0, 4.0, 4000.0]
    )
    rtol = 1e-8 if lib.has_float64 else 1e-3
    np.testing.assert_allclose(lib.to_numpy(popt), [4.2, 3.9, 5000.0], rtol=rtol)


@every
def test_flow_of_libraries(lib: Any, compiled_elsewhere: Any, name: str) -> None:
    """Models keep library, dtype and device."""
    compiled_elsewhere(lib, name)
    for work in [WORKLOADS[name]]:
        params = [lib.asarray(np.full((2, 1), 0.5 * (a + b) or 0.1)) for a, b in work.truth]
        out = work.model(lib.asarray(work.x), *params)
        assert type(out) is type(params[0]) and out.dtype == params[0].dtype
        assert tuple(out.shape) == (2, np.shape(work.x)[-1])
