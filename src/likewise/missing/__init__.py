"""Array functions that the array API standard lacks, with one meaning on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "BinnedStatisticResult",
    "allclose",
    "angle",
    "argpartition",
    "array_equal",
    "at",
    "bincount",
    "binned_statistic",
    "compress",
    "convolve",
    "corrcoef",
    "cov",
    "cumulative_trapezoid",
    "deg2rad",
    "diag_indices",
    "diff",
    "digitize",
    "einsum",
    "flatnonzero",
    "geomspace",
    "gradient",
    "histogram",
    "histogram2d",
    "histogramdd",
    "interp",
    "intersect1d",
    "isclose",
    "isin",
    "kron",
    "lexsort",
    "logspace",
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
    "one_hot",
    "pad",
    "partition",
    "percentile",
    "put",
    "put_along_axis",
    "quantile",
    "rad2deg",
    "rankdata",
    "ravel_multi_index",
    "repeat",
    "rot90",
    "round",
    "safe_divide",
    "safe_norm",
    "safe_sqrt",
    "searchsorted",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "select",
    "setdiff1d",
    "setxor1d",
    "simpson",
    "sinc",
    "sliding_window_view",
    "take",
    "take_along_axis",
    "topk",
    "trapezoid",
    "tril_indices",
    "triu_indices",
    "union1d",
    "unique",
    "unravel_index",
    "unwrap",
    "xlogy",
]

if TYPE_CHECKING:
    from ._at import at
    from ._calculus import (
        cumulative_trapezoid,
        gradient,
        interp,
        simpson,
        sinc,
        trapezoid,
        unwrap,
    )
    from ._convolution import convolve
    from ._einsum import einsum
    from ._histogram import (
        BinnedStatisticResult,
        binned_statistic,
        digitize,
        histogram,
        histogram2d,
        histogramdd,
    )
    from ._index_sets import (
        diag_indices,
        one_hot,
        ravel_multi_index,
        tril_indices,
        triu_indices,
        unravel_index,
    )
    from ._indexing import (
        compress,
        flatnonzero,
        nonzero,
        put,
        put_along_axis,
        repeat,
        select,
        take,
        take_along_axis,
        unique,
    )
    from ._moments import corrcoef, cov
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
    from ._safe import safe_divide, safe_norm, safe_sqrt, xlogy
    from ._sampling import diff, geomspace, logspace, round
    from ._search import searchsorted
    from ._segments import (
        bincount,
        segment_max,
        segment_mean,
        segment_min,
        segment_prod,
        segment_sum,
    )
    from ._sets import intersect1d, isin, setdiff1d, setxor1d, union1d
    from ._structure import (
        allclose,
        angle,
        array_equal,
        deg2rad,
        isclose,
        kron,
        pad,
        rad2deg,
        rot90,
        sliding_window_view,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_at": "at",
            "_calculus": "cumulative_trapezoid gradient interp simpson sinc trapezoid unwrap",
            "_convolution": "convolve",
            "_einsum": "einsum",
            "_histogram": (
                "BinnedStatisticResult binned_statistic digitize histogram histogram2d histogramdd"
            ),
            "_index_sets": (
                "diag_indices one_hot ravel_multi_index tril_indices triu_indices unravel_index"
            ),
            "_indexing": (
                "compress flatnonzero nonzero put put_along_axis repeat select take "
                "take_along_axis unique"
            ),
            "_moments": "corrcoef cov",
            "_nan": (
                "nan_to_num nanargmax nanargmin nancumsum nanmax nanmean nanmin nanprod nanstd "
                "nansum nanvar"
            ),
            "_order": "argpartition lexsort partition rankdata topk",
            "_quantile": "median nanmedian nanquantile percentile quantile",
            "_safe": "safe_divide safe_norm safe_sqrt xlogy",
            "_sampling": "diff geomspace logspace round",
            "_search": "searchsorted",
            "_segments": "bincount segment_max segment_mean segment_min segment_prod segment_sum",
            "_sets": "intersect1d isin setdiff1d setxor1d union1d",
            "_structure": (
                "allclose angle array_equal deg2rad isclose kron pad rad2deg rot90 "
                "sliding_window_view"
            ),
        },
    )
