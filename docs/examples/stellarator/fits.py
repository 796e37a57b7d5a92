"""Flux surfaces as a series in s and theta, fitted within bounds, as inverse equilibria are.

R is a sum of Zernike polynomials in cosines of theta, Z one in sines, as in a code for stellarators
(which adds a toroidal angle). The series is smooth at s = 0.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from likewise import array_namespace, device, jvp
from likewise.missing import at
from likewise.optimize import least_squares

from .averages import Grid, surface_sums
from .equilibrium import Array, Solovev

TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}  # to the last digits that rounding leaves


def orders(count: int, lowest: int) -> list[tuple[int, int]]:
    """Return the first modes (l, m), l - m even and m at least `lowest`, by rising l."""
    found: list[tuple[int, int]] = []
    degree = 0
    while len(found) < count:
        found += [(degree, m) for m in range(degree % 2, degree + 1, 2) if m >= lowest]
        degree += 1
    return found[:count]


def radial(degree: int, m: int, s: Array) -> Array:
    """Return Zernike's radial polynomial: s^m times a Jacobi polynomial, by its recurrence."""
    x = 2 * s**2 - 1
    before, last = s**m, s**m * ((m + 2) * x - m) / 2
    for n in range(2, (degree - m) // 2 + 1):
        c = 2 * n + m
        rise = (c - 1) * (c * (c - 2) * x - m**2) * last - 2 * (n - 1) * (n + m - 1) * c * before
        before, last = last, rise / (2 * n * (n + m) * (c - 2))
    return before if degree == m else last


def basis(count: int, s: Array, theta: Array) -> tuple[Array, Array]:
    """Return the first modes of R and of Z at nodes (n,): two arrays (n, count)."""
    xp = array_namespace(s, theta)
    even = [radial(d, m, s) * xp.cos(m * theta) for d, m in orders(count, 0)]
    odd = [radial(d, m, s) * xp.sin(m * theta) for d, m in orders(count, 1)]
    return xp.stack(even, axis=-1), xp.stack(odd, axis=-1)


def misfit(eq: Solovev, s: Array, theta: Array, count: int) -> Callable[[Array], Array]:
    """Return the function from coefficients (2 count,) to residuals (2 n,), 0 on the equilibrium.

    They say that u = (R^2 - R0^2) / 2 and v = R Z / kappa are a R0 s times cos(theta), sin(theta).
    """
    xp = array_namespace(s, theta, *eq)
    even, odd = basis(count, s, theta)
    u, v = s * xp.cos(theta), s * xp.sin(theta)
    scale = eq.a * eq.R0

    def residuals(c: Array) -> Array:
        xp = array_namespace(c, *eq)
        R, Z = xp.matmul(even, c[:count]), xp.matmul(odd, c[count:])
        return xp.concat([(R**2 - eq.R0**2) / (2 * scale) - u, R * Z / (eq.kappa * scale) - v])

    return residuals


def ellipses(eq: Solovev, s: Array, count: int) -> Array:
    """Return the coefficients of ellipses around the axis, on the library of `s`, to start from."""
    xp = array_namespace(s, *eq)
    c = at(xp.zeros(2 * count, dtype=s.dtype, device=device(s)))[0].set(eq.R0)
    c = at(c)[orders(count, 0).index((1, 1))].set(eq.a)
    return at(c)[count].set(eq.kappa * eq.a)


def fit(eq: Solovev, s: Array, theta: Array, start: Array, bounds: Any) -> Any:
    """Fit the coefficients (2 count,) to the equilibrium at nodes (n,), within bounds."""
    residuals = misfit(eq, s, theta, start.shape[0] // 2)
    return least_squares(residuals, start, bounds=bounds, x_scale="jac", **TIGHT)


def volume_slopes(grid: Grid, count: int) -> Callable[[Array], Array]:
    """Return the function from coefficients (2 count,) to dV/ds, m^3, on each surface of a grid."""
    xp = array_namespace(grid.theta)
    s = xp.take(grid.s, grid.label)
    one, none = xp.ones_like(s), xp.zeros_like(s)
    modes = functools.partial(basis, count)
    (even, _), (even_s, odd_s) = jvp(modes, (s, grid.theta), (one, none))
    _, (even_theta, odd_theta) = jvp(modes, (s, grid.theta), (none, one))

    def slopes(c: Array) -> Array:
        xp = array_namespace(c)
        of_R, of_Z = c[:count], c[count:]
        R, R_s, R_theta = (xp.matmul(m, of_R) for m in (even, even_s, even_theta))
        Z_s, Z_theta = xp.matmul(odd_s, of_Z), xp.matmul(odd_theta, of_Z)
        return 2 * math.pi * surface_sums(grid, R * (R_s * Z_theta - R_theta * Z_s))

    return slopes
