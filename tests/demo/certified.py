"""Curve fits of NIST's certified problems: correct digits, and the page that lists them."""

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import likewise
from likewise.demo.nist import Dataset, load
from likewise.optimize import curve_fit

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "optimize_nist.md"
MOST = 11.0  # digits of the certified values
# Read as float64 its data have another minimum: in 40 digits a sum of squares of 1.42955e-25, where
# 1.43079e-25 is certified.
ROUNDING = "Lanczos1"

_HEAD = """# Certified regressions

The table has the 27 nonlinear regressions of NIST's Statistical Reference Datasets, fitted by
`curve_fit` with its defaults on NumPy in float64. Each has two starts, the first far from the
solution, the second near it. *Digits* counts the correct digits of the worst parameter, or of the
worst standard error, of at most 11: minus the logarithm of the largest relative error. A test keeps
this page up to date; other tests require 6 digits of parameters and 4 of standard errors on every
library.

"""
_TAIL = f"""
*{ROUNDING}*: the data were computed from the model and rounded to 14 digits, so the residuals are
rounding errors, 1e-13 of the data. Reading the data as float64 changes them: evaluated in 40
digits, the sum of squares is then 1.42955e-25, but 1.43079e-25 is certified. So no program in
float64 has more than 3.4 correct digits of the standard errors, which are proportional to the
residuals. The parameters are not affected.
"""


class Found(NamedTuple):
    """From the two starts."""

    parameters: list[float]  # digits
    errors: list[float]  # digits of the standard errors
    status: list[int]
    evaluations: list[int]


def digits(values: Any, certified: Any) -> float:
    """Of the worst, at most 11, at least 0."""
    off = np.max(np.abs(np.asarray(values) / np.asarray(certified) - 1))
    if not math.isfinite(off):
        return 0.0
    return MOST if off == 0 else float(np.clip(-math.log10(off), 0, MOST))


@functools.cache  # several tests look at the same fits
def fitted(problem: Dataset, to: Callable[[Any], Any], **options: Any) -> Found:
    """By a library, `to` its arrays."""
    x, y = to(np.asarray(problem.x)), to(np.asarray(problem.y))
    start = to(np.asarray(problem.starts))
    fit = curve_fit(problem.fun, x, y, start, full_output=True, **options)
    popt, pcov, status, nit = (
        likewise.to_numpy(a) for a in (fit.popt, fit.pcov, fit.status, fit.nit)
    )
    errors = np.sqrt(np.stack([np.diag(c) for c in pcov]))
    return Found(
        [digits(row, problem.certified) for row in popt],
        [digits(row, problem.certified_std) for row in errors],
        [int(s) for s in status],
        [int(n) + 1 for n in nit],
    )


def page() -> str:
    """The text of the page."""
    rows, every = [], []
    for problem in load():
        found = fitted(problem, np.asarray)
        every += found.parameters
        cells = [f"{value:.1f}" for value in (*found.parameters, *found.errors)]
        cells += [str(n) for n in found.evaluations]
        rows.append(
            f"| {problem.name} | {problem.level} | {len(problem.certified)} | {len(problem.y)} | "
            f"{' | '.join(cells)} |"
        )
    summary = (
        f"\nAt least 6 digits in {sum(d >= 6 for d in every)} of {len(every)} fits, "
        f"{np.median(every):.1f} in the median, {min(every):.1f} in the worst.\n"
    )
    table = (
        "| data | level | parameters | points | digits, far | near | of standard errors, far | near "
        "| evaluations, far | near |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    )
    return _HEAD + table + "\n".join(rows) + "\n" + summary + _TAIL
