"""Least squares and smoothing of scattered points by surfaces, as FITPACK's SURFIT."""

from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import native
from ...errors import NotSupported
from ...linalg import lstsq, pinv, solve_triangular
from ...missing import segment_sum
from ...transforms import stop_gradient
from .._base._basis import basis, intervals
from .._bsplines._penalty import penalty
from .._bsplines._problems import jumps_of

__all__ = ["Surface", "Task", "scattered"]

_CLOSE = 0.001  # the relative difference of the sum of squared residuals from s
_STEPS = 20


class Surface(NamedTuple):
    """Hold a surface with its sum of squared residuals and SURFIT's status."""

    tx: Any
    ty: Any
    c: Any  # (n, m)
    fp: Any
    status: Any  # of given knots, the rank


class Task(NamedTuple):
    """Hold what isn't an array: degrees, smoothing (None of given knots), limits."""

    function: str
    degrees: tuple[int, int]
    s: float | None
    most: tuple[int, int]  # knots along both axes
    eps: float


class _Matrix:
    """Hold the equations of points, dense, for some knots.

    Coefficients go along the axis first whose band is narrower, as FITPACK has them: the diagonal
    of the triangular factor, from which a search begins, depends on it.
    """

    def __init__(self, points: Any, knots: Any, degrees: tuple[int, int]) -> None:
        x, y, self.w = points
        self.xp = xp = array_namespace(x, y)
        self.knots, self.degrees = knots, degrees
        self.at, factors = [], []
        for a, t, k in zip((x, y), knots, degrees, strict=True):
            n = t.shape[0] - k - 1
            first = intervals(xp, t[None, :], a[None, :], k) - k
            columns = xp.arange(n, dtype=first.dtype, device=device(first))[None, :]
            each = basis(xp, t, a, first + k, k)
            zero = xp.zeros_like(a[:, None])
            total = zero
            for j, v in enumerate(each):
                total = total + xp.where(columns == first[:, None] + j, v[:, None], zero)
            self.at.append(first)
            factors.append(total)
        (kx, ky), (nx, ny) = degrees, (factors[0].shape[1], factors[1].shape[1])
        self.sizes, self.count = (nx, ny), nx * ny
        self.order = (1, 0) if kx * ny + ky > ky * nx + kx else (0, 1)
        rows = factors[self.order[0]][:, :, None] * factors[self.order[1]][:, None, :]
        self.rows = xp.reshape(rows, (x.shape[0], self.count)) * self.w[:, None]
        self.jumps: Any = None

    def jump(self) -> Any:
        """Return the jumps of the highest derivatives, (r, n)."""
        xp, out = self.xp, []
        if self.jumps is not None:
            return self.jumps
        for axis, (t, k, n) in enumerate(zip(self.knots, self.degrees, self.sizes, strict=True)):
            if n == k + 1:
                continue
            found = jumps_of(xp, t, k)
            r = found.shape[0]
            i = xp.arange(r, device=device(t))[:, None]
            columns = xp.arange(n, device=device(t))[None, :]
            one: Any = 0.0
            for j in range(k + 2):
                part = found[:, j : j + 1]
                one = one + xp.where(columns == i + j, part, xp.zeros_like(part))
            other = xp.eye(self.sizes[1 - axis], dtype=t.dtype, device=device(t))
            if axis == self.order[0]:
                both = one[:, None, :, None] * other[None, :, None, :]
            else:
                both = other[:, None, :, None] * one[None, :, None, :]
            out.append(xp.reshape(both, (-1, self.count)))
        self.jumps = xp.concat(out, axis=0)
        return self.jumps

    def shaped(self, c: Any) -> Any:
        """Return coefficients as (n, m)."""
        xp = self.xp
        if self.order == (0, 1):
            return xp.reshape(c, self.sizes)
        return xp.matrix_transpose(xp.reshape(c, (self.sizes[1], self.sizes[0])))

    def solved(self, right: Any, p: Any = None) -> tuple[Any, Any]:
        """Return the coefficients of least squares with the smallest norm, by the pseudoinverse.

        With a penalty, their slope in p, too.
        """
        xp, m = self.xp, self.rows.shape[0]
        if p is None:
            return pinv(self.rows) @ right, None
        inverse: Any = pinv(xp.concat([self.rows, self.jump() / p], axis=0))
        c = inverse[:, :m] @ right
        return c, inverse[:, m:] @ (2.0 / p**2 * (self.jump() @ c))


def _one(x: Any, y: Any, z: Any, *args: Any) -> bool:
    """double precision."""
    return bool(z.dtype == array_namespace(z).float64)


@native(
    numpy="likewise._libs.numpy._surfaces:scattered",
    torch="likewise._libs.numpy._surfaces:scattered",
    when=_one,
)
def scattered(
    x: Any, y: Any, z: Any, w: Any, tx: Any, ty: Any, task: Task, *ends: Any
) -> tuple[Any, ...]:
    """Return the surface of least squares with inner knots, or with few knots that a search finds.

    `ends` are arrays of one element.
    """
    xp, (kx, ky) = array_namespace(x, y, z), task.degrees

    def knots(inner: Any) -> list[Any]:
        return [
            xp.concat([ends[2 * i]] * (k + 1) + [v] + [ends[2 * i + 1]] * (k + 1), axis=0)
            for i, (v, k) in enumerate(zip(inner, (kx, ky), strict=True))
        ]

    right = (w * z)[:, None]
    if task.s is None:
        known = _Matrix((x, y, w), knots((tx, ty)), task.degrees)
        near = lstsq(known.rows, right)
        c, (tx, ty) = known.shaped(near.x), known.knots
        rest = right - known.rows @ near.x
        return tx, ty, c, xp.sum(rest * rest), near.rank
    points = tuple(stop_gradient(v) for v in (x, y, w))
    data = stop_gradient(right)
    if not all(map(is_concrete, (*points, data, *ends))):
        raise NotSupported(
            f"{task.function}: the search for knots reads values, which it can't here. Give knots: "
            "LSQBivariateSpline, or bisplrep with task=-1, tx and ty"
        )
    _plan.extension(task.function, xp, "linalg")
    inner, status, p = _search(points, data, [stop_gradient(v) for v in ends], task)
    found = _Matrix((x, y, w), knots(inner), task.degrees)
    c, slope = found.solved(right, p)
    rest = right - found.rows @ c
    if p is not None:
        # The penalty keeps the sum of residuals where it is, whatever changes: its derivatives are
        # those of one step of Newton's method.
        total, ways = xp.sum(rest * rest), -2.0 * xp.sum(rest * (found.rows @ slope))
        p = p - (total - stop_gradient(total)) / stop_gradient(ways)
        c, _ = found.solved(right, p)
        rest = right - found.rows @ c
    total = xp.sum(rest * rest)
    return (*found.knots, found.shaped(c), total, _whole(xp, z, status))


def _whole(xp: Any, like: Any, status: int) -> Any:
    return xp.asarray(status, device=device(like))


class _Triangle:
    """Hold the triangular factor of equations, and what right sides become."""

    def __init__(self, matrix: _Matrix, rows: Any, right: Any, eps: float) -> None:
        xp = self.xp = matrix.xp
        n = rows.shape[1]
        self.rows, self.right, self.factor, self.eps = rows, right, None, eps
        q, r = xp.linalg.qr(rows)
        i, j = (xp.arange(size, device=device(r)) for size in r.shape)
        self.diagonal = xp.abs(xp.sum(xp.where(i[:, None] == j[None, :], r, 0.0 * r), axis=0))
        least = eps * xp.max(self.diagonal)
        if rows.shape[0] >= n and bool(xp.all(self.diagonal > least)):
            self.factor, self.turned = r, xp.matrix_transpose(q) @ right

    def solved(self) -> Any:
        if self.factor is None:
            return pinv(self.rows) @ self.right
        return solve_triangular(self.factor, self.turned)


def _search(points: Any, right: Any, ends: list[Any], task: Task) -> tuple[Any, int, Any]:
    """Return inner knots along both axes, a status, and a penalty, or None."""
    s, eps = float(task.s or 0.0), task.eps
    xp, m, close, first = array_namespace(right), right.shape[0], _CLOSE * s, 0.0
    lists: list[list[float]] = [[], []]
    low = [float(ends[0][0]), float(ends[2][0])]
    high = [float(ends[1][0]), float(ends[3][0])]

    def inner() -> list[Any]:
        return [xp.asarray(v, dtype=right.dtype, device=device(right)) for v in lists]

    while True:
        knots = [
            xp.concat([ends[2 * i]] * (k + 1) + [v] + [ends[2 * i + 1]] * (k + 1), axis=0)
            for i, (v, k) in enumerate(zip(inner(), task.degrees, strict=True))
        ]
        matrix = _Matrix(points, knots, task.degrees)
        triangle = _Triangle(matrix, matrix.rows, right, eps)
        rest = (right - matrix.rows @ triangle.solved())[:, 0]
        rest = rest * rest
        total = float(xp.sum(rest))  # likewise: ignore[LW203]: values are at hand
        if matrix.count == m and triangle.factor is not None:
            total = 0.0  # but for rounding: the surface goes through the points
        none = not lists[0] and not lists[1]
        first, over = total if none else first, total - s
        if abs(over) <= close:
            return inner(), -1 if total <= 0 else -2 if none else 0, None
        if over < 0:
            if none:
                return inner(), -2, None
            return (inner(), *_penalized(matrix, triangle, right, s, first, over))
        if matrix.count > m:
            return inner(), 4, None
        status = _put(lists, (low, high), points, rest, matrix, task)
        if status:
            return inner(), status, None


def _put(
    lists: list[list[float]],
    ends: tuple[list[float], list[float]],
    points: Any,
    rest: Any,
    matrix: _Matrix,
    task: Task,
) -> int:
    """Put a knot where the squares of an interval are largest, at their mean; or say why not."""
    sums: list[float] = []
    places: list[float] = []
    axes: list[tuple[int, int]] = []
    for i in range(2):
        if len(lists[i]) + 2 * task.degrees[i] + 2 >= task.most[i]:
            continue
        count = len(lists[i]) + 1
        for out, v in ((sums, rest), (places, rest * points[i])):
            each = segment_sum(v, matrix.at[i], count)
            out += [float(each[j]) for j in range(count)]  # likewise: ignore[LW203]: at hand
        axes += [(i, j) for j in range(count)]
    if not axes:
        return 1
    while max(sums) > 0.0:
        at = sums.index(max(sums))
        i, j = axes[at]
        where, sums[at] = places[at] / sums[at], 0.0
        cuts = [ends[0][i], *lists[i], ends[1][i]]
        after, before = cuts[j + 1] - where, where - cuts[j]
        if after <= 10.0 * before and before <= 10.0 * after:
            lists[i].insert(j, where)
            return 0
    return 5


def _penalized(
    matrix: _Matrix, triangle: _Triangle, right: Any, s: float, first: float, over: float
) -> tuple[int, float]:
    xp, jumps = matrix.xp, matrix.jump()
    zeros = xp.zeros((jumps.shape[0], 1), dtype=right.dtype, device=device(right))
    if triangle.factor is None:
        rows, turned = matrix.rows, right
    else:
        rows, turned = triangle.factor, triangle.turned

    def call(p: float) -> float:
        whole = xp.concat([rows, jumps / p], axis=0)
        c = _Triangle(matrix, whole, xp.concat([turned, zeros], axis=0), triangle.eps).solved()
        rest = right - matrix.rows @ c
        return float(xp.sum(rest * rest)) - s  # likewise: ignore[LW203]: values are at hand

    p = matrix.count / float(xp.sum(triangle.diagonal))
    return penalty(call, p, first - s, over, _CLOSE * s, _STEPS)
