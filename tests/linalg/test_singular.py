"""One singular matrix is an error, some of a batch are a warning; our own callers hear nothing."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import likewise
from likewise import linalg
from likewise.errors import ArgumentError, LinAlgError, LinAlgWarning
from likewise.optimize import root
from likewise.testing import check_function

from .systems import dtype_of

looked_at = pytest.mark.xp_skip(
    {
        "dask": "nothing is known before it is computed",
        "jax-jit": "traced, nothing is known",
    }
)
CALLS: dict[str, tuple[Any, Any]] = {
    "inv": (linalg.inv, lambda n: np.ones((n, n))),
    "solve": (lambda a: linalg.solve(a, a[..., :1]), lambda n: np.ones((n, n))),
    "solve_triangular": (
        lambda a: linalg.solve_triangular(a, a[..., :1] + 1.0, lower=True),
        lambda n: np.tril(np.ones((n, n))) - np.eye(n),
    ),
    "cho_factor": (lambda a: linalg.cho_factor(a)[0], lambda n: -np.eye(n)),
    "cholesky": (linalg.cholesky, lambda n: np.ones((n, n)) - 2 * np.eye(n)),
}


@looked_at
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", CALLS)
def test_said(lib: Any, name: str, n: int) -> None:
    call, made = CALLS[name]
    if n > 3 and name in ("inv", "solve") and not lib.has_extensions:
        return
    bad = made(n)
    with pytest.raises(LinAlgError, match=f"^{name}: a is "):
        call(lib.asarray(bad))
    with pytest.warns(LinAlgWarning, match=f"^{name}: 1 of 3 matrices .* number 1 of") as told:
        found = lib.to_numpy(call(lib.asarray(np.stack([np.eye(n), bad, 2 * np.eye(n)]))))
    assert len(told) == 1
    good = np.isfinite(found).all((-2, -1))
    assert good.tolist() == [True, False, True] and np.isnan(found[1]).any()


def test_as_numpys_and_scipys_errors() -> None:
    for error in (np.linalg.LinAlgError, scipy.linalg.LinAlgError, ValueError, LinAlgError):
        with pytest.raises(error):
            linalg.inv(np.ones((4, 4)))
    assert linalg.LinAlgError is LinAlgError and linalg.LinAlgWarning is LinAlgWarning


def test_not_finite() -> None:
    nan = np.full((3, 3), np.nan)
    for call in (linalg.inv, linalg.pinv, linalg.cholesky, lambda a: linalg.solve(a, np.ones(3))):
        with pytest.raises(ArgumentError, match="finite"):
            call(nan)


@looked_at
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite_anywhere(lib: Any, bad: float, n: int) -> None:
    """One is an error where values are at hand; LAPACK's inverse of an infinity may be finite."""
    if n > 3 and not lib.has_extensions:
        return
    a = np.eye(n) + np.eye(n, k=1)
    a[0, 1] = bad
    x, b = lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, np.ones(n)))
    for call in (lambda: linalg.inv(x), lambda: linalg.solve(x, b)):
        with pytest.raises(ArgumentError, match="finite"):
            call()


@looked_at
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", ["inv", "solve"])
def test_not_finite_in_a_batch(lib: Any, name: str, n: int) -> None:
    if (n > 3 and not lib.has_extensions) or lib.jit or lib.replayed:  # under jit nothing is said
        return
    a = np.stack([np.eye(n), np.full((n, n), np.nan)])
    x, b = lib.asarray(dtype_of(lib, a)), lib.asarray(dtype_of(lib, np.ones((2, n, 1))))
    with pytest.warns(LinAlgWarning, match=f"^{name}: 1 of 2 matrices .* number 1 of"):
        found = linalg.inv(x) if name == "inv" else linalg.solve(x, b)
    assert np.isfinite(lib.to_numpy(found)).all((-2, -1)).tolist() == [True, False]


def test_the_matrix_has_its_name() -> None:
    with pytest.raises(LinAlgError, match="^solve_toeplitz: the matrix is singular"):
        linalg.solve_toeplitz(np.zeros(3), np.ones(3))
    with pytest.raises(LinAlgError, match="^solve_banded: ab is singular"):
        linalg.solve_banded((1, 1), np.zeros((3, 3)), np.ones(3))
    with pytest.raises(LinAlgError, match="^eigh: b is not positive definite"):
        linalg.eigh(np.eye(3), -np.eye(3))


@pytest.mark.parametrize("n", [3, 14])
def test_ill_conditioned(n: int) -> None:
    a = scipy.linalg.hilbert(n) if n > 3 else np.ones((3, 3)) + 1e-16 * np.diag([1.0, 20.0, 3.0])
    with pytest.warns(LinAlgWarning, match="reciprocal condition number"):
        linalg.solve(a, np.ones(n))
    with pytest.warns(LinAlgWarning, match="reciprocal condition number"):
        linalg.inv(a)
    with pytest.warns(LinAlgWarning, match="zero"):
        linalg.lu_factor(np.ones((2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linalg.inv(scipy.linalg.hilbert(6))


def test_our_own_algorithms_go_on() -> None:
    """A Jacobian that is singular at the start is no error of linalg's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = root(lambda x: x * x * likewise.array_namespace(x).sum(x), np.asarray([0.0, 0.0]))
    assert found.fun.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_one_matrix_on_numpy(n: int, dtype: str) -> None:
    """LAPACK's routines of the dtype, of any size and any memory order."""
    rng = np.random.default_rng(n)
    a = (rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))).astype("complex128")
    a = (a if "complex" in dtype else a.real).astype(dtype)
    b = a[:, :1] + 1
    tol = 2e-3 if dtype in ("float32", "complex64") else 1e-10
    for x in (a, a.T, np.asfortranarray(a), np.repeat(a, 2, 0)[::2]):
        x.flags.writeable = False
        for found, expected in (
            (linalg.inv(x), np.linalg.inv(x)),
            (linalg.solve(x, b), np.linalg.solve(x, b)),
            (linalg.lu_solve(linalg.lu_factor(x), b), np.linalg.solve(x, b)),
            (linalg.solve_triangular(x, b), scipy.linalg.solve_triangular(x, b)),
        ):
            assert found.dtype == dtype
            size = np.max(np.abs(expected))
            np.testing.assert_allclose(found, expected, rtol=0, atol=tol * max(size, 1))


@pytest.mark.needs("jax")
def test_inv_looks_at_two_values() -> None:
    """Whether the inverse is finite, and whether it may have no digit."""
    a = np.asarray([[4.0, 1.0], [0.0, 3.0]])
    own: Any = {"jit": False, "grad": False, "vmap": False, "dtypes": ["float64"]}
    check_function(linalg.inv, a, libraries=["jax"], scalars=2, **own)
