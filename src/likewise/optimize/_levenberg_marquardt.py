"""Levenberg-Marquardt for a batch of small least-squares problems.

Scaling and tests: J. J. Moré, The Levenberg-Marquardt algorithm: implementation and theory, 1978.
Damping: H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05, section 2.
Geodesic acceleration: M. K. Transtrum, J. P. Sethna, Improvements to the Levenberg-Marquardt
algorithm for nonlinear least-squares minimization, arXiv:1201.5885, section 5.

A step is the same sequence of functions for every problem, with no decision but by ``where``, so
that it can run in a traced loop. The problems don't meet: one that fails spoils no other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device
from ..missing import cho_factor, cho_solve
from ..transforms import while_loop

__all__ = ["ADVICE", "Solution", "levenberg_marquardt"]

RUNNING, BAD_START, MAX_NFEV, GTOL, FTOL, XTOL = -2, -1, 0, 1, 2, 3
ADVICE = {
    BAD_START: "the model or its Jacobian is not finite at p0: check the data and the start",
    MAX_NFEV: "max_nfev was reached: raise it, start closer, or rescale the model's parameters",
    GTOL: "converged: the residuals are orthogonal to the Jacobian's columns within gtol",
    FTOL: "converged: the sum of squares changes relatively by no more than ftol",
    XTOL: "converged: the parameters change relatively by no more than xtol",
}

_FIRST_DAMPING = 1e-4
_FORGET = 0.8  # how fast the scale of a parameter may fall from step to step
_PROBE = 0.1  # of a step: where the model's curvature is looked at
_BEND = 0.75  # of a step: the most that its correction for curvature may be, halved
_ENOUGH = 1e-4  # of the predicted reduction: the least that an accepted step achieves


class Solution(NamedTuple):
    """Of each problem: parameters, residuals, Jacobian, status, iterations."""

    x: Any
    residuals: Any
    jacobian: Any
    status: Any
    nit: Any


class _State(NamedTuple):
    x: Any  # (B, p)
    r: Any  # (B, n)
    jac: Any  # (B, n, p)
    scale: Any  # (B, p), the norms of the Jacobian's columns, with memory
    damping: Any  # (B,)
    growth: Any  # (B,)
    status: Any  # (B,)
    nit: Any  # (B,)
    count: Any  # ()


def _norm(xp: Any, v: Any) -> Any:
    """Of (B, n) or (B, n, p), over n; safe for the squares of very large or small numbers."""
    top = xp.max(xp.abs(v), axis=1)
    safe = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    return safe * xp.sqrt(xp.sum((v / safe[:, None, ...]) ** 2, axis=1))


def _finite(xp: Any, r: Any, jac: Any) -> Any:
    return xp.all(xp.isfinite(r), axis=1) & xp.all(xp.isfinite(jac), axis=(1, 2))


def levenberg_marquardt(
    residuals: Callable[[Any], Any],
    jacobian: Callable[[Any], Any],
    x0: Any,
    ftol: float,
    xtol: float,
    gtol: float,
    max_nit: int,
) -> Solution:
    """Minimise the sums of squares of ``residuals(x)``, (B, p) -> (B, n), from `x0`.

    ``jacobian(x)``, (B, p) -> (B, n, p).
    """
    xp = array_namespace(x0)
    r, jac = residuals(x0), jacobian(x0)
    columns = _norm(xp, jac)
    one = xp.ones_like(x0[:, 0])
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    start = _State(
        x0,
        r,
        jac,
        xp.where(columns > 0, columns, xp.ones_like(columns)),
        _FIRST_DAMPING * one,
        2 * one,
        xp.where(_finite(xp, r, jac), zero + RUNNING, zero + BAD_START),
        zero,
        xp.zeros((), dtype=xp.int32, device=device(x0)),
    )

    def going(state: _State) -> Any:
        return (state.count < max_nit) & xp.any(state.status == RUNNING)

    def step(state: _State) -> _State:
        return _step(xp, residuals, jacobian, state, ftol, xtol, gtol)

    end = while_loop(going, step, start)
    status = xp.where(end.status == RUNNING, xp.zeros_like(end.status), end.status)
    return Solution(end.x, end.r, end.jac, status, end.nit)


def _step(
    xp: Any,
    residuals: Callable[[Any], Any],
    jacobian: Callable[[Any], Any],
    state: _State,
    ftol: float,
    xtol: float,
    gtol: float,
) -> _State:
    x, r, jac, scale, damping, growth, status, nit, count = state
    running = status == RUNNING
    p = x.shape[1]
    a = jac / scale[:, None, :]
    eye = xp.eye(p, dtype=x.dtype, device=device(x))
    normal = xp.matmul(xp.matrix_transpose(a), a) + damping[:, None, None] * eye
    factor = cho_factor(normal)

    def solve(target: Any) -> Any:
        """argmin |a s - target|^2 + damping |s|^2."""
        return cho_solve(factor, xp.matmul(xp.matrix_transpose(a), target[:, :, None]))[..., 0]

    velocity = solve(-r)
    linear = xp.matmul(a, velocity[:, :, None])[..., 0]
    # The second derivative of the residuals along the velocity, from one more evaluation.
    bent = (residuals(x + _PROBE * velocity / scale) - r) / _PROBE - linear
    bent = 2 / _PROBE * xp.where(xp.isfinite(bent), bent, xp.zeros_like(bent))
    acceleration = solve(-0.5 * bent)
    length = _norm(xp, velocity)
    straight = 2 * _norm(xp, acceleration) <= _BEND * length
    move = velocity + acceleration

    x1 = x + move / scale
    r1, jac1 = residuals(x1), jacobian(x1)
    usable = _finite(xp, r1, jac1) & straight
    r1 = xp.where(usable[:, None], r1, r)
    cost = 0.5 * xp.sum(r * r, axis=1)
    # The difference of the two sums of squares, without their cancellation.
    reduction = 0.5 * xp.sum((r - r1) * (r + r1), axis=1)
    predicted = 0.5 * xp.sum(linear * linear, axis=1) + damping * length * length
    ratio = reduction / xp.where(predicted > 0, predicted, xp.ones_like(predicted))
    ratio = xp.where(usable, ratio, -xp.ones_like(ratio))
    good = running & (ratio > _ENOUGH)

    small = _norm(xp, move) <= xtol * _norm(xp, x * scale)
    flat = usable & (predicted <= ftol * cost) & (xp.abs(reduction) <= ftol * cost) & (ratio <= 2)
    norms = _norm(xp, jac) * _norm(xp, r)[:, None]
    norms = xp.where(norms > 0, norms, xp.ones_like(norms))
    cosines = xp.abs(xp.sum(jac * r[:, :, None], axis=1)) / norms
    level = xp.max(cosines, axis=1) <= gtol
    now = xp.where(small, xp.full_like(status, XTOL), xp.full_like(status, RUNNING))
    now = xp.where(flat & ~small, xp.full_like(status, FTOL), now)
    now = xp.where(level, xp.full_like(status, GTOL), now)

    # Nielsen: after a good step down to a third, after bad ones up by 2, 4, 8 ...
    q = 2 * xp.clip(ratio, 0.0, 1.5) - 1
    next_damping = xp.where(good, damping * xp.clip(1 - q * q * q, 1 / 3, 2.0), damping * growth)
    limits = xp.finfo(x.dtype)
    next_damping = xp.clip(
        next_damping, 1e4 * float(limits.smallest_normal), 1e-4 * float(limits.max)
    )
    next_growth = xp.where(good, xp.full_like(growth, 2.0), xp.clip(2 * growth, 2.0, 1e8))
    jac = xp.where(good[:, None, None], jac1, jac)
    columns = _norm(xp, jac)
    columns = xp.maximum(_FORGET * scale, xp.where(columns > 0, columns, scale))
    return _State(
        xp.where(good[:, None], x1, x),
        xp.where(good[:, None], r1, r),
        jac,
        xp.where(good[:, None], columns, scale),
        xp.where(running, next_damping, damping),
        xp.where(running, next_growth, growth),
        xp.where(running, now, status),
        xp.where(running, nit + 1, nit),
        count + 1,
    )
