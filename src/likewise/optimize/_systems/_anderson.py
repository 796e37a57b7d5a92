"""Anderson mixing for systems of equations, many at once.

D. G. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12(4), 1965, as
H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49(4),
2011, section 2, write it: the last steps are mixed so that the residuals of the linear model are
least.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...transforms import while_loop

__all__ = ["DIVERGED", "MAX_ITER", "NOT_FINITE", "Mixed", "anderson", "mixed"]

RUNNING, DIVERGED, NOT_FINITE, MAX_ITER, CONVERGED = -9, -3, -1, 0, 1


class Mixed(NamedTuple):
    """Tells where it stands: also the state of the iteration."""

    x: Any  # (B, p)
    fun: Any  # (B, p)
    moves: Any  # (B, M, p), of x, the latest last
    changes: Any  # (B, M, p), of the residuals
    status: Any  # (B,)
    nit: Any
    nfev: Any
    count: Any  # ()


def mixed(
    residuals: Callable[[Any], Any],
    x0: Any,
    least: Callable[[Any], Any] | float | None,
    maxiter: int,
    memory: int,
    alpha: float | None,
) -> Mixed:
    """Solve ``residuals(x) = 0`` from `x0`, (B, p), till no residual is larger than `least`.

    That is a number, by default eps^(1/2), or a function of x.
    `alpha`, minus the Jacobian's inverse to begin with, is 1 for a fixed-point iteration.
    """
    xp = array_namespace(x0)
    f = residuals(x0)
    eps = float(xp.finfo(x0.dtype).eps)
    one = xp.ones_like(f[:, 0])

    def enough(x: Any) -> Any:
        if callable(least):
            return least(x)
        return (eps**0.5 if least is None else least) * one

    if alpha is None:  # a first step of the size of the start, or 1
        size = xp.maximum(xp.sqrt(xp.sum(x0 * x0, axis=1)), one)
        length = xp.sqrt(xp.sum(f * f, axis=1))
        pace = 0.5 * size / xp.where(length > 0, length, one)
    else:
        pace = alpha * one
    pace = pace[:, None]
    eye = xp.eye(memory, dtype=x0.dtype, device=device(x0))
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    none = xp.zeros((x0.shape[0], memory, x0.shape[1]), dtype=x0.dtype, device=device(x0))

    def judged(x: Any, f: Any, status: Any, lost: int) -> Any:
        level = xp.max(xp.abs(f), axis=1)
        now = xp.where(level <= enough(x), zero + CONVERGED, status)
        return xp.where(xp.isfinite(level), now, zero + lost)

    def body(s: Mixed) -> Mixed:
        gram = xp.matmul(s.changes, xp.matrix_transpose(s.changes))
        scale = xp.sum(gram * eye, axis=-1)
        empty = scale == 0  # no step to mix yet
        root = xp.sqrt(xp.where(empty, xp.ones_like(scale), scale))
        gram = gram / (root[:, :, None] * root[:, None, :])
        gram = gram + (10 * memory * eps) * eye + xp.where(empty[:, :, None], eye, 0 * eye)
        right = xp.matmul(s.changes, s.fun[:, :, None]) / root[:, :, None]
        shares = cho_solve(cho_factor(gram), right)[..., 0] / root
        mixed = s.moves + pace[:, :, None] * s.changes
        move = pace * s.fun - xp.matmul(shares[:, None, :], mixed)[:, 0, :]
        x = s.x + move
        f = residuals(x)
        running = s.status == RUNNING
        lane = running[:, None]
        x, f = xp.where(lane, x, s.x), xp.where(lane, f, s.fun)
        return Mixed(
            x,
            f,
            xp.concat([s.moves[:, 1:, :], (x - s.x)[:, None, :]], axis=1),
            xp.concat([s.changes[:, 1:, :], (f - s.fun)[:, None, :]], axis=1),
            xp.where(running, judged(x, f, s.status, DIVERGED), s.status),
            xp.where(running, s.nit + 1, s.nit),
            xp.where(running, s.nfev + 1, s.nfev),
            s.count + 1,
        )

    count = xp.zeros((), dtype=xp.int32, device=device(x0))
    start = Mixed(
        x0, f, none, none, judged(x0, f, zero + RUNNING, NOT_FINITE), zero, zero + 1, count
    )
    end = while_loop(lambda s: xp.any(s.status == RUNNING) & (s.count < maxiter), body, start)
    return end._replace(status=xp.where(end.status == RUNNING, zero, end.status))


def anderson(
    fun: Callable[..., Any], x0: Any, args: tuple[Any, ...], xtol: float, most: int, memory: int
) -> tuple[Any, Any, Any, Any]:
    """Solve ``fun(x, args) = x`` from `x0`, (B, p); x, status, evaluations, iterations.

    Until the largest component of ``fun(x) - x`` is at most `xtol` times the largest of x. Statuses
    are those of `fixed_point`: 0, converged; -2, `most` iterations done; -3, not finite.
    """
    xp = array_namespace(x0)

    def least(x: Any) -> Any:
        return xtol * xp.max(xp.abs(x), axis=1)

    def residuals(x: Any) -> Any:
        return fun(x, args) - x

    end = mixed(residuals, x0, least, most, memory, 1.0)
    zero = xp.zeros_like(end.status)
    code = xp.where((end.status == NOT_FINITE) | (end.status == DIVERGED), zero - 3, zero)
    code = xp.where(end.status == MAX_ITER, zero - 2, code)
    return end.x, code, end.nfev, end.nit
