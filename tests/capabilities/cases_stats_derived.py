"""Distributions made of others, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats

from .case import REAL, Case, case

__all__ = ["STATS_DERIVED"]

X = np.asarray([0.3, 1.2, 1.9])
LOC, SCALE = np.asarray([0.2, 0.5, -0.3]), np.asarray([1.1, 0.8, 2.0])
SAMPLE = np.asarray([0.3, -0.4, 1.2, 0.5, -0.6, 0.1])
HISTOGRAM = (np.asarray([3.0, 0.0, 5.0, 2.0]), np.asarray([-1.0, 0.0, 1.0, 2.0, 3.0]))
HISTOGRAM_OURS = stats.rv_histogram(HISTOGRAM)
NORMAL = judge.make_distribution(judge.norm)


def some(name: str, ours: Any, theirs: Any) -> Case:
    """The distribution function at x, of a normal distribution of each element."""

    def each(x: Any, loc: Any, scale: Any) -> Any:
        shapes = np.broadcast_arrays(x, loc, scale)
        parts = zip(*(np.ravel(a) for a in shapes), strict=True)
        found = [theirs(s * NORMAL() + m).cdf(x) for x, m, s in parts]
        return np.reshape(np.asarray(found), shapes[0].shape)

    return case(
        f"stats.{name}",
        X,
        LOC,
        SCALE,
        by=lambda x, loc, scale: ours(stats.norm(loc, scale)).cdf(x),
        reference=each,
        complex=REAL,
        batch=True,
    )


STATS_DERIVED = [
    some("truncate", lambda d: stats.truncate(d, 0.0, 2.0), lambda d: judge.truncate(d, 0.0, 2.0)),
    some(
        "order_statistic",
        lambda d: stats.order_statistic(d, r=2, n=3),
        lambda d: judge.order_statistic(d, r=2, n=3),
    ),
    some(
        "Mixture",
        lambda d: stats.Mixture([d, stats.norm(1.0, 2.0)], weights=[0.4, 0.6]),
        lambda d: judge.Mixture([d, 2.0 * NORMAL() + 1.0], weights=[0.4, 0.6]),
    ),
    case(
        "stats.rv_histogram",
        X,
        LOC,
        SCALE,
        by=lambda *given: HISTOGRAM_OURS.cdf(*given),
        reference=lambda *given: judge.rv_histogram(HISTOGRAM).cdf(*given),
        complex=REAL,
        batch=True,
        scalars=2,  # searchsorted looks for a NaN at the end
    ),
    case(
        "stats.probplot",
        SAMPLE,
        by=lambda x: stats.probplot(x)[1][0],
        reference=lambda x: judge.probplot(x)[1][0],
        complex=REAL,
        scalars=16,
        empty=False,
    ),
    case(
        "stats.ppcc_plot",
        SAMPLE,
        by=lambda x: stats.ppcc_plot(x, -0.5, 0.5, N=3)[1],
        reference=lambda x: judge.ppcc_plot(x, -0.5, 0.5, N=3)[1],
        complex=REAL,
        scalars=16,
        empty=False,
    ),
    case(
        "stats.median_test",
        SAMPLE,
        X,
        by=lambda x, y: stats.median_test(x, y)[:2],
        reference=lambda x, y: judge.median_test(x, y)[:2],
        complex=REAL,
        scalars=16,
        empty=False,
    ),
]
