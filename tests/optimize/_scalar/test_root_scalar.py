"""Roots of scalar functions against SciPy and closed forms, on every library."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise._namespace import is_concrete
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedLibrariesError,
    OptimizeWarning,
)
from likewise.optimize import RootResults, root_scalar
from likewise.testing import check_function
from likewise.transforms import grad

from .chandrupatla import ROOTS

BRACKETED = ("bisect", "brentq", "brenth", "chandrupatla")
OPEN = ("newton", "secant", "halley")
C = np.asarray([0.7, 2.0, 5.0])


def f(x: Any, c: Any) -> Any:
    return likewise.array_namespace(x).exp(x) + x - c


def fprime(x: Any, c: Any) -> Any:
    return likewise.array_namespace(x).exp(x) + 1


def fprime2(x: Any, c: Any) -> Any:
    return likewise.array_namespace(x).exp(x)


def start(method: str) -> dict[str, Any]:
    return {"bracket": (-1.0, 2.0)} if method in BRACKETED else {"x0": 0.5}


def by_scipy(c: Any) -> Any:
    return np.asarray([scipy.optimize.brentq(f, -1.0, 2.0, (v,), 1e-15) for v in c])


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-11) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    np.testing.assert_allclose(out, expected, rtol=rtol if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("method", BRACKETED + OPEN)
def test_methods_equal_scipy(lib: Any, method: str) -> None:
    found = root_scalar(f, args=(lib.asarray(C),), method=method, **start(method))
    assert isinstance(found, RootResults)
    near(lib, found.root, by_scipy(C), 1e-11)
    assert np.all(lib.to_numpy(found.converged)) and np.all(lib.to_numpy(found.status) == 0)
    assert lib.to_numpy(found.iterations).dtype == np.int32


@pytest.mark.parametrize("method", BRACKETED)
def test_evaluations_are_no_more_than_scipys(method: str) -> None:
    """Chandrupatla's 45 problems; his method against brentq."""
    ours = theirs = 0
    peer = "brentq" if method == "chandrupatla" else method
    options: dict[str, Any] = {"xtol": 1e-12, "rtol": 1e-12, "maxiter": 200}
    for (g, _), cases in ROOTS:
        a, b, _ = np.asarray(cases, dtype="float64").T
        with np.errstate(all="ignore"):
            found = root_scalar(g, (), method, (a, b), **options)
            each = [
                scipy.optimize.root_scalar(g, bracket=ends, method=peer, **options)
                for ends in zip(a, b, strict=True)
            ]
            values = np.abs(g(found.root))
        both = np.asarray([r.converged for r in each])
        assert np.all(found.converged[both])  # SciPy's brentq does not converge in one of them
        assert np.all(values[both] < 1e-6)
        calls = np.asarray([r.function_calls for r in each])
        ours, theirs = ours + np.sum(found.function_calls[both]), theirs + np.sum(calls[both])
    assert ours <= 1.03 * theirs and theirs > 1000


EACH: dict[str, tuple[Any, float, float]] = {
    "cubic": (lambda x: x**3 - 2 * x - 5, 0.0, 3.0),
    "exponential": (lambda x: np.exp(x) - 2, -4.0, 3.0),
    "cosine": (lambda x: np.cos(x) - x, 0.0, 1.5),
    "arctan": (lambda x: np.arctan(5 * (x - 0.2)), -3.0, 1.0),
}


@pytest.mark.parametrize("method", ["bisect", "brentq", "brenth"])
@pytest.mark.parametrize("name", EACH)
def test_counts_are_scipys(name: str, method: str) -> None:
    g, a, b = EACH[name]
    lows, highs = np.asarray([a, a - 0.1, a]), np.asarray([b, b, b + 0.2])
    found = root_scalar(g, (), method, (lows, highs))
    pairs = zip(lows, highs, strict=True)
    each = [scipy.optimize.root_scalar(g, bracket=ends, method=method) for ends in pairs]
    np.testing.assert_allclose(found.root, [r.root for r in each], rtol=1e-11)
    np.testing.assert_array_equal(found.function_calls, [r.function_calls for r in each])


@pytest.mark.parametrize("method", OPEN)
def test_open_methods_count_as_scipy(method: str) -> None:
    given = {"newton": {"fprime": fprime}, "halley": {"fprime": fprime, "fprime2": fprime2}}
    options = given.get(method, {})
    found = root_scalar(f, args=(C,), method=method, x0=0.5, **options)
    each = [scipy.optimize.root_scalar(f, args=(c,), method=method, x0=0.5, **options) for c in C]
    np.testing.assert_allclose(found.root, [r.root for r in each], rtol=1e-12)
    np.testing.assert_array_equal(found.function_calls, [r.function_calls for r in each])
    np.testing.assert_array_equal(found.iterations, [r.iterations for r in each])


def test_ways_to_give_derivatives() -> None:
    both = lambda x, c: (f(x, c), fprime(x, c))  # noqa: E731
    three = lambda x, c: (f(x, c), fprime(x, c), fprime2(x, c))  # noqa: E731
    halley = {"method": "halley", "x0": 0.5}
    ways = [
        root_scalar(both, (C,), fprime=True, x0=0.5),
        root_scalar(three, (C,), fprime2=True, x0=0.5),
        root_scalar(both, (C,), fprime=True, fprime2=fprime2, x0=0.5),
        root_scalar(both, (C,), fprime=True, **halley),
        root_scalar(f, (C,), fprime=fprime, **halley),
        root_scalar(f, (C,), fprime2=fprime2, **halley),
        root_scalar(f, (C,), **halley),
        root_scalar(f, (C,), x0=0.5, x1=0.6),
    ]
    for found in ways:
        np.testing.assert_allclose(found.root, by_scipy(C), rtol=1e-11)
    assert all(np.all(w.iterations <= 5) for w in ways[1:7])


def test_the_default_is_scipys() -> None:
    for options in (
        {"bracket": (-1.0, 2.0)},
        {"x0": 0.5, "fprime": fprime},
        {"x0": 0.5, "x1": 0.6},
        {"x0": 0.5, "fprime": fprime, "fprime2": fprime2},
    ):
        expected = scipy.optimize.root_scalar(f, (2.0,), **options)  # type: ignore[arg-type]
        found = root_scalar(f, (2.0,), **options)  # type: ignore[arg-type]
        assert found.root.shape == ()
        assert abs(int(found.function_calls) - expected.function_calls) <= 1
        np.testing.assert_allclose(found.root, expected.root, rtol=1e-11)


def test_starts_make_the_batch(lib: Any) -> None:
    low = lib.asarray([[-1.0], [-0.5]])
    found = root_scalar(f, (lib.asarray(C),), "brentq", bracket=(low, 2.0))
    near(lib, found.root, np.tile(by_scipy(C), (2, 1)))


def test_statuses_one_by_one(lib: Any) -> None:
    a = lib.asarray([-1.0, 1.9, np.nan, -1.0])
    c = lib.asarray([2.0, 2.0, 2.0, np.nan])
    for method in ("brentq", "bisect"):
        found = root_scalar(f, (c,), method, (a, 2.0))
        np.testing.assert_array_equal(lib.to_numpy(found.status), [0, -1, -3, -3])
        np.testing.assert_allclose(lib.to_numpy(found.root)[0], by_scipy([2.0]), rtol=1e-6)
        assert np.all(np.isnan(lib.to_numpy(found.root)[1:]))


def test_statuses_of_open_methods() -> None:
    x0 = np.asarray([1.0, 0.0, np.nan, 1.0])
    c = np.asarray([2.0, 2.0, 2.0, -3.0])
    for method in ("newton", "halley"):
        found = root_scalar(lambda x, c: x * x - c, (c,), method, x0=x0, maxiter=30)
        assert list(found.status[:3]) == [0, -4, -3] and found.status[3] == -2
        assert "flat" in found.summary()
    found = root_scalar(lambda x, c: x * x - c, (c,), "secant", x0=x0, x1=-x0, maxiter=30)
    assert list(found.status[:3]) == [-4, -4, -3]


def test_starts_at_the_root() -> None:
    for method in OPEN:
        found = root_scalar(lambda x: x - 2.0, method=method, x0=np.asarray([2.0, 3.0]))
        np.testing.assert_allclose(found.root, 2.0)
        assert np.all(found.converged)
    for method in BRACKETED:
        found = root_scalar(lambda x: x - 2.0, method=method, bracket=(np.asarray([2.0, 1.0]), 2.0))
        assert found.root[1] == 2.0 and found.converged[1]


def test_maxiter_and_dropped_problems() -> None:
    c = np.linspace(0.6, 6.0, 900)
    for method in BRACKETED + OPEN:
        found = root_scalar(f, (c,), method, **start(method))
        np.testing.assert_allclose(found.root, by_scipy(c), rtol=1e-10, atol=3e-12)
        short = root_scalar(f, (c,), method, maxiter=2, **start(method))
        assert np.sum(short.status == -2) > 800 and np.max(short.iterations) == 2


def test_float32_stays(lib: Any) -> None:
    for method in ("brentq", "newton"):
        x0 = lib.asarray([0.5], "float32")
        where = {"bracket": (x0 - 1.5, 2.0)} if method == "brentq" else {"x0": x0}
        found = root_scalar(f, (lib.asarray(C, "float32"),), method, **where)
        out = lib.to_numpy(found.root)
        assert out.dtype == np.float32 and np.all(lib.to_numpy(found.converged))
        np.testing.assert_allclose(out, by_scipy(C), rtol=2e-6)


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
@pytest.mark.parametrize("method", ["brentq", "newton"])
def test_gradients(lib: Any, rng: Any, method: str) -> None:
    """dx/dc = 1 / f'(x); s scales x from a closure: dx/ds = -x at s = 1."""
    cotangent = rng.normal(size=3)
    x = by_scipy(C)

    def total(c: Any, s: Any) -> Any:
        found = root_scalar(lambda x, c: f(s * x, c), (c,), method, **start(method))
        return likewise.array_namespace(found.root).sum(found.root * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.0))
    near(lib, by_c, cotangent / fprime(x, C), 1e-8)
    near(lib, by_s, -np.sum(cotangent * x), 1e-8)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "nothing": (lambda: root_scalar(f), ArgumentError, "bracket or x0 is needed"),
    "method": (
        lambda: root_scalar(f, (C,), "brent", (0.0, 1.0)),
        ArgumentError,
        "'bisect', 'brentq', 'brenth', 'chandrupatla', 'newton', 'secant', 'halley'",
    ),
    "no bracket": (lambda: root_scalar(f, (C,), "brentq", x0=1.0), ArgumentError, "needs bracket"),
    "no start": (
        lambda: root_scalar(f, (C,), "newton", (0.0, 1.0)),
        ArgumentError,
        "needs x0, got None",
    ),
    "fprime": (lambda: root_scalar(f, (C,), x0=1.0, fprime=3), ArgumentError, "fprime must be"),
    "one value": (
        lambda: root_scalar(f, (C,), x0=1.0, fprime=True),
        ArrayTypeError,
        "must return a tuple of its value and 1 derivative, got",
    ),
    "xtol": (
        lambda: root_scalar(f, (C,), x0=1.0, xtol="a"),
        ArgumentError,
        "xtol must be a number",
    ),
    "maxiter": (
        lambda: root_scalar(f, (C,), x0=1.0, maxiter=-1),
        ArgumentError,
        "maxiter must be an integer",
    ),
    "complex": (lambda: root_scalar(f, (C,), x0=1j), DtypeError, "'x0' must hold real"),
    "mixed": (
        lambda: root_scalar(f, (C,), x0=strict.asarray(1.0)),
        MixedLibrariesError,
        r"root_scalar: .*argument 'x0' is a strict",
    ),
    "words": (
        lambda: root_scalar(f, (C,), x0="a"),
        ArrayTypeError,
        "root_scalar: argument 'x0' must be a standard",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.full
def test_capabilities() -> None:
    for method in ("brentq", "halley"):
        record = check_function(
            lambda c, method=method: root_scalar(f, (c,), method, **start(method)).root,
            C,
            reference=lambda c: by_scipy(C),
            compile="the iterations look at values",
            scalars=2,
            per="iteration",
            interpreted=True,
            name=f"likewise.optimize.root_scalar({method})",
        )
        assert record.cells["numpy"]["eager"].status == "yes"


@pytest.mark.parametrize("method", sorted(BRACKETED))
def test_a_bracket_without_a_change_of_sign(lib: Any, method: str) -> None:
    """One problem: an error, as SciPy's; many: a status."""

    def square(x: Any) -> Any:
        return x * x + 1.0

    ends = lib.asarray(0.0), lib.asarray(2.0)
    if is_concrete(ends[0]) and not lib.jit:
        with pytest.raises(ArgumentError, match=r"must have different signs.*bracket_root"):
            root_scalar(square, bracket=ends, method=method)
    many = root_scalar(square, bracket=(lib.asarray([0.0, 1.0]), 2.0), method=method)
    assert lib.to_numpy(many.status).tolist() == [-1, -1]


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
@pytest.mark.parametrize("method", ["ridder", "toms748", "BrentQ"])
def test_the_result_in_scipys_words(lib: Any, method: str) -> None:
    """Names of SciPy's methods, an array for the bracket, options, and what the result says."""
    ends = lib.asarray([0.0, 3.0])
    rtol = 1e-12 if lib.has_float64 else 1e-6
    found = root_scalar(lambda x: x**3 - 2, method=method, bracket=ends, options={"rtol": rtol})
    near(lib, found.root, np.cbrt(2.0))
    assert found.flag == "converged"
    if not (lib.jit or lib.replayed):  # a compiled function keeps the arrays alone
        assert found.method == method.lower()
        assert ("chandrupatla" in found.note) == (method != "BrentQ")
    assert found["method"] in str(found)
    few = root_scalar(lambda x: x**3 - 2, method=method, bracket=ends, options={"maxiter": 1})
    assert few.flag == "convergence error"


def test_options_that_are_none_warn(capsys: Any) -> None:
    def call(**options: Any) -> Any:
        return root_scalar(lambda x: x - 1.0, bracket=(0.0, 3.0), options=options)

    with pytest.warns(OptimizeWarning, match="unknown option 'xatol'"):
        call(xatol=1)
    call(disp=True)
    assert "converged" in capsys.readouterr().out


@pytest.mark.parametrize("number", [int, float, np.float64])
def test_functions_that_return_numbers(number: Any) -> None:
    """One point at a time, which is hashable, as SciPy's are."""
    seen: dict[Any, Any] = {}

    def step(x: Any) -> Any:
        return seen.setdefault(x, number(1 if x > 1 else -1))

    found = root_scalar(step, bracket=(0.0, 3.0))
    assert abs(float(found.root) - 1) < 1e-11
    assert len(seen) == int(found.function_calls)


@pytest.mark.parametrize("x0", [1.0, -1.0, 0.0, 5.0])
def test_secant_from_one_point_visits_scipys(x0: float) -> None:
    seen: list[float] = []

    def fun(x: Any) -> Any:
        seen.extend(np.ravel(x).tolist())
        return x**3 + x - 5

    root_scalar(fun, x0=x0, method="secant")
    ours = seen[:3]
    seen.clear()
    scipy.optimize.root_scalar(fun, x0=x0, method="secant")
    np.testing.assert_allclose(ours, seen[:3], rtol=1e-9)


def test_secant_from_points_whose_sum_overflows() -> None:
    found = root_scalar(lambda x: x / 1e308 - 1, x0=1.2e308, x1=1.5e308, method="secant")
    assert bool(found.converged)
    np.testing.assert_allclose(found.root, 1e308, rtol=1e-12)


def test_short_steps_of_the_secant_method_are_no_root(lib: Any) -> None:
    """Beside a value that is huge; SciPy takes them for convergence where it began."""

    def fun(x: Any) -> Any:
        return likewise.array_namespace(x).exp(10.0 * x) - 1

    found = root_scalar(fun, x0=lib.asarray([-0.45, -0.01]), x1=lib.asarray([4.0, 0.01]))
    assert lib.to_numpy(found.converged).tolist() == [False, True]
    np.testing.assert_allclose(lib.to_numpy(found.root)[1], 0.0, atol=1e-6)


@pytest.mark.parametrize("method", ["brentq", "brenth", "bisect", "chandrupatla"])
def test_ends_of_one_sign_are_looked_at_once(method: str) -> None:
    calls = []

    def positive(x: Any) -> Any:
        calls.append(float(x))
        return x * x + 1.0

    with pytest.raises(ArgumentError, match=r"must have different signs, got one sign at -1.0"):
        root_scalar(positive, bracket=(-1.0, 2.0), method=method)
    assert sorted(calls) == [-1.0, 2.0]
