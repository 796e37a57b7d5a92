"""Newton's method with a trust region, in the spaces that Lanczos' vectors span.

N. I. M. Gould, S. Lucidi, M. Roma, P. L. Toint, Solving the trust-region subproblem using the
Lanczos method, SIAM J. Optim. 9(2), 1999, algorithm 5.1, with all vectors kept and orthogonal. The
small problem is solved by the eigenvectors of the tridiagonal matrix.
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....linalg import eigh
from ....solving._driver import Method, iterate
from ....solving._outcome import Outcome, outcomes
from ..._steps._trust_region import norm, secular
from .._method import Row
from .._objective import Objective
from .._region import OPTIONS, Step, in_regions

__all__ = ["METHOD"]

_MOST = 50  # vectors


class _Space(NamedTuple):
    vectors: Any  # (B, k, p), orthonormal; zeros where there is none yet
    products: Any  # (B, k, p), the Hessian times these
    matrix: Any  # (B, k, k), tridiagonal; far above on the diagonal where there is none yet
    vector: Any  # (B, p), the next
    h: Any  # (B, k), the step in these coordinates
    boundary: Any
    status: Any
    count: Any


def _trust_krylov(objective: Objective, inexact: bool, **options: Any) -> Method:
    def solve(x: Any, g: Any, radius: Any, running: Any) -> Step:
        return _lanczos(objective, inexact, x, g, radius, running)

    return in_regions(objective, solve, **options)


def _lanczos(
    objective: Objective, inexact: bool, x: Any, g: Any, radius: Any, running: Any
) -> Step:
    xp = array_namespace(x)
    p = int(x.shape[1])
    most = min(p, _MOST)
    size = norm(xp, g)
    unit = -g / xp.where(size > 0, size, 1.0)[:, None]
    part = 1e-8
    if inexact:
        part = xp.minimum(xp.full_like(size, 0.5), xp.sqrt(size))
    enough = size * part
    places = xp.arange(most, dtype=xp.int32, device=device(x))
    zeros = xp.zeros((x.shape[0], most, p), dtype=x.dtype, device=device(x))
    eye = xp.eye(most, dtype=x.dtype, device=device(x))
    # Of a gradient that is its own multiple of the Hessian, sizes are not known before.
    status = outcomes(size, (~running | ~(size > 0), Outcome.CONVERGED))
    none = zeros[:, :, 0]
    first = _Space(
        *(zeros, zeros, xp.zeros_like(x[:, :1, None]) * eye, unit, none),
        *(xp.zeros_like(running), status, xp.zeros_like(status)),
    )
    slope = -size[:, None] * xp.astype(places == 0, x.dtype)
    eps = float(xp.finfo(x.dtype).eps)

    def step(_: Any, s: _Space) -> _Space:
        bv = objective.hessian_product(x, s.vector)
        finite = xp.all(xp.isfinite(bv), axis=1)
        bv = xp.where(finite[:, None], bv, xp.zeros_like(bv))
        here = (places == s.count[:, None])[:, :, None]
        vectors = xp.where(here, s.vector[:, None, :], s.vectors)
        products = xp.where(here, bv[:, None, :], s.products)
        row = xp.matmul(vectors, bv[:, :, None])  # of the matrix
        column = xp.matrix_transpose(row)
        matrix = xp.where(here, column, s.matrix)
        matrix = xp.where(xp.matrix_transpose(here), row, matrix)
        known = places <= s.count[:, None]
        top = 2 * xp.max(xp.abs(matrix), axis=(1, 2)) + 1
        away = xp.where(known, 0.0, top[:, None])[:, :, None] * eye
        whole = matrix + away  # which may overflow
        usable = xp.all(xp.isfinite(whole), axis=(1, 2))[:, None, None]
        values, turns = eigh(xp.where(usable, whole, 0 * away + eye))
        gradient = xp.matmul(xp.matrix_transpose(turns), slope[:, :, None])[:, :, 0]
        small, border = secular(values, gradient, radius)
        h = xp.matmul(turns, small[:, :, None])[:, :, 0]
        # The next vector, twice made orthogonal to all.
        rest = bv
        for _ in range(2):
            along = xp.matmul(vectors, rest[:, :, None])
            rest = rest - xp.matmul(xp.matrix_transpose(vectors), along)[:, :, 0]
        length = norm(xp, rest)
        last = xp.abs(xp.sum(xp.where(places == s.count[:, None], h, 0.0), axis=1))
        closed = length <= 10 * eps * norm(xp, bv)
        done = (length * last <= enough) | closed | ~finite | (s.count + 1 >= most)
        return _Space(
            vectors,
            products,
            matrix,
            rest / xp.where(closed, 1.0, length)[:, None],
            xp.where(finite[:, None], h, s.h),
            border,
            outcomes(length, (done, Outcome.CONVERGED)),
            s.count + 1,
        )

    # The objective takes all problems: none are dropped.
    end: _Space = iterate(Method(lambda _: first, step), (), most, joint=True)
    both = xp.matmul(end.h[:, None, :], xp.concat([end.vectors, end.products], axis=2))[:, 0, :]
    return Step(both[:, :p], both[:, p:], end.boundary, end.count)


METHOD = Row(
    "trust-krylov",
    _trust_krylov,
    OPTIONS | {"inexact": True},
    curved=True,
    routine=True,
    vectors=lambda p, options: 6 * min(p, _MOST),
)
