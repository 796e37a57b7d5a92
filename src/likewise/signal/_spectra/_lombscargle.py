"""The periodogram of samples at arbitrary times."""

import warnings
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, is_concrete
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError, _level

__all__ = ["lombscargle"]

Normalize = Literal["power", "normalize", "amplitude"]
_WAYS = ("power", "normalize", "amplitude")


@public
def lombscargle(
    x: A,
    y: A,
    freqs: A,
    *,
    precenter: bool | None = None,
    normalize: bool | Normalize | str = False,
    weights: A | None = None,
    floating_mean: bool = False,
) -> A:
    """Fit a sine at each frequency to samples at arbitrary times, and return its power.

    Parameters
    ----------
    x : array, shape (n,)
        The times.
    y : array, shape (n,)
        The real samples.
    freqs : array, shape (m,)
        The angular frequencies, in radians per unit of time.
    precenter : bool, optional
        Whether to subtract the mean of `y` first. Deprecated, as in SciPy: subtract it yourself, or
        fit it with `floating_mean`.
    normalize : bool or {'power', 'normalize', 'amplitude'}, optional
        False or 'power': the power, in squares of the samples' unit. True or 'normalize': the
        fraction of the sum of squares that the sine explains, from 0 to 1. 'amplitude': the complex
        amplitude.
    weights : array, shape (n,), optional
        The weight of each sample, not negative. Default: equal weights.
    floating_mean : bool, optional
        Whether to fit a constant together with each sine.

    Returns
    -------
    array, shape (m,)
        The periodogram, in the common floating dtype; complex for 'amplitude'.

    Raises
    ------
    ArgumentError
        If weights are negative or all zero (checked only if values are available), or `normalize`
        is unknown.
    ShapeError
        If an array doesn't have one dimension or is empty, or the numbers of times, samples and
        weights differ.
    DtypeError
        If an array is complex.

    Warns
    -----
    DeprecationWarning
        If `precenter` is given.

    Notes
    -----
    Computes the generalised periodogram (M. Zechmeister, M. Kürster, Astron. Astrophys. 496, 577,
    2009), with the time shift that makes sine and cosine orthogonal (J. D. Scargle, Astrophys. J.
    263, 835, 1982). O(n m) operations and memory. Differentiable.

    Differs from SciPy: single precision stays single.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lombscargle
    >>> t = np.asarray([0.0, 0.7, 1.1, 2.9, 4.2, 5.0, 6.6])
    >>> lombscargle(t, np.sin(2 * t), np.asarray([1.0, 2.0]), normalize=True).round(6)
    array([0.258078, 1.      ])
    """
    given = (x, y, freqs) if weights is None else (x, y, freqs, weights)
    names = ("x", "y", "freqs", "weights")[: len(given)]
    xp = array_namespace(*given)
    way = ("power", "normalize")[normalize] if isinstance(normalize, bool) else normalize
    _plan.choice("lombscargle", "normalize", way, _WAYS)
    t, samples, w, *rest = _plan.common_floating("lombscargle", xp, names, *given, real=True)
    for name, a in zip(names, (t, samples, w, *rest), strict=True):
        if a.ndim != 1 or not a.shape[0]:
            raise ShapeError(
                f"lombscargle: {name} must have one dimension and elements, got the shape "
                f"{tuple(a.shape)}"
            )
    share = rest[0] if rest else xp.ones_like(samples)
    if not t.shape == samples.shape == share.shape:
        raise ShapeError(
            "lombscargle: x, y and weights must be equally long, got "
            f"{t.shape[0]}, {samples.shape[0]} and {share.shape[0]}"
        )
    if rest and is_concrete(share) and not bool(xp.all(share >= 0) & (xp.sum(share) > 0)):
        raise ArgumentError("lombscargle: weights must not be negative, and not all zero")
    if precenter is not None:
        warnings.warn(
            "lombscargle: precenter is deprecated, and SciPy drops it in 1.19. In place of True "
            "pass y - xp.mean(y), or floating_mean=True; in place of False, nothing",
            DeprecationWarning,
            stacklevel=_level(),
        )
        samples = samples - xp.mean(samples) if precenter else samples
    t, samples, w = (xp.asarray(a) for a in (t, samples, w))  # all that a transform follows
    return _fitted(t, samples, w, xp.asarray(share / xp.sum(share)), way, bool(floating_mean))


@native()
def _fitted(t: Any, y: Any, freqs: Any, share: Any, way: str, floating_mean: bool) -> Any:
    xp = array_namespace(t)
    phase = freqs[:, None] * t[None, :]
    cos, sin = xp.cos(phase), xp.sin(phase)

    def mean(values: Any) -> Any:
        return xp.sum(values * share, axis=-1)

    cc, cs = mean(cos * cos), mean(cos * sin)
    ss = 1 - cc
    if floating_mean:
        c, s = mean(cos), mean(sin)
        cc, ss, cs = cc - c * c, ss - s * s, cs - c * s
    # Where the two are orthogonal already, and alike, any shift does; zero, which has a derivative.
    none = (cs == 0) & (cc == ss)
    tau = xp.atan2(2 * cs, xp.where(none, xp.ones_like(cc), cc - ss)) / 2
    cos, sin = xp.cos(phase - tau[:, None]), xp.sin(phase - tau[:, None])
    yc, ys, cc = mean(y * cos), mean(y * sin), mean(cos * cos)
    ss = 1 - cc
    if floating_mean:
        c, s, middle = mean(cos), mean(sin), mean(y)
        yc, ys, cc, ss = yc - middle * c, ys - middle * s, cc - c * c, ss - s * s
    least = xp.full_like(cc, xp.finfo(cc.dtype).eps / 2)
    a, b = yc / xp.maximum(cc, least), ys / xp.maximum(ss, least)
    if way == "amplitude":
        return (a + 1j * b) * (xp.cos(tau) + 1j * xp.sin(tau))
    power = a * yc + b * ys
    if way == "power":
        return power * (t.shape[0] / 2)
    middle = mean(y)
    return power / (mean(y * y) - (middle * middle if floating_mean else 0 * middle))
