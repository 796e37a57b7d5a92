"""Moments and summaries, against SciPy's."""

from typing import Any

import pytest

from .calls import compare

NAMES = (
    "describe",
    "kurtosis",
    "moment",
    "sem",
    "skew",
    "variation",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in range(6):
        compare(name, seed, lib)
