"""Bins against NumPy and SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise._namespace import array_namespace
from likewise.errors import ArgumentError, DtypeError, NotSupported, ShapeError
from likewise.missing import (
    binned_statistic,
    digitize,
    histogram,
    histogram2d,
    histogramdd,
    searchsorted,
)
from likewise.testing import assert_close, check_function

POINTS = np.asarray([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.0, 3.0])
# Exact in single precision: whether a number is in a bin does not depend on the dtype.
WEIGHTS = np.asarray([1.0, 2.0, 0.5, 4.0, 0.25, 1.5, 3.0, 2.5, 1.0])
BETWEEN = POINTS + 0.0625  # off the edges: no small step changes a bin
OTHER = np.asarray([0.5, -1.0, 2.0, 1.0, 0.0, 3.0, 2.0, -0.5, 1.5])


def close(lib: Any, got: Any, expected: Any) -> None:
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=1.0))
        rtol = 1e-12 if lib.has_float64 else 1e-5
        assert tuple(a.shape) == b.shape
        np.testing.assert_allclose(lib.to_numpy(a), b, rtol=rtol, atol=rtol * scale)


# -- which bin -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.5], []])
@pytest.mark.parametrize("right", [False, True])
def test_digitize(lib: Any, bins: list[float], right: bool) -> None:
    x = np.stack([POINTS, np.append(POINTS[1:], np.nan)])
    expected = np.digitize(x, np.asarray(bins, dtype=float), right)
    edges = np.asarray(bins, dtype=float)
    for way in (digitize, digitize.generic):
        got = way(lib.asarray(x), lib.asarray(edges), right)
        np.testing.assert_array_equal(lib.to_numpy(got), expected)
        info = lib.xp.__array_namespace_info__()
        assert got.dtype == info.default_dtypes(device=lib.device)["indexing"]


def test_digitize_integers(lib: Any) -> None:
    x = lib.asarray([0, 2, 5], "int32")
    assert lib.to_numpy(digitize(x, lib.asarray([1, 5], "int64"))).tolist() == [0, 1, 2]
    assert lib.to_numpy(digitize(x, [0.5, 2.5])).tolist() == [0, 1, 2]
    assert lib.to_numpy(digitize(lib.asarray(1.0), lib.asarray([0.0, 2.0]))).tolist() == 1


def test_bins_without_direction(lib: Any) -> None:
    """Refused where they can be seen; elsewhere the first and the last decide."""
    x = lib.asarray([0.5])
    for bins in ([0.0, 2.0, 1.0], [0.0, np.nan, 1.0], [1.0, np.nan], [np.nan]):
        edges = lib.asarray(bins)
        if lib.jit or lib.library == "dask":
            assert digitize(x, edges).shape == (1,)
        else:
            for _ in range(2):
                with pytest.raises(ArgumentError, match="digitize: bins must be increasing or"):
                    digitize(x, edges)


def test_edges_that_do_not_increase(lib: Any) -> None:
    x = lib.asarray([0.5, 1.5])
    for bins in ([0.0, 2.0, 1.0], [0.0, np.nan, 1.0], [0.0, 1.0, np.nan]):
        edges = lib.asarray(bins)
        ways = {
            "histogram": lambda edges=edges: histogram(x, edges)[0],
            "histogram2d": lambda edges=edges: histogram2d(x, x, edges)[0],
            "binned_statistic": lambda edges=edges: binned_statistic(x, x, "sum", edges)[0],
        }
        for name, way in ways.items():
            if lib.jit or lib.library == "dask":
                assert way().shape[0] == 2
            else:
                with pytest.raises(ArgumentError, match=f"{name}: bins must increase, and not be"):
                    way()


# -- histograms ------------------------------------------------------------------------------------

OPTIONS = {
    "default": {},
    "bins": {"bins": 4},
    "edges": {"bins": np.asarray([-1.0, 0.0, 0.5, 0.5, 1.0])},
    "range": {"bins": 5, "range": (-1, 1.5)},
    "point": {"bins": 2, "range": (1, 1)},
    "density": {"bins": 3, "density": True},
    "weights": {"bins": 3, "weights": WEIGHTS.reshape((3, 3))},
    "both": {
        "bins": np.asarray([-2.0, 0.0, 1.0]),
        "weights": WEIGHTS.reshape((3, 3)),
        "density": True,
    },
}


def test_counts_between_edges(lib: Any) -> None:
    edges = np.asarray([-1.0, 0.0, 0.5, 0.5, 1.0])
    got = histogram(lib.asarray(POINTS), lib.asarray(edges))
    close(lib, got, np.histogram(POINTS, edges))


@pytest.mark.parametrize("name", OPTIONS)
def test_histogram(lib: Any, name: str) -> None:
    options = OPTIONS[name]
    own = {k: lib.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    for way in (histogram, histogram.generic):
        got = way(lib.asarray(POINTS.reshape((3, 3))), **own)
        close(lib, got, np.histogram(POINTS.reshape((3, 3)), **options))
        if not {"density", "weights"} & set(options):
            info = lib.xp.__array_namespace_info__().default_dtypes(device=lib.device)
            assert got[0].dtype == info["indexing"]


def test_histogram_in_single_precision(lib: Any) -> None:
    x = lib.asarray(POINTS, "float32")
    for hist, edges in (histogram(x, 3, density=True), histogram(x, [-1, 0.5, 1], (0, 1))):
        assert edges.dtype == lib.xp.float32
        assert hist.dtype == lib.xp.float32 or hist.shape == (2,)


def test_histogram_of_integers_constants_and_nothing(lib: Any) -> None:
    close(lib, histogram(lib.asarray([1, 2, 1, 4]), 3), np.histogram([1, 2, 1, 4], 3))
    for way in (histogram, histogram.generic):
        close(lib, way(lib.asarray([2.0, 2.0]), 4), np.histogram([2.0, 2.0], 4))
        close(lib, way(lib.asarray(np.zeros(0)), 4), np.histogram([], 4))
        x = np.asarray([np.nan, 0.5, np.inf, -np.inf, 1.0])
        close(lib, way(lib.asarray(x), 2, (0, 1)), np.histogram(x, 2, (0, 1)))


def test_range_that_is_not_finite(lib: Any) -> None:
    """Refused where it can be seen; elsewhere the edges say it."""
    x = lib.asarray([1.0, np.nan])
    if lib.jit or lib.library == "dask":
        assert np.isnan(lib.to_numpy(histogram(x, 2)[1])).any()
    else:
        with pytest.raises(ArgumentError, match="histogram: the range .* not finite"):
            histogram(x, 2)


def test_too_many_bins(lib: Any) -> None:
    x = lib.asarray([1.0, 1.0000002], "float32")
    if not (lib.jit or lib.library == "dask"):
        with pytest.raises(ArgumentError, match="histogram: 10 bins are too many"):
            histogram(x)
        with pytest.raises(ArgumentError, match="histogram: 10 bins are too many"):
            tiny = np.finfo(np.float64 if lib.has_float64 else np.float32).tiny
            histogram(lib.asarray([tiny, np.nextafter(tiny, type(tiny)(1))]))


def test_weights_of_mixed_scales(lib: Any) -> None:
    """No small one is lost behind a large one."""
    x, w, edges = lib.asarray([0.5, 1.5]), lib.asarray([1e20, 1.0]), lib.asarray([0.0, 1.0, 2.0])
    for way in (histogram, histogram.generic):
        assert lib.to_numpy(way(x, edges, weights=w)[0]).tolist() == [float(w[0]), 1.0]
        assert lib.to_numpy(way(x, 2, (0, 2), weights=w)[0]).tolist() == [float(w[0]), 1.0]


def test_edges_in_single_precision(lib: Any) -> None:
    """They are NumPy's: elements at edges are in the same bins."""
    x = (np.arange(20) * 0.1).astype("float32")
    for bins, limits in ((10, (0, 2)), (20, (0.0, 2.0)), (7, (0.1, 1.3))):
        hist, edges = histogram(lib.asarray(x), bins, range=limits)
        expected = np.histogram(x, bins, range=limits)
        assert lib.to_numpy(hist).tolist() == expected[0].tolist()
        assert lib.to_numpy(edges).tolist() == expected[1].tolist()


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_histogramdd(lib: Any, density: bool, weights: Any) -> None:
    sample = np.stack([POINTS, OTHER, POINTS * OTHER], axis=1)
    edges = np.asarray([-1.0, 0.0, 2.0])
    for bins, own, limits in (
        ((2, edges, 3), (2, lib.asarray(edges), 3), None),
        ((2, 3, 2), (2, 3, 2), ((-1, 1), None, (0, 2))),
    ):
        expected = np.histogramdd(sample, bins, limits, density, weights)
        w = None if weights is None else lib.asarray(weights)
        got = histogramdd(lib.asarray(sample), own, limits, density, w)
        close(lib, (got[0], *got[1]), (expected[0], *expected[1]))


def test_histogram2d(lib: Any) -> None:
    edges = np.asarray([-1.0, 0.0, 1.0])
    for bins, own, limits in (
        ([2, 3], [2, 3], [(-1, 1), (0, 2)]),
        (edges, lib.asarray(edges), None),
    ):
        expected = np.histogram2d(POINTS, OTHER, bins, limits, None, WEIGHTS)
        got = histogram2d(
            lib.asarray(POINTS), lib.asarray(OTHER), own, limits, False, lib.asarray(WEIGHTS)
        )
        close(lib, got, expected)


# -- statistics ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mean", "std", "median", "count", "sum", "min", "max"])
def test_binned_statistic(lib: Any, name: str) -> None:
    for options in ({"bins": 12}, {"bins": [-1.0, 0.5, 1.0]}):
        expected = scipy.stats.binned_statistic(POINTS, OTHER, name, **options)
        got = binned_statistic(lib.asarray(POINTS), lib.asarray(OTHER), name, **options)
        close(lib, got, expected)
    both = np.stack([OTHER, WEIGHTS])
    expected = scipy.stats.binned_statistic(POINTS, list(both), name, 3)
    close(lib, binned_statistic(lib.asarray(POINTS), lib.asarray(both), name, 3), expected)


def test_functions_as_statistics(lib: Any) -> None:
    both = np.stack([OTHER, WEIGHTS])
    x, v = lib.asarray(POINTS), [lib.asarray(OTHER), lib.asarray(WEIGHTS)]

    def spread(values: Any) -> Any:
        xp = array_namespace(values)
        return xp.max(values) - xp.min(values)  # refuses no values

    def size(values: Any) -> int:
        return values.shape[0]

    if lib.library == "dask":
        with pytest.raises(NotSupported, match="binned_statistic: statistic is a function"):
            binned_statistic(x, v, spread, 3)
        return
    for ours, theirs in ((spread, np.ptp), (size, len)):
        for edges in (3, [-1.0, -0.99, 0.5, 1.0]):  # with an empty bin, and points outside
            expected = scipy.stats.binned_statistic(POINTS, list(both), theirs, edges)
            close(lib, binned_statistic(x, v, ours, edges), expected)
    with pytest.raises(ShapeError, match="a number for each bin, got shape"):
        binned_statistic(x, v, lambda values: values, 1)


def test_nan_shows_in_its_bin_only(lib: Any) -> None:
    x, v = lib.asarray([0.0, 0.25, 1.0, 1.0]), lib.asarray([1.0, np.nan, 2.0, 4.0])
    for name, last in (("mean", 3), ("std", 1), ("median", 3), ("sum", 6), ("min", 2), ("max", 4)):
        got = lib.to_numpy(binned_statistic(x, v, name, 2).statistic)
        np.testing.assert_array_equal(got, [np.nan, last])


# -- errors ----------------------------------------------------------------------------------------


def test_refuses() -> None:
    x = np.ones(3)
    for bins in ("auto", 2.5, None):
        with pytest.raises(
            ArgumentError, match="histogram: bins must be a number of bins, or edges"
        ):
            histogram(x, bins)
    with pytest.raises(ArgumentError, match="at least one bin, got 0"):
        histogram(x, 0)
    with pytest.raises(ShapeError, match="at least two edges"):
        histogram(x, [1.0])
    for limits in ((1, 0), (0, np.inf), 3, (0, 1, 2)):
        with pytest.raises(ArgumentError, match="histogram: range must be"):
            histogram(x, 2, limits)
    with pytest.raises(ShapeError, match="weights must have the shape of a"):
        histogram(x, 2, weights=np.ones(2))
    with pytest.raises(DtypeError, match="must hold real numbers"):
        histogram(x * 1j)
    for way in (histogram, histogram.generic):
        with pytest.raises(ValueError, match="increase"):
            way(x, [0.0, 2.0, 1.0])
    with pytest.raises(ShapeError, match="sample must have shape"):
        histogramdd(x)
    with pytest.raises(ArgumentError, match="an entry for each of the 2 axes"):
        histogramdd(np.ones((3, 2)), (2, 2, 2))
    with pytest.raises(ShapeError, match="x and y must have one shape"):
        histogram2d(x, np.ones(2))
    with pytest.raises(ArgumentError, match="'max', or a function of the values of a bin"):
        binned_statistic(x, x, "mode")
    with pytest.raises(ShapeError, match=r"\(3,\) and \(2,\)"):
        binned_statistic(x, np.ones(2))
    with pytest.raises(DtypeError, match="digitize: argument 'x' must hold real numbers"):
        digitize(x * 1j, x)
    with pytest.raises(ShapeError, match="bins must have one dimension"):
        digitize(x, np.ones((1, 2)))


# -- everywhere ------------------------------------------------------------------------------------


def test_capabilities_of_digitize() -> None:
    bins = np.asarray([-1.0, 0.0, 1.0])
    check_function(digitize, POINTS, bins, reference=np.digitize, scalars=2)


@pytest.mark.full
def test_capabilities_of_histogram() -> None:
    check_function(
        lambda x, w: histogram(x, 4, (-2.5, 3.5), True, w),
        BETWEEN,
        WEIGHTS,
        reference=lambda x, w: np.histogram(x, 4, (-2.5, 3.5), True, w),
        name="likewise.missing.histogram",
    )


@pytest.mark.full
def test_capabilities_of_histogram2d() -> None:
    check_function(
        lambda x, y: histogram2d(x, y, 2)[:1],
        POINTS,
        OTHER,
        reference=lambda x, y: np.histogram2d(x, y, 2)[:1],
        grad="it counts",
        scalars=2,
        name="likewise.missing.histogram2d",
    )


@pytest.mark.full
@pytest.mark.parametrize("name", ["std", "median"])
def test_capabilities_of_statistics(name: str) -> None:
    check_function(
        lambda x, v: binned_statistic(x, v, name, 2, (-2.5, 3.5)).statistic,
        BETWEEN,
        OTHER,
        reference=lambda x, v: scipy.stats.binned_statistic(x, v, name, 2, (-2.5, 3.5)).statistic,
        name="likewise.missing.binned_statistic",
    )


def test_results_in_their_dtypes(lib: Any) -> None:
    got = binned_statistic(
        lib.asarray(POINTS, "float32"), lib.asarray(OTHER, "float32"), "count", 2
    )
    assert got.statistic.dtype == got.bin_edges.dtype == lib.xp.float32
    assert_close(got.statistic, np.asarray([5.0, 4.0], dtype="float32"))


def test_numbers_beside_weights(lib: Any) -> None:
    """What is binned follows the weights to their library."""
    w = lib.asarray([1.0, 2.0, 4.0])
    hist, edges = histogram([0.0, 1.0, 3.0], 2, weights=w)
    assert lib.to_numpy(hist).tolist() == [3.0, 4.0]
    assert lib.to_numpy(edges).tolist() == [0.0, 1.5, 3.0]


def test_comparisons_beyond_a_dtype(lib: Any) -> None:
    x = lib.asarray([0, 100, 200, 255], "uint8")
    assert lib.to_numpy(digitize(x, [-1, 150, 256, 300])).tolist() == [1, 1, 2, 2]
    assert lib.to_numpy(searchsorted(x, [300, -5])).tolist() == [4, 0]
