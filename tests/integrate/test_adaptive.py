"""Adaptive integrals against SciPy's and closed forms."""

import math
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
import scipy.special as ss

import likewise
from likewise import array_namespace, is_lazy, transforms
from likewise.errors import ArgumentError, IntegrationWarning, ShapeError
from likewise.integrate import quad
from likewise.interop import to_numpy

from .closeness import near

PI = math.pi
C = np.asarray([0.5, 1.0, 3.0])


def decay(x: Any, c: Any) -> Any:
    return array_namespace(x).exp(-c * x)


# D. K. Kahaner, in J. R. Rice (ed.), Mathematical Software, 1971.
KAHANER: list[tuple[Any, float, float]] = [
    (np.exp, 0.0, 1.0),
    (lambda x: np.where(x > 0.3, 1.0, 0.0), 0.0, 1.0),
    (np.sqrt, 0.0, 1.0),
    (lambda x: 23 / 25 * np.cosh(x) - np.cos(x), -1.0, 1.0),
    (lambda x: 1 / (x**4 + x**2 + 0.9), -1.0, 1.0),
    (lambda x: np.sqrt(x**3), 0.0, 1.0),
    (lambda x: 1 / np.sqrt(x), 0.0, 1.0),
    (lambda x: 1 / (1 + x**4), 0.0, 1.0),
    (lambda x: 2 / (2 + np.sin(10 * PI * x)), 0.0, 1.0),
    (lambda x: 1 / (1 + x), 0.0, 1.0),
    (lambda x: 1 / (1 + np.exp(x)), 0.0, 1.0),
    (lambda x: x / np.expm1(x), 0.0, 1.0),
    (lambda x: np.sin(100 * PI * x) / (PI * x), 0.1, 1.0),
    (lambda x: np.sqrt(50) * np.exp(-50 * PI * x**2), 0.0, 10.0),
    (lambda x: 25 * np.exp(-25 * x), 0.0, 10.0),
    (lambda x: 50 / (PI * (2500 * x**2 + 1)), 0.0, 10.0),
    (lambda x: 50 * (np.sin(50 * PI * x) / (50 * PI * x)) ** 2, 0.01, 1.0),
    (
        lambda x: np.cos(
            np.cos(x) + 3 * np.sin(x) + 2 * np.cos(2 * x) + 3 * np.sin(2 * x) + 3 * np.cos(3 * x)
        ),
        0.0,
        PI,
    ),
    (np.log, 0.0, 1.0),
    (lambda x: 1 / (x**2 + 1.005), -1.0, 1.0),
    (
        lambda x: sum(np.cosh(10**i * (x - 0.2 * i)) ** (-2.0 * i) for i in (1, 2, 3)),
        0.0,
        1.0,
    ),
]


@pytest.mark.parametrize("number", range(1, 22))
def test_kahaner(number: int) -> None:
    fun, a, b = KAHANER[number - 1]
    ends = np.asarray([a, a]), np.asarray([b, b])
    y, error, told = quad(fun, *ends, full_output=True, epsabs=1e-9, epsrel=1e-9)
    theirs = si.quad(fun, a, b, full_output=1, epsabs=1e-9, epsrel=1e-9)
    near_by = {"points": [0.3]} if number == 2 else {}
    exact = si.quad(fun, a, b, epsabs=1e-13, epsrel=1e-13, limit=400, **near_by)[0]
    assert np.all(told["ier"] == 0) and y[0] == y[1]
    assert abs(y[0] - exact) <= max(error[0], 4e-16 * abs(exact))
    assert abs(y[0] - theirs[0]) <= error[0] + theirs[1]
    # At a jump the table of extrapolation ends otherwise.
    assert told["neval"][0] <= theirs[2]["neval"] * (1.25 if number == 2 else 1)


def genz(kind: str, a: Any, u: Any) -> tuple[Any, Any]:
    """A family of A. C. Genz on [0, 1], and its integrals."""
    if kind == "oscillatory":
        return (
            lambda x, a, u: np.cos(2 * PI * u + a * x),
            (np.sin(2 * PI * u + a) - np.sin(2 * PI * u)) / a,
        )
    if kind == "product peak":
        return (
            lambda x, a, u: 1 / (a**-2.0 + (x - u) ** 2),
            a * (np.arctan(a * (1 - u)) + np.arctan(a * u)),
        )
    if kind == "corner peak":
        return lambda x, a, u: (1 + a * x) ** -2, 1 / (1 + a)
    if kind == "gaussian":
        scale = np.sqrt(PI) / (2 * a)
        return (
            lambda x, a, u: np.exp(-((a * (x - u)) ** 2)),
            scale * (ss.erf(a * (1 - u)) + ss.erf(a * u)),
        )
    if kind == "continuous":
        exact = (2 - np.exp(-a * u) - np.exp(-a * (1 - u))) / a
        return lambda x, a, u: np.exp(-a * np.abs(x - u)), exact
    return lambda x, a, u: np.where(x > u, 0.0, np.exp(a * x)), np.expm1(a * u) / a


KINDS = ("oscillatory", "product peak", "corner peak", "gaussian", "continuous", "discontinuous")


@pytest.mark.parametrize("kind", KINDS)
def test_genz(kind: str) -> None:
    rng = np.random.default_rng(5)
    a, u = rng.uniform(1.0, 30.0, 200), rng.uniform(0.05, 0.95, 200)
    fun, exact = genz(kind, a, u)
    y, error, told = quad(fun, 0.0, 1.0, args=(a, u), full_output=True, epsabs=0, epsrel=1e-9)[:3]
    theirs = [
        si.quad(fun, 0, 1, pair, full_output=1, epsabs=0, epsrel=1e-9)
        for pair in zip(a, u, strict=True)
    ]
    least = 0.99
    if "continuous" in kind:  # extrapolation misjudges kinks and jumps within, SciPy's as often
        least = right(exact, np.asarray([v[0] for v in theirs]), [v[1] for v in theirs]) - 0.02
    assert right(exact, y, error) >= least
    if "continuous" not in kind:
        assert np.mean(told["ier"] == 0) >= 0.99
    assert np.sum(told["neval"]) <= 1.01 * sum(v[2]["neval"] for v in theirs)


def right(exact: Any, y: Any, error: Any) -> float:
    """The share of results whose error is at most the estimate, or rounding."""
    return float(np.mean(np.abs(y - exact) <= np.maximum(error, 4e-16 * np.abs(exact))))


def test_quad_of_a_batch(xp: Any) -> None:
    c, b = xp.asarray(C), xp.asarray(np.asarray([[1.0], [2.0]]))
    y, error = quad(decay, 0.0, b, args=(c,))
    near(xp, y, (1 - np.exp(-C * np.asarray([[1.0], [2.0]]))) / C)
    assert error.shape == (2, 3)
    y, _ = quad(decay, b, 0.0, args=(c,))
    near(xp, y, (np.exp(-C * np.asarray([[1.0], [2.0]])) - 1) / C)


def test_quad_of_one_problem(xp: Any) -> None:
    b = xp.asarray(np.asarray(2.0))
    y, _ = quad(decay, 0.0, b, args=(1.5,))
    near(xp, y, (1 - np.exp(-np.asarray(3.0))) / 1.5)
    y, _ = quad(lambda x: x * 0 + 2.0, 0, b)
    near(xp, y, np.asarray(4.0))


def test_quad_that_is_bisected(xp: Any, once: bool, leave_out: Any) -> None:
    leave_out("long", once or xp.variant.library == "jax")  # test_derivatives compiles it once
    leave_out("float64", not xp.variant.has_float64)
    b = xp.asarray(np.asarray([1.0, 4.0]))
    y, _ = quad(lambda x: array_namespace(x).log(x), 0.0, b)
    near(xp, y, np.asarray([-1.0, 4 * math.log(4.0) - 4]))
    y, _ = quad(decay, 0.0, math.inf, args=(b,))
    near(xp, y, np.asarray([1.0, 0.25]), rtol=1e-9)
    y, _ = quad(lambda x: array_namespace(x).exp(-x * x), -math.inf, b * math.inf)
    near(xp, y, np.asarray([PI**0.5] * 2), rtol=1e-9)


@pytest.mark.parametrize("a", [-math.inf, 0.5, math.inf])
@pytest.mark.parametrize("b", [-math.inf, 0.5, math.inf])
def test_infinite_limits(a: float, b: float) -> None:
    def bell(x: Any, c: Any) -> Any:
        return np.exp(-c * (x - 0.3) ** 2)

    y, error = quad(bell, a, np.asarray([b, b]), args=(np.asarray([1.0, 2.0]),))
    for i, c in enumerate((1.0, 2.0)):
        want = si.quad(bell, a, b, (c,), epsabs=1e-12)[0] if a != b else 0.0
        assert abs(y[i] - want) <= max(1e-11, error[i])


def test_more_problems_than_a_piece() -> None:
    c = np.linspace(0.5, 3.0, 2500)
    y, error, told = quad(decay, 0.0, np.ones(2500), (c,), True, epsabs=1e-13, epsrel=1e-13)
    assert np.allclose(y, -np.expm1(-c) / c, rtol=1e-14, atol=0)
    assert error.shape == told["neval"].shape == (2500,)


def test_mixed_limits_and_alone() -> None:
    a, b = np.asarray([0.0, -np.inf, 0.0, 1.0]), np.asarray([1.0, 0.0, np.inf, 1.0])
    y, _ = quad(lambda x: 1 / (1 + x * x), a, b)
    assert np.allclose(y, [PI / 4, PI / 2, PI / 2, 0.0], rtol=1e-9)
    y, _ = quad(np.log, np.asarray(0.0), 1.0)
    assert abs(y + 1) < 1e-13


def test_points() -> None:
    fun = KAHANER[1][0]
    y, error, told = quad(fun, np.zeros(2), np.asarray([1.0, 0.2]), points=[0.3], full_output=True)
    assert np.allclose(y, [0.7, 0.0], atol=1e-15) and np.all(error < 1e-13)
    assert np.all(told["neval"] == 42)
    y, _ = quad(fun, 1.0, np.zeros(1), points=[0.3])
    assert np.allclose(y, -0.7)
    with pytest.raises(ArgumentError, match="points need finite limits"):
        quad(fun, 0.0, np.asarray([np.inf]), points=[0.3])


def test_numbers_are_given_to_scipy() -> None:
    y, error = quad(math.exp, 0.0, 1.0)
    assert (y, error) == si.quad(math.exp, 0.0, 1.0)
    assert likewise.explain(quad, math.exp, 0.0, 1.0).routine.endswith("_integrals:quad")
    y, _ = quad(lambda x, c: c * x, 0, 2, args=(3,))
    assert abs(y - 6) < 1e-14
    y, _ = quad(np.exp, 0.0, 1.0)
    assert abs(y - math.e + 1) < 1e-14
    y, _ = quad(lambda x: np.exp(1j * x), 0.0, PI, complex_func=True)
    assert abs(y - 2j) < 1e-13


def test_what_does_not_converge() -> None:
    with pytest.warns(IntegrationWarning, match="1 of 2 integrals"):
        quad(lambda x, c: x**-c, 0.0, 1.0, args=(np.asarray([0.5, 1.0]),))
    y, _, told, text = quad(
        lambda x, c: x**-c, 0.0, 1.0, args=(np.asarray([0.5, 1.0]),), full_output=True
    )
    assert told["ier"][0] == 0 and told["ier"][1] in (1, 5) and "integrals did not" in text
    assert abs(y[0] - 2) < 1e-12
    with pytest.warns(IntegrationWarning, match="limit"):
        quad(lambda x: np.cos(300 * x), np.asarray([0.0]), 10.0, limit=3)
    with pytest.warns(IntegrationWarning):
        quad(lambda x: 1 / x, 0.0, 1.0)
    found = quad(lambda x: x * np.nan, np.zeros(2), 1.0, full_output=True)
    assert np.all(np.isnan(found[0])) and np.all(found[2]["ier"] == 6)


def test_errors(xp: Any) -> None:
    b = xp.asarray(np.asarray([1.0, 2.0]))
    if not is_lazy(b):
        with pytest.raises(ShapeError, match="last axis are the nodes"):
            quad(lambda x: x[..., 0], 0.0, b)
    with pytest.raises(ArgumentError, match="raise one of them"):
        quad(lambda x: x, 0.0, b, epsabs=0, epsrel=1e-30)
    with pytest.raises(ArgumentError, match="limit"):
        quad(lambda x: x, 0.0, b, limit=0)
    for option, value in (("epsabs", "a"), ("epsrel", 1j), ("epsabs", [1.0])):
        for end in (b, 1.0):
            with pytest.raises(ArgumentError, match=f"{option} must be a real number"):
                quad(lambda x: x, 0.0, end, **{option: value})


def test_a_singularity_at_a_node() -> None:
    """0 is a node of the rule for all numbers, not of those of SciPy."""

    def fun(x: Any) -> Any:
        return np.exp(-abs(x)) / np.sqrt(abs(x))

    a, b = np.asarray([0.0, -np.inf, -1.0]), np.asarray([1.0, np.inf, 0.0])
    root = math.sqrt(math.pi)
    want = np.asarray([root * math.erf(1.0), 2 * root, root * math.erf(1.0)])
    for some in (slice(0, 3), slice(1, 2)):
        y, error, told = quad(fun, a[some], b[some], full_output=True)
        assert np.all(told["ier"] == 0) and np.all(abs(y - want[some]) <= error)
    y, _, told, _ = quad(lambda x: np.where(abs(x) < 3, np.nan, x), a, b, full_output=True)
    assert np.all(told["ier"] == 6)


def test_one_point() -> None:
    y, _ = quad(lambda x: abs(x - 0.5), 0.0, 1.0, points=0.5)
    assert abs(y - 0.25) < 1e-15


@pytest.mark.parametrize(
    "library",
    [
        *(n for n in ("numpy", "torch") if find_spec(n)),
        *([pytest.param("jax", marks=pytest.mark.full)] if find_spec("jax") else []),
    ],
)
def test_derivatives(library: str) -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=2)
    given = [np.asarray(v) for v in ([0.2, 0.1], [1.7, 1.2], [1.1, 0.4], [9.0, 2.0])]

    def area(a: Any, b: Any, c: Any, k: Any) -> Any:
        """With a parameter that is given, and one that is closed over."""
        first = k[0] if k.ndim else k

        def fun(x: Any, c: Any) -> Any:
            xp = array_namespace(x)
            return xp.exp(-c * x) * xp.cos(first * x)

        y, _ = quad(fun, a, b, args=(c,), epsabs=1e-12, epsrel=1e-12)
        return y

    def total(*given: Any) -> Any:
        y = area(*given)
        xp = array_namespace(y)
        return xp.sum(y * xp.asarray(weights, dtype=y.dtype))

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2, 3))(*ours)
    for i, part in enumerate(found):
        for j in range(2):
            step = np.zeros(2)
            step[j] = 1e-6
            more = [v + step if n == i else v for n, v in enumerate(given)]
            less = [v - step if n == i else v for n, v in enumerate(given)]
            slope = (total(*more) - total(*less)) / 2e-6
            assert abs(to_numpy(part)[j] - slope) < 1e-7


def test_second_derivative_in_a_limit() -> None:
    slope = transforms.grad(lambda b: quad(lambda x, c: np.exp(-c * x), 0.0, b, args=(2.0,))[0])
    assert abs(slope(np.asarray(0.7)) - math.exp(-1.4)) < 1e-12
    assert abs(transforms.grad(slope)(np.asarray(0.7)) + 2 * math.exp(-1.4)) < 1e-12


@pytest.mark.parametrize("ends", [(0.0, 1.3), (-0.5, np.inf), (-np.inf, 0.2), (-np.inf, np.inf)])
@pytest.mark.parametrize("count", [12, 60])
def test_lanes_that_end_at_once_and_others(ends: Any, count: int) -> None:
    """Smooth ones beside peaks: both the few that are integrated one by one, and many."""
    rng = np.random.default_rng(count)
    widths = np.where(rng.random(count) < 0.5, 1.0, 10.0 ** rng.uniform(-3, -1, count))
    places = rng.uniform(0.1, 0.4, count)
    tried = []

    def fun(x: Any, w: Any, c: Any) -> Any:
        tried.append(np.shape(x))
        return np.exp(-x * x) / (w * w + (x - c) ** 2)

    y, error, told = quad(fun, *ends, (widths, places), True)
    assert (() in tried) == (count == 12)
    for i in range(count):
        want, theirs, more = si.quad(fun, *ends, (widths[i], places[i]), True)
        assert abs(y[i] - want) <= error[i] + theirs and told["ier"][i] == 0
        if np.isfinite(ends).any():  # of both infinite ends SciPy maps each half to itself
            assert told["neval"][i] == more["neval"] and told["last"][i] == more["last"]


def test_functions_that_take_no_numbers() -> None:
    c = np.asarray([0.2, 0.7, 3.0])
    y, error = quad(lambda x, c: np.sqrt(abs(x - c)).reshape(x.shape), 0.0, 1.0, (c,))
    inside = np.minimum(c, 1.0)
    want = (inside**1.5 + np.maximum(1 - c, 0) ** 1.5) * 2 / 3
    want[2] = (3**1.5 - 2**1.5) * 2 / 3
    assert np.all(abs(y - want) <= error + 1e-15)
    numbers = quad(lambda x, c: 1 / (x - c), 0.0, 1.0, (np.asarray([0.5, 2.0]),), True)
    assert numbers[2]["ier"][0] == 6 and np.isclose(numbers[0][1], -np.log(2.0))


@pytest.mark.parametrize("kind", [float, int, np.float64])
def test_numbers_of_every_kind(kind: Any) -> None:
    found = quad(lambda x, c: c * x * x, kind(0), kind(2), args=(kind(3),))
    assert abs(found[0] - 8) < 1e-12 and type(found[0]) is type(found[1]) is np.float64
    assert quad(lambda x, c: c * x * x, kind(0), kind(2), kind(3), True)[2]["neval"] == 21
    with likewise.trace_native() as log:
        quad(lambda x, c: c * x * x, kind(0), kind(2), args=(kind(3),))
    assert log[-1].routine.endswith("_integrals:quad")
    with likewise.use("numpy", dtype="float32"):
        assert quad(np.exp, 0.0, 1.0)[0].dtype == np.float32


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, _ = quad(lambda x: 1 / np.sqrt(x), np.zeros(3), np.asarray([1.0, 4.0, 9.0]))
    assert np.allclose(y, [2.0, 4.0, 6.0], rtol=1e-12)
    y, error = quad(decay, np.zeros((0,)), 1.0, args=(1.0,))
    assert y.shape == error.shape == (0,)
