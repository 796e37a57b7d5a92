"""Inverses of incomplete functions at random arguments, against their functions and SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.special

import likewise.special

pytestmark = pytest.mark.full
COUNT = 20_000


def probabilities(rng: Any, least: float) -> Any:
    """Small ones, those next to 1 and all between."""
    y = rng.uniform(size=COUNT)
    y[::4] = 10 ** rng.uniform(np.log10(least), 0, y[::4].size)
    y[1::4] = 1 - 10 ** rng.uniform(-15, 0, y[1::4].size)
    return y


@pytest.mark.parametrize("name", ["gammaincinv", "gammainccinv"])
def test_gamma(name: str, rng: Any) -> None:
    """The tail of the root, in SciPy's double precision, is the one asked for."""
    a, y = 10 ** rng.uniform(-3, 4, COUNT), probabilities(rng, 1e-300)
    x = getattr(likewise.special, name).generic(a, y)
    assert not np.any(np.isnan(x))
    upper = np.full(COUNT, name == "gammainccinv") ^ (y > 0.5)
    asked = np.minimum(y, 1 - y)
    found = np.where(upper, scipy.special.gammaincc(a, x), scipy.special.gammainc(a, x))
    # What x rounds to, and what SciPy's functions lose themselves.
    with np.errstate(all="ignore"):
        share = np.exp(scipy.special.xlogy(a, x) - x - scipy.special.gammaln(a))
        room = 1e-12 * (asked * (1 + a) + share * (1 + np.abs(np.log(x))))
    kept = (x > 1e-300) & (asked > 1e-16)
    assert np.all(np.abs(found - asked)[kept] <= room[kept])


@pytest.mark.parametrize("name", ["gammaincinv", "gammainccinv"])
def test_gamma_in_single_precision(name: str, rng: Any) -> None:
    func = getattr(likewise.special, name).generic
    a = (10 ** rng.uniform(-3, 8, COUNT)).astype(np.float32)
    y = probabilities(rng, 1e-37).astype(np.float32)
    got, a, y = func(a, y), a.astype(float), y.astype(float)
    expected = func(a, y)
    kept = np.isfinite(expected) & (expected > 1e-36) & (y < 1 - 1e-6)
    got, expected, a, y = got[kept], expected[kept], a[kept], y[kept]
    near = func(a * (1 + 1e-7), y), func(a, y * (1 + 1e-7))
    room = 1e-6 * expected + 10 * sum(np.abs(x - expected) for x in near)
    assert np.all(np.abs(got - expected) <= room)


@pytest.mark.parametrize("name", ["betaincinv", "betainccinv"])
def test_beta_is_the_inverse(name: str, rng: Any) -> None:
    func = getattr(likewise.special, name).generic
    a, b = 10 ** rng.uniform(-2, 5, (2, COUNT))
    y = probabilities(rng, 1e-290)
    x = func(a, b, y)
    upper = np.full(COUNT, name == "betainccinv") ^ (y > 0.5)
    asked = np.minimum(y, 1 - y)
    kept = (x > 1e-300) & (x < 1 - 1e-6) & (asked > 1e-100)
    a, b, x, asked, upper = (v[kept] for v in (a, b, x, asked, upper))
    found = np.where(upper, scipy.special.betaincc(a, b, x), scipy.special.betainc(a, b, x))
    share = x * likewise.special._betainc.betainc_density(a, b, x)
    room = 1e-12 * (asked * (1 - np.log(asked)) + share * (1 + np.abs(np.log(x))))
    # What 1 - x is rounded to counts as often. SciPy's own are off below 1e-250.
    assert np.all(np.abs(found - asked) <= room / (1 - x))


@pytest.mark.parametrize("name", ["betaincinv", "fdtri", "stdtrit"])
def test_beta_in_single_precision(name: str, rng: Any) -> None:
    func = getattr(likewise.special, name).generic
    count = 1 if name == "stdtrit" else 2
    args = [*(10 ** rng.uniform(-2, 6, (count, COUNT))), probabilities(rng, 1e-36)]
    args = [v.astype(np.float32) for v in args]
    got = func(*args)
    args = [v.astype(float) for v in args]
    expected = func(*args)
    size = np.abs(expected)
    kept = (size < 1e30) & (size > 1e-30) & (args[-1] < 1 - 1e-6)
    got, expected, *args = (v[kept] for v in (got, expected, *args))
    near = [
        func(*(v * (1 + 1e-7 * (i == k)) for k, v in enumerate(args))) for i in range(count + 1)
    ]
    room = 2e-6 * np.abs(expected) + 10 * sum(np.abs(x - expected) for x in near)
    assert np.all(np.abs(got - expected) <= room)
