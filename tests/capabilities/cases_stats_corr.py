"""Correlations, lines and tests by ranks, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats

from .case import REAL, Case, case

__all__ = ["STATS_CORR"]

X = np.asarray([0.5, 1.1, 2.0, 0.3, -0.7, 1.6, 0.9, -0.2, 1.3])
Y = np.asarray([1.5, 0.2, 1.0, 0.7, 2.1, 0.45, 1.75, 0.95, 2.6])
Z = np.asarray([0.4, 1.2, 1.9, 0.2, -0.6, 1.7, 0.8, -0.3, 1.0])
EIGHTHS = np.round(np.stack([X, Y, Z]) * 8 + np.asarray([[0], [1], [3]])) / 8
TEST = ("statistic", "pvalue")
READS = 30  # of values: for warnings, and to leave out what no sample needs
LINE = ("slope", "intercept")


def some(name: str, *args: Any, fields: tuple[str, ...] = TEST, **options: Any) -> Case:
    def read(function: Any) -> Any:
        def call(*given: Any, **kwargs: Any) -> Any:
            found = function(*given, **kwargs)
            return tuple(getattr(found, f) for f in fields)

        return call

    return case(
        f"stats.{name}",
        *args,
        by=read(getattr(stats, name)),
        reference=read(getattr(judge, name)),
        complex=REAL,
        **({"batch": True, "kwargs": {"axis": -1}, "scalars": READS} | options),
    )


STATS_CORR = [
    some("pearsonr", X, Y),
    some("pointbiserialr", X, Y),
    some("linregress", X, Y, fields=(*LINE, "rvalue", "pvalue", "stderr", "intercept_stderr")),
    some("theilslopes", X, Y, fields=(*LINE, "low_slope", "high_slope")),
    some("siegelslopes", X, Y, fields=LINE),
    some("spearmanr", X, Y, kwargs={}, batch="variables of a matrix", grad=False),
    *(
        some(name, X, Y, grad=False)
        for name in (
            *("ansari", "brunnermunzel", "chatterjeexi", "kendalltau", "mannwhitneyu", "mood"),
            *("ranksums", "spearmanrho", "wilcoxon"),
        )
    ),
    some("weightedtau", X, Y, fields=("statistic",), grad=False),
    *(some(name, X, Y, Z, grad=False) for name in ("friedmanchisquare", "kruskal")),
    some("fligner", *EIGHTHS, grad=False),
    some(
        "page_trend_test",
        np.stack([X, Y, Z])[:, :5],
        kwargs={},
        grad=False,
    ),
]
