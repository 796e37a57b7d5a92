"""Costs of the convolution methods, from sizes, dtype, and declarations of each library."""

import math
from typing import Any

from ..._namespace import hooks_of
from ...missing._convolution import extent
from ._convolution_integers import digits, is_integral

__all__ = ["is_affordable", "quickest", "sums_are_quicker"]

_WHOLE = (
    9.0  # times as much a product of integers costs SciPy's routine, which has no BLAS for them
)
# Seconds that SciPy takes a step of a transform, and a product: of images, of sequences.
_SCIPYS = {
    "full": (1.99817e-9, 1.66174e-8),
    "same": (2.04735e-9, 1.55367e-8),
    "valid": (1.85927e-9, 2.11242e-8),
}
_SCIPYS_LINE = {
    "full": (1.7649070e-9, 2.1414831e-10),
    "same": (3.2646654e-9, 2.8478277e-10),
    "valid": (1.89095737e-9, 2.1364985e-10),
}
_DIGIT = (
    1.5  # times as much a digit costs as a convolution by transforms: it is cut off, and carried
)


def quickest(
    xp: Any, in1: Any, in2: Any, mode: str, axes: tuple[int, ...], count: int | None = None
) -> str:
    """Return 'routine', 'direct' or 'fft', as measured by `ci/bench --only convolve`.

    Integers have `digits` digits, by default the maximum of their dtype.
    """
    costs = hooks_of(in1).convolution
    integers = is_integral(xp, in1.dtype)
    if in1.ndim == 1 and "routine" in costs:
        if not integers and _scipys_is_direct(in1, in2, mode, axes):
            return "routine"
        call, result, *product, few = costs["routine"]
        if integers:
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
    """Tell whether sums are faster than transforms, or no transform is exact.

    Floating numbers are also summed where SciPy does, because sums keep small values next to large
    ones and don't spread NaN; but in one dimension only if that takes at most a millisecond longer,
    because SciPy's sums are some fifty times as fast as sums of standard functions.
    """
    costs = hooks_of(in1).convolution
    many = _transforms(xp, in1, in2, axes, count) if hasattr(xp, "fft") else 0.0
    more = 0.0
    if many and not is_integral(xp, in1.dtype) and _scipys_is_direct(in1, in2, mode, axes):
        more = 1e3 if len(axes) == 1 else math.inf
    return not many or _cheaper(costs["sums"], costs["fft"], in1, in2, mode, axes, many, more)


def is_affordable(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> bool:
    """Tell whether direct sums take seconds at most; large ones cost less than the figures."""
    costs = hooks_of(in1).convolution
    way = costs["routine"] if in1.ndim == 1 and "routine" in costs else costs["sums"]
    return _cheaper(way, costs["fft"], in1, in2, mode, axes, 0.0, 1e7)


def _scipys_is_direct(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> bool:
    """Tell whether `scipy.signal.choose_conv_method` sums, by its figures (SciPy 1.17)."""
    s1, s2 = ([x.shape[a] for a in axes] for x in (in1, in2))
    rest = math.prod([max(p, q) for p, q in zip(in1.shape, in2.shape, strict=True)])
    rest //= math.prod([max(p, q) for p, q in zip(s1, s2, strict=True)])
    n1, n2 = math.prod(s1), math.prod(s2)
    points = math.prod([p + q - 1 for p, q in zip(s1, s2, strict=True)])
    steps = 3 * points * math.log(points)
    results = math.prod([extent(p, q, mode)[1] for p, q in zip(s1, s2, strict=True)])
    sums = n1 * n2 if mode == "same" else min(n1, n2) * results
    if len(s1) > 1:
        fft, direct = _SCIPYS[mode]
        return fft * steps * rest >= direct * sums * rest - 1e-4
    if mode == "full":
        sums = n1 * n2
    elif mode == "same" and n1 >= n2:
        sums -= (n2 // 2) * ((n2 + 1) // 2)
    if mode == "same" and n2 > n1:
        return 3.21635404e-9 * steps * rest >= 1.1773253e-8 * sums * rest - 1e-5
    fft, direct = _SCIPYS_LINE[mode]
    return fft * steps * rest >= direct * sums * rest - 1e-3


def _transforms(xp: Any, in1: Any, in2: Any, axes: tuple[int, ...], count: int | None) -> float:
    """Return how many convolutions by transforms it takes."""
    if not is_integral(xp, in1.dtype):
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
    more: float = 0.0,
) -> bool:
    """Tell whether the direct way costs less than `many` transforms and `more` microseconds."""
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
    return cost < more + many * (call + steps * (step if points < few else above) / 1e3)
