"""Linear problems with bounds, assignments, and values in order."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "IsotonicResult",
    "LsqLinearResult",
    "NNLSResult",
    "QuadraticAssignmentResult",
    "isotonic_regression",
    "linear_sum_assignment",
    "lsq_linear",
    "nnls",
    "quadratic_assignment",
]

if TYPE_CHECKING:
    from ._assignment import linear_sum_assignment
    from ._isotonic import IsotonicResult, isotonic_regression
    from ._lsq_linear import LsqLinearResult, lsq_linear
    from ._nnls import NNLSResult, nnls
    from ._quadratic_assignment import QuadraticAssignmentResult, quadratic_assignment
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_assignment": "linear_sum_assignment",
            "_isotonic": "IsotonicResult isotonic_regression",
            "_lsq_linear": "LsqLinearResult lsq_linear",
            "_nnls": "NNLSResult nnls",
            "_quadratic_assignment": "QuadraticAssignmentResult quadratic_assignment",
        },
    )
