"""Sums, means, variances and centres of mass of labelled groups."""

from typing import Any

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, quiet
from ..._native import native, public
from ...missing._axes import index_dtype
from ._groups import Group, floating, grouped, is_index, quotient, taken

__all__ = ["center_of_mass", "mean", "standard_deviation", "sum", "sum_labels", "variance"]


def _plain(x: Any, labels: Any, index: Any) -> bool:
    """numbers in double precision or integers, and labels of interest that are integers."""
    xp = array_namespace(x)
    if is_index(index) and (0 in x.shape or not xp.isdtype(index.dtype, "integral")):
        return False
    whole = xp.isdtype(x.dtype, "integral")
    return bool((default_floating(xp, device(x)) if whole else x.dtype) == xp.float64)


@public
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Sum the elements of an image that carry each label.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    labels : array, optional
        The label of each element, of a shape that broadcasts with that of `input`; numbers of any
        kind. Default: all elements are one group.
    index : number or array, optional
        The labels of interest. Default: all that are greater than zero, as one group.

    Returns
    -------
    array, of the shape of index
        0 for a label without elements.

    Raises
    ------
    ArgumentError
        If `index` is given without `labels`.
    ShapeError
        If the shapes of `input` and `labels` don't broadcast.

    Notes
    -----
    A binary search of each element's label among those of interest, and a sum by segments. Sums are
    computed in the dtype of `input`; those of integers are integers for one group, and floating for
    several. Differentiable with respect to `input`.

    Differs from SciPy: float32 gives float32, for several groups, too, and complex numbers have
    sums in several.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import sum_labels
    >>> sum_labels(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2, 5])
    array([3., 3., 0.])
    """
    return _sum_labels(*taken("sum_labels", input, labels, index))


@public
def sum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Sum the elements of an image that carry each label: SciPy's older name of `sum_labels`.

    Parameters
    ----------
    input, labels, index
        As for `sum_labels`.

    Returns
    -------
    array, of the shape of index
        As from `sum_labels`.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.

    Notes
    -----
    As for `sum_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import ndimage
    >>> ndimage.sum(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2])
    array([3., 3.])
    """
    return _sum_labels(*taken("sum", input, labels, index))


@native(
    numpy="likewise._libs.numpy._images:sum_labels",
    torch="likewise._libs.numpy._images:sum_labels",
    when=_plain,
)
def _sum_labels(x: Any, labels: Any, index: Any) -> Any:
    v, group = grouped(x, labels, index)
    return group.given(_total(v, group))


def _total(v: Any, group: Group) -> Any:
    """Return sums, of integers in floating point if there are several groups."""
    xp = array_namespace(v)
    if type(group) is not Group:
        v = floating(v)
    elif v.dtype == xp.bool:
        v = xp.astype(v, index_dtype(xp, v))
    return group.sum(v)


@public
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Average the elements of an image that carry each label.

    Parameters
    ----------
    input, labels, index
        As for `sum_labels`.

    Returns
    -------
    array, of the shape of index
        NaN for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.

    Notes
    -----
    As for `sum_labels`, but integers always have floating results.

    Differs from SciPy: as for `sum_labels`; no warning where there are no elements.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import mean
    >>> mean(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2, 5])
    array([1.5, 3. , nan])
    """
    return _mean(*taken("mean", input, labels, index))


@native(
    numpy="likewise._libs.numpy._images:mean",
    torch="likewise._libs.numpy._images:mean",
    when=_plain,
)
def _mean(x: Any, labels: Any, index: Any) -> Any:
    v, group = grouped(x, labels, index)
    return group.given(quotient(group.sum(floating(v)), group.count(v)))


@public
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Compute the variance of the elements of an image that carry each label.

    Parameters
    ----------
    input, labels, index
        As for `sum_labels`.

    Returns
    -------
    array, of the shape of index
        The average square of the distance from the mean; NaN for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.

    Notes
    -----
    As for `mean`, in two passes.

    Differs from SciPy: as for `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import variance
    >>> variance(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2])
    array([0.25, 0.  ])
    """
    return _variance(*taken("variance", input, labels, index))


@native(
    numpy="likewise._libs.numpy._images:variance",
    torch="likewise._libs.numpy._images:variance",
    when=_plain,
)
def _variance(x: Any, labels: Any, index: Any) -> Any:
    v, group = grouped(x, labels, index)
    return group.given(_squares(v, group))


def _squares(v: Any, group: Group) -> Any:
    xp, v, count = array_namespace(v), floating(v), group.count(v)
    d = v - group.spread(quotient(group.sum(v), count))
    square = d * xp.conj(d) if _plan.is_complex(xp, d.dtype) else d * d
    return quotient(group.sum(square), count)


@public
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Compute the standard deviation of the elements of an image that carry each label.

    Parameters
    ----------
    input, labels, index
        As for `sum_labels`.

    Returns
    -------
    array, of the shape of index
        The root of the variance; NaN for a label without elements.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.

    Notes
    -----
    As for `variance`.

    Differs from SciPy: as for `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import standard_deviation
    >>> standard_deviation(np.asarray([1.0, 2.0, 3.0, 4.0]), [1, 1, 2, 0], [1, 2])
    array([0.5, 0. ])
    """
    return _standard_deviation(*taken("standard_deviation", input, labels, index))


@native(
    numpy="likewise._libs.numpy._images:standard_deviation",
    torch="likewise._libs.numpy._images:standard_deviation",
    when=_plain,
)
def _standard_deviation(x: Any, labels: Any, index: Any) -> Any:
    v, group = grouped(x, labels, index)
    square = _squares(v, group)
    return group.given(array_namespace(square).sqrt(square))


@public
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Compute the centre of mass of the elements of an image that carry each label.

    Parameters
    ----------
    input : array
        The mass of each element, of any number of dimensions.
    labels : array, optional
        As for `sum_labels`, but of the shape of `input` or fewer elements.
    index : number or array, shape (n,), optional
        As for `sum_labels`.

    Returns
    -------
    tuple of array, or list of such tuples
        A coordinate along each axis; for several labels of interest, a list of n tuples. NaN where
        there is no mass.

    Raises
    ------
    ArgumentError, ShapeError
        As for `sum_labels`.

    Notes
    -----
    A sum for each axis. Differentiable with respect to `input`.

    Differs from SciPy: as for `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import center_of_mass
    >>> [float(c) for c in center_of_mass(np.asarray([[0, 1, 1], [0, 1, 1], [0, 0, 0]]))]
    [0.5, 1.5]
    """
    x, labels, index = taken("center_of_mass", input, labels, index)
    xp, v = array_namespace(x), floating(x)
    mass = _sum_labels(v, labels, index)
    found = []
    for axis, n in enumerate(x.shape):
        shape = (1,) * axis + (n,) + (1,) * (x.ndim - axis - 1)
        grid = xp.reshape(xp.arange(n, dtype=_real(xp, v), device=device(v)), shape)
        with quiet(v):
            found.append(_sum_labels(v * grid, labels, index) / mass)
    return tuples(found, is_index(index))


def _real(xp: Any, v: Any) -> Any:
    if _plan.is_complex(xp, v.dtype):
        return xp.float32 if v.dtype == xp.complex64 else xp.float64
    return v.dtype


def tuples(coordinates: list[Any], several: bool) -> Any:
    """Return coordinates as a tuple, or as one for each label of interest."""
    if not several or not coordinates:
        return tuple(coordinates)
    if coordinates[0].ndim != 1:
        xp = array_namespace(coordinates[0])
        coordinates = [xp.reshape(c, (-1,)) for c in coordinates]
    return [tuple(c[k] for c in coordinates) for k in range(coordinates[0].shape[0])]
