"""Peaks of signals, their prominences and widths."""

import math
import warnings
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_concrete, is_neutral
from ..._native import native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, PeakPropertyWarning, ShapeError, _level
from ...missing import flatnonzero, put_along_axis
from ...missing._axes import index_dtype
from ...missing._segments import integers
from ...transforms import while_loop
from .._base._places import integer, number
from ._climbs import bases, crossings, near_maximum

__all__ = ["find_peaks", "peak_prominences", "peak_widths"]


@public
def find_peaks(
    x: A,
    height: Any = None,
    threshold: Any = None,
    distance: float | None = None,
    prominence: Any = None,
    width: Any = None,
    wlen: float | None = None,
    rel_height: float = 0.5,
    plateau_size: Any = None,
    *,
    size: int | None = None,
) -> tuple[A, dict[str, A]]:
    """Find local maxima that meet conditions.

    Parameters
    ----------
    x : array, shape (n,), or (..., n) with `size`
        Real signal. A flat top counts once, at its middle, rounded down.
    height : number, array of shape (n,) or pair of them, optional
        The minimum height, or the minimum and the maximum; None in a pair for no limit.
    threshold : number, array or pair, optional
        The minimum, or minimum and maximum, vertical distance to the two neighbours.
    distance : number, optional
        The minimum distance between peaks, at least 1. Of two closer peaks the lower one is
        dropped, beginning with the highest peaks; the later one takes precedence among equal ones.
    prominence : number, array or pair, optional
        Limits of the prominence, as returned by `peak_prominences`.
    width : number, array or pair, optional
        Limits of the width, as returned by `peak_widths`.
    wlen : number, optional
        As for `peak_prominences`.
    rel_height : float, optional
        As for `peak_widths`.
    plateau_size : number, array or pair, optional
        Limits of the size of flat tops, in samples.
    size : int, optional
        The number of returned peaks: the first ones, padded with -1 (properties: NaN or -1).
        Required for batches, and if values are not available (jit, Dask, a GPU).

    Returns
    -------
    peaks : array of int, shape (peaks,) or (..., size)
        Indices of the peaks, ascending.
    properties : dict of array
        The properties for the given conditions: ``peak_heights``,
        ``left_thresholds``, ``right_thresholds``, ``prominences``, ``left_bases``, ``right_bases``,
        ``widths``, ``width_heights``, ``left_ips``, ``right_ips``, ``plateau_sizes``,
        ``left_edges``, ``right_edges``.

    Raises
    ------
    ShapeError
        If `x` has more than one dimension without `size`, or an array of limits has a different
        size.
    DtypeError
        If `x` isn't real.
    ArgumentError
        If `distance` is below 1 or infinite, `wlen` isn't above 1, or `size` is required and
        missing.

    Notes
    -----
    Flat tops are found by comparisons; prominences and widths use tables over 1, 2, 4 ... samples,
    in O(n log n) for all peaks; `distance` takes rounds of O(n log distance), each of which accepts
    all peaks that are the highest in their neighbourhood. Properties are differentiable.

    Differs from SciPy: `size`; float32 stays float32; of equal peaks that are too close, SciPy may
    choose any.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import find_peaks
    >>> x = np.asarray([0.0, 2.0, 1.0, 3.0, 3.0, 0.0, 1.0, 0.0])
    >>> peaks, properties = find_peaks(x, height=1.5)
    >>> peaks
    array([1, 3])
    >>> properties["peak_heights"]
    array([2., 3.])
    >>> find_peaks(x, size=4)[0]
    array([ 1,  3,  6, -1])
    """
    function = "find_peaks"
    signal = _signal(function, x, size)
    if distance is not None and not 1 <= number(function, "distance", distance) < math.inf:
        raise ArgumentError(f"{function}: distance must be at least 1 and finite, got {distance!r}")
    if prominence is not None or width is not None:
        window = _window(function, wlen)
    else:
        window = -1
    if size is not None:
        size = integer(function, "size", size)
    asked = {
        "plateau_size": plateau_size,
        "height": height,
        "threshold": threshold,
        "prominence": prominence,
        "width": width,
    }
    bounds = [(n, _bounds(function, n, signal, v)) for n, v in asked.items() if v is not None]
    near = None if distance is None else math.ceil(number(function, "distance", distance))
    share = _relative(function, rel_height)
    return _find_peaks(signal, tuple(bounds), near, window, share, size)


@public
def peak_prominences(x: A, peaks: A | Numbers, wlen: float | None = None) -> tuple[A, A, A]:
    """Compute the prominences of peaks: how far they rise above their surroundings.

    Parameters
    ----------
    x : array, shape (..., n)
        Real signals.
    peaks : array of int, shape (..., peaks)
        Indices; leading dimensions are those of `x`.
    wlen : number, optional
        The number of samples around a peak to search, rounded up to an odd number. Default: all.

    Returns
    -------
    prominences : array, shape (..., peaks)
        Height above the higher base. The bases are the lowest points on both sides between the peak
        and a higher value.
    left_bases, right_bases : array of int
        The indices of the bases; of equal values the nearest.

    Raises
    ------
    ShapeError
        If there are no dimensions, or leading dimensions differ.
    DtypeError
        If `x` isn't real, or indices aren't integers.
    ArgumentError
        If `wlen` isn't above 1, or an index is out of range (checked only if values are available).

    Warns
    -----
    PeakPropertyWarning
        If a prominence is 0 (checked only if values are available).

    Notes
    -----
    O(n log n) for all peaks. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import peak_prominences
    >>> x = np.asarray([0.0, 2.0, 1.0, 3.0, 0.5, 1.0, 0.0])
    >>> peak_prominences(x, np.asarray([1, 3, 5]))
    (array([1. , 3. , 0.5]), array([0, 0, 4]), array([2, 6, 6]))
    """
    function = "peak_prominences"
    signal, places = _with_peaks(function, x, peaks)
    found = _peak_prominences(signal, places, _window(function, wlen))
    _warn_of_zeros(found[0], "prominence")
    return found


@public
def peak_widths(
    x: A,
    peaks: A | Numbers,
    rel_height: float = 0.5,
    prominence_data: Any = None,
    wlen: float | None = None,
) -> tuple[A, A, A, A]:
    """Measure the widths of peaks at a height that depends on their prominence.

    Parameters
    ----------
    x : array, shape (..., n)
        Real signals.
    peaks : array of int, shape (..., peaks)
        As for `peak_prominences`.
    rel_height : float, optional
        The distance below the peak, relative to the prominence: 0.5 for half, 1 for the base.
    prominence_data : tuple of three arrays, optional
        The result of `peak_prominences`. Default: computed here.
    wlen : number, optional
        As for `peak_prominences`.

    Returns
    -------
    widths : array, shape (..., peaks)
        The widths, in samples.
    width_heights : array
        The heights at which widths were measured.
    left_ips, right_ips : array
        The positions at which the signal crosses that height, linearly interpolated.

    Raises
    ------
    ShapeError, DtypeError
        As for `peak_prominences`, and if arrays of prominences don't have the shape of `peaks`.
    ArgumentError
        As for `peak_prominences`; if `rel_height` is negative; if `prominence_data` don't belong to
        these peaks.

    Warns
    -----
    PeakPropertyWarning
        If a width is 0 (checked only if values are available).

    Notes
    -----
    O(n log n) for all peaks. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import peak_widths
    >>> x = np.asarray([0.0, 2.0, 1.0, 3.0, 0.5, 1.0, 0.0])
    >>> peak_widths(x, np.asarray([3]))[0]
    array([1.35])
    """
    function = "peak_widths"
    signal, places = _with_peaks(function, x, peaks)
    share = _relative(function, rel_height)
    if prominence_data is None:
        found = _peak_prominences(signal, places, _window(function, wlen))
    else:
        found = _given(function, signal, places, prominence_data)
    widths = _peak_widths(signal, places, share, found)
    _warn_of_zeros(widths[0], "width")
    return widths


# -- checks ----------------------------------------------------------------------------------------


def _signal(function: str, x: Any, size: Any) -> Any:
    xp = array_namespace(x)
    (signal,) = _plan.common_floating(function, xp, ("x",), x, real=True)
    if signal.ndim != 1 and (size is None or signal.ndim == 0):
        raise ShapeError(
            f"{function}: x must be a 1-D array, got shape {tuple(signal.shape)}. With size=, "
            "leading dimensions are a batch."
        )
    return signal


def _with_peaks(function: str, x: Any, peaks: Any) -> tuple[Any, Any]:
    xp = array_namespace(x, peaks)
    x = _plan.beside_blocks(xp, x)
    (signal,) = _plan.common_floating(function, xp, ("x",), x, real=True)
    if signal.ndim == 0:
        raise ShapeError(f"{function}: x must be at least a 1-D array, got shape ()")
    if not is_neutral(peaks) and 0 in peaks.shape:  # empty arrays have no kind of their own
        peaks = xp.zeros(peaks.shape, dtype=index_dtype(xp, signal), device=device(signal))
    places = integers(function, "peaks", xp, peaks, device(signal))
    if places.ndim != signal.ndim or places.shape[:-1] != signal.shape[:-1]:
        raise ShapeError(
            f"{function}: peaks must be a 1-D array, or of the leading dimensions of x, got shapes "
            f"{tuple(places.shape)} and {tuple(signal.shape)}"
        )
    if is_concrete(places) and bool(xp.any((places < 0) | (places >= signal.shape[-1]))):
        raise ArgumentError(
            f"{function}: peaks must lie from 0 to {signal.shape[-1] - 1}, got some that are not "
            "valid for x"
        )
    return signal, places


def _window(function: str, wlen: Any) -> int:
    if wlen is None:
        return -1
    found = number(function, "wlen", wlen)
    if not found > 1:
        raise ArgumentError(f"{function}: wlen must be larger than 1, got {wlen!r}")
    return math.ceil(min(found, 2.0**62))


def _relative(function: str, rel_height: Any) -> float:
    found = number(function, "rel_height", rel_height)
    if not found >= 0:
        raise ArgumentError(
            f"{function}: rel_height must be greater or equal to 0, got {rel_height!r}"
        )
    return found


def _bounds(function: str, name: str, x: Any, interval: Any) -> tuple[Any, Any]:
    """Return the least and the greatest value: None, numbers, or arrays as long as the signal."""
    shape = getattr(interval, "shape", None)
    pair = tuple(shape) == (2,) if shape is not None else isinstance(interval, tuple | list)
    if pair and (shape is not None or len(interval) == 2):
        low, high = interval[0], interval[1]
    else:
        low, high = interval, None
    found = []
    for side, bound in (("lower", low), ("upper", high)):
        if bound is None or isinstance(bound, int | float):
            kind = float if isinstance(bound, float) else int  # NumPy's and booleans, too
            found.append(None if bound is None else kind(bound))
            continue
        xp = array_namespace(x, bound)
        (value,) = _plan.compared(function, xp, (name,), bound, real=True, floating=True)
        if value.ndim == 0:
            value = xp.broadcast_to(value, x.shape)
        if value.ndim > x.ndim or value.shape[-1] != x.shape[-1]:
            raise ShapeError(
                f"{function}: array size of {side} interval border of {name} must match x, "
                f"{x.shape[-1]}, got shape {tuple(value.shape)}"
            )
        found.append(value)
    return found[0], found[1]


def _given(function: str, x: Any, peaks: Any, data: Any) -> tuple[Any, Any, Any]:
    xp, where = array_namespace(x), device(x)
    prominences, left, right = data
    (high,) = _plan.common_floating(function, xp, ("prominence_data",), prominences, real=True)
    high = xp.astype(high, x.dtype)
    low = [integers(function, "prominence_data", xp, b, where) for b in (left, right)]
    if any(b.shape != peaks.shape for b in (high, *low)):
        raise ShapeError(
            f"{function}: arrays in prominence_data must have the same shape as peaks, "
            f"{tuple(peaks.shape)}, got {[tuple(b.shape) for b in (high, *low)]}"
        )
    wrong = (low[0] < 0) | (low[0] > peaks) | (low[1] < peaks) | (low[1] >= x.shape[-1])
    if is_concrete(wrong) and bool(xp.any(wrong)):
        raise ArgumentError(
            f"{function}: prominence data is invalid for peaks: bases must lie around them, in x"
        )
    return high, low[0], low[1]


# -- work ------------------------------------------------------------------------------------------


def _plain(*args: Any) -> bool:
    """One signal in double precision."""
    x = args[0]
    return bool(x.ndim == 1 and x.dtype == array_namespace(x).float64)


@native(numpy="likewise._libs.numpy._peaks:peak_prominences", when=_plain)
def _peak_prominences(x: Any, peaks: Any, wlen: int) -> tuple[Any, Any, Any]:
    return _prominences(x, peaks, wlen)


@native(numpy="likewise._libs.numpy._peaks:peak_widths", when=_plain)
def _peak_widths(x: Any, peaks: Any, rel_height: float, data: Any) -> tuple[Any, Any, Any, Any]:
    return _widths(x, peaks, rel_height, data)


@native(numpy="likewise._libs.numpy._peaks:find_peaks", when=_plain)
def _find_peaks(x: Any, asked: Any, near: Any, wlen: int, rel_height: float, size: Any) -> Any:
    if size is None and not is_concrete(x):
        raise ArgumentError(
            "find_peaks: size is needed where values can't be looked at, of a " + describe(x)
        )
    found, bounds = _Found(x, size), dict(asked)
    if "plateau_size" in bounds:
        left, right = found.more.pop("left_edges"), found.more.pop("right_edges")
        found.properties = {
            "plateau_sizes": right - left + 1,
            "left_edges": left,
            "right_edges": right,
        }
        found.keep(found.within("plateau_sizes", bounds["plateau_size"]))
    found.more = {}
    if "height" in bounds:
        found.properties["peak_heights"] = found.at(x)
        found.keep(found.within("peak_heights", bounds["height"]))
    if "threshold" in bounds:
        found.keep(_steep(found, *map(found.bound, bounds["threshold"])))
    if near is not None:
        found.keep(_apart(found, near))
    if "prominence" in bounds or "width" in bounds:
        data = _prominences(x, found.peaks, wlen)
        names = ("prominences", "left_bases", "right_bases")
        found.properties |= dict(zip(names, data, strict=True))
    if "prominence" in bounds:
        found.keep(found.within("prominences", bounds["prominence"]))
    if "width" in bounds:
        widths = _widths(x, found.peaks, rel_height, [found.properties[n] for n in names])
        of_width = ("widths", "width_heights", "left_ips", "right_ips")
        found.properties |= dict(zip(of_width, widths, strict=True))
        found.keep(found.within("widths", bounds["width"]))
    peaks, properties = found.result()
    for what in ("prominence", "width"):
        if f"{what}s" in properties:
            _warn_of_zeros(properties[f"{what}s"], what)
    return peaks, properties


class _Found:
    """Hold candidates: without `size` the remaining ones, else all, and which remain."""

    def __init__(self, x: Any, size: int | None) -> None:
        self.xp, self.x, self.size = array_namespace(x), x, size
        self.properties: dict[str, Any] = {}
        xp, n = self.xp, x.shape[-1]
        self.dtype = index_dtype(xp, x)
        if n < 3:
            self.peaks = xp.zeros((*x.shape[:-1], 0), dtype=self.dtype, device=device(x))
            self.left = xp.zeros(self.peaks.shape, dtype=xp.bool, device=device(x))
            self.more = {"left_edges": self.peaks, "right_edges": self.peaks}
            return
        flat = x[..., 1:] == x[..., :-1]
        if size is None and is_concrete(flat) and not bool(xp.any(flat)):
            inner = x[1:-1]
            self.peaks = self._first((inner > x[:-2]) & (inner > x[2:]), n) + 1
            self.left = xp.ones(self.peaks.shape, dtype=xp.bool, device=device(x))
            self.more = {"left_edges": self.peaks, "right_edges": self.peaks}
            return
        edge = xp.ones_like(x[..., :1], dtype=xp.bool)
        begins = xp.concat((edge, ~flat), axis=-1)
        starts = self._first(begins, n)
        beyond = xp.full_like(starts[..., :1], n)
        ends = xp.concat((starts[..., 1:], beyond), axis=-1)[..., : starts.shape[-1]] - 1
        there = (starts > 0) & (ends < n - 1)
        starts, ends = xp.where(there, starts, 1 + 0 * starts), xp.where(there, ends, 0 * ends)
        top = xp.take_along_axis(x, starts, axis=-1)
        there = there & (xp.take_along_axis(x, starts - 1, axis=-1) < top)
        there = there & (xp.take_along_axis(x, ends + 1, axis=-1) < top)
        self.peaks, self.left = (starts + ends) // 2, there
        self.more = {"left_edges": starts, "right_edges": ends}
        self._compress(max((n - 1) // 2, 0))

    def _first(self, mask: Any, count: int) -> Any:
        """Return the indices of true elements: all, or the first ones padded with the size."""
        xp, n = self.xp, mask.shape[-1]
        if self.size is None:
            return xp.astype(flatnonzero(mask), self.dtype, copy=False)
        every = xp.arange(n, dtype=self.dtype, device=device(mask))
        places = xp.sort(xp.where(mask, every, xp.full_like(every, n)), axis=-1)
        if count > n:
            more = xp.full((*mask.shape[:-1], count - n), n, dtype=self.dtype, device=device(mask))
            places = xp.concat((places, more), axis=-1)
        return places[..., :count]

    def _compress(self, count: int) -> None:
        """Return the remaining ones, or `count` of them."""
        xp, n = self.xp, self.left.shape[-1]
        chosen = self._first(self.left, count)
        self.left = chosen < n
        chosen = xp.where(self.left, chosen, xp.zeros_like(chosen)) if n else chosen

        def taken(values: Any) -> Any:
            if n == 0:
                return xp.zeros(chosen.shape, dtype=values.dtype, device=device(values))
            return xp.take_along_axis(values, chosen, axis=-1)

        self.peaks = taken(self.peaks)
        self.properties = {k: taken(v) for k, v in self.properties.items()}
        self.more = {k: taken(v) for k, v in self.more.items()}

    def at(self, x: Any, shift: int = 0) -> Any:
        if not x.shape[-1]:
            return self.xp.zeros(self.peaks.shape, dtype=x.dtype, device=device(x))
        return self.xp.take_along_axis(x, self.peaks + shift, axis=-1)

    def bound(self, value: Any) -> Any:
        """Return a number, None, or an array's elements at the peaks."""
        if not hasattr(value, "ndim"):
            return value
        return self.at(self.xp.broadcast_to(value, self.x.shape))

    def within(self, name: str, bounds: Any) -> Any:
        """Tell where a property lies within bounds."""
        values, (low, high) = self.properties[name], map(self.bound, bounds)
        if any(isinstance(b, float) or hasattr(b, "dtype") for b in (low, high)):
            values = self.xp.astype(values, self.x.dtype)  # sizes of tops are integers
        fine = self.left if low is None else low <= values
        return fine if high is None else fine & (values <= high)

    def keep(self, mask: Any) -> None:
        self.left = self.left & mask
        if self.size is None:
            self._compress(0)

    def result(self) -> tuple[Any, dict[str, Any]]:
        if self.size is None:
            return self.peaks, self.properties
        xp = self.xp
        self._compress(self.size)

        def filled(values: Any) -> Any:
            whole = xp.isdtype(values.dtype, "integral")
            return xp.where(self.left, values, xp.full_like(values, -1 if whole else float("nan")))

        return filled(self.peaks), {k: filled(v) for k, v in self.properties.items()}


def _steep(found: _Found, low: Any, high: Any) -> Any:
    xp, top = found.xp, found.at(found.x)
    inner = min(found.x.shape[-1], 2) - 1  # no peak is the first or the last
    left, right = top - found.at(found.x, -inner), top - found.at(found.x, inner)
    found.properties |= {"left_thresholds": left, "right_thresholds": right}
    fine = found.left if low is None else low <= xp.minimum(left, right)
    return fine if high is None else fine & (xp.maximum(left, right) <= high)


def _apart(found: _Found, near: int) -> Any:
    """Tell which peaks remain if the highest drops those that are too near, then the next highest.

    Each round accepts all peaks that are the highest undecided ones in their neighbourhood.
    """
    xp, x, n = found.xp, found.x, found.x.shape[-1]
    if not found.peaks.shape[-1]:
        return found.left
    every = xp.arange(n + 1, dtype=found.dtype, device=device(x))
    places = xp.where(found.left, found.peaks, xp.full_like(found.peaks, n))
    nothing = xp.zeros_like(xp.broadcast_to(every, (*x.shape[:-1], n + 1)))
    live = put_along_axis(nothing, places, xp.ones_like(places), axis=-1)[..., :n] > 0
    order = xp.argsort(xp.where(live, x, xp.full_like(x, -float("inf"))), axis=-1, stable=True)
    ranks = xp.argsort(order, axis=-1)
    ranks = xp.astype(ranks, found.dtype)

    def step(state: Any) -> Any:
        live, kept = state
        here = xp.where(live, ranks, xp.full_like(ranks, -1))
        new = live & (here == near_maximum(here, near - 1, -1))
        reached = near_maximum(xp.astype(new, found.dtype), near - 1, 0) > 0
        return live & ~reached, kept | new

    kept = while_loop(lambda s: xp.any(s[0]), step, (live, xp.zeros_like(live)))[1]
    return found.left & found.at(kept)


def _warn_of_zeros(x: Any, what: str) -> None:
    if is_concrete(x) and not bool(array_namespace(x).all(x)):
        warnings.warn(f"some peaks have a {what} of 0", PeakPropertyWarning, stacklevel=_level())


def _prominences(x: Any, peaks: Any, wlen: int) -> tuple[Any, Any, Any]:
    xp, n = array_namespace(x, peaks), x.shape[-1]
    peaks = xp.asarray(peaks)  # it meets what follows x
    if 0 in (n, peaks.shape[-1]):
        nothing = xp.zeros(peaks.shape, dtype=x.dtype, device=device(x))
        return nothing, peaks, peaks
    half = min(wlen // 2, n) if wlen >= 2 else n
    mirrored = n - 1 - peaks
    left, left_bases = bases(x, peaks, xp.maximum(peaks - half, xp.zeros_like(peaks)))
    least = xp.maximum(mirrored - half, xp.zeros_like(peaks))
    right, right_bases = bases(xp.flip(x, axis=-1), mirrored, least)
    height = xp.take_along_axis(x, peaks, axis=-1)
    return height - xp.maximum(left, right), left_bases, n - 1 - right_bases


def _widths(x: Any, peaks: Any, rel_height: float, data: Any) -> tuple[Any, Any, Any, Any]:
    xp, n = array_namespace(x, peaks), x.shape[-1]
    peaks, prominences, left_bases, right_bases = map(xp.asarray, (peaks, *data))
    if 0 in (n, peaks.shape[-1]):
        return (prominences,) * 4
    height = xp.take_along_axis(x, peaks, axis=-1) - prominences * rel_height
    left, rest = crossings(x, peaks, left_bases, height)
    left_ips = xp.astype(left, x.dtype) + rest
    right, rest = crossings(xp.flip(x, axis=-1), n - 1 - peaks, n - 1 - right_bases, height)
    right_ips = xp.astype(n - 1 - right, x.dtype) - rest
    return right_ips - left_ips, height, left_ips, right_ips
