"""Discrete cosine and sine transforms, with SciPy's arguments."""

from collections.abc import Sequence
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace
from .._namespace import device as device_of
from .._native import public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from . import _trigonometric
from ._transforms import Norm, axes_of, lengths_of, several

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

Type = Literal[1, 2, 3, 4]
_NORMS = ("backward", "ortho", "forward")
_TURNED = {1: 1, 2: 3, 3: 2, 4: 4}


def _planned(
    function: str, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any
) -> tuple[Any, int, list[int], tuple[int, ...], str, bool]:
    """Numbers, and the type, lengths, axes and norm of the forward transform to be made."""
    xp = array_namespace(x)
    (array,) = _plan.common_floating(function, xp, ("x",), x)
    if isinstance(type, bool) or not hasattr(type, "__index__") or type.__index__() not in _TURNED:
        raise ArgumentError(f"{function}: type must be 1, 2, 3 or 4, got {type!r}")
    type, norm = int(type.__index__()), "backward" if norm is None else norm
    _plan.choice(function, "norm", norm, _NORMS)
    ends = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if function[0] == "i":
        type, norm = _TURNED[type], _NORMS[2 - _NORMS.index(norm)]
    found = axes_of(function, axes, array.ndim, None if s is None else len(s))
    lengths = lengths_of(function, array.shape, found, s)
    if type == 1 and "dct" in function and 1 in lengths:
        raise ShapeError(
            f"{function}: of type 1, at least two elements were expected along an axis, got "
            f"{lengths} along {found}"
        )
    _plan.extension(function, xp, "fft")
    return array, type, lengths, found, norm, ends


def _along(
    function: str, x: Any, type: Any, n: Any, axis: Any, norm: Any, orthogonalize: Any
) -> Any:
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be one integer, got {axis!r}")
    ndim = getattr(x, "ndim", None)
    axes = (axis,) if ndim is None else _plan.axis_tuple(function, "axis", axis, ndim)
    s = None if n is None else (n,)
    x, type, (n,), (axis,), norm, ends = _planned(function, x, type, s, axes, norm, orthogonalize)
    if 0 in x.shape:
        return _nothing(x, [n], (axis,))
    step = _trigonometric.dct if "dct" in function else _trigonometric.dst
    return step(x, type, None if n == x.shape[axis] else n, axis, norm, False, None, ends)


def _over(
    function: str, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any
) -> Any:
    s = None if s is None else several(s)
    array, type, sizes, found, norm, ends = _planned(
        function, x, type, s, axes, norm, orthogonalize
    )
    if not found:
        return array
    if 0 in array.shape:
        return _nothing(array, sizes, found)
    step = _trigonometric.dctn if "dct" in function else _trigonometric.dstn
    as_it_is = all(n == array.shape[a] for n, a in zip(sizes, found, strict=True))
    return step(array, type, None if as_it_is else tuple(sizes), found, norm, ends)


def _nothing(x: Any, sizes: Sequence[int], axes: tuple[int, ...]) -> Any:
    """Zeros: the transform of no elements, or of padding alone."""
    shape = list(x.shape)
    for n, axis in zip(sizes, axes, strict=True):
        shape[axis] = n
    return array_namespace(x).zeros(tuple(shape), dtype=x.dtype, device=device_of(x))


@public
def dct(
    x: A,
    type: Type | int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> A:
    """Compute the discrete cosine transform along an axis.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type : {1, 2, 3, 4}, optional
        The type; see the notes.
    n : int, optional
        The length of the transform: longer input is cropped, shorter input
        padded with zeros. Default: that of the axis.
    axis : int, optional
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        'backward': the inverse is divided by 2 N; 'forward': the transform is; 'ortho': both are
        divided by the square root of it. For type 1 it is 2 (N - 1). Default: 'backward'.
    overwrite_x : bool, optional
        Accepted for SciPy's signature; the input is never overwritten.
    workers : int, optional
        Accepted for SciPy's signature; ignored.
    orthogonalize : bool, optional
        Whether the elements at the ends are scaled so that the matrix, with ``norm='ortho'``, is
        orthogonal. Default: True if `norm` is 'ortho'.

    Returns
    -------
    array, shape (..., n, ...)
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError
        If there is no such type or norm, or `n` isn't a positive integer.
    ShapeError
        If there is no such axis, or it has no elements (for type 1, a single one).
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    With ``norm='backward'`` and N elements::

        1: y[k] = x[0] + (-1)**k x[N-1] + 2 sum_n x[n] cos(pi k n / (N - 1)),  0 < n < N - 1
        2: y[k] = 2 sum_n x[n] cos(pi k (2 n + 1) / (2 N))
        3: y[k] = x[0] + 2 sum_n x[n] cos(pi (2 k + 1) n / (2 N)),             0 < n
        4: y[k] = 2 sum_n x[n] cos(pi (2 k + 1) (2 n + 1) / (4 N))

    One real Fourier transform of N reordered numbers (J. Makhoul, IEEE Trans. Acoust. Speech Signal
    Process. 28, 27, 1980), for type 1 of the even extension, which has 2 (N - 1) numbers: O(N
    log(N)) operations. Differentiable.

    Differs from SciPy: `orthogonalize` applies to complex numbers too, for which SciPy uses `norm`
    alone; `overwrite_x` and `workers` are ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dct
    >>> dct(np.asarray([4.0, 3.0, 5.0, 10.0]), norm="ortho").round(4)
    array([11.    , -4.4609,  3.    , -0.317 ])
    """
    return _along("dct", x, type, n, axis, norm, orthogonalize)


@public
def idct(
    x: A,
    type: Type | int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> A:
    """Compute the inverse of `dct`, of the same type and norm.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type, n, axis, norm, overwrite_x, workers, orthogonalize : optional
        As for `dct`, which is inverted.

    Returns
    -------
    array, shape (..., n, ...)
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `dct`.

    Notes
    -----
    Type 3 inverts type 2 and vice versa; types 1 and 4 invert themselves, up to a factor.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dct, idct
    >>> idct(dct(np.asarray([4.0, 3.0, 5.0, 10.0]))).round(12)
    array([ 4.,  3.,  5., 10.])
    """
    return _along("idct", x, type, n, axis, norm, orthogonalize)


@public
def dst(
    x: A,
    type: Type | int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> A:
    """Compute the discrete sine transform along an axis.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type, n, axis : optional
        As for `dct`.
    norm : {'backward', 'ortho', 'forward'}, optional
        As for `dct`; for type 1 it is 2 (N + 1).
    overwrite_x, workers, orthogonalize : optional
        As for `dct`.

    Returns
    -------
    array, shape (..., n, ...)
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `dct`, but a single element has a transform of type 1.

    Notes
    -----
    With ``norm='backward'`` and N elements::

        1: y[k] = 2 sum_n x[n] sin(pi (k + 1) (n + 1) / (N + 1))
        2: y[k] = 2 sum_n x[n] sin(pi (k + 1) (2 n + 1) / (2 N))
        3: y[k] = (-1)**k x[N-1] + 2 sum_n x[n] sin(pi (2 k + 1) (n + 1) / (2 N)),  n < N - 1
        4: y[k] = 2 sum_n x[n] sin(pi (2 k + 1) (2 n + 1) / (4 N))

    By a cosine transform of reversed or alternating numbers (Z. Wang, IEEE Trans. Acoust. Speech
    Signal Process. 32, 803, 1984), for type 1 by the odd extension. Differentiable.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dst
    >>> dst(np.asarray([1.0, 2.0, 3.0]), type=1).round(4)
    array([ 9.6569, -4.    ,  1.6569])
    """
    return _along("dst", x, type, n, axis, norm, orthogonalize)


@public
def idst(
    x: A,
    type: Type | int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> A:
    """Compute the inverse of `dst`, of the same type and norm.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type, n, axis, norm, overwrite_x, workers, orthogonalize : optional
        As for `dst`, which is inverted.

    Returns
    -------
    array, shape (..., n, ...)
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `dst`.

    Notes
    -----
    Type 3 inverts type 2 and vice versa; types 1 and 4 invert themselves, up to a factor.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dst, idst
    >>> idst(dst(np.asarray([4.0, 3.0, 5.0, 10.0]))).round(12)
    array([ 4.,  3.,  5., 10.])
    """
    return _along("idst", x, type, n, axis, norm, orthogonalize)


@public
def dctn(
    x: A,
    type: Type | int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> A:
    """Compute `dct` along several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type : {1, 2, 3, 4}, optional
        As for `dct`.
    s : int or sequence of int, optional
        The lengths along the axes, -1 for an unchanged axis: longer axes are cropped, shorter
        ones padded with zeros.
    axes : int or sequence of int, optional
        The axes, distinct. Default: all, or the last ones if `s` is given.
    norm, overwrite_x, workers, orthogonalize : optional
        As for `dct`.

    Returns
    -------
    array
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `dct`; also if axes are not distinct, or their number isn't that of the lengths.

    Notes
    -----
    As for `dct`, along one axis after the other.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dctn
    >>> dctn(np.asarray([[1.0, 2.0], [3.0, 5.0]]), norm="ortho").round(6)
    array([[ 5.5, -1.5],
           [-2.5,  0.5]])
    """
    return _over("dctn", x, type, s, axes, norm, orthogonalize)


@public
def idctn(
    x: A,
    type: Type | int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> A:
    """Compute `idct` along several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type : {1, 2, 3, 4}, optional
        As for `idct`.
    s : int or sequence of int, optional
        The lengths along the axes, -1 for an unchanged axis: longer axes are cropped, shorter
        ones padded with zeros.
    axes : int or sequence of int, optional
        The axes, distinct. Default: all, or the last ones if `s` is given.
    norm, overwrite_x, workers, orthogonalize : optional
        As for `idct`.

    Returns
    -------
    array
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `idct`; also if axes are not distinct, or their number isn't that of the lengths.

    Notes
    -----
    As for `idct`, along one axis after the other.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import idctn
    >>> idctn(np.asarray([[1.0, 2.0], [3.0, 5.0]]), norm="ortho").round(6)
    array([[ 5.5, -1.5],
           [-2.5,  0.5]])
    """
    return _over("idctn", x, type, s, axes, norm, orthogonalize)


@public
def dstn(
    x: A,
    type: Type | int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> A:
    """Compute `dst` along several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type : {1, 2, 3, 4}, optional
        As for `dst`.
    s : int or sequence of int, optional
        The lengths along the axes, -1 for an unchanged axis: longer axes are cropped, shorter
        ones padded with zeros.
    axes : int or sequence of int, optional
        The axes, distinct. Default: all, or the last ones if `s` is given.
    norm, overwrite_x, workers, orthogonalize : optional
        As for `dst`.

    Returns
    -------
    array
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `dst`; also if axes are not distinct, or their number isn't that of the lengths.

    Notes
    -----
    As for `dst`, along one axis after the other.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import dstn
    >>> dstn(np.asarray([[1.0, 2.0], [3.0, 5.0]]), norm="ortho").round(6)
    array([[ 5.5, -1.5],
           [-2.5,  0.5]])
    """
    return _over("dstn", x, type, s, axes, norm, orthogonalize)


@public
def idstn(
    x: A,
    type: Type | int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> A:
    """Compute `idst` along several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    type : {1, 2, 3, 4}, optional
        As for `idst`.
    s : int or sequence of int, optional
        The lengths along the axes, -1 for an unchanged axis: longer axes are cropped, shorter
        ones padded with zeros.
    axes : int or sequence of int, optional
        The axes, distinct. Default: all, or the last ones if `s` is given.
    norm, overwrite_x, workers, orthogonalize : optional
        As for `idst`.

    Returns
    -------
    array
        Of the floating or complex dtype of `x`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `idst`; also if axes are not distinct, or their number isn't that of the lengths.

    Notes
    -----
    As for `idst`, along one axis after the other.

    Differs from SciPy: as `dct` does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import idstn
    >>> idstn(np.asarray([[1.0, 2.0], [3.0, 5.0]]), norm="ortho").round(6)
    array([[ 5.5, -1.5],
           [-2.5,  0.5]])
    """
    return _over("idstn", x, type, s, axes, norm, orthogonalize)
