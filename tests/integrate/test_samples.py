"""Integrals of samples against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

from likewise import integrate, is_lazy, missing
from likewise.errors import ArgumentError, IntegerError, ShapeError
from likewise.integrate import cumulative_simpson, cumulative_trapezoid, romb, simpson, trapezoid
from likewise.testing import assert_close

from .closeness import near

RNG = np.random.default_rng(11)
Y = RNG.normal(size=(3, 9))
X = np.cumsum(0.2 + RNG.random(9))


@pytest.mark.parametrize("name", ["trapezoid", "simpson", "cumulative_trapezoid"])
def test_those_of_missing_are_the_same(name: str) -> None:
    assert getattr(integrate, name) is getattr(missing, name)


def test_trapezoid_and_simpson(xp: Any) -> None:
    y, x = xp.asarray(Y), xp.asarray(X)
    for ours, theirs in ((trapezoid, si.trapezoid), (simpson, si.simpson)):
        near(xp, ours(y, x, axis=1), theirs(Y, x=X, axis=1), rtol=1e-13)
        near(xp, ours(y, dx=0.5, axis=0), theirs(Y, dx=0.5, axis=0), rtol=1e-13)
    found = cumulative_trapezoid(y, x, initial=0)
    near(xp, found, si.cumulative_trapezoid(Y, X, initial=0), rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_cumulative_simpson(xp: Any, n: int) -> None:
    y, x = xp.asarray(Y[:, :n]), xp.asarray(X[:n])
    for initial in (None, 0.5):
        want = si.cumulative_simpson(Y[:, :n], x=X[:n], initial=initial) if n > 1 else None
        found = cumulative_simpson(y, x=x, initial=initial)
        if want is not None:
            near(xp, found, want, rtol=1e-12, atol=1e-14)
        want = si.cumulative_simpson(Y[:, :n], dx=0.3, initial=initial) if n > 1 else None
        found = cumulative_simpson(y, dx=0.3, initial=initial)
        if want is not None:
            near(xp, found, want, rtol=1e-12, atol=1e-14)
    assert found.shape == (3, n)


def test_cumulative_simpson_of_arrays_and_axes(xp: Any) -> None:
    wide = X[:, None] * np.asarray([1.0, 2.0, 0.5])
    y = Y.T
    first = RNG.normal(size=(1, 3))
    want = si.cumulative_simpson(y, x=wide, axis=0, initial=first)
    found = cumulative_simpson(xp.asarray(y), x=xp.asarray(wide), axis=0, initial=xp.asarray(first))
    near(xp, found, want, rtol=1e-12, atol=1e-14)
    want = si.cumulative_simpson(y, dx=first**2, axis=0)
    found = cumulative_simpson(xp.asarray(y), dx=xp.asarray(first**2), axis=0)
    near(xp, found, want, rtol=1e-12, atol=1e-14)
    z = cumulative_simpson(xp.asarray(Y + 1j * Y), dx=0.3)
    near(xp, z, (1 + 1j) * si.cumulative_simpson(Y, dx=0.3), rtol=1e-12, atol=1e-14)
    assert cumulative_simpson(xp.asarray(Y, dtype=xp.float32)).dtype == xp.float32


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_romb(xp: Any, n: int) -> None:
    y = xp.asarray(Y[:, :n])
    near(xp, romb(y, dx=0.4), si.romb(Y[:, :n], dx=0.4), rtol=1e-12, atol=1e-14)
    y = xp.asarray(Y[:, :n].T, dtype=xp.float32)
    found = romb(y, axis=0)
    assert found.dtype == xp.float32
    want = si.romb(Y[:, :n].T, axis=0).astype(np.float32)
    assert_close(found, want, rtol=1e-5, atol=1e-5)


def test_errors(xp: Any) -> None:
    y, x = xp.asarray(Y), xp.asarray(X)
    with pytest.raises(ShapeError, match=r"2\*\*k \+ 1"):
        romb(y[:, :4])
    with pytest.raises(IntegerError, match="axis must be an integer"):
        romb(y, axis=0.5)  # type: ignore[arg-type]
    if not is_lazy(x):
        with pytest.raises(ArgumentError, match="strictly increasing"):
            cumulative_simpson(y, x=xp.flip(x))
    with pytest.raises(ShapeError, match="x must have the shape of y"):
        cumulative_simpson(y, x=x[:3])
    with pytest.raises(ShapeError, match="must have a sample"):
        cumulative_simpson(y[:, :0])
    with pytest.raises(ShapeError, match="initial must be a number"):
        cumulative_simpson(y, initial=y)
