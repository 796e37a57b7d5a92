"""The same equilibrium as in `balance`, in NumPy and SciPy alone, for one problem.

It is written as a code without transforms is: derivatives of the series and of the equation by
hand, the Jacobian by finite differences. `balance` is compared with it.
"""

from math import factorial
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize


def powers(degree: int, m: int) -> list[tuple[float, int]]:
    """Return the terms of Zernike's radial polynomial: factors and powers of s."""
    plus, minus = (degree + m) // 2, (degree - m) // 2
    return [
        (
            (-1.0) ** k
            * factorial(degree - k)
            // (factorial(k) * factorial(plus - k) * factorial(minus - k)),
            degree - 2 * k,
        )
        for k in range(minus + 1)
    ]


def column(terms: Any, m: int, s: Any, theta: Any, wave: Any, order: tuple[int, int]) -> Any:
    """Return a mode, derived so often by s and by theta: a cosine of m theta - wave."""
    by_s, by_theta = order
    radial = sum(
        c * factorial(n) / factorial(n - by_s) * s ** (n - by_s) for c, n in terms if n >= by_s
    )
    return radial * float(m) ** by_theta * np.cos(m * theta - wave + by_theta * np.pi / 2)


def solve(eq: Any, shares: Any, degree: int, R_edge: Any, height: float) -> Any:
    """Return coefficients of R and Z and psi_edge for each share of the pressure, one by one."""
    even = [(d, m) for d in range(degree + 1) for m in range(d % 2, d + 1, 2)]
    odd = [(d, 1) for d in range(1, degree + 1, 2)]
    radii = np.sqrt((np.arange(degree + 2) + 0.5) / (degree + 2))
    angles = (np.arange(degree + 4) + 0.5) * np.pi / (degree + 4)
    s, theta = (a.ravel() for a in np.meshgrid(radii, angles, indexing="ij"))
    edge = (np.arange(degree + 1) + 0.5) * np.pi / (degree + 1)

    def table(modes: Any, wave: float, s: Any, theta: Any, order: Any) -> Any:
        made = [column(powers(d, m), m, s, theta, wave, order) for d, m in modes]
        return np.stack(made, axis=1)

    orders = (0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)
    in_R = [table(even, 0.0, s, theta, order) for order in orders]
    in_Z = [table(odd, np.pi / 2, s, theta, order) for order in orders]
    top = table(even, 0.0, np.ones_like(edge), edge, (0, 0))
    equations = scipy.linalg.block_diag(top, np.ones((1, len(odd))))
    free = scipy.linalg.null_space(equations)
    simple = [even.index((m, m)) for m in range(degree + 1)] + [len(even)]
    lift = np.zeros(equations.shape[1])
    lift[simple] = np.linalg.solve(equations[:, simple], np.append(R_edge, height))
    size = eq.kappa * eq.B0 * eq.a**2 / (2 * eq.q0)
    strength = eq.B0 * (1 + eq.kappa**2) / (eq.kappa * eq.q0)

    def parts(unknowns: Any) -> Any:
        c = lift + free @ unknowns[:-1]
        return c[: len(even)], c[len(even) :], size * unknowns[-1]

    def residuals(unknowns: Any, share: float) -> Any:
        of_R, of_Z, psi = parts(unknowns)
        R, R_s, R_t, R_ss, R_st, R_tt = (m @ of_R for m in in_R)
        _, Z_s, Z_t, Z_ss, Z_st, Z_tt = (m @ of_Z for m in in_Z)
        D = R_s * Z_t - R_t * Z_s
        D_s = R_ss * Z_t + R_s * Z_st - R_st * Z_s - R_t * Z_ss
        D_t = R_st * Z_t + R_s * Z_tt - R_tt * Z_s - R_t * Z_st
        across, along = R_t**2 + Z_t**2, R_s * R_t + Z_s * Z_t
        by_s = across + s * 2 * (R_t * R_st + Z_t * Z_st)
        by_s = by_s - s * across * (R_s / R + D_s / D)
        by_t = R_st * R_t + R_s * R_tt + Z_st * Z_t + Z_s * Z_tt - along * (R_t / R + D_t / D)
        left = 2 * psi * (by_s - s * by_t) / D**2
        return left / strength - share * (R / eq.R0) ** 2 - (1 - share)

    unknowns = np.append(np.zeros(free.shape[1]), 1.0)
    lower = np.append(np.full(free.shape[1], -np.inf), 0.0)
    found = []
    for share in shares:
        unknowns = scipy.optimize.least_squares(
            residuals,
            unknowns,
            bounds=(lower, np.inf),
            args=(share,),
            ftol=1e-15,
            xtol=1e-15,
            gtol=1e-15,
        ).x
        found.append(parts(unknowns))
    return found
