"""Fixed points against SciPy and closed forms, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.optimize import FixedPointResult, fixed_point
from likewise.testing import check_function
from likewise.transforms import grad

C = np.asarray([0.2, 0.5, 0.9])


def wave(x: Any, c: Any) -> Any:
    return c * likewise.array_namespace(x).cos(x)


def by_scipy(c: Any) -> Any:
    return np.asarray([scipy.optimize.brentq(lambda x, v=v: x - v * np.cos(x), 0, 1) for v in c])


def near(lib: Any, got: Any, expected: Any, rtol: float) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    np.testing.assert_allclose(out, expected, rtol=rtol if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("method", ["del2", "iteration"])
def test_methods_equal_scipy(lib: Any, method: str) -> None:
    start = np.full((2, 1), 0.5)
    found = fixed_point(
        wave, lib.asarray(start), (lib.asarray(C),), method=method, full_output=True
    )
    assert isinstance(found, FixedPointResult)
    near(lib, found.x, np.tile(by_scipy(C), (2, 1)), 1e-7)
    assert np.all(lib.to_numpy(found.success)) and lib.to_numpy(found.nit).dtype == np.int32
    if lib.has_float64:
        expected = [scipy.optimize.fixed_point(wave, 0.5, (c,), method=method) for c in C]
        np.testing.assert_allclose(lib.to_numpy(found.x)[0], expected, rtol=1e-12)


def test_the_array_is_what_comes_back() -> None:
    x = fixed_point(wave, [0.5, 0.5, 0.5], (C,))
    assert isinstance(x, np.ndarray)
    np.testing.assert_allclose(x, by_scipy(C), rtol=1e-10)
    one = fixed_point(wave, 0.5, 0.9)
    assert one.shape == ()


def test_statuses_one_by_one(lib: Any) -> None:
    c = lib.asarray([0.5, 40.0, np.nan])
    found = fixed_point(lambda x, c: c * x * x + 0.1, lib.asarray(0.0), (c,), full_output=True,
                        method="iteration")  # fmt: skip
    np.testing.assert_array_equal(lib.to_numpy(found.status), [0, -3, -3])
    x = lib.to_numpy(found.x)[0]
    np.testing.assert_allclose(x, 1 - np.sqrt(0.8), rtol=1e-6)
    short = fixed_point(wave, lib.asarray(0.5), (lib.asarray(C),), maxiter=2, full_output=True)
    np.testing.assert_array_equal(lib.to_numpy(short.nfev), 4)
    np.testing.assert_array_equal(lib.to_numpy(short.status), -2)


def test_a_fixed_point_to_start_from() -> None:
    for method in ("del2", "iteration"):
        found = fixed_point(lambda x: x * 1.0, np.asarray([0.0, 2.0]), method=method,
                            full_output=True)  # fmt: skip
        assert np.all(found.success) and list(found.x) == [0.0, 2.0]
    found = fixed_point(lambda x: x, np.ones((2, 3)), method="anderson", full_output=True)
    assert np.all(found.success) and np.all(found.nit == 0)


def test_many_problems_are_those_one_by_one() -> None:
    c = np.linspace(0.1, 1.2, 700)
    for method in ("del2", "iteration"):
        found = fixed_point(wave, np.full(700, 0.5), (c,), method=method, full_output=True)
        for i in (0, 400, 699):
            one = fixed_point(wave, 0.5, (float(c[i]),), method=method, full_output=True)
            assert int(one.nit) == found.nit[i] and float(one.x) == found.x[i]


# -- vectors ---------------------------------------------------------------------------------------


def linear(rng: Any) -> tuple[Any, Any, Any]:
    """A contraction by 0.95 of 8 unknowns, and its fixed points for 3 right sides."""
    a = rng.normal(size=(8, 8))
    a = 0.95 * a / np.linalg.norm(a, 2)
    b = rng.normal(size=(3, 8))
    return a, b, np.linalg.solve(np.eye(8) - a, b.T).T


@pytest.mark.long("jax")
def test_anderson_solves_linear_systems(lib: Any, rng: Any) -> None:
    """With memory for all unknowns it is a Krylov method: about as many steps as unknowns."""
    a, b, expected = linear(rng)
    at, right = lib.asarray(a.T), lib.asarray(b)

    def func(x: Any) -> Any:
        return likewise.array_namespace(x).matmul(x, at) + right

    if lib.library == "dask":
        with pytest.raises(likewise.errors.ArgumentError, match="outside, as '(at|right)'. Pass"):
            fixed_point(func, right * 0, method="anderson")
        return
    found = fixed_point(func, right * 0, method="anderson", memory=8, full_output=True)
    near(lib, found.x, expected, 1e-6)
    nit = lib.to_numpy(found.nit)
    assert nit.shape == (3,) and np.all(lib.to_numpy(found.success))
    if lib.has_float64:
        plain = fixed_point(func, right * 0, method="anderson", memory=1, full_output=True)
        assert np.all(nit <= 12) and np.all(nit < lib.to_numpy(plain.nit))


@pytest.mark.xp_skip({"dask": "it has no loop over lazy arrays"})
def test_anderson_ends_problem_by_problem(lib: Any) -> None:
    """x = c cos(x) component by component; one problem is bad from the start."""
    c = np.stack([C, np.asarray([np.nan, 0.1, 0.1]), C[::-1]])
    found = fixed_point(
        lambda x, c: wave(x, c), lib.asarray(np.full((3, 3), 0.5)), (lib.asarray(c),),
        method="anderson", full_output=True,
    )  # fmt: skip
    np.testing.assert_array_equal(lib.to_numpy(found.status), [0, -3, 0])
    out = lib.to_numpy(found.x)
    np.testing.assert_allclose(out[0], by_scipy(C), rtol=1e-6)
    np.testing.assert_allclose(out[2], by_scipy(C)[::-1], rtol=1e-6)


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.long("jax", "jax-jit")
@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
@pytest.mark.parametrize("method", ["del2", "anderson"])
def test_gradients(lib: Any, rng: Any, method: str) -> None:
    """x = c s cos(x): dx/dc = cos(x) / (1 + c sin(x)) at s = 1."""
    cotangent = rng.normal(size=3)

    def total(c: Any, s: Any) -> Any:
        x0 = lib.asarray(np.full(3, 0.5))
        x = fixed_point(lambda x, c: wave(x, c * s), x0, (c,), method=method)
        return likewise.array_namespace(x).sum(x * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.0))
    x = by_scipy(C)
    slopes = np.cos(x) / (1 + C * np.sin(x))
    near(lib, by_c, cotangent * slopes, 1e-6)
    near(lib, by_s, np.sum(cotangent * slopes * C), 1e-6)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "callable": (lambda: fixed_point(1, C), TypeError, "must be callable"),
    "callable for vectors": (
        lambda: fixed_point(1, C, method="anderson"),
        TypeError,
        "must be callable",
    ),
    "method": (lambda: fixed_point(wave, C, method="steffensen"), ArgumentError, "'del2'"),
    "xtol": (lambda: fixed_point(wave, C, (C,), xtol=-1.0), ArgumentError, "xtol must be"),
    "maxiter": (lambda: fixed_point(wave, C, (C,), maxiter=0.5), ArgumentError, "maxiter must be"),
    "memory": (
        lambda: fixed_point(wave, C, (C,), method="anderson", memory=0),
        ArgumentError,
        "memory must be an integer, at least 1",
    ),
    "a scalar": (
        lambda: fixed_point(wave, 0.5, (0.5,), method="anderson"),
        ShapeError,
        r"needs x0 of shape \(\.\.\., p\)",
    ),
    "complex": (lambda: fixed_point(wave, 1j * C, (C,)), DtypeError, "'x0' must hold real"),
    "shape": (
        lambda: fixed_point(lambda x: x[:1], np.ones((2, 3)), method="anderson"),
        ShapeError,
        r"func must return .*shape \(2, 3\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("fixed_point:")


@pytest.mark.full
def test_capabilities() -> None:
    record = check_function(
        lambda c: fixed_point(wave, c, (c,)),
        C,
        reference=by_scipy,
        compile="the iterations look at values",
        scalars=3,  # of these one at the end: how many did not converge
        per="iteration",
        interpreted=True,
        name="likewise.optimize.fixed_point",
    )
    assert record.cells["numpy"]["eager"].status == "yes"
