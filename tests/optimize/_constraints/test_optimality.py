"""Tests of derivatives of constrained minima: in any units, of bounds' multipliers, of failures."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.optimize import Bounds, LinearConstraint, NonlinearConstraint, minimize
from likewise.transforms import jacrev, vjp

TIGHT: dict[str, Any] = {
    "SLSQP": {"ftol": 1e-14},
    "trust-constr": {"gtol": 1e-10},
    "augmented-Lagrangian": {"gtol": 1e-9, "ctol": 1e-10},
}


def on_circle(t: float) -> Any:
    """Return the point of the unit circle that is nearest to (1, 2.5 t), and its derivative."""
    size = np.hypot(1.0, 2.5 * t)
    x = np.asarray([1.0, 2.5 * t]) / size
    return x, 2.5 * (np.asarray([0.0, 1.0]) - x * x[1]) / size


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e4, 1e-4), (1.0, 1e-6), (1e-2, 1e4)])
@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_units_of_functions_and_rows(method: str, units: tuple[float, float]) -> None:
    """Multipliers of any size: of 1e-6 to 1e8, the derivative is the same."""
    of_fun, of_row = units

    def nearest(t: Any) -> Any:
        ball = NonlinearConstraint(lambda x: of_row * (x[0] ** 2 + x[1] ** 2), -np.inf, of_row)
        return minimize(
            lambda x: of_fun * ((x[0] - 1.0) ** 2 + (x[1] - 2.5 * t) ** 2),
            np.asarray([0.1, 0.1]),
            method=method,
            constraints=ball,
            options=TIGHT[method],
        ).x

    x, slope = on_circle(1.0)
    np.testing.assert_allclose(nearest(np.asarray(1.0)), x, atol=1e-5)
    np.testing.assert_allclose(jacrev(nearest)(np.asarray(1.0)), slope, atol=1e-4)


@pytest.mark.parametrize("units", [(1e3, 1e-3), (1e-6, 1e6), (1e6, 1e-6)])
@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_units_of_unknowns(method: str, units: tuple[float, float]) -> None:
    """A row of one unknown, which is small where the other is large."""
    size = np.asarray(units)

    def found(t: Any) -> Any:
        row = LinearConstraint(np.asarray([[size[1], 0.0]]), -np.inf, 0.5 * size[0] * size[1] * t)
        return minimize(
            lambda x: (x[0] / size[0] - 1.0) ** 2 + (x[1] / size[1] - t) ** 2,
            size * np.asarray([0.2, 0.3]),
            method=method,
            constraints=row,
            options=TIGHT[method],
        ).x

    t = np.asarray(1.0)
    np.testing.assert_allclose(found(t) / size, [0.5, 1.0], atol=1e-5)
    np.testing.assert_allclose(jacrev(found)(t) / size, [0.5, 1.0], atol=1e-6)


def test_units_where_a_search_ends_early() -> None:
    """A row whose room is more than its multiplier, for it is steep, is active all the same."""

    def nearest(t: Any) -> Any:
        ball = NonlinearConstraint(lambda x: 1e3 * (x[0] ** 2 + x[1] ** 2), -np.inf, 1e3)
        return minimize(
            lambda x: (x[0] - 1.0) ** 2 + (x[1] - 2.5 * t) ** 2,
            [0.1, 0.1],
            method="COBYLA",
            constraints=ball,
        ).x

    np.testing.assert_allclose(jacrev(nearest)(np.asarray(1.0)), on_circle(1.0)[1], atol=2e-2)


@pytest.mark.xp_skip({"dask": "constraints in blocks are tested apart"})
@pytest.mark.parametrize("method", list(TIGHT))
def test_multipliers_of_bounds(lib: Any, method: str) -> None:
    """Their derivatives by sides and by what the function closes over, against formulas."""
    options, tol = (TIGHT[method], 1e-5) if lib.has_float64 else ({}, 2e-2)

    def found(t: Any) -> Any:
        xp = array_namespace(t)
        line = LinearConstraint([[1.0, 1.0]], -5.0, 5.0)
        return minimize(
            lambda x: xp.sum(x * x) - 3.0 * x[0] - 2.0 * x[1] * t[0],
            xp.zeros_like(t),
            method=method,
            bounds=Bounds(-t, t),
            constraints=line,
            options=options,
        ).bound_multipliers

    # x0 = t0 and 2 t0 - 3 of slope; x1 = t0 is within its bounds.
    z, back = vjp(found, lib.asarray([0.5, 0.6]))
    np.testing.assert_allclose(lib.to_numpy(z), [-2.0, 0.0], atol=tol)
    cotangent = lib.asarray([0.7, -1.3])
    np.testing.assert_allclose(lib.to_numpy(back(cotangent)[0]), [1.4, 0.0], atol=tol)


@pytest.mark.parametrize("method", list(TIGHT))
def test_bounds_beside_rows(method: str) -> None:
    """The unknown at its bound stays; the other one follows the row."""

    def found(t: Any) -> Any:
        xp = array_namespace(t)
        return minimize(
            lambda x: (x[0] - 4.0) ** 2 + (x[1] - t) ** 2,
            np.zeros(2),
            method=method,
            bounds=[(-0.5, 0.5)] * 2,
            constraints=LinearConstraint([[1.0, 2.0]], t * t, xp.asarray(np.inf)),
        ).x

    np.testing.assert_allclose(found(np.asarray(0.9)), [0.5, 0.5], atol=1e-6)
    np.testing.assert_allclose(jacrev(found)(np.asarray(0.9)), [0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(jacrev(found)(np.asarray(0.3)), [0.0, 1.0], atol=1e-6)


def test_problems_that_fail_have_no_derivative() -> None:
    def found(t: Any) -> Any:
        rows = LinearConstraint([[1.0, 0.0], [1.0, 0.0]], np.asarray([0.0, 1.0]) * t, t)
        return minimize(lambda x: (x[0] - 4.0) ** 2 + x[1] ** 2, np.zeros(2), constraints=rows).x

    np.testing.assert_allclose(jacrev(found)(np.asarray(2.0)), [1.0, 0.0], atol=1e-6)
    assert np.all(jacrev(found)(np.asarray(-2.0)) == 0)  # 0 <= x0 <= -2


@pytest.mark.parametrize("method", [*TIGHT, "BFGS"])
def test_unknowns_that_nothing_holds_stay(method: str) -> None:
    """The others move as they must, and the value."""
    line = LinearConstraint([[1.0, 0.0]], -np.inf, 9.0)

    def found(t: Any) -> Any:
        return minimize(
            lambda x: (x[0] - 3.0 * t) ** 2 + 0.0 * x[1] + t * x[0],
            np.asarray([0.3, 0.1]),
            method=method,
            constraints=() if method == "BFGS" else line,
        )

    t = np.asarray(1.0)
    np.testing.assert_allclose(jacrev(lambda t: found(t).x)(t), [2.5, 0.0], atol=1e-5)
    np.testing.assert_allclose(jacrev(lambda t: found(t).fun)(t), 5.5, atol=1e-4)  # of 2.75 t^2


def test_edge_of_a_linear_function() -> None:
    """All points of an edge are minima: the value has a derivative."""

    def least(t: Any) -> Any:
        edge = LinearConstraint([[1.0, 1.0]], t, np.inf)
        return minimize(lambda x: x[0] + x[1], np.asarray([0.3, 0.1]), constraints=edge).fun

    np.testing.assert_allclose(jacrev(least)(np.asarray(1.0)), 1.0, atol=1e-6)


@pytest.mark.parametrize("method", ["BFGS", "SLSQP"])
def test_a_hessian_that_is_singular_but_for_rounding(method: str) -> None:
    """The combination of unknowns that the function sees moves as it must."""
    c, line = np.asarray([0.1, 0.3]), LinearConstraint([[1.0, 1.0]], -99.0, 99.0)

    def together(t: Any) -> Any:
        x = minimize(
            lambda x: (c[0] * x[0] + c[1] * x[1] - t) ** 2 + 0.1 * t * (c[0] * x[0] + c[1] * x[1]),
            np.zeros(2),
            method=method,
            constraints=() if method == "BFGS" else line,
        ).x
        return c[0] * x[0] + c[1] * x[1]

    np.testing.assert_allclose(jacrev(together)(np.asarray(1.0)), 0.95, atol=1e-6)
