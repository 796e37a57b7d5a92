"""Put the support of a distribution on a line: x = sinh(u), a + exp(u), b - exp(-u), or between."""

import math
from typing import Any

from ..._namespace import array_namespace

__all__ = ["infinite", "place", "position"]


def infinite(end: Any) -> bool:
    """Tell if an end of a support is a number that is infinite."""
    return isinstance(end, float) and math.isinf(end)


def place(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return x of a support from a to b, and its derivative."""
    if isinstance(a, float) and isinstance(b, float):
        return _PLACES[infinite(a), infinite(b)](u, a, b)
    xp = array_namespace(u, a, b)
    x, dx = xp.nan, xp.nan
    for kind, inside in _kinds(xp, u, a, b):
        low = 0.0 if kind[0] else xp.where(inside, a, 0.0)
        high = 1.0 if kind[1] else xp.where(inside, b, 1.0)
        found = _PLACES[kind](xp.where(inside, u, 0.0), low, high)
        x, dx = xp.where(inside, found[0], x), xp.where(inside, found[1], dx)
    return x, dx


def _kinds(xp: Any, u: Any, a: Any, b: Any) -> Any:
    """Pairs of whether ends are infinite, with the elements where they are."""
    if isinstance(a, float):
        a = xp.full_like(u, a)
    if isinstance(b, float):
        b = xp.full_like(u, b)
    for kind in _PLACES:
        yield kind, (xp.isinf(a) == kind[0]) & (xp.isinf(b) == kind[1])


def _everywhere(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    xp = array_namespace(u)
    return xp.sinh(u), xp.cosh(u)


def _below(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    step = array_namespace(u).exp(-u)
    return b - step, step


def _above(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    step = array_namespace(u).exp(u)
    return a + step, step


def _between(u: Any, a: Any, b: Any) -> tuple[Any, Any]:
    # The distance to the nearer end keeps its digits.
    xp = array_namespace(u)
    e = xp.exp(-xp.abs(u))
    near, far = e / (1 + e), 1 / (1 + e)
    return xp.where(u < 0, a + (b - a) * near, b - (b - a) * near), (b - a) * near * far


_PLACES = {
    (True, True): _everywhere,
    (True, False): _below,
    (False, True): _above,
    (False, False): _between,
}


def position(x: Any, a: Any, b: Any) -> Any:
    """Return u of an x inside of a support from a to b."""
    if isinstance(a, float) and isinstance(b, float):
        return _position((infinite(a), infinite(b)), x, a, b)
    xp = array_namespace(x, a, b)
    u = xp.nan
    for kind, inside in _kinds(xp, x, a, b):
        low = xp.where(inside, a, -1.0)
        high = xp.where(inside, b, 1.0)
        u = xp.where(inside, _position(kind, xp.where(inside, x, 0.0), low, high), u)
    return u


def _position(kind: tuple[bool, bool], x: Any, a: Any, b: Any) -> Any:
    xp = array_namespace(x)
    if kind == (True, True):
        return xp.asinh(x)
    if kind == (True, False):
        return -xp.log(b - x)
    return xp.log(x - a) if kind == (False, True) else xp.log((x - a) / (b - x))
