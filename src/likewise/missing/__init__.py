"""What the standard lacks, as functions on arrays, with one meaning on every library."""

from ._at import at
from ._cholesky import cho_factor, cho_solve
from ._histogram import (
    BinnedStatisticResult,
    binned_statistic,
    digitize,
    histogram,
    histogram2d,
    histogramdd,
)
from ._indexing import compress, flatnonzero, nonzero, put, repeat, select, take, take_along, unique
from ._nan import (
    nan_to_num,
    nanargmax,
    nanargmin,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from ._order import argpartition, lexsort, partition, rankdata, topk
from ._quantile import median, nanmedian, nanquantile, percentile, quantile
from ._search import searchsorted
from ._segments import bincount, segment_max, segment_mean, segment_min, segment_prod, segment_sum

__all__ = [
    "BinnedStatisticResult",
    "argpartition",
    "at",
    "bincount",
    "binned_statistic",
    "cho_factor",
    "cho_solve",
    "compress",
    "digitize",
    "flatnonzero",
    "histogram",
    "histogram2d",
    "histogramdd",
    "lexsort",
    "median",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "nonzero",
    "partition",
    "percentile",
    "put",
    "quantile",
    "rankdata",
    "repeat",
    "searchsorted",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "select",
    "take",
    "take_along",
    "topk",
    "unique",
]
