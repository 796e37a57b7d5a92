"""Quadratic programmes, many at once.

Two kernels of one signature, for rows of problems of a solver:

    quadratic(h, g, a, low, high, lower, upper) -> Found   # _dual.py: h positive definite
    interior(h, g, a, low, high, lower, upper) -> Found    # _interior.py: h semidefinite, or None

minimise ``x' h x / 2 + g' x`` with ``low <= a x <= high`` and ``lower <= x <= upper``. `interior`
takes None as `h` for linear programmes.
"""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "QPResult",
    "affine_set",
    "project_linear",
    "solve_qp",
]

if TYPE_CHECKING:
    from ._linear_sets import affine_set, project_linear
    from ._solve_qp import QPResult, solve_qp
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_linear_sets": "affine_set project_linear",
            "_solve_qp": "QPResult solve_qp",
        },
    )
