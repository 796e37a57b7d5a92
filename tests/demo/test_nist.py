"""The certified problems: complete, and each model the one that NIST means."""

import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.demo.nist import MODELS, Dataset, load

sys.path.insert(0, str(Path(__file__).parent))
import certified

PROBLEMS = load()
PARAMETERS = {
    "ENSO": 9,
    "Gauss1": 8,
    "Hahn1": 7,
    "Lanczos1": 6,
    "Kirby2": 5,
    "Rat43": 4,
    "Rat42": 3,
}
every = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda d: d.name)


def test_complete() -> None:
    assert [d.name for d in PROBLEMS] == list(MODELS)
    assert len(set(MODELS)) == 27
    assert Counter(d.level for d in PROBLEMS) == {"lower": 8, "average": 11, "higher": 8}
    assert sum(len(d.y) for d in PROBLEMS) == 2176  # NIST's counts, added up


@every
def test_shapes(problem: Dataset) -> None:
    p, n = len(problem.certified), len(problem.y)
    assert p == PARAMETERS.get(problem.name, p)
    assert [len(s) for s in problem.starts] == [p, p]
    assert len(problem.certified_std) == p
    assert np.shape(problem.x) == ((2, n) if problem.name == "Nelson" else (n,))
    assert n > p
    values = [*problem.certified, *problem.certified_std, *problem.y, *np.ravel(problem.x)]
    assert all(isinstance(v, float) and math.isfinite(v) for v in values)


def residuals(problem: Dataset, at: Any) -> Any:
    return np.asarray(problem.y) - problem.fun(np.asarray(problem.x), *at)


@every
def test_certified_sum_of_squares(problem: Dataset) -> None:
    rss = float(np.sum(residuals(problem, problem.certified) ** 2))
    if problem.name == "Lanczos1":
        # Data made from the model to 14 digits: the certified sum, 1.4e-25, is made of their
        # rounding, and parameters of 11 digits can't show it. They leave this much:
        assert problem.certified_rss < 1e-24
        assert rss < len(problem.y) * (1e-10 * max(problem.y)) ** 2
    else:
        assert rss == pytest.approx(problem.certified_rss, rel=1e-6)


# Not Lanczos1, whose standard deviations are smaller than the eleventh digit.
@pytest.mark.parametrize(
    "problem", [d for d in PROBLEMS if d.name != "Lanczos1"], ids=lambda d: d.name
)
def test_certified_is_a_minimum(problem: Dataset) -> None:
    """A step of a hundredth of a standard deviation either way in any parameter is worse."""
    least = np.sum(residuals(problem, problem.certified) ** 2)
    for j, deviation in enumerate(problem.certified_std):
        for sign in (-1, 1):
            moved = list(problem.certified)
            moved[j] += sign * 0.01 * deviation
            assert np.sum(residuals(problem, moved) ** 2) > least


@every
@pytest.mark.share(3)
def test_models_on_libraries(problem: Dataset, lib: Any) -> None:
    """One set of parameters as scalars and two as columns, on the library's own arrays."""
    x = lib.asarray(problem.x, dtype="float64")
    wide = np.asarray([problem.certified, problem.starts[1]])
    columns = [lib.asarray(wide[:, j : j + 1]) for j in range(wide.shape[1])]
    found = problem.fun(x, *columns)
    assert found.dtype == x.dtype
    want = np.stack([problem.fun(np.asarray(problem.x), *row) for row in wide])
    # Differences of large numbers in the rational models cost digits.
    rtol = 1e-10 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(lib.to_numpy(found), want, rtol=rtol, atol=rtol * np.abs(want).max())
    one = problem.fun(x, *(c[0, 0] for c in columns))
    assert likewise.library(one) == lib.library and tuple(one.shape) == (len(problem.y),)


SOME = ("Misra1a", "Rat43", "Bennett5")  # on libraries where all take a minute


@every
@pytest.mark.share(3)
def test_fits(lib: Any, leave_out: Any, problem: Dataset) -> None:
    """curve_fit at its defaults, from both starts: parameters and standard errors."""
    leave_out("float64", not lib.has_float64)
    leave_out("long", lib.name != "numpy" and problem.name not in SOME)
    found = certified.fitted(problem, lib.asarray)
    assert min(found.status) > 0
    assert min(found.parameters) >= 6
    assert min(found.errors) >= (3 if problem.name == certified.ROUNDING else 4)


@pytest.mark.full
def test_median_of_digits() -> None:
    every = [d for problem in PROBLEMS for d in certified.fitted(problem, np.asarray).parameters]
    assert len(every) == 54 and np.median(every) >= 9


@pytest.mark.parametrize("name", ["Misra1a", "BoxBOD", "Rat43"])
def test_differences(name: str) -> None:
    """Without exact derivatives too."""
    (problem,) = (d for d in PROBLEMS if d.name == name)
    assert min(certified.fitted(problem, np.asarray, jac="3-point").parameters) >= 6


@pytest.mark.full
def test_page_is_up_to_date() -> None:
    """Its rows and counts; digits beyond those that are promised depend on the processor."""
    old, new = (
        certified.PAGE.read_text(encoding="utf-8").splitlines(),
        certified.page().splitlines(),
    )
    why = "run ci/pages/nist_table.py"
    assert len(old) == len(new), why
    for a, b in zip(old, new, strict=True):
        if not a.startswith("| ") or a.startswith("| data"):
            assert a.partition(" fits, ")[0] == b.partition(" fits, ")[0], why
            continue
        cells, now = (line.strip("| ").split(" | ") for line in (a, b))
        assert cells[:4] == now[:4], why
        for old_digits, new_digits, promised in zip(
            cells[4:8], now[4:8], (6, 6, 3, 3), strict=True
        ):
            assert min(float(old_digits), promised) == min(float(new_digits), promised), why
