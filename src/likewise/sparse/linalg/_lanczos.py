"""A few eigenvalues of Hermitian operators, many problems at once.

K. Wu, H. Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, SIAM J.
Matrix Anal. Appl. 22(2), 2000; new vectors are made orthogonal to all others, twice. A basis that
ends in an invariant subspace goes on with another vector.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import eigh
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from ...transforms import fori_loop

__all__ = ["Ritz", "lanczos", "start_vectors"]

Map = Callable[[Any], Any]


class Ritz(NamedTuple):
    """The state between restarts; at the end the eigenvalues and vectors."""

    vectors: Any  # (B, m + 1, n)
    projected: Any  # (B, m, m): its upper triangle
    values: Any  # (B, p), the wanted first
    count: Any  # (B,): how many vectors were kept
    nit: Any
    status: Any


def start_vectors(like: Any, count: int) -> Any:
    """Return vectors (count, n) without a pattern, the same in each call."""
    xp = array_namespace(like)
    n = like.shape[-1]
    real = xp.real(like).dtype if xp.isdtype(like.dtype, "complex floating") else like.dtype
    places = xp.astype(xp.arange(count * n, device=device(like)), real)
    found = xp.sin(1.0 + places * 1.6180339887498949) + 0.3 * xp.cos(places * places * 0.7320508)
    return xp.astype(xp.reshape(found, (count, n)), like.dtype)


def _ranked(xp: Any, theta: Any, which: str) -> Any:
    """Return a key by which the wanted eigenvalues, in ascending order, come first."""
    if which == "LM":
        return -xp.abs(theta)
    if which == "SM":
        return xp.abs(theta)
    if which == "LA":
        return -theta
    if which == "SA":
        return theta
    m = theta.shape[-1]  # from both ends, the upper one first
    places = xp.astype(xp.arange(m, device=device(theta)), theta.dtype)
    key = xp.where(places < m - 1 - places, 2 * places + 1, 2 * (m - 1 - places))
    return xp.broadcast_to(key, tuple(theta.shape))


def lanczos(
    product: Map, weigh: Map, v: Any, k: int, m: int, which: str, tol: float, most: int
) -> Ritz:
    """Return k eigenvalues of ``product``, rows (B, n), from the start `v`.

    The map is self-adjoint in the inner product ``x^H weigh(y)``.
    """
    xp = array_namespace(v)
    count, n = v.shape
    eps = float(xp.finfo(v.dtype).eps)
    keep = min(k + max(1, (m - k) // 2), m - 1) if m > 1 else 0
    keep = max(keep, min(k, m - 1))
    places = xp.arange(m + 1, device=device(v))
    others = start_vectors(v[:1, :], m)
    eye = xp.eye(m, dtype=v.dtype, device=device(v))

    def conj(a: Any) -> Any:
        ns = array_namespace(a)
        return ns.conj(a) if ns.isdtype(a.dtype, "complex floating") else a

    def length(w: Any) -> Any:
        ns = array_namespace(w)
        square = ns.vecdot(w, weigh(w), axis=-1)
        square = ns.real(square) if ns.isdtype(square.dtype, "complex floating") else square
        return ns.sqrt(ns.where(square > 0, square, ns.zeros_like(square)))

    def apart(basis: Any, w: Any) -> tuple[Any, Any]:
        """Make w orthogonal to the basis; return it and its parts."""
        ns = array_namespace(basis, w)
        parts = ns.matmul(conj(basis), weigh(w)[:, :, None])[..., 0]
        return w - ns.matmul(parts[:, None, :], basis)[:, 0, :], parts

    def unit(w: Any) -> tuple[Any, Any]:
        ns = array_namespace(w)
        size = length(w)
        safe = ns.where(size > 0, size, ns.ones_like(size))
        return w / safe[:, None], size

    def extended(i: Any, s: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        basis, projected, _ = s
        ns = array_namespace(basis)
        here, there = (ns.astype(places == j, basis.dtype) for j in (i, i + 1))
        now = ns.matmul(here[None, None, :], basis)[:, 0, :]
        w = product(now)
        before = length(w)
        w, first = apart(basis, w)
        w, second = apart(basis, w)
        column = (first + second)[:, :m]
        beta = length(w)
        broken = beta <= 10 * eps * before
        other = ns.matmul(here[None, :m], others)
        w = ns.where(broken[:, None], ns.broadcast_to(other, (count, n)), w)
        w, _ = unit(w)
        w, _ = apart(basis, w)
        w, _ = apart(basis, w)
        w, _ = unit(w)
        basis = basis * (1 - there)[None, :, None] + there[None, :, None] * w[:, None, :]
        row = here[:m]
        projected = projected * (1 - row)[None, None, :] + column[:, :, None] * row[None, None, :]
        return basis, projected, ns.where(broken, ns.zeros_like(beta), beta)

    def cycle(begun: int, basis: Any, projected: Any, nit: Any) -> Ritz:
        ns = array_namespace(basis)
        none = ns.zeros_like(length(basis[:, 0, :]))
        basis, projected, beta = fori_loop(begun, m, extended, (basis, projected, none))
        ns = array_namespace(basis)
        upper = ns.triu(projected)
        whole = upper + conj(ns.matrix_transpose(ns.triu(projected, k=1)))
        real = whole * eye
        whole = whole - real + 0.5 * (real + conj(real))
        finite = ns.all(ns.isfinite(whole), axis=(1, 2))
        theta, turn = eigh(ns.where(finite[:, None, None], whole, eye))
        order = ns.argsort(_ranked(ns, theta, which), axis=-1)[:, : max(keep, k)]
        theta = ns.take_along_axis(theta, order, axis=-1)
        index = ns.broadcast_to(order[:, None, :], (count, m, order.shape[1]))
        turn = ns.take_along_axis(turn, index, axis=-1)
        error = beta[:, None] * ns.abs(turn[:, m - 1, :k])
        floor = ns.maximum(ns.abs(theta[:, :k]), ns.full_like(theta[:, :k], eps ** (2 / 3)))
        size = ns.max(ns.abs(theta), axis=-1, keepdims=True)
        least = ns.maximum(max(tol, eps) * floor, 2 * eps * size)
        done = ns.all(error <= least, axis=-1)
        kept = ns.matmul(ns.matrix_transpose(turn), basis[:, :m, :])
        rest = ns.zeros((count, m - kept.shape[1], n), dtype=basis.dtype, device=device(basis))
        p = min(keep, m - 1) if m > 1 else 0
        if p == kept.shape[1]:
            new = ns.concat([kept, basis[:, m:, :], rest], axis=1)
        else:
            new = ns.concat([kept, rest, basis[:, m:, :]], axis=1)
        missing = (count, m - theta.shape[1])
        none = ns.zeros(missing, dtype=theta.dtype, device=device(theta))
        filled = ns.concat([theta, none], axis=-1)
        projected = ns.astype(filled, basis.dtype)[:, None, :] * eye
        status = outcomes(beta, (done, Outcome.CONVERGED), (~finite, Outcome.NOT_FINITE))
        return Ritz(new, projected, theta, nit * 0 + p, nit + 1, status)

    first = unit(v)[0]
    basis = xp.concat(
        [first[:, None, :], xp.zeros((count, m, n), dtype=v.dtype, device=device(v))], axis=1
    )
    zero = xp.zeros((count,), dtype=xp.int32, device=device(v))
    projected = xp.zeros((count, m, m), dtype=v.dtype, device=device(v))
    begin = cycle(0, basis, projected, zero)
    p = keep if m > 1 else 0

    def step(_: Any, s: Ritz) -> Ritz:
        return cycle(p, s.vectors, s.projected, s.nit)

    # The products are of all problems.
    return iterate(Method(lambda _: begin, step), (), max(most - 1, 0), joint=True)
