"""Peaks against SciPy, frames and deconvolution against what one writes by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal

import likewise
from likewise.signal import deconvolve_svd, find_peaks, multitau

CHANNELS = 16


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per function and library: label, peer, ours, theirs, inputs, limit."""
    rng = np.random.default_rng(0)
    if "numpy" in libraries:
        yield from peaks(rng, quick)
    side = 16 if quick else 64
    frames = [rng.poisson(2.0, (2000, side, side)).astype(float) for _ in range(2)]
    curves = [rng.normal(size=(500 if quick else 8192, 60)) + 3 for _ in range(2)]
    for name, (to, wait) in libraries.items():
        ours = on(name, wait, lambda x: multitau(x, channels=CHANNELS)[1])
        label = f"multitau, {name}, 2000 x {side} x {side}"
        pairs = [(x, to(x)) for x in frames]
        yield label, "lags in a loop, NumPy", ours, lambda p: by_lags(p[0]), pairs, "a figure"
        rings = np.arange(side * side).reshape(side, side) % 36
        wholes = [rng.poisson(2.0, (2000, side, side)).astype("int16") for _ in range(2)]
        pairs = [(to(x), to(rings)) for x in wholes]
        label = f"multitau of 36 regions in pieces of 64 frames, {name}, 2000 x {side} x {side}"
        theirs = lambda p, w=wait: w(multitau(p[0], p[1], 36)[1])
        ours = lambda p, w=wait: w(in_pieces(*p))
        yield label, "the whole array", ours, theirs, pairs, "a figure"
        kernel = to(KERNEL)
        ours = on(name, wait, lambda y, k=kernel: deconvolve_svd(y, k, method="oscillation"))
        label = f"deconvolve_svd, oscillation, {name}, {len(curves[0])} x 60"
        times = len(curves[0]) / 50
        pairs = [(x, to(x)) for x in curves]
        theirs = lambda p: one_by_one(p[0][:50])
        yield label, "one by one, NumPy", ours, theirs, pairs, f"x {times}"


def in_pieces(x: Any, labels: Any) -> Any:
    pieces = (x[i : i + 64, ...] for i in range(0, 2000, 64))
    return multitau(pieces, labels, 36, channels=CHANNELS, levels=7)[1]


def on(name: str, wait: Any, func: Any) -> Any:
    """Compiled on JAX; of the second of a pair."""
    if name == "jax":
        import jax

        func = jax.jit(func)
    return lambda pair: wait(func(pair[1]))


def peaks(rng: np.random.Generator, quick: bool) -> Iterator[Any]:
    """SciPy's routine behind our checks, and the generic body."""
    for n in (100, 10_000) if quick else (100, 10_000, 1_000_000):
        inputs = [np.cumsum(rng.normal(size=n)) for _ in range(3)]
        for what, options in (("", {}), (", prominence", {"prominence": 1.0})):
            theirs = lambda x, o=options: scipy.signal.find_peaks(x, **o)
            ours = lambda x, o=options: find_peaks(x, **o)
            label = f"find_peaks, n = {n}{what}"
            yield label, "scipy.signal", ours, theirs, inputs, "1.1 + 1 µs"

            def body(x: Any, o: Any = options) -> Any:
                with likewise.prefer("generic"):
                    return find_peaks(x, **o)

            yield f"{label}, body", "scipy.signal", body, theirs, inputs, "6"


def by_lags(x: Any) -> Any:
    """Multi-tau over whole frames, a product for each lag."""
    found, least = [], 0
    while True:
        m = len(x)
        for lag in range(least, CHANNELS):
            a, b = x[: m - lag], x[lag:]
            found.append((a * b).mean(0) / a.mean(0) / b.mean(0))
        half, least = m // 2, CHANNELS // 2
        if half < CHANNELS:
            return np.stack(found)
        x = (x[: 2 * half : 2] + x[1 : 2 * half : 2]) / 2


KERNEL = np.arange(60.0) ** 2 * np.exp(-np.arange(60.0) / 4) + 0.01


def one_by_one(y: Any) -> Any:
    """Twenty cutoffs of the circulant's singular values for each signal."""
    u, s, vh = np.linalg.svd(scipy.linalg.circulant(np.concatenate([KERNEL, np.zeros(60)])))
    found = []
    for curve in y:
        coefficients = u.T @ np.concatenate([curve, np.zeros(60)])
        for least in np.linspace(0.01, 0.5, 20):
            r = vh.T @ (np.where(s > least * s[0], 1 / s, 0) * coefficients)
            if np.abs(np.diff(r, 2)).sum() / len(r) / r.max() < 0.035:
                break
        found.append(r)
    return np.stack(found)
