"""Statistics of what lies within limits, and samples without their ends."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, is_lazy, quiet
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError, NotSupported
from ...missing import compress
from ...missing._axes import as_given, flat, last_to, numeric
from .._base._samples import POLICIES, Rows, count, filled
from ._rows import has_nan, reduced, unless, variance

__all__ = [
    "SigmaclipResult",
    "sigmaclip",
    "tmax",
    "tmean",
    "tmin",
    "trim1",
    "trim_mean",
    "trimboth",
    "tsem",
    "tstd",
    "tvar",
]


class SigmaclipResult(NamedTuple):
    """Hold what `sigmaclip` keeps, and its last limits."""

    clipped: Any
    lower: Any
    upper: Any


# -- limits ----------------------------------------------------------------------------------------


@public
def tmean(
    a: A,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the mean of the numbers within limits.

    Parameters
    ----------
    a : array
        Real.
    limits : pair of float or None, optional
        The lower and the upper limit; None is no limit.
    inclusive : pair of bool, optional
        Whether the limits belong to the interval.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`; NaN where nothing lies within the limits.

    Raises
    ------
    ArgumentError
        If it can be read that there are no numbers within the limits, or an option has another
        value.
    DtypeError, ShapeError
        Of complex data; if an axis is out of range.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tmean
    >>> float(tmean(np.arange(20.0), (3, 17)))
    10.0
    """

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        inside = _within("tmean", rows, limits, inclusive)
        n = count(inside)
        n = n if isinstance(n, int) else unless(n == 0, n)
        out = xp.sum(filled(inside, 0.0), axis=-1, keepdims=True) / n
        return unless(has_nan(rows), out[..., 0])

    return reduced("tmean", axis, nan_policy, keepdims, body, a=a)


def _within(function: str, rows: Rows, limits: Any, inclusive: Any) -> Rows:
    """Rows in which what lies outside of the limits doesn't count."""
    if limits is None:
        return rows
    x = rows.x
    low, high = limits
    outside: Any = False
    if low is not None:
        outside = outside | (x < low if inclusive[0] else x <= low)
    if high is not None:
        outside = outside | (x > high if inclusive[1] else x >= high)
    if outside is False:
        return rows
    xp = array_namespace(x)
    some = rows.there if rows.there is not None else xp.ones_like(outside)
    if is_concrete(x) and bool(xp.any(some)) and bool(xp.all(outside | ~some)):
        raise ArgumentError(f"{function}: No array values within given limits {limits!r}")
    return Rows(x, ~outside if rows.there is None else rows.there & ~outside)


@public
def tvar(
    a: A,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: float = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the variance of the numbers within limits.

    Parameters
    ----------
    a : array
        Real.
    limits, inclusive, axis : optional
        As for `tmean`.
    ddof : float, optional
        The number that is subtracted from the size where the variance divides.
    nan_policy, keepdims : optional
        As for `tmean`.

    Returns
    -------
    array
        Of the floating dtype of `a`; NaN of no more than `ddof` numbers within the limits.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `tmean`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tvar
    >>> float(tvar(np.arange(20.0), (3, 17)))
    20.0
    """
    return _spread("tvar", _itself, a, limits, inclusive, axis, ddof, nan_policy, keepdims)


@public
def tstd(
    a: A,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: float = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the standard deviation of the numbers within limits.

    Parameters
    ----------
    a : array
        Real.
    limits, inclusive, axis, ddof, nan_policy, keepdims : optional
        As for `tvar`.

    Returns
    -------
    array
        The root of `tvar`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `tmean`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tstd
    >>> round(float(tstd(np.arange(20.0), (3, 17))), 12)
    4.472135955
    """
    return _spread("tstd", _root, a, limits, inclusive, axis, ddof, nan_policy, keepdims)


@public
def tsem(
    a: A,
    limits: Any = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: float = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the standard error of the mean of the numbers within limits.

    Parameters
    ----------
    a : array
        Real.
    limits, inclusive, axis, ddof, nan_policy, keepdims : optional
        As for `tvar`.

    Returns
    -------
    array
        The root of `tvar` over the number.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `tmean`.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tsem
    >>> round(float(tsem(np.arange(20.0), (3, 17))), 12)
    1.154700538379
    """
    return _spread("tsem", _error, a, limits, inclusive, axis, ddof, nan_policy, keepdims)


def _itself(v: Any, n: Any) -> Any:
    return v


def _root(v: Any, n: Any) -> Any:
    return array_namespace(v).sqrt(v)


def _error(v: Any, n: Any) -> Any:
    return array_namespace(v).sqrt(v / n)


def _spread(
    function: str,
    of: Callable[[Any, Any], Any],
    a: Any,
    limits: Any,
    inclusive: Any,
    axis: Any,
    ddof: float,
    nan_policy: str,
    keepdims: bool,
) -> Any:
    def body(rows: Rows) -> Any:
        v, _, n = variance(function, _within(function, rows, limits, inclusive), ddof)
        return unless(has_nan(rows), of(v, n)[..., 0])

    return reduced(function, axis, nan_policy, keepdims, body, a=a)


@public
def tmin(
    a: A,
    lowerlimit: float | None = None,
    axis: Any = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Find the smallest number above a limit.

    Parameters
    ----------
    a : array
        Real.
    lowerlimit : float, optional
        The limit. Default: none.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    inclusive : bool, optional
        Whether the limit belongs to the interval.
    nan_policy, keepdims : optional
        As for `tmean`.

    Returns
    -------
    array
        Of the floating dtype of `a`, or without a limit of that of its integers; NaN where nothing
        is above the limit.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `tmean`.

    Notes
    -----
    Differentiable.

    Differs from SciPy: with a limit, integers become the library's default floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tmin
    >>> float(tmin(np.arange(20.0), 13, inclusive=False))
    14.0
    """
    limits, ends = (lowerlimit, None), (inclusive, None)
    return _extreme("tmin", 1, a, limits, ends, axis, nan_policy, keepdims)


@public
def tmax(
    a: A,
    upperlimit: float | None = None,
    axis: Any = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Find the largest number below a limit.

    Parameters
    ----------
    a : array
        Real.
    upperlimit : float, optional
        The limit. Default: none.
    axis, inclusive, nan_policy, keepdims : optional
        As for `tmin`.

    Returns
    -------
    array
        As for `tmin`; NaN where nothing is below the limit.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `tmean`.

    Notes
    -----
    As for `tmin`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tmax
    >>> float(tmax(np.arange(20.0), 13, inclusive=False))
    12.0
    """
    return _extreme(
        "tmax", -1, a, (None, upperlimit), (None, inclusive), axis, nan_policy, keepdims
    )


def _extreme(
    function: str, sign: int, a: Any, limits: Any, inclusive: Any, axis: Any, *options: Any
) -> Any:
    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        inside = _within(function, rows, limits, inclusive)
        x = filled(inside, sign * xp.inf)
        out = xp.min(x, axis=-1) if sign > 0 else xp.max(x, axis=-1)
        return out if inside.there is None else unless(~xp.any(inside.there, axis=-1), out)

    nan_policy, keepdims = options
    xp = array_namespace(a)
    free = all(v is None for v in limits)
    if free and hasattr(a, "dtype") and xp.isdtype(a.dtype, "integral"):
        _plan.choice(function, "nan_policy", nan_policy, POLICIES)
        axes = _plan.axis_tuple(function, "axis", axis, a.ndim) if a.ndim else ()
        if all(a.shape[i] for i in axes):
            least = xp.min if sign > 0 else xp.max
            return as_given(least(a, axis=axes, keepdims=keepdims))
    return reduced(function, axis, nan_policy, keepdims, body, a=a)


# -- ends ------------------------------------------------------------------------------------------


@public
def trim_mean(
    a: A,
    proportiontocut: float,
    axis: Any = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the mean without a share of the smallest and of the largest numbers.

    Parameters
    ----------
    a : array
        Real.
    proportiontocut : float
        The share at each end; the number that it gives is rounded down.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `a`.

    Raises
    ------
    ArgumentError
        If the share is more than a half, or an option has another value.
    DtypeError, ShapeError
        Of complex data; if an axis is out of range.

    Notes
    -----
    A sort. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import trim_mean
    >>> float(trim_mean(np.asarray([1.0, 2.0, 3.0, 4.0, 90.0]), 0.2))
    3.0
    """

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        size = rows.x.shape[-1]
        cut = int(proportiontocut * size)
        if cut > size - cut:
            raise ArgumentError(f"trim_mean: Proportion too big: {proportiontocut!r} of each end")
        if rows.there is None:
            inner = xp.sort(rows.x, axis=-1, stable=False)[..., cut : size - cut]
            out = xp.sum(inner, axis=-1) / (size - 2 * cut)
            return unless(has_nan(rows), out)
        n = count(rows)
        x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
        cuts = xp.floor(proportiontocut * n)
        place = xp.arange(size, dtype=x.dtype, device=device(x))
        inner = (place >= cuts) & (place < n - cuts)
        total = xp.sum(xp.where(inner, x, xp.zeros_like(x)), axis=-1, keepdims=True)
        return (total / (n - 2 * cuts))[..., 0]

    return reduced("trim_mean", axis, nan_policy, keepdims, body, a=a)


@public
def trimboth(a: A, proportiontocut: float, axis: int | None = 0) -> A:
    """Cut a share of the smallest and of the largest numbers off.

    Parameters
    ----------
    a : array
        Real.
    proportiontocut : float
        The share at each end; the number that it gives is rounded down.
    axis : int or None, optional
        The axis; None flattens.

    Returns
    -------
    array
        The rest along the axis, of the dtype of `a`, in ascending order.

    Raises
    ------
    ArgumentError
        If nothing would be left.
    DtypeError, ShapeError
        Of complex data; if the axis is out of range.

    Notes
    -----
    A sort. Differentiable.

    Differs from SciPy: the rest is sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import trimboth
    >>> trimboth(np.asarray([5.0, 1.0, 4.0, 2.0, 3.0]), 0.2)
    array([2., 3., 4.])
    """

    def ends(n: int) -> tuple[int, int]:
        cut = int(proportiontocut * n)
        if n and cut >= n - cut:
            raise ArgumentError(f"trimboth: Proportion too big: {proportiontocut!r} of each end")
        return cut, n - cut

    return _cut("trimboth", a, axis, ends)


@public
def trim1(a: A, proportiontocut: float, tail: str = "right", axis: int | None = 0) -> A:
    """Cut a share of the smallest or of the largest numbers off.

    Parameters
    ----------
    a : array
        Real.
    proportiontocut : float
        The share; the number that it gives is rounded down.
    tail : {'left', 'right'}, optional
        Whether the smallest or the largest are cut off.
    axis : int or None, optional
        The axis; None flattens.

    Returns
    -------
    array
        As from `trimboth`; without elements along the axis if the share is 1 or more.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If `tail` has another value; as for `trimboth`.

    Notes
    -----
    As for `trimboth`.

    Differs from SciPy: the rest is sorted; it is an array if the share is 1 or more.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import trim1
    >>> trim1(np.asarray([5.0, 1.0, 4.0, 2.0, 3.0]), 0.4, "left")
    array([3., 4., 5.])
    """
    _plan.choice("trim1", "tail", str(tail).lower(), ("left", "right"))

    def ends(n: int) -> tuple[int, int]:
        cut = min(int(proportiontocut * n), n) if proportiontocut < 1 else n
        return (cut, n) if tail.lower() == "left" else (0, n - cut)

    return _cut("trim1", a, axis, ends)


def _cut(function: str, a: Any, axis: Any, ends: Callable[[int], tuple[int, int]]) -> Any:
    """A part of sorted numbers along an axis."""
    xp = array_namespace(a)
    x = numeric(function, xp, "a", a, real=True)
    if axis is None or x.ndim == 0:
        x, axis = xp.reshape(x, (-1,)), 0
    (axis,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    low, high = ends(x.shape[axis])
    rows = flat(x, (axis,))
    return last_to(xp.sort(rows, axis=-1, stable=False)[..., low:high], axis)


@public
def sigmaclip(a: A, low: float = 4.0, high: float = 4.0) -> SigmaclipResult:
    """Remove numbers far from the mean, again and again until none is left to remove.

    Parameters
    ----------
    a : array
        Real; it is flattened.
    low, high : float, optional
        How many standard deviations below and above the mean are far.

    Returns
    -------
    SigmaclipResult
        ``clipped``, an array of one dimension and the dtype of `a`; ``lower`` and ``upper``, the
        last limits.

    Raises
    ------
    DtypeError
        Of complex data.
    NotSupported
        In compiled code and on Dask, since values decide on the size.

    Notes
    -----
    A few passes, each of which reads a number.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import sigmaclip
    >>> found = sigmaclip(np.asarray([9.6, 10.0, 10.4, 50.0, 10.1, 9.9]), 2, 2)
    >>> found.clipped
    array([ 9.6, 10. , 10.4, 10.1,  9.9])
    """
    xp = array_namespace(a)
    x = xp.reshape(numeric("sigmaclip", xp, "a", a, real=True), (-1,))
    if is_lazy(x):
        raise NotSupported(
            "sigmaclip: values decide on the size of the result, and they can't be read here"
        )
    (data,) = _plan.common_floating("sigmaclip", xp, ("a",), x, real=True)
    with quiet(data):
        while True:
            size = data.shape[0]
            m = xp.sum(data) / size if size else xp.sum(data) * xp.nan
            d = data - m
            s = xp.sqrt(xp.sum(d * d) / max(size, 1))
            lower, upper = m - s * low, m + s * high
            kept = (data >= lower) & (data <= upper)
            if bool(xp.all(kept)):
                break
            data, x = compress(kept, data), compress(kept, x)
    return SigmaclipResult(x, as_given(lower), as_given(upper))
