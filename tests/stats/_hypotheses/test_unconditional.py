"""Barnard's and Boschloo's tests, against SciPy and sums over all tables."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from likewise import errors
from likewise.stats import barnard_exact, boschloo_exact

SIDES = ("two-sided", "less", "greater")
TABLES = [
    [[7, 12], [8, 3]],
    [[2, 7], [8, 2]],
    [[5, 1], [10, 10]],
    [[0, 3], [5, 4]],
    [[3, 0], [4, 6]],
]


def of_set(tables: list[tuple[int, int]], m: int, n: int) -> float:
    """The largest probability of tables over a fine grid of proportions, then near its best."""
    ways = [math.comb(m, x) * math.comb(n, y) for x, y in tables]

    def probability(p: float) -> float:
        terms = (
            w * p ** (x + y) * (1 - p) ** (m + n - x - y)
            for w, (x, y) in zip(ways, tables, strict=True)
        )
        return math.fsum(terms)

    grid = [i / 2000 for i in range(2001)]
    best = max(grid, key=probability)
    found = scipy.optimize.minimize_scalar(
        lambda p: -probability(p),
        bounds=(max(best - 1e-3, 0), min(best + 1e-3, 1)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return max(probability(best), -found.fun)


def wald(x: int, y: int, m: int, n: int, pooled: bool) -> Fraction | float:
    """The statistic's square with its sign, exactly."""
    gap = Fraction(x, m) - Fraction(y, n)
    if not gap:
        return Fraction(0)
    if pooled:
        p = Fraction(x + y, m + n)
        variance = p * (1 - p) * (Fraction(1, m) + Fraction(1, n))
    else:
        p, q = Fraction(x, m), Fraction(y, n)
        variance = p * (1 - p) / m + q * (1 - q) / n
    return gap * abs(gap) / variance if variance else math.copysign(math.inf, gap)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_barnard_by_enumeration(table: Any, alternative: str, pooled: bool) -> None:
    (a, b), (c, d) = table
    m, n = a + c, b + d
    own = wald(a, b, m, n, pooled)
    kept = []
    for x in range(m + 1):
        for y in range(n + 1):
            found = wald(x, y, m, n, pooled)
            if {
                "two-sided": abs(found) >= abs(own),
                "less": found <= own,
                "greater": found >= own,
            }[alternative]:
                kept.append((x, y))
    found = barnard_exact(table, alternative, pooled)
    assert math.isclose(found.pvalue, of_set(kept, m, n), rel_tol=1e-11)
    assert math.isclose(
        found.statistic, math.copysign(math.sqrt(abs(own)), own), rel_tol=1e-13, abs_tol=0
    )


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_boschloo_by_enumeration(table: Any, alternative: str) -> None:
    (a, b), (c, d) = table
    m, n = a + c, b + d

    def fisher(x: int, y: int, sign: int) -> Fraction:
        s = x + y
        some = [i for i in range(max(0, s - n), min(m, s) + 1) if sign * i >= sign * x]
        return Fraction(
            sum(math.comb(m, i) * math.comb(n, s - i) for i in some), math.comb(m + n, s)
        )

    wanted = []
    for sign, name in ((-1, "less"), (1, "greater")):
        if alternative in (name, "two-sided"):
            own = fisher(a, b, sign)
            every = [(x, y) for x in range(m + 1) for y in range(n + 1)]
            kept = [(x, y) for x, y in every if fisher(x, y, sign) <= own]
            wanted.append((of_set(kept, m, n), float(own)))
    pvalue, statistic = min(wanted)
    found = boschloo_exact(table, alternative)
    pvalue = min(2 * pvalue, 1.0) if alternative == "two-sided" else pvalue
    assert math.isclose(found.pvalue, pvalue, rel_tol=1e-11)
    assert math.isclose(found.statistic, statistic, rel_tol=1e-15)


@pytest.mark.parametrize("function", ["barnard_exact", "boschloo_exact"])
def test_as_scipy(xp: Any, function: str) -> None:
    own = barnard_exact if function == "barnard_exact" else boschloo_exact
    for table, side in (
        (TABLES[2], "greater"),
        ([[43, 40], [10, 39]], "greater"),
        (TABLES[1], "less"),
    ):
        found = own(xp.asarray(table), side)
        wanted = getattr(scipy.stats, function)(table, side)
        assert np.isclose(float(found.statistic), wanted.statistic, rtol=1e-6)
        assert np.isclose(float(found.pvalue), wanted.pvalue, rtol=1e-6)
        assert found.pvalue.dtype == xp.asarray(1.0).dtype


def test_empty_columns() -> None:
    found = barnard_exact([[0, 1], [0, 2]])
    assert np.isnan(found.statistic) and found.pvalue == 1
    assert np.isnan(boschloo_exact([[0, 1], [0, 2]])).all()


@pytest.mark.parametrize("function", [barnard_exact, boschloo_exact])
def test_refuses(function: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="strictly positive"):
        function(TABLES[0], n=0)
    with pytest.raises(errors.ShapeError, match="2, 2"):
        function([[1, 2, 3], [1, 2, 3]])
    with pytest.raises(errors.ArgumentError, match="nonnegative"):
        function([[-1, 2], [1, 3]])
    with pytest.raises(errors.ArgumentError, match="alternative"):
        function(TABLES[0], "more")
