"""SciPy's integrals of one function: what the rows call where SciPy is installed."""

import warnings
from typing import Any

import numpy as np
import scipy.integrate

__all__ = ["nquad", "quad"]

_quad = scipy.integrate.quad
_NONE = np.int32(0)
_ENDS = (  # as SciPy's messages begin
    ("The maximum number", 1),
    ("The occurrence of roundoff", 2),
    ("Extremely bad", 3),
    ("The algorithm does not", 4),
    ("The integral is probably divergent", 5),
    ("Abnormal", 7),
)


def quad(first: Any, lanes: Any, func: Any, way: Any) -> Any:
    a, b, *points = [p if p.__class__ is float else p.item() for p in lanes.points]
    args = lanes.args
    # A function that gives anything but a number, at a number, is for the body.
    try:
        found = func(0.5 * (a + b) if -1e300 < a < 1e300 and -1e300 < b < 1e300 else 1.0, *args)
    except Exception:  # the body's call says what is wrong
        return NotImplemented
    if not isinstance(found, float):
        return NotImplemented
    some: list[float] | None = None
    by: tuple[Any, ...] = ()
    if points:
        some, rest = points[: way.split] or None, points[way.split :]
        if way.weight:
            wvar = rest[0] if len(rest) == 1 else tuple(rest)
            by = (way.weight, wvar, None, way.moments, way.cycles or 50)
    y, error, told, *message = _quad(
        func, a, b, args, 1, way.epsabs, way.epsrel, way.limit, some, *by
    )
    code = _code(message[0]) if message else _NONE
    if y != y or (message and not code):
        return NotImplemented  # the body tells how it ended
    # Of waves that need one interval it counts none.
    last = told["lst"] if way.cycles else told["last"] or min(told["neval"], 1)
    return np.float64(y), np.float64(error), code, np.int32(last), np.int32(told["neval"])


def nquad(first: Any, nest: Any, args: Any) -> Any:
    if _takes_arrays(nest, args):
        return NotImplemented

    def counted(*given: Any) -> Any:
        nest.calls += 1
        return nest.func(*given)

    def of(options: Any) -> Any:
        def known(*given: Any) -> dict[str, Any]:
            now = options(*given) if callable(options) else options
            return {key: v for key, v in now.items() if v is not None}

        return known

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", scipy.integrate.IntegrationWarning)
        y, error = scipy.integrate.nquad(counted, nest.ranges, args, list(map(of, nest.opts)))
    code = max((_code(str(one.message)) for one in told), default=_NONE)
    return np.float64(y), np.float64(error), code


def _code(message: str) -> Any:
    return next((np.int32(c) for text, c in _ENDS if message.startswith(text)), _NONE)


def _takes_arrays(nest: Any, args: Any) -> bool:
    """Tell if the functions take arrays of later variables as they take numbers."""
    numbers: list[float] = []
    n = len(nest.ranges)
    for k in reversed(range(n)):
        a, b = nest.limits(k, (*numbers, *args))
        ends = [v for v in (float(a), float(b)) if abs(v) < 1e300]
        numbers.insert(0, sum(ends) / 2 if ends else 0.5)
    wide = [np.full((2, 1), v) for v in numbers]
    try:
        with np.errstate(all="ignore"):
            for k in range(n - 1):
                nest.limits(k, (*wide[k + 1 :], *args))
                if callable(nest.opts[k]):
                    nest.opts[k](*wide[k + 1 :], *args)
            out = nest.func(np.full((2, 3), numbers[0]), *wide[1:], *args)
    except Exception:  # they say so when they get them, but numbers may do
        return False
    return isinstance(out, np.ndarray) and out.shape == (2, 3)
