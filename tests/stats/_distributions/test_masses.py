"""Small counts by tables and blocks of terms give what the general ways give."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import stats
from likewise.stats._distributions import _discrete, _masses, _tail_sums

RNG = np.random.default_rng(5)
K = np.arange(8.0)
SAMPLES: dict[str, tuple[float, ...]] = {
    "binom": (20, 0.3),
    "poisson": (3.5,),
    "nbinom": (5, 0.3),
    "hypergeom": (60, 20, 15),
    "nhypergeom": (60, 20, 5),
    "betabinom": (20, 2.0, 3.0),
    "betanbinom": (5, 6.0, 3.0),
    "geom": (0.2,),
    "skellam": (3.0, 5.0),
    "zipfian": (1.3, 30),
    "zipf": (2.5,),
}
WHATS = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")


@pytest.mark.parametrize("name", SAMPLES)
def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    k = K + (name in ("geom", "zipf", "zipfian"))
    q = RNG.uniform(0.01, 0.99, 50)
    own, args = getattr(stats, name), SAMPLES[name]
    quick = [getattr(own, what)(k, *args) for what in WHATS]
    places = [getattr(own, what)(q, *args) for what in ("ppf", "isf")]
    calls: list[str] = []

    def never(*_: Any) -> bool:
        calls.append(name)
        return False

    for module in (_masses, _tail_sums, _discrete):
        monkeypatch.setattr(module, "at_hand", never)
    for what, found in zip(WHATS, quick, strict=True):
        np.testing.assert_allclose(found, getattr(own, what)(k, *args), rtol=2e-13, err_msg=what)
    for what, found in zip(("ppf", "isf"), places, strict=True):
        np.testing.assert_array_equal(found, getattr(own, what)(q, *args))
    assert calls  # the general ways were taken


def by_tables(function: Callable[..., Any], *args: Any) -> Any:
    found = function(*args)
    assert found is not None
    return found


def test_tables_give_products_of_factorials() -> None:
    n = RNG.integers(0, 171, 200).astype(float)
    k = np.floor(RNG.uniform(size=200) * (n + 1))
    np.testing.assert_array_equal(
        _masses.choices(n, k), [float(_exact(int(a), int(b))) for a, b in zip(n, k, strict=True)]
    )
    p = RNG.uniform(0.3, 0.7, 200)
    found = by_tables(_masses._few_binomial, k, n, p)
    np.testing.assert_allclose(found, np.exp(_masses._by_beta(k, n, p)), rtol=2e-12)


def test_counts_beyond_the_tables_go_by_densities() -> None:
    one = np.asarray([1.0])
    assert _masses._few_binomial(one, one * 171, one * 0.5) is None
    assert _masses._few_binomial(one * 170, one * 170, one * 1e-3) is None  # underflows
    assert _masses._few_binomial(one * 3, one * 2, one * 0.5) is None
    assert _masses._few_poisson(one, one * 61) is None
    assert _masses._few_drawn(one, one * 171, one * 3, one * 2) is None


def _exact(n: int, k: int) -> int:
    found = 1
    for i in range(k):
        found = found * (n - i) // (i + 1)
    return found


def test_logarithms_next_to_1_beside_what_underflows() -> None:
    # The second probability, 1e-1800, underflows, so that all go the general way.
    p = np.asarray([1e-9, 1e-60, 1 - 2.0**-30])
    found = stats.binom.logpmf(np.asarray([0.0, 30.0, 30.0]), 30, p)
    expected = [30 * math.log1p(-1e-9), 30 * math.log(1e-60), 30 * math.log1p(-(2.0**-30))]
    assert np.allclose(found, expected, rtol=1e-14, atol=0)
