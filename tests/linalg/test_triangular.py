"""Triangular systems against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise.errors import ArgumentError, ShapeError
from likewise.linalg import inv, solve, solve_triangular, tridiagonal_solve
from likewise.testing import check_function

from .systems import agree, compare, dtype_of, matrices


def test_refuses() -> None:
    ones = np.ones((2, 2))
    for func in (solve, solve_triangular):
        with pytest.raises(ShapeError, match=r"a must have shape \(\.\.\., n, n\)"):
            func(np.ones((2, 3)), np.ones(2))
        with pytest.raises(ShapeError, match=r"b must have shape \(\.\.\., 2, k\) or \(2,\)"):
            func(ones, np.ones(3))
        with pytest.raises(ShapeError, match="shapes must broadcast"):
            func(np.ones((3, 2, 2)), np.ones((4, 2, 1)))
    with pytest.raises(ShapeError, match=r"inv: a must have shape"):
        inv(np.ones(2))
    with pytest.raises(ArgumentError, match="trans must be one of"):
        solve_triangular(ones, np.ones(2), trans="X")
    with pytest.raises(ShapeError, match=r"dl, d and du must have shape"):
        tridiagonal_solve(np.ones(2), np.ones(3), np.ones(3), np.ones(3))


@pytest.mark.full
def test_triangular_everywhere(rng: Any) -> None:
    a, b = matrices(rng, 2, 3), rng.normal(size=(2, 3, 1))
    check_function(
        solve_triangular,
        a + 3 * np.eye(3),
        b,
        kwargs={"lower": True},
        reference=lambda a, b, lower: np.linalg.solve(np.tril(a), b),
        tol={"float32": 1e-4},
    )


@pytest.mark.parametrize("trans", [0, "T", "C"])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_triangular(lib: Any, rng: Any, kind: str, trans: Any) -> None:
    for n, lower, unit in [(1, True, False), (4, True, True), (19, False, False), (4, False, True)]:
        a = matrices(rng, n, kind=kind) / n + 2 * np.eye(n)
        b = rng.normal(size=(n, 2))
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        expected = scipy.linalg.solve_triangular(a, b, **options)
        got = solve_triangular(
            lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, b)), **options
        )
        compare(lib, got, expected)


def test_triangular_broadcasts_and_is_empty(lib: Any, rng: Any) -> None:
    a = np.tril(matrices(rng, 2, 3)) + 3 * np.eye(3)
    b = dtype_of(lib, rng.normal(size=3))
    for unit in (False, True):
        t = a if not unit else np.tril(a, -1) + np.eye(3)
        got = solve_triangular(
            lib.asarray(dtype_of(lib, t)), lib.asarray(b), lower=True, unit_diagonal=unit
        )
        compare(lib, got, np.linalg.solve(t, b[:, None])[..., 0])
    empty = solve_triangular(lib.asarray(np.ones((2, 0, 0))), lib.asarray(np.ones((2, 0, 4))))
    assert empty.shape == (2, 0, 4)


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 9])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int, kind: str) -> None:
    if lib.library not in ("numpy", "torch"):
        return  # the bodies compile on JAX, for which linalg/test_rows.py is
    for batch in ((), (2,)):
        a = lib.asarray(dtype_of(lib, matrices(rng, *batch, n, kind=kind) / n + 2 * np.eye(n)))
        b = lib.asarray(dtype_of(lib, rng.normal(size=(n, 2))))
        for options in ((0, True, False), ("T", False, True), (2, True, False)):
            body = solve_triangular.generic(a, b, *options)  # type: ignore[attr-defined]
            agree(lib, solve_triangular(a, b, *options), body)
