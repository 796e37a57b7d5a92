"""An equilibrium that is solved: surfaces in balance with a pressure, inside a given boundary.

R(s, theta) and Z(s, theta) are series in Zernike polynomials, the flux is psi = psi_edge s^2. Force
balance is the equation of Grad and Shafranov at nodes between the axis and the edge,

    R d/dR (1/R d psi/dR) + d2 psi/dZ2 = -mu0 R^2 dp/dpsi - F dF/dpsi,

whose derivatives by psi are given. The unknowns are the coefficients and psi_edge. The boundary is
a set of linear equations of the coefficients. The angle is chosen so that Z = z(s) sin(theta).
"""

import math
from typing import Any, NamedTuple

from likewise import array_namespace, device, jvp
from likewise.missing import at
from likewise.optimize import affine_set, least_squares, project_linear

from .equilibrium import Array, Solovev, edge_flux
from .fits import TIGHT, orders, radial


class Series(NamedTuple):
    """Modes at nodes, (n, modes) each: themselves and derivatives by s, t; by s s, s t, t t."""

    s: Array
    of_R: tuple[Array, ...]
    of_Z: tuple[Array, ...]


class Space(NamedTuple):
    """Series inside, and what the boundary asks: angles, simple surfaces, and all that is free."""

    inside: Series
    theta: Array  # (m,) of the nodes on the edge
    equations: Array  # (m + 1, coefficients): R at these, and the height of the edge
    simple: Array  # (coefficients, m + 1): the modes of simple surfaces
    free: Array  # (coefficients, fewer): all coefficients that don't move the edge


class Balance(NamedTuple):
    """A solved equilibrium."""

    of_R: Array
    of_Z: Array
    edge: Array  # psi_edge, Wb/rad
    unknowns: Array  # to start the next from
    found: Any


def modes(degree: int) -> list[tuple[int, int]]:
    """Return (l, m) of R: all up to a degree, by rising l."""
    return [mode for mode in orders((degree + 2) ** 2, 0) if mode[0] <= degree]


def products(numbers: list[tuple[int, int]], s: Array, waves: tuple[Array, ...]) -> Any:
    """Return radial polynomials times waves, (n, modes), and their derivatives."""

    def grown(s: Array) -> Array:
        return array_namespace(s).stack([radial(d, m, s) for d, m in numbers], axis=-1)

    def sloped(s: Array) -> tuple[Array, Array]:
        return jvp(grown, (s,), (0 * s + 1,))

    (value, first), (_, second) = jvp(sloped, (s,), (0 * s + 1,))
    wave, turned, twice = waves
    return value * wave, first * wave, value * turned, second * wave, first * turned, value * twice


def series(degree: int, s: Array, theta: Array) -> Series:
    """Return the modes of R and Z at nodes (n,)."""
    xp = array_namespace(s, theta)
    m = xp.asarray([float(m) for _, m in modes(degree)], dtype=s.dtype, device=device(s))
    theta = theta[:, None]
    cosine, sine = xp.cos(m * theta), xp.sin(m * theta)
    of_R = products(modes(degree), s, (cosine, -m * sine, -(m**2) * cosine))
    odd = [(d, 1) for d in range(1, degree + 1, 2)]
    return Series(s, of_R, products(odd, s, (xp.sin(theta), xp.cos(theta), -xp.sin(theta))))


def space(degree: int, like: Array) -> Space:
    """Return the series up to a degree, and the null space of the equations of the boundary."""
    xp = array_namespace(like)
    where = {"dtype": like.dtype, "device": device(like)}

    def middles(n: int) -> Array:
        return (xp.arange(n, **where) + 0.5) / n

    radii, angles = xp.sqrt(middles(degree + 2)), math.pi * middles(degree + 4)
    inside = series(degree, xp.repeat(radii, degree + 4), xp.tile(angles, (degree + 2,)))
    theta = math.pi * middles(degree + 1)
    edge = series(degree, xp.ones_like(theta), theta)
    rows, of_R = edge.of_R[0].shape
    equations = xp.zeros((rows + 1, of_R + edge.of_Z[0].shape[1]), **where)
    equations = at(equations)[:rows, :of_R].set(edge.of_R[0])
    equations = at(equations)[rows, of_R:].set(1.0)  # the height of the edge
    # The simplest surfaces: each mode m of the edge grows as s^m.
    chosen = [modes(degree).index((m, m)) for m in range(degree + 1)] + [of_R]
    simple = xp.stack([xp.eye(equations.shape[1], **where)[:, k] for k in chosen], axis=-1)
    _, free = affine_set(equations, 0.0)
    return Space(inside, theta, equations, simple, free)


def boundary(eq: Solovev, theta: Array) -> tuple[Array, Array]:
    """Return R, at angles for which Z = height sin(theta), and the height of the last surface.

    Where Solov'ev's own angle has the cosine c, R^2 is R0^2 (1 + k c). Both angles have the same Z,
    which is a quadratic equation of c.
    """
    xp = array_namespace(theta, *eq)
    k = 2 * eq.a / eq.R0 * xp.ones_like(theta[0])
    top = (xp.sqrt(1 - k**2) - 1) / k  # c where Z is largest
    squared = (1 - top**2) / (1 + k * top)
    part = k * squared * xp.sin(theta) ** 2
    c = (xp.cos(theta) * xp.sqrt(4 - k * squared * part) - part) / 2
    return eq.R0 * xp.sqrt(1 + k * c), eq.kappa * eq.a * xp.sqrt(squared)


def operator(points: Series, of_R: Array, of_Z: Array, edge: Array) -> tuple[Array, Array]:
    """Return the left side of the equation at nodes, and R."""
    xp = array_namespace(of_R, of_Z, edge)
    R, R_s, R_t, R_ss, R_st, R_tt = (xp.matmul(m, of_R) for m in points.of_R)
    _, Z_s, Z_t, Z_ss, Z_st, Z_tt = (xp.matmul(m, of_Z) for m in points.of_Z)
    slope, curvature = 2 * edge * points.s, 2 * edge * xp.ones_like(points.s)

    def across(R: Array, R_s: Array, R_t: Array, Z_s: Array, Z_t: Array, slope: Array) -> Array:
        return slope * (R_t**2 + Z_t**2) / (R * (R_s * Z_t - R_t * Z_s))

    def along(R: Array, R_s: Array, R_t: Array, Z_s: Array, Z_t: Array, slope: Array) -> Array:
        return slope * (R_s * R_t + Z_s * Z_t) / (R * (R_s * Z_t - R_t * Z_s))

    here = R, R_s, R_t, Z_s, Z_t, slope
    _, by_s = jvp(across, here, (R_s, R_ss, R_st, Z_ss, Z_st, curvature))
    _, by_theta = jvp(along, here, (R_t, R_st, R_tt, Z_st, Z_tt, 0 * slope))
    return R * (by_s - by_theta) / (R_s * Z_t - R_t * Z_s), R


def solve(shapes: Space, eq: Solovev, share: Array, start: Array | None = None) -> Balance:
    """Solve for the surfaces inside Solov'ev's boundary with a share of his pressure.

    The rest of the current comes from F dF/dpsi. With all of the pressure, the solution is his.
    """
    xp = array_namespace(shapes.free, share, *eq)
    R_edge, height = boundary(eq, shapes.theta)
    edge = xp.concat([R_edge, xp.reshape(height, (1,))])
    square = xp.matmul(shapes.equations, shapes.simple)
    simple = xp.matmul(shapes.simple, project_linear(0 * edge, square, edge, edge))
    count = shapes.inside.of_R[0].shape[1]
    size, strength = edge_flux(eq), eq.B0 * (1 + eq.kappa**2) / (eq.kappa * eq.q0)

    def parts(unknowns: Array) -> tuple[Array, Array, Array]:
        xp = array_namespace(unknowns)
        c = xp.matmul(shapes.free, unknowns[:-1]) + simple
        return c[:count], c[count:], unknowns[-1] * size

    def residuals(unknowns: Array) -> Array:
        left, R = operator(shapes.inside, *parts(unknowns))
        return left / strength - (R / eq.R0) ** 2 * share - (1 - share)

    none = 0 * xp.sum(shapes.free, axis=0)
    if start is None:
        start = xp.concat([none, xp.ones_like(none[:1])])
    lower = xp.concat([none - math.inf, none[:1]])  # psi_edge is positive
    found = least_squares(residuals, start, bounds=(lower, math.inf), **TIGHT)
    return Balance(*parts(found.x), found.x, found)


def axis(degree: int, of_R: Array) -> Array:
    """Return R of the magnetic axis."""
    xp = array_namespace(of_R)
    signs = [(-1.0) ** (d // 2) if m == 0 else 0.0 for d, m in modes(degree)]
    return xp.sum(xp.asarray(signs, dtype=of_R.dtype, device=device(of_R)) * of_R)
