"""Arterial spin labelling: blood is labelled in the neck, and arrives in the brain.

Times are in seconds, the flow f in ml/g/s; 6000 f is in ml/100 g/min.
"""

from typing import Any

from likewise import array_namespace
from perfusion.images import Model

Array = Any  # of any library

T1_BLOOD, T1, PARTITION = 1.65, 1.3, 0.9  # s at 3 T, s, ml/g


def labelled(t: Array, flow: Array, delay: Array, *, duration: float, efficiency: float) -> Array:
    """Return the difference of images with and without label, over that of blood, at times t.

    The general kinetic model for a label that is made for `duration` and arrives after `delay`:
    R. B. Buxton et al., Magn. Reson. Med. 40, 383 (1998), the equations for continuous labelling.
    Times begin with the label.
    """
    xp = array_namespace(t, flow, delay)
    rate = 1 / T1 + flow / PARTITION
    since = xp.clip(t - delay, 0.0, None)
    coming = xp.clip(since, None, duration)
    arrived = xp.exp(-rate * (since - coming)) * -xp.expm1(-rate * coming) / rate
    return 2 * efficiency * flow * xp.exp(-delay / T1_BLOOD) * arrived


def labelled_model(t: Array, *, duration: float = 1.8, efficiency: float = 0.85) -> Model:
    """Return the model for `fit_image`: flow in ml/100 g/min, and the delay of arrival."""

    def f(t: Array, flow: Array, delay: Array) -> Array:
        return labelled(t, flow / 6000, delay, duration=duration, efficiency=efficiency)

    def start(curves: Array) -> Array:
        xp = array_namespace(curves)
        return xp.stack([xp.full_like(curves[:, 0], v) for v in (50.0, 0.8)], axis=-1)

    return Model(f, t, ("CBF", "ATT"), start, (0.0, 0.0), (300.0, 3.0))
