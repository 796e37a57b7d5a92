"""Nonlinear least squares against SciPy."""

import itertools
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse.linalg

import likewise
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedLibrariesError,
    NotSupported,
    ShapeError,
)
from likewise.optimize import LeastSquaresResult, least_squares, leastsq, root
from likewise.sparse.linalg import LinearOperator, aslinearoperator
from likewise.testing import check_function
from likewise.transforms import grad, jacfwd, vjp

from .._minimize.mgh import PROBLEMS

pytestmark = pytest.mark.xp_skip({"dask": "functions refer to arrays from outside"})

T = np.linspace(0.0, 3.0, 15)
TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}


def rosenbrock(x: Any) -> Any:
    xp = likewise.array_namespace(x)
    return xp.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def decay(x: Any, t: Any, y: Any) -> Any:
    xp = likewise.array_namespace(x)
    return x[0] * xp.exp(-x[1] * t) + x[2] - y


def rows(x: Any, t: Any, y: Any) -> Any:
    """The same, of many problems."""
    xp = likewise.array_namespace(x)
    return x[:, 0:1] * xp.exp(-x[:, 1:2] * t) + x[:, 2:3] - y


def data(rng: Any, count: int = 3) -> Any:
    a, k = rng.uniform(1, 3, size=(count, 1)), rng.uniform(0.5, 2, size=(count, 1))
    return a * np.exp(-k * T) + 0.3 + 0.05 * rng.normal(size=(count, T.size))


def by_scipy(y: Any, x0: Any, **options: Any) -> list[Any]:
    return [scipy.optimize.least_squares(decay, x0, args=(T, row), **TIGHT, **options) for row in y]


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-6) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tol = tol if lib.has_float64 else 5e-3
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


def test_one_problem(lib: Any) -> None:
    result = least_squares(rosenbrock, lib.asarray([-1.2, 1.0]))
    near(lib, result.x, [1.0, 1.0])
    near(lib, result.fun, [0.0, 0.0])
    near(lib, result.jac, [[-20.0, 10.0], [-1.0, 0.0]], 1e-5)
    assert isinstance(result, LeastSquaresResult)
    for name in ("cost", "optimality", "nfev", "njev", "status"):
        assert tuple(getattr(result, name).shape) == ()
    assert bool(result.success) and "1 of 1" in result.summary()


def test_each_evaluation_as_scipy() -> None:
    """The same steps, up to rounding."""
    for options in ({}, {"x_scale": "jac"}, {"loss": "cauchy"}):
        ours = least_squares(rosenbrock, np.asarray([-1.2, 1.0]), jac="3-point", **options)
        theirs = scipy.optimize.least_squares(
            rosenbrock, [-1.2, 1.0], jac="3-point", **{"x_scale": 1.0, **options}
        )
        assert abs(int(ours.nfev) - theirs.nfev) <= 2


@pytest.mark.parametrize("vectorized", [False, True])
def test_batch_equals_scipy(lib: Any, rng: Any, vectorized: bool) -> None:
    y = data(rng)
    t, start = lib.asarray(T), lib.asarray(np.ones((3, 3)))
    if vectorized:
        result = least_squares(rows, start, args=(t, lib.asarray(y)), vectorized=True)
        expected = by_scipy(y, np.ones(3))
    else:  # the same data, three starts
        start = lib.asarray([[1.0, 1.0, 1.0], [3.0, 2.0, 0.0], [0.5, 0.5, -1.0]])
        result = least_squares(decay, start, args=(t, lib.asarray(y[0])))
        expected = 3 * by_scipy(y[:1], np.ones(3))
    near(lib, result.x, [e.x for e in expected])
    near(lib, result.cost, [e.cost for e in expected])
    assert np.all(lib.to_numpy(result.status) > 0)


def test_bounds(lib: Any, rng: Any) -> None:
    """Active ones are met exactly, by the minimum within them."""
    y = data(rng)
    lower, upper = np.asarray([0.0, 0.0, 0.35]), np.asarray([1.7, np.inf, np.inf])
    start = lib.asarray(np.tile([1.0, 1.0, 1.0], (3, 1)))
    result = least_squares(
        rows,
        start,
        bounds=(lib.asarray(lower), lib.asarray(upper)),
        args=(lib.asarray(T), lib.asarray(y)),
        vectorized=True,
    )
    expected = by_scipy(y, np.ones(3), bounds=(lower, upper), x_scale="jac")
    near(lib, result.x, [e.x for e in expected], 1e-5)
    near(lib, result.cost, [e.cost for e in expected])
    mask, x = lib.to_numpy(result.active_mask), lib.to_numpy(result.x)
    np.testing.assert_array_equal(mask, [e.active_mask for e in expected])
    assert mask.dtype == np.int32 and mask.any()
    edge = np.where(mask < 0, lower, upper).astype(x.dtype)
    assert np.all(x[mask != 0] == np.broadcast_to(edge, x.shape)[mask != 0])


@pytest.mark.parametrize("method", ["trf", "lm"])
def test_bounds_of_one_problem(method: str) -> None:
    ours = least_squares(
        rosenbrock, np.asarray([-1.2, 1.8]), bounds=([-2, 1.5], 2.0), method=method
    )
    theirs = scipy.optimize.least_squares(rosenbrock, [-1.2, 1.8], bounds=([-2, 1.5], 2.0), **TIGHT)
    np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-6)
    assert ours.x[1] == 1.5 and ours.active_mask.tolist() == [0, -1]


@pytest.mark.parametrize("method", ["trf", "lm"])
@pytest.mark.long("strict", "strict-device1", "strict-minimal")
def test_inside_where_the_jacobian_vanishes(lib: Any, method: str, leave_out: Any) -> None:
    """The Gauss-Newton step, which is nearly singular, would leave the box; the solution is free."""
    leave_out(
        "float64", method == "lm" and not lib.has_float64
    )  # creeps till max_nfev, and says so
    bounds = (-1.0, 3.0)

    def solution(c: Any) -> Any:
        start = lib.asarray([2.0])
        return least_squares(lambda x: (x - c) ** 2 + 5.0, start, bounds=bounds, method=method)

    found = solution(lib.asarray(0.5))
    tol = 1e-3 if lib.has_float64 else 0.05  # where the cost is flat to rounding
    np.testing.assert_allclose(lib.to_numpy(found.x), [0.5], atol=tol)
    assert lib.to_numpy(found.active_mask).tolist() == [0]
    # The angle between one residual and its one column is no test: lm may creep till max_nfev, and
    # last digits decide whether it does.
    assert bool(found.success) or (method == "lm" and int(found.status) == 0)
    slope = grad(lambda c: likewise.array_namespace(c).sum(solution(c).x))(lib.asarray(0.5))
    # At x - c = u Newton's step, whose matrix varies, is off by 12 u^2 / 10.
    expected = 1.0 if bool(found.success) else 0.0  # what hasn't ended has no derivative
    np.testing.assert_allclose(lib.to_numpy(slope), expected, rtol=max(1e-5, 1.2 * tol**2))


@pytest.mark.parametrize(
    ("upper", "mask", "slopes"),
    [
        pytest.param(3.0, [0, 0], [1.0, 2.0], marks=pytest.mark.full),
        (0.5, [0, 1], [1.0, 0.0]),
    ],
)
def test_inside_in_two_unknowns(upper: float, mask: list[int], slopes: list[float]) -> None:
    """One unknown is where the Jacobian vanishes, the other on its bound or not."""

    def solution(c: Any, upper: float) -> Any:
        def fun(x: Any) -> Any:
            xp = likewise.array_namespace(x, c)
            return xp.stack([(x[0] - c) ** 2 + 5.0, x[1] - 2 * c])

        start = np.asarray([2.0, 0.0])
        return least_squares(fun, start, bounds=(-1.0, [3.0, upper]), method="trf")

    found = solution(np.asarray(0.5), upper)
    assert found.active_mask.tolist() == mask
    _, pull = vjp(lambda c: solution(c, upper).x, np.asarray(0.5))
    for row, slope in zip(np.eye(2), slopes, strict=True):
        np.testing.assert_allclose(pull(row)[0], slope, atol=1e-6)


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
@pytest.mark.parametrize("method", ["trf", "lm"])
def test_differences_within_bounds_to_the_last_digit(jac: str, method: str, rng: Any) -> None:
    lower = rng.uniform(-1, 0, 40) * 10.0 ** rng.integers(-5, 5, 40)
    upper = lower + rng.uniform(0, 1, 40) * 10.0 ** rng.integers(-7, 3, 40)
    seen = []

    def fun(x: Any) -> Any:
        seen.append(x.copy())
        return x - 2

    start = np.clip(lower + rng.uniform(0, 1, 40) * (upper - lower), lower, upper)
    least_squares(fun, start, jac=jac, method=method, bounds=(lower, upper))
    assert np.all(np.asarray(seen) >= lower) and np.all(np.asarray(seen) <= upper)


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs"])
@pytest.mark.parametrize("method", ["trf", "lm"])
def test_differences_of_what_ends_beside_zero(jac: str, method: str) -> None:
    """Steps relative to 1e-12 change nothing, and the column of what is at a bound was 0."""
    t = np.linspace(0.0, 1.0, 30)

    def fun(x: Any) -> Any:
        return np.exp(-x[0] * t) + x[1] - (np.exp(-2.0 * t) - 0.3)

    start = np.asarray([1.0, 2.0])
    result = least_squares(fun, start, jac, bounds=([0.0, 0.0], np.inf), method=method)
    assert abs(float(result.x[1])) < 1e-3
    np.testing.assert_allclose(result.jac[:, 1], 1.0, rtol=2e-3)
    # A problem of a batch that starts far off doesn't set the steps of the others.
    both = least_squares(
        lambda x: np.exp(-x[0] * t) + x[1] - np.exp(-2.0 * t),
        np.asarray([[1.0, 0.5], [3e6, 2e6]]),
        jac,
    )
    np.testing.assert_allclose(both.x[0], [2.0, 0.0], atol=1e-6)


def test_the_model_is_never_called_outside_of_the_bounds() -> None:
    seen = []

    def fun(x: Any) -> Any:
        seen.append(x.copy())
        return np.stack([np.log(x[0]) + x[1] - 1, np.sqrt(2 - x[1]) - 0.1, x[0] - 0.02])

    for jac in ("2-point", "3-point"):
        result = least_squares(fun, np.asarray([1.0, 2.0]), jac=jac, bounds=([1e-3, 0.0], 2.0))
        assert bool(result.success)
    x = np.asarray(seen)
    assert np.all(x >= [1e-3, 0.0]) and np.all(x <= 2.0)


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_losses(lib: Any, rng: Any, loss: str) -> None:
    y = data(rng, 1)
    y[0, ::5] += 1.0
    start = lib.asarray([2.0, 1.0, 0.3])
    args = lib.asarray(T), lib.asarray(y[0])
    tight = TIGHT if lib.has_float64 else {}
    result = least_squares(decay, start, loss=loss, f_scale=0.1, args=args, **tight)
    expected = by_scipy(y, [2.0, 1.0, 0.3], loss=loss, f_scale=0.1)[0]
    near(lib, result.x, expected.x, 2e-5)
    near(lib, result.cost, expected.cost)
    near(lib, result.fun, expected.fun, 1e-4)


def test_loss_given(rng: Any) -> None:
    y = data(rng, 1)

    def rho(z: Any) -> Any:
        return np.stack([np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2])

    ours = least_squares(decay, np.ones(3), loss=rho, args=(T, y[0]), **TIGHT)
    np.testing.assert_allclose(ours.x, by_scipy(y, np.ones(3), loss="cauchy")[0].x, rtol=1e-6)


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs", "given"])
def test_jacobians(jac: str, rng: Any) -> None:
    y = data(rng)

    def given(x: Any, t: Any, y: Any) -> Any:
        xp = likewise.array_namespace(x)
        e = xp.exp(-x[1] * t)
        return xp.stack([e, -x[0] * t * e, xp.ones_like(e)], axis=-1)

    start = np.asarray([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]])
    result = least_squares(decay, start, jac=given if jac == "given" else jac, args=(T, y[0]))
    np.testing.assert_allclose(result.x, 2 * [by_scipy(y, np.ones(3))[0].x], rtol=1e-5, atol=1e-6)


def test_levenberg_marquardt(lib: Any, rng: Any) -> None:
    y = data(rng)
    result = least_squares(
        rows,
        lib.asarray(np.ones((3, 3))),
        method="lm",
        args=(lib.asarray(T), lib.asarray(y)),
        vectorized=True,
    )
    near(lib, result.x, [e.x for e in by_scipy(y, np.ones(3))])
    assert np.all(lib.to_numpy(result.status) > 0)


@pytest.mark.long("jax-jit", "jax-x32")
def test_products_alone(lib: Any, rng: Any) -> None:
    """LSMR, with bounds and without."""
    y = data(rng)
    for bounds in (None, (0.0, 1.7)):
        result = least_squares(
            rows,
            lib.asarray(np.ones((3, 3))),
            bounds=bounds,
            tr_solver="lsmr",
            args=(lib.asarray(T), lib.asarray(y)),
            vectorized=True,
        )
        options = {} if bounds is None else {"bounds": bounds}
        expected = by_scipy(y, np.ones(3), **options)
        near(lib, result.x, [e.x for e in expected], 1e-4)
        near(lib, result.cost, [e.cost for e in expected])
        assert result.jac is None


def banded(x: Any) -> Any:
    """Broyden's banded function in its tridiagonal form."""
    xp = likewise.array_namespace(x)
    zero = xp.zeros_like(x[:1])
    return (3 - 2 * x) * x - xp.concat([zero, x[:-1]]) - 2 * xp.concat([x[1:], zero]) + 1


def test_one_large_problem() -> None:
    x0 = -np.ones(60)
    for options in ({}, {"tr_solver": "lsmr"}, {"bounds": (-0.7, 1.0)}):
        start = np.maximum(x0, -0.65) if "bounds" in options else x0
        ours = least_squares(banded, start, **options)
        scipys = {k: v for k, v in options.items() if k == "bounds"}
        theirs = scipy.optimize.least_squares(banded, start, **scipys, **TIGHT)
        np.testing.assert_allclose(ours.x, theirs.x, atol=1e-6)
        assert bool(ours.success)


def tridiagonal(x: Any) -> LinearOperator:
    """The derivative of `banded` by its products, of each row."""

    def shifted(v: Any, by: int) -> Any:
        zero = likewise.array_namespace(v).zeros_like(v[..., :1])
        parts = [zero, v[..., :-1]] if by > 0 else [v[..., 1:], zero]
        return likewise.array_namespace(v).concat(parts, axis=-1)

    return LinearOperator(
        (*x.shape[:-1], x.shape[-1], x.shape[-1]),
        lambda v: (3 - 4 * x) * v - shifted(v, 1) - 2 * shifted(v, -1),
        lambda u: (3 - 4 * x) * u - shifted(u, -1) - 2 * shifted(u, 1),
    )


@pytest.mark.parametrize("bounds", [None, (-0.65, 1.0)], ids=["free", "bounds"])
def test_a_jacobian_by_products(lib: Any, bounds: Any) -> None:
    """One problem, problems one by one, and an operator with a batch's leading dimension."""
    limits = (-np.inf, np.inf) if bounds is None else bounds
    want = scipy.optimize.least_squares(banded, np.full(8, -0.5), bounds=limits, **TIGHT)
    start = lib.asarray(np.full(8, -0.5))
    found = least_squares(banded, start, tridiagonal, limits)
    near(lib, found.x, want.x, 1e-5)
    near(lib, found.cost, want.cost, 1e-8)
    assert bool(found.success) and found.jac is None
    many = lib.asarray(np.stack([np.full(8, -0.5), np.linspace(-0.6, 0.1, 8)]))

    def rows(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.matrix_transpose(banded(xp.matrix_transpose(x)))

    each = least_squares(banded, many, tridiagonal, limits)
    whole = least_squares(rows, many, tridiagonal, limits, vectorized=True)
    assert each.x.shape == (2, 8)
    near(lib, each.x[0, ...], want.x, 1e-5)
    near(lib, whole.x, lib.to_numpy(each.x), 1e-6)


def test_a_jacobian_by_products_as_scipys() -> None:
    """An operator of SciPy's, a callable that returns matrices, and what can't be."""
    theirs = scipy.sparse.linalg.aslinearoperator
    x0 = np.asarray([-1.2, 1.0])

    def slope(x: Any) -> Any:
        return np.asarray([[-20 * x[0], 10.0], [-1.0, 0.0]])

    for jac in (lambda x: theirs(slope(x)), slope):
        found = least_squares(rosenbrock, x0, jac, tr_solver="lsmr")
        np.testing.assert_allclose(found.x, 1.0, rtol=1e-6)
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return theirs(slope(x))

    found = least_squares(rosenbrock, x0, counted)
    assert len(calls) <= int(found.nfev) + 2  # not one for each product
    refused = ({"method": "lm"}, {"tr_solver": "exact"}, {"x_scale": "jac"})
    for options in (*refused, {"constraints": ({"type": "ineq", "fun": lambda x: x},)}):
        with pytest.raises(ArrayTypeError, match="returned an operator"):
            least_squares(rosenbrock, x0, lambda x: theirs(slope(x)), **options)
    with pytest.raises(ShapeError, match="operator of shape"):
        least_squares(rosenbrock, x0, lambda x: theirs(np.ones((2, 3))))


def test_derivatives_with_a_jacobian_by_products(lib: Any) -> None:
    """Equal to those that a dense Jacobian gives."""
    d = lib.asarray(np.linspace(0.5, 1.0, 4))

    def value(d: Any, jac: Any) -> Any:
        def fun(x: Any) -> Any:
            return banded(x) + 0.1 * d

        start = lib.asarray(np.full(4, -0.5))
        tight = TIGHT if lib.has_float64 else {}
        x = least_squares(fun, start, jac, **tight).x
        return likewise.array_namespace(x).sum(x * x * d)

    got = grad(lambda d: value(d, tridiagonal))(d)
    near(lib, got, lib.to_numpy(grad(lambda d: value(d, None))(d)), 1e-6)


def test_fewer_residuals_than_unknowns(lib: Any) -> None:
    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.reshape(x[0] + 2 * x[1] + 3 * x[2] - 6.0, (1,))

    result = least_squares(fun, lib.asarray([1.0, 0.0, 0.0]))
    assert float(result.cost) < 1e-10 and bool(result.success)


def test_bad_problems_spoil_no_other(lib: Any, rng: Any) -> None:
    y = data(rng, 4)
    y[1, 3] = np.nan
    start = np.ones((4, 3))
    start[2] = [-1e3, 50.0, 1e3]  # the exponential is flat
    result = least_squares(
        rows, lib.asarray(start), args=(lib.asarray(T), lib.asarray(y)), vectorized=True
    )
    status = lib.to_numpy(result.status)
    assert status[1] == -1 and status[0] > 0 and status[3] > 0
    near(lib, result.x[0, ...], by_scipy(y[:1], np.ones(3))[0].x)
    near(lib, result.x[3, ...], by_scipy(y[3:], np.ones(3))[0].x)
    np.testing.assert_array_equal(lib.to_numpy(result.x)[1], 1.0)


def test_cut_short(lib: Any) -> None:
    result = least_squares(rosenbrock, lib.asarray([-1.2, 1.0]), max_nfev=4)
    assert int(result.status) == 0 and int(result.nfev) == 4 and not bool(result.success)
    assert "max_nfev" in result.advice()[0][1]


def test_float32_stays_and_converges(lib: Any, rng: Any) -> None:
    y = data(rng, 1)[0]
    result = least_squares(
        decay,
        lib.asarray(np.ones(3), "float32"),
        args=(lib.asarray(T, "float32"), lib.asarray(y, "float32")),
    )
    x = lib.to_numpy(result.x)
    assert x.dtype == np.float32 and bool(result.success)
    np.testing.assert_allclose(x, by_scipy(y[None], np.ones(3))[0].x, rtol=2e-3, atol=2e-3)


@pytest.mark.long("jax-jit", "jax-x32")
@pytest.mark.parametrize("bounds", [None, (0.0, 2.2)])
def test_gradient_with_respect_to_the_data(lib: Any, rng: Any, bounds: Any) -> None:
    """The implicit function theorem on the free unknowns, in closed form."""
    y = data(rng, 1)[0]
    weights = rng.normal(size=2)

    def model(x: Any, t: Any) -> Any:
        return x[0] * likewise.array_namespace(x).exp(-x[1] * t)

    def combined(y: Any) -> Any:
        xp = likewise.array_namespace(y)
        t, start = lib.asarray(T), lib.asarray([1.0, 1.0])
        found = least_squares(lambda x: model(x, t) - y, start, bounds=bounds)
        return xp.sum(found.x * lib.asarray(weights))

    got = lib.to_numpy(grad(combined)(lib.asarray(y)))
    options = {} if bounds is None else {"bounds": bounds}
    x = scipy.optimize.least_squares(lambda x: model(x, T) - y, [1.0, 1.0], **TIGHT, **options).x
    free = np.asarray([bounds is None or x[0] < 2.2 - 1e-6, True])
    e = np.exp(-x[1] * T)
    r = x[0] * e - y
    jac = np.stack([e, -x[0] * T * e], axis=-1)
    second = np.stack([[0 * e, -T * e], [-T * e, x[0] * T**2 * e]])
    hessian = (jac.T @ jac + second @ r)[np.ix_(free, free)]
    expected = np.linalg.solve(hessian, jac.T[free]).T @ weights[free]
    tol = 1e-5 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


@pytest.mark.long("jax-jit", "jax-x32")
def test_gradient_with_respect_to_a_bound(lib: Any) -> None:
    def x_of(upper: Any) -> Any:
        edges = lib.asarray([-10.0, -10.0]), upper
        return least_squares(rosenbrock, lib.asarray([0.1, 0.3]), bounds=edges).x[1]

    # x0 at its bound u: the minimum over x1 is u^2.
    got = grad(x_of)(lib.asarray([0.5, 10.0]))
    near(lib, got, [1.0, 0.0], 1e-6)


@pytest.mark.long("jax-jit", "jax-x32")
def test_batches_have_gradients(lib: Any) -> None:
    def total(a: Any) -> Any:
        xp = likewise.array_namespace(a)

        def fun(x: Any) -> Any:
            xp = likewise.array_namespace(x)
            return xp.concat([x[:, 0:1] ** 2 - a[:, None], x[:, 1:2] * x[:, 0:1] - 1], axis=1)

        found = least_squares(
            fun, xp.full((3, 2), 1.5, dtype=a.dtype, device=likewise.device(a)), vectorized=True
        )
        return xp.sum(found.x[:, 0]) + 2 * xp.sum(found.x[:, 1])

    a = np.asarray([1.0, 2.0, 3.0])
    got = grad(total)(lib.asarray(a))
    near(lib, got, 0.5 / np.sqrt(a) - a**-1.5, 1e-6)  # of sqrt(a) + 2 / sqrt(a)


def test_errors() -> None:
    x0 = np.asarray([1.0, 1.0])
    with pytest.raises(ArgumentError, match="must be one of"):
        least_squares(rosenbrock, x0, method="brute")
    with pytest.raises(ArgumentError, match="got 1 with bounds 2 and 3.* unknown 0"):
        least_squares(rosenbrock, x0, bounds=(2.0, 3.0))
    with pytest.raises(ArgumentError, match="got 5 with bounds 0 and 3.*problem 1, unknown 1"):
        least_squares(rosenbrock, np.asarray([[1.0, 1.0], [1.0, 5.0]]), bounds=(0.0, 3.0))
    with pytest.raises(ArgumentError, match="below its upper bound"):
        least_squares(rosenbrock, x0, bounds=(2.0, 1.0))
    with pytest.raises(ArgumentError, match="bounds must be a pair"):
        least_squares(rosenbrock, x0, bounds=3.0)
    with pytest.raises(ArgumentError, match="loss must be one of"):
        least_squares(rosenbrock, x0, loss="l1")
    with pytest.raises(ArgumentError, match="f_scale"):
        least_squares(rosenbrock, x0, loss="huber", f_scale=0.0)
    with pytest.raises(ArgumentError, match="xtol must be"):
        least_squares(rosenbrock, x0, xtol=-1.0)
    with pytest.raises(ArgumentError, match="max_nfev must be"):
        least_squares(rosenbrock, x0, max_nfev=0)
    with pytest.raises(ArgumentError, match="x_scale must be positive"):
        least_squares(rosenbrock, x0, x_scale=0.0)
    with pytest.raises(ArgumentError, match="needs the Jacobian"):
        least_squares(rosenbrock, x0, x_scale="jac", tr_solver="lsmr")
    with pytest.raises(ArgumentError, match="jac must be one of"):
        least_squares(rosenbrock, x0, jac="4-point")
    with pytest.raises(TypeError, match="fun must be callable"):
        least_squares(None, x0)
    with pytest.raises(ShapeError, match="fun must return"):
        least_squares(lambda x: np.ones((2, 2)), x0)
    with pytest.raises(ShapeError, match=r"jac must return .* shape \(n, 2\)"):
        least_squares(rosenbrock, x0, jac=lambda x: np.ones((2, 3)))
    with pytest.raises(DtypeError, match="fun must return"):
        least_squares(lambda x: np.ones(3, dtype="float32"), x0)
    with pytest.raises(ArrayTypeError, match="fun must return"):
        least_squares(lambda x: "no", x0)
    with pytest.raises(ShapeError, match="at least one unknown"):
        least_squares(rosenbrock, np.ones(0))


@pytest.mark.full  # compiles much
def test_capabilities(rng: Any) -> None:
    """What one line proves of it, the loop declared."""
    y = data(rng)
    expected = np.stack([e.x for e in by_scipy(y, np.ones(3))])
    check_function(
        lambda x0, t, y: least_squares(rows, x0, args=(t, y), vectorized=True).x,
        np.ones((3, 3)),
        T,
        y,
        reference=lambda x0, t, y: expected,
        tol={"float64": 1e-5, "float32": 5e-2},
        compile="the iterations look at values",
        grad=False,  # tested above: by x0 there is none
        vmap=False,
        libraries=["numpy-readonly", "strict-device1", "strict-minimal", "torch", "jax"],
        scalars=6,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.least_squares",
    )


def test_cost_belongs_to_the_solution() -> None:
    def fun(x: Any) -> Any:
        return likewise.array_namespace(x).stack([3 * x[0] ** 4 - 5, x[0] ** 4 - 1.7])

    found = least_squares(fun, np.asarray([2.0]), method="lm")
    np.testing.assert_allclose(found.cost, 0.5 * np.sum(fun(found.x) ** 2), rtol=1e-12)


def coupled(data: Any) -> Any:
    """Nine residuals of six unknowns, curved, with `data` in them and outside of them."""

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x, data)
        ends = xp.stack([x[0] * x[5] - data[0], x[1] + x[2] ** 2 - data[1], x[3] - data[2]])
        return xp.concat([x * (1.0 + 0.3 * x) - data, ends])

    return fun


@pytest.mark.parametrize("bounds", [None, (-5.0, 0.9)], ids=["free", "bounds"])
def test_products_give_derivatives(lib: Any, bounds: Any) -> None:
    """Of what LSMR finds, by products alone, against differences."""
    data = np.linspace(0.5, 2.0, 6)
    weights = np.asarray([0.3, -1.2, 0.7, 2.0, -0.4, 1.1])
    tight = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-12}
    if bounds is not None:
        tight["bounds"] = bounds
    if not lib.has_float64:
        tight = {k: v for k, v in tight.items() if k == "bounds"}

    def value(d: Any) -> Any:
        start = lib.asarray(np.full(6, 0.5))
        found = least_squares(coupled(d), start, tr_solver="lsmr", **tight)
        return likewise.array_namespace(d).sum(found.x * lib.asarray(weights)) + found.cost

    def by_scipy(d: Any) -> float:
        limits = (-np.inf, np.inf) if bounds is None else bounds
        fun = coupled(d)
        found = scipy.optimize.least_squares(fun, np.full(6, 0.5), "cs", limits, "dogbox", **TIGHT)
        x, free = found.x, found.active_mask == 0  # about 1e-8 near; the rest by gradient = 0

        def gradient(z: Any) -> Any:
            at = x.copy()
            at[free] = z
            moved = [fun(at + 1e-30j * e) for e in np.eye(6)[free]]
            return [np.sum(r * r).imag / 2e-30 for r in moved]

        x[free] = scipy.optimize.fsolve(gradient, x[free], xtol=1e-11)
        return float(x @ weights + fun(x) @ fun(x) / 2)

    steps = 1e-5 * np.eye(6)
    expected = [(by_scipy(data + s) - by_scipy(data - s)) / 2e-5 for s in steps]
    got = likewise.grad(value)(lib.asarray(data))
    tol = 1e-6 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=tol, atol=tol)


@pytest.mark.full  # the test above has the ways that it takes
def test_products_give_derivatives_along_a_direction(lib: Any) -> None:
    """Forward mode agrees with reverse mode, of a batch."""
    data = np.linspace(0.5, 2.0, 6)

    def solved(d: Any) -> Any:
        start = lib.asarray(np.full((2, 6), 0.5))
        return least_squares(coupled(d), start, tr_solver="lsmr").x

    d = lib.asarray(data)
    along = likewise.jvp(solved, (d,), (lib.asarray(np.cos(data)),))[1]
    _, pull = likewise.vjp(solved, d)
    back = pull(lib.asarray(np.ones((2, 6))))[0]
    np.testing.assert_allclose(
        lib.to_numpy(along).sum(), lib.to_numpy(back) @ np.cos(data), rtol=1e-4
    )


@pytest.mark.needs("jax")
def test_no_matrix_is_formed() -> None:
    """Nor under jit, where derivatives may be asked for."""
    import jax

    p = 300

    def solved(d: Any) -> Any:
        found = least_squares(lambda x: x + 0.1 * x**3 - d, 0 * d, tr_solver="lsmr")
        return (found.x**2).sum()

    text = str(jax.make_jaxpr(jax.grad(solved))(jax.numpy.ones(p)))
    assert f"{p},{p}]" not in text and f"{p}]" in text


def test_scipys_arguments() -> None:
    """What SciPy takes and this takes too, against SciPy."""
    x0 = np.asarray([-1.2, 1.0])
    bounds = np.asarray([[-2.0, -1.0], [0.5, 3.0]])
    wanted = scipy.optimize.least_squares(rosenbrock, x0, bounds=bounds).x
    for given in (bounds, scipy.optimize.Bounds(*bounds), ([-2.0, -1.0], [0.5, 3.0])):
        for jac, step in (("2-point", None), ("3-point", [1e-4, 1e-4]), ("2-point", 1e-7)):
            found = least_squares(
                lambda x: [10 * (x[1] - x[0] ** 2), 1 - x[0]], x0, jac, given, diff_step=step
            )
            np.testing.assert_allclose(found.x, wanted, rtol=1e-5)
    found = least_squares(rosenbrock, x0, method="dogbox", workers=2, tr_options={"btol": 1e-9})
    np.testing.assert_allclose(found["x"], 1.0, rtol=1e-7)
    assert "'dogbox' is served by 'trf'" in found.note
    found = least_squares(rosenbrock, x0, "3-point", method="dogbox", jac_sparsity=np.ones((2, 2)))
    np.testing.assert_allclose(found.x, 1.0, rtol=1e-7)
    assert found.note.startswith("'dogbox'") and "jac_sparsity has no effect" in found.note
    with pytest.raises(ValueError, match="x0") as complex_start:  # SciPy's class, and ours
        least_squares(rosenbrock, x0 + 0j)
    assert isinstance(complex_start.value, DtypeError) and isinstance(
        complex_start.value, TypeError
    )
    found = least_squares(lambda x, a: x - a, x0, args=np.asarray([3.0, 4.0]))
    np.testing.assert_allclose(found.x, [3.0, 4.0])
    found = least_squares(rosenbrock, x0, ftol=None, xtol=None)
    assert int(found.status) == 1


def test_scipys_bounds_object(lib: Any) -> None:
    """It holds NumPy's arrays, whatever the library; NumPy's own are of another one."""
    x0, lower, upper = lib.asarray([-1.2, 1.0]), [-2.0, -1.0], [0.5, 3.0]
    found = least_squares(rosenbrock, x0, bounds=scipy.optimize.Bounds(lower, upper))
    assert found.x.dtype == x0.dtype
    np.testing.assert_allclose(lib.to_numpy(found.x), [0.5, 0.25], rtol=1e-3)


@pytest.mark.parametrize("method", ["trf", "lm"])
def test_what_is_not_finite_on_the_way_is_a_status(method: str) -> None:
    """Also where another library's solver runs, which has errors for it."""
    x0 = np.asarray([3.0, 2.0])

    def lost(x: Any) -> Any:
        return x * np.nan

    def slope(x: Any) -> Any:
        return lost(np.eye(2))

    for fun, jac in ((lost, lambda x: np.eye(2)), (lambda x: x - 1, slope)):
        found = least_squares(fun, x0, jac, method=method)
        assert not found.success and found.status == -1, found.message
    found = least_squares(lambda x: x - 1, lost(x0), method=method)
    assert found.status == -1


def test_errors_of_the_function_are_raised_at_once() -> None:
    calls = []

    def refuses(x: Any) -> Any:
        calls.append(x)
        raise ValueError("of mine")

    with pytest.raises(ValueError, match="of mine"):
        least_squares(refuses, np.asarray([1.0]))
    assert (
        len(calls) <= 2
    )  # where derivatives are kept, the function is followed before it is called


def test_bounds_of_another_library() -> None:
    bounds = strict.zeros(2), strict.ones(2)
    with pytest.raises(MixedLibrariesError, match="least_squares: arrays of one library"):
        least_squares(rosenbrock, np.asarray([0.5, 0.5]), bounds=bounds)


def test_an_operator_with_another_number_of_rows(xp: Any) -> None:
    a = xp.asarray(np.vander(np.linspace(0, 1, 7), 4))
    for rows in (5, 9):
        wrong = aslinearoperator(xp.concat([a, a], axis=0)[:rows, :])
        text = rf"jac must return an operator of shape \(7, 4\), got \({rows}, 4\)"
        with pytest.raises(ShapeError, match=text):
            least_squares(lambda x: a @ x - 1.0, xp.zeros(4), jac=lambda x, w=wrong: w)


def test_a_linear_operator_is_no_array() -> None:
    """The error names the function that returned it."""

    def operator(x: Any) -> Any:
        return scipy.sparse.linalg.aslinearoperator(np.eye(2))

    with pytest.raises(ArrayTypeError, match="root: jac returned an operator, .*: return an array"):
        root(lambda x: x - 1.0, np.zeros(2), jac=operator)


def test_scipys_arguments_that_are_refused() -> None:
    x0 = np.asarray([-1.2, 1.0])
    with pytest.raises(ShapeError, match=r"jac_sparsity must be of shape \(2, 2\), got"):
        least_squares(rosenbrock, x0, jac_sparsity=np.eye(3))
    with pytest.raises(TypeError, match="tr_options got an unexpected keyword 'tol'"):
        least_squares(rosenbrock, x0, tr_options={"tol": 1e-9})
    with pytest.raises(ArgumentError, match="at least one of ftol, xtol and gtol"):
        least_squares(rosenbrock, x0, ftol=None, xtol=None, gtol=None)
    with pytest.raises(ArgumentError, match="method 'lm' needs ftol"):
        least_squares(rosenbrock, x0, method="lm", gtol=None)
    with pytest.raises(ShapeError, match="method 'lm' needs n >= p"):
        least_squares(lambda x: x[:1], x0, method="lm")
    with pytest.raises(ShapeError, match="a number for each of 2 unknowns"):
        least_squares(rosenbrock, x0, bounds=([-2.0], [3.0, 4.0]))
    with pytest.raises(ShapeError, match="diff_step must be"):
        least_squares(rosenbrock, x0, "2-point", diff_step=[1e-8] * 3)


def test_callback_is_told_and_ends(lib: Any, capsys: Any) -> None:
    seen: list[Any] = []
    x0 = lib.asarray([-1.2, 1.0])
    if lib.library == "jax":  # has no values under jit
        with pytest.raises(NotSupported, match="callback needs values"):
            least_squares(rosenbrock, x0, callback=seen.append)
        return
    found = least_squares(rosenbrock, x0, callback=seen.append, verbose=1)
    np.testing.assert_array_equal(lib.to_numpy(seen[-1]), lib.to_numpy(found.x))
    assert "converged" in capsys.readouterr().out

    def stop(intermediate_result: Any) -> None:
        seen.append(intermediate_result)
        raise StopIteration

    found = least_squares(rosenbrock, x0, callback=stop)
    assert int(found.status) == -2 and not bool(found.success)
    assert seen[-1].nit == 1 and "StopIteration" in found.message


@pytest.mark.parametrize("jac", [None, "2-point"])
@pytest.mark.parametrize("day", [2.4e5, 2.4e6, 2.4e7])
def test_lines_over_days_of_a_calendar(lib: Any, day: float, jac: Any) -> None:
    """Columns of other sizes, nearly parallel: the valley is seen beside the largest of them."""
    if not lib.has_float64:
        return
    t = day + np.linspace(0.0, 100.0, 20)
    y = 2.0 * (t - day) + 3.0 + 0.1 * np.cos(t)
    line = np.polyval(np.polyfit(t - day, y, 1), t - day)
    own, values = lib.asarray(t), lib.asarray(y)
    found = least_squares(
        lambda x: x[:, 0:1] * own + x[:, 1:2] - values, lib.asarray(np.ones((2, 2))), jac,
        vectorized=True,
    )  # fmt: skip
    assert np.all(lib.to_numpy(found.success))
    np.testing.assert_allclose(lib.to_numpy(found.cost), 0.5 * np.sum((y - line) ** 2), rtol=1e-4)


def test_a_table_of_iterations(lib: Any, capsys: Any) -> None:
    """SciPy's columns; of sizes whose squares are no numbers, too."""
    if not lib.has_float64:
        return
    x0, seen = [-1.2, 1.0], []
    for unit in (1.0, 1e-160):
        found = least_squares(
            lambda x, u=unit: rosenbrock(x / u) * u,
            lib.asarray(np.asarray(x0) * unit),
            verbose=2,
            callback=lambda intermediate_result: seen.append(intermediate_result),
        )
        *table, last, figures = capsys.readouterr().out.splitlines()
        assert "converged" in last and f"final cost {float(found.cost):.4e}" in figures
        assert f"optimality {float(found.optimality):.2e}" in figures
        if lib.library == "jax":  # has no values on the way
            return
        assert (
            table[0].split()
            == "Iteration Total nfev Cost Cost reduction Step norm Optimality".split()
        )
        rows = [line.split() for line in table[1:]]
        assert [int(row[0]) for row in rows] == list(range(len(rows)))
        assert int(rows[-1][1]) == int(found.nfev)
        assert len(rows[0]) == 4 and rows[0][2] == f"{12.1 * unit * unit:.4e}"
        assert rows[-1][2] == f"{float(found.cost):.4e}"
        costs, falls = [float(row[2]) for row in rows], [row[3] for row in rows if len(row) == 6]
        np.testing.assert_allclose(sum(map(float, falls)), costs[0] - costs[-1], rtol=0.05)
        assert float(seen[-1].cost) == float(found.cost) and len(seen) == len(rows) - 1
        seen.clear()


@pytest.mark.parametrize("method", ["trf", "lm"])
@pytest.mark.parametrize("jac", [None, "2-point"])
@pytest.mark.long(
    "torch", "jax", "jax-jit", "jax-x32"
)  # JAX: where all is one loop, and nobody is dropped
@pytest.mark.share(2)
def test_many_are_dropped_as_they_end(lib: Any, method: str, jac: Any) -> None:
    """More problems than the driver sorts out at once, with bounds of their own, one by one."""
    rng = np.random.default_rng(3)
    start = rng.uniform(-1.5, 1.5, size=(140, 2))
    low, high = start - rng.uniform(0.1, 2, size=start.shape), start + 0.7

    found = least_squares(
        rosenbrock, lib.asarray(start), jac, (lib.asarray(low), lib.asarray(high)), method
    )
    x = lib.to_numpy(found.x)
    assert np.all((x >= low - 1e-7) & (x <= high + 1e-7))
    for i in range(0, 140, 20):
        one = least_squares(
            rosenbrock,
            lib.asarray(start[i]),
            jac,
            (lib.asarray(low[i]), lib.asarray(high[i])),
            method,
        )
        near(lib, found.x[i, ...], lib.to_numpy(one.x), 1e-7)


def test_gradient_of_a_robust_cost() -> None:
    """At the minimum over x, the derivative with respect to data is that of the cost alone."""
    y = np.asarray([0.1, 0.5, 3.0, 0.2])

    def solution(y: Any) -> Any:
        return least_squares(lambda x: x - y, np.asarray([0.2]), loss="cauchy", f_scale=0.5)

    off = solution(y).x - y
    slope = grad(lambda y: solution(y).cost)(y)
    np.testing.assert_allclose(slope, -off / (1 + (off / 0.5) ** 2), rtol=1e-4)


def test_evaluations_with_reflections_are_scipys() -> None:
    """Steps that meet bounds are as good as their models, which decide of the next radius."""
    t, noise = np.linspace(0, 3, 15), np.random.default_rng(2).normal(size=15)
    y, bounds = 2 * np.exp(-t) + 0.3 + 0.05 * noise, (np.asarray([0, 0, 0.35]), [1.7, 9.0, 9.0])
    start = np.random.default_rng(5).uniform(0.1, 0.9, size=(3, 3)) * (bounds[1] - bounds[0])
    for x0 in bounds[0] + start:
        ours = least_squares(decay, x0, args=(t, y), bounds=bounds, method="trf")
        theirs = scipy.optimize.least_squares(decay, x0, args=(t, y), bounds=bounds)
        np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)
        assert abs(int(ours.nfev) - theirs.nfev) <= 2


def test_a_bound_beyond_a_hump_is_not_the_solution() -> None:
    """Where the Gauss-Newton step leads to, downwards at the end, and yet higher."""

    def fun(x: Any) -> Any:
        return 5 + 0.1 * (1 - likewise.array_namespace(x).cos(x - 0.3))

    found = least_squares(fun, np.asarray([1.0]), bounds=(-3.5, 3.5), method="trf")
    np.testing.assert_allclose(found.x, [0.3], atol=1e-3)
    assert found.active_mask.tolist() == [0] and abs(float(found.cost) - 12.5) < 1e-8


def test_a_start_without_any_cost_is_the_solution() -> None:
    found = least_squares(lambda x: x - 1, np.ones(2), method="lm")
    assert int(found.status) == 1 and float(found.cost) == 0.0 and int(found.nfev) <= 2


@pytest.mark.parametrize("method", ["trf", "lm"])
@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (-10.0, 10.0), (-10.0, 0.5)])
def test_no_more_evaluations_than_allowed(method: str, bounds: Any) -> None:
    """Those that put unknowns on their bounds in the end count, too."""
    for most in (1, 2, 3, 5, 8, 13, 24):
        calls = [0]

        def counted(x: Any, calls: list[int] = calls) -> Any:
            calls[0] += 1
            return rosenbrock(x)

        found = least_squares(
            counted,
            np.asarray([-1.2, 0.2]),
            lambda x: np.asarray([[-20 * x[0], 10.0], [-1.0, 0.0]]),
            bounds,
            method,
            max_nfev=most,
        )
        assert int(found.nfev) == calls[0] <= most
        assert bool(found.success) or (int(found.status) == 0 and calls[0] == most)


@pytest.mark.parametrize("method", ["trf", "lm"])
def test_a_start_at_the_solution(lib: Any, method: str) -> None:
    found = least_squares(lambda x: x - 1, lib.asarray([1.0, 1.0]), method=method)
    assert int(found.nfev) == 1 and int(found.status) == 1


@pytest.mark.parametrize("loss", ["huber", "cauchy", "arctan"])
def test_scales_of_a_jacobian_that_a_loss_hides(lib: Any, loss: str) -> None:
    """Its columns count for next to nothing where all residuals are outliers: at the start."""
    t = lib.asarray(np.linspace(0.0, 3.0, 15))

    def fun(x: Any) -> Any:
        return x[0] / (1 + x[1] * x[1] * t) - 2 / (1 + 0.64 * t)

    start = lib.asarray([3.0, 1.0] if loss == "cauchy" else [1.0, 1.0])
    found = least_squares(fun, start, loss=loss, f_scale=0.05, x_scale="jac")
    assert bool(found.success)
    tol = 1e-6 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(np.abs(lib.to_numpy(found.x)), [2.0, 0.8], rtol=tol)


def test_a_minimum_beside_a_bound_or_on_it(lib: Any) -> None:
    """The bound, which is so near, makes the gradient small before it is one."""
    t, y = T + 0.1, T - 2 + 1e-4 * np.cos(50 * T)
    slope, height = np.polyfit(t, y, 1)
    off = np.asarray([1e-3, 1e-5, 1e-5])
    top = slope + off * [1, 1, -1]  # of the third problem the bound is in the way
    ts, ys = lib.asarray(t), lib.asarray(y)
    found = least_squares(
        lambda x: x[0] * ts + x[1] - ys,
        lib.asarray(np.tile([0.5, -1.0], (3, 1))),
        bounds=(lib.asarray([0.0, -3.0]), lib.asarray(np.stack([top, 0 * top], axis=1))),
    )
    x = lib.to_numpy(found.x)
    expected = np.stack([np.minimum(slope, top), 0 * top], axis=1)
    expected[:, 1] = height + (slope - expected[:, 0]) * np.mean(t)
    tol = 1e-12 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(x, expected, atol=tol)
    if lib.has_float64:
        assert lib.to_numpy(found.active_mask).tolist() == [[0, 0], [0, 0], [1, 0]]


@pytest.mark.parametrize(("most", "taken"), [(None, True), (200, True), (199, False), (150, False)])
def test_a_native_solver_takes_no_limit_that_counts(most: int | None, taken: bool) -> None:
    """MINPACK counts evaluations otherwise: of fewer than are usual each one is ours."""

    def fun(p: Any) -> Any:
        xp = likewise.array_namespace(p)
        return xp.stack([p[0] - 1, p[1] - 2, p[0] * p[1] - 2])

    with likewise.trace_native() as ran:
        found = least_squares(fun, np.asarray([3.0, 1.0]), max_nfev=most)
    np.testing.assert_allclose(found.x, [1.0, 2.0], rtol=1e-7)
    routine = next(r.routine for r in ran if r.function == "solved")
    assert (routine != "generic") == taken


KOWALIK_Y = [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
KOWALIK_U = [4.0, 2.0, 1.0, 0.5, 0.25, 0.1670, 0.1250, 0.1, 0.0833, 0.0714, 0.0625]


def test_steps_that_get_short_beside_a_pole_are_no_success() -> None:
    """Kowalik and Osborne from far off: valleys that the normal matrix doesn't resolve."""
    u, start = np.asarray(KOWALIK_U), np.asarray([0.25, 0.39, 0.415, 0.39])
    far = np.random.default_rng(0).normal(size=(200, 4)) * (0.5 + 0.5 * np.abs(start))

    def residuals(x: Any) -> Any:
        return x[0] * (u**2 + x[1] * u) / (u**2 + x[2] * u + x[3]) - np.asarray(KOWALIK_Y)

    found = least_squares(residuals, start + far[[0, 19, 25, 57, 165]], method="lm")
    assert found.success[0] and not np.any(found.success & (found.optimality > 1e-4))


@pytest.mark.parametrize("jac", [None, "2-point"])
@pytest.mark.parametrize("offset", [1e4, 5.9e4, 2.4e6, 1.7e9])
def test_lines_far_from_the_origin_are_a_success(offset: float, jac: Any) -> None:
    """Days of a calendar, seconds of a clock: rounding leaves much of a gradient."""
    for noise, seed in itertools.product((1e-8, 1e-5, 1e-3, 1.0), range(3)):
        t = offset + np.linspace(0.1, 4.0, 40)
        y = 1.0 + 2.0 * t + noise * np.random.default_rng(seed).normal(size=40)
        found = least_squares(lambda p, t=t, y=y: p[0] + p[1] * t - y, [1.3, 1.7], jac, method="lm")
        assert found.success, (noise, seed)
        assert leastsq(lambda p, t=t, y=y: p[0] + p[1] * t - y, [1.3, 1.7])[1] in (1, 2, 3, 4)


HARD = [("Rosenbrock", 100), ("Powell badly scaled", 1), ("Bard", 100), ("Powell singular", 1)]
HARD += [("Brown and Dennis", far) for far in (1, 10, 100)] + [("Jennrich and Sampson", 10)]
HARD += [("Linear, rank 1", 1), ("Linear, rank 1 with zeros", 10), ("Brown almost-linear", 10)]


@pytest.mark.parametrize(("name", "far"), HARD)
def test_batches_of_hard_problems_take_minpacks_evaluations(name: str, far: float) -> None:
    """The Jacobian is singular or nearly so, or the start is far away: no damping hinders there."""
    problem = next(p for p in PROBLEMS if p.name == name)
    start = far * np.asarray(problem.x0)

    def fun(x: Any) -> Any:
        return problem.residuals(np, x)

    tests = {"ftol": 1e-8, "xtol": 1e-8, "gtol": 1e-8, "method": "lm"}
    found = least_squares(
        lambda x: problem.residuals(likewise.array_namespace(x), x), start[None], **tests
    )
    expected = scipy.optimize.least_squares(fun, start, jac=jacfwd(fun), **tests)
    assert found.success[0] and expected.success
    assert found.nfev[0] <= 1.5 * expected.nfev
    np.testing.assert_allclose(found.cost[0], expected.cost, rtol=1e-6, atol=1e-25)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.stack([x[0] ** 2 + 1, x[0] ** 2 + 1]),
        lambda x: np.stack([x[0] * x[1] - 1, x[0] ** 2 + 1, x[1] ** 2 + 1]),
        lambda x: np.stack([x[0] ** 2 - x[1] + 1, x[0] ** 2 + x[1] + 1]),
    ],
)
def test_a_singular_jacobian_at_the_minimum_takes_few_evaluations(f: Any) -> None:
    """MINPACK takes 8 to 15; damping alone took all that there are, 100 an unknown."""
    start = np.asarray([[1.0, 0.5]])
    found = least_squares(f, start, method="lm")
    expected = scipy.optimize.least_squares(f, start[0], method="lm")
    assert found.success[0] and found.nfev[0] <= 1.5 * expected.nfev
    np.testing.assert_allclose(found.cost[0], expected.cost, rtol=1e-7)
