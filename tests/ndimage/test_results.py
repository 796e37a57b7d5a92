"""Results of all rooms: memory of their own, complex dtypes, numbers that are far out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage, to_numpy
from likewise.errors import ImageError, LikewiseWarning

RNG = np.random.default_rng(35)
X = RNG.normal(size=(5, 6))
ONE = np.ones((1, 1))
IDLE: dict[str, Callable[[Any, Any], Any]] = {
    "minimum_filter": lambda f, x: f(x, 1),
    "maximum_filter1d": lambda f, x: f(x, 1),
    "median_filter": lambda f, x: f(x, 1),
    "uniform_filter": lambda f, x: f(x, 1),
    "gaussian_filter": lambda f, x: f(x, 0.0),
    "laplace": lambda f, x: f(x, axes=()),
    "gaussian_gradient_magnitude": lambda f, x: f(x, 1.0, axes=()),
    "zoom": lambda f, x: f(x, 1.0),
    "shift": lambda f, x: f(x, 0.0),
    "spline_filter1d": lambda f, x: f(x, 0),
    "grey_erosion": lambda f, x: f(x, size=1),
    "grey_closing": lambda f, x: f(x, size=1),
    "binary_erosion": lambda f, x: f(x > 0, ONE),
    "iterate_structure": lambda f, x: f(x[:3, :3] > 0, 1),
}


@pytest.mark.parametrize("name", IDLE)
def test_what_does_nothing_returns_a_copy(name: str) -> None:
    seen = X > 0 if name.startswith(("binary", "iterate")) else X
    for function in (getattr(ndimage, name), getattr(ndimage, name).generic):
        given: list[Any] = []

        def taken(x: Any, *args: Any, f: Any = function, into: Any = given, **kwargs: Any) -> Any:
            into.append(x)
            return f(x, *args, **kwargs)

        found = IDLE[name](taken, X)
        assert not np.shares_memory(found, given[0])
        np.testing.assert_allclose(found, seen[:3, :3] if name.startswith("iterate") else seen)


@pytest.mark.parametrize("mode", ["wrap", "grid-wrap", "mirror", "reflect", "constant"])
def test_numbers_that_are_far_out_end_no_process(xp: Any, mode: str) -> None:
    x = xp.asarray(X)
    for far in (np.nan, 1e300):
        with np.errstate(all="ignore"):
            found = [
                ndimage.shift(x, far, order=1, mode=mode),
                ndimage.affine_transform(x, [1.0, far], order=1, mode=mode),
            ]
        for y in found:
            assert y.shape == X.shape


def test_complex_results(xp: Any) -> None:
    z = xp.asarray(X + 1j * X[::-1])
    for call in (
        lambda f, o: f.correlate1d(z, [1.0, 2.0], output=o),
        lambda f, o: f.shift(z, 0.5, order=1, output=o),
    ):
        with pytest.warns(LikewiseWarning, match="to complex"):
            assert call(ndimage, xp.float64).dtype == xp.complex128
        with pytest.raises(ImageError, match="output must be a complex dtype"):
            call(ndimage, "float64")
    for dtype in (xp.uint8, xp.int16, xp.int32):
        found = ndimage.correlate1d(xp.asarray([1, 2, 3], dtype=dtype), xp.asarray([1j, 2.0]))
        expected = judge.correlate1d(to_numpy(xp.asarray([1, 2, 3], dtype=dtype)), [1j, 2.0])
        assert to_numpy(found).dtype == expected.dtype
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-6)
    with pytest.raises(ImageError, match="output must be a real dtype"):
        ndimage.maximum_filter(xp.asarray(X), 3, output=xp.complex128)


@pytest.mark.needs("torch")
def test_structures_of_torch_have_derivatives() -> None:
    import torch

    start = RNG.normal(size=(3, 3))  # of different numbers: no ties at the borders
    x, s = torch.asarray(X), torch.asarray(start).requires_grad_()
    weights = torch.asarray(RNG.normal(size=X.shape))
    (weights * ndimage.grey_dilation(x, structure=s)).sum().backward()
    h, by_differences = 1e-6, np.empty((3, 3))
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = h
        up, down = (judge.grey_dilation(X, structure=start + v) for v in (step, -step))
        by_differences[place] = (to_numpy(weights) * (up - down)).sum() / (2 * h)
    assert s.grad is not None
    np.testing.assert_allclose(to_numpy(s.grad), by_differences, rtol=1e-6, atol=1e-8)


def test_no_objects_in_nothing(xp: Any) -> None:
    none = xp.zeros((0, 3), dtype=xp.int64)
    assert ndimage.find_objects(none) == []
    assert ndimage.find_objects(none, 2) == [None, None]
