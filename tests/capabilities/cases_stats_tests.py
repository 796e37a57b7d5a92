"""Tests of hypotheses, against SciPy's."""

import warnings
from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import array_namespace, stats

from .case import REAL, Case, case

__all__ = ["STATS_TESTS"]

X = np.asarray([0.5, 1.1, 2.0, 0.3, -0.7, 1.6, 0.9, -0.2, 1.3])
Y = np.asarray([1.5, 0.2, 1.0, 0.7, 2.1, 0.45, 1.75, 0.95, 2.6])


def CDF(x: Any) -> Any:
    return 1 / (1 + array_namespace(x).exp(-x))


def some(name: str, *args: Any, fields: tuple[str, ...] = (), **options: Any) -> Case:
    fields = ("statistic", "pvalue", *fields)

    def read(function: Any) -> Any:
        def call(*given: Any, **kwargs: Any) -> Any:
            found = function(*given, **kwargs)
            return tuple(getattr(found, f) for f in fields)

        return call

    return case(
        f"stats.{name}",
        *args,
        by=read(getattr(stats, name)),
        complex=REAL,
        **(
            {"batch": True, "kwargs": {"axis": -1}, "reference": read(getattr(judge, name))}
            | options
        ),
    )


def rows_of(function: Any) -> Any:
    """Return a function of rows, by one that takes vectors; without its warnings."""

    def call(*args: Any, **kwargs: Any) -> Any:
        shape = args[0].shape[:-1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [function(*(a[i] for a in args), **kwargs) for i in np.ndindex(shape)]
        return tuple(np.asarray([f[j] for f in found]).reshape(shape) for j in range(2))

    return call


STATS_TESTS = [
    some(
        *("anderson", X),
        kwargs={"method": "interpolate"},
        reference=rows_of(judge.anderson),
        scalars=5,
    ),
    case(
        *("stats.anderson_ksamp", X, Y + 0.97),
        by=lambda x, y: stats.anderson_ksamp([x, y], variant="midrank"),
        reference=rows_of(lambda x, y: tuple(judge.anderson_ksamp([x, y], variant="midrank"))),
        batch=True,
        complex=REAL,
        scalars=9,
    ),
    some("cramervonmises", X, CDF, scalars=1, tol={"float64": 1e-6, "float32": 1e-4}),
    some("cramervonmises_2samp", X, Y),
    some(
        *("cramervonmises_2samp", X, Y),
        kwargs={"axis": -1, "method": "asymptotic"},
        tol={"float64": 1e-6, "float32": 1e-4},
    ),
    *(some(name, X, Y, X * Y) for name in ("alexandergovern", "bartlett", "levene")),
    some("f_oneway", X, Y, X * Y),
    some("f_oneway", X, Y, X * Y, kwargs={"axis": -1, "equal_var": False}),
    some("skewtest", X),
    some("kurtosistest", X, scalars=1),
    some("normaltest", X, scalars=1),
    some("jarque_bera", X),
    some("shapiro", X, scalars=1, tol={"float64": 1e-8, "float32": 1e-3}),
    some("ttest_1samp", X, 0.3, fields=("df",)),
    some("ttest_ind", X, Y, fields=("df",)),
    some("ttest_rel", X, Y, fields=("df",)),
    case(
        *("stats.tukey_hsd", X, Y, X * Y),
        by=lambda *samples: (stats.tukey_hsd(*samples).statistic, stats.tukey_hsd(*samples).pvalue),
        reference=lambda *samples: (
            judge.tukey_hsd(*samples).statistic,
            judge.tukey_hsd(*samples).pvalue,
        ),
        complex=REAL,
        scalars=1000,
        tol={"float64": 1e-9, "float32": 1e-4},
    ),
    case(
        *("stats.dunnett", X, Y, X * Y),
        by=lambda x, y, z: stats.dunnett(x, y, control=z).statistic,
        reference=lambda x, y, z: judge.dunnett(x, y, control=z).statistic,
        complex=REAL,
        scalars=1000,
    ),
    some(
        *("epps_singleton_2samp", X, Y),
        eager={"strict-minimal": "there is no linalg"},
        scalars=6,
        tol={"float64": 1e-8, "float32": 1e-2},
    ),
    some("ks_2samp", X, Y, scalars=1),
    some(
        *("ks_2samp", X[:7], Y),
        kwargs={"axis": -1, "alternative": "less"},
        scalars=1,
    ),
    some("ks_1samp", X, CDF, fields=("statistic_location",), scalars=3),
    some("kstest", X, CDF, kwargs={"axis": -1, "method": "asymp"}),
    some("ttest_ind_from_stats", 0.85, 2.0, X + 9, Y, 2.5, Y + 7, kwargs={}),
]
