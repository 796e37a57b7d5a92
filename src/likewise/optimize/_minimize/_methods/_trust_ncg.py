"""Newton's method with a trust region, without matrices.

T. Steihaug, The conjugate gradient method and trust regions in large scale optimization, SIAM J.
Numer. Anal. 20(3), 1983; the radius as in J. Nocedal, S. J. Wright, Numerical Optimization, 2nd
ed., algorithm 4.1, the tolerance of the inner iteration as in algorithm 7.1.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace
from ....solving._driver import Method, iterate
from ....solving._outcome import Outcome, outcomes
from ..._steps._trust_region import dot, norm
from .._method import EACH, Found, Row, Rows
from .._objective import Objective

__all__ = ["METHOD"]

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
    status: Any
    count: Any


class _Region(NamedTuple):
    initial: float
    most: float
    eta: float  # of the predicted decrease: what a step must reach to be taken


def _trust_ncg(
    objective: Objective,
    gtol: float,
    maxiter: int,
    initial_trust_radius: float,
    max_trust_radius: float,
    eta: float,
) -> Method:
    region = _Region(initial_trust_radius, max_trust_radius, eta)

    def step(problems: Rows, s: _State) -> _State:
        return _step(objective, region, gtol, maxiter, s)

    return Method(lambda problems: _start(objective, region, gtol, problems.x0), step, _end)


def _start(objective: Objective, region: _Region, gtol: float, x0: Any) -> _State:
    f, g = objective.value_and_gradient(x0)
    xp = array_namespace(f)
    finite = xp.isfinite(f) & xp.all(xp.isfinite(g), axis=1)
    close = norm(xp, g) <= gtol
    status = outcomes(f, (close, Outcome.CONVERGED), (~finite, Outcome.NOT_FINITE))
    zero = xp.zeros_like(status)
    return _State(x0, f, g, xp.full_like(f, region.initial), status, zero, zero + 1, zero + 1)


def _end(s: _State) -> Found:
    return Found(s.x, s.f, s.g, s.status, s.nit, s.nfev, s.njev, None)


def _step(objective: Objective, region: _Region, gtol: float, maxiter: int, s: _State) -> _State:
    xp = array_namespace(s.x)
    inner = _steihaug(xp, objective, s.x, s.g, s.radius, s.status == Outcome.RUNNING)
    x1 = s.x + inner.z
    f1, g1 = objective.value_and_gradient(x1)
    usable = xp.isfinite(f1) & xp.all(xp.isfinite(g1), axis=1)
    predicted = -xp.sum(inner.z * (s.g + 0.5 * inner.bz), axis=1)
    known = predicted > 0
    actual = xp.where(usable, s.f - f1, -xp.ones_like(s.f))
    ratio = actual / xp.where(known, predicted, xp.ones_like(predicted))
    # Where rounding is all that the values show, the gradients decide.
    eps = float(xp.finfo(s.f.dtype).eps)
    noise = _ROUNDING * eps * xp.abs(s.f)
    hidden = usable & (xp.abs(actual) <= noise) & (predicted <= noise)
    better = norm(xp, g1) < norm(xp, s.g)
    ratio = xp.where(hidden, xp.where(better, xp.ones_like(ratio), -xp.ones_like(ratio)), ratio)
    ratio = xp.where(usable & known, ratio, -xp.ones_like(ratio))
    taken = ratio > region.eta
    row = taken[:, None]
    x, g, f = xp.where(row, x1, s.x), xp.where(row, g1, s.g), xp.where(taken, f1, s.f)
    radius = _resized(xp, region, s.radius, ratio, inner.boundary)
    stuck = ~known | (radius <= eps * norm(xp, x)) | (hidden & ~better)
    # Lower, products of derivatives overflow, and a step can't be found where there is one.
    deep = -(float(xp.finfo(f.dtype).max) ** (1 / 3))
    nit = s.nit + 1
    status = outcomes(
        f,
        (nit >= maxiter, Outcome.LIMIT),
        (~taken & stuck, Outcome.PRECISION),
        (taken & (norm(xp, g) <= gtol), Outcome.CONVERGED),
        ((f1 == -xp.inf) | (~taken & stuck & (f < deep)), Outcome.UNBOUNDED),
    )
    return _State(x, f, g, radius, status, nit, s.nfev + 1, s.njev + 1 + inner.count)


def _resized(xp: Any, region: _Region, radius: Any, ratio: Any, boundary: Any) -> Any:
    """The radius that the model has earned."""
    wider = xp.minimum(2 * radius, xp.full_like(radius, region.most))
    radius = xp.where(ratio < 0.25, 0.25 * radius, radius)
    return xp.where((ratio > 0.75) & boundary, wider, radius)


def _steihaug(xp: Any, objective: Objective, x: Any, g: Any, radius: Any, running: Any) -> _Inner:
    """Conjugate gradients on the model, until it is solved or leaves the region."""
    size = norm(xp, g)
    enough = size * xp.minimum(xp.full_like(size, 0.5), xp.sqrt(size))
    zeros = xp.zeros_like(x)
    status = outcomes(size, (~running, Outcome.CONVERGED))
    first = _Inner(zeros, g, -g, zeros, xp.zeros_like(running), status, xp.zeros_like(status))

    def step(_: Any, s: _Inner) -> _Inner:
        bd = objective.hessian_product(x, s.d)
        dbd, rr = dot(xp, s.d, bd), dot(xp, s.r, s.r)
        bent = (dbd > 0) & xp.isfinite(dbd)
        alpha = rr / xp.where(bent, dbd, xp.ones_like(dbd))
        z1 = s.z + alpha[:, None] * s.d
        inside = bent & (norm(xp, z1) < radius)
        # To the border along the last direction, which leads down all the way.
        length = xp.where(inside, alpha, _to_border(xp, s.z, s.d, radius))
        length = xp.where(xp.isfinite(dbd), length, xp.zeros_like(length))[:, None]
        r = s.r + length * bd
        d = (dot(xp, r, r) / xp.where(rr > 0, rr, xp.ones_like(rr)))[:, None] * s.d - r
        bz = xp.where(xp.isfinite(bd), s.bz + length * bd, s.bz)
        ended = ~inside | (norm(xp, r) < enough)
        status = outcomes(dbd, (ended, Outcome.CONVERGED))
        return _Inner(s.z + length * s.d, r, d, bz, ~inside, status, s.count + 1)

    # The objective takes all problems: none are dropped.
    method, most = Method(lambda _: first, step), 2 * int(x.shape[1]) + 10
    end: _Inner = iterate(method, (), most, joint=True)
    return end


def _to_border(xp: Any, z: Any, d: Any, radius: Any) -> Any:
    """The positive t with norm(z + t d) = radius."""
    dd, zd, zz = dot(xp, d, d), dot(xp, z, d), dot(xp, z, z)
    dd = xp.where(dd > 0, dd, xp.ones_like(dd))
    gap = xp.maximum(radius * radius - zz, xp.zeros_like(zz))
    root = xp.sqrt(zd * zd + dd * gap)
    # Without the cancellation that -zd + root has for a positive zd.
    low = xp.where(zd > 0, zd + root, xp.ones_like(root))
    return xp.where(zd > 0, gap / low, (root - zd) / dd)


METHOD = Row(
    "trust-ncg",
    _trust_ncg,
    {"gtol": 1e-4, "maxiter": EACH, "initial_trust_radius": 1.0, "max_trust_radius": 1000.0}
    | {"eta": 0.15},
    curved=True,
    serves={
        "Newton-CG": "a trust region in place of a search along a line",
        "trust-krylov": "truncated conjugate gradients in place of Lanczos vectors",
        "trust-exact": "a step by conjugate gradients in place of the exact one",
        "dogleg": "a step by conjugate gradients in place of the dogleg's",
    },
)
