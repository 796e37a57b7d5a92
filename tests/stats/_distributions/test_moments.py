"""Moments where numbers are of all sizes, or nearly all the same, against closed forms in mpmath."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.stats as judge

from likewise import array_namespace, stats, to_numpy
from likewise.stats._distributions._quadrature import mean_of
from likewise.transforms import grad


def _of_raw(one: Any, two: Any, three: Any, four: Any) -> tuple[Any, ...]:
    var = two - one**2
    third = three - 3 * one * two + 2 * one**3
    fourth = four - 4 * one * three + 6 * one**2 * two - 3 * one**4
    return one, var, third / var ** mp.mpf(1.5), fourth / var**2 - 3


def _weibull(c: Any) -> tuple[Any, ...]:
    return _of_raw(*(mp.gamma(1 + k / c) for k in range(1, 5)))


def _frechet(c: Any) -> tuple[Any, ...]:
    return _weibull(-c)


def _powers(a: Any, h: Any, r: Any = 1) -> tuple[Any, ...]:
    return _of_raw(*(mp.gamma(a + k * h) / mp.gamma(a) / r ** (k * h) for k in range(1, 5)))


def _extremes(c: Any) -> tuple[Any, ...]:
    mean, var, skewness, kurtosis = _weibull(1 / c)
    return (1 - mean) / c, var / c**2, -mp.sign(c) * skewness, kurtosis


def _half_logistic(c: Any) -> tuple[Any, ...]:
    def power(s: Any) -> Any:
        return s * (mp.digamma((s + 1) / 2) - mp.digamma(s / 2)) - 1

    mean, var, skewness, kurtosis = _of_raw(*(power(k * c) for k in range(1, 5)))
    return (1 - mean) / c, var / c**2, -skewness, kurtosis


def _between(a: Any, b: Any) -> tuple[Any, ...]:
    def tail(k: int, u: Any) -> Any:
        x = 1 / (1 + mp.exp(-u))
        return k * x**k * (1 - x) * mp.erfc((a + b * u) / mp.sqrt(2)) / 2

    at = [-80, -20, -5, 0, 5, 20, 80]
    return _of_raw(*(mp.quad(lambda u, k=k: tail(k, u), at) for k in range(1, 5)))


# Tolerances of mean, variance, skewness and kurtosis: what differences of nearly equal moments cost.
FINE, NEAR = (3e-14, 1e-13, 1e-11, 1e-11), (2e-14, 1e-13, 1e-9, 5e-9)
CASES = [
    ("chi", (1e-10,), lambda d: _powers(d / 2, 0.5, 0.5), FINE),
    ("chi", (1e-3,), lambda d: _powers(d / 2, 0.5, 0.5), FINE),
    ("chi", (0.01,), lambda d: _powers(d / 2, 0.5, 0.5), FINE),
    ("chi", (25.0,), lambda d: _powers(d / 2, 0.5, 0.5), NEAR),
    ("nakagami", (1e-3,), lambda nu: _powers(nu, 0.5, nu), FINE),
    ("nakagami", (0.01,), lambda nu: _powers(nu, 0.5, nu), FINE),
    ("nakagami", (25.0,), lambda nu: _powers(nu, 0.5, nu), FINE),
    ("weibull_min", (0.02,), _weibull, FINE),
    ("weibull_min", (7.0,), _weibull, FINE),
    ("weibull_min", (1000.0,), _weibull, FINE),
    ("invweibull", (4.1,), _frechet, FINE),
    ("invweibull", (1000.0,), _frechet, FINE),
    ("gengamma", (1e6, 3.119), lambda a, c: _powers(a, 1 / c), (3e-14, 1e-13, 1e-6, 1e-6)),
    ("gengamma", (4.4, -1.05), lambda a, c: _powers(a, 1 / c), FINE),
    ("gengamma", (4.4, 3.1), lambda a, c: _powers(a, 1 / c), NEAR),
    ("gengamma", (1e-3, 60.0), lambda a, c: _powers(a, 1 / c), FINE),
    *(("genextreme", (c,), _extremes, FINE) for c in (1e-12, -1e-8, 0.119, 0.121, 5.0, 30.0)),
    *(("genextreme", (c,), _extremes, FINE) for c in (-0.119, -0.121, -0.24)),
    *(("genhalflogistic", (c,), _half_logistic, FINE) for c in (0.75, 5.0, 20.0, 100.0)),
    ("johnsonsb", (4.317, 0.01), _between, FINE),
    ("johnsonsb", (-4.317, 0.01), _between, FINE),
    ("johnsonsb", (0.5, 0.9), _between, FINE),
    ("johnsonsb", (-0.5, 1.1), _between, FINE),
]


@pytest.mark.parametrize(("name", "args", "exact", "rtol"), CASES)
def test_moments_are_exact(name: str, args: tuple[float, ...], exact: Any, rtol: Any) -> None:
    with mp.workdps(60 if exact is not _between else 25):
        expected = [float(v) for v in exact(*map(mp.mpf, args))]
    found = getattr(stats, name).stats(*args, moments="mvsk")
    for letter, one, other, r in zip("mvsk", found, expected, rtol, strict=True):
        np.testing.assert_allclose(one, other, rtol=r, err_msg=letter)


def test_infinite_moments() -> None:
    assert stats.genextreme.mean(-1.0) == np.inf and stats.genextreme.var(-0.5) == np.inf
    assert np.isnan(stats.genextreme.stats([-1.5, np.nan], moments="mvsk")).all()
    assert stats.pareto.moment(3, 2.62) == np.inf and stats.pareto.moment(2, 2.62) > 0
    assert stats.gengamma.var(1.0, -1.5) == np.inf and stats.invweibull.var(1.5) == np.inf
    assert np.isnan(stats.invweibull.stats(2.5, moments="sk")).all()


@pytest.mark.parametrize(
    "name", ["chi", "nakagami", "weibull_min", "genextreme", "genhalflogistic", "exponpow"]
)
def test_moments_of_both_ways_have_derivatives(name: str, xp: Any) -> None:
    """On both sides of where one way ends."""
    row = getattr(stats, name)
    at = np.asarray([0.05, 0.1, 0.5, 2.0, 30.0])
    if name == "genextreme":
        at = np.asarray([-0.2, -0.05, 0.0, 0.05, 0.5])
    h = 1e-4 * (np.abs(at) + (name == "genextreme"))
    for what in ("mean", "var"):
        f = getattr(row, what)
        expected = (8 * (f(at + h) - f(at - h)) - f(at + 2 * h) + f(at - 2 * h)) / (12 * h)
        found = grad(lambda a, f=f: array_namespace(a).sum(f(a)))(xp.asarray(at, dtype=xp.float64))
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-7, err_msg=what)


def test_moments_far_out() -> None:
    """Without overflow of the variance's square; NaN where nodes are too few, and known higher
    moments where others are."""
    kurtosis = float(stats.exponweib.stats(0.029, 0.02, moments="k"))
    assert kurtosis > 1e58
    for order in (1, 2, 5, 6):
        exact = 2 ** (order / 2) * mp.gamma((3 + order) / 2) / mp.gamma(1.5)
        np.testing.assert_allclose(stats.maxwell.moment(order), float(exact), rtol=1e-13)
        np.testing.assert_allclose(stats.chi.moment(order, 3.0), float(exact), rtol=1e-13)


def test_too_few_nodes_are_noticed(xp: Any) -> None:
    middle = xp.asarray([0.0, 0.0], dtype=xp.float64)
    edge = xp.asarray([1.0, 1e-3], dtype=xp.float64)  # of a step that is wide, and one that isn't

    def step(z: Any) -> Any:
        return 1 / (1 + array_namespace(z).exp(-(z - 3.0) / edge))

    around = (middle - 0.7, middle, middle + 0.7)
    with np.errstate(all="ignore"):
        found = to_numpy(mean_of(stats.norm._pdf, step, (-np.inf, np.inf), around, checked=True))
    np.testing.assert_array_equal(np.isnan(found), [False, True])


@pytest.mark.parametrize(("a", "b"), [(-50.0, 100.0), (-100.0, 50.0), (-110.0, 273.0)])
def test_truncnorm_with_far_ends_is_normal(a: float, b: float) -> None:
    np.testing.assert_allclose(
        stats.truncnorm.stats(a, b, moments="mvsk"), [0, 1, 0, 0], rtol=1e-12, atol=1e-12
    )


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize(
    ("name", "args"),
    [("truncnorm", (0.1, 2.0)), ("powerlaw", (1.66,)), ("trapezoid", (0.2, 0.8)), ("norm", ())],
)
def test_ends_of_an_integral_lie_in_the_support(xp: Any, name: str, args: tuple[Any, ...]) -> None:
    row, other = getattr(stats, name), getattr(judge, name)
    inf = float("inf")
    for lb, ub in ((-inf, inf), (-1.0, 0.5), (0.5, -1.0), (0.3, 5.0), (3.0, 4.0), (None, 0.4)):
        given = tuple(xp.asarray(a, dtype=xp.float64) for a in args)
        found = row.expect(lambda x: x**5, given, loc=xp.asarray(0.0), lb=lb, ub=ub)
        with np.errstate(divide="ignore"):
            expected = other.expect(lambda x: x**5, args, lb=lb, ub=ub)
        np.testing.assert_allclose(float(found), expected, rtol=1e-6, atol=1e-12)


def test_expectations_of_bad_parameters_are_nan(xp: Any) -> None:
    scale = xp.asarray([2.0, -1.0, np.nan])
    for row, args in ((stats.norm, ()), (stats.gamma, (xp.asarray(2.0),))):
        found = to_numpy(row.expect(lambda x: x, args, scale=scale, loc=1.0))
        assert found[0] > 0 and np.isnan(found[1:]).all()
    assert np.isnan(stats.gamma.expect(args=(-1.0,)))


def test_rices_moments_are_exact() -> None:
    for b in (0.0, 0.5, 3.0, 1e4):
        for order in (1, 2, 3, 4, 5):
            exact = (
                mp.mpf(2) ** (mp.mpf(order) / 2)
                * mp.gamma(1 + mp.mpf(order) / 2)
                * mp.hyp1f1(-mp.mpf(order) / 2, 1, -(mp.mpf(b) ** 2) / 2)
            )
            np.testing.assert_allclose(stats.rice.moment(order, b), float(exact), rtol=1e-13)
    np.testing.assert_allclose(stats.rice.var(1e4), 1.0, rtol=1e-7)


def test_frozen_objects_have_their_methods_alone() -> None:
    for made, own, others in (
        (stats.norm(), ("pdf", "logpdf"), ("pmf", "logpmf")),
        (stats.truncate(stats.norm(), 0.0), ("pdf", "logpdf"), ("pmf", "logpmf")),
        (stats.poisson(2.0), ("pmf", "logpmf"), ("pdf", "logpdf")),
    ):
        assert all(hasattr(made, n) for n in own) and not any(hasattr(made, n) for n in others)


def test_entropies_of_large_parameters() -> None:
    """By the definition, with 200 digits."""
    with mp.workdps(200):
        for a, b in ((1e50, 100.0), (2.0, 1e20), (1e9, 1e9), (0.5, 0.5), (120.0, 1e5), (1.0, 1.0)):
            x, y, n = mp.mpf(a), mp.mpf(b), mp.mpf(a) + mp.mpf(b)
            low, high, both = mp.digamma(x), mp.digamma(y), mp.digamma(n)
            whole = mp.log(mp.beta(x, y)) + n * both
            exact = whole - 2 * both - (x - 1) * low - (y - 1) * high
            np.testing.assert_allclose(
                stats.beta.entropy(a, b), float(exact), rtol=1e-13, atol=1e-13
            )
            exact = whole + mp.log(y / x) + (1 - x) * low - (1 + y) * high
            found = stats.f.entropy(2 * a, 2 * b)
            np.testing.assert_allclose(found, float(exact), rtol=1e-13, atol=1e-13)


def test_entropies_of_loggamma() -> None:
    """By the definition, with 50 digits; small parameters lose none."""
    with mp.workdps(50):
        for c in (1e-200, 1e-8, 0.99, 1.0, 30.0, 1e5):
            exact = mp.loggamma(c) + c * (1 - mp.digamma(c))
            np.testing.assert_allclose(stats.loggamma.entropy(c), float(exact), rtol=1e-13)


def test_a_wide_loguniform_has_its_quantiles(xp: Any) -> None:
    q = xp.asarray([0.0, 0.1, 0.49, 0.5, 0.77, 0.999, 1.0], dtype=xp.float64)
    for what in ("ppf", "isf"):
        found = to_numpy(getattr(stats.loguniform, what)(q, 1e-200, 1e200))
        back = (np.log10(found) + 200) / 400
        expected = to_numpy(q) if what == "ppf" else 1 - to_numpy(q)
        np.testing.assert_allclose(back, expected, rtol=1e-13, atol=1e-15)


def test_mean_of_a_wide_loguniform() -> None:
    a, b = mp.mpf(1e-200), mp.mpf(1e200)
    exact = float((b - a) / mp.log(b / a))
    np.testing.assert_allclose(stats.loguniform.mean(1e-200, 1e200), exact, rtol=1e-15)


def test_arguments_by_position() -> None:
    assert stats.gamma.stats(2.0, 3.0, 4.0, "mv") == judge.gamma.stats(2.0, 3.0, 4.0, "mv")
    assert stats.gamma.stats(2.0, "s") == judge.gamma.stats(2.0, moments="s")
    got = stats.norm(1.0, 2.0).expect(None, 0.0, 3.0, True)
    np.testing.assert_allclose(got, judge.norm(1.0, 2.0).expect(None, 0.0, 3.0, True), rtol=1e-12)
    got = stats.binom(5, 0.3).expect(None, 1, 3)
    np.testing.assert_allclose(got, judge.binom(5, 0.3).expect(None, 1, 3), rtol=1e-12)


def test_exponnorm_is_nearly_normal_where_k_is_small(xp: Any) -> None:
    k = xp.asarray([1e-6, 1e-3, 0.01, 0.1, 0.24, 0.26, 1.0, 30.0], dtype=xp.float64)
    for x in (1.9, 2.0, 2.1, 5.0, 9.0):
        below, above = (to_numpy(f(x, k)) for f in (stats.exponnorm.cdf, stats.exponnorm.sf))
        np.testing.assert_allclose(below, 1 - above, rtol=2e-15 * 4)
