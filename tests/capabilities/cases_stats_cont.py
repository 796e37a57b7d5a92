"""Resampling, counts and tables, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats

from likewise import random, stats
from likewise._namespace import array_namespace
from likewise.stats import contingency

from .case import REAL, Case, case

__all__ = ["STATS_CONT"]

X = np.asarray([0.512, 1.237, 2.071, 0.309, -0.433, 1.118])  # no two means are equal
Y = np.asarray([1.5, 0.2, 1.0, 0.7])
COUNTS = np.asarray([16.0, 18.0, 13.0, 14.0, 12.0, 11.0])
TABLE = np.asarray([[10.0, 11.0, 20.0], [21.0, 19.0, 17.0]])
P = np.asarray([0.03, 0.31, 0.52, 0.11, 0.87])


def mean(x: Any, axis: int) -> Any:
    return array_namespace(x).mean(x, axis=axis)


def difference(x: Any, y: Any, axis: int) -> Any:
    return mean(x, axis) - mean(y, axis)


def errors_of(x: Any) -> Any:
    # By this key no resample has the sample's mean, where the bias of BCa jumps.
    found = stats.bootstrap((x,), mean, n_resamples=64, key=3, axis=-1)
    return found.standard_error, *found.confidence_interval


def permuted(x: Any, y: Any) -> Any:
    found = stats.permutation_test((x, y), difference, n_resamples=1000, axis=-1)
    return found.statistic, found.pvalue


def exactly(x: Any, y: Any) -> Any:
    found = scipy.stats.permutation_test((x, y), difference, axis=-1)
    return found.statistic, found.pvalue


K, N = np.asarray([3.0, 7.0, 0.0, 5.0]), np.asarray([9.0, 11.0, 4.0, 5.0])
TWO = np.asarray([[8.0, 2.0], [1.0, 5.0]])
READ = "the counts say how many terms there are"
EAGER: dict[str, Any] = {
    "eager": {"dask": READ},
    **dict.fromkeys(("jit", "compile", "vmap"), READ),
    "grad": False,
    "sharded": False,
}


def of_counts(k: Any, n: Any, p: Any) -> Any:
    k, n = (array_namespace(x).floor(x) for x in (k, n))  # of a batch, too
    return stats.binomtest(k, n, p).pvalue


def by_counts(k: Any, n: Any, p: Any) -> Any:
    return np.asarray(
        [scipy.stats.binomtest(int(a), int(b), p).pvalue for a, b in zip(k, n, strict=True)]
    )


def by_chance(x: Any) -> Any:
    def drawn(size: Any, key: Any) -> Any:
        return random.normal(key, size, like=x)

    found = stats.monte_carlo_test(x, drawn, mean, n_resamples=64, key=1, axis=-1)
    return found.statistic, found.pvalue


def first(function: Any, *names: str) -> Any:
    """Return a function of the fields of a result."""

    def call(*args: Any, **options: Any) -> Any:
        found = function(*args, **options)
        return tuple(getattr(found, name) for name in names or ("statistic", "pvalue"))

    return call


def tested(name: str, *args: Any, fields: tuple[str, ...] = (), **options: Any) -> Case:
    own, others = first(getattr(stats, name), *fields), first(getattr(scipy.stats, name), *fields)
    options = {"complex": REAL, "reference": others} | options
    return case(f"stats.{name}", *args, by=own, **options)


def in_order(x: Any) -> Any:
    found = stats.somersd(array_namespace(x).floor(x))  # of a batch, too
    return found.statistic, found.pvalue


def of_table(x: Any) -> Any:
    found = scipy.stats.somersd(x)
    return found.statistic, found.pvalue


STATS_CONT: list[Case] = [
    case("stats.bootstrap", X, by=errors_of, complex=REAL, scalars=3),
    case(
        "stats.permutation_test",
        X,
        Y,
        by=permuted,
        complex=REAL,
        grad=False,
        scalars=3,
        reference=exactly,
    ),
    case("stats.monte_carlo_test", X, by=by_chance, complex=REAL, grad=False, scalars=3),
    tested("chisquare", COUNTS, scalars=4),
    tested("power_divergence", COUNTS, kwargs={"lambda_": "log-likelihood"}, scalars=4),
    tested("combine_pvalues", P, scalars=4),
    tested("combine_pvalues", P, kwargs={"method": "stouffer"}, scalars=4),
    case(
        "stats.false_discovery_control",
        P,
        reference=scipy.stats.false_discovery_control,
        complex=REAL,
        scalars=1,
    ),
    tested(
        *("quantile_test", X),
        kwargs={"q": 0.7, "p": 0.4},
        fields=("pvalue",),
        scalars=4,
    ),
    case("stats.binomtest", K, N, 0.4, by=of_counts, reference=by_counts, grad=False, scalars=8),
    tested("fisher_exact", TWO, scalars=16, **EAGER),
    tested("barnard_exact", TWO, scalars=16, **EAGER),
    tested("boschloo_exact", TWO, scalars=16, **EAGER),
    tested("poisson_means_test", np.asarray(7.0), 2.0, 4, 3.0, scalars=8, **EAGER),
    tested("chi2_contingency", TABLE, scalars=4),
    case("stats.somersd", TABLE, by=in_order, reference=of_table, grad=False, scalars=4),
    case(
        "stats.contingency.expected_freq",
        TABLE,
        by=contingency.expected_freq,
        reference=scipy.stats.contingency.expected_freq,
        complex=REAL,
    ),
    case(
        "stats.contingency.margins",
        TABLE,
        by=contingency.margins,
        reference=scipy.stats.contingency.margins,
    ),
    case(
        "stats.contingency.crosstab",
        np.asarray([1.0, 2.0, 1.0, 3.0]),
        by=lambda x: contingency.crosstab(x, levels=[[1.0, 2.0]]).count,
        reference=lambda x: scipy.stats.contingency.crosstab(x, levels=[[1.0, 2.0]]).count,
        grad=False,
        scalars=2,
    ),
]
