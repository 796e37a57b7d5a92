"""Derivatives of images, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as judge

from likewise import ndimage

from ..closeness import close

RNG = np.random.default_rng(38)
X = RNG.normal(size=(5, 4))
MODES = ("wrap", "constant")


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("sobel", (), {"axis": 0}),
        ("prewitt", (), {"axis": -1}),
        ("laplace", (), {}),
        ("laplace", (), {"axes": ()}),
        ("gaussian_laplace", ((0.7, 1.2),), {}),
        ("gaussian_laplace", (0.7,), {"truncate": 2.0}),
        ("gaussian_gradient_magnitude", ((0.7, 1.2),), {}),
    ],
)
def test_values(xp: Any, name: str, given: Any, options: dict[str, Any]) -> None:
    options = options if "axes" in options else options | {"mode": MODES, "cval": 0.5}
    found = getattr(ndimage, name)(xp.asarray(X), *given, **options)
    expected = getattr(judge, name)(X, *given, **options)
    close(found, expected)


@pytest.mark.parametrize(
    ("name", "w"),
    [("generic_laplace", (1, -2, 1)), ("generic_gradient_magnitude", (-1, 0, 1))],
)
def test_functions_of_the_user(xp: Any, name: str, w: tuple[int, ...]) -> None:
    def derivative(x: Any, axis: int, output: Any, mode: str, cval: Any, *w: float) -> Any:
        return ndimage.correlate1d(x, w, axis, output, mode, cval)

    function = getattr(ndimage, name)
    found = function(xp.asarray(X), derivative, mode="nearest", extra_arguments=w)
    parts = [judge.correlate1d(X, w, axis, mode="nearest") for axis in (0, 1)]
    expected = sum(parts) if name == "generic_laplace" else np.hypot(*parts)
    close(found, expected)


def test_integers_and_dtypes_of_results() -> None:
    x = np.round(50 * X).astype("int16")
    for name, given in (("sobel", ()), ("prewitt", ()), ("laplace", ())):
        for output in (None, "float32", "int32"):
            found = getattr(ndimage, name)(x, *given, output=output)
            expected = getattr(judge, name)(x, *given, output=output)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            bare = getattr(ndimage, name).generic(x, *given, output=output)
            np.testing.assert_array_equal(bare, expected)


def test_a_batch_is_not_smoothed() -> None:
    x = RNG.normal(size=(3, 6, 5))
    found = ndimage.gaussian_gradient_magnitude(x, 0.8, axes=(1, 2))
    expected = [judge.gaussian_gradient_magnitude(part, 0.8) for part in x]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword arguments: order"):
        ndimage.gaussian_laplace(X, 1.0, order=2)
