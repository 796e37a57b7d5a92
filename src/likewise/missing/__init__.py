"""What the standard lacks, as functions on arrays, with one meaning on every library."""

from ._at import at
from ._cholesky import cho_factor, cho_solve

__all__ = ["at", "cho_factor", "cho_solve"]
