"""The simplex method of Nelder and Mead.

J. A. Nelder, R. Mead, A simplex method for function minimization, Computer Journal 7, 1965, with
the coefficients of F. Gao, L. Han, Implementing the Nelder-Mead simplex algorithm with adaptive
parameters, Comput. Optim. Appl. 51, 2012, if asked for. The order of tests is that of J. C.
Lagarias et al., SIAM J. Optim. 9(1), 1998, section 2.

The loop evaluates one point of each problem; the state of a problem says what the point is for.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....missing import take_along_axis
from ....solving._driver import Method
from ....solving._outcome import Outcome, outcomes
from .._method import EACH, Found, Row, Rows, inside
from .._objective import Objective

__all__ = ["METHOD"]

_REFLECT, _EXPAND, _OUTSIDE, _INSIDE, _VERTEX = 0, 1, 2, 3, 4


class _State(NamedTuple):
    points: Any  # (B, p + 1, p), in order of their values but while vertices are evaluated
    values: Any  # (B, p + 1)
    trial: Any  # (B, p), the next point
    kind: Any  # (B,), what it is for
    vertex: Any  # (B,), which vertex it is
    reflected: Any  # (B, p), the reflection and its value, while another point is tried
    value: Any  # (B,)
    lost: Any  # (B,), whether a value was NaN
    status: Any
    nit: Any
    nfev: Any


class _Settings(NamedTuple):
    xatol: float
    fatol: float
    maxiter: int
    maxfev: int
    stretch: float  # of the reflection, in an expansion
    contract: float
    shrink: float


class _Masks(NamedTuple):
    """Tells what becomes of the point that was tried, (B,)."""

    kept: Any  # it takes the place of the worst
    swapped: Any  # the reflection does, for the expansion led nowhere
    vertex: Any  # it was a vertex
    shrink: Any
    expand: Any  # an expansion comes next
    contract: Any


def _nelder_mead(
    objective: Objective,
    xatol: float,
    fatol: float,
    maxiter: int,
    maxfev: int,
    adaptive: bool,
) -> Method:
    def step(problems: Rows, s: _State) -> _State:
        p = int(s.trial.shape[1])
        coefficients = (1 + 2 / p, 0.75 - 1 / (2 * p), 1 - 1 / p) if adaptive else (2.0, 0.5, 0.5)
        settings = _Settings(xatol, fatol, maxiter, maxfev, *coefficients)
        return _step(objective, settings, problems, s)

    return Method(_start, step, _end)


def _start(problems: Rows) -> _State:
    points = _simplex(problems) if problems.simplex is None else problems.simplex
    xp = array_namespace(points)
    first = points[:, 0, :]
    infinite = xp.full_like(points[:, :, 0], xp.inf)
    zero = xp.zeros_like(points[:, 0, 0], dtype=xp.int32)
    return _State(
        points,
        infinite,
        first,
        zero + _VERTEX,
        zero,
        first,
        infinite[:, 0],
        zero != 0,
        zero + Outcome.RUNNING,
        zero,
        zero,
    )


def _simplex(problems: Rows) -> Any:
    """The first points (B, p + 1, p): a start, and from it along each axis, within bounds."""
    x0, lower, upper = problems[:3]
    xp = array_namespace(x0)
    eye = xp.eye(x0.shape[1], dtype=x0.dtype, device=device(x0))
    moved = xp.where(x0 == 0, xp.full_like(x0, 0.00025), 1.05 * x0)
    others = xp.where(eye == 1, moved[:, None, :], x0[:, None, :])
    if upper is not None:  # mirrored, not cut, so that it keeps its volume
        top = upper[:, None, :]
        others = xp.where(others > top, 2 * top - others, others)
    points = xp.concat([x0[:, None, :], others], axis=1)
    if lower is not None:
        points = xp.minimum(xp.maximum(points, lower[:, None, :]), upper[:, None, :])
    return points


def _end(s: _State) -> Found:
    # A round that maxfev broke off may have left the lowest point anywhere.
    xp = array_namespace(s.points)
    lowest = xp.argmin(s.values, axis=1, keepdims=True)
    x = _vertex(xp, s.points, lowest)
    f = take_along_axis(s.values, lowest, axis=1)[:, 0]
    f = xp.where(s.lost & (f == xp.inf), xp.full_like(f, xp.nan), f)  # as SciPy reports it
    return Found(x, f, None, s.status, s.nit, s.nfev, xp.zeros_like(s.nit), None)


def _step(objective: Objective, settings: _Settings, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.trial)
    f = objective.value(s.trial)
    nan = xp.isnan(f)
    f = xp.where(nan, xp.full_like(f, xp.inf), f)  # worse than any
    p = int(s.trial.shape[1])
    masks = _seen(xp, s, f)
    points, values = _placed(xp, settings, problems, s, f, masks)
    # The end of an iteration, or of the first round of vertices: in order, and looked at.
    complete = masks.kept | (masks.vertex & (s.vertex == p))
    points, values = _sorted(xp, points, values, complete)
    nit, nfev = xp.where(complete, s.nit + 1, s.nit), s.nfev + 1
    status = _judged(xp, settings, points, values, complete, nit, nfev)

    better = f < s.values[:, -1]
    number = xp.where(masks.shrink, xp.ones_like(s.vertex), s.vertex + 1)
    number = xp.minimum(number, xp.full_like(number, p))
    walking = masks.shrink | (masks.vertex & ~complete)
    trial = _next(xp, settings, points, better, masks, complete)
    trial = xp.where(walking[:, None], _vertex(xp, points, number[:, None]), trial)
    kind = xp.where(better, xp.full_like(s.kind, _OUTSIDE), xp.full_like(s.kind, _INSIDE))
    for mask, code in ((masks.expand, _EXPAND), (complete, _REFLECT), (walking, _VERTEX)):
        kind = xp.where(mask, xp.full_like(kind, code), kind)
    pending = masks.expand | masks.contract
    return _State(
        points,
        values,
        inside(trial, problems, xp),
        kind,
        number,
        xp.where(pending[:, None], s.trial, s.reflected),
        xp.where(pending, f, s.value),
        s.lost | nan,
        status,
        nit,
        nfev,
    )


def _seen(xp: Any, s: _State, f: Any) -> _Masks:
    best, second, worst = s.values[:, 0], s.values[:, -2], s.values[:, -1]
    reflect, expand = s.kind == _REFLECT, s.kind == _EXPAND
    outside, within = s.kind == _OUTSIDE, s.kind == _INSIDE
    to_expand = reflect & (f < best)
    plain = reflect & ~to_expand & (f < second)
    kept = plain | expand | (outside & (f <= s.value)) | (within & (f < worst))
    return _Masks(
        kept=kept,
        swapped=expand & ~(f < s.value),
        vertex=s.kind == _VERTEX,
        shrink=(outside | within) & ~kept,
        expand=to_expand,
        contract=reflect & ~to_expand & ~plain,
    )


def _placed(
    xp: Any, settings: _Settings, problems: Rows, s: _State, f: Any, masks: _Masks
) -> tuple[Any, Any]:
    """The simplex with the point that was tried, or shrunk."""
    p = int(s.trial.shape[1])
    numbers = xp.arange(p + 1, dtype=xp.int32, device=device(f))
    new = xp.where(masks.swapped[:, None], s.reflected, s.trial)
    new_f = xp.where(masks.swapped, s.value, f)
    which = xp.where(masks.kept, xp.full_like(s.vertex, p), s.vertex)
    here = (numbers == which[:, None]) & (masks.kept | masks.vertex)[:, None]
    points = xp.where(here[:, :, None], new[:, None, :], s.points)
    values = xp.where(here, new_f[:, None], s.values)
    toward = points[:, :1, :]
    smaller = toward + settings.shrink * (points - toward)
    if problems.lower is not None:
        lower, upper = problems.lower[:, None, :], problems.upper[:, None, :]
        smaller = xp.minimum(xp.maximum(smaller, lower), upper)
    smaller = xp.where(numbers[:, None] > 0, smaller, points)
    return xp.where(masks.shrink[:, None, None], smaller, points), values


def _sorted(xp: Any, points: Any, values: Any, complete: Any) -> tuple[Any, Any]:
    """The points in order of their values, where there are all of these."""
    order = xp.argsort(values, axis=1, stable=True)
    index = xp.broadcast_to(order[:, :, None], tuple(points.shape))
    in_order = take_along_axis(points, index, axis=1)
    return (
        xp.where(complete[:, None, None], in_order, points),
        xp.where(complete[:, None], take_along_axis(values, order, axis=1), values),
    )


def _judged(
    xp: Any, settings: _Settings, points: Any, values: Any, complete: Any, nit: Any, nfev: Any
) -> Any:
    spread = xp.max(xp.abs(points[:, 1:, :] - points[:, :1, :]), axis=(1, 2))
    rise = xp.max(xp.abs(values[:, 1:] - values[:, :1]), axis=1)
    best = values[:, 0]
    close = (spread <= settings.xatol) & (rise <= settings.fatol)
    return outcomes(
        best,
        ((complete & (nit >= settings.maxiter)) | (nfev >= settings.maxfev), Outcome.LIMIT),
        (complete & close, Outcome.CONVERGED),
        (complete & ~xp.isfinite(best), Outcome.NOT_FINITE),
        (complete & (best == -xp.inf), Outcome.UNBOUNDED),
    )


def _next(
    xp: Any, settings: _Settings, points: Any, better: Any, masks: _Masks, complete: Any
) -> Any:
    """The point to try: from the worst through the centre of the others."""
    centre = xp.sum(points[:, :-1, :], axis=1) / int(points.shape[2])
    worst = points[:, -1, :]
    length = xp.full_like(worst[:, 0], -settings.contract)
    length = xp.where(better, -length, length)
    length = xp.where(masks.expand, xp.full_like(length, settings.stretch), length)
    length = xp.where(complete, xp.ones_like(length), length)[:, None]
    return (1 + length) * centre - length * worst


def _vertex(xp: Any, points: Any, number: Any) -> Any:
    """The vertices (B, p) of these numbers (B, 1)."""
    count, _, p = points.shape
    index = xp.broadcast_to(number[:, :, None], (count, 1, p))
    return take_along_axis(points, index, axis=1)[:, 0, :]


METHOD = Row(
    "Nelder-Mead",
    _nelder_mead,
    {"xatol": 1e-4, "fatol": 1e-4, "maxiter": EACH, "maxfev": EACH, "adaptive": False}
    | {"initial_simplex": None},
    bounded=True,
    gradient=False,
    vectors=lambda p, options: 4 * p,
    first=1,
    routine=True,
)
