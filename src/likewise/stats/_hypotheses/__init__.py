"""Tests of hypotheses: of means, variances and distributions."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "TtestResult",
    "ttest_1samp",
    "ttest_ind",
    "ttest_ind_from_stats",
    "ttest_rel",
]

if TYPE_CHECKING:
    from ._student import (
        TtestResult,
        ttest_1samp,
        ttest_ind,
        ttest_ind_from_stats,
        ttest_rel,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_student": "TtestResult ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel",
        },
    )
