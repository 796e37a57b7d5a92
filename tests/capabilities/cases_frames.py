"""Correlation of frames, against means over pairs; deconvolution, against NumPy's SVD."""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal

from likewise.signal import argrelextrema, find_peaks, multitau

from .case import REAL, case

X = np.asarray([1.4, 2.2, 2.0, 0.7, 1.3, 1.1, 0.9])
LABELS = np.asarray([0, 1, 0])
FRAMES = np.stack([X, X[::-1], X**2], axis=1)

T = np.asarray([0.0, 1.0, 1.5, 3.0])
CURVE, RESPONSE = np.asarray([0.5, 2.0, 1.0, 0.4]), np.asarray([1.0, 0.6, 0.3, 0.2])
MINIMAL = {"strict-minimal": "there is no linalg"}


def _mean(x: Any, y: Any) -> Any:
    return (x * y).mean(axis=-1) / x.mean(axis=-1) / y.mean(axis=-1)


def _multitau(x: Any, channels: int, axis: int) -> Any:
    pairs = (x[..., :-1:2] + x[..., 1::2]) / 2
    found = [_mean(x[..., : 7 - k], x[..., k:]) for k in range(2)]
    return np.stack([*found, _mean(pairs[..., :-1], pairs[..., 1:])], axis=-1)


def _twotime(x: Any, axis: int) -> Any:
    return np.asarray([[_mean(a, b) for b in x] for a in x])


def _regions(x: Any, labels: Any, num_labels: int) -> Any:
    return np.stack([_twotime(x[:, labels == k], 0) for k in range(num_labels)])


def _g2(c: Any) -> Any:
    return np.asarray([np.diagonal(c, k).mean() for k in range(3)])


def _deconvolved(y: Any, kernel: Any, method: str) -> Any:
    n = len(y)
    padded = np.concatenate([kernel, np.zeros(n)])
    if method in ("circulant", "oscillation"):
        y, matrix = np.concatenate([y, np.zeros(n)]), scipy.linalg.circulant(padded)
    else:
        matrix = scipy.linalg.toeplitz(kernel, np.zeros(n))
    u, s, vh = np.linalg.svd(matrix)
    least = 0.5 if method == "oscillation" else 0.2  # nothing is quiet enough
    weights = np.where(s > least * s[0], 1 / s, 0)
    if method == "tikhonov":
        weights = s / (s * s + (0.2 * s[0]) ** 2)
    return vh.T @ (weights * (u.T @ y))


def _integrated(t: Any, x: Any, response: Any, rate: Any = None) -> Any:
    """By the midpoint rule on 20,000 points between two times, beyond what is compared."""
    found = [0.0]
    for i in range(1, len(t)):
        s = t[0] + (t[i] - t[0]) * (np.arange(20_000) + 0.5) / 20_000
        later = t[i] - s
        h = np.exp(-rate * later) if response is None else np.interp(later, t - t[0], response)
        found.append(np.mean(np.interp(s, t, x) * h) * (t[i] - t[0]))
    return np.asarray(found)


BUMPS = np.asarray([0.0, 2.0, 1.0, 3.0, 0.4, 1.1, 0.2, 0.7, 0.1])
TOPS = np.asarray([1, 3, 5, 7])


def _measured(x: Any, peaks: Any) -> Any:
    return scipy.signal.peak_widths(x, peaks)


def _peaks(x: Any) -> Any:
    found = scipy.signal.find_peaks(x, height=0.5, width=0.1)[1]
    return found["peak_heights"], found["prominences"], found["widths"]


def _found(x: Any) -> Any:
    found = find_peaks(x, height=0.5, width=0.1, size=4)[1]
    return found["peak_heights"], found["prominences"], found["widths"]


def filled(places: Any, size: int) -> Any:
    """As many places as are asked for, -1 where there are no more."""
    return np.concatenate([places, np.full(size, -1)])[:size]


PEAKED = [
    case(
        "signal.find_peaks", BUMPS, by=_found, reference=_peaks, batch=True, complex=REAL, scalars=2
    ),
    case(  # of which the number is looked at: where SciPy's own routine runs
        "signal.find_peaks",
        BUMPS,
        by=lambda x: find_peaks(x, height=0.5, width=0.1)[1]["peak_heights"],
        reference=lambda x: _peaks(x)[0],
        eager={
            "strict-minimal": "how many there are depends on values",
            "cupy": "how many there are depends on values, which are on the GPU",
            **dict.fromkeys(("torch", "jax", "dask"), False),
        },
        jit=False,
        grad=False,
        vmap=False,
        scalars=8,
    ),
    case(
        "signal.peak_prominences",
        BUMPS,
        TOPS,
        reference=scipy.signal.peak_prominences,
        batch=True,
        complex=REAL,
        scalars=2,
    ),
    case(
        "signal.peak_widths",
        BUMPS,
        TOPS,
        reference=_measured,
        batch=True,
        complex=REAL,
        scalars=2,
    ),
    *(
        case(
            f"signal.{name}",
            BUMPS,
            kwargs={"mode": mode, "size": 3},
            reference=lambda x, mode, size, name=name: filled(
                getattr(scipy.signal, name)(np.concatenate([x]), mode=mode)[0], size
            ),
            grad="places are whole numbers",
            batch="places of all dimensions",
            empty=True,
            complex=REAL,
        )
        for name in ("argrelmax", "argrelmin")
        for mode in ("clip", "wrap")
    ),
    *(
        case(
            "signal.argrelextrema",
            BUMPS,
            by=lambda x, mode: argrelextrema(x, lambda a, b: a > b, mode=mode, size=4),
            kwargs={"mode": mode},
            reference=lambda x, mode: filled(scipy.signal.argrelmax(x, mode=mode)[0], 4),
            batch="places of all dimensions",
            empty=True,
            grad="places are whole numbers",
            complex=REAL,
        )
        for mode in ("clip", "wrap")
    ),
]
DECONVOLVED = [
    case(
        "signal.deconvolve_svd",
        CURVE,
        RESPONSE,
        kwargs={"method": method} | ({"oscillation": 1e-9} if method == "oscillation" else {}),
        reference=lambda y, kernel, method, oscillation=0.0: _deconvolved(y, kernel, method),
        eager=MINIMAL if method in ("standard", "tikhonov") else True,
        batch=True,
        complex=REAL,
    )
    for method in ("standard", "circulant", "oscillation", "tikhonov")
]
FRAMED = [
    *DECONVOLVED,
    case(
        "signal.convolve_linear",
        T,
        CURVE,
        RESPONSE,
        reference=_integrated,
        tol=1e-6,
        batch="the times are one grid for all",
        empty="there is no curve",
        scalars=5,
        complex=REAL,
    ),
    case(
        "signal.convolve_exponential",
        T,
        CURVE,
        np.asarray(0.7),
        reference=lambda t, x, rate: _integrated(t, x, None, rate) if t.size else t,
        tol=1e-6,
        batch="the times are one grid for all",
        empty=True,
        scalars=2,
        complex=REAL,
    ),
    case(
        "signal.multitau",
        X,
        by=lambda x, **options: multitau(x, **options)[1],
        kwargs={"channels": 2, "axis": -1},
        reference=_multitau,
        batch=True,
        complex=REAL,
    ),
    case(
        "signal.twotime",
        FRAMES,
        kwargs={"axis": -2},
        reference=_twotime,
        batch=True,
        complex=REAL,
    ),
    case(
        "signal.twotime",
        FRAMES,
        LABELS,
        kwargs={"num_labels": 2},
        reference=_regions,
        scalars=3,
    ),
    case("signal.g2_from_twotime", FRAMES[:3], reference=_g2, batch=True, complex=True),
    *PEAKED,
]
