"""Statistics with SciPy's names and meaning, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "ConstantInputWarning",
    "DegenerateDataWarning",
    "NearConstantInputWarning",
    "SmallSampleWarning",
    "TtestResult",
    "norm",
    "poisson",
    "t",
    "ttest_1samp",
    "ttest_ind",
    "ttest_ind_from_stats",
    "ttest_rel",
]

if TYPE_CHECKING:
    from ._base import (
        ConstantInputWarning,
        DegenerateDataWarning,
        NearConstantInputWarning,
        SmallSampleWarning,
    )
    from ._distributions import norm, poisson, t
    from ._hypotheses import TtestResult, ttest_1samp, ttest_ind, ttest_ind_from_stats, ttest_rel
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_base": (
                "ConstantInputWarning DegenerateDataWarning NearConstantInputWarning "
                "SmallSampleWarning"
            ),
            "_distributions": "norm poisson t",
            "_hypotheses": "TtestResult ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel",
        },
    )
