"""Least squares and pseudoinverses against NumPy."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from likewise import array_namespace
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, ExtensionMissing, LinAlgWarning, ShapeError
from likewise.linalg import lstsq, pinv, pinvh
from likewise.testing import check_function

from .systems import agree, compare, dtype_of, matrices


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
        compare(lib, found.residues, np.sum((matrix @ expected - b) ** 2, axis=0))
        assert int(found.rank) == rank
    compare(lib, lstsq(x, right[:, 0]).x, np.linalg.lstsq(a, b[:, 0])[0])


def test_ranks_are_of_each_scale(lib: Any) -> None:
    """Whatever the largest singular value, what is rtol below it counts as zero."""
    if not lib.has_extensions:
        return
    a = np.asarray([np.diag([1e3, 1.0]), np.diag([1e3, 100.0]), np.diag([1e-3, 1e-6])])
    found = lstsq(lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, np.ones((2, 1)))), 1e-2)
    np.testing.assert_array_equal(lib.to_numpy(found.rank), [1, 2, 1])


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
    compare(lib, pinv(x, rtol=rtol), np.linalg.pinv(a, rtol=rtol))
    if lib.has_float64:
        compare(lib, pinv(x), np.linalg.pinv(a, rtol=None))
    each = np.asarray([0.5, 1e-3])
    compare(lib, pinv(x, rtol=lib.asarray(dtype_of(lib, each))), np.linalg.pinv(a, rtol=each))
    square = np.matmul(a, np.swapaxes(a, 1, 2).conj())
    got = pinvh(lib.asarray(dtype_of(lib, square)), rtol=1e-3)
    compare(lib, got, np.linalg.pinv(square, 1e-3, True))
    assert pinv(x[:, :0, :]).shape == (2, shape[1], 0)
    for atol, cutoff in ((0.5, 1e-3), (3.0, None)):
        got, rank = pinv(x, atol=atol, rtol=cutoff, return_rank=True)
        pairs = [scipy.linalg.pinv(m, atol=atol, rtol=cutoff, return_rank=True) for m in a]
        compare(lib, got, np.stack([p[0] for p in pairs]))
        assert lib.to_numpy(rank).tolist() == [p[1] for p in pairs]


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
        lambda a: pinvh(a + transposed(a)),
        matrices(rng, 3),
        reference=lambda a: np.linalg.inv(a + a.T),
        eager=minimal,
        tol=single,
        scalars=reads,
        name="likewise.linalg.pinvh",
    )


def transposed(a: Any) -> Any:
    return array_namespace(a).matrix_transpose(a)


def test_pseudoinverses_refuse() -> None:
    with pytest.raises(ArgumentError, match="pinv: atol must not be negative, got -0.1"):
        pinv(np.ones((2, 2)), atol=-0.1)
    with pytest.raises(ShapeError, match=r"pinv: a must have shape \(\.\.\., m, n\)"):
        pinv(np.ones(2))
    with pytest.raises(ShapeError, match=r"pinvh: a must have shape \(\.\.\., n, n\)"):
        pinvh(np.ones((2, 3)))


@pytest.mark.filterwarnings("ignore::likewise.errors.LinAlgWarning")
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_matrices_that_lapack_may_never_end(lib: Any, rng: Any, bad: float) -> None:
    """One is an error where values can be looked at; NaN elsewhere, of these matrices alone."""
    if not lib.has_extensions:
        return
    a, b = rng.normal(size=(2, 5, 3)), np.ones((5, 1))
    a[1, 0, 0] = bad
    x, right = lib.asarray(a), lib.asarray(b)
    if is_concrete(x) and not lib.jit:
        for func in (lambda x: lstsq(x[1, ...], right), lambda x: pinv(x[1, ...])):
            with pytest.raises(ArgumentError, match="a must be finite, got infinities or NaN"):
                func(x)
        with pytest.raises(ArgumentError, match="pinvh: a must be finite"):
            pinvh(x[1, :3, :])
        with pytest.warns(LinAlgWarning, match="pinv: 1 of 2 matrices are not finite"):
            pinv(x)
    found = lstsq(x, right)
    compare(lib, found.x[0, ...], np.linalg.lstsq(a[0], b)[0])
    for part in (found.x, found.s, found.residues, pinv(x), pinvh(x[:, :3, :])):
        values = lib.to_numpy(part)
        assert np.all(np.isfinite(values[0])) and np.all(np.isnan(values[1]))


def test_least_squares_refuse() -> None:
    with pytest.raises(ShapeError, match=r"lstsq: a must have shape \(\.\.\., m, n\)"):
        lstsq(np.ones(3), np.ones(3))
    with pytest.raises(ArgumentError, match="lapack_driver must be one of .*, got 'x'"):
        lstsq(np.ones((3, 2)), np.ones(3), lapack_driver="x")
    with pytest.raises(ShapeError, match=r"lstsq: b must have shape"):
        lstsq(np.ones((3, 2)), np.ones(2))


def test_right_sides_that_lapack_refuses(lib: Any) -> None:
    """One that isn't finite gives NaN, one without columns has none."""
    if not lib.has_extensions:
        return
    a = lib.asarray(dtype_of(lib, np.eye(2)))
    found = lstsq(a, lib.asarray(dtype_of(lib, np.asarray([np.nan, 1.0]))))
    assert np.isnan(lib.to_numpy(found.x)[0]) and int(found.rank) == 2
    assert lstsq(a, lib.asarray(dtype_of(lib, np.zeros((2, 0))))).x.shape == (2, 0)


def test_least_squares_of_nothing(lib: Any) -> None:
    if not lib.has_extensions:
        return
    for shape, k in (((0, 3), 2), ((3, 0), 2), ((2, 0, 3), 1), ((0, 3, 2), 2), ((3, 2), 0)):
        found = lstsq(lib.asarray(np.ones(shape)), lib.asarray(np.ones((shape[-2], k))))
        batch, (m, n) = shape[:-2], shape[-2:]
        assert found.x.shape == (*batch, n, k) and found.s.shape == (*batch, min(m, n))
        expected = np.full((*batch, k), float(m if n == 0 else 0))
        np.testing.assert_allclose(lib.to_numpy(found.residues), expected, atol=1e-12)
        assert lib.to_numpy(found.rank).tolist() == np.full(batch, min(m, n, 1)).tolist()


@pytest.mark.parametrize("lower", [False, True])
def test_pseudoinverses_of_one_triangle(lib: Any, rng: Any, lower: bool) -> None:
    if not lib.has_extensions:
        return
    a = matrices(rng, 2, 3, kind="complex")
    full = a @ np.conj(np.swapaxes(a, 1, 2))
    full[1] = np.diag([2.0, -3.0, 0.0])
    half = np.where((np.tri(3) if lower else np.tri(3).T) > 0, full, 99.0)
    got, rank = pinvh(lib.asarray(dtype_of(lib, half)), 1e-4, 0.0, lower, True)
    compare(lib, got, np.stack([scipy.linalg.pinvh(m, atol=1e-4, rtol=0.0) for m in full]))
    assert lib.to_numpy(rank).tolist() == [3, 2]


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 3, 9])
def test_routine_equals_generic_body(lib: Any, rng: Any, n: int, kind: str) -> None:
    if lib.library not in ("numpy", "torch"):
        return  # the bodies compile on JAX, for which linalg/test_rows.py is
    a = matrices(rng, n, kind=kind)[:, : n - n // 2]
    b = rng.normal(size=(n, 2))
    if not lib.has_extensions:
        return
    for m in (a, a * 0 + 1):
        x, right = lib.asarray(dtype_of(lib, m)), lib.asarray(dtype_of(lib, b))
        agree(lib, lstsq(x, right), lstsq.generic(x, right))  # type: ignore[attr-defined]
