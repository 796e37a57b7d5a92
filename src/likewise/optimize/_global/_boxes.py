"""The bookkeeping of DIRECT: boxes of the unit cube, each with a value at its centre.

D. R. Jones, C. D. Perttunen, B. E. Stuckman, J. Optim. Theory Appl. 79 (1993) 157-181; biased to
the lowest points as by J. M. Gablonsky, C. T. Kelley, J. Global Optim. 21 (2001) 27-37. It is done
by the host, on Python's numbers.
"""

import heapq
import math
from collections.abc import Sequence

__all__ = ["Boxes"]

Point = tuple[float, ...]
_SAME = 1e-13  # by which values of boxes of the same size may differ that are all divided


class Boxes:
    """Hold the boxes of one problem, and choose which are divided next."""

    def __init__(self, p: int, biased: bool, eps: float) -> None:
        self.p, self.biased, self.eps = p, biased, eps
        self.centres: list[Point] = [(0.5,) * p]
        self.levels: list[tuple[int, ...]] = [(0,) * p]  # a side is 3^-level long
        self.values: list[float] = []
        self.classes: dict[tuple[int, ...], list[tuple[float, int]]] = {}  # heaps, by size
        self.best = 0
        self.plan: list[tuple[int, list[int]]] = []  # boxes to divide, and along which variables

    def first(self, value: float) -> None:
        """Take the value at the centre of all."""
        self.values.append(value)
        self._enter(0)

    def ask(self) -> list[Point]:
        """Return the points at which the next boxes are divided: for each side one below, above."""
        points: list[Point] = []
        self.plan = []
        for number in self._chosen():
            levels, centre = self.levels[number], self.centres[number]
            least = min(levels)
            sides = [k for k in range(self.p) if levels[k] == least]
            self.plan.append((number, sides))
            third = 3.0 ** -(least + 1)
            for k in sides:
                for moved in (centre[k] - third, centre[k] + third):
                    points.append((*centre[:k], moved, *centre[k + 1 :]))
        self.points = points
        return points

    def tell(self, values: Sequence[float]) -> None:
        """Take the values at the points that were asked for."""
        at = 0
        for number, sides in self.plan:
            new = [
                (min(values[at + 2 * i : at + 2 * i + 2]), k, at + 2 * i)
                for i, k in enumerate(sides)
            ]
            levels = list(self.levels[number])
            for _, k, place in sorted(new):  # the lowest get the largest boxes
                levels[k] += 1
                for j in (place, place + 1):
                    self.centres.append(self.points[j])
                    self.levels.append(tuple(levels))
                    self.values.append(values[j])
                    self._enter(len(self.values) - 1)
            self.levels[number] = tuple(levels)
            self._enter(number)
            at += 2 * len(sides)

    def size(self, levels: Sequence[int]) -> float:
        """Return a box's longest side, or half of its diagonal."""
        if self.biased:
            return float(3.0 ** -min(levels))
        return 0.5 * math.sqrt(sum(9.0**-k for k in levels))

    def volume(self) -> float:
        """Return the volume of the box of the lowest point."""
        return float(3.0 ** -sum(self.levels[self.best]))

    def _enter(self, number: int) -> None:
        levels, value = self.levels[number], self.values[number]
        key = (min(levels),) if self.biased else tuple(sorted(levels))
        heapq.heappush(self.classes.setdefault(key, []), (value, number))
        if value < self.values[self.best]:
            self.best = number

    def _chosen(self) -> list[int]:
        """Return the boxes to divide, and take them out of their classes.

        They are lower than all larger ones, and may improve the lowest value by a slope to others.
        """
        lowest = self.values[self.best]
        found = sorted(
            (self.size(key), heap[0][0], key) for key, heap in self.classes.items() if heap
        )
        kept: list[tuple[float, float]] = []
        out = []
        for i, (size, value, key) in enumerate(found):
            # The least slope to larger boxes, and the largest from smaller ones that are divided.
            rise = min(((v - value) / (s - size) for s, v, _ in found[i + 1 :]), default=math.inf)
            fall = max(((value - v) / (size - s) for s, v in kept), default=0.0)
            least = value - max(rise, fall) * size
            if rise <= 0 or least > lowest - self.eps * abs(lowest):
                continue
            kept.append((size, value))
            heap = self.classes[key]
            out.append(heapq.heappop(heap)[1])
            while not self.biased and heap and heap[0][0] - value <= _SAME:
                out.append(heapq.heappop(heap)[1])
        return out
