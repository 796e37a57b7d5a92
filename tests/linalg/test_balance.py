"""Balanced matrices against SciPy's, to the bit: scales are powers of two."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.linalg import matrix_balance

OPTIONS = [{}, {"permute": False}, {"scale": False}, {"permute": False, "scale": False}]


def drawn(rng: Any, n: int, kind: str) -> Any:
    """Matrices that are far from balanced, and many that fall apart in blocks."""
    a = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, size=(n, n))
    if kind == "complex":
        a = a + 1j * rng.normal(size=(n, n))
    elif kind == "whole":
        a = rng.integers(-3, 4, size=(n, n)) * 1.0
    return a * (rng.random((n, n)) < rng.choice([0.2, 0.4, 0.7, 1.0]))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_balances_as_scipy(lib: Any, options: Any) -> None:
    """One matrix and a batch: the same order, the same scales, and what they make."""
    if lib.jit and options:
        return
    rng = np.random.default_rng(4)
    dtype = "float64" if lib.has_float64 else "float32"
    shape = (2, 4) if lib.jit else (12, 4)
    a = np.stack([drawn(rng, 4, ("real", "whole")[k % 2]) for k in range(shape[0])]).astype(dtype)
    judged = [scipy.linalg.matrix_balance(m, separate=True, **options) for m in a]
    b, (scales, order) = matrix_balance(lib.asarray(a), separate=True, **options)
    np.testing.assert_array_equal(lib.to_numpy(order), [perm for _, (_, perm) in judged])
    np.testing.assert_array_equal(lib.to_numpy(scales), [found for _, (found, _) in judged])
    np.testing.assert_array_equal(lib.to_numpy(b), [found for found, _ in judged])
    assert lib.to_numpy(scales).dtype == lib.to_numpy(b).dtype == dtype
    if not lib.jit:
        for m in a[:4]:
            for got, expected in zip(
                matrix_balance(lib.asarray(m), **options),
                scipy.linalg.matrix_balance(m, **options),
                strict=True,
            ):
                assert got.dtype == b.dtype
                np.testing.assert_array_equal(lib.to_numpy(got), expected)


@pytest.mark.parametrize("kind", ["real", "complex", "whole"])
def test_routine_and_body_agree(kind: str, rng: Any) -> None:
    for n in (1, 2, 3, 5, 8):
        for options in OPTIONS:
            a = np.stack([drawn(rng, n, kind) for _ in range(8)])
            b, (scales, order) = matrix_balance(a, separate=True, **options)
            for k, m in enumerate(a):
                one, (s, p) = matrix_balance(m, separate=True, **options)
                np.testing.assert_array_equal(one, b[k])
                np.testing.assert_array_equal(s, scales[k])
                np.testing.assert_array_equal(p, order[k])
            _, t = matrix_balance(a, **options)
            np.testing.assert_allclose(t @ b, a @ t, rtol=1e-14)


def test_far_apart() -> None:
    """Scales of all sizes, also where a logarithm rounds; a batch is the body's."""
    for power in (1, 2, 3, 31, 100, 400):
        for up in (2.0**power, 2.0**-power, 3.0 * 2.0**power):
            a = np.asarray([[[1.0, up], [1.0, 2.0]], [[1.0, 1.0], [up, 2.0]]])
            b, (scales, order) = matrix_balance(a, separate=True)
            for k in range(2):
                matrix_balance(a[k])  # LAPACK's, without SciPy's warning of a cast
                with np.errstate(invalid="ignore"):
                    expected, (s, p) = scipy.linalg.matrix_balance(a[k], separate=True)
                np.testing.assert_array_equal(b[k], expected)
                np.testing.assert_array_equal(scales[k], s)
                np.testing.assert_array_equal(order[k], p)


def test_the_matrix_is_new(lib: Any) -> None:
    """Also where there is nothing to do to it."""
    if lib.name not in ("numpy", "torch"):
        return
    for shape in ((2, 2), (3, 2, 2), (0, 2, 2)):
        a = lib.asarray(np.ones(shape))
        b, _ = matrix_balance(a, permute=False, scale=False)
        assert b is not a
        b[...] = 5.0
        np.testing.assert_array_equal(lib.to_numpy(a), np.ones(shape))


def test_derivatives_follow_the_scales(lib: Any) -> None:
    if lib.jit or not lib.has_float64:
        return
    a = np.asarray([[1.0, 64.0, 0.5], [1.0, 2.0, 3.0], [0.01, 5.0, 4.0]])
    t = scipy.linalg.matrix_balance(a)[1]
    v = np.asarray([[0.3, -1.0, 2.0], [1.0, 0.7, -0.2], [0.1, 0.4, 1.5]])

    def weighed(a: Any) -> Any:
        xp = likewise.array_namespace(a)
        return xp.sum(matrix_balance(a)[0] * lib.asarray(v))

    slope = likewise.grad(weighed)(lib.asarray(a))
    np.testing.assert_allclose(lib.to_numpy(slope), np.linalg.inv(t).T @ v @ t.T, rtol=1e-14)


def test_refuses() -> None:
    with pytest.raises(ShapeError, match="matrix_balance: a must have shape"):
        matrix_balance(np.ones((2, 3)))
    with pytest.raises(ArgumentError, match="matrix_balance: A must be finite"):
        matrix_balance(np.asarray([[1.0, np.nan], [0.0, 1.0]]))
    b, t = matrix_balance(np.zeros((2, 0, 0)))
    assert b.shape == t.shape == (2, 0, 0)
    assert matrix_balance(np.zeros((0, 2, 2)), separate=True)[1][1].shape == (0, 2)
    assert matrix_balance([[1, 2], [3, 4]])[0].dtype == np.float64
