"""Structured matrices and blocks against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise.errors import ArrayTypeError, ShapeError
from likewise.linalg import block_diag, circulant, hankel, toeplitz
from likewise.testing import assert_close, check_function

RNG = np.random.default_rng(8)
X = RNG.normal(size=(2, 3))
C, R = np.asarray([1.0, np.nan, -0.0, 4.0]), np.asarray([7.0, np.inf, 2.0])
FUNCTIONS = [(toeplitz, scipy.linalg.toeplitz), (hankel, scipy.linalg.hankel)]


def rowwise(func: Any, *args: Any) -> Any:
    """SciPy's function on each row."""
    batch = np.broadcast_shapes(*(a.shape[:-1] for a in args))
    rows = [np.broadcast_to(a, batch + a.shape[-1:]).reshape(-1, a.shape[-1]) for a in args]
    out = np.stack([func(*row) for row in zip(*rows, strict=True)])
    return out.reshape(batch + out.shape[1:])


@pytest.mark.parametrize(("func", "reference"), FUNCTIONS)
def test_two_vectors_everywhere(func: Any, reference: Any) -> None:
    check_function(func, X, X[:, :2], reference=lambda c, r: rowwise(reference, c, r), batch=True)


def test_circulant_everywhere() -> None:
    check_function(circulant, X, reference=lambda c: rowwise(scipy.linalg.circulant, c), batch=True)


def test_block_diag_everywhere() -> None:
    check_function(block_diag, X, X[0], X[:, :1], reference=scipy.linalg.block_diag)


@pytest.mark.parametrize(("func", "reference"), FUNCTIONS)
def test_vectors(xp: Any, func: Any, reference: Any) -> None:
    for c in (C, C[:1], C[:0], C + 1j, np.asarray([1, 2, 3]), np.asarray([True, False])):
        assert_close(func(xp.asarray(c)), reference(c))
        assert_close(func(xp.asarray(c)), func.generic(xp.asarray(c)))
        for r in (R, R[:0], c):
            got = func(xp.asarray(c), xp.asarray(r))
            assert_close(got, reference(c, r), check_dtype=c.dtype.kind != "i")
            assert_close(got, func.generic(xp.asarray(c), xp.asarray(r)))
    assert_close(func(xp.asarray(np.asarray(3.0))), np.asarray([[3.0]]))
    single = np.asarray([1.0, 2.0], dtype=np.float32)
    assert_close(func(xp.asarray(single), [1, 2.5]), reference(single, np.float32([1, 2.5])))
    with pytest.raises(ShapeError, match=f"{func.__name__}: shapes must broadcast"):
        func(xp.asarray(X), xp.asarray(np.ones((3, 2))))


def test_batches(xp: Any) -> None:
    r = RNG.normal(size=(4, 1, 2))
    for func, reference in FUNCTIONS:
        assert_close(func(xp.asarray(X), xp.asarray(r)), rowwise(reference, X, r))
        assert_close(func(xp.asarray(X + 1j)), rowwise(reference, X + 1j))
        assert func(xp.asarray(X[:0]), xp.asarray(r)).shape == (4, 0, 3, 2)
    x = np.asarray([[1, 2, 3], [4, 5, 6]])
    assert_close(circulant(xp.asarray(x)), rowwise(scipy.linalg.circulant, x))
    assert circulant(xp.asarray(X[:, :0])).shape == (2, 0, 0)


def test_circulant_of_a_column(xp: Any) -> None:
    assert_close(circulant(xp.asarray(C)), scipy.linalg.circulant(C))


def test_circulant(xp: Any) -> None:
    for c in (C, C[:1], C[:0], C + 1j, np.asarray([1, 2, 3])):
        assert_close(circulant(xp.asarray(c)), scipy.linalg.circulant(c))
        assert_close(circulant(xp.asarray(c)), circulant.generic(xp.asarray(c)))  # type: ignore[attr-defined]


BLOCKS: list[list[Any]] = [
    [X],
    [X, X.T, X[:1]],
    [np.ones((2, 0)), X, np.ones((0, 3))],
    [np.ones((0, 2)), np.ones((0, 0))],
    [np.asarray([[1, 2]]), np.asarray([[3]])],
    [np.asarray([[np.nan]]), np.asarray([[np.inf, 1j]])],
    [np.asarray([[True, False]]), np.asarray([[True]])],
    [X[0], np.asarray(2.0), X[0, :0]],
]


@pytest.mark.parametrize("blocks", BLOCKS, ids=range(len(BLOCKS)))
def test_block_diag(xp: Any, blocks: Any) -> None:
    arrays = [xp.asarray(b) for b in blocks]
    assert_close(block_diag(*arrays), scipy.linalg.block_diag(*blocks))
    assert_close(block_diag(*arrays), block_diag.generic(*arrays))  # type: ignore[attr-defined]


def test_blocks_mix_and_broadcast(xp: Any) -> None:
    ints, batch = np.asarray([[1, 2]]), RNG.normal(size=(3, 1, 2, 2))
    assert_close(block_diag(xp.asarray(ints), xp.asarray(X)), scipy.linalg.block_diag(ints, X))
    got = block_diag(xp.asarray(batch), xp.asarray(RNG.normal(size=(4, 1, 2))), xp.asarray(X))
    assert got.shape == (3, 4, 5, 7)
    assert_close(got[:, 0, :2, :2], batch[:, 0, :, :])
    assert_close(block_diag(xp.asarray(X), 2), scipy.linalg.block_diag(X, 2))
    with pytest.raises(ShapeError, match="block_diag: shapes must broadcast"):
        block_diag(xp.asarray(batch), xp.asarray(np.ones((2, 1, 1, 1))))


def test_no_blocks() -> None:
    assert block_diag().shape == (1, 0)
    with pytest.raises(ArrayTypeError, match="block_diag: argument 'block 1' must be"):
        block_diag(np.ones(2), None)


def test_block_diag_of_batches_alone(xp: Any) -> None:
    a, b = RNG.normal(size=(2, 1, 3)), RNG.normal(size=(2, 2, 2))
    expected = np.stack([scipy.linalg.block_diag(*pair) for pair in zip(a, b, strict=True)])
    assert_close(block_diag(xp.asarray(a), xp.asarray(b)), expected)
