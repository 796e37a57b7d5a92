"""Fits with constraints on the parameters: residuals for constrained least squares, covariances.

The covariance is that of estimates on the tangent space of the active constraints (J. Aitchison, S.
D. Silvey, Maximum-likelihood estimation of parameters subject to restraints, Ann. Math. Statist.
29, 1958): with a basis N of it, ``N (N^T J^T J N)^-1 N^T``.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, quiet
from ...solving._following import constants
from ...solving._function import DIFFERENCES
from ...solving._lanes import Laned
from ...solving._running import compiles
from ...transforms import stop_gradient
from .._constraints._canonical import Constraints
from .._quadratic._squares import Constrained, Tests, constrained_least_squares, planned_rows
from .._steps._loss import Rho
from .._steps._marquardt import Limits
from ._arguments import Fits
from ._description import described
from ._fit import Fitted, without_failed
from ._model import Model, Rows, turned
from ._units import height, unit

__all__ = ["constrained"]


class _Squares(NamedTuple):
    """A model's residuals as functions of points (B, p) and the data of these problems."""

    model: Model
    x: Any

    def residuals(self, v: Any, *data: Any) -> Any:
        rows = turned(Rows(*data))
        turn = array_namespace(v).matrix_transpose
        return self.model.values(self.model.predictors(self.x, rows), rows, turn(v))

    def jacobian(self, v: Any, *data: Any) -> Any:
        rows = turned(Rows(*data))
        xp = array_namespace(v)
        x = self.model.predictors(self.x, rows)
        r, columns = self.model.weighted(x, rows, xp.matrix_transpose(v))
        every = self.model.every(columns, r)
        xp = array_namespace(r, *every)
        return xp.stack([xp.broadcast_to(c, r.shape) for c in every], axis=-1)

    def pullback(self, v: Any, *data: Any) -> Any:
        matrix = self.jacobian(v, *data)
        return lambda u: array_namespace(u, matrix).matmul(u[:, None, :], matrix)[:, 0, :]


class _Still(NamedTuple):
    """The same as constants for derivatives."""

    squares: _Squares

    def residuals(self, v: Any, *data: Any) -> Any:
        return stop_gradient(self.squares.residuals(v, *data))

    def jacobian(self, v: Any, *data: Any) -> Any:
        return stop_gradient(self.squares.jacobian(v, *data))


def constrained(
    problem: Fits, constraints: Any, tests: Limits, absolute_sigma: bool, plain: bool
) -> tuple[Any, ...]:
    """Return the fields of the result of problems with constraints.

    If `plain`, parameters of fits that failed are NaN.
    """
    model, x, rows, batch = problem
    like = rows.y
    given = [a for a in rows if a is not None]
    lifted = iter(constants([*given, x] if hasattr(x, "dtype") else given))
    rows = Rows(*(None if a is None else next(lifted) for a in rows))
    x = next(lifted, x)
    known, data = planned_rows(
        "curve_fit", rows.start, constraints, _limits(model, rows), batch, False, "p0"
    )
    if model.jac in DIFFERENCES:
        known = known.differenced(model.jac)
    squares = _Squares(model, x)
    lanes = None if model.single or compiles(like) else Laned()
    still = _Still(_Squares(model._replace(lanes=lanes), stop_gradient(x)))
    rho = None if model.loss is None else _rho(model.loss, model.n)
    with quiet(like):  # trial steps may overflow the model, and are rejected for it
        found = constrained_least_squares(
            still, squares, known, data._replace(data=tuple(rows)), rho, model.f_scale,
            Tests(tests.ftol, tests.xtol, tests.gtol, tests.max_nfev, True),
        )  # fmt: skip
        fitted = _told(squares, known, data, rows, found, absolute_sigma)
    fields = without_failed(fitted) if plain else fitted
    xp = array_namespace(fields.popt)
    every = (*fields, found.y, found.z, found.apart)
    return tuple(xp.reshape(a, (*(batch or ()), *a.shape[1:])) for a in every)


def _limits(model: Model, rows: Rows) -> tuple[Any, Any] | None:
    """Return the bounds, (B, p), which hold fixed parameters where they start."""
    if not model.fixed:
        return None if rows.low is None else (rows.low, rows.high)
    xp = array_namespace(rows.start)
    still = xp.stack(
        [xp.full_like(rows.start[:, 0], j in model.fixed) for j in range(rows.start.shape[1])],
        axis=1,
    )
    far = xp.full_like(rows.start, xp.inf)
    low, high = (-far, far) if rows.low is None else (rows.low, rows.high)
    return xp.where(still > 0, rows.start, low), xp.where(still > 0, rows.start, high)


def _rho(loss: Rho, n: int) -> Rho:
    """Return the loss of the data's residuals; priors' stay as they are."""

    def rho(z: Any) -> tuple[Any, Any, Any]:
        found = loss(z[:, :n])
        if int(z.shape[1]) == n:
            return found
        rest = z[:, n:]
        xp = array_namespace(z)
        others = (rest, xp.ones_like(rest), xp.zeros_like(rest))
        value, first, second = (
            xp.concat([a, b], axis=1) for a, b in zip(found, others, strict=True)
        )
        return value, first, second

    return rho


def _told(
    squares: _Squares,
    known: Constraints,
    data: Any,
    rows: Rows,
    found: Constrained,
    absolute_sigma: bool,
) -> Fitted:
    xp = array_namespace(found.x)
    # Those of the search are constants for derivatives.
    slopes = found.slopes
    if not known.curved and data.matrix is not None:
        slopes = data.matrix + xp.zeros_like(slopes)
    if known.curved:
        eye = xp.eye(known.count, dtype=found.x.dtype, device=device(found.x))
        one = xp.ones_like(stop_gradient(found.x[:, :1]))
        pulled = [known.pulled(found.x, one * eye[i, :], data.matrix) for i in range(known.count)]
        slopes = xp.stack(pulled, axis=1)
    held = xp.where(found.active[:, :, None], slopes, xp.zeros_like(slopes))
    turn = xp.matrix_transpose
    now = turned(rows)
    now = now._replace(height=height(rows).height, unit=unit(now))
    told = described(squares.model, squares.x, now, turn(found.x), absolute_sigma, held)
    solved = (found.outcome > 0)[:, None, None]
    pcov = xp.where(solved, told.pcov, xp.full_like(told.pcov, xp.nan))
    nit = xp.where(found.nfev > 0, found.nfev - 1, found.nfev)
    return Fitted(found.x, *told._replace(pcov=pcov), nit, found.outcome)
