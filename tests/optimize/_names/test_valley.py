"""Rosenbrock's function, bounds, and derivatives by differences, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.optimize import (
    Bounds,
    approx_fprime,
    check_grad,
    least_squares,
    minimize,
    rosen,
    rosen_der,
    rosen_hess,
)

X = np.asarray([-1.2, 1.0, 0.3, 2.0])


def test_rosenbrocks(lib: Any) -> None:
    x, rtol = lib.asarray(X), 1e-12 if lib.has_float64 else 1e-5
    for f in (rosen, rosen_der, rosen_hess):
        expected = getattr(scipy.optimize, f.__name__)(X)
        np.testing.assert_allclose(lib.to_numpy(f(x)), expected, rtol=rtol)
    many = np.stack([X, X + 1], axis=1)
    np.testing.assert_allclose(lib.to_numpy(rosen(lib.asarray(many)))[0], rosen(X), rtol=rtol)
    np.testing.assert_allclose(likewise.grad(rosen)(X), scipy.optimize.rosen_der(X), rtol=1e-12)
    with pytest.raises(ShapeError, match=r"rosen: x must have shape \(n"):
        rosen(np.ones(1))


def test_differences(lib: Any) -> None:
    if not lib.has_float64:
        return
    x = lib.asarray(X)
    got = lib.to_numpy(approx_fprime(x, rosen))
    np.testing.assert_allclose(got, scipy.optimize.rosen_der(X), rtol=1e-5)
    both = lambda x, c: c * x[:2] ** 2  # noqa: E731
    expected = scipy.optimize.approx_fprime(X, both, [1e-7] * 4, 3.0)
    found = lib.to_numpy(approx_fprime(x, both, [1e-7] * 4, 3.0))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert float(lib.to_numpy(check_grad(rosen, rosen_der, x))) < 1e-3
    assert float(lib.to_numpy(check_grad(rosen, lambda x: 2 * rosen_der(x), x))) > 1
    with pytest.raises(ArgumentError, match="direction"):
        check_grad(rosen, rosen_der, x, direction="random")


def test_bounds() -> None:
    bounds = Bounds(np.asarray([-2.0, 1.5]), 2.0)
    found = minimize(rosen, np.asarray([0.5, 1.8]), bounds=bounds).x
    expected = scipy.optimize.minimize(
        rosen, [0.5, 1.8], bounds=scipy.optimize.Bounds([-2.0, 1.5], 2.0)
    ).x
    np.testing.assert_allclose(found, expected, atol=1e-4)
    x = least_squares(lambda x: x - 3.0, np.ones(2), bounds=Bounds(0.0, 2.0)).x
    np.testing.assert_allclose(x, [2, 2])
