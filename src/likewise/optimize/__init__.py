"""Optimisation with SciPy's names and meaning, many problems at once, on every library."""

from ._curve_fit import FitResult, curve_fit
from ._least_squares import LeastSquaresResult, least_squares
from ._linear import LsqLinearResult, NNLSResult, linear_sum_assignment, lsq_linear, nnls
from ._minimize import MinimizeResult, minimize
from ._scalar import (
    BracketResult,
    FindMinimumResult,
    FindRootResult,
    MinimizeScalarResult,
    RootResults,
    bracket_minimum,
    bracket_root,
    find_minimum,
    find_root,
    minimize_scalar,
    root_scalar,
)
from ._systems import FixedPointResult, RootResult, fixed_point, root

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
