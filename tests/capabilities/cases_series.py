"""Polynomials and series, against NumPy's: powers and one family, as all have one text."""

from typing import Any

import numpy as np
import numpy.polynomial as judge

from ..polynomial.rows import NAMES as ALL
from .case import case

__all__ = ["CALLED_WITHOUT", "SERIES", "SERIES_WITHOUT"]

POINTS = np.asarray([-0.9, -0.4, 0.1, 0.3, 0.7, 0.8])
VALUES = np.asarray([0.3, 1.2, 0.4, 0.9, 2.2, 1.0])
A, B = np.asarray([0.4, -0.3, 1.1, 0.8]), np.asarray([1.3, 0.2, -0.7])
CALLED = {
    "add": (A, B),
    "der": (A,),
    "fit": (POINTS, VALUES, 3),
    "fromroots": (POINTS[:3],),
    "int": (A,),
    "mul": (A, B),
    "val": (POINTS, A),
    "val2d": (POINTS, VALUES, np.stack([A, A[::-1]])),
    "vander": (POINTS, 3),
}


def _of(prefix: str, module: Any) -> list[Any]:
    return [
        case(f"polynomial.{prefix}{name}", *given, reference=getattr(module, prefix + name))
        for name, given in CALLED.items()
    ]


SERIES = [*_of("poly", judge.polynomial), *_of("cheb", judge.chebyshev)]
_CASES = {one.name.rpartition(".")[2] for one in SERIES}


_WHY = "one text for all families, whose cases are those of powers and of Chebyshev's"
_MORE = ("chebinterpolate", "chebpts1", "chebpts2", "polyvalfromroots")
SERIES_WITHOUT = {f"polynomial.{n}": _WHY for n in (*ALL, *_MORE) if n not in _CASES}

# A call of each of those.
_REST = {
    **CALLED,
    "companion": (A,),
    "div": (A, B),
    "grid2d": (POINTS, POINTS, np.stack([A, A])),
    "grid3d": (POINTS, POINTS, POINTS, np.ones((2, 2, 2))),
    "line": (np.asarray(0.4), np.asarray(-0.3)),
    "mulx": (A,),
    "pow": (A, 2),
    "roots": (A,),
    "sub": (A, B),
    "trim": (A,),
    "val3d": (POINTS, POINTS, POINTS, np.ones((2, 2, 2))),
    "vander2d": (POINTS, POINTS, [1, 2]),
    "vander3d": (POINTS, POINTS, POINTS, [1, 2, 1]),
}
_PREFIXES = ("poly", "cheb", "leg", "herm", "herme", "lag")
CALLED_WITHOUT = [
    *(
        case(f"polynomial.{prefix}{name}", *given)
        for prefix in _PREFIXES
        for name, given in _REST.items()
        if f"{prefix}{name}" not in _CASES
    ),
    *(
        case(f"polynomial.{name}", A)
        for prefix in _PREFIXES[1:]
        for name in (f"{prefix}2poly", f"poly2{prefix}")
    ),
    case("polynomial.polyvalfromroots", POINTS, A),
]
