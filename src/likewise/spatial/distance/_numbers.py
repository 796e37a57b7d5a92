"""Distances of two vectors of numbers."""

from typing import Any

from ..._native import public
from ._arguments import of_two, order
from ._metrics import Extra

__all__ = [
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "euclidean",
    "hamming",
    "mahalanobis",
    "minkowski",
    "seuclidean",
    "sqeuclidean",
]


@public
def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Euclidean distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sqrt(sum(w (u - v)**2))``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable; for equal vectors the derivative is 0.

    Examples
    --------
    >>> from likewise.spatial.distance import euclidean
    >>> float(euclidean([3.0, 0.0], [0.0, 4.0]))
    5.0
    """
    return of_two("euclidean", u, v, Extra(w))


@public
def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the squared Euclidean distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w (u - v)**2)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Computed from differences, so no digits are lost. Differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import sqeuclidean
    >>> float(sqeuclidean([3.0, 0.0], [0.0, 4.0]))
    25.0
    """
    return of_two("sqeuclidean", u, v, Extra(w))


@public
def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the city block distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w |u - v|)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable except where elements are equal.

    Examples
    --------
    >>> from likewise.spatial.distance import cityblock
    >>> float(cityblock([3.0, 0.0], [0.0, 4.0]))
    7.0
    """
    return of_two("cityblock", u, v, Extra(w))


@public
def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the largest difference of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``max(w |u - v|)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable where one element is the largest.

    Examples
    --------
    >>> from likewise.spatial.distance import chebyshev
    >>> float(chebyshev([3.0, 0.0], [0.0, 4.0]))
    4.0
    """
    return of_two("chebyshev", u, v, Extra(w))


@public
def minkowski(u: Any, v: Any, p: float = 2, w: Any = None) -> Any:
    """Compute the Minkowski distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    p : float, optional
        The order, above 0; infinity gives the largest difference.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w |u - v|**p)**(1 / p)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable; for equal vectors the derivative is 0.

    Examples
    --------
    >>> from likewise.spatial.distance import minkowski
    >>> round(float(minkowski([3.0, 0.0], [0.0, 4.0], 3)), 6)
    4.497941
    """
    return of_two("minkowski", u, v, Extra(w, p=order("minkowski", p)))


@public
def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Canberra distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w |u - v| / (|u| + |v|))``, with terms 0 where both elements are 0.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable except where elements are equal.

    Examples
    --------
    >>> from likewise.spatial.distance import canberra
    >>> float(canberra([3.0, 1.0], [1.0, 1.0]))
    0.5
    """
    return of_two("canberra", u, v, Extra(w))


@public
def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Bray-Curtis distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w |u - v|) / sum(w |u + v|)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable except where elements are equal.

    Examples
    --------
    >>> from likewise.spatial.distance import braycurtis
    >>> float(braycurtis([3.0, 1.0], [1.0, 1.0]))
    0.3333333333333333
    """
    return of_two("braycurtis", u, v, Extra(w))


@public
def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the cosine distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``1 - u.v / (|u| |v|)``; NaN if one is zero.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import cosine
    >>> float(cosine([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    return of_two("cosine", u, v, Extra(w))


@public
def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """Compute the correlation distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.
    centered : bool, optional
        Whether to subtract the means.

    Returns
    -------
    float or array, shape (...)
        `cosine` of the vectors minus their means.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import correlation
    >>> round(float(correlation([1.0, 2.0, 4.0], [1.0, 2.0, 3.0])), 6)
    0.018019
    """
    return of_two("correlation", u, v, Extra(w, centered=bool(centered)))


@public
def hamming(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Hamming distance of two vectors: the fraction of elements that differ.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``sum(w (u != v)) / sum(w)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Not differentiable, as it is piecewise constant.

    Examples
    --------
    >>> from likewise.spatial.distance import hamming
    >>> float(hamming([1, 0, 0], [0, 1, 0]))
    0.6666666666666666
    """
    return of_two("hamming", u, v, Extra(w))


@public
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """Compute the standardized Euclidean distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    V : array, shape (n,)
        Variances.

    Returns
    -------
    float or array, shape (...)
        ``sqrt(sum((u - v)**2 / V))``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable; for equal vectors the derivative is 0.

    Examples
    --------
    >>> from likewise.spatial.distance import seuclidean
    >>> float(seuclidean([3.0, 0.0], [0.0, 4.0], [1.0, 1.0]))
    5.0
    """
    return of_two("seuclidean", u, v, Extra(V=V))


@public
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """Compute the Mahalanobis distance of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Real; leading dimensions broadcast.
    VI : array, shape (n, n)
        The inverse of a covariance matrix.

    Returns
    -------
    float or array, shape (...)
        ``sqrt((u - v) VI (u - v)^T)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    Differentiable; for equal vectors the derivative is 0.

    Examples
    --------
    >>> from likewise.spatial.distance import mahalanobis
    >>> float(mahalanobis([3.0, 0.0], [0.0, 4.0], [[1.0, 0.0], [0.0, 1.0]]))
    5.0
    """
    return of_two("mahalanobis", u, v, Extra(VI=VI))
