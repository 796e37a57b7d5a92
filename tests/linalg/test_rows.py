"""Native rows beside their generic ways: value, dtype, shape, edges and derivatives."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.linalg import (
    cho_factor,
    cho_solve,
    inv,
    lstsq,
    lu_factor,
    lu_solve,
    solve,
    solve_triangular,
    tridiagonal_solve,
)

from ..parity import eager, every, same

NAN, INF = np.nan, np.inf


def matrices(rng: Any, n: int, dtype: str, *batch: int) -> Any:
    a = rng.normal(size=(*batch, n, n)) + n * np.eye(n)
    if dtype == "complex128":
        a = a + 1j * rng.normal(size=a.shape)
    return a.astype(dtype)


@every
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("n", [0, 1, 3, 9])
def test_systems(library: str, n: int, dtype: str, rng: Any, leave_out: Any) -> None:
    leave_out("long", library == "jax" and (n == 9 or dtype != "float64"))
    if library == "jax" and dtype != "float64":
        n = min(n, 3)  # eager JAX compiles each step of the generic loops
    for batch in ((), (2, 3)) if library != "jax" else ((2,),):
        a, b = matrices(rng, n, dtype, *batch), rng.normal(size=(*batch, n, 2)).astype(dtype)
        close = {"rtol": 1e-10}
        if 0 < n < 4:
            same(library, solve, a, b, **close)
            same(library, inv, a, **close)
        for options in ((0, False, False), (1, False, True), (2, True, False), (0, True, True)):
            same(library, solve_triangular, a / max(n, 1), b, *options, rtol=1e-7)
        same(library, solve_triangular, a, b[..., :0], **close)
        same(library, lu_factor, a, **close)
        for trans in (0, 1, 2):
            factors = lu_factor.generic(a)  # type: ignore[attr-defined]
            same(library, lu_solve, factors, b, trans, **close)
            if not batch:
                same(library, lu_solve, factors, b[:, 0], trans, **close)
        if dtype != "complex128":
            s = (a @ np.swapaxes(a, -1, -2)).astype(dtype)
            same(
                library, cho_factor, np.tril(s) + np.triu(np.full_like(s, NAN), 1), True, rtol=1e-8
            )
            factor = cho_factor.generic(s)  # type: ignore[attr-defined]
            same(library, cho_solve, factor, b, rtol=1e-8)


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
@every
@pytest.mark.parametrize("n", [2, 3, 9])
def test_singular_matrices_spoil_no_other(library: str, n: int, rng: Any, leave_out: Any) -> None:
    leave_out("long", library == "jax" and n != 3)
    a, b = matrices(rng, n, "float64", 3), rng.normal(size=(3, n, 1))
    a[1] = 0
    if n < 4:
        for out in (solve(*(likewise.asarray(z, namespace=library) for z in (a, b))),):
            got = likewise.to_numpy(out)
            np.testing.assert_allclose(got[::2], np.linalg.solve(a[::2], b[::2]))
            assert not np.isfinite(got[1]).any()
        got = likewise.to_numpy(inv(likewise.asarray(a, namespace=library)))
        np.testing.assert_allclose(got[::2], np.linalg.inv(a[::2]))
        assert not np.isfinite(got[1]).any()
    s = a @ np.swapaxes(a, -1, -2)
    same(library, cho_factor, s, rtol=1e-9)
    same(library, lu_factor, a, rtol=1e-9)
    one = np.where(np.eye(n) + np.eye(n, k=1) > 0, 1.0, 0.0)
    one[1, 1] = 0.0
    both = likewise.asarray(np.stack([one, np.eye(n)]), namespace=library)
    found = likewise.to_numpy(solve_triangular(both, np.ones(n).tolist()))
    assert not np.isfinite(found[0, :2]).all() and np.all(found[1] == 1)


@every
def test_tridiagonal(library: str, rng: Any, leave_out: Any) -> None:
    leave_out("long", library == "jax")
    for shape in ((1,), (2,), (30,), (40, 3), (2, 20, 5), (0, 3)):
        dl, d, du = rng.normal(size=(3, *shape))
        dl[..., 0] = du[..., -1] = NAN
        d = np.abs(d) + 4
        for dtype in ("float64", "float32", "complex128"):
            parts = [z.astype(dtype) for z in (dl, d, du)]
            b = rng.normal(size=(*shape, 2)).astype(dtype)
            same(library, tridiagonal_solve, *parts, b)


@eager
def test_lstsq(library: str, rng: Any) -> None:
    a, b = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    low = a.copy()
    low[:, 2] = low[:, 0]
    for m in (a, low, a.T, a.astype("float32")):
        right = (b if m.shape[0] == 7 else b[:3]).astype(m.dtype)
        same(library, lstsq, m, right, rtol=1e-9)
        same(library, lstsq, m, right[:, 0], rtol=1e-9)


@pytest.mark.needs("torch")
def test_derivatives_of_factors_on_torch(rng: Any) -> None:
    """They read one triangle, and so have derivatives there alone, as the generic ways."""
    import torch

    s = rng.normal(size=(4, 4))
    s = torch.from_numpy(s @ s.T + 4 * np.eye(4))
    b = torch.from_numpy(rng.normal(size=(4, 2)))
    functions: Any = (
        lambda way, a: way(cho_factor)(a, lower=True)[0],
        lambda way, a: way(cho_solve)((a, True), b),
        lambda way, a: way(solve_triangular)(a, b, lower=True),
        lambda way, a: way(lu_factor)(a)[0],
        lambda way, a: way(solve)(a[:3, :3], b[:3]),
        lambda way, a: way(inv)(a[:3, :3]),
    )
    for func in functions:
        found = [
            torch.func.jacrev(lambda a, func=func, way=way: func(way, a))(s)
            for way in (lambda f: f, lambda f: f.generic)
        ]
        torch.testing.assert_close(*found, rtol=1e-9, atol=1e-11)


@pytest.mark.full
@pytest.mark.needs("jax")
def test_derivatives_of_systems_on_jax(rng: Any) -> None:
    """Also of what is broadcast, and batched; entries that are not read have the derivative 0."""
    import jax
    import jax.numpy as jnp

    dl, d, du = (jnp.asarray(z) for z in rng.normal(size=(3, 2, 5)))
    b, s = jnp.asarray(rng.normal(size=(5, 2))), jnp.asarray(rng.normal(size=(12, 12)))
    s = s @ s.T + 12 * jnp.eye(12)
    c, right = jnp.linalg.cholesky(s), jnp.asarray(rng.normal(size=(12, 2)))
    cases: Any = (
        (lambda way, *z: way(tridiagonal_solve)(z[0], z[1] + 5, z[2], b), (dl, d, du)),
        (lambda way, *z: jax.vmap(way(tridiagonal_solve), (0, 0, 0, None))(*z, b), (dl, d + 5, du)),
        (lambda way, c, b: way(cho_solve)((c, True), b), (c, right)),
        (lambda way, a: way(cho_factor)(a, lower=True)[0], (s,)),
        (lambda way, a: way(lu_factor)(a)[0], (s,)),
        (lambda way, a, b: way(solve_triangular)(a, b, lower=True), (s, right)),
    )
    for func, args in cases:
        numbers = tuple(range(len(args)))
        found = [
            jax.jit(jax.jacrev(lambda *z, way=way, func=func: func(way, *z), numbers))(*args)
            for way in (lambda f: f, lambda f: f.generic)
        ]
        for a, e in zip(*found, strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-8, atol=1e-10)
