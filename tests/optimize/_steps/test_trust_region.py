"""Minima of quadratics within balls."""

import numpy as np

from likewise.optimize._steps._trust_region import exact_step


def test_exact_steps() -> None:
    """Where the matrix is definite or not, and in the hard case: the conditions of a minimum."""
    rng = np.random.default_rng(3)
    k = 4
    turns = [np.linalg.qr(rng.normal(size=(k, k)))[0] for _ in range(5)]
    values = np.asarray([[1, 2, 3, 4], [-1, 0, 2, 3], [-2, -2, 1, 5], [0, 0, 1, 2], [1, 2, 3, 9.0]])
    h = np.stack([q @ np.diag(v) @ q.T for q, v in zip(turns, values, strict=True)])
    g = rng.normal(size=(5, k))
    for i in (2, 3):  # orthogonal to the eigenvectors of the least value
        q = turns[i][:, :2]
        g[i] -= q @ (q.T @ g[i])
    radius = np.asarray([10.0, 0.5, 3.0, 7.0, 0.1])
    s, hs, border = exact_step(h, g, radius)
    np.testing.assert_allclose(hs, np.einsum("ijk,ik->ij", h, s), atol=1e-12)
    length = np.linalg.norm(s, axis=1)
    assert border[0] == np.False_ and border[1] and border[2] and border[4]
    np.testing.assert_allclose(length[border], radius[border], rtol=1e-10)
    shift = -np.sum((hs + g) * s, axis=1) / length**2
    shift[~border] = 0
    np.testing.assert_allclose(hs + shift[:, None] * s, -g, atol=1e-8)
    assert np.all(shift + values[:, 0] >= -1e-8)
