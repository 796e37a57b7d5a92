"""A physical law that is known as a table, inside a network of torch."""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn

from likewise.interpolate import RegularGridInterpolator


def tabulated(n: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return the axes of a table, and two quantities at each of its places, (n, n, 2).

    They stand for what a laboratory has measured: here a brightness and a line's width of a gas,
    of logarithms of temperature and density.
    """
    axis = torch.linspace(-1.0, 1.0, n, dtype=torch.float64)
    heat, density = torch.meshgrid(axis, axis, indexing="ij")
    bright = density + 0.5 * heat + 0.3 * torch.sin(math.pi * heat)
    width = 0.5 * heat - 0.4 * density + 0.2 * density**2
    return (axis, axis), torch.stack([bright, width], dim=-1)


class Inverse(nn.Module):
    """Tell temperature and density from what the table's quantities are measured to be."""

    def __init__(self, hidden: int = 24) -> None:
        super().__init__()
        sizes = (2, hidden, hidden, 2)
        layers: list[nn.Module] = []
        for a, b in pairwise(sizes):
            layers += [nn.Linear(a, b, dtype=torch.float64), nn.Tanh()]
        self.layers = nn.Sequential(*layers)

    def forward(self, seen: Tensor) -> Tensor:
        """Return places of the table, (p, 2)."""
        return self.layers(seen)


def train(model: Inverse, law: RegularGridInterpolator, seen: Tensor, steps: int) -> list[float]:
    """Learn without any true answer: the law of the answer must give back what was seen."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.mean((law(model(seen)) - seen) ** 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
