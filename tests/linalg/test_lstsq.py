"""Least squares and pseudoinverses against NumPy."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, ExtensionMissing, ShapeError
from likewise.linalg import lstsq, pinv
from likewise.testing import check_function

from .systems import compare, dtype_of, matrices


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (4, 4)])
def test_least_squares(lib: Any, rng: Any, shape: Any) -> None:
    a, b = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    deficient = a.copy()
    deficient[:, 1] = deficient[:, 0]
    x, right = lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, b))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="lstsq: needs the array API extension"):
            lstsq(x, right)
        return
    for matrix in (a, deficient):
        found = lstsq(lib.asarray(dtype_of(lib, matrix)), right)
        expected, _, rank, s = np.linalg.lstsq(matrix, b)
        compare(lib, found.x, expected)
        compare(lib, found.s, s)
        compare(lib, found.residuals, np.sum((matrix @ expected - b) ** 2, axis=0))
        assert int(found.rank) == rank
    compare(lib, lstsq(x, right[:, 0]).x, np.linalg.lstsq(a, b[:, 0])[0])


@pytest.mark.full
def test_least_squares_everywhere(rng: Any) -> None:
    check_function(
        lambda a, b: lstsq(a, b).x,
        rng.normal(size=(2, 4, 2)),
        rng.normal(size=(2, 4, 1)),
        reference=lambda a, b: np.linalg.pinv(a) @ b,
        eager={"strict-minimal": "there is no linalg"},
        tol={"float32": 1e-4},
        scalars=1,  # whether all is finite
        name="likewise.linalg.lstsq",
    )


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
def test_pseudoinverses(lib: Any, rng: Any, shape: Any, kind: str) -> None:
    a = rng.normal(size=(2, *shape)) + (1j * rng.normal(size=shape) if kind == "complex" else 0)
    a[1, :, 1] = a[1, :, 0]
    x = lib.asarray(dtype_of(lib, a))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="pinv: needs the array API extension"):
            pinv(x)
        return
    rtol = 1e-10 if lib.has_float64 else 1e-4
    compare(lib, pinv(x, rtol), np.linalg.pinv(a, rtol=rtol))
    if lib.has_float64:
        compare(lib, pinv(x), np.linalg.pinv(a, rtol=None))
    each = np.asarray([0.5, 1e-3])
    compare(lib, pinv(x, rtol=lib.asarray(dtype_of(lib, each))), np.linalg.pinv(a, rtol=each))
    square = np.matmul(a, np.swapaxes(a, 1, 2).conj())
    got = pinv(lib.asarray(dtype_of(lib, square)), 1e-3, True)
    compare(lib, got, np.linalg.pinv(square, 1e-3, True))
    assert pinv(x[:, :0, :]).shape == (2, shape[1], 0)


@pytest.mark.full
def test_pseudoinverses_everywhere(rng: Any) -> None:
    minimal = {"strict-minimal": "there is no linalg"}
    a = rng.normal(size=(2, 3, 2))
    single, reads = {"float32": 1e-4}, 1  # whether all is finite
    check_function(
        pinv,
        a,
        reference=np.linalg.pinv,
        eager=minimal,
        tol=single,
        scalars=reads,
    )
    check_function(
        lambda a: pinv(a + transposed(a), hermitian=True),
        matrices(rng, 3),
        reference=lambda a: np.linalg.inv(a + a.T),
        eager=minimal,
        tol=single,
        scalars=reads,
        name="likewise.linalg.pinv",
    )


def transposed(a: Any) -> Any:
    return array_namespace(a).matrix_transpose(a)


def test_pseudoinverses_refuse() -> None:
    with pytest.raises(ArgumentError, match="either rtol or rcond"):
        pinv(np.ones((2, 2)), 0.1, rtol=0.1)
    with pytest.raises(ShapeError, match=r"pinv: a must have shape \(\.\.\., m, n\)"):
        pinv(np.ones(2))
    with pytest.raises(ShapeError, match=r"pinv: a must have shape \(\.\.\., n, n\)"):
        pinv(np.ones((2, 3)), hermitian=True)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_matrices_that_lapack_may_never_end(lib: Any, rng: Any, bad: float) -> None:
    """An error where values can be looked at; NaN elsewhere, of these matrices alone."""
    if not lib.has_extensions:
        return
    a, b = rng.normal(size=(2, 5, 3)), np.ones((5, 1))
    a[1, 0, 0] = bad
    x, right = lib.asarray(a), lib.asarray(b)
    if is_concrete(x) and not lib.jit:
        for func in (lambda x: lstsq(x, right), lambda x: lstsq(x[1, ...], right), pinv):
            with pytest.raises(ArgumentError, match="a must be finite, got infinities or NaN"):
                func(x)
        with pytest.raises(ArgumentError, match="pinv: a must be finite"):
            pinv(x[:, :3, :], hermitian=True)
        return
    found = lstsq(x, right)
    compare(lib, found.x[0, ...], np.linalg.lstsq(a[0], b)[0])
    for part in (found.x, found.s, found.residuals, pinv(x), pinv(x[:, :3, :], hermitian=True)):
        values = lib.to_numpy(part)
        assert np.all(np.isfinite(values[0])) and np.all(np.isnan(values[1]))


def test_least_squares_refuse() -> None:
    for shape in ((3,), (0, 3), (3, 0), (2, 0, 3)):
        with pytest.raises(ShapeError, match=r"lstsq: a must have shape \(\.\.\., m, n\)"):
            lstsq(np.ones(shape), np.ones(3))
    with pytest.raises(ShapeError, match=r"lstsq: b must have shape"):
        lstsq(np.ones((3, 2)), np.ones(2))
