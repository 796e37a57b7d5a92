"""Double exponential quadrature against SciPy's, closed forms and differences."""

import math
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

import likewise
from likewise import array_namespace, is_lazy, transforms
from likewise.errors import ArgumentError, ShapeError
from likewise.integrate import tanhsinh
from likewise.interop import to_numpy

from .closeness import near

PI = math.pi
INF = math.inf
C = np.asarray([0.5, 1.0, 30.0, 100.0])


def wave(x: Any, c: Any) -> Any:
    return array_namespace(x).sin(c * x)


def wave_of_numpy(x: Any, c: Any) -> Any:
    return np.sin(c * x)


def bell(x: Any) -> Any:
    return np.exp(-x * x)


CASES: list[tuple[Any, Any, Any, dict[str, Any]]] = [
    (lambda x: x * np.log(1 + x), 0.0, 1.0, {}),
    (lambda x: np.sqrt(x) * np.log(x), 0.0, 1.0, {}),
    (lambda x: np.log(x) ** 2, 1.0, 0.0, {}),
    (lambda x: 1 / np.sqrt(1 - x * x), -1.0, 1.0, {}),
    (lambda x: np.sqrt(np.tan(x)), 0.0, PI / 2, {}),
    (lambda x: np.exp(-x) / np.sqrt(x), 0.0, INF, {"rtol": 1e-8}),
    (lambda x: np.exp(1j * x), 0.0, 3.0, {}),
    (bell, -INF, INF, {}),
    (bell, INF, -INF, {"atol": 1e-6}),
    (bell, -INF, [3.0, 0.0], {}),
    (bell, [3.0, 0.0], -INF, {"maxlevel": 3}),
    (lambda x: -x * x, [-INF, 0.0], [3.0, INF], {"log": True}),
    (lambda x: -x * x, 3.0, -INF, {"log": True, "rtol": -20}),
    (lambda x: np.log(x + 0j) - 3, -1.0, 0.0, {"log": True}),
    (wave, 0.0, [[1.0], [2.0]], {"args": (C,)}),
    (wave, 0.0, [1.0], {"args": (C,), "minlevel": 0, "maxlevel": 3}),
    (wave, 0.0, [1.0], {"args": (C,), "minlevel": 1, "maxlevel": 1}),
    (wave, 0.0, [1.0], {"args": (C,), "minlevel": 4, "maxlevel": 9}),
    (lambda x, p: x**p, [np.nan, 0, 0, 1, 0], [1, np.nan, 1, 1, 1], {"args": (2.0,)}),
    (lambda x, p: x**p, 0.0, 1.0, {"args": (np.asarray([1, np.nan]),)}),
    (lambda x: [x, np.sin(10 * x), x * np.sin(100 * x)], 0.0, 1.0, {"preserve_shape": True}),
    (lambda x: x**2 * np.arctan(x), 0.0, 1.0, {"rtol": 0, "atol": 1e-3, "minlevel": 0}),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_scipy(number: int) -> None:
    f, a, b, options = CASES[number]
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    ours = tanhsinh(f, a, b, **options)
    theirs = si.tanhsinh(f, a, b, **options)
    assert np.allclose(ours.integral, theirs.integral, rtol=2e-14, atol=1e-14, equal_nan=True)
    assert np.allclose(ours.error, theirs.error, rtol=0.05, atol=1e-14, equal_nan=True)
    for name in ("maxlevel", "nfev", "status", "success"):
        assert np.array_equal(ours[name], theirs[name]), name


def test_tanhsinh(xp: Any) -> None:
    c, b = xp.asarray(C[:2]), xp.asarray(np.asarray([[1.0], [2.0]]))
    found = tanhsinh(wave, 0.0, b, args=(c,))
    near(xp, found.integral, (1 - np.cos(C[:2] * np.asarray([[1.0], [2.0]]))) / C[:2])
    assert found.error.shape == found.nfev.shape == found.success.shape == (2, 2)
    near(xp, tanhsinh(wave, b[0, 0], 0, args=(2.0,)).integral, np.asarray((math.cos(2) - 1) / 2))


def test_levels_and_infinite_limits(xp: Any, once: bool, leave_out: Any) -> None:
    leave_out("long", once)
    c = xp.asarray(np.asarray([1.0, 40.0]))
    near(xp, tanhsinh(wave, c * 0, 1.0, args=(c,)).integral, (1 - np.cos([1.0, 40.0])) / [1.0, 40])
    end = xp.asarray(np.asarray([-INF, 0.0]))
    found = tanhsinh(lambda x: array_namespace(x).exp(-x * x), end, INF)
    near(xp, found.integral, np.asarray([PI**0.5, PI**0.5 / 2]), rtol=2e-12)
    found = tanhsinh(lambda x: -x * x, end, INF, log=True)
    near(xp, found.integral, np.log(np.asarray([PI**0.5, PI**0.5 / 2])), atol=2e-12)


def test_calls_without_what_has_ended() -> None:
    shapes = []

    def f(x: Any, c: Any) -> Any:
        shapes.append(np.broadcast_shapes(x.shape, c.shape))
        return np.sin(c * x)

    found = tanhsinh(f, 0.0, 1.0, args=(C,))
    assert shapes[:2] == [(4, 1), (4, 66)] and shapes[2][1] == 64 and shapes[-1][0] < 4
    alone = [tanhsinh(wave, 0.0, 1.0, args=(c,)) for c in C]
    assert [v.integral for v in alone] == found.integral.tolist()
    assert [v.nfev for v in alone] == found.nfev.tolist()
    many = tanhsinh(wave, 0.0, 1.0, args=(np.linspace(0.5, 5, 5000),))  # in pieces
    assert many.integral[0] == tanhsinh(wave, 0.0, 1.0, args=(0.5,)).integral
    theirs = si.tanhsinh(wave_of_numpy, 0.0, 1.0, args=(np.linspace(0.5, 5, 5000),))
    assert np.array_equal(many.success, theirs.success)
    assert np.array_equal(many.nfev, theirs.nfev)


def test_preserve_shape(xp: Any, once: bool, leave_out: Any) -> None:
    leave_out("long", once)

    def f(x: Any, c: Any) -> Any:
        assert x.shape[:-1] == (2,)
        return array_namespace(x).stack([x * c, x * x])

    b = xp.asarray(np.asarray([1.0, 2.0]))
    found = tanhsinh(f, 0.0, b, args=(b,), preserve_shape=True)
    near(xp, found.integral, np.asarray([[0.5, 4.0], [1 / 3, 8 / 3]]))


def test_callback() -> None:
    seen = []

    def callback(found: Any) -> None:
        seen.append((found.integral.copy(), found.status.copy(), found.maxlevel.copy()))
        if len(seen) == 4:
            raise StopIteration

    found = tanhsinh(wave, 0.0, 1.0, args=(C,), callback=callback, minlevel=1)
    assert len(seen) == 4 and np.all(seen[0][1] == 1) and np.all(seen[0][2] == -1)
    assert np.array_equal(seen[-1][0], found.integral)
    assert found.status.tolist() == [0, 0, -4, -4] and not found.success[-1]
    with pytest.raises(ArgumentError, match="callback must be callable"):
        tanhsinh(bell, 0.0, 1.0, callback="no")


def test_what_ends_otherwise() -> None:
    found = tanhsinh(
        lambda x, i: np.where(i == 0, np.exp(-x * x), np.where(i == 1, np.exp(x), np.nan)),
        -INF,
        INF,
        args=(np.arange(3.0),),
        maxlevel=5,
    )
    assert found.status.tolist() == [0, -2, -3]
    assert "maxlevel" in found.summary()
    empty = tanhsinh(wave, np.zeros((0, 1)), 1.0, args=(C,))
    assert empty.integral.shape == empty.status.shape == (0, 4)
    single = tanhsinh(lambda x: np.exp(x), np.float32(0), np.ones(2, np.float32))
    assert single.integral.dtype == single.error.dtype == np.float32
    assert np.allclose(single.integral, math.e - 1, rtol=1e-6)


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tanhsinh(lambda x: 1 / np.sqrt(x), np.zeros(2), np.asarray([1.0, 4.0]))
    assert np.allclose(found.integral, [2.0, 4.0], rtol=1e-12)


def test_errors(xp: Any) -> None:
    b = xp.asarray(np.asarray([1.0, 2.0]))
    if not is_lazy(b):
        with pytest.raises(ShapeError, match="last axis are those of one problem"):
            tanhsinh(lambda x: x[:, 0], 0.0, b)
        with pytest.raises(ShapeError, match="must return an array of shape"):
            tanhsinh(lambda x: x[:, :0], 0.0, b, preserve_shape=True)
    for options in (
        {"rtol": -1},
        {"atol": INF},
        {"atol": "no"},
        {"rtol": INF, "log": True},
        {"maxlevel": -1},
        {"minlevel": 1.5},
        {"log": 2},
        {"preserve_shape": "yes"},
    ):
        with pytest.raises(ArgumentError, match=str(next(iter(options)))):
            tanhsinh(lambda x: x, 0.0, b, **options)  # type: ignore[arg-type]


def ends(a: Any, b: Any, c: Any, k: Any, log: bool) -> Any:
    first = k[0] if k.ndim else k

    def f(x: Any, c: Any) -> Any:
        xp = array_namespace(x)
        if log:
            return -c * x + xp.log(1 + first * x)
        return xp.exp(-c * x) * xp.cos(first * x)

    return tanhsinh(f, a, b, args=(c,), log=log).integral


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("library", [n for n in ("numpy", "torch", "jax") if find_spec(n)])
def test_derivatives(library: str, log: bool, leave_out: Any) -> None:
    leave_out("long", library == "jax" and log)
    weights = np.random.default_rng(3).normal(size=2)
    given = [np.asarray(v) for v in ([0.2, 0.1], [1.7, 1.2], [1.1, 0.4], [19.0, 2.0])]

    def total(*given: Any) -> Any:
        y = ends(*given, log)
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
            if library == "numpy":  # followed alone
                alone = transforms.grad(total, argnums=i)(*ours)
                assert np.allclose(alone, part, rtol=1e-12)


@pytest.mark.parametrize("log", [False, True])
def test_second_derivatives(log: bool) -> None:
    def area(v: Any) -> Any:
        y = tanhsinh(
            lambda x, c: -c * x * x if log else np.exp(0) * array_namespace(x).exp(-c * x * x),
            0.3,
            v[0],
            args=(v[1],),
            log=log,
        ).integral
        return y

    v = np.asarray([1.3, 2.0])
    found = transforms.hessian(area)(v)
    slope = transforms.grad(area)
    for i in range(2):
        step = np.eye(2)[i] * 1e-5
        assert np.allclose(found[i], (slope(v + step) - slope(v - step)) / 2e-5, atol=1e-8)


def test_derivatives_on_infinite_ranges() -> None:
    def tail(c: Any) -> Any:
        return tanhsinh(lambda x, c: array_namespace(x).exp(-c * x * x), -INF, INF, args=(c,))

    slope = transforms.grad(lambda c: tail(c).integral)(np.asarray(2.0))
    assert abs(slope + math.sqrt(PI / 2) / 4) < 1e-12
    power = transforms.grad(lambda p: tanhsinh(lambda x, p: x**-p, 1.0, INF, args=(p,)).integral)
    assert abs(power(np.asarray(3.0)) + 0.25) < 1e-10
