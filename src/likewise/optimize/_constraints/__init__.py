"""Constraints: bounds, linear and nonlinear ones, and the one form in which solvers use them."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "Bounds",
    "LinearConstraint",
    "NonlinearConstraint",
]

if TYPE_CHECKING:
    from ._named import Bounds, LinearConstraint, NonlinearConstraint
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_named": "Bounds LinearConstraint NonlinearConstraint",
        },
    )
