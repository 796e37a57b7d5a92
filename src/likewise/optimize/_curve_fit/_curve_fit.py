"""Curve fitting: one model against many data sets at once."""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple

from ..._beside import beside
from ..._namespace import array_namespace, device, is_concrete, is_neutral
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, OptimizeWarning, _level
from ...progress import Progress
from ...solving._blocks import any_in_blocks, in_blocks
from ...solving._driver import taken
from ...solving._fallback import or_differenced
from ...solving._few import Views, by_one
from ...solving._outcome import Outcome
from ...solving._result import Computed, Result, insist, result
from ...solving._watch import keeping
from .._constraints._stated import stated
from .._steps._loss import Loss
from .._steps._marquardt import Limits
from ._alone import Alone, alone, each_alone, ordinary
from ._arguments import (
    ARRAYS,
    NAMES,
    Asked,
    Fits,
    limits,
    most,
    pair,
    plan_curve_fit,
    policy_of,
    ranks_of,
    scipys,
)
from ._constrained import constrained
from ._fit import Fitted, Options, blank, fitted, without_failed
from ._model import turned

__all__ = ["FitResult", "curve_fit"]


@result
class FitResult(Result, Generic[A]):
    """Hold the results of fits: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    popt : array, shape (..., p)
        Parameters; where the fit failed, those at which it ended.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the data don't determine it, NaN where the fit failed.
    rss : array, shape (...)
        Sum of squares of the (weighted) residuals.
    chi2 : array, shape (...)
        Reduced chi-square: `rss` (with a loss function, twice the cost) divided by the degrees of
        freedom.
    r_squared : array, shape (...)
        The fraction of the data's variance that the model explains.
    nit : array of int32, shape (...)
        Iterations: evaluations of the model with its Jacobian, not counting the first.
    status : array of int32, shape (...)
        Why the fit ended. SciPy's codes: 1, 2, 4, converged by ftol, xtol, gtol; 0, max_nfev
        reached. New: -1, not finite at the start, or too few valid data; -3, interrupted; -4, no
        step lowers the sum of squares, though its gradient is not 0; -5, infeasible. `advice` and
        `summary` explain it.
    multipliers : array, shape (..., m), or None
        Of the constraints, for half the sum of the squares or losses, positive at the lower side:
        the gradient is ``multipliers @ J + bound_multipliers``, if J holds the constraints'
        derivatives.
    bound_multipliers : array, shape (..., p), or None
        Of the bounds if there are constraints, positive at the lower one, and of fixed parameters.
    constr_violation : array, shape (...), or None
        By how much a constraint is broken at most.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.COST: 1,
        Outcome.STEP: 2,
        Outcome.GRADIENT: 4,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.INTERRUPTED: -3,
        Outcome.STALLED: -4,
        Outcome.INFEASIBLE: -5,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.COST: "converged: the sum of squares changes relatively by no more than ftol",
        Outcome.STEP: "converged: the parameters change relatively by no more than xtol",
        Outcome.GRADIENT: "converged: residuals are orthogonal to the Jacobian's columns in gtol",
        Outcome.LIMIT: "max_nfev was reached: raise it, start closer, or rescale the parameters",
        Outcome.NOT_FINITE: (
            "data or model at p0 not finite, or too few valid data: check, mask, or move p0"
        ),
        Outcome.STALLED: (
            "no step lowers the sum of squares, whose gradient isn't 0: move p0 or rescale"
        ),
        Outcome.INFEASIBLE: (
            "no parameters nearby fulfil all constraints: move p0, or loosen constraints"
        ),
    }

    popt: A
    pcov: A
    rss: A
    chi2: A
    r_squared: A
    nit: A
    outcome: A
    multipliers: Any = None
    bound_multipliers: Any = None
    constr_violation: Any = None

    @Computed
    def nfev(self) -> Any:
        """Evaluations of the model with its Jacobian."""
        nit: Any = self.nit
        return nit + 1

    def keys(self) -> list[str]:
        """Return the names of the fields, including `message`, `success` and `nfev`."""
        return [*super().keys(), "nfev"]

    def __iter__(self) -> Iterator[Any]:
        """Yield SciPy's five: popt, pcov, infodict, mesg, ier.

        infodict has ``nfev``, ``nit``, ``rss``, ``chi2`` and ``r_squared``; for one problem also
        ``fvec``, the residuals at popt, divided by sigma, and 0 for omitted points.
        """
        names = ("nfev", "fvec", "nit", "rss", "chi2", "r_squared")
        told = {name: self[name] for name in names if name in self}
        return iter((self.popt, self.pcov, told, self.message, self.status))


@public
def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: A,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = (-math.inf, math.inf),
    method: Literal["lm", "trf", "dogbox"] | str | None = None,
    jac: Callable[..., Any] | str | None = None,
    *,
    full_output: bool = False,
    nan_policy: Literal["propagate", "omit", "raise"] | str | None = None,
    mask: Any = None,
    fixed: Sequence[bool] | None = None,
    loss: Loss | str | Callable[..., Any] = "linear",
    f_scale: float = 1.0,
    prior: Any = None,
    constraints: Any = (),
    vectorized: bool = True,
    ftol: float | None = None,
    xtol: float | None = None,
    gtol: float | None = None,
    max_nfev: int | None = None,
    chunk_size: int | str = "auto",
    workers: int = 1,
    progress: bool | Callable[..., Any] = False,
    **others: Any,
) -> Any:
    """Fit a function's parameters to data by nonlinear least squares, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(xdata, *params) -> ydata``, in functions of ``likewise.array_namespace(xdata)``. One
        problem calls it with parameters of shape (); a batch calls it once for many problems, with
        parameters of shape (batch, 1), so that broadcasting against xdata gives (batch, n). A few
        problems may be fitted one after the other, after one call for all.
    xdata : array, shape (n,) or (k, n), or any object
        Where the data were taken, the same for every problem. Predictors of each problem have the
        shape of ydata, or (k, ..., n) with the batch's dimensions in the middle; `f` gets them as
        (batch, n) or (k, batch, n). If all of exactly k problems share k predictors, give them as
        (k, 1, n). Arrays are cast to the common floating dtype, other objects reach `f` as they
        are. Pass all data that differ between problems here: if `f` closes over an array with a
        batch axis, that is an error.
    ydata : array, shape (..., n)
        The data; leading dimensions are a batch of problems.
    p0 : array, shape (p,) or (..., p), optional
        Start values. Default: ones, as many as `f` has parameters; with bounds, the middle between
        them.
    sigma : array, shape (n,), (..., n) or (..., n, n), optional
        Standard deviations of the data, by which residuals are divided; or the data's covariance,
        with one dimension more than ydata.
    absolute_sigma : bool, optional
        If True, sigma is absolute; if False (default), pcov is scaled so that the reduced
        chi-square is 1.
    check_finite : bool, optional
        SciPy's older option: True means ``nan_policy='raise'``, False ``'propagate'``.
    bounds : pair of arrays, shape () or (p,) or (..., p), optional
        Lower and upper bounds of the parameters, or an object with ``lb`` and ``ub``.
    method : {'lm', 'trf', 'dogbox'}, optional
        All names select Levenberg-Marquardt, the only method, with and without bounds; 'lm' can't
        have bounds, as in SciPy.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(xdata, *params)``, shape (n, p) for one problem and (batch, n, p) for a batch, or a
        scheme of finite differences. Default: exact, by forward mode; for one problem whose model
        can't be traced, '2-point' with a `DerivativeWarning`.
    full_output : bool, optional
        If True, return a `FitResult`, which has a status for each fit and unpacks into SciPy's five
        values, popt, pcov, infodict, mesg and ier. If False, a single fit that fails raises an
        error, and fits of a batch that fail give a warning.
    nan_policy : {'raise', 'omit', 'propagate'}, optional
        How to treat data that are NaN (or infinite): raise an error, omit them, or give their
        problem the status -1. Default: 'raise' for one problem, 'propagate' in a batch.
    mask : array of bool, shape (n,) or (..., n), optional
        Which points to use.
    fixed : sequence of bool, p entries, optional
        Which parameters to keep at p0; their rows and columns of pcov are 0.
    loss : {'linear', 'soft_l1', 'huber', 'cauchy', 'arctan'} or callable, optional
        Loss function of the squared residuals, as for `least_squares`.
    f_scale : float, optional
        Size of residuals above which the loss differs from the linear one. Default: 1.
    prior : pair of arrays, shape (p,) or (..., p), optional
        Mean and standard deviation of a normal prior of each parameter; a standard deviation of
        infinity means no prior. The fit is then the maximum of the posterior. Needs
        ``absolute_sigma=True``.
    constraints : LinearConstraint, NonlinearConstraint, dictionary, or a list of them, optional
        Of the parameters (p,) of one problem, as for `minimize`; their data may have the batch's
        leading dimensions. On Dask they are the same for all problems.
    vectorized : bool, optional
        Whether `f` broadcasts. If False, `f` takes parameters of shape () and is mapped over the
        batch.
    ftol, xtol, gtol : float, optional
        Tolerances of convergence: relative change of the sum of squares; relative change of the
        (scaled) parameters, or the change that a further step is expected to make; and cosine of
        the angle between residuals and the Jacobian's columns. Default: eps, eps^(3/4), eps^(3/4)
        of the dtype, which costs two or three quadratic steps more than SciPy's 1e-8.
    max_nfev : int, optional
        Maximum number of evaluations of the model with its Jacobian per problem. A problem whose
        ordinary steps fail, stall or end at a singular Jacobian is restarted, and may take as many
        again. Default: 2000.
    chunk_size : int or 'auto', optional
        Number of problems to solve at once. 'auto': as many as fit in the device's free memory
        (LIKEWISE_MEMORY_FRACTION of it). If memory runs out, the number is halved.
    workers : int, optional
        Number of threads, for libraries that compute eagerly on the host and have no threads of
        their own (as torch has). `f` must be thread-safe. Default: 1.
    progress : bool or callable, optional
        True: show a bar with problems done, rate and failures; or call
        ``progress(done, total, text)``.
    **others
        SciPy's further arguments: ``maxfev`` is `max_nfev`; ``col_deriv`` says whether `jac`
        returns (p, n); ``diag``, ``epsfcn``, ``factor``, ``x_scale``, ``tr_solver``, ``tr_options``
        and ``verbose`` have no effect, and give a warning.

    Returns
    -------
    popt : array, shape (..., p)
        The parameters, with ydata's library and device and the arrays' common floating dtype; NaN
        where the fit failed.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the Jacobian's columns are linearly dependent within its
        accuracy; NaN where the fit failed.
    result : FitResult
        In place of these two, if `full_output`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or a result of `f` or `jac`, is not a real array of the common library and
        device.
    ShapeError
        If shapes don't fit, or (`TooFewDataError`) there are fewer data than parameters.
    ArgumentError
        If an option is out of range; if bounds cross, p0 is outside the bounds, sigma is not
        positive, or data are not finite (checked only for eager arrays on the host). In a batch the
        message has the index of the first such problem.
    ConvergenceError
        If a single fit failed, and `full_output` is False. Fits of a batch that failed give a
        `ConvergenceWarning`, infinite covariances an `OptimizeWarning`. Under a transform or jit,
        and for lazy arrays, there is neither error nor warning.
    TransformError, TypeError
        If `f` can't be differentiated in a batch, on JAX or under a transform, for instance because
        it calls ``math.exp``, or ``np.exp`` of arrays that are not NumPy's, in place of ``xp.exp``:
        the message or its notes say what to write. ``jac='3-point'`` needs no derivatives.

    Notes
    -----
    Levenberg-Marquardt (J. J. Moré, 1978, for scaling, tests and the damping after a refused step;
    H. B. Nielsen, IMM-REP-1999-05, for the damping otherwise; C. Kanzow, N. Yamashita, M.
    Fukushima, 2004, for the projected steps on the free variables under bounds). All problems are
    solved at once, and each converges separately. A step costs one evaluation of the model with its
    Jacobian and p^2 n / 2 multiplications per problem; a last step that changes only the last
    digits needs no evaluation. Problems that take long, or end where a parameter has no effect, are
    restarted with geodesic acceleration (M. K. Transtrum, J. P. Sethna, arXiv:1201.5885), which
    takes two more evaluations per step. If a problem stalls or ends with a singular Jacobian, 13 p
    points along its null space are evaluated (relative changes of 2, 10 and 50 %, around the end
    and next to the start), and the iteration continues from the lowest if it is lower than the end.
    This separates the rates of two decays that have become equal. A finished problem is replaced by
    the next one, so no problem waits for the slowest.

    With constraints the steps are those of `least_squares` with constraints, all problems at once;
    `chunk_size`, `workers` and `progress` have no effect, and nothing is restarted. Active
    constraints count as equalities for the covariance, which is ``N (N^T J^T J N)^-1 N^T`` with a
    basis N of the directions along them (J. Aitchison, S. D. Silvey, Ann. Math. Statist. 29, 1958),
    and give as many degrees of freedom. Active bounds don't count, as in SciPy.

    Runs under jax.jit. Outside jax.jit, JAX traces the model in each call and reuses the compiled
    fit if the trace is the same, whatever arrays the model closes over. Dask computes by blocks
    over the batch, and calls the model on NumPy arrays. Ctrl-C raises KeyboardInterrupt; with
    `full_output` it ends a batch on an eager library, whose finished fits are returned; the others
    have the status -3.

    Differentiable, also twice, with respect to data, sigma, priors and all arrays that `f` closes
    over, by the implicit function theorem; with respect to p0 only for fixed parameters.

    Differs from SciPy: batches; tighter tolerances; exact derivatives, so `f` must be written in
    functions of the array API standard; `full_output` returns a `FitResult`; infodict has no
    ``fjac``, ``ipvt`` and ``qtf``, and has ``fvec`` only for one problem, neither on Dask nor in
    the result of a compiled function; masks, fixed parameters, loss functions and priors; p0 may be
    on a bound; one method.

    Examples
    --------
    >>> import numpy as np
    >>> import likewise
    >>> def decay(t, a, k):
    ...     xp = likewise.array_namespace(t)
    ...     return a * xp.exp(-k * t)
    >>> t = np.linspace(0, 4, 20)
    >>> y = np.stack([decay(t, 2.0, 1.0), decay(t, 3.0, 0.5)])
    >>> popt, pcov = likewise.optimize.curve_fit(decay, t, y, p0=[1.0, 1.0])
    >>> popt.round(6)
    array([[2. , 1. ],
           [3. , 0.5]])
    >>> fit = likewise.optimize.curve_fit(
    ...     decay, t, y, p0=[1.0, 1.0], bounds=(0, [2.5, 9.0]), full_output=True
    ... )
    >>> fit.popt.round(3)
    array([[2.   , 1.   ],
           [2.5  , 0.401]])
    """
    maxfev, jac = scipys(others, jac)
    low, high = pair("bounds", bounds)
    center, spread = (None, None) if prior is None else pair("prior", prior)
    if prior is not None and not absolute_sigma:
        raise ArgumentError(
            "curve_fit: a prior weighs against data of known sigma: give it, and "
            "absolute_sigma=True"
        )
    policy = policy_of(check_finite, nan_policy)
    asked = Asked(
        f, xdata, ydata, p0, sigma, low, high, method, jac, policy, mask, fixed, loss, f_scale,
        center, spread, vectorized, constraints=stated("curve_fit", constraints),
    )  # fmt: skip
    how = How(
        (ftol, xtol, gtol, max_nfev or maxfev),
        bool(absolute_sigma),
        None if chunk_size == "auto" else most("chunk_size", chunk_size, 1),
        most("workers", workers, 1),
        progress,
        nan_policy == "propagate",
        not full_output,
    )
    made = _by_blocks(asked, how, full_output)
    if made is None:
        made = _made(asked, how, full_output)
    return made if full_output else (made.popt, made.pcov)


def _made(asked: Asked, how: "How", full_output: bool) -> FitResult[Any]:
    """Return the result, and raise or warn of failures if the caller gets no status."""
    given = {name: getattr(asked, name) for name in ARRAYS if name != "ydata"}
    moved = beside(asked.ydata, *given.values())
    asked = asked._replace(**dict(zip(given, moved, strict=True)))

    def solve(jac: Any) -> tuple[Any, ...]:
        return _fitted(asked.ydata, asked._replace(jac=jac), how)

    like = asked.ydata
    if is_neutral(like):  # what a list becomes
        like = _namespace(asked).empty((0,) * _depth(like))
    with keeping(full_output, like):
        fields = or_differenced("curve_fit", solve, asked.jac, like, like.ndim == 1)
    made: FitResult[Any] = FitResult(*fields)
    if full_output:
        _with_residuals(made, asked)
        return made
    insist("curve_fit", made, "Their popt and pcov are NaN", "Optimal parameters not found")
    _warn_of_covariance(made)
    return made


def _by_blocks(asked: Asked, how: "How", full_output: bool) -> FitResult[Any] | None:
    """Return the result of arrays in blocks; None for others."""
    arrays = {name: getattr(asked, name) for name in ARRAYS}
    if not any_in_blocks(*arrays.values()):
        return None
    ranks = ranks_of(asked)
    silent = how._replace(progress=False)

    def call(*given: Any) -> FitResult[Any]:
        some = asked._replace(**dict(zip(arrays, given, strict=True)))
        if ranks["xdata"] == 2:  # of each problem several predictors
            some = some._replace(xdata=array_namespace(some.xdata).moveaxis(some.xdata, -2, 0))
        # Of one problem, functions of one problem, also where there is none to try their results.
        each = asked.vectorized and getattr(asked.ydata, "ndim", 1) == some.ydata.ndim
        some = some._replace(vectorized=each, shared=ranks["xdata"] is None)
        return _made(some, silent, full_output)

    if ranks["xdata"] == 2:
        arrays["xdata"] = array_namespace(asked.xdata).moveaxis(asked.xdata, 0, -2)
    users = {"f": asked.f, "jac": asked.jac, "loss": asked.loss}
    given = {NAMES.get(name, name): (x, ranks[name]) for name, x in arrays.items()}
    return in_blocks("curve_fit", call, given, users)


class How(NamedTuple):
    """Hold the settings of the solver."""

    tests: tuple[Any, ...]  # as the caller gave them
    absolute_sigma: bool
    chunk_size: int | None
    workers: int
    progress: Any
    propagates: bool  # data that are NaN
    plain: bool  # without statuses: one problem raises, and failed ones of a batch are NaN

    def limits(self, eps: float) -> Limits:
        """When a fit has converged."""
        return limits(eps, *self.tests)

    def alone(self, y: Any, asked: Asked) -> Alone | None:
        """Return one problem for a native solver, or None if it can't take the problem."""
        eps = sys.float_info.epsilon  # `ordinary` problems are of float64
        return alone(y, asked, self.limits(eps), self.absolute_sigma)


def _namespace(asked: Asked) -> Any:
    given = (asked.xdata, asked.mask, asked.low, asked.high, asked.mean, asked.spread)
    arrays = (a for a in given if hasattr(a, "dtype"))
    return array_namespace(asked.ydata, *arrays, asked.p0, asked.sigma)


def _depth(x: Any) -> int:
    """Return the dimensions of nested lists."""
    return 1 + max(map(_depth, x), default=0) if isinstance(x, list | tuple) else 0


def _with_residuals(made: "FitResult[Any]", asked: Asked) -> None:
    """Add SciPy's ``fvec`` to the result of one problem."""
    if made.popt.ndim != 1:
        return
    model, x, rows, batch = plan_curve_fit(_namespace(asked), asked)
    if batch is None:
        xp = array_namespace(made.popt)
        data = rows._replace(mean=None, precision=None)  # without the prior's
        r = model.values(model.predictors(x, data), data, xp.reshape(made.popt, (-1, 1)))
        made["fvec"] = r[0, :]


@native(numpy="likewise._libs.numpy._fits:fit", when=ordinary)
def _fitted(ydata: Any, asked: Asked, how: How) -> tuple[Any, ...]:
    """Return the fields of the result."""
    problem = plan_curve_fit(_namespace(asked), asked)
    y, batch = problem.rows.y, problem.batch
    tests = how.limits(float(array_namespace(y).finfo(y.dtype).eps))
    if asked.constraints:
        return constrained(problem, asked.constraints, tests, how.absolute_sigma, how.plain)
    each = None if how.progress else each_alone(problem, asked, tests, how.absolute_sigma)
    if each is None:
        return _together(problem, tests, how)

    def alone(i: int) -> Any:
        one = each(i)
        out = _fitted.quick(one.y, one.asked, one)  # type: ignore[attr-defined]
        return out if out is NotImplemented else tuple(a[None, ...] for a in out)

    def some(ids: Sequence[int]) -> Fits:
        which = array_namespace(y).asarray(ids, device=device(y))
        return problem._replace(rows=taken(problem.rows, which), batch=(len(ids),))

    found = by_one(
        int(y.shape[0]),
        alone,
        lambda ids: _together(some(ids), tests, how),
        Fitted._fields.index("outcome"),
        blank=lambda ids: blank(turned(some(ids).rows)),
        packed=Views(y, ()).joined,
    )
    xp = array_namespace(y)
    return tuple(xp.reshape(a, (*(batch or ()), *a.shape[1:])) for a in found)


def _together(problem: Fits, tests: Limits, how: How) -> tuple[Any, ...]:
    """Return the fields of problems that are solved at once."""
    options = Options(
        tests,
        how.absolute_sigma,
        chunk_size=how.chunk_size,
        workers=how.workers,
    )
    if how.progress is True:
        with Progress() as bar:
            found = _fit_all(problem, options, bar, how.plain)
    else:
        found = _fit_all(problem, options, how.progress or None, how.plain)
    if how.propagates and how.plain:
        _refuse_propagated(problem)
    shape = () if problem.batch is None else problem.batch
    xp = array_namespace(found.popt)  # of a transform, if the model closes over its arrays
    return tuple(xp.reshape(a, shape + tuple(a.shape[1:])) for a in found)


def _refuse_propagated(problem: Fits) -> None:
    """Raise if a single problem has NaN."""
    y = problem.rows.y
    if problem.batch is not None or not is_concrete(y):
        return
    if not bool(array_namespace(y).all(array_namespace(y).isfinite(y))):
        raise ArgumentError(
            "curve_fit: `nan_policy='propagate'` is not supported by this function for one problem "
            "without full_output=True, got NaN; take 'omit'"
        )


def _warn_of_covariance(found: FitResult[Any]) -> None:
    """Warn that the data don't determine the parameters, if no status is returned."""
    if not is_concrete(found.pcov):
        return
    xp = array_namespace(found.pcov)
    if int(xp.count_nonzero(xp.isinf(found.pcov))):
        text = "curve_fit: Covariance of the parameters could not be estimated; it is infinite"
        warnings.warn(text, OptimizeWarning, stacklevel=_level())


def _fit_all(problem: Fits, options: Options, progress: Any, plain: bool) -> Fitted:
    """Fit all problems."""
    model, x, rows, _ = problem
    found = fitted(model, x, rows, options, progress)
    return without_failed(found) if plain else found
