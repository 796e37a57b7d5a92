"""The parts of `transforms` that solvers need besides its public names, for all families."""

from typing import Any

from .._namespace import array_namespace, is_lazy
from ..transforms import stop_gradient, tree_map
from ..transforms._columns import along, columns, columns_error, passes, valued_columns
from ..transforms._custom import self_adjoint
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
    "followed",
    "forward_several",
    "is_open",
    "passes",
    "readable",
    "recordable",
    "recorded",
    "refined_by_products",
    "self_adjoint",
    "unfollowed",
    "valued_columns",
]


def followed(xp: Any, tree: Any) -> Any:
    """Return arrays as those of a transform's, if it follows one of a call."""
    return tree if getattr(xp, "over", None) is None else tree_map(xp.asarray, tree)


def readable(*arrays: Any) -> bool:
    """Tell if values are known, as they are while derivatives are followed, and not compiled."""
    for v in stop_gradient(arrays):
        try:
            if is_lazy(v):
                bool(array_namespace(v).all(v == v))
        except Exception:  # a compiler's refusal to read: each library raises a class of its own
            return False
    return True
