"""The options of curve_fit, its derivatives, and what happens on the way of many fits."""

import contextlib
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import (
    ArgumentError,
    NotSupported,
    OptimizeWarning,
    ShapeError,
    TooFewDataError,
)
from likewise.optimize import curve_fit
from likewise.testing import count_compiles
from likewise.transforms import grad, jacobian, vmap

T = np.linspace(0.0, 4.0, 25)
TRUTH = np.asarray([[2.0, 1.0, 0.5], [3.0, 0.5, -0.2], [1.0, 2.0, 0.0]])
START = [1.0, 1.0, 0.1]
TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    xp = likewise.array_namespace(t, a)
    return a * xp.exp(-k * t) + c


def jac(t: Any, a: Any, k: Any, c: Any) -> Any:
    e = np.exp(-k * t)
    return np.stack([e, -a * t * e, np.ones_like(t)], axis=-1)


def data(rng: np.random.Generator) -> Any:
    a, k, c = TRUTH.T[:, :, None]
    return a * np.exp(-k * T) + c + 0.02 * rng.normal(size=(3, T.shape[0]))


def scipy_fit(y: Any, t: Any = T, p0: Any = START, **options: Any) -> tuple[Any, Any]:
    return scipy.optimize.curve_fit(decay, t, y, p0, jac=jac, **TIGHT, **options)


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-6, atol: float = 1e-9) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    if not lib.has_float64:
        scale = float(np.max(np.abs(expected)))
        rtol, atol = 2e-3, 2e-3 * scale
    np.testing.assert_allclose(out, expected, rtol=rtol, atol=atol)


# -- bounds ----------------------------------------------------------------------------------------


def test_bounds(lib: Any, rng: Any) -> None:
    """Some active, some not; each problem for itself."""
    y = data(rng)
    low, high = np.asarray([0.0, 0.0, 0.05]), np.asarray([2.5, 1.5, 1.0])
    popt, pcov = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), START, bounds=(lib.asarray(low), lib.asarray(high))
    )
    got = lib.to_numpy(popt)
    assert np.all(got >= low.astype(got.dtype)) and np.all(got <= high.astype(got.dtype))
    expected = [scipy_fit(row, bounds=(low, high)) for row in y]
    near(lib, popt, [p for p, _ in expected], 2e-6)
    for edge in (low, high):
        assert np.any(got == edge.astype(got.dtype))
    near(lib, pcov, [c for _, c in expected], 1e-4)


@pytest.mark.long("jax-jit")
def test_bounds_as_numbers_and_start_between_them(lib: Any, rng: Any) -> None:
    y = data(rng)[0]
    popt, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y), bounds=(0.0, [3.0, 2.0, np.inf]))
    near(lib, popt, scipy_fit(y)[0])
    popt, _ = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), START, bounds=scipy.optimize.Bounds(0, 9)
    )
    near(lib, popt, scipy_fit(y)[0])


@pytest.mark.long("jax-jit", "strict")
def test_bounds_of_each_problem_and_a_start_on_them(lib: Any, rng: Any) -> None:
    y = data(rng)[:2]  # not as many as parameters
    high = np.asarray([[9.0, 1.0, 9.0], [2.0, 9.0, 9.0]])
    popt, _ = curve_fit(
        decay,
        lib.asarray(T),
        lib.asarray(y),
        [1.0, 1.0, -1.0],
        bounds=(lib.asarray(np.full(3, -1.0)), lib.asarray(high)),
    )
    expected = [
        scipy_fit(row, p0=[1.0, 0.9, -0.9], bounds=(-1.0, u))[0]
        for row, u in zip(y, high, strict=True)
    ]
    near(lib, popt, expected, 2e-6)


@pytest.mark.long("jax-jit")
@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences_stay_within_bounds(lib: Any, jac: str) -> None:
    """The model is not defined outside; the answer is on one bound, a start on the other."""

    def model(t: Any, a: Any, k: Any) -> Any:
        xp = likewise.array_namespace(a, k)
        inside = (a >= 1) & (k <= 1)
        return xp.where(inside, a, xp.nan) * xp.exp(-k * t)

    y = np.stack([2.0 * np.exp(-k * T) for k in (0.5, 1.2)])
    popt, _ = curve_fit(
        model, lib.asarray(T), lib.asarray(y), [1.0, 1.0], jac=jac, bounds=([1, 0], [9, 1])
    )
    expected = np.exp(-T) @ y[1] / np.sum(np.exp(-2 * T))  # linear, where k is 1
    near(lib, popt, [[2.0, 0.5], [expected, 1.0]], 1e-6)


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences_between_near_bounds(jac: str) -> None:
    """A parameter as good as fixed, which some models ask for."""
    low, high = np.asarray([0.5 - 1e-9, 0.0]), np.asarray([0.5 + 1e-9, 9.0])

    def model(t: Any, a: Any, k: Any) -> Any:
        assert np.all((a >= low[0]) & (a <= high[0]))
        return a * np.exp(-k * t)

    popt, _ = curve_fit(
        model, T, 0.5 * np.exp(-2 * T[None]), [0.5, 1.0], bounds=(low, high), jac=jac
    )
    np.testing.assert_allclose(popt, [[0.5, 2.0]], rtol=1e-7)


# -- data ------------------------------------------------------------------------------------------


@pytest.mark.long("jax-jit")
def test_covariance_as_sigma(lib: Any, rng: Any) -> None:
    y = data(rng)
    if lib.library == "dask":
        with pytest.raises(NotSupported, match="covariances as sigma"):
            curve_fit(
                decay, lib.asarray(T), lib.asarray(y), START, lib.asarray(np.eye(T.size)[None])
            )
        return
    sigma = 0.01 * np.exp(-np.abs(T[:, None] - T))
    for absolute in (False, True):
        popt, pcov = curve_fit(
            decay, lib.asarray(T), lib.asarray(y), START, lib.asarray(sigma[None]), absolute
        )
        expected = [scipy_fit(row, sigma=sigma, absolute_sigma=absolute) for row in y]
        near(lib, popt, [p for p, _ in expected])
        near(lib, pcov, [c for _, c in expected], 1e-5)
    one, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y[0]), START, lib.asarray(sigma))
    near(lib, one, scipy_fit(y[0], sigma=sigma)[0])


@pytest.mark.long("jax-jit")
def test_mask_and_omit(lib: Any, rng: Any) -> None:
    y = data(rng)
    bad = rng.uniform(size=y.shape) < 0.2
    expected = [scipy_fit(row[~b], T[~b]) for row, b in zip(y, bad, strict=True)]
    holes = np.where(bad, np.nan, y)
    for fit in (
        curve_fit(decay, lib.asarray(T), lib.asarray(y), START, mask=lib.asarray(~bad, None)),
        curve_fit(decay, lib.asarray(T), lib.asarray(holes), START, nan_policy="omit"),
    ):
        near(lib, fit[0], [p for p, _ in expected])
        near(lib, fit[1], [c for _, c in expected], 1e-5)


@pytest.mark.long("jax-jit")
def test_predictors_of_each_problem(lib: Any, rng: Any) -> None:
    times = np.stack([T, 0.5 * T, 2 * T])
    a, k, c = TRUTH.T[:, :, None]
    y = a * np.exp(-k * times) + c + 0.02 * rng.normal(size=times.shape)
    expected = [scipy_fit(row, t)[0] for row, t in zip(y, times, strict=True)]
    if lib.library == "dask":
        with pytest.raises(NotSupported, match="predictors of each problem"):
            curve_fit(decay, lib.asarray(times), lib.asarray(y), START)
        return
    popt, _ = curve_fit(decay, lib.asarray(times), lib.asarray(y), START)
    near(lib, popt, expected)

    def two(x: Any, a: Any, k: Any, c: Any) -> Any:
        return decay(x[0, ...], a, k, c) + x[1, ...]

    shift = rng.normal(size=times.shape)
    if lib.library == "dask":
        return
    popt, _ = curve_fit(two, lib.asarray(np.stack([times, shift])), lib.asarray(y + shift), START)
    near(lib, popt, expected)


def test_a_model_of_one_problem(lib: Any, rng: Any) -> None:
    y = data(rng)
    seen = set()

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        seen.add((tuple(t.shape), tuple(a.shape)))
        return decay(t, a, k, c)

    popt, _ = curve_fit(model, lib.asarray(T), lib.asarray(y), START, vectorized=False)
    near(lib, popt, [scipy_fit(row)[0] for row in y])
    assert seen == {(T.shape, ())}


# -- parameters ------------------------------------------------------------------------------------


def test_fixed_parameters(lib: Any, rng: Any) -> None:
    y = data(rng)
    popt, pcov = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.2], fixed=[False, False, True]
    )
    expected = [
        scipy.optimize.curve_fit(
            lambda t, a, k: decay(t, a, k, 0.2),
            T,
            row,
            [1.0, 1.0],
            jac=lambda t, a, k: jac(t, a, k, 0.2)[:, :2],
            **TIGHT,
        )
        for row in y
    ]
    near(lib, popt, [[*p, 0.2] for p, _ in expected], 1e-5)
    near(lib, pcov, [np.pad(c, ((0, 1), (0, 1))) for _, c in expected], 1e-4)


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_losses(lib: Any, loss: str, rng: Any) -> None:
    if lib.jit and loss != "huber":
        return  # a compilation each
    y = data(rng)
    y[:, ::6] += 0.5
    start = TRUTH + 0.05  # far from it such losses have other minima
    popt, _ = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), lib.asarray(start), loss=loss, f_scale=0.05
    )
    expected = [
        scipy_fit(row, T, p0, method="trf", loss=loss, f_scale=0.05)[0]
        for row, p0 in zip(y, start, strict=True)
    ]
    near(lib, popt, expected, 2e-4)


def test_priors_give_the_posterior_of_a_linear_model(lib: Any, rng: Any) -> None:
    y = 1.0 + 2.0 * T + 0.1 * rng.normal(size=(2, T.shape[0]))
    mean, deviation = np.asarray([0.5, 0.0]), np.asarray([0.05, np.inf])
    popt, pcov = curve_fit(
        lambda t, a, b: a + b * t,
        lib.asarray(T),
        lib.asarray(y),
        [1.0, 1.0],
        0.1,
        True,
        prior=(lib.asarray(mean), lib.asarray(deviation)),
    )
    design = np.stack([np.ones_like(T), T], axis=1) / 0.1
    precision = np.diag(1 / deviation**2)
    posterior = np.linalg.inv(design.T @ design + precision)
    expected = [posterior @ (design.T @ row / 0.1 + precision @ mean) for row in y]
    near(lib, popt, expected)
    near(lib, pcov, [posterior] * 2, 1e-5)


@pytest.mark.parametrize("fixed", [[True, False, False], [True, True, False], [True] * 3])
def test_the_first_parameters_fixed(fixed: Any, rng: Any) -> None:
    y, start = data(rng)[0], np.asarray([1.9, 1.1, 0.4])
    free = [j for j in range(3) if not fixed[j]]
    popt, pcov = curve_fit(decay, T, y, start, fixed=fixed)
    expected = start.copy()
    if free:

        def model(t: Any, *some: Any) -> Any:
            every = list(start)
            for j, v in zip(free, some, strict=True):
                every[j] = v
            return decay(t, *every)

        expected[free] = scipy.optimize.curve_fit(model, T, y, start[free], **TIGHT)[0]
    np.testing.assert_allclose(popt, expected, rtol=1e-6)
    assert np.all(pcov[np.asarray(fixed), :] == 0)


def test_what_is_no_solution_is_not_said_to_be_one() -> None:
    """Steps that damping alone makes short."""
    x = np.linspace(0.1, 4.1, 20)

    def power(x: Any, a: Any, b: Any) -> Any:
        return a * likewise.array_namespace(x, a).exp(b * likewise.array_namespace(x).log(x))

    found = curve_fit(power, x, x**0.7, [1.0, 20.0], full_output=True)
    assert int(found.status) == -4 or np.allclose(found.popt, [1.0, 0.7])
    far = curve_fit(
        decay, T, data(np.random.default_rng(0))[0], [1.0, 800.0, 0.0], full_output=True
    )
    assert int(far.status) == -4 or float(far.rss) < 0.02
    exact = curve_fit(power, x, x**0.7, [2.0, 1.0], full_output=True)
    assert int(exact.status) > 0 and np.allclose(exact.popt, [1.0, 0.7], rtol=1e-12)


def test_too_few_valid_data_and_predictors_that_are_nan(rng: Any) -> None:
    y = data(rng)
    mask = np.ones(y.shape, dtype=bool)
    mask[1, 2:] = False
    found = curve_fit(decay, T, y, START, mask=mask, full_output=True)
    np.testing.assert_array_equal(found.status > 0, [True, False, True])
    assert int(found.status[1]) == -1
    t = T.copy()
    t[3] = np.nan
    popt, _ = curve_fit(decay, t, y, START, nan_policy="omit")
    np.testing.assert_allclose(
        popt[0], scipy_fit(np.delete(y[0], 3), np.delete(T, 3))[0], rtol=1e-6
    )


def test_share_of_the_variance(rng: Any) -> None:
    y = data(rng)
    found = curve_fit(decay, T, y, START, full_output=True)
    rest = y - np.asarray([decay(T, *p) for p in found.popt])
    spread = np.sum((y - y.mean(axis=1, keepdims=True)) ** 2, axis=1)
    np.testing.assert_allclose(found.r_squared, 1 - np.sum(rest**2, axis=1) / spread, rtol=1e-9)
    scaled = curve_fit(decay, T, y, START, 0.04 * np.eye(25)[None], full_output=True)
    np.testing.assert_allclose(scaled.r_squared, found.r_squared, rtol=1e-9)
    flat = curve_fit(lambda t, a: a * t, T + 1, np.full(25, 9.0), [2.0], full_output=True)
    assert np.isnan(flat.r_squared)


def test_a_flat_prior_changes_nothing(rng: Any) -> None:
    y = data(rng)[0]
    plain = curve_fit(decay, T, y, START, 0.02, True, full_output=True)
    flat = (np.zeros(3), np.full(3, np.inf))
    same = curve_fit(decay, T, y, START, 0.02, True, prior=flat, full_output=True)
    for name in ("popt", "pcov", "rss", "chi2", "r_squared"):
        np.testing.assert_allclose(getattr(same, name), getattr(plain, name), rtol=1e-6)
    np.testing.assert_allclose(same.fvec, plain.fvec, atol=1e-5)
    with pytest.raises(ArgumentError, match="absolute_sigma=True"):
        curve_fit(decay, T, y, START, prior=flat)


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.xp_skip({"dask": "derivatives of blocks", "jax": "compiles each step"})
def test_derivatives_of_a_linear_model(lib: Any, rng: Any) -> None:
    """popt = (A^T A)^-1 A^T y, to first and second order."""
    y = 1.0 + 2.0 * T + 0.1 * rng.normal(size=T.shape)
    w = rng.normal(size=2)
    t = lib.asarray(T)

    def loss(y: Any) -> Any:
        xp = likewise.array_namespace(y)
        popt, _ = curve_fit(lambda t, a, b: a + b * t, xp.asarray(t), y, [1.0, 1.0])
        return xp.sum(popt * xp.asarray(lib.asarray(w)))

    design = np.stack([np.ones_like(T), T], axis=1)
    near(lib, grad(loss)(lib.asarray(y)), np.linalg.pinv(design).T @ w)


def test_derivatives_of_a_batch(rng: Any) -> None:
    """With respect to data and to what the model closes over, against differences of SciPy's."""
    y, w = data(rng), rng.normal(size=(3, 3))

    def by_scipy(y: Any, s: float) -> float:
        fits = [
            scipy.optimize.curve_fit(lambda t, *p: s * decay(t, *p), T, row, START, **TIGHT)[0]
            for row in y
        ]
        return float(np.sum(w * np.asarray(fits)))

    def loss(y: Any, s: Any) -> Any:
        xp = likewise.array_namespace(y, s)
        popt, _ = curve_fit(lambda t, *p: s * decay(t, *p), T, y, START)
        return xp.sum(popt * w)

    s = np.asarray(1.2)
    gy, gs = grad(loss, argnums=(0, 1))(y, s)
    step = 1e-4
    expected = (by_scipy(y, 1.2 + step) - by_scipy(y, 1.2 - step)) / (2 * step)
    np.testing.assert_allclose(gs, expected, rtol=1e-4)
    direction = rng.normal(size=y.shape)
    moved = [by_scipy(y + d * direction, 1.2) for d in (step, -step)]
    np.testing.assert_allclose(
        np.sum(gy * direction), (moved[0] - moved[1]) / (2 * step), rtol=1e-4
    )


def test_derivatives_through_closures_bounds_and_fixed_parameters(rng: Any) -> None:
    """Each against differences of the fit itself, whose values SciPy has confirmed."""
    y = data(rng)[0]

    def slope(a: Any) -> Any:
        return curve_fit(lambda t, *p: decay(t, *p) + a * t, T, y, START)[0][1]

    def bounded(b: Any) -> Any:
        return curve_fit(decay, T, y, [1.0, 0.5, 0.1], bounds=(-1.0, b))[0][1]

    def held(start: Any) -> Any:
        return curve_fit(decay, T, y, start, fixed=[True, False, False])[0][1]

    places = (np.asarray(0.01), np.asarray([1.8, 9.0, 9.0]), np.asarray([1.8, 1.0, 0.1]))
    for function, at in zip((slope, bounded, held), places, strict=True):
        direction = np.zeros_like(at)
        direction[(0,) * at.ndim] = 1e-3
        expected = (function(at + direction) - function(at - direction)) / 2e-3
        found = np.sum(grad(function)(at) * direction) / 1e-3
        np.testing.assert_allclose(found, expected, rtol=1e-4)
        assert abs(expected) > 0.01


@pytest.mark.needs("torch")
def test_vmap_of_torch(rng: Any) -> None:
    import torch

    y = torch.tensor(data(rng))
    found = torch.vmap(lambda row: curve_fit(decay, torch.tensor(T), row, START)[0])(y)
    np.testing.assert_allclose(found, [scipy_fit(row)[0] for row in y.numpy()], rtol=1e-6)


def test_second_derivative_and_map(rng: Any) -> None:
    """Of k of exp(-k t) at t = 1: k = -log y."""
    t = np.asarray([1.0])

    def one(t: Any, k: Any) -> Any:
        return likewise.array_namespace(k).exp(-k * t)

    def rate(y: Any) -> Any:
        xp = likewise.array_namespace(y)
        return curve_fit(one, t, xp.reshape(y, (1,)), [0.5], full_output=True).popt[0]

    y = np.asarray(0.4)
    np.testing.assert_allclose(rate(y), -np.log(0.4), rtol=1e-12)
    np.testing.assert_allclose(grad(rate)(y), -1 / 0.4, rtol=1e-9)
    np.testing.assert_allclose(grad(grad(rate))(y), 1 / 0.16, rtol=1e-7)
    several = np.asarray([0.2, 0.4, 0.6])
    np.testing.assert_allclose(vmap(rate)(several), -np.log(several), rtol=1e-10)
    np.testing.assert_allclose(jacobian(vmap(rate))(several), np.diag(-1 / several), rtol=1e-9)


@pytest.mark.needs("torch")
def test_backward_of_torch(rng: Any) -> None:
    import torch

    y = torch.tensor(data(rng)[0], requires_grad=True)
    s = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    popt, _ = curve_fit(lambda t, *p: s * decay(t, *p), torch.tensor(T), y, START)
    popt[0].backward()
    # The amplitude goes with 1 / s, and with y as 1 / y: Euler's theorem.
    np.testing.assert_allclose(s.grad, -popt[0].detach(), rtol=1e-8)
    offsets = torch.sum(y.grad * y.detach())
    np.testing.assert_allclose(offsets, popt[0].detach(), rtol=1e-8)


@pytest.mark.full
@pytest.mark.needs("jax")
def test_jax_grad_and_what_compiles(rng: Any) -> None:
    import jax
    import jax.numpy as jnp

    data_ = data(rng)[0]
    y, t = jnp.asarray(data_), jnp.asarray(T)

    def first(y: Any, s: Any) -> Any:
        return curve_fit(lambda t, *p: s * decay(t, *p), t, y, START)[0][0]

    for function in (first, jax.jit(first)):
        value, (gy, gs) = jax.value_and_grad(function, argnums=(0, 1))(y, 1.0)
        np.testing.assert_allclose(value, scipy_fit(data_)[0][0], rtol=1e-7)
        np.testing.assert_allclose(gs, -value, rtol=1e-8)
        np.testing.assert_allclose(jnp.sum(gy * y), value, rtol=1e-8)

    def fit(scale: Any) -> Any:
        return curve_fit(lambda t, *p: scale * decay(t, *p), t, y, START)[0]

    once = fit(jnp.asarray(2.0))
    scale = jnp.asarray(4.0)
    with count_compiles():
        again = fit(scale)
    np.testing.assert_allclose(2 * again[0], once[0], rtol=1e-9)


# -- many ------------------------------------------------------------------------------------------


def many(rng: Any, count: int = 3000) -> Any:
    a, k, c = (rng.uniform(u, v, size=(count, 1)) for u, v in ((1, 3), (0.5, 2), (0, 0.5)))
    return a * np.exp(-k * T) + c + 0.02 * rng.normal(size=(count, T.shape[0]))


def test_ended_problems_make_room(rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any width and by any number of threads the same, and what SciPy finds."""
    y = many(rng)
    y[7, 3] = np.nan
    whole = curve_fit(decay, T, y, START, full_output=True)
    assert int(whole.status[7]) == -1 and np.all(np.delete(whole.status, 7) > 0)
    for i in (0, 1500, 2999):
        np.testing.assert_allclose(whole.popt[i], scipy_fit(y[i])[0], rtol=1e-6)
    monkeypatch.setattr("likewise.optimize._curve_fit._portions.working_set", lambda x: 1)
    narrow = curve_fit(decay, T, y, START, full_output=True, workers=2)
    for a, b in ((whole.popt, narrow.popt), (whole.pcov, narrow.pcov), (whole.rss, narrow.rss)):
        np.testing.assert_allclose(np.delete(b, 7, 0), np.delete(a, 7, 0), rtol=1e-6)
    assert "2999 of 3000 problems converged" in whole.summary()
    assert "status -1: data or model at p0 not finite" in whole.summary()


@pytest.mark.needs("jax")
@pytest.mark.full
def test_ended_problems_make_room_in_a_compiled_loop(
    rng: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import jax.numpy as jnp

    monkeypatch.setattr("likewise.optimize._curve_fit._portions.WIDE", 64)
    y = many(rng, 200)
    y[7, 3] = np.nan
    found = curve_fit(decay, jnp.asarray(T), jnp.asarray(y), START, full_output=True)
    expected = curve_fit(decay, T, y, START, full_output=True)
    np.testing.assert_array_equal(found.status > 0, expected.status > 0)
    for i in (0, 63, 64, 150, 199):
        np.testing.assert_allclose(found.popt[i], scipy_fit(y[i])[0], rtol=1e-6)
    np.testing.assert_allclose(
        np.delete(found.pcov, 7, 0), np.delete(expected.pcov, 7, 0), rtol=1e-5
    )


def test_progress_and_chunks(rng: Any) -> None:
    y, told = many(rng), []
    curve_fit(
        decay,
        T,
        y,
        START,
        chunk_size=1000,
        progress=lambda done, total, text: told.append((done, total, text)),
    )
    assert [t[0] for t in told] == sorted(t[0] for t in told)
    assert told[-1][:2] == (3000, 3000) and "a second, 0 failed" in told[-1][2]


def test_interrupted(rng: Any) -> None:
    y, calls = many(rng, 9000), [0]

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        calls[0] += 1
        if calls[0] == 12:
            raise KeyboardInterrupt
        return decay(t, a, k, c)

    found = curve_fit(model, T, y, START, full_output=True)
    ended = found.status > 0
    assert 0 < np.count_nonzero(ended) < 9000 and np.all(found.status[~ended] == -3)
    i = int(np.argmax(ended))
    np.testing.assert_allclose(found.popt[i], scipy_fit(y[i])[0], rtol=1e-6)
    assert "interrupted" in found.summary()


@pytest.mark.parametrize("options", [{}, {"loss": "cauchy"}])
def test_interrupted_at_the_last_evaluation(rng: Any, options: Any) -> None:
    """All that has been found stays, while covariances are made or in the longest's last step."""
    y, calls = many(rng, 100), [0]

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        calls[0] -= 1
        if calls[0] == 0:
            raise KeyboardInterrupt
        return decay(t, a, k, c)

    whole = curve_fit(model, T, y, START, full_output=True, **options)
    calls[0] = -calls[0]
    found = curve_fit(model, T, y, START, full_output=True, **options)
    np.testing.assert_allclose(found.popt, whole.popt, rtol=1e-6)
    ended = whole.nit < np.max(whole.nit)
    assert np.all(found.status[ended] > 0) and np.count_nonzero(ended) > 90


def test_out_of_memory_halves_the_chunk(rng: Any) -> None:
    y, seen = many(rng, 1000), set()

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        seen.add(a.shape[0])
        if a.shape[0] > 300:
            raise MemoryError
        return decay(t, a, k, c)

    popt, _ = curve_fit(model, T, y, START)
    np.testing.assert_allclose(popt[999], scipy_fit(y[999])[0], rtol=1e-6)
    assert max(seen) == 1000 and 250 in seen


@pytest.mark.needs("torch")
def test_out_of_memory_of_torch(rng: Any) -> None:
    import torch

    seen = set()

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        seen.add(a.shape[0])
        torch.empty(10**15 if a.shape[0] > 300 else 1)
        return decay(t, a, k, c)

    y = many(rng, 1000)
    popt, _ = curve_fit(model, torch.asarray(T), torch.asarray(y), START)
    np.testing.assert_allclose(popt[999].numpy(), scipy_fit(y[999])[0], rtol=1e-6)
    assert 250 in seen


# -- bad input -------------------------------------------------------------------------------------

Y = np.stack([decay(T, *p) for p in TRUTH])
WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "start outside": (
        lambda: curve_fit(decay, T, Y, [1.0, 1.0, 5.0], bounds=(0, 2)),
        ArgumentError,
        r"p0 is outside of its bounds, first of problem \(0,\)",
    ),
    "one start outside": (
        lambda: curve_fit(decay, T, Y, [[1.0] * 3, [1.0] * 3, [1.0, 9.0, 1.0]], bounds=(0, 2)),
        ArgumentError,
        r"p0 is outside of its bounds, first of problem \(2,\)",
    ),
    "bounds crossed": (
        lambda: curve_fit(decay, T, Y, START, bounds=([0, 3, 0], 2)),
        ArgumentError,
        "a lower bound is not below its upper bound",
    ),
    "bounds of three": (
        lambda: curve_fit(decay, T, Y, START, bounds=(0, 1, 2)),
        ArgumentError,
        "bounds must be a pair",
    ),
    "sigma": (
        lambda: curve_fit(
            decay, T, Y, START, np.where(np.arange(3) == 1, 0.0, 1.0)[:, None] + 0 * T
        ),
        ArgumentError,
        r"sigma must be positive, first of problem \(1,\)",
    ),
    "NaN": (
        lambda: curve_fit(
            decay, T, np.where(np.eye(3, 25) > 0, np.nan, Y), START, nan_policy="raise"
        ),
        ArgumentError,
        r"ydata must be finite.*first of problem \(0,\)",
    ),
    "policy": (
        lambda: curve_fit(decay, T, Y, START, nan_policy="ignore"),
        ArgumentError,
        "nan_policy",
    ),
    "mask": (
        lambda: curve_fit(decay, T, Y, START, mask=T),
        ArgumentError,
        "mask must be an array of",
    ),
    "fixed": (lambda: curve_fit(decay, T, Y, START, fixed=[True]), ShapeError, "fixed must have"),
    "loss": (lambda: curve_fit(decay, T, Y, START, loss="l1"), ArgumentError, "loss"),
    "f_scale": (lambda: curve_fit(decay, T, Y, START, f_scale=0), ArgumentError, "f_scale"),
    "method": (lambda: curve_fit(decay, T, Y, START, method="hybr"), ArgumentError, "method"),
    "prior": (
        lambda: curve_fit(decay, T, Y, START, 1.0, True, prior=(0.0, [1.0, -1.0, 1.0])),
        ArgumentError,
        "standard deviation is not positive",
    ),
    "closure with a batch axis": (
        lambda: curve_fit(lambda t, a, k, c: decay(t, a, k, c) + 0 * Y, T, Y, START),
        ShapeError,
        "belongs to xdata",
    ),
    "predictors": (
        lambda: curve_fit(decay, np.zeros((2, 5, 25)), Y, START),
        ShapeError,
        "xdata must have shape",
    ),
    "NaN bounds": (
        lambda: curve_fit(decay, T, Y, START, bounds=([0, np.nan, 0], 5)),
        ArgumentError,
        "a lower bound is not below its upper bound",
    ),
    "jac of one problem": (
        lambda: curve_fit(decay, T, Y, START, jac=lambda t, a, k, c: np.ones((25, 3))),
        ShapeError,
        "jac must return",
    ),
    "workers": (lambda: curve_fit(decay, T, Y, START, workers=0), ArgumentError, "workers"),
    "an array made of parameters": (
        lambda: curve_fit(lambda t, a, k, c: np.array([a, k])[0] * t + c, T, Y, START),
        TypeError,
        r"np\.stack",
    ),
    "SciPy's arguments of f": (
        lambda: curve_fit(decay, T, Y[0], START, args=(1,)),
        ArgumentError,
        "'args' is not a supported",
    ),
    "too few data": (
        lambda: curve_fit(decay, T[:1], Y[0, :1], START),
        TooFewDataError,
        "parameters=3 must not exceed .* points=1",
    ),
    "'lm' within bounds": (
        lambda: curve_fit(decay, T, Y[0], START, bounds=(0, 9), method="lm"),
        ArgumentError,
        "takes no bounds",
    ),
    "NaN that is to be passed on": (
        lambda: curve_fit(decay, T, Y[0] * np.nan, START, nan_policy="propagate"),
        ArgumentError,
        "'propagate'` is not supported",
    ),
    "a policy": (
        lambda: curve_fit(decay, T, Y[0], START, nan_policy="hi"),
        ArgumentError,
        "one of {'raise', 'omit', None}",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input(case: str) -> None:
    call, error, words = WRONG[case]
    with pytest.raises(error, match=words) as caught:
        call()
    if case == "NumPy's functions":
        notes = "".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
        assert "xp" in notes and "np.f(x)" in notes


def test_numpy_s_functions_with_differences(rng: Any) -> None:
    y = data(rng)
    popt, _ = curve_fit(lambda t, a, k, c: a * np.exp(-k * t) + c, T, y, START, jac="3-point")
    np.testing.assert_allclose(popt, [scipy_fit(row)[0] for row in y], rtol=1e-6)


@pytest.mark.xp_skip({"dask": "derivatives of blocks"})
def test_a_failed_fit_has_no_derivative(lib: Any) -> None:
    """As least_squares and root have none; beside one that succeeds."""
    x = lib.asarray(np.linspace(0, 1, 5))
    y = 3 * np.exp(-2 * np.linspace(0, 1, 5))
    start = lib.asarray(np.asarray([[1.0, 1.0], [3.0, 2.0]]))

    def decay(x: Any, a: Any, b: Any) -> Any:
        return a * likewise.array_namespace(x, a).exp(-b * x)

    def total(y: Any) -> Any:
        found = curve_fit(decay, x, y, start, max_nfev=3, full_output=True)
        return likewise.array_namespace(found.popt).sum(found.popt)

    one, other = lib.to_numpy(likewise.grad(total)(lib.asarray(np.stack([y, y]))))
    np.testing.assert_array_equal(one, 0.0)
    assert np.all(other != 0)


def test_a_mask_beside_sigma(lib: Any) -> None:
    """What is masked out has no weight, whatever its sigma."""
    t, mask = np.linspace(0.0, 1.0, 6), np.asarray([True, True, False, True, True, False])
    y = np.where(mask, 3 * t, 99.0)
    arrays = (lib.asarray(a) for a in (t, y, np.asarray([1.0]), np.full(6, 0.5)))
    popt, _ = curve_fit(lambda t, a: a * t, *arrays, mask=lib.asarray(mask))
    np.testing.assert_allclose(lib.to_numpy(popt), [3.0], rtol=1e-5)


# -- SciPy's habits --------------------------------------------------------------------------------


def test_five_results_as_scipy_has_them() -> None:
    fit = curve_fit(decay, T, Y[0], START, full_output=True)
    popt, pcov, infodict, mesg, ier = fit
    assert popt is fit.popt and pcov is fit["pcov"] and mesg == fit.message
    assert infodict["nfev"] == fit.nfev == fit["nfev"] == fit.nit + 1
    assert int(ier) in (1, 2, 3, 4) and "converged" in mesg


SIGMA = np.linspace(0.5, 2.0, T.shape[0])


@pytest.mark.xp_skip({"dask": "the model is called by blocks"})
@pytest.mark.parametrize("sigma", [None, SIGMA, np.diag(SIGMA**2) + 0.01])
@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (0.0, 50.0)])
def test_residuals_in_infodict(lib: Any, sigma: Any, bounds: Any) -> None:
    if not lib.has_float64 or lib.jit:
        return
    y = Y[0] + 0.1 * np.sin(9 * T)
    given = None if sigma is None else lib.asarray(sigma)
    fit = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), START, given, bounds=bounds, full_output=True
    )
    info = tuple(fit)[2]
    theirs = scipy.optimize.curve_fit(
        decay, T, y, START, sigma, bounds=bounds, full_output=True, ftol=1e-14, xtol=1e-14
    )[2]
    found = lib.to_numpy(info["fvec"])
    assert found.shape == T.shape and likewise.library(info["fvec"]) == lib.library
    np.testing.assert_allclose(found, theirs["fvec"], atol=1e-6)
    np.testing.assert_allclose(found @ found, float(info["rss"]), rtol=1e-9)


def test_residuals_of_what_is_left_out_are_none() -> None:
    y = np.where(np.arange(T.shape[0]) == 3, np.nan, Y[0])
    info = tuple(curve_fit(decay, T, y, START, nan_policy="omit", full_output=True))[2]
    assert info["fvec"].shape == T.shape and info["fvec"][3] == 0
    assert "fvec" not in tuple(curve_fit(decay, T, Y, START, full_output=True))[2]


def test_arguments_of_scipys() -> None:
    def turned(t: Any, a: Any, k: Any, c: Any) -> Any:
        one = np.exp(-k * t)
        return np.stack([one, -a * t * one, np.ones_like(t)])

    expected = curve_fit(decay, T, Y[0], START)[0]
    for method in ("lm", "trf", "dogbox"):
        popt, _ = curve_fit(decay, T, Y[0], START, method=method)
        np.testing.assert_array_equal(popt, expected)
    popt, _ = curve_fit(decay, T, Y[0], START, jac=turned, col_deriv=True)
    np.testing.assert_allclose(popt, expected, rtol=1e-10)
    fit = curve_fit(decay, T, Y[0], [9.0, 9.0, 0.0], maxfev=2, full_output=True)
    assert int(fit.status) == 0
    with pytest.warns(OptimizeWarning, match="x_scale has no effect"):
        curve_fit(decay, T, Y[0], START, x_scale=[1.0, 2.0])
    with pytest.raises(TypeError, match="nonsense"):
        curve_fit(decay, T, Y[0], START, nonsense=1)


def test_a_number_for_ydata_is_what_f_is_everywhere() -> None:
    level = curve_fit(lambda t, a, b: a + b * t - 2, T, 0, [0.0, 0.0], full_output=True)
    np.testing.assert_allclose(level.popt, [2.0, 0.0], atol=1e-12)


def test_a_covariance_that_the_data_leave_open_is_said() -> None:
    with pytest.warns(OptimizeWarning, match="could not be estimated"):
        _, pcov = curve_fit(lambda t, a, b: a * t, T, 2 * T + Y[0], [1.0, 1.0])
    assert np.all(np.isinf(pcov))


def test_points_left_out_of_a_covariance(lib: Any, rng: Any) -> None:
    """As if they had not been given."""
    a = rng.normal(size=(25, 25))
    cov, y, keep = a @ a.T + 25 * np.eye(25), data(rng)[0], T[3] != T
    y[3] = np.nan
    if lib.library == "dask":
        return  # covariances aren't taken there, which is tested above
    arrays = [lib.asarray(v) for v in (T, y, cov)]
    popt, pcov = curve_fit(decay, *arrays[:2], START, arrays[2], True, nan_policy="omit")
    inner = cov[np.ix_(keep, keep)]
    expected = scipy_fit(y[keep], T[keep], START, sigma=inner, absolute_sigma=True)
    np.testing.assert_allclose(lib.to_numpy(popt), expected[0], rtol=1e-6)
    # In single precision each entry is right to the size of the largest.
    atol = 0.0 if lib.has_float64 else 1e-5 * np.max(np.abs(expected[1]))
    np.testing.assert_allclose(lib.to_numpy(pcov), expected[1], rtol=1e-5, atol=atol)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("jac", [None, "3-point"])
def test_xdata_stay_as_they_are(lib: Any, many: bool, jac: Any) -> None:
    """A model that writes to them changes no array of the caller."""
    t = lib.asarray(np.linspace(1.0, 4.0, 6))
    before = lib.to_numpy(t).copy()
    y = lib.asarray(np.stack([2.0 * before, 3.0 * before]) if many else 2.0 * before)

    def model(t: Any, a: Any) -> Any:
        t[0] = 9.0
        return a * t

    with contextlib.suppress(ArgumentError, TypeError):
        curve_fit(model, t, y, [1.0], jac=jac)
    np.testing.assert_array_equal(lib.to_numpy(t), before)


def test_writing_to_xdata_is_told_of() -> None:
    t = np.linspace(1.0, 4.0, 6)
    with pytest.raises(ArgumentError, match="curve_fit: f writes to an array"):
        curve_fit(lambda t, a: (t.__setitem__(0, 9.0), a * t)[1], t, 2 * t)
    assert t.flags.writeable


def test_counts_of_one_fit_are_scalars() -> None:
    found = curve_fit(decay, T, decay(T, 2.0, 1.0, 0.5), START, full_output=True)
    assert isinstance(found.nfev, np.int32) and found.nfev.dtype == found.nit.dtype
    assert found.nfev == found.nit + 1
