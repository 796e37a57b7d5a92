"""SciPy's integral of one function: what the row calls where SciPy is installed."""

from typing import Any

import numpy as np
import scipy.integrate

__all__ = ["quad"]

_quad = scipy.integrate.quad
_NONE = np.int32(0)
_ENDS = (  # as SciPy's messages begin
    ("The maximum number", 1),
    ("The occurrence of roundoff", 2),
    ("Extremely bad", 3),
    ("The algorithm does not", 4),
    ("The integral is probably divergent", 5),
)


def quad(first: Any, lanes: Any, func: Any, way: Any, points: Any) -> Any:
    a, b = (p.item() for p in lanes.points)
    args = lanes.args
    # A function that gives anything but a number, at a number, is for the body.
    try:
        found = func(0.5 * (a + b) if -1e300 < a < 1e300 and -1e300 < b < 1e300 else 1.0, *args)
    except Exception:  # the body's call says what is wrong
        return NotImplemented
    if not isinstance(found, float):
        return NotImplemented
    y, error, told, *message = _quad(func, a, b, args, 1, way.epsabs, way.epsrel, way.limit, points)
    code = _NONE
    if message:
        code = next((np.int32(c) for text, c in _ENDS if message[0].startswith(text)), _NONE)
    if y != y or (message and not code):
        return NotImplemented  # the body tells how it ended
    return np.float64(y), np.float64(error), code, np.int32(told["last"]), np.int32(told["neval"])
