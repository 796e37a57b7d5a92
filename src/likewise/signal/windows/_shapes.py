"""Windows given by formulas."""

import math
from typing import Any

from ..._native import public
from ...errors import ArgumentError
from ...missing import sinc
from .._base._places import follows_like, number
from ._made import made

__all__ = [
    "barthann",
    "bartlett",
    "bohman",
    "boxcar",
    "cosine",
    "exponential",
    "gaussian",
    "general_gaussian",
    "lanczos",
    "parzen",
    "triang",
    "tukey",
]


@public
@follows_like
def boxcar(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a window of ones.

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
    All points have equal weight. Computed on the host, in O(M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import boxcar
    >>> boxcar(3)
    array([1., 1., 1.])
    """
    return made("boxcar", M, sym, xp, device, lambda ns, m: ns.ones(m))


@public
@follows_like
def triang(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a triangular window with nonzero ends.

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
    A convolution of two boxes. Computed on the host, in O(M) operations. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import triang
    >>> triang(5)
    array([0.33333333, 0.66666667, 1.        , 0.66666667, 0.33333333])
    """
    return made("triang", M, sym, xp, device, _triang)


@public
@follows_like
def bartlett(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a triangular window with ends at zero.

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
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 23a. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import bartlett
    >>> bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return made(
        "bartlett", M, sym, xp, device, lambda ns, m: 1 - ns.abs(_centred(ns, m)) * (2 / (m - 1))
    )


@public
@follows_like
def parzen(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Parzen window, piecewise cubic.

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
    E. Parzen, Technometrics 3, 167 (1961). Computed on the host, in O(M) operations. Takes numbers;
    not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import parzen
    >>> parzen(3)
    array([0.07407407, 1.        , 0.07407407])
    """
    return made("parzen", M, sym, xp, device, _parzen)


@public
@follows_like
def bohman(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Bohman window, the convolution of a cosine with itself.

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
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 39a. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import bohman
    >>> bohman(3)
    array([0., 1., 0.])
    """
    return made("bohman", M, sym, xp, device, _bohman)


@public
@follows_like
def barthann(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Bartlett-Hann window, the sum of a triangle and a cosine.

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
    Y. H. Ha and J. A. Pearce, IEEE Trans. ASSP 37, 298 (1989). Computed on the host, in O(M)
    operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import barthann
    >>> barthann(5).round(6) + 0.0
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return made("barthann", M, sym, xp, device, _barthann)


@public
@follows_like
def cosine(
    M: int, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a cosine window, half a period of a sine.

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
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 26a, with its ends half a step outside.
    Computed on the host, in O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import cosine
    >>> cosine(3)
    array([0.5, 1. , 0.5])
    """
    return made(
        "cosine",
        M,
        sym,
        xp,
        device,
        lambda ns, m: ns.sin((ns.arange(m, dtype=ns.float64) + 0.5) * (math.pi / m)),
    )


@public
@follows_like
def lanczos(
    M: int, *, sym: bool = True, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Lanczos window, the main lobe of a sinc.

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
    C. Lanczos, Applied Analysis, Prentice Hall 1956, section 4. Computed on the host, in O(M)
    operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import lanczos
    >>> lanczos(3).round(6)
    array([0., 1., 0.])
    """
    return made("lanczos", M, sym, xp, device, _lanczos)


@public
@follows_like
def exponential(
    M: int,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return an exponential (Poisson) window.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    center : float, optional
        The position of the maximum, for windows with ``sym=False``. Default: the middle.
    tau : float, optional
        The decay, in points.
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
        If `M` is not a nonnegative integer, `center` is given for a symmetric window, or `tau` is
        zero.

    Notes
    -----
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 43. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import exponential
    >>> exponential(3, tau=1.0).round(6)
    array([0.367879, 1.      , 0.367879])
    """
    if sym and center is not None:
        raise ArgumentError(
            f"exponential: center must be None for a symmetric window, got {center!r}. "
            "Set sym=False."
        )
    centre = None if center is None else number("exponential", "center", center)
    tau = _nonzero("exponential", "tau", tau)
    return made(
        "exponential",
        M,
        sym,
        xp,
        device,
        lambda ns, m: ns.exp(
            -ns.abs(ns.arange(m, dtype=ns.float64) - ((m - 1) / 2 if centre is None else centre))
            / tau
        ),
    )


@public
@follows_like
def gaussian(
    M: int, std: float, sym: bool = True, *, xp: Any = None, device: Any = None, like: Any = None
) -> Any:
    """Return a Gaussian window.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    std : float
        The standard deviation, in points.
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
        If `M` is not a nonnegative integer, or `std` is zero.

    Notes
    -----
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 44a. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import gaussian
    >>> gaussian(3, 1.0).round(6)
    array([0.606531, 1.      , 0.606531])
    """
    std = _nonzero("gaussian", "std", std)
    return made(
        "gaussian",
        M,
        sym,
        xp,
        device,
        lambda ns, m: ns.exp(-(_centred(ns, m) ** 2) / (2 * std * std)),
    )


@public
@follows_like
def general_gaussian(
    M: int,
    p: float,
    sig: float,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return a generalised Gaussian window with a given power.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    p : float
        Half the exponent of the distance: 1 gives `gaussian`, 0.5 `exponential`.
    sig : float
        The standard deviation, in points.
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
        If `M` is not a nonnegative integer, or `sig` is zero.

    Notes
    -----
    ``exp(-abs(n/sig)**(2 p)/2)`` (U. Pandey and others, IEEE ICASSP 1990). Computed on the host, in
    O(M) operations. Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import general_gaussian
    >>> general_gaussian(3, 1.0, 1.0).round(6)
    array([0.606531, 1.      , 0.606531])
    """
    p = number("general_gaussian", "p", p)
    sig = _nonzero("general_gaussian", "sig", sig)
    return made(
        "general_gaussian",
        M,
        sym,
        xp,
        device,
        lambda ns, m: ns.exp(-0.5 * ns.abs(_centred(ns, m) / sig) ** (2 * p)),
    )


@public
@follows_like
def tukey(
    M: int,
    alpha: float = 0.5,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return a Tukey window, a box with cosine edges.

    Parameters
    ----------
    M : int
        The number of points; 0 gives an empty array.
    alpha : float, optional
        The fraction of the edges: 0 gives `boxcar`, 1 `hann`.
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
    F. J. Harris, Proc. IEEE 66, 51 (1978), equation 38. Computed on the host, in O(M) operations.
    Takes numbers; not differentiable.

    Examples
    --------
    >>> from likewise.signal.windows import tukey
    >>> tukey(5, 0.5)
    array([0., 1., 1., 1., 0.])
    """
    alpha = number("tukey", "alpha", alpha)
    return made("tukey", M, sym, xp, device, lambda ns, m: _tukey(ns, m, alpha))


# -- values, of m points from end to end -----------------------------------------------------------


def _centred(ns: Any, m: int) -> Any:
    return ns.arange(m, dtype=ns.float64) - (m - 1) / 2


def _nonzero(function: str, name: str, value: Any) -> float:
    found = number(function, name, value)
    if found == 0:
        raise ArgumentError(f"{function}: {name} must not be zero, got {value!r}")
    return found


def _triang(ns: Any, m: int) -> Any:
    return (m + m % 2 - 2 * ns.abs(_centred(ns, m))) / (m + m % 2)


def _parzen(ns: Any, m: int) -> Any:
    x = ns.abs(_centred(ns, m)) / (m / 2)
    return ns.where(x <= (m - 1) / (2 * m), 1 - 6 * x**2 + 6 * x**3, 2 * (1 - x) ** 3)


def _bohman(ns: Any, m: int) -> Any:
    x = ns.abs(ns.linspace(-1, 1, m))
    inside = (1 - x) * ns.cos(math.pi * x) + ns.sin(math.pi * x) / math.pi
    return ns.where(x < 1, inside, ns.zeros_like(x))


def _barthann(ns: Any, m: int) -> Any:
    x = ns.abs(ns.arange(m, dtype=ns.float64) / (m - 1) - 0.5)
    return 0.62 - 0.48 * x + 0.38 * ns.cos(2 * math.pi * x)


def _lanczos(ns: Any, m: int) -> Any:
    right = sinc(2 * ns.arange((m + 1) // 2, m, dtype=ns.float64) / (m - 1) - 1)
    return ns.concat((ns.flip(right), ns.ones(m % 2), right))


def _tukey(ns: Any, m: int, alpha: float) -> Any:
    if alpha <= 0:
        return ns.ones(m)
    alpha = min(alpha, 1.0)
    n = ns.arange(m, dtype=ns.float64)
    near = ns.minimum(n, m - 1 - n)  # the nearer end
    edge = 0.5 * (1 + ns.cos(math.pi * (2 * near / (alpha * (m - 1)) - 1)))
    return ns.where(near <= math.floor(alpha * (m - 1) / 2), edge, ns.ones_like(edge))
