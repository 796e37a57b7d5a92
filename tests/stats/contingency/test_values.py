"""Measures of tables against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats.contingency as judge

from likewise.stats import contingency

TABLE = np.asarray([[10, 11, 20], [21, 19, 17]])


@pytest.mark.xp_skip({"torch": "its default dtype is of single precision"})
@pytest.mark.parametrize("method", ["cramer", "tschuprow", "pearson"])
def test_association(xp: Any, method: str) -> None:
    found = contingency.association(xp.asarray(TABLE), method=method)
    want = judge.association(TABLE, method=method)
    np.testing.assert_allclose(float(found), want, rtol=1e-13)


@pytest.mark.xp_skip({"torch": "its default dtype is of single precision"})
def test_relative_risk(xp: Any) -> None:
    given = (27, 122, 44, 487)
    found = contingency.relative_risk(*(xp.asarray(n) for n in given))
    want = judge.relative_risk(*given)
    np.testing.assert_allclose(float(found.relative_risk), want.relative_risk, rtol=1e-13)
