"""A few eigenvalues at one end by locally optimal steps: `lobpcg`.

A. V. Knyazev, Toward the optimal preconditioned eigensolver, SIAM J. Sci. Comput. 23(2), 2001. The
space of vectors, residuals and last steps has a fixed size: what depends linearly on the rest is
found by the eigenvalues of its Gram matrix, and put at the other end of the spectrum.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import public
from ...errors import ConvergenceWarning, ShapeError
from ...linalg import eigh
from ...linalg import solve as solve_dense
from ...solving._driver import Method, iterate
from ...solving._following import recordable
from ...solving._options import count, tolerance, warned
from ...solving._outcome import Outcome, outcomes
from ...solving._running import compiled
from ...transforms import stop_gradient
from ._arguments import square
from ._eigen import with_derivatives
from ._interface import Custom, columns_of

__all__ = ["lobpcg"]

Map = Callable[[Any], Any]


class _State(NamedTuple):
    x: Any  # (B, n, k)
    ax: Any
    bx: Any
    p: Any  # the last steps
    ap: Any
    bp: Any
    w: Any  # (B, k)
    error: Any  # (B, k): norms of residuals
    values: Any  # (B, maxiter + 1, k): the histories of w and error, or nothing
    errors: Any
    nit: Any
    status: Any


def _operator(A: Any, n: int) -> Any:
    """Return a function, which takes matrices (n, k), as an operator."""
    if not callable(A) or hasattr(A, "shape"):
        return A
    return Custom((n, n), lambda v: A(v[:, None])[:, 0], matmat=A, rmatmat=A)


@public
def lobpcg(
    A: Any,
    X: Any,
    B: Any = None,
    M: Any = None,
    Y: Any = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> tuple[Any, ...]:
    """Find the k largest or smallest eigenvalues of Hermitian operators, with a preconditioner.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Hermitian matrices (..., n, n), or an operator of that shape, or the product with a matrix
        (n, k) as a function.
    X : array, shape (..., n, k)
        Where to start: k columns that don't depend on each other.
    B : array, LinearOperator or callable, optional
        A positive definite map, for ``A v = w B v``.
    M : array, LinearOperator or callable, optional
        The preconditioner, positive definite: approximately the inverse of A.
    Y : array, shape (..., n, c), optional
        Columns to which the vectors are orthogonal, such as eigenvectors that are known.
    tol : float, optional
        A problem has converged when no residual's norm is above it. Default: n sqrt(eps).
    maxiter : int, optional
        Maximum number of iterations. Default: 20.
    largest : bool, optional
        Whether to find the largest, or the smallest.
    verbosityLevel, restartControl : int, optional
        SciPy's arguments, without effect.
    retLambdaHistory, retResidualNormsHistory : bool, optional
        Whether to return eigenvalues, and norms of residuals, of all iterations.

    Returns
    -------
    w : array, shape (..., k)
        The eigenvalues, in descending order, or with ``largest=False`` in ascending order. NaN
        where there is no vector: of data that aren't finite, an X of 0, a B that isn't positive.
    v : array, shape (..., n, k)
        The vectors, with ``v^H B v = 1``.
    values, errors : array, shape (..., iterations + 1, k)
        The histories, if asked for. In a batch, and of arrays without values, for all `maxiter`
        iterations; NaN, where a problem had ended.

    Warns
    -----
    ConvergenceWarning
        If a problem did not converge.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.
    ExtensionMissing
        If the library has no eigenvalues.

    Notes
    -----
    A. V. Knyazev, SIAM J. Sci. Comput. 23 (2001) 517-541. Products of A, B and M with k vectors per
    iteration, and eigenvalues of a matrix of 3 k rows. Each problem ends by itself. Differentiable
    as `eigsh`, with respect to all arrays that A and B depend on; of Y, only where its columns are
    eigenvectors.

    Differs from SciPy: batches, and derivatives; vectors that have converged stay, so that there
    are no restarts.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import lobpcg
    >>> start = np.cos(np.arange(12.0).reshape(6, 2))
    >>> w, v = lobpcg(np.diag([1.0, 5.0, 3.0, 2.0, 9.0, 4.0]), start)
    >>> w.round(6)
    array([9., 5.])
    """
    name = "lobpcg"
    if getattr(X, "ndim", 0) < 2:
        raise ShapeError(f"{name}: X must hold columns, (..., n, k), got {getattr(X, 'shape', X)}")
    n, k = (int(size) for size in X.shape[-2:])
    if k > n or k == 0:
        raise ShapeError(f"{name}: X must hold from 1 to n = {n} columns, got {k}")
    beside = (n, 0) if Y is None else tuple(getattr(Y, "shape", ()))
    if len(beside) < 2 or beside[-2] != n or beside[-1] + k > n:
        raise ShapeError(
            f"{name}: Y must hold columns of n = {n} elements, at most {n - k} beside those of X, "
            f"got {beside or Y}"
        )
    given = square(name, _operator(A, n), X[..., 0], None, _operator(B, n))
    guide = None if M is None else square(name, _operator(M, n), X[..., 0], None, None).A
    xp = array_namespace(given.b)
    eps = float(xp.finfo(given.b.dtype).eps)
    least = tolerance(name, "tol", tol, n * eps**0.5)
    most = count(name, "maxiter", maxiter, 20)
    shape = (given.b.shape[0], n, k)

    def wide(a: Any) -> Any:
        a = xp.astype(a, given.b.dtype)
        lead = () if given.batch is None else given.batch
        a = xp.broadcast_to(a, (*lead, *a.shape[-2:]))
        return xp.reshape(a, (shape[0], *a.shape[-2:]))

    def stopped(op: Any) -> Map:
        if op is None:
            return lambda v: v
        apply = columns_of(op)
        return lambda v: stop_gradient(apply(v))

    maps = stopped(given.A), stopped(given.M), stopped(guide)
    history = retLambdaHistory or retResidualNormsHistory
    arrays = [stop_gradient(wide(X)), *([] if Y is None else [stop_gradient(wide(Y))])]
    with quiet(given.b):

        def run(x: Any, y: Any = None) -> tuple[Any, ...]:
            return _run(maps, x, y, least, most, largest, history)

        w, v, status, nit, values, errors = compiled(given.b, run, *arrays)[0]
        if is_concrete(status) and bool(xp.any(status <= 0)):
            lost = int(xp.count_nonzero(status <= 0))
            warned(
                f"{name}: {lost} of {status.shape[0]} problems did not converge within {most} "
                "iterations: raise maxiter or tol, or give a preconditioner M",
                ConvergenceWarning,
            )
        if recordable(w):
            w, v = with_derivatives(given, w, v)
    out = [given.shaped(w), given.shaped(v)]
    if history and given.batch is None and is_concrete(nit):
        done = int(nit[0]) + 1
        values, errors = values[:, :done, :], errors[:, :done, :]
    for asked, a in ((retLambdaHistory, values), (retResidualNormsHistory, errors)):
        if asked:
            out.append(given.shaped(a))
    return tuple(out)


def _turned(a: Any) -> Any:
    xp = array_namespace(a)
    a = xp.conj(a) if xp.isdtype(a.dtype, "complex floating") else a
    return xp.matrix_transpose(a)


def _ritz(space: Any, a_space: Any, b_space: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """Return the wanted eigenvalues in a space (B, n, s), and their vectors' parts (B, s, k)."""
    xp = array_namespace(space, a_space, b_space)
    eps = float(xp.finfo(space.dtype).eps)

    def inner(a: Any, b: Any) -> Any:
        found = xp.matmul(_turned(a), b)
        return 0.5 * (found + _turned(found))

    gram = inner(space, b_space)
    eye = xp.eye(gram.shape[-1], dtype=gram.dtype, device=device(gram))
    size = xp.sum(gram * eye, axis=-1)
    size = xp.real(size) if xp.isdtype(size.dtype, "complex floating") else size
    scale = xp.where(size > 0, 1 / xp.sqrt(xp.where(size > 0, size, xp.ones_like(size))), 0 * size)
    both = xp.astype(scale[:, :, None] * scale[:, None, :], gram.dtype)
    gram, inside = gram * both, inner(space, a_space) * both
    finite = xp.all(xp.isfinite(gram) & xp.isfinite(inside), axis=(1, 2))[:, None, None]
    g, u = eigh(xp.where(finite, gram, eye))
    kept = g > 100 * gram.shape[-1] * eps
    root = xp.where(kept, 1 / xp.sqrt(xp.where(kept, g, xp.ones_like(g))), 0 * g)
    basis = u * xp.astype(root, u.dtype)[:, None, :]
    small = xp.matmul(_turned(basis), xp.matmul(xp.where(finite, inside, eye), basis))
    small = 0.5 * (small + _turned(small))
    top = 2 * xp.max(xp.sum(xp.abs(small), axis=-1), axis=-1) + 1
    away = xp.where(kept, 0 * g, xp.broadcast_to(top[:, None], tuple(g.shape)))
    away = xp.astype(-away if largest else away, small.dtype)
    theta, turn = eigh(small + away[:, :, None] * eye)
    if largest:
        theta, turn = xp.flip(theta, axis=-1), xp.flip(turn, axis=-1)
    parts = xp.matmul(basis, turn[:, :, :k]) * xp.astype(scale, basis.dtype)[:, :, None]
    return theta[:, :k], parts


def _run(
    maps: tuple[Map, Map, Map], x: Any, y: Any, tol: float, most: int, largest: bool, history: bool
) -> tuple[Any, ...]:
    product, weigh, precondition = maps
    k = x.shape[-1]

    def outside(v: Any) -> Any:
        """Return columns without their parts along Y."""
        if y is None:
            return v
        ns = array_namespace(v, y)
        by = weigh(y)
        parts = solve_dense(ns.matmul(_turned(y), by), ns.matmul(_turned(by), v))
        return v - ns.matmul(y, parts)

    def residual(ax: Any, bx: Any, w: Any) -> tuple[Any, Any]:
        ns = array_namespace(ax, bx)
        r = ax - bx * ns.astype(w, bx.dtype)[:, None, :]
        return r, ns.sqrt(ns.sum(ns.abs(r) ** 2, axis=1))

    def there(x: Any, bx: Any) -> Any:
        """Tell which columns are vectors: none where X is 0, or B isn't positive."""
        ns = array_namespace(x, bx)
        wide = ns.isdtype(x.dtype, "complex floating")
        return ns.abs(ns.sum((ns.conj(x) if wide else x) * bx, axis=1)) > 0.5

    def judged(x: Any, bx: Any, error: Any) -> Any:
        ns = array_namespace(error)
        done = ns.all((error <= tol) & there(x, bx), axis=-1)
        lost = ~ns.all(ns.isfinite(error), axis=-1)
        return outcomes(error[:, 0], (done, Outcome.CONVERGED), (lost, Outcome.NOT_FINITE))

    def told(all_: Any, now: Any, nit: Any) -> Any:
        if not history:
            return all_
        ns = array_namespace(all_, now)
        places = ns.arange(most + 1, dtype=nit.dtype, device=device(now))
        here = (places[None, :] == nit[:, None])[:, :, None]
        return ns.where(here, now[:, None, :], all_)

    def step(_: Any, s: _State) -> _State:
        ns = array_namespace(s.x)
        r, error = residual(s.ax, s.bx, s.w)
        z = outside(precondition(r))
        for _again in range(2):  # apart from the vectors
            z = z - ns.matmul(s.x, ns.matmul(_turned(s.bx), z))
        # What has converged needs no more directions.
        z = ns.where((error > 0.1 * tol)[:, None, :], z, ns.zeros_like(z))
        size = ns.sqrt(ns.sum(ns.abs(z) ** 2, axis=1, keepdims=True))
        z = z / ns.astype(ns.where(size > 0, size, ns.ones_like(size)), z.dtype)
        az, bz = product(z), weigh(z)
        three = (s.x, z, s.p), (s.ax, az, s.ap), (s.bx, bz, s.bp)
        space, a_space, b_space = (ns.concat(list(v), axis=-1) for v in three)
        w, parts = _ritz(space, a_space, b_space, k, largest)
        x, ax, bx = (ns.matmul(v, parts) for v in (space, a_space, b_space))
        rest = parts[:, k:, :]
        p, ap, bp = (ns.matmul(v[:, :, k:], rest) for v in (space, a_space, b_space))
        _, error = residual(ax, bx, w)
        nit = s.nit + 1
        return _State(
            x, ax, bx, p, ap, bp, w, error, told(s.values, w, nit), told(s.errors, error, nit), nit,
            judged(x, bx, error),
        )  # fmt: skip

    xp = array_namespace(x)
    x = outside(x)
    ax, bx = product(x), weigh(x)
    w, parts = _ritz(x, ax, bx, k, largest)
    x, ax, bx = (xp.matmul(v, parts) for v in (x, ax, bx))
    _, error = residual(ax, bx, w)
    none = xp.zeros_like(x)
    zero = xp.zeros((x.shape[0],), dtype=xp.int32, device=device(x))
    rows = most + 1 if history else 0
    blank = xp.full((x.shape[0], rows, k), xp.nan, dtype=w.dtype, device=device(x))
    first = _State(
        x, ax, bx, none, none, none, w, error, told(blank, w, zero), told(blank, error, zero),
        zero, judged(x, bx, error),
    )  # fmt: skip
    # The products are of all problems.
    end = iterate(Method(lambda _: first, step), (), most, joint=True)
    good = there(end.x, end.bx) & (end.status != Outcome.NOT_FINITE)[:, None]
    w = xp.where(good, end.w, xp.nan * end.w)
    return w, end.x, end.status, end.nit, end.values, end.errors
