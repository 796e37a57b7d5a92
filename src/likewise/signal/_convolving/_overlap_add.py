"""Convolution of a long array with a short one, block by block."""

import math
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace
from ..._native import native, public
from ..._typing import A, Numbers
from ...fft import next_fast_len
from ...missing import pad
from ...missing._convolution import extent
from ._convolution import by_transforms, degenerate, in_blocks, plan_convolve

__all__ = ["oaconvolve"]

Mode = Literal["full", "same", "valid"]


@public
def oaconvolve(in1: A, in2: A | Numbers, mode: Mode | str = "full", axes: Any = None) -> A:
    """Convolve a long array with a much shorter one by transforms of blocks.

    Parameters
    ----------
    in1, in2, mode, axes
        As for `fftconvolve`.

    Returns
    -------
    array
        As from `fftconvolve`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, ExtensionMissing
        As for `fftconvolve`.

    Notes
    -----
    Overlap-add (W. H. Press et al., Numerical Recipes, 3rd ed., section 13.1.3): blocks of the
    longer array, of the cheapest length, are convolved separately, and added where they overlap.
    O(n log k) operations for n elements with k; a single block runs `fftconvolve`, with O(n log n).
    A NaN spreads over its blocks. Differentiable.

    Differs from SciPy: as for `fftconvolve`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import oaconvolve
    >>> y = oaconvolve(np.ones(1000), np.asarray([1.0, 0.5]))
    >>> y[:3].round(12), y.shape
    (array([1. , 1.5, 1.5]), (1001,))
    """
    xp = array_namespace(in1, in2)
    in1, in2, axes = plan_convolve("oaconvolve", xp, in1, in2, mode, axes)
    if axes is None:
        return degenerate(xp, in1, in2)
    _plan.extension("oaconvolve", xp, "fft")
    return _oaconvolve(in1, in2, mode, axes)


def _alike(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> bool:
    """axes that don't broadcast, or a mode in which SciPy lets them."""
    rest = [a for a in range(in1.ndim) if a not in axes]
    return mode != "same" or all(in1.shape[a] >= in2.shape[a] for a in rest)


@native(
    numpy="scipy.signal:oaconvolve",
    torch="scipy.signal:oaconvolve",
    when=_alike,
    blocks=in_blocks,
)
def _oaconvolve(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    s1, s2 = in1.shape, in2.shape
    steps = {a: _step(s1[a], s2[a]) for a in axes}
    blocked = sorted([a for a in axes if steps[a]])
    if not blocked:
        return by_transforms(in1, in2, mode, axes)
    xp = array_namespace(in1, in2)
    a, b = in1, in2
    for axis in reversed(blocked):  # each puts a first axis of blocks there, and shifts the rest
        at = axis + len(a.shape) - len(s1)
        long = s1[axis] > s2[axis]
        a = _blocks(xp, a, at, steps[axis]) if long else a[None, ...]
        b = b[None, ...] if long else _blocks(xp, b, at, steps[axis])
    k = len(blocked)
    out = by_transforms(a, b, "full", tuple(axis + k for axis in axes))
    for axis in blocked:
        out = _added(xp, out, axis + k, steps[axis])
        k -= 1
    index = [slice(None)] * len(s1)
    for axis in axes:
        start, size = extent(s1[axis], s2[axis], mode)
        index[axis] = slice(start, start + size)
    return out[tuple(index)]


def _step(n1: int, n2: int) -> int:
    """Return the number of elements of the longer input per block; 0 if one block is best.

    A block of N points has ``N - K`` new ones, with an overlap of K, and costs ``N log2(2 N)``.
    The cost per new point is least at ``N = K (log(2 N) + 1)``, which is solved by iteration.
    """
    long, short = max(n1, n2), min(n1, n2)
    overlap = short - 1
    if overlap == 0 or 2 * short > long:
        return 0
    points = 4.0 * overlap + 4
    for _ in range(20):
        points = overlap * (math.log(2 * points) + 1)
    block = next_fast_len(max(math.ceil(points), 2 * overlap), True)
    return block - overlap if block < long else 0


def _blocks(xp: Any, x: Any, axis: int, step: int) -> Any:
    """(..., n, ...) -> (count, ..., step, ...), with zeros after the end."""
    n = x.shape[axis]
    count = -(-n // step)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, count * step - n)
    shape = (*x.shape[:axis], count, step, *x.shape[axis + 1 :])
    return xp.moveaxis(xp.reshape(pad(x, widths), shape), axis, 0)


def _added(xp: Any, x: Any, axis: int, step: int) -> Any:
    """(count, ..., step + overlap, ...) -> (..., n, ...): each block begins a step later."""
    count, more = x.shape[0], x.shape[axis] - step
    head, tail = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    head[axis], tail[axis] = slice(0, step), slice(step, None)
    after, before = [(0, 0)] * x.ndim, [(0, 0)] * x.ndim
    after[0], before[0], before[axis] = (0, 1), (1, 0), (0, step - more)
    out = pad(x[tuple(head)], after) + pad(x[tuple(tail)], before)
    out = xp.moveaxis(out, 0, axis - 1)
    shape = (*out.shape[: axis - 1], (count + 1) * step, *out.shape[axis + 1 :])
    return xp.reshape(out, shape)
