"""Filters that run, against SciPy: ``ci/bench --only signal``."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.signal

import likewise
from likewise import signal

SOS = scipy.signal.butter(8, (0.1, 0.3), "bandpass", output="sos")  # of order 16
B, A = scipy.signal.butter(16, 0.5)  # at lower cutoffs it loses its digits
Call = Callable[..., Any]
# By name: the function of a module, coefficients and signals, and the limits of row and body.
CALLS: dict[str, tuple[Call, tuple[Any, ...], str, str]] = {
    "sosfilt, order 16": (lambda s, sos, x: s.sosfilt(sos, x), (SOS,), "1.1 + 1 µs", "1.2"),
    "lfilter, order 16": (lambda s, b, a, x: s.lfilter(b, a, x), (B, A), "1.1 + 1 µs", "1.2"),
    "filtfilt, order 16": (lambda s, b, a, x: s.filtfilt(b, a, x), (B, A), "1.1 + 1 µs", "6"),
    "sosfiltfilt, order 16": (lambda s, sos, x: s.sosfiltfilt(sos, x), (SOS,), "1.1 + 1 µs", "6"),
    "savgol_filter(11, 3)": (lambda s, x: s.savgol_filter(x, 11, 3), (), "1.1 + 1 µs", "6"),
    "medfilt(1, 5)": (lambda s, x: s.medfilt(x, (1, 5)), (), "", "6"),
    "hilbert": (lambda s, x: s.hilbert(x), (), "", "6"),
    "detrend": (lambda s, x: s.detrend(x), (), "", "6"),
}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per function and library: label, peer, ours, theirs, inputs, limit."""
    rng = np.random.default_rng(0)
    shape = (4, 2000) if quick else (64, 100_000)
    drawn = [rng.normal(size=shape) for _ in range(2)]
    size = " x ".join(map(str, shape))
    for name, (call, given, row, body) in CALLS.items():
        theirs = lambda x, call=call, given=given: call(scipy.signal, *given, x)
        if "numpy" in libraries:
            if row:
                ours = lambda x, call=call, given=given: call(signal, *given, x)
                yield f"{name}, numpy, {size}", "scipy.signal", ours, theirs, drawn, row
            label = f"{name}, numpy, {size}, body"
            yield label, "scipy.signal", in_general(call, given), theirs, drawn, body
        if "torch" in libraries and row:
            yield from through_scipy(name, call, given, drawn, libraries["torch"])
    if "jax" in libraries:
        import jax

        to, wait = libraries["jax"]
        jitted = jax.jit(lambda x: signal.sosfilt(SOS.tolist(), x))
        ours = lambda pair: wait(jitted(pair[1]))
        theirs = lambda pair: scipy.signal.sosfilt(SOS, pair[0])
        pairs = [(x, to(x)) for x in drawn]
        label = f"sosfilt, order 16, jax, {size}, jitted"
        yield label, "scipy.signal", ours, theirs, pairs, "2.5"


def in_general(call: Call, given: Any) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        with likewise.prefer("generic"):
            return call(signal, *given, x)

    return run


def through_scipy(name: str, call: Call, given: Any, drawn: list[Any], library: Any) -> Any:
    """PyTorch's tensors against SciPy, and there and back by hand."""
    to, wait = library
    inputs, held = [to(x) for x in drawn], [to(c) for c in given]
    ours = lambda x: wait(call(signal, *held, x))
    theirs = lambda x: wait(to(call(scipy.signal, *(v.numpy(force=True) for v in (*held, x)))))
    size = " x ".join(map(str, drawn[0].shape))
    yield f"{name}, torch, {size}", "scipy.signal, and back", ours, theirs, inputs, "1.05"
