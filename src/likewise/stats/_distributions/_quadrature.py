"""Expected values by double exponential quadrature (H. Takahasi, M. Mori, Publ. RIMS 9, 1974, 721).

The support is put on a line, where algebraic tails decay exponentially, and that over ``sinh(t)``:
the trapezoidal rule in t converges exponentially for analytic functions.
"""

from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral, quiet
from ...special._function import _as_given
from ._line import place, position

__all__ = ["expected", "mean_of"]

NODES = 513


def mean_of(
    density: Callable[[Any], Any],
    function: Callable[[Any], Any],
    ends: tuple[Any, Any],
    quartiles: tuple[Any, Any, Any],
    checked: bool = False,
) -> Any:
    """Return the integral of a function times a density.

    Parameters
    ----------
    density, function : callable
        Of arrays with a further first dimension.
    ends : pair of array or number
        The interval: the density's support, or a part of it.
    quartiles : tuple of array
        Three points in ascending order where the bulk of the density is.
    checked : bool, optional
        Whether the result is NaN where every other node gives another one, by a thousandth of the
        absolute integral: the error of all nodes is about the square of that.
    """
    xp = array_namespace(*quartiles)
    a, b = ends
    low, middle, high = (position(q, a, b) for q in quartiles)
    width = xp.where(high > low, 0.5 * (high - low), 1.0)
    last = 6.0 if middle.dtype == xp.float32 else 7.0
    t = xp.linspace(-last, last, NODES, dtype=middle.dtype, device=device(middle))
    t = xp.reshape(t, (NODES, *(1,) * middle.ndim))
    s, ds = xp.sinh(t), xp.cosh(t)
    x, dx = place(middle + width * s, a, b)
    weight = density(x) * dx * ds
    there = (weight > 0) & xp.isfinite(weight)  # a density may be infinite at its ends
    y = xp.where(there, function(xp.where(there, x, middle)) * xp.where(there, weight, 1.0), 0.0)
    total = xp.sum(y, axis=0)
    if checked:
        apart = xp.abs(total - 2 * xp.sum(y[::2, ...], axis=0))
        total = xp.where(apart > 1e-3 * xp.sum(xp.abs(y), axis=0), xp.nan, total)
    return total * width * (2 * last / (NODES - 1))


def expected(
    name: str,
    density: Callable[[Any], Any],
    function: Callable[[Any], Any],
    ends: tuple[Any, Any],
    quartiles: tuple[Any, ...],
) -> Any:
    """Return the integral as `mean_of`, of numbers or arrays of any floating dtype."""
    given = (*quartiles, *ends)
    xp = array_namespace(*given)
    a, b = (float(e) if is_neutral(e) else e for e in ends)
    points = _plan.common_floating(name, xp, ("lower", "median", "upper"), *quartiles, real=True)
    points = tuple(map(xp.asarray, points))
    with quiet(points[0]):  # an interval may be empty
        found = mean_of(density, function, (a, b), points)
    return _as_given(found, given)
