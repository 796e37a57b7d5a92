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
    found = stats.bootstrap((x,), mean, n_resamples=64, key=1, axis=-1)
    return found.standard_error, *found.confidence_interval


def permuted(x: Any, y: Any) -> Any:
    found = stats.permutation_test((x, y), difference, n_resamples=1000, axis=-1)
    return found.statistic, found.pvalue


def exactly(x: Any, y: Any) -> Any:
    found = scipy.stats.permutation_test((x, y), difference, axis=-1)
    return found.statistic, found.pvalue


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
    tested("chi2_contingency", TABLE, scalars=4),
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
]
