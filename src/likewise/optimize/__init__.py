"""Optimisation with SciPy's names and meaning, many problems at once, on every library."""

from ._brackets import BracketResult, bracket_minimum, bracket_root
from ._curve_fit import FitResult, curve_fit
from ._find_root import FindMinimumResult, FindRootResult, find_minimum, find_root
from ._fixed_point import FixedPointResult, fixed_point
from ._minimize_scalar import MinimizeScalarResult, minimize_scalar
from ._root_scalar import RootResults, root_scalar

__all__ = [
    "BracketResult",
    "FindMinimumResult",
    "FindRootResult",
    "FitResult",
    "FixedPointResult",
    "MinimizeScalarResult",
    "RootResults",
    "bracket_minimum",
    "bracket_root",
    "curve_fit",
    "find_minimum",
    "find_root",
    "fixed_point",
    "minimize_scalar",
    "root_scalar",
]
