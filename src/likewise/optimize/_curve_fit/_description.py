"""Covariance, sums of squares and explained variance of a fit."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import inv, pinv, solve_triangular
from ...solving._following import columns_error
from ...transforms import stop_gradient
from .._steps._marquardt import Solution
from .._steps._normal_equations import diagonal, inverted
from ._covariance import covariance
from ._model import Model, Rows
from ._portions import in_portions

__all__ = ["Description", "at_solution", "described"]


class Description(NamedTuple):
    """Hold covariance, sum of squares, reduced chi-square and fraction of explained variance."""

    pcov: Any  # (B, p, p)
    rss: Any
    chi2: Any
    r_squared: Any

    def by_row(self) -> set[str]:
        """Name the fields whose first axis is the problems."""
        return {"pcov"}


def at_solution(rows: Rows, found: Solution, absolute_sigma: bool) -> tuple[Description, Any]:
    """Describe fits by the last step's normal matrix; also return where it is nearly singular."""
    xp = array_namespace(found.x)
    p = found.x.shape[0]
    norms = xp.sqrt(diagonal(found.normal))
    safe = xp.where(norms > 0, norms, 1.0)
    inverse, pivot = inverted(found.normal / (safe[:, None, :] * safe))
    vague = ~(pivot > float(xp.finfo(norms.dtype).eps) ** 0.25)
    height = rows.height
    share = 1 - 2 * found.cost / in_portions(_spread_of_data, rows).spread
    rss = 2 * found.cost * height * height
    variance, enough = _variance(xp, rows, 2 * found.cost, p)
    each = rows.unit / safe
    if absolute_sigma:
        each = each / height
    else:
        each = each * xp.sqrt(variance)
        vague = vague | ~enough
    entries = [inverse[i, j, :] * each[i, :] * each[j, :] for i in range(p) for j in range(p)]
    pcov = xp.reshape(xp.stack(entries, axis=-1), (-1, p, p))
    return Description(pcov, rss, variance * height * height, share), vague


def _variance(xp: Any, rows: Rows, twice: Any, free: Any) -> tuple[Any, Any]:
    """The reduced chi-square in units of the problems, and where there are enough data for it."""
    points = xp.full_like(twice, rows.y.shape[1])
    if rows.weight is not None:
        points = xp.sum(xp.astype(rows.weight != 0, twice.dtype), axis=1)
    if rows.precision is not None:  # each is one more observation
        points = points + xp.sum(xp.astype(rows.precision > 0, twice.dtype), axis=0)
    freedom = points - free
    enough = freedom > 0
    safe = xp.where(enough, freedom, xp.ones_like(freedom))
    return xp.where(enough, twice / safe, xp.full_like(twice, xp.inf)), enough


def described(
    model: Model, x: Any, rows: Rows, popt: Any, absolute_sigma: bool, held: Any = None
) -> Description:
    """Describe fits by the Jacobian at the solution.

    Parameters move only across `held`, (B, m, p), the derivatives of constraints.
    """
    xp = array_namespace(popt)
    p, count = popt.shape
    r, columns = model.weighted(model.predictors(x, rows), rows, popt)
    height = rows.height
    twice = model.reweighted(rows, r, [])[2]
    columns = model.curved(rows, r, columns)
    data = r[:, : model.n]  # without the priors'
    rss = xp.vecdot(data, data)
    free = p - len(model.fixed)
    columns = [xp.broadcast_to(c, r.shape) for c in columns]
    tangent = None
    if held is not None and free:
        moving = [j for j in range(p) if j not in model.fixed]
        parts = [held[:, :, j] * rows.unit[j, :, None] for j in moving]
        tangent = _Tangent.of(columns, xp.stack(parts, axis=2))
        columns = tangent.columns
    variance, enough = _variance(xp, rows, twice, free if tangent is None else tangent.free)
    pcov = xp.zeros((count, p, p), dtype=popt.dtype, device=device(popt))
    if free:
        eps = float(xp.finfo(popt.dtype).eps)
        error = eps if callable(model.jac) else columns_error(popt, model.jac)
        pcov = covariance(columns, error)
        infinite = xp.isinf(pcov)
        if tangent is not None:
            pcov = tangent.projected(xp.where(infinite, xp.zeros_like(pcov), pcov))
        if not absolute_sigma:
            infinite = infinite | ~enough[:, None, None]
            pcov = pcov * xp.where(enough, variance, xp.ones_like(variance))[:, None, None]
        unit = xp.matrix_transpose(rows.unit)
        if absolute_sigma:
            unit = unit / height[:, None]
        if model.fixed:
            pcov, infinite = (
                _spread(xp, pcov, model.fixed, p),
                _spread(xp, infinite, model.fixed, p),
            )
        pcov = pcov * unit[:, :, None] * unit[:, None, :]
        pcov = xp.where(infinite, xp.full_like(pcov, xp.inf), pcov)
    r_squared = 1 - rss / _spread_of_data(rows).spread
    return Description(pcov, rss * height * height, variance * height * height, r_squared)


class _Tangent(NamedTuple):
    """The space along active constraints, of parameters in units in which columns have length 1.

    `columns` are those of the Jacobian along it, over those of the projection across it. So the
    inverse of their normal matrix has one block for each, whatever the number of constraints.
    """

    columns: list[Any]  # (B, n + p) each
    along: Any  # (B, p, p), the projection
    size: Any  # (B, p)
    free: Any  # (B,), its dimension

    @classmethod
    def of(cls, columns: list[Any], held: Any) -> "_Tangent":
        """Make it of a Jacobian's columns (B, n), and of constraints' rows, 0 for idle ones."""
        matrix = array_namespace(*columns).stack(columns, axis=2)
        xp = array_namespace(matrix, held)
        size = _length(matrix, 1)
        rows = held / size
        rows = rows / _length(rows, 2)
        size = size[:, 0, :]
        m, p = int(rows.shape[1]), int(rows.shape[2])
        still = stop_gradient(rows)
        inverse = pinv(still, rtol=float(xp.finfo(rows.dtype).eps) ** 0.75)
        # Idle rows, and those that follow from others: there the inverse may be anything.
        idle = xp.eye(m, dtype=rows.dtype, device=device(rows)) - xp.matmul(still, inverse)
        back = xp.matrix_transpose(rows)
        across = xp.matmul(back, xp.matmul(inv(xp.matmul(rows, back) + idle), rows))
        eye = xp.eye(p, dtype=rows.dtype, device=device(rows))
        along = eye - across
        both = xp.concat([xp.matmul(matrix / size[:, None, :], along), across], axis=1)
        free = xp.round(stop_gradient(xp.sum(along * eye, axis=(1, 2))))
        return cls([both[:, :, j] for j in range(p)], along, size, free)

    def projected(self, inverse: Any) -> Any:
        """Return the block along the constraints, (B, p, p), in the columns' units."""
        xp = array_namespace(inverse)
        found = xp.matmul(self.along, xp.matmul(inverse, self.along))
        return found / (self.size[:, :, None] * self.size[:, None, :])


def _length(a: Any, axis: int) -> Any:
    """Return lengths, 1 in place of 0, where these have no derivative."""
    xp = array_namespace(a)
    square = xp.sum(a * a, axis=axis, keepdims=True)
    return xp.sqrt(xp.where(square > 0, square, xp.ones_like(square)))


def _spread(xp: Any, a: Any, fixed: tuple[int, ...], p: int) -> Any:
    """Rows and columns of zeros for what is fixed."""
    free = iter(range(p))
    places = [None if j in fixed else next(free) for j in range(p)]
    lines = []
    for i in places:
        zero = xp.zeros_like(a[:, 0, 0])
        lines += [zero if i is None or j is None else a[:, i, j] for j in places]
    return xp.reshape(xp.stack(lines, axis=-1), (a.shape[0], p, p))


class _Spread(NamedTuple):
    """The (weighted) sum of squares of the data around their mean, in units of the problem.

    NaN where that is 0.
    """

    spread: Any


def _spread_of_data(rows: Rows) -> _Spread:
    xp = array_namespace(rows.y)
    y, ones = rows.y, xp.ones_like(rows.y)
    if rows.weight is not None:
        y = xp.where(rows.weight > 0, y, xp.zeros_like(y)) * rows.weight
        ones = rows.weight
    if rows.factor is not None:
        both = solve_triangular(rows.factor, xp.stack([y, ones], axis=-1), lower=True)
        y, ones = both[:, :, 0], both[:, :, 1]
    total = xp.vecdot(ones, ones)
    mean = xp.vecdot(ones, y) / xp.where(total > 0, total, xp.ones_like(total))
    off = (y - mean[:, None] * ones) / rows.height[:, None]
    spread = xp.vecdot(off, off)
    return _Spread(xp.where(spread > 0, spread, xp.nan))
