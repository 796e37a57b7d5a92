"""Integrals with weights against SciPy's, and closed forms."""

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

import likewise
from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, IntegrationWarning, NotSupported
from likewise.integrate import quad
from likewise.interop import to_numpy

from .closeness import near

C = np.asarray([0.5, 1.0, 3.0, 2.0])
WVAR: dict[str, Any] = {
    "cos": np.asarray([0.0, -3.0, 40.0, 900.0]),
    "sin": np.asarray([0.1, -3.0, 40.0, 900.0]),
    "cauchy": np.asarray([0.4, 1.3, -0.5, 2.001]),
    **dict.fromkeys(
        ("alg", "alg-loga", "alg-logb", "alg-log"),
        (np.asarray([-0.5, 0.0, 1.5, -0.9]), np.asarray([0.3, -0.7, 0.0, 2.0])),
    ),
}


def smooth(x: Any, c: Any) -> Any:
    return array_namespace(x).exp(-c * x) / (1 + x * x)


def peak(x: Any, c: Any) -> Any:
    return 1 / ((x - 0.3) ** 2 + 1e-3 * c)


def one(values: Any, i: int) -> Any:
    return tuple(v[i] for v in values) if isinstance(values, tuple) else values[i]


@pytest.mark.parametrize("weight", WVAR)
@pytest.mark.parametrize("fun", [smooth, peak])
def test_beside_scipy(fun: Any, weight: str) -> None:
    a, b, wvar = np.zeros(4), np.asarray([1.0, 1.5, 2.0, 2.0]), WVAR[weight]
    y, error, told = quad(fun, a, b, (C,), True, weight=weight, wvar=wvar)
    backwards, _ = quad(fun, b, a, (C,), weight=weight, wvar=wvar)
    evaluations = 0
    for i in range(4):
        given = {"args": (C[i],), "weight": weight, "wvar": one(wvar, i)}
        theirs = si.quad(fun, 0.0, b[i], full_output=1, **given)
        close = si.quad(fun, 0.0, b[i], full_output=1, epsabs=1e-13, epsrel=1e-13, **given)
        assert abs(y[i] - close[0]) <= error[i] + close[1]
        assert error[i] <= max(1.5e-8, 1.5e-8 * abs(y[i])) and told["ier"][i] == 0
        evaluations += theirs[2]["neval"]
    assert np.sum(told["neval"]) <= 1.25 * evaluations
    assert np.allclose(backwards, -y, rtol=1e-13)


@pytest.mark.parametrize("weight", ["cos", "cauchy", "alg-log"])
def test_on_every_library(xp: Any, weight: str, leave_out: Any) -> None:
    leave_out("float64", not xp.variant.has_float64)
    wvar = WVAR[weight]
    given = tuple(map(xp.asarray, wvar)) if isinstance(wvar, tuple) else xp.asarray(wvar)
    b = np.asarray([1.0, 1.5, 2.0, 2.0])
    y, _ = quad(smooth, 0.0, xp.asarray(b), (xp.asarray(C),), weight=weight, wvar=given)
    want = [
        si.quad(smooth, 0.0, b[i], (C[i],), weight=weight, wvar=one(wvar, i), epsabs=1e-13)[0]
        for i in range(4)
    ]
    near(xp, y, np.asarray(want), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("weight", ["cos", "sin"])
def test_waves_to_infinity(weight: str) -> None:
    c, w = np.asarray([0.3, 1.0, 5.0]), np.asarray([0.4, -2.0, 30.0])
    y, error, told = quad(
        lambda x, c: np.exp(-c * x), 0.0, np.inf, (c,), True, weight=weight, wvar=w
    )[:3]
    want = (c if weight == "cos" else w) / (c * c + w * w)
    assert np.all(np.abs(y - want) <= error) and np.all(error < 1.5e-8)
    assert np.all(told["ier"] == 0)
    left, _ = quad(lambda x, c: np.exp(c * x), -np.inf, 0.0 * c, (c,), weight=weight, wvar=w)
    assert np.allclose(left, want if weight == "cos" else -want, atol=3e-8)
    for end, other in ((np.inf, want), (-np.inf, want if weight == "cos" else -want)):
        back, _ = quad(lambda x, c: np.exp(-c * abs(x)), end, 0.0, (c,), weight=weight, wvar=w)
        assert np.allclose(back, -np.sign(end) * other, atol=3e-8)
    root, error = quad(lambda x: 1 / np.sqrt(x), 0.1, np.inf, weight=weight, wvar=np.ones(2))
    theirs = si.quad(lambda x: 1 / np.sqrt(x), 0.1, np.inf, weight=weight, wvar=1.0)
    assert abs(root[0] - theirs[0]) <= error[0] + theirs[1] and root[0] == root[1]
    with pytest.warns(IntegrationWarning, match="limit"):
        quad(lambda x: x * 0 + 1.0, 0.0, np.inf, weight="cos", wvar=np.ones(1), limlst=3)


def transform(c: Any, w: Any, a: Any, weight: str, below: bool) -> Any:
    """The integral of exp(-c x) times the wave from a on, or of exp(c x) up to a; two problems."""
    at = c * np.cos(w * a) - w * np.sin(w * a), c * np.sin(w * a) + w * np.cos(w * a)
    if below:
        at = c * np.cos(w * a) + w * np.sin(w * a), c * np.sin(w * a) - w * np.cos(w * a)
    return np.exp(c * a if below else -c * a) * at[weight == "sin"] / (c * c + w * w)


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("weight", ["cos", "sin"])
@pytest.mark.parametrize("library", [n for n in ("numpy", "torch") if find_spec(n)])
def test_derivatives_of_waves_to_infinity(library: str, weight: str, below: bool) -> None:
    cotangent = np.asarray([0.7, -1.3])
    given = [np.asarray(v) for v in ([0.3, 2.0], [-0.4, 7.3], [0.1, -0.2], 1.3)]

    def total(c: Any, w: Any, a: Any, k: Any) -> Any:
        xp = array_namespace(c)
        turn = 1.0 if below else -1.0
        ends = (-math.inf, a) if below else (a, math.inf)
        y = quad(*(lambda x, c: xp.exp(turn * c * x) * k, *ends, (c,)), weight=weight, wvar=w)[0]
        return y[0] * 0.7 - 1.3 * y[1]

    def want(c: Any, w: Any, a: Any, k: Any) -> Any:
        return np.sum(cotangent * k * transform(c, w, a, weight, below))

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2, 3))(*ours)
    slopes = transforms.grad(want, argnums=(0, 1, 2, 3))(*given)
    for ours_, theirs in zip(found, slopes, strict=True):
        assert np.allclose(to_numpy(ours_), theirs, rtol=1e-7, atol=1e-7)


@pytest.mark.needs("torch")
def test_derivatives_of_cycles_that_do_not_alternate() -> None:
    """Without a wave there is no alternating sum: no derivative, rather than a wrong one."""
    import torch

    c = torch.asarray([0.05], dtype=torch.float64, requires_grad=True)
    given = {"weight": "cos", "wvar": 0.0}
    with pytest.raises(NotSupported, match="alternate"):
        quad(lambda x, c: torch.exp(-c * x), 0.0, math.inf, (c,), **given)
    with np.errstate(all="ignore"):
        slope = transforms.grad(
            lambda c: quad(lambda x, c: np.exp(-c * x), 0.0, math.inf, (c,), **given)[0][0]
        )(np.asarray([0.05]))
    assert np.isnan(slope[0])


def test_numbers_are_given_to_scipy() -> None:
    for weight, wvar in (("cos", 3.0), ("alg-log", (-0.5, 0.5)), ("cauchy", 0.3)):
        y = quad(math.exp, 0.0, 1.0, weight=weight, wvar=wvar, maxp1=30)
        assert y == si.quad(math.exp, 0.0, 1.0, weight=weight, wvar=wvar, maxp1=30)
    found = quad(lambda x: math.exp(-x), 0.0, math.inf, weight="sin", wvar=2.0, limlst=20)
    assert abs(found[0] - 0.4) <= found[1]


def test_errors() -> None:
    def refused(match: str, a: Any = 0.0, b: Any = 1.0, **given: Any) -> None:
        with pytest.raises(ArgumentError, match=match):
            quad(np.exp, a, b, **given)

    refused("weight must be", weight="tan", wvar=1.0)
    refused("needs its number", weight="cos")
    refused("wvar=", weight="alg", wvar=(1.0, 2.0, 3.0))
    refused("wvar=", weight="alg", wvar=0.5)
    refused("above -1", weight="alg", wvar=(-1.0, 0.0))
    refused("must not be a limit", weight="cauchy", wvar=1.0)
    refused("finite limits", b=np.inf, weight="cauchy", wvar=2.0)
    refused("all finite", a=-np.inf, b=np.inf, weight="cos", wvar=2.0)
    refused("all finite", b=np.asarray([1.0, np.inf]), weight="cos", wvar=2.0)
    refused("epsabs above 0", b=np.inf, weight="cos", wvar=2.0, epsabs=0.0)
    refused("limlst", b=np.inf, weight="cos", wvar=2.0, limlst=2)
    refused("maxp1", weight="cos", wvar=2.0, maxp1=0)


@pytest.mark.parametrize("b", [1.0, np.ones(2)])
def test_points_with_a_weight_are_ignored(b: Any) -> None:
    with pytest.warns(IntegrationWarning, match="ignored"):
        y, _ = quad(np.exp, 0.0, b, points=[0.5], weight="cos", wvar=2.0)
    assert np.allclose(y, si.quad(np.exp, 0.0, 1.0, weight="cos", wvar=2.0)[0], rtol=1e-12)


def test_empty_and_no_problems() -> None:
    assert quad(lambda x: 1 / x, 0.0, 0.0) == (0.0, 0.0)
    for weight, wvar in (("cos", 2.0), ("alg-log", (-0.5, 0.0)), ("cauchy", 0.3)):
        y, error = quad(np.exp, np.ones(2), 1.0, weight=weight, wvar=wvar)
        assert np.all(y == 0) and np.all(error == 0)
        y, error = quad(np.exp, np.ones((0,)), 2.0, weight=weight, wvar=wvar)
        assert y.shape == error.shape == (0,)


@pytest.mark.parametrize("weight", ["sin", "alg-log", "cauchy"])
@pytest.mark.parametrize("library", [n for n in ("numpy", "torch") if find_spec(n)])
def test_derivatives(library: str, weight: str) -> None:
    second = {"sin": 60.0, "alg-log": 0.4, "cauchy": 0.9}[weight]
    given = [np.asarray(v) for v in ([0.2, 0.1], [1.7, 1.2], [1.1, 0.4], [0.7, second])]

    def total(a: Any, b: Any, c: Any, w: Any) -> Any:
        wvar = (w, -0.3) if weight == "alg-log" else w
        k = c[0]
        y = quad(
            *(lambda x, c: smooth(x, c) * (x + k), a, b, (c,), 0, 1e-12, 1e-12),
            weight=weight,
            wvar=wvar,
        )[0]
        return y[0] - 1.3 * y[1]

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2, 3))(*ours)
    for i, part in enumerate(found):
        for j in range(2):
            step = np.zeros(2)
            step[j] = 1e-6
            more = [v + step if n == i else v for n, v in enumerate(given)]
            less = [v - step if n == i else v for n, v in enumerate(given)]
            slope = (total(*more) - total(*less)) / 2e-6
            assert abs(to_numpy(part)[j] - slope) < 1e-6 * max(1.0, abs(slope))


def test_derivative_at_singular_ends() -> None:
    """x**-c and its logarithm: the derivative is 1 / (1 - c)**2."""
    c = np.asarray([0.1, 0.5, 0.7])
    slopes = transforms.grad(
        lambda c: np.sum(quad(lambda x, c: x**-c, 0.0, np.ones(3), args=(c,))[0])
    )(c)
    assert np.allclose(slopes, 1 / (1 - c) ** 2, rtol=1e-8)
