"""Band transformations and the bilinear transform of filters given by zeros, poles and gain.

They are written in the standard, so they run, can be traced and differentiated on every library.
"""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral
from ..._native import native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError
from .._base._places import Work, complex_of, one_dimension, one_number, rate, vector, working

__all__ = [
    "bilinear_zpk",
    "lp2bp_zpk",
    "lp2bs_zpk",
    "lp2hp_zpk",
    "lp2lp_zpk",
    "to_band",
    "to_digital",
]


# -- the steps, on arrays --------------------------------------------------------------------------


def to_band(xp: Any, z: Any, p: Any, k: Any, edges: Any, btype: str) -> tuple[Any, Any, Any]:
    """Transform a lowpass of 1 rad/s to a band with one or two edges, given as an array."""
    if btype == "lowpass":
        return _lp2lp(xp, z, p, k, xp.reshape(edges, ()))
    if btype == "highpass":
        return _lp2hp(xp, z, p, k, xp.reshape(edges, ()))
    change = _lp2bp if btype == "bandpass" else _lp2bs
    return change(xp, z, p, k, xp.sqrt(edges[0] * edges[1]), edges[1] - edges[0])


def to_digital(xp: Any, z: Any, p: Any, k: Any, fs: float) -> tuple[Any, Any, Any]:
    """Transform an analog filter to a digital one by the bilinear transform."""
    fs2 = 2.0 * fs
    nyquist = xp.full((p.shape[0] - z.shape[0],), -1.0, dtype=z.dtype, device=device(z))
    k = k * _real(xp, xp.prod(fs2 - z) / xp.prod(fs2 - p))
    return xp.concat(((fs2 + z) / (fs2 - z), nyquist)), (fs2 + p) / (fs2 - p), k


def _lp2lp(xp: Any, z: Any, p: Any, k: Any, wo: Any) -> tuple[Any, Any, Any]:
    return wo * z, wo * p, k * wo ** (p.shape[0] - z.shape[0])


def _lp2hp(xp: Any, z: Any, p: Any, k: Any, wo: Any) -> tuple[Any, Any, Any]:
    zeros = xp.zeros((p.shape[0] - z.shape[0],), dtype=z.dtype, device=device(z))
    k = k * _real(xp, xp.prod(-z) / xp.prod(-p))
    return xp.concat((wo / z, zeros)), wo / p, k


def _lp2bp(xp: Any, z: Any, p: Any, k: Any, wo: Any, bw: Any) -> tuple[Any, Any, Any]:
    zeros = xp.zeros((p.shape[0] - z.shape[0],), dtype=complex_of(xp, z.dtype), device=device(z))
    z_bp, p_bp = (_both(xp, r, r * bw / 2, wo) for r in (z, p))
    return xp.concat((*z_bp, zeros)), xp.concat(p_bp), k * bw ** (p.shape[0] - z.shape[0])


def _lp2bs(xp: Any, z: Any, p: Any, k: Any, wo: Any, bw: Any) -> tuple[Any, Any, Any]:
    none = xp.zeros((p.shape[0] - z.shape[0],), dtype=complex_of(xp, z.dtype), device=device(z))
    k = k * _real(xp, xp.prod(-z) / xp.prod(-p))
    above = any(_plan.is_complex(xp, r.dtype) for r in (z, p))
    z_bs, p_bs = (_both(xp, r, (bw / 2) / r, wo, above) for r in (z, p))
    up = 1j * (none + wo)
    return xp.concat((*z_bs, none + up, none - up)), xp.concat(p_bs), k


def _both(xp: Any, r: Any, half: Any, wo: Any, above: bool = False) -> tuple[Any, Any]:
    """Return the two roots s of ``s**2 - 2 half s + wo**2``, with `half` as made of r.

    Of conjugate roots, from a real r, the first is above the real axis if r isn't negative, or
    always. SciPy gets this order from signs of zeros, which not every library and compiler keeps.
    """
    half = xp.astype(half, complex_of(xp, half.dtype))
    root = xp.sqrt(half * half - wo * wo)
    axis = xp.real(root) == 0
    if _plan.is_complex(xp, r.dtype):
        axis = axis & (xp.imag(r) == 0)
    below = (_real(xp, r) < 0) & (not above)
    root = xp.where(axis & ((xp.imag(root) < 0) != below), -root, root)
    return half + root, half + -root


def _real(xp: Any, x: Any) -> Any:
    return xp.real(x) if _plan.is_complex(xp, x.dtype) else x


# -- public ----------------------------------------------------------------------------------------


def _planned(function: str, z: Any, p: Any, k: Any, **more: Any) -> tuple[Work, list[Any]]:
    """Return the `Work` with vectors of zeros and poles, gain and frequencies."""
    work = working(function, z=z, p=p, k=k, **more)
    z, p = (vector(work.xp, x) for x in work.arrays[:2])
    one_dimension(function, z=z, p=p)
    if p.shape[0] < z.shape[0]:
        raise ArgumentError(
            f"{function}: an improper transfer function. At least as many poles as zeros were "
            f"expected, got {p.shape[0]} poles and {z.shape[0]} zeros. Add poles or drop zeros."
        )
    rest = dict(zip(("k", *more), work.arrays[2:], strict=True))
    return work, [z, p, *one_number(function, work.xp, **rest)]


def _changed(function: str, z: Any, p: Any, k: Any, **more: Any) -> tuple[Any, Any, Any]:
    """Return the filter after a transformation."""
    numbers = (k, *more.values())
    if _are_wide(z, p) and all(type(v) in (float, int) for v in numbers):
        return _changed_numbers(z, p, float(k), function, *map(float, more.values()))
    work, arrays = _planned(function, z, p, k, **more)
    z, p, k = _CHANGES[function](work.xp, *arrays)
    return work.give(z), work.give(p), work.give(k)


def _are_wide(z: Any, p: Any) -> bool:
    """Tell whether zeros and poles are already vectors in double precision."""
    if is_neutral(z) or type(z) is not type(p) or z.ndim != 1 or z.ndim != p.ndim:
        return False
    xp = array_namespace(z)
    known = (xp.float64, xp.complex128)
    if z.dtype not in known or p.dtype not in known or z.shape[0] > p.shape[0]:
        return False
    return bool(device(z) == device(p))


@native()
def _changed_numbers(z: Any, p: Any, k: float, function: str, *more: float) -> Any:
    xp = array_namespace(z)
    z, p, k = _CHANGES[function](xp, z, p, k, *more)
    return z, p, xp.asarray(k, dtype=xp.float64, device=device(z))[()]


_CHANGES: dict[str, Any] = {
    "lp2lp_zpk": _lp2lp,
    "lp2hp_zpk": _lp2hp,
    "lp2bp_zpk": _lp2bp,
    "lp2bs_zpk": _lp2bs,
    "bilinear_zpk": to_digital,
}


@public
def lp2lp_zpk(z: A, p: A, k: A | Numbers, wo: A | float = 1.0) -> tuple[A, A, Any]:
    """Transform an analog lowpass filter to another cutoff.

    Parameters
    ----------
    z, p : array, shape (m,) and (n,)
        Zeros and poles of a lowpass filter with a cutoff of 1 rad/s, at least as many poles.
    k : float or 0-d array
        The filter's gain.
    wo : float or 0-d array, optional
        The cutoff, in rad/s.

    Returns
    -------
    z, p : array
        Zeros and poles, with the library, device and precision of the arguments.
    k : 0-d array
        The gain.

    Raises
    ------
    ArgumentError
        If there are fewer poles than zeros, or `k` or `wo` is not one number.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        If zeros or poles are not vectors of numbers of one library and device.

    Notes
    -----
    ``s`` becomes ``s/wo`` (T. W. Parks and C. S. Burrus, Digital Filter Design, section 7.1).
    O(n) operations. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lp2lp_zpk
    >>> z, p, k = lp2lp_zpk(np.asarray([]), np.asarray([-1.0]), 1.0, wo=3.0)
    >>> p, float(k)
    (array([-3.]), 3.0)
    """
    return _changed("lp2lp_zpk", z, p, k, wo=wo)


@public
def lp2hp_zpk(z: A, p: A, k: A | Numbers, wo: A | float = 1.0) -> tuple[A, A, Any]:
    """Transform an analog lowpass filter to a highpass filter.

    Parameters
    ----------
    z, p, k
        As for `lp2lp_zpk`.
    wo : float or 0-d array, optional
        The cutoff, in rad/s.

    Returns
    -------
    z, p, k
        As from `lp2lp_zpk`.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        As for `lp2lp_zpk`.

    Notes
    -----
    ``s`` becomes ``wo/s``. O(n) operations. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lp2hp_zpk
    >>> z, p, k = lp2hp_zpk(np.asarray([]), np.asarray([-2.0]), 2.0, wo=3.0)
    >>> z, p, float(k)
    (array([0.]), array([-1.5]), 1.0)
    """
    return _changed("lp2hp_zpk", z, p, k, wo=wo)


@public
def lp2bp_zpk(
    z: A, p: A, k: A | Numbers, wo: A | float = 1.0, bw: A | float = 1.0
) -> tuple[A, A, Any]:
    """Transform an analog lowpass filter to a bandpass filter.

    Parameters
    ----------
    z, p, k
        As for `lp2lp_zpk`.
    wo, bw : float or 0-d array, optional
        Centre (the geometric mean of the edges) and width of the band, in rad/s.

    Returns
    -------
    z, p, k
        As from `lp2lp_zpk`; zeros and poles are complex, and there are twice as many poles.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        As for `lp2lp_zpk`.

    Notes
    -----
    ``s`` becomes ``(s**2 + wo**2)/(s bw)``. O(n) operations. Differentiable if no two poles
    coincide.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lp2bp_zpk
    >>> z, p, k = lp2bp_zpk(np.asarray([]), np.asarray([-1.0]), 1.0, wo=5.0, bw=6.0)
    >>> np.abs(p), np.real(p), float(k)
    (array([5., 5.]), array([-3., -3.]), 6.0)
    """
    return _changed("lp2bp_zpk", z, p, k, wo=wo, bw=bw)


@public
def lp2bs_zpk(
    z: A, p: A, k: A | Numbers, wo: A | float = 1.0, bw: A | float = 1.0
) -> tuple[A, A, Any]:
    """Transform an analog lowpass filter to a bandstop filter.

    Parameters
    ----------
    z, p, k
        As for `lp2lp_zpk`.
    wo, bw : float or 0-d array, optional
        Centre (the geometric mean of the edges) and width of the stopband, in rad/s.

    Returns
    -------
    z, p, k
        As from `lp2bp_zpk`.

    Raises
    ------
    ArgumentError, ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        As for `lp2lp_zpk`.

    Notes
    -----
    ``s`` becomes ``s bw/(s**2 + wo**2)``. O(n) operations. Differentiable if no two poles coincide.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lp2bs_zpk
    >>> z, p, k = lp2bs_zpk(np.asarray([]), np.asarray([-1.0]), 1.0, wo=5.0, bw=6.0)
    >>> np.abs(z), np.real(p)
    (array([5., 5.]), array([-3., -3.]))
    """
    return _changed("lp2bs_zpk", z, p, k, wo=wo, bw=bw)


@public
def bilinear_zpk(z: A, p: A, k: A | Numbers, fs: float) -> tuple[A, A, Any]:
    """Transform an analog filter to a digital one by the bilinear transform.

    Parameters
    ----------
    z, p : array, shape (m,) and (n,)
        Zeros and poles of an analog filter, in rad/s, at least as many poles.
    k : float or 0-d array
        The filter's gain.
    fs : float
        The sampling rate, as an ordinary frequency. There is no prewarping.

    Returns
    -------
    z, p : array, shape (n,)
        Zeros and poles in the z plane.
    k : 0-d array
        The gain.

    Raises
    ------
    ArgumentError
        If there are fewer poles than zeros, `k` is not one number, or `fs` is not a positive
        number.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        As for `lp2lp_zpk`.

    Notes
    -----
    ``s`` becomes ``2 fs (z - 1)/(z + 1)`` (A. Tustin, J. IEE 94 IIA, 130, 1947). O(n) operations.
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import bilinear_zpk
    >>> z, p, k = bilinear_zpk(np.asarray([]), np.asarray([-2.0]), 1.0, fs=3.0)
    >>> z, p, float(k)
    (array([-1.]), array([0.5]), 0.125)
    """
    return _changed("bilinear_zpk", z, p, k, fs=rate("bilinear_zpk", fs))
