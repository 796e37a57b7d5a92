"""Searches from given indices, in steps that are powers of two."""

from typing import Any

from ..._namespace import array_namespace, device

__all__ = ["bases", "crossings", "near_maximum"]


def _levels(x: Any, op: Any) -> list[Any]:
    """Return a table whose entry (k, i) combines the 2^k elements from i on."""
    found = [x]
    for k in range(x.shape[-1].bit_length() - 1):
        last, half = found[-1], 2**k
        found.append(op(last[..., :-half], last[..., half:]))
    return found


def _lowest(xp: Any, x: Any) -> tuple[list[Any], list[Any]]:
    """Return the least of 2^k elements from i on, and where it is; the last of equals."""
    places = xp.broadcast_to(xp.arange(x.shape[-1], device=device(x)), x.shape)
    values, found = _levels(x, xp.minimum), [places]
    for k, least in enumerate(values[:-1]):
        last, half = found[-1], 2**k
        early = least[..., :-half] < least[..., half:]
        found.append(xp.where(early, last[..., :-half], last[..., half:]))
    return values, found


def _at(xp: Any, x: Any, places: Any) -> Any:
    if x.ndim == 1:  # for which libraries are quicker
        return xp.take(x, places, axis=-1)
    return xp.take_along_axis(x, places, axis=-1)


def bases(x: Any, peaks: Any, least: Any) -> tuple[Any, Any]:
    """Return the lowest value, and its index, between each peak and a higher value to its left.

    The search ends at the indices `least`; of equal values the nearest counts. NaN counts as
    higher.
    """
    xp = array_namespace(x, peaks)
    height, zero = _at(xp, x, peaks), xp.zeros_like(peaks)
    x = xp.where(xp.isnan(x), xp.full_like(x, float("inf")), x)
    high = _levels(x, xp.maximum)
    low, where = _lowest(xp, x)
    value, base, now = height, peaks, peaks
    for k in range(len(high) - 1, -1, -1):
        start = now - (2**k - 1)
        inside = xp.maximum(start, zero)
        free = (start >= least) & (_at(xp, high[k], inside) <= height)
        its = _at(xp, low[k], inside)
        lower = free & (its < value)
        value = xp.where(lower, its, value)
        base = xp.where(lower, _at(xp, where[k], inside), base)
        now = xp.where(free, start - 1, now)
    return value, base


def crossings(x: Any, peaks: Any, least: Any, height: Any) -> tuple[Any, Any]:
    """Return the first index left of each peak that isn't above a height, and a fraction of a step.

    The search ends at the indices `least`. The fraction is the distance from the index to the
    crossing.
    """
    xp = array_namespace(x, peaks)
    low = _levels(xp.where(xp.isnan(x), xp.full_like(x, -float("inf")), x), xp.minimum)
    now, zero = peaks, xp.zeros_like(peaks)
    for k in range(len(low) - 1, -1, -1):
        start = now - (2**k - 1)
        free = (start > least) & (_at(xp, low[k], xp.maximum(start, zero)) > height)
        now = xp.where(free, start - 1, now)
    here = _at(xp, x, now)
    after = _at(xp, x, xp.minimum(now + 1, xp.full_like(now, x.shape[-1] - 1)))
    below = here < height
    step = xp.where(below, after - here, xp.ones_like(here))
    return now, xp.where(below, (height - here) / step, xp.zeros_like(here))


def near_maximum(x: Any, reach: int, least: int) -> Any:
    """Return the largest of the elements up to `reach` away, for integers above `least`."""
    xp, n = array_namespace(x), x.shape[-1]
    reach = min(reach, n)
    size, width = 2 * reach + 1, 1
    edge = xp.full((*x.shape[:-1], reach), least, dtype=x.dtype, device=device(x))
    x = xp.concat((edge, x, edge), axis=-1)
    while 2 * width <= size:
        x = xp.maximum(x[..., : x.shape[-1] - width], x[..., width:])
        width *= 2
    return xp.maximum(x[..., :n], x[..., size - width : size - width + n])
