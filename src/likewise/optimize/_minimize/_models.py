"""Minimisation without derivatives by models that interpolate, within a trust region.

The models of objective and constraints take their values at a set of points: with p + 1 of them
they are linear, as in M. J. D. Powell, A direct search optimization method that models the
objective and constraint functions by linear interpolation, 1994; with more their second derivatives
change as little as the new values allow, as in M. J. D. Powell, Least Frobenius norm updating of
quadratic models that satisfy interpolation conditions, Math. Programming 100, 2004. A step is that
of sequential quadratic programming: T. M. Ragonneau, Model-based derivative-free optimization
methods and software, PhD thesis, 2022, chapter 5. It minimises the model of the Lagrangian, and a
multiple of the largest violation of the linearised constraints, in a box: a quadratic programme
with one more unknown, the violation. Radii and resolution follow M. J. D. Powell, The NEWUOA
software, 2006, sections 2 and 7.

A step of the loop evaluates one point of each problem; the state says what the point is for.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import eigh, solve
from ...missing import take_along_axis
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from .._constraints._canonical import violation
from .._quadratic._dual import quadratic
from ._method import Found, Rows, inside
from ._objective import Objective

__all__ = ["Setting", "by_models"]

_FIRST, _STEP, _SHAPE = range(3)  # what a point is for: the first set, a step, the set's shape
_FAR = 2.0  # radii: points farther from the best one than these are to be replaced
_BESIDE = 10.0  # times the last radius: so near to a point without a value an end is no minimum
_FLAT = 30.0  # times the root of the last radius: what is left of the gradient, relative to it
_LEAST, _MOST = 1e-2, 0.3  # the bounds of that
_POLISH = 6  # steps below the last resolution, towards the constraints


class Setting(NamedTuple):
    """Hold the options."""

    linear: bool
    radius: float
    last: float  # resolution
    feasible: float
    target: float
    maxfev: int
    maxiter: int


class _Set(NamedTuple):
    """Hold the points, n of them, and values there."""

    x: Any  # (B, n, p)
    f: Any  # (B, n)
    c: Any  # (B, n, m)
    v: Any  # (B, n), by how much constraints are broken at most
    known: Any  # (B, n), whether all that was finite


class _State(NamedTuple):
    points: _Set
    lower: Any  # bounds, or None
    upper: Any
    curve: Any  # (B, p, p), second derivatives of the models
    curves: Any  # (B, m, p, p)
    y: Any  # (B, m), multipliers
    z: Any  # (B, p)
    weight: Any  # (B,), of the violation
    radius: Any
    fine: Any  # the resolution
    trial: Any  # (B, p)
    kind: Any
    place: Any  # of the trial in the set, but for steps
    fall: Any  # what a step should gain
    length: Any  # of the step
    polished: Any
    edge: Any  # (B, p), the last point without a value
    proven: Any  # (B, p), where the set was last made anew
    made: Any  # how often it was, there
    status: Any
    nit: Any
    nfev: Any


class _Base(NamedTuple):
    """Hold the polynomials that are 1 at one point and 0 at others, about the best one."""

    best: Any  # (B, 1)
    x: Any  # (B, p)
    u: Any  # (B, n, p), the points from there, in units of the radius
    scale: Any  # (B,)
    solution: (
        Any  # (B, n + p + 1, n): weights of squares, values, slopes; linear: without the first
    )


def by_models(objective: Objective, setting: Setting) -> Method:
    def start(problems: Rows) -> _State:
        return _start(setting, problems)

    def step(problems: Rows, s: _State) -> _State:
        return _step(objective, setting, problems, s)

    return Method(start, step, lambda s: _end(setting, s))


# -- the set of points -----------------------------------------------------------------------------


def _start(setting: Setting, problems: Rows) -> _State:
    x0 = problems.x0
    xp = array_namespace(x0)
    count, p = x0.shape
    n = p + 1 if setting.linear else 2 * p + 1
    m = 0 if problems.low is None else int(problems.low.shape[1])
    radius = xp.full_like(x0[:, 0], setting.radius)
    if problems.lower is not None:
        room = problems.upper - problems.lower
        room = xp.min(xp.where(room > 0, room, xp.full_like(room, xp.inf)), axis=1)
        radius = xp.minimum(radius, 0.5 * room)
    eye = xp.eye(p, dtype=x0.dtype, device=device(x0))
    x = _around(xp, setting, problems, x0, radius)
    f = xp.full_like(x[:, :, 0], xp.inf)
    none = xp.zeros((count, m), dtype=x0.dtype, device=device(x0))
    zero = xp.zeros_like(radius, dtype=xp.int32)
    return _State(
        _Set(x, f, xp.zeros((count, n, m), dtype=x0.dtype, device=device(x0)), f, f == xp.inf),
        problems.lower,
        problems.upper,
        xp.zeros_like(x0)[:, :, None] * eye,
        none[:, :, None, None] * eye,
        none,
        xp.zeros_like(x0),
        xp.zeros_like(radius),
        radius,
        radius,
        x0,
        zero + _FIRST,
        zero,
        xp.zeros_like(radius),
        xp.zeros_like(radius),
        zero,
        xp.full_like(x0, xp.inf),
        xp.full_like(x0, xp.inf),
        zero,
        zero + Outcome.RUNNING,
        zero,
        zero,
    )


def _around(xp: Any, setting: Setting, problems: Rows, x: Any, radius: Any) -> Any:
    """The points x (B, p), and along each axis one, or two, at this distance: (B, n, p)."""
    eye = xp.eye(int(x.shape[1]), dtype=x.dtype, device=device(x))
    side = xp.zeros_like(x) + radius[:, None]
    if problems.lower is not None:
        side = xp.where(x + side > problems.upper, -side, side)
    parts = [x[:, None, :], x[:, None, :] + eye * side[:, :, None]]
    if not setting.linear:
        other = -side
        if problems.lower is not None:
            out = (x + other < problems.lower) | (x + other > problems.upper)
            other = xp.where(out, 2 * side, other)
        parts.append(x[:, None, :] + eye * other[:, :, None])
    return xp.concat(parts, axis=1)


def _at(xp: Any, a: Any, index: Any) -> Any:
    """Take of (B, n, ...) the entries at (B, 1)."""
    shape = (a.shape[0], 1, *a.shape[2:])
    wide = xp.broadcast_to(xp.reshape(index, (a.shape[0], 1) + (1,) * (a.ndim - 2)), shape)
    return take_along_axis(a, wide, axis=1)[:, 0, ...]


def _put(xp: Any, a: Any, mask: Any, new: Any) -> Any:
    """Replace of (B, n, ...) the entries of a mask (B, n) by (B, ...)."""
    wide = xp.reshape(mask, tuple(mask.shape) + (1,) * (a.ndim - 2))
    return xp.where(wide, new[:, None, ...], a)


# -- models ----------------------------------------------------------------------------------------


def _base(xp: Any, setting: Setting, x: Any, best: Any, scale: Any) -> _Base:
    centre = _at(xp, x, best)
    u = (x - centre[:, None, :]) / scale[:, None, None]
    n = int(x.shape[1])
    eye = xp.eye(n, dtype=x.dtype, device=device(x))
    flat = xp.concat([xp.ones_like(u[:, :, :1]), u], axis=2)
    if setting.linear:
        right = xp.zeros_like(u[:, :, :1]) + eye
        return _Base(best, centre, u, scale, solve(flat, right))
    squares = 0.5 * xp.matmul(u, xp.matrix_transpose(u)) ** 2
    below = xp.matrix_transpose(flat)
    empty = xp.matmul(below, flat) * 0
    matrix = xp.concat(
        [xp.concat([squares, flat], axis=2), xp.concat([below, empty], axis=2)], axis=1
    )
    right = xp.concat([xp.zeros_like(u[:, :, :1]) + eye, 0 * below], axis=1)
    return _Base(best, centre, u, scale, solve(matrix, right))


def _polynomials(xp: Any, setting: Setting, base: _Base, x: Any) -> Any:
    """The values of all polynomials at x (B, p): (B, n)."""
    u = (x - base.x) / base.scale[:, None]
    parts = [xp.ones_like(u[:, :1]), u]
    if not setting.linear:
        parts.insert(0, 0.5 * xp.matmul(base.u, u[:, :, None])[:, :, 0] ** 2)
    row = xp.concat(parts, axis=1)
    return xp.matmul(row[:, None, :], base.solution)[:, 0, :]


def _model(xp: Any, setting: Setting, base: _Base, values: Any, curve: Any) -> tuple[Any, Any]:
    """Slopes (B, k, p) and second derivatives (B, k, p, p) of models of values (B, n, k)."""
    n = int(base.u.shape[1])
    if setting.linear:
        weights = xp.matmul(base.solution, values)
        return xp.matrix_transpose(weights[:, 1:, :]) / base.scale[:, None, None], curve
    d = base.u * base.scale[:, None, None]
    old = 0.5 * xp.sum(xp.matmul(d[:, None, :, :], curve) * d[:, None, :, :], axis=3)
    weights = xp.matmul(base.solution, values - xp.matrix_transpose(old))
    slopes = xp.matrix_transpose(weights[:, n + 1 :, :]) / base.scale[:, None, None]
    lift = xp.matrix_transpose(weights[:, :n, :])[:, :, :, None] * base.u[:, None, :, :]
    change = xp.matmul(xp.matrix_transpose(lift), base.u[:, None, :, :])
    return slopes, curve + change / (base.scale * base.scale)[:, None, None, None]


# -- a step of the loop ----------------------------------------------------------------------------


def _step(objective: Objective, setting: Setting, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.trial)
    x = inside(s.trial, problems, xp)
    f = objective.value(x)
    c = s.points.c[:, 0, :]
    if objective.constraints is not None:
        c = objective.constraints.values(x, problems.matrix)
    known = xp.isfinite(f) & xp.all(xp.isfinite(c), axis=1)
    if problems.low is not None:
        known = known & ~xp.any(xp.isnan(problems.low) | xp.isnan(problems.high), axis=1)
    points, ratio = _taken(xp, setting, problems, s, f, c, known)
    n = int(points.f.shape[1])
    nfev = s.nfev + 1
    first = s.kind == _FIRST
    unfinished = first & (s.place < n - 1)
    radius = _resized(xp, s, ratio)

    # Models about the best point.
    merit = points.f + s.weight[:, None] * points.v
    best = xp.argmin(merit, axis=1, keepdims=True)
    base = _base(xp, setting, points.x, best, radius)
    values = xp.concat([points.f[:, :, None], points.c], axis=2)
    old = xp.concat([s.curve[:, None, :, :], s.curves], axis=1)
    slopes, curves = _model(xp, setting, base, values, old)
    g, jac = slopes[:, 0, :], slopes[:, 1:, :]
    curve, curves = curves[:, 0, :, :], curves[:, 1:, :, :]
    c_best, v_best = _at(xp, points.c, best), _at(xp, points.v, best)
    weight = _weight(xp, s, g, jac)
    bent = curve - xp.sum(s.y[:, :, None, None] * curves, axis=1)
    d, y, z, left = _planned(xp, setting, problems, base.x, g, bent, jac, c_best, weight, radius)
    if int(y.shape[1]):
        total = xp.sum(xp.abs(y), axis=1)
        cap = 1e10 * (1 + xp.sqrt(xp.sum(g * g, axis=1)))
        weight = xp.where((total > 0.6 * weight) & (weight < cap), 2 * weight, weight)
    bd = xp.matmul(bent, d[:, :, None])[:, :, 0]
    fall = weight * (v_best - left) - xp.sum(d * (g + 0.5 * bd), axis=1)
    length = xp.sqrt(xp.sum(d * d, axis=1))
    eps = float(xp.finfo(f.dtype).eps)
    short = (length < 0.5 * s.fine) | ~(fall > 0) | ~xp.all(xp.isfinite(d), axis=1)

    # What comes next.
    away = points.x - base.x[:, None, :]
    away = xp.sqrt(xp.sum(away * away, axis=2))
    farthest = xp.argmax(away, axis=1, keepdims=True)
    far = xp.max(away, axis=1) > _FAR * xp.maximum(radius, s.fine)
    poor = (s.kind == _STEP) & ~(ratio > 0.1)
    stuck = poor | short
    finer = stuck & ~far & (short | (radius <= s.fine)) & ~first
    last = max(setting.last, eps**0.5)  # below, differences of values are of rounding
    over = finer & (s.fine <= 1.0001 * last)
    allowed = _allowed(xp, setting, f)
    violated = v_best > allowed
    # What multipliers leave of the slopes is held by the region alone: it may lead on.
    rest = g - xp.sum(y[:, :, None] * jac, axis=1) - z
    flat = min(max(_LEAST, _FLAT * setting.last**0.5), _MOST)
    top = flat * (1 + xp.max(xp.abs(g), axis=1))
    steep = setting.linear & (xp.max(xp.abs(rest), axis=1) > top)
    found, held = _lowest(xp, points, allowed)
    apart = xp.max(xp.abs(_at(xp, points.x, found) - base.x), axis=1) > _BESIDE * s.fine
    polish = over & violated & (fall > 0) & (length > eps) & (s.polished < _POLISH)
    # A search ends where those from a set that is made anew end as well: with second derivatives as
    # they are, and without. Linear models have none, and are of few points.
    moved = xp.max(xp.abs(base.x - s.proven), axis=1) > 4 * s.fine
    again = over & ~polish & (moved | (s.made < 2)) & (not setting.linear)
    blank = again & ~moved
    anew = _anew(xp, setting, problems, points, best, s.fine)
    fine = xp.where(finer & ~over, _finer(xp, s.fine, last), s.fine)
    radius = xp.where(finer & ~over, xp.maximum(0.5 * s.fine, fine), radius)
    shape = ((stuck & far) | (finer & ~over & short)) & ~polish
    other = _shaped(xp, setting, problems, base, farthest, radius)
    trial = xp.where(shape[:, None], other, base.x + d)
    place = xp.where(shape, xp.astype(farthest[:, 0], s.place.dtype), s.place)
    kind = xp.where(shape, xp.full_like(s.kind, _SHAPE), xp.full_like(s.kind, _STEP))
    # A set that is begun is finished first.
    points = _Set(*(_chosen(xp, again, a, b) for a, b in zip(anew, points, strict=True)))
    more = unfinished | again
    following = xp.where(again, xp.ones_like(s.place), s.place + 1)
    following = xp.minimum(following, xp.full_like(following, n - 1))
    begun = more[:, None]
    nit = xp.where(s.kind == _STEP, s.nit + 1, s.nit)
    ended = over & ~polish & ~again
    edge = xp.where(known[:, None], s.edge, x)
    beside = xp.max(xp.abs(base.x - edge), axis=1) <= _BESIDE * s.fine
    status = outcomes(
        f,
        ((nfev >= setting.maxfev) | (nit >= setting.maxiter), Outcome.LIMIT),
        (ended, Outcome.CONVERGED),
        (ended & ((violated & apart) | steep), Outcome.PRECISION),
        (ended & violated & ~held, Outcome.INFEASIBLE),
        # Points in one plane, or next to some where there is no value.
        (
            ended & (beside | ~(xp.all(xp.isfinite(g), axis=1) & xp.all(points.known, axis=1))),
            Outcome.PRECISION,
        ),
        (
            known & (f <= setting.target) & (_broken(xp, problems, c) <= allowed),
            Outcome.CONVERGED,
        ),
        (known & (f < -(float(xp.finfo(f.dtype).max) ** 0.5)), Outcome.UNBOUNDED),
        (first & (s.place == 0) & ~known, Outcome.NOT_FINITE),
    )
    return _State(
        points,
        s.lower,
        s.upper,
        _chosen(xp, more, _chosen(xp, blank, 0 * s.curve, s.curve), curve),
        _chosen(xp, more, _chosen(xp, blank, 0 * s.curves, s.curves), curves),
        xp.where(begun, s.y, y),
        xp.where(begun, s.z, z),
        xp.where(more, s.weight, weight),
        xp.where(more, s.radius, radius),
        xp.where(more, s.fine, fine),
        xp.where(begun, _at(xp, points.x, following[:, None]), trial),
        xp.where(more, xp.full_like(s.kind, _FIRST), kind),
        xp.where(more, following, place),
        fall,
        xp.max(xp.abs(d), axis=1),
        xp.where(polish, s.polished + 1, s.polished),
        edge,
        xp.where(again[:, None], base.x, s.proven),
        xp.where(again, xp.where(moved, xp.ones_like(s.made), xp.full_like(s.made, 2)), s.made),
        status,
        nit,
        nfev,
    )


def _anew(xp: Any, setting: Setting, problems: Rows, old: _Set, best: Any, radius: Any) -> _Set:
    """The set about the best point: of the others nothing is known yet."""
    x, f, c, v, known = (_at(xp, a, best)[:, None, ...] for a in old)
    x = _around(xp, setting, problems, x[:, 0, :], radius)
    first = xp.arange(int(x.shape[1]), device=device(x)) == 0
    f = xp.where(first, f, xp.full_like(old.f, xp.inf))
    return _Set(x, f, c + 0 * old.c, xp.where(first, v, f), known | ~first)


def _chosen(xp: Any, mask: Any, new: Any, old: Any) -> Any:
    """Take the rows of a mask (B,) of one or the other."""
    return xp.where(xp.reshape(mask, (-1,) + (1,) * (old.ndim - 1)), new, old)


def _broken(xp: Any, problems: Rows, c: Any) -> Any:
    if problems.low is None:
        return xp.zeros_like(problems.x0[:, 0])
    return violation(c, problems.low, problems.high)


def _taken(
    xp: Any, setting: Setting, problems: Rows, s: _State, f: Any, c: Any, known: Any
) -> tuple[_Set, Any]:
    """The set with the trial point, and which part of its promise that has gained."""
    x, values, rows, v, _ = s.points
    n = int(x.shape[1])
    numbers = xp.arange(n, dtype=xp.int32, device=device(x))
    seen = xp.isfinite(values)
    merit = xp.where(seen, values + s.weight[:, None] * v, values)
    best = xp.argmin(merit, axis=1, keepdims=True)
    least = take_along_axis(merit, best, axis=1)[:, 0]
    # What isn't finite is worse than all that is known, but not so that it spoils the models.
    top = xp.max(xp.where(seen, values, xp.full_like(values, -xp.inf)), axis=1)
    low = xp.min(xp.where(seen, values, xp.full_like(values, xp.inf)), axis=1)
    worse = xp.where(xp.any(seen, axis=1), top + 2 * (top - low) + 1, xp.ones_like(top))
    f = xp.where(known | (s.nfev == 0), f, worse)
    old = _at(xp, rows, best)
    c = xp.where(known[:, None], c, old)
    now = _broken(xp, problems, c)
    gain = least - (f + s.weight * now)
    better = gain > 0
    eps = float(xp.finfo(f.dtype).eps)
    noise = eps * (xp.abs(least) + 1)
    ratio = xp.where(s.fall > 0, gain / xp.where(s.fall > 0, s.fall, 1.0), -1.0)
    ratio = xp.where((s.fall <= noise) & (xp.abs(gain) <= noise), 0.0 * ratio, ratio)
    # A step replaces the point without which the set remains best spread.
    base = _base(xp, setting, x, best, s.radius)
    spread = xp.abs(_polynomials(xp, setting, base, s.trial))
    centre = xp.where(better[:, None], s.trial, base.x)
    away = x - centre[:, None, :]
    away = xp.sqrt(xp.sum(away * away, axis=2)) / s.radius[:, None]
    worth = spread * xp.maximum(away, xp.ones_like(away)) ** 2
    held = (numbers == xp.astype(best, numbers.dtype)) & ~better[:, None]
    worth = xp.where(held | ~xp.isfinite(worth), xp.full_like(worth, -1.0), worth)
    which = xp.astype(xp.argmax(worth, axis=1), s.place.dtype)
    fits = (s.kind != _STEP) | (xp.max(worth, axis=1) > 1e-6)
    place = xp.where(s.kind == _STEP, which, s.place)
    here = (numbers == place[:, None]) & fits[:, None]
    new = (s.trial, f, c, now, known)
    return _Set(*(_put(xp, a, here, b) for a, b in zip(s.points, new, strict=True))), ratio


def _resized(xp: Any, s: _State, ratio: Any) -> Any:
    """The radius that the models have earned."""
    radius = xp.where(ratio <= 0.1, 0.5 * s.radius, s.radius)
    radius = xp.where(ratio > 0.7, xp.maximum(s.radius, 2 * s.length), radius)
    radius = xp.where(radius <= 1.5 * s.fine, s.fine, radius)
    return xp.where(s.kind == _STEP, radius, s.radius)


def _finer(xp: Any, fine: Any, last: float) -> Any:
    """The next resolution."""
    end = xp.full_like(fine, last)
    middle = xp.sqrt(fine * last)
    return xp.where(fine > 250 * last, 0.1 * fine, xp.where(fine > 16 * last, middle, end))


def _weight(xp: Any, s: _State, g: Any, jac: Any) -> Any:
    """The first weight of violations, as slopes compare."""
    if int(jac.shape[1]) == 0:
        return s.weight
    size = xp.max(xp.sqrt(xp.sum(jac * jac, axis=2)), axis=1)
    first = xp.sqrt(xp.sum(g * g, axis=1)) / xp.where(size > 0, size, 1.0)
    return xp.where(s.weight > 0, s.weight, 2 * first + 1e-3)


def _planned(
    xp: Any,
    setting: Setting,
    problems: Rows,
    x: Any,
    g: Any,
    bent: Any,
    jac: Any,
    c: Any,
    weight: Any,
    radius: Any,
) -> tuple[Any, Any, Any, Any]:
    """The step (B, p), multipliers of constraints and bounds, and the violation that is left."""
    p, m = int(x.shape[1]), int(jac.shape[1])
    eps = float(xp.finfo(x.dtype).eps)
    unit = radius[:, None]
    lower, upper = xp.zeros_like(x) - 1, xp.zeros_like(x) + 1
    if problems.lower is not None:
        lower = xp.minimum(xp.maximum((problems.lower - x) / unit, lower), upper)
        upper = xp.maximum(xp.minimum((problems.upper - x) / unit, upper), lower)
    slope, hessian = unit * g, unit[:, :, None] ** 2 * bent
    steep = xp.abs(slope)
    if m == 0 and setting.linear:  # slopes that bounds don't hold up
        held = ((lower == 0) & (slope > 0)) | ((upper == 0) & (slope < 0))
        steep = xp.where(held, xp.zeros_like(steep), steep)
    size = xp.max(steep, axis=1) + xp.max(xp.abs(hessian), axis=(1, 2))
    size = xp.where((size > 0) & xp.isfinite(size), size, 1.0)
    slope, hessian = slope / size[:, None], hessian / size[:, None, None]
    eye = xp.eye(p, dtype=x.dtype, device=device(x))
    # Of linear models: little, so that steps reach the box along constraints; without these, as
    # much as makes it the way down the gradient.
    least = max(1e-8, eps**0.5) if not setting.linear else 1e-3 if m else 1.0
    if setting.linear:
        hessian = least * eye + xp.zeros_like(hessian)
    else:
        finite = xp.all(xp.isfinite(hessian), axis=(1, 2))
        values, vectors = eigh(xp.where(finite[:, None, None], hessian, eye))
        values = xp.maximum(xp.abs(values), xp.full_like(values, least))
        hessian = xp.matmul(vectors * values[:, None, :], xp.matrix_transpose(vectors))
    if m == 0:
        none = xp.zeros_like(x)[:, None, :][:, :0, :]
        found = quadratic(hessian, slope, none, none[:, :, 0], none[:, :, 0], lower, upper)
        z = _of_bounds(problems, x, found.x * unit, found.z * (size[:, None] / unit))
        return found.x * unit, none[:, :, 0], z, xp.zeros_like(radius)
    # The violation is an unknown, in units of what it may be.
    rows = jac * unit[:, :, None]
    now = violation(c, problems.low, problems.high)
    reach = now + xp.max(xp.sqrt(xp.sum(rows * rows, axis=2)), axis=1)
    reach = xp.where((reach > 0) & xp.isfinite(reach), reach, 1.0)
    cost = weight * reach / size
    side = xp.ones_like(rows[:, :, :1])
    rows = rows / reach[:, None, None]
    both = xp.concat([xp.concat([rows, side], axis=2), xp.concat([rows, -side], axis=2)], axis=1)
    low, high = (problems.low - c) / reach[:, None], (problems.high - c) / reach[:, None]
    open_ = xp.full_like(low, xp.inf)
    lows, highs = xp.concat([low, -open_], axis=1), xp.concat([open_, high], axis=1)
    corner = xp.zeros_like(hessian[:, :, :1])
    bottom = xp.concat([xp.matrix_transpose(corner), 0.01 * cost[:, None, None]], axis=2)
    h = xp.concat([xp.concat([hessian, corner], axis=2), bottom], axis=1)
    wide = xp.concat([slope, cost[:, None]], axis=1)
    nothing, top = xp.zeros_like(cost)[:, None], xp.full_like(cost, xp.inf)[:, None]
    lower, upper = xp.concat([lower, nothing], axis=1), xp.concat([upper, top], axis=1)
    found = quadratic(h, wide, both, lows, highs, lower, upper)
    # Beside a large weight, rounding leads out of the box.
    d = xp.minimum(xp.maximum(found.x, lower), upper)[:, :p] * unit
    y = (found.y[:, :m] + found.y[:, m:]) * (size / reach)[:, None]
    z = _of_bounds(problems, x, d, found.z[:, :p] * (size[:, None] / unit))
    left = violation(c + xp.matmul(jac, d[:, :, None])[:, :, 0], problems.low, problems.high)
    return d, y, z, left


def _of_bounds(problems: Rows, x: Any, d: Any, z: Any) -> Any:
    """Multipliers of bounds, without those of the region."""
    xp = array_namespace(x)
    if problems.lower is None:
        return xp.zeros_like(z)
    eps = 4 * float(xp.finfo(x.dtype).eps) * (1 + xp.abs(x))
    there = ((z > 0) & (x + d <= problems.lower + eps)) | (
        (z < 0) & (x + d >= problems.upper - eps)
    )
    return xp.where(there, z, xp.zeros_like(z))


def _shaped(xp: Any, setting: Setting, problems: Rows, base: _Base, which: Any, radius: Any) -> Any:
    """A point for the set's shape: where the polynomial of the point that it replaces is large."""
    p = int(base.x.shape[1])
    columns = xp.matrix_transpose(base.solution)
    slope = _at(xp, columns, which)[:, -p:]
    size = xp.sqrt(xp.sum(slope * slope, axis=1))[:, None]
    ball = radius[:, None] * slope / xp.where(size > 0, size, 1.0)
    corner = radius[:, None] * xp.where(slope >= 0, xp.ones_like(slope), -xp.ones_like(slope))
    best, most = base.x, xp.full_like(radius, -1.0)
    for d in (ball, -ball, corner / p**0.5, -corner / p**0.5):
        x = base.x + d
        if problems.lower is not None:
            # Of a variable that is fixed, the models have points at other values, too; the function
            # is called at the one.
            fixed = problems.lower == problems.upper
            x = xp.where(fixed, x, inside(x, problems, xp))
        value = xp.abs(_at(xp, _polynomials(xp, setting, base, x), which))
        larger = value > most
        best, most = xp.where(larger[:, None], x, best), xp.where(larger, value, most)
    return best


def _allowed(xp: Any, setting: Setting, f: Any) -> float:
    """Return the violation that is none: in single precision rounding makes of it more."""
    return max(setting.feasible, 10 * float(xp.finfo(f.dtype).eps))


def _lowest(xp: Any, points: _Set, allowed: float) -> tuple[Any, Any]:
    """Return the lowest point (B, 1) that fulfils the constraints, and if there is one (B,)."""
    good = (points.v <= allowed) & xp.isfinite(points.f)
    values = xp.where(good, points.f, xp.full_like(points.f, xp.inf))
    return xp.argmin(values, axis=1, keepdims=True), xp.any(good, axis=1)


def _end(setting: Setting, s: _State) -> Found:
    x, f, c, v, _ = s.points
    xp = array_namespace(x)
    # The lowest point that fulfils the constraints, or else the one that the search takes for best.
    merit = xp.where(xp.isfinite(f), f + s.weight[:, None] * v, f)
    found, held = _lowest(xp, s.points, _allowed(xp, setting, f))
    best = xp.where(held[:, None], found, xp.argmin(merit, axis=1, keepdims=True))
    x, f, v = _at(xp, x, best), _at(xp, f, best), _at(xp, v, best)
    if s.lower is not None:
        x = xp.minimum(xp.maximum(x, s.lower), s.upper)
    v = xp.where(s.status == Outcome.NOT_FINITE, xp.full_like(v, xp.nan), v)
    y, z = (s.y, s.z) if int(c.shape[2]) else (None, None)
    return Found(x, f, None, s.status, s.nit, s.nfev, xp.zeros_like(s.nit), None, y, z, v)
