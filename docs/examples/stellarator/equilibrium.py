"""Solov'ev's solution of the Grad-Shafranov equation: flux, field, surfaces, profiles.

L. S. Solov'ev, Soviet Physics JETP 26 (1968) 400: where the pressure is linear in the flux psi and
the toroidal field is that of a vacuum, F = R0 B0, the equation has the solution

    psi(R, Z) = B0 / (2 R0^2 kappa q0) (R^2 Z^2 + kappa^2 / 4 (R^2 - R0^2)^2).

With u = (R^2 - R0^2) / 2 and v = R Z / kappa it is proportional to u^2 + v^2: surfaces are circles
in u and v. So all that is asked of a surface has a closed form, or is an integral of powers of
1 + k cos(theta), which are complete elliptic integrals.
"""

import math
from typing import Any, NamedTuple

from likewise import array_namespace, grad
from likewise.special import ellipe

Array = Any  # of any library, or a Python number

MU0 = 4e-7 * math.pi  # H/m


class Solovev(NamedTuple):
    """The five numbers of an equilibrium: Python's, or arrays of shape () to differentiate by."""

    R0: Array = 4.0  # radius of the magnetic axis, m
    a: Array = 1.0  # minor radius of the last surface, m, for a / R0 that is small
    B0: Array = 5.0  # toroidal field on the axis, T
    kappa: Array = 1.6  # elongation of the surfaces next to the axis
    q0: Array = 1.2  # safety factor on the axis


def flux(eq: Solovev, R: Array, Z: Array) -> Array:
    """Return the poloidal flux per radian, Wb/rad: 0 on the axis."""
    scale = eq.B0 / (2 * eq.R0**2 * eq.kappa * eq.q0)
    return scale * (R**2 * Z**2 + eq.kappa**2 / 4 * (R**2 - eq.R0**2) ** 2)


def edge_flux(eq: Solovev) -> Array:
    """Return the flux of the last surface, Wb/rad."""
    return eq.kappa * eq.B0 * eq.a**2 / (2 * eq.q0)


def surface(eq: Solovev, s: Array, theta: Array) -> tuple[Array, Array]:
    """Return R and Z, m, on the surface s = sqrt(psi / psi_edge) at the angle theta."""
    xp = array_namespace(s, theta, *eq)
    R = xp.sqrt(eq.R0**2 + 2 * eq.a * eq.R0 * s * xp.cos(theta))
    return R, eq.kappa * eq.a * eq.R0 * s * xp.sin(theta) / R


def slopes(eq: Solovev, R: Array, Z: Array) -> tuple[Array, Array]:
    """Return the derivatives of the flux by R and Z."""

    def total(R: Array, Z: Array) -> Array:
        return array_namespace(R, Z).sum(flux(eq, R, Z))

    return grad(total, argnums=(0, 1))(R, Z)


def field(eq: Solovev, R: Array, Z: Array) -> tuple[Array, Array, Array]:
    """Return the components of the magnetic field along R, phi and Z, T."""
    by_R, by_Z = slopes(eq, R, Z)
    return -by_Z / R, eq.R0 * eq.B0 / R, by_R / R


def source(eq: Solovev, R: Array, Z: Array) -> Array:
    """Return R d/dR (1/R d psi/dR) + d2 psi/dZ2.

    It is the left side of the equation of Grad and Shafranov.
    """

    def along_R(R: Array) -> Array:
        return array_namespace(R).sum(slopes(eq, R, Z)[0] / R)

    def along_Z(Z: Array) -> Array:
        return array_namespace(Z).sum(slopes(eq, R, Z)[1])

    return R * grad(along_R)(R) + grad(along_Z)(Z)


def pressure(eq: Solovev, s: Array) -> Array:
    """Return the pressure, Pa: 0 on the last surface."""
    on_axis = (eq.B0 * eq.a / (eq.R0 * eq.q0)) ** 2 * (eq.kappa**2 + 1) / (2 * MU0)
    return on_axis * (1 - s**2)


def safety_factor(eq: Solovev, s: Array) -> Array:
    """Return the toroidal turns of a field line for each poloidal one, in closed form.

    The mean of (1 + k cos(theta))^(-3/2) over a turn, k = 2 s a / R0, is a complete elliptic
    integral of the second kind.
    """
    xp = array_namespace(s, *eq)
    k = 2 * eq.a / eq.R0 * s
    return eq.q0 * 2 / math.pi * ellipe(2 * k / (1 + k)) / ((1 - k) * xp.sqrt(1 + k))
