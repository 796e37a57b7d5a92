"""Systems of equations: roots and fixed points."""

from ._fixed_point import FixedPointResult, fixed_point
from ._root import RootResult, root

__all__ = [
    "FixedPointResult",
    "RootResult",
    "fixed_point",
    "root",
]
