"""Adaptive integrals over boxes of several dimensions."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _plan
from .._creation import xp as default
from .._namespace import array_namespace, device, is_concrete, is_neutral, quiet, scalar
from .._native import public
from ..errors import ArgumentError, ShapeError
from ..solving._following import constants
from ..solving._function import Function
from ..solving._function import arguments as tuple_of
from ..solving._options import count, tolerance
from ..solving._result import result
from ..transforms import stop_gradient
from ._regions import CONVERGED, Boxes, Ranges, Way, cells, integrated, nodes_of, placed, ranges

__all__ = ["CubatureRegion", "CubatureResult", "cubature"]

_RULES = {"gk21": "gk21", "gauss-kronrod": "gk21", "gk15": "gk15", "genz-malik": "genz-malik"}


class CubatureRegion(NamedTuple):
    """Hold the corners of a region, and its part of an integral and of its error."""

    a: Any
    b: Any
    estimate: Any
    error: Any


@result
class CubatureResult:
    """Hold integrals, their errors, and how the search has ended."""

    estimate: Any
    error: Any
    success: Any
    subdivisions: Any
    neval: Any
    lists: Any = dataclasses.field(default=None)  # corners, values and errors of regions

    @property
    def status(self) -> str:
        """'converged' if all integrals have, else 'not_converged'. Reads a value."""
        good = self.success
        every = good if is_neutral(good) else array_namespace(good).all(good)
        return "converged" if bool(every) else "not_converged"

    @property
    def regions(self) -> list[CubatureRegion]:
        """The regions of one integral, with corners in the coordinates of the integrand."""
        if self.lists is None:
            raise ArgumentError(
                "cubature: regions are known of one integral alone: call it for this one"
            )
        return [CubatureRegion(*(v[i, ...] for v in self.lists)) for i in range(_size(self.lists))]

    def __repr__(self) -> str:
        names = ("estimate", "error", "success", "subdivisions", "neval")
        return f"CubatureResult({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


def _size(lists: Any) -> int:
    return int(lists[0].shape[0])


@public
def cubature(
    f: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    rule: str = "gk21",
    rtol: float | None = None,
    atol: float = 0,
    max_subdivisions: int | None = 10000,
    args: Any = (),
    workers: Any = 1,
    points: Any = None,
) -> CubatureResult:
    """Integrate a function of several variables over a box, adaptively, one or many integrals.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, in functions of ``likewise.array_namespace(x)``: `x` holds N
        points of d dimensions, (N, d); the result has their values, (N, ...), real or complex.
    a, b : array, shape (..., d)
        Limits, in any order, infinite ones, too. Leading dimensions are integrals of their own.
    rule : {'gk21', 'gk15', 'gauss-kronrod', 'genz-malik'}, optional
        Products of the rule of Gauss and Kronrod with 21 or 15 nodes; or that of Genz and Malik
        for 2 dimensions or more, with ``2**d + 2 * d * (d + 1) + 1`` nodes.
    rtol, atol : float, optional
        An integral has converged when the estimated error of each value is at most ``atol + rtol *
        abs(estimate)``. Default of `rtol`: 1e-8, in single precision the square root of eps.
    max_subdivisions : int, optional
        The maximum number of regions that are halved. None: no limit, on libraries that compute at
        once. In compiled code lists of so many regions are made.
    args : tuple, optional
        Further arguments of `f`. If the limits have leading dimensions, arrays have these, too
        (or 1), and `f` gets a row for each point, (N, ...).
    workers : optional
        Has no effect: `f` is called with many points.
    points : sequence of arrays, shape (d,), optional
        Points of difficulties, at which the first regions are split.

    Returns
    -------
    CubatureResult
        `estimate` and `error`, arrays of the leading dimensions and those of a value; `success`
        and `status`, 'converged' or 'not_converged'; `subdivisions` and `neval`, the number of
        regions that were halved, and that of points; of one integral `regions`, a list of objects
        with `a`, `b`, `estimate` and `error`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If limits are not real, or arrays not of one library and device.
    ShapeError
        If shapes don't fit, or `f` doesn't return a value for each point.
    ArgumentError
        If `rule` is not one of these, or a tolerance or `max_subdivisions` is negative.

    Notes
    -----
    The region with the largest error is halved across the direction in which the integrand is least
    smooth: by fourth differences for 'genz-malik' (A. C. Genz, A. A. Malik, J. Comput. Appl. Math.
    6, 1980), by differences of the rules else. Errors are the differences of two rules, or if that
    is more the sum of those in each direction; those of 'genz-malik' are doubled, and at least
    of the size that fourth differences tell. Halves have larger errors where they show that the
    error of the whole was larger; with 'genz-malik' also near jumps and kinks, which they may miss:
    of Genz' families in 2 to 5 dimensions, 99 % of smooth functions and of kinks are within the
    estimated error, but 80 to 99 % of those with jumps: give a smaller `rtol` there. All regions
    that have to be halved in any case are halved in one step, of one integral; of several, one of
    each in a step. The range of a variable with an infinite limit is mapped to (0, 1).

    Differentiable with respect to limits, `args` and what `f` closes over, under the integral sign,
    on the regions that were found; for limits `f` must be differentiable in `x`. Costs another
    evaluation on these regions; in compiled code on `max_subdivisions` of them.

    Differs from SciPy: regions are halved in one direction, so `subdivisions` counts more and
    smaller steps; corners of `regions` are in the coordinates of `f`; leading dimensions; no rules
    as objects; `workers` has no effect; an integral that is not finite has not converged.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import cubature
    >>> found = cubature(lambda x: np.exp(-np.sum(x**2, axis=-1)), [-np.inf, 0], [np.inf, 1])
    >>> round(float(found.estimate), 9), found.status
    (1.32371131, 'converged')
    >>> def f(x, c):
    ...     return np.cos(c * x[:, 0]) * x[:, 1]
    >>> c = np.asarray([1.0, 2.0])
    >>> cubature(f, [0, 0], np.ones((2, 2)), args=(c,)).estimate.round(9)
    array([0.42073549, 0.22732436])
    """
    name = "cubature"
    fun = Function(name, "f", f)
    kind = _RULES.get(rule) if isinstance(rule, str) else None
    if kind is None:
        raise ArgumentError(
            f"{name}: rule must be one of 'gk21', 'gk15', 'gauss-kronrod' and 'genz-malik', got "
            f"{rule!r}: an unknown rule"
        )
    relative = None if rtol is None else tolerance(name, "rtol", rtol, 0.0)
    absolute = tolerance(name, "atol", atol, 0.0)
    most = count(name, "max_subdivisions", max_subdivisions, 1 << 30)
    low, high, shape, dims = _limits(name, a, b)
    if kind == "genz-malik" and dims < 2:
        raise ArgumentError(
            f"{name}: the rule 'genz-malik' is for 2 dimensions or more, got {dims}: use 'gk21'"
        )
    xp = array_namespace(low)
    batch = low.shape[0]
    call, moving = _integrand(name, fun, tuple_of(args), shape, batch)
    with quiet(low):
        curved = not is_concrete(low + high) or not bool(xp.all(xp.isfinite(low + high)))
        where = ranges(low, high, curved)
        lo, hi = cells(where, _points(name, low, points), curved)
        way = Way(kind, dims, absolute, relative, most + lo.shape[1], add=True)
        found = integrated(way, call, where, curved, moving, lo, hi)
        halved = found.last - lo.shape[1]
        nodes = nodes_of(kind, dims)
        evaluations = nodes * (2 * halved + lo.shape[1])
        lists = None
        if batch == 1 and not shape and found.boxes is not None and is_concrete(found.value):
            lists = _listed(where, curved, found.boxes, call.wanted)
    rest = call.wanted

    def shaped(v: Any) -> Any:
        return scalar(xp.reshape(v, (*shape, *rest)))

    def number(v: Any) -> Any:
        return scalar(xp.reshape(v, shape))

    good = found.status == CONVERGED
    return CubatureResult(
        shaped(found.value),
        shaped(found.error),
        number(good),
        number(halved),
        number(evaluations),
        lists,
    )


def _limits(name: str, a: Any, b: Any) -> tuple[Any, Any, tuple[int, ...], int]:
    """Limits (B, d) of one library and dtype, the shape of the batch, and d."""
    xp = default if is_neutral(a) and is_neutral(b) else array_namespace(a, b)
    low, high = _plan.common_floating(name, xp, ("a", "b"), a, b, real=True)
    xp = array_namespace(low, high)
    low, high = constants([low, high])
    xp = array_namespace(low, high)
    if not low.ndim or not high.ndim or 0 in (low.shape[-1], high.shape[-1]):
        raise ShapeError(
            f"{name}: a and b must have a last dimension of the d variables, nonempty, got the "
            f"shapes {tuple(low.shape)} and {tuple(high.shape)}"
        )
    shape = _plan.broadcast(name, a=tuple(low.shape), b=tuple(high.shape))
    flat = (math.prod(shape[:-1]), shape[-1])
    low, high = (xp.reshape(xp.broadcast_to(v, shape), flat) for v in (low, high))
    return low, high, shape[:-1], shape[-1]


def _points(name: str, like: Any, points: Any) -> Any:
    """Points (p, d) of the library of the limits, or None."""
    if points is None or not len(points):
        return None
    xp, dims = array_namespace(like), like.shape[1]
    rows = [
        xp.astype(p, like.dtype)
        if hasattr(p, "shape") and not is_neutral(p)
        else xp.asarray([float(v) for v in p], dtype=like.dtype, device=device(like))
        for p in points
    ]
    if any(tuple(row.shape) != (dims,) for row in rows):
        raise ShapeError(
            f"{name}: points must be arrays of {dims} coordinates, got the shapes "
            f"{[tuple(row.shape) for row in rows]}"
        )
    return xp.stack(rows)


class _Integrand:
    """Call a user's function of points (N, d), with rows of arguments for the points of each."""

    def __init__(self, function: Function, args: tuple[Any, ...], moving: list[int]) -> None:
        self.function, self.args, self.moving = function, args, moving
        self.wanted: tuple[int, ...] = ()

    def __call__(self, x: Any, data: tuple[Any, ...]) -> Any:
        xp, n = array_namespace(x), x.shape[0]
        args = list(self.args)
        for i, a in zip(self.moving, data, strict=True):
            batch, rest = a.shape[0], tuple(a.shape[1:])
            if batch > 1:
                wide = xp.broadcast_to(a[:, None, ...], (batch, n // batch, *rest))
                a = xp.reshape(wide, (n, *rest))
            args[i] = a
        y = self.function.called(x, *args)
        if tuple(getattr(y, "shape", ()))[:1] != (n,):
            found = f"the shape {tuple(y.shape)}" if hasattr(y, "shape") else repr(y)
            raise ShapeError(
                f"cubature: f must return an array with a value for each of the {n} points, which "
                f"are the rows of x, ({n}, ...), got {found}. A constant: x[:, 0] * 0 + c"
            )
        xp = array_namespace(x, y)
        self.wanted = tuple(y.shape[1:])
        if not xp.isdtype(y.dtype, ("real floating", "complex floating")):
            y = xp.astype(y, x.dtype)
        return xp.reshape(y, (n, math.prod(self.wanted)))


def _integrand(
    name: str, fun: Function, args: tuple[Any, ...], shape: tuple[int, ...], batch: int
) -> tuple[_Integrand, tuple[Any, ...]]:
    """The integrand, and the arrays of its arguments that differ between integrals."""
    if not shape:
        return _Integrand(fun, args, []), ()
    moving, rows = [], []
    for i, a in enumerate(args):
        if is_neutral(a) or not getattr(a, "ndim", 0):
            continue
        (a,) = constants([a])
        xp, k = array_namespace(a), len(shape)
        head, rest = tuple(a.shape[:k]), tuple(a.shape[k:])
        if len(head) < k or any(h not in (1, n) for h, n in zip(head, shape, strict=True)):
            raise ShapeError(
                f"{name}: args[{i}] must have the leading dimensions of the limits, {shape}, or 1, "
                f"got the shape {tuple(a.shape)}. What all integrals share: functools.partial"
            )
        one = math.prod(head) == 1
        wide = a if one else xp.broadcast_to(a, (*shape, *rest))
        moving.append(i)
        rows.append(xp.reshape(wide, (1 if one else batch, *rest)))
    return _Integrand(fun, args, moving), tuple(rows)


def _listed(where: Ranges, curved: bool, s: Boxes, wanted: tuple[int, ...]) -> tuple[Any, ...]:
    """Corners, values and errors of the regions of one integral."""
    xp = array_namespace(s.lo)
    fixed = Ranges(*map(stop_gradient, where))
    low, high = (placed(fixed, v, curved, ends=True)[0][0, ...] for v in (s.lo, s.hi))
    a, b = xp.minimum(low, high), xp.maximum(low, high)
    count = s.lo.shape[1]
    value, error = (xp.reshape(v[0, ...], (count, *wanted)) for v in (s.value, s.error))
    return a, b, value, error
