"""A trust region for constraints: steps of Byrd and Omojokun, and a barrier for inequalities.

R. H. Byrd, M. E. Hribar, J. Nocedal, An interior point algorithm for large-scale nonlinear
programming, SIAM J. Optim. 9(4), 1999. Rows of inequalities get a slack each, within the row's two
sides; bounds keep the variables themselves inside. The trust region is a ball where each unknown is
divided by its distance to its sides, if that is short. The barrier parameter falls as in A.
Waechter, L. T. Biegler, Math. Programming 106(1), 2006, (7); the ratio of decreases allows for
rounding as in A. R. Conn, N. I. M. Gould, P. L. Toint, Trust-Region Methods, section 17.4.2.
Without exact second derivatives: BFGS damped as in J. Nocedal, S. J. Wright, Numerical
Optimization, 2nd ed., procedure 18.2, or SR1, (6.24), of the Lagrangian.

The unknowns of a problem are one vector: the variables, and the slacks of all rows, if a row may be
an inequality. What is equal on both sides stays where it is.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....solving._driver import Method
from ....solving._outcome import Outcome, outcomes
from ..._steps._trust_region import dot, norm
from .._byrd_omojokun import (
    Region,
    columns,
    linearised,
    normal_step,
    part,
    tangential_step,
)
from .._byrd_omojokun import Rows as Matrix
from .._method import Found, Row, Rows
from .._objective import Objective

__all__ = ["METHOD"]

_TAU = 0.995  # of the way to a side: as far as a step goes
_TAKEN = 1e-8  # of the predicted decrease: what a step must reach to be taken
_SHARE = 0.3  # of the penalised violation's decrease, that steps must reach
_FLAT = 1e-5  # of the rows' derivatives: with so little slope their violation can't be lessened
_ROUNDING = 10.0  # times eps: how wrong values may be, relatively
_HIDDEN = 20  # steps whose decreases rounding hides, in a row, that a barrier parameter gets
_PATIENCE = 150  # iterations without a tenth of the violation less
_INSIDE = 1e-2  # how far from its bounds a start is moved, relatively


class _Setting(NamedTuple):
    gtol: float
    xtol: float
    barrier_tol: float
    maxiter: int
    initial_tr_radius: float
    initial_constr_penalty: float
    initial_barrier_parameter: float
    initial_barrier_tolerance: float
    hessian: str = "exact"


class _State(NamedTuple):
    u: Any  # (B, n), the variables and slacks
    f: Any
    g: Any
    c: Any  # (B, m); None without constraints
    jac: Any
    y: Any  # multipliers of the rows
    z: Any  # multipliers of the bounds; None without bounds
    inverse: Any
    curvature: Any  # (B, p, p), an estimate; None where products are exact
    mu: Any
    enough: Any  # the error at which the barrier parameter falls
    radius: Any
    penalty: Any
    corrected: Any  # (B, n), a trial that allows for the rows' curvature
    decrease: Any  # what is predicted of it
    pending: Any  # whether it is the next trial
    hidden: Any  # steps in a row whose decreases rounding hides
    status: Any
    nit: Any
    nfev: Any
    products: Any  # with second derivatives
    optimality: Any
    violation: Any
    least: Any  # the violation at best
    since: Any  # the iteration that found it, nearly


class _Sides(NamedTuple):
    """Hold how far the unknowns are from their sides: infinity where there is none."""

    below: Any  # (B, n)
    above: Any
    fixed: Any

    def barrier(self, mu: Any) -> Any:
        """Return the barrier's values (B,)."""
        xp = array_namespace(mu)
        return -mu * xp.sum(_logarithms(xp, self.below) + _logarithms(xp, self.above), axis=1)

    def slope(self, mu: Any) -> Any:
        """Return its gradients."""
        return mu[:, None] / self.above - mu[:, None] / self.below

    def scale(self, p: int) -> Any:
        """Return the lengths that are one in the trust region: 0 for what stays."""
        xp = array_namespace(self.below)
        wide = xp.ones_like(self.below)
        if int(wide.shape[1]) > p:
            wide = xp.concat([wide[:, :p], xp.zeros_like(wide[:, p:])], axis=1)
        size = wide + self.below**-2 + self.above**-2
        some = size > 0
        length = 1 / xp.sqrt(xp.where(some, size, xp.ones_like(size)))
        return xp.where(self.fixed, xp.zeros_like(length), length)

    def curvature(self, r: Any, mu: Any) -> Any:
        """Return the matrix of the primal-dual system, for multipliers whose differences are `r`.

        The multiplier that the sign of `r` points at takes the difference.
        """
        xp = array_namespace(r)
        low, high = mu[:, None] / self.below, mu[:, None] / self.above
        positive = r > 0
        below = xp.where(positive, r + high, low) / self.below
        above = xp.where(positive, high, low - r) / self.above
        return below + above

    def multipliers(self, r: Any) -> Any:
        """Return the multipliers of the sides that explain `r`, in one array."""
        xp = array_namespace(r)
        there = xp.where(r > 0, xp.isfinite(self.below), xp.isfinite(self.above)) | self.fixed
        return xp.where(there, r, xp.zeros_like(r))

    def unmet(self, r: Any) -> Any:
        """Return by how much the conditions of a minimum fail: the parts of `r` by room left."""
        xp = array_namespace(r)
        one = xp.ones_like(r)
        room = xp.where(r > 0, xp.minimum(self.below, one), xp.minimum(self.above, one))
        room = xp.where(self.fixed, xp.zeros_like(r), room)
        return xp.max(xp.abs(r) * room, axis=1)


def _logarithms(xp: Any, distance: Any) -> Any:
    there = (distance > 0) & xp.isfinite(distance)
    return xp.log(xp.where(there, distance, xp.ones_like(distance)))


class _Form:
    """Say how a problem's unknowns are laid out."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.rows: Any = objective.constraints
        self.count: int = 0 if self.rows is None else self.rows.count
        kinds = () if self.rows is None else self.rows.kinds
        self.slack = any(kind != "eq" for kind in kinds)
        self.keeps = self.slack and any(() if self.rows is None else self.rows.kept)

    @property
    def exact(self) -> bool:
        """Tell if products with second derivatives are to be had."""
        objective, known = self.objective, {"hess", "hessp"}
        found = not isinstance(objective.jac, str) or bool(known & objective.given.keys())
        curved = () if self.rows is None else self.rows.curved
        return found and all(c.hess is not None or not isinstance(c.jac, str) for c in curved)

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything on which a step depends."""
        return (self.objective, self.rows, self.count, self.slack), False

    def limits(self, problems: Rows) -> tuple[Any, Any] | None:
        """Return the unknowns' sides, (B, n) each; None where there are none."""
        x0, lower, upper = problems.x0, problems.lower, problems.upper
        if lower is None and not self.slack:
            return None
        xp = array_namespace(x0)
        if lower is None:
            lower, upper = xp.full_like(x0, -xp.inf), xp.full_like(x0, xp.inf)
        if not self.slack:
            return lower, upper
        return (
            xp.concat([lower, problems.low], axis=1),
            xp.concat([upper, problems.high], axis=1),
        )

    def evaluated(self, problems: Rows, x: Any) -> tuple[Any, Any, Any, Any]:
        """Return values, gradients, rows and their derivatives."""
        f, g = self.objective.value_and_gradient(x, problems.lower, problems.upper)
        if not self.count:
            return f, g, None, None
        lower, upper = problems.lower, problems.upper
        c, jac = self.rows.values_and_jacobian(x, problems.matrix, lower, upper)
        if lower is not None and not self.exact:  # differences along no way at all
            xp = array_namespace(jac)
            known = ~(lower == upper)[:, None, :] | xp.isfinite(jac)
            jac = xp.where(known, jac, xp.zeros_like(jac))
        return f, g, c, jac

    def inside(self, problems: Rows, x: Any, to: Any) -> tuple[Any, Any]:
        """Return `x`, or `to` where a row that must hold everywhere doesn't at `x`; and where."""
        xp = array_namespace(x)
        broken = xp.any(self.rows.left(x, problems.low, problems.high, problems.matrix), axis=1)
        return xp.where(broken[:, None], to, x), broken

    def missed(self, problems: Rows, c: Any, u: Any) -> Any:
        """Return the rows' distance from their slacks, or from what they must equal."""
        return c - (u[:, -self.count :] if self.slack else problems.low)

    def violated(self, problems: Rows, c: Any) -> Any:
        """Return the largest violation of the constraints."""
        xp = array_namespace(c)
        return xp.max(
            xp.maximum(xp.maximum(problems.low - c, c - problems.high), xp.zeros_like(c)), axis=1
        )

    def residual(self, g: Any, jac: Any, y: Any) -> Any:
        """Return the Lagrangian's gradient by the unknowns."""
        if not self.count:
            return g
        g = g - columns(jac, y)
        return array_namespace(g).concat([g, y], axis=1) if self.slack else g

    def product(self, x: Any, y: Any, v: Any, estimate: Any) -> Any:
        """Return the product of the Lagrangian's second derivatives with `v` (B, p)."""
        if estimate is not None:
            return columns(estimate, v)
        out = self.objective.hessian_product(x, v)
        if self.count and not all(self.rows.linear):
            out = out + self.rows.hessian_product(x, -y, v)
        return out


def _trust_constr(objective: Objective, **options: Any) -> Method:
    setting, form = _Setting(**options), _Form(objective)
    if setting.hessian == "exact" and not form.exact:
        setting = setting._replace(hessian="BFGS")

    def start(problems: Rows) -> _State:
        return _start(form, setting, problems)

    def step(problems: Rows, s: _State) -> _State:
        return _step(form, setting, problems, s)

    return Method(start, step, lambda s: _end(form, s))


def _end(form: _Form, s: _State) -> Found:
    p = int(s.g.shape[1])
    x = s.u[:, :p]
    found = Found(x, s.f, s.g, s.status, s.nit, s.nfev, s.nfev, None, s.y, s.z, s.violation)
    return found._replace(
        optimality=s.optimality,
        radius=s.radius,
        penalty=s.penalty,
        barrier=s.mu,
        products=s.products,
    )


def _start(form: _Form, setting: _Setting, problems: Rows) -> _State:
    xp = array_namespace(problems.x0)
    p = int(problems.x0.shape[1])
    limits = form.limits(problems)
    x = problems.x0
    if limits is not None:
        x = _inward(xp, x, limits[0][:, :p], limits[1][:, :p], _INSIDE)
    if form.keeps:
        for share in (0.1, 0.001, 0.0):
            x, _ = form.inside(problems, x, problems.x0 + share * (x - problems.x0))
    f, g, c, jac = form.evaluated(problems, x)
    finite = xp.isfinite(f) & xp.all(xp.isfinite(g), axis=1)
    u, any_ = x, xp.zeros_like(finite)
    if form.count:
        finite = finite & xp.all(xp.isfinite(c), axis=1)
        finite = finite & xp.all(xp.isfinite(jac), axis=(1, 2))
    if form.slack:
        slack = xp.where(xp.isfinite(c), c, xp.zeros_like(c))
        u = xp.concat([x, _inward(xp, slack, problems.low, problems.high, 1.0)], axis=1)
    if limits is not None:
        barred = (limits[0] != limits[1]) & (xp.isfinite(limits[0]) | xp.isfinite(limits[1]))
        any_ = xp.any(barred, axis=1)
    mu = xp.where(any_, xp.full_like(f, setting.initial_barrier_parameter), xp.zeros_like(f))
    zero = xp.zeros_like(f, dtype=xp.int32)
    estimate = None
    if setting.hessian != "exact":
        eye = xp.eye(p, dtype=x.dtype, device=device(x))
        estimate = xp.ones_like(f)[:, None, None] * eye
    s = _State(
        u=u,
        f=f,
        g=g,
        c=c,
        jac=jac,
        y=None if c is None else xp.zeros_like(c),
        z=None,
        inverse=None,
        curvature=estimate,
        mu=mu,
        enough=xp.full_like(f, setting.initial_barrier_tolerance),
        radius=xp.full_like(f, setting.initial_tr_radius),
        penalty=xp.full_like(f, setting.initial_constr_penalty),
        corrected=xp.zeros_like(u),
        decrease=xp.zeros_like(f),
        pending=xp.zeros_like(finite),
        hidden=zero,
        status=outcomes(f, (~finite, Outcome.NOT_FINITE)),
        nit=zero,
        nfev=zero + 1,
        products=zero,
        optimality=xp.zeros_like(f),
        violation=xp.zeros_like(f),
        least=xp.full_like(f, xp.inf),
        since=zero,
    )
    s = _judged(form, setting, problems, limits, s, finite)
    return s._replace(status=xp.where(finite, s.status, zero + Outcome.NOT_FINITE))


def _inward(xp: Any, v: Any, low: Any, high: Any, share: float) -> Any:
    """Move what is on its sides, beyond or near, inside."""
    one = xp.ones_like(v)
    apart = xp.where(xp.isfinite(high - low), high - low, one / share)
    part = min(share, 0.25)
    below = xp.minimum(
        share * xp.maximum(xp.abs(xp.where(xp.isfinite(low), low, one)), one), part * apart
    )
    above = xp.minimum(
        share * xp.maximum(xp.abs(xp.where(xp.isfinite(high), high, one)), one), part * apart
    )
    return xp.minimum(xp.maximum(v, low + below), high - above)


def _sides(xp: Any, limits: tuple[Any, Any] | None, u: Any) -> _Sides | None:
    if limits is None:
        return None
    low, high = limits
    fixed, none = low == high, xp.full_like(u, xp.inf)
    tiny = xp.full_like(u, float(xp.finfo(u.dtype).smallest_normal) ** 0.25)
    below, above = xp.maximum(u - low, tiny), xp.maximum(high - u, tiny)
    return _Sides(xp.where(fixed, none, below), xp.where(fixed, none, above), fixed)


def _matrix(form: _Form, s: _State, scale: Any) -> Matrix | None:
    """Return the scaled rows, with the stored inverse."""
    if not form.count:
        return None
    p = int(s.jac.shape[2])
    if scale is None:
        return Matrix(s.jac, None, s.inverse)
    slack = scale[:, p:] if form.slack else None
    return Matrix(s.jac * scale[:, None, :p], slack, s.inverse)


def _step(form: _Form, setting: _Setting, problems: Rows, s: _State) -> _State:
    xp = array_namespace(s.u)
    p = int(s.g.shape[1])
    limits = form.limits(problems)
    sides = _sides(xp, limits, s.u)
    scale = None if sides is None else sides.scale(p)
    matrix = _matrix(form, s, scale)
    running = s.status == Outcome.RUNNING
    d, decrease, penalty, shares, count = _direction(
        form, problems, s, sides, scale, matrix, running & ~s.pending
    )
    d = xp.where(s.pending[:, None], s.corrected, d)
    decrease = xp.where(s.pending, s.decrease, decrease)
    penalty = xp.where(s.pending, s.penalty, penalty)

    u1 = s.u + (d if scale is None else scale * d)
    if limits is not None:  # rounding may cross
        u1 = xp.minimum(xp.maximum(u1, limits[0]), limits[1])
    x1, broken = u1[:, :p], s.pending & False
    if form.keeps:
        x1, broken = form.inside(problems, x1, s.u[:, :p])
    f1, g1, c1, jac1 = form.evaluated(problems, x1)
    usable = ~broken & xp.isfinite(f1) & xp.all(xp.isfinite(g1), axis=1)
    if form.count:
        usable = usable & xp.all(xp.isfinite(c1), axis=1)
        usable = usable & xp.all(xp.isfinite(jac1), axis=(1, 2))
    if form.slack:
        values = xp.where(usable[:, None], c1, u1[:, p:])
        u1 = _reset(xp, problems, u1, values, p, form.rows.kept)
    before = _merit(xp, form, problems, s.f, s.c, s.u, sides, s.mu, penalty)
    after = _merit(xp, form, problems, f1, c1, u1, _sides(xp, limits, u1), s.mu, penalty)
    eps = float(xp.finfo(f1.dtype).eps)
    noise = _ROUNDING * eps * xp.maximum(xp.abs(before), xp.abs(s.f))
    actual = xp.where(usable, before - after, -xp.abs(decrease))
    predicted = xp.maximum(decrease, xp.zeros_like(decrease)) + noise
    ratio = (actual + noise) / xp.where(predicted > 0, predicted, xp.ones_like(predicted))
    # Without anything to gain the point is as good as another.
    ratio = xp.where(predicted > 0, ratio, xp.zeros_like(ratio))
    ratio = xp.where(usable & xp.isfinite(ratio), ratio, -xp.ones_like(ratio))
    taken = ratio >= _TAKEN

    pending, corrected = xp.zeros_like(taken), s.corrected
    if matrix is not None:
        w = -matrix.shortest(
            xp.where(usable[:, None], form.missed(problems, c1, u1), xp.zeros_like(c1))
        )
        room = _region(xp, s.u, limits, scale, s.radius)
        room = Region(2 * s.radius + norm(xp, d), room.low, room.high)
        share = part(d, w, room)[:, None]
        corrected = d + share * w
        pending = ~taken & usable & ~s.pending & shares & (norm(xp, w) > 0)
        corrected = xp.where(pending[:, None], corrected, s.corrected)
    length = norm(xp, d)
    radius = _resized(xp, s.radius, ratio, length)
    radius = xp.where(pending, s.radius, radius)

    row = taken[:, None]
    y, estimate = s.y, s.curvature
    if estimate is not None:
        estimate = _learnt(xp, form, setting, s, u1[:, :p], g1, jac1, taken)
    nit = s.nit + xp.astype(~pending, xp.int32)
    new = s._replace(
        u=xp.where(row, u1, s.u),
        f=xp.where(taken, f1, s.f),
        g=xp.where(row, g1, s.g),
        c=None if c1 is None else xp.where(row, c1, s.c),
        jac=None if c1 is None else xp.where(row[:, :, None], jac1, s.jac),
        y=y,
        curvature=estimate,
        radius=radius,
        penalty=penalty,
        corrected=corrected,
        decrease=decrease,
        pending=pending,
        hidden=xp.where(decrease <= _ROUNDING * noise, s.hidden + 1, xp.zeros_like(s.hidden)),
        nit=nit,
        nfev=s.nfev + 1,
        products=s.products + count,
    )
    step = xp.max(xp.abs(xp.where(row, u1 - s.u, d if scale is None else scale * d)), axis=1)
    return _judged(form, setting, problems, limits, new, taken, f1, step)


def _region(xp: Any, u: Any, limits: Any, scale: Any, radius: Any) -> Region:
    far = xp.full_like(u, xp.inf)
    if limits is None:
        return Region(radius, -far, far)
    low, high = limits
    known = scale > 0
    length = xp.where(known, scale, xp.ones_like(scale))
    return Region(
        radius,
        xp.where(known, _TAU * (low - u) / length, -far),
        xp.where(known, _TAU * (high - u) / length, far),
    )


def _direction(
    form: _Form,
    problems: Rows,
    s: _State,
    sides: _Sides | None,
    scale: Any,
    matrix: Matrix | None,
    running: Any,
) -> tuple[Any, ...]:
    """Return scaled steps, the predicted decrease of the merit, its penalty, and counts."""
    xp = array_namespace(s.u)
    p = int(s.g.shape[1])
    x = s.u[:, :p]
    gradient = s.g
    if form.slack:
        gradient = xp.concat([gradient, xp.zeros_like(s.c)], axis=1)
    curvature = None
    if sides is not None:
        gradient = scale * (gradient + sides.slope(s.mu))
        r = form.residual(s.g, s.jac, s.y)
        curvature = scale**2 * sides.curvature(r, s.mu)

    def product(v: Any) -> Any:
        inner = v if scale is None else scale * v
        out = form.product(x, s.y, inner[:, :p], s.curvature)
        if form.slack:
            out = xp.concat([out, xp.zeros_like(s.c)], axis=1)
        return out if scale is None else scale * out + curvature * v

    region = _region(xp, s.u, form.limits(problems), scale, s.radius)
    if matrix is None:
        v = xp.zeros_like(s.u)
        wv, b = v, None
    else:
        b = form.missed(problems, s.c, s.u)
        v = normal_step(matrix, b, region, sides is not None)
        wv = product(v)
        wv = xp.where(xp.isfinite(wv), wv, xp.zeros_like(wv))
    t, wt, count = tangential_step(matrix, product, gradient + wv, v, region, running)
    d = v + t
    model = dot(xp, gradient, d) + 0.5 * dot(xp, d, wv + wt)
    if matrix is None:
        return d, -model, s.penalty, norm(xp, t) < 0, count
    linear = norm(xp, b) - norm(xp, matrix.times(d) + b)
    eps = float(xp.finfo(s.f.dtype).eps)
    tells = linear > 10 * eps * norm(xp, b)
    needed = model / ((1 - _SHARE) * xp.where(tells, linear, xp.ones_like(linear)))
    penalty = xp.where(tells & (needed > s.penalty), needed, s.penalty)
    decrease = -model + penalty * xp.maximum(linear, xp.zeros_like(linear))
    return d, decrease, penalty, norm(xp, v) <= 0.8 * norm(xp, t), count + 1


def _merit(
    xp: Any,
    form: _Form,
    problems: Rows,
    f: Any,
    c: Any,
    u: Any,
    sides: _Sides | None,
    mu: Any,
    penalty: Any,
) -> Any:
    if sides is not None:
        f = f + sides.barrier(mu)
    if form.count:
        f = f + penalty * norm(xp, form.missed(problems, c, u))
    return f


def _reset(xp: Any, problems: Rows, u: Any, c: Any, p: int, kept: tuple[bool, ...]) -> Any:
    """Give slacks the rows' values where these are farther from their sides, or must hold."""
    s = u[:, p:]
    one = xp.ones_like(s)

    def room(v: Any) -> Any:
        low, high = v - problems.low, problems.high - v
        inside = (low > 0) & (high > 0)
        low, high = xp.where(xp.isfinite(low), low, one), xp.where(xp.isfinite(high), high, one)
        return xp.where(inside, low * high, -one)

    inner = room(c)
    better = inner > room(s)
    if any(kept):
        better = better | ((inner > 0) & xp.asarray(kept, device=device(u)))
    return xp.concat([u[:, :p], xp.where(better, c, s)], axis=1)


def _resized(xp: Any, radius: Any, ratio: Any, length: Any) -> Any:
    """Return the radius that the model has earned."""
    most = float(xp.finfo(radius.dtype).max) ** 0.25
    wider = xp.where(ratio >= 0.9, 7 * length, 2 * length)
    wider = xp.minimum(xp.maximum(radius, wider), xp.full_like(radius, most))
    less = (1 - _TAKEN) / (1 - xp.minimum(ratio, xp.zeros_like(ratio))) * length
    less = xp.minimum(xp.maximum(less, 0.1 * radius), 0.5 * radius)
    # What is shorter than the radius would only come again.
    less = xp.minimum(less, 0.5 * length)
    found = xp.where(ratio >= 0.3, wider, radius)
    return xp.where(ratio < _TAKEN, less, found)


def _learnt(
    xp: Any, form: _Form, setting: _Setting, s: _State, x1: Any, g1: Any, jac1: Any, taken: Any
) -> Any:
    """Return the estimate of the Lagrangian's second derivatives after a step."""
    matrix = s.curvature
    p = int(s.g.shape[1])
    move, change = x1 - s.u[:, :p], g1 - s.g
    if form.count:
        change = change - columns(jac1, s.y) + columns(s.jac, s.y)
    change = xp.where(xp.isfinite(change), change, xp.zeros_like(change))
    bs = columns(matrix, move)
    sy, sbs, one = dot(xp, move, change), dot(xp, move, bs), xp.ones_like(s.f)
    if setting.hessian == "SR1":
        rest = change - bs
        size = dot(xp, rest, move)
        good = xp.abs(size) > 1e-8 * norm(xp, rest) * norm(xp, move)
        scaled = rest / xp.where(good, size, one)[:, None]
        new = matrix + scaled[:, :, None] * rest[:, None, :]
    else:
        good = (sbs > 0) & xp.isfinite(sbs)
        damp = sy < 0.2 * sbs
        gap = sbs - sy
        theta = xp.where(damp, 0.8 * sbs / xp.where(damp & (gap != 0), gap, one), one)[:, None]
        r = theta * change + (1 - theta) * bs
        sr = dot(xp, move, r)
        good = good & (sr > 0)
        b = bs / xp.where(good, sbs, one)[:, None]
        r1 = r / xp.where(good, sr, one)[:, None]
        new = matrix - b[:, :, None] * bs[:, None, :] + r1[:, :, None] * r[:, None, :]
    good = (good & taken)[:, None, None] & xp.all(xp.isfinite(new), axis=(1, 2), keepdims=True)
    return xp.where(good, new, matrix)


def _judged(
    form: _Form,
    setting: _Setting,
    problems: Rows,
    limits: Any,
    s: _State,
    taken: Any,
    tried: Any = None,
    step: Any = None,
) -> _State:
    """Return the state with multipliers, barrier parameters and statuses of the point reached."""
    xp = array_namespace(s.f)
    p = int(s.g.shape[1])
    sides = _sides(xp, limits, s.u)
    scale: Any = None if sides is None else sides.scale(p)
    gradient = s.g
    if form.slack:
        gradient = xp.concat([gradient, xp.zeros_like(s.c)], axis=1)
    if sides is not None:
        gradient = gradient + sides.slope(s.mu)
    y, inverse = s.y, None
    missed = violation = xp.zeros_like(s.f)
    flat = missed < 0
    if form.count:
        a = s.jac if scale is None else s.jac * scale[:, None, :p]
        matrix = linearised(a, scale[:, p:] if form.slack else None)
        inverse = matrix.inverse
        y = matrix.multipliers(gradient if scale is None else scale * gradient)
        b = form.missed(problems, s.c, s.u)
        missed = xp.max(xp.abs(b), axis=1)
        violation = form.violated(problems, s.c)
        pull, size = norm(xp, matrix.transposed(b)), norm(xp, b)
        rate = xp.max(xp.abs(s.jac), axis=(1, 2))
        flat = (pull <= _FLAT * rate * size) | (pull <= 0.1 * _FLAT * size)
        flat = flat & (missed > setting.gtol)
    r = form.residual(s.g, s.jac, y)
    if sides is None:
        optimality = xp.max(xp.abs(r), axis=1)
        error = optimality
    else:
        optimality = sides.unmet(r)
        length = xp.minimum(scale, xp.ones_like(scale))
        error = xp.max(xp.abs(length * (r + sides.slope(s.mu))), axis=1)
    error = xp.maximum(error, missed)
    least = min(setting.barrier_tol, setting.gtol) / 10
    floor = xp.full_like(s.mu, least)
    small = (s.radius < setting.xtol) | (s.hidden >= _HIDDEN)
    fall = (s.mu > floor) & ((error <= s.enough) | small) & ~s.pending
    mu = xp.where(fall, xp.maximum(xp.minimum(0.2 * s.mu, s.mu**1.5), floor), s.mu)
    enough = xp.where(fall, s.enough * mu / xp.where(s.mu > 0, s.mu, xp.ones_like(mu)), s.enough)
    radius = xp.where(
        fall, xp.maximum(5 * s.radius, xp.full_like(s.radius, setting.initial_tr_radius)), s.radius
    )
    eps = float(xp.finfo(s.f.dtype).eps)
    gtol = ctol = xp.full_like(s.f, setting.gtol)
    if form.count:  # what rounding leaves of rows, and of the gradient
        terms = xp.max(xp.sum(xp.abs(s.jac * s.u[:, None, :p]), axis=2), axis=1)
        ctol = xp.maximum(ctol, _ROUNDING * eps * terms)
    gtol = xp.maximum(gtol, _ROUNDING * eps * xp.max(xp.abs(s.g), axis=1))
    bad = violation > ctol
    reach = xp.max(xp.abs(s.u), axis=1)
    close = (optimality <= gtol) & (missed <= ctol) & ~bad
    close = close & (mu <= setting.barrier_tol)
    stays = flat & False if step is None else flat & (step <= setting.xtol**0.5 * (1 + reach))
    better = violation < 0.9 * s.least
    least, since = xp.where(better, violation, s.least), xp.where(better, s.nit, s.since)
    # Less than this can be what the barrier leaves.
    astray = (s.nit - since >= _PATIENCE) | stays
    astray = astray & (least > ctol) & (least > setting.gtol**0.5)
    deep = -(eps**-1.25)
    fallen = (s.f < deep) & ~bad
    if tried is not None:
        fallen = fallen | (tried == -xp.inf)
    status = outcomes(
        s.f,
        (s.nit >= setting.maxiter, Outcome.LIMIT),
        (small & ~fall, Outcome.PRECISION),
        ((small & ~fall & bad) | astray, Outcome.INFEASIBLE),
        (fallen, Outcome.UNBOUNDED),
        (close, Outcome.CONVERGED),
    )
    return s._replace(
        y=y,
        z=None if problems.lower is None or sides is None else sides.multipliers(r)[:, :p],
        inverse=inverse,
        mu=mu,
        enough=enough,
        radius=radius,
        hidden=xp.where(fall, xp.zeros_like(s.hidden), s.hidden),
        status=status,
        optimality=optimality,
        violation=violation,
        least=least,
        since=since,
    )


METHOD = Row(
    "trust-constr",
    _trust_constr,
    {"gtol": 1e-8, "xtol": 1e-8, "barrier_tol": 1e-8, "maxiter": 1000}
    | {"initial_tr_radius": 1.0, "initial_constr_penalty": 1.0}
    | {"initial_barrier_parameter": 0.1, "initial_barrier_tolerance": 0.1},
    bounded=True,
    constrained=True,
    stateful=True,
    curved=True,
    estimates=True,
)
