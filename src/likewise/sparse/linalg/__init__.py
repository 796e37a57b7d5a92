"""Linear systems, least squares and eigenvalues by products alone, with SciPy's names."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "LinearOperator",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigsh",
    "gmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "minres",
    "svds",
]

if TYPE_CHECKING:
    from ._eigen import eigsh, svds
    from ._interface import LinearOperator, aslinearoperator
    from ._least import lsmr, lsqr
    from ._lobpcg import lobpcg
    from ._square import bicg, bicgstab, cg, cgs, gmres, minres
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_eigen": "eigsh svds",
            "_interface": "LinearOperator aslinearoperator",
            "_least": "lsmr lsqr",
            "_lobpcg": "lobpcg",
            "_square": "bicg bicgstab cg cgs gmres minres",
        },
    )
