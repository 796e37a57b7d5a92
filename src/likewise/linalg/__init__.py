"""Linear algebra with SciPy's names, on batches, most of it without extensions."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily
from ..errors import LinAlgError, LinAlgWarning

__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "LstsqResult",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "det",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "expm",
    "hankel",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matrix_balance",
    "norm",
    "null_space",
    "orth",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "solve",
    "solve_banded",
    "solve_toeplitz",
    "solve_triangular",
    "svd",
    "svdvals",
    "toeplitz",
    "tridiagonal_solve",
]

if TYPE_CHECKING:
    from ._balance import matrix_balance
    from ._banded import solve_banded, tridiagonal_solve
    from ._cholesky import cho_factor, cho_solve
    from ._decompositions import cholesky, norm, null_space, orth, polar, qr, svd, svdvals
    from ._eigenvalues import eig, eigh, eigvals, eigvalsh
    from ._expm import expm
    from ._lstsq import LstsqResult, lstsq, pinv, pinvh
    from ._lu import det, lu, lu_factor, lu_solve
    from ._matrices import block_diag, circulant, hankel, toeplitz
    from ._solve import inv, solve
    from ._toeplitz import solve_toeplitz
    from ._triangular import solve_triangular
    from ._tridiagonal import eigh_tridiagonal
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_balance": "matrix_balance",
            "_banded": "solve_banded tridiagonal_solve",
            "_cholesky": "cho_factor cho_solve",
            "_decompositions": "cholesky norm null_space orth polar qr svd svdvals",
            "_eigenvalues": "eig eigh eigvals eigvalsh",
            "_expm": "expm",
            "_lstsq": "LstsqResult lstsq pinv pinvh",
            "_lu": "det lu lu_factor lu_solve",
            "_matrices": "block_diag circulant hankel toeplitz",
            "_solve": "inv solve",
            "_toeplitz": "solve_toeplitz",
            "_triangular": "solve_triangular",
            "_tridiagonal": "eigh_tridiagonal",
        },
    )
