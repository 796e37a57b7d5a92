"""Recorded functions against HIPS autograd and against NumPy by hand: ``--only recordings``."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from bench_transforms import looped, scanned, six
from threadpoolctl import threadpool_limits

from likewise import array_namespace
from likewise.transforms import grad, jit, scan


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    with threadpool_limits(1, "blas"):
        yield from _gradients(quick)
        yield from _calls()
        yield from _scans(quick)
    if "jax" in libraries:
        yield from _by_jax(libraries, quick)


def _by_hand(x: Any) -> Any:
    """The gradient of `six`, as one writes it."""
    s, e = np.sin(x), np.exp(-(x * x))
    return np.cos(x) * e - 2 * x * (s * e)


def _of_six(x: Any) -> Any:
    return six(array_namespace(x), x)


def _gradients(quick: bool) -> Iterator[Any]:
    import autograd.numpy
    from autograd import grad as peers_grad

    rng = np.random.default_rng(0)
    peer = peers_grad(lambda x: six(autograd.numpy, x))
    ours = jit(grad(_of_six))
    limits = {5: ("0.075", "1.5"), 1000: ("0.2", "1.1"), 100_000: ("0.6", "1.0")}
    limits |= {} if quick else {1_000_000: ("0.7", "1.0")}
    for n, (others, hand) in limits.items():
        draws = [rng.normal(size=n) for _ in range(4)]
        for _ in range(120):  # the text is compiled
            ours(draws[0])
        label = f"jit(grad), numpy, six operations, n = {n}, float64"
        yield label, "autograd", ours, peer, draws, others
        yield label, "by hand", ours, _by_hand, draws, hand
    yield f"peak memory of {label}", "autograd", ours, peer, draws, "memory 0.65"
    slope = grad(_of_six)
    yield f"first call: {label}", "grad", lambda x: jit(slope)(x), slope, draws, "a figure"


def _calls() -> Iterator[Any]:
    made = jit(lambda x: array_namespace(x).sin(x) * x)
    draws = [np.random.default_rng(k).normal(size=5) for k in range(4)]
    for _ in range(120):
        made(draws[0])
    hand = lambda x: np.sin(x) * x
    yield "jit, numpy, two instructions, n = 5", "the two calls", made, hand, draws, "1 + 1.5 µs"


def _scans(quick: bool) -> Iterator[Any]:
    import autograd.numpy
    from autograd import grad as peers_grad

    rng = np.random.default_rng(1)
    slope = grad(lambda *args: scanned(array_namespace(*args), *args), (0, 1))
    peer = peers_grad(lambda *args: looped(autograd.numpy, *args), (0, 1))
    ours, theirs = (lambda args, g=g: g(*args) for g in (slope, peer))
    steps = 200 if quick else 1000
    for width, limit in ((4, "0.1"), (1000, "0.2")):
        draws = [(rng.normal(size=width), rng.normal(size=(steps, width))) for _ in range(3)]
        label = f"grad, numpy, scan of {steps} steps of {width}, float64"
        yield label, "autograd", ours, theirs, draws, limit


def _waves(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sin(x) * xp.exp(-(x**2) / 10) + xp.cos(2 * x)


def _orbit(y: Any) -> Any:
    """1,000 steps of Runge and Kutta's method on van der Pol's oscillator."""

    def slope(y: Any) -> Any:
        return array_namespace(y).stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    def step(y: Any, _: Any) -> Any:
        h = 0.01
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + slope(y + h * c))
        return y, y

    return scan(step, y, length=1000)[1]


def _by_jax(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """NumPy's arrays compiled by JAX, against JAX's own of the same values."""
    to, wait = libraries["jax"]
    rng = np.random.default_rng(2)
    rows = 1000 if quick else 100_000
    for label, f, shape in (
        (f"sin(x) exp(-x²/10) + cos(2x), ({rows}, 50)", _waves, (rows, 50)),
        ("scan of 1,000 Runge-Kutta steps", _orbit, (2,)),
    ):
        ours, peer = jit(f, compiler="jax"), jit(f)
        draws = [(x, to(x)) for x in (rng.normal(size=shape) for _ in range(3))]
        yield (
            f'jit(compiler="jax"), numpy, {label}, float64',
            "JAX's own",
            lambda pair, ours=ours: ours(pair[0]),
            lambda pair, peer=peer: wait(peer(pair[1])),
            draws,
            "1.1",
        )
