"""Savitzky-Golay filters along an axis."""

from collections.abc import Iterable
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device, namespace
from ..._native import Lines, along, native, public
from ...errors import DtypeError, ShapeError
from ...missing import sliding_window_view
from .._base._places import integer, number
from .._base._recursions import axis_of, lanes, unlaned
from .._design._savgol import savgol_coeffs

__all__ = ["savgol_filter"]

Mode = Literal["mirror", "constant", "nearest", "wrap", "interp"]
_MODES = ("mirror", "constant", "nearest", "wrap", "interp")


@public
def savgol_filter(
    x: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: Mode | str = "interp",
    cval: float = 0.0,
) -> Any:
    """Fit a polynomial to each window, and return its value or derivative in the middle.

    Parameters
    ----------
    x : array
        Real signals; all other dimensions are a batch.
    window_length, polyorder, deriv, delta
        As for `savgol_coeffs`.
    axis : int, optional
        The axis along which to fit.
    mode : {'interp', 'mirror', 'constant', 'nearest', 'wrap'}, optional
        How to treat windows that reach beyond the ends: 'interp' uses the polynomial of the first
        or last window; the other modes extend the signal by its mirror image about the last point,
        by `cval`, by its last value, or periodically.
    cval : float, optional
        The value for 'constant'.

    Returns
    -------
    array
        The result, with the shape of `x` and its floating dtype.

    Raises
    ------
    ArgumentError
        As for `savgol_coeffs`, and if there is no such mode.
    ShapeError
        If there is no such axis, or in mode 'interp' the window is longer than the signals.
    DtypeError
        If `x` is complex.

    Notes
    -----
    A. Savitzky and M. J. E. Golay, Anal. Chem. 36, 1627, 1964. O(n window_length) operations.
    Differentiable.

    Differs from SciPy: complex signals are an error; SciPy warns and filters only their real part.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import savgol_filter
    >>> savgol_filter(np.asarray([2.0, 2, 5, 2, 1, 0, 1, 4, 9]), 5, 2).round(4)
    array([1.6571, 3.1714, 3.5429, 2.8571, 0.6571, 0.1714, 1.    , 4.    , 9.    ])
    """
    function = "savgol_filter"
    xp = array_namespace(x)
    (x,) = _plan.common_floating(function, xp, ("x",), x)
    if _plan.is_complex(xp, x.dtype):
        raise DtypeError(f"{function}: x must be real, got {x.dtype}. Filter its parts.")
    _plan.choice(function, "mode", mode, _MODES)
    axis = axis_of(function, x, axis)
    n, degree = (
        integer(function, "window_length", window_length, 1),
        integer(function, "polyorder", polyorder),
    )
    deriv, delta = integer(function, "deriv", deriv), number(function, "delta", delta)
    _weights(n, degree, deriv, delta, (None,))  # refuses what doesn't fit
    if mode == "interp" and n > x.shape[axis]:
        raise ShapeError(
            f"{function}: in mode 'interp' window_length must be at most the length along the "
            f"axis, got {n} and {x.shape[axis]}. Other modes take longer windows."
        )
    return _savgol_filter(x, n, degree, deriv, delta, axis, mode, number(function, "cval", cval))


def _some(x: Any, *options: Any) -> bool:
    """signals that aren't empty."""
    return 0 not in x.shape


def _in_blocks(
    x: Any, n: int, degree: int, deriv: int, delta: float, axis: int, mode: str, cval: float
) -> Lines:
    return along(x, (axis,), margins=None if mode == "wrap" else {axis: n})


@native(
    numpy="scipy.signal:savgol_filter",
    torch="scipy.signal:savgol_filter",
    when=_some,
    blocks=_in_blocks,
)
def _savgol_filter(
    x: Any, n: int, degree: int, deriv: int, delta: float, axis: int, mode: str, cval: float
) -> Any:
    xp, rows = array_namespace(x), lanes(x, axis)
    size, half = rows.shape[-1], n // 2

    def weights(places: Iterable[float | None]) -> Any:
        """Return the weight of each point of a window, a column for each position in it."""
        made = _weights(n, degree, deriv, delta, tuple(places))
        return xp.asarray(made, dtype=x.dtype, device=device(x))

    if 0 in x.shape:
        return x
    padded = rows if mode == "interp" else _longer(xp, rows, n - 1 - half, half, mode, cval)
    middle = xp.matmul(sliding_window_view(padded, n, axis=-1), weights((None,)))[..., 0]
    if mode != "interp":
        return unlaned(middle, x.shape, axis)
    before = xp.matmul(rows[:, :n], weights(range(half))) if half else rows[:, :0]
    after = rows[:, :0]
    if half:
        after = xp.matmul(rows[:, size - n :], weights(range(n - half, n)))
    start = 1 - n % 2
    middle = middle[:, start : start + size - 2 * half]
    return unlaned(xp.concat((before, middle, after), axis=-1), x.shape, axis)


@_plan.of_settings
def _weights(
    n: int, degree: int, deriv: int, delta: float, places: tuple[float | None, ...]
) -> Any:
    xp = namespace("numpy")
    made = [savgol_coeffs(n, degree, deriv, delta, place, "dot", xp=xp) for place in places]
    return xp.stack(made, axis=-1)


def _longer(xp: Any, x: Any, before: int, after: int, mode: str, cval: float) -> Any:
    """Return rows extended beyond their ends."""
    n = x.shape[-1]
    if mode == "constant":
        ends = [
            xp.full((x.shape[0], k), cval, dtype=x.dtype, device=device(x)) for k in (before, after)
        ]
        return xp.concat((ends[0], x, ends[1]), axis=-1)
    places = xp.arange(-before, n + after, device=device(x))
    if mode == "wrap":
        places = places % n
    elif mode == "nearest":
        places = xp.clip(places, 0, n - 1)
    elif n == 1:
        places = places * 0
    else:
        places = (n - 1) - xp.abs(places % (2 * n - 2) - (n - 1))
    return xp.take(x, places, axis=-1)
