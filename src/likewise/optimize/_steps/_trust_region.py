"""The minimum of a convex quadratic within a ball, for many problems at once.

J. J. Moré, D. C. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4(3), 1983,
section 3: Newton's method on ``1 / |s(a)| = 1 / radius`` for the multiplier a, from its left,
where it converges without any safeguard. There is no hard case, as no curvature is negative.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes

__all__ = ["dot", "norm", "trust_region_step"]

_NEAR = 1.1  # of the radius: near enough
_MOST = 12


def dot(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum(a * b, axis=1)


def norm(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=1))


class _Problem(NamedTuple):
    hessian: Any  # (B, k, k)
    gradient: Any  # (B, k)
    radius: Any  # (B,)
    floor: Any  # (B, k): what rounding may have made negative
    least: Any  # (B,): the least shift that tells, where a factor fails


class _State(NamedTuple):
    shift: Any  # (B,)
    step: Any  # (B, k)
    status: Any  # (B,)


def trust_region_step(hessian: Any, gradient: Any, radius: Any, wanted: Any) -> Any:
    """Return the s, (B, k), that minimises ``g s + s H s / 2`` for ``|s| <= radius``.

    H must be positive semidefinite. Only problems of the mask `wanted`, (B,), are solved.
    """
    xp = array_namespace(gradient)
    k = gradient.shape[1]
    eye = xp.eye(k, dtype=gradient.dtype, device=device(gradient))
    sizes = xp.sum(hessian * eye, axis=-1)
    top = xp.max(sizes, axis=1)
    top = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    # Of an entry of the diagonal by its own size, as factors round: the largest would hide a valley
    # along unknowns whose columns are of other sizes.
    sizes = xp.where((sizes > 0) & xp.isfinite(sizes), sizes, top[:, None])
    rounding = k * float(xp.finfo(gradient.dtype).eps)
    # Where all attempts fail, the way down the gradient.
    size = norm(xp, gradient)
    size = xp.where(size > 0, size, xp.ones_like(size))
    first = _State(
        xp.zeros_like(radius),
        -gradient * (radius / size)[:, None],
        outcomes(radius, (~wanted, Outcome.CONVERGED)),
    )
    problem = _Problem(hessian, gradient, radius, rounding * sizes, rounding * top)
    end = iterate(Method(lambda _: first, _step), problem, _MOST)
    length = norm(xp, end.step)
    cut = xp.where(
        length > radius, radius / xp.where(length > 0, length, xp.ones_like(length)), 1.0
    )
    return end.step * cut[:, None]


def _step(problem: _Problem, state: _State) -> _State:
    s, t = _solved(problem, state.shift)
    xp = array_namespace(s)
    length = norm(xp, s)
    failed = ~xp.isfinite(length)
    near = length <= _NEAR * problem.radius
    slope = dot(xp, s, t)
    slope = xp.where(slope > 0, slope, xp.ones_like(slope))
    further = state.shift + (length / problem.radius - 1) * length * (length / slope)
    further = xp.where(failed, 100 * (state.shift + problem.least), further)
    return _State(
        xp.where(near, state.shift, further),
        xp.where(failed[:, None], state.step, s),
        outcomes(length, (near, Outcome.CONVERGED)),
    )


def _solved(problem: _Problem, shift: Any) -> tuple[Any, Any]:
    """The step for a shift of the matrix, and that matrix' inverse times it."""
    xp = array_namespace(problem.gradient)
    right = -problem.gradient
    eye = xp.eye(right.shape[1], dtype=right.dtype, device=device(right))
    matrix = problem.hessian + (problem.floor + shift[:, None])[:, :, None] * eye
    if matrix.shape[0] == 1:  # a single large matrix has quicker routines
        factor = cho_factor(matrix[0, ...], lower=True)
        s = cho_solve(factor, right[0, :])
        return s[None, :], cho_solve(factor, s)[None, :]
    factor = cho_factor(matrix, lower=True)
    s = cho_solve(factor, right[:, :, None])
    return s[..., 0], cho_solve(factor, s)[..., 0]
