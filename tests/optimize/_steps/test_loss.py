"""Losses against SciPy's costs, and their derivatives against differences."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from likewise.optimize import curve_fit, least_squares
from likewise.optimize._steps._loss import LOSSES, loss_function, robust, scaled

Z = np.concatenate([[0.0, 1e-9], np.linspace(0.03, 4.0, 40)])


@pytest.mark.parametrize("loss", LOSSES)
def test_cost_equals_scipy(lib: Any, loss: str) -> None:
    value, _, _ = scaled(LOSSES[loss], lib.asarray(np.sqrt(Z)), 0.7)
    expected = [
        2
        * scipy.optimize.least_squares(lambda x, r=r: x * 0 + r, [0.0], loss=loss, f_scale=0.7).cost
        for r in np.sqrt(Z)
    ]
    np.testing.assert_allclose(
        lib.to_numpy(value), expected, rtol=1e-12 if lib.has_float64 else 1e-5, atol=1e-7
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives(loss: str) -> None:
    rho, h, z = LOSSES[loss], 1e-5, Z[2:]
    z = z[np.abs(z - 1) > 1e-3]  # the corner of huber's second derivative
    value, first, second = rho(z)
    np.testing.assert_allclose((rho(z + h)[0] - rho(z - h)[0]) / (2 * h), first, atol=1e-8)
    np.testing.assert_allclose((rho(z + h)[1] - rho(z - h)[1]) / (2 * h), second, atol=1e-7)
    assert np.all(value >= 0) and np.all(first > 0)


@pytest.mark.parametrize("loss", LOSSES)
def test_scaled_residuals_give_gradient_and_curvature(loss: str) -> None:
    """Along one residual, of the cost ``s^2 rho((r / s)^2) / 2``."""
    s, h = 0.7, 1e-4
    r = np.linspace(-0.6, 0.6, 13)

    def cost(r: Any) -> Any:
        return robust(LOSSES[loss], r, s)[0] / 2

    _, factor_r, factor_j = robust(LOSSES[loss], r, s)
    slope = (cost(r + h) - cost(r - h)) / (2 * h)
    bend = (cost(r + h) - 2 * cost(r) + cost(r - h)) / h**2
    np.testing.assert_allclose(factor_r * factor_j * r, slope, atol=1e-7)
    positive = bend > 1e-3
    np.testing.assert_allclose((factor_j**2)[positive], bend[positive], atol=1e-5)
    assert np.all(factor_j > 0)


def test_a_callable_is_scipys() -> None:
    rho = loss_function("f", lambda z: np.stack([z, np.ones_like(z), np.zeros_like(z)]))
    np.testing.assert_array_equal(rho(Z)[0], Z)


def cauchy(z: Any) -> Any:
    """As SciPy's documentation has it."""
    rho = np.empty((3, z.size))
    rho[0], rho[1], rho[2] = np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2
    return rho


def test_a_callable_of_scipys_idiom_in_fits(rng: Any) -> None:
    """One problem and a batch: z has one dimension."""

    def line(t: Any, a: Any, b: Any) -> Any:
        return a * t + b

    t = np.linspace(0.0, 1.0, 12)
    y = line(t, 2.0, 1.0) + 0.3 * rng.standard_t(2, size=(2, 12))
    expected = [
        scipy.optimize.least_squares(
            lambda p, row=row: line(t, *p) - row, [1.0, 0.0], loss=cauchy, f_scale=0.2, xtol=1e-12
        ).x
        for row in y
    ]
    options: Any = {"loss": cauchy, "f_scale": 0.2}
    popt, _ = curve_fit(line, t, y[0], [1.0, 0.0], **options)
    np.testing.assert_allclose(popt, expected[0], rtol=1e-5)
    popt, _ = curve_fit(line, t, y, [1.0, 0.0], **options)
    np.testing.assert_allclose(popt, expected, rtol=1e-5)
    for method in ("trf", "lm"):
        x = least_squares(lambda p: line(t, p[0], p[1]) - y[1], [1.0, 0.0], method=method,
                          **options).x  # fmt: skip
        np.testing.assert_allclose(x, expected[1], rtol=1e-5)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "one array": (lambda z: z, ShapeError, "three arrays.*got 17 of them"),
    "no array": (lambda z: None, ArrayTypeError, "three arrays.*got NoneType"),
    "dtype": (
        lambda z: np.ones((3, z.shape[0]), dtype=np.float32),
        DtypeError,
        "three arrays.*z's dtype float64, got numpy array of float32.*dtype=z.dtype",
    ),
    "shape": (
        lambda z: np.ones((3, 2)),
        ShapeError,
        r"three arrays.*z's shape \(17,\), got shape \(2,\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_callable_must_return(case: str) -> None:
    loss, error, words = BAD[case]
    with pytest.raises(error, match=f"f: loss must return {words}"):
        loss_function("f", loss)(np.linspace(0.0, 3.0, 17)[None, :])


@pytest.mark.parametrize("loss", ["l2", 3, None])
def test_no_such_loss(loss: Any) -> None:
    with pytest.raises(ArgumentError, match="f: loss must be"):
        loss_function("f", loss)
