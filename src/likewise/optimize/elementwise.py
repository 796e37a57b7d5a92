"""SciPy's place for the elementwise solvers, which `likewise.optimize` has, too."""

from ._scalar import bracket_minimum, bracket_root, find_minimum, find_root

__all__ = ["bracket_minimum", "bracket_root", "find_minimum", "find_root"]
