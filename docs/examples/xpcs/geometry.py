"""Wave vectors of a flat detector's pixels, the regions that they fall into, and calibration."""

import math
from dataclasses import dataclass
from typing import Any

from likewise import array_namespace, asarray, device, result_type
from likewise.errors import ArgumentError
from likewise.missing import digitize, geomspace
from likewise.optimize import least_squares

Array = Any

HC = 12.398419843320026  # keV Angstrom, of the SI's exact constants


@dataclass(frozen=True)
class Detector:
    """A flat detector across the beam."""

    energy: float = 10.0  # keV
    center: tuple[float, float] = (128.0, 128.0)  # row and column of the beam, in pixels
    pixel: float = 0.075  # mm
    distance: float = 5000.0  # mm from the sample

    def __post_init__(self) -> None:
        if not 300 * self.pixel < self.distance < 3e6 * self.pixel:
            raise ArgumentError(
                f"Detector: distance {self.distance} and pixel {self.pixel} must both be in mm; "
                f"a distance of {self.distance / self.pixel:.3g} pixels is hardly one"
            )

    @property
    def k(self) -> float:
        """2 pi over the wavelength, in 1/Angstrom."""
        return 2 * math.pi * self.energy / HC


def q_map(detector: Detector, shape: tuple[int, int], like: Array) -> dict[str, Array]:
    """Return seven maps of the detector's pixels, on the library, device and dtype of `like`.

    x and y are mm from the beam, phi the angle around it, two_theta the angle of scattering; q is
    2 k sin(two_theta / 2), and qx, qy its parts along phi.
    """
    xp, where = array_namespace(like), device(like)
    rows, columns = (xp.arange(n, dtype=like.dtype, device=where) for n in shape)
    y, x = xp.meshgrid(
        (rows - detector.center[0]) * detector.pixel,
        (columns - detector.center[1]) * detector.pixel,
        indexing="ij",
    )
    phi, two_theta = xp.atan2(y, x), xp.atan(xp.hypot(x, y) / detector.distance)
    q = 2 * detector.k * xp.sin(two_theta / 2)
    maps = {"x": x, "y": y, "phi": phi, "two_theta": two_theta, "q": q}
    return maps | {"qx": q * xp.cos(phi), "qy": q * xp.sin(phi)}


def bin_edges(low: float, high: float, count: int, like: Array, *, log: bool = False) -> Array:
    """Return count + 1 edges of bins, evenly spaced in the value or in its logarithm."""
    xp, dtype = array_namespace(like), result_type(like, 1.0)
    if log:
        return geomspace(low, high, count + 1, dtype=dtype, like=like)
    return xp.linspace(low, high, count + 1, dtype=dtype, device=device(like))


def partition(values: Array, edges: Array) -> Array:
    """Return each pixel's bin, -1 outside. The last bin has both its edges, as in a histogram."""
    xp = array_namespace(values, edges)
    count = edges.shape[0] - 1
    bins = xp.reshape(digitize(xp.reshape(values, (-1,)), edges) - 1, values.shape)
    bins = xp.where(values == edges[-1], xp.full_like(bins, count - 1), bins)
    return xp.where((bins >= 0) & (bins < count), bins, xp.full_like(bins, -1))


def folded(phi: Array, symmetry: int) -> Array:
    """Return angles in [0, 2 pi / symmetry), in which equivalent directions coincide."""
    turn = 2 * math.pi / symmetry
    xp = array_namespace(phi)
    rest = phi % turn
    return xp.where(rest >= turn, xp.zeros_like(rest), rest)  # where phi is -0.0 but for rounding


def combined(first: Array, second: Array, count: int) -> Array:
    """Return the bin of both partitions, of which the second has so many; -1 where either has."""
    xp = array_namespace(first, second)
    both = first * count + second
    return xp.where((first < 0) | (second < 0), xp.full_like(both, -1), both)


def q_of_points(detector: Detector, points: Array, row: Array, column: Array, far: Array) -> Array:
    """Return q at points (n, 2) of row and column if the beam and the distance were these."""
    xp = array_namespace(points, row)
    radius = xp.hypot(row - points[..., 0], column - points[..., 1]) * detector.pixel
    return 2 * detector.k * xp.sin(xp.atan(radius / far) / 2)


def calibrate(detector: Detector, points: Array, q: Array) -> Any:
    """Fit the beam's row and column and the distance to points (n, 2) whose q (n,) is known.

    Starts from the detector's own. The result's x holds row and column in pixels, and the distance
    in units of the detector's own, so that all three unknowns have ordinary sizes.
    """
    xp = array_namespace(points, q)
    if q.shape[0] < 3 or tuple(points.shape) != (q.shape[0], 2):
        raise ValueError(
            "calibrate: row, column and distance need three points at least, (n, 2), each with its "
            f"q, (n,), got {tuple(points.shape)} and {tuple(q.shape)}"
        )
    start = asarray([*detector.center, 1.0], like=q, dtype=q.dtype)

    def misfit(p: Array) -> Array:
        found = q_of_points(detector, points, p[0], p[1], p[2] * detector.distance)
        return (found - q) / xp.mean(q)

    return least_squares(misfit, start, x_scale="jac")
