"""How far a walk from each of some places goes, in steps that are powers of two."""

from typing import Any

from .._namespace import array_namespace, device

__all__ = ["bases", "crossings", "near_maximum"]


def _levels(xp: Any, x: Any, op: Any, edge: float) -> list[Any]:
    """Return at k and i what joins the 2^k elements up to i; `edge` stands before the first."""
    found, n = [x], x.shape[-1]
    for k in range(n.bit_length() - 1):
        half = 2**k
        before = xp.full((*x.shape[:-1], half), edge, dtype=x.dtype, device=device(x))
        last = found[-1]
        found.append(op(last, xp.concat((before, last[..., : n - half]), axis=-1)))
    return found


def _lowest(xp: Any, x: Any, edge: float) -> tuple[list[Any], list[Any]]:
    """Return the least of 2^k elements up to i, and where it is; the last of equals."""
    n, where = x.shape[-1], device(x)
    places = xp.broadcast_to(xp.arange(n, device=where), x.shape)
    values, found = [x], [places]
    for k in range(n.bit_length() - 1):
        half = 2**k
        lead = (*x.shape[:-1], half)
        old = values[-1]
        early = xp.concat(
            (xp.full(lead, edge, dtype=x.dtype, device=where), old[..., : n - half]), axis=-1
        )
        place = found[-1]
        before = xp.zeros(lead, dtype=place.dtype, device=where)
        before = xp.concat((before, place[..., : n - half]), axis=-1)
        values.append(xp.minimum(old, early))
        found.append(xp.where(early < old, before, place))
    return values, found


def _at(xp: Any, x: Any, places: Any) -> Any:
    return xp.take_along_axis(x, xp.maximum(places, xp.zeros_like(places)), axis=-1)


def bases(x: Any, peaks: Any, least: Any) -> tuple[Any, Any]:
    """Return the lowest value, and its place, left of each peak before something is higher.

    Not before the places `least`; of equal values the nearest. A NaN counts as higher.
    """
    xp = array_namespace(x, peaks)
    nan, inf = xp.isnan(x), float("inf")
    high = _levels(xp, xp.where(nan, xp.full_like(x, inf), x), xp.maximum, inf)
    low, where = _lowest(xp, xp.where(nan, xp.full_like(x, inf), x), inf)
    height = _at(xp, x, peaks)
    value, base, now = height, peaks, peaks
    for k in range(len(high) - 1, -1, -1):
        free = (now - 2**k + 1 >= least) & (_at(xp, high[k], now) <= height)
        its = _at(xp, low[k], now)
        lower = free & (its < value)
        value = xp.where(lower, its, value)
        base = xp.where(lower, _at(xp, where[k], now), base)
        now = xp.where(free, now - 2**k, now)
    return value, base


def crossings(x: Any, peaks: Any, least: Any, height: Any) -> tuple[Any, Any]:
    """Return the first place left of each peak that isn't above a height, and the rest of a step.

    Not before the places `least`. The rest is what lies between the place and the crossing.
    """
    xp = array_namespace(x, peaks)
    low = _levels(
        xp, xp.where(xp.isnan(x), xp.full_like(x, -float("inf")), x), xp.minimum, -float("inf")
    )
    now = peaks
    for k in range(len(low) - 1, -1, -1):
        free = (now - 2**k >= least) & (_at(xp, low[k], now) > height)
        now = xp.where(free, now - 2**k, now)
    here = _at(xp, x, now)
    after = _at(xp, x, xp.minimum(now + 1, xp.full_like(now, x.shape[-1] - 1)))
    below = here < height
    step = xp.where(below, after - here, xp.ones_like(here))
    return now, xp.where(below, (height - here) / step, xp.zeros_like(here))


def near_maximum(x: Any, reach: int, least: int) -> Any:
    """Return the largest of the elements up to `reach` away, of integers above `least`."""
    xp, n = array_namespace(x), x.shape[-1]
    reach = min(reach, n)
    size, width = 2 * reach + 1, 1
    edge = xp.full((*x.shape[:-1], reach), least, dtype=x.dtype, device=device(x))
    x = xp.concat((edge, x, edge), axis=-1)
    while 2 * width <= size:
        x = xp.maximum(x[..., : x.shape[-1] - width], x[..., width:])
        width *= 2
    return xp.maximum(x[..., :n], x[..., size - width : size - width + n])
