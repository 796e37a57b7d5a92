"""Modules of networks. They hold no arrays: parameters are created by them and passed to them."""

import math
from dataclasses import dataclass

from likewise import array_namespace, native, random, xp
from likewise.missing import einsum, sliding_window_view


def drawn(key, shape):
    """Draw weights of variance 2 / inputs, with the settings of `likewise.use`, and biases of 0."""
    bias = xp.zeros(shape[-1])
    width = math.sqrt(6 / math.prod(shape[:-1]))
    return width * (2 * random.uniform(key, shape, like=bias) - 1), bias


@dataclass(frozen=True)
class Dense:
    """Make each output a weighted sum of all inputs: (..., inputs) becomes (..., outputs)."""

    inputs: int
    outputs: int

    def new(self, key):
        return drawn(key, (self.inputs, self.outputs))

    def __call__(self, params, x):
        if x.shape[-1] != self.inputs:
            raise ValueError(f"{self}: got an array of shape {tuple(x.shape)}")
        return x @ params[0] + params[1]  # weights and biases


@dataclass(frozen=True)
class Conv:
    """Weighted sums over size × size windows: (n, h, w, inputs) becomes (n, h', w', outputs)."""

    size: int
    inputs: int
    outputs: int

    def new(self, key):
        return drawn(key, (self.size, self.size, self.inputs, self.outputs))

    def __call__(self, params, x):
        if x.ndim != 4 or x.shape[-1] != self.inputs:
            raise ValueError(f"{self}: got an array of shape {tuple(x.shape)}")
        return convolved(x, params[0]) + params[1]


@native(torch="digits.rows_torch:convolved", jax="digits.rows_jax:convolved")
def convolved(x, weight):
    windows = sliding_window_view(x, weight.shape[:2], axis=(1, 2))
    return einsum("nhwcij,ijco->nhwo", windows, weight)


@dataclass(frozen=True)
class Chain:
    """Call modules and functions in turn; parameters are a list of those of the modules."""

    layers: tuple

    def new(self, key):
        modules = enumerate(f for f in self.layers if hasattr(f, "new"))
        return [module.new(random.fold_in(key, i)) for i, module in modules]

    def __call__(self, params, x):
        if len(params) != (n := sum(hasattr(f, "new") for f in self.layers)):
            raise ValueError(f"{n} modules need parameters, but got those of {len(params)}")
        left = iter(params)
        for layer in self.layers:
            x = layer(next(left), x) if hasattr(layer, "new") else layer(x)
        return x


def relu(x):
    return array_namespace(x).where(x <= 0, 0.0, x)  # x > 0 would make NaN a 0


def flat(x):
    return array_namespace(x).reshape(x, (x.shape[0], -1))


def pool(x):
    """Take the maximum of every 2 × 2 pixels: (n, h, w, c) becomes (n, h / 2, w / 2, c)."""
    n, h, w, c = x.shape
    blocks = array_namespace(x).reshape(x, (n, h // 2, 2, w // 2, 2, c))
    return array_namespace(x).max(blocks, axis=(2, 4))
