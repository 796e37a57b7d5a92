"""Transforms of Hermitian arrays, over several axes."""

from collections.abc import Sequence

from .._native import public
from .._typing import A
from ._transforms import Norm, over

__all__ = ["hfft2", "hfftn", "ihfft2", "ihfftn"]


@public
def hfftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the real transform of a Hermitian array over several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; the last axis holds the first half of the Hermitian array.
        Integers become floating.
    s : sequence of int, optional
        The lengths along the axes, as for `fftn`. Default for the last axis: 2 (m - 1) for m > 1
        elements, and 1 for one.
    axes, norm, overwrite_x, workers : optional
        As for `fftn`.

    Returns
    -------
    array
        Of real numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `irfftn` of the conjugate, with the norms 'backward' and 'forward' exchanged. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import hfftn
    >>> hfftn(np.ones((2, 2)))
    array([[4., 0.],
           [0., 0.]])
    """
    return over("hfftn", x, s, axes, norm)


@public
def ihfftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `hfftn`.

    Parameters
    ----------
    x : array
        Of real numbers; integers become floating.
    s, axes, norm, overwrite_x, workers : optional
        As for `fftn`.

    Returns
    -------
    array
        Of complex numbers; the last axis holds the first half. float32 stays in single precision.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    The conjugate of `rfftn`, with the norms 'backward' and 'forward' exchanged. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ihfftn
    >>> ihfftn(np.asarray([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return over("ihfftn", x, s, axes, norm)


@public
def hfft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute `hfftn` over two axes.

    Parameters
    ----------
    x, s
        As for `hfftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array
        As for `hfftn`.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `hfftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import hfft2
    >>> hfft2(np.ones((2, 2)))
    array([[4., 0.],
           [0., 0.]])
    """
    return over("hfft2", x, s, axes, norm)


@public
def ihfft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute `ihfftn` over two axes.

    Parameters
    ----------
    x, s
        As for `ihfftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array
        As for `ihfftn`.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `ihfftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ihfft2
    >>> ihfft2(np.asarray([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return over("ihfft2", x, s, axes, norm)
