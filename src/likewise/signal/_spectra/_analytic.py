"""Analytic signals by the Fourier transform."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ArgumentError, DtypeError
from .._base._places import complex_of
from .._base._recursions import axis_of

__all__ = ["count", "hilbert", "hilbert2"]


@public
def hilbert(x: Any, N: int | None = None, axis: int = -1) -> Any:
    """Return the analytic signal, whose imaginary part is the Hilbert transform.

    Parameters
    ----------
    x : array
        Real signals; all other dimensions are a batch.
    N : int, optional
        The number of samples; shorter signals are padded with zeros. Default: all.
    axis : int, optional
        The axis to transform along.

    Returns
    -------
    array
        The analytic signal, complex, with N samples along the axis.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError
        If N isn't positive.
    ShapeError
        If there is no such axis.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    Removes negative frequencies (S. L. Marple, IEEE Trans. Signal Process. 47, 2600, 1999).
    O(N log N) operations. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import hilbert
    >>> abs(hilbert(np.cos(np.arange(8) * np.pi / 2))).round(6)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    xp, x = _real_signals("hilbert", x)
    axis = axis_of("hilbert", x, axis)
    n = count("hilbert", "N", x.shape[axis] if N is None else N)
    last = n // 2 + 1
    weights = [1.0] + [2.0] * ((n + 1) // 2 - 1)
    weights += [1.0] * (last - len(weights)) + [0.0] * (n - last)
    spectrum = xp.fft.fft(xp.astype(x, complex_of(xp, x.dtype)), n=n, axis=axis)
    return xp.fft.ifft(spectrum * _along(xp, x, weights, axis), axis=axis)


@public
def hilbert2(x: Any, N: Any = None, axes: tuple[int, int] = (-2, -1)) -> Any:
    """Return the analytic signal of two axes, whose spectrum has one quadrant.

    Parameters
    ----------
    x : array
        Real signals; all other dimensions are a batch.
    N : int or pair of int, optional
        The number of samples; shorter signals are padded with zeros. Default: all.
    axes : pair of int, optional
        The axes to transform along.

    Returns
    -------
    array
        The analytic signal, complex, with N samples along the axes.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError
        If N isn't positive, or isn't one or two numbers, or `axes` aren't two different axes.
    ShapeError
        If there is no such axis.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    Removes the spectrum where either frequency is negative. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import hilbert2
    >>> hilbert2(np.eye(3)).real.round(6)[0]
    array([0.333333, 0.333333, 0.333333])
    """
    xp, x = _real_signals("hilbert2", x)
    if x.ndim < 2:
        x = xp.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape))
    if not isinstance(axes, tuple | list) or len(axes) != 2:
        raise ArgumentError(f"hilbert2: axes must be two integers, got {axes!r}")
    places = [_plan.axis_tuple("hilbert2", "axes", a, x.ndim)[0] for a in axes]
    if places[0] == places[1]:
        raise ArgumentError(f"hilbert2: axes must be different, got {axes!r}")
    if N is None:
        N = [x.shape[a] for a in places]
    sizes = [N, N] if isinstance(N, int) else list(N)
    if len(sizes) != 2:
        raise ArgumentError(f"hilbert2: N must be one number or two, got {N!r}")
    sizes = [count("hilbert2", "N", n) for n in sizes]
    spectrum = xp.fft.fftn(xp.astype(x, complex_of(xp, x.dtype)), s=sizes, axes=places)
    for a, n in zip(places, sizes, strict=True):
        half = (n + 1) // 2
        weights = [1.0] + [2.0] * (half - 1) + [0.0] * (n - half)
        spectrum = spectrum * _along(xp, x, weights, a)
    return xp.fft.ifftn(spectrum, axes=places)


def _real_signals(function: str, x: Any) -> tuple[Any, Any]:
    xp = array_namespace(x)
    (x,) = _plan.common_floating(function, xp, ("x",), x)
    if _plan.is_complex(xp, x.dtype):
        raise DtypeError(f"{function}: x must be real, got {x.dtype}. Take xp.real(x).")
    _plan.extension(function, xp, "fft")
    return xp, x


def count(function: str, name: str, n: Any) -> int:
    if not hasattr(n, "__index__") or n.__index__() <= 0:
        raise ArgumentError(f"{function}: {name} must be a positive integer, got {n!r}")
    found: int = n.__index__()
    return found


def _along(xp: Any, x: Any, weights: list[float], axis: int) -> Any:
    """Return weights that broadcast along an axis of an array."""
    made = xp.asarray(weights, dtype=x.dtype, device=device(x))
    return xp.reshape(made, (-1,) + (1,) * (x.ndim - 1 - axis))
