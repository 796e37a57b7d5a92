"""Quotients, roots, norms and logarithms against NumPy and SciPy, at the edge too."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special

from likewise.errors import DtypeError, ShapeError
from likewise.missing import safe_divide, safe_norm, safe_sqrt, xlogy
from likewise.testing import assert_close, check_function

X, Y = np.asarray([1.5, 0.5, -2.0]), np.asarray([2.0, 0.25, 4.0])
NAN, INF = np.nan, np.inf
EDGES = np.asarray([0.0, -0.0, 1.0, 2.5, -1.5, INF, -INF, NAN])


def test_everywhere() -> None:
    check_function(safe_divide, X, Y, reference=np.divide)
    check_function(safe_sqrt, Y, reference=np.sqrt)
    check_function(xlogy, X, Y, reference=special.xlogy)


def test_norm_everywhere() -> None:
    x = np.stack([X, Y])
    kwargs = {"axis": -1, "keepdims": True}
    check_function(safe_norm, x, kwargs=kwargs, reference=np.linalg.norm)


def test_edges(lib: Any) -> None:
    dtype = "float64" if lib.has_float64 else "float32"
    x, y = (np.asarray(v, dtype=dtype) for v in np.broadcast_arrays(EDGES[:, None], EDGES))
    with np.errstate(all="ignore"):
        expected = np.where(y == 0, np.asarray(7, dtype), x / np.where(y == 0, 1, y))
        assert_close(safe_divide(lib.asarray(x), lib.asarray(y), 7), expected)
        assert_close(xlogy(lib.asarray(x), lib.asarray(y)), special.xlogy(x, y))
        assert_close(safe_sqrt(lib.asarray(x)), np.sqrt(x))
        expected = np.sqrt(np.sum(x * x, axis=0))
        assert_close(safe_norm(lib.asarray(x), axis=0), expected)


def test_complex_integers_and_empty(lib: Any) -> None:
    z = np.asarray([[0, 3 + 4j], [0, 1j]])
    size = "complex128" if lib.has_float64 else "complex64"
    assert_close(safe_norm(lib.asarray(z, size)), np.asarray(np.sqrt(26), size).real)
    assert_close(safe_sqrt(lib.asarray(z, size)), np.sqrt(z).astype(size))
    assert_close(
        xlogy(lib.asarray(z, size), lib.asarray(z, size)), special.xlogy(z, z).astype(size)
    )
    assert lib.to_numpy(safe_divide(lib.asarray(np.asarray([6, 1])), 4)).tolist() == [1.5, 0.25]
    assert lib.to_numpy(safe_norm(lib.asarray(np.ones((2, 0))), axis=1)).tolist() == [0.0, 0.0]
    assert safe_norm(lib.asarray(np.ones((2, 0)))).shape == ()
    assert float(safe_norm(lib.asarray(np.asarray(-2.0)))) == 2.0


@pytest.mark.parametrize("func", [safe_sqrt, xlogy])
def test_native_equals_generic(func: Any) -> None:
    arrays: tuple[Any, ...] = (EDGES[:, None], EDGES)[: 1 if func is safe_sqrt else 2]
    z = np.asarray([0, 1j, 2 - 1j])
    cases = [arrays, tuple(z for _ in arrays), tuple(np.ones((0, 2)) for _ in arrays)]
    cases += [tuple(np.float32(a) for a in arrays), tuple(np.asarray(0.0) for _ in arrays)]
    cases += [tuple(np.asarray([0, 1, 4]) for _ in arrays)]
    for case in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_close(func(*case), func.generic(*case))


@pytest.mark.needs("jax", "torch")
def test_derivatives_at_the_edge() -> None:
    import jax
    import torch

    zero = np.zeros(3)
    cases: list[tuple[Any, tuple[Any, ...], Any]] = [
        (lambda x, y: safe_divide(x, y), (X, zero), zero),
        (lambda y, x: safe_divide(x, y), (zero, X), zero),
        (safe_sqrt, (zero,), zero),
        (safe_norm, (zero,), zero),
        (xlogy, (zero, Y), np.log(Y)),
        (xlogy, (zero, zero), zero),
        (lambda y, x: xlogy(x, y), (zero, zero), zero),
        (lambda y, x: xlogy(x, y), (Y, X), X / Y),
    ]
    for func, args, expected in cases:
        with jax.enable_x64(True):
            arrays = [jax.numpy.asarray(a) for a in args]
            found = jax.grad(lambda *a, func=func: func(*a).sum())(*arrays)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
        first, *others = (torch.asarray(a) for a in args)
        first.requires_grad_()
        func(first, *others).sum().backward()
        np.testing.assert_allclose(first.grad.numpy(), expected, rtol=1e-12)  # type: ignore[union-attr]


def test_refuses() -> None:
    with pytest.raises(ShapeError, match="safe_divide: shapes must broadcast"):
        safe_divide(np.ones(2), np.ones(3))
    with pytest.raises(ShapeError, match="xlogy: shapes must broadcast"):
        xlogy(np.ones(2), np.ones(3))
    with pytest.raises(ShapeError, match="safe_norm: axis must lie in"):
        safe_norm(np.ones(2), axis=1)
    with pytest.raises(DtypeError, match="safe_sqrt: argument 'x' must hold numbers"):
        safe_sqrt(np.asarray(["a"]))
