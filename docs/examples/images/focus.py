"""Discs out of focus: each one's place, radius and blur, from an image, by least squares."""

from typing import Any

from likewise import array_namespace, device
from likewise.ndimage import center_of_mass, gaussian_filter, label
from likewise.optimize import least_squares
from likewise.special import ndtr

Array = Any  # of any library
PIXEL = 12**-0.5  # the standard deviation of the points in a pixel: what its mean blurs


def disc(unknowns: Array, side: int) -> Array:
    """Return a disc with a blurred edge, (side, side); blurs up to a quarter of the side."""
    xp = array_namespace(unknowns)
    row, column, radius, blur, bright, background = (unknowns[k] for k in range(6))
    at = xp.arange(side, dtype=unknowns.dtype, device=device(unknowns))
    distance = xp.sqrt((at[:, None] - row) ** 2 + (at - column) ** 2 + 1e-12)
    sharp = ndtr((radius - distance) / PIXEL)
    return background + bright * gaussian_filter(sharp, blur, mode="nearest", radius=side // 2)


def misfit(unknowns: Array, square: Array) -> Array:
    """Return by how much a disc differs from a square of an image, as one line."""
    return array_namespace(unknowns).reshape(disc(unknowns, square.shape[0]) - square, (-1,))


def cut(image: Array, side: int, threshold: float) -> tuple[Array, Array]:
    """Return a square around each bright object, (n, side, side), and its first row and column."""
    xp = array_namespace(image)
    labels, number = label(gaussian_filter(image, 1.0) > threshold)
    each = xp.arange(1, int(number) + 1, dtype=labels.dtype, device=device(labels))
    corners = []
    for centre in center_of_mass(xp.ones_like(image), labels, each):
        corner = [round(float(c)) - side // 2 for c in centre]
        corners.append([min(max(c, 0), n - side) for c, n in zip(corner, image.shape, strict=True)])
    squares = [image[r : r + side, c : c + side] for r, c in corners]
    return xp.stack(squares), xp.asarray(corners, dtype=image.dtype, device=device(image))


def fit(squares: Array) -> Array:
    """Fit the disc in each of some squares, (n, side, side), to unknowns (n, 6)."""
    xp, side = array_namespace(squares), squares.shape[-1]
    middle = (side - 1) / 2
    start = xp.asarray(
        [middle, middle, side / 5, 2.0, 1.0, 0.0], dtype=squares.dtype, device=device(squares)
    )
    found = [
        least_squares(misfit, start, args=(squares[k, ...],), x_scale="jac").x
        for k in range(squares.shape[0])
    ]
    return xp.stack(found)
