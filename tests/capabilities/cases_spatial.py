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
        complex=REAL,
        **({"batch": True, "reference": getattr(judge, name)} | options),
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
    some("seuclidean", U, V, U + 1, batch="of one set of variances", empty=True),
    some("mahalanobis", U, V, INVERSE, batch="of one covariance", empty="VI is a matrix"),
    *(
        some(
            name,
            np.stack([U, V]),
            V,
            measure,
            reference=lambda u, v, m, name=name: np.asarray(
                [getattr(judge, name)(row, v, m) for row in u]
            ),
            batch="of one measure",
        )
        for name, measure in (("seuclidean", U + 1), ("mahalanobis", INVERSE))
    ),
    some("jensenshannon", U, V, batch="along the first axis", empty=True),
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
            empty=force == "no",
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
