"""Signals of spoiled gradient echoes, and the concentrations that they mean.

Times are in seconds, angles in radians, concentrations in mM.
"""

import math
from typing import Any

from likewise import array_namespace
from likewise.missing import nanmax
from perfusion.images import Model

Array = Any  # of any library

RELAXIVITY = 4.5  # 1/s/mM, of gadolinium chelates at 1.5 T


def spgr(angle: Array, tr: float, t1: Array, m0: Array) -> Array:
    """Return the signal of a spoiled gradient echo.

    R. R. Ernst, W. A. Anderson, Rev. Sci. Instrum. 37, 93 (1966).
    """
    xp = array_namespace(angle, t1)
    left = xp.exp(-tr / t1)
    return m0 * xp.sin(angle) * (1 - left) / (1 - xp.cos(angle) * left)


def t1_model(angles: Array, tr: float) -> Model:
    """Return the model of signals at several flip angles, for `fit_image`."""

    def f(angle: Array, t1: Array, m0: Array) -> Array:
        return spgr(angle, tr, t1, m0)

    def start(signals: Array) -> Array:
        xp = array_namespace(signals)
        largest = nanmax(signals, axis=-1)
        return xp.stack([xp.ones_like(largest), 10 * largest], axis=-1)

    return Model(f, angles, ("T1", "M0"), start, (1e-3, 0.0), (10.0, 1e10))


def concentration(signal: Array, t1: Array, angle: float, tr: float, before: int) -> Array:
    """Return the concentration that a signal over time means, of a spoiled gradient echo.

    The first `before` frames, without agent, and T1 of that time give the magnetisation. Then each
    frame gives its own T1, and 1/T1 grows with the concentration.
    """
    xp = array_namespace(signal, t1)
    rate = xp.expand_dims(1 / t1, axis=-1)
    cosine = math.cos(angle)
    baseline = xp.mean(signal[..., :before], axis=-1, keepdims=True)
    left = xp.exp(-tr * rate)
    # Noise can make a signal larger than any T1 would. The quotient below then has another sign, so
    # the share itself is held.
    share = xp.clip(signal / baseline * (1 - left) / (1 - cosine * left), 0.0, 1.0)
    left = xp.clip((1 - share) / (1 - cosine * share), 1e-6, 1.0)
    return (-xp.log(left) / tr - rate) / RELAXIVITY
