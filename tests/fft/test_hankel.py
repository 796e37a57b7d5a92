"""Hankel transforms against SciPy's, and against functions whose transforms are known."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.fft

import likewise
from likewise import fft as f
from likewise.errors import (
    ArgumentError,
    DtypeError,
    ExtensionMissing,
    LinAlgWarning,
    NotSupported,
    ShapeError,
)
from likewise.testing import check_grads

SETTINGS = [
    (0.1, 0.0),
    (0.2, 2.5, 0.3),
    (-0.05, 1.0, -0.4, 0.5),
    (0.3, -0.5, 0.1, -1.2),
    (0.1, -3.0, 0.0, 2.0),  # two poles
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("name", ["fht", "ifht"])
def test_transforms_as_scipy(lib: Any, rng: Any, name: str, settings: Any) -> None:
    ours, judge = getattr(f, name), getattr(scipy.fft, name)
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match=f"{name}: needs the array API extension 'fft'"):
            ours(lib.asarray(np.ones(3)), *settings)
        return
    for shape in ((8,), (2, 7)):
        a = rng.normal(size=shape)
        got, expected = ours(lib.asarray(a), *settings), judge(a, *settings)
        tol = 1e-12 if lib.has_float64 else 1e-5
        found = lib.to_numpy(got)
        assert found.dtype == ("float64" if lib.has_float64 else "float32")
        np.testing.assert_allclose(found, expected, rtol=0, atol=tol * np.abs(expected).max())
    single = lib.asarray(a, "float32")
    got = ours(single, *settings)
    assert got.dtype == single.dtype
    atol = 1e-5 * np.abs(expected).max()
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=0, atol=atol)


def test_of_many_settings(rng: Any) -> None:
    """Lengths, orders, offsets and biases at random: the same numbers, the same warnings."""
    singular = 0
    for _ in range(100):
        a, dln = (
            rng.normal(size=(2, rng.integers(1, 40))),
            rng.choice([-1, 1]) * rng.uniform(0.01, 0.6),
        )
        mu, bias = 3 * rng.normal(size=2) * [1.0, rng.random() < 0.7]
        if rng.random() < 0.5:
            mu, bias = np.round((mu, bias))
        settings = dln, mu, rng.normal(), bias
        for ours, judge in ((f.fht, scipy.fft.fht), (f.ifht, scipy.fft.ifht)):
            with warnings.catch_warnings(record=True) as theirs, np.errstate(all="ignore"):
                warnings.simplefilter("always")
                expected = judge(a, *settings)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = ours(a, *settings)
            said = [str(w.message) for w in theirs if w.category is UserWarning]
            assert [str(w.message).split(": ")[1] for w in told] == said
            assert all(w.category is LinAlgWarning and w.filename == __file__ for w in told)
            scale = np.max(np.abs(expected))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * scale)
            singular += len(told)
        offset = scipy.fft.fhtoffset(*settings)
        apart = abs(float(f.fhtoffset(*settings)) - offset)
        assert min(apart, abs(apart - abs(dln))) < 1e-10  # either, half way between
    assert singular > 5


@pytest.mark.parametrize("shape", [(7,), (2, 5), (0, 3)], ids=str)
@pytest.mark.parametrize("name", ["fht", "ifht"])
def test_warns_once(name: str, shape: Any) -> None:
    """At the first call of a kind as at those after it, of the line that calls."""
    bias = {"fht": -1.125, "ifht": 1.125}[name]  # met nowhere else
    for _ in range(2):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            getattr(f, name)(np.ones(shape), 0.1, 0.125, bias=bias)
        assert [(w.category, w.filename) for w in told] == [(LinAlgWarning, __file__)]


def test_a_function_that_is_its_own_transform() -> None:
    r = np.exp(0.05 * np.arange(-128, 128))  # the middle is half a step below 1
    for mu in (2.0, 3.5):
        a = r ** (mu + 1) * np.exp(-(r**2) / 2)
        found = f.fht(a, 0.05, mu, offset=-0.05)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-7)
        np.testing.assert_allclose(f.ifht(found, 0.05, mu, offset=-0.05), a, rtol=0, atol=1e-12)


def test_derivatives(lib: Any) -> None:
    if lib.jit or not lib.has_float64 or not lib.has_extensions:
        return
    a = lib.asarray(np.asarray([0.5, -1.0, 2.0, 0.25, 1.0]))
    settings = {"dln": 0.2, "mu": 1.5, "offset": 0.1, "bias": 0.3}
    check_grads(f.fht, a, kwargs=settings)
    check_grads(f.ifht, a, kwargs=settings)


def test_offsets(lib: Any) -> None:
    """Elementwise, of arrays too, with derivatives."""
    initial = np.linspace(-1, 1, 5)
    found = f.fhtoffset(0.1, lib.asarray(np.asarray([[0.5], [2.0]])), lib.asarray(initial), 0.25)
    expected = [[scipy.fft.fhtoffset(0.1, mu, i, 0.25) for i in initial] for mu in (0.5, 2.0)]
    tol = 1e-12 if lib.has_float64 else 2e-5
    np.testing.assert_allclose(lib.to_numpy(found), expected, rtol=0, atol=tol)
    if lib.has_float64 and not lib.jit:
        slope = likewise.grad(lambda mu: f.fhtoffset(0.1, mu, 0.3, 0.25))(
            lib.asarray(np.asarray(2.0))
        )
        up, down = (scipy.fft.fhtoffset(0.1, 2.0 + h, 0.3, 0.25) for h in (1e-6, -1e-6))
        np.testing.assert_allclose(float(slope), (up - down) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["dln", "mu", "offset", "bias"])
def test_refuses_parameters_that_record(lib: Any, name: str) -> None:
    if lib.name != "torch":
        return
    settings = {"dln": 0.1, "mu": 0.0, name: lib.asarray(np.asarray(0.2))}
    assert f.fht(lib.asarray(np.ones(4)), **settings).shape == (4,)
    settings[name].requires_grad_()
    for function in ("fht", "ifht"):
        with pytest.raises(
            NotSupported, match=f"{function}: argument '{name}' must not record gradients"
        ):
            getattr(f, function)(lib.asarray(np.ones(4)), **settings)


def test_refuses() -> None:
    a = np.ones(4)
    with pytest.raises(DtypeError, match="fht: .*real"):
        f.fht(a + 1j, 0.1, 0.0)
    for bad in (np.zeros((2, 0)), np.asarray(1.0)):
        with pytest.raises(
            ShapeError, match=r"ifht: the shape \(\.\.\., n\), n above 0, was expected"
        ):
            f.ifht(bad, 0.1, 0.0)
    with pytest.raises(ArgumentError, match="fht: dln must not be zero"):
        f.fht(a, 0, 0.0)
    for bad in ("x", 1j, None, np.ones(2)):
        with pytest.raises(ArgumentError, match="fht: mu must be a real number, got"):
            f.fht(a, 0.1, bad)
    with pytest.raises(NotSupported, match="fht: bias must have a value, got an array without one"):
        likewise.grad(lambda q: f.fht(a, 0.1, 0.0, 0.0, q)[0])(np.asarray(0.5))
    assert f.fht(np.zeros((0, 3)), 0.1, 0.0).shape == (0, 3)
    assert f.fht([1, 2, 3], np.float64(0.1), np.asarray(0)).dtype == np.float64
