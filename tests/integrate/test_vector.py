"""Integrals of functions with arrays as values, against SciPy's and closed forms."""

import importlib
import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

import likewise
from likewise import array_namespace, integrate, transforms
from likewise.errors import ArgumentError, ShapeError
from likewise.integrate import quad_vec
from likewise.interop import to_numpy

from .closeness import near
from .test_adaptive import KAHANER

POWERS = np.asarray([0.0, 0.5, 1.0, 3.0])


def bell(x: float) -> Any:
    return np.exp(-(1 + POWERS) * x * x) * np.sqrt(abs(x))


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (0, 2, {}),
        (2.0, 0.0, {}),
        (0, np.inf, {}),
        (np.inf, 0.5, {}),
        (-np.inf, 0.5, {"norm": "max"}),
        (0, 3, {"points": [0.5, 1.0, 7.0]}),
        (0, np.inf, {"points": [1.0]}),
        (0, 1, {"norm": lambda v: np.max(np.abs(v))}),
        (0, 1, {"quadrature": "gk15"}),
        (0, 1, {"quadrature": "trapezoid", "epsrel": 1e-3}),
        (0, 2, {"limit": 3}),
    ],
)
def test_against_scipy(a: Any, b: Any, options: Any) -> None:
    y, error, told = quad_vec(bell, a, b, full_output=True, **options)
    theirs, their_error, info = si.quad_vec(bell, a, b, full_output=True, **options)
    assert np.allclose(y, theirs, rtol=1e-12, atol=1e-13)
    assert abs(error - their_error) <= 1e-3 * their_error + 1e-12
    assert told.status == info.status and told.success is info.success
    if options.get("quadrature") != "trapezoid":
        assert told.neval <= info.neval
    assert told.intervals.shape == (len(told.errors), 2)
    assert np.allclose(np.sum(told.integrals, axis=0), y, rtol=1e-12)


def test_all_numbers() -> None:
    for a, b, want in ((-np.inf, np.inf, math.pi), (np.inf, -np.inf, -math.pi)):
        y, error = quad_vec(lambda x: 1 / (1 + x * x), a, b)
        assert abs(y - want) <= max(error, 1e-14)
    assert quad_vec(lambda x: 1 / (1 + x * x), np.inf, np.inf)[0] == 0


@pytest.mark.parametrize("number", range(1, 22))
def test_kahaner(number: int) -> None:
    fun, a, b = KAHANER[number - 1]
    y, error, told = quad_vec(fun, a, b, epsrel=1e-7, full_output=True)
    *_, info = si.quad_vec(fun, a, b, epsrel=1e-7, full_output=True)
    near_by = {"points": [0.3]} if number == 2 else {}
    exact = si.quad(fun, a, b, epsabs=1e-13, epsrel=1e-13, limit=400, **near_by)[0]
    assert told.status == 0 and told.neval <= info.neval
    assert abs(y - exact) <= max(error, 4e-16 * abs(exact))


def test_values() -> None:
    y, _ = quad_vec(lambda x: np.exp(1j * x) * np.ones((2, 3)), 0, math.pi)
    assert np.allclose(y, 2j * np.ones((2, 3)), rtol=1e-13, atol=1e-13)
    y, _, told = quad_vec(lambda x: np.ones((3, 2, 1), int), 0, 1, full_output=True)
    assert y.shape == (3, 2, 1) and np.allclose(y, 1.0, rtol=1e-14)
    assert told.integrals.shape[1:] == (3, 2, 1)
    y, _ = quad_vec(lambda x, c: c * x, np.float32(0), np.float32(2), args=(np.float32(3),))
    assert abs(y - 6) < 1e-5
    y, error = quad_vec(lambda x: np.zeros((0, 2)), 0, 1)
    assert y.shape == (0, 2) and error == 0


def test_of_libraries(xp: Any, leave_out: Any) -> None:
    leave_out("lazy", likewise.is_lazy(xp.asarray(POWERS)))
    leave_out("float64", not xp.variant.has_float64)
    c = xp.asarray(POWERS)

    def decay(x: Any, c: Any) -> Any:
        return array_namespace(x, c).exp(-(1 + c) * x)

    y, _ = quad_vec(decay, xp.asarray(np.asarray(0.0)), 2.0, args=(c,))
    near(xp, y, (1 - np.exp(-2 * (1 + POWERS))) / (1 + POWERS))


def test_what_does_not_converge() -> None:
    *_, told = quad_vec(lambda x: np.nan, 0, 1, full_output=True)
    assert told.status == 3 and "finite" in told.message and told.success is False
    *_, told = quad_vec(lambda x: np.cos(900 * x), 0, 1, limit=4, full_output=True)
    assert told.status == 1 and len(told.errors) == 4
    for module in (integrate, si):
        *_, told = module.quad_vec(np.sqrt, 0, 1, epsrel=1e-14, limit=60, full_output=True)
        assert told.status != 0 and not told.success


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="quadrature"):
        quad_vec(bell, 0, 1, quadrature="gk9")
    with pytest.raises(ArgumentError, match="norm"):
        quad_vec(bell, 0, 1, norm="1")
    with pytest.raises(ValueError, match="NaN"):
        quad_vec(bell, 0, np.nan)
    with pytest.raises(ShapeError, match="must be a number"):
        quad_vec(bell, np.zeros(2), 1)
    with pytest.raises(ShapeError, match="one shape"):
        quad_vec(lambda x: np.ones(2 if x < 0.5 else 3), 0, 1)


@pytest.mark.parametrize(
    "library",
    [
        *(n for n in ("numpy", "torch") if find_spec(n)),
        *([pytest.param("jax", marks=pytest.mark.full)] if find_spec("jax") else []),
    ],
)
def test_derivatives(library: str) -> None:
    weights = np.asarray([0.7, -1.3])
    given = [np.asarray(v) for v in (0.2, 1.7, [1.1, 9.0], 3.0)]

    def total(a: Any, b: Any, c: Any, k: Any) -> Any:
        def fun(x: Any, c: Any) -> Any:
            xp = array_namespace(x)
            return xp.exp(-c * x) * xp.cos(x * k)

        y, _ = quad_vec(fun, a, b, args=(c,), epsrel=1e-11)
        return array_namespace(y).sum(y * likewise.asarray(weights, namespace=library))

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2, 3))(*ours)
    for i, part in enumerate(found):
        for j in np.ndindex(given[i].shape):
            step = np.zeros(given[i].shape)
            step[j] = 1e-6
            ends = [
                to_numpy(total(*ours[:i], likewise.asarray(v, namespace=library), *ours[i + 1 :]))
                for v in (given[i] + step, given[i] - step)
            ]
            assert abs(to_numpy(part)[j] - (ends[0] - ends[1]) / 2e-6) < 1e-7


@pytest.mark.needs("jax")
def test_in_compiled_code() -> None:
    jax = importlib.import_module("jax")
    slope = jax.jit(jax.grad(lambda b: quad_vec(lambda x: jax.numpy.sqrt(x), 0.0, b, limit=20)[0]))
    assert abs(float(slope(2.0)) - math.sqrt(2.0)) < 1e-5
