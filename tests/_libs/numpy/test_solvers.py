"""SciPy's routines as rows call them: ways in that aren't public, and fits within bounds."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise._libs.numpy import _fits, _nonnegative, _solvers, _systems, _ways
from likewise._libs.numpy._ways import _solves, by_numpy, works
from likewise.optimize import curve_fit, least_squares, nnls, root, root_scalar

T = np.linspace(0, 4, 30)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.1 * np.cos(7 * T)


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t).exp(-k * t) + c


def broken(*args: Any) -> Any:
    raise TypeError("takes no arguments")


def test_where_a_way_in_is_gone_the_public_one_gives_the_same(monkeypatch: Any) -> None:
    def solve() -> list[Any]:
        with likewise.trace_native() as ran:
            fit = curve_fit(decay, T, Y, [1.0, 1.0, 1.0])
            system = root(lambda x: x**3 - np.asarray([2.0, 3.0]), np.asarray([1.0, 1.0]))
            one = root_scalar(lambda x: x**3 - 2 * x - 5, bracket=(2.0, 3.0))
            squares = least_squares(lambda x: x**3 - np.asarray([2.0, 3.0]), T[1:3], method="lm")
        assert sum(r.routine.startswith("likewise._libs.numpy._") for r in ran) == 4
        return [*fit, system.x, one.root, one.function_calls, squares.x, squares.nfev]

    quick = solve()
    for module in (_ways._fits, _systems._finds, _solvers._finds):
        assert not works(broken, module)
    assert not works(broken, _solves)
    assert works(by_numpy, _solves)
    for module in (_fits, _solvers):
        monkeypatch.setattr(module, "by_minpack", _ways._by_leastsq)
    monkeypatch.setattr(_systems, "_by_minpack", _systems._by_root)
    monkeypatch.setattr(_solvers, "_in_bracket", _solvers._by_public)
    for a, b in zip(quick, solve(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_fit_ends_with_all_digits_in_few_steps() -> None:
    """Against Gauss and Newton's steps in more digits."""
    t = np.linspace(0, 4, 60)
    wide, used = t.astype(np.longdouble), 0
    for seed in range(5):
        y = decay(t, 2.5, 1.3, 0.5) + 0.1 * np.random.default_rng(seed).normal(size=60)
        with likewise.trace_native() as ran:
            fit = curve_fit(decay, t, y, [1.0, 1.0, 1.0], full_output=True)
        assert "generic" not in [r.routine for r in ran]
        x = fit.popt.astype(np.longdouble)
        for _ in range(12):
            e = np.exp(-x[1] * wide)
            columns = np.stack([e, -x[0] * wide * e, np.ones_like(e)])
            normal, r = columns @ columns.T, x[0] * e + x[2] - y
            step = np.zeros(3, np.longdouble)
            for _ in range(4):
                rest = columns @ r - normal @ step
                step = step + np.linalg.solve(normal.astype(float), rest.astype(float))
            x = x - step
        np.testing.assert_allclose(fit.popt, x.astype(float), rtol=1e-14)
        pcov = np.linalg.inv(normal.astype(float)) * float(r @ r) / 57
        np.testing.assert_allclose(fit.pcov, pcov, rtol=1e-9)
        used += int(fit.nfev)
    assert used <= 42


def test_without_scipy_a_fit_is_the_same(monkeypatch: Any) -> None:
    def solve(low: Any = -np.inf, sigma: Any = None) -> list[Any]:
        with likewise.trace_native() as ran:
            fit = curve_fit(decay, T, Y, [1.0, 1.0, 1.0], sigma, bounds=(low, np.inf))
        assert ran[0].routine.endswith("_fits:fit")
        assert "generic" not in [r.routine for r in ran if r.function == ran[0].function]
        return list(fit)

    cases: list[Any] = [(), (0.6,), (-np.inf, 1 + T)]
    quick = [solve(*case) for case in cases]
    monkeypatch.setattr(_fits, "by_minpack", None)
    monkeypatch.setattr(_fits, "lapack", _fits._Plain)
    monkeypatch.delattr(_fits, "scipy")
    for case, found in zip(cases, quick, strict=True):
        for a, b in zip(solve(*case), found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-12)
    singular = np.ones((2, 2))
    assert _fits._Plain.dpotrf(-singular, 1)[1] == 1
    assert _fits._Plain.dposv(singular, singular[0])[2] == 1


def test_without_scipy_a_root_is_the_same(monkeypatch: Any) -> None:
    def circle(x: Any) -> Any:
        return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])

    def solve(x: Any, fun: Any = circle) -> tuple[list[Any], bool]:
        with likewise.trace_native() as ran:
            found = root(fun, np.asarray(x))
        return [found.x, found.status], "generic" not in [r.routine for r in ran]

    starts = [[2.0, 0.5], [-3.0, -1.0], [1.0, 1.0]]
    quick = [solve(x)[0] for x in starts]
    monkeypatch.setattr(_systems, "_by_minpack", _systems._by_newton)
    monkeypatch.delattr(_systems, "scipy")
    for x, expected in zip(starts, quick, strict=True):
        found, served = solve(x)
        assert served
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    # The body goes on where these steps lead nowhere, or the Jacobian is singular.
    for x, fun in (([1.0, 1.0], lambda x: x**2 + 1), ([0.0, 0.0], lambda x: x**2)):
        found, served = solve(x, fun)
        with likewise.prefer("generic"):
            expected = solve(x, fun)[0]
        assert bool(found[1] == expected[1])
        np.testing.assert_array_equal(found[0], expected[0])


def test_without_scipy_nnls_is_the_same() -> None:
    rng = np.random.default_rng(0)
    served = 0
    for k in range(21):
        m, n = (int(v) for v in rng.integers(1, 12, size=2))
        a, b = rng.normal(size=(m, n)), rng.normal(size=m)
        if k % 3 == 0:
            a = np.abs(a) * 10.0 ** rng.integers(-6, 6, size=n)
        if k % 10 == 0:
            a[:, 0] = a[:, -1]  # not determined
        with likewise.prefer("generic"):
            expected = nnls(a, b)
        found = _nonnegative._by_pivoting(a, b, 100)
        if found is NotImplemented:
            continue
        served += 1
        scale = np.linalg.norm(b)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12 * scale)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-8, atol=1e-12 * scale)
        assert found[0].shape == expected[0].shape
        assert np.all(found[0] >= 0)
    assert served >= 7
    for a, b in (
        (np.asarray([[1.0, np.nan], [0.0, 1.0]]), np.ones(2)),
        (np.asarray([[1.0, 0.0], [0.0, 0.0]]), np.ones(2)),
        (np.ones((2, 2)), np.asarray([np.inf, 1.0])),
        (np.eye(2), np.zeros(2)),
        (np.ones((3, 2)), np.ones(3)),
    ):
        assert _nonnegative._by_pivoting(a, b, 100) is NotImplemented
    assert _nonnegative._by_pivoting(-np.eye(2), np.ones(2), 1) is NotImplemented


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ([0.0, 0.0, 0.0], [5.0, 5.0, 2.0]),
        ([0.0, 0.0, 0.0], [5.0, 5.0, 0.4]),  # the last is on its bound
        ([1.0, 1.0, -np.inf], [5.0, 1.1, np.inf]),
    ],
)
def test_a_model_is_never_called_outside_of_bounds(low: Any, high: Any) -> None:
    start = [1.0, 1.0, 0.2]

    def guarded(t: Any, *p: Any) -> Any:
        raw = [getattr(v, "value", v) for v in p]
        if all(isinstance(v, np.ndarray) for v in raw):
            assert np.all((np.asarray(low) <= raw) & (raw <= np.asarray(high)))
        return decay(t, *p)

    def model(t: Any, a: Any, k: Any, c: Any) -> Any:
        return guarded(t, a, k, c)

    with likewise.trace_native() as ran:
        popt, pcov = curve_fit(model, T, Y, start, bounds=(low, high))
    assert any(r.routine.endswith("_fits:fit") for r in ran)
    with likewise.prefer("generic"):
        expected = curve_fit(decay, T, Y, start, bounds=(low, high))
    np.testing.assert_allclose(popt, expected[0], rtol=1e-9)
    np.testing.assert_allclose(pcov, expected[1], rtol=1e-6)


def test_a_fit_on_two_bounds_and_one_that_starts_there() -> None:
    for start in ([1.0, 1.0, 0.2], [0.0, 2.0, 0.4]):
        bounds = ([0.0, 0.5, 0.0], [2.0, 2.0, 0.4])
        popt, _ = curve_fit(decay, T, Y, start, bounds=bounds)
        with likewise.prefer("generic"):
            expected, _ = curve_fit(decay, T, Y, start, bounds=bounds)
        np.testing.assert_allclose(popt, expected, rtol=1e-9)
