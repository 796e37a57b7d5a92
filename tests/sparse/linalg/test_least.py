"""Least squares by products: against SciPy, pseudoinverses and differences."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as judge

from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, ShapeError
from likewise.interop import to_numpy
from likewise.sparse.linalg import lsmr, lsqr
from likewise.testing import assert_close

RNG = np.random.default_rng(3)
TALL, WIDE = RNG.normal(size=(7, 4)), RNG.normal(size=(3, 5))
EACH = pytest.mark.parametrize("name", ["lsmr", "lsqr"])
OURS = {"lsmr": lsmr, "lsqr": lsqr}


@EACH
def test_results_equal_scipys(lib: Any, name: str) -> None:
    tol = 1e-9 if lib.has_float64 else 3e-3
    for a in (TALL, WIDE, TALL[:4]):
        b = RNG.normal(size=a.shape[0])
        for damp, x0 in ((0.0, None), (0.7, None), (0.4, np.ones(a.shape[1]))):
            more: dict[str, Any] = {"calc_var": True} if name == "lsqr" else {}
            start = None if x0 is None else lib.asarray(x0)
            found = OURS[name](lib.asarray(a), lib.asarray(b), damp, x0=start, **more)
            want = getattr(judge, name)(a, b, damp, x0=x0, **more)
            assert_close(found[0], want[0], rtol=tol, atol=tol)
            if lib.has_float64:
                assert [int(v) for v in found[1:3]] == list(want[1:3])
                for mine, other in zip(found[3:], want[3:], strict=True):
                    assert_close(mine, np.asarray(other), rtol=1e-8, atol=1e-8)


@EACH
def test_batches_and_operators(xp: Any, name: str) -> None:
    tol = 1e-12 if xp.variant.has_float64 else 1e-6
    near = 1e-8 if xp.variant.has_float64 else 1e-2
    solve = OURS[name]
    many = RNG.normal(size=(3, 7))
    want = (np.linalg.pinv(TALL) @ many.T).T
    A, b = xp.asarray(TALL), xp.asarray(many)
    found = solve(A, b, atol=tol, btol=tol)
    assert_close(found[0], want, rtol=near, atol=near)
    assert tuple(found[1].shape) == (3,)
    start = xp.asarray(np.zeros(4))
    by_function = solve(
        lambda v: array_namespace(A, v).matmul(A, v), b[0, ...], atol=tol, btol=tol, x0=start
    )
    assert_close(by_function[0], want[0], rtol=near, atol=near)
    apart = np.stack([TALL, TALL + 1])
    found = solve(xp.asarray(apart), b[0, ...], 0.5, atol=tol, btol=tol)
    wide = [np.vstack([m, 0.5 * np.eye(4)]) for m in apart]
    right = np.concatenate([many[0], np.zeros(4)])
    assert_close(
        found[0], np.stack([np.linalg.pinv(m) @ right for m in wide]), rtol=near, atol=near
    )


@EACH
def test_derivatives(xp: Any, name: str) -> None:
    """With respect to A, b and x0: tall and wide, with damping and without."""
    near = 1e-5 if xp.variant.has_float64 else 2e-2
    for a, damp in ((TALL, 0.0), (WIDE, 0.0), (TALL, 0.7)):
        m, n = a.shape
        b, x0, w = RNG.normal(size=m), RNG.normal(size=n), RNG.normal(size=n)

        def plain(a: Any, b: Any, x0: Any, damp: float = damp, w: Any = w) -> Any:
            wide = np.vstack([a, damp * np.eye(len(x0))]) if damp else a
            right = np.concatenate([b - a @ x0, np.zeros(len(wide) - len(b))])
            return w @ (x0 + np.linalg.pinv(wide) @ right)

        def loss(a: Any, b: Any, x0: Any, damp: float = damp, w: Any = w) -> Any:
            x = OURS[name](a, b, damp, 1e-13, 1e-13, 0.0, x0=x0)[0]
            return array_namespace(x).sum(x * xp.asarray(w))

        given = a, b, x0
        arrays = tuple(map(xp.asarray, given))
        pieces = transforms.grad(loss, argnums=(0, 1, 2))(*arrays)
        for i, piece in enumerate(pieces):
            seed = RNG.normal(size=given[i].shape)
            ends = [
                plain(*(v + h * seed if i == k else v for k, v in enumerate(given)))
                for h in (1e-6, -1e-6)
            ]
            found = np.sum(to_numpy(piece) * seed)
            np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=near, atol=near)


def test_negative_damping_as_scipys(lib: Any) -> None:
    b = np.ones(7)
    for name, ours in OURS.items():
        found = ours(lib.asarray(TALL), lib.asarray(b), -1.0)
        want = getattr(judge, name)(TALL, b, -1.0)
        tol = 1e-6 if lib.has_float64 else 1e-3
        assert_close(found[0], want[0], rtol=tol, atol=tol)


@EACH
def test_zero_right_side_with_a_start(lib: Any, name: str) -> None:
    """The solution next to the start; SciPy's lsqr ends after a step."""
    tol = 1e-9 if lib.has_float64 else 1e-3
    for a in (TALL, WIDE):
        x0 = np.cos(np.arange(a.shape[1]))
        b = np.zeros(a.shape[0])
        x = OURS[name](lib.asarray(a), lib.asarray(b), atol=tol / 100, x0=lib.asarray(x0))[0]
        assert_close(x, x0 - np.linalg.pinv(a) @ (a @ x0), rtol=tol, atol=tol)


def test_bad_input() -> None:
    for wrong in ("a", np.nan):
        with pytest.raises(ArgumentError, match="damp"):
            lsmr(TALL, np.ones(7), wrong)
    with pytest.raises(ArgumentError, match="x0"):
        lsqr(lambda v: v, np.ones(3))
    with pytest.raises(ShapeError, match="incompatible"):
        lsmr(TALL, np.ones(3))
    x, istop, *_ = lsqr(TALL, np.zeros(7))
    assert not x.any() and istop == 0
    assert lsqr(TALL, np.ones(7), iter_lim=0)[1] == lsmr(TALL, np.ones(7), maxiter=0)[1] == 7
    _, istop, *_ = lsqr.generic(np.stack([TALL, TALL * np.nan]), np.ones(7))
    assert istop[1] == -1 and istop[0] > 0
