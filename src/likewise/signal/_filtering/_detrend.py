"""Removal of trends from signals."""

import itertools
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ...errors import ArgumentError
from .._base._places import read
from .._base._recursions import axis_of

__all__ = ["detrend"]

Trend = Literal["linear", "constant"]
_TYPES = {"linear": "linear", "l": "linear", "constant": "constant", "c": "constant"}


@public
def detrend(
    data: Any,
    axis: int = -1,
    type: Trend | str = "linear",  # SciPy's name
    bp: Any = 0,
    overwrite_data: bool = False,
) -> Any:
    """Subtract the mean or straight lines from signals.

    Parameters
    ----------
    data : array
        Real or complex signals; all other dimensions are a batch.
    axis : int, optional
        The axis of the signals.
    type : {'linear', 'constant'}, optional
        'linear' or 'l' subtracts the least-squares line from each piece, 'constant' or 'c' the mean
        of the whole signal.
    bp : int or sequence of int, optional
        The indices at which new pieces start.
    overwrite_data : bool, optional
        No effect: nothing is overwritten.

    Returns
    -------
    array
        The result, with the shape of `data` and its floating dtype.

    Raises
    ------
    ArgumentError
        If the type is unknown, or a piece would start beyond the end.
    ShapeError
        If there is no such axis.
    ArrayTypeError, DtypeError
        If `data` is not an array of numbers.

    Notes
    -----
    Computes the line of a piece from its mean and its product with centred indices: O(n)
    operations. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype; negative indices in
    `bp` are an error.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import detrend
    >>> detrend(np.asarray([1.0, 2.0, 3.0, 5.0])).round(6)
    array([ 0.2, -0.1, -0.4,  0.3])
    """
    xp = array_namespace(data)
    (data,) = _plan.common_floating("detrend", xp, ("data",), data)
    _plan.choice("detrend", "type", type, tuple(_TYPES))
    axis = axis_of("detrend", data, axis, "data")
    if _TYPES[type] == "constant":
        return data - xp.mean(data, axis=axis, keepdims=True)
    ends = _pieces(bp, data.shape[axis])
    x = xp.moveaxis(data, axis, -1)
    pieces = [_without_line(xp, x[..., i:j]) for i, j in itertools.pairwise(ends)]
    return xp.moveaxis(xp.concat(pieces, axis=-1), -1, axis) if pieces else data


@_plan.of_settings
def _pieces(bp: Any, n: int) -> list[int]:
    _, (found,) = read("detrend", bp=bp)
    places = {float(v) for v in found.reshape(-1)}
    if any(v != int(v) or not 0 <= v <= n for v in places):
        raise ArgumentError(
            f"detrend: bp must be whole numbers from 0 to the length along the axis, {n}, got {bp}"
        )
    return sorted({0, n, *(int(v) for v in places)})


def _without_line(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    x = x - xp.mean(x, axis=-1, keepdims=True)
    if n == 1:
        return x
    t = xp.arange(n, dtype=xp.float64 if _wide(xp, x) else xp.float32, device=device(x))
    t = (t - (n - 1) / 2) * (2 / n)
    square = (n * n - 1) / (3 * n)  # the sum of squares of t
    slope = xp.sum(x * t, axis=-1, keepdims=True) / square
    return x - slope * t


def _wide(xp: Any, x: Any) -> bool:
    return x.dtype in (xp.float64, xp.complex128)
