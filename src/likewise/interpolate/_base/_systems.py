"""Systems of a few diagonals, whose derivatives are solutions of the same systems.

Elimination isn't followed: what changes in a matrix and in right sides becomes a right side.
"""

from typing import Any

from ..._namespace import array_namespace
from ...linalg import solve_banded, tridiagonal_solve
from ...transforms import custom_jvp

__all__ = ["banded_system", "tridiagonal_system"]


@custom_jvp
def tridiagonal_system(low: Any, main: Any, up: Any, right: Any) -> Any:
    """Solve for right sides (..., n, k), as `likewise.linalg.tridiagonal_solve`."""
    return tridiagonal_solve(low, main, up, right)


@tridiagonal_system.defjvp
def _along_diagonals(values: Any, tangents: Any) -> tuple[Any, Any]:
    x = tridiagonal_system(*values)
    low, main, up, right = tangents
    change = main[..., None] * x + low[..., None] * _moved(x, 1) + up[..., None] * _moved(x, -1)
    return x, tridiagonal_solve(values[0], values[1], values[2], right - change)


def banded_system(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """Solve for right sides (..., n, k), as `likewise.linalg.solve_banded`."""
    return _banded(l_and_u, ab, b)


def _bands(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    return solve_banded(l_and_u, ab, b)


_banded = custom_jvp(_bands, nondiff_argnums=(0,))


@_banded.defjvp
def _along_bands(l_and_u: tuple[int, int], values: Any, tangents: Any) -> tuple[Any, Any]:
    x = banded_system(l_and_u, *values)
    (below, above), (ab, b) = l_and_u, tangents
    for row in range(below + above + 1):  # of the elements a[i, i + above - row]
        b = b - _moved(ab[..., row, :, None] * x, row - above)
    return x, solve_banded(l_and_u, values[0], b)


def _moved(v: Any, s: int) -> Any:
    """Return rows moved down by `s`, up if that is negative, with zeros where none comes from."""
    if s == 0:
        return v
    xp, n = array_namespace(v), v.shape[-2]
    zeros = xp.zeros_like(v[..., : min(abs(s), n), :])
    if s > 0:
        return xp.concat([zeros, v[..., : max(n - s, 0), :]], axis=-2)
    return xp.concat([v[..., min(-s, n) :, :], zeros], axis=-2)
