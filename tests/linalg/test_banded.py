"""Systems of a few diagonals against dense ones."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.linalg import tridiagonal_solve
from likewise.testing import check_function

from .systems import compare, dtype_of


def dense(dl: Any, d: Any, du: Any) -> Any:
    """Matrices of three diagonals."""
    n = d.shape[-1]
    a = d[..., None] * np.eye(n)
    a[..., np.arange(1, n), np.arange(n - 1)] = dl[..., 1:]
    a[..., np.arange(n - 1), np.arange(1, n)] = du[..., :-1]
    return a


@pytest.mark.full
def test_tridiagonal_everywhere(rng: Any) -> None:
    dl, d, du = rng.normal(size=(2, 4)), rng.normal(size=(2, 4)) + 6, rng.normal(size=(2, 4))
    check_function(
        tridiagonal_solve,
        dl,
        d,
        du,
        rng.normal(size=(2, 4, 1)),
        reference=lambda dl, d, du, b: np.linalg.solve(dense(dl, d, du), b),
    )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17])
def test_tridiagonal(lib: Any, rng: Any, n: int) -> None:
    dl, du = rng.normal(size=(2, 3, n))
    d = rng.normal(size=(2, 1, n)) + 6
    b = rng.normal(size=(2, 1, n, 2))
    expected = np.linalg.solve(dense(*np.broadcast_arrays(dl, d, du)), b)
    dl[:, 0] = du[:, -1] = np.nan  # not read
    arrays = [lib.asarray(dtype_of(lib, v)) for v in (dl, d, du, b)]
    compare(lib, tridiagonal_solve(*arrays), expected)
    vector = lib.asarray(dtype_of(lib, b[0, 0, :, 0]))
    got = tridiagonal_solve(arrays[0][0, :], arrays[1][0, 0, :], arrays[2][0, :], vector)
    compare(lib, got, expected[0, 0, :, 0])


def test_tridiagonal_without_rows(lib: Any) -> None:
    none, batch = lib.asarray([], "float32"), lib.asarray(np.zeros((2, 0)), "float32")
    assert tuple(tridiagonal_solve(none, none, none, none).shape) == (0,)
    right = lib.asarray(np.zeros((2, 0, 3)), "float32")
    assert tuple(tridiagonal_solve(batch, batch, batch, right).shape) == (2, 0, 3)
    one = lib.asarray([2.0], "float32")
    assert float(lib.to_numpy(tridiagonal_solve(one, one, one, one))[0]) == 1.0


def test_one_large_system_goes_to_lapack() -> None:
    ones = np.ones(3)
    told = likewise.explain(tridiagonal_solve, ones, 4 * ones, ones, ones)
    assert told.routine == "scipy.linalg.lapack:dgtsv"
    for n, dtype in ((2, "float64"), (3, "float32")):
        few = np.ones(n, dtype)
        told = likewise.explain(tridiagonal_solve, few, 4 * few, few, few)
        assert told.routine == "likewise._libs._numpy_natives:tridiagonal"
