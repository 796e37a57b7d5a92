"""Roots of systems against SciPy, the systems of Moré, Garbow and Hillstrom, and closed forms."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, DtypeError, OptimizeWarning, ShapeError
from likewise.optimize import RootResult, least_squares, minimize, root
from likewise.testing import check_function
from likewise.transforms import grad

pytestmark = pytest.mark.xp_skip({"dask": "functions refer to arrays from outside"})


def circle(x: Any, radius: Any) -> Any:
    """A circle and a line; the root is at (r, r) / sqrt(2)."""
    xp = likewise.array_namespace(x)
    return xp.stack([x[0] ** 2 + x[1] ** 2 - radius**2, x[0] - x[1]])


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-9) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tol = tol if lib.has_float64 else 1e-4
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("method", ["newton", "lm", "anderson"])
def test_batch(lib: Any, method: str) -> None:
    x0 = lib.asarray([[2.0, 0.5], [0.7, 0.9], [1.0, 3.0]])
    result = root(circle, x0, (1.0,), method=method)
    assert isinstance(result, RootResult)
    near(lib, result.x, np.full((3, 2), math.sqrt(0.5)), 1e-6 if method == "anderson" else 1e-9)
    status = lib.to_numpy(result.status)
    assert status.dtype == np.int32 and np.all((status == 1) | (status == 2))
    assert np.all(lib.to_numpy(result.success)) and "3 of 3" in result.summary()


@pytest.mark.parametrize("jac", [None, "2-point"])
@pytest.mark.parametrize("solver", [root, least_squares, minimize])
def test_a_batch_of_none(lib: Any, solver: Any, jac: Any) -> None:
    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(x * x) if solver is minimize else x * x - 1.0

    result = solver(fun, lib.asarray(np.ones((0, 2))), jac=jac)
    near(lib, result.x, np.ones((0, 2)))
    assert tuple(result.status.shape) == (0,)


def test_one_problem(lib: Any) -> None:
    result = root(circle, lib.asarray([2.0, 0.5]), (2.0,))
    near(lib, result.x, [math.sqrt(2)] * 2)
    assert tuple(result.status.shape) == tuple(result.nit.shape) == ()
    near(lib, result.fun, [0.0, 0.0])


def test_vectorized_with_data_per_problem(lib: Any, rng: Any) -> None:
    """D2 of the workloads: three unknowns."""
    truth = rng.uniform(0.5, 1.5, size=(5, 3))

    def three(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        a, b, c = x[:, 0:1], x[:, 1:2], x[:, 2:3]
        return xp.concat([a * b + c, xp.exp(0.3 * a) + b**2, a - b * c + 0.5 * c**3], axis=1)

    right = lib.asarray(three(truth))
    result = root(
        lambda x: three(x) - right, lib.asarray(np.ones((5, 3))), tol=1e-6, vectorized=True
    )
    x = lib.to_numpy(result.x)
    np.testing.assert_allclose(
        three(x), lib.to_numpy(right), atol=1e-9 if lib.has_float64 else 1e-4
    )
    assert np.all(lib.to_numpy(result.nit) < 15)


def test_more_equations_than_unknowns(lib: Any, rng: Any) -> None:
    a = rng.normal(size=(5, 2))
    b = a @ np.asarray([1.0, -2.0])

    def fun(x: Any, b: Any) -> Any:
        xp = likewise.array_namespace(x)
        y = xp.matmul(lib.asarray(a), x)
        return y + 0.1 * y**3 - b

    exact = b + 0.1 * b**3
    result = root(fun, lib.asarray([0.0, 0.0]), (lib.asarray(exact),), method="lm")
    near(lib, result.x, [1.0, -2.0])
    assert bool(result.success)
    result = root(fun, lib.asarray([0.0, 0.0]), (lib.asarray(exact + 0.1),), method="lm")
    expected = scipy.optimize.root(
        lambda x: (a @ x) + 0.1 * (a @ x) ** 3 - exact - 0.1, [0.0, 0.0], method="lm"
    ).x
    near(lib, result.x, expected, 1e-6)
    assert int(result.status) == 3 and not bool(result.success)


@pytest.mark.long("jax-jit")
def test_no_root_is_a_status(lib: Any) -> None:
    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.stack([x[0] ** 2 + 1.0 + 0 * x[1], x[1] - x[0]])

    for method in ("newton", "lm"):
        result = root(fun, lib.asarray([1.0, 0.3]), method=method)
        assert int(result.status) in (-2, 0, 3) and not bool(result.success)


def test_bad_problems_spoil_no_other(lib: Any) -> None:
    x0 = lib.asarray([[2.0, 0.5], [np.nan, 1.0], [0.0, 0.0], [1.0, 3.0]])
    result = root(circle, x0, (1.0,))  # at (0, 0) the Jacobian is singular
    x, status = lib.to_numpy(result.x), lib.to_numpy(result.status)
    assert status[1] == -1 and status[0] > 0 and status[3] > 0
    np.testing.assert_allclose(x[[0, 3]], math.sqrt(0.5), rtol=1e-4)
    assert status[2] != -1


def test_most_iterations(lib: Any) -> None:
    result = root(circle, lib.asarray([200.0, 0.5]), (1.0,), options={"maxiter": 2})
    assert int(result.status) == 0 and int(result.nit) == 2
    assert "maxiter" in result.advice()[0][1]


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs", "given"])
def test_jacobians(jac: str) -> None:
    def given(x: Any, radius: Any) -> Any:
        xp = likewise.array_namespace(x)
        one = xp.ones_like(x[0])
        return xp.stack([xp.stack([2 * x[0], 2 * x[1]]), xp.stack([one, -one])])

    result = root(
        circle, np.asarray([[2.0, 0.5], [1.0, 3.0]]), (1.0,), jac=given if jac == "given" else jac
    )
    np.testing.assert_allclose(result.x, math.sqrt(0.5), rtol=1e-8)


@pytest.mark.long("jax-jit")
def test_gradient(lib: Any) -> None:
    for x0 in ([2.0, 0.5], [[2.0, 0.5], [0.5, 1.0]]):

        def total(radius: Any, x0: Any = x0) -> Any:
            found = root(lambda x: circle(x, radius), lib.asarray(x0))
            return likewise.array_namespace(radius).sum(found.x**3)

        r, lanes = 1.5, np.size(x0) // 2
        got = grad(total)(lib.asarray(r))
        near(lib, got, lanes * 2 * 3 * (r / math.sqrt(2)) ** 2 / math.sqrt(2), 1e-9)


# -- systems of J. J. Moré, B. S. Garbow, K. E. Hillstrom, ACM TOMS 7(1), 1981 ---------------------


def powell_badly_scaled(x: Any) -> Any:
    return np.stack([1e4 * x[0] * x[1] - 1, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001])


def wood(x: Any) -> Any:
    a, b = x[1] - x[0] ** 2, x[3] - x[2] ** 2
    return np.stack(
        [
            -200 * x[0] * a - (1 - x[0]),
            200 * a + 20.2 * (x[1] - 1) + 19.8 * (x[3] - 1),
            -180 * x[2] * b - (1 - x[2]),
            180 * b + 20.2 * (x[3] - 1) + 19.8 * (x[1] - 1),
        ]
    )


def helical_valley(x: Any) -> Any:
    turn = np.arctan(x[1] / x[0]) / (2 * np.pi) + np.where(x[0] < 0, 0.5, 0.0)
    return np.stack([10 * (x[2] - 10 * turn), 10 * (np.hypot(x[0], x[1]) - 1), x[2]])


def chebyquad(x: Any) -> Any:
    t, n = 2 * x - 1, x.shape[0]
    out = [np.sum(np.cos(i * np.arccos(t.astype(complex))).real) / n for i in range(1, n + 1)]
    return np.stack(out) + np.asarray([0 if i % 2 else 1 / (i * i - 1) for i in range(1, n + 1)])


def brown_almost_linear(x: Any) -> Any:
    f = x + np.sum(x) - (x.shape[0] + 1)
    return np.concatenate([f[:-1], [np.prod(x) - 1]])


def boundary_value(x: Any) -> Any:
    h = 1 / (x.shape[0] + 1)
    t = h * np.arange(1, x.shape[0] + 1)
    y = np.concatenate([[0], x, [0]])
    return 2 * x - y[:-2] - y[2:] + h * h * (x + t + 1) ** 3 / 2


def trigonometric(x: Any) -> Any:
    i = np.arange(1, x.shape[0] + 1)
    return x.shape[0] - np.sum(np.cos(x)) + i * (1 - np.cos(x)) - np.sin(x)


def variably_dimensioned(x: Any) -> Any:
    i = np.arange(1, x.shape[0] + 1)
    s = np.sum(i * (x - 1))
    return x - 1 + i * s * (1 + 2 * s * s)


def broyden_tridiagonal(x: Any) -> Any:
    y = np.concatenate([[0], x, [0]])
    return (3 - 2 * x) * x - y[:-2] - 2 * y[2:] + 1


def broyden_banded(x: Any) -> Any:
    n = x.shape[0]
    bands = [[j for j in range(max(0, i - 5), min(n, i + 2)) if j != i] for i in range(n)]
    rest = [np.sum(x[j] * (1 + x[j])) for j in bands]
    return x * (2 + 5 * x**2) + 1 - np.stack(rest)


H = np.arange(1, 9) / 9
SYSTEMS = {
    "powell_badly_scaled": (powell_badly_scaled, [0.0, 1.0]),
    "wood": (wood, [-3.0, -1.0, -3.0, -1.0]),
    "helical_valley": (helical_valley, [-1.0, 0.0, 0.0]),
    "chebyquad 5": (chebyquad, np.arange(1, 6) / 6),
    "chebyquad 6": (chebyquad, np.arange(1, 7) / 7),
    "chebyquad 7": (chebyquad, np.arange(1, 8) / 8),
    "chebyquad 9": (chebyquad, np.arange(1, 10) / 10),
    "brown_almost_linear": (brown_almost_linear, np.full(10, 0.5)),
    "boundary_value": (boundary_value, H * (H - 1)),
    "trigonometric": (trigonometric, np.full(10, 0.1)),
    "variably_dimensioned": (variably_dimensioned, 1 - np.arange(1, 11) / 10),
    "broyden_tridiagonal": (broyden_tridiagonal, np.full(10, -1.0)),
    "broyden_banded": (broyden_banded, np.full(10, -1.0)),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_more_garbow_hillstrom(name: str) -> None:
    """From the standard starts; all that hybr solves, and more."""
    fun, x0 = SYSTEMS[name]
    result = root(fun, np.asarray(x0), jac="3-point")
    assert bool(result.success), result.summary()
    assert np.max(np.abs(result.fun)) < 1e-9


def test_anderson_on_a_fixed_point(lib: Any) -> None:
    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.cos(x) * lib.asarray([1.0, 0.5, 0.25, 0.8]) - x

    result = root(fun, lib.asarray([0.1] * 4), method="anderson", options={"alpha": 1.0, "M": 3})
    expected = [
        scipy.optimize.brentq(lambda x, s=s: s * math.cos(x) - x, 0, 1) for s in (1, 0.5, 0.25, 0.8)
    ]
    near(lib, result.x, expected, 1e-7)
    assert int(result.nit) < 15


def test_errors() -> None:
    x0 = np.asarray([1.0, 1.0])
    with pytest.raises(ArgumentError, match="must be one of"):
        root(circle, x0, (1.0,), method="bisect")
    with pytest.warns(OptimizeWarning, match="unknown option 'factors' .* method 'newton' has"):
        root(circle, x0, (1.0,), options={"factors": 100})
    with pytest.raises(ArgumentError, match="maxiter"):
        root(circle, x0, (1.0,), options={"maxiter": -1})
    with pytest.raises(ArgumentError, match="tol must be"):
        root(circle, x0, (1.0,), tol="small")
    with pytest.raises(TypeError, match="as many equations as unknowns, got n = 3"):
        root(lambda x: np.ones(3), x0)
    with pytest.raises(TypeError, match="at least as many equations"):
        root(lambda x: np.ones(1), x0, method="lm")
    with pytest.raises(DtypeError, match="real"):
        root(circle, x0 + 1j, (1.0,))


@pytest.mark.full  # compiles much
def test_capabilities() -> None:
    """What one line proves of it, the loop declared."""
    x0 = np.asarray([[2.0, 0.5], [0.7, 0.9]])
    check_function(
        lambda x0: root(circle, x0, (1.0,)).x,
        x0,
        reference=lambda x0: np.full((2, 2), math.sqrt(0.5)),
        compile="the iterations look at values",
        grad=False,  # tested above: by x0 there is none
        vmap=False,
        batch=True,
        libraries=["numpy-readonly", "strict-device1", "strict-minimal", "torch", "jax"],
        scalars=6,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.root",
    )


def test_a_flat_sum_of_squares_is_no_root() -> None:
    x0 = np.asarray([[1.0], [0.0], [-1.0]])
    found = root.generic(lambda x: x * x - 4, x0, method="newton")
    np.testing.assert_array_equal(found.success, [True, False, True])
    np.testing.assert_allclose(found.x[::2, 0], [2.0, -2.0], rtol=1e-9)


@pytest.mark.parametrize("jac", [None, "2-point"])
def test_derivative_of_more_equations_than_unknowns(lib: Any, jac: Any) -> None:
    """x = (sqrt(c), 2 c), which a third equation agrees with."""

    def solution(c: Any) -> Any:
        def fun(x: Any) -> Any:
            xp = likewise.array_namespace(x)
            return xp.stack([x[0] ** 2 - c, x[1] - 2 * c, x[0] ** 2 * x[1] - 2 * c * c])

        return root(fun, lib.asarray([1.0, 1.0]), method="lm", jac=jac).x

    first = grad(lambda c: solution(c)[0])
    tol = 1e-6 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(lib.to_numpy(first(lib.asarray(0.5))), 0.5**0.5, rtol=tol)
    if jac is None:
        second = lib.to_numpy(grad(first)(lib.asarray(0.5)))
        np.testing.assert_allclose(second, -(0.5**0.5), rtol=10 * tol)


def test_anderson_that_diverges_says_so(lib: Any) -> None:
    found = root(
        lambda x: x**6 + 30.0,
        lib.asarray([10.0, 20.0]),
        method="anderson",
        options={"alpha": 1.0},
    )
    assert int(found.status) == -3 and not bool(found.success)
    assert "grew" in found.advice()[-3][1]
    lost = root(lambda x: x * float("nan"), lib.asarray([1.0]), method="anderson")
    assert int(lost.status) == -1


def test_scipys_methods_and_arguments() -> None:
    """Names that another algorithm serves, `args` that are no tuple, jac=True, lists."""
    x0 = np.asarray([1.0, 0.5])
    for method, served in (("hybr", "newton"), ("Hybr", "newton")):
        found = root(circle, x0, 1.0, method=method, options={"maxfev": 100, "disp": False})
        assert served in found.note and found["method"] == found.method == method
        np.testing.assert_allclose(found.x, 0.5**0.5, rtol=1e-6)

    def both(x: Any, c: float) -> Any:
        return [x[0] ** 2 - c, x[0] * x[1] - 3.0], [[2 * x[0], 0.0], [x[1], x[0]]]

    for method in ("newton", "lm"):
        found = root(both, x0, 4.0, method=method, jac=True)
        np.testing.assert_allclose(found["x"], [2.0, 1.5], rtol=1e-9)
    with pytest.warns(RuntimeWarning, match="does not use the jacobian"):
        root(lambda x: [x[0] - 1.0, x[1]], x0, method="krylov", jac=lambda x: np.eye(2))


@pytest.mark.parametrize("method", ["newton", "anderson"])
def test_callback_is_told_and_ends(method: str) -> None:
    seen: list[Any] = []
    x0 = np.asarray([1.0, 0.5])
    root(circle, x0, 1.0, method, callback=lambda x, f: seen.append((x, f)))
    np.testing.assert_allclose(circle(seen[-1][0], 1.0), seen[-1][1])

    def stop(x: Any, f: Any) -> None:
        raise StopIteration

    found = root(circle, x0, 1.0, method, callback=stop)
    assert int(found.status) == -4 and int(found.nit) <= 1 and not bool(found.success)


@pytest.mark.parametrize("method", ["newton", "lm", "anderson"])
def test_many_are_dropped_as_they_end(lib: Any, method: str) -> None:
    """More systems than the driver sorts out at once, against the roots that are known."""
    start = np.random.default_rng(3).uniform(0.5, 2.0, size=(140, 2))
    found = root(lambda x: x**3 - x * x - x - 2.0, lib.asarray(start + 1.0), method=method)
    assert np.mean(lib.to_numpy(found.success)) > 0.9
    good = lib.to_numpy(found.success)
    tol = 1e-6 if lib.has_float64 else 2e-3
    np.testing.assert_allclose(lib.to_numpy(found.x)[good], 2.0, rtol=tol)


@pytest.mark.parametrize("method", ["newton", "lm", "anderson"])
def test_most_evaluations(lib: Any, method: str) -> None:
    """Of the start far away, which takes more."""
    far = lib.asarray([[60.0, -40.0], [30.0, 20.0]])

    def bent(x: Any) -> Any:
        return x + 0.5 * likewise.array_namespace(x).sin(x)

    for x0 in (far, far[0, ...]):
        found = root(bent, x0, method=method, options={"maxfev": 3})
        assert np.all(lib.to_numpy(found.nfev) <= 3) and np.all(lib.to_numpy(found.status) == 0)
        free = root(bent, x0, method=method, options={"maxfev": 0})
        assert np.all(lib.to_numpy(free.nfev) > 3)


def test_options_without_effect_are_told_of(capsys: Any) -> None:
    x0 = np.asarray([2.0, 0.5])
    with pytest.warns(OptimizeWarning, match="root: option 'factor' has no effect: 'newton' does"):
        found = root(lambda x: x * x - 1.0, x0, options={"factor": 100, "disp": True})
    assert found.success and "converged" in capsys.readouterr().out


def test_what_a_callback_is_told_reads_as_scipys() -> None:
    seen = []

    def callback(intermediate_result: Any) -> None:
        r = intermediate_result
        assert r["x"] is r.x and r["nit"] == r.nit and "fun" in r and not hasattr(r, "y")
        seen.append(r.nit)

    solve = likewise.optimize.least_squares
    root(lambda x: x * x - 1.0, np.asarray([2.0, 0.5]), callback=callback)
    assert len(seen) > 2
    solve(lambda x: x * x - 1.0, np.asarray([2.0, 0.5]), callback=callback)
    assert seen.count(1) == 2


@pytest.mark.parametrize("method", ["anderson", "broyden1", "df-sane"])
def test_evaluations_are_all_the_calls_that_there_are(method: str) -> None:
    """Without derivatives; nothing is called before the start, and nothing after the end."""
    calls = []

    def fun(x: Any) -> Any:
        calls.append(x)
        return x**2 - 3

    found = root(fun, np.asarray([100.0]), method=method)
    assert found.success and int(found.nfev) == len(calls)


def test_how_many_equations_there_are_is_seen_at_the_first_call(lib: Any) -> None:
    for x0 in (np.ones(2), np.ones((3, 2))):
        start = lib.asarray(x0)
        with pytest.raises(ShapeError, match="'newton' takes as many equations .* n = 1 and p = 2"):
            root(lambda x: x[:1], start)
        with pytest.raises(ShapeError, match="at least as many equations .* got n = 1, p = 2"):
            root(lambda x: x[:1], start, method="lm")
