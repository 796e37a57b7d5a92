"""Curve fitting: one model against many data sets at once."""

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple

from ..._beside import beside
from ..._namespace import array_namespace, is_concrete, is_neutral
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError, NotSupported, OptimizeWarning, _level
from ...progress import Progress
from ...transforms._blocks import Field, comes_in_blocks, in_blocks
from .._steps._fallback import or_differenced
from .._steps._loss import Loss
from .._steps._marquardt import Limits
from .._steps._outcome import Outcome
from .._steps._result import Computed, Result, insist, result
from ._alone import Alone, alone, ordinary
from ._arguments import Asked, Fits, limits, most, pair, plan_curve_fit, policy_of, scipys
from ._fit import Fitted, Options, fitted
from ._model import Rows

__all__ = ["FitResult", "curve_fit"]


@result
class FitResult(Result, Generic[A]):
    """The outcome of fits; every field an array of the caller's library, one entry a problem.

    Attributes
    ----------
    popt : array, shape (..., p)
        Parameters.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the data don't determine it, NaN where the fit failed.
    rss : array, shape (...)
        Sum of squares of the (weighted) residuals.
    chi2 : array, shape (...)
        Reduced chi-square: that sum (under a loss function twice the cost) over the degrees of
        freedom.
    r_squared : array, shape (...)
        The share of the data's variance that the model explains.
    nit : array of int32, shape (...)
        Iterations: evaluations of the model with its Jacobian, after the first.
    status : array of int32, shape (...)
        Why the fit ended. SciPy's codes: 1, 2, 4, converged by ftol, xtol, gtol. 0, max_nfev
        reached; -1, not finite at the start, or too few valid data; -3, interrupted; -4, no step
        lowers the sum of squares, though its gradient is not 0. `advice` and `summary` say it in
        words.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.COST: 1,
        Outcome.STEP: 2,
        Outcome.GRADIENT: 4,
        Outcome.LIMIT: 0,
        Outcome.NOT_FINITE: -1,
        Outcome.INTERRUPTED: -3,
        Outcome.STALLED: -4,
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
    }

    popt: A
    pcov: A
    rss: A
    chi2: A
    r_squared: A
    nit: A
    outcome: A

    @Computed
    def nfev(self) -> Any:
        """Evaluations of the model with its Jacobian."""
        nit: Any = self.nit
        return nit + 1

    def keys(self) -> list[str]:
        """Names of what it holds, `message`, `success` and `nfev` among them."""
        return [*super().keys(), "nfev"]

    def __iter__(self) -> Iterator[Any]:
        """Yield SciPy's five: popt, pcov, infodict, mesg, ier.

        infodict has ``nfev``, of one problem ``fvec``, the residuals at popt, divided by sigma and
        0 of points left out, and ``nit``, ``rss``, ``chi2`` and ``r_squared``.
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
        parameters of shape (batch, 1), so that broadcasting against xdata gives (batch, n).
    xdata : array, shape (n,) or (k, n), or any object
        Where the data were taken, the same for every problem. Predictors of each problem have the
        shape of ydata, or (k, ..., n) with the batch's dimensions in the middle; `f` gets them as
        (batch, n) or (k, batch, n). If all of exactly k problems share k predictors, give them as
        (k, 1, n). Arrays are cast to the common floating dtype, other objects
        reach `f` as they are. What differs between problems comes in here alone: an array with a
        batch axis that `f` closes over is an error.
    ydata : array, shape (..., n)
        The data; leading dimensions are a batch of problems.
    p0 : array, shape (p,) or (..., p), optional
        Where to start. Default: ones, as many as `f` has parameters; between bounds their middle.
    sigma : array, shape (n,), (..., n) or (..., n, n), optional
        Standard deviations of the data: residuals are divided by them. Or their covariance, with
        one dimension more than ydata.
    absolute_sigma : bool, optional
        If True, pcov takes sigma as it is; if False (default), pcov is scaled so that the reduced
        chi-square is 1.
    check_finite : bool, optional
        SciPy's older way: True is ``nan_policy='raise'``, False ``'propagate'``.
    bounds : pair of arrays, shape () or (p,) or (..., p), optional
        Lower and upper bounds of the parameters, or an object with ``lb`` and ``ub``.
    method : {'lm', 'trf', 'dogbox'}, optional
        There is one, Levenberg-Marquardt, with and without bounds; SciPy's 'trf' and 'dogbox'
        stand for it, too, and 'lm' without bounds.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(xdata, *params)``, shape (n, p) for one problem and (batch, n, p) for a batch, or the
        differences to take. Default: exact, by forward mode; of one problem whose model can't be
        followed '2-point', with a `DerivativeWarning`.
    full_output : bool, optional
        Whether to return a `FitResult`, whose status tells how each fit ended; it unpacks into
        SciPy's five, popt, pcov, infodict, mesg and ier. Without it one that
        failed is an error, and some of a batch are a warning.
    nan_policy : {'raise', 'omit', 'propagate'}, optional
        Of data that are NaN (or infinite): an error; left out; or the status -1 for their problem.
        Default: an error for one problem, the status in a batch.
    mask : array of bool, shape (n,) or (..., n), optional
        Which points count.
    fixed : sequence of bool, p entries, optional
        Which parameters stay at p0; their rows and columns of pcov are 0.
    loss : {'linear', 'soft_l1', 'huber', 'cauchy', 'arctan'} or callable, optional
        Of the squared residuals, as for `least_squares`.
    f_scale : float, optional
        Where the loss bends. Default: 1.
    prior : pair of arrays, shape (p,) or (..., p), optional
        Mean and standard deviation of a normal distribution of each parameter, infinity where
        there is none; the fit is then the maximum of the posterior. Needs ``absolute_sigma=True``.
    vectorized : bool, optional
        False: `f` can't broadcast; it takes parameters of shape () and is mapped over the batch.
    ftol, xtol, gtol : float, optional
        Relative change of the sum of squares, of the (scaled) parameters (also of those that a
        last step is expected to leave), and cosine of the angle between residuals and the
        Jacobian's columns at which a problem has converged. Default: eps, eps^(3/4), eps^(3/4) of
        the dtype, which costs two or three quadratic steps more than SciPy's 1e-8.
    max_nfev : int, optional
        Most evaluations of the model with its Jacobian a problem; twice as many where quick steps
        fail, and careful ones begin anew, or where they stalled or the Jacobian was singular.
        Default: 2000.
    chunk_size : int or 'auto', optional
        Problems at once. 'auto': as many as the device's free memory holds
        (LIKEWISE_MEMORY_FRACTION of it). If memory ends, half as many, and on.
    workers : int, optional
        Threads, where the library computes on the host as it is called, and has none of its own, as
        torch has. `f` must be safe to call from several. Default: 1.
    progress : bool or callable, optional
        True: a bar with problems done, rate and failures; or ``progress(done, total, text)``.
    **others
        SciPy's: ``maxfev`` is `max_nfev`; ``col_deriv``, whether `jac` returns (p, n); ``diag``,
        ``epsfcn``, ``factor``, ``x_scale``, ``tr_solver``, ``tr_options`` and ``verbose`` have no
        effect, with a warning.

    Returns
    -------
    popt : array, shape (..., p)
        The parameters, of ydata's library and device, and of the arrays' common floating dtype.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the Jacobian's columns are linearly dependent, as far as
        its accuracy shows it; NaN where the fit failed.
    result : FitResult
        Instead of these two if `full_output`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or what `f` or `jac` returns, is not a real array of the one library and
        device.
    ShapeError
        If shapes don't fit, or (`TooFewDataError`) there are fewer data than parameters.
    ArgumentError
        If an option is out of range; if bounds cross, p0 is outside of them, sigma is not
        positive, or data are not finite (looked at where arrays are on the host and eager). In a
        batch the message has the index of the first problem.
    ConvergenceError
        If one problem's fit failed, and `full_output` is False. Fits of a batch that failed are a
        `ConvergenceWarning`, infinite covariances an `OptimizeWarning`. None of it is said under
        a transform or jit, or of lazy arrays.
    TransformError, TypeError
        If `f` of a batch, or on JAX or under a transform, can't be differentiated, for instance
        because it calls ``math.exp``, or ``np.exp`` of arrays that are not NumPy's, in place of
        ``xp.exp``: the message or its notes say what to write. ``jac='3-point'`` does without.

    Notes
    -----
    Levenberg-Marquardt (J. J. Moré, 1978, for scaling, tests and the damping after a refused step;
    H. B. Nielsen, IMM-REP-1999-05, for the damping otherwise; C. Kanzow, N. Yamashita, M.
    Fukushima, 2004, for the projected steps on the free variables under bounds), all problems side
    by side, each ending by itself. A step costs one evaluation of the model with its Jacobian and
    p^2 n / 2 multiplications a problem; a last step that changes no more than last digits is taken
    without an evaluation. Problems that take long, or end where a parameter has no effect, begin
    anew with geodesic acceleration (M. K. Transtrum, J. P. Sethna, arXiv:1201.5885), two more
    evaluations a step. Where they stall or end with a singular Jacobian, 13 p points along its null
    space are tried (relative changes of 2, 10 and 50 %, about the end and next to the start), and
    the steps go on from one that is lower, if any is: so rates of decays that met part again. What
    has ended makes room for the next, so that no problem waits for the slowest.

    Runs under jax.jit. Outside of it JAX traces the model in each call; what was compiled is used
    again if the trace reads the same, whatever arrays the model closes over. Dask: by blocks over
    the batch, with the model called on NumPy arrays. On Ctrl-C what is finished of a batch is
    returned, the rest with the status -3.

    Differentiable, also twice, with respect to data, sigma, priors and all that `f` closes over, by
    the implicit function theorem; with respect to p0 only where that is fixed.

    Differs from SciPy: batches; tighter tolerances; exact derivatives, so that `f` is written in
    functions of the array API standard; `full_output` gives a `FitResult`, and infodict has no
    ``fjac``, ``ipvt`` and ``qtf``, and ``fvec`` of one problem alone, not of Dask and not of what
    a compiled function returns; masks, fixed parameters, loss functions and priors; p0
    may be on a bound; one method.

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
    given = (xdata, p0, sigma, low, high, mask, center, spread)
    x, p0, sigma, low, high, mask, center, spread = beside(ydata, *given)
    asked = Asked(
        f, x, ydata, p0, sigma, low, high, method, jac, policy,
        mask, fixed, loss, f_scale, center, spread, vectorized,
    )  # fmt: skip
    how = How(
        (ftol, xtol, gtol, max_nfev or maxfev),
        bool(absolute_sigma),
        None if chunk_size == "auto" else most("chunk_size", chunk_size, 1),
        most("workers", workers, 1),
        progress,
        nan_policy == "propagate" and not full_output,
    )

    def solve(jac: Any) -> tuple[Any, ...]:
        return _fitted(ydata, asked._replace(jac=jac), how)

    like = ydata
    if is_neutral(ydata):  # what a list becomes
        like = _namespace(asked).empty((0,) * _depth(ydata))
    made: FitResult[A] = FitResult(*or_differenced("curve_fit", solve, jac, like, like.ndim == 1))
    if full_output:
        _with_residuals(made, asked)
        return made
    insist("curve_fit", made, "Their pcov is NaN", "Optimal parameters not found")
    _warn_of_covariance(made)
    return made.popt, made.pcov


class How(NamedTuple):
    """Says how problems are solved."""

    tests: tuple[Any, ...]  # as the caller gave them
    absolute_sigma: bool
    chunk_size: int | None
    workers: int
    progress: Any
    refuses: bool  # one problem with data that are NaN

    def limits(self, eps: float) -> Limits:
        """When a fit has converged."""
        return limits(eps, *self.tests)

    def alone(self, y: Any, asked: Asked) -> Alone | None:
        """One ordinary problem for a native solver, None if something is not as usual."""
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
    if made.popt.ndim != 1 or comes_in_blocks(made.popt):
        return
    model, x, rows, batch = plan_curve_fit(_namespace(asked), asked)
    if batch is None:
        xp = array_namespace(made.popt)
        data = rows._replace(mean=None, precision=None)  # without the prior's
        r = model.values(model.predictors(x, data), data, xp.reshape(made.popt, (-1, 1)))
        made["fvec"] = r[0, :]


@native(numpy="likewise._libs.numpy._fits:fit", when=ordinary)
def _fitted(ydata: Any, asked: Asked, how: How) -> tuple[Any, ...]:
    """The fields of the result."""
    xp = _namespace(asked)
    problem = plan_curve_fit(xp, asked)
    options = Options(
        how.limits(float(xp.finfo(problem.rows.y.dtype).eps)),
        how.absolute_sigma,
        chunk_size=how.chunk_size,
        workers=how.workers,
    )
    if how.progress is True:
        with Progress() as bar:
            found = _fit_all(problem, options, bar)
    else:
        found = _fit_all(problem, options, how.progress or None)
    if how.refuses:
        _refuse_propagated(problem)
    shape = () if problem.batch is None else problem.batch
    xp = array_namespace(found.popt)  # of a transform, if the model closes over its arrays
    return tuple(xp.reshape(a, shape + tuple(a.shape[1:])) for a in found)


def _refuse_propagated(problem: Fits) -> None:
    """NaN in one problem leaves nothing to return."""
    y = problem.rows.y
    if problem.batch is not None or not is_concrete(y):
        return
    if not bool(array_namespace(y).all(array_namespace(y).isfinite(y))):
        raise ArgumentError(
            "curve_fit: `nan_policy='propagate'` is not supported by this function for one problem "
            "without full_output=True, got NaN; take 'omit'"
        )


def _warn_of_covariance(found: FitResult[Any]) -> None:
    """Say that the data don't determine the parameters, for a caller who gets them alone."""
    if not is_concrete(found.pcov):
        return
    xp = array_namespace(found.pcov)
    if int(xp.count_nonzero(xp.isinf(found.pcov))):
        text = "curve_fit: Covariance of the parameters could not be estimated; it is infinite"
        warnings.warn(text, OptimizeWarning, stacklevel=_level())


def _fit_all(problem: Fits, options: Options, progress: Any) -> Fitted:
    """By blocks where arrays come in blocks."""
    model, x, rows, _ = problem
    lazy = comes_in_blocks(rows.y)
    if lazy and (rows.x is not None or rows.factor is not None):
        raise NotSupported(
            "curve_fit: predictors of each problem, and covariances as sigma, of lazy arrays in "
            "blocks; map the blocks and fit each"
        )
    p = rows.start.shape[1]

    def solve(x: Any, *fields: Any) -> Fitted:
        return fitted(model, x, Rows(*fields), options, None if lazy else progress)

    whole = Field(whole=True)
    fields = [Field((p,)), Field((p, p)), Field(), Field(), Field(), whole, whole]
    return Fitted(*in_blocks(solve, rows, fields, x))
