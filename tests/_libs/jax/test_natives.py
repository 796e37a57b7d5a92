"""JAX's natives by themselves, on one small batch: their rows are in tests/linalg/test_rows.py."""

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.needs("jax")


def test_cho_solve_of_many_matrices_and_one_side(rng: Any) -> None:
    from likewise._libs.jax import _natives

    a = rng.normal(size=(2, 3, 3))
    a, b = a @ np.swapaxes(a, -1, -2) + np.eye(3), rng.normal(size=(3, 1))
    for c, side in ((a, b), (a[0], np.stack([b, 2 * b]))):
        got = np.asarray(_natives.cho_solve(np.linalg.cholesky(c), side))
        np.testing.assert_allclose(got, np.linalg.solve(c, np.broadcast_to(side, (2, 3, 1))))


def test_tridiagonal_of_many_systems(rng: Any) -> None:
    from likewise._libs.jax import _natives

    dl, d, du = rng.normal(size=(3, 2, 4))
    d = d + 6
    dense = d[..., None] * np.eye(4)
    dense[:, np.arange(1, 4), np.arange(3)] = dl[:, 1:]
    dense[:, np.arange(3), np.arange(1, 4)] = du[:, :-1]
    b = rng.normal(size=(2, 4, 1))
    got = np.asarray(_natives.tridiagonal(dl, d, du, b))
    np.testing.assert_allclose(got, np.linalg.solve(dense, b))
