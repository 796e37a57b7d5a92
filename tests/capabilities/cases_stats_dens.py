"""Densities and quasi-random sequences, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats

from .case import REAL, case

__all__ = ["STATS_DENS"]

X = np.asarray([[0.5, 1.1, 2.0, 0.3, -0.7, 1.6], [1.5, 0.2, 1.0, 0.7, 2.1, 0.45]])
P = np.asarray([[0.1, 1.0, 0.4], [1.2, 0.6, 1.0]])
W = np.asarray([0.2, 0.5, 0.3, 0.9, 0.4, 0.1])


def _estimate(kind: Any) -> Any:
    def call(data: Any, weights: Any, points: Any) -> Any:
        made = kind(data, weights=weights)
        return made.pdf(points), made.logpdf(points)

    return call


STATS_DENS = [
    case(
        "stats.gaussian_kde",
        X,
        W,
        P,
        by=_estimate(stats.gaussian_kde),
        reference=_estimate(judge.gaussian_kde),
        scalars=1,
        complex=REAL,
    ),
]
