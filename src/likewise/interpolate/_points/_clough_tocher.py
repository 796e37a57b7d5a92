"""Smooth interpolation between scattered points of the plane, by Clough and Tocher's triangles."""

import math
from typing import Any

from ..._namespace import array_namespace
from ..._native import native
from ...errors import ArgumentError, ShapeError
from ...missing import segment_sum
from ...transforms import register_tree
from ._linear import Triangular
from ._triangles import Kept, Triangulation

__all__ = ["CloughTocher2DInterpolator", "slopes"]

_SPEED = math.log(2.0 + math.sqrt(3.0))  # of the iteration, whose matrix has 1/2 to 3/2


@native(numpy="likewise._libs.numpy._triangles:slopes")
def slopes(values: Any, tri: Triangulation, tol: float, maxiter: int) -> Any:
    """Return gradients (n, 2, ...) at points, by which edges are bent least.

    Along each edge there is a cubic. The sum of their squared second derivatives is a quadratic
    form of all gradients; its matrix, with each point's own part inverted, has eigenvalues between
    1/2 and 3/2, so that Chebyshev's iteration takes a known number of steps.
    """
    xp, (n, *rest) = array_namespace(values, tri.points), values.shape
    first, other = tri.edges[0, :], tri.edges[1, :]
    e = xp.take(tri.points, other, axis=0) - xp.take(tri.points, first, axis=0)
    squares = xp.sum(e * e, axis=1)
    e = e / (squares**0.75)[:, None]  # the cubic's weight is the length to the power of -3
    x, y = e[:, 0], e[:, 1]
    own = 4.0 * segment_sum(xp.stack([x * x, x * y, y * y], axis=1), first, n)
    det = own[:, 0] * own[:, 2] - own[:, 1] * own[:, 1]
    own = own / xp.where(det > 0.0, det, 1.0)[:, None]
    xx, xy, yy = (own[:, k : k + 1] for k in range(3))
    x, y = x[:, None], y[:, None]

    def gathered(along: Any) -> Any:
        both = segment_sum(xp.concat([along * x, along * y], axis=1), first, n)
        u, v = both[:, : both.shape[1] // 2], both[:, both.shape[1] // 2 :]
        return xp.concat([yy * u - xy * v, xx * v - xy * u], axis=1)

    flat = xp.reshape(values, (n, -1))
    k = flat.shape[1]
    rises = (xp.take(flat, other, axis=0) - xp.take(flat, first, axis=0)) / (squares**0.75)[:, None]
    left = gathered(6.0 * rises)
    step, found, ratio = left, xp.zeros_like(left), 0.5
    for _ in range(max(1, min(maxiter, math.ceil(math.log(200.0 / tol) / _SPEED)))):
        found = found + step
        there = xp.take(step, other, axis=0)
        left = left - step - gathered(2.0 * (there[:, :k] * x + there[:, k:] * y))
        after = 1.0 / (4.0 - ratio)
        step, ratio = after * ratio * step + 4.0 * after * left, after
    return xp.reshape(found, (n, 2, *rest))


class CloughTocher2DInterpolator(Triangular):
    """Interpolate scattered points of the plane by cubics, smoothly.

    Parameters
    ----------
    points : array, shape (n, 2), tuple of 2 arrays, or triangles
        The points, or their coordinates; or `tri` of another interpolator, or a
        `scipy.spatial.Delaunay`, whose triangles are used.
    values : array, shape (n, ...)
        Values, real or complex; trailing dimensions are a batch.
    fill_value : number, optional
        The value outside of the points' convex hull. Default: NaN.
    tol : float, optional
        The relative error of gradients at which their estimation ends. Default 1e-6.
    maxiter : int, optional
        The most steps of the estimation. Default 400.
    rescale : bool, optional
        Whether the interpolant is of coordinates divided by their extent. Default: no.

    Attributes
    ----------
    points, values, tri, fill_value
        As for `LinearNDInterpolator`.
    grad : array, shape (n, 2, ...)
        The gradients at the points.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError, NotSupported
        As for `LinearNDInterpolator`; if points aren't of the plane, or `tol` isn't positive.

    Warns
    -----
    HostCopyWarning
        As for `LinearNDInterpolator`.

    Notes
    -----
    Triangles and how points find theirs are those of `LinearNDInterpolator`. Gradients at the
    points are those by which the edges between them are bent least, approximately (G. Nielson, A
    Method for Interpolating Scattered Data Based upon a Minimum Norm Network, 1983), by a fixed
    number of steps of Chebyshev's iteration. Each triangle is three cubics (P. Alfeld, A trivariate
    Clough-Tocher scheme for tetrahedral data, 1984); the slope across an edge, in the direction of
    the line between the centres on both sides, is linear along it (G. Farin, Triangular
    Bernstein-Bezier patches, 1986). Differentiable in values, where it is called, and in points,
    as `LinearNDInterpolator`.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; derivatives; gradients are a little nearer to their limit.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import CloughTocher2DInterpolator
    >>> points = np.asarray([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 0.9]])
    >>> f = CloughTocher2DInterpolator(points, points[:, 0] + 2.0 * points[:, 1])
    >>> print(f([[0.5, 0.5], [0.2, 1.9], [3.0, 0.0]]).round(5))
    [1.5 4.  nan]
    """

    grad: Any

    def __init__(
        self,
        points: Any,
        values: Any,
        fill_value: Any = math.nan,
        tol: float = 1e-6,
        maxiter: int = 400,
        rescale: bool = False,
    ) -> None:
        name = type(self).__name__
        if not tol > 0.0:
            raise ArgumentError(f"{name}: tol must be positive, got {tol!r}. The default is 1e-6")
        self.fill_value = fill_value
        self._make(name, points, values, rescale)
        if self.tri.points.shape[1] != 2:
            raise ShapeError(
                f"{name}: points must have two coordinates, got shape "
                f"{tuple(self.tri.points.shape)}. In more dimensions use LinearNDInterpolator or "
                "RBFInterpolator"
            )
        self.grad = slopes(self.values, self.tri, tol, maxiter)

    def _held(self) -> tuple[Any, ...]:
        return (self.grad,)

    def _at(
        self,
        tri: Triangulation,
        found: Any,
        corners: list[tuple[Any, Any]],
        values: Any,
        *held: Any,
    ) -> Any:
        (grad,) = held
        xp, rest = array_namespace(values), len(values.shape) - 1
        points = [xp.take(tri.points, place, axis=0) for place, _ in corners]
        f = [xp.take(values, place, axis=0) for place, _ in corners]
        near: list[dict[int, Any]] = []  # ordinates next to each corner, by the other end
        for i, (place, _) in enumerate(corners):
            slope = xp.take(grad, place, axis=0)
            near.append({i: f[i]})
            for j in {0, 1, 2} - {i}:
                e = xp.reshape(points[j] - points[i], (-1, 2, *(1,) * rest))
                near[i][j] = (
                    f[i] + (e[:, 0, ...] * slope[:, 0, ...] + e[:, 1, ...] * slope[:, 1, ...]) / 3.0
                )
        inner = [sum(some.values()) / 3.0 for some in near]  # next to corners, towards the centre
        lean, ones = xp.take(tri.leanings, found, axis=0), (-1, *(1,) * rest)
        across = []  # of the cubic on each side, next to its middle
        for side in range(3):
            a, b = (side + 1) % 3, (side + 2) % 3
            g = xp.reshape(lean[:, side], ones)
            ends = inner[a] + g * f[a] - (1.0 + g) * near[a][b]
            ends = ends + inner[b] + g * near[b][a] - (1.0 + g) * f[b]
            across.append(0.5 * ends - g * near[a][b] + (1.0 + g) * near[b][a])
        third = [(inner[i] + across[(i + 1) % 3] + across[(i + 2) % 3]) / 3.0 for i in range(3)]
        weights = [w for _, w in corners]
        least = xp.minimum(xp.minimum(weights[0], weights[1]), weights[2])
        w, c = [x - least for x in weights], 3.0 * least
        y = c * c * c * (sum(third) / 3.0)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            bent = w[j] * near[i][j] + w[k] * near[i][k] + c * inner[i]
            y = y + w[i] * (w[i] * (w[i] * f[i] + 3.0 * bent) + 3.0 * c * c * third[i])
            y = y + 6.0 * c * w[j] * w[k] * across[i]
        return y


def _flatten(f: CloughTocher2DInterpolator) -> tuple[Any, Any]:
    return (f.tri, f.values, f.offset, f.scale, f.fill_value, f.grad), None


def _unflatten(_: Any, leaves: tuple[Any, ...]) -> CloughTocher2DInterpolator:
    made = object.__new__(CloughTocher2DInterpolator)
    made.tri, made.values, made.offset, made.scale, made.fill_value = leaves[:5]
    made.grad = leaves[5]
    made.kept = Kept()
    return made


register_tree(CloughTocher2DInterpolator, _flatten, _unflatten)
