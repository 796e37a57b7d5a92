"""The same, on every library; leading dimensions are a batch."""

import likewise
from likewise import array_namespace
from likewise.missing import median


def centroid(spectrum, noise=0.1):
    """Return the centroid of what stands out of the noise, in channels."""
    xp = array_namespace(spectrum)
    signal = spectrum - median(spectrum, axis=-1, keepdims=True)
    signal = xp.where(signal < noise, 0.0, signal)
    device = likewise.device(spectrum)
    channels = xp.arange(spectrum.shape[-1], dtype=signal.dtype, device=device)
    total = xp.sum(signal, axis=-1)
    found = xp.where(total == 0, 1.0, total)
    return xp.where(total == 0, xp.nan, xp.vecdot(signal, channels) / found)
