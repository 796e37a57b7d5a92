"""Convolution, resampling and waveforms against SciPy and JAX: ``ci/bench --only resampling``."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.signal

import likewise.signal

__all__ = ["lines"]

Drawn = Callable[[np.random.Generator, int], list[Any]]


def _signals(rng: np.random.Generator, n: int) -> list[Any]:
    return [rng.normal(size=n), rng.normal(size=max(3, n // 100))]


def _integers(rng: np.random.Generator, n: int) -> list[Any]:
    return [rng.integers(-99, 99, size=m) for m in (n // 10, max(3, n // 100))]


def _images(rng: np.random.Generator, n: int) -> list[Any]:
    side = max(4, int(n**0.5))
    return [rng.normal(size=(side, side)), rng.normal(size=(5, 5))]


def _one(rng: np.random.Generator, n: int) -> list[Any]:
    return [rng.normal(size=n)]


def _filtered(rng: np.random.Generator, n: int) -> list[Any]:
    return [rng.normal(size=41), rng.normal(size=n)]


# Per function: what is drawn, arguments that follow it, and options.
CALLS: list[tuple[str, Drawn, tuple[Any, ...], dict[str, Any]]] = [
    ("convolve", _integers, (), {}),
    ("correlate", _integers, (), {}),
    ("oaconvolve", _signals, (), {}),
    ("convolve2d", _images, ("same",), {}),
    ("upfirdn", _filtered, (2, 3), {}),
    ("resample", _one, (5000,), {}),
    ("resample_poly", _one, (2, 3), {}),
    ("decimate", _one, (4,), {}),
    ("decimate", _one, (4,), {"ftype": "fir"}),
    ("chirp", _one, (1.0, 2.0, 3.0), {}),
    ("chirp", _one, (1.0, 2.0, 3.0), {"method": "logarithmic"}),
    ("square", _one, (0.3,), {}),
]
# Where JAX has the function.
OF_JAX = [
    ("convolve", _signals, (), {"method": "fft"}),
    ("convolve2d", _images, ("same",), {}),
    ("correlate2d", _images, ("same",), {}),
]


def _inputs(draw: Drawn, n: int, to: Callable[[Any], Any]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [[to(x) for x in draw(rng, n)] for _ in range(3)]


def _with(func: Any, rest: tuple[Any, ...], options: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda args: func(*args, *rest, **options)


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per library and function: label, peer, ours, theirs, inputs, limit."""
    big = 10_000 if quick else 100_000
    for library, (to, wait) in libraries.items():
        if library == "numpy":
            yield from _on_numpy(big)
        elif library == "torch":
            yield from _on_torch(big, to)
        elif library == "jax":
            yield from _on_jax(big, to, wait)


def _on_numpy(big: int) -> Iterator[Any]:
    for name, draw, rest, options in CALLS:
        ours, theirs = getattr(likewise.signal, name), getattr(scipy.signal, name)
        peer, func, body = (_with(f, rest, options) for f in (theirs, ours, ours.generic))
        for n in (big, 500):
            inputs, kind = _inputs(draw, n, np.asarray), " of integers" * (draw is _integers)
            label = f"{name}{kind}, numpy, n = {n}{''.join(f', {v}' for v in options.values())}"
            yield label, "scipy.signal", func, peer, inputs, "1.1 + 1 µs"
            if n == big:
                yield f"{label}, body", "scipy.signal", body, peer, inputs, "6"


def _on_torch(big: int, to: Any) -> Iterator[Any]:
    import torch

    for name, draw, rest, options in CALLS:
        theirs = getattr(scipy.signal, name)
        through = lambda args, f=theirs, r=rest, o=options: torch.from_numpy(
            np.ascontiguousarray(f(*(x.numpy() for x in args), *r, **o))
        )
        func = _with(getattr(likewise.signal, name), rest, options)
        label = f"{name}, torch, n = {big}{''.join(f', {v}' for v in options.values())}"
        inputs = _inputs(draw, big, to)
        yield label, "scipy.signal and back", func, through, inputs, "a figure"


def _on_jax(big: int, to: Any, wait: Any) -> Iterator[Any]:
    import jax

    for name, draw, rest, options in OF_JAX:
        ours, theirs = getattr(likewise.signal, name), getattr(jax.scipy.signal, name)
        func, peer = (jax.jit(_with(f, rest, options)) for f in (ours, theirs))
        calls = (lambda args, f=f: wait(f(args)) for f in (func, peer))
        label = f"{name}, jax, jitted, n = {big}"
        yield label, "jax.scipy.signal, jitted", *calls, _inputs(draw, big, to), "1.1"
