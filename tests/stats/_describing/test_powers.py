"""Power transformations, against SciPy's."""

from typing import Any

import pytest

from .calls import compare

NAMES = (
    "boxcox",
    "boxcox_llf",
    "boxcox_normmax",
    "yeojohnson",
    "yeojohnson_llf",
    "yeojohnson_normmax",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in range(6 if name.endswith("llf") else 1):
        compare(name, seed, lib)
