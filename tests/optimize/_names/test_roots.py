"""Roots under SciPy's other names, against SciPy's and closed forms."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import array_namespace, optimize
from likewise.errors import ArgumentError, ConvergenceError, OptimizeWarning


def cubic(x: Any, c: Any) -> Any:
    return x**3 - 2 * x - c


@pytest.mark.parametrize("name", ["brentq", "brenth", "bisect", "ridder", "toms748"])
def test_in_a_bracket(lib: Any, name: str) -> None:
    f = getattr(optimize, name)
    tol = {"xtol": 1e-4, "rtol": 1e-4} if not lib.has_float64 else {}
    expected = getattr(scipy.optimize, name)(cubic, 2.0, 3.0, args=(5.0,))
    ends = lib.asarray(np.asarray(2.0)), lib.asarray(np.asarray(3.0))
    if lib.library == "dask":
        return
    got, r = f(cubic, *ends, args=(5.0,), full_output=True, **tol)
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-9 if not tol else 1e-3)
    assert bool(r.converged)


def test_of_numbers() -> None:
    root = optimize.brentq(lambda x: math.cos(x) - x, 0.0, 1.0)
    assert isinstance(root, float)
    np.testing.assert_allclose(root, 0.7390851332151607, rtol=1e-12)
    roots = optimize.brentq(cubic, np.asarray([2.0, 2.0]), 3.0, args=(np.asarray([5.0, 6.0]),))
    np.testing.assert_allclose(roots**3 - 2 * roots, [5.0, 6.0], rtol=1e-10)
    with pytest.raises(ArgumentError, match="different signs"):
        optimize.bisect(lambda x: x**2 + 1, -1.0, 1.0)
    with pytest.raises(ConvergenceError, match="brentq: Failed to converge"):
        optimize.brentq(cubic, 2.0, 3.0, args=(5.0,), maxiter=2)
    optimize.brentq(cubic, 2.0, 3.0, args=(5.0,), maxiter=2, disp=False)


@pytest.mark.parametrize("way", ["newton", "halley", "secant", "secant from two"])
def test_from_a_start(lib: Any, way: str) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    more: dict[str, Any] = {
        "newton": {"fprime": lambda x, c: 3 * x**2 - 2},
        "halley": {"fprime": lambda x, c: 3 * x**2 - 2, "fprime2": lambda x, c: 6 * x},
        "secant": {},
        "secant from two": {"x1": 3.1},
    }[way]
    expected = scipy.optimize.newton(cubic, 3.0, args=(5.0,), **more)
    assert isinstance(optimize.newton(cubic, 3.0, args=(5.0,), **more), float)
    got = lib.to_numpy(optimize.newton(cubic, lib.asarray(np.asarray(3.0)), args=(5.0,), **more))
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    slope = likewise.grad(lambda c: optimize.newton(cubic, np.asarray(3.0), args=(c,)))
    np.testing.assert_allclose(slope(np.asarray(5.0)), 1 / (3 * got**2 - 2), rtol=1e-6)


def system(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([x[0] * xp.cos(x[1]) - 4, x[1] * x[0] - x[1] - 5])


def test_fsolve(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64:
        return
    expected = scipy.optimize.fsolve(lambda x: np.asarray(system(x)), [1.0, 1.0])
    found, info, ier, message = optimize.fsolve(system, lib.asarray(np.ones(2)), full_output=True)
    np.testing.assert_allclose(lib.to_numpy(found), expected, rtol=1e-7)
    np.testing.assert_allclose(lib.to_numpy(info["fvec"]), 0, atol=1e-7)
    assert ier == 1 and isinstance(message, str) and int(info["nfev"]) > 0


def test_fsolve_of_a_number() -> None:
    np.testing.assert_allclose(optimize.fsolve(lambda x: x**2 - 4, 1.0), [2.0], rtol=1e-7)
    jac = lambda x: np.asarray([[1.0, x[1]], [2.0, x[0]]])  # noqa: E731
    both = lambda x: np.stack([x[0] + 2 * x[1] - 3, x[0] * x[1] - 1])  # noqa: E731
    got = optimize.fsolve(both, np.asarray([0.8, 1.3]), fprime=jac, col_deriv=True)
    np.testing.assert_allclose(both(got), 0, atol=1e-7)
    with pytest.warns(OptimizeWarning, match="fsolve: "):
        optimize.fsolve(lambda x: x**2 + 1, np.ones(1))
