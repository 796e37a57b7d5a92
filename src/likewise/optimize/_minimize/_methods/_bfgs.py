"""BFGS: an estimate of the inverse Hessian from gradients.

J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., section 6.1: the update (6.17), its first
matrix (6.20).
"""

from typing import Any, NamedTuple

from ...._namespace import array_namespace, device
from ....solving._driver import Method
from .._descent import Descent, Ends, descend
from .._method import EACH, Row, Rows
from .._objective import Objective

__all__ = ["METHOD"]


class _Memory(NamedTuple):
    inverse: Any  # (B, p, p)
    empty: Any  # (B,)


def _bfgs(objective: Objective, c1: float, c2: float, **ends: Any) -> Method:
    descent = Descent(_begin, _learn, _direction, c1, c2, result=lambda memory: memory.inverse)
    return descend(objective, descent, Ends(**ends))


def _begin(x: Any) -> _Memory:
    xp = array_namespace(x)
    eye = xp.eye(x.shape[1], dtype=x.dtype, device=device(x))
    inverse = xp.broadcast_to(eye, (x.shape[0], x.shape[1], x.shape[1]))
    return _Memory(inverse + xp.zeros_like(inverse), xp.ones_like(x[:, 0], dtype=xp.bool))


def _learn(memory: _Memory, d: Any, s: Any, y: Any, g: Any) -> _Memory:
    xp = array_namespace(s)
    inverse, empty = memory
    sy, yy = xp.sum(s * y, axis=1), xp.sum(y * y, axis=1)
    convex = (sy > 0) & xp.isfinite(sy) & xp.isfinite(yy)
    sy = xp.where(convex, sy, xp.ones_like(sy))[:, None, None]
    yy = xp.where(convex, yy, xp.ones_like(yy))[:, None, None]
    inverse = xp.where(empty[:, None, None], inverse * (sy / yy), inverse)
    turned = xp.matmul(inverse, y[:, :, None])  # H y
    bend = xp.matmul(y[:, None, :], turned)  # y' H y
    # (6.17), multiplied out; symmetric in every rounding.
    cross = turned * s[:, None, :]
    new = (
        inverse
        + ((1 + bend / sy) * (s[:, :, None] * s[:, None, :]) - (cross + xp.matrix_transpose(cross)))
        / sy
    )
    good = convex & xp.all(xp.isfinite(new), axis=(1, 2))
    return _Memory(xp.where(good[:, None, None], new, memory.inverse), empty & ~good)


def _direction(memory: _Memory, problems: Rows, x: Any, g: Any) -> Any:
    xp = array_namespace(g)
    return -xp.matmul(memory.inverse, g[:, :, None])[..., 0]


METHOD = Row(
    "BFGS",
    _bfgs,
    {"gtol": 1e-5, "norm": float("inf"), "maxiter": EACH, "xrtol": 0.0, "c1": 1e-4, "c2": 0.9},
    vectors=lambda p, options: 6 * p,
    inverse=True,
    usual=True,
    routine=True,
)
