"""Conjugate gradients and their kin for square systems, many problems at once.

M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49, 1952; C. Lanczos, the same, for pairs of
bases; P. Sonneveld, SIAM J. Sci. Stat. Comput. 10, 1989 (CGS); H. A. van der Vorst, the same 13,
1992 (BiCGSTAB). As R. Barrett et al., Templates for the Solution of Linear Systems, SIAM 1994,
write them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...solving._driver import Method
from ...solving._outcome import Outcome, outcomes
from ._steps import dot, norm, over, times

__all__ = ["Maps", "bicg", "bicgstab", "cg", "cgs"]

# How a problem ends whose next direction doesn't exist.
RHO, OMEGA = Outcome.STALLED, Outcome.FLAT


class Maps(NamedTuple):
    """Hold the maps of rows (B, n): the operator, the preconditioner, and their transposes."""

    product: Callable[[Any], Any]
    adjoint: Callable[[Any], Any]
    precondition: Callable[[Any], Any]
    readjoint: Callable[[Any], Any]


def ended(r: Any, atol: Any, *broken: tuple[Any, int]) -> Any:
    """Return the outcome: a residual below the tolerance, something not finite, or a breakdown."""
    xp = array_namespace(r)
    length = norm(r)
    near = (length < atol) | (length == 0)
    finite = xp.isfinite(length)
    return outcomes(length, *broken, (~finite, Outcome.NOT_FINITE), (near, Outcome.CONVERGED))


def _tiny(rho: Any, a: Any, b: Any) -> Any:
    """Tell where the inner product of two vectors is nothing but rounding's."""
    xp = array_namespace(rho)
    return xp.abs(rho) <= float(xp.finfo(a.dtype).eps) ** 2 * norm(a) * norm(b)


class Conjugate(NamedTuple):
    """The state of `cg`."""

    x: Any  # (B, n)
    r: Any
    p: Any
    rho: Any  # (B,)
    status: Any


def cg(maps: Maps, b: Any, x: Any, r: Any, atol: Any) -> Method:
    """Return the steps of conjugate gradients."""
    first = Conjugate(x, r, array_namespace(x).zeros_like(x), _none(r), ended(r, atol))

    def step(_: Any, s: Conjugate) -> Conjugate:
        z = maps.precondition(s.r)
        rho = dot(s.r, z)
        p = times(over(rho, s.rho), s.p) + z
        q = maps.product(p)
        alpha = over(rho, dot(p, q))
        x = s.x + times(alpha, p)
        r = s.r - times(alpha, q)
        return Conjugate(x, r, p, rho, ended(r, atol))

    return Method(lambda _: first, step)


class Pair(NamedTuple):
    """The state of `bicg`."""

    x: Any
    r: Any
    rtilde: Any
    p: Any
    ptilde: Any
    rho: Any
    status: Any


def bicg(maps: Maps, b: Any, x: Any, r: Any, atol: Any) -> Method:
    """Return the steps of biconjugate gradients."""
    xp = array_namespace(x)
    none = xp.zeros_like(x)
    first = Pair(x, r, r, none, none, _none(r), ended(r, atol))

    def step(_: Any, s: Pair) -> Pair:
        ns = array_namespace(s.x)
        z, ztilde = maps.precondition(s.r), maps.readjoint(s.rtilde)
        rho = dot(s.rtilde, z)
        beta = over(rho, s.rho)
        p, ptilde = times(beta, s.p) + z, times(_conj(beta), s.ptilde) + ztilde
        q, qtilde = maps.product(p), maps.adjoint(ptilde)
        along = dot(ptilde, q)
        alpha = over(rho, along)
        x, r = s.x + times(alpha, p), s.r - times(alpha, q)
        rtilde = s.rtilde - times(_conj(alpha), qtilde)
        lost = _tiny(rho, s.rtilde, z)
        x, r = (ns.where(lost[:, None], old, new) for old, new in ((s.x, x), (s.r, r)))
        status = ended(r, atol, (along == 0, OMEGA), (lost, RHO))
        return Pair(x, r, rtilde, p, ptilde, rho, status)

    return Method(lambda _: first, step)


class Squared(NamedTuple):
    """The state of `cgs`."""

    x: Any
    r: Any
    p: Any
    u: Any
    q: Any
    rho: Any
    status: Any


def cgs(maps: Maps, b: Any, x: Any, r: Any, atol: Any) -> Method:
    """Return the steps of squared conjugate gradients."""
    xp = array_namespace(x)
    none = xp.zeros_like(x)
    shadow = r
    first = Squared(x, r, none, none, none, _none(r), ended(r, atol))

    def step(_: Any, s: Squared) -> Squared:
        ns = array_namespace(s.x)
        rho = dot(shadow, s.r)
        beta = over(rho, s.rho)
        u = s.r + times(beta, s.q)
        p = u + times(beta, s.q + times(beta, s.p))
        v = maps.product(maps.precondition(p))
        along = dot(shadow, v)
        alpha = over(rho, along)
        q = u - times(alpha, v)
        move = maps.precondition(u + q)
        x, r = s.x + times(alpha, move), s.r - times(alpha, maps.product(move))
        lost = _tiny(rho, shadow, s.r)
        x, r = (ns.where(lost[:, None], old, new) for old, new in ((s.x, x), (s.r, r)))
        status = ended(r, atol, (along == 0, OMEGA), (lost, RHO))
        return Squared(x, r, p, u, q, rho, status)

    return Method(lambda _: first, step)


class Stable(NamedTuple):
    """The state of `bicgstab`."""

    x: Any
    r: Any
    p: Any
    v: Any
    rho: Any
    alpha: Any
    omega: Any
    status: Any


def bicgstab(maps: Maps, b: Any, x: Any, r: Any, atol: Any) -> Method:
    """Return the steps of stabilised biconjugate gradients."""
    xp = array_namespace(x)
    none, zero = xp.zeros_like(x), _none(r)
    shadow = r
    first = Stable(x, r, none, none, zero, zero, zero, ended(r, atol))

    def step(_: Any, s: Stable) -> Stable:
        ns = array_namespace(s.x)
        rho = dot(shadow, s.r)
        begun = s.rho != 0
        no_turn = begun & (s.omega == 0)
        lost = _tiny(rho, shadow, s.r) | no_turn
        beta = over(rho, s.rho) * over(s.alpha, s.omega)
        p = s.r + times(beta, s.p - times(s.omega, s.v))
        near = maps.precondition(p)
        v = maps.product(near)
        along = dot(shadow, v)
        alpha = over(rho, along)
        half = s.r - times(alpha, v)
        enough = norm(half) < atol
        other = maps.precondition(half)
        t = maps.product(other)
        omega = over(dot(t, half), dot(t, t))
        omega = ns.where(enough, ns.zeros_like(omega), omega)
        x = s.x + times(alpha, near) + times(omega, other)
        r = half - times(omega, t)
        x, r = (ns.where(lost[:, None], old, new) for old, new in ((s.x, x), (s.r, r)))
        status = ended(r, atol, (along == 0, OMEGA), (lost, RHO), (no_turn, OMEGA))
        return Stable(x, r, p, v, rho, alpha, omega, status)

    return Method(lambda _: first, step)


def _none(r: Any) -> Any:
    return array_namespace(r).zeros((r.shape[0],), dtype=r.dtype, device=device(r))


def _conj(a: Any) -> Any:
    xp = array_namespace(a)
    return xp.conj(a) if xp.isdtype(a.dtype, "complex floating") else a
