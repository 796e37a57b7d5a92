"""Statistics of angles and directions."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, quiet
from ..._native import public
from ..._typing import A
from ...errors import ShapeError
from ...missing._axes import as_given
from .._base._samples import Rows, count, filled
from ._rows import reduced

__all__ = ["DirectionalStats", "circmean", "circstd", "circvar", "directional_stats"]


class DirectionalStats(NamedTuple):
    """Hold the mean direction of vectors, and the length of their mean."""

    mean_direction: Any
    mean_resultant_length: Any


@public
def circmean(
    samples: A,
    high: float = 2 * math.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the mean of angles.

    Parameters
    ----------
    samples : array
        Real.
    high, low : float, optional
        The ends of the period.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        The direction of the mean of unit vectors, of the floating dtype of `samples`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if an axis is out of range.

    Notes
    -----
    N. I. Fisher, Statistical Analysis of Circular Data, 1993. Differentiable, unless vectors
    cancel.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import circmean
    >>> round(float(circmean(np.asarray([350.0, 10.0, 30.0]), 360)), 12)
    10.0
    """
    period = high - low

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        sine, cosine = _sums(rows, period)
        angle = xp.atan2(sine, cosine) * (period / (2 * math.pi))
        return (angle - low) % period + low

    return reduced("circmean", axis, nan_policy, keepdims, body, samples=samples)


def _sums(rows: Rows, period: float) -> tuple[Any, Any]:
    """The sums of unit vectors' coordinates."""
    xp = array_namespace(rows.x)
    angles = rows.x * (2 * math.pi / period)
    sine, cosine = (filled(Rows(f(angles), rows.there), 0.0) for f in (xp.sin, xp.cos))
    return xp.sum(sine, axis=-1), xp.sum(cosine, axis=-1)


def _length(rows: Rows, period: float) -> Any:
    """The length of the mean of unit vectors, at most 1."""
    xp = array_namespace(rows.x)
    n = count(rows)
    sine, cosine = (s / (n if isinstance(n, int) else n[..., 0]) for s in _sums(rows, period))
    length = xp.sqrt(sine * sine + cosine * cosine)
    return xp.where(length > 1, xp.ones_like(length), length)


@public
def circvar(
    samples: A,
    high: float = 2 * math.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> A:
    """Compute the variance of angles: 1 less the length of the mean of unit vectors.

    Parameters
    ----------
    samples : array
        Real.
    high, low, axis, nan_policy, keepdims : optional
        As for `circmean`.

    Returns
    -------
    array
        In [0, 1], of the floating dtype of `samples`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `circmean`.

    Notes
    -----
    As for `circmean`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import circvar
    >>> round(float(circvar(np.asarray([0.0, 2 * np.pi / 3, 5 * np.pi / 3]))), 12)
    0.666666666667
    """

    def body(rows: Rows) -> Any:
        return 1.0 - _length(rows, high - low)

    return reduced("circvar", axis, nan_policy, keepdims, body, samples=samples)


@public
def circstd(
    samples: A,
    high: float = 2 * math.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    normalize: bool = False,
    keepdims: bool = False,
) -> A:
    """Compute the standard deviation of angles, from the length R of the mean of unit vectors.

    Parameters
    ----------
    samples : array
        Real.
    high, low, axis, nan_policy : optional
        As for `circmean`.
    normalize : bool, optional
        Whether to return the angle in radians, whatever the period.
    keepdims : bool, optional
        As for `circmean`.

    Returns
    -------
    array
        ``sqrt(-2 log(R))``, in units of the period, of the floating dtype of `samples`.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `circmean`.

    Notes
    -----
    As for `circmean`; no derivative where all angles are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import circstd
    >>> round(float(circstd(np.asarray([0.0, 0.1 * np.pi / 2, 0.001 * np.pi]))), 12)
    0.073343431833
    """
    period = high - low

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        out = xp.sqrt(-2 * xp.log(_length(rows, period))) + 0.0
        return out if normalize else out * (period / (2 * math.pi))

    return reduced("circstd", axis, nan_policy, keepdims, body, samples=samples)


@public
def directional_stats(samples: A, *, axis: int = 0, normalize: bool = True) -> DirectionalStats:
    """Compute the mean direction of vectors.

    Parameters
    ----------
    samples : array
        Real, of at least two dimensions; after `axis` is removed, the last dimension has the
        coordinates.
    axis : int, optional
        The axis of the observations.
    normalize : bool, optional
        Whether vectors are first divided by their lengths.

    Returns
    -------
    DirectionalStats
        ``mean_direction``, unit vectors, and ``mean_resultant_length``, in [0, 1] of unit vectors.

    Raises
    ------
    DtypeError
        Of complex data.
    ShapeError
        If there are fewer than two dimensions, or the axis is out of range.

    Notes
    -----
    K. V. Mardia, P. E. Jupp, Directional Statistics, 2000. Differentiable, unless vectors cancel.

    Differs from SciPy: the result is a named tuple.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import directional_stats
    >>> found = directional_stats(np.asarray([[3.0, 4.0], [6.0, 8.0]]))
    >>> found.mean_direction.round(12)
    array([0.6, 0.8])
    """
    xp = array_namespace(samples)
    (x,) = _plan.common_floating("directional_stats", xp, ("samples",), samples, real=True)
    if x.ndim < 2:
        raise ShapeError(
            "directional_stats: samples must at least be two-dimensional, got shape "
            f"{tuple(x.shape)}"
        )
    (axis,) = _plan.axis_tuple("directional_stats", "axis", axis, x.ndim)
    x = xp.moveaxis(x, axis, 0)
    with quiet(x):
        if normalize:
            x = x / xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True))
        mean = xp.sum(x, axis=0) / x.shape[0]
        length = xp.sqrt(xp.sum(mean * mean, axis=-1, keepdims=True))
        return DirectionalStats(mean / length, as_given(length[..., 0]))
