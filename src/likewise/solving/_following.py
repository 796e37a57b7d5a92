"""The parts of `transforms` that solvers need besides its public names, for all families."""

from ..transforms._columns import along, columns, columns_error, passes
from ..transforms._derivatives import forward_several
from ..transforms._following._interpreter import is_open
from ..transforms._following._lanes import constants
from ..transforms._following._proxy import unfollowed
from ..transforms._implicit import recordable, recorded, refined_by_products
from ..transforms._tree import flatten

__all__ = [
    "along",
    "columns",
    "columns_error",
    "constants",
    "flatten",
    "forward_several",
    "is_open",
    "passes",
    "recordable",
    "recorded",
    "refined_by_products",
    "unfollowed",
]
