"""Roots of orthogonal polynomials and weights, against SciPy's and exact integrals."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.special as ss

from likewise import integrate, special
from likewise.errors import ArgumentError, IntegerError
from likewise.interop import to_numpy

NAMES: list[tuple[str, tuple[float, ...]]] = [
    *((name, ()) for name in ("roots_chebyc", "roots_chebys", "roots_chebyt", "roots_chebyu")),
    *((name, ()) for name in ("roots_hermite", "roots_hermitenorm", "roots_laguerre")),
    *((name, ()) for name in ("roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu")),
    ("roots_sh_legendre", ()),
    ("roots_gegenbauer", (0.7,)),
    ("roots_gegenbauer", (0,)),
    ("roots_gegenbauer", (-0.2,)),
    ("roots_genlaguerre", (1.5,)),
    ("roots_genlaguerre", (-0.7,)),
    ("roots_jacobi", (0.3, 2.5)),
    ("roots_jacobi", (-0.6, -0.4)),
    ("roots_jacobi", (1, 1)),
    ("roots_sh_jacobi", (2.5, 1.2)),
]


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize(("name", "args"), NAMES)
def test_against_scipy(name: str, args: Any, n: int) -> None:
    x, w, mu = getattr(special, name)(n, *args, mu=True)
    theirs = getattr(ss, name)(n, *args, mu=True)
    assert np.allclose(x, theirs[0], rtol=1e-12, atol=1e-13)
    assert np.allclose(w, theirs[1], rtol=1e-9, atol=1e-14)
    assert abs(mu - theirs[2]) < 1e-14 * mu and abs(np.sum(w) - mu) < 1e-13 * mu


@pytest.mark.parametrize("n", [120, 301])
def test_many(n: int) -> None:
    k = np.arange(0, 12, 2)
    x, w = special.roots_legendre(n)
    assert np.allclose(x[None, :] ** k[:, None] @ w, 2 / (k + 1), rtol=1e-13)
    x, w = special.roots_hermite(n)
    assert np.allclose(x[None, :] ** k[:, None] @ w, ss.gamma((k + 1) / 2), rtol=1e-13)
    assert np.all(np.isfinite(x)) and np.all(np.diff(x) > 0) and np.all(w >= 0)


def test_many_of_laguerre_and_jacobi() -> None:
    k = np.arange(6.0)
    x, w = special.roots_genlaguerre(150, 0.5)
    assert np.allclose(x[None, :] ** k[:, None] @ w, ss.gamma(k + 1.5), rtol=1e-13)
    x, w = special.roots_jacobi(150, 0.0, -0.5)
    want = 2 ** (k + 0.5) * ss.beta(1, k + 0.5)
    assert np.allclose((1 + x)[None, :] ** k[:, None] @ w, want, rtol=1e-13)


@pytest.mark.parametrize("name", sorted({name for name, _ in NAMES}))
def test_arrays(xp: Any, name: str) -> None:
    args = dict(NAMES)[name]
    like = xp.asarray(np.asarray([0.5], np.float32))
    found = getattr(special, name)(5, *args, like=like)
    for got, want in zip(found, getattr(ss, name)(5, *args), strict=True):
        assert type(got) is type(like) and got.dtype == like.dtype
        np.testing.assert_allclose(to_numpy(got), want, rtol=1e-5, atol=1e-6)


def test_one_text() -> None:
    for name in ("legendre", "hermite", "laguerre"):
        a = getattr(special, f"roots_{name}")(6)
        b = getattr(integrate, f"gauss_{name}")(6)
        assert np.all(a[0] == b[0]) and np.all(a[1] == b[1])


def test_errors() -> None:
    for name, args in NAMES:
        function = getattr(special, name)
        with pytest.raises(ValueError, match="n must be at least 1"):
            function(0, *args)
        with pytest.raises(IntegerError, match="n must be an integer"):
            function(3.3, *args)
    with pytest.raises(ArgumentError, match="alpha must be above -1, got -2"):
        special.roots_jacobi(3, -2, 1)
    with pytest.raises(ArgumentError, match="beta must be above -1"):
        special.roots_jacobi(3, 1, -2)
    with pytest.raises(ArgumentError, match="alpha must be above -1/2"):
        special.roots_gegenbauer(3, -0.75)
    with pytest.raises(ArgumentError, match="p1 must be above q1 - 1"):
        special.roots_sh_jacobi(3, 1, 2)
    with pytest.raises(ArgumentError, match="q1 must be above 0"):
        special.roots_sh_jacobi(3, 2, -1)
    with pytest.raises(ArgumentError, match="must be a number"):
        special.roots_genlaguerre(3, "a")
    assert special.roots_hermite(4.0)[0].shape == (4,)
    assert abs(special.roots_genlaguerre(3, 60.5, mu=True)[2] / math.gamma(61.5) - 1) < 1e-13
