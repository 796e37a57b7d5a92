"""The same, with the namespace of the argument in the place of NumPy."""

from likewise import array_namespace


def centroid(spectrum, noise=0.1):
    """Return the centroid of what stands out of the noise, in channels."""
    xp = array_namespace(spectrum)
    background = xp.median(spectrum)
    signal = spectrum - background
    signal[signal < noise] = 0.0
    channels = xp.arange(len(spectrum))
    if signal.sum() == 0:
        return xp.nan
    return xp.dot(channels, signal) / signal.sum()
