"""Cosine and sine transforms against SciPy's."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.fft

import likewise
from likewise import fft as f
from likewise.errors import ArgumentError, ExtensionMissing, ShapeError
from likewise.fft import _cosines

from ..parity import eager, same
from .test_transforms import close, given

ALONG = ["dct", "idct", "dst", "idst"]
OVER = ["dctn", "idctn", "dstn", "idstn"]


@pytest.mark.parametrize("name", ALONG)
def test_along_an_axis(lib: Any, rng: Any, name: str) -> None:
    x = rng.normal(size=(2, 5))
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match=f"{name}: needs the array API extension 'fft'"):
            getattr(f, name)(given(lib, x))
        return
    judge = getattr(scipy.fft, name)
    for type in (1, 2, 3, 4):
        settings: list[dict[str, Any]] = [{"n": 4, "axis": 0, "norm": "ortho"}]
        if not lib.jit:
            settings += [{}, {"n": 8, "norm": "forward"}, {"n": 1 + (type == 1)}]
        for options in settings:
            close(lib, getattr(f, name)(given(lib, x), type, **options), judge(x, type, **options))
    single = judge(x.astype("float32"))
    close(lib, getattr(f, name)(lib.asarray(x, "float32")), single)
    z = x + 1j * x[::-1]
    close(lib, getattr(f, name)(given(lib, z), 3), judge(z, 3))


@pytest.mark.parametrize("name", OVER)
def test_along_axes(lib: Any, rng: Any, name: str) -> None:
    if not lib.has_extensions:
        return
    x, judge = rng.normal(size=(3, 4, 2)), getattr(scipy.fft, name)
    settings: list[dict[str, Any]] = [{"s": (4, 3), "axes": (2, 0), "norm": "ortho"}]
    if not lib.jit:
        settings += [{}, {"axes": 1, "type": 1}, {"s": 5, "type": 4}, {"s": (-1, 6), "type": 3}]
    for options in settings:
        close(lib, getattr(f, name)(given(lib, x), **options), judge(x, **options))


@pytest.mark.parametrize("name", ["dct", "dst", "idctn", "idstn"])
def test_ends(lib: Any, rng: Any, name: str) -> None:
    """Of complex numbers as of their parts, where SciPy goes by the norm alone."""
    if not lib.has_extensions or lib.jit:
        return
    x, judge = rng.normal(size=(2, 6)), getattr(scipy.fft, name)
    for type, norm, ends in product((1, 2, 3), ("ortho", "forward"), (True, False)):
        options = {"type": type, "norm": norm, "orthogonalize": ends}
        got = getattr(f, name)(given(lib, x * (1 - 2j)), **options)
        close(lib, got, judge(x, **options) * (1 - 2j))


@pytest.mark.parametrize("name", ["dct", "dst"])
def test_there_and_back(lib: Any, rng: Any, name: str) -> None:
    if not lib.has_extensions or lib.jit:
        return
    for n, type, norm in product((2, 3, 9, 10), (1, 2, 3, 4), (None, "ortho", "forward")):
        x = rng.normal(size=n)
        there = getattr(f, name)(given(lib, x), type, norm=norm)
        close(lib, getattr(f, f"i{name}")(there, type, norm=norm), x)


@eager
@pytest.mark.parametrize("name", [*ALONG, *OVER])
def test_bodies(rng: Any, library: str, name: str) -> None:
    for n, type, norm in product((2, 7, 8), (1, 2, 3, 4), ("backward", "ortho", "forward")):
        x = rng.normal(size=(2, 3, n))
        same(library, getattr(f, name), x, type, norm=norm)
        same(library, getattr(f, name), x.astype("float32") * (1 + 1j), type, norm=norm)


def test_other_numbers(lib: Any) -> None:
    if not lib.has_extensions:
        return
    x = np.asarray([[1, 2, 3], [4, 0, -1]])
    for name in ["dct", "dstn"]:
        got = lib.to_numpy(getattr(f, name)(lib.asarray(x, "int32")))
        np.testing.assert_allclose(got, getattr(scipy.fft, name)(x), atol=1e-5)


@pytest.mark.parametrize("name", ["dct", "dst"])
def test_gradients(lib: Any, rng: Any, name: str) -> None:
    """The transform is linear: with SciPy's of the unit vectors, it is a product."""
    if not lib.has_extensions or not lib.has_float64 or lib.jit:
        return
    for type, n in product((1, 2, 3, 4), (5, 6)):
        x, weights = rng.normal(size=(2, n)), rng.normal(size=(2, n))
        w = lib.asarray(weights)

        def loss(x: Any, type: int = type, w: Any = w) -> Any:
            xp = likewise.array_namespace(x)
            return xp.sum(getattr(f, name)(x, type, norm="ortho") * w)

        matrix = getattr(scipy.fft, name)(np.eye(n), type, norm="ortho")
        got = likewise.grad(loss)(lib.asarray(x))
        np.testing.assert_allclose(lib.to_numpy(got), weights @ matrix.T, atol=1e-12)


def test_of_nothing(lib: Any) -> None:
    if not lib.has_extensions or lib.jit:
        return
    x = np.zeros((0, 3))
    close(lib, f.dct(given(lib, x)), x)
    close(lib, f.dct(given(lib, x), n=2, axis=0), np.zeros((2, 3)))
    close(lib, f.dstn(given(lib, x), s=(2, 2)), np.zeros((2, 2)))
    close(lib, f.dctn(given(lib, x.T), axes=()), x.T)


def test_refuses() -> None:
    x = np.ones((3, 1))
    for bad in (0, 5, "2", True, 2.0):
        with pytest.raises(ArgumentError, match="dct: type must be 1, 2, 3 or 4, got"):
            f.dct(x, bad)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="idst: norm must be one of .*, got 'x'"):
        f.idst(x, norm="x")
    with pytest.raises(ArgumentError, match="dct: n must be a positive integer, got 0"):
        f.dct(x, n=0)
    with pytest.raises(ArgumentError, match="dct: axis must be one integer, got"):
        f.dct(x, axis=(0, 1))  # type: ignore[arg-type]
    for call in (lambda: f.dct(x, axis=2), lambda: f.dct(x[0, 0]), lambda: f.dst(x[:0], axis=0)):
        with pytest.raises(ShapeError):
            call()
    with pytest.raises(ShapeError, match=r"dctn: of type 1, at least two elements .* got \[3, 1\]"):
        f.dctn(x, 1)
    with pytest.raises(ArgumentError, match="dctn: as many sizes as axes were expected, got 1"):
        f.dctn(x, s=4, axes=(0, 1))
    with pytest.raises(ArgumentError, match="dctn: axes must be distinct"):
        f.dctn(x, axes=(0, 0))
    assert set(_cosines.__all__) <= set(f.__all__)
