"""Linear recursions of coefficients without known values, in as many steps as n has bits.

With ``A(z) Y = X``, of z the delay, also ``A(z) A(-z) Y = A(-z) X``, and ``A(z) A(-z)`` has even
powers alone: so each step doubles the delay, until it is longer than the signal (the method of
Dandelin, Lobachevsky and Graeffe, which squares the poles). The coefficients of the steps lack
digits, which a second pass with the residual adds: so errors are those of rounding each sample.
"""

from typing import Any

from ..._namespace import array_namespace, device, quiet

__all__ = ["divided", "doubles"]

_POLES = 6  # of more, the second pass may not converge: in single precision from 8 on


def doubles(n: int, channels: int, poles: int, cost: int) -> bool:
    """Return whether doubling is less work than a loop of n steps, in numbers multiplied."""
    terms = 2 * n.bit_length() * poles
    return poles <= _POLES and terms * 3 * (cost + n * channels) < n * (
        5 * cost + 4 * poles * channels
    )


def divided(a: Any, x: Any, linear: bool = False) -> Any:
    """Divide rows by a denominator that starts with one; NaN after an overflow.

    With `linear`, results are not tested, because tangents are transposed.
    """
    xp = array_namespace(a, x)
    with quiet(x):
        steps = _steps(a, x.shape[-1])
        y = _through(steps, x)
        more = _through(steps, _less(a, y, 1, x - y))
        return y + more if linear else xp.where(xp.isfinite(more), y + more, y)


def _steps(a: Any, n: int) -> list[tuple[Any, int]]:
    """Return the coefficients of ``-A(-z)`` and the delay of each step."""
    xp, size, where = array_namespace(a), a.shape[0], device(a)
    i = xp.arange(size, device=where)
    sign = xp.astype(2 * (i % 2) - 1, a.dtype)
    place = 2 * i[:, None] - i[None, :]
    place = xp.reshape(xp.where((place < 0) | (place >= size), size, place), (-1,))
    none = xp.zeros((size + 1,), dtype=a.dtype, device=where)
    steps, delay = [], 1
    while delay < n:
        reached = min(size, -(-n // delay))  # beyond the signal, a growing filter's may overflow
        padded = xp.concat((a[:reached], none[reached:]))
        mirrored = padded[:size] * sign
        steps.append((mirrored, delay))
        a = -xp.matmul(xp.reshape(xp.take(padded, place), (size, size)), mirrored)
        delay *= 2
    return steps


def _through(steps: list[tuple[Any, int]], x: Any) -> Any:
    for mirrored, delay in steps:
        x = _less(mirrored, x, delay, x)
    return x


def _less(c: Any, x: Any, delay: int, out: Any) -> Any:
    """Subtract delayed rows times the coefficients from the second on."""
    xp, n = array_namespace(c, x), x.shape[-1]
    for k in range(1, min(c.shape[0], -(-n // delay))):
        late = k * delay
        rest = out[:, late:] - c[k] * x[:, : n - late]
        out = xp.concat((out[:, :late], rest), axis=-1)
    return out
