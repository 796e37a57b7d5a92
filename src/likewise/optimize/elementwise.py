"""The elementwise solvers of `likewise.optimize` under SciPy's module name."""

from ._scalar import bracket_minimum, bracket_root, find_minimum, find_root

__all__ = ["bracket_minimum", "bracket_root", "find_minimum", "find_root"]
