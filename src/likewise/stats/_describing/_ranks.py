"""Modes, ties, and the ranks of scores."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from ...missing import rankdata
from ...missing._axes import as_given, index_dtype
from ...missing._search import _searchsorted
from ...missing._segments import count as tally
from .._base._samples import POLICIES, enough, filled, samples
from ._rows import unless

__all__ = ["ModeResult", "mode", "percentileofscore", "rankdata", "tiecorrect"]

_FEW = 4  # scores that are compared with all observations


class ModeResult(NamedTuple):
    """Hold the most frequent numbers of samples, and how often they occur."""

    mode: Any
    count: Any


@public
def mode(a: A, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> ModeResult:
    """Find the most frequent number of samples; of several, the smallest.

    Parameters
    ----------
    a : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        'propagate': NaN is a number as others, and may be the most frequent; 'omit': NaNs are left
        out; 'raise': they raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    ModeResult
        ``mode``, of the dtype of `a`, floating if there are no observations; ``count``, of the
        library's dtype for indices. NaN and 0.0 of no observations.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if an axis is out of range.

    Notes
    -----
    A sort and a count of runs. In floating point, integers beyond 2**53 are rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import mode
    >>> found = mode(np.asarray([3, 1, 1, 3, 2]))
    >>> int(found.mode), int(found.count)
    (1, 2)
    """
    xp = array_namespace(a)
    (rows,), back = samples("mode", axis, nan_policy, keepdims, a=a)
    x = filled(rows, xp.nan)
    found = enough("mode", rows)
    if found is False or 0 in x.shape:
        nan = xp.full(x.shape[:-1], xp.nan, dtype=x.dtype, device=device(x))
        return ModeResult(back(nan), back(xp.zeros_like(nan)))
    most, number = _modes(x, rows.there is not None)
    if hasattr(a, "dtype") and xp.isdtype(a.dtype, "integral"):
        most = xp.astype(most, a.dtype)
    elif found is not True:
        most = unless(~found, most)
    return ModeResult(back(most), back(number))


def _modes_in_blocks(x: Any, omit: bool) -> Lines:
    return batches({0: (x, 1)}, ((), x.dtype), ((), index_dtype(array_namespace(x), x)))


@native(blocks=_modes_in_blocks)
def _modes(x: Any, omit: bool) -> tuple[Any, Any]:
    xp = array_namespace(x)
    x = xp.sort(x, axis=-1, stable=False)
    sizes = run_sizes(x, omit)
    k = xp.argmax(sizes, axis=-1, keepdims=True)
    place = xp.arange(x.shape[-1], dtype=sizes.dtype, device=device(x))
    before = xp.sum(xp.where(place < k, sizes, xp.zeros_like(sizes)), axis=-1, keepdims=True)
    before = xp.minimum(before, xp.full_like(before, x.shape[-1] - 1))
    return xp.take_along_axis(x, before, axis=-1)[..., 0], xp.max(sizes, axis=-1)


def run_sizes(x: Any, omit: bool = False) -> Any:
    """Count the equal elements of each run in sorted rows, with zeros behind the last run.

    NaNs are equal; they are left out if `omit`.
    """
    xp = array_namespace(x)
    dtype, n = index_dtype(xp, x), x.shape[-1]
    strange = xp.isnan(x)
    new = (x[..., 1:] != x[..., :-1]) & ~strange[..., :-1]
    start = xp.zeros((*x.shape[:-1], 1), dtype=dtype, device=device(x))
    group = xp.cumulative_sum(xp.concat([start, xp.astype(new, dtype)], axis=-1), axis=-1)
    rows = math.prod(start.shape)
    first = xp.reshape(xp.arange(rows, dtype=dtype, device=device(x)) * n, start.shape)
    ids = group + first
    if omit:
        ids = xp.where(strange, xp.full_like(ids, -1), ids)
    return xp.reshape(xp.astype(tally(xp.reshape(ids, (-1,)), rows * n), dtype), x.shape)


@public
def tiecorrect(rankvals: A) -> A:
    """Compute the factor by which ties reduce the variance of rank statistics.

    Parameters
    ----------
    rankvals : array, shape (..., n)
        Ranks, or the data themselves: only ties matter. Real.

    Returns
    -------
    array, shape (...)
        One less the sum of ``t**3 - t`` over the sizes t of ties, over ``n**3 - n``; 1 of fewer
        than two.

    Raises
    ------
    DtypeError
        Of complex data.

    Notes
    -----
    S. Siegel, Nonparametric Statistics for the Behavioral Sciences, 1956. A sort and a count. Not
    differentiable: constant almost everywhere.

    Differs from SciPy: a batch of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tiecorrect
    >>> float(tiecorrect(np.asarray([1.0, 2.5, 2.5, 4.0])))
    0.9
    """
    (rows,), back = samples("tiecorrect", -1, "propagate", a=rankvals)
    x = rows.x
    xp, n = array_namespace(x), x.shape[-1]
    if n < 2 or 0 in x.shape:
        return back(xp.ones(x.shape[:-1], dtype=x.dtype, device=device(x)))
    return back(_tie_factors(x))


def _factors_in_blocks(x: Any) -> Lines:
    return batches({0: (x, 1)}, ((), x.dtype))


@native(blocks=_factors_in_blocks)
def _tie_factors(x: Any) -> Any:
    xp, n = array_namespace(x), float(x.shape[-1])
    sizes = xp.astype(run_sizes(xp.sort(x, axis=-1, stable=False)), x.dtype)
    return 1.0 - xp.sum((sizes * sizes - 1) * sizes, axis=-1) / (n * n * n - n)


@public
def percentileofscore(
    a: A, score: A | Numbers, kind: str = "rank", nan_policy: str = "propagate"
) -> A:
    """Compute which percentage of a sample is below scores.

    Parameters
    ----------
    a : array, shape (n,)
        The sample. Real.
    score : array
        Of any shape. Real.
    kind : {'rank', 'weak', 'strict', 'mean'}, optional
        'weak' counts equal numbers, 'strict' doesn't, 'mean' counts half of them; 'rank' the mean
        of their percentages.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What NaNs in the sample do: make all results NaN, are left out, or raise ArgumentError.
        Scores of NaN give NaN, but raise, too.

    Returns
    -------
    array
        Of the shape of `score`, in [0, 100].

    Raises
    ------
    ArgumentError, DtypeError
        If an option has another value; of complex data.
    ShapeError
        If `a` has not one dimension.

    Notes
    -----
    Of up to four scores, two comparisons of all; else a sort and searches. Not differentiable:
    constant almost everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import percentileofscore
    >>> float(percentileofscore(np.asarray([1.0, 2.0, 3.0, 3.0, 4.0]), 3.0))
    70.0
    """
    function = "percentileofscore"
    xp = array_namespace(a, score)
    _plan.choice(function, "nan_policy", nan_policy, POLICIES)
    _plan.choice(function, "kind", kind, ("rank", "weak", "strict", "mean"))
    x, s = _plan.common_floating(function, xp, ("a", "score"), a, score, real=True)
    if x.ndim != 1:
        raise ShapeError(f"{function}: `a` must be 1-dimensional, got shape {tuple(x.shape)}")
    if nan_policy == "raise":
        for name, v in {"a": x, "score": s}.items():
            if is_concrete(v) and bool(xp.any(xp.isnan(v))):
                raise ArgumentError(
                    f"{function}: The input contains nan values: nan_policy is 'raise', and there "
                    f"are NaNs in {name}"
                )
    if x.shape[0] == 0:
        return as_given(xp.full(s.shape, xp.nan, dtype=s.dtype, device=device(s)))
    sought = xp.reshape(s, (-1, 1))
    strange, n = xp.isnan(x), x.shape[0]
    some = not is_concrete(x) or bool(xp.any(strange))
    n = xp.sum(xp.astype(~strange, x.dtype)) if some else n
    with quiet(x):
        if sought.shape[0] <= _FEW:
            found: Any = [xp.count_nonzero(less, axis=-1) for less in (x < sought, x <= sought)]
        else:
            x = xp.sort(x, stable=False)
            found = [_searchsorted(x, sought[:, 0], side, None) for side in ("left", "right")]
        left, right = (xp.reshape(xp.astype(v, x.dtype), s.shape) for v in found)
        if kind == "rank":
            parts = (left + right + xp.astype(left < right, x.dtype)) / 2
        else:
            parts = {"strict": left, "weak": right, "mean": (left + right) / 2}[kind]
        out = unless(xp.isnan(s) | (n == 0), parts * (100.0 / n))
        if some and nan_policy == "propagate":
            out = unless(xp.any(strange), out)
    return as_given(out)
