"""The smoothing that cross-validation finds best."""

import math
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ...errors import NotSupported
from ...transforms import stop_gradient

__all__ = ["best_smoothing"]

_RELATIVE = 1e-5  # how far from the minimum the search ends, absolute
_STEPS = 500


def best_smoothing(function: str, score: Callable[[Any], tuple[Any, Any]], most: float) -> Any:
    """Return the smoothing, of no dimensions, with the least score, between 0 and a bound.

    The score comes with its slope. It may have other minima: the search is one of parabolas and
    golden sections, as SciPy's (R. P. Brent, Algorithms for Minimization, 1973, chapter 5).
    """
    probe, _ = score(most / 2)
    if not is_concrete(stop_gradient(probe)):
        raise NotSupported(
            f"{function}: the search for lam reads values, which it can't here. Give lam"
        )

    def plain(lam: float) -> float:
        return float(stop_gradient(score(lam)[0]))  # likewise: ignore[LW203]: values are at hand

    lam = _least(plain, most)
    _, slope = score(lam)
    xp, step = array_namespace(slope), 1e-4 * lam
    ends = [float(stop_gradient(score(lam + d)[1])) for d in (-step, step)]
    curvature = (ends[1] - ends[0]) / (2 * step)
    lam_of = xp.asarray(lam, dtype=slope.dtype, device=device(slope))
    if not curvature > 0 or lam > most * (1 - 1e-4):
        return lam_of
    return lam_of - (slope - stop_gradient(slope)) / curvature


def _least(score: Callable[[float], float], high: float) -> float:
    """Return where a function is least, between 0 and a bound."""
    golden, tiny = 0.5 * (3 - math.sqrt(5)), math.sqrt(2.2e-16)
    low = 0.0
    best = second = third = low + golden * (high - low)
    at_best = at_second = at_third = score(best)
    step = before = 0.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        least = tiny * abs(best) + _RELATIVE / 3
        if abs(best - middle) <= 2 * least - 0.5 * (high - low):
            break
        is_golden = True
        if abs(before) > least:
            r = (best - second) * (at_best - at_third)
            q = (best - third) * (at_best - at_second)
            p = (best - third) * q - (best - second) * r
            q = 2 * (q - r)
            p, q = (-p if q > 0 else p), abs(q)
            last, before = before, step
            if abs(p) < abs(0.5 * q * last) and q * (low - best) < p < q * (high - best):
                step, is_golden = p / q, False
                if best + step - low < 2 * least or high - best - step < 2 * least:
                    step = math.copysign(least, middle - best)
        if is_golden:
            before = low - best if best >= middle else high - best
            step = golden * before
        at = best + math.copysign(max(abs(step), least), step)
        value = score(at)
        if value <= at_best:
            low, high = (best, high) if at >= best else (low, best)
            third, at_third, second, at_second = second, at_second, best, at_best
            best, at_best = at, value
            continue
        low, high = (at, high) if at < best else (low, at)
        if value <= at_second or second == best:
            third, at_third, second, at_second = second, at_second, at, value
        elif value <= at_third or third in (best, second):
            third, at_third = at, value
    return best
