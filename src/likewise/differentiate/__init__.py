"""Derivatives of functions by finite differences, adaptively, with SciPy's names and meaning."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "DerivativeResult",
    "HessianResult",
    "JacobianResult",
    "derivative",
    "hessian",
    "jacobian",
]

if TYPE_CHECKING:
    from ._derivative import DerivativeResult, derivative
    from ._matrices import HessianResult, JacobianResult, hessian, jacobian
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_derivative": "DerivativeResult derivative",
            "_matrices": "HessianResult JacobianResult hessian jacobian",
        },
    )
