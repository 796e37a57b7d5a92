"""Series of doubles on NumPy: its own routines, in pieces that stay in the cache.

NotImplemented stands for what the body does.
"""

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

__all__ = ["multiplied", "value"]

_BLOCK = 1 << 13
_VALUE = {
    "poly": polynomial.polyval,
    "cheb": chebyshev.chebval,
    "leg": legendre.legval,
    "herm": hermite.hermval,
    "herme": hermite_e.hermeval,
    "lag": laguerre.lagval,
}
_MULTIPLIED = {
    "poly": polynomial.polymul,
    "cheb": chebyshev.chebmul,
    "leg": legendre.legmul,
    "herm": hermite.hermmul,
    "herme": hermite_e.hermemul,
    "lag": laguerre.lagmul,
}


def value(x: Any, c: Any, prefix: str, tensor: bool) -> Any:
    """Evaluate series, many points piece by piece."""
    if x.size <= _BLOCK or c.ndim > 1:
        return (
            np.asarray(_VALUE[prefix](x, c, tensor))
            if x.ndim == 0
            else _VALUE[prefix](x, c, tensor)
        )
    flat, routine = x.reshape(-1), _VALUE[prefix]
    out = np.empty(flat.shape)
    for i in range(0, flat.size, _BLOCK):
        out[i : i + _BLOCK] = routine(flat[i : i + _BLOCK], c, tensor)
    return out.reshape(x.shape)


def multiplied(a: Any, b: Any, prefix: str) -> Any:
    """Multiply series."""
    return _MULTIPLIED[prefix](a, b)
