"""Filters against `scipy.ndimage` in float64, and a threshold against counting."""

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import likewise
from likewise.testing import check_grads
from smallimage.filters import gaussian, median, threshold_otsu
from smallimage.tests import assert_near

# Many small images, and one that is large enough for a provider that wants more to do.
SHAPES = [(2, 3, 8, 9), (70, 60)]


def image(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_gaussian_is_scipys(xp: Any, shape: tuple[int, ...]) -> None:
    x, options = image(*shape), {"truncate": 3.0, "axes": (-2, -1)}
    expected = ndimage.gaussian_filter(x, 2.3, mode="nearest", **options)
    assert_near(gaussian(xp.asarray(x), 2.3, 3.0), expected)


@pytest.mark.parametrize(("shape", "size"), [*((s, 3) for s in SHAPES), ((9, 7), 5), ((9, 7), 1)])
def test_median_is_scipys(xp: Any, shape: tuple[int, ...], size: int) -> None:
    x = image(*shape)
    expected = ndimage.median_filter(x, size, mode="nearest", axes=(-2, -1))
    assert_near(median(xp.asarray(x), size), expected)


def test_a_pixel_that_is_nan_spoils_those_that_see_it(xp: Any) -> None:
    x = image(70, 60)
    x[4, 5] = np.nan
    seen = np.isnan(likewise.to_numpy(median(xp.asarray(x))))
    assert seen.sum() == 9 and seen[3:6, 4:7].all()
    x = image(70, 60)
    x[30, 20] = np.nan
    mapped = likewise.vmap(lambda image: gaussian(image, 1.5))  # where no value can be looked at
    for smooth in (gaussian(xp.asarray(x), 1.5), mapped(xp.asarray(x)[None, ...])[0, ...]):
        seen = np.isnan(likewise.to_numpy(smooth))
        assert seen.sum() == 169 and seen[24:37, 14:27].all()  # 13 pixels a side


@pytest.mark.parametrize("nbins", [2, 32])
def test_the_threshold_has_most_variance_between_its_classes(xp: Any, nbins: int) -> None:
    x = np.concat([image(20, 20), 4 + 0.5 * image(20, 10)], axis=1)
    counts, edges = np.histogram(x, bins=nbins)
    centers, share = (edges[1:] + edges[:-1]) / 2, counts / counts.sum()

    def between(n: int) -> float:
        a, b = share[: n + 1].sum(), share[n + 1 :].sum()
        if a * b == 0:
            return 0.0
        low, high = share[: n + 1] @ centers[: n + 1] / a, share[n + 1 :] @ centers[n + 1 :] / b
        return float(a * b * (low - high) ** 2)

    expected = centers[max(range(nbins - 1), key=between)]
    assert_near(threshold_otsu(xp.asarray(x), nbins), expected)


@pytest.mark.parametrize("value", [-3.0, 0.0, 0.5])
def test_of_one_value_no_pixel_is_bright(xp: Any, value: float) -> None:
    x = xp.asarray(np.full((4, 5), value))
    assert float(threshold_otsu(x)) == value


@pytest.mark.xp_skip({"dask": "a lazy array's values aren't known, so that nothing is refused"})
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_threshold_of_pixels_that_are_not_finite(xp: Any, value: float) -> None:
    x = image(9, 7)
    x[3, 4] = value
    said = "threshold_otsu: every pixel must be finite"
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=said):
        threshold_otsu(xp.asarray(x))


@pytest.mark.parametrize("function", [gaussian, median, threshold_otsu])
def test_single_precision_stays_and_integers_become_floating(xp: Any, function: Any) -> None:
    x = xp.asarray(np.arange(20.0).reshape(4, 5))
    assert function(xp.astype(x, xp.float32)).dtype == xp.float32
    defaults = xp.__array_namespace_info__().default_dtypes(device=likewise.device(x))
    assert function(xp.astype(x, xp.int32)).dtype == defaults["real floating"]


def test_derivatives_of_filters(xp: Any) -> None:
    check_grads(gaussian, xp.asarray(image(4, 3)))
    check_grads(median, xp.asarray(image(4, 3)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: gaussian(x[0, :]), r"gaussian: an image has rows and columns, got shape \(7,\)"),
        (lambda x: gaussian(x, 0), "gaussian: sigma and truncate are above 0, got 0 and 4.0"),
        (lambda x: median(x, 4), "median: size is an odd number of pixels, got 4"),
        (lambda x: threshold_otsu(x, 1), "two bins at least, got nbins = 1"),
    ],
)
def test_what_is_refused(xp: Any, call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(xp.asarray(image(9, 7)))
