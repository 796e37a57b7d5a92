"""Resampling by a filter: upsample, filter, downsample."""

import math
from typing import Any, Literal, get_args

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, is_neutral
from ..._native import Lines, along, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from .._base._places import integer

__all__ = ["MODES", "length", "real_number", "timed", "upfirdn", "upfirdn_along"]

Mode = Literal[
    "constant",
    "wrap",
    "edge",
    "smooth",
    "symmetric",
    "reflect",
    "antisymmetric",
    "antireflect",
    "line",
]
MODES = get_args(Mode)
_OF_TWO = ("smooth", "line", "reflect", "antireflect")  # samples


@public
def upfirdn(
    h: A | Numbers,
    x: A | Numbers,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: Mode | str = "constant",
    cval: float = 0,
) -> A:
    """Insert zeros between samples, filter, and keep every `down`-th result.

    Parameters
    ----------
    h : array, shape (m,)
        The filter's coefficients. They may be a NumPy array if `x` belongs to another library: they
        are copied to its device.
    x : array, shape (..., n, ...)
        Samples along `axis`; other dimensions are a batch.
    up, down : int, optional
        `up` - 1 zeros are inserted between samples, and one of `down` results is kept.
    axis : int, optional
        The time axis.
    mode : str, optional
        The samples beyond the ends: 'constant', `cval`; 'edge', the last sample; 'wrap', samples
        from the other end; 'reflect' and 'symmetric', the mirror image without and with the last
        sample; 'antireflect' and 'antisymmetric', the same with opposite sign, around the last
        sample and around 0; 'smooth', a line through the last two samples; 'line', a line through
        the first and the last sample. A single sample is repeated in modes that need two.
    cval : float, optional
        The value for 'constant'.

    Returns
    -------
    array
        ``((n - 1) * up + m - 1) // down + 1`` results along the axis, in the common floating dtype.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not numeric arrays of one library and device.
    ShapeError
        If `h` isn't a sequence, `h` or the axis is empty, or there is no such axis.
    ArgumentError
        If `up` or `down` is not an integer of at least 1, `cval` is not a number, or the mode is
        unknown.

    Notes
    -----
    Uses a polyphase filter (P. P. Vaidyanathan, Multirate Systems and Filter Banks, 1993, figure
    4.3-8d), which skips the zeros. SciPy's routine takes ``m/up`` products per result. The body
    uses matrix products of blocks of samples with phases of the filter, about ``2 m/up + down/up``;
    a NaN or an infinity then spreads over its blocks. Differentiable in `h` and `x`.

    Differs from SciPy: integers with single-precision arrays become single precision; a single
    sample is repeated in modes in which SciPy reads beyond it.

    Examples
    --------
    >>> from likewise.signal import upfirdn
    >>> upfirdn([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], up=3)
    array([1., 1., 1., 2., 2., 2., 3., 3., 3.])
    >>> upfirdn([0.5, 1.0, 0.5], list(range(10)), up=2, down=3)
    array([0. , 1. , 2.5, 4. , 5.5, 7. , 8.5])
    """
    function = "upfirdn"
    (h,) = beside(x, h)
    xp = array_namespace(h, x)
    _plan.choice(function, "mode", mode, MODES)
    up, down = integer(function, "up", up, 1), integer(function, "down", down, 1)
    value = real_number(function, "cval", cval)
    taps, samples = _plan.common_floating(function, xp, ("h", "x"), h, x)
    if taps.ndim != 1 or 0 in taps.shape:
        raise ShapeError(
            f"upfirdn: h must be a sequence that isn't empty, got shape {tuple(taps.shape)}"
        )
    at = timed(function, samples, axis)
    return upfirdn_along(taps, samples, up, down, at, mode, value)


def timed(function: str, x: Any, axis: Any) -> int:
    """Return the time axis, which must have samples."""
    (at,) = _plan.axis_tuple(function, "axis", axis, x.ndim)
    if x.shape[at] == 0:
        raise ShapeError(
            f"{function}: x must have samples along axis {at}, got shape {tuple(x.shape)}"
        )
    return int(at)


def real_number(function: str, name: str, value: Any) -> Any:
    """Return a Python number."""
    if is_neutral(value) and hasattr(value, "item") and not value.shape:
        value = value.item()
    if not isinstance(value, int | float):
        raise ArgumentError(f"{function}: {name} must be a real number, got {value!r}")
    return value


def length(taps: int, n: int, up: int, down: int) -> int:
    """Return the number of results."""
    return ((n - 1) * up + taps - 1) // down + 1


def _has_neighbours(h: Any, x: Any, up: int, down: int, axis: int, mode: str, cval: float) -> bool:
    """two samples, where SciPy's mode reads two."""
    return bool(x.shape[axis] > 1 or mode not in _OF_TWO)


def _in_blocks(h: Any, x: Any, up: int, down: int, axis: int, *mode: Any) -> Lines:
    return along(x, (axis,), [length(h.shape[0], x.shape[axis], up, down)], place=1)


@native(
    numpy="scipy.signal:upfirdn",
    torch="scipy.signal:upfirdn",
    when=_has_neighbours,
    blocks=_in_blocks,
)
def upfirdn_along(h: Any, x: Any, up: int, down: int, axis: int, mode: str, cval: float) -> Any:
    """Compute results by matrix products of blocks of samples with phases of the filter.

    Result r + s rows is ``sum(h[r down - k up] * x[k + s step])``, with one matrix for all s, if
    ``rows down = step up``. A row of results needs adjacent blocks of `step` samples.
    """
    xp = array_namespace(h, x)
    taps, n = h.shape[0], x.shape[axis]
    results = length(taps, n, up, down)
    rows, step, first, width = _sizes(taps, up, down, results)
    many, blocks = -(-results // rows), -(-width // step)
    size = (many + blocks - 1) * step  # samples from `first` on, zeros behind what is needed
    needed = ((results - 1) * down) // up + 1
    around = _around(xp, xp.moveaxis(x, axis, -1), -first, max(needed - n, 0), mode, cval)
    around = _resized(xp, around, size)
    parts = xp.reshape(around, (*around.shape[:-1], many + blocks - 1, step))
    matrix = _phases(xp, h, up, down, rows, first, blocks * step)
    out = None
    for b in range(blocks):
        term = parts[..., b : b + many, :] @ matrix[b * step : (b + 1) * step, :]
        out = term if out is None else out + term
    out = xp.reshape(out, (*around.shape[:-1], many * rows))[..., :results]
    return xp.moveaxis(out, -1, axis)


def _sizes(taps: int, up: int, down: int, results: int) -> tuple[int, int, int, int]:
    """Return results per row, the step of rows in samples, the first sample, and samples per row.

    A row is long enough for few blocks and for matrix products.
    """
    common = math.gcd(up, down)
    rows, step = up // common, down // common
    reach = (taps - 1) // up + 1
    times = max(1, min(-(-reach // (2 * step)), -(-results // rows)))
    times = max(times, min(-(-8 // max(rows, step)), -(-results // rows)))
    rows, step = rows * times, step * times
    first = -((taps - 1) // up)
    return rows, step, first, ((rows - 1) * down) // up - first + 1


def _phases(xp: Any, h: Any, up: int, down: int, rows: int, first: int, width: int) -> Any:
    """Return the coefficient of sample first + i in result r, as a matrix of i and r."""
    where, taps = device(h), h.shape[0]
    r = xp.arange(rows, device=where)
    k = xp.arange(first, first + width, device=where)
    index = r[None, :] * down - k[:, None] * up
    inside = (index >= 0) & (index < taps)
    index = xp.where(inside, index, xp.zeros_like(index))
    found = xp.reshape(xp.take(h, xp.reshape(index, (-1,)), axis=0), (width, rows))
    return xp.where(inside, found, xp.zeros_like(found))


def _resized(xp: Any, x: Any, size: int) -> Any:
    """Crop an array, or pad it with zeros."""
    n = x.shape[-1]
    if n >= size:
        return x[..., :size]
    zeros = xp.zeros((*x.shape[:-1], size - n), dtype=x.dtype, device=device(x))
    return xp.concat((x, zeros), axis=-1)


def _around(xp: Any, x: Any, before: int, after: int, mode: str, cval: float) -> Any:
    """Return samples including those beyond the ends."""
    n = x.shape[-1]
    parts = [x]
    if before:
        parts.insert(0, _beyond(xp, x, -before, 0, mode, cval))
    if after:
        parts.append(_beyond(xp, x, n, n + after, mode, cval))
    return xp.concat(parts, axis=-1) if len(parts) > 1 else x


def _beyond(xp: Any, x: Any, start: int, stop: int, mode: str, cval: float) -> Any:
    """Return samples start .. stop - 1, before the first or after the last."""
    n, where = x.shape[-1], device(x)
    if mode == "constant":
        return xp.full((*x.shape[:-1], stop - start), cval, dtype=x.dtype, device=where)
    k = xp.arange(start, stop, device=where)
    if mode == "edge" or (n == 1 and mode in _OF_TWO):
        return xp.take(x, xp.clip(k, 0, n - 1), axis=-1)
    if mode in ("smooth", "line"):
        return _on_a_line(xp, x, k, start, mode)
    if mode == "wrap":
        return xp.take(x, k % n, axis=-1)
    if mode in ("symmetric", "antisymmetric"):
        at, last = k % (2 * n), 2 * n - 1
    else:
        at, last = k % (2 * n - 2), 2 * n - 2
    mirrored = at >= n
    found = xp.take(x, xp.where(mirrored, last - at, at), axis=-1)
    if mode == "antisymmetric":
        return xp.where(mirrored, -found, found)
    if mode == "antireflect":  # which goes on with the line through both ends
        turns = xp.astype(k // (2 * n - 2), _real(xp, x))
        end = x[..., -1:]
        found = xp.where(mirrored, 2 * end - found, found)
        return found + 2 * turns * (end - x[..., :1])
    return found


def _on_a_line(xp: Any, x: Any, k: Any, start: int, mode: str) -> Any:
    """Extrapolate from the nearest end, through its neighbour or through the other end."""
    n = x.shape[-1]
    if start < 0:
        end, offset, other = x[..., :1], k, x[..., 1:2] if mode == "smooth" else x[..., -1:]
        slope = other - end
    else:
        end, offset = x[..., -1:], k - (n - 1)
        other = x[..., n - 2 : n - 1] if mode == "smooth" else x[..., :1]
        slope = end - other
    if mode == "line":
        slope = slope / (n - 1)
    return end + slope * xp.astype(offset, _real(xp, x))


def _real(xp: Any, x: Any) -> Any:
    return xp.float32 if x.dtype in (xp.float32, xp.complex64) else xp.float64
