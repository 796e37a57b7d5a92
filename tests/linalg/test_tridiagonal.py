"""Eigenvalues of three diagonals against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, DtypeError, ExtensionMissing, ShapeError
from likewise.linalg import eigh_tridiagonal
from likewise.testing import check_function

from .systems import agree, compare, dtype_of


def dense(d: Any, e: Any) -> Any:
    n = d.shape[-1]
    a = d[..., None] * np.eye(n)
    i = np.arange(n - 1)
    a[..., i, i + 1] = a[..., i + 1, i] = e
    return a


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_eigenvalues_and_vectors(lib: Any, rng: Any, n: int) -> None:
    if (lib.jit or lib.library == "dask") and n != 5:
        return
    d, e = rng.normal(size=(2, n)), rng.normal(size=(1, n - 1))
    given = lib.asarray(dtype_of(lib, d)), lib.asarray(dtype_of(lib, e))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="eigh_tridiagonal: needs .* 'linalg'"):
            eigh_tridiagonal(*given)
        return
    a = dense(d, np.broadcast_to(e, (2, n - 1)))
    expected = np.linalg.eigvalsh(a)
    w, v = eigh_tridiagonal(*given)
    compare(lib, w, expected)
    compare(lib, eigh_tridiagonal(*given, eigvals_only=True), expected)
    vectors = lib.to_numpy(v)
    tol = 1e-12 if lib.has_float64 else 1e-4
    np.testing.assert_allclose(a @ vectors, vectors * expected[:, None, :], atol=tol * n)
    np.testing.assert_allclose(np.swapaxes(vectors, 1, 2) @ vectors, [np.eye(n)] * 2, atol=tol * n)
    low, high = n // 3, n // 2
    w, v = eigh_tridiagonal(*given, select="i", select_range=(low, high))
    compare(lib, w, expected[:, low : high + 1])
    assert v.shape == (2, n, high + 1 - low)
    one, _ = eigh_tridiagonal(given[0][0, ...], given[1][0, ...])
    compare(lib, one, scipy.linalg.eigh_tridiagonal(d[0], e[0])[0])


def test_those_in_an_interval(lib: Any) -> None:
    """The lower limit doesn't belong to it, the upper one does; a batch needs equal counts."""
    if not lib.has_extensions:
        return
    d, e = lib.asarray(np.asarray([[1.0, 2.0, 3.0], [0.0, 2.5, 9.0]])), lib.asarray(np.zeros(2))
    if not is_concrete(d) or lib.jit:
        with pytest.raises(ArgumentError, match="select 'v' needs values that can be looked at"):
            eigh_tridiagonal(d, e, True, "v", (1.0, 3.0))
        return
    found = eigh_tridiagonal(d[0, ...], e, True, "v", (1.0, 3.0))
    np.testing.assert_allclose(lib.to_numpy(found), [2.0, 3.0], rtol=1e-6)
    found = eigh_tridiagonal(d, e, True, "value", (1.5, 2.75))
    np.testing.assert_allclose(lib.to_numpy(found), [[2.0], [2.5]], rtol=1e-6)
    w, v = eigh_tridiagonal(d[0, ...], e, select="v", select_range=(5.0, 6.0))
    assert w.shape == (0,) and v.shape == (3, 0)
    none = lib.asarray(np.ones((0, 3)))
    assert eigh_tridiagonal(none, e, True, "v", (1.0, 3.0)).shape == (0, 0)
    with pytest.raises(ArgumentError, match="from 2 to 3 eigenvalues lie up to 4.0"):
        eigh_tridiagonal(d, e, True, "v", (1.5, 4.0))


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_what_is_not_finite(lib: Any, bad: float) -> None:
    if not lib.has_extensions:
        return
    d, e = np.ones((2, 3)), np.ones((2, 2))
    e[1, 0] = bad
    given = lib.asarray(d), lib.asarray(e)
    if is_concrete(given[0]) and not lib.jit:
        with pytest.raises(ArgumentError, match="d and e must be finite"):
            eigh_tridiagonal(*given)
        return
    for part in (*eigh_tridiagonal(*given), eigh_tridiagonal(*given, eigvals_only=True)):
        values = lib.to_numpy(part)
        assert np.isfinite(values[0]).all() and np.isnan(values[1]).all()


def test_refuses() -> None:
    d, e = np.ones(3), np.ones(2)
    with pytest.raises(ShapeError, match=r"d \(\.\.\., n\) and e \(\.\.\., n - 1\) were expected"):
        eigh_tridiagonal(d, d)
    with pytest.raises(DtypeError, match="must hold real numbers"):
        eigh_tridiagonal(d, e * 1j)
    with pytest.raises(ArgumentError, match="select must be one of 'a', 'i', 'v', got 'x'"):
        eigh_tridiagonal(d, e, select="x")
    with pytest.raises(ArgumentError, match="lapack_driver must be one of"):
        eigh_tridiagonal(d, e, lapack_driver="x")
    for limits in (None, (1,), (2, 1), (0.5, 1)):
        with pytest.raises(ArgumentError, match="select_range must be two integers"):
            eigh_tridiagonal(d, e, select="i", select_range=limits)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="select_range must be two numbers"):
        eigh_tridiagonal(d, e, select="v")
    with pytest.raises(ArgumentError, match=r"select_range must lie in \[0, 2\]"):
        eigh_tridiagonal(d, e, select="i", select_range=(0, 3))


@pytest.mark.full
def test_everywhere(rng: Any) -> None:
    check_function(
        lambda d, e: eigh_tridiagonal(d, e, eigvals_only=True),
        rng.normal(size=(2, 4)),
        rng.normal(size=(2, 3)),
        reference=lambda d, e: np.linalg.eigvalsh(dense(d, e)),
        eager={"strict-minimal": "there is no linalg"},
        tol={"float32": 1e-4},
        scalars=1,  # whether all is finite
        name="likewise.linalg.eigh_tridiagonal",
    )


@pytest.mark.needs("jax", "torch")
def test_derivatives(rng: Any) -> None:
    """Of an eigenvalue: the squares of its vector, and twice the products of neighbours."""
    import jax
    import jax.numpy as jnp
    import torch

    d, e = rng.normal(size=5), rng.normal(size=4)
    _, v = scipy.linalg.eigh_tridiagonal(d, e)
    expected = v[:, 1] ** 2, 2 * v[:-1, 1] * v[1:, 1]

    def value(d: Any, e: Any) -> Any:
        return eigh_tridiagonal(d, e)[0][1]

    found = [jax.jit(jax.grad(value, (0, 1)))(jnp.asarray(d), jnp.asarray(e))]
    found.append(likewise.grad(value, (0, 1))(d, e))
    t = torch.asarray(d, requires_grad=True), torch.asarray(e, requires_grad=True)
    value(*t).backward()
    found.append(tuple(x.grad.numpy() for x in t))  # type: ignore[union-attr]
    for pair in found:
        for got, right in zip(pair, expected, strict=True):
            np.testing.assert_allclose(np.asarray(got), right, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int) -> None:
    if lib.library != "numpy":
        return
    for dtype in ("float64", "float32"):
        d, e = rng.normal(size=n).astype(dtype), rng.normal(size=n - 1).astype(dtype)
        for options in ((True,), (True, "i", (0, n // 2)), (True, "v", (-1.0, 0.5))):
            body = eigh_tridiagonal.generic(d, e, *options)  # type: ignore[attr-defined]
            agree(lib, eigh_tridiagonal(d, e, *options), body)
        w, v = eigh_tridiagonal(d, e)
        values, vectors = eigh_tridiagonal.generic(d, e)  # type: ignore[attr-defined]
        agree(lib, w, values)
        agree(lib, np.abs(v), np.abs(vectors))
