"""Distances between points, with SciPy's names and meaning."""

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
