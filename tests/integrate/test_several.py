"""Integrals over several variables against SciPy's and closed forms."""

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

import likewise
from likewise import array_namespace, is_lazy, transforms
from likewise.errors import ArgumentError, IntegrationWarning, ShapeError
from likewise.integrate import dblquad, nquad, tplquad
from likewise.interop import to_numpy

from .closeness import near

C = np.asarray([0.5, 1.0, 3.0])


def bell(y: Any, x: Any, c: Any) -> Any:
    return array_namespace(y).exp(-c * x * y)


def test_dblquad(xp: Any) -> None:
    c, b = xp.asarray(C), xp.asarray(np.asarray([[1.0], [2.0]]))
    y, error = dblquad(bell, 0.0, b, lambda x: x / 2, lambda x: 1 + x, args=(c,))
    want = [
        [si.dblquad(bell, 0.0, e, lambda x: x / 2, lambda x: 1 + x, args=(k,))[0] for k in C]
        for e in (1.0, 2.0)
    ]
    near(xp, y, np.asarray(want))
    assert error.shape == (2, 3)


def test_tplquad(xp: Any) -> None:
    b = xp.asarray(np.asarray(1.5))
    y, _ = tplquad(
        lambda z, y, x: x + y * z, 0.0, b, 0.0, lambda x: x, lambda x, y: y, lambda x, y: x + y
    )
    want, _ = si.tplquad(
        lambda z, y, x: x + y * z, 0.0, 1.5, 0.0, lambda x: x, lambda x, y: y, lambda x, y: x + y
    )
    near(xp, y, np.asarray(want))


def test_nquad(xp: Any) -> None:
    c = xp.asarray(C)
    tops = xp.asarray(np.asarray([1.0, 2.0, 0.5]))
    y, error = nquad(bell, [(0.0, tops), (1.0, 2.0)], args=c)
    want = [
        si.nquad(bell, [(0.0, e), (1.0, 2.0)], args=(k,))[0]
        for e, k in zip([1.0, 2.0, 0.5], C, strict=True)
    ]
    near(xp, y, np.asarray(want))
    assert error.shape == (3,)


def test_options_of_each_variable() -> None:
    def jump(x: Any, y: Any) -> Any:
        return np.where(x > y, 1.0, 0.0) + x * y

    opts = [lambda y: {"points": [y], "epsabs": 1e-12}, {"epsrel": 1e-10}]
    y, error, told = nquad(jump, [(0.0, 1.0), (0.2, 0.7)], opts=opts, full_output=True)
    assert abs(y - (0.55 * 0.5 + 0.5 * (0.49 - 0.04) / 2)) < 1e-13 and error < 1e-12
    assert told["neval"] == 2 * 21 * 21
    theirs = si.nquad(jump, [(0.0, 1.0), (0.2, 0.7)], opts=opts, full_output=True)
    assert told["neval"] <= theirs[2]["neval"]


def test_infinite_ranges() -> None:
    y, error = dblquad(lambda y, x: np.exp(-x * x - y * y), -np.inf, np.inf, 0.0, np.inf)
    assert abs(y - math.pi / 2) <= error
    y, _ = dblquad(lambda y, x: 1 / np.sqrt(x * y), 0.0, 1.0, 0.0, lambda x: x)
    assert abs(y - 2.0) < 1e-9


def test_functions_of_numbers() -> None:
    def scalar(y: float, x: float) -> float:
        return math.exp(-x * y) if y >= 0.0 else 0.0

    assert dblquad(scalar, 0.0, 1.0, 0.0, math.sqrt) == pytest.approx(
        si.dblquad(scalar, 0.0, 1.0, 0.0, math.sqrt), rel=1e-13
    )
    y, _, told = nquad(lambda *x: 1.0, [(0, 1), (0, 2), (0, 3)], full_output=True)
    assert abs(y - 6) < 1e-13 and told["neval"] == 21**3


def test_what_does_not_converge() -> None:
    with pytest.warns(IntegrationWarning, match="nquad"):
        nquad(lambda x, y: 1 / x + y, [(0.0, np.asarray([1.0])), (0.0, 1.0)])
    with pytest.warns(IntegrationWarning, match="dblquad"):
        dblquad(lambda y, x: 1 / y if y else 0.0, 0.0, 1.0, 0.0, 1.0)


def test_a_problem_that_is_not_finite_harms_no_other() -> None:
    c = np.asarray([1.0, np.nan, 2.0])
    with pytest.warns(IntegrationWarning, match="not finite"):
        y, error = dblquad(lambda y, x, c: c * x * y, 0.0, 1.0, lambda x: x, lambda x: 2 * x, (c,))
    assert np.allclose(y, 0.375 * c, rtol=1e-12, equal_nan=True)
    assert np.all(np.isnan(error) == np.isnan(c)) and np.nanmax(error) < 1e-12


def test_errors(xp: Any) -> None:
    b = xp.asarray(np.asarray([1.0, 2.0]))
    if not is_lazy(b):
        with pytest.raises(ShapeError, match="last axis are the nodes"):
            dblquad(lambda y, x: y[..., 0], 0.0, b, 0.0, 1.0)
    with pytest.raises(ArgumentError, match="ranges must have"):
        nquad(lambda x: x, [])
    with pytest.raises(ArgumentError, match=r"ranges\[0\] must be a pair"):
        nquad(lambda x, y: x, [3.0, (0.0, b)])
    with pytest.raises(ArgumentError, match="none of"):
        nquad(lambda x: x, [(0.0, b)], opts={"eps": 1})
    with pytest.raises(ArgumentError, match="one entry for each"):
        nquad(lambda x: x, [(0.0, b)], opts=[{}, {}])


def test_no_problems() -> None:
    y, error = dblquad(bell, 0.0, np.zeros((0,)), 0.0, 1.0, args=(1.0,))
    assert y.shape == error.shape == (0,)


@pytest.mark.parametrize(
    "library",
    [
        "numpy",
        *(["torch"] if find_spec("torch") else []),
        *([pytest.param("jax", marks=pytest.mark.full)] if find_spec("jax") else []),
    ],
)
def test_derivatives(library: str) -> None:
    given = [np.asarray(v) for v in ([0.2, 0.1], [0.7, 1.1], [1.1, 0.4], [0.3, 2.0])]
    weights = np.asarray([0.8, -1.3])

    def total(b: Any, top: Any, c: Any, k: Any) -> Any:
        """With limits, a parameter that is given, and one that is closed over."""

        def fun(y: Any, x: Any, c: Any, top: Any) -> Any:
            return array_namespace(y).exp(-c * x * y) * (x + k[0])

        ranges = [lambda x, c, top: (0.0, x * x + top), (0.0, b)]
        y = nquad(fun, ranges, args=(c, top))[0]
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
