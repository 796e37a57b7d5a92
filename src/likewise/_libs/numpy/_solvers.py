"""SciPy's solvers for one problem: what rows call where SciPy is installed.

NotImplemented stands for whatever is no plain success: the caller has another way, which finds out
what is wrong and says it.
"""

from typing import Any

import numpy as np
import scipy.optimize


def nnls(a: Any, b: Any, most: int) -> Any:
    try:
        x, rnorm = scipy.optimize.nnls(a, b, maxiter=most)
    except (ValueError, RuntimeError):  # not finite; too many steps
        return NotImplemented
    return x, np.asarray(rnorm)
