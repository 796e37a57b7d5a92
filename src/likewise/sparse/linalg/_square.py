"""Square systems: `cg`, `bicg`, `bicgstab`, `cgs`, `gmres` and `minres`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import native, public
from ..._plan import is_complex
from ...errors import ArgumentError, LinAlgError
from ...solving._callback import Callback
from ...solving._driver import Method, iterate
from ...solving._following import constants, is_open, recordable
from ...solving._options import count
from ...solving._outcome import Outcome, outcomes
from ...solving._running import compiled
from ...transforms import stop_gradient
from ._arguments import Given, by_blocks, positive, square
from ._carried import carried
from ._conjugate import OMEGA, RHO, Maps, ended
from ._conjugate import bicg as by_bicg
from ._conjugate import bicgstab as by_bicgstab
from ._conjugate import cg as by_cg
from ._conjugate import cgs as by_cgs
from ._gmres import gmres as by_gmres
from ._interface import rows_of
from ._minres import ASYMMETRIC, INDEFINITE
from ._minres import minres as by_minres
from ._steps import norm

__all__ = ["bicg", "bicgstab", "cg", "cgs", "gmres", "minres"]


class Setting(NamedTuple):
    """Hold the options of a call."""

    name: str
    rtol: float
    atol: float
    most: int
    callback: Any = None
    restart: int = 0
    callback_type: str = "x"
    shift: Any = 0.0


@public
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:
    """Solve ``A x = b`` by conjugate gradients, for a positive definite A.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Hermitian matrices (..., n, n), or an operator of that shape, or the product with a vector
        (n,) as a function.
    b : array, shape (..., n)
        Right sides; leading dimensions broadcast to those of A. (n, 1) is taken as (n,).
    x0 : array, shape (..., n), or 'Mb', optional
        Where to start; 'Mb' is the preconditioned b. Default: 0.
    rtol, atol : float, optional
        A problem has converged when the residual is below max(rtol \\|b\\|, atol). What steps
        keep of it drifts; at the end it is found by a product, and steps go on if it is larger, as
        long as that helps.
    maxiter : int, optional
        Maximum number of iterations. Default: 10 n.
    M : array, LinearOperator or callable, optional
        The preconditioner, positive definite: approximately the inverse of A.
    callback : callable, optional
        ``callback(x)``, called after each iteration if arrays have values.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; above 0, the iterations that were done without; -1, not finite.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952) 409-436. One product with A
    and with M per iteration. Each problem ends by itself. Differentiable once with respect to b and
    to all arrays that A depends on: the derivative is a solution of the same system with another
    right side, within `rtol`. It doesn't depend on `x0` and M.

    Differs from SciPy: batches, and derivatives; success is judged by the residual of a product.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import cg
    >>> x, info = cg(np.asarray([[4.0, 1.0], [1.0, 3.0]]), np.asarray([1.0, 2.0]))
    >>> x.round(6), int(info)
    (array([0.090909, 0.636364]), 0)
    """
    return _solve(Setting("cg", rtol, atol, 0, callback), A, b, x0, maxiter, M)


@public
def bicg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:
    """Solve ``A x = b`` by biconjugate gradients.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Matrices (..., n, n), or an operator of that shape, or the product with a vector (n,) as a
        function. Products with the conjugate transpose, which are taken too, are exact without
        `rmatvec`.
    b, x0, rtol, atol, maxiter, callback : optional
        As of `cg`.
    M : array, LinearOperator or callable, optional
        The preconditioner: approximately the inverse of A.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; above 0, the iterations that were done without; -1, not finite; -10, -11: it
        broke down, as the bases of A and of its transpose became orthogonal.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    R. Fletcher, Conjugate gradient methods for indefinite systems, Lecture Notes in Mathematics 506
    (1976) 73-89. Two products with A and with M per iteration. Differentiable as `cg`, with the
    conjugate transpose in reverse mode.

    Differs from SciPy: batches, and derivatives; success is judged by the residual of a product,
    and a breakdown relative to the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import bicg
    >>> x, info = bicg(np.asarray([[4.0, 1.0], [0.0, 3.0]]), np.asarray([1.0, 2.0]))
    >>> x.round(6), int(info)
    (array([0.083333, 0.666667]), 0)
    """
    return _solve(Setting("bicg", rtol, atol, 0, callback), A, b, x0, maxiter, M)


@public
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:
    """Solve ``A x = b`` by stabilised biconjugate gradients.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Matrices (..., n, n), or an operator of that shape, or the product with a vector (n,) as a
        function.
    b, x0, rtol, atol, maxiter, callback : optional
        As of `cg`.
    M : array, LinearOperator or callable, optional
        The preconditioner: approximately the inverse of A.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; above 0, the iterations that were done without; -1, not finite; -10, -11: it
        broke down.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631-644. Two products with A and with
    M per iteration. Differentiable as `cg`; in reverse mode a system with the conjugate transpose
    is solved.

    Differs from SciPy: batches, and derivatives; success is judged by the residual of a product,
    and a breakdown relative to the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import bicgstab
    >>> x, info = bicgstab(np.asarray([[4.0, 1.0], [0.0, 3.0]]), np.asarray([1.0, 2.0]))
    >>> x.round(6), int(info)
    (array([0.083333, 0.666667]), 0)
    """
    return _solve(Setting("bicgstab", rtol, atol, 0, callback), A, b, x0, maxiter, M)


@public
def cgs(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:
    """Solve ``A x = b`` by squared conjugate gradients.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Matrices (..., n, n), or an operator of that shape, or the product with a vector (n,) as a
        function.
    b, x0, rtol, atol, maxiter, callback : optional
        As of `cg`.
    M : array, LinearOperator or callable, optional
        The preconditioner: approximately the inverse of A.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; above 0, the iterations that were done without; -1, not finite; -10, -11: it
        broke down.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    P. Sonneveld, SIAM J. Sci. Stat. Comput. 10 (1989) 36-52. Two products with A and with M per
    iteration; rounding harms it more than `bicgstab`. Differentiable as `bicgstab`.

    Differs from SciPy: batches, and derivatives; success is judged by the residual of a product,
    and a breakdown relative to the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import cgs
    >>> x, info = cgs(np.asarray([[4.0, 1.0], [0.0, 3.0]]), np.asarray([1.0, 2.0]))
    >>> x.round(6), int(info)
    (array([0.083333, 0.666667]), 0)
    """
    return _solve(Setting("cgs", rtol, atol, 0, callback), A, b, x0, maxiter, M)


@public
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
    callback_type: str | None = None,
) -> tuple[Any, Any]:
    """Solve ``A x = b`` by generalised minimal residuals, with restarts.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Matrices (..., n, n), or an operator of that shape, or the product with a vector (n,) as a
        function.
    b, x0, rtol, atol : optional
        As of `cg`.
    restart : int, optional
        The number of vectors that are kept until a restart. Default: min(20, n).
    maxiter : int, optional
        Maximum number of cycles; with a callback of the type 'legacy', of vectors. Default: 10 n.
    M : array, LinearOperator or callable, optional
        The preconditioner: approximately the inverse of A.
    callback : callable, optional
        Called after each iteration if arrays have values.
    callback_type : {'x', 'pr_norm', 'legacy'}, optional
        ``callback(x)`` after each cycle; ``callback(norm)``, of the preconditioned residual
        relative to b, after each vector; or the same with `maxiter` counting vectors, the default.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; `maxiter`, not; -1, not finite.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869. One product with A and with
    M per vector; keeps `restart` vectors of each problem. Differentiable as `bicgstab`.

    Differs from SciPy: batches, and derivatives; no warning where `callback_type` isn't given.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import gmres
    >>> x, info = gmres(np.asarray([[4.0, 1.0], [0.0, 3.0]]), np.asarray([1.0, 2.0]))
    >>> x.round(6), int(info)
    (array([0.083333, 0.666667]), 0)
    """
    if callback_type is None:
        callback_type = "legacy"
    if callback_type not in ("x", "pr_norm", "legacy"):
        raise ArgumentError(f"gmres: Unknown callback_type: {callback_type!r}")
    restart = count("gmres", "restart", restart, 20, 1)
    setting = Setting("gmres", rtol, atol, 0, callback, restart, callback_type)
    return _solve(setting, A, b, x0, maxiter, M)


@public
def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[..., Any] | None = None,
    show: bool = False,
    check: bool = False,
) -> tuple[Any, Any]:
    """Solve ``(A - shift I) x = b`` by minimal residuals, for a Hermitian A.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Hermitian matrices (..., n, n), also indefinite or singular, or an operator of that shape,
        or the product with a vector (n,) as a function.
    b, x0, callback : optional
        As of `cg`.
    rtol : float, optional
        A problem has converged when the residual is at most `rtol` times the norms of A and x, or
        A times the residual at most `rtol` times the norms of both, or as far as rounding allows,
        all by estimates.
    shift : float, optional
        A number that is taken from A's diagonal.
    maxiter : int, optional
        Maximum number of iterations. Default: 5 n.
    M : array, LinearOperator or callable, optional
        The preconditioner, positive definite.
    show : bool, optional
        SciPy's argument, without effect.
    check : bool, optional
        Whether to check that A and M are symmetric, if arrays have values.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, or where the iterations ended.
    info : array of int32, shape (...)
        0, converged; `maxiter`, not; -1, not finite; in a batch also -2, M is not positive, and -3,
        A is not symmetric.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    LinAlgError
        If, for one problem, M is not positive, or A or M is seen not to be symmetric.

    Notes
    -----
    C. C. Paige, M. A. Saunders, SIAM J. Numer. Anal. 12 (1975) 617-629. One product with A and with
    M per iteration. Differentiable as `cg`.

    Differs from SciPy: batches, and derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import minres
    >>> x, info = minres(np.asarray([[1.0, 2.0], [2.0, -1.0]]), np.asarray([5.0, 0.0]))
    >>> x.round(6), int(info)
    (array([1., 2.]), 0)
    """
    setting = Setting("minres", rtol, 0.0, 0, callback, shift=shift)
    return _solve(setting, A, b, x0, maxiter, M, check)


# -- steps -----------------------------------------------------------------------------------------


def _solve(
    setting: Setting, A: Any, b: Any, x0: Any, maxiter: Any, M: Any, check: bool = False
) -> tuple[Any, Any]:
    name = setting.name

    def call(A: Any, b: Any, x0: Any, M: Any) -> tuple[Any, Any]:
        return _solve(setting, A, b, x0, maxiter, M, check)

    blocks = by_blocks(name, call, A, b, x0, M, setting.callback)
    if blocks is not None:
        found: tuple[Any, Any] = blocks
        return found
    given = square(name, A, b, x0, M)
    n = given.A.shape[-1]
    usual = (5 if name == "minres" else 10) * n
    setting = setting._replace(
        rtol=positive(name, "rtol", setting.rtol, 1e-5),
        atol=positive(name, "atol", setting.atol, 0.0),
        most=count(name, "maxiter", maxiter, usual),
        restart=min(setting.restart, n),
    )
    if check:
        _refuse_asymmetric(given)
    with quiet(given.b):
        held = given._replace(
            b=stop_gradient(given.b), x0=None if given.x0 is None else stop_gradient(given.x0)
        )
        run = _generic if is_open() else _found
        x, status = run(held.b, held, setting)
        if name == "minres":
            _refuse_lost(given, status)
        x = _with_derivatives(given, setting, x)
    return given.shaped(x), given.shaped(_info(status, setting.most))


def _alone(b: Any, given: Given, setting: Setting) -> bool:
    """one problem; real, if by 'minres'"""
    real = setting.name != "minres" or not is_complex(array_namespace(b), b.dtype)
    return b.shape[0] == 1 and real


@native(numpy="likewise._libs.numpy._krylov:square", when=_alone)
def _found(b: Any, given: Given, setting: Setting) -> tuple[Any, Any]:
    return _generic(b, given, setting)


def _generic(b: Any, given: Given, setting: Setting) -> tuple[Any, Any]:
    arrays = constants([b] if given.x0 is None else [b, given.x0])
    maps = maps_of(given)
    if setting.callback is not None:
        return _run(maps, setting, *arrays)
    found: tuple[Any, Any] = compiled(b, lambda *v: _run(maps, setting, *v), *arrays)[0]
    return found


def maps_of(given: Given) -> Maps:
    """Return the products with rows, none of which is followed."""

    def stopped(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda v: stop_gradient(fun(v))

    def same(v: Any) -> Any:
        return v

    others = (same, same) if given.M is None else map(stopped, rows_of(given.M))
    return Maps(*map(stopped, rows_of(given.A)), *others)


def _run(maps: Maps, setting: Setting, b: Any, x0: Any = None) -> tuple[Any, Any]:
    """Return where the problems end, and how."""
    xp, name = array_namespace(b), setting.name
    length = norm(b)
    x = xp.zeros_like(b)
    r = b
    if x0 is not None:
        x = xp.where((length == 0)[:, None], x, x0)
        r = b - maps.product(x)
        if setting.shift:
            r = r + setting.shift * x
    atol = xp.maximum(setting.rtol * length, xp.full_like(length, setting.atol))
    if name == "minres":
        method = by_minres(maps, b, x, r, setting.rtol, setting.shift)
    elif name == "gmres":
        return _by_cycles(maps, setting, b, x, r, atol)
    else:
        return _by_steps(maps, setting, b, x, r, atol)
    watch = None
    if setting.callback is not None:
        method, watch = _told(setting, method)
    end = iterate(method, (), setting.most, joint=True, watch=watch)
    return end.x, end.status


_STEPS = {"cg": by_cg, "bicg": by_bicg, "bicgstab": by_bicgstab, "cgs": by_cgs}


class _Counted(NamedTuple):
    """Hold a state of steps, and how many there were from the start."""

    steps: Any
    nit: Any  # (B,)
    status: Any


class _Checked(NamedTuple):
    """Hold where steps have ended, with the residual that is found by a product."""

    x: Any  # (B, n)
    r: Any
    nit: Any  # (B,)
    status: Any


def _by_steps(maps: Maps, setting: Setting, b: Any, x: Any, r: Any, atol: Any) -> tuple[Any, Any]:
    """Take steps until the residual is small: what steps keep of it drifts, so they begin anew."""
    teller = None if setting.callback is None else Callback(setting.name, setting.callback)
    watch = None if teller is None else teller.watch
    xp = array_namespace(b)
    zero = xp.zeros((b.shape[0],), dtype=xp.int32, device=device(b))
    first = _Checked(x, r, zero, ended(r, atol))

    def some(_: Any, s: _Checked) -> _Checked:
        one = _STEPS[setting.name](maps, b, s.x, s.r, atol)

        def counted(steps: Any, nit: Any) -> _Counted:
            ns = array_namespace(nit, steps.status)
            late = (steps.status == Outcome.RUNNING) & (nit >= setting.most)
            status = ns.where(late, ns.full_like(nit, Outcome.LIMIT), steps.status)
            return _Counted(steps, nit, status)

        def start(_: Any) -> _Counted:
            begun = counted(one.start(()), s.nit)
            over = s.status != Outcome.RUNNING
            return begun._replace(status=array_namespace(over).where(over, s.status, begun.status))

        method = Method(start, lambda _, c: counted(one.step((), c.steps), c.nit + 1))
        if teller is not None:
            method = teller.told(method, lambda c: _place(c.steps.x))
        end = iterate(method, (), joint=True, watch=watch)
        x, r = end.steps.x, b - maps.product(end.steps.x)
        length, before = norm(r), norm(s.r)
        done = end.status == Outcome.CONVERGED
        near = (length < atol) | (length == 0)
        status = outcomes(
            length,
            ((length < 0.9 * before) & (end.nit < setting.most), Outcome.RUNNING),
            (near, Outcome.CONVERGED),
            otherwise=Outcome.LIMIT,
        )
        ns = array_namespace(done)
        better = ((s.nit == 0) | (length < before))[:, None]
        x, r = ns.where(better, x, s.x), ns.where(better, r, s.r)
        return _Checked(x, r, end.nit, ns.where(done, status, end.status))

    found = iterate(Method(lambda _: first, some), (), joint=True, watch=watch)
    return found.x, found.status


def _told(setting: Setting, method: Method) -> tuple[Method, Any]:
    teller = Callback(setting.name, setting.callback)
    return teller.told(method, lambda s: _place(s.x)), teller.watch


def _place(x: Any) -> dict[str, Any]:
    return {"x": x[0, ...] if x.shape[0] == 1 else x}


def _by_cycles(maps: Maps, setting: Setting, b: Any, x: Any, r: Any, atol: Any) -> tuple[Any, Any]:
    most = None
    if setting.callback is not None and setting.callback_type == "legacy":
        most = setting.most
    by_norm = setting.callback is not None and setting.callback_type != "x"
    length = norm(b)

    def tell(method: Method) -> Method:
        teller = Callback(setting.name, setting.callback)
        alone = b.shape[0] == 1

        def fields(s: Any) -> dict[str, Any]:
            level = s.level / length
            return {"x": level[0, ...] if alone else level}

        return teller.told(method, fields)

    method = by_gmres(maps, b, x, r, atol, setting.restart, most, tell if by_norm else None)
    watch = None
    if setting.callback is not None and not by_norm:
        method, watch = _told(setting, method)
    end = iterate(method, (), setting.most, joint=True, watch=watch)
    return end.x, end.status


_CODES = {
    Outcome.CONVERGED: 0,
    Outcome.NOT_FINITE: -1,
    INDEFINITE: -2,
    ASYMMETRIC: -3,
    RHO: -10,
    OMEGA: -11,
}


def _info(status: Any, most: int) -> Any:
    """SciPy's `info`; without iterations it is 1, for 0 is success."""
    xp, most = array_namespace(status), max(most, 1)
    if status.shape[0] == 1 and is_concrete(status):
        code = _CODES.get(int(status[0]), most)
        return xp.full_like(status, code)
    info = xp.full_like(status, most)
    for outcome, code in _CODES.items():
        info = xp.where(status == outcome, xp.full_like(status, code), info)
    return info


def _refuse_lost(given: Given, status: Any) -> None:
    if given.batch is None and is_concrete(status):
        code = int(status[0])
        if code == INDEFINITE:
            raise LinAlgError("minres: indefinite preconditioner: M must be positive definite")
        if code == ASYMMETRIC:
            raise LinAlgError("minres: non-symmetric matrix: A, or M, is not Hermitian")


def _refuse_asymmetric(given: Given) -> None:
    maps = maps_of(given)
    for fun, label in ((maps.product, "matrix"), (maps.precondition, "preconditioner")):
        xp = array_namespace(given.b)
        y = stop_gradient(maps.precondition(given.b))
        w = fun(y)
        again = fun(w)
        s, t = norm(w) ** 2, xp.abs(xp.vecdot(y, again, axis=-1))
        eps = float(xp.finfo(y.dtype).eps)
        bad = xp.abs(s - t) > (s + eps) * eps ** (1 / 3)
        if is_concrete(bad) and bool(xp.any(bad)):
            raise LinAlgError(f"minres: non-symmetric {label}")


def _with_derivatives(given: Given, setting: Setting, x: Any) -> Any:
    """Return the solutions with derivatives, by solutions of the same kind."""
    if not recordable(x):
        return x
    product = rows_of(given.A)[0]
    maps = maps_of(given)
    eps = float(array_namespace(x).finfo(x.dtype).eps)
    plain = setting._replace(atol=0.0, rtol=setting.rtol or eps**0.75, callback=None)

    def residual(v: Any) -> Any:
        out = given.b - product(v)
        return out + setting.shift * v if setting.shift else out

    def forward(v: Any) -> Any:
        return _run(maps, plain, v)[0]

    def backward(v: Any) -> Any:
        turned = Maps(maps.adjoint, maps.product, maps.readjoint, maps.precondition)
        same = setting.name in ("cg", "minres")
        return _run(maps if same else turned, plain, v)[0]

    return carried(x, residual, forward, backward)
