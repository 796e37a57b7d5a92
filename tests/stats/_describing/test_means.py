"""Means and expectiles, against SciPy's."""

from typing import Any

import pytest

from .calls import compare

NAMES = (
    "expectile",
    "gmean",
    "hmean",
    "pmean",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in range(6):
        compare(name, seed, lib)
