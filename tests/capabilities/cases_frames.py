"""Correlation of frames, against means over pairs of frames."""

from typing import Any

import numpy as np

from likewise.signal import multitau

from .case import REAL, case

X = np.asarray([1.4, 2.2, 2.0, 0.7, 1.3, 1.1, 0.9])
LABELS = np.asarray([0, 1, 0])
FRAMES = np.stack([X, X[::-1], X**2], axis=1)


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


FRAMED = [
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
]
