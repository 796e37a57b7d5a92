"""Windows that are sums of cosines."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..._native import public
from ..._typing import A
from .._base._places import follows_like, number, read
from ._made import made, placed

__all__ = [
    "blackman",
    "blackmanharris",
    "flattop",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "nuttall",
]


@public
@follows_like
def hann(M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None) -> Any:
    """Return a Hann window, a period of a raised cosine.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.5, 0.5) (F. J. Harris, Proc. IEEE 66, 51 (1978), equation
    27a). Computed on the host, in O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import hann
    >>> hann(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _weighted("hann", M, (0.5, 0.5), sym, xp, device)


@public
@follows_like
def hamming(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Hamming window, a raised cosine with a low first sidelobe.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.54, 0.46) (F. J. Harris, Proc. IEEE 66, 51 (1978), equation
    30). Computed on the host, in O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import hamming
    >>> hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _weighted("hamming", M, (0.54, 0.46), sym, xp, device)


@public
@follows_like
def blackman(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Blackman window.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.42, 0.5, 0.08) (F. J. Harris, Proc. IEEE 66, 51 (1978),
    equation 32). Computed on the host, in O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import blackman
    >>> blackman(5).round(6) + 0.0
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return _weighted("blackman", M, (0.42, 0.5, 0.08), sym, xp, device)


@public
@follows_like
def nuttall(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return Nuttall's window of four terms, with the lowest sidelobes.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.3635819, 0.4891775, 0.1365995, 0.0106411) (A. H. Nuttall,
    IEEE Trans. ASSP 29, 84 (1981)). Computed on the host, in O(M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import nuttall
    >>> nuttall(5).round(6)
    array([3.63000e-04, 2.26982e-01, 1.00000e+00, 2.26982e-01, 3.63000e-04])
    """
    return _weighted("nuttall", M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, xp, device)


@public
@follows_like
def blackmanharris(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Blackman-Harris window of four terms.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.35875, 0.48829, 0.14128, 0.01168) (F. J. Harris, Proc. IEEE
    66, 51 (1978), table I). Computed on the host, in O(M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import blackmanharris
    >>> blackmanharris(5).round(6)
    array([6.0000e-05, 2.1747e-01, 1.0000e+00, 2.1747e-01, 6.0000e-05])
    """
    return _weighted("blackmanharris", M, (0.35875, 0.48829, 0.14128, 0.01168), sym, xp, device)


@public
@follows_like
def flattop(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a flat top window, for measuring amplitudes of lines.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.

    Notes
    -----
    A sum of cosines with the weights (0.21557895, 0.41663158, 0.277263158, 0.083578947,
    0.006947368) (G. D'Antona and A. Ferrero, Digital Signal Processing for Measurement Systems,
    Springer 2006, page 72). Computed on the host, in O(M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import flattop
    >>> flattop(5).round(6)
    array([-4.2100e-04, -5.4737e-02,  1.0000e+00, -5.4737e-02, -4.2100e-04])
    """
    return _weighted(
        "flattop",
        M,
        (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
        sym,
        xp,
        device,
    )


@public
@follows_like
def general_hamming(
    M: int, alpha: float, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a raised cosine with a given offset.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    alpha : float
        The offset; 0.54 gives `hamming`, 0.5 `hann`.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer, or `alpha` is not a number.

    Notes
    -----
    A sum of cosines with the weights alpha and 1 - alpha. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import general_hamming
    >>> general_hamming(5, 0.7)
    array([0.4, 0.7, 1. , 0.7, 0.4])
    """
    alpha = number("general_hamming", "alpha", alpha)
    return _weighted("general_hamming", M, (alpha, 1 - alpha), sym, xp, device)


@public
@follows_like
def general_cosine(M: int, a: A | Sequence[float], sym: bool = True, *, like: Any = None) -> Any:
    """Return a sum of cosines.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    a : array or sequence of float
        The weights of the constant, and of cosines with one period, two periods and so on, relative
        to the centre; all are positive for the common windows.
    sym : bool, optional
        Whether the window is symmetric, for filters; otherwise it is one period, for spectra.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (M,)
        The window, with the library and device of `a` if it is an array, else those that
        `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If `M` is not a nonnegative integer.
    NotSupported
        If `a` is traced or records gradients.

    Notes
    -----
    G. Heinzel, A. Ruediger and R. Schilling, Spectrum and spectral density estimation by the DFT,
    2002, appendix D. Computed on the host, in O(M len(a)) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import general_cosine
    >>> general_cosine(5, [0.5, 0.5])
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    where, (weights,) = read("general_cosine", a=a)
    values = [float(v) for v in weights]
    return placed("general_cosine", M, sym, where, _sum_of_cosines(values))


def _weighted(function: str, M: Any, a: Sequence[float], sym: bool, xp: Any, device: Any) -> Any:
    return made(function, M, sym, xp, device, _sum_of_cosines(a))


def _sum_of_cosines(a: Sequence[float]) -> Callable[[Any, int], Any]:
    def values(ns: Any, m: int) -> Any:
        angle = ns.linspace(-math.pi, math.pi, m)
        total = ns.zeros(m)
        for k, weight in enumerate(a):
            total = total + weight * ns.cos(k * angle)
        return total

    return values
