"""Systems of equations: roots and fixed points."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "FixedPointResult",
    "RootResult",
    "fixed_point",
    "root",
]

if TYPE_CHECKING:
    from ._fixed_point import FixedPointResult, fixed_point
    from ._root import RootResult, root
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_fixed_point": "FixedPointResult fixed_point",
            "_root": "RootResult root",
        },
    )
