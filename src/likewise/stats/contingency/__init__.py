"""Tables of counts of two or more variables."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "Chi2ContingencyResult",
    "CrosstabResult",
    "OddsRatioResult",
    "RelativeRiskResult",
    "association",
    "chi2_contingency",
    "crosstab",
    "expected_freq",
    "margins",
    "odds_ratio",
    "relative_risk",
]

if TYPE_CHECKING:
    from ._crosstab import CrosstabResult, crosstab
    from ._odds_ratio import OddsRatioResult, odds_ratio
    from ._tables import (
        Chi2ContingencyResult,
        RelativeRiskResult,
        association,
        chi2_contingency,
        expected_freq,
        margins,
        relative_risk,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_crosstab": "CrosstabResult crosstab",
            "_odds_ratio": "OddsRatioResult odds_ratio",
            "_tables": (
                "Chi2ContingencyResult RelativeRiskResult association chi2_contingency "
                "expected_freq margins relative_risk"
            ),
        },
    )
