"""Models of decays, perfusion, diffusion, relaxation and scattering, in the array API standard.

Each takes ``x`` of shape (n,), or (k, n) where there are several predictors, and parameters of
shape () or (batch, 1); the result is (n,) or (batch, n), on the parameters' library and device.
Predictors of each problem may have its batch axis in the middle, (k, batch, n).
"""

import math
from typing import Any

from likewise import array_namespace

Array = Any  # of any library

# -- decays ----------------------------------------------------------------------------------------


def monoexponential(t: Array, amplitude: Array, rate: Array, offset: Array) -> Array:
    """Decay to an offset; `rate` in 1 / (unit of t).

    Trap: the half-lives in the data, not 1, are where the rate should start.
    """
    xp = array_namespace(t, rate)
    return amplitude * xp.exp(-rate * t) + offset


def biexponential(t: Array, a1: Array, k1: Array, a2: Array, k2: Array) -> Array:
    """Two decays.

    Trap: exchange of the two is the same curve, and equal rates are a singular Jacobian; start
    with k1 > k2, and keep them apart by bounds where that is known.
    """
    xp = array_namespace(t, k1)
    return a1 * xp.exp(-k1 * t) + a2 * xp.exp(-k2 * t)


def stretched_exponential(t: Array, amplitude: Array, rate: Array, beta: Array) -> Array:
    """Kohlrausch's decay, amplitude exp(-(rate t)^beta), t and rate not negative.

    R. Kohlrausch, Annalen der Physik 167, 1854. Trap: at t = 0 the derivative to beta is
    0 log 0 = NaN unless the logarithm never sees the 0.
    """
    xp = array_namespace(t, rate)
    return amplitude * xp.exp(-_power(xp, rate * t, beta))


def power_law(x: Array, amplitude: Array, exponent: Array) -> Array:
    """Amplitude x^exponent, x positive.

    Trap: a line through logarithms is another fit, with other weights; good for a start.
    """
    xp = array_namespace(x, exponent)
    return amplitude * xp.exp(exponent * xp.log(x))


def _power(xp: Any, base: Array, exponent: Array) -> Array:
    """base^exponent, 0 with derivatives 0 where base is not positive."""
    positive = base > 0
    safe = xp.where(positive, base, xp.ones_like(base))
    value = xp.exp(exponent * xp.log(safe))
    return xp.where(positive, value, xp.zeros_like(value))


# -- perfusion: tracer kinetics --------------------------------------------------------------------
# x[0]: times in minutes, rising, not necessarily evenly; x[1]: the arterial input at these times.


def convolved(t: Array, aif: Array, rate: Array) -> Array:
    """The input convolved with exp(-rate t): exact for an input of straight pieces.

    c(t_i) = exp(-rate dt) c(t_i-1) + what one piece adds, in closed form; the n steps of this
    recursion are done in log2(n), by doubling their length (W. D. Hillis, G. L. Steele, Comm. ACM
    29(12), 1986). Only decaying exponentials occur, so that nothing overflows.

    Traps: the rectangle rule, and an FFT is no more, is wrong by dt / 2 times the input's first
    value, 33 % of a peak at dt = 10 s; cumulative sums of exp(+rate t) overflow where rate t > 700
    (88 in float32), and an optimiser goes there.
    """
    xp = array_namespace(t, rate)
    dt = t[..., 1:] - t[..., :-1]
    before, now = _weights(xp, rate * dt)
    c = dt * (before * aif[..., :-1] + now * aif[..., 1:])
    span, early = 1, -t[..., 1:]
    while span < c.shape[-1]:
        factor = xp.exp(rate * (early[..., span:] - early[..., :-span]))
        c = xp.concat([c[..., :span], c[..., span:] + factor * c[..., :-span]], axis=-1)
        span *= 2
    return xp.concat([xp.zeros_like(c[..., :1]), c], axis=-1)


def _weights(xp: Any, x: Array) -> tuple[Array, Array]:
    """Return the weights of both ends of a straight piece that decays by exp(-x), over its length.

    The second is w = (1 - h) / x with h = (1 - exp(-x)) / x, the first h - w. For small x a series,
    as the differences have no digits left there.
    """
    small = xp.abs(x) < 0.01
    safe = xp.where(small, xp.ones_like(x), x)
    series = 1 / 2 - x * (1 / 6 - x * (1 / 24 - x * (1 / 120 - x / 720)))
    h = -xp.expm1(-safe) / safe
    now = xp.where(small, series, (1 - h) / safe)
    return xp.where(small, 1 - x * series, h) - now, now


def tofts(x: Array, ktrans: Array, ve: Array) -> Array:
    """Tofts' model: tissue concentration; ktrans in 1/min, ve the extravascular fraction.

    P. S. Tofts, J. Magn. Reson. Imaging 7, 1997, eq. 8. Trap: times in seconds with a rate per
    minute.
    """
    return ktrans * convolved(x[0, ...], x[1, ...], ktrans / ve)


def extended_tofts(x: Array, ktrans: Array, ve: Array, vp: Array) -> Array:
    """Tofts' model with a plasma fraction vp.

    P. S. Tofts et al., J. Magn. Reson. Imaging 10, 1999. Trap: with a small ktrans ve is not
    determined, and pcov says so; a start clipped to its bound is no answer.
    """
    return vp * x[1, ...] + tofts(x, ktrans, ve)


def patlak(x: Array, ktrans: Array, vp: Array) -> Array:
    """Uptake without reflux: ktrans in 1/min, vp the plasma fraction.

    C. S. Patlak, R. G. Blasberg, J. D. Fenstermacher, J. Cereb. Blood Flow Metab. 3, 1983. Trap:
    Patlak's plot divides by the input, and where that is small by its noise; this doesn't.
    """
    t, aif = x[0, ...], x[1, ...]
    xp = array_namespace(x, ktrans)
    area = 0.5 * (t[..., 1:] - t[..., :-1]) * (aif[..., 1:] + aif[..., :-1])
    return ktrans * xp.cumulative_sum(area, axis=-1, include_initial=True) + vp * aif


def two_compartment_exchange(x: Array, fp: Array, ps: Array, ve: Array, vp: Array) -> Array:
    """Two compartments with exchange (2CXM): fp and ps in ml/min/100 ml, ve and vp fractions.

    S. P. Sourbron, D. L. Buckley, Magn. Reson. Med. 66, 2011. The response to an impulse is two
    exponentials, with the eigenvalues of the exchange. Traps: their difference is the root of a
    sum of squares, and the smaller one a quotient, neither of them a difference of large numbers;
    and flow per 100 ml with fractions per ml.
    """
    xp = array_namespace(x, fp)
    flow, exchange = fp / 100, ps / 100
    out, back, wash = (flow + exchange) / vp, exchange / ve, flow / vp
    root = xp.sqrt((out - back) ** 2 + 4 * back * (exchange / vp))
    fast = 0.5 * (out + back + root)
    slow = back * wash / fast
    share = (wash - slow) / (fast - slow)
    t, aif = x[0, ...], x[1, ...]
    return flow * (share * convolved(t, aif, fast) + (1 - share) * convolved(t, aif, slow))


def gamma_variate(t: Array, k: Array, t0: Array, alpha: Array, beta: Array) -> Array:
    """A bolus: k (t - t0)^alpha exp(-(t - t0) / beta) after t0, 0 before; t0 and beta as t.

    H. K. Thompson et al., Circ. Res. 14, 1964. Trap: a negative number to a real power is NaN, and
    one NaN before the arrival spoils all; `where` behind it doesn't help, only one before.
    """
    xp = array_namespace(t, k)
    since = _ramp(xp, t - t0)
    return k * _power(xp, since, alpha) * xp.exp(-since / beta)


def buxton(delay: Array, cbf: Array, att: Array) -> Array:
    """Labelled spins, difference over equilibrium signal, by delay after the labelling, in s.

    cbf in ml/min/100 g, att, the arrival time, in s. Continuous labelling for 1.8 s: R. B. Buxton
    et al., Magn. Reson. Med. 40, 1998, eq. 3 and 5. Trap: three branches and their `where`; the
    two ramps say the same in one formula whose derivatives are right in each.
    """
    duration, t1_blood, t1_tissue, efficiency, partition = 1.8, 1.65, 1.33, 0.85, 0.9
    xp = array_namespace(delay, cbf)
    flow = cbf / 6000  # ml/s/g
    t1 = 1 / (1 / t1_tissue + flow / partition)
    first, last = _ramp(xp, delay + duration - att), _ramp(xp, delay - att)
    arrived = xp.exp(-last / t1) - xp.exp(-first / t1)
    return 2 * efficiency * flow / partition * t1 * xp.exp(-att / t1_blood) * arrived


def _ramp(xp: Any, x: Array) -> Array:
    return xp.where(x > 0, x, xp.zeros_like(x))


# -- diffusion and relaxation ----------------------------------------------------------------------


def ivim(b: Array, s0: Array, d: Array, d_star: Array, f: Array) -> Array:
    """Intravoxel incoherent motion: b in s/mm², d and d_star in mm²/s, f the perfused fraction.

    D. Le Bihan et al., Radiology 168, 1988. Traps: some add d to d_star; as the two exponentials
    may change places, bounds keep d_star above d; finite-difference steps of 1e-7 are as large as
    1e-4 of d.
    """
    xp = array_namespace(b, s0)
    return s0 * (f * xp.exp(-b * d_star) + (1 - f) * xp.exp(-b * d))


def spgr(x: Array, t1: Array, m0: Array) -> Array:
    """Spoiled gradient echo: x[0] flip angles in radians, x[1] repetition times, t1 as these, ms.

    R. R. Ernst, W. A. Anderson, Rev. Sci. Instrum. 37, 1966. Trap: 1 - exp(-tr / t1) loses digits
    where t1 is long; expm1 doesn't.
    """
    xp = array_namespace(x, t1)
    angle, tr = x[0, ...], x[1, ...]
    lost = -xp.expm1(-tr / t1)
    return m0 * xp.sin(angle) * lost / (1 - xp.cos(angle) * (1 - lost))


def look_locker(t: Array, t1_star: Array, a: Array, b: Array) -> Array:
    """Inversion recovery seen by small pulses: a - b exp(-t / t1_star), t1_star as t, ms.

    R. Deichmann, A. Haase, J. Magn. Reson. 96, 1992; t1 = t1_star (b / a - 1). Trap: magnitudes
    have lost their sign; restore it before the fit, as the kink of an absolute value misleads it.
    """
    xp = array_namespace(t, t1_star)
    return a - b * xp.exp(-t / t1_star)


# -- scattering ------------------------------------------------------------------------------------


def g2(delay: Array, tau: Array, baseline: Array, contrast: Array) -> Array:
    """Intensity correlation of one relaxation: baseline + contrast exp(-2 delay / tau).

    B. J. Berne, R. Pecora, Dynamic Light Scattering, 1976. Trap: a delay from 1e-4 to 1e2 has few
    points where the curve falls; a fit that didn't converge must not report its start.
    """
    xp = array_namespace(delay, tau)
    return baseline + contrast * xp.exp(-2 * delay / tau)


def momentum_transfer(x: Array, x0: Array, y0: Array, distance: Array) -> Array:
    """A flat detector's wave numbers q, 1/nm, at pixels x[0], x[1] of 0.075 mm; 10 keV.

    Centre (x0, y0) in pixels, distance in mm. As in the workload: k sin(arctan(r / distance)),
    which is k r / hypot(r, distance), without a quotient that grows for near detectors. Trap: at
    the centre itself the derivative of r is 0 / 0, and hypot's too; it is made 0.
    """
    xp = array_namespace(x, distance)
    k, pixel = 2 * math.pi * 10 / 1.239841984, 0.075
    dx, dy = pixel * (x[0, ...] - x0), pixel * (x[1, ...] - y0)
    square = dx * dx + dy * dy
    off = square > 0
    r = xp.sqrt(xp.where(off, square, xp.ones_like(square)))
    r = xp.where(off, r, xp.zeros_like(r))
    return k * r / xp.sqrt(square + distance * distance)
