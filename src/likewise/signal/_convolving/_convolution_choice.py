"""The choice of a convolution method, and the lags of correlations."""

import time
from collections.abc import Callable
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, is_concrete
from ..._typing import A, Numbers
from ...errors import NotSupported
from ...missing._convolution import extent
from .._base._places import follows_like, integer, place
from ._convolution import convolve, plan_convolve
from ._convolution_costs import quickest

__all__ = ["choose_conv_method", "correlation_lags"]

Mode = Literal["full", "same", "valid"]
_MODES = ("full", "same", "valid")
_LEAST = 5e-3  # seconds that a measurement takes


def choose_conv_method(
    in1: A, in2: A | Numbers, mode: Mode | str = "full", measure: bool = False
) -> str | tuple[str, dict[str, float]]:
    """Return the method that `convolve` chooses, or the one that is faster here.

    Parameters
    ----------
    in1, in2, mode
        As for `convolve`.
    measure : bool, optional
        Whether to run and time both methods. Default: choose by sizes and dtypes.

    Returns
    -------
    method : {'direct', 'fft'}
        The faster one.
    times : dict
        Seconds per call, by method; only with `measure`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError
        As for `convolve`.
    NotSupported
        If `measure` is true and arrays have no values on this host.
    ExtensionMissing
        If `measure` is true and the namespace has no ``fft``.

    Notes
    -----
    The choice uses measured costs of calls, results, products and steps of a transform on each
    library. It takes some microseconds, or with `measure` several calls of each method.

    Differs from SciPy: transforms are exact for integers of any size, so the choice doesn't depend
    on values, and is the same for arrays without values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import choose_conv_method
    >>> choose_conv_method(np.ones(100_000), np.ones(5_000))
    'fft'
    """
    function = "choose_conv_method"
    xp = array_namespace(in1, in2)
    x, y, axes = plan_convolve(function, xp, in1, in2, mode, None, integers=True)
    if measure:
        if not (is_concrete(x) and is_concrete(y)):
            raise NotSupported(
                f"{function}: measure=True needs arrays with values on this host, got others. "
                "Leave it out: the choice by sizes needs no values."
            )
        times = {
            "fft": _timed(lambda: convolve(x, y, mode, "fft")),
            "direct": _timed(lambda: convolve(x, y, mode, "direct")),
        }
        return ("fft" if times["fft"] < times["direct"] else "direct"), times
    if axes is None:
        return "direct"
    return "fft" if quickest(xp, x, y, mode, axes) == "fft" else "direct"


def _timed(call: Callable[[], Any]) -> float:
    """Seconds of the quickest call."""
    best, total = float("inf"), 0.0
    while total < _LEAST:
        start = time.perf_counter()
        call()
        now = time.perf_counter() - start
        best, total = min(best, now), total + now
    return best


@follows_like
def correlation_lags(
    in1_len: int, in2_len: int, mode: Mode | str = "full", *, like: Any = None
) -> Any:
    """Return the lag of each element of the result of `correlate`, for given lengths.

    Parameters
    ----------
    in1_len, in2_len : int
        Lengths of the first and the second sequence.
    mode : {'full', 'same', 'valid'}, optional
        As for `correlate`.
    like : array, optional
        An array whose library and device the result has.

    Returns
    -------
    array
        Integers, of the library of `like`, or of the library that `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If there is no such mode, or a length is not a positive integer.

    Notes
    -----
    At a lag, ``correlate(x, y)`` is ``sum(x[k + lag] * conj(y[k]))``.

    Differs from SciPy: in mode 'same', for an odd first and an even second length, SciPy's lags are
    one too high for its own `correlate`.

    Examples
    --------
    >>> from likewise.signal import correlation_lags
    >>> correlation_lags(4, 3)
    array([-2, -1,  0,  1,  2,  3])
    """
    function = "correlation_lags"
    _plan.choice(function, "mode", mode, _MODES)
    n1 = integer(function, "in1_len", in1_len, 1)
    n2 = integer(function, "in2_len", in2_len, 1)
    start, size = extent(n1, n2, mode)
    first = start - (n2 - 1)
    where = place(function)
    return where.xp.arange(first, first + size, device=where.device)
