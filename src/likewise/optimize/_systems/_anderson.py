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
from .._steps._system import System
from ._method import Root, Row, Run

__all__ = ["ANDERSON", "anderson"]


class Mixed(NamedTuple):
    """Hold the current point; also the state of the iteration."""

    x: Any  # (B, p)
    fun: Any  # (B, p)
    moves: Any  # (B, M, p), of x, the latest last
    changes: Any  # (B, M, p), of the residuals
    status: Any  # (B,)
    nit: Any
    nfev: Any


def _mixing(
    residuals: Callable[[Any], Any],
    x0: Any,
    least: Callable[[Any], Any] | float | None,
    memory: int,
    alpha: float | None,
) -> tuple[Method, tuple[Any]]:
    """Return the steps to ``residuals(x) = 0`` from `x0`, (B, p), until none is above `least`.

    `least` is a number, by default eps^(1/2), or a function of x. `alpha`, minus the Jacobian's
    inverse at the start, is 1 for a fixed-point iteration.
    """
    xp = array_namespace(x0)
    f = residuals(x0)
    eps = float(xp.finfo(x0.dtype).eps)
    one = xp.ones_like(f[:, 0])
    if alpha is None:  # a first step of the size of the start, or 1
        size = xp.maximum(xp.sqrt(xp.sum(x0 * x0, axis=1)), one)
        length = xp.sqrt(xp.sum(f * f, axis=1))
        pace = 0.5 * size / xp.where(length > 0, length, one)
    else:
        pace = alpha * one
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    none = xp.zeros((x0.shape[0], memory, x0.shape[1]), dtype=x0.dtype, device=device(x0))

    def judged(x: Any, f: Any, lost: int) -> Any:
        level = xp.max(xp.abs(f), axis=1)
        enough = least(x) if callable(least) else eps**0.5 if least is None else least
        near = level <= enough
        return outcomes(level, (near, Outcome.CONVERGED), (~xp.isfinite(level), lost))

    def step(pace: Any, s: Mixed) -> Mixed:
        xp = array_namespace(pace, s.x)
        eye = xp.eye(memory, dtype=pace.dtype, device=device(pace))
        gram = xp.matmul(s.changes, xp.matrix_transpose(s.changes))
        scale = xp.sum(gram * eye, axis=-1)
        empty = scale == 0  # no step to mix yet
        root = xp.sqrt(xp.where(empty, xp.ones_like(scale), scale))
        gram = gram / (root[:, :, None] * root[:, None, :])
        gram = gram + (10 * memory * eps) * eye + xp.where(empty[:, :, None], eye, 0 * eye)
        right = xp.matmul(s.changes, s.fun[:, :, None]) / root[:, :, None]
        shares = cho_solve(cho_factor(gram, lower=True), right)[..., 0] / root
        mixed = s.moves + pace[:, :, None] * s.changes
        move = pace * s.fun - xp.matmul(shares[:, None, :], mixed)[:, 0, :]
        x = s.x + move
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

    method, data = _mixing(residuals, x0, least, memory, 1.0)
    end = iterate(method, data, most, joint=True)
    lost = xp.full_like(end.status, Outcome.NOT_FINITE)
    code = xp.where(end.status == Outcome.DIVERGED, lost, end.status)
    return end.x, code, end.nfev, end.nit


def _solve(system: System, x: Any, run: Run) -> Root:
    options = run.options
    least = options["fatol"] or run.tol
    method, data = _mixing(system.residuals, x, least, int(options["M"]), options["alpha"])
    most = int(options["maxiter"])
    most = min(most, (options["maxfev"] or most + 1) - 1)  # the start is one
    end = run.iterate(method, data, most)
    return Root(end.x, end.fun, end.status, end.nit, end.nfev)


ANDERSON = Row(
    "anderson",
    _solve,
    {"maxiter": 1000, "maxfev": None, "fatol": None, "M": 5, "alpha": None, "disp": False},
    jacobian=False,
    instead_of=(
        "broyden1",
        "broyden2",
        "linearmixing",
        "diagbroyden",
        "excitingmixing",
        "krylov",
        "df-sane",
    ),
    taken=(
        "nit", "ftol", "frtol", "xtol", "xatol", "xrtol", "tol_norm", "line_search",
        "jac_options", "sigma_eps", "sigma_0", "eta_strategy", "fnorm", "func",
    ),
)  # fmt: skip
