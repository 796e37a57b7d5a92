"""Registration: which turn, scale and shift take one image to another, by least squares."""

import math
from typing import Any, NamedTuple

from likewise import array_namespace
from likewise.ndimage import affine_transform, gaussian_filter, spline_filter
from likewise.optimize import least_squares

Array = Any  # of any library


class Alignment(NamedTuple):
    """The unknowns (angle, log of the scale, shifts), their standard errors, and evaluations."""

    unknowns: Array
    errors: Array
    evaluations: Array


def affine(unknowns: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the matrix and offset from elements of the still image to points of the moved one."""
    xp = array_namespace(unknowns)
    cosine, sine = xp.cos(unknowns[0]), xp.sin(unknowns[0])
    turn = xp.stack([xp.stack([cosine, -sine]), xp.stack([sine, cosine])])
    matrix = xp.exp(unknowns[1]) * turn
    centre = xp.stack([xp.full_like(cosine, (n - 1) / 2) for n in shape])
    return matrix, centre + unknowns[2:] - matrix @ centre


def taken_back(moved: Array, unknowns: Array, *, prefilter: bool = True) -> Array:
    """Return the moved image at the points that the still image's elements have come to."""
    matrix, offset = affine(unknowns, moved.shape)
    return affine_transform(moved, matrix, offset, order=3, mode="nearest", prefilter=prefilter)


def align(
    still: Array, moved: Array, start: Array, blurs: tuple[float, ...] = (3.0, 1.0)
) -> Alignment:
    """Align two images, both blurred much at first, so that far cells attract, then less.

    Elements near the border don't count, as what they have come to may lie outside.
    """
    xp = array_namespace(still, moved, start)
    unknowns, evaluations, edge = start, [], still.shape[0] // 6
    for blur in blurs:
        soft = gaussian_filter(xp.stack([still, moved]), blur, axes=(1, 2))
        target = soft[0, edge:-edge, edge:-edge]
        splines = spline_filter(soft[1, ...], mode="nearest")  # once for all steps

        def misfit(unknowns: Array, splines: Array, target: Array) -> Array:
            xp = array_namespace(unknowns)
            back = taken_back(splines, unknowns, prefilter=False)[edge:-edge, edge:-edge]
            return xp.reshape(back - target, (-1,))

        found = least_squares(misfit, unknowns, args=(splines, target), x_scale="jac")
        unknowns = found.x
        evaluations.append(found.nfev)
    freedom = found.fun.shape[0] - unknowns.shape[0]
    # A blur makes neighbours' noise alike: so many elements count as one.
    noise = 4 * math.pi * blur**2 * 2 * found.cost / freedom
    covariance = noise * xp.linalg.inv(xp.matrix_transpose(found.jac) @ found.jac)
    return Alignment(unknowns, xp.sqrt(xp.linalg.diagonal(covariance)), xp.stack(evaluations))
