"""Decompositions and norms, against what they are to the matrix and SciPy's."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.linalg import cholesky, norm, null_space, orth, polar, qr, svd, svdvals

SHAPES = [(3, 3), (2, 4, 3), (2, 3, 5)]


def some(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    a = rng.normal(size=shape)
    return a + 1j * rng.normal(size=shape) if kind == "complex" else a


def tight(lib: Any) -> float:
    return 1e-12 if lib.has_float64 else 1e-5


def turned(a: Any) -> Any:
    return np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", SHAPES)
def test_decompositions(
    lib: Any, shape: tuple[int, ...], kind: str, rng: np.random.Generator
) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a = some(rng, shape, kind)
    x, atol = lib.asarray(a), tight(lib) * 10
    expected = np.linalg.svd(a, compute_uv=False)
    for full in (True, False):
        u, s, vh = (lib.to_numpy(v) for v in svd(x, full_matrices=full))
        k = s.shape[-1]
        assert (u.shape[-1], vh.shape[-2]) == ((shape[-2], shape[-1]) if full else (k, k))
        np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, atol=atol)
        np.testing.assert_allclose(s, expected, atol=atol)
    for found in (svdvals(x), svd(x, compute_uv=False)):
        np.testing.assert_allclose(lib.to_numpy(found), expected, atol=atol)
    for mode in ("full", "economic"):
        q, r = (lib.to_numpy(v) for v in qr(x, mode=mode))
        assert q.shape[-1] == (shape[-2] if mode == "full" else min(shape[-2:]))
        np.testing.assert_allclose(q @ r, a, atol=atol)
        np.testing.assert_allclose(
            turned(q) @ q, np.eye(q.shape[-1]) + 0 * turned(q) @ q, atol=atol
        )
        np.testing.assert_allclose(np.tril(r, -1), 0, atol=atol)
    (alone,) = qr(x, mode="r")
    assert tuple(alone.shape) == shape
    for side in ("right", "left"):
        u, p = (lib.to_numpy(v) for v in polar(x, side))
        np.testing.assert_allclose(u @ p if side == "right" else p @ u, a, atol=atol)
        np.testing.assert_allclose(p, turned(p), atol=atol)
        assert (np.linalg.eigvalsh(p) > -atol * 10).all()


@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(lib: Any, lower: bool, rng: np.random.Generator) -> None:
    a = some(rng, (2, 3, 3), "complex")
    a = a @ turned(a) + np.eye(3)
    c = lib.to_numpy(cholesky(lib.asarray(np.tril(a) if lower else np.triu(a)), lower=lower))
    expected = np.stack([scipy.linalg.cholesky(m, lower=lower) for m in a])
    np.testing.assert_allclose(c, expected, atol=tight(lib) * 10)


@pytest.mark.xp_lazy(null_space, orth, jit="the rank is looked at")
def test_bases(lib: Any, rng: np.random.Generator) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a = rng.normal(size=(5, 2)) @ rng.normal(size=(2, 4))
    for f, mine, shape in (
        (null_space, a.T, (5, 3)),
        (orth, a, (5, 2)),
    ):
        got = lib.to_numpy(f(lib.asarray(mine), rcond=1e-5))
        expected = getattr(scipy.linalg, f.__name__)(mine)
        assert got.shape == shape
        np.testing.assert_allclose(got @ got.T, expected @ expected.T, atol=tight(lib) * 10)


ORDERS = [None, 1, -1, 2, -2, math.inf, -math.inf]


def test_norms(lib: Any, rng: np.random.Generator, once: bool) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    for kind in ("complex",) if once else ("real", "complex"):
        a = some(rng, (3, 4, 2), kind)
        x = lib.asarray(a)
        calls: list[dict[str, Any]] = [{}, {"keepdims": True}]
        calls += [{"ord": o, "axis": 1} for o in (*ORDERS, 3, 0, 0.5)]
        calls += [{"ord": o, "axis": (2, 0), "keepdims": True} for o in (*ORDERS, "fro", "nuc")]
        calls += [{"ord": 1, "axis": (0, -1)}]
        for given in calls:
            expected = np.linalg.norm(a, **given)
            np.testing.assert_allclose(
                lib.to_numpy(norm(x, **given)), expected, rtol=tight(lib) * 100, err_msg=str(given)
            )
        for o in (*ORDERS, "fro", "nuc"):
            got = lib.to_numpy(norm(x[0, ...], o))
            np.testing.assert_allclose(got, np.linalg.norm(a[0], o), rtol=tight(lib) * 100)
    assert lib.to_numpy(norm(lib.asarray(a[0, :, 0]), 1)).dtype.kind == "f"


def test_derivatives(rng: np.random.Generator) -> None:
    a, along = rng.normal(size=(2, 4, 3))
    functions: dict[str, Any] = {
        "svdvals": svdvals,
        "qr": lambda a: qr(a, mode="economic")[1],
        "polar": lambda a: polar(a)[0],
        "norm": lambda a: norm(a, 1, axis=(0, 1)),
        "cholesky": lambda a: cholesky(a.T @ a),
    }
    for name, f in functions.items():
        moved = likewise.jvp(f, (a,), (along,))[1]
        step = 1e-6
        expected = (f(a + step * along) - f(a - step * along)) / (2 * step)
        np.testing.assert_allclose(moved, expected, rtol=1e-5, atol=1e-7, err_msg=name)
        w = rng.normal(size=np.shape(expected))
        slope = likewise.grad(lambda a, f=f, w=w: np.sum(f(a) * w))(a)
        np.testing.assert_allclose((slope * along).sum(), (moved * w).sum(), rtol=1e-8)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match=r"svd: a must have shape \(\.\.\., m, n\)"):
        svd(np.ones(3))
    with pytest.raises(ArgumentError, match="qr: mode must be"):
        qr(np.eye(2), mode="raw")
    with pytest.raises(NotSupported, match="pivoting"):
        qr(np.eye(2), pivoting=True)
    with pytest.raises(ArgumentError, match="norm: there is no norm of matrices"):
        norm(np.eye(2), 3)
    with pytest.raises(ShapeError, match="one or two dimensions, got 3"):
        norm(np.ones((2, 2, 2)), 2)
    with pytest.raises(ShapeError, match="null_space: one matrix"):
        null_space(np.ones((2, 2, 2)))
