"""Dissimilarities of two boolean vectors."""

from typing import Any

from ..._native import public
from ._arguments import of_two
from ._metrics import Extra

__all__ = ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]


@public
def dice(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Dice dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``(first + second) / (2 both + first + second)``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import dice
    >>> float(dice([1, 0, 0], [1, 1, 0]))
    0.3333333333333333
    """
    return of_two("dice", u, v, Extra(w))


@public
def jaccard(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Jaccard dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``(first + second) / (both + first + second)``; 0 if no element is true.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import jaccard
    >>> float(jaccard([1, 0, 0], [1, 1, 0]))
    0.5
    """
    return of_two("jaccard", u, v, Extra(w))


@public
def rogerstanimoto(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Rogers-Tanimoto dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``2 (first + second) / (both + none + 2 (first + second))``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import rogerstanimoto
    >>> float(rogerstanimoto([1, 0, 0], [1, 1, 0]))
    0.5
    """
    return of_two("rogerstanimoto", u, v, Extra(w))


@public
def russellrao(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Russell-Rao dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``(n - both) / n``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import russellrao
    >>> float(russellrao([1, 0, 0], [1, 1, 0]))
    0.6666666666666666
    """
    return of_two("russellrao", u, v, Extra(w))


@public
def sokalsneath(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Sokal-Sneath dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``2 (first + second) / (both + 2 (first + second))``.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import sokalsneath
    >>> float(sokalsneath([1, 0, 0], [1, 1, 0]))
    0.6666666666666666
    """
    return of_two("sokalsneath", u, v, Extra(w))


@public
def yule(u: Any, v: Any, w: Any = None) -> Any:
    """Compute the Yule dissimilarity of two vectors.

    Parameters
    ----------
    u, v : array, shape (..., n)
        Zero is false, other numbers are true; leading dimensions broadcast.
    w : array, shape (n,), optional
        Weights of the elements.

    Returns
    -------
    float or array, shape (...)
        ``2 first second / (both none + first second)``; 0 if ``first second`` is 0.

    Raises
    ------
    ShapeError
        If the vectors have different lengths.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    ``both``, ``first``, ``second`` and ``none`` count the elements that are true in both vectors,
    only in the first, only in the second, and in neither. Not differentiable.

    Examples
    --------
    >>> from likewise.spatial.distance import yule
    >>> float(yule([1, 0, 0], [1, 1, 0]))
    0.0
    """
    return of_two("yule", u, v, Extra(w))
