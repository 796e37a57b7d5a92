"""Curve fitting: one model against many data sets at once."""

import inspect
import math
from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from .. import _plan
from .._creation import memory_budget
from .._namespace import (
    array_namespace,
    describe,
    is_concrete,
    is_lazy,
    is_neutral,
    library_of,
    quiet,
)
from .._native import public
from .._typing import A
from ..errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from ..transforms._columns import along, columns_error
from ._covariance import covariance
from ._levenberg_marquardt import ADVICE, levenberg_marquardt, size

__all__ = ["FitResult", "curve_fit"]

_JAC = (None, "2-point", "3-point")
_CACHE = 1 << 24  # bytes that a part of a batch may take on the host, to stay near the processor
_FEW = 512  # problems a part, at least, to make a function call worth its overhead


class FitResult(NamedTuple, Generic[A]):
    """What a fit found; every field an array of the caller's library, one entry a problem.

    Attributes
    ----------
    popt : array, shape (..., p)
        Parameters.
    pcov : array, shape (..., p, p)
        Their covariance; infinite where the data don't determine it.
    rss : array, shape (...)
        Sum of squares of the (weighted) residuals.
    nit : array of int32, shape (...)
        Iterations, of two evaluations of the model and one of its Jacobian each, after a first.
    status : array of int32, shape (...)
        Why the fit ended, SciPy's codes for `least_squares`: 1, 2, 3, converged by gtol, ftol,
        xtol; 0, max_nfev reached; -1, not finite at the start. `advice` says it in words.
    """

    popt: A
    pcov: A
    rss: A
    nit: A
    status: A

    def advice(self) -> dict[int, tuple[int, str]]:
        """How many problems ended with each status, and what that means; reads the status."""
        status: Any = self.status
        xp = array_namespace(status)
        counts = {code: int(xp.count_nonzero(status == code)) for code in ADVICE}
        return {code: (n, ADVICE[code]) for code, n in counts.items() if n}


@public
def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: A,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    *,
    jac: Callable[..., Any] | str | None = None,
    ftol: float | None = None,
    xtol: float | None = None,
    gtol: float | None = None,
    max_nfev: int | None = None,
    full_output: bool = False,
) -> Any:
    """Fit a function's parameters to data by nonlinear least squares, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(xdata, *params) -> ydata``, in functions of ``likewise.array_namespace(xdata)``. One
        problem calls it with parameters of shape (); a batch calls it once for all problems, with
        parameters of shape (batch, 1), so that broadcasting against xdata gives (batch, n).
    xdata : array, shape (n,) or (k, n), or any object
        Where the data were taken, the same for every problem. Arrays are cast to the common
        floating dtype, other objects reach `f` as they are.
    ydata : array, shape (..., n)
        The data; leading dimensions are a batch of problems.
    p0 : array, shape (p,) or (..., p), optional
        Where to start. Default: ones, as many as `f` has parameters.
    sigma : array, shape (n,) or (..., n), optional
        Standard deviations of the data: residuals are divided by them.
    absolute_sigma : bool, optional
        If True, pcov takes sigma as it is; if False (default), pcov is scaled so that the reduced
        chi-square is 1.
    jac : callable or {'2-point', '3-point'}, optional
        ``jac(xdata, *params)``, shape (n, p) for one problem and (batch, n, p) for a batch, or the
        differences to take. Default: exact, by the library's forward mode, on JAX and torch;
        '3-point' elsewhere.
    ftol, xtol, gtol : float, optional
        Relative change of the sum of squares, of the (scaled) parameters, and cosine of the angle
        between residuals and the Jacobian's columns at which a problem has converged. Default:
        eps, eps^(3/4), eps^(3/4) of the dtype, which costs two or three quadratic steps more than
        SciPy's 1e-8.
    max_nfev : int, optional
        Most evaluations of the model a problem, without those of the Jacobian. Default: 4000.
    full_output : bool, optional
        Whether to return a `FitResult`.

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
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch under torch.func or
        torch.compile).
    ArgumentError
        If an option is out of range; if one problem's data are not finite or sigma is not positive
        (looked at where arrays are on the host and eager).

    Notes
    -----
    Levenberg-Marquardt with geodesic acceleration (M. K. Transtrum, J. P. Sethna,
    arXiv:1201.5885, section 5; J. J. Moré, 1978, for the scaling; H. B. Nielsen, IMM-REP-1999-05,
    for the damping), all problems at once, each ending by itself. An iteration costs two models,
    one Jacobian and p^2 n multiplications a problem. A batch that would not fit in memory is
    worked off in parts (LIKEWISE_MEMORY_FRACTION). Fits that don't converge, or start where the
    model isn't finite, are a status, not an error. Runs under jax.jit, and is compiled anew by each
    call outside of it, since the model may have changed: wrap many calls in one jax.jit. Dask: by
    blocks over the batch, with the model called on NumPy arrays. Derivatives of the result are
    those of the iteration (JAX: forward mode; torch: reverse mode); it has no rule of its own yet.

    Differs from SciPy: batches; tighter tolerances; exact derivatives where the library has them;
    `full_output` gives a `FitResult`; no warning where pcov is infinite; no bounds and no
    covariance matrix as sigma yet.

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
    """
    xp = array_namespace(ydata, xdata if hasattr(xdata, "dtype") else None, p0, sigma)
    problem = _plan_curve_fit(xp, f, xdata, ydata, p0, sigma, jac)
    eps = float(xp.finfo(problem.y.dtype).eps)
    options = _Options(
        bool(absolute_sigma),
        jac,
        _tolerance("ftol", ftol, eps),
        _tolerance("xtol", xtol, eps**0.75),
        _tolerance("gtol", gtol, eps**0.75),
        _most("max_nfev", max_nfev, 4000),
    )
    result = _shaped(_fit_all(f, problem, options), problem.batch)
    return result if full_output else (result.popt, result.pcov)


class _Problem(NamedTuple):
    x: Any
    y: Any  # (B, n)
    p0: Any  # (B, p)
    sigma: Any  # (B, n) or None
    batch: tuple[int, ...] | None  # None: one problem, whose model is called without the batch


class _Options(NamedTuple):
    absolute_sigma: bool
    jac: Any
    ftol: float
    xtol: float
    gtol: float
    max_nfev: int


def _plan_curve_fit(
    xp: Any, f: Any, xdata: Any, ydata: Any, p0: Any, sigma: Any, jac: Any
) -> _Problem:
    name = "curve_fit"
    if not callable(f):
        raise ArgumentError(f"{name}: f must be callable, but {describe(f)} came")
    if not callable(jac):
        _plan.choice(name, "jac", "3-point" if jac is None else jac, _JAC[1:])
    if p0 is None:
        p0 = [1.0] * _count_parameters(f)
    if isinstance(xdata, list | tuple) and any(hasattr(item, "shape") for item in xdata):
        xdata = xp.stack(list(xdata))  # SciPy's way to give several predictors
    given = {"ydata": ydata, "p0": p0}
    if sigma is not None:
        given["sigma"] = sigma
    if hasattr(xdata, "dtype") or (isinstance(xdata, list | tuple) and not _words(xdata)):
        given["xdata"] = xdata
    made = dict(
        zip(
            given,
            _plan.common_floating(name, xp, tuple(given), *given.values(), real=True),
            strict=True,
        )
    )
    y, start, weight = made["ydata"], made["p0"], made.get("sigma")
    if y.ndim == 0:
        raise ShapeError(f"{name}: ydata must have at least one dimension, but a scalar came")
    if start.ndim == 0:
        start = xp.reshape(start, (1,))
    if weight is not None and weight.ndim == 0:
        weight = made["sigma"] = xp.reshape(weight, (1,))
    if weight is not None and weight.ndim > y.ndim:
        raise ShapeError(
            f"{name}: sigma must have the shape of ydata {tuple(y.shape)} or (n,), but "
            f"{tuple(weight.shape)} came; covariance matrices are not taken yet"
        )
    shapes = {"ydata": tuple(y.shape[:-1]), "p0": tuple(start.shape[:-1])}
    n, p = int(y.shape[-1]), int(start.shape[-1])
    if weight is not None:
        shapes["sigma"] = tuple(weight.shape[:-1])
        _plan.broadcast(name, ydata=(n,), sigma=(int(weight.shape[-1]),))
    batch = _plan.broadcast(name, **shapes)
    if p == 0 or n < p:
        raise ShapeError(
            f"{name}: at least one parameter and as many data, but p = {p} and n = {n}"
        )
    _check_parameters(f, xdata, p)
    x = made.get("xdata", xdata)
    if "xdata" in made and x.ndim and int(x.shape[-1]) != n:
        raise ShapeError(
            f"{name}: xdata must have the last dimension of ydata, {n}, but has shape "
            f"{tuple(x.shape)}"
        )
    single = y.ndim == 1 and start.ndim == 1
    if single:
        _check_values(xp, {k: v for k, v in made.items() if k != "p0"})

    def rows(a: Any, width: int) -> Any:
        return xp.reshape(xp.broadcast_to(a, (*batch, width)), (math.prod(batch), width))

    return _Problem(
        x,
        rows(y, n),
        rows(start, p),
        None if weight is None else rows(weight, n),
        None if single else batch,
    )


def _words(items: Any) -> bool:
    """Whether a list holds what isn't numbers, and so is an object of the model's own."""
    return any(not isinstance(i, bool | int | float | list | tuple) for i in items)


def _check_parameters(f: Any, xdata: Any, p: int) -> None:
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # a builtin without one
        return
    try:
        signature.bind(xdata, *[0.0] * p)
    except TypeError:
        raise ShapeError(
            f"curve_fit: p0 has {p} values, but f{signature} doesn't take xdata and as many "
            "parameters"
        ) from None


def _check_values(xp: Any, arrays: dict[str, Any]) -> None:
    """One problem's data are finite and its sigma positive, as SciPy has it."""
    for name, a in arrays.items():
        finite, positive = xp.all(xp.isfinite(a)), xp.all(a > 0)
        if not is_concrete(a):
            continue
        if not bool(finite):
            raise ArgumentError(
                f"curve_fit: {name} must be finite, but holds NaN or infinity. In a batch such a "
                "problem ends with status -1."
            )
        if name == "sigma" and not bool(positive):
            raise ArgumentError("curve_fit: sigma must be positive")


def _count_parameters(f: Any) -> int:
    try:
        kinds = [q.kind for q in inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):  # a builtin without a signature
        kinds = []
    if inspect.Parameter.VAR_POSITIONAL in kinds or len(kinds) < 2:
        raise ArgumentError(
            "curve_fit: p0 is needed, because the signature of f doesn't tell how many parameters "
            "it has"
        )
    usual = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(kind in usual for kind in kinds) - 1


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


def _fit_all(f: Any, problem: _Problem, options: _Options) -> FitResult[Any]:
    """By blocks where arrays come in blocks, in parts where memory asks for it."""
    x, y, p0, sigma, batch = problem
    p = p0.shape[1]
    mapped = getattr(library_of(y), "map_batches", None)
    if mapped is not None:

        def block(x: Any, y: Any, p0: Any, sigma: Any) -> Any:
            return _packed(_fit_all(f, _Problem(x, y, p0, sigma, batch), options))

        return _unpacked(mapped(block, x, (y, p0, sigma), p + p * p + 3), p)
    count = y.shape[0]
    part = count
    jit = getattr(library_of(y), "jit", None)
    if not is_lazy(y):
        # Data, trial, residuals, and some five arrays the size of the Jacobian.
        itemsize = int(array_namespace(y).finfo(y.dtype).bits) // 8
        each = y.shape[1] * (5 * p + 8) * itemsize
        part = max(1, memory_budget(y) // each)
        if jit is None and is_concrete(y):
            part = min(part, max(_FEW, _CACHE // each))
    if part >= count:
        if jit is None:
            return _fit(f, problem, options)
        # Compiled as a whole; the model and what it closes over are new with each call.
        run = jit(lambda y, p0, sigma: tuple(_fit(f, _Problem(x, y, p0, sigma, batch), options)))
        return FitResult(*run(y, p0, sigma))
    xp = array_namespace(y)
    parts = [
        _fit(
            f,
            _Problem(
                x,
                y[i : min(i + part, count), :],
                p0[i : min(i + part, count), :],
                None if sigma is None else sigma[i : min(i + part, count), :],
                batch,
            ),
            options,
        )
        for i in range(0, count, part)
    ]
    return FitResult(*(xp.concat(field, axis=0) for field in zip(*parts, strict=True)))


def _fit(f: Any, problem: _Problem, options: _Options) -> FitResult[Any]:
    x, y, p0, sigma, batch = problem
    xp = array_namespace(y)
    n, p = y.shape[1], p0.shape[1]
    eps = float(xp.finfo(y.dtype).eps)

    def parameters(values: Any) -> list[Any]:
        columns = [values[:, j : j + 1] for j in range(p)]
        return [xp.reshape(c, ()) for c in columns] if batch is None else columns

    def of_parameters(x: Any, *parts: Any) -> Any:
        out = f(x, *parts)
        wanted = (n,) if batch is None else (parts[0].shape[0], n)
        return _checked("f", out, wanted, parts[0])

    def model(values: Any) -> Any:
        return xp.reshape(of_parameters(x, *parameters(values)), (-1, n))

    def residuals(values: Any) -> Any:
        difference = model(values) - y
        return difference if sigma is None else difference / sigma

    def jacobian(values: Any) -> Any:
        if callable(options.jac):
            out = options.jac(x, *parameters(values))
            wanted = (n, p) if batch is None else (values.shape[0], n, p)
            out = xp.reshape(_checked("jac", out, wanted, y), (-1, n, p))
            out = xp.matrix_transpose(out)
        else:
            out = along(of_parameters, (x,), parameters(values), options.jac)[1]
            out = xp.stack([xp.reshape(column, (-1, n)) for column in out], axis=1)
        return out if sigma is None else out / sigma[:, None, :]

    with quiet(y):  # trial steps may overflow the model, and are rejected for it
        found = levenberg_marquardt(
            residuals,
            jacobian,
            p0,
            eps * size(xp, y if sigma is None else y / sigma),
            options.ftol,
            options.xtol,
            options.gtol,
            (options.max_nfev - 1) // 2,
        )
        rest = xp.sum(found.residuals * found.residuals, axis=1)
        rss = rest * found.size * found.size
        exact = callable(options.jac)
        error = eps if exact else columns_error(p0, options.jac)
        pcov = covariance(jacobian(found.x), error)
        if not options.absolute_sigma:
            variance = rss / (n - p) if n > p else xp.full_like(rss, xp.inf)
            singular = xp.isinf(pcov) if n > p else xp.ones_like(pcov, dtype=xp.bool)
            pcov = xp.where(singular, xp.full_like(pcov, xp.inf), pcov * variance[:, None, None])
    return FitResult(found.x, pcov, rss, found.nit, found.status)


def _checked(name: str, out: Any, wanted: tuple[int, ...], y: Any) -> Any:
    """What the user's function returned, if it is of the library and dtype of `y`, and fits."""
    xp = array_namespace(y)
    expected = f"curve_fit: {name} must return a {_described(y, wanted)}"
    if is_neutral(out) and hasattr(out, "dtype"):
        out = xp.asarray(out)  # NumPy's functions make scalars of arrays without dimensions
    if is_neutral(out) or (type(out) is not type(y) and library_of(out) is not library_of(y)):
        raise ArrayTypeError(f"{expected}, but returned {describe(out)}")
    if out.dtype != y.dtype:
        raise DtypeError(
            f"{expected}, but returned a {describe(out)}. Is there an array constant of another "
            "dtype in it? Python floats take the dtype of what they meet."
        )
    shape = tuple(out.shape)
    if shape != wanted:
        fits = len(shape) <= len(wanted) and all(
            a in (1, b) for a, b in zip(shape[::-1], wanted[::-1], strict=False)
        )
        if not fits:
            hint = (
                ". In a batch each parameter has shape (batch, 1): does f index or reduce it?"
                if len(wanted) > 1
                else ""
            )
            raise ShapeError(f"{expected}, but returned shape {shape}{hint}")
        out = xp.broadcast_to(out, wanted)
    return out


def _described(y: Any, shape: tuple[int, ...]) -> str:
    """The library and dtype of `y` with another shape, for a message."""
    library = library_of(y)
    return f"{library.name if library else type(y).__name__} array of {y.dtype}, shape {shape}"


def _shaped(result: FitResult[Any], batch: tuple[int, ...] | None) -> FitResult[Any]:
    xp = array_namespace(result.popt)
    shape = () if batch is None else batch
    return FitResult(*(xp.reshape(a, shape + tuple(a.shape[1:])) for a in result))


def _packed(result: FitResult[Any]) -> Any:
    """All fields side by side, (B, p + p p + 3), in the floating dtype."""
    xp = array_namespace(result.popt)
    count = result.popt.shape[0]
    fields = [xp.reshape(xp.astype(a, result.popt.dtype), (count, -1)) for a in result]
    return xp.concat(fields, axis=1)


def _unpacked(packed: Any, p: int) -> FitResult[Any]:
    xp = array_namespace(packed)
    a, b = p, p + p * p
    return FitResult(
        packed[:, :a],
        xp.reshape(packed[:, a:b], (packed.shape[0], p, p)),
        packed[:, b],
        xp.astype(packed[:, b + 1], xp.int32),
        xp.astype(packed[:, b + 2], xp.int32),
    )
