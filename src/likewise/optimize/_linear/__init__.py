"""Linear problems with bounds, and assignments."""

from ._assignment import linear_sum_assignment
from ._lsq_linear import LsqLinearResult, lsq_linear
from ._nnls import NNLSResult, nnls

__all__ = [
    "LsqLinearResult",
    "NNLSResult",
    "linear_sum_assignment",
    "lsq_linear",
    "nnls",
]
