"""logsumexp, softmax and log_softmax against SciPy's and against closed forms."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import DtypeError, ShapeError
from likewise.special import log_softmax, logsumexp, softmax
from likewise.transforms import grad, hessian

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "logsumexp": [{}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}],
    "softmax": [{}, {"axis": 1}, {"axis": (0, -1)}],
    "log_softmax": [{}, {"axis": 1}, {"axis": (0, -1)}],
}
OURS = {"logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax}
LOGARITHMS = [logsumexp, log_softmax]


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", OPTIONS)
def test_against_scipy(lib: Any, name: str, rng: Any, tolerance: Any) -> None:
    import scipy.special

    x = 20 * rng.normal(size=(2, 3, 4)).astype("float64" if lib.has_float64 else "float32")
    for options in OPTIONS[name]:
        got = lib.to_numpy(OURS[name](lib.asarray(x), **options))
        expected = getattr(scipy.special, name)(x.astype("float64"), **options)
        assert got.dtype == x.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-8 if lib.has_float64 else 1e-5, atol=1e-7)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors_and_signs(lib: Any, dtype: str, rng: Any) -> None:
    import scipy.special

    x, b = rng.normal(size=(2, 5)), rng.normal(size=5)
    if dtype == "complex128":
        x = x + 1j * rng.normal(size=(2, 5))
    b[2] = 0.0
    x[:, 2] = np.inf  # which counts for nothing
    narrow = x if lib.has_float64 else x.astype("complex64" if "c" in dtype else "float32")
    given = lib.asarray(narrow), lib.asarray(b.astype(narrow.real.dtype))
    got = logsumexp(given[0], axis=1, b=given[1], return_sign=True)
    expected = scipy.special.logsumexp(x, axis=1, b=b, return_sign=True)
    for a, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(lib.to_numpy(a), e, rtol=1e-4, atol=1e-5)
    plain = logsumexp(given[0], axis=1, b=given[1])
    np.testing.assert_allclose(
        lib.to_numpy(plain), scipy.special.logsumexp(x, axis=1, b=b), rtol=1e-4, atol=1e-5
    )


def test_edges(lib: Any) -> None:
    inf, nan = np.inf, np.nan
    rows = np.asarray([[inf, 1], [-inf, -inf], [nan, 1], [inf, -inf], [-inf, 1]], "float32")
    x = lib.asarray(rows)
    np.testing.assert_array_equal(
        lib.to_numpy(logsumexp(x, axis=1)), np.asarray([inf, -inf, nan, inf, 1], "float32")
    )
    shares = lib.to_numpy(softmax(x, axis=1))
    np.testing.assert_array_equal(shares[-1], [0, 1])
    assert np.isnan(shares[:3]).all()
    np.testing.assert_array_equal(lib.to_numpy(log_softmax(x, axis=1))[-1], [-inf, 0])
    empty = lib.asarray(np.ones((2, 0), "float32"))
    assert lib.to_numpy(logsumexp(empty, axis=1)).tolist() == [-inf, -inf]
    assert lib.to_numpy(softmax(empty, axis=1)).shape == (2, 0)
    assert float(logsumexp(lib.asarray(np.asarray(3.0, "float32")))) == 3.0


def test_digits_next_to_zero(lib: Any, leave_out: Any) -> None:
    """log(1 + exp(-40)), which the largest exponential would hide."""
    leave_out("float64", not lib.has_float64)
    x = lib.asarray(np.asarray([0.0, -40.0]))
    small = np.log1p(np.exp(-40.0))
    np.testing.assert_allclose(lib.to_numpy(logsumexp(x)), small, rtol=1e-15)
    np.testing.assert_allclose(lib.to_numpy(log_softmax(x))[0], -small, rtol=1e-15)


def test_derivatives(lib: Any, rng: Any) -> None:
    """The gradient is softmax, and the Hessian its Jacobian; infinite terms spoil nothing."""
    values = np.append(rng.normal(size=4), -np.inf).astype("float32")
    x = lib.asarray(values)
    shares = np.exp(values) / np.sum(np.exp(values))
    np.testing.assert_allclose(lib.to_numpy(grad(logsumexp)(x)), shares, rtol=1e-5)
    bends = lib.to_numpy(hessian(logsumexp)(x))
    np.testing.assert_allclose(bends, np.diag(shares) - np.outer(shares, shares), atol=1e-6)


def test_derivative_in_a_factor_of_zero(lib: Any) -> None:
    """What adds nothing would add its exponential; one beyond the largest number stays finite."""
    a, b = [1.0, 2.0, 9e9], [0.0, 1.0, 0.0]

    def total(a: Any, b: Any) -> Any:
        return logsumexp(a, b=b)

    by_a, by_b = (
        lib.to_numpy(g) for g in grad(total, argnums=(0, 1))(lib.asarray(a), lib.asarray(b))
    )
    np.testing.assert_allclose(by_a, [0.0, 1.0, 0.0], rtol=1e-6)
    np.testing.assert_allclose(by_b[:2], [np.exp(-1.0), 1.0], rtol=1e-6)
    assert np.isfinite(by_b[2]) and by_b[2] > 1e30


def test_refuses() -> None:
    with pytest.raises(DtypeError, match="log_softmax: argument 'x' must hold real numbers"):
        log_softmax(np.asarray([1j]))
    with pytest.raises(ShapeError, match="softmax: axis must lie in"):
        softmax(np.ones(2), axis=1)
    with pytest.raises(ShapeError, match="logsumexp: shapes must broadcast"):
        logsumexp(np.ones(2), b=np.ones(3))
