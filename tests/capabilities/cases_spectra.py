"""Chirp z-transforms, power spectra and short-time transforms, against SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal

from likewise import signal

from .case import REAL, Case, case

X = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3, 1.1, 0.2, -0.8, 1.6, -0.4])
Y = np.cos(X[::-1]) + X
MINIMAL = {"strict-minimal": "there is no fft"}
INPUTS_SHAPE = "of no signals the input's shape comes out, as SciPy has it"
SHORT = {"nperseg": 4}


def last(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the spectrum alone, without frequencies and times."""
    return lambda *args, **options: func(*args, **options)[-1]


def spectrum(name: str, *args: Any, **given: Any) -> Case:
    return case(
        f"signal.{name}",
        *args,
        by=last(getattr(signal, name)),
        reference=last(getattr(scipy.signal, name)),
        eager=MINIMAL,
        batch=True,
        empty=True if name == "istft" else INPUTS_SHAPE,
        complex=True,
        kwargs=given,
    )


def chirp(name: str, *points: Any) -> Case:
    ours, theirs = getattr(signal, name), getattr(scipy.signal, name)
    return case(
        f"signal.{name}",
        X,
        by=lambda x: ours(x, *points),
        reference=lambda x: theirs(x, *points),
        eager=MINIMAL,
        batch=True,
        complex=True,
    )


SPECTRA = [
    chirp("czt", 5),
    chirp("zoom_fft", 0.4, 5),
    *(
        case(
            "signal.lombscargle",
            np.asarray([0.1, 0.9, 1.7, 2.2, 4.0]),
            X[:5],
            np.asarray([0.4, 1.3]),
            kwargs={"normalize": n},
            batch="of one signal",
            empty="there is nothing to fit",
            complex=REAL,
        )
        for n in ("power", "normalize", "amplitude")
    ),
    *(spectrum("periodogram", X, scaling=s) for s in ("density", "spectrum")),
    *(
        spectrum(name, *arrays, **SHORT, scaling=s, average=a)
        for name, arrays in (("welch", (X,)), ("csd", (X, Y)))
        for s, a in (("density", "mean"), ("spectrum", "median"))
    ),
    spectrum("coherence", X, Y, **SHORT),
    *(
        spectrum("spectrogram", X, **SHORT, noverlap=1, mode=m, scaling=s)
        for m, s in (
            *(("psd", "density"), ("psd", "spectrum"), ("complex", "density")),
            *(("magnitude", "density"), ("angle", "density"), ("phase", "density")),
        )
    ),
    *(
        spectrum("stft", X, **SHORT, boundary=b, scaling=s)
        for b, s in (
            *(("zeros", "spectrum"), ("even", "psd"), ("odd", "spectrum")),
            *(("constant", "spectrum"), (None, "spectrum")),
        )
    ),
    *(
        spectrum("istft", np.stack([X, Y, X * Y]), **SHORT, window="hamming", scaling=s)
        for s in ("spectrum", "psd")
    ),
]
