"""Square systems by products: against dense solutions, SciPy, and differences."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as judge

from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, LinAlgError, ShapeError
from likewise.interop import to_numpy
from likewise.sparse.linalg import (
    LinearOperator,
    aslinearoperator,
    bicg,
    bicgstab,
    cg,
    cgs,
    gmres,
    minres,
)
from likewise.testing import assert_close

RNG = np.random.default_rng(5)
N = 6
G = RNG.normal(size=(N, N))
POSITIVE = G @ G.T + 3 * np.eye(N)
GENERAL = G + 6 * np.eye(N)
RIGHT = RNG.normal(size=N)
SOLVERS = {
    "bicg": (bicg, GENERAL),
    "bicgstab": (bicgstab, GENERAL),
    "cg": (cg, POSITIVE),
    "cgs": (cgs, GENERAL),
    "gmres": (gmres, GENERAL),
    "minres": (minres, POSITIVE - 5 * np.eye(N)),
}
EACH = pytest.mark.parametrize("name", SOLVERS)


def fine(xp: Any) -> float:
    return 1e-10 if xp.variant.has_float64 else 1e-5


def near(xp: Any, found: Any, want: Any) -> None:
    tol = 1e-8 if xp.variant.has_float64 else 1e-2
    assert_close(found, want, rtol=tol, atol=tol)


@EACH
def test_solutions(xp: Any, name: str) -> None:
    """One problem, many right sides, many matrices, a function, a start and a preconditioner."""
    solve, a = SOLVERS[name]
    A, b = xp.asarray(a), xp.asarray(RIGHT)
    tol = fine(xp)
    want = np.linalg.solve(a, RIGHT)
    x, info = solve(A, b, rtol=tol)
    near(xp, x, want)
    assert int(info) == 0
    many = np.stack([RIGHT, 0 * RIGHT, 3 * RIGHT[::-1]])
    x, info = solve(A, xp.asarray(many), rtol=tol, x0=xp.asarray(RIGHT))
    near(xp, x, np.linalg.solve(a, many.T).T)
    assert to_numpy(info).tolist() == [0, 0, 0]
    apart = np.stack([a, a + np.eye(N)])
    ready = xp.asarray(np.diag(1 / np.abs(np.diag(a))))
    x, info = solve(xp.asarray(apart), b, rtol=tol, M=ready)
    near(xp, x, np.stack([np.linalg.solve(m, RIGHT) for m in apart]))
    x, info = solve(lambda v: array_namespace(A, v).matmul(A, v), b, "Mb", rtol=tol)
    near(xp, x, want)


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres", "minres"])
def test_complex(xp: Any, name: str) -> None:
    solve, a = SOLVERS[name]
    turn = G - G.T if name in ("cg", "minres") else G[::-1]
    a = a + 0.3j * turn
    b = RIGHT + 1j * RIGHT[::-1]
    x, info = solve(xp.asarray(a), xp.asarray(b), rtol=fine(xp))
    near(xp, x, np.linalg.solve(a, b))
    assert int(info) == 0


@EACH
def test_derivatives(xp: Any, name: str) -> None:
    """Of a weighted sum of x with respect to A and b, both in the arguments and closed over."""
    solve, a = SOLVERS[name]
    weights = np.cos(np.arange(N))
    w = xp.asarray(weights)
    x, y = np.linalg.solve(a, RIGHT), np.linalg.solve(a.T, weights)
    A, b = xp.asarray(a), xp.asarray(RIGHT)

    def loss(A: Any, b: Any) -> Any:
        ns = array_namespace(A, b)
        found, _ = solve(lambda v: array_namespace(A, v).matmul(A, v), b, rtol=1e-11)
        return ns.sum(found * w)

    near(xp, transforms.grad(loss)(A, b), -np.outer(y, x))
    near(xp, transforms.grad(lambda b: loss(A, b))(b), y)
    along = transforms.jvp(lambda b: solve(A, b, rtol=1e-11)[0], (b,), (w,))[1]
    near(xp, along, np.linalg.solve(a, weights))


def test_derivatives_of_complex_systems(xp: Any) -> None:
    near = 1e-6 if xp.variant.has_float64 else 2e-2
    a = GENERAL + 1j * G[::-1]
    turn = G[:2]

    def loss(t: Any) -> Any:
        ns = array_namespace(t)
        A = xp.asarray(a) + t * xp.asarray(1j * G + GENERAL)
        x, _ = bicgstab(A, xp.asarray(RIGHT + 0j), rtol=1e-12)
        return ns.sum(ns.real(x) * xp.asarray(turn[0]) + ns.imag(x) * xp.asarray(turn[1]))

    def plain(t: float) -> float:
        x = np.linalg.solve(a + t * (1j * G + GENERAL), RIGHT)
        return float(x.real @ turn[0] + x.imag @ turn[1])

    want = (plain(0.1 + 1e-6) - plain(0.1 - 1e-6)) / 2e-6
    found = transforms.grad(loss)(xp.asarray(np.asarray(0.1)))
    assert_close(found, np.asarray(want), rtol=near, atol=near)


def test_limits_and_breakdowns_as_scipys(lib: Any) -> None:
    A, b = lib.asarray(POSITIVE), lib.asarray(RIGHT)
    assert (
        int(cg(A, b, rtol=1e-12, maxiter=2)[1])
        == judge.cg(POSITIVE, RIGHT, rtol=1e-12, maxiter=2)[1]
    )
    for name, (solve, a) in SOLVERS.items():
        x, info = solve(lib.asarray(a), b, maxiter=0)
        assert int(info) == 1 and not to_numpy(x).any(), name
    turn = np.asarray([[0.0, 1.0], [-1.0, 0.0]])
    one = np.asarray([1.0, 0.0])
    for solve in (bicg, bicgstab, cgs):
        info = int(solve(lib.asarray(turn), lib.asarray(one))[1])
        assert info == getattr(judge, solve.__name__)(turn, one)[1] < 0
    x, info = gmres(lib.asarray(turn), lib.asarray(one))
    assert int(info) == 0
    bad = np.stack([RIGHT, np.full(N, np.nan)])
    x, info = cg(A, lib.asarray(bad), rtol=1e-10)
    assert to_numpy(info).tolist() == [0, -1]
    assert_close(x[0, ...], np.linalg.solve(POSITIVE, RIGHT), rtol=1e-8)


LONG = 2 * np.eye(40) - np.eye(40, k=1) - np.eye(40, k=-1)


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "gmres"])
def test_success_means_a_small_residual(lib: Any, name: str) -> None:
    """Also in float32, where what steps keep of the residual drifts."""
    A, b = (lib.asarray(v.astype(np.float32)) for v in (LONG, np.ones(40)))
    for rtol in (1e-5, 1e-12):
        x, info = SOLVERS[name][0](A, b, rtol=rtol, maxiter=400)
        residual = np.linalg.norm(LONG @ to_numpy(x).astype(np.float64) - 1)
        assert int(info) != 0 or residual <= rtol * 40**0.5 + 2e-5  # of one product's rounding


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs"])
def test_maxiter_counts_steps_that_began_anew(name: str) -> None:
    calls: list[Any] = []

    def product(v: Any) -> Any:
        calls.append(v)
        return LONG.astype(np.float32) @ v

    b = np.ones(40, np.float32)
    operator = LinearOperator((40, 40), product, product)
    SOLVERS[name][0].generic(operator, b, rtol=1e-12, maxiter=35)
    assert len(calls) <= 2 * 35 + 8


def test_results_have_the_dtype_of_data_and_operator(xp: Any) -> None:
    """And of complex numbers times an operator that says no dtype."""
    b = xp.astype(xp.asarray(RIGHT), xp.float32)
    A = xp.asarray(POSITIVE)
    operator = LinearOperator((N, N), lambda v: xp.matmul(A, xp.astype(v, A.dtype)), dtype=A.dtype)
    for a, want in ((operator, A.dtype), (xp.astype(A, xp.float32), xp.float32)):
        for solve in (cg, minres):
            assert solve(a, b, rtol=1e-3)[0].dtype == want
    matrix = aslinearoperator(A)
    x = gmres(1j * matrix, b, rtol=1e-4)[0]
    assert_close(x, -1j * np.linalg.solve(POSITIVE, RIGHT), rtol=1e-2, atol=1e-3)
    turned = LinearOperator((N, N), matrix.matvec) * 1j
    x = bicgstab(turned, xp.asarray(RIGHT), rtol=1e-4)[0]
    assert_close(x, -1j * np.linalg.solve(POSITIVE, RIGHT), rtol=1e-2, atol=1e-3)


def test_symmetry_is_checked_of_blocks() -> None:
    import dask.array as da

    x, _ = minres(da.from_array(GENERAL), da.from_array(RIGHT), check=True)
    with pytest.raises(LinAlgError, match="non-symmetric matrix"):
        x.compute()


def test_callbacks() -> None:
    for name, (solve, a) in SOLVERS.items():
        for generic in (False, True):
            seen: list[Any] = []
            run = solve.generic if generic else solve
            more = {"callback_type": "pr_norm"} if name == "gmres" else {}
            run(a, RIGHT, rtol=1e-8, callback=lambda v, seen=seen: seen.append(np.copy(v)), **more)
            other: list[Any] = []
            getattr(judge, name)(
                a, RIGHT, rtol=1e-8, callback=lambda v, o=other: o.append(np.copy(v)), **more
            )
            assert len(seen) - len(other) in (0, name == "bicgstab"), name  # of a half step
            np.testing.assert_allclose(seen[2], other[2], rtol=1e-8, err_msg=name)


def test_bad_input() -> None:
    with pytest.raises(ShapeError, match="square"):
        cg(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ShapeError, match="incompatible"):
        cg(np.eye(3), np.ones(2))
    with pytest.raises(ShapeError, match="preconditioner"):
        cg(np.eye(3), np.ones(3), M=np.eye(2))
    with pytest.raises(ArgumentError, match="x0"):
        cg(np.eye(3), np.ones(3), "b")
    with pytest.raises(ArgumentError, match="atol"):
        cg(np.eye(3), np.ones(3), atol="legacy")
    with pytest.raises(ArgumentError, match="callback_type"):
        gmres(np.eye(3), np.ones(3), callback_type="y")
    with pytest.raises(LinAlgError, match="non-symmetric matrix"):
        minres(GENERAL, RIGHT, check=True)
    with pytest.raises(LinAlgError, match="indefinite preconditioner"):
        minres(np.eye(N), RIGHT, M=-np.eye(N))
    operator = LinearOperator((2, 3, 3), lambda v: v)
    with pytest.raises(ShapeError, match="batch"):
        cg(operator, np.ones((4, 2, 3)))
