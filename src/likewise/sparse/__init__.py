"""Large linear problems by products alone, with SciPy's names and meaning, on every library."""

from . import linalg as linalg

__all__: list[str] = []
