"""Densities and quasi-random sequences, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge
import scipy.stats.qmc as judged

from likewise import stats
from likewise.stats import qmc

from .case import REAL, case

__all__ = ["STATS_DENS"]

X = np.asarray([[0.5, 1.1, 2.0, 0.3, -0.7, 1.6], [1.5, 0.2, 1.0, 0.7, 2.1, 0.45]])
P = np.asarray([[0.1, 1.0, 0.4], [1.2, 0.6, 1.0]])
U = np.asarray([[0.12, 0.8, 0.33], [0.61, 0.27, 0.9], [0.4, 0.05, 0.71], [0.93, 0.52, 0.18]])
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
    *(
        case(
            f"stats.qmc.{name}",
            *args,
            by=getattr(qmc, name),
            reference=getattr(judged, name),
            complex=REAL,
            scalars=scalars,
            **options,
        )
        for name, args, scalars, options in (
            ("discrepancy", (U,), 1, {}),
            ("update_discrepancy", (U[0, :], U[1:, :], np.asarray(0.3)), 2, {}),
            ("geometric_discrepancy", (U,), 2, {}),
            ("scale", (U, np.asarray([-1.0, 0, 2]), np.asarray([1.0, 4, 3])), 2, {}),
        )
    ),
]
