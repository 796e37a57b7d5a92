"""The studentized range: tails far out, moments in closed form, SciPy's values, numbers."""

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats as judge

from likewise import to_numpy
from likewise.stats import studentized_range
from likewise.transforms import grad

Q = np.asarray([0.3, 1.0, 2.5, 4.0, 8.0])


def of_two(q: float, df: float, upper: bool) -> float:
    """The range of two is the square root of 2 times Student's statistic, without its sign."""
    x = mpmath.mpf(q) ** 2 / 2
    if df == np.inf:
        root = mpmath.sqrt(x / 2)
        return float(mpmath.erfc(root) if upper else mpmath.erf(root))
    half = mpmath.mpf(df) / 2
    if upper:
        return float(mpmath.betainc(half, 0.5, 0, df / (df + x), regularized=True))
    return float(mpmath.betainc(0.5, half, 0, x / (df + x), regularized=True))


@pytest.mark.parametrize("df", [1.0, 2.5, 10.0, 43.0, 1e3, 1e6, np.inf])
def test_tails_of_two_are_students(df: float) -> None:
    far = np.sqrt(2) * judge.t.isf(np.asarray([1e-200, 1e-30, 1e-9, 0.01]) / 2, df)
    with mpmath.workdps(60):
        found = studentized_range.sf(far, 2.0, df)
        np.testing.assert_allclose(found, [of_two(q, df, True) for q in far], rtol=6e-13)
        near = np.asarray([1e-250, 1e-30, 0.02, 0.5, 1.5, 7.0])
        found = studentized_range.cdf(near, 2.0, df)
        np.testing.assert_allclose(found, [of_two(q, df, False) for q in near], rtol=1e-12)
    slope = np.sqrt(2) * judge.t.pdf(near / np.sqrt(2), df)
    np.testing.assert_allclose(studentized_range.pdf(near, 2.0, df), slope, rtol=1e-11)


@pytest.mark.parametrize("k", [3.0, 1.5])
def test_tails_without_an_estimate_are_quadratures(k: float) -> None:
    def inner(q: float, upper: bool) -> Any:
        def integrand(z: Any) -> Any:
            above, beyond = mpmath.ncdf(-z), mpmath.ncdf(-z - q)
            inside = (above - beyond) ** (k - 1)
            return k * mpmath.npdf(z) * (above ** (k - 1) - inside if upper else inside)

        return mpmath.quad(integrand, [-q / 2 - 14, -q / 2 - 4, -q / 2, 0, 4, 14])

    with mpmath.workdps(36):
        for q in (0.02, 0.24, 2.0):
            found = float(studentized_range.cdf(q, k, np.inf))
            assert abs(found / inner(q, False) - 1) < 2e-13, q
        for q in (1.0, 8.0):
            assert abs(float(studentized_range.sf(q, k, np.inf)) / inner(q, True) - 1) < 2e-13, q


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize(("k", "df"), [(3.0, 10.0), (2.5, 1.5)])
def test_functions_have_scipys_values(xp: Any, k: float, df: float) -> None:
    x = xp.asarray(Q, dtype=xp.float64)
    for name, rtol in (("pdf", 1e-8), ("cdf", 1e-7), ("sf", 1e-6)):
        found = to_numpy(getattr(studentized_range, name)(x, k, df))
        expected = getattr(judge.studentized_range, name)(Q, k, df)
        np.testing.assert_allclose(found, expected, rtol=rtol)


def test_quantiles_have_their_probability() -> None:
    p = np.asarray([1e-100, 1e-3, 0.5, 0.999])
    for name, inverse in (("cdf", "ppf"), ("sf", "isf")):
        there = getattr(studentized_range, inverse)(p, 3.0, 4.5)
        found = getattr(studentized_range, name)(there, 3.0, 4.5)
        np.testing.assert_allclose(found, p, rtol=1e-12)


def test_moments_in_closed_form() -> None:
    for df in (5.5, 40.0, 1e4):
        with mpmath.workdps(30):
            for order in (1, 2, 3, 4):
                half = mpmath.mpf(df) / 2
                expected = mpmath.sqrt(2 * df) ** order * mpmath.gammaprod(
                    [(order + mpmath.mpf(1)) / 2, half - mpmath.mpf(order) / 2], [0.5, half]
                )
                found = float(studentized_range.moment(order, 2.0, df))
                assert abs(found / expected - 1) < 1e-13
    # E. S. Pearson, Biometrika 18, 1926: 2.05875.
    means = [float(studentized_range.mean(k, np.inf)) for k in (3.0, 4.0)]
    expected = np.asarray([3.0, 3.0 * (1 + 2 / np.pi * np.arcsin(1 / 3))]) / np.sqrt(np.pi)
    np.testing.assert_allclose(means, expected, rtol=1e-13)
    assert studentized_range.var(3.0, 2.0) == np.inf


def test_derivatives() -> None:
    given = (2.7, 3.5, 6.0)
    for i in range(3):

        def of(v: Any, i: int = i) -> Any:
            return studentized_range.cdf(*(v if i == j else g for j, g in enumerate(given)))

        h = 1e-3
        near, far = (
            (float(of(given[i] + s)) - float(of(given[i] - s))) / (2 * s) for s in (h, 2 * h)
        )
        found = float(grad(of)(np.asarray(given[i])))
        assert abs(found - (4 * near - far) / 3) < 1e-9, i
    found = float(grad(lambda x: studentized_range.cdf(x, 3.5, 6.0))(np.asarray(2.7)))
    assert abs(found / float(studentized_range.pdf(2.7, 3.5, 6.0)) - 1) < 1e-12


def test_bad_parameters_and_ends() -> None:
    for k, df in ((1.0, 5.0), (3.0, 0.0), (3.0, -1.0), (np.nan, 3.0)):
        assert np.isnan(studentized_range.cdf(1.0, k, df))
        assert np.isnan(studentized_range.mean(k, df))
    assert studentized_range.cdf([-1.0, 0.0, np.inf], 3.0, 4.0).tolist() == [0.0, 0.0, 1.0]
    assert studentized_range.sf([-1.0, 0.0, np.inf], 3.0, 4.0).tolist() == [1.0, 1.0, 0.0]


def test_random_numbers_have_the_distribution() -> None:
    for df in (7.0, np.inf):
        x = studentized_range.rvs(3.0, df, size=120, key=5)
        assert judge.kstest(x, lambda v, df=df: studentized_range.cdf(v, 3.0, df)).pvalue > 1e-3
