"""Optimisers: updates of a tree of parameters by a tree of gradients."""

import math
from dataclasses import dataclass

from likewise import array_namespace, tree_leaves, tree_map


@dataclass(frozen=True)
class SGD:
    """Gradient descent with momentum (Sutskever et al. 2013); the state is the velocity."""

    rate: float = 0.1
    momentum: float = 0.9

    def start(self, params):
        return tree_map(lambda p: 0 * p, params)

    def update(self, params, grads, velocity):
        velocity = tree_map(lambda v, g: self.momentum * v + g, velocity, grads)
        return tree_map(lambda p, v: p - self.rate * v, params, velocity), velocity


@dataclass(frozen=True)
class Adam:
    """Kingma and Ba 2015, algorithm 1; the state has means of gradients and squares, and steps."""

    rate: float = 0.001
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    def start(self, params):
        mean, square = (tree_map(lambda p: 0 * p, params) for _ in range(2))
        first = tree_leaves(params)[0]
        return mean, square, 0 * array_namespace(first).sum(first)

    def update(self, params, grads, state):
        mean, square, steps = state
        xp = array_namespace(steps)
        steps = steps + 1
        mean = tree_map(lambda m, g: self.beta1 * m + (1 - self.beta1) * g, mean, grads)
        square = tree_map(lambda s, g: self.beta2 * s + (1 - self.beta2) * g * g, square, grads)
        # Means that began at 0 are too small, by 1 - beta**steps.
        small = -xp.expm1(steps * math.log(self.beta1))
        root = xp.sqrt(-xp.expm1(steps * math.log(self.beta2)))
        rate, eps = self.rate / small * root, self.eps * root
        params = tree_map(lambda p, m, s: p - rate * m / (xp.sqrt(s) + eps), params, mean, square)
        return params, (mean, square, steps)
