"""Sizes of pieces: all items once, where chunks end, within the memory that was promised."""

import numpy as np
import pytest

from likewise.chunks._pieces import Cutter, Needs
from likewise.chunks._work import Done

NEEDS = Needs(1 << 28, 8000, 1000, 1, 1)


def cut(cutter: Cutter, taken: float = 0.0, results: float = 1.0) -> list[tuple[int, int]]:
    """Return all pieces, each of which takes so many bytes an item."""
    found = []
    while (piece := cutter.next()) is not None:
        count = piece.stop - piece.start
        done = Done(piece, [], None, None, int(taken * count))
        cutter.learn(done, int(results * count))
        found.append((piece.start, piece.stop))
    assert cutter.left == 0 and found != []
    return found


@pytest.mark.parametrize("size", [1, 7, 10, 64, 1000, None])
@pytest.mark.parametrize("chunks", [[1], [64], [192, 64, 3]])
@pytest.mark.parametrize("step", [1, 10])
def test_all_items_once(size: int | None, chunks: list[int], step: int) -> None:
    ranges = [(0, 300), (420, 1000)]
    found = cut(Cutter(ranges, size, step, chunks, NEEDS), 1e5)
    items = [i for a, b in found for i in range(a, b)]
    assert items == [*range(300), *range(420, 1000)]
    for a, b in found:
        assert size is None or b - a <= max(size, step)
        assert a % step == 0 and (b % step == 0 or b in (300, 1000))
    if size == 64 and step == 1 and chunks == [64]:
        assert (64, 128) in found and (448, 512) in found


def test_where_chunks_of_all_stores_end() -> None:
    """If they do within a piece; else where those of the first one end."""
    assert cut(Cutter([(0, 60)], 30, 1, [15, 3, 5], NEEDS)) == [(0, 30), (30, 60)]
    assert cut(Cutter([(0, 40)], 14, 1, [15, 3, 5], NEEDS)) == [
        (0, 12),
        (12, 24),
        (24, 36),
        (36, 40),
    ]


@pytest.mark.parametrize("taken", [8e3, 3e4, 1e5, 1e6])
def test_what_all_pieces_take_is_within_the_budget(taken: float) -> None:
    cutter = Cutter([(0, 10**6)], None, 1, [1], NEEDS)
    found = cut(cutter, taken, 8000.0)
    sizes = np.diff(found, axis=1)[:, 0]
    assert sizes[-2] * (taken + 16_000) <= NEEDS.budget
    assert sizes[-2] >= min(NEEDS.budget / (taken + 16_000), 2**25 / 16_000) / 1.6
    assert sizes[0] * 32 * 8000 <= NEEDS.budget  # the first is small


def test_where_one_piece_has_all() -> None:
    cutter = Cutter([(0, 200)], None, 1, [1], NEEDS)
    assert not cutter.learning and cut(cutter, 1e5) == [(0, 200)]


def test_memory_that_is_not_the_hosts() -> None:
    """What a device takes is not measured, but guessed."""
    cutter = Cutter([(0, 10**5)], None, 1, [1], NEEDS._replace(seen=False))
    assert np.diff(cut(cutter, 8e3))[-2, 0] * 8 * 8000 <= NEEDS.budget
