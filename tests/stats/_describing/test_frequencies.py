"""Frequencies and statistics of bins, against SciPy's."""

from typing import Any

import pytest

from ..seeds import seeds
from .calls import compare

NAMES = (
    "binned_statistic_2d",
    "binned_statistic_dd",
    "cumfreq",
    "relfreq",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)
