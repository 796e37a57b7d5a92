"""Factors with pivots against LAPACK's."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise.linalg import det, lu, lu_factor, lu_solve
from likewise.testing import check_function

from .systems import agree, compare, dtype_of, matrices


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5), (5, 3)])
def test_lu_is_lapacks(lib: Any, rng: Any, shape: Any, kind: str) -> None:
    a = rng.normal(size=(2, *shape)) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    x = lib.asarray(dtype_of(lib, a))
    lu, piv = lu_factor(x)
    pairs = [scipy.linalg.lu_factor(m) for m in a]
    compare(lib, lu, np.stack([p[0] for p in pairs]))
    assert lib.to_numpy(piv).tolist() == [p[1].tolist() for p in pairs]
    if shape[0] == shape[1]:
        b = rng.normal(size=(shape[0], 2))
        turned = np.swapaxes(a, 1, 2)
        cases: list[tuple[int | str, Any]] = [(0, a), ("T", turned), (2, turned.conj())]
        for trans, matrix in cases:
            got = lu_solve((lu, piv), lib.asarray(dtype_of(lib, b)), trans)
            compare(lib, got, np.linalg.solve(matrix, b))
        compare(lib, det(x), np.linalg.det(a))


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
def test_lu_of_singular_and_empty(lib: Any) -> None:
    a = np.asarray([[1.0, 2.0], [2.0, 4.0]])
    lu, piv = lu_factor(lib.asarray(a))
    assert lib.to_numpy(lu).tolist() == [[2.0, 4.0], [0.5, 0.0]]
    assert lib.to_numpy(piv).tolist() == [1, 1]
    assert float(det(lib.asarray(a))) == 0.0
    lu, piv = lu_factor(lib.asarray(np.ones((2, 0, 0))))
    assert lu.shape == (2, 0, 0) and piv.shape == (2, 0)


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5), (5, 3)])
def test_lu_apart_is_scipys(lib: Any, rng: Any, shape: Any, kind: str) -> None:
    a = rng.normal(size=(2, *shape)) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    x = lib.asarray(dtype_of(lib, a))
    for options in ({}, {"permute_l": True}, {"p_indices": True}):
        found, expected = lu(x, **options), scipy.linalg.lu(a, **options)
        assert len(found) == len(expected)
        if "p_indices" in options:
            assert lib.to_numpy(found[0]).tolist() == expected[0].tolist()
            assert found[0].dtype == lib.xp.asarray([1]).dtype
            found, expected = found[1:], expected[1:]
        elif not options:
            expected = (expected[0].real, *expected[1:])  # of one number SciPy's is complex
        for got, judge in zip(found, expected, strict=True):
            compare(lib, got, judge)


def test_lu_apart_of_nothing(lib: Any) -> None:
    for m, n in ((2, 0), (0, 3)):
        p, lower, upper = lu(lib.asarray(np.ones((2, m, n))))
        assert (p.shape, lower.shape, upper.shape) == ((2, m, m), (2, m, 0), (2, 0, n))
        assert lu(lib.asarray(np.ones((m, n))), p_indices=True)[0].shape == (m,)


@pytest.mark.filterwarnings("error")
def test_lu_apart_of_singular_ones(lib: Any) -> None:
    p, lower, upper = lu(lib.asarray(np.asarray([[1.0, 2.0], [2.0, 4.0]])))
    assert lib.to_numpy(p).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert lib.to_numpy(lower).tolist() == [[1.0, 0.0], [0.5, 1.0]]
    assert lib.to_numpy(upper).tolist() == [[2.0, 4.0], [0.0, 0.0]]


@pytest.mark.full
def test_lu_everywhere(rng: Any) -> None:
    a = matrices(rng, 3)
    check_function(
        lambda a, b: lu_solve(lu_factor(a), b),
        a,
        rng.normal(size=3),
        reference=np.linalg.solve,
        tol={"float32": 1e-4},
        name="likewise.linalg.lu_solve",
    )


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 9])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int, kind: str) -> None:
    if lib.library not in ("numpy", "torch"):
        return  # the bodies compile on JAX, for which linalg/test_rows.py is
    for batch in ((), (2,)):
        a = lib.asarray(dtype_of(lib, matrices(rng, *batch, n, kind=kind)))
        b = lib.asarray(dtype_of(lib, rng.normal(size=(*batch, n, 2))))
        factors = lu_factor.generic(a)  # type: ignore[attr-defined]
        agree(lib, lu_factor(a), factors)
        for trans in (0, 1, 2):
            body = lu_solve.generic(factors, b, trans)  # type: ignore[attr-defined]
            agree(lib, lu_solve(factors, b, trans), body)
