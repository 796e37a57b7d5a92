"""Rate schedules, clipping, weight decay, checkpoints and half precision, for long training."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from likewise import array_namespace, asarray, to_numpy, tree_leaves, tree_map, value_and_grad

from .optimisers import Adam
from .training import cross_entropy


@dataclass(frozen=True)
class Cosine:
    """A rate that rises to `peak` in `warm` steps, and falls to 0 at `total` as half a cosine."""

    peak: float
    warm: int
    total: int

    def __call__(self, steps):
        xp = array_namespace(steps)
        rise = (steps + 1) / self.warm
        turn = xp.clip((steps - self.warm) / (self.total - self.warm), 0.0, 1.0)
        return self.peak * xp.where(steps < self.warm, rise, (1 + xp.cos(math.pi * turn)) / 2)


def clipped(grads, most):
    """Scale gradients so that their common norm is at most `most`; return the norm before, too."""
    xp = array_namespace(*tree_leaves(grads))
    norm = xp.sqrt(sum(xp.sum(g * g) for g in tree_leaves(grads)))
    times = xp.clip(most / (norm + 1e-6), None, 1.0)
    return tree_map(lambda g: times * g, grads), norm


@dataclass(frozen=True)
class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019).

    The rate is a number, or a function of the steps so far; `most` bounds the gradients' norm.
    """

    rate: Any = 0.001
    decay: float = 0.01
    most: float = math.inf

    def start(self, params):
        return Adam().start(params)

    def update(self, params, grads, state):
        rate = self.rate(state[2]) if callable(self.rate) else self.rate
        if self.most < math.inf:
            grads, _ = clipped(grads, self.most)
        nothing = tree_map(lambda p: 0 * p, params)
        steps, state = Adam(1.0).update(nothing, grads, state)
        keep = 1 - rate * self.decay
        return tree_map(lambda p, s: keep * p + rate * s, params, steps), state


def save(path, tree):
    """Write the arrays of a tree, such as parameters and optimiser state, to a NumPy file."""
    with open(path, "wb") as file:  # given a name, NumPy may append an extension
        np.savez(file, *(to_numpy(leaf) for leaf in tree_leaves(tree)))


def load(path, like):
    """Read a file of `save`, as a tree with the form, libraries, devices and dtypes of `like`."""
    with np.load(path) as file:
        held = [file[f"arr_{i}"] for i in range(len(file.files))]
    shapes = [tuple(leaf.shape) for leaf in tree_leaves(like)]
    if [a.shape for a in held] != shapes:
        raise ValueError(f"{path} has arrays of {[a.shape for a in held]}, expected {shapes}")
    left = iter(held)
    return tree_map(lambda leaf: asarray(next(left), like=leaf, dtype=leaf.dtype), like)


def half_step(net, optimiser, kind, scale, params, state, images, targets):
    """Do a `train_step` with the network in the dtype `kind`; parameters keep their dtype.

    The loss is multiplied by `scale` before differentiation, so that small gradients don't
    underflow in half precision, and gradients are divided by it.
    """
    xp, wide = array_namespace(images), images.dtype

    def loss(params, images, targets):
        half = tree_map(lambda p: xp.astype(p, kind), params)
        scores = lambda params, x: xp.astype(net(params, x), wide)  # noqa: E731
        return scale * cross_entropy(half, scores, xp.astype(images, kind), targets)

    value, grads = value_and_grad(loss)(params, images, targets)
    grads = tree_map(lambda g: g / scale, grads)
    return *optimiser.update(params, grads, state), value / scale
