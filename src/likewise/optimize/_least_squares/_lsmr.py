"""LSMR: least squares with products of a matrix, many problems at once.

D. C.-L. Fong, M. Saunders, LSMR: an iterative algorithm for sparse least-squares problems, SIAM J.
Sci. Comput. 33(5), 2011 (arXiv:1006.0758), sections 2.2, 2.8 and 3; without damping. It also ends
when the solution grows beyond a radius (as T. Steihaug, SIAM J. Numer. Anal. 20(3), 1983, for
conjugate gradients: the norm of the iterates grows monotonically).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from .._steps._trust_region import norm

__all__ = ["lsmr"]


class _State(NamedTuple):
    u: Any  # (B, n), of the Golub-Kahan process
    v: Any  # (B, p)
    h: Any  # (B, p)
    hbar: Any  # (B, p)
    x: Any  # (B, p)
    alpha: Any  # (B,), and all that follow
    alphabar: Any
    zetabar: Any  # its size is the norm of J^T r
    rho: Any
    rhobar: Any
    cbar: Any
    sbar: Any
    status: Any


def _over(xp: Any, a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0."""
    zero = b == 0
    return xp.where(
        zero, xp.zeros_like(a / xp.ones_like(b)), a / xp.where(zero, xp.ones_like(b), b)
    )


def lsmr(
    forward: Callable[[Any], Any],
    backward: Callable[[Any], Any],
    b: Any,
    rtol: Any,
    radius: Any,
    most: int,
) -> Any:
    """Return the x, (B, p), that minimises ``|forward(x) - b|``, starting from 0.

    Ends when the norm of the normal equations' residual is `rtol`, (B,), times that at 0, when x
    is longer than `radius`, (B,), or after `most` steps. Norms are Euclidean.
    """
    xp = array_namespace(b)
    beta = norm(xp, b)
    u = _over(xp, b, beta[:, None])
    v = backward(u)
    alpha = norm(xp, v)
    v = _over(xp, v, alpha[:, None])
    one, zero = xp.ones_like(beta), xp.zeros_like(beta)
    start = alpha * beta
    first = _State(
        u, v, v, xp.zeros_like(v), xp.zeros_like(v), alpha, alpha, start, one, one, one, zero,
        outcomes(start, (~((start > 0) & xp.isfinite(start)), Outcome.CONVERGED)),
    )  # fmt: skip

    def step(_: Any, s: _State) -> _State:
        # The next vectors of the bidiagonalisation.
        u = forward(s.v) - s.alpha[:, None] * s.u
        beta = norm(xp, u)
        u = _over(xp, u, beta[:, None])
        v = backward(u) - beta[:, None] * s.v
        alpha = norm(xp, v)
        v = _over(xp, v, alpha[:, None])
        # Two rotations: of the bidiagonal matrix, and of its product with the transpose.
        rho = xp.hypot(s.alphabar, beta)
        c, sine = _over(xp, s.alphabar, rho), _over(xp, beta, rho)
        theta, alphabar = sine * alpha, c * alpha
        thetabar, rhotemp = s.sbar * rho, s.cbar * rho
        rhobar = xp.hypot(rhotemp, theta)
        cbar, sbar = _over(xp, rhotemp, rhobar), _over(xp, theta, rhobar)
        zeta, zetabar = cbar * s.zetabar, -sbar * s.zetabar
        # Of h, hbar and x.
        hbar = s.h - _over(xp, thetabar * rho, s.rho * s.rhobar)[:, None] * s.hbar
        x = s.x + _over(xp, zeta, rho * rhobar)[:, None] * hbar
        h = v - _over(xp, theta, rho)[:, None] * s.h
        going = (xp.abs(zetabar) > rtol * start) & (norm(xp, x) < radius) & (beta > 0)
        going = going & xp.all(xp.isfinite(x), axis=1)
        status = outcomes(rho, (~going, Outcome.CONVERGED))
        return _State(u, v, h, hbar, x, alpha, alphabar, zetabar, rho, rhobar, cbar, sbar, status)

    # The products are of all problems.
    return iterate(Method(lambda _: first, step), (), most, joint=True).x
