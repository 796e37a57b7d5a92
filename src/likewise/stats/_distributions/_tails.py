"""Tails by quadrature of a density on one side of a point, where nothing cancels."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device

__all__ = ["over_nodes", "tail"]

# Nodes and weights of Gauss's rule on [0, 1].
_GAUSS = (
    (0.013046735741414128, 0.03333567215434403),
    (0.06746831665550773, 0.0747256745752903),
    (0.16029521585048778, 0.10954318125799103),
    (0.2833023029353764, 0.13463335965499817),
    (0.4255628305091844, 0.1477621123573764),
    (0.5744371694908156, 0.1477621123573764),
    (0.7166976970646236, 0.13463335965499817),
    (0.8397047841495122, 0.10954318125799103),
    (0.9325316833444923, 0.0747256745752903),
    (0.9869532642585859, 0.03333567215434403),
)


def over_nodes(function: Callable[[Any], Any], like: Any) -> Any:
    """Return the integral of a function of [0, 1], which is called once, for all nodes."""
    xp = array_namespace(like)
    nodes, weights = (
        xp.reshape(xp.asarray(v, dtype=like.dtype, device=device(like)), (-1, *(1,) * like.ndim))
        for v in zip(*_GAUSS, strict=True)
    )
    return xp.sum(weights * function(nodes), axis=0)


_NODES = 151
_FROM, _TO = -3.9, 3.8


def tail(density: Callable[[Any], Any], room: Any, width: Any) -> Any:
    """Return the integral of a function of the distance from 0 to `room`.

    Parameters
    ----------
    density : callable
        Of arrays with a further first dimension; it falls from a distance of `width` on.
    room : array
        May be infinite.
    width : array
        Right to a factor of 100.

    Notes
    -----
    With r = width exp(pi sinh(t) / 2) the distance is ``r / (1 + r / room)``, and the trapezoidal
    rule in t converges exponentially (H. Takahasi, M. Mori, Publ. RIMS 9, 1974, 721).
    """
    xp = array_namespace(width)
    t = xp.linspace(_FROM, _TO, _NODES, dtype=width.dtype, device=device(width))
    t = xp.reshape(t, (_NODES, *(1,) * width.ndim))
    grown = xp.exp(0.5 * math.pi * xp.sinh(t))
    slope = grown * xp.cosh(t) * (0.5 * math.pi * (_TO - _FROM) / (_NODES - 1))
    r = width * grown
    share = 1 / (1 + r / room)
    return width * xp.sum(density(r * share) * (slope * share * share), axis=0)
