"""Comparisons of several groups, against SciPy's and published tables."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats
from likewise.stats._base._studentized import dunnett_sf, studentized_range_sf

RNG = np.random.default_rng(74)
GROUPS = [RNG.normal(size=n) + m for n, m in ((8, 0.0), (9, 1.0), (6, 0.5))]


@pytest.mark.parametrize(("k", "df"), [(2, 1.0), (3, 5.0), (10, 120.0)])
def test_the_studentized_range_is_scipys(xp: Any, k: int, df: float) -> None:
    q = np.asarray([-1.0, 0.01, 0.5, 2.0, 3.5, 6.0])
    found = studentized_range_sf(xp.asarray(q), k, xp.full((6,), df, dtype=xp.float64))
    np.testing.assert_allclose(np.asarray(found), judge.studentized_range.sf(q, k, df), atol=2e-9)


def test_a_range_of_two_is_students() -> None:
    q = np.asarray([0.1, 1.0, 5.0, 20.0])
    for df in (1.0, 3.0, 40.0):
        expected = 2 * judge.t.sf(q / 2**0.5, df)
        found = studentized_range_sf(q, 2, np.full_like(q, df))
        np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_dunnetts_table() -> None:
    # C. W. Dunnett, Biometrics 20, 1964, table II: 5 percent of both sides, equal sizes.
    loads = np.sqrt(np.asarray([0.5, 0.5]))
    for df, critical in ((5.0, 3.03), (10.0, 2.57), (60.0, 2.27)):
        for t, above in ((critical + 0.005, False), (critical - 0.005, True)):
            p = dunnett_sf(np.asarray(t), loads, np.asarray(df), False)
            assert (float(p) > 0.05) is above


@pytest.mark.parametrize("equal_var", [True, False])
def test_tukey_has_scipys_values(xp: Any, equal_var: bool) -> None:
    found = stats.tukey_hsd(*map(xp.asarray, GROUPS), equal_var=equal_var)
    expected = judge.tukey_hsd(*GROUPS, equal_var=equal_var)
    np.testing.assert_allclose(np.asarray(found.statistic), expected.statistic, atol=1e-14)
    np.testing.assert_allclose(np.asarray(found.pvalue), expected.pvalue, atol=1e-11)


@pytest.mark.xp_skip(
    {
        "strict-device1": "NumPy compares its results, which that device refuses",
        "strict-no_float64": "its bounds are those of double precision",
    }
)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_dunnett_has_scipys_values(xp: Any, alternative: str) -> None:
    control, *groups = map(xp.asarray, GROUPS)
    found = stats.dunnett(*groups, control=control, alternative=alternative)
    expected = judge.dunnett(*GROUPS[1:], control=GROUPS[0], alternative=alternative, rng=1)
    np.testing.assert_allclose(np.asarray(found.statistic), expected.statistic, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(found.pvalue), expected.pvalue, atol=3e-4)  # drawn


def test_intervals_are_scipys() -> None:
    for equal_var in (True, False):
        found = stats.tukey_hsd(*GROUPS, equal_var=equal_var).confidence_interval(0.9)
        expected = judge.tukey_hsd(*GROUPS, equal_var=equal_var).confidence_interval(0.9)
        for got, want in zip(found, expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    for alternative in ("two-sided", "less", "greater"):
        control, *groups = GROUPS
        found = stats.dunnett(
            *groups, control=control, alternative=alternative
        ).confidence_interval()
        expected = judge.dunnett(
            *groups, control=control, alternative=alternative, rng=1
        ).confidence_interval()
        for got, want in zip(found, expected, strict=True):
            np.testing.assert_allclose(got, want, atol=5e-3)  # SciPy's are drawn


def test_what_is_refused() -> None:
    with pytest.raises(errors.ShapeError, match="more than 1 treatment"):
        stats.tukey_hsd(GROUPS[0])
    with pytest.raises(errors.ShapeError, match="one-dimensional"):
        stats.tukey_hsd(GROUPS[0], np.ones((2, 2)))
    with pytest.raises(errors.ArgumentError, match="finite"):
        stats.tukey_hsd(GROUPS[0], np.asarray([1.0, np.inf]))
    with pytest.raises(errors.ArgumentError, match="not drawn"):
        stats.dunnett(GROUPS[0], control=GROUPS[1], rng=1)
    with pytest.raises(errors.ArgumentError, match="Confidence level"):
        stats.dunnett(GROUPS[0], control=GROUPS[1]).confidence_interval(1.0)


def test_results_print_their_comparisons(xp: Any) -> None:
    groups = [xp.asarray(g) for g in GROUPS]
    for found, theirs, names in (
        (stats.tukey_hsd(*groups), judge.tukey_hsd(*GROUPS), ["(0 - 1)", "(2 - 1)"]),
        (
            stats.dunnett(*groups[1:], control=groups[0], alternative="less"),
            judge.dunnett(*GROUPS[1:], control=GROUPS[0], alternative="less", rng=1),
            ["(Sample 1 - Control)", "-inf"],
        ),
    ):
        text = str(found)
        assert all(name in text for name in names)
        assert len(text.splitlines()) == len(str(theirs).splitlines())
        row = next(line for line in text.splitlines() if line.startswith(names[0]))
        statistic = float(row.removeprefix(names[0]).split()[0])
        at = (0, 1) if names[0] == "(0 - 1)" else 1
        assert statistic == pytest.approx(float(theirs.statistic[at]), abs=6e-4)
