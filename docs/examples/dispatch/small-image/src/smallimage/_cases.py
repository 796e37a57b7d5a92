"""Calls on which `likewise verify` compares a provider's routine with the function's own body.

Each is a function of a dtype's name and gives arguments and keyword arguments, small and large.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

Call = tuple[tuple[Any, ...], dict[str, Any]]


def _image(dtype: str, *shape: int) -> Any:
    return (10 * np.random.default_rng(sum(shape)).normal(size=shape)).astype(dtype)


def gaussian(dtype: str) -> Iterator[Call]:
    for shape in ((9, 7), (2, 3, 12, 11), (150, 140), (3, 100, 110)):
        yield (_image(dtype, *shape),), {}
        yield (_image(dtype, *shape), 2.3), {"truncate": 3.0}
    yield (_image(dtype, 5, 4), 3.0), {}


def median(dtype: str) -> Iterator[Call]:
    for shape in ((9, 7), (2, 3, 12, 11), (150, 140), (3, 100, 110)):
        yield (_image(dtype, *shape),), {}
        yield (_image(dtype, *shape),), {"size": 5}
    holes = _image(dtype, 90, 80)
    if dtype != "int64":
        holes[::9, ::7] = np.nan
    yield (holes,), {}


def threshold_otsu(dtype: str) -> Iterator[Call]:
    for shape in ((9, 7), (150, 140)):
        yield (_image(dtype, *shape),), {}
        yield (_image(dtype, *shape), 32), {}


def radial_profile(dtype: str) -> Iterator[Call]:
    for shape in ((9, 7), (2, 12, 11), (150, 140)):
        yield (_image(dtype, *shape),), {}
        yield (_image(dtype, *shape),), {"center": (3.5, 0)}


def phase_cross_correlation(dtype: str) -> Iterator[Call]:
    for shape in ((9, 7), (2, 12, 11), (150, 140)):
        yield (_image(dtype, *shape), np.roll(_image(dtype, *shape), (2, -1), (-2, -1))), {}
        yield (_image(dtype, *shape), np.roll(_image(dtype, *shape), (2, -1), (-2, -1)), 10), {}
