"""The transforms over the last two axes, as SciPy and NumPy name them."""

from collections.abc import Sequence

from .._native import public
from .._typing import A
from ._transforms import Norm, over

__all__ = ["fft2", "ifft2", "irfft2", "rfft2"]


@public
def fft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the discrete Fourier transform over two axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes, as for `fftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `fftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fft2
    >>> fft2(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return over("fft2", x, s, axes, norm)


@public
def ifft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `fft2`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes, as for `ifftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `ifftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ifft2
    >>> ifft2(np.asarray([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return over("ifft2", x, s, axes, norm)


@public
def rfft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute `rfft` along the second of two axes, and `fft` along the first.

    Parameters
    ----------
    x : array
        Of real numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes, as for `rfftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    `rfftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import rfft2
    >>> rfft2(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return over("rfft2", x, s, axes, norm)


@public
def irfft2(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `rfft2`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes, as for `irfftn`.
    axes : sequence of int, optional
        The axes, distinct. Default: the last two.
    norm, overwrite_x, workers : optional
        As for `fft`.

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
    `irfftn` over the last two axes by default; differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import irfft2
    >>> irfft2(np.asarray([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return over("irfft2", x, s, axes, norm)
