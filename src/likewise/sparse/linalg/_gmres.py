"""GMRES with restarts, many problems at once.

Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7(3), 1986. New vectors are made orthogonal to
all earlier ones at once, twice. The rotations that make the Hessenberg matrix triangular are kept
as their product, so that a column takes one small product.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import solve_triangular
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ._conjugate import Maps, ended
from ._steps import norm, over, times

__all__ = ["Cycles", "gmres"]


class Cycles(NamedTuple):
    """The state between restarts."""

    x: Any  # (B, n)
    r: Any
    share: Any  # (B,): by which the inner tolerance is lowered
    inner: Any  # (B,): the preconditioned residual that ends a cycle
    level: Any  # (B,): the one that the last cycle ended with
    nit: Any  # (B,): vectors
    status: Any


class _Basis(NamedTuple):
    """The state within a cycle of m vectors."""

    vectors: Any  # (B, m + 1, n)
    turn: Any  # (B, m + 1, m + 1): the product of all rotations
    upper: Any  # (B, m, m + 1): the columns of the triangle, as rows
    right: Any  # (B, m + 1)
    level: Any  # (B,)
    count: Any
    status: Any


def gmres(
    maps: Maps,
    b: Any,
    x: Any,
    r: Any,
    atol: Any,
    restart: int,
    most: int | None = None,
    tell: Callable[[Method], Method] | None = None,
) -> Method:
    """Return the cycles of GMRES, each of `restart` vectors, of which there are `most` in all.

    `tell` makes a callback's steps of those of a cycle.
    """
    xp = array_namespace(x)
    one = xp.ones_like(atol)
    length = norm(b)
    zero = xp.zeros((x.shape[0],), dtype=xp.int32, device=device(x))
    inner = norm(maps.precondition(b)) * xp.minimum(one, over(atol, length))
    first = Cycles(x, r, one, inner, one, zero, ended(r, atol))

    def step(_: Any, s: Cycles) -> Cycles:
        ns = array_namespace(s.x)
        end = _cycle(maps, s, restart, most, tell)
        upper = end.upper[:, :, :restart]
        places = ns.arange(restart, device=device(s.x))
        used = places[None, :] < end.count[:, None]
        diagonal = ns.sum(upper * ns.eye(restart, dtype=upper.dtype, device=device(upper)), axis=-1)
        empty = ~used | (diagonal == 0)
        eye = ns.eye(restart, dtype=upper.dtype, device=device(upper))
        upper = upper + ns.where(empty, ns.ones_like(diagonal), 0 * diagonal)[:, :, None] * eye
        right = ns.where(empty, 0 * end.right[:, :restart], end.right[:, :restart])
        shares = solve_triangular(ns.matrix_transpose(upper), right[:, :, None])[..., 0]
        x = s.x + ns.matmul(shares[:, None, :], end.vectors[:, :restart, :])[:, 0, :]
        r = b - maps.product(x)
        length, eps = norm(r), float(ns.finfo(x.dtype).eps)
        lower, higher = ns.maximum(eps + 0 * atol, 0.25 * s.share), ns.minimum(one, 1.5 * s.share)
        share = ns.where(end.level <= s.inner, lower, higher)
        inner = end.level * ns.minimum(share, over(atol, length))
        nit = s.nit + end.count
        broken = end.status == Outcome.STALLED
        over_ = (nit >= (2**31 - 1 if most is None else most)) | broken
        status = ended(r, atol, (over_, Outcome.LIMIT))
        status = ns.where(length <= atol, ns.full_like(status, Outcome.CONVERGED), status)
        return Cycles(x, r, share, inner, end.level, nit, status)

    return Method(lambda _: first, step)


def _cycle(maps: Maps, s: Cycles, m: int, most: int | None, tell: Any) -> _Basis:
    """Build a basis until the residual is small enough, from the residual `s.r`."""
    xp = array_namespace(s.x)
    eps = float(xp.finfo(s.x.dtype).eps)
    z = maps.precondition(s.r)
    beta = norm(z)
    count = s.x.shape[0]
    where = {"dtype": s.x.dtype, "device": device(s.x)}
    places = xp.arange(m + 1, device=device(s.x))
    head = xp.astype(places == 0, s.x.dtype)
    start = times(over(xp.ones_like(beta), beta), z)
    eye = xp.eye(m + 1, **where)
    zero = xp.zeros((count,), dtype=xp.int32, device=device(s.x))
    first = _Basis(
        head[None, :, None] * start[:, None, :],
        xp.broadcast_to(eye, (count, m + 1, m + 1)) + xp.zeros((count, 1, 1), **where),
        xp.zeros((count, m, m + 1), **where),
        beta[:, None] * head[None, :],
        beta,
        zero,
        outcomes(beta, (~((beta > 0) & xp.isfinite(beta)), Outcome.CONVERGED)),
    )

    def step(_: Any, c: _Basis) -> _Basis:
        ns = array_namespace(c.right)
        now = places[None, :] == c.count[:, None]  # (B, m + 1)
        then = places[None, :] == c.count[:, None] + 1
        here, there = ns.astype(now, c.right.dtype), ns.astype(then, c.right.dtype)
        v = ns.matmul(here[:, None, :], c.vectors)[:, 0, :]
        w = maps.precondition(maps.product(v))
        before = norm(w)
        column = 0 * c.right
        for _again in range(2):
            found = ns.matmul(_conj(c.vectors), w[:, :, None])[..., 0]
            w = w - ns.matmul(found[:, None, :], c.vectors)[:, 0, :]
            column = column + found
        after = norm(w)
        broken = after <= eps * before
        after = ns.where(broken, 0 * after, after)
        vectors = (
            c.vectors + there[:, :, None] * times(over(ns.ones_like(after), after), w)[:, None, :]
        )
        column = column + times(after, there)
        column = ns.matmul(c.turn, column[:, :, None])[..., 0]
        # The rotation that makes the last element 0.
        a, d = ns.sum(column * here, axis=1), ns.sum(column * there, axis=1)
        size = ns.sqrt(ns.abs(a) ** 2 + ns.abs(d) ** 2)
        safe = ns.where(size == 0, ns.ones_like(size), size)
        cosine, sine = ns.where(size == 0, 0 * a + 1, a / safe), d / safe
        rows = [ns.sum(p[:, :, None] * c.turn, axis=1) for p in (here, there)]
        upper_row = times(_conj(cosine), rows[0]) + times(_conj(sine), rows[1])
        lower_row = times(cosine, rows[1]) - times(sine, rows[0])
        keep = ns.astype(~(now | then), c.right.dtype)[:, :, None]
        turn = (
            keep * c.turn
            + here[:, :, None] * upper_row[:, None, :]
            + there[:, :, None] * lower_row[:, None, :]
        )
        column = ns.where(now, (size + 0 * a)[:, None], ns.where(then, 0 * column, column))
        upper = c.upper + here[:, :m, None] * column[:, None, :]
        right = beta[:, None] * turn[:, :, 0]
        level = ns.abs(ns.sum(right * there, axis=1))
        count = c.count + 1
        full = count >= m
        if most is not None:
            full = full | (s.nit + count >= most)
        status = outcomes(
            level,
            (full, Outcome.LIMIT),
            (~ns.isfinite(level), Outcome.NOT_FINITE),
            (broken, Outcome.STALLED),
            (level <= s.inner, Outcome.CONVERGED),
        )
        return _Basis(vectors, turn, upper, right, level, count, status)

    # The products are of all problems.
    method = Method(lambda _: first, step)
    return iterate(method if tell is None else tell(method), (), m, joint=True)


def _conj(a: Any) -> Any:
    xp = array_namespace(a)
    return xp.conj(a) if xp.isdtype(a.dtype, "complex floating") else a
