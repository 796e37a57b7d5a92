"""Methods of `root` with approximate Jacobians against SciPy's, and the functions of their names."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import optimize
from likewise.errors import ArgumentError, ConvergenceError, DerivativeWarning, NotSupported
from likewise.optimize import root
from likewise.transforms import grad

MIXING = "anderson broyden1 broyden2 linearmixing diagbroyden excitingmixing".split()
METHODS = [*MIXING, "krylov", "df-sane"]


def bent(x: Any) -> Any:
    """Nearly a fixed point's equation: the root is near 0.7."""
    xp = likewise.array_namespace(x)
    return 1.0 - x - 0.3 * xp.roll(x, 1) ** 2


def of_numpy(x: Any) -> Any:
    return 1.0 - x - 0.3 * np.roll(x, 1) ** 2


ROOT = (math.sqrt(2.2) - 1) / 0.6


@pytest.mark.parametrize("method", METHODS)
def test_batches_end_at_roots(lib: Any, method: str) -> None:
    start = np.asarray([[0.0, 0.5, 0.1], [1.0, 1.0, 1.0], [0.3, 0.2, 2.0]])
    found = root(bent, lib.asarray(start), method=method)
    assert np.all(lib.to_numpy(found.success)) and found.note == ""
    tol = 1e-7 if lib.has_float64 else 2e-5
    np.testing.assert_allclose(lib.to_numpy(found.x), ROOT, rtol=tol)
    np.testing.assert_allclose(lib.to_numpy(found.fun), 0.0, atol=tol)
    for i in range(3):
        alone = root(bent, lib.asarray(start[i]), method=method)
        assert int(alone.nit) == int(found.nit[i])
        np.testing.assert_allclose(lib.to_numpy(alone.x), ROOT, rtol=tol)


@pytest.mark.parametrize("method", MIXING)
def test_iterates_are_scipys(method: str) -> None:
    """After each number of iterations, where no step has to be shortened."""
    x0 = np.asarray([0.0, 0.5, 0.1])
    for nit in (1, 2, 4):
        seen = root(bent, x0, method=method, options={"nit": nit})
        options = {"nit": nit, "line_search": "armijo"}
        wanted = scipy.optimize.root(of_numpy, x0, method=method, options=options)
        assert int(seen.nit) == nit and int(seen.status) == 0
        np.testing.assert_allclose(seen.x, wanted.x, rtol=1e-9)


def test_spectral_iterates_are_scipys() -> None:
    x0 = np.asarray([0.0, 0.5, 0.1])
    for search in ("cruz", "cheng"):
        options = {"line_search": search}
        found = root(bent, x0, method="df-sane", options=options)
        wanted = scipy.optimize.root(of_numpy, x0, method="df-sane", options=options)
        assert int(found.nfev) == wanted.nfev and bool(found.success) == wanted.success
        np.testing.assert_allclose(found.x, wanted.x, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_each_ends_by_itself(lib: Any, method: str) -> None:
    """More systems than the driver sorts out at once, one of them without a finite value."""
    start = np.random.default_rng(5).uniform(0.2, 1.2, size=(70, 2))
    start[11] = np.nan
    options = {"alpha": 0.5} if method in MIXING else {}
    found = root(bent, lib.asarray(start), method=method, options=options)
    status = lib.to_numpy(found.status)
    assert status[11] == -1 and np.all(np.delete(status, 11) == 1)
    tol = 1e-6 if lib.has_float64 else 2e-5
    np.testing.assert_allclose(np.delete(lib.to_numpy(found.x), 11, axis=0), ROOT, rtol=tol)


@pytest.mark.parametrize("method", ["anderson", "broyden1", "diagbroyden", "krylov"])
def test_float32_ends_at_scipys_tolerance_or_where_rounding_is_in_the_way(
    lib: Any, method: str
) -> None:
    """The second problem's residuals are 3e-5 at best."""
    xp = likewise.array_namespace(lib.asarray(0.0))
    start = xp.astype(lib.asarray([[0.0, 0.5, 0.1], [1.0, 0.9, 0.2]]), xp.float32)
    scale = xp.astype(lib.asarray([[1.0], [1000.0]]), xp.float32)
    for i, worst in ((0, 6.1e-6), (1, 3.5e-4)):
        found = root(lambda x, i=i: scale[i, :] * bent(x), start[i, :], method=method)
        assert bool(found.success) and found.x.dtype == xp.float32
        assert np.max(np.abs(lib.to_numpy(found.fun))) <= worst
        np.testing.assert_allclose(lib.to_numpy(found.x), ROOT, rtol=1e-5)


@pytest.mark.parametrize("method", ["broyden1", "krylov", "df-sane"])
def test_derivatives_are_those_of_the_root(lib: Any, method: str) -> None:
    def first(c: Any) -> Any:
        xp = likewise.array_namespace(c)
        return xp.sum(root(lambda x: bent(x) + c, xp.asarray([0.5, 0.5]), method=method).x)

    slope = lib.to_numpy(grad(first)(lib.asarray(0.0)))
    tol = 1e-6 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(slope, 2 / (1 + 0.6 * ROOT), rtol=tol)


@pytest.mark.parametrize("name", [*MIXING, "newton_krylov"])
def test_functions_take_arrays_of_any_shape(lib: Any, name: str) -> None:
    solve = getattr(optimize, name)
    start = lib.asarray(np.full((2, 3), 0.5))

    def grid(x: Any) -> Any:
        assert tuple(x.shape) == (2, 3)
        return 1.0 - x - 0.3 * x**2

    seen: list[Any] = []
    tell = None if lib.jit else lambda x, f: seen.append((x, f))
    x = solve(grid, start, f_tol=1e-4, callback=tell)
    np.testing.assert_allclose(lib.to_numpy(x), ROOT, rtol=1e-3)
    assert lib.jit or tuple(seen[-1][0].shape) == tuple(seen[-1][1].shape) == (2, 3)
    assert tuple(solve(grid, start, 2).shape) == (2, 3)
    if not lib.jit:
        with pytest.raises(ConvergenceError, match=f"{name}: .*largest residual is"):
            solve(lambda x: x * x + 1.0, start, maxiter=3)


def test_complex_systems() -> None:
    x0 = np.asarray([0.5 + 0.1j, 1.0])
    for solve in (optimize.newton_krylov, optimize.broyden1):
        x = solve(lambda x: 1.0j - x - 0.2 * x**2, x0, f_tol=1e-10)
        np.testing.assert_allclose(1.0j - x - 0.2 * x**2, 0.0, atol=1e-9)


def test_products_of_krylov_are_exact_or_by_differences() -> None:
    guide = np.eye(3) * -0.7
    for method in ("lgmres", "gmres", "bicgstab", "cgs", "minres"):
        inner = {"method": method, "inner_M": guide if method != "minres" else None}
        for more in ({}, {"rdiff": 1e-7}):
            options = {"fatol": 1e-9, "jac_options": inner | more}
            found = root(bent, np.asarray([0.2, 0.5, 0.6]), method="krylov", options=options)
            assert found.success and int(found.nit) < (12 if method != "minres" else 300)
            np.testing.assert_allclose(found.x, ROOT, rtol=1e-7)
    with pytest.warns(DerivativeWarning, match="by differences"):
        x = optimize.newton_krylov(lambda x: np.array([1.0 - float(x[0])]), np.asarray([0.0]))
    np.testing.assert_allclose(x, 1.0, rtol=1e-5)


@pytest.mark.parametrize("name", ["broyden1", "broyden2"])
def test_changes_of_rank_one_are_kept_or_dropped(lib: Any, name: str) -> None:
    start = lib.asarray(np.linspace(0.0, 1.0, 6))
    tol = 1e-8 if lib.has_float64 else 1e-4
    for kind in ("restart", "simple"):
        x = getattr(optimize, name)(bent, start, reduction_method=kind, max_rank=3, f_tol=tol)
        np.testing.assert_allclose(lib.to_numpy(x), ROOT, rtol=10 * tol)
    # As many as are made are the same as the matrix.
    some = [getattr(optimize, name)(bent, start, 4, max_rank=k) for k in (None, 5)]
    np.testing.assert_allclose(*map(lib.to_numpy, some), rtol=1e-9 if lib.has_float64 else 1e-4)


def test_options_are_checked() -> None:
    x0 = np.zeros(2)
    with pytest.raises(NotSupported, match="'svd' is not offered: take 'restart'"):
        optimize.broyden1(bent, x0, reduction_method="svd")
    wrong = {
        "broyden1": {"reduction_method": "none"},
        "krylov": {"method": "cg"},
        "df-sane": {"line_search": "armijo"},
        "anderson": {"M": 0},
        "linearmixing": {"alpha": 0.0},
        "diagbroyden": {"line_search": "long"},
    }
    for method, options in wrong.items():
        with pytest.raises(ArgumentError, match=f"root: option {next(iter(options))!r}"):
            root(bent, x0, method=method, options=options)
    with pytest.warns(likewise.errors.OptimizeWarning, match="unknown option 'rank'"):
        root(bent, x0, method="broyden1", options={"rank": 2})
