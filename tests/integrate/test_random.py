"""Integrals by quasi-random points, against closed forms."""

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, integrate, is_lazy, stats, transforms
from likewise.errors import ArgumentError, IntegerError, ShapeError
from likewise.integrate import qmc_quad
from likewise.interop import to_numpy

from .closeness import near


def bell(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.exp(-xp.sum(x * x, axis=0) / 2) / (2 * math.pi)


ONE = math.erf(1 / math.sqrt(2)) / 2


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (-1, -1)])
@pytest.mark.parametrize("source", ["halton", "sobol"])
def test_values_and_logarithms(signs: Any, source: str) -> None:
    b = np.asarray(signs, float)
    qrng = None if source == "halton" else stats.qmc.Sobol(2, key=3)
    found = qmc_quad(bell, np.zeros(2), b, n_points=256, qrng=qrng)
    want = ONE**2 * np.prod(b)
    assert abs(found.integral - want) < 4 * found.standard_error < 1e-3
    qrng = None if source == "halton" else stats.qmc.Sobol(2, key=3)
    logs = qmc_quad(lambda x: np.log(bell(x)), np.zeros(2), b, n_points=256, qrng=qrng, log=True)
    assert abs(np.exp(logs.integral) - found.integral) < 1e-14
    assert np.imag(logs.integral) == (math.pi if np.prod(b) < 0 else 0)
    assert abs(np.exp(logs.standard_error) / found.standard_error - 1) < 1e-9


def test_estimates_are_independent() -> None:
    hits = 0
    for seed in range(40):
        found = qmc_quad(bell, np.zeros(2), np.ones(2), n_points=64, key=seed)
        hits += abs(found.integral - ONE**2) < 3.5 * found.standard_error  # 99 % of Student's
    assert hits >= 37
    again = qmc_quad(bell, np.zeros(2), np.ones(2), n_points=64, key=7)
    assert again == qmc_quad(bell, np.zeros(2), np.ones(2), n_points=64, key=7)


def test_of_libraries(xp: Any, leave_out: Any) -> None:
    a = xp.asarray(np.asarray([0.0, 0.0]))
    leave_out("lazy", is_lazy(a))
    found = qmc_quad(bell, a, 1.0, n_points=64, n_estimates=4)
    near(xp, found.integral, np.asarray(ONE**2), rtol=1e-2)


def test_no_volume_and_numbers() -> None:
    for log, want in ((False, 0), (True, -math.inf)):
        with pytest.warns(UserWarning, match="equals an upper"):
            found = qmc_quad(lambda x: 1, np.asarray([0, 0]), np.asarray([0, 1]), log=log)
        assert found.integral == want and found.standard_error == 0
    assert abs(qmc_quad(lambda x: x[0, :], 0, 2, n_points=512).integral - 2) < 1e-2


@pytest.mark.parametrize("log", [False, True])
def test_the_error_of_what_is_not_finite(log: bool) -> None:
    found = qmc_quad(lambda x: x[0, :] * math.nan, np.zeros(2), np.ones(2), n_points=8, log=log)
    assert math.isnan(found.integral) and math.isnan(found.standard_error)


def test_errors() -> None:
    a, b = np.zeros(2), np.ones(2)
    with pytest.raises(TypeError, match="callable"):
        qmc_quad(3, a, b)  # type: ignore[arg-type]
    with pytest.raises(IntegerError, match="n_points"):
        qmc_quad(bell, a, b, n_points=10.5)
    with pytest.raises(TypeError, match="n_estimates"):
        qmc_quad(bell, a, b, n_estimates="a")
    with pytest.raises(ArgumentError, match="n_estimates"):
        qmc_quad(bell, a, b, n_estimates=0)
    with pytest.raises(TypeError, match="qrng must give points"):
        qmc_quad(bell, a, b, qrng="a duck")
    with pytest.raises(ValueError, match="dimension of the limits, 2, got 1"):
        qmc_quad(bell, a, b, qrng=stats.qmc.Sobol(1, key=0))
    with pytest.raises(ArgumentError, match="log"):
        qmc_quad(bell, a, b, log=10)
    with pytest.raises(ShapeError, match="each of the 1024 points"):
        qmc_quad(lambda x: x, a, b)
    with pytest.raises(ShapeError, match="one dimension"):
        qmc_quad(bell, np.zeros((2, 2)), b)


@pytest.mark.parametrize("library", [n for n in ("numpy", "torch", "jax") if find_spec(n)])
def test_derivatives(library: str) -> None:
    given = [np.asarray([0.1, 0.2]), np.asarray([1.0, 1.5]), np.asarray(1.3)]

    def total(a: Any, b: Any, c: Any) -> Any:
        found = qmc_quad(lambda x: bell(x * c), a, b, n_points=32, n_estimates=2)
        return found.integral

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2))(*ours)
    for i, part in enumerate(found):
        for j in np.ndindex(given[i].shape):
            step = np.zeros(given[i].shape)
            step[j] = 1e-6
            ends = [
                to_numpy(total(*ours[:i], likewise.asarray(v, namespace=library), *ours[i + 1 :]))
                for v in (given[i] + step, given[i] - step)
            ]
            assert abs(to_numpy(part)[j] - (ends[0] - ends[1]) / 2e-6) < 1e-8


@pytest.mark.needs("jax")
def test_in_compiled_code() -> None:
    ends = (likewise.asarray(np.asarray(v), namespace="jax") for v in ([0.0, 0.0], [1.0, 1.0]))
    found = transforms.jit(lambda a, b: integrate.qmc_quad(bell, a, b, n_estimates=2).integral)
    assert abs(float(found(*ends)) - ONE**2) < 1e-3
