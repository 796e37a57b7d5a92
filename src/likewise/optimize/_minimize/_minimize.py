"""Minimisation of functions of several variables, one problem or a batch."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from ..._beside import beside
from ..._namespace import array_namespace, is_neutral
from ..._native import public
from ..._typing import A
from ...transforms._lanes import constants
from .._steps._fallback import of_row, or_differenced
from .._steps._outcome import Outcome
from .._steps._result import Result, result
from ._arguments import plan_functions, plan_minimize
from ._solve import solve_all

__all__ = ["MinimizeResult", "minimize"]


Method = Literal["Adam", "BFGS", "L-BFGS-B", "Nelder-Mead", "CG", "trust-ncg"]


@result
class MinimizeResult(Result):
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
        no step lower the value; 3, not finite at the start, or where a step without a search led;
        4, lower and lower without an end; 99, ended by the callback or Ctrl-C; -1, not ended, which
        a callback sees. `advice` says it in words.
    nit, nfev, njev : array of int32, shape (...)
        Iterations, evaluations of `fun` (with those for differences), and of its gradient (with
        products with the Hessian).
    hess_inv : array, shape (..., p, p), or None
        The inverse of the Hessian as BFGS has learnt it.
    note : str
        Which method stood in for one of SciPy's; not kept by a compiled function that returns it.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.PRECISION: 2,
        Outcome.NOT_FINITE: 3,
        Outcome.UNBOUNDED: 4,
        Outcome.INTERRUPTED: 99,
        Outcome.RUNNING: -1,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged",
        Outcome.LIMIT: "Maximum number of iterations, or of evaluations, reached: raise maxiter or "
        "maxfun, start closer, or rescale the variables",
        Outcome.PRECISION: "stopped by precision loss: no step lowers the value. It is as low as "
        "rounding lets it be, or the gradient is wrong or not continuous; see jac",
        Outcome.NOT_FINITE: "value or gradient are not finite at x0: check data and start",
        Outcome.UNBOUNDED: "the value falls for as far as was looked: fun has no minimum there, or "
        "lacks a sign; give bounds with method='L-BFGS-B'",
        Outcome.INTERRUPTED: "`callback` raised `StopIteration`, or the batch was interrupted",
    }

    x: Any
    fun: Any
    jac: Any
    outcome: Any
    nit: Any
    nfev: Any
    njev: Any
    hess_inv: Any


@public
def minimize(
    fun: Callable[..., Any],
    x0: A,
    args: Any = (),
    method: Method | str | None = None,
    jac: Callable[..., Any] | str | bool | None = None,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., Any] | None = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
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
    args : tuple or one object, optional
        What else the functions take; the same for all problems. A function that writes to
        arrays of these writes to copies.
    method : str, optional
        'BFGS' (default), 'L-BFGS-B' (default with bounds), 'CG', 'trust-ncg', 'Nelder-Mead' or
        'Adam', in any case. For 'TNC' L-BFGS-B stands in, for 'Newton-CG', 'trust-krylov',
        'trust-exact' and 'dogleg' trust-ncg; `note` of the result says so.
    jac : callable, True, or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args)``, shape (p,); True if `fun` returns the pair of value and gradient; or
        differences, within the bounds; 'cs' is the complex step. Default: exact, by the library's
        reverse mode or by `likewise.transforms`; of one problem whose `fun` can't be followed
        '2-point', with a `DerivativeWarning`.
    hess, hessp : callable, optional
        ``hess(x, *args)``, shape (p, p), or ``hessp(x, v, *args)``, its product with v. Used by
        trust-ncg. Default: exact products, by forward over reverse mode.
    bounds : sequence of (min, max), array of shape (..., p, 2) or (2, p), or object with lb, ub
        Bounds of each variable, None or an infinity for none; with leading dimensions, of each
        problem. Taken by L-BFGS-B and Nelder-Mead; other methods go without them, and a
        RuntimeWarning says so, as for derivatives that a method has no use for. A start outside is
        moved onto them, with a warning where values are at hand.
    constraints : empty tuple or list, optional
        Others are not offered.
    tol : float, optional
        Sets all of a method's tolerances.
    callback : callable, optional
        Of one problem, where the library computes at once: ``callback(x)``, or
        ``callback(intermediate_result=result)`` if that is its only parameter, after each
        iteration. Raising StopIteration ends the search.
    options : dict, optional
        By method, with defaults; p is the number of variables. With `disp`, False, how it ended is
        printed; finite_diff_rel_step is the relative step of differences. What a method doesn't
        have is warned of.

        BFGS, CG: gtol 1e-5 (of the gradient's `norm`, inf, the largest element), maxiter 200 p, c1
        1e-4, c2 0.9 (CG: 0.2) of the line search; BFGS: xrtol 0 (relative step).
        L-BFGS-B: gtol 1e-5 (of the projected gradient), ftol 2.2e-9 (relative decrease in a step),
        maxiter 15000, maxfun 15000, maxcor 10 (steps remembered), maxls 40 (values in a search).
        trust-ncg: gtol 1e-4 (norm of the gradient), maxiter 200 p, initial_trust_radius 1,
        max_trust_radius 1000, eta 0.15.
        Nelder-Mead: xatol 1e-4, fatol 1e-4, maxiter 200 p, maxfev 200 p, adaptive False,
        initial_simplex (..., p + 1, p). Of maxiter and maxfev, one that is given alone is alone.
        Adam: learning_rate 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8, gtol 1e-5, maxiter 10000.

        In float32 gtol is at least eps^(1/3), 0.005, and ftol 10 eps, 1e-6, unless given.
    vectorized : bool, optional
        If True, `fun` (`jac`, `hess`, `hessp`) maps the whole batch, shape (..., p), to (...): one
        call in ordinary broadcasting, and the way to give each problem data of its own. A row of x
        must affect its own problem only.

    Returns
    -------
    MinimizeResult
        x, fun, jac, status, success, nit, nfev, njev, hess_inv, message, note.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or what a function returns, is not a real array of the one library, device
        and dtype.
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range, or bounds cross (looked at where arrays are on the host and
        eager).
    NotSupported
        If the arrays are lazy and their library has no loop for them; for constraints, other
        methods, and a callback where values are not at hand.

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
    only. ``jac`` and ``hess_inv`` are constants. Runs under jax.jit. Outside of it JAX traces the
    functions in each call; what was compiled is used again if the trace reads the same, whatever
    arrays they close over. Dask: by blocks over the batch, the functions called on NumPy arrays.

    Differs from SciPy: batches; exact derivatives by default; other methods and constraints are not
    offered; a status has one meaning for all
    methods, and a fall without end is one; a search that fails begins anew from steepest descent
    before it gives up.

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
    if hasattr(bounds, "shape"):
        (bounds,) = beside(x0, bounds)
    xp = array_namespace(x0, bounds if hasattr(bounds, "shape") else None)
    functions = plan_functions(fun, args, jac, hess, hessp, vectorized, callback, constraints)
    problem = plan_minimize(xp, functions, x0, method, bounds, tol, options)

    def solve(jac: Any) -> tuple[Any, ...]:
        return solve_all(problem, functions._replace(jac=jac), MinimizeResult)

    first = of_row(fun, args) if problem.row.gradient else None
    fields = or_differenced(
        "minimize", solve, functions.jac, problem.rows.x0, problem.batch is None, first
    )
    found = MinimizeResult(*fields).noted(problem.note)
    if problem.disp:
        found.tell()
    return found
