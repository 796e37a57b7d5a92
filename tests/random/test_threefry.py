"""The known answers of Random123, and counters with an upper word."""

from typing import Any

import numpy as np
import pytest

from likewise.random._threefry import (
    dtypes,
    from_words,
    hash_words,
    pieces,
    shift_right,
    split_words,
    to_words,
    words,
)

ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24]
ANSWERS = [  # Random123's kat_vectors, threefry 2x32 with 20 rounds: counter, key, result
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]


def oracle(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """The paper's definition in Python's integers."""
    mask = 0xFFFFFFFF
    keys = [*key, key[0] ^ key[1] ^ 0x1BD11BDA]
    x, y = (counter[0] + keys[0]) & mask, (counter[1] + keys[1]) & mask
    for r in range(20):
        x = (x + y) & mask
        turn = ROTATIONS[r % 8]
        y = ((y << turn | y >> (32 - turn)) & mask) ^ x
        if r % 4 == 3:
            i = r // 4 + 1
            x = (x + keys[i % 3]) & mask
            y = (y + keys[(i + 1) % 3] + i) & mask
    return x, y


def own_key(lib: Any, key: tuple[int, int]) -> Any:
    xp = lib.xp
    name = "uint32" if "uint32" in dtypes(xp, lib.device) else "int64"
    return xp.asarray(list(key), dtype=getattr(xp, name))


@pytest.mark.parametrize(("counter", "key", "answer"), ANSWERS)
def test_known_answers(lib: Any, counter: Any, key: Any, answer: Any) -> None:
    assert oracle(key, counter) == answer
    xp = lib.xp
    c = to_words(xp, own_key(lib, counter))
    found = hash_words(xp, *split_words(xp, own_key(lib, key)), c[0:1], c[1:2])
    got = [int(lib.to_numpy(from_words(xp, x))[0]) for x in found]
    assert got == list(answer)


@pytest.mark.parametrize("start", [5, (1 << 31) - 2, (1 << 32) - 4, (7 << 32) + 9, (5 << 61) + 1])
def test_upper_words_of_counters(lib: Any, start: int) -> None:
    xp, key = lib.xp, (3, 0x9ABCDEF0)
    found = words(xp, *split_words(xp, own_key(lib, key)), start, 4)
    got = np.stack([lib.to_numpy(from_words(xp, x)) for x in found], axis=-1)
    wanted = [oracle(key, divmod(start + i, 1 << 32)) for i in range(4)]
    np.testing.assert_array_equal(got.astype("uint64"), wanted)


def test_pieces_have_one_upper_word() -> None:
    found = pieces((5 << 32) + 3, 1 << 40)
    assert sum(size for _, size in found) == (5 << 32) + 3
    assert all(start >> 32 == (start + size - 1) >> 32 for start, size in found)
    assert pieces(0, 8) == [(0, 0)]
    assert pieces(10, 4) == [(0, 4), (4, 4), (8, 2)]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_zeros_come_in_from_the_left(lib: Any, leave_out: Any, dtype: str) -> None:
    """Words kept in signed integers, as on torch, are no numbers below zero."""
    leave_out("float64", not lib.has_float64)
    if lib.library == "torch":
        dtype = "int64"
    numbers = [0, 1, 1 << 62, (1 << 63) + 5, (1 << 64) - 1]
    own = lib.asarray(np.asarray(numbers, "uint64").astype(dtype), dtype)
    for k in (1, 6, 32, 63):
        got = lib.to_numpy(shift_right(lib.xp, own, k, 64)).astype("uint64")
        assert got.tolist() == [n >> k for n in numbers]
