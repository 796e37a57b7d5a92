"""Flux coordinates: angles in which field lines are straight, and where a point in space lies."""

import functools
from typing import Any

from likewise import array_namespace, device, jvp, switch
from likewise.optimize import find_root, root

from .equilibrium import Array, Solovev, field, surface

ANGLES = ("PEST", "Hamada", "Boozer", "equal arc")


def angle_density(eq: Solovev, s: Array, theta: Array, kind: Array = 0) -> Array:
    """Return d angle / d theta, up to a factor, of the angle in ANGLES.

    It follows from the Jacobian that one asks for, up to a factor on
    a surface: R^2 (PEST), 1 (Hamada), 1 / B^2 (Boozer) or
    R / |grad psi| (equal arc). `kind`, its number, may be an array.
    """

    def pest(R: Array, Z: Array) -> Array:
        return R**-3

    def hamada(R: Array, Z: Array) -> Array:
        return 1 / R

    def boozer(R: Array, Z: Array) -> Array:
        B_R, B_phi, B_Z = field(eq, R, Z)
        return (B_R**2 + B_phi**2 + B_Z**2) / R

    def equal_arc(R: Array, Z: Array) -> Array:
        xp = array_namespace(R, Z)
        B_R, _, B_Z = field(eq, R, Z)
        return xp.sqrt(B_R**2 + B_Z**2) / R

    ways = [pest, hamada, boozer, equal_arc]
    return switch(kind, ways, *surface(eq, s, theta))


def angle_modes(eq: Solovev, s: Array, modes: int, kind: Array = 0, nodes: int = 128) -> Array:
    """Return a[k - 1] of angle = theta + sum_k a[k - 1] sin(k theta), (modes,) + the shape of s."""
    xp = array_namespace(s, *eq)
    if nodes <= 2 * modes:
        raise ValueError(f"{modes} modes need more than {2 * modes} nodes, got {nodes}")
    theta = xp.arange(nodes, dtype=s.dtype, device=device(s)) * (2 * xp.pi / nodes)
    order = xp.arange(modes + 1, dtype=s.dtype, device=device(s))
    density = angle_density(eq, s[..., None], theta, kind)
    cosines = xp.matmul(density, xp.cos(theta[:, None] * order))
    return xp.moveaxis(2 * cosines[..., 1:] / (cosines[..., :1] * order[1:]), -1, 0)


def straightened(theta: Array, *amplitudes: Array) -> Array:
    """Return theta + sum_k a_k sin(k theta), the sum by Clenshaw's recurrence."""
    xp = array_namespace(theta, *amplitudes)
    twice = 2 * xp.cos(theta)
    last = before = xp.zeros_like(theta)
    for a in reversed(amplitudes):
        last, before = a + twice * last - before, last
    return theta + last * xp.sin(theta)


def theta_at(angle: Array, amplitudes: Array) -> Any:
    """Find theta where theta + sum_k a_k sin(k theta) is the angle.

    `amplitudes`, (modes, ...), are what `angle_modes` returns, and
    broadcast with the angles. At 0 and pi the angles agree, so that
    each root is within half a turn of its angle.
    """
    xp = array_namespace(angle, amplitudes)
    rows = [amplitudes[k, ...] for k in range(amplitudes.shape[0])]

    def misses(theta: Array, angle: Array, *rows: Array) -> Array:
        return straightened(theta, *rows) - angle

    bracket = (angle - xp.pi, angle + xp.pi)
    return find_root(misses, bracket, args=(angle, *rows))


def position(eq: Solovev, coordinates: Array) -> Array:
    """Return x, y, z, m, of s, theta and the toroidal angle: (..., 3) to (..., 3)."""
    xp = array_namespace(coordinates, *eq)
    s, theta, phi = (coordinates[..., k] for k in range(3))
    R, Z = surface(eq, s, theta)
    return xp.stack([R * xp.cos(phi), R * xp.sin(phi), Z], axis=-1)


def flux_coordinates(eq: Solovev, points: Array) -> Any:
    """Find s, theta and the toroidal angle of points (n, 3).

    Starts as if surfaces were ellipses around the axis.
    """
    xp = array_namespace(points, *eq)
    x, y, z = (points[:, k] for k in range(3))
    across, up = xp.hypot(x, y) - eq.R0, z / eq.kappa
    s, theta = xp.hypot(across, up) / eq.a, xp.atan2(up, across)
    start = xp.stack([s, theta, xp.atan2(y, x)], axis=-1)

    def misses(coordinates: Array) -> Array:
        return position(eq, coordinates) - points

    return root(misses, start, vectorized=True)


def jacobian(eq: Solovev, s: Array, theta: Array) -> Array:
    """Return the volume for each ds dtheta dphi, m^3: R times a determinant of derivatives."""
    xp = array_namespace(s, theta)
    s, theta = xp.broadcast_arrays(s, theta)
    one, none = xp.ones_like(s), xp.zeros_like(s)
    place = functools.partial(surface, eq)
    (R, _), (R_s, Z_s) = jvp(place, (s, theta), (one, none))
    _, (R_theta, Z_theta) = jvp(place, (s, theta), (none, one))
    return R * (R_s * Z_theta - R_theta * Z_s)
