"""Newton's method with a trust region, without matrices.

T. Steihaug, The conjugate gradient method and trust regions in large scale optimization, SIAM J.
Numer. Anal. 20(3), 1983; the radius as in J. Nocedal, S. J. Wright, Numerical Optimization, 2nd
ed., algorithm 4.1, the tolerance of the inner iteration as in algorithm 7.1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...transforms import while_loop
from ._descent import CONVERGED, MAXITER, NOT_FINITE, PRECISION, Found
from ._objective import Objective
from ._rounds import RUNNING, rounds

__all__ = ["trust_ncg"]

_ROUNDING = 10.0  # times eps: how wrong values may be, relatively


class _State(NamedTuple):
    x: Any
    f: Any
    g: Any
    radius: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


class _Inner(NamedTuple):
    z: Any  # (B, p), the step so far
    r: Any  # its residual
    d: Any  # the next direction
    bz: Any  # the Hessian times z
    boundary: Any  # whether z ended at the radius
    open: Any
    count: Any


def trust_ncg(
    objective: Objective,
    x0: Any,
    gtol: float,
    maxiter: int,
    initial_trust_radius: float,
    max_trust_radius: float,
    eta: float,
) -> Found:
    """Minimise from `x0` (B, p)."""
    xp = array_namespace(x0)
    eps = float(xp.finfo(x0.dtype).eps)
    f, g = objective.value_and_gradient(x0)
    zero = xp.zeros_like(f, dtype=xp.int32)
    finite = xp.isfinite(f) & xp.all(xp.isfinite(g), axis=1)
    status = xp.where(finite, zero + RUNNING, zero + NOT_FINITE)
    status = xp.where(finite & (_norm(xp, g) <= gtol), zero + CONVERGED, status)

    def step(objective: Objective, s: _State) -> _State:
        running = s.status == RUNNING
        inner = _steihaug(xp, objective, s.x, s.g, s.radius, running)
        x1 = s.x + inner.z
        f1, g1 = objective.value_and_gradient(x1)
        usable = xp.isfinite(f1) & xp.all(xp.isfinite(g1), axis=1)
        predicted = -xp.sum(inner.z * (s.g + 0.5 * inner.bz), axis=1)
        known = predicted > 0
        actual = xp.where(usable, s.f - f1, -xp.ones_like(s.f))
        ratio = actual / xp.where(known, predicted, xp.ones_like(predicted))
        # Where rounding is all that the values show, the gradients decide.
        noise = _ROUNDING * eps * xp.abs(s.f)
        hidden = usable & (xp.abs(actual) <= noise) & (predicted <= noise)
        better = _norm(xp, g1) < _norm(xp, s.g)
        ratio = xp.where(hidden, xp.where(better, xp.ones_like(ratio), -xp.ones_like(ratio)), ratio)
        ratio = xp.where(usable & known, ratio, -xp.ones_like(ratio))
        taken = running & (ratio > eta)
        radius = xp.where(ratio < 0.25, 0.25 * s.radius, s.radius)
        wider = xp.minimum(2 * s.radius, xp.full_like(radius, max_trust_radius))
        radius = xp.where((ratio > 0.75) & inner.boundary, wider, radius)
        row = taken[:, None]
        x, g = xp.where(row, x1, s.x), xp.where(row, g1, s.g)
        f = xp.where(taken, f1, s.f)
        nit = xp.where(running, s.nit + 1, s.nit)
        stuck = ~known | (radius <= eps * _norm(xp, x)) | (hidden & ~better)
        status = xp.where(running & ~taken & stuck, xp.full_like(s.status, PRECISION), s.status)
        over = (status == RUNNING) & (nit >= maxiter)
        status = xp.where(over, xp.full_like(status, MAXITER), status)
        done = taken & (_norm(xp, g) <= gtol)
        status = xp.where(done, xp.full_like(status, CONVERGED), status)
        return _State(
            x,
            f,
            g,
            xp.where(running, radius, s.radius),
            status,
            nit,
            xp.where(running, s.nfev + 1, s.nfev),
            xp.where(running, s.njev + 1 + inner.count, s.njev),
        )

    def make(objective: Objective) -> Callable[[_State], _State]:
        return lambda state: step(objective, state)

    radius = xp.full_like(f, initial_trust_radius)
    end = rounds(objective, _State(x0, f, g, radius, status, zero, zero + 1, zero + 1), make)
    return Found(end.x, end.f, end.g, end.status, end.nit, end.nfev, end.njev, None)


def _norm(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=1))


def _steihaug(xp: Any, objective: Objective, x: Any, g: Any, radius: Any, running: Any) -> _Inner:
    """Conjugate gradients on the model, until it is solved or leaves the region."""
    norm = _norm(xp, g)
    enough = norm * xp.minimum(xp.full_like(norm, 0.5), xp.sqrt(norm))
    most = 2 * int(x.shape[1]) + 10
    zeros = xp.zeros_like(x)

    def body(s: _Inner) -> _Inner:
        bd = objective.hessian_product(x, s.d)
        dbd, rr = xp.sum(s.d * bd, axis=1), xp.sum(s.r * s.r, axis=1)
        bent = (dbd > 0) & xp.isfinite(dbd)
        alpha = rr / xp.where(bent, dbd, xp.ones_like(dbd))
        z1 = s.z + alpha[:, None] * s.d
        inside = bent & (_norm(xp, z1) < radius)
        # To the border along the last direction, which leads down all the way.
        tau = _to_border(xp, s.z, s.d, radius)
        step = xp.where(inside, alpha, tau)
        step = xp.where(xp.isfinite(dbd), step, xp.zeros_like(step))
        moved = step[:, None] * s.d
        r = s.r + step[:, None] * bd
        solved = _norm(xp, r) < enough
        d = (xp.sum(r * r, axis=1) / xp.where(rr > 0, rr, xp.ones_like(rr)))[:, None] * s.d - r
        row = s.open[:, None]
        count = xp.where(s.open, s.count + 1, s.count)
        return _Inner(
            xp.where(row, s.z + moved, s.z),
            xp.where(row, r, s.r),
            xp.where(row, d, s.d),
            xp.where(row & xp.isfinite(bd), s.bz + step[:, None] * bd, s.bz),
            xp.where(s.open, ~inside, s.boundary),
            s.open & inside & ~solved & (count < most),
            count,
        )

    def going(s: _Inner) -> Any:
        return xp.any(s.open)

    return while_loop(
        going,
        body,
        _Inner(
            zeros,
            g,
            -g,
            zeros,
            xp.zeros_like(running),
            running,
            xp.zeros_like(norm, dtype=xp.int32),
        ),
    )


def _to_border(xp: Any, z: Any, d: Any, radius: Any) -> Any:
    """The positive t with norm(z + t d) = radius."""
    dd, zd, zz = (xp.sum(a * b, axis=1) for a, b in ((d, d), (z, d), (z, z)))
    dd = xp.where(dd > 0, dd, xp.ones_like(dd))
    gap = xp.maximum(radius * radius - zz, xp.zeros_like(zz))
    root = xp.sqrt(zd * zd + dd * gap)
    # Without the cancellation that -zd + root has for a positive zd.
    low = xp.where(zd > 0, zd + root, xp.ones_like(root))
    return xp.where(zd > 0, gap / low, (root - zd) / dd)
