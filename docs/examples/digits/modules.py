"""Modules, which networks are made of: each is a tree of arrays that can be called."""

import math
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from likewise import array_namespace, random, register_tree, xp
from likewise.missing import einsum, sliding_window_view


def drawn(key, shape):
    """Weights of variance 2 over the number of inputs, as `likewise.use` says, and biases of 0."""
    bias = xp.zeros(shape[-1])
    width = math.sqrt(6 / math.prod(shape[:-1]))
    return width * (2 * random.uniform(key, shape, like=bias) - 1), bias


@dataclass(frozen=True, eq=False)
class Dense:
    """Every output is a weighted sum of all inputs: (..., inputs) becomes (..., outputs)."""

    weight: Any
    bias: Any

    @classmethod
    def new(cls, key, inputs, outputs):
        return cls(*drawn(key, (inputs, outputs)))

    def __call__(self, x):
        if x.shape[-1] != self.weight.shape[0]:
            raise ValueError(f"Dense of {self.weight.shape[0]} inputs got shape {tuple(x.shape)}")
        return x @ self.weight + self.bias


@dataclass(frozen=True, eq=False)
class Conv:
    """Weighted sums over size × size windows: (n, h, w, inputs) becomes (n, h', w', outputs)."""

    weight: Any
    bias: Any

    @classmethod
    def new(cls, key, size, inputs, outputs):
        return cls(*drawn(key, (size, size, inputs, outputs)))

    def __call__(self, x):
        size, _, inputs, _ = self.weight.shape
        if x.ndim != 4 or x.shape[-1] != inputs:
            raise ValueError(f"Conv of (n, h, w, {inputs}) got shape {tuple(x.shape)}")
        windows = sliding_window_view(x, (size, size), axis=(1, 2))
        return einsum("nhwcij,ijco->nhwo", windows, self.weight) + self.bias


class Chain:
    """Modules and functions, one after the other. Its arrays are those of its modules."""

    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parts(self):
        """Return the modules, and the functions with None in the places of modules."""
        functions = tuple(f if isinstance(f, FunctionType) else None for f in self.layers)
        return [m for m in self.layers if not isinstance(m, FunctionType)], functions

    @classmethod
    def joined(cls, functions, modules):
        left = iter(modules)
        return cls(*(f or next(left) for f in functions))


register_tree(Chain, Chain.parts, Chain.joined)


def relu(x):
    return array_namespace(x).where(x <= 0, 0.0, x)  # x > 0 would make NaN a 0


def flat(x):
    return array_namespace(x).reshape(x, (x.shape[0], -1))


def pool(x):
    """Keep the largest of every 2 × 2 pixels: (n, h, w, c) becomes (n, h / 2, w / 2, c)."""
    n, h, w, c = x.shape
    blocks = array_namespace(x).reshape(x, (n, h // 2, 2, w // 2, 2, c))
    return array_namespace(x).max(blocks, axis=(2, 4))
