"""Fits of g2 at all q at once, and the diffusion coefficient that follows."""

from typing import Any, NamedTuple

from likewise import array_namespace, asarray
from likewise.missing import at
from likewise.optimize import curve_fit

Array = Any

START = (1.0, 1.0, 0.3, 1.0)  # relaxation time, baseline, contrast, exponent of the stretching
TWO_LOW, TWO_HIGH = (1e-6, 1e-6, 0.0, 0.0, 0.0), (1e6, 1e6, 1.0, 2.0, 1.0)
LOW, HIGH = (1e-6, 0.0, 0.0, 0.2), (1e6, 2.0, 1.0, 3.0)


def stretched(t: Array, tau: Array, baseline: Array, contrast: Array, power: Array) -> Array:
    """Return g2 at delays t: the Siegert relation of a stretched exponential."""
    xp = array_namespace(t, tau)
    return baseline + contrast * xp.exp(-2 * (t / tau) ** power)


def fit_g2(t: Array, g2: Array, *, simple: bool = True, start: Any = None, **options: Any) -> Any:
    """Fit relaxation time, baseline, contrast and exponent to g2 (..., n) at delays t > 0 (n,).

    One problem for each leading index, all at once; `simple` holds the exponent at 1. Unless
    `start` says otherwise, the relaxation time begins as the middle one of the delays: a fit that
    begins far from all of them sees no slope.
    """
    given = START if start is None else start
    p0, low, high = (asarray(list(p), like=g2, dtype=g2.dtype) for p in (given, LOW, HIGH))
    if start is None:
        p0 = at(p0)[0].set(array_namespace(t, g2).astype(t[t.shape[0] // 2], g2.dtype))
    fixed = [False, False, False, simple]
    return curve_fit(
        stretched, t, g2, p0, bounds=(low, high), fixed=fixed, full_output=True, **options
    )


def two_modes(
    t: Array, fast: Array, slow: Array, share: Array, baseline: Array, contrast: Array
) -> Array:
    """Return g2 of a field with two exponentials, of which the fast one has the share `share`."""
    xp = array_namespace(t, fast)
    field = share * xp.exp(-t / fast) + (1 - share) * xp.exp(-t / slow)
    return baseline + contrast * field**2


def fit_two_modes(t: Array, g2: Array, **options: Any) -> Any:
    """Fit two relaxation times, the share of the fast one, baseline and contrast to g2 (..., n).

    They begin a fifth of the delays from either end, on the logarithmic scale that delays have.
    Which of the two is the fast one `sorted_modes` settles after the fit.
    """
    xp, n = array_namespace(t, g2), t.shape[0]
    rest = asarray([0.5, 1.0, 0.3], like=g2, dtype=g2.dtype)
    p0 = xp.concat([xp.stack([t[n // 5], t[n - 1 - n // 5]]), rest])
    low, high = (asarray(p, like=g2, dtype=g2.dtype) for p in (TWO_LOW, TWO_HIGH))
    return curve_fit(two_modes, t, g2, p0, bounds=(low, high), full_output=True, **options)


def sorted_modes(popt: Array) -> Array:
    """Return parameters (..., 5) of `two_modes` with the shorter time first."""
    xp = array_namespace(popt)
    fast, slow, share = popt[..., 0], popt[..., 1], popt[..., 2]
    turned = fast > slow
    times = [xp.minimum(fast, slow), xp.maximum(fast, slow), xp.where(turned, 1 - share, share)]
    return xp.concat([xp.stack(times, axis=-1), popt[..., 3:]], axis=-1)


class Diffusion(NamedTuple):
    """The slope of 1 / tau over q^2, with its standard error."""

    value: Array
    error: Array


def diffusion(q: Array, tau: Array, spread: Array) -> Diffusion:
    """Return D of 1 / tau = D q^2, each tau (n,) weighted by its standard deviation."""
    xp = array_namespace(q, tau)
    weight = (q**2 * tau**2 / spread) ** 2  # of the rate, whose deviation is spread / tau^2
    value = xp.sum(weight / (q**2 * tau)) / xp.sum(weight)
    return Diffusion(value, 1 / xp.sqrt(xp.sum(weight)))
