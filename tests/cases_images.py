"""Calls of the functions of images, whose steps are compared with their routines."""

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["calls_of_images"]

Call = tuple[str, tuple[Any, ...], dict[str, Any]]
SIZED = "uniform_filter minimum_filter maximum_filter median_filter".split()
ALONG = "uniform_filter1d minimum_filter1d maximum_filter1d".split()
GREY = """grey_erosion grey_dilation grey_opening grey_closing morphological_gradient
morphological_laplace white_tophat black_tophat""".split()
SUMS = "sum_labels mean variance standard_deviation center_of_mass".split()
EXTREMES = "minimum maximum median minimum_position maximum_position extrema".split()
LABELS = np.asarray([[0, 1, 1, 0, 2, 2, 0], [0, 1, 0, 0, 2, 0, 3], [4, 4, 0, 0, 0, 3, 3]] * 2)
FOOTPRINT = [[0, 1, 0], [1, 1, 1]]


def calls_of_images(dtype: str) -> Iterator[Call]:
    """Yield calls of every function with a routine, for an image of a dtype."""
    rng = np.random.default_rng(5)
    x = rng.permutation(42).reshape(6, 7) - 11  # all different
    x = x.astype(dtype) if dtype == "int64" else (x + 0.5).astype(dtype)
    binary = np.asarray(LABELS > 0)
    for mode in ("reflect", "constant", "mirror", "nearest", "wrap"):
        options = {"mode": mode, "cval": 2.0}
        yield "correlate1d", (x, [1.0, -2.0, 3.0, 1.0]), {"axis": 0, "origin": -1, **options}
        yield "correlate", (x, np.asarray([[1.0, 0.0], [2.0, -3.0]])), options
        yield from ((name, (x, (3, 2)), options) for name in SIZED)
        yield from ((name, (x, 3), {"axis": 0, **options}) for name in ALONG)
        yield from ((name, (x,), {"axis": 0, **options}) for name in ("sobel", "prewitt"))
        yield "laplace", (x,), options
        yield "median_filter", (x,), {"footprint": FOOTPRINT, **options}
        yield "minimum_filter", (x,), {"footprint": FOOTPRINT, **options}
        yield "maximum_filter", (x,), {"footprint": FOOTPRINT, **options}
        yield "rank_filter", (x, 1, (2, 3)), options
        yield from ((name, (x,), {"size": (3, 2), **options}) for name in GREY)
        structure = np.asarray([[0.5, 1.0, 2.0], [0.0, 3.0, 1.5]])
        yield from ((name, (x,), {"structure": structure, **options}) for name in GREY)
        for order in (0, 1, 3) if mode != "reflect" else (0, 1):
            spline = {"order": order, **options}
            at = np.asarray([[0.3, 2.2, 4.6], [1.1, 3.7, 5.2]])
            yield "map_coordinates", (x, at), spline
            yield "affine_transform", (x, np.asarray([[1.1, 0.2], [-0.1, 0.9]]), 0.4), spline
            yield "affine_transform", (x, [0.9, 1.1], [0.3, -0.2]), spline
            yield "shift", (x, (0.4, -1.3)), spline
            yield "zoom", (x, (1.5, 0.8)), spline
            yield "rotate", (x, 25.0), {"reshape": False, **spline}
        if mode in ("mirror", "wrap"):
            yield "spline_filter1d", (x, 3), {"axis": 0, "mode": mode}
            yield "spline_filter", (x, 4), {"mode": mode}
    for name in ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift"):
        yield name, (x, (1.5, 2.0)), {}
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        yield name, (binary,), {"iterations": 2}
        yield name, (binary, np.asarray([[1, 1, 0], [0, 1, 1]])), {}
    yield "binary_hit_or_miss", (binary,), {"structure1": np.asarray([[1, 1], [0, 1]])}
    yield "binary_propagation", (binary[:, ::-1],), {"mask": binary}
    yield "binary_fill_holes", (np.asarray(LABELS != 3),), {}
    for name in ("distance_transform_edt", "distance_transform_bf"):
        yield name, (binary,), {"sampling": (1.0, 1.7)}
        yield name, (binary,), {}
    yield "distance_transform_edt", (binary,), {"return_indices": True}
    yield "distance_transform_edt", (binary.astype(dtype),), {}
    for metric in ("taxicab", "chessboard"):
        yield "distance_transform_cdt", (binary, metric), {}
        yield "distance_transform_bf", (binary, metric), {}
    for name in (*SUMS, *EXTREMES):
        for index in (None, 2, np.asarray([1, 3, 4])):
            yield name, (x, LABELS, index), {}
        yield name, (x,), {}
    yield "label", (LABELS,), {}
    yield "label", (binary, np.ones((3, 3))), {}
    yield "find_objects", (LABELS,), {}
    yield "value_indices", (LABELS,), {}
    markers = np.zeros((6, 7), dtype="int32")
    markers[0, 0], markers[5, 6] = 1, 2
    slope = np.asarray([[v] * 7 for v in (0, 1, 2, 9, 7, 1)], dtype="uint8")
    yield "watershed_ift", (slope, markers), {}
    yield "generic_filter", (x, lambda v: v[0] - 2 * v[-1], (2, 3)), {}
    yield "vectorized_filter", (x, lambda v, axis: v.sum(axis=axis)), {"size": (2, 3)}

    def doubled(line: Any, out: Any) -> None:
        out[:] = 2 * line[1:-1]

    yield "generic_filter1d", (x, doubled, 3), {}
