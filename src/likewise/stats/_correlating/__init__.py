"""Correlations of two samples, with their tests, and lines through points."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "LinregressResult",
    "PearsonRResult",
    "SiegelslopesResult",
    "SignificanceResult",
    "TheilslopesResult",
    "chatterjeexi",
    "kendalltau",
    "linregress",
    "pearsonr",
    "pointbiserialr",
    "siegelslopes",
    "spearmanr",
    "spearmanrho",
    "theilslopes",
    "weightedtau",
]

if TYPE_CHECKING:
    from ._chatterjee import chatterjeexi
    from ._kendall import kendalltau
    from ._linregress import LinregressResult, linregress
    from ._pairs import SignificanceResult
    from ._product_moment import PearsonRResult, pearsonr, pointbiserialr
    from ._slopes import SiegelslopesResult, TheilslopesResult, siegelslopes, theilslopes
    from ._spearman import spearmanr, spearmanrho
    from ._weightedtau import weightedtau
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_chatterjee": "chatterjeexi",
            "_kendall": "kendalltau",
            "_linregress": "LinregressResult linregress",
            "_pairs": "SignificanceResult",
            "_product_moment": "PearsonRResult pearsonr pointbiserialr",
            "_slopes": "SiegelslopesResult TheilslopesResult siegelslopes theilslopes",
            "_spearman": "spearmanr spearmanrho",
            "_weightedtau": "weightedtau",
        },
    )
