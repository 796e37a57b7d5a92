"""NumPy's own functions on the arrays of a transform: a table of names and targets."""

from ._dispatch import call_function, call_ufunc, member
from ._table import REFLECTED

__all__ = ["REFLECTED", "call_function", "call_ufunc", "member"]
