"""The demonstration: certified regressions and a spectrum, on real measurements.

`likewise.demo.run` works it off, ``likewise demo`` prints it.
"""

from ._run import Fit, Results, Row, run

__all__ = ["Fit", "Results", "Row", "run"]
