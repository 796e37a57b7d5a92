"""Sections of Butterworth filters in the standard, for traced or differentiated cutoffs.

The pairing of zeros and poles is known in advance, except for the order of the sections and the
real zeros of each. These depend on values as in `_sections`: by a sort, and by `where` between two
zeros.
"""

from typing import Any

from ..._namespace import device

__all__ = ["butter_sections"]


def butter_sections(xp: Any, z: Any, p: Any, k: Any, n: int, btype: str, analog: bool) -> Any:
    """Return the sections of a filter of order `n`, whose poles are in the order of `to_band`."""
    k = xp.reshape(k, (1,))
    if n == 0:
        none, one = xp.zeros_like(k), xp.ones_like(k)
        row = [none, none, k, none, none, one] if analog else [k, none, none, one, none, none]
        return xp.stack(row, axis=-1)
    first, second, lone = _pairs(xp, p, n, btype)
    near, far = (xp.abs(xp.real(v)) if analog else xp.abs(1 - xp.abs(v)) for v in (first, second))
    if lone is not None and analog:
        far = xp.where(lone, near, far)
    worst = xp.where(near <= far, first, second)
    order = xp.argsort(xp.minimum(near, far), descending=True)
    a1, a2 = -xp.real(first + second), xp.real(first * second)
    a0 = xp.ones_like(a1)
    if lone is not None and analog:  # of first order
        a0, a1, a2 = (xp.where(lone, u, v) for u, v in ((a0 - 1, a0), (a0, a1), (a1, a2)))
    a0, a1, a2, worst = (xp.take(v, order, axis=0) for v in (a0, a1, a2, worst))
    lone = None if lone is None else xp.take(lone, order, axis=0)
    b = _numerators(xp, z, worst, lone, n, btype, analog)
    scale = xp.concat((k, xp.ones((a1.shape[0] - 1,), dtype=k.dtype, device=device(k))))
    return xp.stack((*(scale * v for v in b), a0, a1, a2), axis=-1)


def _pairs(xp: Any, p: Any, n: int, btype: str) -> tuple[Any, Any, Any]:
    """Return the two poles of each section, and which section has one pole and one at zero."""
    half, odd = n // 2, n % 2
    if btype in ("bandpass", "bandstop"):
        a, b = p[:n], p[n:]
        one = [a[:half], b[:half]] + [a[half : half + 1]] * odd
        other = [xp.flip(v)[:half] for v in (a, b)] + [b[half : half + 1]] * odd
        return xp.concat(one), xp.concat(other), None
    first, second = p[: half + odd], xp.flip(p)[: half + odd]
    if not odd:
        return first, second, None
    lone = xp.arange(half + 1, device=device(p)) == half
    return first, xp.where(lone, xp.zeros_like(second), second), lone


def _numerators(
    xp: Any, z: Any, worst: Any, lone: Any, n: int, btype: str, analog: bool
) -> tuple[Any, Any, Any]:
    one = xp.ones_like(xp.real(worst))
    none, m = xp.zeros_like(one), one.shape[0]
    if btype == "bandstop":
        return one, one * (-2 * xp.real(z[0])), one * xp.real(z[0] * xp.conj(z[0]))
    if not analog:
        if btype == "bandpass":
            return _dealt(xp, worst, (-1, n), (1, n))
        end = -1 if btype == "lowpass" else 1
        if lone is None:
            return one, -2 * end * one, one
        return _dealt(xp, worst, *sorted([(end, n), (0, 1)]))
    if btype == "lowpass":
        return none, none, one
    if btype == "highpass":
        return (one, none, none) if lone is None else (*_either(xp, lone, one), none)
    # As many zeros at the origin as sections: two for each, from the worst, as long as there are.
    place = xp.arange(m - 1, -1, -1, device=device(one))
    two, single = 2 * place + 2 <= n, 2 * place + 1 == n
    return xp.where(two, one, none), xp.where(single, one, none), xp.where(two | single, none, one)


def _either(xp: Any, lone: Any, one: Any) -> tuple[Any, Any]:
    """Return the upper coefficients of a zero at the origin for each pole."""
    return xp.where(lone, one - one, one), xp.where(lone, one, one - one)


def _dealt(
    xp: Any, worst: Any, low: tuple[int, int], high: tuple[int, int]
) -> tuple[Any, Any, Any]:
    """Deal two kinds of real zeros, each with its number, to the sections, from the last one on."""
    (u, many), (v, few) = low, high
    nearer = xp.abs(worst - u) <= xp.abs(worst - v)
    real = xp.real(worst)
    left_u = xp.full((), many, dtype=real.dtype, device=device(worst))
    left_v = xp.full((), few, dtype=real.dtype, device=device(worst))
    sums: list[Any] = []
    products: list[Any] = []
    for i in range(worst.shape[0] - 1, -1, -1):
        picks = []
        for _ in range(2):
            takes_u = (nearer[i] & (left_u > 0)) | (left_v <= 0)
            one = xp.astype(takes_u, left_u.dtype)
            left_u, left_v = left_u - one, left_v - (1 - one)
            picks.append(one * u + (1 - one) * v)
        sums.append(-(picks[0] + picks[1]))
        products.append(picks[0] * picks[1])
    return xp.ones_like(real), xp.stack(sums[::-1]), xp.stack(products[::-1])
