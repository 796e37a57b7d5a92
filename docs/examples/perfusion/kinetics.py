"""How an agent gets from the blood into tissue: an arterial input, and Tofts' models of tissue.

Times are in minutes, concentrations in mM, ktrans in 1/min; ve and vp are fractions of volume.
"""

import math
from typing import Any

from likewise import array_namespace
from likewise.missing import nanmax
from likewise.signal import convolve_exponential
from likewise.special import expit
from perfusion.images import Model, inside

Array = Any  # of any library

HAEMATOCRIT = 0.42


def parker(t: Array) -> Array:
    """Return the population's arterial input, in plasma, at minutes after the injection.

    Two Gaussians, for the first pass and the second, and an exponential that a sigmoid switches on:
    G. J. M. Parker et al., Magn. Reson. Med. 56, 993 (2006), equation 1 with the values of table 1,
    which are of whole blood. Plasma is 1 - haematocrit of it.
    """
    xp = array_namespace(t)
    blood = 1.050 * xp.exp(-0.1685 * t) * expit(38.078 * (t - 0.483))
    for area, centre, width in ((0.809, 0.17046, 0.0563), (0.330, 0.365, 0.132)):
        height = area / (width * math.sqrt(2 * math.pi))
        blood = blood + height * xp.exp(-(((t - centre) / width) ** 2) / 2)
    return xp.where(t > 0, blood / (1 - HAEMATOCRIT), xp.zeros_like(blood))


def arterial(tissue: Array, vessel: Array) -> Array:
    """Return the input (n,) in plasma, of concentrations (..., n) in the voxels of a vessel."""
    xp = array_namespace(tissue)
    return xp.mean(inside(tissue, vessel), axis=0) / (1 - HAEMATOCRIT)


def by_region(inputs: Array, regions: Array, mask: Array) -> Array:
    """Return the input (voxels, n) of each voxel of a mask, of inputs (k, n) of k vessels.

    `regions`, an image of the numbers 0 to k - 1, says by which of them a voxel is fed.
    """
    return array_namespace(inputs).take(inputs, inside(regions, mask), axis=0)


def tofts(x: Array, ktrans: Array, ve: Array) -> Array:
    """Return the concentration in tissue; x[0] times, x[1] the input there.

    P. S. Tofts, J. Magn. Reson. Imaging 7, 91 (1997), equation 8. The input is straight between its
    samples, and the integral of that is exact; a sum of products is not, see the page.
    """
    return ktrans * convolve_exponential(x[0, ...], x[1, ...], ktrans / ve)


def extended_tofts(x: Array, ktrans: Array, ve: Array, vp: Array) -> Array:
    """Return the same with what the plasma within the tissue adds.

    P. S. Tofts et al., J. Magn. Reson. Imaging 10, 223 (1999).
    """
    return vp * x[1, ...] + tofts(x, ktrans, ve)


def tofts_model(t: Array, aif: Array) -> Model:
    """Return Tofts' model for `fit_image`: Ktrans from a curve's peak, ve from what is usual.

    The input (n,) is that of all voxels, or (voxels, n) of each.
    """
    top = array_namespace(t, aif).max(aif, axis=-1)

    def start(curves: Array) -> Array:
        return _columns(0.1 * _peak(curves) / top, 0.2)

    return Model(tofts, _given(t, aif), ("Ktrans", "ve"), start, (0.0, 0.001), (5.0, 1.0))


def extended_tofts_model(t: Array, aif: Array) -> Model:
    """Return the extended model for `fit_image`, with one input or each voxel's."""
    top = array_namespace(t, aif).max(aif, axis=-1)

    def start(curves: Array) -> Array:
        return _columns(0.1 * _peak(curves) / top, 0.2, 0.02)

    bounds = (0.0, 0.001, 0.0), (5.0, 1.0, 1.0)
    return Model(extended_tofts, _given(t, aif), ("Ktrans", "ve", "vp"), start, *bounds)


def _given(t: Array, aif: Array) -> Array:
    xp = array_namespace(t, aif)
    return xp.stack([xp.broadcast_to(t, aif.shape), aif])


def _peak(curves: Array) -> Array:
    """Return the largest value of each curve, at least a little."""
    return array_namespace(curves).clip(nanmax(curves, axis=-1), 1e-3, 50.0)


def _columns(first: Array, *others: float) -> Array:
    xp = array_namespace(first)
    return xp.stack([first, *(xp.full_like(first, value) for value in others)], axis=-1)
