"""Steps within a trust region, for the methods that differ in how they find a step.

The radius and what a step must reach are those of J. Nocedal, S. J. Wright, Numerical Optimization,
2nd ed., algorithm 4.1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from .._steps._trust_region import norm
from ._method import EACH, Found, Rows
from ._objective import Objective

__all__ = ["OPTIONS", "Step", "in_regions", "to_border"]

OPTIONS = {
    "gtol": 1e-4,
    "maxiter": EACH,
    "initial_trust_radius": 1.0,
    "max_trust_radius": 1000.0,
    "eta": 0.15,
}
_ROUNDING = 10.0  # times eps: how wrong values may be, relatively


class Step(NamedTuple):
    """Hold a minimum of the model within the radius, or an approximation."""

    z: Any  # (B, p)
    bz: Any  # (B, p), the Hessian times z
    boundary: Any  # (B,), whether z ended at the radius
    count: Any  # (B,), products with the Hessian, or 1 for all of it


class _State(NamedTuple):
    x: Any
    f: Any
    g: Any
    radius: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any


class _Region(NamedTuple):
    initial: float
    most: float
    eta: float  # of the predicted decrease: what a step must reach to be taken


def in_regions(
    objective: Objective,
    solve: Callable[[Any, Any, Any, Any], Step],
    gtol: float,
    maxiter: int,
    initial_trust_radius: float,
    max_trust_radius: float,
    eta: float,
) -> Method:
    """Return the method whose steps are ``solve(x, gradient, radius, running)``."""
    region = _Region(initial_trust_radius, max_trust_radius, eta)

    def start(problems: Rows) -> _State:
        return _start(objective, region, gtol, problems.x0)

    def step(problems: Rows, s: _State) -> _State:
        found = solve(s.x, s.g, s.radius, s.status == Outcome.RUNNING)
        return _step(objective, found, region, gtol, maxiter, s)

    return Method(start, step, _end)


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


def _step(
    objective: Objective, found: Step, region: _Region, gtol: float, maxiter: int, s: _State
) -> _State:
    xp = array_namespace(s.x)
    x1 = s.x + found.z
    f1, g1 = objective.value_and_gradient(x1)
    usable = xp.isfinite(f1) & xp.all(xp.isfinite(g1), axis=1)
    predicted = -xp.sum(found.z * (s.g + 0.5 * found.bz), axis=1)
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
    radius = _resized(xp, region, s.radius, ratio, found.boundary)
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
    return _State(x, f, g, radius, status, nit, s.nfev + 1, s.njev + 1 + found.count)


def _resized(xp: Any, region: _Region, radius: Any, ratio: Any, boundary: Any) -> Any:
    """The radius that the model has earned."""
    wider = xp.minimum(2 * radius, xp.full_like(radius, region.most))
    radius = xp.where(ratio < 0.25, 0.25 * radius, radius)
    return xp.where((ratio > 0.75) & boundary, wider, radius)


def to_border(xp: Any, z: Any, d: Any, radius: Any) -> Any:
    """Return the positive t with norm(z + t d) = radius."""
    dd, zd, zz = xp.sum(d * d, axis=1), xp.sum(z * d, axis=1), xp.sum(z * z, axis=1)
    dd = xp.where(dd > 0, dd, xp.ones_like(dd))
    gap = xp.maximum(radius * radius - zz, xp.zeros_like(zz))
    root = xp.sqrt(zd * zd + dd * gap)
    # Without the cancellation that -zd + root has for a positive zd.
    low = xp.where(zd > 0, zd + root, xp.ones_like(root))
    return xp.where(zd > 0, gap / low, (root - zd) / dd)
