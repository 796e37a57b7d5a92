"""Roots and minima in brackets: the figures of Chandrupatla's papers, SciPy, closed forms."""

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.optimize.elementwise

import likewise
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedLibrariesError,
    ShapeError,
)
from likewise.optimize import FindMinimumResult, FindRootResult, find_minimum, find_root
from likewise.testing import check_function, count_compiles
from likewise.transforms import grad, jacfwd, vmap

from .chandrupatla import MINIMA, ROOTS

C = np.asarray([0.5, 1.0, 2.0, 7.0])

# -- what the papers report ------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(9))
def test_evaluations_of_the_paper(number: int) -> None:
    (f, root), cases = ROOTS[number]
    a, b, calls = np.asarray(cases, dtype="float64").T
    found = find_root(f, (a, b), tolerances={"xrtol": 4e-10, "xatol": 1e-5})
    np.testing.assert_array_equal(found.nfev, calls)
    np.testing.assert_allclose(found.f_x, 0.0, atol=2e-3)
    assert np.all(found.success)
    if number in (0, 1, 7, 8):  # the others are flat at their roots
        np.testing.assert_allclose(found.x, root, rtol=1e-5)


def golden_bracket(f: Callable[[Any], Any], x1: float) -> tuple[float, float, float]:
    """How the paper finds its brackets: downhill in steps that grow by the golden ratio."""
    x2, step = x1 + 0.2, 0.2
    if f(x2) > f(x1):
        x1, x2, step = x2, x1, -step
    while True:
        step *= 1.61803398875
        x3 = x2 + step
        if f(x3) >= f(x2):
            return x1, x2, x3
        x1, x2 = x2, x3


@pytest.mark.parametrize("number", range(5))
def test_iterations_of_the_paper(number: int) -> None:
    f, starts, iterations = MINIMA[number]
    points = np.asarray([golden_bracket(f, x) for x in starts]).T
    tolerances = {"xatol": 1e-4, "fatol": 1e-6, "xrtol": 1e-16, "frtol": 1e-16}
    found = find_minimum(f, tuple(points), tolerances=tolerances)
    np.testing.assert_array_equal(found.nit, iterations)


# -- as SciPy --------------------------------------------------------------------------------------


def cubic(x: Any, c: Any) -> Any:
    return x**3 + x - c


def bowl(x: Any, c: Any) -> Any:
    xp = likewise.array_namespace(x)
    return xp.exp(x - c) - x


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-12) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    np.testing.assert_allclose(out, expected, rtol=rtol if lib.has_float64 else 1e-5, atol=1e-6)


def test_roots_equal_scipy(lib: Any) -> None:
    c = np.reshape(C, (2, 2))
    low = np.asarray([0.0, -1.0])
    found = find_root(cubic, (lib.asarray(low), 3.0), args=(lib.asarray(c),))
    expected = scipy.optimize.elementwise.find_root(cubic, (low, 3.0), args=(c,))
    assert isinstance(found, FindRootResult)
    near(lib, found.x, expected.x)
    if lib.has_float64:
        for ours, theirs in zip(found.bracket, expected.bracket, strict=True):
            near(lib, ours, theirs)
        np.testing.assert_allclose(lib.to_numpy(found.nfev), expected.nfev, atol=1)
    for field in (found.status, found.nfev, found.nit):
        assert lib.to_numpy(field).dtype == np.int32
    assert np.all(lib.to_numpy(found.success)) and tuple(found.status.shape) == (2, 2)


def test_minima_equal_scipy(lib: Any) -> None:
    init = (lib.asarray(-3.0), lib.asarray(0.5), lib.asarray(12.0))
    found = find_minimum(bowl, init, args=(lib.asarray(C),))
    expected = scipy.optimize.elementwise.find_minimum(bowl, (-3.0, 0.5, 12.0), args=(C,))
    assert isinstance(found, FindMinimumResult)
    # The minimum is where the exponent is 0; values tell it to half of the digits.
    np.testing.assert_allclose(lib.to_numpy(found.x), C, atol=3e-8 if lib.has_float64 else 4e-3)
    near(lib, found.f_x, expected.f_x)
    assert np.all(lib.to_numpy(found.status) == 0)


def test_evaluations_equal_scipy() -> None:
    c = np.linspace(0.1, 25.0, 700)  # enough for problems that have ended to be dropped
    sizes = []

    def f(x: Any, c: Any) -> Any:
        sizes.append(x.shape[0])
        return cubic(x, c)

    found = find_root(f, (0.0, 3.0), args=(c,))
    expected = scipy.optimize.elementwise.find_root(cubic, (0.0, 3.0), args=(c,))
    np.testing.assert_array_equal(found.nfev, expected.nfev)
    np.testing.assert_array_equal(found.nit, expected.nit)
    np.testing.assert_allclose(found.x, expected.x, rtol=1e-14)
    assert min(sizes) < 300 and sum(sizes) < 1.15 * np.sum(expected.nfev)
    least = find_minimum(bowl, (-3.0, 0.5, 40.0), args=(c,))
    wanted = scipy.optimize.elementwise.find_minimum(bowl, (-3.0, 0.5, 40.0), args=(c,))
    np.testing.assert_array_equal(least.nfev, wanted.nfev)
    np.testing.assert_array_equal(least.status, wanted.status)
    np.testing.assert_allclose(least.x, wanted.x, rtol=1e-14)


def test_statuses_one_by_one(lib: Any) -> None:
    """One bad problem of each kind, and a good one between them."""
    low = np.asarray([0.0, 0.0, np.nan, -np.inf, 2.0])
    c = np.asarray([-20.0, 3.0, 3.0, 3.0, 10.0])
    found = find_root(cubic, (lib.asarray(low), 3.0), args=(lib.asarray(c),))
    np.testing.assert_array_equal(lib.to_numpy(found.status), [-1, 0, -3, -3, 0])
    x = lib.to_numpy(found.x)
    np.testing.assert_array_equal(np.isnan(x), [True, False, True, True, False])
    np.testing.assert_allclose(x[[1, 4]], [1.2134116627622296, 2.0], rtol=1e-6)
    if lib.library != "dask":
        assert "2 of 5 problems converged" in found.summary()
        assert "bracket_root" in found.summary()


def test_values_that_become_nan(lib: Any) -> None:
    """NaN on the way ends a problem; it need not be at an end of the bracket."""

    def f(x: Any, c: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.where(xp.abs(x - c) < 0.3, xp.nan * x, x - 0.1)

    found = find_root(f, (-1.0, 1.0), args=(lib.asarray([0.0, 5.0]),))
    np.testing.assert_array_equal(lib.to_numpy(found.status), [-3, 0])


def test_maxiter_and_one_problem() -> None:
    for most in (0, 2):
        found = find_root(lambda x: x**3 - 2, (0.0, 2.0), maxiter=most)
        expected = scipy.optimize.elementwise.find_root(
            lambda x: x**3 - 2, (0.0, 2.0), maxiter=most
        )
        assert int(found.status) == expected.status == -2 and int(found.nfev) == 2 + most
        assert float(found.x) == expected.x and found.x.shape == ()
    least = find_minimum(lambda x: x**2, (-1.0, 0.5, 1.0), maxiter=1)
    assert int(least.status) == -2 and int(least.nfev) == 4


def test_ends_that_are_roots_and_brackets_turned_around() -> None:
    found = find_root(lambda x: x - 1, (np.asarray([1.0, 3.0, 0.0]), np.asarray([2.0, 0.0, 1.0])))
    np.testing.assert_allclose(found.x, 1.0)
    assert found.nfev[0] == 2 and found.nfev[2] == 2
    np.testing.assert_array_equal(found.bracket[0] <= found.bracket[1], True)
    ends = (np.asarray([3.0, 1.0]), np.asarray([-4.0, 2.0]))
    least = find_minimum(lambda x: (x - 0.5) ** 2, (ends[0], 0.9, ends[1]))
    assert list(least.status) == [0, -1] and abs(least.x[0] - 0.5) < 1e-7


def test_float32_stays(lib: Any) -> None:
    found = find_root(cubic, (lib.asarray(0.0, "float32"), 3.0), args=(lib.asarray(C, "float32"),))
    x = lib.to_numpy(found.x)
    assert x.dtype == np.float32 and np.all(lib.to_numpy(found.status) == 0)
    np.testing.assert_allclose(x, [np.roots([1, 0, 1, -c])[-1].real for c in C], rtol=1e-6)


@pytest.mark.needs("jax")
def test_a_fresh_function_that_reads_the_same_compiles_nothing() -> None:
    import jax.numpy as jnp

    c, low = jnp.asarray(C), jnp.asarray(0.0)

    def roots(s: Any) -> Any:
        return find_root(lambda x, c: cubic(x, c * s), (low, 3.0), args=(c,)).x

    roots(jnp.asarray(1.0))
    other = jnp.asarray(0.5)
    with count_compiles():
        found = roots(other)
    np.testing.assert_allclose(cubic(found, 0.0), 0.5 * C, rtol=1e-12)


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
def test_gradients(lib: Any, rng: Any) -> None:
    """x³ + x = c: dx/dc = 1 / (3 x² + 1), with respect to an argument and to a closure."""
    cotangent = rng.normal(size=4)
    x = np.asarray([np.roots([1, 0, 1, -c])[-1].real for c in C])
    slopes = 1 / (3 * x**2 + 1)

    def total(c: Any, s: Any) -> Any:
        found = find_root(lambda x, c: cubic(x, c * s), (lib.asarray(0.0), 3.0), args=(c,))
        xp = likewise.array_namespace(found.x, c)
        return xp.sum(found.x * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.0))
    near(lib, by_c, cotangent * slopes, 1e-9)
    near(lib, by_s, np.sum(cotangent * slopes * C), 1e-9)


def test_second_derivatives_and_bad_problems() -> None:
    """On NumPy: the second derivative; and no bracket has no part in the gradient of the rest."""

    def root(c: Any) -> Any:
        return find_root(cubic, (np.asarray(0.0), 3.0), args=(c,)).x

    def total(c: Any) -> Any:
        xp = likewise.array_namespace(c)
        x = root(c)
        return xp.sum(xp.where(xp.isnan(x), xp.zeros_like(x), x))

    x = 1.2134116627622296  # of c = 3
    second = -6 * x / (3 * x**2 + 1) ** 3
    np.testing.assert_allclose(grad(grad(root))(np.asarray(3.0)), second, rtol=1e-9)
    np.testing.assert_allclose(jacfwd(jacfwd(root))(np.asarray(3.0)), second, rtol=1e-9)
    gradient = grad(total)(np.asarray([3.0, -99.0]))
    np.testing.assert_allclose(gradient, [1 / (3 * x**2 + 1), 0.0], rtol=1e-9)


@pytest.mark.needs("torch")
def test_torch_backward_through_dropped_problems() -> None:
    import torch

    c = torch.linspace(0.1, 20.0, 700, dtype=torch.float64, requires_grad=True)
    s = torch.asarray(1.0, dtype=torch.float64, requires_grad=True)
    for closed, moved in ((False, c), (True, s)):
        f = (lambda x, c: cubic(x, c.detach() * s)) if closed else cubic
        x = find_root(f, (torch.asarray(0.0, dtype=torch.float64), 4.0), args=(c,)).x
        (by,) = torch.autograd.grad(x.sum(), moved)
        slopes = 1 / (3 * x.detach() ** 2 + 1)
        expected = (slopes * c.detach()).sum() if closed else slopes
        np.testing.assert_allclose(by, expected, rtol=1e-9)


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
def test_gradient_of_a_minimum(lib: Any, rng: Any) -> None:
    """exp(x - c) - s x is least at x = c + log s."""
    cotangent = rng.normal(size=4)

    def total(c: Any, s: Any) -> Any:
        def f(x: Any, c: Any) -> Any:
            xp = likewise.array_namespace(x)
            return xp.exp(x - c) - s * x

        found = find_minimum(f, (lib.asarray(-3.0), 0.5, 12.0), args=(c,))
        xp = likewise.array_namespace(found.x)
        return xp.sum(found.x * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.5))
    tol = 1e-6 if lib.has_float64 else 1e-2
    np.testing.assert_allclose(lib.to_numpy(by_c), cotangent, rtol=tol)
    np.testing.assert_allclose(lib.to_numpy(by_s), np.sum(cotangent) / 1.5, rtol=tol)


# -- D1: coordinates of a periodic map -------------------------------------------------------------


@pytest.mark.xp_skip(
    {"dask": "what the function closes over would be lazy, and blocks are NumPy's"}
)
def test_periodic_roots_and_their_derivatives(lib: Any, rng: Any) -> None:
    """x + sum a_k sin(k x) = y for a series of the map, and dx/da = -sin(k x) / f'(x)."""
    k = np.arange(1.0, 6.0)
    a = rng.normal(size=5)
    a = 0.85 * a / np.sum(k * np.abs(a))
    y = rng.uniform(0.0, 2 * np.pi, size=6)
    kk = lib.asarray(k)

    def roots(a: Any, tol: float | None) -> Any:
        def f(x: Any, y: Any) -> Any:
            xp = likewise.array_namespace(x, a)
            return x + xp.sum(a * xp.sin(x[..., None] * kk), axis=-1) - y

        wide = 0.9
        tolerances = None if tol is None else {"xatol": tol}
        return find_root(
            f, (lib.asarray(y - wide), lib.asarray(y + wide)), args=(lib.asarray(y),),
            tolerances=tolerances,
        )  # fmt: skip

    rough = lib.to_numpy(roots(lib.asarray(a), 1e-6).x)

    def off(x: Any, y: Any) -> Any:
        return x + np.sum(a * np.sin(x * k)) - y

    exact = np.asarray([scipy.optimize.brentq(off, v - 0.9, v + 0.9, (v,)) for v in y])
    np.testing.assert_allclose(np.mod(rough, 2 * np.pi), np.mod(exact, 2 * np.pi), atol=2e-6)
    cotangent = rng.normal(size=6)

    def total(a: Any) -> Any:
        x = roots(a, None).x
        return likewise.array_namespace(x).sum(x * lib.asarray(cotangent))

    slope = 1 + np.sum(a * k * np.cos(exact[:, None] * k), axis=1)
    expected = -(cotangent / slope) @ np.sin(exact[:, None] * k)
    near(lib, grad(total)(lib.asarray(a)), expected, 1e-8)


# -- bad input -------------------------------------------------------------------------------------

T = np.linspace(0.0, 1.0, 3)
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "not callable": (lambda: find_root(3, (0.0, 1.0)), TypeError, "must be callable"),
    "one end": (lambda: find_root(cubic, (0.0,)), ArgumentError, "init must be a tuple of 2"),
    "an array": (lambda: find_root(cubic, T), ArgumentError, "init must be a tuple of 2"),
    "None": (lambda: find_root(cubic, (None, T)), ArrayTypeError, r"'init\[0\]' must be an array"),
    "mixed": (
        lambda: find_root(cubic, (0.0, strict.asarray(1.0)), args=(T,)),
        MixedLibrariesError,
        r"argument 'init\[1\]' is a strict.*argument 'args\[0\]' is a numpy",
    ),
    "complex": (lambda: find_root(cubic, (0.0, 1j * T)), DtypeError, "must hold real numbers"),
    "shapes": (
        lambda: find_root(cubic, (T, 2.0), args=(np.ones(4),)),
        ShapeError,
        r"init\[0\] \(3,\) and .* args\[0\] \(4,\)",
    ),
    "shape of f": (
        lambda: find_root(lambda x: x[:2], (T, 2.0)),
        ShapeError,
        r"f must return .*shape \(3,\).*got .*shape \(2,\).*through args",
    ),
    "dtype of f": (
        lambda: find_root(lambda x: x * np.ones(3), (T.astype("f4"), np.float32(2))),
        DtypeError,
        "got a numpy array of float64.*constant",
    ),
    "None of f": (lambda: find_root(lambda x: None, (T, 2.0)), ArrayTypeError, "got NoneType"),
    "tolerance": (
        lambda: find_root(cubic, (0.0, T), tolerances={"xatol": -1}),
        ArgumentError,
        "xatol must be a number, not negative",
    ),
    "name of a tolerance": (
        lambda: find_root(cubic, (0.0, T), tolerances={"xtol": 1}),
        ArgumentError,
        "'xatol', 'xrtol', 'fatol', 'frtol'",
    ),
    "maxiter": (
        lambda: find_root(cubic, (0.0, T), maxiter=1.5),
        ArgumentError,
        "maxiter must be an integer",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("find_root:")


def test_a_closure_with_a_batch_axis_says_so() -> None:
    c = np.linspace(0.1, 25.0, 700)
    with pytest.raises(ValueError) as caught:
        find_root(lambda x: cubic(x, c), (0.0, np.full(700, 3.0)))
    assert any("through args" in note for note in caught.value.__notes__)


def test_an_error_of_the_function_is_its_own() -> None:
    def broken(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        find_root(broken, (0.0, 1.0))


@pytest.mark.xp_skip({"dask": "it has no vmap of its loops"})
def test_closures_under_vmap(lib: Any) -> None:
    """What is mapped may reach the function by its closure alone."""
    start = lib.asarray(0.0)
    found = vmap(lambda c: find_root(lambda x: cubic(x, c), (start, 3.0)).x)(lib.asarray(C))
    near(lib, found, [np.roots([1, 0, 1, -v])[-1].real for v in C], 1e-12)


@pytest.mark.full
def test_capabilities() -> None:
    expected = np.asarray([np.roots([1, 0, 1, -c])[-1].real for c in C])
    record = check_function(
        lambda c: find_root(cubic, (c * 0, 3.0), args=(c,)).x,
        C,
        reference=lambda c: expected,
        compile="the iterations look at values",
        scalars=2,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.find_root",
    )
    assert record.cells["numpy"]["eager"].status == "yes"
