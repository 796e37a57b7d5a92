"""Averages over flux surfaces: sums over the nodes of a grid by the surface that they lie on."""

import math
from typing import NamedTuple

from likewise import array_namespace, device
from likewise.missing import at, repeat, safe_divide, segment_sum

from .coordinates import jacobian
from .equilibrium import Array, Solovev, edge_flux, surface


class Grid(NamedTuple):
    """Nodes in any order, each with the number of its surface; s is of the surfaces.

    The nodes of a surface count alike, so their angles must be equally spaced.
    """

    s: Array  # (surfaces,)
    theta: Array  # (nodes,)
    label: Array  # (nodes,), integers

    @classmethod
    def regular(cls, s: Array, angles: int) -> "Grid":
        """Make a grid with as many equally spaced angles on each surface."""
        xp = array_namespace(s)
        turn = xp.arange(angles, dtype=s.dtype, device=device(s)) * (2 * math.pi / angles)
        label = repeat(xp.arange(s.shape[0], device=device(s)), angles)
        return cls(s, xp.tile(turn, (s.shape[0],)), label)


def surface_sums(grid: Grid, values: Array) -> Array:
    """Return the integral over theta of values at the nodes, for each surface."""
    xp = array_namespace(values)
    count = grid.s.shape[0]
    nodes = segment_sum(xp.ones_like(values), grid.label, count)
    return segment_sum(values, grid.label, count) * (2 * math.pi) / nodes


def surface_averages(eq: Solovev, grid: Grid, values: Array, on_axis: Array) -> Array:
    """Return averages of values (nodes,), weighted by volume.

    The surface s = 0 is a line without volume, 0 / 0: there the
    average is `on_axis`.
    """
    xp = array_namespace(values, *eq)
    weight = jacobian(eq, xp.take(grid.s, grid.label), grid.theta)
    total = surface_sums(grid, weight * values)
    mean = safe_divide(total, surface_sums(grid, weight))
    return at(mean)[grid.s == 0].set(on_axis)


def volume_slope(eq: Solovev, grid: Grid) -> Array:
    """Return dV/ds, m^3, of the volume V within each surface."""
    xp = array_namespace(grid.theta, *eq)
    weight = jacobian(eq, xp.take(grid.s, grid.label), grid.theta)
    return 2 * math.pi * surface_sums(grid, weight)


def safety_factor_by_average(eq: Solovev, grid: Grid) -> Array:
    """Return q = F dV/dpsi <R^-2> / (4 pi^2) of sums over the grid; q0 on the axis."""
    xp = array_namespace(grid.theta, *eq)
    R, _ = surface(eq, xp.take(grid.s, grid.label), grid.theta)
    inverse = surface_averages(eq, grid, R**-2, eq.R0**-2)
    by_flux = safe_divide(volume_slope(eq, grid), edge_flux(eq) * 2 * grid.s)
    q = eq.R0 * eq.B0 * by_flux * inverse / (4 * math.pi**2)
    return at(q)[grid.s == 0].set(eq.q0)
