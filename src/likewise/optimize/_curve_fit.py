"""Curve fitting: one model against many data sets at once."""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple

from .. import _plan
from .._namespace import (
    array_namespace,
    describe,
    device,
    is_concrete,
    library_of,
    quiet,
)
from .._native import public
from .._typing import A
from ..errors import ArgumentError, NotSupported, ShapeError
from ..missing import cho_factor
from ..progress import Progress
from ._covariance import size
from ._fit import Fitted, Options, fitted
from ._loss import loss_function
from ._marquardt import ADVICE, Limits
from ._model import Model, Rows, count_parameters, refuse_parameters
from ._result import Result, result

__all__ = ["FitResult", "curve_fit"]

_JAC = ("2-point", "3-point", "cs")


@result
class FitResult(Result, Generic[A]):
    """What a fit found; every field an array of the caller's library, one entry a problem.

    Attributes
    ----------
    popt : array, shape (..., p)
        Parameters.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the data don't determine it.
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
        Why the fit ended, SciPy's codes for `least_squares`: 1, 2, 3, converged by gtol, ftol,
        xtol; 0, max_nfev reached; -1, not finite at the start, or too few valid data; -3,
        interrupted; -4, no step lowers the sum of squares, though its gradient is not 0. `advice`
        and `summary` say it in words.
    """

    popt: A
    pcov: A
    rss: A
    chi2: A
    r_squared: A
    nit: A
    status: A

    ADVICE: ClassVar[dict[int, str]] = ADVICE
    CONVERGED: ClassVar[tuple[int, ...]] = (1, 2, 3)


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
    method: str | None = None,
    jac: Callable[..., Any] | str | None = None,
    *,
    full_output: bool = False,
    nan_policy: str | None = None,
    mask: Any = None,
    fixed: Sequence[bool] | None = None,
    loss: str | Callable[..., Any] = "linear",
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
    method : {'lm'}, optional
        There is one, Levenberg-Marquardt, with and without bounds; 'trf' stands for it too.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        ``jac(xdata, *params)``, shape (n, p) for one problem and (batch, n, p) for a batch, or the
        differences to take. Default: exact, by forward mode.
    full_output : bool, optional
        Whether to return a `FitResult`.
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
        Relative change of the sum of squares, of the (scaled) parameters, and cosine of the angle
        between residuals and the Jacobian's columns at which a problem has converged. Default:
        eps, eps^(3/4), eps^(3/4) of the dtype, which costs two or three quadratic steps more than
        SciPy's 1e-8.
    max_nfev : int, optional
        Most evaluations of the model with its Jacobian a problem; twice as many where quick steps
        fail, and careful ones begin anew. Default: 2000.
    chunk_size : int or 'auto', optional
        Problems at once. 'auto': as many as the device's free memory holds
        (LIKEWISE_MEMORY_FRACTION of it). If memory ends, half as many, and on.
    workers : int, optional
        Threads, where the library computes on the host as it is called, and has none of its own, as
        torch has. `f` must be safe to call from several. Default: 1.
    progress : bool or callable, optional
        True: a bar with problems done, rate and failures; or ``progress(done, total, text)``.

    Returns
    -------
    popt : array, shape (..., p)
        The parameters, of ydata's library and device, and of the arrays' common floating dtype.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the Jacobian's columns are linearly dependent, as far as
        its accuracy shows it.
    result : FitResult
        Instead of these two if `full_output`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If an argument, or what `f` or `jac` returns, is not a real array of the one library and
        device.
    ShapeError
        If shapes don't fit, or there are fewer data than parameters.
    ArgumentError
        If an option is out of range; if bounds cross, p0 is outside of them, sigma is not
        positive, or data are not finite (looked at where arrays are on the host and eager). In a
        batch the message has the index of the first problem.
    TransformError, TypeError
        If `f` can't be differentiated, for instance because it calls ``np.exp`` in place of
        ``xp.exp``: the message or its notes say what to write. ``jac='3-point'`` does without.

    Notes
    -----
    Levenberg-Marquardt (J. J. Moré, 1978, for scaling and tests; H. B. Nielsen, IMM-REP-1999-05,
    for the damping; C. Kanzow, N. Yamashita, M. Fukushima, 2004, for the projected steps on the
    free variables under bounds), all problems side by side, each ending by itself. A step costs one
    evaluation of the model with its Jacobian and p^2 n / 2 multiplications a problem. Problems that
    take long, or end where a parameter has no effect, begin anew with geodesic acceleration (M. K.
    Transtrum, J. P. Sethna, arXiv:1201.5885), two more evaluations a step. What has ended makes
    room for the next, so that no problem waits for the slowest. Fits that don't converge, or start
    where the model isn't finite, are a status, not an error.

    Runs under jax.jit. Outside of it JAX traces the model in each call; what was compiled is used
    again if the trace reads the same, whatever arrays the model closes over. Dask: by blocks over
    the batch, with the model called on NumPy arrays. On Ctrl-C what is finished is returned, the
    rest with the status -3.

    Differentiable, also twice, with respect to data, sigma, priors and all that `f` closes over, by
    the implicit function theorem; with respect to p0 only where that is fixed.

    Differs from SciPy: batches; tighter tolerances; exact derivatives, so that `f` is written in
    functions of the array API standard; `full_output` gives a `FitResult`; no warning where pcov is
    infinite; masks, fixed parameters, loss functions and priors; p0 may be on a bound; no 'dogbox',
    ``x_scale`` and ``maxfev``; ``'2-point'`` and ``'3-point'`` may step over a bound.

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
    low, high = _pair("bounds", bounds)
    center, spread = (None, None) if prior is None else _pair("prior", prior)
    if prior is not None and not absolute_sigma:
        raise ArgumentError(
            "curve_fit: a prior weighs against data of known sigma: give it, and "
            "absolute_sigma=True"
        )
    others = (xdata, mask, low, high, center, spread)
    xp = array_namespace(ydata, *(a for a in others if hasattr(a, "dtype")), p0, sigma)
    problem = _plan_curve_fit(
        xp,
        f,
        xdata,
        ydata,
        p0,
        sigma,
        (low, high),
        method,
        jac,
        _policy(check_finite, nan_policy),
        mask,
        fixed,
        loss,
        f_scale,
        None if prior is None else (center, spread),
        vectorized,
    )
    eps = float(xp.finfo(problem.rows.y.dtype).eps)
    tests = Limits(
        _tolerance("ftol", ftol, eps),
        _tolerance("xtol", xtol, eps**0.75),
        _tolerance("gtol", gtol, eps**0.75),
        _most("max_nfev", max_nfev, 2000),
    )
    options = Options(tests, bool(absolute_sigma))
    chunk = None if chunk_size == "auto" else _most("chunk_size", chunk_size, 1)
    threads = _most("workers", workers, 1)
    if progress is True:
        with Progress() as bar:
            found = _fit_all(problem, options, chunk, threads, bar)
    else:
        found = _fit_all(problem, options, chunk, threads, progress or None)
    shape = () if problem.batch is None else problem.batch
    xp = array_namespace(found.popt)  # of a transform, if the model closes over its arrays
    made = FitResult(*(xp.reshape(a, shape + tuple(a.shape[1:])) for a in found))
    return made if full_output else (made.popt, made.pcov)


class _Problem(NamedTuple):
    model: Model
    x: Any
    rows: Rows
    batch: tuple[int, ...] | None  # None: one problem, whose model is called without the batch


def _plan_curve_fit(
    xp: Any,
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any,
    sigma: Any,
    bounds: Any,
    method: Any,
    jac: Any,
    policy: str | None,
    mask: Any,
    fixed: Any,
    loss: Any,
    f_scale: Any,
    prior: Any,
    vectorized: bool,
) -> _Problem:
    name = "curve_fit"
    if not callable(f):
        raise ArgumentError(f"{name}: f must be callable, but {describe(f)} came")
    if not callable(jac) and jac is not None:
        _plan.choice(name, "jac", jac, _JAC)
    _plan.choice(name, "method", method or "lm", ("lm", "trf"))
    low, high = bounds
    center, spread = prior or (None, None)
    given: dict[str, Any] = {"ydata": ydata}
    bounded = not (_is_infinite(low) and _is_infinite(high))
    given["p0"] = [1.0] * _parameters(f) if p0 is None else p0
    optional = {"sigma": sigma, "prior mean": center, "prior standard deviation": spread}
    if bounded:
        optional |= {"lower bounds": low, "upper bounds": high}
    given |= {key: value for key, value in optional.items() if value is not None}
    if isinstance(xdata, list | tuple) and any(hasattr(item, "shape") for item in xdata):
        xdata = xp.stack(list(xdata))  # SciPy's way to give several predictors
    if hasattr(xdata, "dtype") or (isinstance(xdata, list | tuple) and not _words(xdata)):
        given["xdata"] = xdata
    converted = _plan.common_floating(name, xp, tuple(given), *given.values(), real=True)
    made = dict(zip(given, converted, strict=True))
    y, start, weight = made["ydata"], made["p0"], made.get("sigma")
    if y.ndim == 0:
        raise ShapeError(f"{name}: ydata must have at least one dimension, but a scalar came")
    if start.ndim == 0:
        start = xp.reshape(start, (1,))
    if p0 is None and bounded:
        start = _between(xp, start, made["lower bounds"], made["upper bounds"])
    n, p = int(y.shape[-1]), int(start.shape[-1])
    covariance = weight is not None and weight.ndim == y.ndim + 1
    if weight is not None and weight.ndim == 0:
        weight = xp.reshape(weight, (1,))
    if weight is not None and weight.ndim > y.ndim + 1:
        raise ShapeError(
            f"{name}: sigma must have the shape of ydata {tuple(y.shape)}, (n,), or as a "
            f"covariance (..., n, n), but {tuple(weight.shape)} came"
        )
    shapes = {"ydata": tuple(y.shape[:-1]), "p0": tuple(start.shape[:-1])}
    ends = {"sigma": (weight, 2 if covariance else 1)} if weight is not None else {}
    for key in ("lower bounds", "upper bounds", "prior mean", "prior standard deviation"):
        if key in made:
            if made[key].ndim == 0:
                made[key] = xp.reshape(made[key], (1,))
            ends[key] = (made[key], 1)
            _plan.broadcast(name, p0=(p,), **{key: (int(made[key].shape[-1]),)})
    shapes |= {key: tuple(a.shape[: a.ndim - k]) for key, (a, k) in ends.items()}
    if weight is not None:
        wanted = {"sigma": tuple(int(k) for k in weight.shape[-2:])[-1:]}
        _plan.broadcast(name, ydata=(n,), **wanted)
    if mask is not None:
        mask = _as_mask(xp, mask, y)
        shapes["mask"] = tuple(mask.shape[:-1])
    batch = _plan.broadcast(name, **shapes)
    kept = _fixed(fixed, p)
    refuse_parameters(f, xdata, p)
    single = y.ndim == 1 and start.ndim == 1 and not batch
    count = math.prod(batch)

    def rows(a: Any, *ends: int) -> Any:
        return xp.reshape(xp.broadcast_to(a, (*batch, *ends)), (count, *ends))

    x, own, axis = _predictors(xp, made.get("xdata", xdata), "xdata" in made, n, batch, y, single)
    if policy == "omit":
        finite = xp.isfinite(y)
        if "xdata" in made:
            good = xp.isfinite(made["xdata"])
            for _ in range(good.ndim - (y.ndim if own is not None and axis == 0 else 1)):
                good = xp.all(good, axis=0)
            finite = finite & good
        mask = finite if mask is None else mask & finite
    y = rows(y, n)
    start = rows(start, p)
    lower = upper = mean = precision = factor = None
    if bounded:
        lower, upper = rows(made["lower bounds"], p), rows(made["upper bounds"], p)
        _first(name, batch, ~(lower < upper), "a lower bound is not below its upper bound")
        outside = (start < lower) | (start > upper)
        _first(name, batch, outside, "p0 is outside of its bounds")
    if prior is not None:
        mean, deviation = rows(made["prior mean"], p), rows(made["prior standard deviation"], p)
        _first(name, batch, ~(deviation > 0), "the prior's standard deviation is not positive")
        precision = 1 / deviation
        mean = xp.where(precision > 0, mean, xp.zeros_like(mean))
    if covariance:
        matrix = rows(weight, n, n)
        factor = cho_factor(matrix)[0]
        _first(name, batch, xp.isnan(factor[:, 0, 0]), "sigma must be positive definite")
        weight = None
    elif weight is not None:
        weight = rows(weight, n)
        _first(name, batch, ~(weight > 0), "sigma must be positive")
        weight = 1 / weight
    if mask is not None:
        valid = rows(mask, n)
        if factor is not None:
            raise NotSupported(
                f"{name}: a mask (or nan_policy='omit') with a covariance as sigma; leave the "
                "points out of both"
            )
        weight = xp.astype(valid, y.dtype) if weight is None else weight * valid
        weight = xp.where(valid, weight, xp.zeros_like(weight))
        y = xp.where(valid, y, xp.zeros_like(y))
    if policy == "raise" or (policy is None and single):
        message = "ydata must be finite, but holds NaN or infinity"
        if not single:
            message += "; nan_policy='omit' leaves such points out"
        _first(name, batch, ~xp.isfinite(y), message)
        if "xdata" in made:
            _first(
                name,
                (),
                ~xp.isfinite(made["xdata"]),
                "xdata must be finite, but holds NaN or infinity",
            )
    free = p - len(kept)
    if p == 0 or (n < free and prior is None):
        raise ShapeError(
            f"{name}: at least one parameter and as many data, but p = {free} and n = {n}"
        )
    if weight is not None and mask is not None and prior is None:
        enough = xp.sum(xp.astype(weight > 0, xp.int32), axis=1) >= free
        if single:
            _first(name, batch, ~enough, f"fewer valid data than parameters, {free}")
        y = xp.where(enough[:, None], y, xp.full_like(y, xp.nan))  # status -1
        weight = xp.where(enough[:, None], weight, xp.ones_like(weight))
    scale = xp.abs(start)
    model = Model(
        f,
        n,
        jac,
        single,
        bool(vectorized) or single,
        axis,
        kept,
        None if loss == "linear" else loss_function(name, loss),
        _scale_of_loss(f_scale),
    )
    with quiet(y):  # the largest numbers overflow
        height = size(xp, y if weight is None else y * weight)
    return _Problem(
        model,
        x,
        Rows(
            own,
            y,
            weight,
            factor,
            start,
            lower,
            upper,
            height,
            xp.where((scale > 0) & xp.isfinite(scale), scale, xp.ones_like(scale)),
            mean,
            precision,
        ),
        None if single else batch,
    )


def _pair(name: str, value: Any) -> tuple[Any, Any]:
    if hasattr(value, "lb") and hasattr(value, "ub"):  # SciPy's, which hold NumPy's arrays
        return tuple(b.tolist() if hasattr(b, "tolist") else b for b in (value.lb, value.ub))
    try:
        one, other = value
    except (TypeError, ValueError):
        raise ArgumentError(
            f"curve_fit: {name} must be a pair, but {describe(value)} came"
        ) from None
    return one, other


def _is_infinite(bound: Any) -> bool:
    return isinstance(bound, int | float) and math.isinf(bound)


def _between(xp: Any, start: Any, low: Any, high: Any) -> Any:
    """Of each parameter the middle of its bounds, or next to the one that it has."""
    start, low, high = xp.broadcast_arrays(start, low, high)
    below, above = xp.isfinite(low), xp.isfinite(high)
    zero = xp.zeros_like(low)
    low, high = xp.where(below, low, zero), xp.where(above, high, zero)
    next_to = xp.where(below, low + 1, xp.where(above, high - 1, start))
    return xp.where(below & above, 0.5 * (low + high), next_to)


def _parameters(f: Any) -> int:
    p = count_parameters(f)
    if p == 0:
        raise ArgumentError(
            "curve_fit: p0 is needed, because the signature of f doesn't tell how many parameters "
            "it has"
        )
    return p


def _policy(check_finite: bool | None, nan_policy: str | None) -> str | None:
    if nan_policy is not None:
        _plan.choice("curve_fit", "nan_policy", nan_policy, ("raise", "omit", "propagate"))
        return nan_policy
    if check_finite is None:
        return None
    return "raise" if check_finite else "propagate"


def _as_mask(xp: Any, mask: Any, y: Any) -> Any:
    if isinstance(mask, list | tuple):
        mask = xp.asarray(mask, device=device(y))
    if not hasattr(mask, "dtype") or not xp.isdtype(mask.dtype, "bool"):
        raise ArgumentError(f"curve_fit: mask must be an array of bool, but {describe(mask)} came")
    _plan.broadcast("curve_fit", ydata=tuple(y.shape[-1:]), mask=tuple(mask.shape[-1:]))
    return xp.broadcast_to(mask, (*mask.shape[:-1], y.shape[-1]))


def _fixed(fixed: Any, p: int) -> tuple[int, ...]:
    if fixed is None:
        return ()
    flags = [bool(v) for v in fixed]
    if len(flags) != p:
        raise ShapeError(f"curve_fit: fixed must have an entry for each of {p} parameters")
    return tuple(j for j, v in enumerate(flags) if v)


def _scale_of_loss(f_scale: Any) -> float:
    number = _tolerance("f_scale", f_scale, 1.0)
    if not number > 0:
        raise ArgumentError(f"curve_fit: f_scale must be a positive number, but {f_scale!r} came")
    return number


def _predictors(
    xp: Any, x: Any, of_arrays: bool, n: int, batch: tuple[int, ...], y: Any, single: bool
) -> tuple[Any, Any, int | None]:
    """What all problems share; or what each has, a row each, and where `f` has its axis."""
    if not of_arrays:
        return x, None, None
    if x.ndim and int(x.shape[-1]) != n:
        raise ShapeError(
            f"curve_fit: xdata must have the last dimension of ydata, {n}, but has shape "
            f"{tuple(x.shape)}"
        )
    shape = tuple(int(k) for k in x.shape)
    count = math.prod(batch)
    if single or not batch:
        return x, None, None
    if y.ndim > 1 and shape == (*batch, n):
        return None, xp.reshape(x, (count, n)), 0
    if x.ndim == len(batch) + 2 and shape[1:-1] == batch:
        flat = xp.reshape(x, (shape[0], count, n))
        return None, xp.moveaxis(flat, 1, 0), 1
    if x.ndim > 2 and any(k != 1 for k in shape[1:-1]):
        raise ShapeError(
            f"curve_fit: xdata must have shape (n,), (k, n), that of ydata, or (k, ..., n) with "
            f"the batch's dimensions {batch} in the middle, but has shape {shape}"
        )
    return x, None, None


def _first(name: str, batch: tuple[int, ...], wrong: Any, what: str) -> None:
    """An error with the index of the first problem where something is wrong, if one may look."""
    if not is_concrete(wrong):
        return
    xp = array_namespace(wrong)
    if not bool(xp.any(wrong)):
        return
    where = ""
    if batch and wrong.ndim:
        rows = xp.reshape(wrong, (wrong.shape[0], -1))
        flat = int(xp.argmax(xp.astype(xp.any(rows, axis=1), xp.int8)))
        index = []
        for k in reversed(batch):
            flat, i = divmod(flat, k)
            index.append(i)
        where = f", first of problem {tuple(reversed(index))}"
    raise ArgumentError(f"{name}: {what}{where}")


def _words(items: Any) -> bool:
    """Whether a list holds what isn't numbers, and so is an object of the model's own."""
    return any(not isinstance(i, bool | int | float | list | tuple) for i in items)


def _tolerance(name: str, value: Any, default: float) -> float:
    if value is None:
        return default
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not number >= 0:
        raise ArgumentError(f"curve_fit: {name} must be a number, not negative, but {value!r} came")
    return number


def _most(name: str, value: Any, default: int) -> int:
    if value is None:
        return default
    if not hasattr(value, "__index__") or value.__index__() < 1:
        raise ArgumentError(f"curve_fit: {name} must be a positive integer, but {value!r} came")
    return int(value.__index__())


def _fit_all(
    problem: _Problem, options: Options, chunk: int | None, workers: int, progress: Any
) -> Fitted:
    """By blocks where arrays come in blocks."""
    model, x, rows, _ = problem
    mapped = getattr(library_of(rows.y), "map_batches", None)
    if mapped is None:
        return fitted(model, x, rows, options, chunk, workers, progress)
    if rows.x is not None or rows.factor is not None:
        raise NotSupported(
            "curve_fit: predictors of each problem, and covariances as sigma, of lazy arrays in "
            "blocks; map the blocks and fit each"
        )
    p = rows.start.shape[1]
    flat = [a[:, None] if a is not None and a.ndim == 1 else a for a in rows]

    def block(x: Any, *fields: Any) -> Any:
        height = Rows(*fields).height[:, 0]
        return _packed(fitted(model, x, Rows(*fields)._replace(height=height), options))

    return _unpacked(mapped(block, x, flat, p + p * p + 5), p)


def _packed(found: Fitted) -> Any:
    """All fields side by side, (B, p + p p + 5), in the floating dtype."""
    xp = array_namespace(found.popt)
    count = found.popt.shape[0]
    fields = [xp.reshape(xp.astype(a, found.popt.dtype), (count, -1)) for a in found]
    return xp.concat(fields, axis=1)


def _unpacked(packed: Any, p: int) -> Fitted:
    xp = array_namespace(packed)
    a, b = p, p + p * p
    return Fitted(
        packed[:, :a],
        xp.reshape(packed[:, a:b], (packed.shape[0], p, p)),
        packed[:, b],
        packed[:, b + 1],
        packed[:, b + 2],
        xp.astype(packed[:, b + 3], xp.int32),
        xp.astype(packed[:, b + 4], xp.int32),
    )
