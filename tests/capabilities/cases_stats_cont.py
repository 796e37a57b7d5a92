"""Resampling, counts and tables, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats

from likewise import stats
from likewise._namespace import array_namespace

from .case import REAL, Case, case

__all__ = ["STATS_CONT"]

X = np.asarray([0.512, 1.237, 2.071, 0.309, -0.433, 1.118])  # no two means are equal
Y = np.asarray([1.5, 0.2, 1.0, 0.7])


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
]
