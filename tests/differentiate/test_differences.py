"""Finite differences against SciPy's, closed forms and differences of themselves."""

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.differentiate as sd
from scipy.optimize import rosen, rosen_hess

import likewise
from likewise import array_namespace, is_lazy, transforms
from likewise.differentiate import derivative, hessian, jacobian
from likewise.errors import ArgumentError, ConvergenceWarning, NotSupported, ShapeError
from likewise.interop import to_numpy
from likewise.testing import assert_close

X = np.linspace(-1.0, 2.0, 5)
SIDES = np.asarray([-1, 0, 1, 0, 2])


def wave(x: Any, c: Any) -> Any:
    return array_namespace(x).sin(c * x)


def near(xp: Any, found: Any, want: Any, rtol: float = 1e-9) -> None:
    """In single precision steps end at a relative error of the root of eps."""
    if not xp.variant.has_float64:
        rtol = 2e-3
    assert_close(found, want, rtol=rtol, atol=rtol)


CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    (np.exp, 1.0, {}),
    (np.exp, X, {"step_direction": SIDES}),
    (np.exp, X, {"step_direction": SIDES, "order": 3, "maxiter": 4}),
    (lambda x, p: x**p, [1.0, 2.0, 3.0], {"args": (np.asarray([[2.0], [3.0]]),), "order": 2}),
    (np.sqrt, [0.0, 1.0], {"step_direction": 1, "initial_step": 0.1}),
    (lambda x: [x, np.sin(3 * x), x + np.sin(10 * x)], 0.3, {"preserve_shape": True}),
    (np.exp, 1.0, {"maxiter": 1}),
    (np.exp, 1.0, {"step_direction": np.nan}),
    (np.exp, [1.0, 2.0], {"initial_step": [0.0, 0.1]}),
    (np.sin, X[:, None], {"step_factor": 0.5, "initial_step": 0.01, "order": 4}),
    (np.sin, X, {"tolerances": {"atol": 1e-3, "rtol": 0}}),
    (lambda x: x * np.nan, X, {}),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_scipy(number: int) -> None:
    f, x, options = CASES[number]
    x = np.asarray(x)
    ours, theirs = derivative(f, x, **options), sd.derivative(f, x, **options)
    assert np.allclose(ours.df, theirs.df, rtol=1e-11, atol=1e-12, equal_nan=True)
    assert np.allclose(ours.error, theirs.error, rtol=1e-3, atol=1e-12, equal_nan=True)
    for name in ("nit", "nfev", "status", "success", "x"):
        assert np.array_equal(ours[name], theirs[name]), name


def test_derivative(xp: Any) -> None:
    x, c = xp.asarray(X), xp.asarray(np.asarray([[1.0], [2.0]]))
    found = derivative(wave, x, args=(c,), step_direction=xp.asarray(X * 0 + 1))
    want = np.asarray([[1.0], [2.0]])
    near(xp, found.df, want * np.cos(want * X))
    assert found.success.shape == found.nfev.shape == found.x.shape == (2, 5)
    near(xp, derivative(wave, x[0], args=(2.0,)).df, np.asarray(2 * np.cos(2 * X[0])))


def test_calls_without_what_has_ended() -> None:
    c = np.concatenate([np.full(40, 0.5), np.full(3, 30.0)])
    shapes = []

    def f(x: Any, c: Any) -> Any:
        shapes.append(x.shape)
        return np.sin(c * x)

    found = derivative(f, np.full(43, 0.3), args=(c,))
    assert shapes[:2] == [(43, 1), (43, 8)] and shapes[-1] == (3, 2)
    theirs = sd.derivative(f, np.full(43, 0.3), args=(c,))
    assert np.array_equal(found.nfev, theirs.nfev) and np.array_equal(found.status, theirs.status)


def test_jacobian_and_hessian(xp: Any, once: bool, leave_out: Any) -> None:
    leave_out("long", once)

    def both(x: Any) -> Any:
        ns = array_namespace(x)
        return ns.stack([x[0, ...] * x[1, ...], ns.sin(x[0, ...])])

    x = xp.asarray(np.asarray([[0.3, 0.5], [1.0, 2.0]]))
    found = jacobian(both, x)
    want = np.asarray([[[1.0, 2.0], [0.3, 0.5]], [np.cos([0.3, 0.5]), [0.0, 0.0]]])
    near(xp, found.df, want, 1e-8)
    assert found.nfev.shape == found.error.shape == (2, 2, 2)
    if not xp.variant.has_float64:
        return
    second = hessian(lambda x: x[0, ...] ** 2 * x[1, ...], x[:, 0])
    near(xp, second.ddf, np.asarray([[2.0, 0.6], [0.6, 0.0]]), 1e-7)


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_matrices_as_scipy(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(5).uniform(0.2, 0.8, shape)

    def f(x: Any) -> Any:
        return np.stack([x[0], 5 * x[2], 4 * x[1] ** 2 - 2 * x[2], x[2] * np.sin(9 * x[0])])

    options = {"initial_step": 0.3, "order": 6, "tolerances": {"atol": 1e-10}}
    ours, theirs = jacobian(f, x, **options), sd.jacobian(f, x, **options)
    assert np.allclose(ours.df, theirs.df, rtol=1e-10, atol=1e-11)
    assert ours.nit.shape == theirs.nit.shape and np.max(np.abs(ours.nit - theirs.nit)) <= 1
    ours, theirs = hessian(rosen, x), sd.hessian(rosen, x)
    assert ours.ddf.shape == theirs.ddf.shape
    want = np.stack([rosen_hess(v) for v in x.reshape(3, -1).T], axis=-1).reshape(ours.ddf.shape)
    assert np.allclose(ours.ddf, want, rtol=1e-9, atol=1e-7)
    assert np.allclose(ours.nfev, theirs.nfev, rtol=0.5)
    sides = jacobian(lambda x: np.sqrt(x), np.zeros(2) + 0.01, step_direction=[1, 1])
    assert np.all(np.isfinite(sides.df))


def test_evaluations_of_a_hessian() -> None:
    counts = []

    def f(x: Any) -> Any:
        counts.append(x[0].size)
        return np.sin(x[0])

    found = hessian(f, np.asarray([0.5]), initial_step=10)
    assert found.nfev[0, 0] == sum(counts)


def test_callback() -> None:
    seen = []

    def callback(found: Any) -> None:
        seen.append((found.df, found.status, found.nit))
        if len(seen) == 3:
            raise StopIteration

    found = derivative(np.exp, 0.6, tolerances={"rtol": 1e-15}, callback=callback)
    assert [v[1] for v in seen] == [1, 1, 1] and [v[2] for v in seen] == [0, 1, 2]
    assert found.status == -4 and found.nit == 2 and found.df == seen[-1][0]
    first = derivative(np.exp, 0.6, callback=lambda found: next(iter(())))
    assert first.status == -4 and first.nit == 0 and np.isnan(first.df)


def test_what_ends_otherwise() -> None:
    found = derivative(lambda x: np.exp(x), X, order=2, tolerances={"rtol": 1e-14}, maxiter=3)
    assert np.all(found.status == -2) and "maxiter" in found.message + found.summary()
    assert derivative(np.exp, np.zeros((0, 2))).df.shape == (0, 2)
    single = derivative(np.exp, X.astype(np.float32), step_direction=SIDES)
    assert single.df.dtype == single.error.dtype == np.float32
    assert np.allclose(single.df, np.exp(X), rtol=3e-3)
    whole = derivative(lambda x: x**3, 2, args=())
    assert abs(whole.df - 12) < 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivative(lambda x: np.sqrt(x), 0.1)


def test_errors(xp: Any) -> None:
    x = xp.asarray(X)
    if not is_lazy(x):
        with pytest.raises(ShapeError, match="last axis are those of one problem"):
            derivative(lambda x: x[:, 0], x)
        with pytest.raises(ShapeError, match="at least one dimension"):
            jacobian(lambda x: x, x[0])
    for options in (
        {"tolerances": {"atol": -1}},
        {"tolerances": {"rtol": "no"}},
        {"tolerances": {"xtol": 1}},
        {"maxiter": 0},
        {"order": 1.5},
        {"step_factor": 1},
        {"step_factor": -2},
        {"preserve_shape": "yes"},
        {"callback": "no"},
    ):
        with pytest.raises(ArgumentError, match="tolerances|non-negative|" + next(iter(options))):
            derivative(lambda x: x, x, **options)  # type: ignore[arg-type]
    with pytest.raises(NotSupported, match="callback needs values"):
        transforms.vmap(lambda v: derivative(np.sin, v, callback=print).df)(X)
    with pytest.warns(ConvergenceWarning, match="rtol is 1e-15"):
        hessian(np.sin, np.ones(1), tolerances={"rtol": 1e-15})


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("library", [n for n in ("numpy", "torch", "jax") if find_spec(n)])
def test_derivatives(library: str, side: int) -> None:
    weights = np.random.default_rng(3).normal(size=3)
    given = [np.asarray(v) for v in ([0.2, 0.9, 2.0], [1.7, 0.5, 1.1], [0.4, 0.1])]

    def total(x: Any, c: Any, k: Any) -> Any:
        first = k[0]
        f = lambda x, c: wave(x, c) * array_namespace(x).exp(first * x)  # noqa: E731
        y = derivative(f, x, args=(c,), step_direction=side).df
        xp = array_namespace(y)
        return xp.sum(y * xp.asarray(weights, dtype=y.dtype))

    def exact(x: Any, c: Any, k: Any) -> Any:
        slope = (c * np.cos(c * x) + k[0] * np.sin(c * x)) * np.exp(k[0] * x)
        return np.sum(slope * weights)

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2))(*ours)
    for i, part in enumerate(found):
        if library == "numpy":  # followed alone
            assert np.allclose(transforms.grad(total, argnums=i)(*ours), part, rtol=1e-12)
        for j in range(given[i].size):
            step = np.zeros(given[i].size)
            step[j] = 1e-6
            more, less = (
                [v + s if n == i else v for n, v in enumerate(given)] for s in (step, -step)
            )
            slope = (exact(*more) - exact(*less)) / 2e-6
            assert abs(to_numpy(part)[j] - slope) < 1e-6


def test_derivatives_of_matrices() -> None:
    def f(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.stack([x[0, ...] * x[1, ...] ** 2, xp.sin(5 * x[0, ...])])

    x = np.asarray([0.3, 0.5])
    found = transforms.jacobian(lambda v: jacobian(f, v).df)(x)
    want = np.zeros((2, 2, 2))
    want[0] = [[0.0, 1.0], [1.0, 0.6]]
    want[1, 0, 0] = -25 * np.sin(1.5)
    assert np.allclose(found, want, atol=1e-8)
    third = transforms.jacobian(lambda v: hessian(lambda x: x[0, ...] ** 3, v).ddf)(x)
    assert abs(third[0, 0, 0] - 6) < 1e-5
