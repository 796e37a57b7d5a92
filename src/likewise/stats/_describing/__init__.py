"""Descriptive statistics: of location, spread, shape, ranks, angles and frequencies."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "BinnedStatistic2dResult",
    "BinnedStatisticResult",
    "BinnedStatisticddResult",
    "CumfreqResult",
    "DescribeResult",
    "DirectionalStats",
    "ModeResult",
    "RelfreqResult",
    "SigmaclipResult",
    "binned_statistic",
    "binned_statistic_2d",
    "binned_statistic_dd",
    "boxcox",
    "boxcox_llf",
    "boxcox_normmax",
    "circmean",
    "circstd",
    "circvar",
    "cumfreq",
    "describe",
    "differential_entropy",
    "directional_stats",
    "energy_distance",
    "entropy",
    "expectile",
    "gmean",
    "gstd",
    "gzscore",
    "hmean",
    "iqr",
    "kstat",
    "kstatvar",
    "kurtosis",
    "lmoment",
    "median_abs_deviation",
    "mode",
    "moment",
    "percentileofscore",
    "pmean",
    "quantile",
    "rankdata",
    "relfreq",
    "scoreatpercentile",
    "sem",
    "sigmaclip",
    "skew",
    "tiecorrect",
    "tmax",
    "tmean",
    "tmin",
    "trim1",
    "trim_mean",
    "trimboth",
    "tsem",
    "tstd",
    "tvar",
    "variation",
    "wasserstein_distance",
    "yeojohnson",
    "yeojohnson_llf",
    "yeojohnson_normmax",
    "zmap",
    "zscore",
]

if TYPE_CHECKING:
    from ._circular import (
        DirectionalStats,
        circmean,
        circstd,
        circvar,
        directional_stats,
    )
    from ._distances import (
        energy_distance,
        wasserstein_distance,
    )
    from ._entropy import (
        differential_entropy,
        entropy,
    )
    from ._frequencies import (
        BinnedStatistic2dResult,
        BinnedStatisticddResult,
        BinnedStatisticResult,
        CumfreqResult,
        RelfreqResult,
        binned_statistic,
        binned_statistic_2d,
        binned_statistic_dd,
        cumfreq,
        relfreq,
    )
    from ._kstat import (
        kstat,
        kstatvar,
        lmoment,
    )
    from ._means import (
        expectile,
        gmean,
        hmean,
        pmean,
    )
    from ._moments import (
        DescribeResult,
        describe,
        kurtosis,
        moment,
        sem,
        skew,
        variation,
    )
    from ._powers import (
        boxcox,
        boxcox_llf,
        boxcox_normmax,
        yeojohnson,
        yeojohnson_llf,
        yeojohnson_normmax,
    )
    from ._quantiles import (
        iqr,
        median_abs_deviation,
        quantile,
        scoreatpercentile,
    )
    from ._ranks import (
        ModeResult,
        mode,
        percentileofscore,
        rankdata,
        tiecorrect,
    )
    from ._scores import (
        gstd,
        gzscore,
        zmap,
        zscore,
    )
    from ._trimmed import (
        SigmaclipResult,
        sigmaclip,
        tmax,
        tmean,
        tmin,
        trim1,
        trim_mean,
        trimboth,
        tsem,
        tstd,
        tvar,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_circular": "DirectionalStats circmean circstd circvar directional_stats",
            "_distances": "energy_distance wasserstein_distance",
            "_entropy": "differential_entropy entropy",
            "_frequencies": (
                "BinnedStatistic2dResult BinnedStatisticResult BinnedStatisticddResult "
                "CumfreqResult RelfreqResult binned_statistic binned_statistic_2d "
                "binned_statistic_dd cumfreq relfreq"
            ),
            "_kstat": "kstat kstatvar lmoment",
            "_means": "expectile gmean hmean pmean",
            "_moments": "DescribeResult describe kurtosis moment sem skew variation",
            "_powers": (
                "boxcox boxcox_llf boxcox_normmax yeojohnson yeojohnson_llf yeojohnson_normmax"
            ),
            "_quantiles": "iqr median_abs_deviation quantile scoreatpercentile",
            "_ranks": "ModeResult mode percentileofscore rankdata tiecorrect",
            "_scores": "gstd gzscore zmap zscore",
            "_trimmed": (
                "SigmaclipResult sigmaclip tmax tmean tmin trim1 trim_mean trimboth tsem tstd tvar"
            ),
        },
    )
