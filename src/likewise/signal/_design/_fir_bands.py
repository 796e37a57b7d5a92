"""FIR filters for given gains at frequencies, by sampling and by least squares."""

import itertools
import math
from typing import Any

from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...fft import irfft
from ...linalg import hankel, lstsq, toeplitz
from ...missing import interp, sinc
from .._base._places import follows_like, host, integer, rate, read, real_only
from ..windows import get_window
from ..windows._get_window import refused

__all__ = ["firls", "firwin2"]


@public
@follows_like
def firwin2(
    numtaps: int,
    freq: Any,
    gain: Any,
    *,
    nfreqs: int | None = None,
    window: Any = "hamming",
    antisymmetric: bool = False,
    fs: float | None = None,
    like: Any = None,
) -> Any:
    """Design an FIR filter for gains at frequencies by sampling and a window.

    Parameters
    ----------
    numtaps : int
        The length, less than `nfreqs`.
    freq : array or sequence, shape (n,)
        Non-decreasing frequencies from 0 to half of `fs`; a repeated frequency makes a step.
    gain : array or sequence, shape (n,)
        The gains at these frequencies, linearly interpolated in between.
    nfreqs : int, optional
        The number of frequency samples, best a power of two plus one. Default: the smallest such
        number that is at least `numtaps`.
    window : str, float, tuple or None, optional
        As for `get_window`; None for no window.
    antisymmetric : bool, optional
        Whether the coefficients are antisymmetric.
    fs : float, optional
        The sampling rate. Default: 2.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (numtaps,)
        The coefficients, with the library, device and precision of array arguments, else those that
        `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If frequencies don't ascend from 0 to half of `fs`, an end or a frequency is repeated too
        often, a gain is not zero where it must be for the length and symmetry, or `nfreqs` is too
        small.
    ShapeError
        If there are not as many gains as frequencies, or fewer than two.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Applies an inverse Fourier transform to the sampled response with the phase of a delay (A. V.
    Oppenheim and R. W. Schafer, Digital Signal Processing, Prentice Hall 1975, section 5.5), in
    O(nfreqs log nfreqs) operations on the host. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import firwin2
    >>> firwin2(3, [0.0, 0.5, 1.0], [1.0, 1.0, 0.0], nfreqs=5).round(6)
    array([0.017071, 0.75    , 0.017071])
    """
    taps = integer("firwin2", "numtaps", numtaps, 1)
    half = rate("firwin2", fs, 2.0) / 2
    where, arrays = read("firwin2", freq=freq, gain=gain)
    real_only("firwin2", freq=arrays[0], gain=arrays[1])
    f, g = ([float(v) for v in x.reshape(-1)] for x in arrays)
    if len(f) != len(g) or len(f) < 2:
        raise ShapeError(
            f"firwin2: freq and gain must be of one length, at least 2, got {len(f)} and {len(g)}"
        )
    n = (
        1 + 2 ** math.ceil(math.log2(taps))
        if nfreqs is None
        else integer("firwin2", "nfreqs", nfreqs)
    )
    if nfreqs is not None and taps >= n:
        raise ArgumentError(f"firwin2: numtaps must be less than nfreqs, got {taps} and {n}")
    _check_frequencies(f, half)
    _check_ends(taps, bool(antisymmetric), g)
    xp = host()
    x = xp.linspace(0.0, half, n)
    response = interp(x, xp.asarray(_steps_apart(f, half)), xp.asarray(g))
    shift = xp.exp(-(taps - 1) / 2 * 1j * math.pi * x / half)
    out = irfft(response * shift * (1j if antisymmetric else 1))[:taps]
    if window is not None:
        try:
            out = out * get_window(window, taps, fftbins=False, xp=xp)
        except ArgumentError as error:
            raise refused("firwin2", error) from error
    if antisymmetric and taps % 2:
        out = xp.where(xp.arange(taps) == taps // 2, xp.zeros_like(out), out)
    return where.give(out)


def _check_frequencies(f: list[float], half: float) -> None:
    if f[0] != 0 or f[-1] != half:
        raise ArgumentError(
            f"firwin2: freq must start with 0 and end with {half!r}, half of fs, got {f[0]!r} and "
            f"{f[-1]!r}"
        )
    if any(b < a for a, b in itertools.pairwise(f)):
        raise ArgumentError(f"firwin2: freq must not decrease, got {f}")
    if any(a == c for a, c in zip(f, f[2:], strict=False)):
        raise ArgumentError(f"firwin2: a frequency must not come more than twice in freq, got {f}")
    if f[1] == 0 or f[-2] == half:
        raise ArgumentError(f"firwin2: 0 and {half!r}, half of fs, must come once in freq, got {f}")


def _check_ends(taps: int, antisymmetric: bool, g: list[float]) -> None:
    """Refuse gains at the ends that a filter of the length and symmetry can't have."""
    low, high = antisymmetric, taps % 2 == (1 if antisymmetric else 0)
    for must, name, value in ((low, "zero", g[0]), (high, "the Nyquist frequency", g[-1])):
        if must and value != 0:
            symmetry = "antisymmetric" if antisymmetric else "symmetric"
            raise ArgumentError(
                f"firwin2: the gain at {name} must be 0 for {taps} {symmetry} coefficients, got "
                f"{value!r}. Change numtaps by one, or antisymmetric."
            )


def _steps_apart(f: list[float], half: float) -> list[float]:
    """Return frequencies that increase: those of a step are moved apart by rounding errors."""
    out, eps = list(f), 2.0**-52 * half
    for k in range(len(out) - 1):
        if f[k] == f[k + 1]:
            out[k], out[k + 1] = f[k] - eps, f[k + 1] + eps
    if any(b <= a for a, b in itertools.pairwise(out)):
        raise ArgumentError(
            f"firwin2: frequencies next to a repeated one must be further than {eps!r} from it, "
            f"got {f}"
        )
    return out


@public
@follows_like
def firls(
    numtaps: int,
    bands: Any,
    desired: Any,
    *,
    weight: Any = None,
    fs: float | None = None,
    like: Any = None,
) -> Any:
    """Design the FIR filter of linear phase with the least squared error in bands.

    Parameters
    ----------
    numtaps : int
        The length, odd.
    bands : array or sequence, shape (2 n,)
        Edges of n bands that don't overlap, from 0 to half of `fs`.
    desired : array or sequence, shape (2 n,)
        The gain at each edge, not negative, linearly interpolated in between.
    weight : array or sequence, shape (n,), optional
        The weight of the error in each band, not negative. Default: one.
    fs : float, optional
        The sampling rate. Default: 2.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (numtaps,)
        The coefficients, with the library, device and precision of array arguments, else those that
        `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If the length is even, bands are not ascending or not within 0 and half of `fs`, or gains or
        weights are negative.
    ShapeError
        If numbers of edges, gains and weights don't fit.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Solves the normal equations, a Toeplitz plus a Hankel matrix (I. Selesnick, Linear-phase FIR
    filter design by least squares, 2005), by singular values, because the solution may not be
    unique. O(numtaps**3) operations on the host. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import firls
    >>> firls(3, [0.0, 0.4, 0.6, 1.0], [1.0, 1.0, 0.0, 0.0]).round(6)
    array([0.306688, 0.5     , 0.306688])
    """
    taps = integer("firls", "numtaps", numtaps, 1)
    if taps % 2 == 0:
        raise ArgumentError(f"firls: numtaps must be odd, got {taps}. Take one more or less.")
    half = rate("firls", fs, 2.0) / 2
    weighed = {} if weight is None else {"weight": weight}
    where, arrays = read("firls", bands=bands, desired=desired, **weighed)
    real_only("firls", **dict(zip(("bands", "desired", "weight"), arrays, strict=False)))
    b, d = ([float(v) for v in x.reshape(-1)] for x in arrays[:2])
    w = [1.0] * (len(d) // 2) if weight is None else [float(v) for v in arrays[2].reshape(-1)]
    _check_bands([e / half for e in b], d, w, half)
    return where.give(_least_squares(taps // 2, [e / half for e in b], d, w))


def _check_bands(b: list[float], d: list[float], w: list[float], half: float) -> None:
    if len(b) % 2 or len(b) != len(d) or len(w) != len(d) // 2 or not b:
        raise ShapeError(
            "firls: bands must be pairs, with as many gains in desired and a weight for each pair, "
            f"got {len(b)}, {len(d)} and {len(w)} numbers"
        )
    shown = [e * half for e in b]
    if not all(0 <= e <= 1 for e in b):
        raise ArgumentError(f"firls: bands must lie from 0 to {half!r}, half of fs, got {shown}")
    if any(stop <= start for start, stop in zip(b[::2], b[1::2], strict=True)):
        raise ArgumentError(f"firls: each band must have a width, got {shown}")
    if any(start < stop for stop, start in zip(b[1::2], b[2::2], strict=False)):
        raise ArgumentError(f"firls: bands must increase and not overlap, got {shown}")
    for name, values in (("desired", d), ("weight", w)):
        if not all(v >= 0 for v in values):
            raise ArgumentError(f"firls: {name} must not be negative, got {values}")


def _least_squares(m: int, b: list[float], d: list[float], w: list[float]) -> Any:
    """Return 2 m + 1 coefficients."""
    xp = host()
    edges, gains, weights = (xp.asarray(v) for v in (b, d, w))
    edges, gains = xp.reshape(edges, (-1, 2)), xp.reshape(gains, (-1, 2))

    def summed(x: Any) -> Any:
        """The difference between the ends of each band, weighted, for each n."""
        return xp.sum((x[..., 1] - x[..., 0]) * weights, axis=-1)

    n = xp.reshape(xp.arange(2 * m + 1, dtype=xp.float64), (-1, 1, 1))
    q = summed(sinc(edges * n) * edges)
    matrix = toeplitz(q[: m + 1]) + hankel(q[: m + 1], q[m:])
    n = n[: m + 1, ...]
    slope = ((gains[:, 1] - gains[:, 0]) / (edges[:, 1] - edges[:, 0]))[:, None]
    start = gains[:, :1] - edges[:, :1] * slope
    linear = edges * (slope * edges + start) * sinc(edges * n)
    away = xp.where(n == 0, xp.ones_like(n), n) * math.pi
    bent = xp.where(n == 0, -edges * edges / 2, xp.cos(n * math.pi * edges) / away**2)
    a = lstsq(matrix, summed(linear + slope * bent)).x
    return xp.concat((xp.flip(a[1:]), 2 * a[:1], a[1:]))
