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

RUNNING, NOT_FINITE, MAX_NFEV, GTOL, FTOL, XTOL = -2, -1, 0, 1, 2, 3
ADVICE = {
    NOT_FINITE: "the model is not finite at p0, or its Jacobian on the way: check data and start",
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
    """Of each problem: parameters, residuals over their size at the start, status, iterations."""

    x: Any
    residuals: Any
    size: Any
    status: Any
    nit: Any


class _State(NamedTuple):
    x: Any  # (B, p)
    r: Any  # (B, n)
    scale: Any  # (B, p), the norms of the Jacobian's columns, with memory
    damping: Any  # (B,)
    growth: Any  # (B,), of the damping at the next bad step; 2 after a good one
    status: Any  # (B,)
    nit: Any  # (B,)
    count: Any  # ()


class _Problem(NamedTuple):
    """A problem in its own units: residuals and the Jacobian's rows have norm 1 at the start."""

    residuals: Callable[[Any], Any]
    jacobian: Callable[[Any], Any]
    unit: Any  # (B, p), of the parameters
    rounding: Any  # (B,), how large rounding makes the residuals


def _norm(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=1))


def size(xp: Any, v: Any) -> Any:
    """Norms over the last axis, at any scale; 1 for vectors that are zero or not finite."""
    top = xp.max(xp.abs(v), axis=-1)
    top = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    norm = top * xp.sqrt(xp.sum((v / top[..., None]) ** 2, axis=-1))
    return xp.where((norm > 0) & xp.isfinite(norm), norm, xp.ones_like(norm))


def levenberg_marquardt(
    residuals: Callable[[Any], Any],
    jacobian: Callable[[Any], Any],
    x0: Any,
    rounding: Any,
    ftol: float,
    xtol: float,
    gtol: float,
    max_nit: int,
) -> Solution:
    """Minimise the sums of squares of ``residuals(x)``, (B, p) -> (B, n), from `x0`.

    ``jacobian(x)``, (B, p) -> (B, p, n), a row a parameter; `rounding`, (B,), the norm of the
    error that rounding leaves in the residuals.
    """
    xp = array_namespace(x0)
    first, rows = residuals(x0), jacobian(x0)
    height, widths = size(xp, first), size(xp, rows)
    r = first / height[:, None]
    problem = _Problem(
        lambda x: residuals(x) / height[:, None],
        lambda x: jacobian(x) / widths[:, :, None],
        height[:, None] / widths,
        rounding / height,
    )
    finite = xp.all(xp.isfinite(first), axis=1) & xp.all(xp.isfinite(rows), axis=(1, 2))
    one = xp.ones_like(x0[:, 0])
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    start = _State(
        x0,
        r,
        xp.zeros_like(x0),
        _FIRST_DAMPING * one,
        2 * one,
        xp.where(finite, zero + RUNNING, zero + NOT_FINITE),
        zero,
        xp.zeros((), dtype=xp.int32, device=device(x0)),
    )

    def going(state: _State) -> Any:
        return (state.count < max_nit) & xp.any(state.status == RUNNING)

    def step(state: _State) -> _State:
        return _step(xp, problem, state, ftol, xtol, gtol)

    end = while_loop(going, step, start)
    status = xp.where(end.status == RUNNING, xp.zeros_like(end.status), end.status)
    return Solution(end.x, end.r, height, status, end.nit)


def _step(
    xp: Any, problem: _Problem, state: _State, ftol: float, xtol: float, gtol: float
) -> _State:
    x, r, scale, damping, growth, status, nit, count = state
    p = x.shape[1]
    eye = xp.eye(p, dtype=x.dtype, device=device(x))
    jac = problem.jacobian(x)
    normal = xp.matmul(jac, xp.matrix_transpose(jac))
    gradient = xp.matmul(jac, r[:, :, None])[..., 0]
    columns = xp.sqrt(xp.sum(normal * eye, axis=-1))
    running = status == RUNNING
    finite = xp.all(xp.isfinite(columns), axis=1)

    # After a good step the scale follows the columns, down not at once.
    followed = xp.maximum(_FORGET * scale, columns)
    followed = xp.where(followed > 0, followed, xp.ones_like(followed))
    scale = xp.where((growth == 2)[:, None], followed, scale)
    normal = normal / (scale[:, :, None] * scale[:, None, :])
    factor = cho_factor(normal + damping[:, None, None] * eye)
    velocity = cho_solve(factor, -(gradient / scale)[:, :, None])
    # The second derivative of the residuals along the velocity, from one more evaluation; where
    # rounding is all that it shows, none.
    probe = problem.residuals(x + _PROBE * velocity[..., 0] / scale * problem.unit)
    linear = xp.matmul(xp.matrix_transpose(jac), velocity / scale[:, :, None])[..., 0]
    second = 2 / _PROBE * ((probe - r) / _PROBE - linear)
    shown = _norm(xp, second) > 4 / _PROBE**2 * problem.rounding
    second = xp.where(shown[:, None] & xp.isfinite(second), second, xp.zeros_like(second))
    bent = xp.matmul(jac, second[:, :, None]) / scale[:, :, None]
    velocity, acceleration = velocity[..., 0], -0.5 * cho_solve(factor, bent)[..., 0]
    length = _norm(xp, velocity)
    straight = 2 * _norm(xp, acceleration) <= _BEND * length
    move = velocity + acceleration

    x1 = x + move / scale * problem.unit
    r1 = problem.residuals(x1)
    usable = xp.all(xp.isfinite(r1), axis=1) & straight
    r1 = xp.where(usable[:, None], r1, r)
    cost = 0.5 * xp.sum(r * r, axis=1)
    # The difference of the two sums of squares, without their cancellation.
    reduction = 0.5 * xp.sum((r - r1) * (r + r1), axis=1)
    predicted = 0.5 * xp.sum(linear * linear, axis=1) + damping * length * length
    ratio = reduction / xp.where(predicted > 0, predicted, xp.ones_like(predicted))
    ratio = xp.where(usable, ratio, -xp.ones_like(ratio))
    good = running & finite & (ratio > _ENOUGH)

    small = _norm(xp, move) <= xtol * _norm(xp, x / problem.unit * scale)
    flat = usable & (predicted <= ftol * cost) & (xp.abs(reduction) <= ftol * cost) & (ratio <= 2)
    norms = columns * xp.sqrt(2 * cost)[:, None]
    cosines = xp.abs(gradient) / xp.where(norms > 0, norms, xp.ones_like(norms))
    level = xp.max(cosines, axis=1) <= gtol
    now = xp.where(small, xp.full_like(status, XTOL), xp.full_like(status, RUNNING))
    now = xp.where(flat & ~small, xp.full_like(status, FTOL), now)
    now = xp.where(level, xp.full_like(status, GTOL), now)
    now = xp.where(finite, now, xp.full_like(status, NOT_FINITE))

    # Nielsen: after a good step down to a third, after bad ones up by 2, 4, 8 ...
    q = 2 * xp.clip(ratio, 0.0, 1.5) - 1
    next_damping = xp.where(good, damping * xp.clip(1 - q * q * q, 1 / 3, 2.0), damping * growth)
    limits = xp.finfo(x.dtype)
    next_damping = xp.clip(
        next_damping, 1e4 * float(limits.smallest_normal), 1e-4 * float(limits.max)
    )
    next_growth = xp.where(good, xp.full_like(growth, 2.0), xp.clip(2 * growth, 4.0, 1e8))
    return _State(
        xp.where(good[:, None], x1, x),
        xp.where(good[:, None], r1, r),
        scale,
        xp.where(running, next_damping, damping),
        xp.where(running, next_growth, growth),
        xp.where(running, now, status),
        xp.where(running, nit + 1, nit),
        count + 1,
    )
