"""Real roots of many polynomials, by the critical points between which each is monotone."""

import math
from typing import Any

from ..._namespace import array_namespace, device, hooks_of, is_concrete, quiet
from ...transforms import fori_loop, stop_gradient

__all__ = ["found_in", "told"]

_STEPS = 100


def _value(a: list[Any], t: Any) -> Any:
    out = a[0]
    for row in a[1:]:
        out = out * t + row
    return out


def _derived(a: list[Any], nu: int) -> list[Any]:
    k = len(a)
    return [row * float(math.perm(k - 1 - j, nu)) for j, row in enumerate(a[: k - nu])]


def _signed(xp: Any, a: list[Any], t: Any) -> Any:
    """Return values whose rounding errors are taken for zeros."""
    size = _value([xp.abs(row) for row in a], xp.abs(t))
    f = _value(a, t)
    return xp.where(xp.abs(f) <= 4 * xp.finfo(f.dtype).eps * size, xp.zeros_like(f), f)


def _unit(a: list[Any]) -> tuple[Any, Any]:
    """Return the roots in [0, 1], (d, ...) in order, and which of them there are."""
    xp, like = array_namespace(*a), a[0]
    one, zero = xp.ones_like(like), xp.zeros_like(like)
    d = len(a) - 1
    inner: list[Any] = []
    has: Any = None
    for e in range(1, d + 1):
        q = _derived(a, d - e)
        edges = xp.stack([zero, *inner, one])
        low, high = edges[:-1, ...], edges[1:, ...]
        f = xp.stack([q[-1], *(_signed(xp, q, t) for t in [*inner, one])])
        fl, fh = f[:-1, ...], f[1:, ...]
        at_end = (high == 1) & (fh == 0) & (fl != 0)  # the rest is empty, if derivatives have none
        crosses = fl * xp.sign(fh) < 0
        has = (low < high) & ((fl == 0) | crosses | at_end)
        r = _bracketed(q, low, high, xp.sign(fl), crosses)
        r = xp.where(fl == 0, low, xp.where(crosses, r, high))
        inner = [r[i, ...] for i in range(e)]
    return xp.stack(inner), has


def _bracketed(q: list[Any], low: Any, high: Any, sign: Any, crosses: Any) -> Any:
    """Return the root in a bracket where the polynomial is monotone."""
    xp = array_namespace(low, sign)
    if len(q) < 4:
        with quiet(low):
            r = -q[1] / q[0] if len(q) == 2 else _quadratic(q, low, high)
        return xp.where(crosses, xp.minimum(xp.maximum(r, low), high), low)
    slope = _derived(q, 1)
    low, high = xp.where(crosses, low, high), high

    def step(_: Any, state: Any) -> Any:
        """Step as Newton where it stays inside and halves the step before, else to the middle."""
        low, high, t, before = state
        f = _value(q, t)
        right = f * sign > 0
        low, high = xp.where(right, t, low), xp.where(right, high, t)
        g = _value(slope, t)
        by = -f / xp.where(g == 0, xp.ones_like(g), g)
        good = (t + by >= low) & (t + by <= high) & (g != 0) & (xp.abs(by) <= xp.abs(before) / 2)
        by = xp.where(good, by, (low + high) / 2 - t)
        return low, high, t + by, by

    state = (low, high, (low + high) / 2, high - low)
    with quiet(low):
        if not is_concrete(low):
            return fori_loop(0, _STEPS, step, state)[2]
        eps = float(xp.finfo(low.dtype).eps)
        for _ in range(_STEPS):
            if not bool(xp.any((xp.abs(state[3]) > eps * xp.abs(state[2])) & crosses)):
                break
            state = step(None, state)
    return state[2]


def _quadratic(q: list[Any], low: Any, high: Any) -> Any:
    """Return the root of a quadratic in a bracket, without cancellation."""
    xp, (a, b, c) = array_namespace(low), q
    d = b * b - 4 * a * c
    p = -(b + xp.copysign(xp.sqrt(xp.where(d > 0, d, xp.zeros_like(d))), b)) / 2
    one, two = p / a, c / p
    apart = [xp.abs(r - xp.minimum(xp.maximum(r, low), high)) for r in (one, two)]
    return xp.where((apart[0] <= apart[1]) & (a != 0), one, two)


def _exact(xp: Any, a: list[Any], t: Any) -> Any:
    """Take steps of Newton's that carry the derivatives in coefficients, to the third order."""
    t = stop_gradient(t)
    if all(is_concrete(v) and not hooks_of(v).recorded(v) for v in a):
        return t
    for _ in range(2):
        g, f = _value(_derived(a, 1), t), _value(a, t)
        fits = g != 0
        step = (f - stop_gradient(f)) / xp.where(fits, g, xp.ones_like(g))
        t = t - xp.where(fits, step, xp.zeros_like(step))
    return t


def found_in(c: Any, x: Any, jumps: bool, wide: bool) -> tuple[Any, Any]:
    """Return candidates (..., s) in the order of the pieces, and which of them are roots.

    Coefficients (k, ..., m), breakpoints that broadcast with (..., m + 1).
    """
    xp = array_namespace(c, x)
    k = c.shape[0]
    left, h = x[..., :-1], x[..., 1:] - x[..., :-1]
    a = [c[j, ...] * h ** (k - 1 - j) for j in range(k)]
    left, h = (xp.broadcast_to(v, a[0].shape) for v in (left, h))
    there = h != 0  # of a knot that comes again, neighbours have the roots
    flat = [stop_gradient(row) for row in a]
    values, masks = [], []
    zero = (flat[0] == 0) & there
    for row in flat[1:]:
        zero = zero & (row == 0)

    def add(value: Any, mask: Any) -> None:
        values.append(value)
        masks.append(mask)

    if jumps:
        ends = _value(flat, xp.ones_like(flat[0]))
        jump = xp.sign(ends[..., :-1]) * xp.sign(flat[-1][..., 1:]) < 0
        add(left, xp.concat([xp.zeros_like(zero[..., :1]), jump], axis=-1))
    add(left, zero)
    wide, m = wide and k > 1, zero.shape[-1]
    if k > 1:
        r, has = _unit(_with_ends(xp, flat) if wide else flat)
        for i in range(k - 1):
            add(left + h * _exact(xp, a, r[i, ..., :m]), has[i, ..., :m] & ~zero & there)
    add(xp.full_like(left, xp.nan), zero)
    count = len(values)
    value, mask = xp.stack(values, axis=-1), xp.stack(masks, axis=-1)
    shape = (*value.shape[:-2], value.shape[-2] * count)
    value, mask = xp.reshape(value, shape), xp.reshape(mask, shape)
    if wide:
        ends = [(r[..., m + i], has[..., m + i]) for i in range(3)]
        before, some = _beyond(xp, [row[..., 0] for row in a], -1.0, *ends[:2])
        after, more = _beyond(xp, [row[..., -1] for row in a], 1.0, ends[2])
        edges = left[..., 0] + h[..., 0] * before, left[..., -1] + h[..., -1] * after
        some, more = some & ~zero[..., 0], more & ~zero[..., -1]
        parts = [xp.moveaxis(v, 0, -1) for v in (edges[0], edges[1], some, more)]
        value = xp.concat([parts[0], value, parts[1]], axis=-1)
        mask = xp.concat([parts[2], mask, parts[3]], axis=-1)
    return value, mask


def _with_ends(xp: Any, a: list[Any]) -> list[Any]:
    """Return polynomials of the pieces, and of the ends beyond: the last of the reciprocal."""
    first, last = ([row[..., i : i + 1] for row in a] for i in (0, a[0].shape[-1] - 1))
    mirrored = [row * (-1.0) ** (len(a) - 1 - j) for j, row in enumerate(first)]
    parts = zip(a, mirrored[::-1], mirrored, last[::-1], strict=True)
    return [xp.concat(rows, axis=-1) for rows in parts]


def _beyond(xp: Any, a: list[Any], way: float, far: Any, near: Any = None) -> tuple[Any, Any]:
    """Return the roots of a polynomial before 0, or after 1, in order, on the first axis.

    Beyond 1 they are those of the polynomial of the reciprocal.
    """
    rows = [row * way ** (len(a) - 1 - j) for j, row in enumerate(a)]
    inverse, there = far
    there = there & (inverse > 0) & (inverse < 1)
    with quiet(inverse):
        beyond = xp.where(there, 1 / inverse, xp.ones_like(inverse))
    values, masks = [xp.flip(beyond, axis=0)], [xp.flip(there, axis=0)]
    if near is not None:
        values.insert(0, near[0])
        masks.insert(0, near[1] & (near[0] > 0))
    value, mask = xp.concat(values), xp.concat(masks)
    value = xp.stack([_exact(xp, rows, value[i, ...]) for i in range(value.shape[0])])
    if way < 0:
        value, mask = -xp.flip(value, axis=0), xp.flip(mask, axis=0)
    return value, mask


def told(value: Any, mask: Any, x: Any, size: int | None) -> Any:
    """Return roots (..., size), NaN where there are fewer, without what is told twice."""
    value, mask = _in_front(value, mask)
    xp = array_namespace(value)
    span = xp.abs(x[..., -1:] - x[..., :1])
    plain, eps = stop_gradient(value), float(xp.finfo(value.dtype).eps)
    v = plain[..., 1:]
    again = xp.abs(v - plain[..., :-1]) <= 8 * eps * (xp.abs(v) + span)
    value, mask = _in_front(
        value, mask & ~xp.concat([xp.zeros_like(mask[..., :1]), again], axis=-1)
    )
    value = xp.where(mask, value, xp.full_like(value, xp.nan))
    if size is None:
        counts = xp.sum(xp.astype(mask, xp.int64), axis=-1)
        if 0 in counts.shape:
            return value[..., :0]
        size = int(xp.max(counts))  # likewise: ignore[LW203]: values are at hand
    if size <= value.shape[-1]:
        return value[..., :size]
    more = xp.full(
        (*value.shape[:-1], size - value.shape[-1]), xp.nan, dtype=value.dtype, device=device(value)
    )
    return xp.concat([value, more], axis=-1)


def _in_front(value: Any, mask: Any) -> tuple[Any, Any]:
    """Return values, those of the mask before the others, in their order."""
    xp = array_namespace(value)
    order = xp.argsort(xp.astype(~mask, xp.int8), axis=-1, stable=True)
    return xp.take_along_axis(value, order, axis=-1), xp.take_along_axis(mask, order, axis=-1)
