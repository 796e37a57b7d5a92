"""Transforms against HIPS autograd, torch.func, Python loops, jax.jit: ``--only transforms``."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import likewise
from likewise import missing, signal
from likewise.transforms import grad, jit, scan, vmap
from likewise.transforms._following._interpreter import interpreted

SMALL, LARGE, MEMORY = "0.8", "1.0", "memory 1.2"


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    with threadpool_limits(1, "blas"):  # threads that wait for each other make noise
        yield from _autograd(quick)
    if "torch" in libraries:
        yield from _torch(libraries["torch"], quick)
    yield from _batches(quick)
    if "jax" in libraries:
        yield from _compiled(libraries["jax"])


# -- the functions, one text for all: xp is likewise's namespace, or autograd.numpy ----------------


def six(xp: Any, x: Any) -> Any:
    """Six operations."""
    return xp.sum(xp.sin(x) * xp.exp(-(x * x)))


def mlp(xp: Any, params: Any, x: Any, labels: Any) -> Any:
    """Two layers, tanh, softmax cross-entropy with labels as rows of 0 and 1."""
    w1, b1, w2, b2 = params
    z = xp.matmul(xp.tanh(xp.matmul(x, w1) + b1), w2) + b2
    z = z - xp.max(z, axis=1, keepdims=True)
    z = z - xp.log(xp.sum(xp.exp(z), axis=1, keepdims=True))
    return -xp.mean(xp.sum(z * labels, axis=1))


def solution(xp: Any, a: Any, b: Any) -> Any:
    """Return the sum of squares of the solution of linear equations."""
    x = xp.linalg.solve(a, b)
    return xp.sum(x * x)


def tofts(xp: Any, k: Any, ve: Any, aif: Any, data: Any) -> Any:
    """Squares of the Tofts model's misfit, times first; exact for an input of straight pieces."""
    dt = 0.05
    rate = k / ve
    x = rate * dt
    e = xp.exp(-x)
    part = (1 - e) / x
    w0, w1 = k * (part - e) / rate, k * (1 - part) / rate
    c = 0 * k
    out = [c]
    for before, now in itertools.pairwise(aif):
        c = e * c + (w0 * before + w1 * now)
        out.append(c)
    misfit = xp.stack(out) - data
    return xp.sum(misfit * misfit)


def _step(xp: Any, c: Any, u: Any) -> Any:
    return xp.tanh(0.9 * c + u)


def looped(xp: Any, start: Any, us: Any) -> Any:
    """A recursion, by a loop."""
    c, out = start, []
    for i in range(us.shape[0]):
        c = _step(xp, c, us[i, ...])
        out.append(c)
    return xp.sum(xp.stack(out) * c)


def scanned(xp: Any, start: Any, us: Any) -> Any:
    """The same by scan."""

    def body(c: Any, u: Any) -> Any:
        c = _step(xp, c, u)
        return c, c

    c, out = scan(body, start, us)
    return xp.sum(out * c)


def _namespace(x: Any) -> Any:
    return likewise.array_namespace(*(x if isinstance(x, tuple) else (x,)))


# -- gradients on NumPy ----------------------------------------------------------------------------


def _autograd(quick: bool) -> Iterator[Any]:
    import autograd.numpy
    from autograd import grad as peers_grad

    rng = np.random.default_rng(0)
    ours_of = lambda f: lambda *args: f(_namespace(args[0]), *args)
    theirs_of = lambda f: lambda *args: f(autograd.numpy, *args)

    def pair(label: str, f: Any, argnums: Any, inputs: Any, limit: str, other: Any = None) -> Any:
        ours, theirs = grad(ours_of(f), argnums), peers_grad(theirs_of(other or f), argnums)
        calls = (lambda args, g=g: g(*args) for g in (ours, theirs))
        memory = "peak memory of " * limit.startswith("memory")
        return f"{memory}grad, numpy, {label}, float64", "autograd", *calls, inputs, limit

    for n in (5, 1000) if quick else (5, 1000, 100_000):
        draws = [(rng.normal(size=n),) for _ in range(4)]
        yield pair(f"six operations, n = {n}", six, 0, draws, LARGE if n > 1000 else SMALL)
    n = 1000 if quick else 1_000_000
    draws = [(rng.normal(size=n),) for _ in range(4)]
    yield pair(f"six operations, n = {n}", six, 0, draws, MEMORY)
    label = f"grad, numpy, six operations, n = {n}, float64"
    forward, both = ours_of(six), grad(ours_of(six))
    calls = (lambda args, f=f: f(*args) for f in (both, forward))
    yield label, "the function itself", *calls, draws, "4"

    draws = [_network(rng, 16 if quick else 256) for _ in range(3)]
    label = f"2 layers of 128 and 10, {draws[0][1].shape[0]} x 784"
    for limit in (LARGE, MEMORY):
        yield pair(label, mlp, 0, draws, limit)

    steps = 50 if quick else 1000
    for width in (4, 1000):
        draws = [(rng.normal(size=width), rng.normal(size=(steps, width))) for _ in range(3)]
        label = f"scan of {steps} steps of {width}"
        yield pair(label, scanned, (0, 1), draws, SMALL, looped)
    yield pair(label, scanned, (0, 1), draws, MEMORY, looped)

    for n in (3, 100):
        draws = [(rng.normal(size=(n, n)) + n * np.eye(n), rng.normal(size=n)) for _ in range(4)]
        limit = SMALL if n < 100 else LARGE
        yield pair(f"solve, {n} x {n}", solution, (0, 1), draws, limit)
    yield pair(f"solve, {n} x {n}", solution, (0, 1), draws, MEMORY)

    for voxels in (50,) if quick else (50, 50_000):
        draws = [_voxels(rng, voxels) for _ in range(2)]
        limit = SMALL if voxels < 1000 else LARGE
        yield pair(f"Tofts, 100 times, {voxels} voxels", tofts, (0, 1), draws, limit)
    yield pair(f"Tofts, 100 times, {voxels} voxels", tofts, (0, 1), draws, MEMORY)


def _network(rng: Any, rows: int) -> Any:
    shapes = ((784, 128), (128,), (128, 10), (10,))
    params = tuple(0.1 * rng.normal(size=s) for s in shapes)
    return params, rng.normal(size=(rows, 784)), np.eye(10)[rng.integers(0, 10, rows)]


def _voxels(rng: Any, n: int) -> Any:
    aif = [float(v) for v in 2 * np.exp(-0.05 * np.arange(100.0))]
    data = rng.uniform(0, 0.5, size=(100, n))
    return rng.uniform(0.01, 0.5, n), rng.uniform(0.05, 0.5, n), aif, data


# -- the interpreter on torch ----------------------------------------------------------------------


def _torch(library: Any, quick: bool) -> Iterator[Any]:
    import torch

    to, _ = library
    torch.set_num_threads(1)  # as above
    rng = np.random.default_rng(1)
    turned = lambda args: tuple(
        tuple(map(to, a)) if isinstance(a, tuple) else to(a) if hasattr(a, "shape") else a
        for a in args
    )
    cases: list[tuple[str, Any, Any, list[Any]]] = []
    for n in (5, 100_000):
        draws = [(rng.normal(size=n),) for _ in range(4)]
        cases.append((f"six operations, n = {n}", six, 0, draws))
    draws = [_network(rng, 16 if quick else 256) for _ in range(3)]
    cases.append(("2 layers of 128 and 10", mlp, 0, draws))
    draws = [(rng.normal(size=(100, 100)) + 9, rng.normal(size=(100, 1))) for _ in range(4)]
    cases.append(("solve, 100 x 100", solution, (0, 1), draws))
    draws = [_voxels(rng, 50 if quick else 50_000) for _ in range(2)]
    cases.append((f"Tofts, 100 times, {draws[0][0].shape[0]} voxels", tofts, (0, 1), draws))
    for label, f, argnums, inputs in cases:
        of_text = lambda *args, f=f: f(_namespace(args[0]), *args)
        own = lambda *args, f=f: f(likewise.namespace("torch"), *args)
        ours, theirs = grad(of_text, argnums), torch.func.grad(own, argnums)

        def by_interpreter(args: Any, ours: Any = ours) -> Any:
            with interpreted():
                return ours(*args)

        peer = lambda args, theirs=theirs: theirs(*args)
        label = f"grad by the interpreter, torch, {label}, float64"
        yield label, "torch.func.grad", by_interpreter, peer, list(map(turned, inputs)), "a figure"


# -- batches on NumPy ------------------------------------------------------------------------------


def _lorenz(x: Any) -> Any:
    """One step of Runge and Kutta, with the standard's functions."""
    xp = likewise.array_namespace(x)

    def slope(s: Any) -> Any:
        x, y, z = s[0], s[1], s[2]
        return xp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    h = 0.01
    k1 = slope(x)
    k2 = slope(x + h / 2 * k1)
    k3 = slope(x + h / 2 * k2)
    k4 = slope(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _batches(quick: bool) -> Iterator[Any]:
    rng = np.random.default_rng(2)
    n = 50 if quick else 1000
    solve = lambda a, b: likewise.array_namespace(a).linalg.solve(a, b)
    draw = lambda: (rng.normal(size=(n, 3, 3)) + 3 * np.eye(3), rng.normal(size=(n, 3)))
    matrices = [draw() for _ in range(3)]
    signals = [(rng.normal(size=(n, 32)), rng.normal(size=(n, 5))) for _ in range(3)]
    states = [(rng.normal(size=(n, 3)),) for _ in range(3)]
    cases: list[tuple[str, Callable[..., Any], Callable[..., Any], Any]] = [
        ("solve, 3 x 3", solve, np.linalg.solve, matrices),
        ("signal.convolve, 32 with 5", signal.convolve, signal.convolve, signals),
        ("missing.convolve, 32 with 5", missing.convolve, missing.convolve, signals),
        ("Lorenz, a step of RK4", _lorenz, _lorenz, states),
    ]
    for label, f, one, inputs in cases:
        batched = vmap(f)
        ours = lambda args, batched=batched: batched(*args)
        loop = lambda args, one=one: np.stack([one(*each) for each in zip(*args, strict=True)])
        yield f"vmap, numpy, {label}, batch {n}, float64", "Python loop", ours, loop, inputs, "0.1"


# -- compiled by JAX -------------------------------------------------------------------------------


def _compiled(library: Any) -> Iterator[Any]:
    import jax

    to, wait = library
    rng = np.random.default_rng(3)
    for n, limit in ((5, "a figure"), (100_000, "1.05")):
        f = lambda x: six(jax.numpy, x)
        inputs = [to(rng.normal(size=n)) for _ in range(4)]
        pair = jit(f), jax.jit(f)
        ours, theirs = (lambda x, g=g: wait(g(x)) for g in pair)
        yield f"jit, jax, six operations, n = {n}, float64", "jax.jit", ours, theirs, inputs, limit
