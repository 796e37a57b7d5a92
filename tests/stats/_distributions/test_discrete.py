"""Every discrete row: values, inverses, moments, tails against sums in many digits, derivatives."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats, to_numpy
from likewise.transforms import grad

from ..methods import values

SAMPLES: dict[str, tuple[tuple[float, ...], ...]] = {
    "bernoulli": ((0.3,),),
    "betabinom": ((40, 2.3, 0.63), (5, 1.0, 1.0)),
    "betanbinom": ((7, 5.5, 2.3), (3, 6.0, 0.8)),
    "binom": ((5, 0.4), (400, 0.03), (5000, 0.5)),
    "boltzmann": ((1.4, 19), (0.01, 50)),
    "dlaplace": ((0.8,),),
    "geom": ((0.5,), (0.01,)),
    "hypergeom": ((30, 12, 6), (21, 3, 12), (5000, 2000, 700)),
    "logser": ((0.6,), (0.99,)),
    "nbinom": ((5.5, 0.5), (0.4, 0.4), (300, 0.2)),
    "nhypergeom": ((120, 20, 9),),
    "planck": ((0.51,),),
    "poisson": ((0.6,), (50.0,)),
    "randint": ((7, 31),),
    "skellam": ((10.0, 15.0), (300.0, 280.0), (0.2, 5.0)),
    "zipf": ((6.6,), (5.5,)),
    "zipfian": ((1.0, 20), (2.5, 1000), (0.3, 50)),
}
EVERY = [(name, args) for name, some in SAMPLES.items() for args in some]
each = pytest.mark.parametrize(("name", "args"), EVERY)
Q = np.asarray([1e-8, 1e-3, 0.1, 0.4, 0.55, 0.7, 0.99, 1 - 1e-6])


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def points(name: str, args: tuple[float, ...]) -> np.ndarray:
    found = getattr(judge, name).ppf(Q, *args)
    return np.unique(found[np.isfinite(found)])


@pytest.mark.parametrize("name", SAMPLES)
def test_probabilities_are_scipys_on_each_library(xp: Any, name: str) -> None:
    args = SAMPLES[name][0]
    k = points(name, args)
    names = ("pmf", "cdf")
    for what, found in zip(
        names, values(getattr(stats, name), xp.asarray(k), *args, names=names), strict=True
    ):
        expected = getattr(getattr(judge, name), what)(k, *args)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-11)


@each
def test_probabilities_are_scipys(name: str, args: tuple[float, ...]) -> None:
    k = points(name, args)
    for what in ("pmf", "logpmf", "cdf", "sf"):
        found = getattr(getattr(stats, name), what)(k + 2, *args, loc=2)
        expected = getattr(getattr(judge, name), what)(k, *args)
        if what == "sf":  # SciPy's are often differences from 1
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.share(3)
@each
def test_quantiles_are_scipys_and_inverses(name: str, args: tuple[float, ...]) -> None:
    ours, theirs = getattr(stats, name), getattr(judge, name)
    np.testing.assert_array_equal(ours.ppf(Q, *args), theirs.ppf(Q, *args))
    k = points(name, args)
    k = k[ours.cdf(k, *args) < 1]
    np.testing.assert_array_equal(ours.ppf(ours.cdf(k, *args), *args), k)
    np.testing.assert_array_equal(ours.isf(ours.sf(k, *args), *args), k)
    np.testing.assert_array_equal(
        ours.ppf([0.0, 1.0, -0.1], *args), theirs.ppf([0, 1, -0.1], *args)
    )


@pytest.mark.share(3)
@each
def test_moments_and_entropies_are_scipys(name: str, args: tuple[float, ...]) -> None:
    ours, theirs = getattr(stats, name), getattr(judge, name)
    letters = "mv" if name == "nhypergeom" else "mvsk"
    found = [float(v) for v in ours.stats(*args, moments=letters)]
    expected = [float(v) for v in theirs.stats(*args, moments=letters)]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
    if name not in ("zipf", "logser"):  # of which SciPy's sum ends early
        np.testing.assert_allclose(ours.entropy(*args), theirs.entropy(*args), rtol=1e-7)
    if name != "zipf":  # whose sum is long
        assert abs(float(ours.expect(args=args)) - found[0]) < 1e-9 * (1 + abs(found[0]))


def _terms(name: str, args: tuple[float, ...]) -> Callable[[Any], Any]:
    """The probability of k in many digits."""
    m = mpmath
    a = [m.mpf(v) for v in args]
    if name == "binom":
        return lambda k: m.binomial(a[0], k) * a[1] ** k * (1 - a[1]) ** (a[0] - k)
    if name == "nbinom":
        return lambda k: (
            m.gamma(a[0] + k) / m.gamma(a[0]) / m.factorial(k) * (a[1] ** a[0] * (1 - a[1]) ** k)
        )
    if name == "hypergeom":
        return lambda k: (
            m.binomial(a[1], k) * m.binomial(a[0] - a[1], a[2] - k) / m.binomial(a[0], a[2])
        )
    if name == "nhypergeom":
        return lambda k: (
            m.binomial(k + a[2] - 1, k)
            * m.binomial(a[0] - a[2] - k, a[1] - k)
            / m.binomial(a[0], a[1])
        )
    if name == "betabinom":
        return lambda k: (
            m.binomial(a[0], k) * (m.beta(k + a[1], a[0] - k + a[2]) / m.beta(a[1], a[2]))
        )
    if name == "betanbinom":
        return lambda k: (
            m.binomial(a[0] + k - 1, k) * (m.beta(a[0] + a[1], k + a[2]) / m.beta(a[1], a[2]))
        )
    if name == "skellam":
        scale = m.exp(-a[0] - a[1])
        root = m.sqrt(a[0] / a[1])
        return lambda k: scale * root**k * m.besseli(abs(k), 2 * m.sqrt(a[0] * a[1]))
    if name == "logser":
        return lambda k: -(a[0] ** k) / k / m.log(1 - a[0])
    return lambda k: (
        m.mpf(k) ** (-a[0]) / m.fsum(m.mpf(j) ** (-a[0]) for j in range(1, int(a[1]) + 1))
    )


TAILS = {
    "binom": ((60, 0.3), -1, 61),
    "nbinom": ((5.5, 0.3), -1, 400),
    "hypergeom": ((200, 80, 50), -1, 51),
    "nhypergeom": ((120, 20, 9), -1, 21),
    "betabinom": ((40, 2.3, 0.63), -1, 41),
    "betanbinom": ((7, 25.0, 2.3), -1, 400),
    "skellam": ((10.0, 15.0), -110, 110),
    "logser": ((0.9,), 0, 700),
    "zipfian": ((2.5, 60), 0, 61),
}


@pytest.mark.parametrize("name", TAILS)
def test_tails_keep_their_digits(name: str) -> None:
    args, low, high = TAILS[name]
    ours = getattr(stats, name)
    with mpmath.workdps(40):
        term = _terms(name, args)
        mass = [term(k) for k in range(low + 1, high)]
        below = [sum(mass[: i + 1], mpmath.mpf(0)) for i in range(len(mass))]
        above = [mpmath.mpf(0)]
        for p in reversed(mass):
            above.append(above[-1] + p)
        above = above[-2::-1]
        at = [i for i in range(0, len(mass), 3) if above[i] > mpmath.mpf(10) ** -25][:40]
        if name == "skellam":  # which has terms below the first
            at = [i for i in at if below[i] > mpmath.mpf(10) ** -25]
        at = at[: -1 if name in ("betanbinom", "nbinom", "logser") else None]
    k = np.asarray([float(low + 1 + i) for i in at])
    for what, exact in (("pmf", mass), ("cdf", below), ("sf", above)):
        found = getattr(ours, what)(k, *args)
        expected = [float(exact[i]) for i in at]
        np.testing.assert_allclose(found, expected, rtol=2e-12 if what != "cdf" else 1e-11)


def test_zipfs_tail_and_a_far_tail() -> None:
    k = np.asarray([1.0, 5.0, 1e3, 1e8])
    for a in (1.05, 1.5, 4.0):
        with mpmath.workdps(30):
            whole = mpmath.zeta(a)
            tail = [float(mpmath.zeta(a, int(v) + 1) / whole) for v in k]
        np.testing.assert_allclose(stats.zipf.sf(k, a), tail, rtol=1e-13)
        np.testing.assert_allclose(stats.zipf.cdf(k, a), 1 - np.asarray(tail), rtol=1e-12)
    with mpmath.workdps(40):
        slope = mpmath.zeta(2.5, derivative=1) / mpmath.zeta(2.5)
        entropy = float(mpmath.log(mpmath.zeta(2.5)) - 2.5 * slope)
    assert abs(stats.zipf.entropy(2.5) - entropy) < 1e-13
    # Logarithms of tails below the smallest number.
    found = float(stats.hypergeom.logsf(900.0, 100000, 1000, 1000))
    with mpmath.workdps(40):
        ways = (
            mpmath.binomial(1000, j) * mpmath.binomial(99000, 1000 - j) for j in range(901, 1001)
        )
        expected = float(mpmath.log(sum(ways) / mpmath.binomial(100000, 1000)))
    assert abs(found / expected - 1) < 1e-13


SLOPES: dict[str, tuple[Any, float]] = {
    "binom.cdf-p": (lambda p: stats.binom.cdf(3.0, 10.0, p), 0.3),
    "binom.logpmf-p": (lambda p: stats.binom.logpmf(2.0, 10.0, p), 0.3),
    "nbinom.cdf-n": (lambda n: stats.nbinom.cdf(3.0, n, 0.4), 2.5),
    "nbinom.logpmf-n": (lambda n: stats.nbinom.logpmf(5.0, n, 0.4), 2.5),
    "betabinom.cdf-a": (lambda a: stats.betabinom.cdf(3.0, 10.0, a, 2.0), 1.5),
    "betabinom.sf-b": (lambda b: stats.betabinom.sf(7.0, 10.0, 1.5, b), 2.0),
    "betanbinom.cdf-a": (lambda a: stats.betanbinom.cdf(3.0, 4.0, a, 2.0), 1.5),
    "betanbinom.sf-b": (lambda b: stats.betanbinom.sf(7.0, 4.0, 1.5, b), 2.0),
    "skellam.logpmf-mu1": (lambda m: stats.skellam.logpmf(2.0, m, 2.0), 3.5),
    "skellam.cdf-mu2": (lambda m: stats.skellam.cdf(2.0, 3.0, m), 3.5),
    "zipf.sf-a": (lambda a: stats.zipf.sf(4.0, a), 2.5),
    "zipf.cdf-a": (lambda a: stats.zipf.cdf(4.0, a), 2.5),
    "zipfian.cdf-a": (lambda a: stats.zipfian.cdf(14.0, a, 60.0), 1.0),
    "logser.sf-p": (lambda p: stats.logser.sf(4.0, p), 0.7),
    "planck.sf-lambda_": (lambda v: stats.planck.sf(4.0, v), 0.7),
    "boltzmann.sf-lambda_": (lambda v: stats.boltzmann.sf(4.0, v, 9.0), 0.7),
    "dlaplace.cdf-a": (lambda a: stats.dlaplace.cdf(-2.0, a), 0.7),
    "geom.logsf-p": (lambda p: stats.geom.logsf(4.0, p), 0.7),
}


@pytest.mark.parametrize("which", SLOPES)
def test_derivatives_in_parameters(which: str) -> None:
    function, x = SLOPES[which]
    near, far = ((float(function(x + h)) - float(function(x - h))) / (2 * h) for h in (3e-4, 6e-4))
    found = float(grad(function)(np.asarray(x)))
    assert abs(found - (4 * near - far) / 3) < 2e-9 * (1 + abs(found))


@pytest.mark.parametrize("name", SAMPLES)
def test_bad_parameters_and_numbers_that_are_no_integers(name: str) -> None:
    args = SAMPLES[name][0]
    ours = getattr(stats, name)
    for i in range(len(args)):
        bad = [math.nan if i == j else v for j, v in enumerate(args)]
        for what in ("pmf", "cdf", "sf", "ppf"):
            assert math.isnan(getattr(ours, what)(0.5, *bad))
    inside = float(points(name, args)[0])
    assert ours.pmf(inside + 0.5, *args) == 0
    assert ours.cdf(inside + 0.5, *args) == ours.cdf(inside, *args)
    assert ours.cdf(math.inf, *args) == 1
    assert ours.sf(-math.inf, *args) == 1


def test_parameters_that_do_not_fit_together_are_nan() -> None:
    for name, args in (
        ("hypergeom", (10, 12, 3)),
        ("hypergeom", (10, 2, 13)),
        ("nhypergeom", (10, 8, 3)),
        ("randint", (5, 5)),
    ):
        assert math.isnan(getattr(stats, name).cdf(0, *args))
        assert math.isnan(getattr(stats, name).mean(*args))


@pytest.mark.parametrize("name", SAMPLES)
def test_random_numbers_have_the_distribution(name: str) -> None:
    args = SAMPLES[name][0]
    x = np.asarray(getattr(stats, name).rvs(*args, size=2000, key=5))
    k, counts = np.unique(x, return_counts=True)
    expected = getattr(judge, name).pmf(k, *args) * len(x)
    common = expected > 5
    statistic = np.sum((counts - expected)[common] ** 2 / expected[common])
    assert judge.chi2.sf(statistic, max(common.sum() - 1, 1)) > 1e-4
    single = getattr(stats, name).pmf(np.float32(k[:1]), *args)
    assert single.dtype == np.float32


def test_quantiles_beyond_whole_numbers_of_doubles_are_found() -> None:
    """There neighbours are further apart than 1, so that a search for 1 has no end."""
    found = stats.zipf.isf(np.asarray([1e-20, 1e-200]), np.asarray([2.0, 1.5]))
    np.testing.assert_allclose(found, [1e20 / (math.pi**2 / 6), np.inf], rtol=1e-10)


@pytest.mark.parametrize("name", SAMPLES)
def test_quantiles_of_bad_parameters_are_nan(name: str) -> None:
    """A search there would have no end."""
    args = SAMPLES[name][0]
    for i in range(len(args)):
        for bad in (math.nan, -3.5):
            given = [np.asarray([a, bad if k == i else a]) for k, a in enumerate(args)]
            found = getattr(stats, name).ppf(0.5, *given)
            assert np.isfinite(found[0]) and np.isnan(found[1])


def test_random_numbers_are_integers(xp: Any) -> None:
    found = stats.poisson.rvs(xp.asarray([2.0, 30.0]), key=3)
    assert xp.isdtype(found.dtype, "signed integer")
    with pytest.raises(errors.ArgumentError, match="mu is outside of its domain"):
        stats.poisson.rvs(-3.0, size=2, key=3)
    with pytest.raises(errors.ArgumentError, match="fit together"):
        stats.randint.rvs(5, 2, key=3)
    assert stats.binom(5, 0.3).rvs(key=np.int64(1)) == stats.binom.rvs(5, 0.3, key=1)
