"""Brackets of roots and minima against SciPy, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize.elementwise

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.optimize import BracketResult, bracket_minimum, bracket_root, find_minimum, find_root
from likewise.testing import check_function

C = np.asarray([-30.0, -0.5, 0.4, 7.0])


def line(x: Any, c: Any) -> Any:
    return x - c


def bowl(x: Any, c: Any) -> Any:
    return (x - c) * (x - c)


def same(found: Any, expected: Any, double: bool = True) -> None:
    assert isinstance(found, BracketResult)
    np.testing.assert_array_equal(likewise.to_numpy(found.status), expected.status)
    np.testing.assert_array_equal(likewise.to_numpy(found.nfev), expected.nfev)
    np.testing.assert_array_equal(likewise.to_numpy(found.nit), expected.nit)
    for ours, theirs in ((found.bracket, expected.bracket), (found.f_bracket, expected.f_bracket)):
        for a, b in zip(ours, theirs, strict=True):
            a = likewise.to_numpy(a)
            assert a.dtype == ("float64" if double else "float32")
            np.testing.assert_allclose(a, b, rtol=1e-12 if double else 1e-5)


def test_roots_equal_scipy(lib: Any) -> None:
    c = lib.asarray(C)
    low = np.asarray([[0.0], [-1.0]])
    found = bracket_root(line, lib.asarray(low), args=(c,))
    same(found, scipy.optimize.elementwise.bracket_root(line, low, args=(C,)), lib.has_float64)
    limits = {"xmin": -40.0, "xmax": 9.0, "factor": 3.0}
    found = bracket_root(line, lib.asarray(low), 1.5, args=(c,), **limits)
    same(
        found,
        scipy.optimize.elementwise.bracket_root(line, low, 1.5, args=(C,), **limits),
        lib.has_float64,
    )


def test_minima_equal_scipy(lib: Any) -> None:
    c = lib.asarray(C)
    found = bracket_minimum(bowl, lib.asarray(0.3), args=(c,))
    same(found, scipy.optimize.elementwise.bracket_minimum(bowl, 0.3, args=(C,)), lib.has_float64)
    given = {"xl0": -0.25, "xr0": 0.5, "xmin": -31.0, "xmax": 9.0, "factor": 3.0}
    found = bracket_minimum(bowl, lib.asarray(0.25), args=(c,), **given)
    same(
        found,
        scipy.optimize.elementwise.bracket_minimum(bowl, 0.25, args=(C,), **given),
        lib.has_float64,
    )


ROOTS: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "found at once": (lambda x: x, (0.0, 1.0), {}),
    "nowhere": (lambda x: x * 0 + 1, (0.0, 1.0), {"maxiter": 3}),
    "between limits": (lambda x: x * 0 + 1, (0.0, 1.0), {"xmin": -1, "xmax": 2}),
    "turned around": (lambda x: x - 1, (1.0, 0.0), {}),
    "shorter of two": (lambda x: (x - 3.3) * (x + 1.1), (-0.5, 0.5), {}),
    "default within the limit": (lambda x: x - 0.2, (0.0,), {"xmax": 0.5}),
    "infinite value": (lambda x: np.log(x) + 30, (1.0, 2.0), {}),
    "underflow": (lambda x: np.exp(-x), (1.0, 2.0), {}),
    "NaN": (lambda x: x * np.nan, (1.0, 2.0), {}),
    "pole at the limit": (lambda x: np.log(x) + 30, (1.0, 2.0), {"xmin": 0.0}),
    "outside": (lambda x: x + 5, (1.0, 2.0), {"xmin": 1.5}),
}


@pytest.mark.parametrize("case", ROOTS)
def test_edges_of_roots_equal_scipy(case: str) -> None:
    f, args, options = ROOTS[case]
    with np.errstate(all="ignore"):
        expected = scipy.optimize.elementwise.bracket_root(f, *args, **options)
        same(bracket_root(f, *args, **options), expected)


MINIMA: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "up to a limit": (lambda x: (x - 0.99) ** 2, (0.0,), {"xmax": 1.0}),
    "flat": (lambda x: x * 0 + 1, (0.0,), {"maxiter": 3}),
    "no minimum": (lambda x: -np.exp(x), (0.0,), {}),
    "to infinity": (lambda x: -x, (0.0,), {"maxiter": 20}),
    "turned around": (lambda x: x * x, (1.0,), {"xl0": 2.0, "xr0": 3.0}),
    "given end": (lambda x: x * x, (1.0,), {"xl0": 0.5}),
    "NaN": (lambda x: x * np.nan, (1.0,), {}),
    "outside": (lambda x: x * x, (1.0,), {"xmin": 2}),
    "no iterations": (lambda x: -x, (0.0,), {"maxiter": 0}),
}


@pytest.mark.parametrize("case", MINIMA)
def test_edges_of_minima_equal_scipy(case: str) -> None:
    f, args, options = MINIMA[case]
    with np.errstate(all="ignore"):
        expected = scipy.optimize.elementwise.bracket_minimum(f, *args, **options)
        same(bracket_minimum(f, *args, **options), expected)


@pytest.mark.parametrize("ends", [(0.5, 2.0), (2.0, 0.5)])
def test_a_value_that_is_nan_at_the_start_is_a_status(ends: tuple[float, float]) -> None:
    """Though what is NaN has another sign than any number."""
    ours = bracket_root(lambda x: np.where(x < 1.0, np.nan, x - 9.0), min(ends), max(ends))
    other = bracket_root(lambda x: np.where(x > 1.0, np.nan, x + 9.0), min(ends), max(ends))
    assert int(ours.status) == int(other.status) == -3 and not bool(ours.success)


def test_limits_reached_are_a_status() -> None:
    for found in (
        bracket_minimum(lambda x: -x, 0.0, xmax=3.0),
        bracket_minimum(lambda x: x * x, 1.0, xmin=0.9),
    ):
        assert int(found.status) == -1 and "limits" in found.summary()


def test_equally_long_brackets_are_not_joined() -> None:
    """SciPy 1.17 returns (1.5, -1.5) here, which is no bracket."""
    found = bracket_root(lambda x: (x - 3) * (x + 3), -0.5, 0.5)
    assert [float(v) for v in found.bracket] == [-3.5, -1.5]
    assert float(found.f_bracket[0]) > 0 > float(found.f_bracket[1])


def test_brackets_lead_to_solutions(lib: Any) -> None:
    c = lib.asarray(C)
    bracket = bracket_root(line, lib.asarray(0.0), args=(c,)).bracket
    np.testing.assert_allclose(lib.to_numpy(find_root(line, bracket, args=(c,)).x), C, rtol=1e-5)
    points = bracket_minimum(bowl, lib.asarray(0.0), args=(c,)).bracket
    np.testing.assert_allclose(lib.to_numpy(find_minimum(bowl, points, args=(c,)).x), C, rtol=2e-3)


class Mine(np.ndarray):
    """An array class of a user's."""


@pytest.mark.parametrize("start", [1.0, np.asarray([1.0]), np.asarray([1.0, 0.1])])
def test_every_call_gives_arrays_of_the_library(start: Any) -> None:
    for _ in range(3):  # the third one of a kind is followed as a whole
        root = bracket_root(lambda x: np.asarray(x * x - 2).view(Mine), start, xr0=2.0)
        low = bracket_minimum(lambda x: np.asarray(x * x).view(Mine), start - start)
        found = (*root.bracket, *root.f_bracket, *low.bracket, *low.f_bracket)
        assert [type(a) for a in found] == [np.ndarray] * len(found)


def test_many_problems_are_those_one_by_one() -> None:
    c = np.linspace(-50.0, 50.0, 600)
    found = bracket_root(line, 0.0, args=(c,))
    expected = scipy.optimize.elementwise.bracket_root(line, 0.0, args=(c,))
    np.testing.assert_array_equal(found.bracket, expected.bracket)
    np.testing.assert_array_equal(found.nfev, expected.nfev)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "callable": (lambda: bracket_root(1, 0.0), TypeError, "bracket_root: .*callable"),
    "factor": (lambda: bracket_root(line, 0.0, factor=1), ArgumentError, "factor must be above 1"),
    "complex": (lambda: bracket_minimum(bowl, 1j), DtypeError, "'xm0' must hold real"),
    "shapes": (
        lambda: bracket_minimum(bowl, np.ones(3), xl0=np.ones(2)),
        ShapeError,
        r"xm0 \(3,\) and xl0 \(2,\)",
    ),
    "maxiter": (lambda: bracket_root(line, 0.0, maxiter="a"), ArgumentError, "maxiter must be"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.full
def test_capabilities() -> None:
    for function, f in ((bracket_root, line), (bracket_minimum, bowl)):
        peer = getattr(scipy.optimize.elementwise, function.__name__)
        record = check_function(
            lambda c, function=function, f=f: function(f, c * 0, args=(c,)).bracket,
            C,
            reference=lambda c, peer=peer, f=f: peer(f, c * 0, args=(c,)).bracket,
            compile="the iterations look at values",
            grad=False,
            scalars=2,
            per="iteration",
            interpreted=True,
            name=f"likewise.optimize.{function.__name__}",
        )
        assert record.cells["numpy"]["eager"].status == "yes"
