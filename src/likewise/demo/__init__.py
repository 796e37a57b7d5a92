"""The demonstration: certified regressions and a spectrum of real measurements.

`likewise.demo.run` runs it, ``likewise demo`` prints it.
"""

from ._run import Fit, Results, Row, run

__all__ = ["Fit", "Results", "Row", "run"]
