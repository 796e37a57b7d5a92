"""Steps that stay within bounds: shortened, reflected, or down the scaled gradient.

M. A. Branch, T. F. Coleman, Y. Li, A subspace, interior, and conjugate gradient method for
large-scale bound-constrained minimization problems, SIAM J. Sci. Comput. 21(1), 1999, section 4.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from .._steps._trust_region import dot, norm

__all__ = ["Bounds", "Model", "inside", "reflected"]

Bounds = tuple[Any, Any]
_FAR = 1e30


class Model(NamedTuple):
    """Model the cost after scaled steps s: ``gradient s + (|apply(d s)|^2 + bent s^2) / 2``."""

    gradient: Any  # (B, p), scaled
    d: Any  # (B, p), the scale
    bent: Any  # (B, p), the curvature that stands for the bounds
    apply: Callable[[list[Any]], list[Any]]  # products with the Jacobian

    def value(self, xp: Any, s: Any, js: Any) -> Any:
        return dot(xp, self.gradient, s) + self.curvature(xp, s, js)

    def curvature(self, xp: Any, s: Any, js: Any) -> Any:
        return 0.5 * (dot(xp, js, js) + dot(xp, self.bent * s, s))

    def along(
        self, xp: Any, base: tuple[Any, Any], turn: tuple[Any, Any], low: Any, high: Any
    ) -> tuple[Any, Any]:
        """Return the best ``base + t turn`` for t between `low` and `high`, with its product."""
        (s, js), (r, jr) = base, turn
        curve = self.curvature(xp, r, jr)
        slope = dot(xp, self.gradient, r) + dot(xp, js, jr) + dot(xp, self.bent * s, r)
        flat = curve <= 0
        t = -slope / (2 * xp.where(flat, xp.ones_like(curve), curve))
        t = xp.where(flat, xp.where(slope < 0, high, low), t)
        t = xp.minimum(xp.maximum(t, low), high)[:, None]
        return s + t * r, js + t * jr


def inside(bounds: Bounds | None, x: Any, margin: float = 0.0) -> Any:
    """Move `x` off its bounds by rounding, or by a relative margin at the start."""
    if bounds is None:
        return x
    xp = array_namespace(x)
    lower, upper = bounds
    one = xp.ones_like(x)
    low, high = xp.nextafter(lower, upper), xp.nextafter(upper, lower)
    if margin:
        half = 0.5 * (upper - lower)
        low = xp.maximum(low, lower + xp.minimum(margin * xp.maximum(one, xp.abs(lower)), half))
        high = xp.minimum(high, upper - xp.minimum(margin * xp.maximum(one, xp.abs(upper)), half))
    return xp.where(x < low, low, xp.where(x > high, high, x))


def _to_bound(bounds: Bounds, x: Any, s: Any) -> tuple[Any, Any]:
    """How many times `s` leads from `x` to a bound, and which unknowns hit theirs."""
    xp = array_namespace(x)
    lower, upper = bounds
    room = xp.where(s > 0, upper - x, lower - x)
    still = s == 0
    times = room / xp.where(still, xp.ones_like(s), s)
    times = xp.where(still | ~(times < _FAR), xp.full_like(s, _FAR), times)
    least = xp.min(times, axis=1)
    return least, times <= least[:, None]


def _to_radius(xp: Any, s: Any, r: Any, radius: Any) -> Any:
    """The t, not negative, for which ``s + t r`` has the length of the radius."""
    a, b = dot(xp, r, r), dot(xp, s, r)
    zero = xp.zeros_like(a)
    rest = xp.maximum(radius * radius - dot(xp, s, s), zero)
    a = xp.where(a > 0, a, xp.ones_like(a))
    return (xp.sqrt(b * b + a * rest) - b) / a


def reflected(
    bounds: Bounds, model: Model, x: Any, s: Any, radius: Any, stay: Any
) -> tuple[Any, Any]:
    """Return a scaled step from `x` within the bounds, and its product with the Jacobian.

    It is the trust region's step `s` if that stays inside; else the best of that step shortened,
    its reflection at the bound, and steepest descent. `stay`, (B,), is the fraction of the distance
    to a bound that a step may go.
    """
    xp = array_namespace(s)
    g, d, _, apply = model
    zero = xp.zeros_like(radius)
    times, hits = _to_bound(bounds, x, d * s)
    turn, descent = xp.where(hits, -s, s), -g
    js, jt, jd = apply([d * s, d * turn, d * descent])

    cut = xp.minimum(times, xp.ones_like(times))[:, None]
    base = cut * s, cut * js
    short = stay[:, None] * base[0], stay[:, None] * base[1]

    far, _ = _to_bound(bounds, inside(bounds, x + d * base[0]), d * turn)
    high = xp.minimum(stay * far, _to_radius(xp, base[0], turn, radius))
    turned = model.along(xp, base, (turn, jt), (1 - stay) * high, high)

    far, _ = _to_bound(bounds, x, d * descent)
    length = norm(xp, descent)
    high_down = xp.minimum(stay * far, radius / xp.where(length > 0, length, xp.ones_like(length)))
    nowhere = xp.zeros_like(s), xp.zeros_like(js)
    down = model.along(xp, nowhere, (descent, jd), zero, high_down)

    out, best = short, model.value(xp, *short)
    for step, possible in ((turned, high > 0), (down, high_down > 0)):
        cost = model.value(xp, *step)
        better = possible & (cost < best)
        best = xp.where(better, cost, best)
        out = (
            xp.where(better[:, None], step[0], out[0]),
            xp.where(better[:, None], step[1], out[1]),
        )
    within = (times > 1)[:, None]
    return xp.where(within, s, out[0]), xp.where(within, js, out[1])
