"""Points that keep a distance from each other."""

import itertools
import math
from typing import Any

from ... import random
from ..._namespace import namespace
from ...errors import ArgumentError
from ...interop import to_numpy
from ...special import gammainc
from ._engine import QMCEngine, at_least

__all__ = ["PoissonDisk"]

Point = tuple[float, ...]


class PoissonDisk(QMCEngine):
    """Draw points at random that are at least a radius apart.

    Parameters
    ----------
    d : int
        The dimension.
    radius : float, optional
        The least distance.
    hypersphere : {'volume', 'surface'}, optional
        Whether candidates lie within two radii of a point, or on a sphere of one radius.
    ncandidates : int, optional
        How many candidates are tried around each point.
    l_bounds, u_bounds : float or sequence of d floats, optional
        The box. Default: the unit cube.
    optimization, key, dtype, namespace, device, like : optional
        As for `QMCEngine`. A key is always needed.

    Raises
    ------
    ArgumentError
        If a radius isn't positive, bounds aren't in order, or there is no such sphere.

    Notes
    -----
    R. Bridson, Fast Poisson disk sampling in arbitrary dimensions (SIGGRAPH sketches, 2007): O(n),
    with 5^d cells looked at for each candidate. Each point depends on those before, so that the
    work is done on the host, in Python; the points then go to the engine's library.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats.qmc import PoissonDisk
    >>> PoissonDisk(2, radius=0.2, key=key(0)).random(5).shape
    (5, 2)
    """

    def __init__(
        self,
        d: Any,
        *,
        radius: float = 0.05,
        hypersphere: str = "volume",
        ncandidates: int = 30,
        l_bounds: Any = None,
        u_bounds: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(d, **options)
        if hypersphere not in ("volume", "surface"):
            raise ArgumentError(
                f"PoissonDisk: {hypersphere!r} is not a valid hypersphere sampling method. It must "
                "be one of {'volume', 'surface'}"
            )
        if not radius >= 0:
            raise ArgumentError(f"PoissonDisk: radius must be at least 0, got {radius!r}")
        self.radius, self.hypersphere = float(radius), hypersphere
        self.ncandidates = at_least("PoissonDisk", "ncandidates", ncandidates, 1)
        self.l_bounds = self._bounds(l_bounds, 0.0)
        self.u_bounds = self._bounds(u_bounds, 1.0)
        if not all(a < b for a, b in zip(self.l_bounds, self.u_bounds, strict=True)):
            raise ArgumentError(
                "PoissonDisk: Bounds are not consistent 'l_bounds' < 'u_bounds': got "
                f"{l_bounds!r} and {u_bounds!r}"
            )
        self._words()
        self.reset()

    def _bounds(self, given: Any, default: float) -> Point:
        values = default if given is None else given.tolist() if hasattr(given, "tolist") else given
        values = [values] * self.d if isinstance(values, int | float) else list(values)
        if len(values) == 1:
            values = values * self.d
        if len(values) != self.d:
            raise ArgumentError(
                "PoissonDisk: 'l_bounds' and 'u_bounds' must be broadcastable and respect the "
                f"sample dimension {self.d}, got {given!r}"
            )
        return tuple(map(float, values))

    def reset(self) -> Any:
        """Return the engine, with its first point ahead."""
        self._pool: list[Point] = []
        self._cells: dict[tuple[int, ...], list[Point]] = {}
        self._tried = 0
        return super().reset()

    def fast_forward(self, n: int) -> Any:
        """Return the engine, with n points skipped."""
        self.random(n)
        return self

    def fill_space(self) -> Any:
        """Return points until no candidate fits any more, shape (n, d)."""
        return self.random(1 << 62)

    def random(self, n: int = 1, *, workers: int = 1) -> Any:
        """Return the next points, or fewer if no more fit.

        Parameters
        ----------
        n : int, optional
        workers : int, optional
            Accepted for SciPy's signature; ignored.

        Returns
        -------
        array, shape (at most n, d)
            In the box.
        """
        before = self.num_generated
        sample = super().random(n)
        self.num_generated = before + int(sample.shape[0])
        return sample

    def _random(self, n: int = 1) -> Any:
        found: list[Point] = []
        if n and self.d:
            if not self._pool and not self._cells:
                u = self._drawn(random.uniform, (self.d,))
                ends = zip(u, self.l_bounds, self.u_bounds, strict=True)
                self._take(tuple(a + (b - a) * v for v, a, b in ends), found)
            while self._pool and len(found) < n:
                at = int(self._drawn(random.uniform, (1,))[0] * len(self._pool))
                center = self._pool.pop(at)
                for point in self._candidates(center):
                    if self._fits(point):
                        self._take(point, found)
                        if len(found) == n:
                            break
        if not found:
            shape = (0 if self.d else n, self.d)
            return self.xp.zeros(shape, dtype=self.dtype, device=self.device)
        return self.xp.asarray(found, dtype=self.dtype, device=self.device)

    def _drawn(self, draw: Any, shape: tuple[int, ...]) -> Any:
        high, low = self._words(5, self._tried)
        self._tried += 1
        key = random.key(high << 32 | low, namespace="numpy")
        return draw(key, shape, "float64").tolist()

    def _candidates(self, center: Point) -> list[Point]:
        np, d = namespace("numpy"), self.d
        z = np.asarray(self._drawn(random.normal, (self.ncandidates, d)))
        square = np.sum(z * z, axis=-1, keepdims=True)
        if self.hypersphere == "volume":
            length = 2 * self.radius * to_numpy(gammainc(d / 2, square / 2)) ** (1 / d)
        else:
            length = 1.001 * self.radius
        points = z * (length / np.sqrt(square)) + np.asarray(center)
        return [tuple(p) for p in points.tolist()]

    def _cell(self, point: Point) -> tuple[int, ...]:
        if self.radius == 0:
            return point  # type: ignore[return-value]
        width = self.radius / math.sqrt(self.d)
        return tuple(math.floor(v / width) for v in point)

    def _take(self, point: Point, found: list[Point]) -> None:
        self._pool.append(point)
        self._cells.setdefault(self._cell(point), []).append(point)
        found.append(point)

    def _fits(self, point: Point) -> bool:
        ends = zip(point, self.l_bounds, self.u_bounds, strict=True)
        if not all(a <= v <= b for v, a, b in ends):
            return False
        cell = self._cell(point)
        if self.radius == 0 or cell in self._cells:
            return cell not in self._cells
        reach = math.ceil(math.sqrt(self.d))
        for step in itertools.product(range(-reach, reach + 1), repeat=self.d):
            for other in self._cells.get(tuple(map(sum, zip(cell, step, strict=True))), ()):
                if math.dist(point, other) < self.radius:
                    return False
        return True
