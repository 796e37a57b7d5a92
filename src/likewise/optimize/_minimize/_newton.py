"""Directions of truncated Newton methods, by conjugate gradients."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes
from .._steps._trust_region import dot
from ._method import Rows
from ._objective import Objective

__all__ = ["newton_direction"]


class _Inner(NamedTuple):
    z: Any  # (B, p), the direction so far
    r: Any  # its residual
    d: Any  # the next direction
    status: Any
    count: Any


def newton_direction(
    objective: Objective, problems: Rows, x: Any, g: Any, wanted: Any, most: int, part: float
) -> tuple[Any, Any]:
    """Return directions (B, p) for the problems of a mask, and products with the Hessian (B,).

    R. S. Dembo, T. Steihaug, Truncated-Newton algorithms for large-scale unconstrained
    optimization, Math. Programming 26, 1983: conjugate gradients until the residual is `part` of
    the gradient, or less as that falls, or until a direction curves downwards. Variables at a bound
    that the gradient pushes out of the box don't move.
    """
    xp = array_namespace(x)
    free = xp.ones_like(x, dtype=xp.bool)
    if problems.lower is not None:
        free = ~(((x <= problems.lower) & (g > 0)) | ((x >= problems.upper) & (g < 0)))
    g = xp.where(free, g, xp.zeros_like(g))
    size = xp.sum(xp.abs(g), axis=1)
    enough = size * xp.minimum(xp.full_like(size, part), xp.sqrt(size))
    status = outcomes(size, (~wanted | (size == 0), Outcome.CONVERGED))
    first = _Inner(xp.zeros_like(g), g, -g, status, xp.zeros_like(status))
    flat = 3 * float(xp.finfo(x.dtype).eps)

    def step(_: Any, s: _Inner) -> _Inner:
        product = objective.hessian_product(x, s.d, *problems[1:3])
        product = xp.where(free, product, xp.zeros_like(product))
        bend, rr = dot(xp, s.d, product), dot(xp, s.r, s.r)
        dd = dot(xp, s.d, s.d)
        good = (bend > flat * dd) & xp.isfinite(bend)
        # Along a gradient that curves downwards at once, as far as a like curve upwards would.
        back = (s.count == 0) & (bend < 0) & xp.isfinite(bend)
        length = rr / xp.where(good | back, xp.abs(bend), xp.ones_like(bend))
        length = xp.where(good | back, length, xp.zeros_like(length))[:, None]
        r = s.r + length * product
        turn = dot(xp, r, r) / xp.where(rr > 0, rr, xp.ones_like(rr))
        ended = ~good | (xp.sum(xp.abs(r), axis=1) <= enough)
        status = outcomes(bend, (ended, Outcome.CONVERGED))
        d = turn[:, None] * s.d - r
        return _Inner(s.z + length * s.d, r, d, status, s.count + 1)

    # The objective takes all problems: none are dropped.
    end: _Inner = iterate(Method(lambda _: first, step), (), most, joint=True)
    return end.z, end.count
