"""Filters of images, against SciPy's."""

from typing import Any

import numpy as np
import scipy.ndimage as judge

from likewise import array_namespace, ndimage

from .case import Case, case

__all__ = ["IMAGE", "NDIMAGE_FILTERS", "filtered"]

IMAGE = np.asarray([[0.4, -1.2, 2.0, 0.7], [-0.3, 1.1, 0.2, -0.8], [1.6, -0.4, 0.9, -1.5]])


def filtered(name: str, *given: Any, **options: Any) -> Case:
    """A function of one image, with all other arguments as they are; leading axes are a batch."""
    ours, theirs = getattr(ndimage, name), getattr(judge, name)
    kwargs = options.pop("kwargs", {})
    return case(
        f"ndimage.{name}",
        IMAGE,
        by=lambda x: ours(x, *given, **kwargs),
        reference=lambda x: theirs(x, *given, **kwargs),
        **({"complex": True, "empty": True, "batch": True} | options),
    )


def _first(x: Any, axis: int, output: Any, mode: str, cval: float, *more: Any) -> Any:
    found = ndimage.correlate1d(x, [-0.5, 0.2, 0.5], axis, mode=mode, cval=cval)
    if isinstance(output, np.ndarray):  # SciPy's first call
        output[...] = found
    return found


def _spread(window: Any) -> Any:
    xp = array_namespace(window)
    return xp.max(window) - xp.min(window)


def _sums(line: Any, out: Any) -> Any:
    found = line[:-1] + 2.0 * line[1:]
    if isinstance(out, np.ndarray):  # SciPy's lines are written into
        out[...] = found
    return found


def _mean(windows: Any, axis: Any) -> Any:
    return array_namespace(windows).mean(windows, axis=axis)


REAL = {"complex": False}

LAST = {"kwargs": {"axes": (-2, -1)}}
NDIMAGE_FILTERS = [
    filtered("correlate1d", [0.5, 1.0, -0.2]),
    filtered("convolve1d", [0.5, 1.0, -0.2]),
    filtered("correlate", [[0.5, 1.0], [-0.2, 0.3]], **LAST),
    filtered("convolve", [[0.5, 1.0], [-0.2, 0.3]], **LAST),
    filtered("gaussian_filter1d", 0.5),
    filtered("gaussian_filter", 0.5, **LAST),
    filtered("uniform_filter1d", 2),
    filtered("uniform_filter", 3, **LAST),
    filtered("minimum_filter1d", 3, **REAL),
    filtered("maximum_filter1d", 3, **REAL),
    filtered("minimum_filter", 3, **REAL, **LAST),
    filtered("maximum_filter", None, [[0, 1], [1, 1]], **REAL, **LAST),
    filtered("rank_filter", 2, (2, 3), **REAL, **LAST),
    filtered("median_filter", 3, **REAL, **LAST),
    filtered("percentile_filter", 30.0, 3, **REAL, **LAST),
    filtered("sobel", batch=False),
    filtered("prewitt", batch=False),
    filtered("laplace", **LAST),
    filtered("gaussian_laplace", 0.5, **LAST),
    filtered("gaussian_gradient_magnitude", 0.5, **REAL, batch=False),
    filtered("generic_laplace", _first, **LAST),
    filtered("generic_gradient_magnitude", _first, **REAL, **LAST),
    filtered("generic_filter", _spread, 2, **REAL, **LAST),
    filtered("generic_filter1d", _sums, 2, **REAL),
    filtered("vectorized_filter", _mean, **REAL, kwargs={"size": 2, "axes": (-2, -1)}),
    filtered("fourier_gaussian", 0.5, batch=False),
    filtered("fourier_uniform", 1.5, batch=False),
    filtered("fourier_ellipsoid", 1.5, batch=False),
    filtered("fourier_shift", 0.5, batch=False),
]
