"""Limits and trimming, against SciPy's."""

from typing import Any

import pytest

from ..seeds import seeds
from .calls import compare

NAMES = (
    "sigmaclip",
    "tmax",
    "tmean",
    "tmin",
    "trim1",
    "trim_mean",
    "trimboth",
    "tsem",
    "tstd",
    "tvar",
)


@pytest.mark.xp_skip({"strict-minimal": "it needs linalg, or shapes that depend on data"})
@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)
