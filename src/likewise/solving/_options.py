"""Checks of options of solvers: tolerances, numbers of steps, dicts of options."""

import math
import operator
import warnings
from collections.abc import Collection, Mapping
from typing import Any

from .._namespace import describe
from ..errors import ArgumentError, IntegerError, OptimizeWarning, _level

__all__ = ["ENDLESS", "count", "effective", "ends", "table", "tolerance", "warned"]

ENDLESS = 2**31 - 1  # of int32: no limit to a number of steps
_LIMITS = ("maxiter", "max_iter", "maxfev", "maxfun", "max_nfev")


def tolerance(function: str, name: str, value: Any, default: float) -> float:
    """Return a number that isn't negative."""
    if value is None:
        return default
    try:
        number = -1.0 if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = -1.0
    if not number >= 0:
        raise ArgumentError(f"{function}: {name} must be a number, not negative, got {value!r}")
    return number


def count(function: str, name: str, value: Any, default: int, least: int = 0) -> int:
    """Return an integer of at least `least`; 1e4 counts as one, and infinity means no limit."""
    if value is None:
        return default
    if isinstance(value, float) and value == math.inf and any(n in name for n in _LIMITS):
        return ENDLESS
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f"{function}: {name} must be an integer, at least {least}, got {value!r}"
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except (TypeError, ValueError, RuntimeError):
        raise IntegerError(text) from None
    if number < least:
        raise ArgumentError(text)
    return number


def table(function: str, name: str, value: Any) -> dict[str, Any]:
    """Return a copy of a dict of options, or an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{function}: {name} must be a dict, got {describe(value)}")
    return dict(value)


def effective(
    function: str, method: str, given: Mapping[str, Any], known: Collection[str], idle: Any
) -> dict[str, Any]:
    """Return the options of a method; warn of others, which have no effect.

    `idle` has explanations for options of SciPy that have none.
    """
    used = {name: value for name, value in given.items() if name in known}
    for name in given:
        if name in idle:
            warned(f"{function}: option {name!r} has no effect: {idle[name]}")
        elif name not in known:
            warned(
                f"{function}: unknown option {name!r} has no effect; method {method!r} has "
                f"{', '.join(known)}"
            )
    return used


def ends(bounds: Any) -> tuple[Any, Any]:
    """Return the lower and upper bounds of an object with `lb` and `ub`.

    SciPy's object always holds NumPy arrays, and numbers as arrays of length 1; lists and numbers,
    in contrast, fit any library.
    """
    sides = []
    for side in (bounds.lb, bounds.ub):
        listed = side.tolist() if type(side).__module__ == "numpy" else side
        sides.append(listed[0] if isinstance(listed, list) and len(listed) == 1 else listed)
    return sides[0], sides[1]


def warned(text: str, kind: type[Warning] = OptimizeWarning) -> None:
    """Warn of arguments that have no effect."""
    warnings.warn(text, kind, stacklevel=_level())
