"""Derivatives of solutions of linear equations and least-squares problems.

A solution's derivative is again a solution, with the operator's conjugate transpose in reverse
mode.
"""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...solving._following import recorded, self_adjoint
from ...transforms import stop_gradient

__all__ = ["carried", "linear"]

Map = Callable[[Any], Any]


def linear(forward: Map, backward: Map, p: Any, n: int) -> Any:
    """Return ``forward(p)``, rows (B, m) to (B, n), with derivatives by `backward`, its conjugate
    transpose.

    Neither is followed: a derivative along a tangent is `forward` of it, and a cotangent goes
    through `backward`. Both go as one symmetric map of real numbers, (p, q) to (backward(q),
    forward(p)), so that it doesn't matter how a library writes derivatives of complex numbers.
    """
    xp = array_namespace(p)
    wide = bool(xp.isdtype(p.dtype, "complex floating"))
    m = p.shape[-1]
    sizes = (m, m, n, n) if wide else (m, n)

    def parts(v: Any) -> tuple[Any, Any]:
        ns = array_namespace(v)
        cut, start = [], 0
        for size in sizes:
            cut.append(v[:, start : start + size])
            start += size
        if not wide:
            return cut[0], cut[1]
        dtype = ns.complex64 if v.dtype == ns.float32 else ns.complex128
        whole = [ns.astype(c, dtype) for c in cut]
        return whole[0] + 1j * whole[1], whole[2] + 1j * whole[3]

    def joined(a: Any, b: Any) -> Any:
        ns = array_namespace(a, b)
        if not wide:
            return ns.concat([a, b], axis=-1)
        return ns.concat([ns.real(a), ns.imag(a), ns.real(b), ns.imag(b)], axis=-1)

    def solve(v: Any) -> Any:
        a, b = parts(v)
        return joined(stop_gradient(backward(b)), stop_gradient(forward(a)))

    none = xp.zeros_like(p[:, :1]) + xp.zeros((1, n), dtype=p.dtype, device=device(p))
    return parts(self_adjoint(lambda v: v, solve, joined(p, none)))[1]


def carried(x: Any, residual: Map, forward: Map, backward: Map) -> Any:
    """Return solutions of ``residual(x) = 0``, (B, n), with their first derivatives.

    `forward` solves with minus the residual's derivative in x, `backward` with its transpose.
    """
    x = stop_gradient(x)
    r = residual(x)
    if not recorded(r):
        return x
    xp = array_namespace(r)
    moved = r - stop_gradient(r)
    moved = xp.where(xp.isfinite(moved), moved, xp.zeros_like(moved))
    return x + linear(forward, backward, moved, x.shape[-1])
