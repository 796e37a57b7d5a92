"""Eigenvalues and eigenvectors, against what they are to the matrix and SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise.errors import ArgumentError, LinAlgError, NotSupported, ShapeError
from likewise.linalg import eig, eigh, eigvals, eigvalsh


def hermitian(rng: np.random.Generator, n: int, kind: str, shape: tuple[int, ...] = (3,)) -> Any:
    a = rng.normal(size=(*shape, n, n))
    if kind == "complex":
        a = a + 1j * rng.normal(size=a.shape)
    return a + np.conj(np.swapaxes(a, -1, -2))


def positive(rng: np.random.Generator, n: int, kind: str) -> Any:
    a = hermitian(rng, n, kind)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(n)


def tight(lib: Any) -> float:
    return 1e-11 if lib.has_float64 else 1e-4


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_hermitian(lib: Any, kind: str, rng: np.random.Generator) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a = hermitian(rng, 4, kind)
    spoiled = np.where(np.triu(np.ones((4, 4), dtype=bool), 1), 1e3, a)  # is not read
    w, v = (lib.to_numpy(x) for x in eigh(lib.asarray(spoiled)))
    assert w.dtype.kind == "f" and (np.diff(w) >= 0).all()
    np.testing.assert_allclose(a @ v, v * w[:, None, :], atol=tight(lib) * 10)
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a), atol=tight(lib) * 10)
    few = lib.to_numpy(eigvalsh(lib.asarray(a), subset_by_index=(1, 2)))
    np.testing.assert_allclose(few, w[:, 1:3], atol=tight(lib) * 10)


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("lower", [True, False])
def test_general(lib: Any, type: int, lower: bool, rng: np.random.Generator) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a, b = hermitian(rng, 3, "complex"), positive(rng, 3, "complex")
    keep = np.tril if lower else np.triu
    given = lib.asarray(keep(a)), lib.asarray(keep(b))
    w, v = (lib.to_numpy(x) for x in eigh(*given, type=type, lower=lower))
    for k in range(3):
        expected = scipy.linalg.eigvalsh(a[k], b[k], type=type)
        size = abs(expected).max()
        np.testing.assert_allclose(w[k] / size, expected / size, atol=tight(lib))
        left = {1: a[k], 2: a[k] @ b[k], 3: b[k] @ a[k]}[type] @ v[k]
        right = (b[k] if type == 1 else np.eye(3)) @ v[k] * w[k]
        np.testing.assert_allclose(left, right, atol=tight(lib) * 10 * max(size, 1.0))
    alone = lib.to_numpy(eigvalsh(*given, type=type, lower=lower))
    np.testing.assert_allclose(alone, w, rtol=1e-5)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_of_any_matrix(lib: Any, kind: str, rng: np.random.Generator) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    a = rng.normal(size=(3, 4, 4)) + (1j * rng.normal(size=(3, 4, 4)) if kind == "complex" else 0)
    b = positive(rng, 4, "real")
    w, vl, vr = (lib.to_numpy(x) for x in eig(lib.asarray(a), left=True))
    assert w.dtype.kind == vl.dtype.kind == vr.dtype.kind == "c"
    np.testing.assert_allclose(a @ vr, vr * w[:, None, :], atol=tight(lib) * 10)
    turned = np.conj(np.swapaxes(vl, -1, -2))
    np.testing.assert_allclose(turned @ a, w[..., None] * turned, atol=tight(lib) * 100)
    np.testing.assert_allclose(np.linalg.norm(vl, axis=1), 1, rtol=1e-5)
    general, v = (lib.to_numpy(x) for x in eig(lib.asarray(a), lib.asarray(b)))
    np.testing.assert_allclose(a @ v, b @ v * general[:, None, :], atol=tight(lib) * 100)
    alone = lib.to_numpy(eigvals(lib.asarray(a)))
    found = np.sort_complex(alone.astype("c16").round(4))
    np.testing.assert_allclose(found, np.sort_complex(np.linalg.eigvals(a).round(4)), atol=1e-3)


def test_derivatives(rng: np.random.Generator) -> None:
    a, b, da = (
        hermitian(rng, 3, "real", ()),
        np.diag([1.0, 2.0, 3.0]),
        hermitian(rng, 3, "real", ()),
    )
    moved = likewise.jvp(lambda a: eigh(a, b)[0], (a,), (da,))[1]
    step = 1e-6
    ahead, back = (scipy.linalg.eigvalsh(a + s * da, b) for s in (step, -step))
    np.testing.assert_allclose(moved, (ahead - back) / (2 * step), rtol=1e-6)
    slope = likewise.grad(lambda a: eigvalsh(a, b) @ np.asarray([0.3, -1.0, 2.0]))(a)
    np.testing.assert_allclose((slope * da).sum(), moved @ np.asarray([0.3, -1.0, 2.0]), rtol=1e-9)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match="eigh: a must have shape"):
        eigh(np.ones((2, 3)))
    with pytest.raises(ShapeError, match="of one size, got 2 and 3"):
        eig(np.eye(2), np.eye(3))
    with pytest.raises(ArgumentError, match="type must be 1, 2 or 3"):
        eigh(np.eye(2), np.eye(2), type=4)
    with pytest.raises(ArgumentError, match=r"subset_by_index must lie in \[0, 1\]"):
        eigh(np.eye(2), subset_by_index=(0, 2))
    with pytest.raises(NotSupported, match="subset_by_value"):
        eigvalsh(np.eye(2), subset_by_value=(0.0, 1.0))
    with pytest.raises(NotSupported, match="homogeneous"):
        eigvals(np.eye(2), homogeneous_eigvals=True)


@pytest.mark.xp_skip({"dask": "nothing is known before", "jax-jit": "traced, nothing is known"})
@pytest.mark.parametrize("batch", [(), (2,)])
def test_what_has_no_eigenvalues(lib: Any, batch: tuple[int, ...]) -> None:
    if not lib.has_extensions:
        return
    eye = lib.asarray(np.broadcast_to(np.eye(3), (*batch, 3, 3)).copy())
    ones = lib.asarray(np.ones((*batch, 3, 3)))
    nan = lib.asarray(np.full((*batch, 3, 3), np.nan))
    for call in (eig, eigvals):
        name = call.__name__
        with pytest.raises(ArgumentError, match=f"^{name}: a must be finite"):
            call(nan)
        with pytest.raises(ArgumentError, match=f"^{name}: b must be finite"):
            call(eye, nan)
        if call is eig or batch:
            with pytest.raises(LinAlgError, match=f"^{name}: b is singular"):
                call(eye, ones)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_singular_second_matrix_gives_infinities(dtype: str, rng: np.random.Generator) -> None:
    """As SciPy's routine does, where that is there: zeros of a system of states."""
    a = rng.normal(size=(5, 5)).astype(dtype)
    b = np.diag(np.asarray([1, 1, 1, 0, 0], dtype))
    expected = scipy.linalg.eigvals(a, b)
    for w in (eigvals(a, b), eig(a, b, right=False)):
        np.testing.assert_array_equal(w, expected)
        assert np.sum(np.isinf(w)) == 2 and w.dtype == expected.dtype
    with pytest.raises(np.linalg.LinAlgError):
        eigvals(np.stack([a, a]), b)
