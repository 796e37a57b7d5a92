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
