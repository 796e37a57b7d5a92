"""Minimisation of functions of several variables, one problem or a batch."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from ..._beside import beside
from ..._namespace import array_namespace, is_neutral
from ..._native import public
from ..._typing import A
from ...errors import DerivativeWarning, TransformError
from ...solving._blocks import Sides, in_blocks
from ...solving._fallback import of_row, or_differenced
from ...solving._following import constants
from ...solving._options import warned
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ._arguments import SHAPED, plan_functions, plan_minimize
from ._bounds import sides_of, unknowns
from ._methods import usual
from ._solve import insist_on_slope, solve_all

__all__ = ["MinimizeResult", "minimize"]


Method = Literal[
    "Adam",
    "BFGS",
    "CG",
    "COBYLA",
    "COBYQA",
    "L-BFGS-B",
    "Nelder-Mead",
    "Newton-CG",
    "Powell",
    "SLSQP",
    "TNC",
    "augmented-Lagrangian",
    "dogleg",
    "trust-constr",
    "trust-exact",
    "trust-krylov",
    "trust-ncg",
]


@result
class MinimizeResult(Result):
    """Hold the results of `minimize`: arrays of the caller's library, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The solutions.
    fun : array, shape (...)
        The values at `x`.
    jac : array, shape (..., p), or None
        The gradients at `x`, not projected; None for Nelder-Mead, Powell, COBYLA
        and COBYQA. By differences NaN for unknowns that their bounds fix.
    status : array of int32, shape (...)
        0, converged; 1, maximum of iterations or evaluations reached; 2, no step lowers the value,
        because of rounding or a wrong gradient; 3, not finite at the start, or after a step without
        line search; 4, the values fall without limit (COBYLA and COBYQA: 1 or 2, then); 5, no point
        was found that fulfils the constraints; 99, ended by the callback; -1, still running (in a
        callback). `advice` explains it. A minimum at a kink, where no gradient is 0, is 2.
    nit, nfev, njev : array of int32, shape (...)
        Iterations, evaluations of `fun` (including those for finite differences), and of its
        gradient (including products with the Hessian).
    hess_inv : array, shape (..., p, p), or None
        The estimate of the inverse Hessian by BFGS.
    multipliers : array, shape (..., m), or None
        Of the constraints, in the order in which they were given, positive at the lower side:
        ``jac = multipliers @ J + bound_multipliers``, if J holds the constraints' derivatives.
    bound_multipliers : array, shape (..., p), or None
        Of the bounds, positive at the lower one.
    constr_violation : array, shape (...), or None
        By how much a constraint is broken at most; also called `maxcv`.
    optimality : array, shape (...), or None
        Of trust-constr, as what follows: the largest element of the Lagrangian's gradient, and of
        products of multipliers with room left.
    tr_radius, constr_penalty, barrier_parameter : array, shape (...), or None
        The trust region's radius, the penalty of broken constraints, and the barrier's parameter.
    cg_niter : array of int32, shape (...), or None
        Products with second derivatives.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.PRECISION: 2,
        Outcome.NOT_FINITE: 3,
        Outcome.UNBOUNDED: 4,
        Outcome.INFEASIBLE: 5,
        Outcome.INTERRUPTED: 99,
        Outcome.RUNNING: -1,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "converged",
        Outcome.LIMIT: "Maximum number of iterations, or of evaluations, reached: raise maxiter or "
        "maxfun, start closer, or rescale the variables",
        Outcome.PRECISION: "stopped by precision loss: no step lowers the value. It is as low as "
        "rounding lets it be, or the gradient is wrong or not continuous; see jac",
        Outcome.NOT_FINITE: "value, gradient or constraints are not finite at x0: check data "
        "and start",
        Outcome.UNBOUNDED: "the value falls for as far as was looked: fun has no minimum there, or "
        f"lacks a sign; give bounds with method={usual(bounded=True).name!r}",
        Outcome.INTERRUPTED: "`callback` raised `StopIteration`",
    }

    x: Any
    fun: Any
    jac: Any
    outcome: Any
    nit: Any
    nfev: Any
    njev: Any
    hess_inv: Any
    multipliers: Any = None
    bound_multipliers: Any = None
    constr_violation: Any = None
    optimality: Any = None
    tr_radius: Any = None
    constr_penalty: Any = None
    barrier_parameter: Any = None
    cg_niter: Any = None

    @property
    def maxcv(self) -> Any:
        """By how much a constraint is broken at most, as SciPy's COBYLA calls it."""
        return self.constr_violation


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
        a scalar array. For a batch, `likewise.transforms.vmap` maps it.
    x0 : array, shape (p,) or (..., p)
        Start values; leading dimensions are a batch of problems.
    args : tuple or one object, optional
        Further arguments of the functions; the same for all problems. A function that writes to
        these arrays writes to copies.
    method : str, optional
        'BFGS' (default), 'L-BFGS-B' (default with bounds), 'SLSQP' (default with constraints),
        'trust-constr' and, for many unknowns, 'augmented-Lagrangian'; 'CG'; with products with the
        Hessian 'Newton-CG', 'TNC', 'trust-ncg' or 'trust-krylov', with all of it 'trust-exact' or
        'dogleg'; without derivatives 'Nelder-Mead', 'Powell', 'COBYLA' or 'COBYQA'; or 'Adam', in
        upper or lower case.
    jac : callable, True, or {'2-point', '3-point', 'cs'}, optional
        ``jac(x, *args)``, shape (p,); True if `fun` returns the pair of value and gradient; or
        finite differences, within the bounds; 'cs' is the complex step. Default: exact, by the
        library's reverse mode or by `likewise.transforms`; for one problem whose `fun` can't be
        traced, '2-point' with a `DerivativeWarning`.
    hess, hessp : callable, optional
        ``hess(x, *args)``, shape (p, p), or ``hessp(x, v, *args)``, its product with v. Used by
        Newton-CG, TNC, trust-ncg, trust-krylov, trust-exact, dogleg and trust-constr. Default:
        exact, by forward over reverse mode; differences of gradients where these are differences.
        `hess` may return an operator or a sparse matrix, which is made dense.
        For trust-constr `hess` may be 'BFGS' or 'SR1', an estimate for fun and constraints
        together; 'BFGS' is taken where gradients are differences or can't be followed.
    bounds : sequence of (min, max), array of shape (..., p, 2) or (2, p), or object with lb, ub
        Bounds of each variable, None or infinity for no bound; with leading dimensions, of each
        problem. L-BFGS-B, TNC, SLSQP, trust-constr, augmented-Lagrangian, Nelder-Mead, Powell,
        COBYLA and COBYQA use them; other methods ignore them with a RuntimeWarning, as they do
        derivatives that they don't need. A start outside is moved onto the bounds, with a warning
        if arrays have values.
    constraints : dict, LinearConstraint, NonlinearConstraint or list of these, optional
        A dict has 'type', 'eq' for fun(x) = 0 or 'ineq' for fun(x) >= 0, 'fun', and if wanted 'jac'
        and 'args', its own. Functions return a number or an array (m,), and have exact derivatives
        by default; `vectorized` is for them, too. Matrices and sides may have the batch's leading
        dimensions. SLSQP, trust-constr, augmented-Lagrangian, COBYLA and COBYQA use them; other
        methods ignore them with a RuntimeWarning.
    tol : float, optional
        Sets all of a method's tolerances.
    callback : callable, optional
        Called after each iteration, for one problem on an eager library: ``callback(x)``, or
        ``callback(intermediate_result=result)`` if that is its only parameter; trust-constr's may
        take ``(x, result)``, and ends the search by a value that is true. StopIteration ends it.
    options : dict, optional
        Options by method, with defaults; p is the number of variables. All methods: disp False
        (whether to print how it ended), finite_diff_rel_step (relative step of finite differences).
        An unknown option gives a warning.

        BFGS, CG: gtol 1e-5 (of the gradient's `norm`, inf, the largest element), maxiter 200 p, c1
        1e-4, c2 0.9 (CG: 0.2) of the line search; BFGS: xrtol 0 (relative step). L-BFGS-B: gtol
        1e-5 (of the projected gradient), ftol 2.2e-9 (relative decrease in a step), maxiter 15000,
        maxfun 15000, maxcor 10 (stored steps), maxls 40 (values in a line search). SLSQP: ftol 1e-6
        (of the value, of the length of a step, and of the sum of what constraints are broken by),
        maxiter 100. trust-constr: gtol 1e-8 (of the Lagrangian's gradient, of products of
        multipliers with room left, and of violations), xtol 1e-8 (a smaller trust region ends it),
        barrier_tol 1e-8, maxiter 1000, initial_tr_radius 1, initial_constr_penalty 1,
        initial_barrier_parameter 0.1, initial_barrier_tolerance 0.1. augmented-Lagrangian: gtol
        1e-5, ctol 1e-8 (of violations), maxiter 15000, maxfun 50000, maxcor 10, maxls 40,
        initial_constr_penalty 0 (0: by the values at the start). COBYLA: rhobeg 1 (first radius),
        tol 1e-4 (last), maxiter 1000 (evaluations), catol -1 (how far constraints may be broken;
        below 0: 1.5e-8), f_target -inf (a value that is low enough). COBYQA: initial_tr_radius 1,
        final_tr_radius 1e-6, feasibility_tol 1e-8, maxfev 500 p, maxiter 1000 p, f_target -inf.
        Newton-CG: xtol 1e-5 (mean size of a step's elements), maxiter 200 p, c1 1e-4, c2 0.9. TNC:
        ftol -1 (decrease in a step), xtol -1 (mean size of a step's elements), gtol -1 (projected
        gradient), eta -1 (slope after a line search), maxCGit -1 (products in an iteration), which
        below 0 are 0, 1.5e-8, 1.2e-6, 0.25, and p or at most 50; maxfun max(100, 10 p). trust-ncg,
        trust-krylov, trust-exact, dogleg: gtol 1e-4 (norm of the gradient), maxiter 200 p,
        initial_trust_radius 1, max_trust_radius 1000, eta 0.15; trust-krylov: inexact True (whether
        steps may be rough far from the minimum); trust-exact: subproblem_maxiter 25. Powell: xtol
        1e-4 (of line searches), ftol 1e-4 (relative decrease in a round), maxiter 1000 p, maxfev
        1000 p, direc (..., p, p) (the first directions). Nelder-Mead: xatol 1e-4, fatol 1e-4,
        maxiter 200 p, maxfev 200 p, adaptive False, initial_simplex (..., p + 1, p). If only one of
        maxiter and maxfev is given, the other has no limit. Adam: learning_rate 0.001, beta1 0.9,
        beta2 0.999, epsilon 1e-8, gtol 1e-5, maxiter 10000.

        In float32 gtol is at least eps^(1/3), 0.005, and ftol 10 eps, 1e-6, unless given; for
        trust-constr gtol is at least eps^(1/2), 1.5e-8 in float64.
    vectorized : bool, optional
        If True, `fun` (`jac`, `hess`, `hessp`) maps the whole batch, shape (..., p), to (...) in
        one call. Use this to give each problem its own data. A row of x must affect only its own
        problem.

    Returns
    -------
    MinimizeResult
        x, fun, jac, status, success, nit, nfev, njev, hess_inv, message.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or a function's result, is not a real array of the right library, device and
        dtype.
    ShapeError
        If shapes don't fit.
    ArgumentError
        If an option is out of range, or bounds cross (checked only for eager arrays on the host).
    NotSupported
        If the arrays are lazy and their library has no loop for them; for other methods; and for a
        callback if arrays have no values.
    ConstraintError
        If a constraint has no type, or isn't one.

    Notes
    -----
    BFGS: J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., (6.17). CG: the same, (5.44),
    Polak and Ribiere. L-BFGS-B: R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, SIAM J. Sci. Comput. 16(5),
    1995, by the generalised Cauchy point and the minimum over the free variables, projected as in
    J. L. Morales, J. Nocedal, ACM TOMS 38(1), 2011. The three search along lines by J. J. Moré, D.
    J. Thuente, ACM TOMS 20(3), 1994. SLSQP: D. Kraft, DFVLR-FB 88-28, 1988, its quadratic
    programmes by D. Goldfarb, A. Idnani, Math. Programming 27, 1983. trust-constr: R. H. Byrd, M.
    E. Hribar, J. Nocedal, SIAM J. Optim. 9(4), 1999, by steps of Byrd and Omojokun.
    augmented-Lagrangian: R. Andreani, E. G. Birgin, J. M. Martinez, M. L. Schuverdt, SIAM J. Optim.
    18(4), 2007, with iterations of L-BFGS-B and no matrices. Newton-CG: as Nocedal and Wright's
    algorithm 7.1. TNC: S. G. Nash, SIAM J. Numer. Anal. 21(4), 1984. trust-ncg: T. Steihaug, SIAM
    J. Numer. Anal. 20(3), 1983. trust-krylov: N. I. M. Gould et al., SIAM J. Optim. 9(2), 1999, by
    at most 50 vectors. trust-exact: J. J. Moré, D. C. Sorensen, SIAM J. Sci. Stat. Comput. 4(3),
    1983, by eigenvectors. dogleg: M. J. D. Powell, 1970, with trust-exact's step where the Hessian
    is not positive definite. Powell: Computer Journal 7, 1964. COBYLA: M. J. D. Powell, 1994;
    COBYQA: T. M. Ragonneau, PhD thesis, 2022; both with steps in boxes that lower the value and a
    multiple of the largest violation. Nelder-Mead: as J. C. Lagarias et al., SIAM J. Optim. 9(1),
    1998, the simplex projected into the bounds. Adam: D. P. Kingma, J. Ba, arXiv:1412.6980.

    All problems of a batch are solved at once; each has its own step and converges separately. If
    arrays have values, finished problems are dropped. A batch that would not fit in memory is split
    into parts (LIKEWISE_MEMORY_FRACTION; not if `vectorized`). An iteration costs one or two values
    and gradients, and p operations (CG, Adam), 40 p (L-BFGS-B), some p^2 (BFGS, Nelder-Mead), some
    p^3 (trust-exact, dogleg), (p + m) p^2 (SLSQP), m^3 + p m^2 for m constraints (trust-constr),
    and some (p + m) p^2 and p^3 (COBYLA, COBYQA).

    ``x`` and ``fun`` are differentiable with respect to `args` and to all arrays that `fun` closes
    over, by the equation gradient = 0 with variables at a bound held fixed. With constraints, these
    and ``multipliers`` are so with respect to all that functions close over, to matrices and to
    sides, by the conditions of optimality with the active constraints held; ``bound_multipliers``,
    too. Where an active one has the multiplier 0, that is the derivative to the side on which it is
    not active. Unknowns that no equation holds stay. Where statuses are 3, 4 or 5 derivatives of
    ``x`` and ``multipliers`` are 0 with constraints. Only if you differentiate, this needs second
    derivatives, and a matrix of (p + m)^2 elements per problem. ``jac`` and ``hess_inv`` are
    constants. Runs under jax.jit. Outside jax.jit, JAX traces the functions in each call and reuses
    compiled code if the trace is the same, whatever arrays they close over. Dask computes by blocks
    over the batch, and calls the functions on NumPy arrays; there all problems have the same
    matrices and sides of constraints.

    Differs from SciPy: batches; exact derivatives by default; other methods are not supported;
    constraints keep their order in `multipliers`; a status has the same meaning for all methods,
    and values that fall without limit have their own; a search that fails restarts with steepest
    descent before it gives up.

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
    known = options if isinstance(options, Mapping) else {}
    shaped = next((name for name in SHAPED if known.get(name) is not None), "initial_simplex")
    simplex = known.get(shaped)

    def call(x0: Any, low: Any, high: Any, simplex: Any, args: Any) -> MinimizeResult:
        given = options if simplex is None else {**(options or {}), shaped: simplex}
        joint = vectorized and getattr(start, "ndim", 1) > 1
        box = None if bounds is None else Sides(low, high)
        return minimize(
            *(fun, x0, args, method, jac, hess, hessp, box, constraints, tol),
            options=given,
            vectorized=joint,
        )

    start = x0
    low, high = (None, None) if bounds is None else sides_of(bounds, unknowns(x0))
    arrays = {
        "x0": (x0, 1),
        "lower bounds": (low, 1),
        "upper bounds": (high, 1),
        shaped: (simplex, 2),
        "args": (args, None),
    }
    users = {"fun": fun, "jac": jac, "hess": hess, "hessp": hessp}
    blocks = in_blocks("minimize", call, arrays, users, callback)
    if blocks is not None:
        return blocks
    if hasattr(x0, "shape") and not is_neutral(x0):
        (x0,) = constants([x0])
    if hasattr(bounds, "shape"):
        (bounds,) = beside(x0, bounds)
    xp = array_namespace(x0, bounds if hasattr(bounds, "shape") else None)
    functions = plan_functions(fun, args, jac, hess, hessp, vectorized, callback, constraints)
    problem = plan_minimize(xp, functions, x0, method, bounds, tol, options)

    limits = problem.constraints

    def solve(how: Any) -> tuple[Any, ...]:
        some, known = problem, functions
        if limits is not None:
            some = problem._replace(constraints=limits.differenced(how))
        if limits is None or functions.jac is None:
            known = functions._replace(jac=how)
        found = solve_all(some, known, MinimizeResult)
        if known.jac is None:
            insist_on_slope(problem, functions, found)
        return found

    def estimated(how: Any) -> tuple[Any, ...]:
        nonlocal problem
        try:
            return solve(how)
        except TransformError as error:
            problem = problem._replace(options={**problem.options, "hessian": "BFGS"})
            found = solve(how)
            warned(
                "minimize: second derivatives are estimated, as with hess='BFGS', which ends this "
                f"warning; exact ones can't be had: {error}",
                DerivativeWarning,
            )
            return found

    first = of_row(fun, args) if problem.row.gradient else None
    own = None if limits is not None and limits.exact else functions.jac
    how = estimated if problem.row.estimates and own is not None else solve
    fields = or_differenced("minimize", how, own, problem.rows.x0, problem.batch is None, first)
    found = MinimizeResult(*fields)
    if problem.disp:
        found.tell()
    return found
