"""Minimisation against SciPy, closed forms, and the problems of Moré, Garbow and Hillstrom."""

import math
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    ConstraintError,
    DerivativeWarning,
    DtypeError,
    ExtensionMissing,
    NotSupported,
    OptimizeWarning,
    ShapeError,
)
from likewise.optimize import MinimizeResult, minimize
from likewise.optimize._minimize._arguments import _options
from likewise.optimize._minimize._methods import METHODS as ROWS
from likewise.optimize._minimize._minimize import Method
from likewise.testing import check_function
from likewise.transforms import grad, hvp

sys.path.insert(0, str(Path(__file__).parent))
import mgh

METHODS = list(ROWS)
DESCENTS = [m for m in METHODS if ROWS[m].gradient and m != "Adam"]
BY_EIGENVECTORS = ("COBYQA", "dogleg", "trust-exact", "trust-krylov")
BOUNDED = [m for m in METHODS if ROWS[m].bounded]
STARTS = [[-1.2, 1.0], [2.0, 2.0], [0.0, -1.0]]
OPTIONS: dict[str, dict[str, Any]] = {
    "Adam": {"learning_rate": 0.05, "maxiter": 2000, "gtol": 3e-4},
    "Nelder-Mead": {"xatol": 1e-6, "fatol": 1e-9},
    "COBYLA": {"tol": 1e-7},
    "Powell": {"xtol": 1e-7, "ftol": 1e-11},
    "SLSQP": {"ftol": 1e-12},
}


def bowl(x: Any) -> Any:
    """Curved, with one minimum, at (0.58, 0.35) or so."""
    xp = likewise.array_namespace(x)
    a, b = x[..., 0], x[..., 1]
    return xp.exp(a + b - 1) + xp.exp(-2 * a) + (b - a * a) ** 2


def bowl_gradient(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    a, b = x[..., 0], x[..., 1]
    e, c = xp.exp(a + b - 1), b - a * a
    return xp.stack([e - 2 * xp.exp(-2 * a) - 4 * a * c, e + 2 * c], axis=-1)


def bowl_hessian(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    a, b = x[..., 0], x[..., 1]
    e, c = xp.exp(a + b - 1), b - a * a
    rows = [[e + 4 * xp.exp(-2 * a) - 4 * c + 8 * a * a, e - 4 * a], [e - 4 * a, e + 2]]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


# An option in the docstring, with its default.
DEFAULT = r"(\w+)`?,? (max\(\d+, \d+ p\)|[\d.e-]*\d(?: p)?|-?inf|False|True|\()"


def by_scipy(x0: Any, bounds: Any = None) -> Any:
    method = "BFGS" if bounds is None else "L-BFGS-B"
    options = {"gtol": 1e-10} | ({} if bounds is None else {"ftol": 1e-15})
    return scipy.optimize.minimize(
        bowl, x0, jac=bowl_gradient, method=method, bounds=bounds, options=options
    )


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-5) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    np.testing.assert_allclose(out, expected, atol=tol if lib.has_float64 else 5e-3, rtol=0)


# -- every method, on every library ----------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        *(m for m in METHODS if m != "Adam"),
        pytest.param("Adam", marks=pytest.mark.long("strict", "strict-minimal", "torch")),
    ],
)
@pytest.mark.long("dask")
def test_batch(lib: Any, method: str) -> None:
    if method in BY_EIGENVECTORS and not hasattr(lib.xp, "linalg"):
        with pytest.raises(ExtensionMissing, match="needs"):
            minimize(bowl, lib.asarray(STARTS), method=method)
        return
    starts = np.asarray([*STARTS, [np.nan, 0.0]])
    found = minimize(bowl, lib.asarray(starts), method=method, options=OPTIONS.get(method))
    assert isinstance(found, MinimizeResult)
    status, nit = lib.to_numpy(found.status), lib.to_numpy(found.nit)
    assert status.dtype == nit.dtype == np.int32
    assert status.tolist() == [0, 0, 0, 3] and np.all(nit[:3] > 2)
    assert lib.to_numpy(found.success).tolist() == [True, True, True, False]
    expected = [by_scipy(x0) for x0 in STARTS]
    tol = {"Adam": 3e-4}.get(method, 1e-4 if "gtol" in ROWS[method].options else 1e-5)
    near(lib, found.x[:3, ...], [s.x for s in expected], tol)
    near(lib, found.fun[:3, ...], [s.fun for s in expected], 1e-6)
    assert (found.jac is None) == (not ROWS[method].gradient)
    if ROWS[method].inverse:
        inverse = np.linalg.inv(bowl_hessian(expected[0].x))
        np.testing.assert_allclose(lib.to_numpy(found.hess_inv)[0], inverse, rtol=0.2)


def test_one_problem_and_args(lib: Any) -> None:
    seen = set()

    def fun(x: Any, shift: float, scale: Any) -> Any:
        seen.add(tuple(x.shape))
        xp = likewise.array_namespace(x)
        return xp.sum(scale * (x - shift) ** 2)

    # Dask's blocks, and so the functions' arrays, are NumPy's.
    scale = (np if lib.library == "dask" else lib).asarray([1.0, 4.0, 9.0])
    found = minimize(fun, lib.asarray([0.0, 0.0, 0.0]), (1.5, scale))
    near(lib, found.x, [1.5] * 3)
    near(lib, found.fun, 0.0)
    assert seen == {(3,)}
    assert tuple(found.nit.shape) == () and tuple(found.hess_inv.shape) == (3, 3)


@pytest.mark.xp_skip({"dask": "the function sees blocks of the batch"})
def test_vectorized_takes_data_of_each_problem(lib: Any, rng: Any) -> None:
    centre = rng.normal(size=(2, 3, 2))
    c = lib.asarray(centre)
    shapes = set()

    def fun(x: Any) -> Any:
        shapes.add(tuple(x.shape))
        xp = likewise.array_namespace(x)
        return xp.sum((x - c) ** 2 + (x - c) ** 4, axis=-1)

    found = minimize(fun, lib.asarray(np.zeros((2, 3, 2))), method="L-BFGS-B", vectorized=True)
    near(lib, found.x, centre, 1e-4)
    assert tuple(found.fun.shape) == (2, 3) and shapes == {(2, 3, 2)}


@pytest.mark.long("jax-jit")
def test_bounds_of_each_problem(lib: Any) -> None:
    bounds = np.asarray(
        [[[0.7, 2.0], [-np.inf, 0.3]], [[0.7, 2.0], [-np.inf, 0.3]], [[-9.0, 0.2], [0.5, 0.5]]]
    )
    start = [[1.0, 0.0], [2.0, 0.3], [0.0, 0.5]]  # the second in a corner
    found = minimize(bowl, lib.asarray(start), bounds=lib.asarray(bounds))
    expected = [by_scipy(x0, b).x for x0, b in zip(start, bounds, strict=True)]
    assert expected[0][0] == 0.7  # the bound that holds
    near(lib, found.x, expected)
    assert lib.to_numpy(found.status).tolist() == [0, 0, 0]
    assert np.all(lib.to_numpy(found.x)[:2, 0] == lib.to_numpy(lib.asarray([0.7])))


def test_bounds_of_a_simplex(lib: Any) -> None:
    box = [(0.7, 2.0), (None, 0.3)]
    found = minimize(
        bowl,
        lib.asarray([[1.0, 0.0], [1.5, 0.1]]),
        method="Nelder-Mead",
        bounds=box,
        options=OPTIONS["Nelder-Mead"],
    )
    near(lib, found.x, [by_scipy([1.0, 0.0], box).x] * 2)
    assert np.all(lib.to_numpy(found.x)[:, 0] == lib.to_numpy(lib.asarray([0.7])))


# -- derivatives of the result ---------------------------------------------------------------------


def shifted(x: Any, a: Any) -> Any:
    """Of a, its parameters; the mixed derivatives are -2 exp(x - a) and so on."""
    xp = likewise.array_namespace(x)
    return xp.sum(xp.exp(x - a) - 2 * x, axis=-1) + (x[..., 0] - x[..., 1]) ** 2 * a[..., 0]


def solved(a: Any, **options: Any) -> Any:
    return scipy.optimize.minimize(
        shifted, [0.5, 0.2], (a,), method="BFGS", options={"gtol": 1e-9}, **options
    ).x


@pytest.mark.long("jax-jit")
@pytest.mark.xp_skip({"dask": "one problem isn't cut in blocks"})
def test_gradient_of_the_solution(lib: Any, rng: Any) -> None:
    a, w = np.asarray([0.3, -0.4]), rng.normal(size=2)
    start, weights = lib.asarray([0.5, 0.2]), lib.asarray(w)

    def loss(a: Any) -> Any:
        xp = likewise.array_namespace(a)
        found = minimize(lambda x: shifted(x, a), start)  # by closure
        return xp.sum(found.x * weights) + found.fun

    x = solved(a)
    # dx/da = -H^-1 d2f/dx da, and d fun/da is that of the function alone.
    e, d = np.exp(x - a), x[0] - x[1]
    hessian = np.diag(e) + 2 * a[0] * np.asarray([[1.0, -1.0], [-1.0, 1.0]])
    mixed = np.diag(-e)
    mixed[:, 0] += [2 * d, -2 * d]
    expected = -w @ np.linalg.solve(hessian, mixed) - e
    expected[0] += d**2
    tol = 1e-4 if lib.has_float64 else 3e-2
    np.testing.assert_allclose(lib.to_numpy(grad(loss)(lib.asarray(a))), expected, atol=tol)


def held(lib: Any, **way: Any) -> None:
    """The derivative of a solution at a bound: of the free variable alone."""
    start = lib.asarray([0.5, 0.2])

    def first(a: Any) -> Any:
        xp = likewise.array_namespace(a)
        found = minimize(shifted, start, (a,), bounds=[(None, 0.6), (None, None)], **way)
        return xp.sum(found.x * xp.asarray([10.0, 1.0], dtype=a.dtype, device=likewise.device(a)))

    a = np.asarray([0.3, -0.4])
    x = scipy.optimize.minimize(
        shifted, [0.5, 0.2], (a,), bounds=[(None, 0.6), (None, None)], options={"ftol": 1e-14}
    ).x
    assert x[0] == 0.6
    e, d = np.exp(x - a), x[0] - x[1]
    expected = np.asarray([2 * d, e[1]]) / (e[1] + 2 * a[0])
    tol = 1e-4 if lib.has_float64 else 3e-2
    np.testing.assert_allclose(lib.to_numpy(grad(first)(lib.asarray(a))), expected, atol=tol)


@pytest.mark.long("jax-jit")
@pytest.mark.xp_skip({"dask": "one problem isn't cut in blocks"})
def test_gradient_holds_variables_at_bounds(lib: Any) -> None:
    # The method has no part in it; this one is compiled the fastest.
    held(lib, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
    if lib.library == "numpy":
        held(lib, options={"ftol": 1e-12})


def test_gradient_with_respect_to_bounds() -> None:
    def second(b: Any) -> Any:
        xp = likewise.array_namespace(b)
        bounds = xp.stack([xp.stack([b - 9, b]), xp.stack([b - 9, b + 9])])
        return minimize(shifted, np.asarray([0.5, 0.2]), (a,), bounds=bounds, tol=1e-9).x[1]

    a, step = np.asarray([0.3, -0.4]), 1e-4
    b = np.asarray(0.6)
    expected = (second(b + step) - second(b - step)) / (2 * step)
    np.testing.assert_allclose(grad(second)(b), expected, atol=1e-6)


# -- lanes, derivatives given, options: what doesn't depend on the library -------------------------


@pytest.mark.parametrize("method", METHODS)
def test_each_lane_goes_its_own_way(method: str) -> None:
    """A problem takes the same steps, whoever is beside it."""
    starts = np.asarray([[-1.2, 1.0], [np.nan, 0.0], [1.0, 1.0], [3.0, -4.0]])
    # COBYLA goes on for long, and what rounding does to it grows; Powell and COBYQA take long.
    most = {"Adam": 300, "COBYLA": 30, "Powell": 4, "COBYQA": 20}
    options = {"maxiter": most[method]} if method in most else None
    many = minimize.generic(rosenbrock, starts, method=method, options=options)
    for i, x0 in enumerate(starts):
        one = minimize.generic(rosenbrock, x0, method=method, options=options)
        assert (one.status, one.nit, one.nfev) == (many.status[i], many.nit[i], many.nfev[i])
        np.testing.assert_array_equal(one.fun, many.fun[i])
        np.testing.assert_allclose(one.x, many.x[i], rtol=1e-12)


# COBYLA's linear models leave rounding much to decide.
@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("Adam", "COBYLA")])
@pytest.mark.parametrize("budget", [pytest.param(None, marks=pytest.mark.full), 100_000])
def test_dropped_problems_and_parts(method: str, budget: Any, rng: Any, monkeypatch: Any) -> None:
    """Problems that ended early make no difference to others, nor do parts of the batch."""
    starts = rng.uniform(-0.5, 0.5, size=(2, 60, 2))
    starts[0, 7, 0] = np.nan
    bounds = np.stack([starts - 1, starts + rng.uniform(size=starts.shape)], axis=-1)
    given: dict[str, Any] = {}
    if ROWS[method].bounded:
        given["bounds"] = np.where(np.isnan(bounds), 9.0, bounds)
    whole = minimize(bowl, starts, method=method, vectorized=True, **given)
    if budget is not None:
        monkeypatch.setattr("likewise._memory._LITTLE", 0)
        monkeypatch.setattr("likewise._memory.memory_budget", lambda _: budget)
    found = minimize(bowl, starts, method=method, **given)
    for name in ("x", "fun", "jac", "status", "nit", "nfev"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert np.count_nonzero(found.success) == 119


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("bounds", [None, [(-2.0, 0.8), (0.5, 3.0), (-1.0, 0.9)]])
def test_nelder_mead_goes_as_scipy(adaptive: bool, bounds: Any) -> None:
    x0 = np.asarray([-1.2, 1.0, 0.0])
    options = {"adaptive": adaptive, "maxfev": 500}
    expected = scipy.optimize.minimize(
        scipy.optimize.rosen, x0, method="Nelder-Mead", bounds=bounds, options=options
    )
    found = minimize(
        lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
        x0,
        method="nelder-mead",
        bounds=bounds,
        options=options,
    )
    assert (int(found.nit), int(found.nfev)) == (expected.nit, expected.nfev)
    np.testing.assert_allclose(found.x, expected.x, rtol=1e-9)


def test_initial_simplex() -> None:
    simplex = np.asarray([[0.0, 0.0], [1.0, 0.2], [-0.5, 1.0]])
    expected = scipy.optimize.minimize(
        bowl, [0.0, 0.0], method="Nelder-Mead", options={"initial_simplex": simplex}
    )
    found = minimize(bowl, np.zeros(2), method="Nelder-Mead", options={"initial_simplex": simplex})
    np.testing.assert_allclose(found.x, expected.x, rtol=1e-12)
    assert found.nfev == expected.nfev


@pytest.mark.parametrize("seed", range(4))
def test_bounded_quadratics(seed: int) -> None:
    """Many variables, many of them at bounds: the conditions of a minimum hold, as for SciPy."""
    rng = np.random.default_rng(seed)
    p = 30
    root = rng.normal(size=(p, p))
    matrix, b = root @ root.T + 0.1 * np.eye(p), 5 * rng.normal(size=p)
    lower, upper = -rng.uniform(size=p), rng.uniform(size=p)
    lower[:5], upper[5:10] = -np.inf, np.inf
    lower[10] = upper[10] = 0.3

    def fun(x: Any) -> Any:
        return 0.5 * x @ matrix @ x - b @ x

    x0 = np.clip(np.zeros(p), lower, upper)
    options = {"ftol": 1e-15, "gtol": 1e-9}
    expected = scipy.optimize.minimize(
        fun,
        x0,
        jac=lambda x: matrix @ x - b,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(lower, upper),
        options=options,
    )
    found = minimize(fun, x0, bounds=scipy.optimize.Bounds(lower, upper), options=options)
    np.testing.assert_allclose(found.x, expected.x, atol=1e-6)
    assert found.fun <= expected.fun + 1e-9 * abs(expected.fun)
    assert np.all((found.x >= lower) & (found.x <= upper))
    assert np.sum((found.x == lower) | (found.x == upper)) > 5
    assert found.nfev <= 1.5 * expected.nfev


def test_gradients_given() -> None:
    x0 = np.asarray(STARTS)
    expected = by_scipy(STARTS[0]).x

    def both(x: Any) -> Any:
        return bowl(x), bowl_gradient(x)

    for vectorized in (False, True):
        for fun, jac in ((bowl, bowl_gradient), (both, True)):
            found = minimize(fun, x0, jac=jac, vectorized=vectorized)
            np.testing.assert_allclose(found.x, [expected] * 3, atol=1e-5)
            np.testing.assert_array_equal(found.nfev, found.njev)


@pytest.mark.parametrize(("jac", "each"), [("2-point", 3), ("3-point", 5), ("cs", 3)])
def test_differences(jac: str, each: int) -> None:
    found = minimize(bowl, np.asarray(STARTS), jac=jac)
    np.testing.assert_allclose(found.x, [by_scipy(STARTS[0]).x] * 3, atol=1e-5)
    np.testing.assert_array_equal(found.nfev, each * found.njev)


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP", "TNC"])
def test_differences_where_bounds_are_equal(jac: str, method: str) -> None:
    def fun(x: Any) -> float:
        return (float(x[0]) - 1) ** 2 + (float(x[1]) - 0.2) ** 2

    found = minimize(fun, [5.0, 0.5], method=method, jac=jac, bounds=[(5, 5), (0, 1)])
    np.testing.assert_allclose(found.x, [5.0, 0.2], atol=1e-6)
    assert found.success
    held = minimize(fun, [5.0, 0.5], method=method, jac=jac, bounds=[(5, 5), (0.5, 0.5)])
    np.testing.assert_array_equal(held.x, [5.0, 0.5])


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences_stay_within_bounds(jac: str) -> None:
    def fun(x: Any) -> Any:
        assert np.all((x >= 0) & (x <= [1.0, 1.0, 1e-9]))
        return np.sqrt(x[0]) + (x[1] - 2) ** 2 + x[2]

    x0 = np.asarray([0.5, 0.5, 0.0])
    found = minimize(fun, x0, jac=jac, bounds=[(0, 1), (0, 1), (0, 1e-9)])
    np.testing.assert_allclose(found.x, [0.0, 1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_second_derivatives_given(seed: int) -> None:
    x0 = np.asarray(STARTS)
    exact = minimize(bowl, x0, method="trust-ncg")
    for given in (
        {"hess": bowl_hessian},
        {"hessp": lambda x, v: bowl_hessian(x) @ v},
        {"hess": bowl_hessian, "jac": "3-point"},
    ):
        found = minimize(bowl, x0, method="trust-ncg", **given)
        np.testing.assert_allclose(found.x, exact.x, atol=1e-4)
        assert np.all(found.success)


def test_gradient_with_differences_and_without() -> None:
    """The way a solution was found has no part in its derivative."""
    a = np.asarray([0.3, -0.4])
    options = {"xatol": 1e-9, "fatol": 1e-15}
    ways: list[dict[str, Any]] = [
        {"options": {"gtol": 1e-9}},
        {"jac": "3-point", "options": {"gtol": 1e-8}},
        {"method": "Nelder-Mead", "options": options},
        {"method": "trust-ncg", "options": {"gtol": 1e-9}},
    ]
    found = [
        grad(lambda a, way=way: minimize(shifted, np.asarray([0.5, 0.2]), (a,), **way).x[0])(a)
        for way in ways
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-5)


def test_statuses() -> None:
    x0 = np.asarray([[-1.2, 1.0], [1.0, 1.0], [np.inf, 1.0]])
    found = minimize(rosenbrock, x0, options={"maxiter": 3})
    assert found.status.tolist() == [1, 0, 3] and found.nit.tolist() == [3, 0, 0]
    assert found.summary().startswith("1 of 3 problems converged")
    assert found.advice()[3][0] == 1
    wrong = minimize(bowl, np.zeros(2), jac=lambda x: -bowl_gradient(x))
    assert wrong.status == 2 and wrong.fun == bowl(np.zeros(2))
    few = minimize(rosenbrock, np.zeros(2), method="L-BFGS-B", options={"maxfun": 4})
    assert few.status == 1 and few.nfev <= 5


def test_where_the_function_ends() -> None:
    """A step into NaN is shortened, as often as it takes."""

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(x - 2 * xp.sqrt(x))  # NaN below 0

    # Newton's steps are small near 0: methods end that look at their size.
    for method in (m for m in DESCENTS if "xtol" not in ROWS[m].options):
        start, options = np.asarray([[1e-3, 30.0], [2.0, 1e-8]]), OPTIONS.get(method)
        found = minimize(fun, start, method=method, options=options)
        np.testing.assert_allclose(found.x, np.ones((2, 2)), atol=1e-3)
        assert np.all(found.success)


def test_tolerances() -> None:
    for method in ("BFGS", "CG", "L-BFGS-B"):
        loose = minimize(rosenbrock, np.asarray([-1.2, 1.0]), method=method, tol=1e-2)
        tight = minimize(rosenbrock, np.asarray([-1.2, 1.0]), method=method, tol=1e-10)
        assert tight.nit > loose.nit and tight.fun < 1e-12 < loose.fun


@pytest.mark.parametrize("method", ["BFGS", "CG"])
def test_the_tolerance_of_single_precision(method: str) -> None:
    """A gradient of eps^(1/3) will do, unless another is given."""

    def quartic(x: Any) -> Any:
        return likewise.array_namespace(x).sum(x**4)

    root, x0 = float(np.finfo("float32").eps) ** (1 / 3), np.asarray([-1.2, 1.0], dtype="float32")
    usual, same, closer = (
        minimize(quartic, x0, method=method, options=o)
        for o in ({}, {"gtol": root}, {"gtol": 1e-4})
    )
    assert usual.nit == same.nit < closer.nit
    np.testing.assert_array_equal(usual.x, same.x)


def test_a_gradient_that_comes_with_the_value_is_the_one() -> None:
    calls = []

    def fun(x: Any) -> Any:
        calls.append(1)
        return np.sum(x**4 + x * x, axis=1), 4 * x**3 + 2 * x

    found = minimize(fun, np.asarray([[1.0, -2.0], [0.5, 3.0]]), jac=True, vectorized=True)
    np.testing.assert_allclose(found.x, np.zeros((2, 2)), atol=1e-5)
    assert len(calls) <= np.max(found.nfev) + 2


@pytest.mark.parametrize("method", ["BFGS", "CG"])
def test_a_gradient_that_is_no_number_is_stepped_back_from(method: str) -> None:
    """Where the value is one."""

    def jac(x: Any) -> Any:
        return np.where(x < -0.5, np.nan, 2 * (x - 0.25))

    found = minimize(
        lambda x: np.sum((x - 0.25) ** 2, axis=1),
        np.asarray([[4.0], [1.0]]),
        jac=jac,
        method=method,
        vectorized=True,
        options={"gtol": 1e-8},
    )
    assert np.all(found.success) and np.all(np.isfinite(found.jac))
    np.testing.assert_allclose(found.x, [[0.25], [0.25]], atol=1e-6)


def test_options_of_single_precision() -> None:
    eps = float(np.finfo("float32").eps)
    found = _options(ROWS["L-BFGS-B"], {}, None, 2, eps)
    assert found["gtol"] == eps ** (1 / 3) and found["ftol"] == 10 * eps
    assert _options(ROWS["L-BFGS-B"], {"ftol": 0.0}, None, 2, eps)["ftol"] == 0.0


def test_a_trust_region_takes_no_step_that_gains_nothing() -> None:
    """Newton's step with half the curvature leads to the other side, as high."""
    options = {"eta": 0.0, "maxiter": 1, "initial_trust_radius": 10.0, "max_trust_radius": 100.0}
    for peer in (minimize, scipy.optimize.minimize):
        found: Any = peer(
            lambda x: x[0] ** 2,
            np.asarray([1.0]),
            jac=lambda x: 2 * x,
            hess=lambda x: np.eye(1),
            method="trust-ncg",
            options=options,
        )
        np.testing.assert_array_equal(found.x, [1.0])


@pytest.mark.needs("torch")
def test_float32_and_integers() -> None:
    import torch

    x0 = torch.asarray(STARTS, dtype=torch.float32)
    for method in DESCENTS:
        found = minimize(bowl, x0, method=method)
        assert found.x.dtype == found.fun.dtype == torch.float32 and bool(found.success.all())
        assert float(abs(found.x - torch.asarray(by_scipy(STARTS[0]).x)).max()) < 5e-3
    assert minimize(bowl, np.asarray([2, 2])).x.dtype == np.float64


# -- the rows --------------------------------------------------------------------------------------


def test_the_docstring_has_the_facts_of_the_rows() -> None:
    """Methods, who takes bounds and Hessians, and each option with its default."""
    said = " ".join(str(minimize.__doc__).split())
    names = "|".join(METHODS)

    def named(pattern: str) -> set[str]:
        found = re.search(pattern, said)
        assert found, pattern
        return set(re.findall(names, found[1]))

    def having(fact: Callable[[Any], bool]) -> set[str]:
        return {m for m in METHODS if fact(ROWS[m])}

    assert {*get_args(Method)} == named("method : str, optional (.*?), in upper") == {*METHODS}
    assert named(r"('[\w-]+') \(default\)") == having(lambda row: row.usual and not row.bounded)
    assert named(r"('[\w-]+') \(default with b") == having(
        lambda row: row.usual and row.bounded and not row.constrained
    )
    assert named(r"('[\w-]+') \(default with c") == having(
        lambda row: row.usual and row.constrained
    )
    assert named(r"dimensions\. ([^.]+) uses? them") == having(lambda row: row.constrained)
    assert named(r"of each problem\. ([^.]+) use them") == having(lambda row: row.bounded)
    assert named(r"product with v\. Used by ([^.]+)\.") == having(lambda row: row.curved)
    lacks = re.search(r"None for ([^.]+)\.", str(MinimizeResult.__doc__))
    assert lacks
    assert set(re.findall(names, lacks[1])) == having(lambda row: not row.gradient)
    told: dict[str, dict[str, str]] = {name: {} for name in METHODS}
    options = said[said.index(" options : ") : said.index("In float32 gtol")]
    _, *parts = re.split(rf"[.;] ((?:(?:{names})(?:, )?)+): ", options)
    for heads, body in zip(parts[::2], parts[1::2], strict=True):
        for name in re.findall(names, heads):
            given = re.sub(rf"[^ ]+ \({name}: ([^)]+)\)", r"\1", body)
            told[name] |= dict(re.findall(DEFAULT, given))
    for name, row in ROWS.items():
        for option, default in row.options.items():
            text = told[name][option]
            if isinstance(default, float):
                assert float(text) == pytest.approx(default, rel=0.02)
            else:
                assert text == ("(" if default is None else str(default))


# -- errors ----------------------------------------------------------------------------------------


def test_errors() -> None:
    x = np.zeros((3, 2))
    cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (ArgumentError, "fun must be callable", {"fun": 3}),
        (ArgumentError, "method must be one of", {"method": "BFG"}),
        (ConstraintError, "no type defined", {"constraints": {"fun": len}}),
        (NotSupported, "method must be a name", {"method": print}),
        (NotSupported, "callback is called for one problem", {"callback": print}),
        (ArgumentError, "callback must be callable", {"callback": 3}),
        (ArgumentError, "jac must be one of", {"jac": "4-point"}),
        (ArgumentError, "options must be a dict", {"options": 3}),
        (ArgumentError, "maxiter must be an integer", {"options": {"maxiter": 2.5}}),
        (ArgumentError, "gtol must be a number, not negative", {"options": {"gtol": -1}}),
        (ArgumentError, "c1 < c2", {"options": {"c1": 0.95}}),
        (ArgumentError, "tol must be a number, not negative", {"tol": "small"}),
        (ShapeError, "each of the 2 variables", {"bounds": [(0, 1)] * 3}),
        (ArgumentError, "pairs", {"bounds": [0, 1]}),
        (ArgumentError, "bounds cross: .* variable 1 of problem 0", {"bounds": [(0, 1), (2, 1)]}),
        (ShapeError, r"bounds must have shape \(..., 2, 2\) or", {"bounds": np.zeros((3, 3))}),
        (ArgumentError, "norm must be", {"options": {"norm": "two"}}),
        (ShapeError, "initial_simplex must have shape", {"options": {"initial_simplex": x[:2]}}),
        (ShapeError, "at least one variable", {"x0": np.zeros((3, 0))}),
        (ShapeError, r"fun must return .* shape \(\)", {"fun": lambda x: x * x}),
        (ShapeError, "does it reduce", {"fun": lambda x: x[0, 0], "vectorized": True}),
        (ArrayTypeError, "fun must return", {"fun": lambda x: None, "x0": x[0]}),
        (DtypeError, "must return", {"fun": lambda x: x[0] > 0, "x0": x[0]}),
        (ArrayTypeError, "a tuple of its value and 1 derivative", {"jac": True}),
        (ShapeError, r"jac must return .* \(2,\)", {"jac": lambda x: x[0], "x0": x[0]}),
        (DtypeError, "real numbers", {"x0": x + 1j}),
    ]
    for error, text, change in cases:
        call: dict[str, Any] = {"fun": bowl, "x0": x} | change
        if "initial_simplex" in text:
            call["method"] = "Nelder-Mead"
        with pytest.raises(error, match=text):
            minimize(**call)


def test_errors_of_the_function_are_its_own() -> None:
    def fun(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        minimize(fun, np.zeros(2))


# -- SciPy's habits ---------------------------------------------------------------------------------


def test_starts_outside_are_moved_as_by_scipy(lib: Any) -> None:
    """In silence by 'L-BFGS-B', where warnings are errors; with one by 'Nelder-Mead'."""
    starts = np.asarray([[0, 0], [1, 1], [0, 2.0]])
    given, box = lib.asarray(starts), [(0, 1)] * 2
    many = minimize(bowl, given, bounds=box)
    one = minimize(bowl, lib.asarray([-1.0, 0.0]), bounds=box)
    np.testing.assert_array_equal(lib.to_numpy(given), starts)
    assert np.all(lib.to_numpy(many.success))
    found = [*lib.to_numpy(many.x), lib.to_numpy(one.x)]
    np.testing.assert_allclose(found, [by_scipy([0.0, 0.0], box).x] * 4, atol=1e-5)


def test_a_simplex_whose_start_is_moved_warns() -> None:
    starts, box = np.asarray([[0, 0], [1, 1], [0, 2.0]]), [(0, 1)] * 2
    with pytest.warns(OptimizeWarning, match="outside bounds, for variable 1 of problem 2, and"):
        assert np.all(minimize(bowl, starts, method="Nelder-Mead", bounds=box).success)
    with pytest.warns(OptimizeWarning, match="for variable 0, and was moved"):
        minimize(bowl, np.asarray([-1.0, 0.0]), method="Nelder-Mead", bounds=box)


def test_no_limit_of_iterations_leaves_that_of_evaluations() -> None:
    """A simplex that goes on for ever ends, as by SciPy."""
    options = {"maxiter": math.inf}
    found = minimize(lambda x: x[0] + x[1], np.zeros(2), method="Nelder-Mead", options=options)
    expected = scipy.optimize.minimize(
        lambda x: x[0] + x[1], np.zeros(2), method="Nelder-Mead", options=options
    )
    assert not found.success and int(found.nfev) == expected.nfev == 400


def test_options_without_effect_warn() -> None:
    x0 = np.asarray([0.5, 0.2])
    cases = {"gol": "unknown option 'gol' .* 'BFGS' has gtol", "return_all": "a callback sees"}
    for name, words in cases.items():
        with pytest.warns(OptimizeWarning, match=words):
            assert minimize(bowl, x0, options={name: 1}).success


@pytest.mark.parametrize("p", [1, 3])
def test_bounds_in_all_forms(p: int) -> None:
    lower, upper = np.full(p, 0.25), np.asarray([2.0, 0.75, np.inf][:p])
    pairs = list(zip(lower, [2.0, 0.75, None][:p], strict=True))
    forms = [
        scipy.optimize.Bounds(lower, upper),
        pairs,
        tuple(map(list, pairs)),
        [list(lower), list(upper)],
        np.stack([lower, upper], axis=-1),
        np.stack([lower, upper]),
    ]
    centre = np.asarray([-1.0, 1.5, 3.0][:p])
    for form in forms:
        found = minimize(lambda x: (x - centre) @ (x - centre), np.full(p, 0.5), bounds=form)
        np.testing.assert_allclose(found.x, [0.25, 0.75, 3.0][:p], atol=1e-6)


@pytest.mark.parametrize("args", [2.0, np.asarray(2.0), (2.0,)])
def test_args_of_any_kind(args: Any) -> None:
    found = minimize(lambda x, a: (x[0] - a) ** 2, np.zeros(1), args)
    np.testing.assert_allclose(found.x, [2.0], atol=1e-6)


@pytest.mark.parametrize("way", [{"jac": "2-point"}, {"method": "Nelder-Mead"}])
def test_functions_that_return_numbers(way: Any) -> None:
    def fun(x: Any) -> float:
        return float(x[0] - 2.0) ** 2 + 1.0

    np.testing.assert_allclose(minimize(fun, np.zeros(1), **way).x, [2.0], atol=1e-4)


def test_a_start_that_is_the_minimum(lib: Any) -> None:
    found = minimize(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, lib.asarray([1.0, 0.0]))
    assert found.success and found.hess_inv.dtype == found.x.dtype
    np.testing.assert_array_equal(lib.to_numpy(found.hess_inv), np.eye(2))


@pytest.mark.parametrize("method", METHODS)
def test_callback(method: str) -> None:
    """In both of SciPy's forms, once an iteration, and with what it then has."""
    x0, seen, told, words = np.asarray([-1.2, 1.0]), [], [], []
    options = {"maxiter": 9} if "maxiter" in ROWS[method].options else {"maxfun": 9}

    def wanton(xk: Any) -> None:
        seen.append(xk.copy())
        xk[:] = np.nan  # what the callback does to its copy is its own

    def newer(intermediate_result: Any) -> None:
        told.append((intermediate_result.fun, *intermediate_result["x"]))
        words.append((intermediate_result.message, int(intermediate_result.status)))

    # A call without a callback may go to SciPy's steps: of COBYLA iterations aren't counted there,
    # and those of Powell are others.
    idle = (lambda x: None) if method in ("COBYLA", "Powell") else None
    plain = minimize(rosenbrock, x0, method=method, options=options, callback=idle)
    found = minimize(rosenbrock, x0, method=method, options=options, callback=wanton)
    minimize(rosenbrock, x0, method=method, options=options, callback=newer)
    np.testing.assert_array_equal(found.x, plain.x)
    assert len(seen) == len(told) == plain.nit - ROWS[method].first
    assert words[0] == ("has not ended", -1)
    np.testing.assert_array_equal(seen[-1], plain.x)
    np.testing.assert_array_equal(told, [[rosenbrock(x), *x] for x in seen])


@pytest.mark.parametrize("method", METHODS)
def test_callback_ends_it(method: str) -> None:
    def enough(x: Any) -> None:
        raise StopIteration

    found = minimize(rosenbrock, np.asarray([-1.2, 1.0]), method=method, callback=enough)
    assert found.status == 99 and not found.success and "callback" in found.message
    assert found.nit == 1 + ROWS[method].first


def test_what_a_method_has_no_use_for_is_warned_of() -> None:
    """By SciPy's class; the method goes its way without."""
    x0 = np.asarray([0.5, 0.2])
    for method, idle in (
        ("BFGS", {"bounds": [(0.0, 0.1)] * 2}),
        ("trust-ncg", {"bounds": (np.zeros(2), np.ones(2))}),
        ("Nelder-Mead", {"jac": bowl_gradient}),
        ("CG", {"hess": lambda x: np.eye(2)}),
        ("BFGS", {"hessp": lambda x, v: v}),
    ):
        wanted = minimize(bowl, x0, method=method).x
        (name,) = idle
        with pytest.warns(RuntimeWarning, match=f"minimize: method '{method}' does not use {name}"):
            np.testing.assert_array_equal(minimize(bowl, x0, method=method, **idle).x, wanted)


def test_a_simplex_of_values_that_are_nan(lib: Any) -> None:
    """The value is NaN, as SciPy's; infinity, where that is the value."""
    x0 = np.asarray([[1.0, 2.0], [3.0, 4.0]])

    def bad(x: Any) -> Any:
        return likewise.array_namespace(x).sum(x, axis=-1) * np.nan

    def endless(x: Any) -> Any:
        return likewise.array_namespace(x).sum(x, axis=-1) + np.inf

    theirs = scipy.optimize.minimize(bad, x0[0], method="Nelder-Mead")
    ours = minimize(bad, lib.asarray(x0), method="Nelder-Mead")
    assert np.isnan(theirs.fun) and np.all(np.isnan(lib.to_numpy(ours.fun)))
    assert np.all(lib.to_numpy(ours.status) == 3) and "not finite" in ours.summary()
    far = minimize(endless, lib.asarray(x0), method="Nelder-Mead")
    np.testing.assert_array_equal(lib.to_numpy(far.fun), np.inf)


@pytest.mark.needs("jax")
def test_callback_under_jit() -> None:
    import jax.numpy as jnp

    with pytest.raises(NotSupported, match="minimize: callback needs values after each step"):
        minimize(bowl, jnp.asarray([0.5, 0.2]), callback=print)


def test_disp(capsys: Any) -> None:
    minimize(bowl, np.asarray(STARTS), options={"disp": True})
    assert capsys.readouterr().out.startswith("3 of 3 problems converged")
    minimize(bowl, np.asarray(STARTS[0]), options={"disp": True})
    assert capsys.readouterr().out == "converged\n"


@pytest.mark.parametrize("norm", [1, 2, np.inf, -np.inf])
def test_norm_of_the_gradient(norm: float) -> None:
    for method in ("BFGS", "CG"):
        options: dict[str, Any] = {"gtol": 1e-3, "norm": norm}
        x0 = np.asarray([0.5, 0.2])
        found = minimize(bowl, x0, method=method, options=options)
        assert np.linalg.norm(found.jac, norm) <= 1e-3
        options["maxiter"] = int(found.nit) - 1
        before = minimize(bowl, x0, method=method, options=options)
        assert np.linalg.norm(before.jac, norm) > 1e-3


def test_relative_steps_and_searches() -> None:
    x0 = np.asarray([-1.2, 1.0])
    found = minimize(rosenbrock, x0, options={"xrtol": 1e-2})
    assert found.success and found.nit < minimize(rosenbrock, x0).nit
    short = minimize(rosenbrock, x0, method="L-BFGS-B", options={"maxls": 1})
    assert short.nfev != minimize(rosenbrock, x0, method="L-BFGS-B").nfev


def test_relative_step_of_differences() -> None:
    seen = []

    def fun(x: Any) -> Any:
        seen.append(float(x[0]))
        return (x[0] - 9.0) ** 2

    options = {"finite_diff_rel_step": 1e-3}
    minimize(fun, np.asarray([4.0]), jac="2-point", options=options)
    np.testing.assert_allclose(seen[:2], [4.0, 4.004], rtol=1e-12)
    with pytest.warns(OptimizeWarning, match="it is for jac='2-point'"):
        minimize(fun, np.asarray([4.0]), options=options, method="Nelder-Mead")


def test_one_of_two_limits_of_a_simplex() -> None:
    """As for SciPy, the other one is then without an end."""

    def fun(x: Any) -> Any:
        return -x[0]

    for options in ({"maxiter": 300}, {"maxfev": 450}):  # the defaults are 200
        theirs = scipy.optimize.minimize(fun, [1.0], method="Nelder-Mead", options=options)
        ours = minimize(fun, np.ones(1), method="Nelder-Mead", options=options)
        assert (ours.nit, ours.nfev) == (theirs.nit, theirs.nfev) and ours.status == 1


# -- Moré, Garbow, Hillstrom -----------------------------------------------------------------------

QUICK = [0, 1, 4, 7, 14, 17, 19, 20, 25, 34]


def solved_by(method: str, problem: Any) -> tuple[bool, bool]:
    """Whether SciPy and we find a minimum, at the defaults and with the same gradients."""
    fun = mgh.sum_of_squares(problem)
    x0 = np.asarray(problem.x0)
    given: dict[str, Any] = {} if method == "Nelder-Mead" else {"jac": grad(fun)}
    if method == "trust-ncg":
        given["hessp"] = lambda x, v: hvp(fun, (x,), (v,))
    with np.errstate(all="ignore"):
        theirs = scipy.optimize.minimize(fun, x0, method=method, **given)
    ours = minimize(fun, x0, method=method)
    return mgh.near_minimum(problem, theirs.fun), mgh.near_minimum(problem, float(ours.fun))


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "trust-ncg"])
def test_some_known_problems(method: str) -> None:
    found = [solved_by(method, mgh.PROBLEMS[i]) for i in QUICK[:: 1 if method == "BFGS" else 3]]
    theirs, ours = (sum(side) for side in zip(*found, strict=True))
    assert ours >= theirs > 0


@pytest.mark.full
@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "trust-ncg", "Nelder-Mead"])
@pytest.mark.filterwarnings("ignore")
def test_all_known_problems(method: str) -> None:
    found = [solved_by(method, problem) for problem in mgh.PROBLEMS]
    theirs, ours = (sum(side) for side in zip(*found, strict=True))
    assert ours >= theirs > 15


@pytest.mark.full
def test_capabilities() -> None:
    """What one line proves of it, the loop declared."""
    x = by_scipy(STARTS[0]).x
    record = check_function(
        lambda x0: minimize(bowl, x0).x,
        np.asarray(STARTS),
        reference=lambda x0: np.stack([x] * 3),
        tol={"float64": 1e-5, "float32": 5e-3},
        compile="the iterations look at values",
        grad="the solution does not depend on where it starts",
        scalars=1,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.minimize",
    )
    assert record.cells["numpy"]["eager"].status == "yes"


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences_within_bounds_to_the_last_digit(jac: str, rng: Any) -> None:
    lower = rng.uniform(-1, 0, 40) * 10.0 ** rng.integers(-5, 5, 40)
    upper = lower + rng.uniform(0, 1, 40) * 10.0 ** rng.integers(-7, 3, 40)
    seen = []

    def fun(x: Any) -> Any:
        seen.append(x.copy())
        return np.sum((x - 2) ** 2)

    start = np.clip(lower + rng.uniform(0, 1, 40) * (upper - lower), lower, upper)
    minimize(fun, start, jac=jac, bounds=np.stack([lower, upper], axis=-1))
    assert np.all(np.asarray(seen) >= lower) and np.all(np.asarray(seen) <= upper)


@pytest.mark.xp_skip({"dask": "derivatives through blocks are not offered"})
@pytest.mark.parametrize("method", BOUNDED)
def test_derivative_near_a_bound(lib: Any, method: str) -> None:
    """The minimum lies inside by less than the gradient that is left, or than the tolerance."""
    if method in BY_EIGENVECTORS and not hasattr(lib.xp, "linalg"):
        return

    def solution(c: Any) -> Any:
        def fun(x: Any) -> Any:
            u = x[0] - c
            return 50.0 * (u * u + u**4)

        return minimize(fun, lib.asarray([0.3]), method=method, bounds=[(0.0, 1.0)]).x[0]

    for at, slope in ((3e-8, 1.0), (-3e-3, 0.0)):
        got = lib.to_numpy(grad(solution)(lib.asarray(at)))
        np.testing.assert_allclose(got, slope, atol=1e-4)


@pytest.mark.xp_skip({"dask": "the function sees blocks of the batch"})
@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG"])
def test_no_minimum_along_a_line(lib: Any, method: str) -> None:
    """The search ends with words for it, soon, and spoils no other problem."""
    start, bent = lib.asarray([[9.0, 1.0], [0.5, 2.0]]), lib.asarray([0.0, 1.0])

    def fun(x: Any) -> Any:  # the second problem alone is curved
        xp = likewise.array_namespace(x)
        return xp.sum(x, axis=-1) + xp.sum(x * (x * bent[:, None]), axis=-1)

    found = minimize(fun, start, method=method, vectorized=True)
    assert lib.to_numpy(found.status).tolist() == [4, 0]
    assert np.all(lib.to_numpy(found.nfev) < 100) and "no minimum" in found.summary()


@pytest.mark.xp_skip({"dask": "the function sees blocks of the batch"})
@pytest.mark.parametrize("method", DESCENTS)
def test_a_fall_to_minus_infinity(lib: Any, method: str) -> None:
    """A trial point of value minus infinity is no rounding: there is no minimum."""
    start, bent = lib.asarray([[0.3, -0.2], [0.5, 2.0]]), lib.asarray([0.0, 1.0])

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        square = xp.sum(x * x, axis=-1) * bent
        return square - xp.sum(xp.exp(x * (1 - bent)[:, None]), axis=-1) * (1 - bent)

    found = minimize(fun, start, method=method, vectorized=True)
    assert lib.to_numpy(found.status).tolist() == [4, 0]


@pytest.mark.xp_skip({"dask": "one problem isn't cut in blocks"})
def test_adam_is_that_of_the_paper(lib: Any) -> None:
    """Algorithm 1 of Kingma and Ba (2015), step by step."""
    start, scale = np.asarray([1.5, -0.7]), np.asarray([1.0, 30.0])
    x, mean, square = start, np.zeros(2), np.zeros(2)
    for t in range(1, 8):
        g = 2 * scale * x
        mean, square = 0.8 * mean + 0.2 * g, 0.95 * square + 0.05 * g * g
        x = x - 0.05 * (mean / (1 - 0.8**t)) / (np.sqrt(square / (1 - 0.95**t)) + 1e-8)
    weights = lib.asarray(scale)
    found = minimize(
        lambda x: likewise.array_namespace(x).sum(x * x * weights),
        lib.asarray(start),
        method="Adam",
        options={"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.95, "maxiter": 7},
    )
    np.testing.assert_allclose(lib.to_numpy(found.x), x, rtol=1e-6 if lib.has_float64 else 1e-4)


def test_a_simplex_that_falls_to_minus_infinity(lib: Any) -> None:
    """Ends as a search along a line without an end does, and not as if its start were wrong."""

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return -xp.sum(xp.exp(x))

    found = minimize(fun, lib.asarray([0.3, -0.2]), method="Nelder-Mead")
    assert int(found.status) == 4 and not bool(found.success)


def test_a_trust_region_grows_as_scipys() -> None:
    """Not where the ratio is 0.75 exactly: from 8 to 7, by a model that promises 20 for 15."""
    way = {"jac": lambda x: 2 * x, "hess": lambda x: np.asarray([[-8.0]]), "method": "trust-ncg"}
    start, options = np.asarray([8.0]), {"maxiter": 2}
    theirs = scipy.optimize.minimize(lambda x: x[0] ** 2, start, options=options, **way)
    assert minimize(lambda x: x[0] ** 2, start, options=options, **way).x == theirs.x == 6.0


def test_evaluations_within_bounds_are_scipys() -> None:
    """Of quadratics, whose solutions are on many bounds: the Cauchy points are the right ones."""
    ours = theirs = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(8, 8))
        matrix, b = root @ root.T + 0.1 * np.eye(8), 5 * rng.normal(size=8)
        bounds = np.stack([-rng.uniform(size=8), rng.uniform(size=8)], axis=-1)
        way: dict[str, Any] = {
            "jac": lambda x, a=matrix, b=b: a @ x - b,
            "bounds": bounds,
            "method": "L-BFGS-B",
        }

        def fun(x: Any, a: Any = matrix, b: Any = b) -> Any:
            return 0.5 * x @ a @ x - b @ x

        ours += int(minimize(fun, np.zeros(8), **way).nfev)
        theirs += scipy.optimize.minimize(fun, np.zeros(8), **way).nfev
    assert ours <= 1.1 * theirs


def test_steps_are_taken_as_far_as_products_are_finite() -> None:
    """Those with the Hessian, here along the gradient alone."""
    scale = np.asarray([1.0, 4.0, 9.0])

    def hessp(x: Any, v: Any) -> Any:
        g = scale * x
        along = abs(v @ g) > (1 - 1e-9) * np.sqrt((v @ v) * (g @ g))
        return scale * v if along else np.nan * v

    found = minimize(
        lambda x: 0.5 * np.sum(scale * x * x),
        np.asarray([1.0, 2.0, -1.0]),
        jac=lambda x: scale * x,
        hessp=hessp,
        method="trust-ncg",
    )
    assert bool(found.success)
    np.testing.assert_allclose(found.x, np.zeros(3), atol=1e-3)


def test_a_trial_without_a_gradient_is_stepped_back_from() -> None:
    """Where the value is finite, the gradient isn't; else a search by CG takes 50 evaluations."""
    xp = likewise.namespace("strict")

    def gradient(x: Any) -> Any:
        g = xp.stack([2 * (x[0] - 0.1), 6 * (x[1] - 0.2)])
        return xp.where(xp.abs(x[0]) > 2, xp.asarray(xp.nan, dtype=g.dtype), g)

    def fun(x: Any) -> Any:
        return (x[0] - 0.1) ** 2 + 3 * (x[1] - 0.2) ** 2

    found = minimize(fun, xp.asarray([1.9, 1.5]), jac=gradient, method="CG")
    assert bool(found.success) and int(found.nfev) < 20


@pytest.mark.needs("torch")
@pytest.mark.needs("torch")
@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP"])
def test_derivatives_of_bounds_where_torch_records(method: str) -> None:
    """On one bound, between others, for one problem and for two."""
    import torch

    upper = torch.tensor([3.0, 0.8], dtype=torch.float64, requires_grad=True)
    for start in ([2.0, 0.5], [[2.0, 0.5], [0.0, 0.0]]):
        found = minimize(
            lambda x: (x[0] - 1.0) ** 2 + (x[1] - 2.5) ** 2,
            torch.asarray(start, dtype=torch.float64),
            method=method,
            bounds=likewise.optimize.Bounds(torch.full((2,), -9.0, dtype=torch.float64), upper),
        )
        (slope,) = torch.autograd.grad(torch.mean(found.x[..., 1]), upper)
        np.testing.assert_allclose(slope.numpy(), [0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_no_success_of_what_is_no_number(method: str) -> None:
    """A problem whose values aren't finite is no success, and the other of the batch is unharmed."""
    weights = np.asarray([1.0, np.nan])

    def fun(x: Any) -> Any:
        return weights * np.sum((x - 0.5) ** 2, axis=-1)

    options = {"maxiter": 400, "learning_rate": 0.1} if method == "Adam" else None
    found = minimize(
        fun, np.asarray([[0.25, 0.75]] * 2), method=method, vectorized=True, options=options
    )
    assert found.success.tolist() == [True, False] and found.status[1] != 0
    np.testing.assert_allclose(found.x[0], 0.5, atol=2e-3)


@pytest.mark.parametrize("method", [m for m in BOUNDED if ROWS[m].gradient])
@pytest.mark.parametrize("jac", ["2-point", "3-point"])
def test_differences_with_an_unknown_that_is_fixed(method: str, jac: str) -> None:
    """It has no step; the others are solved, and what isn't known is NaN."""
    bounds = [(0.0, 3.0), (2.0, 2.0), (None, None)]

    def fun(x: Any) -> Any:
        assert np.all(x[..., 1] == 2.0)  # nothing is asked outside of the bounds
        return (x[..., 0] - 1) ** 2 + (x[..., 2] - x[..., 1]) ** 2 + x[..., 0] * x[..., 2]

    found = minimize(fun, np.asarray([2.5, 1.0, 0.5]), method=method, jac=jac, bounds=bounds)
    assert found.success
    np.testing.assert_allclose(found.x, [0, 2, 2], atol=1e-4)
    assert np.isnan(found.jac).tolist() == [False, True, False]


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "SLSQP", "trust-constr"])
def test_a_function_that_keeps_its_last_value(method: str) -> None:
    """Its gradient at x0 seems to be 0, for it returns what it kept: no success there."""
    start = [-1.2, 1.0]

    def fun(x: Any) -> Any:
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    kept = [np.asarray(start), fun(np.asarray(start))]

    def keeping(x: Any) -> Any:
        if not np.array_equal(x, kept[0]):
            kept[:] = [np.asarray(x).copy(), fun(x)]
        return kept[1]

    with pytest.warns(DerivativeWarning, match="keep results"):
        found = minimize(keeping, np.asarray(start), method=method)
    np.testing.assert_allclose(found.x, 1, atol=1e-2)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "TNC", "SLSQP"])
@pytest.mark.parametrize("sides", [None, (-2.0, 0.8)])
def test_one_problem_by_differences_takes_few_calls(method: str, sides: Any) -> None:
    """The function is called as often as by SciPy, within bounds, with arrays that it may keep."""
    kept: list[Any] = []

    def fun(x: Any) -> float:
        value = sum((float(a) - i / 3) ** 2 for i, a in enumerate(x)) + float(x[0]) ** 4
        kept.append(x)
        return value

    x0, bounds = np.full(4, 0.5), None if sides is None or method == "BFGS" else [sides] * 4
    theirs = scipy.optimize.minimize(fun, x0, method=method, bounds=bounds)
    many = len(kept)
    kept.clear()
    with pytest.warns(DerivativeWarning):
        ours = minimize(fun, x0, method=method, bounds=bounds)
    # Rounding decides on a step, of a value and 4 differences.
    assert ours.success and len(kept) <= 1.1 * many + 12 and abs(ours.nfev - len(kept)) <= 6
    assert len({tuple(x) for x in kept}) > 0.5 * len(kept)  # each is what was asked for
    assert bounds is None or max(map(max, kept)) <= 0.8
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-5)


@pytest.mark.parametrize("jac", ["2-point", None])
def test_a_value_that_is_missing_on_the_way_is_no_end(jac: Any) -> None:
    """SciPy's L-BFGS-B ends at this start, and calls it a success."""

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        known = xp.where(x[0] > 0, x[0], xp.nan)
        value = -1e4 * (5.0 * xp.log(known) + 5.1 * xp.log(1.0 - known))
        return xp.where(xp.isnan(value), xp.inf, value)

    found = minimize(fun, np.asarray([0.51]), bounds=[(0.0, 0.95)], method="L-BFGS-B", jac=jac)
    np.testing.assert_allclose(found.x, 5.0 / 10.1, atol=1e-5)
    assert found.success


@pytest.mark.parametrize("most", [1, 10, 50])
@pytest.mark.parametrize("method", ["Powell", "Nelder-Mead", "L-BFGS-B"])
def test_limits_of_evaluations_are_of_calls(method: str, most: int) -> None:
    """An expensive function isn't called for a second try, as in SciPy."""
    calls = [0]

    def fun(x: Any) -> float:
        value = sum((float(a) - 0.3) ** 4 for a in x)
        calls[0] += 1
        return value

    option, x0 = "maxfun" if method == "L-BFGS-B" else "maxfev", np.linspace(0, 1, 6)
    theirs = scipy.optimize.minimize(fun, x0, method=method, options={option: most})
    many, calls[0] = calls[0], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        ours = minimize(fun, x0, method=method, options={option: most})
    assert ours.status == 1 and calls[0] <= many + 2
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-6)
