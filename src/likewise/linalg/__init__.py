"""Linear algebra with SciPy's names, on batches, most of it without extensions."""

from ._banded import tridiagonal_solve
from ._cholesky import cho_factor, cho_solve
from ._lstsq import LstsqResult, lstsq, pinv
from ._lu import det, lu_factor, lu_solve
from ._matrices import block_diag, circulant, hankel, toeplitz
from ._solve import inv, solve
from ._triangular import solve_triangular

__all__ = [
    "LstsqResult",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "circulant",
    "det",
    "hankel",
    "inv",
    "lstsq",
    "lu_factor",
    "lu_solve",
    "pinv",
    "solve",
    "solve_triangular",
    "toeplitz",
    "tridiagonal_solve",
]
