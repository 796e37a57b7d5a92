"""Cosine transforms and spectra against SciPy and JAX's own: ``ci/bench --only spectra``."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.fft
import scipy.signal

import likewise.fft
import likewise.signal

__all__ = ["lines"]

SEGMENTS = {"nperseg": 256}
COSINES = ("dct", "idct", "dst", "idst")
OF_TWO = ("csd", "coherence")
SPECTRA = ("periodogram", "welch", *OF_TWO, "spectrogram", "stft", "istft")
CHIRPS = ("czt", "zoom_fft")
ROOMS = {"fft": (likewise.fft, scipy.fft), "signal": (likewise.signal, scipy.signal)}


def calls() -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Room, function, how many signals, and options."""
    for name in COSINES:
        yield from (("fft", name, 1, {"type": kind}) for kind in (1, 2, 3, 4))
    yield from (("fft", name, 1, {}) for name in ("dctn", "dstn"))
    yield "signal", "czt", 1, {}
    yield "signal", "zoom_fft", 1, {"fn": 0.2}
    for name in SPECTRA:
        options = {} if name in ("periodogram", "istft") else SEGMENTS
        yield "signal", name, 1 + (name in OF_TWO), options


def drawn(name: str, count: int, n: int) -> list[list[Any]]:
    rng = np.random.default_rng(0)
    shape: tuple[int, ...] = (n // 16, 16) if name.endswith("n") else (n,)
    if name == "istft":
        z = [rng.normal(size=(129, max(2, n // 128))) for _ in range(4)]
        return [[z[0] + 1j * z[1]], [z[2] + 1j * z[3]]]
    return [[rng.normal(size=shape) for _ in range(count)] for _ in range(3)]


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per function and library: label, peer, ours, theirs, inputs, limit."""
    for room, name, count, options in calls():
        ours, theirs = (getattr(package, name) for package in ROOMS[room])
        for library, (to, wait) in libraries.items():
            if library in OF:
                made: Any = OF[library]
                yield from made(room, name, ours, theirs, count, options, to, wait, quick)


def with_options(func: Callable[..., Any], options: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda args: func(*args, **options)


def on_numpy(
    room: str, name: str, ours: Any, theirs: Any, count: int, options: Any, *rest: Any
) -> Iterator[Any]:
    big = 20_000 if rest[-1] else 100_000
    for n in (big, 512):
        inputs, peer = drawn(name, count, n), with_options(theirs, options)
        label = f"{name}, numpy, n = {n}, {options}"
        own = with_options(ours, options)
        limit = "1.1" if n == big else "a figure"
        yield label, f"scipy.{room}", own, peer, inputs, limit
        if room == "fft":
            body = with_options(ours.generic, options)
            limit = "6" if n == big else "a figure"
            yield f"{label}, body", f"scipy.{room}", body, peer, inputs, limit


def on_torch(
    room: str, name: str, ours: Any, theirs: Any, count: int, options: Any, *rest: Any
) -> Iterator[Any]:
    import torch

    to, _, quick = rest
    n = 20_000 if quick else 100_000

    def through(args: Any) -> Any:
        out = theirs(*(x.numpy() for x in args), **options)
        parts = out if isinstance(out, tuple) else (out,)
        return [torch.from_numpy(np.ascontiguousarray(a)) for a in parts]

    inputs = [list(map(to, args)) for args in drawn(name, count, n)]
    limit = "1.05" if name in COSINES else "a figure"
    label = f"{name}, torch, n = {n}, {options}"
    yield label, f"scipy.{room} and back", with_options(ours, options), through, inputs, limit


def on_jax(
    room: str, name: str, ours: Any, theirs: Any, count: int, options: Any, *rest: Any
) -> Iterator[Any]:
    import jax

    to, wait, quick = rest
    own = getattr(getattr(jax.scipy, room), name, None)
    if own is None or options.get("type", 2) != 2:
        return
    n = 20_000 if quick else 100_000
    inputs = [list(map(to, args)) for args in drawn(name, count, n)]
    pair = [jax.jit(lambda *args, f=f: f(*args, **options)) for f in (ours, own)]
    # Of several results the last is the one that takes longest.
    last = lambda out: wait(out[-1] if isinstance(out, tuple) else out)
    timed = (lambda args, f=f: last(f(*args)) for f in pair)
    label = f"{name}, jax, jitted, n = {n}, {options}"
    yield label, f"jax.scipy.{room}, jitted", *timed, inputs, "1.1"


OF = {"numpy": on_numpy, "torch": on_torch, "jax": on_jax}
