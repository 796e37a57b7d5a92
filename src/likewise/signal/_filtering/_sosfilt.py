"""Filtering by second-order sections along an axis."""

import functools
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, Made, lines, native, public
from ...errors import ArgumentError, ShapeError
from .._base._places import wide, working
from .._base._recursions import (
    asked,
    axis_of,
    carried,
    cast,
    joined,
    lanes,
    pieces,
    split,
    unlaned,
    values,
)
from ._blocks import SAMPLES, run
from ._section_blocks import Form, exact, followed, longest

__all__ = [
    "by_sections",
    "cascaded",
    "cascaded_along",
    "check_leading",
    "sections_of",
    "sosfilt",
    "sosfilt_zi",
]


@public
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter along an axis by second-order sections.

    Parameters
    ----------
    sos : array, shape (sections, 6)
        Numerators and denominators; the denominators' first coefficients, ``sos[:, 3]``, must be
        one. It may be a NumPy array if `x` belongs to another library: it is copied to its device.
    x : array
        Real or complex signals; all other dimensions are a batch.
    axis : int, optional
        The axis to filter along.
    zi : array, optional
        Initial states: the shape of `x` with 2 along the axis, after a first dimension of sections.
        Default: zeros.

    Returns
    -------
    y : array
        The filtered signals, of the shape of `x` and the common floating dtype.
    zf : array
        The final states, with the shape of `zi`; only with `zi`.

    Raises
    ------
    ShapeError
        If a shape or the axis doesn't fit.
    ArgumentError
        If ``sos[:, 3]`` isn't one (checked only if values are available).
    NotSupported
        If all arguments are integers or booleans.
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Uses a transposed direct form (A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal
    Processing, 3rd ed., section 6.3.4), and processes some 64 samples at once by products with
    matrices of the whole cascade: O(n (64 + 6 sections)) operations. For coefficients with values,
    the matrices are exact to their last digits, computed on the host, and cached. Differentiable in
    all arguments.

    Differs from SciPy: after a NaN or an infinity, all results are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import butter, sosfilt
    >>> sosfilt(butter(2, 0.5, output="sos"), np.ones(4)).round(6)
    array([0.292893, 0.87868 , 1.12132 , 1.020815])
    """
    sos, zi = beside(x, sos, zi)
    xp = array_namespace(sos, x, zi)
    names = ("sos", "x") if zi is None else ("sos", "x", "zi")
    sos, x, *rest = asked("sosfilt", xp, names, *((sos, x) if zi is None else (sos, x, zi)))
    sos = sections_of("sosfilt", xp, sos)
    axis = axis_of("sosfilt", x, axis)
    expected = (sos.shape[0], *x.shape[:axis], 2, *x.shape[axis + 1 :])
    if zi is None:
        if len(pieces(x, axis)) == 1:
            return by_sections("sosfilt", _sosfilt, sos, x, axis)
        none = xp.zeros_like(x[(slice(None),) * axis + (slice(1),)])  # in the parts of the batch
        none = xp.broadcast_to(none[None, ...], expected)
        return by_sections("sosfilt", cascaded_along, sos, x, axis, none)[0]
    if tuple(rest[0].shape) != expected:
        raise ShapeError(
            f"sosfilt: zi must have the shape {expected}, for {sos.shape[0]} sections and x "
            f"of shape {tuple(x.shape)} along axis {axis}, got {tuple(rest[0].shape)}"
        )
    return by_sections("sosfilt", cascaded_along, sos, x, axis, rest[0])


def by_sections(function: str, call: Callable[..., Any], sos: Any, *args: Any) -> Any:
    """Return the result of a call with sections; SciPy's routine takes their rows separately."""
    try:
        return call(sos, *args)
    except ValueError:  # of a routine; the error is ours
        check_leading(function, sos)
    xp = array_namespace(sos)
    return call(xp.reshape(xp.reshape(sos, (-1,)), sos.shape), *args)


def sections_of(function: str, xp: Any, sos: Any) -> Any:
    if sos.ndim == 1:
        sos = xp.reshape(sos, (1, sos.shape[0]))
    if sos.ndim != 2 or sos.shape[-1] != 6:
        raise ShapeError(
            f"{function}: sos must have the shape (sections, 6), got {tuple(sos.shape)}"
        )
    return sos


def check_leading(function: str, sos: Any) -> None:
    if is_concrete(sos) and not bool(array_namespace(sos).all(sos[:, 3] == 1)):
        raise ArgumentError(f"{function}: sos[:, 3] must be all ones. Divide each row by it.")


def _some(sos: Any, x: Any, axis: int, *zi: Any) -> bool:
    """untraced signals that aren't empty (SciPy refuses empty ones)."""
    if 0 in x.shape or 0 in sos.shape:
        return False
    return all(type(v) is type(sos) for v in (x, *zi))


def _in_blocks(sos: Any, x: Any, axis: int, zi: Any = None) -> Lines:
    signals = lines(x.ndim, axis)
    y = Made(x.shape, signals, x.dtype)
    if zi is None:
        return Lines({1: signals}, y)
    states = (None, *signals)
    return Lines({1: signals, 3: states}, [y, Made(zi.shape, states, x.dtype)])


@native(numpy="scipy.signal:sosfilt", torch="scipy.signal:sosfilt", when=_some, blocks=_in_blocks)
def _sosfilt(sos: Any, x: Any, axis: int) -> Any:
    xp, rows = array_namespace(sos, x), lanes(x, axis)
    z = xp.zeros((rows.shape[0], sos.shape[0], 2), dtype=x.dtype, device=device(x))
    return unlaned(cascaded(sos, rows, z)[0], x.shape, axis)


def cascaded_along(sos: Any, x: Any, axis: int, zi: Any) -> Any:
    """Filter from states; the parts of signals that come in parts one after the other."""
    if len(pieces(x, axis)) == 1:
        return _sosfilt_from(sos, x, axis, zi)
    return carried(lambda part, z: _sosfilt_from(sos, part, axis, z), x, axis, zi)


@native(numpy="scipy.signal:sosfilt", when=_some, blocks=_in_blocks)
def _sosfilt_from(sos: Any, x: Any, axis: int, zi: Any) -> tuple[Any, Any]:
    xp, rows = array_namespace(sos, x, zi), lanes(x, axis)
    ends = (-2, -1)
    z = xp.moveaxis(zi, (0, axis + 1), ends)
    shape = z.shape
    y, z = cascaded(sos, rows, xp.reshape(z, (rows.shape[0], sos.shape[0], 2)))
    return unlaned(y, x.shape, axis), xp.moveaxis(xp.reshape(z, shape), ends, (0, axis + 1))


def cascaded(sos: Any, x: Any, z: Any) -> tuple[Any, Any]:
    """Filter rows, (channels, n), from states, (channels, sections, 2), and return both."""
    check_leading("sosfilt", sos)
    xp = array_namespace(sos, x)
    if 0 in x.shape or not sos.shape[0]:
        return x, z
    known = values(sos)
    apart = known is not None and _plan.is_complex(xp, x.dtype)
    if apart:
        x, z = split(x), split(z)
    block, form, most = _matrices(sos, known, x)
    y, after = run(x, form.of(z), block, most)
    z = form.back(after)
    return (joined(y), joined(z)) if apart else (y, z)


def _matrices(sos: Any, known: Any, like: Any) -> tuple[Any, Form, int]:
    """Return a function for blocks of n samples, the form of states, and the largest n."""
    if known is not None:
        rows = tuple(tuple(row) for row in known[:, [0, 1, 2, 4, 5]].tolist())
        most = longest(rows)
        return (lambda n: cast(exact(rows, n)[0], like)), cast(exact(rows, 1)[1], like), most
    xp = array_namespace(sos, like)
    sos = wide(xp, sos)
    made, form = followed(sos[:, :3], sos[:, 4:], min(SAMPLES, like.shape[-1]))
    narrow = functools.partial(_narrow, like)
    return (lambda n: narrow(made(n))), narrow(form), SAMPLES


def _narrow(like: Any, made: Any) -> Any:
    """Return arrays, in a tuple, in the precision of signals."""
    xp = array_namespace(like, *made)
    return type(made)(*(m if m.dtype == like.dtype else xp.astype(m, like.dtype) for m in made))


@public
def sosfilt_zi(sos: Any) -> Any:
    """Return the steady states of sections for a step of ones.

    Parameters
    ----------
    sos : array, shape (sections, 6)
        As for `sosfilt`.

    Returns
    -------
    array, shape (sections, 2)
        The states, with the library, device and precision of `sos`. Multiply them by the first
        sample to start `sosfilt` without a transient.

    Raises
    ------
    ShapeError
        If `sos` has a wrong shape.
    ArrayTypeError, DtypeError
        If it is not an array of numbers.

    Notes
    -----
    Uses closed forms for each section, scaled by the gains of the previous sections at frequency
    zero. Differentiable. A section with a pole at one has no such state, and gives infinity or NaN.

    Examples
    --------
    >>> from likewise.signal import butter, sosfilt_zi
    >>> sosfilt_zi(butter(2, 0.5, output="sos")).round(6)
    array([[0.707107, 0.12132 ]])
    """
    work = working("sosfilt_zi", sos=sos)
    xp, sos = work.xp, work.arrays[0]
    if sos.ndim != 2 or sos.shape[-1] != 6:
        raise ShapeError(
            f"sosfilt_zi: sos must have the shape (sections, 6), got {tuple(sos.shape)}"
        )
    out: list[Any] = []
    scale: Any = 1.0
    for k in range(sos.shape[0]):
        b, a = sos[k, :3] / sos[k, 3], sos[k, 3:] / sos[k, 3]
        gain = xp.sum(b) / xp.sum(a)
        # The last state is b2 - a2 y, and the first b1 - a1 y and the last.
        second = b[2] - a[2] * gain
        out.append(scale * xp.stack((b[1] - a[1] * gain + second, second)))
        scale = scale * gain
    return work.give(xp.stack(out) if out else xp.zeros_like(sos[:, :2]))
