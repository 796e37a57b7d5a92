"""Rows with a box: a routine for the whole array, the body for what lies outside of the box.

A routine of another package may be quick and right for all that is ordinary, and lose its digits
somewhere. Its row then has a box, which says where it is right:

    def _moderate(y, a, x):
        \"\"\"a up to 1e4, and no result next to 0.\"\"\"
        return (a < 1e4) & (y > 1e-290)

    @native(numpy="scipy.special:f", torch="scipy.special:f", box=_moderate)   # or `elementwise`

- It gets the routine's result and then the arguments, element for element, in double precision: a
  routine in single precision is the one in double, rounded. NaN is outside of comparisons; where an
  argument is NaN and so is the result, the routine is right anyway.
- It is written in comparisons, ``& |``, ``+ - *``, `abs` and ``%`` by a constant, because it runs
  on Python's numbers, too: of four elements that takes a fourth of the time. So no division by what
  may be 0, no power, no function of a namespace, no ``~``.
- Its docstring's first line is what `explain` and the page of accuracy print.
- One element outside costs the body's whole fixed time, some milliseconds. So a box should hold all
  that is typical, zeros and other edges among it, and the routine may be as far off in there as
  32 units / (1 + condition).
- `usual`, a span for each argument, is a box in the box: numbers that lie in there are let through
  without the box, in a third of the time.
- The body that takes over gets the elements outside alone, along one dimension.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["boxed"]

_FEW = 16  # elements up to which Python's numbers are quicker than arrays
_WIDE = {np.dtype("float32"): np.dtype("float64"), np.dtype("complex64"): np.dtype("complex128")}


def boxed(
    routine: Callable[..., Any],
    box: Callable[..., Any],
    body: Callable[..., Any],
    usual: Sequence[tuple[float, float]] = (),
) -> Callable[..., Any]:
    """Return a function that calls a routine, and the body for elements outside of its box."""

    def call(*args: Any) -> Any:
        dtype, wide = args[0].dtype, args
        if dtype in _WIDE:
            wide = tuple(a.astype(_WIDE[dtype]) for a in args)
            found = routine(*wide)
            with np.errstate(all="ignore"):  # it may be beyond single precision
                out = found.astype(dtype)
        else:
            found = out = routine(*args)
        shape = found.shape
        if found.size > _FEW and _all_usual(wide, usual):
            return out
        if len(shape) == 1 and shape[0] <= _FEW:
            numbers = [found.tolist()]
            for a in wide:
                numbers.append(a.tolist() if a.shape == shape else [a.item()] * shape[0])
            if all(map(box, *numbers)):
                return out
        elif shape == () and box(found.item(), *(a.item() for a in wide)):
            return out
        outside = _outside(box, found, wide)
        if not np.any(outside):
            return out
        if np.all(outside):
            return body(*args)
        outside = np.broadcast_to(outside, shape)
        out[outside] = body(*(np.broadcast_to(a, shape)[outside] for a in args))
        return out

    if usual:
        call.usual = (routine, usual)  # type: ignore[attr-defined]
    return call


def _all_usual(args: Sequence[Any], spans: Sequence[tuple[float, float]]) -> bool:
    """Tell if all elements lie in their argument's span, if there are spans; NaN doesn't."""
    if len(spans) != len(args) or args[0].dtype.kind != "f":
        return False
    for a, (low, high) in zip(args, spans, strict=True):
        if a.size == 1:
            if not low <= a.item() <= high:
                return False
        elif not (a.min() >= low and a.max() <= high):
            return False
    return True


def _outside(box: Callable[..., Any], found: Any, args: Any) -> Any:
    """Tell where a result isn't known to be right; of NaN for NaN it is."""
    with np.errstate(all="ignore"):
        inside = box(found, *args)
        if np.all(inside):
            return False
        if found.dtype.kind == "c":  # of which one part may be a number
            return ~inside
        none = args[0] != args[0]
        for a in args[1:]:
            none = none | (a != a)
        return ~(inside | ((found != found) & none))
