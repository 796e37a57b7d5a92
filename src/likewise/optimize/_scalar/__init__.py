"""One unknown: roots, minima and their brackets, elementwise."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "BracketResult",
    "FindMinimumResult",
    "FindRootResult",
    "MinimizeScalarResult",
    "RootResults",
    "bracket_minimum",
    "bracket_root",
    "find_minimum",
    "find_root",
    "minimize_scalar",
    "root_scalar",
]

if TYPE_CHECKING:
    from ._brackets import BracketResult, bracket_minimum, bracket_root
    from ._find_root import FindMinimumResult, FindRootResult, find_minimum, find_root
    from ._minimize_scalar import MinimizeScalarResult, minimize_scalar
    from ._root_scalar import RootResults, root_scalar
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_brackets": "BracketResult bracket_minimum bracket_root",
            "_find_root": "FindMinimumResult FindRootResult find_minimum find_root",
            "_minimize_scalar": "MinimizeScalarResult minimize_scalar",
            "_root_scalar": "RootResults root_scalar",
        },
    )
