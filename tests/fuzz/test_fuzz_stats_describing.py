"""Random calls of descriptive statistics: SciPy is the judge."""

import pytest

from ..stats._describing.calls import CALLS, compare

pytestmark = pytest.mark.full


@pytest.mark.parametrize("name", CALLS)
def test_against_scipy(name: str) -> None:
    few = name.startswith(("boxcox", "yeojohnson")) and not name.endswith("llf")
    for seed in range(40 if few else 600):
        compare(name, seed)
