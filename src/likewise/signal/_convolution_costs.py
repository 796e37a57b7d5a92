"""Costs of the ways to convolve, by sizes and dtype alone, and by what each library declares."""

import math
from typing import Any

from .._namespace import hooks_of
from ..missing._convolution import extent
from ._convolution_whole import digits, is_whole

__all__ = ["quickest", "sums_are_quicker"]

_WHOLE = (
    9.0  # times as much a product of integers costs SciPy's routine, which has no BLAS for them
)
_DIGIT = (
    1.5  # times as much a digit costs as a convolution by transforms: it is cut off, and carried
)


def quickest(
    xp: Any, in1: Any, in2: Any, mode: str, axes: tuple[int, ...], count: int | None = None
) -> str:
    """Return 'routine', 'direct' or 'fft', as measured by `ci/bench --only convolve`.

    For integers of so many digits, by default as many as their dtype may have.
    """
    costs = hooks_of(in1).convolution
    whole = is_whole(xp, in1.dtype)
    if in1.ndim == 1 and "routine" in costs:
        call, result, *product, few = costs["routine"]
        if whole:
            product = [_WHOLE * p for p in product]
        way = (call, result, *product, few)
        (n1,), (n2,) = in1.shape, in2.shape
        # Of short sequences the sums cost less than the call of a transform alone.
        if call + ((n1 + n2) * result + n1 * n2 * product[0]) / 1e3 < costs["fft"][0]:
            return "routine"
        many = _transforms(xp, in1, in2, axes, count)
        if _cheaper(way, costs["fft"], in1, in2, mode, axes, many):
            return "routine"
    return "direct" if sums_are_quicker(xp, in1, in2, mode, axes, count) else "fft"


def sums_are_quicker(
    xp: Any, in1: Any, in2: Any, mode: str, axes: tuple[int, ...], count: int | None = None
) -> bool:
    """Tell whether sums cost less than transforms, where there are any that are right."""
    costs = hooks_of(in1).convolution
    many = _transforms(xp, in1, in2, axes, count) if hasattr(xp, "fft") else 0.0
    return not many or _cheaper(costs["sums"], costs["fft"], in1, in2, mode, axes, many)


def _transforms(xp: Any, in1: Any, in2: Any, axes: tuple[int, ...], count: int | None) -> float:
    """Return how many convolutions by transforms it takes."""
    if not is_whole(xp, in1.dtype):
        return 1.0
    return _DIGIT * (digits(xp, in1, in2, axes) if count is None else count)


def _cheaper(
    direct: tuple[float, ...],
    fft: tuple[float, ...],
    in1: Any,
    in2: Any,
    mode: str,
    axes: tuple[int, ...],
    many: float,
) -> bool:
    """Tell whether the direct way costs less than `many` transforms, in microseconds."""
    s1, s2 = in1.shape, in2.shape
    rest = math.prod([max(s1[a], s2[a]) for a in range(len(s1)) if a not in axes])
    pairs = [(s1[a], s2[a]) for a in axes]
    points = math.prod([n1 + n2 - 1 for n1, n2 in pairs]) * rest
    results = math.prod([extent(n1, n2, mode)[1] for n1, n2 in pairs])
    products = math.prod([n1 * n2 for n1, n2 in pairs])
    if mode != "full":
        products = min(products, results * math.prod([min(n1, n2) for n1, n2 in pairs]))
    products *= rest
    call, result, product, above, few = direct
    cost = (
        call + (results * rest * result + products * (product if products < few else above)) / 1e3
    )
    call, step, above, few = fft
    steps = points * math.log2(max(points / rest, 1))
    return cost < many * (call + steps * (step if points < few else above) / 1e3)
