"""Peaks of a spectrum, as one would write it for NumPy."""

import numpy as np


def centroid(spectrum, noise=0.1):
    """Return the centroid of what stands out of the noise, in channels."""
    background = np.median(spectrum)
    signal = spectrum - background
    signal[signal < noise] = 0.0
    channels = np.arange(len(spectrum))
    if signal.sum() == 0:
        return np.nan
    return np.dot(channels, signal) / signal.sum()
