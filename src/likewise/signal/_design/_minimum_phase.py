"""Minimum-phase filters from linear-phase filters."""

import math
import warnings
from typing import Any, Literal

from ... import _plan
from ..._namespace import device, is_concrete
from ..._native import public
from ...errors import ArgumentError, DesignWarning, DtypeError, ShapeError, _level
from ...fft import irfft, rfft
from .._base._places import integer, working

__all__ = ["minimum_phase"]

Method = Literal["homomorphic", "hilbert"]


@public
def minimum_phase(
    h: Any, method: Method | str = "homomorphic", n_fft: int | None = None, *, half: bool = True
) -> Any:
    """Convert a linear-phase FIR filter to minimum phase.

    Parameters
    ----------
    h : array, shape (n,)
        At least three coefficients of linear phase.
    method : {'homomorphic', 'hilbert'}, optional
        'homomorphic' works for any filter; 'hilbert' is slightly more precise for filters with
        equal ripples around 1 and 0.
    n_fft : int, optional
        The length of the transform, at least n. Default: the smallest power of two that is at least
        200 (n - 1).
    half : bool, optional
        If True, the magnitude of the response is the square root of that of `h`, with half the
        length; if False, which needs 'homomorphic', both magnitudes are equal.

    Returns
    -------
    array, shape ((n + 1)//2,) or (n,)
        The coefficients, with the library, device and precision of `h`.

    Raises
    ------
    ArgumentError
        If the method is unknown, `n_fft` is less than n, or `half` is False for 'hilbert'.
    ShapeError, DtypeError
        If `h` doesn't have one dimension with at least three elements, or is complex.
    ExtensionMissing
        If the namespace has no ``fft``.

    Warns
    -----
    DesignWarning
        If `h` is not symmetric (checked only if values are available).

    Notes
    -----
    Folds the cepstrum (J. S. Lim and A. V. Oppenheim, Advanced Topics in Signal Processing,
    Prentice Hall 1988, section 5), or takes the Hilbert transform of the logarithm (N.
    Damera-Venkata and B. L. Evans, IEEE ICASSP 1999, 1449). O(n_fft log n_fft) operations.
    Differentiable, except where
    the response is zero.

    'hilbert' shifts the smallest response to zero before it takes the logarithm, so the result
    depends on the last digits of the response: for some filters and lengths, two programs differ by
    1e-4 to 1e-3 of the largest coefficient. A larger `n_fft` reduces the difference.

    Examples
    --------
    >>> from likewise.signal import minimum_phase
    >>> minimum_phase([0.25, 0.625, 0.25], half=False, n_fft=4096).round(4)
    array([0.5 , 0.5 , 0.125])
    """
    _plan.choice("minimum_phase", "method", method, ("homomorphic", "hilbert"))
    work = working("minimum_phase", h=h)
    xp, h = work.xp, work.arrays[0]
    if _plan.is_complex(xp, h.dtype):
        raise DtypeError("minimum_phase: h must hold real numbers, got complex ones")
    if h.ndim != 1 or h.shape[0] <= 2:
        raise ShapeError(
            "minimum_phase: h must have one dimension and at least 3 elements, got the shape "
            f"{tuple(h.shape)}"
        )
    if method == "hilbert" and not half:
        raise ArgumentError("minimum_phase: half must be True for method='hilbert', got False")
    n, middle = h.shape[0], h.shape[0] // 2
    length = 2 ** math.ceil(math.log2(200 * (n - 1))) if n_fft is None else n_fft
    length = integer("minimum_phase", "n_fft", length)
    if length < n:
        raise ArgumentError(f"minimum_phase: n_fft must be at least {n}, len(h), got {length}")
    _plan.extension("minimum_phase", xp, "fft")
    _warn_of_asymmetry(xp, h, middle)
    found = _hilbert(xp, h, length, middle) if method == "hilbert" else _folded(xp, h, length, half)
    return work.give(found[: middle + n % 2 if half else n])


def _warn_of_asymmetry(xp: Any, h: Any, middle: int) -> None:
    if not is_concrete(h):
        return
    first, last = h[:middle], xp.flip(h[-middle:])
    if not bool(xp.any(last - first <= 1e-8 + 1e-6 * xp.abs(first))):
        warnings.warn(
            "minimum_phase: h is not symmetric, so that the result may not be what is meant",
            DesignWarning,
            stacklevel=_level(),
        )


def _complex(xp: Any, x: Any) -> Any:
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)


def _folded(xp: Any, h: Any, n: int, half: bool) -> Any:
    size = xp.abs(rfft(h, n=n))
    least = xp.min(xp.where(size > 0, size, xp.full_like(size, math.inf)))
    log = xp.log(size + 1e-7 * least) * (0.5 if half else 1.0)
    cepstrum = irfft(_complex(xp, log), n=n)
    k = xp.arange(n, device=device(h))
    twice = (k > 0) & (k < n // 2)
    once = (k == 0) | ((k == n // 2) if n % 2 else (k < 0))
    kept = xp.where(twice, 2 * cepstrum, xp.where(once, cepstrum, xp.zeros_like(cepstrum)))
    return irfft(xp.exp(rfft(kept)), n=n)


def _hilbert(xp: Any, h: Any, n: int, middle: int) -> Any:
    k = xp.arange(n, dtype=h.dtype, device=device(h))
    turn = xp.exp(1j * (k[: n // 2 + 1] * (2 * math.pi / n * middle)))
    size = xp.real(rfft(h, n=n) * turn)
    above, below = xp.max(size) - 1, -xp.min(size)
    scale = 4 / (xp.sqrt(1 + above + below) + xp.sqrt(1 - above + below)) ** 2
    size = xp.sqrt((size + below) * scale) + 1e-10
    first = xp.astype((k > 0) & (k < n // 2), h.dtype)
    sign = first - xp.astype(k > n // 2, h.dtype)
    turned = rfft(sign * irfft(_complex(xp, xp.log(size)), n=n))
    return irfft(size * xp.exp(turned), n=n)
