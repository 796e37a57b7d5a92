"""Brackets and steps along a line under SciPy's names; its results, and elementwise solvers."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.optimize.elementwise

import likewise
from likewise import optimize
from likewise.errors import ConvergenceError, NotSupported, OptimizeWarning
from likewise.optimize import OptimizeResult, bracket, line_search, rosen, rosen_der

LAZY = "it looks at values"
START = np.asarray([-1.2, 1.0])


@pytest.mark.xp_skip({"dask": LAZY, "jax-jit": LAZY})
def test_bracket(lib: Any) -> None:
    ends = lib.asarray(np.asarray(0.0)), lib.asarray(np.asarray(1.0))
    for low in (7.3, -20.0, 0.4):
        *x, fa, fb, fc, calls = bracket(lambda x, c: (x - c) ** 2, *ends, args=(low,))
        a, b, c = (float(v) for v in x)
        assert min(a, c) < low < max(a, c) and min(a, c) < b < max(a, c)
        assert fb <= fa and fb <= fc and calls >= 3


def test_the_points_of_scipys_bracket() -> None:
    """Brackets of 200 functions equal SciPy's, with as many evaluations; or both find none."""
    rng = np.random.default_rng(28)
    found = 0
    for _ in range(200):
        c, d, e, w = rng.normal(size=4) * 10.0 ** rng.uniform(-2, 2, size=4)
        f = (
            lambda x, c=c, d=d, e=e, w=w: (x - c) ** 2 * abs(d),
            lambda x, c=c, d=d, e=e, w=w: (x - c) ** 4 + d * x,
            lambda x, c=c, d=d, e=e, w=w: d * np.sin(w * x) + 0.01 * (x - e) ** 2,
            lambda x, c=c, d=d, e=e, w=w: np.cosh(np.clip(w * (x - c), -300, 300)),
            lambda x, c=c, d=d, e=e, w=w: abs(x - c) ** 0.5 + d,
            lambda x, c=c, d=d, e=e, w=w: -d / (1 + (x - c) ** 2) + e * x,
        )[rng.integers(6)]
        xa, xb = rng.normal(size=2) * 10.0 ** rng.uniform(-3, 2)
        options = {"xa": xa, "xb": xb, "grow_limit": rng.choice([2.0, 110.0]), "maxiter": 50}
        try:
            with np.errstate(all="ignore"):
                expected = scipy.optimize.bracket(f, **options)
        except RuntimeError:
            with pytest.raises(ConvergenceError), np.errstate(all="ignore"):
                bracket(f, **options)
            continue
        with np.errstate(all="ignore"):
            assert bracket(f, **options) == expected
        found += 1
    assert found > 120


def test_the_points_of_scipys_bracket_where_a_parabola_bends_down() -> None:
    """A golden step in its place is one step, also in float32, where rounding bends it."""
    for f in (lambda x: abs(x - 100), lambda x: np.cos(0.05 * x) - 0.01 * x):
        for number in (np.float32, np.float64):
            ends = number(1), number(2)
            with np.errstate(over="ignore"):
                expected = scipy.optimize.bracket(f, *ends)
                found = bracket(f, *ends)
            assert found == expected
            assert [type(x) for x in found[:-1]] == [number] * 6


def test_no_bracket() -> None:
    with pytest.raises(ConvergenceError, match="bracket: No valid bracket"):
        bracket(lambda x: -x, maxiter=20)
    with pytest.raises(ConvergenceError, match="without finding a valid bracket"):
        bracket(lambda x: x * np.nan)


@pytest.mark.xp_skip({"dask": LAZY, "jax-jit": LAZY})
def test_line_search(lib: Any) -> None:
    if not lib.has_float64:
        return
    x, p = lib.asarray(START), lib.asarray(-rosen_der(START))
    alpha, fc, gc, new, old, slope = line_search(rosen, rosen_der, x, p)
    a, down = float(alpha), -rosen_der(START)
    before = rosen_der(START) @ down
    after = rosen_der(START + a * down) @ down
    assert float(new) == pytest.approx(rosen(START + a * down), rel=1e-12)
    assert float(new) <= float(old) + 1e-4 * a * before and abs(after) <= 0.9 * abs(before)
    assert float(slope) == pytest.approx(after, rel=1e-9) and fc > 1 and gc > 1


def test_no_step() -> None:
    with pytest.warns(OptimizeWarning, match="line search algorithm did not converge"):
        found = line_search(rosen, rosen_der, START, -rosen_der(START), maxiter=1)
    assert found[0] is None and found[3] is None
    chosen = line_search(
        rosen, rosen_der, START, -rosen_der(START), extra_condition=lambda a, x, f, g: f < 5
    )
    assert chosen[3] < 5


@pytest.mark.parametrize("name", ["fmin", "fmin_bfgs", "fmin_cg"])
def test_points_of_all_iterations(name: str) -> None:
    seen: list[Any] = []
    f = getattr(optimize, name)
    x, points = f(rosen, START, retall=True, callback=seen.append)
    assert len(points) == len(seen) + 1 > 5
    np.testing.assert_array_equal(points[0], START)
    np.testing.assert_array_equal(points[-1], x)
    theirs = getattr(scipy.optimize, name)(rosen, START, retall=True, full_output=True, disp=False)
    assert len(f(rosen, START, retall=True, full_output=True)) == len(theirs)


@pytest.mark.parametrize("name", ["fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg"])
def test_the_first_of_all_points_is_an_array(name: str) -> None:
    slope = (rosen_der,) if name == "fmin_ncg" else ()
    start = [-1, 1]
    first = getattr(optimize, name)(rosen, start, *slope, retall=True)[1][0]
    assert isinstance(first, np.ndarray) and first.dtype == np.float64
    np.testing.assert_array_equal(first, start)


def test_conditions_of_a_line_search_are_taken() -> None:
    x = optimize.fmin_bfgs(rosen, START, rosen_der, c1=1e-3, c2=0.5, full_output=True)
    y = optimize.fmin_bfgs(rosen, START, rosen_der, full_output=True)
    assert x[4] != y[4]
    np.testing.assert_allclose(x[0], 1, rtol=1e-4)


def test_newtons_points() -> None:
    assert len(optimize.fmin_ncg(rosen, START, rosen_der, retall=True)[1]) > 5


def test_lazy_arrays_are_refused() -> None:
    with pytest.raises(NotSupported, match="bracket: it looks at values"):
        likewise.grad(lambda x: bracket(lambda x: x**2, x, x + 1)[1])(np.asarray(3.0))
    with pytest.raises(NotSupported, match="line_search: it looks at values"):
        likewise.grad(lambda x: line_search(rosen, rosen_der, x, -x)[3])(START)


def test_elementwise() -> None:
    for name in scipy.optimize.elementwise.__all__:
        assert getattr(optimize.elementwise, name) is getattr(optimize, name)


def test_a_result_of_ones_own() -> None:
    found = OptimizeResult(x=1.0, success=True)
    found.nit = 3
    found["fun"] = 2.0
    del found.success
    assert found.keys() == {"x", "nit", "fun"} and found.x == 1.0 and "nit" in dir(found)
    with pytest.raises(AttributeError, match="success"):
        _ = found.success
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again == found and again.nit == 3
    assert "nit: 3" in repr(found)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_derivatives_of_the_valley(lib: Any, n: int, rng: Any) -> None:
    x = rng.normal(size=n)
    tol = 1e-13 if lib.has_float64 else 1e-5
    for ours, theirs in (
        (rosen_der, scipy.optimize.rosen_der),
        (optimize.rosen_hess, scipy.optimize.rosen_hess),
    ):
        found = lib.to_numpy(ours(lib.asarray(x)))
        np.testing.assert_allclose(found, theirs(x), rtol=tol, atol=100 * tol)


def test_derivatives_of_the_valley_are_those_by_transforms(rng: Any) -> None:
    x, v = rng.normal(size=(2, 4))
    found = rosen_der(np.stack([x, v], axis=-1))  # points beside each other
    np.testing.assert_allclose(found[:, 1], likewise.grad(rosen)(v), rtol=1e-13)
    np.testing.assert_allclose(
        likewise.jvp(rosen_der, (x,), (v,))[1], optimize.rosen_hess(x) @ v, rtol=1e-12
    )
    with pytest.raises(likewise.errors.ShapeError, match="rosen_hess: x must have shape"):
        optimize.rosen_hess(np.ones((3, 2)))
