"""Cuts items into pieces: where a store's chunks end, of a size that memory holds."""

import math
from typing import NamedTuple

from ._work import Done, Piece

__all__ = ["Cutter", "Needs"]

_MOST = 1 << 25  # bytes of a piece and its results: more gains nothing on any machine
_STEPS = 6  # pieces that are computed to learn what an item takes
_GROWTH = 8
_ALL = 16 * 8  # bytes that an element may take where one piece has all; an array of doubles is 8


class Needs(NamedTuple):
    """Say what automatic sizes depend on."""

    budget: int  # bytes for all pieces at once, with their results
    item: int  # bytes of an item
    elements: int  # numbers of an item
    at_once: int  # pieces that are computed at once
    held: int  # pieces that are read or written meanwhile
    seen: bool = True  # whether what a piece takes is memory of the host


class Cutter:
    """Cut ranges of items into pieces, one after the other.

    Without a size, the first pieces are small; the memory that they take determines the next.
    """

    def __init__(
        self,
        ranges: list[tuple[int, int]],
        size: int | None,
        step: int,
        chunks: list[int],
        needs: Needs,
    ) -> None:
        self._ranges = ranges[::-1]
        self._step = step  # items per whole number of results
        self._chunks = [*(math.lcm(step, n) for n in chunks if n > 1), step]
        self._needs = needs
        self.total = self.left = sum(b - a for a, b in ranges)
        self._index = -1
        self._learned = 0
        automatic = size is None
        if size is None:
            fits = max(1, needs.budget // _ALL // needs.elements)
            size = fits if self.total <= fits else max(1, fits // 4)
            size = max(size, *(n for n in self._chunks if n * needs.item <= needs.budget // 8), 1)
        self.size = max(size // step, 1) * step
        self.learning = automatic and self.size < self.total

    def _chunk(self, size: int) -> int:
        """Return the chunk at whose ends pieces of a size end."""
        return next((n for n in self._chunks if n <= size), self._step)

    def next(self) -> Piece | None:
        """Return the next piece, if there are items left."""
        if not self._ranges:
            return None
        start, stop = self._ranges.pop()
        end = start + self.size
        if end < stop:
            chunk = self._chunk(self.size)
            whole = end // chunk * chunk
            end = whole if whole > start else end
            self._ranges.append((end, stop))
        self._index += 1
        return Piece(self._index, start, min(end, stop))

    def learn(self, done: Done, results: int) -> None:
        """Choose the size of the next pieces, after one with some bytes of results."""
        self.left -= done.piece.stop - done.piece.start
        if not self.learning:
            return
        needs = self._needs
        count = max(1, done.piece.stop - done.piece.start)
        whole = needs.item + results / count
        taken = max(done.taken / count, whole) if done.taken and needs.seen else 8 * whole
        size = needs.budget / (needs.at_once * taken + needs.held * whole)
        size = min(size, _MOST / whole, _GROWTH * self.size)
        self._learned += 1
        self.learning = size > 1.5 * self.size and self._learned < _STEPS
        chunk = self._chunk(int(size))
        self.size = max(int(size) // chunk * chunk, self._step)
