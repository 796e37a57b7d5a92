"""Arguments whose squares overflow, and parameters at the end of their domain."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import stats, to_numpy
from likewise.transforms import grad


def test_densities_of_arguments_whose_square_overflows() -> None:
    # (1 + x**2 / df)**(-(df + 1) / 2) is df**((df + 1) / 2) x**(-df - 1) here.
    df, x = 0.5, 1e160
    expected = df**0.25 * x**-1.5 * math.gamma(0.75) / (math.sqrt(math.pi) * math.gamma(0.25))
    np.testing.assert_allclose(stats.t.pdf(x, df), expected, rtol=1e-14)
    np.testing.assert_allclose(stats.t.pdf(-x, df), expected, rtol=1e-14)
    np.testing.assert_allclose(stats.t.logpdf(x, df), math.log(expected), rtol=1e-14)
    for dist, args in ((stats.chi, (3.0,)), (stats.nakagami, (2.0,)), (stats.maxwell, ())):
        assert dist.pdf(1e160, *args) == 0.0
        assert dist.logpdf(1e160, *args) == -np.inf


@pytest.mark.parametrize("x", [1e100, 1e160])
def test_tails_of_the_noncentral_t_are_powers_far_out(x: float) -> None:
    df, nc = 1.25, 0.7
    near, far = stats.nct.sf(np.asarray([1e40, x]), df, nc)
    np.testing.assert_allclose(far, near * (x / 1e40) ** -df, rtol=1e-12)
    near, far = stats.nct.pdf(np.asarray([-1e40, -x]), df, nc)
    np.testing.assert_allclose(far, near * (x / 1e40) ** (-df - 1), rtol=1e-12)


def test_t_with_infinite_degrees_of_freedom_is_normal() -> None:
    x = np.asarray([-3.0, 0.0, 0.4, 20.0])
    for method in ("pdf", "logpdf", "cdf", "sf"):
        expected = getattr(stats.norm, method)(x)
        np.testing.assert_allclose(getattr(stats.t, method)(x, np.inf), expected, rtol=1e-13)
    assert stats.t.var(np.inf) == 1.0
    np.testing.assert_allclose(stats.t.entropy(np.inf), stats.norm.entropy(), rtol=1e-15)


def test_derivatives_on_both_sides_of_a_change_of_method() -> None:
    for dist, args, at in (
        (stats.t, (3.9,), 0.3),
        (stats.beta, (0.4, 2.0), 0.2),
        (stats.maxwell, (), 0.9),
        (stats.maxwell, (), 1.1),
        (stats.kappa3, (2.5,), 0.9),
        (stats.kappa3, (2.5,), 1.2),
        (stats.invweibull, (1.5,), 0.7),
    ):
        slope = grad(lambda x, d=dist, a=args: d.cdf(x, *a))(np.asarray(at))
        np.testing.assert_allclose(slope, dist.pdf(at, *args), rtol=1e-13)
        bent = grad(lambda x, d=dist, a=args: d.pdf(x, *a))(np.asarray(at))
        log = grad(lambda x, d=dist, a=args: d.logpdf(x, *a))(np.asarray(at))
        np.testing.assert_allclose(bent, log * dist.pdf(at, *args), rtol=1e-12)


@pytest.mark.parametrize(
    ("dist", "args"),
    [
        (stats.gengamma, (0.3, 4.0)),
        (stats.gengamma, (0.3, -4.0)),
        (stats.exponweib, (0.3, 2.0)),
    ],
)
def test_quantiles_where_a_step_leaves_the_range(dist: Any, args: tuple[float, ...]) -> None:
    """q**(1 / a) is below the least number here, and its power with 1 / c isn't."""
    tail, inverse = (dist.sf, dist.isf) if args[1] < 0 else (dist.cdf, dist.ppf)
    q = np.asarray([1e-100, 1e-120, 1e-30])
    x = inverse(q, *args)
    assert np.all((x > 0) & np.isfinite(x))
    np.testing.assert_allclose(tail(x, *args), q, rtol=1e-12)
    slope = grad(lambda a: inverse(1e-100, a, args[1]))(np.asarray(args[0]))
    by_tail = grad(lambda a: tail(x[0], a, args[1]))(np.asarray(args[0]))
    by_x = dist.pdf(x[0], *args) * (-1 if args[1] < 0 else 1)
    np.testing.assert_allclose(slope, -by_tail / by_x, rtol=1e-9)


def test_one_side_is_as_both() -> None:
    # Where all arguments are on one side of the middle, one of two functions is called.
    for dist, x in ((stats.betaprime, [0.3, 0.9, 1.0, 7.0]), (stats.jf_skew_t, [-3.0, -0.1, 2.0])):
        for tail in (dist.cdf, dist.sf):
            found = tail(np.asarray(x), 2.0, 3.0)
            assert np.array_equal(found, [tail(v, 2.0, 3.0) for v in x])


def test_tails_next_to_0_have_all_digits() -> None:
    x = np.asarray([1e-20, 1e-9, 0.3])
    expected = np.log1p(-np.tanh(0.5 * x))
    np.testing.assert_allclose(stats.halflogistic.logsf(x), expected, rtol=4e-16)
    np.testing.assert_allclose(stats.halflogistic.logsf(5.0), math.log(2 / (1 + math.exp(5))))
    far = stats.levy.logcdf(np.asarray([1e20, 1e40]))
    np.testing.assert_allclose(far, -math.sqrt(2 / math.pi) * np.asarray([1e-10, 1e-20]), rtol=1e-9)
    for dist, x in ((stats.halflogistic, 1.0), (stats.levy, 2.0)):
        name = "logsf" if dist is stats.halflogistic else "logcdf"
        at = getattr(dist, name)(np.asarray([x * (1 - 1e-15), x * (1 + 1e-15)]))
        np.testing.assert_allclose(at[0], at[1], rtol=3e-15)


def test_logarithms_of_noncentral_densities_that_underflow(xp: Any) -> None:
    x = np.asarray([1e4, 1e5, 1e6, 1e9, 1e15, 1e21, 1e60])
    expected = -0.5 * (np.sqrt(x) - 3**0.5) ** 2 - 0.5 * np.log(8 * math.pi * np.sqrt(3 * x))
    found = stats.ncx2.logpdf(xp.asarray(x), 2.0, 3.0)  # I0(t) is exp(t) / sqrt(2 pi t)
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=1e-6)
    central = stats.ncx2.logpdf(xp.asarray(x), 2.0, 0.0)
    np.testing.assert_allclose(np.asarray(central, dtype=float), -0.5 * x - math.log(2), rtol=1e-13)
    more = stats.ncx2.logpdf(np.asarray([1e60, 1e90, 1e300]), 2.0, 3.0)
    np.testing.assert_allclose(more, [-5e59, -5e89, -5e299], rtol=1e-14)
    x, shapes = np.asarray([0.1, 2.0, 30.0]), (3.0, 10.0, 1.5)
    for dist, args in ((stats.ncf, shapes), (stats.ncx2, shapes[1:])):
        np.testing.assert_allclose(dist.logpdf(x, *args), np.log(dist.pdf(x, *args)), rtol=1e-13)
        slope = grad(lambda v, d=dist, a=args: d.logpdf(v, *a).sum())(x)
        bent = grad(lambda v, d=dist, a=args: d.pdf(v, *a).sum())(x)
        np.testing.assert_allclose(slope * dist.pdf(x, *args), bent, rtol=1e-12, atol=1e-18)


def test_ends_of_truncnorm_far_out_are_those_of_the_whole_line() -> None:
    ends = np.asarray([40.0, 1e6, 1e100, 1e300, np.inf])
    for name, expected in (("entropy", 0.5 * math.log(2 * math.pi * math.e)), ("var", 1.0)):
        found = getattr(stats.truncnorm, name)(-ends, ends)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    half = stats.truncnorm.entropy(0.0, ends)
    np.testing.assert_allclose(half, stats.halfnorm.entropy(), rtol=1e-13)


def test_invgauss_of_an_infinite_mean_is_levy() -> None:
    x, p = np.asarray([0.2, 1.0, 30.0]), np.asarray([0.1, 0.5, 0.9])
    for name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"):
        at = p if name in ("ppf", "isf") else x
        expected = getattr(stats.levy, name)(at)
        found = getattr(stats.invgauss, name)(at, np.inf)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_draws_beyond_the_integers_are_the_largest(xp: Any) -> None:
    found = stats.geom.rvs(xp.asarray([1e-30, 0.5]), key=3)
    assert int(found[0]) > 2**30
    assert 0 < int(found[1]) < 100


def test_draws_of_circles_are_wrapped(xp: Any) -> None:
    one = xp.asarray(1.0)
    for dist, low in ((stats.wrapcauchy, 0.0), (stats.vonmises, -math.pi)):
        for loc, scale in ((-100.0, 1.0), (3.0, 1e6), (0.0, 1.0)):
            x = np.asarray(dist.rvs(0.4 * one, loc=loc, scale=scale, size=200, key=4), dtype=float)
            assert (x >= low - 1e-6).all()
            assert (x <= low + 2 * math.pi + 1e-6).all()
            assert x.std() > 0.5


@pytest.mark.parametrize("kappa", [0.0, 1e-9, 0.7, 30.0, 1e9, 1e300])
def test_draws_of_von_mises_have_its_distribution(kappa: float) -> None:
    x = stats.vonmises.rvs(kappa, size=4000, key=11)
    assert judge.kstest(stats.vonmises.cdf(x, kappa), "uniform").pvalue > 1e-3
    assert np.all(x != 0.0)


def test_draws_of_von_mises_on_every_library(xp: Any) -> None:
    kappa = np.asarray([0.2, 3.0, 400.0])
    expected = stats.vonmises.rvs(kappa, size=(200, 3), key=5)
    found = stats.vonmises.rvs(xp.asarray(kappa), size=(200, 3), key=5)
    assert found.dtype == xp.float64
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-13, atol=1e-15)
    assert stats.vonmises.rvs(xp.asarray(kappa, dtype=xp.float32), key=5).dtype == xp.float32


def test_derivatives_of_draws_of_von_mises_are_those_of_quantiles() -> None:
    kappa, step = np.asarray(2.0), 1e-5
    x = stats.vonmises.rvs(kappa, size=6, key=5)
    level = judge.vonmises.cdf(x, kappa)
    higher, lower = (judge.vonmises.ppf(level, kappa + s) for s in (step, -step))
    weights = np.arange(1.0, 7.0)
    found = grad(lambda k: np.sum(weights * stats.vonmises.rvs(k, size=6, key=5)))(kappa)
    np.testing.assert_allclose(found, np.sum(weights * (higher - lower)) / (2 * step), rtol=1e-7)


def test_likelihoods_of_counts() -> None:
    x = np.asarray([3.0, 0.0, 4.0])
    found = stats.binom.nnlf((5, 0.4, 0), x)
    np.testing.assert_allclose(found, -stats.binom.logpmf(x, 5, 0.4).sum())
    assert stats.binom.nnlf((3, 0.4, 0), x) == np.inf


def test_noncentral_chi_square_next_to_0_is_a_power() -> None:
    x = np.asarray([1e-200, 1e-90, 1e-70])
    df, nc = 0.5, 5.0
    expected = (0.5 * x) ** (0.5 * df) * math.exp(-0.5 * nc) / math.gamma(0.5 * df + 1)
    np.testing.assert_allclose(stats.ncx2.cdf(x, df, nc), expected, rtol=1e-12)
    np.testing.assert_allclose(stats.ncx2.pdf(x, df, nc), expected * 0.5 * df / x, rtol=1e-12)
