"""Steps of training in docs/examples/digits, against the libraries' own: ``--only digits``.

A step is a batch of 64 digits in float32: loss, gradients, and Adam. Plain torch is a network of
`torch.nn`, `backward` and `torch.optim.Adam`; plain JAX the same with `jax.nn` and `jax.lax`,
compiled as one function; HIPS autograd's convolution is the one of its own examples.
"""

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import likewise
from likewise import random

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
import digits

BATCH = 64
Step = Callable[[Any], Any]
NETS = {"MLP": digits.mlp(), "convolutional net": digits.convnet()}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per network and library: label, peer, ours, theirs, inputs, limit."""
    batches = _batches(4 if quick else 16)
    for net in NETS:
        plain = {"torch": torchs, "jax": jaxs}
        plain = {name: make(net) for name, make in plain.items() if name in libraries}
        ways = [("", "1.3", {"torch": "1.3", "jax": "1.1"})]
        if net != "MLP":
            ways = [("", "1.3", {}), (", without rows", "2", {})]
        if "numpy" in libraries:
            label = f"{net}, numpy, recorded"
            yield label, "HIPS autograd", ours(net, "numpy"), autograds(net), batches, "0.4"
        for what, limit, limits in ways:
            for name in plain:
                compiled = ours(net, name, generic=bool(what))
                for peer, theirs in plain.items():
                    of_peer = "plain torch" if peer == "torch" else "plain JAX, jitted"
                    if peer == "torch" or name == "jax":
                        label = f"{net}, {name}, compiled{what}"
                        at_most = limits.get(name, limit)
                        yield label, of_peer, compiled, theirs, batches, at_most
            if "torch" in libraries:
                eager = ours(net, "torch", compiled=False, generic=bool(what))
                label = f"{net}, torch, as it is{what}"
                yield label, "plain torch", eager, plain["torch"], batches, "a figure"
        if "torch" in libraries and not quick:
            theirs = torchs(net, compiled=True)
            label = f"{net}, torch, compiled"
            yield label, "torch.compile", ours(net, "torch"), theirs, batches, "a figure"


def _batches(count: int) -> list[Any]:
    """Return images and targets in float32, and labels."""
    with likewise.use("numpy", dtype="float32"):
        images, labels, *_ = digits.digits(random.key(0))
    parts = [slice(i * BATCH, (i + 1) * BATCH) for i in range(count)]
    hot = np.eye(10, dtype=np.float32)
    return [_On(images[s], hot[labels[s]], labels[s]) for s in parts]


class _On:
    """A batch, on each library once it was asked for."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        self.found: dict[str, Any] = {"numpy": arrays}

    def of(self, library: str) -> Any:
        if library not in self.found:
            to = lambda x: likewise.asarray(x, namespace=library)
            self.found[library] = tuple(map(to, self.arrays))
        return self.found[library]


def drawn(net: str, library: str) -> Any:
    with likewise.use(library, dtype="float32"):
        return NETS[net].new(random.key(1))


def parameters(net: str) -> list[Any]:
    """Return weights and biases of each layer, as NumPy's arrays."""
    return [p for pair in drawn(net, "numpy") for p in pair]


def ours(net: str, library: str, compiled: bool = True, generic: bool = False) -> Step:
    """Return the example's step, which keeps its parameters; without rows if `generic`."""
    optimiser, params = digits.Adam(), drawn(net, library)
    step: Any = digits.train_step
    step = likewise.jit(step, static_argnums=(0, 1)) if compiled else step
    kept = [params, optimiser.start(params)]

    def run(batch: _On) -> Any:
        images, targets, _ = batch.of(library)
        *kept[:], loss = step(NETS[net], optimiser, *kept, images, targets)
        return loss.block_until_ready() if library == "jax" else loss

    def run_generic(batch: _On) -> Any:
        with likewise.prefer("generic"):
            return run(batch)

    return run_generic if generic else run


# -- torch -----------------------------------------------------------------------------------------


def torchs(net: str, compiled: bool = False) -> Step:
    import torch
    from torch import nn

    torch.set_num_threads(1)  # threads that wait for each other make noise
    if net == "MLP":
        model = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    else:
        model = nn.Sequential(
            nn.Unflatten(1, (1, 8)),
            nn.Conv2d(1, 16, 3),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(128, 10),
        )
    called: Any = torch.compile(model) if compiled else model
    optimiser = torch.optim.Adam(model.parameters())
    error = nn.CrossEntropyLoss()

    def run(batch: _On) -> Any:
        images, _, labels = batch.of("torch")
        optimiser.zero_grad()
        loss = error(called(images), labels)
        loss.backward()
        optimiser.step()
        return loss

    return run


# -- JAX and autograd: one text for the MLP, each library's own convolution ------------------------


def dense(x: Any, w: Any, b: Any) -> Any:
    return x @ w + b


def jaxs(net: str) -> Step:
    import jax

    jnp = jax.numpy

    def scores(p: Any, x: Any) -> Any:
        if net == "MLP":
            return dense(jax.nn.relu(dense(x.reshape(len(x), -1), *p[:2])), *p[2:])
        conv = functools.partial(
            jax.lax.conv_general_dilated,
            window_strides=(1, 1),
            padding="VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
        x = jax.nn.relu(conv(x[..., None], p[0]) + p[1])
        x = jax.nn.relu(conv(x, p[2]) + p[3])
        window = (1, 2, 2, 1)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
        return dense(x.reshape(len(x), -1), *p[4:])

    def error(p: Any, x: Any, targets: Any) -> Any:
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores(p, x)) * targets, axis=-1))

    @jax.jit
    def step(p: Any, state: Any, x: Any, targets: Any) -> Any:
        loss, grads = jax.value_and_grad(error)(p, x, targets)
        return *adam(jnp, p, grads, state), loss

    params = [jnp.asarray(a) for a in parameters(net)]
    zeros = [jnp.zeros_like(a) for a in params]
    kept = [params, (zeros, zeros, jnp.zeros((), jnp.float32))]

    def run(batch: _On) -> Any:
        images, targets, _ = batch.of("jax")
        *kept[:], loss = step(*kept, images, targets)
        return loss.block_until_ready()

    return run


def autograds(net: str) -> Step:
    import autograd.numpy as anp
    from autograd import value_and_grad
    from autograd.scipy.signal import convolve

    def conv(x: Any, w: Any) -> Any:  # channels stand second, kernels are not turned round
        kernel = anp.transpose(w[::-1, ::-1], (2, 3, 0, 1))
        axes = ([2, 3], [2, 3])
        return convolve(x, kernel, axes=axes, dot_axes=([1], [0]), mode="valid")

    def scores(p: Any, x: Any) -> Any:
        if net == "MLP":
            x = anp.reshape(x, (len(x), -1))
            return dense(anp.maximum(dense(x, p[0], p[1]), 0), p[2], p[3])
        x = anp.maximum(conv(x[:, None], p[0]) + anp.reshape(p[1], (-1, 1, 1)), 0)
        x = anp.maximum(conv(x, p[2]) + anp.reshape(p[3], (-1, 1, 1)), 0)
        n, c, h, w = x.shape
        x = anp.max(anp.max(anp.reshape(x, (n, c, h // 2, 2, w // 2, 2)), axis=5), axis=3)
        x = anp.reshape(anp.transpose(x, (0, 2, 3, 1)), (n, -1))
        return dense(x, p[4], p[5])

    def error(p: Any, x: Any, targets: Any) -> Any:
        z = scores(p, x)
        z = z - anp.max(z, axis=1, keepdims=True)
        z = z - anp.log(anp.sum(anp.exp(z), axis=1, keepdims=True))
        return -anp.mean(anp.sum(z * targets, axis=1))

    both = value_and_grad(error)
    params = parameters(net)
    zeros = [np.zeros_like(a) for a in params]
    kept: list[Any] = [params, (zeros, zeros, 0)]

    def run(batch: _On) -> Any:
        images, targets, _ = batch.of("numpy")
        loss, grads = both(kept[0], images, targets)
        kept[:] = adam(np, kept[0], grads, kept[1])
        return loss

    return run


def adam(xp: Any, params: Any, grads: Any, state: Any) -> Any:
    """Adam as one writes it by hand."""
    mean, square, steps = state
    steps = steps + 1
    mean = [0.9 * m + 0.1 * g for m, g in zip(mean, grads, strict=True)]
    square = [0.999 * s + 0.001 * g * g for s, g in zip(square, grads, strict=True)]
    a, b = 1 - 0.9**steps, 1 - 0.999**steps
    params = [
        p - 0.001 * (m / a) / (xp.sqrt(s / b) + 1e-8)
        for p, m, s in zip(params, mean, square, strict=True)
    ]
    return params, (mean, square, steps)
