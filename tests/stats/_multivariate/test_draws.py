"""Random vectors and matrices: their moments, their groups, the same on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats as judge

import likewise
from likewise import errors, stats, to_numpy
from likewise.random import key
from likewise.transforms import grad

MEAN = np.asarray([0.3, -1.0])
COV = np.asarray([[2.0, 0.6], [0.6, 1.0]])
ALPHA = np.asarray([1.5, 3.0, 2.2])
P = np.asarray([0.2, 0.5, 0.3])
KINDS = np.asarray([3, 4, 7])
DIRECTION = np.asarray([2.0, -1.0, 2.0, 0.0]) / 3

# The distribution, its parameters, and the mean of a draw.
DRAWS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "multivariate_normal": ((MEAN, COV), MEAN),
    "multivariate_t": ((MEAN, COV, 8.0), MEAN),
    "dirichlet": ((ALPHA,), ALPHA / ALPHA.sum()),
    "wishart": ((4.5, COV), 4.5 * COV),
    "invwishart": ((9.5, COV), COV / 6.5),
    "multinomial": ((7, P), 7 * P),
    "multivariate_hypergeom": ((KINDS, 6), 6 * KINDS / 14),
    "matrix_normal": ((np.outer(P, MEAN), np.diag(P), COV), np.outer(P, MEAN)),
    "vonmises_fisher": ((DIRECTION, 5.0), None),
}
N = 4000


@pytest.mark.parametrize("name", DRAWS)
def test_moments(name: str) -> None:
    args, mean = DRAWS[name]
    x = np.asarray(getattr(stats, name).rvs(*args, N, key=key(3)), dtype=float)
    if name == "vonmises_fisher":
        np.testing.assert_allclose(np.linalg.norm(x, axis=-1), 1.0, rtol=1e-13)
        mean = DIRECTION * scipy.special.ive(2, 5.0) / scipy.special.ive(1, 5.0)
    error = (x.mean(0) - mean) / (x.std(0) / N**0.5)
    assert np.max(np.abs(error)) < 4.5


def test_covariances_of_draws() -> None:
    x = stats.multivariate_normal.rvs(MEAN, COV, N, key=key(4))
    np.testing.assert_allclose(np.cov(x.T), COV, atol=0.15)
    n = stats.multinomial.rvs(7, P, N, key=key(4))
    assert n.dtype.kind == "i"
    assert (n.sum(-1) == 7).all()
    np.testing.assert_allclose(np.cov(n.T), judge.multinomial.cov(7, P), atol=0.15)
    h = stats.multivariate_hypergeom.rvs(KINDS, 6, N, key=key(4))
    assert (h.sum(-1) == 6).all()
    assert (h <= KINDS).all()
    np.testing.assert_allclose(
        np.cov(h.T), judge.multivariate_hypergeom.cov(KINDS, 6).astype(float), atol=0.06
    )
    w = stats.wishart.rvs(4.5, COV, N, key=key(4))
    np.testing.assert_allclose(w.var(0), judge.wishart.var(4.5, COV), rtol=0.15)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_components_of_directions(d: int) -> None:
    x = stats.uniform_direction.rvs(d, N, key=key(5))
    half = 0.5 * (d - 1)
    assert judge.kstest(0.5 * (1 + x[:, 0]), judge.beta(half, half).cdf).pvalue > 1e-3
    mu, kappa = np.eye(d)[1], 2.5
    along = stats.vonmises_fisher.rvs(mu, kappa, N, key=key(6)) @ mu

    def cdf(t: Any) -> Any:
        grid = np.linspace(-1, 1, 20001)[1:-1]
        mass = np.exp(kappa * grid) * (1 - grid * grid) ** (0.5 * (d - 3))
        return np.interp(t, grid, np.cumsum(mass) / mass.sum())

    assert judge.kstest(along, cdf).pvalue > 1e-3


def test_groups() -> None:
    for name in ("ortho_group", "special_ortho_group", "unitary_group"):
        x = getattr(stats, name).rvs(4, 200, key=key(7))
        eye = np.broadcast_to(np.eye(4), x.shape)
        np.testing.assert_allclose(x @ np.conj(np.swapaxes(x, -1, -2)), eye, atol=1e-13)
        assert abs(np.mean(np.trace(x, axis1=-2, axis2=-1))) < 0.3  # Haar's: mean 0, variance 1
        assert getattr(stats, name)(3).rvs(key=key(7)).shape == (3, 3)
    det = np.linalg.det(stats.special_ortho_group.rvs(5, 50, key=key(8)))
    np.testing.assert_allclose(det, 1.0, rtol=1e-12)
    det = np.linalg.det(stats.ortho_group.rvs(5, 50, key=key(8)))
    assert set(det.round(9)) == {-1.0, 1.0}


def test_correlations() -> None:
    rng = np.random.default_rng(0)
    for d in (2, 3, 6, 12):
        eigs = rng.dirichlet(np.ones(d), size=20) * d
        eigs[0] = 1.0
        x = stats.random_correlation.rvs(eigs, key=key(9), tol=1e-12)
        np.testing.assert_allclose(np.diagonal(x, axis1=-2, axis2=-1), 1.0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.eigvalsh(x), np.sort(eigs), atol=1e-12)
    with pytest.raises(errors.ArgumentError, match="sum of eigenvalues"):
        stats.random_correlation.rvs(np.asarray([1.0, 1.5]), key=key(9))


@pytest.mark.xp_skip(
    {
        "strict-minimal": "it needs linalg, or shapes that depend on data",
        "torch": "its default dtype is of single precision",
    }
)
def test_each_library_has_the_same(xp: Any) -> None:
    like = xp.zeros(1)
    for name, (args, _) in DRAWS.items():
        given = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        found = getattr(stats, name).rvs(*given, 5, key=11)
        assert likewise.library(found) == likewise.library(like)
        expected = getattr(stats, name).rvs(*args, 5, key=11)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-10, atol=1e-12)
    for name in ("ortho_group", "special_ortho_group", "unitary_group"):
        found = getattr(stats, name).rvs(3, 2, key=11, like=like)
        assert likewise.library(found) == likewise.library(like)
        expected = getattr(stats, name).rvs(3, 2, key=11)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-9, atol=1e-10)


def test_sizes() -> None:
    free = stats.multivariate_normal
    assert free.rvs(MEAN, COV, key=1).shape == (2,)
    assert free.rvs(MEAN, COV, (3, 4), key=1).shape == (3, 4, 2)
    batch = np.stack([MEAN, MEAN + 1, MEAN])
    assert free.rvs(batch, COV, key=1).shape == (3, 2)
    assert free.rvs(batch, COV, (5, 3), key=1).shape == (5, 3, 2)
    with pytest.raises(errors.ArgumentError, match="size"):
        free.rvs(batch, COV, 4, key=1)


def test_gradients_pass_through_draws() -> None:
    def total(cov: Any) -> Any:
        return likewise.array_namespace(cov).sum(
            stats.multivariate_normal.rvs(MEAN, cov, 3, key=key(2)) ** 2
        )

    found, h = grad(total)(COV), 1e-6
    way = np.asarray([[0.3, 0.1], [0.1, -0.2]])
    slope = (total(COV + h * way) - total(COV - h * way)) / (2 * h)
    assert abs(np.sum(found * way) - slope) < 1e-7


def test_generators_are_refused_in_words() -> None:
    with pytest.raises(errors.ArgumentError, match="key=likewise"):
        stats.multivariate_normal.rvs(MEAN, COV, random_state=1)
    with pytest.raises(errors.ArgumentError, match="needs key="):
        stats.ortho_group.rvs(3)
    with pytest.raises(errors.ArgumentError, match="seed="):
        stats.wishart(3, COV, seed=0)
