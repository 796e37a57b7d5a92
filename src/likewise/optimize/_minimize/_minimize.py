"""Minimisation of functions of several variables, one problem or a batch."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from ..._creation import memory_budget
from ..._namespace import array_namespace, hooks_of, is_lazy, is_neutral, quiet
from ..._native import public
from ..._typing import A
from ...transforms import stop_gradient
from ...transforms._implicit import recorded, refined
from ...transforms._lanes import constants
from .._steps._result import Coded, result
from ._adam import adam
from ._arguments import Problem, plan_minimize
from ._bfgs import bfgs
from ._descent import (
    CONVERGED,
    MAXITER,
    NOT_FINITE,
    PRECISION,
    UNBOUNDED,
    Found,
    Method,
    descend,
)
from ._lbfgsb import lbfgsb
from ._nelder_mead import nelder_mead, simplex
from ._nonlinear_cg import conjugate_gradients
from ._objective import Objective
from ._trust_ncg import trust_ncg

__all__ = ["MinimizeResult", "minimize"]


@result
class MinimizeResult(Coded):
    """Tells how each problem ended; arrays of the caller's library, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The solutions.
    fun : array, shape (...)
        The values there.
    jac : array, shape (..., p), or None
        The gradients there, not projected; None for Nelder-Mead.
    status : array of int32, shape (...)
        0, converged; 1, the most iterations or evaluations; 2, rounding or a wrong gradient lets
        no step lower the value; 3, not finite at the start; 4, lower and lower along a line without
        an end. `advice` says it in words.
    nit, nfev, njev : array of int32, shape (...)
        Iterations, evaluations of `fun` (with those for differences), and of its gradient (with
        products with the Hessian).
    hess_inv : array, shape (..., p, p), or None
        The inverse of the Hessian as BFGS has learnt it.
    """

    x: Any
    fun: Any
    jac: Any
    status: Any
    nit: Any
    nfev: Any
    njev: Any
    hess_inv: Any

    ADVICE: ClassVar[dict[int, str]] = {
        CONVERGED: "converged",
        MAXITER: "maxiter or maxfun was reached: raise it, start closer, or rescale the variables",
        PRECISION: "no step lowers the value: it is as low as rounding lets it be, or the gradient "
        "is wrong or not continuous; see jac",
        NOT_FINITE: "value or gradient are not finite at x0: check data and start",
        UNBOUNDED: "the value falls along a line for as far as was looked: fun has no minimum "
        "there, or lacks a sign; give bounds with method='L-BFGS-B'",
    }


@public
def minimize(
    fun: Callable[..., Any],
    x0: A,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | str | bool | None = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., Any] | None = None,
    bounds: Any = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
    *,
    vectorized: bool = False,
) -> MinimizeResult:
    """Minimise a function of several variables, from one start or from a batch of them.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, in functions of ``likewise.array_namespace(x)``; maps x of shape (p,) to
        a scalar array. Of a batch it is mapped by `likewise.transforms.vmap`.
    x0 : array, shape (p,) or (..., p)
        Where to start; leading dimensions are a batch of problems.
    args : tuple, optional
        What else the functions take; the same for all problems.
    method : str, optional
        'BFGS' (default), 'L-BFGS-B' (default with bounds), 'CG', 'trust-ncg', 'Nelder-Mead' or
        'Adam', in any case.
    jac : callable, True, or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args)``, shape (p,); True if `fun` returns the pair of value and gradient; or
        differences, within the bounds; 'cs' is the complex step. Default: exact, by the library's
        reverse mode or by `likewise.transforms`.
    hess, hessp : callable, optional
        ``hess(x, *args)``, shape (p, p), or ``hessp(x, v, *args)``, its product with v. Used by
        trust-ncg. Default: exact products, by forward over reverse mode.
    bounds : sequence of (min, max), array of shape (..., p, 2), or object with lb, ub, optional
        Bounds of each variable, None or an infinity for none; with leading dimensions, of each
        problem. Taken by L-BFGS-B and Nelder-Mead.
    tol : float, optional
        Sets all of a method's tolerances.
    options : dict, optional
        By method, with defaults; p is the number of variables.

        BFGS, CG: gtol 1e-5 (largest element of the gradient), maxiter 200 p, c1 1e-4, c2 0.9 (CG:
        0.2) of the line search.
        L-BFGS-B: gtol 1e-5 (of the projected gradient), ftol 2.2e-9 (relative decrease in a step),
        maxiter 15000, maxfun 15000, maxcor 10 (steps remembered).
        trust-ncg: gtol 1e-4 (norm of the gradient), maxiter 200 p, initial_trust_radius 1,
        max_trust_radius 1000, eta 0.15.
        Nelder-Mead: xatol 1e-4, fatol 1e-4, maxiter 200 p, maxfev 200 p, adaptive False,
        initial_simplex (..., p + 1, p).
        Adam: learning_rate 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8, gtol 1e-5, maxiter 10000.

        In float32 gtol is at least eps^(1/3), 0.005, and ftol 10 eps, 1e-6, unless given.
    vectorized : bool, optional
        If True, `fun` (`jac`, `hess`, `hessp`) maps the whole batch, shape (..., p), to (...): one
        call in ordinary broadcasting, and the way to give each problem data of its own. A row of x
        must affect its own problem only.

    Returns
    -------
    MinimizeResult
        x, fun, jac, status, success, nit, nfev, njev, hess_inv.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or what a function returns, is not a real array of the one library, device
        and dtype.
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is unknown or out of range, bounds go with a method that has none, cross, or
        leave x0 outside (looked at where arrays are on the host and eager).
    NotSupported
        If the arrays are lazy and their library has no loop for them.

    Notes
    -----
    BFGS: J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., (6.17). CG: the same, (5.44),
    Polak and Ribiere. L-BFGS-B: R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, SIAM J. Sci. Comput. 16(5),
    1995, by the generalised Cauchy point and the minimum over the free variables, projected as in
    J. L. Morales, J. Nocedal, ACM TOMS 38(1), 2011. The three search along lines by J. J. Moré,
    D. J. Thuente, ACM TOMS 20(3), 1994. trust-ncg: T. Steihaug, SIAM J. Numer. Anal. 20(3), 1983.
    Nelder-Mead: as J. C. Lagarias et al., SIAM J. Optim. 9(1), 1998, the simplex projected into the
    bounds. Adam: D. P. Kingma, J. Ba, arXiv:1412.6980.

    All problems of a batch go on together, each at a step of its own and each to its own end; where
    values are at hand, those that have ended are dropped. A batch that would not fit in memory is
    worked off in parts (LIKEWISE_MEMORY_FRACTION; not if `vectorized`). An iteration costs one or
    two values and gradients, and p operations (CG, Adam), 40 p (L-BFGS-B), some p^2 (BFGS,
    Nelder-Mead).

    ``x`` and ``fun`` are differentiable with respect to `args` and to whatever `fun` closes over,
    by the equation gradient = 0, in which variables at a bound are held there; that takes second
    derivatives of `fun` and costs a matrix of p^2 elements a problem, where somebody differentiates
    only. ``jac`` and ``hess_inv`` are constants. Runs under jax.jit, and is compiled anew by each
    call outside of it, since the functions may have changed: wrap many calls in one jax.jit. Dask:
    by blocks over the batch, with the functions called on NumPy arrays.

    Differs from SciPy: batches; exact derivatives by default; other methods, constraints and
    callbacks are not offered; x0 outside its bounds is an error; bounds with a method that has none
    are an error; a status has one meaning for all methods; a search that fails begins anew from
    steepest descent before it gives up.

    Examples
    --------
    >>> import numpy as np
    >>> import likewise
    >>> def rosenbrock(x):
    ...     return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
    >>> found = likewise.optimize.minimize(rosenbrock, np.asarray([[-1.2, 1.0], [2.0, 2.0]]))
    >>> found.x.round(4)
    array([[1., 1.],
           [1., 1.]])
    >>> print(found.summary())
    2 of 2 problems converged
      2  status  0: converged
    """
    if hasattr(x0, "shape") and not is_neutral(x0):
        (x0,) = constants([x0])
    xp = array_namespace(x0, bounds if hasattr(bounds, "shape") else None)
    problem = plan_minimize(xp, fun, x0, args, method, jac, hess, hessp, bounds, tol, options)
    return _solve_all(problem, _Functions(fun, tuple(args), jac, hess, hessp, bool(vectorized)))


class _Functions(NamedTuple):
    fun: Any
    args: tuple[Any, ...]
    jac: Any
    hess: Any
    hessp: Any
    vectorized: bool


def _solve_all(problem: Problem, functions: _Functions) -> MinimizeResult:
    """By blocks where arrays come in blocks, else all at once."""
    x0, lower, upper, points, batch, *_ = problem
    p = int(x0.shape[1])
    library = hooks_of(x0)
    if not library.in_blocks:
        fields = _solve_parts(problem, functions)
    else:
        shape = [None if a is None else (int(a.shape[0]), -1) for a in (lower, upper, points)]
        flat = [
            None if a is None else array_namespace(a).reshape(a, s)
            for a, s in zip((lower, upper, points), shape, strict=True)
        ]
        bare = problem.method == "Nelder-Mead"
        inverse = problem.method == "BFGS"

        def block(_: Any, x0: Any, lower: Any, upper: Any, points: Any) -> Any:
            if points is not None:
                points = array_namespace(points).reshape(points, (-1, p + 1, p))
            rows = None if batch is None else (int(x0.shape[0]),)
            part = problem._replace(x0=x0, lower=lower, upper=upper, simplex=points, batch=rows)
            return _packed(_solve_rows(part, functions))

        width = p + 5 + (0 if bare else p) + (p * p if inverse else 0)
        fields = _unpacked(library.map_batches(block, None, (x0, *flat), width), p, bare, inverse)
    xp = array_namespace(*fields[:1])
    tail = () if batch is None else batch
    return MinimizeResult(
        *(None if a is None else xp.reshape(a, tail + tuple(a.shape[1:])) for a in fields)
    )


def _solve_parts(problem: Problem, functions: _Functions) -> tuple[Any, ...]:
    """In parts where a batch would not fit in memory, if `fun` can be called on parts."""
    x0 = problem.x0
    count, p = int(x0.shape[0]), int(x0.shape[1])
    if problem.batch is None or functions.vectorized or is_lazy(x0):
        return _solve_rows(problem, functions)
    xp = array_namespace(x0)
    # Vectors of the state and of a step, and what a method remembers, twice.
    remembered = {"BFGS": 6 * p, "L-BFGS-B": 12 * problem.options.get("maxcor", 0)}
    rows = 40 + remembered.get(problem.method, 4 * p if problem.method == "Nelder-Mead" else 0)
    part = max(1, memory_budget(x0) // (rows * p * int(xp.finfo(x0.dtype).bits) // 8))
    if part >= count:
        return _solve_rows(problem, functions)
    arrays = (x0, problem.lower, problem.upper, problem.simplex)
    found = []
    for i in range(0, count, part):
        some = [None if a is None else a[i : min(i + part, count), ...] for a in arrays]
        given = problem._replace(x0=some[0], lower=some[1], upper=some[2], simplex=some[3])
        found.append(_solve_rows(given, functions))
    return tuple(
        None if field[0] is None else xp.concat(list(field), axis=0)
        for field in zip(*found, strict=True)
    )


def _solve_rows(problem: Problem, functions: _Functions) -> tuple[Any, ...]:
    fun, args, jac, hess, hessp, vectorized = functions
    batch = problem.batch
    library = hooks_of(problem.x0)

    def objective(lower: Any, upper: Any) -> Objective:
        return Objective("minimize", fun, args, jac, hess, hessp, batch, vectorized, lower, upper)

    def solve(x0: Any, lower: Any, upper: Any, points: Any) -> Found:
        given = problem._replace(x0=x0, lower=lower, upper=upper, simplex=points)
        return _solve(objective(lower, upper), given)

    # Under a transform that is open elsewhere, arrays that can meet those that it follows.
    x0, lower, upper, points = (
        None if a is None else constants([a])[0]
        for a in (problem.x0, problem.lower, problem.upper, problem.simplex)
    )
    fixed = [None if a is None else stop_gradient(a) for a in (x0, lower, upper, points)]
    with quiet(problem.x0):  # trial steps may overflow, and are rejected for it
        found = library.jit(solve)(*fixed)
        return _differentiable(objective(lower, upper), found, lower, upper)


def _packed(fields: tuple[Any, ...]) -> Any:
    """All fields side by side, (B, width), in the floating dtype."""
    x = fields[0]
    xp = array_namespace(x)
    rows = [
        xp.reshape(xp.astype(a, x.dtype), (int(x.shape[0]), -1)) for a in fields if a is not None
    ]
    return xp.concat(rows, axis=1)


def _unpacked(packed: Any, p: int, bare: bool, inverse: bool) -> tuple[Any, ...]:
    xp = array_namespace(packed)
    at = p + 1 if bare else 2 * p + 1
    counts = [xp.astype(packed[:, at + i], xp.int32) for i in range(4)]
    matrix = packed[:, at + 4 :]
    return (
        packed[:, :p],
        packed[:, p],
        None if bare else packed[:, p + 1 : at],
        *counts,
        xp.reshape(matrix, (packed.shape[0], p, p)) if inverse else None,
    )


def _solve(objective: Objective, problem: Problem) -> Found:
    x0, lower, upper, points, _, method, o = problem
    if method == "Nelder-Mead":
        points = simplex(x0, lower, upper) if points is None else points
        return nelder_mead(objective, points, **o)
    if method == "Adam":
        return adam(objective, x0, **o)
    if method == "trust-ncg":
        return trust_ncg(objective, x0, **o)

    def way(objective: Objective) -> Method:
        if method == "L-BFGS-B":
            return lbfgsb(objective.lower, objective.upper, o["maxcor"], 1e-3, 0.9)
        return (bfgs if method == "BFGS" else conjugate_gradients)(o["c1"], o["c2"])

    ends = {name: o.get(name) for name in ("gtol", "ftol", "maxiter", "maxfun")}
    found = descend(objective, way, x0, **ends)  # type: ignore[arg-type]
    return found._replace(extra=found.extra.inverse if method == "BFGS" else None)


def _differentiable(objective: Objective, found: Found, lower: Any, upper: Any) -> tuple[Any, ...]:
    """The result, with the derivatives that the solutions have by gradient = 0."""
    p = int(found.x.shape[1])
    cost = objective.cost(p)
    nfev = found.nfev * cost if found.g is not None else found.nfev
    x, value = stop_gradient(found.x), stop_gradient(found.f)
    live = objective.live_value(x)
    if recorded(live):
        exact = objective.with_exact_gradient()

        held = (
            None if lower is None else _held(exact, x, stop_gradient(lower), stop_gradient(upper))
        )

        def residual(x: Any) -> Any:
            g = exact.live_gradient(x)
            if held is None:
                return g
            xp = array_namespace(g)
            return xp.where(held[0], x - lower, xp.where(held[1], x - upper, g))

        x = refined(x, residual)
        value = objective.live_value(x)
    return x, value, found.g, found.status, found.nit, nfev, found.njev, found.extra


def _held(objective: Objective, x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Find the variables that the minimum has on their lower or upper bounds.

    The next step along the gradient leads to them, and there it still points out of the box.
    """
    xp = array_namespace(x)
    there = x - stop_gradient(objective.live_gradient(x))
    low, high = there <= lower, there >= upper
    g = stop_gradient(objective.live_gradient(xp.where(low, lower, xp.where(high, upper, x))))
    return low & (g >= 0), high & (g <= 0)
