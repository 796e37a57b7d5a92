"""Integrals of samples: Simpson's rule up to each of them, Romberg's method."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete, is_neutral
from .._native import native, public
from .._typing import A
from ..errors import ArgumentError, IntegerError, ShapeError
from ..missing import cumulative_trapezoid, simpson, trapezoid

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "romb", "simpson", "trapezoid"]


def _one_axis(function: str, axis: Any, ndim: int) -> int:
    if not hasattr(axis, "__index__"):
        raise IntegerError(f"{function}: axis must be an integer, got {axis!r}")
    (a,) = _plan.axis_tuple(function, "axis", axis, ndim)
    return a


def _moved(x: Any, source: int, target: int) -> Any:
    # torch.func has a rule for moveaxis of several axes only.
    return array_namespace(x).moveaxis(x, (source,), (target,)) if x.ndim > 1 else x


@public
def cumulative_simpson(
    y: A, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> A:
    """Integrate samples by Simpson's rule, up to each of them.

    Parameters
    ----------
    y : array
        Samples, real or complex, at least one along the axis.
    x : array, optional
        The coordinates of the samples, strictly increasing: of one dimension, or of the shape of
        `y`.
    dx : number or array, optional
        The distance between samples, if `x` isn't given; an array broadcasts with `y` and has one
        element along the axis.
    axis : int, optional
        The axis to integrate along.
    initial : number or array, optional
        What the results begin with, and is added to all of them; an array has one element along
        the axis.

    Returns
    -------
    array
        The integrals, one fewer along the axis than samples, unless `initial` is given.

    Raises
    ------
    ShapeError
        If `x`, `dx` or `initial` doesn't fit `y`, there are no samples, or no such axis.
    IntegerError
        If the axis is not an integer.
    ArgumentError
        If `x` doesn't increase.

    Notes
    -----
    Each interval is integrated by the parabola through its ends and a neighbour: the next sample
    where its place is even, the one before where it is odd or the last (K. V. Cartwright, J. Math.
    Sci. Math. Educ. 9, 2016). Of less than three samples, the trapezoidal rule. A few passes;
    differentiable in `y`, `x`, `dx` and `initial`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import cumulative_simpson
    >>> cumulative_simpson(np.asarray([0.0, 1.0, 4.0, 9.0]), initial=0).round(12)
    array([0.        , 0.33333333, 2.66666667, 9.        ])
    """
    name = "cumulative_simpson"
    given: dict[str, Any] = {"y": y, "x": x, "dx": dx, "initial": initial}
    names = [n for n, v in given.items() if v is not None and (n in "yx" or not is_neutral(v))]
    xp = array_namespace(*(given[n] for n in names))
    arrays = _plan.common_floating(name, xp, tuple(names), *(given[n] for n in names))
    given |= dict(zip(names, arrays, strict=True))
    y = given["y"]
    a = _one_axis(name, axis, y.ndim)
    n = y.shape[a]
    if n == 0:
        raise ShapeError(f"{name}: y must have a sample along the axis, but has none")
    at = given["x"]
    if at is not None:
        if tuple(at.shape) not in ((n,), tuple(y.shape)):
            raise ShapeError(
                f"{name}: x must have the shape of y, {tuple(y.shape)}, or of its axis, ({n},), "
                f"got {tuple(at.shape)}"
            )
        at = _moved(at, a, -1) if at.ndim > 1 else at
        steps = at[..., 1:] - at[..., :-1]
        if is_concrete(steps) and bool(xp.any(steps <= 0)):
            raise ArgumentError(f"{name}: x must be strictly increasing: sort it, with y in order")
        given["dx"] = steps
    return _cumulative_simpson(y, given["dx"], a, given["initial"], at is None)


@native()
def _cumulative_simpson(y: Any, d: Any, axis: int, initial: Any, equal: bool) -> Any:
    """`d` is moved already if the steps are not `equal`."""
    xp = array_namespace(y)
    s = _moved(y, axis, -1)
    one = (*s.shape[:-1], 1)
    if equal and hasattr(d, "ndim") and d.ndim:
        d = xp.broadcast_to(_like(xp, d, y.ndim, axis, "dx"), one)
    n = s.shape[-1]
    if n < 3:
        parts = d * (s[..., 1:] + s[..., :-1]) / 2
    elif equal:
        y0, y1, y2 = s[..., :-2], s[..., 1:-1], s[..., 2:]
        parts = _woven(xp, d / 12 * (5 * y0 + 8 * y1 - y2), d / 12 * (5 * y2 + 8 * y1 - y0))
    else:
        parts = _woven(
            xp, _first(s, d), xp.flip(_first(xp.flip(s, axis=-1), xp.flip(d, axis=-1)), axis=-1)
        )
    out = xp.cumulative_sum(parts, axis=-1)
    if initial is not None:
        if getattr(initial, "ndim", 0):
            initial = xp.broadcast_to(_like(xp, initial, y.ndim, axis, "initial"), one)
        else:
            initial = xp.zeros(one, dtype=out.dtype, device=device(out)) + initial
        out = xp.concat([initial, out + initial], axis=-1)
    return _moved(out, -1, axis)


def _like(xp: Any, value: Any, ndim: int, axis: int, name: str) -> Any:
    """An array with one element along the axis, which is moved to the end."""
    value = xp.reshape(value, (1,) * (ndim - value.ndim) + tuple(value.shape))
    if value.ndim != ndim or value.shape[axis] != 1:
        raise ShapeError(
            f"cumulative_simpson: {name} must be a number, or broadcast with y and have one "
            f"element along the axis, got the shape {tuple(value.shape)}"
        )
    return _moved(value, axis, -1)


def _first(s: Any, d: Any) -> Any:
    """Integrals over the first of two neighbouring intervals, of the parabola through both."""
    h, g = d[..., :-1], d[..., 1:]
    slope, bend = (s[..., 1:-1] - s[..., :-2]) / h, (s[..., 2:] - s[..., 1:-1]) / g
    bend = (bend - slope) / (h + g)
    return h * (s[..., :-2] + h * (slope / 2 - h * bend / 6))


def _woven(xp: Any, first: Any, second: Any) -> Any:
    """Take intervals by turns from what begins and from what ends a pair; the last ends one."""
    n = first.shape[-1]
    even = xp.arange(n, device=device(first)) % 2 == 0
    # Interval i > 0 ends the pair i - 1.
    later = xp.concat([first[..., :1], second[..., :-1]], axis=-1)
    return xp.concat([xp.where(even, first, later), second[..., -1:]], axis=-1)


@public
def romb(y: A, dx: Any = 1.0, axis: int = -1) -> A:
    """Integrate 2**k + 1 equidistant samples by Romberg's method.

    Parameters
    ----------
    y : array
        Samples, real or complex: 2, 3, 5, 9, 17... along the axis.
    dx : number, optional
        The distance between samples.
    axis : int, optional
        The axis to integrate along.

    Returns
    -------
    array
        The integrals, without the axis.

    Raises
    ------
    ShapeError
        If the number of samples is another, or the axis is out of range.
    IntegerError
        If the axis is not an integer.

    Notes
    -----
    Richardson's extrapolation of trapezoidal sums of 1, 2, 4... intervals (W. Romberg, Norske Vid.
    Selsk. Forh. 28, 1955). One pass; differentiable in `y` and `dx`.

    Differs from SciPy: there is no `show`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import romb
    >>> float(romb(np.exp(np.linspace(0, 1, 9)), dx=0.125)).__round__(8)
    1.71828183
    """
    xp = array_namespace(y)
    (s,) = _plan.common_floating("romb", xp, ("y",), y)
    a = _one_axis("romb", axis, s.ndim)
    intervals = s.shape[a] - 1
    if intervals < 1 or intervals & (intervals - 1):
        raise ShapeError(
            f"romb: y must have 2**k + 1 samples along the axis, such as 2, 3, 5, 9, 17, got "
            f"{s.shape[a]}; simpson takes any number"
        )
    return _romb(s, dx.item() if is_neutral(dx) and hasattr(dx, "item") else dx, a)


@native()
def _romb(y: Any, dx: Any, axis: int) -> Any:
    xp = array_namespace(y)
    s = _moved(y, axis, -1)
    k = (s.shape[-1] - 1).bit_length()
    step = s.shape[-1] - 1
    total = (s[..., 0] + s[..., -1]) / 2
    row = [total * step]
    while step > 1:
        total = total + xp.sum(s[..., step // 2 :: step], axis=-1)
        step //= 2
        new = [total * step]
        for i, before in enumerate(row):
            new.append(new[i] + (new[i] - before) / (4 ** (i + 1) - 1))
        row = new
    assert len(row) == k
    return row[-1] * dx
