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
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes

__all__ = ["anderson", "combined"]


class Mixed(NamedTuple):
    """Hold the current point; also the state of the iteration."""

    x: Any  # (B, p)
    fun: Any  # (B, p)
    moves: Any  # (B, M, p), of x, the latest last
    changes: Any  # (B, M, p), of the residuals
    status: Any  # (B,)
    nit: Any
    nfev: Any


def combined(moves: Any, changes: Any, f: Any, pace: Any, damping: float) -> Any:
    """Return the mixed step: `moves` of x, `changes` of residuals (B, M, p), `pace` (B, 1).

    `damping` is added to the diagonal of the least-squares problem, relative to it.
    """
    xp = array_namespace(moves, changes, f)
    memory, eps = moves.shape[1], float(xp.finfo(f.dtype).eps)
    eye = xp.eye(memory, dtype=f.dtype, device=device(f))
    gram = xp.matmul(changes, xp.matrix_transpose(changes))
    scale = xp.sum(gram * eye, axis=-1)
    empty = scale == 0  # no step to mix yet
    root = xp.sqrt(xp.where(empty, xp.ones_like(scale), scale))
    gram = gram / (root[:, :, None] * root[:, None, :])
    more = 10 * memory * eps + damping
    gram = gram + more * eye + xp.where(empty[:, :, None], eye, 0 * eye)
    right = xp.matmul(changes, f[:, :, None]) / root[:, :, None]
    shares = cho_solve(cho_factor(gram, lower=True), right)[..., 0] / root
    mixed = moves + pace[:, :, None] * changes
    return pace * f - xp.matmul(shares[:, None, :], mixed)[:, 0, :]


def _mixing(
    residuals: Callable[[Any], Any], x0: Any, least: Callable[[Any], Any], memory: int
) -> tuple[Method, tuple[Any]]:
    """Return the steps to ``residuals(x) = 0`` from `x0`, (B, p), until none is above `least`."""
    xp = array_namespace(x0)
    f = residuals(x0)
    pace = xp.ones_like(f[:, 0])
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    none = xp.zeros((x0.shape[0], memory, x0.shape[1]), dtype=x0.dtype, device=device(x0))

    def judged(x: Any, f: Any, lost: int) -> Any:
        level = xp.max(xp.abs(f), axis=1)
        near = level <= least(x)
        return outcomes(level, (near, Outcome.CONVERGED), (~xp.isfinite(level), lost))

    def step(pace: Any, s: Mixed) -> Mixed:
        xp = array_namespace(pace, s.x)
        x = s.x + combined(s.moves, s.changes, s.fun, pace, 0.0)
        f = residuals(x)
        return Mixed(
            x,
            f,
            xp.concat([s.moves[:, 1:, :], (x - s.x)[:, None, :]], axis=1),
            xp.concat([s.changes[:, 1:, :], (f - s.fun)[:, None, :]], axis=1),
            judged(x, f, Outcome.DIVERGED),
            s.nit + 1,
            s.nfev + 1,
        )

    start = Mixed(x0, f, none, none, judged(x0, f, Outcome.NOT_FINITE), zero, zero + 1)
    return Method(lambda _: start, lambda data, s: step(data[0], s)), (pace[:, None],)


def anderson(
    fun: Callable[[Any], Any], x0: Any, xtol: float, most: int, memory: int
) -> tuple[Any, Any, Any, Any]:
    """Solve ``fun(x) = x`` from `x0`, (B, p); return x, status, evaluations, iterations.

    Ends when the largest component of ``fun(x) - x`` is at most `xtol` times the largest of x.
    """
    xp = array_namespace(x0)

    def least(x: Any) -> Any:
        return xtol * xp.max(xp.abs(x), axis=1)

    def residuals(x: Any) -> Any:
        return fun(x) - x

    method, data = _mixing(residuals, x0, least, memory)
    end = iterate(method, data, most, joint=True)
    lost = xp.full_like(end.status, Outcome.NOT_FINITE)
    code = xp.where(end.status == Outcome.DIVERGED, lost, end.status)
    return end.x, code, end.nfev, end.nit
