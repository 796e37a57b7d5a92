"""Erosion, dilation and what is made of them, of grey images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage
from likewise.errors import ArgumentError, DtypeError, ImageError, NotSupported
from likewise.ndimage._base._arguments import MODES

from ..closeness import close

RNG = np.random.default_rng(34)
X = RNG.normal(size=(5, 6))
F = np.asarray([[0, 1], [1, 1], [1, 0]])
S = np.asarray([[0.0, 0.5], [1.0, 0.25], [0.5, 0.0]])
NAMES = (
    *("grey_erosion", "grey_dilation", "grey_opening", "grey_closing"),
    *("morphological_gradient", "morphological_laplace", "white_tophat", "black_tophat"),
)


@pytest.mark.parametrize("name", NAMES)
def test_windows(xp: Any, name: str) -> None:
    for mode, origin, window in (
        ("reflect", 0, {"size": (3, 8)}),
        ("constant", (0, -1), {"footprint": F}),
        ("mirror", (1, 0), {"structure": S}),
        ("wrap", 0, {"footprint": F, "structure": S}),
    ):
        given = {k: xp.asarray(v) if k != "size" else v for k, v in window.items()}
        options = {"mode": mode, "cval": 0.75, "origin": origin}
        found = getattr(ndimage, name)(xp.asarray(X), **given, **options)
        expected = getattr(judge, name)(X, **window, **options)
        close(found, expected)


def test_routines_and_bodies_agree_on_any_call() -> None:
    """Random shapes, dtypes and windows."""
    for _ in range(300):
        ndim = int(RNG.integers(1, 4))
        sizes = tuple(int(n) for n in RNG.integers(1, 5, ndim))
        dtype = RNG.choice(["float64", "float32", "uint8", "int16", "int64", "bool"])
        x = (RNG.normal(size=RNG.integers(1, 7, ndim)) * 50).astype(dtype)
        options: dict[str, Any] = {"size": sizes}
        if RNG.random() < 0.5:
            options = {"footprint": RNG.random(sizes) < 0.7}
            options["footprint"].flat[0] = True
        if RNG.random() < 0.4:
            options["structure"] = RNG.choice([-3.0, 0.0, 1.0, 2.7, 4.0], sizes)
            options.pop("size", None)
        options["origin"] = tuple(int(RNG.integers(-(n // 2), (n - 1) // 2 + 1)) for n in sizes)
        options |= {"mode": str(RNG.choice(MODES)), "cval": float(RNG.choice([0, 2.5, -3.5]))}
        name = str(RNG.choice(NAMES[:4] if dtype == "bool" else NAMES))
        expected = getattr(judge, name)(x, **options)
        for found in (
            getattr(ndimage, name).generic(x, **options),
            getattr(ndimage, name)(x, **options),
        ):
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_dtypes_and_batches() -> None:
    x = RNG.integers(0, 200, (3, 4, 5)).astype(np.uint8)
    for name in NAMES:
        for axes, size in (((0, 2), 3), ((1,), (2,)), ((2, 1), (2, 3))):
            found = getattr(ndimage, name)(x, size, axes=axes)
            np.testing.assert_array_equal(found, getattr(judge, name)(x, size, axes=axes))
    assert ndimage.grey_erosion(x, 3, output=np.int16).dtype == np.int16
    found = ndimage.grey_erosion(x, structure=[[[0.5, 0.25]]], output="float64")
    assert np.any(found % 1 != 0)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="size, footprint or structure"):
        ndimage.grey_erosion(X)
    with pytest.raises(ArgumentError, match="footprint must have an element"):
        ndimage.grey_dilation(X, footprint=[[0, 0]])
    with pytest.raises(RuntimeError, match="one shape"):
        ndimage.grey_opening(X, footprint=[1, 1])
    with pytest.raises(ImageError, match="one shape"):
        ndimage.grey_opening(X, footprint=F, structure=S[1:])
    with pytest.raises(ImageError, match="mode must be one for all axes"):
        ndimage.grey_closing(X, footprint=F, mode=["wrap", "mirror"])
    with pytest.raises(ImageError, match="size must be at least 1"):
        ndimage.grey_closing(X, (3, 0))
    with pytest.raises(ArgumentError, match="origin"):
        ndimage.white_tophat(X, 3, origin=2)
    with pytest.raises(DtypeError, match="booleans"):
        ndimage.morphological_gradient(X > 0, 3)
    with pytest.raises(NotSupported, match="output must be a dtype"):
        ndimage.black_tophat(X, 3, output=X)
    with pytest.warns(UserWarning, match="size isn't used"):
        ndimage.grey_erosion(X, 3, F)
