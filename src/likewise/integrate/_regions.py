"""Adaptive halving of boxes, for integrals of functions with arrays as values.

Boxes are parts of the unit cube, from which points follow; so limits can be infinite, and the order
of limits needs no care. A step halves the boxes that have to be halved: all with the largest errors
but those whose errors together are within the tolerance. A box is halved across the direction in
which the integrand seems least smooth (A. C. Genz, A. A. Malik, J. Comput. Appl. Math. 6, 1980;
P. van Dooren, L. de Ridder, J. Comput. Appl. Math. 2, 1976).
"""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .._namespace import array_namespace, device, is_concrete, namespace, quiet
from ..missing import at
from ..solving._driver import joined, taken
from ..solving._following import recorded
from ..solving._running import compiled_of, compiles
from ..transforms import stop_gradient, while_loop
from ._carrying import carrying
from ._kronrod import rule_of

__all__ = [
    "CONVERGED",
    "NOT_FINITE",
    "ROUNDED",
    "RUNNING",
    "Boxes",
    "Found",
    "Ranges",
    "Way",
    "cells",
    "integrated",
    "nodes_at",
    "nodes_of",
    "placed",
    "ranges",
]

RUNNING, CONVERGED, ROUNDED, NOT_FINITE = range(4)
_POINTS = 200_000  # that an integrand gets at once, about
_WIDTHS = 64, 1024  # boxes that are listed at first, in compiled code

# Calls the integrand: points (N, d), and the data of B problems to which N / B of them belong each,
# to values (N, P).
Call = Callable[[Any, tuple[Any, ...]], Any]


class Way(NamedTuple):
    """Settings, which are the same for all problems."""

    rule: str
    dims: int
    atol: float
    rtol: float | None
    limit: int  # boxes
    norm: Any = None  # 'max', '2', a function of values (N, P), or None: each value has its error
    add: bool = False  # whether the tolerance is the sum of atol and the relative one
    part: float = 1.0  # of the tolerance that is to be reached
    least: int = 1  # boxes
    cap: int = 1 << 30  # boxes that are halved at once


class Ranges(NamedTuple):
    """The ranges of B problems, (B, d) each."""

    start: Any  # a finite limit
    width: Any  # of finite ranges
    turn: Any  # 0 for finite ranges, 1 or -1 for the direction to infinity, 2 for all numbers
    sign: Any


class Boxes(NamedTuple):
    """Hold boxes of B problems, and what a rule says of them."""

    lo: Any  # (B, R, d)
    hi: Any
    value: Any  # (B, R, P)
    error: Any  # (B, R, P) or (B, R, 1); -1 where there is no box
    rough: Any  # (B, R), the error by rounding; without a norm, a factor that errors have
    axis: Any  # (B, R), the direction to be halved
    # By which jumps and kinks are known to the rule of Genz and Malik, (B, R, P) or (B, R, 1):
    wild: Any  # fourth differences relative to
    size: Any  # the mean absolute value, here or in a box of which this is a part


class Found(NamedTuple):
    """Hold what was found of B problems."""

    value: Any  # (B, P)
    error: Any  # (B, P) or (B, 1)
    rough: Any  # (B,)
    status: Any
    last: Any  # boxes
    boxes: Boxes | None  # of one group of problems


# -- rules -----------------------------------------------------------------------------------------


@functools.lru_cache(32)
def _numbers(name: str, dims: int) -> tuple[Any, ...]:
    """Nodes (n, d) on [-1, 1], the weights of two rules (n,), and differences (d, n)."""
    xp = namespace("numpy")
    if name == "genz-malik":
        return _genz_malik(dims)
    if name == "trapezoid":
        nodes, high, low = [-1.0, 0.0, 1.0], [0.5, 1.0, 0.5], [1.0, 0.0, 1.0]
    else:
        like = xp.asarray(0.5)
        nodes, high, low = (v.tolist() for v in rule_of(like, int(name[2:])))
    every = list(itertools.product(range(len(nodes)), repeat=dims))

    def of_product(*weights: list[float]) -> list[float]:
        return [math.prod(w[i] for w, i in zip(weights, node, strict=True)) for node in every]

    points = xp.asarray([[nodes[i] for i in node] for node in every])
    wide, less = of_product(*[high] * dims), of_product(*[low] * dims)
    rough = [of_product(*[low if i == j else high for i in range(dims)]) for j in range(dims)]
    return points, xp.asarray(wide), xp.asarray(less), xp.asarray(rough) - xp.asarray(wide)


def _genz_malik(dims: int) -> tuple[Any, ...]:
    """The rules of degrees 7 and 5, and fourth differences: of each direction, and mixed."""
    xp = namespace("numpy")
    l2, l4, l5 = math.sqrt(9 / 70), math.sqrt(9 / 10), math.sqrt(9 / 19)
    nodes, kinds = [[0.0] * dims], [0]

    def add(kind: int, places: dict[int, float]) -> None:
        nodes.append([places.get(i, 0.0) for i in range(dims)])
        kinds.append(kind)

    for kind, far in ((1, l2), (2, l4)):
        for i in range(dims):
            add(kind, {i: far})
            add(kind, {i: -far})
    for i, j in itertools.combinations(range(dims), 2):
        for s, t in itertools.product((l4, -l4), repeat=2):
            add(3, {i: s, j: t})
    for corner in itertools.product((l5, -l5), repeat=dims):
        add(4, dict(enumerate(corner)))
    full = 2**dims
    high = [
        full * (12824 - 9120 * dims + 400 * dims**2) / 19683,
        full * 980 / 6561,
        full * (1820 - 400 * dims) / 19683,
        full * 200 / 19683,
        6859 / 19683,
    ]
    low = [
        full * (729 - 950 * dims + 50 * dims**2) / 729,
        full * 245 / 486,
        full * (265 - 100 * dims) / 1458,
        full * 25 / 729,
        0.0,
    ]
    fourth = xp.zeros((dims + 1, len(nodes)))
    fourth[:dims, 0] = -2 * (1 - 1 / 7)
    for i in range(dims):
        near, far = 1 + 2 * i, 1 + 2 * dims + 2 * i
        fourth[i, near : near + 2] = 1.0
        fourth[i, far : far + 2] = -1 / 7
    # Of corners, against what second differences on the axes tell.
    ratio = (l5 / l4) ** 2
    fourth[dims, 0] = dims * ratio - 1
    fourth[dims, 1 + 2 * dims : 1 + 4 * dims] = -ratio / 2
    fourth[dims, -full:] = 1 / full
    weights = (xp.asarray([w[k] for k in kinds]) for w in (high, low))
    return xp.asarray(nodes), *weights, fourth


def _rule(name: str, dims: int, like: Any) -> tuple[Any, ...]:
    xp = array_namespace(like)
    return tuple(
        xp.asarray(v.tolist(), dtype=like.dtype, device=device(like)) for v in _numbers(name, dims)
    )


# -- points ----------------------------------------------------------------------------------------


def ranges(a: Any, b: Any, curved: bool) -> Ranges:
    """Return how points follow from places in the unit cube, for limits (B, d)."""
    xp = array_namespace(a)
    zero, one = xp.zeros_like(a), xp.ones_like(a)
    if not curved:
        return Ranges(a, b - a, zero, one)
    up, down = xp.maximum(a, b) == xp.inf, xp.minimum(a, b) == -xp.inf
    infinite = (up | down) & (a != b)
    turn = xp.where(up & down, 2 * one, xp.where(up, one, xp.where(down, -one, zero)))
    finite_a = xp.isfinite(a)
    start = xp.where(finite_a, a, xp.where(xp.isfinite(b), b, zero))
    plain = ~infinite & (a != b)
    width = xp.where(plain, b, zero) - xp.where(plain, a, zero)
    sign = xp.where(infinite & (a > b), -one, one)
    empty = infinite | plain
    return Ranges(start, width, xp.where(infinite, turn, zero), xp.where(empty, sign, zero))


def placed(found: Ranges, s: Any, curved: bool, ends: bool = False) -> tuple[Any, Any]:
    """Return the points of places (B, N, d), and the factor of their volumes, (B, N).

    At infinite ends, points are some within the range, or infinite with `ends`.
    """
    xp = array_namespace(s)
    start, width, turn, sign = (v[:, None, :] for v in found)
    if not curved:
        return start + width * s, xp.prod(width, axis=2) + xp.zeros_like(s[:, :, 0])
    one = xp.ones_like(s)
    half, both = (turn == 1) | (turn == -1), turn == 2
    edge = ((s <= 0) & (half | both)) | ((s >= 1) & both)
    u = xp.where(half & ~edge, s, one)
    v = xp.where(both & ~edge, s, one / 2)
    w = 4 * v * (1 - v)
    x = xp.where(
        half,
        start + turn * ((1 - u) / u),
        xp.where(both, (2 * v - 1) / w, start + width * s),
    )
    if ends:
        far = xp.where(both & (s <= 0), -xp.inf * one, xp.inf * one * xp.where(half, turn, one))
        x = xp.where(edge, far, x)
    weight = xp.where(half, 1 / (u * u), xp.where(both, 2 * (2 - w) / (w * w), width + 0 * s))
    weight = xp.where(edge, xp.zeros_like(weight), weight) * sign
    return x, xp.prod(weight, axis=2)


def cells(found: Ranges, points: Any, curved: bool) -> tuple[Any, Any]:
    """Return the first boxes (B, R, d) of the unit cube, split at points (p, d) or None."""
    start, width, turn = map(stop_gradient, found[:3])
    xp = array_namespace(start)
    batch, dims = start.shape
    zero = xp.zeros((batch, 1, dims), dtype=start.dtype, device=device(start))
    if points is None:
        return zero, zero + 1
    x, start, width, turn = (
        points[None, :, :],
        start[:, None, :],
        width[:, None, :],
        turn[:, None, :],
    )
    one = xp.ones_like(x - start)
    s = (x - start) / xp.where(width == 0, one, width)
    if curved:
        z = 1 + (x - start) * turn
        ahead = xp.where(z > 0, 1 / xp.where(z > 0, z, one), -one)
        both = (1 + 2 * x / (1 + xp.sqrt(1 + 4 * x * x))) / 2
        s = xp.where(turn == 0, s, xp.where(turn == 2, both, ahead))
    inside = xp.all((s >= 0) & (s <= 1), axis=2, keepdims=True)
    s = xp.sort(xp.where(inside, s, xp.zeros_like(s)), axis=1)
    edges = xp.concat([zero, s, zero + 1], axis=1)
    places = list(itertools.product(range(edges.shape[1] - 1), repeat=dims))
    lo, hi = (
        xp.stack(
            [xp.stack([edges[:, i + k, j] for j, i in enumerate(cell)], axis=1) for cell in places],
            axis=1,
        )
        for k in (0, 1)
    )
    if batch == 1 and is_concrete(lo):
        wide = xp.all(hi[0, ...] > lo[0, ...], axis=1)
        order = xp.argsort(xp.astype(~wide, xp.int8), stable=True)
        order = order[: int(xp.count_nonzero(wide))]
        lo, hi = (xp.take(v, order, axis=1) for v in (lo, hi))
    return lo, hi


def _normed(norm: Any, v: Any) -> Any:
    """Norms of values (..., P), (..., 1)."""
    xp = array_namespace(v)
    if callable(norm):
        flat = xp.reshape(v, (-1, v.shape[-1]))
        return xp.reshape(norm(flat), (*v.shape[:-1], 1))
    size = xp.abs(v)
    if not v.shape[-1]:
        return xp.sum(size, axis=-1, keepdims=True)
    if norm == "max":
        return xp.max(size, axis=-1, keepdims=True)
    top = xp.max(size, axis=-1, keepdims=True)
    scale = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    size = size / scale
    return xp.sqrt(xp.sum(size * size, axis=-1, keepdims=True)) * scale


def _at_nodes(way: Way, lo: Any, hi: Any) -> tuple[Any, Any, Any]:
    """Nodes of boxes, (B, R n, d), their volumes, (B, R), and the rule."""
    xp = array_namespace(lo)
    batch, count, dims = lo.shape
    rule = _rule(way.rule, way.dims, lo)
    half = (hi - lo) / 2
    s = (lo + half)[:, :, None, :] + half[:, :, None, :] * rule[0]
    return xp.reshape(s, (batch, count * rule[0].shape[0], dims)), xp.prod(half, axis=2), rule


def _called(call: Call, x: Any, weight: Any, args: tuple[Any, ...]) -> Any:
    """Values at points (B, N, d), times their weights: (B, N, P)."""
    xp = array_namespace(x)
    batch, count, dims = x.shape
    y = call(xp.reshape(x, (batch * count, dims)), args)
    y = xp.reshape(y, (batch, count, y.shape[1]))
    if not weight.shape:
        return y
    weight = weight[:, :, None]
    if weight.dtype != y.dtype:
        weight = xp.astype(weight, y.dtype)
    return xp.where(weight == 0, xp.zeros_like(y), y) * weight


def _product(weights: Any, y: Any) -> Any:
    """The products of weights (k, n) with values (B, R, n, P): (B, R, k, P)."""
    xp = array_namespace(y)
    return xp.matmul(xp.astype(weights, y.dtype) if weights.dtype != y.dtype else weights, y)


def _totals(
    way: Way, curved: bool, call: Call, found: Ranges, args: Any, lo: Any, hi: Any, there: Any
) -> Any:
    """The sums over boxes that can be differentiated, (B, P)."""
    xp = array_namespace(lo)
    if there is not None:  # else the first box is another time, for nothing
        lo, hi = (xp.where(there[:, :, None], v, v[:, :1, :]) for v in (lo, hi))
    s, volume, rule = _at_nodes(way, lo, hi)
    if there is not None:
        volume = xp.where(there, volume, xp.zeros_like(volume))
    x, weight = placed(found, s, curved)
    y = _called(call, x, weight, args)
    n = rule[0].shape[0]
    weights = xp.reshape(volume[:, :, None] * rule[1], (lo.shape[0], 1, lo.shape[1] * n))
    if weights.dtype != y.dtype:
        weights = xp.astype(weights, y.dtype)
    return xp.matmul(weights, y)[:, 0, :]


def _estimates(
    way: Way, curved: bool, call: Call, found: Ranges, args: Any, lo: Any, hi: Any
) -> tuple[Boxes, Any]:
    """Return what the rule says of boxes (B, R, d), and the values of the integrand."""
    xp = array_namespace(lo)
    batch, count, dims = lo.shape
    s, volume, rule = _at_nodes(way, lo, hi)
    x, weight = placed(found, s, curved)
    raw = _called(call, x, weight, args)
    y = stop_gradient(raw)
    _, high, low, sides = rule
    n, values = high.shape[0], y.shape[2]
    y = xp.reshape(y, (batch, count, n, values))
    small = xp.abs(y[:, :, 0, :])  # has the real dtype of results
    box = volume if small.dtype == volume.dtype else xp.astype(volume, small.dtype)
    scale = box[:, :, None]
    both = _product(xp.stack([high, low]), y)
    mean, other = both[:, :, 0, :], both[:, :, 1, :]
    sizes = _product(high[None, :], xp.abs(y))[:, :, 0, :] * scale
    eps = float(xp.finfo(small.dtype).eps)
    value = mean * (xp.astype(scale, y.dtype) if scale.dtype != y.dtype else scale)
    if way.norm is None:
        error = xp.abs(mean - other) * scale
        rough = xp.ones_like(box)
        if way.rule == "genz-malik":
            error = 2 * error
    elif way.rule == "trapezoid":
        error = _normed(way.norm, mean - other) * scale / 3
        rough = _normed(way.norm, sizes)[:, :, 0] * eps
    else:
        error = _normed(way.norm, mean - other) * scale
        spread = _product(high[None, :], xp.abs(y - mean[:, :, None, :] / 2))[:, :, 0, :]
        spread = _normed(way.norm, spread * scale)
        zero = (spread == 0) | (error == 0)
        ratio = 200 * error / xp.where(zero, xp.ones_like(spread), spread)
        ratio = spread * xp.minimum(xp.ones_like(ratio), ratio * xp.sqrt(ratio))
        error = xp.where(zero, error, ratio)
        rough = 50 * eps * _normed(way.norm, sizes)[:, :, 0]
        least = xp.where(rough > float(xp.finfo(small.dtype).smallest_normal), rough, rough * 0)
        error = xp.maximum(error, least[:, :, None])
    wild = size = xp.zeros_like(error)
    axis = xp.zeros((batch, count), dtype=xp.int32, device=device(lo))
    if dims > 1 and values:
        change = xp.abs(_product(sides, y))
        if way.norm is None and way.rule != "genz-malik":  # of directions, which may cancel
            error = xp.maximum(error, xp.sum(change, axis=2) * scale)
        if way.rule == "genz-malik":
            # What the rule misses is of the order of the squares of fourth differences. At jumps
            # and kinks, these are hardly smaller in smaller boxes.
            fourth, size = xp.sum(change, axis=2), xp.mean(xp.abs(y), axis=2)
            ratio = fourth / xp.where(size > 0, size, xp.ones_like(size))
            wild = xp.minimum(ratio, xp.ones_like(ratio))
            error = xp.maximum(error, 0.2 * 2**dims * fourth * wild * scale)
            change = change[:, :, :dims, :]
        change = xp.max(change, axis=3)
        top = xp.max(change, axis=2, keepdims=True)
        noise = 10 * eps * xp.max(xp.max(xp.abs(y), axis=3), axis=2)[:, :, None]
        longest = xp.argmax(hi - lo, axis=2)
        axis = xp.astype(
            xp.where((top <= noise)[:, :, 0], longest, xp.argmax(change, axis=2)), xp.int32
        )
    return Boxes(lo, hi, value, error, rough, axis, wild, size), raw


# -- the search ------------------------------------------------------------------------------------


def _judged(way: Way, s: Boxes, last: Any) -> tuple[Any, Any]:
    """Return the tolerated errors (B, 1) or (B, P), and how problems end."""
    xp = array_namespace(s.lo)
    error = xp.sum(s.error, axis=1)
    total = xp.sum(s.value, axis=1)
    size = _normed(way.norm, total) if way.norm is not None else xp.abs(total)
    eps = float(xp.finfo(error.dtype).eps)
    rtol = way.rtol if way.rtol is not None else (1e-8 if eps < 1e-10 else eps**0.5)
    goal = way.part * (
        way.atol + rtol * size if way.add else xp.maximum(xp.full_like(size, way.atol), rtol * size)
    )
    good = error <= goal if way.part == 1 else error < goal
    rough = xp.sum(s.rough, axis=1)
    whole = xp.zeros(tuple(rough.shape), dtype=xp.int32, device=device(s.lo))
    finite = xp.all(xp.isfinite(total), axis=1) & xp.all(xp.isfinite(error), axis=1)
    status = xp.where(xp.all(good, axis=1), whole + CONVERGED, whole)
    if way.norm is not None:
        status = xp.where((status == 0) & (error[:, 0] < rough), whole + ROUNDED, status)
    status = xp.where(whole + last < way.least, whole, status)
    return goal, xp.where(finite, status, whole + NOT_FINITE)


Estimate = Callable[[Any, Any, Any], Boxes]  # the numbers of problems, and lo, hi


def _searched(
    way: Way, estimate: Estimate, first: Boxes, compiled: Any
) -> list[tuple[Any, Boxes, Any, Any]]:
    """Halve boxes until each problem has ended.

    Returns groups of problems that ended together: their numbers or None for all, boxes, status and
    the numbers of boxes.
    """
    xp = array_namespace(first.lo)
    batch, m = first.lo.shape[:2]
    if not is_concrete(first.error):
        last = xp.full((batch,), m, dtype=xp.int32, device=device(first.lo))
        width = max(way.limit, m)
        s, last = _looped(way, estimate, _widened(first, width), last)
        return [(None, s, _judged_by_count(way, s, last)[1], last)]
    if compiled is not None and compiles(first.lo):
        return _in_widths(way, compiled, first)
    return _grown(way, estimate, first)


def _in_widths(way: Way, compiled: Any, first: Boxes) -> list[tuple[Any, Boxes, Any, Any]]:
    xp = array_namespace(first.lo)
    batch, m = first.lo.shape[:2]
    s = first
    last = xp.full((batch,), m, dtype=xp.int32, device=device(first.lo))
    _, status = _judged(way, s, last)
    for width in sorted({min(w, way.limit) for w in (*_WIDTHS, way.limit)}):
        running = (status == RUNNING) & (last < way.limit)
        if not bool(xp.any(running)):  # likewise: ignore[LW203]: values are at hand
            break
        if width > m:
            s, last = compiled(way, _widened(s, width), last)
            _, status = _judged_by_count(way, s, last)
    return [(None, s, status, last)]


def _judged_by_count(way: Way, s: Boxes, last: Any) -> tuple[Any, Any]:
    """Judge lists in which some places have no box."""
    xp = array_namespace(s.lo)
    there = s.error != -1
    return _judged(way, s._replace(error=xp.where(there, s.error, xp.zeros_like(s.error))), last)


def _grown(way: Way, estimate: Estimate, s: Boxes) -> list[tuple[Any, Boxes, Any, Any]]:
    """Lists of boxes that grow, of problems that are dropped when they have ended."""
    xp = array_namespace(s.lo)
    ids = xp.arange(s.lo.shape[0], device=device(s.lo))
    n = _numbers(way.rule, way.dims)[0].shape[0]
    most = min(way.cap, max(1, _POINTS // (2 * n)))
    done = []
    while True:
        count = s.lo.shape[1]
        goal, status = _judged(way, s, count)
        running = status == RUNNING
        batch = status.shape[0]
        left = 0
        if count < way.limit:
            left = int(xp.count_nonzero(running))  # likewise: ignore[LW203]: values are at hand
        if left < batch or not left:
            order = xp.argsort(xp.astype(~running, xp.int8), stable=True)
            go, stay = order[left:], order[:left]
            last = xp.full((batch - left,), count, dtype=xp.int32, device=device(s.lo))
            done.append((xp.take(ids, go), taken(s, go), xp.take(status, go), last))
            if not left:
                return done
            ids, s = xp.take(ids, stay), taken(s, stay)
        sizes = _sizes(s)
        order = xp.argsort(sizes, axis=1, descending=True)
        many = 1
        if batch == 1:
            many = min(_needed(s.error[0, ...], order[0, ...], goal[0, ...], way), most)
            many = max(1, min(many, way.limit - count))
        rest, new = _rows(s, order[:, many:]), _rows(s, order[:, :many])
        s = joined([rest, _weighed(way, new, estimate(ids, *_halves(new)))], 1)


def _sizes(s: Boxes) -> Any:
    xp = array_namespace(s.error)
    if not s.error.shape[2]:
        return xp.zeros_like(s.lo[:, :, 0])
    return xp.max(s.error, axis=2)


def _needed(error: Any, order: Any, goal: Any, way: Way) -> int:
    """How many boxes are to be halved: without them, the errors (R, E) are within the goal."""
    xp = array_namespace(error)
    back = xp.cumulative_sum(xp.take(error, xp.flip(order), axis=0), axis=0)
    fine = xp.all(back <= goal if way.part == 1 else back < goal, axis=1)
    kept = int(xp.count_nonzero(fine))  # likewise: ignore[LW203]: values are at hand
    return max(1, int(error.shape[0]) - kept)


def _rows(s: Boxes, which: Any) -> Boxes:
    """The boxes of these numbers, (B, k)."""
    xp = array_namespace(s.lo)
    batch, count = s.lo.shape[:2]
    k = which.shape[1]
    first = xp.arange(batch, dtype=which.dtype, device=device(s.lo)) * count
    flat = xp.reshape(which + first[:, None], (batch * k,))

    def of(a: Any) -> Any:
        rest = tuple(a.shape[2:])
        some = xp.take(xp.reshape(a, (batch * count, *rest)), flat, axis=0)
        return xp.reshape(some, (batch, k, *rest))

    return Boxes(*map(of, s))


def _halves(s: Boxes) -> tuple[Any, Any]:
    """The corners of both halves of boxes, (B, 2 k, d)."""
    xp = array_namespace(s.lo)
    directions = xp.arange(s.lo.shape[2], dtype=xp.int32, device=device(s.lo))
    across = s.axis[:, :, None] == directions
    middle = s.lo + (s.hi - s.lo) / 2
    lo = xp.concat([s.lo, xp.where(across, middle, s.lo)], axis=1)
    hi = xp.concat([xp.where(across, middle, s.hi), s.hi], axis=1)
    return lo, hi


def _weighed(way: Way, s: Boxes, halves: Boxes) -> Boxes:
    """Halves, with larger errors where the error of the whole was estimated too small."""
    if way.norm is not None or not s.value.shape[2]:
        return halves
    xp, k = array_namespace(s.lo), s.lo.shape[1]
    both = halves.value[:, :k, :] + halves.value[:, k:, :]
    change = xp.abs(both - s.value)
    eps = float(xp.finfo(change.dtype).eps)
    error = s.error / s.rough[:, :, None]
    error = xp.maximum(error, 50 * eps * xp.abs(s.value))
    ratio = xp.where(error > 0, change / xp.where(error > 0, error, xp.ones_like(error)), error)
    # Twice what was seen, but not without bounds; and most of what was known before.
    worst = xp.minimum(2 * xp.max(ratio, axis=2), xp.full_like(s.rough, 20.0))
    factor = xp.maximum(xp.maximum(worst, 0.7 * s.rough), xp.ones_like(s.rough))
    factor = xp.concat([factor, factor], axis=1)
    errors = halves.error * factor[:, :, None]
    wild, size = halves.wild, halves.size
    if way.rule == "genz-malik":
        # Halves may not see a jump that the whole has seen: they keep a part of its error.
        part = 0.7 * xp.minimum(3 * s.wild, xp.ones_like(s.wild)) ** 4
        least = xp.maximum(change, 2 * part * s.error) / 4
        errors = xp.maximum(errors, xp.concat([least, least], axis=1))
        # What smooth functions have in large boxes falls; so it counts where it stays.
        before, larger = (xp.concat([v, v], axis=1) for v in (s.wild, s.size))
        size = xp.maximum(size, larger)
        wild = wild * halves.size / xp.where(size > 0, size, xp.ones_like(size))
        wild = xp.maximum(xp.minimum(wild, 1.75 * before), 0.7 * before)
    return halves._replace(error=errors, rough=factor, wild=wild, size=size)


def _widened(s: Boxes, width: int) -> Boxes:
    """Lists with places for more boxes."""
    xp, more = array_namespace(s.lo), width - s.lo.shape[1]
    if more <= 0:
        return s

    def filled(a: Any, fill: float) -> Any:
        rest = xp.full((a.shape[0], more, *a.shape[2:]), fill, dtype=a.dtype, device=device(a))
        return xp.concat([a, rest], axis=1)

    return Boxes(*(filled(a, -1.0 if i == 3 else 0) for i, a in enumerate(s)))


def _looped(way: Way, estimate: Estimate, s: Boxes, last: Any) -> tuple[Boxes, Any]:
    """Halve one box of each problem in a step, in lists of a fixed size."""
    xp = array_namespace(s.lo)
    batch, width = s.lo.shape[:2]

    def runs(s: Boxes, last: Any) -> Any:
        return (_judged_by_count(way, s, last)[1] == RUNNING) & (last < width)

    def step(carry: Any) -> Any:
        s, last, going = Boxes(*carry[0]), carry[1], carry[2]
        worst = xp.argmax(_sizes(s), axis=1)
        whole = _rows(s, worst[:, None])
        new = _weighed(way, whole, estimate(None, *_halves(whole)))
        first = xp.arange(batch, dtype=worst.dtype, device=device(s.lo)) * width
        end = xp.minimum(last, xp.full_like(last, width - 1))
        places = worst + first, xp.astype(end, worst.dtype) + first

        def put(a: Any, b: Any) -> Any:
            rest = tuple(a.shape[2:])
            flat = xp.reshape(a, (batch * width, *rest))
            for i, place in enumerate(places):
                mask = xp.reshape(going, (batch, *(1 for _ in rest)))
                value = xp.where(mask, b[:, i, ...], xp.take(flat, place, axis=0))
                flat = at(flat)[place].set(value)
            return xp.reshape(flat, (batch, width, *rest))

        s = Boxes(*map(put, s, new))
        last = last + xp.astype(going, last.dtype)
        return tuple(s), last, runs(s, last)

    carry = while_loop(lambda carry: xp.any(carry[2]), step, (tuple(s), last, runs(s, last)))
    return Boxes(*carry[0]), carry[1]


# -- integrals -------------------------------------------------------------------------------------


def nodes_at(rule: str, lo: Any, hi: Any) -> Any:
    """Return the nodes of boxes (B, R, d) in the unit cube, (B, R n, d)."""
    return _at_nodes(Way(rule, lo.shape[2], 0.0, None, 0), lo, hi)[0]


def nodes_of(rule: str, dims: int) -> int:
    """Return how many nodes a rule has."""
    return int(_numbers(rule, dims)[0].shape[0])


def integrated(
    way: Way,
    call: Call,
    found: Ranges,
    curved: bool,
    args: tuple[Any, ...],
    lo: Any,
    hi: Any,
    ahead: Any = None,
) -> Found:
    """Integrals over ranges, first over the given boxes (B, R, d) of the unit cube.

    `args` are data of the problems, (B, ...) each. Differentiable by what `call` returns, and by
    `found` if it may be differentiated. `ahead` are values at the nodes of the first boxes.
    """
    xp = array_namespace(lo)
    fixed = Ranges(*map(stop_gradient, found))
    still = tuple(map(stop_gradient, args))
    begin = call if ahead is None else (lambda x, args: ahead)
    first, raw = _estimates(way, curved, begin, fixed, args, lo, hi)
    asked = recorded(raw) or any(map(recorded, found))

    def estimate(ids: Any, lo: Any, hi: Any) -> Boxes:
        now, data = (fixed, still) if ids is None else taken((fixed, still), ids)
        return _estimates(way, curved, _constant(call), now, data, lo, hi)[0]

    def compiled(way: Way, s: Boxes, last: Any) -> tuple[Boxes, Any]:
        n = 2 * lo.shape[0] * nodes_of(way.rule, way.dims)
        x = xp.zeros((n, way.dims), dtype=lo.dtype, device=device(lo))
        both, _ = compiled_of(
            lo,
            _traced,
            (way, curved),
            [(lambda x, *args: call(x, args), (x, *still))],
            fixed,
            still,
            tuple(s),
            last,
        )
        return Boxes(*both[0]), both[1]

    first = first._replace(wild=xp.minimum(first.wild, xp.full_like(first.wild, 0.2)))
    groups = _searched(way, estimate, first, compiled)
    parts = []
    for ids, s, status, last in groups:
        there = None if ids is not None else s.error[:, :, :1] != -1
        error = s.error if there is None else xp.where(there, s.error, xp.zeros_like(s.error))
        value = xp.sum(s.value, axis=1)
        if asked:
            now, data = (found, args) if ids is None else taken((found, args), ids)
            mask = None if there is None else there[:, :, 0]
            sums = _in_parts(way, curved, call, now, data, s, mask)
            value = carrying(value, sums)
        parts.append((value, xp.sum(error, axis=1), xp.sum(s.rough, axis=1), status, last))
    if len(groups) == 1:
        ids, s = groups[0][:2]
        if ids is None or lo.shape[0] == 1:
            value, error, rough, status, last = parts[0]
            return Found(value, error, rough, status, last, s)
    order = xp.argsort(xp.concat([ids for ids, *_ in groups]))
    value, error, rough, status, last = taken(joined(parts), order)
    return Found(value, error, rough, status, last, None)


def _constant(call: Call) -> Call:
    return lambda x, args: stop_gradient(call(x, args))


def _traced(
    key: Any, functions: Any, fixed: Ranges, args: tuple[Any, ...], s: Any, last: Any
) -> tuple[Any, Any]:
    (way, curved), (call,) = key, functions

    def now(x: Any, args: tuple[Any, ...]) -> Any:
        return stop_gradient(call(x, *args))

    def estimate(ids: Any, lo: Any, hi: Any) -> Boxes:
        return _estimates(way, curved, now, fixed, args, lo, hi)[0]

    with quiet(last):
        boxes, last = _looped(way, estimate, Boxes(*s), last)
    return tuple(boxes), last


def _in_parts(
    way: Way, curved: bool, call: Call, found: Ranges, args: Any, s: Boxes, there: Any
) -> Any:
    """Sums over boxes, of so many at once as are asked for elsewhere."""
    count = s.lo.shape[1]
    most = count
    if is_concrete(s.lo):
        most = max(1, _POINTS // (nodes_of(way.rule, way.dims) * max(1, s.lo.shape[0])))
    total = 0.0
    for i in range(0, count, most):
        some = slice(i, i + most)
        mask = None if there is None else there[:, some]
        total = total + _totals(
            way, curved, call, found, args, s.lo[:, some, :], s.hi[:, some, :], mask
        )
    return total
