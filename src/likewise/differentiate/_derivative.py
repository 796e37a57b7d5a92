"""Derivatives of functions of one variable by finite differences: `derivative`."""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic

from .. import _plan
from .._namespace import array_namespace, describe, device
from .._native import public
from .._typing import A
from ..errors import ArgumentError, NotSupported
from ..solving._blocks import any_in_blocks, lanes_in_blocks
from ..solving._elementwise import Lanes, plan_lanes
from ..solving._options import count, table
from ..solving._result import Result, result
from ..solving._sampled import Sampled, flag
from ._differences import ADVICE, STATUS, Found, Way, differences

__all__ = ["DerivativeResult", "Options", "derivative", "settled", "sided"]

Options = Mapping[str, float] | None


@result
class DerivativeResult(Result, Generic[A]):
    """Hold the results of `derivative`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    df, error : array, shape (...)
        The derivatives, and estimates of their errors: the change of the last iteration.
    nit, nfev : array of int32, shape (...)
        Iterations; points at which the function was evaluated.
    x : array, shape (...)
        The points, broadcast.
    status : array of int32, shape (...)
        0, converged; -1, the error grew; -2, maxiter reached; -3, not finite; -4, ended by
        callback; 1, runs.
    """

    STATUS: ClassVar[dict[int, int]] = STATUS
    ADVICE: ClassVar[dict[int, str]] = ADVICE

    df: A
    error: A
    nit: A
    nfev: A
    x: A
    outcome: A


@public
def derivative(
    f: Callable[..., Any],
    x: Any,
    *,
    args: Any = (),
    tolerances: Options = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
    step_direction: Any = 0,
    preserve_shape: bool = False,
    callback: Callable[[Any], Any] | None = None,
) -> DerivativeResult[Any]:
    """Differentiate a function of one variable by finite differences, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``:
        `x` holds the points of each problem, (B, n), and arrays of `args`, broadcast with `x`, are
        (B, 1).
    x : array or number
        Where the derivatives are wanted, of any shape.
    args : tuple, optional
        Arguments of `f`. Arrays broadcast with `x`, and are cast to the common floating dtype; `f`
        gets other objects, including Python's numbers, unchanged.
    tolerances : dict, optional
        'atol', 'rtol': a problem has converged when the estimated error is below
        ``atol + rtol * abs(df)``. Default: the smallest normal number, and the square root of eps.
    maxiter : int, optional
        Maximum number of iterations.
    order : int, optional
        The order of the formula; an odd one becomes the next even one.
    initial_step : array or number, optional
        The largest step of the first iteration. Broadcasts with `x`.
    step_factor : float, optional
        By what the step is divided after each iteration; below 1, steps grow.
    step_direction : array or number, optional
        0 for central differences, else steps have its sign. Broadcasts with `x`.
    preserve_shape : bool, optional
        Whether `f` gets points as (..., n), with the shape of `x`, and no problem is left out. It
        may return more leading dimensions, one derivative for each.
    callback : callable, optional
        ``callback(res)``, called before the first and after each iteration with the results so
        far; StopIteration ends the iteration.

    Returns
    -------
    DerivativeResult
        ``df, error, nit, nfev, x, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `f` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range.
    NotSupported
        If a callback can't be called, because arrays have no values yet.

    Notes
    -----
    Each iteration divides the steps by the factor, which takes two new points. It ends when two
    iterations agree, or when rounding makes the error ten times larger. Steps are absolute: choose
    a larger `initial_step` where `x` is large. `likewise.transforms.grad` is exact and cheaper
    where `f` can be followed; this function needs nothing but values.

    Each problem ends by itself, and those that have ended are dropped on eager arrays, so what
    differs between problems must reach `f` through `args`. Differentiable with respect to `x`,
    `args` and to what `f` closes over: the formula of the last iteration is followed, with its
    step. On JAX, compiled code is reused if the trace of `f` is the same.

    Differs from SciPy: weights are exact to rounding, so that results differ in the last digits;
    `f` gets arrays of args as the common floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.differentiate import derivative
    >>> found = derivative(lambda x, p: x**p, np.asarray([1.0, 2.0]), args=(3.0,))
    >>> found.df.round(9)
    array([ 3., 12.])
    >>> found.nfev
    array([11, 11], dtype=int32)
    """
    name = "derivative"
    keeps = flag(name, "preserve_shape", preserve_shape)
    if callback is not None and not callable(callback):
        raise ArgumentError(f"{name}: callback must be callable, got {describe(callback)}")
    if any_in_blocks(x, args, initial_step, step_direction):
        if keeps or callback is not None:
            raise NotSupported(
                f"{name}: {'preserve_shape' if keeps else 'callback'} is not there for arrays in "
                "blocks, whose problems are computed apart: leave it out, and pass args"
            )
        found: Any = lanes_in_blocks(
            name,
            lambda points, rest: derivative(
                f,
                points[0],
                args=rest,
                tolerances=tolerances,
                maxiter=maxiter,
                order=order,
                initial_step=points[1],
                step_factor=step_factor,
                step_direction=points[2],
            ),
            {"x": x, "initial_step": initial_step, "step_direction": step_direction},
            args,
            {"f": f},
        )
        return found
    lanes = plan_lanes(name, f, sided(name, x, initial_step, step_direction), args)
    way = settled(name, lanes, tolerances, maxiter, order, step_factor, step_direction, keeps)
    out = differences(Sampled(name, f, lanes, keeps, False), lanes, way, callback, _made)
    return _made(out)


def _made(found: Found) -> DerivativeResult[Any]:
    return DerivativeResult(*found)


def sided(name: str, x: Any, initial_step: Any, step_direction: Any) -> dict[str, Any]:
    """Return points with steps and directions, in the dtype of the points."""
    xp = array_namespace(x)
    (like,) = _plan.common_floating(name, xp, ("x",), x, real=True)

    def cast(v: Any) -> Any:
        if isinstance(v, bool | int | float):  # also NumPy's double
            return float(v)
        if isinstance(v, list | tuple):
            space = array_namespace(like)
            return space.asarray([float(e) for e in v], dtype=like.dtype, device=device(like))
        if hasattr(v, "dtype") and v.dtype != like.dtype:
            space = array_namespace(v)
            return space.astype(space.asarray(v), like.dtype)
        return v

    return {"x": x, "initial_step": cast(initial_step), "step_direction": cast(step_direction)}


def settled(
    name: str,
    lanes: Lanes,
    tolerances: Options,
    maxiter: Any,
    order: Any,
    step_factor: Any,
    step_direction: Any,
    keeps: bool,
) -> Way:
    """Return the settings, which are checked."""
    given = table(name, "tolerances", tolerances)
    limits = array_namespace(*lanes.points).finfo(lanes.points[0].dtype)
    default = {"atol": float(limits.smallest_normal), "rtol": float(limits.eps) ** 0.5}
    for key in given:
        if key not in default:
            raise ArgumentError(f"{name}: tolerances has {key!r}; there are 'atol', 'rtol'")
    chosen = {k: v if given.get(k) is None else given[k] for k, v in default.items()}
    numbers = {}
    for key, value in (chosen | {"step_factor": step_factor}).items():
        try:
            number = math.nan if isinstance(value, str | bytes) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not number >= 0:
            raise ArgumentError(f"{name}: {key} must be a non-negative number, got {value!r}")
        numbers[key] = number
    factor = numbers["step_factor"]
    if factor in (0.0, 1.0, math.inf):
        raise ArgumentError(
            f"{name}: step_factor must be finite and neither 0 nor 1, as steps would not change or "
            f"vanish, got {step_factor!r}"
        )
    most = count(name, "maxiter", maxiter, 10, least=1)
    terms = (count(name, "order", order, 8, least=1) + 1) // 2
    number = isinstance(step_direction, int | float) and not hasattr(step_direction, "dtype")
    central = number and step_direction == 0
    return Way(terms, factor, numbers["atol"], numbers["rtol"], most, bool(central), keeps)
