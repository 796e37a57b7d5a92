"""Units of unknowns and residuals in which squares neither overflow nor underflow.

Problems of ordinary size have units of 1.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, is_concrete
from .._steps._system import System

__all__ = ["Units", "in_units", "units_at"]


class Units(NamedTuple):
    """Hold the units of the unknowns, (B, p), and of the residuals, (B,)."""

    unknowns: Any
    residuals: Any

    def pair(self, bounds: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
        """Return bounds in these units."""
        return None if bounds is None else (bounds[0] / self.unknowns, bounds[1] / self.unknowns)


def units_at(x: Any, f: Any, jac: Any) -> Units | None:
    """Return units that suit a point, its residuals (B, n) and Jacobian (B, n, p).

    None if all are known to be 1. A Jacobian without rows means that it is not known.
    """
    xp = array_namespace(x)
    far = float(xp.finfo(x.dtype).max) ** 0.25

    def unfit(a: Any) -> Any:
        return xp.isfinite(a) & (a > 0) & ~((a < far) & (a > 1 / far))

    top = xp.max(xp.abs(f), axis=1)
    residuals = xp.where(unfit(top), top, xp.ones_like(top))
    size = xp.abs(x)
    unknowns = xp.where(unfit(size), size, xp.ones_like(size))
    if jac.shape[1]:
        tops = xp.max(xp.abs(jac), axis=1)
        fitting = residuals[:, None] / xp.where(tops > 0, tops, xp.ones_like(tops))
        wrong = unfit(tops * (unknowns / residuals[:, None])) & xp.isfinite(fitting)
        unknowns = xp.where(wrong & (fitting > 0), fitting, unknowns)
    ordinary = xp.all(unknowns == 1) & xp.all(residuals == 1)
    if is_concrete(ordinary) and bool(ordinary):
        return None
    return Units(unknowns, residuals)


def in_units(system: System, units: Units) -> System:
    """Return the functions, taking unknowns and returning values in these units."""
    u, h = units
    wide = h[:, None]

    def pullback(v: Any) -> Any:
        pull = system.pullback(u * v)
        return lambda w: u * pull(w / wide)

    return System(
        lambda v: system.residuals(u * v) / wide,
        lambda v: system.jacobian(u * v) * (u / wide)[:, None, :],
        lambda v, direction: system.forward(u * v, u * direction) / wide,
        pullback,
        system.exact,
        lambda bounds: in_units(system.within(bounds), units),
    )
