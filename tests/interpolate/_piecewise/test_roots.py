"""Points where piecewise polynomials take a value, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors, to_numpy
from likewise.interpolate import CubicSpline, PPoly
from likewise.transforms import grad, jit, vmap

RNG = np.random.default_rng(38)


def alike(found: Any, expected: Any) -> None:
    found, expected = np.sort(to_numpy(found)), np.sort(np.asarray(expected))
    assert found.shape == expected.shape
    tol = 1e-9 if found.dtype == np.float64 else 1e-3
    np.testing.assert_allclose(found, expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_of_all_degrees(xp: Any, k: int) -> None:
    for m in (1, 2, 4):
        x, c = np.cumsum(RNG.uniform(0.5, 1.5, m + 1)), RNG.normal(size=(k, m))
        for wide in (False, True):
            for y in (0.0, 0.3):
                ours = PPoly(xp.asarray(c), xp.asarray(x)).solve(y, extrapolate=wide)
                alike(ours, judge.PPoly(c, x).solve(y, extrapolate=wide))


@pytest.mark.parametrize(
    ("row", "inside", "beyond"),
    [
        ([1, -3, 2], [1], [2]),
        ([1, -2, 1], [1], []),
        ([2, 1, -3], [1], [-1.5]),
        ([1, 1, -2, 0], [0, 1], [-2]),
        ([1, -1, -1, 1], [1], [-1]),
        ([-2, 2, -2, 1, 2, -1], [0.467460364, 1], [-0.748543058]),
    ],
)
def test_at_the_last_breakpoint(xp: Any, row: Any, inside: Any, beyond: Any) -> None:
    # No critical point lies between the root and the end, or one lies at the end.
    p = PPoly(xp.asarray(row, dtype=xp.float64)[:, None], xp.asarray([0.0, 1.0]))
    found = to_numpy(p.roots(extrapolate=False))
    np.testing.assert_allclose(found, inside, rtol=1e-8, atol=1e-8)
    found = to_numpy(p.roots(extrapolate=True))
    np.testing.assert_allclose(found, sorted([*inside, *beyond]), rtol=1e-8, atol=1e-8)


def test_jumps_touches_and_flat_pieces(xp: Any) -> None:
    x = np.arange(5.0)
    c = np.asarray([[0.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.0], [1.0, 0.25, 0.0, -0.5]])
    p = PPoly(xp.asarray(c), xp.asarray(x))
    found = to_numpy(p.roots(extrapolate=False))
    np.testing.assert_allclose(found, [1.5, 2.0, np.nan, 3.5], rtol=1e-6)
    steps = PPoly(xp.asarray([[-1.0, 1.0, 2.0]]), xp.asarray(x[:4]))
    assert to_numpy(steps.roots()).tolist() == [1.0]
    assert to_numpy(steps.roots(False)).tolist() == []
    line = CubicSpline(xp.asarray(x), xp.asarray(x - 2.0))
    np.testing.assert_allclose(to_numpy(line.roots()), [2.0], rtol=1e-6)


def test_of_several_functions_and_compiled(xp: Any) -> None:
    x = np.sort(RNG.normal(size=(2, 6)), axis=-1)
    y = RNG.normal(size=(2, 6, 3))
    f = CubicSpline(xp.asarray(x), xp.asarray(y))
    found = to_numpy(f.solve(0.2, extrapolate=False, size=9))
    fixed = to_numpy(jit(lambda f: f.solve(0.2, extrapolate=False, size=9))(f))
    np.testing.assert_allclose(fixed, found, rtol=1e-4)
    for i, j in np.ndindex(2, 3):
        expected = judge.CubicSpline(x[i], y[i, :, j]).solve(0.2, extrapolate=False)
        alike(found[i, j][: expected.size], expected)
        assert np.isnan(found[i, j][expected.size :]).all()


def test_derivatives_of_a_root(xp: Any) -> None:
    x, y = np.asarray([0.0, 1.0, 2.0, 3.0]), np.asarray([-1.0, -0.4, 0.7, 1.5])
    got = to_numpy(
        grad(lambda y: CubicSpline(xp.asarray(x), y).roots(extrapolate=False, size=1)[0])(
            xp.asarray(y)
        )
    )
    for i in range(4):
        h = 1e-6 * np.eye(4)[i]
        high, low = (judge.CubicSpline(x, y + s * h).roots(extrapolate=False)[0] for s in (1, -1))
        assert float(got[i]) == pytest.approx((high - low) / 2e-6, rel=1e-3, abs=1e-6)


def test_bad_arguments() -> None:
    with pytest.raises(errors.DtypeError, match="real-valued"):
        PPoly(np.ones((2, 1)) * 1j, np.arange(2.0)).roots()
    with pytest.raises(errors.LikewiseError, match="size="):
        vmap(lambda c: PPoly(c, np.arange(2.0)).roots())(np.ones((3, 2, 1)))


def test_second_derivatives() -> None:
    # Of the root r of v^2 - s it is -r^(-3) / 4.
    def root(s: Any) -> Any:
        c = np.asarray([1.0, 0.0, 0.0])[:, None] - s * np.asarray([0.0, 0.0, 1.0])[:, None]
        return PPoly(c, np.asarray([0.0, 2.0])).roots(size=1, extrapolate=False)[0]

    second = grad(grad(root))(np.asarray(0.64))
    np.testing.assert_allclose(to_numpy(second), -0.25 / 0.8**3, rtol=1e-12)


def test_knots_that_come_again(xp: Any) -> None:
    t = np.asarray([0.0, 0, 0, 1, 1, 2, 2, 2])  # values are zero at 0 and 1
    c = np.asarray([0.0, 1.0, 0.0, -1.0, 2.0])
    made = PPoly.from_spline((xp.asarray(t), xp.asarray(c), 2))
    found = to_numpy(made.roots(extrapolate=False))
    assert found.shape == (3,)  # SciPy's are there twice
    alike(found, np.unique(judge.PPoly.from_spline((t, c, 2)).roots(extrapolate=False)))
