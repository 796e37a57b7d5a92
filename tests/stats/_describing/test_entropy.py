"""Entropy, against SciPy's."""

from typing import Any

import pytest

from ..seeds import seeds
from .calls import compare

NAMES = (
    "differential_entropy",
    "entropy",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6):
        compare(name, seed, lib)
