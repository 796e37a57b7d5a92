"""A few eigenvalues or singular values by products: `eigsh` and `svds`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native, public
from ...errors import ArgumentError, ConvergenceError, NotSupported, ShapeError
from ...linalg import solve as solve_dense
from ...solving._driver import iterate
from ...solving._following import constants, is_open, recordable, recorded
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._running import compiled
from ...transforms import stop_gradient, tree_leaves
from ._arguments import Given, square
from ._carried import linear
from ._conjugate import Maps
from ._interface import LinearOperator, MatrixLinearOperator, aslinearoperator, columns_of, rows_of
from ._lanczos import lanczos, start_vectors
from ._minres import minres as by_minres
from ._steps import norm, over, times

__all__ = ["eigsh", "svds", "with_derivatives"]


class Setting(NamedTuple):
    """Hold the options of a call."""

    k: int
    ncv: int
    which: str
    tol: float
    most: int
    sigma: float | None = None


@public
def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: Any = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0.0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
) -> Any:
    """Find k eigenvalues and vectors of Hermitian operators.

    Parameters
    ----------
    A : array or LinearOperator
        Hermitian matrices (..., n, n), or an operator of that shape.
    k : int, optional
        How many, fewer than n.
    M : array, shape (..., n, n), optional
        A positive definite matrix, for ``A v = w M v``.
    sigma : float, optional
        Where to look: `which` then refers to ``1 / (w - sigma)``. A is a matrix, or
        `OPinv` is given.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}, optional
        Those of largest or smallest magnitude, the largest or smallest, or from both ends.
    v0 : array, shape (..., n), optional
        Where to start. Default: a vector without a pattern, the same in each call.
    ncv : int, optional
        The number of vectors that are kept. Default: min(n, max(2 k + 1, 20)).
    maxiter : int, optional
        Maximum number of restarts. Default: 10 n.
    tol : float, optional
        The relative error of eigenvalues. Default: the rounding error.
    return_eigenvectors : bool, optional
        Whether to return the vectors, too.
    Minv, OPinv : array or LinearOperator, optional
        The inverse of M; that of ``A - sigma M``.
    mode : {'normal'}, optional
        SciPy's argument; other modes are not offered.

    Returns
    -------
    w : array, shape (..., k)
        The eigenvalues, in ascending order.
    v : array, shape (..., n, k)
        The vectors, of norm 1, or ``v^H M v = 1``; with `return_eigenvectors`.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.
    ConvergenceError
        If one problem did not converge. In a batch such a problem's results are NaN.
    NotSupported
        For other modes, and for M as an operator.
    ExtensionMissing
        If the library has no eigenvalues.

    Notes
    -----
    K. Wu, H. Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602-616: Lanczos' method with thick
    restarts; one product with A per vector. Differentiable once with respect to all arrays that A
    and M depend on; vectors by solutions of ``(A - w M) dv = ...``, with norms that stay 1 and no
    turn of phase. Where eigenvalues coincide, the vectors of each have no derivative of their own,
    and what is returned leaves out turns among them.

    Differs from SciPy: batches, and derivatives; the start isn't random; no 'buckling' and
    'cayley'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import eigsh
    >>> w, v = eigsh(np.diag([1.0, 5.0, 3.0, 2.0]), k=2)
    >>> w.round(6)
    array([3., 5.])
    """
    name = "eigsh"
    _plan.choice(name, "which", which, ("LM", "SM", "LA", "SA", "BE"))
    if mode != "normal":
        raise NotSupported(f"{name}: mode {mode!r} is not offered; 'normal' with sigma is")
    op = aslinearoperator(A)
    n = op.shape[-1]
    k = count(name, "k", k, 6, 1)
    if k >= n:
        raise ArgumentError(f"{name}: k must be less than n = {n}, got {k}: use linalg.eigh")
    width = count(name, "ncv", ncv, min(n, max(2 * k + 1, 20)), 1)
    if not k < width <= n:
        raise ArgumentError(f"{name}: ncv must be above k = {k} and at most n = {n}, got {width}")
    setting = Setting(
        k, width, which, tolerance(name, "tol", tol, 0.0),
        count(name, "maxiter", maxiter, 10 * n, 1),
        None if sigma is None else _number(name, sigma),
    )  # fmt: skip
    for label, given_, other in (("Minv", Minv, M), ("OPinv", OPinv, sigma)):
        if given_ is not None and other is None:
            need = "M" if label == "Minv" else "sigma"
            raise ArgumentError(f"{name}: {label} is of no use without {need}: leave it out")
    weight = None if M is None else aslinearoperator(M)
    if weight is not None and not isinstance(weight, MatrixLinearOperator):
        raise NotSupported(f"{name}: M must be a matrix; an operator is not offered")
    inverse = OPinv if sigma is not None else Minv
    if sigma is not None and OPinv is None and not isinstance(op, MatrixLinearOperator):
        raise NotSupported(f"{name}: sigma needs a matrix A, or OPinv, the inverse of A - sigma M")
    start = _start(op, v0)
    if hasattr(start, "shape") and tuple(start.shape[-1:]) != (n,):
        raise ShapeError(f"{name}: v0 must be (..., {n}), got an array of {tuple(start.shape)}")
    given = square(name, op, start, None, M)
    with quiet(given.b):
        w, v, status = _solved(given, inverse, setting)
        if given.batch is None and is_concrete(status) and not int(status[0]) > 0:
            near = "" if sigma is None else "; sigma may be an eigenvalue: move it a little"
            raise ConvergenceError(
                f"{name}: No convergence: raise maxiter ({setting.most}) or ncv ({width}){near}"
            )
        xp = array_namespace(w, v)
        good = (status > 0)[:, None]
        w, v = (
            xp.where(good, w, xp.nan * xp.ones_like(w)),
            xp.where(good[:, :, None], v, xp.nan * v),
        )
        if recordable(w):
            w, v = with_derivatives(given, w, v)
    return (given.shaped(w), given.shaped(v)) if return_eigenvectors else given.shaped(w)


@public
def svds(
    A: Any,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0.0,
    which: str = "LM",
    v0: Any = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
) -> Any:
    """Find k singular values and vectors of operators.

    Parameters
    ----------
    A : array or LinearOperator
        Matrices (..., m, n), or an operator of that shape.
    k : int, optional
        How many, fewer than min(m, n).
    ncv, tol, maxiter : optional
        As of `eigsh`, which runs on ``A^H A``, or ``A A^H`` if that is smaller.
    which : {'LM', 'SM'}, optional
        The largest, or the smallest.
    v0 : array, shape (..., min(m, n)), optional
        Where to start.
    return_singular_vectors : bool or {'u', 'vh'}, optional
        Whether to return vectors; 'u' and 'vh' return both as well.
    solver : {'arpack', 'lobpcg'}, optional
        SciPy's argument: both run the same.

    Returns
    -------
    u : array, shape (..., m, k)
    s : array, shape (..., k)
        The singular values, in ascending order; alone without vectors.
    vh : array, shape (..., k, n)

    Raises
    ------
    ShapeError, ArgumentError, ConvergenceError
        As `eigsh`.

    Notes
    -----
    The squares of singular values are found, so those below the root of the rounding error times
    the largest are not accurate, as with SciPy's 'arpack'. Differentiable as `eigsh`; where a value
    is 0 there is no derivative.

    Differs from SciPy: batches, and derivatives; the start isn't random; one solver.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import svds
    >>> u, s, vh = svds(np.diag([1.0, 5.0, 3.0, 2.0]), k=2)
    >>> s.round(6)
    array([3., 5.])
    """
    name = "svds"
    which, solver = str(which).upper(), str(solver).lower()
    _plan.choice(name, "which", which, ("LM", "SM"))
    _plan.choice(name, "solver", solver, ("arpack", "lobpcg", "propack"))
    if return_singular_vectors not in (True, False, "u", "vh"):
        raise ArgumentError(
            f"{name}: return_singular_vectors must be True, False, 'u' or 'vh', got "
            f"{return_singular_vectors!r}"
        )
    op = aslinearoperator(A)
    m, n = op.shape[-2:]
    k = count(name, "k", k, 6, 1)
    if k >= min(m, n):
        raise ArgumentError(f"{name}: k must be less than min(m, n) = {min(m, n)}, got {k}")
    turned = m < n
    gram = op @ op.H if turned else op.H @ op
    v0 = _start(op, None, m if turned else n) if v0 is None else v0
    w, v = eigsh(gram, k, None, None, "LA" if which == "LM" else "SA", v0, ncv, maxiter, tol)
    xp = array_namespace(w, v)
    positive = w > 0
    s = xp.where(positive, xp.sqrt(xp.where(positive, w, xp.ones_like(w))), xp.zeros_like(w))
    if not return_singular_vectors:
        return s
    other = (op.H if turned else op)._matmat(v)
    safe = xp.where(positive, s, xp.ones_like(s))
    other = other / safe[..., None, :]
    u, vectors = (v, other) if turned else (other, v)
    vh = xp.matrix_transpose(vectors)
    return u, s, xp.conj(vh) if xp.isdtype(vh.dtype, "complex floating") else vh


# -- steps -----------------------------------------------------------------------------------------


def _number(name: str, sigma: Any) -> float:
    try:
        return float(sigma)
    except (TypeError, ValueError, RuntimeError):
        raise ArgumentError(f"{name}: sigma must be a real number, got {sigma!r}") from None


def _start(op: LinearOperator, v0: Any, n: int | None = None) -> Any:
    """Return the start: an array of the library, dtype and device of the operator's arrays."""
    if v0 is not None:
        return v0
    held = next((a for a in tree_leaves(op) if hasattr(a, "dtype") and hasattr(a, "shape")), None)
    n = op.shape[-1] if n is None else n
    if held is None:
        like = array_namespace().zeros((1, n))
    else:
        xp = array_namespace(held)
        dtype = held.dtype
        if not xp.isdtype(dtype, ("real floating", "complex floating")):
            dtype = default_floating(xp, device(held))
        like = xp.zeros((1, n), dtype=dtype, device=device(held))
    return start_vectors(like, 1)[0, :]


def _solved(given: Given, inverse: Any, setting: Setting) -> tuple[Any, Any, Any]:
    """Return eigenvalues (B, k) in ascending order, vectors (B, n, k) and outcomes."""
    held = given._replace(b=stop_gradient(given.b))
    run = _generic if is_open() else _found
    w, v, status = run(held.b, held, inverse, setting)
    return stop_gradient(w), stop_gradient(v), status


def _alone(b: Any, given: Given, inverse: Any, setting: Setting) -> bool:
    """one problem"""
    return b.shape[0] == 1 and inverse is None and setting.sigma is None and given.M is None


@native(numpy="likewise._libs.numpy._krylov:eigsh", when=_alone)
def _found(b: Any, given: Given, inverse: Any, setting: Setting) -> tuple[Any, Any, Any]:
    return _generic(b, given, inverse, setting)


def _generic(b: Any, given: Given, inverse: Any, setting: Setting) -> tuple[Any, Any, Any]:
    (start,) = constants([b])

    def run(v: Any) -> tuple[Any, Any, Any]:
        return _run(given, inverse, setting, v)

    found: tuple[Any, Any, Any] = compiled(b, run, start)[0]
    return found


def _run(given: Given, inverse: Any, setting: Setting, start: Any) -> tuple[Any, Any, Any]:
    def stopped(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda v: stop_gradient(fun(v))

    def same(v: Any) -> Any:
        return v

    product = stopped(rows_of(given.A)[0])
    weigh = same if given.M is None else stopped(rows_of(given.M)[0])
    sigma = setting.sigma
    if sigma is None:
        back = same if given.M is None else _inverse(given.M, inverse)

        def step(v: Any) -> Any:
            return back(product(v))

    else:
        assert isinstance(given.A, MatrixLinearOperator) or inverse is not None
        shifted = None
        if inverse is None:
            xp = array_namespace(given.b)
            n = given.A.shape[-1]
            eye = xp.eye(n, dtype=start.dtype, device=device(start))
            weight = eye if given.M is None else _matrix(given.M)
            shifted = MatrixLinearOperator(_matrix(given.A) - sigma * weight)
        back = _inverse(shifted, inverse)

        def step(v: Any) -> Any:
            return back(weigh(v))

    begin = start
    # Next to an eigenvalue the inverse is so large on its vector that the latter has to come first:
    # rounding would hide the other eigenvalues.
    for _ in range(0 if sigma is None or setting.which == "SM" else 2):
        begin = step(begin)
        length = norm(begin)
        begin = times(over(array_namespace(length).ones_like(length), length), begin)
    end = lanczos(
        step, weigh, begin, setting.k, setting.ncv, setting.which, setting.tol, setting.most
    )
    k = setting.k
    theta, v = end.values[:, :k], end.vectors[:, :k, :]
    xp = array_namespace(theta, v)
    w = theta if sigma is None else sigma + 1 / theta
    order = xp.argsort(w, axis=-1)
    v = xp.matrix_transpose(v)
    v = xp.take_along_axis(v, xp.broadcast_to(order[:, None, :], tuple(v.shape)), axis=-1)
    w = xp.take_along_axis(w, order, axis=-1)
    if sigma is None:
        return w, v, end.status
    av, mv = (v if op is None else stop_gradient(columns_of(op)(v)) for op in (given.A, given.M))
    left = xp.max(xp.abs(av - mv * w[:, None, :]), axis=(1, 2))
    size = norm(product(start)) + abs(sigma) * norm(weigh(start))
    least = 30 * float(xp.finfo(w.dtype).eps) ** 0.5 * over(size, norm(start))
    close = xp.full_like(end.status, Outcome.STALLED)
    return w, v, xp.where((end.status > 0) & ~(left <= least), close, end.status)


def _matrix(op: Any) -> Any:
    return op.A


def _inverse(op: Any, given: Any) -> Callable[[Any], Any]:
    """Return the product of rows with an inverse: the one that was given, or the solution."""
    if given is not None:
        apply = rows_of(aslinearoperator(given))[0]
        return lambda v: stop_gradient(apply(v))
    matrix = stop_gradient(op.A)

    def solved(v: Any) -> Any:
        a = (
            matrix
            if matrix.ndim == 2
            else array_namespace(matrix).reshape(matrix, (-1, *matrix.shape[-2:]))
        )
        return solve_dense(a, v[:, :, None])[..., 0]

    return solved


def with_derivatives(given: Given, w: Any, v: Any) -> tuple[Any, Any]:
    """Return eigenvalues and vectors with their first derivatives."""
    times = columns_of(given.A)
    weigh = None if given.M is None else columns_of(given.M)

    def change(a: Any) -> Any:
        return a - stop_gradient(a)

    av, mv = times(v), v if weigh is None else weigh(v)
    if not recorded(av) and not recorded(mv):
        return w, v
    xp = array_namespace(av, mv)

    def along(a: Any) -> Any:
        found = xp.sum((xp.conj(v) if wide else v) * a, axis=1)
        return xp.real(found) if wide else found

    wide = bool(xp.isdtype(v.dtype, "complex floating"))
    values = w + change(along(av) - w * along(mv))
    count, n, k = v.shape
    fixed = stop_gradient(mv)

    def rows(a: Any) -> Any:
        ns = array_namespace(a)
        return ns.reshape(ns.matrix_transpose(a), (count * k, n))

    def back(a: Any) -> Any:
        ns = array_namespace(a)
        return ns.matrix_transpose(ns.reshape(a, (count, k, n)))

    def product(r: Any) -> Any:
        x = back(r)
        found = times(x)
        found = found - w[:, None, :] * (x if weigh is None else weigh(x))
        return rows(stop_gradient(found))

    vr, mr = rows(v), rows(fixed)

    def outside(r: Any, a: Any, b: Any) -> Any:
        """Take off the part along an eigenvector."""
        ns = array_namespace(r)
        return r - ns.vecdot(b, r, axis=-1)[:, None] * a

    def inverse(r: Any) -> Any:
        def held(x: Any) -> Any:
            return outside(product(outside(x, vr, mr)), mr, vr)

        ns = array_namespace(r)
        r = outside(r, mr, vr)
        maps = Maps(held, held, lambda x: x, lambda x: x)
        eps = float(ns.finfo(r.dtype).eps)
        method = by_minres(maps, r, ns.zeros_like(r), r, 4 * eps, 0.0)
        return outside(iterate(method, (), 5 * n, joint=True).x, vr, mr)

    residual = change(av - values[:, None, :] * mv)
    moved = back(linear(inverse, inverse, -rows(residual), n))
    vectors = v + moved
    if weigh is not None:
        vectors = vectors - 0.5 * v * change(along(mv))[:, None, :]
    return values, vectors
