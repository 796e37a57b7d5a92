"""The minimum of a quadratic within a ball, for many problems at once.

J. J. Moré, D. C. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4(3), 1983,
section 3: Newton's method on ``1 / |s(a)| = 1 / radius`` for the multiplier a, from its left,
where it converges without any safeguard. For convex quadratics there is no hard case; for others
the equation is in the coordinates of the eigenvectors.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve, eigh
from ...solving._driver import Method, iterate
from ...solving._outcome import Outcome, outcomes

__all__ = ["dot", "exact_step", "norm", "secular", "trust_region_step"]

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


def exact_step(hessian: Any, gradient: Any, radius: Any, most: int = _MOST) -> tuple[Any, Any, Any]:
    """Return the s, (B, k), that minimises ``g s + s H s / 2`` for ``|s| <= radius``, for any H.

    Also return ``H s``, and whether s is on the border. Where H isn't finite s is 0. The equation
    for the multiplier is solved by at most `most` of Newton's steps.
    """
    xp = array_namespace(gradient)
    eye = xp.eye(gradient.shape[1], dtype=gradient.dtype, device=device(gradient))
    finite = xp.all(xp.isfinite(hessian), axis=(1, 2))
    hessian = xp.where(finite[:, None, None], hessian, eye)
    values, vectors = eigh(hessian)
    turned = xp.matmul(xp.matrix_transpose(vectors), gradient[:, :, None])[:, :, 0]
    turned = xp.where(finite[:, None], turned, xp.zeros_like(turned))
    s, border = secular(values, turned, radius, most)
    both = xp.matmul(vectors, xp.stack([s, values * s], axis=-1))
    return both[:, :, 0], both[:, :, 1], border


def secular(values: Any, g: Any, radius: Any, most: int = _MOST) -> tuple[Any, Any]:
    """Return the same for diagonal matrices of ascending values, (B, k), and whether on the border.

    The first multiplier makes the longest of the step's elements as long as the radius: that is to
    the left of the solution, and near it, also where the gradient is almost orthogonal to the
    lowest eigenvector.
    """
    xp = array_namespace(g)
    low = values[:, 0]
    tiny = float(xp.finfo(g.dtype).smallest_normal)
    scale = xp.max(xp.abs(values), axis=1)
    least = 10 * float(xp.finfo(g.dtype).eps) * scale
    zero = xp.zeros_like(radius)

    def step(shift: Any) -> tuple[Any, Any]:
        shifted = values + shift[:, None]
        known = shifted > tiny
        safe = xp.where(known, shifted, xp.ones_like(shifted))
        return xp.where(known, -g / safe, xp.zeros_like(g)), safe

    inner, _ = step(zero)
    inside = (low > least) & (norm(xp, inner) <= radius)
    shift = xp.maximum(xp.max(xp.abs(g) / radius[:, None] - values, axis=1), zero)
    for _ in range(most):
        s, safe = step(shift)
        length = norm(xp, s)
        slope = xp.sum(s * s / safe, axis=1)
        more = (length / radius - 1) * length * (length / xp.where(slope > 0, slope, 1.0))
        shift = shift + xp.where((slope > 0) & (more > 0), more, zero)
    s, _ = step(shift)
    # The hard case: what is missing is along the lowest eigenvector.
    rest = dot(xp, s[:, 1:], s[:, 1:])
    first = xp.sqrt(xp.maximum(radius * radius - rest, zero))
    first = xp.where(g[:, 0] > 0, -first, first)
    hard = (low <= least) & (norm(xp, s) < 0.999 * radius)
    s = xp.concat([xp.where(hard, first, s[:, 0])[:, None], s[:, 1:]], axis=1)
    length = norm(xp, s)
    s = s * xp.where(length > radius, radius / xp.where(length > 0, length, 1.0), 1.0)[:, None]
    flat = xp.all(g == 0, axis=1) & (low >= 0)
    inside = inside | flat
    return xp.where(inside[:, None], xp.where(flat[:, None], 0.0, inner), s), ~inside
