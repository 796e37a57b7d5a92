"""Quadrature: integrals of functions and of samples, and rules of nodes and weights."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "NSumResult",
    "TanhSinhResult",
    "clenshaw_curtis",
    "cubature",
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "gauss_chebyshev",
    "gauss_hermite",
    "gauss_laguerre",
    "gauss_legendre",
    "gauss_lobatto",
    "newton_cotes",
    "nquad",
    "nsum",
    "qmc_quad",
    "quad",
    "quad_vec",
    "romb",
    "simpson",
    "tanhsinh",
    "tplquad",
    "trapezoid",
]

if TYPE_CHECKING:
    from ._adaptive import quad
    from ._cubature import cubature
    from ._nsum import NSumResult, nsum
    from ._random import qmc_quad
    from ._rules import (
        clenshaw_curtis,
        fixed_quad,
        gauss_chebyshev,
        gauss_hermite,
        gauss_laguerre,
        gauss_legendre,
        gauss_lobatto,
        newton_cotes,
    )
    from ._samples import cumulative_simpson, cumulative_trapezoid, romb, simpson, trapezoid
    from ._several import dblquad, nquad, tplquad
    from ._tanhsinh import TanhSinhResult, tanhsinh
    from ._vector import quad_vec
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_adaptive": "quad",
            "_cubature": "cubature",
            "_nsum": "NSumResult nsum",
            "_random": "qmc_quad",
            "_rules": (
                "clenshaw_curtis fixed_quad gauss_chebyshev gauss_hermite gauss_laguerre "
                "gauss_legendre gauss_lobatto newton_cotes"
            ),
            "_samples": "cumulative_simpson cumulative_trapezoid romb simpson trapezoid",
            "_several": "dblquad nquad tplquad",
            "_tanhsinh": "TanhSinhResult tanhsinh",
            "_vector": "quad_vec",
        },
    )
