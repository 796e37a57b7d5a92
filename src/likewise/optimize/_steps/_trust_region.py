"""The least of a convex quadratic within a ball, many at once.

J. J. Moré, D. C. Sorensen, Computing a trust region step, SIAM J. Sci. Stat. Comput. 4(3), 1983,
section 3: Newton's method on ``1 / |s(a)| = 1 / radius`` for the multiplier a, from its left,
where it converges without any safeguard. There is no hard case, as no curvature is negative.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...linalg import cho_factor, cho_solve
from ...transforms import while_loop

__all__ = ["dot", "norm", "trust_region_step"]

_NEAR = 1.1  # of the radius: near enough
_MOST = 12


def dot(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum(a * b, axis=1)


def norm(xp: Any, v: Any) -> Any:
    return xp.sqrt(xp.sum(v * v, axis=1))


class _State(NamedTuple):
    shift: Any  # (B,)
    step: Any  # (B, k)
    done: Any  # (B,)
    count: Any  # ()


def trust_region_step(hessian: Any, gradient: Any, radius: Any, wanted: Any) -> Any:
    """The s, (B, k), of least ``g s + s H s / 2``, ``|s| <= radius``, for semidefinite H.

    Where it is `wanted`, (B,).
    """
    xp = array_namespace(gradient)
    k = gradient.shape[1]
    eye = xp.eye(k, dtype=gradient.dtype, device=device(gradient))
    top = xp.max(xp.sum(hessian * eye, axis=-1), axis=1)
    top = xp.where((top > 0) & xp.isfinite(top), top, xp.ones_like(top))
    floor = k * float(xp.finfo(gradient.dtype).eps) * top  # what rounding may have made negative

    def solved(shift: Any) -> tuple[Any, Any]:
        matrix = hessian + (floor + shift)[:, None, None] * eye
        if matrix.shape[0] == 1:  # a single large matrix has quicker routines
            factor = cho_factor(matrix[0, ...], lower=True)
            s = cho_solve(factor, -gradient[0, :])
            return s[None, :], cho_solve(factor, s)[None, :]
        factor = cho_factor(matrix, lower=True)
        s = cho_solve(factor, -gradient[:, :, None])
        return s[..., 0], cho_solve(factor, s)[..., 0]

    def body(state: _State) -> _State:
        s, t = solved(state.shift)
        length = norm(xp, s)
        failed = ~xp.isfinite(length)
        near = length <= _NEAR * radius
        slope = dot(xp, s, t)
        slope = xp.where(slope > 0, slope, xp.ones_like(slope))
        further = state.shift + (length / radius - 1) * length * (length / slope)
        further = xp.where(failed, 100 * (state.shift + floor), further)
        done = state.done | near
        return _State(
            xp.where(done, state.shift, further),
            xp.where((state.done | failed)[:, None], state.step, s),
            done,
            state.count + 1,
        )

    # Where all attempts fail, the way down the gradient.
    size = norm(xp, gradient)
    size = xp.where(size > 0, size, xp.ones_like(size))
    first = _State(
        xp.zeros_like(radius),
        -gradient * (radius / size)[:, None],
        ~wanted,
        xp.zeros((), dtype=xp.int32, device=device(gradient)),
    )
    end = while_loop(lambda s: ~xp.all(s.done) & (s.count < _MOST), body, first)
    length = norm(xp, end.step)
    cut = xp.where(
        length > radius, radius / xp.where(length > 0, length, xp.ones_like(length)), 1.0
    )
    return end.step * cut[:, None]
