"""Linear least squares by products: `lsqr` and `lsmr`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, quiet
from ..._native import native, public
from ...errors import ShapeError
from ...solving._driver import iterate
from ...solving._following import constants, is_open, recordable, recorded
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._running import compiled
from ...transforms import stop_gradient
from ._arguments import Given, by_blocks, tall
from ._bidiagonal import judged, lsmr_steps, lsqr_steps
from ._carried import linear
from ._interface import rows_of

__all__ = ["Setting", "lsmr", "lsqr", "stopped", "with_derivatives"]

Map = Callable[[Any], Any]


class Setting(NamedTuple):
    """Hold the options of a call."""

    name: str
    damp: float
    atol: float
    btol: float
    conlim: float
    most: int
    variances: bool = False


@public
def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Minimise ``|A x - b|^2 + damp^2 |x - x0|^2`` by products with A and its transpose.

    Parameters
    ----------
    A : array, LinearOperator or callable
        Matrices (..., m, n), or an operator of that shape; or, with `x0`, the product with a vector
        (n,) as a function. Products with the conjugate transpose are exact without `rmatvec`.
    b : array, shape (..., m)
        Right sides; leading dimensions broadcast to those of A. (m, 1) is taken as (m,).
    damp : float, optional
        The damping. As in SciPy, a negative one is none in `lsqr`, and its size counts in `lsmr`.
    atol, btol : float, optional
        Relative errors of A and b, within which a problem has converged.
    conlim : float, optional
        A condition number of A at which to end.
    iter_lim : int, optional
        Maximum number of iterations. Default: 2 n.
    show : bool, optional
        SciPy's argument, without effect.
    calc_var : bool, optional
        Whether to estimate the diagonal of ``(A^H A + damp^2 I)^-1``.
    x0 : array, shape (..., n), optional
        Where to start. Default: 0.

    Returns
    -------
    x : array, shape (..., n)
        The solutions, of least norm (or distance to x0) if there are several.
    istop : array of int32, shape (...)
        0: x0 is one; 1: ``A x = b`` within the tolerances; 2: least squares within `atol`; 3: the
        condition number reached `conlim`; 4, 5, 6: as 1, 2, 3, as far as rounding allows; 7:
        `iter_lim` reached; -1: not finite.
    itn : array of int32, shape (...)
        Iterations.
    r1norm, r2norm : array, shape (...)
        The norm of ``b - A x``, and the root of what is minimised.
    anorm, acond, arnorm, xnorm : array, shape (...)
        Estimates of A's norm and condition, of the gradient's and the solution's norm.
    var : array, shape (..., n), or (..., 0)
        The diagonal, with `calc_var`.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    C. C. Paige, M. A. Saunders, ACM Trans. Math. Softw. 8 (1982) 43-71, 195-209. A product with A
    and one with its transpose per iteration. Each problem ends by itself. x is differentiable once
    with respect to b, x0 and all arrays that A depends on, if A has full rank, by solutions of the
    same kind, within the tolerances; the other results are constants.

    Differs from SciPy: batches, and derivatives; `var` is empty without `calc_var`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import lsqr
    >>> a = np.asarray([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop = lsqr(a, np.asarray([1.0, 0.01, -1.0]))[:2]
    >>> x.round(6), int(istop)
    (array([ 1.003333, -0.996667]), 2)
    """

    def call(A: Any, b: Any, x0: Any, _: Any) -> tuple[Any, ...]:
        return lsqr(A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0)

    blocks = by_blocks("lsqr", call, A, b, x0)
    if blocks is not None:
        found: tuple[Any, ...] = blocks
        return found
    given, setting = _planned(
        "lsqr", A, b, damp, atol, btol, conlim, "iter_lim", iter_lim, x0, 2, calc_var
    )
    with quiet(given.b):
        x, code, rest = _solved(given, setting)
    names = ("nit", "r1norm", "normr", "norma", "conda", "normar", "normx", "var")
    return (given.shaped(x), *(given.shaped(v) for v in (code, *(rest[k] for k in names))))


@public
def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Minimise ``|A x - b|^2 + damp^2 |x - x0|^2``, with a gradient that falls in each iteration.

    Parameters
    ----------
    A, b, damp, atol, btol, conlim, show, x0 : optional
        As of `lsqr`.
    maxiter : int, optional
        Maximum number of iterations. Default: min(m, n).

    Returns
    -------
    x : array, shape (..., n)
        The solutions, of least norm (or distance to x0) if there are several.
    istop, itn : array of int32, shape (...)
        As of `lsqr`.
    normr, normar, norma, conda, normx : array, shape (...)
        The norm of the residual, that of the gradient, estimates of A's norm and condition, and the
        solution's norm.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    D. C.-L. Fong, M. Saunders, SIAM J. Sci. Comput. 33 (2011) 2950-2971. A product with A and one
    with its transpose per iteration. Differentiable as `lsqr`.

    Differs from SciPy: batches, and derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import lsmr
    >>> a = np.asarray([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop = lsmr(a, np.asarray([1.0, 0.01, -1.0]))[:2]
    >>> x.round(6), int(istop)
    (array([ 1.003333, -0.996667]), 2)
    """

    def call(A: Any, b: Any, x0: Any, _: Any) -> tuple[Any, ...]:
        return lsmr(A, b, damp, atol, btol, conlim, maxiter, show, x0)

    blocks = by_blocks("lsmr", call, A, b, x0)
    if blocks is not None:
        found: tuple[Any, ...] = blocks
        return found
    given, setting = _planned("lsmr", A, b, damp, atol, btol, conlim, "maxiter", maxiter, x0, 1)
    with quiet(given.b):
        x, code, rest = _solved(given, setting)
    names = ("nit", "normr", "normar", "norma", "conda", "normx")
    return (given.shaped(x), *(given.shaped(v) for v in (code, *(rest[k] for k in names))))


# -- steps -----------------------------------------------------------------------------------------


def _planned(
    name: str,
    A: Any,
    b: Any,
    damp: Any,
    atol: Any,
    btol: Any,
    conlim: Any,
    label: str,
    most: Any,
    x0: Any,
    times: int,
    variances: bool = False,
) -> tuple[Given, Setting]:
    given = tall(name, A, b, x0)
    m, n = given.A.shape[-2:]
    if not m or not n:
        raise ShapeError(f"{name}: A must have rows and columns, but has the shape {given.A.shape}")
    usual = 2 * n if times == 2 else min(m, n)
    return given, Setting(
        name,
        _damping(name, damp),
        tolerance(name, "atol", atol, 0.0),
        tolerance(name, "btol", btol, 0.0),
        tolerance(name, "conlim", conlim, 0.0),
        count(name, label, most, usual),
        bool(variances),
    )


def _damping(name: str, damp: Any) -> float:
    """Return the damping: of 'lsmr' a negative one is that of its size."""
    try:
        number = float(damp)
    except (TypeError, ValueError, RuntimeError):
        return tolerance(name, "damp", damp, 0.0)
    return tolerance(name, "damp", abs(number) if name == "lsmr" else max(number, 0.0), 0.0)


def _solved(given: Given, setting: Setting) -> tuple[Any, Any, dict[str, Any]]:
    """Return solutions with derivatives, why they ended, and the state's estimates."""
    held = given._replace(
        b=stop_gradient(given.b), x0=None if given.x0 is None else stop_gradient(given.x0)
    )
    found = (_generic if is_open() else _found)(held.b, held, setting)
    rest = dict(found)
    x, status = rest.pop("x"), rest.pop("status")
    xp = array_namespace(status)
    code = xp.where(status > 0, status - 100, xp.full_like(status, -1))
    code = xp.where(status == Outcome.LIMIT, xp.full_like(status, 7), code)
    return with_derivatives(*rows_of(given.A), given.b, given.x0, setting, x), code, rest


def _alone(b: Any, given: Given, setting: Setting) -> bool:
    """one problem"""
    return b.shape[0] == 1


@native(numpy="likewise._libs.numpy._krylov:least", when=_alone)
def _found(b: Any, given: Given, setting: Setting) -> dict[str, Any]:
    return _generic(b, given, setting)


def _generic(b: Any, given: Given, setting: Setting) -> dict[str, Any]:
    arrays = constants([b] if given.x0 is None else [b, given.x0])
    forward, backward = _stopped(given)
    found: dict[str, Any] = compiled(b, lambda *v: _run(forward, backward, setting, *v), *arrays)[0]
    return found


def _stopped(given: Given) -> tuple[Map, Map]:
    one, other = rows_of(given.A)
    return stopped(one), stopped(other)


def stopped(apply: Map) -> Map:
    """Return a map as a constant for derivatives."""
    return lambda v: stop_gradient(apply(v))


def _run(forward: Any, backward: Any, setting: Setting, b: Any, x0: Any = None) -> dict[str, Any]:
    r = b if x0 is None else b - forward(x0)
    test = judged(setting.atol, setting.btol, setting.conlim, "normr")
    if setting.name == "lsqr":
        method = lsqr_steps(forward, backward, b, x0, r, setting.damp, test, setting.variances)
    else:
        method = lsmr_steps(forward, backward, b, x0, r, setting.damp, test)
    # The products are of all problems.
    end = iterate(method, (), setting.most, joint=True)
    names = ("x", "nit", "normr", "norma", "conda", "normar", "normx", "status")
    more = ("r1norm", "var") if setting.name == "lsqr" else ()
    return {name: getattr(end, name) for name in (*names, *more)}


def with_derivatives(product: Map, adjoint: Map, b: Any, x0: Any, setting: Setting, x: Any) -> Any:
    """Return solutions with derivatives: those of the pseudoinverse of A with the damping below.

    `product` and `adjoint` are the products with A and its conjugate transpose, of rows.
    """
    if not recordable(x):
        return x
    x = stop_gradient(x)
    c = b if x0 is None else b - product(x0)
    y = x if x0 is None else stop_gradient(x - x0)
    r = c - product(y)
    if not recorded(r) and (x0 is None or not recorded(x0)):
        return x
    xp = array_namespace(r)
    forward, backward = stopped(product), stopped(adjoint)
    m, n, damp = r.shape[-1], x.shape[-1], setting.damp

    def wide(v: Any) -> Any:
        if not damp:
            return forward(v)
        return array_namespace(v).concat([forward(v), damp * v], axis=-1)

    def narrow(v: Any) -> Any:
        return backward(v[:, :m]) + damp * v[:, m:] if damp else backward(v)

    least = float(xp.finfo(r.dtype).eps)
    plain = setting._replace(
        name="lsmr", damp=0.0, atol=max(setting.atol, least), btol=max(setting.btol, least),
        most=max(setting.most, 4 * (m + n)), variances=False,
    )  # fmt: skip

    def inverse(v: Any) -> Any:
        return _run(wide, narrow, plain, v)["x"]

    def turned(v: Any) -> Any:
        return _run(narrow, wide, plain, v)["x"]

    def change(v: Any) -> Any:
        return v - stop_gradient(v)

    def padded(v: Any) -> Any:
        if not damp:
            return v
        none = xp.zeros((v.shape[0], n), dtype=v.dtype, device=device(v))
        return xp.concat([v, none], axis=-1)

    full = m + (n if damp else 0)
    out = x if x0 is None else y + x0
    out = out + linear(inverse, turned, padded(change(r)), n)
    bend = change(adjoint(stop_gradient(r)))
    out = out + linear(inverse, turned, linear(turned, inverse, bend, full), n)
    if m < n and not damp:  # the least norm's part

        def outside(v: Any) -> Any:
            return v - inverse(forward(v))

        out = out + linear(outside, outside, change(adjoint(turned(y))), n)
    return x + change(out)
