"""Minima under SciPy's other names, against SciPy's."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import array_namespace, optimize
from likewise.errors import DerivativeWarning, OptimizeWarning
from likewise.optimize import rosen, rosen_der

FLAG = "the flag is a number of Python's"
START = np.asarray([-1.2, 1.0])
NEAR = np.asarray([0.9, 0.75])  # few steps lead from there to the minimum, where each takes long


@pytest.mark.xp_lazy(*[getattr(optimize, n) for n in ("fmin", "fmin_bfgs", "fmin_cg")], jit=FLAG)
@pytest.mark.parametrize("name", ["fmin", "fmin_bfgs", "fmin_cg"])
def test_of_several_variables(lib: Any, name: str) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    ours, theirs = (getattr(m, name) for m in (optimize, scipy.optimize))
    start = START if lib.name == "numpy" else NEAR
    expected = theirs(rosen, start, full_output=True, disp=False)
    got = ours(rosen, lib.asarray(start), full_output=True)
    assert len(got) == len(expected)
    np.testing.assert_allclose(lib.to_numpy(got[0]), expected[0], atol=1e-3)
    np.testing.assert_allclose(lib.to_numpy(got[1]), 0, atol=1e-6)
    assert got[-1] == 0
    if lib.name != "numpy":
        return  # what follows is alike everywhere, and takes long where steps are compiled
    if name != "fmin":
        alone = ours(rosen, START, rosen_der)
        np.testing.assert_allclose(alone, [1, 1], atol=1e-3)
    with pytest.warns(OptimizeWarning, match=f"{name}: "):
        assert ours(rosen, START, maxiter=3, full_output=True)[-1] == 1


def test_within_bounds(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    bounds = [(-2.0, 0.5), (None, 2.0)]
    calls: dict[str, tuple[Any, dict[str, Any]]] = {
        "exact": (rosen, {"approx_grad": True}),
        "own": (rosen, {"fprime": rosen_der}),
        "both": (lambda x: (rosen(x), rosen_der(x)), {}),
    }
    expected, value, _ = scipy.optimize.fmin_l_bfgs_b(rosen, START, rosen_der, bounds=bounds)
    if lib.name != "numpy":  # alike everywhere, and long where steps are compiled
        calls = {"exact": calls["exact"]}
    for f, more in calls.values():
        start = START if lib.name == "numpy" else np.asarray([0.4, 0.2])
        x, fun, info = optimize.fmin_l_bfgs_b(f, lib.asarray(start), bounds=bounds, **more)
        np.testing.assert_allclose(lib.to_numpy(x), expected, atol=1e-5)
        np.testing.assert_allclose(lib.to_numpy(fun), value, rtol=1e-6)
        assert info["warnflag"] == 0 and {"grad", "task", "funcalls", "nit"} <= info.keys()


def test_of_one_variable(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    f = lambda x, c: (x - c) ** 2 + array_namespace(x).sin(x)  # noqa: E731
    expected = scipy.optimize.fminbound(f, 0.0, 4.0, args=(1.5,), full_output=True)
    ends = lib.asarray(np.asarray(0.0)), lib.asarray(np.asarray(4.0))
    got = optimize.fminbound(f, *ends, args=(1.5,), full_output=True)
    np.testing.assert_allclose(lib.to_numpy(got[0]), expected[0], atol=1e-5)
    np.testing.assert_allclose(lib.to_numpy(got[1]), expected[1], rtol=1e-8)
    assert got[2] == 0


@pytest.mark.parametrize("name", ["brent", "golden"])
def test_along_a_line(lib: Any, name: str) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    ours, theirs = (getattr(m, name) for m in (optimize, scipy.optimize))
    f = lambda x, c: (x - c) ** 2 + array_namespace(x).sin(x)  # noqa: E731
    points = (lib.asarray(np.asarray(0.0)), lib.asarray(np.asarray(1.0)))
    expected = theirs(f, (1.5,), (0.0, 1.0), full_output=True)
    got = ours(f, (1.5,), points, full_output=True)
    assert len(got) == len(expected)
    for x, y in zip(got[:2], expected[:2], strict=True):
        np.testing.assert_allclose(lib.to_numpy(x), y, rtol=1e-6)
    if lib.library == "numpy":
        np.testing.assert_allclose(ours(f, 1.5), expected[0], rtol=1e-6)


@pytest.mark.xp_lazy(optimize.fmin_ncg, jit=FLAG)
def test_newtons(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    got = optimize.fmin_ncg(rosen, lib.asarray(START), full_output=True)
    expected = scipy.optimize.fmin_ncg(rosen, START, rosen_der, full_output=True, disp=False)
    assert len(got) == len(expected) and got[-1] == 0
    np.testing.assert_allclose(lib.to_numpy(got[0]), expected[0], atol=1e-4)
    if lib.name == "numpy":  # alike everywhere, and long where steps are compiled
        own = optimize.fmin_ncg(rosen, START, rosen_der, None, optimize.rosen_hess, (), 1e-8)
        np.testing.assert_allclose(own, [1, 1], atol=1e-6)


@pytest.mark.xp_lazy(optimize.leastsq, jit=FLAG)
def test_leastsq(lib: Any, once: bool) -> None:
    if lib.library == "dask" or not lib.has_float64 or not hasattr(lib.xp, "linalg"):
        return
    t = np.linspace(0, 2, 9)
    y = 2.5 * np.exp(-1.3 * t) + 0.01 * np.cos(9 * t)
    own = lib.asarray(t), lib.asarray(y)

    def residuals(x: Any, t: Any, y: Any) -> Any:
        return x[0] * array_namespace(x).exp(-x[1] * t) - y

    expected = scipy.optimize.leastsq(residuals, [1.0, 1.0], args=(t, y), full_output=True)
    got = optimize.leastsq(residuals, lib.asarray(np.ones(2)), args=own, full_output=True)
    assert len(got) == len(expected) and got[4] in (1, 2, 3, 4)
    np.testing.assert_allclose(lib.to_numpy(got[0]), expected[0], rtol=1e-6)
    np.testing.assert_allclose(lib.to_numpy(got[1]), expected[1], rtol=1e-4)
    np.testing.assert_allclose(lib.to_numpy(got[2]["fvec"]), expected[2]["fvec"], atol=1e-7)
    if not once:
        assert optimize.leastsq(residuals, lib.asarray(np.ones(2)), args=own)[1] in (1, 2, 3, 4)


def test_leastsq_without_a_covariance() -> None:
    """None for a singular Jacobian, values that aren't numbers, no end, no unknowns; as SciPy."""
    t = np.linspace(0.0, 1.0, 9)
    problems: list[tuple[Any, Any, dict[str, Any]]] = [
        (lambda x: (x[0] + x[1]) * t - 1.0, [1.0, 1.0], {}),
        (lambda x: x[0] * t - 1.0 + 0.0 * x[1], [1.0, 1.0], {}),
        (lambda x: x[0] * t + np.nan, [1.0], {}),
        (lambda x: np.exp(-x[0] * t) - np.exp(-5.0 * t), [-9.0], {"maxfev": 4}),
        (lambda x: t[x.shape[0] :], [], {}),
    ]
    for fun, start, options in problems:
        got = optimize.leastsq(fun, start, full_output=True, **options)
        assert got[1] is None and got[2]["fvec"].shape == t.shape, got
    assert got[4] == 0 and got[0].shape == (0,)
    # Unknowns of other sizes are no singular matrix.
    found = optimize.leastsq(
        lambda x: np.exp(-t * x[0]) * x[1] * 1e-18 - np.exp(-2.0 * t),
        np.asarray([1.0, 2e18]),
        full_output=True,
    )
    size = np.asarray([1.0, 1e18])
    jac = found[2]["fjac"] * size
    np.testing.assert_allclose(
        found[1] / np.outer(size, size), np.linalg.inv(jac.T @ jac), rtol=1e-8
    )


def test_leastsq_takes_the_step_of_differences_from_the_functions_error() -> None:
    """A model that is right to 1e-8 and leaves arrays: steps of 1e-8 would see nothing else."""
    t = np.linspace(0.0, 2.0, 9)
    y = 2.5 * np.exp(-1.3 * t)

    def residuals(x: Any) -> Any:
        return np.asarray([round(float(x[0]) * math.exp(-float(x[1]) * s), 7) for s in t]) - y

    expected = scipy.optimize.leastsq(residuals, [1.0, 1.0], epsfcn=1e-7)[0]
    with pytest.warns(DerivativeWarning):
        found, ier = optimize.leastsq(residuals, [1.0, 1.0], epsfcn=1e-7)
    assert ier in (1, 2, 3, 4)
    np.testing.assert_allclose(found, [2.5, 1.3], rtol=1e-6)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_leastsq_from_a_start_far_off() -> None:
    """A step that flattens a wave is not followed by one that runs away: lmfit's test, with ends."""
    t = np.linspace(-5.0, 5.0, 501)
    y = 5.3 * np.sin(3.8 * t + 0.1) + 8.2 + 0.2 * t

    def residuals(x: Any) -> Any:
        height, frequency = np.sqrt(x[..., 0:1] ** 2 + 1) - 1, np.sqrt(x[..., 1:2] ** 2 + 1) - 1
        wave = height * np.sin(t * frequency + 2 * np.pi * np.sin(x[..., 2:3]))
        return wave + x[..., 3:4] + x[..., 4:5] * t - y

    shifts = np.asarray([0.0, 0.3, 0.6])
    start = np.asarray([10.95, 5.41, 0.0, 10.0, 0.0]) + shifts[:, None] * np.asarray(
        [0, 0, 0.2, 0, 0]
    )
    found = optimize.least_squares(residuals, start, method="lm", vectorized=True)
    for x in start:
        assert scipy.optimize.least_squares(residuals, x, method="lm").cost < 1e-12
    assert np.all(found.success) and np.all(found.cost < 1e-12), found


def test_leastsq_with_derivatives_by_column() -> None:
    f = lambda x: np.stack([x[0] - 1, 10 * (x[1] - x[0] ** 2)])  # noqa: E731
    columns = lambda x: np.asarray([[1.0, -20 * x[0]], [0.0, 10.0]])  # noqa: E731
    x, _ = optimize.leastsq(f, np.asarray([-1.2, 1.0]), Dfun=columns, col_deriv=True)
    np.testing.assert_allclose(x, [1, 1], rtol=1e-7)
    with pytest.warns(OptimizeWarning, match="leastsq: "):
        optimize.leastsq(f, np.asarray([-1.2, 1.0]), maxfev=2)


def test_leastsq_of_one_problem_is_minpacks() -> None:
    """With its usual tolerances, of which the gradient's is 0, as well where nothing is left."""
    for fun, start, slope in (
        (lambda x: x**2 - 2.0, [1.0, 2.0, 3.0], lambda x: np.diag(2 * x)),
        (
            lambda x: x[0] * np.exp(-x[1] * np.arange(5.0)) - np.asarray([2, 1.1, 0.6, 0.3, 0.2]),
            [1.0, 1.0],
            lambda x: np.stack(
                [(e := np.exp(-x[1] * np.arange(5.0))), -x[0] * np.arange(5.0) * e], axis=-1
            ),
        ),
    ):
        expected = scipy.optimize.leastsq(fun, start, Dfun=slope, full_output=True)
        with likewise.trace_native() as log:
            x, _, info, _, ier = optimize.leastsq(fun, np.asarray(start), full_output=True)
        assert [r.routine for r in log if r.function == "solved"] == [
            "likewise._libs.numpy._solvers:least_squares"
        ]
        np.testing.assert_allclose(x, expected[0], rtol=1e-12)
        np.testing.assert_allclose(info["fvec"], expected[2]["fvec"], rtol=1e-9, atol=1e-15)
        assert info["nfev"] == expected[2]["nfev"] and ier == expected[4]


def test_leastsq_keeps_the_callers_arrays() -> None:
    """Arrays that the function returns are neither written to nor handed out."""
    data = np.asarray([1.0, 2.0, 3.0])
    columns = -np.ones((3, 1))
    fun = lambda p: data if p[0] == 0 else data - p[0]  # noqa: E731
    x, _ = optimize.leastsq(fun, np.zeros(1), Dfun=lambda p: columns)
    np.testing.assert_allclose(x, [2.0])
    assert data.tolist() == [1.0, 2.0, 3.0] and columns.tolist() == [[-1.0]] * 3
    values, slopes = np.empty(3), np.empty((3, 1))

    def residuals(p: Any) -> Any:
        values[:] = data**2 - np.exp(p[0])
        return values

    def slope(p: Any) -> Any:
        slopes[:] = -np.exp(p[0])
        return slopes

    for method in ("lm", "trf"):
        found = optimize.least_squares(residuals, np.zeros(1), slope, method=method)
        cost, jac = found.cost, np.array(found.jac)
        residuals([9.0]), slope([9.0])
        np.testing.assert_allclose(found.x, [np.log(np.mean(data**2))], rtol=1e-6)
        np.testing.assert_allclose(cost, 0.5 * found.fun @ found.fun)
        np.testing.assert_array_equal(found.jac, jac)


@pytest.mark.parametrize("epsfcn", [None, 0.0, -1.0, 1e-40, 1e-10])
def test_leastsq_by_differences_of_some_step(epsfcn: float | None) -> None:
    f = lambda p: np.asarray([float(p[0]) ** 2 - 1, float(p[1]) ** 2 - 4])  # noqa: E731
    with pytest.warns(DerivativeWarning):
        x, ier = optimize.leastsq(f, np.asarray([3.0, 3.0]), epsfcn=epsfcn)
    np.testing.assert_allclose(x, [1.0, 2.0], rtol=1e-6)
    assert ier in (1, 2, 3)


def test_steps_of_differences_are_no_shorter_than_the_dtype_resolves() -> None:
    f = lambda p: np.asarray([float(p[0]) ** 2 - 1, float(p[1]) ** 2 - 4], np.float32)  # noqa: E731
    with pytest.warns(DerivativeWarning):
        x, _ = optimize.leastsq(f, np.asarray([3.0, 3.0], np.float32), epsfcn=1e-40)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, [1.0, 2.0], rtol=1e-4)
