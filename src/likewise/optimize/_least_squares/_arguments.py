"""The arguments of `least_squares`, checked."""

import warnings
from collections.abc import Mapping
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_neutral
from ...errors import ArgumentError, ShapeError, _level
from ...solving._options import count, table, tolerance
from .._steps._loss import Rho, loss_function
from .._steps._system import first_offender
from ._trust_region_reflective import Tolerances

__all__ = [
    "method_of",
    "plan_inner",
    "plan_loss",
    "plan_rest",
    "plan_scale",
    "plan_tolerances",
    "plan_values",
    "products_alone",
]

_NAME = "least_squares"
_USUAL = 1e-8
_TR_OPTIONS = ("regularize", "damp", "atol", "btol", "conlim", "maxiter", "show")


def method_of(method: Any) -> tuple[str, str]:
    """Return the method that runs for a name, and a note if the name is another method's."""
    if method == "dogbox":
        return "trf", "'dogbox' is served by 'trf', which honours bounds, too"
    _plan.choice(_NAME, "method", method, ("trf", "lm", "dogbox"))
    return method, ""


def products_alone(method: str, tr_solver: Any, jac: Any, x_scale: Any) -> bool:
    """Tell if the Jacobian is never formed."""
    if tr_solver is not None:
        _plan.choice(_NAME, "tr_solver", tr_solver, ("exact", "lsmr"))
    if tr_solver != "lsmr" or method == "lm":
        return False
    if isinstance(x_scale, str) and x_scale == "jac":
        if jac is None:
            raise ArgumentError(
                f"{_NAME}: x_scale='jac' needs the Jacobian, which tr_solver='lsmr' doesn't form, "
                "got both; give sizes, or jac='2-point'"
            )
        return False  # it is formed, so the exact solver is no more work
    return True


def plan_tolerances(
    xp: Any, x: Any, method: str, tests: Mapping[str, Any], max_nfev: Any, inner: Any
) -> Tolerances:
    """Return tolerances and limits; None turns a test off; single precision uses eps^(3/4)."""
    if all(value is None for value in tests.values()):
        raise ArgumentError(f"{_NAME}: at least one of ftol, xtol and gtol must be given, got None")
    off = [name for name, value in tests.items() if value is None]
    if method == "lm" and off:
        raise ArgumentError(f"{_NAME}: method 'lm' needs ftol, xtol and gtol, got {off[0]}=None")
    eps = float(xp.finfo(x.dtype).eps)

    def level(name: str) -> float:
        number = tolerance(_NAME, name, tests[name], 0.0)
        return eps**0.75 if number == _USUAL < eps else number

    p = int(x.shape[1])
    most = count(_NAME, "max_nfev", max_nfev, 100 * p, 1)
    steps = 0 if inner is False else count(_NAME, "lsmr_maxiter", inner, min(p, 200), 1)
    return Tolerances(level("ftol"), level("xtol"), level("gtol"), most, steps)


def plan_inner(options: Any, lsmr_maxiter: Any) -> Any:
    """Return how many steps LSMR may take, from `tr_options` or the argument."""
    given = table(_NAME, "tr_options", options)
    for key in given:
        if key not in _TR_OPTIONS:
            raise TypeError(
                f"{_NAME}: tr_options got an unexpected keyword {key!r}, which must be one of "
                f"{', '.join(_TR_OPTIONS)}"
            )
    return given.get("maxiter") if lsmr_maxiter is None else lsmr_maxiter


def plan_loss(loss: Any, f_scale: Any) -> Rho | None:
    """Return the loss function; None for the linear one."""
    if not isinstance(f_scale, int | float) or not f_scale > 0:
        raise ArgumentError(f"{_NAME}: f_scale must be a positive number, got {f_scale!r}")
    return None if isinstance(loss, str) and loss == "linear" else loss_function(_NAME, loss)


def plan_values(lm: bool, jac_sparsity: Any, n: int, p: int) -> None:
    """Refuse fewer values than unknowns for 'lm', and a pattern of another shape."""
    if lm and n < p:
        raise ShapeError(f"{_NAME}: method 'lm' needs n >= p, got n = {n} values, p = {p}")
    if jac_sparsity is not None and tuple(getattr(jac_sparsity, "shape", ())) != (n, p):
        raise ShapeError(
            f"{_NAME}: jac_sparsity must be of shape ({n}, {p}), got {describe(jac_sparsity)}"
        )


def plan_rest(jac_sparsity: Any, workers: Any, method: str, callback: Any, note: str) -> str:
    """Return the note with additions for arguments that have no effect."""
    if jac_sparsity is not None:
        idle = "jac_sparsity has no effect: Jacobians are dense"
        note = f"{note}; {idle}" if note else idle
    if workers is not None and not callable(workers):
        count(_NAME, "workers", workers, 1, -1)
    if method == "lm" and callback is not None:
        warnings.warn(
            "Callback function specified, but not supported with `lm` method.",
            UserWarning,
            stacklevel=_level(),
        )
    return note


def plan_scale(x_scale: Any, x: Any, batch: tuple[int, ...] | None) -> Any:
    """Return sizes of the unknowns as (B, p), by default 1; None for scales by the Jacobian."""
    if isinstance(x_scale, str):
        if x_scale != "jac":
            raise ArgumentError(
                f"{_NAME}: x_scale must be 'jac' or positive numbers, got {x_scale!r}"
            )
        return None
    if x_scale is None:
        return 1
    if isinstance(x_scale, complex):
        raise ArgumentError(f"{_NAME}: x_scale must be positive, got {x_scale!r}")
    xp = array_namespace(x)
    if is_neutral(x_scale):  # at the precision of x0, whatever the library's default
        x_scale = _plan.from_lists(_NAME, "x_scale", xp, x_scale, dtype=x.dtype, device=device(x))
    _, scale = _plan.common_floating(_NAME, xp, ("x0", "x_scale"), x, x_scale, real=True)
    shape = (*(batch or ()), x.shape[1])
    _plan.broadcast(_NAME, x0=shape, x_scale=tuple(scale.shape))
    scale = xp.reshape(xp.broadcast_to(xp.astype(scale, x.dtype, copy=False), shape), x.shape)
    first_offender(_NAME, ~(scale > 0), batch, "x_scale must be positive, got {:g}", scale)
    return scale
