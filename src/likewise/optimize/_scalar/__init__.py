"""One unknown: roots, minima and their brackets, elementwise."""

from ._brackets import BracketResult, bracket_minimum, bracket_root
from ._find_root import FindMinimumResult, FindRootResult, find_minimum, find_root
from ._minimize_scalar import MinimizeScalarResult, minimize_scalar
from ._root_scalar import RootResults, root_scalar

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
