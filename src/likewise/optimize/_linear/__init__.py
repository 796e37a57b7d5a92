"""Linear problems with bounds, assignments, and values in order."""

from ._assignment import linear_sum_assignment
from ._isotonic import IsotonicResult, isotonic_regression
from ._lsq_linear import LsqLinearResult, lsq_linear
from ._nnls import NNLSResult, nnls

__all__ = [
    "IsotonicResult",
    "LsqLinearResult",
    "NNLSResult",
    "isotonic_regression",
    "linear_sum_assignment",
    "lsq_linear",
    "nnls",
]
