"""Samples as rows: the axes of a call at the end, with a mask where NaNs are left out.

All statistics begin with `samples` and end with what it returns. Between them a body works on
`Rows`: observations along the last axis, all other dimensions a batch, and `there`, which says
which observations count, or is None where all do.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError
from ...missing._axes import as_given, flat, restored
from ._warnings import tell_small

__all__ = ["Rows", "count", "enough", "filled", "limited", "mean", "nothing", "samples", "total"]

POLICIES = ("propagate", "omit", "raise")


class Rows(NamedTuple):
    """Hold a sample: observations along the last axis, and which of them count (None: all)."""

    x: Any
    there: Any = None


def samples(
    function: str,
    axis: Any,
    nan_policy: str,
    keepdims: bool = False,
    paired: bool = False,
    **given: Any,
) -> tuple[list[Rows], Callable[[Any], Any]]:
    """Return samples as rows of one library, device and floating dtype, and what restores axes.

    Parameters
    ----------
    function : str
        Its name, for errors.
    axis : int, tuple of int or None
        The observations' axes; None flattens each sample. Arrays of fewer dimensions get leading
        ones, and all other dimensions broadcast, as in SciPy.
    nan_policy : {'propagate', 'omit', 'raise'}
        'omit' makes masks, unless it can be read that there are no NaNs.
    paired : bool
        Whether observations belong together, so that one is left out with the other.
    **given : array
        The samples by the names of the function's arguments.

    Returns
    -------
    list of Rows
        With equal batch dimensions; with equal sizes if `paired`.
    callable
        Turns an array with the batch's dimensions into the function's result: axes of size 1 if
        `keepdims`, a scalar of the library's if there are no dimensions.
    """
    xp = array_namespace(*given.values())
    _plan.choice(function, "nan_policy", nan_policy, POLICIES)
    arrays = list(_plan.common_floating(function, xp, tuple(given), *given.values(), real=True))
    ndim = max(x.ndim for x in arrays)
    if axis is None:
        if paired and len({tuple(x.shape) for x in arrays}) > 1:
            shapes = {name: x.shape for name, x in zip(given, arrays, strict=True)}
            shape = _plan.broadcast(function, **shapes)
            arrays = [xp.broadcast_to(x, shape) for x in arrays]
        axes, arrays = tuple(range(ndim)), [xp.reshape(x, (-1,)) for x in arrays]
    else:
        if ndim == 0:
            arrays, ndim = [xp.reshape(x, (1,)) for x in arrays], 1
        axes = order = _plan.axis_tuple(function, "axis", axis, ndim)
        if len(axes) > 1:  # in which ties are broken
            order = tuple(a.__index__() % ndim for a in axis)
        arrays = [
            flat(
                xp.reshape(x, (1,) * (ndim - x.ndim) + tuple(x.shape)) if x.ndim < ndim else x,
                order,
            )
            for x in arrays
        ]
        arrays = _beside(function, xp, tuple(given), arrays, paired)
    if nan_policy == "raise":
        for name, x in zip(given, arrays, strict=True):
            if is_concrete(x) and bool(xp.any(xp.isnan(x))):
                raise ArgumentError(
                    f"{function}: The input contains nan values: nan_policy is 'raise', and there "
                    f"are NaNs in {name}"
                )
    masks = [_there(xp, x) if nan_policy == "omit" else None for x in arrays]
    if paired and any(m is not None for m in masks):
        every = [m for m in masks if m is not None]
        both = every[0]
        for m in every[1:]:
            both = both & m
        masks = [both] * len(arrays)

    def back(x: Any) -> Any:
        return as_given(restored(x, axes, keepdims))

    return [_masked(xp, x, m) for x, m in zip(arrays, masks, strict=True)], back


def _masked(xp: Any, x: Any, there: Any) -> Rows:
    """Rows with 1 in place of what doesn't count: NaNs would spread in derivatives."""
    return Rows(x if there is None else xp.where(there, x, xp.ones_like(x)), there)


def _beside(
    function: str, xp: Any, names: tuple[str, ...], arrays: list[Any], paired: bool
) -> list[Any]:
    """Rows whose batch dimensions are broadcast, their sizes too if they are paired."""
    shapes = [tuple(x.shape if paired else x.shape[:-1]) for x in arrays]
    if len(set(shapes)) == 1:
        return arrays
    batch = _plan.broadcast(function, **dict(zip(names, shapes, strict=True)))
    return [xp.broadcast_to(x, batch if paired else (*batch, x.shape[-1])) for x in arrays]


def _there(xp: Any, x: Any) -> Any:
    """Tell what is no NaN; None if it can be read that there is none."""
    found = ~xp.isnan(x)
    return None if is_concrete(x) and bool(xp.all(found)) else found


def count(rows: Rows) -> Any:
    """Return the number of observations: a number, or of the rows' dtype, shape (..., 1)."""
    if rows.there is None:
        return rows.x.shape[-1]
    xp = array_namespace(rows.x)
    return xp.sum(xp.astype(rows.there, rows.x.dtype), axis=-1, keepdims=True)


def filled(rows: Rows, value: float) -> Any:
    """Return the observations with a value in place of those that don't count."""
    if rows.there is None:
        return rows.x
    xp = array_namespace(rows.x)
    return xp.where(rows.there, rows.x, xp.full_like(rows.x, value))


def limited(x: Any, low: float | None, high: float | None) -> Any:
    """Return an array within limits; faster than `xp.clip` for few elements."""
    xp = array_namespace(x)
    x = x if low is None else xp.maximum(x, xp.full_like(x, low))
    return x if high is None else xp.minimum(x, xp.full_like(x, high))


def total(rows: Rows) -> Any:
    """Return the sum of the observations, shape (..., 1)."""
    return array_namespace(rows.x).sum(filled(rows, 0.0), axis=-1, keepdims=True)


def mean(rows: Rows) -> Any:
    """Return the mean of the observations, shape (..., 1); NaN of none."""
    return total(rows) / count(rows)


def enough(function: str, *rows: Rows, least: int = 1) -> Any:
    """Tell which samples have as many observations as a statistic needs, and warn of the others.

    True if all have; False if none has, which their shapes tell; else bool, shape (...). A result
    is NaN where it is False.
    """
    if any(r.x.shape[-1] < least for r in rows):
        sizes = " and ".join(str(r.x.shape[-1]) for r in rows)
        if math.prod(rows[0].x.shape[:-1]):
            tell_small(
                f"{function}: a sample of {sizes} observations is too small, {least} are needed: "
                "the result is NaN"
            )
        return False
    found: Any = True
    for r in rows:
        if r.there is not None:
            xp = array_namespace(r.x)
            found = found & (count(r)[..., 0] >= least)
    if found is not True and is_concrete(found) and not bool(xp.all(found)):
        tell_small(
            f"{function}: after omitting NaNs, samples with fewer than {least} observations are "
            "left: their results are NaN"
        )
    return found


def nothing(rows: Rows) -> Any:
    """Return NaN for each sample, shape (...)."""
    xp = array_namespace(rows.x)
    return xp.full(rows.x.shape[:-1], xp.nan, dtype=rows.x.dtype, device=device(rows.x))
