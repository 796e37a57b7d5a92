"""Least squares by products, many problems at once: LSMR and LSQR.

Both stand on the bidiagonalisation of G. Golub, W. Kahan, J. SIAM Numer. Anal. B 2, 1965. LSQR: C.
C. Paige, M. A. Saunders, ACM Trans. Math. Softw. 8, 1982. LSMR: D. C.-L. Fong, M. Saunders, SIAM J.
Sci. Comput. 33(5), 2011 (arXiv:1006.0758). With damping; the tests are theirs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ._steps import norm, over, times

__all__ = ["Bidiagonal", "Lsmr", "Lsqr", "judged", "lsmr_steps", "lsqr_steps", "trusted"]

Map = Callable[[Any], Any]


class Bidiagonal(NamedTuple):
    """Hold the vectors of the process."""

    u: Any  # (B, m)
    v: Any  # (B, n)
    alpha: Any  # (B,)
    beta: Any


def _begun(forward: Map, backward: Map, u: Any) -> Bidiagonal:
    beta = norm(u)
    u = times(over(array_namespace(u).ones_like(beta), beta), u)
    v = backward(u)
    alpha = norm(v)
    return Bidiagonal(u, times(over(array_namespace(v).ones_like(alpha), alpha), v), alpha, beta)


def _advanced(forward: Map, backward: Map, s: Bidiagonal) -> Bidiagonal:
    u = forward(s.v) - times(s.alpha, s.u)
    beta = norm(u)
    one = array_namespace(u).ones_like(beta)
    u = times(over(one, beta), u)
    v = backward(u) - times(beta, s.v)
    alpha = norm(v)
    return Bidiagonal(u, times(over(one, alpha), v), alpha, beta)


class Lsmr(NamedTuple):
    """The state of LSMR."""

    vectors: Bidiagonal
    h: Any  # (B, n)
    hbar: Any
    x: Any
    alphabar: Any  # (B,), and all that follow
    zetabar: Any
    rho: Any
    rhobar: Any
    cbar: Any
    sbar: Any
    betadd: Any  # of the estimates: of the residual's norm
    betad: Any
    rhodold: Any
    tautildeold: Any
    thetatilde: Any
    zeta: Any
    d: Any
    squares: Any
    most: Any
    least: Any
    normb: Any
    normr: Any
    normar: Any
    norma: Any
    conda: Any
    normx: Any
    start: Any  # normar at the start
    nit: Any
    status: Any


def lsmr_steps(
    forward: Map, backward: Map, b: Any, x: Any, r: Any, damp: Any, test: Callable[[Lsmr], Any]
) -> Method:
    """Return the steps of LSMR from `x`, None for 0, with the residual `r`.

    `test` gives a state's outcome.
    """
    xp = array_namespace(r)
    first = _begun(forward, backward, r)
    alpha, beta = first.alpha, first.beta
    x = xp.zeros_like(first.v) if x is None else x
    zero, one = xp.zeros_like(alpha), xp.ones_like(alpha)
    start = Lsmr(
        first, first.v, xp.zeros_like(first.v), x, alpha, alpha * beta, one, one, one, zero, beta,
        zero, one, zero, zero, zero, zero, alpha * alpha, zero, one *
        float(xp.finfo(alpha.dtype).max) ** 0.5, norm(b), beta, alpha * beta, alpha, one, norm(x),
        alpha * beta, xp.astype(zero, xp.int32), xp.astype(zero, xp.int32),
    )  # fmt: skip
    start = start._replace(status=test(start))

    def step(_: Any, s: Lsmr) -> Lsmr:
        ns = array_namespace(s.x)
        vectors = _advanced(forward, backward, s.vectors)
        alpha, beta = vectors.alpha, vectors.beta
        # Three rotations: of the damping, of the bidiagonal matrix, of its product's factor.
        alphahat = ns.hypot(s.alphabar, 0 * alpha + damp) if damp else s.alphabar
        chat, shat = over(s.alphabar, alphahat), over(0 * alpha + damp, alphahat)
        rho = ns.hypot(alphahat, beta)
        c, sine = over(alphahat, rho), over(beta, rho)
        theta, alphabar = sine * alpha, c * alpha
        thetabar, rhotemp = s.sbar * rho, s.cbar * rho
        rhobar = ns.hypot(rhotemp, theta)
        cbar, sbar = over(rhotemp, rhobar), over(theta, rhobar)
        zeta, zetabar = cbar * s.zetabar, -sbar * s.zetabar
        hbar = s.h - times(over(thetabar * rho, s.rho * s.rhobar), s.hbar)
        x = s.x + times(over(zeta, rho * rhobar), hbar)
        h = vectors.v - times(over(theta, rho), s.h)
        # The residual's norm.
        betaacute, betacheck = chat * s.betadd, -shat * s.betadd
        betahat, betadd = c * betaacute, -sine * betaacute
        rhotilde = ns.hypot(s.rhodold, thetabar)
        ctilde, stilde = over(s.rhodold, rhotilde), over(thetabar, rhotilde)
        thetatilde, rhodold = stilde * rhobar, ctilde * rhobar
        betad = -stilde * s.betad + ctilde * betahat
        tautilde = over(s.zeta - s.thetatilde * s.tautildeold, rhotilde)
        taud = over(zeta - thetatilde * tautilde, rhodold)
        d = s.d + betacheck * betacheck
        normr = ns.sqrt(d + (betad - taud) ** 2 + betadd * betadd)
        squares = s.squares + beta * beta
        norma = ns.sqrt(squares)
        squares = squares + alpha * alpha
        most = ns.maximum(s.most, s.rhobar)
        least = ns.where(s.nit > 0, ns.minimum(s.least, s.rhobar), s.least)
        conda = over(ns.maximum(most, rhotemp), ns.minimum(least, rhotemp))
        new = Lsmr(
            vectors, h, hbar, x, alphabar, zetabar, rho, rhobar, cbar, sbar, betadd, betad, rhodold,
            tautilde, thetatilde, zeta, d, squares, most, least, s.normb, normr, ns.abs(zetabar),
            norma, conda, norm(x), s.start, s.nit + 1, s.status,
        )  # fmt: skip
        return new._replace(status=test(new))

    return Method(lambda _: start, step)


class Lsqr(NamedTuple):
    """The state of LSQR."""

    vectors: Bidiagonal
    w: Any  # (B, n)
    x: Any
    var: Any  # (B, n), or (B, 0)
    rhobar: Any  # (B,), and all that follow
    phibar: Any
    res2: Any
    xxnorm: Any
    ddnorm: Any
    z: Any
    cs2: Any
    sn2: Any
    normb: Any
    normr: Any  # with the damping's part
    r1norm: Any
    normar: Any
    norma: Any
    conda: Any
    normx: Any
    nit: Any
    status: Any


def lsqr_steps(
    forward: Map,
    backward: Map,
    b: Any,
    x: Any,
    r: Any,
    damp: Any,
    test: Callable[[Lsqr], Any],
    variances: bool = False,
) -> Method:
    """Return the steps of LSQR from `x`, None for 0, with the residual `r`.

    `test` gives a state's outcome.
    """
    xp = array_namespace(r)
    first = _begun(forward, backward, r)
    alpha, beta = first.alpha, first.beta
    x = xp.zeros_like(first.v) if x is None else x
    zero, one = xp.zeros_like(alpha), xp.ones_like(alpha)
    flat = _real(first.v)
    start = Lsqr(
        first, first.v, x, xp.zeros_like(flat if variances else flat[:, :0]), alpha, beta, zero,
        zero, zero, zero, -one, zero, norm(b), beta, beta, alpha * beta, zero, zero, norm(x),
        xp.astype(zero, xp.int32), xp.astype(zero, xp.int32),
    )  # fmt: skip
    start = start._replace(status=test(start))

    def step(_: Any, s: Lsqr) -> Lsqr:
        ns = array_namespace(s.x)
        vectors = _advanced(forward, backward, s.vectors)
        alpha, beta = vectors.alpha, vectors.beta
        norma = ns.sqrt(s.norma**2 + s.vectors.alpha**2 + beta**2 + damp**2)
        # The rotations of the damping and of the bidiagonal matrix.
        rhobar1 = ns.hypot(s.rhobar, 0 * alpha + damp) if damp else s.rhobar
        c1, s1 = over(s.rhobar, rhobar1), over(0 * alpha + damp, rhobar1)
        psi, phibar = s1 * s.phibar, c1 * s.phibar
        rho = ns.hypot(rhobar1, beta)
        c, sine = over(rhobar1, rho), over(beta, rho)
        theta, rhobar = sine * alpha, -c * alpha
        phi, phibar = c * phibar, sine * phibar
        tau = sine * phi
        dk = times(over(ns.ones_like(rho), rho), s.w)
        x = s.x + times(over(phi, rho), s.w)
        w = vectors.v - times(over(theta, rho), s.w)
        ddnorm = s.ddnorm + norm(dk) ** 2
        var = s.var + ns.abs(dk) ** 2 if variances else s.var
        # The solution's norm.
        delta, gambar = s.sn2 * rho, -s.cs2 * rho
        rhs = phi - delta * s.z
        normx = ns.sqrt(s.xxnorm + over(rhs, gambar) ** 2)
        gamma = ns.hypot(gambar, theta)
        z = over(rhs, gamma)
        # The residual's norm, with and without the damping.
        res2 = s.res2 + psi**2
        normr = ns.sqrt(phibar**2 + res2)
        xxnorm = s.xxnorm + z**2
        square = normr**2 - damp**2 * xxnorm
        r1norm = ns.sqrt(ns.abs(square)) * ns.sign(square)
        new = Lsqr(
            vectors, w, x, var, rhobar, phibar, res2, xxnorm, ddnorm, z,
            over(gambar, gamma), over(theta, gamma), s.normb, normr, r1norm, alpha * ns.abs(tau),
            norma, norma * ns.sqrt(ddnorm), normx, s.nit + 1, s.status,
        )  # fmt: skip
        return new._replace(status=test(new))

    return Method(lambda _: start, step)


def judged(atol: float, btol: float, conlim: float, level: str) -> Callable[[Any], Any]:
    """Return the test of both routines: their outcomes are SciPy's `istop`, plus 100.

    `level` names the state's norm with which ``A^T r`` is compared.
    """

    def test(s: Any) -> Any:
        xp = array_namespace(s.normr)
        whole = s.norma * s.normx
        t1 = over(s.normr, s.normb + whole)
        scale = s.norma * getattr(s, level)
        t2 = xp.where(scale == 0, xp.full_like(scale, xp.inf), over(s.normar, scale))
        t2 = xp.where(s.normar == 0, xp.zeros_like(t2), t2)
        t3 = over(xp.ones_like(s.conda), s.conda)
        ctol = 1 / conlim if conlim > 0 else 0.0
        begun = s.nit > 0
        return outcomes(
            s.normr,
            (begun & (1 + t3 <= 1) & (s.conda > 0), 106),
            (begun & (1 + t2 <= 1), 105),
            (begun & (1 + t1 <= 1), 104),
            (begun & (t3 <= ctol) & (s.conda > 0), 103),
            (begun & (t2 <= atol), 102),
            (begun & (s.normr <= btol * s.normb + atol * whole), 101),
            (~begun & (s.normar == 0), 100),
            (~xp.isfinite(s.normr), Outcome.NOT_FINITE),
        )

    return test


def trusted(forward: Map, backward: Map, b: Any, rtol: Any, radius: Any, most: int) -> Any:
    """Return the x, (B, n), that minimises ``|forward(x) - b|``, from 0, by LSMR.

    Ends when the norm of the normal equations' residual is `rtol`, (B,), times that at 0, when x is
    longer than `radius`, (B,), or after `most` steps: the norm of the iterates grows (T. Steihaug,
    SIAM J. Numer. Anal. 20(3), 1983, for conjugate gradients).
    """

    def test(s: Lsmr) -> Any:
        ns = array_namespace(s.x)
        going = (s.normar > rtol * s.start) & (s.normx < radius)
        going = going & ((s.nit == 0) | (s.vectors.beta > 0)) & ns.isfinite(s.normx)
        return outcomes(s.normar, (~going, Outcome.CONVERGED))

    method = lsmr_steps(forward, backward, b, None, b, 0.0, test)
    # The products are of all problems.
    return iterate(method, (), most, joint=True).x


def _real(a: Any) -> Any:
    xp = array_namespace(a)
    return xp.real(a) if xp.isdtype(a.dtype, "complex floating") else a
