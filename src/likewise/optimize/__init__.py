"""Optimisation with SciPy's names and meaning, many problems at once, on every library."""

from ._assignment import linear_sum_assignment
from ._brackets import BracketResult, bracket_minimum, bracket_root
from ._curve_fit import FitResult, curve_fit
from ._find_root import FindMinimumResult, FindRootResult, find_minimum, find_root
from ._fixed_point import FixedPointResult, fixed_point
from ._least_squares import LeastSquaresResult, least_squares
from ._lsq_linear import LsqLinearResult, lsq_linear
from ._minimize import MinimizeResult, minimize
from ._minimize_scalar import MinimizeScalarResult, minimize_scalar
from ._nnls import NNLSResult, nnls
from ._root import RootResult, root
from ._root_scalar import RootResults, root_scalar

__all__ = [
    "BracketResult",
    "FindMinimumResult",
    "FindRootResult",
    "FitResult",
    "FixedPointResult",
    "LeastSquaresResult",
    "LsqLinearResult",
    "MinimizeResult",
    "MinimizeScalarResult",
    "NNLSResult",
    "RootResult",
    "RootResults",
    "bracket_minimum",
    "bracket_root",
    "curve_fit",
    "find_minimum",
    "find_root",
    "fixed_point",
    "least_squares",
    "linear_sum_assignment",
    "lsq_linear",
    "minimize",
    "minimize_scalar",
    "nnls",
    "root",
    "root_scalar",
]
