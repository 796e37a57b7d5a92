"""Distances between points, with SciPy's names and meaning."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "braycurtis",
    "canberra",
    "cdist",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "pdist",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "squareform",
    "yule",
]

if TYPE_CHECKING:
    from ._booleans import dice, jaccard, rogerstanimoto, russellrao, sokalsneath, yule
    from ._numbers import (
        braycurtis,
        canberra,
        chebyshev,
        cityblock,
        correlation,
        cosine,
        euclidean,
        hamming,
        mahalanobis,
        minkowski,
        seuclidean,
        sqeuclidean,
    )
    from ._pairs import cdist, jensenshannon, pdist, squareform
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_booleans": "dice jaccard rogerstanimoto russellrao sokalsneath yule",
            "_numbers": (
                "braycurtis canberra chebyshev cityblock correlation cosine euclidean hamming "
                "mahalanobis minkowski seuclidean sqeuclidean"
            ),
            "_pairs": "cdist jensenshannon pdist squareform",
        },
    )
