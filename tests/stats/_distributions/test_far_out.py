"""Densities and tails at the ends of the range of doubles, and logarithms of what underflows."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from likewise import array_namespace, errors, stats, to_numpy
from likewise.transforms import grad

FUNCTIONS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")

# Rows with tails that vanish before squares are infinite.
LIGHT = {
    "chi": (78.0,),
    "maxwell": (),
    "rice": (0.7,),
    "nakagami": (4.97,),
    "rayleigh": (),
    "foldnorm": (1.95,),
    "halfnorm": (),
    "norm": (),
    "skewnorm": (1.5,),
    "exponnorm": (1.5,),
    "invgauss": (0.5,),
    "norminvgauss": (1.25, 0.5),
    "gengamma": (4.4, 3.1),
    "weibull_min": (1.8,),
    "ncx2": (3.0, 1.5),
    "powernorm": (4.5,),
    "gompertz": (0.9,),
}


@pytest.mark.parametrize("name", LIGHT)
def test_nothing_is_left_far_out(name: str) -> None:
    x = np.asarray([1e160, 1e200, 1e300])
    beyond = {"pdf": 0.0, "cdf": 1.0, "sf": 0.0, "logcdf": 0.0}
    for what in FUNCTIONS:
        found = getattr(getattr(stats, name), what)(x, *LIGHT[name])
        if what in beyond:
            np.testing.assert_array_equal(found, beyond[what], err_msg=what)
        else:
            assert np.all(found < -700), (what, found)  # a number, or -inf


def _invgauss_tails(x: float, mu: float) -> tuple[float, float]:
    with mp.workdps(150):
        t, m = mp.mpf(x), mp.mpf(mu)
        r, q = (t / m - 1) / mp.sqrt(2 * t), (t / m + 1) / mp.sqrt(2 * t)
        other = mp.exp(2 / m) * mp.erfc(q)
        lower, upper = (mp.erfc(-r) + other) / 2, (mp.erfc(r) - other) / 2
        return float(mp.log(lower)), float(mp.log(upper))


@pytest.mark.parametrize(
    ("x", "mu"),
    [
        (1e-3, 0.5),
        (0.01, 0.5),
        (0.05, 1.0),
        (3.0, 2.0),
        (30.0, 1.0),
        (40.0, 1.0),
        (100.0, 0.5),
        (1e5, 0.1455),
        (1e-6, 0.1455),
        (1e4, 30.0),
    ],
)
def test_logarithms_of_invgauss(x: float, mu: float) -> None:
    lower, upper = _invgauss_tails(x, mu)
    np.testing.assert_allclose(stats.invgauss.logcdf(x, mu), lower, rtol=3e-13, atol=1e-300)
    np.testing.assert_allclose(stats.invgauss.logsf(x, mu), upper, rtol=1e-13, atol=1e-16)


def test_invgauss_at_ends(xp: Any) -> None:
    x, mu = np.asarray([1e-300, 1e5, 2.0]), np.asarray([0.1455, 0.1455, 0.1455])
    np.testing.assert_allclose(stats.invgauss.logcdf(x, mu)[0], -5e299, rtol=1e-14)
    for what in ("logcdf", "logsf"):
        f = getattr(stats.invgauss, what)
        h = 1e-5 * x[1:]
        expected = (f(x[1:] + h, 0.1455) - f(x[1:] - h, 0.1455)) / (2 * h)
        given = xp.asarray(x[1:], dtype=xp.float64)
        found = grad(lambda x, f=f: array_namespace(x).sum(f(x, 0.1455)))(given)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-6, atol=1e-12)


def test_tails_that_underflow() -> None:
    assert stats.foldnorm.logsf(1e300, 1.95) == -np.inf
    np.testing.assert_allclose(
        stats.foldnorm.logsf(60.0, 1.95), float(mp.log(mp.ncdf(-58.05) + mp.ncdf(-61.95)))
    )
    np.testing.assert_array_equal(stats.invgamma.pdf([5e-324, 0.0, 1e-310], 4.07), 0.0)
    assert stats.invgamma.logpdf(5e-324, 4.07) == -np.inf


def test_where_the_support_begins() -> None:
    np.testing.assert_allclose(stats.f.pdf(0.0, [29.0, 2.0, 1.0], [1.0, 3.0, 0.5]), [0, 1, np.inf])
    np.testing.assert_allclose(stats.betaprime.pdf(0.0, [2.0, 1.0, 0.5], 3.0), [0, 3, np.inf])


def test_t_of_many_degrees_of_freedom() -> None:
    np.testing.assert_allclose(stats.t.stats(np.inf, moments="mvsk"), (0, 1, 0, 0))
    for df in (50, 99, 101, 1e4, 1e12):  # on both sides of where the series begins
        with mp.workdps(40):
            h = mp.mpf(df) / 2
            peak = mp.loggamma(h + 0.5) - mp.loggamma(h) - mp.log(df * mp.pi) / 2
            due = (h + 0.5) * (mp.digamma(h + 0.5) - mp.digamma(h)) - peak
        np.testing.assert_allclose(stats.t.logpdf(0.0, df), float(peak), rtol=1e-15)
        np.testing.assert_allclose(stats.t.entropy(df), float(due), rtol=2e-15)


def test_intervals_and_moments_take_what_scipys_take() -> None:
    low, high = stats.norm.interval([0.5, 0.9])
    np.testing.assert_allclose(high, -low)
    np.testing.assert_allclose(high, stats.norm.isf([0.25, 0.05]), rtol=1e-14)
    with pytest.raises(errors.ArgumentError, match="between 0 and 1"):
        stats.gamma.interval(1.2, 3.0)
    assert stats.norm.moment(2.0) == stats.norm.moment(np.int64(2)) == 1
    with pytest.raises(errors.ArgumentError, match="order"):
        stats.norm.moment(2.5)
    with pytest.raises(errors.ArrayTypeError, match="pdf: argument 'x'"):
        stats.norm.pdf("a")


@pytest.mark.parametrize(
    ("dist", "args", "q", "upper"),
    [
        (stats.jf_skew_t, (2.3875218489341967, 0.5936825206529681), 6.16e-243, False),
        (stats.jf_skew_t, (2.3875218489341967, 0.5936825206529681), 6.16e-243, True),
        (stats.kappa4, (-1.8013170760198118, 0.7099854517363515), 1.88e-172, False),
        (stats.ncf, (2.785469629307092, 0.7782069033963622, 0.4697815946691231), 1e-60, True),
        (stats.ncf, (0.06, 3.0, 1.0), 1e-9, False),
    ],
)
def test_tails_that_are_powers(dist: Any, args: Any, q: float, upper: bool) -> None:
    # The terms of their formulas are beyond all numbers here.
    tail = dist.sf if upper else dist.cdf
    x = float((dist.isf if upper else dist.ppf)(q, *args))
    assert np.isfinite(x) and x != 0
    np.testing.assert_allclose(tail(x, *args), q, rtol=1e-11)
    step = abs(np.log(tail(x * 1.001, *args) / tail(x * 0.999, *args))) / 0.002
    slope = np.exp(dist.logpdf(x, *args) + np.log(abs(x)) - np.log(q))
    np.testing.assert_allclose(slope, step, rtol=1e-5)
