"""Isotonic regression by pooling all adjacent violators at once."""

from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import native, public
from ...errors import ArgumentError, ShapeError
from ...missing import segment_sum
from ...solving._blocks import in_blocks
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, result
from ...transforms import stop_gradient, while_loop

__all__ = ["IsotonicResult", "isotonic_regression"]


@result
class IsotonicResult(Result):
    """Hold the results of `isotonic_regression`: arrays of the caller's library.

    Attributes
    ----------
    x : array, shape (..., n)
        The ascending (or descending) values.
    weights : array, shape (b,), or None
        The weight of each block of equal values; None for a batch or lazy arrays.
    blocks : array of int, shape (b + 1,), or None
        The index at which each block begins, and n; None for a batch or lazy arrays.
    status : array of int32, shape (...)
        1, or -1 if data are not finite.
    """

    STATUS: ClassVar[dict[int, int]] = {Outcome.CONVERGED: 1, Outcome.NOT_FINITE: -1}
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "solved",
        Outcome.NOT_FINITE: "y or weights are not finite: check the data",
    }

    x: Any
    weights: Any
    blocks: Any
    outcome: Any


@public
def isotonic_regression(y: Any, *, weights: Any = None, increasing: bool = True) -> IsotonicResult:
    """Find the non-decreasing values nearest to data by weighted least squares.

    Parameters
    ----------
    y : array, shape (..., n)
        Data; leading dimensions are a batch of problems.
    weights : array, shape (n,) or (..., n), optional
        Positive weights of the squares. Default: ones.
    increasing : bool, optional
        If True, find non-decreasing values; if False, non-increasing ones.

    Returns
    -------
    IsotonicResult
        ``x, weights, blocks`` and a status.

    Raises
    ------
    ShapeError
        If `y` has no dimensions, or the shapes don't fit.
    DtypeError
        If an array is complex.
    ArgumentError
        If a weight isn't positive (checked only if values are available).
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    Neighbours that are out of order form a block, whose value is their mean. Each pass pools all
    such neighbours in O(n) operations; usually a few passes suffice, and at most n. See R. E.
    Barlow, H. D. Brunk, The isotonic regression problem and its dual, J. Am. Stat. Assoc. 67, 1972.
    Differentiable with respect to `y` and `weights`, for fixed blocks.

    Differs from SciPy: batches, for which `weights` and `blocks` are None; data that are not finite
    give a status.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import isotonic_regression
    >>> found = isotonic_regression(np.asarray([1.5, 1.0, 4.0, 6.0, 5.7, 5.0]))
    >>> found.x.round(4), found.blocks
    (array([1.25  , 1.25  , 4.    , 5.5667, 5.5667, 5.5667]), array([0, 2, 3, 6]))
    """
    name = "isotonic_regression"

    def call(y: Any, weights: Any) -> IsotonicResult:
        made = isotonic_regression(y, weights=weights, increasing=increasing)
        return IsotonicResult(made.x, None, None, made.outcome)

    found = in_blocks(name, call, {"y": (y, 1), "weights": (weights, 1)}, {})
    if found is not None:
        return found
    xp = array_namespace(y, weights)
    own = weights is None
    if own:
        (y,) = _plan.common_floating(name, xp, ("y",), y, real=True)
        weights = xp.ones_like(y)
    else:
        y, weights = _plan.common_floating(name, xp, ("y", "weights"), y, weights, real=True)
    if y.ndim == 0 or weights.ndim == 0 or weights.shape[-1] != y.shape[-1]:
        raise ShapeError(
            f"{name}: y and weights must have shapes (..., n), got {tuple(y.shape)} and "
            f"{tuple(weights.shape)}"
        )
    wrong = None if own else weights <= 0
    if wrong is not None and is_concrete(wrong) and bool(xp.any(wrong)):
        raise ArgumentError(f"{name}: weights must be positive, and some are not")
    if y.shape != weights.shape:
        shape = _plan.broadcast(name, y=tuple(y.shape), weights=tuple(weights.shape))
        y, weights = (array_namespace(a).broadcast_to(a, shape) for a in (y, weights))
    x, held, blocks, code = _pooled(y, weights, bool(increasing))
    return IsotonicResult(x, held, blocks, code)


def _one(y: Any, weights: Any, increasing: bool) -> bool:
    """one problem of float64, of some numbers."""
    wide = array_namespace(y).float64
    return bool(y.ndim == 1 and y.shape[0] and y.dtype == weights.dtype == wide)


@native(numpy="likewise._libs.numpy._solvers:isotonic", when=_one)
def _pooled(y: Any, weights: Any, increasing: bool) -> tuple[Any, Any, Any, Any]:
    """The fields of the result."""
    xp, shape = array_namespace(y, weights), tuple(y.shape)
    n = shape[-1]
    if 0 in shape:
        x, where, alone = y + weights, device(y), len(shape) == 1  # of no numbers
        code = xp.full(shape[:-1], Outcome.CONVERGED, dtype=xp.int32, device=where)
        blocks = xp.arange(1, device=where) if alone else None
        return x, x if alone else None, blocks, code
    y, w = xp.reshape(y, (-1,)), xp.reshape(weights, (-1,))
    place = xp.arange(y.shape[0] - 1, device=device(y))
    apart = (place + 1) % n == 0  # problems
    sign = 1 if increasing else -1

    def turn(state: tuple[Any, Any]) -> tuple[Any, Any]:
        cut, _ = state
        mean = _means(stop_gradient(y), stop_gradient(w), cut)
        ns = array_namespace(mean, cut)
        new = cut & (apart | (sign * mean[:-1] < sign * mean[1:]))
        return new, ns.any(new != cut)

    first = xp.ones_like(apart, dtype=xp.bool)
    cut, _ = while_loop(lambda s: s[1], turn, (first, xp.ones((), dtype=xp.bool, device=device(y))))
    x = xp.reshape(_means(y, w, cut), shape)
    finite = xp.all(xp.isfinite(xp.reshape(y, shape) + xp.reshape(w, shape)), axis=-1)
    x = xp.where(finite[..., None], x, xp.nan)
    code = outcomes(finite, (~finite, Outcome.NOT_FINITE), otherwise=Outcome.CONVERGED)
    held, blocks = None, None
    if len(shape) == 1 and is_concrete(cut):
        edge = xp.ones((1,), dtype=xp.bool, device=device(y))
        (blocks,) = xp.nonzero(xp.concat([edge, cut, edge]))
        held = segment_sum(w, _numbers(cut), int(blocks.shape[0]) - 1)
    return x, held, blocks, code


def _numbers(cut: Any) -> Any:
    """The block of each element, of cuts between neighbours."""
    xp = array_namespace(cut)
    return xp.cumulative_sum(xp.astype(cut, xp.int32), dtype=xp.int32, include_initial=True)


def _means(y: Any, w: Any, cut: Any) -> Any:
    """The mean of each element's block."""
    ids, n = _numbers(cut), y.shape[0]
    weight, total = segment_sum(w, ids, n), segment_sum(w * y, ids, n)
    xp = array_namespace(total, weight)
    return xp.take(total / xp.where(weight > 0, weight, 1.0), ids)
