"""Field lines, followed around the torus with Runge and Kutta's method of fourth order."""

from likewise import array_namespace, cond, scan

from .equilibrium import Array, Solovev, edge_flux, field, flux

Place = tuple[Array, Array]  # R and Z


def follow(eq: Solovev, R: Array, Z: Array, turn: Array, steps: int) -> Place:
    """Return R and Z, (steps, lines), of lines from R, Z, (lines,).

    They go over an angle phi of `turn` around the torus.
    """
    h = turn / steps

    def along(R: Array, Z: Array) -> Place:
        B_R, B_phi, B_Z = field(eq, R, Z)
        return R * B_R / B_phi, R * B_Z / B_phi

    def step(place: Place, _: None) -> tuple[Place, Place]:
        R, Z = place
        R1, Z1 = along(R, Z)
        R2, Z2 = along(R + h / 2 * R1, Z + h / 2 * Z1)
        R3, Z3 = along(R + h / 2 * R2, Z + h / 2 * Z2)
        R4, Z4 = along(R + h * R3, Z + h * Z3)
        R = R + h / 6 * (R1 + 2 * R2 + 2 * R3 + R4)
        Z = Z + h / 6 * (Z1 + 2 * Z2 + 2 * Z3 + Z4)
        return (R, Z), (R, Z)

    return scan(step, (R, Z), length=steps)[1]


def arrive(eq: Solovev, R: Array, Z: Array, turn: Array, steps: int, drift: float = 1e-10) -> Place:
    """Return where the lines are at the end; with eight times the steps if they left their surface.

    They have left it if the flux has changed by more than `drift` of that of the last surface.
    """
    xp = array_namespace(R, Z, *eq)

    def end(R: Array, Z: Array, steps: int) -> Place:
        path = follow(eq, R, Z, turn, steps)
        return path[0][-1, ...], path[1][-1, ...]

    ends = end(R, Z, steps)
    change = xp.max(xp.abs(flux(eq, *ends) - flux(eq, R, Z))) / edge_flux(eq)
    return cond(change > drift, lambda R, Z: end(R, Z, 8 * steps), lambda R, Z: ends, R, Z)
