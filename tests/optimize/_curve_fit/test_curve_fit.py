"""Curve fits against SciPy and closed forms, on every library."""

import warnings
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedDevicesError,
    MixedLibrariesError,
    ShapeError,
)
from likewise.optimize import FitResult, curve_fit
from likewise.testing import check_function

T = np.linspace(0.0, 4.0, 25)
TRUTH = np.asarray([[2.0, 1.0, 0.5], [3.0, 0.5, -0.2], [1.0, 2.0, 0.0]])


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    xp = likewise.array_namespace(t)
    return a * xp.exp(-k * t) + c


def data(rng: np.random.Generator, noise: float = 0.02) -> Any:
    a, k, c = TRUTH.T[:, :, None]
    return a * np.exp(-k * T) + c + noise * rng.normal(size=(3, T.shape[0]))


def by_scipy(y: Any, **options: Any) -> tuple[Any, Any]:
    def f(t: Any, a: Any, k: Any, c: Any) -> Any:
        return a * np.exp(-k * t) + c

    def jac(t: Any, a: Any, k: Any, c: Any) -> Any:
        e = np.exp(-k * t)
        return np.stack([e, -a * t * e, np.ones_like(t)], axis=-1)

    tight = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
    fits = [
        scipy.optimize.curve_fit(f, T, row, [1.0, 1.0, 0.0], jac=jac, **tight, **options)
        for row in y
    ]
    return np.asarray([p for p, _ in fits]), np.asarray([c for _, c in fits])


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-7) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    scale = float(np.max(np.abs(expected)))
    np.testing.assert_allclose(
        out,
        expected,
        rtol=rtol if lib.has_float64 else 2e-3,
        atol=1e-9 if lib.has_float64 else 2e-3 * scale,
    )


def test_batch_equals_scipy(lib: Any, rng: Any) -> None:
    y = data(rng)
    popt, pcov = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0])
    expected = by_scipy(y)
    near(lib, popt, expected[0])
    near(lib, pcov, expected[1], 1e-5)


def test_one_problem_as_scipy(lib: Any, rng: Any) -> None:
    y = data(rng)[0]
    seen = []

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        seen.append((a.shape, tuple(t.shape)))
        return decay(t, a, k, c)

    popt, pcov = curve_fit(model, lib.asarray(T), lib.asarray(y), lib.asarray([1.0, 1.0, 0.0]))
    expected = by_scipy(y[None])
    near(lib, popt, expected[0][0])
    near(lib, pcov, expected[1][0], 1e-5)
    assert set(seen) == {((), T.shape)}


def test_full_output(lib: Any, rng: Any) -> None:
    y = data(rng)
    result = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], full_output=True)
    assert isinstance(result, FitResult)
    rss = [np.sum((decay(T, *p) - row) ** 2) for p, row in zip(by_scipy(y)[0], y, strict=True)]
    near(lib, result.rss, rss)
    status, nit = lib.to_numpy(result.status), lib.to_numpy(result.nit)
    assert status.dtype == nit.dtype == np.int32 and status.shape == (3,)
    assert np.all(status > 0) and np.all((nit > 2) & (nit < 60))
    if lib.library != "dask":
        assert sum(n for n, _ in result.advice().values()) == 3


@pytest.mark.long("jax-jit")
def test_sigma_and_absolute_sigma(lib: Any, rng: Any) -> None:
    y = data(rng)
    sigma = 0.5 + rng.uniform(size=T.shape)
    for absolute in (False, True):
        popt, pcov = curve_fit(
            decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], lib.asarray(sigma), absolute
        )
        expected = by_scipy(y, sigma=sigma, absolute_sigma=absolute)
        near(lib, popt, expected[0])
        near(lib, pcov, expected[1], 1e-5)


@pytest.mark.long("jax-jit")
def test_sigma_per_problem_and_leading_dimensions(lib: Any, rng: Any) -> None:
    y = data(rng)
    sigma = 0.5 + rng.uniform(size=y.shape)
    many = np.stack([y, y[::-1]])
    popt, pcov = curve_fit(
        decay, lib.asarray(T), lib.asarray(many), [1.0, 1.0, 0.0], lib.asarray(sigma)
    )
    assert tuple(popt.shape) == (2, 3, 3) and tuple(pcov.shape) == (2, 3, 3, 3)
    one = [by_scipy(y[i][None], sigma=sigma[i])[0][0] for i in range(3)]
    near(lib, popt[0, ...], one)


@pytest.mark.long("jax-jit")
def test_starts_make_the_batch(lib: Any, rng: Any) -> None:
    y = data(rng)[0]
    p0 = [[1.0, 1.0, 0.0], [3.0, 0.5, 1.0]]
    popt, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y), lib.asarray(p0))
    near(lib, popt, np.repeat(by_scipy(y[None])[0], 2, axis=0))


@pytest.mark.long("jax-jit")
@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences(lib: Any, jac: str, rng: Any) -> None:
    y = data(rng)
    popt, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], jac=jac)
    near(lib, popt, by_scipy(y)[0], 1e-5)


def test_jacobian_given(lib: Any, rng: Any) -> None:
    y = data(rng)
    calls = []

    def jac(t: Any, a: Any, k: Any, c: Any) -> Any:
        xp = likewise.array_namespace(t)
        calls.append(a.shape)
        e = xp.exp(-k * t)
        return xp.stack([e, -a * t * e, xp.ones_like(e)], axis=-1)

    popt, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], jac=jac)
    near(lib, popt, by_scipy(y)[0])
    assert calls
    one, _ = curve_fit(decay, lib.asarray(T), lib.asarray(y[0]), [1.0, 1.0, 0.0], jac=jac)
    near(lib, one, by_scipy(y)[0][0])


def test_float32_stays_and_converges(lib: Any, rng: Any) -> None:
    y = data(rng).astype("float32")
    result = curve_fit(
        decay, lib.asarray(T, "float32"), lib.asarray(y), [1.0, 1.0, 0.0], full_output=True
    )
    popt = lib.to_numpy(result.popt)
    assert popt.dtype == np.float32
    np.testing.assert_allclose(popt, by_scipy(y.astype("float64"))[0], rtol=2e-3, atol=2e-3)
    assert np.all(lib.to_numpy(result.status) > 0)


def test_one_bad_problem_spoils_no_other(lib: Any, rng: Any) -> None:
    y = data(rng)
    y[1, 3] = np.nan
    result = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], full_output=True)
    assert lib.to_numpy(result.status)[1] == -1
    near(lib, result.popt[0, ...], by_scipy(y[:1])[0][0])
    near(lib, result.popt[2, ...], by_scipy(y[2:])[0][0])
    np.testing.assert_array_equal(lib.to_numpy(result.popt)[1], [1.0, 1.0, 0.0])


def test_status_of_a_fit_cut_short(lib: Any, rng: Any) -> None:
    y = data(rng)
    result = curve_fit(
        decay, lib.asarray(T), lib.asarray(y), [9.0, 0.01, 9.0], max_nfev=5, full_output=True
    )
    nit = lib.to_numpy(result.nit)
    assert np.all(lib.to_numpy(result.status) == 0) and np.all((nit >= 4) & (nit < 10))
    if lib.library != "dask":
        ((code, (count, words)),) = result.advice().items()
        assert (code, count) == (0, 3) and "max_nfev" in words


def test_dependent_parameters_have_infinite_covariance(lib: Any) -> None:
    def model(t: Any, a: Any, b: Any) -> Any:
        return (a + b) * t

    def jac(t: Any, a: Any, b: Any) -> Any:  # differences see the dependence only if they are exact
        return likewise.array_namespace(t).stack([t, t], axis=-1)

    result = curve_fit(
        model, lib.asarray(T), lib.asarray(2 * T), [1.0, 3.0], jac=jac, full_output=True
    )
    assert np.all(np.isinf(lib.to_numpy(result.pcov)))
    np.testing.assert_allclose(np.sum(lib.to_numpy(result.popt)), 2.0, rtol=1e-3)


def test_no_degrees_of_freedom(lib: Any) -> None:
    def line(t: Any, a: Any, b: Any) -> Any:
        return a + b * t

    x, y = lib.asarray([0.0, 1.0]), lib.asarray([1.0, 3.0])
    fit = curve_fit(line, x, y, [0.0, 0.0], full_output=True)
    near(lib, fit.popt, [1.0, 2.0])
    assert np.all(np.isinf(lib.to_numpy(fit.pcov)))


def test_overflow_on_the_way_is_a_rejected_step(lib: Any) -> None:
    y = np.exp(3 * T)
    result = curve_fit(
        lambda t, k: likewise.array_namespace(t).exp(k * t),
        lib.asarray(T),
        lib.asarray(y),
        [0.01],
        full_output=True,
    )
    near(lib, result.popt, [3.0])


def test_p0_by_signature(rng: Any) -> None:
    popt, _ = curve_fit(decay, T, data(rng))
    assert popt.shape == (3, 3)
    with pytest.raises(ArgumentError, match="p0 is needed"):
        curve_fit(lambda t, *p: p[0] * t, T, T)


def test_two_predictors_and_objects_as_x(lib: Any, rng: Any) -> None:
    x = rng.normal(size=(2, 12))
    y = 2.0 * x[0] - 3.0 * x[1]
    popt, _ = curve_fit(
        lambda x, a, b: a * x[0, :] + b * x[1, :], lib.asarray(x), lib.asarray(y), [0.0, 0.0]
    )
    near(lib, popt, [2.0, -3.0])
    if lib.library != "dask":  # whose blocks are NumPy's
        first = lib.asarray(x[0])
        popt, _ = curve_fit(lambda d, a: a * d["x"], {"x": first}, 4 * first, [1.0])
        near(lib, popt, [4.0])


@pytest.mark.parametrize("count", [2, pytest.param(200, marks=pytest.mark.full)])
def test_parameters_of_a_failed_fit_are_nan(lib: Any, rng: Any, count: int) -> None:
    """As their covariance is, with a warning; those of the others, and gradients, as without it."""
    y = np.tile(data(rng), (count, 1))
    wrong = y.copy()
    wrong[4, 7] = np.nan
    good = np.arange(len(y)) != 4
    t, start = lib.asarray(T), [1.0, 1.0, 0.0]

    def fit(y: Any) -> Any:
        return curve_fit(decay, t, y, start)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        popt, pcov = map(lib.to_numpy, fit(lib.asarray(wrong)))
    said = [str(w.message) for w in told]
    assert bool(said) or lib.library == "dask"
    assert all("1 of" in text and "Their popt and pcov are NaN" in text for text in said)
    assert np.all(np.isnan(popt[4])) and np.all(np.isnan(pcov[4]))
    expected = curve_fit(decay, T, y, start)
    rtol = 1e-5 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(popt[good], expected[0][good], rtol=rtol, atol=1e-4)
    assert np.all(np.isfinite(pcov[good]))
    kept = curve_fit(decay, t, lib.asarray(wrong), start, full_output=True)
    np.testing.assert_allclose(lib.to_numpy(kept.popt)[4], start)


@pytest.mark.long("jax-jit")
def test_in_parts(lib: Any, rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.concatenate([data(rng) for _ in range(3)])
    whole = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], full_output=True)
    monkeypatch.setattr("likewise._memory._LITTLE", 0)
    monkeypatch.setattr("likewise._memory.memory_budget", lambda x: 4 * 25 * 23 * 8)
    parts = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], full_output=True)
    for name in ("popt", "pcov", "rss"):
        a, b = getattr(whole, name), getattr(parts, name)
        np.testing.assert_allclose(
            lib.to_numpy(b), lib.to_numpy(a), rtol=1e-6 if lib.has_float64 else 2e-2, atol=1e-8
        )


@pytest.mark.needs("torch")
def test_inputs_are_untouched(lib: Any, rng: Any) -> None:
    arrays = [lib.asarray(T), lib.asarray(data(rng)), lib.asarray([1.0, 1.0, 0.0])]
    before = [likewise.to_numpy(a, writable=True) for a in arrays]
    curve_fit(decay, *arrays)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(likewise.to_numpy(a), b)


@pytest.mark.needs("dask")
def test_dask_stays_lazy_and_keeps_blocks(rng: Any) -> None:
    import dask.array as da

    y = da.from_array(data(rng), chunks=(2, 10))
    seen = []

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        seen.append(type(t))
        return decay(t, a, k, c)

    popt, pcov = curve_fit(model, da.from_array(T), y, [1.0, 1.0, 0.0])
    assert popt.chunks[0] == (2, 1) and pcov.shape == (3, 3, 3)
    np.testing.assert_allclose(popt.compute(scheduler="sync"), by_scipy(y.compute())[0], rtol=1e-6)
    assert np.ndarray in seen and not any(issubclass(t, da.Array) for t in seen)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_jax_jit_and_forward_derivative(rng: Any) -> None:
    import jax
    import jax.numpy as jnp

    y = data(rng, 0.0)
    result = jax.jit(lambda y: curve_fit(decay, T_jax(), y, [1.0, 1.0, 0.0], full_output=True))(
        jnp.asarray(y)
    )
    assert isinstance(result, FitResult)
    np.testing.assert_allclose(result.popt, TRUTH, rtol=1e-6, atol=1e-8)


def T_jax() -> Any:
    import jax.numpy as jnp

    return jnp.asarray(T)


def good(t: Any, a: Any, k: Any) -> Any:
    return a * t + k


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "not callable": (lambda: curve_fit(3, T, T), TypeError, "f must be callable"),
    "mixed libraries": (
        lambda: curve_fit(good, strict.asarray(T), T, [1, 1]),
        MixedLibrariesError,
        "'xdata' is a strict",
    ),
    "mixed p0": (
        lambda: curve_fit(good, T, T, strict.asarray([1.0, 1.0])),
        MixedLibrariesError,
        "'p0' is a strict",
    ),
    "None": (
        lambda: curve_fit(good, T, None, [1, 1]),
        ArrayTypeError,
        "'ydata' must be an array, got None",
    ),
    "complex": (
        lambda: curve_fit(good, T, T + 1j, [1, 1]),
        DtypeError,
        "'ydata' must hold real numbers",
    ),
    "object": (
        lambda: curve_fit(good, T, T.astype(object), [1, 1]),
        DtypeError,
        "'ydata' must hold real",
    ),
    "p0's length": (
        lambda: curve_fit(good, T, T, [1, 1, 1]),
        ShapeError,
        r"p0 has 3 values, but f\(t: .* doesn't take",
    ),
    "half precision": (
        lambda: curve_fit(good, T.astype("f2"), T.astype("f2"), np.ones(2, "f2")),
        DtypeError,
        "must be of float32, float64",
    ),
    "scalar": (
        lambda: curve_fit(good, None, 1.0, [1, 1]),
        ShapeError,
        "ydata must have at least one",
    ),
    "lengths": (
        lambda: curve_fit(good, T[:3], T, [1, 1]),
        ShapeError,
        "last dimension of ydata, 25",
    ),
    "batch": (
        lambda: curve_fit(good, T, np.ones((2, 25)), np.ones((3, 2))),
        ShapeError,
        r"ydata \(2,\) and p0 \(3,\)",
    ),
    "few data": (lambda: curve_fit(good, T[:1], T[:1], [1, 1]), ShapeError, "p = 2 and n = 1"),
    "empty": (lambda: curve_fit(good, T[:0], T[:0], [1, 1]), ShapeError, "p = 2 and n = 0"),
    "sigma length": (lambda: curve_fit(good, T, T, [1, 1], T[:3]), ShapeError, "sigma must have"),
    "sigma column": (
        lambda: curve_fit(good, T, T, [1, 1], T[:, None]),
        ShapeError,
        r"sigma must have the shape of ydata \(\d+,\), .*got \(\d+, 1\)",
    ),
    "sigma matrix": (
        lambda: curve_fit(good, T, T, [1, 1], -np.eye(25)),
        ArgumentError,
        "sigma must be positive definite",
    ),
    "sigma zero": (
        lambda: curve_fit(good, T, T, [1, 1], T),
        ArgumentError,
        "sigma must be positive",
    ),
    "NaN": (lambda: curve_fit(good, T, T * np.nan, [1, 1]), ArgumentError, "ydata must be finite"),
    "jac": (
        lambda: curve_fit(good, T, T, [1, 1], jac="exact"),
        ArgumentError,
        "'2-point', '3-point'",
    ),
    "xtol": (
        lambda: curve_fit(good, T, T, [1, 1], xtol=-1),
        ArgumentError,
        "xtol must be a number",
    ),
    "max_nfev": (
        lambda: curve_fit(good, T, T, [1, 1], max_nfev=0.5),
        ArgumentError,
        "max_nfev must be",
    ),
    "model's shape": (
        lambda: curve_fit(lambda t, a, k: a * t[:5], T, np.stack([T, T]), [1, 1]),
        ShapeError,
        r"f must return a numpy array of float64, shape \(1, 25\).*, got .*shape \(1, 5\).*\(batch, 1\)",
    ),
    "model's dtype": (
        lambda: curve_fit(
            lambda t, a, k: a * t * np.ones(25), T.astype("f4"), T.astype("f4"), [1, 1]
        ),
        DtypeError,
        "got a numpy array of float64.*constant",
    ),
    "model's library": (
        lambda: curve_fit(lambda t, a, k: strict.asarray(t), T, T, [1, 1]),
        ArrayTypeError,
        "f must return a numpy array.*strict",
    ),
    "model's None": (
        lambda: curve_fit(lambda t, a, k: None, T, T, [1, 1]),
        ArrayTypeError,
        "got NoneType",
    ),
    "jac's shape": (
        lambda: curve_fit(good, T, T, [1, 1], jac=lambda t, a, k: t),
        ShapeError,
        r"jac must return .*shape \(25, 2\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("curve_fit:")


def test_mixed_devices() -> None:
    t = strict.asarray(T)
    with pytest.raises(MixedDevicesError, match="curve_fit: arguments 'ydata' and 'p0'"):
        curve_fit(decay, t, t, strict.ones(3, device=strict.Device("device1")))


def test_an_error_of_the_model_is_its_own() -> None:
    def broken(t: Any, a: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        curve_fit(broken, T, T, [1.0])


def test_scalar_sigma_and_p0(lib: Any, rng: Any) -> None:
    y = data(rng)[0]
    popt, pcov = curve_fit(decay, lib.asarray(T), lib.asarray(y), [1.0, 1.0, 0.0], 0.1, True)
    expected = by_scipy(y[None], sigma=np.full(T.shape, 0.1), absolute_sigma=True)
    near(lib, popt, expected[0][0])
    near(lib, pcov, expected[1][0], 1e-5)
    popt, _ = curve_fit(lambda t, a: a * t, lib.asarray(T), lib.asarray(2 * T), 1.0)
    near(lib, popt, [2.0])


def test_predictors_in_a_tuple(lib: Any, rng: Any) -> None:
    x = rng.normal(size=(2, 12))
    pair = (lib.asarray(x[0]), lib.asarray(x[1]))
    y = lib.asarray(2.0 * x[0] - 3.0 * x[1])
    popt, _ = curve_fit(lambda x, a, b: a * x[0, :] + b * x[1, :], pair, y, [0.0, 0.0])
    near(lib, popt, [2.0, -3.0])


def test_a_model_may_return_a_parameter(lib: Any) -> None:
    popt, _ = curve_fit(lambda t, a: a, lib.asarray(T), lib.asarray(T), [1.0])
    near(lib, popt, [np.mean(T)])
    popt, _ = curve_fit(lambda t, a: 2 * a, lib.asarray(T), lib.asarray(T), [1.0])
    near(lib, popt, [np.mean(T) / 2])


@pytest.mark.parametrize(
    ("dtype", "scale"), [("float32", 1e26), ("float32", 1e-23), ("float64", 1e160)]
)
def test_any_scale(lib: Any, dtype: str, scale: float) -> None:
    if dtype == "float64" and not lib.has_float64:
        return

    def model(t: Any, a: Any, k: Any) -> Any:
        return a * likewise.array_namespace(t).exp(-k * t)

    y = lib.asarray(scale * np.exp(-T), dtype)
    result = curve_fit(
        model, lib.asarray(T, dtype), y, lib.asarray([2 * scale, 2.0], dtype), full_output=True
    )
    np.testing.assert_allclose(lib.to_numpy(result.popt), [scale, 1.0], rtol=1e-5)


def test_scaled_columns_are_not_dependent_ones() -> None:
    y = T + 0.1 * np.sin(9 * T)
    _, plain = curve_fit(lambda t, a, b: a * t + b, T, y, [1.0, 1.0])
    _, scaled = curve_fit(lambda t, a, b: a * t + b, T * 1e150, y, [1e-150, 1.0])
    np.testing.assert_allclose(scaled[1, 1], plain[1, 1], rtol=1e-6)


@pytest.mark.long("jax-jit")
@pytest.mark.parametrize("noise", [1e-4, 1e-3])
def test_sums_belong_to_the_parameters(lib: Any, noise: float, rng: Any) -> None:
    """In single precision, where a last step is not as small as elsewhere."""
    t = T.astype("float32")
    y = (3 * t + noise * rng.normal(size=(40, 25))).astype("float32")
    fit = curve_fit(lambda t, a: a * t, lib.asarray(t), lib.asarray(y), [1.0], full_output=True)
    residuals = y.astype("float64") - lib.to_numpy(fit.popt).astype("float64") * t
    rss = np.sum(residuals**2, axis=1)
    np.testing.assert_allclose(lib.to_numpy(fit.rss), rss, rtol=2e-3 if noise < 1e-3 else 2e-4)


@pytest.mark.parametrize("tolerances", [{}, {"xtol": 1e-3}, {"xtol": 1e-3, "ftol": 1e-3}])
def test_sums_belong_to_the_parameters_at_loose_tolerances(tolerances: Any, rng: Any) -> None:
    y = 2 * T + 0.1 * rng.normal(size=(20, 25))
    fit = curve_fit(lambda t, a: a**4 * t, T, y, [3.0], full_output=True, **tolerances)
    np.testing.assert_allclose(fit.rss, np.sum((y - fit.popt**4 * T) ** 2, axis=1), rtol=1e-12)


def test_a_step_out_of_the_domain_is_not_taken_unseen() -> None:
    def model(t: Any, a: Any, b: Any) -> Any:
        return a * likewise.array_namespace(t, b).log(t + b)

    t = np.linspace(0.1, 2, 20)
    y = np.where(t < 0.15, -50.0, 0.1 * t)
    fit = curve_fit(model, t, y, [1.0, 0.5], gtol=0.3, full_output=True)
    assert fit.status == 4 and fit.popt[1] > -0.1
    np.testing.assert_allclose(fit.rss, np.sum((y - model(t, *fit.popt)) ** 2), rtol=1e-9)


def test_one_long_step_is_no_rate() -> None:
    """A huge step makes the next one look small."""
    fit = curve_fit(
        lambda t, p: likewise.array_namespace(p).cos(p) * t, T, -T, [1e-7], full_output=True
    )
    assert fit.status > 0 and fit.rss < 1e-12


def test_products_that_overflow_in_single_precision(lib: Any) -> None:
    t = np.linspace(1, 9, 20, dtype="float32") * np.float32(1e20)
    y = (5 + 1e-19 * t).astype("float32")
    fit = curve_fit(
        lambda t, a, b: a + b * t, lib.asarray(t), lib.asarray(y), [0.0, 0.0], full_output=True
    )
    assert fit.status > 0
    np.testing.assert_allclose(lib.to_numpy(fit.popt), [5, 1e-19], rtol=1e-5)


@pytest.mark.parametrize("offset", [1e2, 1e3, 1e4])
def test_rounding_does_not_end_single_precision_early(lib: Any, offset: float, rng: Any) -> None:
    """As near to double precision on the same data as rounding allows: within a standard error."""
    if lib.library == "strict":
        return  # NumPy's arithmetic, slower
    y = (offset + np.sin(T) + 0.01 * rng.normal(size=(20, 25))).astype("float32")

    def model(t: Any, o: Any, a: Any, w: Any) -> Any:
        return o + a * likewise.array_namespace(t).sin(w * t)

    def numpy_model(t: Any, o: Any, a: Any, w: Any) -> Any:
        return o + a * np.sin(w * t)

    t = T.astype("float32")
    start = [0.9 * offset, 0.8, 1.1]
    got = lib.to_numpy(
        curve_fit(model, lib.asarray(t), lib.asarray(y), start, full_output=True).popt
    )
    for row, found in zip(y.astype("float64"), got, strict=True):
        popt, pcov = scipy.optimize.curve_fit(numpy_model, t.astype("float64"), row, start)
        assert np.all(np.abs(found - popt) < np.sqrt(np.diag(pcov)))


@pytest.mark.needs("jax")
@pytest.mark.full
def test_one_problem_under_jit_with_constant_x(rng: Any) -> None:
    import jax
    import jax.numpy as jnp

    t, y = jnp.asarray(T), jnp.asarray(data(rng))
    run = jax.vmap(jax.jit(lambda y: curve_fit(decay, t, y, [1.0, 1.0, 0.0])[0]))
    np.testing.assert_allclose(run(y), by_scipy(np.asarray(y))[0], rtol=1e-6, atol=1e-9)


@pytest.mark.needs("dask")
def test_dask_blocks_of_p0_and_unknown_shapes() -> None:
    import dask.array as da

    start = da.ones((10, 2), chunks=(2, 2))
    popt, _ = curve_fit(
        lambda t, a, b: a + b * t, da.from_array(T), da.from_array(1 + 2 * T), start
    )
    assert len(popt.chunks[0]) == 5
    np.testing.assert_allclose(popt.compute(), np.tile([1.0, 2.0], (10, 1)), rtol=1e-9)
    unknown = da.from_array(T, chunks=5)
    unknown = unknown[unknown > 1]
    with pytest.raises(ShapeError, match=r"curve_fit: argument 'ydata' must have a known shape"):
        curve_fit(lambda t, a, b: a + b * t, T_dask(), unknown, [1.0, 1.0])


def T_dask() -> Any:
    import dask.array as da

    return da.from_array(T)


@pytest.mark.full
def test_capabilities(rng: np.random.Generator) -> None:
    """What one line proves of it, the loop declared."""
    y = data(rng)
    popt, pcov = by_scipy(y)
    record = check_function(
        lambda t, y: curve_fit(decay, t, y, p0=[1.0, 1.0, 0.0]),
        T,
        y,
        reference=lambda t, y: (popt, pcov),
        tol={"float64": 1e-7, "float32": 5e-2},
        compile="the iterations look at values",
        # Who has ended; once: are sizes ordinary, did products overflow, who goes on, who failed, is
        # a covariance infinite.
        scalars=6,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.curve_fit",
    )
    assert record.cells["numpy"]["eager"].status == "yes"


def test_a_constant_model_in_a_batch(rng: Any) -> None:
    """Its values have one place on the axis of the points."""
    y = rng.normal(size=(3, 9))
    popt, _ = curve_fit(lambda x, a: a, np.linspace(0, 1, 9), y, p0=np.ones(1))
    np.testing.assert_allclose(popt[:, 0], np.mean(y, axis=1), rtol=1e-9)


def test_which_fits_a_native_solver_takes() -> None:
    """One ordinary problem of float64; of what is asked beyond that it knows nothing."""
    y = 2.0 * np.exp(-0.7 * T) + 0.3
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "ordinary": (y, {}),
        "weighted": (y, {"sigma": np.full(25, 0.1)}),
        "single": (y.astype("float32"), {}),
        "several": (y[None, :], {}),
        "bounded": (y, {"bounds": (0.0, 9.0)}),
        "robust": (y, {"loss": "cauchy"}),
    }
    taken = set()
    for kind, (values, options) in kinds.items():
        with likewise.trace_native() as ran:
            found, _ = curve_fit(decay, T.astype(values.dtype), values, [1.0, 1.0, 0.0], **options)
        np.testing.assert_allclose(np.reshape(found, (3,)), [2.0, 0.7, 0.3], rtol=1e-4)
        if [r.routine.rpartition(":")[2] for r in ran if r.function == "fitted"] == ["fit"]:
            taken.add(kind)  # and it has not given it back
    assert taken == {"ordinary", "weighted", "bounded"}
