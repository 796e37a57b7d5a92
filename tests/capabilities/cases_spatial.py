"""Distances, against SciPy's."""

from typing import Any

import numpy as np
import scipy.spatial.distance as judge

from likewise.spatial import distance

from .case import REAL, Case, case

__all__ = ["SPATIAL"]

U, V = np.asarray([0.5, 1.0, 2.0, 0.3]), np.asarray([1.5, 0.2, 1.0, 0.7])
A = np.asarray([[0.5, 1.0], [2.0, 0.3], [1.2, -0.4]])
B = np.asarray([[1.5, 0.2], [1.0, 0.7]])
TRUE, OTHER = np.asarray([1.0, 0.0, 1.0, 0.0]), np.asarray([1.0, 1.0, 0.0, 0.0])
INVERSE = np.asarray([[2.0, 0.1, 0, 0], [0.1, 1.0, 0, 0], [0, 0, 1.5, 0.2], [0, 0, 0.2, 1.0]])


def some(name: str, *args: Any, **options: Any) -> Case:
    return case(
        f"spatial.distance.{name}",
        *args,
        by=getattr(distance, name),
        reference=getattr(judge, name),
        complex=REAL,
        **({"batch": True} | options),
    )


SPATIAL = [
    *(
        some(name, U, V)
        for name in (
            *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine"),
            *("euclidean", "minkowski", "sqeuclidean"),
        )
    ),
    *(
        some(name, TRUE, OTHER)
        for name in ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath")
    ),
    some("yule", TRUE, OTHER),
    some("seuclidean", U, V, U + 1, batch="of one set of variances"),
    some("mahalanobis", U, V, INVERSE, batch="of one covariance"),
    some("jensenshannon", U, V, batch="along the first axis"),
    *(some("cdist", A, B, kwargs={"metric": m}, eager=True) for m in ("euclidean", "cosine")),
    *(some("pdist", A, kwargs={"metric": m}) for m in ("euclidean", "cosine")),
    *(
        case(
            "spatial.distance.squareform",
            U[:3],
            by=distance.squareform,
            kwargs={"force": force},
            reference=judge.squareform,
            batch="of one matrix",
            complex=True,
        )
        for force in ("no", "tomatrix")
    ),
    case(
        "spatial.distance.squareform",
        judge.squareform(U[:3]),
        by=lambda x, force: distance.squareform(x, force, checks=False),
        kwargs={"force": "tovector"},
        reference=judge.squareform,
        batch="of one matrix",
        complex=True,
    ),
]
