"""Loss functions of squared residuals, and their effect on residuals and Jacobians.

The cost is ``1/2 sum(s^2 rho((r / s)^2))`` for residuals r and their scale s (`f_scale`). The step
near an outlier follows B. Triggs, P. McLauchlan, R. Hartley, A. Fitzgibbon, Bundle adjustment - a
modern synthesis, 2000, section 4.3: residuals and rows of the Jacobian are scaled so that the
ordinary Gauss-Newton model of them has the gradient of the cost, and its curvature along each
residual as far as that is positive.
"""

from collections.abc import Callable
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, describe
from ...errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError

__all__ = ["LOSSES", "Rho", "loss_function", "named", "robust", "scaled"]

Rho = Callable[[Any], tuple[Any, Any, Any]]


def _linear(z: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(z)
    return z, xp.ones_like(z), xp.zeros_like(z)


def _soft_l1(z: Any) -> tuple[Any, Any, Any]:
    """``2 (sqrt(1 + z) - 1)``, without the cancellation of small z."""
    xp = array_namespace(z)
    root = xp.sqrt(1 + z)
    first = 1 / root
    return 2 * z / (1 + root), first, -0.5 * first / (1 + z)


def _huber(z: Any) -> tuple[Any, Any, Any]:
    """z up to 1, ``2 sqrt(z) - 1`` above."""
    xp = array_namespace(z)
    inside = z <= 1
    safe = xp.where(inside, xp.ones_like(z), z)  # no root of 0, whose derivative is infinite
    first = 1 / xp.sqrt(safe)
    zero = xp.zeros_like(z)
    return (
        xp.where(inside, z, 2 * xp.sqrt(safe) - 1),
        first,
        xp.where(inside, zero, -0.5 * first / safe),
    )


def _cauchy(z: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(z)
    first = 1 / (1 + z)
    return xp.log1p(z), first, -first * first


def _arctan(z: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(z)
    first = 1 / (1 + z * z)
    return xp.atan(z), first, -2 * z * first * first


Loss = Literal["linear", "soft_l1", "huber", "cauchy", "arctan"]
LOSSES: dict[str, Rho] = {
    "linear": _linear,
    "soft_l1": _soft_l1,
    "huber": _huber,
    "cauchy": _cauchy,
    "arctan": _arctan,
}


def named(rho: Rho | None) -> bool:
    """Tell if a loss is None or has a name."""
    return rho is None or rho in LOSSES.values()


def loss_function(function: str, loss: Any) -> Rho:
    """Return the loss with a given name, ``rho(z) -> (rho, rho', rho'')``, elementwise.

    A callable is SciPy's: it takes z with one dimension, for any batch, and returns the three
    values stacked along the first axis.
    """
    if not callable(loss):
        if not isinstance(loss, str):
            raise ArgumentError(
                f"{function}: loss must be a name or a callable, got {describe(loss)}"
            )
        _plan.choice(function, "loss", loss, tuple(LOSSES))
        return LOSSES[loss]

    def own(z: Any) -> tuple[Any, Any, Any]:
        xp = array_namespace(z)
        flat = xp.reshape(z, (-1,))
        rho = loss(flat)
        if not isinstance(rho, tuple | list) and not hasattr(rho, "shape"):
            raise ArrayTypeError(f"{function}: {_THREE}, got {describe(rho)}")
        count = len(rho) if isinstance(rho, tuple | list) else (*rho.shape, 0)[0]
        if count != 3:
            raise ShapeError(f"{function}: {_THREE}, got {count} of them: {describe(rho)}")
        first, second, third = (_one_of_three(function, rho[i], flat) for i in range(3))
        return tuple(xp.reshape(a, tuple(z.shape)) for a in (first, second, third))

    return own


_THREE = "loss must return three arrays, rho(z) and its first and second derivative"


def _one_of_three(function: str, a: Any, z: Any) -> Any:
    """Return what a caller's loss returned, as large as z, or say what is wrong with it."""
    if isinstance(a, int | float):
        return array_namespace(z).full_like(z, float(a))
    xp = array_namespace(z, a)
    if a.dtype != z.dtype:
        raise DtypeError(
            f"{function}: {_THREE}, of z's dtype {z.dtype}, got {describe(a)}; give dtype=z.dtype "
            "where it makes arrays"
        )
    if tuple(a.shape) not in ((), tuple(z.shape)):
        raise ShapeError(
            f"{function}: {_THREE}, of z's shape {tuple(z.shape)}, got shape {tuple(a.shape)}"
        )
    return xp.broadcast_to(a, tuple(z.shape))


def scaled(rho: Rho, r: Any, f_scale: Any) -> tuple[Any, Any, Any]:
    """Return ``s^2 rho((r / s)^2)`` and its two derivatives with respect to ``r^2``."""
    value, first, second = rho((r / f_scale) ** 2)
    return value * f_scale**2, first, second / f_scale**2


def robust(rho: Rho, r: Any, f_scale: Any) -> tuple[Any, Any, Any]:
    """Return the contributions of residuals, of any shape, to the cost, and two factors.

    The cost is half the sum of the contributions. ``factor_r * r`` and ``factor_j[..., None] * J``
    (rows belong to residuals) are residuals and a Jacobian for an ordinary least-squares step:
    their product is the gradient, their normal matrix the curvature.
    """
    xp = array_namespace(r)
    value, first, second = scaled(rho, r, f_scale)
    # Along a residual the curvature is rho' + 2 rho'' r^2; where the loss is concave, next to none.
    curvature = first + 2 * second * r * r
    least = float(xp.finfo(r.dtype).eps)
    factor_j = xp.sqrt(xp.where(curvature > least, curvature, xp.full_like(curvature, least)))
    return value, first / factor_j, factor_j
