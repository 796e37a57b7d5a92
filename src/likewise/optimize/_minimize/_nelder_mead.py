"""The simplex method of Nelder and Mead.

J. A. Nelder, R. Mead, A simplex method for function minimization, Computer Journal 7, 1965, with
the coefficients of F. Gao, L. Han, Implementing the Nelder-Mead simplex algorithm with adaptive
parameters, Comput. Optim. Appl. 51, 2012, if asked for. The order of tests is that of J. C.
Lagarias et al., SIAM J. Optim. 9(1), 1998, section 2.

The loop evaluates one point of each problem; what the point is for is part of a problem's state.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...missing import take_along_axis
from ._descent import CONVERGED, MAXITER, NOT_FINITE, UNBOUNDED, Found
from ._objective import Objective
from ._rounds import RUNNING, rounds

__all__ = ["nelder_mead", "simplex"]

_REFLECT, _EXPAND, _OUTSIDE, _INSIDE, _VERTEX = 0, 1, 2, 3, 4


class _State(NamedTuple):
    points: Any  # (B, p + 1, p), in order of their values but while vertices are evaluated
    values: Any  # (B, p + 1)
    trial: Any  # (B, p), the next point
    kind: Any  # (B,), what it is for
    vertex: Any  # (B,), which vertex it is
    reflected: Any  # (B, p), the reflection and its value, while another point is tried
    value: Any  # (B,)
    status: Any
    nit: Any
    nfev: Any


def simplex(x0: Any, lower: Any, upper: Any) -> Any:
    """The first points (B, p + 1, p): a start, and from it along each axis, within bounds."""
    xp = array_namespace(x0)
    p = int(x0.shape[1])
    eye = xp.eye(p, dtype=x0.dtype, device=device(x0))
    moved = xp.where(x0 == 0, xp.full_like(x0, 0.00025), 1.05 * x0)
    others = xp.where(eye == 1, moved[:, None, :], x0[:, None, :])
    if upper is not None:  # mirrored, not cut, so that it keeps its volume
        top = upper[:, None, :]
        others = xp.where(others > top, 2 * top - others, others)
    points = xp.concat([x0[:, None, :], others], axis=1)
    if lower is not None:
        points = xp.minimum(xp.maximum(points, lower[:, None, :]), upper[:, None, :])
    return points


def nelder_mead(
    objective: Objective,
    points: Any,
    xatol: float,
    fatol: float,
    maxiter: int,
    maxfev: int,
    adaptive: bool,
) -> Found:
    """Minimise from the simplex `points` (B, p + 1, p)."""
    xp = array_namespace(points)
    p = int(points.shape[2])
    rho, chi, psi, sigma = 1.0, 2.0, 0.5, 0.5
    if adaptive:
        chi, psi, sigma = 1 + 2 / p, 0.75 - 1 / (2 * p), 1 - 1 / p
    zero = xp.zeros_like(points[:, 0, 0], dtype=xp.int32)
    numbers = xp.arange(p + 1, dtype=xp.int32, device=device(points))

    def placed(all_: Any, one: Any, which: Any) -> Any:
        """With one of the vertices (or values) of each problem replaced."""
        at = numbers == which[:, None]
        at = at if all_.ndim == 2 else at[:, :, None]
        return xp.where(at, one[:, None, ...], all_)

    def step(objective: Objective, s: _State) -> _State:
        lower, upper = objective.lower, objective.upper
        running = s.status == RUNNING
        f = objective.value(s.trial)
        f = xp.where(xp.isnan(f), xp.full_like(f, xp.inf), f)  # worse than any
        nfev = xp.where(running, s.nfev + 1, s.nfev)
        best, second, worst = s.values[:, 0], s.values[:, -2], s.values[:, -1]
        reflect, expand = s.kind == _REFLECT, s.kind == _EXPAND
        outside, inside = s.kind == _OUTSIDE, s.kind == _INSIDE
        vertex = s.kind == _VERTEX

        # Which point takes the place of the worst, if the iteration ends here with one.
        to_expand = reflect & (f < best)
        plain = reflect & ~to_expand & (f < second)
        to_contract = reflect & ~to_expand & ~plain
        kept = plain | expand | (outside & (f <= s.value)) | (inside & (f < worst))
        reflected = expand & ~(f < s.value)
        new = xp.where(reflected[:, None], s.reflected, s.trial)
        new_f = xp.where(reflected, s.value, f)
        shrink = (outside | inside) & ~kept
        last = xp.full_like(s.vertex, p)
        which = xp.where(kept, last, s.vertex)
        change = kept | vertex
        points = xp.where(change[:, None, None], placed(s.points, new, which), s.points)
        values = xp.where(change[:, None], placed(s.values, new_f, which), s.values)
        toward = points[:, :1, :]
        smaller = toward + sigma * (points - toward)
        if lower is not None:
            smaller = xp.minimum(xp.maximum(smaller, lower[:, None, :]), upper[:, None, :])
        points = xp.where((shrink[:, None] & (numbers > 0))[:, :, None], smaller, points)

        # The end of an iteration, or of the first round of vertices: in order, and looked at.
        complete = kept | (vertex & (s.vertex == p))
        order = xp.argsort(values, axis=1, stable=True)
        in_order = take_along_axis(
            points, xp.broadcast_to(order[:, :, None], tuple(points.shape)), axis=1
        )
        points = xp.where(complete[:, None, None], in_order, points)
        values = xp.where(complete[:, None], take_along_axis(values, order, axis=1), values)
        nit = xp.where(running & complete, s.nit + 1, s.nit)
        spread = xp.max(xp.abs(points[:, 1:, :] - points[:, :1, :]), axis=(1, 2))
        rise = xp.max(xp.abs(values[:, 1:] - values[:, :1]), axis=1)
        done = complete & (spread <= xatol) & (rise <= fatol)
        bad = complete & ~xp.isfinite(values[:, 0])
        over = (complete & (nit >= maxiter)) | (nfev >= maxfev)
        status = xp.where(over, xp.full_like(s.status, MAXITER), s.status)
        status = xp.where(done, xp.full_like(status, CONVERGED), status)
        status = xp.where(bad, xp.full_like(status, NOT_FINITE), status)
        endless = complete & (values[:, 0] == -xp.inf)
        status = xp.where(endless, xp.full_like(status, UNBOUNDED), status)
        status = xp.where(running, status, s.status)

        # The next point.
        centre = xp.sum(points[:, :-1, :], axis=1) / p
        length = xp.where(
            to_expand,
            xp.full_like(f, rho * chi),
            xp.where(f < worst, xp.full_like(f, psi * rho), xp.full_like(f, -psi)),
        )
        length = xp.where(complete, xp.full_like(length, rho), length)
        length = length[:, None]
        trial = (1 + length) * centre - length * points[:, -1, :]
        if lower is not None:
            trial = xp.minimum(xp.maximum(trial, lower), upper)
        number = xp.where(shrink, xp.ones_like(s.vertex), s.vertex + 1)
        number = xp.minimum(number, last)
        at = xp.broadcast_to(number[:, None, None], (points.shape[0], 1, p))
        of_vertex = take_along_axis(points, at, axis=1)[:, 0, :]
        walking = shrink | (vertex & ~complete)
        trial = xp.where(walking[:, None], of_vertex, trial)
        contract = xp.where(
            f < worst, xp.full_like(s.kind, _OUTSIDE), xp.full_like(s.kind, _INSIDE)
        )
        kind = xp.where(to_expand, xp.full_like(s.kind, _EXPAND), contract)
        kind = xp.where(complete, xp.full_like(kind, _REFLECT), kind)
        kind = xp.where(walking, xp.full_like(kind, _VERTEX), kind)
        pending = to_expand | to_contract
        row = running[:, None]
        return _State(
            xp.where(row[:, :, None], points, s.points),
            xp.where(row, values, s.values),
            xp.where(row, trial, s.trial),
            xp.where(running, kind, s.kind),
            xp.where(running, number, s.vertex),
            xp.where((running & pending)[:, None], s.trial, s.reflected),
            xp.where(running & pending, f, s.value),
            status,
            nit,
            nfev,
        )

    first = points[:, 0, :]
    infinite = xp.full_like(points[:, :, 0], xp.inf)
    start = _State(
        points,
        infinite,
        first,
        zero + _VERTEX,
        zero,
        first,
        infinite[:, 0],
        zero + RUNNING,
        zero,
        zero,
    )

    def make(objective: Objective) -> Callable[[_State], _State]:
        return lambda state: step(objective, state)

    end = rounds(objective, start, make)
    # A round that maxfev broke off may have left the lowest point anywhere.
    lowest = xp.argmin(end.values, axis=1, keepdims=True)
    at = xp.broadcast_to(lowest[:, :, None], (points.shape[0], 1, p))
    x = take_along_axis(end.points, at, axis=1)[:, 0, :]
    f = take_along_axis(end.values, lowest, axis=1)[:, 0]
    return Found(x, f, None, end.status, end.nit, end.nfev, zero, None)
