"""Densities, tails and quantiles against Arb, and derivatives in parameters.

An error is in units of the last place over 1 + the condition number. At most 32 units are allowed,
and at most twice SciPy's worst; 2 always, because libraries differ in their exponential and
logarithm. What doesn't meet this has a line in `BEYOND`. With --full, where python-flint is
installed, points are random; without it, those of ``accuracy.csv`` are compared, whose values
``ci/stats/table.py --sample`` took from Arb.
"""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import likewise.stats

POINTS = 1500
MOST, LEAST = 32.0, 2.0
# Units by distribution and function, and why.
_LOGS = "the exponential of a sum of logarithms, where SciPy has a product of powers"
BEYOND: dict[tuple[str, str], tuple[float, str]] = {
    **{(name, "pdf"): (16.0, _LOGS) for name in ("dweibull", "loglaplace", "powerlaw")},
    ("tukeylambda", "pdf"): (np.inf, "0 at the end of the support, rounded, as SciPy's"),
    ("fatiguelife", "isf"): (6.0, "a root of a quadratic equation"),
}


def sample() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    with (Path(__file__).parent / "accuracy.csv").open() as file:
        for row in csv.DictReader(file):
            found.setdefault(row["name"], []).append(row)
    return found


SAMPLE = sample()


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name: str) -> None:
    dist = getattr(likewise.stats, name)
    for what in dict.fromkeys(r["function"] for r in SAMPLE[name]):
        rows = [r for r in SAMPLE[name] if r["function"] == what]
        x, value, condition = (
            np.asarray([float.fromhex(r[c]) for r in rows]) for c in ("x", "value", "condition")
        )
        args = zip(*([float.fromhex(a) for a in r["args"].split()] for r in rows), strict=True)
        with np.errstate(all="ignore"):
            got = getattr(dist, what)(x, *map(np.asarray, args))
        off = np.abs(got - value) / np.spacing(np.abs(value)) / (1 + condition)
        limit, _ = BEYOND.get((name, "pdf" if what == "pmf" else what), (MOST, ""))
        assert np.max(off) <= limit, (what, x[np.argmax(off)], got, value)


def measured(name: str) -> tuple[Any, Any]:
    from . import accuracy

    both = {"likewise": getattr(likewise.stats, name), "SciPy": getattr(scipy.stats, name)}
    count = max(20, round(2 * POINTS * accuracy.of_name(name).share))
    found = list(accuracy.points(name, both["likewise"], both["SciPy"], count))
    assert len(found) >= count // 2
    return found, accuracy.table(name, both, found)


@pytest.mark.full
@pytest.mark.needs("flint")
@pytest.mark.parametrize("name", [n for n in SAMPLE if n != "zipf"])  # SciPy's sums have no end
def test_random_points(name: str) -> None:
    _, errors = measured(name)
    for what, ours in errors["likewise"].items():
        if np.all(np.isnan(ours)):
            continue
        theirs = np.nanmax(errors["SciPy"][what])
        limit = max(LEAST, min(2 * theirs, MOST))
        limit, _ = BEYOND.get((name, what), (limit, ""))
        assert np.nanmax(ours) <= limit, (what, np.nanmax(ours), theirs)


@pytest.mark.full
@pytest.mark.needs("flint")
@pytest.mark.parametrize("name", SAMPLE)
def test_derivatives_in_parameters(name: str) -> None:
    from . import accuracy

    for what, i, ours, value, slope in accuracy.derivatives(name, getattr(likewise.stats, name)):
        assert abs(ours - slope) <= 1e-9 * max(abs(slope), abs(value)), (what, i, ours, slope)
