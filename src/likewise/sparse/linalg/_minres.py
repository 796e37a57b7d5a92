"""MINRES: symmetric, perhaps indefinite systems, many problems at once.

C. C. Paige, M. A. Saunders, Solution of sparse indefinite systems of linear equations, SIAM J.
Numer. Anal. 12(4), 1975, with the estimates and tests of their later report with S.-C. T. Choi,
SIAM J. Sci. Comput. 33(4), 2011.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from ._conjugate import Maps
from ._steps import dot, norm, over, times

__all__ = ["ASYMMETRIC", "INDEFINITE", "minres"]

INDEFINITE, ASYMMETRIC = Outcome.UNBOUNDED, Outcome.BAD_START


class _State(NamedTuple):
    x: Any  # (B, n)
    last: Any  # of the Lanczos process: the residual before
    now: Any
    y: Any
    w: Any
    before: Any  # w of the step before
    beta: Any  # (B,), and all that follow
    dbar: Any
    epsilon: Any
    phibar: Any
    c: Any
    s: Any
    squares: Any
    most: Any
    least: Any
    nit: Any
    status: Any


def minres(maps: Maps, b: Any, x: Any, r: Any, rtol: float, shift: Any) -> Method:
    """Return the steps of MINRES for ``(A - shift I) x = b``."""
    xp = array_namespace(x)
    y = maps.precondition(r)
    square = _real(dot(r, y))
    beta1 = xp.sqrt(xp.where(square > 0, square, xp.zeros_like(square)))
    eps = float(xp.finfo(x.dtype).eps)
    zero, one = xp.zeros_like(beta1), xp.ones_like(beta1)
    none = xp.zeros_like(x)
    status = outcomes(
        beta1,
        (~xp.isfinite(square), Outcome.NOT_FINITE),
        (square == 0, Outcome.CONVERGED),
        (square < 0, INDEFINITE),
    )
    first = _State(
        *(x, none, r, y, none, none, beta1, zero, zero, beta1, -one, zero, zero, zero),
        one * float(xp.finfo(x.dtype).max),
        xp.zeros((x.shape[0],), dtype=xp.int32, device=device(x)),
        status,
    )

    def step(_: Any, s: _State) -> _State:
        ns = array_namespace(s.x)
        v = times(over(ns.ones_like(s.beta), s.beta), s.y)
        y = maps.product(v)
        if shift:
            y = y - shift * v
        y = y - s.last
        alpha = _real(dot(v, y))
        y = y - times(over(alpha, s.beta), s.now)
        r2 = y
        y = maps.precondition(r2)
        square = _real(dot(r2, y))
        beta = ns.sqrt(ns.where(square > 0, square, ns.zeros_like(square)))
        squares = s.squares + alpha**2 + s.beta**2 + beta**2
        lone = (s.nit == 0) & (beta <= 10 * eps * s.beta)
        # The last rotation, and the next one.
        delta = s.c * s.dbar + s.s * alpha
        gbar = s.s * s.dbar - s.c * alpha
        epsilon, dbar = s.s * beta, -s.c * beta
        root = ns.hypot(gbar, dbar)
        gamma = ns.maximum(ns.hypot(gbar, beta), eps + 0 * beta)
        c, sine = gbar / gamma, beta / gamma
        phi, phibar = c * s.phibar, sine * s.phibar
        w = times(1 / gamma, v - times(s.epsilon, s.before) - times(delta, s.w))
        x = s.x + times(phi, w)
        most, least = ns.maximum(s.most, gamma), ns.minimum(s.least, gamma)
        # The tests.
        size, length = ns.sqrt(squares), norm(x)
        no = (length == 0) | (size == 0)
        test1 = ns.where(no, ns.inf + 0 * size, over(phibar, size * length))
        test2 = ns.where(size == 0, ns.inf + 0 * size, over(root, size))
        done = (1 + test1 <= 1) | (1 + test2 <= 1) | (test1 <= rtol) | (test2 <= rtol) | lone
        done = done | (most / least >= 0.1 / eps) | (size * length * eps >= beta1)
        status = outcomes(
            beta,
            (done, Outcome.CONVERGED),
            (square < 0, ASYMMETRIC),
            (~ns.isfinite(phibar), Outcome.NOT_FINITE),
        )
        last = times(over(beta, s.beta), s.now)
        return _State(
            *(x, last, r2, y, w, s.w, beta, dbar, epsilon, phibar, c, sine, squares, most, least),
            s.nit + 1,
            status,
        )

    return Method(lambda _: first, step)


def _real(a: Any) -> Any:
    xp = array_namespace(a)
    return xp.real(a) if xp.isdtype(a.dtype, "complex floating") else a
